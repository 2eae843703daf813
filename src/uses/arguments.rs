//! Calls that pass fewer arguments than the changed signature of what they call requires.
//!
//! Counts arguments and required parameters of TypeScript and Python; types are left to compilers.

use std::collections::BTreeSet;

use super::Uses;
use super::broken_use::{BrokenReason, BrokenUse, BrokenUses};
use super::changed_file::{ChangedFile, FileSide};
use super::difference::{Difference, SymbolChange};
use super::losses::BeforeAfter;
use super::mentions::line_at;
use super::modifiers::is_typescript;
use crate::error::{Error, Result};
use crate::graph::changes::ChangeKind;
use crate::link::use_targets::Meaning;
use crate::model::{Budget, FileId, RepoPath, Symbol, SymbolFlags, SymbolKind};
use crate::syntax::{self, Arities, Around, UseKind};

/// A definition whose calls have to pass more arguments than before.
struct Stricter {
    /// Its change, an index into [`Difference::changes`].
    change: usize,
    required_before: u32,
    required: u32,
    /// Its file, and its declarations there.
    file: FileId,
    targets: Vec<u32>,
}

impl Uses<'_> {
    /// Adds the calls that pass fewer arguments than a changed signature requires.
    pub(super) fn add_calls(&self, states: &BeforeAfter<'_>, found: &mut BrokenUses) -> Result<()> {
        let stricter = self.stricter(states.difference)?;
        // No edge says that a definition calls itself.
        let mut callers: BTreeSet<FileId> = stricter.iter().map(|one| one.file).collect();
        for one in &stricter {
            for row in self.read.symbols_of(one.file)? {
                if one.targets.contains(&row.ordinal) {
                    callers.extend(self.read.edges_into(row.id)?.iter().map(|it| it.src_file));
                }
            }
        }
        for caller in callers {
            self.add_calls_of(states, &stricter, caller, found)?;
        }
        Ok(())
    }

    /// Returns the definitions whose calls have to pass more arguments than before.
    fn stricter(&self, difference: &Difference) -> Result<Vec<Stricter>> {
        let mut all = Vec::new();
        let mut trees = ArityTrees::default();
        for (at, change) in difference.changes.iter().enumerate() {
            if change.kind != ChangeKind::Signature {
                continue;
            }
            let Some((required_before, required)) = self.required(difference, change, &mut trees)
            else {
                continue;
            };
            let Some(place) = &change.new else { continue };
            let file = &difference.files[place.file];
            let Some(row) = self.read.file(file.path.as_str())? else {
                continue;
            };
            let first = &file.new.facts.symbols[place.symbols[0] as usize];
            // A constructor is called by the name of its class.
            let is_constructor = is_constructor(&first.name, first.kind);
            let targets = match first.parent {
                Some(class) if is_constructor => vec![class],
                _ => place.symbols.clone(),
            };
            all.push(Stricter {
                change: at,
                required_before,
                required,
                file: row.id,
                targets,
            });
        }
        Ok(all)
    }

    /// Adds the calls of one file.
    fn add_calls_of(
        &self,
        states: &BeforeAfter<'_>,
        stricter: &[Stricter],
        caller: FileId,
        found: &mut BrokenUses,
    ) -> Result<()> {
        let difference = states.difference;
        let Some(path) = self.read.path_of(caller)?.filter(is_counted) else {
            return Ok(());
        };
        let Some(summary) = self.read.file(path.as_str())? else {
            return Ok(());
        };
        let (Some(language), Some(text)) = (
            syntax::by_id(&summary.language),
            self.sources.read(&path, summary.content),
        ) else {
            return Ok(());
        };
        let meanings = states.now.of_file(caller)?.references;
        let of_reference = |reference: u32| {
            let Some(Meaning::Definition((file, symbol), provenance)) =
                meanings.get(reference as usize)
            else {
                return None;
            };
            let mut all = stricter.iter();
            let one = all.find(|one| one.file == *file && one.targets.contains(symbol))?;
            Some((one, *provenance))
        };
        let n_references = u32::try_from(meanings.len()).unwrap_or(u32::MAX);
        if !(0..n_references).any(|it| of_reference(it).is_some()) {
            return Ok(());
        }
        let Some(arities) = Arities::of(language, &text, &self.budget) else {
            return Ok(());
        };
        let uses = syntax::occurrences_of(language, &text, &[], &self.budget);
        for (start, line, reference, kind) in uses.ok_or_else(Error::cancelled)?.uses {
            let Some((one, provenance)) = of_reference(reference) else {
                continue;
            };
            if !matches!(kind, UseKind::Call | UseKind::New) {
                continue;
            }
            let Some(given) = arities.arguments(start) else {
                continue;
            };
            let required = one.required;
            if given < one.required_before || given >= required {
                continue;
            }
            let Some((home, symbol)) = difference.new_of(&difference.changes[one.change]) else {
                continue;
            };
            found.all.push(BrokenUse {
                path: path.clone(),
                line,
                text: line_at(&text, start as usize),
                kind: Some(kind),
                also: Vec::new(),
                home: home.path.clone(),
                symbol: symbol.qualified_name.clone(),
                change: Some(one.change),
                reason: BrokenReason::TooFewArguments { given, required },
                provenance,
                module_line: None,
                is_through: false,
            });
        }
        Ok(())
    }

    /// Returns how many arguments calls of a definition had to pass, and have to now, where that is more.
    pub(super) fn required<'d>(
        &self,
        difference: &'d Difference,
        change: &SymbolChange,
        trees: &mut ArityTrees<'d>,
    ) -> Option<(u32, u32)> {
        let (old, new) = (change.old.as_ref()?, change.new.as_ref()?);
        let (old_file, new_file) = (&difference.files[old.file], &difference.files[new.file]);
        if !is_counted(&old_file.path) || !is_counted(&new_file.path) {
            return None;
        }
        let symbols = |side: &'d FileSide, places: &[u32]| -> Vec<&'d Symbol> {
            let each = places.iter();
            each.map(|at| &side.facts.symbols[*at as usize]).collect()
        };
        let (was, is) = (
            symbols(&old_file.old, &old.symbols),
            symbols(&new_file.new, &new.symbols),
        );
        if have_same_parameters(&new_file.path, &was, &is) {
            return None;
        }
        let mut of = |file: &'d ChangedFile, side: &'d FileSide, all: &[&Symbol]| -> Option<u32> {
            let is_overload =
                |symbol: &&&Symbol| symbol.flags.contains(SymbolFlags::DECLARATION_ONLY);
            // Of overloads the implementation can't be called by itself.
            let mut called: Vec<_> = all.iter().filter(is_overload).collect();
            if called.is_empty() {
                called = all.iter().collect();
            }
            let each = called.into_iter().map(|symbol| {
                let outer = symbol.parent.map(|at| &side.facts.symbols[at as usize]);
                let is_method = outer.is_some_and(|it| it.kind == SymbolKind::Class);
                let (start, end) = (symbol.span.start_byte, symbol.span.end_byte);
                let text = side.text.get(start as usize..end as usize)?;
                let language = syntax::by_path(&file.path);
                let around = around(outer.map(|it| it.kind), symbol.kind);
                let by_text = syntax::required_by_text(language, text, around, &self.budget);
                if let Some(required) = by_text {
                    return required;
                }
                let arities = trees.of(&file.path, side, &self.budget)?;
                arities.required(&symbol.span, is_method)
            });
            each.collect::<Option<Vec<u32>>>()?.into_iter().min()
        };
        let before = of(old_file, &old_file.old, &was)?;
        let now = of(new_file, &new_file.new, &is)?;
        (now > before).then_some((before, now))
    }
}

