//! Settings: defaults, then the file of the user, then the environment, then flags.
//!
//! A repository's own file ([`repository`]) sets nothing of this: its author is not trusted with the user's disk and
//! time, only asked which of its files matter.

mod ci;
mod file;
mod groups;
mod marks;
mod models;
mod remotes;
pub mod repository;
mod table;

use std::path::{Path, PathBuf};
use std::time::Duration;

pub use ci::pull_request;
pub use groups::RepositoryGroup;
pub use marks::add as add_marks;
pub use models::{
    AnswerSettings, EmbedProvider, EmbedSettings, ModelServer, ModelSettings, RerankSettings,
};
pub use remotes::{RemoteEntry, add_remote, remotes, remove_remote};
pub use table::{SETTINGS, SYMBOL_LANGUAGES, Setting, ValueType};

use crate::error::{Code, Error, Result};
use crate::model::FileMark;

/// Every setting, with its unit in its name.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub struct Config {
    /// The data directory.
    pub home: PathBuf,
    /// How long a query may look for changes and bring the index up before it answers, in
    /// milliseconds.
    pub budget_ms: u64,
    /// How long a question waits for an index that is missing or was never complete, in milliseconds.
    pub first_build_ms: u64,
    /// How long an index may be unused before it is removed, in days.
    pub unused_days: u32,
    /// How long the index of a commit that is neither checked out nor a branch's tip may be unused, in days.
    pub unused_commit_days: u32,
    /// How many indexes are kept of commits that a branch has left, for each branch of a work tree.
    pub superseded_indexes: usize,
    /// How long an index may be unused before it is frozen, in hours; 0: none is.
    pub freeze_after_hours: u32,
    /// How many bytes the indexes of one repository may take.
    pub max_repo_bytes: u64,
    /// How many bytes all indexes may take.
    pub max_total_bytes: u64,
    /// Memory that an idle server may keep, in megabytes; 0 for no bound.
    pub idle_memory_mb: u64,
    /// The tools that a server offers: names of sets and of tools.
    pub tools: String,
    /// Results that are shown of an answer of low confidence.
    pub low_confidence: LowConfidence,
    /// Repositories that are asked together, by the tables of the user.
    pub groups: Vec<RepositoryGroup>,
    /// Whether answers of several repositories are merged by rank, for comparison.
    pub merges_by_rank: bool,
    /// Whether signals of a search are summed by rank, for comparison.
    pub fuses_by_rank: bool,
    /// How much recently changed files go before others in a search, in thousandths.
    pub recency: u32,
    /// How much of saved records answers say unasked.
    pub unasked: Unasked,
    /// Words that a person gave to files of repositories.
    pub marks: Vec<FileMark>,
    /// Stores for indexes, by name.
    pub remotes: Vec<RemoteEntry>,
    /// Whether a missing index is seeded from a remote without being asked for.
    pub pulls: bool,
    /// Public keys, of which one must have signed an index of a remote; `none` where none need have.
    pub trusted_keys: String,
    /// How long a question may wait for a remote, in milliseconds.
    pub remote_timeout_ms: u64,
    /// Models that answers may rest on; all are off unless the user set them.
    pub models: ModelSettings,
    /// Whether answers name the authors and owners of files.
    pub shows_owners: bool,
    /// Languages that are read to the symbol.
    pub symbols: Vec<&'static str>,
    /// How long a work tree is quiet before a watch follows a change, in milliseconds.
    pub watch_debounce_ms: u64,
    /// Whether useless indexes are removed without being asked for.
    pub housekeeping: bool,
    /// Whether `.codelens.toml` of a repository counts.
    pub repository_file: bool,
}

/// Results that are shown of an answer of low confidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LowConfidence {
    /// All of them.
    Keep,
    /// The first one.
    Top1,
    /// None; a note says so.
    Empty,
}

/// How much of saved records an answer says unasked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unasked {
    /// How many there are, and titles.
    Titles,
    /// How many there are.
    Count,
    /// Nothing.
    Off,
}

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SettingSource {
    /// Nobody set it.
    Default,
    /// The file.
    File(PathBuf),
    /// The variable of the environment.
    Environment(&'static str),
    /// The command line.
    Flag,
}

/// A setting with its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingValue {
    /// Which one.
    pub setting: &'static Setting,
    /// Its value as it is written; within the bounds.
    pub text: String,
    /// Where it comes from.
    pub source: SettingSource,
}

