#!/usr/bin/env python3
"""Checks packs of `cl_explore` on any git repository.

    python3 scripts/check_packs.py REPO [--binary PATH] [--questions 40] [--home DIR]

The questions are subjects of the last commits and names of definitions. Each is asked with every `include` within 500, 1000, 4000 and 12000 tokens.
Of each answer is checked: its bytes are within the budget and are the same when it is asked again; `tokens` is right and the sum of the parts and the overhead;
each text is the lines of its file; no line is there twice; and parts with what is omitted are as many, and the same as far as they are listed, for each budget.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from pathlib import Path

from measure_search import asked_of, git
from product import Server

BUDGETS = (500, 1000, 4000, 12000)
INCLUDE = ["source", "callers", "callees", "tests", "imports"]


def questions(server: Server, repo: Path, n: int) -> list[str]:
    """Returns subjects of commits and names of definitions, half each."""
    subjects = [line for line in git(repo, "log", "--format=%s", "--max-count=400").split("\n") if len(line.split()) > 3]
    files = asked_of(server, "cl_map", limit=200, budget=20000).value["files"]
    names = [symbol["name"] for file in files for symbol in file["symbols"]]
    half = n // 2
    return [*subjects[:: max(1, len(subjects) // half)][:half], *names[:: max(1, len(names) // (n - half))][: n - half]]


def places(entry: dict) -> set[tuple[str, str]]:
    """Returns the definitions of a part, or the omitted one."""
    return {(entry["path"], handle) for handle in (entry["handle"], *entry.get("also", []))}


def faults(repo: Path, value: dict, text: str, budget: int) -> list[str]:
    """Returns what is wrong with one answer."""
    found = []
    n_tokens = -(-len(text.encode()) // 4)
    parts = value["parts"]
    if n_tokens > budget or value["tokens"] != n_tokens:
        found.append(f"{n_tokens} tokens, {value['tokens']} said")
    if sum(part["tokens"] for part in parts) + value["overhead"] != value["tokens"]:
        found.append("the tokens do not add up")
    seen = set()
    for part in parts:
        first, last = map(int, part["lines"].split("-"))
        lines = (repo / part["path"]).read_bytes().decode(errors="replace").split("\n")
        exact = "\n".join(lines[first - 1 : last]) + ("\n" if last < len(lines) else "")
        if "text" in part and part["text"] != exact:
            found.append(f"{part['path']}:{part['lines']} is another text")
        for line in range(first, last + 1):
            if (part["path"], line) in seen:
                found.append(f"{part['path']}:{line} twice")
            seen.add((part["path"], line))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("repo", type=Path, help="a work tree")
    parser.add_argument("--binary", default="codelens", help="the program to check (default: codelens on the path)")
    parser.add_argument("--questions", type=int, default=40, help="questions (default 40)")
    parser.add_argument("--home", type=Path, help="a data directory to use (default: one that is removed)")
    asked_for = parser.parse_args()
    if not (binary := shutil.which(asked_for.binary)):
        raise SystemExit(f"no program {asked_for.binary}; name it with --binary")
    n_faults, times = 0, []
    with tempfile.TemporaryDirectory() as folder:
        server = Server(Path(binary).resolve(), asked_for.repo, asked_for.home or Path(folder) / "home")
        asked_of(server, "cl_refresh")
        asked = questions(server, asked_for.repo, asked_for.questions)
        for query in asked:
            union, n_all = set(), set()
            said = []
            for budget in BUDGETS:
                begun = time.monotonic()
                reply = asked_of(server, "cl_explore", query=query, include=INCLUDE, budget=budget)
                times.append((time.monotonic() - begun) * 1000)
                again = asked_of(server, "cl_explore", query=query, include=INCLUDE, budget=budget)
                value = reply.value
                said += [f"{budget}: {fault}" for fault in faults(asked_for.repo, value, reply.text, budget)]
                if reply.text != again.text:
                    said.append(f"{budget}: other bytes when asked again")
                n_all.add(sum(1 + len(part.get("also", [])) for part in value["parts"]) + value["omittedTotal"])
                listed = set().union(*(places(entry) for entry in value["parts"] + value["omitted"]))
                is_whole = len(value["omitted"]) == value["omittedTotal"]
                if (is_whole and not union <= listed) or (budget == BUDGETS[-1] and value["omittedTotal"] < 50 and not union <= listed):
                    said.append(f"{budget}: {len(union - listed)} are neither a part nor omitted")
                union |= listed
            if len(n_all) > 1:
                said.append(f"parts and omitted number {sorted(n_all)}")
            n_faults += len(said)
            for line in said:
                print(f"{query!r} {line}")
        server.close()
    times.sort()
    print(f"{len(asked)} questions, {len(times)} packs, {n_faults} faults; median {times[len(times) // 2]:.0f} ms, p95 {times[len(times) * 95 // 100]:.0f} ms")
    sys.exit(n_faults > 0)


if __name__ == "__main__":
    main()
