//! `rebuild_equals_reconcile` where declarations give names to all files: whoever uses such a name is linked again when any file begins or
//! ends to declare it, becomes a module, or moves nearer.
//!
//! The same steps as in other walks have no such names.

use std::fmt::Write as _;

use super::Walks;
use crate::support::{Dice, Repo};

const DIRECTORIES: [&str; 4] = ["", "a/", "a/deep/", "b/"];
const NAMES: usize = 5;
const WALKS: usize = 8;
const STEPS: usize = 30;

#[test]
fn rebuild_equals_reconcile_of_names_for_all_files() {
    let walks = Walks {
        n_repositories: WALKS,
        n_steps: STEPS,
        n_at_once: 2,
        first_seed: 97,
    };
    let n_bound = walks.rebuilt_equally(write_all, step, |line| line.starts_with("edge\t"));
    assert!(
        n_bound > WALKS * STEPS,
        "only {n_bound} edges: the names are bound"
    );
}

fn write_all(repo: &Repo, dice: &mut Dice) {
    for directory in DIRECTORIES {
        write_uses(repo, dice, directory);
    }
}

fn step(repo: &Repo, dice: &mut Dice) -> String {
    let directory = DIRECTORIES[dice.below(DIRECTORIES.len())];
    let declaring = format!("{directory}env.d.ts");
    let file = repo.path().join(&declaring);
    match dice.below(7) {
        0 if file.exists() => {
            std::fs::remove_file(&file).unwrap();
            format!("{declaring} gone")
        }
        1 if file.exists() => {
            let to = format!("{}env.d.ts", DIRECTORIES[dice.below(DIRECTORIES.len())]);
            std::fs::rename(&file, repo.path().join(&to)).unwrap();
            format!("{declaring} moved to {to}")
        }
        2 => {
            write_uses(repo, dice, directory);
            format!("{directory}use.ts written")
        }
        _ => {
            write_names(repo, dice, &declaring);
            format!("{declaring} written")
        }
    }
}

/// A script, a module that declares names for all files in `global`, or a module whose names are its own.
fn write_names(repo: &Repo, dice: &mut Dice, path: &str) {
    let mut names = String::new();
    for name in 0..NAMES {
        match dice.below(4) {
            0 => writeln!(names, "interface N{name} {{ size: number }}"),
            1 => writeln!(names, "declare function n{name}(): void"),
            2 => writeln!(names, "declare const n{name}: number"),
            _ => Ok(()),
        }
        .unwrap();
    }
    let text = match dice.below(4) {
        0 => format!("export {{}}\n{names}"),
        1 => format!(
            "export {{}}\ndeclare global {{\n{}}}\n",
            names.replace("declare ", "")
        ),
        _ => names,
    };
    repo.write(path, text);
}

fn write_uses(repo: &Repo, dice: &mut Dice, directory: &str) {
    let mut text = String::new();
    for name in 0..NAMES {
        match dice.below(4) {
            0 => writeln!(text, "export function call{name}() {{ n{name}() }}"),
            1 => writeln!(text, "export const read{name} = n{name}"),
            2 => writeln!(
                text,
                "export function of{name}(it: N{name}) {{ return it.size }}"
            ),
            _ => writeln!(
                text,
                "const n{name} = {name}\nexport const own{name} = n{name}"
            ),
        }
        .unwrap();
    }
    repo.write(&format!("{directory}use.ts"), text);
}
