//! Method sets: does a type of Go satisfy an interface?
//!
//! Signatures are compared by their types, each name resolved in its own file, so that `store.Options` there and `Options`
//! here are equal. Unknown methods and types exclude nothing: those of an interface of a dependency, those that an embedded type
//! of a dependency may have, types that cannot be compared.

use std::rc::Rc;

use super::cache::Def;
use super::file::LinkedFile;
use super::go_std;
use super::linker::Linker;
use super::rules;
use super::types::Type;
use crate::ir::{Expr, ExprId, SymbolIdx};
use crate::model::{Family, ModuleId, SymbolKind};

/// Methods of one interface that are compared, its embedded ones included.
const MAX_METHODS: usize = 256;

/// Types that one embeds, directly or not, that are looked at.
const MAX_EMBEDDED: usize = 64;

/// How deep interfaces are embedded in each other, and how many aliases stand for one type.
const MAX_DEPTH: usize = 16;

/// A method that an interface asks for: its name and its signature, `None` where that was cut off.
pub(super) struct Required {
    pub(super) name: String,
    signature: Option<Signature>,
}

impl Required {
    /// A method of a name, whatever its signature.
    pub(super) fn of_name(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            signature: None,
        }
    }
}

/// A type as its tokens; `?` stands for a type parameter. `None` for one that cannot be compared.
type Tokens = Option<Vec<String>>;

/// The types of the parameters and results of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Signature {
    params: Vec<Tokens>,
    results: Vec<Tokens>,
}

impl Signature {
    /// Returns whether a method of this signature may be one that `wanted` asks for.
    fn may_satisfy(&self, wanted: &Self) -> bool {
        let fits = |own: &[Tokens], wanted: &[Tokens]| {
            own.len() == wanted.len()
                && own.iter().zip(wanted).all(|pair| match pair {
                    (Some(own), Some(wanted)) => may_be_equal(own, wanted),
                    _ => true,
                })
        };
        fits(&self.params, &wanted.params) && fits(&self.results, &wanted.results)
    }
}

/// Returns whether two types are equal for some type arguments: a type parameter may be any type.
fn may_be_equal(one: &[String], other: &[String]) -> bool {
    let is_open = |token: &String| token == "?";
    let same = |(one, other): &(&String, &String)| one == other && !is_open(one);
    let before = one.iter().zip(other).take_while(same).count();
    let (one, other) = (&one[before..], &other[before..]);
    let ends = one.iter().rev().zip(other.iter().rev());
    let after = ends.take_while(same).count();
    let (one, other) = (&one[..one.len() - after], &other[..other.len() - after]);
    let takes = |open: &[String], rest: &[String]| {
        !rest.is_empty() && open.first().is_some_and(is_open) && open.last().is_some_and(is_open)
    };
    one.is_empty() && other.is_empty() || takes(one, other) || takes(other, one)
}

/// Returns whether a method may be one that is asked for, by their signatures.
fn may_satisfy(own: Option<&Signature>, wanted: Option<&Signature>) -> bool {
    match (own, wanted) {
        (Some(own), Some(wanted)) => own.may_satisfy(wanted),
        _ => true,
    }
}

impl Linker<'_, '_> {
    /// Returns the methods that an interface asks for, without those of external interfaces that are not known; `None` where
    /// it has none, or is no interface.
    pub(super) fn required(
        &self,
        file: &Rc<LinkedFile>,
        interface: SymbolIdx,
    ) -> Option<Vec<Required>> {
        if file.symbol(interface).kind != SymbolKind::Interface {
            return None;
        }
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
        // `type Inner = other.Inner` stands for another interface.
        let is_interface = matches!(
            file.symbol(interface).kind,
            SymbolKind::Interface | SymbolKind::Type
        );
        if depth > MAX_DEPTH || !is_interface {
            return None;
        }
        for (at, symbol) in file.facts.symbols.iter().enumerate() {
            if symbol.parent == Some(interface) && symbol.kind == SymbolKind::Method {
                let name = symbol.name.clone();
                let at = u32::try_from(at).ok()?;
                let signature = self.signature(file, at);
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
                None => match external_type_of(file, base) {
                    // `int` is no interface.
                    Some(("", name)) if go_std::methods("", name).is_none() => return None,
                    Some((package, name)) => {
                        all.extend(standard_methods(package, name).into_iter().flatten());
                    }
                    None => {}
                },
            }
        }
        Some(())
    }

