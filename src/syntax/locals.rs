//! The names that a function binds: its parameters, its variables, the functions and classes inside it.
//!
//! `parse(text, { strict }) { const lines = text.split('\n') }` binds `text`, `strict` and `lines`. They are read from the text
//! when they are asked for; the index has definitions alone.

mod c;
mod csharp;

use tree_sitter::{Node, TreeCursor};

use super::Language;
use super::regions::{GrammarRegion, parts};
use crate::model::{Budget, Span};

/// Names of one function.
const MAX_LOCALS: usize = 500;

/// Bytes of a written type.
const MAX_TYPE_BYTES: usize = 160;

/// Levels of a pattern that are looked through: `{ a: { b: [c] } }` has three.
const MAX_PATTERN_DEPTH: usize = 12;

/// The kind of a name that a function binds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LocalKind {
    /// A parameter, also of a function inside it.
    Parameter,
    /// A variable: declared, assigned, caught, counted.
    Variable,
    /// A function inside it.
    Function,
    /// A class or another type inside it.
    Class,
}

impl LocalKind {
    /// Returns the word for it on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Parameter => "parameter",
            Self::Variable => "variable",
            Self::Function => "function",
            Self::Class => "class",
        }
    }
}

/// A name that a function binds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalName {
    /// The name.
    pub name: String,
    /// Its kind.
    pub kind: LocalKind,
    /// Its line, from 1.
    pub line: u32,
    /// The last line, of a function or a class.
    pub end_line: Option<u32>,
    /// The type as it is written.
    pub written_type: Option<String>,
    /// The first line of the block, loop or function around it, where that is not the function that was asked about.
    pub scope: Option<u32>,
}

/// Nodes that bound the life of the names in them, in all grammars.
const SCOPES: &[&str] = &[
    "accessor_declaration",
    "anonymous_method_expression",
    "arrow_function",
    "block",
    "catch_clause",
    "class_body",
    "closure_expression",
    "compound_statement",
    "constructor_declaration",
    "dictionary_comprehension",
    "enhanced_for_statement",
    "fixed_statement",
    "for_expression",
    "for_in_statement",
    "for_range_loop",
    "for_statement",
    "foreach_statement",
    "func_literal",
    "function",
    "function_declaration",
    "function_definition",
    "function_expression",
    "function_item",
    "generator_expression",
    "generator_function",
    "generator_function_declaration",
    "if_expression",
    "if_statement",
    "lambda",
    "lambda_expression",
    "list_comprehension",
    "local_function_statement",
    "match_arm",
    "method_declaration",
    "method_definition",
    "set_comprehension",
    "statement_block",
    "switch_block",
    "switch_expression_arm",
    "switch_section",
    "switch_statement",
    "try_with_resources_statement",
    "using_statement",
    "while_expression",
    "while_statement",
];

/// Those of them that hold names in Python, where a loop or a branch does not.
const PYTHON_SCOPES: &[&str] = &[
    "dictionary_comprehension",
    "function_definition",
    "generator_expression",
    "lambda",
    "list_comprehension",
    "set_comprehension",
];

/// Returns the names that the function at `span` binds, by line; `None` where the language has no grammar, the place has no
/// function, or the budget ended. Costs the parsing of the file.
pub fn locals(
    language: &Language,
    source: &str,
    span: &Span,
    budget: &Budget,
) -> Option<Vec<LocalName>> {
    let (start, end) = (span.start_byte as usize, span.end_byte as usize);
    let all = parts(language, source, budget)?;
    let part = all
        .iter()
        .find(|part: &&GrammarRegion| part.bytes.start <= start && end <= part.bytes.end)?;
    let around = part
        .tree
        .root_node()
        .descendant_for_byte_range(start, end)?;
    let mut reader = LocalsReader {
        source,
        family: match language.id {
            "python" => GrammarFamily::Python,
            "rust" => GrammarFamily::Rust,
            "csharp" => GrammarFamily::CSharp,
            "c" | "cpp" => GrammarFamily::C,
            _ => GrammarFamily::Other,
        },
        root: None,
        found: Vec::new(),
        declared_outside: Vec::new(),
    };
    let mut cursor = around.walk();
    reader.walk(&mut cursor, start, end);
    reader.root?;
    let outside = reader.declared_outside;
    let mut found = reader.found;
    found.retain(|local| !outside.contains(&local.name));
    found.sort_by_key(|local| (local.line, local.scope));
    found.truncate(MAX_LOCALS);
    Some(found)
}

