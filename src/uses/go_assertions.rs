//! Assertions of Go that a change makes false: `var _ Store = (*Disk)(nil)` where `Disk` lost a method that `Store` requires.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::Uses;
use super::before_after::{BeforeAfter, start_of_line};
use super::broken_use::{BrokenReason, BrokenUse, BrokenUses, ChangedMember, Refusal};
use super::changed_file::place_of;
use super::name_occurrences::line_text_at;
use crate::error::{Error, Result};
use crate::graph::changes::ChangeKind;
use crate::link::go_assertions::RequiredMethod;
use crate::link::interfaces::InterfaceMethods;
use crate::link::name_binder::{DefinitionId, Meaning};
use crate::model::{Family, FileId, RepoPath, Symbol, SymbolKind};
use crate::syntax;

/// A method that changed, of a type that is still there.
struct ChangedMethod<'d> {
    /// Its change, an index into the difference.
    change: usize,
    home: &'d RepoPath,
    method: &'d Symbol,
    type_: DefinitionId,
    /// Whether it is gone; else its signature is another one.
    is_gone: bool,
}

impl ChangedMethod<'_> {
    fn as_member(&self) -> ChangedMember<'_> {
        ChangedMember {
            change: self.change,
            home: self.home,
            name: &self.method.qualified_name,
        }
    }
}

