"""Questions whose right answer follows from the state of a known repository, and what an answer said.

A question has `truth(state)`, the whole of what a `fresh` answer must show, and `claims(value)`: each single thing
that an answer shows without calling it stale, which must hold in some state that was there during the call.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass

from known_repo import FOLDER, N_ROOTS, UNKNOWN_HEAD, File, State, World, place
from product import Reply

ABSENT = ("path_not_found", "not_indexed")
MARK = re.compile(r"mark(\d{3})v(\d{6})")


@dataclass(frozen=True)
class Question:
    """One call. `subject` is a file's number, path or version, by the kind."""

    tool: str
    arguments: tuple[tuple[str, object], ...]

    def ask(self, client) -> Reply:
        return client.call(self.tool, **dict(self.arguments))

    def __str__(self) -> str:
        return f"{self.tool} {dict(self.arguments)}"

    def truth(self, state: State) -> object:
        raise NotImplementedError

    def shown(self, reply: Reply) -> object:
        raise NotImplementedError

    def claims(self, value: dict) -> list:
        """Returns functions of a state that say whether it bears out one thing that is shown as current."""
        raise NotImplementedError


def _file(state: State, path: str) -> File | None:
    return state.files.get(path)


def _has(path: str, symbols: tuple) -> object:
    def holds(state: State) -> bool:
        file = _file(state, path)
        return file is not None and file.symbols() == symbols

    return holds


class Outline(Question):
    """The outline of one file, or of a folder."""

    @property
    def path(self) -> str:
        return dict(self.arguments)["path"]

    def truth(self, state: State) -> object:
        if self.path.endswith(".ts"):
            file = _file(state, self.path)
            return None if file is None else frozenset({(self.path, file.symbols())})
        return frozenset((path, file.symbols()) for path, file in state.files.items()
                         if path.startswith(self.path + "/") and file.symbols()) or None

    @staticmethod
    def _symbols(file: dict) -> tuple:
        return tuple((s["name"], s["startLine"], s.get("endLine", s["startLine"])) for s in file["symbols"])

    def shown(self, reply: Reply) -> object:
        if reply.is_error:
            return None
        return frozenset((file["path"], self._symbols(file)) for file in reply.value["files"])

    def claims(self, value: dict) -> list:
        return [_has(file["path"], self._symbols(file)) for file in value["files"] if not file.get("stale")]


class Find(Question):
    """A search for a name that is in one file at most."""

    @property
    def name(self) -> str:
        return dict(self.arguments)["query"]

    def truth(self, state: State) -> object:
        return frozenset((path, symbol[0], symbol[2]) for path, file in state.files.items()
                         for symbol in file.symbols() if symbol[0] == self.name)

    def shown(self, reply: Reply) -> object:
        hits = reply.value.get("results", [])
        return frozenset((hit["path"], hit["symbol"], int(hit["lines"].split("-")[1]))
                         for hit in hits if hit.get("symbol") == self.name)

    def claims(self, value: dict) -> list:
        found = []
        for hit in value["results"]:
            if hit["path"].startswith(FOLDER + "/") and not hit.get("stale"):
                found.append(self._hit(hit))
        return found

    @staticmethod
    def _hit(hit: dict):
        # What is written above a definition may be shown with it: the last line tells where it is.
        last = int(hit["lines"].split("-")[1])

        def holds(state: State) -> bool:
            file = _file(state, hit["path"])
            if file is None:
                return False
            known = {symbol[0]: symbol[2] for symbol in file.symbols()}
            if hit.get("symbol") and known.get(hit["symbol"]) != last:
                return False
            return all(mark == file.mark for mark in
                       (match[0] for match in MARK.finditer(hit["preview"].replace("*", ""))))

        return holds


class Callers(Question):
    """Who calls what a root defines."""

    @property
    def root(self) -> int:
        return int(dict(self.arguments)["symbol"][4:])

    def truth(self, state: State) -> object:
        return state.callers(self.root)

    def shown(self, reply: Reply) -> object:
        return frozenset((it["path"], it.get("symbol"), it["line"]) for it in reply.value.get("callers", []))

    def claims(self, value: dict) -> list:
        found = [(it["path"], it.get("symbol"), it["line"]) for it in value["callers"] if not it.get("stale")]
        files = [it["path"] for it in value["affectedFiles"] if not it.get("stale")]
        return ([lambda state, it=it: it in state.callers(self.root) for it in found]
                + [lambda state, path=path: path in state.importers(self.root) for path in files])


