//! Each tool's value as it looks.

use insta::assert_snapshot;
use serde_json::{Value, json};

use super::page;
use crate::cli::screen::Screen;

const PLAIN: Screen = Screen {
    width: 72,
    is_terminal: false,
    is_coloured: false,
    links: None,
};

const TERMINAL: Screen = Screen {
    width: 72,
    is_terminal: true,
    is_coloured: false,
    links: None,
};

const ID: &str = "idx_0123456789abcdef0123456789abcdef";
const COMMIT: &str = "1a2b3c4d5e6f7a8b9c0d1a2b3c4d5e6f7a8b9c0d";

fn shown(tool: &str, value: &Value, screen: Screen) -> String {
    page(tool, value, &screen).data
}

#[test]
fn a_search_shows_places_and_previews() {
    let value = json!({
        "indexId": ID, "query": "queue", "count": 2, "results": [
            {"handle": "sym_1", "path": "src/scheduler.ts", "lines": "84-112", "score": 0.934,
             "why": "symbol,fts", "symbol": "queueJob", "kind": "function", "more": [{"handle": "chk_9", "lines": "7-9"}],
             "preview": "export function queueJob(job: Job): void {\n\n  if (!job.queued) {\n", "matches": [[16, 24]]},
            {"handle": "chk_2", "path": "docs/a\u{1b}[31m.md", "lines": "3-3", "score": 0.4,
             "why": "fts", "preview": "the queue is \u{1b}[2J flushed", "stale": true},
            {"handle": "chk_3", "path": "gone.ts", "lines": "1-9", "score": 0.2, "why": "path",
             "preview": ""}],
        "note": "12 of 40 files changed.", "freshness": "partial", "pendingFiles": 12, "total": 31, "nextCursor": "c_9"});
    assert_snapshot!(shown("cl_search", &value, PLAIN), @r#"
    12 of 40 files changed.

    src/scheduler.ts:84  function queueJob  also 7-9
        export function queueJob(job: Job): void {

          if (!job.queued) {

    docs/a\u{1b}[31m.md:3  stale
        the queue is \u{1b}[2J flushed

    gone.ts:1

    3 of 31 shown

    More: add `--cursor c_9`
    "#);
}

#[test]
fn a_search_without_hits_says_so_and_how_sure_it_is() {
    let value =
        json!({"query": "a\nb", "results": [], "freshness": "unknown", "freshnessReason": "busy"});
    assert_snapshot!(shown("cl_search", &value, PLAIN), @r#"
    unknown: another process is writing this index

    nothing found yet for “a\nb”
    "#);
}

#[test]
fn a_map_aligns_lines_and_kinds() {
    let value = json!({
        "indexId": ID, "fileCount": 120, "truncated": true, "freshness": "fresh", "files": [
            {"path": "src/scheduler.ts", "symbols": [
                {"name": "Job", "kind": "interface", "signature": "export interface Job extends Function", "startLine": 9, "endLine": 30, "exported": true},
                {"name": "queueJob", "kind": "function", "signature": "export function queueJob(job: SchedulerJob, options: QueueOptions): void", "startLine": 184, "endLine": 212, "exported": true},
                {"name": "flush", "kind": "method", "signature": "", "startLine": 220, "endLine": 221, "exported": false}]},
            {"path": "src/empty.ts", "stale": true, "symbols": []}]});
    assert_snapshot!(shown("cl_map", &value, TERMINAL), @r#"
    src/scheduler.ts
        9  interface  export interface Job extends Function
      184  function   export function queueJob(job: SchedulerJob, options: …
      220  method     flush

    src/empty.ts  stale

    Shortened: 120 in all; more with `--limit N`.
    "#);
}

#[test]
fn piped_source_is_the_source_alone() {
    let value = json!({"path": "a.ts", "startLine": 3, "endLine": 4, "content": "let a;\r\n\u{1b}x",
                       "truncated": true, "chars": 10, "totalLines": 40, "nextStartLine": 5, "invalidBytes": 1});
    let page = page("cl_expand", &value, &PLAIN);
    assert_eq!(page.data, "let a;\r\n\u{1b}x");
    assert_eq!(
        page.aside,
        "codelens: 1 byte not UTF-8, replaced\ncodelens: stopped at line 4 of 40; continue with `--start-line 5`\n"
    );
}

#[test]
fn source_on_a_terminal_is_headed_and_harmless() {
    let value = json!({"path": "a.ts", "startLine": 3, "endLine": 4, "content": "let a;\r\n\u{1b}x",
                       "truncated": false, "chars": 10, "totalLines": 40});
    assert_snapshot!(shown("cl_expand", &value, TERMINAL), @r#"
    a.ts:3-4 of 40
    3  let a;
    4  \u{1b}x
    "#);
}

#[test]
fn the_current_state_is_told_in_lines() {
    let mut value = json!({
        "repo": "/home/me/project", "branch": "main", "headSha": COMMIT, "indexId": ID,
        "status": "partial", "dirtyFiles": 3, "lastIndexedAt": "2026-01-02T03:04:05Z",
        "inGitRepo": true, "worktree": "project", "detached": false, "pendingFiles": 1, "seedFrom": null});
    assert_snapshot!(shown("cl_current", &value, PLAIN), @r#"
    repository  /home/me/project
    branch      main  1a2b3c4d5e
    worktree    project
    index       partial, 1 file pending  idx_0123456789abcdef0123456789abcdef
    changes     3 files differ from HEAD
    indexed     2026-01-02T03:04:05Z
    "#);
    value["status"] = json!("missing");
    value["branch"] = Value::Null;
    value["seedFrom"] = json!("idx_ff");
    value["lastIndexedAt"] = Value::Null;
    assert_snapshot!(shown("cl_current", &value, PLAIN), @r#"
    repository  /home/me/project
    branch      detached at 1a2b3c4d5e
    worktree    project
    index       not built yet  idx_0123456789abcdef0123456789abcdef
    changes     3 files differ from HEAD
    next        the next question starts it from idx_ff, and reads 1 file
    "#);
    let outside = json!({"inGitRepo": false, "repo": null, "branch": null});
    assert_eq!(
        shown("cl_current", &outside, PLAIN),
        "not inside a git work tree (--repo PATH names one)\n"
    );
}

#[test]
fn a_refresh_says_what_it_did_and_left_out() {
    let value = json!({
        "indexId": ID, "branch": "main", "headSha": null, "status": "ready", "indexedFiles": 1,
        "deletedFiles": 2, "totalFiles": 527, "totalChunks": 4311, "skipped": 9,
        "skippedByReason": {"binary": 7, "tooLarge": 1, "secret": 1, "minified": 0},
        "seededFrom": "idx_ff", "elapsedMs": 1_234, "cpuMs": 2_345});
    assert_snapshot!(shown("cl_refresh", &value, PLAIN), @r#"
    index         ready: indexed 1 file, removed 2 in 1.2 s, 2.3 s of CPU
    branch        main  no commit yet
    holds         527 files, 4,311 chunks
    left out      9 files (7 binary, 1 secret, 1 too large)
    started from  idx_ff
    "#);
}

#[test]
fn stats_fit_the_terminal() {
    let value = json!({
        "active": true, "indexId": ID, "branch": "main", "headSha": COMMIT,
        "counts": {"files": 527, "chunks": 4311, "symbols": 9120, "edges": 0},
        "backlog": 2, "lastIndexedAt": "2026-01-02T03:04:05Z", "totalIndexes": 3,
        "languages": {"typescript": 410, "markdown": 17}, "skippedByReason": {}, "bytes": 30_408_704,
        "indexes": [
            {"indexId": ID, "branch": "main", "headSha": COMMIT, "worktree": "p", "bytes": 30_408_704,
             "lastUsedAt": "2026-01-02T03:04:05Z", "pinned": false, "active": true},
            {"indexId": "idx_ff", "branch": "feature/long-name-of-a-branch", "headSha": COMMIT, "worktree": "p",
             "bytes": 512, "lastUsedAt": "2026-01-01T03:04:05Z", "pinned": true, "active": false}]});
    let text = shown("cl_stats", &value, TERMINAL);
    assert!(
        text.lines().all(|line| line.chars().count() <= 72),
        "{text}"
    );
    assert_snapshot!(text, @r#"
    index      idx_0123456789abcdef0123456789abcdef
    branch     main  1a2b3c4d5e
    holds      527 files, 4,311 chunks, 9,120 definitions
    relations  0 between files
    languages  410 typescript, 17 markdown
    size       29.0 MiB
    backlog    2 files to bring up
    indexed    2026-01-02T03:04:05Z

    branch        commit      size      last used           index
    main          1a2b3c4d5e  29.0 MiB  2026-01-02  active  idx_012345678…
    feature/long  1a2b3c4d5e  512 B     2026-01-01  pinned  idx_ff
    -name-of-a-b
    ranch
    3 indexes in all
    "#);
}

#[test]
fn the_doctor_marks_each_check_and_names_the_repair() {
    let value = json!({
        "codeVersion": "0.1.0", "schemaVersion": 3, "sqliteVersion": "3.51.0", "dataDir": "/d", "checks": [
            {"name": "repository", "ok": true, "detail": "work tree at /home/me/project"},
            {"name": "data directory", "ok": false, "fix": "chmod u+w /d",
             "detail": "/d is there and belongs to another user, so that nothing can be written in it"}]});
    assert_snapshot!(shown("cl_doctor", &value, TERMINAL), @r#"
    codelens 0.1.0, schema 3, SQLite 3.51.0
    data in /d

    ✓ repository      work tree at /home/me/project
    ✗ data directory  /d is there and belongs to another user, so that
                      nothing can be written in it
                      fix: chmod u+w /d

    1 check failed
    "#);
}

#[test]
fn a_tool_without_a_form_of_its_own_is_shown_as_json() {
    let value = json!({"a": "\u{1b}\u{9b}"});
    assert_snapshot!(shown("cl_other", &value, PLAIN), @r#"
    {
      "a": "\u001b\u{9b}"
    }
    "#);
}

#[test]
fn an_odd_value_is_shown_as_far_as_it_goes() {
    for tool in [
        "cl_search",
        "cl_map",
        "cl_expand",
        "cl_current",
        "cl_refresh",
        "cl_stats",
        "cl_doctor",
    ] {
        for value in [
            json!(null),
            json!([]),
            json!({"results": 1, "files": {}, "checks": "x"}),
        ] {
            assert!(!shown(tool, &value, TERMINAL).contains("null"), "{tool}");
        }
    }
}
