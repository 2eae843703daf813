//! The seam for families that are lowered by a front end of their own: Python, Go, Java, C#, Rust, C and C++.
//!
//! A front end lowers a tree, and classifies words that are no recorded use; parsing, files that are too hard, and looking a
//! use up by its place are the same for all. ECMAScript has dialects and is entered by `ecmascript` itself.

use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::rc::Rc;

use tree_sitter::{Language, Node, Tree};

use super::implicit_calls::ImplicitCalls;
use super::tree_walk::is_keyword;
use super::use_recorder::{UsePositions, offset, span_of};
use crate::ir::{FileFacts, ImportedName, ReferenceKind};
use crate::model::Budget;
use crate::model::Family;
use crate::model::hash::HashMap;
use crate::syntax::occurrences::{OccurrenceRole, UseKind, starts};
use crate::syntax::parse::{Parsed, parse};

/// Nodes around one that are looked at for code that could not be read.
const MAX_LEVELS_OF_ERROR: usize = 32;

/// Levels of a tree that are gone through for all places of a file that are asked about: 50,000 places of usual code, 20 deep.
const MAX_LEVELS: u32 = 1_000_000;

/// A family of languages with its functions.
pub(in crate::syntax) struct Frontend {
    pub(super) family: Family,
    /// Whether tests stand among code, told by marks in the source: `#[test]`. Elsewhere a file is a test as a whole.
    pub(in crate::syntax) has_inline_tests: bool,
    /// The calls that no source writes.
    pub(in crate::syntax) implicit: &'static ImplicitCalls,
    /// Returns the grammar.
    pub(super) grammar: fn() -> &'static Language,
    /// Parses a source, where that takes more than the grammar: code before preprocessing.
    pub(super) parse: Option<fn(&str, &Budget) -> ParsedText>,
    /// Lowers a tree; `None` where the budget ended.
    pub(super) lower: fn(&str, Node<'_>, LowerOptions, &Budget) -> Option<LoweredFile>,
    /// Adds routes, requests and functions of other languages to the facts of a tree that was lowered.
    pub(super) endpoints: Option<fn(&str, Node<'_>, &mut FileFacts)>,
    /// Classifies a word that is no recorded use, by the smallest node around it.
    pub(super) role_of: fn(&FileFacts, Node<'_>, SourceWord<'_>) -> OccurrenceRole,
}

/// A parsed source.
pub(super) struct ParsedText {
    pub(super) parsed: Parsed,
    /// Whether the tree is that of a text from which parts were taken out.
    pub(super) is_cleaned: bool,
}

impl From<Parsed> for ParsedText {
    fn from(parsed: Parsed) -> Self {
        Self {
            parsed,
            is_cleaned: false,
        }
    }
}

/// How a tree is lowered.
#[derive(Clone, Copy)]
pub(super) struct LowerOptions {
    /// Whether the position of each use is kept.
    pub(super) keeps_positions: bool,
    /// Whether the tree is that of a text from which parts were taken out.
    pub(super) is_cleaned: bool,
}

/// The facts of one file, with the bytes that cutting it into chunks needs beside them.
#[derive(Debug, Default)]
pub(in crate::syntax) struct LoweredFile {
    /// The facts.
    pub(in crate::syntax) facts: FileFacts,
    /// For each symbol the byte at which the comments above it begin.
    pub(in crate::syntax) leads: Vec<u32>,
    /// Where names are used.
    pub(in crate::syntax) positions: UsePositions,
}

/// A word of a source.
#[derive(Clone, Copy)]
pub(super) struct SourceWord<'s> {
    /// The text of the file.
    pub(super) source: &'s str,
    pub(super) text: &'s str,
    /// Its first byte in the file.
    pub(super) start: usize,
    /// Whether the node around it is the word and no more.
    pub(super) is_whole: bool,
}

/// Classifies a word in an import statement that names one of the imported things; other words of it are a part of the
/// name of a module or a package.
pub(super) fn imported(
    facts: &FileFacts,
    statement: Node<'_>,
    is_named: impl Fn(&ImportedName) -> bool,
) -> OccurrenceRole {
    let span = span_of(statement);
    let lines = span.start_line..=span.end_line;
    let imports = facts.imports.iter().enumerate();
    let mut here = imports.filter(|(_, import)| lines.contains(&import.line));
    let found = here.find_map(|(at, import)| Some((at, import.names.iter().position(&is_named)?)));
    match found {
        Some((import, name)) => OccurrenceRole::Import {
            import: offset(import),
            name: offset(name),
        },
        None => OccurrenceRole::Text,
    }
}

/// Returns how many levels a node stands below another one.
fn levels_between(above: Node<'_>, node: Node<'_>) -> u32 {
    let mut n_levels = 0;
    let mut at = above;
    while at.id() != node.id() {
        let Some(below) = at.child_with_descendant(node) else {
            break;
        };
        at = below;
        n_levels += 1;
    }
    n_levels
}

/// Parts of the kinds of nodes that declare the names in them.
const DECLARING: [&str; 29] = [
    "assignment",
    "binding",
    "catch",
    "closure",
    "comprehension",
    "const_spec",
    "declaration",
    "declarator",
    "definition",
    "designation",
    "expression_list",
    "for",
    "from_clause",
    "function",
    "in_clause",
    "instanceof",
    "into_clause",
    "item",
    "join_clause",
    "label",
    "lambda",
    "let",
    "parameter",
    "pattern",
    "resource",
    "specifier",
    "tuple",
    "using",
    "var_spec",
];

/// Nodes that name something and declare nothing: `make<Row>` as a function that is called.
const NAMING: [&str; 4] = [
    "generic_function",
    "template_function",
    "template_method",
    "template_type",
];

/// Fields of such nodes in which names are used.
const USING: [&str; 13] = [
    "alternative",
    "bounds",
    "body",
    "condition",
    "default_type",
    "default_value",
    "object",
    "return_type",
    "right",
    "size",
    "superclass",
    "type",
    "value",
];

/// Whether a name may be declared where it stands, or brought into scope: in doubt it is.
fn declares_local(node: Node<'_>) -> bool {
    let Some(parent) = node.parent() else {
        return false;
    };
    let mut around = std::iter::successors(Some(parent), Node::parent).take(4);
    if around.any(|it| it.kind().contains("import") || it.kind().starts_with("use_")) {
        return true;
    }
    let is_declaring = DECLARING.iter().any(|part| parent.kind().contains(part));
    if !is_declaring || NAMING.contains(&parent.kind()) {
        return false;
    }
    let mut cursor = parent.walk();
    let mut is_at = cursor.goto_first_child();
    while is_at && cursor.node().id() != node.id() {
        is_at = cursor.goto_next_sibling();
    }
    let field = cursor.field_name().filter(|_| is_at);
    // `o instanceof Store store`
    let is_tested = parent.kind() == "instanceof_expression" && field == Some("left");
    !is_tested && field.is_none_or(|field| !USING.contains(&field))
}

/// A file with its tree, to classify places in it.
pub(in crate::syntax) struct PositionedFile {
    /// `None` where the file costs too much to parse: then nothing is known of any place.
    tree: Option<Tree>,
    /// How many of [`MAX_LEVELS`] are left.
    levels_left: Cell<u32>,
    /// Memo of [`Self::local_scopes`].
    locals: RefCell<HashMap<String, Rc<[Range<usize>]>>>,
    role_of: fn(&FileFacts, Node<'_>, SourceWord<'_>) -> OccurrenceRole,
    pub(in crate::syntax) file: LoweredFile,
}

impl Frontend {
    /// Returns the grammar.
    pub(in crate::syntax) fn grammar(&self) -> &'static Language {
        (self.grammar)()
    }

