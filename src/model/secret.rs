//! Keys and tokens that stand in a text: where they are, by the forms that their issuers gave them.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, Input, MatchKind};

/// A form: how it begins, which bytes follow, and how many of them.
struct SecretForm {
    prefix: &'static [u8],
    goes_on: fn(u8) -> bool,
    n_bytes: Range<usize>,
}

const fn exactly(prefix: &'static [u8], goes_on: fn(u8) -> bool, n: usize) -> SecretForm {
    let n_bytes = n..n + 1;
    SecretForm {
        prefix,
        goes_on,
        n_bytes,
    }
}

const fn at_least(prefix: &'static [u8], goes_on: fn(u8) -> bool, n: usize) -> SecretForm {
    let n_bytes = n..MAX_TOKEN_BYTES;
    SecretForm {
        prefix,
        goes_on,
        n_bytes,
    }
}

/// The longest token.
const MAX_TOKEN_BYTES: usize = 4 << 10;

const FORMS: &[SecretForm] = &[
    exactly(b"AKIA", is_capital, 16),
    exactly(b"ASIA", is_capital, 16),
    exactly(b"AIza", is_url_safe, 35),
    exactly(b"ghp_", is_letter_or_digit, 36),
    exactly(b"gho_", is_letter_or_digit, 36),
    exactly(b"ghu_", is_letter_or_digit, 36),
    exactly(b"ghs_", is_letter_or_digit, 36),
    exactly(b"ghr_", is_letter_or_digit, 36),
    exactly(b"npm_", is_letter_or_digit, 36),
    at_least(b"github_pat_", is_url_safe, 22),
    at_least(b"glpat-", is_url_safe, 20),
    at_least(b"xoxb-", is_url_safe, 20),
    at_least(b"xoxp-", is_url_safe, 20),
    at_least(b"xoxa-", is_url_safe, 20),
    at_least(b"xoxr-", is_url_safe, 20),
    at_least(b"xoxs-", is_url_safe, 20),
    at_least(b"sk_live_", is_letter_or_digit, 20),
    at_least(b"rk_live_", is_letter_or_digit, 20),
    at_least(b"sk-ant-", is_url_safe, 32),
    at_least(b"sk-proj-", is_url_safe, 32),
    at_least(b"eyJ", is_part_of_jwt, 60),
];

const KEY_BEGIN: &[u8] = b"-----BEGIN ";
const KEY_END: &[u8] = b"-----END ";

/// The beginnings of all kinds of secrets.
static BEGINNINGS: LazyLock<AhoCorasick> = LazyLock::new(|| {
    let prefixes = FORMS.iter().map(|form| form.prefix);
    AhoCorasick::builder()
        .match_kind(MatchKind::LeftmostFirst)
        .build(prefixes.chain([KEY_BEGIN]))
        .expect("a few short prefixes can be looked for")
});

/// Returns where the secrets of a text are, in order: of a token the part after the prefix, of a private key the text
/// between its first and its last line. Costs about 0.2 ns a byte.
pub fn find(text: &[u8]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(begin) = BEGINNINGS.find(Input::new(text).range(from..)) {
        let at = begin.start();
        from = at + 1;
        if let Some(secret) = secret_at(text, at) {
            from = from.max(secret.end);
            if !secret.is_empty() {
                found.push(secret);
            }
        }
    }
    found
}

fn secret_at(text: &[u8], at: usize) -> Option<Range<usize>> {
    if text[at] == b'-' {
        return key_at(text, at);
    }
    let is_word_begin = at == 0 || !is_url_safe(text[at - 1]);
    is_word_begin.then(|| token_at(text, at))?
}

/// Writes asterisks over the secrets of a text, line ends kept, so that every place in it stays. Returns how many
/// there were.
pub fn mask(text: String) -> (String, usize) {
    let found = find(text.as_bytes());
    if found.is_empty() {
        return (text, 0);
    }
    let n = found.len();
    let mut bytes = text.into_bytes();
    for secret in found {
        for byte in &mut bytes[secret] {
            if !matches!(byte, b'\n' | b'\r') {
                *byte = b'*';
            }
        }
    }
    // Whole characters were replaced, since a secret ends at ASCII.
    let text = String::from_utf8(bytes)
        .unwrap_or_else(|broken| String::from_utf8_lossy(broken.as_bytes()).into_owned());
    (text, n)
}

fn token_at(text: &[u8], at: usize) -> Option<Range<usize>> {
    let rest = &text[at..];
    let form = FORMS.iter().find(|form| rest.starts_with(form.prefix))?;
    let from = form.prefix.len();
    let n = rest[from..]
        .iter()
        .take(MAX_TOKEN_BYTES)
        .take_while(|byte| (form.goes_on)(**byte))
        .count();
    let is_word_end = rest
        .get(from + n)
        .is_none_or(|byte| !is_letter_or_digit(*byte));
    let is_jwt = form.prefix != b"eyJ" || rest[..from + n].split(|b| *b == b'.').count() == 3;
    (form.n_bytes.contains(&n) && is_word_end && is_jwt).then(|| at + from..at + from + n)
}

