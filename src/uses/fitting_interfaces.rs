//! Interfaces that a type fits though nothing says that it implements them: `run(new FileLoader())` of TypeScript, where `run` takes a `Loader`;
//! protocols of Python.
//!
//! Where the object flows is not followed. A type fits that has all required members of an interface by name; types of members are not compared.

use std::collections::HashSet;

use super::Uses;
use super::implicit_callers::{BasesAsked, bases_of, is_private_member};
use crate::error::Result;
use crate::ir::FileFacts;
use crate::model::{Family, FileId, RepoPath, Symbol, SymbolFlags, SymbolId, SymbolKind};
use crate::store::{SymbolRow, token};
use crate::syntax;

/// Members of other types under one name that are looked at.
const MAX_NAMESAKES: usize = 200;

/// Types above one that are looked at.
const MAX_TYPES: usize = 32;

/// A type with those above it.
struct TypeWithBases {
    /// Their rows, where they have one.
    rows: HashSet<SymbolId>,
    /// The names of their members.
    members: HashSet<String>,
}

impl Uses<'_> {
    /// Returns the members of interfaces through which a member may be used, those alone that are used, by path: of interfaces that its type fits
    /// and is not declared to implement. Empty for a member of a language whose interfaces are implemented by name alone, or by method sets that
    /// edges follow. `home` is its file, by its row where the facts are those of the index.
    pub(super) fn fitting_interfaces(
        &self,
        facts: &FileFacts,
        member: &Symbol,
        home: (&RepoPath, Option<FileId>),
    ) -> Result<Vec<SymbolRow>> {
        let owner = member.parent.map(|at| (at, &facts.symbols[at as usize]));
        let Some((owner_at, owner)) = owner.filter(|_| is_structural(facts.family)) else {
            return Ok(Vec::new());
        };
        let is_value = matches!(owner.kind, SymbolKind::Constant | SymbolKind::Variable);
        let is_method = member.kind == SymbolKind::Method;
        let has_objects = is_value && is_method || owner.kind == SymbolKind::Class;
        let is_hidden = member.flags.contains(SymbolFlags::STATIC)
            || member.name.starts_with('#')
            || is_private_member(facts, member);
        if !has_objects || is_hidden {
            return Ok(Vec::new());
        }
        let namesakes = self.read.symbols_named(&token::normal_form(&member.name))?;
        let namesakes = namesakes.into_iter().filter(|it| {
            let is_own = it.path == *home.0 && it.qualified_name == member.qualified_name;
            it.name == member.name && it.parent.is_some() && !is_own
        });
        let mut own = None;
        let mut fitting = Vec::new();
        for namesake in namesakes.take(MAX_NAMESAKES) {
            let family = syntax::by_path(&namesake.path).family();
            if family != Some(facts.family) || self.read.edges_into(namesake.id)?.is_empty() {
                continue;
            }
            let Some(interface) = self.interface_of(&namesake, facts.family)? else {
                continue;
            };
            if own.is_none() {
                own = Some(self.with_bases(facts, owner_at, home)?);
            }
            let is_fit = own.as_ref().is_some_and(|own| {
                // Of the keys of a value those alone are definitions that hold functions.
                let required = interface.required.iter();
                let mut required = required.filter(|it| !is_value || it.1 == SymbolKind::Method);
                !own.rows.contains(&interface.row)
                    && required.all(|(name, _)| own.members.contains(name))
            });
            if is_fit {
                fitting.push(namesake);
            }
        }
        Ok(fitting)
    }

    /// Returns the interface that a member belongs to; `None` where it belongs to another kind of type.
    fn interface_of(&self, member: &SymbolRow, family: Family) -> Result<Option<Interface>> {
        let Some(file) = self.read.file(member.path.as_str())? else {
            return Ok(None);
        };
        let all = self.read.symbols_of(file.id)?;
        let at = member.parent;
        let Some(owner) = at.and_then(|at| all.get(at as usize)) else {
            return Ok(None);
        };
        let is_interface = match family {
            Family::Python => {
                let facts = self.read.facts_with_places(file.id)?;
                let bases = facts.map(|it| bases_of(&it, owner.ordinal, BasesAsked::Calling));
                bases.is_some_and(|it| it.iter().any(|base| base == "Protocol"))
            }
            _ => matches!(owner.kind, SymbolKind::Interface | SymbolKind::Type),
        };
        if !is_interface {
            return Ok(None);
        }
        let members = all.iter().filter(|it| it.parent == at);
        let required = members.filter(|it| !is_optional(it));
        Ok(Some(Interface {
            row: owner.id,
            required: required.map(|it| (it.name.clone(), it.kind)).collect(),
        }))
    }

    /// Returns the members of a type and of those above it that are defined here.
    fn with_bases(
        &self,
        facts: &FileFacts,
        owner: u32,
        home: (&RepoPath, Option<FileId>),
    ) -> Result<TypeWithBases> {
        let members = facts.symbols.iter().filter(|it| it.parent == Some(owner));
        let mut own = TypeWithBases {
            rows: HashSet::new(),
            members: members.map(|it| it.name.clone()).collect(),
        };
        let mut open = Vec::new();
        for base in bases_of(facts, owner, BasesAsked::Calling) {
            open.extend(self.types_meant(&base, facts, home)?);
        }
        while let Some(class) = open.pop() {
            if own.rows.len() > MAX_TYPES || !own.rows.insert(class.id) {
                continue;
            }
            let Some(file) = self.read.file(class.path.as_str())? else {
                continue;
            };
            let Some(facts) = self.read.facts_with_places(file.id)? else {
                continue;
            };
            if class.kind == SymbolKind::Class {
                let members = facts.symbols.iter();
                let members = members.filter(|it| it.parent == Some(class.ordinal));
                own.members.extend(members.map(|it| it.name.clone()));
            }
            for base in bases_of(&facts, class.ordinal, BasesAsked::Calling) {
                open.extend(self.types_meant(&base, &facts, (&class.path, Some(file.id)))?);
            }
        }
        Ok(own)
    }
}

/// An interface, by its row, and the members that it requires.
struct Interface {
    row: SymbolId,
    required: Vec<(String, SymbolKind)>,
}

/// Whether a type of a language implements an interface by having its members, in a way that no edge follows.
fn is_structural(family: Family) -> bool {
    matches!(family, Family::Ecmascript | Family::Python)
}

/// Whether an object may lack a member: `close?(): void`.
fn is_optional(member: &SymbolRow) -> bool {
    let behind = member.signature.split_once(&member.name);
    behind.is_some_and(|(_, rest)| rest.starts_with('?'))
}
