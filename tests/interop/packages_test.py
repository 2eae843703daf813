#!/usr/bin/env python3
"""The packages of a built binary, installed without a network and run: npm, the wheel, the archive.

    python3 tests/interop/packages_test.py --binary target/release/codelens
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tarfile
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "harness"))

from checks import Checks  # noqa: E402

MACHINE = {"x86_64": "x86_64", "amd64": "x86_64", "aarch64": "aarch64", "arm64": "aarch64"}[platform.machine().lower()]
TARGET = f"{MACHINE}-" + {"Linux": "unknown-linux-gnu", "Darwin": "apple-darwin", "Windows": "pc-windows-msvc"}[platform.system()]


def run(*words: str | Path, at: Path, **more: str) -> str:
    ran = subprocess.run(
        [str(word) for word in words], cwd=at, env={**os.environ, **more}, stdin=subprocess.DEVNULL, capture_output=True, text=True,
    )
    if ran.returncode:
        raise SystemExit(f"{' '.join(map(str, words))} failed with {ran.returncode}:\n{ran.stdout}{ran.stderr}")
    return ran.stdout


def package(what: str, binary: Path, out: Path) -> list[Path]:
    said = run(sys.executable, ROOT / "scripts" / "package.py", what, "--binary", binary, "--target", TARGET, "--out", out, at=out)
    return [Path(line) for line in said.splitlines()]


def npm(binary: Path, work: Path, version: str, checks: Checks) -> None:
    packed = [
        folder / json.loads(run("npm", "pack", "--json", "--loglevel=error", at=folder))[0]["filename"].replace("@", "").replace("/", "-")
        for folder in package("npm", binary, work)
    ]
    project = work / "project"
    project.mkdir()
    # A number without the others: what is not published can't be asked for.
    run("npm", "install", "--offline", "--no-audit", "--no-fund", "--omit=optional", "--prefix", project, packed[0], at=project)
    run("npm", "install", "--offline", "--no-audit", "--no-fund", "--omit=optional", "--no-save", "--prefix", project, *packed, at=project)
    started = project / "node_modules" / ".bin" / "codelens"
    checks.that("npm: the program says its version", run(started, "--version", at=project) == version)
    home = work / "home"
    (home / ".cursor").mkdir(parents=True)
    (home / ".cursor" / "mcp.json").write_text("{}")
    places = {"HOME": str(home), "CODELENS_HOME": str(work / "data")}
    run("npx", "--offline", "codelens", "install", "--client", "cursor", at=project, **places)
    entry = json.loads((home / ".cursor" / "mcp.json").read_text())["mcpServers"]["codelens"]
    checks.that("npx: a client calls npx again", entry == {"command": "npx", "args": ["-y", "codelens", "serve"]}, entry)
    run("npx", "--offline", "codelens", "uninstall", at=project, **places)
    checks.that("npx: and is as it was", (home / ".cursor" / "mcp.json").read_text() == "{}")
    script = "const {candidates: c} = require(process.argv[1]); console.log([c('win32','x64',false), c('darwin','arm64',false), c('linux','x64',true)].join())"
    names = run("node", "-e", script, ROOT / "npm" / "codelens" / "bin" / "codelens.js", at=project).strip()
    checks.that("npm: other platforms have their names", names == "@codelens/win32-x64,@codelens/darwin-arm64,@codelens/linux-x64-musl", names)


def wheel(binary: Path, work: Path, version: str, checks: Checks) -> None:
    [packed] = package("wheel", binary, work)
    venv.create(work / "venv", with_pip=True)
    programs = work / "venv" / ("Scripts" if os.name == "nt" else "bin")
    run(programs / "python", "-m", "pip", "install", "--quiet", "--no-index", packed, at=work)
    checks.that("wheel: the program says its version", run(programs / "codelens", "--version", at=work) == version)
    shown = run(programs / "python", "-m", "pip", "show", "--files", "codelens", at=work)
    checks.that("wheel: pip knows its files", "LICENSE-MIT" in shown and "codelens" in shown)


def archive(binary: Path, work: Path, version: str, checks: Checks) -> None:
    [packed] = package("archive", binary, work)
    [again] = package("archive", binary, work)
    checks.that("archive: made twice it is the same", packed.read_bytes() == again.read_bytes())
    with tarfile.open(packed) as tar:
        tar.extractall(work / "unpacked", filter="data")
    [program] = (work / "unpacked").glob("*/codelens")
    checks.that("archive: the program says its version", run(program, "--version", at=work) == version)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", type=Path, required=True)
    args = parser.parse_args()
    binary = args.binary.resolve()
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        version = run(binary, "--version", at=work)
        for kind in (npm, wheel, archive):
            place = work / kind.__name__
            place.mkdir()
            kind(binary, place, version, checks)
    checks.end()


if __name__ == "__main__":
    main()