    /// Parses a source.
    pub(in crate::syntax) fn parse(&self, source: &str, budget: &Budget) -> Parsed {
        self.parse_text(source, budget).parsed
    }

    fn parse_text(&self, source: &str, budget: &Budget) -> ParsedText {
        match self.parse {
            Some(read) => read(source, budget),
            None => parse(self.grammar(), source, budget).into(),
        }
    }

    /// Lowers a file; `None` where the budget ended. A file that costs more to parse than one of its length may says
    /// nothing but that it has errors.
    pub(in crate::syntax) fn read(&self, source: &str, budget: &Budget) -> Option<LoweredFile> {
        Some(self.lowered(source, false, budget)?.file)
    }

    /// Lowers a file as [`Self::read`] does, and keeps its tree and the position of each use.
    pub(in crate::syntax) fn read_positioned(
        &self,
        source: &str,
        budget: &Budget,
    ) -> Option<PositionedFile> {
        self.lowered(source, true, budget)
    }

    fn lowered(
        &self,
        source: &str,
        keeps_positions: bool,
        budget: &Budget,
    ) -> Option<PositionedFile> {
        let ParsedText { parsed, is_cleaned } = self.parse_text(source, budget);
        let options = LowerOptions {
            keeps_positions,
            is_cleaned,
        };
        let (tree, file) = match parsed {
            Parsed::Ended => return None,
            Parsed::TooHard => {
                let mut file = LoweredFile::default();
                file.facts.family = self.family;
                file.facts.has_errors = true;
                (None, file)
            }
            Parsed::Tree(tree) => {
                let mut file = (self.lower)(source, tree.root_node(), options, budget)?;
                if let Some(add) = self.endpoints {
                    add(source, tree.root_node(), &mut file.facts);
                    file.facts.import_bridges();
                }
                (Some(tree), file)
            }
        };
        Some(PositionedFile {
            tree,
            levels_left: Cell::new(MAX_LEVELS),
            locals: RefCell::default(),
            role_of: self.role_of,
            file,
        })
    }
}

