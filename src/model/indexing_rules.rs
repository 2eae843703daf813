//! Which files, and which parts of them, are left out of an index, judged by name and bytes.

use super::{RepoPath, SkipReason};

/// The largest file that is read, in bytes.
pub const MAX_FILE_BYTES: u64 = 2 << 20;

/// How much of a generated file's text is indexed, in bytes.
pub const GENERATED_TEXT_BYTES: usize = 64 << 10;

/// How much of a minified file's text is indexed, in bytes.
pub const MINIFIED_TEXT_BYTES: usize = 8 << 10;

/// The version of the rules on this page; another one means that every file is judged again.
pub const POLICY_VERSION: u32 = 5;

/// A repository's own rules for which of its files are indexed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexingRules {
    /// Patterns as in `.gitignore`, from the root, for files that are not indexed. A `.codelensignore` outweighs them.
    pub exclude: Vec<String>,
    /// The largest file that is indexed, in bytes; at most [`MAX_FILE_BYTES`].
    pub max_file_bytes: u64,
}

impl Default for IndexingRules {
    fn default() -> Self {
        Self {
            exclude: Vec::new(),
            max_file_bytes: MAX_FILE_BYTES,
        }
    }
}

/// How far into a file a NUL byte makes it binary.
const BINARY_PROBE_BYTES: usize = 8 << 10;

/// As how many bytes a longer identifier counts.
const LONG_WORD_BYTES: usize = 200;

/// A line longer than this is not written by hand.
const LONG_LINE_BYTES: usize = 1_000;

/// Returns whether the name alone says that the content is a secret: such a file is never read.
pub fn is_secret_name(path: &RepoPath) -> bool {
    let name = path.file_name().to_ascii_lowercase();
    let ends = |suffixes: &[&str]| suffixes.iter().any(|suffix| name.ends_with(suffix));
    name.starts_with(".env")
        || ends(&[
            ".pem",
            ".key",
            ".p12",
            ".pfx",
            ".jks",
            ".keystore",
            ".ppk",
            ".kdbx",
            ".asc.key",
        ])
        || matches!(
            name.as_str(),
            ".netrc"
                | "_netrc"
                | ".pgpass"
                | ".htpasswd"
                | ".git-credentials"
                | ".dockercfg"
                | ".pypirc"
                | ".s3cfg"
                | ".vault-token"
        )
        || (["id_rsa", "id_dsa", "id_ecdsa", "id_ed25519"].contains(&name.as_str()))
        || matches!(
            (
                path.directory().rsplit('/').next().unwrap_or_default(),
                name.as_str()
            ),
            (".aws" | ".cargo" | ".gem", "credentials")
                | (".cargo", "credentials.toml")
                | (".docker", "config.json")
                | (".kube", "config")
        )
}

/// Returns whether the file configures a package manager, and gives it a password or token that is written out. Where it
/// names a variable instead, the file is configuration like any other.
fn holds_credentials(path: &RepoPath, bytes: &[u8]) -> bool {
    let is_meant = matches!(
        path.file_name(),
        ".npmrc" | "npmrc" | ".yarnrc" | ".yarnrc.yml" | "pip.conf" | "pip.ini" | "bunfig.toml"
    );
    is_meant && bytes.split(|byte| *byte == b'\n').any(is_credential)
}

/// Returns whether a line of settings gives a password or token, or an address with a password in it.
fn is_credential(line: &[u8]) -> bool {
    let line = String::from_utf8_lossy(line);
    let line = line.trim();
    if line.starts_with(['#', ';']) {
        return false;
    }
    let is_written_out = |value: &str| !value.is_empty() && !value.starts_with('$');
    let in_address = line.split("://").skip(1).any(|rest| {
        let place = rest.split(['/', ' ', '"', '\'']).next().unwrap_or_default();
        let person = place.rsplit_once('@').map_or("", |(person, _)| person);
        is_written_out(person.split_once(':').map_or("", |(_, password)| password))
    });
    // `//host/:_authToken=…`, `_password = …`, `npmAuthToken: "…"`.
    let setting = line.split_once('=').or_else(|| line.split_once(": "));
    let is_setting = setting.is_some_and(|(name, value)| {
        let name = name.trim().trim_matches(['"', '\'']).to_ascii_lowercase();
        let is_secret = ["token", "_auth", "authident", "password"].iter();
        is_secret.into_iter().any(|end| name.ends_with(end))
            && is_written_out(value.trim().trim_matches(['"', '\'', ',']))
    });
    in_address || is_setting
}

