//! Counters of calls: servers count in memory and write them down apart from all indexes; commands are not counted.

use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime};

use serde_json::{Value, json};

use super::bundle::PROJECT;
use crate::cli_and_mcp::Session;
use crate::support::{Cli, Fixture, walk};

fn ask(session: &mut Session, id: u64, tool: &str, arguments: &Value) -> Value {
    let asked = json!({"name": tool, "arguments": arguments});
    session.ask(id, "tools/call", &asked)["result"]["structuredContent"].clone()
}

/// Files below the data directory but for the counters, with their lengths and times.
fn files(cli: &Cli) -> Vec<(PathBuf, u64, SystemTime)> {
    let mut files = walk(&cli.home());
    files.sort();
    // The shared memory of SQLite and the mark of the last use change by reading.
    let is_steady = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy();
        !name.starts_with("usage.db") && !name.ends_with("-shm") && !name.ends_with(".open")
    };
    let known = files.into_iter().filter(is_steady).map(|path| {
        let meta = path.metadata().unwrap();
        (path, meta.len(), meta.modified().unwrap())
    });
    known.collect()
}

/// Waits until a server has done what its first answer left, and returns the files then.
fn settled(cli: &Cli) -> Vec<(PathBuf, u64, SystemTime)> {
    let until = Instant::now() + Duration::from_mins(1);
    loop {
        let before = files(cli);
        std::thread::sleep(Duration::from_secs(4));
        if files(cli) == before {
            return before;
        }
        assert!(Instant::now() < until, "the server does not come to rest");
    }
}

#[test]
fn servers_count_their_calls_and_readers_write_to_no_index() {
    let repo = Fixture::parse(PROJECT).build();
    let cli = Cli::new(repo.path());
    cli.json(&["refresh"]);
    cli.json(&["search", "open store"]);
    let counters = cli.home().join("usage.db");
    assert_eq!(cli.json(&["stats", "--usage"])["usage"]["calls"], json!({}));
    let shown = cli.run(&["stats", "--usage"]).stdout;
    assert!(shown.contains("no calls of servers counted yet"), "{shown}");
    assert!(!counters.exists(), "a command is not counted");
    let mut session = Session::of(cli.command(&["serve"]));
    ask(
        &mut session,
        1,
        "cl_search",
        &json!({"query": "open store"}),
    );
    // A file that was written a moment before the first answer is looked at again by the next one, which notes that.
    settled(&cli);
    ask(
        &mut session,
        2,
        "cl_search",
        &json!({"query": "open store"}),
    );
    let before = settled(&cli);
    for id in 3..=10 {
        let found = ask(
            &mut session,
            id,
            "cl_search",
            &json!({"query": "open store"}),
        );
        assert_eq!(found["freshness"], "fresh");
    }
    ask(&mut session, 11, "cl_search", &json!({"query": ""}));
    ask(
        &mut session,
        12,
        "cl_expand",
        &json!({"handle": "sym_0123456789abcdef"}),
    );
    let usage = ask(&mut session, 13, "cl_stats", &json!({"usage": true}))["usage"].clone();
    assert_eq!(
        (&usage["calls"]["cl_search"], &usage["calls"]["cl_expand"]),
        (&11.into(), &1.into()),
        "{usage}"
    );
    assert_eq!(
        usage["errors"],
        json!({"invalid_argument": 1, "unknown_handle": 1})
    );
    assert_eq!(usage["freshness"]["fresh"], 10, "{usage}");
    assert!(usage["tokensOut"].as_u64() > Some(100), "{usage}");
    assert!(
        usage["p50Ms"].as_u64() <= usage["p95Ms"].as_u64(),
        "{usage}"
    );
    assert!(
        usage["since"].as_str().unwrap().starts_with("20"),
        "{usage}"
    );
    let until = Instant::now() + Duration::from_secs(20);
    while !counters.exists() && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(100));
    }
    assert!(counters.exists(), "they are written when nobody asks");
    assert_eq!(files(&cli), before, "no other file is written");
    // Without the flag nothing is said; the last call is written when the session ends.
    let quiet = ask(&mut session, 14, "cl_stats", &json!({}));
    assert!(quiet.get("usage").is_none(), "{quiet}");
    let (took, _, code) = session.close();
    assert_eq!(code, Some(0));
    assert!(took < Duration::from_secs(1), "{took:?}");
    let written = cli.json(&["stats", "--usage"])["usage"].clone();
    assert_eq!(
        (
            &written["calls"]["cl_search"],
            &written["calls"]["cl_stats"]
        ),
        (&11.into(), &2.into()),
        "{written}"
    );
    assert_eq!(written["since"], usage["since"]);
    let shown = cli.run(&["stats", "--usage"]).stdout;
    for part in [
        "14 of servers since 20",
        "cl_search 11",
        "95 of 100",
        "unknown_handle 1",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
}

#[test]
fn servers_add_up_and_damaged_counters_begin_anew() {
    let repo = Fixture::parse(PROJECT).build();
    let cli = Cli::new(repo.path());
    cli.json(&["refresh"]);
    let serve = |n: u64| {
        let mut session = Session::of(cli.command(&["serve"]));
        for id in 1..=n {
            ask(&mut session, id, "cl_current", &json!({}));
        }
        session.close();
    };
    std::thread::scope(|scope| {
        for n in 1..=4 {
            scope.spawn(move || serve(n));
        }
    });
    let calls = |cli: &Cli| cli.json(&["stats", "--usage"])["usage"]["calls"]["cl_current"].clone();
    assert_eq!(calls(&cli), 10);
    let doctor = cli.json(&["doctor"]);
    let checks = doctor["checks"].as_array().unwrap();
    assert!(checks.iter().all(|check| check["ok"] != false), "{doctor}");
    std::fs::write(cli.home().join("usage.db"), "x".repeat(5_000)).unwrap();
    assert_eq!(calls(&cli), Value::Null, "what can't be read is not told");
    serve(3);
    assert_eq!(calls(&cli), 3);
}

#[test]
fn an_input_that_means_nothing_is_refused() {
    let repo = Fixture::parse(PROJECT).build();
    let cli = Cli::new(repo.path());
    let mut session = Session::of(cli.command(&["serve"]));
    for (id, arguments) in [
        json!({"usage": 7}),
        json!({"usage": "x".repeat(100_000)}),
        json!({"usage": []}),
        json!({"usages": true}),
    ]
    .iter()
    .enumerate()
    {
        let answer = ask(&mut session, id as u64 + 1, "cl_stats", arguments);
        assert_eq!(answer["error"]["code"], "invalid_argument", "{answer}");
    }
    assert_eq!(cli.run(&["stats", "--usages"]).code, 2);
    let help = cli.run(&["stats", "--help"]).stdout;
    assert!(
        help.contains("--usage") && help.contains("codelens stats --usage"),
        "{help}"
    );
}
