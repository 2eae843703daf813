//! The places of one file that mean nothing after a change: names of its import and export lists, references, and uses of
//! definitions that the file itself had.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::Uses;
use super::before_after::{
    BeforeAfter, BoundFile, BrokenPlace, Loss, LossesByFile, LostReference, is_bare, is_unbound,
    names_within, start_of_line,
};
use super::broken_use::{accessor_names, attribute_name, last_name};
use super::changed_file::{ChangedFile, FileSide};
use super::difference::SymbolChange;
use super::extension_methods::MemberUses;
use super::inherited_members::Receivers;
use super::modifiers::is_typescript;
use super::removed_modules::{has_to_lead, loss_of};
use super::unbound_uses::has_implicit_receiver;
use super::undeclared_modules::is_declaration;
use crate::error::{Error, Result};
use crate::graph::changes::ChangeKind;
use crate::ir::{ExportKind, Expr, ExprId, FileFacts, ImportKind, Reference, Target};
use crate::link::name_binder::{DefinitionId, FileMeanings, Meaning};
use crate::model::{Family, FileId, ModuleId, Provenance, Symbol, SymbolFlags, SymbolKind};
use crate::store::ImportTarget;
use crate::syntax::{self, Occurrence, OccurrenceRole, Occurrences, UseKind};

/// The definitions of a changed file that are gone from it, by name and change: uses in the file itself have no import that
/// could bind them.
type OwnNames = HashMap<(String, usize), UsesOfGone>;

/// The places of a file that may use a definition that is gone from it.
struct UsesOfGone {
    named: NamedAlone,
    /// References that name it as a member.
    members: HashSet<u32>,
    /// Whether another definition may be meant by those, of an external type.
    may_be_external: bool,
}

/// Where a name alone, without a receiver, may use a definition.
enum NamedAlone {
    Anywhere,
    /// Anywhere below a glob of Rust that takes it, `use Token::*`: its name is looked for in several places then.
    BehindGlob,
    /// In these bytes: of a function inside another one.
    Within(Vec<std::ops::Range<u32>>),
    Nowhere,
}

impl UsesOfGone {
    fn by_name(named: NamedAlone) -> Self {
        Self {
            named,
            members: HashSet::new(),
            may_be_external: false,
        }
    }

    fn has_place(&self, start: u32) -> bool {
        match &self.named {
            NamedAlone::Anywhere | NamedAlone::BehindGlob => true,
            NamedAlone::Within(all) => all.iter().any(|it| it.contains(&start)),
            NamedAlone::Nowhere => false,
        }
    }

    /// Adds the uses of an extension method of C# on values of external types; `at` is the place of the file in the difference.
    fn add_extension(
        &mut self,
        states: &BeforeAfter<'_>,
        bound: &BoundFile<'_>,
        known: &mut Option<MemberUses>,
        (at, change, symbol): (usize, &SymbolChange, &Symbol),
    ) -> Result<()> {
        if !symbol.flags.contains(SymbolFlags::EXTENSION) {
            return Ok(());
        }
        let uses = match known {
            Some(uses) => uses,
            none => none.insert(MemberUses::of(states, bound, at)?),
        };
        let (found, is_proved) = uses.of_gone_extension(states, bound, (change, symbol));
        self.may_be_external = self.members.is_empty() && !is_proved;
        self.members.extend(found);
        Ok(())
    }

    fn has_member(&self, reference: u32) -> bool {
        self.members.contains(&reference)
    }
}

/// A name of an import or export list that means nothing now.
struct DanglingName {
    loss: Loss,
    module_line: Option<u32>,
    from: Option<(ModuleId, String)>,
}

/// The names that import and export lists of one file lost, and the definitions that they no longer import.
#[derive(Default)]
struct LostLists {
    /// By their words, to be found in the text.
    by_word: BTreeMap<String, HashMap<OccurrenceRole, DanglingName>>,
    /// Definitions that are as they were, and that no import gets any more.
    not_exported: HashMap<DefinitionId, Loss>,
}

impl LostLists {
    fn add(&mut self, word: &str, role: OccurrenceRole, name: DanglingName) {
        let of_word = self.by_word.entry(word.to_owned()).or_default();
        of_word.insert(role, name);
    }
}

