"""Checks the tests that `codelens changes` lists, against commits that changed source and tests together.

    python3 tests/compiler/affected_tests_test.py --binary target/release/codelens --repo CLONE [--commits 100] [--tests GLOB…]

Of each commit only the changed source is put on its parent: the tests that it changed as well are held out, and have to be in the list.
Prints the share that is, and how long the lists are beside all tests; leaves with 1 below .95, or where the median list is not shorter
than half of all tests. Tests that the commit added are not there yet, and don't count. CLONE gets commits that no branch has. Needs
Python 3.11 and git.
"""

from __future__ import annotations

import argparse
import random
import re
import statistics
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "harness"))

from histories import History  # noqa: E402
from product import Server  # noqa: E402

LEAST_LISTED, MOST_LISTED = 0.95, 0.5
CODE = re.compile(r"\.([cm]?[jt]sx?|vue|svelte|py|go|java)$")
TEST = re.compile(r"\.(spec|test)\.[cm]?[jt]sx?$|(^|/)test_[^/]*\.py$|_test\.(py|go)$|Test\.java$")
LAYOUT = re.compile(r"/\*.*?\*/|//[^\n]*|\s+", re.S)
# A commit that touches all is a release or a change of style.
MAX_SOURCES = 30


def layout_free(text: str | None) -> str:
    """Returns a text without blanks and comments."""
    return LAYOUT.sub("", text or "")


def held_out(history: History, commit: str) -> tuple[str, str, set[str]] | None:
    """Returns the parent, a commit on it with the changed source alone, and the tests that changed as well."""
    parent = history.git("rev-parse", f"{commit}^", check=False).strip()
    if not parent:
        return None
    rows = history.git("diff", "--name-status", "--no-renames", "-z", parent, commit).split("\0")[:-1]
    rows = list(zip(rows[1::2], rows[::2]))
    tests = {path for path, status in rows if TEST.search(path) and status == "M"}
    sources = [path for path, _ in rows if CODE.search(path) and not re.search(r"test|spec", path)]
    if not tests or not 0 < len(sources) <= MAX_SOURCES:
        return None
    texts = {path: history.text(commit, path) for path in sources}
    # Blanks and comments change no test.
    if all(layout_free(texts[path]) == layout_free(history.text(parent, path)) for path in sources):
        return None
    return parent, history.commit(parent, texts), tests


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", type=Path, required=True)
    parser.add_argument("--repo", type=Path, required=True)
    parser.add_argument("--commits", type=int, default=100)
    parser.add_argument("--from-last", type=int, default=3000, help="draw from so many commits")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--home", type=Path, help="data directory to use again")
    args = parser.parse_args()
    history = History(args.repo)
    commits = history.commits(args.from_last)
    random.Random(args.seed).shuffle(commits)
    n_wanted = n_listed = n_done = n_whole = 0
    shares = []
    with tempfile.TemporaryDirectory() as home:
        server = Server(args.binary.resolve(), args.repo, args.home or Path(home), budget_ms=600_000)
        for commit in commits:
            if n_done == args.commits:
                break
            made = held_out(history, commit)
            if not made:
                continue
            base, head, wanted = made
            all_of = {path for path in history.git("ls-tree", "-r", "--name-only", "-z", head).split("\0") if TEST.search(path)}
            reply = server.call("cl_changes", base=base, head=head, include=["tests"], limit=500, budget=20_000)
            if reply.is_error:
                raise RuntimeError(f"{commit}: {reply.value}")
            listed = {test["path"] for test in reply.value.get("tests", [])}
            missing = wanted - listed
            n_done += 1
            n_whole += not missing
            n_wanted += len(wanted)
            n_listed += len(wanted) - len(missing)
            shares.append(len(listed & all_of) / max(1, len(all_of)))
            if missing:
                print(f"{commit[:9]} {len(listed)} of {len(all_of)} tests, missing {sorted(missing)}", flush=True)
        server.close()
    share, median = n_listed / max(1, n_wanted), statistics.median(shares or [0])
    print(f"{n_done} commits: {n_listed} of {n_wanted} changed tests are listed ({share:.3f}), all of them in {n_whole}; "
          f"the median list has {median:.2f} of all tests")
    sys.exit(0 if share >= LEAST_LISTED and median < MOST_LISTED else 1)


if __name__ == "__main__":
    main()
