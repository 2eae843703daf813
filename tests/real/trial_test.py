"""The tasks of an agent that joins a team, asked of the built binary, each answer compared with the files on the disk.

    python3 tests/real/trial_test.py --binary target/release/codelens
    python3 tests/real/trial_test.py --binary target/release/codelens --repo CLONE [--seed N] [--renames N]

Without `--repo` the tasks are asked of `fixtures/agora.repo`. With it they are asked of a copy of the clone: those whose
subject is known for the repository (`CASES`), and those that draw their subjects from the repository itself. The truth is
read from the files of git's listing, never from the product. Needs Python 3.11 and git, nothing else.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "harness"))

from checks import Checks  # noqa: E402
from fixture_repo import FixtureRepo  # noqa: E402
from product import Command, Server  # noqa: E402

LONG_MS = 60_000
MAX_REPLY_BYTES = 44_000
# Some 2,500 tokens: JSON full of paths has 2.0 to 3.3 bytes a token.
MAX_LIST_BYTES = 9_000
VOLATILE = {"generation", "nextCursor", "proof", "elapsedMs", "cpuMs"}
RUBBISH = "zorgbat flimmerquux wobnatch"
EXPORTED = re.compile(r"^(?:export (?:async )?(?:function\*?|class) +|exports\.)(\w{4,})", re.MULTILINE)
# Where `$` is a letter of names.
SCRIPTS = (".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".vue", ".svelte")
# Files that are indexed by their names alone.
LOCK_FILES = ("-lock.json", "-lock.yaml", ".lock")
# What an answer must not say of what it has not looked at.
FALSE_PHRASES = ("is bound to it", "nothing to follow", "no definition is there", "edges away")


@dataclass
class Case:
    """What is known of one repository. An empty field leaves its tasks out."""

    # A definition, the files of its callers in code, and the package that exports it.
    called: str = ""
    callers: set[str] = field(default_factory=set)
    exported_from: str = ""
    # Functions that a template alone uses: name, path, line.
    template: list[tuple[str, str, int]] = field(default_factory=list)
    # Definitions whose uses dangle once they are renamed.
    renamed: list[str] = field(default_factory=list)
    # A definition, and a test that reaches it by name alone.
    mentioned: tuple[str, str] | None = None
    # A file of code below a directory called `test`, which tests nothing, and a file that it uses.
    code_in_test: tuple[str, str] | None = None
    # A definition, and a file of an example that uses it.
    example: tuple[str, str] | None = None
    # A query, and the file that holds it literally.
    literal: list[tuple[str, str]] = field(default_factory=list)
    # A question, and the file that answers it within the first five.
    answered: list[tuple[str, str]] = field(default_factory=list)
    # A word in two definitions that lie close together: the first line of a hit must be labelled with its own.
    labelled: tuple[str, str] | None = None
    # A path and a name in a language that is not analysed.
    text_only: tuple[str, str] | None = None
    # A path and a name in a language whose definitions are listed and whose calls are not followed.
    outline_only: tuple[str, str] | None = None
    # A path to outline.
    outlined: str = ""


CASES = {
    "agora": Case(
        called="placeOrder",
        callers={"packages/core/src/order.ts", "packages/shop/src/App.vue"},
        exported_from="@agora/core",
        template=[("toggleDark", "packages/shop/src/App.vue", 19), ("orderTotal", "packages/shop/src/App.vue", 20),
                  ("send", "packages/shop/src/App.vue", 21)],
        renamed=["placeOrder", "orderTotal"],
        mentioned=("flushOrders", "tests/flush-orders.spec.ts"),
        code_in_test=("packages/core/src/test/fake.ts", "packages/core/src/ledger.ts"),
        example=("placeOrder", "examples/stall/src/main.ts"),
        literal=[("--shard", "packages/core/src/flags.ts"), ('"Failed to place order"', "packages/core/src/order.ts"),
                 ("Failed to place order", "packages/core/src/order.ts")],
        answered=[("place an order", "packages/core/src/order.ts")],
        labelled=("__FEATURE_QUEUE__", "queueOrder"),
        text_only=("reports/nightly.jl", "NightlyDigest"),
        outline_only=("reports/digest.rb", "WeeklyDigest"),
        outlined="packages/core",
    ),
    "core": Case(
        called="normalizeClass",
        callers={"packages/compiler-dom/src/transforms/stringifyStatic.ts", "packages/runtime-core/src/vnode.ts",
                 "packages/runtime-core/src/hydration.ts", "packages/server-renderer/src/helpers/ssrRenderAttrs.ts"},
        exported_from="@vue/runtime-core",
        template=[("toggleDark", "packages-private/sfc-playground/src/Header.vue", 125),
                  ("copyLink", "packages-private/sfc-playground/src/Header.vue", 0),
                  ("toggleSSR", "packages-private/sfc-playground/src/App.vue", 158)],
        renamed=["queuePostFlushCb", "effectScope", "normalizeClass"],
        literal=[("Failed to resolve component", "packages/runtime-core/src/helpers/resolveAssets.ts"),
                 ('"Failed to resolve component"', "packages/runtime-core/__tests__/helpers/resolveAssets.spec.ts")],
        answered=[("where are v-model composition events handled", "packages/runtime-dom/src/directives/vModel.ts")],
        outlined="packages/compiler-core",
    ),
    "playwright": Case(
        called="assertMaxArguments",
        mentioned=("toMatchAriaSnapshot", "tests/page/to-match-aria-snapshot.spec.ts"),
        literal=[("--shard", "packages/playwright/src/program.ts")],
        outlined="packages/trace-viewer",
    ),
    "flask": Case(called="_split_blueprint_path", callers={"src/flask/sansio/app.py", "src/flask/wrappers.py"}, outlined="src/flask"),
}


def steady(answer: dict) -> dict:
    """Returns an answer without the fields that may differ between two indexes of one tree."""
    return {key: value for key, value in answer.items() if key not in VOLATILE}


class Trial:
    """A copy of the repository, what is known of it, and the checks."""

    def __init__(self, binary: Path, repo: Path, home: Path, case: Case, checks: Checks, seed: int, n_renames: int) -> None:
        self.binary, self.repo, self.home, self.case, self.checks = binary, repo, home, case, checks
        self.random = random.Random(seed)
        self.n_renames = n_renames
        # The file that a task has edited last.
        self.changed = ""
        self.cl = Command(binary, repo, home, LONG_MS)

    def git(self, *args: str) -> str:
        ran = subprocess.run(["git", *args], cwd=self.repo, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                             encoding="utf-8", check=True)
        return ran.stdout

    def text(self, path: str) -> str:
        return (self.repo / path).read_text(encoding="utf-8", errors="replace")

    def occurrences(self, word: str) -> Counter[tuple[str, int]]:
        """Returns how often a word occurs, by path and line, in what git lists and the index reads."""
        found: Counter[tuple[str, int]] = Counter()
        in_scripts = re.compile(rf"(?<![\w$]){re.escape(word)}(?![\w$])")
        elsewhere = re.compile(rf"\b{re.escape(word)}\b")
        for path in self.listed():
            pattern = in_scripts if path.endswith(SCRIPTS) else elsewhere
            for number, line in enumerate(self.text(path).split("\n"), 1):
                n_found = len(pattern.findall(line))
                if n_found:
                    found[path, number] += n_found
        return found

    def listed(self) -> list[str]:
        """Returns the files that git lists and the index reads."""
        paths = self.git("ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0")
        files = [(path, self.repo / path) for path in paths if path and not path.endswith(LOCK_FILES)]
        files = [(path, file) for path, file in files if file.is_file() and not file.is_symlink() and file.stat().st_size <= 1_000_000]
        return [path for path, file in files if b"\0" not in file.read_bytes()]

    def exported_names(self) -> list[str]:
        """Returns the names of functions and classes that modules outside of tests export, sorted."""
        names: set[str] = set()
        for path in self.listed():
            if path.endswith((".ts", ".js", ".tsx", ".mjs")) and not re.search(r"test|spec|fixture|\.d\.ts|bench", path):
                names |= set(EXPORTED.findall(self.text(path)))
        return sorted(names)

    # The tasks.

    def a_first_question_waits_for_the_index(self) -> None:
        name = self.case.called or "main"
        first = Command(self.binary, self.repo, self.home.with_name("home-of-first"))
        answers = [first("impact", name), first("impact", name)]
        self.checks.equal("the first answer is fresh", answers[0]["freshness"], "fresh")
        self.checks.equal("the first answer is the second", steady(answers[0]), steady(answers[1]))
        with_server = Server(self.binary, self.repo, self.home.with_name("home-of-server"))
        try:
            reply = with_server.call("cl_impact", symbol=name)
            self.checks.equal("a server's first answer is the command's", steady(reply.value), steady(answers[1]))
            self.checks.equal("its text is its value", json.loads(reply.text), reply.value)
        finally:
            with_server.close()

    def callers_and_ways_out(self) -> None:
        if not self.case.called:
            return
        answer = self.cl("impact", self.case.called)
        callers = {caller["path"] for caller in answer["callers"]}
        self.checks.that("callers are complete", self.case.callers <= callers, sorted(self.case.callers - callers))
        if self.case.exported_from:
            self.checks.that("the package is named", self.case.exported_from in answer.get("exportedFrom", []), answer)
            self.checks.that("re-exports are named", answer.get("reexportedBy"), answer)

    def templates_use_what_they_name(self) -> None:
        for name, path, line in self.case.template:
            answer = self.cl("impact", name, "--sites")
            lines = [site["line"] for site in answer.get("sites", []) if site["path"] == path and site["use"] == "template"]
            self.checks.that(f"the template's use of {name} is a site", line in lines if line else lines, answer)

    def every_occurrence_is_accounted_for(self) -> None:
        names = self.exported_names()
        for name in self.random.sample(names, min(len(names), 25)):
            answer = self.cl("impact", name, "--sites", "--limit", "100")
            if answer.get("target") is None or "candidates" in answer:
                continue
            other = answer.get("otherMentions", {})
            counted = answer.get("sitesTotal", 0) + answer.get("unresolvedTotal", 0) + sum(other.values())
            self.checks.equal(f"occurrences of {name}", counted, sum(self.occurrences(name).values()))

    def renamed_definitions_leave_uses_behind(self) -> None:
        drawn = self.exported_names()
        self.random.shuffle(drawn)
        for name in dict.fromkeys(self.case.renamed + drawn[: self.n_renames]):
            with self.checks.part(f"the rename of {name}"):
                self._rename(name)
            if self.changed:
                self.git("checkout", "--quiet", "--", self.changed)

    def _rename(self, name: str) -> None:
        before = self.cl("impact", name, "--sites", "--limit", "100")
        target = before.get("target")
        if target is None or before.get("truncated"):
            return
        uses = {(site["path"], site["line"]) for site in before.get("sites", []) if not site.get("alias")}
        path, line = target["path"], target["line"]
        lines = self.text(path).split("\n")
        pattern = re.compile(rf"(?<![\w$]){re.escape(name)}(?![\w$])")
        n_declared = len(re.findall(rf"\bfunction\*? +{re.escape(name)}\b", self.text(path)))
        if not pattern.search(lines[line - 1]) or (path, line) in uses or n_declared > 1:
            # Overloads keep the name.
            return
        lines[line - 1] = pattern.sub(f"{name}Renamed", lines[line - 1], count=1)
        self.changed = path
        (self.repo / path).write_text("\n".join(lines), encoding="utf-8")
        answer = self.cl("impact", "--changes", "--limit", "100")
        removed = [one for one in answer.get("changeSet", {}).get("removed", []) if one["symbol"] == name]
        if not self.checks.that(f"{name} is told to be gone", removed, answer):
            return
        now = removed[0].get("now", {}).get("symbol")
        # Of a variable among others on its line the content may say too little.
        expected = [f"{name}Renamed"] if name in self.case.renamed else [f"{name}Renamed", None]
        self.checks.that(f"what {name} is now", now in expected, removed)
        named = {(at["path"], at["line"]) for at in removed[0]["stillNamedAt"]}
        if len(named) == removed[0]["total"]:
            self.checks.that(f"uses that the rename of {name} leaves", uses <= named, sorted(uses - named))
            occurrences = self.occurrences(name)
            self.checks.that(f"{name} stands where it is said to stand", named <= set(occurrences), sorted(named - set(occurrences)))
        gone = self.cl("impact", name)
        if gone.get("target", gone) is None and now:
            said = gone["summary"]
            self.checks.that(f"the old name {name} is answered with the new one", f"{name}Renamed" in said, said)

    def deleted_definitions_leave_uses_behind(self) -> None:
        if not self.case.called:
            return
        target = self.cl("impact", self.case.called)["target"]
        (self.repo / target["path"]).unlink()
        answer = self.cl("impact", "--changes")
        removed = {one["symbol"]: one for one in answer["changeSet"]["removed"]}
        self.checks.that("a deleted definition is listed", self.case.called in removed, answer["changeSet"])
        self.checks.that("its uses are listed", removed.get(self.case.called, {}).get("total"), answer["changeSet"])
        self.git("checkout", "--quiet", "--", target["path"])

    def tests_are_told_from_code_and_examples(self) -> None:
        case = self.case
        if case.mentioned:
            tests = self.cl("impact", case.mentioned[0])["affectedTests"]
            by = {test["path"]: test.get("basis") for test in tests}
            self.checks.that("a test that names it is listed", case.mentioned[1] in by, tests)
            self.checks.equal("and says on what that rests", by.get(case.mentioned[1]), "mention")
        if case.code_in_test:
            answer = self.cl("impact", "--path", case.code_in_test[1])
            tests = [test["path"] for test in answer["affectedTests"]]
            self.checks.that("code in a directory called test is no test", case.code_in_test[0] not in tests, answer)
        if case.example:
            answer = self.cl("impact", case.example[0])
            examples = [one["path"] for one in answer.get("affectedExamples", [])]
            tests = [test["path"] for test in answer["affectedTests"]]
            self.checks.that("an example is listed as one", case.example[1] in examples, answer)
            self.checks.that("and not as a test", case.example[1] not in tests, answer)

    def words_are_found_where_they_stand(self) -> None:
        for query, path in self.case.literal:
            results = self.cl("search", query)["results"]
            self.checks.equal(f"the first hit of {query}", results[0]["path"] if results else None, path)
        for query, path in self.case.answered:
            found = [hit["path"] for hit in self.cl("search", query)["results"][:5]]
            self.checks.that(f"{query}: {path} is among the first five", path in found, found)
        if self.case.labelled:
            word, symbol = self.case.labelled
            hits = self.cl("search", word)["results"]
            labels = {hit.get("symbol") for hit in hits if hit["path"].endswith("order.ts")}
            self.checks.that(f"a hit of {word} is labelled", symbol in labels or word in labels, hits)

    def scores_mean_something(self) -> None:
        answer = self.cl("search", RUBBISH)
        scores = [hit["score"] for hit in answer["results"]]
        self.checks.that("rubbish has no high score", all(score < 0.3 for score in scores), answer)
        self.checks.that("absent words are named", set(RUBBISH.split()) <= set(answer.get("missing", [])), answer)
        for hit in self.cl("search", self.case.called or "main")["results"]:
            self.checks.that("scores are shares", 0 <= hit["score"] <= 1, hit)

    def previews_are_the_file(self) -> None:
        for query in ["order" if self.case.called == "placeOrder" else self.case.called or "main", "return value"]:
            for hit in self.cl("search", query)["results"]:
                # A signature stands in one line.
                text = " ".join(self.text(hit["path"]).split())
                shown = [line.strip() for line in hit.get("preview", "").split("\n") if line.strip()]
                strange = [line for line in shown if " ".join(line.strip("…").split()) not in text]
                self.checks.that(f"a preview of {hit['path']} is its text", not strange, strange)

    def other_languages_are_said(self) -> None:
        if not self.case.text_only:
            return
        path, name = self.case.text_only
        for words in (("map", path), ("related", path), ("impact", "--path", path)):
            answer = self.cl(*words)
            self.checks.that(f"{words[0]} says that {path} is not analysed", answer.get("analysed", {}).get("text"), answer)
        answer = self.cl("impact", name)
        self.checks.that("the word's places are given", answer.get("mentions", {}).get("total"), answer)
        place = answer["mentions"]["places"][0]
        self.checks.that("the likeliest is its definition", re.search(rf"\b(struct|class|def|func|type)\b.*\b{name}\b", place["text"]), place)
        self.checks.that("what is not analysed is in the summary", "text only" in answer["summary"], answer["summary"])

    def outlined_languages_are_said(self) -> None:
        if not self.case.outline_only:
            return
        path, name = self.case.outline_only
        for words in (("map", path), ("related", path), ("impact", "--path", path)):
            answer = self.cl(*words)
            self.checks.that(f"{words[0]} says that {path} is outlined alone", answer.get("analysed", {}).get("outline"), answer)
        listed = [symbol["name"] for symbol in self.cl("map", path)["files"][0]["symbols"]]
        self.checks.that(f"{name} is in the outline of {path}", name in listed, listed)
        answer = self.cl("impact", name)
        self.checks.that("the definition is found", answer.get("target", {}).get("path") == path, answer.get("target"))
        self.checks.that("no caller is claimed", not answer.get("callers"), answer.get("callers"))
        self.checks.that("the word's other places are given", answer.get("mentions", {}).get("total"), answer)
        self.checks.that("it is said that callers are not followed", answer["summary"].startswith("Outline only"), answer["summary"])

    def input_as_people_write_it(self) -> None:
        path = next(path for path in self.listed() if "/" in path and path.endswith(SCRIPTS + (".py",)))
        relative = self.cl("map", path)
        self.checks.equal("an absolute path", steady(self.cl("map", str(self.repo / path))), steady(relative))
        below = Command(self.binary, self.repo / Path(path).parent, self.home, LONG_MS)
        self.checks.equal("a path from where one stands", steady(below("map", Path(path).name)), steady(relative))
        self.checks.equal("with a dot before it", steady(below("map", f"./{Path(path).name}")), steady(relative))
        if self.case.called:
            called = self.cl("impact", self.case.called)
            self.checks.equal("a name with brackets", steady(self.cl("impact", f"{self.case.called}()")), steady(called))
        server = Server(self.binary, self.repo, self.home)
        try:
            self.checks.equal("a number as a string", server.call("cl_search", query="import", limit="2").value.get("count"), 2)
            self.checks.equal("an absolute path over MCP", steady(server.call("cl_map", path=str(self.repo / path)).value), steady(relative))
            self.checks.that("a path outside is refused", server.call("cl_map", path="/etc/passwd").is_error)
            self.checks.that("a repository that is not there", server.call("cl_current", repo="/nonexistent").is_error)
        finally:
            server.close()

    def the_doctor_knows_what_commands_leave(self) -> None:
        for words in (("refresh",), ("search", "main"), ("view",), ("list",), ("stats",), ("install", "--dry-run"), ("context", "list")):
            self.cl.run(*words)
            ran = self.cl.run("doctor")
            self.checks.equal(f"doctor after {words[0]}", ran.returncode, 0) or print(ran.stdout[-800:])

    def answers_that_an_agent_can_afford(self) -> None:
        called = self.case.called or "main"
        outlined = self.case.outlined or "."
        server = Server(self.binary, self.repo, self.home, LONG_MS)
        try:
            target = server.call("cl_impact", symbol=called).value.get("target") or {}
            path = target.get("path")
            calls: list[tuple[str, dict, int]] = [
                ("cl_impact", {"symbol": called}, MAX_LIST_BYTES), ("cl_map", {}, MAX_LIST_BYTES), ("cl_map", {"path": outlined}, MAX_LIST_BYTES),
                ("cl_map", {"path": outlined, "budget": 1_000_000}, MAX_REPLY_BYTES),
                ("cl_search", {"query": "import", "limit": 100}, MAX_REPLY_BYTES), ("cl_explore", {"query": "import", "limit": 50}, MAX_REPLY_BYTES),
                ("cl_impact", {"symbol": called, "sites": True, "limit": 100, "depth": 5}, MAX_REPLY_BYTES),
            ]
            if path:
                calls += [("cl_related", {"path": path}, MAX_LIST_BYTES), ("cl_impact", {"path": path}, MAX_LIST_BYTES),
                          ("cl_related", {"path": path, "limit": 100}, MAX_REPLY_BYTES),
                          ("cl_expand", {"path": path, "startLine": 1, "endLine": 5_000}, MAX_REPLY_BYTES)]
            for tool, arguments, most in calls:
                reply = server.call(tool, **arguments)
                self.checks.that(f"{tool} {arguments}: at most {most} bytes", len(reply.text.encode()) <= most, len(reply.text.encode()))
                false = [phrase for phrase in FALSE_PHRASES if phrase in reply.text]
                self.checks.that(f"{tool} {arguments}: its words are plain", not false, false)
        finally:
            server.close()

    def run(self, only: str | None) -> None:
        tasks = [
            self.a_first_question_waits_for_the_index, self.callers_and_ways_out, self.templates_use_what_they_name,
            self.every_occurrence_is_accounted_for, self.renamed_definitions_leave_uses_behind,
            self.deleted_definitions_leave_uses_behind, self.tests_are_told_from_code_and_examples,
            self.words_are_found_where_they_stand, self.scores_mean_something, self.previews_are_the_file,
            self.other_languages_are_said, self.outlined_languages_are_said, self.input_as_people_write_it,
            self.the_doctor_knows_what_commands_leave, self.answers_that_an_agent_can_afford,
        ]
        self.checks.run({task.__name__: task for task in tasks}, only)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--binary", type=Path, required=True)
    parser.add_argument("--repo", type=Path, help="a clone to ask; its folder's name tells which tasks have known subjects")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--renames", type=int, default=3, help="definitions to draw and rename")
    parser.add_argument("--only", help="one task")
    asked = parser.parse_args()
    checks = Checks()
    with tempfile.TemporaryDirectory(prefix="codelens-trial-") as directory:
        root = Path(directory)
        if asked.repo:
            repo, name = root / "repo", asked.repo.resolve().name
            shutil.copytree(asked.repo, repo, symlinks=True, ignore=shutil.ignore_patterns("node_modules"))
            home = root / "home"
            home.mkdir()
        else:
            fixture = FixtureRepo.load("agora", root)
            repo, home, name = fixture.path, fixture.home, "agora"
        case = CASES.get(name, Case())
        Trial(asked.binary.resolve(), repo, home, case, checks, asked.seed, asked.renames).run(asked.only)
    checks.end()


if __name__ == "__main__":
    main()
