//! Modules of JavaScript, TypeScript and their components, by the rules of Node, compilers and bundlers.
//!
//! Knows relative names, compiler options, package manifests and where built files come from, all as
//! the index has them; `node_modules` that are not part of the repository are external.

mod affected;
mod built;
mod config_files;
mod configs;
mod nuxt;
mod package;
mod pattern;
mod probe;
mod sveltekit;
mod tsconfig;
mod vite;

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::cmp::Reverse;
use std::sync::Arc;

pub(super) use affected::AffectedImports;
pub use nuxt::AutoImports;

use super::paths::{below, join, upwards};
use super::{ModuleResolver, Resolution, SourceFiles, files, json, paths};
use crate::ir::ImportKind;
use crate::model::RepoPath;
use configs::Configs;
use package::{Package, Packages};
use pattern::best;
use probe::Probe;
use vite::Aliases;

/// How often a name may lead to another name.
const MAX_HOPS: u8 = 4;

/// Resolves the specifiers of one index.
///
/// Invariant: an answer is a function of the files, the configuration files and the arguments alone; neither the order
/// of questions nor the caches have a part in it. It may be asked from many threads. Its caches grow with the paths
/// that were tried, for as long as it lives.
pub(super) struct NodeResolver {
    probe: Probe,
    packages: Packages,
    configs: Configs,
    /// The nearest to a file first.
    aliases: Vec<Aliases>,
}

impl ModuleResolver for NodeResolver {
    fn is_config(path: &RepoPath) -> bool {
        config_files::is_config(path)
    }

    fn relevant_bytes<'a>(path: &RepoPath, bytes: &'a [u8]) -> Cow<'a, [u8]> {
        config_files::relevant_bytes(path, bytes)
    }

    /// A query (`?raw`) is cut off. Specifiers longer than paths can be are missing or external. Costs 1 to 3 µs.
    fn resolve(&self, from: &RepoPath, specifier: &str, kind: ImportKind) -> Resolution {
        let name = match specifier.find('?') {
            Some(at) if at > 0 => &specifier[..at],
            _ => specifier,
        };
        let found = if kind == ImportKind::TripleSlash || is_relative(name) {
            self.relative(from, name)
        } else if name.is_empty() || name.starts_with('/') || name.contains('\0') {
            Err(Resolution::External)
        } else {
            self.resolve_name(from, name, MAX_HOPS)
        };
        found.map_or_else(|miss| miss, Resolution::File)
    }
}

impl NodeResolver {
    /// Reads every configuration file and makes a resolver for these files: less than
    /// 0.1 ms for each. When a file is added or removed, or a configuration file changes, a new one has
    /// to be made.
    pub(super) fn new(files: Arc<dyn SourceFiles>) -> Self {
        let mut paths = files.configs();
        paths.sort();
        let packages = Packages::read(files.as_ref(), &paths);
        let configs = Configs::read(files.as_ref(), &packages, &paths);
        let aliases = paths.iter();
        let aliases = aliases.filter_map(|path| {
            Aliases::read(files.as_ref(), path)
                .or_else(|| nuxt::aliases(files.as_ref(), path))
                .or_else(|| sveltekit::aliases(files.as_ref(), path))
        });
        let mut aliases: Vec<Aliases> = aliases.collect();
        aliases.sort_by_key(|aliases| Reverse(aliases.dir().len()));
        Self {
            probe: Probe::new(files),
            packages,
            configs,
            aliases,
        }
    }

    fn relative(&self, from: &RepoPath, name: &str) -> Result<RepoPath, Resolution> {
        let path = join(from.directory(), name).ok_or(Resolution::Missing)?;
        let last = name.rsplit('/').next().unwrap_or(name);
        let as_directory = matches!(last, "" | "." | "..");
        let found = self.place(&path, as_directory);
        found
            .map(|found| self.code_for(from, &path, found))
            .or_else(|| self.merged(from, &path, as_directory))
            .ok_or(Resolution::Missing)
    }

    /// The code of a directory's entry rather than its types, for code that runs: where the entry is a declaration
    /// file that no code stands beside, the first entry that is code.
    fn code_for(&self, from: &RepoPath, directory: &str, found: RepoPath) -> RepoPath {
        let is_untyped = [".js", ".cjs", ".mjs", ".jsx"];
        let is_untyped = is_untyped.iter().any(|end| from.as_str().ends_with(end));
        let is_declaration = |path: &RepoPath| {
            let ends = [".d.ts", ".d.mts", ".d.cts"];
            ends.iter().any(|end| path.as_str().ends_with(end))
        };
        if !is_untyped || !is_declaration(&found) {
            return found;
        }
        let code = self.packages.at(directory).and_then(|package| {
            let entries = package.entries();
            let mut places = entries.filter_map(|entry| self.target(package, entry, true));
            places.find(|place| !is_declaration(place))
        });
        code.unwrap_or(found)
    }

    /// Looks for `path` in the directories that count as one with its own.
    fn merged(&self, from: &RepoPath, path: &str, as_directory: bool) -> Option<RepoPath> {
        self.configs.for_file(from.as_str()).find_map(|config| {
            let roots = &config.root_dirs;
            let own = roots.iter().filter(|root| below(path, root).is_some());
            let own = own.max_by_key(|root| root.len())?;
            let rest = below(path, own)?;
            let others = roots.iter().filter(|root| *root != own);
            others
                .into_iter()
                .find_map(|root| self.place(&join(root, rest)?, as_directory))
        })
    }

