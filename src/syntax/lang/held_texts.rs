//! Names of a file that hold texts, each in its scope: the path that `url` is in `const url = '/users'; fetch(url)`.
//!
//! A name that a parameter, a loop or a call gives a value has a text that is not known, and hides the names further out. Of several values
//! the last one before a use counts, where that one is surely reached; else all have to be the same. Of a name of the whole file the values
//! that it is given under a condition do not count: by default it has the other one.

use std::cell::{Cell, RefCell};

use tree_sitter::Node;

use super::endpoints::{HOLE, NestedNodes};
use crate::model::hash::HashMap;

/// Values of names that are kept; of a file with more no name has a text.
const MAX_VALUES: usize = 20_000;

/// Values of one name in one scope; one with more has no text.
const MAX_VALUES_OF_NAME: usize = 64;

/// Names that one text may be made of, one behind another.
const MAX_STEPS: u8 = 4;

/// A name that may hold a text: `url`, or `url` of `this.url`.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct TextName<'s> {
    /// The name.
    pub(super) name: &'s str,
    /// Whether it is one of the object that the method around is called on.
    pub(super) is_member: bool,
}

/// The nodes of a language that hold names.
pub(super) struct ScopeKinds {
    /// Functions, by the kinds of their nodes.
    pub(super) functions: &'static [&'static str],
    /// Classes.
    pub(super) classes: &'static [&'static str],
    /// Lists of statements.
    pub(super) blocks: &'static [&'static str],
    /// Statements that hold no names of their own, and parts that may not run.
    pub(super) conditions: &'static [&'static str],
    /// The object that a method is called on, as a receiver: `this.`.
    pub(super) receivers: &'static [&'static str],
}

impl ScopeKinds {
    /// Whether a node holds names, or may not run.
    pub(super) fn has(&self, kind: &str) -> bool {
        self.is_scope(kind) || self.conditions.contains(&kind)
    }

    fn is_scope(&self, kind: &str) -> bool {
        self.is_function(kind) || self.classes.contains(&kind) || self.blocks.contains(&kind)
    }

    /// Whether a node is a function.
    pub(super) fn is_function(&self, kind: &str) -> bool {
        self.functions.contains(&kind)
    }

    /// Returns the name that an expression is: `url`, `this.url`.
    pub(super) fn name<'s>(&self, written: &'s str) -> TextName<'s> {
        let member = self
            .receivers
            .iter()
            .find_map(|it| written.strip_prefix(it));
        TextName {
            name: member.unwrap_or(written),
            is_member: member.is_some(),
        }
    }
}

/// The scope that a value gives its name to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Binds {
    /// The nearest function, class or list of statements.
    Block,
    /// The nearest function.
    Function,
    /// The scope in which the name is declared: an assignment.
    Declared,
}

/// A value of a name.
struct Value<'t> {
    /// The byte behind it.
    end: usize,
    /// The list of statements, or the scope, in which it stands.
    block: Option<usize>,
    /// `None` where it is no text.
    node: Option<Node<'t>>,
}

/// The names of a file that hold texts.
pub(super) struct HeldTexts<'s, 't> {
    kinds: &'static ScopeKinds,
    source: &'s str,
    scopes: NestedNodes<'t>,
    values: HashMap<(TextName<'s>, Option<usize>), Vec<Value<'t>>>,
    assigned: Vec<(TextName<'s>, Value<'t>)>,
    n_values: usize,
    /// Texts by the values that were read.
    known: RefCell<HashMap<usize, Option<String>>>,
    n_steps: Cell<u8>,
    /// Whether a text that is being read is cut short: by the bound of steps, or since it is made of itself.
    is_cut: Cell<bool>,
}

impl<'s, 't> HeldTexts<'s, 't> {
    pub(super) fn new(source: &'s str, kinds: &'static ScopeKinds) -> Self {
        Self {
            kinds,
            source,
            scopes: NestedNodes::default(),
            values: HashMap::default(),
            assigned: Vec::new(),
            n_values: 0,
            known: RefCell::default(),
            n_steps: Cell::new(0),
            is_cut: Cell::new(false),
        }
    }

    /// Adds the node that begins next, where it holds names. Its names are added behind it.
    pub(super) fn enter(&mut self, node: Node<'t>) {
        if self.kinds.has(node.kind()) {
            self.scopes.push(node);
        }
    }

    /// Adds a name that is declared without a value.
    pub(super) fn declare(&mut self, name: TextName<'s>, at: Node<'t>, binds: Binds) {
        let scope = self.scope_of(name, self.scopes.innermost(at), binds);
        if self.n_values <= MAX_VALUES && (!name.is_member || scope.is_some()) {
            self.n_values += 1;
            self.values.entry((name, scope)).or_default();
        }
    }

    /// Adds a value of a name at a node.
    pub(super) fn add(
        &mut self,
        name: TextName<'s>,
        at: Node<'t>,
        value: Option<Node<'t>>,
        binds: Binds,
    ) {
        self.n_values += 1;
        if self.n_values > MAX_VALUES {
            return;
        }
        let block = self.scopes.innermost(at);
        let value = Value {
            end: at.end_byte(),
            block,
            node: value,
        };
        if binds == Binds::Declared && !name.is_member {
            self.assigned.push((name, value));
            return;
        }
        let scope = self.scope_of(name, block, binds);
        if !name.is_member || scope.is_some() {
            self.values.entry((name, scope)).or_default().push(value);
        }
    }

