//! From a built file's path to its source, e.g. `dist/index.js` → `src/index.ts`.
//!
//! Knows the usual directories of output and their sources, and the compiler's `outDir` and `rootDir`.

use super::paths::{below, join};
use super::probe::Probe;
use super::tsconfig::TsConfig;
use crate::model::RepoPath;

/// Directories that builds write to.
const OUTPUT: [&str; 8] = ["dist", "lib", "build", "out", "esm", "cjs", "es", "types"];

/// Extensions of code, the longer first.
const CODE: [&str; 13] = [
    ".d.ts", ".d.mts", ".d.cts", ".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs",
    ".vue", ".svelte",
];

/// Returns the source of `target`, a file that the package in `dir` offers and that is not there.
/// `entry` says that it stands for the package as a whole. `configs` are those in force in `dir`.
pub(super) fn source<'c>(
    probe: &Probe,
    configs: impl IntoIterator<Item = &'c TsConfig>,
    dir: &str,
    target: &str,
    entry: bool,
) -> Option<RepoPath> {
    let whole = join(dir, target)?;
    let open = CODE
        .iter()
        .find_map(|extension| whole.strip_suffix(extension));
    let stem = open.unwrap_or(&whole);
    for config in configs {
        if let Some((out, root)) = &config.output
            && let Some(rest) = below(stem, out)
            && let Some(found) = join(root, rest).and_then(|path| probe.find(&path))
        {
            return Some(found);
        }
    }
    let parts: Vec<&str> = below(stem, dir)?.split('/').collect();
    let directories = &parts[..parts.len() - 1];
    let outer = directories
        .iter()
        .take_while(|part| OUTPUT.contains(part))
        .count();
    // `dist/types/index` is the whole package's, `dist/types/a` may be a directory's of that name.
    let mut cuts: Vec<usize> = (1..=outer).collect();
    if entry {
        cuts.reverse();
    }
    cuts.push(0);
    cuts.into_iter().find_map(|cut| {
        let rest = parts[cut..].join("/");
        let inside = join(dir, &format!("src/{rest}"))?;
        let beside = join(dir, &rest)?;
        let (first, second) = if cut > 0 {
            (inside, beside)
        } else {
            (beside, inside)
        };
        probe.find(&first).or_else(|| probe.find(&second))
    })
}
