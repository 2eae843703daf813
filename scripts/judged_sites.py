"""Draws call sites of a repository at random, and compares what the index binds them to with what a reader found.

    python3 scripts/judged_sites.py draw --language csharp --sites 140 CLONE > NAME.tsv
    python3 scripts/judged_sites.py show --binary target/release/codelens CLONE NAME.tsv
    python3 scripts/judged_sites.py score --binary target/release/codelens [--fill] CLONE NAME.tsv …
    python3 scripts/judged_sites.py confidence --binary target/release/codelens --language csharp \\
        --write src/graph/confidence.json CLONES/NAME NAME.tsv …

`draw` reads syntax alone: a site is a call or an object creation whose name is that of a function or a type that the
repository declares. `show` prints each site that has no `callee` yet with what it is bound to and the definitions of its name.
`score` counts; with `--fill` it writes the verdicts into the list. A list has a line for each site: `path`, `line`, `column`,
`name`, `callee` (`path:line`, several with `|` where each is right, `external` for one from elsewhere), `verdict`.

Needs tree-sitter, tree-sitter-c-sharp and tree-sitter-cpp from PyPI (`draw` alone).
"""

from __future__ import annotations

import argparse
import collections
import datetime
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "harness"))

from scip import documents  # noqa: E402

COLUMNS = ["path", "line", "column", "name", "callee", "verdict"]
SEED = 20261126
ENDINGS = {"csharp": (".cs",), "cpp": (".cc", ".cpp", ".cxx", ".h", ".hpp", ".hh", ".ipp")}

# Nodes that declare what can be called, with their names.
DECLARED = {
    "csharp": {
        "method_declaration", "local_function_statement", "class_declaration", "struct_declaration", "record_declaration",
    },
    "cpp": {"function_declarator", "class_specifier", "struct_specifier", "preproc_function_def"},
}


def parser_of(language: str):
    import tree_sitter

    if language == "csharp":
        import tree_sitter_c_sharp as grammar
    else:
        import tree_sitter_cpp as grammar
    return tree_sitter.Parser(tree_sitter.Language(grammar.language()))


def nodes(root):
    """Yields each node of a tree."""
    stack = [root]
    while stack:
        node = stack.pop()
        yield node
        stack.extend(node.named_children)


def last_name(node):
    """Returns the identifier at the end of a name: `Open` of `store.Open<int>`."""
    while node is not None:
        if node.type in ("identifier", "field_identifier", "type_identifier"):
            return node
        if node.type in ("generic_name", "template_function", "template_method", "template_type"):
            node = node.child_by_field_name("name") or node.named_children[0]
        elif node.type == "conditional_access_expression":
            node = node.named_children[-1]
        elif node.type in ("field_expression",):
            node = node.child_by_field_name("field")
        elif node.type == "dependent_name":
            node = node.named_children[-1]
        else:
            node = node.child_by_field_name("name") or node.child_by_field_name("declarator")
    return None


def site_of(language: str, node):
    """Returns the name that a node calls."""
    if node.type in ("invocation_expression", "call_expression"):
        return last_name(node.child_by_field_name("function"))
    if node.type in ("object_creation_expression", "new_expression"):
        return last_name(node.child_by_field_name("type"))
    return None


def draw(args) -> None:
    parser = parser_of(args.language)
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=args.clone, capture_output=True, check=True, text=True).stdout
    paths = sorted(path for path in listed.split("\0") if path.endswith(ENDINGS[args.language]))
    if args.under:
        paths = [path for path in paths if path.startswith(tuple(args.under))]
    names, sites = set(), []
    for path in paths:
        source = (args.clone / path).read_bytes()
        for node in nodes(parser.parse(source).root_node):
            if node.type in DECLARED[args.language]:
                name = last_name(node)
                if name is not None:
                    names.add(name.text)
            name = site_of(args.language, node)
            if name is not None:
                row, column = name.start_point
                sites.append((path, row + 1, column + 1, name.text))
    sites = sorted(set(sites))
    sites = [site for site in sites if site[3] in names]
    random.Random(SEED).shuffle(sites)
    print("\t".join(COLUMNS))
    for path, line, column, name in sites[: args.sites]:
        print(path, line, column, name.decode(), "", "", sep="\t")
    print(f"{len(sites)} sites", file=sys.stderr)


