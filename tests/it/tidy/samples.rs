//! The checker can fail: each rule broken once, on small sources.

use super::cycles::{imports, knots};
use super::rules::{Source, allowed_arrows, cycles, faults};

/// Checks that one file of the crate has exactly these faults.
fn check(path: &str, text: &str, expect: &[&str]) {
    let text = format!("//! Sample.\n{text}");
    assert_eq!(
        faults(&[Source { path, text: &text }]),
        expect,
        "{path}: {text}"
    );
}

#[test]
fn clean_sources_have_no_fault() {
    check(
        "store/write.rs",
        "use crate::model::RepoPath; use super::Index; use rusqlite::params;",
        &[],
    );
    check("main.rs", "fn main() { codelens::cli::run() }", &[]);
    check(
        "lib.rs",
        "pub mod cli; pub mod error; pub use error::Error;",
        &[],
    );
    check(
        "tools/search.rs",
        "#[derive(clap::Args)] struct Input; use crate::{Error, workspace::Workspaces};",
        &[],
    );
    check("workspace.rs", "use crate::reconcile::reconcile;", &[]);
}

#[test]
fn words_in_comments_and_strings_are_no_arrows() {
    check(
        "git/tree.rs",
        "// use crate::store::Index;\nconst A: &str = \"use crate::store; todo!()\"; /* rusqlite::x */",
        &[],
    );
}

#[test]
fn a_forbidden_arrow_is_found_in_a_use_line() {
    check(
        "git/tree.rs",
        "use crate::store::Index;",
        &["git/tree.rs:2: `git` may not name `store`"],
    );
}

#[test]
fn a_forbidden_arrow_is_found_in_a_group() {
    check(
        "graph/walk.rs",
        "use crate::{\n  model::Edge,\n  git::{Repo, tree::Tree},\n};",
        &[
            "graph/walk.rs:4: `graph` may not name `git`",
            "graph/walk.rs:4: `graph` may not name `git`",
        ],
    );
}

#[test]
fn a_forbidden_arrow_is_found_in_an_expression() {
    check(
        "tools/stats.rs",
        "fn f() {\n crate::store::open() }",
        &["tools/stats.rs:3: `tools` may not name `store`"],
    );
}

#[test]
fn a_forbidden_arrow_is_found_behind_super() {
    check(
        "search/fuse.rs",
        "use super::super::graph::walk;",
        &["search/fuse.rs:2: `search` may not name `graph`"],
    );
    check(
        "syntax/mod.rs",
        "mod tests { use super::super::resolve; }",
        &["syntax/mod.rs:2: `syntax` may not name `resolve`"],
    );
}

#[test]
fn a_forbidden_arrow_is_found_at_the_root_of_the_crate() {
    check(
        "main.rs",
        "use codelens::store::Index;",
        &["main.rs:2: `main` may not name `store`"],
    );
    check(
        "lib.rs",
        "pub use mcp::Server;",
        &["lib.rs:2: `lib` may not name `mcp`"],
    );
}

#[test]
fn the_error_type_stays_above_the_doors() {
    for door in ["model", "git", "syntax", "resolve", "store"] {
        let expect = format!("{door}/mod.rs:2: `{door}` may not name `error`");
        check(&format!("{door}/mod.rs"), "use crate::Error;", &[&expect]);
        check(
            &format!("{door}/mod.rs"),
            "use crate::error::Error;",
            &[&expect],
        );
    }
}

#[test]
fn an_unknown_room_needs_a_row() {
    check(
        "helpers/mod.rs",
        "",
        &["helpers/mod.rs: no row for the room `helpers` in the table"],
    );
    check(
        "cli/mod.rs",
        "use crate::helpers::x;",
        &["cli/mod.rs:2: `crate::helpers` is no room of the table"],
    );
}

