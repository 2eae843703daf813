//! Macros: each is called like a function, and its arguments are expressions where they read as such.
//!
//! To the grammar they are tokens. The bytes of all arguments are parsed as one tuple, array or block, else one by one, with
//! the places that they have in the file; what is no expression is left out.

use std::ops::{ControlFlow, Range};

use tree_sitter::Node;

use super::grammar::Kind;
use super::locals::Local;
use super::lowering::Lowering;
use crate::ir::{Expr, ExprId, ReferenceKind, Slot, SymbolIdx, Target};
use crate::model::BuiltinSet;
use crate::syntax::lang::tree_walk::each_node;
use crate::syntax::parse::parse_range;

/// Macros of the standard library, whose uses are no calls of the repository.
pub(super) static STANDARD_MACROS: BuiltinSet = BuiltinSet::new(
    "Rust: macros",
    "assert assert_eq assert_ne cfg column compile_error concat dbg debug_assert debug_assert_eq debug_assert_ne \
     env eprint eprintln file format format_args include include_bytes include_str line matches module_path \
     option_env panic print println stringify thread_local todo unimplemented unreachable vec write writeln",
);

/// Macros whose arguments behind the first are patterns or text.
static WITH_PATTERNS: BuiltinSet = BuiltinSet::new(
    "Rust: macros with patterns",
    "matches assert_matches debug_assert_matches",
);

/// Macros whose arguments are no code.
static WITHOUT_CODE: BuiltinSet = BuiltinSet::new(
    "Rust: macros without code",
    "stringify concat env option_env include include_str include_bytes cfg compile_error",
);

/// How deep macros in arguments of macros are read.
const MAX_MACRO_DEPTH: usize = 8;

impl<'t> Lowering<'t> {
    /// Lowers the call of a macro to the value that those of the standard library give.
    pub(super) fn macro_invocation(&mut self, node: Node<'_>) -> ExprId {
        let fields = self.grammar.fields;
        let Some(path) = self.field(node, fields.macro_) else {
            return self.unknown;
        };
        let (name, callee) = self.use_macro(path);
        let Some(tree) = self.child_of(node, Kind::TokenTree) else {
            return self.unknown;
        };
        if WITHOUT_CODE.has(name) || self.macro_depth >= MAX_MACRO_DEPTH {
            return match name {
                "include_str" | "concat" | "env" | "stringify" => self.standard("str", &[]),
                _ => self.unknown,
            };
        }
        self.macro_depth += 1;
        let values = self.in_block(|this| this.arguments(tree, WITH_PATTERNS.has(name)));
        self.macro_depth -= 1;
        match name {
            "format" => self.string(),
            "vec" => self.sequence("Vec", values),
            "dbg" => values.first().copied().unwrap_or(self.unknown),
            "matches" => self.standard("bool", &[]),
            _ if callee == self.unknown => callee,
            _ => self.add(Expr::Call {
                callee,
                types: Box::default(),
                args: values.into(),
            }),
        }
    }

    /// Lowers the code of a rule of a macro: a call is what it gives, with the arguments in the place of the parameters.
    pub(super) fn macro_rule(&mut self, rule: Node<'_>, symbol: SymbolIdx) {
        let fields = self.grammar.fields;
        let sides = (
            self.field(rule, fields.left),
            self.field(rule, fields.right),
        );
        let (Some(left), Some(right)) = sides else {
            return;
        };
        let mut params = Vec::new();
        for child in self.children(left) {
            match self.kind(child) {
                Kind::TokenBindingPattern => {
                    let name = self.field(child, fields.name);
                    params.push(name.map_or("", |it| self.text(it)));
                }
                Kind::TokenRepetitionPattern => return,
                _ => {}
            }
        }
        let Ok(n_params) = u8::try_from(params.len()) else {
            return;
        };
        let outer_params = std::mem::replace(&mut self.rule_params, params);
        let was_in_rule = std::mem::replace(&mut self.is_in_rule, true);
        let was_in_function = std::mem::replace(&mut self.in_function, true);
        let values = self.inside(symbol, |this| {
            this.in_block(|this| this.parsed(right, right.byte_range()))
        });
        self.in_function = was_in_function;
        self.is_in_rule = was_in_rule;
        self.rule_params = outer_params;
        if let Some([value]) = values.as_deref() {
            let value = *value;
            self.bind(Some(symbol), &[Slot::Param(n_params), Slot::Return], value);
        }
    }

    /// The argument in the place of a parameter of the macro around.
    pub(super) fn rule_param(&mut self, node: Node<'_>) -> ExprId {
        let name = self.text(node);
        let place = self.rule_params.iter().position(|it| *it == name);
        match place.and_then(|at| u8::try_from(at).ok()) {
            Some(index) => self.add(Expr::Argument { index }),
            None => self.unknown,
        }
    }

