//! Compiler options of `tsconfig*.json` and `jsconfig*.json`, inheritance resolved.
//!
//! Knows which options bear on module resolution, and `extends`. A parent that is missing or unreadable is left out:
//! the file's own options hold all the same.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::config_files::is_json;
use super::files::SourceFiles;
use super::json;
use super::package::Packages;
use super::paths::{below, join, parent};
use super::pattern::NamePattern;

/// How many files one configuration may inherit from, itself included.
const MAX_PARENTS: usize = 32;

/// The variable for the directory of the configuration that inherits an option.
const OWN_DIRECTORY: &str = "${configDir}";

/// The module options of one configuration, for the files around it. Paths are repository-relative.
#[derive(Debug, Default)]
pub(super) struct TsConfig {
    /// Path of the file.
    pub(super) path: String,
    /// Directory in which names without a leading dot are looked for.
    pub(super) base: Option<String>,
    /// Names and where each may stand, as templates to be joined to `paths_from`.
    pub(super) paths: Vec<(NamePattern, Vec<String>)>,
    /// Directory that the templates are relative to.
    pub(super) paths_from: String,
    /// Directories that count as one.
    pub(super) root_dirs: Vec<String>,
    /// Where output goes, and which directory of sources it mirrors.
    pub(super) output: Option<(String, String)>,
    /// Paths of the configurations it refers to.
    pub(super) references: Vec<String>,
    /// Beginnings of the paths it includes.
    includes: Vec<String>,
}

impl TsConfig {
    /// Returns the directory it stands in.
    pub(super) fn dir(&self) -> &str {
        parent(&self.path)
    }

    /// Returns whether it includes the file at `path` by the literal beginning of its patterns.
    pub(super) fn includes(&self, path: &str) -> bool {
        self.includes.iter().any(|dir| below(path, dir).is_some())
    }

    /// Returns whether it includes anything outside the directory it stands in.
    pub(super) fn reaches_out(&self) -> bool {
        let mut includes = self.includes.iter();
        includes.any(|dir| below(dir, self.dir()).is_none())
    }
}

/// An option and the directory of the file that set it.
type CompilerOption<T> = Option<(String, T)>;

/// Options as they are gathered, a child's over its parents'.
#[derive(Default)]
struct CompilerOptions {
    base: CompilerOption<String>,
    paths: CompilerOption<Map<String, Value>>,
    root_dirs: CompilerOption<Vec<String>>,
    out_dir: CompilerOption<String>,
    root_dir: CompilerOption<String>,
    include: CompilerOption<Vec<String>>,
    files: CompilerOption<Vec<String>>,
}

impl CompilerOptions {
    fn take(&mut self, dir: &str, object: &Map<String, Value>) {
        let set = |list: Option<&Value>| Some((dir.to_owned(), texts(Some(list?))));
        self.include = set(object.get("include")).or(self.include.take());
        self.files = set(object.get("files")).or(self.files.take());
        let Some(options) = object.get("compilerOptions").and_then(Value::as_object) else {
            return;
        };
        let text = |name: &str| Some((dir.to_owned(), options.get(name)?.as_str()?.to_owned()));
        self.base = text("baseUrl").or(self.base.take());
        self.out_dir = text("outDir").or(self.out_dir.take());
        self.root_dir = text("rootDir").or(self.root_dir.take());
        self.root_dirs = set(options.get("rootDirs")).or(self.root_dirs.take());
        if let Some(paths) = options.get("paths").and_then(Value::as_object) {
            self.paths = Some((dir.to_owned(), paths.clone()));
        }
    }

    fn extend(self, files: &dyn SourceFiles, path: &str, own: &Map<String, Value>) -> TsConfig {
        let dir = parent(path);
        let place = |from: &str, text: &str| match text.strip_prefix(OWN_DIRECTORY) {
            Some(rest) => join(dir, rest.trim_start_matches('/')),
            None if text.starts_with('/') => None,
            None => join(from, text),
        };
        let one =
            |setting: CompilerOption<String>| setting.and_then(|(from, text)| place(&from, &text));
        let base = one(self.base);
        let (paths_dir, paths) = self.paths.unwrap_or_default();
        let own_place = |text: &str| text.replace(OWN_DIRECTORY, "/");
        let paths_from = base.clone().unwrap_or(paths_dir);
        let out = one(self.out_dir);
        let root = one(self.root_dir);
        let all = |setting: CompilerOption<Vec<String>>| {
            let (from, list) = setting.unwrap_or_default();
            let places = list.iter().filter_map(|text| place(&from, text));
            places.collect::<Vec<_>>()
        };
        let includes = match (self.include, self.files) {
            (None, None) => vec![dir.to_owned()],
            (include, listed) => {
                let mut includes = all(include.map(|(from, list)| (from, literal(list))));
                includes.extend(all(listed));
                includes
            }
        };
        TsConfig {
            path: path.to_owned(),
            paths: paths
                .iter()
                .filter_map(|(name, places)| {
                    let places = texts(Some(places));
                    let ours = places.iter().filter(|place| !place.starts_with('/'));
                    Some((
                        NamePattern::new(name)?,
                        ours.map(|place| own_place(place)).collect(),
                    ))
                })
                .collect(),
            paths_from,
            base,
            root_dirs: all(self.root_dirs),
            output: out
                .zip(root)
                .filter(|(out, root)| out != root && !out.is_empty()),
            references: references(files, dir, own),
            includes,
        }
    }
}

