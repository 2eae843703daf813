"""Saved records on a real history: the verdict after each step of a person who works with git, and the same answers whatever the clock says.

    python3 tests/real/memory_test.py --binary target/release/codelens --repo CLONE [--file PATH --symbol NAME --other REF]

CLONE is one of vuejs/core unless a function at the top of another TypeScript file is named. Wanted verdicts are told from the full text of
the function: `holds` where it is equal but for white space at line ends, `check` where it differs, `stale` where it is gone. Works in a
clone of CLONE. Needs Python 3.11, git and, for the clock, a C compiler on Linux.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "harness"))

from checks import Checks  # noqa: E402
from product import Command  # noqa: E402

VOLATILE = ("generation", "nextCursor", "proof")
YEAR_S = 365 * 86_400


class Scene:
    """A clone with a note, a fix and a document about one function."""

    def __init__(self, binary: Path, repo: Path, root: Path, file: str, symbol: str) -> None:
        self.checks, self.root, self.file, self.symbol = Checks(), root, file, symbol
        self.repo, self.place = repo, root / "clone"
        self.clone(repo, self.place)
        self.product = Command(binary.resolve(), self.place, root / "home", 60_000, CODELENS_FIRST_BUILD_MS="600000")
        self.rows: list[tuple[str, str, str]] = []

    def clone(self, repo: Path, to: Path) -> None:
        subprocess.run(["git", "clone", "--quiet", "--shared", repo.resolve(), to], check=True)
        for key, value in (("user.name", "t"), ("user.email", "t@example.org"), ("commit.gpgSign", "false")):
            subprocess.run(["git", "config", key, value], cwd=to, check=True)

    def git(self, *words: str) -> str:
        return subprocess.run(["git", *words], cwd=self.place, capture_output=True, text=True, check=True).stdout

    def function(self, place: Path | None = None) -> str | None:
        """Returns the text of the function, wherever it is, without white space at line ends."""
        found = subprocess.run(["git", "grep", "--untracked", "-l", f"^export function {self.symbol}("], cwd=place or self.place, capture_output=True, text=True)
        for path in found.stdout.split("\n"):
            if path and "__tests__" not in path:
                text = ((place or self.place) / path).read_text()
                begin = text.index(f"export function {self.symbol}(")
                cut = text[begin:text.index("\n}\n", begin) + 2]
                return "\n".join(line.rstrip() for line in cut.split("\n"))
        return None

    def handle(self) -> str:
        found = self.product("map", "--name", self.symbol, self.file)["symbols"]
        return next(it["handle"] for it in found if it["name"] == self.symbol)

    def verdict(self, uid: str, product: Command | None = None, *more: str) -> str:
        answer = (product or self.product)("load", uid, *more)
        self.checks.equal(f"{uid} is proved", answer["freshness"], "fresh")
        return answer["results"][0]["verdict"]

    def expect(self, step: str, wanted: str | None = None, product: Command | None = None) -> None:
        """Compares the verdicts on the note and on the fix with that of the full text, and with the wanted one."""
        now = self.function(product.repo if product else None)
        told = "stale" if now is None else "holds" if now == self.then else "check"
        found = [self.verdict(uid, product) for uid in (self.note, self.fix)]
        self.rows.append((step, told, "/".join(found)))
        self.checks.equal(f"{step}: verdicts", found, [told, told])
        if wanted:
            self.checks.equal(f"{step}: wanted", told, wanted)

    def edit(self, change) -> None:
        path = next(it for it in self.git("grep", "--untracked", "-l", f"^export function {self.symbol}(").split("\n") if "__tests__" not in it)
        file = self.place / path
        file.write_text(change(file.read_text()))

    def save(self) -> None:
        handle = self.handle()
        self.note = self.product("note", "add", "--handle", handle, "A job that is there already is not put in again.")["id"]
        failure = self.product("note", "add", "--kind", "failure", "RangeError: too many recursive updates at src/x.ts:12")["id"]
        self.fix = self.product("note", "add", "--kind", "fix", "--fixes", failure, "--handle", handle, "The flag is looked at first.", "--test", "true")["id"]
        pdf = self.root / "queue.pdf"
        pdf.write_bytes(b"%PDF-1.4\0 queue")
        self.document = self.product("doc", "attach", str(pdf), "--handle", handle, "--relation", "specification", "--locator", "page 4")["id"]
        self.then = self.function()

    def histories(self, other: str) -> None:
        main = self.git("rev-parse", "HEAD").strip()
        self.expect("saved", "holds")
        self.edit(lambda text: "// a line\n" * 50 + text)
        self.expect("50 lines above", "holds")
        self.git("stash")
        self.expect("stashed", "holds")
        self.git("stash", "pop")
        self.expect("popped", "holds")
        self.git("switch", "--quiet", "--create", "renamed")
        moved = str(Path(self.file).with_name("moved-away.ts"))
        self.git("mv", self.file, moved)
        self.git("commit", "--quiet", "--all", "--message", "renamed")
        self.expect("the file renamed", "holds")
        self.edit(lambda text: re.sub(r"\n( +)return", r"\n\1return  ", text) if "\n  return" in text else text)
        self.edit(lambda text: self.changed(text))
        self.expect("the body edited", "check")
        self.git("checkout", "--quiet", "--force", ".")
        self.edit(lambda text: self.spaced(text))
        self.expect("white space at line ends", "holds")
        self.git("checkout", "--quiet", "--force", ".")
        self.git("commit", "--quiet", "--amend", "--message", "renamed, said better")
        self.expect("amended", "holds")
        self.git("switch", "--quiet", "--force", "-")
        self.expect("switched back", "holds")
        self.git("switch", "--quiet", "--detach", other)
        self.expect(f"at {other}")
        self.git("switch", "--quiet", "--force", "--create", "deleted", main)
        self.edit(lambda text: self.without(text))
        self.git("commit", "--quiet", "--all", "--message", "deleted")
        self.expect("a branch that deletes it", "stale")
        self.git("revert", "--no-edit", "HEAD")
        self.expect("the deletion reverted", "holds")
        self.git("switch", "--quiet", "--create", "edited", main)
        self.edit(lambda text: self.changed(text))
        self.git("commit", "--quiet", "--all", "--message", "edited")
        self.expect("a branch that edits it", "check")
        self.git("rebase", "--quiet", "renamed")
        self.expect("rebased on the renamed file", "check")
        self.git("reset", "--quiet", "--hard", main)
        self.expect("reset", "holds")
        self.git("merge", "--quiet", "--squash", "renamed")
        self.git("commit", "--quiet", "--message", "squashed")
        self.expect("squash-merged", "holds")
        linked = self.root / "linked"
        self.git("worktree", "add", "--quiet", "--detach", str(linked), "deleted~1")
        beside = Command(self.product.binary, linked, self.product.home, 60_000, CODELENS_FIRST_BUILD_MS="600000")
        self.expect("a linked work tree at the deletion", "stale", beside)
        # Of commits, without a checkout.
        for name, wanted in (("deleted~1", "stale"), ("deleted", "holds"), ("renamed", "holds")):
            self.checks.equal(f"--ref {name}", self.verdict(self.note, None, "--ref", name), wanted)
        # A fresh clone has no records of its own; the export and the other clone's are there.
        self.git("switch", "--quiet", "--force", "--detach", main)
        fresh = self.root / "fresh"
        self.clone(self.repo, fresh)
        product = Command(self.product.binary, fresh, self.product.home, 60_000, CODELENS_FIRST_BUILD_MS="600000")
        offered = product("load", "--about", self.symbol)["results"]
        self.checks.that("a fresh clone is offered the records", {self.note, self.fix} <= {it["id"] for it in offered} and all(it["from"] == "clone" for it in offered), offered)
        export = self.product.run("note", "export").stdout
        (self.root / "export.json").write_text(export)
        other_home = Command(self.product.binary, fresh, self.root / "elsewhere", 60_000, CODELENS_FIRST_BUILD_MS="600000")
        other_home("note", "import", str(self.root / "export.json"))
        self.checks.equal("imported elsewhere and exported again: the same bytes", other_home.run("note", "export").stdout, export)
        self.expect("imported into a fresh clone", "holds", other_home)

    def documents(self) -> None:
        def found() -> list[dict]:
            return self.product("explore", "--targets", self.symbol, "--include", "documents").get("documents", [])

        self.checks.equal("the document holds", [(it["id"], it["verdict"], it["via"]) for it in found()], [(self.document, "holds", "symbol")])
        self.git("mv", self.file, str(Path(self.file).with_name("jobs.ts")))
        self.edit(lambda text: "// above\n" * 7 + text)
        self.checks.equal("… in a renamed file, below new lines", [it["verdict"] for it in found()], ["holds"])
        self.edit(lambda text: self.without(text))
        self.checks.equal("… of a function that is gone", self.verdict(self.document), "stale")
        self.git("checkout", "--quiet", "--force", "HEAD")
        copy = next(path for path in self.product.home.rglob("documents/*") if path.is_file())
        kept = copy.read_bytes()
        copy.unlink()
        self.checks.equal("… whose copy is lost", [it["verdict"] for it in found()], ["missing"])
        doctor = self.product.run("doctor", "--json")
        memory = next(it for it in json.loads(doctor.stdout)["checks"] if it["name"] == "memory")
        self.checks.that("doctor says it", not memory["ok"] and "document" in memory["detail"], memory)
        copy.write_bytes(kept)

    def clock(self) -> None:
        compiler = shutil.which("cc")
        if not compiler or sys.platform != "linux":
            return
        library = self.root / "move_clock.so"
        subprocess.run([compiler, "-O1", "-shared", "-fPIC", "-o", library, HERE / "move_clock.c", "-ldl"], check=True)
        asked = [
            ("search", "queue a job that is flushed before the others", "--explain"), ("search", self.symbol, "--related"),
            ("explore", self.symbol), ("explore", "how are jobs flushed", "--include", "source,callers,tests,notes,documents"),
            ("explore", "--targets", self.file, "--include", "history,owners,metrics,notes"), ("map", self.file), ("map", "--name", "job"),
            ("impact", self.symbol, "--risk"), ("impact", "--path", self.file, "--risk"), ("related", self.file),
            ("load", self.note), ("load", self.fix), ("load", "--query", "too many recursive updates"), ("load", "--about", self.file),
            ("expand", "--symbol", self.symbol, self.file), ("changes", "HEAD~3"), ("search", "job", "--match", "literal"),
        ]
        self.product("refresh")
        recent = {"CODELENS_RECENCY": "1"}

        def answers(moved_s: int) -> list[str]:
            product = Command(self.product.binary, self.place, self.product.home, 60_000, **recent, LD_PRELOAD=str(library), MOVE_CLOCK=str(moved_s))
            told = []
            for words in asked:
                value = product(*words)
                self.checks.equal(f"{' '.join(words)} is proved, {moved_s} s away", value.get("freshness", "fresh"), "fresh")
                told.append(json.dumps({key: it for key, it in value.items() if key not in VOLATILE}))
            return told

        now = answers(0)
        for years in (-6, 14):
            for words, first, then in zip(asked, now, answers(years * YEAR_S)):
                self.checks.that(f"{' '.join(words)}: the same {years} years away", first == then, (first[:500], then[:500]))

    def changed(self, text: str) -> str:
        begin = text.index(f"export function {self.symbol}(")
        at = text.index("{\n", begin) + 2
        return f"{text[:at]}  void 0 // edited\n{text[at:]}"

    def spaced(self, text: str) -> str:
        begin = text.index(f"export function {self.symbol}(")
        at = text.index("{\n", begin) + 1
        return f"{text[:at]}   {text[at:]}"

    def without(self, text: str) -> str:
        begin = text.index(f"export function {self.symbol}(")
        return text[:begin] + text[text.index("\n}\n", begin) + 3:]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", type=Path, required=True)
    parser.add_argument("--repo", type=Path, required=True)
    parser.add_argument("--file", default="packages/runtime-core/src/scheduler.ts")
    parser.add_argument("--symbol", default="queueJob")
    parser.add_argument("--other", default="origin/3.4", help="a branch or tag of CLONE")
    parser.add_argument("--only", help="histories, documents or clock")
    args = parser.parse_args()
    other = subprocess.run(["git", "rev-parse", args.other], cwd=args.repo, capture_output=True, text=True, check=True).stdout.strip()
    with tempfile.TemporaryDirectory(prefix="memory-") as root:
        scene = Scene(args.binary, args.repo, Path(root), args.file, args.symbol)
        scene.save()
        parts = {"histories": lambda: scene.histories(other), "documents": scene.documents, "clock": scene.clock}
        scene.checks.run(parts, args.only)
        for step, wanted, found in scene.rows:
            print(f"{step:45} {wanted:8} {found}")
        scene.checks.end()


if __name__ == "__main__":
    main()
