//! Lowers a tree by the row of its language: one pass, definitions and nothing else.

use std::borrow::Cow;

use tree_sitter::Node;

use super::OutlineLanguage;
use super::row::{Naming, NodePlace, OutlineRow, Rule};
use crate::ir::{FileFacts, Import, ImportKind, SymbolIdx};
use crate::model::hash::HashSet;
use crate::model::{Budget, Family, Symbol, SymbolFlags, SymbolKind};
use crate::syntax::lang::frontend::LoweredFile;
use crate::syntax::lang::use_recorder::{offset, span_of};
use crate::syntax::occurrences::starts;
use crate::syntax::parse::{Parsed, parse as parse_text};
use crate::syntax::signature::{self, Comment, DOC_BYTES, doc_above_with};

/// Definitions inside definitions that are outlined; deeper ones say nothing.
const MAX_LEVELS: usize = 16;
/// A longer name is no name.
const MAX_NAME_BYTES: usize = 160;
/// Nodes that are looked at for the body of one definition.
const MAX_NODES: usize = 60;
/// How often the budget is looked at, in nodes.
const NODES_PER_LOOK: u32 = 1_024;
/// The separators in a qualified name: `A::B`, `A\B`, `a.b:c`.
const SEPARATORS: [char; 3] = ['.', ':', '\\'];
/// Signs around a name that are no part of it: `:name`, `$name`, quotes.
const SIGNS: [char; 9] = ['\'', '"', '`', '$', ':', '[', ']', '@', '&'];

/// Parses a file. The parser sees a line's end at the end of the file: scanners look for one and do not stop without.
pub(super) fn parse(language: OutlineLanguage, source: &str, budget: &Budget) -> Parsed {
    let mut text = blanked(source, language.row().blanked);
    if !text.ends_with('\n') {
        text.to_mut().push('\n');
    }
    parse_text(&language.tables().grammar, &text, budget)
}

/// Returns the source with blanks for some words, where a word and not a sign follows: `actual class` and not `actual = 1`.
fn blanked<'s>(source: &'s str, words: &[&str]) -> Cow<'s, str> {
    let mut text = Cow::Borrowed(source);
    for word in words {
        for start in starts(source, word) {
            let start = start as usize;
            let end = start + word.len();
            let behind = source[end..].trim_start_matches(' ');
            let is_before_word = behind.len() < source.len() - end
                && behind.starts_with(|c: char| c.is_ascii_lowercase());
            if is_before_word {
                text.to_mut()
                    .replace_range(start..end, &" ".repeat(word.len()));
            }
        }
    }
    text
}

/// Lowers a tree; `None` where the budget ended.
pub(super) fn lower(
    language: OutlineLanguage,
    source: &str,
    root: Node<'_>,
    budget: &Budget,
) -> Option<LoweredFile> {
    let mut walk = OutlineWalk {
        language,
        row: language.row(),
        source,
        file: LoweredFile::default(),
        comments: Vec::new(),
        frames: Vec::new(),
        around: Vec::new(),
        seen: HashSet::default(),
        pending: None,
    };
    walk.file.facts.family = Family::Outline;
    walk.file.facts.has_errors = root.has_error();
    let mut cursor = root.walk();
    let mut n_nodes = 0_u32;
    loop {
        n_nodes = n_nodes.wrapping_add(1);
        if n_nodes.is_multiple_of(NODES_PER_LOOK) && budget.is_spent() {
            return None;
        }
        let node = cursor.node();
        walk.enter(node);
        if cursor.goto_first_child() {
            walk.around.push(node);
            continue;
        }
        loop {
            walk.leave();
            if cursor.goto_next_sibling() {
                break;
            }
            if !cursor.goto_parent() {
                return Some(sorted(walk.file));
            }
            walk.around.pop();
        }
    }
}

