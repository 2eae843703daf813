//! The modifiers of a definition, read from its text: who may use it, whether it belongs to the type itself, whether it may be
//! overridden. Signatures do not tell: they begin behind the last annotation.

use std::fmt;

use super::changed_file::FileSide;
use super::declarators::shared_declaration;
use crate::model::{Family, RepoPath, Symbol, SymbolFlags, SymbolKind};

/// Who may use a definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Visibility {
    /// The type around, in Java the outermost one, in Rust the module.
    Private,
    /// The file: `file` of C#.
    File,
    /// The module that is named, or the one above: `pub(super)`, `pub(in crate::store)`.
    Module,
    /// Types that are built on the one around, in the same assembly: `private protected`.
    PrivateProtected,
    /// The package: the default of Java.
    Package,
    /// The assembly: `internal`.
    Internal,
    /// The crate: `pub(crate)`.
    Crate,
    /// Types that are built on the one around, in Java also the package.
    Protected,
    /// Those, and the assembly: `protected internal`.
    ProtectedInternal,
    /// Everyone.
    Public,
}

impl Visibility {
    /// Whether some code that may use a definition of this access may not use one of `now`.
    pub fn is_wider_than(self, now: Self) -> bool {
        let has_assembly = |it: Self| it == Self::Internal || it >= Self::ProtectedInternal;
        now < self || has_assembly(self) && !has_assembly(now)
    }
}

impl fmt::Display for Visibility {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Private => "private",
            Self::File => "visible in its file alone",
            Self::Module => "visible in one module alone",
            Self::PrivateProtected => "private protected",
            Self::Package => "package-private",
            Self::Internal => "internal",
            Self::Crate => "visible in its crate alone",
            Self::Protected => "protected",
            Self::ProtectedInternal => "protected internal",
            Self::Public => "public",
        })
    }
}

/// The modifiers of one declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "independent marks")]
pub(super) struct DeclaredModifiers {
    /// `None` where another part of the type may say it, or the language has none.
    pub(super) access: Option<Visibility>,
    pub(super) is_static: bool,
    /// Whether nothing may be built on it or override it: `final`, `sealed`, in C# also a method without `virtual`.
    pub(super) is_final: bool,
    /// Whether it may be assigned once alone: `final` and `readonly` of fields.
    pub(super) is_read_only: bool,
    pub(super) is_abstract: bool,
    /// Whether types that are built on the one around have to have it.
    pub(super) is_required: bool,
}

impl DeclaredModifiers {
    /// Reads those of a symbol of one state; `None` where its language has none.
    pub(super) fn of(path: &RepoPath, side: &FileSide, symbol: &Symbol) -> Option<Self> {
        let family = side.facts.family;
        let is_read = match family {
            Family::Java | Family::CSharp | Family::Rust | Family::Python => true,
            Family::Ecmascript => is_typescript(path),
            _ => false,
        };
        let span = &shared_declaration(side, symbol).span;
        let (start, end) = (span.start_byte as usize, span.end_byte as usize);
        let text = side.text.get(start..end).filter(|_| is_read)?;
        let all = &side.facts.symbols;
        let parent = symbol.parent.map(|at| &all[at as usize]);
        let words = leading_words(text, family);
        let has = |word: &str| words.contains(&word);
        let is_of_interface = parent.is_some_and(|it| it.kind == SymbolKind::Interface);
        let is_function = symbol.kind.is_function();
        let is_member = matches!(symbol.kind, SymbolKind::Method | SymbolKind::Property);
        // `static LIMITS: [u8; 2]` of Rust is used as `const LIMITS` is.
        let is_static = match family {
            Family::Rust => false,
            Family::CSharp => has("static") || has("const"),
            _ => has("static"),
        };
        let is_abstract = has("abstract") || symbol.flags.contains(SymbolFlags::ABSTRACT);
        let may_be_overridden =
            has("virtual") || has("override") || has("abstract") || is_of_interface;
        let is_final = match family {
            Family::Java => has("final"),
            Family::CSharp => has("sealed") || is_member && !may_be_overridden,
            _ => false,
        };
        let is_declared_alone = text.trim_end().ends_with(';') && !text.contains("=>");
        let is_required = match family {
            Family::Java if is_of_interface => {
                is_function && !has("default") && !has("static") && !has("private")
            }
            Family::CSharp if is_of_interface => {
                let n_blocks = text.matches('{').count();
                let is_bare = match symbol.kind {
                    SymbolKind::Property => n_blocks <= 1 && !text.contains("=>"),
                    _ => is_declared_alone,
                };
                is_member && is_bare && (!has("static") || has("abstract"))
            }
            Family::Ecmascript if is_of_interface => {
                let name = text
                    .find(symbol.name.as_str())
                    .map(|at| at + symbol.name.len());
                let behind = name.and_then(|at| text.get(at..)).unwrap_or_default();
                is_member && !behind.trim_start().starts_with('?')
            }
            Family::Rust if is_of_interface => {
                symbol.kind == SymbolKind::Method && is_declared_alone
            }
            _ => is_abstract && is_member,
        };
        let is_field = matches!(symbol.kind, SymbolKind::Field | SymbolKind::Property);
        Some(Self {
            access: access(family, &words, parent.map(|it| it.kind), symbol),
            is_static,
            is_final: is_final && symbol.kind != SymbolKind::Field,
            is_read_only: is_field && (has("final") || has("readonly")),
            is_abstract,
            is_required,
        })
    }
}

