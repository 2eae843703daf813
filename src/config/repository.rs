//! The file `.codelens.toml` of a repository: which of its files are indexed, and nothing else.
//!
//! Its author is not trusted: an unknown key or an invalid value is reported and passed over, and no value allows more
//! than the defaults do.

use crate::model::indexing_rules::{IndexingRules, MAX_FILE_BYTES};

/// The file's path in a repository.
pub const FILE: &str = ".codelens.toml";

/// The longest such file that is read, in bytes.
pub const MAX_BYTES: u64 = 64 << 10;

const MIN_FILE_BYTES: u64 = 1 << 10;
const MAX_PATTERNS: usize = 1_000;
const MAX_PATTERN_BYTES: usize = 512;

/// A key of the file.
#[derive(Debug, PartialEq, Eq)]
pub struct SettingKey {
    /// Its name.
    pub name: &'static str,
    /// Its unit; empty where it has none.
    pub unit: &'static str,
    /// The values that the key takes, in words.
    pub bounds: &'static str,
    /// The purpose of the key.
    pub about: &'static str,
}

/// Every key.
pub const KEYS: [SettingKey; 2] = [
    SettingKey {
        name: "exclude",
        unit: "",
        bounds: "up to 1000 patterns as in .gitignore",
        about: "what is not indexed, beside what .codelensignore says",
    },
    SettingKey {
        name: "max_file_bytes",
        unit: "bytes",
        bounds: "1024 to 2097152",
        about: "up to which size a file is indexed",
    },
];

/// The settings of a repository's file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RepositorySettings {
    /// Which files are indexed.
    pub indexing_rules: IndexingRules,
    /// The names of the keys that count.
    pub set: Vec<&'static str>,
    /// Keys and values that were passed over, with the reason, a line each.
    pub warnings: Vec<String>,
}

/// Parses the file's text; never fails.
pub fn parse(bytes: &[u8]) -> RepositorySettings {
    let mut found = RepositorySettings::default();
    let Ok(text) = std::str::from_utf8(bytes) else {
        let warning = format!("{FILE} is passed over: it is not UTF-8");
        found.warnings.push(warning);
        return found;
    };
    let table = match text.parse::<toml::Table>() {
        Ok(table) => table,
        Err(error) => {
            let line = line_of_error(text, &error);
            let message = error.message();
            let warning = format!("{FILE} is passed over: it is no TOML in line {line}: {message}");
            found.warnings.push(warning);
            return found;
        }
    };
    for (name, value) in table {
        let outcome = match name.as_str() {
            "exclude" => found.exclude(&value),
            "max_file_bytes" => found.max_file_bytes(&value),
            _ if is_of_user(&name) => {
                Err("only you can set it: in codelens.toml, the environment or a flag".to_owned())
            }
            _ => Err(format!(
                "there is no such key; there are {}",
                KEYS.map(|key| key.name).join(" and ")
            )),
        };
        match (outcome, KEYS.iter().find(|key| key.name == name)) {
            (Ok(()), Some(key)) => found.set.push(key.name),
            (Ok(()), None) => {}
            (Err(what), _) => {
                let place = line_of_key(text, &name)
                    .map_or_else(String::new, |line| format!("{FILE}, line {line}: "));
                let name: String = name.chars().take(64).collect();
                let warning = format!("{place}`{}` is passed over: {what}", name.escape_debug());
                found.warnings.push(warning);
            }
        }
    }
    found
}

/// Returns the line of a text, from 1, in which a fault of its TOML begins.
pub(super) fn line_of_error(text: &str, error: &toml::de::Error) -> usize {
    line_at(text, error.span().map_or(0, |span| span.start))
}

/// Returns the line, from 1, of a key or table at the top of a text.
pub(super) fn line_of_key(text: &str, key: &str) -> Option<usize> {
    let table = toml::de::DeTable::parse(text).ok()?;
    let mut keys = table.get_ref().iter().map(|(key, _)| key);
    let found = keys.find(|it| it.get_ref().as_ref() == key)?;
    Some(line_at(text, found.span().start))
}

fn line_at(text: &str, offset: usize) -> usize {
    let before = text.get(..offset).unwrap_or_default();
    before.matches('\n').count() + 1
}

/// Whether a key is a setting of the user, or the table of some.
fn is_of_user(key: &str) -> bool {
    let mut names = super::SETTINGS.iter().map(|setting| setting.name);
    names.any(|name| name == key || name.split('.').next() == Some(key))
}