/// Puts the symbols in the order of their first byte: the names of a list are found before what is inside of its parts.
fn sorted(file: LoweredFile) -> LoweredFile {
    let LoweredFile {
        mut facts,
        leads,
        positions,
    } = file;
    if facts.symbols.is_sorted_by_key(|it| it.span.start_byte) {
        return LoweredFile {
            facts,
            leads,
            positions,
        };
    }
    let mut numbered: Vec<(usize, (Symbol, u32))> = std::mem::take(&mut facts.symbols)
        .into_iter()
        .zip(leads)
        .enumerate()
        .collect();
    // A parent stands before its members, and keeps that place.
    numbered.sort_by_key(|(_, (symbol, _))| symbol.span.start_byte);
    let mut places = vec![0; numbered.len()];
    for (new, (old, _)) in numbered.iter().enumerate() {
        places[*old] = offset(new);
    }
    let mut leads = Vec::with_capacity(numbered.len());
    for (_, (mut symbol, lead)) in numbered {
        symbol.parent = symbol.parent.map(|at| places[at as usize]);
        facts.symbols.push(symbol);
        leads.push(lead);
    }
    LoweredFile {
        facts,
        leads,
        positions,
    }
}

/// A definition, or a node that qualifies or hides the names inside, around the node that is walked.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a property of its own"
)]
struct Frame {
    /// How many nodes are around it.
    depth: usize,
    /// Its symbol; `None` for a scope without one.
    symbol: Option<SymbolIdx>,
    /// Its qualified name.
    name: String,
    /// Whether its members are those of a type.
    is_type: bool,
    /// Whether variables inside are local.
    is_code: bool,
    /// Whether other files see it.
    is_exported: bool,
    /// Whether a section of it that is walked hides its members.
    hides: bool,
}

/// A documenting node whose definition has not come yet.
struct PendingDoc {
    depth: usize,
    start: u32,
    text: String,
}

struct OutlineWalk<'s, 't> {
    language: OutlineLanguage,
    row: &'static OutlineRow,
    source: &'s str,
    file: LoweredFile,
    comments: Vec<Comment>,
    frames: Vec<Frame>,
    /// The nodes around the one that is walked.
    around: Vec<Node<'t>>,
    /// The names of which only the first counts.
    seen: HashSet<(SymbolKind, String)>,
    pending: Option<PendingDoc>,
}