/// Whether a file is of TypeScript, by its name.
pub(super) fn is_typescript(path: &RepoPath) -> bool {
    matches!(path.extension(), Some("ts" | "tsx" | "mts" | "cts"))
}

fn access(
    family: Family,
    words: &[&str],
    parent: Option<SymbolKind>,
    symbol: &Symbol,
) -> Option<Visibility> {
    let has = |word: &str| words.contains(&word);
    let is_open = matches!(parent, Some(SymbolKind::Interface | SymbolKind::Enum))
        && matches!(
            symbol.kind,
            SymbolKind::Method | SymbolKind::EnumMember | SymbolKind::Property | SymbolKind::Field
        );
    Some(match family {
        Family::Java => match () {
            () if has("public") => Visibility::Public,
            () if has("protected") => Visibility::Protected,
            () if has("private") => Visibility::Private,
            () if symbol.kind == SymbolKind::EnumMember
                || parent == Some(SymbolKind::Interface) =>
            {
                Visibility::Public
            }
            () => Visibility::Package,
        },
        Family::CSharp => match (
            has("public"),
            has("protected"),
            has("internal"),
            has("private"),
        ) {
            (true, ..) => Visibility::Public,
            (_, true, true, _) => Visibility::ProtectedInternal,
            (_, true, _, true) => Visibility::PrivateProtected,
            (_, true, ..) => Visibility::Protected,
            (_, _, true, _) => Visibility::Internal,
            (.., true) => Visibility::Private,
            _ if has("file") => Visibility::File,
            _ if has("partial") && parent.is_some_and(|it| it != SymbolKind::Namespace) => {
                return None;
            }
            _ if is_open || parent == Some(SymbolKind::Enum) => Visibility::Public,
            _ if matches!(parent, None | Some(SymbolKind::Namespace)) => Visibility::Internal,
            _ => Visibility::Private,
        },
        Family::Rust => {
            let public = words.iter().find(|it| it.starts_with("pub"));
            match public.map(|it| it.split_whitespace().collect::<String>()) {
                None if is_open => Visibility::Public,
                None => Visibility::Private,
                Some(word) if word == "pub" => Visibility::Public,
                Some(word) if word == "pub(crate)" => Visibility::Crate,
                Some(word) if word == "pub(self)" => Visibility::Private,
                Some(_) => Visibility::Module,
            }
        }
        // What a module exports is compared by itself.
        Family::Ecmascript if parent == Some(SymbolKind::Class) => match () {
            () if has("private") => Visibility::Private,
            () if has("protected") => Visibility::Protected,
            () => Visibility::Public,
        },
        _ => return None,
    })
}

/// The words that stand in front of declarations.
const MODIFIERS: &[&str] = &[
    "abstract",
    "async",
    "const",
    "declare",
    "default",
    "export",
    "extern",
    "file",
    "final",
    "internal",
    "native",
    "new",
    "non",
    "override",
    "partial",
    "private",
    "protected",
    "pub",
    "public",
    "readonly",
    "required",
    "sealed",
    "static",
    "strictfp",
    "synchronized",
    "transient",
    "unsafe",
    "virtual",
    "volatile",
];

