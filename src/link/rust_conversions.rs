//! The functions that conversions of Rust run: `Level::from_str` for `text.parse::<Level>()`.
//!
//! Facts say which call makes which type; see `syntax::lang::rust::conversions`.

use super::cache::Def;
use super::linker::Linker;
use super::types::Type;
use crate::ir::{BaseKind, CONVERSIONS, Expr, ExprId, Slot, SymbolIdx};
use crate::model::ModuleId;

/// Functions of one name that are compared.
const MAX_FUNCTIONS: usize = 64;

/// The function that a conversion runs.
pub(super) enum ConversionTarget {
    /// This one.
    Function(Type),
    /// One that is not known.
    Unknown,
}

impl Linker<'_, '_> {
    /// Returns the function that a conversion runs, by its name and the call as a receiver; `None` for any other use.
    pub(super) fn conversion(&self, name: &str, receiver: ExprId) -> Option<ConversionTarget> {
        let conversion = CONVERSIONS.iter().find(|it| it.function == name)?;
        let Expr::Call { callee, types, .. } = self.file.expr(receiver) else {
            return None;
        };
        let Expr::Member {
            object,
            name: method,
        } = self.file.expr(*callee)
        else {
            return None;
        };
        let method = self.file.facts.exprs.name_of(*method);
        let is_it = method.strip_suffix("()") == Some(conversion.method);
        let [made] = (**types).as_ref() else {
            return None;
        };
        is_it.then(|| {
            let found = self.converted(conversion.function, *callee, *object, *made);
            found.map_or(ConversionTarget::Unknown, ConversionTarget::Function)
        })
    }

    fn converted(
        &self,
        function: &str,
        callee: ExprId,
        object: ExprId,
        made: ExprId,
    ) -> Option<Type> {
        let called = self.infer(&self.file, callee, None);
        if called.is_some_and(|it| matches!(it, Type::Definition(_) | Type::Accessor(..))) {
            // A method of that name which is no conversion.
            return Some(Type::External);
        }
        let made = self.infer(&self.file, made, None)?.instance();
        let made = self.unaliased(&made);
        let from = self.infer(&self.file, object, None)?;
        if made.is_external() || from.unspecialized() == made.unspecialized() {
            // What a value is converted to itself runs nothing.
            return Some(Type::External);
        }
        match self.functions_of_traits(&made, function)?.as_slice() {
            [] => {
                // What a macro writes is not seen.
                let found = self.member(&made, &format!("{function}()"))?;
                found.is_external().then_some(found)
            }
            [(file, at)] => Some(Type::Definition(Def::Symbol(*file, *at))),
            several => {
                // A literal has just this type; a method may have made a `String` of a `str`.
                let is_literal = matches!(self.file.expr(object), Expr::Instance { .. });
                let fits = |(file, at): &&(ModuleId, SymbolIdx)| {
                    let param = self.cache.get(*file).and_then(|loaded| {
                        self.infer(&loaded, loaded.value(*at, Slot::Param(0))?, None)
                    });
                    param.is_some_and(|param| {
                        param.unspecialized() == from.unspecialized()
                            || !is_literal && is_text(&param) && is_text(&from)
                    })
                };
                let mut fitting = several.iter().filter(fits);
                match (fitting.next(), fitting.next()) {
                    (Some((file, at)), None) => Some(Type::Definition(Def::Symbol(*file, *at))),
                    _ => None,
                }
            }
        }
    }

    /// The functions of a name in the `impl` blocks of traits for a type.
    fn functions_of_traits(
        &self,
        made: &Type,
        function: &str,
    ) -> Option<Vec<(ModuleId, SymbolIdx)>> {
        let (file, at) = made.symbol()?;
        let loaded = self.cache.get(file)?;
        let there = format!("{}.{function}", loaded.symbol(at).name);
        let mut found = Vec::new();
        for file in self.files_of(&loaded, at) {
            for candidate in file.top_level(&there) {
                let owner = file.facts.owner(*candidate as usize);
                let of = owner.and_then(|it| self.infer(&file, it, None));
                let of = of.map(|it| self.unaliased(&it)).and_then(|it| it.symbol());
                let is_of_trait = file
                    .value(*candidate, Slot::Base(BaseKind::Implements))
                    .is_some();
                if is_of_trait && of == Some((loaded.file, at)) && found.len() < MAX_FUNCTIONS {
                    found.push((file.file, *candidate));
                }
            }
        }
        Some(found)
    }
}

/// Whether it is a text.
fn is_text(type_: &Type) -> bool {
    matches!(type_, Type::ExternalType(of) if matches!(&*of.name, "str" | "String"))
}