    /// Records the use of a macro. Returns its name.
    fn use_macro(&mut self, path: Node<'_>) -> (&'t str, ExprId) {
        let fields = self.grammar.fields;
        match self.kind(path) {
            Kind::Identifier => {
                let name = self.text(path);
                if STANDARD_MACROS.has(name) && !self.own_macros.contains(name) {
                    return (name, self.unknown);
                }
                let (target, callee) = if let Some(Local::Item(at)) = self.locals.item(name) {
                    (Target::Symbol(at), self.add(Expr::Symbol(at)))
                } else {
                    self.macros.insert(name);
                    let value = self.name(&format!("{name}!"));
                    (Target::Value(value), value)
                };
                self.push_use(path, target, ReferenceKind::Call);
                (name, callee)
            }
            Kind::ScopedIdentifier => {
                let Some(name) = self.field(path, fields.name) else {
                    return ("", self.unknown);
                };
                let text = self.text(name);
                self.macros.insert(text);
                let receiver = match self.field(path, fields.path) {
                    Some(path) => self.qualifier(path),
                    None => self.crate_root("crate"),
                };
                let value = self.member_of(receiver, &format!("{text}!"));
                self.push_use(name, Target::Value(value), ReferenceKind::Call);
                (text, value)
            }
            _ => ("", self.unknown),
        }
    }

    /// Lowers the arguments of a macro. Returns their values.
    fn arguments(&mut self, tree: Node<'_>, has_patterns: bool) -> Vec<ExprId> {
        if tree.child_count() <= 2 {
            return Vec::new();
        }
        if !has_patterns {
            let whole = tree.byte_range();
            if let Some(values) = self.parsed(tree, whole) {
                return values;
            }
        }
        let mut values = Vec::new();
        for (at, range) in segments(tree).into_iter().enumerate() {
            if has_patterns && at > 0 {
                break;
            }
            if let Some(found) = self.parsed(tree, range) {
                values.extend(found);
            }
        }
        values
    }

    /// Parses bytes of the file as code and lowers it; `None` where they are none.
    fn parsed(&mut self, tree: Node<'_>, range: Range<usize>) -> Option<Vec<ExprId>> {
        self.macro_bytes += range.len();
        if range.is_empty() || self.macro_bytes > 4 * self.source.len() + (1 << 15) {
            return None;
        }
        let own = tree.start_byte();
        let start = self.position_in(tree, own, range.start);
        let parsed = parse_range(
            &self.grammar.language,
            self.source,
            range,
            start,
            self.budget,
        )?;
        let root = parsed.root_node();
        if has_errors(root) {
            return None;
        }
        let statements = self.children(root);
        let only = match statements.as_slice() {
            [one] => Some(*one),
            [one, rest @ ..] if rest.iter().all(|it| it.kind() == "empty_statement") => Some(*one),
            _ => None,
        };
        let inner = only
            .filter(|it| self.kind(*it) == Kind::ExpressionStatement)
            .and_then(|it| self.children(it).first().copied());
        let Some(inner) = inner else {
            if self.in_function {
                self.block(root);
            } else {
                self.items(root);
            }
            return Some(Vec::new());
        };
        match self.kind(inner) {
            Kind::Block if !self.in_function => {
                self.items(inner);
                Some(Vec::new())
            }
            Kind::TupleExpression | Kind::ArrayExpression | Kind::Parenthesized => {
                let children = self.children(inner);
                let mut values = Vec::new();
                for child in children {
                    values.push(self.expr(child));
                }
                Some(values)
            }
            _ => Some(vec![self.expr(inner)]),
        }
    }

    /// Returns the position of a byte at or behind the beginning of a node.
    fn position_in(&self, node: Node<'_>, from: usize, byte: usize) -> tree_sitter::Point {
        let mut point = node.start_position();
        let between = self.source.get(from..byte).unwrap_or_default();
        match between.rfind('\n') {
            Some(last) => {
                point.row += between.bytes().filter(|it| *it == b'\n').count();
                point.column = between.len() - last - 1;
            }
            None => point.column += between.len(),
        }
        point
    }
}

/// Returns the bytes of each argument: the text between commas, semicolons and arrows.
fn segments(tree: Node<'_>) -> Vec<Range<usize>> {
    let mut cursor = tree.walk();
    let mut all = Vec::new();
    let mut open: Option<Range<usize>> = None;
    let n_children = usize::try_from(tree.child_count()).unwrap_or(usize::MAX);
    for (at, child) in tree.children(&mut cursor).enumerate() {
        if at == 0 || at + 1 == n_children {
            continue;
        }
        if matches!(child.kind(), "," | ";" | "=>") {
            all.extend(open.take());
            continue;
        }
        // `error = %e`, `?path`
        if matches!(child.kind(), "%" | "?" | "=") {
            open = None;
            continue;
        }
        open = Some(match open {
            Some(known) => known.start..child.end_byte(),
            None => child.byte_range(),
        });
    }
    all.extend(open);
    all
}

/// Whether a tree has more errors than a missing end of the statement.
fn has_errors(root: Node<'_>) -> bool {
    let found = each_node(root, |node| {
        if node.is_error() || node.is_missing() && node.kind() != ";" {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(node.has_error())
        }
    });
    found.is_some()
}
