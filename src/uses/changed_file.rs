//! A changed file in both states, and its code as it is compared: without comments, where the two states have others.

use std::collections::HashSet;
use std::sync::Arc;

use crate::graph::tokens::folded;
use crate::ir::FileFacts;
use crate::model::{Budget, Family, RepoPath, Symbol};
use crate::syntax;

/// Returns the signs that begin or end comments in a family of languages.
fn comment_signs(family: Family) -> &'static [&'static str] {
    match family {
        Family::Python => &["#"],
        Family::Ecmascript => &["//", "/*", "*/", "<!--", "-->"],
        _ => &["//", "/*", "*/"],
    }
}

/// One state of a file; empty where it is not there.
#[derive(Clone, Debug, Default)]
pub struct FileSide {
    /// Its text.
    pub text: Arc<str>,
    /// Its facts.
    pub facts: FileFacts,
    /// Whether it is there.
    pub is_there: bool,
    /// Its text with blanks for comments; `None` where the other state has none or the same.
    pub(super) code: Option<Arc<str>>,
}

/// A changed file in both states.
#[derive(Clone, Debug)]
pub struct ChangedFile {
    /// Its path.
    pub path: RepoPath,
    /// As it was.
    pub old: FileSide,
    /// As it is.
    pub new: FileSide,
}

impl FileSide {
    /// Returns the name of the namespace of C#, or the package of Go or Java, that a definition at the top level belongs to; empty elsewhere.
    pub fn namespace_of(&self, symbol: &Symbol) -> &str {
        let family = self.facts.family;
        let is_named_by_it = matches!(family, Family::CSharp | Family::Go | Family::Java);
        if !is_named_by_it || symbol.parent.is_some() {
            return "";
        }
        match self.facts.units.as_slice() {
            [] => "",
            [first, rest @ ..] if rest.is_empty() || family != Family::CSharp => first,
            _ => {
                let mut exports = self.facts.exports.iter();
                let own = exports.find(|it| it.local == symbol.qualified_name);
                own.map_or("", |it| &it.specifier)
            }
        }
    }

    /// Returns its text, with blanks for comments where those of the other state may be others; each byte is in its place.
    pub(super) fn code(&self) -> &str {
        self.code.as_deref().unwrap_or(&self.text)
    }
}

impl ChangedFile {
    /// Returns a file in both states, whose comments are blank where they may differ. Costs a pass over both texts, else parsing both.
    pub(super) fn of(path: RepoPath, old: FileSide, new: FileSide, budget: &Budget) -> Self {
        let mut file = Self { path, old, new };
        (file.old.code, file.new.code) = (None, None);
        let is_in_both = file.old.is_there && file.new.is_there;
        let language = syntax::by_path(&file.path);
        // Comment signs are many in languages that are outlined.
        let may_differ = language.family().is_none_or(|family| {
            family == Family::Outline
                || may_differ_in_comments(&file.old.text, &file.new.text, comment_signs(family))
        });
        if is_in_both && may_differ {
            let code = |side: &FileSide| syntax::blank_comments(language, &side.text, budget);
            if let (Some(old), Some(new)) = (code(&file.old), code(&file.new)) {
                (file.old.code, file.new.code) = (Some(old.into()), Some(new.into()));
            }
        }
        file
    }

    /// Whether nothing but comments, blanks and the breaks of lines differ.
    pub fn has_same_code(&self) -> bool {
        let code = |side: &FileSide| folded(side.code(), &self.path);
        self.old.is_there && self.new.is_there && code(&self.old) == code(&self.new)
    }
}

/// Returns the place among the symbols of one state of a definition that another state has: the first one of its name and kind.
pub(super) fn place_of(symbols: &[Symbol], definition: &Symbol) -> Option<u32> {
    let (name, kind) = (&definition.qualified_name, definition.kind);
    let mut all = symbols.iter();
    let at = all.position(|it| it.kind == kind && it.qualified_name == *name)?;
    u32::try_from(at).ok()
}

/// Whether a line that one text has and the other has not may be a comment or a part of one. A sign in a string may begin one here:
/// it is `true` too often, and never too seldom.
fn may_differ_in_comments(old: &str, new: &str, comment_signs: &[&str]) -> bool {
    let of_old: HashSet<&str> = old.lines().map(str::trim).collect();
    let of_new: HashSet<&str> = new.lines().map(str::trim).collect();
    has_comment_beside(old, &of_new, comment_signs)
        || has_comment_beside(new, &of_old, comment_signs)
}

/// Whether one of the lines that are not in `others` may belong to a comment.
fn has_comment_beside(text: &str, others: &HashSet<&str>, comment_signs: &[&str]) -> bool {
    let mut is_inside = false;
    for line in text.lines() {
        let was_inside = is_inside;
        let mut rest = line;
        loop {
            let sign = if is_inside { "*/" } else { "/*" };
            let Some(at) = rest.find(sign) else { break };
            is_inside = !is_inside;
            rest = &rest[at + sign.len()..];
        }
        let may_be_comment = || was_inside || comment_signs.iter().any(|sign| line.contains(sign));
        if !others.contains(line.trim()) && may_be_comment() {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::{comment_signs, may_differ_in_comments};
    use crate::model::Family;

    #[test]
    fn lines_of_comments_are_told_from_code() {
        let script = Family::Ecmascript;
        for (family, old, new, wanted) in [
            (script, "a()\n// b", "a(1)\n// b", false),
            (script, "a()\n// b", "a()\n// c", true),
            (script, "/*\nb\n*/\na()", "/*\nc\n*/\na()", true),
            (script, "/* b */\na()", "/* b */\na(1)", false),
            (script, "g('/*')\na()", "g('/*')\na(1)", true),
            (script, "this.#a()", "this.#b()", false),
            (Family::Rust, "#[inline]\nfn a() {}", "fn a() {}", false),
            (Family::Python, "a()  # b", "a()", true),
            (Family::Python, "a = 7 // 2", "a = 7 // 3", false),
        ] {
            let found = may_differ_in_comments(old, new, comment_signs(family));
            assert_eq!(found, wanted, "{old}");
        }
    }
}
