//! Uses that a definition no longer permits, though it is there under its name: it became less visible, static or not, final, or
//! abstract.
//!
//! A use is refused for the place where it stands or the receiver that it goes through; where these do not decide, its meaning
//! is unknown. Definitions that are gone are the matter of `dangling_names`.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::Uses;
use super::before_after::{BeforeAfter, BrokenPlace, Loss, LossesByFile, is_bare, start_of_line};
use super::broken_use::{BrokenUses, Refusal, last_name};
use super::changed_file::ChangedFile;
use super::difference::SymbolChange;
use super::modifiers::{DeclaredModifiers, Visibility, behind_brackets};
use super::unchecked_parameters::parameter_types;
use crate::error::{Error, Result};
use crate::graph::changes::ChangeKind;
use crate::ir::{Expr, FileFacts, Reference, Target, visible_projects};
use crate::link::name_binder::{DefinitionId, Meaning};
use crate::model::{Family, FileId, Provenance, RepoPath, Symbol, SymbolKind};
use crate::syntax::{self, OccurrenceRole, UseKind};

/// A declaration that permits less than before.
pub(super) struct Restricted<'d> {
    /// Its change, an index into the difference.
    change: usize,
    home: &'d ChangedFile,
    /// The declaration as it is.
    id: DefinitionId,
    /// Who may use it now, where that are fewer.
    access: Option<Visibility>,
    /// Whether it is static now, where it was not, or the other way round.
    is_static: Option<bool>,
    is_final: bool,
    is_abstract: bool,
}

/// The places that are refused in one file, by whether that is certain.
type RefusedPlaces = BTreeMap<(RepoPath, usize, Refusal, bool), Vec<BrokenPlace>>;

/// One use, with what its file knows of it.
struct UseSite<'a> {
    file: FileId,
    path: &'a RepoPath,
    facts: &'a FileFacts,
    text: &'a str,
    start: u32,
    reference: u32,
    kind: UseKind,
    /// The type of the receiver in words; `None` where it is not known, or the use has none.
    receiver: Option<&'a str>,
}

impl UseSite<'_> {
    fn used(&self) -> &Reference {
        &self.facts.references[self.reference as usize]
    }

    /// The symbols around it, the innermost first.
    fn around(&self) -> impl Iterator<Item = u32> {
        enclosing(self.facts, self.used().symbol)
    }

    fn is_bare(&self) -> bool {
        is_bare(self.facts, self.used())
    }
}

