//! Directives inside of lists: `#include "opcodes.def"` between the braces of an enumeration or an initializer, or in arguments, where the grammar
//! has no place for one.
//!
//! They are blanked where a source is cleaned, and read by themselves.

use super::tokens::{Token, TokenKind, scan, word_of};

/// Returns the directives of a source that stand in a list and are no conditions, from their signs to their ends.
pub(super) fn listed_directives(bytes: &[u8]) -> Vec<(usize, usize)> {
    let mut all = Vec::new();
    let tokens = scan(bytes, |start, end| {
        let is_read = std::str::from_utf8(&bytes[start..end])
            .ok()
            .and_then(word_of)
            .is_some_and(|(word, _)| {
                matches!(word, "include" | "define" | "undef" | "pragma" | "error")
            });
        if is_read {
            all.push((start, end));
        }
    });
    if all.is_empty() {
        return all;
    }
    // Whether each bracket around is that of a list.
    let mut open: Vec<bool> = Vec::new();
    let mut next = 0;
    all.retain(|(start, _)| {
        while tokens.get(next).is_some_and(|it| it.start < *start) {
            match tokens[next].kind {
                TokenKind::Sign(b'(' | b'[') => open.push(true),
                TokenKind::Sign(b'{') => {
                    open.push(opens_list(
                        bytes,
                        &tokens[..next],
                        open.last() == Some(&true),
                    ));
                }
                TokenKind::Sign(b')' | b']' | b'}') => drop(open.pop()),
                _ => {}
            }
            next += 1;
        }
        open.last() == Some(&true)
    });
    all
}

/// Whether a brace behind tokens opens a list: that of `int all[] = {` or `enum Mode {`, or one in another list.
fn opens_list(bytes: &[u8], before: &[Token], is_in_list: bool) -> bool {
    let text = |back: usize| {
        let at = before.len().checked_sub(back)?;
        Some(&bytes[before[at].start..before[at].end])
    };
    let sign = |back: usize| match before.len().checked_sub(back).map(|at| before[at].kind) {
        Some(TokenKind::Sign(sign)) => sign,
        _ => 0,
    };
    let is_enum = |back: usize| {
        text(back) == Some(b"enum")
            || matches!(text(back), Some(b"class" | b"struct")) && text(back + 1) == Some(b"enum")
    };
    sign(1) == b'='
        || is_enum(1)
        || is_enum(2)
        || sign(2) == b':' && is_enum(4)
        || is_in_list && matches!(sign(1), b',' | b'{')
}

/// Returns a source of the same length that holds these directives alone.
pub(super) fn alone(source: &str, directives: &[(usize, usize)]) -> String {
    let mut bytes: Vec<u8> = source.bytes().map(blanked).collect();
    for (start, end) in directives {
        bytes[*start..*end].copy_from_slice(&source.as_bytes()[*start..*end]);
    }
    String::from_utf8(bytes).unwrap_or_default()
}

fn blanked(byte: u8) -> u8 {
    if matches!(byte, b'\n' | b'\r') {
        byte
    } else {
        b' '
    }
}

#[cfg(test)]
mod tests {
    use super::{alone, listed_directives};

    #[test]
    fn finds_directives_in_lists() {
        let source = "#define A 1\nenum op {\n#define OP(x) x,\n#include \"ops.h\"\n};\n\
                      int f(void) {\n#undef A\n  int a[] = { {\n#include \"a.h\"\n } };\n}\n";
        let found = listed_directives(source.as_bytes());
        let texts: Vec<&str> = found.iter().map(|it| source[it.0..it.1].trim()).collect();
        assert_eq!(
            texts,
            ["#define OP(x) x,", "#include \"ops.h\"", "#include \"a.h\""]
        );
        let alone = alone(source, &found);
        assert_eq!(alone.len(), source.len());
        assert_eq!(alone.split_whitespace().next(), Some("#define"), "{alone}");
    }
}
