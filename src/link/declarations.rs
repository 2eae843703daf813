//! Declarations of C and C++ and their definitions: a prototype in a header and the function in a source file are one.
//!
//! Of use to edges, which lead to the definition, and to the relation of `dispatch`: a method that is defined out of line
//! overrides as its declaration in the class does, and the uses of a declaration are those of each definition that it may have
//! on some platform.

use std::rc::Rc;

use super::dispatch::{DispatchLookup, DispatchRelations, definition_id};
use super::file::LinkedFile;
use super::linker::Linker;
use super::name_binder::{DefinitionId, FileMeanings, Meaning, NameBinder};
use super::overloads::n_params;
use super::path_names::SymbolKey;
use super::rules;
use crate::ir::{SymbolIdx, linkage_unit};
use crate::model::path::parent;
use crate::model::{ModuleId, Provenance, Symbol, SymbolFlags, SymbolKind};
use crate::store::StoreError;

/// Declarations and definitions of one name that are compared.
const MAX_COMPARED: usize = 200;

/// Definitions of one name among which that of a declaration is looked for.
const MAX_DEFINITIONS: usize = 256;

impl Linker<'_, '_> {
    /// Joins a declaration to its definition, e.g. the prototype `int store_open(const char *);` of a header: the definition in
    /// the same file or in that of the use, else one of the name with external linkage. Of several, those whose files include
    /// the declaration come first, then the one in the directory of the use or of the declaration. The place itself where it is
    /// no declaration, or no one definition is left.
    pub(super) fn definition_of(&self, (in_file, at): SymbolKey) -> SymbolKey {
        let key = (in_file, at);
        if let Some(known) = self.definitions.borrow().get(&key) {
            return *known;
        }
        let found = self.search_definition(in_file, at).unwrap_or(key);
        self.definitions.borrow_mut().insert(key, found);
        found
    }

    /// Does [`Self::definition_of`] without its memo; `None` for the place itself.
    fn search_definition(&self, in_file: ModuleId, at: SymbolIdx) -> Option<SymbolKey> {
        let loaded = self.cache.get(in_file)?;
        let symbol = loaded.symbol(at);
        if !symbol.flags.contains(SymbolFlags::DECLARATION_ONLY) {
            return None;
        }
        let name = linkage_name(&loaded, at);
        // The file at hand may have its own, which no other sees.
        for file in [in_file, self.file.file] {
            let found = self.definitions_in(file, &loaded, at, &name, true);
            if let Some(found) = self.same_function(&loaded, at, &found) {
                return Some(found);
            }
        }
        let found = self.possible_definitions(&loaded, at, &name);
        if let [one] = found.as_ref() {
            return Some(*one);
        }
        // Several programs of one repository: the one beside the caller.
        let directory = |file: ModuleId| self.directory_of(file);
        for around in [self.file.file, in_file] {
            let own = directory(around);
            let beside: Vec<SymbolKey> = found
                .iter()
                .copied()
                .filter(|place| directory(place.0) == own)
                .collect();
            if let Some(one) = self.same_function(&loaded, at, &beside) {
                return Some(one);
            }
        }
        None
    }

    /// Returns the definitions in other files that a declaration may have, as [`Self::definitions_elsewhere`], with a memo.
    fn possible_definitions(
        &self,
        loaded: &Rc<LinkedFile>,
        at: SymbolIdx,
        name: &str,
    ) -> Rc<[SymbolKey]> {
        self.cache.definitions_of((loaded.file, at), || {
            // What its memos know is asked for in its name alone.
            let linker = Linker::new(self.cache, Rc::clone(loaded));
            linker.definitions_elsewhere(loaded, at, name)
        })
    }

    /// Returns the definitions in other files that a declaration may have: the one that has its parameters, or all of its name. Those whose files
    /// include the declaration are preferred. The linker is that of the file of the declaration.
    fn definitions_elsewhere(
        &self,
        loaded: &LinkedFile,
        at: SymbolIdx,
        name: &str,
    ) -> Vec<SymbolKey> {
        let Some(unit) = loaded.unit(&format!("c:{}", linkage_unit(name))) else {
            return Vec::new();
        };
        let Some(unit) = self.cache.get(unit) else {
            return Vec::new();
        };
        unit.record_name(name);
        let files = unit.files_of_unit().iter().copied();
        let others = files.filter(|file| *file != loaded.file);
        let mut found = Vec::new();
        for file in others.filter(|file| self.cache.may_export(*file, name)) {
            found.extend(self.definitions_in(file, loaded, at, name, false));
            if found.len() > MAX_DEFINITIONS {
                return Vec::new();
            }
        }
        if found.len() > 1 {
            let includes = |place: &SymbolKey| self.includes(place.0, loaded.file);
            let near: Vec<SymbolKey> = found.iter().copied().filter(includes).collect();
            if !near.is_empty() {
                found = near;
            }
        }
        match self.same_function(loaded, at, &found) {
            Some(one) => vec![one],
            // One that has other parameters is another function.
            None if found.len() == 1 => Vec::new(),
            None => found,
        }
    }