impl Uses<'_> {
    /// Adds the assertions that a type satisfies an interface, and that it no longer does.
    pub(super) fn add_assertions(
        &self,
        states: &BeforeAfter<'_>,
        found: &mut BrokenUses,
    ) -> Result<()> {
        let changed = self.changed_methods(states)?;
        let mut files: BTreeSet<FileId> = BTreeSet::new();
        for type_ in changed.iter().map(|it| it.type_) {
            files.insert(type_.0);
            let rows = self.read.symbols_of(type_.0)?;
            if let Some(row) = rows.iter().find(|it| it.ordinal == type_.1) {
                files.extend(self.read.edges_into(row.id)?.iter().map(|it| it.src_file));
            }
        }
        for file in files {
            if self.budget.is_cancelled() {
                return Err(Error::cancelled());
            }
            self.add_assertions_of(&changed, file, found)?;
        }
        for one in &changed {
            if self.budget.is_cancelled() {
                return Err(Error::cancelled());
            }
            self.add_interfaces(states, one, found)?;
        }
        Ok(())
    }

    /// Adds the methods of interfaces that a type satisfied with a method, or one that embeds it, and no longer does. Values of the type
    /// may be taken for the interface anywhere: `return disk{}` in a function whose result is a `Store`.
    fn add_interfaces(
        &self,
        states: &BeforeAfter<'_>,
        one: &ChangedMethod<'_>,
        found: &mut BrokenUses,
    ) -> Result<()> {
        let name = &one.method.name;
        let (embedding, is_cut) = states.now.embedding_types(one.type_)?;
        found.is_cut |= is_cut;
        let mut lost = InterfaceMethods::new();
        for now in std::iter::once(one.type_).chain(embedding) {
            let Some(before) = earlier_type(states, now) else {
                continue;
            };
            let (before, is_cut) = states.before.satisfied_interfaces(before, name)?;
            found.is_cut |= is_cut;
            if !before.is_empty() {
                let now = states.now.satisfied_interfaces(now, name)?.0;
                lost.extend(before.difference(&now).cloned());
            }
        }
        for (file, method) in lost {
            let Some(path) = self.read.path_of(file)? else {
                continue;
            };
            let rows = self.read.symbols_of(file)?;
            // An interface that is gone, or lost the method too, is missed itself.
            let Some(row) = rows.iter().find(|it| it.qualified_name == method) else {
                continue;
            };
            let Some(text) = self.text_of(&path)? else {
                found.is_cut = true;
                continue;
            };
            let at = start_of_line(&text, row.name_line) as usize;
            let place = (row.name_line, line_text_at(&text, at));
            let reason = BrokenReason::Refused(Refusal::Unsatisfying);
            let entry = BrokenUse::of_implementation(one.as_member(), path, place, reason);
            found.add(entry, false);
        }
        Ok(())
    }

    /// Returns the methods of Go that are gone or have another signature.
    fn changed_methods<'d>(&self, states: &BeforeAfter<'d>) -> Result<Vec<ChangedMethod<'d>>> {
        let difference = states.difference;
        let mut all = Vec::new();
        for (at, change) in difference.changes.iter().enumerate() {
            let is_changed = matches!(
                change.kind,
                ChangeKind::Removed | ChangeKind::Renamed | ChangeKind::Signature
            );
            let Some((file, method)) = difference.old(change).filter(|_| is_changed) else {
                continue;
            };
            let owner = method.qualified_name.rsplit_once('.').map(|it| it.0);
            let is_method = method.kind == SymbolKind::Method && method.parent.is_none();
            let (Some(owner), true, Family::Go) = (owner, is_method, file.old.facts.family) else {
                continue;
            };
            let directory = file.path.directory();
            for row in self
                .read
                .symbols_named(&crate::store::token::normal_form(owner))?
            {
                let is_type = matches!(
                    row.kind,
                    SymbolKind::Class | SymbolKind::Type | SymbolKind::Enum
                );
                if is_type && row.name == owner && row.path.directory() == directory {
                    let file_row = self.read.file(row.path.as_str())?;
                    all.extend(file_row.map(|it| ChangedMethod {
                        change: at,
                        home: &file.path,
                        method,
                        type_: (it.id, row.ordinal),
                        is_gone: change.kind != ChangeKind::Signature,
                    }));
                }
            }
        }
        Ok(all)
    }

    fn add_assertions_of(
        &self,
        changed: &[ChangedMethod<'_>],
        file: FileId,
        found: &mut BrokenUses,
    ) -> Result<()> {
        let Some(path) = self.read.path_of(file)? else {
            return Ok(());
        };
        let Some(row) = self.read.file(path.as_str())? else {
            return Ok(());
        };
        let text: Option<Arc<str>> = self.sources.read(&path, row.content);
        let (Some(text), Some(language)) = (text, syntax::by_id(&row.language)) else {
            found.is_cut = true;
            return Ok(());
        };
        let assertions = syntax::interface_assertions(language, &text, &self.budget);
        let assertions = assertions.ok_or_else(Error::cancelled)?;
        if assertions.is_empty() {
            return Ok(());
        }
        let binder = self.binder();
        let meanings = binder.of_file(file)?.references;
        let uses = syntax::occurrences_of(language, &text, &[], &self.budget);
        let uses = uses.ok_or_else(Error::cancelled)?.uses;
        let reference_at = |start: u32| {
            let used = uses.iter().find(|it| it.0 == start)?;
            Some(used.2 as usize)
        };
        for assertion in assertions {
            let meaning = reference_at(assertion.type_).and_then(|it| meanings.get(it));
            let (Some(Meaning::Definition(type_, _)), Some(interface)) =
                (meaning, reference_at(assertion.interface))
            else {
                continue;
            };
            for one in changed.iter().filter(|it| it.type_ == *type_) {
                let name = &one.method.name;
                let is_proved = match binder.required_method(*type_, (file, interface), name)? {
                    RequiredMethod::Missing => true,
                    RequiredMethod::Unknown => false,
                    RequiredMethod::Met => continue,
                };
                let place = (
                    assertion.line,
                    line_text_at(&text, assertion.start as usize),
                );
                let reason = if one.is_gone {
                    BrokenReason::Gone
                } else {
                    BrokenReason::Refused(Refusal::Unsatisfying)
                };
                let member = one.as_member();
                let entry = BrokenUse::of_implementation(member, path.clone(), place, reason);
                found.add(entry, is_proved);
            }
        }
        Ok(())
    }
}

/// Returns a type as it was, by its place among the symbols of its file; `None` where it was not there.
fn earlier_type(states: &BeforeAfter<'_>, now: DefinitionId) -> Option<DefinitionId> {
    let (present, earlier) = (states.now.facts(now.0)?, states.before.facts(now.0)?);
    let type_ = present.symbols.get(now.1 as usize)?;
    Some((now.0, place_of(&earlier.symbols, type_)?))
}
