//! Indexes of a store that are kept as the difference to another one: they take a fraction of it, need no other manifest, and are believed
//! no more than whole ones.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};

use super::shared_indexes::Team;
use crate::support::Cli;

/// A team whose repository is large enough for a difference to pay.
fn large_team() -> Team {
    let team = Team::new();
    for file in 0..90_u64 {
        let mut text = String::new();
        for n in 0..40_u64 {
            let word = blake3::hash(&(file * 1_000 + n).to_le_bytes()).to_hex();
            writeln!(
                text,
                "export function load_{}(count: number) {{ return count + {n}; }}",
                &word[..20]
            )
            .unwrap();
        }
        team.repo.write(&format!("src/many/m{file}.ts"), &text);
    }
    team.repo.git(&["add", "--all"]);
    team.repo.git(&["commit", "--quiet", "-m", "many"]);
    team
}

/// Commits one more function and pushes the index of the commit from a machine of its own.
fn push_next(team: &Team, name: &str) -> Value {
    let text = format!("export function {name}() {{ return 1; }}\n");
    team.repo.write(&format!("src/{name}.ts"), &text);
    team.repo.git(&["add", "--all"]);
    team.repo.git(&["commit", "--quiet", "-m", name]);
    team.machine(name).json(&["push"])
}

fn manifest_of(team: &Team, commit: &Value) -> PathBuf {
    let commit = commit.as_str().unwrap();
    let mut manifests = team.objects().0.into_iter();
    let is_its = |path: &PathBuf| path.file_stem().is_some_and(|it| it == commit);
    manifests.find(is_its).expect("the commit was pushed")
}

fn read(manifest: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(manifest).unwrap()).unwrap()
}

fn part(team: &Team, manifest: &Value) -> PathBuf {
    let digest = manifest["parts"][0]["digest"].as_str().unwrap();
    let mut parts = team.objects().1.into_iter();
    parts.find(|path| path.ends_with(digest)).unwrap()
}

#[test]
fn an_index_near_another_one_is_stored_as_the_difference() {
    let team = large_team();
    let whole = team.machine("there").json(&["push"]);
    assert_eq!(whole["base"], Value::Null);
    let first = push_next(&team, "first");
    let second = push_next(&team, "second");
    for pushed in [&first, &second] {
        assert_eq!(pushed["status"], "uploaded");
        assert_eq!(pushed["base"], whole["commit"], "never of a difference");
        let (bytes, of) = (pushed["bytes"].as_u64(), whole["bytes"].as_u64());
        assert!(2 * bytes.unwrap() <= of.unwrap(), "{pushed} {whole}");
        assert_eq!(pushed["uploadedBytes"], pushed["bytes"]);
    }
    // The manifest of the base goes; its parts are named by the others.
    std::fs::remove_file(manifest_of(&team, &whole["commit"])).unwrap();
    let old = SystemTime::now() - Duration::from_hours(48);
    for part in team.objects().1 {
        let file = std::fs::File::options().write(true).open(part).unwrap();
        file.set_modified(old).unwrap();
    }
    let here = team.machine("here");
    assert_eq!(here.json(&["remote", "gc"])["removedParts"], 0);
    let pulled = here.json(&["pull", "--verify"]);
    assert_eq!(
        (&pulled["status"], &pulled["differingFiles"]),
        (&"taken".into(), &0.into())
    );
    let carried = whole["bytes"].as_u64().unwrap() + second["bytes"].as_u64().unwrap();
    assert_eq!(pulled["bytes"], carried);
    let done = here.json(&["refresh"]);
    assert_eq!(
        (&done["indexedFiles"], &done["seededFrom"]),
        (&0.into(), &pulled["indexId"])
    );
    let found = here.json(&["search", "second"]);
    assert_eq!(found["results"][0]["path"], "src/second.ts");
}

#[test]
fn a_difference_is_believed_no_more_than_a_whole_bundle() {
    let team = large_team();
    let whole = team.machine("there").json(&["push"]);
    let difference = push_next(&team, "first");
    let manifest = manifest_of(&team, &difference["commit"]);
    let good = read(&manifest);
    let base = read(&manifest_of(&team, &whole["commit"]));
    std::fs::remove_file(manifest_of(&team, &whole["commit"])).unwrap();
    let with = |change: &dyn Fn(&mut Value)| {
        let mut value = good.clone();
        change(&mut value);
        std::fs::write(&manifest, value.to_string()).unwrap();
        let here = Cli::new(team.clone_of("first"));
        let url = format!("file://{}", team.store.display());
        here.json(&["remote", "add", "team", &url]);
        let said = here.fails(&["pull"], 1);
        assert_eq!(here.index_files(), Vec::<PathBuf>::new(), "{said}");
        said
    };
    let of_another =
        json!({"digest": good["digest"], "bytes": good["bytes"], "parts": good["parts"]});
    for (change, part) in [
        (
            &(|it: &mut Value| it["base"]["digest"] = "0".repeat(64).into()) as &dyn Fn(&mut Value),
            "another than its manifest says",
        ),
        (&|it| it["base"]["digest"] = "../x".into(), "cannot be"),
        (&|it| it["base"]["commit"] = "main".into(), "cannot be"),
        (&|it| it["base"]["bytes"] = 1.into(), "sizes"),
        (&|it| it["base"]["parts"] = json!([]), "sizes"),
        (
            &|it| it["base"] = Value::Null,
            "another than its manifest says",
        ),
        // A difference in the place of the whole one, and the whole one in its place.
        (
            &|it| {
                for (key, value) in of_another.as_object().unwrap() {
                    it["base"][key] = value.clone();
                }
            },
            "another than its manifest says",
        ),
        (
            &|it| {
                for key in ["digest", "bytes", "parts"] {
                    it[key] = base[key].clone();
                }
            },
            "another than its manifest says",
        ),
    ] {
        let said = with(change);
        assert!(said.contains(part), "{part}: {said}");
    }
    let of_base = part(&team, &base);
    let bytes = std::fs::read(&of_base).unwrap();
    std::fs::remove_file(&of_base).unwrap();
    let said = with(&|_| ());
    assert!(said.contains("its manifest names is not there"), "{said}");
    std::fs::write(&of_base, &bytes[..100]).unwrap();
    let said = with(&|_| ());
    assert!(said.contains("not what its name says"), "{said}");
    // Alone it is no bundle that could be taken in.
    let here = Cli::new(team.clone_of("first"));
    let alone = part(&team, &good);
    let said = here.fails(&["bundle", "import", alone.to_str().unwrap()], 1);
    assert!(
        said.contains("the difference to another bundle alone"),
        "{said}"
    );
}
