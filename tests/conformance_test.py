"""The protocol's own conformance suite against the HTTP server.

    python3 tests/conformance_test.py --binary target/release/codelens \
        --fixture target/release/examples/protocol_fixture --tools target/tools/protocol

`--tools` is where the packages of `tests/conformance/package-lock.json` are installed. Scenarios that a server passes as
it is run against the product; those that call tools, prompts and resources by names of the suite's own run against
`examples/protocol_fixture`, which answers them on the same transport. Every scenario of the suite has to pass, or to be listed
in `tests/conformance/scenarios.json` with the reason why it does not apply.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import tempfile
from pathlib import Path

from checks import Checks
from fixture_repo import FixtureRepo
from http_server import HttpServer

HERE = Path(__file__).resolve().parent / "conformance"

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
    """Returns what did not hold; a warning is a fault, too."""
    bad = [check for check in checks if check["status"] in ("FAILURE", "WARNING")]
    return [f"{check['status']} {check['id']}: {check.get('errorMessage')}" for check in bad]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", required=True, type=Path, help="the built codelens")
    parser.add_argument("--fixture", required=True, type=Path, help="the built examples/protocol_fixture")
    parser.add_argument("--tools", required=True, type=Path, help="where the packages are installed")
    args = parser.parse_args()
    binary, fixture, tools = (path.resolve() for path in (args.binary, args.fixture, args.tools))
    lists = json.loads((HERE / "scenarios.json").read_text(encoding="utf-8"))
    for_product, left_out = set(lists["product"]), lists["not applicable"]
    checks = Checks()
    known: set[str] = set()
    ever_ran: set[str] = set()
    with tempfile.TemporaryDirectory(prefix="codelens-conformance-") as root:
        repo = FixtureRepo.load("shop", Path(root) / "fixture")
        env = {"HOME": str(repo.home), "CODELENS_HOME": str(Path(root) / "data"), "PATH": os.environ.get("PATH", "")}
        logs = {name: Path(root) / f"{name}.txt" for name in ("product", "fixture")}
        with (
            HttpServer(binary, "serve", "--http", "0", "--json", cwd=repo.path, env=env, log=logs["product"]) as product,
            HttpServer(fixture, cwd=repo.path, env=env, log=logs["fixture"]) as fixed,
        ):
            servers = {"product": product, "fixture": fixed}
            for package, revision in SUITES:
                suite = Suite(tools, package, revision)
                scenarios = suite.scenarios()
                checks.that(f"{package} lists its scenarios", len(scenarios) > 30, scenarios)
                known |= set(scenarios)
                results = {name: suite.judge(server, Path(root) / f"{package.replace('/', '-')}-{revision}-{name}")
                           for name, server in servers.items()}
                n_passed = 0
                for scenario, is_due in scenarios.items():
                    if scenario in left_out:
                        continue
                    who = "product" if scenario in for_product else "fixture"
                    what = f"{package} {revision}: {scenario} ({who})"
                    ran = results[who].get(scenario)
                    if ran is None:
                        if is_due:
                            checks.that(f"{what} runs, or is listed with a reason", False, "it did not run")
                        continue
                    ever_ran.add(scenario)
                    held = any(check["status"] == "SUCCESS" for check in ran) and not faults(ran)
                    n_passed += checks.that(what, held, "\n              ".join(faults(ran)) or "nothing was checked")
                print(f"  {package} {revision}: {n_passed} scenarios passed", flush=True)
        for name, server in servers.items():
            checks.equal(f"the {name} server ends when it is asked to", server.process.returncode, 0)
            said = logs[name].read_text(errors="replace")
            checks.that(f"the {name} server did not panic", "panicked" not in said, said[-2000:])
    stale = (for_product | set(left_out)) - known
    checks.equal("every listed scenario is one of the suite", sorted(stale), [])
    for name, reason in left_out.items():
        checks.that(f"{name} has a reason", len(reason) > 20, reason)
    checks.equal("every scenario ran or is listed with a reason", sorted(known - ever_ran - set(left_out)), [])
    checks.end()


if __name__ == "__main__":
    main()
