"""Sessions of the built binary, driven over stdio and HTTP by the official Python client of the protocol.

    python3 tests/interop/mcp_session.py --binary target/release/codelens

Needs the package `mcp` in the version of `scripts/python-requirements.txt`. Every answer is checked against
the schema that the server publishes, against the repository on the disk, and against the command line.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import httpx2
import jsonschema
from mcp import Client, MCPError, StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import PromptReference, ResourceTemplateReference

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "harness"))

from checks import Checks  # noqa: E402
from fixture_repo import FixtureRepo  # noqa: E402
from http_server import HttpServer  # noqa: E402

TOOLS = {
    "cl_current", "cl_refresh", "cl_search", "cl_explore", "cl_related", "cl_impact", "cl_map", "cl_expand",
    "cl_stats", "cl_doctor",
}
# What may differ between two answers for one tree.
VOLATILE = {"generation", "nextCursor", "proof", "elapsedMs", "cpuMs", "lastIndexedAt", "lastUsedAt", "bytes"}


def steady(value: object) -> object:
    """Returns a value without its volatile fields."""
    if isinstance(value, dict):
        return {key: steady(inner) for key, inner in value.items() if key not in VOLATILE}
    if isinstance(value, list):
        return [steady(inner) for inner in value]
    return value


class Session:
    """One connected client, with the repository and the checks."""

    def __init__(self, client: Client, checks: Checks, repo: FixtureRepo, binary: Path, env: dict[str, str],
                 over_http: bool) -> None:
        self.client = client
        self.over_http = over_http
        self.checks = checks
        self.repo = repo
        self.binary = binary
        self.env = env
        self.schemas: dict[str, dict] = {}

    async def call(self, tool: str, progress=None, **arguments: object) -> dict:
        """Calls a tool that must succeed and returns its answer."""
        name = f"{tool} {arguments}"
        try:
            result = await self.client.call_tool(tool, arguments, progress_callback=progress)
        except RuntimeError as error:
            # The client refuses an answer that does not fit the published schema.
            self.checks.that(f"{name} is taken by the client", False, str(error))
            return {}
        answer = result.structured_content
        self.checks.that(f"{name} is no error", not result.is_error, answer or str(result.content))
        if not self.checks.that(f"{name} has structured content", isinstance(answer, dict), str(result)):
            return {}
        texts = [block.text for block in result.content if block.type == "text"]
        if self.checks.equal(f"{name} has one text block", len(texts), 1):
            self.checks.equal(f"{name}: the text is the structured content", json.loads(texts[0]), answer)
            self.checks.that(f"{name}: at most 20,000 tokens", len(texts[0].encode()) <= 80_000, len(texts[0]))
        try:
            jsonschema.Draft202012Validator(self.schemas.get(tool, {})).validate(answer)
            self.checks.that(f"{name} fits its output schema", True)
        except jsonschema.ValidationError as error:
            self.checks.that(f"{name} fits its output schema", False, f"{error.json_path}: {error.message}")
        return answer

    async def fails(self, tool: str, code: str, mentions: str = "", **arguments: object) -> None:
        """Calls a tool that must answer with an error of this code."""
        result = await self.client.call_tool(tool, arguments)
        name = f"{tool} {arguments}"
        self.checks.that(f"{name} is an error", result.is_error, result.structured_content)
        error = (result.structured_content or {}).get("error", {})
        self.checks.equal(f"{name} has the code {code}", error.get("code"), code)
        for field in ("message", "hint"):
            self.checks.that(f"{name}: the error has a {field}", error.get(field), error)
        said = json.dumps(error)
        self.checks.that(f"{name}: the error names {mentions!r}", mentions in said, error)
        for forbidden in (str(self.repo.path), self.env["CODELENS_HOME"], "SELECT ", "panicked"):
            self.checks.that(f"{name}: the error holds no {forbidden!r}", forbidden not in said, error)

    def command(self, *args: str) -> dict:
        """Runs a command with `--json` and returns its answer."""
        ran = subprocess.run(
            [self.binary, *args, "--json"],
            cwd=self.repo.path, env={"PATH": os.environ.get("PATH", ""), **self.env},
            stdin=subprocess.DEVNULL, capture_output=True, text=True, encoding="utf-8",
        )
        if not self.checks.equal(f"codelens {' '.join(args)} succeeds", ran.returncode, 0):
            print(f"        {ran.stderr.strip()[:1000]}")
            return {}
        return json.loads(ran.stdout)


async def handshake(s: Session, mode: str) -> None:
    """What a client learns before the first call."""
    version = {"auto": "2026-07-28", "legacy": "2025-11-25"}[mode]
    s.checks.equal(f"{mode}: protocol version", s.client.protocol_version, version)
    info = s.client.server_info
    s.checks.equal(f"{mode}: the server's name", info and info.name, "codelens")
    s.checks.that(f"{mode}: the server says how to begin", s.client.instructions, s.client.instructions)

    tools = (await s.client.list_tools()).tools
    s.checks.that("all tools are there", TOOLS <= {tool.name for tool in tools}, [t.name for t in tools])
    n_bytes = {"definitions": 0, "outputs": 0}
    for tool in tools:
        s.checks.that(f"{tool.name} is described", tool.description, tool.name)
        s.checks.that(f"{tool.name} has an output schema", tool.output_schema, tool.name)
        s.schemas[tool.name] = tool.output_schema or {}
        for schema in (tool.input_schema, s.schemas[tool.name]):
            jsonschema.Draft202012Validator.check_schema(schema)
        s.checks.that(f"{tool.name} takes `repo`", "repo" in tool.input_schema.get("properties", {}), tool.input_schema)
        hints = tool.annotations and (
            tool.annotations.read_only_hint, tool.annotations.destructive_hint, tool.annotations.idempotent_hint)
        # The other two mean nothing for a tool that only reads.
        is_told = hints and (hints[0] is True or None not in hints)
        s.checks.that(f"{tool.name} has its annotations", is_told, str(tool.annotations))
        shown = tool.model_dump(by_alias=True, exclude_none=True)
        definition = {key: shown.get(key) for key in ("name", "description", "inputSchema", "annotations")}
        n_bytes["definitions"] += len(json.dumps(definition, separators=(",", ":")).encode())
        n_bytes["outputs"] += len(json.dumps(shown.get("outputSchema"), separators=(",", ":")).encode())
    s.checks.that("the definitions stay within 3,700 tokens", n_bytes["definitions"] <= 4 * 3700, n_bytes)
    s.checks.that("the output schemas stay under 6,000 tokens", n_bytes["outputs"] < 4 * 6000, n_bytes)


async def first_index(s: Session) -> None:
    """From no index to a ready one."""
    head = s.repo.git("rev-parse", "HEAD")
    current = await s.call("cl_current")
    expected = {"status": "missing", "branch": "main", "headSha": head, "inGitRepo": True, "dirtyFiles": 2}
    s.checks.equal("cl_current before the first index", {key: current.get(key) for key in expected}, expected)

    steps: list[tuple[float, float | None]] = []

    async def progress(done: float, total: float | None, _message: str | None) -> None:
        steps.append((done, total))

    refresh = await s.call("cl_refresh", progress=progress)
    s.checks.equal("cl_refresh makes it ready", refresh.get("status"), "ready")
    s.checks.equal("cl_refresh names the commit", refresh.get("headSha"), head)
    s.checks.equal("cl_refresh names the index", refresh.get("indexId"), current.get("indexId"))
    s.checks.that("cl_refresh read files", refresh.get("indexedFiles", 0) >= 12, refresh)
    s.checks.that("cl_refresh reports progress", steps, steps)
    s.checks.that("progress rises", steps == sorted(steps, key=lambda step: step[0]), steps)
    s.checks.that("progress stays within its total", all(t is None or d <= t for d, t in steps), steps)

    current = await s.call("cl_current")
    s.checks.equal("cl_current after it", current.get("status"), "ready")
    again = await s.call("cl_refresh")
    s.checks.equal("a second refresh reads nothing", again.get("indexedFiles"), 0)


def check_place(s: Session, result: dict, word: str) -> None:
    """Checks that the lines of a hit hold a word, on the disk."""
    start, end = (int(part) for part in result["lines"].split("-"))
    lines = (s.repo.path / result["path"]).read_text(encoding="utf-8").splitlines()
    s.checks.that(f"{result['path']}: lines in the file", 1 <= start <= end <= len(lines), result)
    s.checks.that(f"{result['path']}: the lines hold {word}", word in "\n".join(lines[start - 1 : end]), result)


async def answers(s: Session) -> None:
    """Search, map, expand, stats and doctor against the files on the disk."""
    found = await s.call("cl_search", query="placeOrder")
    results = found.get("results", [])
    s.checks.equal("cl_search is fresh", found.get("freshness"), "fresh")
    s.checks.equal("cl_search counts", found.get("count"), len(results))
    if s.checks.that("cl_search finds the method", results, found):
        s.checks.equal("the definition is first", results[0]["path"], "packages/checkout/src/order-service.ts")
        check_place(s, results[0], "placeOrder")
        s.checks.that("the score is in 0 to 1", all(0 <= r["score"] <= 1 for r in results), results)
        s.checks.that("the best is first", results == sorted(results, key=lambda r: -r["score"]), results)
        s.checks.that("each hit says why", all(r["why"] for r in results), results)
        expanded = await s.call("cl_expand", handle=results[0]["handle"])
        s.checks.that("its handle expands to it", "placeOrder" in expanded.get("content", ""), expanded)
        s.checks.equal("the command line agrees", steady(s.command("search", "placeOrder")), steady(found))

    subtokens = await s.call("cl_search", query="stock reserve", limit=3, snippet="none")
    paths = [result["path"] for result in subtokens.get("results", [])]
    s.checks.that("words find parts of names", "packages/catalog/src/inventory.ts" in paths, subtokens)
    s.checks.that("no preview was asked for", not any(r["preview"] for r in subtokens.get("results", [])), subtokens)

    first = await s.call("cl_search", query="money price", limit=2)
    if s.checks.that("more hits wait behind a cursor", first.get("nextCursor"), first):
        second = await s.call("cl_search", query="money price", limit=2, cursor=first["nextCursor"])
        handles = [r["handle"] for page in (first, second) for r in page.get("results", [])]
        s.checks.equal("no hit is on two pages", len(handles), len(set(handles)))
        await s.fails("cl_search", "bad_cursor", query="another query", cursor=first["nextCursor"])

    for query in ('"two packages"', "a AND (b OR", "NEAR(x* y)", "col:{x}^", "\x00\x01 cart", "'; DROP TABLE file"):
        await s.call("cl_search", query=query)

    path = "packages/catalog/src/money.ts"
    text = (s.repo.path / path).read_text(encoding="utf-8")
    outline = await s.call("cl_map", path=path)
    symbols = {symbol["name"]: symbol for file in outline.get("files", []) for symbol in file["symbols"]}
    s.checks.that("the outline holds what is exported",
                  {"Money", "Currency", "addMoney", "formatMoney"} <= symbols.keys(), outline)
    for name, declaration in {"addMoney": "export function addMoney", "Currency": "export type Currency"}.items():
        line = text[: text.index(declaration)].count("\n") + 1
        symbol = symbols.get(name, {})
        s.checks.equal(f"{name} begins at its line", symbol.get("startLine"), line)
        s.checks.that(f"{name} ends after it begins", symbol.get("endLine", 0) >= line, symbol)
        s.checks.equal(f"{name} is exported", symbol.get("exported", True), True)
    s.checks.equal("the command line agrees on the outline", steady(s.command("map", path)), steady(outline))
    everything = await s.call("cl_map")
    s.checks.that("the map of all has both packages",
                  {"packages/catalog", "packages/checkout"}
                  <= {"/".join(file["path"].split("/")[:2]) for file in everything.get("files", [])}, everything)

    expanded = await s.call("cl_expand", path=path)
    s.checks.equal("cl_expand gives the bytes on the disk", expanded.get("content"), text)
    s.checks.equal("cl_expand counts lines", expanded.get("totalLines"), text.count("\n"))
    part = await s.call("cl_expand", path=path, startLine=2, endLine=4)
    s.checks.equal("cl_expand gives a range", part.get("content", "").rstrip("\n"), "\n".join(text.splitlines()[1:4]))
    cut = await s.call("cl_expand", path=path, budget=200)
    s.checks.that("cl_expand cuts at its budget", cut.get("truncated") and cut.get("chars", 999) <= 200, cut)
    s.checks.equal("the command line agrees on the text", steady(s.command("expand", path)), steady(expanded))

    stats = await s.call("cl_stats")
    s.checks.that("cl_stats counts files", stats.get("counts", {}).get("files", 0) >= 12, stats)
    s.checks.that("cl_stats counts symbols", stats.get("counts", {}).get("symbols", 0) >= 20, stats)
    s.checks.that("cl_stats lists the index",
                  stats.get("indexId") in [index["indexId"] for index in stats.get("indexes", [])], stats)
    doctor = await s.call("cl_doctor")
    for key in ("integrityOk", "walMode", "inGitRepo"):
        s.checks.equal(f"cl_doctor: {key}", doctor.get(key), True)
    bad = [check for check in doctor.get("checks", []) if not check["ok"]]
    s.checks.that("cl_doctor finds nothing wrong", doctor.get("checks") and not bad, bad or doctor)


async def graph(s: Session) -> None:
    """Explore, related and impact against the sources of the fixture."""
    found = await s.call("cl_explore", query="place an order", maxFiles=2)
    files = found.get("files", [])
    s.checks.that("cl_explore finds files", 1 <= len(files) <= 2, found)
    s.checks.equal("each file once", len({file["path"] for file in files}), len(files))
    s.checks.equal("cl_explore counts results", found.get("count"), sum(len(file["results"]) for file in files))
    near = found.get("related", [])
    s.checks.that("neighbours are of the files found", {n["sourcePath"] for n in near} <= {f["path"] for f in files}, near)
    s.checks.that("and are others", not {n["path"] for n in near} & {f["path"] for f in files}, near)
    s.checks.equal("the command line agrees on it", steady(s.command("explore", "place an order", "--max-files", "2")), steady(found))
    if s.checks.that("more files wait behind a cursor", found.get("nextCursor"), found):
        more = await s.call("cl_explore", query="place an order", maxFiles=2, cursor=found["nextCursor"])
        both = [file["path"] for page in (found, more) for file in page.get("files", [])]
        s.checks.equal("no file is on two pages", len(both), len(set(both)))
    none = await s.call("cl_explore", query="place an order", relatedDepth=0)
    s.checks.equal("no neighbours with depth 0", none.get("related"), [])

    money = "packages/catalog/src/money.ts"
    around = await s.call("cl_related", path=money)
    results = around.get("results", [])
    s.checks.equal("cl_related lists all", around.get("total"), len(results))
    hops = [r.get("hops", 1) for r in results]
    s.checks.equal("the nearest first", hops, sorted(hops))
    kind = around.get("defaults", {}).get("edgeType")
    for path in {r["path"] for r in results if (r.get("edgeType", kind), r.get("hops", 1)) == ("imported_by", 1)}:
        text = (s.repo.path / path).read_text(encoding="utf-8")
        s.checks.that(f"{path} imports it", "money" in text or "catalog" in text, path)
    s.checks.equal("the command line agrees on it", steady(s.command("related", money)), steady(around))

    impact = await s.call("cl_impact", symbol="addMoney", path=money)
    s.checks.equal("cl_impact finds the definition", impact.get("target", {}).get("path"), money)
    callers = impact.get("callers", [])
    s.checks.that("addMoney has callers", callers, impact)
    for caller in (caller for caller in callers if caller.get("hops", 1) == 1):
        line = (s.repo.path / caller["path"]).read_text(encoding="utf-8").splitlines()[caller["line"] - 1]
        s.checks.that(f"{caller['path']}:{caller['line']} uses addMoney", "addMoney" in line, line)
    handle = impact.get("target", {}).get("handle", "")
    again = await s.call("cl_impact", handle=handle)
    s.checks.equal("its handle means the same", again.get("callers"), callers)
    of_symbol = await s.call("cl_related", path=handle, types=["calls"], direction="in", depth=1)
    calls = {(r["path"], r.get("symbol")) for r in of_symbol.get("results", [])}
    s.checks.that("a definition's callers are those of cl_impact",
                  calls <= {(c["path"], None if c.get("symbol", "(module)") == "(module)" else c["symbol"]) for c in callers}, of_symbol)
    s.checks.equal("the command line agrees on it", steady(s.command("impact", "addMoney", "--path", money)), steady(impact))
    changed = await s.call("cl_impact", changes=True)
    s.checks.that("what is uncommitted has targets", changed.get("target") or changed.get("targets"), changed)
    unknown = await s.call("cl_impact", symbol="adMoney")
    s.checks.that("an unknown name is answered with the nearest",
                  "addMoney" in [near["symbol"] for near in unknown.get("didYouMean", [])], unknown)
    await s.fails("cl_impact", "invalid_argument", mentions="changes")
    await s.fails("cl_related", "path_not_found", path="no/such/file.ts")
    await s.fails("cl_related", "unknown_handle", path="sym_0123456789abcdef")
    await s.fails("cl_explore", "bad_cursor", query="place an order", cursor="x")


async def errors(s: Session) -> None:
    """Bad input gets the contract's errors, and the session goes on."""
    await s.fails("cl_search", "invalid_argument", mentions="colour", query="cart", colour="red")
    await s.fails("cl_search", "invalid_argument", mentions="limit", query="cart", limit="many")
    await s.fails("cl_search", "invalid_argument", mentions="query", query="")
    await s.fails("cl_search", "invalid_argument", mentions="query")
    await s.fails("cl_map", "path_not_found", path="no/such/folder")
    await s.fails("cl_expand", "path_not_found", path="no/such/file.ts")
    await s.fails("cl_expand", "unknown_handle", handle="sym_0123456789abcdef")
    for path in ("../outside.txt", "/etc/hostname", ".git/config", "packages/../../x"):
        await s.fails("cl_expand", "outside_repo", path=path)
    await s.fails("cl_expand", "not_indexed", mentions="secret", path=".env")
    with tempfile.TemporaryDirectory(prefix="codelens-none-") as nowhere:
        # Over HTTP only the repositories of the start are served.
        code = "outside_repo" if s.over_http else "not_a_repo"
        for tool, arguments in (("cl_search", {"query": "x"}), ("cl_refresh", {}), ("cl_map", {})):
            await s.fails(tool, code, repo=nowhere, **arguments)
        if not s.over_http:
            current = await s.call("cl_current", repo=nowhere)
            s.checks.equal("cl_current outside of git", current.get("inGitRepo"), False)
    clamped = await s.call("cl_search", query="cart", limit=100_000)
    s.checks.that("a limit out of range is clamped", len(clamped.get("results", [])) <= 50, clamped.get("count"))
    try:
        await s.client.call_tool("cl_nothing", {})
        s.checks.that("an unknown tool is refused", False, "it was not")
    except MCPError as error:
        s.checks.that("an unknown tool is refused", "cl_nothing" in str(error), str(error))


