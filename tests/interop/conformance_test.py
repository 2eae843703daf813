"""The protocol's own conformance suite against the HTTP server.

    python3 tests/interop/conformance_test.py --binary target/release/codelens --tools target/tools/protocol

`--tools` is where the packages of `tests/interop/conformance/package-lock.json` are installed. Every scenario of the suite has to pass, or
to be listed in `tests/interop/conformance/scenarios.json`, by name or pattern, with the reason why it does not apply.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from fnmatch import fnmatchcase
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "harness"))

from checks import Checks  # noqa: E402
from fixture_repo import FixtureRepo  # noqa: E402
from http_server import HttpServer  # noqa: E402

HERE = Path(__file__).resolve().parent / "conformance"
OWN_TOOL = "Not testable: server does not list the diagnostic tool"

# Package and the revision of the protocol that it is to speak.
SUITES = [
    ("@modelcontextprotocol/conformance", "2025-11-25"),
    ("@modelcontextprotocol/conformance", "2026-07-28"),
    ("conformance-released", "2025-11-25"),
]


class Suite:
    """One release of the suite, speaking one revision."""

    def __init__(self, tools: Path, package: str, revision: str) -> None:
        self.program = tools / "node_modules" / package / "dist" / "index.js"
        self.node = tools / "node_modules" / "node" / "bin" / "node"
        self.revision = revision

    def _run(self, *words: str, **env: str) -> subprocess.CompletedProcess[str]:
        before = ["--import", str(HERE / "with_token.mjs")] if env else []
        return subprocess.run([self.node, *before, self.program, *words], env={"PATH": os.environ.get("PATH", "")} | env,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, encoding="utf-8", timeout=300)

    def scenarios(self) -> dict[str, bool]:
        """Returns the scenarios for servers, and whether each is part of the revision."""
        listed = self._run("list", "--server").stdout
        found = re.findall(r"^\s+- (\S+) \[(.*)\]$", listed, re.MULTILINE)
        return {name: self.revision in revisions.split(",") for name, revisions in found}

    def judge(self, server: HttpServer, out: Path) -> dict[str, list[dict]]:
        """Runs everything against a server; returns the checks of each scenario."""
        self._run("server", "--url", server.url, "--suite", "all", "--spec-version", self.revision, "-o", str(out),
                  CODELENS_HTTP_TOKEN=server.token)
        results = {}
        for file in sorted(out.glob("server-*/checks.json")):
            name = re.sub(r"-\d{4}-\d{2}-\d{2}T[\d-]+Z$", "", file.parent.name).removeprefix("server-")
            results[name] = json.loads(file.read_text(encoding="utf-8"))
        return results


def faults(checks: list[dict]) -> list[str]:
    """Returns the checks that failed; a warning is a fault, too. Those that need a tool of the suite's own are none."""
    bad = [check for check in checks if check["status"] in ("FAILURE", "WARNING") and OWN_TOOL not in str(check.get("errorMessage"))]
    return [f"{check['status']} {check['id']}: {check.get('errorMessage')}" for check in bad]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", required=True, type=Path, help="the built codelens")
    parser.add_argument("--tools", required=True, type=Path, help="where the packages are installed")
    args = parser.parse_args()
    binary, tools = args.binary.resolve(), args.tools.resolve()
    left_out = json.loads((HERE / "scenarios.json").read_text(encoding="utf-8"))["not applicable"]
    checks = Checks()
    known: set[str] = set()
    ran: set[str] = set()
    with tempfile.TemporaryDirectory(prefix="codelens-conformance-") as root:
        repo = FixtureRepo.load("shop", Path(root) / "fixture")
        env = {"HOME": str(repo.home), "CODELENS_HOME": str(Path(root) / "data"), "PATH": os.environ.get("PATH", "")}
        log = Path(root) / "log.txt"
        with HttpServer(binary, "serve", "--http", "0", "--json", cwd=repo.path, env=env, log=log) as server:
            for package, revision in SUITES:
                suite = Suite(tools, package, revision)
                scenarios = suite.scenarios()
                checks.that(f"{package} lists its scenarios", len(scenarios) > 30, scenarios)
                known |= set(scenarios)
                results = suite.judge(server, Path(root) / f"{package.replace('/', '-')}-{revision}")
                n_passed = 0
                for scenario, is_due in scenarios.items():
                    if any(fnmatchcase(scenario, pattern) for pattern in left_out):
                        continue
                    what = f"{package} {revision}: {scenario}"
                    found = results.get(scenario)
                    if found is None:
                        if is_due:
                            checks.that(f"{what} runs, or is listed with a reason", False, "it did not run")
                        continue
                    ran.add(scenario)
                    held = any(check["status"] == "SUCCESS" for check in found) and not faults(found)
                    n_passed += checks.that(what, held, "\n              ".join(faults(found)) or "nothing was checked")
                print(f"  {package} {revision}: {n_passed} scenarios passed", flush=True)
        checks.equal("the server ends when it is asked to", server.process.returncode, 0)
        said = log.read_text(errors="replace")
        checks.that("the server did not panic", "panicked" not in said, said[-2000:])
    for pattern, reason in left_out.items():
        matched = {scenario for scenario in known if fnmatchcase(scenario, pattern)}
        checks.that(f"{pattern} is of the suite", matched, sorted(known))
        checks.that(f"{pattern} has a reason", len(reason) > 20, reason)
        known -= matched
    checks.equal("every scenario ran or is listed with a reason", sorted(known - ran), [])
    checks.end()


if __name__ == "__main__":
    main()