impl Uses<'_> {
    /// Adds the broken places of one file to `losses`; `earlier_id` is its id among the earlier files.
    pub(super) fn collect_losses(
        &self,
        states: &BeforeAfter<'_>,
        bound: &BoundFile<'_>,
        earlier_id: FileId,
        losses: &mut LossesByFile,
    ) -> Result<()> {
        let mut lists = LostLists::default();
        self.lost_imports(states, bound, earlier_id, &mut lists, losses)?;
        lost_exports(states, bound, &mut lists, losses);
        let mut references = self.lost_references(states, bound, earlier_id, &lists)?;
        self.add_lost_by_part(states, bound, &mut references)?;
        let mut own = own_gone(states, bound)?;
        let lost_names = bound.lost_names.iter();
        own.extend(lost_names.map(|(name, change)| {
            (
                (name.clone(), *change),
                UsesOfGone::by_name(NamedAlone::Anywhere),
            )
        }));
        if references.is_empty() && lists.by_word.is_empty() && own.is_empty() {
            return Ok(());
        }
        let mut words: BTreeSet<&str> = lists.by_word.keys().map(String::as_str).collect();
        words.extend(own.keys().map(|(word, _)| word.as_str()));
        let words: Vec<&str> = words.into_iter().collect();
        let found = syntax::occurrences_of(bound.language, bound.text, &words, &self.budget);
        let found = found.ok_or_else(Error::cancelled)?;
        self.add_references(states, bound, (&references, &found), losses)?;
        add_listed(bound, &lists, (&words, &found), losses);
        add_own(states, bound, &own, (&words, &found), losses);
        Ok(())
    }

    /// Adds the names that an import took before and does not now, and the imports of modules that are gone.
    fn lost_imports(
        &self,
        states: &BeforeAfter<'_>,
        bound: &BoundFile<'_>,
        earlier_id: FileId,
        lists: &mut LostLists,
        losses: &mut LossesByFile,
    ) -> Result<()> {
        let targets_before = states.targets_before.get(&earlier_id);
        for (at, import) in bound.facts.imports.iter().enumerate() {
            let target_now = bound.targets.get(at).copied().flatten();
            let target_before = match targets_before {
                Some(targets) => targets.get(at).copied(),
                None => target_now,
            };
            let is_missing = matches!(target_before, Some(ImportTarget::File(_)))
                && target_now == Some(ImportTarget::Missing)
                && has_to_lead(import.kind);
            let targets = (target_before, target_now);
            if states.add_lost_submodule(bound, at, targets, losses) {
                continue;
            }
            let module_line = is_missing.then_some(import.line);
            let module_gone = states.module_gone(bound, at);
            let mut has_lost = false;
            for (n, name) in import.names.iter().enumerate() {
                let meanings = self.imported_meanings(bound, (at, n), module_gone)?;
                let is_taken_away = matches!(
                    target_now,
                    Some(ImportTarget::File(it)) if states.no_longer_exports(it, &name.imported)
                );
                let is_provable = is_missing || module_gone == Some(true) || is_taken_away;
                let undeclared = &states.undeclared;
                let loss = undeclared
                    .loss_of_import(bound, (import, target_now), meanings.map(|it| it.1))
                    .or_else(|| meanings.and_then(|it| undeclared.loss_of(bound, it)))
                    .filter(|_| !is_declaration(&import.specifier))
                    .or_else(|| meanings.and_then(|it| loss_of(states, it, is_provable)))
                    .or_else(|| states.loss_to_outside(target_now, &name.imported, meanings?));
                let loss = loss.and_then(|it| it.with_module(module_gone));
                // Of `import static a.Store.open;` without `Store` the name of the class is broken.
                let is_of_class = import.kind == ImportKind::StaticMember;
                let is_told = |it: &Loss| is_of_class && matches!(it, Loss::Definition(_));
                let Some(mut loss) = loss.filter(|it| !is_told(it)) else {
                    continue;
                };
                // `export * from './gone'` lists no name.
                let is_star =
                    import.kind == ImportKind::ReExport && matches!(name.local.as_str(), "" | "*");
                let is_of_package = module_gone == Some(true) && name.imported == "*";
                has_lost |= !is_star && !is_of_package;
                if is_star && is_missing {
                    losses.exports.insert((bound.id.into(), "*".to_owned()));
                }
                if let Loss::Definition(definition) = loss {
                    // Of a file that passed the definition on and is gone, that file is missed.
                    if let Some(ImportTarget::File(passing)) = target_before
                        && is_missing
                        && passing != definition.0
                    {
                        loss = Loss::Module(passing.into());
                    }
                    lists.not_exported.insert(definition, loss.clone());
                }
                let is_reexport = import.kind == ImportKind::ReExport;
                // In Python what a module imports it passes on.
                let is_passed_on = bound.facts.family == Family::Python
                    || is_reexport && matches!(loss, Loss::Undeclared(_));
                losses.pass_on(bound, &name.local, is_passed_on);
                // `pub use` is an import to its own file.
                if is_star || is_reexport && bound.facts.family != Family::Rust {
                    continue;
                }
                let from = match target_now {
                    Some(ImportTarget::File(target)) => {
                        Some((target.into(), name.imported.clone()))
                    }
                    _ => None,
                };
                let role = OccurrenceRole::Import {
                    import: u32::try_from(at).unwrap_or(u32::MAX),
                    name: u32::try_from(n).unwrap_or(u32::MAX),
                };
                let listed = DanglingName {
                    loss,
                    module_line,
                    from,
                };
                let word = match import.kind {
                    // What is imported of the module is the class.
                    ImportKind::StaticMember => &name.local,
                    _ => listed_word(&name.imported, &name.local, &listed.loss),
                };
                lists.add(word, role, listed);
            }
            let module = match target_before {
                Some(ImportTarget::File(target)) if is_missing => Some(target),
                // `import shop.db.*;`
                _ if module_gone == Some(true) => states.file_of_package(&import.specifier),
                _ => None,
            };
            if let (false, Some(module)) = (has_lost, module) {
                let start = start_of_line(bound.text, import.line);
                let found = BrokenPlace {
                    module_line,
                    ..BrokenPlace::at(start, import.line)
                };
                losses.add(bound.path, &Loss::Module(module.into()), found);
            }
        }
        Ok(())
    }

    /// Returns the meaning of the `n`-th name of an import before and now.
    fn imported_meanings(
        &self,
        bound: &BoundFile<'_>,
        (import, n): (usize, usize),
        module_gone: Option<bool>,
    ) -> Result<Option<(Meaning, Meaning)>> {
        let meaning = |meanings: &FileMeanings| meanings.imports.get(import)?.get(n).copied();
        let (Some(before), Some(mut now)) = (meaning(&bound.before), meaning(&bound.now)) else {
            return Ok(None);
        };
        if now == Meaning::External && module_gone.is_some() {
            now = Meaning::Unbound;
        }
        let name = &*bound.facts.imports[import].names[n].imported;
        if let (Meaning::Definition(..), Meaning::Module(module), "default") = (before, now, name)
            && self.is_typed(module.file())?
        {
            // The module itself stands in for its default in CommonJS alone.
            now = Meaning::Dangling(module);
        }
        Ok(Some((before, now)))
    }

    /// Returns the references that meant a definition which is gone or no longer exported, by their index.
    fn lost_references(
        &self,
        states: &BeforeAfter<'_>,
        bound: &BoundFile<'_>,
        earlier_id: FileId,
        lists: &LostLists,
    ) -> Result<HashMap<u32, LostReference>> {
        let facts = bound.facts;
        let mut references = HashMap::new();
        let mut receivers = Receivers::default();
        let is_typed = self.is_typed(bound.id)?;
        let mut homes: HashMap<usize, Vec<DefinitionId>> = HashMap::new();
        let meanings = bound.before.references.iter().zip(&bound.now.references);
        for (n, (before, now)) in meanings.enumerate() {
            let undeclared = states.undeclared.loss_of(bound, (*before, *now));
            let is_lost = undeclared.is_some()
                || is_unbound(*now)
                || matches!(now, Meaning::Inherited | Meaning::Text)
                || states.is_only_external(bound, n);
            let Meaning::Definition(definition, provenance) = before else {
                continue;
            };
            let mut is_lost = is_lost;
            if let Some(change) = states.gone.get(definition)
                && is_typed
                && now.definition().is_some()
            {
                if let Entry::Vacant(entry) = homes.entry(*change) {
                    entry.insert(states.class_of_member(*change)?);
                }
                let name = facts.name(&facts.references[n]);
                is_lost = states.lack_member(&homes[change], name);
            }
            let with_module = states.lost_with_module(bound, *definition, *now);
            let is_outside = states.is_member_outside(bound, n, *definition);
            if !is_lost && with_module.is_none() && !is_outside {
                continue;
            }
            let mut may_be_external = !is_lost && with_module != Some(true);
            if may_be_external && is_outside {
                let used = (n, *definition);
                may_be_external = !receivers.lack_extension(states, bound, earlier_id, used)?;
            }
            let not_exported = lists.not_exported.get(definition);
            let gone = states.change_of_gone(*definition);
            let loss = match (gone, not_exported, undeclared) {
                (Some(change), ..) if may_be_external => Loss::Inherited(change),
                (Some(change), ..) => states.lost_change(change, *now),
                (None, Some(loss), _) => loss.clone(),
                (None, None, Some(loss)) => loss,
                _ if states.is_taken_from_module(bound, n) => Loss::Definition(*definition),
                _ => {
                    let used = (n, *definition);
                    match self.gone_base(states, bound, earlier_id, used, &mut receivers)? {
                        Some(change) => Loss::Change(change),
                        None => continue,
                    }
                }
            };
            let module = states.now.module_of_receiver(bound.id, n);
            let name = facts.name(&facts.references[n]);
            let used = LostReference {
                loss,
                provenance: *provenance,
                from: module.map(|module| (module, name.to_owned())),
                is_of_union: false,
            };
            references.insert(u32::try_from(n).unwrap_or(u32::MAX), used);
        }
        Ok(references)
    }

    fn add_references(
        &self,
        states: &BeforeAfter<'_>,
        bound: &BoundFile<'_>,
        (references, found): (&HashMap<u32, LostReference>, &Occurrences),
        losses: &mut LossesByFile,
    ) -> Result<()> {
        for (start, line, reference, kind) in &found.uses {
            let Some(used) = references.get(reference) else {
                continue;
            };
            // Of `const { open } = store` the pattern alone is broken, not `open()` behind it, and of `open = self.open` in Python the member.
            let is_member = used.provenance == Provenance::Member;
            let is_typed_member = is_member && bound.facts.family == Family::Ecmascript;
            let is_name_alone = is_member && is_name_of_python(bound, *start);
            let is_of_local = is_typed_member || is_name_alone;
            if is_local(bound, *reference)
                && (is_of_local || is_other_name(states, bound, &used.loss, *start))
            {
                continue;
            }
            let loss = match used.loss {
                Loss::Change(change)
                    if used.is_of_union
                        && self.may_be_narrowed(states, bound, *reference, *start)? =>
                {
                    &Loss::Uncertain(change)
                }
                Loss::Change(change)
                    if is_typed_member && is_key_of_cast(bound.text, *start as usize) =>
                {
                    &Loss::Uncertain(change)
                }
                _ => &used.loss,
            };
            let found = BrokenPlace {
                kind: Some(*kind),
                provenance: used.provenance,
                from: used.from.clone(),
                ..BrokenPlace::at(*start, *line)
            };
            losses.add(bound.path, loss, found);
        }
        Ok(())
    }

    /// Whether a file is of TypeScript, whose modules export by statements alone.
    pub(super) fn is_typed(&self, file: FileId) -> Result<bool> {
        let path = self.read.path_of(file)?;
        Ok(path.is_some_and(|path| is_typescript(&path)))
    }
}

