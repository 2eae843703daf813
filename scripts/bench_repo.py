"""The repositories that `bench.py` works on: copies of real ones, and large ones made of copies.

Knows git, nothing of the product. What it is given stays as it is; objects are shared, files are not.
"""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

SOURCES = (".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs")
# In how many source files the other branches differ.
SIZES = (50, 500)
# How far from the wanted number of files a commit may be.
TOLERANCE = 0.3
# A change of these is one of every file whose imports they lead.
SETTINGS = re.compile(r"(^|/)(package\.json|[jt]sconfig[^/]*\.json)$")


@dataclass
class Bench:
    """A work tree, the branch it is on, and the branches that differ from it in about so many source files."""

    name: str
    path: Path
    commit: str
    away: dict[int, str] = field(default_factory=dict)
    # Source files that differ, for each of `away`.
    differ: dict[int, list[str]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def git(self, *args: str, given: str | None = None, index: Path | None = None) -> str:
        return git(self.path, *args, given=given, index=index)

    def switch(self, branch: str) -> None:
        self.git("checkout", "--quiet", branch)


def environment() -> dict[str, str]:
    """Returns an author, and no configuration of the user."""
    person = {f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER")
              for what, value in (("NAME", "Ada"), ("EMAIL", "ada@example.invalid"), ("DATE", "2026-01-01T00:00:00Z"))}
    return {"PATH": os.environ.get("PATH", ""), "HOME": "/nonexistent", "LC_ALL": "C", "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull, "GIT_NO_LAZY_FETCH": "1", "GIT_ADVICE": "0", **person}


def git(repo: Path, *args: str, given: str | None = None, index: Path | None = None) -> str:
    env = environment() | ({"GIT_INDEX_FILE": str(index)} if index else {})
    ran = subprocess.run(["git", "-c", "core.quotePath=off", "-c", "gc.auto=0", *args], cwd=repo, env=env, capture_output=True, text=True,
                         errors="replace", **({"stdin": subprocess.DEVNULL} if given is None else {"input": given}))
    if ran.returncode:
        raise RuntimeError(f"git {' '.join(args)} failed in {repo}: {ran.stderr.strip()[-500:]}")
    return ran.stdout


def copy_of(source: Path, to: Path, sizes: tuple[int, ...] = SIZES) -> Bench:
    """Returns a work tree of the newest commit of a repository, with branches so many files away."""
    git(source.parent, "clone", "--quiet", "--shared", "--no-checkout", str(source), str(to))
    head = git(to, "rev-parse", "HEAD").strip()
    bench = Bench(source.name, to, head)
    whole(bench, "here", head)
    # Without the objects of the index it may be that nothing can be checked out: the files are all of `here`.
    bench.git("symbolic-ref", "HEAD", "refs/heads/here")
    bench.git("reset", "--quiet", "--hard", "here")
    first_parents = bench.git("rev-list", "--first-parent", head).split()[1:]
    for size in sizes:
        found = nearest(bench, first_parents, size)
        if found is None:
            bench.notes.append(f"no commit of its history is about {size} source files away")
            continue
        whole(bench, f"away{size}", found)
        bench.away[size] = f"away{size}"
        bench.differ[size] = differing(bench, f"away{size}", "here")
        n_settings = sum(bool(SETTINGS.search(path)) for path in changed(bench, f"away{size}", "here"))
        bench.notes.append(f"{size} files away stands for {len(bench.differ[size])} source files and {n_settings} that say where "
                           f"imports lead (package.json, tsconfig.json), {found[:10]} against {head[:10]}")
    return bench


def whole(bench: Bench, branch: str, commit: str) -> None:
    """Makes a branch of a commit, without the files whose content a partial clone does not have."""
    entries = [entry.split("\t", 1) for entry in bench.git("ls-tree", "-r", "-z", commit).split("\0") if entry]
    ids = [words.split()[2] for words, _ in entries if words.split()[1] == "blob"]
    lines = bench.git("cat-file", "--batch-check", given="\n".join(ids) + "\n").splitlines()
    missing = {line.split()[0] for line in lines if line.endswith("missing")}
    lost = [path for words, path in entries if words.split()[2] in missing]
    if lost:
        index = bench.path / ".git/bench-index"
        bench.git("read-tree", commit, index=index)
        bench.git("update-index", "-z", "--force-remove", "--stdin", given="".join(f"{path}\0" for path in lost), index=index)
        tree = bench.git("write-tree", index=index).strip()
        commit = bench.git("commit-tree", tree, "-p", commit, "-m", "Without what is missing").strip()
        index.unlink()
        bench.notes.append(f"{branch}: {len(lost)} files are left out, since the clone lacks their content")
    bench.git("branch", "--quiet", "--force", branch, commit)


def differing(bench: Bench, one: str, other: str) -> list[str]:
    """Returns the source files that differ between two commits."""
    return [path for path in changed(bench, one, other) if path.endswith(SOURCES)]


def changed(bench: Bench, one: str, other: str) -> list[str]:
    return [path for path in bench.git("diff", "--name-only", "--no-renames", "-z", one, other).split("\0") if path]


def nearest(bench: Bench, commits: list[str], wanted: int) -> str | None:
    """Returns the commit whose source files differ from here in the number nearest to what is wanted."""
    count = lambda at: len(differing(bench, commits[at], "here"))  # noqa: E731
    low, high = 0, 1
    while high < len(commits) and count(high) < wanted:
        low, high = high, high * 2
    high = min(high, len(commits) - 1)
    while high - low > 8:
        middle = (low + high) // 2
        low, high = (middle, high) if count(middle) < wanted else (low, middle)
    around = range(max(0, low - 8), min(len(commits), high + 9))
    best = min(around, key=lambda at: (abs(count(at) - wanted), at), default=None)
    return None if best is None or abs(count(best) - wanted) > TOLERANCE * wanted else commits[best]


def of_copies(source: Path, to: Path, n_copies: int, sizes: tuple[int, ...] = SIZES) -> Bench:
    """Returns a new repository with so many copies of a work tree, whose packages have other names in each."""
    plain = copy_of(source, to.parent / f"{to.name}-one", ())
    paths = [path for path in plain.git("ls-files", "-z").split("\0") if path]
    names = set()
    for path in paths:
        if path.endswith("package.json"):
            try:
                names.add(json.loads((plain.path / path).read_text(encoding="utf-8")).get("name"))
            except (ValueError, OSError, AttributeError):
                continue
    names = sorted((name for name in names if isinstance(name, str) and name), key=len, reverse=True)
    # A name in quotes, alone or before a path: in manifests, imports and configuration alike.
    quoted = re.compile("(['\"])(" + "|".join(map(re.escape, names)) + ")(?=['\"/])") if names else None
    git(to.parent, "init", "--quiet", "--initial-branch=here", str(to))
    for n in range(n_copies):
        for path in paths:
            read, written = plain.path / path, to / f"copy{n:03}" / path
            if read.is_symlink() or not read.is_file():
                continue
            written.parent.mkdir(parents=True, exist_ok=True)
            content = read.read_bytes()
            if quoted and path.endswith((*SOURCES, ".json", ".vue", ".svelte")):
                text = content.decode("utf-8", "surrogateescape")
                content = quoted.sub(rf"\g<1>\g<2>-copy{n:03}", text).encode("utf-8", "surrogateescape")
            written.write_bytes(content)
    git(to, "add", "--force", ".")
    git(to, "commit", "--quiet", "-m", f"{n_copies} copies of {source.name}")
    bench = Bench(f"{n_copies} × {source.name}", to, git(to, "rev-parse", "HEAD").strip())
    sources = [path for path in git(to, "ls-files", "-z").split("\0") if path.endswith(SOURCES)]
    for size in sizes:
        bench.git("checkout", "--quiet", "-b", f"away{size}", "here")
        bench.differ[size] = sorted(random.Random(size).sample(sources, min(size, len(sources))))
        for path in bench.differ[size]:
            with open(to / path, "a", encoding="utf-8") as file:
                file.write(f"\nexport function addedFor{size}() {{\n  return {size}\n}}\n")
        bench.git("commit", "--quiet", "--all", "-m", f"{size} files")
        bench.away[size] = f"away{size}"
        bench.switch("here")
    return bench
