//! Parameter lists that changed and whose calls nobody compares with them, overloads that are gone among them: definitions go by
//! their qualified name, so that such a change is one of the signature.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::arguments::{has_known_bound, is_counted, parenthesised};
use super::changed_file::FileSide;
use super::declarators::{declared, split};
use super::difference::{Difference, is_partial};
use crate::model::{Family, RepoPath, Symbol};
use crate::syntax;

impl Difference {
    /// Counts the parameter lists that changed and whose calls are not compared with them, or by the number of their arguments alone.
    /// `is_wanted` chooses among the files.
    pub(super) fn unchecked_parameters(
        &self,
        is_wanted: impl Fn(&RepoPath) -> bool,
    ) -> UncheckedParameters {
        let mut unchecked = UncheckedParameters::default();
        let elsewhere = self.declared_elsewhere();
        for (at, change) in self.changes.iter().enumerate() {
            let (Some(old), Some(new)) = (&change.old, &change.new) else {
                continue;
            };
            if elsewhere.contains(&at) {
                continue;
            }
            let (was, is) = (&self.files[old.file], &self.files[new.file]);
            let is_followed = syntax::by_path(&was.path).family().is_some();
            if change.is_gone() || !is_followed || !(is_wanted(&was.path) || is_wanted(&is.path)) {
                continue;
            }
            let old = Declarations::of(&was.old, &old.symbols);
            let new = Declarations::of(&is.new, &new.symbols);
            let is_whole = old.are_partial() || new.are_partial();
            let (old, new) = (old.with_texts(is_whole), new.with_texts(is_whole));
            if has_overloads(&was.path) {
                let (before, now) = (parameters(&old), parameters(&new));
                unchecked.n_lists += before.difference(&now).count() as u64;
            } else if !overloads(&old).is_subset(&overloads(&new)) {
                unchecked.n_lists += 1;
            } else if lists(&old) != lists(&new) {
                let checked = if is_counted(&was.path) {
                    checked(&is.path, &old, &new)
                } else {
                    CheckedCalls::None
                };
                unchecked.n_lists += u64::from(checked == CheckedCalls::None);
                unchecked.n_by_count += u64::from(checked == CheckedCalls::ByCount);
            }
        }
        unchecked
    }
}

/// How many changed parameter lists there are whose calls are not wholly compared with them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct UncheckedParameters {
    /// Overloads that are there in the old state alone, lists of a language whose arguments are not counted, behind a decorator that may
    /// change them, or with fewer parameters than before where more may be written elsewhere.
    pub(super) n_lists: u64,
    /// Lists whose types changed, or in Python whose names.
    pub(super) n_by_count: u64,
}

/// The calls of a changed parameter list that are compared with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CheckedCalls {
    None,
    ByCount,
    All,
}

/// Returns which calls are compared with a list of a language whose arguments are counted.
fn checked(path: &RepoPath, old: &Declarations<'_>, new: &Declarations<'_>) -> CheckedCalls {
    let loses_some = n_parameters(old).max() > n_parameters(new).max();
    let has_bound = || {
        let mut functions = new.functions();
        functions.all(|(it, _)| has_known_bound(path, new.side, it))
    };
    if is_behind_decorator(new) || loses_some && !has_bound() {
        CheckedCalls::None
    } else if loses_names(old, new) || retypes_parameters(old, new) {
        CheckedCalls::ByCount
    } else {
        CheckedCalls::All
    }
}

/// The declarations of one definition in one state of its file.
struct Declarations<'s> {
    side: &'s FileSide,
    ordinals: &'s [u32],
    /// Whether the text of each is read, and not its signature.
    are_whole: bool,
}

impl<'s> Declarations<'s> {
    fn of(side: &'s FileSide, ordinals: &'s [u32]) -> Self {
        Self {
            side,
            ordinals,
            are_whole: false,
        }
    }

    fn with_texts(self, are_whole: bool) -> Self {
        Self { are_whole, ..self }
    }

    fn symbols(&self) -> impl Iterator<Item = &'s Symbol> {
        let all = self.ordinals.iter();
        all.filter_map(|at| self.side.facts.symbols.get(*at as usize))
    }

    /// Whether the signature of one of them shows less or more than its parameters.
    fn are_partial(&self) -> bool {
        self.symbols().any(|it| is_partial(&it.signature, it.kind))
    }

    /// Returns the functions, each with the text that shows its parameters first.
    fn functions(&self) -> impl Iterator<Item = (&'s Symbol, Cow<'s, str>)> {
        let all = self.symbols().filter(|it| it.kind.is_function());
        all.map(|it| {
            let (start, end) = (it.span.start_byte as usize, it.span.end_byte as usize);
            let text = self.side.code().get(start..end);
            match text.filter(|_| self.are_whole) {
                Some(text) => {
                    let words: Vec<&str> = text.split_whitespace().collect();
                    (it, Cow::Owned(words.join(" ")))
                }
                None => (it, Cow::Borrowed(it.signature.as_str())),
            }
        })
    }
}

