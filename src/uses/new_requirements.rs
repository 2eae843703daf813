//! Types that lack a member which a change requires of them: a method that an interface got, or that became abstract.
//!
//! Methods that override one that is gone are the matter of `overrides`.

use std::collections::BTreeSet;

use super::Uses;
use super::before_after::BeforeAfter;
use super::broken_use::{BrokenReason, BrokenUse, BrokenUses, ChangedMember, Refusal};
use super::changed_file::{ChangedFile, FileSide, place_of};
use super::difference::Difference;
use super::modifiers::{DeclaredModifiers, behind_brackets};
use super::name_occurrences::line_text_at;
use crate::error::{Error, Result};
use crate::graph::changes::ChangeKind;
use crate::graph::tokens::tokens;
use crate::link::interfaces::OtherMethods;
use crate::link::name_binder::{DefinitionId, Meaning};
use crate::link::subclasses::Subclass;
use crate::model::{Family, FileId, RepoPath, Symbol, SymbolKind};
use crate::syntax;

/// A member that types which are built on the one around have to have, and did not before.
pub(super) struct Requirement<'d> {
    /// Its change, an index into the difference.
    change: usize,
    home: &'d ChangedFile,
    member: u32,
    /// The type around, as it is and as it was.
    owner: (u32, u32),
}

impl<'d> Requirement<'d> {
    /// Whether objects that name no class are taken for the type around: literals in TypeScript, functions in Java.
    pub(super) fn concerns_values(&self) -> bool {
        let old = &self.home.old;
        match old.facts.family {
            Family::Ecmascript => {
                let owner = self.home.new.facts.symbols.get(self.owner.0 as usize);
                owner.is_some_and(|it| it.kind != SymbolKind::Class)
            }
            Family::Java => {
                let members = old.facts.symbols.iter();
                let required = members.filter(|it| {
                    it.parent == Some(self.owner.1) && is_required(self.home, old, it)
                });
                required.count() == 1
            }
            _ => false,
        }
    }

    /// Whether a type that is built on the one around has to have the member itself: what `class Disk : IStore` lacks is no error of
    /// `class Fast : Disk`.
    fn is_demanded_of(&self, type_: &Subclass) -> bool {
        let facts = &self.home.new.facts;
        let owner = facts.symbols.get(self.owner.0 as usize);
        let is_of_interface = owner.is_some_and(|it| it.kind == SymbolKind::Interface);
        is_demanded(facts.family, is_of_interface, type_)
    }

    /// Returns the file and the type around.
    pub(super) fn home(&self) -> (&'d RepoPath, u32) {
        (&self.home.path, self.owner.0)
    }

    fn symbol(&self) -> &'d Symbol {
        &self.home.new.facts.symbols[self.member as usize]
    }

    /// Returns the entry of a line of a type that lacks the member.
    fn lacked_at(&self, line: (u32, String), path: RepoPath) -> BrokenUse {
        let member = ChangedMember {
            change: self.change,
            home: &self.home.path,
            name: &self.symbol().qualified_name,
        };
        BrokenUse::of_implementation(member, path, line, BrokenReason::Refused(Refusal::Lacking))
    }
}

/// Returns the members that a difference requires newly of types that were there before.
pub(super) fn requirements(difference: &Difference) -> Vec<Requirement<'_>> {
    let mut all = Vec::new();
    for (at, change) in difference.changes.iter().enumerate() {
        let Some(place) = &change.new else {
            continue;
        };
        let home = &difference.files[place.file];
        let is_of_kind = match change.kind {
            ChangeKind::Added | ChangeKind::Exported | ChangeKind::Signature | ChangeKind::Body => {
                true
            }
            // Elsewhere the methods that override the earlier one are broken.
            ChangeKind::Renamed => home.new.facts.family == Family::Go,
            _ => false,
        };
        if !is_of_kind {
            continue;
        }
        let is_new_name = change.old.is_none();
        for member in &place.symbols {
            let symbol = &home.new.facts.symbols[*member as usize];
            let Some(owner) = owner(home, symbol) else {
                continue;
            };
            if !is_required(home, &home.new, symbol) {
                continue;
            }
            let signature = |it: &Symbol| it.signature.clone();
            let mut before = home.old.facts.symbols.iter();
            let was_required = !is_new_name
                && before.any(|it| {
                    it.qualified_name == symbol.qualified_name
                        && is_required(home, &home.old, it)
                        && (!super::has_overloads(&home.path)
                            || signature(it) == signature(symbol)
                            || place.symbols.len() == 1)
                });
            if !was_required {
                all.push(Requirement {
                    change: at,
                    home,
                    member: *member,
                    owner,
                });
            }
        }
    }
    all
}

