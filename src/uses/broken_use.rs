//! A broken use, and the list of those of a difference: the result of `broken`.

use std::fmt;

use super::modifiers::Visibility;
use crate::model::{Provenance, RepoPath, SymbolKind};
use crate::syntax::UseKind;

/// Uses of one definition in one file that mean nothing now, or no longer agree with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrokenUse {
    /// The file of the uses.
    pub path: RepoPath,
    /// The first line: the import, where there is one.
    pub line: u32,
    /// That line, without its indentation.
    pub text: String,
    /// How the definition is used there; `None` in an import or an export.
    pub kind: Option<UseKind>,
    /// Further lines of the file that the broken import leaves without a meaning, with how each uses it.
    pub also: Vec<(u32, String, Option<UseKind>)>,
    /// The file of the definition or module, before the change.
    pub home: RepoPath,
    /// Its qualified name; empty for a module as a whole.
    pub symbol: String,
    /// The change that breaks the uses, an index into [`super::difference::Difference::changes`]; `None` where the definition itself is as it was.
    pub change: Option<usize>,
    /// Why they are broken.
    pub reason: BrokenReason,
    /// How the first use is known.
    pub provenance: Provenance,
    /// Line of an import whose module is gone, which all names of it share.
    pub module_line: Option<u32>,
    /// Whether the name comes through another file's re-export, which is broken itself.
    pub is_through: bool,
}

/// Why a use is broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BrokenReason {
    /// The definition is gone from where it was.
    Gone,
    /// The definition or file is there, and the file that the use imports it from no longer offers it, or the importing file was moved.
    NotOffered,
    /// The file that the use imports is gone.
    NoModule,
    /// The file is there, and no `mod` declares it any more.
    Undeclared,
    /// The file is there, and its `mod` has another `#[cfg(…)]` than before.
    Conditional,
    /// The call passes fewer arguments than the new signature requires.
    TooFewArguments {
        /// Arguments that it passes.
        given: u32,
        /// Arguments that it has to pass.
        required: u32,
    },
    /// The call passes more arguments than the new signature takes.
    TooManyArguments {
        /// Arguments that it passes.
        given: u32,
        /// Arguments that it may pass.
        most: u32,
    },
    /// The call of Python passes an argument by the name of a parameter that is gone.
    UnknownKeyword,
    /// The definition is there, and the use is one that it no longer permits.
    Refused(Refusal),
}

/// Why a definition no longer permits a use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Refusal {
    /// The use stands where the definition can't be seen.
    Hidden(Visibility),
    /// It belongs to the type itself, and the use goes through an object or overrides it.
    Static,
    /// It belongs to objects, and the use goes through the type.
    NotStatic,
    /// Nothing may be built on it or override it.
    Final,
    /// No object can be made of it.
    Abstract,
    /// A type that is built on the one around has to have it, and does not.
    Lacking,
    /// It was the method of an interface of Go, which its type, or one that embeds that, no longer satisfies.
    Unsatisfying,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Hidden(access) => write!(f, "is {access} now"),
            Self::Static => f.write_str("is static now"),
            Self::NotStatic => f.write_str("is not static now"),
            Self::Final => f.write_str("can't be overridden or extended now"),
            Self::Abstract => f.write_str("is abstract now"),
            Self::Lacking => f.write_str("is required, and is not there"),
            Self::Unsatisfying => f.write_str("is no method of this interface now"),
        }
    }
}

impl BrokenUse {
    /// Returns all lines, with their text and how each uses the definition.
    pub fn lines(&self) -> Vec<(u32, String, Option<UseKind>)> {
        let mut all = vec![(self.line, self.text.clone(), self.kind)];
        all.extend(self.also.iter().cloned());
        all
    }
}

/// A member whose change makes other definitions wrong: those that override it, or have to have it.
#[derive(Clone, Copy, Debug)]
pub(super) struct ChangedMember<'a> {
    /// Its change, an index into the difference.
    pub(super) change: usize,
    /// Its file.
    pub(super) home: &'a RepoPath,
    /// Its qualified name.
    pub(super) name: &'a str,
}

