//! Names that Nuxt imports by itself: components by the path of their file, and the exports of files in `composables/`
//! and `utils/`.
//!
//! <https://nuxt.com/docs/guide/concepts/auto-imports>. Knows paths and the literal options of `nuxt.config.*`; does
//! not know the exports of a file.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::files::SourceFiles;
use super::paths::{below, join, parent};
use super::vite::{Aliases, ViteToken, members, parts, tokens};
use crate::model::RepoPath;

/// The options of one `nuxt.config.*` that decide on automatic imports.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct NuxtOptions {
    /// `srcDir`
    source: Option<String>,
    /// `imports.dirs`
    imports: Vec<String>,
    /// `components`: directories, each with its prefix and whether the path below it is part of a name.
    components: Option<Vec<(String, String, bool)>>,
    /// Whether `components` is computed, so that nothing is known of them.
    is_computed: bool,
}

/// Returns whether a file of this name configures Nuxt.
pub(super) fn is_nuxt_config(name: &str) -> bool {
    let rest = name.strip_prefix("nuxt.config.");
    rest.is_some_and(|rest| matches!(rest, "js" | "ts" | "mjs" | "mts" | "cjs" | "cts"))
}

/// Returns the options of a configuration as JSON.
pub(super) fn kept(bytes: &[u8]) -> Vec<u8> {
    let options = NuxtOptions::parse(&String::from_utf8_lossy(bytes));
    serde_json::to_vec(&options).expect("texts can be written")
}

/// Returns the aliases that Nuxt gives the files below the configuration at `path`: `~/a` is `app/a`. `None` for any other
/// file.
pub(super) fn aliases(files: &dyn SourceFiles, path: &str) -> Option<Aliases> {
    if !is_nuxt_config(path.rsplit('/').next().unwrap_or(path)) {
        return None;
    }
    let bytes = files.read_config(path)?;
    let options: NuxtOptions = serde_json::from_slice(&bytes).unwrap_or_default();
    let dir = parent(path);
    let source = options.source_dir(dir, |app| files.is_dir(app));
    let shared = join(dir, "shared")?;
    let places = [
        ("~", &source),
        ("@", &source),
        ("~~", &dir.to_owned()),
        ("@@", &dir.to_owned()),
        ("#shared", &shared),
    ];
    let places = places.map(|(alias, place)| (alias.to_owned(), place.clone()));
    Some(Aliases::of(dir, places.to_vec()))
}

impl NuxtOptions {
    /// Returns the directory of the application: `srcDir`, or `app/` where there is one.
    fn source_dir(&self, dir: &str, has: impl Fn(&str) -> bool) -> String {
        let inside = |place: &str| join(dir, place).unwrap_or_default();
        let app = inside("app");
        match &self.source {
            Some(source) => inside(source),
            None if has(&app) => app,
            None => dir.to_owned(),
        }
    }

    fn parse(text: &str) -> Self {
        let tokens = tokens(text);
        let mut options = Self::default();
        for at in 0..tokens.len() {
            if tokens.get(at + 1) != Some(&ViteToken::Punctuation(':')) {
                continue;
            }
            let value = tokens.get(at + 2);
            if tokens[at].is_name("srcDir")
                && let Some(ViteToken::Text(text)) = value
            {
                options.source = Some(text.clone());
            } else if tokens[at].is_name("imports") && value == Some(&ViteToken::Punctuation('{')) {
                for (name, value) in members(&tokens, at + 2) {
                    if name == "dirs" {
                        options.imports.extend(texts(value));
                    }
                }
            } else if tokens[at].is_name("components") {
                match value {
                    Some(ViteToken::Punctuation('[')) => options.add_components(&tokens[at + 2..]),
                    Some(ViteToken::Punctuation('{')) => {
                        let members = members(&tokens, at + 2);
                        let dirs = members.iter().find(|(name, _)| name == "dirs");
                        if let Some((_, dirs)) = dirs {
                            options.add_components(dirs);
                        }
                    }
                    Some(ViteToken::Name(word)) if word == "true" => {}
                    _ => options.is_computed = true,
                }
            }
        }
        options
    }

