#!/usr/bin/env python3
"""Measures what vectors and reranking give `cl_search` on repositories, so that their user can decide.

    python3 scripts/measure_meaning.py REPO... [--binary PATH] [--model DIR] [--embed URL NAME] [--rerank URL NAME] [--weights 0.25 0.5 1]

Each model is compared with search without one, by questions of five kinds:

  commits   subjects of commits and the sources that they changed, as in `measure_search.py`: the index stands before all of them
  bare      the same, in a repository of one commit: no history can help
  docs      the first sentence of a definition's comment without the words of its name; the answer is its file
  muted     the same, where the comments in question are taken out of the files: only the code's own words are left
  names     names of definitions; the answer is the file of one

`--model` is a directory in the layout of model2vec (`embed.provider = "local"`), `--embed` and `--rerank` are servers on this machine. Printed are
the mean reciprocal rank of the first right file among ten and, beside it, the difference to search without a model with its 95 % interval (bootstrap over
questions, paired), at the end over the questions of all repositories. A weight pays where commits and bare gain .01 and names lose nothing beyond
the interval. Nothing is written into REPO.
"""

from __future__ import annotations

import argparse
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "harness"))

from measure_search import git, is_source, questions, tree_at  # noqa: E402
from product import Command, Server  # noqa: E402

RESAMPLES = 2_000
BUDGET_MS = 120_000

# A comment and the name that it is about, by the ending of a file.
SLASHED = r"(?:function|class|interface|type|const|enum|func|fn|struct|trait|static|public|private|protected|final|abstract|export|default|async|pub|unsafe)"
DEFINITIONS = {
    (".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".java"): re.compile(
        r"/\*\*(?P<doc>(?:[^*]|\*(?!/))*)\*/\s*\n\s*(?:@\w+(?:\([^)]*\))?\s*)*(?:" + SLASHED + r"\s+)+(?:[\w<>\[\], ?]+\s+)?(?P<name>\w+)"),
    (".go",): re.compile(r"(?P<doc>(?:^//.*\n)+)(?:func(?: \([^)]*\))?|type|var|const) (?P<name>\w+)", re.MULTILINE),
    (".rs",): re.compile(r"(?P<doc>(?:^[ \t]*///.*\n)+)(?:[ \t]*#\[.*\n)*[ \t]*(?:" + SLASHED + r"[ (\w)]*\s+)+(?P<name>\w+)", re.MULTILINE),
    (".py",): re.compile(r"(?:def|class) (?P<name>\w+)[^\n]*:\s*\n\s+[rbu]?\"\"\"(?P<doc>[^\"]*)\"\"\""),
}
MIN_WORDS = 4


