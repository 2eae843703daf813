//! How a definition is called without a use that names it: by a test runner, a decorator, the language, or through a base
//! that is defined elsewhere.

use std::collections::HashSet;

use super::Uses;
use super::files_to_bind::is_only_element;
use super::unbound_uses::may_name;
use crate::error::Result;
use crate::ir::{Expr, ExprId, FileFacts, Slot, SymbolIdx, split_generic_name};
use crate::model::{Family, FileId, RepoPath, Span, Symbol, SymbolFlags, SymbolId, SymbolKind};
use crate::store::{SymbolRow, token};
use crate::syntax;

/// Bases of one class that are looked at.
const MAX_BASES: usize = 8;

/// Classes above one that are looked at.
const MAX_CLASSES: usize = 32;

/// Members of a type or a namespace whose users are counted.
const MAX_MEMBERS: usize = 1_000;

/// Classes of ASP.NET Core that it looks for the subclasses of.
const FINDING_BASES: [&str; 6] = [
    "Controller",
    "ControllerBase",
    "ODataController",
    "PageModel",
    "TagHelper",
    "ViewComponent",
];

/// Whatever makes an object is a use of its class.
const CONSTRUCTOR: &str =
    "a constructor, and whatever makes an object names the class: ask for the class instead";

/// Whatever is annotated may give the element its value.
const ONLY_ELEMENT: &str =
    "what an annotation takes an argument without a name for: ask for the annotation";

/// A caller that no line of the repository shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImplicitCaller {
    /// A test runner, where it runs the file.
    TestRunner,
    /// The language, in words that follow "it is": "an entry point of a program".
    Language(&'static str),
    /// Code that knows an interface of Go's standard library with a method of this name, `ServeHTTP`; in words as those of the language.
    StandardInterface(&'static str),
    /// Code that a decorator, an annotation or an attribute hands the definition to: `@app.route("/")`.
    Annotation(String),
    /// Code that knows the trait that a method implements, `Display`, or the class or interface that its class is built on.
    ExternalBase(String),
    /// As [`Self::ExternalBase`], of a property: `Count` of `class Rows : ICollection`.
    ExternalBaseOfProperty(String),
    /// Code that takes an interface which the type of the member fits without a word of it: the qualified name of the interface's member, its
    /// file, and how many more such interfaces there are.
    FittingInterface(String, RepoPath, usize),
    /// Code that uses members of a type without its name: extension methods of C#, constants of an enum of C. How many members, and one of
    /// them.
    Members(u64, String),
}

impl ImplicitCaller {
    /// Whether it is told beside callers that are known, too: code behind a base or an interface that is external.
    pub fn is_beside_callers(&self) -> bool {
        matches!(
            self,
            Self::ExternalBase(_)
                | Self::ExternalBaseOfProperty(_)
                | Self::StandardInterface(_)
                | Self::FittingInterface(..)
        )
    }
}

/// The bases of a class that a question is about.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum BasesAsked {
    /// All: each may call a method of the class.
    Calling,
    /// Those whose members the class has.
    GivingMembers,
}

/// The classes above that of a member, as far as they tell of it.
#[derive(Default)]
pub(super) struct BasesAbove {
    /// Those of them that are defined elsewhere, but for the own bases of the member's class.
    pub(super) external_bases: Vec<String>,
    /// A class between has a method of the member's name.
    pub(super) has_method: bool,
    /// Any name is a member of one of them: `[key: string]: any`.
    pub(super) takes_any_name: bool,
}

