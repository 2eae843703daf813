//! The binary: argv, logging, then the command line; nothing else.

use std::io::IsTerminal;
use std::process::ExitCode;

use codelens::cli;
use tracing_subscriber::EnvFilter;

/// A build makes and drops millions of small values on several threads.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let command = match cli::parse(std::env::args_os()) {
        Ok(command) => command,
        Err(code) => return code,
    };
    let is_coloured = std::io::stderr().is_terminal()
        && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty());
    tracing_subscriber::fmt()
        .with_env_filter(EnvFilter::builder().parse_lossy(command.log_filter()))
        .with_writer(std::io::stderr)
        .with_ansi(is_coloured)
        .init();
    #[expect(
        clippy::disallowed_methods,
        reason = "the edge of the command line, where it is read once"
    )]
    let cwd = std::env::current_dir().ok();
    cli::run(&command, cwd)
}
