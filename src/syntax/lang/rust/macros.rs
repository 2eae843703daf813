//! Macros: each is called like a function, and its arguments are expressions where they read as such.
//!
//! To the grammar they are tokens. The bytes of all arguments are parsed as one tuple, array or block, else one by one, with
//! the places that they have in the file, and those of `{"key": value}` part by part; of tokens that are no expression the names are looked
//! up in the scopes around.
//! `matches!` is read as the `match` that it stands for.

use std::borrow::Cow;
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

/// Macros whose texts name what they show: `println!("{LIMIT} items")`. Those of the usual libraries for logs and errors are among them.
static FORMATTING: BuiltinSet = BuiltinSet::new(
    "Rust: macros of format texts",
    "anyhow assert assert_eq assert_ne bail debug debug_assert debug_assert_eq debug_assert_ne ensure eprint eprintln \
     error format format_args info log panic print println todo trace unimplemented unreachable warn write writeln",
);

/// Words behind which a token is a name that is defined there.
const DECLARING: &[&str] = &[
    "const",
    "enum",
    "fn",
    "let",
    "mod",
    "mutable_specifier",
    "static",
    "struct",
    "trait",
    "type",
    "union",
];

/// Signs behind which a token is no name of a scope: a member, a variable of `quote!`, a lifetime.
const NO_NAME_BEHIND: &[&str] = &[".", "#", "$", "'", "::"];

/// Bytes of a file that is copied for a path at its end.
const MAX_COPIED: usize = 1 << 16;

