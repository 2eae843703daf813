//! Calls that pass another number of arguments than the changed signature of their callee takes.
//!
//! Counts arguments and parameters of TypeScript and Python; types are left to compilers.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use super::Uses;
use super::before_after::BeforeAfter;
use super::broken_use::{BrokenReason, BrokenUse, BrokenUses};
use super::changed_file::{ChangedFile, FileSide};
use super::difference::{DefinitionPlace, Difference, SymbolChange};
use super::modifiers::is_typescript;
use super::name_occurrences::line_text_at;
use crate::error::{Error, Result};
use crate::graph::changes::ChangeKind;
use crate::link::name_binder::{DefinitionId, Meaning, NameBinder};
use crate::model::{Budget, Family, FileId, Provenance, RepoPath, Symbol, SymbolFlags, SymbolKind};
use crate::store::SymbolRow;
use crate::syntax::{self, Arities, Arity, FragmentContext, PassedArguments, UseKind};

/// Classes without a constructor below one whose constructor changed that are looked at.
const MAX_HEIRS: usize = 200;

/// A definition that takes other numbers of arguments than before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ArityChange {
    /// The change, an index into [`Difference::changes`].
    pub(super) change: usize,
    pub(super) earlier: Arity,
    pub(super) now: Arity,
    /// The declarations that calls name, in the old state: of a constructor its class.
    pub(super) old: DefinitionPlace,
    /// Those in the new state.
    pub(super) new: DefinitionPlace,
    /// Whether it is a constructor, which classes below inherit.
    pub(super) is_constructor: bool,
    /// Whether calls pass the receiver too: `Base.__init__(self, path)`.
    takes_receiver: bool,
    /// The parameters of Python that had and have a default: a keyword that names one is no argument that has to be passed.
    optional: [BTreeSet<String>; 2],
    /// The parameters of Python that calls could pass by their names before, and cannot now.
    lost_keywords: BTreeSet<String>,
}

/// The changes of arity by the declarations that calls name.
pub(super) type NarrowerDefinitions = HashMap<DefinitionId, ArityChange>;

impl ArityChange {
    /// Returns why a call that passes these arguments is broken; `None` where it is not, or was before.
    pub(super) fn refusal(&self, given: &PassedArguments<'_>) -> Option<BrokenReason> {
        let required_of = |optional: &BTreeSet<String>| {
            let named = given.keywords.iter().filter(|it| optional.contains(**it));
            given
                .n
                .saturating_sub(u32::try_from(named.count()).unwrap_or(u32::MAX))
        };
        let has_lost = |it: &&str| self.lost_keywords.contains(*it);
        if given.keywords.iter().any(has_lost) {
            return Some(BrokenReason::UnknownKeyword);
        }
        let [before, now] = [&self.optional[0], &self.optional[1]].map(required_of);
        if !self.earlier.takes(given.n, before) || self.now.takes(given.n, now) {
            return None;
        }
        Some(match self.now.most {
            Some(most) if given.n > most => BrokenReason::TooManyArguments {
                given: given.n,
                most,
            },
            _ => BrokenReason::TooFewArguments {
                given: now,
                required: self.now.least,
            },
        })
    }
}

