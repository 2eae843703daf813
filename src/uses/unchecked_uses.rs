//! Changes whose uses nobody compares with them: parameter lists in part, the fields of C, C++ and Rust and the keys of objects, which are no
//! definitions, what types are built on, and the members that a type of Go has by embedding.

use std::collections::{BTreeMap, BTreeSet};

use super::changed_file::FileSide;
use super::difference::{DefinitionPlace, Difference};
use super::modifiers::{DeclaredModifiers, Visibility};
use super::new_requirements::{Requirement, requirements};
use super::unchecked_keys::{keys_of_python, keys_of_script};
use crate::graph::tokens::{is_word, tokens};
use crate::model::{Family, RepoPath, Symbol, SymbolKind};

/// How many changes there are whose uses are not compared with them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UncheckedUses {
    /// Parameter lists: overloads that are gone, parameters of languages whose arguments are not counted, and those behind a decorator.
    pub n_parameter_lists: u64,
    /// Parameter lists with other types, in Python also names, than before: the arguments of their calls are counted alone.
    pub n_counted_lists: u64,
    /// Types of C, C++ and Rust that lost words outside of their members: the name of a field, `int flags;`, or a part of its type. Definitions of
    /// TypeScript, JavaScript and Python that lost a key, `{ limit: 3 }`, and components that lost a property.
    pub n_types: u64,
    /// Types that lost a base or an implementation of a trait.
    pub n_bases: u64,
    /// Types that require more of the values which are taken for them: literals of TypeScript, functions of Java.
    pub n_requirements: u64,
    /// Types of Go that embed less than before, so that they lack its members: `type Disk struct { *Base }`.
    pub n_embedding: u64,
    /// Fields and properties that can't be assigned any more, or not everywhere.
    pub n_read_only: u64,
    /// Definitions that are gone and that code outside of the repository may call.
    pub n_called_outside: u64,
    /// Members that are gone and that may be used through interfaces which their types fit.
    pub n_through_interfaces: u64,
    /// Files of Go that a usual build took in and that `//go:build` leaves out now.
    pub n_left_out: u64,
}

impl std::ops::Add for UncheckedUses {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            n_parameter_lists: self.n_parameter_lists + other.n_parameter_lists,
            n_counted_lists: self.n_counted_lists + other.n_counted_lists,
            n_types: self.n_types + other.n_types,
            n_bases: self.n_bases + other.n_bases,
            n_requirements: self.n_requirements + other.n_requirements,
            n_embedding: self.n_embedding + other.n_embedding,
            n_read_only: self.n_read_only + other.n_read_only,
            n_called_outside: self.n_called_outside + other.n_called_outside,
            n_through_interfaces: self.n_through_interfaces + other.n_through_interfaces,
            n_left_out: self.n_left_out + other.n_left_out,
        }
    }
}

impl UncheckedUses {
    /// Whether all uses were compared.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }
}

impl Difference {
    /// Returns how many changes there are whose uses are not compared with them; `is_wanted` chooses among the files. Calls from outside of the
    /// repository take an index to be told: [`super::Uses::unchecked_uses`] counts them, too.
    pub fn unchecked_uses(&self, is_wanted: impl Fn(&RepoPath) -> bool) -> UncheckedUses {
        let (mut n_types, mut n_embedding) = (0, 0);
        let changed: Vec<_> = self.changed_in_place(&is_wanted).collect();
        for (old, new) in &changed {
            let (was, is) = (&self.files[old.file], &self.files[new.file]);
            let (before, now) = match was.old.facts.family {
                Family::C | Family::Rust => {
                    let (before, now) =
                        (words(&was.old, &old.symbols), words(&is.new, &new.symbols));
                    let is_less =
                        |(word, n): (&&str, &usize)| now.get(word).is_none_or(|it| it < n);
                    n_types += u64::from(before.iter().any(is_less));
                    continue;
                }
                Family::Ecmascript => (
                    keys_of_script(&was.old, &old.symbols),
                    keys_of_script(&is.new, &new.symbols),
                ),
                Family::Python => (
                    keys_of_python(&was.old, &old.symbols),
                    keys_of_python(&is.new, &new.symbols),
                ),
                Family::Go => {
                    let (before, now) = (
                        embedded(&was.old, &old.symbols),
                        embedded(&is.new, &new.symbols),
                    );
                    n_embedding += u64::from(!before.is_subset(&now));
                    continue;
                }
                _ => continue,
            };
            n_types += u64::from(!before.is_subset(&now));
        }
        let required = requirements(self);
        let required: BTreeSet<_> = required
            .iter()
            .filter(|it| it.concerns_values() && is_wanted(it.home().0))
            .map(Requirement::home)
            .collect();
        let parameters = self.unchecked_parameters(&is_wanted);
        let heads = self.unchecked_heads(&changed, &is_wanted);
        UncheckedUses {
            n_parameter_lists: parameters.n_lists + heads.n_parameter_lists,
            n_counted_lists: parameters.n_by_count,
            n_types: n_types + self.n_components_with_fewer_properties(&is_wanted),
            n_bases: heads.n_bases,
            n_requirements: required.len() as u64,
            n_embedding,
            n_read_only: self.n_read_only(&is_wanted),
            n_called_outside: 0,
            n_through_interfaces: 0,
            n_left_out: self.n_left_out_of_builds(is_wanted),
        }
    }

