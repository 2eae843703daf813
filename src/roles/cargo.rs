//! The command that runs tests of a crate: `cargo test -p store --lib db::tests::opens`.
//!
//! The manifest names the package and its targets; the module tree leads from a file up to the root of its target.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::runner::{Runner, RunnerEvidence, Suite};
use super::{Roles, text};
use crate::model::path::is_at_or_below;
use crate::model::{RepoPath, SymbolFlags};

/// Modules between a file and the root of its target that are followed.
const MAX_DEPTH: usize = 64;

/// A package as its manifest declares it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct CargoPackage {
    /// Its name; `None` for a workspace alone.
    name: Option<String>,
    /// The root of its library, where that is written out.
    library: Option<String>,
    /// The targets that are written out: the option that chooses the kind, the name and the path.
    targets: Vec<(String, String, String)>,
    /// The directories that the workspace leaves out; `None` where it is none.
    excluded: Option<Vec<String>>,
}

/// Reads a `Cargo.toml`.
pub(super) fn suite(home: &str, manifest: &str) -> Suite {
    let first = |section: &str, key: &str| {
        text::section_values(manifest, section, key).and_then(|it| it.into_iter().next())
    };
    let mut targets = Vec::new();
    for (kind, option) in [("bin", "--bin"), ("test", "--test")] {
        for [name, path] in text::tables(manifest, kind, ["name", "path"]) {
            targets.extend(
                name.zip(path)
                    .map(|(name, path)| (option.to_owned(), name, path)),
            );
        }
    }
    Suite {
        runner: Runner::Cargo,
        origin: RunnerEvidence::Config,
        home: home.to_owned(),
        roots: Vec::new(),
        include: Vec::new(),
        exclude: Vec::new(),
        is_open: false,
        package: Some(CargoPackage {
            name: first("package", "name"),
            library: first("lib", "path"),
            targets,
            excluded: text::section_values(manifest, "workspace", "exclude"),
        }),
    }
}

impl CargoPackage {
    /// Returns the option that chooses the target whose root lies at a path inside of the package: `--lib`, `--test it`.
    fn target(&self, root: &str) -> Option<String> {
        let package = self.name.as_deref()?;
        let mut written = self.targets.iter();
        if let Some((option, name, _)) = written.find(|it| it.2 == root) {
            return Some(format!("{option} {name}"));
        }
        if root == self.library.as_deref().unwrap_or("src/lib.rs") {
            return Some("--lib".to_owned());
        }
        let parts: Vec<&str> = root.split('/').collect();
        Some(match parts.as_slice() {
            ["src", "main.rs"] => format!("--bin {package}"),
            ["src", "bin", name] => format!("--bin {}", name.strip_suffix(".rs")?),
            ["src", "bin", name, "main.rs"] => format!("--bin {name}"),
            ["tests", name] => format!("--test {}", name.strip_suffix(".rs")?),
            ["tests", name, "main.rs"] => format!("--test {name}"),
            _ => return None,
        })
    }
}

