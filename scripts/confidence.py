"""Measures how often each class of edges is right, and writes the table of confidences.

    python3 scripts/confidence.py --binary target/release/codelens --language python --truth TRUTH \\
        --corpus NAME=CLONE [--corpus …] [--write src/graph/confidence.json]

TRUTH is a directory of ground truth made with the language's compiler or type checker, CLONE a clone of the repository at the
commit of its truth, without its dependencies. The formats are told in scripts/README.md. Needs Python alone.
"""

from __future__ import annotations

import argparse
import collections
import datetime
import gzip
import json
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "harness"))

from product import Server  # noqa: E402

CLASSES = {
    "resolved": "callers of a definition",
    "member": "callers of a definition",
    "dispatch": "callers of a definition",
    "overload": "callers of a definition",
    "alternative": "callers of a definition",
    "bridge": "callers of a definition",
    "name": "callers of a definition",
    "path-heuristic": "test files of a file",
    "test": "test files of a definition",
    "test-barrel": "test files of a file",
    "test-mention": "test files of a definition",
}
MODULE = "(module)"


class Truth:
    """What the compiler says of one repository."""

    def __init__(self, directory: Path, name: str) -> None:
        with gzip.open(directory / f"{name}.questions.json.gz", "rt", encoding="utf-8") as file:
            asked = json.load(file)
        self.commit: str = asked["commit"]
        self.questions: list[dict] = asked["questions"]
        self.imports: list[dict] = asked["imports"]
        self.files: list[str] = []
        self.tests: set[int] = set()
        self.definitions: list[dict] = []
        # Pairs of files of which the first uses the second.
        self.uses: set[tuple[int, int]] = set()
        # As many, by a definition that it names and not by its imports alone.
        self.names: set[tuple[int, int]] = set()
        edges = []
        with gzip.open(directory / f"{name}.truth.jsonl.gz", "rt", encoding="utf-8") as file:
            for line in file:
                kind, *row = json.loads(line)
                if kind == "files":
                    self.files = row[0]
                elif kind == "tests":
                    self.tests = set(row[0])
                elif kind == "def":
                    keys = ("file", "name", "qualified", "kind", "line", "start", "end", "exported", "parent", "anonymous", "alias")
                    self.definitions.append(dict(zip(keys, row)))
                elif kind in ("call", "ref"):
                    edges.append(row[:2])
                elif kind == "imp":
                    self.uses.add((row[0], row[1]))
        self.number = {path: at for at, path in enumerate(self.files)}
        self.sources = collections.defaultdict(set)
        for source, target in edges:
            self.sources[target].add(source)
            self.uses.add((self.file_of(source), self.file_of(target)))
            self.names.add((self.file_of(source), self.file_of(target)))

    def file_of(self, place: int) -> int:
        """Returns the file of a definition, or of a module's top level."""
        return self.definitions[place]["file"] if place >= 0 else -place - 1

    def reached_from(self, question: dict) -> set[int]:
        """Returns the files that use the definition of a question, through however many others."""
        file = self.number[question["path"]]
        keys = ("file", "qualified")
        wanted = (file, question["qualified"])
        open_ = [at for at, known in enumerate(self.definitions) if tuple(known[key] for key in keys) == wanted]
        seen = set(open_)
        while open_:
            place = open_.pop()
            around = {self.definitions[place]["parent"]} if place >= 0 and self.definitions[place]["parent"] >= 0 else set()
            for source in (self.sources[place] | around) - seen:
                seen.add(source)
                open_.append(source)
        return {self.file_of(place) for place in seen}

    def names_of(self, place: int) -> set[str]:
        """Returns the names of a definition and of those around it."""
        names: set[str] = set()
        while place >= 0:
            found = self.definitions[place]
            names |= {found["name"], found["alias"]}
            place = found["parent"]
        return {name for name in names if name}


def judge(truth: Truth, question: dict, caller: dict) -> bool | None:
    """Returns whether a caller is right; None where the truth can't tell."""
    file = truth.number.get(caller["path"])
    if file is None:
        return None
    # A caller in a test has the title of that in place of a definition.
    symbol = caller.get("symbol", MODULE)
    name = symbol.split(".")[-1]
    fits = lambda place: symbol == MODULE or name in truth.names_of(place)  # noqa: E731
    for known in question["callers"]:
        if known["f"] == file and (symbol == MODULE or any(map(fits, [*known["c"], known["canon"]]))):
            return True
    if any(truth.file_of(place) == file and fits(place) for place in question["opt"]):
        return None
    # In its own file the truth of a constant has calls alone, and every definition names itself.
    is_home = file == truth.number[question["path"]]
    return None if is_home and (name == question["name"] or question["kind"] == "const") else False