impl PositionedFile {
    /// Classifies the word at `start..end`. Costs a way down the tree; of words in deep code, once [`MAX_LEVELS`] are used up, the uses
    /// alone are known.
    pub(in crate::syntax) fn role(&self, source: &str, start: u32, end: u32) -> OccurrenceRole {
        let range = start as usize..end as usize;
        let Some(root) = self.tree.as_ref().map(Tree::root_node) else {
            return OccurrenceRole::Unknown;
        };
        if let Some(reference) = self.use_at(start) {
            // Also inside a string: an annotation of Python that names a type.
            return OccurrenceRole::Use {
                reference,
                kind: self.use_kind(reference),
            };
        }
        let unbound = &self.file.positions.unbound;
        if let Ok(at) = unbound.binary_search_by_key(&start, |position| position.0) {
            return OccurrenceRole::Unbound(use_kind(unbound[at].1));
        }
        let node = match self.levels_left.get() {
            0 => None,
            _ => root.descendant_for_byte_range(range.start, range.end),
        };
        let Some(node) = node else {
            return OccurrenceRole::Unknown;
        };
        let n_levels = levels_between(root, node);
        let left = self.levels_left.get().saturating_sub(n_levels);
        self.levels_left.set(left);
        if is_keyword(node) {
            return OccurrenceRole::OtherName;
        }
        let word = SourceWord {
            source,
            is_whole: node.byte_range() == range,
            text: source.get(range.clone()).unwrap_or_default(),
            start: range.start,
        };
        match (self.role_of)(&self.file.facts, node, word) {
            // What no scope of the file can bind is a use that the facts do not hold.
            OccurrenceRole::Local if word.is_whole && !self.has_local(root, word) => {
                OccurrenceRole::Unknown
            }
            // Nothing tells a name that the file imports from its use where the code around could not be read.
            OccurrenceRole::Local | OccurrenceRole::Definition | OccurrenceRole::Key
                if self.is_imported(word.text) && is_in_error(node) =>
            {
                OccurrenceRole::Unknown
            }
            role => role,
        }
    }

    fn is_imported(&self, name: &str) -> bool {
        let facts = &self.file.facts;
        let mut names = facts.imports.iter().flat_map(|it| &it.names);
        facts.has_errors && names.any(|it| it.local == name)
    }

