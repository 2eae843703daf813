#!/usr/bin/env bash
# Everything that must hold, from nothing: a new machine needs Rust, a C compiler, git, Python 3.11, Node with npm, and Chromium
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
python=${PYTHON:-python3}
export PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 PIP_DISABLE_PIP_VERSION_CHECK=1

section() {
    current=$1
    printf '\n==== %s (%d s)\n' "$1" "$SECONDS"
}
current="start"
ended() {
    local status=$?
    [[ $status -eq 0 ]] || printf '\nNOT PASSED: %s (exit code %d, after %d s)\n' "$current" "$status" "$SECONDS" >&2
}
trap ended EXIT

section "what is needed"
for program in cargo rustc cc git "$python" node npm; do
    command -v "$program" >/dev/null || { echo "not found: $program" >&2; exit 1; }
done
rustc --version
git --version
"$python" -c 'import sys; print("Python", sys.version.split()[0]); sys.exit(sys.version_info < (3, 11))' || {
    echo "Python 3.11 or newer is needed; name another one with PYTHON=…" >&2
    exit 1
}

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
chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
if [[ -z $chromium ]]; then
    if command -v apt-get >/dev/null && [[ $(id -u) -eq 0 ]]; then
        apt-get update -qq
        DEBIAN_FRONTEND=noninteractive apt-get install -qq --yes --no-install-recommends chromium >/dev/null
        chromium=$(command -v chromium)
    else
        echo "not found: chromium (apt-get install chromium)" >&2
        exit 1
    fi
fi
if ! cmp -s tests/browser/package-lock.json "$tools/browser/installed.json"; then
    rm -rf "$tools/browser"
    mkdir -p "$tools/browser"
    cp tests/browser/package.json tests/browser/package-lock.json "$tools/browser/"
    (cd "$tools/browser" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error)
    cp tests/browser/package-lock.json "$tools/browser/installed.json"
fi

section "pages in a browser"
node tests/browser/view_test.mjs --binary "$binary" --modules "$tools/browser" --chromium "$chromium" --pictures "$tools/pictures"

section "packages"
"$python" tests/packages_test.py --binary "$binary"

section "sessions over MCP"
"$tools/venv/bin/python" tests/mcp_session.py --binary "$binary"

section "other programs that speak the protocol"
protocol=$tools/protocol
if ! cmp -s tests/conformance/package-lock.json "$protocol/installed.json"; then
    rm -rf "$protocol"
    mkdir -p "$protocol"
    cp tests/conformance/package.json tests/conformance/package-lock.json "$protocol"
    npm ci --prefix "$protocol" --no-audit --no-fund --loglevel=error
    cp tests/conformance/package-lock.json "$protocol/installed.json"
fi

section "the conformance suite of the protocol, over HTTP"
"$python" tests/conformance_test.py --binary "$binary" --fixture "$target/release/examples/protocol_fixture" --tools "$protocol"

section "the official clients and the Inspector"
"$python" tests/clients_test.py --binary "$binary" --tools "$protocol"

section "input that no client should send"
"$python" tests/protocol_test.py --binary "$binary"

section "a real repository"
"$python" scripts/real_repo.py "$tools/real/rxjs"
"$python" tests/real_repo_test.py --binary "$binary" --repo "$tools/real/rxjs"

section "the tasks of an agent"
"$python" tests/trial_test.py --binary "$binary"
"$python" tests/trial_test.py --binary "$binary" --repo "$tools/real/rxjs"

section "many processes on a repository that changes"
"$python" tests/processes_test.py --binary "$binary" --seconds 12 --files 100

section "the first answer after each git step"
"$python" scripts/staleness.py --tool grep --random 20 >/dev/null
"$python" scripts/staleness.py --binary "$binary" --random 60

section "branches: changes, broken uses, collisions, refs"
for folder in compiler sarif; do
    if ! cmp -s "tests/$folder/package-lock.json" "$tools/$folder/installed.json"; then
        rm -rf "${tools:?}/$folder"
        mkdir -p "$tools/$folder"
        cp "tests/$folder/package.json" "tests/$folder/package-lock.json" "$tools/$folder/"
        npm ci --prefix "$tools/$folder" --ignore-scripts --no-audit --no-fund --loglevel=error
        cp "tests/$folder/package-lock.json" "$tools/$folder/installed.json"
    fi
done
# A clone of its own: it gets commits that no branch has.
rm -rf "$tools/real/changes"
git clone --quiet "$tools/real/rxjs" "$tools/real/changes"
"$python" tests/broken_test.py --binary "$binary" --tools "$tools/compiler" --repo "$tools/real/changes" --config src/tsconfig.base.json --commits 8
"$python" tests/collisions_test.py --binary "$binary" --tools "$tools/compiler" --repo "$tools/real/changes" --config src/tsconfig.base.json \
    --made 6 --real 0
schema=$tools/sarif/node_modules/@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json
"$tools/venv/bin/python" tests/ci_test.py --binary "$binary" --schema "$schema"
"$python" tests/refs_test.py --binary "$binary" --seconds 8

section "kills, damage, full disks, idle servers"
"$python" tests/kills_test.py --binary "$binary" --kills 12 --steps 1
"$python" tests/faults_test.py --binary "$binary" --rounds 0
"$python" tests/write_errors_test.py --binary "$binary" --points 7
# Within fifteen seconds of the last question a server ends its threads and gives memory back, then it sleeps.
"$python" tests/idle_test.py --binary "$binary" --repo "$tools/real/rxjs" --rest 20

printf '\nall passed in %d s\n' "$SECONDS"
