//! Whole sessions, line by line, over tools made for them.

mod client;
mod idle_reexec;

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;

use super::definitions::{ADVICE, definition, instructions};
use crate::tools::TOOLS;
use crate::tools::toolset::select;
use client::{Client, TEST_TOOLS, WAS_INTERRUPTED, tool};

#[tokio::test]
async fn every_revision_with_a_handshake_is_spoken() {
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let mut client = Client::connect(None);
        let hello = client.initialize(version, json!({})).await;
        let result = &hello["result"];
        assert_eq!(result["protocolVersion"], version);
        assert_eq!(result["serverInfo"]["name"], "codelens");
        assert_eq!(result["serverInfo"]["version"], env!("CARGO_PKG_VERSION"));
        let called = client.call(1, "echo").await;
        assert_eq!(called["result"]["structuredContent"]["input"], json!({}));
    }
}

#[tokio::test]
async fn a_client_without_handshake_is_served() {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    });
    let mut client = Client::connect(None);
    let found = client
        .ask(1, "server/discover", json!({"_meta": meta}))
        .await;
    let versions = found["result"]["supportedVersions"].as_array().unwrap();
    assert!(versions.contains(&json!("2026-07-28")), "{found}");
    // Something that may not open a session must not end it either.
    client
        .say(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}))
        .await;
    let listed = client.ask(2, "tools/list", json!({"_meta": meta})).await;
    assert_eq!(listed["result"]["tools"][0]["name"], "echo");
    let params = json!({"name": "echo", "_meta": meta});
    let called = client.ask(3, "tools/call", params).await;
    assert_eq!(called["result"]["structuredContent"]["input"], json!({}));
    assert_eq!(called["result"]["structuredContent"]["places"][0], "/cwd");
}

#[tokio::test]
async fn definitions_say_what_a_tool_may_do() {
    let mut client = Client::initialized(None, json!({})).await;
    let listed = client.ask(1, "tools/list", json!({})).await;
    let tools = listed["result"]["tools"].as_array().unwrap();
    assert_eq!(tools.len(), TEST_TOOLS.len());
    assert_eq!(
        tools[0],
        json!({
            "name": "echo", "title": "A title", "description": "What it is for.",
            "inputSchema": {"type": "object"},
            "outputSchema": {"type": "object", "anyOf": [{"required": []}, {"required": ["error"]}]},
            "annotations": {"readOnlyHint": true, "openWorldHint": false},
        })
    );
}

#[tokio::test]
async fn a_value_comes_as_structure_and_as_the_same_text() {
    let mut client = Client::initialized(Some("/named"), json!({})).await;
    let params = json!({"name": "echo", "arguments": {"query": "é"}});
    let called = client.ask(1, "tools/call", params).await;
    let result = &called["result"];
    assert_eq!(
        result["structuredContent"],
        json!({"input": {"query": "é"}, "places": ["/named"]})
    );
    let text = result["content"][0]["text"].as_str().unwrap();
    assert_eq!(text, result["structuredContent"].to_string());
    assert_ne!(result["isError"], true);
}

#[tokio::test]
async fn an_error_is_a_result_with_code_and_hint() {
    let mut client = Client::initialized(None, json!({})).await;
    let failed = client.call(1, "fail").await;
    let expected = json!({"error": {"code": "invalid_argument", "message": "query is empty", "hint": "pass words"}});
    assert_eq!(failed["result"]["isError"], true);
    assert_eq!(failed["result"]["structuredContent"], expected);
    assert_eq!(failed["result"]["content"][0]["text"], expected.to_string());
}

#[tokio::test]
async fn a_panic_costs_one_answer_and_tells_nothing() {
    let mut client = Client::initialized(None, json!({})).await;
    let failed = client.call(1, "panic").await;
    let error = &failed["result"]["structuredContent"]["error"];
    assert_eq!(error["code"], "internal");
    assert!(!failed.to_string().contains("secret"), "{failed}");
    let called = client.call(2, "echo").await;
    assert_eq!(called["result"]["isError"], false);
}

#[tokio::test]
async fn an_unknown_tool_is_an_error_of_the_protocol() {
    let mut client = Client::initialized(None, json!({})).await;
    let refused = client.call(1, "cl_nothing").await;
    assert_eq!(refused["error"]["code"], -32602);
    let message = refused["error"]["message"].as_str().unwrap();
    assert!(message.contains("cl_nothing") && message.contains("echo"));
}

