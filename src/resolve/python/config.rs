//! The directories that the configuration files of Python declare as roots of imports.
//!
//! Packaging tools, type checkers and pytest each have a key for it: `[tool.setuptools.packages.find] where = ["src"]`.
//! Whether a directory exists is not asked here. Paths outside the repository and values of the wrong type are left out.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::super::json;
use super::super::paths::join;
use crate::model::RepoPath;
use crate::model::ini;
use crate::model::path::{file_name, parent};

/// Bytes of a configuration file that is read; a larger one declares nothing.
const MAX_CONFIG_BYTES: usize = 1 << 19;

/// Roots that one file may declare.
const MAX_ROOTS: usize = 64;

/// The names of the configuration files.
const NAMES: [&str; 11] = [
    "pyproject.toml",
    "setup.cfg",
    "setup.py",
    "pytest.ini",
    ".pytest.ini",
    "tox.ini",
    "mypy.ini",
    ".mypy.ini",
    "pyrightconfig.json",
    "basedpyrightconfig.json",
    "ty.toml",
];

/// How the value of a key names roots.
#[derive(Clone, Copy)]
enum RootsForm {
    /// A directory or a list of them: `["src", "lib"]`.
    Roots,
    /// Directories in one text, as `mypy_path` has them: `src:lib`, `src, lib`.
    Path,
    /// Directories in one text or a list, as `pythonpath` has them: `src lib`.
    Words,
    /// The directories of packages, which lie in roots: `["src/shop"]`.
    Packages,
    /// A package to the directory that it is: `{"" = "src", "shop" = "lib"}`.
    PackageDirs,
    /// A directory to the package that it becomes: `{"src/shop" = "store"}`, or a list of directories.
    Sources,
    /// Tables whose `from` is a root: `[{include = "shop", from = "src"}]`.
    From,
    /// Tables of a root and further ones: `[{root = "src", extraPaths = ["lib"]}]`.
    Environments,
}

/// The keys of `pyproject.toml`, below `tool`.
const TOOL_KEYS: &[(&str, RootsForm)] = &[
    ("setuptools.package-dir", RootsForm::PackageDirs),
    ("setuptools.packages.find.where", RootsForm::Roots),
    ("poetry.packages", RootsForm::From),
    ("hatch.build.sources", RootsForm::Sources),
    ("hatch.build.packages", RootsForm::Packages),
    ("hatch.build.targets.wheel.sources", RootsForm::Sources),
    ("hatch.build.targets.wheel.packages", RootsForm::Packages),
    ("hatch.build.dev-mode-dirs", RootsForm::Roots),
    ("pdm.build.package-dir", RootsForm::Roots),
    ("uv.build-backend.module-root", RootsForm::Roots),
    ("maturin.python-source", RootsForm::Roots),
    ("scikit-build.wheel.packages", RootsForm::Packages),
    ("pyright.extraPaths", RootsForm::Roots),
    ("pyright.executionEnvironments", RootsForm::Environments),
    ("basedpyright.extraPaths", RootsForm::Roots),
    (
        "basedpyright.executionEnvironments",
        RootsForm::Environments,
    ),
    ("mypy.mypy_path", RootsForm::Path),
    ("pytest.ini_options.pythonpath", RootsForm::Words),
    ("pytest.pythonpath", RootsForm::Words),
    ("ty.environment.root", RootsForm::Roots),
    ("ty.environment.extra-paths", RootsForm::Roots),
];

/// Returns whether a file of this name may declare roots, or marks the directory of a project.
pub(super) fn is_config(name: &str) -> bool {
    NAMES.contains(&name)
}

/// The roots that one configuration file declares; paths are those of the repository.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DeclaredRoots {
    /// Whether its directory is a project: it has a `pyproject.toml`, `setup.cfg` or `setup.py`.
    pub(super) is_project: bool,
    /// The names of the project, as packages are spelled.
    pub(super) names: Vec<String>,
    /// Packages and their directories, the package empty for a directory that holds packages.
    pub(super) roots: Vec<(String, String)>,
}

/// Returns the part of a configuration file that decides where imports lead, as JSON.
pub(super) fn kept(path: &RepoPath, bytes: &[u8]) -> Vec<u8> {
    serde_json::to_vec(&DeclaredRoots::parse(path.as_str(), bytes)).expect("texts can be written")
}

