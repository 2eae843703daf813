"""The official TypeScript clients and the Inspector's command line, over stdio and HTTP.

    python3 tests/interop/clients_test.py --binary target/release/codelens --tools target/tools/protocol

`--tools` is where the packages of `tests/interop/conformance/package-lock.json` are installed.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "harness"))

from checks import Checks  # noqa: E402
from fixture_repo import FixtureRepo  # noqa: E402
from http_server import HttpServer  # noqa: E402

HERE = Path(__file__).resolve().parent / "conformance"

# Package, and the revisions that it speaks.
CLIENTS = [
    ("@modelcontextprotocol/client", "2026-07-28"),
    ("@modelcontextprotocol/client", "2025-11-25"),
    ("@modelcontextprotocol/sdk", "2025-11-25"),
]


class Node:
    """Programs of the installed packages."""

    def __init__(self, tools: Path, env: dict[str, str], cwd: Path) -> None:
        self.tools, self.env, self.cwd = tools, env, cwd
        self.node = tools / "node_modules" / "node" / "bin" / "node"

    def run(self, *words: str | Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run([self.node, *words], cwd=self.cwd, env=self.env, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, encoding="utf-8", timeout=120)

    def client(self, package: str, revision: str, *server: str | Path) -> dict | str:
        """Returns what a client saw, or what went wrong."""
        ran = self.run(HERE / "client.mjs", self.tools, package, revision, *server)
        return json.loads(ran.stdout.splitlines()[-1]) if ran.returncode == 0 else ran.stderr[-2000:]

    def inspect(self, method: str, server: list[str | Path], *words: str) -> dict | str:
        """Returns what the Inspector printed, or what went wrong."""
        program = self.tools / "node_modules" / "@modelcontextprotocol" / "inspector" / "clients" / "launcher" / "build" / "index.js"
        ran = self.run(program, "--cli", *server, "--method", method, *words)
        try:
            return json.loads(ran.stdout)
        except ValueError:
            return f"exit {ran.returncode}: {(ran.stderr or ran.stdout)[-2000:]}"


def judge(checks: Checks, what: str, revision: str, seen: dict | str) -> None:
    """Checks what a client saw."""
    if not checks.that(f"{what}: the session goes through", isinstance(seen, dict), seen):
        return
    checks.equal(f"{what}: the server's name", seen["server"]["name"], "codelens")
    checks.that(f"{what}: instructions arrive", seen["instructions"] > 200, seen["instructions"])
    checks.that(f"{what}: capabilities", {"tools", "resources", "prompts", "completions"} <= set(seen["capabilities"]), seen["capabilities"])
    checks.that(f"{what}: all tools are listed", {"cl_search", "cl_impact", "cl_save"} <= set(seen["tools"]), seen["tools"])
    checks.equal(f"{what}: the index is built", seen["refresh"]["value"].get("status"), "ready")
    checks.that(f"{what}: progress is told", seen["steps"] > 0, seen["steps"])
    paths = [hit["path"] for hit in seen["search"]["value"].get("results", [])]
    checks.equal(f"{what}: a definition is found", paths[:1], ["packages/checkout/src/order-service.ts"])
    checks.that(f"{what}: a mistake is a result with a hint", seen["mistake"]["isError"] and seen["mistake"]["value"]["error"]["hint"], seen["mistake"])
    checks.that(f"{what}: an unknown tool is refused", "cl_nothing" in (seen["unknown"] or {}).get("message", ""), seen["unknown"])
    checks.equal(f"{what}: resources", seen["resources"], ["codelens://index", "codelens://repos", "codelens://runs", "codelens://history"])
    checks.equal(f"{what}: the index as a resource", seen["index"].get("status"), "ready")
    codes = (-32602,) if revision == "2026-07-28" else (-32002, -32602)
    checks.that(f"{what}: an unknown resource is refused", (seen["missing"] or {}).get("code") in codes, seen["missing"])
    checks.equal(f"{what}: prompts", sorted(seen["prompts"]), ["impact-before-edit", "orient", "recall", "resume"])
    checks.that(f"{what}: a prompt speaks of its argument", "addMoney" in seen["prompt"], seen["prompt"])
    checks.that(f"{what}: a symbol is completed", "addMoney" in seen["completions"], seen["completions"])
    checks.that(f"{what}: a call can be given up", seen["givenUp"] and seen["givenUpMs"] < 5000, [seen["givenUp"], seen["givenUpMs"]])
    checks.that(f"{what}: and the next one is answered", seen["after"]["value"].get("inGitRepo"), seen["after"])


def inspector(checks: Checks, what: str, node: Node, server: list[str | Path], *words: str) -> None:
    """The Inspector lists, calls and reads."""
    listed = node.inspect("tools/list", server, *words)
    if checks.that(f"{what} lists tools", isinstance(listed, dict) and "tools" in listed, listed):
        names = {tool["name"] for tool in listed["tools"]}
        checks.that(f"{what} sees all tools", {"cl_search", "cl_map"} <= names, sorted(names))
    called = node.inspect("tools/call", server, *words, "--tool-name", "cl_search", "--tool-arg", "query=placeOrder", "limit=3")
    if checks.that(f"{what} calls a tool", isinstance(called, dict) and "structuredContent" in called, called):
        checks.that(f"{what} gets hits", called["structuredContent"].get("count"), called)
    read = node.inspect("resources/read", server, *words, "--uri", "codelens://index")
    checks.that(f"{what} reads a resource", isinstance(read, dict) and read.get("contents"), read)
    told = node.inspect("prompts/get", server, *words, "--prompt-name", "orient", "--prompt-args", "topic=prices")
    checks.that(f"{what} gets a prompt", isinstance(told, dict) and "prices" in json.dumps(told), told)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", required=True, type=Path, help="the built codelens")
    parser.add_argument("--tools", required=True, type=Path, help="where the packages are installed")
    args = parser.parse_args()
    binary, tools = args.binary.resolve(), args.tools.resolve()
    checks = Checks()
    with tempfile.TemporaryDirectory(prefix="codelens-clients-") as root:
        repo = FixtureRepo.load("shop", Path(root) / "fixture")
        env = {"HOME": str(repo.home), "CODELENS_HOME": str(Path(root) / "data"), "CODELENS_BUDGET_MS": "10000",
               "PATH": os.environ.get("PATH", "")}
        line = (binary, "serve", "--http", "0", "--json")
        with HttpServer(*line, cwd=repo.path, env=env, log=Path(root) / "stderr.txt") as server:
            node = Node(tools, server.env, repo.path)
            for package, revision in CLIENTS:
                for over, target in (("stdio", ("--", binary, "serve")), ("HTTP", (server.url,))):
                    what = f"{package} {revision} over {over}"
                    judge(checks, what, revision, node.client(package, revision, *target))
                    print(f"  {what}", flush=True)
            inspector(checks, "the Inspector over stdio", node, [binary, "serve"])
            header = f"Authorization: Bearer {server.token}"
            inspector(checks, "the Inspector over HTTP", node, [server.url], "--transport", "http", "--header", header)
            print("  the Inspector", flush=True)
    checks.end()


if __name__ == "__main__":
    main()