    pub(super) fn directory_of(&self, file: ModuleId) -> Option<String> {
        let path = self.cache.path_of(file)?;
        Some(parent(path.as_str()).to_owned())
    }

    /// The definitions of a name in one file; without those that only the file sees, unless it is the own one.
    fn definitions_in(
        &self,
        file: ModuleId,
        declared_in: &LinkedFile,
        declared: SymbolIdx,
        name: &str,
        is_own: bool,
    ) -> Vec<SymbolKey> {
        let Some(loaded) = self.cache.get(file) else {
            return Vec::new();
        };
        let declaration = declared_in.symbol(declared);
        loaded.record_name(name);
        let is_definition = |symbol: &Symbol| {
            !symbol.flags.contains(SymbolFlags::DECLARATION_ONLY)
                && (symbol.qualified_name == declaration.qualified_name
                    || declaration.parent.is_some()
                        && is_end(&symbol.qualified_name, &declaration.qualified_name))
                && (is_own || symbol.exported)
                && matches!(symbol.kind, SymbolKind::Variable | SymbolKind::Constant)
                    == matches!(
                        declaration.kind,
                        SymbolKind::Variable | SymbolKind::Constant
                    )
        };
        let all: Vec<SymbolIdx> = if declaration.parent.is_some() {
            loaded.owned_members(&declaration.name)
        } else {
            loaded.top_level(name).to_vec()
        };
        let all = all.into_iter().filter(|at| {
            let symbol = loaded.symbol(*at);
            // Members are private where their class says so, in the declaration.
            is_definition(symbol)
        });
        all.map(|at| (file, at)).collect()
    }
}

impl NameBinder<'_> {
    /// Makes the uses unresolved that lead to a declaration of C or C++ without its definition.
    pub fn leave_out_declarations(&self, meanings: &mut FileMeanings) {
        for meaning in &mut meanings.references {
            let file = meaning.definition().and_then(|it| self.cache.get(it.0));
            if let (Some(file), Some((_, at))) = (file, meaning.definition())
                && rules::of(&file).has_includes
                && file.facts.symbols.len() > at as usize
                && is_declaration(file.symbol(at))
            {
                *meaning = Meaning::Unbound;
            }
        }
    }

    /// Returns the definition that a declaration of C or C++ leads to; `None` for any other definition, and where there is none.
    pub fn definition_of_declaration(
        &self,
        declaration: DefinitionId,
    ) -> Result<Option<DefinitionId>, StoreError> {
        self.cache.checked(|| {
            let mut found = None;
            if let Some(file) = self.cache.get(declaration.0)
                && rules::of(&file).has_includes
                && file.facts.symbols.len() > declaration.1 as usize
                && is_declaration(file.symbol(declaration.1))
            {
                let place = (file.file, declaration.1);
                let linker = Linker::new(&self.cache, file);
                let definition = linker.definition_of(place);
                found = (definition != place).then(|| definition_id(definition));
            }
            Ok(found)
        })
    }
}

impl DispatchLookup<'_, '_> {
    /// Adds the methods that a method overrides, or that override it, by their declarations in classes: of each its definition, where
    /// it has one.
    pub(super) fn by_declarations(
        &self,
        file: &Rc<LinkedFile>,
        at: SymbolIdx,
        all: &mut DispatchRelations,
    ) -> Result<(), StoreError> {
        let Some((class, in_file, declared)) = self.declared(file, at) else {
            return Ok(());
        };
        let name = file.symbol(at).name.clone();
        let is_static = in_file.symbol(declared).is_static();
        let n = n_params(&in_file, declared);
        let above = self.classes_above(class);
        let (below, is_cut) = self.classes_below(class, &mut all.derived)?;
        all.is_cut |= is_cut;
        for (other_file, other) in above.into_iter().chain(below) {
            let Some(other_file) = self.linker.cache.get(other_file) else {
                continue;
            };
            for method in other_file.members(other, &name) {
                let symbol = other_file.symbol(*method);
                if symbol.kind == SymbolKind::Method
                    && symbol.is_static() == is_static
                    && n_params(&other_file, *method) == n
                {
                    let definition = self.linker.definition_of((other_file.file, *method));
                    all.add(definition_id(definition), Provenance::Dispatch);
                    if !is_static {
                        // `Base::Save()` runs that method, whatever the object is.
                        all.by_objects.insert(definition_id(definition));
                    }
                }
            }
        }
        Ok(())
    }

