"""A server over HTTP for tests: starts it, knows its address and its token, ends it as a user would."""

from __future__ import annotations

import http.client
import json
import secrets
import signal
import subprocess
import time
from pathlib import Path
from urllib.parse import urlsplit


class HttpServer:
    """A process that prints where it listens as one line of JSON, in a `with` block."""

    def __init__(self, *line: str | Path, cwd: Path, env: dict[str, str], log: Path, own_token: bool = False) -> None:
        self.token = secrets.token_hex(16)
        self.env = env if own_token else env | {"CODELENS_HTTP_TOKEN": self.token}
        self.log = log
        with open(log, "ab") as stderr:
            self.process = subprocess.Popen(line, cwd=cwd, env=self.env, stdin=subprocess.DEVNULL,
                                            stdout=subprocess.PIPE, stderr=stderr)
        said = self.process.stdout.readline()
        if not said:
            raise RuntimeError(f"the server ended ({self.process.wait()}): {log.read_text(errors='replace')[-500:]}")
        told = json.loads(said)
        self.url = told["url"]
        if own_token:
            self.token = Path(told["tokenFile"]).read_text(encoding="utf-8").strip()
        self.place = urlsplit(self.url)

    def __enter__(self) -> HttpServer:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def end(self) -> tuple[int, float]:
        """Asks the process to end; returns its exit code and how many seconds it took."""
        begun = time.monotonic()
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.process.stdout.close()
        return self.process.returncode, time.monotonic() - begun

    def connect(self, timeout: float = 20) -> http.client.HTTPConnection:
        return http.client.HTTPConnection(self.place.hostname, self.place.port, timeout=timeout)

    def headers(self, **more: str) -> dict[str, str]:
        """Returns what a client sends with each message."""
        return {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json",
                "Accept": "application/json, text/event-stream"} | more

    def post(self, body: bytes | dict, headers: dict[str, str] | None = None, path: str | None = None,
             ) -> tuple[int, dict[str, str], bytes]:
        """Sends one message on a connection of its own; returns status, headers (lower case) and body."""
        body = body if isinstance(body, bytes) else json.dumps(body).encode()
        connection = self.connect()
        try:
            connection.request("POST", path or self.place.path, body, self.headers() if headers is None else headers)
            answer = connection.getresponse()
            return answer.status, {key.lower(): value for key, value in answer.getheaders()}, answer.read()
        finally:
            connection.close()


def message(body: bytes) -> dict:
    """Returns the last message of an answer, whether it came as JSON or as events."""
    text = body.decode()
    events = [line[5:].strip() for line in text.splitlines() if line.startswith("data:")]
    return json.loads([event for event in events if event][-1] if events else text)
