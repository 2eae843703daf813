#!/usr/bin/env python3
"""Measures how well `cl_search` finds the files that a change will touch, on any git repository.

    python3 scripts/measure_search.py REPO [--binary PATH] [--queries 100] [--back 600] [--keep DIR]

The question is the subject of a commit, the answer the source files that it changed, and the index is of a
commit before all of them: REPO is cloned without its newest commits, so nothing newer can be found. Counted
are subjects of four words or more whose changed sources (no tests, examples, documents) all existed then and
number 1 to 5; what merges, reverts, releases, only tidies up or repeats an older subject is left out, as are the
prefix and the number of a conventional subject. Printed are recall among the first 1, 5 and 10 files, the mean reciprocal rank, the
time of a warm call and the size of an answer: with the signals summed by measured weights, and by rank (`search.fusion = "rrf"`). Nothing is
written into REPO.

Subjects of commits are written by people who know the code, and a repository's own habits show in them:
compare runs on one repository, not repositories with each other.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path, PurePosixPath

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "harness"))

from product import Reply, Server  # noqa: E402

SOURCES = {".cjs", ".cts", ".go", ".java", ".js", ".jsx", ".mjs", ".mts", ".py", ".rs", ".svelte", ".ts", ".tsx", ".vue"}
TEST_DIRECTORY = re.compile(
    r"^(__\w+__|.*[-_])?(bench|benches|benchmarks?|demos?|docs?|e2e|examples?|fixtures?|mocks?|playgrounds?|samples?|specs?|"
    r"tests?|testcases?|testing|website|www)(__)?$|^__\w+__$"
)
TEST_FILE = re.compile(r"[._-](bench|e2e|mock|spec|stories|test|test-d|tests)\.\w+$|\.d\.[cm]?ts$")
SKIPPED = re.compile(
    r"^(merge|revert|release|bump|v?\d+\.\d+|(build|chore|ci|docs?|deps|lint|release|style|tests?|types?)\b[^:]*:|wip\b|"
    r"update (changelog|deps|dependencies|readme))",
    re.IGNORECASE,
)
PREFIX = re.compile(r"^[a-z]+(?:\(([^)]*)\))?!?:\s*", re.IGNORECASE)
NUMBERS = re.compile(r"\s*\(?(?:(?:fix(?:es|ed)?|close[sd]?|refs?)\s+)?#\d+\)?", re.IGNORECASE)
MIN_WORDS = 4
MAX_FILES = 5


def git(repo: Path, *args: str) -> str:
    """Returns what a git command prints."""
    ran = subprocess.run(
        ["git", "-C", str(repo), "-c", "core.quotePath=off", *args],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
    )
    if ran.returncode:
        raise SystemExit(f"git {' '.join(args)} failed in {repo}:\n{ran.stderr.strip()}")
    return ran.stdout


def is_source(path: str) -> bool:
    """Returns whether a file is code that a change is about."""
    *directories, name = path.split("/")
    return (
        PurePosixPath(name).suffix in SOURCES
        and not TEST_FILE.search(name)
        and not any(TEST_DIRECTORY.match(part.lower()) for part in directories)
    )


def questions(repo: Path, back: int, n_wanted: int, until: str) -> tuple[str, list[dict]]:
    """Returns the commit to index and the questions about what came after it."""
    commits = git(repo, "rev-list", "--first-parent", f"--max-count={back + 1}", until).split()
    base = commits[-1]
    there = {path for path in git(repo, "ls-tree", "-r", "-z", "--name-only", base).split("\0") if is_source(path)}
    # What was said before would be found by its very words.
    seen = set(git(repo, "log", "--format=%s", base).split("\n"))
    log = git(repo, "log", "--first-parent", "--no-renames", "--name-only", "--format=%x01%H%x02%s%x02", f"{base}..{until}")
    found = []
    for entry in log.split("\x01")[1:]:
        commit, subject, names = entry.split("\x02")
        if SKIPPED.match(subject) or subject in seen:
            continue
        seen.add(subject)
        prefix = PREFIX.match(subject)
        text = NUMBERS.sub("", subject[prefix.end():] if prefix else subject).strip()
        scope = (prefix.group(1) if prefix else None) or ""
        gold = sorted({path for path in names.split("\n") if path and is_source(path)})
        if len(text.split()) >= MIN_WORDS and 1 <= len(gold) <= MAX_FILES and there.issuperset(gold):
            found.append({"commit": commit, "query": text, "scope": scope, "gold": gold})
    # The whole span is sampled evenly, so that few questions are not all about one week.
    step = max(1.0, len(found) / n_wanted)
    return base, [found[int(at * step)] for at in range(min(n_wanted, len(found)))]


def tree_at(repo: Path, base: str, tree: Path) -> None:
    """Makes a work tree of one commit, from which nothing newer can be reached."""
    git(Path("."), "init", "--quiet", str(tree))
    objects = Path(git(repo, "rev-parse", "--path-format=absolute", "--git-path", "objects").strip())
    (tree / ".git/objects/info/alternates").write_text(f"{objects}\n")
    git(tree, "update-ref", "--no-deref", "HEAD", base)
    git(tree, "reset", "--quiet", "--hard")


def asked_of(server: Server, tool: str, **arguments: object) -> Reply:
    """Returns the answer to a call that must not fail."""
    reply = server.call(tool, **arguments)
    if reply.is_error:
        raise SystemExit(f"{tool}: {reply.value['error']['message']}")
    return reply


def measure(server: Server, asked: list[dict], with_scope: bool) -> list[dict]:
    """Asks every question and returns where its files were found."""
    rows = []
    for question in asked:
        query = f"{question['scope']} {question['query']}" if with_scope else question["query"]
        reply = asked_of(server, "cl_search", query=query, limit=10)
        paths = list(dict.fromkeys(result["path"] for result in reply.value["results"]))
        ranks = [at for at, path in enumerate(paths, 1) if path in question["gold"]]
        recall = {k: sum(rank <= k for rank in ranks) / min(k, len(question["gold"])) for k in (1, 5, 10)}
        rows.append({
            "query": query, "gold": question["gold"], "found": paths, "mrr": 1 / ranks[0] if ranks else 0.0, "recall": recall,
            "ms": (reply.ended - reply.begun) * 1000, "tokens": len(reply.text) / 4,
        })
    return rows


def summary(name: str, rows: list[dict]) -> str:
    """Returns one line of figures."""
    mean = lambda values: statistics.fmean(values)  # noqa: E731
    times = sorted(row["ms"] for row in rows)
    recall = " ".join(f"R@{k} {mean(row['recall'][k] for row in rows):.3f}" for k in (1, 5, 10))
    return (
        f"{name:<8} n={len(rows):<4} {recall} MRR {mean(row['mrr'] for row in rows):.3f}  "
        f"p50 {times[len(times) // 2]:.1f} ms  p95 {times[int(len(times) * 0.95)]:.1f} ms  "
        f"median {statistics.median(row['tokens'] for row in rows):.0f} tokens"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("repo", type=Path, help="a clone with its history")
    parser.add_argument("--binary", default="codelens", help="the program to measure (default: codelens on the path)")
    parser.add_argument("--queries", type=int, default=100, help="questions at most (default 100)")
    parser.add_argument("--back", type=int, default=600, help="how many commits before the newest the index stands (default 600)")
    parser.add_argument("--until", default="HEAD", help="the newest commit that questions come from (default HEAD)")
    parser.add_argument("--keep", type=Path, help="keep the tree, the index, questions and findings in this directory")
    asked_for = parser.parse_args()
    if not (binary := shutil.which(asked_for.binary)):
        raise SystemExit(f"no program {asked_for.binary}; name it with --binary")
    binary = Path(binary).resolve()
    base, asked = questions(asked_for.repo, asked_for.back, asked_for.queries, asked_for.until)
    if not asked:
        raise SystemExit("no commit of the last ones makes a question; try a larger --back")
    with tempfile.TemporaryDirectory() as folder:
        place = asked_for.keep or Path(folder)
        place.mkdir(parents=True, exist_ok=True)
        tree = place / "tree"
        if not tree.exists():
            tree_at(asked_for.repo, base, tree)
        server = Server(binary, tree, place / "home")
        built = asked_of(server, "cl_refresh")
        state, took_s = built.value, built.ended - built.begun
        print(f"{base[:10]}: {state['totalFiles']} files, {state['totalChunks']} chunks, built in {took_s:.1f} s")
        rows = measure(server, asked, with_scope=False)
        print(summary("plain", rows))
        scoped = [question for question in asked if question["scope"]]
        if scoped:
            print(summary("scope", measure(server, scoped, with_scope=True)))
        server.close()
        by_rank = Server(binary, tree, place / "home", CODELENS_FUSION="rrf")
        print(summary("rrf", measure(by_rank, asked, with_scope=False)))
        by_rank.close()
        if asked_for.keep:
            (place / "queries.json").write_text(json.dumps(asked, indent=1))
            (place / "found.json").write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    sys.exit(main())