async def changes(s: Session) -> None:
    """The very next call answers for what is on the disk and checked out."""
    paths = lambda found: [result["path"] for result in found.get("results", [])]  # noqa: E731
    s.repo.write("packages/checkout/src/gift.ts", "export function wrapGiftParcel(): string {\n  return 'ribbon';\n}\n")
    found = await s.call("cl_search", query="wrapGiftParcel")
    s.checks.equal("a new file is found", paths(found)[:1], ["packages/checkout/src/gift.ts"])
    s.checks.equal("and the answer is fresh", found.get("freshness"), "fresh")

    s.repo.write("packages/checkout/src/gift.ts", "export function wrapGiftBasket(): string {\n  return 'ribbon';\n}\n")
    found = await s.call("cl_search", query="wrapGiftBasket")
    s.checks.equal("an edit of equal length is found", paths(found)[:1], ["packages/checkout/src/gift.ts"])
    (s.repo.path / "packages/checkout/src/gift.ts").unlink()
    found = await s.call("cl_search", query="wrapGiftBasket", limit=50)
    s.checks.that("a deleted file is gone", "packages/checkout/src/gift.ts" not in paths(found), found)

    main = (await s.call("cl_current")).get("indexId")
    s.repo.git("stash", "--quiet", "--include-untracked")
    s.repo.git("checkout", "--quiet", "feature/discounts")
    current = await s.call("cl_current")
    # The server's watch may have begun the branch's index before this call.
    s.checks.equal("another branch is another index", current.get("branch"), "feature/discounts")
    s.checks.that("with another id", current.get("indexId") != main, current)
    s.checks.that("which would start from the other one", current.get("status") != "missing" or current.get("seedFrom"), current)
    refresh = await s.call("cl_refresh")
    s.checks.that("little of it had to be read", refresh.get("indexedFiles") < refresh.get("totalFiles"), refresh)
    n_changed = len(s.repo.git("diff", "--name-only", "main", "feature/discounts").splitlines()) + 2
    s.checks.that("only what differs was read", refresh.get("indexedFiles", 99) <= n_changed, refresh)
    found = await s.call("cl_search", query="percentOff")
    s.checks.equal("the branch's file is found", paths(found)[:1], ["packages/checkout/src/discount.ts"])
    found = await s.call("cl_search", query="refundOrder", limit=50)
    s.checks.that("the other branch's file is not", "packages/checkout/src/refund.ts" not in paths(found), found)

    s.repo.git("checkout", "--quiet", "main")
    s.repo.git("stash", "pop", "--quiet")
    found = await s.call("cl_search", query="refundOrder")
    s.checks.equal("and back again", paths(found)[:1], ["packages/checkout/src/refund.ts"])
    s.checks.equal("on the first index", found.get("indexId"), main)


