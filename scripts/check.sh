#!/usr/bin/env bash
# What every change must pass: format, lints, tests, documentation, and the licences of what it stands on.
#
#   scripts/check.sh             quick, in the development profile
#   scripts/check.sh --release   as the gate does it: optimised, slow tests included
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

profile=()
ignored=
if [[ "${1:-}" == --release ]]; then
    profile=(--release)
    ignored=all
elif [[ $# -gt 0 ]]; then
    echo "usage: scripts/check.sh [--release]" >&2
    exit 2
fi

export CARGO_TERM_COLOR="${CARGO_TERM_COLOR:-auto}"
export GIT_TERMINAL_PROMPT=0

section() {
    current=$1
    printf '\n== %s (%d s)\n' "$1" "$SECONDS"
}
current="start"
ended() {
    local status=$?
    [[ $status -eq 0 ]] || printf '\nFAILED in: %s (exit code %d)\n' "$current" "$status" >&2
}
trap ended EXIT

section "format"
cargo fmt --all --check

section "lints"
cargo clippy --locked --all-targets ${profile[@]+"${profile[@]}"} -- -D warnings

section "build"
# With the tests: alone, the binary would have its dependencies built with fewer features, a second time.
cargo build --locked --bins --test it ${profile[@]+"${profile[@]}"}

# Unit tests have the crate compiled once more: unoptimised, in a fifth of the time, over the same dependencies. Such code needs a larger stack.
unoptimised=()
[[ -z $ignored ]] || unoptimised=(--config profile.release.package.codelens.opt-level=0)
run_tests() {
    if cargo nextest --version >/dev/null 2>&1; then
        cargo nextest run --locked --no-fail-fast --status-level slow --final-status-level fail ${profile[@]+"${profile[@]}"} \
            ${ignored:+--run-ignored all} "$@"
    else
        cargo test --locked --no-fail-fast ${profile[@]+"${profile[@]}"} "$@" -- --quiet ${ignored:+--include-ignored}
    fi
}

section "unit tests"
RUST_MIN_STACK=16777216 run_tests --lib ${unoptimised[@]+"${unoptimised[@]}"}

section "integration tests"
# Without `stress`, which measures time: scripts/test.sh runs it alone.
run_tests --bins --test it

section "examples in the documentation"
cargo test --locked --doc ${profile[@]+"${profile[@]}"} -- --quiet

section "documentation"
RUSTDOCFLAGS="-D warnings" cargo doc --locked --no-deps --document-private-items ${profile[@]+"${profile[@]}"}

section "licences, sources and bans of the dependencies"
if cargo deny --version >/dev/null 2>&1; then
    cargo deny --locked --log-level error check bans licenses sources
else
    echo "skipped: cargo-deny is not installed"
fi

printf '\nchecked in %d s\n' "$SECONDS"