/// Whether a reference is the name of a local value, which stands for what it was given.
fn is_local(bound: &BoundFile<'_>, reference: u32) -> bool {
    let of_reference = bound.facts.references.get(reference as usize);
    of_reference.is_some_and(|it| matches!(it.target, Target::Value(_)))
}

/// Whether the word at a byte is a name of Python alone, not one behind a dot.
fn is_name_of_python(bound: &BoundFile<'_>, start: u32) -> bool {
    bound.facts.family == Family::Python && !bound.text[..start as usize].trim_end().ends_with('.')
}

/// Whether the name at a byte is a local one for the definition that a loss is of: the `s` of `s.open()` behind `s = flask.session`, which
/// is broken there alone.
fn is_other_name(states: &BeforeAfter<'_>, bound: &BoundFile<'_>, loss: &Loss, start: u32) -> bool {
    let (Loss::Change(change) | Loss::Inherited(change)) = loss else {
        return false;
    };
    let Some((home, gone)) = states.difference.old(&states.difference.changes[*change]) else {
        return false;
    };
    let rest = bound.text.get(start as usize..).unwrap_or_default();
    let end = rest.find(|it: char| !it.is_alphanumeric() && it != '_' && it != '$');
    let word = &rest[..end.unwrap_or(rest.len())];
    let mut imported = bound.facts.imports.iter().flat_map(|it| &it.names);
    let own_name = last_name(&gone.name);
    !word.is_empty()
        && word != own_name
        && attribute_name(&home.path, own_name) != Some(word)
        && !accessor_names(&home.path, gone.kind, own_name).contains(&word.to_owned())
        && !names_within(&home.old.facts, &states.difference.changes[*change])
            .contains(&word.to_owned())
        && !imported.any(|it| it.local == word)
}

