"""A repository whose every answer is known: which symbols, callers and imports each state of the work tree has.

Every file is made from a number and a version, so that what a query must answer follows from the state alone. A
`World` is one work tree with the times in which it was in each state. Knows git, nothing of the product.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import threading
import time
from dataclasses import dataclass, field, replace
from pathlib import Path

FOLDER = "known"
N_ROOTS = 8
FOREVER = float("inf")
# The head of a state whose commit is still being made.
UNKNOWN_HEAD = "?"


@dataclass(frozen=True)
class File:
    """One version of one file. Roots (the first numbers) import nothing, never move and never go."""

    number: int
    version: int
    is_empty: bool = False

    @property
    def target(self) -> int | None:
        return None if self.number < N_ROOTS else (self.version * 7 + self.number) % N_ROOTS

    @property
    def mark(self) -> str:
        return f"mark{self.number:03}v{self.version:06}"

    @property
    def base(self) -> str:
        return f"base{self.number:03}"

    @property
    def n_padding(self) -> int:
        return self.version % 3

    def text(self) -> str:
        if self.is_empty:
            return ""
        lines = ["// padding\n"] * self.n_padding
        lines.append("// nothing is imported\n" if self.target is None
                     else f'import {{ base{self.target:03} }} from "../d{self.target % 5}/f{self.target:03}";\n')
        value = self.number if self.target is None else f"base{self.target:03}() + 1"
        lines += [f"export function {self.base}(): number {{\n", f"  return {self.number};\n", "}\n",
                  f"export function {self.mark}(): number {{\n", f"  return {value};\n", "}\n"]
        return "".join(lines)

    def symbols(self) -> tuple[tuple[str, int, int], ...]:
        """Returns name, first and last line of what it defines."""
        if self.is_empty:
            return ()
        first = self.n_padding + 2
        return ((self.base, first, first + 2), (self.mark, first + 3, first + 5))

    def call_line(self) -> int:
        return self.n_padding + 6


def place(number: int, is_moved: bool = False) -> str:
    folder = "moved" if is_moved else f"d{number % 5}"
    return f"{FOLDER}/{folder}/f{number:03}.ts"


@dataclass(frozen=True)
class State:
    """What is on the disk and what is checked out."""

    files: dict[str, File]
    branch: str | None = None
    head: str | None = None

    def callers(self, root: int) -> frozenset:
        return frozenset((path, file.mark, file.call_line()) for path, file in self.files.items()
                         if file.target == root and not file.is_empty)

    def importers(self, root: int) -> frozenset:
        return frozenset(path for path, file in self.files.items() if file.target == root and not file.is_empty)


@dataclass
class Era:
    """A state, from when it may have been reached to when the step after it may have been through."""

    state: State
    since: float
    until: float = FOREVER
    by_git: bool = False


class World:
    """A work tree that is changed step by step; every step is written down before and after it is done."""

    def __init__(self, path: Path, rng: random.Random, versions: "Versions") -> None:
        self.path = path
        self.rng = rng
        self.versions = versions
        self.commits: dict[str, dict[str, File]] = {}
        self.parents: dict[str, str] = {}
        self.eras: list[Era] = []
        self.n_steps = 0
        self.lock = threading.Lock()

    @property
    def state(self) -> State:
        return self.eras[-1].state

    def eras_in(self, begun: float, ended: float) -> list[Era]:
        """Returns every state that may have been there between two times, in order."""
        found: list[Era] = []
        with self.lock:
            for era in reversed(self.eras):
                if era.until < begun:
                    break
                if era.since <= ended:
                    found.append(era)
        return found[::-1]

    def git(self, *args: str) -> str:
        env = {
            "PATH": os.environ.get("PATH", ""), "HOME": str(self.path.parent), "LC_ALL": "C",
            "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_AUTHOR_NAME": "Ada", "GIT_AUTHOR_EMAIL": "ada@example.invalid",
            "GIT_COMMITTER_NAME": "Ada", "GIT_COMMITTER_EMAIL": "ada@example.invalid",
        }
        ran = subprocess.run(["git", "-c", "gc.auto=0", "-c", "advice.detachedHead=false", *args], cwd=self.path, env=env,
                             stdin=subprocess.DEVNULL, capture_output=True, text=True, encoding="utf-8")
        if ran.returncode:
            raise RuntimeError(f"git {' '.join(args)}: {ran.stderr.strip()}")
        return ran.stdout.rstrip("\n")

    # Steps.

    def step(self, do, *states: State, by_git: bool = False) -> None:
        """Does what leads from the present state through `states` to the last of them."""
        begun = time.monotonic()
        with self.lock:
            before = self.eras[-1]
            added = [Era(state, begun, by_git=by_git) for state in states]
            self.eras.extend(added)
        made = do()
        ended = time.monotonic()
        with self.lock:
            before.until = ended
            for era in added[:-1]:
                era.until = ended
            if isinstance(made, str) and made:
                added[-1].state = replace(added[-1].state, head=made)
        self.n_steps += 1

    def _with(self, path: str, file: File | None) -> State:
        files = {known: it for known, it in self.state.files.items() if known != path}
        if file:
            files[path] = file
        return replace(self.state, files=files)

    def write(self, path: str, file: File, how: str = "replace") -> None:
        """Writes a file: by a rename, in place, or in place with size and time kept where the size allows."""
        target = self.path / path
        states = [self._with(path, file)]
        if how != "replace" and target.exists():
            states.insert(0, self._with(path, replace(file, is_empty=True)))

        def do() -> None:
            target.parent.mkdir(parents=True, exist_ok=True)
            if how == "replace":
                draft = self.path.parent / f"draft-{threading.get_ident()}"
                draft.write_text(file.text(), encoding="utf-8")
                draft.replace(target)
                return
            stat = target.stat() if target.exists() else None
            # Git compares whole seconds: within the one of the change before this, it sees none.
            is_seen = stat and int(stat.st_ctime) < int(time.time())
            target.write_text(file.text(), encoding="utf-8")
            if is_seen and how == "quietly":
                os.utime(target, ns=(stat.st_atime_ns, stat.st_mtime_ns))

        self.step(do, *states)

    def edit(self) -> None:
        paths = self.rng.sample(sorted(self.state.files), min(len(self.state.files), self.rng.randint(1, 4)))
        for path in paths:
            file = replace(self.state.files[path], version=self.versions.next())
            self.write(path, file, self.rng.choice(("replace", "in place", "quietly")))

    def add(self, n_all: int) -> None:
        present = {file.number for file in self.state.files.values()}
        absent = sorted(set(range(N_ROOTS, n_all)) - present)
        if absent:
            number = self.rng.choice(absent)
            self.write(place(number, self.rng.random() < 0.3), File(number, self.versions.next()))

    def _some(self) -> str | None:
        paths = sorted(path for path, file in self.state.files.items() if file.number >= N_ROOTS)
        return self.rng.choice(paths) if paths else None

    def delete(self) -> None:
        if path := self._some():
            self.step((self.path / path).unlink, self._with(path, None))

    def move(self) -> None:
        path = self._some()
        if not path:
            return
        file = self.state.files[path]
        other = place(file.number, "/moved/" not in path)
        (self.path / other).parent.mkdir(parents=True, exist_ok=True)
        gone = self._with(path, None)
        state = replace(gone, files={**gone.files, other: file})
        self.step(lambda: (self.path / path).rename(self.path / other) and None, state)

    def commit(self, amend: bool = False) -> None:
        self.git("add", "--all")
        state = self.state

        def do() -> str:
            self.git("commit", "--quiet", "--allow-empty", "--message", "step", *(["--amend"] if amend else []))
            return self.git("rev-parse", "HEAD")

        before = state.head
        self.step(do, replace(state, head=UNKNOWN_HEAD), by_git=True)
        head = self.state.head
        self.commits[head] = dict(state.files)
        if before:
            self.parents[head] = self.parents.get(before, "") if amend else before

    def go(self, head: str, branch: str | None, *command: str) -> None:
        """Runs a git command that leads to a known commit, whatever is dirty."""
        self.git("add", "--all")
        state = State(dict(self.commits[head]), branch, head)
        self.step(lambda: self.git(*command) and None, state, by_git=True)

    def switch(self, branch: str) -> None:
        self.go(self.git("rev-parse", branch), branch, "checkout", "--quiet", "--force", branch)

    def back(self) -> None:
        """Throws away the newest commit."""
        if before := self.parents.get(self.state.head or ""):
            self.go(before, self.state.branch, "reset", "--quiet", "--hard", before)

    def on_disk(self) -> dict[str, str]:
        """Returns what really is in the folder."""
        root = self.path / FOLDER
        return {path.relative_to(self.path).as_posix(): path.read_text(encoding="utf-8")
                for path in root.rglob("*.ts")}

    def check(self) -> None:
        """Makes sure that what was written down is what is there."""
        seen, told = self.on_disk(), {path: file.text() for path, file in self.state.files.items()}
        if seen != told or self.state.head != self.git("rev-parse", "HEAD"):
            differ = sorted(path for path in seen.keys() | told.keys() if seen.get(path) != told.get(path))
            raise RuntimeError(f"the harness lost track of {self.path.name}: {differ[:5]}")


@dataclass
class Versions:
    """Numbers that are given out once."""

    last: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def next(self) -> int:
        with self.lock:
            self.last += 1
            return self.last


def make(root: Path, rng: random.Random, n_files: int, ballast: Path | None = None, n_branches: int = 3,
         n_differ: int = 60) -> World:
    """Makes `root/repo` with branches `main`, `side1`, … that differ in `n_differ` files, main checked out.

    `ballast` is a repository whose tracked files are put beside the known ones.
    """
    world = World(root / "repo", rng, Versions())
    world.path.mkdir(parents=True)
    world.git("init", "--quiet", "--initial-branch", "main")
    if ballast:
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=ballast, capture_output=True, text=True, check=True)
        for path in filter(None, listed.stdout.split("\0")):
            if (ballast / path).is_file() and not (ballast / path).is_symlink():
                (world.path / path).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(ballast / path, world.path / path)
    (world.path / "tsconfig.json").write_text("{}\n", encoding="utf-8")
    world.eras.append(Era(State({}, "main", None), time.monotonic()))
    numbers = [n for n in range(n_files) if n < N_ROOTS or rng.random() < 0.9]
    for number in numbers:
        world.write(place(number), File(number, world.versions.next()))
    world.commit()
    for at in range(1, n_branches):
        world.git("switch", "--quiet", "--create", f"side{at}")
        world.eras[-1].state = replace(world.state, branch=f"side{at}")
        for path in rng.sample(sorted(world.state.files), min(n_differ, len(world.state.files))):
            world.write(path, replace(world.state.files[path], version=world.versions.next()))
        world.delete()
        world.move()
        world.commit()
    world.switch("main")
    world.check()
    return world


def add_worktree(world: World, path: Path, rng: random.Random) -> World:
    """Adds a linked work tree on a branch of its own."""
    branch = f"tree-{path.name}"
    world.git("worktree", "add", "--quiet", "-b", branch, str(path), "main")
    head = world.git("rev-parse", "main")
    tree = World(path, rng, world.versions)
    tree.commits, tree.parents = dict(world.commits), dict(world.parents)
    tree.eras.append(Era(State(dict(world.commits[head]), branch, head), time.monotonic()))
    tree.check()
    return tree
