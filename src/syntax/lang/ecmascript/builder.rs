//! The state of lowering one file, and the records that every form of code adds to it.
//!
//! One [`FileBuilder`] a file: symbols, pending bindings and references, imports, exports. The functions that read single forms
//! (`declarations`, `lower_expr`, `lower_type` …) take it as their first argument; it calls none of them.

use tree_sitter::Node;

use super::expr_builder::ExprBuilder;
use super::frame::{Frame, IdentifierRole, span_of};
use super::kinds::Grammar;
use super::pending::{
    BindingSource, ContextualType, NamePlace, PendingBinding, PendingReference, ReturnContext,
    ValueOwner,
};
use crate::ir::{
    Export, ExportKind, ExprId, Import, ImportKind, ImportedName, PathId, ReferenceKind, Slot,
    ambient_export,
};
use crate::model::hash::{HashMap, HashSet};
use crate::model::{Span, Symbol, SymbolFlags, SymbolKind};
use crate::syntax::scope::{ScopeKind, Scopes};
use crate::syntax::signature::{Comment, doc_above};

/// Longest name of a symbol or a use in bytes; longer ones are generated.
const NAME_BYTES: usize = 256;

/// Longest prefix of a qualified name; deeper definitions keep this one, so that the names of a file are
/// not longer than the file.
const PREFIX_BYTES: usize = 600;

/// Longest specifier in bytes.
const SPECIFIER_BYTES: usize = 1_000;

/// A definition as its form describes it; [`FileBuilder::define`] makes a symbol of it.
#[derive(Clone, Debug)]
pub(super) struct DefinitionForm<'s> {
    pub(super) name: &'s str,
    pub(super) kind: SymbolKind,
    pub(super) name_line: u32,
    pub(super) signature: String,
    /// Under which name it stands.
    pub(super) enclosing: u32,
    pub(super) private: bool,
    pub(super) overload: bool,
    /// Whether it is as public as its parent.
    pub(super) member: bool,
}

impl DefinitionForm<'_> {
    /// Returns a definition of which only the kind and name are out of the ordinary.
    pub(super) fn new(
        name: &str,
        kind: SymbolKind,
        name_line: u32,
        enclosing: u32,
    ) -> DefinitionForm<'_> {
        DefinitionForm {
            name,
            kind,
            name_line,
            signature: String::new(),
            enclosing,
            private: false,
            overload: false,
            member: false,
        }
    }
}

/// How much was noted of a file at some time.
#[derive(Clone, Copy, Debug)]
pub(super) struct RecordCounts {
    pub(super) references: usize,
    pub(super) bindings: usize,
    /// Names that were bound.
    pub(super) names: usize,
}

/// A name that definitions stand under.
#[derive(Clone, Debug, Default)]
pub(super) struct EnclosingSymbol {
    /// Prefix of the qualified names of definitions inside; empty at the top.
    pub(super) prefix: String,
    /// Their parent.
    pub(super) parent: Option<u32>,
    /// Whether they are members of an object and as public as it is.
    pub(super) members: bool,
    /// Whether they are visible outside without being marked, as in `declare namespace`.
    pub(super) ambient: bool,
    /// Whether it is `declare global {}`.
    pub(super) is_global: bool,
}

/// A statement around a definition that belongs to it: `export`, `declare`, `const … ;`, decorators.
#[derive(Clone, Copy, Debug, Default)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each says whether a word stands there"
)]
pub(super) struct DeclarationContext {
    /// Where the definition begins and ends with it.
    pub(super) span: Span,
    /// Whether `export` stands before it.
    pub(super) exported: bool,
    /// Whether `export default` does.
    pub(super) default: bool,
    /// Whether `declare` does.
    pub(super) ambient: bool,
    /// Whether the names in it can't be bound again.
    pub(super) constant: bool,
    /// Whether it holds more than one declarator, so that its span is none of theirs.
    pub(super) shared: bool,
    /// Number of uses before it: those since belong to the definition.
    pub(super) n_uses_before: usize,
}

impl DeclarationContext {
    /// The same with `export` before it: `exports.open = …`.
    pub(super) fn exported(&self) -> Self {
        Self {
            exported: true,
            ..*self
        }
    }
}

/// A symbol in the making.
#[derive(Clone, Debug)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is true of a definition by itself"
)]
pub(super) struct SymbolBuilder {
    /// The symbol so far.
    pub(super) symbol: Symbol,
    /// Byte at which the comments above it begin.
    pub(super) lead: u32,
    /// Under which name its own members stand.
    pub(super) enclosing: u32,
    /// Whether it is as public as its parent.
    pub(super) member: bool,
    /// Whether it is `private` or `#private`.
    pub(super) private: bool,
    /// Whether it is a function without a body that an implementation may follow.
    pub(super) overload: bool,
    /// Whether it is an implementation that took the place of its overloads.
    pub(super) overloaded: bool,
    /// The records made before it.
    pub(super) n_before: RecordCounts,
}

