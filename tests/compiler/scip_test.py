"""The export to SCIP of a TypeScript repository, held against scip-typescript's own file for the same commit.

    npm install --prefix DIRECTORY @sourcegraph/scip-typescript
    python3 tests/compiler/scip_test.py --binary target/release/codelens --repo vuejs-core --tools DIRECTORY

No dependency of the repository has to be installed. Compared are documents that both have. A definition of theirs counts unless it is a
parameter, a type parameter or a key of an object without a type, which are no definitions here. A use counts once for each of its places,
and is found where one of the definitions that they name there is one that we name.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "harness"))

from checks import Checks  # noqa: E402
from product import environment  # noqa: E402
from scip import documents  # noqa: E402

MIN_DEFINITIONS, MIN_FOUND, MIN_RIGHT = 0.97, 0.95, 0.97
MAX_SHOWN = 15

Place = tuple[str, tuple[int, ...]]


class Scip:
    """One file of SCIP: where each symbol is defined, and what each place uses."""

    def __init__(self, file: Path) -> None:
        self.paths: set[str] = set()
        self.definitions: dict[object, set[Place]] = {}
        self.uses: dict[Place, set[object]] = {}
        for path, occurrences in documents(file.read_bytes()):
            self.paths.add(path)
            for one in occurrences:
                place = path, one.range
                # Local symbols are numbered in each document.
                symbol = (path, one.symbol) if one.symbol.startswith("local ") else one.symbol
                if one.is_definition:
                    self.definitions.setdefault(symbol, set()).add(place)
                else:
                    self.uses.setdefault(place, set()).add(symbol)

    def means(self, symbols: set[object]) -> set[Place]:
        """Returns where some symbols are defined."""
        return set().union(*(self.definitions.get(symbol, set()) for symbol in symbols))


def is_named(symbol: object) -> bool:
    """Whether a symbol of scip-typescript is a definition here."""
    if not isinstance(symbol, str) or symbol.endswith((":", "/", "]")):
        return False
    last = symbol.split("`")[-1]
    return not re.search(r"\(\w[^)]*\)$", symbol) and not re.search(r"\d+:", last)


def share(checks: Checks, what: str, all_places: list[Place], right: list[Place], least: float) -> None:
    """Checks a share, and prints some of the rest."""
    value = len(right) / max(len(all_places), 1)
    print(f"{what}: {len(right)} of {len(all_places)}, {value:.3f} (at least {least})", flush=True)
    rest = sorted(set(all_places) - set(right))
    for path, numbers in random.Random(1).sample(rest, min(MAX_SHOWN, len(rest))):
        print(f"    {path}:{numbers[0] + 1}:{numbers[1] + 1}")
    checks.that(what, all_places and value >= least, value)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", type=Path, required=True)
    parser.add_argument("--repo", type=Path, required=True)
    parser.add_argument("--tools", type=Path, required=True)
    arguments = parser.parse_args()
    checks = Checks()
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory)
        ours, theirs = root / "ours.scip", root / "theirs.scip"
        export = [arguments.binary.resolve(), "export", "--format", "scip", "--output", ours]
        subprocess.run(export, cwd=arguments.repo, env=environment(root / "home"), check=True)
        indexer = arguments.tools.resolve() / "node_modules/@sourcegraph/scip-typescript/dist/src/main.js"
        subprocess.run(["node", indexer, "index", "--output", theirs], cwd=arguments.repo, env=os.environ, check=True)
        ours, theirs = Scip(ours), Scip(theirs)
    both = ours.paths & theirs.paths
    defined_here = set().union(*ours.definitions.values())
    named = [place for symbol, places in theirs.definitions.items() if is_named(symbol) for place in places if place[0] in both]
    share(checks, "definitions at the same range", named, [place for place in named if place in defined_here], MIN_DEFINITIONS)
    globals_here = {
        place: ours_there
        for place, symbols in theirs.uses.items()
        if place[0] in both and (ours_there := theirs.means({it for it in symbols if isinstance(it, str)}) & defined_here)
    }
    found = [place for place, defined in globals_here.items() if ours.means(ours.uses.get(place, set())) & defined]
    share(checks, "uses of definitions that are ours", list(globals_here), found, MIN_FOUND)
    told = [place for place, symbols in ours.uses.items() if place in theirs.uses and ours.means(symbols)]
    right = [place for place in told if ours.means(ours.uses[place]) & theirs.means(theirs.uses[place])]
    share(checks, "our uses that are theirs", told, right, MIN_RIGHT)
    checks.end()


if __name__ == "__main__":
    main()
