//! `codelens serve`: the tools for agents, over standard input and output or over HTTP.
//!
//! An address that is not of this machine needs `--allow-remote`.

use std::fmt::Write as _;
use std::io::{IsTerminal, stderr, stdin};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, ToSocketAddrs};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use serde_json::json;

use super::run::{named_repo, named_settings};
use super::{flags, output};
use crate::config::Config;
use crate::error::{Code, Error, Result};
use crate::mcp::http::{AccessToken, Listen};
use crate::mcp::{http, stdio};
use crate::tools::ToolSpec;
use crate::tools::toolset::select;
use crate::workspace::{Served, Workspaces, cut_argument};

/// The variable that may hold the token.
const TOKEN_VARIABLE: &str = "CODELENS_HTTP_TOKEN";

const EXAMPLES: &str = "\
Over HTTP every request has to show a token: `Authorization: Bearer TOKEN`. It is made at the first start and \
kept in the data directory for its user alone, unless CODELENS_HTTP_TOKEN or --token-file brings one.

Examples:
  codelens serve
  codelens serve --tools lean
  codelens serve --repo ~/src/project
  codelens serve --http 127.0.0.1:7345
  codelens serve --http 7345 --root ~/src/project --root ~/src/library
  codelens serve --workspace shop";

/// Returns the command.
pub(super) fn command() -> Command {
    let with_http = |arg: Arg| arg.requires("http");
    Command::new("serve")
        .about("Serve the tools to agents over MCP: on standard input and output, or over HTTP")
        .arg(tools_arg())
        .arg(
            Arg::new("http")
                .long("http")
                .value_name("ADDRESS")
                .help("Listen for HTTP there: HOST:PORT, or the PORT alone for this machine; port 0 takes a free one"),
        )
        .arg(
            Arg::new("root")
                .long("root")
                .value_name("PATH")
                .action(ArgAction::Append)
                .value_parser(value_parser!(PathBuf))
                .help("A repository to serve, and no other; repeat it for more, which `repo: \"all\"` asks together [default over HTTP: --repo, else the working directory]"),
        )
        .arg(
            Arg::new("workspace")
                .long("workspace")
                .value_name("NAME")
                .action(ArgAction::Append)
                .help("Serve the repositories of a [[workspace]] of codelens.toml, as if --root named each"),
        )
        .arg(with_http(
            Arg::new("token_file")
                .long("token-file")
                .value_name("FILE")
                .value_parser(value_parser!(PathBuf))
                .help("The file that holds the token; nobody else may read it"),
        ))
        .arg(with_http(
            Arg::new("allow_host")
                .long("allow-host")
                .value_name("NAME")
                .action(ArgAction::Append)
                .help("A name by which clients call this server, as a proxy gives it; repeat it for more"),
        ))
        .arg(with_http(
            Arg::new("allow_remote")
                .long("allow-remote")
                .action(ArgAction::SetTrue)
                .help("Listen on an address that other machines reach. Nothing is encrypted: the token and the code can be read on the way"),
        ))
        .after_help(EXAMPLES)
}

/// Returns the option that chooses tools.
pub(super) fn tools_arg() -> Arg {
    Arg::new("tools")
        .long("tools")
        .value_name("LIST")
        .allow_hyphen_values(true)
        .help("Which tools are offered: default, lean, find, read, or names; +NAME adds, -NAME takes away [env: CODELENS_TOOLS]")
}

/// Returns the settings that the command line names.
fn settings(matches: &ArgMatches) -> Vec<(&'static str, String)> {
    let mut settings = named_settings(matches);
    let tools = matches.get_one::<String>("tools");
    settings.extend(tools.map(|tools| ("tools", tools.clone())));
    settings
}

/// Returns the tools that are offered; a name that means nothing costs a warning alone.
fn offered(config: &Config) -> Vec<ToolSpec> {
    let selection = select(&config.tools);
    for name in &selection.unknown {
        let name = name.escape_debug();
        output::eprint_note(&format!(
            "codelens: `{name}` is no tool and no set of tools (default, lean, find, read): passed over\n"
        ));
    }
    selection.tools
}

/// Serves until the client leaves or the process is asked to end.
pub(super) fn run(matches: &ArgMatches, cwd: Option<PathBuf>) -> ExitCode {
    let served = match matches.get_one::<String>("http") {
        Some(address) => over_http(matches, address, cwd.as_ref()),
        None => over_stdio(matches, cwd),
    };
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => output::failure(&error, flags::is_json(matches)),
    }
}

fn over_stdio(matches: &ArgMatches, cwd: Option<PathBuf>) -> Result<()> {
    if stdin().is_terminal() {
        output::eprint_note(
            "codelens: waiting for an agent on standard input; `codelens help` shows the commands for people\n",
        );
    }
    let config = Config::load(&settings(matches))?;
    let repo = named_repo(matches, cwd.as_ref());
    let tools = offered(&config);
    let workspaces = Workspaces::new(config).for_server();
    let roots = roots(matches, cwd.as_ref(), workspaces.config())?;
    let workspaces = if roots.is_empty() {
        workspaces
    } else {
        workspaces.limited_to(served(&roots, "--root")?)
    };
    stdio::serve(tools, workspaces, repo, cwd)
}