#[tokio::test]
async fn a_cancelled_call_stops_its_work() {
    WAS_INTERRUPTED.store(false, Ordering::Relaxed);
    let mut client = Client::initialized(None, json!({})).await;
    client
        .say(
            &json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "wait"}}),
        )
        .await;
    let called = client.call(2, "echo").await;
    assert_eq!(called["result"]["isError"], false, "calls run side by side");
    client
        .say(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}))
        .await;
    let begun = Instant::now();
    while !WAS_INTERRUPTED.load(Ordering::Relaxed) {
        assert!(begun.elapsed() < Duration::from_secs(5));
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    client.call(3, "echo").await;
    assert!(client.others.is_empty(), "nobody waits for that answer");
}

#[tokio::test]
async fn progress_grows_at_a_bearable_rate_up_to_its_end() {
    let mut client = Client::initialized(None, json!({})).await;
    let params = json!({"name": "count", "_meta": {"progressToken": "p"}});
    let begun = Instant::now();
    client.ask(1, "tools/call", params).await;
    let at_most = begun.elapsed().as_millis() / 100 + 2;
    let told: Vec<_> = client.others.iter().map(|other| &other["params"]).collect();
    let done: Vec<_> = told.iter().filter_map(|p| p["progress"].as_f64()).collect();
    assert!(done.is_sorted_by(|one, next| one < next), "{done:?}");
    assert!((2..=at_most).contains(&(done.len() as u128)), "{done:?}");
    let last = told.last().unwrap();
    assert_eq!(last["progress"], last["total"]);
    assert_eq!(last["message"], "250 of 250 files");
    assert_eq!(last["progressToken"], "p");
    client.others.clear();
    client.call(2, "count").await;
    assert!(client.others.is_empty(), "nobody asked for it");
}

#[tokio::test]
async fn lines_that_mean_nothing_get_their_error_or_are_passed_over() {
    let mut client = Client::connect(None);
    client.line("{\"jsonrpc\":").await;
    assert_eq!(client.read().await["error"]["code"], -32700);
    client
        .line("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}")
        .await;
    client.initialize("2025-11-25", json!({})).await;
    for (line, code) in [
        ("not json", -32700),
        ("\u{0}", -32700),
        ("[]", -32600),
        ("{}", -32600),
        ("null", -32600),
        ("{\"jsonrpc\":\"2.0\",\"id\":7}", -32600),
    ] {
        client.line(line).await;
        assert_eq!(client.read().await["error"]["code"], code, "{line}");
    }
    client.output.write_all(b"\xff\xfe{}\n").await.unwrap();
    assert_eq!(client.read().await["error"]["code"], -32700);
    for line in [
        "",
        "\r",
        "{\"jsonrpc\":\"2.0\",\"id\":99,\"result\":{}}",
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/unheard\"}",
    ] {
        client.line(line).await;
    }
    let called = client.call(1, "echo").await;
    assert_eq!(called["result"]["isError"], false);
    let refused = client
        .ask(2, "tools/call", json!({"name": 5, "arguments": []}))
        .await;
    assert_eq!(refused["error"]["code"], -32602);
    let refused = client.ask(3, "no/such", json!({})).await;
    assert_eq!(refused["error"]["code"], -32601);
    assert!(client.others.is_empty(), "{:?}", client.others);
}

#[tokio::test]
async fn a_line_without_an_end_is_refused_without_being_kept() {
    let mut client = Client::initialized(None, json!({})).await;
    let long = " ".repeat(1 << 20);
    for _ in 0..5 {
        client.output.write_all(long.as_bytes()).await.unwrap();
    }
    client.line("").await;
    assert_eq!(client.read().await["error"]["code"], -32600);
    let called = client.call(1, "echo").await;
    assert_eq!(called["result"]["isError"], false);
}

#[tokio::test]
async fn a_client_hears_of_its_calls_from_the_level_that_it_set() {
    let mut client = Client::initialized(None, json!({})).await;
    client.call(1, "fail").await;
    assert!(client.others.is_empty(), "nobody asked for it");
    for (id, level, tool, told) in [
        (2, "debug", "echo", Some("debug")),
        (4, "info", "echo", None),
        (6, "info", "fail", Some("info")),
        (8, "error", "fail", None),
        (10, "error", "panic", Some("error")),
    ] {
        let set = client
            .ask(id, "logging/setLevel", json!({"level": level}))
            .await;
        assert_eq!(set["result"], json!({}));
        client.call(id + 1, tool).await;
        let levels: Vec<_> = client
            .others
            .drain(..)
            .map(|other| other["params"]["level"].clone())
            .collect();
        assert_eq!(
            levels,
            told.map(Value::from).into_iter().collect::<Vec<_>>(),
            "{level} {tool}"
        );
    }
    let refused = client
        .ask(12, "logging/setLevel", json!({"level": "loud"}))
        .await;
    assert_eq!(refused["error"]["code"], -32602);
}

