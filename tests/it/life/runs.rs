//! Runs: builds, pulls and imports are noted with what came of them, and the next command works when it is pasted.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::bundle::PROJECT;
use super::shared_indexes::Team;
use crate::cli_and_mcp::Session;
use crate::support::{Cli, Fixture, Repo};

fn runs(cli: &Cli) -> Vec<Value> {
    cli.json(&["runs"])["runs"].as_array().unwrap().clone()
}

/// Runs the next step of a run as a person would paste it.
fn paste(cli: &Cli, run: &Value) -> bool {
    let line = run["nextStep"].as_str().unwrap_or_else(|| panic!("{run}"));
    let binary = env!("CARGO_BIN_EXE_codelens");
    let words = line.strip_prefix("codelens ").unwrap();
    let pasted = cli.command(&["version"]);
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(format!("'{binary}' {words}"));
    shell.env_clear();
    for (name, value) in pasted.get_envs() {
        shell.env(name, value.unwrap_or_default());
    }
    // Anywhere: the step names its repository.
    shell.current_dir("/").output().unwrap().status.success()
}

/// A repository at a path with a blank and a quote, with so many files.
fn large(n_files: usize) -> (Repo, std::path::PathBuf) {
    let repo = Fixture::parse(PROJECT).build();
    let place = repo.dir.path().join("it's a shop");
    std::fs::rename(repo.path(), &place).unwrap();
    for n in 0..n_files {
        let lines = (0..200).map(|line| {
            format!("export function f{n}_{line}(a: number) {{ return a + {line} }}\n")
        });
        let lines: Vec<String> = lines.collect();
        std::fs::write(place.join(format!("src/m{n}.ts")), lines.concat()).unwrap();
    }
    (repo, place)
}

