"""Writes that fail: whichever it is and with whatever error, the call says so, and the next one is right.

    python3 tests/stress/write_errors_test.py --binary target/release/codelens [--points 10] [--seed 1] [--only PHASE]

In each phase (a first build, one that starts from another index or a copy, bringing up, settling, rebuilding, saving, bundles,
pruning, dropping) the writes are counted, then one of them fails: with no space, no quota, an I/O error, no permission or a
read-only place; alone, or with all that follow. `--points` of them are tried in each phase, all with 0. After each: an error of
the contract, the last good index answers while nothing can be written, nothing lies around, and the next call works
and answers as an index that is built from nothing. Linux only: the writes fail in `fail_writes.c`, which is preloaded.
Needs Python 3.11, git and a C compiler.
"""

from __future__ import annotations

import argparse
import contextlib
import errno
import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "harness"))

from checks import Checks  # noqa: E402
from known_repo import add_worktree, make  # noqa: E402
from product import Command, Reply, Server  # noqa: E402
from questions import callers, find, outline  # noqa: E402

LONG_MS = 60_000
ON_BYTES = ("EIO", "ENOSPC", "EDQUOT")
ON_NAMES = (*ON_BYTES, "EACCES", "EROFS")
# What is asked of an index to know it.
ASKED = (("cl_map", {"all": True, "limit": 200}), ("cl_search", {"query": "base001", "limit": 50, "snippet": "full"}),
         ("cl_impact", {"symbol": "base001"}), ("cl_stats", {}))
VOLATILE = ("generation", "nextCursor", "proof", "lastIndexedAt", "indexes", "totalIndexes", "bytes", "backlog", "memory")


@dataclass(frozen=True)
class Point:
    """A write that fails."""

    at: int
    what: str
    error: str
    goes_on: bool

    def __str__(self) -> str:
        return f"{self.error} at write {self.at} ({self.what}){' and on' if self.goes_on else ''}"


@dataclass
class Scene:
    """What a phase begins with, in the work tree and the data directory, and what is called."""

    words: tuple[str, ...]
    home: Path | None = None
    # Whether there is an index of what is checked out, which can answer.
    has_index: bool = False
    repo: Path | None = None
    # What has to work afterwards, before anything is asked; the words themselves if not given.
    then: tuple[str, ...] | None = None
    # Further codes of errors that are right.
    codes: tuple[str, ...] = ("io",)
    more: list = field(default_factory=list)


