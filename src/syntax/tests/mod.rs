//! Tests of the room as a whole: what it says about small files of every form.

mod angular;
mod chunks;
mod commonjs;
mod definitions;
mod hints;
mod laws;
mod literal_types;
mod locals;
mod modules;
mod templates;
mod types;
mod uses;

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::{by_path, extract};
use crate::ir::{
    AMBIENT_UNIT, BaseKind, ContainerKind, Expr, ExprId, Extraction, FileFacts, PathId, Reference,
    Slot, Target, TemplateNameKind,
};
use crate::model::{Budget, RepoPath};

pub(super) fn read(path: &str, source: &str) -> Extraction {
    let budget = Budget::unlimited(Arc::new(AtomicBool::new(false)));
    let language = by_path(&RepoPath::new(path).unwrap());
    extract(language, source, true, &budget).unwrap()
}

/// One line a symbol: `kind qualified.name [*] lines [^parent]`, `*` for an exported one.
pub(super) fn symbols(path: &str, source: &str) -> String {
    let symbols = read(path, source).facts.symbols;
    symbols.iter().fold(String::new(), |mut out, symbol| {
        let mark = if symbol.exported { "*" } else { "" };
        let (kind, name) = (symbol.kind.as_str(), &symbol.qualified_name);
        let (from, to) = (symbol.span.start_line, symbol.span.end_line);
        write!(out, "{kind} {name}{mark} {from}-{to}").unwrap();
        if let Some(parent) = symbol.parent {
            write!(out, " ^{}", symbols[parent as usize].name).unwrap();
        }
        out + "\n"
    })
}

/// One line an import: `line kind specifier: imported>local …`. Without that of the names that all files see, which each script has.
pub(super) fn imports(path: &str, source: &str) -> String {
    read(path, source)
        .facts
        .imports
        .iter()
        .filter(|import| import.specifier != AMBIENT_UNIT)
        .fold(String::new(), |mut out, import| {
            let mark = if import.type_only { " type" } else { "" };
            write!(
                out,
                "{} {}{mark} {}:",
                import.line,
                import.kind.as_str(),
                import.specifier
            )
            .unwrap();
            for name in &import.names {
                let mark = if name.type_only { "type " } else { "" };
                write!(out, " {mark}{}>{}", name.imported, name.local).unwrap();
            }
            out + "\n"
        })
}

/// One line an export: `kind name = local [from specifier]`.
pub(super) fn exports(path: &str, source: &str) -> String {
    read(path, source)
        .facts
        .exports
        .iter()
        .fold(String::new(), |mut out, export| {
            let mark = if export.type_only { " type" } else { "" };
            write!(
                out,
                "{}{mark} {} = {}",
                export.kind.as_str(),
                export.name,
                export.local
            )
            .unwrap();
            if !export.specifier.is_empty() {
                write!(out, " from {}", export.specifier).unwrap();
            }
            out + "\n"
        })
}

/// One line a use: `kind receiver.name in symbol`.
pub(super) fn uses(path: &str, source: &str) -> String {
    let facts = read(path, source).facts;
    facts
        .references
        .iter()
        .fold(String::new(), |mut out, used| {
            write!(out, "{} ", used.kind.as_str()).unwrap();
            out += &receiver(&facts, used);
            let symbol = symbol_name(&facts, used.symbol);
            writeln!(out, "{} in {symbol}", facts.name(used)).unwrap();
            out
        })
}

/// The text before the name of a use, with a dot: a chain of names, `?` for an inferred receiver; in markup `<` for an
/// element, `<a` for an attribute of the element `a`, `[` for one of another, `|` for a pipe.
pub(super) fn receiver(facts: &FileFacts, used: &Reference) -> String {
    match used.target {
        Target::Member {
            receiver,
            is_inferred: false,
        } => {
            let receiver = said(facts, receiver);
            let (_, chain) = receiver.split_once(' ').unwrap();
            format!("{chain}.")
        }
        Target::Member { .. } => "?.".to_owned(),
        Target::Markup(TemplateNameKind::Element) => "<.".to_owned(),
        Target::Markup(TemplateNameKind::Attribute(None)) => "[.".to_owned(),
        Target::Markup(TemplateNameKind::Attribute(Some(element))) => {
            format!("<{}.", facts.exprs.name_of(element))
        }
        Target::Markup(TemplateNameKind::Pipe) => "|.".to_owned(),
        Target::Lexical | Target::Value(_) | Target::Symbol(_) | Target::Unknown => String::new(),
    }
}

