"""The binary as its users run it: one command, or a server over standard input and output.

Plain lines of JSON-RPC, no library. An answer is the value, or the error a tool gave. What runs the binary from Python does it
with this, in `scripts/` and `tests/`; `tests/interop/mcp_session.py` alone speaks through a client library, on purpose.
"""

from __future__ import annotations

import json
import os
import subprocess
import threading
import time
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Reply:
    """What came back, and when it was asked for and had."""

    value: dict
    is_error: bool
    begun: float
    ended: float
    # What a client reads: the text block of a server's answer, or the output of a command.
    text: str = ""

    @property
    def code(self) -> str | None:
        return self.value.get("error", {}).get("code") if self.is_error else None


def environment(home: Path, budget_ms: int | None = None, **more: str) -> dict[str, str]:
    """Returns all that the binary sees of the environment: a data directory, and no setting of the user."""
    env = {"PATH": os.environ.get("PATH", ""), "HOME": str(home), "CODELENS_HOME": str(home)}
    if budget_ms is not None:
        env["CODELENS_BUDGET_MS"] = str(budget_ms)
    return env | more


def words(tool: str, arguments: dict) -> list[str]:
    """Returns the command line for a call of a tool."""
    line = [tool.removeprefix("cl_")]
    positional = {"cl_search": "query", "cl_map": "path", "cl_expand": "path", "cl_related": "path", "cl_impact": "symbol",
                  "cl_explore": "query", "cl_load": "name"}
    for key, value in arguments.items():
        if key == positional.get(tool):
            line.append(str(value))
        elif value is True:
            line.append(f"--{key}")
        elif isinstance(value, list):
            line += [f"--{key}", ",".join(value)]
        else:
            line += [f"--{key}", str(value)]
    return line


class Command:
    """One process for each call."""

    def __init__(self, binary: Path, repo: Path, home: Path, budget_ms: int | None = None, **more: str) -> None:
        self.binary, self.repo, self.home = binary, repo, home
        self.env = environment(home, budget_ms, **more)

    def line(self, *words: str) -> list[str | Path]:
        return [self.binary, *words]

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Runs a command line as it is written."""
        return subprocess.run(self.line(*words), cwd=self.repo, env=self.env, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, encoding="utf-8")

    def __call__(self, *words: str) -> dict:
        """Returns the value of a command line that must not fail."""
        ran = self.run(*words, "--json")
        if ran.returncode:
            raise RuntimeError(f"codelens {' '.join(words)} ended with {ran.returncode}: {ran.stderr.strip()}")
        return json.loads(ran.stdout)

    def call(self, tool: str, **arguments: object) -> Reply:
        begun = time.monotonic()
        ran = self.run(*words(tool, arguments), "--json")
        ended = time.monotonic()
        # `doctor` leaves with 1 where a check failed, and prints its answer all the same.
        text = ran.stdout.strip() or ran.stderr.strip().rpartition("\n")[2]
        try:
            value = json.loads(text)
        except ValueError:
            value = {"error": {"code": f"exit {ran.returncode}", "message": (ran.stderr or ran.stdout)[-500:]}}
        return Reply(value, "error" in value, begun, ended, text)

    def close(self) -> None:
        pass


class Server:
    """A long-living server with one client, which asks one thing at a time."""

    def __init__(self, binary: Path, repo: Path, home: Path, budget_ms: int | None = None, log: Path | None = None,
                 **more: str) -> None:
        self.stderr = open(log, "ab") if log else subprocess.DEVNULL
        self.process = subprocess.Popen([binary, "serve"], cwd=repo, env=environment(home, budget_ms, **more), stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=self.stderr)
        self.n_sent = 0
        self.lock = threading.Lock()
        self._request("initialize", {"protocolVersion": "2025-11-25", "capabilities": {},
                                     "clientInfo": {"name": "test", "version": "1"}})
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def _send(self, message: dict) -> None:
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def _request(self, method: str, params: dict) -> dict:
        self.n_sent += 1
        self._send({"jsonrpc": "2.0", "id": self.n_sent, "method": method, "params": params})
        while True:
            line = self.process.stdout.readline()
            if not line:
                raise RuntimeError(f"the server ended ({self.process.poll()})")
            message = json.loads(line)
            if message.get("id") == self.n_sent and "method" not in message:
                return message

    def tools(self) -> list[str]:
        return [tool["name"] for tool in self._request("tools/list", {})["result"]["tools"]]

    def call(self, tool: str, **arguments: object) -> Reply:
        with self.lock:
            begun = time.monotonic()
            message = self._request("tools/call", {"name": tool, "arguments": arguments})
            ended = time.monotonic()
        if "error" in message:
            return Reply({"error": {"code": "protocol", "message": str(message["error"])}}, True, begun, ended)
        result = message["result"]
        text = "".join(part.get("text", "") for part in result["content"])
        return Reply(result["structuredContent"], bool(result.get("isError")), begun, ended, text)

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.stdin.close()
            try:
                self.process.wait(5)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        if self.stderr != subprocess.DEVNULL:
            self.stderr.close()
