//! Marks that count: tables `[[mark]]` in the file of the user, each a word for a file or directory of a repository.
//!
//! ```toml
//! [[mark]]
//! repo = "/home/ann/src/shop"
//! path = "src/api/client.ts"
//! word = "generated"
//! ```

use std::path::{Path, PathBuf};

use super::{file, file_path};
use crate::error::{Code, Error, Result};
use crate::model::{FileMark, MarkWord, RepoPath, sanitize};

/// The name of the tables.
pub(super) const TABLE: &str = "mark";

/// The most marks of a file.
const MAX_MARKS: usize = 500;

/// Returns the marks of the value of [`TABLE`], and the error for the first invalid one.
pub(super) fn read(value: toml::Value) -> (Vec<FileMark>, Option<Error>) {
    let wrong = |what: String| {
        let words = MarkWord::ALL.map(MarkWord::as_str).join(", ");
        Error::invalid(
            format!("a [[mark]] in codelens.toml {what}"),
            format!(
                "each has `repo` (the absolute path of the repository), `path` (a file or directory in it) and `word` ({words})"
            ),
        )
    };
    let toml::Value::Array(tables) = value else {
        return (Vec::new(), Some(wrong("is no table".to_owned())));
    };
    let mut marks = Vec::new();
    let mut first =
        (tables.len() > MAX_MARKS).then(|| wrong(format!("is one of more than {MAX_MARKS}")));
    for table in tables.into_iter().take(MAX_MARKS) {
        match one(&table) {
            Ok(mark) => marks.push(mark),
            Err(what) => first = first.or_else(|| Some(wrong(what))),
        }
    }
    (marks, first)
}

fn one(table: &toml::Value) -> std::result::Result<FileMark, String> {
    let fields = table.as_table().ok_or("is no table")?;
    if let Some(other) = fields.keys().find(|key| !FIELDS.contains(&key.as_str())) {
        let other = sanitize::escaped_start(other, 60);
        return Err(format!("has an unknown field `{other}`"));
    }
    let [repo, path, word] = FIELDS.map(|name| fields.get(name).and_then(toml::Value::as_str));
    let repo = PathBuf::from(repo.ok_or("has no `repo`")?);
    if !repo.is_absolute() {
        return Err("has a `repo` that is no absolute path".to_owned());
    }
    let path = path.ok_or("has no `path`")?;
    let path = RepoPath::normalise(path).filter(|path| !path.as_str().is_empty());
    let path = path.ok_or("has a `path` that is not inside a repository")?;
    let word = word.ok_or("has no `word`")?;
    let word = MarkWord::parse(word).ok_or("has a `word` that counts nowhere")?;
    Ok(FileMark {
        repo,
        path: path.to_string(),
        word,
    })
}

const FIELDS: [&str; 3] = ["repo", "path", "word"];

/// Adds marks to the file of the user, which is made where there is none; those that it has stay as they are. Returns those that
/// were added.
///
/// # Errors
/// `invalid_argument` for a file that is no TOML, or would have too many marks; `io` where it can't be written.
pub fn add(new: &[FileMark]) -> Result<Vec<FileMark>> {
    let path = file_path();
    let mut text = file::text(&path)?;
    let (settings, wrong) = file::parse(&text)?;
    if let Some(wrong) = wrong {
        return Err(wrong);
    }
    let mut marks = settings.marks;
    let mut added = Vec::new();
    for mark in new {
        if !marks.contains(mark) {
            text += &written(&text, mark);
            marks.push(mark.clone());
            added.push(mark.clone());
        }
    }
    // The file is read again as it would be: a table of another form above may swallow what follows.
    let (settings, wrong) = file::parse(&text)?;
    if let Some(wrong) = wrong {
        return Err(wrong);
    }
    debug_assert_eq!(settings.marks, marks);
    if !added.is_empty() {
        replace(&path, &text).map_err(|error| {
            Error::new(
                Code::Io,
                format!("codelens.toml cannot be written: {}", error.kind()),
                "`codelens config show` tells where it is",
            )
            .because(error)
        })?;
    }
    Ok(added)
}

