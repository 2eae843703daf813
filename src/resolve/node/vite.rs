//! Aliases that a `vite.config.*` or `vitest.config.*` writes out.
//!
//! Knows `alias: { name: path }` and `alias: [{ find, replacement }]` where names are texts and paths are texts,
//! alone or in the usual calls (`path.resolve(__dirname, 'src')`, `fileURLToPath(new URL('./src', import.meta.url))`).

use super::files::SourceFiles;
use super::paths::{join, parent};

/// Names that may stand around the texts of a path without a meaning of their own here: the
/// directory that they stand for is that of the configuration.
const PATH_WORDS: [&str; 15] = [
    "path",
    "resolve",
    "join",
    "dirname",
    "__dirname",
    "normalize",
    "normalizePath",
    "new",
    "URL",
    "fileURLToPath",
    "pathname",
    "import",
    "meta",
    "url",
    "process",
];

/// The aliases of one configuration, in the order they are written.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Aliases {
    dir: String,
    paths: Vec<(String, String)>,
}

impl Aliases {
    /// Reads the aliases of the configuration at `path`; `None` where it is none, or writes out none.
    pub(super) fn read(files: &dyn SourceFiles, path: &str) -> Option<Self> {
        if !is_vite_config(path.rsplit('/').next().unwrap_or(path)) {
            return None;
        }
        let bytes = files.read_config(path)?;
        let dir = parent(path);
        match serde_json::from_slice::<Vec<(String, String)>>(&bytes) {
            Ok(paths) => (!paths.is_empty()).then(|| Self {
                dir: dir.to_owned(),
                paths,
            }),
            Err(_) => Self::parse(dir, &String::from_utf8_lossy(&bytes)),
        }
    }

    /// Returns the aliases that are written out in a text, as pairs of name and path.
    pub(super) fn listed_in(dir: &str, text: &str) -> Vec<(String, String)> {
        Self::parse(dir, text).map_or_else(Vec::new, |found| found.paths)
    }

    /// Returns aliases for the files below `dir`.
    pub(super) fn of(dir: &str, paths: Vec<(String, String)>) -> Self {
        let dir = dir.to_owned();
        Self { dir, paths }
    }

    /// Returns the aliases of the configuration at `path`, in a form that [`Self::read`] understands as well: its
    /// other options have no part in resolving.
    pub(super) fn kept(path: &str, bytes: &[u8]) -> Vec<u8> {
        let found = Self::parse(parent(path), &String::from_utf8_lossy(bytes));
        let paths = found.map_or_else(Vec::new, |found| found.paths);
        serde_json::to_vec(&paths).expect("pairs of texts can be written")
    }

    fn parse(dir: &str, text: &str) -> Option<Self> {
        let tokens = tokens(text);
        let mut paths = Vec::new();
        for at in 0..tokens.len() {
            let key = tokens[at].is_name("alias")
                && tokens.get(at + 1) == Some(&ViteToken::Punctuation(':'));
            match tokens.get(at + 2) {
                Some(ViteToken::Punctuation('{')) if key => {
                    for (name, value) in members(&tokens, at + 2) {
                        paths.extend(path_of(dir, value).map(|path| (name, path)));
                    }
                }
                Some(ViteToken::Punctuation('[')) if key => {
                    paths.extend(listed(dir, &tokens, at + 2));
                }
                _ => {}
            }
        }
        let dir = dir.to_owned();
        (!paths.is_empty()).then_some(Self { dir, paths })
    }

    /// Returns the directory of the configuration: it holds for the files below.
    pub(super) fn dir(&self) -> &str {
        &self.dir
    }

    /// Returns the paths that `name` may stand for.
    pub(super) fn paths(&self, name: &str) -> impl Iterator<Item = String> {
        self.paths.iter().filter_map(move |(alias, path)| {
            let rest = name.strip_prefix(alias.as_str())?;
            let whole = rest.is_empty() || rest.starts_with('/') || alias.ends_with('/');
            whole.then(|| join(path, rest))?
        })
    }
}

/// Returns whether a file of this name configures Vite.
pub(super) fn is_vite_config(name: &str) -> bool {
    ["vite.config.", "vitest.config."].iter().any(|start| {
        let rest = name.strip_prefix(start);
        rest.is_some_and(|rest| matches!(rest, "js" | "ts" | "mjs" | "mts" | "cjs" | "cts"))
    })
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum ViteToken {
    Name(String),
    Text(String),
    Punctuation(char),
    /// A regular expression, or a template with a hole.
    Other,
}

impl ViteToken {
    pub(super) fn is_name(&self, word: &str) -> bool {
        matches!(self, Self::Name(name) if name == word)
    }

    fn depth(&self) -> i32 {
        match self {
            Self::Punctuation('{' | '[' | '(') => 1,
            Self::Punctuation('}' | ']' | ')') => -1,
            _ => 0,
        }
    }
}

/// Returns the entries `name: value` of the object that opens at `open`.
pub(super) fn members(tokens: &[ViteToken], open: usize) -> Vec<(String, &[ViteToken])> {
    let parts = parts(tokens, open).into_iter();
    let entry = |part: &'_ [ViteToken]| match part {
        [
            ViteToken::Name(name) | ViteToken::Text(name),
            ViteToken::Punctuation(':'),
            ..,
        ] => Some(name.clone()),
        _ => None,
    };
    parts
        .filter_map(|part| Some((entry(part)?, &part[2..])))
        .collect()
}