/// Returns the heads of the overloads of functions of TypeScript, which stand in front of the one with a body: `function read(path: string): string`.
fn overloads(all: &Declarations<'_>) -> BTreeSet<String> {
    let mut heads = BTreeSet::new();
    if all.side.facts.family != Family::Ecmascript {
        return heads;
    }
    for function in all.symbols().filter(|it| it.kind.is_function()) {
        let (start, end) = (
            function.span.start_byte as usize,
            function.span.end_byte as usize,
        );
        let text = all.side.code().get(start..end).unwrap_or_default();
        let named = [
            format!("function {}", function.name),
            format!("{}(", function.name),
        ];
        let is_named = |line: &&str| line.contains(&named[0]) || line.starts_with(&named[1]);
        let lines: Vec<&str> = text.lines().map(str::trim).filter(is_named).collect();
        if lines.len() < 2 {
            continue;
        }
        let has_no_body = |line: &&str| !line.ends_with(['{', '}', ',']);
        heads.extend(lines.into_iter().filter(has_no_body).map(str::to_owned));
    }
    heads
}

/// Returns the parts in parentheses of the signature of each declaration that is called, of whole texts the parameters alone; of Rust the types
/// of its parameters.
fn lists(all: &Declarations<'_>) -> Vec<Option<String>> {
    let family = all.side.facts.family;
    let list = |(it, text): (&Symbol, Cow<'_, str>)| match family {
        Family::Rust => Some(rust_parameters(&text, &it.name)),
        // Results count, and the body stands behind a blank: `interface{}` has none.
        Family::Go if all.are_whole => {
            let head = text.split(" {").next().unwrap_or_default();
            let at = head.find(it.name.as_str()).unwrap_or_default();
            Some(head[at..].to_owned())
        }
        _ if all.are_whole => Some(parameter_texts(&text, &it.name).join(",")),
        _ => parenthesised(&text),
    };
    all.functions().map(list).collect()
}

/// Returns the types of the parameters of a function of Rust, `&self,&View,usize` of `pub(super) fn shown<'a>(&'a self, view: &View<'_>,
/// depth: usize)`: without names, lifetimes and blanks, on which no call depends.
fn rust_parameters(signature: &str, name: &str) -> String {
    let types = parameter_texts(signature, name).into_iter().map(|it| {
        let type_ = it.split_once(": ").map_or(it.as_str(), |(_, type_)| type_);
        let mut bare = String::new();
        let mut rest = type_.chars().peekable();
        while let Some(c) = rest.next() {
            if c == '\'' {
                while rest.next_if(|c| c.is_alphanumeric() || *c == '_').is_some() {}
                while rest.next_if(|c| matches!(c, ',' | ' ')).is_some() {}
            } else if !c.is_whitespace() {
                bare.push(c);
            }
        }
        bare.replace("<>", "")
    });
    types
        .filter(|it| !it.is_empty())
        .collect::<Vec<_>>()
        .join(",")
}

fn is_behind_decorator(all: &Declarations<'_>) -> bool {
    let mut texts = all.symbols().filter_map(|symbol| {
        let span = symbol.span;
        let text = &all.side.text;
        text.get(span.start_byte as usize..span.end_byte as usize)
    });
    texts.any(syntax::has_opaque_decorator)
}

/// Whether definitions of one name are told apart by their parameters in the language of a file. A header may be of C++.
pub fn has_overloads(path: &RepoPath) -> bool {
    match syntax::by_path(path).family() {
        Some(Family::Java | Family::CSharp) => true,
        Some(Family::C) => path.extension() != Some("c"),
        _ => false,
    }
}

/// Returns the types of the parameters of each declaration that is called, in words.
fn parameters(all: &Declarations<'_>) -> BTreeSet<Vec<String>> {
    let functions = all.functions();
    functions
        .map(|(it, text)| parameter_types(&text, &it.name))
        .collect()
}

/// Returns how many parameters each declaration has.
fn n_parameters(all: &Declarations<'_>) -> impl Iterator<Item = usize> {
    let functions = all.functions();
    functions.map(|(it, text)| names(&text, &it.name).len())
}