/// The broken uses of a difference.
#[derive(Clone, Debug, Default)]
pub struct BrokenUses {
    /// The uses, by path and line.
    pub all: Vec<BrokenUse>,
    /// Uses of members that are gone, by path and line, of which an external base may have one of the name:
    /// not proved to be broken.
    pub doubtful: Vec<BrokenUse>,
    /// Uses of the names of definitions that are gone whose meaning is not known, `doubtful` among them: they may be broken too.
    pub n_unresolved: u64,
    /// Members of something from outside now, of the name of one that is gone, of which it was not known before whether they meant that:
    /// `shop.open()` of `shop: ext::Guard<Shop>`. Among those above.
    pub(super) n_unknown_before: u64,
    /// Whether there were more names or files than are looked at.
    pub is_cut: bool,
}

impl BrokenUses {
    /// Adds one that is proved to be broken, or may be.
    pub(super) fn add(&mut self, one: BrokenUse, is_proved: bool) {
        self.list(is_proved).push(one);
    }

    /// Returns the list of those that are proved to be broken, or of those that may be.
    pub(super) fn list(&mut self, is_proved: bool) -> &mut Vec<BrokenUse> {
        if is_proved {
            &mut self.all
        } else {
            &mut self.doubtful
        }
    }

    /// Takes every use for an unresolved one: what it names may stand in a file that is not indexed yet.
    pub fn doubt_all(&mut self) {
        self.n_unresolved += self.all.iter().map(BrokenUse::n_lines).sum::<u64>();
        self.doubtful.append(&mut self.all);
        self.sort();
    }

    /// Sorts both lists by path and line.
    pub(super) fn sort(&mut self) {
        for list in [&mut self.all, &mut self.doubtful] {
            list.sort_by(|a, b| {
                (&a.path, a.line, &a.symbol, &a.home).cmp(&(&b.path, b.line, &b.symbol, &b.home))
            });
        }
    }
}

impl BrokenUse {
    /// Returns the entry of a line that overrides or implements a member, or has to.
    pub(super) fn of_implementation(
        member: ChangedMember<'_>,
        path: RepoPath,
        (line, text): (u32, String),
        reason: BrokenReason,
    ) -> Self {
        Self {
            path,
            line,
            text,
            kind: Some(UseKind::Implements),
            also: Vec::new(),
            home: member.home.clone(),
            symbol: member.name.to_owned(),
            change: Some(member.change),
            reason,
            provenance: Provenance::Dispatch,
            module_line: None,
            is_through: false,
        }
    }

    /// Returns how many lines it stands for.
    pub(super) fn n_lines(&self) -> u64 {
        1 + self.also.len() as u64
    }
}

/// Returns the last name of a chain: `open` of `app.open`.
pub(super) fn last_name(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

/// Returns the name by which code may name an attribute of C# beside its own: `Key` in `[Key]` for `KeyAttribute`.
pub(super) fn attribute_name<'n>(path: &RepoPath, name: &'n str) -> Option<&'n str> {
    let short = name.strip_suffix("Attribute").filter(|it| !it.is_empty())?;
    (path.extension() == Some("cs")).then_some(short)
}

/// Returns the names of the methods of Java that may be made of a field by its annotations: `getSize`, `setSize` and `withSize` of `size`, `item` of
/// `@Singular List<Item> items`. Empty for anything else.
pub(super) fn accessor_names(path: &RepoPath, kind: SymbolKind, name: &str) -> Vec<String> {
    let is_field = matches!(kind, SymbolKind::Field | SymbolKind::Property);
    let mut chars = name.chars();
    let Some(first) = chars
        .next()
        .filter(|_| is_field && path.extension() == Some("java"))
    else {
        return Vec::new();
    };
    let capital: String = first.to_uppercase().chain(chars).collect();
    let mut names: Vec<String> = ["get", "is", "set", "with", "clear"]
        .iter()
        .map(|prefix| format!("{prefix}{capital}"))
        .collect();
    // `boolean isOpen` has `isOpen()` and `setOpen()`.
    let rest = name
        .strip_prefix("is")
        .filter(|it| it.starts_with(char::is_uppercase));
    names.extend(rest.map(|rest| format!("set{rest}")));
    let singular = name.strip_suffix("ies").map(|it| format!("{it}y"));
    names.extend(singular.or_else(|| name.strip_suffix('s').map(str::to_owned)));
    names
}
