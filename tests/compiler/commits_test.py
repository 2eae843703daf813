"""Checks that the index of a commit, built from blobs, is that of a clean checkout: files, definitions and edges, line by line.

    python3 tests/compiler/commits_test.py --binary target/release/codelens --repo CLONE [--commits 100] [--seed 1]

Draws commits of the history. Each is exported twice, with a data directory for each way: by `--ref` from the repository, and from a
work tree in which it is checked out. Both go from commit to commit, so that each index but the first begins as another one. The exports
have to be equal but for files that an attribute converts, which are counted. Leaves with 1 where they are not. CLONE gets a work tree
while it runs. Needs Python 3.11 and git.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "harness"))

from histories import History  # noqa: E402
from product import Command  # noqa: E402


def exported(command: Command, file: Path, *more: str) -> list[str]:
    ran = command.run("export", "--format", "jsonl", "--output", str(file), *more)
    if ran.returncode:
        raise RuntimeError(f"export {more}: {ran.stderr.strip()[-300:]}")
    # The first line names the state.
    return file.read_text(encoding="utf-8").splitlines()[1:]


def converted(history: History, commit: str) -> set[str]:
    """Returns the files whose bytes on the disk are not those of the blob: `eol`, `filter`, `ident`."""
    paths = history.git("ls-tree", "-r", "--name-only", "-z", commit)
    said = history.git("check-attr", "--source", commit, "--stdin", "-z", "eol", "text", "filter", "ident", given=paths).split("\0")
    rows = zip(said[::3], said[1::3], said[2::3])
    return {path for path, name, value in rows if name != "text" and value not in ("unspecified", "unset", "lf")}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", type=Path, required=True)
    parser.add_argument("--repo", type=Path, required=True)
    parser.add_argument("--commits", type=int, default=100)
    parser.add_argument("--from-last", type=int, default=3000, help="draw from so many commits")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    history = History(args.repo.resolve())
    commits = history.commits(args.from_last)
    chosen = random.Random(args.seed).sample(commits, min(args.commits, len(commits)))
    n_wrong = n_lines = n_converted = 0
    with tempfile.TemporaryDirectory() as scratch:
        tree = Path(scratch, "tree")
        history.git("worktree", "add", "--quiet", "--detach", str(tree), chosen[0])
        by_ref = Command(args.binary.resolve(), history.root, Path(scratch, "refs"), budget_ms=600_000)
        by_checkout = Command(args.binary.resolve(), tree, Path(scratch, "checkouts"), budget_ms=600_000)
        for commit in chosen:
            History(tree).git("checkout", "--quiet", "--force", "--detach", commit)
            History(tree).git("clean", "-qdffx")
            of_ref = exported(by_ref, Path(scratch, "ref.jsonl"), "--ref", commit)
            of_checkout = exported(by_checkout, Path(scratch, "checkout.jsonl"))
            n_lines += len(of_ref)
            if of_ref == of_checkout:
                continue
            left_out = converted(history, commit)
            n_converted += len(left_out)
            differing = set(of_ref) ^ set(of_checkout)
            wrong = sorted(line for line in differing if json.loads(line).get("path") not in left_out)
            if wrong or not differing:
                n_wrong += 1
                print(f"{commit[:9]}: {len(wrong)} lines differ", *wrong[:4], sep="\n    ", flush=True)
        history.git("worktree", "remove", "--force", str(tree))
    print(f"{len(chosen)} commits, {n_lines} lines, {n_wrong} commits differ, {n_converted} files that attributes convert")
    sys.exit(1 if n_wrong else 0)


if __name__ == "__main__":
    main()