impl Uses<'_> {
    /// Adds the calls that pass fewer or more arguments than a changed signature takes.
    pub(super) fn add_calls(&self, states: &BeforeAfter<'_>, found: &mut BrokenUses) -> Result<()> {
        let (narrower, builders) = self.narrower(states)?;
        let mut callers = BTreeSet::new();
        for (file, symbol) in narrower.keys() {
            // No edge says that a definition calls itself.
            callers.insert(*file);
            for row in self.read.symbols_of(*file)? {
                if row.ordinal == *symbol {
                    callers.extend(self.read.edges_into(row.id)?.iter().map(|it| it.src_file));
                }
            }
        }
        for caller in callers {
            self.add_calls_of(states, &narrower, caller, found)?;
        }
        for (class, one) in &builders {
            self.add_base_calls(states.difference, *class, one, found)?;
        }
        Ok(())
    }

    /// Adds the calls by which the constructor of a class passes arguments to that of its base: `super(path)`, `super().__init__(path)`.
    fn add_base_calls(
        &self,
        difference: &Difference,
        (file, class): DefinitionId,
        one: &ArityChange,
        found: &mut BrokenUses,
    ) -> Result<()> {
        let rows = self.read.symbols_of(file)?;
        let is_own =
            |it: &&SymbolRow| it.parent == Some(class) && is_constructor(&it.name, it.kind);
        let Some(constructor) = rows.iter().find(is_own) else {
            return Ok(());
        };
        let path = &constructor.path;
        let summary = self.read.file(path.as_str())?.filter(|_| is_counted(path));
        let text = summary.and_then(|it| self.sources.read(path, it.content));
        let Some(text) = text else { return Ok(()) };
        let Some(arities) = Arities::of(syntax::by_path(path), &text, &self.budget) else {
            return Ok(());
        };
        let (word, callee) = if is_python(path) {
            ("super().__init__", "super().".len())
        } else {
            ("super", 0)
        };
        let from = constructor.span.start_byte as usize;
        let own = text.get(from..constructor.span.end_byte as usize);
        for (at, _) in own.unwrap_or_default().match_indices(word) {
            let start = u32::try_from(from + at + callee).unwrap_or(u32::MAX);
            let refusal = arities.arguments(start).and_then(|it| one.refusal(&it));
            if let Some(reason) = refusal {
                let n_before = text[..from + at].matches('\n').count();
                let line = u32::try_from(n_before + 1).unwrap_or(u32::MAX);
                let place = (path, line, &*text, start);
                let use_ = (UseKind::Call, Provenance::Resolved);
                found
                    .all
                    .extend(broken_call(difference, one, place, use_, reason));
            }
        }
        Ok(())
    }

    /// Returns the definitions that take other numbers of arguments than before, and the classes whose constructors call one of them.
    fn narrower(
        &self,
        states: &BeforeAfter<'_>,
    ) -> Result<(NarrowerDefinitions, Vec<(DefinitionId, ArityChange)>)> {
        let difference = states.difference;
        let mut all = NarrowerDefinitions::new();
        let mut builders = Vec::new();
        let mut trees = ArityTrees::default();
        for at in 0..difference.changes.len() {
            let Some(one) = self.arity_change(difference, at, &mut trees) else {
                continue;
            };
            let file = &difference.files[one.new.file];
            let Some(row) = self.read.file(file.path.as_str())? else {
                continue;
            };
            for symbol in one.new.symbols.clone() {
                if one.is_constructor {
                    for (heir, has_constructor) in self.heirs(&states.now, (row.id, symbol))? {
                        if has_constructor {
                            builders.push((heir, one.clone()));
                        } else {
                            all.entry(heir).or_insert_with(|| one.clone());
                        }
                    }
                }
                all.insert((row.id, symbol), one.clone());
            }
            if one.is_constructor && is_python(&file.path) {
                let method = difference.changes[at].new.as_ref();
                let of_method = ArityChange {
                    takes_receiver: true,
                    ..one
                };
                let symbols = method.into_iter().flat_map(|it| it.symbols.iter().copied());
                all.extend(symbols.map(|symbol| ((row.id, symbol), of_method.clone())));
            }
        }
        Ok((all, builders))
    }

    /// Returns the classes below one of which no class between has a constructor, each with whether it has one itself.
    fn heirs(
        &self,
        binder: &NameBinder<'_>,
        class: DefinitionId,
    ) -> Result<Vec<(DefinitionId, bool)>> {
        let (mut heirs, mut open) = (Vec::<(DefinitionId, bool)>::new(), vec![class]);
        while let Some(base) = open.pop() {
            let (below, _) = binder.subclasses(base)?;
            for (heir, is_direct) in below {
                let is_new = is_direct && heir != class && heirs.iter().all(|it| it.0 != heir);
                if !is_new || heirs.len() >= MAX_HEIRS {
                    continue;
                }
                if let Some(has_constructor) = self.has_constructor(binder, heir)? {
                    heirs.push((heir, has_constructor));
                    open.extend((!has_constructor).then_some(heir));
                }
            }
        }
        Ok(heirs)
    }

    /// Whether a class has a constructor of its own; `None` for an interface, and where it has several bases.
    fn has_constructor(
        &self,
        binder: &NameBinder<'_>,
        (file, class): DefinitionId,
    ) -> Result<Option<bool>> {
        let Some(facts) = binder.facts(file) else {
            return Ok(None);
        };
        let Some(symbol) = facts.symbols.get(class as usize) else {
            return Ok(None);
        };
        let has_one_base = facts.family == Family::Ecmascript || {
            let mut signature = symbol.signature.clone();
            if signature.is_empty() {
                // The facts that the index keeps are without it.
                let rows = self.read.symbols_of(file)?;
                let row = rows.into_iter().find(|it| it.ordinal == class);
                signature = row.map(|it| it.signature).unwrap_or_default();
            }
            !signature.contains([',', '='])
        };
        let mut members = facts.symbols.iter().filter(|it| it.parent == Some(class));
        let is_class = symbol.kind == SymbolKind::Class && has_one_base;
        Ok(is_class.then(|| members.any(|it| is_constructor(&it.name, it.kind))))
    }

    /// Returns the classes below one that are made by its constructor: no class between has one of its own, nor have they.
    pub(super) fn made_by_constructor_of(
        &self,
        binder: &NameBinder<'_>,
        class: DefinitionId,
    ) -> Result<Vec<DefinitionId>> {
        let heirs = self.heirs(binder, class)?.into_iter();
        let made = heirs.filter(|(_, has_constructor)| !has_constructor);
        Ok(made.map(|(heir, _)| heir).collect())
    }

    /// Adds the calls of one file.
    fn add_calls_of(
        &self,
        states: &BeforeAfter<'_>,
        narrower: &NarrowerDefinitions,
        caller: FileId,
        found: &mut BrokenUses,
    ) -> Result<()> {
        let difference = states.difference;
        let Some(path) = self.read.path_of(caller)?.filter(is_counted) else {
            return Ok(());
        };
        let Some(summary) = self.read.file(path.as_str())? else {
            return Ok(());
        };
        let (Some(language), Some(text)) = (
            syntax::by_id(&summary.language),
            self.sources.read(&path, summary.content),
        ) else {
            return Ok(());
        };
        let meanings = states.now.of_file(caller)?.references;
        let of_reference = |reference: u32| {
            let Some(Meaning::Definition(definition, provenance)) =
                meanings.get(reference as usize)
            else {
                return None;
            };
            Some((narrower.get(definition)?, *provenance))
        };
        let n_references = u32::try_from(meanings.len()).unwrap_or(u32::MAX);
        let mut meant = (0..n_references).filter_map(of_reference).peekable();
        if meant.peek().is_none() {
            return Ok(());
        }
        let receivers = if meant.any(|(one, _)| one.takes_receiver) {
            states.now.receivers_of(caller)?
        } else {
            Vec::new()
        };
        let Some(arities) = Arities::of(language, &text, &self.budget) else {
            return Ok(());
        };
        let uses = syntax::occurrences_of(language, &text, &[], &self.budget);
        for (start, line, reference, kind) in uses.ok_or_else(Error::cancelled)?.uses {
            let Some((one, provenance)) = of_reference(reference) else {
                continue;
            };
            let mut given = arities.arguments(start);
            if one.takes_receiver {
                let type_ = receivers.get(reference as usize).and_then(Option::as_deref);
                let is_class = type_.is_some_and(|it| it.starts_with("typeof "));
                // `super().__init__(path)` is found from the class.
                let is_super = text[..start as usize].trim_end_matches('.').ends_with(')');
                let is_counted = is_class && !is_super;
                given = given
                    .filter(|it| is_counted && it.n > 0)
                    .map(|it| PassedArguments { n: it.n - 1, ..it });
            }
            let is_call = matches!(kind, UseKind::Call | UseKind::New);
            let refusal = given.filter(|_| is_call);
            let refusal = refusal.and_then(|it| one.refusal(&it));
            if let Some(reason) = refusal {
                let place = (&path, line, &*text, start);
                found.all.extend(broken_call(
                    difference,
                    one,
                    place,
                    (kind, provenance),
                    reason,
                ));
            }
        }
        Ok(())
    }

    /// Returns the numbers of arguments that a changed definition took and takes, where some calls that were right are not now; `None` too
    /// where they are not known.
    pub(super) fn arity_change<'d>(
        &self,
        difference: &'d Difference,
        at: usize,
        trees: &mut ArityTrees<'d>,
    ) -> Option<ArityChange> {
        let change = &difference.changes[at];
        let file_of = |place: &DefinitionPlace| &difference.files[place.file];
        let places = [&change.old, &change.new].into_iter().flatten();
        if !places.clone().all(|it| is_counted(&file_of(it).path)) {
            return None;
        }
        let is_old = |place: &DefinitionPlace| change.old.as_ref() == Some(place);
        let is_of_constructor = places.clone().all(|place| {
            let file = file_of(place);
            let side = if is_old(place) { &file.old } else { &file.new };
            let symbol = &side.facts.symbols[place.symbols[0] as usize];
            is_constructor(&symbol.name, symbol.kind)
        });
        let (earlier, now, old, new) = match (change.kind, &change.old, &change.new) {
            (ChangeKind::Signature, Some(old), Some(new)) => {
                let (was, is) = (file_of(old), file_of(new));
                let symbols = |side: &'d FileSide, place: &DefinitionPlace| -> Vec<&'d Symbol> {
                    let each = place.symbols.iter();
                    each.map(|at| &side.facts.symbols[*at as usize]).collect()
                };
                let (before, after) = (symbols(&was.old, old), symbols(&is.new, new));
                if have_same_parameters(&is.path, &before, &after) {
                    return None;
                }
                let earlier = self.arity(was, &was.old, old, trees)?;
                let now = self.arity(is, &is.new, new, trees)?;
                (earlier, now, called(&was.old, old), called(&is.new, new))
            }
            // Without one a class is made with no arguments, or those of its base.
            (ChangeKind::Added, None, Some(new)) if is_of_constructor => {
                let file = file_of(new);
                let now = self.arity(file, &file.new, new, trees)?;
                let class = called(&file.new, new);
                let old = in_other_state(&file.new, &class, &file.old)?;
                let unknown = Arity {
                    least: 0,
                    most: None,
                };
                let earlier = implicit_arity(file, &file.old, &old)?.unwrap_or(unknown);
                (earlier, now, old, class)
            }
            (ChangeKind::Removed, Some(old), None) if is_of_constructor => {
                let file = file_of(old);
                let earlier = self.arity(file, &file.old, old, trees)?;
                let class = called(&file.old, old);
                let new = in_other_state(&file.old, &class, &file.new)?;
                (earlier, implicit_arity(file, &file.new, &new)??, class, new)
            }
            _ => return None,
        };
        let lost_keywords = self.lost_keywords(difference, change, trees);
        let is_narrower = now.is_narrower_than(earlier) || !lost_keywords.is_empty();
        is_narrower.then(|| ArityChange {
            change: at,
            earlier,
            now,
            old,
            new,
            is_constructor: is_of_constructor,
            takes_receiver: false,
            lost_keywords,
            optional: [false, true].map(|is_new| {
                let place = if is_new { &change.new } else { &change.old };
                let place = place.as_ref().filter(|it| is_python(&file_of(it).path));
                place.map_or_else(BTreeSet::new, |place| {
                    let file = file_of(place);
                    let side = if is_new { &file.new } else { &file.old };
                    self.optional_parameters(&file.path, side, place, trees)
                })
            }),
        })
    }

    /// Returns the parameters of a function of Python that have a default; none of one with several declarations.
    fn optional_parameters<'d>(
        &self,
        path: &RepoPath,
        side: &'d FileSide,
        place: &DefinitionPlace,
        trees: &mut ArityTrees<'d>,
    ) -> BTreeSet<String> {
        let ([symbol], Some(arities)) = (&*place.symbols, trees.of(path, side, &self.budget))
        else {
            return BTreeSet::new();
        };
        let span = &side.facts.symbols[*symbol as usize].span;
        let names = arities.optional_parameters(span).into_iter();
        names.map(ToOwned::to_owned).collect()
    }

    /// Returns the names by which calls could pass arguments to a function of Python before a change, and cannot now.
    fn lost_keywords<'d>(
        &self,
        difference: &'d Difference,
        change: &SymbolChange,
        trees: &mut ArityTrees<'d>,
    ) -> BTreeSet<String> {
        let mut names = |place: &Option<DefinitionPlace>, is_new: bool| {
            let place = place.as_ref()?;
            let file = &difference.files[place.file];
            let side = if is_new { &file.new } else { &file.old };
            let [symbol] = &*place.symbols else {
                return None;
            };
            let span = &side.facts.symbols[*symbol as usize].span;
            let of_python = is_python(&file.path).then(|| trees.of(&file.path, side, &self.budget));
            let names = of_python??.keyword_parameters(span)?.into_iter();
            Some(names.map(ToOwned::to_owned).collect::<BTreeSet<_>>())
        };
        match (names(&change.old, false), names(&change.new, true)) {
            (Some(before), Some(now)) => before.difference(&now).cloned().collect(),
            _ => BTreeSet::new(),
        }
    }

    /// Returns how many arguments calls of a definition pass in one state of its file.
    fn arity<'d>(
        &self,
        file: &'d ChangedFile,
        side: &'d FileSide,
        place: &DefinitionPlace,
        trees: &mut ArityTrees<'d>,
    ) -> Option<Arity> {
        let all = place.symbols.iter();
        let all: Vec<&Symbol> = all.map(|at| &side.facts.symbols[*at as usize]).collect();
        let is_overload = |symbol: &&&Symbol| symbol.flags.contains(SymbolFlags::DECLARATION_ONLY);
        // Of overloads the implementation can't be called by itself.
        let mut called: Vec<_> = all.iter().filter(is_overload).collect();
        if called.is_empty() {
            called = all.iter().collect();
        }
        let each = called.into_iter().map(|symbol| {
            let outer = symbol.parent.map(|at| &side.facts.symbols[at as usize]);
            let outer = outer.map(|it| it.kind);
            let is_method = outer == Some(SymbolKind::Class);
            let (start, end) = (symbol.span.start_byte, symbol.span.end_byte);
            let text = side.text.get(start as usize..end as usize)?;
            let language = syntax::by_path(&file.path);
            let context = fragment_context(outer, symbol.kind);
            let by_text = syntax::arity_by_text(language, text, context, &self.budget);
            let found = by_text.unwrap_or_else(|| {
                let arities = trees.of(&file.path, side, &self.budget)?;
                arities.of_definition(&symbol.span, is_method)
            })?;
            let is_bound = is_bound_above(&file.path, outer, symbol);
            let most = found.most.filter(|_| is_bound);
            Some(Arity { most, ..found })
        });
        each.collect::<Option<Vec<_>>>()?
            .into_iter()
            .reduce(Arity::or)
    }
}

