//! The file of the user.

use std::path::Path;

use super::repository::{line_of_error, line_of_key};
use super::{RemoteEntry, RepositoryGroup, SETTINGS, groups, marks, remotes};
use crate::error::{Code, Error, Result};
use crate::model::{FileMark, likeness, sanitize};

/// The largest file that is read, in bytes.
const MAX_BYTES: u64 = 64 << 10;

/// How alike a name has to be to be offered.
const MIN_LIKENESS: f64 = 0.7;

/// The settings of a file.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct FileSettings {
    /// Names with their values as text.
    pub(super) values: Vec<(String, String)>,
    /// Words that were given to files of repositories.
    pub(super) marks: Vec<FileMark>,
    /// Stores for indexes, by name.
    pub(super) remotes: Vec<RemoteEntry>,
    /// Repositories that belong together.
    pub(super) groups: Vec<RepositoryGroup>,
    /// A sentence for each setting that was passed over, with the reason.
    pub(super) warnings: Vec<String>,
}

/// Returns the settings of a file; none where there is no file.
///
/// With `is_named` the user named the file. In a default place a file that can't be read or is no TOML, and settings
/// that CodeLens does not know, are passed over with a warning.
///
/// # Errors
/// For a named file: `io` if it can't be read, `invalid_argument` if it is no TOML or has an unknown setting.
pub(super) fn read(path: &Path, is_named: bool) -> Result<FileSettings> {
    let name = sanitize::escaped_start(&path.to_string_lossy(), 300);
    let found = text(path)
        .and_then(|text| parse(&text))
        .map(|(settings, unknown)| (settings, unknown.map(|error| in_file(error, &name))))
        .map_err(|error| in_file(error, &name));
    match found {
        Ok((_, Some(unknown))) if is_named => Err(unknown),
        Ok((settings, unknown)) => Ok(FileSettings {
            warnings: unknown
                .into_iter()
                .map(|error| format!("{}; passed over", error.message))
                .collect(),
            ..settings
        }),
        Err(error) if is_named => Err(error),
        Err(error) => Ok(FileSettings {
            warnings: vec![format!(
                "{}; the file is passed over (`codelens config show` tells where it is)",
                error.message
            )],
            ..FileSettings::default()
        }),
    }
}

/// Returns an error of a file under the name that the user gave it.
fn in_file(mut error: Error, name: &str) -> Error {
    error.message = error.message.replacen("codelens.toml", name, 1);
    error
}

/// Returns the text of a file, empty where there is none.
pub(super) fn text(path: &Path) -> Result<String> {
    use std::io::{Error as IoError, ErrorKind, Read as _};
    let read = || {
        let meta = path.metadata()?;
        if !meta.is_file() || meta.len() > MAX_BYTES {
            return Err(IoError::other("it is no file of at most 64 KiB"));
        }
        let mut text = String::new();
        let file = std::fs::File::open(path)?;
        file.take(MAX_BYTES).read_to_string(&mut text)?;
        Ok(text)
    };
    match read() {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(String::new()),
        read => read.map_err(|error| {
            let why = match error.kind() {
                ErrorKind::Other => error.to_string(),
                kind => kind.to_string(),
            };
            Error::new(
                Code::Io,
                format!("codelens.toml cannot be read: {why}"),
                "`codelens config show` tells where it is looked for",
            )
            .because(error)
        }),
    }
}

/// Whether the names of some settings begin with a word and a dot.
fn has_settings(table: &str) -> bool {
    let tables = SETTINGS.iter().filter_map(|it| it.name.split_once('.'));
    tables.map(|(table, _)| table).any(|known| known == table)
}

/// Returns the entries of a table, those of a table in it behind its name and a dot.
fn flat(table: toml::Table) -> Vec<(String, toml::Value)> {
    let mut entries = Vec::new();
    for (name, value) in table {
        match value {
            toml::Value::Table(inner) if has_settings(&name) => {
                let inner = inner.into_iter();
                entries.extend(inner.map(|(key, value)| (format!("{name}.{key}"), value)));
            }
            value => entries.push((name, value)),
        }
    }
    entries
}

/// Returns a fault of TOML in words: its parser takes `budget_ms = fast` for the beginning of `false`.
fn fault(message: &str) -> &str {
    let of_values = [
        "invalid boolean",
        "string values must be quoted",
        "key with no value",
    ];
    if of_values.iter().any(|it| message.starts_with(it)) {
        "a value is missing or not quoted"
    } else {
        message
    }
}