impl Uses<'_> {
    /// Returns the callers of a definition that no line shows; empty where none is known. Of a method whose callers are known
    /// (`has_callers`) those through a base alone that it surely overrides a method of. Reads and parses its file.
    pub fn implicit_callers(
        &self,
        symbol: &SymbolRow,
        has_callers: bool,
    ) -> Result<Vec<ImplicitCaller>> {
        let Some(file) = self.read.file(symbol.path.as_str())? else {
            return Ok(Vec::new());
        };
        let facts = self.read.facts_with_places(file.id)?;
        let text = self.sources.read(&symbol.path, file.content);
        let (Some(facts), Some(text)) = (facts, text) else {
            return Ok(Vec::new());
        };
        let Some(known) = facts.symbols.get(symbol.ordinal as usize) else {
            return Ok(Vec::new());
        };
        if known.flags.contains(SymbolFlags::TEST) {
            return Ok(vec![ImplicitCaller::TestRunner]);
        }
        let mut callers = Vec::new();
        let by_name = syntax::called_by_name(&symbol.path, known);
        let is_of_go = facts.family == Family::Go && known.kind == SymbolKind::Method;
        callers.extend(by_name.map(|words| {
            if is_of_go {
                ImplicitCaller::StandardInterface(words)
            } else {
                ImplicitCaller::Language(words)
            }
        }));
        let is_default = facts.exports.iter().any(|it| {
            it.name == "default" && it.specifier.is_empty() && it.local == known.qualified_name
        });
        let by_file_name = syntax::called_by_file_name(&symbol.path, known, is_default);
        callers.extend(by_file_name.map(ImplicitCaller::Language));
        if known.kind == SymbolKind::Constructor {
            callers.push(ImplicitCaller::Language(CONSTRUCTOR));
        }
        if is_only_element(&facts, known) {
            callers.push(ImplicitCaller::Language(ONLY_ELEMENT));
        }
        let has_members = known.kind.is_type() || known.kind == SymbolKind::Namespace;
        if has_members && !has_callers {
            callers.extend(self.used_members(symbol, file.id)?);
            callers.extend(self.finding_base(symbol, &facts, file.id)?);
        }
        let annotations = syntax::handing_annotations(&symbol.path, &text, known, &self.budget);
        callers.extend(annotations.into_iter().map(ImplicitCaller::Annotation));
        let is_property = is_property_of_class(&facts, known);
        if (known.kind == SymbolKind::Method || is_property) && !is_private_member(&facts, known) {
            let mut bases = self.external_bases(
                &facts,
                symbol.ordinal,
                (&symbol.path, Some(file.id)),
                BasesAsked::Calling,
            )?;
            if facts.family != Family::Rust && bases.is_empty() {
                bases = self.bases_of_overridden(&facts, symbol, (&text, file.id))?;
            }
            keep_calling(&facts, symbol.ordinal, &text, has_callers, &mut bases);
            let through = if is_property {
                ImplicitCaller::ExternalBaseOfProperty
            } else {
                ImplicitCaller::ExternalBase
            };
            callers.extend(bases.into_iter().map(through));
        }
        // A field with uses, `name`, is like one of too many interfaces.
        if known.kind == SymbolKind::Method || is_member(known.kind) && !has_callers {
            let home = (&symbol.path, Some(file.id));
            let fitting = self.fitting_interfaces(&facts, known, home)?;
            let n_more = fitting.len().saturating_sub(1);
            let first = fitting.into_iter().next();
            let first = first.map(|it| (it.qualified_name, it.path));
            callers.extend(
                first.map(|(name, path)| ImplicitCaller::FittingInterface(name, path, n_more)),
            );
        }
        Ok(callers)
    }

    /// Returns the external base by which a framework of C# finds a class that no code names: `ControllerBase`.
    fn finding_base(
        &self,
        class: &SymbolRow,
        facts: &FileFacts,
        file: FileId,
    ) -> Result<Option<ImplicitCaller>> {
        let mut members = facts.symbols.iter().zip(0..);
        let member = members.find(|(it, _)| it.parent == Some(class.ordinal));
        let (Family::CSharp, Some((member, at))) = (facts.family, member) else {
            return Ok(None);
        };
        let home = (&class.path, Some(file));
        let mut bases = self.external_bases(facts, at, home, BasesAsked::Calling)?;
        let above = self.bases_above(facts, at, &member.name, home, BasesAsked::Calling)?;
        bases.extend(above.external_bases);
        let mut finding = bases.into_iter();
        let base = finding.find(|it| FINDING_BASES.contains(&it.as_str()));
        Ok(base.map(ImplicitCaller::ExternalBase))
    }

    /// Returns the members of a type that code outside of the type uses; `None` where no use of one is known.
    fn used_members(&self, owner: &SymbolRow, file: FileId) -> Result<Option<ImplicitCaller>> {
        let all = self.read.symbols_of(file)?;
        let is_inside = |it: &&SymbolRow| it.id != owner.id && owner.span.contains(&it.span);
        let inside: Vec<&SymbolRow> = all.iter().filter(is_inside).collect();
        let own: HashSet<SymbolId> = inside.iter().map(|it| it.id).chain([owner.id]).collect();
        let (mut n_used, mut first) = (0, None);
        for member in inside.into_iter().take(MAX_MEMBERS) {
            let edges = self.read.edges_into(member.id)?;
            if edges
                .iter()
                .any(|edge| edge.src.is_none_or(|src| !own.contains(&src)))
            {
                n_used += 1;
                first = first.or(Some(member.name.clone()));
            }
        }
        Ok(first.map(|name| ImplicitCaller::Members(n_used, name)))
    }

    /// Returns the external bases of the classes above that of a method, as far as the method overrides one that those may call: a class
    /// between has a method of its name, or it is marked as one that overrides another.
    fn bases_of_overridden(
        &self,
        facts: &FileFacts,
        method: &SymbolRow,
        (text, file): (&str, FileId),
    ) -> Result<Vec<String>> {
        let home = (&method.path, Some(file));
        let above = self.bases_above(
            facts,
            method.ordinal,
            &method.name,
            home,
            BasesAsked::Calling,
        )?;
        let is_overriding =
            above.has_method || declares_override(&method.span, method.kind, &method.name, text);
        Ok(if is_overriding {
            above.external_bases
        } else {
            Vec::new()
        })
    }

    /// Returns the facts about a member that the classes above its own tell, at any height. `home` is its file, by its row where the
    /// facts are those of the index.
    pub(super) fn bases_above(
        &self,
        facts: &FileFacts,
        member: SymbolIdx,
        member_name: &str,
        home: (&RepoPath, Option<FileId>),
        asked: BasesAsked,
    ) -> Result<BasesAbove> {
        let mut above = BasesAbove::default();
        let mut open = Vec::new();
        let own = bases(facts, member, asked);
        let mut seen: HashSet<String> = own.iter().cloned().collect();
        for base in own {
            open.extend(self.types_meant(&base, facts, home)?);
        }
        let mut next = 0;
        while next < open.len() && open.len() <= MAX_CLASSES {
            let class = open[next].clone();
            next += 1;
            if class.kind.is_type() {
                let Some(file) = self.read.file(class.path.as_str())? else {
                    continue;
                };
                let Some(facts) = self.read.facts_with_places(file.id)? else {
                    continue;
                };
                let flags = facts.symbols.get(class.ordinal as usize).map(|it| it.flags);
                above.takes_any_name |=
                    flags.is_some_and(|it| it.contains(SymbolFlags::ANY_MEMBER));
                let mut members = facts.symbols.iter();
                above.has_method |= members.any(|it| {
                    it.parent == Some(class.ordinal)
                        && it.kind == SymbolKind::Method
                        && it.name == member_name
                });
                for base in bases_of(&facts, class.ordinal, asked) {
                    if !seen.insert(base.clone()) {
                        continue;
                    }
                    let meant = self.types_meant(&base, &facts, (&class.path, Some(file.id)))?;
                    if meant.is_empty() {
                        above.external_bases.push(base);
                    }
                    open.extend(meant);
                }
            }
        }
        Ok(above)
    }

    /// Returns the bases of a member's class that are not defined here: what they offer is not known.
    pub(super) fn external_bases(
        &self,
        facts: &FileFacts,
        member: SymbolIdx,
        home: (&RepoPath, Option<FileId>),
        asked: BasesAsked,
    ) -> Result<Vec<String>> {
        let mut external = Vec::new();
        let class = facts.symbols.get(member as usize).and_then(|it| it.parent);
        for base in bases(facts, member, asked) {
            // `class Client(web.Client)` is not built on itself.
            let is_it = |it: &SymbolRow| it.path == *home.0 && Some(it.ordinal) == class;
            if self.types_meant(&base, facts, home)?.iter().all(is_it) {
                external.push(base);
            }
        }
        Ok(external)
    }

    /// Returns the types of the repository that a name means in a file: those that the file uses by that name. Where the file has no row, its
    /// uses are not bound, or the name is another one here (`import { Base as Root }`), all types that it may mean. A property or a file of
    /// that name is none.
    pub(super) fn types_meant(
        &self,
        name: &str,
        facts: &FileFacts,
        (path, file): (&RepoPath, Option<FileId>),
    ) -> Result<Vec<SymbolRow>> {
        let imported = facts.imports.iter().flat_map(|it| &it.names);
        let mut aliases = imported.filter(|it| it.local == name && it.imported != name);
        // `from .base import Store as BaseStore`
        let alias = aliases.next().map(|it| it.imported.as_str());
        let is_alias = alias.is_some();
        let mut named = Vec::new();
        for name in std::iter::once(name).chain(alias) {
            let all = self.read.symbols_named(&token::normal_form(name))?;
            named.extend(all.into_iter().filter(|it| it.name == name));
        }
        named.retain(|it| !is_member(it.kind) && may_name(&it.path, path));
        let Some(file) = file.filter(|_| !named.is_empty() && !is_alias && binds_bases(facts))
        else {
            return Ok(named);
        };
        let edges = self.read.edges_from(file)?;
        let used: HashSet<SymbolId> = edges.iter().map(|edge| edge.dst).collect();
        named.retain(|it| used.contains(&it.id));
        Ok(named)
    }
}

