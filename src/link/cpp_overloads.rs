//! Of several functions of one name in C++ the one that takes the arguments of a call: by their number, default values
//! counted, then by those whose types are evident.

use std::rc::Rc;

use super::cache::Def;
use super::file::LinkedFile;
use super::linker::Linker;
use super::overloads::n_params;
use super::path_names::SymbolKey;
use super::types::{Substitution, Type};
use crate::ir::{BaseKind, ExprId, PathId, Slot, SymbolIdx};
use crate::model::{SymbolFlags, SymbolKind};

/// How many functions of one name are compared.
const MAX_CANDIDATES: usize = 64;

/// Parameters that are compared.
const MAX_PARAMETERS: u8 = 16;

/// Names for types that stand for each other in a row and are followed.
const MAX_ALIASES: usize = 8;

/// How two types, or the parameters of two functions, compare. The worst of several counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum TypeComparison {
    /// They are written alike, `const` and references left out.
    Equal,
    /// One is not known.
    Unknown,
    Different,
}

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
        // A header that C and C++ read alike may hold overloads for a file of C++.
        let is_cpp = *self.is_of_cpp.get_or_init(|| {
            let path = self.cache.path_of(self.file.file);
            path.is_some_and(|it| !matches!(it.extension(), Some("c" | "h")))
        });
        let differ = |one: SymbolKey, other: SymbolKey| {
            if !is_cpp && self.are_of_c(one, other) {
                return false;
            }
            match self.compare_parameters(one, other) {
                TypeComparison::Equal => false,
                // Two definitions of one name are two functions; a declaration may be that of one of them.
                TypeComparison::Unknown => !self.is_declared(one) && !self.is_declared(other),
                TypeComparison::Different => true,
            }
        };
        if all.len() < 2 || all.iter().all(|it| !differ(all[0], *it)) {
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
        if takes.iter().all(|it| !differ(first, *it)) {
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
        let is_undecided = best.iter().any(|it| differ(first, *it));
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

    /// Whether two functions of one name are different ones by their parameters, as far as is known; those of C never are.
    pub(super) fn differ_in_types(&self, one: SymbolKey, other: SymbolKey) -> bool {
        !self.are_of_c(one, other)
            && self.compare_parameters(one, other) == TypeComparison::Different
    }

    /// Whether two functions are of C, which their name alone tells apart.
    fn are_of_c(&self, one: SymbolKey, other: SymbolKey) -> bool {
        let of_c = |(file, at): SymbolKey| self.cache.get(file).is_some_and(|it| is_of_c(&it, at));
        of_c(one) && of_c(other)
    }

    /// Whether a function has its body elsewhere.
    fn is_declared(&self, (file, at): SymbolKey) -> bool {
        let flags = |it: Rc<LinkedFile>| it.symbol(at).flags;
        let flags = self.cache.get(file).map(flags);
        flags.is_some_and(|it| it.contains(SymbolFlags::DECLARATION_ONLY))
    }

    /// Compares the parameters of two functions.
    fn compare_parameters(&self, one: SymbolKey, other: SymbolKey) -> TypeComparison {
        if one == other {
            return TypeComparison::Equal;
        }
        let (Some(first), Some(second)) = (self.cache.get(one.0), self.cache.get(other.0)) else {
            return TypeComparison::Different;
        };
        let n = n_params(&first, one.1);
        if n != n_params(&second, other.1) {
            return TypeComparison::Different;
        }
        let type_of = |file: &Rc<LinkedFile>, at: SymbolIdx, index: u8| {
            self.infer(file, file.value(at, Slot::Param(index))?, None)
        };
        let n = u8::try_from(n).map_or(MAX_PARAMETERS, |n| n.min(MAX_PARAMETERS));
        let of_each = (0..n).map(|index| {
            let types = (
                type_of(&first, one.1, index),
                type_of(&second, other.1, index),
            );
            self.compare_types(types.0, types.1, MAX_ALIASES)
        });
        of_each.max().unwrap_or(TypeComparison::Equal)
    }

    /// Compares two types by what names for types stand for, with their type arguments.
    fn compare_types(
        &self,
        one: Option<Type>,
        other: Option<Type>,
        depth: usize,
    ) -> TypeComparison {
        let Some(depth) = depth.checked_sub(1) else {
            return TypeComparison::Unknown;
        };
        let expanded = |it: Option<Type>| it.and_then(|it| self.expanded_alias(it, MAX_ALIASES));
        let (Some(one), Some(other)) = (expanded(one), expanded(other)) else {
            return TypeComparison::Unknown;
        };
        match (&one, &other) {
            (Type::Specialized(first, left), Type::Specialized(second, right)) => {
                if first != second {
                    return TypeComparison::Different;
                }
                let args = left.types.iter().zip(right.types.iter());
                let of_each = args.map(|(left_arg, right_arg)| {
                    let types = (
                        self.type_argument(left, *left_arg),
                        self.type_argument(right, *right_arg),
                    );
                    self.compare_types(types.0, types.1, depth)
                });
                of_each.max().unwrap_or(TypeComparison::Equal)
            }
            (Type::Container(first, left), Type::Container(second, right)) => {
                if first != second {
                    return TypeComparison::Different;
                }
                self.compare_types(Some((**left).clone()), Some((**right).clone()), depth)
            }
            (Type::Callable(left), Type::Callable(right)) => {
                self.compare_types(Some((**left).clone()), Some((**right).clone()), depth)
            }
            (Type::ExternalType(left), Type::ExternalType(right)) => {
                if left.name != right.name {
                    return TypeComparison::Different;
                }
                let args = left.args.iter().zip(right.args.iter());
                let of_each = args
                    .map(|(left, right)| self.compare_types(left.clone(), right.clone(), depth));
                of_each.max().unwrap_or(TypeComparison::Equal)
            }
            // Which of the external ones it is, is not known.
            (Type::External, _) | (_, Type::External) => TypeComparison::Unknown,
            _ if one == other => TypeComparison::Equal,
            _ => TypeComparison::Different,
        }
    }

    /// Returns the type of a type argument.
    fn type_argument(&self, of: &Substitution, at: ExprId) -> Option<Type> {
        let file = self.cache.get(of.file)?;
        self.infer(&file, at, None)
    }

    /// Returns the type that names for types stand for: `int` for `file_t` of `typedef int file_t;`. `None` where one is not known.
    fn expanded_alias(&self, written: Type, depth: usize) -> Option<Type> {
        match written {
            Type::Instance(Def::Symbol(in_file, at))
                if self.kind(in_file, at) == Some(SymbolKind::Type) =>
            {
                let depth = depth.checked_sub(1)?;
                let loaded = self.cache.get(in_file)?;
                let value = loaded.value(at, Slot::Base(BaseKind::Extends))?;
                let target = self.infer(&loaded, value, None)?;
                self.expanded_alias(target, depth)
            }
            // What a template of a name stands for depends on its arguments.
            Type::Specialized(Def::Symbol(in_file, at), _)
                if self.kind(in_file, at) == Some(SymbolKind::Type) =>
            {
                None
            }
            other => Some(other),
        }
    }

    /// Whether two functions of C stand in one file, which exclusive conditions alone permit.
    fn are_twins(&self, one: SymbolKey, other: SymbolKey) -> bool {
        one.0 == other.0 && self.are_of_c(one, other)
    }

    /// Returns the one of several definitions that a declaration declares: the only one, else the one with the same
    /// parameters; of those in branches of one file the first.
    pub(super) fn same_function(
        &self,
        loaded: &LinkedFile,
        at: SymbolIdx,
        found: &[SymbolKey],
    ) -> Option<SymbolKey> {
        if let [one] = found {
            let is_function = loaded.symbol(at).kind.is_function();
            // Of several declarations each has its own definition.
            let is_only = loaded.overloads(at).len() < 2;
            let is_same = is_only || !self.differ_in_types((loaded.file, at), *one);
            return (!is_function || is_same).then_some(*one);
        }
        let here = (loaded.file, at);
        let same = found
            .iter()
            .filter(|place| !self.differ_in_types(here, **place));
        let same: Vec<SymbolKey> = same.copied().collect();
        let first = *same.first()?;
        if same[1..].iter().all(|it| self.are_twins(first, *it)) {
            return Some(first);
        }
        if is_of_c(loaded, at) {
            return None;
        }
        let mut equal = same
            .into_iter()
            .filter(|it| self.compare_parameters(here, *it) == TypeComparison::Equal);
        match (equal.next(), equal.next()) {
            (Some(one), None) => Some(one),
            _ => None,
        }
    }
}

/// Whether a function is one of C, which its name alone tells apart.
fn is_of_c(loaded: &LinkedFile, at: SymbolIdx) -> bool {
    loaded.symbol(at).flags.contains(SymbolFlags::C_LINKAGE)
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
