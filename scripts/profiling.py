#!/usr/bin/env python3
"""Where the processor time of a build, of a switch and of questions goes, room by room.

    scripts/profile REPO [--binary FILE] [--before FILE] [--write FILE]

Takes samples with `perf` (Linux; Debian: linux-perf) of a binary with frame pointers, which is built where none is given. A sample
belongs to the room of the crate whose function is nearest to its top, and in it to the library that this function called. With
`--before`, another such binary does the same work in turns with the first. REPO stays as it is.
"""

from __future__ import annotations

import argparse
import collections
import datetime
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "harness"))

import bench_repo  # noqa: E402
from bench_questions import Sample  # noqa: E402
from product import Command, Server  # noqa: E402

ROOT = Path(__file__).resolve().parents[1]
HERTZ = 1000
ROOM = re.compile(r"\bcodelens(?:\[[0-9a-f]+\])?::([a-z_]+)::")
LIBRARIES = {
    "SQLite": re.compile(r"sqlite3|fts5"),
    "tree-sitter": re.compile(r"ts_|tree_sitter"),
    "git": re.compile(r"_?<?gix"),
    "zstd": re.compile(r"ZSTD|HUF_|FSE_"),
    "hashing": re.compile(r"_?<?blake3"),
}
N_FUNCTIONS = 8
N_QUESTIONS = 60
AWAY = 50


@dataclass
class Profile:
    """Samples by room and library, and by function."""

    rooms: collections.Counter = field(default_factory=collections.Counter)
    functions: collections.Counter = field(default_factory=collections.Counter)

    def add(self, stack: list[tuple[str, str]]) -> None:
        """Counts one sample: functions with the files they are in, the running one first."""
        room, library = "(start, waiting, threads)", "itself"
        for name, _ in stack:
            found = ROOM.search(name)
            if found:
                room = found[1]
                break
            if library == "itself":
                library = next((known for known, begins in LIBRARIES.items() if begins.match(name)), library)
        if "kernel" in stack[0][1]:
            library = "the system" if library == "itself" else f"the system for {library}"
        self.rooms[room, library] += 1
        self.functions[stack[0][0]] += 1

    def ms(self) -> float:
        return sum(self.rooms.values()) * 1000 / HERTZ


def read(data: Path) -> Profile:
    """Reads what perf recorded."""
    profile, stack = Profile(), []
    line = ["perf", "script", "--no-inline", "-F", "ip,sym,dso", "-i", data]
    with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, errors="replace") as script:
        for text in script.stdout:
            found = re.match(r"\s+[0-9a-f]+ (.*) \((.*)\)$", text)
            if found:
                stack.append((found[1], found[2]))
            elif stack:
                profile.add(stack)
                stack = []
    if stack:
        profile.add(stack)
    if not profile.rooms:
        raise SystemExit(f"perf recorded nothing in {data}: is /proc/sys/kernel/perf_event_paranoid above 2?")
    return profile


class Recorder:
    """One binary with a data directory of its own, and perf around it where it is measured."""

    def __init__(self, name: str, binary: Path, bench: bench_repo.Bench, folder: Path) -> None:
        self.name, self.binary, self.bench, self.folder = name, binary.resolve(), bench, folder
        self.home, self.data = folder / f"home-{name}", folder / f"{name}.data"
        self.perf = ("perf", "record", "--quiet", "-F", str(HERTZ), "-e", "cpu-clock", "--call-graph", "fp", "-o", str(self.data))

    def command(self, measured: bool) -> Command:
        return Command(self.binary, self.bench.path, self.home, 600_000, self.perf if measured else (), CODELENS_HOUSEKEEPING="0")

    def build(self) -> Profile:
        self.command(measured=True)("refresh", "--force")
        return read(self.data)

    def switch(self) -> Profile:
        """The first answer on a branch that has no index yet."""
        self.bench.switch("here")
        shutil.rmtree(self.home, ignore_errors=True)
        self.command(measured=False)("refresh")
        self.bench.switch(self.bench.away[AWAY])
        self.command(measured=True)("search", "where is the session validated")
        self.bench.switch("here")
        return read(self.data)

    def questions(self) -> Profile:
        self.command(measured=False)("refresh")
        start = self.folder / "start"
        start.write_text(f"#!/bin/sh\nexec {' '.join(self.perf)} {self.binary} \"$@\"\n", encoding="utf-8")
        start.chmod(0o755)
        sources = [path for path in self.bench.git("ls-files").splitlines() if path.endswith(bench_repo.SOURCES)]
        asking = Server(self.binary, self.bench.path, self.home)
        sample = Sample(asking, self.bench, sources, N_QUESTIONS, 1)
        asking.close()
        server = Server(start, self.bench.path, self.home)
        for n in range(len(sample)):
            server.call("cl_search", query=sample.question(n))
        server.process.stdin.close()
        server.process.wait(60)
        return read(self.data)


