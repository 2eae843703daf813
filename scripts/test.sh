#!/usr/bin/env bash
# Everything that must hold, from nothing: a new machine needs Rust, a C compiler, git, Python 3.11 with venv, Node 18 with npm, and Chromium
# (which is installed where apt-get is there and may do it).
#
#   scripts/test.sh
#
# Builds once, optimised; what it installs stays under the build directory and is used again.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
exec </dev/null

target=${CARGO_TARGET_DIR:-target}
mkdir -p "$target/tools"
target=$(cd "$target" && pwd)
tools=$target/tools
binary=$target/release/codelens
deny_version=0.20.2
min_free_gb=8
python=${PYTHON:-python3}
export PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 PIP_DISABLE_PIP_VERSION_CHECK=1

section() {
    finished
    current=$1
    begun=$SECONDS
    printf '\n==== %s\n' "$1"
}
finished() {
    [[ -z $current ]] || printf '==== %s: %d s\n' "$current" "$((SECONDS - begun))"
}
current=
begun=0
ended() {
    local status=$?
    [[ $status -eq 0 ]] || printf '\nNOT PASSED: %s (exit code %d, after %d s)\n' "$current" "$status" "$SECONDS" >&2
}
trap ended EXIT

section "what is needed"
missing=()
need() {
    local what=$1
    shift
    "$@" >/dev/null 2>&1 || missing+=("$what")
}
for program in cargo rustc cc git "$python" node npm; do
    need "$program" command -v "$program"