/// Whether the parameters of a definition are all that its calls may pass: not those of a member of an object, whose type may be written
/// elsewhere, nor of a method of Python, which `Store.open(store, path)` passes its receiver.
fn is_bound_above(path: &RepoPath, outer: Option<SymbolKind>, symbol: &Symbol) -> bool {
    use SymbolKind::{Class, Function, Interface, Method, Type};
    let is_of_object = match outer {
        None | Some(Function | Method) => symbol.kind == Method,
        Some(Class | Interface | Type) => false,
        Some(_) => true,
    };
    let may_pass_receiver = outer == Some(Class) && !is_constructor(&symbol.name, symbol.kind);
    !(is_of_object || is_python(path) && may_pass_receiver)
}

/// Whether it is known how many arguments a definition takes at most, from its text alone.
pub(super) fn has_known_bound(path: &RepoPath, side: &FileSide, symbol: &Symbol) -> bool {
    let outer = symbol.parent.map(|at| &side.facts.symbols[at as usize]);
    let outer = outer.map(|it| it.kind);
    let (start, end) = (symbol.span.start_byte, symbol.span.end_byte);
    let text = side.text.get(start as usize..end as usize);
    let text = text.filter(|_| is_bound_above(path, outer, symbol));
    let Some(text) = text else { return false };
    let is_method = outer == Some(SymbolKind::Class);
    let budget = Budget::unlimited(Arc::default());
    let language = syntax::by_path(path);
    let found = if is_python(path) {
        syntax::arity_of_python(language, text, is_method, &budget)
    } else {
        let context = fragment_context(outer, symbol.kind);
        syntax::arity_by_text(language, text, context, &budget).flatten()
    };
    found.is_some_and(|it| it.most.is_some())
}

