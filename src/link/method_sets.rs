//! Method sets: does a type of Go satisfy an interface?
//!
//! Signatures are compared by their types, each name resolved in its own file, so that `store.Options` there and `Options`
//! here are equal. A signature that cannot be compared satisfies nothing.

use std::rc::Rc;

use super::cache::Def;
use super::file::LinkedFile;
use super::linker::Linker;
use super::types::Type;
use crate::ir::{Expr, ExprId, SymbolIdx};
use crate::model::{ModuleId, SymbolKind};

/// Methods of one interface that are compared, its embedded ones included.
const MAX_METHODS: usize = 256;

/// How deep interfaces are embedded in each other.
const MAX_DEPTH: usize = 16;

/// The methods of interfaces of the standard library that others often embed.
const STANDARD: &[(&str, &str, &str)] = &[
    ("io", "Closer", "Close() error"),
    ("io", "Reader", "Read(p []byte) (n int, err error)"),
    ("io", "Writer", "Write(p []byte) (n int, err error)"),
    ("fmt", "Stringer", "String() string"),
];

/// A method that an interface asks for: its name and its signature.
pub(super) struct Required {
    pub(super) name: String,
    signature: Signature,
}

/// The types of the parameters and results of a function, each as its tokens; `?` for a type parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Signature {
    params: Vec<Vec<String>>,
    results: Vec<Vec<String>>,
}

impl Signature {
    /// Returns whether a method of this signature is one that `wanted` asks for; a type parameter of the interface may be any type.
    fn satisfies(&self, wanted: &Self) -> bool {
        let fits = |own: &[Vec<String>], wanted: &[Vec<String>]| {
            own.len() == wanted.len()
                && own
                    .iter()
                    .zip(wanted)
                    .all(|(own, wanted)| own == wanted || wanted == &["?"])
        };
        fits(&self.params, &wanted.params) && fits(&self.results, &wanted.results)
    }
}

impl Linker<'_, '_> {
    /// Returns all methods that an interface asks for; `None` where one of them is not known.
    pub(super) fn required(
        &self,
        file: &Rc<LinkedFile>,
        interface: SymbolIdx,
    ) -> Option<Vec<Required>> {
        let mut all = Vec::new();
        self.add_required(file, interface, 0, &mut all)?;
        (!all.is_empty()).then_some(all)
    }

    fn add_required(
        &self,
        file: &Rc<LinkedFile>,
        interface: SymbolIdx,
        depth: usize,
        all: &mut Vec<Required>,
    ) -> Option<()> {
        if depth > MAX_DEPTH || file.symbol(interface).kind != SymbolKind::Interface {
            return None;
        }
        for (at, symbol) in file.facts.symbols.iter().enumerate() {
            if symbol.parent == Some(interface) && symbol.kind == SymbolKind::Method {
                let name = symbol.name.clone();
                let at = u32::try_from(at).ok()?;
                let signature = self.signature(file, at)?;
                all.push(Required { name, signature });
                if all.len() > MAX_METHODS {
                    return None;
                }
            }
        }
        for base in file.bases(interface) {
            match self.infer(file, base, None).and_then(|it| it.symbol()) {
                Some((in_file, at)) => {
                    let there = self.cache.get(in_file)?;
                    self.add_required(&there, at, depth + 1, all)?;
                }
                None => all.push(standard(file, base)?),
            }
        }
        Some(())
    }

    /// Returns the methods of a type that satisfy each of those required, in their order; `None` where one is missing.
    pub(super) fn satisfying(
        &self,
        type_: (ModuleId, SymbolIdx),
        required: &[Required],
    ) -> Option<Vec<(ModuleId, SymbolIdx)>> {
        let object = Type::Instance(Def::Symbol(type_.0, type_.1));
        let mut found = Vec::with_capacity(required.len());
        for wanted in required {
            self.refuel();
            let Type::Definition(Def::Symbol(in_file, at)) = self.member(&object, &wanted.name)?
            else {
                return None;
            };
            let file = self.cache.get(in_file)?;
            let is_method = file.symbol(at).kind == SymbolKind::Method;
            if !is_method || !self.signature(&file, at)?.satisfies(&wanted.signature) {
                return None;
            }
            found.push((in_file, at));
        }
        Some(found)
    }

    /// Reads the signature of a method; `None` where it was cut off or names something unknown.
    fn signature(&self, file: &Rc<LinkedFile>, at: SymbolIdx) -> Option<Signature> {
        let symbol = file.symbol(at);
        let text = self.cache.signature_of(file, at)?;
        let text = match text.strip_prefix("func ") {
            Some(rest) => split_group(rest)?.1,
            None => &text,
        };
        read_signature(text, &symbol.name, |name| self.type_token(file, name))
    }

    /// Returns the token of a type by its name: its definition, or its name where it is from outside.
    fn type_token(&self, file: &Rc<LinkedFile>, name: &str) -> Option<String> {
        let (package, last) = name.rsplit_once('.').unwrap_or(("", name));
        self.refuel();
        let found = if package.is_empty() {
            self.named(file, None, last)
        } else {
            let object = self.named(file, None, package)?;
            self.member(&object, last)
        };
        match found {
            Some(Type::Definition(Def::Symbol(file, at))) => Some(format!("{}:{at}", file.row())),
            Some(found) if found.is_external() => Some(name.to_owned()),
            None if package.is_empty() => Some("?".to_owned()),
            _ => None,
        }
    }
}

