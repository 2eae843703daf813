//! Symbols of one file that share a name: a macro in whose place a function stands in another branch of a condition, functions whose
//! parameters tell them apart, which no C has, and names for types that stand for one of the standard library in one branch alone.

use super::cleaning::is_primitive;
use super::lowering::Lowering;
use super::tokens::directives;
use crate::ir::{Expr, ExprId, PathId, Slot, SymbolIdx};
use crate::model::hash::HashMap;
use crate::model::{Symbol, SymbolFlags, SymbolKind};

/// The conditions around a place, from the outside in, each with the number of its branch.
type OpenBranches = Vec<(usize, usize)>;

impl Lowering<'_> {
    /// Marks macros and functions by the other symbols of their names.
    pub(super) fn mark_same_names(&mut self) {
        let mut by_name: HashMap<&str, Vec<usize>> = HashMap::default();
        for (at, symbol) in self.facts.symbols.iter().enumerate() {
            let is_macro = symbol.flags.contains(SymbolFlags::MACRO);
            let is_free = symbol.kind == SymbolKind::Function && symbol.parent.is_none();
            if is_macro || is_free {
                by_name.entry(&symbol.name).or_default().push(at);
            }
        }
        let mut conditions: Option<Conditions> = None;
        let mut replaced = Vec::new();
        let mut has_overloads = false;
        for all in by_name.values().filter(|it| it.len() > 1) {
            let symbol = |at: usize| &self.facts.symbols[at];
            let is_macro = |at: &&usize| symbol(**at).flags.contains(SymbolFlags::MACRO);
            let (macros, functions): (Vec<usize>, Vec<usize>) =
                all.iter().partition(|at| is_macro(at));
            let may_differ = |pair: &&[usize]| self.are_overloads(pair[0], pair[1]);
            let overloads: Vec<&[usize]> = if self.is_cpp {
                Vec::new()
            } else {
                functions.windows(2).filter(may_differ).collect()
            };
            if (macros.is_empty() || functions.is_empty()) && overloads.is_empty() {
                continue;
            }
            let conditions =
                conditions.get_or_insert_with(|| Conditions::of(self.source.as_bytes()));
            let around = |at: usize| conditions.around(symbol(at).span.start_byte as usize);
            for at in macros {
                let own = around(at);
                if functions.iter().any(|it| !around(*it).starts_with(&own)) {
                    replaced.push(at);
                }
            }
            let is_whole = |pair: &&[usize]| around(pair[0]) == around(pair[1]);
            has_overloads |= overloads.iter().any(is_whole);
        }
        for at in replaced {
            self.facts.symbols[at].flags |= SymbolFlags::FUNCTION_IN_OTHER_BRANCH;
        }
        if has_overloads {
            // A header without a word of C++ that C++ alone compiles.
            for symbol in &mut self.facts.symbols {
                symbol.flags.remove(SymbolFlags::C_LINKAGE);
            }
        }
    }

    /// Gives a name that stands for a thing of the standard library its meaning in another branch of a condition, where that is none: the first
    /// `using text = std::string;` that of `using text = db::Text;`, and `namespace lib = std;` that of `namespace lib = db;`.
    pub(super) fn prefer_own_meanings(&mut self) {
        let facts = &self.facts;
        let mut by_name: HashMap<(Option<SymbolIdx>, &str), Vec<usize>> = HashMap::default();
        for (at, binding) in facts.bindings.iter().enumerate() {
            let Some((PathId::EMPTY, slot)) = facts.exprs.last(binding.path) else {
                continue;
            };
            match (binding.owner, slot) {
                (None, Slot::Member(name)) => {
                    let name = facts.exprs.name_of(name);
                    by_name.entry((None, name)).or_default().push(at);
                }
                (Some(owner), Slot::Base(_)) => {
                    let symbol = &facts.symbols[owner as usize];
                    if symbol.kind == SymbolKind::Type {
                        let key = (symbol.parent, symbol.qualified_name.as_str());
                        by_name.entry(key).or_default().push(at);
                    }
                }
                _ => {}
            }
        }
        let mut meanings = Vec::new();
        for all in by_name.values() {
            let is_standard = |at: &&usize| self.is_of_standard(facts.bindings[**at].value);
            if all.len() > 1
                && is_standard(&&all[0])
                && let Some(own) = all.iter().find(|at| !is_standard(at))
            {
                meanings.push((all[0], facts.bindings[*own].value));
            }
        }
        for (at, value) in meanings {
            self.facts.bindings[at].value = value;
        }
    }

    /// Whether a value is a type or a namespace of the standard library, or a type of the language.
    fn is_of_standard(&self, value: ExprId) -> bool {
        let exprs = &self.facts.exprs;
        match exprs.get(value) {
            Expr::Instance { of: inner } | Expr::Specialized { base: inner, .. } => {
                self.is_of_standard(*inner)
            }
            Expr::Name { name, .. } => {
                let name = exprs.name_of(*name);
                let name = name.strip_prefix("type ").unwrap_or(name);
                name == "std" || name.starts_with("std.") || is_primitive(name)
            }
            _ => false,
        }
    }

    /// Whether two functions or two declarations under the same conditions have different parameters. One without parameters tells nothing:
    /// `int now();`, `int add(a, b) int a, b; {`.
    fn are_overloads(&self, one: usize, other: usize) -> bool {
        let is_declaration = |it: &Symbol| it.flags.contains(SymbolFlags::DECLARATION_ONLY);
        let [first, second] = [one, other].map(|at| &self.facts.symbols[at]);
        if is_declaration(first) != is_declaration(second) {
            return false;
        }
        let [these, those] = [one, other].map(|at| self.parameters_of(at));
        !these.is_empty()
            && !those.is_empty()
            && (these.len() != those.len()
                || these.iter().zip(&those).any(|(one, other)| {
                    let names = (self.primitive_name(*one), self.primitive_name(*other));
                    matches!(names, (Some(one), Some(other)) if one != other)
                }))
    }

    fn parameters_of(&self, at: usize) -> Vec<ExprId> {
        let owner = SymbolIdx::try_from(at).ok();
        let exprs = &self.facts.exprs;
        let bindings = self.facts.bindings.iter().filter(|it| it.owner == owner);
        let parameters = bindings
            .filter(|it| matches!(exprs.last(it.path), Some((PathId::EMPTY, Slot::Param(_)))));
        parameters.map(|it| it.value).collect()
    }

    /// Returns the name of the type of a value that the language defines.
    fn primitive_name(&self, value: ExprId) -> Option<&str> {
        let exprs = &self.facts.exprs;
        let Expr::Instance { of } = exprs.get(value) else {
            return None;
        };
        match exprs.get(*of) {
            Expr::Name { name, scope: None } => Some(exprs.name_of(*name)),
            _ => None,
        }
    }
}

/// The directives of the conditions of a source, each with the branches that are open behind it.
struct Conditions {
    behind: Vec<(usize, OpenBranches)>,
}

impl Conditions {
    fn of(bytes: &[u8]) -> Self {
        let mut behind = Vec::new();
        let mut open: OpenBranches = Vec::new();
        let mut n_conditions = 0;
        for (start, end) in directives(bytes) {
            let line = bytes[start..end].trim_ascii_start();
            let word = line.strip_prefix(b"#").unwrap_or(line).trim_ascii_start();
            if word.starts_with(b"if") {
                open.push((n_conditions, 0));
                n_conditions += 1;
            } else if word.starts_with(b"el") {
                if let Some((_, branch)) = open.last_mut() {
                    *branch += 1;
                }
            } else if word.starts_with(b"endif") {
                open.pop();
            } else {
                continue;
            }
            behind.push((end, open.clone()));
        }
        Self { behind }
    }

    /// Returns the branches around a byte.
    fn around(&self, at: usize) -> OpenBranches {
        let n_before = self.behind.partition_point(|it| it.0 <= at);
        let last = n_before.checked_sub(1).map(|it| &self.behind[it].1);
        last.cloned().unwrap_or_default()
    }
}