/// The state of the pass.
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is true of the file by itself"
)]
pub(super) struct FileBuilder<'a> {
    pub(super) source: &'a str,
    pub(super) grammar: &'static Grammar,
    /// Whether the place of each use is noted, not only of the first of those that are equal.
    pub(super) keeps_positions: bool,
    /// Whether the names that the file binds are kept.
    pub(super) keeps_names: bool,
    /// Whether `$a` is a use of `a`, as in components of Svelte.
    pub(super) has_stores: bool,
    /// First bytes of the names that are elements of a template, in order.
    pub(super) elements: &'a [usize],
    pub(super) symbols: Vec<SymbolBuilder>,
    /// Byte of the last callee that makes a definition.
    pub(super) definer: usize,
    pub(super) references: Vec<PendingReference<'a>>,
    pub(super) imports: Vec<Import>,
    pub(super) exports: Vec<Export>,
    /// Names that all files see if this one imports and exports nothing, or, with `true`, in any case.
    pub(super) offered_to_all: Vec<(Export, bool)>,
    /// Whether a statement of its top level imports or exports, so that its names are its own.
    pub(super) is_module: bool,
    /// Local names that other modules can import, by any name.
    pub(super) exported_names: std::collections::HashSet<String>,
    pub(super) scopes: Scopes<'a>,
    pub(super) bindings: Vec<PendingBinding<'a>>,
    /// The expressions of bindings. Local names stay names and imports are indexes into [`Self::modules`] until
    /// `resolve_locals`.
    pub(super) exprs: ExprBuilder,
    /// The modules of those imports.
    pub(super) modules: Vec<String>,
    /// Names that patterns take out of modules, `open` in `const { open } = await import('./db')`, with their scopes.
    pub(super) module_names: HashSet<(&'a str, u32)>,
    /// Memo of [`doc_types::doc_type`](super::doc_types::doc_type), by the text of the type.
    pub(super) doc_types: HashMap<String, Option<ExprId>>,
    /// For each function its declared return type and the owner of its inferred one; the first entry is for code
    /// outside functions.
    pub(super) returns: Vec<ReturnContext<'a>>,
    /// Contextual types of functions and objects, by the ids of their nodes.
    pub(super) contextual: HashMap<usize, ContextualType>,
    /// The contextual types of objects around methods, by the ids of the methods' nodes.
    pub(super) literal_types: HashMap<usize, ExprId>,
    /// Symbols of functions that are values, by the ids of the functions' nodes.
    pub(super) bodies: HashMap<usize, u32>,
    pub(super) comments: Vec<Comment>,
    /// Names of types that comments define without an import: `@typedef {A} B`.
    pub(super) doc_definitions: HashSet<&'a str>,
    pub(super) enclosing: Vec<EnclosingSymbol>,
    pub(super) contexts: Vec<DeclarationContext>,
    pub(super) frames: Vec<Frame>,
    /// Symbols at the top of the file by name.
    pub(super) top_level: HashMap<String, u32>,
    /// A `require` or `import()` that was recorded with the names it is bound to.
    pub(super) bound_call: Option<usize>,
    /// Decorators before a class member.
    pub(super) decorated: Option<DeclarationContext>,
    /// The last doc comment that was asked for, with its definition's first byte.
    pub(super) last_doc: (u32, String, u32),
}

impl<'a> FileBuilder<'a> {
    /// The state before the first node.
    pub(super) fn new(source: &'a str, grammar: &'static Grammar) -> Self {
        Self {
            source,
            grammar,
            keeps_positions: false,
            keeps_names: false,
            has_stores: false,
            elements: &[],
            symbols: Vec::new(),
            definer: usize::MAX,
            references: Vec::new(),
            imports: Vec::new(),
            exports: Vec::new(),
            offered_to_all: Vec::new(),
            is_module: false,
            exported_names: std::collections::HashSet::default(),
            scopes: Scopes::new(),
            bindings: Vec::new(),
            exprs: ExprBuilder::default(),
            modules: Vec::new(),
            module_names: HashSet::default(),
            doc_types: HashMap::default(),
            returns: vec![ReturnContext::default()],
            contextual: HashMap::default(),
            literal_types: HashMap::default(),
            bodies: HashMap::default(),
            comments: Vec::new(),
            doc_definitions: HashSet::default(),
            enclosing: vec![EnclosingSymbol::default()],
            contexts: vec![DeclarationContext::default()],
            frames: Vec::new(),
            top_level: HashMap::default(),
            bound_call: None,
            decorated: None,
            last_doc: (u32::MAX, String::new(), 0),
        }
    }