/// Returns whether the file is written by a package manager to pin versions.
pub fn is_lock_file(path: &RepoPath) -> bool {
    matches!(
        path.file_name(),
        "package-lock.json"
            | "npm-shrinkwrap.json"
            | "yarn.lock"
            | "pnpm-lock.yaml"
            | "bun.lock"
            | "bun.lockb"
            | "deno.lock"
            | "Cargo.lock"
            | "composer.lock"
            | "Gemfile.lock"
            | "poetry.lock"
            | "uv.lock"
            | "Pipfile.lock"
            | "go.sum"
            | "flake.lock"
    )
}

/// Returns the reason for leaving a file out or reducing it; `None` for a file that is indexed whole. `has_generated_attribute` says
/// that an attribute marks it as generated, `is_prose` that long lines are usual in its language.
pub fn skip_reason(
    path: &RepoPath,
    bytes: &[u8],
    has_generated_attribute: bool,
    is_prose: bool,
) -> Option<SkipReason> {
    if bytes[..bytes.len().min(BINARY_PROBE_BYTES)].contains(&0) {
        return Some(SkipReason::Binary);
    }
    if holds_private_key(bytes) || holds_credentials(path, bytes) {
        return Some(SkipReason::Secret);
    }
    if is_lock_file(path) {
        return Some(SkipReason::LockFile);
    }
    if !is_prose && is_minified(bytes) {
        return Some(SkipReason::Minified);
    }
    (has_generated_attribute || has_generated_notice(bytes)).then_some(SkipReason::Generated)
}

/// Returns whether the file begins as a private key does (a test or a document that quotes one further
/// down is code).
fn holds_private_key(bytes: &[u8]) -> bool {
    let head = bytes.trim_ascii_start();
    let first = head.split(|b| *b == b'\n').next().unwrap_or_default();
    first.starts_with(b"-----BEGIN ") && find(first, b"PRIVATE KEY")
        || first.starts_with(b"PuTTY-User-Key-File")
}

/// Returns whether most of the bytes stand in very long lines.
pub fn is_minified(bytes: &[u8]) -> bool {
    if bytes.len() < 2 * LONG_LINE_BYTES {
        return false;
    }
    let in_long_lines: usize = bytes
        .split(|b| *b == b'\n')
        .filter(|line| line.len() > LONG_LINE_BYTES)
        .map(len_without_long_words)
        .filter(|n| *n > LONG_LINE_BYTES)
        .sum();
    in_long_lines * 2 >= bytes.len()
}

/// Returns the length of a line in which an identifier counts as [`LONG_WORD_BYTES`] at most: minified code is long by many
/// short names, not by one long name. A word in quotes is data and counts in full.
fn len_without_long_words(line: &[u8]) -> usize {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$');
    let mut n = 0;
    let mut before = b' ';
    for run in line.chunk_by(|a, b| is_word(a) == is_word(b)) {
        let is_name = is_word(&run[0]) && !matches!(before, b'"' | b'\'' | b'`');
        n += if is_name {
            run.len().min(LONG_WORD_BYTES)
        } else {
            run.len()
        };
        before = *run.last().unwrap_or(&b' ');
    }
    n
}

/// Returns whether one of the first lines says so in one of the customary ways.
fn has_generated_notice(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(1_024)];
    head.split(|b| *b == b'\n').take(8).any(|line| {
        let line = line.trim_ascii_start();
        let is_comment = [b"//".as_slice(), b"/*", b"*", b"#", b"<!--", b"--"]
            .iter()
            .any(|mark| line.starts_with(mark));
        is_comment
            && (find(line, b"@generated")
                || find(line, b"DO NOT EDIT")
                || find(line, b"auto-generated")
                || find(line, b"Auto-generated")
                || find(line, b"automatically generated"))
    })
}