/// Reads configurations and follows `extends`; each file is parsed once.
pub(super) struct TsConfigReader<'a> {
    files: &'a dyn SourceFiles,
    packages: &'a Packages,
    parsed: HashMap<String, Option<Arc<Map<String, Value>>>>,
    left: usize,
}

impl<'a> TsConfigReader<'a> {
    pub(super) fn new(files: &'a dyn SourceFiles, packages: &'a Packages) -> Self {
        Self {
            files,
            packages,
            parsed: HashMap::new(),
            left: 0,
        }
    }

    /// Reads the configuration at `path`; `None` where it is missing or no object. Faults in its parents are passed
    /// over.
    pub(super) fn config(&mut self, path: &str) -> Option<TsConfig> {
        let mut options = CompilerOptions::default();
        self.left = MAX_PARENTS;
        let own = self.read(path, &mut Vec::new(), &mut options)?;
        Some(options.extend(self.files, path, &own))
    }

    /// Adds the options of the file at `path` and of its parents to `options`; returns the file's own ones.
    fn read(
        &mut self,
        path: &str,
        open: &mut Vec<String>,
        options: &mut CompilerOptions,
    ) -> Option<Arc<Map<String, Value>>> {
        if open.iter().any(|known| known == path) {
            return None;
        }
        self.left = self.left.checked_sub(1)?;
        let object = self.parse(path)?;
        open.push(path.to_owned());
        // A list says least first: later ones win over earlier ones, the file itself over all.
        for name in texts(object.get("extends")) {
            if self.left == 0 {
                break;
            }
            if let Some(path) = self.locate(parent(path), &name) {
                self.read(&path, open, options);
            }
        }
        open.pop();
        options.take(parent(path), &object);
        Some(object)
    }

    fn parse(&mut self, path: &str) -> Option<Arc<Map<String, Value>>> {
        if let Some(known) = self.parsed.get(path) {
            return known.clone();
        }
        let object = self
            .files
            .read_config(path)
            .and_then(|bytes| json::object(&bytes));
        let object = object.map(Arc::new);
        self.parsed.insert(path.to_owned(), object.clone());
        object
    }

    fn locate(&self, dir: &str, name: &str) -> Option<String> {
        let there = |path: &str| {
            let with_extension = format!("{path}.json");
            [path.to_owned(), with_extension]
                .into_iter()
                .find(|path| self.files.is_file(path) && is_json(path))
        };
        if name.starts_with('.') {
            return there(&join(dir, name)?);
        }
        self.packages.named_by(name).find_map(|(package, sub)| {
            if sub.is_empty() {
                let entry = package.text("tsconfig").unwrap_or("tsconfig.json");
                return there(&join(&package.dir, entry)?);
            }
            let exported = package.exported(sub).into_iter().flatten();
            exported
                .chain([sub.to_owned()])
                .find_map(|target| there(&join(&package.dir, &target)?))
        })
    }
}

/// Returns the paths of the configurations that `own`, standing in `dir`, refers to.
fn references(files: &dyn SourceFiles, dir: &str, own: &Map<String, Value>) -> Vec<String> {
    let list = own.get("references").and_then(Value::as_array);
    list.into_iter()
        .flatten()
        .filter_map(|reference| {
            let path = join(dir, reference.get("path")?.as_str()?)?;
            if files.is_file(&path) {
                return Some(path);
            }
            let inside = join(&path, "tsconfig.json")?;
            files.is_file(&inside).then_some(inside)
        })
        .collect()
}

/// Returns the texts of a list, or the text that stands in place of one.
fn texts(value: Option<&Value>) -> Vec<String> {
    match value {
        Some(Value::String(text)) => vec![text.clone()],
        Some(Value::Array(list)) => {
            let texts = list.iter().filter_map(Value::as_str);
            texts.map(str::to_owned).collect()
        }
        _ => Vec::new(),
    }
}

/// Returns the directories before the first wildcard of each pattern.
fn literal(patterns: Vec<String>) -> Vec<String> {
    let cut = |pattern: String| match pattern.find(['*', '?']) {
        Some(at) => format!("./{}", parent(&pattern[..at])),
        None => pattern,
    };
    patterns.into_iter().map(cut).collect()
}