def measure(server: Server, truth: Truth, seen: dict[str, collections.Counter]) -> None:
    """Asks every question of the truth and counts what is right, by class."""
    for question in truth.questions:
        for name in dict.fromkeys((question["qualified"], question["name"])):
            reply = server.call("cl_impact", symbol=name, path=question["path"], depth=1, limit=500)
            if not reply.is_error and reply.value.get("target"):
                break
        else:
            continue
        for caller in reply.value["callers"]:
            right = judge(truth, question, caller)
            if right is not None:
                seen[caller.get("provenance") or reply.value["defaults"]["provenance"]][right] += 1
        reply = server.call("cl_impact", symbol=name, path=question["path"], depth=2, limit=500)
        for test in [] if reply.is_error else reply.value["affectedTests"]:
            file = truth.number.get(test["path"])
            if file is not None and test.get("basis") == "mention":
                # It says that the test has to do with the definition, in however many steps.
                right = file in truth.reached_from(question)
                if right or file not in question["affected_may"]:
                    seen["test-mention"][right] += 1
                continue
            kind = {None: "test"}.get(test.get("basis"))
            # Where the compiler can't type a receiver without the dependencies, nothing is known.
            if file is not None and kind and (file in question["affected"] or file not in question["affected_may"]):
                seen[kind][file in question["affected"]] += 1
    # Of the tests behind a wide barrel the right ones name a definition of a file that names one of this file.
    users = collections.defaultdict(set)
    for source, target in truth.names:
        users[target].add(source)
    # Of the tests that only their names tell, the right ones use or import the file, also through another one.
    importers = collections.defaultdict(set)
    for source, target in truth.uses:
        importers[target].add(source)
    for file, path in enumerate(truth.files):
        reply = server.call("cl_related", path=path, types=["tests"], direction="in", depth=2, limit=500)
        for near in [] if reply.is_error else reply.value["results"]:
            test = truth.number.get(near["path"])
            if near.get("basis") == "barrel" and test is not None:
                seen["test-barrel"][any(test in users[other] for other in users[file])] += 1
        reply = server.call("cl_related", path=path, types=["tests"], direction="in", depth=1, limit=500)
        for near in [] if reply.is_error else reply.value["results"]:
            test = truth.number.get(near["path"])
            if near.get("basis") == "path" and test is not None:
                direct = importers[file]
                right = test in direct or any(test in importers[other] for other in direct)
                seen["path-heuristic"][right] += 1


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", required=True, type=Path, help="the built codelens")
    parser.add_argument("--language", required=True, choices=["ecmascript", "go", "java", "python", "rust"], help="the language of the repositories")
    parser.add_argument("--truth", required=True, type=Path, help="the directory of the truth files")
    parser.add_argument("--corpus", required=True, action="append", metavar="NAME=CLONE", help="a repository of the truth")
    parser.add_argument("--write", type=Path, help="the table whose part of the language is replaced (else that part is printed)")
    args = parser.parse_args()
    seen = {name: collections.Counter() for name in CLASSES}
    corpora = []
    for corpus in args.corpus:
        name, _, clone = corpus.partition("=")
        truth = Truth(args.truth, name)
        head = subprocess.run(["git", "-C", clone, "rev-parse", "HEAD"], capture_output=True, text=True, check=True).stdout.strip()
        if head != truth.commit:
            sys.exit(f"{clone} is at {head}, the truth of {name} is for {truth.commit}")
        with tempfile.TemporaryDirectory(prefix="codelens-confidence-") as home:
            server = Server(args.binary.resolve(), Path(clone), Path(home))
            try:
                if server.call("cl_refresh").value.get("status") != "ready":
                    sys.exit(f"{clone}: the index is not ready")
                measure(server, truth, seen)
            finally:
                server.close()
        corpora.append({"name": name, "commit": head})
        print(f"{name}: {({kind: dict(counts) for kind, counts in seen.items()})} so far", file=sys.stderr)
    classes = {}
    for name, judged in CLASSES.items():
        right, n = seen[name][True], seen[name].total()
        # Cut, not rounded: nothing is said to be certain that was wrong once.
        precision = right * 1000 // n / 1000 if n else None
        classes[name] = {"precision": precision, "samples": n, "judged": judged}
    measured = {"date": datetime.date.today().isoformat(), "corpora": corpora, "classes": classes}
    table = json.loads(args.write.read_text(encoding="utf-8")) if args.write else {}
    table = dict(sorted({**table, args.language: measured}.items()))
    text = json.dumps(table, indent=2) + "\n"
    if args.write:
        args.write.write_text(text, encoding="utf-8")
    else:
        print(text, end="")


if __name__ == "__main__":
    main()
