//! Remotes, and what was carried there and back, as text.

use super::text::{bytes, plural, put};
use crate::cli::screen::visible;
use crate::workspace::{PullState, Pulled, Pushed, RemoteCollected};

/// Returns the result of adding a remote; `is_new` is `false` for one that was there.
pub(in crate::cli) fn added(name: &str, url: &str, is_new: bool) -> String {
    let (name, url) = (visible(name), visible(url));
    if is_new {
        format!(
            "added {name}: {url}\nnext: `codelens push` uploads the index of a commit; remote.pull = \"auto\" in codelens.toml lets a missing index start from it\n"
        )
    } else {
        format!("{name} is there already: {url}\n")
    }
}

/// Returns a line for a remote: its address, or why that is not usable.
pub(in crate::cli) fn remote(name: &str, url: Result<&str, &str>) -> String {
    let name = visible(name);
    match url {
        Ok(url) => format!("{name}  {}\n", visible(url)),
        Err(error) => format!("{name}  not usable: {}\n", visible(error)),
    }
}

/// Returns the first digits of a commit.
fn short_sha(commit: &str) -> &str {
    commit.get(..12).unwrap_or_default()
}

/// Returns the result of a push.
pub(in crate::cli) fn pushed(done: &Pushed) -> String {
    let (remote, commit) = (visible(&done.remote), short_sha(&done.commit));
    let files = plural(done.n_files, "file");
    let size = bytes(done.bytes);
    if done.is_new {
        let uploaded = bytes(done.uploaded_bytes);
        let instead = if done.is_mended {
            ", in place of one that had lost parts"
        } else {
            ""
        };
        let base = done.base.as_deref().map_or_else(String::new, |base| {
            format!(" as the difference to {}", short_sha(base))
        });
        format!(
            "pushed {commit} to {remote}: {files}, {size}{base} ({uploaded} uploaded){instead}\n"
        )
    } else {
        format!("{remote} has the index of {commit} already: {files}, {size}\n")
    }
}

/// Returns the result of a pull.
pub(in crate::cli) fn pulled(done: &Pulled) -> String {
    let remote = visible(&done.remote);
    let commit = short_sha(done.commit.as_deref().unwrap_or_default());
    let differing = match done.n_differing {
        Some(0) => "for exactly this commit".to_owned(),
        Some(n) => format!("{} differ", plural(n, "file")),
        None => "how many files differ is not known here".to_owned(),
    };
    let passed = done.passed_over.iter().map(|it| {
        let commit = short_sha(&it.commit);
        format!("passed over {commit}: {}\n", visible(&it.reason))
    });
    let passed: String = passed.collect();
    passed
        + &match done.state {
            PullState::Present => format!("the index of {commit} is here already ({differing})\n"),
            PullState::Taken => {
                let files = plural(done.n_files, "file");
                let size = bytes(done.bytes);
                let verified = match done.n_verified {
                    Some(n) => format!(", {n} extracted again: all as the index says"),
                    None => String::new(),
                };
                format!(
                    "pulled {commit} from {remote}: {files}, {size} ({differing}){verified}\nnext: `codelens refresh`, or any question: a new index starts from it\n"
                )
            }
            PullState::Nothing => format!(
                "{remote} has no index of this repository for this version of codelens; `codelens push` uploads one\n"
            ),
        }
}

/// Returns the outcome of cleaning a store up.
pub(in crate::cli) fn collected(done: &RemoteCollected, is_dry_run: bool) -> String {
    let verb = if is_dry_run {
        "would remove"
    } else {
        "removed"
    };
    let indexes = match done.n_removed {
        1 => "1 index".to_owned(),
        n => format!("{n} indexes"),
    };
    let incomplete = match done.n_incomplete {
        0 => String::new(),
        n => format!(
            " ({n} had lost parts; `codelens push` of the commit puts its index there again)"
        ),
    };
    let mut text = format!(
        "{}: {verb} {indexes}{incomplete} and {} parts ({}); kept {}\n",
        visible(&done.remote),
        done.n_parts,
        bytes(done.bytes),
        done.n_kept,
    );
    for (name, why) in &done.unreadable {
        let (name, why) = (visible(name), visible(why));
        put!(text, "not readable: {name}: {why}\n");
    }
    if !done.unreadable.is_empty() {
        text += "next: no part was removed, since theirs can't be told from others; remove these with the tools of the store, or wait until they are old\n";
    }
    text
}