#[test]
fn each_library_is_named_only_at_its_door() {
    let cases = [
        ("gix", "store"),
        ("gix_hash", "store"),
        ("cap_std", "tools"),
        ("ignore", "workspace"),
        ("rusqlite", "search"),
        ("zstd", "git"),
        ("postcard", "link"),
        ("tree_sitter", "reconcile"),
        ("tree_sitter_typescript", "link"),
        ("oxc_resolver", "link"),
        ("rmcp", "cli"),
        ("tokio", "workspace"),
        ("tokio_util", "tools"),
        ("clap", "mcp"),
        ("clap_complete", "tools"),
        ("indicatif", "tools"),
        ("comfy_table", "mcp"),
        ("anstyle", "tools"),
    ];
    for (library, room) in cases {
        let path = format!("{room}/mod.rs");
        let found = |text: &str| {
            let text = format!("//! Sample.\n{text}");
            faults(&[Source {
                path: &path,
                text: &text,
            }])
        };
        let place = format!("{path}:2: `{library}` is named outside its door");
        for text in [
            format!("use {library}::X;"),
            format!("use {library};"),
            format!("fn f(x: &{library}::X) {{}}"),
        ] {
            let faults = found(&text);
            assert!(
                faults.len() == 1 && faults[0].starts_with(&place),
                "{text}: {faults:?}"
            );
        }
    }
}

#[test]
fn a_cycle_is_found_and_told_with_its_places() {
    let sources = [
        Source {
            path: "link/mod.rs",
            text: "//! A.\nuse crate::reconcile::Plan;",
        },
        Source {
            path: "reconcile/mod.rs",
            text: "//! B.\nuse crate::store::Index;\nuse crate::link::link;",
        },
    ];
    assert_eq!(
        faults(&sources),
        [
            "link/mod.rs:2: `link` may not name `reconcile`",
            "a cycle among rooms: link → reconcile (link/mod.rs:2) → link (reconcile/mod.rs:3)",
        ]
    );
}

#[test]
fn the_table_itself_has_no_cycle() {
    assert_eq!(cycles(&allowed_arrows()), Vec::<String>::new());
}

#[test]
fn a_file_says_first_what_it_is() {
    let source = Source {
        path: "git/mod.rs",
        text: "use std::fmt;\n//! Late.",
    };
    assert_eq!(
        faults(&[source]),
        ["git/mod.rs:1: does not open with `//!`"]
    );
}

#[test]
fn a_file_has_at_most_nine_hundred_lines() {
    let longest = format!("//! A.\n{}", "\n".repeat(899));
    assert_eq!(
        faults(&[Source {
            path: "git/mod.rs",
            text: &longest
        }]),
        Vec::<String>::new()
    );
    let longer = format!("{longest}\n");
    assert_eq!(
        faults(&[Source {
            path: "git/mod.rs",
            text: &longer
        }]),
        ["git/mod.rs: 901 lines, more than 900: split it by idea"]
    );
}

#[test]
fn unfinished_code_is_found() {
    check(
        "git/mod.rs",
        "fn f() { todo!() }",
        &["git/mod.rs:2: `todo!` is not a behaviour"],
    );
    check(
        "git/mod.rs",
        "fn f() { unimplemented!(\"x\") }",
        &["git/mod.rs:2: `unimplemented!` is not a behaviour"],
    );
}

#[test]
fn files_that_import_one_another_form_a_knot() {
    let source = |path, text| Source { path, text };
    let sources = [
        source("link/mod.rs", "mod infer; mod calls; mod types;"),
        source("link/infer.rs", "use super::{calls, types::Type};"),
        source("link/calls.rs", "fn f() { super::members::member() }"),
        source("link/members.rs", "use crate::link::infer::infer;"),
        source("link/types.rs", "#[cfg(test)] use super::infer;"),
    ];
    let imports = imports(&sources);
    assert_eq!(
        knots(&imports),
        [["link/calls", "link/infer", "link/members"]]
    );
}