    fn add_components(&mut self, list: &[ViteToken]) {
        let mut found = Vec::new();
        if list.first() != Some(&ViteToken::Punctuation('[')) {
            self.is_computed = true;
            return;
        }
        for part in parts(list, 0) {
            match part {
                [] => {}
                [ViteToken::Text(path)] => found.push((path.clone(), String::new(), true)),
                [ViteToken::Punctuation('{'), ..] => {
                    let members = members(part, 0);
                    let text = |word: &str| {
                        let member = members.iter().find(|(name, _)| name == word)?;
                        match member.1.first() {
                            Some(ViteToken::Text(text) | ViteToken::Name(text)) => {
                                Some(text.clone())
                            }
                            _ => None,
                        }
                    };
                    let is_prefixed = text("pathPrefix").as_deref() != Some("false");
                    match text("path") {
                        Some(path) => {
                            found.push((path, text("prefix").unwrap_or_default(), is_prefixed));
                        }
                        None => self.is_computed = true,
                    }
                }
                _ => self.is_computed = true,
            }
        }
        self.components = Some(found);
    }
}

fn texts(value: &[ViteToken]) -> impl Iterator<Item = String> {
    value.iter().filter_map(|token| match token {
        ViteToken::Text(text) => Some(text.clone()),
        _ => None,
    })
}

/// The names that are imported in the files below one directory.
#[derive(Debug)]
struct NuxtRoot {
    dir: String,
    components: HashMap<String, Vec<String>>,
    sources: Vec<String>,
}

/// The names that are imported by themselves in a repository.
#[derive(Debug, Default)]
pub struct AutoImports {
    /// The nearest to a file first.
    roots: Vec<NuxtRoot>,
}

impl AutoImports {
    /// Reads the configurations (path and kept bytes) among those of a repository; `paths` are all its files. Costs one
    /// look at each path below a configuration of Nuxt.
    pub fn of<'a>(
        configs: impl Iterator<Item = (&'a str, &'a [u8])>,
        paths: &mut dyn Iterator<Item = &'a str>,
    ) -> Self {
        let mut roots: Vec<(String, NuxtOptions)> = Vec::new();
        for (path, bytes) in configs {
            if is_nuxt_config(path.rsplit('/').next().unwrap_or(path)) {
                let options = serde_json::from_slice(bytes).unwrap_or_default();
                roots.push((parent(path).to_owned(), options));
            }
        }
        if roots.is_empty() {
            return Self::default();
        }
        let paths: Vec<&str> = paths.collect();
        roots.sort_by(|a, b| (b.0.len(), &a.0).cmp(&(a.0.len(), &b.0)));
        let read = |(dir, options): &(String, NuxtOptions)| NuxtRoot::of(dir, options, &paths);
        Self {
            roots: roots.iter().map(read).collect(),
        }
    }

    /// Whether a file configures automatic imports.
    pub fn is_config(path: &RepoPath) -> bool {
        is_nuxt_config(path.file_name())
    }

    /// Whether nothing is imported by itself.
    pub fn is_empty(&self) -> bool {
        self.roots.is_empty()
    }

    /// Whether adding or removing a file at this path may change automatic imports.
    pub fn covers(&self, path: &str) -> bool {
        self.roots
            .iter()
            .any(|root| below(path, &root.dir).is_some())
    }

    /// Returns the number of the configuration that a file is under; `None` for none and for the server's files, which
    /// have their own.
    pub fn root_of(&self, from: &str) -> Option<usize> {
        let found = self.roots.iter().enumerate().find_map(|(at, root)| {
            let rest = below(from, &root.dir)?;
            Some((at, rest))
        });
        let (at, rest) = found?;
        (!rest.starts_with("server/")).then_some(at)
    }

    /// Returns the file of a component: of `FooBar`, or of `LazyFooBar`. `None` where there are several.
    pub fn component(&self, root: usize, name: &str) -> Option<&str> {
        let components = &self.roots.get(root)?.components;
        let lazy = || components.get(name.strip_prefix("Lazy")?);
        match components.get(name).or_else(lazy)?.as_slice() {
            [path] => Some(path),
            _ => None,
        }
    }

    /// Returns the files whose exports are imported, sorted.
    pub fn sources(&self, root: usize) -> &[String] {
        self.roots.get(root).map_or(&[], |root| &root.sources)
    }
}

