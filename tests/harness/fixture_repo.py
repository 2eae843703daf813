"""Plays a description of `fixtures/*.repo` into a git repository, as the Rust tests do.

The format is told in `tests/it/support/fixture.rs`. The same steps give the same commit ids.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from pathlib import Path

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
EPOCH_S = 1_704_067_200
# The commands of git that write a date into an object; only they move the clock.
DATED = {"am", "cherry-pick", "commit", "merge", "pull", "rebase", "revert", "stash", "tag"}


class FixtureRepo:
    """A git repository in `root/repo`."""

    def __init__(self, root: Path) -> None:
        self.home = root / "home"
        self.path = root / "repo"
        self.commits: dict[str, str] = {}
        self._n_dates = 0
        self.home.mkdir(parents=True)
        self.path.mkdir()
        self.git("init", "--quiet")

    @classmethod
    def load(cls, name: str, root: Path) -> "FixtureRepo":
        repo = cls(root)
        repo.play((FIXTURES / f"{name}.repo").read_text(encoding="utf-8"))
        return repo

    def git(self, *args: str) -> str:
        self._n_dates += bool(DATED & set(args))
        date = f"{EPOCH_S + 60 * self._n_dates} +0000"
        settings = {
            "init.defaultBranch": "main",
            "core.autocrlf": "false",
            "commit.gpgSign": "false",
            "advice.detachedHead": "false",
        }
        flags = [part for pair in settings.items() for part in ("-c", "=".join(pair))]
        ran = subprocess.run(
            ["git", *flags, *args],
            cwd=self.path,
            env={
                "PATH": os.environ.get("PATH", ""),
                "HOME": str(self.home),
                "LC_ALL": "C",
                "TZ": "UTC",
                "GIT_CONFIG_NOSYSTEM": "1",
                "GIT_CONFIG_GLOBAL": os.devnull,
                "GIT_AUTHOR_NAME": "Ada",
                "GIT_AUTHOR_EMAIL": "ada@example.invalid",
                "GIT_COMMITTER_NAME": "Ada",
                "GIT_COMMITTER_EMAIL": "ada@example.invalid",
                "GIT_AUTHOR_DATE": date,
                "GIT_COMMITTER_DATE": date,
            },
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            encoding="utf-8",
        )
        if ran.returncode:
            raise RuntimeError(f"git {' '.join(args)}: {ran.stderr.strip()}")
        return ran.stdout.rstrip("\n")

    def write(self, path: str, text: str) -> None:
        file = self.path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode("utf-8"))

    def play(self, description: str) -> None:
        """Plays every step of a description."""
        block: tuple[str, list[str]] | None = None
        for line in [*description.splitlines(keepends=True), "//- end"]:
            if not line.startswith("//- "):
                if block:
                    block[1].append(line)
                continue
            if block:
                self.write(block[0], "".join(block[1]).replace("$0", ""))
                block = None
            directive = line[4:].strip()
            if directive.startswith("/"):
                block = (directive[1:], [])
            elif directive != "end":
                self._act(*shlex.split(directive))

    def _act(self, act: str, *args: str) -> None:
        if act == "commit":
            self.git("add", "--all")
            self.git("commit", "--quiet", "--allow-empty", "--message", args[0])
            self.commits[args[0]] = self.git("rev-parse", "HEAD")
        elif act == "branch":
            self.git("switch", "--quiet", "--create", args[0])
        elif act == "checkout":
            self.git("checkout", "--quiet", self.commits.get(args[0], args[0]))
        elif act == "remove":
            target = self.path / args[0].lstrip("/")
            shutil.rmtree(target) if target.is_dir() else target.unlink()
        elif act == "rename":
            source, target = (self.path / arg.lstrip("/") for arg in args)
            target.parent.mkdir(parents=True, exist_ok=True)
            source.rename(target)
        elif act == "git":
            self.git(*args)
        else:
            raise ValueError(f"no such directive: {act}")
