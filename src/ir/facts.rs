//! The facts of one file: its symbols, imports, exports, bindings and references.
//!
//! Facts are a function of (bytes, language, facts version) alone: no other file, no clock and no
//! setting enters; `link` binds names of other files.

use serde::{Deserialize, Serialize};

use super::{Binding, Endpoint, Expr, ExprArena, ExprId, NameId, PathId, Slot, SymbolIdx};
use crate::model::hash::{HashMap, fnv1a};
use crate::model::symbol::kinds;
use crate::model::{Chunk, Family, Symbol, SymbolFlags, SymbolKind};

/// Everything a file says that linking needs, without its text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileFacts {
    /// By which rules its names are resolved.
    pub family: Family,
    /// The units of visibility that its top level belongs to, by the names that it says itself: a package clause. Behind that of
    /// Go stands the build constraint of the file, where it has one.
    pub units: Vec<String>,
    /// Whether builds leave it out unless they are asked for it: by a build constraint for another platform.
    pub is_alternative: bool,
    /// Definitions, in the order of their first byte; a parent stands before its members.
    pub symbols: Vec<Symbol>,
    /// The types of members that need not be declared in this file, by their symbols: the receiver of a method in Go.
    pub owners: Vec<NamedOwner>,
    /// Imports, in source order.
    pub imports: Vec<Import>,
    /// Exports, in source order.
    pub exports: Vec<Export>,
    /// The names that `from module import *` takes, where the file lists them: `__all__`.
    pub all: Option<Vec<NameId>>,
    /// Names it uses, by the line of their first use.
    pub references: Vec<Reference>,
    /// Values of the file and its symbols, in source order.
    pub bindings: Vec<Binding>,
    /// The expressions, names and paths that all of the above speak of.
    pub exprs: ExprArena,
    /// Names that the file binds at its top level and that are neither definitions nor imports, sorted: `a` in
    /// `const { a } = f()`.
    pub variables: Vec<String>,
    /// Classes that templates of Angular use by other names than their own.
    pub directives: Vec<Directive>,
    /// Where it meets files of other languages.
    pub endpoints: Vec<Endpoint>,
    /// The uses of handlers, routers and clients in those, which other files follow; each is among the references, too.
    pub endpoint_uses: Vec<Reference>,
    /// Whether it is the template of a class in another file, which is `this` in its references.
    pub is_template: bool,
    /// Whether the parser met code that it could not read; the rest was read all the same.
    pub has_errors: bool,
}

/// The type of a member that is declared outside of it, maybe in another file: `Store` in `func (s *Store) Open()`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedOwner {
    /// The member, an index into the file's symbols; it has no parent.
    pub symbol: SymbolIdx,
    /// The expression that names the type.
    pub owner: ExprId,
}

/// A component, directive, pipe or module of Angular.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Directive {
    /// The class, an index into the file's symbols.
    pub symbol: u32,
    /// The selector of a directive in templates, as written: `my-list, [myList]`, for a pipe its name; empty for none.
    pub selector: String,
    /// Whether it is a pipe.
    pub is_pipe: bool,
    /// The specifier of the import that leads to its template; empty where it has no file for it.
    pub template: String,
    /// Identifiers in `imports: […]` of a component; of an `NgModule` those in `exports`.
    pub imports: Vec<String>,
    /// Inputs and outputs: the name in templates and the name of the member.
    pub inputs: Vec<(String, String)>,
}

kinds! {
    /// How a module is imported.
    ImportKind {
        /// `import … from`, or `import` for its effects.
        Static = 0 "import",
        /// `export … from`.
        ReExport = 1 "re-export",
        /// `import(…)` with a literal.
        Dynamic = 2 "dynamic",
        /// `require(…)` with a literal, `import x = require(…)`.
        Require = 3 "require",
        /// `require.resolve(…)` with a literal.
        RequireResolve = 4 "require-resolve",
        /// `/// <reference path="…" />`.
        TripleSlash = 5 "reference-path",
        /// `import("…").T` in a type; in a comment also `@typedef {import("…").T} A` and `@import`, which bind
        /// names of the file.
        TypeQuery = 6 "type-query",
        /// `templateUrl: '…'` of a component of Angular: a file whose names are members of a class here.
        Template = 7 "template",
        /// The module that a name of `from package import name` may be: nothing is missing where there is none.
        Submodule = 8 "submodule",
        /// A module that code reaches without a statement that names it: `app.db` of `app.db.open()` after `import app`.
        /// Nothing is missing where there is none, and the file does not import it.
        Implied = 9 "implied",
        /// A package whose own name is the name here: `import "a/store"`. The name in the facts is the usual one for such
        /// a path.
        Package = 10 "package",
        /// `import static a.b.C.member`: a member of a class, whose name is the local one; `*` for all of them.
        StaticMember = 11 "static member",
        /// Where names of the file may lead without a statement: the root of its crate, another crate, the files with members
        /// of a type. Nothing is missing where there is none, and the file does not import it.
        Scope = 12 "scope",
        /// A file of C that is no header and is included for its text, `#include "commands.def"`: names that it does not include itself
        /// are those of the file that includes it. Nothing is missing where there is none.
        Fragment = 13 "fragment",
        /// `jest.mock('…')`, `vi.importActual('…')`: a module that a test runner is told to replace, or is asked for.
        Mock = 14 "mock",
    }
}

