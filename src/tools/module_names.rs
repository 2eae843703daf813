//! Definitions by the names of their files and directories: a component by that of its file, a definition by that of its module.

use crate::error::Result;
use crate::workspace::{SymbolRow, View, is_named, normal_form};

/// The name of what a module without a name of its own exports.
const DEFAULT: &str = "default";

/// Names of files that stand for their directory.
const STAND_INS: &[&str] = &["__init__", "index", "lib", "main", "mod"];

/// Directories of sources that are no part of a module's name.
const SOURCE_DIRECTORIES: &[&str] = &["lib", "src"];

/// Returns the components, and other default exports without a name, whose file is named so: `PostListItem` for that of
/// `posts/PostListItem.vue`, also for `post-list-item.svelte` and `PostListItem/index.vue`. Costs a look-up of all default exports.
pub(super) fn component_named(view: &View<'_>, name: &str) -> Result<Vec<SymbolRow>> {
    if name.contains('.') || name == DEFAULT {
        return Ok(Vec::new());
    }
    let wanted = normal_form(name);
    let mut found = view.read.symbols_named(DEFAULT)?;
    found.retain(|it| {
        it.qualified_name == DEFAULT
            && module_parts(it.path.as_str())
                .last()
                .is_some_and(|own| normal_form(own) == wanted)
    });
    Ok(found)
}

/// Returns those of the definitions of the last name of `wanted` whose module the names before it tell: `models.Page` and
/// `wagtail.models.Page` for `Page` of `wagtail/models/pages.py`, `store.Store` for that of the Go package in `store`. `wanted` has dots.
pub(super) fn in_module_named(alike: &[SymbolRow], wanted: &str) -> Vec<SymbolRow> {
    let parts: Vec<&str> = wanted.split('.').collect();
    for at in 1..parts.len() {
        let name = parts[at..].join(".");
        let is_meant = |it: &&SymbolRow| {
            is_named(it, &name) && is_module(&module_parts(it.path.as_str()), &parts[..at])
        };
        let found: Vec<SymbolRow> = alike.iter().filter(is_meant).cloned().collect();
        if !found.is_empty() {
            return found;
        }
    }
    Vec::new()
}

/// Returns whether names are those of a module, or of the directory that it is in.
fn is_module(module: &[&str], names: &[&str]) -> bool {
    let names: Vec<&str> = names
        .iter()
        .filter(|it| !SOURCE_DIRECTORIES.contains(it))
        .copied()
        .collect();
    let directory = &module[..module.len().saturating_sub(1)];
    !names.is_empty() && (module.ends_with(&names) || directory.ends_with(&names))
}

/// Returns the names of the directories and of the file of a path, without those that name no module: `wagtail`, `models`,
/// `pages`. A directory with dots is several: `Acme.Db` of .NET.
fn module_parts(path: &str) -> Vec<&str> {
    let (directories, file) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = file.split('.').next().unwrap_or(file);
    let mut parts: Vec<&str> = directories
        .split(['/', '.'])
        .filter(|it| !it.is_empty() && !SOURCE_DIRECTORIES.contains(it))
        .collect();
    if !STAND_INS.contains(&stem) {
        parts.push(stem);
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::{is_module, module_parts};

    #[test]
    fn names_before_a_definition_may_be_those_of_its_module() {
        for (path, names, wanted) in [
            ("wagtail/models/pages.py", "models", true),
            ("wagtail/models/pages.py", "wagtail.models", true),
            ("wagtail/models/pages.py", "wagtail.models.pages", true),
            ("wagtail/models/pages.py", "wagtail", false),
            ("wagtail/models/pages.py", "pages.models", false),
            ("wagtail/models/__init__.py", "models", true),
            ("store/store.go", "store", true),
            ("tokio/src/sync/mutex.rs", "tokio.sync", true),
            ("crates/core/src/lib.rs", "core", true),
            (
                "MediaBrowser.Controller/Library/Item.cs",
                "MediaBrowser.Controller.Library",
                true,
            ),
            ("src/a.ts", "src", false),
        ] {
            let names: Vec<&str> = names.split('.').collect();
            assert_eq!(
                is_module(&module_parts(path), &names),
                wanted,
                "{path} {names:?}"
            );
        }
    }
}
