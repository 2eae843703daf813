//! One question to several repositories: `repo` is `"all"`, a list, or names with commas between them.
//!
//! Each repository is asked as if it were alone; their lists are merged by score times confidence, and `repos` says for
//! each how current its answer is, or why it has none. Edges and handles stay within one repository: in a merged answer a
//! handle is written `core/sym_0123456789abcdef`, and every tool takes that form.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use serde::Deserialize as _;
use serde_json::{Map, Value};

use super::number::{Number, clamp};
use super::{Call, answer, schema};
use crate::error::{Code, Error, Result};
use crate::model::Handle;

/// Repositories that one question is put to.
const MAX_REPOS: usize = 16;

/// Repositories that are asked at the same time.
const AT_ONCE: usize = 4;

/// Results of one repository on all pages; more are found by asking it alone.
const MAX_OF_A_REPO: usize = 200;

/// The constant of reciprocal rank fusion.
const RANK_CONSTANT: f64 = 60.0;

/// Results of a page for which no limit is given, as far as one repository alone does not give more.
const DEFAULT_LIMIT: usize = 5;

/// How a tool's answers of several repositories become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Federation {
    /// It answers for one repository alone.
    None,
    /// Each answer is an entry of `repos`.
    Entries,
    /// The first of these lists is merged by score, in pages; the others follow each other.
    Lists(&'static [&'static str]),
}

/// Returns the repositories that an input names, where it names several by their form: each a name or a path.
///
/// # Errors
/// `invalid_argument` for a list that is empty, too long, or of something else than texts.
pub(super) fn asked_repositories(input: &Value, call: &Call<'_>) -> Result<Option<Vec<String>>> {
    let served = || -> Vec<String> {
        let served = call.workspaces.together(call.places).into_iter();
        served
            .flat_map(|served| served.names().map(str::to_owned))
            .collect()
    };
    let mut names = match &input["repo"] {
        Value::Array(list) => list
            .iter()
            .map(|name| {
                name.as_str().map(str::to_owned).ok_or_else(|| {
                    Error::invalid(
                        "field `repo`: the list holds something that is no text",
                        "give names or paths of repositories, for example [\"core\", \"api\"]",
                    )
                })
            })
            .collect::<Result<Vec<_>>>()?,
        // Without a list of served ones the repository of the call is all there is.
        Value::String(all) if all == "all" => match served() {
            names if names.is_empty() => vec![".".to_owned()],
            names => names,
        },
        Value::String(several) if several.contains(',') => {
            let served = served();
            let names: Vec<String> = several.split(',').map(|it| it.trim().to_owned()).collect();
            if !names.iter().all(|name| served.contains(name)) {
                return Ok(None);
            }
            names
        }
        _ => return Ok(None),
    };
    let mut seen = std::collections::BTreeSet::new();
    names.retain(|name| seen.insert(name.clone()));
    if names.is_empty() || names.len() > MAX_REPOS {
        return Err(Error::invalid(
            format!("field `repo`: it names {} repositories", names.len()),
            format!("name 1 to {MAX_REPOS} repositories, or leave `repo` out"),
        ));
    }
    Ok(Some(names))
}