impl DeclaredRoots {
    /// Reads the kept bytes of a configuration file, or its own.
    pub(super) fn read(path: &str, bytes: &[u8]) -> Self {
        serde_json::from_slice(bytes).unwrap_or_else(|_| Self::parse(path, bytes))
    }

    /// Adds the declarations of another file of the same directory.
    pub(super) fn extend(&mut self, other: Self) {
        self.is_project |= other.is_project;
        self.names.extend(other.names);
        for root in other.roots {
            self.add(root.0, root.1);
        }
    }

    fn parse(path: &str, bytes: &[u8]) -> Self {
        let dir = parent(path);
        let name = file_name(path);
        let mut declared = Self {
            is_project: matches!(name, "pyproject.toml" | "setup.cfg" | "setup.py"),
            ..Self::default()
        };
        if bytes.len() > MAX_CONFIG_BYTES {
            return declared;
        }
        let text = String::from_utf8_lossy(bytes);
        let text = text.trim_start_matches('\u{feff}');
        match name {
            "pyproject.toml" => declared.of_pyproject(dir, text),
            "ty.toml" => {
                let value: Value = toml::from_str(text).unwrap_or_default();
                for key in ["environment.root", "environment.extra-paths"] {
                    declared.take(dir, member(&value, key), RootsForm::Roots);
                }
            }
            "setup.py" => declared.of_script(dir, text),
            "pyrightconfig.json" | "basedpyrightconfig.json" => {
                let value = Value::Object(json::object(bytes).unwrap_or_default());
                declared.take(dir, member(&value, "extraPaths"), RootsForm::Roots);
                let environments = member(&value, "executionEnvironments");
                declared.take(dir, environments, RootsForm::Environments);
            }
            _ => declared.of_ini(dir, name, text),
        }
        declared
    }

    fn of_pyproject(&mut self, dir: &str, text: &str) {
        let value: Value = toml::from_str(text).unwrap_or_default();
        for key in ["project.name", "tool.poetry.name"] {
            let name = member(&value, key).and_then(Value::as_str);
            let name = name.map(|name| name.replace(['-', '.'], "_"));
            self.names.extend(name.filter(|name| is_module(name)));
        }
        if let Some(tool) = value.get("tool") {
            for (key, form) in TOOL_KEYS {
                self.take(dir, member(tool, key), *form);
            }
        }
    }

    fn of_ini(&mut self, dir: &str, name: &str, text: &str) {
        let value = |section: &str, key: &str| ini::value(text, section, key);
        if name == "setup.cfg" {
            for line in value("options", "package_dir").unwrap_or_default().lines() {
                if let Some((package, place)) = line.split_once('=') {
                    self.add_in(dir, package.trim(), place.trim());
                }
            }
            let places = value("options.packages.find", "where").unwrap_or_default();
            self.take(dir, Some(&Value::String(places)), RootsForm::Words);
        }
        let sections: &[(&str, &str, RootsForm)] = match name {
            "setup.cfg" => &[
                ("tool:pytest", "pythonpath", RootsForm::Words),
                ("mypy", "mypy_path", RootsForm::Path),
            ],
            "mypy.ini" | ".mypy.ini" => &[("mypy", "mypy_path", RootsForm::Path)],
            _ => &[("pytest", "pythonpath", RootsForm::Words)],
        };
        for (section, key, form) in sections {
            let places = value(section, key).unwrap_or_default();
            self.take(dir, Some(&Value::String(places)), *form);
        }
    }

    /// Takes the literals of `package_dir={"": "lib"}` and `find_packages(where="lib")`.
    fn of_script(&mut self, dir: &str, text: &str) {
        let after = |word| {
            text.match_indices(word)
                .map(move |(at, _)| &text[at + str::len(word)..])
        };
        for rest in after("package_dir").take(MAX_ROOTS) {
            let rest = rest.trim_start_matches([' ', '=', '"', '\'', ':']);
            let Some((pairs, _)) = rest.strip_prefix('{').and_then(|rest| rest.split_once('}'))
            else {
                continue;
            };
            for pair in pairs.split(',') {
                if let Some((package, place)) = pair.split_once(':')
                    && let (Some(package), Some(place)) = (literal(package), literal(place))
                {
                    self.add_in(dir, package, place);
                }
            }
        }
        for word in ["find_packages(", "find_namespace_packages("] {
            for rest in after(word).take(MAX_ROOTS) {
                let rest = rest.split([',', ')']).next().unwrap_or_default().trim();
                let place = rest
                    .strip_prefix("where")
                    .map_or(rest, |rest| rest.trim_start().trim_start_matches('='));
                if let Some(place) = literal(place) {
                    self.add_in(dir, "", place);
                }
            }
        }
    }