impl Uses<'_> {
    /// Adds the uses that changed definitions no longer permit.
    pub(super) fn add_restricted_uses(
        &self,
        states: &BeforeAfter<'_>,
        found: &mut BrokenUses,
    ) -> Result<()> {
        let restricted = self.restricted(states)?;
        let mut places = RefusedPlaces::new();
        let mut users: BTreeMap<FileId, Vec<&Restricted<'_>>> = BTreeMap::new();
        for one in &restricted {
            if one.is_final || one.is_static == Some(true) {
                self.add_heirs_of(one, found, &mut places)?;
            }
            if one.access.is_none() && one.is_static.is_none() && !one.is_abstract {
                continue;
            }
            let mut files = BTreeSet::from([one.id.0]);
            for target in one.targets() {
                if let Some(row) = self.read.symbol_ids(one.id.0)?.get(target as usize) {
                    files.extend(self.read.edges_into(*row)?.iter().map(|it| it.src_file));
                }
            }
            for file in files {
                users.entry(file).or_default().push(one);
            }
        }
        for (file, targets) in users {
            if self.budget.is_cancelled() {
                return Err(Error::cancelled());
            }
            self.add_refused_in(states, file, &targets, &mut places, found)?;
        }
        let none = LossesByFile::default();
        for ((path, change, refusal, is_certain), places) in places {
            let text = self.text_of(&path)?.unwrap_or_default();
            let loss = Loss::Refused(change, refusal);
            let entries = self.entries(states, (&path, &text), &loss, places, &none)?;
            found.list(is_certain).extend(entries);
        }
        Ok(())
    }

    /// Returns the declarations that permit less than before.
    fn restricted<'d>(&self, states: &BeforeAfter<'d>) -> Result<Vec<Restricted<'d>>> {
        let mut all = Vec::new();
        for (at, change) in states.difference.changes.iter().enumerate() {
            let is_kept = matches!(
                change.kind,
                ChangeKind::Signature
                    | ChangeKind::Exported
                    | ChangeKind::Unexported
                    | ChangeKind::Body
            );
            let Some(new) = change.new.as_ref().filter(|_| is_kept) else {
                continue;
            };
            let home = &states.difference.files[new.file];
            let Some(file) = self.read.file(home.path.as_str())? else {
                continue;
            };
            for (before, now) in pairs(home, change) {
                let old = &home.old.facts.symbols[before as usize];
                let new = &home.new.facts.symbols[now as usize];
                let was = DeclaredModifiers::of(&home.path, &home.old, old);
                let is = DeclaredModifiers::of(&home.path, &home.new, new);
                let (Some(was), Some(is)) = (was, is) else {
                    continue;
                };
                let access = was.access.zip(is.access);
                let access = access.filter(|(was, is)| was.is_wider_than(*is));
                let one = Restricted {
                    change: at,
                    home,
                    id: (file.id, now),
                    access: access.map(|it| it.1),
                    is_static: (was.is_static != is.is_static).then_some(is.is_static),
                    is_final: is.is_final && !was.is_final,
                    is_abstract: is.is_abstract
                        && !was.is_abstract
                        && new.kind == SymbolKind::Class,
                };
                if one.restricts() {
                    all.push(one);
                }
            }
        }
        Ok(all)
    }

    /// Adds the classes that are built on a final one, and the methods that override a final or static one.
    fn add_heirs_of(
        &self,
        one: &Restricted<'_>,
        found: &mut BrokenUses,
        places: &mut RefusedPlaces,
    ) -> Result<()> {
        let binder = self.binder();
        let is_class = one.symbol().kind == SymbolKind::Class;
        let (rows, is_cut) = if is_class {
            let (below, is_cut) = binder.subclasses(one.id)?;
            let direct = below.into_iter().filter(|it| it.1).map(|it| it.0);
            (direct.collect(), is_cut)
        } else {
            binder.overriding_methods(one.id)?
        };
        found.is_cut |= is_cut;
        let refusal = if one.is_final {
            Refusal::Final
        } else {
            Refusal::Static
        };
        for row in rows {
            let Some(path) = self.read.path_of(row.0)? else {
                continue;
            };
            let symbols = self.read.symbols_of(row.0)?;
            let symbol = symbols.iter().find(|it| it.ordinal == row.1);
            let (Some(symbol), Some(text)) = (symbol, self.text_of(&path)?) else {
                found.is_cut = true;
                continue;
            };
            let head = text.get(symbol.span.start_byte as usize..);
            // In C# a method of the name that says nothing hides the other one.
            let head = head
                .and_then(|it| it.split(['{', '=']).next())
                .unwrap_or_default();
            let is_of_dotnet = one.family() == Family::CSharp && !is_class;
            if is_of_dotnet && !head.split_whitespace().any(|word| word == "override") {
                continue;
            }
            let place = BrokenPlace {
                kind: Some(if is_class {
                    UseKind::Extends
                } else {
                    UseKind::Implements
                }),
                provenance: Provenance::Dispatch,
                ..BrokenPlace::at(start_of_line(&text, symbol.name_line), symbol.name_line)
            };
            let key = (path, one.change, refusal, true);
            places.entry(key).or_default().push(place);
        }
        Ok(())
    }

    /// Adds the refused uses of one file.
    fn add_refused_in(
        &self,
        states: &BeforeAfter<'_>,
        file: FileId,
        targets: &[&Restricted<'_>],
        places: &mut RefusedPlaces,
        found: &mut BrokenUses,
    ) -> Result<()> {
        let Some(path) = self.read.path_of(file)? else {
            return Ok(());
        };
        let (Some(row), Some(facts)) = (self.read.file(path.as_str())?, self.read.facts(file)?)
        else {
            return Ok(());
        };
        let (Some(language), Some(text)) = (syntax::by_id(&row.language), self.text_of(&path)?)
        else {
            found.is_cut = true;
            return Ok(());
        };
        let meanings = states.now.of_file(file)?;
        let receivers = states.now.receivers_of(file)?;
        let names: BTreeSet<&str> = targets
            .iter()
            .map(|it| last_name(&it.symbol().name))
            .collect();
        let names: Vec<&str> = names.into_iter().collect();
        let all = syntax::occurrences_of(language, &text, &names, &self.budget);
        let all = all.ok_or_else(Error::cancelled)?;
        for (start, line, reference, kind) in all.uses {
            let Some(Meaning::Definition(used, provenance)) =
                meanings.references.get(reference as usize)
            else {
                continue;
            };
            let site = UseSite {
                file,
                path: &path,
                facts: &facts,
                text: &text,
                start,
                reference,
                kind,
                receiver: receivers.get(reference as usize).and_then(Option::as_deref),
            };
            for one in targets.iter().filter(|it| it.is_meant(*used, kind)) {
                let Some((refusal, is_certain)) = self.refusal(one, &site, found)? else {
                    continue;
                };
                let is_certain = is_certain && *provenance != Provenance::Overload;
                let place = BrokenPlace {
                    kind: Some(kind),
                    provenance: *provenance,
                    ..BrokenPlace::at(start, line)
                };
                let key = (path.clone(), one.change, refusal, is_certain);
                places.entry(key).or_default().push(place);
            }
        }
        for place in all.places {
            let OccurrenceRole::Import { import, name } = place.role else {
                continue;
            };
            let meaning = meanings.imports.get(import as usize);
            let meaning = meaning.and_then(|it| it.get(name as usize)).copied();
            let Some(used) = meaning.and_then(Meaning::definition) else {
                continue;
            };
            for one in targets.iter().filter(|it| it.id == used && file != it.id.0) {
                let refusal = match one.family() {
                    Family::Java => hidden_import(one, &facts),
                    Family::Rust => {
                        let there = RustModule::of(&path, &facts, None);
                        let access = one.access;
                        match access {
                            Some(access) => self
                                .hidden_from(one, access, &there)?
                                .filter(|is_certain| *is_certain)
                                .map(|_| access),
                            None => None,
                        }
                    }
                    _ => None,
                };
                if let Some(access) = refusal {
                    let key = (path.clone(), one.change, Refusal::Hidden(access), true);
                    let found = BrokenPlace::at(place.start_byte, place.line);
                    places.entry(key).or_default().push(found);
                }
            }
        }
        Ok(())
    }

    /// Returns why a use is not permitted any more, and whether that is certain; `None` where it is permitted.
    fn refusal(
        &self,
        one: &Restricted<'_>,
        site: &UseSite<'_>,
        found: &mut BrokenUses,
    ) -> Result<Option<(Refusal, bool)>> {
        let mut refusal = None;
        if let Some(access) = one.access
            && let Some(is_certain) = self.is_hidden(one, access, site, found)?
        {
            refusal = Some((Refusal::Hidden(access), is_certain));
        }
        if refusal.is_none_or(|it| !it.1) && one.is_abstract && makes_object(site) {
            refusal = Some((Refusal::Abstract, true));
        }
        if let Some(is_static) = one.is_static
            && refusal.is_none_or(|it| !it.1)
        {
            let of_static = if is_static {
                of_static(one, site).map(|is_certain| (Refusal::Static, is_certain))
            } else {
                self.of_instance(one, site)?
                    .map(|is_certain| (Refusal::NotStatic, is_certain))
            };
            refusal = of_static.or(refusal);
        }
        Ok(refusal)
    }

    /// Whether a definition can't be seen where it is used: `None` where it can, `Some(false)` where that is not known.
    fn is_hidden(
        &self,
        one: &Restricted<'_>,
        access: Visibility,
        site: &UseSite<'_>,
        found: &mut BrokenUses,
    ) -> Result<Option<bool>> {
        let home = &one.home.new.facts;
        let is_same_file = site.file == one.id.0;
        let outermost = |facts: &FileFacts, at: Option<u32>| enclosing(facts, at).last();
        match one.family() {
            Family::Rust => {
                let there = RustModule::of(site.path, site.facts, site.used().symbol);
                return self.hidden_from(one, access, &there);
            }
            Family::Java => {
                let of_use = outermost(site.facts, site.used().symbol);
                if is_same_file && of_use == outermost(home, Some(one.id.1)) {
                    return Ok(None);
                }
                let is_same_package = site.facts.units.first() == home.units.first();
                if is_same_package && access != Visibility::Private {
                    return Ok(None);
                }
            }
            _ => {}
        }
        let Some(owner) = home.symbols[one.id.1 as usize].parent else {
            return self.is_outside_assembly(one, access, site);
        };
        let owner = (one.id.0, owner);
        let parts = self.binder().parts_of(owner)?;
        if one.family() != Family::Java && site.around().any(|at| parts.contains(&(site.file, at)))
        {
            return Ok(None);
        }
        if matches!(
            access,
            Visibility::Protected | Visibility::PrivateProtected | Visibility::ProtectedInternal
        ) {
            let (below, is_cut) = self.binder().subclasses(owner)?;
            found.is_cut |= is_cut;
            let below: HashSet<DefinitionId> = below.into_iter().map(|it| it.0).collect();
            if site.around().any(|at| below.contains(&(site.file, at))) {
                // Through an object of the base it is not seen.
                let is_own = site.is_bare() || is_of_own_object(site.facts, site.used());
                return Ok((!is_own).then_some(false));
            }
        }
        match access {
            Visibility::ProtectedInternal | Visibility::Internal => {
                self.is_outside_assembly(one, access, site)
            }
            _ => Ok(Some(true)),
        }
    }

    /// Whether a definition of Rust can't be seen from a module.
    fn hidden_from(
        &self,
        one: &Restricted<'_>,
        access: Visibility,
        there: &RustModule,
    ) -> Result<Option<bool>> {
        let home = RustModule::of(&one.home.path, &one.home.new.facts, Some(one.id.1));
        let library = format!("{}/lib.rs", home.root);
        let has_library = self.read.file(library.trim_start_matches('/'))?.is_some();
        Ok(hidden_in_rust((&home, there), access, has_library))
    }

    /// Whether a use stands in another project than a definition that is seen in its own: `Some(false)`, since a project may be
    /// a friend of another one.
    fn is_outside_assembly(
        &self,
        one: &Restricted<'_>,
        access: Visibility,
        site: &UseSite<'_>,
    ) -> Result<Option<bool>> {
        if one.family() != Family::CSharp || access == Visibility::File {
            return Ok((site.file != one.id.0 || access != Visibility::File).then_some(true));
        }
        let own = format!("{}0", visible_projects());
        let project = |file: FileId| -> Result<Option<crate::store::ImportTarget>> {
            let imports = self.read.imports(file)?;
            Ok(imports
                .into_iter()
                .find(|it| it.specifier == own)
                .and_then(|it| it.target))
        };
        let (of_use, of_home) = (project(site.file)?, project(one.id.0)?);
        let is_same = of_use.is_some() && of_use == of_home || site.file == one.id.0;
        Ok((!is_same).then_some(false))
    }

    /// Whether a use of a member that belongs to objects now goes through the type: `Some(false)` where that is not known.
    fn of_instance(&self, one: &Restricted<'_>, site: &UseSite<'_>) -> Result<Option<bool>> {
        if one.symbol().kind == SymbolKind::Class {
            let is_inside = site.around().any(|at| (site.file, at) == one.id);
            return Ok((site.kind == UseKind::New && !is_inside).then_some(false));
        }
        if !site.is_bare() {
            return Ok(match site.receiver {
                Some(receiver) if receiver.starts_with("typeof ") => Some(true),
                Some(_) => None,
                None => (!is_of_own_object(site.facts, site.used())).then_some(false),
            });
        }
        let Some(owner) = one.symbol().parent else {
            return Ok(Some(false));
        };
        let member = site.around().find(|at| {
            let symbol = &site.facts.symbols[*at as usize];
            symbol
                .parent
                .is_some_and(|it| is_type(&site.facts.symbols[it as usize]))
        });
        let symbols = &site.facts.symbols;
        if member.is_some_and(|at| symbols[at as usize].is_static()) {
            return Ok(Some(true));
        }
        let owner = (one.id.0, owner);
        let mut homes = self.binder().parts_of(owner)?;
        homes.extend(
            self.binder()
                .subclasses(owner)?
                .0
                .into_iter()
                .map(|it| it.0),
        );
        let is_inside = site.around().any(|at| homes.contains(&(site.file, at)));
        Ok((!is_inside).then_some(true))
    }
}