/// Returns the next step after a name of no setting, with the setting whose name is most like it.
fn next_step(name: &str) -> String {
    let settings = SETTINGS.iter().map(|it| (likeness(name, it.name), it.name));
    let near = settings.max_by(|one, other| one.0.total_cmp(&other.0));
    let meant = match near.filter(|(alike, _)| *alike >= MIN_LIKENESS) {
        Some((_, near)) => format!("did you mean `{near}`? "),
        None => String::new(),
    };
    meant + "Without the line, `codelens config show` lists the settings"
}

/// Returns the known settings of a text, and the error for the first unknown one.
pub(super) fn parse(text: &str) -> Result<(FileSettings, Option<Error>)> {
    let table: toml::Table = text.parse().map_err(|error: toml::de::Error| {
        let line = line_of_error(text, &error);
        Error::invalid(
            format!("codelens.toml, line {line}: {}", fault(error.message())),
            "correct the line, e.g. `budget_ms = 500`, or take it out",
        )
    })?;
    let mut found = FileSettings::default();
    let mut unknown = None;
    for (name, value) in flat(table) {
        if name == marks::TABLE {
            let (marks, wrong) = marks::read(value);
            found.marks = marks;
            unknown = unknown.or(wrong);
            continue;
        }
        if name == groups::TABLE {
            let home = directories::BaseDirs::new();
            let (groups, wrong) =
                groups::read(&value, home.as_ref().map(directories::BaseDirs::home_dir));
            found.groups = groups;
            unknown = unknown.or(wrong);
            continue;
        }
        let remote = name.strip_prefix(remotes::TABLE);
        if let (Some(remote), toml::Value::Table(table)) =
            (remote.and_then(|it| it.strip_prefix('.')), &value)
        {
            match remotes::read(remote, table) {
                Ok(remote) => found.remotes.push(remote),
                Err(error) => unknown = unknown.or(Some(error)),
            }
            continue;
        }
        if !SETTINGS.iter().any(|setting| setting.name == name) {
            let top = name.split('.').next().unwrap_or(&name);
            let place =
                line_of_key(text, top).map_or_else(|| ":".to_owned(), |it| format!(", line {it}:"));
            let name = sanitize::escaped_start(&name, 60);
            let error = || {
                Error::invalid(
                    format!("codelens.toml{place} there is no setting `{name}`"),
                    next_step(&name),
                )
            };
            unknown = unknown.or_else(|| Some(error()));
            continue;
        }
        let text = match value {
            toml::Value::String(text) => text,
            toml::Value::Integer(number) => number.to_string(),
            toml::Value::Float(number) => number.to_string(),
            toml::Value::Boolean(is_on) => if is_on { "on" } else { "off" }.to_owned(),
            other => other.type_str().to_owned(),
        };
        found.values.push((name, text));
    }
    found.remotes.sort_by(|a, b| a.name.cmp(&b.name));
    Ok((found, unknown))
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn a_file_is_names_and_values() {
        let found = parse("budget_ms = 900\nhousekeeping = false # quiet\n").unwrap();
        let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        assert_eq!(
            found.0.values,
            [pair("budget_ms", "900"), pair("housekeeping", "off")]
        );
        assert!(parse("").unwrap().0.values.is_empty());
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line_or_name() {
        let said = |text: &str| match parse(text) {
            Ok((_, unknown)) => unknown.unwrap().message,
            Err(error) => error.message,
        };
        assert!(
            said("budget_ms = 1\nx y").contains("line 2"),
            "{}",
            said("budget_ms = 1\nx y")
        );
        assert!(said("budget = 1").contains("`budget`"));
        for text in ["budget_ms = fast", "budget_ms 5", "budget_ms = "] {
            let wanted = "codelens.toml, line 1: a value is missing or not quoted";
            assert_eq!(said(text), wanted, "{text}");
        }
        let hint = parse("budgetms = 1").unwrap().1.unwrap().hint;
        let wanted =
            "did you mean `budget_ms`? Without the line, `codelens config show` lists the settings";
        assert_eq!(hint, wanted);
        let hint = parse("zebra = 1").unwrap().1.unwrap().hint;
        assert_eq!(
            hint,
            "Without the line, `codelens config show` lists the settings"
        );
    }
}
