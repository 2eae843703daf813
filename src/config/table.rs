//! The table of settings: name, unit, bounds and purpose of each.

use super::SettingSource;
use crate::error::{Error, Result};
use crate::model::sanitize;

/// A setting.
#[derive(Debug, PartialEq, Eq)]
pub struct Setting {
    /// Its name in the file.
    pub name: &'static str,
    /// Its variable of the environment.
    pub variable: &'static str,
    /// Its unit; empty where it has none.
    pub unit: &'static str,
    /// The purpose of the setting.
    pub about: &'static str,
    /// The type and bounds of its values.
    pub kind: ValueType,
}

/// The longest text of a setting, in bytes.
const MAX_TEXT_BYTES: usize = 1_000;

/// The type and bounds of a setting's values.
#[derive(Debug, PartialEq, Eq)]
pub enum ValueType {
    /// A whole number; one out of the bounds is taken for the nearer bound.
    Number {
        /// Where nobody sets it.
        default: u64,
        /// The least.
        min: u64,
        /// The most.
        max: u64,
    },
    /// A number from 0 to 1 with three decimals; one out of the bounds is taken for the nearer bound. Nobody sets it: 0.
    Share,
    /// On or off.
    Switch {
        /// Where nobody sets it.
        default: bool,
    },
    /// An absolute path of a directory.
    AbsolutePath,
    /// One of some words.
    OneOf {
        /// Where nobody sets it.
        default: &'static str,
        /// The words that it takes.
        values: &'static [&'static str],
    },
    /// Names of some kind, with commas or blanks between them, or `all`, or `none`.
    Names {
        /// The names that there are.
        names: &'static [&'static str],
    },
    /// Words.
    Text {
        /// Where nobody sets it.
        default: &'static str,
        /// The values that it takes, in words.
        values: &'static str,
    },
}

const fn number(
    name: &'static str,
    variable: &'static str,
    unit: &'static str,
    about: &'static str,
    default: u64,
    max: u64,
) -> Setting {
    let kind = ValueType::Number {
        default,
        min: 0,
        max,
    };
    Setting {
        name,
        variable,
        unit,
        about,
        kind,
    }
}

/// A setting that has no unit.
const fn plain(
    name: &'static str,
    variable: &'static str,
    about: &'static str,
    kind: ValueType,
) -> Setting {
    Setting {
        name,
        variable,
        unit: "",
        about,
        kind,
    }
}

const fn provider(
    name: &'static str,
    variable: &'static str,
    about: &'static str,
    values: &'static [&'static str],
) -> Setting {
    let default = "off";
    plain(name, variable, about, ValueType::OneOf { default, values })
}

const fn text(
    name: &'static str,
    variable: &'static str,
    about: &'static str,
    values: &'static str,
) -> Setting {
    let default = "none";
    plain(name, variable, about, ValueType::Text { default, values })
}

/// Addresses of servers.
const URLS: &str = "none, http to this machine, or https";

/// Names of variables.
const VARIABLES: &str = "none, or the name of a variable";

const PIB: u64 = 1 << 50;

/// Languages whose definitions are read: those that are read to the symbol, then those that are outlined.
pub const SYMBOL_LANGUAGES: &[&str] = &[
    "typescript",
    "tsx",
    "javascript",
    "vue",
    "svelte",
    "python",
    "go",
    "java",
    "rust",
    "c",
    "cpp",
    "csharp",
    "shell",
    "dart",
    "elixir",
    "graphql",
    "terraform",
    "kotlin",
    "lua",
    "php",
    "protobuf",
    "ruby",
    "scala",
    "swift",
    "zig",
];