impl<'s, 't> OutlineWalk<'s, 't> {
    fn text(&self, node: Node<'t>) -> &'s str {
        // The parser was given a line's end behind the source.
        let end = node.end_byte().min(self.source.len());
        self.source.get(node.start_byte()..end).unwrap_or_default()
    }

    fn enter(&mut self, node: Node<'t>) {
        let known = self.language.node_kind(node.kind_id());
        if known.is_comment {
            self.comments.push(Comment {
                start: offset(node.start_byte()),
                end: offset(node.end_byte().min(self.source.len())),
            });
            return;
        }
        if known.is_marker {
            self.enter_section(node);
            self.document(node);
            self.import(node);
        }
        for rule in &self.row.rules[known.rules.clone()] {
            if rule.node == node.kind() && self.define(rule, node) {
                return;
            }
        }
        if known.is_local {
            let around = self.frames.last();
            let frame = Frame {
                depth: self.around.len(),
                symbol: around.and_then(|it| it.symbol),
                name: around.map_or_else(String::new, |it| it.name.clone()),
                is_type: false,
                is_code: true,
                is_exported: false,
                hides: false,
            };
            self.push(frame);
        }
    }

    fn leave(&mut self) {
        while self
            .frames
            .last()
            .is_some_and(|it| it.depth >= self.around.len())
        {
            self.frames.pop();
        }
    }

    fn push(&mut self, frame: Frame) {
        if self.frames.len() < MAX_LEVELS {
            self.frames.push(frame);
        }
    }

    /// Notes a word that hides or shows the members below it.
    fn enter_section(&mut self, node: Node<'t>) {
        let Some(section) = &self.row.section else {
            return;
        };
        let is_inside = self
            .around
            .last()
            .is_some_and(|it| it.kind() == section.parent);
        if node.kind() != section.node || !is_inside {
            return;
        }
        let word = self.text(node);
        if let Some(frame) = self.frames.last_mut() {
            frame.hides |= section.hides.contains(&word);
            frame.hides &= !section.shows.contains(&word);
        }
    }

    /// Adds the file that a node imports by its literal path.
    fn import(&mut self, node: Node<'t>) {
        let mut rules = self.row.imports.iter();
        let found = rules.find_map(|rule| {
            let place = self.place(node);
            let fits = || rule.when.iter().all(|when| place.fits(when, self.source));
            let named = (rule.node == node.kind() && fits())
                .then(|| place.first(rule.path))
                .flatten()?;
            Some((rule, named))
        });
        let Some((rule, named)) = found else {
            return;
        };
        // A text with something else between its quotes is known when it runs.
        let quoted = named.parent().map(|it| it.byte_range());
        let is_whole =
            quoted.is_some_and(|it| it == (named.start_byte() - 1..named.end_byte() + 1));
        let text = self.text(named);
        let is_path = !text.contains(['\\', ':', '$', '\n'])
            && text.starts_with('/') == rule.is_behind_directory
            && (!rule.must_have || text.ends_with(rule.extension));
        if !is_whole || !is_path {
            return;
        }
        let directory = match (rule.is_behind_directory, text.starts_with('.')) {
            (true, _) => ".",
            (false, true) => "",
            (false, false) => "./",
        };
        let extension = if text.ends_with(rule.extension) {
            ""
        } else {
            rule.extension
        };
        self.file.facts.imports.push(Import {
            specifier: format!("{directory}{text}{extension}"),
            kind: ImportKind::Static,
            type_only: false,
            line: offset(named.start_position().row + 1),
            names: Vec::new(),
        });
    }

    /// Keeps the text of a documenting node for its definition.
    fn document(&mut self, node: Node<'t>) {
        let Some(doc) = self.row.doc_node.as_ref() else {
            return;
        };
        let place = self.place(node);
        let Some(word) = place.first(doc.word).map(|it| self.text(it)) else {
            return;
        };
        let (is_next, is_around) = (doc.next.contains(&word), doc.around.contains(&word));
        if node.kind() != doc.node || !(is_next || is_around) {
            return;
        }
        let parts = place.find(doc.text).into_iter().map(|it| self.text(it));
        let text = cleaned(&parts.collect::<String>());
        if is_around {
            let symbol = self.frames.last().and_then(|it| it.symbol);
            if let Some(symbol) = symbol.map(|at| &mut self.file.facts.symbols[at as usize])
                && symbol.doc.is_empty()
            {
                symbol.doc = text;
            }
        } else {
            self.pending = Some(PendingDoc {
                depth: self.around.len(),
                start: offset(node.start_byte()),
                text,
            });
        }
    }

    fn place(&self, node: Node<'t>) -> NodePlace<'_, 't> {
        NodePlace {
            node,
            around: &self.around,
        }
    }

    /// Returns the parts of a name as the language writes them.
    fn parts<'n>(&self, name: &'n str) -> Vec<&'n str> {
        parts(name, self.row.has_plain_names)
    }

    /// Adds the symbols of a node; false where the rule does not fit it.
    fn define(&mut self, rule: &'static Rule, node: Node<'t>) -> bool {
        let place = self.place(node);
        if !rule.when.iter().all(|when| place.fits(when, self.source)) {
            return false;
        }
        let names = place.find(rule.name);
        let Some(first) = names.first() else {
            return false;
        };
        let inside = self.inside(rule);
        let is_local = inside.is_some_and(|it| it.is_code);
        let kind = match rule.member {
            Some(member) if inside.is_some_and(|it| it.is_type) => Some(member),
            _ => rule.kind,
        };
        let is_variable = matches!(kind, Some(SymbolKind::Variable | SymbolKind::Constant));
        if is_local && is_variable || self.frames.len() >= MAX_LEVELS {
            return true;
        }
        // What is around the definition around is no part of it.
        let least = inside.and_then(|it| it.symbol);
        let least = least.map_or(0, |at| self.file.facts.symbols[at as usize].span.start_byte);
        let whole = rule.outer.and_then(|path| place.first(path));
        let whole = whole.filter(|it| offset(it.start_byte()) >= least);
        let owner = rule.owner.and_then(|path| place.first(path));
        let owner = owner.map_or("", |it| self.text(it));
        let last = names.last().unwrap_or(first);
        let one = match rule.naming {
            Naming::Each if names.len() > 1 => None,
            Naming::Each | Naming::Last => Some((*last, self.text(*last).to_owned())),
            Naming::Silent => Some((*first, String::new())),
            Naming::Joined => {
                let all: Vec<&str> = names.iter().map(|it| self.text(*it)).collect();
                Some((*first, all.join(".")))
            }
        };
        if let Some((named, one)) = one {
            let name = [rule.prefix, owner, &one].map(|it| self.parts(it)).concat();
            self.add(rule, kind, &name, named, (whole.unwrap_or(node), node));
            return true;
        }
        for one in &names {
            let name = [rule.prefix, owner, self.text(*one)]
                .map(|it| self.parts(it))
                .concat();
            self.add(rule, kind, &name, *one, (*one, node));
        }
        true
    }

    /// Adds one symbol, or a scope, of a name in parts. `whole` is all of the definition, `node` the part that the rule is
    /// about, whose children are inside of it.
    fn add(
        &mut self,
        rule: &'static Rule,
        kind: Option<SymbolKind>,
        name: &[&str],
        named: Node<'t>,
        (whole, node): (Node<'t>, Node<'t>),
    ) {
        let own = name.last().copied().unwrap_or_default();
        if own.is_empty() && rule.naming != Naming::Silent {
            return;
        }
        let inside = self.inside(rule);
        let mut qualified = inside.map_or(String::new(), |it| it.name.clone());
        let parent = inside.and_then(|it| it.symbol);
        for part in name {
            if !qualified.is_empty() {
                qualified.push('.');
            }
            qualified.push_str(part);
        }
        if own.len() > MAX_NAME_BYTES || qualified.len() > MAX_NAME_BYTES * 4 {
            return;
        }
        // Of several names in a list each is a symbol; the words before them are those of the list.
        let head = if named == whole { node } else { whole };
        let words = before_name(self.row, self.source, head, named);
        let is_exported = self.is_exported(rule, own, words);
        let depth = self.around.len();
        let Some(kind) = kind else {
            let frame = Frame {
                depth,
                symbol: parent,
                name: qualified,
                is_type: true,
                is_code: false,
                is_exported,
                hides: false,
            };
            return self.push(frame);
        };
        if rule.once && !self.seen.insert((kind, qualified.clone())) {
            return;
        }
        let mut span = span_of(whole);
        span.end_byte = span.end_byte.min(offset(self.source.len()));
        // Some grammars count the line's end, or the blank lines below, as a part of a node.
        let text = self.text(whole);
        let trimmed = text.trim_end();
        let n_cut = text[trimmed.len()..].matches('\n').count();
        if n_cut > 0 && !trimmed.is_empty() {
            span.end_byte = span.start_byte + offset(trimmed.len());
            span.end_line = span.start_line + offset(trimmed.matches('\n').count());
        }
        if rule.merges && self.merge(kind, &qualified, parent, span) {
            return;
        }
        let (doc, lead) = self.doc_of(rule, whole, node);
        let facts = &mut self.file.facts;
        let at = offset(facts.symbols.len());
        let mut flags = SymbolFlags::empty();
        flags.set(SymbolFlags::STATIC, has_word(words, &["static"]));
        flags.set(SymbolFlags::ABSTRACT, has_word(words, &["abstract"]));
        let signature = signature_of(self.row, self.source, kind, (head, named));
        self.file.facts.symbols.push(Symbol {
            name: own.to_owned(),
            qualified_name: qualified.clone(),
            kind,
            span,
            name_line: offset(named.start_position().row + 1),
            exported: is_exported,
            flags,
            signature,
            doc,
            parent,
        });
        self.file.leads.push(lead);
        let is_inside = whole == node || whole.start_byte() <= node.start_byte();
        if is_inside && named != whole {
            let is_type = matches!(
                kind,
                SymbolKind::Class
                    | SymbolKind::Interface
                    | SymbolKind::Enum
                    | SymbolKind::Namespace
            );
            self.push(Frame {
                depth,
                symbol: Some(at),
                name: qualified,
                is_type,
                is_code: !is_type,
                is_exported,
                hides: false,
            });
        }
    }

    /// Makes a clause a part of the definition above it, if that has its name.
    fn merge(
        &mut self,
        kind: SymbolKind,
        name: &str,
        parent: Option<SymbolIdx>,
        span: crate::model::Span,
    ) -> bool {
        // Definitions inside of the clause above come behind it.
        let symbols = &mut self.file.facts.symbols;
        let mut siblings = symbols.iter_mut().rev().take(MAX_LEVELS);
        let above = siblings.find(|it| it.parent == parent);
        let Some(above) = above.filter(|it| it.kind == kind && it.qualified_name == name) else {
            return false;
        };
        above.span.end_byte = span.end_byte;
        above.span.end_line = span.end_line;
        self.pending = None;
        true
    }

    /// Returns the description of a definition, and the byte at which it begins.
    fn doc_of(&mut self, rule: &Rule, whole: Node<'t>, node: Node<'t>) -> (String, u32) {
        let start = offset(whole.start_byte());
        let depth = self.around.len();
        let above = doc_above_with(self.source, &self.comments, start, self.row.line_comments);
        if let Some(pending) = self.pending.take_if(|it| it.depth >= depth)
            && pending.depth == depth
        {
            return (pending.text, pending.start.min(above.1));
        }
        let inside = rule.doc.and_then(|path| self.place(node).first(path));
        match inside {
            Some(doc) => (cleaned(self.text(doc)), above.1),
            None => above,
        }
    }

    /// Returns the definition that one by `rule` belongs to here.
    fn inside(&self, rule: &Rule) -> Option<&Frame> {
        let mut frames = self.frames.iter().rev();
        frames.nth(usize::from(rule.is_lifted))
    }

    /// Whether other files see a name; `words` stand before it.
    fn is_exported(&self, rule: &Rule, name: &str, words: &str) -> bool {
        let row = self.row;
        let hidden = row.hidden_prefix;
        let inside = self.inside(rule);
        // Constants and types are seen below `private` too.
        let is_member = matches!(
            rule.member.or(rule.kind),
            Some(SymbolKind::Method | SymbolKind::Property)
        );
        let is_shown =
            inside.is_none_or(|it| it.is_exported && !(it.hides && is_member) && !it.is_code);
        is_shown
            && !is_hidden(words, row.hiding)
            && (rule.is_open || row.showing.is_empty() || has_word(words, row.showing))
            && (hidden.is_empty() || !name.starts_with(hidden))
    }
}