    /// Returns the places of the changed definitions that are there in both states under their name.
    fn changed_in_place(
        &self,
        is_wanted: impl Fn(&RepoPath) -> bool,
    ) -> impl Iterator<Item = (&DefinitionPlace, &DefinitionPlace)> {
        self.changes.iter().filter_map(move |change| {
            let (old, new) = (change.old.as_ref()?, change.new.as_ref()?);
            let paths = [&self.files[old.file].path, &self.files[new.file].path];
            let is_there = !change.is_gone() && paths.into_iter().any(&is_wanted);
            is_there.then_some((old, new))
        })
    }

    /// Returns how many files of Go a usual build leaves out now and took in before, at another path maybe.
    fn n_left_out_of_builds(&self, is_wanted: impl Fn(&RepoPath) -> bool) -> u64 {
        let kept = (0..self.files.len()).map(|at| (at, at));
        let pairs = kept.chain(self.moved_files());
        let left_out = pairs.filter(|(from, to)| {
            let (old, new) = (&self.files[*from].old, &self.files[*to].new);
            let is_left_out = !old.facts.is_alternative && new.facts.is_alternative;
            old.is_there && is_left_out && is_wanted(&self.files[*to].path)
        });
        left_out.count() as u64
    }

    /// Returns how many fields and properties that others see can't be assigned where they could.
    fn n_read_only(&self, is_wanted: impl Fn(&RepoPath) -> bool) -> u64 {
        let mut n_read_only = 0;
        for (old, new) in self.changed_in_place(is_wanted) {
            let (was, is) = (&self.files[old.file], &self.files[new.file]);
            let (before, now) = (old.symbols[0] as usize, new.symbols[0] as usize);
            let (before, now) = (&was.old.facts.symbols[before], &is.new.facts.symbols[now]);
            let modifiers = (
                DeclaredModifiers::of(&was.path, &was.old, before),
                DeclaredModifiers::of(&is.path, &is.new, now),
            );
            let (Some(first), Some(second)) = modifiers else {
                continue;
            };
            let is_seen = second.access.is_none_or(|it| it != Visibility::Private);
            let is_closed = second.is_read_only && !first.is_read_only
                || is_settable(&was.old, before) && !is_settable(&is.new, now);
            n_read_only += u64::from(is_seen && is_closed);
        }
        n_read_only
    }
}

/// Whether everyone who sees a property of C# may assign it: `{ get; set; }`, not `{ get; private set; }`.
fn is_settable(side: &FileSide, symbol: &Symbol) -> bool {
    if side.facts.family != Family::CSharp || symbol.kind != SymbolKind::Property {
        return false;
    }
    let (start, end) = (symbol.span.start_byte, symbol.span.end_byte);
    let text = side
        .text
        .get(start as usize..end as usize)
        .unwrap_or_default();
    let words: Vec<&str> = tokens(text).collect();
    words.windows(3).any(|it| {
        let is_open = !matches!(it[0], "private" | "protected" | "internal");
        is_open && it[1] == "set" && matches!(it[2], ";" | "{" | "=")
    })
}

/// Returns the words of types without those of their members that are definitions, and of comments, each with how often it stands there.
fn words<'s>(side: &'s FileSide, declarations: &[u32]) -> BTreeMap<&'s str, usize> {
    let mut all = BTreeMap::new();
    for at in declarations {
        let type_ = side.facts.symbols.get(*at as usize);
        let is_type = |it: &&Symbol| {
            matches!(
                it.kind,
                SymbolKind::Class | SymbolKind::Type | SymbolKind::Enum | SymbolKind::EnumMember
            )
        };
        let Some(type_) = type_.filter(is_type) else {
            continue;
        };
        for between in between_members(side, *at, type_) {
            let code = between
                .lines()
                .map(|line| line.split("//").next().unwrap_or(line));
            for word in code.flat_map(tokens).filter(|it| is_word(it)) {
                *all.entry(word).or_default() += 1;
            }
        }
    }
    all
}

/// Returns the words of the structs and interfaces of Go without those of their fields and methods: the types that they embed.
fn embedded<'s>(side: &'s FileSide, declarations: &[u32]) -> BTreeSet<&'s str> {
    let has_members = |at: &u32| {
        let type_ = side.facts.symbols.get(*at as usize);
        type_.is_some_and(|it| {
            let keyword = it.signature.rsplit(' ').next();
            matches!(keyword, Some("struct" | "interface"))
        })
    };
    let mut all = BTreeSet::new();
    for at in declarations.iter().filter(|at| has_members(at)) {
        for between in between_members(side, *at, &side.facts.symbols[*at as usize]) {
            let code = between
                .lines()
                .map(|line| line.split("//").next().unwrap_or(line));
            all.extend(code.flat_map(tokens).filter(|it| is_word(it)));
        }
    }
    all
}

/// Returns the parts of a definition that are no definitions in it.
pub(super) fn between_members<'s>(side: &'s FileSide, at: u32, symbol: &Symbol) -> Vec<&'s str> {
    let members = side.facts.symbols.iter();
    let mut cuts: Vec<(u32, u32)> = members
        .filter(|it| it.parent == Some(at))
        .map(|it| (it.span.start_byte, it.span.end_byte))
        .collect();
    cuts.push((symbol.span.end_byte, symbol.span.end_byte));
    cuts.sort_unstable();
    let mut from = symbol.span.start_byte;
    let mut parts = Vec::new();
    for (start, end) in cuts {
        parts.extend(side.text.get(from as usize..start as usize));
        from = from.max(end);
    }
    parts
}