class Importers(Question):
    """Which files import a root."""

    @property
    def root(self) -> int:
        return int(dict(self.arguments)["path"][-6:-3])

    def truth(self, state: State) -> object:
        return state.importers(self.root)

    def shown(self, reply: Reply) -> object:
        return frozenset(it["path"] for it in reply.value.get("results", []))

    def claims(self, value: dict) -> list:
        found = [it["path"] for it in value["results"] if not it.get("stale")]
        return [lambda state, path=path: path in state.importers(self.root) for path in found]


class Imports(Question):
    """What a file imports."""

    @property
    def path(self) -> str:
        return dict(self.arguments)["path"]

    def truth(self, state: State) -> object:
        file = _file(state, self.path)
        if file is None:
            return None
        return frozenset() if file.target is None or file.is_empty else frozenset({place(file.target)})

    def shown(self, reply: Reply) -> object:
        return None if reply.is_error else frozenset(it["path"] for it in reply.value["results"])

    def claims(self, value: dict) -> list:
        found = [it["path"] for it in value["results"] if not it.get("stale")]
        return [lambda state, to=to: to in (self.truth(state) or ()) for to in found]


class Text(Question):
    """The bytes of a file."""

    @property
    def path(self) -> str:
        return dict(self.arguments)["path"]

    def truth(self, state: State) -> object:
        file = _file(state, self.path)
        return None if file is None else file.text()

    def shown(self, reply: Reply) -> object:
        return None if reply.is_error else reply.value["content"]

    def claims(self, value: dict) -> list:
        return [lambda state: value["content"] == self.truth(state)]


class Standing(Question):
    """What is checked out; of a commit that is just being made only the branch is known."""

    def truth(self, state: State) -> object:
        return (state.branch, state.head)

    @staticmethod
    def is_of(value: dict, state: State) -> bool:
        return value["branch"] == state.branch and state.head in (UNKNOWN_HEAD, value["headSha"])

    def shown(self, reply: Reply) -> object:
        return (reply.value.get("branch"), reply.value.get("headSha"))

    def claims(self, value: dict) -> list:
        return [lambda state: (state.branch, state.head) == (value["branch"], value["headSha"])]


def outline(path: str) -> Question:
    limit = () if path.endswith(".ts") else (("limit", 200), ("budget", 50_000))
    return Outline("cl_map", (("path", path), ("all", True), *limit))


def find(name: str) -> Question:
    return Find("cl_search", (("query", name), ("limit", 5)))


def callers(root: int) -> Question:
    return Callers("cl_impact", (("symbol", f"base{root:03}"), ("depth", 1), ("limit", 500)))


def importers(root: int) -> Question:
    return Importers("cl_related", (("path", place(root)), ("types", ["imported_by"]), ("depth", 1), ("limit", 500)))


def imports(path: str) -> Question:
    return Imports("cl_related", (("path", path), ("types", ["imports"]), ("direction", "out"), ("depth", 1)))


def any_question(world: World, rng: random.Random) -> Question:
    """Returns a question about what is there now or was a moment ago."""
    era = rng.choice(world.eras[-8:] if rng.random() < 0.3 else world.eras[-1:])
    path = rng.choice(sorted(era.state.files))
    file = era.state.files[path]
    root = rng.randrange(N_ROOTS)
    return rng.choice((
        lambda: outline(path), lambda: outline(path.rpartition("/")[0]), lambda: find(file.base), lambda: find(file.mark),
        lambda: find(file.mark), lambda: callers(root), lambda: callers(root), lambda: importers(root), lambda: imports(path),
        lambda: Text("cl_expand", (("path", path), ("budget", 4000))), lambda: Standing("cl_current", ()),
    ))()


def every_question(state: State, n_paths: int, rng: random.Random) -> list[Question]:
    """Returns questions that together show whether an index is right: all edges, all outlines, some names."""
    paths = rng.sample(sorted(state.files), min(n_paths, len(state.files)))
    folders = sorted({path.rpartition("/")[0] for path in state.files})
    return ([outline(folder) for folder in folders] + [callers(root) for root in range(N_ROOTS)]
            + [importers(root) for root in range(N_ROOTS)] + [imports(path) for path in paths]
            + [find(state.files[path].mark) for path in paths] + [find(state.files[path].base) for path in paths])