def read_list(path: Path) -> list[dict]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return [dict(zip(COLUMNS, line.split("\t") + [""] * 6)) for line in lines[1:]]


def exported(binary: Path, clone: Path, form: str) -> bytes:
    """Returns what `codelens export` writes of a clone."""
    with tempfile.TemporaryDirectory() as scratch:
        out = Path(scratch) / "index"
        command = [binary.resolve(), "export", "--format", form, "--output", out]
        subprocess.run(command, cwd=clone, check=True, stdout=subprocess.DEVNULL)
        return out.read_bytes()


class Bindings:
    """What the index binds each name to, read from an export in the format of SCIP."""

    def __init__(self, binary: Path, clone: Path) -> None:
        data = exported(binary, clone, "scip")
        # symbol -> places; (path, line, column) -> symbols
        self.places = collections.defaultdict(list)
        self.uses = collections.defaultdict(list)
        for path, occurrences in documents(data):
            for one in occurrences:
                line, column = one.range[0] + 1, one.range[1] + 1
                if one.is_definition:
                    self.places[one.symbol].append((path, line))
                else:
                    self.uses[path, line, column].append(one.symbol)

    def bound(self, site: dict) -> set[str]:
        """Returns the definitions that a site is bound to, as `path:line`."""
        symbols = self.uses.get((site["path"], int(site["line"]), int(site["column"])), [])
        return {f"{path}:{line}" for symbol in symbols for path, line in self.places[symbol]}


class Provenances:
    """The class of each edge, read from an export as lines of JSON."""

    def __init__(self, binary: Path, clone: Path) -> None:
        rows = [json.loads(line) for line in exported(binary, clone, "jsonl").decode().splitlines()]
        self.spans = collections.defaultdict(list)
        places = {}
        for row in rows:
            if row["type"] == "symbol":
                self.spans[row["path"]].append((row["endLine"] - row["startLine"], row["startLine"], row["endLine"], row["id"]))
                places[row["id"]] = f"{row['path']}:{row['line']}"
        # (file, definition around the use, definition used) -> class
        self.classes = {}
        for row in rows:
            if row["type"] == "edge" and row["to"] in places:
                self.classes[row["path"], row["from"], places[row["to"]]] = row["provenance"]

    def of(self, site: dict, target: str) -> str | None:
        line = int(site["line"])
        around = [span for span in sorted(self.spans[site["path"]]) if span[1] <= line <= span[2]]
        for source in [span[3] for span in around] + [None]:
            found = self.classes.get((site["path"], source, target))
            if found:
                return found
        return None


def write_confidence(args, judged: list[tuple[str, str, dict]]) -> None:
    """Writes the share of right sites of each class into the table of confidences."""
    counts = collections.defaultdict(collections.Counter)
    for kind, said, _ in judged:
        counts[kind][said == "right"] += 1
    table = json.loads(args.write.read_text(encoding="utf-8"))
    names = next(iter(table.values()))["classes"]
    classes = {}
    for name in names:
        right, n = counts[name][True], counts[name].total()
        precision = right * 1000 // n / 1000 if n else None
        classes[name] = {"precision": precision, "samples": n, "judged": names[name]["judged"]}
    head = lambda clone: subprocess.run(["git", "rev-parse", "HEAD"], cwd=clone, capture_output=True, text=True, check=True).stdout.strip()
    corpora = [{"name": file.stem, "commit": head(args.clone.parent / file.stem)} for file in args.lists]
    measured = {"date": datetime.date.today().isoformat(), "corpora": corpora, "classes": classes}
    table = dict(sorted({**table, args.language: measured}.items()))
    args.write.write_text(json.dumps(table, indent=2) + "\n", encoding="utf-8")


def verdict(site: dict, bound: set[str]) -> str:
    wanted = set(site["callee"].split("|"))
    if not site["callee"]:
        return ""
    if "external" in wanted:
        return "wrong" if bound else "external"
    if not bound:
        return "unbound"
    return "right" if bound & wanted else "wrong"


