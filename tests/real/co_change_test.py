"""Takes one file out of real commits, and looks whether `missingCoChange` names it.

    python3 tests/real/co_change_test.py --binary target/release/codelens --repo CLONE [--commits 300]

Each commit is put on its parent as uncommitted edits: whole, where every file that is named is a false alarm, and without one file. Whether
there is evidence for that file is told from `git log` alone: another file of the commit was changed together with it in at least five and
half of its commits, the last five among them, within the newest 2,000 commits, names as they were. Works in a clone of CLONE. Leaves with 1
where fewer than half of the files with evidence are among the first three, or more than .2 files a commit are named in vain. Needs Python
3.11 and git.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "harness"))

from product import Command  # noqa: E402

HELD, MOST_FILES, ENOUGH, IN_A_ROW = 2_000, 30, 5, 5
LEAST_FOUND, MOST_ALARMS = 0.5, 0.2


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", type=Path, required=True)
    parser.add_argument("--repo", type=Path, required=True)
    parser.add_argument("--commits", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="co-change-") as root:
        place = Path(root, "clone")
        subprocess.run(["git", "clone", "--quiet", "--shared", args.repo.resolve(), place], check=True)

        def git(*words: str) -> str:
            return subprocess.run(["git", *words], cwd=place, capture_output=True, text=True, encoding="utf-8", errors="replace", check=True).stdout

        commits: list[tuple[str, str, set[str]]] = []
        for block in git("log", f"--max-count={2 * HELD}", "--no-merges", "--no-renames", "--name-only", "--format=%x00%H %P").split("\0")[1:]:
            head, *names = block.strip().split("\n")
            sha, _, parent = head.partition(" ")
            commits.append((sha, parent, {name for name in names if name}))
        order = {sha: at for at, (sha, _, _) in enumerate(commits)}
        of_files: dict[str, list[int]] = defaultdict(list)
        for at, (_, _, names) in enumerate(commits):
            if len(names) <= MOST_FILES:
                for name in names:
                    of_files[name].append(at)

        def has_evidence(at: int, missing: str, rest: set[str]) -> bool:
            before = lambda name: [it for it in of_files[name] if at < it <= at + HELD]  # noqa: E731
            gone = set(before(missing))
            for other in rest:
                own = before(other)
                together = sum(it in gone for it in own)
                if together >= ENOUGH and 2 * together >= len(own) and all(it in gone for it in own[:IN_A_ROW]):
                    return True
            return False

        drawn = [sha for sha, parent, names in commits[:HELD] if parent and 2 <= len(names) <= MOST_FILES]
        random.Random(args.seed).shuffle(drawn)
        product = Command(args.binary.resolve(), place, Path(root, "home"), 60_000, CODELENS_FIRST_BUILD_MS="600000")
        n_done = n_evidence = n_first = n_three = n_alarms = n_alarm_commits = 0
        for sha in drawn:
            if n_done == args.commits:
                break
            at = order[sha]
            _, parent, names = commits[at]

            def put(left_out: str | None) -> None:
                git("checkout", "--quiet", "--force", parent)
                git("clean", "-fdq")
                kept = sorted(names - {left_out})
                there = set(git("ls-tree", "-r", "-z", "--name-only", sha, "--", *kept).split("\0"))
                if now := [name for name in kept if name in there]:
                    git("checkout", "--quiet", sha, "--", *now)
                if gone := [name for name in kept if name not in there]:
                    git("rm", "--quiet", "--force", "--ignore-unmatch", "--", *gone)

            def missing() -> list[str]:
                return [it["path"] for it in product("impact", "--changes", "--risk")["risk"].get("missingCoChange", [])]

            try:
                put(None)
                alarms = missing()
            except (subprocess.CalledProcessError, KeyError):
                continue
            n_done += 1
            n_alarms += len(alarms)
            n_alarm_commits += bool(alarms)
            candidates = [name for name in sorted(names) if has_evidence(at, name, names - {name})]
            if not candidates:
                continue
            left_out = random.Random(sha).choice(candidates)
            put(left_out)
            named = missing()
            n_evidence += 1
            n_first += named[:1] == [left_out]
            n_three += left_out in named[:3]
            if left_out not in named[:3]:
                print(f"{sha[:12]} without {left_out}: {named}")
    found, alarms = n_three / max(n_evidence, 1), n_alarms / max(n_done, 1)
    print(f"{n_done} commits; {n_evidence} files with evidence: first {n_first / max(n_evidence, 1):.2f}, among three {found:.2f}; "
          f"named in vain {alarms:.2f} a commit (in {n_alarm_commits} of them)")
    sys.exit(0 if n_done and n_evidence and found >= LEAST_FOUND and alarms <= MOST_ALARMS else 1)


if __name__ == "__main__":
    main()