    /// Opens a scope at a node.
    pub(super) fn open_scope(&mut self, frame: &mut Frame, kind: ScopeKind) {
        frame.scope = self.scopes.open(frame.scope, kind);
        frame.opens = true;
    }

    /// Returns the text of a node.
    pub(super) fn text(&self, node: Node<'_>) -> &'a str {
        self.source.get(node.byte_range()).unwrap_or_default()
    }

    /// Returns the text between two bytes; empty where they are no range.
    pub(super) fn between(&self, from: usize, to: usize) -> &'a str {
        self.source.get(from..to).unwrap_or_default()
    }

    /// Adds a symbol and makes it the innermost one of `frame`. Returns its index; `None` for a name that is empty or
    /// too long.
    pub(super) fn define(
        &mut self,
        definition: DefinitionForm<'_>,
        context: &DeclarationContext,
        frame: &mut Frame,
    ) -> Option<u32> {
        let DefinitionForm { name, .. } = definition;
        if name.is_empty() || name.len() > NAME_BYTES {
            return None;
        }
        let enclosing = &self.enclosing[definition.enclosing as usize];
        let (parent, prefix_len) = (enclosing.parent, enclosing.prefix.len());
        let is_global = enclosing.is_global;
        let qualified_name = if prefix_len == 0 {
            name.to_owned()
        } else {
            format!("{}.{name}", enclosing.prefix)
        };
        let inner = parent.is_some() || prefix_len > 0;
        let member = definition.member
            || enclosing.members
            || enclosing.ambient
            || (inner && context.exported);
        let (mut span, mut lead_start) = (context.span, context.span.start_byte);
        let mut taken = None;
        while let Some(last) = self.symbols.last() {
            let fits = last.overload
                && !definition.overload
                && last.symbol.qualified_name == qualified_name
                && last.symbol.parent == parent;
            if !fits {
                break;
            }
            span.start_byte = last.symbol.span.start_byte;
            span.start_line = last.symbol.span.start_line;
            lead_start = span.start_byte;
            taken = self.symbols.pop();
        }
        let index = u32::try_from(self.symbols.len()).ok()?;
        if let Some(first) = &taken {
            self.adopt_overloads(first, index);
        }
        let n_references = self.references.len();
        for used in self.references.iter_mut().skip(context.n_uses_before) {
            used.symbol = Some(index);
        }
        let (doc, lead) = self.doc(lead_start);
        // Types in the comment above are those of the definition, and so is the key of a member.
        let before = &mut self.references[..context.n_uses_before.min(n_references)];
        let is_above = |used: &&mut PendingReference<'_>| used.start >= lead;
        let own = before.iter_mut().rev().take_while(is_above);
        for used in own.filter(|it| it.start < span.end_byte) {
            used.symbol = Some(index);
        }
        let own = u32::try_from(self.enclosing.len()).ok()?;
        let prefix = if prefix_len > PREFIX_BYTES {
            self.enclosing[definition.enclosing as usize].prefix.clone()
        } else {
            qualified_name.clone()
        };
        self.enclosing.push(EnclosingSymbol {
            prefix,
            parent: Some(index),
            members: false,
            ambient: false,
            is_global: false,
        });
        if is_global || !inner && (context.ambient || is_type_alone(definition.kind)) {
            let offered = offered_to_all(name, &qualified_name, &definition);
            self.offered_to_all.push((offered, is_global));
        }
        if parent.is_none() && qualified_name == name {
            self.top_level.insert(name.to_owned(), index);
        }
        self.symbols.push(SymbolBuilder {
            symbol: Symbol {
                name: name.to_owned(),
                qualified_name,
                kind: definition.kind,
                span,
                name_line: definition.name_line,
                exported: context.exported && !inner,
                flags: flags_of(&definition.signature),
                signature: definition.signature,
                doc,
                parent,
            },
            lead,
            enclosing: own,
            member,
            private: definition.private,
            overload: definition.overload,
            overloaded: taken.is_some(),
            n_before: RecordCounts {
                references: self.references.len(),
                bindings: self.bindings.len(),
                // Its own is the last one.
                names: self.scopes.n_bound().saturating_sub(1),
            },
        });
        frame.symbol = Some(index);
        frame.enclosing = own;
        Some(index)
    }