/// Takes the repository out of handles like `core/sym_0123456789abcdef` and puts it into `repo`. Returns it, so that the
/// handles of the answer can be written in the same way. A file may have such a name: only what `is_repository` says is one.
///
/// # Errors
/// `invalid_argument` where handles of two repositories are given, or `repo` names another one.
pub(super) fn take_repository_of_handles(
    input: &mut Value,
    is_repository: impl Fn(&str) -> bool,
) -> Result<Option<String>> {
    let Value::Object(fields) = input else {
        return Ok(None);
    };
    let mut repo: Option<String> = None;
    for (field, value) in fields.iter_mut() {
        let texts: Vec<&mut Value> = match value {
            Value::Array(list) => list.iter_mut().collect(),
            Value::String(_) if !matches!(field.as_str(), "query" | "path" | "repo") => vec![value],
            _ => continue,
        };
        for text in texts {
            let known = text.as_str().and_then(qualified);
            let Some((name, handle)) = known.filter(|(name, _)| is_repository(name)) else {
                continue;
            };
            if repo.as_ref().is_some_and(|known| known != name) {
                return Err(Error::invalid(
                    "the handles are of several repositories",
                    "ask about the handles of one repository in a call",
                ));
            }
            repo = Some(name.to_owned());
            *text = Value::from(handle.to_owned());
        }
    }
    let Some(repo) = repo else {
        return Ok(None);
    };
    match fields.get("repo") {
        None | Some(Value::Null) => {}
        Some(known) if known == &repo => {}
        Some(_) => {
            return Err(Error::invalid(
                format!("`repo` names another repository than the handle of `{repo}`"),
                "leave `repo` out: the handle says it",
            ));
        }
    }
    fields.insert("repo".to_owned(), Value::from(repo.as_str()));
    Ok(Some(repo))
}

/// Whether a text names a repository in a handle: one that is served or belongs to the group of the call's, or an absolute path where
/// all may be asked.
pub(super) fn is_repository(name: &str, call: &Call<'_>) -> bool {
    let together = call.workspaces.together(call.places);
    let is_named = together.is_some_and(|served| served.by_name(name).is_some());
    is_named || call.workspaces.served().is_none() && Path::new(name).is_absolute()
}

/// Splits `core/sym_0123456789abcdef` into the repository and the handle.
fn qualified(text: &str) -> Option<(&str, &str)> {
    let (repo, handle) = text.rsplit_once('/')?;
    (!repo.is_empty() && !repo.starts_with("rel:") && Handle::parse(handle).is_some())
        .then_some((repo, handle))
}

/// Asks each repository and makes one answer of theirs.
///
/// A repository that fails is an entry of `repos` with its error. `ask` answers for one repository.
///
/// # Errors
/// `cancelled`; `bad_cursor` for a cursor of another question or of another state of the repositories; the error of the
/// input, where every repository refuses it.
pub(super) fn call_each(
    federation: Federation,
    input: &Value,
    names: &[String],
    call: &Call<'_>,
    ask: impl Fn(Value) -> Result<Value> + Sync,
) -> Result<Value> {
    let lists = match federation {
        Federation::None => {
            return Err(Error::invalid(
                "this tool answers for one repository",
                format!("pass `repo` as one of {}", names.join(", ")),
            ));
        }
        Federation::Entries => &[],
        Federation::Lists(lists) => lists,
    };
    if input.get("targets").is_some() {
        return Err(Error::invalid(
            "`targets` are of one repository",
            "ask with `query`, or pass `repo` as one repository",
        ));
    }
    let mut alone = input.clone();
    let cursor = take(&mut alone, "cursor");
    let cursor = cursor.as_ref().and_then(Value::as_str);
    let shown_before = match cursor {
        Some(text) => shown_before(text, names.len())?,
        None => vec![0; names.len()],
    };
    share_budget(&mut alone, names.len())?;
    let limit = Option::<Number>::deserialize(&alone["limit"])
        .ok()
        .flatten();
    let limit = limit.map(|limit| clamp(Some(limit), DEFAULT_LIMIT, 1..=MAX_OF_A_REPO));
    let outcomes = ask_each(names, |at, name| {
        let mut input = alone.clone();
        input["repo"] = Value::from(name);
        if cursor.is_some() {
            let limit = shown_before[at] + limit.unwrap_or(DEFAULT_LIMIT);
            input["limit"] = Value::from(limit.min(MAX_OF_A_REPO));
        }
        ask(input)
    });
    if call.interrupt.load(Ordering::Relaxed) {
        return Err(Error::cancelled());
    }
    let lists = &in_order(lists, &outcomes);
    let mut answers = Vec::new();
    for (name, outcome) in names.iter().zip(outcomes) {
        answers.push(RepositoryAnswer::of(name, outcome, lists));
    }
    if let Some(refused) = refused_by_all(&mut answers) {
        return Err(refused);
    }
    let bound = digest(&alone, &answers);
    if let Some(text) = cursor
        && !text.starts_with(&format!("all.{bound}."))
    {
        return Err(bad_cursor());
    }
    for (one, n) in answers.iter_mut().zip(&shown_before) {
        one.skip(*n);
    }
    let is_by_rank = call.workspaces.config().merges_by_rank;
    let merged = merge(
        lists,
        input,
        answers,
        limit,
        is_by_rank,
        &shown_before,
        &bound,
    );
    Ok(answer::cap(answer::put_state_first(merged)))
}

