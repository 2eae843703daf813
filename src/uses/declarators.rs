//! Variables that are declared together, each with the part of the declaration that is its own: of `int a = 1, b = 2;` the text of `b` is
//! `int b = 2;`.
//!
//! Facts give such variables the place of the whole declaration, or all but the first that of their own part; those of JavaScript have
//! the place of their part, without the keyword: `let b = 2` of `let a = 1, b = 2` is `b = 2`.

use std::cmp::Reverse;
use std::collections::HashMap;

use super::changed_file::{ChangedFile, FileSide};
use crate::graph::tokens::{is_word, tokens};
use crate::model::{Family, Symbol, SymbolKind};

/// The own texts of variables by file and symbol.
pub(super) type OwnTexts = HashMap<(usize, u32), String>;

/// Returns the own texts of variables in one state of the files that share a declaration with others; of one that no rule reads there is
/// none.
pub(super) fn own_texts(files: &[ChangedFile], is_old: bool) -> OwnTexts {
    let mut all = OwnTexts::new();
    for (at, file) in files.iter().enumerate() {
        let side = if is_old { &file.old } else { &file.new };
        for (symbol, text) in of_side(side) {
            all.insert((at, symbol), text);
        }
    }
    all
}

/// Returns the declaration that a variable shares with others: the place of the first one, which may be its own.
pub(super) fn shared_declaration<'s>(side: &'s FileSide, symbol: &'s Symbol) -> &'s Symbol {
    let mut all = side.facts.symbols.iter();
    let is_around = |it: &&Symbol| {
        is_variable(it) && it.parent == symbol.parent && it.span.contains(&symbol.span)
    };
    let has_shared = is_variable(symbol) && is_read(side.facts.family);
    all.find(|it| has_shared && is_around(it)).unwrap_or(symbol)
}

fn is_read(family: Family) -> bool {
    matches!(
        family,
        Family::C | Family::CSharp | Family::Go | Family::Java | Family::Python
    )
}

fn is_variable(symbol: &Symbol) -> bool {
    matches!(
        symbol.kind,
        SymbolKind::Constant | SymbolKind::Variable | SymbolKind::Field | SymbolKind::Property
    )
}

/// Returns the bytes that the own text of a definition of JavaScript has in front of its place; `None` in other languages, whose own texts
/// are put together.
pub(super) fn n_bytes_before(family: Family, own_text: &str, symbol: &Symbol) -> Option<usize> {
    let span = &symbol.span;
    let n_bytes = (span.end_byte - span.start_byte) as usize;
    (family == Family::Ecmascript).then(|| own_text.len().saturating_sub(n_bytes))
}

/// Returns the texts of the definitions of JavaScript that are declared together, each behind its keyword, which their signatures have.
fn of_script(side: &FileSide) -> Vec<(u32, String)> {
    let own = |(at, symbol): (usize, &Symbol)| {
        let mut keywords = ["const ", "let ", "var "].into_iter();
        let keyword = keywords.find(|it| symbol.signature.starts_with(it))?;
        let span = symbol.span.start_byte as usize..symbol.span.end_byte as usize;
        let text = side.code().get(span)?;
        let is_part = text.starts_with(&symbol.name)
            && !text[symbol.name.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '_');
        let at = u32::try_from(at).ok()?;
        is_part.then(|| (at, format!("{keyword}{text}")))
    };
    side.facts
        .symbols
        .iter()
        .enumerate()
        .filter_map(own)
        .collect()
}

fn of_side(side: &FileSide) -> Vec<(u32, String)> {
    let family = side.facts.family;
    if family == Family::Ecmascript {
        return of_script(side);
    }
    if !is_read(family) {
        return Vec::new();
    }
    let symbols = &side.facts.symbols;
    let mut variables: Vec<usize> = (0..symbols.len())
        .filter(|at| is_variable(&symbols[*at]))
        .collect();
    variables.sort_by_key(|at| {
        let it = &symbols[*at];
        (it.parent, it.span.start_byte, Reverse(it.span.end_byte))
    });
    let mut found = Vec::new();
    let is_together = |first: &usize, at: &usize| {
        let (first, it) = (&symbols[*first], &symbols[*at]);
        first.parent == it.parent && first.span.contains(&it.span)
    };
    let mut rest = variables.as_slice();
    while let Some(first) = rest.first() {
        let n = rest.iter().take_while(|at| is_together(first, at)).count();
        let (group, behind) = rest.split_at(n.max(1));
        rest = behind;
        if group.len() < 2 {
            continue;
        }
        let span = &symbols[*first].span;
        let (start, end) = (span.start_byte as usize, span.end_byte as usize);
        let Some(declaration) = side.code().get(start..end) else {
            continue;
        };
        for at in group {
            let name = symbols[*at].name.as_str();
            let own = match family {
                Family::Go => of_go(declaration, name),
                Family::Python => of_python(declaration, name),
                _ => of_declarators(declaration, name),
            };
            found.extend(own.map(|text| (u32::try_from(*at).unwrap_or(u32::MAX), text)));
        }
    }
    found
}