/// Returns the aliases of the list that opens at `open`.
fn listed(dir: &str, tokens: &[ViteToken], open: usize) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for part in parts(tokens, open) {
        if part.first() != Some(&ViteToken::Punctuation('{')) {
            continue;
        }
        let members = members(part, 0);
        let value = |word| {
            members
                .iter()
                .find(|(name, _)| name == word)
                .map(|(_, value)| *value)
        };
        if let (Some([ViteToken::Text(find)]), Some(to)) = (value("find"), value("replacement")) {
            found.extend(path_of(dir, to).map(|path| (find.clone(), path)));
        }
    }
    found
}

/// Returns the parts between the commas of the bracket that opens at `open`.
pub(super) fn parts(tokens: &[ViteToken], open: usize) -> Vec<&[ViteToken]> {
    let mut parts = Vec::new();
    let (mut depth, mut start) = (0, open + 1);
    for (at, token) in tokens.iter().enumerate().skip(open) {
        depth += token.depth();
        let closed = depth == 0;
        if closed || (depth == 1 && *token == ViteToken::Punctuation(',')) {
            parts.push(&tokens[start..at]);
            start = at + 1;
        }
        if closed {
            break;
        }
    }
    parts
}

/// Returns the path that an expression names, seen from `dir`; `None` where it is computed.
fn path_of(dir: &str, value: &[ViteToken]) -> Option<String> {
    let mut path = dir.to_owned();
    let mut texts = 0;
    for token in value {
        match token {
            ViteToken::Text(text) => {
                // A bare text is a package's name unless it says that it is a path.
                let is_path = value.len() > 1 || text.starts_with(['.', '/']);
                path = is_path.then(|| join(&path, text))??;
                texts += 1;
            }
            ViteToken::Name(name) if !PATH_WORDS.contains(&name.as_str()) => return None,
            ViteToken::Other | ViteToken::Punctuation('+' | '?' | '=') => return None,
            _ => {}
        }
    }
    (texts > 0).then_some(path)
}

/// Cuts `text` into tokens, comments left out. Broken text yields its readable tokens.
pub(super) fn tokens(text: &str) -> Vec<ViteToken> {
    let mut tokens: Vec<ViteToken> = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            _ if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            _ if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |at| at + 2),
            '"' | '\'' | '`' => {
                let length = quoted(rest, first);
                let inner = rest.get(1..length - 1).unwrap_or_default();
                let plain = !inner.contains("${") && !inner.contains('\\');
                tokens.push(if plain {
                    ViteToken::Text(inner.to_owned())
                } else {
                    ViteToken::Other
                });
                length
            }
            '/' if matches!(
                tokens.last(),
                Some(ViteToken::Punctuation(':' | ',' | '[' | '(' | '='))
            ) =>
            {
                tokens.push(ViteToken::Other);
                quoted(rest, '/')
            }
            _ if first.is_alphanumeric() || matches!(first, '_' | '$') => {
                let end = |c: char| !c.is_alphanumeric() && !matches!(c, '_' | '$');
                let length = rest.find(end).unwrap_or(rest.len());
                tokens.push(ViteToken::Name(rest[..length].to_owned()));
                length
            }
            _ => {
                if !first.is_whitespace() {
                    tokens.push(ViteToken::Punctuation(first));
                }
                first.len_utf8()
            }
        };
        rest = &rest[length..];
    }
    tokens
}

/// Returns the length of the string that begins with the sign `quote` and ends with the next one.
fn quoted(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        if c == quote && !escaped {
            return at + 1;
        }
        if c == '\n' && quote != '`' {
            return at;
        }
        escaped = c == '\\' && !escaped;
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::Aliases;

    fn paths(text: &str, name: &str) -> Vec<String> {
        let aliases = Aliases::parse("web", text);
        aliases.map_or_else(Vec::new, |aliases| aliases.paths(name).collect())
    }

    #[test]
    fn literal_aliases_are_read_in_both_forms() {
        let object = "export default { resolve: { alias: { // here\n
            '@': fileURLToPath(new URL('./src', import.meta.url)), '~/': `/lib/`,
            core: path.resolve(__dirname, '..', 'core', 'src'), react: 'preact', x: make('y') } } }";
        assert_eq!(paths(object, "@/a"), ["web/src/a"]);
        assert_eq!(paths(object, "~/a"), ["web/lib/a"]);
        assert_eq!(paths(object, "core"), ["core/src"]);
        assert!(paths(object, "@b").is_empty());
        assert!(paths(object, "react").is_empty());
        assert!(paths(object, "x").is_empty());
        let list =
            "alias: [{ find: /^'@/, replacement: './a' }, { find: 'b', replacement: './b' }]";
        assert_eq!(paths(list, "b/c"), ["web/b/c"]);
    }

    #[test]
    fn broken_text_yields_nothing() {
        for text in [
            "alias: {",
            "alias: { '@': '",
            "alias: [[[",
            "alias: /",
            "alias: { a: ) }",
            "'",
        ] {
            assert!(paths(text, "@/a").is_empty(), "{text}");
        }
    }
}
