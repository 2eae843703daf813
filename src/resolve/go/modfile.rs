//! The directives of `go.mod` and `go.work` that decide where imports lead: `module` and `replace` with a local path.

use std::fmt::Write as _;

/// Directives of one file that are kept.
const MAX_DIRECTIVES: usize = 10_000;

/// The statements of a `go.mod` about import paths.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ModFile {
    /// The path of the module.
    pub(super) module: Option<String>,
    /// Paths of modules with the directories that stand for them, relative to the file's own: `replace a => ./b`.
    pub(super) replaced: Vec<(String, String)>,
}

impl ModFile {
    /// Reads a file; lines that say something else are passed over.
    pub(super) fn read(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes);
        let mut read = Self::default();
        let mut block = "";
        for line in text.lines() {
            let line = line.split("//").next().unwrap_or_default();
            let words: Vec<&str> = line.split_whitespace().take(8).collect();
            match words.as_slice() {
                [")"] => block = "",
                [verb, "("] => block = verb,
                [verb, rest @ ..] if block.is_empty() => read.directive(verb, rest),
                words => read.directive(block, words),
            }
        }
        read
    }

    fn directive(&mut self, verb: &str, words: &[&str]) {
        match (verb, words) {
            ("module", [path, ..]) => {
                self.module.get_or_insert_with(|| unquoted(path).to_owned());
            }
            ("replace", [from, "=>", to, ..] | [from, _, "=>", to, ..]) => {
                let to = unquoted(to);
                let is_local =
                    to.starts_with("./") || to.starts_with("../") || to == "." || to == "..";
                if is_local && self.replaced.len() < MAX_DIRECTIVES {
                    self.replaced
                        .push((unquoted(from).to_owned(), to.to_owned()));
                }
            }
            _ => {}
        }
    }

    /// Writes what was read: a file that says the same.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut text = String::new();
        if let Some(module) = &self.module {
            let _ = writeln!(text, "module {module}");
        }
        for (from, to) in &self.replaced {
            let _ = writeln!(text, "replace {from} => {to}");
        }
        text.into_bytes()
    }
}

fn unquoted(word: &str) -> &str {
    word.trim_matches(['"', '`'])
}

#[cfg(test)]
mod tests {
    use super::ModFile;

    #[test]
    fn blocks_comments_and_quotes_are_read() {
        let read = ModFile::read(
            b"// x\nmodule \"example.com/a\" // the module\n\ngo 1.24\nrequire (\n\tb v1 // indirect\n)\n\
              replace (\n\tb v1.2.0 => ./b\n\tc => example.com/c v2\n)\nreplace d => ../d\n",
        );
        assert_eq!(read.module.as_deref(), Some("example.com/a"));
        let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        assert_eq!(read.replaced, [pair("b", "./b"), pair("d", "../d")]);
        assert_eq!(ModFile::read(&read.to_bytes()), read);
        assert_eq!(
            ModFile::read(b"\xff(\nmodule\nreplace =>\n)"),
            ModFile::default()
        );
    }
}
