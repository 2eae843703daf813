"""The documented session of CoderLM, command by command, over plain HTTP: each has its answer under the name that docs give.

    python tests/interop/coderlm_test.py --binary target/release/codelens

On a Rust, a Python and a TypeScript repository that are made here. What each command asked of CoderLM stands beside the request that
answers it; the values are held against the files themselves.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import tempfile
from pathlib import Path
from urllib.parse import quote, urlencode

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "harness"))

from checks import Checks  # noqa: E402
from fixture_repo import FixtureRepo  # noqa: E402
from http_server import HttpServer  # noqa: E402

API = "/api/v1/"

RUST = {
    "Cargo.toml": """[package]
name = "walker"
version = "0.1.0"
edition = "2021"
""",
    "src/lib.rs": "pub mod walker;\n",
    "src/main.rs": """// Starts walk_tree and prints.
use walker::walker::walk_tree;

fn main() {
    let n = walk_tree("src");
    println!("walk_tree found {n}");
}
""",
    "src/walker.rs": """/// Counts the files below a directory.
pub fn walk_tree(root: &str) -> usize {
    let mut count = 0;
    for part in root.split('/') {
        let length = part.len();
        count += length;
    }
    count
}

pub struct Walker {
    pub depth: usize,
}
""",
    "tests/walks.rs": """use walker::walker::walk_tree;

#[test]
fn walks_a_tree() {
    assert_eq!(walk_tree("a/b"), 2);
}
""",
}

PYTHON = {
    "app/__init__.py": "",
    "app/main.py": """# Starts walk_tree and prints.
from app.walker import walk_tree


def main():
    n = walk_tree("src")
    print("walk_tree found", n)
""",
    "app/walker.py": """class Walker:
    depth = 3


def walk_tree(root):
    \"\"\"Counts the files below a directory.\"\"\"
    count = 0
    for part in root.split("/"):
        length = len(part)
        count += length
    return count
""",
    "tests/test_walks.py": """from app.walker import walk_tree


def test_walks_a_tree():
    assert walk_tree("a/b") == 2
""",
}

TYPESCRIPT = {
    "package.json": """{"name": "walker", "devDependencies": {"vitest": "1"}}
""",
    "src/main.ts": """// Starts walkTree and prints.
import { walkTree } from "./walker"

export function main() {
  const n = walkTree("src")
  console.log("walkTree found", n)
}
""",
    "src/walker.ts": """/** Counts the files below a directory. */
export function walkTree(root: string): number {
  let count = 0
  for (const part of root.split("/")) {
    const length = part.length
    count += length
  }
  return count
}

export class Walker {
  depth = 3
}
""",
    "test/walks.spec.ts": """import { expect, it } from "vitest"
import { walkTree } from "../src/walker"