#[tokio::test]
async fn a_closed_input_ends_the_session_within_a_second() {
    for name in ["wait", "deaf"] {
        let mut client = Client::initialized(None, json!({})).await;
        client
            .say(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "_meta": {"progressToken": 1}}}))
            .await;
        tokio::time::sleep(Duration::from_millis(50)).await;
        let begun = Instant::now();
        client.output.shutdown().await.unwrap();
        client.session.await.unwrap();
        assert!(begun.elapsed() < Duration::from_secs(1), "{name}");
    }
}

#[tokio::test]
async fn an_input_that_closes_at_once_still_gets_its_answers() {
    let mut client = Client::initialized(None, json!({})).await;
    client
        .say(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "count"}}))
        .await;
    client.output.shutdown().await.unwrap();
    let called = client.answer(1).await;
    assert_eq!(called["result"]["structuredContent"]["done"], true);
}

#[tokio::test]
async fn the_root_of_the_client_comes_before_the_working_directory() {
    let mut client = Client::initialized(None, json!({"roots": {"listChanged": true}})).await;
    let asked = client.read().await;
    assert_eq!(asked["method"], "roots/list");
    // The call is sent before the answer, and waits for it.
    client
        .say(
            &json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "echo"}}),
        )
        .await;
    let roots = json!({"roots": [{"uri": "https://x"}, {"uri": "file:///a%20b"}]});
    client
        .say(&json!({"jsonrpc": "2.0", "id": asked["id"], "result": roots}))
        .await;
    let called = client.answer(1).await;
    assert_eq!(
        called["result"]["structuredContent"]["places"],
        json!(["/a b", "/cwd"])
    );
    client
        .say(&json!({"jsonrpc": "2.0", "method": "notifications/roots/list_changed"}))
        .await;
    let asked = client.read().await;
    let roots = json!({"roots": [{"uri": "file:///c"}]});
    client
        .say(&json!({"jsonrpc": "2.0", "id": asked["id"], "result": roots}))
        .await;
    let called = client.call(2, "echo").await;
    assert_eq!(called["result"]["structuredContent"]["places"][0], "/c");
}

#[tokio::test]
async fn a_client_that_never_tells_its_roots_is_served_all_the_same() {
    let mut client = Client::initialized(None, json!({"roots": {}})).await;
    let begun = Instant::now();
    let called = client.call(1, "echo").await;
    assert!(begun.elapsed() < Duration::from_secs(1));
    assert_eq!(
        called["result"]["structuredContent"]["places"],
        json!(["/cwd"])
    );
}

/// Most tokens of the definitions of a set, by characters / 4: the measure of every limit of this project.
const MAX_TOKENS: [(&str, usize); 3] = [("default", 3_700), ("lean", 2_500), ("find", 1_400)];

#[test]
fn definitions_fit() {
    for (set, max) in MAX_TOKENS {
        let mut n_chars = 0;
        for tool in select(set).tools {
            let mut definition = serde_json::to_value(definition(&tool)).unwrap();
            definition.as_object_mut().unwrap().remove("outputSchema");
            n_chars += definition.to_string().chars().count();
        }
        assert!(n_chars <= 4 * max, "{set}: {} tokens", n_chars / 4);
    }
    let n_bytes: usize = TOOLS
        .iter()
        .map(|tool| {
            serde_json::to_value(definition(tool)).unwrap()["outputSchema"]
                .to_string()
                .len()
        })
        .sum();
    assert!(
        n_bytes < 4 * 6_000,
        "{} tokens of output schemas",
        n_bytes / 4
    );
}

#[test]
fn tools_stand_in_the_order_of_use() {
    let order = [
        "explore", "search", "expand", "map", "impact", "changes", "related", "load", "save",
        "current", "refresh", "stats", "doctor", "prune", "drop",
    ];
    let places: Vec<_> = TOOLS
        .iter()
        .map(|tool| order.iter().position(|name| *name == tool.command_name()))
        .collect();
    assert!(places.iter().all(Option::is_some), "{places:?}");
    assert!(places.is_sorted(), "{places:?}");
    for (name, _) in ADVICE {
        assert!(TOOLS.iter().any(|tool| tool.name == *name), "{name}");
    }
}

#[test]
fn instructions_are_short_and_speak_only_of_tools_that_are_served() {
    let all = ADVICE
        .iter()
        .map(|(name, _)| tool(name, |_, _| Ok(Value::Null)));
    let all: Vec<_> = all.collect();
    let text = instructions(&all);
    assert!(text.len() < 4 * 400, "{} bytes", text.len());
    let first: String = text.chars().take(500).collect();
    for word in ["cl_search", "cl_map", "cl_expand", "`freshness`", "`stale`"] {
        assert!(first.contains(word), "{word}");
    }
    assert!(text.contains("- cl_impact") && !instructions(TEST_TOOLS).contains("- cl_impact"));
}
