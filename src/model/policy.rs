//! What of a file is left out of an index, judged by its name and its bytes.
//!
//! Refuses to know ignore rules, which are git's, and attributes, which the caller looks up.

use super::{RepoPath, SkipReason};

/// The largest file that is read, in bytes.
pub const MAX_FILE_BYTES: u64 = 2 << 20;

/// How much of a generated file's text is indexed, in bytes.
pub const GENERATED_TEXT_BYTES: usize = 64 << 10;

/// How much of a minified file's text is indexed, in bytes.
pub const MINIFIED_TEXT_BYTES: usize = 8 << 10;

/// The version of the rules on this page; another one means that every file is judged again.
pub const POLICY_VERSION: u32 = 2;

/// What a repository may say of which of its files are indexed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Membership {
    /// Patterns as in `.gitignore`, from the root: what matches is not indexed. A `.codelensignore` outweighs them.
    pub exclude: Vec<String>,
    /// The largest file that is indexed, in bytes; at most [`MAX_FILE_BYTES`].
    pub max_file_bytes: u64,
}

impl Default for Membership {
    fn default() -> Self {
        Self {
            exclude: Vec::new(),
            max_file_bytes: MAX_FILE_BYTES,
        }
    }
}

/// How far into a file a NUL byte makes it binary.
const BINARY_PROBE_BYTES: usize = 8 << 10;

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
            ".netrc" | "_netrc" | ".pgpass" | ".htpasswd" | ".git-credentials" | ".dockercfg"
        )
        || (["id_rsa", "id_dsa", "id_ecdsa", "id_ed25519"].contains(&name.as_str()))
        || (name == "credentials" && path.directory().rsplit('/').next() == Some(".aws"))
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

/// Returns what to leave out of a file that was read, and why; `None` for a whole one. `marked` says
/// that an attribute calls it generated, `is_prose` that long lines are usual in its language.
pub fn judge(path: &RepoPath, bytes: &[u8], marked: bool, is_prose: bool) -> Option<SkipReason> {
    if bytes[..bytes.len().min(BINARY_PROBE_BYTES)].contains(&0) {
        return Some(SkipReason::Binary);
    }
    if holds_private_key(bytes) {
        return Some(SkipReason::Secret);
    }
    if is_lock_file(path) {
        return Some(SkipReason::LockFile);
    }
    if !is_prose && is_minified(bytes) {
        return Some(SkipReason::Minified);
    }
    (marked || says_generated(bytes)).then_some(SkipReason::Generated)
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
fn is_minified(bytes: &[u8]) -> bool {
    if bytes.len() < 2 * LONG_LINE_BYTES {
        return false;
    }
    let in_long_lines: usize = bytes
        .split(|b| *b == b'\n')
        .map(<[u8]>::len)
        .filter(|n| *n > LONG_LINE_BYTES)
        .sum();
    in_long_lines * 2 >= bytes.len()
}

/// Returns whether one of the first lines says so in one of the customary ways.
fn says_generated(bytes: &[u8]) -> bool {
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
    use super::{is_secret_name, judge};
    use crate::model::{RepoPath, SkipReason};

    fn judged(path: &str, bytes: &[u8]) -> Option<SkipReason> {
        judge(&RepoPath::new(path).unwrap(), bytes, false, false)
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
        ] {
            assert!(secret(path), "{path}");
        }
        for path in [
            "src/env.ts",
            "id_rsa.pub",
            "keys.ts",
            "credentials.ts",
            "a/monkey",
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
    fn one_long_line_among_many_short_ones_is_code() {
        let text = format!("{}\n{}", "short();\n".repeat(1_000), "x".repeat(3_000));
        assert_eq!(judged("a.js", text.as_bytes()), None);
    }
}
