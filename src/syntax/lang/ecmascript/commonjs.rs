//! Definitions by assignment: `module.exports = …`, `exports.open = …`, `Store.prototype.open = function () {}`.

use tree_sitter::Node;

use super::builder::{DeclarationContext, DefinitionForm, EnclosingSymbol, FileBuilder};
use super::frame::{AssignmentTarget, Frame, byte, line_of};
use super::initializers::{self, Initializer, kind_of};
use super::kinds::Kind;
use super::names::is_path;
use super::{assignments, bindings, exports, nodes};
use crate::ir::ExportKind;
use crate::model::SymbolKind;
use crate::syntax::signature;

/// Longest `a = b = c = …`.
const CHAIN_STEPS: usize = 16;

/// The target of an assignment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ExportsTarget<'a> {
    /// `module.exports`, and `exports` where the chain holds that too.
    Module,
    /// `exports` alone, which exports nothing.
    Exports,
    /// `exports.a`, `module.exports.a`
    Export(&'a str),
    /// `a.prototype`: the object, without its last name.
    Prototype(&'a str),
    /// `a.b.c`, `a.prototype.c`, `this.c`: the object and the name.
    Member(&'a str, &'a str),
}

/// `a = …`
pub(super) fn assignment(
    b: &mut FileBuilder<'_>,
    node: Node<'_>,
    frame: &mut Frame,
    parent: &Frame,
) {
    if parent.kind == Kind::Parenthesized && assignments::assigned_pattern(b, node, frame) {
        return;
    }
    let (targets, value) = targets(b, node);
    if parent.kind != Kind::ExpressionStatement {
        // An assignment inside an expression defines no symbol, but it is evidence.
        let context = b.own_context(node);
        return assignments::assigned(b, node, initializers::classify(b, value), &context, frame);
    }
    let context = b.context_of(node, parent);
    let initializer = initializers::classify(b, value);
    assignments::assigned(b, node, initializer, &context, frame);
    if targets.is_empty() {
        return;
    }
    let around = *frame;
    for (target, left) in targets {
        // Each target of a chain is defined where the statement stands, not inside the one before it.
        (frame.enclosing, frame.symbol) = (around.enclosing, around.symbol);
        match target {
            ExportsTarget::Exports => {}
            ExportsTarget::Module => assign_module(b, left, value, initializer, &context, frame),
            ExportsTarget::Export(name) => {
                assign_export(b, name, (left, value), initializer, &context, frame);
            }
            ExportsTarget::Prototype(object) => {
                if let Initializer::Object(_) = initializer {
                    let enclosing = path_owner(b, object, frame);
                    frame.target = AssignmentTarget::Value(enclosing);
                }
            }
            ExportsTarget::Member(object, name) => {
                assign_member(
                    b,
                    (object, name),
                    (left, value),
                    initializer,
                    &context,
                    frame,
                );
            }
        }
    }
}

/// `var app = exports = module.exports = …`: exports the variable.
pub(super) fn declared_chain(b: &mut FileBuilder<'_>, chain: Node<'_>, local: &str) {
    for (target, left) in targets(b, chain).0 {
        let line = line_of(left);
        match target {
            ExportsTarget::Module => exports::add_assignment(b, local, "", line),
            ExportsTarget::Export(name) => b.export_as(name, local, line),
            _ => {}
        }
    }
}

/// The targets of a chain of assignments, `a = b = value`, and the value.
fn targets<'a, 't>(
    b: &FileBuilder<'a>,
    node: Node<'t>,
) -> (Vec<(ExportsTarget<'a>, Node<'t>)>, Node<'t>) {
    let (mut targets, mut at) = (Vec::new(), node);
    for _ in 0..CHAIN_STEPS {
        if b.grammar.kind(at) != Kind::Assignment {
            break;
        }
        let Some((left, right)) = nodes::sides(b, at) else {
            break;
        };
        targets.extend(target_of(b.text(left)).map(|target| (target, left)));
        at = right;
    }
    (targets, at)
}

fn assign_module(
    b: &mut FileBuilder<'_>,
    left: Node<'_>,
    value: Node<'_>,
    initializer: Initializer<'_>,
    context: &DeclarationContext,
    frame: &mut Frame,
) {
    let line = line_of(left);
    match initializer {
        Initializer::Name(name) => exports::add_assignment(b, b.text(name), "", line),
        Initializer::Module(module) => {
            if let Some((local, specifier)) = nodes::member_of_module(b, module) {
                exports::add_assignment(b, local, specifier, line);
            }
        }
        Initializer::Object(object) if is_plain(b, value, object) => {
            exports::add_assignment(b, "", "", line);
            frame.target = AssignmentTarget::Exports;
        }
        Initializer::Assignment(_) => {}
        _ => {
            let exported = context.exported();
            let n_exports = b.exports.len();
            exports::define_default(b, left, value, initializer, &exported, frame);
            // The export is that of the value, not of the left side.
            b.exports.truncate(n_exports);
            if let Some(draft) = frame.symbol.and_then(|at| b.symbols.get(at as usize)) {
                let name = draft.symbol.name.clone();
                exports::add_assignment(b, &name, "", line);
            }
        }
    }
}

/// Returns whether a value is the object itself, not a call that is given it.
fn is_plain(b: &FileBuilder<'_>, value: Node<'_>, object: Node<'_>) -> bool {
    value.id() == object.id()
        || matches!(
            b.grammar.kind(value),
            Kind::Parenthesized | Kind::AsExpression | Kind::Satisfies | Kind::TypeAssertion
        )
}

fn assign_export<'a>(
    b: &mut FileBuilder<'a>,
    name: &'a str,
    (left, value): (Node<'_>, Node<'_>),
    initializer: Initializer<'_>,
    context: &DeclarationContext,
    frame: &mut Frame,
) {
    let line = line_of(left);
    if let Initializer::Name(local) = initializer {
        b.export_as(name, b.text(local), line);
        return;
    }
    let text = b.text(value);
    if name == "__esModule" || matches!(text, "void 0" | "undefined") {
        return;
    }
    let kind = kind_of(initializer);
    let exported = context.exported();
    let mut definition = DefinitionForm::new(name, kind, line, 0);
    definition.signature = assigned_signature(b, left, value, initializer);
    if !initializer.is_function_or_class() {
        let found = bindings::evidence(b, None, Some(value), context.span.start_byte as usize);
        bindings::bind_member(b, 0, name, found, frame);
    }
    let defined = b.define(definition, &exported, frame);
    if let Some(symbol) = defined {
        initializers::own_body(b, initializer, symbol);
    }
    if let Initializer::Module(module) = initializer {
        if let Some((local, specifier)) = nodes::member_of_module(b, module) {
            b.add_export(ExportKind::From, name, local, specifier, line);
        }
    } else {
        b.export_as(name, name, line);
        if let (Some(export), true) = (b.exports.last_mut(), defined.is_some()) {
            export.local.clear();
        }
    }
    if defined.is_some() {
        frame.target = AssignmentTarget::Value(frame.enclosing);
    }
}