/// Whether a call that was right may pass an argument by a name that is gone. Python alone, whose calls name parameters.
fn loses_names(old: &Declarations<'_>, new: &Declarations<'_>) -> bool {
    if new.side.facts.family != Family::Python {
        return false;
    }
    let lists = |all: &Declarations<'_>| -> Vec<Vec<String>> {
        let functions = all.functions();
        functions.map(|(it, text)| names(&text, &it.name)).collect()
    };
    let (before, now) = (lists(old), lists(new));
    let has_all =
        |before: &Vec<String>, now: &Vec<String>| before.iter().all(|it| now.contains(it));
    before
        .iter()
        .any(|before| !now.iter().any(|now| has_all(before, now)))
}

/// Whether a call that passes as many arguments as the new list takes may pass one of another type: `(tag: string, all?: Row[])` became
/// `(all: Row[], tag?: string)`. TypeScript alone, whose compiler says so.
fn retypes_parameters(old: &Declarations<'_>, new: &Declarations<'_>) -> bool {
    if new.side.facts.family != Family::Ecmascript {
        return false;
    }
    let lists = |all: &Declarations<'_>| -> Vec<Vec<String>> {
        let functions = all.functions();
        functions
            .map(|(it, text)| {
                let all = parameter_texts(&text, &it.name);
                all.iter().map(|it| annotation(it)).collect()
            })
            .collect()
    };
    let (before, now) = (lists(old), lists(new));
    let agree = |one: &[String], other: &[String]| one.iter().zip(other).all(|(a, b)| a == b);
    before
        .iter()
        .any(|before| !now.iter().any(|now| agree(before, now)))
}

/// Returns the written type of a parameter without blanks, `string` of `name?: string = "a"`, of a rest that of its elements; empty where none
/// is written.
fn annotation(parameter: &str) -> String {
    let name = split(parameter, ':', true)[0];
    let type_ = parameter.get(name.len() + 1..).unwrap_or_default();
    let type_: String = declared(type_).split_whitespace().collect();
    // Each of the rest is an element.
    let is_rest = parameter.trim_start().starts_with("...");
    match type_.strip_suffix("[]").filter(|_| is_rest) {
        Some(element) => element.to_owned(),
        None => type_,
    }
}

/// Returns the names of the parameters that stand in parentheses behind the name: `[path, mode]` of `open(path: str, *, mode="r")`. Marks
/// are none.
fn names(signature: &str, name: &str) -> Vec<String> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let all = parameter_texts(signature, name).into_iter();
    let names = all.map(|it| {
        let text = it.trim_start_matches(['*', '.', ' ']);
        text.split(|c| !is_word(c))
            .next()
            .unwrap_or_default()
            .to_owned()
    });
    names.filter(|it| !it.is_empty()).collect()
}

/// Returns the types of the parameters that stand in parentheses behind the name: `[String, List<A,B>]` of
/// `void put(final String name, List<A, B> all)`. Words and marks in front of the name of a parameter are its type.
pub(super) fn parameter_types(signature: &str, name: &str) -> Vec<String> {
    let all = parameter_texts(signature, name);
    all.iter().filter_map(|it| type_of(it)).collect()
}