it("walks a tree", () => {
  expect(walkTree("a/b")).toBe(2)
})
""",
}

# Language, files, the function, its file, the file that calls it, the test's file and title, the kind and name of the type.
REPOSITORIES = [
    ("rust", RUST, "walk_tree", "src/walker.rs", "src/main.rs", "tests/walks.rs", "walks_a_tree", "struct"),
    ("python", PYTHON, "walk_tree", "app/walker.py", "app/main.py", "tests/test_walks.py", "test_walks_a_tree", "class"),
    ("typescript", TYPESCRIPT, "walkTree", "src/walker.ts", "src/main.ts", "test/walks.spec.ts", "walks a tree", "class"),
]


class Client:
    """What CoderLM's own client was: a session's name, and one request for each command."""

    def __init__(self, server: HttpServer, name: str, session: str) -> None:
        self.server = server
        self.name = name
        self.session = session

    def get(self, address: str, /, **parameters: object) -> tuple[int, dict]:
        query = "?" + urlencode(parameters, doseq=True) if parameters else ""
        connection = self.server.connect()
        try:
            connection.request("GET", f"{API}{address}{query}", headers=self.server.headers(**{"X-Session-Id": self.session}))
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())
        finally:
            connection.close()

    def ask(self, tool: str, /, **parameters: object) -> dict:
        status, value = self.get(f"{quote(self.name)}/{tool}", **parameters)
        return value if status == 200 else {"status": status, **value}

    def post(self, tool: str, /, **body: object) -> tuple[int, dict]:
        headers = self.server.headers(**{"X-Session-Id": self.session})
        status, _, answer = self.server.post(json.dumps(body).encode(), headers, f"{API}{quote(self.name)}/{tool}")
        return status, json.loads(answer)


def lines_with(files: dict[str, str], word: str) -> list[tuple[str, int, str]]:
    """Returns path, number and text of each line with a word."""
    return sorted(
        (path, n, line)
        for path, text in files.items()
        for n, line in enumerate(text.splitlines(), 1)
        if re.search(rf"\b{word}\b", line)
    )


def session(checks: Checks, client: Client, language: str, files: dict[str, str], name: str, home: str, user: str, test: str,
            title: str, kind: str) -> None:
    source = files[home]
    own = source.splitlines()
    first = next(n for n, line in enumerate(own, 1) if re.search(rf"(fn|def|function) {name}\b", line))

    def that(what: str, holds: object, seen: object = None) -> None:
        checks.that(f"{language}: {what}", holds, seen)

    # init, status
    state = client.ask("current")
    that("init: no session has to be made", state.get("inGitRepo") and state.get("branch") == "main", state)
    status, health = client.get("health")
    that("health", status == 200 and health["status"] == "ok" and health["repos"][0]["name"] == client.name and health["maxSessions"] > 0, health)

    # structure --depth 2
    tree = client.ask("map", view="tree", depth=2)
    that("structure: file_count", tree.get("fileCount") == len(files), tree)
    that("structure: tree", {part.rsplit("/", 1)[0] for part in files if "/" in part} <= {it["path"].rstrip("/") for it in tree["tree"]}, tree["tree"])
    that("structure: language_breakdown", any(it["language"] == language for it in tree["languages"]), tree["languages"])

    # define-file, redefine-file, mark
    for text in ("the entry point", "another description"):
        status, saved = client.post("save", kind="note", name="about-main", items=[{"path": user}], notes=text)
        that(f"define-file, redefine-file: {text}", status == 200 and saved["kind"] == "note", saved)
    loaded = client.ask("load", about=user)
    notes = [it["text"] for it in loaded["results"] if it["kind"] == "note"]
    that("the description that was given last stands", notes == ["another description"], loaded)
    status, marked = client.post("save", kind="mark", items=[{"path": test}], notes="test")
    that("mark", status == 200 and marked["kind"] == "mark", marked)

    # symbols --kind, --file, --limit
    listed = client.ask("map", kind="function", path=home, limit=50)
    symbol = next((it for it in listed.get("symbols", []) if it["name"] == name), {})
    that("symbols: name, kind, file", (symbol.get("kind"), symbol.get("path")) == ("function", home), listed)
    that("symbols: line_range", symbol.get("startLine") is not None and symbol["startLine"] <= first <= symbol["endLine"], symbol)
    that("symbols: signature", name in symbol.get("signature", ""), symbol)
    typed = client.ask("map", kind=kind)
    that(f"symbols: kind {kind}", [it["name"] for it in typed.get("symbols", [])] == ["Walker"], typed)

    # search "walk"
    found = client.ask("map", name="walk")
    that("search", name in {it["name"] for it in found["symbols"]}, found)

    # impl NAME --file
    body = client.ask("expand", symbol=name, path=home)
    that("impl: source", body.get("content", "").strip() and body["content"].strip() in source, body)
    that("impl: the whole function", own[first - 1] in body.get("content", "") and "count" in body.get("content", ""), body)

    # callers NAME --file
    impact = client.ask("impact", symbol=name, path=home, sourceLines=1, sites=True)
    calls = sorted((it["path"], it["line"], it["text"].strip()) for it in impact.get("sites", []) if it.get("use") == "call")
    wanted = sorted((path, n, line.strip()) for path, n, line in lines_with(files, name) if f"{name}(" in line and path != home)
    that("callers: each call with file, line and text", calls == wanted, {"seen": calls, "wanted": wanted})

    # tests NAME --file
    tests = impact.get("affectedTests", [])
    cases = [(it["path"], case["title"]) for it in tests for case in it.get("cases", [])]
    that("tests: name and file", any(path == test and title in case for path, case in cases), tests)

    # variables NAME --file
    variables = client.ask("map", path=symbol.get("handle", ""))
    names = {it["name"] for it in variables.get("symbols", [])}
    that("variables", {"count", "part", "length"} <= names, variables)

    # define-symbol, redefine-symbol
    for text in ("counts", "counts files"):
        status, saved = client.post("save", kind="note", name="about-it", items=[{"handle": symbol.get("handle", "")}], notes=text)
        that(f"define-symbol, redefine-symbol: {text}", status == 200, saved)
    loaded = client.ask("load", name="about-it")
    that("what was said of a symbol", "counts files" in json.dumps(loaded), loaded)

    # peek FILE --start --end, by lines from 1 and inclusive
    peeked = client.ask("expand", path=home, startLine=1, endLine=2)
    that("peek", peeked.get("content", "").rstrip("\n") == "\n".join(own[:2]), peeked)

    # grep PATTERN --context-lines 2, and --scope code
    matches = client.ask("search", query=rf"\b{name}\b", match="regex", contextLines=1, limit=200)
    seen = sorted((it["path"], int(it["lines"].split("-")[0]), it["preview"]) for it in matches.get("results", []))
    that("grep: every line", seen == lines_with(files, name) and matches["complete"] and matches["total"] == len(seen), {"seen": seen})
    # A line of context is given once, and none that is a result itself.
    contexts = [(files[it["path"]].splitlines(), int(it["lines"].split("-")[0]), it) for it in matches.get("results", [])]
    that("grep: context_before", all(it["before"] == text[n - 2:n - 1] for text, n, it in contexts if "before" in it) and
         any("before" in it for *_, it in contexts), matches)
    that("grep: context_after", all(it["after"] == text[n:n + 1] for text, n, it in contexts if "after" in it) and
         any("after" in it for *_, it in contexts), matches)
    code = client.ask("search", query=name, match="literal", scope="code", limit=200)
    that("grep: in code alone", 0 < code["total"] < matches["total"] + 1 and not any("found" in it["preview"] or it["preview"].startswith(("#", "//"))
                                                                                   for it in code["results"]), code)

    # chunks FILE --size --overlap
    chunks = client.ask("chunks", path=home, size=100, overlap=0)
    raw = source.encode()
    pieces = [raw[it["start"]:it["end"]] for it in chunks["chunks"]]
    that("chunks: file, total_bytes", chunks.get("totalBytes") == len(raw), chunks)
    that("chunks: together they are the file", b"".join(pieces) == raw, chunks)

    # history --limit 50, of the session
    status, history = client.get("history")
    ours = [it for it in history["calls"] if it["session"] == client.session]
    that("history: of each session", {"cl_map", "cl_impact", "cl_save"} <= {it["tool"] for it in ours}, ours[:3])
    that("history: no text of an answer", "Counts the files below" not in json.dumps(history), "it holds source")

    # errors 400, 404
    that("400 for wrong parameters", client.ask("search")["status"] == 400)
    that("404 for what is not there", client.ask("expand", path="no/such/file")["status"] == 404)
    status, refused = client.get(f"{quote(client.name)}/no-such-tool")
    that("404 for an unknown command, with a hint", status == 404 and refused["error"]["hint"], refused)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", type=Path, required=True)
    args = parser.parse_args()
    checks = Checks()
    for language, files, name, home, user, test, title, kind in REPOSITORIES:
        with tempfile.TemporaryDirectory() as scratch, checks.part(language):
            root = Path(scratch)
            repo = FixtureRepo(root / "r")
            for path, text in files.items():
                place = repo.path / path
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_text(text, encoding="utf-8")
            repo.git("add", ".")
            repo.git("commit", "--quiet", "--message", "base")
            env = {"PATH": os.environ["PATH"], "HOME": scratch, "CODELENS_HOME": str(root / "data")}
            with HttpServer(args.binary.resolve(), "serve", "--http", "0", "--json", cwd=repo.path, env=env, log=root / "log") as server:
                client = Client(server, "repo", f"lm-{language}")
                session(checks, client, language, files, name, home, user, test, title, kind)
                status = repo.git("status", "--porcelain")
                checks.equal(f"{language}: nothing is written in the repository", status, "")
    checks.end()


if __name__ == "__main__":
    main()