impl RepositorySettings {
    fn exclude(&mut self, value: &toml::Value) -> Result<(), String> {
        let is_pattern = |text: &&str| {
            !text.trim().is_empty()
                && text.len() <= MAX_PATTERN_BYTES
                && !text.contains(['\n', '\0'])
        };
        let patterns: Option<Vec<String>> = value.as_array().and_then(|values| {
            let texts = values.iter().map(toml::Value::as_str);
            texts
                .map(|text| text.filter(is_pattern).map(str::to_owned))
                .collect()
        });
        self.indexing_rules.exclude = patterns
            .filter(|patterns| patterns.len() <= MAX_PATTERNS)
            .ok_or("it is no list of patterns, each a line of at most 512 bytes, for example [\"vendor/\", \"*.snap\"]")?;
        Ok(())
    }

    fn max_file_bytes(&mut self, value: &toml::Value) -> Result<(), String> {
        let bytes = value
            .as_integer()
            .and_then(|n| u64::try_from(n).ok())
            .ok_or("it is no number of bytes, for example 500000")?;
        self.indexing_rules.max_file_bytes = bytes.clamp(MIN_FILE_BYTES, MAX_FILE_BYTES);
        if bytes != self.indexing_rules.max_file_bytes {
            self.warnings.push(format!(
                "`max_file_bytes` is {bytes}, taken for {}",
                self.indexing_rules.max_file_bytes
            ));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::parse;
    use crate::model::indexing_rules::{IndexingRules, MAX_FILE_BYTES};

    #[test]
    fn what_belongs_there_counts() {
        let found = parse(b"exclude = [\"vendor/\", \"*.snap\"]\nmax_file_bytes = 5000\n");
        assert_eq!(found.indexing_rules.exclude, ["vendor/", "*.snap"]);
        assert_eq!(found.indexing_rules.max_file_bytes, 5_000);
        assert_eq!(found.set, ["exclude", "max_file_bytes"]);
        assert_eq!(found.warnings, Vec::<String>::new());
        assert_eq!(parse(b"").indexing_rules, IndexingRules::default());
    }

    #[test]
    fn what_does_not_belong_there_is_told_and_passed_over() {
        for (text, part) in [
            ("home = \"/tmp/x\"", "only you can set it"),
            ("housekeeping = true", "only you can set it"),
            ("max_total_bytes = 0", "only you can set it"),
            ("budget_ms = 1", "only you can set it"),
            (
                "[search]\nlow_confidence = \"empty\"",
                "only you can set it",
            ),
            ("symbols = \"none\"", "only you can set it"),
            ("wishes = 1", "there is no such key"),
            ("exclude = \"vendor\"", "no list of patterns"),
            ("exclude = [1]", "no list of patterns"),
            ("exclude = [\"a\\nb\"]", "no list of patterns"),
            ("max_file_bytes = \"big\"", "no number"),
            ("max_file_bytes = -1", "no number"),
            ("x y", "no TOML"),
        ] {
            let found = parse(text.as_bytes());
            assert_eq!(found.indexing_rules, IndexingRules::default(), "{text}");
            assert!(found.warnings[0].contains(part), "{text}: {found:?}");
        }
        let deep = format!("a = {}", "[".repeat(50_000));
        for bytes in [
            deep.as_bytes(),
            b"\xff\xfe",
            b"exclude = [\"x\"]\nexclude = []",
        ] {
            assert_eq!(parse(bytes).warnings.len(), 1);
        }
    }

    #[test]
    fn a_warning_names_the_line() {
        for (text, part) in [
            ("# a\n\nspeed = 9\n", "line 3: `speed` is passed over"),
            (
                "exclude = [\n\"a\"]\n[roles]\ntest = 5\n",
                "line 3: `roles`",
            ),
            (
                "exclude = []\nmax_file_bytes = \"big\"\n",
                "line 2: `max_file_bytes`",
            ),
            ("exclude = []\n\nx y\n", "no TOML in line 3"),
        ] {
            let warnings = parse(text.as_bytes()).warnings;
            assert!(warnings[0].starts_with(".codelens.toml"), "{warnings:?}");
            assert!(warnings[0].contains(part), "{warnings:?}");
        }
    }

    #[test]
    fn no_value_allows_more_than_the_default() {
        let found = parse(b"max_file_bytes = 999999999999");
        assert_eq!(found.indexing_rules.max_file_bytes, MAX_FILE_BYTES);
        assert_eq!(found.warnings.len(), 1);
        assert_eq!(
            parse(b"max_file_bytes = 1").indexing_rules.max_file_bytes,
            1_024
        );
    }
}
