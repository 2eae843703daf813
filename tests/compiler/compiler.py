"""The TypeScript compiler as the judge of tests: definitions of a text, and errors of a work tree with some texts replaced."""

from __future__ import annotations

import json
import subprocess
from collections import Counter
from pathlib import Path

# A name or member that is not there, a module or namespace (`import * as a`) without the name, a module not there at all, too few arguments.
CODES = {2304, 2305, 2307, 2339, 2551, 2552, 2554, 2694, 2724}
NO_MODULE = 2307

Error = tuple[str, int, int, str]


class Compiler:
    """A process of compiler/compiler.mjs; `tools` is where its package.json was installed."""

    def __init__(self, tools: Path) -> None:
        script = Path(__file__).resolve().parent / "compiler.mjs"
        self.process = subprocess.Popen(["node", "--max-old-space-size=4096", script, tools.resolve()], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True, encoding="utf-8")
        self.errors: list[Error] = []
        self.files: set[str] = set()

    def _ask(self, **question: object) -> dict:
        self.process.stdin.write(json.dumps(question) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError("the compiler ended")
        answer = json.loads(line)
        if "failed" in answer:
            raise RuntimeError(answer["failed"])
        return answer

    def definitions(self, texts: dict[str, tuple[str, str]]) -> dict[str, list[dict]]:
        """Returns the definitions of each text, by key; a text is a path, which tells its dialect, and its content."""
        asked = [{"key": key, "path": path, "text": text} for key, (path, text) in texts.items()]
        return self._ask(definitions=asked) if asked else {}

    def open(self, root: Path, config: str, include: list[str] | None = None) -> int:
        """Checks a work tree as it is, and returns how many errors it has."""
        opened = self._ask(open={"root": str(root.resolve()), "config": config} | ({"include": include} if include else {}))
        self.files = set(opened["files"])
        self.errors = [tuple(error) for error in self._ask(check={})["errors"]]
        return len(self.errors)

    def blind_files(self) -> set[str]:
        """Returns the files with an import that the compiler can't follow: it says nothing of what they use by it."""
        return {path for path, _, code, _ in self.errors if code == NO_MODULE}

    def new_errors(self, texts: dict[str, str | None], base: list[Error] | None = None, codes: set[int] | None = CODES) -> list[Error]:
        """Returns the errors, of all codes with `None`, that the work tree has with these texts (`None`: without the file) and has not without them."""
        found = [tuple(error) for error in self._ask(check=texts)["errors"]]
        # Lines move; what is said of which file does not.
        known = Counter((path, code, message) for path, _, code, message in (self.errors if base is None else base))
        new = []
        for path, line, code, message in found:
            if known[path, code, message]:
                known[path, code, message] -= 1
            elif codes is None or code in codes:
                new.append((path, line, code, message))
        return new

    def check(self, texts: dict[str, str | None]) -> list[Error]:
        """Returns all errors that the work tree has with these texts."""
        return [tuple(error) for error in self._ask(check=texts)["errors"]]

    def close(self) -> None:
        self.process.stdin.close()
        self.process.wait()