    /// Returns the class of a method and its declaration there, which is itself for one that is defined in its class.
    fn declared(
        &self,
        file: &Rc<LinkedFile>,
        at: SymbolIdx,
    ) -> Option<(DefinitionId, Rc<LinkedFile>, SymbolIdx)> {
        if let Some(class) = file.symbol(at).parent {
            return Some((file.definition(class), Rc::clone(file), at));
        }
        let class = self.owner(file, at)?;
        let there = self.linker.cache.get(class.0)?;
        let members = there.members(class.1, &file.symbol(at).name).to_vec();
        let is_same = |it: &&SymbolIdx| {
            !self
                .linker
                .differ_in_types((file.file, at), (there.file, **it))
        };
        let declared = members.iter().find(is_same).or_else(|| members.first());
        Some(match declared.copied() {
            Some(declared) => (class, there, declared),
            None => (class, Rc::clone(file), at),
        })
    }

    /// Adds the definition of a declaration, or the definitions that it has on different platforms; and to one of these the
    /// declaration, to which the uses lead.
    pub(super) fn counterparts(
        &self,
        file: &Rc<LinkedFile>,
        at: SymbolIdx,
        all: &mut DispatchRelations,
    ) -> Result<(), StoreError> {
        let symbol = file.symbol(at);
        if !has_declarations(symbol) {
            return Ok(());
        }
        let own: SymbolKey = (file.file, at);
        let is_declaration = is_declaration(symbol);
        if is_declaration {
            let definition = self.linker.definition_of(own);
            if definition != own {
                all.add(definition_id(definition), Provenance::Resolved);
                return Ok(());
            }
        } else if !symbol.exported
            && symbol.parent.is_none()
            && file.facts.owner(at as usize).is_none()
        {
            // No other file sees it.
            return Ok(());
        }
        for row in self.symbols_named(&symbol.name)?.iter().take(MAX_COMPARED) {
            let Some(other_file) = self.file_of(row)? else {
                continue;
            };
            let other = other_file.symbol(row.ordinal);
            let is_pair = other_file.facts.family == file.facts.family
                && other.kind == symbol.kind
                && has_declarations(other)
                && self::is_declaration(other) != is_declaration;
            if !is_pair {
                continue;
            }
            let there: SymbolKey = (other_file.file, row.ordinal);
            let (declaration, definition) = if is_declaration {
                ((file, at), (&other_file, row.ordinal))
            } else {
                ((&other_file, row.ordinal), (file, at))
            };
            if self.may_define(declaration, definition) {
                all.add(definition_id(there), Provenance::Alternative);
            }
        }
        Ok(())
    }

    /// Whether a declaration may have a definition, and on other platforms has others.
    fn may_define(
        &self,
        (header, declared): (&Rc<LinkedFile>, SymbolIdx),
        (file, at): (&Rc<LinkedFile>, SymbolIdx),
    ) -> bool {
        let (declaration, definition) = (header.symbol(declared), file.symbol(at));
        let is_named = definition.qualified_name == declaration.qualified_name
            || declaration.parent.is_some()
                && declaration
                    .qualified_name
                    .strip_suffix(&definition.qualified_name)
                    .is_some_and(|before| before.ends_with('.'));
        if !is_named
            || self
                .linker
                .differ_in_types((header.file, declared), (file.file, at))
        {
            return false;
        }
        // Whoever sees the declaration alone is led to it where there are several.
        let linker = Linker::new(self.linker.cache, Rc::clone(header));
        let place = (header.file, declared);
        let name = linkage_name(header, declared);
        linker.definition_of(place) == place
            && linker
                .possible_definitions(header, declared, &name)
                .contains(&(file.file, at))
    }
}

/// Returns the name by which a declaration and its definition share a unit: `open`, `Store.open`.
fn linkage_name(file: &LinkedFile, at: SymbolIdx) -> String {
    let symbol = file.symbol(at);
    match symbol.parent {
        Some(class) => format!("{}.{}", file.symbol(class).name, symbol.name),
        None => symbol.name.clone(),
    }
}

fn has_declarations(symbol: &Symbol) -> bool {
    use SymbolKind::{Constructor, Function, Method, Variable};
    matches!(symbol.kind, Function | Method | Constructor | Variable)
}

fn is_declaration(symbol: &Symbol) -> bool {
    symbol.flags.contains(SymbolFlags::DECLARATION_ONLY)
}

/// Whether a qualified name is the end of another: a member that is defined where its namespace is used.
fn is_end(end: &str, whole: &str) -> bool {
    whole
        .strip_suffix(end)
        .is_some_and(|before| before.ends_with('.'))
}
