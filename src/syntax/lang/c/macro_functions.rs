//! Functions whose head is a macro: tests (`TEST_F(Suite, Case) {`, `TEST_CASE("opens a store") {`), and those whose name the text of
//! the macro tells (`HANDLER(open) {`).
//!
//! To the grammar the head is a function without a type, or a statement without its sign, with a block behind it.

use tree_sitter::Node;

use super::declarations::DeclarationPlace;
use super::grammar::Kind;
use super::lowering::Lowering;
use crate::ir::{NamedOwner, ReferenceKind, Target, linkage_unit};
use crate::model::{SymbolFlags, SymbolKind};
use crate::syntax::lang::use_recorder::span_of;
use crate::syntax::signature;

/// Macros that make a test of a suite and a name: `TEST_F(Suite, Case) { … }`.
const TEST_MACROS: &[&str] = &[
    "TEST",
    "TEST_F",
    "TEST_P",
    "TYPED_TEST",
    "TYPED_TEST_P",
    "TEST_CASE",
    "TEST_CASE_METHOD",
    "SCENARIO",
    "SECTION",
    "BOOST_AUTO_TEST_CASE",
    "BOOST_FIXTURE_TEST_CASE",
    "START_TEST",
    "UTEST",
    "UTEST_F",
    "TEST_IMPL",
    "BENCHMARK_F",
    "TEMPLATE_TEST_CASE",
    "DOCTEST_TEST_CASE",
    "FUZZ_TEST",
];

/// A function whose head is a macro.
pub(super) struct MacroFunction<'t> {
    /// The node that begins with the macro.
    head: Node<'t>,
    /// The node with the template around it.
    whole: Node<'t>,
    body: Node<'t>,
    macro_name: &'t str,
    arguments: &'t str,
}