    /// Moves the records made inside overloads to their implementation, `index`; decorators in between stay where they
    /// are.
    fn adopt_overloads(&mut self, first: &SymbolBuilder, index: u32) {
        for used in &mut self.references[first.n_before.references..] {
            used.symbol = used.symbol.map(|symbol| symbol.min(index));
        }
        self.scopes.take_over(first.n_before.names, index);
        for binding in &mut self.bindings[first.n_before.bindings..] {
            binding.symbol = binding.symbol.map(|symbol| symbol.min(index));
            if let ValueOwner::Member(Some(owner), path) = &mut binding.owner {
                // The parameters depend on the overload that a call selects.
                let slots = self.exprs.arena.slots(*path);
                if matches!(slots.first(), Some(Slot::Param(_))) {
                    binding.expr = None;
                }
                *owner = index.min(*owner);
            }
        }
    }

    fn doc(&mut self, start: u32) -> (String, u32) {
        if self.last_doc.0 != start {
            let (doc, lead) = doc_above(self.source, &self.comments, start);
            self.last_doc = (start, doc, lead);
        }
        (self.last_doc.1.clone(), self.last_doc.2)
    }

    /// Returns the statement around a definition: that of the parent where there is one, else `node`.
    pub(super) fn context_of(&self, node: Node<'_>, parent: &Frame) -> DeclarationContext {
        let mut context = self.contexts[parent.context as usize];
        if parent.context == 0 || context.shared {
            context.n_uses_before = self.references.len();
            context.span = span_of(node);
        }
        context
    }

    /// `export default` of a definition that has `local` as its name.
    pub(super) fn export_definition(
        &mut self,
        context: &DeclarationContext,
        scope: u32,
        local: &str,
        type_only: bool,
    ) {
        if !context.exported || scope != 0 {
            return;
        }
        let name = if context.default { "default" } else { local };
        let line = context.span.start_line;
        self.add_export(ExportKind::Local, name, local, "", line)
            .type_only = type_only;
    }

    /// The context of a definition that is its own statement: a member of an enum, a parameter property.
    pub(super) fn own_context(&self, node: Node<'_>) -> DeclarationContext {
        DeclarationContext {
            span: span_of(node),
            n_uses_before: self.references.len(),
            ..DeclarationContext::default()
        }
    }

    /// Keeps a statement for the definitions in it.
    pub(super) fn push_context(&mut self, context: DeclarationContext) -> u32 {
        self.contexts.push(context);
        u32::try_from(self.contexts.len() - 1).unwrap_or(0)
    }

    /// Keeps a node as the statement around the definitions in it.
    pub(super) fn enter_context(&mut self, node: Node<'_>, parent: &Frame) -> u32 {
        let context = self.context_of(node, parent);
        self.push_context(context)
    }

    /// Adds a binding in the scope and symbol of `frame`. Returns its index.
    pub(super) fn add_binding(
        &mut self,
        owner: ValueOwner<'a>,
        expr: Option<ExprId>,
        source: BindingSource,
        frame: &Frame,
    ) -> u32 {
        self.bindings.push(PendingBinding {
            owner,
            expr,
            source,
            scope: frame.scope,
            symbol: frame.symbol,
        });
        u32::try_from(self.bindings.len() - 1).unwrap_or(u32::MAX)
    }

    /// Adds the binding of a name to its type.
    pub(super) fn annotate(&mut self, owner: ValueOwner<'a>, expr: Option<ExprId>, frame: &Frame) {
        self.add_binding(owner, expr, BindingSource::Annotation, frame);
    }

