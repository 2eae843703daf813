//! Names and paths as a query writes them: `Class.method`, `src/app.ts`, `close()`, `$el`.

use super::query::{MAX_PHRASES, MAX_TERMS};
use crate::store::token;

/// Returns the qualified names (`Class.method`, `class#method`, `class::method`) as normal forms of
/// their parts, and the paths as lower-case components. `res.json` may be both.
pub(super) fn dotted(text: &str) -> (Vec<Vec<String>>, Vec<Vec<String>>) {
    let mut names: Vec<Vec<String>> = Vec::new();
    let mut paths: Vec<Vec<String>> = Vec::new();
    for run in text.split_whitespace().take(MAX_TERMS) {
        let run = run.trim_matches(|c: char| {
            !(c.is_alphanumeric() || matches!(c, '_' | '$' | '/' | '.' | '*'))
        });
        let run = run.trim_end_matches(['.', '/']);
        if run.contains('/') || has_file_extension(run) {
            let parts: Vec<String> = run
                .split('/')
                .filter(|part| !matches!(*part, "" | "." | ".."))
                .map(str::to_lowercase)
                .collect();
            if !parts.is_empty() && !paths.contains(&parts) && paths.len() < MAX_PHRASES {
                paths.push(parts);
            }
        }
        if run.contains('/') || !run.contains(['.', '#', ':']) {
            continue;
        }
        let is_name =
            |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.' | '#' | ':' | '?');
        if !run.chars().all(is_name) {
            continue;
        }
        let parts: Vec<String> = run
            .split(['.', '#', ':', '?'])
            .map(token::normal_form)
            .filter(|part| !matches!(part.as_str(), "" | "prototype" | "this" | "self"))
            .collect();
        if parts.len() > 1 && !names.contains(&parts) && names.len() < MAX_PHRASES {
            names.push(parts);
        }
    }
    (names, paths)
}

/// Returns whether a word of `text`, a slice of it, is set off as code: between backticks, or called.
pub(super) fn is_set_off(text: &str, word: &str) -> bool {
    let at = word.as_ptr() as usize - text.as_ptr() as usize;
    let (before, after) = (&text[..at], &text[at + word.len()..]);
    (before.ends_with('`') && after.starts_with('`')) || after.starts_with("()")
}

/// Returns whether a word begins with a sign that its normal form lacks, so that `$el` is not `el`.
pub(super) fn has_sign(word: &str) -> bool {
    word.trim_start_matches(['$', '_']).len() < word.len()
}

/// Returns whether the text after the last dot looks like a file's extension rather than a sentence.
pub(super) fn has_file_extension(run: &str) -> bool {
    run.rsplit_once('.').is_some_and(|(stem, ext)| {
        !stem.is_empty()
            && (1..=6).contains(&ext.len())
            && ext
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
    })
}

#[cfg(test)]
mod tests {
    use super::{has_sign, is_set_off};
    use crate::search::{Query, parse};

    fn query(text: &str) -> Query {
        parse(text).unwrap()
    }

    #[test]
    fn qualified_names_are_known_in_every_notation() {
        for text in [
            "EffectScope.off",
            "EffectScope#off",
            "EffectScope::off()",
            "EffectScope.prototype.off",
        ] {
            assert_eq!(query(text).qualified, [["effectscope", "off"]], "{text}");
        }
        assert!(query("a sentence. Another one").qualified.is_empty());
        assert!(query("what?").qualified.is_empty());
    }

    #[test]
    fn paths_and_file_names_are_known() {
        assert_eq!(query("renderer.ts queueJob").paths, [["renderer.ts"]]);
        assert_eq!(
            query("runtime-core/scheduler").paths,
            [["runtime-core", "scheduler"]]
        );
        assert_eq!(query("./src//a.ts").paths, [["src", "a.ts"]]);
        assert!(query("Hello. World").paths.is_empty());
    }

    #[test]
    fn names_are_set_off_as_code() {
        let is = |text: &str, word: &str| {
            is_set_off(text, &text[text.find(word).unwrap()..][..word.len()])
        };
        assert!(is("let `run` end", "run") && is("when run() ends", "run"));
        assert!(!is("run (once)", "run") && !is("file(s) left", "file") && !is("`a run`", "run"));
        for (word, signed) in [("$el", true), ("_vnode", true), ("$", true), ("el$", false)] {
            assert_eq!(has_sign(word), signed, "{word}");
        }
        let words = query("the el of $el, then `el` again").words;
        let el = words.iter().find(|word| word.norm == "el").unwrap();
        assert!(el.is_name && el.signed.as_deref() == Some("$el"));
    }
}
