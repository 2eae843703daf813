//! Each tool's output as it looks.

use insta::assert_snapshot;

use super::AnswerText;
use crate::cli::screen::Screen;
use crate::tools::answer::FreshnessFields;
use crate::tools::doctor::{CheckOutput, DoctorOutput};
use crate::tools::expand::{ExpandOutput, FileLinesOutput};
use crate::tools::index_state::{
    CountsOutput, CurrentOutput, IndexOutput, RefreshOutput, StatsOutput,
};
use crate::tools::map::{FileOutlineOutput, FilesOutput, MapOutput, SymbolOutput};
use crate::tools::search::{HitOutput, SearchOutput};

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

fn rendered(answer: &impl AnswerText, screen: Screen) -> String {
    answer.render(&screen).data
}

/// Returns an owned text, `Some` or plain.
fn text<T: From<String>>(text: &str) -> T {
    T::from(text.to_owned())
}

#[test]
fn a_search_shows_places_and_previews() {
    let hit = |path: &str, lines: &str, preview: &str| HitOutput {
        path: text(path),
        lines: text(lines),
        preview: text(preview),
        ..HitOutput::default()
    };
    let source = "export function queueJob(job: Job): void {\n\n  if (!job.queued) {\n";
    let found = SearchOutput {
        query: text("queue"),
        count: 3,
        results: vec![
            HitOutput {
                symbol: text("queueJob"),
                kind: Some("function"),
                matches: vec![[16, 24]],
                ..hit("src/scheduler.ts", "84-112", source)
            },
            HitOutput {
                stale: true,
                ..hit(
                    "docs/a\u{1b}[31m.md",
                    "3-3",
                    "the queue is \u{1b}[2J flushed",
                )
            },
            hit("gone.ts", "1-9", ""),
        ],
        next_cursor: text("c_9"),
        freshness_fields: FreshnessFields {
            freshness: "partial",
            note: text("12 of 40 files changed."),
            ..FreshnessFields::default()
        },
        ..SearchOutput::default()
    };
    assert_snapshot!(rendered(&found, PLAIN), @r#"
    12 of 40 files changed.

    src/scheduler.ts:84  function queueJob
        export function queueJob(job: Job): void {

          if (!job.queued) {

    docs/a\u{1b}[31m.md:3  stale
        the queue is \u{1b}[2J flushed

    gone.ts:1

    More: add `--cursor c_9`
    "#);
}

#[test]
fn a_search_without_hits_says_so_and_how_sure_it_is() {
    let found = SearchOutput {
        query: text("a\nb"),
        freshness_fields: FreshnessFields {
            freshness: "unknown",
            freshness_reason: Some("busy"),
            ..FreshnessFields::default()
        },
        ..SearchOutput::default()
    };
    assert_snapshot!(rendered(&found, PLAIN), @r#"
    unknown: another process is writing this index

    nothing found yet for “a\nb”
    "#);
}

#[test]
fn a_map_aligns_lines_and_kinds() {
    let symbol = |name: &str, kind, signature: &str, start_line, is_exported: bool| SymbolOutput {
        name: text(name),
        kind: Some(kind),
        signature: text(signature),
        start_line,
        exported: (!is_exported).then_some(false),
        ..SymbolOutput::default()
    };
    let long = "export function queueJob(job: SchedulerJob, options: QueueOptions): void";
    let files = vec![
        FileOutlineOutput {
            path: text("src/scheduler.ts"),
            symbols: vec![
                symbol(
                    "Job",
                    "interface",
                    "export interface Job extends Function",
                    9,
                    true,
                ),
                symbol("queueJob", "function", long, 184, true),
                symbol("flush", "method", "", 220, false),
            ],
            ..FileOutlineOutput::default()
        },
        FileOutlineOutput {
            path: text("src/empty.ts"),
            stale: true,
            ..FileOutlineOutput::default()
        },
    ];
    let mut map = MapOutput {
        files: Some(FilesOutput::Outlines(files)),
        file_count: 120,
        truncated: true,
        ..MapOutput::default()
    };
    map.freshness_fields.freshness = "fresh";
    assert_snapshot!(rendered(&map, TERMINAL), @r#"
    src/scheduler.ts
        9  interface  export interface Job extends Function
      184  function   export function queueJob(job: SchedulerJob, options: …
      220  method     flush

    src/empty.ts  stale

    Shortened: 120 in all; more with `--limit N`.
    "#);
}

fn source() -> ExpandOutput {
    ExpandOutput {
        lines: Some(FileLinesOutput {
            path: text("a.ts"),
            start_line: 3,
            end_line: 4,
            content: text("let a;\r\n\u{1b}x"),
            truncated: true,
            total_lines: 40,
            next_start_line: Some(5),
            invalid_bytes: Some(1),
            ..FileLinesOutput::default()
        }),
        candidates: None,
    }
}

#[test]
fn piped_source_is_the_source_alone() {
    let source = source();
    let (place, exact) = source.exact().unwrap();
    assert_eq!(
        (place.as_str(), exact),
        ("a.ts:3-4 of 40", "let a;\r\n\u{1b}x")
    );
    let page = source.render(&PLAIN);
    assert_eq!(page.data, exact);
    assert_eq!(
        page.aside,
        "codelens: 1 byte not UTF-8, replaced\ncodelens: stopped at line 4 of 40; continue with `--start-line 5`\n"
    );
}

#[test]
fn source_on_a_terminal_is_headed_and_harmless() {
    assert_snapshot!(rendered(&source(), TERMINAL), @r#"
    a.ts:3-4 of 40
    3  let a;
    4  \u{1b}x
    "#);
}

#[test]
fn the_current_state_is_told_in_lines() {
    let mut current = CurrentOutput {
        repo: text("/home/me/project"),
        branch: text("main"),
        head_sha: text(COMMIT),
        index_id: text(ID),
        status: Some("partial"),
        dirty_files: Some(3),
        last_indexed_at: text("2026-01-02T03:04:05Z"),
        in_git_repo: true,
        worktree: text("project"),
        pending_files: 1,
        ..CurrentOutput::default()
    };
    assert_snapshot!(rendered(&current, PLAIN), @r#"
    repository  /home/me/project
    branch      main  1a2b3c4d5e
    work tree   project
    index       partial, 1 file pending  idx_0123456789abcdef0123456789abcdef
    changes     3 files differ from HEAD
    indexed     2026-01-02T03:04:05Z
    "#);
    current.status = Some("missing");
    current.branch = None;
    current.seed_from = text("idx_ff");
    current.last_indexed_at = None;
    assert_snapshot!(rendered(&current, PLAIN), @r#"
    repository  /home/me/project
    branch      detached at 1a2b3c4d5e
    work tree   project
    index       missing  idx_0123456789abcdef0123456789abcdef
    changes     3 files differ from HEAD
    next        the next question about it starts it from idx_ff, where 1 file may differ
    "#);
    assert_eq!(
        rendered(&CurrentOutput::default(), PLAIN),
        "not inside a git work tree (--repo PATH names one)\n"
    );
}

#[test]
fn a_refresh_says_what_it_did_and_left_out() {
    let done = RefreshOutput {
        branch: text("main"),
        status: "ready",
        indexed_files: 1,
        deleted_files: 2,
        total_files: 527,
        total_chunks: 4311,
        skipped: 9,
        skipped_by_reason: [
            ("binary", 7),
            ("tooLarge", 1),
            ("secret", 1),
            ("minified", 0),
        ]
        .into(),
        seeded_from: text("idx_ff"),
        elapsed_ms: 1_234,
        cpu_ms: Some(2_345),
        ..RefreshOutput::default()
    };
    assert_snapshot!(rendered(&done, PLAIN), @r#"
    index         ready: indexed 1 file, removed 2 in 1.2 s, 2.3 s of CPU
    branch        main  no commit yet
    holds         527 files, 4,311 chunks
    left out      9 of the 527 files (7 binary, 1 secret, 1 too large)
    started from  idx_ff
    "#);
}

#[test]
fn stats_fit_the_terminal() {
    let index = |id: &str, branch: &str, bytes| IndexOutput {
        index_id: text(id),
        branch: text(branch),
        head_sha: text(COMMIT),
        worktree: text("p"),
        bytes,
        last_used_at: text("2026-01-02T03:04:05Z"),
        pinned: bytes == 512,
        frozen: false,
        active: bytes != 512,
    };
    let stats = StatsOutput {
        index_id: text(ID),
        branch: text("main"),
        counts: CountsOutput {
            files: 527,
            chunks: 4311,
            symbols: 9120,
            unresolved: 35,
            ..CountsOutput::default()
        },
        backlog: 2,
        last_indexed_at: text("2026-01-02T03:04:05Z"),
        total_indexes: 3,
        languages: [(text("typescript"), 410), (text("markdown"), 17)].into(),
        bytes: 30_408_704,
        indexes: vec![
            index(ID, "main", 30_408_704),
            index("idx_ff", "feature/long-name-of-a-branch", 512),
        ],
        ..StatsOutput::default()
    };
    let text = rendered(&stats, TERMINAL);
    assert!(
        text.lines().all(|line| line.chars().count() <= 72),
        "{text}"
    );
    assert_snapshot!(text, @r#"
    index      idx_0123456789abcdef0123456789abcdef
    branch     main
    holds      527 files, 4,311 chunks, 9,120 definitions
    relations  0 between files so far
    imports    35 lead to no indexed file so far
    languages  410 typescript, 17 markdown
    size       29.0 MiB of all 3 indexes
    backlog    2 files to bring up
    indexed    2026-01-02T03:04:05Z

    branch        commit      size      last used           index
    main          1a2b3c4d5e  29.0 MiB  2026-01-02  active  idx_012345678…
    feature/long  1a2b3c4d5e  512 B     2026-01-02  pinned  idx_ff
    -name-of-a-b
    ranch
    3 indexes in all
    "#);
}

#[test]
fn the_doctor_marks_each_check_and_names_the_repair() {
    let doctor = DoctorOutput {
        code_version: "0.1.0",
        schema_version: 3,
        sqlite_version: "3.51.0",
        git_present: true,
        integrity_ok: true,
        wal_mode: true,
        in_git_repo: true,
        data_dir: text("/d"),
        checks: vec![
            CheckOutput {
                name: "repository",
                ok: true,
                detail: text("work tree at /home/me/project"),
                fix: None,
            },
            CheckOutput {
                name: "data directory",
                ok: false,
                detail: text(
                    "/d is there and belongs to another user, so that nothing can be written in it",
                ),
                fix: text("chmod u+w /d"),
            },
        ],
    };
    assert!(doctor.has_failed());
    assert_snapshot!(rendered(&doctor, TERMINAL), @r#"
    codelens 0.1.0, schema 3, SQLite 3.51.0
    data in /d

    ✓ repository      work tree at /home/me/project
    ✗ data directory  /d is there and belongs to another user, so that
                      nothing can be written in it
                      fix: chmod u+w /d

    1 check failed
    "#);
}
