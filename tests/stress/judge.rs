//! Whether an answer is right for the time in which it was made.
//!
//! `fresh` must be the whole truth of one state that was there during the call; anything else may lack things, and may
//! show things marked stale, but nothing wrong without the mark and nothing of a place that was not there.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Mutex;

use serde_json::Value;

use crate::checks::Checks;
use crate::known_repo::{FOLDER, State, UNKNOWN_HEAD, World};
use crate::product::Reply;
use crate::questions::{Question, text};

/// A work tree, its branch and its commit.
type Key = (PathBuf, String, String);

/// An answer with the index that it named, judged when all heads are known.
struct Named<'a> {
    what: String,
    world: &'a World,
    index_id: String,
    /// Numbers of the states that bear the answer out.
    right: Vec<usize>,
    /// Numbers of the states that were there.
    there: Range<usize>,
}

/// Judges answers as they come, and in the end the identities that they named.
pub(crate) struct Judge<'a> {
    checks: &'a Checks,
    counts: Mutex<BTreeMap<String, usize>>,
    named: Mutex<Vec<Named<'a>>>,
    keys: Mutex<BTreeMap<String, BTreeSet<Key>>>,
}

/// Whether an answer names the branch and the commit of a state; of a commit that is being made only the branch is known.
fn is_current(value: &Value, state: &State) -> bool {
    value["branch"] == *state.branch
        && (state.head == UNKNOWN_HEAD || value["headSha"] == *state.head)
}

impl<'a> Judge<'a> {
    pub(crate) fn new(checks: &'a Checks) -> Self {
        Self {
            checks,
            counts: Mutex::default(),
            named: Mutex::default(),
            keys: Mutex::default(),
        }
    }

    fn count(&self, what: String) {
        *self.counts.lock().unwrap().entry(what).or_default() += 1;
    }

    /// Judges an answer about a work tree that changes.
    pub(crate) fn answer(&self, who: &str, world: &'a World, question: &Question, reply: &Reply) {
        let eras = world.eras_in(reply.begun, reply.ended);
        let states: Vec<&State> = eras.iter().map(|(_, era)| &era.state).collect();
        let (value, shown) = (&reply.value, question.shown(reply));
        let truths: Vec<_> = states.iter().map(|state| question.truth(state)).collect();
        let seen = (value, &truths);
        if reply.is_error() {
            self.count(format!("error {}", reply.code()));
            // Nothing else may be refused; this only where it was true.
            let is_true = match reply.code() {
                "path_not_found" => truths.contains(&None),
                "not_indexed" => truths.contains(&None) || states.len() > 1,
                _ => false,
            };
            self.checks
                .that(format!("{who}: {question} is answered"), is_true, seen);
            return;
        }
        let said = match reply.freshness() {
            "" => "of the disk".to_owned(),
            freshness => format!("{freshness} {}", text(value, "freshnessReason")),
        };
        let what = format!("{who}: {question}, {said}");
        self.count(said);
        if let Question::Current = question {
            self.current(&what, world, reply);
            return;
        }
        if let Question::Text(_) = question {
            self.checks.that(
                format!("{what} is of a state that was there"),
                truths.contains(&shown),
                seen,
            );
            return;
        }
        let there = eras.first().unwrap().0..eras.last().unwrap().0 + 1;
        let entries = || {
            ["results", "files", "callers"]
                .iter()
                .filter_map(|key| value[key].as_array())
                .flatten()
        };
        let right = if reply.freshness() == "fresh" {
            let right: Vec<_> = there
                .clone()
                .zip(&truths)
                .filter(|(_, truth)| **truth == shown)
                .map(|(at, _)| at)
                .collect();
            self.checks.that(
                format!("{what} is the whole truth"),
                !right.is_empty(),
                seen,
            );
            let stale: Vec<_> = entries().filter(|it| it["stale"] == true).collect();
            self.checks
                .that(format!("{what}: nothing is stale"), stale.is_empty(), stale);
            right
        } else {
            let wrong = question.wrong(value, &states);
            self.checks.that(
                format!("{what}: all that is not marked stale is right"),
                wrong.is_empty(),
                (&wrong, seen),
            );
            there.clone().collect()
        };
        let gone: Vec<_> = entries()
            .map(|it| text(it, "path"))
            .filter(|path| path.starts_with(&format!("{FOLDER}/")))
            .filter(|path| !states.iter().any(|state| state.files.contains_key(*path)))
            .collect();
        self.checks.that(
            format!("{what}: no file that was gone"),
            gone.is_empty(),
            (&gone, seen),
        );
        let index_id = text(value, "indexId").to_owned();
        self.named.lock().unwrap().push(Named {
            what,
            world,
            index_id,
            right,
            there,
        });
    }

    /// Judges the branch and the commit that an answer names, and notes its index.
    pub(crate) fn current(&self, what: &str, world: &World, reply: &Reply) {
        let value = &reply.value;
        let eras = world.eras_in(reply.begun, reply.ended);
        let is_there = eras.iter().any(|(_, era)| is_current(value, &era.state));
        self.checks.that(
            format!("{what} is of a state that was there"),
            is_there,
            value,
        );
        let key = (
            world.path.clone(),
            text(value, "branch").to_owned(),
            text(value, "headSha").to_owned(),
        );
        self.keys
            .lock()
            .unwrap()
            .entry(text(value, "indexId").to_owned())
            .or_default()
            .insert(key);
    }

    /// Checks that each answer named the index of a state that bears it out.
    pub(crate) fn end(&self) {
        let keys = self.keys.lock().unwrap();
        for (index_id, keys) in &*keys {
            self.checks.that(
                format!("{index_id} belongs to one branch and commit"),
                keys.len() == 1,
                keys,
            );
        }
        for answer in &*self.named.lock().unwrap() {
            let Some(known) = keys.get(&answer.index_id) else {
                self.count("of an index that nobody asked about".to_owned());
                continue;
            };
            let eras = answer.world.eras();
            let is_key = |at: usize| {
                let state = &eras[at].state;
                known.contains(&(
                    answer.world.path.clone(),
                    state.branch.clone(),
                    state.head.clone(),
                ))
            };
            // Between git's last write in the tree and its write of HEAD, the tree is the new one and HEAD the old.
            let is_between =
                |at: usize| is_key(at - 1) && eras[at].by_git && answer.right.contains(&at);
            let is_right = answer.right.iter().any(|at| is_key(*at))
                || answer.there.clone().skip(1).any(is_between);
            self.checks.that(
                format!("{}: its index is of that state", answer.what),
                is_right,
                known,
            );
        }
        eprintln!("{:?}", self.counts.lock().unwrap());
    }
}
