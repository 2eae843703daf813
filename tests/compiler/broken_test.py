"""Compares `broken` of `codelens changes` with the TypeScript compiler's new errors, over commits that a script mutates.

    python3 tests/compiler/broken_test.py --binary target/release/codelens --tools DIRECTORY --repo CLONE [--config tsconfig.json] [--commits 100]

Each commit takes one definition of HEAD and renames it, removes it, moves it to a new file, gives it a required parameter, or drops its
last one; nothing else is changed. The compiler checks both states: its new errors (2304, 2305, 2307, 2339, 2551, 2552, 2554, 2694, 2724) outside of the moved
text are the truth, where they name the definition or a member of it. One of another name is no use of it: where a type guard is gone, its
callers lack the members of the narrowed type. An error is found if an entry of `broken` has its line. An entry is right if one of its lines has a
new error of whatever code: a key of an object literal whose property is gone is 2353, an import of a file that exports nothing any more 2306.
Leaves with 1 below a precision of .97 or a recall of .90. `--include` narrows the program. CLONE gets commits that no branch has.
DIRECTORY is where tests/compiler/package.json was installed. Needs Python 3.11, Node and git.
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

from compiler import CODES, Compiler, Error  # noqa: E402
from histories import History  # noqa: E402
from mutations import KINDS, candidates, mutated  # noqa: E402
from product import Server  # noqa: E402

LEAST_PRECISION, LEAST_RECALL = 0.97, 0.90
# Larger answers are cut to what a client takes.
MAX_ERRORS = 80


def asked(server: Server, base: str, head: str) -> tuple[list[dict], int]:
    reply = server.call("cl_changes", base=base, head=head, include=["body"], limit=500, budget=20_000)
    if reply.is_error:
        raise RuntimeError(f"{base}..{head}: {reply.value}")
    return reply.value["broken"], reply.value["brokenTotal"]


def judged(broken: list[dict], errors: list[Error], of_any_code: list[Error]) -> tuple[list[dict], list[dict], list[Error], list[Error]]:
    """Returns right and wrong entries, found and missed errors."""
    lines = {(path, line) for path, line, *_ in of_any_code}
    of = [{(one["path"], line) for line in (one["line"], *one.get("also", []))} for one in broken]
    right = [one for one, its in zip(broken, of) if its & lines]
    wrong = [one for one, its in zip(broken, of) if not its & lines]
    listed = set().union(*of) if of else set()
    found = [error for error in errors if error[:2] in listed]
    missed = [error for error in errors if error[:2] not in listed]
    return right, wrong, found, missed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", type=Path, required=True)
    parser.add_argument("--tools", type=Path, required=True)
    parser.add_argument("--repo", type=Path, required=True)
    parser.add_argument("--config", default="tsconfig.json")
    parser.add_argument("--include", nargs="*", help="globs of the program, where the configuration's are too many")
    parser.add_argument("--folders", nargs="*", default=[], help="mutate only below these")
    parser.add_argument("--commits", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=KINDS)
    parser.add_argument("--home", type=Path, help="data directory to use again")
    args = parser.parse_args()
    rng = random.Random(args.seed)
    history, compiler = History(args.repo), Compiler(args.tools)
    print(f"{compiler.open(args.repo, args.config, args.include)} errors before", flush=True)
    seen = compiler.files - compiler.blind_files()
    all_of = candidates(history, compiler, args.folders)
    rng.shuffle(all_of)
    base = history.git("rev-parse", "HEAD").strip()
    counts: dict[str, Counter] = {kind: Counter() for kind in KINDS}
    kinds = [args.only] if args.only else list(KINDS)
    n_done = n_silent = 0
    with tempfile.TemporaryDirectory() as home:
        server = Server(args.binary.resolve(), args.repo, args.home or Path(home), budget_ms=600_000)
        for path, text, one in all_of:
            if n_done == args.commits:
                break
            kind = kinds[n_done % len(kinds)]
            mutation = mutated(kind, path, text, one)
            if not mutation:
                continue
            of_any_code = compiler.new_errors(mutation.texts, codes=None)
            errors = [error for error in of_any_code if error[2] in CODES]
            there = [path for path in mutation.texts if path != mutation.path]
            names = re.compile("|".join(rf"'{re.escape(name)}'" for name in mutation.names))
            errors = [error for error in errors if error[0] in seen and error[0] not in there
                      and (error[2] in (2307, 2554) or names.search(error[3]))]
            if len(errors) > MAX_ERRORS:
                continue
            # One that breaks nothing tells about precision alone: every tenth is enough.
            if not errors:
                n_silent += 1
                if n_silent % 4:
                    continue
            head = history.commit(base, mutation.texts)
            broken, total = asked(server, base, head)
            if total > len(broken):
                continue
            broken = [one for one in broken if one["path"] in seen]
            n_done += 1
            right, wrong, found, missed = judged(broken, errors, of_any_code)
            counts[kind] += Counter(commits=1, right=len(right), wrong=len(wrong), found=len(found), missed=len(missed))
            print(f"{kind:9} {mutation.path}#{mutation.name}: {len(right)} right, {len(wrong)} wrong, {len(missed)} missed", flush=True)
            for entry in wrong[:4]:
                print(f"    wrong  {entry['path']}:{entry['line']} {entry['text'][:90]!r} {entry['uses']} {entry['provenance']}", flush=True)
            for error in missed[:4]:
                print(f"    missed {error[0]}:{error[1]} TS{error[2]} {error[3][:110]}", flush=True)
        server.close()
    compiler.close()
    total = sum(counts.values(), Counter())
    for kind, count in [*counts.items(), ("all", total)]:
        precision = count["right"] / max(1, count["right"] + count["wrong"])
        recall = count["found"] / max(1, count["found"] + count["missed"])
        print(f"{kind:9} commits {count['commits']:3} entries right {count['right']:4} wrong {count['wrong']:3} "
              f"errors found {count['found']:4} missed {count['missed']:3} precision {precision:.3f} recall {recall:.3f}")
    precision = total["right"] / max(1, total["right"] + total["wrong"])
    recall = total["found"] / max(1, total["found"] + total["missed"])
    sys.exit(0 if precision >= LEAST_PRECISION and recall >= LEAST_RECALL else 1)


if __name__ == "__main__":
    main()