/// Adds the names that an export list took from another module before and does not now.
fn lost_exports(
    states: &BeforeAfter<'_>,
    bound: &BoundFile<'_>,
    lists: &mut LostLists,
    losses: &mut LossesByFile,
) {
    for (at, export) in bound.facts.exports.iter().enumerate() {
        let meaning = |meanings: &FileMeanings| meanings.exports.get(at).copied();
        let (Some(before), Some(now)) = (meaning(&bound.before), meaning(&bound.now)) else {
            continue;
        };
        let is_declared = is_declaration(&export.specifier);
        if export.specifier.is_empty() || export.kind == ExportKind::Star || is_declared {
            continue;
        }
        let mut targets = targets_of(bound, &export.specifier);
        let is_missing = targets.any(|target| target == Some(ImportTarget::Missing));
        let Some(loss) = loss_of(states, (before, now), is_missing) else {
            continue;
        };
        losses
            .exports
            .insert((bound.id.into(), export.name.clone()));
        let from = target_of(bound, &export.specifier);
        let role = OccurrenceRole::Export {
            export: u32::try_from(at).unwrap_or(u32::MAX),
        };
        let listed = DanglingName {
            loss,
            module_line: None,
            from: from.map(|target| (target.into(), export.local.clone())),
        };
        let word = listed_word(&export.local, &export.name, &listed.loss);
        lists.add(word, role, listed);
    }
}

