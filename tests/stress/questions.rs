//! Questions whose right answer follows from the state of a known repository, and the answer that a reply gives.
//!
//! A truth is a set of rows, all of which a `fresh` answer must show, and no other; `None` where there is nothing to ask about.

use std::collections::BTreeSet;
use std::fmt;

use serde_json::{Value, json};

use crate::checks::Checks;
use crate::known_repo::{FOLDER, File, N_ROOTS, State, Symbol, World, place};
use crate::product::{Client, Product, Reply};
use crate::support::Dice;

/// The rows of an answer.
pub(crate) type Rows = Option<BTreeSet<String>>;

/// One call.
#[derive(Clone, Debug)]
pub(crate) enum Question {
    /// The outline of one file, or of a folder.
    Outline(String),
    /// A search for a name that is in one file at most.
    Find(String),
    /// The calls of the function that a root defines.
    Callers(usize),
    /// The files that import a root.
    Importers(usize),
    /// The files that a file imports.
    Imports(String),
    /// The bytes of a file.
    Text(String),
    /// The branch and the commit that are checked out.
    Current,
}

impl fmt::Display for Question {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}

impl Question {
    pub(crate) fn ask(&self, client: &dyn Client) -> Reply {
        let (tool, arguments) = match self {
            Self::Outline(path) if is_file(path) => ("cl_map", json!({"path": path, "all": true})),
            Self::Outline(path) => (
                "cl_map",
                json!({"path": path, "all": true, "limit": 200, "budget": 50_000}),
            ),
            Self::Find(name) => ("cl_search", json!({"query": name, "limit": 5})),
            Self::Callers(root) => {
                let symbol = format!("base{root:03}");
                (
                    "cl_impact",
                    json!({"symbol": symbol, "depth": 1, "limit": 500}),
                )
            }
            Self::Importers(root) => {
                let path = place(*root, false);
                (
                    "cl_related",
                    json!({"path": path, "types": ["imported_by"], "depth": 1, "limit": 500}),
                )
            }
            Self::Imports(path) => (
                "cl_related",
                json!({"path": path, "types": ["imports"], "direction": "out", "depth": 1}),
            ),
            Self::Text(path) => ("cl_expand", json!({"path": path, "budget": 4000})),
            Self::Current => ("cl_current", json!({})),
        };
        client.call(tool, &arguments)
    }

    /// Returns the rows that are right in a state.
    pub(crate) fn truth(&self, state: &State) -> Rows {
        let files = &state.files;
        match self {
            Self::Outline(path) if is_file(path) => {
                let file = files.get(path)?;
                Some([outline_row(path, &file.symbols())].into())
            }
            Self::Outline(folder) => {
                let folder = format!("{folder}/");
                let inside = files
                    .iter()
                    .filter(|(path, file)| path.starts_with(&folder) && !file.is_empty);
                let rows: BTreeSet<_> = inside
                    .map(|(path, file)| outline_row(path, &file.symbols()))
                    .collect();
                Some(rows).filter(|rows| !rows.is_empty())
            }
            Self::Find(name) => {
                let symbols = files
                    .iter()
                    .flat_map(|(path, file)| file.symbols().into_iter().map(move |it| (path, it)));
                let named = symbols.filter(|(_, symbol)| symbol.0 == *name);
                Some(
                    named
                        .map(|(path, (name, _, last))| format!("{path} {name} {last}"))
                        .collect(),
                )
            }
            Self::Callers(root) => Some(state.callers(*root)),
            Self::Importers(root) => Some(state.importers(*root)),
            Self::Imports(path) => {
                let target = files.get(path)?.target();
                Some(target.map(|root| place(root, false)).into_iter().collect())
            }
            Self::Text(path) => Some([files.get(path)?.text()].into()),
            Self::Current => Some([format!("{} {}", state.branch, state.head)].into()),
        }
    }

    /// Returns the rows that a reply shows; `None` if it is an error.
    pub(crate) fn shown(&self, reply: &Reply) -> Rows {
        (!reply.is_error()).then(|| self.rows(&reply.value, |_| true))
    }

