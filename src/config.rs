//! Settings: defaults, then the environment, then flags.
//!
//! Refuses to know who uses a value.

use std::path::PathBuf;
use std::time::Duration;

use crate::error::{Error, Result};

/// The bounds of [`Config::budget_ms`].
pub const BUDGET_MS: std::ops::RangeInclusive<u64> = 0..=600_000;

/// Every setting, with its unit in its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// The data directory: `CODELENS_HOME`, else the platform's data directory for `codelens`.
    pub home: PathBuf,
    /// How long a query may look for changes and bring the index up before it answers, in
    /// milliseconds: `CODELENS_BUDGET_MS`, else 500.
    pub budget_ms: u64,
}

impl Config {
    /// Returns the settings from the environment.
    ///
    /// # Errors
    /// `invalid_argument` for a value that means nothing; `io` where no data directory can be named.
    pub fn from_environment() -> Result<Self> {
        let home = match std::env::var_os("CODELENS_HOME") {
            Some(home) if !home.is_empty() => {
                let home = PathBuf::from(home);
                if !home.is_absolute() {
                    return Err(Error::invalid(
                        "CODELENS_HOME is not an absolute path",
                        "set CODELENS_HOME to an absolute path, or unset it",
                    ));
                }
                home
            }
            _ => directories::ProjectDirs::from("", "", "codelens")
                .map(|dirs| dirs.data_local_dir().to_owned())
                .ok_or_else(|| {
                    Error::new(
                        crate::error::Code::Io,
                        "no data directory is known for this user",
                        "set CODELENS_HOME to a directory that can be written",
                    )
                })?,
        };
        let budget_ms = match std::env::var("CODELENS_BUDGET_MS") {
            Ok(text) => text.parse::<u64>().map_err(|_| {
                Error::invalid(
                    "CODELENS_BUDGET_MS is not a number of milliseconds",
                    "set CODELENS_BUDGET_MS to a whole number, for example 500",
                )
            })?,
            Err(_) => 500,
        };
        Ok(Self {
            home,
            budget_ms: budget_ms.clamp(*BUDGET_MS.start(), *BUDGET_MS.end()),
        })
    }

    /// Returns the time that a query has.
    pub fn budget(&self) -> Duration {
        Duration::from_millis(self.budget_ms)
    }
}
