//! Whether code of TypeScript may have narrowed the type of a variable, by its text: `if (event.kind === 'open')`,
//! `event instanceof Opened`, `isOpen(event)`.

/// The receiver of a member, as it is written.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum WrittenReceiver<'t> {
    /// Names with dots between them: `this.state`.
    Path(Vec<&'t str>),
    /// The result of a call, or of a cast in parentheses: nothing narrows it.
    Result,
    /// Another expression.
    Other,
}

impl<'t> WrittenReceiver<'t> {
    /// Returns the receiver of the member whose name begins at a byte.
    pub(super) fn before(text: &'t str, start: usize) -> Self {
        let Some(mut rest) = text.get(..start).and_then(before_dot) else {
            return Self::Other;
        };
        if rest.ends_with(')') {
            return Self::in_brackets(rest);
        }
        let mut path = Vec::new();
        loop {
            let name = last_word(rest);
            if name.is_empty() {
                return Self::Other;
            }
            path.push(name);
            rest = &rest[..rest.len() - name.len()];
            match before_dot(rest) {
                Some(more) => rest = more,
                None => break,
            }
        }
        path.reverse();
        Self::Path(path)
    }

    /// Returns the receiver that ends with a bracket.
    fn in_brackets(text: &str) -> Self {
        let mut depth = 0_usize;
        for (at, c) in text.char_indices().rev() {
            match c {
                ')' => depth += 1,
                '(' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                let before = text[..at].trim_end();
                let is_call = !last_word(before).is_empty() && !is_keyword(last_word(before))
                    || before.ends_with(['>', ')', ']']);
                let is_cast = text[at..].contains(" as ");
                return if is_call || is_cast {
                    Self::Result
                } else {
                    Self::Other
                };
            }
        }
        Self::Other
    }
}

/// Returns the text before the dot at its end: `state` of `state!.`. A line that ends with a dot is of a comment.
fn before_dot(text: &str) -> Option<&str> {
    let text = text.trim_end_matches(' ').strip_suffix('.')?;
    Some(text.trim_end_matches(['?', '!']).trim_end())
}

/// Whether the type of a variable may be another at the end of `text`, in which its function begins, than the one that it is
/// declared with. `tells_apart` is asked whether a member of the variable tells its types apart, `narrows` whether a function
/// does that is called with it.
pub(super) fn may_be_narrowed(
    text: &str,
    path: &[&str],
    tells_apart: impl Fn(&str) -> bool,
    mut narrows: impl FnMut(&str) -> bool,
) -> bool {
    // Nothing is asked of `this` alone.
    let n_first = 1 + usize::from(path[0] == "this" && path.len() > 1);
    for (at, _) in text.match_indices(path[0]) {
        let before = &text[..at];
        let mut after = &text[at + path[0].len()..];
        let is_word = !before.ends_with(is_name_char)
            && !after.starts_with(is_name_char)
            && !before.trim_end().ends_with('.');
        if !is_word {
            continue;
        }
        let mut n_read = 1;
        while let Some((name, rest)) = member_behind(after)
            && path.get(n_read) == Some(&name)
        {
            (n_read, after) = (n_read + 1, rest);
        }
        if n_read < n_first {
            continue;
        }
        let is_receiver_itself = after.trim().trim_start_matches(['?', '!']) == ".";
        if is_receiver_itself {
            continue;
        }
        let Some((name, rest)) = member_behind(after) else {
            if is_tested_itself(before, after) || is_assigned(before, after) {
                return true;
            }
            if callee_of_argument(before).is_some_and(&mut narrows) {
                return true;
            }
            continue;
        };
        let is_of_receiver = n_read == path.len();
        if is_tested(before, rest) && (!is_of_receiver || tells_apart(name)) {
            return true;
        }
    }
    false
}

/// Whether the first parameters in the text of a definition have one of this name: `function log(event: Event)`.
pub(super) fn has_parameter(text: &str, name: &str) -> bool {
    let Some((_, behind)) = text.split_once('(') else {
        return false;
    };
    let mut depth = 1_usize;
    let end = behind.find(|c| {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        depth == 0
    });
    let parameters = &behind[..end.unwrap_or(behind.len())];
    let mut places = parameters.match_indices(name);
    places.any(|(at, _)| {
        let before = parameters[..at].trim_end();
        let after = parameters[at + name.len()..].trim_start();
        (before.is_empty() || before.ends_with(','))
            && (after.is_empty() || after.starts_with([':', '?', ',', '=']))
    })
}

/// Returns the member that a text begins with, and the text behind it: `kind` of `?.kind === 1`.
fn member_behind(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start().trim_start_matches(['!', '?']);
    let text = text.strip_prefix('.')?.trim_start();
    let n_bytes = text.find(|c| !is_name_char(c)).unwrap_or(text.len());
    (n_bytes > 0).then(|| text.split_at(n_bytes))
}