async def beside_tools(s: Session) -> None:
    """Resources, prompts and completions."""
    listed = (await s.client.list_resources()).resources
    s.checks.equal("the state of the index is a resource", [str(r.uri) for r in listed], ["codelens://index", "codelens://repos", "codelens://runs", "codelens://history"])
    read = (await s.client.read_resource("codelens://index")).contents[0]
    s.checks.equal("it is what cl_current says", steady(json.loads(read.text)), steady(await s.call("cl_current")))
    s.checks.equal("as JSON", read.mime_type, "application/json")

    name, path = "money / prices", "packages/catalog/src/money.ts"
    await s.call("cl_save", name=name, notes="Why prices are whole numbers.", items=[{"path": path}])
    listed = (await s.client.list_resources()).resources
    address = next((str(r.uri) for r in listed if r.name == name), "")
    if s.checks.that("a saved context is a resource", address, str(listed)):
        read = json.loads((await s.client.read_resource(address)).contents[0].text)
        s.checks.equal("with its items", [item["path"] for item in read["items"]], [path])
    templates = (await s.client.list_resource_templates()).resource_templates
    s.checks.equal("contexts are a family", [t.uri_template for t in templates], ["codelens://context/{name}", "codelens://note/{id}"])
    for wrong in ("codelens://context/nothing", "codelens://nothing", "file:///etc/passwd"):
        try:
            await s.client.read_resource(wrong)
            s.checks.that(f"{wrong} is refused", False, "it was not")
        except MCPError as error:
            s.checks.that(f"{wrong} is refused", error.error.code in (-32602, -32002), str(error))

    prompts = {prompt.name: prompt for prompt in (await s.client.list_prompts()).prompts}
    s.checks.equal("the prompts", sorted(prompts), ["impact-before-edit", "orient", "recall", "resume"])
    told = await s.client.get_prompt("impact-before-edit", {"symbol": "addMoney"})
    s.checks.that("a prompt names its symbol", "addMoney" in told.messages[0].content.text, str(told))
    told = await s.client.get_prompt("resume", {"name": name})
    kinds = [message.content.type for message in told.messages]
    s.checks.equal("resuming brings the context along", kinds, ["resource", "text"])
    try:
        await s.client.get_prompt("impact-before-edit", {})
        s.checks.that("a missing argument is refused", False, "it was not")
    except MCPError as error:
        s.checks.that("a missing argument is refused", "symbol" in str(error), str(error))

    async def completed(prompt: str, argument: str, value: str) -> list[str]:
        reference = PromptReference(type="ref/prompt", name=prompt)
        found = await s.client.complete(reference, {"name": argument, "value": value})
        return found.completion.values

    s.checks.that("symbols are completed", "addMoney" in await completed("impact-before-edit", "symbol", "addm"))
    s.checks.equal("paths are completed, a part at a time", await completed("orient", "path", "packages/cat"), ["packages/catalog/"])
    s.checks.that("and by the name of a file", path in await completed("orient", "path", "money"))
    s.checks.equal("saved names are completed", await completed("resume", "name", "mon"), [name])
    of_template = ResourceTemplateReference(type="ref/resource", uri="codelens://context/{name}")
    found = await s.client.complete(of_template, {"name": "name", "value": "money"})
    s.checks.equal("also for their resource", found.completion.values, [name])