impl Restricted<'_> {
    fn restricts(&self) -> bool {
        self.access.is_some() || self.is_static.is_some() || self.is_final || self.is_abstract
    }

    fn family(&self) -> Family {
        self.home.new.facts.family
    }

    fn symbol(&self) -> &Symbol {
        &self.home.new.facts.symbols[self.id.1 as usize]
    }

    /// The declarations whose uses are its own: of a constructor also its class, by whose name it is called.
    fn targets(&self) -> Vec<u32> {
        let symbol = self.symbol();
        let class = symbol
            .parent
            .filter(|_| symbol.kind == SymbolKind::Constructor);
        [Some(self.id.1), class].into_iter().flatten().collect()
    }

    fn is_meant(&self, used: DefinitionId, kind: UseKind) -> bool {
        let symbol = self.symbol();
        let is_own_call = symbol.kind == SymbolKind::Constructor
            && kind == UseKind::New
            && used.0 == self.id.0
            && Some(used.1) == symbol.parent;
        used == self.id || is_own_call
    }
}

/// Pairs the declarations of a definition that both states have: overloads by the types of their parameters.
fn pairs(home: &ChangedFile, change: &SymbolChange) -> Vec<(u32, u32)> {
    let (Some(old), Some(new)) = (&change.old, &change.new) else {
        return Vec::new();
    };
    if let ([before], [now]) = (&*old.symbols, &*new.symbols) {
        return vec![(*before, *now)];
    }
    let types = |facts: &FileFacts, at: u32| {
        let symbol = &facts.symbols[at as usize];
        (
            symbol.kind,
            parameter_types(&symbol.signature, &symbol.name),
        )
    };
    let before: Vec<_> = old
        .symbols
        .iter()
        .map(|at| (*at, types(&home.old.facts, *at)))
        .collect();
    let paired = new.symbols.iter().filter_map(|now| {
        let key = types(&home.new.facts, *now);
        let known = before.iter().find(|it| it.1 == key)?;
        Some((known.0, *now))
    });
    paired.collect()
}

