"""Checks `collisions` of `codelens changes --with`, against the TypeScript compiler and against merges that did no harm.

    python3 tests/compiler/collisions_test.py --binary target/release/codelens --tools DIRECTORY --repo CLONE [--made 100] [--real 100]

A made pair begins at HEAD. One branch renames a definition with all its uses, removes it, moves it, gives it a required parameter, or
drops its last one; the other adds a copy of a function that uses it. Or both add a function of one name. Counted are the pairs that git merges without a
conflict and whose merge has an error that neither branch has: a pair is found if the answer has a collision of its definition, and right
if the line that it names has such an error. A real pair is two commits of the history that git merges: the parents of a merge, or a commit
and a later one put on the same parent; both were there together, so that each `uses_changed` is false. Leaves with 1 below a recall of
.85 and above .1 false ones a pair. DIRECTORY is where tests/compiler/package.json was installed. CLONE gets commits that no branch has.
Needs Python 3.11, Node and git.
"""

from __future__ import annotations

import argparse
import random
import re
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "harness"))

from compiler import CODES, Compiler, Error  # noqa: E402
from histories import History  # noqa: E402
from mutations import KINDS, Mutation, candidates, mutated  # noqa: E402
from product import Server  # noqa: E402

LEAST_RECALL, MOST_FALSE = 0.85, 0.1
# Two definitions of one name.
TWICE = {2300, 2393, 2451}
# A name that more files hold is not renamed in all of them: most are other names of the same letters.
MAX_RENAMED = 30
MAX_DISTANCE = 30

Texts = dict[str, str | None]


@dataclass(frozen=True)
class Pair:
    """Two sets of changed files of one commit, and the definition at which they meet."""

    kind: str
    path: str
    name: str
    changer: Texts
    user: Texts

    def changes(self, path: str, name: str) -> bool:
        """Whether the changer changes a definition: a rename by words changes each that has the word as its name."""
        if self.kind == "renamed":
            return path in self.changer and name.rpartition(".")[2] == self.name.rpartition(".")[2]
        return (path, name) == (self.path, self.name)


class Program:
    """The texts and definitions of HEAD, for pairs that are made of them."""

    def __init__(self, history: History, compiler: Compiler, folders: list[str]) -> None:
        self.all = candidates(history, compiler, folders)
        self.texts = {path: history.text("HEAD", path) or "" for path in sorted(compiler.files)}
        self.functions = [(path, one) for path, found in compiler.definitions({path: (path, text) for path, text in self.texts.items()}).items()
                          for one in found if one["kind"] == "function" and not one["owner"] and not re.search("test|spec", path)]

    def pair(self, kind: str, path: str, one: dict, rng: random.Random) -> Pair | None:
        """Makes a pair around one definition; `None` where nothing uses it or its text can't be changed."""
        if kind == "added":
            return self.both_added(path, one)
        mutation = mutated(kind, path, self.texts[path], one)
        name = one["name"].rpartition(".")[2]
        uses = re.compile(rf"\b{re.escape(name)}\b")
        users = [(where, it) for where, it in self.functions
                 if uses.search(it["text"].partition("(")[2]) and (where, it["name"]) != (path, one["name"])]
        if not mutation or not users:
            return None
        changer = mutation.texts
        if kind == "renamed":
            changer = self.renamed(mutation, uses, name)
        where, user = rng.choice(users)
        text = self.texts[where]
        copy = re.sub(rf"\b{re.escape(user['name'])}\b", user["name"] + "Copied", user["text"])
        return Pair(kind, path, one["name"], changer, {where: f"{text.rstrip()}\n\n{copy}\n"})

    def renamed(self, mutation: Mutation, uses: re.Pattern, name: str) -> Texts:
        holding = [path for path, text in self.texts.items() if uses.search(text)]
        if len(holding) > MAX_RENAMED:
            return mutation.texts
        return {path: uses.sub(name + "Renamed", self.texts[path]) for path in holding}

    def both_added(self, path: str, one: dict) -> Pair | None:
        text = self.texts[path]
        if one["owner"]:
            return None
        own = "export function addedByBoth(): number {{\n  return {}\n}}\n"
        start = text.rfind("\n", 0, one["start"]) + 1
        before = text[:start].rstrip()
        # Not between a definition and its comment or its other declarations.
        if not before or before[-1] not in "};)'":
            return None
        return Pair("added", path, "addedByBoth", {path: f"{text[:start]}{own.format(1)}\n{text[start:]}"},
                    {path: f"{text.rstrip()}\n\n{own.format(2)}"})

    def merged(self, pair: Pair) -> Texts | None:
        """Merges both sides as git does; `None` where they conflict."""
        found = pair.changer | pair.user
        for path in pair.changer.keys() & pair.user.keys():
            sides = [pair.changer[path], self.texts[path], pair.user[path]]
            if None in sides:
                return None
            with tempfile.TemporaryDirectory() as directory:
                names = [Path(directory) / name for name in ("ours", "base", "theirs")]
                for file, text in zip(names, sides):
                    file.write_text(text, encoding="utf-8")
                ran = subprocess.run(["git", "merge-file", "-p", *names], capture_output=True, text=True, encoding="utf-8")
            if ran.returncode:
                return None
            found[path] = ran.stdout
        return found


