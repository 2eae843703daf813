#!/usr/bin/env python3
"""Makes packages of a built binary.

    scripts/package.py npm     --binary FILE --target TRIPLE --out DIR    the npm package and the one of the platform
    scripts/package.py wheel   --binary FILE --target TRIPLE --out DIR    a wheel that puts the binary on the path
    scripts/package.py archive --binary FILE --target TRIPLE --out DIR    a .tar.gz or .zip with the licences
    scripts/package.py sums    --out DIR                                  SHA256SUMS of all that lies there

The version is that of Cargo.toml. The same binary gives the same bytes.
"""

from __future__ import annotations

import argparse
import base64
import gzip
import hashlib
import io
import json
import shutil
import tarfile
import tomllib
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# What npm and Python call a target.
TARGETS = {
    "x86_64-unknown-linux-gnu": ("linux-x64-gnu", "manylinux_2_28_x86_64", {"os": ["linux"], "cpu": ["x64"], "libc": ["glibc"]}),
    "aarch64-unknown-linux-gnu": ("linux-arm64-gnu", "manylinux_2_28_aarch64", {"os": ["linux"], "cpu": ["arm64"], "libc": ["glibc"]}),
    "x86_64-unknown-linux-musl": ("linux-x64-musl", "musllinux_1_2_x86_64", {"os": ["linux"], "cpu": ["x64"]}),
    "aarch64-unknown-linux-musl": ("linux-arm64-musl", "musllinux_1_2_aarch64", {"os": ["linux"], "cpu": ["arm64"]}),
    "x86_64-apple-darwin": ("darwin-x64", "macosx_11_0_x86_64", {"os": ["darwin"], "cpu": ["x64"]}),
    "aarch64-apple-darwin": ("darwin-arm64", "macosx_11_0_arm64", {"os": ["darwin"], "cpu": ["arm64"]}),
    "x86_64-pc-windows-msvc": ("win32-x64", "win_amd64", {"os": ["win32"], "cpu": ["x64"]}),
    "aarch64-pc-windows-msvc": ("win32-arm64", "win_arm64", {"os": ["win32"], "cpu": ["arm64"]}),
}
LICENCES = ["LICENSE-MIT", "LICENSE-APACHE"]


def cargo() -> dict[str, str]:
    return tomllib.loads((ROOT / "Cargo.toml").read_text())["package"]


def file_name(target: str) -> str:
    return "codelens.exe" if "windows" in target else "codelens"


def npm(binary: Path, target: str, out: Path) -> None:
    """Writes the folders `codelens` and `codelens-<platform>`, ready for `npm pack`."""
    package = cargo()
    platform, _, limits = TARGETS[target]
    main = out / "npm" / "codelens"
    shutil.copytree(ROOT / "npm" / "codelens", main, dirs_exist_ok=True)
    described = json.loads((main / "package.json").read_text())
    described["version"] = package["version"]
    names = [f"@codelens/{name}" for name, _, _ in TARGETS.values()]
    described["optionalDependencies"] = {name: package["version"] for name in names}
    (main / "package.json").write_text(json.dumps(described, indent=2) + "\n")
    folder = out / "npm" / f"codelens-{platform}"
    (folder / "bin").mkdir(parents=True, exist_ok=True)
    shutil.copyfile(binary, folder / "bin" / file_name(target))
    (folder / "bin" / file_name(target)).chmod(0o755)
    described = {
        "name": f"@codelens/{platform}", "version": package["version"],
        "description": f"The binary of codelens for {target}", "license": package["license"],
        "files": ["bin", *LICENCES], "preferUnplugged": True, **limits,
    }
    (folder / "package.json").write_text(json.dumps(described, indent=2) + "\n")
    shutil.copyfile(ROOT / "README.md", main / "README.md")
    for place in (main, folder):
        for licence in LICENCES:
            shutil.copyfile(ROOT / licence, place / licence)
    print(main, folder, sep="\n")


