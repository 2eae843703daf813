//! Calls of functions and classes of native modules, which `PyO3` makes of Rust.
//!
//! A module may be native if its name begins with `_`, as such parts of a package do by convention (`pkg._rust`), or repeats that of its
//! package (`tokenizers.tokenizers`). Whether it is one the linker tells.

use tree_sitter::Node;

use super::super::endpoints::{EndpointBuilder, each_node};
use crate::ir::{EndpointRole, FileFacts, Import, LinkageReach, python_use_key};
use crate::model::hash::{HashMap, HashSet};

/// The meaning of a name that an import binds.
struct NativeImport<'a> {
    module: &'a str,
    /// The name in the module; `None` for the module itself.
    name: Option<&'a str>,
}

/// Adds the calls of native modules to the facts of a file.
pub(super) fn add(source: &str, root: Node<'_>, facts: &mut FileFacts) {
    // Most files import none: nothing is copied for them, and no call is looked at.
    let imports = facts.imports.iter().filter(|it| may_be_native(it));
    let imports: Vec<Import> = imports.cloned().collect();
    if imports.is_empty() {
        return;
    }
    let mut known: HashMap<&str, NativeImport<'_>> = HashMap::default();
    let mut whole: HashMap<&str, &str> = HashMap::default();
    for import in &imports {
        let own = native_module(&import.specifier);
        whole.extend(own.map(|module| (import.specifier.as_str(), module)));
        for name in &import.names {
            let (module, imported) = match (own, name.imported.as_str()) {
                (Some(module), "*") => (module, None),
                (Some(module), imported) => (module, Some(imported)),
                (None, imported) if is_private(imported) => (imported, None),
                _ => continue,
            };
            let found = NativeImport {
                module,
                name: imported,
            };
            // `from pkg._rust import _load` comes again as a module that it may be.
            known.entry(name.local.as_str()).or_insert(found);
        }
    }
    let mut builder = EndpointBuilder::new(source, facts);
    let mut seen = HashSet::default();
    let mut calls = Vec::new();
    each_node(root, |node| {
        if node.kind() == "call" {
            calls.push(node);
        }
    });
    for call in calls {
        let Some(callee) = call.child_by_field_name("function") else {
            continue;
        };
        let text = builder.text(callee);
        let (object, last) = text.rsplit_once('.').unwrap_or(("", text));
        let found = if let Some(module) = whole.get(object) {
            Some((*module, last))
        } else if object.is_empty() {
            let import = known.get(last);
            import.and_then(|it| Some((it.module, it.name?)))
        } else {
            // A module, or one in it: the members of a class are none of its own.
            let import = known.get(object);
            let is_module = |it: &&NativeImport<'_>| {
                let first = it.name.and_then(|it| it.chars().next());
                first.is_none_or(|it| !it.is_uppercase())
            };
            import.filter(is_module).map(|it| (it.module, last))
        };
        let Some((module, name)) = found else {
            continue;
        };
        let symbol = builder.symbol_at(call.start_byte());
        if seen.insert((symbol, module, name)) && builder.is_recorded(callee) {
            let role = EndpointRole::Use {
                key: python_use_key(module, name),
                reach: LinkageReach::Repository,
            };
            builder.add(role, symbol, call);
        }
    }
}

/// Whether an import is one of a module that may be native, or binds one.
fn may_be_native(import: &Import) -> bool {
    let mut names = import.names.iter();
    native_module(&import.specifier).is_some() || names.any(|it| is_private(&it.imported))
}

/// Returns the last name of a module that may be native.
fn native_module(specifier: &str) -> Option<&str> {
    let mut parts = specifier.rsplit('.');
    let last = parts.next()?;
    let is_repeated = !last.is_empty() && parts.next() == Some(last);
    (is_private(last) || is_repeated).then_some(last)
}

fn is_private(name: &str) -> bool {
    name.starts_with('_') && !name.starts_with("__") && name.len() > 1
}