/// Returns the own text of a variable of C, C++, C# or Java: `static int *b = 2;` of `static int a[2], *b = 2;`.
fn of_declarators(declaration: &str, name: &str) -> Option<String> {
    let declaration = declaration.trim_end().trim_end_matches(';');
    let parts = split(declaration, ',', true);
    let first = declared(parts.first()?);
    let (of_first, _) = words_outside(first).into_iter().last()?;
    // Pointers and references belong to the variable.
    let type_ =
        first[..of_first].trim_end_matches(|c: char| c.is_whitespace() || matches!(c, '*' | '&'));
    let part = parts.iter().find(|part| {
        let words = words_outside(declared(part));
        words.last().is_some_and(|(_, word)| *word == name)
    })?;
    let own = if std::ptr::eq(*part, parts[0]) {
        &part[type_.len()..]
    } else {
        part
    };
    Some(format!("{} {};", type_.trim(), own.trim()))
}

/// Returns the own text of a variable, a constant or a field of Go: `var b int = 2` of `var a, b int = 1, 2`.
fn of_go(declaration: &str, name: &str) -> Option<String> {
    let keyword = ["var ", "const "]
        .into_iter()
        .find(|it| declaration.starts_with(it))
        .unwrap_or_default();
    let declaration = declaration.strip_prefix(keyword)?.trim();
    // A group of one: `const (\n a, b = 1, 2\n)`.
    let of_group = declaration.strip_prefix('(');
    let of_group = of_group.and_then(|it| it.strip_suffix(')'));
    let declaration = of_group.map_or(declaration, str::trim);
    let (names, value) = match split(declaration, '=', false).as_slice() {
        [names] => (*names, None),
        [names, value] => (*names, Some(*value)),
        _ => return None,
    };
    let mut all = split(names, ',', false);
    let last = all.pop()?.trim();
    let end = last.find(|c: char| !c.is_alphanumeric() && c != '_');
    let (last, type_) = last.split_at(end.unwrap_or(last.len()));
    all.push(last);
    let at = all.iter().position(|it| it.trim() == name)?;
    let value = value.map_or_else(String::new, |it| value_of(it, at, all.len()));
    Some(format!("{keyword}{name} {}{value}", type_.trim()))
}

/// Returns the own text of a variable of Python: `b = 2` of `a, b = 1, 2`, and of `a = b = 2`.
fn of_python(declaration: &str, name: &str) -> Option<String> {
    let mut targets = split(declaration, '=', false);
    let value = targets.pop()?;
    let is_it = |target: &&str| tokens(target).last() == Some(name);
    targets.into_iter().find_map(|target| {
        let all = split(target, ',', false);
        let at = all.iter().position(|it| is_it(&it.trim()))?;
        Some(format!(
            "{}{}",
            all[at].trim(),
            value_of(value, at, all.len())
        ))
    })
}

/// Returns ` = ` with the value at a place of a list of as many as there are names, else with all of it.
fn value_of(value: &str, at: usize, n_names: usize) -> String {
    let values = split(value, ',', false);
    let own = if values.len() == n_names {
        values[at]
    } else {
        value
    };
    format!(" = {}", own.trim())
}

/// Returns a declarator without its value: `int a[2]` of `int a[2] = {1, 2}`.
pub(super) fn declared(part: &str) -> &str {
    split(part, '=', true).first().copied().unwrap_or(part)
}

/// Returns the words of a text that stand outside of brackets, with their places.
fn words_outside(text: &str) -> Vec<(usize, &str)> {
    let mut depth = 0_usize;
    let mut found = Vec::new();
    for token in tokens(text) {
        match token {
            "(" | "[" | "{" | "<" => depth += 1,
            ")" | "]" | "}" | ">" => depth = depth.saturating_sub(1),
            word if depth == 0 && is_word(word) => {
                let at = word.as_ptr() as usize - text.as_ptr() as usize;
                found.push((at, word));
            }
            _ => {}
        }
    }
    found
}