/// Whether a use goes through the object around it, or that of its base: `this.open()`, `super.open()`.
pub(super) fn is_of_own_object(facts: &FileFacts, used: &Reference) -> bool {
    let exprs = &facts.exprs;
    let is_own = |at| matches!(exprs.get(at), Expr::Receiver { .. } | Expr::Super { .. });
    match used.target {
        Target::Member { receiver, .. } => is_own(receiver),
        Target::Value(value) => {
            let mut value = value;
            while let Expr::Callee { call: inner } | Expr::Call { callee: inner, .. } =
                exprs.get(value)
            {
                value = *inner;
            }
            matches!(exprs.get(value), Expr::Member { object, .. } if is_own(*object))
        }
        Target::Lexical => true,
        _ => false,
    }
}

/// Returns a symbol with those around it, the innermost first.
pub(super) fn enclosing(facts: &FileFacts, at: Option<u32>) -> impl Iterator<Item = u32> {
    std::iter::successors(at, |at| {
        let symbol = facts.symbols.get(*at as usize)?;
        symbol.parent
    })
}

fn is_type(symbol: &Symbol) -> bool {
    matches!(
        symbol.kind,
        SymbolKind::Class | SymbolKind::Interface | SymbolKind::Enum
    )
}

/// Returns who sees a definition of Java where an import in another file can't name it any more.
fn hidden_import(one: &Restricted<'_>, facts: &FileFacts) -> Option<Visibility> {
    let is_same_package = facts.units.first() == one.home.new.facts.units.first();
    one.access.filter(|access| {
        *access == Visibility::Private || *access == Visibility::Package && !is_same_package
    })
}