    /// Finds the file for a path: itself, the entry of that directory, or the source of that entry.
    fn place(&self, path: &str, as_directory: bool) -> Option<RepoPath> {
        let found = if as_directory && !path.is_empty() {
            self.probe.find(&format!("{path}/"))
        } else {
            self.probe.find(path)
        };
        found.or_else(|| self.offered(self.packages.at(path)?, ""))
    }

    fn resolve_name(&self, from: &RepoPath, name: &str, hops: u8) -> Result<RepoPath, Resolution> {
        let mut ours = name.starts_with('#');
        for config in self.configs.for_file(from.as_str()) {
            let patterns = config
                .paths
                .iter()
                .map(|(pattern, places)| (pattern, places));
            if let Some((pattern, places, star)) = best(patterns, name) {
                let found = places.iter().find_map(|place| {
                    let path = place.replacen('*', star, 1);
                    // An absolute place was written relative to the configuration's own directory.
                    let path = match path.strip_prefix('/') {
                        Some(path) => join(config.dir(), path),
                        None => join(&config.paths_from, &path),
                    };
                    self.place(&path?, name.ends_with('/'))
                });
                if let Some(found) = found {
                    return Ok(found);
                }
                ours |= !pattern.is_any();
            }
            let based = config.base.as_deref().and_then(|base| join(base, name));
            if let Some(found) = based.and_then(|path| self.place(&path, name.ends_with('/'))) {
                return Ok(found);
            }
        }
        if let Some(found) = self.imported(from, name, hops) {
            return Ok(found);
        }
        for (package, sub) in self.packages.named_by(name) {
            if let Some(found) = self.offered(package, sub) {
                return Ok(found);
            }
            ours = true;
        }
        let aliases = self.aliases.iter();
        for aliases in aliases.filter(|aliases| below(from.as_str(), aliases.dir()).is_some()) {
            for path in aliases.paths(name) {
                if let Some(found) = self.place(&path, name.ends_with('/')) {
                    return Ok(found);
                }
                ours = true;
            }
        }
        let miss = if ours {
            Resolution::Missing
        } else {
            Resolution::External
        };
        self.installed(from, name).ok_or(miss)
    }

    /// Follows a `#name` through the manifests around the file.
    fn imported(&self, from: &RepoPath, name: &str, hops: u8) -> Option<RepoPath> {
        if !name.starts_with('#') || hops == 0 {
            return None;
        }
        self.packages.around(from.directory()).find_map(|package| {
            package.imported(name).iter().find_map(|target| {
                if target.starts_with('.') {
                    self.target(package, target, false)
                } else {
                    self.resolve_name(from, target, hops - 1).ok()
                }
            })
        })
    }

    /// Finds the file that a package offers for a path below it, empty for the package itself.
    fn offered(&self, package: &Package, sub: &str) -> Option<RepoPath> {
        let entry = sub.is_empty();
        let exported = package.exported(sub);
        let open = exported.is_none();
        let mut targets = exported.unwrap_or_default();
        if entry {
            targets.extend(package.entries().map(str::to_owned));
        } else if open {
            targets.push(sub.to_owned());
        }
        let named = targets
            .iter()
            .find_map(|target| self.target(package, target, entry));
        named.or_else(|| {
            let inside = format!("src/{sub}");
            let last_resort: &[&str] = if entry {
                &["src/index", "src/main", "index"]
            } else {
                &[&inside, sub]
            };
            last_resort
                .iter()
                .find_map(|path| self.probe_in(package, path))
        })
    }

    /// Returns every file that a package of the repository offers under a specifier: that of each condition, and its
    /// usual source: `dist/a.js` and `src/index.ts` for `a`.
    pub(super) fn entries(&self, specifier: &str) -> Vec<RepoPath> {
        let mut found = Vec::new();
        for (package, sub) in self.packages.named_by(specifier) {
            let is_entry = sub.is_empty();
            let mut targets = package.exported(sub).unwrap_or_default();
            if is_entry {
                targets.extend(package.entries().map(str::to_owned));
                targets.extend(["src/index", "src/main"].map(str::to_owned));
            }
            let files = targets.iter();
            found.extend(files.filter_map(|target| self.target(package, target, is_entry)));
        }
        found.sort();
        found.dedup();
        found
    }

    /// Finds the file of one target of a manifest, or its source.
    fn target(&self, package: &Package, target: &str, entry: bool) -> Option<RepoPath> {
        let there = self.probe_in(package, target);
        there.or_else(|| {
            let configs = self.configs.for_dir(&package.dir);
            built::source(&self.probe, configs, &package.dir, target, entry)
        })
    }

    fn probe_in(&self, package: &Package, path: &str) -> Option<RepoPath> {
        let path = join(&package.dir, path)?;
        // The directory itself would lead to its own entry again.
        (path != package.dir).then(|| self.probe.find(&path))?
    }

    /// Looks into `node_modules` that are part of the repository.
    fn installed(&self, from: &RepoPath, name: &str) -> Option<RepoPath> {
        let (package, sub) = package::split(name);
        upwards(from.directory()).find_map(|dir| {
            let place = join(dir, &format!("node_modules/{package}"))?;
            if !self.probe.is_dir(&place) {
                return None;
            }
            match self.packages.at(&place) {
                Some(package) => self.offered(package, sub),
                None => self.probe.find(&join(&place, sub)?),
            }
        })
    }
}

/// Returns whether a specifier is a path seen from the file that writes it.
fn is_relative(name: &str) -> bool {
    matches!(name, "." | "..") || name.starts_with("./") || name.starts_with("../")
}
