//! The part that a name plays at one place of a file: a use, an include, a definition, a comment, …
//!
//! Reads the syntax tree at single bytes. Which definition a use means is not decided here; see `link`.

use tree_sitter::Node;

use super::grammar::{Kind, of};
use super::macro_functions::made_test;
use crate::ir::FileFacts;
use crate::syntax::lang::frontend::SourceWord;
use crate::syntax::occurrences::{OccurrenceRole, starts};

/// How far above a name its declaration is looked for.
const MAX_ANCESTORS: usize = 12;

/// Classifies a word that is no recorded use.
pub(super) fn role_of(_: &FileFacts, node: Node<'_>, word: SourceWord<'_>) -> OccurrenceRole {
    let grammar = of(node);
    match grammar.kind(node) {
        Kind::Comment => OccurrenceRole::Comment,
        _ if node.kind().contains("string") || node.kind() == "escape_sequence" => {
            OccurrenceRole::Text
        }
        Kind::PreprocArg => in_macro(node, word),
        Kind::DestructorName | Kind::OperatorName => declared_by_sign(node),
        _ if !node.kind().ends_with("identifier") => OccurrenceRole::Unknown,
        _ if !word.is_whole => OccurrenceRole::OtherName,
        _ => in_test_head(node, word).unwrap_or_else(|| identifier_role(node)),
    }
}

/// Classifies a name that begins with no letter or with a keyword, `~Store` and `operator+`: a definition where it is declared.
fn declared_by_sign(name: Node<'_>) -> OccurrenceRole {
    match identifier_role(name) {
        OccurrenceRole::Definition => OccurrenceRole::Definition,
        _ => OccurrenceRole::Unknown,
    }
}

/// Classifies a word in the head of a function that a test macro makes, `TEST(Suite, Case) {`: the case is the name of the function, the
/// suite no name of the code.
fn in_test_head(node: Node<'_>, word: SourceWord<'_>) -> Option<OccurrenceRole> {
    let grammar = of(node);
    let mut around = std::iter::successors(node.parent(), Node::parent).take(4);
    let function = around.find(|it| grammar.kind(*it) == Kind::FunctionDefinition)?;
    let body = function.child_by_field_id(grammar.fields.body)?;
    if node.start_byte() >= body.start_byte() {
        return None;
    }
    let head = word
        .source
        .get(function.start_byte()..body.start_byte())?
        .trim_end();
    let (macro_name, arguments) = head.strip_suffix(')')?.split_once('(')?;
    let (suite, case) = made_test(macro_name.trim_end(), arguments)?;
    if word.text == case {
        Some(OccurrenceRole::Definition)
    } else {
        (word.text == suite).then_some(OccurrenceRole::OtherName)
    }
}

/// Classifies a word in the text of a macro: a parameter of the macro, else what it means is known where the macro is called.
fn in_macro(text: Node<'_>, word: SourceWord<'_>) -> OccurrenceRole {
    let before = word.source.get(text.start_byte()..word.start);
    let before = before.unwrap_or_default();
    if is_commented(before) {
        return OccurrenceRole::Comment;
    }
    let n_quotes = before.matches('"').count();
    let fields = of(text).fields;
    let params = text
        .parent()
        .and_then(|it| it.child_by_field_id(fields.parameters))
        .and_then(|it| word.source.get(it.byte_range()));
    if n_quotes % 2 == 1 {
        OccurrenceRole::Text
    } else if params.is_some_and(|it| starts(it, word.text).next().is_some()) {
        OccurrenceRole::Local
    } else {
        OccurrenceRole::Unknown
    }
}

/// Whether a text ends in a comment: `1 /* the rest` and `1 // the rest`. A line goes on behind `\\`.
fn is_commented(text: &str) -> bool {
    let (mut rest, mut quote) = (text, None);
    while let Some(at) = rest.find(['"', '\'', '/', '\\']) {
        let (mark, behind) = (rest.as_bytes()[at], &rest[at + 1..]);
        rest = behind;
        match (quote, mark) {
            (_, b'\\') => {
                let mut chars = rest.chars();
                chars.next();
                rest = chars.as_str();
            }
            (None, b'/') if behind.starts_with('/') => return true,
            (None, b'/') if behind.starts_with('*') => match behind.find("*/") {
                Some(end) => rest = &behind[end + 2..],
                None => return true,
            },
            (_, b'/') => {}
            (None, mark) => quote = Some(mark),
            (Some(open), mark) if open == mark => quote = None,
            (Some(_), _) => {}
        }
    }
    false
}

/// Classifies an identifier that is no use which the facts hold.
fn identifier_role(node: Node<'_>) -> OccurrenceRole {
    let grammar = of(node);
    let fields = grammar.fields;
    let mut inner = node;
    for _ in 0..MAX_ANCESTORS {
        let Some(parent) = inner.parent() else { break };
        let is = |field: u16| parent.child_by_field_id(field) == Some(inner);
        match grammar.kind(parent) {
            Kind::PointerDeclarator
            | Kind::ReferenceDeclarator
            | Kind::ParenthesizedDeclarator
            | Kind::QualifiedIdentifier
            | Kind::DestructorName => inner = parent,
            // Not the value or the size: `int n = ns::block;`, `int all[kSize];`.
            Kind::ArrayDeclarator | Kind::FunctionDeclarator | Kind::InitDeclarator
                if is(fields.declarator) =>
            {
                inner = parent;
            }
            // No field of the class around: `void (*run)(int n);`.
            Kind::ParameterDeclaration | Kind::OptionalParameter if is(fields.declarator) => {
                return OccurrenceRole::Local;
            }
            Kind::FunctionDefinition
            | Kind::Declaration
            | Kind::FieldDeclaration
            | Kind::TypeDefinition
                if is(fields.declarator) =>
            {
                return OccurrenceRole::Definition;
            }
            Kind::StructSpecifier
            | Kind::ClassSpecifier
            | Kind::UnionSpecifier
            | Kind::EnumSpecifier
            | Kind::Enumerator
            | Kind::PreprocDef
            | Kind::PreprocFunctionDef
            | Kind::AliasDeclaration
            | Kind::NamespaceDefinition
                if is(fields.name) =>
            {
                return OccurrenceRole::Definition;
            }
            Kind::FieldExpression if is(fields.field) => return OccurrenceRole::Unknown,
            Kind::FieldDesignator => return OccurrenceRole::Key,
            _ => break,
        }
    }
    OccurrenceRole::Local
}
