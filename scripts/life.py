#!/usr/bin/env python3
"""The life of indexes on a real repository: long runs, by hand.

    python3 scripts/life.py loop     --repo DIR [--commits 200] [--branches 40] [--housekeeping off] [--quota BYTES]
    python3 scripts/life.py servers  --repo DIR [--seconds 60]
    python3 scripts/life.py contexts --repo DIR [--items 100] [--commits 300]
    python3 scripts/life.py jobs     --repo DIR [--commits 20]
    python3 scripts/life.py bundle   --repo DIR [--commits 20]

`loop` commits and branches with a refresh after each, and looks at what is left; without housekeeping `prune` has all to do, and with a quota that live branches exceed only
that is looked at. `servers` lets four servers
query and switch branches while others prune and drop. `contexts` saves items on an old commit and finds them
again on a new one. `jobs` is a build server: a second job starts from the first one's data directory in another place. `bundle` carries an
index from one clone to another, newer one. DIR is cloned; it stays as it is. Needs Python 3.11 and git.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from checks import Checks  # noqa: E402
from product import Command, Server  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
LONG_MS = 60_000


def git(repo: Path, *args: str) -> str:
    """Runs git with an author and no configuration of the user; the dates are of now."""
    env = {
        "PATH": os.environ.get("PATH", ""), "HOME": str(repo), "LC_ALL": "C", "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull, "GIT_AUTHOR_NAME": "Ada", "GIT_AUTHOR_EMAIL": "ada@example.invalid",
        "GIT_COMMITTER_NAME": "Ada", "GIT_COMMITTER_EMAIL": "ada@example.invalid",
    }
    ran = subprocess.run(["git", *args], cwd=repo, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if ran.returncode:
        raise SystemExit(f"git {' '.join(args)} failed:\n{ran.stderr.strip()}")
    return ran.stdout.strip()


def du(path: Path) -> int:
    """Returns what `du` says of a folder, in bytes, the folders themselves left out."""
    ran = subprocess.run(["du", "-s", "-B1", path], capture_output=True, text=True, check=True)
    folders = sum(
        os.lstat(Path(at)).st_blocks * 512 for at, _, _ in os.walk(path)
    )
    return int(ran.stdout.split()[0]) - folders


def clone(source: Path, target: Path) -> Path:
    subprocess.run(["git", "clone", "--quiet", source, target], check=True, stdin=subprocess.DEVNULL)
    return target


def loop(args: argparse.Namespace, room: Path, checks: Checks) -> None:
    repo, home = clone(args.repo, room / "repo"), room / "home"
    quota = args.quota or 2 << 30
    env = {"CODELENS_HOUSEKEEPING": args.housekeeping, "CODELENS_MAX_REPO_BYTES": str(quota)}
    product = Command(args.binary, repo, home, LONG_MS, **env)
    rng = random.Random(7)
    default = git(repo, "branch", "--show-current")
    files = [name for name in git(repo, "ls-files", "*.ts").splitlines() if "/src/" in name]
    product("refresh")
    live, n_branch, freed, peak, n_dropped, n_freeing = [default], 0, 0, 0, 0, 0
    each = max(1, args.commits // args.branches)
    for n in range(args.commits):
        if n % each == 0 and n_branch < args.branches:
            git(repo, "checkout", "--quiet", "-b", f"work/{n_branch}", rng.choice(live))
            live.append(f"work/{n_branch}")
            n_branch += 1
        file = repo / rng.choice([name for name in files if (repo / name).exists()])
        file.write_text(file.read_text() + f"\nexport const added{n} = {n}\n")
        git(repo, "commit", "--quiet", "-am", f"change {n}")
        product("refresh")
        if n % 7 == 6 and len(live) > 6:
            dead = rng.choice(live[1:-1])
            live.remove(dead)
            git(repo, "branch", "--quiet", "-D", dead)
            n_dropped += 1
        if n % 20 == 19:
            before = du(home)
            pruned = product("prune")
            freed += pruned["bytesFreed"]
            got = before - du(home)
            n_freeing += got > 0
            fine = abs(got - pruned["bytesFreed"]) <= 0.01 * max(got, 1)
            checks.that(f"bytesFreed is what du says, after {n + 1} commits", fine, [got, pruned["bytesFreed"]])
        peak = max(peak, du(home))
    product("prune")
    found = product("stats")
    indexed = {(index["branch"], index["headSha"]) for index in found["indexes"]}
    if args.housekeeping == "off":
        checks.that("pruning had something to do", n_freeing, freed)
    for branch in live[1:] if args.quota is None else []:
        tip = git(repo, "rev-parse", branch)
        checks.that(f"live branch {branch} has its index", (branch, tip) in indexed, sorted(map(str, indexed)))
    dead = {branch for branch, _ in indexed} - set(live)
    checks.equal("no dead branch has an index", sorted(map(str, dead)), [])
    checks.that("the data directory is within the quota", du(home) <= quota, du(home))
    doctor = product("doctor")
    checks.that("the doctor finds nothing", all(check["ok"] for check in doctor["checks"]), doctor)
    print(f"{args.commits} commits, {n_branch} branches of which {n_dropped} were deleted; {len(indexed)} indexes, "
          f"{du(home) >> 20} MiB left, at most {peak >> 20} MiB, {freed >> 20} MiB freed by {n_freeing} prunes, quota {quota >> 20} MiB")


def servers(args: argparse.Namespace, room: Path, checks: Checks) -> None:
    repo, home = clone(args.repo, room / "repo"), room / "home"
    trees = []
    for t in range(4):
        tree = room / f"tree{t}"
        for b in range(5):
            git(repo, "branch", "--quiet", f"t{t}b{b}", f"HEAD~{b * 3}")
        git(repo, "worktree", "add", "--quiet", str(tree), f"t{t}b0")
        for b in range(5):
            git(tree, "checkout", "--quiet", f"t{t}b{b}")
            (tree / f"marker{b}.ts").write_text(f"export function markerOf{t}x{b}(): number {{\n  return {b}\n}}\n")
            git(tree, "add", ".")
            git(tree, "commit", "--quiet", "-m", f"marker {b}")
        trees.append(tree)
    Command(args.binary, trees[0], home)("refresh")
    until = time.monotonic() + args.seconds
    counts = {"answers": 0, "fresh": 0, "switches": 0, "pruned": 0, "dropped": 0, "refused": 0, "prunes": 0}
    guard = threading.Lock()

    def note(what: str, n: int = 1) -> None:
        with guard:
            counts[what] += n

    def work(t: int) -> None:
        rng = random.Random(t)
        log = room / f"server{t}.log"
        server = Server(args.binary, trees[t], home, LONG_MS, log)
        try:
            while time.monotonic() < until:
                b = rng.randrange(5)
                git(trees[t], "checkout", "--quiet", f"t{t}b{b}")
                note("switches")
                for _ in range(rng.randrange(1, 6)):
                    other = rng.randrange(5)
                    reply = server.call("cl_search", query=f"markerOf{t}x{other}", limit=50)
                    value = reply.value
                    with guard:
                        if not checks.that("a query is no error", not reply.is_error, value):
                            continue
                        counts["answers"] += 1
                        counts["fresh"] += value["freshness"] == "fresh"
                        found = any(hit["path"] == f"marker{other}.ts" for hit in value["results"])
                        if value["freshness"] == "fresh":
                            checks.that(f"t{t}: marker{other} is found on b{b} iff it is there", found == (other == b), value)
                        else:
                            checks.that(f"t{t}: nothing of another branch", not found or other == b, value)
                now = server.call("cl_current").value
                with guard:
                    checks.that("what is checked out keeps its index", now["status"] != "missing", now)
        finally:
            server.close()
            said = log.read_text(encoding="utf-8")
            with guard:
                checks.that("a server says nothing of faults", "ERROR" not in said and "panick" not in said, said)

    def prune() -> None:
        product = Command(args.binary, trees[0], home)
        rng = random.Random(99)
        while time.monotonic() < until:
            wish = rng.choice([[], ["--max-bytes", "0"], ["--older-than-days", "0"], ["--ci"]])
            ran = product.run("prune", *wish, "--json")
            with guard:
                fine = ran.returncode == 0 or "index_busy" in ran.stderr
                if checks.that("prune is no error", fine, ran.stderr) and ran.returncode == 0:
                    counts["prunes"] += 1
                    counts["pruned"] += json.loads(ran.stdout)["total"]
            time.sleep(rng.choice([0, 0.5]))

    def drop() -> None:
        rng = random.Random(98)
        while time.monotonic() < until:
            t = rng.randrange(4)
            ran = Command(args.binary, trees[t], home).run("drop", "--branch", f"t{t}b{rng.randrange(5)}", "--json")
            with guard:
                is_dropped = ran.returncode == 0
                fine = is_dropped or '"refused"' in ran.stderr or '"index_missing"' in ran.stderr
                checks.that("drop drops, refuses or finds none", fine, ran.stderr)
                counts["dropped" if is_dropped else "refused"] += 1
            time.sleep(0.03)

    threads = [threading.Thread(target=work, args=(t,)) for t in range(4)]
    threads += [threading.Thread(target=prune), threading.Thread(target=drop)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    checks.that("every part did something", all(counts[key] for key in ("answers", "fresh", "pruned", "dropped", "prunes")), counts)
    print(counts)


def definitions(product: Command, tree: Path) -> list[dict]:
    """Returns the exported symbols of all source files, each with its path."""
    found = []
    for file in git(tree, "ls-files", "packages/*/src/*.ts").splitlines():
        for entry in product("map", file)["files"]:
            for symbol in entry["symbols"]:
                found.append({**symbol, "path": entry["path"]})
    return found


def contexts(args: argparse.Namespace, room: Path, checks: Checks) -> None:
    repo, home = clone(args.repo, room / "repo"), room / "home"
    product = Command(args.binary, repo, home, LONG_MS)
    git(repo, "checkout", "--quiet", "-b", "old", f"HEAD~{args.commits}")
    product("refresh")
    symbols = [s for s in definitions(product, repo) if s["kind"] in ("function", "class", "method") and s["endLine"] - s["startLine"] >= 3]
    chosen = random.Random(5).sample(symbols, min(args.items, len(symbols)))
    handles = [part for s in chosen for part in ("--handle", s["handle"])]
    product("save", "work", *handles)
    same = product("load", "work")
    checks.equal("on the commit that it was saved on all is the same",
                 {item["state"] for item in same["items"]}, {"same"})
    git(repo, "checkout", "--quiet", "-")
    product("refresh")
    begun = time.monotonic()
    loaded = product("load", "work")["items"]
    took = time.monotonic() - begun
    now: dict[tuple[str, str], list[dict]] = {}
    for symbol in definitions(product, repo):
        now.setdefault((symbol["name"], symbol["kind"]), []).append(symbol)
    exists = right = said = 0
    states: dict[str, int] = {}
    for was, item in zip(chosen, loaded, strict=True):
        states[item["state"]] = states.get(item["state"], 0) + 1
        there = now.get((was["name"], was["kind"]), [])
        own = [symbol for symbol in there if symbol["path"] == was["path"]] or there
        if not own:
            said += item["state"] in ("changed", "missing")
            checks.that(f"{was['name']} is gone, and said to be changed or missing", item["state"] in ("changed", "missing"), item)
            continue
        exists += 1
        places = {(symbol["path"], f"{symbol['startLine']}-{symbol['endLine']}") for symbol in own}
        is_right = (item["path"], item.get("lines")) in places
        right += is_right
        if not is_right:
            honest = item["state"] in ("changed", "missing")
            checks.that(f"{was['name']} is not found at its lines, and said to be changed or missing", honest, [item, sorted(places)])
    checks.that("95 of 100 that exist are found at the right lines", right >= 0.95 * exists, [right, exists])
    print(f"{len(chosen)} items, {args.commits} commits later: {exists} still exist, {right} of them found at their lines, "
          f"{len(chosen) - exists} gone; {states}; loaded in {took * 1000:.0f} ms")


def two_clones(args: argparse.Namespace, room: Path) -> tuple[Path, Path, set[str]]:
    """Returns a clone some commits back and one of today, in places of different depth, and what differs."""
    old, new = clone(args.repo, room / "old"), room / "another" / "place"
    new.parent.mkdir()
    clone(args.repo, new)
    git(old, "checkout", "--quiet", "-B", "main", f"HEAD~{args.commits}")
    changed = git(new, "diff", "--name-only", "--no-renames", "--diff-filter=d", git(old, "rev-parse", "HEAD"), "HEAD")
    return old, new, set(changed.splitlines())


def jobs(args: argparse.Namespace, room: Path, checks: Checks) -> None:
    old, new, changed = two_clones(args, room)
    first = Command(args.binary, old, room / "home", LONG_MS)
    before = first("refresh")
    first("prune", "--ci", "--max-bytes", "500000000")
    shutil.copytree(room / "home", room / "restored")
    shutil.rmtree(old)
    after = Command(args.binary, new, room / "restored", LONG_MS)("refresh")
    checks.that("the second job starts from the first one's index", after["seededFrom"] == before["indexId"], after)
    checks.that("it reads what differs, and nothing else", after["indexedFiles"] <= len(changed), [after, len(changed)])
    checks.that("it takes less than half of the CPU time", after["cpuMs"] < before["cpuMs"] / 2, [before["cpuMs"], after["cpuMs"]])
    print(f"first job: {before['indexedFiles']} files, {before['cpuMs']} ms of CPU; second job, {args.commits} commits later in another place: "
          f"{after['indexedFiles']} of {len(changed)} changed files, {after['cpuMs']} ms of CPU")


def bundle(args: argparse.Namespace, room: Path, checks: Checks) -> None:
    old, new, changed = two_clones(args, room)
    file = room / "old.bundle"
    took = {}

    def timed(what: str, product: Command, *command: str) -> dict:
        begun = time.monotonic()
        value = product(*command)
        took[what] = round((time.monotonic() - begun) * 1000)
        return value

    there, here = Command(args.binary, old, room / "there", LONG_MS), Command(args.binary, new, room / "here", LONG_MS)
    built = there("refresh")
    made = timed("export", there, "bundle", "export", str(file))
    timed("import", here, "bundle", "import", str(file))
    after = here("refresh")
    checks.that("what was taken in is only a seed", after["indexedFiles"] <= len(changed), [after, len(changed)])
    verified = Command(args.binary, new, room / "verified", LONG_MS)
    done = timed("import --verify", verified, "bundle", "import", str(file), "--verify")
    checks.equal("every file could be verified", done["leftOut"] - built["skipped"] <= 0, True)
    checks.that("a verified one is a seed, too", verified("refresh")["indexedFiles"] <= len(changed) + done["leftOut"], done)
    print(f"{made['files']} files, {made['indexBytes'] >> 10} KiB of index in {made['bytes'] >> 10} KiB; ms: {took}; "
          f"refresh {args.commits} commits later reads {after['indexedFiles']} files in {after['cpuMs']} ms of CPU, a build took {built['cpuMs']}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["loop", "servers", "contexts", "jobs", "bundle"])
    parser.add_argument("--repo", type=Path, required=True)
    parser.add_argument("--binary", type=Path, default=ROOT / "target/release/codelens")
    parser.add_argument("--commits", type=int)
    parser.add_argument("--branches", type=int, default=40)
    parser.add_argument("--housekeeping", choices=["on", "off"], default="on")
    parser.add_argument("--quota", type=int, help="bytes that the repository's indexes may take")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--items", type=int, default=100)
    args = parser.parse_args()
    args.repo, args.binary = args.repo.resolve(), args.binary.resolve()
    args.commits = args.commits or {"contexts": 300, "loop": 200}.get(args.what, 20)
    checks = Checks()
    with tempfile.TemporaryDirectory(prefix="codelens-life-") as room:
        {"loop": loop, "servers": servers, "contexts": contexts, "jobs": jobs, "bundle": bundle}[args.what](args, Path(room), checks)
    checks.end()


if __name__ == "__main__":
    main()
