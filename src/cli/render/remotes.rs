//! Remotes, and what was carried there and back, as text.

use serde_json::Value;

use super::text::{Fields, bytes, plural};
use crate::cli::screen::visible;

/// Returns the result of a change to the list of remotes, or the list.
pub(in crate::cli) fn remote(value: &Value) -> String {
    let name = visible(value.text("name"));
    if value.is_true("removed") {
        return format!("removed {name}; its objects stay in the store\n");
    }
    if value["added"].is_boolean() {
        let url = visible(value.text("url"));
        return if value.is_true("added") {
            format!(
                "added {name}: {url}\nnext: `codelens push` uploads the index of a commit; remote.pull = \"auto\" in codelens.toml starts missing ones from there\n"
            )
        } else {
            format!("{name} is there already: {url}\n")
        };
    }
    if value["publicKey"].is_string() {
        return format!(
            "public   {}\nprivate  {}\n",
            visible(value.text("publicKey")),
            visible(value.text("privateKey"))
        );
    }
    let remotes = value.items("remotes");
    if remotes.is_empty() {
        return "no remotes; `codelens remote add NAME URL` adds one\n".to_owned();
    }
    let line = |remote: &Value| {
        let name = visible(remote.text("name"));
        match remote.text("error") {
            "" => format!("{name}  {}\n", visible(remote.text("url"))),
            error => format!("{name}  not usable: {}\n", visible(error)),
        }
    };
    remotes.iter().map(line).collect()
}

/// Returns the result of a push or a pull.
pub(in crate::cli) fn transfer(value: &Value) -> String {
    let remote = visible(value.text("remote"));
    let commit = visible(value.text("commit").get(..12).unwrap_or_default());
    let files = plural(value.number("files"), "file");
    let size = bytes(value.number("bytes"));
    let differing = match value["differingFiles"].as_u64() {
        Some(0) => "the commit itself".to_owned(),
        Some(n) => format!("{} differ", plural(n, "file")),
        None => "how many files differ is not known here".to_owned(),
    };
    match value.text("status") {
        "uploaded" => {
            let uploaded = bytes(value.number("uploadedBytes"));
            format!("pushed {commit} to {remote}: {files}, {size} ({uploaded} uploaded)\n")
        }
        "present" if value["uploadedBytes"].is_u64() => {
            format!("{remote} has the index of {commit} already: {files}, {size}\n")
        }
        "present" => format!("the index of {commit} is here already ({differing})\n"),
        "taken" => {
            let verified = match value["verifiedFiles"].as_u64() {
                Some(n) => format!(", {n} extracted again: all as the index says"),
                None => String::new(),
            };
            format!(
                "pulled {commit} from {remote}: {files}, {size} ({differing}){verified}\nnext: `codelens refresh`, or any question: a new index starts from it\n"
            )
        }
        _ => format!(
            "{remote} has no index of this repository for this version of codelens; `codelens push` uploads one\n"
        ),
    }
}

/// Returns the outcome of cleaning a store up.
pub(in crate::cli) fn collected(value: &Value) -> String {
    let verb = if value.is_true("dryRun") {
        "would remove"
    } else {
        "removed"
    };
    format!(
        "{}: {verb} {} and {} of their parts ({}); {} stay\n",
        visible(value.text("remote")),
        plural_of(value.number("removedIndexes"), "index", "indexes"),
        value.number("removedParts"),
        bytes(value.number("removedBytes")),
        value.number("keptIndexes"),
    )
}

fn plural_of(n: u64, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}
