//! Sessions that another server began.

use std::sync::Arc;
use std::time::{Duration, Instant};

use rmcp::model::ClientJsonRpcMessage;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;

use super::client::Client;
use crate::mcp::roots::ClientRoots;
use crate::mcp::session::Session;

#[tokio::test]
async fn a_session_goes_on_with_another_server() {
    let first = Arc::<Session>::default();
    let mut client = Client::connect_to(None, Arc::clone(&first), ClientRoots::default());
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
        second.note(message);
    }
    let roots = ClientRoots::told(Some("/root".into()));
    let mut client = Client::connect_to(None, Arc::clone(&second), roots);
    let called = client.call(3, "echo").await;
    assert_eq!(called["result"]["structuredContent"]["places"][0], "/root");
    let told: Vec<_> = client.others.iter().map(|other| &other["method"]).collect();
    assert_eq!(told, ["notifications/message"], "nothing is asked again");
    client
        .say(&json!({"jsonrpc": "2.0", "method": "notifications/roots/list_changed"}))
        .await;
    assert_eq!(client.read().await["method"], "roots/list");
    // The identifier of an answered request is free to be used again.
    let again = client
        .ask(1, "logging/setLevel", json!({"level": "error"}))
        .await;
    assert!(again["error"].is_null(), "{again}");
    assert_eq!(second.opening().len(), 3);
}

/// Says something, and returns how many bytes that took.
async fn say(client: &mut Client, message: Value) -> u64 {
    let line = message.to_string();
    client.line(&line).await;
    line.len() as u64 + 1
}

#[tokio::test]
async fn a_session_knows_what_is_half_done() {
    let state = Arc::<Session>::default();
    let mut client = Client::connect_to(None, Arc::clone(&state), ClientRoots::default());
    let is_done = async |n_bytes: u64| {
        let begun = Instant::now();
        while !state.is_done_with(n_bytes) && begun.elapsed() < Duration::from_secs(10) {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        state.is_done_with(n_bytes)
    };
    let ping = json!({"jsonrpc": "2.0", "id": 7, "method": "ping"});
    let mut n_bytes = say(&mut client, ping.clone()).await;
    client.answer(7).await;
    assert!(is_done(n_bytes).await);
    assert!(!state.has_worked(), "who only lives on has nothing to do");

    let who = json!({"name": "test", "version": "1"});
    let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": who});
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello});
    n_bytes += say(&mut client, hello).await;
    client.answer(1).await;
    let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    n_bytes += say(&mut client, ready).await;
    assert!(is_done(n_bytes).await && state.has_worked());

    let line = ping.to_string();
    let (half, rest) = line.split_at(9);
    client.output.write_all(half.as_bytes()).await.unwrap();
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert!(!state.is_done_with(n_bytes + half.len() as u64));
    client.line(rest).await;
    client.answer(7).await;
    n_bytes += line.len() as u64 + 1;
    assert!(is_done(n_bytes).await);

    let call = json!({"name": "wait", "arguments": {}});
    let call = json!({"jsonrpc": "2.0", "id": 8, "method": "tools/call", "params": call});
    n_bytes += say(&mut client, call).await;
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert!(!state.is_done_with(n_bytes), "its answer is still to come");
    let taken_back = json!({"requestId": 8});
    let taken_back =
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": taken_back});
    n_bytes += say(&mut client, taken_back).await;
    assert!(is_done(n_bytes).await, "nobody waits for it any more");
}