def wheel(binary: Path, target: str, out: Path) -> None:
    """Writes a wheel: no module, only the program, which goes to the directory of programs."""
    package = cargo()
    name = f"codelens-{package['version']}"
    tag = f"py3-none-{TARGETS[target][1]}"
    files = {
        f"{name}.data/scripts/{file_name(target)}": (binary.read_bytes(), 0o755),
        f"{name}.dist-info/METADATA": (
            f"Metadata-Version: 2.4\nName: codelens\nVersion: {package['version']}\nSummary: {package['description']}\n"
            f"License-Expression: {package['license']}\nLicense-File: LICENSE-MIT\nLicense-File: LICENSE-APACHE\n"
            f"Requires-Python: >=3.8\nDescription-Content-Type: text/markdown\n\n{(ROOT / 'README.md').read_text()}".encode(), 0o644),
        f"{name}.dist-info/WHEEL": (f"Wheel-Version: 1.0\nGenerator: codelens\nRoot-Is-Purelib: false\nTag: {tag}\n".encode(), 0o644),
    }
    for licence in LICENCES:
        files[f"{name}.dist-info/licenses/{licence}"] = ((ROOT / licence).read_bytes(), 0o644)
    record = "".join(
        f"{path},sha256={base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b'=').decode()},{len(content)}\n"
        for path, (content, _) in files.items()
    )
    files[f"{name}.dist-info/RECORD"] = (f"{record}{name}.dist-info/RECORD,,\n".encode(), 0o644)
    out.mkdir(parents=True, exist_ok=True)
    packed = out / f"{name}-{tag}.whl"
    write_zip(packed, files)
    print(packed)


def archive(binary: Path, target: str, out: Path) -> None:
    """Writes what a release offers: the program, its licences and the words about it."""
    name = f"codelens-{cargo()['version']}-{target}"
    files = {f"{name}/{file_name(target)}": (binary.read_bytes(), 0o755)}
    for other in [*LICENCES, "README.md", "CHANGELOG.md", "TOOLS.md"]:
        files[f"{name}/{other}"] = ((ROOT / other).read_bytes(), 0o644)
    out.mkdir(parents=True, exist_ok=True)
    if "windows" in target:
        packed = out / f"{name}.zip"
        write_zip(packed, files)
    else:
        packed = out / f"{name}.tar.gz"
        with packed.open("wb") as raw, gzip.GzipFile(fileobj=raw, mode="wb", mtime=0, filename="") as stream:
            with tarfile.open(fileobj=stream, mode="w", format=tarfile.PAX_FORMAT) as tar:
                for path, (content, mode) in files.items():
                    entry = tarfile.TarInfo(path)
                    entry.size, entry.mode = len(content), mode
                    tar.addfile(entry, io.BytesIO(content))
    print(packed)


def write_zip(packed: Path, files: dict[str, tuple[bytes, int]]) -> None:
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as zipped:
        for path, (content, mode) in files.items():
            entry = zipfile.ZipInfo(path, (1980, 1, 1, 0, 0, 0))
            entry.external_attr = (0o100000 | mode) << 16
            entry.create_system, entry.compress_type = 3, zipfile.ZIP_DEFLATED
            zipped.writestr(entry, content)


def sums(out: Path) -> None:
    lines = [
        f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n"
        for file in sorted(out.iterdir()) if file.is_file() and file.name != "SHA256SUMS"
    ]
    (out / "SHA256SUMS").write_text("".join(lines))
    print("".join(lines), end="")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["npm", "wheel", "archive", "sums"])
    parser.add_argument("--binary", type=Path)
    parser.add_argument("--target", choices=TARGETS)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    if args.what == "sums":
        return sums(args.out)
    if not args.binary or not args.target:
        parser.error(f"{args.what} needs --binary and --target")
    {"npm": npm, "wheel": wheel, "archive": archive}[args.what](args.binary, args.target, args.out)


if __name__ == "__main__":
    main()