/// Returns the word by which a list that takes `taken` of a module names it: `name` where that is no word of the module, the last one of a type
/// in a type that is gone itself, `Mode` of `Conf.Mode`; of another one the type around is missed.
fn listed_word<'n>(taken: &'n str, name: &'n str, loss: &Loss) -> &'n str {
    match taken {
        "" | "default" | "*" => name,
        word if matches!(loss, Loss::Change(_)) => last_name(word),
        word => word,
    }
}

/// Adds the places of the names of import and export lists.
fn add_listed(
    bound: &BoundFile<'_>,
    lists: &LostLists,
    (words, found): (&[&str], &Occurrences),
    losses: &mut LossesByFile,
) {
    for place in &found.places {
        let roles = lists.by_word.get(words[place.word]);
        if let Some(listed) = roles.and_then(|roles| roles.get(&place.role)) {
            let found = BrokenPlace {
                module_line: listed.module_line,
                from: listed.from.clone(),
                ..BrokenPlace::at(place.start_byte, place.line)
            };
            losses.add(bound.path, &listed.loss, found);
        }
    }
}

fn own_gone(states: &BeforeAfter<'_>, bound: &BoundFile<'_>) -> Result<OwnNames> {
    let mut own = HashMap::new();
    let Some(at) = bound.changed else {
        return Ok(own);
    };
    let file = &states.difference.files[at];
    let is_typed = is_typescript(bound.path);
    let mut receivers = None;
    let mut named_alone = None;
    let mut member_uses = None;
    let mut heirs_of: HashMap<&str, BTreeSet<String>> = HashMap::new();
    for (change_at, change) in states.difference.changes.iter().enumerate() {
        let is_own = change.old.as_ref().is_some_and(|place| place.file == at);
        if !is_own || !change.is_gone() || change.kind == ChangeKind::Unexported {
            continue;
        }
        let Some((_, symbol)) = states.difference.old(change) else {
            continue;
        };
        let name = last_name(&symbol.name).to_owned();
        if symbol.kind == SymbolKind::Namespace {
            own.extend(own_through_namespace(states, bound, (change_at, &name)));
        }
        if let Some(short) = attribute_name(bound.path, &name) {
            let uses = UsesOfGone::by_name(NamedAlone::Anywhere);
            own.insert((short.to_owned(), change_at), uses);
        }
        let Some((owner, _)) = symbol.qualified_name.rsplit_once('.') else {
            own.insert((name, change_at), UsesOfGone::by_name(NamedAlone::Anywhere));
            continue;
        };
        if let Some(bodies) = bodies_around(file, symbol) {
            own.insert(
                (name, change_at),
                UsesOfGone::by_name(NamedAlone::Within(bodies)),
            );
            continue;
        }
        if receivers.is_none() {
            receivers = Some(states.now.classes_of_receivers(bound.id)?);
        }
        let home = states.class_of_member(change_at)?;
        let owners = match heirs_of.entry(owner) {
            Entry::Occupied(known) => &*known.into_mut(),
            Entry::Vacant(entry) => {
                let mut owners = states.class_and_heirs(bound, owner)?;
                if symbol.flags.contains(SymbolFlags::IN_SCOPE_AROUND)
                    && let Some((around, _)) = owner.rsplit_once('.')
                {
                    owners.extend(states.class_and_heirs(bound, around)?);
                }
                entry.insert(owners)
            }
        };
        let lacks_member = is_typed && states.lack_member(&home, &name);
        let is_lost = |n: usize, meaning: Meaning| {
            is_unbound(meaning)
                || meaning == Meaning::Inherited
                || states.is_only_external(bound, n)
                || lacks_member && meaning.definition().is_some()
        };
        let all = receivers.iter().flatten().enumerate();
        let fits = all.filter(|(n, classes)| {
            let is_of_owner = classes.iter().any(|it| owners.contains(it));
            let facts = &file.new.facts;
            let used = facts.references.get(*n);
            let is_constant = symbol.kind == SymbolKind::EnumMember;
            let is_meant = |used: &Reference| {
                facts.name(used) == name
                    && (is_of_owner
                        || is_bare_within(facts, used, owners)
                        || is_constant && is_label(facts, used))
            };
            used.is_some_and(is_meant)
                && bound
                    .now
                    .references
                    .get(*n)
                    .is_some_and(|it| is_lost(*n, *it))
        });
        let mut uses = UsesOfGone::by_name(NamedAlone::Nowhere);
        uses.members = fits.filter_map(|(n, _)| u32::try_from(n).ok()).collect();
        uses.add_extension(states, bound, &mut member_uses, (at, change, symbol))?;
        let is_seen = may_be_named_alone(file, symbol);
        if is_seen && named_alone.is_none() {
            named_alone = Some(states.named_alone_before(at)?);
        }
        let was_named = |it: &HashSet<DefinitionId>| states.is_among(it, change);
        let is_named = is_seen && named_alone.as_ref().is_some_and(was_named);
        uses.named = if is_named || is_option_of_component(file, symbol) {
            NamedAlone::Anywhere
        } else if takes_all_of(&file.new, owner) {
            NamedAlone::BehindGlob
        } else {
            NamedAlone::Nowhere
        };
        if !uses.members.is_empty() || !matches!(uses.named, NamedAlone::Nowhere) {
            own.insert((name, change_at), uses);
        }
    }
    Ok(own)
}

