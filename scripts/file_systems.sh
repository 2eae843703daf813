#!/usr/bin/env bash
# The laws `fresh_is_proved` and `watch_equals_stat` on each file system whose events answers rest on, as far as the kernel has them and this
# machine can make them: ext4, xfs and btrfs in an image behind a loop device, and tmpfs. Needs root, mkfs.ext4, mkfs.xfs and mkfs.btrfs.
#
#   scripts/file_systems.sh [SECONDS]     how long the race lasts on each (60)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if [[ $(id -u) -ne 0 ]]; then
    echo "only root may mount: sudo scripts/file_systems.sh" >&2
    exit 1
fi
export CODELENS_RACE_SECONDS=${1:-60} CODELENS_PROOF_STEPS=${CODELENS_PROOF_STEPS:-150}
cargo test --locked --release --test it --no-run

place=$(mktemp -d)
leave() {
    mountpoint -q "$place/tree" && umount "$place/tree"
    rm -rf "$place"
}
trap leave EXIT
mkdir "$place/tree"
n_checked=0
for kind in ext4 xfs btrfs tmpfs; do
    if [[ $kind == tmpfs ]]; then
        mount -t tmpfs none "$place/tree"
    else
        # The smallest that mkfs.xfs takes is 300 MB.
        truncate -s 512M "$place/image"
        if ! command -v "mkfs.$kind" >/dev/null || ! "mkfs.$kind" -q "$place/image" >/dev/null || ! mount -o loop "$place/image" "$place/tree"; then
            echo "skipped: $kind can't be made or mounted here" >&2
            rm -f "$place/image"
            continue
        fi
    fi
    echo "== $kind"
    TMPDIR=$place/tree RUST_MIN_STACK=16777216 cargo test --locked --release --quiet --test it -- laws::proofs --nocapture
    umount "$place/tree"
    rm -f "$place/image"
    n_checked=$((n_checked + 1))
done
[[ $n_checked -gt 1 ]] || { echo "no file system but tmpfs could be mounted" >&2; exit 1; }
echo "both laws hold on $n_checked file systems"