/// The lists of the answers, with the one that is merged first: the first that an answer has.
fn in_order<'l>(lists: &[&'l str], outcomes: &[Result<Value>]) -> Vec<&'l str> {
    let is_there = |list: &str| {
        let mut answers = outcomes.iter().flatten();
        answers.any(|answer| answer[list].is_array())
    };
    let mut lists = lists.to_vec();
    if let Some(at) = lists.iter().position(|list| is_there(list)) {
        lists[..=at].rotate_right(1);
    }
    lists
}

/// The answer of one repository, taken apart.
struct RepositoryAnswer {
    name: String,
    /// Its fields that are no lists, or its error.
    entry: Map<String, Value>,
    /// The merged list, which is first, and the others.
    lists: Vec<Vec<Value>>,
    error: Option<Error>,
    /// Whether it has more results than it gave.
    goes_on: bool,
    /// By which its scores are multiplied.
    confidence: f64,
    /// How many of its results earlier pages had.
    n_before: usize,
}

impl RepositoryAnswer {
    fn of(name: &str, outcome: Result<Value>, lists: &[&str]) -> Self {
        let (mut fields, error) = match outcome {
            Ok(Value::Object(fields)) => (fields, None),
            Ok(_) => (Map::new(), None),
            Err(error) => {
                let fields = Map::from_iter([("error".to_owned(), error.to_json())]);
                (fields, Some(error))
            }
        };
        // The path of the work tree, in an answer about the repository itself.
        if let Some(path) = fields.shift_remove("repo") {
            fields.insert("path".to_owned(), path);
        }
        fields.shift_remove("query");
        let goes_on = fields.shift_remove("nextCursor").is_some();
        let lists = lists.iter().map(|list| match fields.shift_remove(*list) {
            Some(Value::Array(items)) => items
                .into_iter()
                .map(|item| of_repository(item, name))
                .collect(),
            Some(other) => {
                fields.insert((*list).to_owned(), other);
                Vec::new()
            }
            None => Vec::new(),
        });
        let lists = lists.collect();
        let confidence = fields.get("confidence").unwrap_or(&Value::Null);
        let confidence =
            confidence["value"]
                .as_f64()
                .unwrap_or(match confidence["level"].as_str() {
                    Some("low") => 0.3,
                    Some("medium") => 0.6,
                    _ => 1.0,
                });
        Self {
            name: name.to_owned(),
            entry: fields,
            lists,
            error,
            goes_on,
            confidence,
            n_before: 0,
        }
    }

    /// Leaves out the results of the pages before.
    fn skip(&mut self, n: usize) {
        if let Some(list) = self.lists.first_mut() {
            list.drain(..n.min(list.len()));
        }
        self.n_before = n;
    }

    /// The weight of its next result; its place where results have no score. With `is_by_rank` the place alone counts, by reciprocal
    /// rank fusion.
    fn weight(&self, at: usize, is_by_rank: bool) -> Option<f64> {
        let next = self.lists.first()?.get(at)?;
        if is_by_rank {
            #[expect(clippy::cast_precision_loss, reason = "a place in a short list")]
            let rank = (self.n_before + at + 1) as f64;
            return Some(1.0 / (RANK_CONSTANT + rank));
        }
        let score = next["score"].as_f64();
        #[expect(clippy::cast_precision_loss, reason = "a place in a short list")]
        let by_place = || 1.0 / (at + 1) as f64;
        Some(score.map_or_else(by_place, |score| score * self.confidence))
    }
}

