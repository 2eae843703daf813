"""Commits of a repository, read and made without a work tree."""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path


class History:
    """A repository whose commits are asked for, and which gets further ones that no branch has."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def git(self, *words: str, given: str | None = None, check: bool = True, **env: str) -> str:
        ran = subprocess.run(["git", *words], cwd=self.root, input=given, capture_output=True, text=True, errors="replace",
                             env=os.environ | env)
        if check and ran.returncode:
            raise RuntimeError(f"git {' '.join(words)}: {ran.stderr.strip()}")
        return ran.stdout

    def commits(self, count: int, *words: str) -> list[str]:
        """Returns the last commits of HEAD, the newest first."""
        return self.git("log", "--first-parent", "--format=%H", f"-n{count}", *words).split()

    def text(self, commit: str, path: str) -> str | None:
        """Returns the text of a file; `None` where it is not there."""
        ran = subprocess.run(["git", "cat-file", "blob", f"{commit}:{path}"], cwd=self.root, capture_output=True)
        return ran.stdout.decode("utf-8", "replace") if ran.returncode == 0 else None

    def differing(self, base: str, head: str) -> list[str]:
        """Returns the paths that differ; a renamed file is two."""
        return self.git("diff", "--name-only", "--no-renames", "-z", base, head).split("\0")[:-1]

    def commit(self, base: str, texts: dict[str, str | None]) -> str:
        """Makes a commit on `base` with these texts; `None` takes a file away."""
        with tempfile.TemporaryDirectory() as directory:
            index = {"GIT_INDEX_FILE": str(Path(directory) / "index")}
            self.git("read-tree", base, **index)
            rows = []
            for path, text in texts.items():
                if text is None:
                    rows.append(f"0 {'0' * 40}\t{path}")
                    continue
                blob = self.git("hash-object", "-w", "--stdin", given=text).strip()
                rows.append(f"100644 {blob}\t{path}")
            self.git("update-index", "--add", "--index-info", given="\n".join(rows) + "\n", **index)
            tree = self.git("write-tree", **index).strip()
        return self.commit_tree(base, tree)

    def commit_tree(self, base: str, tree: str) -> str:
        """Makes a commit on `base` with the files of a tree."""
        who = {f"GIT_{role}_{part}": value for role in ("AUTHOR", "COMMITTER")
               for part, value in (("NAME", "A"), ("EMAIL", "a@example.org"), ("DATE", "2026-01-01T00:00:00Z"))}
        return self.git("commit-tree", tree, "-p", base, "-m", "mutated", **who).strip()
