//! Sentences of the tools in the words of the command line: `cl_stats` is `codelens stats` there.

use serde_json::Value;

/// The fields of an answer that hold sentences of ours, never text of the repository.
const SENTENCES: [&str; 5] = ["note", "summary", "hint", "message", "detail"];

/// Names commands in place of tools in the sentences of an answer.
pub(super) fn name_commands(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for (key, field) in fields.iter_mut() {
                match field {
                    Value::String(text) if SENTENCES.contains(&key.as_str()) => {
                        *text = with_commands(text);
                    }
                    field => name_commands(field),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(name_commands),
        _ => {}
    }
}

/// Returns a sentence with commands in place of tools: "see `cl_stats`" is "see `codelens stats`", and of
/// "`cl_stats` (`codelens stats`)" and "`codelens map src` (`cl_map`)" the command is left.
pub(super) fn with_commands(text: &str) -> String {
    let mut written = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("cl_") {
        let (before, found) = rest.split_at(at);
        let name = &found["cl_".len()..];
        let n_bytes = name
            .find(|c: char| !c.is_ascii_lowercase())
            .unwrap_or(name.len());
        let (name, after) = name.split_at(n_bytes);
        rest = after;
        written.push_str(before);
        let is_inside_word = written.ends_with(|c: char| c.is_alphanumeric() || c == '_');
        if is_inside_word || name.is_empty() || after.starts_with('_') {
            written.push_str("cl_");
            written.push_str(name);
        } else if written.ends_with("` (") && after.starts_with(')') {
            written.truncate(written.len() - " (".len());
            rest = &after[1..];
        } else if let Some((command, after)) = after
            .strip_prefix(" (`codelens ")
            .and_then(|it| it.split_once("`)"))
        {
            written.push_str("`codelens ");
            written.push_str(command);
            written.push('`');
            rest = after;
        } else if written.ends_with('`') && after.starts_with('`') {
            written.push_str("codelens ");
            written.push_str(name);
        } else {
            written.push_str("`codelens ");
            written.push_str(name);
            written.push('`');
        }
    }
    written.push_str(rest);
    written
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{name_commands, with_commands};

    #[test]
    fn commands_stand_for_tools() {
        for (said, expected) in [
            ("see `cl_stats`.", "see `codelens stats`."),
            (
                "use cl_search to find it",
                "use `codelens search` to find it",
            ),
            (
                "cl_stats (`codelens stats`) lists them",
                "`codelens stats` lists them",
            ),
            (
                "`codelens map a` (cl_map) lists them",
                "`codelens map a` lists them",
            ),
            ("the function `my_cl_stats`", "the function `my_cl_stats`"),
            ("cl_", "cl_"),
            ("cl_init_all()", "cl_init_all()"),
        ] {
            assert_eq!(with_commands(said), expected);
        }
    }

    #[test]
    fn text_of_the_repository_stays() {
        let mut value =
            json!({"note": "cl_search", "results": [{"preview": "cl_search", "hint": "cl_map"}]});
        name_commands(&mut value);
        let named = json!({"note": "`codelens search`", "results": [{"preview": "cl_search", "hint": "`codelens map`"}]});
        assert_eq!(value, named);
    }
}
