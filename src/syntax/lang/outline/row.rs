//! The row of a language that is outlined: which nodes of its grammar define symbols, and where their names stand.
//!
//! Data alone; `walk` acts on it. Places in a tree are written as [paths](NodePath).

use tree_sitter::{Language, Node};

use crate::model::SymbolKind;

/// A path from a node to others, steps with `/` between them:
///
/// - `name`: the child in the field `name`;
/// - `=word`: the first child of the kind `word`, which may be a token: `=enum`; `=a|b` for either kind;
/// - `left=constant`: the child in the field, if it has this kind;
/// - `*…`: all children that the rest of the step finds, not the first alone: `*=const_element/name`;
/// - `..`: the parent; `..=block`: the parent, if it has this kind.
///
/// Of several paths with `, ` between them the first that leads to a node counts.
pub(super) type NodePath = &'static str;

/// A condition on a node.
#[derive(Clone, Copy)]
pub(super) enum When {
    /// The path leads to a node.
    Has(NodePath),
    /// It leads to none.
    Lacks(NodePath),
    /// It leads to a node with one of these texts.
    Is(NodePath, &'static [&'static str]),
    /// It leads to no node with one of these texts.
    Not(NodePath, &'static [&'static str]),
}

/// How the names of a rule become those of symbols.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Naming {
    /// Each name is a symbol.
    Each,
    /// All names together are that of one symbol: `aws_instance.web`.
    Joined,
    /// The last one is: `named` of `User.named`.
    Last,
    /// None: the members of a scope are those of the definition around, e.g. in `companion object`.
    Silent,
}

/// A kind of node that defines symbols.
#[derive(Clone, Copy)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a difference between nodes, independent of the others"
)]
pub(super) struct Rule {
    /// The kind of node.
    pub(super) node: &'static str,
    /// The kind of symbol; `None` for a node that only qualifies the names inside: an extension of a type.
    pub(super) kind: Option<SymbolKind>,
    /// The kind inside a type, where it is another one.
    pub(super) member: Option<SymbolKind>,
    /// The names.
    pub(super) name: NodePath,
    pub(super) naming: Naming,
    /// The type that a member outside of it belongs to: the receiver of an extension function.
    pub(super) owner: Option<NodePath>,
    /// A word that qualifies the name: `var` for the variable `size` of Terraform, which is used as `var.size`.
    pub(super) prefix: &'static str,
    /// Conditions; all have to hold.
    pub(super) when: &'static [When],
    /// The node around that belongs to the definition, where the path leads to one: `private def open`.
    pub(super) outer: Option<NodePath>,
    /// The description inside of the node.
    pub(super) doc: Option<NodePath>,
    /// Whether definitions in a row with one name are one: the clauses of a function.
    pub(super) merges: bool,
    /// Whether it belongs to the definition around the one it is in: a parameter that is a field too.
    pub(super) is_lifted: bool,
    /// Whether it is seen wherever its owner is, whatever words stand before it.
    pub(super) is_open: bool,
    /// Whether only the first of a name counts in a file: assignments.
    pub(super) once: bool,
}

/// Returns a rule: nodes of this kind define symbols.
pub(super) const fn rule(node: &'static str, kind: SymbolKind, name: NodePath) -> Rule {
    Rule {
        kind: Some(kind),
        ..scope(node, name)
    }
}

/// Returns a rule for nodes that only qualify the names inside.
pub(super) const fn scope(node: &'static str, name: NodePath) -> Rule {
    Rule {
        node,
        kind: None,
        member: None,
        name,
        naming: Naming::Each,
        owner: None,
        prefix: "",
        when: &[],
        outer: None,
        doc: None,
        merges: false,
        is_lifted: false,
        is_open: false,
        once: false,
    }
}

impl Rule {
    pub(super) const fn member(self, kind: SymbolKind) -> Self {
        Self {
            member: Some(kind),
            ..self
        }
    }

