//! Whether a type of Go still has the methods of an interface that code asserts it to satisfy: `var _ Store = (*Disk)(nil)`.

use std::rc::Rc;

use super::file::LinkedFile;
use super::linker::Linker;
use super::lookup::UseMeaning;
use super::method_sets::{Required, standard_methods};
use super::name_binder::{DefinitionId, NameBinder};
use crate::ir::{Expr, Reference, SymbolIdx, Target};
use crate::model::{FileId, ModuleId};
use crate::store::StoreError;

/// Whether a type lacks a method that an interface requires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequiredMethod {
    /// It lacks it, or has one of another signature.
    Missing,
    /// The methods of one of both are not all known.
    Unknown,
    /// It has it, or need not have it.
    Met,
}

impl NameBinder<'_> {
    /// Returns whether a type lacks the method of a name that an interface requires. The interface is the one that a reference of a file
    /// names, by its place.
    pub fn required_method(
        &self,
        type_: DefinitionId,
        interface: (FileId, usize),
        method: &str,
    ) -> Result<RequiredMethod, StoreError> {
        self.cache.checked(|| {
            let found = self.required_of(type_, interface, method);
            Ok(found.unwrap_or(RequiredMethod::Unknown))
        })
    }

    fn required_of(
        &self,
        type_: DefinitionId,
        (file, reference): (FileId, usize),
        method: &str,
    ) -> Option<RequiredMethod> {
        let file = self.cache.get(file)?;
        let used = file.facts.references.get(reference)?;
        let linker = Linker::new(&self.cache, Rc::clone(&file));
        let (all, is_whole) = match linker.bind(used) {
            UseMeaning::Bound(bound) => {
                let there = self.cache.get(bound.to.0)?;
                linker.refuel();
                let all = linker.required(&there, bound.to.1).unwrap_or_default();
                (all, linker.has_known_methods(bound.to))
            }
            UseMeaning::External => match external_methods(&file, used) {
                Some(all) => (all, true),
                None => (Vec::new(), false),
            },
            UseMeaning::KeywordArgument
            | UseMeaning::FieldOfUnnamedStruct
            | UseMeaning::OfUnion(_)
            | UseMeaning::Unknown => (Vec::new(), false),
        };
        let required: Vec<Required> = all.into_iter().filter(|it| it.name == method).collect();
        if required.is_empty() {
            // Another package requires no method that only this one sees.
            let is_visible = method.starts_with(char::is_uppercase);
            return Some(if is_whole || !is_visible {
                RequiredMethod::Met
            } else {
                RequiredMethod::Unknown
            });
        }
        linker.refuel();
        let type_: (ModuleId, SymbolIdx) = (type_.0.into(), type_.1);
        Some(match linker.satisfying(type_, &required) {
            None => RequiredMethod::Missing,
            Some(methods) if methods.contains(&None) => RequiredMethod::Unknown,
            Some(_) => RequiredMethod::Met,
        })
    }
}

/// Returns the methods of an interface of the standard library that a reference names: `http.Handler`, `error`.
fn external_methods(file: &LinkedFile, used: &Reference) -> Option<Vec<Required>> {
    let name = file.facts.name(used);
    let package = match used.target {
        Target::Member { receiver, .. } => receiver,
        Target::Value(value) => match file.expr(value) {
            Expr::Member { object, .. } => *object,
            _ => return standard_methods("", name),
        },
        _ => return standard_methods("", name),
    };
    let Expr::Name { name: package, .. } = file.expr(package) else {
        return None;
    };
    let package = file.import_specifier(file.facts.exprs.name_of(*package))?;
    standard_methods(package, name)
}
