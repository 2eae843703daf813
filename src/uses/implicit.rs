//! How a definition is called without a use that names it: by a test runner, a decorator, the language, or through a base
//! that is defined elsewhere.

use super::Uses;
use crate::error::Result;
use crate::ir::{Expr, ExprId, FileFacts, Slot, SymbolIdx};
use crate::model::{SymbolFlags, SymbolKind};
use crate::store::{SymbolRow, token};
use crate::syntax;

/// Bases of one class that are looked at.
const MAX_BASES: usize = 8;

/// A caller that no line of the repository shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImplicitCaller {
    /// A test runner, where it runs the file.
    TestRunner,
    /// The language, in words that follow "it is": "an entry point of a program".
    Language(&'static str),
    /// Code that a decorator, an annotation or an attribute hands the definition to: `@app.route("/")`.
    Mark(String),
    /// Code that knows the trait that a method implements, `Display`, or the class or interface that its class is built on.
    OutsideBase(String),
}

impl Uses<'_> {
    /// Returns the callers of a definition that no line shows; empty where none is known. Reads and parses its file.
    pub fn implicit_callers(&self, symbol: &SymbolRow) -> Result<Vec<ImplicitCaller>> {
        let Some(file) = self.read.file(symbol.path.as_str())? else {
            return Ok(Vec::new());
        };
        let facts = self.read.facts_with_places(file.id)?;
        let text = self.sources.read(&symbol.path, file.content);
        let (Some(facts), Some(text)) = (facts, text) else {
            return Ok(Vec::new());
        };
        let Some(known) = facts.symbols.get(symbol.ordinal as usize) else {
            return Ok(Vec::new());
        };
        if known.flags.contains(SymbolFlags::TEST) {
            return Ok(vec![ImplicitCaller::TestRunner]);
        }
        let mut callers = Vec::new();
        let by_name = syntax::called_by_name(&symbol.path, known);
        callers.extend(by_name.map(ImplicitCaller::Language));
        let marks = syntax::handing_marks(&symbol.path, &text, known, &self.budget);
        callers.extend(marks.into_iter().map(ImplicitCaller::Mark));
        if known.kind == SymbolKind::Method {
            let bases = self.outside_bases(&facts, symbol.ordinal)?;
            callers.extend(bases.into_iter().map(ImplicitCaller::OutsideBase));
        }
        Ok(callers)
    }

    /// Returns the bases of a member's class that are not defined here: what they offer is not known.
    pub(super) fn outside_bases(
        &self,
        facts: &FileFacts,
        member: SymbolIdx,
    ) -> Result<Vec<String>> {
        let mut outside = Vec::new();
        for base in bases(facts, member) {
            let here = self.read.symbols_named(&token::normal_form(&base))?;
            if here.is_empty() {
                outside.push(base);
            }
        }
        Ok(outside)
    }
}

/// Returns the names of the bases that a method may be called through: those of itself, the trait of its `impl` block, else
/// those of its class.
fn bases(facts: &FileFacts, method: SymbolIdx) -> Vec<String> {
    let of = |owner: SymbolIdx| -> Vec<String> {
        let own = facts.bindings.iter().filter(|it| it.owner == Some(owner));
        let own = own.filter(|it| matches!(facts.exprs.slots(it.path).as_slice(), [Slot::Base(_)]));
        let mut names: Vec<String> = own.filter_map(|it| name(facts, it.value, 0)).collect();
        names.sort();
        names.dedup();
        names.truncate(MAX_BASES);
        names
    };
    let own = of(method);
    match facts.symbols.get(method as usize).and_then(|it| it.parent) {
        Some(class) if own.is_empty() => of(class),
        _ => own,
    }
}

/// Returns the last name of a type: `Display` of `fmt::Display`, `List` of `List<Row>`.
fn name(facts: &FileFacts, value: ExprId, depth: u32) -> Option<String> {
    let inner = |value| (depth < 8).then(|| name(facts, value, depth + 1)).flatten();
    match facts.exprs.get(value) {
        Expr::Name { name, .. } | Expr::Member { name, .. } | Expr::Imported { name, .. } => {
            let name = facts.exprs.name_of(*name).trim_end_matches("::");
            let name = name.rsplit(['.', ':', ' ']).next().unwrap_or(name);
            (!name.is_empty() && name != "*").then(|| name.to_owned())
        }
        Expr::Instance { of } => inner(*of),
        Expr::Specialized { base, .. } => inner(*base),
        _ => None,
    }
}
