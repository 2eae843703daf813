//! The meaning of names in a text, found in memory: a check takes a millisecond.
//!
//! Files stand one after another, each after a line `//- path`. An expectation stands at the end of the line that it is about:
//!
//! ```text
//! store.open() //> type Store       the receiver of the last member used in the line; `?` where it is not known
//! strlen(name) //> means external   the last name used in the line: `external`, `?`, or the definition (`Store.open`, of several
//!                                   by one name `Store.open#2`)
//! x.open() //> lowered Unknown      the receiver as the facts of the file have it
//! const a = memo(f) //> kind Function   the symbol that the line defines
//! ```
//!
//! Equal uses in one function are one use, in the first line: each expectation has a function or a member of its own.

use std::sync::Arc;

use tempfile::TempDir;

use crate::ir::{FileFacts, Reference, Target};
use crate::link::name_binder::{FileMeanings, Meaning, NameBinder};
use crate::link::overlay::{OverlayFile, overlay};
use crate::model::{Budget, FileId, RepoPath};
use crate::store::{Home, Index, Pointer, SCHEMA_VERSION};
use crate::syntax;

/// An expectation, with the answer that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Answer {
    /// Path and text of the line.
    pub(super) line: String,
    pub(super) wanted: String,
    pub(super) found: String,
}

/// An index without files, over which texts are laid.
pub(super) struct Answers {
    _dir: TempDir,
    index: Index,
}

impl Answers {
    pub(super) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let home = Home::at(dir.path(), &[]).unwrap().repo("types");
        home.create(dir.path(), None).unwrap();
        let pointer = Pointer {
            index_id: "idx_types".to_owned(),
            build: "000000000000".to_owned(),
            repo_id: "types".to_owned(),
            worktree_id: String::new(),
            work_dir: dir.path().to_owned(),
            branch: None,
            head_sha: None,
            schema_version: SCHEMA_VERSION,
        };
        let index = Index::create(&home, pointer).unwrap();
        Self { _dir: dir, index }
    }

    /// Returns the answer to each expectation in these files.
    pub(super) fn to(&self, files: &str) -> Vec<Answer> {
        let read = self.index.read().unwrap();
        let budget = Budget::unlimited(Arc::default());
        let mut sources = Vec::new();
        for part in files.split("//- ").skip(1) {
            let (path, text) = part.split_once('\n').unwrap();
            let path = RepoPath::new(path.trim()).unwrap();
            let found = syntax::extract(syntax::by_path(&path), text, true, &budget).unwrap();
            sources.push((path, text, found.facts));
        }
        let earlier = sources.iter().map(|(path, _, facts)| OverlayFile {
            path: path.clone(),
            base: Some(facts.clone()),
            present: None,
        });
        let (overlay, ids) = overlay(&read, earlier.collect()).unwrap();
        let binder = NameBinder::new(&read, overlay);
        let mut answers = Vec::new();
        for ((path, text, facts), id) in sources.iter().zip(ids) {
            let file = File {
                facts,
                id: id.earlier,
                binder: &binder,
            };
            for (n, line) in text.lines().enumerate() {
                let said = line.split_once("//> ").or(line.split_once("#> "));
                let Some((code, said)) = said else {
                    continue;
                };
                let (kind, wanted) = said.split_once(' ').unwrap();
                answers.push(Answer {
                    line: format!("{path} {line}"),
                    wanted: wanted.trim().to_owned(),
                    found: file.answer(kind, n + 1, code),
                });
            }
        }
        assert!(!answers.is_empty(), "there is an expectation in {files}");
        answers
    }
}

/// A file in memory.
struct File<'a> {
    facts: &'a FileFacts,
    id: FileId,
    binder: &'a NameBinder<'a>,
}

impl File<'_> {
    fn answer(&self, kind: &str, line: usize, code: &str) -> String {
        let found = match kind {
            "type" => self.last(line, code, true).and_then(|at| {
                let receivers = self.binder.receivers_of(self.id).unwrap();
                receivers[at].clone()
            }),
            "means" => self.last(line, code, false).and_then(|at| {
                let FileMeanings { references, .. } = self.binder.of_file(self.id).unwrap();
                self.named(references[at])
            }),
            "lowered" => self.last(line, code, true).map(|at| {
                let Target::Member { receiver, .. } = self.facts.references[at].target else {
                    return String::new();
                };
                let lowered = format!("{:?}", self.facts.exprs.get(receiver));
                let form = lowered.split([' ', '(']).next();
                form.unwrap_or_default().to_owned()
            }),
            "kind" => {
                let mut symbols = self.facts.symbols.iter();
                let symbol = symbols.find(|it| it.span.start_line as usize == line);
                symbol.map(|it| format!("{:?}", it.kind))
            }
            other => panic!("no expectation is called {other}"),
        };
        found.unwrap_or_else(|| "?".to_owned())
    }

    /// The place among the references of the last name in a line, or of the last member.
    fn last(&self, line: usize, code: &str, is_member: bool) -> Option<usize> {
        let is_asked = |used: &Reference| {
            used.line as usize == line
                && (!is_member || matches!(used.target, Target::Member { .. } | Target::Value(_)))
        };
        let used = self.facts.references.iter().enumerate();
        let used = used.filter(|(_, used)| is_asked(used));
        // The name of a method may have parentheses behind it, that of a generic type the number of its arguments.
        let place = |used: &Reference| {
            let name = self.facts.name(used);
            code.rfind(name.split(['(', '`']).next().unwrap_or(name))
        };
        let last = used.max_by_key(|(_, used)| place(used));
        last.map(|it| it.0)
    }

    fn named(&self, meaning: Meaning) -> Option<String> {
        match meaning {
            Meaning::Definition((file, at), _) => {
                let facts = self.binder.facts(file)?;
                let name = &facts.symbols.get(at as usize)?.qualified_name;
                let before = facts.symbols[..at as usize].iter();
                let n_before = before.filter(|it| it.qualified_name == *name).count();
                Some(match n_before {
                    0 => name.clone(),
                    n => format!("{name}#{}", n + 1),
                })
            }
            Meaning::Module(_) => Some("module".to_owned()),
            Meaning::External => Some("external".to_owned()),
            Meaning::Inherited => Some("inherited".to_owned()),
            Meaning::KeywordArgument => Some("keyword".to_owned()),
            Meaning::NoDefinition => Some("parameter".to_owned()),
            Meaning::Text => Some("text".to_owned()),
            Meaning::Dangling(_) => Some("missing".to_owned()),
            Meaning::Unbound => None,
        }
    }
}

/// Checks each expectation in these files.
pub(super) fn check_types(files: &str) {
    for answer in Answers::new().to(files) {
        assert_eq!(answer.found, answer.wanted, "{}", answer.line);
    }
}
