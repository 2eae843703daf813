"""Shares indexes over servers that speak the protocols of S3, Azure, Google and plain HTTP, on this machine.

    python3 tests/interop/remotes_test.py --binary target/release/codelens [--azurite DIR/node_modules/azurite/dist/src/blob/main.js] [--only s3]

Each machine is a clone at a path of its own, with its own user, settings and data directory. Needs Python 3.11 with the packages of
scripts/python-requirements.txt, git, and Node for Azure; a store whose server is not there is named and left out.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "harness"))
sys.path.insert(0, str(Path(__file__).resolve().parent))

import stores  # noqa: E402
from checks import Checks  # noqa: E402
from product import Server, environment  # noqa: E402

N_FILES = 60
N_CHANGED = 3
N_AT_ONCE = 10


def git(where: Path, *words: str) -> str:
    return subprocess.run(["git", "-c", "user.name=A", "-c", "user.email=a@example.org", *words], cwd=where, check=True,
                          capture_output=True, text=True).stdout.strip()


def made(root: Path) -> Path:
    """Makes a bare repository with a branch on which a few files differ."""
    work, bare = root / "work", root / "shop.git"
    (work / "src").mkdir(parents=True)
    git(work, "init", "-q", "-b", "main")
    for n in range(N_FILES):
        (work / f"src/m{n}.ts").write_text(f"import {{ f{n - 1} }} from './m{n - 1}'\nexport function f{n}(): number {{ return f{n - 1}() }}\n")
    git(work, "add", "-A")
    git(work, "commit", "-q", "-m", "base")
    git(work, "switch", "-q", "-c", "feature")
    for n in range(N_CHANGED):
        (work / f"src/m{n}.ts").write_text(f"export function f{n}(): number {{ return {n} }}\n")
    git(work, "commit", "-q", "-am", "differ")
    git(work, "clone", "-q", "--bare", str(work), str(bare))
    return bare


class Machine:
    """A clone, with a user and a data directory of its own."""

    def __init__(self, root: Path, name: str, bare: Path, binary: Path, branch: str, env: dict[str, str]) -> None:
        home = root / name
        home.mkdir(parents=True)
        self.dir, self.binary = home / "src" / name, binary
        git(root, "clone", "-q", "-b", branch, str(bare), str(self.dir))
        self.env = {"PATH": os.environ["PATH"], "HOME": str(home), "CODELENS_HOME": str(home / "data")} | env

    def start(self, *words: str, **more: str) -> subprocess.Popen[str]:
        return subprocess.Popen([str(self.binary), *words], cwd=self.dir, env=self.env | more, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def run(self, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([str(self.binary), *words], cwd=self.dir, env=self.env | more, text=True, capture_output=True)

    def json(self, *words: str, **more: str) -> dict:
        ran = self.run(*words, "--json", **more)
        if ran.returncode:
            raise RuntimeError(f"{' '.join(words)}: exit code {ran.returncode}: {ran.stderr}")
        return json.loads(ran.stdout)


def share(checks: Checks, root: Path, bare: Path, binary: Path, url: str, env: dict[str, str], can_list: bool) -> None:
    """Goes through what a team does with a store."""
    heads = {branch: git(bare, "rev-parse", branch) for branch in ("main", "feature")}

    def machine(name: str, branch: str, **more: str) -> Machine:
        new = Machine(root, name, bare, binary, branch, env | more)
        new.json("remote", "add", "team", url)
        return new

    first = machine("first", "main")
    checks.equal("an empty store has nothing", first.json("pull")["status"], "nothing")
    pushed = first.json("push")
    checks.equal("the first push uploads", (pushed["status"], pushed["commit"], pushed["files"]), ("uploaded", heads["main"], N_FILES))
    again = first.json("push")
    checks.equal("the second has nothing to do", (again["status"], again["uploadedBytes"]), ("present", 0))

    second = machine("second", "feature")
    pulled = second.json("pull")
    checks.equal("the nearest commit is taken", (pulled["status"], pulled["commit"], pulled["differingFiles"]), ("taken", heads["main"], N_CHANGED))
    done = second.json("refresh")
    checks.equal("only the difference is read", (done["indexedFiles"], done["totalFiles"], done["seededFrom"]), (N_CHANGED, N_FILES, pulled["indexId"]))
    checks.that("the CPU time is told", done["cpuMs"] is not None, done)
    print(f"        second job: read {done['indexedFiles']} of {done['totalFiles']} files, {done['cpuMs']} ms of CPU; {pulled['bytes']} bytes pulled")
    fresh = Machine(root, "fresh", bare, binary, "feature", {})
    for words in (["search", "f7", "-n", "20"], ["impact", "f7"], ["map", "--all"]):
        values = [one.json(*words) for one in (second, fresh)]
        for value in values:
            for key in ("indexId", "generation", "nextCursor"):
                value.pop(key, None)
        checks.equal(f"{' '.join(words)}: as from an index that was built", values[0], values[1])

    auto = machine("auto", "feature", CODELENS_REMOTE_PULL="auto")
    answer = auto.json("search", "f7")
    checks.equal("a question is fresh", answer["freshness"], "fresh")
    checks.that("its index started from the store", auto.json("stats")["totalIndexes"] == 2 and not answer.get("note"), answer)

    # A server asks the store as a command does.
    served = machine("served", "feature")
    home = root / "served" / "server"
    more = env | {"CODELENS_REMOTE_PULL": "auto"}
    home.mkdir()
    subprocess.run([str(binary), "remote", "add", "team", url], env=environment(home, **more), check=True, capture_output=True)
    server = Server(binary, served.dir, home, **more)
    try:
        value = server.call("cl_search", query="f7").value
        n_indexes = server.call("cl_stats").value["totalIndexes"]
        checks.equal("a server starts from the store", (value["freshness"], value.get("note", ""), n_indexes), ("fresh", "", 2))
    finally:
        server.close()

    jobs = [machine(f"job{n}", "feature") for n in range(N_AT_ONCE)]
    running = [job.start("push", "--json") for job in jobs]
    ended = [(child.communicate(), child.returncode) for child in running]
    checks.that("pushes at once succeed", all(code == 0 for _, code in ended), ended)
    n_new = sum('"uploaded"' in said[0] for said, _ in ended)
    checks.equal("one of them is there", n_new, 1)
    last = machine("last", "feature")
    pulled = last.json("pull", "--verify")
    checks.equal("it is whole", (pulled["commit"], pulled["differingFiles"], pulled["verifiedFiles"]), (heads["feature"], 0, N_FILES))

    collected = first.run("remote", "gc", "--dry-run", "--json")
    if can_list:
        checks.equal("indexes of branches stay", json.loads(collected.stdout or "{}").get("keptIndexes"), 2)
    else:
        checks.that("a store without lists says so", collected.returncode == 1 and "does not offer that" in collected.stderr, collected.stderr)

    spoken = machine("spoken", "main")
    texts = []
    for words in (["pull"], ["push", "--ref", "origin/feature"], ["remote", "list"], ["config", "show"], ["doctor"]):
        ran = spoken.run(*words, CODELENS_LOG="trace")
        texts.append(ran.stdout + ran.stderr)
    kept = [path for path in root.rglob("*") if path.is_file() and "data" in path.parts or path.name == "codelens.toml"]
    texts += [path.read_text(errors="replace") for path in kept]
    checks.that("no credential is printed, logged or stored", not any(secret in text for secret in (stores.SECRET, stores.AZURE_KEY) for text in texts))


def faults(checks: Checks, root: Path, bare: Path, binary: Path, name: str, url: str, env: dict[str, str]) -> None:
    """Asks with credentials that the store refuses, and for a bucket that is not there."""
    wrong = {"azure": {"AZURE_STORAGE_ACCOUNT_KEY": "d3Jvbmc="}, "http": {"CODELENS_REMOTE_TOKEN": "wrong"}}.get(name)
    if wrong:
        machine = Machine(root, "wrong", bare, binary, "main", env | wrong)
        machine.json("remote", "add", "team", url)
        ran = machine.run("pull")
        checks.that("wrong credentials are said", ran.returncode == 1 and "refuses the credentials" in ran.stderr, ran.stderr)
        answer = machine.json("search", "f7", CODELENS_REMOTE_PULL="auto")
        checks.that("the answer is given all the same, and says it", answer["freshness"] == "fresh" and "credentials" in answer.get("note", ""), answer)
    if name != "http":
        machine = Machine(root, "nowhere", bare, binary, "main", env)
        machine.json("remote", "add", "team", url.replace(stores.BUCKET, "nowhere"))
        for verb in ("pull", "push"):
            ran = machine.run(verb)
            checks.that(f"{verb}: a bucket that is not there is said", ran.returncode == 1 and "is not there" in ran.stderr, ran.stderr)


def no_sockets(checks: Checks, root: Path, bare: Path, binary: Path) -> None:
    """Makes sure that no socket is opened where no store is to be asked, by a library that ends whoever opens one."""
    root.mkdir()
    library = root / "no_sockets.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", str(library), str(Path(__file__).parent / "no_sockets.c")], check=True)
    machine = Machine(root, "alone", bare, binary, "feature", {"LD_PRELOAD": str(library)})

    def works(what: str, *commands: list[str]) -> None:
        for words in commands:
            ran = machine.run(*words)
            checks.that(f"{what}: {' '.join(words)}", ran.returncode == 0 and "socket" not in ran.stderr, f"{ran.returncode} {ran.stderr}")

    questions = [["current"], ["search", "f7"], ["impact", "f7"], ["map", "--all"], ["changes", "origin/main"], ["stats"], ["doctor"], ["refresh", "--force"]]
    works("without a remote", *questions)
    with stores.plain() as (url, env):
        machine.env |= env
        machine.json("remote", "add", "team", url)
        works("with a remote that is not to be asked", *questions, ["remote", "list"], ["refresh", "--ref", "origin/main"])
        machine.env["CODELENS_REMOTE_PULL"] = "auto"
        works("with an index to start from", *questions)
        ran = machine.run("push")
        checks.that("a push does open one, so the library works", ran.returncode < 0 and "a socket to a network" in ran.stderr, f"{ran.returncode} {ran.stderr}")
    server = Server(binary, machine.dir, root / "alone" / "server", LD_PRELOAD=str(library))
    try:
        checks.equal("a server over standard input and output", server.call("cl_search", query="f7").value["freshness"], "fresh")
    finally:
        server.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", type=Path, required=True)
    parser.add_argument("--azurite", type=Path, help="the program of the package azurite: dist/src/blob/main.js")
    parser.add_argument("--only", choices=["s3", "azure", "google", "http", "none"])
    args = parser.parse_args()
    binary, checks = args.binary.resolve(), Checks()
    moto = stores.scripts_folder() / "moto_server"
    gcs = stores.fake_gcs()
    servers: dict[str, tuple[bool, Callable[[], AbstractContextManager[tuple[str, dict[str, str]]]]]] = {
        "s3": (moto.exists(), lambda: stores.s3(moto.parent)),
        "azure": (bool(args.azurite and args.azurite.exists()), lambda: stores.azure(args.azurite)),
        "google": (gcs is not None, lambda: stores.google(gcs)),
        "http": (True, stores.plain),
    }
    with tempfile.TemporaryDirectory(prefix="codelens-remotes-") as folder:
        root = Path(folder).resolve()
        bare = made(root)
        if args.only in (None, "none"):
            print("none", flush=True)
            with checks.part("none"):
                no_sockets(checks, root / "none", bare, binary)
        for name, (is_there, server) in servers.items():
            if args.only not in (None, name):
                continue
            if not is_there:
                print(f"{name}: left out, its server is not installed")
                continue
            print(name, flush=True)
            with checks.part(name), server() as (url, env):
                share(checks, root / name, bare, binary, url, env, name != "http")
                faults(checks, root / name, bare, binary, name, url, env)
    checks.end()


if __name__ == "__main__":
    main()