fn key_at(text: &[u8], at: usize) -> Option<Range<usize>> {
    let rest = &text[at..];
    if !rest.starts_with(KEY_BEGIN) {
        return None;
    }
    let head = &rest[..rest.len().min(80)];
    let name = position(head, b"PRIVATE KEY")?;
    let from = name + position(&head[name..], b"-----")? + 5;
    // A key is a few kilobytes; one that does not end is none.
    let body = &rest[from..rest.len().min(from + (32 << 10))];
    let n = position(body, KEY_END)?;
    Some(at + from..at + from + n)
}

fn position(text: &[u8], what: &[u8]) -> Option<usize> {
    text.windows(what.len()).position(|window| window == what)
}

fn is_letter_or_digit(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
}

fn is_capital(byte: u8) -> bool {
    byte.is_ascii_uppercase() || byte.is_ascii_digit()
}

fn is_url_safe(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

fn is_part_of_jwt(byte: u8) -> bool {
    is_url_safe(byte) || byte == b'.'
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use super::{FORMS, KEY_BEGIN, find, mask, secret_at};

    #[test]
    fn what_is_found_is_what_a_look_at_every_place_finds() {
        let long = "a1B2".repeat(16);
        let others = [
            &long[..16],
            &long[..36],
            &long,
            "-",
            ".",
            " ",
            "_",
            "é",
            "PRIVATE KEY-----",
            "-----END ",
            "\n",
            "x",
        ];
        let forms = FORMS.iter().map(|form| form.prefix).chain([KEY_BEGIN]);
        let mut pieces: Vec<&[u8]> = forms.collect();
        pieces.extend(others.map(str::as_bytes));
        let mut random = 1_u64;
        let mut n_found = 0;
        for _ in 0..20_000 {
            let mut text = Vec::new();
            for _ in 0..8 {
                random = random
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                text.extend(pieces[(random >> 33) as usize % pieces.len()]);
            }
            let mut wanted: Vec<Range<usize>> = Vec::new();
            let mut at = 0;
            while at < text.len() {
                let secret = secret_at(&text, at);
                at = secret
                    .as_ref()
                    .map_or(at + 1, |secret| secret.end.max(at + 1));
                wanted.extend(secret.filter(|secret| !secret.is_empty()));
            }
            n_found += wanted.len();
            assert_eq!(find(&text), wanted, "{}", String::from_utf8_lossy(&text));
        }
        assert!(n_found > 1_000);
    }

    fn masked(text: &str) -> (String, usize) {
        let (out, n) = mask(text.to_owned());
        assert_eq!(out.len(), text.len());
        (out, n)
    }

    #[test]
    fn tokens_of_known_forms_are_masked_in_their_place() {
        let rest = "a1B2".repeat(9);
        for prefix in [
            "ghp_",
            "npm_",
            "glpat-",
            "xoxb-",
            "sk_live_",
            "github_pat_",
            "sk-ant-",
        ] {
            let (out, n) = masked(&format!("const t = '{prefix}{rest}';\n"));
            assert_eq!(
                (out, n),
                (format!("const t = '{prefix}{}';\n", "*".repeat(36)), 1)
            );
        }
        assert_eq!(
            masked("key=AKIAIOSFODNN7EXAMPLE").0,
            "key=AKIA****************"
        );
        let jwt = format!("eyJ{0}.eyJ{0}.{0}", "hbGciOiJIUzI1NiJ9abcdefg");
        assert_eq!(masked(&jwt).1, 1);
    }

    #[test]
    fn a_private_key_loses_its_body() {
        let text =
            "const k = `-----BEGIN EC PRIVATE KEY-----\nMHcé\nAgEB\n-----END EC PRIVATE KEY-----`";
        assert_eq!(
            masked(text).0,
            "const k = `-----BEGIN EC PRIVATE KEY-----\n*****\n****\n-----END EC PRIVATE KEY-----`"
        );
        // Without an end, and certificates, are no keys.
        assert_eq!(masked("-----BEGIN PRIVATE KEY-----\nabc").1, 0);
        assert_eq!(
            masked("-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----").1,
            0
        );
    }

    #[test]
    fn words_that_only_look_alike_stay() {
        for text in [
            "ghp_short",
            "AKIA",
            "const npm_config_registry = 1",
            "sk_live_",
            "MAKIAIOSFODNN7EXAMPLE",
            "AKIAIOSFODNN7EXAMPLEX1",
            "eyJhbGciOiJIUzI1NiJ9 is a header",
            "xoxb-1",
            "--------",
        ] {
            assert_eq!(masked(text), (text.to_owned(), 0));
        }
    }
}
