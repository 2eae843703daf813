"""The figures of the bench as a table in Markdown."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from bench_questions import TOOLS
from bench_repo import SIZES

MARK = "<!-- bench -->"


def time_of(seconds: float) -> str:
    return f"{seconds:.2f} s" if seconds >= 0.995 else f"{seconds * 1000:.0f} ms" if seconds >= 0.00995 else f"{seconds * 1000:.1f} ms"


def size_of(n_bytes: float) -> str:
    return f"{n_bytes / 1e6:.1f} MB" if n_bytes < 1e8 else f"{n_bytes / 1e6:.0f} MB"


def times(ratio: float | None) -> str:
    return "" if ratio is None else f" ({ratio:.2f} ×)" if ratio < 9.95 else f" ({ratio:.0f} ×)"


def with_ratio(figure: dict, shown: object = time_of) -> str:
    return shown(figure["median"]) + times(figure.get("ratio"))


def answer(figures: dict, name: str) -> str:
    """Returns what the first answer was and when a later one was complete."""
    wall = figures.get(f"{name}.wall")
    if wall is None:
        return "–"
    n = len(wall["first"])
    said = lambda what: f"{max(set(wall[what]), key=wall[what].count)}" if len(set(wall[what])) == 1 else (  # noqa: E731
        f"fresh in {wall[what].count('fresh')} of {n}")
    pending = sorted(wall["pending"])[n // 2]
    return f"{time_of(wall['median'])}, {said('first')}" + (f", {pending} pending" if pending else "") + f"; then {said('later')}"


def processor(figures: dict, name: str) -> str:
    cpu = figures.get(f"{name}.cpu")
    return "–" if cpu is None else f"{with_ratio(cpu)}, {cpu['ofBuild']:.2f} of a build"


def rows(found: dict) -> list[tuple[str, list[str]]]:
    """Returns the label and the cells of each line."""
    repos = found["repositories"]
    lines: list[tuple[str, list[str]]] = []

    def line(label: str, cell: Callable[[dict], str]) -> None:
        lines.append((label, [cell(repo["figures"]) for repo in repos]))

    line("full build, CPU (× parsing)", lambda f: with_ratio(f["build.cpu"]))
    line("full build, clock (× parsing on all cores); cores busy",
         lambda f: f"{with_ratio(f['build.wall'])}; {f['build.parallel']['median']:.2f}")
    line("full build, most memory", lambda f: size_of(f["build.peak"]["median"]))
    line("index (× indexed text)", lambda f: with_ratio(f["index.bytes"], size_of))
    line("nothing changed: new process to answer (× status)", lambda f: with_ratio(f["start.command"]))
    line("the same, CPU (× status)", lambda f: with_ratio(f["start.command.cpu"]))
    line("server: start to `initialize` answered (× `--version`)", lambda f: with_ratio(f["start.server"]))
    steps = [("one file edited", "edit", "status")]
    for size in SIZES:
        steps += [(f"{size} files away", f"away{size}", "parsing those, copy, status"), (f"{size} files back", f"back{size}", "status")]
    for label, name, floor in steps:
        for who in ("server", "command"):
            line(f"{label}, {who}: first answer", lambda f: answer(f, f"{name}.{who}"))  # noqa: B023
            line(f"{label}, {who}: CPU in all (× {floor})", lambda f: processor(f, f"{name}.{who}"))  # noqa: B023
    parts = lambda spread: " / ".join(time_of(spread[key]) for key in ("p50", "p95", "p99"))  # noqa: E731
    line("looking for changes, in each call (not at all where the answer rests on the watch): p50 / p95 / p99 (p50 × status)", lambda f: parts(f["call.looking"]) + times(
        f["call.looking"].get("ratio")))
    for tool in TOOLS:
        label = "`cl_impact`, depth 2" if tool == "impact" else f"`cl_{tool}`"
        line(f"{label}: p50 / p95 / p99 (p50 × status); beside looking for changes", lambda f: parts(f[f"call.{tool}"]) + times(  # noqa: B023
            f[f"call.{tool}"].get("ratio")) + "; " + parts(f[f"call.{tool}"]["beside"]))  # noqa: B023
    for tool in ("map", "search", "related", "impact"):
        if any(f"system.{tool}" in found["figures"] for found in repos):
            line(f"`cl_{tool}` when nothing changed: system calls, of them stats",
                 lambda f: f"{f[f'system.{tool}']['median']:.0f}, {f[f'system.{tool}']['stats']}" if f"system.{tool}" in f else "")  # noqa: B023
    for name, label in (("idle.asked", "only answered"), ("idle.built", "built the index and answered")):
        line(f"idle server that {label}: memory, of it its own",
             lambda f: f"{size_of(f[name]['median'])}, {size_of(f[name]['own'])}")  # noqa: B023
    return lines


LEGEND = """Medians; in brackets the ratio to a floor of the same run: `parsing` reads and parses the same source files with tree-sitter
and does nothing else, `status` is `git status`, `copy` copies the index. `server` and `command` are asked right after the change, within
the 500 ms that a question may look for changes, and once more 2 s `then`; a server works on meanwhile, a command does not."""


def of(found: dict) -> str:
    """Returns the table and what it was measured on."""
    repos, machine = found["repositories"], found["machine"]
    head = [f"{repo['name']}: {repo['files']:,} files, {repo['sourceFiles']:,} of TypeScript and JavaScript, "
            f"{size_of(repo['indexedBytes'])}" for repo in repos]
    binary = "" if found["binaryBytes"] is None else f", a binary of {size_of(found['binaryBytes'])} (stripped)"
    load = (machine["load"][0] + machine["loadAtEnd"][0]) / 2
    busy = f" (load {load:.1f}: times of the clock are too long, those of the processor hold)" if load > machine["cores"] else ""
    lines = [f"{machine['cpu']}, {machine['cores']} cores{busy}, {found['date']}, {found['version']}{binary}.", LEGEND, "",
             "| | " + " | ".join(head) + " |", "|---" * (len(repos) + 1) + "|"]
    lines += [f"| {label} | {' | '.join(cells)} |" for label, cells in rows(found)]
    notes = [f"- {repo['name']}: {note}" for repo in repos for note in repo["notes"]]
    return "\n".join(lines + ([""] + notes if notes else []))


def put(table: str, document: Path) -> None:
    """Writes a table between the two marks of a document."""
    parts = document.read_text(encoding="utf-8").split(MARK)
    if len(parts) != 3:
        raise SystemExit(f"{document} needs the mark {MARK} twice, before and after the table")
    document.write_text(f"{parts[0]}{MARK}\n{table}\n{MARK}{parts[2]}", encoding="utf-8")
