#!/usr/bin/env python3
"""Is the first answer right after each git step? Asks any code-index tool, and counts right, flagged and silently wrong answers.

    python3 scripts/staleness.py [--tool codelens] [--binary FILE] [--random N] [--seed N] [--json FILE] [--write docs/benchmarks.md]
    python3 scripts/staleness.py --tool mcp --command "npx some-server {root}" --call find_callers --arguments '{"name": "{name}"}'

A repository of TypeScript files is made in a temporary directory; every file exports one function and calls others by import. Each step
(switch, commit, amend, rebase, stash, reset, linked work tree, submodule, case-only rename, sparse checkout, an edit that keeps size
and time, …) is followed at once by questions "which files call NAME?" about names whose callers the step changed, and one that it
did not change. The truth is a search for `NAME(` through the files that git lists, on the disk, after the answer.

- `right`: exactly these files. `flagged`: other files, but the answer says that it may be out of date. `wrong`: other files, without a word.

Adapters: `codelens` (a server; `cl_impact`), `command` (a new process of it for each question), `grep` (the truth against itself: a check of this script),
`mcp` (any server over standard input and output: all files of the repository whose path stands in the answer's text count as named;
`--flag REGEX` tells a flagged answer). A tool that has to be told to index again is told so only by `--before-each`, a shell command.
Needs Python 3.11 and git. No time is measured.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shlex
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "harness"))

from product import Command, Server  # noqa: E402

N_FILES = 60
N_CALLS = 3
MAX_QUESTIONS = 3
MARK = "<!-- staleness -->"


def source(number: int, targets: list[int], text: str = "") -> str:
    """Returns a file that exports `name<number>` and calls the targets."""
    imports = "".join(f"import {{ name{target:02} }} from '../d{target:02}/f{target:02}'\n" for target in targets)
    calls = "".join(f"  name{target:02}()\n" for target in targets)
    return f"{imports}export function name{number:02}() {{\n{calls}}}\n{text}"


class Repository:
    """A work tree with a history, and the truth about its callers."""

    def __init__(self, root: Path, seed: int) -> None:
        self.root, self.random, self.n_made = root, random.Random(seed), 0
        self.linked = root.with_name("linked")
        root.mkdir()
        self.git("init", "-q", "-b", "main")
        for key, value in (("user.name", "A"), ("user.email", "a@example.org"), ("commit.gpgsign", "false"), ("core.ignorecase", "false")):
            self.git("config", key, value)
        for number in range(N_FILES):
            self.put(number)
        self.commit("base")
        for branch in ("feature", "other"):
            self.git("switch", "-qc", branch, "main")
            for number in self.random.sample(range(N_FILES), 12):
                self.put(number)
            self.commit(branch)
        self.git("switch", "-q", "main")

    def git(self, *words: str, check: bool = True, at: Path | None = None) -> str:
        env = os.environ | {"GIT_EDITOR": "true", "GIT_TERMINAL_PROMPT": "0"}
        ran = subprocess.run(["git", "-c", "protocol.file.allow=always", *words], cwd=at or self.root, env=env, stdin=subprocess.DEVNULL,
                             capture_output=True, text=True)
        if check and ran.returncode:
            raise RuntimeError(f"git {' '.join(words)}: {ran.stderr.strip()}")
        return ran.stdout

    def path(self, number: int) -> Path:
        return self.root / f"src/d{number:02}/f{number:02}.ts"

    def put(self, number: int, at: Path | None = None) -> Path:
        self.n_made += 1
        targets = self.random.sample([it for it in range(N_FILES) if it != number], N_CALLS)
        file = at or self.path(number)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(source(number, targets, f"// {self.n_made}\n"))
        return file

    def commit(self, message: str, *more: str) -> None:
        self.git("add", "-A", "--sparse")
        self.git("commit", "-q", "--allow-empty", "-m", message, *more)

    def files(self) -> list[str]:
        listed = self.git("ls-files", "-co", "--exclude-standard", "--deduplicate", "-z").split("\0")
        return sorted(path for path in listed if path.endswith(".ts") and (self.root / path).is_file())

    def callers(self) -> dict[str, set[str]]:
        """Returns for each name the files that call it."""
        found: dict[str, set[str]] = {f"name{number:02}": set() for number in range(N_FILES)}
        for path in self.files():
            for name in re.findall(r"(?<!function )\b(name\d\d)\(", (self.root / path).read_text()):
                found.setdefault(name, set()).add(path)
        return found

    def pick(self) -> Path:
        """Returns a file that is on the disk."""
        return self.root / self.random.choice([path for path in self.files() if re.fullmatch(r"src/d\d\d/f\d\d\.ts", path)])

    def number(self, file: Path) -> int:
        return int(file.stem[1:])

    # Steps. Each leaves a state in which every other one can follow.

    def edit(self) -> None:
        file = self.pick()
        self.put(self.number(file), file)

    def edit_keeping_size_and_time(self) -> None:
        file = self.pick()
        before, text = file.stat(), file.read_text()
        old = re.findall(r"  name(\d\d)\(", text)[0]
        new = self.random.choice([f"{it:02}" for it in range(N_FILES) if f"name{it:02}" not in text])
        file.write_text(re.sub(rf"\b(name|d|f){old}\b", rf"\g<1>{new}", text))
        os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))

    def add_a_file(self) -> None:
        self.put(self.random.randrange(N_FILES), self.root / f"src/new/n{self.n_made:04}.ts")

    def delete_a_file(self) -> None:
        self.pick().unlink()

    def move_a_directory(self) -> None:
        file = self.pick()
        file.parent.rename(self.root / f"src/moved{self.n_made:04}")
        self.n_made += 1

    def rename_in_case_alone(self) -> None:
        file = self.pick()
        file.rename(file.with_name(file.name.upper().replace(".TS", ".ts")))

    def commit_all(self) -> None:
        self.edit()
        self.commit("work")

    def amend(self) -> None:
        self.edit()
        self.commit("amended", "--amend")

    def switch(self) -> None:
        self.commit("before")
        self.git("switch", "-q", self.random.choice(["main", "feature", "other"]))

    def switch_detached(self) -> None:
        self.commit("before")
        self.git("switch", "-q", "--detach", "main~1", check=False)
        self.git("switch", "-q", "--detach", "feature")

    def begin_a_branch(self) -> None:
        self.git("switch", "-qc", f"branch{self.n_made}")
        self.n_made += 1
        self.commit_all()

    def merge(self) -> None:
        self.commit("before")
        self.git("merge", "-q", "-X", "theirs", "-m", "merged", "other", check=False)
        self.git("merge", "--abort", check=False)

    def rebase(self) -> None:
        self.commit("before")
        self.git("rebase", "-q", "-X", "theirs", "main", check=False)
        self.git("rebase", "--abort", check=False)

    def cherry_pick(self) -> None:
        self.commit("before")
        self.git("cherry-pick", "-X", "theirs", "--allow-empty", "feature", check=False)
        self.git("cherry-pick", "--abort", check=False)

    def revert(self) -> None:
        self.commit_all()
        self.git("revert", "--no-edit", "HEAD")

    def stash(self) -> None:
        self.edit()
        self.git("stash", "-q", "-u")

    def stash_and_pop(self) -> None:
        self.edit()
        self.git("stash", "-q", "-u")
        self.git("stash", "pop", "-q", check=False)

    def reset_hard(self) -> None:
        self.commit("before")
        self.git("reset", "-q", "--hard", "HEAD~1", check=False)

    def restore_a_file_of_another_branch(self) -> None:
        self.git("checkout", "-q", "feature", "--", "src")

    def ignore_a_file(self) -> None:
        file = self.put(self.random.randrange(N_FILES), self.root / f"src/new/ignored{self.n_made:04}.ts")
        with open(self.root / ".gitignore", "a") as rules:
            rules.write(f"{file.name}\n")

    def sparse_checkout(self) -> None:
        self.commit("before")
        kept = [f"src/d{number:02}" for number in range(0, N_FILES, 2)]
        self.git("sparse-checkout", "set", *kept)

    def end_sparse_checkout(self) -> None:
        self.git("sparse-checkout", "disable", check=False)

    def change_a_linked_work_tree(self) -> None:
        if not self.linked.exists():
            self.git("worktree", "add", "-q", "--detach", str(self.linked), "feature")
        file = self.linked / "src" / "only-here.ts"
        file.parent.mkdir(exist_ok=True)
        file.write_text(source(99, [self.random.randrange(N_FILES)]))
        self.git("add", "-A", at=self.linked)
        self.git("commit", "-qm", "linked", at=self.linked)

    def bump_a_submodule(self) -> None:
        other = self.root.with_name("library")
        if not other.exists():
            other.mkdir()
            self.git("init", "-q", "-b", "main", at=other)
            self.git("config", "user.name", "A", at=other)
            self.git("config", "user.email", "a@example.org", at=other)
        (other / "library.ts").write_text(source(98, [self.random.randrange(N_FILES)], f"// {self.n_made}\n"))
        self.n_made += 1
        self.git("add", "-A", at=other)
        self.git("commit", "-qm", "library", at=other)
        if not (self.root / "library").exists():
            self.git("submodule", "add", "-q", "--force", str(other), "library", check=False)
        self.git("pull", "-q", "origin", "main", at=self.root / "library", check=False)

    def pack(self) -> None:
        self.git("gc", "-q")


STEPS: list[Callable[[Repository], None]] = [
    Repository.edit, Repository.edit_keeping_size_and_time, Repository.add_a_file, Repository.delete_a_file, Repository.move_a_directory,
    Repository.rename_in_case_alone, Repository.commit_all, Repository.amend, Repository.switch, Repository.switch_detached,
    Repository.begin_a_branch, Repository.merge, Repository.rebase, Repository.cherry_pick, Repository.revert, Repository.stash,
    Repository.stash_and_pop, Repository.reset_hard, Repository.restore_a_file_of_another_branch, Repository.ignore_a_file,
    Repository.sparse_checkout, Repository.end_sparse_checkout, Repository.change_a_linked_work_tree, Repository.bump_a_submodule,
    Repository.pack,
]


@dataclass(frozen=True)
class Answer:
    """The files that an answer names, and whether it says that it may be out of date."""

    files: set[str]
    is_flagged: bool


class CodeLens:
    """CodeLens, as a server or as one process for each question."""

    def __init__(self, binary: Path, repo: Repository, home: Path, is_server: bool) -> None:
        self.repo = repo
        self.asked: Server | Command = Server(binary, repo.root, home) if is_server else Command(binary, repo.root, home)

    def ask(self, name: str) -> Answer:
        value = self.asked.call("cl_impact", symbol=name, depth=1, limit=200).value
        # A call whose import leads nowhere (its file was moved) is named among the unresolved uses.
        files = {use["path"] for field in ("callers", "unresolved") for use in value.get(field, [])}
        # Names that two files define are answered with the candidates alone.
        is_open = bool(value.get("candidates")) or "error" in value
        return Answer(files, value.get("freshness") != "fresh" or is_open)

    def close(self) -> None:
        self.asked.close()


class Grep:
    """The truth against itself."""

    def __init__(self, repo: Repository) -> None:
        self.repo = repo

    def ask(self, name: str) -> Answer:
        return Answer(self.repo.callers().get(name, set()), False)

    def close(self) -> None:
        pass


class McpServer:
    """Any server of the Model Context Protocol over standard input and output."""

    def __init__(self, command: str, call: str, arguments: str, flag: str | None, repo: Repository) -> None:
        self.repo, self.call, self.arguments, self.flag, self.n_sent = repo, call, arguments, flag, 0
        words = shlex.split(command.replace("{root}", str(repo.root)))
        self.process = subprocess.Popen(words, cwd=repo.root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.request("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "staleness", "version": "1"}})
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, message: dict) -> None:
        assert self.process.stdin
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def request(self, method: str, params: dict) -> dict:
        assert self.process.stdout
        self.n_sent += 1
        self.send({"jsonrpc": "2.0", "id": self.n_sent, "method": method, "params": params})
        for line in self.process.stdout:
            message = json.loads(line)
            if message.get("id") == self.n_sent and "method" not in message:
                return message
        raise RuntimeError(f"the server ended ({self.process.poll()})")

    def ask(self, name: str) -> Answer:
        arguments = json.loads(self.arguments.replace("{name}", name).replace("{root}", str(self.repo.root)))
        answer = self.request("tools/call", {"name": self.call, "arguments": arguments})
        text = json.dumps(answer.get("result", answer))
        number = int(name.removeprefix("name"))
        own = {path for path in self.repo.files() if re.search(rf"function name{number:02}\b", (self.repo.root / path).read_text())}
        named = {path for path in self.repo.files() if path in text} - own
        gone = set(re.findall(r"src/[\w/]+\.ts", text)) - set(self.repo.files())
        is_flagged = "error" in answer or bool(self.flag and re.search(self.flag, text))
        return Answer(named | gone, is_flagged)

    def close(self) -> None:
        self.process.kill()
        self.process.wait()


def judged(answer: Answer, wanted: set[str]) -> str:
    if answer.files == wanted:
        return "right"
    return "flagged" if answer.is_flagged else "wrong"


def run(asked: argparse.Namespace, root: Path, steps: list[Callable[[Repository], None]], seed: int) -> list[tuple[str, str, str]]:
    """Walks through the steps and returns (step, name, verdict) for each question."""
    repo = Repository(root / "repo", seed)
    home = root / "home"
    home.mkdir()
    tool = {"codelens": lambda: CodeLens(asked.binary.resolve(), repo, home, True),
            "command": lambda: CodeLens(asked.binary.resolve(), repo, home, False),
            "grep": lambda: Grep(repo),
            "mcp": lambda: McpServer(asked.command, asked.call, asked.arguments, asked.flag, repo)}[asked.tool]()
    rows = []
    try:
        before = repo.callers()
        tool.ask("name00")
        for step in steps:
            step(repo)
            if asked.before_each:
                subprocess.run(asked.before_each, shell=True, cwd=repo.root, check=True, stdout=subprocess.DEVNULL)
            now = repo.callers()
            defined = Counter(name for path in repo.files() for name in re.findall(r"function (name\d\d)\b", (repo.root / path).read_text()))
            askable = [name for name in sorted(now) if defined[name] == 1]
            changed = [name for name in askable if now[name] != before.get(name, set())]
            same = [name for name in askable if name not in changed]
            picked = repo.random.sample(changed, min(MAX_QUESTIONS, len(changed))) + repo.random.sample(same, min(1, len(same)))
            for name in picked:
                verdict = judged(tool.ask(name), now[name])
                rows.append((step.__name__, name, verdict))
                if verdict == "wrong":
                    print(f"wrong: {name} after {step.__name__}, seed {seed}", file=sys.stderr)
            before = now
    finally:
        tool.close()
    return rows


def table(rows: list[tuple[str, str, str]], title: str) -> str:
    lines = ["| after | questions | right | flagged | silently wrong |", "|---|---|---|---|---|"]
    names = list(dict.fromkeys(step for step, _, _ in rows))
    for name in [*names, None]:
        counts = Counter(verdict for step, _, verdict in rows if name in (None, step))
        shown = "**all**" if name is None else name.replace("_", " ")
        lines.append(f"| {shown} | {counts.total()} | {counts['right']} | {counts['flagged']} | {counts['wrong']} |")
    return f"{title}\n\n" + "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", choices=["codelens", "command", "grep", "mcp"], default="codelens")
    parser.add_argument("--binary", type=Path, default=Path("target/release/codelens"))
    parser.add_argument("--command", help="starts the server of `--tool mcp`; {root} is the work tree")
    parser.add_argument("--call", help="the tool to call")
    parser.add_argument("--arguments", default='{"name": "{name}"}', help="its arguments as JSON; {name} and {root} are filled in")
    parser.add_argument("--flag", help="a regular expression that tells a flagged answer")
    parser.add_argument("--before-each", help="a shell command that is run in the work tree before the questions of each step")
    parser.add_argument("--random", type=int, default=100, help="random steps after the scripted ones")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--write", type=Path)
    asked = parser.parse_args()
    if asked.tool == "mcp" and not (asked.command and asked.call):
        parser.error("--tool mcp needs --command and --call")
    rows = []
    for round_number, steps in enumerate([STEPS, random.Random(asked.seed).choices(STEPS, k=asked.random)]):
        with tempfile.TemporaryDirectory(prefix="staleness-") as directory:
            rows += run(asked, Path(directory), steps, asked.seed + round_number)
    title = f"{asked.tool}: {len(STEPS)} scripted and {asked.random} random steps, seed {asked.seed}."
    page = table(rows, title)
    print(page)
    if asked.json:
        asked.json.write_text(json.dumps([{"step": step, "name": name, "verdict": verdict} for step, name, verdict in rows], indent=1))
    if asked.write:
        head, _, rest = asked.write.read_text().partition(f"{MARK}\n")
        _, _, tail = rest.partition(f"{MARK}\n")
        asked.write.write_text(f"{head}{MARK}\n{page}{MARK}\n{tail}")
    sys.exit(1 if any(verdict == "wrong" for _, _, verdict in rows) else 0)


if __name__ == "__main__":
    main()