/// Bytes that reading a path counts for, beside its own.
const PATH_COST: usize = 64;

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
        if FORMATTING.has(name) {
            self.captured(tree);
        }
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

    /// Lowers the constants that format texts name, `{LIMIT}` and `{LIMIT:>width$}`. A name with a small letter is that of a local, which is no
    /// definition.
    fn captured(&mut self, tree: Node<'_>) {
        for literal in self.children(tree) {
            if !matches!(self.kind(literal), Kind::StringLiteral | Kind::RawString) {
                continue;
            }
            let text = self.source.get(literal.byte_range()).unwrap_or_default();
            for (at, _) in text.match_indices('{') {
                let rest = &text[at + 1..];
                let is_word = |c: char| c.is_alphanumeric() || c == '_';
                let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
                let is_capture = rest.starts_with(char::is_uppercase)
                    && rest[end..].starts_with(['}', ':'])
                    // `{{` is a brace.
                    && (at - text[..at].trim_end_matches('{').len()).is_multiple_of(2);
                if is_capture {
                    let from = literal.start_byte() + at + 1;
                    self.parsed(literal, from..from + end);
                }
            }
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
        let mut is_repeated = false;
        let mut params = Vec::new();
        for child in self.children(left) {
            match self.kind(child) {
                Kind::TokenBindingPattern => {
                    let name = self.field(child, fields.name);
                    params.push(name.map_or("", |it| self.text(it)));
                }
                Kind::TokenRepetitionPattern => is_repeated = true,
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
            this.in_block(|this| {
                let whole = this.parsed(right, right.byte_range());
                if whole.is_none() {
                    this.each_argument(right);
                }
                whole
            })
        });
        self.in_function = was_in_function;
        self.is_in_rule = was_in_rule;
        self.rule_params = outer_params;
        if let Some([value]) = values.as_deref()
            && !is_repeated
        {
            let value = *value;
            self.bind(Some(symbol), &[Slot::Param(n_params), Slot::Return], value);
        }
    }

    /// Lowers the bodies of the functions that a rule of a macro makes, with nothing known of their parameters.
    pub(super) fn code_in_rule(&mut self, node: Node<'_>) {
        let fields = self.grammar.fields;
        let Some(body) = self.field(node, fields.body) else {
            return;
        };
        match self.kind(node) {
            Kind::Function => self.in_block(|this| {
                this.bind_local("self", this.unknown);
                if let Some(params) = this.field(node, fields.parameters) {
                    for param in this.children(params) {
                        if let Some(pattern) = this.field(param, fields.pattern) {
                            this.pattern(pattern, this.unknown);
                        }
                    }
                }
                this.block(body);
            }),
            Kind::Impl | Kind::Trait | Kind::Mod => self.items(body),
            _ => {}
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
                    let value = self.imported_in_function(name);
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

    /// Lowers the name of a macro: `crate::__log!` for `log!` behind `use crate::__log as log;` in the function around.
    fn imported_in_function(&mut self, name: &str) -> ExprId {
        if let Some(Local::Used(path)) = self.locals.item(name)
            && let Expr::Member { object, name } = *self.facts.exprs.get(path)
        {
            let last = self.facts.exprs.name_of(name).to_owned();
            return self.member_of(object, &format!("{last}!"));
        }
        self.name(&format!("{name}!"))
    }

    /// Lowers the arguments of a macro. Returns their values.
    fn arguments(&mut self, tree: Node<'_>, has_patterns: bool) -> Vec<ExprId> {
        if tree.child_count() <= 2 {
            return Vec::new();
        }
        if has_patterns {
            if !self.matched(tree) {
                let first = segments(&tokens_in(tree)).into_iter().next();
                first.and_then(|range| self.parsed(tree, range));
            }
            return Vec::new();
        }
        let whole = tree.byte_range();
        if let Some(values) = self.parsed(tree, whole) {
            return values;
        }
        if self.functions_in(tree) {
            return Vec::new();
        }
        self.each_argument(tree)
    }

    /// Lowers the arguments that read as code by themselves.
    fn each_argument(&mut self, tree: Node<'_>) -> Vec<ExprId> {
        let found = self.deeper(|this| {
            let tokens = tokens_in(tree);
            let mut values = Vec::new();
            let mut read = Vec::new();
            for range in segments(&tokens) {
                if let Some(found) = this.parsed(tree, range.clone()) {
                    values.extend(found);
                    read.push(range);
                } else {
                    let from = tokens.partition_point(|it| it.start_byte() < range.start);
                    let to = tokens.partition_point(|it| it.end_byte() <= range.end);
                    this.parts_of(tree, &tokens[from..to], &mut read);
                }
            }
            this.names_between(&tokens, &read);
            values
        });
        found.unwrap_or_default()
    }

    /// Lowers the values of `"key": value`, and those inside the brackets of an argument that is no expression: `tokens` of `tree`. The bytes that were read are
    /// added to `read`, in source order.
    fn parts_of(&mut self, tree: Node<'_>, tokens: &[Node<'_>], read: &mut Vec<Range<usize>>) {
        let parts: Vec<&[Node<'_>]> = tokens.split(|it| it.kind() == ":").collect();
        let is_pair = parts.len() > 1;
        for (at, part) in parts.into_iter().enumerate() {
            let ([first, .., last] | [first @ last]) = part else {
                continue;
            };
            let range = first.start_byte()..last.end_byte();
            let is_read = match part {
                [one] if is_nested(one) => {
                    self.each_argument(*one);
                    true
                }
                // A key is a text or a name, which is no use.
                [_] => at == 0 || is_pair && self.parsed(tree, range.clone()).is_some(),
                _ => is_pair && self.parsed(tree, range.clone()).is_some(),
            };
            if is_read {
                read.push(range);
            }
        }
    }

    /// Lowers the names among the tokens that read as no code, as far as the scopes around have them: `basename` in
    /// `cases! { by_name: basename for "a" => "b" }`. `read` are the bytes that were read, in source order.
    fn names_between(&mut self, tokens: &[Node<'_>], read: &[Range<usize>]) {
        let kind_at = |at: Option<usize>| at.and_then(|at| tokens.get(at)).map(Node::kind);
        let mut at = 0;
        while let Some(token) = tokens.get(at).copied() {
            if self.budget.is_spent() {
                return;
            }
            let first = at;
            at += 1;
            let before = read.partition_point(|it| it.end <= token.start_byte());
            if read
                .get(before)
                .is_some_and(|it| it.start <= token.start_byte())
            {
                continue;
            }
            if is_nested(&token) {
                self.each_argument(token);
                continue;
            }
            if !is_part_of_path(token.kind()) {
                continue;
            }
            while kind_at(Some(at)) == Some("::")
                && kind_at(Some(at + 1)).is_some_and(is_part_of_path)
            {
                at += 2;
            }
            let kind_before = kind_at(first.checked_sub(1));
            let before = first.checked_sub(1).and_then(|it| tokens.get(it));
            let is_ref = before.is_some_and(|it| self.text(*it) == "ref");
            let is_declared = kind_before.is_some_and(|before| {
                DECLARING.contains(&before) || NO_NAME_BEHIND.contains(&before)
            });
            let behind = kind_at(Some(at));
            let is_key = matches!(behind, Some(":" | "=" | "!" | "->"));
            // `|row|` and `for row in …`
            let is_bound = matches!(
                (kind_before, behind),
                (Some("|"), Some("|" | ",")) | (Some(","), Some("|")) | (Some("for"), Some("in"))
            );
            if is_declared || is_ref || is_key || is_bound {
                continue;
            }
            match at - first {
                1 if token.kind() == "identifier" => {
                    self.path_value(token, ReferenceKind::Value);
                }
                1 => {}
                _ => self.path_between(token, tokens[at - 1].end_byte()),
            }
        }
    }

    /// Lowers a path among the tokens of a macro, unless that would copy a large file.
    fn path_between(&mut self, first: Node<'_>, end: usize) {
        let behind = self.source.as_bytes().get(end..).unwrap_or_default();
        let is_ended = behind.iter().take(1 << 10).any(|it| *it == b';');
        if is_ended || self.source.len() < MAX_COPIED {
            self.macro_bytes += PATH_COST;
            self.parsed(first, first.start_byte()..end);
        }
    }

    /// Lowers `matches!(value, pattern if guard)` as `match value { pattern if guard => {} }`, whose names stand at the same places;
    /// false where it does not read so.
    fn matched(&mut self, tree: Node<'_>) -> bool {
        const WORD: &str = "match";
        let Some(invocation) = tree.parent() else {
            return false;
        };
        let mut cursor = tree.walk();
        let commas = tree.children(&mut cursor).filter(|it| it.kind() == ",");
        let commas: Vec<usize> = commas.map(|it| it.start_byte()).collect();
        let open = tree.start_byte();
        let (Some(&first), Some(start)) = (commas.first(), open.checked_sub(WORD.len() + 1)) else {
            return false;
        };
        let end = commas.get(1).copied().unwrap_or(tree.end_byte() - 1);
        // Behind the pattern `assert_matches!` has the text of its failure.
        let rest = segments(&tokens_in(tree))
            .into_iter()
            .skip(2)
            .collect::<Vec<_>>();
        let Some(text) = self
            .source
            .get(..end)
            .filter(|_| start >= invocation.start_byte())
        else {
            return false;
        };
        let mut text = text.as_bytes().to_vec();
        text[start..=open].fill(b' ');
        text[start..start + WORD.len()].copy_from_slice(WORD.as_bytes());
        text[first] = b'{';
        text.extend_from_slice(b" => {}}");
        let Ok(text) = String::from_utf8(text) else {
            return false;
        };
        let from = self.position_in(invocation, invocation.start_byte(), start);
        let n_bytes = text.len();
        let Some(parsed) = self.parse_bytes(&text, start..n_bytes, from) else {
            return false;
        };
        let root = parsed.root_node();
        self.in_block(|this| {
            for statement in this.children(root) {
                this.expr(statement);
            }
        });
        for range in rest {
            self.parsed(tree, range);
        }
        true
    }

    /// Lowers functions whose parameters are given by expressions, `fn f(text in ".*") { … }` of `proptest!`, as if these were types;
    /// false where there are none.
    fn functions_in(&mut self, tree: Node<'_>) -> bool {
        let mut cursor = tree.walk();
        let tokens: Vec<Node<'_>> = tree.children(&mut cursor).collect();
        let (inside, end) = (tree.start_byte() + 1, tree.end_byte() - 1);
        let Some(text) = self.source.get(..end) else {
            return false;
        };
        let mut text = text.as_bytes().to_vec();
        let mut values = Vec::new();
        for (at, _) in tokens.iter().enumerate().filter(|it| it.1.kind() == "fn") {
            let is_list = |it: &&Node<'_>| it.kind() == "token_tree";
            let lists: Vec<Node<'_>> = tokens[at..]
                .iter()
                .skip(2)
                .take_while(is_list)
                .copied()
                .collect();
            let Some(list) = lists
                .iter()
                .take(2)
                .rfind(|it| self.text(**it).starts_with('('))
            else {
                continue;
            };
            // `fn f(a: u8)(b in 0..a)` of `prop_compose!`: two lists are one.
            if lists.first() != Some(list) {
                let outer = lists[0];
                let is_empty = outer.child_count() <= 2;
                text[outer.end_byte() - 1] = if is_empty { b' ' } else { b',' };
                text[list.start_byte()] = b' ';
            }
            for range in segments(&tokens_in(*list)) {
                let mut cursor = list.walk();
                let mut inner = list.children(&mut cursor);
                let word =
                    inner.find(|it| range.contains(&it.start_byte()) && self.text(*it) == "in");
                // `in 0`: there is room for the sign.
                let Some(word) = word.filter(|it| it.end_byte() + 1 < range.end) else {
                    continue;
                };
                for byte in &mut text[word.start_byte()..range.end] {
                    if !matches!(byte, b'\n' | b'\r') {
                        *byte = b' ';
                    }
                }
                text[word.start_byte()] = b':';
                text[word.end_byte() - 1] = b'(';
                text[word.end_byte()] = b')';
                values.push((*list, word.end_byte()..range.end));
            }
        }
        let (false, Ok(text)) = (values.is_empty(), String::from_utf8(text)) else {
            return false;
        };
        let from = self.position_in(tree, tree.start_byte(), inside);
        let Some(parsed) = self.parse_bytes(&text, inside..end, from) else {
            return false;
        };
        for (list, range) in values {
            self.parsed(list, range);
        }
        let root = parsed.root_node();
        if self.in_function {
            self.block(root);
        } else {
            self.items(root);
        }
        true
    }

    /// Parses bytes of a text that has the length of the file up to there; `None` where they are no code.
    fn parse_bytes(
        &mut self,
        text: &str,
        range: Range<usize>,
        start: tree_sitter::Point,
    ) -> Option<tree_sitter::Tree> {
        self.macro_bytes += range.len();
        if range.is_empty() || self.macro_bytes > 4 * self.source.len() + (1 << 15) {
            return None;
        }
        // A statement ends in the first `;` behind it, which may be far off, or missing at the end of a file.
        let behind = text.as_bytes().get(range.end..)?.iter();
        let mut behind = behind.take(1 << 10);
        let ended = if behind.any(|it| *it == b';') {
            Cow::Borrowed(text)
        } else {
            Cow::Owned(format!("{};", text.get(..range.end)?))
        };
        let parsed = parse_range(&self.grammar.language, &ended, range, start, self.budget)?;
        (!has_errors(parsed.root_node())).then_some(parsed)
    }

    /// Parses bytes of the file as code and lowers it; `None` where they are none.
    pub(super) fn parsed(&mut self, tree: Node<'_>, range: Range<usize>) -> Option<Vec<ExprId>> {
        let own = tree.start_byte();
        let start = self.position_in(tree, own, range.start);
        let parsed = self.parse_bytes(self.source, range, start)?;
        let root = parsed.root_node();
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

/// Returns the tokens between the brackets of a tree, those of `$( … ),*` among them.
fn tokens_in(tree: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = tree.walk();
    let all: Vec<Node<'_>> = tree.children(&mut cursor).collect();
    let opens = |it: &Node<'_>| matches!(it.kind(), "(" | "[" | "{");
    let closes = |it: &Node<'_>| matches!(it.kind(), ")" | "]" | "}");
    match (all.iter().position(opens), all.iter().rposition(closes)) {
        (Some(first), Some(last)) if first < last => all[first + 1..last].to_vec(),
        _ => Vec::new(),
    }
}

/// Whether a token has brackets around further tokens.
fn is_nested(token: &Node<'_>) -> bool {
    matches!(token.kind(), "token_tree" | "token_repetition")
}

/// Whether tokens of a kind are names of a path: `crate`, `$crate` and `a` of `crate::a`.
fn is_part_of_path(kind: &str) -> bool {
    matches!(
        kind,
        "identifier" | "self" | "super" | "crate" | "metavariable"
    )
}

/// Returns the bytes of each argument: the text between commas, semicolons and arrows.
fn segments(tokens: &[Node<'_>]) -> Vec<Range<usize>> {
    let mut all = Vec::new();
    let mut open: Option<Range<usize>> = None;
    for child in tokens {
        if matches!(child.kind(), "," | ";" | "=>") {
            all.extend(open.take());
            continue;
        }
        if child.kind() == "token_repetition" {
            all.extend(open.take());
            all.push(child.byte_range());
            continue;
        }
        // `error = %e`, `?path`; behind a value it is the operator: `load()?`.
        if matches!(child.kind(), "%" | "=") || child.kind() == "?" && open.is_none() {
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
