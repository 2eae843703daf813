//! Symbols and the places they take in a file.

use serde::{Deserialize, Serialize};

/// A range of a file. Bytes are half-open, lines 1-based and inclusive; both lie inside the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Span {
    /// First byte.
    pub start_byte: u32,
    /// One past the last byte.
    pub end_byte: u32,
    /// First line, from 1.
    pub start_line: u32,
    /// Last line, inclusive.
    pub end_line: u32,
}

impl Span {
    /// Returns whether `other` lies inside (or equals) this range, by bytes.
    pub fn contains(&self, other: &Span) -> bool {
        self.start_byte <= other.start_byte && other.end_byte <= self.end_byte
    }
}

macro_rules! kinds {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $code:literal $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum $name { $($(#[$vdoc])* $variant = $code,)* }

        impl $name {
            /// Every value, in the order of its codes.
            pub const ALL: &'static [$name] = &[$($name::$variant,)*];

            /// Returns the word used in answers.
            pub fn as_str(self) -> &'static str {
                match self { $($name::$variant => $text,)* }
            }

            /// Returns the number stored in an index.
            pub fn code(self) -> u8 { self as u8 }

            /// Returns the value with this number; `None` where there is none.
            pub fn from_code(code: u8) -> Option<Self> {
                match code { $($code => Some($name::$variant),)* _ => None }
            }
        }
    };
}
pub(crate) use kinds;

bitflags::bitflags! {
    /// Properties of a symbol beside its kind.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    pub struct SymbolFlags: u32 {
        /// A member of a class itself, not of its instances: `static`, `@staticmethod`.
        const STATIC = 1;
        /// A function whose `this` is that of the enclosing code: an arrow function.
        const LEXICAL_THIS = 1 << 1;
        /// A function whose receiver is the class: `@classmethod`.
        const CLASS_RECEIVER = 1 << 2;
        /// A declaration without a body, of a definition elsewhere or nowhere: an overload, a stub.
        const DECLARATION_ONLY = 1 << 3;
        /// A function that is read like a field: a getter, `@property`.
        const ACCESSOR = 1 << 4;
        /// A member that classes below have to define.
        const ABSTRACT = 1 << 5;
        /// A function that yields.
        const GENERATOR = 1 << 6;
        /// A test, or a hook that a test framework runs for tests.
        const TEST = 1 << 7;
        /// A function whose last parameter takes any number of arguments: `Item... items`.
        const VARIADIC = 1 << 8;
        /// Built for tests alone: `#[cfg(test)]`.
        const TEST_ONLY = 1 << 9;
        /// A part of a type or method whose other parts stand elsewhere: `partial`.
        const PARTIAL = 1 << 10;
        /// A static method that is called as a member of its first argument: `static void Open(this Store store)`.
        const EXTENSION = 1 << 11;
        /// A type of which any name is a member: `{ [key: string]: Value }`.
        const ANY_MEMBER = 1 << 12;
        /// A member of an enumeration that is a name of the scope around that as well: `kRed` of `enum Color { kRed }` in C++; in C also a
        /// type that is defined in another one.
        const IN_SCOPE_AROUND = 1 << 13;
        /// A macro of C, with parameters or without.
        const MACRO = 1 << 14;
        /// A function of C, which its name alone tells apart: no other has the name and other parameters.
        const C_LINKAGE = 1 << 15;
        /// A macro of C in whose place the file has a function in another branch: `#ifdef A` / `int now(void);` / `#else` / `#define now() 0`.
        const FUNCTION_IN_OTHER_BRANCH = 1 << 16;
    }
}

kinds! {
    /// The kind of a symbol, named as in the Language Server Protocol's `SymbolKind` where that has the kind; it has no `type`,
    /// `macro` and `heading`.
    SymbolKind {
        /// A function, or a function bound to a name.
        Function = 0 "function",
        /// A class.
        Class = 1 "class",
        /// A function of a class, an interface or an object.
        Method = 2 "method",
        /// A constructor.
        Constructor = 3 "constructor",
        /// A getter, a setter, or a data member of an interface or an object.
        Property = 4 "property",
        /// A data member of a class.
        Field = 5 "field",
        /// An interface.
        Interface = 6 "interface",
        /// A type alias.
        Type = 7 "type",
        /// An enumeration.
        Enum = 8 "enum",
        /// A member of an enumeration.
        EnumMember = 9 "enumMember",
        /// A namespace or a declared module.
        Namespace = 10 "namespace",
        /// A name bound once (`const`, or a `CommonJS` export of a value).
        Constant = 11 "constant",
        /// A name that can be bound again (`let`, `var`).
        Variable = 12 "variable",
        /// The whole module, where it exports something that has no name of its own.
        Module = 13 "module",
        /// A heading of a document.
        Heading = 14 "heading",
        /// A macro that is defined by rules.
        Macro = 15 "macro",
    }
}

impl SymbolKind {
    /// Whether its body runs when it is called: a function, a method or a constructor.
    pub fn is_function(self) -> bool {
        matches!(self, Self::Function | Self::Method | Self::Constructor)
    }

    /// Whether it can be the type of something: a class, an interface, an enum or another type.
    pub fn is_type(self) -> bool {
        matches!(
            self,
            Self::Class | Self::Interface | Self::Enum | Self::Type
        )
    }

    /// Whether it declares a shape and does nothing: a type, a member of one.
    pub fn is_declaration(self) -> bool {
        matches!(
            self,
            Self::Property | Self::Interface | Self::Type | Self::Enum | Self::EnumMember
        )
    }
}

/// A definition in one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Symbol {
    /// Its own name (`open`); `default` for a default export that has none.
    pub name: String,
    /// Its name with those of the definitions around it, dot-separated (`Store.open`).
    pub qualified_name: String,
    /// The kind.
    pub kind: SymbolKind,
    /// The definition, from its first decorator or `export` keyword on; the doc comment is outside.
    pub span: Span,
    /// Line of the name itself.
    pub name_line: u32,
    /// Whether another module can import it, or it is a public member of something that one can.
    pub exported: bool,
    /// Properties beside the kind.
    pub flags: SymbolFlags,
    /// The definition without its body, white space folded, at most 240 bytes.
    pub signature: String,
    /// The comment that documents it, without its comment marks, at most 2,000 bytes.
    pub doc: String,
    /// The innermost symbol around it, an index into the file's symbols that is less than its own.
    pub parent: Option<u32>,
}

impl Symbol {
    /// Returns whether it is a member of a class itself rather than of its instances.
    pub fn is_static(&self) -> bool {
        self.flags.contains(SymbolFlags::STATIC)
    }

    /// Returns whether its `this` is that of the enclosing code.
    pub fn has_lexical_this(&self) -> bool {
        self.flags.contains(SymbolFlags::LEXICAL_THIS)
    }
}