    /// Returns the rows of those entries that a condition takes.
    fn rows(&self, value: &Value, takes: fn(&Value) -> bool) -> BTreeSet<String> {
        let entries = |key| entries(value, key).filter(move |it| takes(it));
        match self {
            Self::Outline(_) => entries("files")
                .map(|file| outline_row(text(file, "path"), &symbols(file)))
                .collect(),
            Self::Find(name) => {
                let named = entries("results").filter(|hit| hit["symbol"] == **name);
                named
                    .map(|hit| format!("{} {name} {}", text(hit, "path"), last_line(hit)))
                    .collect()
            }
            Self::Callers(_) => {
                let row = |it: &Value| {
                    format!("{} {} {}", text(it, "path"), text(it, "symbol"), it["line"])
                };
                entries("callers").map(row).collect()
            }
            Self::Importers(_) | Self::Imports(_) => entries("results")
                .map(|it| text(it, "path").to_owned())
                .collect(),
            Self::Text(_) => [text(value, "content").to_owned()].into(),
            Self::Current => [format!(
                "{} {}",
                text(value, "branch"),
                text(value, "headSha")
            )]
            .into(),
        }
    }

    /// Whether a reply is fresh and the whole truth.
    pub(crate) fn is_right(&self, reply: &Reply, state: &State) -> bool {
        !reply.is_error() && reply.freshness() == "fresh" && self.shown(reply) == self.truth(state)
    }

    /// Asks and checks that the answer is fresh and the whole truth.
    pub(crate) fn check(
        &self,
        checks: &Checks,
        when: &str,
        client: &dyn Client,
        state: &State,
    ) -> bool {
        let reply = self.ask(client);
        let is_right = self.is_right(&reply, state);
        checks.that(format!("{when}: {self} is right"), is_right, &reply.value)
    }

    /// Returns the things that an answer shows without calling them stale and that none of these states bears out.
    pub(crate) fn wrong(&self, value: &Value, states: &[&State]) -> Vec<String> {
        let is_current: fn(&Value) -> bool = |it| it["stale"] != true;
        let entries = |key| entries(value, key).filter(move |it| is_current(it));
        let is_of = |entry: &Value, is_right: &dyn Fn(&File) -> bool| {
            let mut files = states
                .iter()
                .filter_map(|state| state.files.get(text(entry, "path")));
            files.any(is_right)
        };
        match self {
            Self::Outline(_) => entries("files")
                .filter(|file| !is_of(file, &|it| it.symbols() == symbols(file)))
                .map(Value::to_string)
                .collect(),
            Self::Find(_) => entries("results")
                .filter(|hit| text(hit, "path").starts_with(&format!("{FOLDER}/")))
                .filter(|hit| !is_of(hit, &|file| shows(hit, file)))
                .map(Value::to_string)
                .collect(),
            _ => {
                let is_true = |row: &String| {
                    states
                        .iter()
                        .any(|state| self.truth(state).is_some_and(|rows| rows.contains(row)))
                };
                let mut wrong: Vec<_> = self
                    .rows(value, is_current)
                    .into_iter()
                    .filter(|row| !is_true(row))
                    .collect();
                if let Self::Callers(root) = self {
                    let is_user = |path: &str| {
                        states
                            .iter()
                            .any(|state| state.importers(*root).contains(path))
                    };
                    let paths = entries("affectedFiles").map(|it| text(it, "path"));
                    wrong.extend(paths.filter(|path| !is_user(path)).map(str::to_owned));
                }
                wrong
            }
        }
    }
}

/// Returns a search for a name.
pub(crate) fn find(name: &str) -> Question {
    Question::Find(name.to_owned())
}

/// Returns a question about the outline of a file or a folder.
pub(crate) fn outline(path: &str) -> Question {
    Question::Outline(path.to_owned())
}

/// Returns a field that is a text; `""` if there is none.
pub(crate) fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

fn entries<'a>(value: &'a Value, key: &str) -> std::slice::Iter<'a, Value> {
    let list = value[key].as_array();
    list.unwrap_or_else(|| panic!("no {key} in {value}")).iter()
}

fn number(value: &Value) -> usize {
    usize::try_from(value.as_u64().unwrap()).unwrap()
}

fn outline_row(path: &str, symbols: &[Symbol]) -> String {
    format!("{path} {symbols:?}")
}

/// Returns the symbols that the outline of a file shows.
fn symbols(file: &Value) -> Vec<Symbol> {
    let symbol = |it: &Value| {
        let first = number(&it["startLine"]);
        let last = it.get("endLine").map_or(first, number);
        (text(it, "name").to_owned(), first, last)
    };
    file["symbols"]
        .as_array()
        .unwrap()
        .iter()
        .map(symbol)
        .collect()
}

