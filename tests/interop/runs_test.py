"""The history of ingests that codewell keeps, as runs: after a kill, a bad source and a good one; each next step works when it is pasted.

    python tests/interop/runs_test.py --binary target/release/codelens

A bundle stands for the archive that codewell takes in: a torn one, then a whole one.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "harness"))

from checks import Checks  # noqa: E402
from fixture_repo import FixtureRepo  # noqa: E402
from http_server import HttpServer  # noqa: E402

# What each field of an ingest of codewell is here; the others are told apart in the comment.
FIELDS = {
    "id": "id",
    "source_kind": "kind",
    "source_value": "source",
    "status": "status",
    "started_at": "startedMs",
    "finished_at": "finishedMs",
    "library_root": "repo",
}


class Machine:
    """A data directory, and the binary on its own PATH so that a pasted command finds it."""

    def __init__(self, binary: Path, root: Path) -> None:
        bin_dir = root / "bin"
        bin_dir.mkdir(parents=True)
        (bin_dir / "codelens").symlink_to(binary)
        self.env = {"PATH": f"{bin_dir}:{os.environ['PATH']}", "HOME": str(root), "CODELENS_HOME": str(root / "data")}

    def run(self, *words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(["codelens", *words], cwd=cwd, env=self.env, capture_output=True, text=True, timeout=120)

    def runs(self, *words: str) -> list[dict]:
        ran = self.run("runs", "--json", *words, cwd=Path("/"))
        return json.loads(ran.stdout)["runs"] if ran.returncode == 0 else []

    def paste(self, run: dict) -> bool:
        """Runs a next step as a person would, in another directory."""
        ran = subprocess.run(run["nextStep"], shell=True, cwd="/", env=self.env, capture_output=True, timeout=120)
        return ran.returncode == 0


def large(repo: FixtureRepo) -> None:
    for n in range(400):
        text = "".join(f"export function f{n}_{line}(a: number) {{ return a + {line} }}\n" for line in range(200))
        (repo.path / f"m{n}.ts").write_text(text, encoding="utf-8")
    repo.git("add", ".")
    repo.git("commit", "--quiet", "--message", "base")


def killed(checks: Checks, machine: Machine, repo: FixtureRepo) -> None:
    """A build that is killed reads as interrupted, never as running, and the next one says that it goes on with it."""
    process = subprocess.Popen(["codelens", "refresh"], cwd=repo.path, env=machine.env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    until = time.monotonic() + 60
    while not (seen := machine.runs()) and time.monotonic() < until:
        time.sleep(0.01)
    checks.equal("a build is running while it runs", [run["status"] for run in seen], ["running"])
    process.send_signal(signal.SIGKILL)
    process.wait()
    run = machine.runs()[0]
    checks.equal("after a kill it is interrupted", run["status"], "interrupted")
    checks.that("its next step works when it is pasted", machine.paste(run), run)
    newest = machine.runs()[0]
    checks.equal("the next one is done and goes on with it", (newest["status"], newest.get("continued")), ("done", run["id"]))
    checks.that("nothing is left to do then", "nextStep" not in newest, newest)
    for theirs, ours in FIELDS.items():
        checks.that(f"{theirs} is {ours}", newest.get(ours) is not None, newest)


def sources(checks: Checks, machine: Machine, repo: FixtureRepo, root: Path) -> None:
    """A torn source fails with its reason and a step that works; a whole one is taken in."""
    bundle = root / "base.bundle"
    made = machine.run("bundle", "export", str(bundle), cwd=repo.path)
    checks.equal("a bundle is made", made.returncode, 0)
    other = Machine(root / "m" / "bin" / "codelens", root / "o")
    torn = root / "torn.bundle"
    torn.write_bytes(bundle.read_bytes()[:-100])
    ran = other.run("bundle", "import", str(torn), cwd=repo.path)
    checks.equal("a torn one is refused", ran.returncode, 1)
    other.run("current", cwd=repo.path)
    if not other.runs():
        # Before the first index there is no place to note it; the second try has one.
        other.run("refresh", cwd=repo.path)
        other.run("bundle", "import", str(torn), cwd=repo.path)
    run = other.runs()[0]
    checks.equal("it failed", (run["kind"], run["source"], run["status"]), ("bundle", "torn.bundle", "failed"))
    checks.that("with code, message and hint", run["code"] and run["message"] and run["hint"], run)
    checks.that("its next step works when it is pasted", other.paste(run), run)
    checks.equal("a whole one is taken", other.run("bundle", "import", str(bundle), cwd=repo.path).returncode, 0)
    run = other.runs()[0]
    checks.equal("it is done", (run["kind"], run["status"], run["files"]), ("bundle", "done", 400))
    alone = other.runs("--id", str(run["id"]))
    checks.equal("one is found by its number", alone, [run])
    checks.equal("a limit holds", len(other.runs("--limit", "1")), 1)


def over_http(checks: Checks, binary: Path, machine: Machine, repo: FixtureRepo, root: Path) -> None:
    """`/api/ingest-history?limit=` is `/api/v1/runs?limit=`, with the same values."""
    with HttpServer(binary, "serve", "--http", "0", "--json", cwd=repo.path, env=machine.env, log=root / "log") as server:
        connection = server.connect()
        connection.request("GET", "/api/v1/runs?limit=2", headers=server.headers())
        answer = connection.getresponse()
        told = json.loads(answer.read())
        connection.close()
    checks.equal("the same runs", told["runs"], machine.runs("--limit", "2"))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", type=Path, required=True)
    binary = parser.parse_args().binary.resolve()
    checks = Checks()
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch).resolve()
        repo = FixtureRepo(root / "it's a repo")
        large(repo)
        machine = Machine(binary, root / "m")
        with checks.part("a kill"):
            killed(checks, machine, repo)
        with checks.part("sources"):
            sources(checks, machine, repo, root)
        with checks.part("over HTTP"):
            over_http(checks, binary, machine, repo, root)
    checks.end()


if __name__ == "__main__":
    main()
