#!/usr/bin/env bash
# Builds codelens if needed, indexes a repository and answers one query in it.
#
#   scripts/try.sh [REPO] [QUERY]
#
# REPO is the current directory if it is in a git repository, else this clone.
set -euo pipefail
clone=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

if [[ "${1:-}" == -h || "${1:-}" == --help || $# -gt 2 ]]; then
    sed -n '2,6s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
    exit 0
fi

repo=${1:-$PWD}
if ! git -C "$repo" rev-parse --show-toplevel >/dev/null 2>&1; then
    if [[ $# -gt 0 ]]; then
        echo "$repo is not in a git repository" >&2
        exit 1
    fi
    repo=$clone
fi
query=${2:-error handling}

target=${CARGO_TARGET_DIR:-$clone/target}
echo "building codelens (some minutes the first time) …" >&2
cargo build --release --locked --quiet --manifest-path "$clone/Cargo.toml" --target-dir "$target"
codelens=$target/release/codelens

cd "$repo"
echo "\$ codelens refresh"
"$codelens" refresh
printf '\n$ codelens search "%s"\n' "$query"
"$codelens" search "$query"

cat <<END

To have it everywhere:   cargo install --locked --path $(printf '%q' "$clone")
To add it to an agent:   codelens install --dry-run   (says what it would add to which one)
END
