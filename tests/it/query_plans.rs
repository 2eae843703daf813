//! How the tools read the index: by its keys, and what goes through a whole table is named here with its reason.

use std::collections::BTreeSet;

use rusqlite::Connection;

use crate::graph::library;
use crate::support::Cli;

/// Every tool that reads an index, with the ways in which it is asked.
const CALLS: &[&[&str]] = &[
    &["current"],
    &["search", "where is the queue drained"],
    &["search", "drian"],
    &["search", "Queue.push"],
    &["search", "\"export function\" src/"],
    &[
        "search",
        "push",
        "--path",
        "src",
        "--language",
        "typescript",
    ],
    &["search", "push", "--explain"],
    &["explore", "drain the queue"],
    &["related", "src/queue.ts"],
    &["impact", "drain"],
    &["impact", "drain", "--sites"],
    &["impact", "nothing"],
    &["impact", "--path", "src/queue.ts"],
    &["map"],
    &["map", "src"],
    &["map", "src/queue.ts"],
    &["expand", "src/queue.ts"],
    &["stats"],
];

/// Statements that read a whole table, by how they begin, each with the reason.
const WHOLE: &[(&str, &str)] = &[
    ("SELECT key, value FROM meta", "has ten rows"),
    (
        "SELECT f.path, r.suites FROM runner",
        "has a row for each configuration of tests",
    ),
    (
        "SELECT f.path, c.packed FROM config",
        "has a row for each configuration file; once for each search for uses",
    ),
    (
        "SELECT id, path, content, facts_version",
        "detection compares each file, once for each version of the index",
    ),
    (
        "SELECT (SELECT count(*) FROM file)",
        "statistics count everything",
    ),
    (
        "SELECT (SELECT count(*) FROM (SELECT file, target FROM import",
        "statistics count everything: the relations between files, too",
    ),
    (
        "SELECT dst_block, src_file, packed FROM edge ORDER BY",
        "statistics count everything: the relations between files, too",
    ),
    (
        "SELECT language, count(*) FROM file",
        "statistics count everything",
    ),
    (
        "SELECT skip, count(*) FROM file WHERE skip IS NOT NULL",
        "its index has only what was left out",
    ),
    (
        "WITH RECURSIVE reexporter(file)",
        "goes through what it found itself: the files that pass a name on",
    ),
    (
        "SELECT ifnull(sum(n), 0) FROM chunk_run",
        "how rare a word is needs the sum; a row a file",
    ),
    (
        "SELECT count(*) FROM link_queue",
        "empty but while a build goes on",
    ),
    (
        "SELECT id, language FROM file",
        "a filter by language asks each file",
    ),
    (
        "SELECT DISTINCT file FROM symbol",
        "an outline of a directory ranks all files; an index of integers",
    ),
    (
        "SELECT target, count(DISTINCT file) FROM (SELECT target, file FROM import",
        "an outline of a directory ranks all files; an index of integers",
    ),
    (
        "SELECT DISTINCT norm FROM symbol",
        "a misspelt word is compared with every name of about its length",
    ),
];

/// Returns the statements that the calls end, whitespace folded.
fn statements(cli: &mut Cli) -> BTreeSet<String> {
    cli.set("CODELENS_LOG", "codelens::sql=trace");
    let symbol = cli.json(&["map", "src/queue.ts"])["files"][0]["symbols"][0]["handle"].clone();
    let chunk = cli.json(&["search", "push"])["results"][0]["handle"].clone();
    let by_handle =
        [&symbol, &chunk].map(|handle| ["expand", "--handle", handle.as_str().unwrap()]);
    let mut found = BTreeSet::new();
    for call in CALLS
        .iter()
        .copied()
        .chain(by_handle.iter().map(|call| &call[..]))
    {
        let ran = cli.run(call);
        assert!(ran.code == 0, "{call:?} fails: {}", ran.stderr);
        let before = found.len();
        for line in ran.stderr.lines() {
            let sql = line.split_once("codelens::sql: ").map(|(_, rest)| rest);
            let sql = sql.and_then(|rest| rest.rsplit_once(" n_scanned="));
            found.extend(sql.map(|(sql, _)| sql.to_owned()));
        }
        assert!(
            found.len() > before || before > 20,
            "{call:?} logs nothing: {}",
            ran.stderr
        );
    }
    found
}

/// Returns the steps of a plan that go through a whole table or a whole index. A step through a virtual table is told
/// by what follows its number: the words or the rowid that it looks up.
fn whole_steps(index: &Connection, sql: &str) -> Vec<String> {
    let explained = index.prepare(&format!("EXPLAIN QUERY PLAN {sql}"));
    let mut explained = explained.unwrap_or_else(|error| panic!("{sql}: {error}"));
    let mut rows = explained.raw_query();
    let mut found = Vec::new();
    while let Some(row) = rows.next().unwrap() {
        let step: String = row.get("detail").unwrap();
        let is_looked_up = step
            .split_once("VIRTUAL TABLE INDEX ")
            .is_some_and(|(_, how)| !how.ends_with(':'));
        let is_small = ["CONSTANT ROW", "(subquery", "_config"]
            .iter()
            .any(|small| step.contains(small));
        if step.starts_with("SCAN ") && !is_looked_up && !is_small {
            found.push(step);
        }
    }
    found
}

#[test]
fn no_tool_goes_through_a_whole_table_but_those_that_are_named() {
    let (_repo, mut cli) = library();
    cli.run(&["refresh"]);
    let statements = statements(&mut cli);
    let mut files = cli.index_files().into_iter();
    let file = files.find(|path| path.extension().is_some_and(|is| is == "db"));
    let index = Connection::open(file.expect("there is an index")).unwrap();
    let mut unknown = Vec::new();
    let mut seen = BTreeSet::new();
    for sql in statements.iter().filter(|sql| !sql.starts_with("PRAGMA")) {
        let steps = whole_steps(&index, sql);
        let named = WHOLE.iter().find(|(begin, _)| sql.starts_with(begin));
        match named {
            Some((begin, _)) => drop(seen.insert(*begin)),
            None if !steps.is_empty() => {
                unknown.push(format!("{sql}\n    {}", steps.join("\n    ")));
            }
            None => {}
        }
    }
    assert!(unknown.is_empty(), "{}", unknown.join("\n"));
    let named: BTreeSet<&str> = WHOLE.iter().map(|(begin, _)| *begin).collect();
    assert_eq!(seen, named, "what is named is asked");
}

#[test]
fn a_step_through_a_whole_table_is_seen() {
    let index = Connection::open_in_memory().unwrap();
    index
        .execute_batch(
            "CREATE TABLE a(x INTEGER PRIMARY KEY, y); CREATE INDEX a_y ON a(y); CREATE VIRTUAL TABLE t USING fts5(z);",
        )
        .unwrap();
    for whole in [
        "SELECT * FROM a",
        "SELECT y FROM a ORDER BY y",
        "SELECT z FROM t",
    ] {
        assert_eq!(whole_steps(&index, whole).len(), 1, "{whole}");
    }
    for keyed in [
        "SELECT * FROM a WHERE x = ?1",
        "SELECT x FROM a WHERE y > ?1",
        "SELECT rowid FROM t WHERE t MATCH ?1",
    ] {
        assert_eq!(whole_steps(&index, keyed), [""; 0], "{keyed}");
    }
}
