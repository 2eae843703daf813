//! The part of a `Cargo.toml` that decides where paths lead: the targets of a package, and the crates that it can name.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Bytes of a manifest that is read; a larger one declares nothing.
const MAX_MANIFEST_BYTES: usize = 1 << 20;

/// Targets and dependencies of one manifest that are read.
const MAX_ENTRIES: usize = 5_000;

/// A crate that another one can name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Dependency {
    /// The directory of its package, as written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) path: Option<String>,
    /// Whether the manifest of the workspace says the rest.
    #[serde(default)]
    pub(super) is_inherited: bool,
    /// Whether the name here is not that of its library: `package = "…"`.
    #[serde(default)]
    pub(super) is_renamed: bool,
}

/// A manifest, as far as it is read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Manifest {
    /// The name of the package; `None` for a workspace alone.
    pub(super) package: Option<String>,
    pub(super) lib_name: Option<String>,
    pub(super) lib_path: Option<String>,
    /// The paths of programs, tests, benchmarks and examples that are written out.
    pub(super) targets: Vec<String>,
    /// The kinds of targets that are not found by themselves: `bins`, `tests`, `benches`, `examples`.
    pub(super) explicit: Vec<String>,
    pub(super) is_workspace: bool,
    /// By the name in code.
    pub(super) dependencies: BTreeMap<String, Dependency>,
    pub(super) workspace_dependencies: BTreeMap<String, Dependency>,
}

impl Manifest {
    /// Reads a `Cargo.toml`; what is broken or of the wrong type is left out.
    pub(super) fn read(bytes: &[u8]) -> Self {
        let mut read = Self::default();
        if bytes.len() > MAX_MANIFEST_BYTES {
            return read;
        }
        let text = String::from_utf8_lossy(bytes);
        let value: Value = toml::from_str(text.trim_start_matches('\u{feff}')).unwrap_or_default();
        let text = |value: &Value, key: &str| value.get(key)?.as_str().map(str::to_owned);
        if let Some(package) = value.get("package").or_else(|| value.get("project")) {
            read.package = text(package, "name");
            for kind in ["bins", "tests", "benches", "examples"] {
                let key = format!("auto{kind}");
                if package.get(&key).and_then(Value::as_bool) == Some(false) {
                    read.explicit.push(kind.to_owned());
                }
            }
            read.targets.extend(text(package, "build"));
        }
        if let Some(lib) = value.get("lib") {
            read.lib_name = text(lib, "name");
            read.lib_path = text(lib, "path");
        }
        for kind in ["bin", "test", "bench", "example"] {
            let all = value
                .get(kind)
                .and_then(Value::as_array)
                .into_iter()
                .flatten();
            read.targets
                .extend(all.filter_map(|it| text(it, "path")).take(MAX_ENTRIES));
        }
        read.add_dependencies(&value);
        if let Some(targets) = value.get("target").and_then(Value::as_object) {
            for target in targets.values() {
                read.add_dependencies(target);
            }
        }
        if let Some(workspace) = value.get("workspace") {
            read.is_workspace = true;
            let all = workspace.get("dependencies").and_then(Value::as_object);
            read.workspace_dependencies = dependencies(all.into_iter().flatten());
        }
        if let Some(patches) = value.get("patch").and_then(Value::as_object) {
            for patch in patches.values() {
                let all = patch.as_object().into_iter().flatten();
                for (name, patched) in dependencies(all) {
                    let known = read.dependencies.get_mut(&name);
                    if let Some(known) = known.filter(|it| it.path.is_none()) {
                        known.path = patched.path;
                    }
                }
            }
        }
        read
    }

    fn add_dependencies(&mut self, table: &Value) {
        for key in ["dependencies", "dev-dependencies", "build-dependencies"] {
            let all = table.get(key).and_then(Value::as_object);
            for (name, found) in dependencies(all.into_iter().flatten()) {
                if self.dependencies.len() < MAX_ENTRIES {
                    let known = self.dependencies.entry(name).or_default();
                    known.path = known.path.take().or(found.path);
                    known.is_inherited |= found.is_inherited;
                    known.is_renamed |= found.is_renamed;
                }
            }
        }
    }

    /// Returns the name of the library in code.
    pub(super) fn library(&self) -> Option<String> {
        let name = self.lib_name.as_ref().or(self.package.as_ref())?;
        Some(name.replace('-', "_"))
    }
}

fn dependencies<'a>(
    all: impl Iterator<Item = (&'a String, &'a Value)>,
) -> BTreeMap<String, Dependency> {
    let all = all.take(MAX_ENTRIES).map(|(name, value)| {
        let path = value.get("path").and_then(Value::as_str);
        let dependency = Dependency {
            path: path.map(str::to_owned),
            is_inherited: value.get("workspace").and_then(Value::as_bool) == Some(true),
            is_renamed: value.get("package").is_some(),
        };
        (name.replace('-', "_"), dependency)
    });
    all.collect()
}