    /// The scope of a name that is given a value in a list of statements; of a member its class.
    fn scope_of(&self, name: TextName<'_>, block: Option<usize>, binds: Binds) -> Option<usize> {
        self.chain(block).find(|it| {
            let kind = self.kind(*it);
            if name.is_member {
                self.kinds.classes.contains(&kind)
            } else if binds == Binds::Block {
                self.kinds.is_scope(kind)
            } else {
                self.kinds.is_function(kind)
            }
        })
    }

    /// Whether a node stands in a class, outside of its functions.
    pub(super) fn is_in_class(&self, at: Node<'_>) -> bool {
        let kinds = self
            .chain(self.scopes.innermost(at))
            .map(|it| self.kind(it));
        let (blocks, conditions) = (self.kinds.blocks, self.kinds.conditions);
        let mut scopes = kinds.filter(|it| !blocks.contains(it) && !conditions.contains(it));
        let first = scopes.next();
        first.is_some_and(|it| self.kinds.classes.contains(&it))
    }

    /// Gives names of a pattern values that are not known.
    pub(super) fn hide(&mut self, names: impl Iterator<Item = Node<'t>>, binds: Binds) {
        for name in names {
            let text = self.source.get(name.byte_range()).unwrap_or_default();
            self.add(self.kinds.name(text), name, None, binds);
        }
    }

    /// Gives what was assigned to the scopes of its names, once all of them are there.
    pub(super) fn settle(&mut self) {
        for (name, value) in std::mem::take(&mut self.assigned) {
            let declared = self
                .chain(value.block)
                .find(|it| self.values.contains_key(&(name, Some(*it))));
            self.values.entry((name, declared)).or_default().push(value);
        }
        for values in self.values.values_mut() {
            values.sort_by_key(|it| it.end);
        }
    }

    /// Returns the text of a name at a node, which `read` reads from its value; `None` where it is not known, or a value is put in.
    pub(super) fn text(
        &self,
        written: &str,
        at: Node<'_>,
        read: impl Fn(Node<'t>) -> Option<String>,
    ) -> Option<String> {
        let value = self.value(written, at)?;
        if let Some(known) = self.known.borrow().get(&value.id()) {
            return known.clone();
        }
        let n_steps = self.n_steps.get();
        if n_steps >= MAX_STEPS {
            self.is_cut.set(true);
            return None;
        }
        if n_steps == 0 {
            self.is_cut.set(false);
        }
        self.n_steps.set(n_steps + 1);
        let text = read(value).filter(|it| !it.contains(HOLE));
        self.n_steps.set(n_steps);
        // From a nearer place more of it may be read.
        if !self.is_cut.get() {
            self.known.borrow_mut().insert(value.id(), text.clone());
        }
        text
    }

    /// Returns the value of a name at a node.
    fn value(&self, written: &str, at: Node<'_>) -> Option<Node<'t>> {
        if self.n_values > MAX_VALUES {
            return None;
        }
        let name = self.kinds.name(written);
        if name.name.contains('.') {
            return None;
        }
        let around: Vec<usize> = self.chain(self.scopes.innermost(at)).collect();
        let mut is_inside = false;
        for scope in around.iter().copied().map(Some).chain([None]) {
            let is_class = scope.is_some_and(|it| self.kinds.classes.contains(&self.kind(it)));
            if name.is_member && !is_class {
                continue;
            }
            let values = self.values.get(&(name, scope));
            if name.is_member && values.is_none() {
                return None;
            }
            if let Some(values) = values {
                if values.len() > MAX_VALUES_OF_NAME {
                    return None;
                }
                let is_certain = |it: &&Value<'t>| it.block.is_none();
                if scope.is_none() && values.iter().any(|it| is_certain(&it)) {
                    // A setting of the file, which code may replace under a condition: its own value counts.
                    let certain = values.iter().filter(is_certain);
                    let before = certain.clone().rfind(|it| it.end <= at.start_byte());
                    return match before.filter(|_| !is_inside) {
                        Some(last) => last.node,
                        None => self.common(certain),
                    };
                }
                let before = values.iter().rev().find(|it| it.end <= at.start_byte());
                if let Some(last) = before.filter(|_| !is_inside && !name.is_member) {
                    let is_reached = last.block.is_none_or(|it| around.contains(&it));
                    return last.node.filter(|_| is_reached);
                }
                return self.common(values.iter());
            }
            is_inside |= scope.is_some_and(|it| self.kinds.is_function(self.kind(it)));
        }
        None
    }

    /// The value that all of some are; `None` where they differ.
    fn common<'v>(&self, mut values: impl Iterator<Item = &'v Value<'t>>) -> Option<Node<'t>>
    where
        't: 'v,
    {
        let first = values.next()?.node?;
        let text = |node: Node<'t>| self.source.get(node.byte_range());
        let is_same = |it: &Value<'t>| it.node.is_some_and(|it| text(it) == text(first));
        values.all(is_same).then_some(first)
    }

    fn kind(&self, scope: usize) -> &'t str {
        self.scopes.get(scope).kind()
    }

    /// The scopes around one, itself first.
    fn chain(&self, from: Option<usize>) -> impl Iterator<Item = usize> {
        std::iter::successors(from, |it| self.scopes.outer(*it))
    }
}