/// Returns the last of the lines of a hit: 9 of `3-9`.
fn last_line(hit: &Value) -> usize {
    text(hit, "lines")
        .split_once('-')
        .unwrap()
        .1
        .parse()
        .unwrap()
}

/// Whether the symbol and the text of a hit are those of a version of a file.
fn shows(hit: &Value, file: &File) -> bool {
    // A comment above a definition may be shown with it: the last line tells where it is.
    let (symbol, last) = (text(hit, "symbol"), last_line(hit));
    let is_there = |it: &Symbol| it.0 == symbol && it.2 == last;
    let preview = text(hit, "preview").replace('*', "");
    let mut words = preview.split(|c: char| !c.is_alphanumeric());
    let is_other = |word: &str| word.starts_with("mark") && word != file.mark();
    (symbol.is_empty() || file.symbols().iter().any(is_there)) && !words.any(is_other)
}

fn is_file(path: &str) -> bool {
    path.contains('.')
}

fn folder(path: &str) -> String {
    path.rsplit_once('/').unwrap().0.to_owned()
}

/// Returns a question about something that is there now or was a moment ago.
pub(crate) fn any_question(world: &World, dice: &mut Dice) -> Question {
    let eras = world.eras();
    let recent = if dice.chance(30) { 8 } else { 1 };
    let state = &dice.pick(&eras[eras.len().saturating_sub(recent)..]).state;
    let (path, file) = dice.sample(state.files.iter(), 1)[0];
    let root = dice.below(N_ROOTS);
    match dice.below(11) {
        0 => Question::Outline(path.clone()),
        1 => Question::Outline(folder(path)),
        2 => Question::Find(file.base()),
        3 | 4 => Question::Find(file.mark()),
        5 | 6 => Question::Callers(root),
        7 => Question::Importers(root),
        8 => Question::Imports(path.clone()),
        9 => Question::Text(path.clone()),
        _ => Question::Current,
    }
}

/// Returns questions that together show whether an index is right: all edges, all outlines, the names and imports of `n` files.
pub(crate) fn every_question(state: &State, n: usize, dice: &mut Dice) -> Vec<Question> {
    let folders: BTreeSet<String> = state.files.keys().map(|path| folder(path)).collect();
    let outlines = folders.into_iter().map(Question::Outline);
    let roots = (0..N_ROOTS).flat_map(|root| [Question::Callers(root), Question::Importers(root)]);
    let files = dice
        .sample(state.files.iter(), n)
        .into_iter()
        .flat_map(|(path, file)| {
            [
                Question::Imports(path.clone()),
                Question::Find(file.mark()),
                Question::Find(file.base()),
            ]
        });
    outlines.chain(roots).chain(files).collect()
}

/// The control: answers of one state are right for it, and wrong for the next one.
#[test]
#[ignore = "slow"]
fn answers_of_an_older_state_are_wrong() {
    let checks = Checks::new("control", 1);
    let world = World::new(checks.seed, 30, 1, 0);
    let product = Product::new(&world.path, &world.root().join("data")).patient();
    let old = world.state();
    let questions = every_question(&old, 30, &mut Dice::new(1));
    let replies: Vec<_> = questions.iter().map(|it| it.ask(&product)).collect();
    world.renew(30);
    let new = world.state();
    let mut n_lost = 0;
    for (question, reply) in questions.iter().zip(&replies) {
        let wrong = |state: &State| question.wrong(&reply.value, &[state]);
        let is_right = question.is_right(reply, &old) && wrong(&old).is_empty();
        checks.that(format!("{question} is right"), is_right, &reply.value);
        let (before, after) = (question.truth(&old).unwrap(), question.truth(&new).unwrap());
        if before != after {
            let is_right = question.is_right(reply, &new);
            checks.that(format!("{question} is no longer right"), !is_right, &after);
        }
        if !before.is_subset(&after) {
            n_lost += 1;
            checks.that(
                format!("{question} shows what is gone"),
                !wrong(&new).is_empty(),
                &after,
            );
        }
    }
    checks.that(
        "most answers lose something",
        n_lost > questions.len() / 2,
        n_lost,
    );
    checks.end();
}
