//! Names that a file used and no longer sees: behind an import that it lost, `open()` without `import { open } from './db'`, and, of a moved
//! file, those that its old package or namespace has, `Row`.
//!
//! Uses of definitions that are gone themselves are found by their change; see `dangling_names`.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::Uses;
use super::before_after::{BeforeAfter, BrokenPlace, Loss, LossesByFile, is_bare, is_unbound};
use super::broken_use::BrokenUses;
use super::changed_file::ChangedFile;
use super::hidden_after_move::is_of_other_package;
use crate::error::{Error, Result};
use crate::ir::{ExportKind, Expr, FileFacts, Import, Reference, Target};
use crate::link::name_binder::{DefinitionId, Meaning};
use crate::model::{Family, Provenance};
use crate::syntax::{self, OccurrenceRole, UseKind};

/// A name as a file writes it: alone, or as a member of another one, `db.Open`.
type WrittenName<'f> = (Option<&'f str>, &'f str);

impl Uses<'_> {
    /// Adds the uses of names that changed files got by an import which they lost, and that moved files got from their old package.
    pub(super) fn add_unseen_names(
        &self,
        states: &BeforeAfter<'_>,
        found: &mut BrokenUses,
    ) -> Result<()> {
        let files = &states.difference.files;
        let mut pairs = states.difference.files_of_moved();
        pairs.retain(|(from, to)| is_of_other_package(&files[*from], &files[*to]));
        for pair in &pairs {
            self.add_hidden_after_move(states, *pair, found)?;
        }
        let changed = (0..files.len()).filter(|it| lost_import(&files[*it]));
        pairs.extend(changed.map(|it| (it, it)));
        for pair in pairs {
            self.add_unseen_by(states, pair, found)?;
        }
        Ok(())
    }

    /// Adds the uses in a file, by its place in the new state, of names that it saw in the old state, where it had another place if it
    /// was moved.
    fn add_unseen_by(
        &self,
        states: &BeforeAfter<'_>,
        (from, to): (usize, usize),
        found: &mut BrokenUses,
    ) -> Result<()> {
        let file = &states.difference.files[to];
        let (old, new) = (&states.difference.files[from].old.facts, &file.new.facts);
        let own = states.overlay_ids[from].earlier;
        let is_moved = is_of_other_package(&states.difference.files[from], file);
        let mut known: HashMap<WrittenName<'_>, DefinitionId> = HashMap::new();
        let meanings = states.before.of_file(own)?.references;
        for (used, meaning) in old.references.iter().zip(meanings) {
            if let (Some(definition), Some(name)) = (meaning.definition(), written_name(old, used))
                && (name.0.is_none() || from == to)
                && (definition.0 != own
                    || is_moved && old.symbols[definition.1 as usize].parent.is_none())
                && !states.gone.contains_key(&definition)
                && !is_bound(new, name.0.unwrap_or(name.1))
            {
                known.insert(name, definition);
            }
        }
        let Some(row) = self
            .read
            .file(file.path.as_str())?
            .filter(|_| !known.is_empty())
        else {
            return Ok(());
        };
        let meanings = states.now.of_file(row.id)?.references;
        let lost = |reference: u32| {
            let used = new.references.get(reference as usize)?;
            let definition = known.get(&written_name(new, used)?)?;
            let meaning = *meanings.get(reference as usize)?;
            let is_lost = is_unbound(meaning) || is_of_unit(new) && meaning == Meaning::External;
            is_lost.then_some(*definition)
        };
        let words: BTreeSet<&str> = known
            .keys()
            .filter(|(receiver, _)| receiver.is_none())
            .map(|(_, name)| *name)
            .collect();
        let words: Vec<&str> = words.into_iter().collect();
        let mut references = 0..u32::try_from(new.references.len()).unwrap_or(u32::MAX);
        let stands = |word: &&str| syntax::starts(&file.new.text, word).next().is_some();
        // Most often the uses go with their import.
        if !references.any(|at| lost(at).is_some()) && !words.iter().any(stands) {
            return Ok(());
        }
        let language = syntax::by_path(&file.path);
        let read = syntax::occurrences_of(language, &file.new.text, &words, &self.budget);
        let read = read.ok_or_else(Error::cancelled)?;
        let mut places: BTreeMap<DefinitionId, BTreeMap<u32, (u32, UseKind)>> = BTreeMap::new();
        for (start, line, reference, kind) in read.uses {
            if let Some(definition) = lost(reference) {
                let of_definition = places.entry(definition).or_default();
                of_definition.insert(start, (line, kind));
            }
        }
        for place in &read.places {
            let word = words[place.word];
            let (OccurrenceRole::Global(kind) | OccurrenceRole::Unbound(kind)) = place.role else {
                continue;
            };
            if let Some(definition) = known.get(&(None, word))
                && states.now.auto_imported(row.id, word).is_none()
            {
                let of_definition = places.entry(*definition).or_default();
                of_definition.insert(place.start_byte, (place.line, kind));
            }
        }
        let is_brought = may_bring_names(old, new);
        let none = LossesByFile::default();
        for (definition, places) in places {
            let of_language =
                |it: &WrittenName<'_>| it.0.is_none() && is_of_language(it.1, new.family);
            let mut names = known.iter().filter(|it| *it.1 == definition);
            let is_proved = !is_brought && !names.any(|it| of_language(it.0));
            let places = places.into_iter().map(|(start, (line, kind))| BrokenPlace {
                kind: Some(kind),
                provenance: Provenance::Resolved,
                ..BrokenPlace::at(start, line)
            });
            let text = (&file.path, &*file.new.text);
            let loss = Loss::Definition(definition);
            let entries = self.entries(states, text, &loss, places.collect(), &none)?;
            found.list(is_proved).extend(entries);
        }
        Ok(())
    }
}