/// Returns the parameters that stand in parentheses behind the name, as they are written. Of an operator or an indexer they are those of the first
/// brackets, `[T a` of `T this[T a]`; where there are no brackets it is the signature from the name on.
fn parameter_texts(signature: &str, name: &str) -> Vec<String> {
    let behind = signature
        .match_indices(name)
        // `put = async (a) => …` of TypeScript, too.
        .map(|(at, _)| signature[at + name.len()..].trim_start_matches([' ', '=']))
        .map(|rest| rest.strip_prefix("async ").unwrap_or(rest))
        .map(behind_type_parameters)
        .find(|rest| rest.starts_with('('));
    let rest = behind.or_else(|| signature.find(['(', '[']).map(|at| &signature[at..]));
    let Some(rest) = rest else {
        let at = signature.rfind(name).unwrap_or_default();
        return vec![signature[at..].to_owned()];
    };
    let (mut found, mut one, mut depth) = (Vec::new(), String::new(), 0_usize);
    for c in rest.chars() {
        match c {
            // Of an arrow.
            '>' if one.ends_with(['=', '-']) => {}
            '(' | '<' | '[' | '{' => depth += 1,
            ')' | '>' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 || c == ',' && depth == 1 {
            found.push(std::mem::take(&mut one));
        } else if !(c == '(' && depth == 1) {
            one.push(c);
        }
        if depth == 0 {
            break;
        }
    }
    found
}

/// Returns a signature from where the type parameters end that it begins with: `(a: A)` of `<A: Fn() -> B>(a: A)`.
fn behind_type_parameters(rest: &str) -> &str {
    if !rest.starts_with('<') {
        return rest;
    }
    let mut depth = 0_usize;
    let mut before = ' ';
    for (at, c) in rest.char_indices() {
        match c {
            '<' => depth += 1,
            '>' if !matches!(before, '-' | '=') => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return rest[at + 1..].trim_start();
        }
        before = c;
    }
    rest
}

/// Returns the type of a parameter without its name, its default and blanks; `None` of an empty one.
fn type_of(parameter: &str) -> Option<String> {
    let declared = without_annotations(parameter).split('=').next();
    let declared = declared.unwrap_or_default().trim();
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let without_name = declared.trim_end_matches(is_word).trim_end();
    // A word alone is a type.
    let kept = if without_name.is_empty() {
        declared
    } else {
        without_name
    };
    let words = kept.split_whitespace();
    let words = words.filter(|word| *word != "final" && !word.starts_with('@'));
    let kept: String = words.collect();
    (!kept.is_empty()).then_some(kept)
}

/// Cuts annotations of Java and attributes of C# off, on which no call depends: `String name` of `@Size(max = 3) String name`.
fn without_annotations(parameter: &str) -> &str {
    let mut rest = parameter.trim_start();
    loop {
        let (open, close, list) = if let Some(behind) = rest.strip_prefix('@') {
            let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
            ('(', ')', behind.trim_start_matches(is_name))
        } else if rest.starts_with('[') {
            ('[', ']', rest)
        } else {
            return rest;
        };
        let mut depth = 0_usize;
        let end = list.char_indices().find_map(|(at, c)| {
            depth += usize::from(c == open);
            depth = depth.saturating_sub(usize::from(c == close));
            (depth == 0).then_some(at + usize::from(c == close))
        });
        match end {
            Some(end) => rest = list[end..].trim_start(),
            // The brackets of an indexer.
            None => return rest,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{annotation, names, parameter_types, rust_parameters};

    #[test]
    fn annotations_are_types_without_names_and_defaults() {
        for (parameter, wanted) in [
            ("a?: string = 'x'", "string"),
            ("go: (a: A) => B", "(a:A)=>B"),
            ("{ a, b }: { a: A; b: B } = {}", "{a:A;b:B}"),
            ("a = 1", ""),
            ("...all: Row[]", "Row"),
        ] {
            assert_eq!(annotation(parameter), wanted, "{parameter}");
        }
    }

    #[test]
    fn parameters_have_names() {
        let found = |signature: &str| names(signature, "put").join(" ");
        assert_eq!(
            found("def put(self, *, path: str = f(1, 2), **rest)"),
            "self path rest"
        );
        assert_eq!(found("put(a: Map<A, B>, b?: string, ...c: X[])"), "a b c");
        assert_eq!(found("put = async (a: () => void, b: B)"), "a b");
        assert_eq!(found("def put()"), "");
    }

    #[test]
    fn parameters_of_rust_have_no_names_and_lifetimes() {
        let found = |signature: &str| rust_parameters(signature, "put");
        assert_eq!(
            found(
                "pub(super) fn put<'a, F: Fn(u8) -> T>(&'a self, view: &View<'_, 'a, T>, mut f: F) -> (u8, u8)"
            ),
            "&self,&View<T>,F"
        );
        assert_eq!(
            found("fn put(&self, all: &View<T>, g: F)"),
            "&self,&View<T>,F"
        );
        assert_eq!(found("fn put(text: &'static str)"), "&str");
        assert_eq!(
            found("fn put(view: &View<'_>)"),
            found("fn put(other: &View)")
        );
        assert_eq!(found("pub fn put()"), "");
    }

    #[test]
    fn parameters_are_told_by_their_types() {
        let found = |signature: &str| parameter_types(signature, "put").join(" | ");
        assert_eq!(found("void put()"), "");
        assert_eq!(
            found("public static void put(final String name, List<A, B> all)"),
            "String | List<A,B>"
        );
        assert_eq!(
            found("void put(String key)"),
            found("void put(String name)")
        );
        assert_ne!(found("void put(String key)"), found("void put(long key)"));
        for annotated in [
            "void put(@Nullable String key)",
            "void put(@Size(max = (3)) final @a.Valid String key)",
            "void put([FromQuery(Name = \"k\")] [A] String key)",
        ] {
            assert_eq!(found(annotated), "String", "{annotated}");
        }
        assert_eq!(found("int put(int, char *text = \"a\")"), "int | char*");
        assert_eq!(found("input put (int a)"), "int");
        assert_eq!(found("put"), "put");
        assert_eq!(found("public put"), "put");
        assert_eq!(parameter_types("internal T this[T a]", "this[]"), ["[T"]);
    }
}