fn find(haystack: &[u8], needle: &[u8]) -> bool {
    haystack
        .windows(needle.len())
        .any(|window| window == needle)
}

#[cfg(test)]
mod tests {
    use super::{is_secret_name, skip_reason};
    use crate::model::{RepoPath, SkipReason};

    fn judged(path: &str, bytes: &[u8]) -> Option<SkipReason> {
        skip_reason(&RepoPath::new(path).unwrap(), bytes, false, false)
    }

    #[test]
    fn secrets_are_known_by_their_names() {
        let secret = |path| is_secret_name(&RepoPath::new(path).unwrap());
        for path in [
            ".env",
            "a/.env.local",
            "k/server.pem",
            "id_rsa",
            ".aws/credentials",
            "home/.pypirc",
            ".cargo/credentials.toml",
            ".docker/config.json",
        ] {
            assert!(secret(path), "{path}");
        }
        for path in [
            "src/env.ts",
            "id_rsa.pub",
            "keys.ts",
            "credentials.ts",
            "a/monkey",
            ".npmrc",
            "docker/config.json",
            ".cargo/config.toml",
        ] {
            assert!(!secret(path), "{path}");
        }
    }

    #[test]
    fn bytes_tell_what_is_left_out() {
        assert_eq!(judged("a.ts", b"const a = 1\n"), None);
        assert_eq!(judged("a.ts", b"a\0b"), Some(SkipReason::Binary));
        assert_eq!(
            judged("key", b"-----BEGIN RSA PRIVATE KEY-----\nMII"),
            Some(SkipReason::Secret)
        );
        assert_eq!(judged("yarn.lock", b"# x"), Some(SkipReason::LockFile));
        assert_eq!(
            judged("a.js", "x=1;".repeat(2_000).as_bytes()),
            Some(SkipReason::Minified)
        );
        let word = "a".repeat(100_000);
        let named = format!("const {word} = 1;\nexport function after() {{}}\n");
        assert_eq!(judged("a.ts", named.as_bytes()), None, "one long name");
        let data = format!("export default \"{word}\";\n");
        assert_eq!(judged("a.ts", data.as_bytes()), Some(SkipReason::Minified));
        assert_eq!(
            judged(
                "a.ts",
                b"/* eslint-disable */\n// @generated by x\nexport {}"
            ),
            Some(SkipReason::Generated)
        );
        assert_eq!(judged("a.ts", b"const s = '@generated'\n"), None);
    }

    #[test]
    fn settings_with_a_password_in_them_are_secrets() {
        for (path, text) in [
            (".npmrc", "//registry.example.org/:_authToken=0a1b-2c3d\n"),
            ("a/.npmrc", "save-exact=true\r\n_auth = dXNlcjpwYXNz\r\n"),
            (".npmrc", "//r.example.org/:_password=\"c2VjcmV0\"\n"),
            (
                ".yarnrc.yml",
                "npmScopes:\n  a:\n    npmAuthToken: \"abc\"\n",
            ),
            (
                "pip.conf",
                "[global]\nindex-url = https://me:word@example.org/simple\n",
            ),
        ] {
            assert_eq!(
                judged(path, text.as_bytes()),
                Some(SkipReason::Secret),
                "{text}"
            );
        }
        for (path, text) in [
            (
                ".npmrc",
                "//registry.example.org/:_authToken=${NPM_TOKEN}\n",
            ),
            (
                ".npmrc",
                "# _authToken=abc\n_auth=\nregistry=https://example.org/\nalways-auth=true\n",
            ),
            (
                ".yarnrc.yml",
                "npmAuthToken: \"${TOKEN:-}\"\nnodeLinker: node-modules\n",
            ),
            (
                "pip.conf",
                "index-url = https://${USER}:${WORD}@example.org/\nmail = a@example.org\n",
            ),
            ("a.ini", "password = abc\n"),
        ] {
            assert_eq!(judged(path, text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn one_long_line_among_many_short_ones_is_code() {
        let text = format!("{}\n{}", "short();\n".repeat(1_000), "x".repeat(3_000));
        assert_eq!(judged("a.js", text.as_bytes()), None);
    }
}
