//! Strings that name a definition: its path, as settings and test doubles have it, `'api.middleware.Timezone'`,
//! `patch('api.views.index')`, and a member of what stands before it, `getattr(store, 'open')`, `patch.object(Store, 'open')`.
//!
//! Whether a module has that path is not known here; where none has, the string means nothing.

use tree_sitter::Node;

use super::grammar::Kind;
use super::lowering::Lowering;
use super::references::UsePlace;
use crate::ir::{Expr, ExprId, Import, ImportIdx, ImportKind, ReferenceKind, Target};
use crate::syntax::lang::use_recorder::offset;

/// Longest path that is read.
const MAX_BYTES: usize = 200;

/// Names in one path.
const MAX_NAMES: usize = 10;

/// Modules of one file that strings may name.
const MAX_MODULES: usize = 1_000;

/// Last names of what is a file or a host in a string with one dot.
const ENDINGS: &[&str] = &[
    "bin", "cfg", "com", "conf", "css", "csv", "db", "exe", "gif", "gz", "htm", "html", "ico",
    "ini", "io", "jpeg", "jpg", "js", "json", "lock", "log", "md", "mo", "mp3", "mp4", "net",
    "org", "pdf", "png", "po", "py", "rst", "sh", "sql", "sqlite3", "svg", "tar", "tmp", "toml",
    "ts", "txt", "webp", "xls", "xlsx", "xml", "yaml", "yml", "zip",
];

impl<'t> Lowering<'t> {
    /// Records the names that a string may be the path of: a name of a module, `index` in `'api.views.index'`, and a member
    /// of one, `get` in `'api.views.Index.get'`.
    pub(super) fn use_quoted_path(&mut self, string: Node<'t>, place: UsePlace) {
        let Some(text) = self.string_text(string).filter(|it| is_path(it)) else {
            return;
        };
        let (Some(opening), Some(kind)) = (string.child(0), self.kind_of_quoted(string)) else {
            return;
        };
        let start = opening.end_byte();
        let mut dots = text.match_indices('.').map(|it| it.0).rev();
        let Some(last) = dots.next() else { return };
        let name = &text[last + 1..];
        let Some(module) = self.quoted_module(&text[..last], string) else {
            return;
        };
        let whole = self.imported_from(module, "*");
        let Some(before) = dots.next() else {
            return self.use_quoted((name, start + last + 1), whole, kind, place);
        };
        let Some(module) = self.quoted_module(&text[..before], string) else {
            return;
        };
        let around = self.imported_from(module, "*");
        let object = &text[before + 1..last];
        self.use_quoted((object, start + before + 1), around, kind, place);
        let receiver = Expr::Fallback {
            variable: self.unknown,
            first: whole,
            other: self.imported_from(module, object),
        };
        let receiver = self.add(receiver);
        self.use_quoted((name, start + last + 1), receiver, kind, place);
    }

    /// Records the member that a call names by a string behind the object.
    pub(super) fn use_named_member(
        &mut self,
        call: Node<'t>,
        arguments: Node<'t>,
        place: UsePlace,
    ) {
        let callee = self.field(call, self.grammar.fields.function);
        let Some(kind) = callee.and_then(|it| kind_of_member(self.text(it))) else {
            return;
        };
        let mut given = self.arguments(arguments).into_iter();
        let (Some(object), Some(string)) = (given.next(), given.next()) else {
            return;
        };
        if self.kind(object) == Kind::KeywordArgument || self.kind(string) != Kind::Str {
            return;
        }
        let name = self.string_text(string).filter(|it| is_name(it));
        if let (Some(name), Some(opening)) = (name, string.child(0)) {
            let receiver = self.lower_expr(object, place.scope());
            self.use_quoted((name, opening.end_byte()), receiver, kind, place);
        }
    }

    fn imported_from(&mut self, import: ImportIdx, name: &str) -> ExprId {
        let name = self.facts.exprs.name(name);
        self.add(Expr::Imported { import, name })
    }

    fn use_quoted(
        &mut self,
        (name, at): (&'t str, usize),
        receiver: ExprId,
        kind: ReferenceKind,
        place: UsePlace,
    ) {
        let target = Target::Member {
            receiver,
            is_inferred: false,
        };
        self.push_use(name, target, kind, place.scope(), at);
    }

    /// Returns the kind of use that a string would be: what a test double stands in for does not run, `patch('api.views.index')`.
    /// `None` for a part of a longer text, and for a module that is imported by it.
    fn kind_of_quoted(&self, string: Node<'t>) -> Option<ReferenceKind> {
        let mut around = string.parent()?;
        if matches!(around.kind(), "concatenated_string" | "binary_operator") {
            return None;
        }
        if self.kind(around) == Kind::KeywordArgument {
            around = around.parent()?;
        }
        let call = around
            .parent()
            .filter(|it| self.kind(around) == Kind::ArgumentList && self.kind(*it) == Kind::Call);
        let callee = call.and_then(|it| self.field(it, self.grammar.fields.function));
        let callee = callee.map_or("", |it| self.text(it));
        // A module, which is an import of its own.
        if callee.ends_with("import_module") || callee == "__import__" {
            return None;
        }
        let mut names = callee.split('.');
        let is_replaced = names.any(|it| matches!(it, "patch" | "monkeypatch"));
        Some(if is_replaced {
            ReferenceKind::Listed
        } else {
            ReferenceKind::Quoted
        })
    }

    /// Returns the module that a path may be; `None` where the file names too many.
    fn quoted_module(&mut self, path: &'t str, string: Node<'t>) -> Option<ImportIdx> {
        if let Some(known) = self.quoted_modules.get(path) {
            return Some(*known);
        }
        if self.quoted_modules.len() >= MAX_MODULES {
            return None;
        }
        self.facts.imports.push(Import {
            specifier: path.to_owned(),
            kind: ImportKind::Implied,
            type_only: false,
            line: self.uses.line_at(string.start_byte()),
            names: Vec::new(),
        });
        let import = offset(self.facts.imports.len() - 1);
        self.quoted_modules.insert(path, import);
        Some(import)
    }
}

/// Returns the kind of use that a string behind an object is in a call of the given callee: a test double replaces the member, `getattr` reads
/// it; `None` where it names no member.
fn kind_of_member(callee: &str) -> Option<ReferenceKind> {
    let (object, last) = callee.rsplit_once('.').unwrap_or(("", callee));
    let is_of = |name: &str| object == name || object.ends_with(&format!(".{name}"));
    match last {
        "getattr" | "hasattr" | "setattr" | "delattr" if object.is_empty() => {
            Some(ReferenceKind::Value)
        }
        "object" if is_of("patch") => Some(ReferenceKind::Listed),
        "setattr" | "delattr" if is_of("monkeypatch") => Some(ReferenceKind::Listed),
        "spy" if is_of("mocker") => Some(ReferenceKind::Listed),
        _ => None,
    }
}

fn is_name(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with(|c: char| c.is_ascii_digit())
        && text.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_')
}

/// Whether a text may be the path of a definition: names with dots between them.
fn is_path(text: &str) -> bool {
    let Some((first, last)) = text.rsplit_once('.') else {
        return false;
    };
    text.len() <= MAX_BYTES
        && (first.contains('.') || !ENDINGS.contains(&last))
        && text.split('.').count() <= MAX_NAMES
        && text.split('.').all(is_name)
}
