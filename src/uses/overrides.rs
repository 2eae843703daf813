//! Methods that override or implement one that a change removed or renamed: `override run()` of a class whose base has no
//! `run` any more, `open()` of a class that lacks the method its interface has in its place.

use super::Uses;
use super::before_after::BeforeAfter;
use super::broken_use::{BrokenReason, BrokenUse, BrokenUses, ChangedMember};
use super::changed_file::place_of;
use super::difference::SymbolChange;
use crate::error::{Error, Result};
use crate::graph::changes::ChangeKind;
use crate::ir::FileFacts;
use crate::model::{Family, RepoPath, Symbol, SymbolFlags, SymbolKind};

/// A method that is gone from a class which is still there.
struct LostBaseMember<'d> {
    /// Its change, an index into the difference.
    change: usize,
    home: &'d RepoPath,
    method: &'d Symbol,
    /// The class as it is, by its place among the symbols of its file.
    class: u32,
    /// Methods that the class requires of those built on it, and did not before.
    required: Vec<&'d str>,
}

impl Uses<'_> {
    /// Adds the methods that override or implement nothing now.
    pub(super) fn add_overrides(
        &self,
        states: &BeforeAfter<'_>,
        found: &mut BrokenUses,
    ) -> Result<()> {
        let changes = states.difference.changes.iter().enumerate();
        let gone: Vec<LostBaseMember<'_>> = changes
            .filter_map(|(at, change)| gone_member(states, at, change))
            .collect();
        for member in &gone {
            self.add_overrides_of(member, found)?;
        }
        Ok(())
    }

    fn add_overrides_of(&self, member: &LostBaseMember<'_>, found: &mut BrokenUses) -> Result<()> {
        if self.budget.is_cancelled() {
            return Err(Error::cancelled());
        }
        let Some(home) = self.read.file(member.home.as_str())? else {
            return Ok(());
        };
        let name = member.method.name.as_str();
        let class = (home.id, member.class);
        let binder = self.binder();
        let (methods, is_cut) = binder.methods_without_base(class, name, &member.required)?;
        found.is_cut |= is_cut;
        for method in methods {
            let Some(it) = self.declaration(method.method)? else {
                found.is_cut = true;
                continue;
            };
            let span = it.row.span;
            let lines = (it.row.name_line + 1).saturating_sub(span.start_line) as usize;
            let head = it
                .text
                .get(span.start_byte as usize..span.end_byte as usize);
            let head: Vec<&str> = head.unwrap_or_default().lines().take(lines).collect();
            if !method.is_refused && !method.lacks_required && !says_override(&head) {
                continue;
            }
            // That base may have it.
            let is_doubtful =
                method.has_external_base && !method.is_refused && !method.lacks_required;
            let entry = BrokenUse::of_implementation(
                ChangedMember {
                    change: member.change,
                    home: member.home,
                    name: &member.method.qualified_name,
                },
                it.path.clone(),
                it.line(),
                BrokenReason::Gone,
            );
            found.add(entry, !is_doubtful);
        }
        Ok(())
    }
}

/// Returns the member that a change took from its class; `None` where it is none, or a declaration of its name is left.
fn gone_member<'d>(
    states: &BeforeAfter<'d>,
    at: usize,
    change: &'d SymbolChange,
) -> Option<LostBaseMember<'d>> {
    let difference = states.difference;
    let is_taken = matches!(change.kind, ChangeKind::Removed | ChangeKind::Renamed);
    let (file, method) = difference.old(change).filter(|_| is_taken)?;
    let (old, new) = (&file.old.facts, &file.new.facts);
    let parent = method.parent.filter(|_| is_overridable(old, method.kind))?;
    let class = old.symbols.get(parent as usize)?;
    let now = place_of(&new.symbols, class)?;
    let has = |facts: &FileFacts, class: u32, name: &str| {
        let mut all = facts.symbols.iter();
        // A field of Java leaves room for a method of its name.
        let is_it = |it: &Symbol| facts.family != Family::Java || it.kind != SymbolKind::Field;
        all.any(|it| it.parent == Some(class) && it.name == name && is_it(it))
    };
    if has(new, now, &method.name) {
        return None;
    }
    let is_interface = class.kind == SymbolKind::Interface;
    // A method that nobody had to have leaves nothing to be had in its place.
    let was_required = is_interface || method.flags.contains(SymbolFlags::ABSTRACT);
    let members = new
        .symbols
        .iter()
        .filter(|it| was_required && it.parent == Some(now));
    let required = members.filter(|it| {
        let is_abstract = it.flags.contains(SymbolFlags::ABSTRACT);
        let is_optional = it.signature.contains(&format!("{}?", it.name));
        let has_body = it.signature.starts_with("default ");
        let is_required = is_abstract || is_interface && !is_optional && !has_body;
        is_overridable(new, it.kind) && is_required && !has(old, parent, &it.name)
    });
    Some(LostBaseMember {
        change: at,
        home: &file.path,
        method,
        class: now,
        required: required.map(|it| it.name.as_str()).collect(),
    })
}

/// Whether members of a kind override others: methods, in C# also properties and events.
fn is_overridable(facts: &FileFacts, kind: SymbolKind) -> bool {
    match kind {
        SymbolKind::Method => true,
        SymbolKind::Property => facts.family == Family::CSharp,
        _ => false,
    }
}

/// Whether the lines of a head say that the method overrides another one: `override`, `@Override`.
fn says_override(head: &[&str]) -> bool {
    let words = head
        .iter()
        .flat_map(|line| line.split(|c: char| !c.is_alphanumeric()));
    let mut words = words.take_while(|word| !word.contains('{'));
    words.any(|word| word.eq_ignore_ascii_case("override"))
}