impl NuxtRoot {
    fn of(dir: &str, options: &NuxtOptions, paths: &[&str]) -> Self {
        let inside = |place: &str| join(dir, place).unwrap_or_default();
        let source = options.source_dir(dir, |app| {
            paths.iter().any(|path| below(path, app).is_some())
        });
        let place = |text: &str| {
            let rest = text
                .strip_prefix("~~/")
                .or_else(|| text.strip_prefix("@@/"));
            match rest {
                Some(rest) => join(dir, rest),
                None => join(
                    &source,
                    text.trim_start_matches("~/").trim_start_matches("@/"),
                ),
            }
        };
        let default = vec![("components".to_owned(), String::new(), true)];
        let listed = options.components.as_ref().unwrap_or(&default);
        let listed: Vec<(String, &str, bool)> = listed
            .iter()
            .filter_map(|(path, prefix, is_prefixed)| {
                Some((place(path)?, prefix.as_str(), *is_prefixed))
            })
            .collect();
        let scanned = ["composables", "utils"]
            .iter()
            .filter_map(|name| join(&source, name));
        let shared = ["shared/utils", "shared/types"].map(inside);
        let mut directories: Vec<String> = scanned.chain(shared).collect();
        directories.extend(options.imports.iter().filter_map(|path| place(path)));
        let mut root = Self {
            dir: dir.to_owned(),
            components: HashMap::new(),
            sources: Vec::new(),
        };
        for path in paths {
            let is_listed = listed
                .iter()
                .filter(|_| !options.is_computed)
                .filter_map(|it| Some((it, below(path, &it.0)?)))
                .max_by_key(|(it, _)| it.0.len());
            if let Some(((_, prefix, is_prefixed), rest)) = is_listed
                && let Some(name) = component_name(rest, prefix, *is_prefixed)
            {
                let files = root.components.entry(name).or_default();
                files.push((*path).to_owned());
            }
            if directories.iter().any(|dir| is_source(path, dir)) {
                root.sources.push((*path).to_owned());
            }
        }
        root.sources.sort();
        root
    }
}

/// Whether the exports of a file are imported that lies in `dir`: directly, or as the entry of a directory there.
fn is_source(path: &str, dir: &str) -> bool {
    if path == dir {
        return true;
    }
    let Some(rest) = below(path, dir) else {
        return false;
    };
    let name = rest.rsplit('/').next().unwrap_or(rest);
    let is_script = [".ts", ".js", ".mts", ".mjs"]
        .iter()
        .any(|end| name.ends_with(end));
    let is_entry = name.starts_with("index.");
    let is_test = name.contains(".test.") || name.contains(".spec.") || name.ends_with(".d.ts");
    is_script && !is_test && (!rest.contains('/') || is_entry && rest.matches('/').count() == 1)
}

/// Returns the name of the component in a file below a directory of components: `NavFooter` for `nav/NavFooter.vue`,
/// `BaseFooButton` for `base/foo/Button.vue`.
fn component_name(rest: &str, prefix: &str, is_prefixed: bool) -> Option<String> {
    let (directory, file) = rest.rsplit_once('/').unwrap_or(("", rest));
    let (stem, extension) = file.rsplit_once('.')?;
    if !matches!(extension, "vue" | "ts" | "tsx" | "js" | "jsx") {
        return None;
    }
    let stem = stem.strip_suffix(".client").unwrap_or(stem);
    let stem = stem.strip_suffix(".server").unwrap_or(stem);
    let stem = stem.strip_suffix(".global").unwrap_or(stem);
    if stem.contains('.') {
        return None;
    }
    let mut prefixes: Vec<Vec<String>> = vec![split_case(prefix)];
    if is_prefixed {
        prefixes.extend(directory.split('/').map(split_case));
    }
    prefixes.retain(|parts| !parts.is_empty());
    let own = if stem.eq_ignore_ascii_case("index") {
        Vec::new()
    } else {
        split_case(stem)
    };
    // A part of the file's name that repeats its directories stands once: `base/BaseButton.vue` is `BaseButton`.
    let mut kept = prefixes.len();
    for from in (0..prefixes.len()).rev() {
        let suffix = prefixes[from..].concat();
        let repeats = !own.is_empty()
            && suffix.len() <= own.len()
            && suffix
                .iter()
                .zip(&own)
                .all(|(a, b)| a.eq_ignore_ascii_case(b));
        if repeats {
            kept = from;
        }
    }
    let parts = prefixes[..kept].concat();
    let name: String = parts.iter().chain(&own).map(|part| capital(part)).collect();
    (!name.is_empty()).then_some(name)
}

