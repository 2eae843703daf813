//! Calls that pass fewer arguments than the changed signature of what they call requires.
//!
//! Counts arguments and required parameters of TypeScript and Python; types are left to compilers.

use std::collections::{BTreeSet, HashMap};

use super::Uses;
use super::broken::{Broken, BrokenReason, BrokenUses, Worlds};
use super::difference::{ChangedFile, Difference, SymbolChange};
use super::mentions::line_at;
use crate::error::{Error, Result};
use crate::graph::changes::ChangeKind;
use crate::link::use_targets::{FileTargets, Meaning};
use crate::model::{RepoPath, SymbolFlags, SymbolKind};
use crate::syntax::{self, Arities, UseKind};

impl Uses<'_> {
    /// Adds the calls that pass fewer arguments than a changed signature requires.
    pub(super) fn add_calls(&self, worlds: &Worlds<'_>, found: &mut BrokenUses) -> Result<()> {
        let difference = worlds.difference;
        let mut bound: HashMap<i64, FileTargets> = HashMap::new();
        for (at, change) in difference.changes.iter().enumerate() {
            let is_kept = change.kind == ChangeKind::Signature;
            let Some((required_before, required)) =
                is_kept.then(|| self.required(difference, change)).flatten()
            else {
                continue;
            };
            let Some(place) = &change.new else { continue };
            let file = &difference.files[place.file];
            let Some(row) = self.read.file(file.path.as_str())? else {
                continue;
            };
            let rows = self.read.symbols_of(row.id)?;
            let symbols = &file.new.facts.symbols;
            let first = &symbols[place.symbols[0] as usize];
            // A constructor is called by the name of its class.
            let is_constructor = is_constructor(&first.name, first.kind);
            let targets: Vec<u32> = match first.parent {
                Some(class) if is_constructor => vec![class],
                _ => place.symbols.clone(),
            };
            // No edge says that a definition calls itself.
            let mut callers = BTreeSet::from([row.id]);
            for target in &targets {
                if let Some(row) = rows.iter().find(|row| row.ordinal == *target) {
                    callers.extend(self.read.edges_into(row.id)?.iter().map(|it| it.src_file));
                }
            }
            for caller in callers {
                let Some(path) = self.read.path_of(caller)? else {
                    continue;
                };
                let Some(summary) = self.read.file(path.as_str())? else {
                    continue;
                };
                let (Some(language), Some(text)) = (
                    syntax::by_id(&summary.language),
                    self.sources.read(&path, summary.content),
                ) else {
                    continue;
                };
                if !is_counted(&path) {
                    continue;
                }
                if let std::collections::hash_map::Entry::Vacant(entry) = bound.entry(caller) {
                    entry.insert(worlds.now.of_file(caller)?);
                }
                let meanings = &bound[&caller].references;
                let Some(arities) = Arities::of(language, &text, &self.budget) else {
                    continue;
                };
                let uses = syntax::occurrences(language, &text, "_", &self.budget);
                for (start, line, reference, kind) in uses.ok_or_else(Error::cancelled)?.uses {
                    let Some(Meaning::Definition((file, symbol), provenance)) =
                        meanings.get(reference as usize)
                    else {
                        continue;
                    };
                    let is_it = *file == row.id && targets.contains(symbol);
                    if !is_it || !matches!(kind, UseKind::Call | UseKind::New) {
                        continue;
                    }
                    let Some(given) = arities.arguments(start) else {
                        continue;
                    };
                    if given >= required_before && given < required {
                        found.all.push(Broken {
                            path: path.clone(),
                            line,
                            text: line_at(&text, start as usize),
                            kind: Some(kind),
                            also: Vec::new(),
                            home: file_path(difference, place.file),
                            symbol: first.qualified_name.clone(),
                            change: Some(at),
                            reason: BrokenReason::TooFewArguments { given, required },
                            provenance: *provenance,
                            module_line: None,
                            is_through: false,
                        });
                    }
                }
            }
        }
        Ok(())
    }

    /// Returns how many arguments calls of a definition had to pass, and have to now, where that is more.
    pub(super) fn required(
        &self,
        difference: &Difference,
        change: &SymbolChange,
    ) -> Option<(u32, u32)> {
        let of = |file: &ChangedFile, is_old: bool, symbols: &[u32]| -> Option<u32> {
            if !is_counted(&file.path) {
                return None;
            }
            let side = if is_old { &file.old } else { &file.new };
            let language = syntax::by_path(&file.path);
            let arities = Arities::of(language, &side.text, &self.budget)?;
            let all: Vec<_> = symbols
                .iter()
                .map(|at| &side.facts.symbols[*at as usize])
                .collect();
            let is_overload = |symbol: &&&crate::model::Symbol| {
                symbol.flags.contains(SymbolFlags::DECLARATION_ONLY)
            };
            // Of overloads the implementation can't be called by itself.
            let mut called: Vec<_> = all.iter().filter(is_overload).collect();
            if called.is_empty() {
                called = all.iter().collect();
            }
            let each = called.into_iter().map(|symbol| {
                let outer = symbol.parent.map(|at| &side.facts.symbols[at as usize]);
                let is_method = outer.is_some_and(|it| it.kind == SymbolKind::Class);
                arities.required(&symbol.span, is_method)
            });
            each.collect::<Option<Vec<u32>>>()?.into_iter().min()
        };
        let (old, new) = (change.old.as_ref()?, change.new.as_ref()?);
        let before = of(&difference.files[old.file], true, &old.symbols)?;
        let now = of(&difference.files[new.file], false, &new.symbols)?;
        (now > before).then_some((before, now))
    }
}

/// Whether calls in a file have to pass what a signature requires: JavaScript passes `undefined` for the rest.
pub(super) fn is_counted(path: &RepoPath) -> bool {
    let ends = [".ts", ".tsx", ".mts", ".cts", ".py", ".pyi"];
    ends.iter().any(|end| path.as_str().ends_with(end))
}

fn is_constructor(name: &str, kind: SymbolKind) -> bool {
    kind == SymbolKind::Constructor || name == "__init__"
}

fn file_path(difference: &Difference, at: usize) -> RepoPath {
    difference.files[at].path.clone()
}