/// Returns the modifiers at the beginning of a declaration, without annotations and comments: `["public", "static"]`.
fn leading_words(text: &str, family: Family) -> Vec<&str> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let mut words = Vec::new();
    let mut rest = text.trim_start();
    loop {
        let first = rest.chars().next();
        let after = match first {
            Some('/') if rest.starts_with("//") => rest.find('\n').map(|at| &rest[at..]),
            Some('/') if rest.starts_with("/*") => rest.find("*/").map(|at| &rest[at + 2..]),
            Some('@') if family == Family::Java || family == Family::Ecmascript => {
                let name = rest[1..].trim_start_matches(|c: char| is_part(c) || "$.".contains(c));
                match name.trim_start() {
                    list if list.starts_with('(') => behind_brackets(list, family),
                    _ => Some(name),
                }
            }
            Some('[') if family == Family::CSharp => behind_brackets(rest, family),
            Some('#') if family == Family::Rust => {
                let list = rest.find('[').map(|at| &rest[at..]);
                list.and_then(|list| behind_brackets(list, family))
            }
            Some(c) if is_part(c) => {
                let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
                let (mut word, mut after) = rest.split_at(end);
                if !MODIFIERS.contains(&word) {
                    return words;
                }
                if word == "pub" && after.starts_with('(') {
                    after = behind_brackets(after, family).unwrap_or_default();
                    word = &rest[..rest.len() - after.len()];
                }
                words.push(word);
                Some(after)
            }
            _ => None,
        };
        let Some(after) = after else { return words };
        rest = after.trim_start();
    }
}

/// Returns the text behind the brackets that it begins with; `None` where they do not end. Comments and literals hold none.
pub(super) fn behind_brackets(text: &str, family: Family) -> Option<&str> {
    let bytes = text.as_bytes();
    let mut depth = 0_usize;
    let mut at = 0;
    while at < bytes.len() {
        let rest = &bytes[at..];
        at += match rest {
            [b'/', b'/', ..] => text[at..].find('\n').unwrap_or(rest.len()),
            [b'/', b'*', ..] => text[at..].find("*/").map_or(rest.len(), |end| end + 2),
            // A lifetime: `'a`.
            [b'\'', first, second, ..]
                if family == Family::Rust && *first != b'\\' && *second != b'\'' =>
            {
                1
            }
            [quote @ (b'"' | b'\'' | b'`'), ..] => quoted(rest, *quote),
            [b'(' | b'[' | b'{', ..] => {
                depth += 1;
                1
            }
            [b')' | b']' | b'}', ..] => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return text.get(at + 1..);
                }
                1
            }
            _ => 1,
        };
    }
    None
}

/// Returns how long a literal is that begins with a quote.
fn quoted(text: &[u8], quote: u8) -> usize {
    let mut at = 1;
    while at < text.len() && text[at] != quote {
        at += if text[at] == b'\\' { 2 } else { 1 };
    }
    at + 1
}

#[cfg(test)]
mod tests {
    use super::{Visibility, behind_brackets, leading_words};
    use crate::model::Family;

    #[test]
    fn modifiers_stand_among_annotations() {
        let found = |text, family| leading_words(text, family).join(" ");
        assert_eq!(
            found("@A(\")\") public @B static /* c */ int a()", Family::Java),
            "public static"
        );
        assert_eq!(
            found("[X(1)]\ninternal sealed class A", Family::CSharp),
            "internal sealed"
        );
        assert_eq!(
            found("#[inline]\npub(crate) fn a()", Family::Rust),
            "pub(crate)"
        );
        assert_eq!(
            found("private readonly a = 1", Family::Ecmascript),
            "private readonly"
        );
        assert_eq!(found("int size", Family::Java), "");
        assert_eq!(behind_brackets("(a, '(') {", Family::Java), Some(" {"));
        let block = "{ /* } */ fn a<'a>(x: &'a str) { '}'; \"}\" } } b";
        assert_eq!(behind_brackets(block, Family::Rust), Some(" b"));
    }

    #[test]
    fn access_narrows_in_both_directions_of_protected_and_internal() {
        assert!(Visibility::Public.is_wider_than(Visibility::Package));
        assert!(!Visibility::Package.is_wider_than(Visibility::Protected));
        assert!(Visibility::Internal.is_wider_than(Visibility::Protected));
        assert!(Visibility::Protected.is_wider_than(Visibility::Internal));
        assert!(!Visibility::Private.is_wider_than(Visibility::Public));
        assert!(!Visibility::Internal.is_wider_than(Visibility::ProtectedInternal));
    }
}
