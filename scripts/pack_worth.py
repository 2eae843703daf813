#!/usr/bin/env python3
"""Measures how much of the code that a change will touch is in a pack of `cl_explore`, beside whole files of the same budget.

    python3 scripts/pack_worth.py TREE QUESTIONS [--binary PATH] [--budgets 2000,4000,8000] [--home DIR]

TREE is a work tree at the commit that QUESTIONS stand before. QUESTIONS is a file of JSON (also packed with gzip): `{"queries": [{"query",
"gold_lines": [{"path", "start", "end"}]}]}`, where the gold lines are those of the functions that a later commit changed; questions without any are
left out, as are those whose `variant` is not `noscope`. For each budget are printed the share of the gold functions whose whole text is in the pack, as
the mean over questions and over all functions, the share of which any line is in it, and the same for the files of the best hits of `cl_search`, one after
the other until the budget is full, the last one cut. Nothing is written into TREE.
"""

from __future__ import annotations

import argparse
import gzip
import json
import shutil
import statistics
import sys
import tempfile
from pathlib import Path

from measure_search import asked_of
from product import Server

Ranges = dict[str, list[tuple[int, int]]]


def questions(file: Path) -> list[dict]:
    """Returns the questions that have gold lines."""
    packed = file.read_bytes()
    value = json.loads(gzip.decompress(packed) if file.suffix == ".gz" else packed)
    return [it for it in value["queries"] if it.get("gold_lines") and it.get("variant", "noscope") == "noscope"]


def of_pack(server: Server, query: str, budget: int) -> tuple[Ranges, int]:
    """Returns the lines whose text is in a pack, and the tokens of the answer."""
    reply = asked_of(server, "cl_explore", query=query, include=["source"], budget=budget)
    found: Ranges = {}
    for part in reply.value["parts"]:
        if "text" in part:
            first, last = part["lines"].split("-")
            found.setdefault(part["path"], []).append((int(first), int(last)))
    tokens = -(-len(reply.text.encode()) // 4)
    if tokens > budget:
        raise SystemExit(f"{tokens} tokens in a budget of {budget}: {query}")
    return found, tokens


def of_files(server: Server, tree: Path, query: str, budget: int) -> tuple[Ranges, int]:
    """Returns the lines of whole files of the best hits, as far as the budget goes."""
    results = asked_of(server, "cl_search", query=query, limit=50, snippet="none").value["results"]
    left, found = budget * 4, {}
    for path in dict.fromkeys(result["path"] for result in results):
        n_lines = 0
        for line in (tree / path).read_bytes().splitlines(keepends=True):
            if len(line) > left:
                left = 0
                break
            left -= len(line)
            n_lines += 1
        if n_lines:
            found[path] = [(1, n_lines)]
        if left <= 0:
            break
    return found, budget - left // 4


def shares(found: Ranges, gold: list[dict]) -> tuple[list[bool], list[bool]]:
    """Returns for each gold function whether its whole text was found, and whether any line of it was."""
    whole, some = [], []
    for one in gold:
        ranges = found.get(one["path"], [])
        lines = {line for first, last in ranges for line in range(max(first, one["start"]), min(last, one["end"]) + 1)}
        whole.append(len(lines) == one["end"] - one["start"] + 1)
        some.append(bool(lines))
    return whole, some


def row(name: str, budget: int, found: list[tuple[list[bool], list[bool]]], tokens: list[int]) -> str:
    """Returns a line of figures."""
    by_question = statistics.fmean(statistics.fmean(whole) for whole, _ in found)
    touched = statistics.fmean(statistics.fmean(some) for _, some in found)
    of_all = statistics.fmean(one for whole, _ in found for one in whole)
    return f"{name:<6} {budget:>6} {by_question:>9.3f} {of_all:>9.3f} {touched:>9.3f} {statistics.fmean(tokens):>8.0f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("tree", type=Path, help="a work tree at the commit that the questions stand before")
    parser.add_argument("questions", type=Path, help="a file of questions")
    parser.add_argument("--binary", default="codelens", help="the program to measure (default: codelens on the path)")
    parser.add_argument("--budgets", default="2000,4000,8000", help="tokens, with commas (default 2000,4000,8000)")
    parser.add_argument("--home", type=Path, help="a data directory to use (default: one that is removed)")
    asked_for = parser.parse_args()
    if not (binary := shutil.which(asked_for.binary)):
        raise SystemExit(f"no program {asked_for.binary}; name it with --binary")
    asked = questions(asked_for.questions)
    if not asked:
        raise SystemExit(f"no question of {asked_for.questions} has gold lines")
    with tempfile.TemporaryDirectory() as folder:
        server = Server(Path(binary).resolve(), asked_for.tree, asked_for.home or Path(folder) / "home")
        asked_of(server, "cl_refresh")
        print(f"{len(asked)} questions, {sum(len(it['gold_lines']) for it in asked)} functions")
        print("what   budget questions functions   touched   tokens")
        for budget in map(int, asked_for.budgets.split(",")):
            for name in ("pack", "files"):
                found, tokens = [], []
                for question in asked:
                    lines, n = (
                        of_pack(server, question["query"], budget)
                        if name == "pack"
                        else of_files(server, asked_for.tree, question["query"], budget)
                    )
                    found.append(shares(lines, question["gold_lines"]))
                    tokens.append(n)
                print(row(name, budget, found, tokens))
        server.close()


if __name__ == "__main__":
    sys.exit(main())
