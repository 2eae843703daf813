//! `codelens config show`: each setting with its value, and why it has it.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{ArgMatches, Command};
use serde_json::json;

use super::render::{self, GroupOutput, MarkOutput, SettingOutput, SettingsOutput};
use super::run::{named_repo, named_settings, show};
use super::screen::Screen;
use crate::config::{self, Config, SettingSource, repository};
use crate::error::{Code, Result};
use crate::workspace::Workspaces;

const SHOW: &str = "\
Prints each setting with its value, unit, source and bounds. They come from codelens.toml in the platform's directory for \
configuration (or CODELENS_CONFIG), then the environment, then flags.

A repository may say in `.codelens.toml` which of its files matter (`exclude`, `max_file_bytes`); any other key there is told \
and passed over, and repository_file = false passes over all of it.";

/// Returns the command.
pub(super) fn command() -> Command {
    Command::new("config")
        .about("Show the settings")
        .after_help("Examples:\n  codelens config show")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(
            Command::new("show")
                .about("Print each setting with its value, unit, source and bounds")
                .long_about(SHOW)
                .after_help("Examples:\n  codelens config show\n  codelens config show --json"),
        )
}

/// Prints the settings.
pub(super) fn run(matches: &ArgMatches, cwd: Option<&PathBuf>) -> ExitCode {
    let (_, matches) = matches
        .subcommand()
        .expect("the command line is refused without one");
    show(matches, || {
        let mut settings: Vec<SettingOutput> = config::values(&named_settings(matches))?
            .into_iter()
            .map(|value| SettingOutput {
                name: value.setting.name,
                value: value.text,
                unit: value.setting.unit,
                source: match value.source {
                    SettingSource::Default => "default".to_owned(),
                    SettingSource::File(_) => "file".to_owned(),
                    SettingSource::Environment(variable) => format!("environment ({variable})"),
                    SettingSource::Flag => "flag".to_owned(),
                },
                bounds: value.setting.bounds(),
                variable: Some(value.setting.variable),
                about: value.setting.about,
            })
            .collect();
        let said = of_repository(matches, cwd)?;
        for key in &repository::KEYS {
            let is_set = said
                .as_ref()
                .is_some_and(|said| said.set.contains(&key.name));
            let indexing_rules = said
                .as_ref()
                .map(|said| said.indexing_rules.clone())
                .unwrap_or_default();
            settings.push(SettingOutput {
                name: key.name,
                value: match key.name {
                    "exclude" => indexing_rules.exclude.join(" "),
                    _ => indexing_rules.max_file_bytes.to_string(),
                },
                unit: key.unit,
                source: if is_set { "repository" } else { "default" }.to_owned(),
                bounds: key.bounds.to_owned(),
                variable: None,
                about: key.about,
            });
        }
        let mut warnings = config::file_warnings();
        warnings.extend(said.into_iter().flat_map(|said| said.warnings));
        let path = config::file_path();
        let marks = config::marks()?.into_iter().map(|mark| MarkOutput {
            repo: mark.repo.display().to_string(),
            path: mark.path,
            word: mark.word.as_str(),
        });
        let groups = config::groups()?.into_iter().map(|group| GroupOutput {
            name: group.name,
            repos: group
                .repos
                .iter()
                .map(|it| it.display().to_string())
                .collect(),
        });
        let output = SettingsOutput {
            workspaces: groups.collect(),
            marks: marks.collect(),
            warnings,
            file: path.display().to_string(),
            file_exists: path.is_file(),
            settings,
        };
        let text = render::settings(&output, &Screen::of_stdout());
        Ok((json!(output), text))
    })
}

/// Returns the repository's own settings; `None` outside of one.
fn of_repository(
    matches: &ArgMatches,
    cwd: Option<&PathBuf>,
) -> Result<Option<repository::RepositorySettings>> {
    let places: Vec<PathBuf> = named_repo(matches, cwd)
        .or_else(|| cwd.cloned())
        .into_iter()
        .collect();
    let workspaces = Workspaces::new(Config::load(&named_settings(matches))?);
    match workspaces.open(None, &places) {
        Ok(workspace) => Ok(Some(workspace.repository_settings(&workspace.repo()?))),
        Err(error) if matches!(error.code, Code::NotARepo | Code::PathNotFound | Code::Git) => {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}