/// Puts the repository before a result and into its handles.
fn of_repository(item: Value, name: &str) -> Value {
    let mut item = match item {
        Value::Object(fields) => {
            let mut all = Map::from_iter([("repo".to_owned(), Value::from(name))]);
            all.extend(fields);
            Value::Object(all)
        }
        other => other,
    };
    qualify_handles(&mut item, name);
    item
}

/// Writes the repository before each handle of an answer.
pub(super) fn qualify_handles(value: &mut Value, name: &str) {
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                match value {
                    Value::String(text) if key == "handle" => *text = format!("{name}/{text}"),
                    other => qualify_handles(other, name),
                }
            }
        }
        Value::Array(list) => list.iter_mut().for_each(|it| qualify_handles(it, name)),
        _ => {}
    }
}

/// Runs `ask` for each name, a few at a time; the outcomes are in the order of the names.
fn ask_each(
    names: &[String],
    ask: impl Fn(usize, &str) -> Result<Value> + Sync,
) -> Vec<Result<Value>> {
    let outcomes: Vec<Mutex<Option<Result<Value>>>> =
        names.iter().map(|_| Mutex::new(None)).collect();
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE.min(names.len()) {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(name) = names.get(at) else {
                        return;
                    };
                    let outcome = ask(at, name);
                    *outcomes[at].lock().unwrap_or_else(PoisonError::into_inner) = Some(outcome);
                }
            });
        }
    });
    let outcomes = outcomes.into_iter().map(|outcome| {
        let outcome = outcome.into_inner().unwrap_or_else(PoisonError::into_inner);
        outcome.unwrap_or_else(|| Err(Error::cancelled()))
    });
    outcomes.collect()
}

/// The error of an input that no repository takes.
fn refused_by_all(answers: &mut [RepositoryAnswer]) -> Option<Error> {
    let is_refused = |one: &RepositoryAnswer| {
        one.error
            .as_ref()
            .is_some_and(|error| error.code == Code::InvalidArgument)
    };
    if answers.iter().all(is_refused) {
        return answers.first_mut()?.error.take();
    }
    None
}

/// Merges the answers into one.
fn merge(
    lists: &[&str],
    input: &Value,
    mut answers: Vec<RepositoryAnswer>,
    limit: Option<usize>,
    is_by_rank: bool,
    shown_before: &[usize],
    bound: &str,
) -> Value {
    let longest = |one: &RepositoryAnswer| one.lists.first().map_or(0, Vec::len);
    let limit = limit.unwrap_or_else(|| {
        let longest = answers.iter().map(longest).max();
        longest.unwrap_or(0).max(DEFAULT_LIMIT)
    });
    let mut shown = vec![0; answers.len()];
    let mut results = Vec::new();
    while results.len() < limit {
        let mut best: Option<(f64, usize)> = None;
        for (at, one) in answers.iter().enumerate() {
            if let Some(weight) = one.weight(shown[at], is_by_rank)
                && best.is_none_or(|(most, _)| weight > most)
            {
                best = Some((weight, at));
            }
        }
        let Some((_, at)) = best else { break };
        results.push(answers[at].lists[0][shown[at]].take());
        shown[at] += 1;
    }
    let has_more = answers.iter().zip(&shown).any(|(one, n)| {
        let list = one.lists.first();
        one.goes_on || list.is_some_and(|list| list.len() > *n)
    });
    let mut merged = Map::new();
    if let Some(query) = input.get("query") {
        merged.insert("query".to_owned(), query.clone());
    }
    merged.insert("count".to_owned(), Value::from(results.len()));
    put_freshness(&mut merged, &answers);
    if let Some(confidence) = best_confidence(&answers, &shown) {
        merged.insert("confidence".to_owned(), confidence);
    }
    put_missing(&mut merged, &answers);
    if has_more && shown.iter().any(|n| *n > 0) {
        let counts: Vec<String> = shown
            .iter()
            .zip(shown_before)
            .map(|(now, before)| (now + before).to_string())
            .collect();
        let cursor = format!("all.{bound}.{}", counts.join("-"));
        merged.insert("nextCursor".to_owned(), Value::from(cursor));
    }
    let mut rest: Vec<Vec<Value>> = vec![Vec::new(); lists.len().saturating_sub(1)];
    let mut repos = Vec::new();
    for (one, n) in answers.iter_mut().zip(&shown) {
        let mut entry = Map::from_iter([("repo".to_owned(), Value::from(one.name.as_str()))]);
        entry.extend(std::mem::take(&mut one.entry));
        if !lists.is_empty() && one.error.is_none() {
            entry.insert("count".to_owned(), Value::from(*n));
        }
        repos.push(Value::Object(entry));
        for (all, list) in rest.iter_mut().zip(one.lists.iter_mut().skip(1)) {
            all.append(list);
        }
    }
    merged.insert("repos".to_owned(), Value::Array(repos));
    if let Some((first, others)) = lists.split_first() {
        merged.insert((*first).to_owned(), Value::Array(results));
        for (name, list) in others.iter().zip(rest) {
            if !list.is_empty() {
                merged.insert((*name).to_owned(), Value::Array(list));
            }
        }
    } else {
        merged.shift_remove("count");
    }
    Value::Object(merged)
}