/// Returns the method of an interface of the standard library, by the expression that embeds it.
fn standard(file: &LinkedFile, base: ExprId) -> Option<Required> {
    let of = match file.expr(base) {
        Expr::Instance { of } => *of,
        _ => base,
    };
    let (package, name) = match file.expr(of) {
        Expr::Member { object, name } => match file.expr(*object) {
            Expr::Name { name: package, .. } => (file.facts.exprs.name_of(*package), *name),
            _ => return None,
        },
        Expr::Name { name, .. } if file.facts.exprs.name_of(*name) == "error" => {
            return required_by("Error() string");
        }
        _ => return None,
    };
    let name = file.facts.exprs.name_of(name);
    let known = STANDARD.iter().find(|it| (it.0, it.1) == (package, name))?;
    required_by(known.2)
}

fn required_by(text: &str) -> Option<Required> {
    let name = text.split('(').next()?.to_owned();
    let signature = read_signature(text, &name, |name| Some(name.to_owned()))?;
    Some(Required { name, signature })
}

/// Reads `Open(name string, more ...int) (*File, error)`.
fn read_signature(
    text: &str,
    name: &str,
    token: impl Fn(&str) -> Option<String>,
) -> Option<Signature> {
    let rest = text.trim_start().strip_prefix(name)?;
    let (params, rest) = split_group(rest)?;
    let rest = rest.trim();
    let results = match rest.strip_prefix('(') {
        Some(_) => {
            let (results, after) = split_group(rest)?;
            if !after.trim().is_empty() {
                return None;
            }
            types(results)?
        }
        None if rest.is_empty() => Vec::new(),
        None => vec![rest],
    };
    let read = |all: Vec<&str>| -> Option<Vec<Vec<String>>> {
        all.into_iter().map(|it| tokens(it, &token)).collect()
    };
    Some(Signature {
        params: read(types(params)?)?,
        results: read(results)?,
    })
}

/// Splits `(a (b), c) rest` into `a (b), c` and ` rest`.
fn split_group(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start();
    let mut depth = 0_usize;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if depth == 0 {
            return (c == ')').then(|| (&text[1..at], &text[at + 1..]));
        }
    }
    None
}

/// Returns the type of each parameter of a list: `int`, `int` of `a, b int`.
fn types(list: &str) -> Option<Vec<&str>> {
    let mut parts = Vec::new();
    let mut depth = 0_usize;
    let mut from = 0;
    for (at, c) in list.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.checked_sub(1)?,
            ',' if depth == 0 => {
                parts.push(list[from..at].trim());
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.push(list[from..].trim());
    parts.retain(|part| !part.is_empty());
    if !parts.iter().any(|part| named(part).is_some()) {
        return Some(parts);
    }
    let mut types = Vec::with_capacity(parts.len());
    let mut last = None;
    for part in parts.iter().rev() {
        last = named(part).or(last);
        types.push(last?);
    }
    types.reverse();
    Some(types)
}

/// Returns the type of a parameter that has a name: `int` of `a int`.
fn named(part: &str) -> Option<&str> {
    let (name, type_) = part.split_once(' ')?;
    let is_keyword = matches!(name, "chan" | "func" | "map" | "struct" | "interface");
    (is_name(name) && !is_keyword).then_some(type_.trim())
}

fn is_name(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(|c| c.is_alphabetic() || c == '_')
        && chars.all(|c| c.is_alphanumeric() || c == '_')
}

/// Splits a type into its names and marks. `None` for types that are written out, of functions, structs and interfaces with members:
/// the names inside may be those of parameters.
fn tokens(type_: &str, token: impl Fn(&str) -> Option<String>) -> Option<Vec<String>> {
    let mut all = Vec::new();
    let mut rest = type_.trim();
    while let Some(first) = rest.chars().next() {
        if first.is_whitespace() {
            rest = rest.trim_start();
            continue;
        }
        if matches!(first, '(' | ')' | '{' | '}') {
            return None;
        }
        if !(first.is_alphabetic() || first == '_') {
            all.push(first.to_string());
            rest = &rest[first.len_utf8()..];
            continue;
        }
        let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
        let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let (name, after) = rest.split_at(end);
        rest = after;
        match name {
            "chan" | "map" => all.push(name.to_owned()),
            "interface" if after.trim_start().starts_with("{}") => {
                all.push("any".to_owned());
                rest = &after.trim_start()[2..];
            }
            "func" | "struct" | "interface" => return None,
            name => all.push(token(name)?),
        }
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::read_signature;

    fn read(text: &str) -> Option<String> {
        let name = text.split('(').next().unwrap();
        let found = read_signature(text, name, |name| Some(name.to_owned()))?;
        let join = |all: &[Vec<String>]| {
            let all: Vec<String> = all.iter().map(|it| it.concat()).collect();
            all.join(";")
        };
        Some(format!(
            "{} -> {}",
            join(&found.params),
            join(&found.results)
        ))
    }

    #[test]
    fn signatures_are_read_by_their_types() {
        for (text, wanted) in [
            ("F()", " -> "),
            (
                "F(a, b int, c ...string) error",
                "int;int;...string -> error",
            ),
            ("F(int, *a.B) (n int, err error)", "int;*a.B -> int;error"),
            (
                "F(m map[string][]*T, c <-chan int) (chan int)",
                "map[string][]*T;<-chanint -> chanint",
            ),
            ("F(x interface{}) any", "any -> any"),
        ] {
            assert_eq!(read(text).as_deref(), Some(wanted), "{text}");
        }
        for text in [
            "F(",
            "F(a func(int) error)",
            "F(a, b",
            "F())",
            "F(x struct{ a int }) b",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