PARTS = (handshake, first_index, answers, graph, errors, beside_tools, changes)


async def play(client: Client, checks: Checks, repo: FixtureRepo, binary: Path, env: dict[str, str], mode: str,
               over_http: bool) -> None:
    """A whole session with a client that connects in one of the protocol's two ways."""
    before = repo.git("status", "--porcelain", "-uall")
    with checks.part(f"{mode}: the session"):
        async with client:
            s = Session(client, checks, repo, binary, env, over_http)
            for part in PARTS:
                print(f"  {mode}{' over HTTP' if over_http else ''}: {part.__name__}", flush=True)
                with checks.part(f"{mode}: {part.__name__}"):
                    await (part(s, mode) if part is handshake else part(s))
    checks.equal(f"{mode}: the work tree is as it was", repo.git("status", "--porcelain", "-uall"), before)


async def session(binary: Path, mode: str, over_http: bool, checks: Checks) -> None:
    """A session over one of the two transports."""
    with tempfile.TemporaryDirectory(prefix="codelens-mcp-") as root:
        repo = FixtureRepo.load("shop", Path(root) / "fixture")
        repo.write(".env", "TOKEN=not-for-any-answer\n")
        repo.git("config", "core.excludesFile", str(Path(root) / "ignored"))
        (Path(root) / "ignored").write_text("/.env\n", encoding="utf-8")
        env = {"HOME": str(repo.home), "CODELENS_HOME": str(Path(root) / "data"), "CODELENS_BUDGET_MS": "10000"}
        log = Path(root) / "stderr.txt"
        if over_http:
            line = (binary, "serve", "--http", "0", "--json")
            with HttpServer(*line, cwd=repo.path, env=env | {"PATH": os.environ.get("PATH", "")}, log=log) as server:
                async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {server.token}"}, timeout=60) as http:
                    client = Client(streamable_http_client(server.url, http_client=http), mode=mode, read_timeout_seconds=60)
                    await play(client, checks, repo, binary, env, mode, over_http)
                code, seconds = server.end()
            checks.equal(f"{mode}: the HTTP server leaves with 0", code, 0)
            checks.that(f"{mode}: and soon", seconds < 2, seconds)
        else:
            server = StdioServerParameters(command=str(binary), args=["serve"], env=env, cwd=repo.path)
            with open(log, "w+", encoding="utf-8") as stderr:
                client = Client(stdio_client(server, errlog=stderr), mode=mode, read_timeout_seconds=60)
                await play(client, checks, repo, binary, env, mode, over_http)
        said = log.read_text(encoding="utf-8", errors="replace")
        checks.that(f"{mode}: no panic on stderr", "panicked" not in said, said[-2000:])