/// Returns the type around a member, as it is and as it was; `None` where it is new itself.
fn owner(home: &ChangedFile, member: &Symbol) -> Option<(u32, u32)> {
    let now = member.parent?;
    let owner = &home.new.facts.symbols[now as usize];
    Some((now, place_of(&home.old.facts.symbols, owner)?))
}

fn is_required(home: &ChangedFile, side: &FileSide, symbol: &Symbol) -> bool {
    let parent = symbol
        .parent
        .and_then(|at| side.facts.symbols.get(at as usize));
    if side.facts.family == Family::Go {
        let is_of_interface = parent.is_some_and(|it| it.kind == SymbolKind::Interface);
        return is_of_interface && symbol.kind == SymbolKind::Method;
    }
    DeclaredModifiers::of(&home.path, side, symbol).is_some_and(|it| it.is_required)
}

impl Uses<'_> {
    /// Adds the types that lack what a change requires of them.
    pub(super) fn add_types_lacking_members(
        &self,
        states: &BeforeAfter<'_>,
        found: &mut BrokenUses,
    ) -> Result<()> {
        let all = requirements(states.difference);
        for one in &all {
            if self.budget.is_cancelled() {
                return Err(Error::cancelled());
            }
            let Some(home) = self.read.file(one.home.path.as_str())? else {
                continue;
            };
            match one.home.new.facts.family {
                Family::Go => self.add_unsatisfying(&all, one, home.id, found)?,
                Family::Rust => self.add_impl_blocks(states, one, home.id, found)?,
                _ => self.add_lacking_heirs(one, (home.id, one.member), found)?,
            }
        }
        Ok(())
    }

    fn add_lacking_heirs(
        &self,
        one: &Requirement<'_>,
        member: DefinitionId,
        found: &mut BrokenUses,
    ) -> Result<()> {
        let (subclasses, is_cut) = self.binder().subclasses_with_member(member)?;
        found.is_cut |= is_cut;
        for subclass in subclasses {
            if subclass.has_member || !one.is_demanded_of(&subclass) {
                continue;
            }
            let is_certain = !subclass.has_external_base;
            self.add_type(one, subclass.class, is_certain, found)?;
        }
        Ok(())
    }

    /// Adds the types of Go that have all methods that an interface had, and not the new ones. Only a place that takes one for the interface
    /// is broken by it.
    fn add_unsatisfying(
        &self,
        all: &[Requirement<'_>],
        one: &Requirement<'_>,
        home: FileId,
        found: &mut BrokenUses,
    ) -> Result<()> {
        let interface = (home, one.owner.0);
        let of_interface = all.iter().filter(|it| it.home() == one.home());
        let new: Vec<&str> = of_interface.map(|it| it.symbol().name.as_str()).collect();
        let mut before = one.home.old.facts.symbols.iter().collect::<Vec<_>>();
        before.retain(|it| it.parent == Some(one.owner.1) && it.kind == SymbolKind::Method);
        let is_there = |name: &str| {
            let mut all = one.home.new.facts.symbols.iter();
            all.any(|it| it.parent == Some(one.owner.0) && it.name == name)
        };
        let before = before.into_iter().map(|it| it.name.as_str());
        let also: Vec<&str> = before
            .filter(|it| new.contains(it) || !is_there(it))
            .collect();
        let (now, is_cut) = self.binder().satisfying_types(interface)?;
        found.is_cut |= is_cut;
        let with_methods = |without: &[&str]| {
            let other = OtherMethods {
                without,
                also: &also,
            };
            self.binder().types_with_methods_of(interface, other)
        };
        let (before, is_cut) = with_methods(&new)?;
        found.is_cut |= is_cut;
        for type_ in before {
            let others: Vec<&str> = new
                .iter()
                .copied()
                .filter(|it| *it != one.symbol().name)
                .collect();
            if !now.contains(&type_) && !with_methods(&others)?.0.contains(&type_) {
                self.add_type(one, type_, false, found)?;
            }
        }
        Ok(())
    }

    /// Adds the `impl` blocks of a trait of Rust that lack a method.
    fn add_impl_blocks(
        &self,
        states: &BeforeAfter<'_>,
        one: &Requirement<'_>,
        home: FileId,
        found: &mut BrokenUses,
    ) -> Result<()> {
        let ids = self.read.symbol_ids(home)?;
        let Some(row) = ids.get(one.owner.0 as usize) else {
            return Ok(());
        };
        let mut files = BTreeSet::from([home]);
        files.extend(self.read.edges_into(*row)?.iter().map(|it| it.src_file));
        for file in files {
            let Some(path) = self.read.path_of(file)? else {
                continue;
            };
            let row = self.read.file(path.as_str())?;
            let text = row
                .as_ref()
                .and_then(|it| self.sources.read(&path, it.content));
            let language = row.as_ref().and_then(|it| syntax::by_id(&it.language));
            let (Some(text), Some(language)) = (text, language) else {
                found.is_cut = true;
                continue;
            };
            let meanings = states.now.of_file(file)?.references;
            let uses = syntax::occurrences_of(language, &text, &[], &self.budget);
            for (start, line, reference, _) in uses.ok_or_else(Error::cancelled)?.uses {
                let meaning = meanings.get(reference as usize).copied();
                let definition = meaning.and_then(Meaning::definition);
                if definition != Some((home, one.owner.0)) {
                    continue;
                }
                let Some(block) = impl_block(&text, start as usize) else {
                    continue;
                };
                let words: Vec<&str> = tokens(block).collect();
                let method = ["fn", &one.symbol().name];
                if words.windows(2).any(|it| *it == method) {
                    continue;
                }
                // What a macro writes is not known: `{ forward! { … } }`.
                let open = words.iter().position(|it| *it == "{");
                let may_be_written = open.is_some_and(|at| words.get(at + 2) == Some(&"!"));
                let at = text[..start as usize].rfind('\n').map_or(0, |it| it + 1);
                let entry = one.lacked_at((line, line_text_at(&text, at)), path.clone());
                found.add(entry, !may_be_written);
            }
        }
        Ok(())
    }

    fn add_type(
        &self,
        one: &Requirement<'_>,
        type_: DefinitionId,
        is_certain: bool,
        found: &mut BrokenUses,
    ) -> Result<()> {
        match self.declaration(type_)? {
            Some(it) => found.add(one.lacked_at(it.line(), it.path), is_certain),
            None => found.is_cut = true,
        }
        Ok(())
    }
}