/// Languages whose nodes mean something else than those of the others.
#[derive(Clone, Copy, PartialEq, Eq)]
enum GrammarFamily {
    Python,
    Rust,
    CSharp,
    /// C and C++.
    C,
    Other,
}

/// Reads one function.
struct LocalsReader<'s, 't> {
    source: &'s str,
    family: GrammarFamily,
    /// The function: the first one in its place.
    root: Option<Node<'t>>,
    found: Vec<LocalName>,
    /// Names that `global` and `nonlocal` of Python bind elsewhere.
    declared_outside: Vec<String>,
}

impl<'t> LocalsReader<'_, 't> {
    /// Visits the nodes below a cursor that lie in some bytes, in source order.
    fn walk(&mut self, cursor: &mut TreeCursor<'t>, start: usize, end: usize) {
        loop {
            let node = cursor.node();
            let is_inside = start <= node.start_byte() && node.end_byte() <= end;
            if is_inside {
                self.visit(node);
            }
            let overlaps = node.end_byte() > start && node.start_byte() < end;
            if self.is_full() {
                return;
            }
            if overlaps && cursor.goto_first_child() {
                continue;
            }
            loop {
                if cursor.goto_next_sibling() {
                    break;
                }
                if !cursor.goto_parent() {
                    return;
                }
            }
        }
    }

    /// Whether there are more names than are told.
    fn is_full(&self) -> bool {
        self.found.len() > MAX_LOCALS * 2
    }

    fn visit(&mut self, node: Node<'t>) {
        let kind = node.kind();
        let is_function = match self.family {
            GrammarFamily::C => match kind {
                "function_definition" | "lambda_expression" | "preproc_function_def" => true,
                // A function that is only declared.
                "declaration" | "field_declaration" => {
                    self.root.is_none() && Self::c_parameters(node).is_some()
                }
                _ => false,
            },
            _ => {
                node.child_by_field_name("parameters").is_some()
                    || (kind == "arrow_function" && node.child_by_field_name("parameter").is_some())
                    || matches!(kind, "lambda" | "func_literal")
                    // Of C#: code without parameters.
                    || matches!(kind, "property_declaration" | "event_declaration" | "accessor_declaration")
                    // Of Java: it has the parameters of its record.
                    || kind == "compact_constructor_declaration"
            }
        };
        if self.root.is_none() {
            if is_function && kind != "call_signature" {
                self.root = Some(node);
                self.parameters(node);
            }
            return;
        }
        if is_function {
            self.parameters(node);
        }
        match self.family {
            GrammarFamily::C => return self.visit_c(node),
            GrammarFamily::CSharp => self.visit_csharp(node),
            _ => {}
        }
        match kind {
            "function_declaration"
            | "generator_function_declaration"
            | "function_definition"
            | "method_definition"
            | "method_declaration"
            | "function_item" => self.definition(node, LocalKind::Function),
            "class_declaration"
            | "class_definition"
            | "interface_declaration"
            | "type_alias_declaration"
            | "enum_declaration"
            | "record_declaration"
            | "type_spec"
            | "struct_item"
            | "enum_item"
            | "union_item"
            | "trait_item"
            | "type_item" => self.definition(node, LocalKind::Class),
            // `const x = 1` of ECMAScript; Java has the type beside it.
            "variable_declarator" => {
                let parent = node.parent();
                let is_field = parent.is_some_and(|it| it.kind() == "field_declaration");
                if !is_field {
                    let own = self.type_of(node);
                    let written = own.or_else(|| self.type_of(parent?));
                    let written = written.as_deref();
                    self.field(node, "name", written, LocalKind::Variable);
                }
            }
            "for_in_statement" if node.child_by_field_name("kind").is_some() => {
                self.field(node, "left", None, LocalKind::Variable);
            }
            "catch_clause" => self.field(node, "parameter", None, LocalKind::Variable),
            "assignment" => self.typed_field(node, "left", LocalKind::Variable),
            "named_expression" => self.field(node, "name", None, LocalKind::Variable),
            "for_statement" | "for_in_clause" if self.family == GrammarFamily::Python => {
                self.field(node, "left", None, LocalKind::Variable);
            }
            "as_pattern_target" => self.bind(node, None, LocalKind::Variable, 0),
            "global_statement" | "nonlocal_statement" => {
                let mut cursor = node.walk();
                let names = node.named_children(&mut cursor);
                self.declared_outside
                    .extend(names.map(|name| self.source[name.byte_range()].to_owned()));
            }
            "short_var_declaration" | "range_clause" | "receive_statement" => {
                self.field(node, "left", None, LocalKind::Variable);
            }
            "type_switch_statement" => self.field(node, "alias", None, LocalKind::Variable),
            // Rust: `let`, `for`, `if let` and `while let`, arms of a `match`, constants.
            "let_declaration" => self.typed_field(node, "pattern", LocalKind::Variable),
            "for_expression" | "let_condition" | "match_arm" => {
                self.field(node, "pattern", None, LocalKind::Variable);
            }
            "const_item" | "static_item" => {
                if let Some(name) = node.child_by_field_name("name") {
                    let written = self.type_of(node);
                    let scope = self.scope_of(name);
                    self.push(name, LocalKind::Variable, written.as_deref(), None, scope);
                }
            }
            "var_spec" | "const_spec" => self.names(node, LocalKind::Variable),
            "enhanced_for_statement"
            | "resource"
            | "catch_formal_parameter"
            | "instanceof_expression"
            | "type_pattern" => self.typed_field(node, "name", LocalKind::Variable),
            _ => {}
        }
    }

    /// Returns the type of a node as it is written.
    fn type_of(&self, node: Node<'t>) -> Option<String> {
        let written = node.child_by_field_name("type")?;
        Some(type_on_one_line(&self.source[written.byte_range()]))
    }

    /// Does [`Self::field`] with the type beside the field.
    fn typed_field(&mut self, node: Node<'t>, field: &str, kind: LocalKind) {
        let written = self.type_of(node);
        self.field(node, field, written.as_deref(), kind);
    }

    /// Adds the parameters of a function, and its named results.
    fn parameters(&mut self, function: Node<'t>) {
        self.field(function, "parameter", None, LocalKind::Parameter);
        for field in ["receiver", "parameters", "result"] {
            let list = function.child_by_field_name(field);
            let in_declarator = || {
                Self::c_parameters(function)
                    .filter(|_| field == "parameters" && self.family == GrammarFamily::C)
            };
            let Some(list) = list.or_else(in_declarator) else {
                continue;
            };
            let kind = if field == "result" {
                LocalKind::Variable
            } else {
                LocalKind::Parameter
            };
            if matches!(list.kind(), "identifier" | "implicit_parameter") {
                self.bind(list, None, kind, 0);
                continue;
            }
            let mut cursor = list.walk();
            let all: Vec<Node<'t>> = list
                .named_children(&mut cursor)
                .filter(|it| self.family != GrammarFamily::CSharp || it.kind() == "parameter")
                .collect();
            for one in all {
                self.parameter(one, kind);
            }
            if list.child_by_field_name("name").is_some() {
                // `params int[] all` of C#, the last one, has no node of its own.
                self.names(list, kind);
            }
        }
    }

    fn parameter(&mut self, node: Node<'t>, kind: LocalKind) {
        match node.kind() {
            "parameter_declaration"
            | "optional_parameter_declaration"
            | "variadic_parameter_declaration"
                if self.family == GrammarFamily::C =>
            {
                self.declared(node, kind);
            }
            "parameter_declaration" | "variadic_parameter_declaration" => self.names(node, kind),
            "required_parameter" | "optional_parameter" => self.typed_field(node, "pattern", kind),
            // Rust, C#.
            "parameter" => {
                let is_pattern = node.child_by_field_name("pattern").is_some();
                let field = if is_pattern { "pattern" } else { "name" };
                self.typed_field(node, field, kind);
            }
            "formal_parameter" | "default_parameter" | "typed_default_parameter" => {
                self.typed_field(node, "name", kind);
            }
            "typed_parameter" => {
                if let Some(name) = node.named_child(0) {
                    let written = self.type_of(node);
                    self.bind(name, written.as_deref(), kind, 0);
                }
            }
            "spread_parameter" => {
                let mut cursor = node.walk();
                let declarator = node
                    .named_children(&mut cursor)
                    .find(|it| it.kind() == "variable_declarator");
                if let Some(declarator) = declarator {
                    self.field(declarator, "name", None, kind);
                }
            }
            _ => self.bind(node, None, kind, 0),
        }
    }

    /// Adds the names that a field of a node holds.
    fn field(&mut self, node: Node<'t>, field: &str, written: Option<&str>, kind: LocalKind) {
        if let Some(pattern) = node.child_by_field_name(field) {
            self.bind(pattern, written, kind, 0);
        }
    }

    /// Adds every `name` of a node: `a, b int`.
    fn names(&mut self, node: Node<'t>, kind: LocalKind) {
        let written = self.type_of(node);
        let mut cursor = node.walk();
        let names: Vec<Node<'t>> = node.children_by_field_name("name", &mut cursor).collect();
        for name in names {
            self.bind(name, written.as_deref(), kind, 0);
        }
    }

    /// Adds a function or a class by its name.
    fn definition(&mut self, node: Node<'t>, kind: LocalKind) {
        if self.root.is_some_and(|root| root.id() == node.id()) {
            return;
        }
        if let Some(name) = node.child_by_field_name("name") {
            let scope = node.parent().and_then(|outer| self.scope_of(outer));
            let end_line = Some(line_of(node.end_position().row));
            self.push(name, kind, None, end_line, scope);
        }
    }

    /// Adds the names of a pattern.
    fn bind(&mut self, pattern: Node<'t>, written: Option<&str>, kind: LocalKind, depth: usize) {
        if depth > MAX_PATTERN_DEPTH {
            return;
        }
        match pattern.kind() {
            // A capital letter begins a constant or a variant, as in `None`.
            "identifier"
                if self.family == GrammarFamily::Rust && self.begins_with_capital(pattern) => {}
            "identifier"
            | "implicit_parameter"
            | "type_identifier"
            | "shorthand_field_identifier"
            | "shorthand_property_identifier_pattern"
            | "shorthand_property_identifier" => {
                let scope = self.scope_of(pattern);
                self.push(pattern, kind, written, None, scope);
            }
            // `*name`, `name = 1`, `rows[2]` and `(*run)(int)` of C: the name is inside.
            "init_declarator"
            | "pointer_declarator"
            | "array_declarator"
            | "function_declarator"
            | "reference_declarator"
            | "variadic_declarator"
            | "parenthesized_declarator"
            | "attributed_declarator" => {
                if let Some(inner) = Self::inner_declarator(pattern) {
                    self.bind(inner, written, kind, depth + 1);
                }
            }
            "pair_pattern" => self.below(pattern, "value", kind, depth),
            // `Some(row)`, `Row { id, at: [first, ..] }`, `all @ [_, ..]` of Rust: what it is a pattern of binds nothing.
            "tuple_struct_pattern" | "struct_pattern" | "field_pattern" => {
                let of = pattern.child_by_field_name("type");
                let pair = pattern.child_by_field_name("pattern");
                let key = pair.and_then(|_| pattern.child_by_field_name("name"));
                let mut cursor = pattern.walk();
                let inner: Vec<Node<'t>> = pattern.named_children(&mut cursor).collect();
                let is_no_pattern =
                    |node: &Node<'t>| [of, key].iter().flatten().any(|it| it.id() == node.id());
                for node in inner.into_iter().filter(|node| !is_no_pattern(node)) {
                    self.bind(node, None, kind, depth + 1);
                }
            }
            "match_pattern" => {
                // Behind it may stand a guard.
                if let Some(inner) = pattern.named_child(0) {
                    self.bind(inner, None, kind, depth + 1);
                }
            }
            "assignment_pattern" | "object_assignment_pattern" => {
                self.below(pattern, "left", kind, depth);
            }
            "object_pattern"
            | "array_pattern"
            | "rest_pattern"
            | "mut_pattern"
            | "ref_pattern"
            | "reference_pattern"
            | "slice_pattern"
            | "structured_binding_declarator"
            | "captured_pattern"
            | "or_pattern"
            | "pattern_list"
            | "tuple_pattern"
            | "list_pattern"
            | "list_splat_pattern"
            | "dictionary_splat_pattern"
            | "expression_list"
            | "as_pattern_target"
            | "inferred_parameters"
            | "formal_parameters" => {
                let mut cursor = pattern.walk();
                let inner: Vec<Node<'t>> = pattern.named_children(&mut cursor).collect();
                for node in inner {
                    self.bind(node, None, kind, depth + 1);
                }
            }
            // `a.b = 1`, `a[0] = 1` bind nothing.
            _ => {}
        }
    }

    fn begins_with_capital(&self, node: Node<'t>) -> bool {
        self.source[node.byte_range()].starts_with(char::is_uppercase)
    }

    fn below(&mut self, node: Node<'t>, field: &str, kind: LocalKind, depth: usize) {
        if let Some(inner) = node.child_by_field_name(field) {
            self.bind(inner, None, kind, depth + 1);
        }
    }

    fn push(
        &mut self,
        name: Node<'t>,
        kind: LocalKind,
        written: Option<&str>,
        end_line: Option<u32>,
        scope: Option<u32>,
    ) {
        let text = &self.source[name.byte_range()];
        let is_known = |known: &LocalName| known.name == text && known.scope == scope;
        // Assigned again: the first time tells.
        if text == "_" || text.is_empty() || self.is_full() || self.found.iter().any(is_known) {
            return;
        }
        self.found.push(LocalName {
            name: text.to_owned(),
            kind,
            line: line_of(name.start_position().row),
            end_line,
            written_type: written.map(str::to_owned),
            scope,
        });
    }

    /// Returns the first line of the innermost scope around a node; `None` for the function itself.
    fn scope_of(&self, node: Node<'t>) -> Option<u32> {
        let root = self.root?;
        let kinds = if self.family == GrammarFamily::Python {
            PYTHON_SCOPES
        } else {
            SCOPES
        };
        let mut at = Some(node);
        while let Some(node) = at {
            if node.id() == root.id() {
                return None;
            }
            let is_body = node.parent().is_some_and(|it| it.id() == root.id());
            if kinds.contains(&node.kind()) && !is_body {
                return Some(line_of(node.start_position().row));
            }
            at = node.parent();
        }
        None
    }
}