/// Whether a file is of a language in which the base of a class is bound wherever it is in the repository.
fn binds_bases(facts: &FileFacts) -> bool {
    matches!(facts.family, Family::CSharp | Family::Java)
}

/// Interfaces of .NET and of the JDK with all methods that they have.
const INTERFACES: [(&str, &[&str]); 20] = [
    ("Appendable", &["append"]),
    ("AutoCloseable", &["close"]),
    ("Callable", &["call"]),
    ("Cloneable", &["clone"]),
    ("Closeable", &["close"]),
    ("Comparable", &["compareTo"]),
    ("Comparator", &["compare"]),
    ("Consumer", &["accept"]),
    ("Flushable", &["flush"]),
    ("Iterable", &["forEach", "iterator", "spliterator"]),
    (
        "Iterator",
        &["forEachRemaining", "hasNext", "next", "remove"],
    ),
    ("Predicate", &["test"]),
    ("Runnable", &["run"]),
    ("Supplier", &["get"]),
    ("IAsyncDisposable", &["DisposeAsync"]),
    ("ICloneable", &["Clone"]),
    ("IComparable", &["CompareTo"]),
    ("IDisposable", &["Dispose"]),
    ("IEnumerable", &["GetEnumerator"]),
    ("IEquatable", &["Equals"]),
];