/// Returns the declarations that calls of a definition name: of a constructor its class.
fn called(side: &FileSide, place: &DefinitionPlace) -> DefinitionPlace {
    let first = &side.facts.symbols[place.symbols[0] as usize];
    match first.parent {
        Some(class) if is_constructor(&first.name, first.kind) => DefinitionPlace {
            file: place.file,
            symbols: vec![class],
        },
        _ => place.clone(),
    }
}

/// Returns the place of a class in the other state of its file; `None` where that has none of its name.
fn in_other_state(
    side: &FileSide,
    class: &DefinitionPlace,
    other: &FileSide,
) -> Option<DefinitionPlace> {
    let class_of = |symbol: &Symbol| (symbol.kind, symbol.qualified_name.clone());
    let wanted = class_of(&side.facts.symbols[class.symbols[0] as usize]);
    let is_class = wanted.0 == SymbolKind::Class;
    let mut others = other.facts.symbols.iter();
    let at = others.position(|it| is_class && class_of(it) == wanted)?;
    Some(DefinitionPlace {
        file: class.file,
        symbols: vec![u32::try_from(at).ok()?],
    })
}

/// Returns the arity of a class that has no constructor: none without a base, else `Some(None)`, for that of the base is not looked up. `None`
/// where a decorator may write the constructor.
#[expect(clippy::option_option, reason = "two things may be unknown")]
fn implicit_arity(
    file: &ChangedFile,
    side: &FileSide,
    place: &DefinitionPlace,
) -> Option<Option<Arity>> {
    let class = &side.facts.symbols[place.symbols[0] as usize];
    let (start, end) = (class.span.start_byte, class.span.end_byte);
    let text = side.text.get(start as usize..end as usize)?;
    if is_python(&file.path) && text.starts_with('@') {
        return None;
    }
    let mut members = side.facts.symbols.iter();
    if members.any(|it| {
        it.parent == Some(place.symbols[0])
            && (is_constructor(&it.name, it.kind) || it.name == "__new__")
    }) {
        return None;
    }
    let has_base = class.signature.contains('(') || class.signature.contains(" extends ");
    Some((!has_base).then_some(Arity::NONE))
}

