//! A server that nobody asks any more begins anew in its own place, and its client does not notice.

use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::cli_and_mcp::{Place, Session};

/// Returns whether a process took the place of another server.
fn took_over(pid: u32) -> bool {
    let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap();
    environment
        .split(|byte| *byte == 0)
        .any(|line| line.starts_with(b"CODELENS_TAKES_OVER="))
}

fn is_renewed_within(session: &Session, time: Duration) -> bool {
    let begun = Instant::now();
    while begun.elapsed() < time {
        if took_over(session.id()) {
            return true;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    false
}

fn server(place: &Place, most_mb: &str) -> Session {
    let mut command: Command = place.command(&["serve"], &place.repo());
    command.env("CODELENS_IDLE_MEMORY_MB", most_mb);
    Session::of(command)
}

#[test]
fn an_idle_server_begins_anew_and_its_session_goes_on() {
    let place = Place::new();
    let mut session = server(&place, "1");
    let find = json!({"name": "cl_search", "arguments": {"query": "open"}});
    let before = session.ask(1, "tools/call", &find);
    assert_eq!(before["result"]["structuredContent"]["freshness"], "fresh");
    assert!(!took_over(session.id()));
    // Half a message is nothing that may get lost.
    let request = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": find});
    let request = request.to_string();
    let (half, rest) = request.split_at(20);
    session.write(half);
    assert!(!is_renewed_within(&session, Duration::from_secs(8)));
    session.line(rest);
    assert_eq!(session.read()["id"], 2);

    assert!(is_renewed_within(&session, Duration::from_mins(1)));
    let request = json!({"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": find});
    session.line(&request.to_string());
    let after = session.read();
    assert_eq!(after["id"], 3, "nothing is said unasked");
    assert_eq!(after["result"], before["result"]);
    let (_, rest, code) = session.close();
    assert_eq!((rest.as_str(), code), ("", Some(0)));
}

#[test]
fn a_server_may_keep_what_it_has() {
    let place = Place::new();
    let mut session = server(&place, "0");
    session.ask(1, "tools/call", &json!({"name": "cl_current"}));
    assert!(!is_renewed_within(&session, Duration::from_secs(8)));
    let (_, _, code) = session.close();
    assert_eq!(code, Some(0));
}