    /// Returns for each method required, in their order, that of a type; `None` in place of one that only an external type, which
    /// is embedded, can have. `None` for a type that does not satisfy them.
    pub(super) fn satisfying(
        &self,
        type_: (ModuleId, SymbolIdx),
        required: &[Required],
    ) -> Option<Vec<Option<(ModuleId, SymbolIdx)>>> {
        let object = Type::Instance(Def::Symbol(type_.0, type_.1));
        let mut found = Vec::with_capacity(required.len());
        let mut external = None;
        for wanted in required {
            self.refuel();
            let member = self.member(&object, &wanted.name);
            if let Some(Type::Definition(Def::Symbol(in_file, at))) = member {
                let file = self.cache.get(in_file)?;
                let is_method = file.symbol(at).kind == SymbolKind::Method;
                let own = self.signature(&file, at);
                if !is_method || !may_satisfy(own.as_ref(), wanted.signature.as_ref()) {
                    return None;
                }
                found.push(Some((in_file, at)));
                continue;
            }
            let is_field = member.is_some() && !self.by_external_base.get();
            if is_field || !self.has_fuel() {
                return None;
            }
            let external = external.get_or_insert_with(|| self.embedded_external_types(type_));
            if !external.iter().any(|it| it.may_have(wanted)) {
                return None;
            }
            found.push(None);
        }
        Some(found)
    }

    /// Returns whether all methods of a type are known: it embeds no type of a dependency.
    pub(super) fn has_known_methods(&self, type_: (ModuleId, SymbolIdx)) -> bool {
        let external = self.embedded_external_types(type_);
        external
            .iter()
            .all(|it| matches!(it, EmbeddedType::Known(_)))
    }

    /// Returns the external types that a type embeds, directly or in another one.
    fn embedded_external_types(&self, type_: (ModuleId, SymbolIdx)) -> Vec<EmbeddedType> {
        let mut external = Vec::new();
        let mut seen = vec![type_];
        let mut next = 0;
        while let Some((in_file, at)) = seen.get(next).copied() {
            next += 1;
            let Some(file) = self.cache.get(in_file) else {
                continue;
            };
            // `type Names []string` is built on a type too, and has none of its methods.
            let is_struct = || {
                let signature = self.cache.signature_of(&file, at);
                signature.is_some_and(|it| it.ends_with(" struct"))
            };
            let embeds = file.symbol(at).kind == SymbolKind::Interface || is_struct();
            for base in file.bases(at).filter(|_| embeds) {
                self.refuel();
                match self.infer(&file, base, None).and_then(|it| it.symbol()) {
                    Some(inner) if seen.len() < MAX_EMBEDDED && !seen.contains(&inner) => {
                        seen.push(inner);
                    }
                    Some(_) => {}
                    None => external.push(match external_type_of(&file, base) {
                        Some((package, name)) => EmbeddedType::of(package, name),
                        None => EmbeddedType::Unknown,
                    }),
                }
            }
        }
        external
    }

    /// Reads the signature of a method; `None` where it was cut off.
    fn signature(&self, file: &Rc<LinkedFile>, at: SymbolIdx) -> Option<Signature> {
        let symbol = file.symbol(at);
        let text = self.cache.signature_of(file, at)?;
        let text = match text.strip_prefix("func ") {
            Some(rest) => split_group(rest)?.1,
            None => &text,
        };
        read_signature(text, &symbol.name, |name| self.type_tokens(file, name, 0))
    }

    /// Returns a type by its name: its definition, or where it is external its name behind the path of its package. An alias is
    /// the type that it stands for. `None` for an unknown name of a package.
    fn type_tokens(&self, file: &Rc<LinkedFile>, name: &str, depth: usize) -> Tokens {
        let (package, last) = name.rsplit_once('.').unwrap_or(("", name));
        self.refuel();
        let found = if package.is_empty() {
            self.free_name(file, None, last)
        } else {
            let object = self.free_name(file, None, package)?;
            self.member(&object, last)
        };
        match found {
            Some(Type::Definition(Def::Symbol(in_file, at))) => {
                let of_alias = || {
                    let there = self.cache.get(in_file)?;
                    let is_named = there.symbol(at).kind == SymbolKind::Type;
                    let text = is_named.then(|| self.cache.signature_of(&there, at))??;
                    let (head, aliased) = text.split_once(" = ")?;
                    let is_plain = depth < MAX_DEPTH && !head.contains('[');
                    is_plain
                        .then(|| tokens(aliased, &|name| self.type_tokens(&there, name, depth + 1)))
                };
                of_alias().unwrap_or_else(|| Some(vec![format!("{}:{at}", in_file.row())]))
            }
            Some(found) if found.is_external() => {
                let package = match package {
                    "" => "",
                    package => file.import_specifier(package)?,
                };
                Some(vec![external_token(package, last)])
            }
            None if package.is_empty() => Some(vec!["?".to_owned()]),
            _ => None,
        }
    }
}