fn symbol_name(facts: &FileFacts, symbol: Option<u32>) -> &str {
    symbol.map_or("-", |at| &facts.symbols[at as usize].qualified_name)
}

/// Writes an expression as a word, what that speaks of, and steps from there: `new A` for `new A()`, `call f:[].b` for
/// `f()[0].b`, `element A` for an `A[]`; `A of b` for the member `A` of the inner symbol `b`.
pub(super) fn said(facts: &FileFacts, expr: ExprId) -> String {
    if let Expr::Union(all) = facts.exprs.get(expr) {
        let all: Vec<String> = all.iter().map(|one| said(facts, *one)).collect();
        return all.join(" | ");
    }
    let (mut at, mut steps) = (expr, Vec::new());
    loop {
        if let Some((word, named)) = begins(facts, at) {
            let roots = inner_root(facts, at);
            let steps: Vec<String> = steps.into_iter().rev().collect();
            let steps = if steps.is_empty() {
                String::new()
            } else {
                format!(":{}", steps.join("."))
            };
            return format!("{word} {named}{steps}{roots}");
        }
        let (object, step) = match facts.exprs.get(at) {
            Expr::Member { object, name } => (*object, facts.exprs.name_of(*name).to_owned()),
            Expr::Element { object } => (*object, "[]".to_owned()),
            Expr::ComputedMember { object, key } => {
                (*object, format!("[{}]", facts.exprs.name_of(*key)))
            }
            Expr::Construct { class } => (*class, "{}".to_owned()),
            Expr::Param { callee, index } => (*callee, format!("({index})")),
            Expr::Call {
                callee,
                types,
                args,
            } => {
                let all = |all: &[ExprId]| {
                    let all = all.iter().map(|one| given(facts, *one, "instance"));
                    all.collect::<Vec<_>>().join(",")
                };
                let types: Vec<String> =
                    types.iter().map(|one| given(facts, *one, "type")).collect();
                let types = if types.is_empty() {
                    String::new()
                } else {
                    format!("<{}>", types.join(","))
                };
                (*callee, format!("({types}{})", all(args)))
            }
            other => panic!("{other:?} has no beginning"),
        };
        steps.push(step);
        at = object;
    }
}

/// A chain of names with what it is given, where an expression is nothing else.
fn chain(facts: &FileFacts, expr: ExprId) -> Option<String> {
    let name = |name| facts.exprs.name_of(name).to_owned();
    Some(match facts.exprs.get(expr) {
        Expr::Name { name: id, .. } => name(*id),
        Expr::Receiver { .. } => "this".to_owned(),
        Expr::Super { .. } => "super".to_owned(),
        Expr::Symbol(at) => facts.symbols[*at as usize].name.clone(),
        Expr::TypeParam { owner, index, .. } => {
            format!("{}{index}", type_parameter(facts, *owner))
        }
        Expr::Argument { index } => format!("&{index}"),
        Expr::Member { object, name: id } => {
            format!("{}.{}", chain(facts, *object)?, name(*id))
        }
        Expr::Specialized { base, args } => {
            let args = args.iter().map(|one| given(facts, *one, "type"));
            let args: Vec<String> = args.collect();
            format!("{}<{}>", chain(facts, *base)?, args.join(","))
        }
        _ => return None,
    })
}

/// The mark of a type parameter: of a type, or of a function.
fn type_parameter(facts: &FileFacts, owner: u32) -> char {
    use crate::model::SymbolKind::{Class, Interface, Type};
    let kind = facts.symbols[owner as usize].kind;
    if matches!(kind, Class | Interface | Type) {
        '%'
    } else {
        '^'
    }
}

/// The types or arguments that are given, without the word where that is the usual one.
fn given(facts: &FileFacts, expr: ExprId, usual: &str) -> String {
    if *facts.exprs.get(expr) == Expr::Unknown {
        return String::new();
    }
    let text = said(facts, expr);
    match text.split_once(' ') {
        Some((word, rest)) if word == usual => rest.to_owned(),
        _ => text,
    }
}

