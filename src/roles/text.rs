//! Lists in configuration files that are no scripts: TOML and YAML, as far as lists of patterns need.

use crate::syntax::Literal;

/// Returns the values of `key` in the section `[section]` of a TOML file: words, or texts in quotes; lists may go on
/// over lines. `None` where the section is not there; empty where it has no such key.
pub(super) fn section_values(text: &str, section: &str, key: &str) -> Option<Vec<String>> {
    let header = format!("[{section}]");
    let mut lines = text.lines().skip_while(|line| line.trim() != header);
    lines.next()?;
    let mut values = Vec::new();
    let mut is_open = false;
    let mut is_in_brackets = false;
    for line in lines {
        let trimmed = line.trim();
        if trimmed.starts_with('[') && !is_in_brackets {
            break;
        }
        if trimmed.starts_with(['#', ';']) {
            continue;
        }
        let rest = match trimmed.split_once('=') {
            Some((name, rest)) if name.trim() == key => {
                is_open = true;
                is_in_brackets = rest.trim_start().starts_with('[');
                rest
            }
            // Another key ends the list; an indented line goes on with it.
            Some(_) if !trimmed.starts_with(['"', '\'']) => {
                is_open = false;
                is_in_brackets = false;
                continue;
            }
            _ if is_open => trimmed,
            _ => continue,
        };
        values.extend(words(rest));
        let is_list =
            rest.trim_start().starts_with('[') || !line.starts_with([' ', '\t']) && rest == trimmed;
        if is_list && rest.contains(']') && rest.trim_end().ends_with(']') {
            is_open = false;
            is_in_brackets = false;
        }
    }
    Some(values)
}

/// Returns the first values of `keys` in each `[[table]]` of a TOML file.
pub(super) fn tables<const N: usize>(
    text: &str,
    table: &str,
    keys: [&str; N],
) -> Vec<[Option<String>; N]> {
    let header = format!("[[{table}]]");
    let mut found: Vec<[Option<String>; N]> = Vec::new();
    let mut is_inside = false;
    for line in text.lines().map(str::trim) {
        if line.starts_with('[') {
            is_inside = line.split('#').next().unwrap_or(line).trim() == header;
            if is_inside {
                found.push([const { None }; N]);
            }
        } else if let (true, Some((name, value))) = (is_inside, line.split_once('='))
            && let Some(at) = keys.iter().position(|key| *key == name.trim())
            && let Some(row) = found.last_mut()
        {
            row[at] = words(value).into_iter().next();
        }
    }
    found
}

/// Returns the words of a list, without brackets, commas and quotes.
fn words(text: &str) -> Vec<String> {
    let text = text.split(" #").next().unwrap_or(text);
    // Brackets stand around a list in TOML; within quotes they are part of a pattern.
    if text.contains(['"', '\'']) {
        let mut found = Vec::new();
        let mut rest = text;
        while let Some(start) = rest.find(['"', '\'']) {
            let quote = &rest[start..=start];
            let Some(length) = rest[start + 1..].find(quote) else {
                break;
            };
            found.push(rest[start + 1..start + 1 + length].to_owned());
            rest = &rest[start + length + 2..];
        }
        // `"test_*.py check_*.py"` is a list too.
        return found
            .iter()
            .flat_map(|it| it.split_whitespace())
            .map(str::to_owned)
            .collect();
    }
    let words = text.split([' ', '\t', ',']);
    let words = words.filter(|word| !word.is_empty() && !matches!(*word, "[" | "]" | "[]"));
    words.map(str::to_owned).collect()
}

/// Reads the members of a YAML file that are texts, flags or lists of texts, at its outermost level.
pub(super) fn yaml(text: &str) -> Literal {
    let mut members: Vec<(String, Literal)> = Vec::new();
    for line in text.lines() {
        let trimmed = line.trim();
        if trimmed.is_empty() || trimmed.starts_with('#') || trimmed == "---" {
            continue;
        }
        if let Some(item) = trimmed.strip_prefix("- ") {
            if let Some((_, Literal::List(list))) = members.last_mut() {
                list.push(Literal::Text(unquoted(item).to_owned()));
            }
        } else if !line.starts_with([' ', '\t'])
            && let Some((name, value)) = trimmed.split_once(':')
        {
            let value = match value.trim() {
                "" => Literal::List(Vec::new()),
                "true" => Literal::Flag(true),
                "false" => Literal::Flag(false),
                list if list.starts_with('[') => {
                    let items = list.trim_matches(['[', ']']).split(',').map(unquoted);
                    Literal::List(items.map(|it| Literal::Text(it.to_owned())).collect())
                }
                text => Literal::Text(unquoted(text).to_owned()),
            };
            members.push((unquoted(name).to_owned(), value));
        }
    }
    Literal::Object(members)
}

fn unquoted(text: &str) -> &str {
    text.trim().trim_matches(['"', '\''])
}
