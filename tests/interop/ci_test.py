"""Runs the commands that docs/ci.md has for a comment on a pull request, as scripts, against a local bare repository.

    python3 tests/interop/ci_test.py --binary target/release/codelens [--schema sarif-2.1.0.json]

A branch breaks a use, and meets a change of the target branch. The clone of the job has the history and nothing else; `gh` and `curl`
are scripts that keep what they are given. The log for code scanning is checked against the schema of its authors, where that and the
module `jsonschema` are there. Needs Python 3.11, bash and git.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "harness"))

from checks import Checks  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
FILES = {
    "package.json": '{"name": "shop"}\n',
    "src/cart.ts": "export function total(prices: number[]): number {\n  return prices.length\n}\n\nexport function empty(): number {\n  return 0\n}\n",
    "src/page.ts": "import { total } from './cart'\n\nexport function page(): number {\n  return total([1])\n}\n",
    "test/cart.test.ts": "import { total } from '../src/cart'\n\ntest('adds', () => {\n  expect(total([1, 2])).toBe(2)\n})\n",
}


def git(where: Path, *words: str) -> str:
    return subprocess.run(["git", "-c", "user.name=A", "-c", "user.email=a@example.org", *words], cwd=where, check=True,
                          capture_output=True, text=True).stdout


def made(root: Path) -> Path:
    """Makes the bare repository, with a branch that renames `total` and a target branch that uses it once more."""
    work, bare = root / "work", root / "shop.git"
    work.mkdir()
    git(work, "init", "-q", "-b", "main")

    def commit(what: str, **changed: tuple[str, str]) -> None:
        for path, (old, new) in changed.items():
            file = work / path
            file.write_text(file.read_text().replace(old, new))
        git(work, "add", "-A")
        git(work, "commit", "-q", "-m", what)

    for path, text in FILES.items():
        (work / path).parent.mkdir(exist_ok=True)
        (work / path).write_text(text)
    commit("base")
    git(work, "switch", "-q", "-c", "feature")
    commit("rename", **{"src/cart.ts": ("total(", "sum(")})
    git(work, "switch", "-q", "main")
    (work / "src/bill.ts").write_text("import { total } from './cart'\n\nexport const bill = total([3])\n")
    commit("another use")
    git(root, "clone", "-q", "--bare", str(work), str(bare))
    return bare


def steps(name: str) -> list[str]:
    """Returns the commands of the example that begins with a comment, in order."""
    text = (ROOT / "docs/ci.md").read_text()
    block = re.search(rf"```yaml\n# {re.escape(name)}\n(.*?)```", text, re.S)[1]
    lines, found = block.split("\n"), []
    for at, line in enumerate(lines):
        one = re.match(r"\s*- (?:run: )?((?:codelens|gh|git) .*)", line)
        if one:
            found.append(one[1])
        elif line.strip() == "- >-":
            found.append(" ".join(it.strip() for it in lines[at + 1: at + 3]))
    return found


class Job:
    """A clone of the branch of a pull request, with programs that stand in for those of the build server."""

    def __init__(self, root: Path, bare: Path, binary: Path, checks: Checks, **more: str) -> None:
        root.mkdir()
        self.root, self.checks, self.dir = root, checks, root / "checkout"
        git(root, "clone", "-q", "-b", "feature", str(bare), str(self.dir))
        programs = root / "bin"
        programs.mkdir()
        (programs / "codelens").symlink_to(binary)
        for name in ("gh", "curl"):
            program = programs / name
            program.write_text('#!/bin/sh\necho "$@" > "$KEPT"\ncat comment.md >> "$KEPT"\n')
            program.chmod(0o755)
        self.kept = root / "kept"
        self.env = {"PATH": f"{programs}:{os.environ['PATH']}", "HOME": str(root), "CODELENS_HOME": str(root / "data"), "KEPT": str(self.kept)} | more

    def run(self, line: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(["bash", "-e", "-o", "pipefail", "-c", line], cwd=self.dir, env=self.env, capture_output=True, text=True)

    def all_of(self, name: str) -> None:
        """Runs the commands; the last one fails, for a use is broken."""
        lines = steps(name)
        self.checks.that(f"{name} has commands", len(lines) >= 3, lines)
        for line in lines:
            ran = self.run(line)
            self.checks.equal(f"{line}: exit code", ran.returncode, 3 if "--exit-code" in line else 0)
            if ran.returncode not in (0, 3):
                print(ran.stderr)
        said = self.kept.read_text() if self.kept.exists() else ""
        for word in ("total", "src/page.ts", "src/bill.ts", "cart.test.ts"):
            self.checks.that(f"{name}: the comment has {word}", word in said, said)


def check_log(job: Job, schema: Path | None, checks: Checks) -> None:
    """Checks the log for code scanning."""
    ran = job.run('codelens changes "origin/main..." --with origin/main --format sarif')
    log = json.loads(ran.stdout)
    results = log["runs"][0]["results"]
    checks.that("the log has the broken use", any("src/page.ts" in json.dumps(it) for it in results), results)
    try:
        import jsonschema
    except ImportError:
        jsonschema = None
    if not schema or not schema.exists() or not jsonschema:
        print("the log is not checked against the schema: " + ("no schema" if jsonschema else "no module jsonschema"))
        return
    rules = json.loads(schema.read_text())
    validator = jsonschema.validators.validator_for(rules)(rules)
    faults = [f"{'/'.join(map(str, it.absolute_path))}: {it.message}" for it in validator.iter_errors(log)]
    checks.equal("faults of the log", faults, [])
    empty = json.loads(job.run("codelens changes HEAD --format sarif").stdout)
    checks.equal("faults of a log without results", [it.message for it in validator.iter_errors(empty)], [])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", type=Path, required=True)
    parser.add_argument("--schema", type=Path, help="the schema of SARIF 2.1.0")
    args = parser.parse_args()
    binary, checks = args.binary.resolve(), Checks()
    with tempfile.TemporaryDirectory(prefix="codelens-ci-") as folder:
        root = Path(folder).resolve()
        bare = made(root)
        with checks.part("a job on GitHub"):
            job = Job(root / "github", bare, binary, checks, GITHUB_BASE_REF="main", PR="7")
            job.all_of(".github/workflows/changes.yml")
            ran = job.run('codelens changes "origin/main..." --format github')
            checks.that("annotations name the line", re.search(r"::(error|warning) .*file=src/page.ts,line=\d", ran.stdout), ran.stdout)
            check_log(job, args.schema, checks)
            ran = job.run('echo $(codelens tests "origin/main..." --run-format vitest)')
            checks.that("tests are listed as arguments", "test/cart.test.ts" in ran.stdout, ran.stdout)
        with checks.part("a job on GitLab"):
            Job(root / "gitlab", bare, binary, checks, CI_MERGE_REQUEST_TARGET_BRANCH_NAME="main", CODELENS_TOKEN="t", CI_API_V4_URL="u",
                CI_PROJECT_ID="1", CI_MERGE_REQUEST_IID="2").all_of(".gitlab-ci.yml for merge requests")
        with checks.part("a bare repository"):
            ran = subprocess.run([binary, "changes", "main", "--head", "feature", "--json"], cwd=bare, env=job.env, capture_output=True, text=True)
            checks.that("a bare repository is asked", ran.returncode == 0 and json.loads(ran.stdout)["brokenTotal"] > 0, ran.stdout + ran.stderr)
    checks.end()


if __name__ == "__main__":
    main()
