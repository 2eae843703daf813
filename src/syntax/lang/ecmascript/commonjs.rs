//! CommonJS: what a file offers by assignment, and members given to objects from outside.
//!
//! Knows `exports`, `module.exports`, prototypes and the calls that define properties. Refuses to follow
//! values: what is assigned is looked at as written.

use tree_sitter::Node;

use super::declare::Definition;
use super::kinds::Kind;
use super::role::Place;
use super::walk::{Frame, Naming, Outer, Walk, byte, line_of, span_of};
use super::worth::Worth;
use crate::ir::{Export, ExportKind};
use crate::model::SymbolKind;
use crate::syntax::signature;

/// Longest left side that can be a chain of names.
const TARGET_BYTES: usize = 160;
/// Longest `a = b = c = …`.
const CHAIN_STEPS: usize = 16;

/// What is assigned to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Target<'a> {
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

impl<'a> Walk<'a> {
    /// `a = …`
    pub(super) fn assignment(&mut self, node: Node<'_>, frame: &mut Frame, parent: &Frame) {
        if parent.kind == Kind::Parenthesized && self.assigned_pattern(node, frame) {
            return;
        }
        let (targets, value) = self.targets(node);
        if parent.kind != Kind::ExpressionStatement {
            // Inside an expression nothing is defined, but what is assigned is known.
            let outer = Outer {
                span: span_of(node),
                ..Outer::default()
            };
            return self.assigned(node, self.worth(value), &outer, frame);
        }
        let outer = self.statement(node, parent);
        let worth = self.worth(value);
        self.assigned(node, worth, &outer, frame);
        if targets.is_empty() {
            return;
        }
        let around = *frame;
        for (target, left) in targets {
            // Each name of a chain stands where the statement stands, not inside the one before it.
            (frame.naming, frame.symbol) = (around.naming, around.symbol);
            match target {
                Target::Exports => {}
                Target::Module => self.assign_module(left, value, worth, &outer, frame),
                Target::Export(name) => {
                    self.assign_export(name, (left, value), worth, &outer, frame);
                }
                Target::Prototype(object) => {
                    if let Worth::Object(_) = worth {
                        let naming = self.path_naming(object, frame);
                        frame.place = Place::Value(naming);
                    }
                }
                Target::Member(object, name) => {
                    self.assign_member((object, name), (left, value), worth, &outer, frame);
                }
            }
        }
    }

    /// `var app = exports = module.exports = …`: the name stands for what is exported.
    pub(super) fn declared_chain(&mut self, chain: Node<'_>, local: &str) {
        for (target, left) in self.targets(chain).0 {
            let line = line_of(left);
            match target {
                Target::Module => self.push_assignment(local, "", line),
                Target::Export(name) => self.offer(name, local, line),
                _ => {}
            }
        }
    }