fn written(before: &str, mark: &FileMark) -> String {
    let gap = match before {
        "" => "",
        text if text.ends_with('\n') => "\n",
        _ => "\n\n",
    };
    format!(
        "{gap}[[{TABLE}]]\nrepo = {}\npath = {}\nword = {}\n",
        quoted(&mark.repo.to_string_lossy()),
        quoted(&mark.path),
        quoted(mark.word.as_str())
    )
}

/// Returns a text as a basic string of TOML.
fn quoted(text: &str) -> String {
    let mut quoted = String::from('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => quoted.extend(format!("\\u{:04X}", u32::from(c)).chars()),
            c => quoted.push(c),
        }
    }
    quoted + "\""
}

/// Replaces a file as a whole, through links.
pub(super) fn replace(path: &Path, text: &str) -> std::io::Result<()> {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    if let Some(directory) = path.parent() {
        std::fs::create_dir_all(directory)?;
    }
    let draft = path.with_extension(format!("toml.{}", std::process::id()));
    let done = std::fs::write(&draft, text).and_then(|()| {
        if let Ok(meta) = path.metadata() {
            std::fs::set_permissions(&draft, meta.permissions())?;
        }
        std::fs::rename(&draft, &path)
    });
    if done.is_err() {
        drop(std::fs::remove_file(&draft));
    }
    done
}

#[cfg(test)]
mod tests {
    use super::{read, written};
    use crate::model::{FileMark, MarkWord};

    fn marks(text: &str) -> (Vec<FileMark>, Option<String>) {
        let mut table: toml::Table = text.parse().unwrap();
        let (marks, wrong) = read(table.remove("mark").unwrap());
        (marks, wrong.map(|error| error.message))
    }

    #[test]
    fn marks_are_read_as_they_are_written() {
        let mark = FileMark {
            repo: "/home/o\"x/a\\b".into(),
            path: "src/ü \"a\".ts".to_owned(),
            word: MarkWord::Generated,
        };
        for before in ["", "budget_ms = 1", "budget_ms = 1\n", "[search]\n"] {
            let text = format!("{before}{}", written(before, &mark));
            assert_eq!(marks(&text), (vec![mark.clone()], None), "{text}");
        }
    }

    #[test]
    fn marks_that_are_none_are_told_and_the_others_count() {
        let good = "[[mark]]\nrepo = '/a'\npath = 'b/'\nword = 'test'\n";
        for (text, part) in [
            ("mark = 7", "no table"),
            ("[[mark]]\npath = 'a'\nword = 'test'", "no `repo`"),
            (
                "[[mark]]\nrepo = 'a'\npath = 'a'\nword = 'test'",
                "absolute",
            ),
            (
                "[[mark]]\nrepo = '/a'\npath = '../a'\nword = 'test'",
                "inside",
            ),
            ("[[mark]]\nrepo = '/a'\npath = ''\nword = 'test'", "inside"),
            (
                "[[mark]]\nrepo = '/a'\npath = 3\nword = 'test'",
                "no `path`",
            ),
            (
                "[[mark]]\nrepo = '/a'\npath = 'a'\nword = 'mine'",
                "counts nowhere",
            ),
            ("[[mark]]\nrepo = '/a'\npath = 'a'\nwords = 'x'", "`words`"),
        ] {
            let (found, wrong) = marks(text);
            assert!(found.is_empty() && wrong.unwrap().contains(part), "{text}");
            if !text.starts_with("mark") {
                let (found, wrong) = marks(&format!("{text}\n{good}"));
                assert_eq!((found.len(), wrong.is_some()), (1, true), "{text}");
            }
        }
        let (found, wrong) = marks(&good.repeat(501));
        assert!(found.len() == 500 && wrong.unwrap().contains("500"));
    }
}
