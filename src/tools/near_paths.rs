//! Paths like one that is not there: `runtime-core/src` → `packages/runtime-core/src`.
//!
//! Looks in the index that the failed call has just brought up.

use serde_json::Value;

use super::Call;
use crate::error::{Code, Error};
use crate::model::likeness;
use crate::workspace::Question;

/// How alike a path has to be.
const MIN_LIKENESS: f64 = 0.8;

/// Likeness of a path that ends with the one that is asked for.
const AS_ENDING: f64 = 0.99;

/// How many are named.
const MAX_NAMED: usize = 3;

/// The longest path that is compared, in bytes: the cost of a comparison grows with its square.
const MAX_COMPARED_BYTES: usize = 400;

/// Returns the error of a call, for a path that is not there with the nearest ones in its hint.
pub(super) fn with_near_paths(mut error: Error, input: &Value, call: &Call<'_>) -> Error {
    let asked = input["path"]
        .as_str()
        // Of a list the first that is asked for.
        .or_else(|| {
            let mut listed = input["path"].as_array()?.iter().filter_map(Value::as_str);
            listed.find(|path| !path.starts_with('!'))
        })
        .filter(|path| error.code == Code::PathNotFound && path.len() <= MAX_COMPARED_BYTES);
    if let Some(handle) = asked.filter(|asked| super::is_like_handle(asked)) {
        return super::unknown_handle(handle);
    }
    let repo = input["repo"].as_str();
    let mut found = asked
        .map(|path| paths(path, repo, call))
        .unwrap_or_default();
    // It may be there, and not be what the tool can take.
    found.retain(|path| Some(path.as_str()) != asked.map(|asked| asked.trim_end_matches('/')));
    if found.is_empty() {
        return error;
    }
    let found: Vec<String> = found.iter().map(|name| format!("`{name}`")).collect();
    error.hint = format!("did you mean {}? {}", found.join(" or "), error.hint);
    error
}

/// Returns the indexed files and directories that are most like a path.
fn paths(asked: &str, repo: Option<&str>, call: &Call<'_>) -> Vec<String> {
    let asked = asked
        .replace('\\', "/")
        .trim_start_matches("./")
        .trim_end_matches('/')
        .to_owned();
    let found = call
        .workspaces
        .open(repo, call.places)
        .and_then(|workspace| {
            let question = Question {
                revision: call.revision,
                ..Question::from(&call.interrupt)
            };
            workspace.query(question, |view| {
                let files = view.read.files_under("")?;
                let mut known: Vec<String> = Vec::new();
                for file in files.iter() {
                    let mut path = file.path.as_str();
                    known.push(path.to_owned());
                    while let Some((directory, _)) = path.rsplit_once('/') {
                        path = directory;
                        known.push(path.to_owned());
                    }
                }
                known.sort();
                known.dedup();
                Ok(nearest(&asked, known))
            })
        });
    found.unwrap_or_default()
}

fn nearest(asked: &str, known: Vec<String>) -> Vec<String> {
    let name = |path: &str| path.rsplit('/').next().unwrap_or_default().to_lowercase();
    let (whole, last) = (asked.to_lowercase(), name(asked));
    let ending = format!("/{whole}");
    let mut found: Vec<(f64, String)> = known
        .into_iter()
        .map(|path| {
            if path.to_lowercase().ends_with(&ending) {
                return (AS_ENDING, path);
            }
            let as_whole = likeness(&whole, &path.to_lowercase());
            // Its own name typed well, in the wrong place.
            let as_name = likeness(&last, &name(&path)) * 0.95;
            (as_whole.max(as_name), path)
        })
        .filter(|(likeness, _)| *likeness >= MIN_LIKENESS)
        .collect();
    found.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    if found.first().is_some_and(|(best, _)| *best >= AS_ENDING) {
        found.retain(|(likeness, _)| *likeness >= AS_ENDING);
    }
    found
        .into_iter()
        .take(MAX_NAMED)
        .map(|(_, path)| path)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::nearest;

    fn found(asked: &str) -> Vec<String> {
        let known = [
            "src/scheduler.ts",
            "src/component.ts",
            "test/scheduler.spec.ts",
            "src",
            "packages/core/src",
            "docs/a.md",
        ];
        nearest(asked, known.map(str::to_owned).to_vec())
    }

    #[test]
    fn a_mistyped_path_finds_the_one_that_was_meant() {
        assert_eq!(found("src/shceduler.ts"), ["src/scheduler.ts"]);
        assert_eq!(found("scheduler.ts"), ["src/scheduler.ts"]);
        assert_eq!(found("Src/Component.ts"), ["src/component.ts"]);
        assert_eq!(found("Core/src"), ["packages/core/src"]);
        assert!(found("something/else").is_empty());
    }
}
