//! Modules of Rust that no `mod` declares any more, or only where a condition holds: `mod store;` was removed or is under `#[cfg(…)]` now. Their
//! files are there, and nothing in them changed.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::Uses;
use super::before_after::{BoundFile, Loss, is_unbound};
use super::changed_file::{ChangedFile, FileSide};
use super::difference::Difference;
use crate::error::Result;
use crate::ir::Import;
use crate::link::name_binder::Meaning;
use crate::link::overlay::OverlayFileIds;
use crate::model::{Direction, Family, FileId};
use crate::store::ImportTarget;

/// Modules that are followed from those that lost their declaration.
const MAX_MODULES: usize = 2_000;

/// Files whose declarations changed, with those of the modules that they declare themselves.
#[derive(Default)]
pub(super) struct UndeclaredModules {
    /// Files that no `mod` declares any more.
    gone: BTreeSet<FileId>,
    /// Files that are declared under a condition, and were not under that.
    conditional: BTreeSet<FileId>,
    /// The names of those that are gone, each with its file and that which declared it.
    names: Vec<(FileId, String, FileId)>,
}

/// The targets of the `mod` declarations of a file, each with its conditions: `unix` of `#[cfg(unix)] mod imp;`. A module that is declared without
/// one has an empty one.
type DeclaredModules = BTreeMap<FileId, BTreeSet<String>>;

impl UndeclaredModules {
    /// Returns the loss of a use in a file that meant `before` and means `now`, where the definition is in one of the modules.
    pub(super) fn loss_of(
        &self,
        bound: &BoundFile<'_>,
        (before, now): (Meaning, Meaning),
    ) -> Option<Loss> {
        let file = match before {
            Meaning::Definition((file, _), _) => file,
            Meaning::Module(module) => module.file(),
            _ => return None,
        };
        if self.gone.contains(&file) && !self.gone.contains(&bound.id) {
            let is_lost = is_unbound(now) || now == Meaning::External;
            return is_lost.then_some(Loss::Undeclared(file));
        }
        let is_apart = self.conditional.contains(&file) && !self.conditional.contains(&bound.id);
        (is_apart && now == before).then_some(Loss::Conditional(file))
    }

    /// Returns the loss of a name of an import which leads to a module that nothing declares, by the place of its file.
    pub(super) fn loss_of_import(
        &self,
        bound: &BoundFile<'_>,
        (import, target): (&Import, Option<ImportTarget>),
        now: Option<Meaning>,
    ) -> Option<Loss> {
        let own = || {
            let first = import.specifier.split("::").find(|it| *it != "self");
            let mut names = self.names.iter();
            names
                .find(|(declaring, name, _)| *declaring == bound.id && Some(name.as_str()) == first)
        };
        let file = match target {
            Some(ImportTarget::File(file)) if self.gone.contains(&file) => file,
            // In its own file the name of the module leads out of the repository now.
            _ => own()?.2,
        };
        let is_through = self.gone.contains(&file) && !self.gone.contains(&bound.id);
        let is_lost = is_through
            && !is_declaration(&import.specifier)
            && now.is_none_or(|it| is_unbound(it) || it == Meaning::External);
        is_lost.then_some(Loss::Undeclared(file))
    }

    /// Whether a file uses one of the modules by a condition that its declaration has now; all of its names have to be bound.
    pub(super) fn has_conditional(&self) -> bool {
        !self.conditional.is_empty()
    }

    /// Returns the modules whose users have to be bound.
    pub(super) fn modules(&self) -> impl Iterator<Item = FileId> {
        self.gone.iter().chain(&self.conditional).copied()
    }
}

/// Whether an import is a declaration of a module: `mod store;`.
pub(super) fn is_declaration(specifier: &str) -> bool {
    specifier.starts_with("mod ")
}

