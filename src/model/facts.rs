//! What one file says by itself.
//!
//! Facts are a function of (bytes, language, facts version) alone: no other file, no clock and no
//! setting enters. Refuses to know what a name in another file means.

use serde::{Deserialize, Serialize};

use super::symbol::kinds;
use super::{Chunk, Symbol};

/// Everything a file says that linking needs, without its text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileFacts {
    /// Definitions, in the order of their first byte; a parent stands before its members.
    pub symbols: Vec<Symbol>,
    /// What it takes from other modules, in source order.
    pub imports: Vec<Import>,
    /// What it offers to other modules, in source order.
    pub exports: Vec<Export>,
    /// Names it uses, by the line of their first use.
    pub references: Vec<Reference>,
    /// What is written about the types and values of names: those that the file or a definition owns in
    /// source order, then the local ones that a reference asks for.
    pub hints: Vec<Hint>,
    /// Names that the file binds at its top level and that are neither definitions nor imports, sorted: `a` in
    /// `const { a } = f()`.
    pub variables: Vec<String>,
    /// Classes that templates of Angular use by other names than their own.
    pub directives: Vec<Directive>,
    /// Whether it is the template of a class in another file, which is `this` in its references.
    pub is_template: bool,
    /// Whether the parser met code that it could not read; the rest was read all the same.
    pub has_errors: bool,
}

/// A component, directive, pipe or module of Angular.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Directive {
    /// The class, an index into the file's symbols.
    pub symbol: u32,
    /// What a template selects it by, as written: `my-list, [myList]`, for a pipe its name; empty for none.
    pub selector: String,
    /// Whether it is a pipe.
    pub is_pipe: bool,
    /// The specifier of the import that leads to its template; empty where it has no file for it.
    pub template: String,
    /// Names of the file for what its template can use; of a module for what those can use that import the module.
    pub imports: Vec<String>,
    /// The members that a template sets or listens to: the name there and that of the member.
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
    }
}

/// One import of a module.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Import {
    /// The module as written.
    pub specifier: String,
    /// How.
    pub kind: ImportKind,
    /// Whether all of it is erased at run time (`import type`).
    pub type_only: bool,
    /// Line of the specifier.
    pub line: u32,
    /// What is bound or passed on; empty for an import for its effects and for a dynamic import whose
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

kinds! {
    /// Which form an export has.
    ExportKind {
        /// A definition or a list in this file (`export function f`, `export { f as g }`, `exports.g = f`).
        Local = 0 "local",
        /// A name passed on from another module (`export { f as g } from`).
        From = 1 "from",
        /// Everything of another module (`export * from`).
        Star = 2 "star",
        /// Another module as one name (`export * as ns from`).
        Namespace = 3 "namespace",
        /// The module itself (`module.exports = f`, `export = f`).
        Assignment = 4 "assignment",
    }
}

/// One name that a module offers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Export {
    /// Which form.
    pub kind: ExportKind,
    /// The name it is offered by; `default` for a default export, `*` for [`ExportKind::Star`],
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
    }
}

/// What the file knows about the name that a reference begins with (the first of its receiver, or its own).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Local {
    /// No local scope binds it: it is a name of the file or of a namespace around, an import, a global, or
    /// `this` and `super` of the symbol.
    #[default]
    No,
    /// A local scope binds it, or it is no name, and nothing is known of it: it can't be followed.
    Unknown,
    /// A local scope binds it, or the receiver is the expression `?`: an index into the file's hints, which
    /// speaks of the first name of the receiver (of the whole receiver where that is `?`, of the name itself
    /// where there is no receiver).
    Hint(u32),
    /// It is a definition inside a function: an index into the file's symbols.
    Symbol(u32),
}

/// Uses of one name in one symbol: of a name that no local scope binds, or that one binds to something that
/// can be followed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reference {
    /// The name that is used: the last one of a chain (`open` in `store.open()`).
    pub name: String,
    /// What stands before it, as written, where that is a chain of names or `this`/`super` (`store` in
    /// `store.open()`, `this.db` in `this.db.open()`); `?` for any other expression and for a local name
    /// that hides one of the file's and can't be followed, empty for none. In templates of Angular `<` for an
    /// element, `<a-b` for an attribute of an element `a-b`, `[` for one of another element and `|` for a pipe.
    pub receiver: String,
    /// How it is used.
    pub kind: ReferenceKind,
    /// The innermost symbol around it, an index into the file's symbols.
    pub symbol: Option<u32>,
    /// Whether a local scope binds its first name, and to what.
    pub local: Local,
    /// Line of the first use.
    pub line: u32,
    /// Number of uses that are equal in all of the above but the line, at least 1.
    pub count: u32,
}

