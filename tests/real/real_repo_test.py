"""The built binary on a real repository, checked against the files on the disk and against git.

    python3 scripts/real_repo.py DIR
    python3 tests/real/real_repo_test.py --binary target/release/codelens --repo DIR

Walks through the versions of a package as somebody who works in it would: branches, commits, an amend, a
reset, a stash, a worktree, edits, a deletion, a rename. After each step the very next call must answer for what
is checked out, and only what differs may be read. An index that was carried along is compared with one that
is built from nothing. Works on a copy: DIR stays as it is. Needs Python 3.11 and git, nothing else.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "harness"))

from checks import Checks  # noqa: E402
from product import Command  # noqa: E402

LONG_MS = 60_000
VOLATILE = {"generation", "nextCursor", "proof", "elapsedMs", "cpuMs"}
SOURCES = (".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs")
DECLARATION = re.compile(
    r"^export (?:default )?(?:declare )?(?:abstract )?(?:async )?"
    r"(?:function\*?|class|interface|type|enum|const|let|var|namespace) +(\w+)"
)


def steady(answer: dict) -> dict:
    """Returns an answer without the fields that may differ between two indexes of one tree."""
    return {key: value for key, value in answer.items() if key not in VOLATILE}


class Walk:
    """The repository under test, the product on it, and the checks."""

    def __init__(self, binary: Path, repo: Path, root: Path, checks: Checks) -> None:
        self.binary = binary
        self.repo = repo
        self.root = root
        self.checks = checks
        self.product = Command(binary, repo, root / "home", LONG_MS)
        self.n_fresh = 0

    def git(self, *args: str) -> str:
        env = {
            "PATH": os.environ.get("PATH", ""), "HOME": str(self.root), "LC_ALL": "C",
            "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_AUTHOR_NAME": "Ada", "GIT_AUTHOR_EMAIL": "ada@example.invalid",
            "GIT_COMMITTER_NAME": "Ada", "GIT_COMMITTER_EMAIL": "ada@example.invalid",
        }
        ran = subprocess.run(["git", *args], cwd=self.repo, env=env, stdin=subprocess.DEVNULL,
                             capture_output=True, text=True, encoding="utf-8")
        if ran.returncode:
            raise RuntimeError(f"git {' '.join(args)}: {ran.stderr.strip()}")
        return ran.stdout.rstrip("\n")

    def files(self, repo: Path | None = None) -> list[str]:
        """Returns what is on the disk and not ignored, tracked or not."""
        where = ["-C", str(repo)] if repo else []
        listed = self.git(*where, "ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0")
        return sorted({path for path in listed if path and ((repo or self.repo) / path).is_file()})

    def git_state(self) -> str:
        """Returns a digest of every file under `.git`."""
        digest = hashlib.sha256()
        for path in sorted((self.repo / ".git").rglob("*")):
            if path.is_file():
                digest.update(f"{path}\0{path.stat().st_mtime_ns}\0".encode() + path.read_bytes())
        return digest.hexdigest()

    # What an answer must be, told by the files themselves.

    def declarations(self) -> dict[str, dict[str, list[int]]]:
        """Returns, for each source file, the names it exports in place and the lines that declare them."""
        found: dict[str, dict[str, list[int]]] = {}
        for path in self.files():
            if path.endswith(SOURCES):
                names = found.setdefault(path, {})
                text = (self.repo / path).read_text(encoding="utf-8")
                for n, line in enumerate(text.split("\n"), start=1):
                    if match := DECLARATION.match(line):
                        names.setdefault(match[1], []).append(n)
        return found

    def check_outlines(self, when: str, product: Command, paths: list[str] | None = None) -> None:
        """Checks the outline of each file against the declarations in its text."""
        n_names = 0
        for path, names in self.declarations().items():
            if paths is not None and path not in paths or not names:
                continue
            answer = product("map", path, "--all")
            symbols = [dict(symbol, word=symbol["name"].rsplit(".", 1)[-1])
                       for file in answer["files"] for symbol in file["symbols"]]
            lines = (self.repo / path).read_text(encoding="utf-8").split("\n")
            wrong = []
            for name, places in names.items():
                n_names += 1
                spans = [(s["startLine"], s.get("endLine", s["startLine"]), s.get("exported", True)) for s in symbols if s["name"] == name]
                if not any(start <= at <= end and exported for at in places for start, end, exported in spans):
                    wrong.append({"name": name, "declared": places, "found": spans})
            for symbol in symbols:
                text = "\n".join(lines[symbol["startLine"] - 1 : symbol.get("endLine", symbol["startLine"])])
                if symbol["word"] not in text:
                    wrong.append(symbol)
            self.checks.that(f"{when}: the outline of {path}", not wrong, wrong)
        self.checks.that(f"{when}: there are names to look for", n_names, n_names)

    def check_searches(self, when: str, product: Command) -> None:
        """Checks that the definition of a name comes first, for names that are declared once."""
        homes: dict[str, list[str]] = {}
        for path, names in self.declarations().items():
            for name in names:
                homes.setdefault(name, []).append(path)
        single = sorted((name, paths[0]) for name, paths in homes.items() if len(paths) == 1 and len(name) > 5)
        sample = single[:: max(1, len(single) // 40)]
        missed, second = [], []
        for name, home in sample:
            answer = product("search", name)
            found = [hit["path"] for hit in answer["results"]]
            if home not in found[:3]:
                missed.append({"name": name, "in": home, "found": found})
            elif found[0] != home:
                second.append({"name": name, "in": home, "found": found})
            if answer["freshness"] != "fresh" or any(hit.get("stale") for hit in answer["results"]):
                missed.append({"name": name, "freshness": answer["freshness"]})
            for hit in answer["results"]:
                start, end = (int(part) for part in hit["lines"].split("-"))
                if not 1 <= start <= end <= (self.repo / hit["path"]).read_bytes().count(b"\n") + 1:
                    missed.append(hit)
        self.checks.that(f"{when}: {len(sample)} names are found", sample and not missed, missed)
        self.checks.that(f"{when}: the definition is first in nine of ten", len(second) <= len(sample) // 10, second)

    def check_text(self, when: str, product: Command, paths: list[str]) -> None:
        """Checks that `expand` gives the bytes on the disk."""
        for path in paths:
            text = (self.repo / path).read_text(encoding="utf-8")
            lines = text.splitlines(keepends=True)
            answer = product("expand", path, "--start-line", "2", "--end-line", "5", "--budget", "40000")
            self.checks.equal(f"{when}: lines 2 to 5 of {path}",
                              answer["content"].rstrip("\n"), "".join(lines[1:5]).rstrip("\n"))

    def check_equals_rebuilt(self, when: str, product: Command) -> None:
        """Checks that the index that was carried along answers as one that is built from nothing."""
        self.n_fresh += 1
        fresh = Command(self.binary, product.repo, self.root / f"fresh-{self.n_fresh}", LONG_MS)
        built = fresh("refresh")
        self.checks.equal(f"{when}: an index from nothing has no seed", built["seededFrom"], None)
        carried = product("refresh")
        for key in ("indexId", "status", "totalFiles", "totalChunks", "skipped", "skippedByReason"):
            self.checks.equal(f"{when}: {key} as rebuilt", carried.get(key), built.get(key))
        ours, theirs = (p("stats")["counts"] for p in (product, fresh))
        self.checks.equal(f"{when}: counts as rebuilt", ours, theirs)

        files = self.files(product.repo)
        directories = sorted({os.path.dirname(path) for path in files if path.endswith(SOURCES)} - {""})
        differ, n_compared = [], 0
        for directory in directories:
            ask = ("map", directory, "--all", "--limit", "200")
            pair = (steady(product(*ask)), steady(fresh(*ask)))
            n_compared += 1
            if pair[0] != pair[1]:
                differ.append({"map": directory, "carried": pair[0], "rebuilt": pair[1]})
            if pair[1]["truncated"]:
                inside = [p for p in files if os.path.dirname(p) == directory and p.endswith(SOURCES)]
                for path in inside:
                    n_compared += 1
                    if steady(product("map", path, "--all")) != steady(fresh("map", path, "--all")):
                        differ.append({"map": path})
        for query in ("subscribe", "error handler", "schedule next tick", "combine latest values", "README", "ajax request"):
            ask = ("search", query, "--limit", "50")
            n_compared += 1
            if steady(product(*ask)) != steady(fresh(*ask)):
                differ.append({"search": query})
        self.checks.that(f"{when}: {n_compared} answers as rebuilt", not differ, differ)
        shutil.rmtree(fresh.home)

    def refresh(self, when: str, product: Command, n_most: int, seeded: bool | None = None) -> dict:
        """Brings the index up and checks that no more than `n_most` files were read."""
        answer = product("refresh")
        self.checks.equal(f"{when}: ready", answer["status"], "ready")
        self.checks.equal(f"{when}: the commit", answer["headSha"], self.git("-C", str(product.repo), "rev-parse", "HEAD"))
        self.checks.that(f"{when}: at most {n_most} files are read", answer["indexedFiles"] <= n_most, answer)
        if seeded is not None:
            self.checks.equal(f"{when}: starts from another index", answer["seededFrom"] is not None, seeded)
        return answer

    def n_differ(self, old: str, new: str) -> int:
        return len(self.git("diff", "--name-only", "--no-renames", old, new).splitlines())

    # The walk.

    def versions(self, branches: list[str]) -> None:
        """From the oldest version to the newest, and back."""
        product, checks = self.product, self.checks
        oldest = branches[0]
        self.git("checkout", "--quiet", oldest)
        before = self.git_state()
        current = product("current")
        checks.equal("the first call says that there is no index", current["status"], "missing")
        checks.equal("and what is checked out", (current["branch"], current["headSha"], current["dirtyFiles"]),
                     (oldest, self.git("rev-parse", "HEAD"), 0))
        answer = self.refresh(oldest, product, len(self.files()), seeded=False)
        n_files = len(self.files())
        checks.that(f"{oldest}: every file is accounted for",
                    answer["totalFiles"] in (n_files, n_files - answer["skipped"]), answer)
        self.check_outlines(oldest, product)
        self.check_searches(oldest, product)
        self.check_text(oldest, product, [path for path in self.files() if path.endswith(SOURCES)][::40])
        checks.equal(f"{oldest}: nothing was written in .git", self.git_state(), before)

        for n, (old, new) in enumerate(zip(branches, branches[1:])):
            self.git("checkout", "--quiet", new)
            if n % 2:
                # The very next call is a query.
                self.check_searches(f"{new}, at once", product)
            self.refresh(new, product, 0 if n % 2 else self.n_differ(old, new), seeded=None if n % 2 else True)
            self.check_outlines(new, product)
            self.check_equals_rebuilt(new, product)
        self.git("checkout", "--quiet", oldest)
        self.refresh(f"back on {oldest}", product, 0)
        self.check_searches(f"back on {oldest}", product)

    def work(self, branch: str) -> None:
        """A day's work on the newest version."""
        product = self.product
        self.git("checkout", "--quiet", branch)
        sources = [path for path, names in self.declarations().items() if names]
        edited, racy, gone, moved = sources[3], sources[17], sources[29], sources[41]

        def first(query: str, among: Command | None = None) -> str | None:
            answer = (among or product)("search", query)
            self.checks.equal(f"a search for {query} is fresh", answer["freshness"], "fresh")
            return answer["results"][0]["path"] if answer["results"] else None

        file = self.repo / edited
        file.write_text(file.read_text(encoding="utf-8") + "\nexport function plantAppleTree() {}\n", encoding="utf-8")
        self.checks.equal("an edit is found by the next call", first("plantAppleTree"), edited)
        self.git("commit", "--quiet", "--all", "--message", "plant")
        self.checks.equal("a commit too", first("plantAppleTree"), edited)
        self.refresh("after a commit", product, 1)
        self.git("commit", "--quiet", "--amend", "--message", "plant again")
        self.refresh("after an amend", product, 1, seeded=True)

        file = self.repo / racy
        text, stat = file.read_text(encoding="utf-8"), file.stat()
        name = next(iter(self.declarations()[racy]))
        other = ("Q" if name[0] != "Q" else "R") + name[1:]
        product("search", name)
        with open(file, "r+", encoding="utf-8") as opened:
            opened.write(text.replace(name, other))
        os.utime(file, ns=(stat.st_atime_ns, stat.st_mtime_ns))
        self.checks.equal("an edit that keeps size and time is found", file.stat().st_size, stat.st_size)
        self.check_outlines("an edit that keeps size and time", product, [racy])
        self.git("stash", "--quiet")
        self.check_outlines("after a stash", product, [racy, edited])
        self.git("stash", "pop", "--quiet")
        self.check_outlines("after the stash came back", product, [racy, edited])
        self.git("checkout", "--quiet", "--", racy)

        (self.repo / gone).unlink()
        answer = product("search", os.path.basename(gone).split(".")[0], "--limit", "50")
        self.checks.that("a deleted file is in no answer", gone not in [hit["path"] for hit in answer["results"]], gone)
        target = self.repo / os.path.dirname(moved) / "moved" / os.path.basename(moved)
        target.parent.mkdir()
        (self.repo / moved).rename(target)
        path = target.relative_to(self.repo).as_posix()
        self.check_outlines("after a rename", product, [path])
        answer = product("search", os.path.basename(moved).split(".")[0], "--limit", "50")
        self.checks.that("the old name is in no answer", moved not in [hit["path"] for hit in answer["results"]], moved)
        self.check_equals_rebuilt("with a dirty tree", product)

        self.git("reset", "--quiet", "--hard", "HEAD~1")
        self.git("clean", "--quiet", "-fd")
        answer = product("search", "plantAppleTree")
        self.checks.that("after a reset the edit is gone",
                         all("plantAppleTree" not in hit["preview"] for hit in answer["results"]), answer)
        self.refresh("after a reset", product, 5)

        tree = self.root / "tree"
        self.git("worktree", "add", "--quiet", "--detach", str(tree), "HEAD~1")
        there = Command(self.binary, tree, self.root / "home", LONG_MS)
        current = there("current")
        self.checks.equal("a worktree begins without an index", (current["status"], current["detached"]), ("missing", True))
        self.refresh("a worktree", there, self.n_differ("HEAD", "HEAD~1"), seeded=True)
        self.check_equals_rebuilt("a worktree", there)
        self.checks.equal("and the first work tree keeps its own", product("current")["status"], "ready")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", required=True, type=Path, help="the built codelens")
    parser.add_argument("--repo", required=True, type=Path, help="a repository made by scripts/real_repo.py")
    args = parser.parse_args()
    checks = Checks()
    with tempfile.TemporaryDirectory(prefix="codelens-real-") as folder:
        root = Path(folder).resolve()
        shutil.copytree(args.repo, root / "repo", symlinks=True)
        walk = Walk(args.binary.resolve(), root / "repo", root, checks)
        listed = walk.git("for-each-ref", "--sort=creatordate", "--format=%(refname:short)", "refs/heads/release")
        branches = listed.splitlines()
        for part in (lambda: walk.versions(branches), lambda: walk.work(branches[-1])):
            with checks.part("the walk"):
                part()
    checks.end()


if __name__ == "__main__":
    main()