fn assign_member<'a>(
    b: &mut FileBuilder<'a>,
    (object, name): (&'a str, &'a str),
    (left, value): (Node<'_>, Node<'_>),
    initializer: Initializer<'_>,
    context: &DeclarationContext,
    frame: &mut Frame,
) {
    match initializer {
        Initializer::Function(_) | Initializer::Class(_) | Initializer::Wrapped(_) => {}
        Initializer::Object(_) => {
            let around = path_owner(b, object, frame);
            let enclosing = b.nest_under(around, name);
            frame.target = AssignmentTarget::Value(enclosing);
            return;
        }
        _ => return,
    }
    // A local name of a function inside is no more than that function's business.
    if let Initializer::Wrapped(_) = initializer
        && frame.scope != 0
    {
        return;
    }
    let kind = match initializer {
        Initializer::Class(_) => SymbolKind::Class,
        _ => SymbolKind::Method,
    };
    let enclosing = path_owner(b, object, frame);
    let mut definition =
        DefinitionForm::new(name, kind, byte(left.end_position().row) + 1, enclosing);
    definition.member = true;
    definition.signature = assigned_signature(b, left, value, initializer);
    if let Some(symbol) = b.define(definition, context, frame) {
        initializers::own_body(b, initializer, symbol);
        frame.target = AssignmentTarget::Value(frame.enclosing);
    }
}

/// The signature of a symbol that an assignment defines.
pub(super) fn assigned_signature(
    b: &FileBuilder<'_>,
    left: Node<'_>,
    value: Node<'_>,
    initializer: Initializer<'_>,
) -> String {
    let start = left.start_byte();
    match initializer {
        Initializer::Function(body) | Initializer::Class(body) | Initializer::Wrapped(body) => {
            signature::of_head(b.between(start, nodes::body_start(b, body)))
        }
        _ => {
            let text = b.between(start, value.end_byte());
            signature::of_value(text, None)
        }
    }
}

/// The enclosing symbol of the members of `path`, a chain of names: `Store.prototype`, `exports.a`, `this.b`.
pub(super) fn path_owner(b: &mut FileBuilder<'_>, path: &str, frame: &Frame) -> u32 {
    let path = path.strip_suffix(".prototype").unwrap_or(path);
    let path = path.strip_prefix("module.exports.").unwrap_or(path);
    let path = path.strip_prefix("exports.").unwrap_or(path);
    if path == "this" {
        return frame.enclosing;
    }
    let path = path.strip_prefix("this.").unwrap_or(path);
    if frame.enclosing != 0 {
        let enclosing = b.nest_under(frame.enclosing, path);
        b.enclosing[enclosing as usize].members = false;
        return enclosing;
    }
    let root = path.split('.').next().unwrap_or(path);
    let parent = b.top_level.get(root).copied();
    b.enclosing.push(EnclosingSymbol {
        prefix: path.to_owned(),
        parent,
        members: true,
        ambient: false,
        is_global: false,
    });
    byte(b.enclosing.len() - 1)
}

fn target_of(text: &str) -> Option<ExportsTarget<'_>> {
    if !is_path(text) {
        return None;
    }
    match text {
        "module.exports" => return Some(ExportsTarget::Module),
        "exports" => return Some(ExportsTarget::Exports),
        _ => {}
    }
    let (object, name) = text.rsplit_once('.')?;
    Some(match (object, name) {
        ("exports" | "module.exports", name) => ExportsTarget::Export(name),
        (object, "prototype") => ExportsTarget::Prototype(object),
        ("module" | "window.module", _) => return None,
        (object, name) => ExportsTarget::Member(object, name),
    })
}

#[cfg(test)]
mod tests {
    use super::{ExportsTarget, target_of};

    #[test]
    fn a_left_side_says_what_is_assigned() {
        assert_eq!(target_of("module.exports"), Some(ExportsTarget::Module));
        assert_eq!(target_of("exports.a"), Some(ExportsTarget::Export("a")));
        assert_eq!(
            target_of("A.prototype"),
            Some(ExportsTarget::Prototype("A"))
        );
        assert_eq!(
            target_of("A.prototype.b"),
            Some(ExportsTarget::Member("A.prototype", "b"))
        );
        assert_eq!(target_of("a[0].b"), None);
        assert_eq!(target_of("a"), None);
    }
}