/// Returns the uses in a file of what it had in a namespace that is gone, of the given change and name: `inner::area()` without `mod inner`.
fn own_through_namespace(
    states: &BeforeAfter<'_>,
    bound: &BoundFile<'_>,
    (change_at, namespace): (usize, &str),
) -> OwnNames {
    let mut own = OwnNames::new();
    let change = &states.difference.changes[change_at];
    let Some((file, _)) = states.difference.old(change) else {
        return own;
    };
    let names: HashSet<String> = names_within(&file.old.facts, change).into_iter().collect();
    let facts = bound.facts;
    for (n, used) in facts.references.iter().enumerate() {
        let is_lost = || {
            let now = bound.now.references.get(n);
            now.is_some_and(|it| is_unbound(*it)) || states.is_only_external(bound, n)
        };
        let name = facts.name(used);
        let (Target::Value(value)
        | Target::Member {
            receiver: value, ..
        }) = used.target
        else {
            continue;
        };
        if names.contains(name) && is_named_through(facts, value, namespace) && is_lost() {
            let by_name = || UsesOfGone::by_name(NamedAlone::Nowhere);
            let uses = own.entry((name.to_owned(), change_at));
            let members = &mut uses.or_insert_with(by_name).members;
            members.extend(u32::try_from(n));
        }
    }
    own
}