impl Config {
    /// Returns the defaults with a data directory.
    pub fn at(home: PathBuf) -> Self {
        let mut config = Self {
            home,
            budget_ms: 0,
            first_build_ms: 0,
            unused_days: 0,
            unused_commit_days: 0,
            superseded_indexes: 0,
            freeze_after_hours: 0,
            max_repo_bytes: 0,
            max_total_bytes: 0,
            idle_memory_mb: 0,
            tools: String::new(),
            low_confidence: LowConfidence::Keep,
            fuses_by_rank: false,
            recency: 0,
            unasked: Unasked::Titles,
            marks: Vec::new(),
            remotes: Vec::new(),
            groups: Vec::new(),
            merges_by_rank: false,
            pulls: false,
            trusted_keys: String::new(),
            remote_timeout_ms: 0,
            models: ModelSettings::default(),
            shows_owners: true,
            symbols: SYMBOL_LANGUAGES.to_vec(),
            watch_debounce_ms: 0,
            housekeeping: true,
            repository_file: true,
        };
        for setting in SETTINGS {
            match setting.kind {
                ValueType::Number { default, .. } => config.set(setting.name, default),
                ValueType::Switch { default } => config.set(setting.name, u64::from(default)),
                ValueType::Text { default, .. } | ValueType::OneOf { default, .. } => {
                    config.set_text(setting.name, default);
                }
                ValueType::AbsolutePath | ValueType::Names { .. } | ValueType::Share => {}
            }
        }
        config
    }