#[test]
fn builds_and_seeds_are_noted_and_small_questions_are_not() {
    let repo = Fixture::parse(PROJECT).build();
    let mut cli = Cli::new(repo.path());
    assert_eq!(cli.json(&["runs"]), json!({"runs": []}));
    assert!(cli.run(&["runs"]).stdout.contains("no runs yet"));
    assert!(!cli.home().exists(), "looking writes nothing");
    let built = cli.json(&["refresh"]);
    let noted = runs(&cli);
    assert_eq!(noted.len(), 1, "{noted:?}");
    let run = &noted[0];
    for (field, value) in [
        ("kind", "build"),
        ("source", "refresh"),
        ("status", "done"),
        ("branch", "main"),
        ("indexId", built["indexId"].as_str().unwrap()),
    ] {
        assert_eq!(run[field], value, "{run}");
    }
    assert_eq!(
        (&run["files"], &run["pendingFiles"]),
        (&4.into(), &0.into())
    );
    assert!(
        run["finishedMs"].as_i64() >= run["startedMs"].as_i64(),
        "{run}"
    );
    assert!(run.get("nextStep").is_none(), "nothing is left: {run}");
    repo.write("src/store.ts", "export class Store {}\n");
    cli.json(&["search", "open store"]);
    assert_eq!(runs(&cli).len(), 1, "three files are no run");
    cli.json(&["refresh"]);
    assert_eq!(runs(&cli).len(), 1, "nothing had to be done");
    repo.git(&["checkout", "--quiet", "--", "."]);
    repo.git(&["checkout", "--quiet", "feature"]);
    let seeded = cli.json(&["refresh"]);
    let run = &runs(&cli)[0];
    assert_eq!(
        (&run["kind"], &run["startedFrom"]),
        (&"seed".into(), &seeded["seededFrom"])
    );
    let id = run["id"].to_string();
    let one = cli.json(&["runs", "--id", &id])["runs"].clone();
    assert_eq!(one, json!([run]));
    let shown = cli.run(&["runs", "--id", &id]).stdout;
    for part in ["seed", "done", "repository", "index", "CPU"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    assert_eq!(
        cli.json(&["runs", "--limit", "1"])["runs"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
    let said = cli.fails(&["runs", "--id", "999999"], 1);
    assert!(
        said.contains("no run 999999") && said.contains("codelens runs"),
        "{said}"
    );
    for arguments in [
        ["runs", "--id", "0"],
        ["runs", "--id", "last"],
        ["runs", "--id", ""],
        ["runs", "--limit", "0"],
        ["runs", "--limit", "99999999999999999999"],
    ] {
        assert_eq!(cli.run(&arguments).code, 2, "{arguments:?}");
    }
    // Damage costs the list alone.
    std::fs::write(cli.home().join("library.db"), "x".repeat(5_000)).unwrap();
    let damaged = cli.run(&["runs"]);
    assert_eq!(damaged.code, 1);
    assert!(
        damaged.stderr.contains("the list of runs is damaged"),
        "{}",
        damaged.stderr
    );
    cli.json(&["refresh", "--force"]);
    assert_eq!(runs(&cli).len(), 1);
    let doctor = cli.json(&["doctor"]);
    let checks = doctor["checks"].as_array().unwrap();
    assert!(checks.iter().all(|check| check["ok"] != false), "{doctor}");
    cli.go("/");
    assert_eq!(runs(&cli).len(), 1, "outside of a repository too");
}

#[test]
fn a_killed_build_is_interrupted_and_the_next_one_goes_on() {
    let (repo, place) = large(300);
    let cli = Cli::new(&place);
    let mut child = cli
        .command(&["refresh"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let until = Instant::now() + Duration::from_mins(1);
    loop {
        let noted = if cli.home().join("library.db").exists() {
            runs(&cli)
        } else {
            Vec::new()
        };
        if let Some(run) = noted.first() {
            assert_eq!(run["status"], "running", "{run}");
            assert!(run.get("nextStep").is_none(), "{run}");
            break;
        }
        assert!(Instant::now() < until, "no run was noted");
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let killed = runs(&cli)[0].clone();
    assert_eq!(killed["status"], "interrupted", "{killed}");
    assert!(paste(&cli, &killed), "{killed}");
    let noted = runs(&cli);
    assert_eq!(
        (&noted[0]["status"], &noted[0]["continued"]),
        (&"done".into(), &killed["id"]),
        "{noted:?}"
    );
    assert_eq!(noted[1]["status"], "interrupted", "it stays what it was");
    assert_eq!(cli.json(&["current"])["status"], "ready");
    assert!(repo.dir.path().exists());
}

#[test]
fn a_question_that_reads_much_is_a_run() {
    let (_repo, place) = large(120);
    let cli = Cli::new(&place);
    cli.json(&["search", "open store", "--budget-ms", "120000"]);
    let noted = runs(&cli);
    assert_eq!(
        (noted.len(), &noted[0]["source"], &noted[0]["status"]),
        (1, &"question".into(), &"done".into()),
        "{noted:?}"
    );
}

#[test]
fn pulls_and_imports_are_noted_with_what_they_need_next() {
    let team = Team::new();
    let there = team.machine("there");
    there.json(&["push"]);
    let here = team.machine("here");
    here.json(&["pull"]);
    let pulled = runs(&here)[0].clone();
    for (field, value) in [("kind", "pull"), ("source", "team"), ("status", "done")] {
        assert_eq!(pulled[field], value, "{pulled}");
    }
    assert!(pulled["bytes"].as_u64() > Some(0), "{pulled}");
    let (manifests, _) = team.objects();
    std::fs::write(&manifests[0], "{}").unwrap();
    let broken = team.machine("broken");
    broken.fails(&["pull"], 1);
    // Without a data directory nothing is noted; with one it is.
    broken.json(&["refresh"]);
    broken.fails(&["pull", "--verify"], 1);
    let failed = runs(&broken)[0].clone();
    assert_eq!(
        (&failed["status"], &failed["code"]),
        (&"failed".into(), &"io".into())
    );
    assert!(
        failed["message"].as_str().unwrap().contains("manifest"),
        "{failed}"
    );
    assert!(paste(&broken, &failed), "{failed}");
    let file = team.repo.dir.path().join("no.bundle");
    std::fs::write(&file, "no bundle").unwrap();
    broken.fails(&["bundle", "import", file.to_str().unwrap()], 1);
    let failed = runs(&broken)[0].clone();
    assert_eq!(
        (&failed["kind"], &failed["source"]),
        (&"bundle".into(), &"no.bundle".into())
    );
    assert!(paste(&broken, &failed), "{failed}");
}

#[test]
fn an_agent_reads_them_as_a_resource() {
    let repo = Fixture::parse(PROJECT).build();
    let cli = Cli::new(repo.path());
    cli.json(&["refresh"]);
    let read = |session: &mut Session| -> Value {
        let answer = session.ask(1, "resources/read", &json!({"uri": "codelens://runs"}));
        let text = answer["result"]["contents"][0]["text"].as_str();
        serde_json::from_str(text.unwrap_or_else(|| panic!("{answer}"))).unwrap()
    };
    let mut session = Session::of(cli.command(&["serve"]));
    assert_eq!(read(&mut session), cli.json(&["runs"]));
    let listed = session.ask(2, "resources/list", &json!({}));
    assert!(listed.to_string().contains("codelens://runs"), "{listed}");
    // A server of other repositories tells nothing of this one.
    let other = Fixture::parse("//- /a.ts\nexport const a = 1\n//- commit one\n").build();
    let mut command = cli.command(&["serve"]);
    command.arg("--root").arg(other.path());
    let mut limited = Session::of(command);
    assert_eq!(read(&mut limited), json!({"runs": []}));
    let stats = json!({"name": "cl_stats", "arguments": {"usage": true}});
    let answer = session.ask(3, "tools/call", &stats)["result"]["structuredContent"].clone();
    assert_eq!(answer["lastRun"]["status"], "done", "{answer}");
}