fn begins(facts: &FileFacts, expr: ExprId) -> Option<(&'static str, String)> {
    let instance = |expr: ExprId| match facts.exprs.get(expr) {
        Expr::Instance { of } => chain(facts, *of),
        _ => None,
    };
    Some(match facts.exprs.get(expr) {
        Expr::Unknown => ("unknown", String::new()),
        Expr::Instance { of } => ("type", chain(facts, *of)?),
        Expr::Construct { class } => ("new", chain(facts, *class)?),
        Expr::Container { kind, element } => {
            let word = match kind {
                ContainerKind::Sequence => "element",
                ContainerKind::Stream => "stream",
                ContainerKind::Map => "map",
                ContainerKind::IndexSignature => "keyed",
            };
            (word, instance(*element)?)
        }
        Expr::Callable { result } => ("gives", instance(*result)?),
        Expr::Call {
            callee,
            types,
            args,
        } if types.is_empty() && args.is_empty() => ("call", chain(facts, *callee)?),
        Expr::Imported { import, name } => {
            let import = &facts.imports[*import as usize].specifier;
            let name = facts.exprs.name_of(*name);
            ("import", format!("{name} from {import}"))
        }
        _ => ("value", chain(facts, expr)?),
    })
}

fn inner_root(facts: &FileFacts, mut expr: ExprId) -> String {
    loop {
        expr = match facts.exprs.get(expr) {
            Expr::Member { object, .. } => *object,
            Expr::Construct { class: one }
            | Expr::Instance { of: one }
            | Expr::Specialized { base: one, .. }
            | Expr::Container { element: one, .. }
            | Expr::Callable { result: one }
            | Expr::Call { callee: one, .. } => *one,
            Expr::Symbol(at) => {
                return format!(" of {}", facts.symbols[*at as usize].qualified_name);
            }
            _ => return String::new(),
        };
    }
}

/// A path as the names of its slots: `a.b`, `(1).(0)`, `return`, `extends`.
fn path(facts: &FileFacts, owner: Option<u32>, path: PathId) -> String {
    let name = |id| facts.exprs.name_of(id);
    let mark = owner.map_or('%', |owner| type_parameter(facts, owner));
    let slots = facts.exprs.slots(path).into_iter().map(|slot| match slot {
        Slot::Member(id) => name(id).to_owned(),
        Slot::Key(id) => format!("[{}]", name(id)),
        Slot::Return => "return".to_owned(),
        Slot::Param(at) => format!("({at})"),
        Slot::Base(BaseKind::Extends) => "extends".to_owned(),
        Slot::Base(BaseKind::Implements) => "implements".to_owned(),
        Slot::TypeParamBound(at) => format!("{mark}{at}"),
        Slot::TypeParamDefault(at) => format!("{mark}{at}="),
        Slot::All => format!("{mark}*"),
        Slot::Assigned => "assigned".to_owned(),
    });
    slots.collect::<Vec<_>>().join(".")
}

/// One line a binding: `owner path: expression`.
pub(super) fn owned(file: &str, source: &str) -> String {
    let facts = read(file, source).facts;
    let mut out = String::new();
    for one in &facts.bindings {
        let owner = symbol_name(&facts, one.owner);
        let mut value = said(&facts, one.value);
        if let Some((_, Slot::Base(_))) = facts.exprs.last(one.path) {
            value = value.replace("value ", "base ");
        }
        writeln!(
            out,
            "{owner} {}: {value}",
            path(&facts, one.owner, one.path)
        )
        .unwrap();
    }
    out
}

/// One line a reference whose name or receiver a local scope binds, or whose receiver is an expression:
/// `[.]name: expression`, `= symbol` for one of the file's, `-` for what is unknown.
pub(super) fn locals(path: &str, source: &str) -> String {
    let facts = read(path, source).facts;
    let mut out = String::new();
    for used in &facts.references {
        let (dot, local) = match used.target {
            Target::Lexical | Target::Markup(_) => continue,
            Target::Unknown => ("", "-".to_owned()),
            Target::Value(expr) => ("", said(&facts, expr)),
            Target::Symbol(at) => (
                "",
                format!("= {}", facts.symbols[at as usize].qualified_name),
            ),
            Target::Member {
                receiver,
                is_inferred,
            } => {
                let is_inner = !inner_root(&facts, receiver).is_empty();
                if !is_inferred && !is_inner {
                    continue;
                }
                let is_unknown = *facts.exprs.get(receiver) == Expr::Unknown;
                let said = if is_unknown {
                    "-".to_owned()
                } else {
                    said(&facts, receiver)
                };
                (".", said)
            }
        };
        writeln!(out, "{dot}{}: {local}", facts.name(used)).unwrap();
    }
    out
}

/// Compares line by line, so that a failure shows the line.
pub(super) fn same(found: &str, expected: &str) {
    let trim = |text: &str| -> Vec<String> {
        text.lines()
            .map(|line| line.trim().to_owned())
            .filter(|line| !line.is_empty())
            .collect()
    };
    assert_eq!(trim(found), trim(expected));
}
