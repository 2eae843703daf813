//! Sessions that another server began.

use std::sync::Arc;
use std::time::{Duration, Instant};

use rmcp::model::ClientJsonRpcMessage;
use serde_json::json;
use tokio::io::AsyncWriteExt;

use super::client::Client;
use crate::mcp::session::Session;

#[tokio::test]
async fn a_session_goes_on_with_another_server() {
    let first = Arc::<Session>::default();
    let mut client = Client::connect_to(None, Arc::clone(&first));
    let hello = client
        .initialize("2025-06-18", json!({"roots": {"listChanged": true}}))
        .await;
    assert_eq!(hello["result"]["protocolVersion"], "2025-06-18");
    client
        .say(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))
        .await;
    client
        .ask(1, "logging/setLevel", json!({"level": "debug"}))
        .await;
    client.call(2, "echo").await;

    // Said as bytes, as from one process to the next.
    let said = serde_json::to_vec(&first.opening()).unwrap();
    let said: Vec<ClientJsonRpcMessage> = serde_json::from_slice(&said).unwrap();
    assert_eq!(said.len(), 3);
    let second = Arc::<Session>::default();
    for message in &said {
        second.hear(message);
    }
    let mut client = Client::connect_to(None, Arc::clone(&second));
    let called = client.call(3, "echo").await;
    assert_eq!(called["result"]["structuredContent"]["places"][0], "/cwd");
    let told: Vec<_> = client.others.iter().map(|other| &other["method"]).collect();
    assert_eq!(told, ["roots/list", "notifications/message"]);
    // What the first server answered is free to be asked again.
    let again = client
        .ask(1, "logging/setLevel", json!({"level": "error"}))
        .await;
    assert!(again["error"].is_null(), "{again}");
    assert_eq!(second.opening().len(), 3);
}

#[tokio::test]
async fn a_session_knows_what_is_half_done() {
    let state = Arc::<Session>::default();
    let mut client = Client::connect_to(None, Arc::clone(&state));
    let is_done = async |n_bytes: usize| {
        let begun = Instant::now();
        while !state.is_done_with(n_bytes as u64) && begun.elapsed() < Duration::from_secs(10) {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        state.is_done_with(n_bytes as u64)
    };
    let line = json!({"jsonrpc": "2.0", "id": 7, "method": "ping"}).to_string();
    client.line(&line).await;
    client.answer(7).await;
    let n_bytes = line.len() + 1;
    assert!(is_done(n_bytes).await);
    let (half, rest) = line.split_at(9);
    client.output.write_all(half.as_bytes()).await.unwrap();
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert!(!state.is_done_with((n_bytes + half.len()) as u64));
    client.line(rest).await;
    client.answer(7).await;
    assert!(is_done(2 * n_bytes).await);
}
