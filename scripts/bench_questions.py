"""What the bench asks about: symbols, files and questions of the repository itself, drawn with a seed.

All come from the index, by the tools that an agent has, and the words of its newest commits.
"""

from __future__ import annotations

import random
import re

from bench_repo import Bench
from product import Server

TOOLS = ("current", "search", "explore", "related", "impact", "map", "expand", "stats")
WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
MIN_WORDS = 4


class Sample:
    """So many questions to each tool."""

    def __init__(self, server: Server, bench: Bench, sources: list[str], n: int, seed: int) -> None:
        rng = random.Random(seed)
        self.symbols: list[dict] = []
        for path in rng.sample(sources, len(sources)):
            if len(self.symbols) >= n:
                break
            outline = server.call("cl_map", path=path, all=True).value
            # Some of each file, else a few large ones were all there is.
            found = [symbol | {"path": path} for file in outline.get("files", []) for symbol in file["symbols"]
                     if "handle" in symbol]
            self.symbols += rng.sample(found, min(3, len(found)))
        if not self.symbols:
            raise SystemExit(f"{bench.name}: no file of it has symbols")
        rng.shuffle(self.symbols)
        self.symbols = self.symbols[:n]
        subjects = [line for line in bench.git("log", "--format=%s", "--max-count=2000", bench.commit).splitlines()
                    if len(line.split()) >= MIN_WORDS]
        self.subjects = rng.sample(subjects, min(n, len(subjects)))

    def __len__(self) -> int:
        return len(self.symbols)

    def question(self, n: int) -> str:
        """Returns a name, the words of a name, or the subject of a commit."""
        name = self.symbols[n]["name"].rsplit(".", 1)[-1]
        if n % 3 == 0 and self.subjects:
            return self.subjects[n % len(self.subjects)]
        return name if n % 3 == 1 else " ".join(WORDS.findall(name)).lower() or name

    def arguments(self, tool: str, n: int) -> dict:
        symbol = self.symbols[n]
        if tool in ("search", "explore"):
            return {"query": self.question(n)}
        if tool == "related":
            return {"path": symbol["path"]}
        if tool == "impact":
            return {"handle": symbol["handle"], "depth": 2}
        if tool == "expand":
            return {"handle": symbol["handle"]}
        if tool == "map":
            folder = symbol["path"].rpartition("/")[0]
            return [{"path": symbol["path"]}, {"path": symbol["path"]}, {"path": folder} if folder else {}, {}][n % 4]
        return {}
