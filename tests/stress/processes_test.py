"""Many processes on one repository that changes under them: every answer is checked against what was on the disk.

    python3 tests/stress/processes_test.py --binary target/release/codelens [--seconds 20] [--processes 8] [--repo DIR]

Servers and single commands ask, others refresh and rebuild without end, while one actor edits, commits, amends,
resets and switches branches; a linked work tree has servers and an actor of its own. First one server works
alone, then all; both rates are printed, and nothing timed is checked. Needs Python 3.11 and git, nothing else.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import threading
import time
import traceback
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "harness"))

from checks import Checks  # noqa: E402
from judge import Judge  # noqa: E402
from known_repo import World, add_worktree, make  # noqa: E402
from product import Command, Reply, Server  # noqa: E402
from questions import Standing, any_question, every_question  # noqa: E402


class Scene:
    """The processes, the actors, and what is to be checked."""

    def __init__(self, args: argparse.Namespace, root: Path, checks: Checks) -> None:
        self.args, self.root = args, root
        self.home = root / "home"
        self.home.mkdir()
        self.judge = Judge(checks)
        self.world = make(root, random.Random(args.seed), args.files, args.repo)
        self.tree = add_worktree(self.world, root / "tree", random.Random(args.seed + 1))
        self.stop = threading.Event()
        self.times: dict[str, list[float]] = {}
        self.max_log_bytes = 0
        self.max_files = 0

    def server(self, world: World, name: str) -> Server:
        return Server(self.args.binary, world.path, self.home, log=self.root / f"{name}.log")

    def asks(self, who: str, client, world: World, rng: random.Random) -> None:
        """Asks without end."""
        taken = self.times.setdefault(who, [])
        while not self.stop.is_set():
            question = any_question(world, rng)
            reply = question.ask(client)
            taken.append(reply.ended - reply.begun)
            self.judge.answer(who, world, question, reply)
        client.close()

    def refreshes(self, who: str, client, world: World, force: bool) -> None:
        """Brings the index up without end."""
        taken = self.times.setdefault(who, [])
        while not self.stop.is_set():
            reply: Reply = client.call("cl_refresh", **({"force": True} if force else {}))
            taken.append(reply.ended - reply.begun)
            self.judge.that(f"{who} is no error", not reply.is_error, reply.value)
            if not reply.is_error:
                value = reply.value
                eras = world.eras_in(reply.begun, reply.ended)
                is_there = any(Standing.is_of(value, era.state) for era in eras)
                self.judge.that(f"{who} is of a state that was there", is_there, value)
                self.judge.key(value["indexId"], world, value["branch"], value["headSha"])
            self.stop.wait(0.2)

    def looks(self, who: str, client, world: World, rng: random.Random) -> None:
        """Asks what is said of the index itself, and watches the data directory."""
        while not self.stop.is_set():
            for tool in ("cl_stats", "cl_doctor"):
                reply = client.call(tool)
                self.judge.that(f"{who}: {tool} is no error", not reply.is_error, reply.value)
                if tool == "cl_doctor" and not reply.is_error:
                    self.judge.that(f"{who}: integrity", reply.value["integrityOk"], reply.value)
            self.watch()
            self.stop.wait(0.5)

    def watch(self) -> None:
        names = list((self.home / "repos").rglob("*"))
        self.max_files = max(self.max_files, len(names))
        for path in names:
            if path.name.endswith("-wal"):
                try:
                    self.max_log_bytes = max(self.max_log_bytes, path.stat().st_size)
                except FileNotFoundError:
                    pass

    def acts(self, world: World, rng: random.Random, branches: list[str]) -> None:
        """Changes the work tree without end."""
        while not self.stop.is_set():
            act = rng.choices(
                (world.edit, lambda: world.add(self.args.files), world.delete, world.move, world.commit,
                 lambda: world.commit(amend=True), lambda: world.switch(rng.choice(branches)), world.back),
                (10, 2, 2, 2, 3, 1, 4, 1))[0]
            act()
            if rng.random() < 0.1:
                world.check()
            self.stop.wait(self.args.pace * rng.choice((0, 0.05, 0.3, 1.0)))

    def phase(self, seconds: float, n_processes: int) -> tuple[float, float]:
        """Lets so many processes work; returns answers a second, and steps of the actors a second."""
        self.stop.clear()
        self.times = {}
        seeds = random.Random(self.args.seed * 1000 + n_processes)
        rng = lambda: random.Random(seeds.random())  # noqa: E731
        world, tree = self.world, self.tree
        command = lambda where: Command(self.args.binary, where.path, self.home)  # noqa: E731
        roles = [
            lambda who: self.asks(who, self.server(world, who), world, rng()),
            lambda who: self.asks(who, self.server(tree, who), tree, rng()),
            lambda who: self.asks(who, self.server(world, who), world, rng()),
            lambda who: self.asks(who, command(world), world, rng()),
            lambda who: self.refreshes(who, command(world), world, force=False),
            lambda who: self.refreshes(who, command(world), world, force=True),
            lambda who: self.asks(who, self.server(tree, who), tree, rng()),
            lambda who: self.looks(who, self.server(world, who), world, rng()),
        ]
        names = ["server", "tree server", "server 2", "command", "refresh", "refresh --force", "tree server 2", "watcher"]
        wanted = [(f"{names[n % 8]} of {n_processes}" + (f" ({n // 8})" if n >= 8 else ""), roles[n % 8])
                  for n in range(n_processes)]
        actors = [("actor", lambda _: self.acts(world, rng(), ["main", "side1", "side2"]))]
        if n_processes > 1:
            actors.append(("tree actor", lambda _: self.acts(tree, rng(), [f"tree-{tree.path.name}"])))
        before = world.n_steps + tree.n_steps
        threads = [threading.Thread(target=self.guard, args=(name, run)) for name, run in wanted + actors]
        begun = time.monotonic()
        for thread in threads:
            thread.start()
        self.stop.wait(seconds)
        self.stop.set()
        took = time.monotonic() - begun
        for thread in threads:
            thread.join()
        n_answers = sum(len(taken) for who, taken in self.times.items() if "refresh" not in who)
        for who, taken in sorted(self.times.items()):
            taken.sort()
            if taken:
                print(f"  {who}: {len(taken)} calls, median {taken[len(taken) // 2] * 1000:.0f} ms, "
                      f"99% {taken[len(taken) * 99 // 100] * 1000:.0f} ms, longest {taken[-1] * 1000:.0f} ms")
        return n_answers / took, (world.n_steps + tree.n_steps - before) / took

    def guard(self, who: str, run) -> None:
        try:
            run(who)
        except Exception as error:  # noqa: BLE001
            self.judge.that(f"{who} goes through", False, f"{error}\n{traceback.format_exc()[-1500:]}")
            self.stop.set()

    def settled(self) -> None:
        """When all is quiet, everything is fresh and right, and nothing is left over."""
        for world in (self.world, self.tree):
            world.check()
            client = self.server(world, "last")
            for question in every_question(world.state, 20, random.Random(1)):
                reply = question.ask(client)
                for _ in range(5):
                    if reply.value.get("freshness") == "fresh":
                        break
                    time.sleep(0.5)
                    reply = question.ask(client)
                self.judge.that(f"when all is quiet, {question} is fresh", reply.value.get("freshness") == "fresh", reply.value)
                self.judge.answer("last", world, question, reply)
            client.close()
            command = Command(self.args.binary, world.path, self.home)
            self.judge.that("the last refresh", command.call("cl_refresh").value.get("status") == "ready", None)
        (folder,) = (self.home / "repos").iterdir()
        pointers = {path.name for path in folder.glob("idx_*.json")}
        builds = [path.name for path in folder.glob("*.db")]
        orphans = [name for name in builds if name.split(".")[0] + ".json" not in pointers]
        # A server keeps the last four indexes open. What was built anew or pruned meanwhile stays as long as it is open, and is swept by
        # the housekeeping that finds it closed and ten minutes old: so there may be some, but no more than can have been open.
        n_open = 4 * self.args.processes
        self.judge.that("builds do not pile up", len(builds) <= len(pointers) + n_open,
                        {"builds": len(builds), "indexes": len(pointers), "orphans": orphans})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", required=True, type=Path, help="the built codelens")
    parser.add_argument("--repo", type=Path, help="a repository whose files are put beside the known ones")
    parser.add_argument("--seconds", type=float, default=20, help="how long all work at once")
    parser.add_argument("--processes", type=int, default=8, help="how many work at once")
    parser.add_argument("--files", type=int, default=150, help="how many known files there are")
    parser.add_argument("--pace", type=float, default=1, help="0 lets the actors change things without a pause")
    parser.add_argument("--seed", type=int, default=1, help="for what is left to chance")
    args = parser.parse_args()
    args.binary = args.binary.resolve()
    checks = Checks()
    with tempfile.TemporaryDirectory(prefix="codelens-processes-") as folder:
        scene = Scene(args, Path(folder).resolve(), checks)
        print(f"{len(scene.world.state.files)} known files, seed {args.seed}")
        Command(args.binary, scene.world.path, scene.home).call("cl_refresh")
        alone, steps = scene.phase(args.seconds / 4, 1)
        print(f"one process: {alone:.1f} answers/s ({steps:.1f} steps/s)")
        together, steps = scene.phase(args.seconds, args.processes)
        print(f"{args.processes} processes: {together:.1f} answers/s ({steps:.1f} steps/s)")
        scene.settled()
        scene.judge.end()
        print(f"the longest write-ahead log: {scene.max_log_bytes >> 10} KiB; most files: {scene.max_files}")
        print(", ".join(f"{name}: {n}" for name, n in sorted(scene.judge.counts.items())))
    checks.end()


if __name__ == "__main__":
    main()