/// Returns the parts of a qualified name: `A` and `B` of `A::B`. An operator, a quoted name and a plain one are names of their
/// own.
fn parts(name: &str, is_plain: bool) -> Vec<&str> {
    let is_quoted = name.starts_with('`');
    if is_plain || is_quoted || !name.contains(|c: char| c.is_alphanumeric() || c == '_') {
        let own = name.trim().trim_matches('`');
        return Some(own)
            .filter(|own| !own.is_empty())
            .into_iter()
            .collect();
    }
    let parts = name.split(SEPARATORS).map(|part| {
        let part = part.split(['(', '<']).next().unwrap_or(part);
        part.trim().trim_matches(SIGNS).trim()
    });
    parts.filter(|part| !part.is_empty()).collect()
}

/// Returns the source of a definition between its annotations and its name.
fn before_name<'s>(row: &OutlineRow, source: &'s str, whole: Node<'_>, named: Node<'_>) -> &'s str {
    let start = head_start(row, whole);
    source
        .get(start..named.start_byte().max(start))
        .unwrap_or_default()
}

fn has_word(text: &str, words: &[&str]) -> bool {
    !words.is_empty()
        && text
            .split(|c: char| !c.is_alphanumeric() && c != '_')
            .any(|word| words.contains(&word))
}

