"""Compares `codelens changes` with an oracle: definitions by the TypeScript compiler or Python's `ast`, compared here by other rules' code.

    python3 tests/compiler/changes_test.py --binary target/release/codelens --tools DIRECTORY --repo CLONE [--pairs 200] [--seed 1] [--language python]

Draws pairs of commits 1 to 50 apart, extracts both states of every file of the language that differs, and compares: added, removed,
moved, renamed, signature, body, for top-level definitions and members of classes, interfaces, object types and enums. A definition that
the oracle does not list (a function in a function, a method of an object literal) counts as a change of the one around it, by its line. Prints
precision and recall of each kind; leaves with 1 below .99 for added, removed and body, and .95 for the others. DIRECTORY is where
tests/compiler/package.json was installed. Needs Python 3.11, Node and git.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import tempfile
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "harness"))

from compiler import Compiler  # noqa: E402
from histories import History  # noqa: E402
from product import Server  # noqa: E402
from python_definitions import PythonDefinitions  # noqa: E402

KINDS = ("added", "removed", "moved", "renamed", "signature", "body")
LEAST = {"added": 0.99, "removed": 0.99, "body": 0.99, "moved": 0.95, "renamed": 0.95, "signature": 0.95}
TOKEN = re.compile(r"[\w$]+|[^\w\s$]")
# Blanks in a text between quotes mean something.
TOKEN_OR_TEXT = re.compile(r"""'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|[\w$]+|[^\w\s$]""", re.S)
WORD = re.compile(r"[\w$]")
COMMENT = re.compile(r"/\*.*?\*/\s*|//[^\n]*\n?\s*", re.S)
MIN_ALIKE = 0.6
MIN_ALIKE_WORDS = 0.5
MIN_WORDS_OF_STRANGERS = 6
MIN_TOKENS = 6
MIN_TOKENS_OF_MEMBERS = 12

ENDS = {"typescript": (".ts", ".tsx", ".mts", ".cts"), "python": (".py", ".pyi")}

Key = tuple[str, str]