/// Every setting.
pub const SETTINGS: &[Setting] = &[
    Setting {
        name: "home",
        variable: "CODELENS_HOME",
        unit: "",
        about: "where indexes and saved contexts are kept",
        kind: ValueType::AbsolutePath,
    },
    number(
        "budget_ms",
        "CODELENS_BUDGET_MS",
        "ms",
        "time limit of a question for finding and indexing changes",
        500,
        600_000,
    ),
    number(
        "first_build_ms",
        "CODELENS_FIRST_BUILD_MS",
        "ms",
        "how long a question waits for an index that is missing or was never complete",
        10_000,
        3_600_000,
    ),
    Setting {
        name: "housekeeping",
        variable: "CODELENS_HOUSEKEEPING",
        unit: "",
        about: "whether unused indexes are removed automatically",
        kind: ValueType::Switch { default: true },
    },
    Setting {
        name: "repository_file",
        variable: "CODELENS_REPOSITORY_FILE",
        unit: "",
        about: "whether a repository's .codelens.toml counts",
        kind: ValueType::Switch { default: true },
    },
    Setting {
        name: "tools",
        variable: "CODELENS_TOOLS",
        unit: "",
        about: "the tools that a server offers",
        kind: ValueType::Text {
            default: "default",
            values: "default, lean, find, read, or names of tools",
        },
    },
    Setting {
        name: "search.low_confidence",
        variable: "CODELENS_LOW_CONFIDENCE",
        unit: "",
        about: "results of an answer of low confidence: all, the first, or none",
        kind: ValueType::OneOf {
            default: "keep",
            values: &["keep", "top1", "empty"],
        },
    },
    Setting {
        name: "memory.unasked",
        variable: "CODELENS_MEMORY_UNASKED",
        unit: "",
        about: "what answers say of saved records unasked: titles and counts, counts, or nothing",
        kind: ValueType::OneOf {
            default: "titles",
            values: &["titles", "count", "off"],
        },
    },
    Setting {
        name: "search.federation",
        variable: "CODELENS_FEDERATION",
        unit: "",
        about: "how answers of several repositories are merged: by score and confidence, or by rank (for comparison)",
        kind: ValueType::OneOf {
            default: "confidence",
            values: &["confidence", "rrf"],
        },
    },
    Setting {
        name: "search.fusion",
        variable: "CODELENS_FUSION",
        unit: "",
        about: "how signals are summed: by measured weights, or by rank (for comparison)",
        kind: ValueType::OneOf {
            default: "gated",
            values: &["gated", "rrf"],
        },
    },
    Setting {
        name: "search.recency",
        variable: "CODELENS_RECENCY",
        unit: "",
        about: "how much recently changed files go before equals, counted from the index's commit; 0: not at all",
        kind: ValueType::Share,
    },
    Setting {
        name: "search.partial_vectors",
        variable: "CODELENS_PARTIAL_VECTORS",
        unit: "",
        about: "whether meaning counts while chunks lack a vector",
        kind: ValueType::Switch { default: false },
    },
    Setting {
        name: "owners",
        variable: "CODELENS_OWNERS",
        unit: "",
        about: "whether answers name the authors and owners of files",
        kind: ValueType::OneOf {
            default: "names",
            values: &["names", "off"],
        },
    },
    Setting {
        name: "symbols",
        variable: "CODELENS_SYMBOLS",
        unit: "",
        about: "languages whose definitions are read; others are text",
        kind: ValueType::Names {
            names: SYMBOL_LANGUAGES,
        },
    },
    number(
        "watch.debounce_ms",
        "CODELENS_WATCH_DEBOUNCE_MS",
        "ms",
        "how long a work tree is quiet before a watch follows a change",
        300,
        10_000,
    ),
    Setting {
        name: "remote.pull",
        variable: "CODELENS_REMOTE_PULL",
        unit: "",
        about: "whether a missing index is seeded from a remote without being asked for",
        kind: ValueType::OneOf {
            default: "never",
            values: &["auto", "never"],
        },
    },
    Setting {
        name: "remote.trusted_keys",
        variable: "CODELENS_REMOTE_TRUSTED_KEYS",
        unit: "",
        about: "public keys, of which one must have signed an index of a remote",
        kind: ValueType::Text {
            default: "none",
            values: "none, or keys of 64 hexadecimal digits with commas between them",
        },
    },
    number(
        "remote.timeout_ms",
        "CODELENS_REMOTE_TIMEOUT_MS",
        "ms",
        "how long a question may wait for a remote, within half of its own time",
        4_000,
        600_000,
    ),
    provider(
        "embed.provider",
        "CODELENS_EMBED_PROVIDER",
        "the model that turns text into vectors: none, one on the disk, or one behind a server",
        &["off", "local", "http"],
    ),
    text(
        "embed.model",
        "CODELENS_EMBED_MODEL",
        "the directory of a model on the disk, or its name for a server",
        "none, an absolute path, or a name",
    ),
    text(
        "embed.url",
        "CODELENS_EMBED_URL",
        "the server of that model; texts of the code go there",
        URLS,
    ),
    text(
        "embed.key_env",
        "CODELENS_EMBED_KEY_ENV",
        "the variable of the environment that holds its key",
        VARIABLES,
    ),
    number(
        "embed.dimensions",
        "CODELENS_EMBED_DIMENSIONS",
        "components",
        "the length of vectors that a server is asked for; 0: the model's own",
        0,
        8_192,
    ),
    number(
        "embed.batch",
        "CODELENS_EMBED_BATCH",
        "texts",
        "texts of one request",
        64,
        256,
    ),
    number(
        "embed.concurrency",
        "CODELENS_EMBED_CONCURRENCY",
        "requests",
        "requests at once",
        4,
        16,
    ),
    number(
        "embed.timeout_ms",
        "CODELENS_EMBED_TIMEOUT_MS",
        "ms",
        "how long one request may take; a question never waits beyond its own time",
        20_000,
        600_000,
    ),
    Setting {
        name: "embed.allow_remote",
        variable: "CODELENS_EMBED_ALLOW_REMOTE",
        unit: "",
        about: "whether the server may be another machine",
        kind: ValueType::Switch { default: false },
    },
    Setting {
        name: "embed.weight",
        variable: "CODELENS_EMBED_WEIGHT",
        unit: "",
        about: "how much meaning counts in the order of results; 0: not at all",
        kind: ValueType::Share,
    },
    provider(
        "rerank.provider",
        "CODELENS_RERANK_PROVIDER",
        "the model that puts the best results in order",
        &["off", "http"],
    ),
    text(
        "rerank.model",
        "CODELENS_RERANK_MODEL",
        "the name of that model",
        "none, or a name",
    ),
    text(
        "rerank.url",
        "CODELENS_RERANK_URL",
        "the server of that model; the question and the best results go there",
        URLS,
    ),
    text(
        "rerank.key_env",
        "CODELENS_RERANK_KEY_ENV",
        "the variable of the environment that holds its key",
        VARIABLES,
    ),
    number(
        "rerank.top",
        "CODELENS_RERANK_TOP",
        "results",
        "how many of the best results it sees",
        30,
        100,
    ),
    number(
        "rerank.timeout_ms",
        "CODELENS_RERANK_TIMEOUT_MS",
        "ms",
        "how long it may take, within half of the time that a question has left",
        300,
        600_000,
    ),
    number(
        "rerank.max_chars",
        "CODELENS_RERANK_MAX_CHARS",
        "characters",
        "how much of each result it sees",
        1_000,
        20_000,
    ),
    Setting {
        name: "rerank.allow_remote",
        variable: "CODELENS_RERANK_ALLOW_REMOTE",
        unit: "",
        about: "whether its server may be another machine",
        kind: ValueType::Switch { default: false },
    },
    provider(
        "answer.provider",
        "CODELENS_ANSWER_PROVIDER",
        "the model that writes answers for `codelens ask`",
        &["off", "http"],
    ),
    text(
        "answer.model",
        "CODELENS_ANSWER_MODEL",
        "the name of that model",
        "none, or a name",
    ),
    text(
        "answer.url",
        "CODELENS_ANSWER_URL",
        "the server of that model; the question and the excerpts go there",
        URLS,
    ),
    text(
        "answer.key_env",
        "CODELENS_ANSWER_KEY_ENV",
        "the variable of the environment that holds its key",
        VARIABLES,
    ),
    number(
        "answer.timeout_ms",
        "CODELENS_ANSWER_TIMEOUT_MS",
        "ms",
        "how long it may take",
        60_000,
        600_000,
    ),
    Setting {
        name: "answer.allow_remote",
        variable: "CODELENS_ANSWER_ALLOW_REMOTE",
        unit: "",
        about: "whether its server may be another machine",
        kind: ValueType::Switch { default: false },
    },
    number(
        "unused_days",
        "CODELENS_UNUSED_DAYS",
        "days",
        "how long an index may be unused",
        14,
        3_650,
    ),
    number(
        "unused_commit_days",
        "CODELENS_UNUSED_COMMIT_DAYS",
        "days",
        "how long the index of a commit that is no branch's tip may be unused",
        3,
        3_650,
    ),
    number(
        "superseded_indexes",
        "CODELENS_SUPERSEDED_INDEXES",
        "indexes",
        "how many old commits' indexes to keep per branch",
        2,
        1_000,
    ),
    number(
        "freeze_after_hours",
        "CODELENS_FREEZE_AFTER_HOURS",
        "hours",
        "how long an index may be unused before it is frozen; 0: never",
        1,
        87_600,
    ),
    number(
        "max_repo_bytes",
        "CODELENS_MAX_REPO_BYTES",
        "bytes",
        "how much the indexes of one repository may take",
        2 << 30,
        PIB,
    ),
    number(
        "max_total_bytes",
        "CODELENS_MAX_TOTAL_BYTES",
        "bytes",
        "how much all indexes may take",
        10 << 30,
        PIB,
    ),
    number(
        "idle_memory_mb",
        "CODELENS_IDLE_MEMORY_MB",
        "MB",
        "how much memory an idle server may keep; 0: all it has",
        25,
        1_000_000,
    ),
];