/// Whether one of the words hides a name that `text` stands before. With a package behind it, as in `private[acme]`, a word
/// does not.
fn is_hidden(text: &str, words: &[&str]) -> bool {
    let is_of_word = |c: char| c.is_alphanumeric() || c == '_';
    words.iter().any(|word| {
        text.match_indices(word).any(|(at, _)| {
            let (before, behind) = (&text[..at], &text[at + word.len()..]);
            let is_whole = !before.ends_with(is_of_word) && !behind.starts_with(is_of_word);
            let behind = behind.trim_start();
            is_whole && (!behind.starts_with('[') || behind.starts_with("[this]"))
        })
    })
}

/// Returns the definition without its annotations and its body.
fn signature_of(
    row: &OutlineRow,
    source: &str,
    kind: SymbolKind,
    (whole, named): (Node<'_>, Node<'_>),
) -> String {
    let from = head_start(row, whole);
    let is_value = matches!(
        kind,
        SymbolKind::Constant | SymbolKind::Variable | SymbolKind::Field | SymbolKind::Property
    );
    let head = |end: usize| {
        let mut head = signature::of_head(source.get(from..end).unwrap_or_default());
        // `const Store = struct {`, `def open(a) = 1`.
        let n_kept = head.trim_end_matches([' ', '=']).len();
        if n_kept > 0 && !head.ends_with("==") {
            head.truncate(n_kept);
        }
        head
    };
    let end = whole.end_byte().min(source.len());
    match body_start(row, (whole, named), is_value) {
        Some(body) => head(body),
        None if is_value => {
            let text = source.get(from..end).unwrap_or_default();
            signature::of_value(text.trim(), None)
        }
        None => head(end),
    }
}