/// Returns the entry of a call that its callee refuses.
pub(super) fn broken_call(
    difference: &Difference,
    one: &ArityChange,
    (path, line, text, start): (&RepoPath, u32, &str, u32),
    (kind, provenance): (UseKind, Provenance),
    reason: BrokenReason,
) -> Option<BrokenUse> {
    let change = &difference.changes[one.change];
    let (home, symbol) = difference
        .new_of(change)
        .or_else(|| difference.old(change))?;
    Some(BrokenUse {
        path: path.clone(),
        line,
        text: line_text_at(text, start as usize),
        kind: Some(kind),
        also: Vec::new(),
        home: home.path.clone(),
        symbol: symbol.qualified_name.clone(),
        change: Some(one.change),
        reason,
        provenance,
        module_line: None,
        is_through: false,
    })
}

fn fragment_context(outer: Option<SymbolKind>, kind: SymbolKind) -> FragmentContext {
    match outer {
        // Of an object that is no definition.
        None | Some(SymbolKind::Function | SymbolKind::Method) if kind == SymbolKind::Method => {
            FragmentContext::Object
        }
        None | Some(SymbolKind::Function | SymbolKind::Method) => FragmentContext::Statements,
        Some(SymbolKind::Class) => FragmentContext::Class,
        Some(SymbolKind::Interface | SymbolKind::Type) => FragmentContext::Interface,
        Some(_) => FragmentContext::Object,
    }
}

