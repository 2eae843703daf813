//! `cl_doctor`: whether everything that an answer rests on is in order.

use schemars::JsonSchema;
use serde::Serialize;

use super::index_state::NoInput;
use super::toolset::select;
use super::{Call, Tool};
use crate::error::{Code, Result};
use crate::workspace::doctor::{
    data_dir, models,
    repository::{self, Check},
};

/// `cl_doctor`.
pub struct Doctor;

/// The checks and their findings.
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is a field of the tool's contract"
)]
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DoctorOutput {
    pub(crate) code_version: &'static str,
    pub(crate) schema_version: i64,
    pub(crate) sqlite_version: &'static str,
    pub(crate) git_present: bool,
    pub(crate) integrity_ok: bool,
    pub(crate) wal_mode: bool,
    pub(crate) in_git_repo: bool,
    pub(crate) data_dir: String,
    pub(crate) checks: Vec<CheckOutput>,
}

/// One check.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CheckOutput {
    pub(crate) name: &'static str,
    pub(crate) ok: bool,
    pub(crate) detail: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) fix: Option<String>,
}

/// Checks the setting `tools`; `None` where it is the default.
fn served_tools(setting: &str) -> Option<Check> {
    if setting == "default" {
        return None;
    }
    let selection = select(setting);
    let n_tools = selection.tools.len();
    let Some(unknown) = selection.unknown.first() else {
        return Some(Check::passed("tools", format!("{n_tools} are offered")));
    };
    Some(Check::failed(
        "tools",
        format!(
            "`{}` is no tool and no set of tools: passed over, {n_tools} are offered",
            unknown.escape_debug()
        ),
        "correct `tools` in codelens.toml or CODELENS_TOOLS: default, lean, find, read, or names of tools",
    ))
}

impl Tool for Doctor {
    const NAME: &'static str = "cl_doctor";
    const TITLE: &'static str = "Check repository and index";
    const ABOUT: &'static str = "Checks the repository, the data directory and the index, and says how to repair a failure. Use it when \
        another tool reports `io`, `git` or `internal`.";
    const EXAMPLES: &'static str = "codelens doctor\ncodelens doctor --json";
    type Input = NoInput;
    type Output = DoctorOutput;

    fn run(input: NoInput, call: &Call<'_>) -> Result<DoctorOutput> {
        let mut checks = Vec::new();
        let mut integrity_ok = true;
        let mut wal_mode = true;
        let mut in_git_repo = false;
        match call.workspaces.open(input.repo.as_deref(), call.places) {
            Ok(workspace) => {
                in_git_repo = true;
                checks.push(repository::data_directory(call.workspaces.config()));
                let found = repository::of_repository(&workspace);
                integrity_ok = found.integrity_ok;
                wal_mode = found.wal_mode;
                checks.extend(found.checks);
                checks.extend(models::of_models(&workspace, &call.interrupt));
            }
            Err(error) => {
                in_git_repo |= !matches!(error.code, Code::NotARepo | Code::PathNotFound);
                checks.push(Check::failed("repository", error.message, error.hint));
            }
        }
        checks.extend(repository::settings_file());
        checks.extend(served_tools(&call.workspaces.config().tools));
        checks.extend(data_dir::of_data_directory(call.workspaces));
        Ok(DoctorOutput {
            code_version: env!("CARGO_PKG_VERSION"),
            schema_version: repository::schema_version(),
            sqlite_version: repository::sqlite_version(),
            git_present: repository::has_git_program(),
            integrity_ok,
            wal_mode,
            in_git_repo,
            data_dir: call.workspaces.config().home.display().to_string(),
            checks: checks
                .into_iter()
                .map(|check| CheckOutput {
                    name: check.name,
                    ok: check.fix.is_none(),
                    detail: check.detail,
                    fix: check.fix,
                })
                .collect(),
        })
    }
}
