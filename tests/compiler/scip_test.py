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
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "harness"))

from checks import Checks  # noqa: E402
from product import environment  # noqa: E402

MIN_DEFINITIONS, MIN_FOUND, MIN_RIGHT = 0.97, 0.95, 0.97
DEFINITION = 1
MAX_SHOWN = 15

# Fields of the messages `Index`, `Document` and `Occurrence` of scip.proto.
DOCUMENTS, PATH, OCCURRENCES, RANGE, SYMBOL, ROLES = 2, 1, 2, 1, 2, 3

Place = tuple[str, tuple[int, ...]]


def varint(data: bytes, at: int) -> tuple[int, int]:
    """Returns the number that begins at a byte, and the byte behind it."""
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    """Yields the fields of a message of Protocol Buffers: numbers, and what has a length as bytes."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        number, wire = key >> 3, key & 7
        if wire == 0:
            value, at = varint(data, at)
            yield number, value
            continue
        length, at = varint(data, at) if wire == 2 else ({1: 8, 5: 4}[wire], at)
        yield number, data[at : at + length]
        at += length


class Scip:
    """One file of SCIP: where each symbol is defined, and what each place uses."""

    def __init__(self, file: Path) -> None:
        self.paths: set[str] = set()
        self.definitions: dict[object, set[Place]] = {}
        self.uses: dict[Place, set[object]] = {}
        for number, document in fields(file.read_bytes()):
            if number == DOCUMENTS:
                self.read(list(fields(document)))

    def read(self, document: list[tuple[int, int | bytes]]) -> None:
        """Reads a document."""
        path = next(value for number, value in document if number == PATH).decode()
        self.paths.add(path)
        for number, occurrence in document:
            if number != OCCURRENCES:
                continue
            parts = dict(fields(occurrence))
            numbers, at = [], 0
            while at < len(parts.get(RANGE, b"")):
                value, at = varint(parts[RANGE], at)
                numbers.append(value)
            place = path, tuple(numbers)
            name = parts.get(SYMBOL, b"").decode()
            # Local symbols are numbered in each document.
            symbol = (path, name) if name.startswith("local ") else name
            if parts.get(ROLES, 0) & DEFINITION:
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