/// Interfaces of .NET whose static methods are called through the type that implements them.
const STATIC_INTERFACES: [&str; 3] = ["IParsable", "ISpanParsable", "IUtf8SpanParsable"];

/// Whether a method is static in a language whose static methods are those of one class: no base calls them.
fn is_static(facts: &FileFacts, method: &Symbol) -> bool {
    matches!(facts.family, Family::CSharp | Family::Java)
        && method.flags.contains(SymbolFlags::STATIC)
}

/// Returns the methods of an external base; `None` where they are not known.
fn known_methods(family: Family, base: &str) -> Option<&'static [&'static str]> {
    if !matches!(family, Family::CSharp | Family::Java) {
        return None;
    }
    if STATIC_INTERFACES.contains(&base) {
        return Some(&["Parse", "TryParse"]);
    }
    let known = INTERFACES.iter().find(|it| it.0 == base);
    known.map(|it| it.1)
}

/// Whether a member is a property that a base of its class or struct may declare, too: not one of an interface, which is nothing but a name.
fn is_property_of_class(facts: &FileFacts, member: &Symbol) -> bool {
    let owner = member.parent.and_then(|at| facts.symbols.get(at as usize));
    member.kind == SymbolKind::Property && owner.is_some_and(|it| it.kind == SymbolKind::Class)
}

/// Whether no other class can call a method through its own: in C# members are private that say nothing else.
pub(super) fn is_private_member(facts: &FileFacts, method: &Symbol) -> bool {
    const OTHERS: [&str; 7] = [
        "abstract",
        "new",
        "override",
        "partial",
        "protected",
        "public",
        "virtual",
    ];
    let head = method.signature.split('(').next().unwrap_or_default();
    let has = |word: &str| head.split_whitespace().any(|it| it == word);
    let owner = method.parent.and_then(|it| facts.symbols.get(it as usize));
    let is_in_class = owner.is_some_and(|it| it.kind == SymbolKind::Class);
    let is_explicit = head
        .split_whitespace()
        .any(|it| it.contains('.') && it.ends_with(&method.name));
    // One that only its own assembly sees implements no interface, and overrides nothing external.
    let is_internal = has("internal") && !has("protected") && !has("override");
    has("private")
        || facts.family == Family::CSharp && is_internal
        || facts.family == Family::CSharp
            && is_in_class
            && !head.is_empty()
            && !is_explicit
            && !OTHERS.iter().any(|word| has(word))
}