impl Setting {
    /// Returns the values that the setting takes, in words, e.g. `0 to 600000`.
    pub fn bounds(&self) -> String {
        match self.kind {
            ValueType::Number { min, max, .. } => format!("{min} to {max}"),
            ValueType::Share => "0.0 to 1.0".to_owned(),
            ValueType::Switch { .. } => "on or off".to_owned(),
            ValueType::AbsolutePath => "an absolute path".to_owned(),
            ValueType::OneOf { values, .. } => values.join(", "),
            ValueType::Names { names } => format!("all, none, or some of {}", names.join(", ")),
            ValueType::Text { values, .. } => values.to_owned(),
        }
    }

    /// Returns a value as it is used: within the bounds, a switch as `on` or `off`.
    ///
    /// # Errors
    /// `invalid_argument` for a value that means nothing.
    pub(super) fn checked(&self, text: &str, source: &SettingSource) -> Result<String> {
        let place = match source {
            SettingSource::Environment(variable) => (*variable).to_owned(),
            SettingSource::File(path) => {
                let path = sanitize::escaped_start(&path.to_string_lossy(), 300);
                format!("`{}` in {path}", self.name)
            }
            SettingSource::Flag | SettingSource::Default => {
                let name = self.name.rsplit('.').next().unwrap_or(self.name);
                format!("--{}", name.replace('_', "-"))
            }
        };
        let wrong = |what: &str, example: &str| {
            Error::invalid(
                format!("{place} is not {what}"),
                format!("set it to {what}, for example {example}, or take it out"),
            )
        };
        match self.kind {
            ValueType::Number { default, min, max } => {
                let number: u64 = text.trim().parse().map_err(|_| {
                    let what = if self.unit == "ms" {
                        "milliseconds"
                    } else {
                        self.unit
                    };
                    wrong(
                        &format!("a whole number of {what} from {min} to {max}"),
                        &default.to_string(),
                    )
                })?;
                Ok(number.clamp(min, max).to_string())
            }
            ValueType::Share => thousandths(text)
                .map(share_text)
                .ok_or_else(|| wrong("a number from 0 to 1", "0.5")),
            ValueType::Switch { .. } => match text.trim() {
                "on" | "true" | "yes" | "1" => Ok("on".to_owned()),
                "off" | "false" | "no" | "0" => Ok("off".to_owned()),
                _ => Err(wrong("on or off", "off")),
            },
            ValueType::AbsolutePath if std::path::Path::new(text).is_absolute() => {
                Ok(text.to_owned())
            }
            ValueType::AbsolutePath => Err(wrong("an absolute path", "/var/cache/codelens")),
            ValueType::OneOf { default, values } => {
                let known = values.iter().find(|value| **value == text.trim());
                let known =
                    known.ok_or_else(|| wrong(&format!("one of {}", values.join(", ")), default));
                Ok((*known?).to_owned())
            }
            ValueType::Names { names } => listed(text, names)
                .map(|chosen| match chosen.len() {
                    0 => "none".to_owned(),
                    n if n == names.len() => "all".to_owned(),
                    _ => chosen.join(","),
                })
                .ok_or_else(|| wrong(&self.bounds(), names[0])),
            ValueType::Text { default, values } => match text.trim() {
                "" => Err(wrong(values, default)),
                text if text.len() > MAX_TEXT_BYTES => Err(wrong("at most 1,000 bytes", default)),
                text => Ok(text.to_owned()),
            },
        }
    }
}