/// One import of a module.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Import {
    /// The module as written.
    pub specifier: String,
    /// The kind of statement or expression that imports it.
    pub kind: ImportKind,
    /// Whether all of it is erased at run time (`import type`).
    pub type_only: bool,
    /// Line of the specifier.
    pub line: u32,
    /// Names that are bound or re-exported; empty for an import for its side effects and for a dynamic import whose
    /// result is not destructured.
    pub names: Vec<ImportedName>,
}

/// One name that an import binds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportedName {
    /// The name in the other module: `default`, `*` for the whole module, or a name.
    pub imported: String,
    /// The name here (for `export … from`, the name it is exported by).
    pub local: String,
    /// Whether this name alone is marked `type`.
    pub type_only: bool,
}

impl ImportedName {
    /// Returns the import of a name under a local one, of values and types.
    pub fn new(imported: &str, local: &str) -> Self {
        Self {
            imported: imported.to_owned(),
            local: local.to_owned(),
            type_only: false,
        }
    }
}

kinds! {
    /// Which form an export has.
    ExportKind {
        /// A definition or a list in this file (`export function f`, `export { f as g }`, `exports.g = f`).
        Local = 0 "local",
        /// A name re-exported from another module (`export { f as g } from`).
        From = 1 "from",
        /// Everything of another module (`export * from`).
        Star = 2 "star",
        /// Another module as one name (`export * as ns from`).
        Namespace = 3 "namespace",
        /// The module itself (`module.exports = f`, `export = f`).
        Assignment = 4 "assignment",
    }
}

/// One name that a module exports.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Export {
    /// Which form.
    pub kind: ExportKind,
    /// The exported name; `default` for a default export, `*` for [`ExportKind::Star`],
    /// `export=` for [`ExportKind::Assignment`].
    pub name: String,
    /// The name behind it: of this file, or of the other module where there is a specifier; empty for
    /// an expression that has none and for `exports.x = …` that makes a definition of this name.
    pub local: String,
    /// The other module, as written; empty for a definition of this file.
    pub specifier: String,
    /// Whether it is a type alone.
    pub type_only: bool,
    /// Line.
    pub line: u32,
}

kinds! {
    /// How a name is used.
    ReferenceKind {
        /// `f(…)`, `a.f(…)`, `` f`…` ``.
        Call = 0 "call",
        /// `new F(…)`.
        New = 1 "new",
        /// `<F …>`.
        Jsx = 2 "jsx",
        /// `@f`.
        Decorator = 3 "decorator",
        /// A name in a type position.
        Type = 4 "type",
        /// `extends` or `implements`.
        Heritage = 5 "heritage",
        /// Any other use of a value.
        Value = 6 "value",
        /// `typeof f` in a type: the value, of which the type alone counts.
        TypeQuery = 7 "typeQuery",
        /// A name in a list of those that a module offers, `__all__ = ["open"]`, or of what a test replaces,
        /// `patch('db.open')`, or the element that an argument without a name is for, `value` of `@Route("/")`. No definition uses
        /// another by it.
        Listed = 8 "listed",
        /// A name of a dotted path that is the whole of a string: `'api.views.index'`. It means something only where a
        /// definition has that path.
        Quoted = 9 "quoted",
    }
}

impl ReferenceKind {
    /// Whether the use is erased when the code runs: a name in a type, a value whose type is asked for.
    pub fn is_of_type(self) -> bool {
        matches!(self, Self::Type | Self::TypeQuery)
    }
}

/// Kind of a name in the markup of an Angular template.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum TemplateNameKind {
    /// The name is that of an element.
    Element,
    /// The name is that of an attribute of an element, which is named where it may be a component's.
    Attribute(Option<NameId>),
    /// The name is that of a pipe.
    Pipe,
}

/// The look-up that a reference needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Target {
    /// No local scope binds the name: look it up in the symbols around, then in the file.
    Lexical,
    /// The use is this expression: a local scope binds the name to it.
    Value(ExprId),
    /// The use is of this symbol, which is inside a function.
    Symbol(SymbolIdx),
    /// The name is a member of this.
    Member {
        /// The receiver.
        receiver: ExprId,
        /// Whether a local name or a computed expression stands there, not a chain of names that the file shows.
        is_inferred: bool,
    },
    /// The name stands in markup.
    Markup(TemplateNameKind),
    /// A local scope binds the name, or none does and it is assigned here, and nothing is known of it.
    Unknown,
}