/// The syntax trees of the files of a difference, each parsed once. One file at a time: changes are listed by file.
#[derive(Default)]
pub(super) struct ArityTrees<'d> {
    /// The text and the tree of the file that was asked for last, in each state.
    last: [Option<(&'d str, Option<Arities<'d>>)>; 2],
}

impl<'d> ArityTrees<'d> {
    fn of(&mut self, path: &RepoPath, side: &'d FileSide, budget: &Budget) -> Option<&Arities<'d>> {
        let text: &'d str = &side.text;
        let is_of = |known: &Option<(&str, Option<Arities<'_>>)>| {
            known
                .as_ref()
                .is_some_and(|(it, _)| std::ptr::eq(*it, text))
        };
        let at = if let Some(at) = self.last.iter().position(is_of) {
            at
        } else {
            self.last.swap(0, 1);
            self.last[0] = Some((text, Arities::of(syntax::by_path(path), text, budget)));
            0
        };
        self.last[at].as_ref()?.1.as_ref()
    }
}

/// Whether the parameters of a definition are evidently those that it had, or it is nothing that is called: `false` where only
/// parsing can tell. Parameters stand in parentheses, which signatures hold.
fn have_same_parameters(path: &RepoPath, old: &[&Symbol], new: &[&Symbol]) -> bool {
    let is_called = |symbol: &&Symbol| {
        !matches!(
            symbol.kind,
            SymbolKind::Class | SymbolKind::Interface | SymbolKind::Type | SymbolKind::Enum
        )
    };
    if !old.iter().chain(new).all(is_called) {
        return true;
    }
    let is_python = is_python(path);
    let groups = |all: &[&Symbol]| -> Option<Vec<String>> {
        let each = all.iter().map(|symbol| parenthesised(&symbol.signature));
        each.collect()
    };
    // A decorator of Python may take the receiver away.
    !is_python
        && groups(old)
            .zip(groups(new))
            .is_some_and(|(old, new)| old == new)
}

/// Returns the parts of a signature in parentheses, without white space: `(a:A)(b)` of `f(a: A): (b) => C`. `None` where it has
/// none, is cut, or holds a literal, in which a parenthesis means nothing.
pub(super) fn parenthesised(signature: &str) -> Option<String> {
    let mut depth = 0_usize;
    let mut found = String::new();
    for c in signature.chars() {
        match c {
            '\'' | '"' | '`' | '/' | '…' => return None,
            '(' => depth += 1,
            _ => {}
        }
        if depth > 0 && !c.is_whitespace() {
            found.push(c);
        }
        if c == ')' {
            depth = depth.saturating_sub(1);
        }
    }
    (depth == 0 && !found.is_empty()).then_some(found)
}

/// Whether calls in a file have to pass the arguments of a signature: JavaScript passes `undefined` for the rest.
pub(super) fn is_counted(path: &RepoPath) -> bool {
    is_typescript(path) || is_python(path)
}

fn is_python(path: &RepoPath) -> bool {
    matches!(path.extension(), Some("py" | "pyi"))
}

fn is_constructor(name: &str, kind: SymbolKind) -> bool {
    kind == SymbolKind::Constructor || name == "__init__"
}

#[cfg(test)]
mod tests {
    use super::parenthesised;

    #[test]
    fn parameters_are_the_parts_in_parentheses() {
        let found = |signature| parenthesised(signature).unwrap_or_else(|| "-".to_owned());
        assert_eq!(found("f(a: A): (b) => C"), "(a:A)(b)");
        assert_eq!(
            found("const f = <T extends (a: 1) => 2>(b: T) =>"),
            "(a:1)(b:T)"
        );
        for unknown in ["a => b", "f(a = ')', b)", "f(a: …", "f(a: /* ( */ A)"] {
            assert_eq!(found(unknown), "-", "{unknown}");
        }
    }
}