/// Returns a share in thousandths, within 0 and 1; `None` for text that is no number.
pub(super) fn thousandths(text: &str) -> Option<u32> {
    let share: f64 = text.trim().parse().ok()?;
    if share.is_nan() {
        return None;
    }
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "within 0 and 1,000"
    )]
    let thousandths = (share.clamp(0.0, 1.0) * 1_000.0).round() as u32;
    Some(thousandths)
}

/// Returns a share as it is written: `0.25` for 250 thousandths.
pub(super) fn share_text(thousandths: u32) -> String {
    format!("{:?}", f64::from(thousandths) / 1_000.0)
}

/// Returns the names that a text lists, in the order of the table; `None` for an empty text and for a name that there is not.
pub(super) fn listed(text: &str, names: &'static [&'static str]) -> Option<Vec<&'static str>> {
    let text = text.trim();
    if text.is_empty() || text.len() > MAX_TEXT_BYTES {
        return None;
    }
    match text {
        "all" => return Some(names.to_vec()),
        "none" => return Some(Vec::new()),
        _ => {}
    }
    let given: Vec<&str> = text
        .split([',', ' '])
        .filter(|name| !name.is_empty())
        .collect();
    let are_known = !given.is_empty() && given.iter().all(|name| names.contains(name));
    are_known.then(|| {
        let chosen = names.iter().filter(|name| given.contains(name));
        chosen.copied().collect()
    })
}
