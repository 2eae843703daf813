#!/usr/bin/env python3
"""Measures how often the first results of `cl_search` hold the wanted file, by class of answer, and writes `src/search/confidence.json`.

    python3 scripts/search_confidence.py --binary PATH --corpus CLONE[:BACK] … --held-out CLONE[:BACK] … [--write FILE]

Each clone is asked about its own next commits, as `measure_search.py` does it (BACK commits before the newest, 600 unless said), and for half as many of its own
definitions: by name, in another case style, with a letter left out, by two words of the name. The wanted file is one that the commit changed, or the one of the
definition. The class of an answer is told by its first result: `name` (the question is its name), else the share of the question that it covers. Each clone is also
asked the questions of the next one, to which nothing is a right answer. The figures of `--held-out` clones go into the file beside the others, and into no answer.
What answers say is the figure of the class; the classes other than `name` share one where the 95 % interval of each of them holds the figure of all of them.
Nothing is written into the clones.
"""

from __future__ import annotations

import argparse
import datetime
import json
import random
import re
import shutil
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "harness"))

from measure_search import asked_of, git, is_source, questions, tree_at  # noqa: E402
from product import Server  # noqa: E402

# The least share of a class, by its name; `name` is told by the reason of the first result.
CLASSES = {"name": 1.0, "all": 1.0, "most": 0.66, "some": 0.33, "few": 0.0}
FIRST = (1, 5, 20)
N_COMMITS = 120
NAME_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
NAME = re.compile(r"^[A-Za-z_$][\w$]{2,}$")


def definitions(server: Server) -> list[tuple[str, str]]:
    """Returns the names of functions, classes, methods and interfaces in sources, with their paths, in a fixed random order."""
    found, cursor = [], {}
    while len(found) < 20_000:
        page = asked_of(server, "cl_map", kind=["function", "class", "method", "interface"], limit=500, **cursor).value
        found += [(it["name"], it["path"]) for it in page["symbols"] if is_source(it["path"]) and NAME.match(it["name"])]
        if "nextCursor" not in page:
            break
        cursor = {"cursor": page["nextCursor"]}
    random.Random(1).shuffle(found)
    return found


def lookups(server: Server, n_wanted: int) -> list[dict]:
    """Returns questions for definitions: two in five by name, the others in another style, with a letter left out, or by two words."""
    draw = random.Random(2)
    found = []
    for name, path in definitions(server):
        parts = [part.lower() for part in NAME_PARTS.findall(name)]
        kind = len(found) % 5
        if kind < 2:
            query = name
        elif kind == 2 and len(parts) > 1:
            query = draw.choice("_- ").join(parts)
        elif kind == 3 and len(name) > 6:
            at = draw.randrange(1, len(name) - 1)
            query = name[:at] + name[at + 1 :]
        elif kind == 4 and len(parts) > 2:
            at = draw.randrange(len(parts) - 1)
            query = " ".join(parts[at : at + 2])
        else:
            continue
        found.append({"query": query, "gold": [path]})
        if len(found) == n_wanted:
            break
    return found


def class_of(results: list[dict]) -> str | None:
    """Returns the class of an answer; none where it is empty."""
    if not results:
        return None
    score = results[0]["score"]
    if "exact" in results[0]["why"] and score >= CLASSES["name"]:
        return "name"
    return next(name for name, least in CLASSES.items() if name != "name" and score >= least)


def measure(binary: Path, corpora: list[tuple[Path, int]]) -> tuple[list[dict], dict[str, list[tuple[bool, ...]]], dict[str, int]]:
    """Returns what was measured, whether the first results were right by class, and the foreign questions by class."""
    told, own, foreign = [], {name: [] for name in CLASSES}, dict.fromkeys(CLASSES, 0)
    servers, asked = [], []
    with tempfile.TemporaryDirectory() as folder:
        for at, (repo, back) in enumerate(corpora):
            place = Path(folder) / str(at)
            place.mkdir()
            base, of_commits = questions(repo, back, N_COMMITS, "HEAD")
            tree_at(repo, base, place / "tree")
            server = Server(binary, place / "tree", place / "home")
            asked_of(server, "cl_refresh")
            servers.append(server)
            asked.append(of_commits + lookups(server, len(of_commits) // 2))
            told.append({"name": repo.name, "commit": git(place / "tree", "rev-parse", "HEAD").strip(), "questions": len(asked[-1])})
        for at, server in enumerate(servers):
            for question in asked[at]:
                results = asked_of(server, "cl_search", query=question["query"], limit=max(FIRST), snippet="none").value["results"]
                if name := class_of(results):
                    own[name].append(tuple(any(it["path"] in question["gold"] for it in results[:k]) for k in FIRST))
            for question in asked[(at + 1) % len(asked)]:
                results = asked_of(server, "cl_search", query=question["query"], limit=1, snippet="none").value["results"]
                if name := class_of(results):
                    foreign[name] += 1
            server.close()
    return told, own, foreign


def figures(rows: list[tuple[bool, ...]]) -> dict:
    """Returns the shares of one class."""
    shares = [round(sum(row[at] for row in rows) / len(rows), 2) if rows else None for at in range(len(FIRST))]
    return {"samples": len(rows), **dict(zip(("first", "five", "twenty"), shares, strict=True))}


def said(own: dict[str, list[tuple[bool, ...]]]) -> dict[str, list[float]]:
    """Returns what answers say by class: the shares of the class, or those that the classes other than `name` have in common."""
    share = lambda rows, at: sum(row[at] for row in rows) / max(1, len(rows))  # noqa: E731
    words = [rows for name, rows in own.items() if name != "name"]
    pooled = [row for rows in words for row in rows]
    found = {name: [] for name in own}
    for at in range(len(FIRST)):
        common = share(pooled, at)
        holds = lambda rows: abs(share(rows, at) - common) <= 1.96 * (common * (1 - common) / max(1, len(rows))) ** 0.5  # noqa: E731
        is_common = all(holds(rows) for rows in words)
        for name, rows in own.items():
            found[name].append(round(min(0.99, common if is_common and name != "name" else share(rows, at)), 2))  # never certain
    return found


def corpus(text: str) -> tuple[Path, int]:
    path, _, back = text.partition(":")
    return Path(path), int(back or 600)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--binary", default="codelens", help="the program to measure (default: codelens on the path)")
    parser.add_argument("--corpus", type=corpus, action="append", required=True, help="a clone with history, with :N commits back")
    parser.add_argument("--held-out", type=corpus, action="append", required=True, help="another one, whose figures are shown beside")
    parser.add_argument("--write", type=Path, help="the file to write (default: print it)")
    asked_for = parser.parse_args()
    if not (binary := shutil.which(asked_for.binary)):
        raise SystemExit(f"no program {asked_for.binary}; name it with --binary")
    corpora, own, foreign = measure(Path(binary).resolve(), asked_for.corpus)
    held_out, others, _ = measure(Path(binary).resolve(), asked_for.held_out)
    values = said(own)
    classes = [
        {"class": name, "from": least, "values": values[name], **figures(own[name]), "foreign": foreign[name], "heldOut": figures(others[name])}
        for name, least in CLASSES.items()
    ]
    table = {"date": datetime.date.today().isoformat(), "corpora": corpora, "heldOut": held_out, "classes": classes}
    text = json.dumps(table, indent=2) + "\n"
    if asked_for.write:
        asked_for.write.write_text(text)
    else:
        print(text, end="")


if __name__ == "__main__":
    sys.exit(main())
