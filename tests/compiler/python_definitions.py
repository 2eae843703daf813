"""The definitions of a Python text by the `ast` module, in the form of tests/compiler/compiler.py, for changes_test.py.

Lists functions and classes of the top level with their members and the attributes that methods assign, and the names that statements
of the top level bind; functions in functions belong to the definition around them.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


class PythonDefinitions:
    """Answers like `Compiler.definitions`."""

    def definitions(self, texts: dict[str, tuple[str, str]]) -> dict[str, list[dict]]:
        """Returns the definitions of each text, by key; nothing of one that is no Python 3."""
        found = {}
        for key, (_, text) in texts.items():
            try:
                found[key] = PythonText(text).definitions()
            except SyntaxError:
                continue
        return found

    def close(self) -> None:
        """Ends nothing: no process was begun."""


class PythonText:
    """One text, with the offsets of its lines."""

    def __init__(self, text: str) -> None:
        # `ast` counts lines by these ends alone.
        self.text = text
        self.lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n") if "\r" in text else text.split("\n")
        self.raw = "\n".join(self.lines)
        self.starts = [0]
        for line in self.lines:
            self.starts.append(self.starts[-1] + len(line) + 1)
        self.found: list[dict] = []
        self.code = self.raw
        self.offered: set[str] | None = None
        self.imported: set[str] = set()

    def without_comments(self) -> str:
        """Returns the text with blanks in the place of comments."""
        code = self.raw
        for token in tokenize.generate_tokens(io.StringIO(self.raw).readline):
            if token.type == tokenize.COMMENT:
                start = self.starts[token.start[0] - 1] + token.start[1]
                code = code[:start] + " " * len(token.string) + code[start + len(token.string) :]
        return code

    def offset(self, line: int, column: int) -> int:
        """Returns the offset of a place of `ast`, whose columns are bytes."""
        text = self.lines[line - 1].encode("utf-8", "surrogatepass")[:column].decode("utf-8", "replace")
        return self.starts[line - 1] + len(text)

    def definitions(self) -> list[dict]:
        tree = ast.parse(self.raw)
        self.code = self.without_comments()
        self.offered = self.named_in_all(tree)
        imports = [one for one in ast.walk(tree) if isinstance(one, (ast.Import, ast.ImportFrom))]
        self.imported = {(it.asname or it.name).partition(".")[0] for one in imports for it in one.names}
        self.block("", tree.body)
        return self.found

    @staticmethod
    def named_in_all(tree: ast.Module) -> set[str] | None:
        names: set[str] | None = None
        for one in tree.body:
            targets = one.targets if isinstance(one, ast.Assign) else [one.target] if isinstance(one, (ast.AugAssign, ast.AnnAssign)) else []
            if any(isinstance(it, ast.Name) and it.id == "__all__" for it in targets):
                value = getattr(one, "value", None)
                elements = value.elts if isinstance(value, (ast.List, ast.Tuple)) else []
                names = (names or set()) | {it.value for it in elements if isinstance(it, ast.Constant) and isinstance(it.value, str)}
        return names

    def block(self, owner: str, body: list[ast.stmt]) -> None:
        for one in body:
            if isinstance(one, FUNCTIONS):
                self.function(owner, one)
            elif isinstance(one, ast.ClassDef):
                self.add(owner, one.name, "class", one, self.body_start(one), self.members(one.body))
                path = f"{owner}.{one.name}".lstrip(".")
                self.block(path, one.body)
                self.attributes(path, one)
            elif isinstance(one, (ast.Assign, ast.AnnAssign)):
                targets = one.targets if isinstance(one, ast.Assign) else [one.target]
                for name in {it: None for target in targets for it in self.names(target)}:
                    # `json = None` beside `import json` is no definition of its own, and `__all__` none at all.
                    if not owner and (name in self.imported or name.startswith("__")):
                        continue
                    kind = "field" if owner else "type" if self.is_type(one.value) else "constant" if name.isupper() else "variable"
                    last = one.annotation if isinstance(one, ast.AnnAssign) else targets[-1]
                    self.add(owner, name, kind, one, self.offset(last.end_lineno, last.end_col_offset), [])
            else:
                for inner in self.blocks_of(one):
                    self.block(owner, inner)

    def attributes(self, owner: str, around: ast.ClassDef) -> None:
        """Adds the attributes that methods of a class give to `self`, each where that is done first."""
        known = {one["name"] for one in self.found}
        for method in around.body:
            parameters = method.args.posonlyargs + method.args.args if isinstance(method, FUNCTIONS) else []
            if not parameters:
                continue
            assigned = [one for one in ast.walk(method) if isinstance(one, (ast.Assign, ast.AnnAssign))]
            for one in sorted(assigned, key=lambda it: (it.lineno, it.col_offset)):
                targets = one.targets if isinstance(one, ast.Assign) else [one.target]
                for target in [part for it in targets for part in (it.elts if isinstance(it, (ast.Tuple, ast.List)) else [it])]:
                    is_own = isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and target.value.id == parameters[0].arg
                    if is_own and f"{owner}.{target.attr}" not in known:
                        known.add(f"{owner}.{target.attr}")
                        last = one.annotation if isinstance(one, ast.AnnAssign) else targets[-1]
                        self.add(owner, target.attr, "field", one, self.offset(last.end_lineno, last.end_col_offset), [])

    @staticmethod
    def is_type(value: ast.expr | None) -> bool:
        """Whether a value is a type: `Union[A, B]`, `t.Callable[[A], B]`."""
        base = value.value if isinstance(value, ast.Subscript) else None
        name = base.attr if isinstance(base, ast.Attribute) else base.id if isinstance(base, ast.Name) else ""
        return name in ("Callable", "Dict", "List", "Literal", "Optional", "Tuple", "Type", "Union")

    @staticmethod
    def blocks_of(one: ast.stmt) -> list[list[ast.stmt]]:
        """Returns the blocks of a statement that runs where it stands: `if`, `try`, `with`, loops."""
        blocks = [getattr(one, part, []) for part in ("body", "orelse", "finalbody")]
        blocks += [handler.body for handler in getattr(one, "handlers", [])]
        return [block for block in blocks if isinstance(block, list)]

    def names(self, target: ast.expr) -> list[str]:
        if isinstance(target, ast.Name):
            return [target.id]
        if isinstance(target, (ast.Tuple, ast.List)):
            return [name for it in target.elts for name in self.names(it)]
        if isinstance(target, ast.Starred):
            return self.names(target.value)
        return []

    def function(self, owner: str, one: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        decorators = {it.attr if isinstance(it, ast.Attribute) else getattr(it, "id", "") for it in one.decorator_list}
        is_property = owner and decorators & {"property", "cached_property", "setter", "getter", "deleter"}
        kind = "function" if not owner else "property" if is_property else "constructor" if one.name == "__init__" else "method"
        self.add(owner, one.name, kind, one, self.body_start(one), [])

    def start(self, one: ast.stmt) -> int:
        """Returns where a statement begins, its decorators included."""
        decorators = getattr(one, "decorator_list", [])
        if not decorators:
            return self.offset(one.lineno, one.col_offset)
        first = self.offset(decorators[0].lineno, decorators[0].col_offset)
        return self.raw.rindex("@", 0, first)

    def members(self, body: list[ast.stmt]) -> list[tuple[int, int]]:
        """Returns the places of the members of a class, each with the comments above it."""
        found, before = [], None
        for one in body:
            if isinstance(one, (*FUNCTIONS, ast.ClassDef)) or isinstance(one, (ast.Assign, ast.AnnAssign)) and self.names(
                    one.targets[0] if isinstance(one, ast.Assign) else one.target):
                start = self.start(one)
                found.append((self.above(start, before), self.offset(one.end_lineno, one.end_col_offset)))
            elif inner := [it for block in self.blocks_of(one) for it in self.members(block)]:
                found += inner
            before = self.offset(one.end_lineno, one.end_col_offset)
        return found

    def above(self, start: int, least: int | None) -> int:
        """Returns the start of the comment lines right above a place."""
        line = self.raw.count("\n", 0, start)
        first = start
        while line > 0 and (not self.lines[line - 1].strip() or self.lines[line - 1].lstrip().startswith("#")):
            line -= 1
            first = self.starts[line]
        return first if least is None else max(first, least)

    def body_start(self, one: ast.stmt) -> int:
        """Returns the offset behind the head of a function or class: of the colon before its body."""
        first = self.start(one.body[0])
        start = self.offset(one.lineno, one.col_offset)
        depth = 0
        text = self.raw[start:first] + "pass\n"
        lines = [0]
        for line in text.split("\n"):
            lines.append(lines[-1] + len(line) + 1)
        try:
            for token in tokenize.generate_tokens(io.StringIO(text).readline):
                if token.string in ("(", "[", "{"):
                    depth += 1
                elif token.string in (")", "]", "}"):
                    depth -= 1
                elif token.string == ":" and depth == 0:
                    return start + lines[token.start[0] - 1] + token.start[1]
        except (tokenize.TokenError, IndentationError):
            pass
        return start

    def add(self, owner: str, name: str, kind: str, one: ast.stmt, head: int, members: list[tuple[int, int]]) -> None:
        start, end = self.start(one), self.offset(one.end_lineno, one.end_col_offset)
        is_offered = not name.startswith("_") if self.offered is None else name in self.offered
        self.found.append({
            "name": f"{owner}.{name}" if owner else name, "kind": kind, "owner": owner, "exported": bool(owner) or is_offered, "default": False,
            "head": re.sub(r"(^|\s)#[^\n]*", " ", self.raw[start:head]), "text": self.raw[start:end], "code": self.code[start:end], "members": [(a - start, b - start) for a, b in members],
            "memberNames": [], "line": self.raw.count("\n", 0, start) + 1, "endLine": one.end_lineno, "start": start, "end": end,
        })