kinds! {
    /// What is written about a name: how to read [`Hint::of`].
    HintKind {
        /// An instance of a type: an annotation, `as T`, a `JSDoc` type (which may name a value instead: then
        /// it is that value).
        Type = 0 "type",
        /// An instance of a class: `= new T(…)`.
        New = 1 "new",
        /// What a function returns: `= f(…)`, awaited or not.
        Call = 2 "call",
        /// The same value: `= g`, `= a.b`.
        Value = 3 "value",
        /// Something that holds instances of a type: `T[]`, `Set<T>`, `Map<K, T>`.
        Element = 4 "element",
        /// What it is built on, whose members are its own where it has none: `extends`, `implements`.
        Base = 5 "base",
        /// What another module offers: `await import('m')`, `require('m')` in a function, `import('m').T`.
        Import = 6 "import",
        /// Something whose members are instances of a type, whatever their names: `Record<K, T>`,
        /// `{ [key: string]: T }`.
        Keyed = 7 "keyed",
        /// A function that returns an instance of a type: `() => T`.
        Gives = 8 "gives",
    }
}

/// Begins the name of a type parameter of a class, an interface or an alias: `%0` is its first.
pub const TYPE_PARAMETER: char = '%';
/// Begins the name of a type parameter of a function: `^0` is its first. What is written about a member of that name is
/// what it stands for by what a call gives, and under the name `^0=` what bounds it.
pub const OWN_TYPE_PARAMETER: char = '^';
/// Begins the name of what a call gives: `&0` is its first argument.
pub const ARGUMENT: char = '&';

/// What is written about the type or the value of a name.
///
/// At most one hint speaks of a name (but any number of what it is built on): where its assignments differ it
/// says each of them, where its declarations do nothing. An annotation outweighs an initialiser, and that an
/// assignment.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Hint {
    /// Who owns the name, an index into the file's symbols: the function whose result it is, the class,
    /// interface, type or object whose member it is, the namespace whose name it is; `None` for a name of
    /// the file. For a local name the symbol in which `this` of [`Hint::of`] is meant.
    pub symbol: Option<u32>,
    /// The name: of a member or of the file (`a.b` for a member of an object literal in an object literal,
    /// or of a type that a comment defines), of a parameter or variable where it is local (empty for an
    /// expression); `return` for what a function returns, `(0)` for its first parameter (`(1).(0)` for the first of a function
    /// that is its second), `extends` or `implements` for what a class, an
    /// interface, a type alias or an object (`...o`) is built on.
    pub name: String,
    /// Whether it is a name of a local scope, or an expression: then it is found by [`Local::Hint`] alone
    /// and never by its name.
    pub local: bool,
    /// How to read [`Hint::of`].
    pub kind: HintKind,
    /// A chain of names as written (the type's, the constructor's, the callee's or the value's), which begins
    /// with a name of the file or of a namespace around, an import, a global, `this`, `super`, or with
    /// [`Hint::root`]; never with a local name: those are followed already.
    ///
    /// After a `:` come steps from what the kind says, separated by dots: a name is a member, `[]` an
    /// element, `()` the result of calling (`(<A>new B,value C)` with what is given that has a name: types and values, a
    /// `/` for each dot in them), `(0)` the first parameter, `{}` an instance. `const { a } = f()` is [`HintKind::Call`] `f:a`, an element of
    /// `xs` is [`HintKind::Value`] `xs:[]`, `new A().b().c` is [`HintKind::New`] `A:b.().c`. For
    /// [`HintKind::Import`] it is the other module's name (`*` for all of it) with its steps, a blank, `from`, a blank
    /// and the specifier: `open:() from ./store`. Promises count as what they promise.
    ///
    /// A type that is given others has them behind its chain: `Map<A,,element B>` (the second is unknown, an instance
    /// where no kind is said), and [`TYPE_PARAMETER`] with a number stands for what the class, interface or alias around
    /// is given in that place. What is written about a member of that name is what bounds it, under the name `%0=` what it
    /// stands for where nothing is given.
    ///
    /// What may be one of several things has the others behind it, each after ` | ` with its own kind: `A |
    /// B | null` is [`HintKind::Type`] `A | type B`. At most 480 bytes.
    pub of: String,
    /// The definition inside a function that the chain begins with, an index into the file's symbols.
    pub root: Option<u32>,
}

/// What extraction yields for one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Extraction {
    /// What the file says.
    pub facts: FileFacts,
    /// Its lines, cut into pieces.
    pub chunks: Vec<Chunk>,
}
