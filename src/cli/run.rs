//! A command from its arguments to its exit code.
//!
//! Knows interrupts and faults. Refuses to know how a value looks.

use std::io::{IsTerminal, stdin, stdout};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use clap::ArgMatches;
use serde_json::Value;

use super::progress::Meter;
use super::screen::Screen;
use super::{args, output, render};
use crate::config::{BUDGET_MS, Config};
use crate::error::{Code, Error, Result};
use crate::mcp;
use crate::tools::{Call, ToolSpec};
use crate::workspace::Workspaces;

/// How long a question may build before it shows how far it is.
const PATIENCE: Duration = Duration::from_millis(300);

/// Runs a tool and prints what it returns.
pub(super) fn tool(tool: &ToolSpec, matches: &ArgMatches, cwd: Option<PathBuf>) -> ExitCode {
    let is_json = args::is_json(matches);
    let input = match (tool.input_of)(matches) {
        Ok(input) => input,
        Err(refused) => return output::usage(&refused.format(&mut args::command())),
    };
    let interrupt = Arc::new(AtomicBool::new(false));
    listen_for_interrupts(&interrupt);
    let delay = if tool.name == "cl_refresh" {
        Duration::ZERO
    } else {
        PATIENCE
    };
    let meter = Meter::new(delay, args::verbosity(matches) > 0);
    let outcome = call(tool, input, matches, cwd, &interrupt, &meter);
    meter.clear();
    let code = match outcome {
        Ok(value) if is_json => output::data(&format!("{value}\n")),
        Ok(value) => {
            let page = render::page(tool.name, &value, &Screen::of_stdout());
            let is_exact = tool.name == "cl_expand" && !stdout().is_terminal();
            let code = match value["content"].as_str() {
                Some(content) if is_exact => output::exact(content),
                _ => output::data(&page.data),
            };
            let failed = value["checks"]
                .as_array()
                .is_some_and(|checks| checks.iter().any(|check| check["ok"] == false));
            output::aside(&page.aside);
            if failed { ExitCode::FAILURE } else { code }
        }
        Err(error) => output::failure(&error, is_json),
    };
    if interrupt.load(Ordering::Relaxed) {
        return ExitCode::from(output::INTERRUPTED);
    }
    code
}

/// Serves the tools over standard input and output until the client leaves.
pub(super) fn serve(matches: &ArgMatches, cwd: Option<PathBuf>) -> ExitCode {
    if stdin().is_terminal() {
        output::aside(
            "codelens: waiting for an agent on standard input; `codelens help` shows the commands for people\n",
        );
    }
    let served = config(matches).and_then(|config| {
        let repo = named_repo(matches, cwd.as_ref());
        mcp::stdio::serve(Workspaces::new(config).for_server(), repo, cwd)
    });
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => output::failure(&error, false),
    }
}

/// Prints the completion script of a shell.
pub(super) fn completions(matches: &ArgMatches) -> ExitCode {
    let shell = *matches
        .get_one::<clap_complete::Shell>("shell")
        .expect("the argument is required");
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut args::command(), "codelens", &mut script);
    output::data(&String::from_utf8_lossy(&script))
}

fn call(
    tool: &ToolSpec,
    input: Value,
    matches: &ArgMatches,
    cwd: Option<PathBuf>,
    interrupt: &Arc<AtomicBool>,
    meter: &Meter,
) -> Result<Value> {
    let workspaces = Workspaces::new(config(matches)?);
    // What was named stands alone: a mistyped place must not be answered from another repository.
    let places: Vec<_> = named_repo(matches, cwd.as_ref())
        .or(cwd)
        .into_iter()
        .collect();
    let call = Call {
        workspaces: &workspaces,
        places: &places,
        interrupt: Arc::clone(interrupt),
        progress: &|progress| meter.show(progress),
    };
    let _span = tracing::info_span!("call", tool = tool.name).entered();
    catch_unwind(AssertUnwindSafe(|| (tool.call)(input, &call))).unwrap_or_else(|_| {
        Err(Error::new(
            Code::Internal,
            format!("{} failed by a fault of this program", tool.name),
            "run it again; if it fails again, run `codelens doctor` and report the lines above",
        ))
    })
}

fn config(matches: &ArgMatches) -> Result<Config> {
    let mut config = Config::from_environment()?;
    if let Some(budget_ms) = args::budget_ms(matches) {
        config.budget_ms = budget_ms.clamp(*BUDGET_MS.start(), *BUDGET_MS.end());
    }
    Ok(config)
}

fn named_repo(matches: &ArgMatches, cwd: Option<&PathBuf>) -> Option<PathBuf> {
    let repo = args::repo(matches)?;
    Some(cwd.map_or_else(|| repo.clone(), |cwd| cwd.join(&repo)))
}

/// Makes the first interrupt a wish to stop and the second an order.
fn listen_for_interrupts(interrupt: &Arc<AtomicBool>) {
    let interrupt = Arc::clone(interrupt);
    let listening = ctrlc::set_handler(move || {
        if interrupt.swap(true, Ordering::Relaxed) {
            #[expect(clippy::exit, reason = "whoever asks twice does not want to wait")]
            std::process::exit(i32::from(output::INTERRUPTED));
        }
    });
    if let Err(error) = listening {
        tracing::debug!(%error, "interrupts end the process at once");
    }
}
