"""What a process costs, and medians of it.

Processor time comes from the system's account of a process, never from a clock on the wall: on a machine that does other
things besides, only ratios of it between commands that ran in turns are worth comparing. Linux only.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Cost:
    """What one process took, its threads and waited-for children included, and what it printed."""

    wall_s: float
    cpu_s: float
    # None where it is below what this process itself had: the system counts from before the program began.
    peak_bytes: int | None
    output: str


def cost_of(line: list[str | Path], cwd: Path, env: dict[str, str] | None = None, given: str = "") -> Cost:
    """Runs a command line that must not fail."""
    with tempfile.TemporaryFile("w+") as stdin, tempfile.TemporaryFile("w+") as errors:
        stdin.write(given)
        stdin.seek(0)
        begun = time.monotonic()
        process = subprocess.Popen(line, cwd=cwd, env=env, stdin=stdin, stdout=subprocess.PIPE, stderr=errors, text=True)
        output = process.stdout.read()
        _, status, used = os.wait4(process.pid, 0)
        wall_s = time.monotonic() - begun
        process.returncode = os.waitstatus_to_exitcode(status)
        process.stdout.close()
        if process.returncode:
            errors.seek(0)
            raise SystemExit(f"{' '.join(map(str, line))} ended with {process.returncode}: {errors.read()[-500:]}")
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return Cost(wall_s, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024 if used.ru_maxrss > own else None, output)


def in_turns(n: int, **commands: Callable[[], Cost]) -> dict[str, list[Cost]]:
    """Runs all commands n times, one after the other, so that each sees the same of what else the machine does."""
    costs: dict[str, list[Cost]] = {name: [] for name in commands}
    for _ in range(n):
        for name, command in commands.items():
            costs[name].append(command())
    return costs


def cpu_s_of(pid: int) -> float:
    """Returns the processor time of a running process, its ended threads included."""
    return time.clock_gettime((~pid << 3) | 2)


def resident_bytes(pid: int) -> tuple[int, int]:
    """Returns what of a running process is in memory, and what of that belongs to it alone."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    status = dict(line.split(":", 1) for line in lines if ":" in line)
    of = lambda key: int(status[key].split()[0]) * 1024  # noqa: E731
    return of("VmRSS"), of("RssAnon")


def figure(samples: list[float], floor: list[float] | None = None, of: str | None = None) -> dict:
    """Returns the median of samples, and how many times that of its floor `of` it is."""
    value = statistics.median(samples)
    found = {"median": round(value, 6), "samples": [round(sample, 6) for sample in samples]}
    if floor:
        below = statistics.median(floor)
        found |= {"ratio": round(value / below, 3) if below else None, "floor": of}
    return found


def spread(samples: list[float]) -> dict:
    """Returns the 50th, 95th and 99th percentile."""
    ranked = sorted(samples)
    at = lambda share: round(ranked[min(len(ranked) - 1, int(len(ranked) * share))], 6)  # noqa: E731
    return {"p50": at(0.5), "p95": at(0.95), "p99": at(0.99), "n": len(ranked)}