    pub(super) const fn when(self, when: &'static [When]) -> Self {
        Self { when, ..self }
    }

    pub(super) const fn owner(self, path: NodePath) -> Self {
        Self {
            owner: Some(path),
            ..self
        }
    }

    pub(super) const fn outer(self, path: NodePath) -> Self {
        Self {
            outer: Some(path),
            ..self
        }
    }

    pub(super) const fn doc(self, path: NodePath) -> Self {
        Self {
            doc: Some(path),
            ..self
        }
    }

    pub(super) const fn prefix(self, prefix: &'static str) -> Self {
        Self { prefix, ..self }
    }

    pub(super) const fn joined(self) -> Self {
        Self {
            naming: Naming::Joined,
            ..self
        }
    }

    pub(super) const fn silent(self) -> Self {
        Self {
            naming: Naming::Silent,
            ..self
        }
    }

    pub(super) const fn last(self) -> Self {
        Self {
            naming: Naming::Last,
            ..self
        }
    }

    pub(super) const fn lifted(self) -> Self {
        Self {
            is_lifted: true,
            ..self
        }
    }

    pub(super) const fn open(self) -> Self {
        Self {
            is_open: true,
            ..self
        }
    }

    pub(super) const fn merged(self) -> Self {
        Self {
            merges: true,
            ..self
        }
    }

    pub(super) const fn once(self) -> Self {
        Self { once: true, ..self }
    }
}

/// A node that documents a definition and is no comment: `@doc "…"`.
pub(super) struct DocNode {
    /// The kind of node.
    pub(super) node: &'static str,
    /// The path to the word that tells which definition it is about.
    pub(super) word: NodePath,
    /// The words for the definition that follows.
    pub(super) next: &'static [&'static str],
    /// The words for the definition around.
    pub(super) around: &'static [&'static str],
    /// The path to the text.
    pub(super) text: NodePath,
}

/// A word that hides or shows the definitions below it in the same type: `private`.
pub(super) struct Section {
    /// The kind of node.
    pub(super) node: &'static str,
    /// The kind of its parent.
    pub(super) parent: &'static str,
    pub(super) hides: &'static [&'static str],
    pub(super) shows: &'static [&'static str],
}

/// A node that imports a file by a literal path from the directory of the file that holds it.
pub(super) struct ImportRule {
    /// The kind of node.
    pub(super) node: &'static str,
    /// Conditions; all have to hold.
    pub(super) when: &'static [When],
    /// The path to the text between the quotes.
    pub(super) path: NodePath,
    /// Whether the text begins with `/`, behind a constant that stands for the directory: `__DIR__ . '/a.php'`.
    pub(super) is_behind_directory: bool,
    /// The extension that is added where it is not written; with `must_have` a text without it is no path.
    pub(super) extension: &'static str,
    pub(super) must_have: bool,
}

/// One language.
pub(super) struct OutlineRow {
    /// Returns the grammar.
    pub(super) grammar: fn() -> Language,
    /// Words before a keyword that the grammar does not read well: they are blank to the parser.
    pub(super) blanked: &'static [&'static str],
    /// Of several rules for a node the first whose conditions hold and that finds a name counts.
    pub(super) rules: &'static [Rule],
    /// Nodes of comments.
    pub(super) comments: &'static [&'static str],
    /// The signs that line comments begin with.
    pub(super) line_comments: &'static [&'static str],
    /// Nodes and tokens that a body begins with, where it has no field `body`.
    pub(super) bodies: &'static [&'static str],
    /// Nodes whose variables are local though they are no definitions: lambdas.
    pub(super) local: &'static [&'static str],
    /// Nodes that may stand before a definition and are no part of its signature.
    pub(super) annotations: &'static [&'static str],
    /// Words before a name that say that other files do not see it.
    pub(super) hiding: &'static [&'static str],
    /// Words before a name one of which a definition needs to be seen by other files; empty: none.
    pub(super) showing: &'static [&'static str],
    /// The first characters of names that other files do not see.
    pub(super) hidden_prefix: &'static str,
    /// Whether definitions have no qualified names, so that signs are a part of a name: `safe_&`, `Nothing$`.
    pub(super) has_plain_names: bool,
    pub(super) section: Option<Section>,
    pub(super) doc_node: Option<DocNode>,
    pub(super) imports: &'static [ImportRule],
}

