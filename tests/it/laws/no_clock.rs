//! Answers are functions of tree, commit and settings: no code that makes one reads the time of day.

use std::fs;
use std::path::Path;

use crate::support::walk;

/// Rooms that make answers, and those that bring an index to a state that it is made from.
const ROOMS: [&str; 12] = [
    "graph",
    "ir",
    "lines",
    "link",
    "model",
    "resolve",
    "roles",
    "search",
    "syntax",
    "tools",
    "uses",
    "reconcile",
];

/// Ways to read the time of day; `Instant` measures the budget and names no time.
const CLOCKS: [&str; 5] = [
    "SystemTime",
    "Timestamp::now",
    "Zoned::now",
    "UNIX_EPOCH",
    "now_ms",
];

#[test]
fn no_clock() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut n_files = 0;
    let mut faults = Vec::new();
    for path in ROOMS.iter().flat_map(|room| walk(&source.join(room))) {
        let text = fs::read_to_string(&path).unwrap_or_default();
        n_files += 1;
        let named = CLOCKS.iter().filter(|clock| text.contains(*clock));
        faults.extend(named.map(|clock| format!("{}: {clock}", path.display())));
    }
    let history = fs::read_to_string(source.join("git/history.rs")).unwrap();
    assert!(!history.contains("SystemTime"));
    assert!(n_files > 300, "{n_files}");
    assert!(faults.is_empty(), "{faults:#?}");
}
