//! Remotes: tables `[remote.NAME]` in the file of the user, each with the address of a store for indexes.
//!
//! ```toml
//! [remote]
//! pull = "auto"
//!
//! [remote.team]
//! url = "s3://bucket/indexes"
//! ```

use toml_edit::{DocumentMut, Item, Table, value};

use super::{file, file_path, marks};
use crate::error::{Code, Error, Result};
use crate::model::sanitize;

/// The table of all remotes, and of the settings of remotes.
pub(super) const TABLE: &str = "remote";

/// The most remotes of a file.
const MAX_REMOTES: usize = 50;

/// The longest name of a remote.
const MAX_NAME: usize = 40;

/// A remote of the user's file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteEntry {
    /// Its name.
    pub name: String,
    /// Its address as it is written there; not checked.
    pub url: String,
}

/// Returns the remote of a table `[remote.NAME]`.
///
/// # Errors
/// `invalid_argument` for an invalid table. The address is not repeated.
pub(super) fn read(name: &str, table: &toml::Table) -> Result<RemoteEntry> {
    let wrong = |what: &str| {
        let shown = sanitize::escaped_start(name, 60);
        Error::invalid(
            format!("[{TABLE}.{shown}] in codelens.toml {what}"),
            "each has a `url`, e.g. `url = \"s3://bucket/indexes\"`, and nothing else; `codelens remote add NAME URL` writes it",
        )
    };
    if !is_name(name) {
        return Err(wrong("has an invalid name"));
    }
    if table.keys().any(|key| key != "url") {
        return Err(wrong("has an unknown field"));
    }
    let url = table.get("url").and_then(toml::Value::as_str);
    Ok(RemoteEntry {
        name: name.to_owned(),
        url: url.ok_or_else(|| wrong("has no `url`"))?.to_owned(),
    })
}

/// Whether a remote may have that name: letters, digits, `-` and `_`, the first of them a letter or digit.
fn is_name(name: &str) -> bool {
    let is_word = |b: u8| b.is_ascii_alphanumeric() || b"-_".contains(&b);
    let is_setting = super::SETTINGS.iter().any(|setting| {
        let known = setting.name.strip_prefix(TABLE);
        known.and_then(|it| it.strip_prefix('.')) == Some(name)
    });
    name.len() <= MAX_NAME
        && name.bytes().all(is_word)
        && name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && !is_setting
}

/// Returns the remotes of the user's file, by name.
///
/// # Errors
/// As [`super::Config::load`].
pub fn remotes() -> Result<Vec<RemoteEntry>> {
    Ok(super::settings_file()?.remotes)
}

/// Adds a remote to the file of the user, which is made where there is none. Returns whether it is new: the same name with the same
/// address stays as it is.
///
/// # Errors
/// `invalid_argument` for an invalid name, one that has another address, and a file that is no TOML; `io` where
/// it can't be written.
pub fn add_remote(name: &str, url: &str) -> Result<bool> {
    if !is_name(name) {
        let shown = sanitize::escaped_start(name, 60);
        return Err(Error::invalid(
            format!("`{shown}` is no name for a remote"),
            "use at most 40 letters, digits, `-` and `_`, e.g. `team`",
        ));
    }
    let mut known = checked()?;
    if let Some(entry) = known.iter().find(|entry| entry.name == name) {
        if entry.url == url {
            return Ok(false);
        }
        return Err(Error::invalid(
            format!("there is a remote `{name}` with another address"),
            format!("take another name, or run `codelens remote remove {name}` first"),
        ));
    }
    if known.len() == MAX_REMOTES {
        return Err(Error::invalid(
            format!("there are {MAX_REMOTES} remotes already"),
            "remove one first: `codelens remote remove NAME`",
        ));
    }
    let entry = RemoteEntry {
        name: name.to_owned(),
        url: url.to_owned(),
    };
    known.push(entry);
    change(known, |remotes| {
        let mut table = Table::new();
        table.insert("url", value(url));
        remotes.insert(name, Item::Table(table));
    })?;
    Ok(true)
}

