//! Bundles: only seeds, nothing uncommitted in them, and nothing taken in that differs from its header.

mod hostile;

pub(super) use hostile::HARMFUL;

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::support::{Cli, Fixture, Repo, walk};

pub(super) const PROJECT: &str = "\
//- /src/store.ts
export class Store {
  /** Opens it. */
  open(name: string) { return name }
}
//- /src/app.ts
import { Store } from \"./store\"
export function start() { return new Store().open(\"x\") }
//- /docs/guide.md
# Guide
How to open a store.
//- /tsconfig.json
{ \"compilerOptions\": { \"strict\": true } }
//- commit base
//- branch feature
//- /src/app.ts
import { Store } from \"./store\"
export function start() { return new Store().open(\"y\") }
//- commit other
//- checkout main
";

/// A repository with a bundle of `main`, and another clone of it with a data directory of its own.
struct Carried {
    repo: Repo,
    there: Cli,
    here: Cli,
    bundle: PathBuf,
}

fn carried() -> Carried {
    let repo = Fixture::parse(PROJECT).build();
    let there = Cli::new(repo.path());
    let bundle = repo.dir.path().join("main.bundle");
    let made = there.json(&["bundle", "export", bundle.to_str().unwrap()]);
    assert_eq!(made["files"], 4);
    assert_eq!(made["commit"], repo.git(&["rev-parse", "HEAD"]));
    let clone = repo.dir.path().join("clone");
    let (from, to) = (repo.path(), clone.to_str().unwrap());
    repo.git(&["clone", "--quiet", from.to_str().unwrap(), to]);
    let here = Cli::new(clone);
    Carried {
        repo,
        there,
        here,
        bundle,
    }
}

/// A bundle in its parts. A repacked one has a digest that holds, and the sizes that it has.
pub(super) struct BundleParts {
    pub(super) header: Value,
    pub(super) manifest: Vec<u8>,
    pub(super) database: Vec<u8>,
}

impl BundleParts {
    pub(super) fn of(bytes: &[u8]) -> Self {
        let n = u32::from_le_bytes(bytes[20..24].try_into().unwrap()) as usize;
        let header: Value = serde_json::from_slice(&bytes[24..24 + n]).unwrap();
        let mut plain = zstd::decode_all(&bytes[24 + n..bytes.len() - 32]).unwrap();
        let at = usize::try_from(header["manifestBytes"].as_u64().unwrap()).unwrap();
        let database = plain.split_off(at);
        Self {
            header,
            manifest: plain,
            database,
        }
    }

    pub(super) fn pack(&self, set: &[(&str, Value)]) -> Vec<u8> {
        let mut header = self.header.clone();
        header["manifestBytes"] = self.manifest.len().into();
        header["databaseBytes"] = self.database.len().into();
        for (key, value) in set {
            header[*key] = value.clone();
        }
        let json = serde_json::to_vec(&header).unwrap();
        let frame = [self.manifest.as_slice(), &self.database].concat();
        let mut bytes = b"codelens-bundle\n".to_vec();
        bytes.extend(1_u32.to_le_bytes());
        bytes.extend(u32::try_from(json.len()).unwrap().to_le_bytes());
        bytes.extend(json);
        bytes.extend(zstd::encode_all(frame.as_slice(), 3).unwrap());
        sealed(bytes)
    }

    /// Changes the database with SQL.
    pub(super) fn run(&mut self, sql: &str) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.db");
        std::fs::write(&path, &self.database).unwrap();
        let connection = rusqlite::Connection::open(&path).unwrap();
        connection
            .execute_batch(sql)
            .unwrap_or_else(|error| panic!("{sql}: {error}"));
        drop(connection);
        self.database = std::fs::read(&path).unwrap();
    }
}

fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
    let digest = blake3::hash(&bytes);
    bytes.extend(digest.as_bytes());
    bytes
}

/// Writes a bundle and makes sure that it is refused with a reason, and that nothing of it stays.
fn is_refused(here: &Cli, bundle: &Path, bytes: &[u8], args: &[&str], what: &str) -> String {
    std::fs::write(bundle, bytes).unwrap();
    let command = [&["bundle", "import", bundle.to_str().unwrap()], args].concat();
    let said = here.fails(&command, 1);
    assert!(said.contains("the bundle cannot be used"), "{what}: {said}");
    assert_eq!(here.index_files(), Vec::<PathBuf>::new(), "{what}");
    said
}

#[test]
fn bundle_is_only_a_seed() {
    let Carried {
        mut repo,
        there,
        mut here,
        bundle,
    } = carried();
    let taken = here.json(&["bundle", "import", bundle.to_str().unwrap()]);
    assert_eq!(taken["verifiedFiles"], Value::Null);
    let now = here.json(&["current"]);
    assert_eq!(
        (&now["status"], &now["seedFrom"]),
        (&"missing".into(), &taken["indexId"]),
        "nothing is answered from it"
    );
    let done = here.json(&["refresh"]);
    assert_eq!(done["indexedFiles"], 0, "{done}");
    assert_eq!(done["seededFrom"], taken["indexId"]);
    // The same rows as in an index that was built.
    for args in [
        &["search", "open store", "-n", "20"][..],
        &["impact", "Store.open"],
        &["map", "--all"],
    ] {
        let steady = |cli: &Cli| {
            let mut value = cli.json(args);
            for key in ["indexId", "generation", "nextCursor"] {
                value.as_object_mut().unwrap().remove(key);
            }
            value
        };
        assert_eq!(steady(&here), steady(&there), "{args:?}");
    }
    // What differs from the work tree is noticed, whatever the bundle says.
    let clone = repo.dir.path().join("clone");
    repo.git_at(&clone, &["checkout", "--quiet", "feature"]);
    assert_eq!(here.json(&["refresh"])["indexedFiles"], 1);
    // It is kept as any other index is: it belongs to no branch that could be gone.
    assert_eq!(here.json(&["prune"])["total"], 0);
    assert_eq!(here.json(&["prune", "--max-bytes", "0"])["total"], 2);
    let gone = here.json(&["stats"]);
    assert_eq!(gone["totalIndexes"], 1, "{gone}");
    // Not the commit that is checked out, and not of this repository.
    let feature = repo.dir.path().join("feature.bundle");
    let said = there.fails(
        &[
            "bundle",
            "export",
            feature.to_str().unwrap(),
            "--commit",
            "feature",
        ],
        1,
    );
    assert!(
        said.contains("not the commit that is checked out"),
        "{said}"
    );
    let other = Fixture::parse("//- /a.ts\nexport const a = 1\n//- commit other\n").build();
    let said = here
        .go(other.path())
        .fails(&["bundle", "import", bundle.to_str().unwrap()], 1);
    assert!(said.contains("another repository"), "{said}");
    repo.then("//- checkout feature\n");
}

#[test]
fn an_index_of_every_language_is_carried() {
    let edges = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/edges");
    let fixtures = walk(&edges);
    let mut languages = std::collections::BTreeMap::new();
    for fixture in fixtures
        .iter()
        .filter(|it| it.extension().is_some_and(|it| it == "repo"))
    {
        languages
            .entry(fixture.parent().unwrap())
            .or_insert_with(Vec::new)
            .push(fixture);
    }
    assert!(languages.len() >= 9, "{languages:?}");
    for (language, fixtures) in languages {
        // One repository with many files, each fixture below a directory of its own.
        let mut text = String::new();
        for (n, fixture) in fixtures.iter().enumerate() {
            let steps = std::fs::read_to_string(fixture).unwrap();
            for line in steps
                .split_inclusive('\n')
                .take_while(|it| !it.starts_with("//- commit"))
            {
                match line.strip_prefix("//- /") {
                    Some(path) => text.extend([&format!("//- /case{n}/"), path]),
                    None => text += line,
                }
            }
        }
        let repo = Fixture::parse(&(text + "//- commit base\n")).build();
        let there = Cli::new(repo.path());
        let bundle = repo.dir.path().join("x.bundle");
        let made = there.json(&["bundle", "export", bundle.to_str().unwrap()]);
        let clone = repo.dir.path().join("clone");
        repo.git(&["clone", "--quiet", ".", clone.to_str().unwrap()]);
        let here = Cli::new(clone);
        let taken = here.json(&["bundle", "import", bundle.to_str().unwrap(), "--verify"]);
        assert_eq!(
            taken["verifiedFiles"],
            made["files"],
            "{}",
            language.display()
        );
    }
}

#[test]
fn nothing_uncommitted_leaves() {
    let repo = Fixture::parse(PROJECT).build();
    let cli = Cli::new(repo.path());
    cli.json(&["refresh"]);
    let holds = |bytes: &[u8]| bytes.windows(6).any(|part| part == b"qzxvkj");
    let committed = repo.read("src/app.ts");
    repo.write("src/app.ts", "export function qzxvkj() { /* qzxvkj */ }\n");
    repo.write("src/new.ts", "export class Qqzxvkj {}\n");
    let found = cli.json(&["search", "qzxvkj"]);
    assert_eq!(found["results"][0]["path"], "src/app.ts", "{found}");
    let in_home = |cli: &Cli| {
        cli.index_files()
            .iter()
            .any(|path| holds(&std::fs::read(path).unwrap()))
    };
    assert!(in_home(&cli), "it was indexed");
    let bundle = repo.dir.path().join("x.bundle");
    let export = ["bundle", "export", bundle.to_str().unwrap()];
    let said = cli.fails(&export, 1);
    assert!(
        said.contains("2 files differ") && !bundle.exists(),
        "{said}"
    );
    repo.write("src/app.ts", committed);
    std::fs::remove_file(repo.path().join("src/new.ts")).unwrap();
    cli.json(&export);
    let parts = BundleParts::of(&std::fs::read(&bundle).unwrap());
    assert!(
        !holds(&parts.database),
        "deleted rows and words are no part of it"
    );
    assert!(!holds(&parts.manifest));
    // Nor is anything of the machine.
    let place = repo.path().display().to_string();
    let names = |bytes: &[u8]| {
        bytes
            .windows(place.len())
            .any(|part| part == place.as_bytes())
    };
    assert!(!names(&parts.database) && !names(parts.header.to_string().as_bytes()));
    let rest = walk(&repo.path().join("src"));
    assert_eq!(rest.len(), 2, "{rest:?}");
}

#[test]
fn verifying_finds_what_only_looks_right() {
    let Carried {
        repo, here, bundle, ..
    } = carried();
    let good = std::fs::read(&bundle).unwrap();
    let import = ["bundle", "import", bundle.to_str().unwrap(), "--verify"];
    for sql in [
        "UPDATE symbol SET name = 'evil' WHERE name = 'start'",
        "UPDATE symbol SET other_norm = 'evil' WHERE name = 'start'",
        "UPDATE symbol SET scope = 'evil' WHERE name = 'start'",
        "UPDATE symbol SET short_signature = 'evil' WHERE name = 'start'",
        "UPDATE symbol SET exported = 0",
        "UPDATE chunk SET packed = CAST(substr(packed, 1, length(packed) - 1) || x'7f' AS BLOB)",
        "UPDATE import SET specifier = './other'",
        "INSERT INTO text(text, rowid) VALUES('delete', 1)",
        "UPDATE file SET language = 'text' WHERE path = 'src/app.ts'",
        "UPDATE facts SET declared = (SELECT declared FROM facts y WHERE y.file <> facts.file AND 1 = 0)",
    ] {
        let mut parts = BundleParts::of(&good);
        if sql.contains("text(text, rowid)") {
            parts.run("DELETE FROM text WHERE rowid = 1; INSERT INTO text(rowid, symbol, body) VALUES(1, 'evil', 'evil')");
        } else if sql.contains("facts y") {
            parts.run("UPDATE file SET marked = 1 - marked WHERE 0; DELETE FROM facts WHERE file = (SELECT id FROM file WHERE path = 'src/app.ts')");
        } else {
            parts.run(sql);
        }
        let said = is_refused(&here, &bundle, &parts.pack(&[]), &["--verify"], sql);
        assert!(said.contains("is not what the file says"), "{sql}: {said}");
    }
    std::fs::write(&bundle, &good).unwrap();
    let taken = here.json(&import);
    assert_eq!(
        (&taken["verifiedFiles"], &taken["leftOut"]),
        (&4.into(), &0.into())
    );
    // Also where another commit is checked out, and files are changed.
    let clone = repo.dir.path().join("clone");
    repo.git_at(&clone, &["checkout", "--quiet", "feature"]);
    std::fs::write(clone.join("docs/guide.md"), "# Changed\n").unwrap();
    assert_eq!(here.json(&import)["verifiedFiles"], 4);
    let done = here.json(&["refresh"]);
    assert_eq!(done["indexedFiles"], 2, "{done}");
    let callers = here.json(&["impact", "Store.open"]);
    assert_eq!(callers["callers"][0]["path"], "src/app.ts", "{callers}");
    assert_eq!(callers["freshness"], "fresh");
}