/// Returns the first byte behind the annotations of a definition.
fn head_start(row: &OutlineRow, whole: Node<'_>) -> usize {
    let mut start = whole.start_byte();
    let mut cursor = whole.walk();
    while cursor.goto_first_child() {
        loop {
            let node = cursor.node();
            if !row.annotations.contains(&node.kind()) {
                break;
            }
            if !cursor.goto_next_sibling() {
                return node.end_byte();
            }
            start = cursor.node().start_byte();
        }
    }
    start
}

/// Returns the first byte of the body of a definition, or of a comment between the head and the body. A brace in a value is
/// no body.
fn body_start(
    row: &OutlineRow,
    (whole, named): (Node<'_>, Node<'_>),
    is_value: bool,
) -> Option<usize> {
    let mut level = vec![whole];
    let mut n_left = MAX_NODES;
    while !level.is_empty() {
        let mut below = Vec::new();
        for node in level {
            let mut cursor = node.walk();
            if !cursor.goto_first_child() {
                continue;
            }
            loop {
                let child = cursor.node();
                let is_body = cursor.field_name() == Some("body")
                    || row.bodies.contains(&child.kind()) && (child.is_named() || !is_value);
                let is_comment = row.comments.contains(&child.kind())
                    && child.start_byte() >= named.end_byte()
                    && child.parent() == Some(whole);
                if is_body || is_comment {
                    return Some(child.start_byte());
                }
                n_left = n_left.checked_sub(1)?;
                below.push(child);
                if !cursor.goto_next_sibling() {
                    break;
                }
            }
        }
        level = below;
    }
    None
}

/// Returns a description without its quotes, its lines without their common indentation.
fn cleaned(text: &str) -> String {
    let text = text.trim_matches('"').trim_end();
    let lines = || text.lines().filter(|line| !line.trim().is_empty());
    let indent = |line: &str| line.len() - line.trim_start().len();
    let common = lines().map(indent).min().unwrap_or_default();
    let all = text
        .lines()
        .map(|line| line.get(common..).unwrap_or_default());
    let mut text = all.collect::<Vec<_>>().join("\n").trim().to_owned();
    signature::cut(&mut text, DOC_BYTES);
    text
}

/// Whether a place in a file is the name of one of its definitions.
pub(super) fn is_definition(facts: &FileFacts, node: Node<'_>, word: &str) -> bool {
    let line = offset(node.start_position().row + 1);
    let mut symbols = facts.symbols.iter();
    symbols.any(|it| it.name_line == line && it.name == word)
}