/// Takes a remote out of the file of the user. Returns whether there was one of that name.
///
/// # Errors
/// As [`add_remote`].
pub fn remove_remote(name: &str) -> Result<bool> {
    let mut known = checked()?;
    let n_before = known.len();
    known.retain(|entry| entry.name != name);
    if known.len() == n_before {
        return Ok(false);
    }
    change(known, |remotes| {
        remotes.remove(name);
    })?;
    Ok(true)
}

/// Returns the remotes of a file that may be changed: one without a fault.
fn checked() -> Result<Vec<RemoteEntry>> {
    match file::parse(&file::text(&file_path())?)? {
        (settings, None) => Ok(settings.remotes),
        (_, Some(wrong)) => Err(wrong),
    }
}

/// Changes the table of remotes and writes the file, if it says `wanted` then.
fn change(mut wanted: Vec<RemoteEntry>, edit: impl FnOnce(&mut Table)) -> Result<()> {
    let by_hand = || {
        Error::invalid(
            "codelens.toml has its remotes in a form that is not edited",
            "edit the file by hand: `codelens config show` tells where it is",
        )
    };
    let path = file_path();
    let mut document: DocumentMut = file::text(&path)?.parse().map_err(|_| by_hand())?;
    let remotes = document.entry(TABLE).or_insert_with(|| {
        let mut table = Table::new();
        table.set_implicit(true);
        Item::Table(table)
    });
    edit(remotes.as_table_mut().ok_or_else(by_hand)?);
    let text = document.to_string();
    let (settings, _) = file::parse(&text)?;
    wanted.sort_by(|a, b| a.name.cmp(&b.name));
    if settings.remotes != wanted {
        return Err(by_hand());
    }
    marks::replace(&path, &text).map_err(|error| {
        Error::new(
            Code::Io,
            format!("codelens.toml cannot be written: {}", error.kind()),
            "`codelens config show` tells where it is",
        )
        .because(error)
    })
}

#[cfg(test)]
mod tests {
    use super::is_name;
    use crate::config::file::parse;

    #[test]
    fn tables_are_remotes_and_the_rest_are_settings() {
        let text =
            "[remote]\npull = 'auto'\n[remote.b]\nurl = 'file:///b'\n[remote.a]\nurl = 's3://a'\n";
        let (found, wrong) = parse(text).unwrap();
        assert!(wrong.is_none(), "{wrong:?}");
        let remotes: Vec<_> = found
            .remotes
            .iter()
            .map(|it| (&*it.name, &*it.url))
            .collect();
        assert_eq!(remotes, [("a", "s3://a"), ("b", "file:///b")]);
        assert_eq!(
            found.values,
            [("remote.pull".to_owned(), "auto".to_owned())]
        );
    }

    #[test]
    fn tables_that_are_no_remotes_are_told_without_their_address() {
        for (text, part) in [
            ("[remote.a]\nurls = 'x'", "unknown field"),
            ("[remote.a]", "no `url`"),
            ("[remote.a]\nurl = 3", "no `url`"),
            ("[remote.'a b']\nurl = 's3://secret'", "invalid name"),
            ("[remote.pull]\nurl = 's3://secret'", "invalid name"),
            (
                "[remote.a]\nurl = 's3://secret'\nkey = 'secret'",
                "unknown field",
            ),
        ] {
            let (found, wrong) = parse(text).unwrap();
            let said = wrong.unwrap().message;
            assert!(
                found.remotes.is_empty() && said.contains(part),
                "{text}: {said}"
            );
            assert!(!said.contains("secret"), "{said}");
        }
    }

    #[test]
    fn names_are_words() {
        assert!(["team", "A-1_b", "0"].into_iter().all(is_name));
        let long = "a".repeat(41);
        for name in ["", "-a", "a b", "a/b", "ü", "pull", "timeout_ms", &long] {
            assert!(!is_name(name), "{name}");
        }
    }
}