class WriteErrors:
    """A repository whose answers are known, and the phases."""

    def __init__(self, binary: Path, root: Path, checks: Checks, seed: int, n_points: int) -> None:
        self.binary, self.root, self.checks, self.n_points = binary, root, checks, n_points
        self.rng = random.Random(seed)
        self.library = root / "fail_writes.so"
        subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", self.library, HERE / "fail_writes.c", "-ldl"], check=True)
        self.world = make(root, self.rng, 40, n_branches=3, n_differ=10)
        self.counts: Counter = Counter()
        self.n_places = 0

    # Calls.

    def place(self) -> Path:
        """Returns a new directory: a data directory in it, and room for what is exported."""
        self.n_places += 1
        place = self.root / f"place{self.n_places}"
        (place / "out").mkdir(parents=True)
        return place

    def command(self, home: Path, repo: Path | None = None, **more: str) -> Command:
        return Command(self.binary, repo or self.world.path, home, LONG_MS, **more)

    def failing(self, place: Path, **how: object) -> dict[str, str]:
        settings = {f"FAIL_{name.upper()}": str(value) for name, value in how.items()}
        return settings | {"LD_PRELOAD": str(self.library), "FAIL_BELOW": f"{place}/home:{place}/out"}

    def refreshed(self, *branches: str) -> Path:
        """Returns a data directory with the indexes of these branches, the last of them checked out."""
        home = self.place() / "home"
        for branch in branches:
            self.world.switch(branch)
            self.command(home)("refresh")
        return home

    def edited(self) -> None:
        self.world.edit()
        self.world.add(44)
        self.world.delete()
        self.world.move()

    # Phases.

    def scenes(self) -> dict:
        main = ("main",)
        question = ("search", "base001", "--limit", "5")

        def build(*words: str) -> Scene:
            self.world.switch("main")
            return Scene(words)

        def seed(*words: str) -> Scene:
            home = self.refreshed("main")
            self.world.switch("side1")
            return Scene(words, home)

        def copy() -> Scene:
            home = self.refreshed("main")
            tree = add_worktree(self.world, self.root / f"tree{self.n_places}", self.rng)
            return Scene(("refresh",), home, repo=tree.path)

        def reconcile(*words: str) -> Scene:
            home = self.refreshed(*main)
            self.edited()
            return Scene(words, home, has_index=True)

        def settle() -> Scene:
            home = self.refreshed(*main)
            self.edited()
            self.command(home)(*question)
            return Scene(question, home, has_index=True)

        def rebuild() -> Scene:
            return Scene(("refresh", "--force"), self.refreshed(*main), has_index=True)

        def save() -> Scene:
            home = self.refreshed(*main)
            self.command(home)("save", "kept", "--path", "known/d0/f000.ts", "--notes", "x" * 3900)
            return Scene(("save", "new", "--path", "known/d1/f001.ts", "--notes", "y" * 3900), home, has_index=True,
                         more=[self.has_kept])

        def first_save() -> Scene:
            home = self.refreshed(*main)
            return Scene(("save", "new", "--path", "known/d1/f001.ts"), home, has_index=True)

        def load() -> Scene:
            return replace(save(), words=("load", "kept"))

        def remove() -> Scene:
            return replace(save(), words=("context", "rm", "kept"), then=("context", "list"), more=[])

        def export() -> Scene:
            return Scene(("bundle", "export", "OUT/made"), self.refreshed(*main), has_index=True)

        def take_in(*more: str) -> Scene:
            home = self.refreshed(*main)
            bundle = self.root / f"bundle{self.n_places}"
            self.command(home)("bundle", "export", str(bundle))
            return Scene(("bundle", "import", str(bundle), *more))

        def prune() -> Scene:
            home = self.refreshed("side1", "side2", "main")
            return Scene(("prune", "--max-bytes", "1"), home, has_index=True)

        def drop() -> Scene:
            home = self.refreshed("side1", "main")
            return Scene(("drop", "--branch", "side1"), home, has_index=True, then=("current",))

        return {
            "build": lambda: build("refresh"), "build by a question": lambda: build(*question), "seed": lambda: seed("refresh"),
            "seed by a question": lambda: seed(*question), "copy": copy, "reconcile": lambda: reconcile("refresh"),
            "reconcile by a question": lambda: reconcile(*question), "settle": settle, "rebuild": rebuild, "first save": first_save,
            "save": save, "load": load, "remove a context": remove, "export": export, "import": take_in,
            "import and verify": lambda: take_in("--verify"), "prune": prune, "drop": drop,
            "doctor": lambda: Scene(("doctor",), self.refreshed(*main), has_index=True),
        }

    def run(self, name: str, make_scene, pool: ThreadPoolExecutor) -> None:
        scene = make_scene()
        wanted = self.answers(self.refreshed_anew(scene), scene)
        counted = self.copied(scene)
        log = counted / "log"
        self.call(scene, counted, self.failing(counted, log=log))
        writes = [line.split(" ")[0] for line in log.read_text(encoding="utf-8").splitlines()] if log.exists() else []
        self.checks.that(f"{name}: writes are seen", writes)
        points = self.points(writes)
        list(pool.map(lambda point: self.fail(name, scene, point, wanted), points))
        self.counts[name] = len(points)
        print(f"{name}: {len(points)} of {len(writes)} writes", flush=True)

    def points(self, writes: list[str]) -> list[Point]:
        """Chooses among the writes; each kind of them, the first and the last."""
        numbers = list(range(1, len(writes) + 1))
        if self.n_points and len(numbers) > self.n_points:
            kinds = {what: [at for at in numbers if writes[at - 1] == what] for what in sorted(set(writes))}
            chosen = {self.rng.choice(kind) for kind in kinds.values()} | {numbers[-1]}
            rest = [at for at in numbers if at not in chosen]
            numbers = sorted(chosen | set(self.rng.sample(rest, max(0, self.n_points - len(chosen)))))
        points = []
        for at in numbers:
            what = writes[at - 1]
            errors = {"open": ("EIO", "EACCES", "EROFS"), "create": ON_NAMES, "mkdir": ON_NAMES, "rename": ON_NAMES, "link": ON_NAMES}.get(what, ON_BYTES)
            ways = (False, True) if not self.n_points else (self.rng.random() < 0.5,)
            points += [Point(at, what, self.rng.choice(errors), goes_on) for goes_on in ways]
        return points

    def copied(self, scene: Scene) -> Path:
        place = self.place()
        if scene.home:
            shutil.copytree(scene.home, place / "home")
        else:
            (place / "home").mkdir()
        return place

    def refreshed_anew(self, scene: Scene) -> Path:
        home = self.place() / "home"
        self.command(home, scene.repo)("refresh")
        return home

    def call(self, scene: Scene, place: Path, more: dict[str, str], words: tuple[str, ...] | None = None):
        line = [word.replace("OUT", str(place / "out")) for word in words or scene.words]
        return self.command(place / "home", scene.repo, **more).run(*line, "--json")

    def answers(self, home: Path, scene: Scene) -> dict:
        """Returns what an index says."""
        command = self.command(home, scene.repo)
        said = {}
        for tool, arguments in ASKED:
            reply = command.call(tool, **arguments)
            said[tool] = {key: value for key, value in reply.value.items() if key not in VOLATILE}
        return said

    def fail(self, name: str, scene: Scene, point: Point, wanted: dict) -> None:
        """Lets one write fail, and looks at what comes of it."""
        that, when = self.checks.that, f"{name}, {point}"
        place = self.copied(scene)
        number = getattr(errno, point.error)
        ran = self.call(scene, place, self.failing(place, at=point.at, errno=number, on=int(point.goes_on)))
        self.judged(when, scene, ran, place, wanted)
        self.nothing_lies_around(when, place)
        if scene.has_index:
            # Nothing at all can be written now: what is known answers.
            for question in (find("base001"), callers(1), outline("known/d0")):
                reply = question.ask(self.command(place / "home", scene.repo, **self.failing(place, at=1, errno=number, on=1)))
                if that(f"{when}: {question} is answered while nothing can be written", not reply.is_error, reply.value):
                    self.honest(f"{when}: {question} while nothing can be written", question, reply)
        again = self.call(scene, place, {}, scene.then)
        that(f"{when}: the next call works", again.returncode == 0, again.stderr)
        doctor = self.command(place / "home", scene.repo).call("cl_doctor")
        that(f"{when}: the index is whole", doctor.value.get("integrityOk"), doctor.value)
        for check in scene.more:
            check(when, place, scene)
        self.checks.equal(f"{when}: the next answers are those of a new index", self.answers(place / "home", scene), wanted)
        self.nothing_lies_around(f"{when} and the next calls", place)
        shutil.rmtree(place)

    def judged(self, when: str, scene: Scene, ran: subprocess.CompletedProcess, place: Path, wanted: dict) -> None:
        """Checks what a call said under a fault."""
        that = self.checks.that
        that(f"{when}: no panic", "panicked" not in ran.stderr and ran.returncode in (0, 1), ran.stderr)
        if ran.returncode and scene.words[0] != "doctor":
            try:
                error = json.loads(ran.stderr.strip().rpartition("\n")[2])["error"]
            except (ValueError, KeyError):
                that(f"{when}: an error of the contract", False, ran.stderr)
                return
            self.counts[f"error {error['code']}"] += 1
            that(f"{when}: the code is right", error["code"] in scene.codes, error)
            that(f"{when}: the next step is said", "disk" in error["hint"] or "space" in error["hint"] or "permission" in error["hint"], error)
            that(f"{when}: no place of the machine is named", str(self.root) not in error["message"], error)
            that(f"{when}: nothing else is said", not ran.stdout.strip(), ran.stdout)
            return
        value = json.loads(ran.stdout)
        self.counts["went through"] += 1
        if scene.words[0] == "search":
            question = find("base001")
            self.honest(when, question, Reply(value, False, 0, 0))
        if scene.words[0] == "refresh":
            that(f"{when}: who says ready has all", value["status"] != "ready" or value["totalFiles"] == wanted["cl_stats"]["counts"]["files"], value)

    def honest(self, when: str, question, reply: Reply) -> None:
        """Checks that what is called fresh is right, and that nothing else is wrong."""
        state = self.world.state
        if reply.value["freshness"] == "fresh":
            self.checks.equal(f"{when} is right", question.shown(reply), question.truth(state))
            return
        self.checks.that(f"{when}: it is said why it is not fresh", reply.value.get("freshnessReason") in ("io", "busy"), reply.value)
        wrong = [claim for claim in question.claims(reply.value) if not claim(state)]
        self.checks.that(f"{when}: nothing is wrong", not wrong, reply.value)

    def has_kept(self, when: str, place: Path, scene: Scene) -> None:
        loaded = self.command(place / "home", scene.repo).call("cl_load", name="kept")
        notes = loaded.value.get("context", {}).get("notes")
        self.checks.that(f"{when}: what was saved before is there", notes == "x" * 3900, loaded.value)

    def last_run(self, when: str, place: Path) -> int:
        """Returns the number of the last run that was noted; 0 if there was none. A write that was cut off can be taken back."""
        if not (place / "home" / "library.db").exists():
            return 0
        # In a copy: whoever opens the file takes the write back.
        opened = place / "opened"
        opened.mkdir()
        for path in (place / "home").glob("library.db*"):
            shutil.copy(path, opened)
        with contextlib.closing(sqlite3.connect(opened / "library.db")) as runs:
            self.checks.equal(f"{when}: the runs are whole", runs.execute("PRAGMA integrity_check").fetchall(), [("ok",)])
            has_runs = runs.execute("SELECT count(*) FROM sqlite_schema WHERE name = 'run'").fetchone()[0]
            # The disk may have been full before the table was made.
            last = runs.execute("SELECT coalesce(max(id), 0) FROM run").fetchone()[0] if has_runs else 0
        shutil.rmtree(opened)
        return last

    def nothing_lies_around(self, when: str, place: Path) -> None:
        """Checks that every file belongs to an index that is there."""
        strange = [path.name for path in (place / "out").iterdir() if path.name != "made"]
        home = place / "home"
        # The journal of a write that could not even be taken back stays until the file is opened again.
        known = ("repos", "housekeeping", "library.db", "library.db-journal", "usage.db", "usage.db-journal", "runs")
        strange += [path.name for path in home.iterdir() if path.name not in known]
        # Beside the runs lie the locks of those that were not seen to end, and of one that could not be noted.
        held = {f"{number}.lock" for number in range(1, self.last_run(when, place) + 2)}
        strange += [path.name for path in (home / "runs").iterdir() if path.name not in held] if (home / "runs").exists() else []
        for folder in (home / "repos").iterdir() if (home / "repos").exists() else ():
            builds = set()
            for path in folder.glob("idx_*.json"):
                builds.add(f"{path.stem}.{json.loads(path.read_text(encoding='utf-8'))['build']}")
            for path in folder.iterdir():
                stem, _, end = path.name.rpartition(".")
                is_ours = path.name == "repo.json" or path.name.startswith("contexts.db") or end in ("json", "write")
                if path.name.startswith(".") or not (is_ours or stem in builds):
                    strange.append(path.name)
        self.checks.that(f"{when}: nothing lies around", not strange, strange)

    # A server.

    def server(self) -> None:
        """Faults that come and go while a server runs: it lives on."""
        home = self.refreshed("main")
        place = home.parent
        switch = place / "fails"
        for error in ON_NAMES:
            more = self.failing(place, errno=getattr(errno, error)) | {"FAIL_WHILE": str(switch)}
            server = Server(self.binary, self.world.path, home, LONG_MS, log=place / "log", **more)
            asked = (find("base001"), callers(1), outline("known/d0"))
            try:
                for n in range(2):
                    for question in asked:
                        reply = question.ask(server)
                        self.checks.equal(f"server, {error} {n}: {question} before", question.shown(reply), question.truth(self.world.state))
                    switch.touch()
                    self.edited()
                    if n:
                        self.world.commit()
                    for question in asked:
                        reply = question.ask(server)
                        when = f"server, {error} {n}: {question} while nothing can be written"
                        if reply.is_error:
                            # Of what was committed just now there is no index.
                            self.checks.that(f"{when} is an error of the contract", n and reply.code == "io", reply.value)
                        else:
                            self.honest(when, question, reply)
                    for tool, arguments in (("cl_refresh", {"force": True}), ("cl_save", {"name": "n", "items": [{"path": "known/d0/f000.ts"}]})):
                        reply = server.call(tool, **arguments)
                        self.checks.equal(f"server, {error} {n}: {tool} while nothing can be written", reply.code, "io")
                    switch.unlink()
                    for question in asked:
                        # What works in the background may have the index open as it was.
                        for _ in range(3):
                            reply = question.ask(server)
                            if reply.value.get("freshness") == "fresh":
                                break
                        is_right = not reply.is_error and reply.value["freshness"] == "fresh" and question.shown(reply) == question.truth(self.world.state)
                        self.checks.that(f"server, {error} {n}: {question} afterwards", is_right, reply.value)
                    reply = server.call("cl_refresh")
                    self.checks.that(f"server, {error} {n}: refresh", reply.value.get("status") == "ready", reply.value)
            finally:
                server.close()
        self.checks.that("server: no panic", "panicked" not in (place / "log").read_text(encoding="utf-8", errors="replace"))
        self.nothing_lies_around("server", place)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", required=True, type=Path, help="the built codelens")
    parser.add_argument("--points", type=int, default=10, help="how many writes of each phase fail, one after the other; 0: all, in both ways")
    parser.add_argument("--seed", type=int, default=None, help="for what is left to chance; another one each time if not given")
    parser.add_argument("--only", help="the phase of this name")
    args = parser.parse_args()
    if not sys.platform.startswith("linux"):
        return print("left out: writes that fail, which takes Linux")
    seed = args.seed if args.seed is not None else random.randrange(1 << 30)
    checks, begun = Checks(), time.monotonic()
    with tempfile.TemporaryDirectory(prefix="codelens-write-errors-") as folder, ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        errors = WriteErrors(args.binary.resolve(), Path(folder).resolve(), checks, seed, args.points)
        parts = {name: (lambda name=name, scene=scene: errors.run(name, scene, pool)) for name, scene in errors.scenes().items()}
        parts["server"] = errors.server
        checks.run(parts, args.only)
        print(f"seed {seed}, {time.monotonic() - begun:.0f} s: " + ", ".join(f"{name} {n}" for name, n in sorted(errors.counts.items())))
    checks.end()


if __name__ == "__main__":
    main()
