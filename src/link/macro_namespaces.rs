//! Namespaces of C++ that macros open: `LIB_BEGIN_NAMESPACE` for `#define LIB_BEGIN_NAMESPACE namespace lib {`.
//!
//! The facts of a file name the macros alone, and its definitions lack these namespaces: `open` is `lib::open` to whoever
//! includes the file.

use std::rc::Rc;

use super::c_names::MACRO;
use super::file::LinkedFile;
use super::linker::Linker;
use crate::ir::{Expr, PathId, Slot};
use crate::model::SymbolFlags;

/// Macros of one file that are looked up.
const MAX_MACROS: usize = 16;

impl Linker<'_, '_> {
    /// Returns the names of the namespaces that macros open in a file, as the file at hand sees these macros.
    pub(super) fn macro_namespaces(&self, file: &LinkedFile) -> Rc<[String]> {
        if let Some(known) = self.macro_namespaces.borrow().get(&file.file) {
            return Rc::clone(known);
        }
        let mut all: Vec<String> = Vec::new();
        let values = file.below(PathId::EMPTY, Slot::All).into_iter();
        let values = values.flat_map(|path| file.values(None, Some(path)));
        let macros = values.filter_map(|value| match file.expr(value) {
            Expr::Name { name, .. } => file.facts.exprs.name_of(*name).strip_prefix(MACRO),
            _ => None,
        });
        for name in macros.take(MAX_MACROS) {
            for (in_file, at) in self.visible(self.file.file, name).iter() {
                let Some(loaded) = self.cache.get(*in_file) else {
                    continue;
                };
                let opened = loaded.below(PathId::EMPTY, Slot::All);
                let opened = opened.filter(|_| {
                    let symbol = loaded.symbol(*at);
                    symbol.flags.contains(SymbolFlags::MACRO)
                });
                let Some(opened) = opened else { continue };
                for value in loaded.values(Some(*at), Some(opened)) {
                    if let Expr::Name { name, .. } = loaded.expr(value) {
                        let space = loaded.facts.exprs.name_of(*name);
                        if !all.iter().any(|it| it == space) {
                            all.push(space.to_owned());
                        }
                    }
                }
            }
        }
        let all: Rc<[String]> = all.into();
        self.macro_namespaces
            .borrow_mut()
            .insert(file.file, Rc::clone(&all));
        all
    }
}

/// Whether a name is that of a definition in namespaces that macros open: `lib.inner.open` for `inner.open` where one opens `lib`.
pub(super) fn is_within(name: &str, qualified_name: &str, spaces: &[String]) -> bool {
    let before = name.strip_suffix(qualified_name);
    let before = before.and_then(|it| it.strip_suffix('.'));
    before.is_some_and(|before| {
        before
            .split('.')
            .all(|part| spaces.iter().any(|it| it == part))
    })
}

#[cfg(test)]
mod tests {
    use super::is_within;

    #[test]
    fn adds_namespaces_to_names() {
        let spaces = ["lib".to_owned(), "inner".to_owned()];
        assert!(is_within("lib.open", "open", &spaces));
        assert!(is_within("lib.inner.open", "open", &spaces));
        assert!(is_within("lib.inner.open", "inner.open", &spaces));
        assert!(!is_within("other.open", "open", &spaces));
        assert!(!is_within("lib.reopen", "open", &spaces));
        assert!(!is_within("open", "open", &spaces));
    }
}