fn capital(part: &str) -> String {
    let mut chars = part.chars();
    let first = chars.next().into_iter().flat_map(char::to_uppercase);
    first.chain(chars).collect()
}

/// Splits `navFooter-2` into `nav`, `Footer` and `2`.
fn split_case(name: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    let mut is_new = true;
    let chars: Vec<char> = name.chars().collect();
    for (at, c) in chars.iter().enumerate() {
        if matches!(c, '-' | '_' | '.' | '/' | ' ') {
            is_new = true;
            continue;
        }
        let after_lower = at > 0 && chars[at - 1].is_lowercase();
        let before_lower = chars.get(at + 1).is_some_and(|next| next.is_lowercase());
        let in_capitals = at > 0 && chars[at - 1].is_uppercase() && before_lower;
        if is_new || c.is_uppercase() && (after_lower || in_capitals) {
            parts.push(String::new());
        }
        is_new = false;
        if let Some(last) = parts.last_mut() {
            last.push(*c);
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::{AutoImports, NuxtOptions, component_name, kept};

    #[test]
    fn a_component_is_named_by_its_path() {
        for (rest, name) in [
            ("Foo.vue", "Foo"),
            ("nav/NavFooter.vue", "NavFooter"),
            ("nav/Footer.vue", "NavFooter"),
            ("base/foo/Button.vue", "BaseFooButton"),
            ("base/foo/FooButton.vue", "BaseFooButton"),
            ("base/BaseFooButton.client.vue", "BaseFooButton"),
            ("nav/index.vue", "Nav"),
            ("user-card/big-one.vue", "UserCardBigOne"),
            ("tiptap/TiptapURLNode.vue", "TiptapURLNode"),
        ] {
            assert_eq!(
                component_name(rest, "", true).as_deref(),
                Some(name),
                "{rest}"
            );
        }
        assert_eq!(component_name("a/B.vue", "X", false).as_deref(), Some("XB"));
        assert_eq!(component_name("a.css", "", true), None);
    }

    #[test]
    fn names_are_imported_below_a_configuration() {
        let config = b"export default defineNuxtConfig({ imports: { dirs: ['./stores'] } })";
        let config = kept(config);
        let paths = [
            "web/app/components/a/Foo.vue",
            "web/app/components/AFoo.vue",
            "web/app/components/Bar.vue",
            "web/app/composables/x.ts",
            "web/app/composables/deep/y.ts",
            "web/app/composables/deep/index.ts",
            "web/app/stores/z.ts",
            "web/app/utils/u.test.ts",
            "other/utils/u.ts",
        ];
        let configs = [("web/nuxt.config.ts", config.as_slice())];
        let found = AutoImports::of(configs.into_iter(), &mut paths.into_iter());
        let root = found.root_of("web/app/pages/a.vue").unwrap();
        assert_eq!(found.root_of("other/a.vue"), None);
        assert_eq!(found.root_of("web/server/a.ts"), None);
        assert_eq!(found.component(root, "LazyBar"), Some(paths[2]));
        // Two files have this name.
        assert_eq!(found.component(root, "AFoo"), None);
        assert_eq!(found.sources(root), [paths[5], paths[3], paths[6]]);
    }

    #[test]
    fn options_that_are_computed_name_nothing() {
        assert!(NuxtOptions::parse("components: make(),").is_computed);
        let found = NuxtOptions::parse("components: [{ path: '~/ui', pathPrefix: false }, '~/x'],");
        let ui = ("~/ui".to_owned(), String::new(), false);
        let x = ("~/x".to_owned(), String::new(), true);
        assert_eq!(found.components, Some(vec![ui, x]));
    }
}
