//! `rebuild_equals_reconcile` between languages: whoever asks for a route or a function is linked again when a file that offers it, mounts it or takes it
//! away changes, though neither imports the other.

use std::fmt::Write as _;

use super::Walks;
use crate::support::{Dice, Repo};

/// Routes, servers, clients, native functions, and Protocol Buffers.
const KINDS: usize = 5;
const ROUTERS: usize = 3;
const CLIENTS: usize = 3;
const WALKS: usize = 6;
const STEPS: usize = 24;
const PATHS: [&str; 4] = ["/", "/users", "/users/:id", "/posts"];
const ASKED: [&str; 6] = [
    "/api/users",
    "/v2/users",
    "/api/users/7",
    "/api",
    "/api/posts",
    "/users",
];

#[test]
fn rebuild_equals_reconcile_over_bridges() {
    let walks = Walks {
        n_repositories: WALKS,
        n_steps: STEPS,
        n_at_once: 2,
        first_seed: 97,
    };
    let n_bridges = walks.rebuilt_equally(write_all, step, |line| {
        line.starts_with("edge\t") && line.split('\t').nth(6) == Some("5")
    });
    assert!(
        n_bridges > WALKS * STEPS,
        "only {n_bridges} edges over bridges: requests and routes meet"
    );
}

fn write_all(repo: &Repo, dice: &mut Dice) {
    for kind in 0..KINDS {
        for at in 0..ROUTERS {
            write(repo, dice, kind, at);
        }
    }
}

fn step(repo: &Repo, dice: &mut Dice) -> String {
    let (kind, at) = (dice.below(KINDS), dice.below(ROUTERS));
    let file = repo.path().join(path(kind, at));
    if dice.below(5) == 0 && file.exists() {
        std::fs::remove_file(&file).unwrap();
        return format!("{} gone", path(kind, at));
    }
    write(repo, dice, kind, at);
    format!("{} written", path(kind, at))
}

fn path(kind: usize, at: usize) -> String {
    match kind {
        0 => format!("server/routes{at}.js"),
        1 => format!("server/app{at}.js"),
        2 => format!("web/client{at}.js"),
        3 => ["native/open.c", "native/Native.cs", "native/close.c"][at].to_owned(),
        _ => ["proto/a.proto", "proto/b/a.proto", "gen/a.ts"][at].to_owned(),
    }
}

fn write(repo: &Repo, dice: &mut Dice, kind: usize, at: usize) {
    let mut text = String::new();
    match kind {
        0 => {
            text.push_str("const express = require('express')\nconst router = express.Router()\n");
            for n in 0..dice.below(4) {
                let method = ["get", "post"][dice.below(2)];
                let path = PATHS[dice.below(PATHS.len())];
                let _ = writeln!(text, "function h{n}(req, res) {{}}");
                let _ = writeln!(text, "router.{method}('{path}', h{n})");
            }
            text.push_str("module.exports = router\n");
        }
        1 => {
            text.push_str("const express = require('express')\nconst app = express()\n");
            for _ in 0..dice.below(3) {
                let prefix = ["/api", "/v2", "/"][dice.below(3)];
                let other = dice.below(ROUTERS);
                let _ = writeln!(text, "app.use('{prefix}', require('./routes{other}'))");
            }
        }
        2 => {
            for n in 0..=dice.below(CLIENTS) {
                let path = ASKED[dice.below(ASKED.len())];
                let options = ["", ", { method: 'POST' }"][dice.below(2)];
                let _ = writeln!(
                    text,
                    "export function c{n}() {{ return fetch('{path}'{options}) }}"
                );
            }
        }
        3 if at == 1 => {
            text.push_str("static class Native {\n");
            for name in ["acme_open", "acme_close"] {
                if dice.below(3) > 0 {
                    let _ = writeln!(text, "  [DllImport(\"acme\")] static extern int {name}();");
                }
            }
            text.push_str("}\n");
        }
        3 => {
            let name = ["acme_open", "acme_close"][dice.below(2)];
            let linkage = ["", "static "][usize::from(dice.below(4) == 0)];
            let _ = writeln!(text, "{linkage}int {name}(void) {{ return 1; }}");
        }
        _ if at == 2 => {
            let path = ["a.proto", "proto/a.proto", "b/a.proto"][dice.below(3)];
            let _ = writeln!(text, "// source: {path}");
            for name in ["Ask", "Ask_Part", "Part"] {
                let _ = writeln!(text, "export interface {name} {{ n: number }}");
            }
            for method in ["Say", "Tell"] {
                let _ = writeln!(text, "export const {method} = '/x.Greeter/{method}'");
            }
        }
        _ => {
            text.push_str(["", "package x;\n"][dice.below(2)]);
            let part = ["", "message Part {}"][dice.below(2)];
            let _ = writeln!(text, "message Ask {{ {part} }}");
            let method = ["Say", "Tell"][dice.below(2)];
            let _ = writeln!(
                text,
                "service Greeter {{ rpc {method} (Ask) returns (Ask); }}"
            );
        }
    }
    let file = repo.path().join(path(kind, at));
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(file, text).unwrap();
}