    /// Returns the settings from the file, the environment and `flags`, which are names of settings
    /// with their values.
    ///
    /// # Errors
    /// `invalid_argument` for a value that means nothing; `io` where no data directory can be named.
    pub fn load(flags: &[(&'static str, String)]) -> Result<Self> {
        for warning in file_warnings() {
            tracing::warn!("{warning}");
        }
        let mut config = Self::at(PathBuf::new());
        let file = settings_file()?;
        config.marks = file.marks;
        config.remotes = file.remotes;
        config.groups = file.groups;
        for value in values(flags)? {
            match value.setting.kind {
                ValueType::AbsolutePath => config.home = PathBuf::from(&value.text),
                ValueType::Text { .. }
                | ValueType::OneOf { .. }
                | ValueType::Names { .. }
                | ValueType::Share => {
                    config.set_text(value.setting.name, &value.text);
                }
                ValueType::Number { .. } => {
                    config.set(value.setting.name, value.text.parse().unwrap_or_default());
                }
                ValueType::Switch { .. } => {
                    config.set(value.setting.name, u64::from(value.text == "on"));
                }
            }
        }
        Ok(config)
    }

    /// Returns the time that a query has.
    pub fn budget(&self) -> Duration {
        Duration::from_millis(self.budget_ms)
    }

    /// Returns the time that a question has to an index that is missing or was never complete: never less than
    /// any other.
    pub fn first_build(&self) -> Duration {
        Duration::from_millis(self.first_build_ms.max(self.budget_ms))
    }

    fn set_text(&mut self, name: &str, value: &str) {
        match name {
            name if self.models.set_text(name, value) => {}
            "tools" => value.clone_into(&mut self.tools),
            "remote.trusted_keys" => value.clone_into(&mut self.trusted_keys),
            "search.low_confidence" => {
                self.low_confidence = match value {
                    "top1" => LowConfidence::Top1,
                    "empty" => LowConfidence::Empty,
                    _ => LowConfidence::Keep,
                }
            }
            "memory.unasked" => {
                self.unasked = match value {
                    "off" => Unasked::Off,
                    "count" => Unasked::Count,
                    _ => Unasked::Titles,
                }
            }
            "remote.pull" => self.pulls = value == "auto",
            "owners" => self.shows_owners = value == "names",
            "search.recency" => self.recency = table::thousandths(value).unwrap_or_default(),
            "search.federation" => self.merges_by_rank = value == "rrf",
            "search.fusion" => self.fuses_by_rank = value == "rrf",
            "symbols" => {
                self.symbols = table::listed(value, SYMBOL_LANGUAGES)
                    .unwrap_or_else(|| SYMBOL_LANGUAGES.to_vec());
            }
            other => unreachable!("`{other}` is in the table of settings"),
        }
    }

    fn set(&mut self, name: &str, value: u64) {
        match name {
            name if self.models.set(name, value) => {}
            "budget_ms" => self.budget_ms = value,
            "first_build_ms" => self.first_build_ms = value,
            "unused_days" => self.unused_days = u32::try_from(value).unwrap_or(u32::MAX),
            "unused_commit_days" => {
                self.unused_commit_days = u32::try_from(value).unwrap_or(u32::MAX);
            }
            "superseded_indexes" => {
                self.superseded_indexes = usize::try_from(value).unwrap_or(usize::MAX);
            }
            "freeze_after_hours" => {
                self.freeze_after_hours = u32::try_from(value).unwrap_or(u32::MAX);
            }
            "max_repo_bytes" => self.max_repo_bytes = value,
            "max_total_bytes" => self.max_total_bytes = value,
            "remote.timeout_ms" => self.remote_timeout_ms = value,
            "search.partial_vectors" => self.models.embed.takes_partial = value != 0,
            "watch.debounce_ms" => self.watch_debounce_ms = value,
            "idle_memory_mb" => self.idle_memory_mb = value,
            "housekeeping" => self.housekeeping = value != 0,
            "repository_file" => self.repository_file = value != 0,
            other => unreachable!("`{other}` is in the table of settings"),
        }
    }
}

/// Returns every setting with its value and where that comes from, in the order of [`SETTINGS`].
///
/// # Errors
/// As [`Config::load`].
pub fn values(flags: &[(&'static str, String)]) -> Result<Vec<SettingValue>> {
    let file = settings_file()?.values;
    SETTINGS
        .iter()
        .map(|setting| {
            let flag = flags.iter().find(|(name, _)| *name == setting.name);
            let variable = std::env::var_os(setting.variable).filter(|text| !text.is_empty());
            let (text, source) = if let Some((_, text)) = flag {
                (Some(text.clone()), SettingSource::Flag)
            } else if let Some(text) = variable {
                let text = text.into_string().map_err(|_| {
                    Error::invalid(
                        format!("{} is not UTF-8", setting.variable),
                        format!("set {} to plain text, or unset it", setting.variable),
                    )
                })?;
                (Some(text), SettingSource::Environment(setting.variable))
            } else if let Some(text) = file.iter().find(|(name, _)| name == setting.name) {
                (Some(text.1.clone()), SettingSource::File(file_path()))
            } else {
                (None, SettingSource::Default)
            };
            let text = match text {
                Some(text) => setting.checked(&text, &source)?,
                None => default(setting)?,
            };
            Ok(SettingValue {
                setting,
                text,
                source,
            })
        })
        .collect()
}

/// Returns the words that the user's file gives to files of repositories.
///
/// # Errors
/// As [`Config::load`].
pub fn marks() -> Result<Vec<FileMark>> {
    Ok(settings_file()?.marks)
}

/// Returns the repositories that the user's file says belong together.
///
/// # Errors
/// As [`Config::load`].
pub fn groups() -> Result<Vec<RepositoryGroup>> {
    Ok(settings_file()?.groups)
}

/// Returns a warning for each setting that is passed over in the user's file in its default place.
pub fn file_warnings() -> Vec<String> {
    settings_file().map_or_else(|_| Vec::new(), |file| file.warnings)
}

fn settings_file() -> Result<file::FileSettings> {
    let is_named = std::env::var_os("CODELENS_CONFIG").is_some_and(|path| !path.is_empty());
    file::read(&file_path(), is_named)
}

/// Returns where the file of the user is looked for: `CODELENS_CONFIG`, else `codelens.toml` in the
/// platform's directory for configuration.
pub fn file_path() -> PathBuf {
    if let Some(path) = std::env::var_os("CODELENS_CONFIG").filter(|path| !path.is_empty()) {
        return PathBuf::from(path);
    }
    directories::ProjectDirs::from("", "", "codelens").map_or_else(
        || PathBuf::from("codelens.toml"),
        |dirs| dirs.config_dir().join("codelens.toml"),
    )
}

fn default(setting: &Setting) -> Result<String> {
    match setting.kind {
        ValueType::Number { default, .. } => Ok(default.to_string()),
        ValueType::Switch { default } => Ok(if default { "on" } else { "off" }.to_owned()),
        ValueType::Text { default, .. } | ValueType::OneOf { default, .. } => {
            Ok(default.to_owned())
        }
        ValueType::Names { .. } => Ok("all".to_owned()),
        ValueType::Share => Ok(table::share_text(0)),
        ValueType::AbsolutePath => directories::ProjectDirs::from("", "", "codelens")
            .and_then(|dirs| Some(Path::to_str(dirs.data_local_dir())?.to_owned()))
            .ok_or_else(|| {
                Error::new(
                    Code::Io,
                    "no data directory is known for this user",
                    "set CODELENS_HOME to a directory that can be written",
                )
            }),
    }
}
