//! The file of the user.
//!
//! Refuses to know what a value means: it returns names with texts.

use std::path::Path;

use super::SETTINGS;
use crate::error::{Code, Error, Result};

/// Returns the settings of a file, as text; none where there is no file.
///
/// # Errors
/// `io` for a file that can't be read, `invalid_argument` for one that is no TOML, or that names a
/// setting that there is not.
pub(super) fn read(path: &Path) -> Result<Vec<(String, String)>> {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => {
            return Err(Error::new(
                Code::Io,
                format!("codelens.toml cannot be read: {}", error.kind()),
                "`codelens config show` tells where it is looked for",
            )
            .because(error));
        }
    };
    parse(&text)
}

fn parse(text: &str) -> Result<Vec<(String, String)>> {
    let names = || {
        let names: Vec<&str> = SETTINGS.iter().map(|setting| setting.name).collect();
        format!("settings are {}", names.join(", "))
    };
    let table: toml::Table = text.parse().map_err(|error: toml::de::Error| {
        let line = error.span().map_or(1, |span| {
            text.get(..span.start)
                .unwrap_or_default()
                .matches('\n')
                .count()
                + 1
        });
        Error::invalid(
            format!("codelens.toml, line {line}: {}", error.message()),
            names(),
        )
    })?;
    table
        .into_iter()
        .map(|(name, value)| {
            if !SETTINGS.iter().any(|setting| setting.name == name) {
                let name = name.escape_debug();
                return Err(Error::invalid(
                    format!("codelens.toml has no setting `{name}`"),
                    names(),
                ));
            }
            let text = match value {
                toml::Value::String(text) => text,
                toml::Value::Integer(number) => number.to_string(),
                toml::Value::Boolean(is_on) => if is_on { "on" } else { "off" }.to_owned(),
                other => other.type_str().to_owned(),
            };
            Ok((name, text))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn a_file_is_names_and_values() {
        let found = parse("budget_ms = 900\nhousekeeping = false # quiet\n").unwrap();
        let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        assert_eq!(
            found,
            [pair("budget_ms", "900"), pair("housekeeping", "off")]
        );
        assert_eq!(parse("").unwrap(), []);
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line_or_name() {
        let said = |text: &str| parse(text).unwrap_err().message;
        assert!(
            said("budget_ms = 1\nx y").contains("line 2"),
            "{}",
            said("budget_ms = 1\nx y")
        );
        assert!(said("budget = 1").contains("`budget`"));
    }
}