/// Whether a use of a member that is static now goes through an object, which C# and TypeScript refuse: `Some(false)` where that
/// is not known.
fn of_static(one: &Restricted<'_>, site: &UseSite<'_>) -> Option<bool> {
    if one.symbol().kind == SymbolKind::Class {
        let is_refused = matches!(site.kind, UseKind::New | UseKind::Extends);
        return (one.family() == Family::CSharp).then_some(is_refused);
    }
    // Java calls it all the same; a reference to the method takes one argument less.
    if one.family() == Family::Java {
        let is_value = site.kind == UseKind::Reference && one.symbol().kind.is_function();
        return is_value.then_some(false);
    }
    if site.is_bare() && one.family() == Family::CSharp {
        return None;
    }
    match site.receiver {
        Some(receiver) if receiver.starts_with("typeof ") => None,
        Some(_) => Some(true),
        None => Some(false),
    }
}

/// Whether a use makes an object of a class: `new Store()`, not `new Store() { … }`, which makes one of a class without a name.
fn makes_object(site: &UseSite<'_>) -> bool {
    let rest = site.text.get(site.start as usize..).unwrap_or_default();
    let behind = rest.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_');
    // `Store::new`
    let is_reference = behind.starts_with("::") || rest.starts_with("::");
    if is_reference || site.kind != UseKind::New {
        return is_reference && site.kind == UseKind::New;
    }
    let list = behind.find(['(', '{', '[']).map(|at| &behind[at..]);
    let is_java = site.path.extension() == Some("java");
    // An array holds objects of any class.
    if list.is_some_and(|it| it.starts_with('[')) {
        return false;
    }
    let body = list.and_then(|it| behind_brackets(it, site.facts.family));
    let body = body.unwrap_or_default();
    !is_java || !body.trim_start().starts_with('{')
}

