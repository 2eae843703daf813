//! `rebuild_equals_reconcile` where files pass on definitions of others: whoever imports through a chain of `export * from` is linked again
//! when any file of the chain changes, though only the first of them is noted.
//!
//! The same steps as in other walks meet such chains too rarely.

use std::fmt::Write as _;

use super::Walks;
use crate::support::{Dice, Repo};

const FILES: usize = 9;
const NAMES: usize = 6;
const WALKS: usize = 12;
const STEPS: usize = 40;

#[test]
fn rebuild_equals_reconcile_through_barrels() {
    let walks = Walks {
        n_repositories: WALKS,
        n_steps: STEPS,
        n_at_once: 3,
        first_seed: 41,
    };
    let n_bound = walks.rebuilt_equally(write_all, step, |line| line.starts_with("edge\t"));
    assert!(
        n_bound > WALKS * STEPS * FILES / 2,
        "only {n_bound} edges: the chains lead to something"
    );
}

fn path(at: usize) -> String {
    format!("src/f{at}.ts")
}

fn write_all(repo: &Repo, dice: &mut Dice) {
    for at in 0..FILES {
        write(repo, dice, at);
    }
}

fn step(repo: &Repo, dice: &mut Dice) -> String {
    let at = dice.below(FILES);
    let file = repo.path().join(path(at));
    match dice.below(6) {
        0 if file.exists() => {
            std::fs::remove_file(&file).unwrap();
            format!("f{at} gone")
        }
        1 if file.exists() => {
            let to = dice.below(FILES);
            std::fs::rename(&file, repo.path().join(path(to))).unwrap();
            format!("f{at} moved to f{to}")
        }
        _ => {
            write(repo, dice, at);
            format!("f{at} written")
        }
    }
}

/// Files with small numbers pass more on, those with great ones define more; all import.
fn write(repo: &Repo, dice: &mut Dice, at: usize) {
    let mut text = String::new();
    for _ in 0..dice.below(4).saturating_sub(at / 4) {
        let _ = writeln!(text, "export * from './f{}'", dice.below(FILES));
    }
    if dice.below(4) == 0 {
        let (one, other) = (dice.below(NAMES), dice.below(NAMES));
        let _ = writeln!(
            text,
            "export {{ n{one} as n{other} }} from './f{}'",
            dice.below(FILES)
        );
    }
    for name in 0..NAMES {
        if dice.below(FILES) < at.saturating_sub(2) {
            let _ = writeln!(text, "export function n{name}() {{}}");
        }
    }
    let from = dice.below(FILES);
    for name in 0..dice.below(NAMES) {
        let _ = writeln!(
            text,
            "import {{ n{name} as own{name} }} from './f{from}'\nown{name}()"
        );
    }
    repo.write(&path(at), text);
}