/// Returns a written type on one line: `string[]` of `: string[]`.
fn type_on_one_line(written: &str) -> String {
    let text = written.trim_start_matches([':', ' ']);
    let plain: Vec<&str> = text.split_whitespace().collect();
    let plain = plain.join(" ");
    let end = plain.floor_char_boundary(MAX_TYPE_BYTES);
    plain[..end].to_owned()
}

fn line_of(row: usize) -> u32 {
    u32::try_from(row + 1).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::locals;
    use crate::model::{Budget, RepoPath};
    use crate::syntax::{by_path, extract};

    /// Returns the names that the first function of a source binds: `kind name:line type @scope`.
    pub(super) fn names(path: &str, source: &str) -> Vec<String> {
        let language = by_path(&RepoPath::new(path).unwrap());
        let budget = Budget::unlimited(Arc::default());
        let facts = extract(language, source, true, &budget).unwrap().facts;
        let symbol = facts
            .symbols
            .iter()
            .find(|it| it.name.starts_with('f'))
            .unwrap();
        let found = locals(language, source, &symbol.span, &budget).unwrap();
        let text = |it: &super::LocalName| {
            let mut text = format!("{} {}:{}", it.kind.as_str(), it.name, it.line);
            if let Some(written) = &it.written_type {
                text.push(' ');
                text.push_str(written);
            }
            if let Some(scope) = it.scope {
                text.push_str(" @");
                text.push_str(&scope.to_string());
            }
            text
        };
        found.iter().map(text).collect()
    }

    #[test]
    fn names_of_rust_are_read() {
        let source = "pub fn f(root: &str, (a, mut b): (u8, u8), Row { id, at: [first, ..] }: Row) -> usize {\n    let mut count: usize = 0;\n    \
            for part in root.split('/') {\n        let length = part.len();\n        count += length;\n    }\n    \
            if let Some(ref row) = find() {\n    }\n    match next() {\n        None => {}\n        all @ Ok(x) | all @ Err(x) if x > MAX => {}\n    }\n    \
            let add = |n: u8, m| n + m;\n    fn inner(p: u8) -> u8 {\n        p\n    }\n    const MAX: u8 = 3;\n    count\n}\n";
        assert_eq!(
            names("a.rs", source),
            [
                "parameter root:1 &str",
                "parameter a:1",
                "parameter b:1",
                "parameter id:1",
                "parameter first:1",
                "variable count:2 usize",
                "variable part:3 @3",
                "variable length:4 @3",
                "variable row:7 @7",
                "variable all:11 @11",
                "variable x:11 @11",
                "variable add:13",
                "parameter n:13 u8 @13",
                "parameter m:13 @13",
                "function inner:14",
                "parameter p:14 u8 @14",
                "variable MAX:17 u8",
            ]
        );
    }

    #[test]
    fn names_of_typescript_are_read() {
        let source = "export function f(job: Job, { a, b: [c] } = x, ...rest) {\n  const id = job.id\n  for (const x of rest) {\n    let y: number = 1\n  }\n  \
            function inner(p) {\n    return p\n  }\n  try {} catch (e) {}\n  job.id = 2\n}\nconst outside = 1\n";
        assert_eq!(
            names("a.ts", source),
            [
                "parameter job:1 Job",
                "parameter a:1",
                "parameter c:1",
                "parameter rest:1",
                "variable id:2",
                "variable x:3 @3",
                "variable y:4 number @3",
                "function inner:6",
                "parameter p:6 @6",
                "variable e:9 @9",
            ]
        );
        assert_eq!(
            names("a.ts", "const f = a => { const b = a }"),
            ["parameter a:1", "variable b:1"]
        );
    }

    #[test]
    fn names_of_python_are_read() {
        let source = "def f(self, a: int, b=1, *args, c: str = '', **kw):\n    global g\n    g = 1\n    x, (y, z) = a\n    x = 2\n    for i in x:\n        n: int = i\n    with open(x) as h:\n        pass\n    def inner(q):\n        r = q\n    return [v for v in x]\n";
        assert_eq!(
            names("a.py", source),
            [
                "parameter self:1",
                "parameter a:1 int",
                "parameter b:1",
                "parameter args:1",
                "parameter c:1 str",
                "parameter kw:1",
                "variable x:4",
                "variable y:4",
                "variable z:4",
                "variable i:6",
                "variable n:7 int",
                "variable h:8",
                "function inner:10",
                "parameter q:10 @10",
                "variable r:11 @10",
                "variable v:12 @12",
            ]
        );
    }

    #[test]
    fn names_of_go_and_java_are_read() {
        let source = "package p\nfunc (s *S) f(a, b int) (n int, err error) {\n\tx, y := a, b\n\tfor i, v := range xs {\n\t\tvar z string\n\t}\n\tgo func(q int) {}(1)\n}\n";
        assert_eq!(
            names("a.go", source),
            [
                "parameter s:2 *S",
                "parameter a:2 int",
                "parameter b:2 int",
                "variable n:2 int",
                "variable err:2 error",
                "variable x:3",
                "variable y:3",
                "variable i:4 @4",
                "variable v:4 @4",
                "variable z:5 string @4",
                "parameter q:7 int @7",
            ]
        );
        let source = "class A {\n  int f(String a, int... b) {\n    List<Line> x = a, y;\n    for (Line l : x) { int k = 0; }\n    x.forEach(q -> q.run());\n    return 1;\n  }\n}\n";
        assert_eq!(
            names("A.java", source),
            [
                "parameter a:2 String",
                "parameter b:2",
                "variable x:3 List<Line>",
                "variable y:3 List<Line>",
                "variable l:4 Line @4",
                "variable k:4 int @4",
                "parameter q:5 @5",
            ]
        );
    }

    #[test]
    fn broken_code_and_no_function_are_no_fault() {
        let budget = Budget::unlimited(Arc::default());
        let language = by_path(&RepoPath::new("a.ts").unwrap());
        for source in ["", "f(", "const f = 1", "function f(a, { b = "] {
            let span = crate::model::Span {
                start_byte: 0,
                end_byte: u32::try_from(source.len()).unwrap(),
                start_line: 1,
                end_line: 1,
            };
            drop(locals(language, source, &span, &budget));
        }
    }
}