/// Whether an expression names something in a namespace of the given name: `inner::deep::depth` in `inner`.
fn is_named_through(facts: &FileFacts, mut value: ExprId, namespace: &str) -> bool {
    loop {
        let expr = facts.exprs.get(value);
        if let Expr::Imported { import, .. } = expr {
            let import = facts.imports.get(*import as usize);
            return import.is_some_and(|it| it.specifier.split("::").any(|part| part == namespace));
        }
        if expr
            .name()
            .is_some_and(|it| facts.exprs.name_of(it).trim_end_matches("::") == namespace)
        {
            return true;
        }
        value = match expr {
            Expr::Member { object: inner, .. }
            | Expr::Call { callee: inner, .. }
            | Expr::Callee { call: inner }
            | Expr::Construct { class: inner }
            | Expr::Specialized { base: inner, .. } => *inner,
            _ => return false,
        };
    }
}

/// Whether a file of Rust may take all variants of one of its enums by their names alone: `use Token::*;`, which is no import among
/// its facts.
fn takes_all_of(file: &FileSide, owner: &str) -> bool {
    let enum_name = owner.rsplit('.').next().unwrap_or(owner);
    file.facts.family == Family::Rust && file.text.contains(&format!("{enum_name}::*"))
}

/// Whether a definition could be named alone although its qualified name has names around it: those of namespaces and modules,
/// `leveldb.Handle`, or of an enum whose members are seen in the scope around it, `Tag.kLogNumber` of C.
fn may_be_named_alone(file: &ChangedFile, symbol: &Symbol) -> bool {
    let mut inner = symbol;
    while let Some(at) = inner.parent {
        let around = &file.old.facts.symbols[at as usize];
        let is_scope = matches!(around.kind, SymbolKind::Namespace | SymbolKind::Module);
        if !is_scope && !inner.flags.contains(SymbolFlags::IN_SCOPE_AROUND) {
            return false;
        }
        inner = around;
    }
    // A member that is defined outside of its class has no symbol around it: `int Store::open() {}`.
    !matches!(
        inner.kind,
        SymbolKind::Method | SymbolKind::Constructor | SymbolKind::Property | SymbolKind::Field
    )
}

/// Whether a definition is an option of a component, which its template names alone: `load` of `export default { methods: { load() {} } }`
/// in Vue.
fn is_option_of_component(file: &ChangedFile, symbol: &Symbol) -> bool {
    file.path.extension() == Some("vue") && symbol.qualified_name.starts_with("default.")
}

/// Whether a component of Vue may have members that its options do not list: `...mapActions(['load'])`, `mixins: [loader]`.
fn has_open_options(text: &str) -> bool {
    let sources = ["...", "mixins", "extends", "setup", "inject"];
    sources.iter().any(|it| text.contains(it))
}

/// Returns the bodies of the functions around one that was inside a function, in the new state; `None` of what is no part of a
/// function: its name is seen in that alone.
fn bodies_around(file: &ChangedFile, symbol: &Symbol) -> Option<Vec<std::ops::Range<u32>>> {
    let around = &file.old.facts.symbols[symbol.parent? as usize];
    let is_same = |it: &&Symbol| it.qualified_name == around.qualified_name;
    around.kind.is_function().then(|| {
        let all = file.new.facts.symbols.iter().filter(is_same);
        all.map(|it| it.span.start_byte..it.span.end_byte).collect()
    })
}

/// Returns the file that a module as written leads to.
fn target_of(bound: &BoundFile<'_>, specifier: &str) -> Option<FileId> {
    match targets_of(bound, specifier).next()? {
        Some(ImportTarget::File(target)) => Some(target),
        _ => None,
    }
}

/// Returns where the imports of a module as written lead.
fn targets_of(
    bound: &BoundFile<'_>,
    specifier: &str,
) -> impl Iterator<Item = Option<ImportTarget>> {
    let imports = bound.facts.imports.iter().zip(&bound.targets);
    let of_it = imports.filter(move |(import, _)| import.specifier == specifier);
    of_it.map(|(_, target)| *target)
}