/// Whether a file sees the names of a package or namespace without an import of each.
fn is_of_unit(facts: &FileFacts) -> bool {
    matches!(facts.family, Family::Java | Family::CSharp | Family::Go)
}

/// Whether a file had an import that it has not any more: of a name, or of all that a module has.
fn lost_import(file: &ChangedFile) -> bool {
    if !file.old.is_there || !file.new.is_there {
        return false;
    }
    let brought = |facts: &FileFacts| -> BTreeSet<(String, String)> {
        facts.imports.iter().flat_map(names_brought).collect()
    };
    let now = brought(&file.new.facts);
    brought(&file.old.facts).iter().any(|it| !now.contains(it))
}

/// Returns the names that an import binds, each with its module; one without a name for all of a module.
fn names_brought(import: &Import) -> Vec<(String, String)> {
    let brought = |local: &str| (import.specifier.clone(), local.to_owned());
    if import.names.is_empty() {
        return vec![brought("")];
    }
    import.names.iter().map(|it| brought(&it.local)).collect()
}

/// Returns the name that a reference writes; `None` for a member of anything but a name.
fn written_name<'f>(facts: &'f FileFacts, used: &Reference) -> Option<WrittenName<'f>> {
    if is_bare(facts, used) {
        return Some((None, facts.name(used)));
    }
    let Target::Member { receiver, .. } = used.target else {
        return None;
    };
    match facts.exprs.get(receiver) {
        Expr::Name { name, .. } => Some((Some(facts.exprs.name_of(*name)), facts.name(used))),
        _ => None,
    }
}

/// Whether a name may be one of the language or its usual surroundings, in JavaScript, Python or Go: `URL` without
/// `import { URL } from './url'`, `max` without the function of the package.
fn is_of_language(name: &str, family: Family) -> bool {
    const PYTHON: &str = " abs all any bin bool breakpoint bytearray bytes callable chr classmethod compile complex delattr dict dir divmod \
        enumerate eval exec exit filter float format frozenset getattr globals hasattr hash help hex id input int isinstance issubclass \
        iter len list locals map max memoryview min next object oct open ord pow print property range repr reversed round set setattr \
        slice sorted staticmethod str sum super tuple type vars zip ";
    const SCRIPT: &str = " alert atob btoa cancelAnimationFrame clearInterval clearTimeout confirm console crypto customElements describe \
        document escape eval expect fetch global globalThis history isFinite isNaN it jest localStorage location matchMedia navigator \
        parseFloat parseInt performance process prompt queueMicrotask requestAnimationFrame require screen sessionStorage setImmediate \
        setInterval setTimeout structuredClone test unescape vi window ";
    // Types of the platform begin with a capital letter, `URL`, as those of a project do.
    const TYPES: &str = " AbortController AbortSignal Array ArrayBuffer Blob Boolean BroadcastChannel Buffer CustomEvent DOMException Date \
        DOMParser Document Element Error Event EventSource EventTarget File FileReader FormData Function Headers ImageData Intl JSON Map \
        Math MessageChannel MutationObserver Node Notification Number Object Performance Promise Proxy Range ReadableStream Reflect RegExp \
        Request ResizeObserver Response Set String Symbol Text TextDecoder TextEncoder TypeError URL URLSearchParams WeakMap WeakRef \
        WeakSet WebSocket Worker XMLHttpRequest ";
    const GO: &str = " any append bool byte cap clear close comparable complex complex128 complex64 copy delete error false float32 float64 \
        imag int int16 int32 int64 int8 iota len make max min new nil panic print println real recover rune string true uint uint16 \
        uint32 uint64 uint8 uintptr ";
    let word = format!(" {name} ");
    match family {
        Family::Go => GO.contains(&word),
        Family::Python => PYTHON.contains(&word),
        Family::Ecmascript => SCRIPT.contains(&word) || TYPES.contains(&word),
        _ => false,
    }
}

/// Whether a file imports or defines a name now.
fn is_bound(facts: &FileFacts, name: &str) -> bool {
    let is_defined = |it: &crate::model::Symbol| it.parent.is_none() && it.name == name;
    imports(facts, name) || facts.symbols.iter().any(is_defined)
}

/// Whether an import of a file binds a name.
fn imports(facts: &FileFacts, name: &str) -> bool {
    let mut names = facts.imports.iter().flat_map(|it| &it.names);
    names.any(|it| it.local == name)
}

/// Whether a file imports something as a whole that may have any name: in Java by a wildcard, in C# by a using directive
/// that the old one did not have.
fn may_bring_names(old: &FileFacts, new: &FileFacts) -> bool {
    let is_whole = |it: &&Import| it.names.is_empty() || it.names.iter().any(|it| it.local == "*");
    let specifiers = |facts: &FileFacts| -> BTreeSet<String> {
        let all = facts.imports.iter().filter(is_whole);
        all.map(|it| it.specifier.clone()).collect()
    };
    let (before, now) = (specifiers(old), specifiers(new));
    if new.family == Family::Go {
        // `import . "fmt"`
        return new.exports.iter().any(|it| it.kind == ExportKind::Star);
    }
    if new.family == Family::Java {
        return new.exports.is_empty() || now.iter().any(|it| !is_own(new, it));
    }
    now.iter()
        .any(|it| !before.contains(it) && !is_own(new, it))
}

/// Whether a module is the unit of a file itself, or one around it.
fn is_own(facts: &FileFacts, specifier: &str) -> bool {
    facts
        .units
        .iter()
        .any(|unit| unit == specifier || unit.starts_with(&format!("{specifier}.")))
}