/// Uses of one name in one symbol: of a name that no local scope binds, or that one binds to something that
/// can be followed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reference {
    /// The name that is used: the last one of a chain (`open` in `store.open()`).
    pub name: NameId,
    /// Its look-up.
    pub target: Target,
    /// How it is used.
    pub kind: ReferenceKind,
    /// The innermost symbol around it.
    pub symbol: Option<SymbolIdx>,
    /// Line of the first use.
    pub line: u32,
    /// Number of uses that are equal in all of the above but the line, at least 1.
    pub count: u32,
}

impl FileFacts {
    /// Whether a definition is a member of the instances of its component: `export function open()` in the script of one of Svelte.
    pub fn is_of_instance(&self, symbol: SymbolIdx) -> bool {
        let is_component = |at: SymbolIdx| {
            let owner = self.symbols.get(at as usize);
            owner.is_some_and(|it| it.kind == SymbolKind::Module && it.name == "default")
        };
        self.bindings.iter().any(|it| {
            it.owner.is_some_and(is_component)
                && matches!(self.exprs.last(it.path), Some((_, Slot::Member(_))))
                && *self.exprs.get(it.value) == Expr::Symbol(symbol)
        })
    }

    /// Returns the expression that names the type of a member which is declared outside of it.
    pub fn owner(&self, symbol: usize) -> Option<ExprId> {
        let at = self
            .owners
            .binary_search_by_key(&symbol, |it| it.symbol as usize);
        Some(self.owners[at.ok()?].owner)
    }

    /// The outermost type out of which a symbol is seen in the scope around: the enumeration of a member, in C also the type in which
    /// that one is defined.
    pub fn seen_around(&self, symbol: usize) -> Option<SymbolIdx> {
        let is_seen = |at: usize| {
            let flags = self.symbols[at].flags;
            flags.contains(SymbolFlags::IN_SCOPE_AROUND)
        };
        let mut around = self.symbols[symbol].parent.filter(|_| is_seen(symbol))?;
        while is_seen(around as usize)
            && let Some(parent) = self.symbols[around as usize].parent
        {
            around = parent;
        }
        Some(around)
    }

    /// The name in its unit of a member that is declared outside of its type: `Store.Open`.
    pub fn unit_member_name(&self, symbol: usize) -> Option<String> {
        let owner = match self.exprs.get(self.owner(symbol)?) {
            Expr::Name { name, .. } | Expr::Member { name, .. } => self.exprs.name_of(*name),
            // `T` of `impl<T: Read> Extend for T`, whose bounds these are.
            Expr::Union(_) => self.symbols[symbol].qualified_name.rsplit('.').nth(1)?,
            _ => return None,
        };
        Some(member_name(owner, &self.symbols[symbol].name))
    }

    /// The number of type parameters of each type and method that has some, where its language tells them apart by it: each has a
    /// default for each of them, if only an unknown one.
    pub fn arities(&self) -> HashMap<SymbolIdx, usize> {
        let mut all: HashMap<SymbolIdx, usize> = HashMap::default();
        for binding in &self.bindings {
            if let Some(owner) = binding.owner
                && let Some((PathId::EMPTY, Slot::TypeParamDefault(_))) =
                    self.exprs.last(binding.path)
            {
                *all.entry(owner).or_default() += 1;
            }
        }
        all
    }

    /// Returns the name that a reference uses.
    pub fn name(&self, reference: &Reference) -> &str {
        self.exprs.name_of(reference.name)
    }

    /// Whether the file is a CommonJS module: it exports by assignment alone (`exports.open = open`) and has no `import`
    /// or `export … from` statement.
    pub fn is_common_js(&self) -> bool {
        let is_statement = |kind| matches!(kind, ImportKind::Static | ImportKind::ReExport);
        self.family == Family::Ecmascript
            && !self.exports.is_empty()
            && self.exports.iter().all(|it| it.kind == ExportKind::Local)
            && !self.imports.iter().any(|it| is_statement(it.kind))
    }
}

/// The name in its unit of the member of a type: `Store.Open`.
pub fn member_name(owner: &str, member: &str) -> String {
    format!("{owner}.{member}")
}

/// The name by which a type with type parameters is looked up: ``Map`2`` for `Map<K, V>`. Where a type is meant that has none it is
/// asked for as ``Store`0``, and offered as `Store`.
pub fn generic_name(name: &str, n_params: usize) -> String {
    format!("{name}{ARITY}{n_params}")
}

