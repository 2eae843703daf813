"""Damage, full disks and what may not be written: the next call works without a person, and its answer is right.

    python3 tests/stress/faults_test.py --binary target/release/codelens [--rounds 3] [--seed 1]

Cuts, blanks and overwrites every file of the data directory, puts foreign files in their place, fills the disk, takes
write permission away from the data directory and the repository, and sets clocks wrong. What needs a mount or
another user is left out, and said so, where that can't be had. Needs Python 3.11 and git.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "harness"))

from checks import Checks  # noqa: E402
from known_repo import make  # noqa: E402
from product import Command, Reply, environment  # noqa: E402
from questions import callers, every_question, find, outline  # noqa: E402

LONG_MS = 60_000


class Faults:
    """A repository with a good data directory, copied for each fault."""

    def __init__(self, binary: Path, root: Path, checks: Checks, seed: int) -> None:
        self.binary, self.root, self.checks = binary, root, checks
        self.rng = random.Random(seed)
        self.world = make(root, self.rng, 120, n_branches=2)
        self.good = root / "good"
        self.good.mkdir()
        self.home = root / "home"
        for branch in ("side1", "main"):
            self.world.switch(branch)
            Command(binary, self.world.path, self.good, LONG_MS).call("cl_refresh")

    def fresh_home(self) -> Path:
        """Returns the folder of the repository in a new copy of the good data directory."""
        shutil.rmtree(self.home, ignore_errors=True)
        shutil.copytree(self.good, self.home)
        (folder,) = (self.home / "repos").iterdir()
        return folder

    def call(self, tool: str, before: tuple[str, ...] = (), home: Path | None = None, **arguments: object) -> Reply:
        command = Command(self.binary, self.world.path, home or self.home, LONG_MS, before)
        return command.call(tool, **arguments)

    def right(self, when: str, n: int = 6, before: tuple[str, ...] = ()) -> bool:
        """Checks answers against the truth."""
        state = self.world.state
        ok = True
        for question in self.rng.sample(every_question(state, 4, self.rng), n):
            reply = question.ask(Asker(self, before))
            is_right = not reply.is_error and reply.value["freshness"] == "fresh" and question.shown(reply) == question.truth(state)
            ok &= self.checks.that(f"{when}: {question} is right", is_right, reply.value)
        return ok

    def whole(self, when: str) -> None:
        doctor = self.call("cl_doctor")
        self.checks.that(f"{when}: the index is whole afterwards", doctor.value.get("integrityOk"), doctor.value)

    def pointer_of(self, folder: Path) -> Path:
        return folder / (self.call("cl_current", home=self.good).value["indexId"] + ".json")

    # Damaged files.

    def damages(self, n_rounds: int) -> None:
        """Each file of the index that is checked out, in each way."""
        for kind in ("db", "json", "write", "open", "repo", "wal", "shm"):
            for way in (cut_anywhere, cut_to_nothing, blank_tail, blank_pages, garbage_pages, garbage, foreign_text, foreign_database,
                        removed, directory):
                if not n_rounds and self.rng.random() > 0.3:
                    continue
                for n in range(max(1, n_rounds) if way in (cut_anywhere, blank_tail, blank_pages, garbage_pages) else 1):
                    folder = self.fresh_home()
                    pointer = self.pointer_of(folder)
                    build = f"{pointer.stem}.{json.loads(pointer.read_text(encoding='utf-8'))['build']}"
                    path = folder / {"db": f"{build}.db", "open": f"{build}.open", "json": pointer.name, "repo": "repo.json",
                                     "write": f"{pointer.stem}.write", "wal": f"{build}.db-wal", "shm": f"{build}.db-shm"}[kind]
                    if kind in ("wal", "shm"):
                        self.leave_a_log(path)
                    try:
                        way(path, self.rng)
                    except FileNotFoundError:
                        continue
                    when = f"{kind}, {way.__name__} {n}"
                    if self.rng.random() < 0.5:
                        self.world.edit()
                    if self.right(when):
                        self.whole(when)

    def leave_a_log(self, path: Path) -> None:
        """Kills a writer, so that a log with unmerged rows stays."""
        for _ in range(20):
            for known in sorted(self.world.state.files)[:70]:
                file = self.world.state.files[known]
                self.world.write(known, type(file)(file.number, self.world.versions.next()))
            process = subprocess.Popen([self.binary, "refresh"], cwd=self.world.path, env=environment(self.home),
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            for _ in range(2000):
                if path.exists() and path.stat().st_size > 100_000:
                    break
                time.sleep(0.0005)
            process.send_signal(signal.SIGKILL)
            process.wait()
            if path.exists() and path.stat().st_size > 0:
                return

    def versions(self) -> None:
        """Index files of another layout."""
        for version, is_newer in ((1, False), (99_999, True)):
            folder = self.fresh_home()
            pointer = self.pointer_of(folder)
            (database,) = folder.glob(f"{pointer.stem}.*.db")
            with sqlite3.connect(database) as connection:
                connection.execute(f"PRAGMA user_version = {version}")
            connection.close()
            if not is_newer:
                self.right("an older layout")
                self.whole("an older layout")
                continue
            reply = self.call("cl_search", query="base001")
            self.checks.equal("a newer layout is left alone, and said", reply.code, "newer_schema")
            self.checks.that("and its file stays", database.exists())
            self.checks.equal("a rebuild goes on from there",
                              self.call("cl_refresh", force=True).value.get("status"), "ready")
            self.right("after a newer layout")

    # What can't be written.

    def full_disk(self) -> None:
        """A disk that gets full while an index is built, brought up and rebuilt."""
        mount = self.root / "small"
        mount.mkdir()
        self.home = mount / "home"
        if not mounted(["-t", "tmpfs", "-o", "size=200k", "tmpfs", str(mount)]):
            return print("left out: a full disk, since nothing can be mounted here")
        try:
            self.home.mkdir()
            for n in range(3):
                reply = self.call("cl_refresh")
                self.checks.that(f"full disk, build {n}: an error of the disk", reply.code == "io", reply.value)
                reply = find("base001").ask(Asker(self))
                is_honest = reply.code == "io" or reply.value.get("freshness") != "fresh"
                self.checks.that(f"full disk, question {n}: not fresh, or an error", is_honest, reply.value)
            sizes = sum(path.stat().st_size for path in mount.rglob("*") if path.is_file())
            self.checks.that("a full disk is not filled with what failed", sizes < 300_000, sizes)
            subprocess.run(["mount", "-o", "remount,size=40m", str(mount)], check=True)
            self.right("when there is room again")
            self.whole("when there is room again")
            filler = mount / "filler"
            for n in range(3):
                filler.write_bytes(b"x" * (shutil.disk_usage(mount).free - self.rng.randrange(4096, 150_000)))
                for _ in range(8):
                    self.world.edit()
                for question in (find("base002"), callers(2), outline("known/d0")):
                    reply = question.ask(Asker(self))
                    is_fresh = reply.value.get("freshness") == "fresh"
                    self.checks.that(f"full while in use {n}: {question} is right or says that it can't be",
                                     (is_fresh and question.shown(reply) == question.truth(self.world.state))
                                     or reply.code == "io" or reply.value.get("freshness") == "unknown", reply.value)
                    if not reply.is_error and not is_fresh:
                        wrong = [claim for claim in question.claims(reply.value) if not claim(self.world.state)]
                        self.checks.that(f"full while in use {n}: {question} shows nothing wrong", not wrong, reply.value)
                self.call("cl_refresh", force=True)
                filler.unlink()
                self.right(f"room again {n}")
                self.whole(f"room again {n}")
        finally:
            subprocess.run(["umount", "-l", str(mount)], check=False)
            self.home = self.root / "home"

    def read_only(self) -> None:
        """A data directory and a repository that can be read only."""
        self.fresh_home()
        self.right("before it is read-only", 2)
        wrap = lambda path: ("unshare", "-m", "sh", "-c",  # noqa: E731
                             f'mount --bind "{path}" "{path}" && mount -o remount,ro,bind "{path}" && exec "$@"', "sh")
        if subprocess.run([*wrap(self.home), "true"], capture_output=True).returncode:
            print("left out: read-only places, since nothing can be mounted here")
        else:
            self.right("read-only data directory", 6, wrap(self.home))
            self.right("read-only repository", 6, wrap(self.world.path))
            self.world.edit()
            self.stale_but_honest("read-only data directory and an edit", wrap(self.home))
            self.right("read-only repository and an edit", 6, wrap(self.world.path))
            empty = self.root / "empty"
            empty.mkdir()
            reply = self.call("cl_search", wrap(empty), empty, query="base001")
            self.checks.that("read-only and empty: an error that tells what to do",
                             reply.code == "io" and reply.value["error"]["hint"], reply.value)
        as_nobody = ("setpriv", "--reuid", "65534", "--clear-groups")
        os.chmod(self.root, 0o755)
        if subprocess.run([*as_nobody, "true"], capture_output=True).returncode or os.geteuid():
            return print("left out: another user, since this one can't become it")
        subprocess.run(["chmod", "-R", "a+rX,go-w", str(self.root)], check=True)
        self.right("before it is another's", 2)
        self.right("another's data directory", 4, as_nobody)
        self.world.edit()
        self.stale_but_honest("another's data directory and an edit", as_nobody)
        self.right("and its owner goes on", 2)
        # Permission to a folder and a file is lost, and comes back.
        mine = self.root / "mine"
        mine.mkdir()
        shutil.chown(mine, 65534)
        ask = lambda question: question.ask(Asker(self, as_nobody, mine))  # noqa: E731
        self.checks.equal("another's repository", ask(find("base001")).value.get("freshness"), "fresh")
        # The folders of a data directory that was restored are one's own, the files in them are another's.
        for mode in (0o600, 0o644):
            for path in mine.rglob("*"):
                if path.is_file():
                    shutil.chown(path, 0)
                    path.chmod(mode)
            when = f"files of another user, mode {mode:o}"
            self.checks.equal(when, ask(find("base001")).value.get("freshness"), "fresh")
            reply = self.call("cl_refresh", as_nobody, mine)
            self.checks.equal(f"{when}: refresh", reply.value.get("status"), "ready")
            doctor = self.call("cl_doctor", as_nobody, mine)
            self.checks.that(f"{when}: whole", doctor.value.get("integrityOk"), doctor.value)
        (self.world.path / "known/d1").chmod(0o700)
        reply = ask(outline("known/d0"))
        self.checks.that("a folder that can't be listed: not fresh", reply.value.get("freshness") == "unknown", reply.value)
        (self.world.path / "known/d1").chmod(0o755)
        reply = ask(outline("known/d1"))
        self.checks.equal("and again it can", outline("known/d1").shown(reply), outline("known/d1").truth(self.world.state))

    def stale_but_honest(self, when: str, before: tuple[str, ...]) -> None:
        for question in (callers(1), outline("known/d0"), outline("known/d1"), find("base003")):
            reply = question.ask(Asker(self, before))
            if not self.checks.that(f"{when}: {question} is answered", not reply.is_error, reply.value):
                continue
            wrong = [claim for claim in question.claims(reply.value) if not claim(self.world.state)]
            self.checks.that(f"{when}: {question} shows nothing wrong", not wrong, reply.value)
            self.checks.that(f"{when}: {question} is not called fresh", reply.value["freshness"] == "unknown", reply.value)

    def clocks(self) -> None:
        """Times of files in the future and the past, of sources and of the data directory."""
        folder = self.fresh_home()
        self.right("before the clock jumps", 2)
        for shift in (3600 * 24 * 400, -3600 * 24 * 400):
            when = time.time() + shift
            for path in folder.iterdir():
                os.utime(path, (when, when))
            for path in self.rng.sample(sorted(self.world.state.files), 30):
                os.utime(self.world.path / path, (when, when))
            self.right(f"times moved by {shift} s", 4)
            for path in self.rng.sample(sorted(self.world.state.files), 5):
                file = self.world.state.files[path]
                self.world.write(path, type(file)(file.number, self.world.versions.next()), "quietly")
                os.utime(self.world.path / path, (when, when))
            self.right(f"edits at times moved by {shift} s", 6)
        self.whole("after the clock jumped")
        self.checks.equal("a refresh", self.call("cl_refresh").value.get("status"), "ready")


class Asker:
    """A client that asks behind another command, or in another data directory."""

    def __init__(self, faults: Faults, before: tuple[str, ...] = (), home: Path | None = None) -> None:
        self.faults, self.before, self.home = faults, before, home

    def call(self, tool: str, **arguments: object) -> Reply:
        return self.faults.call(tool, self.before, self.home, **arguments)


def mounted(words: list[str]) -> bool:
    return subprocess.run(["mount", *words], capture_output=True).returncode == 0


# Ways to damage a file.

def cut_anywhere(path: Path, rng: random.Random) -> None:
    os.truncate(path, rng.randrange(max(1, path.stat().st_size)))


def cut_to_nothing(path: Path, rng: random.Random) -> None:
    os.truncate(path, 0)


def blank_tail(path: Path, rng: random.Random) -> None:
    size = path.stat().st_size
    at = rng.randrange(max(1, size))
    with open(path, "r+b") as file:
        file.seek(at)
        file.write(b"\0" * (size - at))


def _pages(path: Path, rng: random.Random, made) -> None:
    n_pages = path.stat().st_size // 4096
    if n_pages < 2:
        raise FileNotFoundError
    with open(path, "r+b") as file:
        for at in rng.sample(range(1, n_pages), max(1, n_pages // 10)):
            file.seek(at * 4096)
            file.write(made())


def blank_pages(path: Path, rng: random.Random) -> None:
    _pages(path, rng, lambda: b"\0" * 4096)


def garbage_pages(path: Path, rng: random.Random) -> None:
    _pages(path, rng, lambda: rng.randbytes(4096))


def garbage(path: Path, rng: random.Random) -> None:
    path.stat()
    path.write_bytes(rng.randbytes(max(50, path.stat().st_size)))


def foreign_text(path: Path, rng: random.Random) -> None:
    path.stat()
    path.write_text("this is somebody else's\n", encoding="utf-8")


def foreign_database(path: Path, rng: random.Random) -> None:
    path.unlink()
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE meta(key TEXT, value TEXT)")
    connection.close()


def removed(path: Path, rng: random.Random) -> None:
    path.unlink()


def directory(path: Path, rng: random.Random) -> None:
    path.unlink()
    path.mkdir()
    (path / "content").write_text("mine", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", required=True, type=Path, help="the built codelens")
    parser.add_argument("--rounds", type=int, default=3, help="how often each random damage is done to each file; 0: a third of them, once")
    parser.add_argument("--seed", type=int, default=1, help="for what is left to chance")
    parser.add_argument("--only", help="the part of this name")
    args = parser.parse_args()
    checks = Checks()
    with tempfile.TemporaryDirectory(prefix="codelens-faults-") as folder:
        faults = Faults(args.binary.resolve(), Path(folder).resolve(), checks, args.seed)
        parts = {"damages": lambda: faults.damages(args.rounds), "versions": faults.versions, "full_disk": faults.full_disk,
                 "read_only": faults.read_only, "clocks": faults.clocks}
        checks.run(parts, args.only)
    checks.end()


if __name__ == "__main__":
    main()