def table(now: Profile, before: Profile | None) -> list[str]:
    """Returns the lines of a table, the largest first."""
    ms = lambda profile, key: profile.rooms[key] * 1000 / HERTZ  # noqa: E731
    lines = ["| room | in | " + ("before, ms | " if before else "") + "ms | share |", "|---|---|" + ("--:|" if before else "") + "--:|--:|"]
    for key, _ in now.rooms.most_common():
        share = ms(now, key) / now.ms()
        if share >= 0.01:
            earlier = f"{ms(before, key):.0f} | " if before else ""
            lines.append(f"| {key[0]} | {key[1]} | {earlier}{ms(now, key):.0f} | {share:.0%} |")
    earlier = f"{before.ms():.0f} | " if before else ""
    lines.append(f"| all | | {earlier}{now.ms():.0f} | 100% |")
    shown = [f"`{name}` {n * 1000 / HERTZ / now.ms():.0%}" for name, n in now.functions.most_common(N_FUNCTIONS)]
    return [*lines, "", "Functions that ran most: " + ", ".join(shown) + "."]


def built() -> Path:
    """Builds the binary with frame pointers, in a directory of its own."""
    target = ROOT / "target/frames"
    flags = "-fno-omit-frame-pointer"
    env = os.environ | {"RUSTFLAGS": "-C force-frame-pointers=yes", "CFLAGS": flags, "CXXFLAGS": flags}
    line = ["cargo", "build", "--locked", "--profile", "profiling", "--bin", "codelens", "--target-dir", target]
    subprocess.run(line, cwd=ROOT, env=env, check=True)
    return target / "profiling/codelens"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("repo", type=Path, metavar="REPO", help="a clone; it stays as it is")
    parser.add_argument("--binary", type=Path, help="a binary with frame pointers; built if not given")
    parser.add_argument("--before", type=Path, help="an older one to compare with")
    parser.add_argument("--write", type=Path, metavar="FILE", help="where the page goes; standard output if not given")
    parser.add_argument("--directory", type=Path, help="where to make the temporary directory")
    args = parser.parse_args()
    if not shutil.which("perf"):
        raise SystemExit("there is no `perf` here: install it (Debian: linux-perf), then run this again")
    binary = args.binary or built()
    with tempfile.TemporaryDirectory(prefix="codelens-profile-", dir=args.directory) as name:
        folder = Path(name).resolve()
        bench = bench_repo.copy_of(args.repo.resolve(), folder / args.repo.resolve().name, (AWAY,))
        recorders = {"now": Recorder("now", binary, bench, folder)}
        if args.before:
            recorders["before"] = Recorder("before", args.before, bench, folder)
        lines = [f"# Where the time goes: {bench.name}", "",
                 f"`scripts/profile` on {bench.name} at {bench.commit[:10]}, {datetime.date.today()}, {os.cpu_count()} cores. Processor time by "
                 f"samples, {HERTZ} a second, of the room whose function is nearest to the top, and what it called.", *bench.notes]
        parts = {"A full build": Recorder.build, f"The first answer {AWAY} files away": Recorder.switch,
                 f"{N_QUESTIONS} questions to a server, detection included": Recorder.questions}
        for title, part in parts.items():
            if part is Recorder.switch and AWAY not in bench.away:
                continue
            found = {which: part(recorder) for which, recorder in recorders.items()}
            lines += ["", f"## {title}", "", *table(found["now"], found.get("before"))]
    page = "\n".join(lines) + "\n"
    if args.write:
        args.write.write_text(page, encoding="utf-8")
    else:
        print(page, end="")


if __name__ == "__main__":
    main()
