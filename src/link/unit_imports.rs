//! The files behind the imports of units: an import leads to a package, an edge between files to those that hold a name
//! which the importer uses.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::cache::{Def, FactsCache};
use super::exports;
use super::file::LinkedFile;
use super::lookup::root_of;
use super::rules;
use crate::ir::{DOCUMENTED, Expr, ImportKind, ImportedName, Reference, Target};
use crate::model::hash::HashMap;
use crate::model::{FileId, ModuleId};

/// The imports of units in one file, with the files that they lead to as far as uses were noted.
pub(super) struct UnitImports {
    /// Each import of a unit by its place, with the files of the unit.
    imports: HashMap<u32, Rc<LinkedFile>>,
    found: BTreeSet<(u32, ModuleId)>,
    /// The imports whose names all become names of this file.
    stars: Vec<u32>,
}

impl UnitImports {
    pub(super) fn of(cache: &FactsCache<'_>, own: &LinkedFile) -> Self {
        let mut all = Self {
            imports: HashMap::default(),
            found: BTreeSet::new(),
            stars: Vec::new(),
        };
        for (at, import) in (0_u32..).zip(&own.facts.imports) {
            if import.kind == ImportKind::Scope {
                continue;
            }
            let Some(unit) = own.target(at).filter(|target| target.unit().is_some()) else {
                continue;
            };
            let Some(files) = cache.get(unit) else {
                continue;
            };
            for name in import.names.iter().filter(|name| name.imported != "*") {
                if let Some(Def::Symbol(file, _)) = exports::resolve(cache, unit, &name.imported) {
                    all.found.insert((at, file));
                }
            }
            let is_all = own.imports.wildcards.contains(&unit)
                && import.names.iter().any(|name| name.local == "*");
            if own.stars.contains(&unit) || is_all {
                all.stars.push(at);
            }
            all.imports.insert(at, files);
        }
        all
    }

    /// Notes that a use means a definition in `target`.
    pub(super) fn note(&mut self, own: &LinkedFile, used: &Reference, target: ModuleId) {
        if self.imports.is_empty() || target == own.file {
            return;
        }
        let root = match used.target {
            Target::Member { receiver, .. } => root_of(&own.facts, receiver),
            Target::Lexical => Some(own.facts.name(used)),
            Target::Value(value) => root_of(&own.facts, value),
            Target::Symbol(_) | Target::Markup(_) | Target::Unknown => None,
        };
        let named = root.and_then(|root| own.import_at(root)).map(|(at, _)| at);
        // A name that is imported by itself leads to the file that has it, whatever its members are inherited from.
        let is_whole = |at: &u32| !own.facts.imports[*at as usize].names.iter().any(is_taken);
        let stars = self
            .stars
            .iter()
            .filter(|_| named.is_none() && is_bare(own, used));
        let named_whole = named.filter(is_whole).into_iter();
        let found: Vec<u32> = named_whole.chain(stars.copied()).collect();
        for at in found {
            let is_there = self
                .imports
                .get(&at)
                .is_some_and(|unit| unit.stars.contains(&target));
            if is_there {
                self.found.insert((at, target));
            }
        }
    }

    /// Returns the files of each import: those noted, else the one that documents the unit, else its first.
    pub(super) fn files(mut self, cache: &FactsCache<'_>, own: &LinkedFile) -> Vec<(u32, FileId)> {
        for (at, unit) in self.imports {
            // One that takes names leads to the files that have them.
            if own.facts.imports[at as usize].names.iter().any(is_taken) {
                continue;
            }
            let is_known = self
                .found
                .range((at, ModuleId::new(i64::MIN))..=(at, ModuleId::new(i64::MAX)))
                .next()
                .is_some();
            if is_known {
                continue;
            }
            unit.record_name(DOCUMENTED);
            let files = cache.stars_with(&unit, DOCUMENTED);
            let documents = |file: &ModuleId| {
                let file = cache.get(*file);
                file.is_some_and(|it| it.exports(DOCUMENTED).next().is_some())
            };
            let documented = files.into_iter().find(documents);
            if let Some(file) = documented.or_else(|| unit.files_of_unit().first().copied()) {
                self.found.insert((at, file));
            }
        }
        self.found
            .into_iter()
            .map(|(at, file)| (at, file.file()))
            .collect()
    }
}

/// Whether a use is a name without a receiver.
fn is_bare(own: &LinkedFile, used: &Reference) -> bool {
    match used.target {
        Target::Lexical => true,
        Target::Value(value) => {
            rules::of(own).has_method_values && matches!(own.expr(value), Expr::Name { .. })
        }
        _ => false,
    }
}

/// Whether an import takes a name itself, or all of them one by one; else the module as a whole.
fn is_taken(name: &ImportedName) -> bool {
    name.imported != "*" || name.local == "*"
}
