//! For equal input, MCP, `--json` and plain HTTP, by `POST` and by `GET`, give the same value; and reading writes nothing.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::cli_and_mcp::Session;
use crate::http_api::Server;
use crate::support::{Cli, Fixture, walk};

/// Returns a value without the fields in which two answers for one tree may differ.
fn steady(mut value: Value) -> Value {
    if let Some(object) = value.as_object_mut() {
        object.remove("generation");
        object.remove("proof");
        object.remove("nextCursor");
    }
    value
}

#[test]
fn faces_agree() {
    let repo = Fixture::load("shop").build();
    let cli = Cli::new(repo.path());
    cli.json(&["refresh"]);
    let mut session = Session::of(cli.command(&["serve"]));
    let server = Server::of(repo, &cli);
    let money = "packages/catalog/src/money.ts";
    for (at, (args, input)) in [
        (
            &["search", "price", "--related"][..],
            json!({"query": "price", "related": true}),
        ),
        (
            &["explore", "place an order", "--max-files", "3", "--related-depth", "2", "--snippet", "full"],
            json!({"query": "place an order", "maxFiles": 3, "relatedDepth": 2, "snippet": "full"}),
        ),
        (&["related", money], json!({"path": money})),
        (
            &["related", money, "--types", "imported_by,tests", "--depth", "1", "--direction", "in"],
            json!({"path": money, "types": ["imported_by", "tests"], "depth": 1, "direction": "in"}),
        ),
        (&["impact", "addMoney"], json!({"symbol": "addMoney"})),
        (&["impact", "--changes"], json!({"changes": true})),
        (
            &["impact", "add", "--depth", "3", "--include-tests", "false"],
            json!({"symbol": "add", "depth": 3, "includeTests": false}),
        ),
        (&["map", money], json!({"path": money})),
    ]
    .into_iter()
    .enumerate()
    {
        let printed = cli.json(args);
        let params = json!({"name": format!("cl_{}", args[0]), "arguments": input});
        let called = session.ask(at as u64 + 1, "tools/call", &params);
        let result = &called["result"];
        let text: Value =
            serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
        assert_eq!(result["structuredContent"], text, "{args:?}");
        assert_eq!(printed["freshness"], "fresh", "{args:?}");
        let printed = steady(printed);
        assert_eq!(steady(text), printed, "{args:?}");
        for plain in server.asked(args[0], &input) {
            assert_eq!(steady(plain), printed, "{args:?}");
        }
    }
    assert_eq!(session.close().2, Some(0));
}

/// Returns the bytes of all files below some directories, by their hash, but for the counts of calls and what processes hold in common.
fn bytes_below(places: &[&Path]) -> BTreeMap<PathBuf, String> {
    let is_kept = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        !name.starts_with("usage.db") && !name.ends_with("-shm")
    };
    let files = places.iter().flat_map(|place| walk(place)).filter(is_kept);
    let hash = |path: &PathBuf| {
        let bytes = std::fs::read(path).unwrap_or_default();
        blake3::hash(&bytes).to_hex().to_string()
    };
    files.map(|path| (path.clone(), hash(&path))).collect()
}

#[test]
fn nothing_to_disk_on_reads() {
    let repo = Fixture::load("shop").build();
    let cli = Cli::new(repo.path());
    cli.json(&["refresh"]);
    let mut session = Session::of(cli.command(&["serve"]));
    let questions = [
        ("cl_search", json!({"query": "price"})),
        ("cl_search", json!({"query": "price", "match": "literal"})),
        (
            "cl_explore",
            json!({"query": "place an order", "include": ["history", "metrics"]}),
        ),
        ("cl_map", json!({"path": "packages"})),
        (
            "cl_expand",
            json!({"path": "packages/catalog/src/money.ts", "symbol": "addMoney"}),
        ),
        (
            "cl_impact",
            json!({"symbol": "addMoney", "sites": true, "risk": true}),
        ),
        (
            "cl_related",
            json!({"path": "packages/catalog/src/money.ts"}),
        ),
        ("cl_changes", json!({})),
        ("cl_load", json!({"query": "price"})),
        ("cl_current", json!({})),
        ("cl_stats", json!({})),
    ];
    let mut id = 0;
    let mut ask_all = || {
        for (tool, input) in &questions {
            id += 1;
            let params = json!({"name": tool, "arguments": input});
            let answer = session.ask(id, "tools/call", &params);
            assert_ne!(answer["result"]["isError"], true, "{answer}");
        }
    };
    let home = cli.home();
    let work_tree = repo.path();
    let places = [work_tree.as_path(), home.as_path()];
    ask_all();
    // The work behind the first answers ends: a checkpoint, housekeeping.
    let until = Instant::now() + Duration::from_secs(20);
    let mut before = bytes_below(&places);
    loop {
        std::thread::sleep(Duration::from_secs(1));
        let now = bytes_below(&places);
        if now == before {
            break;
        }
        assert!(Instant::now() < until, "it goes on writing");
        before = now;
    }
    for _ in 0..5 {
        ask_all();
    }
    assert!(before.len() > 20, "{before:?}");
    assert_eq!(bytes_below(&places), before);
    // And a write is seen.
    cli.json(&["save", "prices", "--path", "packages/catalog/src/money.ts"]);
    assert_ne!(bytes_below(&places), before);
}
