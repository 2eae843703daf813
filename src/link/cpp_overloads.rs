//! Of several functions of one name in C++ the one that takes the arguments of a call: by their number, default values
//! counted, then by those whose types are evident.

use std::rc::Rc;

use super::cache::Def;
use super::file::LinkedFile;
use super::linker::Linker;
use super::overloads::n_params;
use super::path_names::SymbolKey;
use super::types::Type;
use crate::ir::{ExprId, PathId, Slot, SymbolIdx};
use crate::model::{SymbolFlags, SymbolKind};

/// How many functions of one name are compared.
const MAX_CANDIDATES: usize = 64;

/// Parameters that are compared.
const MAX_PARAMETERS: u8 = 16;

impl Linker<'_, '_> {
    /// Returns of the functions that share the name and the class or namespace of `found` the one that takes the
    /// arguments, and whether they do not decide.
    pub(super) fn included_overload(
        &self,
        found: Type,
        file: &Rc<LinkedFile>,
        args: &[ExprId],
        this: Option<&Type>,
    ) -> (Type, bool) {
        let Type::Definition(Def::Symbol(in_file, at)) = found else {
            return (found, false);
        };
        let Some(loaded) = self.cache.get(in_file) else {
            return (found, false);
        };
        let symbol = loaded.symbol(at);
        let all: Vec<SymbolKey> = match (symbol.kind, symbol.parent) {
            (SymbolKind::Method, Some(class)) => {
                let members = loaded.members(class, &symbol.name).iter();
                members.map(|at| (in_file, *at)).collect()
            }
            (SymbolKind::Function, None) => {
                let visible = self.visible(file.file, &symbol.name);
                let is_same = |place: &&SymbolKey| {
                    let there = self.cache.get(place.0);
                    there.is_some_and(|there| {
                        let other = there.symbol(place.1);
                        other.kind == SymbolKind::Function
                            && other.qualified_name == symbol.qualified_name
                    })
                };
                let mut all: Vec<SymbolKey> = visible.iter().filter(is_same).copied().collect();
                if !all.contains(&(in_file, at)) {
                    all.insert(0, (in_file, at));
                }
                all
            }
            _ => return (found, false),
        };
        let all = &all[..all.len().min(MAX_CANDIDATES)];
        if all.len() < 2 || all.iter().all(|it| !self.differ_in_types(all[0], *it)) {
            return (found, false);
        }
        let takes: Vec<SymbolKey> = all
            .iter()
            .copied()
            .filter(|it| self.takes(*it, args.len()))
            .collect();
        let Some(first) = takes.first().copied() else {
            return (found, true);
        };
        let definition = |(file, at): SymbolKey| Type::Definition(Def::Symbol(file, at));
        if takes.iter().all(|it| !self.differ_in_types(first, *it)) {
            let kept = takes.contains(&(in_file, at));
            return (if kept { found } else { definition(first) }, false);
        }
        let args: Vec<Option<Type>> = args
            .iter()
            .map(|arg| self.infer(file, *arg, this))
            .collect();
        let mut best: Vec<SymbolKey> = Vec::new();
        let mut most = 0;
        for place in takes {
            let fit = self.fit_of_arguments(place, &args);
            if best.is_empty() || fit > most {
                best.clear();
                most = fit;
            }
            if fit == most {
                best.push(place);
            }
        }
        let first = best[0];
        let is_undecided = best.iter().any(|it| self.differ_in_types(first, *it));
        (definition(first), is_undecided)
    }

    /// Whether a function takes so many arguments.
    fn takes(&self, (in_file, at): SymbolKey, n_args: usize) -> bool {
        let Some(loaded) = self.cache.get(in_file) else {
            return false;
        };
        let n_all = n_params(&loaded, at);
        let n_optional = (0..n_all)
            .filter(|index| is_optional(&loaded, at, *index))
            .count();
        let is_variadic = loaded.symbol(at).flags.contains(SymbolFlags::VARIADIC);
        n_args + n_optional >= n_all && (is_variadic || n_args <= n_all)
            || is_variadic && n_args + 1 + n_optional >= n_all
    }

    fn fit_of_arguments(&self, (in_file, at): SymbolKey, args: &[Option<Type>]) -> u32 {
        let Some(loaded) = self.cache.get(in_file) else {
            return 0;
        };
        let mut sum = 0;
        for (index, arg) in args.iter().enumerate() {
            let Some(arg) = arg else { continue };
            let param = u8::try_from(index)
                .ok()
                .and_then(|index| loaded.value(at, Slot::Param(index)))
                .and_then(|value| self.infer(&loaded, value, None));
            if param.is_some_and(|param| param.unspecialized() == arg.unspecialized()) {
                sum += 1;
            }
        }
        sum
    }

    /// Whether two functions have different parameters, as far as is known.
    pub(super) fn differ_in_types(&self, one: SymbolKey, other: SymbolKey) -> bool {
        if one == other {
            return false;
        }
        let (Some(first), Some(second)) = (self.cache.get(one.0), self.cache.get(other.0)) else {
            return true;
        };
        if n_params(&first, one.1) != n_params(&second, other.1) {
            return true;
        }
        let type_of = |file: &Rc<LinkedFile>, at: SymbolIdx, index: u8| {
            let value = file.value(at, Slot::Param(index))?;
            Some(self.infer(file, value, None))
        };
        (0..MAX_PARAMETERS)
            .map(|index| {
                (
                    type_of(&first, one.1, index),
                    type_of(&second, other.1, index),
                )
            })
            .take_while(|(one, other)| one.is_some() || other.is_some())
            .any(|pair| matches!(pair, (Some(Some(one)), Some(Some(other))) if one != other))
    }

    /// Returns the one of several definitions that a declaration declares: the only one, else the one with the same
    /// parameters.
    pub(super) fn same_function(
        &self,
        loaded: &LinkedFile,
        at: SymbolIdx,
        found: &[SymbolKey],
    ) -> Option<SymbolKey> {
        if let [one] = found {
            let is_function = loaded.symbol(at).kind.is_function();
            let there = self.cache.get(one.0)?;
            // Of several declarations each has its own definition.
            let has_same = n_params(loaded, at) == n_params(&there, one.1);
            let is_only = loaded.overloads(at).len() < 2;
            let is_same = is_only || has_same && !self.differ_in_types((loaded.file, at), *one);
            return (!is_function || is_same).then_some(*one);
        }
        let here = (loaded.file, at);
        let mut same = found
            .iter()
            .filter(|place| !self.differ_in_types(here, **place));
        match (same.next(), same.next()) {
            (Some(one), None) => Some(*one),
            _ => None,
        }
    }
}

/// Whether a parameter has a default value.
fn is_optional(loaded: &LinkedFile, at: SymbolIdx, index: usize) -> bool {
    let Ok(index) = u8::try_from(index) else {
        return false;
    };
    let path = loaded
        .below(PathId::EMPTY, Slot::Param(index))
        .and_then(|path| loaded.below(path, Slot::TypeParamDefault(0)));
    path.is_some() && loaded.values(Some(at), path).next().is_some()
}