/// Splits the number of type parameters from the name of a type that is asked for: `Store` and `Store` for ``Store`0``, `Map` and
/// ``Map`2`` for ``Map`2``: the name as it is written, and as it is offered.
pub fn split_generic_name(name: &str) -> Option<(&str, &str)> {
    let (plain, n_params) = name.rsplit_once(ARITY)?;
    Some((plain, if n_params == "0" { plain } else { name }))
}

/// The sign between the name of a type and the number of its type parameters.
const ARITY: char = '`';

/// The name by which a namespace offers a method that is called as a member of its first argument: `this Open()`.
pub fn extension_name(method: &str) -> String {
    format!("this {method}()")
}

/// The beginning of the names of anonymous types of C#, whose type arguments are the types of the members that the rest names:
/// `Anonymous Tag Size` for `new { job.Tag, Size = 1 }` and for `(Tag: tag, Size: 1)`.
pub const ANONYMOUS: &str = "Anonymous ";

/// A method of Rust's standard library that runs a function of the type it makes.
#[derive(Clone, Copy, Debug)]
pub struct Conversion {
    /// The method: `parse`.
    pub method: &'static str,
    /// The function: `from_str`.
    pub function: &'static str,
    /// Whether the method gives a `Result` of the type.
    pub is_fallible: bool,
}

/// The methods that run a function of the type they make.
pub const CONVERSIONS: [Conversion; 3] = [
    Conversion {
        method: "into",
        function: "from",
        is_fallible: false,
    },
    Conversion {
        method: "parse",
        function: "from_str",
        is_fallible: true,
    },
    Conversion {
        method: "try_into",
        function: "try_from",
        is_fallible: true,
    },
];

/// The name of the member that indexing an object reads: `store[0]`.
pub const INDEXER: &str = "this[]";

/// The specifier of a namespace that is named inside of another one, `Acme.App|Db`: it may stand in that, or in one around.
pub fn in_namespace(around: &str, name: &str) -> String {
    format!("{around}|{name}")
}

/// The specifier of the namespaces that all files of a project use: `global using`. With a number behind it it is that of one
/// which the project file names.
pub fn global_usings() -> &'static str {
    "global using"
}

/// The specifier of the files that declare a type of a name, in whatever namespace: ``=Result`1``. It leads to a unit where the
/// repository has one.
pub fn files_of_type(name: &str) -> String {
    format!("={name}")
}

/// The member of a file of Rust below which the `impl` blocks for type parameters stand: `impl<I: Iterator> Ids for I`. Each is a pair of
/// the bounds and the trait.
pub const BLANKET_IMPLS: &str = "impl<>";

/// The beginning of the keys of units of the files that declare a type of a name. No name of a file is looked up in them.
pub const TYPE_NAME_UNIT: &str = "cs=";

/// How many namespaces of the repository, of those that a project file names, are used by all files of the project.
pub const N_PROJECT_USINGS: usize = 24;

/// The specifier of a project that a file sees, by the number behind it: `project 0` is its own, the others are those that this
/// references, the nearest first.
pub fn visible_projects() -> &'static str {
    "project "
}

/// The specifier that leads somewhere where a file sees all projects: which its own references is not known.
pub fn all_projects() -> &'static str {
    "project *"
}

/// How many projects a file may see, beyond which it is taken to see all.
pub const N_VISIBLE_PROJECTS: usize = 16;

/// Whether an export of C# is a type of a namespace: neither one inside of another type nor an extension method.
pub fn is_type_export(export: &Export) -> bool {
    export.kind == ExportKind::Local && !export.name.contains(['.', ' '])
}

/// How many units the names with external linkage are spread over.
const N_LINKAGE_UNITS: u64 = 4096;

/// Returns the unit that the files share which declare or define a name with external linkage: `open`, `Store.open`. Names
/// are spread over a fixed number of units. It is written to disk.
pub fn linkage_unit(name: &str) -> String {
    let hash = fnv1a(name);
    format!("{:03x}", (hash ^ (hash >> 32)) % N_LINKAGE_UNITS)
}

/// The unit of a module of Java, and the specifier by which another one requires it: `module com.acme.core`.
pub fn java_module_unit(name: &str) -> String {
    format!("module {name}")
}

/// The name by which a file is known that documents its package, of which it offers nothing else by it: `doc.go`,
/// `package-info.java`. A keyword, so that no definition has it.
pub const DOCUMENTED: &str = "package";

/// The first character of names by which definitions are injected into parameters: a fixture that tests ask for by a
/// parameter `client` is offered as `@client`.
pub const INJECTED: &str = "@";

/// Returns the name by which a module offers a definition for injection: `@client` for `client`.
pub fn injected_name(name: &str) -> String {
    format!("{INJECTED}{name}")
}

/// The result of extracting one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Extraction {
    /// The facts.
    pub facts: FileFacts,
    /// Its lines, cut into pieces.
    pub chunks: Vec<Chunk>,
}
