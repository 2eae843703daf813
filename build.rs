//! Tells the program which commit it is built from, by reading git's files: no git is run, and a
//! source tree without `.git` builds as well, only without a commit.

use std::fs;
use std::path::{Path, PathBuf};

const SHOWN_DIGITS: usize = 10;

#[allow(
    clippy::print_stdout,
    reason = "a build script speaks to cargo on standard output"
)]
fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let root = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let version = std::env::var("CARGO_PKG_VERSION").unwrap_or_default();
    let version = match git_dir(&root).and_then(|git| commit(&git)) {
        Some(commit) => format!("{version} ({})", &commit[..SHOWN_DIGITS]),
        None => version,
    };
    println!("cargo:rustc-env=CODELENS_VERSION={version}");
}

/// Returns the commit that is checked out.
fn commit(git: &Path) -> Option<String> {
    watch(&git.join("HEAD"));
    watch(&git.join("logs/HEAD"));
    let head = fs::read_to_string(git.join("HEAD")).ok()?;
    let commit = match head.trim().strip_prefix("ref: ") {
        None => head.trim().to_owned(),
        Some(name) => {
            let common = common_dir(git);
            // The directory, because the branch itself may be packed or not born yet.
            watch(&common.join("refs/heads"));
            watch(&common.join("packed-refs"));
            match fs::read_to_string(common.join(name)) {
                Ok(id) => id.trim().to_owned(),
                Err(_) => packed(&common, name)?,
            }
        }
    };
    let is_id = commit.len() >= 40 && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_id.then_some(commit)
}

/// Makes cargo look again when the file changes. One that is not there would make every build look.
#[allow(
    clippy::print_stdout,
    reason = "a build script speaks to cargo on standard output"
)]
fn watch(path: &Path) {
    if path.exists() {
        println!("cargo:rerun-if-changed={}", path.display());
    }
}

/// Returns git's directory of this very source tree, never that of one around it.
fn git_dir(root: &Path) -> Option<PathBuf> {
    let git = root.join(".git");
    if git.is_dir() {
        return Some(git);
    }
    let link = fs::read_to_string(&git).ok()?;
    Some(root.join(link.trim().strip_prefix("gitdir: ")?))
}

/// Returns where a linked work tree's branches are.
fn common_dir(git: &Path) -> PathBuf {
    fs::read_to_string(git.join("commondir"))
        .map_or_else(|_| git.to_owned(), |path| git.join(path.trim()))
}

fn packed(common: &Path, name: &str) -> Option<String> {
    let refs = fs::read_to_string(common.join("packed-refs")).ok()?;
    refs.lines()
        .filter_map(|line| line.split_once(' '))
        .find(|(_, packed)| *packed == name)
        .map(|(id, _)| id.to_owned())
}
