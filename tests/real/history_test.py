"""Compares the history of files on cards with `git log`: commits, the last one, fixes, owners and files that were changed together.

    python3 tests/real/history_test.py --binary target/release/codelens --repo CLONE [--files 100] [FILE…]

Draws tracked files, or takes those that are named. Git's answer is cut to the commits that the index holds. A file whose commits differ
is told with the commits; where git's are those of a copy (`git log --follow` takes the source of a copy for an earlier name, docs/history.md
does not), it is counted apart. CLONE stays as it is. Needs Python 3.11 and git.
"""

from __future__ import annotations

import argparse
import random
import re
import subprocess
import sys
import tempfile
from collections import Counter
from functools import cache
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "harness"))

from checks import Checks  # noqa: E402
from product import Command  # noqa: E402

HELD = 2_000
FEW_FILES = 30
DAY = 86_400
FIX = re.compile(r"(?i)\b(fix(e[sd])?|bug(s|fix(es)?)?|regress(ion|ions|es|ed)?|revert(s|ed)?|hotfix(es)?)\b")


class Oracle:
    """Git's own words on a clone."""

    def __init__(self, repo: Path) -> None:
        self.repo = repo
        self.held = set(self.git("rev-list", f"--max-count={HELD}", "HEAD").split())
        self.head_time = int(self.git("log", "-1", "--format=%ct"))
        self.few = self.commits_of_few_files()
        self.tracked = set(self.git("ls-files").splitlines())

    def git(self, *words: str) -> str:
        ran = subprocess.run(["git", *words], cwd=self.repo, capture_output=True, text=True, encoding="utf-8", errors="replace", check=True)
        return ran.stdout

    def commits_of_few_files(self) -> set[str]:
        counts: Counter[str] = Counter()
        at = ""
        lines = self.git("-c", "diff.renameLimit=0", "log", f"--max-count={2 * HELD}", "--no-merges", "-M", "--name-only", "--format=commit %H")
        for line in filter(None, lines.splitlines()):
            if line.startswith("commit "):
                at = line[7:]
                counts[at] = 0
            else:
                counts[at] += 1
        return {sha for sha, n in counts.items() if n <= FEW_FILES}

    @cache
    def log(self, path: str) -> list[tuple[str, str, int, str]]:
        """Returns the held commits of a file, the newest first: commit, author, time, subject."""
        text = self.git("log", "--follow", "--no-merges", "--format=%H%x09%aN%x09%ct%x09%s", "--", path)
        rows = [line.split("\t", 3) for line in text.splitlines()]
        return [(sha, name, int(time), subject) for sha, name, time, subject in rows if sha in self.held]

    @cache
    def is_of_copy(self, path: str) -> bool:
        """Returns whether git goes on with the source of a copy."""
        text = self.git("log", "--follow", "--no-merges", "--name-status", "--format=", "--", path)
        return bool(re.search(r"^C\d+\t", text, re.M))

    @cache
    def later_names(self) -> dict[str, set[str]]:
        """Returns the names that files were moved to, by their earlier ones."""
        text = self.git("-c", "diff.renameLimit=0", "log", f"--max-count={2 * HELD}", "--no-merges", "-M", "--diff-filter=R", "--name-status", "--format=")
        later: dict[str, set[str]] = {}
        for line in text.splitlines():
            if line.startswith("R"):
                _, old, new = line.split("\t")
                later.setdefault(old, set()).add(new)
        return later

    def names_today(self, name: str) -> set[str]:
        found, waiting = set(), [name]
        while waiting:
            at = waiting.pop()
            if at not in found:
                found.add(at)
                waiting += self.later_names().get(at, ())
        return found & self.tracked

    def files_together(self, path: str) -> dict[str, int]:
        """Returns the files of today that were changed the most often in the commits of a file, with how many of them."""
        own = {row[0] for row in self.log(path)} & self.few
        names: Counter[str] = Counter()
        for sha in own:
            changed = self.git("show", "--no-renames", "--name-only", "--format=", sha).splitlines()
            names.update(set().union(*(self.names_today(name) for name in changed)))
        del names[path]
        names = Counter({name: n for name, n in names.items() if not self.is_of_copy(name)})
        # Of the logs of these the true numbers are told.
        enough = sorted(names.values(), reverse=True)[:6][-1:]
        likely = [name for name, n in names.items() if n >= min(enough, default=1)][:40]
        return {name: len(own & {row[0] for row in self.log(name)}) for name in likely}


def card_of(product: Command, paths: list[str]) -> list[dict]:
    found = product("explore", "--include", "history,owners,metrics", "--budget", "12000", "--targets", *paths)
    return found["cards"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", type=Path, required=True)
    parser.add_argument("--repo", type=Path, required=True)
    parser.add_argument("--files", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--home", type=Path, help="data directory to use again")
    parser.add_argument("paths", nargs="*")
    args = parser.parse_args()
    checks, oracle = Checks(), Oracle(args.repo)
    home = args.home or Path(tempfile.mkdtemp(prefix="history-"))
    product = Command(args.binary.resolve(), args.repo.resolve(), home)
    product("refresh")
    tracked = [path for path in oracle.git("ls-files").splitlines() if not re.search(r"[,\"*?\[\]]", path)]
    paths = args.paths or random.Random(args.seed).sample(tracked, min(args.files, len(tracked)))
    n_copies = n_commits = n_moved = 0
    for at in range(0, len(paths), 10):
        some = paths[at:at + 10]
        cards = card_of(product, some)
        for path, card in zip(some, cards):
            if "history" not in card:
                checks.that(f"{path} has a card", False, card)
                continue
            log = oracle.log(path)
            n_commits += len(log)
            n_moved += bool(re.search(r"^R\d+\t", oracle.git("log", "--follow", "--name-status", "--format=", "--", path), re.M))
            own = card["history"]
            if own["commits"] != len(log) and oracle.is_of_copy(path):
                n_copies += 1
                continue
            if not checks.equal(f"commits of {path}", own["commits"], len(log)) or not log:
                continue
            checks.that(f"last commit of {path}", log[0][0].startswith(own["last"]["sha"]), (own["last"], log[0]))
            recent = sum(row[2] >= oracle.head_time - 90 * DAY for row in log)
            checks.equal(f"commits in 90 days of {path}", own["commits90"], recent)
            authors = Counter(row[1] for row in log).most_common()
            of_commits = [owner for owner in card.get("owners", []) if owner.get("from") != "codeowners"]
            checks.equal(f"numbers of owners of {path}", [it["commits"] for it in of_commits], [n for _, n in authors[:3]])
            counts = dict(authors)
            checks.that(f"owners of {path}", all(counts.get(it["name"]) == it["commits"] for it in of_commits), (of_commits, authors[:4]))
            together = oracle.files_together(path)
            listed = [it for it in own.get("coChange", []) if not oracle.is_of_copy(it["path"])]
            n_own = len({row[0] for row in log} & oracle.few)
            checks.that(f"co-change of {path}", all(it["of"] == n_own for it in listed), (listed, n_own))
            wanted = sorted(together.values(), reverse=True)[:len(listed)]
            checks.equal(f"numbers of co-change of {path}", [it["together"] for it in listed], [n for n in wanted if n])
            checks.that(f"files of co-change of {path}", all(together.get(it["path"], it["together"]) == it["together"] for it in listed), (listed, together))
    print(f"{len(paths)} files, {n_commits} commits, {n_moved} moved files; {n_copies} follow a copy in git")
    checks.end()


if __name__ == "__main__":
    main()
