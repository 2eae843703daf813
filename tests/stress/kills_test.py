"""Processes that are killed at any moment: the next call works without a person, and its answer is right.

    python3 tests/stress/kills_test.py --binary target/release/codelens [--kills 40] [--steps 3] [--seed 1]

Kills a first build, a build that starts from another index, the repair after many edits, a rebuild, a question's own
repair, and what removes and saves, at random times and (where strace is there) at each kind of write. After each kill
the index is checked by `doctor` and against the known truth, and nothing may pile up. Needs Python 3.11 and git.
"""

from __future__ import annotations

import argparse
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "harness"))

from checks import Checks  # noqa: E402
from known_repo import World, make  # noqa: E402
from product import Command, Server, environment  # noqa: E402
from questions import every_question, outline  # noqa: E402

WRITES = ("write", "pwrite64", "fsync", "fdatasync", "rename", "renameat2", "link", "linkat", "unlink", "unlinkat", "ftruncate",
          "openat", "mkdir", "flock")
LONG_MS = 60_000


class Kills:
    """A repository, a data directory that lives through all of it, and what is killed."""

    def __init__(self, binary: Path, root: Path, checks: Checks, seed: int) -> None:
        self.binary, self.root, self.checks = binary, root, checks
        self.rng = random.Random(seed)
        self.world: World = make(root, self.rng, 160, n_branches=3, n_differ=100)
        self.home = root / "home"
        self.home.mkdir()
        self.counts: Counter = Counter()
        self.durations: dict[str, float] = {}
        self.has_strace = shutil.which("strace") is not None
        help_text = subprocess.run([binary, "--help"], capture_output=True, text=True, check=True).stdout
        self.commands = set(re.findall(r"^  ([a-z]+) ", help_text, re.MULTILINE))
        self.command("refresh")
        self.saved = "save" in self.commands
        if self.saved:
            path = "known/d0/f000.ts"
            self.run("save", "kept", "--path", path, "--notes", "kept through all of it", "--pinned")

    def command(self, tool: str, **arguments: object):
        return Command(self.binary, self.world.path, self.home, LONG_MS).call(f"cl_{tool}", **arguments)

    def run(self, *words: str) -> None:
        subprocess.run([self.binary, *words], cwd=self.world.path, env=environment(self.home, LONG_MS), check=True,
                       capture_output=True)

    # What is killed: how the scene is set, and the command.

    def scenes(self) -> dict:
        world, rng = self.world, self.rng

        def first() -> list[str]:
            for index in list((self.home / "repos").glob("*/idx_*")):
                index.unlink()
            return rng.choice((["refresh"], ["search", "base001"]))

        def seeded() -> list[str]:
            world.edit()
            world.commit(amend=rng.random() < 0.3)
            return rng.choice((["refresh"], ["search", "base001"]))

        def many() -> list[str]:
            for path in rng.sample(sorted(world.state.files), 60):
                file = world.state.files[path]
                world.write(path, type(file)(file.number, world.versions.next()))
            return ["refresh"]

        def switch() -> list[str]:
            world.switch(rng.choice([name for name in ("main", "side1", "side2") if name != world.state.branch]))
            return rng.choice((["refresh"], ["search", "base001"]))

        def rebuild() -> list[str]:
            return ["refresh", "--force"]

        def question() -> list[str]:
            rng.choice((world.edit, world.delete, world.move, lambda: world.add(160)))()
            return rng.choice((["search", "base001"], ["impact", "base002"], ["map", "known/d1"]))

        scenes = {"first build": first, "seeded build": seeded, "many edits": many, "switch": switch, "rebuild": rebuild,
                  "question": question}
        if "prune" in self.commands:
            def prune() -> list[str]:
                world.edit()
                world.commit()
                self.command("refresh")
                return ["prune", "--older-than-days", "1", "--max-bytes", str(rng.choice((1, 10_000_000)))]

            scenes["prune"] = prune
        if "drop" in self.commands:
            def drop() -> list[str]:
                branch, here = rng.sample(("main", "side1", "side2"), 2)
                world.switch(branch)
                self.command("refresh")
                world.switch(here)
                self.command("refresh")
                return ["drop", "--branch", branch]

            scenes["drop"] = drop
        if self.saved:
            scenes["save"] = lambda: ["save", f"context {rng.randrange(9)}", "--path", "known/d1/f001.ts", "--notes", "x" * 3900]
        return scenes

    def start(self, words: list[str], before: list[str] = ()) -> subprocess.Popen:
        return subprocess.Popen([*before, self.binary, *words], cwd=self.world.path, env=environment(self.home, LONG_MS),
                                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def at_random(self, name: str, scene) -> None:
        """Kills it at a random time, as long as it took when it was not killed."""
        words = scene()
        begun = time.monotonic()
        process = self.start(words)
        if name in self.durations:
            time.sleep(self.rng.uniform(0, self.durations[name] * 1.1))
            process.send_signal(signal.SIGKILL)
        ended = process.wait()
        self.durations.setdefault(name, time.monotonic() - begun)
        self.counts[f"{name}: {'killed' if ended == -signal.SIGKILL else 'through'}"] += 1
        self.verify(f"{name} ({' '.join(words)})")

    def at_writes(self, name: str, scene, n_each: int) -> None:
        """Kills it at some of the places where it writes, of each kind."""
        log = self.root / "strace.log"
        self.start(scene(), ["strace", "-f", "-qq", "-o", str(log), "-e", f"trace={','.join(WRITES)}"]).wait()
        counted = Counter(re.findall(r"^\d+ +(\w+)\(", log.read_text(encoding="utf-8", errors="replace"), re.MULTILINE))
        for call in WRITES:
            n_calls = counted[call]
            # The last ones are those that make it count; the first ones those that begin.
            places = sorted({1, n_calls, *self.rng.sample(range(1, n_calls + 1), min(n_each, n_calls))}) if n_calls else []
            for at in places[:: max(1, len(places) // max(1, n_each))]:
                words = scene()
                ended = self.start(words, ["strace", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={call}",
                                           "-e", f"inject={call}:signal=KILL:when={at}"]).wait()
                killed = ended not in (0, 1, 2)
                self.counts[f"{name} at {call}: {'killed' if killed else 'through'}"] += 1
                self.verify(f"{name} ({' '.join(words)}) at {call} {at} of {n_calls}")

    def verify(self, when: str) -> None:
        """Checks what the next calls say."""
        that = self.checks.that
        doctor = self.command("doctor")
        that(f"{when}: the index is whole", not doctor.is_error and doctor.value.get("integrityOk"), doctor.value)
        server = Server(self.binary, self.world.path, self.home, LONG_MS, log=self.root / "log")
        state = self.world.state
        for question in self.rng.sample(every_question(state, 5, self.rng), 12):
            reply = question.ask(server)
            is_right = not reply.is_error and question.shown(reply) == question.truth(state)
            that(f"{when}: {question} is right", is_right and reply.value["freshness"] == "fresh", reply.value)
        server.close()
        if self.saved:
            kept = self.command("load", name="kept")
            that(f"{when}: the saved context is there", kept.value.get("context", {}).get("name") == "kept", kept.value)
        self.leftovers(when)

    def leftovers(self, when: str) -> None:
        for folder in (self.home / "repos").iterdir():
            names = [path.name for path in folder.iterdir()]
            pointers = {name[:-5] for name in names if name.startswith("idx_") and name.endswith(".json")}
            builds = [name for name in names if name.endswith(".db") and name.startswith("idx_")]
            drafts = [name for name in names if name.startswith(".")]
            self.checks.that(f"{when}: builds do not pile up", len(builds) <= len(pointers) + 6,
                             {"indexes": len(pointers), "builds": len(builds)})
            self.counts["most drafts"] = max(self.counts["most drafts"], len(drafts))
            self.counts["most builds above indexes"] = max(self.counts["most builds above indexes"], len(builds) - len(pointers))

    def last(self) -> None:
        """After all of it one refresh leaves one build for what is checked out."""
        self.checks.that("the last refresh", self.command("refresh").value.get("status") == "ready")
        index_id = self.command("current").value["indexId"]
        builds = [path.name for path in (self.home / "repos").glob(f"*/{index_id}.*.db")]
        self.checks.equal("one build is left of what is checked out", len(builds), 1)
        reply = outline("known/d0").ask(Command(self.binary, self.world.path, self.home, LONG_MS))
        self.checks.equal("and it is right", outline("known/d0").shown(reply), outline("known/d0").truth(self.world.state))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", required=True, type=Path, help="the built codelens")
    parser.add_argument("--kills", type=int, default=40, help="how many times something is killed at a random moment")
    parser.add_argument("--steps", type=int, default=3, help="how many places of each kind of write are tried in each scene")
    parser.add_argument("--only", help="scenes whose name holds this")
    parser.add_argument("--seed", type=int, default=1, help="for what is left to chance")
    args = parser.parse_args()
    checks = Checks()
    with tempfile.TemporaryDirectory(prefix="codelens-kills-") as folder:
        kills = Kills(args.binary.resolve(), Path(folder).resolve(), checks, args.seed)
        scenes = {name: scene for name, scene in kills.scenes().items() if not args.only or args.only in name}
        begun = time.monotonic()
        if kills.has_strace and args.steps:
            for name, scene in scenes.items():
                kills.at_writes(name, scene, args.steps)
        else:
            print("without strace: random moments only")
        names = list(scenes)
        for n in range(args.kills):
            name = names[n % len(names)]
            kills.at_random(name, scenes[name])
        kills.last()
        print(f"seed {args.seed}, {time.monotonic() - begun:.0f} s: "
              + ", ".join(f"{name} {n}" for name, n in sorted(kills.counts.items())))
    checks.end()


if __name__ == "__main__":
    main()