/// Returns the names of the bases that a method may be called through: those of itself, the trait of its `impl` block, else
/// those of its class.
fn bases(facts: &FileFacts, method: SymbolIdx, asked: BasesAsked) -> Vec<String> {
    let own = bases_of(facts, method, asked);
    match facts.symbols.get(method as usize).and_then(|it| it.parent) {
        Some(class) if own.is_empty() => bases_of(facts, class, asked),
        _ => own,
    }
}

/// Returns the names of what a definition itself is built on.
pub(super) fn bases_of(facts: &FileFacts, owner: SymbolIdx, asked: BasesAsked) -> Vec<String> {
    let Some(kind) = facts.symbols.get(owner as usize).map(|it| it.kind) else {
        return Vec::new();
    };
    let own = facts.bindings.iter().filter(|it| it.owner == Some(owner));
    let own = own.filter(|it| match facts.exprs.slots(it.path).as_slice() {
        [Slot::Base(base)] => {
            asked == BasesAsked::Calling || base.gives_members(facts.family, kind)
        }
        _ => false,
    });
    let mut names: Vec<String> = own.filter_map(|it| name(facts, it.value, 0)).collect();
    names.sort();
    names.dedup();
    names.truncate(MAX_BASES);
    names
}

/// Whether it is a member or a local name, which is no base.
fn is_member(kind: SymbolKind) -> bool {
    use SymbolKind::{Constructor, EnumMember, Field, Method, Property};
    matches!(kind, Constructor | EnumMember | Field | Method | Property)
}

/// Whether the head of a method or property says that it overrides another: `@Override`, `override`.
fn declares_override(span: &Span, kind: SymbolKind, name: &str, text: &str) -> bool {
    let whole = text.get(span.start_byte as usize..span.end_byte as usize);
    let name = match kind {
        SymbolKind::Method => format!("{name}("),
        _ => format!(" {name}"),
    };
    let head = whole.and_then(|it| it.split_once(&name));
    head.is_some_and(|(head, _)| {
        let mut words = head.split_whitespace();
        words.any(|it| matches!(it, "@Override" | "override"))
    })
}

/// Leaves those of the external bases of a method or property through which code that knows them may call it. Of one whose callers are known
/// those alone that surely have a member of its name.
pub(super) fn keep_calling(
    facts: &FileFacts,
    at: SymbolIdx,
    text: &str,
    has_callers: bool,
    bases: &mut Vec<String>,
) {
    let Some(member) = facts.symbols.get(at as usize) else {
        return;
    };
    let is_rust = facts.family == Family::Rust;
    if is_rust {
        // A method of one trait is called through no other one that the trait is built on.
        let own = bases_of(facts, at, BasesAsked::Calling);
        bases.retain(|base| own.contains(base));
    }
    // An external base has most often nothing of the name; of traits and marked methods that is known.
    let (span, kind, name) = (&member.span, member.kind, member.name.as_str());
    let is_sure = is_rust || declares_override(span, kind, name, text);
    let is_static = is_static(facts, member);
    bases.retain(|base| {
        let is_calling = match known_methods(facts.family, base) {
            Some(methods) => methods.contains(&name),
            None => is_sure || !has_callers,
        };
        is_calling && (!is_static || STATIC_INTERFACES.contains(&base.as_str()))
    });
}

/// Returns the last name of a type: `Display` of `fmt::Display`, `List` of `List<Row>`.
fn name(facts: &FileFacts, value: ExprId, depth: u32) -> Option<String> {
    let inner = |value| (depth < 8).then(|| name(facts, value, depth + 1)).flatten();
    match facts.exprs.get(value) {
        Expr::Name { name, .. } | Expr::Member { name, .. } | Expr::Imported { name, .. } => {
            let name = facts.exprs.name_of(*name).trim_end_matches("::");
            let name = name.rsplit(['.', ':', ' ']).next().unwrap_or(name);
            let name = split_generic_name(name).map_or(name, |it| it.0);
            (!name.is_empty() && name != "*").then(|| name.to_owned())
        }
        Expr::Instance { of } => inner(*of),
        Expr::Specialized { base, .. } => inner(*base),
        _ => None,
    }
}