/// Puts the worst freshness of those that answered, and the files that are pending in all.
fn put_freshness(merged: &mut Map<String, Value>, answers: &[RepositoryAnswer]) {
    let rank = |state: &str| match state {
        "fresh" => 0,
        "partial" => 1,
        _ => 2,
    };
    let answered = || {
        let entries = answers.iter().filter(|one| one.error.is_none());
        entries.filter_map(|one| Some((one.entry.get("freshness")?.as_str()?, &one.entry)))
    };
    let worst = answered().max_by_key(|(state, _)| rank(state));
    let has_answer = answers.iter().any(|one| one.error.is_none());
    match worst {
        Some((state, entry)) => {
            merged.insert("freshness".to_owned(), Value::from(state));
            if let Some(reason) = entry.get("freshnessReason") {
                merged.insert("freshnessReason".to_owned(), reason.clone());
            }
        }
        // Answers about repositories themselves have none.
        None if has_answer => return,
        None => {
            merged.insert("freshness".to_owned(), Value::from("unknown"));
        }
    }
    let pending: u64 = answered()
        .filter_map(|(_, entry)| entry.get("pendingFiles")?.as_u64())
        .sum();
    if pending > 0 {
        merged.insert("pendingFiles".to_owned(), Value::from(pending));
    }
    let failed: Vec<&str> = answers
        .iter()
        .filter(|one| one.error.is_some())
        .map(|one| one.name.as_str())
        .collect();
    if !failed.is_empty() {
        let note = format!("Not asked through: {}; see `repos`.", failed.join(", "));
        merged.insert("note".to_owned(), Value::from(note));
    }
}

/// The confidence of the repository that it is highest for, of those with a result on this page.
fn best_confidence(answers: &[RepositoryAnswer], shown: &[usize]) -> Option<Value> {
    let with_results = answers.iter().zip(shown).filter(|(_, n)| **n > 0);
    let best = with_results
        .filter(|(one, _)| one.entry.contains_key("confidence"))
        .max_by(|(one, _), (other, _)| one.confidence.total_cmp(&other.confidence));
    best.and_then(|(one, _)| one.entry.get("confidence").cloned())
}

/// Puts the words of the question that no repository's results hold.
fn put_missing(merged: &mut Map<String, Value>, answers: &[RepositoryAnswer]) {
    let mut answered = answers.iter().filter(|one| one.error.is_none());
    let missing = |one: &RepositoryAnswer| -> Vec<Value> {
        let list = one.entry.get("missing").and_then(Value::as_array);
        list.cloned().unwrap_or_default()
    };
    let Some(first) = answered.next() else {
        return;
    };
    let mut words = missing(first);
    for other in answered {
        let theirs = missing(other);
        words.retain(|word| theirs.contains(word));
    }
    if !words.is_empty() {
        merged.insert("missing".to_owned(), Value::Array(words));
    }
}