def ending(binary: Path, checks: Checks) -> None:
    """The server speaks the protocol alone on stdout and leaves when its input ends."""
    with tempfile.TemporaryDirectory(prefix="codelens-end-") as root:
        repo = FixtureRepo.load("ledger", Path(root) / "fixture")
        env = {"HOME": str(repo.home), "CODELENS_HOME": str(Path(root) / "data"), "PATH": os.environ.get("PATH", "")}
        hello = {
            "jsonrpc": "2.0", "id": 1, "method": "initialize",
            "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}},
        }
        ready = {"jsonrpc": "2.0", "method": "notifications/initialized"}
        listing = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
        for what, messages in {"at once": [], "after a session": [hello, ready, listing]}.items():
            process = subprocess.Popen(
                [binary, "serve"], cwd=repo.path, env=env,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8",
            )
            answers = []
            try:
                for message in messages:
                    process.stdin.write(json.dumps(message) + "\n")
                    process.stdin.flush()
                    if "id" in message:
                        answers.append(json.loads(process.stdout.readline()))
                out, err = process.communicate(timeout=20)
                if messages:
                    checks.equal(f"end of input {what}: it leaves with 0", process.returncode, 0)
                else:
                    checks.that(f"end of input {what}: it leaves by itself", process.returncode in (0, 1), err)
                checks.equal(f"end of input {what}: nothing more on stdout", out, "")
                checks.that(f"end of input {what}: no panic", "panicked" not in err, err)
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()
                checks.that(f"end of input {what}: it leaves", False, "still there after 20 s")
            checks.equal(f"end of input {what}: answers in order", [a.get("id") for a in answers],
                         [m["id"] for m in messages if "id" in m])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", required=True, type=Path, help="the built codelens")
    binary = parser.parse_args().binary.resolve()
    checks = Checks()
    for over_http in (False, True):
        for mode in ("auto", "legacy"):
            asyncio.run(asyncio.wait_for(session(binary, mode, over_http, checks), timeout=300))
    ending(binary, checks)
    checks.end()


if __name__ == "__main__":
    main()
