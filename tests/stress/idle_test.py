"""What a server costs when nobody asks, and how it ends.

    python3 tests/stress/idle_test.py --binary target/release/codelens --repo DIR [--large DIR]

After some questions and a rest it must not wake up at all and hold little memory, and it must end soon after its input
closes, also while it refreshes a large repository. DIR is copied; times are printed, and only those with a wide margin
are checked. Linux only: reads /proc.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "harness"))

from checks import Checks  # noqa: E402
from product import Command, Server  # noqa: E402

MAX_RESIDENT_KB = 25 * 1024
QUESTIONS = (("cl_search", {"query": "create renderer"}), ("cl_search", {"query": "README"}), ("cl_map", {"limit": 50}),
             ("cl_related", {"path": "package.json"}), ("cl_impact", {"path": "package.json"}), ("cl_current", {}), ("cl_stats", {}))


def resident_kb(pid: int) -> tuple[int, int]:
    """Returns what is in memory, and what of it belongs to the process alone."""
    status = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines() if ":" in line)
    kb = lambda key: int(status[key].split()[0])  # noqa: E731
    return kb("VmRSS"), kb("RssAnon")


def runs(pid: int) -> dict[str, int]:
    """Returns how often each thread was given a processor. Exact where clock ticks are a matter of chance: a thread that
    runs for some microseconds may be the one that a whole tick is booked on."""
    switches = {}
    for thread in Path(f"/proc/{pid}/task").iterdir():
        lines = (thread / "status").read_text().splitlines()
        switches[thread.name] = sum(int(line.split()[1]) for line in lines if "ctxt_switches:" in line)
    return switches


def closed_after(server: Server) -> float:
    begun = time.monotonic()
    server.process.stdin.close()
    server.process.wait(20)
    return time.monotonic() - begun


def copy_of(repo: Path, to: Path) -> Path:
    subprocess.run(["cp", "-a", str(repo), str(to)], check=True)
    return to


def rest(checks: Checks, binary: Path, repo: Path, home: Path, seconds: float, more: tuple = ()) -> None:
    """A server that was asked something and then nothing."""
    home.mkdir()
    Command(binary, repo, home).call("cl_refresh")
    server = Server(binary, repo, home)
    for tool, arguments in (*QUESTIONS, *QUESTIONS, *more):
        reply = server.call(tool, **arguments)
        checks.that(f"{tool} is answered", not reply.is_error, reply.value)
    time.sleep(seconds)
    pid = server.process.pid
    before = runs(pid)
    time.sleep(5)
    checks.equal("runs of each thread, five idle seconds later", runs(pid), before)
    all_kb, own_kb = resident_kb(pid)
    print(f"idle: {all_kb} KiB resident, {own_kb} KiB of its own")
    checks.that("under 25 MB resident", all_kb < MAX_RESIDENT_KB, all_kb)
    took = closed_after(server)
    print(f"ends {took * 1000:.0f} ms after its input closed")
    checks.that("it ends soon", took < 3 and server.process.returncode == 0, (took, server.process.returncode))


def while_it_works(checks: Checks, binary: Path, repo: Path, root: Path) -> None:
    """A server whose client leaves during a refresh, at several moments."""
    for n, delay in enumerate((0.05, 0.5, 2)):
        home = root / f"busy{n}"
        home.mkdir()
        server = Server(binary, repo, home)
        server.begin("cl_refresh")
        time.sleep(delay)
        took = closed_after(server)
        print(f"ends {took * 1000:.0f} ms after its input closed, {delay} s into a refresh")
        checks.that("it ends soon, also during a refresh", took < 3, took)
        checks.that("and what it did is whole", Command(binary, repo, home).call("cl_doctor").value.get("integrityOk"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", required=True, type=Path, help="the built codelens")
    parser.add_argument("--repo", required=True, type=Path, help="a git repository")
    parser.add_argument("--large", type=Path, help="another one for the refresh that is left")
    parser.add_argument("--rest", type=float, default=20, help="how many seconds nobody asks before it is looked at")
    args = parser.parse_args()
    if not os.path.exists("/proc/self/stat"):
        sys.exit("left out: there is no /proc here")
    checks = Checks()
    with tempfile.TemporaryDirectory(prefix="codelens-idle-") as folder:
        root = Path(folder).resolve()
        binary = args.binary.resolve()
        repo = copy_of(args.repo, root / "repo")
        rest(checks, binary, repo, root / "home", args.rest)
        print("after a rebuild by the server itself:")
        rest(checks, binary, repo, root / "home2", args.rest, (("cl_refresh", {"force": True}), *QUESTIONS))
        while_it_works(checks, binary, copy_of(args.large, root / "large") if args.large else repo, root)
    checks.end()


if __name__ == "__main__":
    main()