/// Gives each of several rounds its part of the time.
fn share_budget(input: &mut Value, n_repos: usize) -> Result<()> {
    let rounds = n_repos.div_ceil(AT_ONCE).max(1);
    if rounds > 1
        && let Some(budget) = schema::take_budget(input)?
    {
        let rounds = u32::try_from(rounds).unwrap_or(1);
        let each = u64::try_from((budget / rounds).as_millis()).unwrap_or(u64::MAX);
        input["budgetMs"] = Value::from(each);
    }
    Ok(())
}

/// Binds a cursor to the question, the repositories and the indexes that answered.
fn digest(input: &Value, answers: &[RepositoryAnswer]) -> String {
    let mut asked = input.clone();
    take(&mut asked, "limit");
    take(&mut asked, "budgetMs");
    let mut text = asked.to_string();
    for one in answers {
        let index = one.entry.get("indexId").and_then(Value::as_str);
        for part in [one.name.as_str(), index.unwrap_or_default()] {
            text.push('\n');
            text.push_str(part);
        }
    }
    blake3::hash(text.as_bytes()).to_hex()[..12].to_owned()
}

/// How many results of each repository earlier pages had: `all.0123456789ab.5-0`.
fn shown_before(cursor: &str, n_repos: usize) -> Result<Vec<usize>> {
    let counts = || {
        let (_, counts) = cursor.strip_prefix("all.")?.split_once('.')?;
        let counts: Option<Vec<usize>> = counts.split('-').map(|n| n.parse().ok()).collect();
        counts
            .filter(|counts| counts.len() == n_repos && counts.iter().all(|n| *n <= MAX_OF_A_REPO))
    };
    counts().ok_or_else(bad_cursor)
}

fn bad_cursor() -> Error {
    Error::new(
        Code::BadCursor,
        "the cursor belongs to another query, other repositories or another state of them",
        "repeat the call without `cursor`",
    )
}

fn take(input: &mut Value, field: &str) -> Option<Value> {
    input.as_object_mut()?.shift_remove(field)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{qualified, shown_before, take_repository_of_handles};

    #[test]
    fn a_handle_may_name_its_repository() {
        let handle = "sym_0123456789abcdef";
        assert_eq!(qualified(&format!("core/{handle}")), Some(("core", handle)));
        assert_eq!(qualified(handle), None);
        assert_eq!(qualified("src/a.ts"), None);
        let mut input = json!({"handles": [format!("core/{handle}")], "query": "a/b"});
        take_repository_of_handles(&mut input, |_| true).unwrap();
        assert_eq!(
            input,
            json!({"handles": [handle], "query": "a/b", "repo": "core"})
        );
        let mut input = json!({"handle": format!("core/{handle}"), "repo": "other"});
        assert!(take_repository_of_handles(&mut input, |_| true).is_err());
        let mut input = json!({"handles": [format!("a/{handle}"), format!("b/{handle}")]});
        assert!(take_repository_of_handles(&mut input, |_| true).is_err());
    }

    #[test]
    fn a_path_that_looks_like_a_handle_is_a_path() {
        let path = "names/sym_0123456789abcdef";
        let mut input = json!({"path": path});
        assert_eq!(
            take_repository_of_handles(&mut input, |_| true).unwrap(),
            None
        );
        let mut input = json!({"targets": [path]});
        let taken = take_repository_of_handles(&mut input, |name| name == "core");
        assert_eq!(taken.unwrap(), None);
        assert_eq!(input, json!({"targets": [path]}));
    }

    #[test]
    fn a_cursor_counts_for_each_repository() {
        assert_eq!(shown_before("all.0123.5-0", 2).unwrap(), [5, 0]);
        for bad in ["all.0123.5", "all.0123.5-x", "0123.5-0", "all.0.5-999", ""] {
            assert!(shown_before(bad, 2).is_err(), "{bad}");
        }
    }
}
