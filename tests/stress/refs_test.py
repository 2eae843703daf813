"""Four servers ask eight refs while branches are switched, committed, amended and pruned: no wrong answer, no error.

    python3 tests/stress/refs_test.py --binary target/release/codelens [--seconds 20] [--seed 1]

Each commit has a function of its own name in one file. Every answer about a ref names the commit that it is of: it has to be one that
the ref led to while the call ran, and to list the functions that git has there. Then everything that no client should send as a ref, a
base, a head or `with` is sent. Needs Python 3.11 and git.
"""

from __future__ import annotations

import argparse
import random
import re
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "harness"))

from checks import Checks  # noqa: E402
from product import Command, Server  # noqa: E402

BRANCHES = ("main", "one", "two", "three", "four")
REFS = (*BRANCHES, "v1", "HEAD", "HEAD~1")
N_FILES = 40
REFUSED = ("invalid_argument", "path_not_found", "bad_cursor", "outside_repo", "protocol")


class Scene:
    """The repository, where each ref led over time, and the servers."""

    def __init__(self, args: argparse.Namespace, root: Path, checks: Checks) -> None:
        self.args, self.checks, self.home = args, checks, root / "home"
        self.repo = root / "repo"
        self.repo.mkdir()
        self.rng = random.Random(args.seed)
        self.stop = threading.Event()
        self.n_commits = self.n_answers = 0
        # What was said of which ref and when, judged when all steps are noted.
        self.said: list[tuple[str, str, float, float, str, set[str] | None]] = []
        self.lock = threading.Lock()
        # When a ref led to which commit: (from when, ref, commit).
        self.led: dict[str, list[tuple[float, str]]] = {ref: [] for ref in REFS}
        self.functions: dict[str, set[str]] = {}
        self.git("init", "-q", "-b", "main")
        for n in range(N_FILES):
            (self.repo / f"file{n}.ts").write_text(f"import {{ own }} from './own'\nexport function fixed{n}() {{ return own() }}\n")
        self.commit()
        # HEAD~1 is there whatever a branch is set back to.
        self.commit()
        self.git("tag", "v1")
        for branch in BRANCHES[1:]:
            self.git("branch", branch)
        self.commit()
        self.note()

    def git(self, *words: str) -> str:
        ran = subprocess.run(["git", "-c", "user.name=A", "-c", "user.email=a@example.org", *words], cwd=self.repo,
                             capture_output=True, text=True)
        if ran.returncode:
            raise RuntimeError(f"git {' '.join(words)}: {ran.stderr}")
        return ran.stdout

    def commit(self, *words: str) -> None:
        self.n_commits += 1
        path = self.repo / "own.ts"
        text = path.read_text() if path.exists() else "export function own() { return 1 }\n"
        path.write_text(text + f"export function made{self.n_commits}() {{ return {self.n_commits} }}\n")
        self.git("add", "-A")
        self.git("commit", "-q", "-m", f"commit {self.n_commits}", *words)

    def note(self) -> None:
        """Notes where each ref leads now."""
        now = time.monotonic()
        for ref in REFS:
            commit = self.git("rev-parse", f"{ref}^{{commit}}").strip()
            with self.lock:
                led = self.led[ref]
                if not led or led[-1][1] != commit:
                    led.append((now, commit))
            if commit not in self.functions:
                text = self.git("show", f"{commit}:own.ts")
                self.functions[commit] = set(re.findall(r"function (\w+)", text))

    def led_to(self, ref: str, begun: float, ended: float) -> set[str]:
        """Returns the commits that a ref may have led to in a time."""
        with self.lock:
            led = list(self.led[ref])
        # A step takes effect before it is noted.
        return {commit for at, (since, commit) in enumerate(led)
                if since - 5 <= ended and (at + 1 == len(led) or led[at + 1][0] >= begun)}

    def asks(self, seed: int) -> None:
        rng = random.Random(seed)
        server = Server(self.args.binary, self.repo, self.home, budget_ms=60_000)
        while not self.stop.is_set():
            ref = rng.choice(REFS)
            tool, arguments = rng.choice((
                ("cl_map", {"path": "own.ts", "all": True}),
                ("cl_search", {"query": "own", "path": "own.ts", "limit": 50}),
                ("cl_impact", {"symbol": "own"}),
                ("cl_changes", None),
            ))
            if tool == "cl_changes":
                other = rng.choice(REFS)
                self.changes(server, other, ref)
                continue
            reply = server.call(tool, ref=ref, **arguments)
            self.n_answers += 1
            if not self.checks.that(f"{tool} of {ref} is no error", not reply.is_error, reply.value):
                continue
            found = set(re.findall(r"\b(own|made\d+)\b", reply.text)) if tool == "cl_map" else None
            self.said.append((tool, ref, reply.begun, reply.ended, reply.value.get("headSha"), found))
        server.close()

    def changes(self, server: Server, base: str, head: str) -> None:
        reply = server.call("cl_changes", base=base, head=head, include=["body"], budget=20_000, limit=500)
        self.n_answers += 1
        if not self.checks.that(f"changes {base}..{head} is no error", not reply.is_error, reply.value):
            return
        old, new = (reply.value[side].get("sha") for side in ("base", "head"))
        if old in self.functions and new in self.functions:
            added = {row["symbol"] for row in reply.value["changes"] if row["change"] == "added"}
            removed = {row["symbol"] for row in reply.value["changes"] if row["change"] == "removed"}
            renamed = {(row["from"].get("symbol"), row["symbol"]) for row in reply.value["changes"] if row["change"] == "renamed"}
            gone, came = self.functions[old] - self.functions[new], self.functions[new] - self.functions[old]
            self.checks.equal(f"added {old[:9]}..{new[:9]}", added | {new for _, new in renamed}, came)
            self.checks.equal(f"removed {old[:9]}..{new[:9]}", removed | {old for old, _ in renamed}, gone)

    def acts(self) -> None:
        """Switches, commits, amends, resets, prunes."""
        prune = Command(self.args.binary, self.repo, self.home)
        while not self.stop.is_set():
            act = self.rng.randrange(10)
            if act < 4:
                self.git("switch", "-q", self.rng.choice(BRANCHES))
            elif act < 7:
                self.commit()
            elif act == 7:
                self.commit("--amend")
            elif act == 8:
                self.git("branch", "-f", self.rng.choice([it for it in BRANCHES if it != self.git("branch", "--show-current").strip()]), "v1")
            else:
                ran = prune.run("prune", "--json")
                self.checks.that("prune is no error", ran.returncode == 0, ran.stderr)
            self.note()
            self.stop.wait(self.rng.choice((0.0, 0.1, 0.4)))

    def guard(self, what: str, run, *words: object) -> None:
        with self.checks.part(what):
            run(*words)

    def run(self) -> None:
        threads = [threading.Thread(target=self.guard, args=(f"server {n}", self.asks, n)) for n in range(4)]
        threads.append(threading.Thread(target=self.guard, args=("actor", self.acts)))
        for thread in threads:
            thread.start()
        time.sleep(self.args.seconds)
        self.stop.set()
        for thread in threads:
            thread.join()
        for tool, ref, begun, ended, commit, found in self.said:
            self.checks.that(f"{tool} says a commit that {ref} led to", commit in self.led_to(ref, begun, ended), commit)
            if found is not None and commit in self.functions:
                self.checks.equal(f"the functions of {commit[:9]}", found, self.functions[commit])
        print(f"{self.n_answers} answers over {self.n_commits} commits")


