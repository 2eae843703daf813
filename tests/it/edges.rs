//! Edges between files and definitions, each case a repository in `fixtures/edges` whose name is a sentence, in a folder for
//! each family of languages.
//!
//! Expectations stand in the source under test, at the end of the line with the use:
//!
//! ```text
//! open() //> calls src/store.ts open
//! store.open() //> calls src/store.ts Store.open member from use
//! import './store' //> imports src/store.ts      (`imports nothing`: it leads to no file)
//! shape: Shape //> references src/types.ts Shape
//! nothing() //> unbound nothing
//! add(1) //> calls src/Json.java:3 Json.add       (of several by that name the one in line 3)
//! ```
//!
//! In languages with another mark for comments it stands after that: `open() #> calls store.py open`.
//!
//! Every call and every import that is found has to be expected, so that a wrong edge fails as a missing one
//! does; references are asked for where they are written.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::laws::Bench;
use crate::support::{Fixture, Step};

/// The code of [`codelens::ir::ImportKind::Submodule`].
const SUBMODULE: &str = "8";
/// The code of [`codelens::ir::ImportKind::Implied`].
const IMPLIED: &str = "9";
/// The code of [`codelens::ir::ImportKind::Scope`].
const SCOPE: &str = "12";
/// The code of [`codelens::ir::ImportKind::Fragment`].
const FRAGMENT: &str = "13";

/// An expectation: the file, the line, and its text.
type Said = (String, usize, String);

#[test]
fn edges_are_what_the_fixtures_say() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/edges");
    let entries = |folder: &Path| {
        let entries = std::fs::read_dir(folder).unwrap();
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    };
    let mut names = Vec::new();
    for family in entries(&folder) {
        let own = entries(&folder.join(&family));
        assert!(!own.is_empty(), "{family} has fixtures");
        names.extend(own.into_iter().map(|name| format!("{family}/{name}")));
    }
    assert!(names.len() > 40, "the fixtures are there");
    if let Ok(part) = std::env::var("CODELENS_FIXTURE") {
        names.retain(|name| name.contains(&part));
    }
    let mut wrong = Vec::new();
    for name in &names {
        let stem = name.strip_suffix(".repo").unwrap();
        for what in check(&Fixture::load(&format!("edges/{stem}"))) {
            wrong.push(format!("{stem}:\n    {what}"));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

fn check(fixture: &Fixture) -> Vec<String> {
    let wanted = expected(fixture);
    assert!(!wanted.is_empty(), "a fixture expects something");
    let repo = fixture.build();
    let (_, dump) = Bench::new(60_000).refreshed(&repo.path());
    let found = found(&dump, &wanted);
    let tell = |said: &Said, what: &str| format!("{what} {}:{}: {}", said.0, said.1, said.2);
    let missing = wanted.difference(&found).map(|said| tell(said, "missing"));
    let is_asked = |said: &&Said| {
        let mut words = said.2.split(' ');
        let kind = words.next().unwrap_or_default();
        kind == "imports"
            && wanted
                .iter()
                .any(|it| it.0 == said.0 && it.2.starts_with("imports"))
            || kind == "calls"
    };
    let extra = found
        .difference(&wanted)
        .filter(is_asked)
        .map(|said| tell(said, "unexpected"));
    missing.chain(extra).collect()
}

fn expected(fixture: &Fixture) -> BTreeSet<Said> {
    let mut wanted = BTreeSet::new();
    for step in &fixture.steps {
        let Step::Write { path, text, .. } = step else {
            continue;
        };
        for (n, line) in text.lines().enumerate() {
            let marked = line.split_once("//> ").or_else(|| line.split_once("#> "));
            let Some((_, said)) = marked else {
                continue;
            };
            for what in said.split(", ") {
                wanted.insert((path.clone(), n + 1, what.trim().to_owned()));
            }
        }
    }
    wanted
}

/// Reads the rows of a dump in the form of the expectations. Where one does not say from where or how a use
/// is known, neither does what is found in its line.
fn found(dump: &str, wanted: &BTreeSet<Said>) -> BTreeSet<Said> {
    let mut found = BTreeSet::new();
    let rows: Vec<Vec<String>> = dump.lines().map(cells).collect();
    let mut names: BTreeMap<(&str, &str), &str> = BTreeMap::new();
    let mut name_lines: BTreeMap<(&str, &str), &str> = BTreeMap::new();
    for row in rows.iter().filter(|row| row[0] == "symbol") {
        names.insert((&row[1], &row[3]), &row[6]);
        name_lines.insert((&row[1], &row[3]), &row[12]);
    }
    let imports = rows.iter().filter(|row| row[0] == "import");
    let lines: BTreeMap<(&str, &str), usize> = imports
        .map(|row| ((row[1].as_str(), row[2].as_str()), number(&row[6])))
        .collect();
    for row in &rows {
        match row[0].as_str() {
            // A name of a package that may be a module: nothing is missing where it is none.
            "import" if row[4] == SUBMODULE && row[8] == "-" => {}
            // A module that code reaches without importing it.
            "import" if [IMPLIED, SCOPE, FRAGMENT].contains(&row[4].as_str()) => {}
            // The files behind it have rows of their own.
            "import" if row[9] != "-" => {}
            "import_file" => {
                let line = lines[&(row[1].as_str(), row[2].as_str())];
                found.insert((row[1].clone(), line, format!("imports {}", row[3])));
            }
            "import" => {
                let to = if row[8] == "-" { "nothing" } else { &row[8] };
                found.insert((row[1].clone(), number(&row[6]), format!("imports {to}")));
            }
            "edge" => {
                let line = number(&row[8]);
                let kind = if row[5] == "1" { "calls" } else { "references" };
                let to = format!(
                    "{kind} {} {}",
                    row[3],
                    names[&(row[3].as_str(), row[4].as_str())]
                );
                let from = names.get(&(row[1].as_str(), row[2].as_str()));
                let from = from.copied().unwrap_or("(module)");
                let how = match row[6].as_str() {
                    "1" => "member",
                    "2" => "dispatch",
                    "3" => "overload",
                    "5" => "bridge",
                    _ => "resolved",
                };
                let exact = format!(
                    "{kind} {}:{} {}",
                    row[3],
                    name_lines[&(row[3].as_str(), row[4].as_str())],
                    names[&(row[3].as_str(), row[4].as_str())]
                );
                let forms = [&to, &exact].map(|to| {
                    [
                        to.clone(),
                        format!("{to} {how}"),
                        format!("{to} from {from}"),
                        format!("{to} {how} from {from}"),
                    ]
                });
                let said = forms
                    .into_iter()
                    .flatten()
                    .map(|form| (row[1].clone(), line, form))
                    .find(|said| wanted.contains(said));
                found.insert(said.unwrap_or((
                    row[1].clone(),
                    line,
                    format!("{to} {how} from {from}"),
                )));
            }
            _ => {}
        }
    }
    // Names are kept by their hashes: what is asked for has to be there.
    let unbound: BTreeSet<(&str, usize)> = rows
        .iter()
        .filter(|row| row[0] == "unbound")
        .map(|row| (row[1].as_str(), number(&row[5])))
        .collect();
    for said in wanted.iter().filter(|said| said.2.starts_with("unbound ")) {
        if unbound.contains(&(said.0.as_str(), said.1)) {
            found.insert(said.clone());
        }
    }
    found
}

fn number(text: &str) -> usize {
    text.parse().unwrap()
}

/// The cells of a row: texts are quoted.
fn cells(line: &str) -> Vec<String> {
    line.split('\t')
        .map(|cell| cell.trim_matches('"').to_owned())
        .collect()
}