    /// Takes the roots out of the value of a key.
    fn take(&mut self, dir: &str, value: Option<&Value>, form: RootsForm) {
        let Some(value) = value else { return };
        let texts: Vec<&str> = match value {
            Value::String(text) => vec![text],
            Value::Array(list) => list.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        };
        let tables = value.as_array().into_iter().flatten();
        let pairs = value.as_object().into_iter().flatten();
        let pairs = pairs.filter_map(|(name, value)| Some((name.as_str(), value.as_str()?)));
        let texts = texts.into_iter();
        let places: Vec<&str> = match form {
            RootsForm::Roots => texts.collect(),
            RootsForm::Path => texts
                .flat_map(|text| text.split([':', ',', ';', ' ', '\t', '\r', '\n']))
                .collect(),
            RootsForm::Words => texts.flat_map(str::split_whitespace).collect(),
            RootsForm::Packages => texts
                .map(|package| parent(package.trim_end_matches('/')))
                .collect(),
            RootsForm::From => tables
                .filter_map(|table| table.get("from")?.as_str())
                .collect(),
            RootsForm::PackageDirs => {
                for (package, place) in pairs {
                    self.add_in(dir, package, place);
                }
                return;
            }
            RootsForm::Sources => {
                for (place, package) in pairs {
                    self.add_in(dir, &package.trim_matches('/').replace('/', "."), place);
                }
                texts.collect()
            }
            RootsForm::Environments => {
                for table in tables.take(MAX_ROOTS) {
                    self.take(dir, table.get("root"), RootsForm::Roots);
                    self.take(dir, table.get("extraPaths"), RootsForm::Roots);
                }
                return;
            }
        };
        for place in places {
            self.add_in(dir, "", place);
        }
    }

    /// Adds a root as it is written in `dir`: `src`, `./src`, `$MYPY_CONFIG_FILE_DIR/src`.
    fn add_in(&mut self, dir: &str, package: &str, place: &str) {
        let place = place.trim();
        let inside = ["$MYPY_CONFIG_FILE_DIR", "${workspaceFolder}"];
        let inside = inside.iter().find_map(|name| place.strip_prefix(name));
        let place = inside.map_or(place, |rest| rest.trim_start_matches('/'));
        let is_empty = place.is_empty() && inside.is_none();
        if is_empty || place.starts_with(['/', '~', '$']) || place.contains(['*', '\\', '\0']) {
            return;
        }
        if let Some(place) = join(dir, place).filter(|_| package.is_empty() || is_module(package)) {
            self.add(package.to_owned(), place);
        }
    }

    fn add(&mut self, package: String, place: String) {
        let root = (package, place);
        if self.roots.len() < MAX_ROOTS && !self.roots.contains(&root) {
            self.roots.push(root);
        }
    }
}

/// Returns the value of a dotted key.
fn member<'a>(value: &'a Value, key: &str) -> Option<&'a Value> {
    key.split('.')
        .try_fold(value, |value, part| value.get(part))
}

/// Returns whether a text can be the dotted name of a package.
fn is_module(name: &str) -> bool {
    let is_part = |part: &str| !part.is_empty() && !part.contains(['/', '\\', '\0', ' ']);
    name.len() < 256 && name.split('.').all(is_part)
}

/// Returns the text of a literal of Python without escapes.
fn literal(text: &str) -> Option<&str> {
    let text = text.trim();
    let quote = text.chars().next().filter(|it| matches!(it, '"' | '\''))?;
    let inner = text[1..].strip_suffix(quote)?;
    (!inner.contains(['\\', '"', '\'', '\n'])).then_some(inner)
}