def show(args) -> None:
    bindings = Bindings(args.binary, args.clone)
    for file in args.lists:
        for n, site in enumerate(read_list(file)):
            if site["callee"] and not args.all:
                continue
            lines = (args.clone / site["path"]).read_text(encoding="utf-8-sig", errors="replace").split("\n")
            at = int(site["line"]) - 1
            print(f"== {n} {site['path']}:{site['line']}:{site['column']} {site['name']}")
            for line in lines[max(0, at - args.before) : at + 2]:
                print("   ", line.strip()[:200])
            for place in sorted(bindings.bound(site)):
                path, _, row = place.rpartition(":")
                text = (args.clone / path).read_text(encoding="utf-8-sig", errors="replace").split("\n")
                print(f"  -> {place} {text[int(row) - 1].strip()[:160]}")


def confidence(args) -> None:
    judged = []
    for file in args.lists:
        clone = args.clone.parent / file.stem
        bindings, provenances = Bindings(args.binary, clone), Provenances(args.binary, clone)
        for site in read_list(file):
            bound = bindings.bound(site)
            said = verdict(site, bound)
            if said in ("right", "wrong"):
                kinds = {provenances.of(site, target) for target in bound} - {None}
                judged.extend((kind, said, site) for kind in sorted(kinds)[:1])
    write_confidence(args, judged)


def score(args) -> None:
    bindings = Bindings(args.binary, args.clone)
    for file in args.lists:
        sites = read_list(file)
        counts = collections.Counter()
        for site in sites:
            site["verdict"] = verdict(site, bindings.bound(site))
            counts[site["verdict"]] += 1
            if args.misses and site["verdict"] in ("wrong", "unbound"):
                print(site["verdict"], f"{site['path']}:{site['line']}:{site['column']}", site["name"], site["callee"],
                      sorted(bindings.bound(site)))
        right, wrong, unbound = counts["right"], counts["wrong"], counts["unbound"]
        inside = sum(1 for site in sites if site["callee"] not in ("", "external"))
        bound = right + wrong
        print(f"{file.stem}: {inside} sites inside, {counts['external']} external; right {right}, wrong {wrong}, unbound {unbound};"
              f" precision {right / bound if bound else 0:.3f}, bound {right / inside if inside else 0:.3f}")
        if args.fill:
            lines = ["\t".join(COLUMNS)] + ["\t".join(site[it] for it in COLUMNS) for site in sites]
            file.write_text("\n".join(lines) + "\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    one = commands.add_parser("draw")
    one.add_argument("--language", choices=sorted(ENDINGS), required=True)
    one.add_argument("--sites", type=int, default=140)
    one.add_argument("--under", action="append", help="only files under this path")
    one.add_argument("clone", type=Path)
    one.set_defaults(run=draw)
    for name, run in (("show", show), ("score", score)):
        one = commands.add_parser(name)
        one.add_argument("--binary", type=Path, required=True)
        one.add_argument("clone", type=Path)
        one.add_argument("lists", type=Path, nargs="+")
        one.set_defaults(run=run)
        if name == "score":
            one.add_argument("--fill", action="store_true", help="write the verdicts into the lists")
            one.add_argument("--misses", action="store_true", help="print what is wrong or unbound")
        else:
            one.add_argument("--all", action="store_true", help="also sites with a callee")
            one.add_argument("--before", type=int, default=3, help="lines before each site")
    one = commands.add_parser("confidence")
    one.add_argument("--binary", type=Path, required=True)
    one.add_argument("--language", required=True, help="the name of the language in the table")
    one.add_argument("--write", type=Path, required=True, help="the table whose part of the language is replaced")
    one.add_argument("clone", type=Path, help="a clone; those of the other lists stand beside it, each with the name of its list")
    one.add_argument("lists", type=Path, nargs="+")
    one.set_defaults(run=confidence)
    args = parser.parse_args()
    args.run(args)


if __name__ == "__main__":
    main()