done
chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
can_install() {
    command -v apt-get && [[ $(id -u) -eq 0 ]]
}
need "chromium (apt-get install chromium)" eval '[[ -n $chromium ]] || can_install'
need "Rust 1.95 or newer" bash -c '[[ $(printf "1.95\n%s\n" "$(rustc --version | cut -d" " -f2)" | sort -V | head -n1) == 1.95 ]]'
need "rustfmt (rustup component add rustfmt)" cargo fmt --version
need "clippy (rustup component add clippy)" cargo clippy --version
need "Python 3.11 or newer; name another one with PYTHON=…" "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))'
need "venv with pip (apt-get install python3-venv)" "$python" -c 'import ensurepip, venv'
need "Node 18 or newer" node -e 'process.exit(process.versions.node.split(".")[0] < 18 ? 1 : 0)'
enough_room() {
    [[ $(df -Pk "$target" | awk 'NR == 2 { print $4 }') -gt $((min_free_gb * 1024 * 1024)) ]]
}
need "$min_free_gb GB of free space in $target" enough_room
if [[ ${#missing[@]} -gt 0 ]]; then
    printf 'not found: %s\n' "${missing[@]}" >&2
    exit 1
fi
rustc --version
git --version
"$python" --version

section "cargo-deny $deny_version"
# Unoptimised on purpose: it runs for a second, and compiles in a fifth of the time.
if [[ "$("$tools/bin/cargo-deny" --version 2>/dev/null)" != "cargo-deny $deny_version" ]]; then
    CARGO_TARGET_DIR=$tools/build CARGO_PROFILE_RELEASE_OPT_LEVEL=0 CARGO_PROFILE_RELEASE_LTO=off \
        CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 CARGO_PROFILE_RELEASE_DEBUG=0 \
        cargo install cargo-deny --version "=$deny_version" --locked --force --quiet --root "$tools"
    rm -rf "$tools/build"
fi
export PATH=$tools/bin:$PATH

section "Rust: format, lints, build, tests, documentation, dependencies"
scripts/check.sh --release

section "the client of the protocol"
requirements=scripts/python-requirements.txt
if ! cmp -s "$requirements" "$tools/venv/installed.txt"; then
    rm -rf "$tools/venv"
    "$python" -m venv "$tools/venv"
    "$tools/venv/bin/python" -m pip install --quiet --requirement "$requirements"
    cp "$requirements" "$tools/venv/installed.txt"
fi

section "the browser"
if [[ -z $chromium ]]; then
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -qq --yes --no-install-recommends chromium >/dev/null
    chromium=$(command -v chromium)
fi
if ! cmp -s tests/interop/browser/package-lock.json "$tools/browser/installed.json"; then
    rm -rf "$tools/browser"
    mkdir -p "$tools/browser"
    cp tests/interop/browser/package.json tests/interop/browser/package-lock.json "$tools/browser/"
    (cd "$tools/browser" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error)
    cp tests/interop/browser/package-lock.json "$tools/browser/installed.json"
fi

section "pages in a browser"
node tests/interop/browser/view_test.mjs --binary "$binary" --modules "$tools/browser" --chromium "$chromium" --pictures "$tools/pictures"

section "packages"
"$python" tests/interop/packages_test.py --binary "$binary"

section "sessions over MCP"
"$tools/venv/bin/python" tests/interop/mcp_session.py --binary "$binary"

section "other programs that speak the protocol"
protocol=$tools/protocol
if ! cmp -s tests/interop/conformance/package-lock.json "$protocol/installed.json"; then
    rm -rf "$protocol"
    mkdir -p "$protocol"
    cp tests/interop/conformance/package.json tests/interop/conformance/package-lock.json "$protocol"
    npm ci --prefix "$protocol" --no-audit --no-fund --loglevel=error
    cp tests/interop/conformance/package-lock.json "$protocol/installed.json"
fi

section "the conformance suite of the protocol, over HTTP"
"$python" tests/interop/conformance_test.py --binary "$binary" --tools "$protocol"

section "the official clients and the Inspector"
"$python" tests/interop/clients_test.py --binary "$binary" --tools "$protocol"

section "indexes over object stores"
if ! cmp -s tests/interop/azurite/package-lock.json "$tools/azurite/installed.json"; then
    rm -rf "$tools/azurite"
    mkdir -p "$tools/azurite"
    cp tests/interop/azurite/package.json tests/interop/azurite/package-lock.json "$tools/azurite/"
    npm ci --prefix "$tools/azurite" --ignore-scripts --no-audit --no-fund --loglevel=error
    cp tests/interop/azurite/package-lock.json "$tools/azurite/installed.json"
fi
"$tools/venv/bin/python" tests/interop/remotes_test.py --binary "$binary" --azurite "$tools/azurite/node_modules/azurite/dist/src/blob/main.js"

section "the description of plain HTTP, by a public validator"
"$tools/venv/bin/python" tests/interop/openapi_test.py --binary "$binary"

section "the sessions of other tools: CoderLM's commands, codewell's history of ingests"
"$python" tests/interop/coderlm_test.py --binary "$binary"
"$python" tests/interop/runs_test.py --binary "$binary"

section "input that no client should send"
"$python" tests/interop/protocol_test.py --binary "$binary"

section "a real repository"
"$python" scripts/real_repo.py "$tools/real/rxjs"
"$python" tests/real/real_repo_test.py --binary "$binary" --repo "$tools/real/rxjs"

section "the tasks of an agent"
"$python" tests/real/trial_test.py --binary "$binary"
"$python" tests/real/trial_test.py --binary "$binary" --repo "$tools/real/rxjs"

section "the first answer after each git step"
"$python" scripts/staleness.py --tool grep --random 20 >/dev/null
"$python" scripts/staleness.py --binary "$binary" --random 60

section "branches: changes, broken uses, collisions"
for folder in compiler interop/sarif; do
    name=${folder##*/}
    if ! cmp -s "tests/$folder/package-lock.json" "$tools/$name/installed.json"; then
        rm -rf "${tools:?}/$name"
        mkdir -p "$tools/$name"
        cp "tests/$folder/package.json" "tests/$folder/package-lock.json" "$tools/$name/"
        npm ci --prefix "$tools/$name" --ignore-scripts --no-audit --no-fund --loglevel=error
        cp "tests/$folder/package-lock.json" "$tools/$name/installed.json"
    fi
done
# A clone of its own: it gets commits that no branch has.
rm -rf "$tools/real/changes"
git clone --quiet "$tools/real/rxjs" "$tools/real/changes"
"$python" tests/compiler/broken_test.py --binary "$binary" --tools "$tools/compiler" --repo "$tools/real/changes" --config src/tsconfig.base.json --commits 8
"$python" tests/compiler/collisions_test.py --binary "$binary" --tools "$tools/compiler" --repo "$tools/real/changes" --config src/tsconfig.base.json \
    --made 6 --real 0
schema=$tools/sarif/node_modules/@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json
"$tools/venv/bin/python" tests/interop/ci_test.py --binary "$binary" --schema "$schema"

section "many processes, refs, kills, damage, full disks, writes that fail, idle servers"
CODELENS_STRESS_REPO=$tools/real/rxjs cargo test --locked --release --test stress -- --ignored --nocapture --test-threads=1

finished
printf '\nall passed in %d s\n' "$SECONDS"