/// The row that every other is made from: languages with comments and braces as in C.
pub(super) const fn plain_row(grammar: fn() -> Language) -> OutlineRow {
    OutlineRow {
        grammar,
        blanked: &[],
        rules: &[],
        comments: &["comment", "line_comment", "block_comment"],
        line_comments: &["//"],
        bodies: &[],
        local: &[],
        annotations: &[],
        hiding: &["private"],
        showing: &[],
        hidden_prefix: "",
        has_plain_names: false,
        section: None,
        doc_node: None,
        imports: &[],
    }
}

/// A node with the nodes around it, the outermost first: `Node::parent` searches from the root each time.
#[derive(Clone, Copy)]
pub(super) struct NodePlace<'a, 't> {
    pub(super) node: Node<'t>,
    pub(super) around: &'a [Node<'t>],
}

impl<'t> NodePlace<'_, 't> {
    /// Returns the nodes that a path leads to.
    pub(super) fn find(self, path: &str) -> Vec<Node<'t>> {
        path.split(", ")
            .map(|one| self.follow(one))
            .find(|found| !found.is_empty())
            .unwrap_or_default()
    }

    /// Returns the first node that a path leads to.
    pub(super) fn first(self, path: &str) -> Option<Node<'t>> {
        self.find(path).into_iter().next()
    }

    /// Whether a condition holds.
    pub(super) fn fits(self, when: &When, source: &str) -> bool {
        match when {
            When::Has(path) => self.first(path).is_some(),
            When::Lacks(path) => self.first(path).is_none(),
            When::Is(path, words) => self.is_word(path, words, source),
            When::Not(path, words) => !self.is_word(path, words, source),
        }
    }

    fn is_word(self, path: &str, words: &[&str], source: &str) -> bool {
        let text = self
            .first(path)
            .and_then(|node| source.get(node.byte_range()));
        text.is_some_and(|text| words.contains(&text))
    }

    fn follow(self, path: &str) -> Vec<Node<'t>> {
        let mut up = self.around.len();
        let mut found = vec![self.node];
        for step in path.split('/') {
            if let Some(kinds) = step.strip_prefix("..") {
                let parent = up.checked_sub(1).map(|at| self.around[at]);
                up = up.saturating_sub(1);
                found = parent
                    .filter(|node| is_of(*node, kinds.strip_prefix('=')))
                    .into_iter()
                    .collect();
                continue;
            }
            let (is_each, step) = match step.strip_prefix('*') {
                Some(rest) => (true, rest),
                None => (false, step),
            };
            found = found
                .into_iter()
                .flat_map(|node| children(node, step, is_each))
                .collect();
        }
        found
    }
}

/// Returns the children that a step without `*` and `..` finds.
fn children<'t>(node: Node<'t>, step: &str, is_each: bool) -> Vec<Node<'t>> {
    let (field, kinds) = match step.split_once('=') {
        Some((field, kinds)) => (field, Some(kinds)),
        None => (step, None),
    };
    let most = if is_each { usize::MAX } else { 1 };
    let mut cursor = node.walk();
    if field.is_empty() {
        let all = node.children(&mut cursor);
        return all.filter(|it| is_of(*it, kinds)).take(most).collect();
    }
    let all = node.children_by_field_name(field, &mut cursor);
    all.filter(|it| is_of(*it, kinds)).take(most).collect()
}

fn is_of(node: Node<'_>, kinds: Option<&str>) -> bool {
    kinds.is_none_or(|kinds| kinds.split('|').any(|kind| kind == node.kind()))
}
