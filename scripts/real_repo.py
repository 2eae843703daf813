#!/usr/bin/env python3
"""Makes a real git repository from packages that carry their sources.

    python3 scripts/real_repo.py DIR [--package rxjs] [--versions 7.4.0 7.5.7 …]

Each version of the package is unpacked and committed after the one before: tags `v7.4.0`, branches
`release/7.4.0`, and `main` at the newest. What is generated (`dist/`) is left out. Dates and author are
fixed, so the commit ids are the same everywhere. A directory that already holds exactly this is kept.
Packages come from the registry that npm is set up for.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path, PurePosixPath

# Far enough apart to differ, near enough to share most files.
VERSIONS = ["7.0.0", "7.4.0", "7.5.7", "7.8.2"]
GENERATED = {"dist", "node_modules"}
MAX_FILE_BYTES = 4 << 20
EPOCH_S = 1_704_067_200


def fetch(package: str, version: str, cache: Path) -> Path:
    """Returns the packed version, from the cache if it is there."""
    packed = cache / f"{package.replace('/', '-').lstrip('@')}-{version}.tgz"
    if packed.exists():
        return packed
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache) as folder:
        ran = subprocess.run(
            ["npm", "pack", f"{package}@{version}", "--json", "--loglevel=error"],
            cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True,
        )
        if ran.returncode:
            raise SystemExit(f"npm pack {package}@{version} failed:\n{ran.stderr.strip()}")
        name = json.loads(ran.stdout)[0]["filename"]
        os.replace(next(Path(folder).glob("*.tgz"), Path(folder) / name), packed)
    return packed


def unpack(packed: Path, target: Path) -> None:
    """Writes the sources of a packed version: plain files inside the package, nothing generated."""
    with tarfile.open(packed) as archive:
        for member in archive:
            parts = PurePosixPath(member.name).parts[1:]
            plain = member.isfile() and member.size <= MAX_FILE_BYTES
            if not plain or not parts or ".." in parts or parts[0] in GENERATED | {".git"}:
                continue
            file = target.joinpath(*parts)
            file.parent.mkdir(parents=True, exist_ok=True)
            source = archive.extractfile(member)
            assert source is not None
            file.write_bytes(source.read())


def git(repo: Path, *args: str, n_commits: int = 0) -> str:
    """Runs git with fixed author, date and settings."""
    date = f"{EPOCH_S + 86_400 * n_commits} +0000"
    env = {
        "PATH": os.environ.get("PATH", ""), "HOME": str(repo), "LC_ALL": "C", "TZ": "UTC",
        "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_AUTHOR_NAME": "Ada", "GIT_AUTHOR_EMAIL": "ada@example.invalid", "GIT_AUTHOR_DATE": date,
        "GIT_COMMITTER_NAME": "Ada", "GIT_COMMITTER_EMAIL": "ada@example.invalid", "GIT_COMMITTER_DATE": date,
    }
    settings = ["-c", "init.defaultBranch=main", "-c", "core.autocrlf=false", "-c", "commit.gpgSign=false"]
    ran = subprocess.run(
        ["git", *settings, *args], cwd=repo, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True,
    )
    if ran.returncode:
        raise SystemExit(f"git {' '.join(args)} failed:\n{ran.stderr.strip()}")
    return ran.stdout.strip()


def build(package: str, versions: list[str], target: Path, cache: Path) -> None:
    """Makes the repository in a folder beside the target, then puts it in place."""
    packed = [fetch(package, version, cache) for version in versions]
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as folder:
        repo = Path(folder) / "repo"
        repo.mkdir()
        git(repo, "init", "--quiet")
        for n, (version, archive) in enumerate(zip(versions, packed)):
            for old in repo.iterdir():
                if old.name != ".git":
                    shutil.rmtree(old) if old.is_dir() else old.unlink()
            unpack(archive, repo)
            git(repo, "add", "--all", "--force")
            git(repo, "commit", "--quiet", "--message", f"{package} {version}", n_commits=n)
            git(repo, "tag", f"v{version}")
            git(repo, "branch", f"release/{version}")
        (repo / ".git" / "made-from.json").write_text(json.dumps([package, *versions]))
        if target.exists():
            shutil.rmtree(target)
        os.replace(repo, target)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("dir", type=Path, help="where the repository goes; replaced if it is another one")
    parser.add_argument("--package", default="rxjs")
    parser.add_argument("--versions", nargs="+", default=VERSIONS, help="oldest first")
    parser.add_argument("--cache", type=Path, help="where packages are kept (default: beside DIR)")
    args = parser.parse_args()
    target = args.dir.resolve()
    mark = target / ".git" / "made-from.json"
    if target.exists() and not mark.exists() and any(target.iterdir()):
        raise SystemExit(f"{args.dir} is not empty and was not made by this script")
    if not mark.exists() or json.loads(mark.read_text()) != [args.package, *args.versions]:
        build(args.package, args.versions, target, args.cache or target.parent / "packages")
    n_files = len(git(target, "ls-files").splitlines())
    print(f"{args.package} {' '.join(args.versions)}: {n_files} files at the newest")


if __name__ == "__main__":
    main()