    /// The owner of a member: the nearest symbol around, and the path of names from there.
    pub(super) fn member_owner(&mut self, enclosing: u32, name: &str) -> ValueOwner<'a> {
        let name = self.slot(name);
        let (symbol, path) = self.member_path(enclosing);
        ValueOwner::Member(symbol, self.exprs.arena.path(path, name))
    }

    /// The nearest symbol that encloses, and the path of names from there: `a.b` for objects inside an object.
    pub(super) fn member_path(&mut self, enclosing: u32) -> (Option<u32>, PathId) {
        let around = &self.enclosing[enclosing as usize];
        let known = around
            .parent
            .map_or("", |at| &self.symbols[at as usize].symbol.qualified_name);
        let rest = around.prefix.strip_prefix(known).unwrap_or_default();
        let names = rest.split('.').filter(|name| !name.is_empty());
        let parent = around.parent;
        let arena = &mut self.exprs.arena;
        let path = names.fold(PathId::EMPTY, |path, name| {
            let slot = Slot::Member(arena.name(name));
            arena.path(path, slot)
        });
        (parent, path)
    }

    /// Returns the place of a member: of one under a constant for `[KEY]`.
    pub(super) fn slot(&mut self, name: &str) -> Slot {
        let key = name.strip_prefix('[').and_then(|it| it.strip_suffix(']'));
        let id = self.exprs.arena.name(key.unwrap_or(name));
        key.map_or(Slot::Member(id), |_| Slot::Key(id))
    }

    /// Returns the path of some members.
    pub(super) fn path(&mut self, names: &[&str]) -> PathId {
        let arena = &mut self.exprs.arena;
        names.iter().fold(PathId::EMPTY, |path, name| {
            let slot = Slot::Member(arena.name(name));
            arena.path(path, slot)
        })
    }

    /// Records an import.
    pub(super) fn add_import(
        &mut self,
        specifier: &str,
        kind: ImportKind,
        line: u32,
        names: Vec<ImportedName>,
    ) {
        if specifier.is_empty() || specifier.len() > SPECIFIER_BYTES {
            return;
        }
        self.imports.push(Import {
            specifier: specifier.to_owned(),
            kind,
            type_only: kind == ImportKind::TypeQuery,
            line,
            names,
        });
    }

    /// Adds an enclosing symbol for the member `name`, whose own members are nested in it. Returns its index.
    pub(super) fn nest_under(&mut self, enclosing: u32, name: &str) -> u32 {
        let around = &self.enclosing[enclosing as usize];
        let prefix = if around.prefix.is_empty() {
            name.to_owned()
        } else if around.prefix.len() + name.len() > PREFIX_BYTES {
            around.prefix.clone()
        } else {
            format!("{}.{name}", around.prefix)
        };
        let parent = around.parent;
        self.enclosing.push(EnclosingSymbol {
            prefix,
            parent,
            members: true,
            ambient: false,
            is_global: false,
        });
        u32::try_from(self.enclosing.len() - 1).unwrap_or(0)
    }

    /// Records that `local` is exported as `name`, at a line.
    pub(super) fn export_as(&mut self, name: &str, local: &str, line: u32) {
        self.exported_names.insert(local.to_owned());
        self.add_export(ExportKind::Local, name, local, "", line);
    }

    /// Adds an export; see [`Export`] for the meaning of empty names.
    pub(super) fn add_export(
        &mut self,
        kind: ExportKind,
        name: &str,
        local: &str,
        specifier: &str,
        line: u32,
    ) -> &mut Export {
        self.exports.push(Export {
            kind,
            name: name.to_owned(),
            local: local.to_owned(),
            specifier: specifier.to_owned(),
            type_only: false,
            line,
        });
        self.exports.last_mut().expect("one was pushed")
    }

    pub(super) fn add_reference(
        &mut self,
        name: &'a str,
        receiver: &'a str,
        kind: ReferenceKind,
        frame: &Frame,
        place: NamePlace,
    ) {
        let skipped = receiver.is_empty() && matches!(name, "require" | "arguments");
        if name.is_empty() || name.len() > NAME_BYTES || skipped {
            return;
        }
        self.references.push(PendingReference {
            name,
            receiver,
            kind,
            symbol: frame.symbol,
            scope: frame.scope,
            line: place.line,
            start: place.start,
            root: frame.role == IdentifierRole::Root && receiver.is_empty(),
            receiver_binding: None,
        });
    }
}

/// Flags that a signature shows: `static load()`, `(a) =>`.
fn flags_of(signature: &str) -> SymbolFlags {
    let head = signature.split(['(', '=', ':', '<']).next();
    let mut words = head.unwrap_or_default().split_whitespace();
    // The last word is the name.
    let is_static = words.next_back().is_some() && words.any(|it| it == "static");
    if is_static {
        SymbolFlags::STATIC
    } else if signature.ends_with("=>") {
        SymbolFlags::LEXICAL_THIS
    } else {
        SymbolFlags::empty()
    }
}

/// Returns the export by which a definition is offered to all files.
fn offered_to_all(name: &str, qualified_name: &str, definition: &DefinitionForm<'_>) -> Export {
    Export {
        kind: ExportKind::Local,
        name: ambient_export(name),
        local: qualified_name.to_owned(),
        specifier: String::new(),
        type_only: is_type_alone(definition.kind),
        line: definition.name_line,
    }
}

/// Whether definitions of a kind are types alone, so that no value has their name.
fn is_type_alone(kind: SymbolKind) -> bool {
    matches!(kind, SymbolKind::Interface | SymbolKind::Type)
}