/// Adds the places of names in their own file, where no scope binds it any more.
fn add_own(
    states: &BeforeAfter<'_>,
    bound: &BoundFile<'_>,
    own: &OwnNames,
    (words, found): (&[&str], &Occurrences),
    losses: &mut LossesByFile,
) {
    for ((name, change), uses) in own {
        let of_name = |place: &&Occurrence| words[place.word] == name;
        for place in found.places.iter().filter(of_name) {
            let mut it = Loss::Change(*change);
            let is_here = uses.has_place(place.start_byte);
            let (kind, provenance) = match place.role {
                OccurrenceRole::Use { reference, .. }
                    if uses.has_member(reference)
                        && is_local(bound, reference)
                        && is_name_of_python(bound, place.start_byte) =>
                {
                    continue;
                }
                OccurrenceRole::Use { reference, kind } if uses.has_member(reference) => {
                    let now = bound.now.references[reference as usize];
                    it = match states.lost_change(*change, now) {
                        Loss::Change(change) if uses.may_be_external => Loss::Uncertain(change),
                        loss => loss,
                    };
                    (Some(kind), Provenance::Member)
                }
                OccurrenceRole::Global(kind) | OccurrenceRole::Unbound(kind) if is_here => {
                    (Some(kind), Provenance::Resolved)
                }
                OccurrenceRole::Use { reference, kind } if is_here => {
                    let used = bound.facts.references.get(reference as usize);
                    let is_behind_glob = matches!(uses.named, NamedAlone::BehindGlob);
                    let is_bare = used.is_some_and(|it| {
                        let is_value = matches!(it.target, Target::Value(_));
                        // A template names members of the instance, which are known by its options alone.
                        let is_of_instance =
                            kind == UseKind::Template && it.target == Target::Unknown;
                        is_bare(bound.facts, it) || is_behind_glob && is_value || is_of_instance
                    });
                    let now = bound.now.references.get(reference as usize);
                    let is_lost = now.is_some_and(|it| is_unbound(*it))
                        || is_bare && states.is_only_external(bound, reference as usize);
                    let is_own = is_bare || states.is_in_own_module(bound, reference as usize);
                    if !is_own || !is_lost {
                        continue;
                    }
                    if used.is_some_and(|it| it.target == Target::Unknown)
                        && has_open_options(bound.text)
                    {
                        it = Loss::Uncertain(*change);
                    }
                    (Some(kind), Provenance::Resolved)
                }
                OccurrenceRole::Export { export } if is_here => {
                    let now = bound.now.exports.get(export as usize);
                    let listed = bound.facts.exports.get(export as usize);
                    let is_local = listed.is_some_and(|it| it.specifier.is_empty());
                    if !is_local || !now.is_some_and(|it| is_unbound(*it)) {
                        continue;
                    }
                    (None, Provenance::Resolved)
                }
                _ => continue,
            };
            let found = BrokenPlace {
                kind,
                provenance,
                ..BrokenPlace::at(place.start_byte, place.line)
            };
            losses.add(bound.path, &it, found);
        }
    }
}

/// Whether a use is a name alone in the body of a type, or of a member that C++ defines outside of it, which finds the type's members there
/// in languages with an implicit receiver.
fn is_bare_within(facts: &FileFacts, used: &Reference, owners: &BTreeSet<String>) -> bool {
    let mut around = used.symbol;
    while let Some(symbol) = around.and_then(|at| facts.symbols.get(at as usize)) {
        let owner = symbol.qualified_name.rsplit_once('.');
        if owners.contains(&symbol.qualified_name)
            || symbol.parent.is_none() && owner.is_some_and(|(owner, _)| owners.contains(owner))
        {
            return has_implicit_receiver(Some(facts.family)) && is_bare(facts, used);
        }
        around = symbol.parent;
    }
    false
}

/// Whether a use is a label of a `switch` of Java, which names a constant of the enum without that: `case OPEN:`.
fn is_label(facts: &FileFacts, used: &Reference) -> bool {
    let Target::Value(value) = used.target else {
        return false;
    };
    facts.family == Family::Java && matches!(facts.exprs.get(value), Expr::Union(_))
}

/// Whether the key at a byte is one of an object literal that is cast to a type, which may have more keys than that: `{ size: 1 } as Box`.
fn is_key_of_cast(text: &str, start: usize) -> bool {
    let before = text[..start].trim_end();
    if !before.ends_with(['{', ',']) {
        return false;
    }
    let mut depth = 0_usize;
    for (at, c) in text[start..].char_indices() {
        match c {
            '{' | '(' | '[' => depth += 1,
            '}' if depth == 0 => {
                return text[start + at + 1..].trim_start().starts_with("as ");
            }
            ')' | ']' | ';' if depth == 0 => return false,
            '}' | ')' | ']' => depth -= 1,
            _ => {}
        }
    }
    false
}