def parts(name: str) -> set[str]:
    """Returns the words of a name: `getUserName` is get, user, name."""
    return {word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+", name)}


def sentence(comment: str, name: str) -> str | None:
    """Returns the first sentence of a comment without the words of a name; `None` where little is left."""
    text = re.sub(r"^[ \t]*(?:///?|\*)[ \t]?", "", comment, flags=re.MULTILINE)
    text = re.split(r"\n\s*\n|(?<=[.!?])\s|\n\s*@", text.strip(), maxsplit=1)[0]
    own = parts(name) | {name.lower()}
    words = [word for word in re.findall(r"[\w'-]+", text) if word.lower() not in own and parts(word).isdisjoint(own)]
    return " ".join(words) if len(words) >= MIN_WORDS else None


def definitions(tree: Path) -> tuple[list[dict], list[dict]]:
    """Returns the questions from comments, and those from names."""
    docs, names = [], []
    for path in filter(is_source, git(tree, "ls-files", "-z").split("\0")):
        text = (tree / path).read_text(errors="replace")
        pattern = pattern_of(path)
        for found in pattern.finditer(text) if pattern else ():
            name = found["name"]
            names.append({"query": name, "gold": [path]})
            if asked := sentence(found["doc"], name):
                docs.append({"query": asked, "gold": [path]})
    # A name that several files define has several answers.
    of_name: dict[str, list[str]] = {}
    for question in names:
        of_name.setdefault(question["query"], []).extend(question["gold"])
    names = [{"query": name, "gold": paths} for name, paths in of_name.items() if len(name) > 3]
    return docs, names


def pattern_of(path: str) -> re.Pattern[str] | None:
    """Returns how a language's comments and the definitions below them are written."""
    return next((it for endings, it in DEFINITIONS.items() if path.endswith(endings)), None)


def mute(tree: Path) -> None:
    """Takes the comments of definitions out of the sources of a work tree."""
    for path in filter(is_source, git(tree, "ls-files", "-z").split("\0")):
        if not (pattern := pattern_of(path)):
            continue
        file = tree / path
        text = file.read_text(errors="replace")
        for found in reversed(list(pattern.finditer(text))):
            start, end = found.span("doc")
            text = text[:start] + text[end:]
        file.write_text(text)


def without_history(tree: Path, bare: Path, change: Callable[[Path], None] = lambda _: None) -> None:
    """Copies a work tree into a repository of one commit, changed before it is committed."""
    shutil.copytree(tree, bare, ignore=shutil.ignore_patterns(".git"), symlinks=True)
    git(Path("."), "init", "--quiet", str(bare))
    git(bare, "add", "--all", "--force")
    change(bare)
    git(bare, "add", "--all", "--force")
    git(bare, "-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "--quiet", "--message", "all")


def ranks(server: Server, asked: list[dict]) -> tuple[list[float], list[float], set[str]]:
    """Returns the reciprocal rank of each question's first right file, the times in ms, and what answers said of their models."""
    found, times, said = [], [], set()
    for question in asked:
        reply = server.call("cl_search", query=question["query"], limit=10, budgetMs=BUDGET_MS)
        if reply.is_error:
            raise SystemExit(f"{question['query']}: {reply.value['error']['message']}")
        paths = list(dict.fromkeys(result["path"] for result in reply.value["results"]))
        found.append(next((1 / at for at, path in enumerate(paths, 1) if path in question["gold"]), 0.0))
        times.append((reply.ended - reply.begun) * 1000)
        ranking = reply.value.get("ranking", {})
        said.update(word for word in (ranking.get("vector", {}).get("state"), ranking.get("rerank")) if word)
    return found, times, said


def interval(before: list[float], after: list[float]) -> tuple[float, float, float]:
    """Returns the mean difference and its 95 % interval."""
    differences = [b - a for a, b in zip(before, after)]
    dice = random.Random(7)
    means = sorted(statistics.fmean(dice.choices(differences, k=len(differences))) for _ in range(RESAMPLES))
    return statistics.fmean(differences), means[int(0.025 * RESAMPLES)], means[int(0.975 * RESAMPLES)]


def modes(asked_for: argparse.Namespace) -> list[tuple[str, dict[str, str]]]:
    """Returns each way to search, with its settings; the first one is without a model."""
    found: list[tuple[str, dict[str, str]]] = [("off", {})]
    for weight in asked_for.weights:
        if asked_for.model:
            found.append((f"local {weight}", {"CODELENS_EMBED_PROVIDER": "local", "CODELENS_EMBED_MODEL": str(asked_for.model.resolve()),
                                              "CODELENS_EMBED_WEIGHT": str(weight)}))
        if asked_for.embed:
            url, name = asked_for.embed
            found.append((f"http {weight}", {"CODELENS_EMBED_PROVIDER": "http", "CODELENS_EMBED_URL": url, "CODELENS_EMBED_MODEL": name,
                                             "CODELENS_EMBED_WEIGHT": str(weight)}))
    if asked_for.rerank:
        url, name = asked_for.rerank
        found.append(("rerank", {"CODELENS_RERANK_PROVIDER": "http", "CODELENS_RERANK_URL": url, "CODELENS_RERANK_MODEL": name,
                                 "CODELENS_RERANK_TIMEOUT_MS": "60000"}))
    return found


def cell(kind: str, before: list[float] | None, after: list[float]) -> str:
    """Returns the mean of a kind and, beside search without a model, the difference."""
    text = f"{kind} {statistics.fmean(after):.3f}"
    if before is None:
        return text
    mean, low, high = interval(before, after)
    return f"{text} ({mean:+.3f}, {low:+.3f} to {high:+.3f})"


def measure(repo: Path, binary: Path, asked_for: argparse.Namespace) -> dict[str, dict[str, list[float]]]:
    """Prints the figures of a repository and returns the reciprocal ranks of each mode and kind."""
    all_ranks: dict[str, dict[str, list[float]]] = {}
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        tree, bare, muted = place / "tree", place / "bare", place / "muted"
        base, commits = questions(repo, asked_for.back, asked_for.queries, "HEAD")
        tree_at(repo, base, tree)
        without_history(tree, bare)
        without_history(tree, muted, mute)
        docs, names = definitions(tree)
        dice = random.Random(7)
        docs = dice.sample(docs, min(asked_for.queries, len(docs)))
        kinds = {
            "commits": (tree, commits),
            "bare": (bare, commits),
            "docs": (tree, docs),
            "muted": (muted, docs),
            "names": (tree, dice.sample(names, min(asked_for.queries, len(names)))),
        }
        kinds = {name: (where, asked) for name, (where, asked) in kinds.items() if asked}
        counts = ", ".join(f"{name} {len(asked)}" for name, (_, asked) in kinds.items())
        print(f"{repo.name} {base[:10]}: {counts}", flush=True)
        home = place / "home"
        for mode, settings in modes(asked_for):
            said, times = set(), []
            for where in (tree, bare, muted):
                if "CODELENS_EMBED_PROVIDER" in settings:
                    Command(binary, where, home, **settings)("embed", "build")
                elif mode == "off":
                    Command(binary, where, home)("refresh")
            all_ranks[mode] = {}
            for kind, (where, asked) in kinds.items():
                server = Server(binary, where, home, **settings)
                all_ranks[mode][kind], took, states = ranks(server, asked)
                server.close()
                said |= states
                times += took
            plain = all_ranks["off"] if mode != "off" else {}
            cells = [cell(kind, plain.get(kind), found) for kind, found in all_ranks[mode].items()]
            states = f"  [{', '.join(sorted(said))}]" if said else ""
            print(f"{mode:<11} {'  '.join(cells)}  median {statistics.median(times):.0f} ms{states}", flush=True)
    return all_ranks


def pooled(measured: list[dict[str, dict[str, list[float]]]]) -> None:
    """Prints the figures over the questions of all repositories."""
    together: dict[str, dict[str, list[float]]] = {}
    for repository in measured:
        for mode, kinds in repository.items():
            for kind, found in kinds.items():
                together.setdefault(mode, {}).setdefault(kind, []).extend(found)
    counts = ", ".join(f"{kind} {len(found)}" for kind, found in together["off"].items())
    print(f"all {len(measured)} repositories: {counts}")
    for mode, kinds in together.items():
        plain = together["off"] if mode != "off" else {}
        cells = [cell(kind, plain.get(kind), found) for kind, found in kinds.items()]
        print(f"{mode:<11} {'  '.join(cells)}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("repo", type=Path, nargs="+", help="a clone with its history")
    parser.add_argument("--binary", default="codelens", help="the program to measure (default: codelens on the path)")
    parser.add_argument("--model", type=Path, help="a directory with tokenizer.json and model.safetensors")
    parser.add_argument("--embed", nargs=2, metavar=("URL", "NAME"), help="a server of vectors on this machine, and its model")
    parser.add_argument("--rerank", nargs=2, metavar=("URL", "NAME"), help="a server that puts results in order, and its model")
    parser.add_argument("--weights", nargs="+", type=float, default=[0.25, 0.5, 1.0], help="values of embed.weight (default 0.25 0.5 1)")
    parser.add_argument("--queries", type=int, default=100, help="questions of a kind at most (default 100)")
    parser.add_argument("--back", type=int, default=600, help="how many commits before the newest the index stands (default 600)")
    asked_for = parser.parse_args()
    if not (binary := shutil.which(asked_for.binary)):
        raise SystemExit(f"no program {asked_for.binary}; name it with --binary")
    binary = Path(binary).resolve()
    measured = [measure(repo, binary, asked_for) for repo in asked_for.repo]
    if len(measured) > 1:
        pooled(measured)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except subprocess.CalledProcessError as error:
        raise SystemExit(str(error)) from error