def refused(scene: Scene, checks: Checks) -> None:
    """What no client should send is refused or harmless, and the server goes on."""
    server = Server(scene.args.binary, scene.repo, scene.home, budget_ms=60_000)
    odd = [1, True, [], {}, ["main"], "", " ", "-x", "--output=/etc/passwd", "main..one", "main...one", "^main", "nope", "HEAD~99999", "a" * 100_000,
           "main\0", "main\n", ":/text", "HEAD:own.ts", "@{-1}x", "\U0001f600", "../../etc", "0" * 40, "v1^{tree}"]
    for field in ("base", "head", "with", "path", "include", "cursor", "budget", "limit"):
        for value in [*odd, -1, 1.5, 10**30, [""], ["nope"], [1], ["worktrees"] * 1000, [{"a": 1}]]:
            reply = server.call("cl_changes", **{field: value})
            if reply.is_error:
                code = reply.code
                checks.that(f"cl_changes {field}={str(value)[:40]!r} is refused by a code", code in REFUSED, reply.value)
    for tool, arguments in (("cl_search", {"query": "own"}), ("cl_map", {}), ("cl_impact", {"symbol": "own"}), ("cl_related", {"path": "own.ts"}),
                            ("cl_explore", {"query": "own"}), ("cl_current", {}), ("cl_refresh", {}), ("cl_expand", {"path": "own.ts"})):
        for value in odd:
            reply = server.call(tool, ref=value, **arguments)
            what = f"{tool} ref={str(value)[:40]!r}"
            if checks.that(f"{what} is refused", reply.is_error, str(reply.value)[:300]):
                checks.that(f"{what} is refused by a code", reply.code in REFUSED, reply.value)
    checks.that("the server goes on", not server.call("cl_map", ref="main").is_error)
    server.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", type=Path, required=True)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    args.binary = args.binary.resolve()
    checks = Checks()
    with tempfile.TemporaryDirectory(prefix="codelens-refs-") as folder:
        scene = Scene(args, Path(folder).resolve(), checks)
        with checks.part("eight refs"):
            scene.run()
        with checks.part("odd input"):
            refused(scene, checks)
    checks.end()


if __name__ == "__main__":
    main()
