"""Input that no client should send: the server answers it as the protocol wants, and lives on.

    python3 tests/interop/protocol_test.py --binary target/release/codelens
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "harness"))

from checks import Checks  # noqa: E402
from fixture_repo import FixtureRepo  # noqa: E402
from http_server import HttpServer, message  # noqa: E402

META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
}
HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
MAX_BYTES = 4 * 1024 * 1024


def request(id: int, method: str, **params: object) -> dict:
    return {"jsonrpc": "2.0", "id": id, "method": method, "params": params}


def memory(pid: int) -> int:
    """Returns the resident memory of a process in MiB, the most it ever had; 0 where the system does not tell."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0
    return next((int(line.split()[1]) // 1024 for line in status.splitlines() if line.startswith("VmHWM")), 0)


class Pipe:
    """A server on standard input and output, fed bytes."""

    def __init__(self, binary: Path, repo: FixtureRepo, env: dict[str, str]) -> None:
        self.process = subprocess.Popen([binary, "serve"], cwd=repo.path, env=env, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.ask(request(0, "initialize", **HELLO))
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def write(self, line: bytes) -> None:
        self.process.stdin.write(line)
        self.process.stdin.flush()

    def send(self, value: object) -> None:
        self.write(json.dumps(value).encode() + b"\n")

    def read(self) -> dict:
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"the server ended ({self.process.wait()})")
        return json.loads(line)

    def ask(self, asked: dict) -> dict:
        self.send(asked)
        while True:
            told = self.read()
            if told.get("id") == asked["id"]:
                return told

    def refused(self, line: bytes) -> int | None:
        """Returns the code of the error that a line gets."""
        self.write(line)
        return self.read().get("error", {}).get("code")

    def end(self) -> int:
        self.process.stdin.close()
        try:
            return self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()


def malformed_lines(checks: Checks, pipe: Pipe) -> None:
    """What is no message gets an error, or nothing where nobody waits."""
    for line in (b"{", b"nonsense", b"\xff\xfe\xfd", b"{\"jsonrpc\":\"2.0\",", b"\x00\x00", b"[" * 50_000):
        checks.equal(f"{line[:30]!r} is a parse error", pipe.refused(line + b"\n"), -32700)
    for line in (b"{}", b"[]", b"null", b"7", b'{"jsonrpc":"1.0","id":1,"method":"ping"}', b'{"jsonrpc":"2.0","id":1}'):
        checks.equal(f"{line!r} is an invalid request", pipe.refused(line + b"\n"), -32600)
    wrong = json.dumps(request(5, "tools/call", name=5)).encode()
    checks.equal("wrong parameters are named", pipe.refused(wrong + b"\n"), -32602)
    checks.equal("an unknown method is", pipe.refused(json.dumps(request(6, "no/such")).encode() + b"\n"), -32601)
    checks.equal("a line that is too long is refused", pipe.refused(b"{" + b" " * (MAX_BYTES + 10) + b"\n"), -32600)
    for line in (b"", b"\r", b'{"jsonrpc":"2.0","method":"no/such"}', b'{"jsonrpc":"2.0","id":77,"result":{}}'):
        pipe.write(line + b"\n")
    several = [request(101, "ping"), request(102, "ping")]
    pipe.send(several)
    checks.equal("several as one are answered", sorted(pipe.read()["id"] for _ in several), [101, 102])
    told = pipe.ask(request(7, "tools/call", name="cl_current", arguments={}))
    checks.that("and calls go on", told.get("result", {}).get("structuredContent", {}).get("inGitRepo"), told)


def floods(checks: Checks, pipe: Pipe) -> None:
    """More than can be done at once is answered all the same, or refused, in bounded memory."""
    n_calls = 2_000
    lines = b"".join(json.dumps(request(n, "tools/call", name="cl_current", arguments={})).encode() + b"\n"
                     for n in range(1_000, 1_000 + n_calls))
    writer = threading.Thread(target=pipe.write, args=(lines,))
    writer.start()
    answers = [pipe.read() for _ in range(n_calls)]
    writer.join()
    checks.equal("each call of a flood has its answer", len({told["id"] for told in answers}), n_calls)
    codes = Counter(told["result"]["structuredContent"].get("error", {}).get("code", "ok") for told in answers)
    checks.that("what is too much is told so", set(codes) <= {"ok", "index_busy"} and codes["ok"] >= 200, dict(codes))

    # A client that asks and never reads: it is not read any more, and nothing piles up.
    lines = b"".join(json.dumps(request(n, "tools/list")).encode() + b"\n" for n in range(10_000, 30_000))
    writer = threading.Thread(target=pipe.write, args=(lines,))
    writer.start()
    writer.join(5)
    checks.that("memory stays bounded", memory(pipe.process.pid) < 400, memory(pipe.process.pid))
    for _ in range(20_000):
        pipe.read()
    writer.join(20)
    told = pipe.ask(request(8, "ping"))
    checks.equal("then it is read again", told.get("result"), {})


def halves(checks: Checks, binary: Path, repo: FixtureRepo, env: dict[str, str]) -> None:
    """An input that ends in the middle ends the server, with what was whole answered."""
    whole = json.dumps(request(0, "initialize", **HELLO)).encode()
    for what, sent, ids in (("nothing", b"", []), ("half a message", whole[:40], [None]), ("no line end", whole, [0])):
        ran = subprocess.run([binary, "serve"], cwd=repo.path, env=env, input=sent, capture_output=True, timeout=10)
        seen = [json.loads(line).get("id") for line in ran.stdout.splitlines()]
        checks.equal(f"an input of {what} is answered", seen, ids)
        checks.equal(f"an input of {what} ends the server", ran.returncode, 0)


def promptness(checks: Checks, binary: Path, repo: FixtureRepo, env: dict[str, str]) -> None:
    """The first answer comes at once, whatever there is to index."""
    hello = json.dumps(request(0, "initialize", **HELLO)).encode() + b"\n"
    took = []
    for _ in range(10):
        begun = time.monotonic()
        process = subprocess.Popen([binary, "serve"], cwd=repo.path, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.DEVNULL)
        process.stdin.write(hello)
        process.stdin.flush()
        process.stdout.readline()
        took.append(time.monotonic() - begun)
        process.communicate(timeout=10)
    took.sort()
    print(f"  initialize, from the start of the process: {took[0] * 1000:.1f} ms, median {took[5] * 1000:.1f} ms", flush=True)
    checks.that("initialize is answered within 30 ms of the start", took[0] < 0.03, took)


def doors(checks: Checks, server: HttpServer) -> None:
    """Who does not belong here is sent away before anything else."""
    ping = request(1, "server/discover", _meta=META)
    newest = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "server/discover"}
    good = server.headers(**newest)

    def status(headers: dict[str, str], path: str | None = None) -> int:
        return server.post(ping, headers, path)[0]

    checks.equal("a client with its token comes in", status(good), 200)
    without = {key: value for key, value in good.items() if key != "Authorization"}
    checks.equal("without the token nobody does", status(without), 401)
    checks.equal("nor with another one", status(good | {"Authorization": f"Bearer {'0' * 32}"}), 401)
    checks.equal("nor with a longer one", status(good | {"Authorization": f"Bearer {server.token}0"}), 401)
    checks.equal("a name that leads here from elsewhere is refused", status(good | {"Host": "evil.example"}), 403)
    checks.equal("also without a token", status(without | {"Host": "evil.example:80"}), 403)
    checks.equal("a page from elsewhere is refused", status(good | {"Origin": "http://evil.example"}), 403)
    checks.equal("a sandboxed page is refused", status(good | {"Origin": "null"}), 403)
    checks.equal("a page of this machine is not", status(good | {"Origin": "http://localhost:6274"}), 200)
    checks.equal("nothing is anywhere else", status(good, "/"), 404)
    checks.equal("not even a description of how to log in", status(without, "/.well-known/oauth-protected-resource"), 404)
    answer = server.post(ping, without)
    checks.that("who lacks a token is told how to show one", answer[1].get("www-authenticate", "").startswith("Bearer")
                and b"Authorization: Bearer" in answer[2], str(answer))
    checks.that("no answer holds the token", server.token.encode() not in answer[2], str(answer))


def malformed_requests(checks: Checks, server: HttpServer) -> None:
    """What is no message of the protocol, over HTTP."""
    def refused(body: bytes, **headers: str) -> tuple[int, object]:
        status, _, text = server.post(body, server.headers(**headers))
        return status, json.loads(text)["error"]["code"] if text.startswith(b"{") else None

    for body in (b"{", b"\xff", b"[" * 50_000):
        checks.equal(f"{body[:20]!r} is a parse error", refused(body), (400, -32700))
    for body in (b"{}", b"[]", b"null"):
        checks.equal(f"{body!r} is an invalid request", refused(body), (400, -32600))
    checks.equal("an empty body is refused", refused(b"")[0], 400)
    checks.equal("a long body is refused", refused(b" " * (MAX_BYTES + 1)), (413, -32600))
    checks.equal("another type is refused", refused(b"{}", **{"Content-Type": "text/plain"})[0] // 100, 4)
    ping = json.dumps(request(1, "ping")).encode()
    checks.equal("one has to take both kinds of answers", refused(ping, Accept="application/json")[0], 406)
    checks.equal("an unknown session is not found", refused(ping, **{"Mcp-Session-Id": "nobody"})[0], 404)
    checks.equal("an unknown revision is refused", refused(ping, **{"MCP-Protocol-Version": "1999-01-01"})[0], 400)
    for method, expected in (("GET", (400, 405)), ("PUT", (405,)), ("OPTIONS", (405,))):
        connection = server.connect()
        connection.request(method, server.place.path, headers=server.headers(Accept="text/event-stream"))
        checks.that(f"{method} without a session is refused", connection.getresponse().status in expected)
        connection.close()

    connection = server.connect()
    connection.putrequest("POST", server.place.path)
    for key, value in server.headers(**{"Transfer-Encoding": "chunked"}).items():
        connection.putheader(key, value)
    connection.endheaders()
    try:
        for _ in range(MAX_BYTES // 65_536 + 2):
            connection.send(b"10000\r\n" + b" " * 65_536 + b"\r\n")
        connection.send(b"0\r\n\r\n")
    except OSError:
        pass
    with checks.part("a long body in parts"):
        checks.equal("a long body in parts is refused", connection.getresponse().status, 413)
    connection.close()


def crowds(checks: Checks, server: HttpServer) -> None:
    """Connections that say half a word, or nothing, keep nobody else waiting."""
    place = (server.place.hostname, server.place.port)
    head = f"POST {server.place.path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {server.token}\r\n".encode()
    halves = [b"", b"P", head, head + b"Content-Length: 100\r\n\r\n{", b"\x16\x03\x01\x00", b"GET / HTTP/9.9\r\n\r\n",
              head + b"X: " + b"y" * 100_000]
    idle = []
    for n in range(140):
        one = socket.create_connection(place, timeout=5)
        try:
            one.sendall(halves[n % len(halves)])
        except OSError:
            pass
        idle.append(one)
    begun = time.monotonic()
    asked = request(1, "tools/call", name="cl_current", arguments={}, _meta=META)
    newest = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "cl_current"}
    told = message(server.post(asked, server.headers(**newest))[2])
    checks.that("a call among idle connections is answered", told["result"]["structuredContent"]["inGitRepo"], told)
    checks.that("and soon", time.monotonic() - begun < 3, time.monotonic() - begun)

    seen: Counter[int] = Counter()
    lock = threading.Lock()

    def ask_often() -> None:
        for _ in range(10):
            status = server.post(asked, server.headers(**newest))[0]
            with lock:
                seen[status] += 1

    askers = [threading.Thread(target=ask_often) for _ in range(40)]
    for asker in askers:
        asker.start()
    for asker in askers:
        asker.join()
    checks.that("many at once are answered or told to come later", set(seen) <= {200, 503} and seen[200] >= 100, dict(seen))
    for one in idle:
        one.close()
    told = message(server.post(asked, server.headers(**newest))[2])
    checks.that("and the server is well", told["result"]["structuredContent"]["inGitRepo"], told)


def sessions(checks: Checks, server: HttpServer) -> None:
    """Clients of the older revisions have sessions of their own, and can end them."""
    ids = []
    for _ in range(3):
        status, headers, body = server.post(request(1, "initialize", **HELLO))
        checks.equal("a session is opened", (status, message(body)["result"]["protocolVersion"]), (200, "2025-11-25"))
        ids.append(headers["mcp-session-id"])
    checks.equal("each client has its own", len(set(ids)), 3)
    for number, id in enumerate(ids):
        of = {"Mcp-Session-Id": id, "MCP-Protocol-Version": "2025-11-25"}
        server.post({"jsonrpc": "2.0", "method": "notifications/initialized"}, server.headers(**of))
        told = message(server.post(request(2, "tools/call", name="cl_stats", arguments={}), server.headers(**of))[2])
        checks.that(f"session {number} is answered", "structuredContent" in told.get("result", {}), told)
    connection = server.connect()
    connection.request("DELETE", server.place.path, headers=server.headers(**{"Mcp-Session-Id": ids[0]}))
    checks.equal("a session can be ended", connection.getresponse().status // 100, 2)
    connection.close()
    status = server.post(request(3, "ping"), server.headers(**{"Mcp-Session-Id": ids[0]}))[0]
    checks.equal("and is gone then", status, 404)
    # Clients that leave without a word lock nobody out.
    for _ in range(300):
        status, headers, _body = server.post(request(1, "initialize", **HELLO))
        if status != 200:
            break
    checks.equal("a session can be opened after any number of others", status, 200)
    statuses = [server.post(request(3, "ping"), server.headers(**{"Mcp-Session-Id": id}))[0] for id in (ids[2], headers["mcp-session-id"])]
    checks.equal("the longest silent are forgotten", statuses, [404, 200])
    ids[1] = headers["mcp-session-id"]
    # A stream that waits for news does not keep the server from ending.
    stream = server.connect()
    stream.request("GET", server.place.path, headers=server.headers(**{"Mcp-Session-Id": ids[1]}))
    checks.equal("a session has a stream for news", stream.getresponse().status, 200)


def several_repositories(checks: Checks, binary: Path, root: Path, env: dict[str, str]) -> None:
    """One process serves the repositories it was given, and no other."""
    repos = {name: FixtureRepo.load(name, root / f"two-{name}") for name in ("shop", "ledger")}
    places = [str(repo.path) for repo in repos.values()]
    line = (binary, "serve", "--http", "0", "--json", "--root", places[0], "--root", places[1])
    newest = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "cl_current"}
    with HttpServer(*line, cwd=root, env=env, log=root / "two.txt") as server:
        def current(path: str | None = None, **arguments: str) -> dict:
            asked = request(1, "tools/call", name="cl_current", arguments=arguments, _meta=META)
            answer = server.post(asked, server.headers(**newest), path)
            return message(answer[2])["result"]["structuredContent"]

        names = [Path(place).name for place in places]
        if names[0] == names[1]:
            names[1] += "-2"
        for name, place in zip(names, places):
            checks.equal(f"{name} by its name", current(repo=name).get("repo"), os.path.realpath(place))
            checks.equal(f"{name} by its address", current(f"/mcp/{name}").get("repo"), os.path.realpath(place))
            checks.equal(f"{name} by its path", current(repo=place).get("repo"), os.path.realpath(place))
        unclear = current().get("error", {})
        checks.that("without a name it is asked which", unclear.get("code") == "invalid_argument" and names[0] in unclear["hint"], unclear)
        for other in (str(root), "/", "../..", str(binary.parent)):
            refused = current(repo=other).get("error", {})
            checks.equal(f"{other} is not served", refused.get("code"), "outside_repo")
        asked = request(1, "server/discover", _meta=META)
        checks.equal("an unknown address is not found", server.post(asked, server.headers(), "/mcp/other")[0], 404)


def starts(checks: Checks, binary: Path, repo: FixtureRepo, env: dict[str, str]) -> None:
    """A server that would be open to others does not start."""
    def refused(*words: str, **more: str) -> str:
        ran = subprocess.run([binary, "serve", *words], cwd=repo.path, env=env | more, stdin=subprocess.DEVNULL,
                             capture_output=True, text=True, timeout=10)
        return ran.stderr if ran.returncode else ""

    # The first start makes the token, and a later one finds it.
    line = (binary, "serve", "--http", "0", "--json")
    home = Path(env["CODELENS_HOME"])
    kept = []
    for _ in range(2):
        with HttpServer(*line, cwd=repo.path, env=env, log=home.parent / "own.txt", own_token=True) as server:
            kept.append(server.token)
            checks.equal("a token of its own opens it", server.post(request(1, "ping"), path="/nowhere")[0], 404)
            checks.equal("as it opens the door", server.post(request(1, "initialize", **HELLO))[0], 200)
    checks.that("the token stays", kept[0] == kept[1] and len(kept[0]) == 64, len(kept[0]))
    checks.equal("its user alone may read it", oct((home / "http-token").stat().st_mode & 0o777), "0o600")
    ran = subprocess.run([binary, "doctor", "--json"], cwd=repo.path, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    bad = [check for check in json.loads(ran.stdout)["checks"] if not check["ok"]]
    checks.equal("the doctor knows it", bad, [])

    checks.that("an address for others needs a word", "--allow-remote" in refused("--http", "0.0.0.0:0"))
    checks.that("a short token is refused", "token" in refused("--http", "0", CODELENS_HTTP_TOKEN="short"))
    checks.that("a wrong address is refused", "PORT" in refused("--http", "nowhere"))
    checks.that("a port alone is none of stdio", refused("--token-file", "x"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", required=True, type=Path, help="the built codelens")
    binary = parser.parse_args().binary.resolve()
    checks = Checks()
    with tempfile.TemporaryDirectory(prefix="codelens-protocol-") as name:
        root = Path(name)
        repo = FixtureRepo.load("shop", root / "fixture")
        env = {"HOME": str(repo.home), "CODELENS_HOME": str(root / "data"), "PATH": os.environ.get("PATH", "")}
        pipe = Pipe(binary, repo, env)
        for part in (malformed_lines, floods):
            print(f"  stdio: {part.__name__}", flush=True)
            with checks.part(part.__name__):
                part(checks, pipe)
        checks.equal("the server on stdio ends with its input", pipe.end(), 0)
        halves(checks, binary, repo, env)
        promptness(checks, binary, repo, env)
        line = (binary, "serve", "--http", "0", "--json")
        with HttpServer(*line, cwd=repo.path, env=env, log=root / "stderr.txt") as server:
            for part in (doors, malformed_requests, crowds, sessions):
                print(f"  HTTP: {part.__name__}", flush=True)
                with checks.part(part.__name__):
                    part(checks, server)
            code, seconds = server.end()
            checks.equal("the HTTP server ends when it is asked to", code, 0)
            checks.that("and soon, whatever is open", seconds < 2, seconds)
        said = (root / "stderr.txt").read_text(errors="replace")
        checks.that("nothing panicked", "panicked" not in said, said[-2000:])
        checks.that("the token is in no log", server.token not in said, "it is")
        several_repositories(checks, binary, root, env)
        starts(checks, binary, repo, env)
    checks.end()


if __name__ == "__main__":
    main()
