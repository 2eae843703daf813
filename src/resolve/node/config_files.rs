//! Which files configure how JavaScript and TypeScript find modules, and which of their bytes decide it.

use std::borrow::Cow;

use super::{json, nuxt, sveltekit, vite};
use crate::model::RepoPath;

/// Returns whether resolution depends on the bytes of `path`, so that an index has to keep them:
/// `package.json`, `tsconfig*.json`, `jsconfig*.json`, any JSON file in a directory named after
/// them, as shared configurations are (`packages/typescript-config/base.json`), `vite.config.*`, `nuxt.config.*` and
/// `svelte.config.*`.
pub(super) fn is_config(path: &RepoPath) -> bool {
    let name = path.file_name();
    let is_of_framework = nuxt::is_nuxt_config(name) || sveltekit::is_svelte_config(name);
    if vite::is_vite_config(name) || is_of_framework {
        return true;
    }
    is_json(name)
        && (name == "package.json" || is_compiler_config(name) || is_shared(path.directory()))
}

/// The members of a `package.json` that decide where an import leads.
const PACKAGE_MEMBERS: [&str; 15] = [
    "name",
    "type",
    "source",
    "main",
    "module",
    "jsnext:main",
    "browser",
    "types",
    "typings",
    "typesVersions",
    "exports",
    "private",
    "imports",
    "workspaces",
    "tsconfig",
];

/// Returns the part of a configuration file that resolving sees: of a `package.json` the members that decide where an
/// import leads, of a `vite.config.*` its aliases, of a `svelte.config.*` too, of a `nuxt.config.*` its automatic
/// imports, so that another version or plugin makes no file be linked again; of all others the bytes.
pub(super) fn relevant_bytes<'a>(path: &RepoPath, bytes: &'a [u8]) -> Cow<'a, [u8]> {
    if vite::is_vite_config(path.file_name()) {
        return Cow::Owned(vite::Aliases::kept(path.as_str(), bytes));
    }
    if nuxt::is_nuxt_config(path.file_name()) {
        return Cow::Owned(nuxt::kept(bytes));
    }
    if sveltekit::is_svelte_config(path.file_name()) {
        return Cow::Owned(sveltekit::kept(path.as_str(), bytes));
    }
    if path.file_name() != "package.json" {
        return Cow::Borrowed(bytes);
    }
    let Some(mut object) = json::object(bytes) else {
        return Cow::Borrowed(bytes);
    };
    object.retain(|name, _| PACKAGE_MEMBERS.contains(&name.as_str()));
    serde_json::to_vec(&object).map_or(Cow::Borrowed(bytes), Cow::Owned)
}

/// Returns whether a file of this name sets compiler options for the directory it stands in.
pub(super) fn is_compiler_config(name: &str) -> bool {
    is_json(name) && (name.starts_with("tsconfig") || name.starts_with("jsconfig"))
}

/// Returns whether a name is that of a JSON file; the case counts, as it does for compilers.
pub(super) fn is_json(name: &str) -> bool {
    name.rsplit_once('.')
        .is_some_and(|(_, extension)| extension == "json")
}

fn is_shared(directory: &str) -> bool {
    let name = directory.rsplit('/').next().unwrap_or(directory);
    ["tsconfig", "jsconfig", "ts-config", "typescript-config"]
        .iter()
        .any(|word| name.contains(word))
}

#[cfg(test)]
mod tests {
    use super::{is_config, relevant_bytes};
    use crate::model::RepoPath;

    #[test]
    fn configuration_is_known_by_its_name() {
        let is = |path| is_config(&RepoPath::new(path).unwrap());
        for path in [
            "package.json",
            "a/tsconfig.app.json",
            "jsconfig.json",
            "packages/typescript-config/base.json",
            "web/vite.config.ts",
        ] {
            assert!(is(path), "{path}");
        }
        for path in [
            "a.json",
            "tsconfig.js",
            "package.json5",
            "src/config/data.json",
        ] {
            assert!(!is(path), "{path}");
        }
    }

    fn kept_of(path: &str, text: &str) -> String {
        let path = RepoPath::new(path).unwrap();
        String::from_utf8(relevant_bytes(&path, text.as_bytes()).into_owned()).unwrap()
    }

    #[test]
    fn what_decides_nothing_is_not_kept() {
        let package = r#"{"version": "1.2.3", "name": "a", "exports": {"b": "./b", "a": "./a"}, "scripts": {}}"#;
        assert_eq!(
            kept_of("p/package.json", package),
            r#"{"name":"a","exports":{"b":"./b","a":"./a"}}"#
        );
        assert_eq!(kept_of("p/package.json", "{ broken"), "{ broken");
        assert_eq!(kept_of("tsconfig.json", "{ /* */ }"), "{ /* */ }");
        let vite =
            "const x = 1; export default { plugins: [x], resolve: { alias: { '@': './src' } } }";
        assert_eq!(kept_of("web/vite.config.ts", vite), r#"[["@","web/src"]]"#);
        assert_eq!(kept_of("web/vite.config.ts", "export default {}"), "[]");
    }
}
