#!/usr/bin/env bash
# Builds codelens if needed, indexes a repository and answers two questions about it.
#
#   scripts/try.sh [REPO] [QUERY]
#
# Without REPO a small sample of TypeScript, Vue and Python is asked about: fixtures/agora.repo, in a temporary directory.
set -euo pipefail
clone=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

if [[ "${1:-}" == -h || "${1:-}" == --help || $# -gt 2 ]]; then
    sed -n '2,6s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
    exit 0
fi

symbol=
query=${2:-error handling}
if [[ $# -gt 0 ]]; then
    repo=$1
    if ! git -C "$repo" rev-parse --show-toplevel >/dev/null 2>&1; then
        echo "$repo is not in a git repository" >&2
        exit 1
    fi
else
    sample=$(mktemp -d)
    trap 'rm -rf "$sample"' EXIT
    # The sample is one text: `//- /PATH` begins a file, `//- commit` ends the last one.
    git init --quiet "$sample/repo"
    file=
    while IFS= read -r line || [[ -n $line ]]; do
        case $line in
        '//- /'*)
            file=$sample/repo/${line#//- /}
            mkdir -p "$(dirname "$file")"
            : >"$file"
            ;;
        '//- commit'*) file= ;;
        *) [[ -z $file ]] || printf '%s\n' "$line" >>"$file" ;;
        esac
    done <"$clone/fixtures/agora.repo"
    git -C "$sample/repo" add --all
    git -C "$sample/repo" -c user.name=Ada -c user.email=ada@example.invalid commit --quiet --message sample
    repo=$sample/repo
    export CODELENS_HOME=$sample/home
    query="where is an order placed"
    symbol=placeOrder
fi

target=${CARGO_TARGET_DIR:-$clone/target}
echo "building codelens (some minutes the first time) …" >&2
cargo build --release --locked --manifest-path "$clone/Cargo.toml" --target-dir "$target"
codelens=$target/release/codelens

cd "$repo"
echo "\$ codelens refresh"
"$codelens" refresh
printf '\n$ codelens search "%s" -n 3\n' "$query"
"$codelens" search "$query" -n 3
if [[ -n $symbol ]]; then
    printf '\n$ codelens impact %s\n' "$symbol"
    "$codelens" impact "$symbol"
fi

cat <<END

To have it everywhere:   cargo install --locked --path $(printf '%q' "$clone")
To add it to an agent:   codelens install --dry-run   (says what it would add to which one)
END
