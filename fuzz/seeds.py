#!/usr/bin/env python3
"""Makes seeds for the fuzz targets: from the fixtures, and from the files of any repositories.

    python3 fuzz/seeds.py OUT [REPO...] [--files N]

Writes OUT/TARGET/ for each target. Files are taken at equal distances from each repository, so that runs agree.
"""

import argparse
import hashlib
import json
import subprocess
from pathlib import Path

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"
# In the order of PATHS in targets/extract.rs.
ENDINGS = [".ts", ".tsx", ".js", ".jsx", ".mts", ".d.ts", ".vue", ".svelte", ".md", ".rst", ".adoc", ".json", "package.json",
           "tsconfig.json", ".py", ".css", "vite.config.ts", ".go", ".java", "go.mod", ".rs", "Cargo.toml", ".c", ".h", ".cc", "CMakeLists.txt"]
MAX_BYTES = 6 << 10
TOOLS = ["current", "search", "explore", "map", "expand", "impact", "related", "refresh", "stats", "doctor", "save", "load", "prune",
         "drop"]


def put(folder: Path, data: bytes) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / hashlib.sha1(data).hexdigest()).write_bytes(data)


def ending_of(path: str) -> int | None:
    fits = [at for at, ending in enumerate(ENDINGS) if path.endswith(ending)]
    return max(fits, key=lambda at: len(ENDINGS[at]), default=None)


def files_of(repo: Path, n_files: int) -> list[Path]:
    listed = subprocess.run(["git", "-C", repo, "ls-files", "-z"], check=True, capture_output=True).stdout
    paths = [repo / name.decode() for name in listed.split(b"\0") if name.isascii() and name]
    fits = [p for p in paths if ending_of(p.name) is not None and p.is_file() and not p.is_symlink() and 0 < p.stat().st_size <= MAX_BYTES]
    return fits[:: max(1, len(fits) // n_files)]


def blocks(text: str) -> list[tuple[str, str]]:
    found = []
    for block in text.split("//- ")[1:]:
        head, _, body = block.partition("\n")
        if head.startswith("/"):
            found.append((head.strip()[1:], body))
    return found


def session(calls: list[tuple[str, dict]]) -> bytes:
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "seed", "version": "1"}}
    lines = [{"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello},
             {"jsonrpc": "2.0", "method": "notifications/initialized"}]
    for at, (method, params) in enumerate(calls, 1):
        lines.append({"jsonrpc": "2.0", "id": at, "method": method, "params": params})
    return "".join(json.dumps(line) + "\n" for line in lines).encode()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("repos", type=Path, nargs="*")
    parser.add_argument("--files", type=int, default=100, help="how many files of each repository (default %(default)s)")
    options = parser.parse_args()
    out = options.out

    for path in sorted(FIXTURES.rglob("*.repo")):
        text = path.read_text()
        put(out / "link", text.encode())
        for name, body in blocks(text):
            ending = ending_of(name)
            if ending is not None:
                put(out / "extract", bytes([ending]) + body.encode())
    for repo in options.repos:
        folders: dict[Path, list[Path]] = {}
        for file in files_of(repo, options.files):
            put(out / "extract", bytes([ending_of(file.name)]) + file.read_bytes())
            folders.setdefault(file.parent, []).append(file)
        for files in folders.values():
            if len(files) > 1:
                text = "".join(f"//- /{f.name}\n{f.read_text(errors='replace')}\n" for f in files[:4])
                put(out / "link", f"{text}//- commit\n//- /{files[0].name}\nexport {{}}\n".encode())

    for path in sorted((FIXTURES / "ranking").glob("*.queries")):
        for line in path.read_text().splitlines():
            put(out / "query", b"\n" + line.encode())
    for text in ["src/**\nopen store", "src\n\"open the store\" OR NOT NEAR(a b)", "*\nStore.open src/store.ts", "\nHTTPServer valid_session x->y a::b",
                 "[a-z]{a,b}?\ngetUserName", "\n\u200b\u202e\x00\x1b[31m", "\n" + "a " * 200]:
        put(out / "query", text.encode())

    put(out / "bundle", b"\0codelens-bundle\n\1\0\0\0\2\0\0\0{}")
    header = {"layout": "any", "schemaVersion": 1, "commit": "0" * 40, "family": None, "nFiles": 3, "manifestBytes": 100, "databaseBytes": 4096}
    put(out / "bundle", b"\1" + json.dumps(header).encode())
    for at in range(0, 1 << 17, 1 << 11):
        put(out / "bundle", b"\2" + bytes([at >> 16, at >> 8 & 255, at & 255, 1, 3]) * 2)

    arguments = {"search": {"query": "open store", "limit": 3, "related": True}, "explore": {"query": "store"}, "map": {"path": "src"},
                 "expand": {"path": "src/store.ts", "startLine": 1}, "impact": {"symbol": "open"}, "related": {"path": "src/store.ts"},
                 "save": {"name": "n", "items": [{"path": "src/store.ts"}], "notes": "x"}, "load": {"name": "n"}, "prune": {"dryRun": True},
                 "drop": {"branch": "x"}, "refresh": {"force": False}}
    for tool in TOOLS:
        call = ("tools/call", {"name": f"cl_{tool}", "arguments": arguments.get(tool, {})})
        put(out / "session", session([("tools/list", {}), call]))
    put(out / "session", session([("ping", {}), ("resources/list", {}), ("tools/call", {"name": "nothing", "_meta": {"progressToken": 1}})]))


if __name__ == "__main__":
    main()