def parts(name: str) -> set[str]:
    """Returns the words of a name: `job` and `ids` of `jobIds`."""
    return {part.lower() for part in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+", name)}


def normal(text: str) -> str:
    """Returns a text with one blank between tokens, texts in quotes as they are, without commas before closing brackets and marks at the end."""
    tokens = TOKEN_OR_TEXT.findall(text)
    kept = [token for at, token in enumerate(tokens) if token != "," or at + 1 == len(tokens) or tokens[at + 1] not in ")]}"]
    while kept and kept[-1] in ";,":
        kept.pop()
    return " ".join(kept)


def own_text(one: dict) -> str:
    """Returns a definition's text without comments, without its members, and without the marks between them."""
    text, at = "", 0
    for start, end in one["members"]:
        text += one["code"][at:start] + " "
        at = end
        mark = re.compile(r"\s*[,;]").match(one["code"], at)
        at = mark.end() if mark else at
    return text + one["code"][at:]


def head(one: dict) -> str:
    """Returns the signature without comments; of a type alias all of it but its members."""
    text = own_text(one) if one["kind"] == "type" else COMMENT.sub(" ", one["head"])
    return normal(re.sub(r"^export\s+(default\s+)?", "", text)).removesuffix("=").rstrip()


class States:
    """The definitions of both states, by file and qualified name; overloads are one definition."""

    def __init__(self, files: list[str], old: dict[str, list[dict]], new: dict[str, list[dict]]) -> None:
        self.files = set(files)
        self.old, self.new = {}, {}
        for mine, theirs in ((self.old, old), (self.new, new)):
            for path in files:
                for one in theirs.get(path, []):
                    is_type = one["kind"] in ("interface", "type")
                    mine.setdefault((path, one["name"]), []).append(one | {"is_type": is_type})

    def knows(self, key: Key) -> bool:
        return key in self.old or key in self.new

    def changes(self) -> dict[str, set]:
        found: dict[str, set] = {kind: set() for kind in KINDS}
        gone = [key for key in self.old if key not in self.new]
        came = [key for key in self.new if key not in self.old]
        for key in self.old.keys() & self.new.keys():
            kind = self.kept(self.old[key], self.new[key])
            if kind:
                found[kind].add(key)
        gone = [key for key in gone if not self.is_inside(key, gone)]
        pairs = []
        bags = {(side, key): self.bag(self.old if side == 0 else self.new, key) for side, keys in ((0, gone), (1, came)) for key in keys}
        for one in gone:
            for other in came:
                alike = self.alike(one, other, bags)
                if alike:
                    names = [key[1].rpartition(".")[2] for key in (one, other)]
                    lines = self.old[one][0]["line"], self.new[other][0]["line"]
                    # Of equal ones the first in each state.
                    order = (one[0], lines[0], other[0], lines[1])
                    pairs.append((-int(alike * 100), names[0] != names[1], one[0] != other[0], order, one, other))
        taken_old, taken_new = set(), set()
        for *_, one, other in sorted(pairs):
            if one in taken_old or other in taken_new:
                continue
            taken_old.add(one)
            taken_new.add(other)
            last = [name.rpartition(".")[2] for _, name in (one, other)]
            found["moved" if last[0] == last[1] else "renamed"].add((one, other))
        found["removed"] |= {key for key in gone if key not in taken_old}
        found["added"] |= {key for key in came if key not in taken_new and not self.is_inside(key, came)}
        return found

    def kind_of_inner(self, key: Key) -> str:
        """Returns what a change of a part that is not listed is for the definition around it: a type alias is all signature."""
        return "signature" if any(one["kind"] == "type" for one in self.old.get(key, [])) else "body"

    @staticmethod
    def is_inside(key: Key, others: list[Key]) -> bool:
        owner = key[1].rpartition(".")[0]
        return bool(owner) and (key[0], owner) in others

    @staticmethod
    def kept(old: list[dict], new: list[dict]) -> str | None:
        heads = [[head(one) for one in side] for side in (old, new)]
        bodies = [[normal(own_text(one)) for one in side] for side in (old, new)]
        flags = [[any(one[flag] for one in side) for flag in ("exported", "default")] for side in (old, new)]
        if heads[0] != heads[1] or flags[0] != flags[1]:
            return "signature"
        return "body" if bodies[0] != bodies[1] else None

    @staticmethod
    def bag(side: dict[Key, list[dict]], key: Key) -> Counter:
        name = key[1].rpartition(".")[2]
        return Counter(token for one in side[key] for token in TOKEN.findall(one["text"]) if token != name)

    def alike(self, one: Key, other: Key, bags: dict) -> float:
        """Returns the share of common tokens of two definitions of one kind, 0 where they cannot be one."""
        old, new = self.old[one][0], self.new[other][0]
        if old["kind"] != new["kind"]:
            return 0
        mine, theirs = bags[0, one], bags[1, other]
        n_mine, n_theirs = sum(mine.values()), sum(theirs.values())
        if mine == theirs and n_mine:
            if old["owner"] or new["owner"]:
                return 1 if one[0] == other[0] and old["owner"] == new["owner"] or n_mine >= MIN_TOKENS_OF_MEMBERS else 0
            is_near = one[0] == other[0] or one[1] == other[1]
            return 1 if is_near or n_mine >= MIN_TOKENS else 0
        if min(n_mine, n_theirs) < MIN_TOKENS or old["owner"] != new["owner"]:
            return 0
        share = 2 * sum((mine & theirs).values()) / (n_mine + n_theirs)
        names = [key[1].rpartition(".")[2] for key in (one, other)]
        if names[0] != names[1] and share < 1:
            # Marks are alike in any two definitions, and so are short ones.
            mine, theirs = (Counter({token: n for token, n in bag.items() if WORD.match(token)}) for bag in (mine, theirs))
            shared = sum((mine & theirs).values())
            are_strangers = not parts(names[0]) & parts(names[1])
            if 2 * shared < MIN_ALIKE_WORDS * (sum(mine.values()) + sum(theirs.values())) or are_strangers and shared < MIN_WORDS_OF_STRANGERS:
                return 0
        return share if share >= MIN_ALIKE else 0


def answered(server: Server, states: States, base: str, head: str) -> dict[str, set]:
    """Returns the changes that the product lists, in the oracle's terms."""
    found: dict[str, set] = {kind: set() for kind in KINDS}
    cursor, rows = {}, []
    while True:
        reply = server.call("cl_changes", base=base, head=head, include=["body"], limit=500, budget=20_000, **cursor)
        if reply.is_error:
            raise RuntimeError(f"{base}..{head}: {reply.value}")
        rows += reply.value["changes"]
        if "nextCursor" not in reply.value:
            break
        cursor = {"cursor": reply.value["nextCursor"]}
    for row in rows:
        is_read = row["path"] in states.files or row.get("from", {}).get("path") in states.files
        if not is_read or row["kind"] == "reexport":
            continue
        key, kind = (row["path"], row["symbol"]), row["change"]
        if kind in ("moved", "renamed"):
            origin = row["from"]
            before = (origin.get("path", row["path"]), origin.get("symbol", row["symbol"]))
            if before in states.old and key in states.new:
                found[kind].add((before, key))
                continue
            # From or to a definition that the oracle does not list.
            if key in states.new and key not in states.old:
                found["added"].add(key)
            if before in states.old and before not in states.new:
                found["removed"].add(before)
            parts = [around(before, states.old, origin.get("line", row["line"])), around(key, states.new, row["line"])]
            for part in parts:
                if part in states.old and part in states.new:
                    found[states.kind_of_inner(part)].add(part)
            continue
        if states.knows(key):
            found[kind].add(key)
        elif part := around(key, states.old if kind == "removed" else states.new, row["line"]):
            found[states.kind_of_inner(part)].add(part)
    # One whose signature changed as well is listed once.
    found["body"] -= found["signature"]
    for kind in ("body", "signature"):
        found[kind] = {key for key in found[kind] if key in states.old and key in states.new}
    return found


def around(key: Key, side: dict[Key, list[dict]], line: int) -> Key | None:
    """Returns the smallest definition of a state that a line is in."""
    holding = [(one["endLine"] - one["line"], it) for it, all_of in side.items() if it[0] == key[0]
               for one in all_of if one["line"] <= line <= one["endLine"]]
    return min(holding)[1] if holding else None


def compare(history: History, compiler: Compiler | PythonDefinitions, server: Server, base: str, head: str, ends: tuple[str, ...]) -> dict[str, tuple[set, set]]:
    files = [path for path in history.differing(base, head) if path.endswith(ends)]
    texts = [{path: text for path in files if (text := history.text(commit, path)) is not None} for commit in (base, head)]
    sides = [compiler.definitions({path: (path, text) for path, text in side.items()}) for side in texts]
    # A file that the oracle can't read in one state is compared in none.
    files = [path for path in files if all((path in side) == (path in known) for side, known in zip(texts, sides))]
    states = States(files, *sides)
    wanted, found = states.changes(), answered(server, states, base, head)
    return {kind: (wanted[kind], found[kind]) for kind in KINDS}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", type=Path, required=True)
    parser.add_argument("--tools", type=Path, help="needed for TypeScript")
    parser.add_argument("--language", choices=ENDS, default="typescript")
    parser.add_argument("--skip", type=int, default=0, help="pairs at the front that are not compared")
    parser.add_argument("--repo", type=Path, required=True)
    parser.add_argument("--pairs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--from-last", type=int, default=3000, help="draw from so many commits")
    parser.add_argument("--pair", help="only BASE..HEAD")
    parser.add_argument("--home", type=Path, help="data directory to use again")
    args = parser.parse_args()
    rng = random.Random(args.seed)
    history = History(args.repo)
    compiler = PythonDefinitions() if args.language == "python" else Compiler(args.tools)
    commits = history.commits(args.from_last)
    pairs = []
    for _ in range(args.pairs):
        distance = rng.randint(1, min(50, len(commits) - 1))
        at = rng.randrange(len(commits) - distance)
        pairs.append((commits[at + distance], commits[at]))
    pairs = pairs[args.skip:]
    if args.pair:
        pairs = [tuple(args.pair.split(".."))]
    totals: dict[str, Counter] = {kind: Counter() for kind in KINDS}
    with tempfile.TemporaryDirectory() as home:
        server = Server(args.binary.resolve(), args.repo, args.home or Path(home), budget_ms=600_000)
        for number, (base, head) in enumerate(pairs):
            for kind, (wanted, found) in compare(history, compiler, server, base, head, ENDS[args.language]).items():
                totals[kind] += Counter(right=len(wanted & found), more=len(found - wanted), missing=len(wanted - found))
                for what, keys in (("more", found - wanted), ("missing", wanted - found)):
                    for key in sorted(keys)[:5]:
                        print(f"{base[:9]}..{head[:9]} {what} {kind} {key}", flush=True)
            if number % 20 == 19:
                print(f"{number + 1} pairs", flush=True)
        server.close()
    compiler.close()
    is_met = True
    for kind, count in totals.items():
        right, more, missing = count["right"], count["more"], count["missing"]
        precision, recall = (right / max(1, right + other) if right + other else 1.0 for other in (more, missing))
        is_met &= min(precision, recall) >= LEAST[kind]
        print(f"{kind:10} right {right:5} more {more:4} missing {missing:4} precision {precision:.3f} recall {recall:.3f}")
    sys.exit(0 if is_met else 1)


if __name__ == "__main__":
    main()