/// Whether a condition tests a value that stands between two texts.
fn is_tested(before: &str, after: &str) -> bool {
    let (before, after) = (before.trim_end(), after.trim_start());
    let is_compared = ["==", "!=", "&&", "||", "?"];
    if is_compared.iter().any(|it| after.starts_with(it)) {
        return true;
    }
    let outside = before.trim_end_matches(['(', '!']).trim_end();
    let is_behind = ["==", "!=", "&&", "||"];
    is_behind.iter().any(|it| outside.ends_with(it))
        || before.ends_with('!')
        || matches!(last_word(outside), "if" | "while" | "switch" | "case")
}

/// Whether a variable that stands between two texts is asked for its type: `event instanceof Opened`, `'id' in event`.
fn is_tested_itself(before: &str, after: &str) -> bool {
    let (before, after) = (before.trim_end(), after.trim_start());
    let is_equal = |text: &str| {
        let other = text.trim_start_matches(['=', '!']).trim_start();
        let is_none = ["null", "undefined", "void 0"];
        !is_none.iter().any(|it| other.starts_with(it))
    };
    let is_compared = after.starts_with("==") || after.starts_with("!=");
    after.starts_with("instanceof ")
        || matches!(last_word(before), "in" | "typeof" | "case")
        || is_compared && is_equal(after)
        || before.ends_with("==")
        || before.ends_with("!==")
        || before.ends_with("switch (")
        || before.ends_with("switch(")
}

/// Whether a value is assigned to a variable that stands between two texts, whose declared type may be wider.
fn is_assigned(before: &str, after: &str) -> bool {
    let after = after.trim_start();
    let is_declared = matches!(last_word(before.trim_end()), "const" | "let" | "var");
    let is_written = after.starts_with('=') && !after.starts_with("==") && !after.starts_with("=>");
    let is_annotated = after.starts_with(':') || after.starts_with("!:");
    is_declared && is_annotated || !is_declared && is_written
}

/// Returns the function that is called with a variable as its first argument, where the call is open at the end of a text.
fn callee_of_argument(before: &str) -> Option<&str> {
    let callee = before.trim_end().strip_suffix('(')?;
    let callee = last_word(callee);
    (!callee.is_empty() && !is_keyword(callee)).then_some(callee)
}

fn is_keyword(word: &str) -> bool {
    matches!(
        word,
        "if" | "while"
            | "for"
            | "switch"
            | "return"
            | "catch"
            | "function"
            | "await"
            | "typeof"
            | "in"
            | "of"
            | "case"
            | "yield"
            | "as"
    )
}

fn last_word(text: &str) -> &str {
    let n_bytes = text.trim_end_matches(is_name_char).len();
    &text[n_bytes..]
}

fn is_name_char(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_narrowed(code: &str) -> bool {
        let at = code.rfind(".id").unwrap() + 1;
        let WrittenReceiver::Path(path) = WrittenReceiver::before(code, at) else {
            panic!("no path");
        };
        may_be_narrowed(
            &code[..at],
            &path,
            |name| name == "kind",
            |it| it == "guard",
        )
    }

    #[test]
    fn a_condition_narrows_and_other_uses_do_not() {
        for code in [
            "if (e.kind === 'a') e.id",
            "switch (e.kind) { case 1: e.id",
            "e instanceof A && e.id",
            "'a' in e ? e.id",
            "if (!guard(e)) return; e.id",
            "let e: E = make(); e.id",
            "e = make(); e.id",
            "this.e?.kind && this.e.id",
        ] {
            assert!(is_narrowed(code), "{code}");
        }
        for code in [
            "function f(e: E) { return e.id",
            "if (e) { log(e.kind, e.other); e.id",
            "if (e.other) e.id",
            "const e = make(); e.id",
            "if (one.kind) e.id",
            "if (e !== null) e.id",
            "guard(e.id",
            "this.kind && this.e.id",
        ] {
            assert!(!is_narrowed(code), "{code}");
        }
    }

    #[test]
    fn parameters_are_read_from_the_head_of_a_definition() {
        assert!(has_parameter("function f(a: () => E, e?: E) { e", "e"));
        assert!(has_parameter("get(e) {", "e"));
        assert!(!has_parameter("const f = make(a.e, (e: E) => {", "e"));
        assert!(!has_parameter("f(one: E) {", "e"));
    }

    #[test]
    fn a_receiver_is_a_path_a_result_or_neither() {
        let of = |code: &'static str| WrittenReceiver::before(code, code.len());
        assert_eq!(of("x = this.e!."), WrittenReceiver::Path(vec!["this", "e"]));
        assert_eq!(of("make(1)."), WrittenReceiver::Result);
        assert_eq!(of("(e as E)."), WrittenReceiver::Result);
        assert_eq!(of("return (a || b)."), WrittenReceiver::Other);
        assert_eq!(of("all[0]."), WrittenReceiver::Other);
        assert_eq!(of("// It is open.\n  "), WrittenReceiver::Other);
    }
}