impl Roles<'_> {
    /// Returns the command for the tests of a file whose names stand at some lines, all of them where none is given.
    pub(super) fn cargo_command(&self, path: &RepoPath, lines: &[u32]) -> Option<String> {
        let text = path.as_str();
        let packages = self.suites().iter().filter_map(|it| {
            let package = it.suite.package.as_ref()?;
            Some((it.suite.home.as_str(), package))
        });
        let packages: Vec<(&str, &CargoPackage)> = packages.collect();
        let around = packages
            .iter()
            .filter(|(home, package)| package.name.is_some() && is_inside(text, home));
        let (home, package) = around.max_by_key(|it| it.0.len())?;
        let inside = |path: &str| -> Option<String> {
            let rest = path.strip_prefix(home)?;
            Some(rest.strip_prefix('/').unwrap_or(rest).to_owned())
        };
        let (target, modules) = self.target_of(path, |root| package.target(&inside(root)?))?;
        let name = package.name.as_deref()?;
        let mut filter = modules;
        filter.extend(self.common_names(path, lines));
        let filter = filter.join("::");
        // A command of the workspace reaches its members.
        let is_member = packages.iter().any(|(at, package)| {
            let excluded = package.excluded.as_ref();
            at.is_empty() && excluded.is_some_and(|it| !it.iter().any(|it| is_inside(home, it)))
        });
        let change = if home.is_empty() || is_member {
            String::new()
        } else {
            format!("cd {home} && ")
        };
        let command = format!("{change}cargo test -p {name} {target} {filter}");
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+@: &".contains(c);
        let command = command.trim_end();
        command.chars().all(is_plain).then(|| command.to_owned())
    }

    /// Returns the target of a file with the modules that lead from its root to the file. The library comes before the
    /// programs that hold the same module.
    fn target_of(
        &self,
        path: &RepoPath,
        target: impl Fn(&str) -> Option<String>,
    ) -> Option<(String, Vec<String>)> {
        let mut found: Vec<(String, Vec<String>)> = Vec::new();
        let mut seen: HashSet<RepoPath> = HashSet::new();
        let mut next = vec![(path.clone(), Vec::new())];
        for _ in 0..MAX_DEPTH {
            let mut above = Vec::new();
            for (at, modules) in next {
                if !seen.insert(at.clone()) {
                    continue;
                }
                found.extend(target(at.as_str()).map(|it| (it, modules.clone())));
                for (around, specifier) in self.read.importers_as(at.as_str()).ok()? {
                    let Some(declared) = specifier.strip_prefix("mod ") else {
                        continue;
                    };
                    let declared = declared.split(' ').next().unwrap_or(declared);
                    let mut names: Vec<String> = declared.split("::").map(str::to_owned).collect();
                    names.extend(modules.iter().cloned());
                    above.push((around, names));
                }
            }
            next = above;
        }
        found.into_iter().min_by_key(|it| it.0 != "--lib")
    }

    /// Returns the names that the tests at some lines have in common, the outermost first: `tests`, `opens`.
    fn common_names(&self, path: &RepoPath, lines: &[u32]) -> Vec<String> {
        let file = self.read.file(path.as_str()).ok().flatten();
        let facts = file.and_then(|file| self.read.facts_with_places(file.id).ok().flatten());
        let Some(facts) = facts else {
            return Vec::new();
        };
        let is_named = |line: &u32, flags: SymbolFlags| {
            lines.contains(line) && flags.contains(SymbolFlags::TEST)
        };
        let tests = facts
            .symbols
            .iter()
            .filter(|it| is_named(&it.name_line, it.flags));
        let names = tests.map(|test| {
            let mut names = vec![test.name.clone()];
            let mut at = test.parent;
            while let Some(around) = at.and_then(|it| facts.symbols.get(it as usize)) {
                names.insert(0, around.name.clone());
                at = around.parent;
            }
            names
        });
        let common = names.reduce(|mut common, names| {
            let same = common.iter().zip(&names).take_while(|(a, b)| a == b);
            let n_same = same.count();
            common.truncate(n_same);
            common
        });
        common.unwrap_or_default()
    }
}

fn is_inside(path: &str, directory: &str) -> bool {
    directory.is_empty() || is_at_or_below(path, directory)
}

#[cfg(test)]
mod tests {
    use super::suite;

    #[test]
    fn a_target_is_chosen_by_its_root() {
        let manifest = "[package]\nname = \"store\"\n[[test]]\nname = \"it\"\npath = \"checks/it.rs\"\n[[bin]]\npath = \"src/x.rs\"\nname = \"run\" # short\n[dependencies]\nname = \"1\"\n";
        let suite = suite("crates/store", manifest);
        let package = suite.package.unwrap();
        for (root, wanted) in [
            ("src/lib.rs", Some("--lib")),
            ("src/main.rs", Some("--bin store")),
            ("src/bin/a.rs", Some("--bin a")),
            ("src/x.rs", Some("--bin run")),
            ("checks/it.rs", Some("--test it")),
            ("tests/b/main.rs", Some("--test b")),
            ("tests/b/c.rs", None),
            ("src/db.rs", None),
        ] {
            assert_eq!(package.target(root).as_deref(), wanted, "{root}");
        }
        assert_eq!(package.excluded, None);
        let workspace = super::suite(
            "",
            "[workspace]\nmembers = [\"crates/*\"]\nexclude = [\"fuzz\"]\n",
        );
        let workspace = workspace.package.unwrap();
        assert_eq!(workspace.excluded, Some(vec!["fuzz".to_owned()]));
        assert_eq!(workspace.target("src/lib.rs"), None);
    }
}
