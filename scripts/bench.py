#!/usr/bin/env python3
"""What building, following and asking an index costs, each beside a floor that was measured in the same run.

    python3 scripts/bench.py REPO… [--json FILE] [--write docs/benchmarks.md] [--copies N] [--binary FILE] [--quick]

Builds the release binary and `examples/parse_floor.rs`, then works on shared clones of the repositories, in a
temporary directory and with a data directory of its own; nothing is written into REPO. Prints a table as Markdown;
`--json` also writes all samples, `--write` puts the table between the marks `<!-- bench -->` of a document. With
`--copies` each repository is measured as N copies of itself in one, whose packages have other names in each (71 of
vuejs/core are 50,000 files).

The floors: the same source files read and parsed with tree-sitter and nothing else (by one thread for processor time,
by as many as the build has for the clock), `git --no-optional-locks status`, and a plain copy of the index. Commands
run in turns with their floors, and a figure is the median. No time is checked. Linux, Python 3.11 and git.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import re
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "harness"))

import bench_repo  # noqa: E402
import bench_table  # noqa: E402
from bench_questions import TOOLS, Sample  # noqa: E402
from measures import Cost, cost_of, cpu_s_of, figure, in_turns, resident_bytes, spread  # noqa: E402
from product import Command, Server, environment  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
# So long after it is written, the time of a file proves what is in it.
SETTLED_S = 2.5
LATER_S = 2
# A server that holds much begins anew when nobody asked for 15 s.
IDLE_S = 18
LOOKED = re.compile(r"looked for changes.*elapsed_us=(\d+)")


class Run:
    """One repository under measurement: its work tree, its full index, and the floors."""

    def __init__(self, args: argparse.Namespace, bench: bench_repo.Bench, root: Path) -> None:
        self.args, self.bench, self.root = args, bench, root
        self.home = root / "home"
        self.figures: dict[str, dict] = {}
        self.floors: dict[str, list[float]] = {}
        self.times = 2 if args.quick else args.times

    # What is run.

    def product(self, *words: str, home: Path | None = None) -> Cost:
        return cost_of([self.args.binary, *words, "--json"], self.bench.path, environment(home or self.home))

    def server(self, home: Path | None = None) -> Server:
        return Server(self.args.binary, self.bench.path, home or self.home)

    def parsing(self, paths: list[str], n_threads: int = 1) -> Cost:
        return cost_of([self.args.floor, self.bench.path, str(n_threads)], self.bench.path, given="\n".join(paths))

    def status(self) -> Cost:
        return cost_of(["git", "--no-optional-locks", "status", "--porcelain"], self.bench.path, bench_repo.environment())

    def copying(self) -> Cost:
        return cost_of(["cp", "--reflink=never", self.index(), self.root / "copied"], self.root)

    def index(self) -> Path:
        """Returns the file of the largest index."""
        return max(self.home.glob("repos/*/idx_*.db"), key=lambda path: path.stat().st_size)

    def copied_home(self) -> Path:
        home = self.root / "copied-home"
        shutil.rmtree(home, ignore_errors=True)
        shutil.copytree(self.home, home)
        self.product("refresh", home=home)
        return home

    def note(self, name: str, samples: list[float], floor: str | None = None, **more: object) -> None:
        self.figures[name] = figure(samples, self.floors.get(floor), floor) | more

    # What is measured.

    def everything(self) -> dict:
        time.sleep(SETTLED_S)
        for part in (self.build, self.starts, self.sample, self.latencies, self.system_calls, self.edits, self.switches, self.idle):
            begun = time.monotonic()
            part()
            print(f"{self.bench.name}: {part.__name__} in {time.monotonic() - begun:.0f} s", file=sys.stderr, flush=True)
        return {"name": self.bench.name, "commit": self.bench.commit, "files": self.n_files, "sourceFiles": len(self.sources),
                "indexedBytes": self.n_bytes, "notes": self.bench.notes, "figures": self.figures,
                "floors": {name: figure(samples) for name, samples in self.floors.items()}}

    def build(self) -> None:
        self.product("refresh")
        with sqlite3.connect(f"file:{self.index()}?mode=ro", uri=True) as db:
            rows = db.execute("SELECT path, size, language FROM file WHERE skip IS NULL").fetchall()
        self.sources = sorted(path for path, _, language in rows if language in ("typescript", "tsx", "javascript"))
        self.n_files, self.n_bytes = len(rows), sum(size for _, size, _ in rows)
        n_threads = min(os.cpu_count() or 1, 8)

        def from_nothing() -> Cost:
            shutil.rmtree(self.home)
            return self.product("refresh")

        costs = in_turns(self.times, parse=lambda: self.parsing(self.sources), build=from_nothing,
                         threads=lambda: self.parsing(self.sources, n_threads), copy=self.copying, status=self.status)
        self.floors |= {
            "parsing": [cost.cpu_s for cost in costs["parse"]], "parsing with all threads": [cost.wall_s for cost in costs["threads"]],
            "copy of the index": [cost.wall_s for cost in costs["copy"]], "indexed text": [self.n_bytes],
        }
        built = costs["build"]
        self.note("build.cpu", [cost.cpu_s for cost in built], "parsing")
        self.note("build.wall", [cost.wall_s for cost in built], "parsing with all threads")
        self.note("build.parallel", [cost.cpu_s / cost.wall_s for cost in built])
        self.note("build.peak", [cost.peak_bytes for cost in built if cost.peak_bytes] or [0])
        self.note("index.bytes", [self.index().stat().st_size], "indexed text")

    def starts(self) -> None:
        """A process that begins with an index that is there, and nothing changed."""
        word = Path(self.sources[len(self.sources) // 2]).stem if self.sources else "readme"
        self.question = word

        def hello() -> Cost:
            begun = time.monotonic()
            server = self.server()
            took = time.monotonic() - begun
            cpu_s = cpu_s_of(server.process.pid)
            server.close()
            return Cost(took, cpu_s, None, "")

        costs = in_turns(self.times * 4, status=self.status, search=lambda: self.product("search", word), hello=hello,
                         nothing=lambda: cost_of([self.args.binary, "--version"], self.root))
        self.floors |= {"git status": [cost.wall_s for cost in costs["status"]],
                        "git status, CPU": [cost.cpu_s for cost in costs["status"]],
                        "a process that does nothing": [cost.wall_s for cost in costs["nothing"]]}
        self.note("start.command", [cost.wall_s for cost in costs["search"]], "git status")
        self.note("start.command.cpu", [cost.cpu_s for cost in costs["search"]], "git status, CPU")
        self.note("start.server", [cost.wall_s for cost in costs["hello"]], "a process that does nothing")

    def sample(self) -> None:
        server = self.server()
        self.asked = Sample(server, self.bench, self.sources, 10 if self.args.quick else self.args.samples, self.args.seed)
        server.close()

    def latencies(self) -> None:
        """Calls of a server that is warm; all tools in turns, and git between them. What of a call was the look for changes
        stands in the server's log."""
        log = self.root / "calls.log"
        server = Server(self.args.binary, self.bench.path, self.home, log=log, CODELENS_LOG="codelens::reconcile=debug")
        said = open(log, encoding="utf-8")
        times: dict[str, list[float]] = {tool: [] for tool in TOOLS}
        beside: dict[str, list[float]] = {tool: [] for tool in TOOLS}
        looking, floor = [], []
        n_samples = len(self.asked)
        for n in range(-3, n_samples):
            for tool in TOOLS:
                reply = server.call(f"cl_{tool}", **self.asked.arguments(tool, n % n_samples))
                if reply.is_error:
                    raise SystemExit(f"{self.bench.name}: cl_{tool} failed: {reply.value}")
                looks = [int(us) / 1e6 for us in LOOKED.findall(said.read())]
                if n < 0:
                    continue
                times[tool].append(reply.ended - reply.begun)
                # None: the answer rests on the watch. More than one: the server looked on its own meanwhile, and which was the
                # call's is not known.
                if len(looks) <= 1:
                    beside[tool].append(times[tool][-1] - sum(looks))
                    looking.append(sum(looks))
            if n % 5 == 0:
                floor.append(self.status().wall_s)
        said.close()
        server.close()
        if any(len(beside[tool]) < n_samples / 2 for tool in TOOLS):
            raise SystemExit(f"{self.bench.name}: the server's log does not tell how long it looked for changes: {log.read_text()[-500:]}")
        self.floors["git status, in turns with calls"] = floor
        self.note("call.looking", looking, "git status, in turns with calls", **spread(looking))
        for tool in TOOLS:
            self.note(f"call.{tool}", times[tool], "git status, in turns with calls", **spread(times[tool]), beside=spread(beside[tool]))
        for name in ("looking", *TOOLS):
            # Hundreds of times tell nothing that their spread does not.
            del self.figures[f"call.{name}"]["samples"]

    def edits(self) -> None:
        """One changed file, and the question right after."""
        path = self.bench.path / self.sources[len(self.sources) // 3]
        before = path.read_bytes()
        home = self.copied_home()
        number = iter(range(1, 1000))

        def change() -> None:
            with open(path, "a", encoding="utf-8") as file:
                file.write(f"\nexport function addedByBench{next(number)}() {{\n  return 1\n}}\n")

        change()
        self.floors["git status, one file changed, CPU"] = [self.status().cpu_s for _ in range(self.times)]
        commands = [self.first_and_later(change, None, home) for _ in range(self.times)]
        server = self.server(home)
        self.first_and_later(change, server, home)
        asked = [self.first_and_later(change, server, home) for _ in range(self.times)]
        server.close()
        path.write_bytes(before)
        time.sleep(SETTLED_S)
        self.answers("edit.command", commands, "git status, one file changed, CPU")
        self.answers("edit.server", asked, "git status, one file changed, CPU")

    def switches(self) -> None:
        """Another branch and back: the first question after each, and one some seconds later."""
        for size, branch in self.bench.away.items():
            kept: dict[str, list[dict]] = {}
            for _ in range(self.times):
                for who in ("command", "server"):
                    home = self.copied_home()
                    server = self.server(home) if who == "server" else None
                    if server:
                        server.call("cl_search", query=self.question)
                    for way, to in (("away", branch), ("back", "here")):
                        found = self.first_and_later(lambda to=to: self.bench.switch(to), server, home)
                        kept.setdefault(f"{way}{size}.{who}", []).append(found)
                        if way == "away":
                            differ = [path for path in self.bench.differ[size] if (self.bench.path / path).is_file()]
                            below = (self.parsing(differ).cpu_s, self.copying().cpu_s, self.status().cpu_s)
                            floor = f"parsing of {len(differ)} files, copy, git status"
                            self.floors.setdefault(floor, []).append(sum(below))
                    if server:
                        server.close()
            for name, found in kept.items():
                self.answers(name, found, floor if name.startswith("away") else "git status, CPU")

    def first_and_later(self, change: Callable[[], None], server: Server | None, home: Path) -> dict:
        """Changes something and asks; returns what the first answer and one after some seconds were."""
        command = Command(self.args.binary, self.bench.path, home)
        cpu_before = cpu_s_of(server.process.pid) if server else 0.0
        begun = time.monotonic()
        change()
        change_s = time.monotonic() - begun

        def ask() -> tuple[float, dict, float]:
            if server:
                reply = server.call("cl_search", query=self.question)
                return reply.ended - reply.begun, reply.value, cpu_s_of(server.process.pid) - cpu_before
            cost = cost_of(command.line("search", self.question, "--json"), self.bench.path, command.env)
            return cost.wall_s, json.loads(cost.output), cost.cpu_s

        wall_s, first, first_cpu_s = ask()
        time.sleep(LATER_S)
        _, later, later_cpu_s = ask()
        if not server:
            # Nothing goes on between two commands; what is still to do is done here, so that all has been paid.
            rest_s = 0.0 if later["freshness"] == "fresh" else self.product("refresh", home=home).cpu_s
            # The second question is no part of the change if it found nothing to do.
            later_cpu_s = first_cpu_s + (0.0 if first["freshness"] == "fresh" else later_cpu_s) + rest_s
        return {"wall_s": wall_s, "cpu_s": later_cpu_s, "change_s": change_s, "first": first["freshness"],
                "pending": first.get("pendingFiles") or 0, "reason": first.get("freshnessReason"), "later": later["freshness"]}

    def answers(self, name: str, found: list[dict], floor: str) -> None:
        one = lambda key: [answer[key] for answer in found]  # noqa: E731
        self.note(f"{name}.wall", one("wall_s"), None, first=one("first"), pending=one("pending"), reason=one("reason"), later=one("later"),
                  changed=round(statistics.median(one("change_s")), 6))
        self.note(f"{name}.cpu", one("cpu_s"), floor, ofBuild=round(
            statistics.median(one("cpu_s")) / self.figures["build.cpu"]["median"], 4))

    def system_calls(self) -> None:
        """What a question asks of the system when nothing changed since the last one, where `strace` is there to count it."""
        if not shutil.which("strace"):
            return
        server = self.server()
        calls = {tool: self.asked.arguments(tool, 0) for tool in ("map", "search", "related", "impact")}
        rests_on_watch = lambda: server.call("cl_map", **calls["map"]).value.get("proof") == "watch"  # noqa: E731
        for _ in range(100):
            if rests_on_watch():
                break
            time.sleep(0.1)
        for tool, arguments in calls.items():
            # Once to read what is kept from then on.
            server.call(f"cl_{tool}", **arguments)
            reply, names = traced(server.process.pid, self.root / "trace", lambda: server.call(f"cl_{tool}", **arguments))  # noqa: B023
            if reply.value.get("proof") == "watch":
                stats = [name for name in names if "stat" in name]
                self.note(f"system.{tool}", [len(names)], None, stats=len(stats))
        server.close()

    def idle(self) -> None:
        """Memory of servers that nobody asks any more, once they gave back what work took."""
        for name, home, builds in (("idle.asked", self.home, False), ("idle.built", self.root / "built-home", True)):
            home.mkdir(exist_ok=True)
            server = self.server(home)
            if builds:
                server.call("cl_refresh")
            for n in range(min(10, len(self.asked))):
                for tool in TOOLS:
                    server.call(f"cl_{tool}", **self.asked.arguments(tool, n))
            time.sleep(IDLE_S)
            everything, own = resident_bytes(server.process.pid)
            server.close()
            self.note(name, [everything], own=own)


def traced(pid: int, log: Path, ask: Callable[[], object]) -> tuple[object, list[str]]:
    """Asks while a process is traced; returns the answer and the names of the system calls that it made."""
    tracer = subprocess.Popen(["strace", "-f", "-p", str(pid), "-o", log], stderr=subprocess.DEVNULL)
    time.sleep(1)
    reply = ask()
    time.sleep(0.3)
    tracer.terminate()
    tracer.wait()
    return reply, re.findall(r"^\d+ +(\w+)\(", log.read_text(encoding="utf-8", errors="replace"), re.MULTILINE)


def built(args: argparse.Namespace) -> None:
    """Builds what is measured and its floor; a binary that was named stays as it is."""
    cargo = ["cargo", "build", "--release", "--locked", "--quiet", "--example", "parse_floor"]
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release"
    if args.binary is None:
        cargo += ["--bin", "codelens"]
        args.binary = target / "codelens"
    args.floor = args.floor or target / "examples/parse_floor"
    if args.binary == target / "codelens" or not args.floor.exists():
        subprocess.run(cargo, cwd=ROOT, check=True)
    args.binary, args.floor = args.binary.resolve(), args.floor.resolve()


def stripped_bytes(binary: Path, root: Path) -> int | None:
    """Returns the size of a binary without its symbols; None where there is no `strip`."""
    if not shutil.which("strip"):
        return None
    subprocess.run(["strip", "-o", root / "stripped", binary], check=True)
    return (root / "stripped").stat().st_size


def machine() -> dict:
    cpu = next((line.split(":", 1)[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines()
                if line.startswith("model name")), platform.machine())
    return {"cpu": cpu, "cores": os.cpu_count(), "system": platform.system(), "load": os.getloadavg()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("repos", nargs="+", type=Path, metavar="REPO", help="a clone; it stays as it is")
    parser.add_argument("--binary", type=Path, help="measure this one and build none")
    parser.add_argument("--floor", type=Path, help="a built examples/parse_floor")
    parser.add_argument("--copies", type=int, metavar="N", help="measure N copies of each repository in one")
    parser.add_argument("--times", type=int, default=5, help="how often to do what takes long (default 5)")
    parser.add_argument("--samples", type=int, default=100, help="how many calls of each tool (default 100)")
    parser.add_argument("--seed", type=int, default=1, help="which symbols and questions are asked for (default 1)")
    parser.add_argument("--quick", action="store_true", help="do each thing twice, to see that it works")
    parser.add_argument("--json", type=Path, metavar="FILE", help="where to write all figures")
    parser.add_argument("--write", type=Path, metavar="FILE", help="a document whose table is written anew")
    parser.add_argument("--directory", type=Path, help="where to make the temporary directory")
    args = parser.parse_args()
    built(args)
    if args.directory:
        Path(args.directory).mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="codelens-bench-", dir=args.directory) as folder:
        root = Path(folder).resolve()
        version = subprocess.run([args.binary, "--version"], capture_output=True, text=True, check=True).stdout.strip()
        found = {"date": datetime.date.today().isoformat(), "machine": machine(), "version": version,
                 "binaryBytes": stripped_bytes(args.binary, root), "repositories": []}
        for repo in args.repos:
            place = root / repo.resolve().name
            place.mkdir()
            source, tree = repo.resolve(), place / "repo"
            bench = bench_repo.of_copies(source, tree, args.copies) if args.copies else bench_repo.copy_of(source, tree)
            found["repositories"].append(Run(args, bench, place).everything())
            shutil.rmtree(place)
            found["machine"]["loadAtEnd"] = os.getloadavg()
            # After each, so that a long run that is ended has not been for nothing.
            if args.json:
                args.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    table = bench_table.of(found)
    print(table)
    if args.write:
        bench_table.put(table, args.write)


if __name__ == "__main__":
    main()