impl Uses<'_> {
    /// Finds the modules that changed files declared and declare no longer, or not always.
    pub(super) fn undeclared_modules(
        &self,
        difference: &Difference,
        overlay_ids: &[OverlayFileIds],
        targets_before: &HashMap<FileId, Vec<ImportTarget>>,
    ) -> Result<UndeclaredModules> {
        let mut found = UndeclaredModules::default();
        for (at, file) in difference.files.iter().enumerate() {
            if file.old.facts.family != Family::Rust || !file.old.is_there {
                continue;
            }
            let none = Vec::new();
            let targets = targets_before
                .get(&overlay_ids[at].earlier)
                .unwrap_or(&none);
            let before = declared(&file.old, targets.iter().map(|it| Some(*it)));
            let now = self.declared_now(file)?;
            for (module, conditions) in before {
                let conditions_now = now.get(&module);
                if conditions_now == Some(&conditions) || self.is_declared_beside(module, file)? {
                    continue;
                }
                match conditions_now {
                    // A syntax error may hide it.
                    None if file.new.facts.has_errors => drop(found.conditional.insert(module)),
                    None => {
                        found.gone.insert(module);
                        let names = names_of(&file.old, targets, module);
                        let declaring = overlay_ids[at].earlier;
                        found.names.extend(names.map(|it| (declaring, it, module)));
                    }
                    Some(now) if now.contains("") => {}
                    Some(_) => drop(found.conditional.insert(module)),
                }
            }
        }
        self.add_inner_modules(&mut found.gone)?;
        self.add_inner_modules(&mut found.conditional)?;
        Ok(found)
    }

    fn declared_now(&self, file: &ChangedFile) -> Result<DeclaredModules> {
        let Some(row) = self
            .read
            .file(file.path.as_str())?
            .filter(|_| file.new.is_there)
        else {
            return Ok(DeclaredModules::new());
        };
        let rows = self.read.imports(row.id)?;
        Ok(declared(&file.new, rows.iter().map(|it| it.target)))
    }

    /// Whether another file declares a module too, or it is not there.
    fn is_declared_beside(&self, module: FileId, declaring: &ChangedFile) -> Result<bool> {
        if self.read.path_of(module)?.is_none() {
            return Ok(true);
        }
        for id in self.read.import_neighbors(module, Direction::In)? {
            if self.read.path_of(id)?.as_ref() == Some(&declaring.path) {
                continue;
            }
            let rows = self.read.imports(id)?;
            let target = Some(ImportTarget::File(module));
            if rows
                .iter()
                .any(|it| is_declaration(&it.specifier) && it.target == target)
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Adds the modules that are declared in the modules alone.
    fn add_inner_modules(&self, modules: &mut BTreeSet<FileId>) -> Result<()> {
        let mut open: Vec<FileId> = modules.iter().copied().collect();
        let mut seen: HashSet<FileId> = open.iter().copied().collect();
        while let Some(module) = open.pop() {
            for row in self.read.imports(module)? {
                let Some(ImportTarget::File(inner)) = row.target else {
                    continue;
                };
                if is_declaration(&row.specifier) && seen.len() < MAX_MODULES && seen.insert(inner)
                {
                    modules.insert(inner);
                    open.push(inner);
                }
            }
        }
        Ok(())
    }
}

/// Returns the names under which a file declared a module.
fn names_of<'s>(
    side: &'s FileSide,
    targets: &'s [ImportTarget],
    module: FileId,
) -> impl Iterator<Item = String> + 's {
    let imports = side.facts.imports.iter().zip(targets);
    imports
        .filter(move |(it, target)| {
            is_declaration(&it.specifier) && **target == ImportTarget::File(module)
        })
        .flat_map(|(it, _)| it.names.iter().map(|name| name.local.clone()))
}

fn declared(
    side: &FileSide,
    targets: impl Iterator<Item = Option<ImportTarget>>,
) -> DeclaredModules {
    let mut all = DeclaredModules::new();
    let lines: Vec<&str> = side.text.lines().collect();
    for (import, target) in side.facts.imports.iter().zip(targets) {
        if let (true, Some(ImportTarget::File(module))) =
            (is_declaration(&import.specifier), target)
        {
            let conditions = all.entry(module).or_default();
            conditions.insert(condition_above(&lines, import.line));
        }
    }
    all
}

/// Returns the conditions of the item on a line, from 1, without blanks: `cfg(unix)` of `#[cfg(unix)]` above `mod imp;`. Attributes stand in
/// front of it or on the lines above.
fn condition_above(lines: &[&str], line: u32) -> String {
    let at = line.saturating_sub(1) as usize;
    let own = lines.get(at).copied().unwrap_or_default();
    // Behind the last bracket stands `pub`.
    let mut attributes: Vec<&str> = vec![own.rsplit_once(']').map_or("", |it| it.0)];
    for above in lines[..at.min(lines.len())].iter().rev() {
        let above = above.trim();
        let is_part = above.is_empty() || above.starts_with("//");
        if !is_part && !above.ends_with(']') && !above.starts_with("#[") {
            break;
        }
        attributes.push(above);
    }
    let conditions = attributes.into_iter().rev();
    let conditions = conditions.filter(|it| it.contains("cfg(") && it.contains("#["));
    conditions
        .flat_map(str::chars)
        .filter(|it| !it.is_whitespace())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::condition_above;

    #[test]
    fn conditions_stand_above_the_declaration_or_before_it() {
        let of = |text: &str| {
            let lines: Vec<&str> = text.lines().collect();
            condition_above(&lines, u32::try_from(lines.len()).unwrap())
        };
        assert_eq!(of("mod a;\nmod b;"), "");
        assert_eq!(of("#[cfg(unix)]\nmod a;\nmod b;"), "");
        assert_eq!(
            of("#[cfg(unix)]\n// why\n#[path = \"c.rs\"]\nmod b;"),
            "#[cfg(unix)]"
        );
        assert_eq!(
            of("#[cfg(all(unix, test))] pub mod b;"),
            "#[cfg(all(unix,test))"
        );
    }
}