/// Whether a definition of Rust can't be seen where it is used: modules are told by the paths of their files and by inline modules.
fn hidden_in_rust(
    (home, there): (&RustModule, &RustModule),
    access: Visibility,
    has_library: bool,
) -> Option<bool> {
    if home.root != there.root {
        return Some(true);
    }
    if home.is_main != there.is_main && has_library {
        // `src/main.rs` takes its modules from the library, or declares them itself.
        return Some(false);
    }
    match access {
        Visibility::Private => (!there.names.starts_with(&home.names)).then_some(true),
        Visibility::Module => {
            let above = &home.names[..home.names.len().saturating_sub(1)];
            (!there.names.starts_with(above)).then_some(false)
        }
        _ => None,
    }
}

/// The module around a definition or a use of Rust, as the path of its file says.
#[derive(Debug, PartialEq, Eq)]
struct RustModule {
    /// The directory or file of the target's root: `src`, `src/bin/tool`, `tests/it`.
    root: String,
    is_main: bool,
    names: Vec<String>,
}

impl RustModule {
    fn of(path: &RepoPath, facts: &FileFacts, at: Option<u32>) -> Self {
        let text = path.as_str().trim_end_matches(".rs");
        let parts: Vec<&str> = text.split('/').collect();
        let targets = ["src", "tests", "examples", "benches"];
        let base = parts
            .iter()
            .rposition(|it| targets.contains(it))
            .unwrap_or(0);
        let is_bin = parts[base] == "src" && parts.get(base + 1) == Some(&"bin");
        let n_root = match parts[base] {
            "src" if is_bin => base + 3,
            "src" => base + 1,
            _ => base + 2,
        };
        let n_root = n_root.min(parts.len());
        let mut names: Vec<String> = parts[n_root..].iter().map(ToString::to_string).collect();
        if names
            .last()
            .is_some_and(|it| matches!(it.as_str(), "mod" | "lib" | "main"))
        {
            names.pop();
        }
        let inline = enclosing(facts, at).filter_map(|at| {
            let symbol = facts.symbols.get(at as usize)?;
            (symbol.kind == SymbolKind::Namespace).then(|| symbol.name.clone())
        });
        let mut inline: Vec<String> = inline.collect();
        inline.reverse();
        names.extend(inline);
        Self {
            root: parts[..n_root].join("/"),
            is_main: path.file_name() == "main.rs",
            names,
        }
    }
}