impl<'t> Lowering<'t> {
    /// Returns the function of a macro that the grammar takes for one: `TEST_F(Suite, Case) {`.
    pub(super) fn macro_function(
        &self,
        node: Node<'t>,
        whole: Node<'t>,
    ) -> Option<MacroFunction<'t>> {
        let body = self.field(node, self.grammar.fields.body)?;
        self.with_macro_head(node, whole, body)
    }

    /// Returns the function of a macro that the grammar takes for a statement and a block: `TEST_CASE("opens a store") {`.
    pub(super) fn code_behind_macro(
        &self,
        statement: Node<'t>,
        body: Node<'t>,
    ) -> Option<MacroFunction<'t>> {
        let is_statement = statement.kind() == "expression_statement"
            && self.kind(body) == Kind::CompoundStatement
            && !self.text(statement).ends_with(';');
        if !is_statement {
            return None;
        }
        self.with_macro_head(statement, statement, body)
    }

    /// Returns the macro that is the head of a function, with its arguments: `TEST_F(Suite, Case) {`, `HANDLER(open) {`.
    fn with_macro_head(
        &self,
        head: Node<'t>,
        whole: Node<'t>,
        body: Node<'t>,
    ) -> Option<MacroFunction<'t>> {
        let text = self.source.get(head.start_byte()..body.start_byte())?;
        let (name, rest) = text.trim_end().split_once('(')?;
        let macro_name = name.trim_end();
        let arguments = rest.strip_suffix(')')?;
        let is_name = macro_name
            .bytes()
            .all(|it| it.is_ascii_alphanumeric() || it == b'_');
        let is_macro = || {
            let is_capital = |it: u8| it.is_ascii_uppercase() || it.is_ascii_digit() || it == b'_';
            TEST_MACROS.contains(&macro_name)
                || self.pasting.contains_key(macro_name)
                || macro_name.len() >= 3 && macro_name.bytes().all(is_capital)
        };
        let mut depth = 0_i32;
        let is_one = arguments.bytes().all(|it| {
            depth += i32::from(it == b'(') - i32::from(it == b')');
            depth >= 0
        });
        (is_name && is_one && is_macro()).then_some(MacroFunction {
            head,
            whole,
            body,
            macro_name,
            arguments,
        })
    }

    /// Records the use of the macro that is the head of code inside of a function: `LOOP(i) {`.
    pub(super) fn use_macro_head(&mut self, node: Node<'t>) {
        if let Some(made) = self.macro_function(node, node) {
            self.use_head(&made);
        }
    }

    fn use_head(&mut self, made: &MacroFunction<'t>) {
        self.push_use(
            made.macro_name,
            Target::Lexical,
            ReferenceKind::Call,
            made.head.start_byte(),
        );
    }

    /// A function whose head is a macro: a test, or one whose name the text of the macro tells. Of another the code is that of the
    /// file.
    pub(super) fn function_of_macro(
        &mut self,
        made: &MacroFunction<'t>,
        context: DeclarationPlace<'t>,
    ) {
        if let Some(test) = made_test(made.macro_name, made.arguments) {
            self.made_function(made, test, context);
            return;
        }
        let parts: Vec<&str> = made.arguments.split(',').map(str::trim).collect();
        let name = self
            .pasting
            .get(made.macro_name)
            .and_then(|it| it.function(&parts));
        let outer = self.symbol;
        if let Some(name) = name {
            self.symbol = Some(self.symbol_of_macro(made, name.clone(), &context));
            self.export(&name, self.line_at(made.head.start_byte()));
            if !context.is_internal {
                self.units.insert(linkage_unit(&name));
            }
        }
        self.use_head(made);
        self.in_block(|it| it.walk_body(made.body));
        self.symbol = outer;
    }

    fn symbol_of_macro(
        &mut self,
        made: &MacroFunction<'t>,
        name: String,
        context: &DeclarationPlace<'t>,
    ) -> u32 {
        let head = self.uncommented(made.whole.start_byte(), made.body.start_byte());
        let head = signature::of_head(&head);
        let function = SymbolKind::Function;
        let symbol = self.add_symbol(name, made.head, function, made.whole, context, head);
        let span = &mut self.facts.symbols[symbol as usize].span;
        let body = span_of(made.body);
        span.end_byte = body.end_byte;
        span.end_line = body.end_line;
        symbol
    }

    /// A function that a test macro makes: `TEST_F(Suite, Case) { … }`.
    fn made_function(
        &mut self,
        made: &MacroFunction<'t>,
        (suite, case): (&'t str, &'t str),
        context: DeclarationPlace<'t>,
    ) {
        let symbol = self.symbol_of_macro(made, case.to_owned(), &context);
        let test = &mut self.facts.symbols[symbol as usize];
        if !suite.is_empty() {
            test.qualified_name = match test.qualified_name.strip_suffix(case) {
                Some(around) => format!("{around}{suite}.{case}"),
                None => format!("{suite}.{case}"),
            };
        }
        test.flags |= SymbolFlags::TEST;
        test.exported = false;
        let outer = self.symbol.replace(symbol);
        self.use_head(made);
        let has_fixture = !suite.is_empty() && !matches!(made.macro_name, "TEST" | "UTEST");
        let outer_owner = self.owner;
        if has_fixture {
            let owner = self.name(&format!("type {suite}"));
            self.facts.owners.push(NamedOwner { symbol, owner });
            self.owner = Some(owner);
            let at = self.text(made.head).find(suite).unwrap_or_default();
            self.push_use(
                suite,
                Target::Value(owner),
                ReferenceKind::Type,
                made.head.start_byte() + at,
            );
        }
        self.in_block(|it| it.walk_body(made.body));
        self.owner = outer_owner;
        self.symbol = outer;
    }
}

/// Returns the suite and the name of a function that a test macro makes: `TEST_F(Suite, Case)`, `TEST_CASE_METHOD(Fixture, "opens")`. A
/// text among the arguments is the name, and a class before it the suite.
pub(super) fn made_test<'t>(macro_name: &str, arguments: &'t str) -> Option<(&'t str, &'t str)> {
    let is_test = TEST_MACROS.contains(&macro_name);
    if !is_test {
        return None;
    }
    if let Some((before, rest)) = arguments.split_once('"') {
        let name = rest.split('"').next().filter(|it| !it.is_empty())?;
        let suite = before.split(['<', ',']).next().unwrap_or_default().trim();
        let is_name = suite
            .bytes()
            .all(|it| it.is_ascii_alphanumeric() || it == b'_');
        return Some((if is_name { suite } else { "" }, name));
    }
    let mut parts = arguments.split(',').map(str::trim);
    let first = parts.next().filter(|it| !it.is_empty())?;
    let second = parts.next().filter(|it| !it.is_empty());
    Some(match second {
        Some(second) if !macro_name.contains("CASE") || macro_name == "BOOST_FIXTURE_TEST_CASE" => {
            (first, second)
        }
        _ => ("", first),
    })
}
