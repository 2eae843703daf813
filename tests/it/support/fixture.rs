//! A repository as text: blocks write files, directives act, in order.
//!
//! ```text
//! //- /src/store.ts          writes the file with the lines that follow
//! //- commit base            commits everything, under a name that tests can ask for
//! //- branch feature         creates a branch here and switches to it
//! //- checkout main          switches to a branch, or to a named commit (detached)
//! //- rename /a.ts /b.ts     moves a file in the work tree
//! //- remove /b.ts           deletes a file or folder from the work tree
//! //- git merge --no-ff feature
//! ```
//!
//! Files after the last commit are dirty. `$0` marks a position and is cut out of the text.

use std::path::Path;

use super::repo::Repo;

/// One step of a fixture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// Writes a file; `marker` is the byte in `text` where `$0` stood.
    Write {
        path: String,
        text: String,
        marker: Option<usize>,
    },
    /// Stages and commits everything.
    Commit(String),
    /// Creates a branch and switches to it.
    Branch(String),
    /// Switches to a branch or a named commit.
    Checkout(String),
    /// Deletes a file or folder.
    Remove(String),
    /// Moves a file, making the folders it needs.
    Rename(String, String),
    /// Runs git with these arguments.
    Git(Vec<String>),
}

/// A parsed description.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fixture {
    pub(crate) steps: Vec<Step>,
}

impl Fixture {
    /// Reads a description. Panics with the line at fault: a test's fixture is part of the test.
    pub(crate) fn parse(text: &str) -> Self {
        let mut steps = Vec::new();
        for (n, line) in text.split_inclusive('\n').enumerate() {
            if let Some(directive) = line.strip_prefix("//- ") {
                let step = directive_step(directive.trim_end());
                steps.push(step.unwrap_or_else(|why| panic!("line {}: {why}: {line}", n + 1)));
            } else if let Some(Step::Write { text, .. }) = steps.last_mut() {
                text.push_str(line);
            } else {
                assert!(
                    line.trim().is_empty(),
                    "line {}: text outside of a file: {line}",
                    n + 1
                );
            }
        }
        for step in &mut steps {
            if let Step::Write { path, text, marker } = step {
                *marker = text.find("$0");
                if let Some(at) = *marker {
                    text.replace_range(at..at + 2, "");
                    assert!(
                        !text.contains("$0"),
                        "{path}: more than one marker in a block"
                    );
                }
            }
        }
        Self { steps }
    }

    /// Reads `fixtures/<name>.repo`.
    pub(crate) fn load(name: &str) -> Self {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
        let path = folder.join(name).with_extension("repo");
        let text = std::fs::read_to_string(&path);
        Self::parse(&text.unwrap_or_else(|error| panic!("fixtures/{name}.repo: {error}")))
    }

    /// Returns the repository with every step played.
    pub(crate) fn build(&self) -> Repo {
        let mut repo = self.begin();
        repo.play(self.steps.len());
        repo
    }

    /// Returns an empty repository that waits to play the steps ([`Repo::play`]).
    pub(crate) fn begin(&self) -> Repo {
        Repo::new(self.steps.clone())
    }
}

fn directive_step(directive: &str) -> Result<Step, &'static str> {
    if let Some(path) = directive.strip_prefix('/') {
        return Ok(Step::Write {
            path: relative(path)?,
            text: String::new(),
            marker: None,
        });
    }
    let words = words(directive)?;
    let rooted = |word: &str| relative(word.strip_prefix('/').ok_or("a path begins with `/`")?);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["commit", name] => Ok(Step::Commit((*name).to_owned())),
        ["branch", name] => Ok(Step::Branch((*name).to_owned())),
        ["checkout", name] => Ok(Step::Checkout((*name).to_owned())),
        ["remove", path] => Ok(Step::Remove(rooted(path)?)),
        ["rename", from, to] => Ok(Step::Rename(rooted(from)?, rooted(to)?)),
        ["git", args @ ..] if !args.is_empty() => Ok(Step::Git(
            args.iter().map(|arg| (*arg).to_owned()).collect(),
        )),
        _ => Err("no such directive"),
    }
}

fn relative(path: &str) -> Result<String, &'static str> {
    let inside = path
        .split('/')
        .all(|part| !matches!(part, "" | "." | ".." | ".git"));
    inside
        .then(|| path.to_owned())
        .ok_or("the path leaves the work tree")
}

/// Splits a directive at spaces; single or double quotes keep them.
fn words(directive: &str) -> Result<Vec<String>, &'static str> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for c in directive.chars() {
        match (c, quote) {
            (' ', None) => words.extend(word.take()),
            ('"' | '\'', None) => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (c, Some(open)) if c == open => quote = None,
            (c, _) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    if quote.is_some() {
        Err("a quote is not closed")
    } else {
        Ok(words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_directive_is_one_step_and_the_marker_is_cut_out() {
        let text = "\n//- /a/b c.ts\nlet x;\n\nx.$0y;\n//- commit base\n//- branch feat/x\n//- checkout main\n\
                    //- remove /a\n//- rename /p.ts /q/r.ts\n//- git tag -m 'a b' v1\n";
        let path = "a/b c.ts".to_owned();
        assert_eq!(
            Fixture::parse(text).steps,
            [
                Step::Write {
                    path,
                    text: "let x;\n\nx.y;\n".into(),
                    marker: Some(10)
                },
                Step::Commit("base".into()),
                Step::Branch("feat/x".into()),
                Step::Checkout("main".into()),
                Step::Remove("a".into()),
                Step::Rename("p.ts".into(), "q/r.ts".into()),
                Step::Git(["tag", "-m", "a b", "v1"].map(str::to_owned).to_vec()),
            ]
        );
    }

    #[test]
    fn faulty_descriptions_are_refused_with_their_line() {
        for (text, why) in [
            ("stray text", "line 1: text outside of a file"),
            ("//- /a.ts\n//- fetch\n", "line 2: no such directive"),
            ("//- remove a.ts", "line 1: a path begins with `/`"),
            ("//- /../a.ts", "line 1: the path leaves the work tree"),
            ("//- git commit -m 'x", "line 1: a quote is not closed"),
            (
                "//- /a.ts\n$0 $0\n",
                "a.ts: more than one marker in a block",
            ),
        ] {
            let panic = std::panic::catch_unwind(|| Fixture::parse(text)).unwrap_err();
            let said = panic.downcast_ref::<String>().unwrap();
            assert!(said.starts_with(why), "{text:?}: {said}");
        }
    }
}