/// An external type that another one embeds.
enum EmbeddedType {
    /// One of the standard library, with all its methods.
    Known(Vec<Required>),
    /// Any other: it may have each method that another package can call.
    Unknown,
}

impl EmbeddedType {
    fn of(package: &str, name: &str) -> Self {
        match standard_methods(package, name) {
            Some(methods) => Self::Known(methods),
            None if package.is_empty() => Self::Known(Vec::new()),
            None => Self::Unknown,
        }
    }

    fn may_have(&self, wanted: &Required) -> bool {
        match self {
            Self::Known(methods) => methods.iter().any(|it| {
                it.name == wanted.name
                    && may_satisfy(it.signature.as_ref(), wanted.signature.as_ref())
            }),
            Self::Unknown => !wanted.name.starts_with(char::is_lowercase),
        }
    }
}

/// Returns the package and the name of an external type, by the expression that embeds it: `io` and `Closer`. The package is
/// empty of a predeclared type; `None` where it is another one.
fn external_type_of(file: &LinkedFile, base: ExprId) -> Option<(&str, &str)> {
    let mut of = base;
    while let Expr::Instance { of: inner } | Expr::Specialized { base: inner, .. } = file.expr(of) {
        of = *inner;
    }
    match file.expr(of) {
        Expr::Member { object, name } => match file.expr(*object) {
            Expr::Name { name: package, .. } => {
                let package = file.import_specifier(file.facts.exprs.name_of(*package))?;
                Some((package, file.facts.exprs.name_of(*name)))
            }
            _ => None,
        },
        Expr::Name { name, .. } => {
            let name = file.facts.exprs.name_of(*name);
            rules::of(file).predeclared.has(name).then_some(("", name))
        }
        _ => None,
    }
}

/// Returns the methods of a type of the standard library; `None` for one that is not known.
pub(super) fn standard_methods(package: &str, name: &str) -> Option<Vec<Required>> {
    let methods = go_std::methods(package, name)?.into_iter();
    let predeclared = rules::of_family(Family::Go).predeclared;
    let required = methods.map(|(package, text)| {
        let name = text.split('(').next().unwrap_or(text).to_owned();
        let signature = read_signature(text, &name, |name| {
            let (package, last) = match name.rsplit_once('.') {
                Some((other, last)) => (go_std::package_path(other), last),
                None if predeclared.has(name) => ("", name),
                None => (package, name),
            };
            Some(vec![external_token(package, last)])
        });
        Required { name, signature }
    });
    Some(required.collect())
}

/// Returns the token of an external type: `net/http.Header`.
fn external_token(package: &str, name: &str) -> String {
    match go_std::defined_name(package, name) {
        ("", name) => name.to_owned(),
        (package, name) => format!("{package}.{name}"),
    }
}