def broken_by_both(compiler: Compiler, pair: Pair, merged: Texts) -> list[Error]:
    """Returns the errors of the merged state that neither side has."""
    codes = CODES | TWICE
    found = compiler.new_errors(merged, codes=codes)
    if not found:
        return []
    known = Counter()
    for texts in (pair.changer, pair.user):
        known |= Counter((path, code, message) for path, _, code, message in compiler.new_errors(texts, codes=codes))
    new = []
    for path, line, code, message in found:
        if known[path, code, message]:
            known[path, code, message] -= 1
        else:
            new.append((path, line, code, message))
    return new


def asked(server: Server, base: str, ours: str, theirs: str) -> list[dict]:
    reply = server.call("cl_changes", base=base, head=ours, **{"with": [theirs]}, include=["body"], limit=500, budget=20_000)
    if reply.is_error:
        raise RuntimeError(f"{base} {ours} {theirs}: {reply.value}")
    return reply.value["collisions"]


def made_pairs(args: argparse.Namespace, history: History, compiler: Compiler, server: Server) -> float:
    """Returns the recall over made pairs."""
    rng = random.Random(args.seed)
    program = Program(history, compiler, args.folders)
    rng.shuffle(program.all)
    base = history.git("rev-parse", "HEAD").strip()
    kinds = [*KINDS, "added"]
    counts = {kind: Counter() for kind in kinds}
    n_done = n_tried = 0
    for path, _, one in program.all:
        if n_done == args.made:
            break
        n_tried += 1
        kind = kinds[n_tried % len(kinds)]
        pair = program.pair(kind, path, one, rng)
        merged = pair and program.merged(pair)
        if not merged:
            continue
        # What neither side breaks is an error in the text that the other one added.
        errors = broken_by_both(compiler, pair, merged)
        if not errors:
            continue
        n_done += 1
        sides = [history.commit(base, pair.changer), history.commit(base, pair.user)]
        rng.shuffle(sides)
        found = asked(server, base, *sides)
        own = [it for it in found if it["kind"] in ("uses_changed", "both_added") and pair.changes(it["path"], it["symbol"])]
        lines = {f"{path}:" for path, *_ in errors}
        right = [it for it in own if it["kind"] == "both_added" or any(line in it["detail"] for line in lines)]
        others = [it for it in found if it["kind"] == "uses_changed" and it not in own]
        counts[kind] += Counter(pairs=1, found=bool(right), other=len(others))
        print(f"{kind:9} {path}#{pair.name}: {'found' if right else 'MISSED'}, {len(others)} of other definitions", flush=True)
        if not right:
            for path, line, code, message in errors[:3]:
                print(f"    error {path}:{line} TS{code} {message[:110]}", flush=True)
        for it in others[:3]:
            print(f"    other {it}", flush=True)
    for kind, count in counts.items():
        print(f"{kind:9} pairs {count['pairs']:3} found {count['found']:3} of other definitions {count['other']}")
    total = sum(counts.values(), Counter())
    recall = total["found"] / max(1, total["pairs"])
    print(f"{total['pairs']} made pairs, recall {recall:.3f}", flush=True)
    return recall