/// Splits a text at the separators outside of brackets and quotes. `has_generics`: in front of a value `<` and `>` are brackets. An `=` is none of
/// `==`, `<=` and `=>`.
pub(super) fn split(text: &str, separator: char, has_generics: bool) -> Vec<&str> {
    let bytes = text.as_bytes();
    let (mut depth, mut from, mut quote) = (0_usize, 0, None);
    let mut is_value = false;
    let mut parts = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let byte = bytes[at];
        match (quote, byte) {
            (Some(_), b'\\') => at += 1,
            (Some(open), _) if open == byte => quote = None,
            (None, b'"' | b'\'' | b'`') => quote = Some(byte),
            (None, b'(' | b'[' | b'{') => depth += 1,
            (None, b')' | b']' | b'}') => depth = depth.saturating_sub(1),
            (None, b'<') if has_generics && !is_value => depth += 1,
            (None, b'>') if has_generics && !is_value => depth = depth.saturating_sub(1),
            (None, _) if depth == 0 && is_separator(bytes, at, separator) => {
                parts.push(&text[from..at]);
                from = at + 1;
                is_value = separator == '=';
            }
            (None, b'=') if depth == 0 => is_value = true,
            _ => {}
        }
        at += 1;
    }
    parts.push(&text[from.min(text.len())..]);
    parts
}

fn is_separator(bytes: &[u8], at: usize, separator: char) -> bool {
    if char::from(bytes[at]) != separator {
        return false;
    }
    let before = at.checked_sub(1).map(|it| bytes[it]);
    let is_part = matches!(bytes.get(at + 1), Some(b'=' | b'>'))
        || matches!(before, Some(b'=' | b'!' | b'<' | b'>' | b':'));
    separator != '=' || !is_part
}

#[cfg(test)]
mod tests {
    use super::{of_declarators, of_go, of_python};

    #[test]
    fn each_variable_has_its_part_of_the_declaration() {
        let own = |declaration: &str, name: &str| {
            of_declarators(declaration, name).unwrap_or_else(|| "-".to_owned())
        };
        let ints = "public static int a = f(1, 2), b[2] = {1, 2}, *c;";
        assert_eq!(own(ints, "a"), "public static int a = f(1, 2);");
        assert_eq!(own(ints, "b"), "public static int b[2] = {1, 2};");
        assert_eq!(own(ints, "c"), "public static int *c;");
        assert_eq!(own(ints, "d"), "-");
        assert_eq!(own("int *a, b;", "a"), "int *a;");
        assert_eq!(own("int *a, b;", "b"), "int b;");
        let maps = "@A(\"x, y\") final Map<String, List<T>> a = b < c ? d : e, f;";
        assert_eq!(own(maps, "f"), "@A(\"x, y\") final Map<String, List<T>> f;");
        assert_eq!(own("event Action E, F", "F"), "event Action F;");
    }

    #[test]
    fn names_of_go_share_a_type_and_have_their_values() {
        let own = |declaration: &str, name: &str| {
            of_go(declaration, name).unwrap_or_else(|| "-".to_owned())
        };
        assert_eq!(own("var a, b = 1, 2", "b"), "var b  = 2");
        assert_eq!(own("x, y map[string]int", "x"), "x map[string]int");
        assert_eq!(own("a, b = f()", "b"), "b  = f()");
        assert_eq!(own("E, F T = 1, 2", "E"), "E T = 1");
        assert_eq!(own("x, y int", "z"), "-");
        assert_eq!(own("const (\n\tE, F = 1, 2\n)", "F"), "const F  = 2");
    }

    #[test]
    fn targets_of_python_have_their_values() {
        let own = |declaration: &str, name: &str| {
            of_python(declaration, name).unwrap_or_else(|| "-".to_owned())
        };
        assert_eq!(own("a, b = 1, (2, 3)", "b"), "b = (2, 3)");
        assert_eq!(own("a = b = 2", "b"), "b = 2");
        assert_eq!(own("self.a, self.b = f()", "a"), "self.a = f()");
        assert_eq!(own("(a, b) = 1, 2", "c"), "-");
    }
}
