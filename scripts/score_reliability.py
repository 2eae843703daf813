#!/usr/bin/env python3
"""Measures how often the first result of `cl_search` is right, by its `score`.

    python3 scripts/score_reliability.py ONE TWO [--binary PATH] [--queries 120] [--back 600]

ONE and TWO are clones of repositories that have nothing in common. Each is asked about its own next commits, as
`measure_search.py` does it, and about those of the other, to which nothing is a right answer: a score that means
something must tell the two apart. Printed are, for each class of scores, the questions of its own, the share whose
first file is right, the foreign questions, and the share that is right of all. Nothing is written into the clones.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "harness"))

from measure_search import asked_of, questions, tree_at  # noqa: E402
from product import Server  # noqa: E402

CLASSES = (0.0, 0.2, 0.4, 0.6, 1.0)


def first_results(server: Server, asked: list[dict], is_own: bool) -> list[tuple[float, bool, bool]]:
    """Returns the score of each question's first result, whether that is right, and whether the question was of this repository."""
    rows = []
    for question in asked:
        results = asked_of(server, "cl_search", query=question["query"], limit=1).value["results"]
        score = results[0]["score"] if results else 0.0
        rows.append((score, is_own and bool(results) and results[0]["path"] in question["gold"], is_own))
    return rows


def table(rows: list[tuple[float, bool, bool]]) -> str:
    """Returns a line for each class of scores."""
    lines = ["score        own  right  foreign  right of all"]
    for low, high in zip(CLASSES, (*CLASSES[1:], 2.0), strict=True):
        own = [right for score, right, is_own in rows if low <= score < high and is_own]
        n_foreign = sum(low <= score < high and not is_own for score, _, is_own in rows)
        n_all = len(own) + n_foreign
        if n_all:
            of_own = f"{sum(own) / len(own):.2f}" if own else "-"
            lines.append(f"{low:.1f} to {min(high, 1.0):.1f} {len(own):>6} {of_own:>6} {n_foreign:>8} {sum(own) / n_all:>13.2f}")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("repos", type=Path, nargs=2, help="two clones with their history")
    parser.add_argument("--binary", default="codelens", help="the program to measure (default: codelens on the path)")
    parser.add_argument("--queries", type=int, default=120, help="questions at most from each (default 120)")
    parser.add_argument("--back", type=int, default=600, help="how many commits before the newest the index stands (default 600)")
    asked_for = parser.parse_args()
    if not (binary := shutil.which(asked_for.binary)):
        raise SystemExit(f"no program {asked_for.binary}; name it with --binary")
    of = [questions(repo, asked_for.back, asked_for.queries, "HEAD") for repo in asked_for.repos]
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for at, (repo, (base, own)) in enumerate(zip(asked_for.repos, of, strict=True)):
            place = Path(folder) / str(at)
            place.mkdir()
            tree_at(repo, base, place / "tree")
            server = Server(Path(binary).resolve(), place / "tree", place / "home")
            asked_of(server, "cl_refresh")
            rows += first_results(server, own, is_own=True)
            rows += first_results(server, of[1 - at][1], is_own=False)
            server.close()
    print(table(rows))


if __name__ == "__main__":
    sys.exit(main())