/// Reads `Open(name string, more ...int) (*File, error)`.
fn read_signature(text: &str, name: &str, token: impl Fn(&str) -> Tokens) -> Option<Signature> {
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
    let read = |all: Vec<&str>| all.into_iter().map(|it| tokens(it, &token)).collect();
    Some(Signature {
        params: read(types(params)?),
        results: read(results),
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
    if !parts.iter().any(|part| type_behind_name(part).is_some()) {
        return Some(parts);
    }
    let mut types = Vec::with_capacity(parts.len());
    let mut last = None;
    for part in parts.iter().rev() {
        last = type_behind_name(part).or(last);
        types.push(last?);
    }
    types.reverse();
    Some(types)
}

/// Returns the type of a parameter that has a name: `int` of `a int`.
fn type_behind_name(part: &str) -> Option<&str> {
    let (name, type_) = part.split_once(' ')?;
    let is_keyword = matches!(name, "chan" | "func" | "map" | "struct" | "interface");
    (is_name(name) && !is_keyword).then_some(type_.trim())
}

fn is_name(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(|c| c.is_alphabetic() || c == '_')
        && chars.all(|c| c.is_alphanumeric() || c == '_')
}

/// Splits a type into its names and marks: `func ( int ) error` of `func(n int) error`. `None` for structs and interfaces with
/// members that are written out.
fn tokens(type_: &str, token: &dyn Fn(&str) -> Tokens) -> Tokens {
    let mut all = Vec::new();
    let mut rest = type_.trim();
    while let Some(first) = rest.chars().next() {
        if first.is_whitespace() {
            rest = rest.trim_start();
            continue;
        }
        if first == '(' {
            let (inner, after) = split_group(rest)?;
            all.extend(tokens(inner, token)?);
            rest = after;
            continue;
        }
        if matches!(first, ')' | '{' | '}' | '…') {
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
            "interface" | "struct" => {
                rest = after.trim_start().strip_prefix('{')?;
                rest = rest.trim_start().strip_prefix('}')?;
                let is_any = name == "interface";
                all.push(if is_any { "any" } else { name }.to_owned());
            }
            "func" => {
                let (params, after) = split_group(after)?;
                all.push(name.to_owned());
                add_list(&types(params)?, token, &mut all)?;
                rest = after.trim_start();
                if rest.starts_with('(') {
                    let (results, after) = split_group(rest)?;
                    rest = after;
                    match types(results)?.as_slice() {
                        [one] => all.extend(tokens(one, token)?),
                        several => add_list(several, token, &mut all)?,
                    }
                }
            }
            name => all.extend(token(name)?),
        }
    }
    Some(all)
}

/// Adds the tokens of a list in parentheses.
fn add_list(types: &[&str], token: &dyn Fn(&str) -> Tokens, all: &mut Vec<String>) -> Option<()> {
    all.push("(".to_owned());
    for type_ in types {
        all.extend(tokens(type_, token)?);
        all.push(",".to_owned());
    }
    all.push(")".to_owned());
    Some(())
}

#[cfg(test)]
mod tests {
    use super::{Signature, may_be_equal, read_signature, standard_methods};

    fn signature(text: &str) -> Option<Signature> {
        let name = text.split('(').next().unwrap();
        read_signature(text, name, |name| {
            let is_parameter = name.len() == 1 && name.starts_with(char::is_uppercase);
            Some(vec![if is_parameter { "?" } else { name }.to_owned()])
        })
    }

    fn read(text: &str) -> Option<String> {
        let found = signature(text)?;
        let join = |all: &[Option<Vec<String>>]| {
            let all = all.iter();
            let all: Vec<String> = all
                .map(|it| it.as_ref().map_or("-".to_owned(), |it| it.concat()))
                .collect();
            all.join(";")
        };
        let (params, results) = (join(&found.params), join(&found.results));
        Some(format!("{params} -> {results}"))
    }

    #[test]
    fn signatures_are_read_by_their_types() {
        for (text, wanted) in [
            ("F()", " -> "),
            (
                "F(a, b int, c ...string) error",
                "int;int;...string -> error",
            ),
            (
                "F(int, *a.File) (n int, err error)",
                "int;*a.File -> int;error",
            ),
            (
                "F(m map[string][]*Tree, c <-chan int) (chan int)",
                "map[string][]*Tree;<-chanint -> chanint",
            ),
            ("F(x interface{}) any", "any -> any"),
            (
                "F(c <-chan struct{}) chan<- int",
                "<-chanstruct -> chan<-int",
            ),
            (
                "F(a func(n, m int) error) func() (int, error)",
                "func(int,int,)error -> func()(int,error,)",
            ),
            ("F(func(func()) (error))", "func(func(),)error -> "),
            (
                "F(s []func(), m map[int]func() error) (func() error, int)",
                "[]func();map[int]func()error -> func()error;int",
            ),
            ("F(x struct{ a int }) b", "- -> b"),
            ("F(x interface{ Do() }, n int) b", "-;int -> b"),
        ] {
            assert_eq!(read(text).as_deref(), Some(wanted), "{text}");
        }
        for text in ["F(", "F(a, b", "F(a func(int) err…"] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn a_type_parameter_may_be_any_type() {
        let satisfies = |own: &str, wanted: &str| {
            signature(own)
                .unwrap()
                .may_satisfy(&signature(wanted).unwrap())
        };
        for (own, wanted, expected) in [
            ("F(a []int) error", "F(a []T) error", true),
            ("F(a map[string]int)", "F(a map[K]V)", true),
            ("F(a []T)", "F(a T)", true),
            ("F(a int)", "F(a []T)", false),
            ("F(a func(int) error)", "F(a func(T) error)", true),
            ("F(a func(int))", "F(a func(T) error)", false),
            ("F(a int)", "F(a, b int)", false),
            ("F(a int)", "F(a string)", false),
            ("F(a struct{ b int })", "F(a string)", true),
            ("F(a <-chan int)", "F(a chan int)", false),
        ] {
            assert_eq!(satisfies(own, wanted), expected, "{own} {wanted}");
        }
        assert!(may_be_equal(&[], &[]));
    }

    #[test]
    fn methods_of_the_standard_library_are_read() {
        for name in ["Handler", "ResponseWriter", "RoundTripper"] {
            for method in standard_methods("net/http", name).unwrap() {
                assert!(method.signature.is_some(), "{name}.{}", method.name);
            }
        }
        assert!(standard_methods("net/http", "None").is_none());
    }
}
