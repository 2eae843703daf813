//! Without a model and a store of the user's no socket to a network is opened, and answers are those of a machine without one.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use super::meaning;
use crate::cli_and_mcp::Session;
use crate::support::{Cli, FakeModel, Fixture, Repo};

/// Commands that answer, each with the same bytes in every data directory.
const QUESTIONS: &[&[&str]] = &[
    &["search", "add money to a cart", "-n", "20"],
    &["search", "\"price\" total", "--explain"],
    &["search", "--match", "regex", "TODO|price"],
    &["explore", "place an order"],
    &["explore", "place an order", "--include", "source"],
    &["map", "--all"],
    &["impact", "addMoney", "--depth", "3"],
    &["related", "packages/catalog/src/index.ts"],
    &["expand", "packages/catalog/src/money.ts"],
    &["ask", "how is money added"],
    &["search", "discount", "--ref", "feature/discounts"],
];

/// Further commands.
const COMMANDS: &[&[&str]] = &[
    &["refresh", "--force"],
    &["current"],
    &["changes", "v1.0.0"],
    &["stats"],
    &["doctor"],
    &["embed", "status"],
    &["embed", "clear"],
    &["save", "here", "--path", "package.json"],
    &["load", "here"],
    &["remote", "list"],
    &["config", "show"],
    &["prune"],
    &["list"],
    &["cache", "key"],
];

/// Builds the library that ends a program which opens a socket to a network.
fn no_sockets(place: &Path) -> PathBuf {
    let library = place.join("no_sockets.so");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/interop/no_sockets.c");
    let mut compiler = Command::new("cc");
    compiler
        .args(["-shared", "-fPIC", "-o"])
        .args([&library, &source]);
    assert!(compiler.status().unwrap().success());
    library
}

fn answers(repo: &Repo, run: &dyn Fn(&Cli, &[&str]) -> Value, cli: &Cli) -> Vec<String> {
    assert!(repo.path().exists());
    let answer = |args: &&[&str]| format!("{args:?}: {}", run(cli, args));
    QUESTIONS.iter().map(answer).collect()
}

/// Runs a command in a network namespace without interfaces.
fn without_interfaces(cli: &Cli, args: &[&str]) -> Value {
    let inner = cli.command(&[args, &["--json"]].concat());
    let mut outer = Command::new("unshare");
    outer
        .args(["--net", "--map-root-user"])
        .arg(inner.get_program())
        .args(inner.get_args())
        .current_dir(inner.get_current_dir().unwrap())
        .env_clear()
        .envs(
            inner
                .get_envs()
                .filter_map(|(name, value)| Some((name, value?))),
        );
    let output = outer.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{args:?}: {said}");
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn no_network() {
    let place = tempfile::tempdir().unwrap();
    let library = no_sockets(place.path());
    let library = library.to_str().unwrap();
    let repo = Fixture::load("shop").build();
    let plain = answers(&repo, &|cli, args| cli.json(args), &Cli::new(repo.path()));
    let mut cli = Cli::new(repo.path());
    cli.set("LD_PRELOAD", library);
    assert_eq!(answers(&repo, &|cli, args| cli.json(args), &cli), plain);
    for args in COMMANDS {
        let ran = cli.run(args);
        assert!(
            ran.code == 0 && ran.stderr.is_empty() || args == &["doctor"] && ran.code >= 0,
            "{args:?}: {ran:?}"
        );
    }
    let mut session = Session::of(cli.command(&["serve"]));
    for (id, tool) in ["cl_search", "cl_explore"].iter().enumerate() {
        let params = json!({"name": tool, "arguments": {"query": "add money to a cart"}});
        let answer = session.ask(id as u64 + 1, "tools/call", &params);
        assert_eq!(
            answer["result"]["structuredContent"]["freshness"], "fresh",
            "{answer}"
        );
    }
    session.close();
    // A model on the disk needs none either.
    meaning::static_model(place.path(), 0.0);
    cli.set("CODELENS_EMBED_PROVIDER", "local");
    cli.set("CODELENS_EMBED_MODEL", place.path().to_str().unwrap());
    cli.set("CODELENS_EMBED_WEIGHT", "1");
    for args in [
        &["embed", "build"][..],
        &["search", "pause the server"],
        &["doctor"],
    ] {
        let ran = cli.run(args);
        assert!(ran.code >= 0, "{args:?}: {ran:?}");
    }
    assert_eq!(
        cli.json(&["search", "pause the server"])["ranking"]["vector"]["state"],
        "whole"
    );
    // An address of the user's is the one thing that opens a socket.
    let server = FakeModel::start();
    cli.set("CODELENS_EMBED_PROVIDER", "http");
    cli.set("CODELENS_EMBED_URL", server.embeddings());
    let ran = cli.run(&["embed", "build"]);
    assert!(
        ran.code == -1 && ran.stderr.contains("a socket to a network"),
        "{ran:?}"
    );
}

#[test]
fn answers_are_those_of_a_machine_without_a_network() {
    let may = Command::new("unshare")
        .args(["--net", "--map-root-user", "true"])
        .output();
    if !may.is_ok_and(|ran| ran.status.success()) {
        // This user may make no namespace.
        return;
    }
    let repo = Fixture::load("shop").build();
    let plain = answers(&repo, &|cli, args| cli.json(args), &Cli::new(repo.path()));
    assert_eq!(
        answers(&repo, &without_interfaces, &Cli::new(repo.path())),
        plain
    );
}