    /// Whether a local name is declared in the definition around a word, or outside of all definitions: a parameter, a variable, a
    /// pattern.
    fn has_local(&self, root: Node<'_>, word: SourceWord<'_>) -> bool {
        let known = self.locals.borrow().get(word.text).cloned();
        let scopes = known.unwrap_or_else(|| {
            let scopes = self.local_scopes(root, word);
            let mut locals = self.locals.borrow_mut();
            locals.insert(word.text.to_owned(), Rc::clone(&scopes));
            scopes
        });
        scopes.iter().any(|it| it.contains(&word.start))
    }

    /// Returns the bytes of the definitions that declare a local name.
    fn local_scopes(&self, root: Node<'_>, word: SourceWord<'_>) -> Rc<[Range<usize>]> {
        let whole = 0..word.source.len();
        let mut scopes: Vec<Range<usize>> = Vec::new();
        for start in starts(word.source, word.text) {
            let start = start as usize;
            let left = self.levels_left.get();
            if left == 0 {
                // Nothing is known of deep code: the word stays what its place says.
                return [whole].into();
            }
            let node = root.descendant_for_byte_range(start, start + word.text.len());
            let Some(node) = node else { continue };
            self.levels_left
                .set(left.saturating_sub(levels_between(root, node)));
            if declares_local(node) && !self.is_symbol_at(word, start) {
                match self.definition_around(start) {
                    Some(scope) if scopes.contains(&scope) => {}
                    Some(scope) => scopes.push(scope),
                    None => return [whole].into(),
                }
            }
        }
        scopes.into()
    }

    /// Returns the bytes of the innermost definition around a byte.
    fn definition_around(&self, at: usize) -> Option<Range<usize>> {
        let symbols = self.file.facts.symbols.iter();
        let spans = symbols.map(|it| it.span.start_byte as usize..it.span.end_byte as usize);
        spans.filter(|it| it.contains(&at)).min_by_key(Range::len)
    }

    /// Whether a definition that the facts hold has its name at a byte.
    fn is_symbol_at(&self, word: SourceWord<'_>, start: usize) -> bool {
        let mut symbols = self.file.facts.symbols.iter();
        symbols.any(|it| {
            let (from, to) = (it.span.start_byte as usize, it.span.end_byte as usize);
            it.name == word.text
                && (from..to).contains(&start)
                && word
                    .source
                    .get(from..start)
                    .is_some_and(|before| starts(before, word.text).next().is_none())
        })
    }

    /// Returns every use of the file, by the first byte of its name.
    pub(in crate::syntax) fn uses(&self) -> impl Iterator<Item = (u32, u32, UseKind)> {
        let all = self.file.positions.uses.iter();
        all.map(|(start, reference)| (*start, *reference, self.use_kind(*reference)))
    }

    fn use_at(&self, start: u32) -> Option<u32> {
        let positions = &self.file.positions.uses;
        let at = positions.binary_search_by_key(&start, |position| position.0);
        Some(positions[at.ok()?].1)
    }

    fn use_kind(&self, reference: u32) -> UseKind {
        use_kind(self.file.facts.references[reference as usize].kind)
    }
}

fn use_kind(kind: ReferenceKind) -> UseKind {
    match kind {
        ReferenceKind::Call | ReferenceKind::Jsx => UseKind::Call,
        ReferenceKind::New => UseKind::New,
        ReferenceKind::Decorator => UseKind::Decorator,
        ReferenceKind::Type | ReferenceKind::TypeQuery => UseKind::Type,
        ReferenceKind::Heritage => UseKind::Extends,
        ReferenceKind::Value | ReferenceKind::Listed | ReferenceKind::Quoted => UseKind::Reference,
    }
}

/// Whether a node stands in code that could not be read.
fn is_in_error(node: Node<'_>) -> bool {
    let around = std::iter::successors(Some(node), Node::parent);
    around.take(MAX_LEVELS_OF_ERROR).any(|it| it.is_error())
}