/// Returns the repositories that the command line names, by themselves or as a group; no others are served.
fn roots(matches: &ArgMatches, cwd: Option<&PathBuf>, config: &Config) -> Result<Vec<PathBuf>> {
    let roots = matches.get_many::<PathBuf>("root");
    let roots = roots.into_iter().flatten();
    let mut roots: Vec<PathBuf> = roots
        .map(|root| cwd.map_or_else(|| root.clone(), |cwd| cwd.join(root)))
        .collect();
    let names = matches.get_many::<String>("workspace");
    for name in names.into_iter().flatten() {
        let group = config.groups.iter().find(|group| group.name == *name);
        let group = group.ok_or_else(|| {
            let known = config.groups.iter().map(|group| group.name.as_str());
            let known: Vec<&str> = known.collect();
            let hint = if known.is_empty() {
                "codelens.toml has none; `codelens config show` tells where it is".to_owned()
            } else {
                format!("codelens.toml has {}", known.join(", "))
            };
            let name = cut_argument(name);
            Error::invalid(format!("there is no [[workspace]] `{name}`"), hint)
        })?;
        roots.extend(group.repos.iter().cloned());
    }
    Ok(roots)
}

/// Returns the repositories around `places`, which the option `option` named.
fn served(places: &[PathBuf], option: &str) -> Result<Served> {
    Served::at(places).map_err(|error| {
        let missing = places.iter().find(|place| !place.exists());
        let message = match missing {
            Some(missing) => format!("there is no file or directory `{}`", missing.display()),
            None => error.message.clone(),
        };
        let code = missing.map_or(error.code, |_| Code::PathNotFound);
        let hint = match error.code {
            Code::NotARepo => format!("pass `{option}` as a path inside a git work tree"),
            _ => error.hint.clone(),
        };
        Error::new(code, message, hint).because(error)
    })
}

fn over_http(matches: &ArgMatches, address: &str, cwd: Option<&PathBuf>) -> Result<()> {
    let address = parse(address)?;
    if !address.ip().is_loopback() && !matches.get_flag("allow_remote") {
        return Err(Error::invalid(
            format!("other machines reach {}", address.ip()),
            "listen on 127.0.0.1, or pass --allow-remote if that is meant; nothing is encrypted",
        ));
    }
    let config = Config::load(&settings(matches))?;
    let roots = roots(matches, cwd, &config)?;
    let served = if roots.is_empty() {
        let only = named_repo(matches, cwd).or_else(|| cwd.cloned());
        served(&Vec::from_iter(only), "--repo")?
    } else {
        served(&roots, "--root")?
    };
    let token = token(matches, cwd, &config)?;
    let listen = Listen {
        address,
        hosts: matches
            .get_many::<String>("allow_host")
            .into_iter()
            .flatten()
            .cloned()
            .collect(),
        token: token.clone(),
    };
    let names: Vec<String> = served.names().map(str::to_owned).collect();
    let tools = offered(&config);
    let workspaces = Workspaces::new(config).for_server().limited_to(served);
    http::serve(tools, workspaces, &listen, |address| {
        tell(address, &names, &token, flags::is_json(matches));
    })
}

/// Returns the address that was asked for; a port alone is one of this machine.
fn parse(address: &str) -> Result<SocketAddr> {
    if let Ok(port) = address.parse::<u16>() {
        return Ok(SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port));
    }
    let found = address.to_socket_addrs().ok();
    found.and_then(|mut found| found.next()).ok_or_else(|| {
        Error::invalid(
            format!("`{}` is no address to listen on", address.escape_debug()),
            "pass HOST:PORT, as in 127.0.0.1:7345, or a PORT",
        )
    })
}

fn token(matches: &ArgMatches, cwd: Option<&PathBuf>, config: &Config) -> Result<AccessToken> {
    if let Some(file) = matches.get_one::<PathBuf>("token_file") {
        let file = cwd.map_or_else(|| file.clone(), |cwd| cwd.join(file));
        return AccessToken::from_file(&file);
    }
    match std::env::var(TOKEN_VARIABLE) {
        Ok(text) if !text.is_empty() => AccessToken::of(&text),
        _ => AccessToken::of_home(&config.home),
    }
}

/// Says where the server is, and how it is entered. The secret itself is shown where it was made, or to
/// somebody who watches: a log of a later start does not hold it.
fn tell(address: SocketAddr, names: &[String], token: &AccessToken, is_json: bool) {
    let base = format!("http://{address}/mcp");
    let urls: Vec<String> = match names {
        [_] => vec![base.clone()],
        names => names.iter().map(|name| format!("{base}/{name}")).collect(),
    };
    if is_json {
        let file = token.file().map(|file| file.display().to_string());
        let value = json!({
            "url": base,
            "repositories": names,
            "tokenFile": file,
        });
        output::data(&format!("{value}\n"));
        return;
    }
    let mut text = String::from("codelens: listening\n");
    for url in urls {
        let _ = writeln!(text, "  {url}");
    }
    if token.is_new() || stderr().is_terminal() {
        let _ = writeln!(text, "  Authorization: Bearer {}", token.reveal());
    }
    if let Some(file) = token.file() {
        let _ = writeln!(text, "  the token is kept in {}", file.display());
    }
    output::eprint_note(&text);
}
