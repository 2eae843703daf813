"""Changes of one definition by text: it is renamed, removed, moved to a new file, given a required parameter, or loses its last one."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from compiler import Compiler
from histories import History

KINDS = ("renamed", "removed", "moved", "parameter", "dropped")
FUNCTIONS = ("function", "method")


@dataclass(frozen=True)
class Mutation:
    """One definition that is changed, and the texts that its files have then."""

    kind: str
    path: str
    name: str
    texts: dict[str, str | None]
    # The last name of the definition, and those of its members.
    names: tuple[str, ...]


def mutated(kind: str, path: str, text: str, one: dict) -> Mutation | None:
    """Returns the file with one definition changed; `None` where that can't be done by text alone."""
    # Offsets count UTF-16 units, which are characters in these files.
    if any(ord(char) > 0xFFFF for char in text):
        return None
    start, end, name = one["start"], one["end"], one["name"].rpartition(".")[2]
    own = text[start:end]
    names = (name, *one["memberNames"])
    if kind == "renamed":
        at = re.search(rf"\b{re.escape(name)}\b", own)
        if not at:
            return None
        changed = own[: at.start()] + name + "Renamed" + own[at.end():]
        return Mutation(kind, path, one["name"], {path: text[:start] + changed + text[end:]}, names)
    if kind == "removed":
        return Mutation(kind, path, one["name"], {path: text[:start] + text[end:].lstrip(",; ")}, names)
    if kind == "moved":
        if one["owner"] or not one["exported"] or not own.startswith("export "):
            return None
        there = re.sub(r"\.tsx?$", "", path) + "Moved" + Path(path).suffix
        return Mutation(kind, path, one["name"], {path: text[:start] + text[end:], there: own + "\n"}, names)
    if kind == "parameter":
        at = re.search(r"\(", own[own.index(name):] if name in own else "")
        if one["kind"] not in FUNCTIONS or not at:
            return None
        at = start + own.index(name) + at.end()
        rest = text[at:].lstrip()
        if rest.startswith("this"):
            return None
        added = "addedParameter: any" + ("" if rest.startswith(")") else ", ")
        return Mutation(kind, path, one["name"], {path: text[:at] + added + text[at:]}, names)
    if kind == "dropped":
        parameters = one["parameters"]
        if one["kind"] not in FUNCTIONS or not parameters or parameters[-1]["rest"]:
            return None
        # With the comma before it, or, of a single one, after it.
        cut = parameters[-2]["end"] if len(parameters) > 1 else parameters[0]["start"]
        rest = text[parameters[-1]["end"]:]
        rest = re.sub(r"^\s*,", "", rest) if len(parameters) == 1 else rest
        return Mutation(kind, path, one["name"], {path: text[:cut] + rest}, names)
    raise ValueError(kind)


def candidates(history: History, compiler: Compiler, folders: list[str]) -> list[tuple[str, str, dict]]:
    """Returns the definitions of HEAD: file, its text, definition. Overloads are left out: their text is in several places."""
    paths = [path for path in history.git("ls-tree", "-r", "--name-only", "-z", "HEAD").split("\0")[:-1]
             if re.search(r"\.tsx?$", path) and not path.endswith(".d.ts") and not re.search(r"test|spec|__|examples|stories", path)
             and (not folders or any(path.startswith(folder) for folder in folders))]
    texts = {path: history.text("HEAD", path) or "" for path in paths}
    found = []
    for path, definitions in compiler.definitions({path: (path, text) for path, text in texts.items()}).items():
        names = Counter(one["name"] for one in definitions)
        for one in definitions:
            is_usable = names[one["name"]] == 1 and one["kind"] in (*FUNCTIONS, "class", "interface", "type", "constant", "enum", "field", "property")
            is_seen = one["exported"] and len(one["name"].rpartition(".")[2]) > 3 and "#" not in one["name"]
            if is_usable and is_seen and one["line"] < 4000 and path in compiler.files:
                found.append((path, texts[path], one))
    return found