fn around(outer: Option<SymbolKind>, kind: SymbolKind) -> Around {
    match outer {
        // Of an object that is no definition.
        None | Some(SymbolKind::Function | SymbolKind::Method) if kind == SymbolKind::Method => {
            Around::Object
        }
        None | Some(SymbolKind::Function | SymbolKind::Method) => Around::Statements,
        Some(SymbolKind::Class) => Around::Class,
        Some(SymbolKind::Interface | SymbolKind::Type) => Around::Interface,
        Some(_) => Around::Object,
    }
}

/// The syntax trees of the files of a difference, each parsed once. One file at a time: changes are listed by file.
#[derive(Default)]
pub(super) struct ArityTrees<'d> {
    /// The text and the tree of the file that was asked for last, in each state.
    last: [Option<(&'d str, Option<Arities<'d>>)>; 2],
}

impl<'d> ArityTrees<'d> {
    fn of(&mut self, path: &RepoPath, side: &'d FileSide, budget: &Budget) -> Option<&Arities<'d>> {
        let text: &'d str = &side.text;
        let is_of = |known: &Option<(&str, Option<Arities<'_>>)>| {
            known
                .as_ref()
                .is_some_and(|(it, _)| std::ptr::eq(*it, text))
        };
        let at = if let Some(at) = self.last.iter().position(is_of) {
            at
        } else {
            self.last.swap(0, 1);
            self.last[0] = Some((text, Arities::of(syntax::by_path(path), text, budget)));
            0
        };
        self.last[at].as_ref()?.1.as_ref()
    }
}

/// Whether the parameters of a definition are evidently those that it had, or it is nothing that is called: `false` where only
/// parsing can tell. Parameters stand in parentheses, which signatures hold.
fn have_same_parameters(path: &RepoPath, old: &[&Symbol], new: &[&Symbol]) -> bool {
    let is_called = |symbol: &&Symbol| {
        !matches!(
            symbol.kind,
            SymbolKind::Class | SymbolKind::Interface | SymbolKind::Type | SymbolKind::Enum
        )
    };
    if !old.iter().chain(new).all(is_called) {
        return true;
    }
    let is_python = matches!(path.extension(), Some("py" | "pyi"));
    let groups = |all: &[&Symbol]| -> Option<Vec<String>> {
        let each = all.iter().map(|symbol| parenthesised(&symbol.signature));
        each.collect()
    };
    // A decorator of Python may take the receiver away.
    !is_python
        && groups(old)
            .zip(groups(new))
            .is_some_and(|(old, new)| old == new)
}

/// Returns the parts of a signature in parentheses, without white space: `(a:A)(b)` of `f(a: A): (b) => C`. `None` where it has
/// none, is cut, or holds a literal, in which a parenthesis means nothing.
pub(super) fn parenthesised(signature: &str) -> Option<String> {
    let mut depth = 0_usize;
    let mut found = String::new();
    for c in signature.chars() {
        match c {
            '\'' | '"' | '`' | '/' | '…' => return None,
            '(' => depth += 1,
            _ => {}
        }
        if depth > 0 && !c.is_whitespace() {
            found.push(c);
        }
        if c == ')' {
            depth = depth.saturating_sub(1);
        }
    }
    (depth == 0 && !found.is_empty()).then_some(found)
}

/// Whether calls in a file have to pass what a signature requires: JavaScript passes `undefined` for the rest.
pub(super) fn is_counted(path: &RepoPath) -> bool {
    is_typescript(path) || matches!(path.extension(), Some("py" | "pyi"))
}

fn is_constructor(name: &str, kind: SymbolKind) -> bool {
    kind == SymbolKind::Constructor || name == "__init__"
}

#[cfg(test)]
mod tests {
    use super::parenthesised;

    #[test]
    fn parameters_are_the_parts_in_parentheses() {
        let found = |signature| parenthesised(signature).unwrap_or_else(|| "-".to_owned());
        assert_eq!(found("f(a: A): (b) => C"), "(a:A)(b)");
        assert_eq!(
            found("const f = <T extends (a: 1) => 2>(b: T) =>"),
            "(a:1)(b:T)"
        );
        for unknown in ["a => b", "f(a = ')', b)", "f(a: …", "f(a: /* ( */ A)"] {
            assert_eq!(found(unknown), "-", "{unknown}");
        }
    }
}