/// Whether a compiler demands of a type that it has a member which a base requires: an abstract class of Java leaves it to others.
pub(super) fn is_demanded(family: Family, is_of_interface: bool, type_: &Subclass) -> bool {
    match (family, is_of_interface) {
        // An abstract class has to declare what it leaves to others.
        (Family::CSharp | Family::Ecmascript, true) => type_.by_interface && !type_.is_interface,
        (Family::CSharp, false) => type_.is_concrete && type_.by_abstract_class,
        (Family::Java, _) => type_.is_concrete && (type_.by_interface || type_.by_abstract_class),
        // A class between two others is abstract without a word.
        (Family::Python, _) => type_.is_concrete && !type_.subclass_has_member,
        _ => type_.is_concrete,
    }
}

/// Returns the `impl` block in whose head a trait is named at a byte, from that on: `Flag for Quiet { … }`.
fn impl_block(text: &str, start: usize) -> Option<&str> {
    let before = text.get(..start)?;
    let head = before
        .rfind(['{', '}', ';'])
        .map_or(before, |at| &before[at + 1..]);
    let is_impl = tokens(head).any(|word| word == "impl");
    let rest = text.get(start..)?;
    let open = rest.find('{')?;
    let mut words = tokens(&rest[..open]);
    if !is_impl || !words.any(|word| word == "for") {
        return None;
    }
    let behind = behind_brackets(&rest[open..], Family::Rust)?;
    rest.get(..rest.len() - behind.len())
}