    /// Returns what a chain of assignments assigns to, and its value.
    fn targets<'t>(&self, node: Node<'t>) -> (Vec<(Target<'a>, Node<'t>)>, Node<'t>) {
        let (mut targets, mut at) = (Vec::new(), node);
        for _ in 0..CHAIN_STEPS {
            if self.grammar.kind(at) != Kind::Assignment {
                break;
            }
            let Some((left, right)) = self.sides(at) else {
                break;
            };
            targets.extend(target_of(self.text(left)).map(|target| (target, left)));
            at = right;
        }
        (targets, at)
    }

    fn assign_module(
        &mut self,
        left: Node<'_>,
        value: Node<'_>,
        worth: Worth<'_>,
        outer: &Outer,
        frame: &mut Frame,
    ) {
        let line = line_of(left);
        match worth {
            Worth::Name(name) => self.push_assignment(self.text(name), "", line),
            Worth::Module(module) => {
                if let Some((local, specifier)) = self.member_of_module(module) {
                    self.push_assignment(local, specifier, line);
                }
            }
            Worth::Object(object) if self.is_plain(value, object) => {
                self.push_assignment("", "", line);
                frame.place = Place::Exports;
            }
            Worth::Assignment(_) => {}
            _ => {
                let exported = Outer {
                    exported: true,
                    ..*outer
                };
                let n_exports = self.exports.len();
                self.define_default(left, value, worth, &exported, frame);
                // Its text begins with the left side, which says nothing; the value says what it is.
                self.exports.truncate(n_exports);
                if let Some(draft) = frame.symbol.and_then(|at| self.drafts.get(at as usize)) {
                    let name = draft.symbol.name.clone();
                    self.push_assignment(&name, "", line);
                }
            }
        }
    }

    /// Returns whether a value is the object itself, not a call that is given it.
    fn is_plain(&self, value: Node<'_>, object: Node<'_>) -> bool {
        value.id() == object.id()
            || matches!(
                self.grammar.kind(value),
                Kind::Parenthesized | Kind::AsExpression | Kind::Satisfies | Kind::TypeAssertion
            )
    }

    fn assign_export(
        &mut self,
        name: &'a str,
        (left, value): (Node<'_>, Node<'_>),
        worth: Worth<'_>,
        outer: &Outer,
        frame: &mut Frame,
    ) {
        let line = line_of(left);
        if let Worth::Name(local) = worth {
            self.offer(name, self.text(local), line);
            return;
        }
        let text = self.text(value);
        if name == "__esModule" || matches!(text, "void 0" | "undefined") {
            return;
        }
        let kind = kind_of(worth);
        let exported = Outer {
            exported: true,
            ..*outer
        };
        let mut definition = Definition::new(name, kind, line, 0);
        definition.signature = self.assigned_signature(left, value, worth);
        if !matches!(worth, Worth::Function(_) | Worth::Class(_)) {
            let found = self.written(None, Some(value), outer.span.start_byte as usize);
            self.member_hint(0, name, found, frame);
        }
        let defined = self.define(definition, &exported, frame);
        if let Some(symbol) = defined {
            self.own_body(worth, symbol);
        }
        if let Worth::Module(module) = worth {
            if let Some((local, specifier)) = self.member_of_module(module) {
                self.exports.push(Export {
                    kind: ExportKind::From,
                    name: name.to_owned(),
                    local: local.to_owned(),
                    specifier: specifier.to_owned(),
                    type_only: false,
                    line,
                });
            }
        } else {
            self.offer(name, name, line);
            if let (Some(export), true) = (self.exports.last_mut(), defined.is_some()) {
                export.local.clear();
            }
        }
        if defined.is_some() {
            frame.place = Place::Value(frame.naming);
        }
    }

    fn assign_member(
        &mut self,
        (object, name): (&'a str, &'a str),
        (left, value): (Node<'_>, Node<'_>),
        worth: Worth<'_>,
        outer: &Outer,
        frame: &mut Frame,
    ) {
        match worth {
            Worth::Function(_) | Worth::Class(_) | Worth::Wrapped(_) => {}
            Worth::Object(_) => {
                let around = self.path_naming(object, frame);
                let naming = self.subnaming(around, name);
                frame.place = Place::Value(naming);
                return;
            }
            _ => return,
        }
        // A local name of a function inside is no more than that function's business.
        if let Worth::Wrapped(_) = worth
            && frame.scope != 0
        {
            return;
        }
        let kind = match worth {
            Worth::Class(_) => SymbolKind::Class,
            _ => SymbolKind::Method,
        };
        let naming = self.path_naming(object, frame);
        let mut definition = Definition::new(name, kind, byte(left.end_position().row) + 1, naming);
        definition.member = true;
        definition.signature = self.assigned_signature(left, value, worth);
        if let Some(symbol) = self.define(definition, outer, frame) {
            self.own_body(worth, symbol);
            frame.place = Place::Value(frame.naming);
        }
    }

    /// Returns the signature of what is assigned.
    pub(super) fn assigned_signature(
        &self,
        left: Node<'_>,
        value: Node<'_>,
        worth: Worth<'_>,
    ) -> String {
        let start = left.start_byte();
        match worth {
            Worth::Function(body) | Worth::Class(body) | Worth::Wrapped(body) => {
                signature::of_head(self.between(start, self.body_start(body)))
            }
            _ => {
                let text = self.between(start, value.end_byte());
                signature::of_value(text, None)
            }
        }
    }

    /// Returns the naming of the members of an object that is written as a chain of names.
    pub(super) fn path_naming(&mut self, path: &str, frame: &Frame) -> u32 {
        let path = path.strip_suffix(".prototype").unwrap_or(path);
        let path = path.strip_prefix("module.exports.").unwrap_or(path);
        let path = path.strip_prefix("exports.").unwrap_or(path);
        if path == "this" {
            return frame.naming;
        }
        let path = path.strip_prefix("this.").unwrap_or(path);
        if frame.naming != 0 {
            let naming = self.subnaming(frame.naming, path);
            self.namings[naming as usize].members = false;
            return naming;
        }
        let root = path.split('.').next().unwrap_or(path);
        let parent = self.tops.get(root).copied();
        self.namings.push(Naming {
            prefix: path.to_owned(),
            parent,
            members: true,
            ambient: false,
        });
        byte(self.namings.len() - 1)
    }
}

/// Returns what an exported value is.
pub(super) fn kind_of(worth: Worth<'_>) -> SymbolKind {
    match worth {
        Worth::Function(_) | Worth::Wrapped(_) => SymbolKind::Function,
        Worth::Class(_) => SymbolKind::Class,
        _ => SymbolKind::Constant,
    }
}

/// Returns whether a text is a chain of names.
pub(super) fn is_path(text: &str) -> bool {
    text.len() <= TARGET_BYTES
        && text.split('.').all(|part| {
            part.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '$' | '#'))
                && part
                    .chars()
                    .all(|c| c.is_alphanumeric() || matches!(c, '_' | '$' | '#'))
        })
}

fn target_of(text: &str) -> Option<Target<'_>> {
    if !is_path(text) {
        return None;
    }
    match text {
        "module.exports" => return Some(Target::Module),
        "exports" => return Some(Target::Exports),
        _ => {}
    }
    let (object, name) = text.rsplit_once('.')?;
    Some(match (object, name) {
        ("exports" | "module.exports", name) => Target::Export(name),
        (object, "prototype") => Target::Prototype(object),
        ("module" | "window.module", _) => return None,
        (object, name) => Target::Member(object, name),
    })
}

#[cfg(test)]
mod tests {
    use super::{Target, target_of};

    #[test]
    fn a_left_side_says_what_is_assigned() {
        assert_eq!(target_of("module.exports"), Some(Target::Module));
        assert_eq!(target_of("exports.a"), Some(Target::Export("a")));
        assert_eq!(target_of("A.prototype"), Some(Target::Prototype("A")));
        assert_eq!(
            target_of("A.prototype.b"),
            Some(Target::Member("A.prototype", "b"))
        );
        assert_eq!(target_of("a[0].b"), None);
        assert_eq!(target_of("a"), None);
    }
}