def merge_tree(history: History, base: str, ours: str, theirs: str) -> str | None:
    """Returns the tree of a merge; `None` where it has conflicts."""
    said = history.git("merge-tree", "--write-tree", f"--merge-base={base}", ours, theirs, check=False).split("\n")
    return said[0] if len(said) <= 2 and re.fullmatch("[0-9a-f]{40,64}", said[0]) else None


def real_pairs(history: History, count: int, rng: random.Random) -> list[tuple[str, str, str]]:
    """Returns base and both sides of pairs of which each was right beside the other."""
    found = []
    for line in history.git("log", "--merges", "--format=%T %P", "-n400").splitlines():
        tree, ours, *rest = line.split()
        base = history.git("merge-base", ours, rest[0], check=False).strip() if len(rest) == 1 else ""
        if base and base not in (ours, *rest) and merge_tree(history, base, ours, rest[0]) == tree:
            found.append((base, ours, rest[0]))
    rng.shuffle(found)
    found = found[: count // 2]
    commits = history.commits(3000, "--no-merges", "--", "*.ts", "*.tsx", "*.py", "*.js", "*.go", "*.java")
    while len(found) < count and len(commits) > 2 * MAX_DISTANCE:
        at = rng.randrange(MAX_DISTANCE, len(commits) - 1)
        ours, later = commits[at], commits[at - rng.randint(1, MAX_DISTANCE)]
        base = history.git("rev-parse", f"{ours}^").strip()
        tree = merge_tree(history, f"{later}^", base, later)
        if not tree or tree == history.git("rev-parse", f"{base}^{{tree}}").strip():
            continue
        theirs = history.commit_tree(base, tree)
        if merge_tree(history, base, ours, theirs):
            found.append((base, ours, theirs))
    return found


def real_ones(args: argparse.Namespace, history: History, server: Server) -> float:
    """Returns how many false `uses_changed` there are a pair."""
    counts: Counter = Counter()
    pairs = real_pairs(history, args.real, random.Random(args.seed))
    for base, ours, theirs in pairs:
        found = asked(server, base, ours, theirs)
        counts += Counter(it["kind"] for it in found)
        for it in found:
            if it["kind"] == "uses_changed":
                print(f"    false {base[:9]} {ours[:9]} {theirs[:9]} {it}", flush=True)
    rate = counts["uses_changed"] / max(1, len(pairs))
    print(f"{len(pairs)} real pairs, {dict(counts)}, {rate:.3f} false uses_changed a pair", flush=True)
    return rate


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", type=Path, required=True)
    parser.add_argument("--tools", type=Path)
    parser.add_argument("--repo", type=Path, required=True)
    parser.add_argument("--config", default="tsconfig.json")
    parser.add_argument("--include", nargs="*", help="globs of the program, where the configuration's are too many")
    parser.add_argument("--folders", nargs="*", default=[], help="change definitions only below these")
    parser.add_argument("--made", type=int, default=100)
    parser.add_argument("--real", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--home", type=Path, help="data directory to use again")
    args = parser.parse_args()
    history = History(args.repo)
    is_met = True
    with tempfile.TemporaryDirectory() as home:
        server = Server(args.binary.resolve(), args.repo, args.home or Path(home), budget_ms=600_000)
        if args.real:
            is_met &= real_ones(args, history, server) <= MOST_FALSE
        if args.made:
            compiler = Compiler(args.tools)
            print(f"{compiler.open(args.repo, args.config, args.include)} errors before", flush=True)
            is_met &= made_pairs(args, history, compiler, server) >= LEAST_RECALL
            compiler.close()
        server.close()
    sys.exit(0 if is_met else 1)


if __name__ == "__main__":
    main()
