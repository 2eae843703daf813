//! Few descriptors, little memory, little room: calls fail as errors, and the next one works.

use std::os::unix::process::CommandExt as _;
use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};

use super::calls::{Said, call, run};
use crate::support::{Cli, Repo};

/// Returns the output of a command under limits that the shell sets.
fn under(cli: &Cli, limits: &str, args: &[&str]) -> Said {
    let script = format!("{limits}; exec '{}' \"$@\"", env!("CARGO_BIN_EXE_codelens"));
    let plain = cli.command(args);
    let mut command = Command::new("bash");
    command
        .args(["-c", &script, "bash"])
        .args(args)
        .current_dir(plain.get_current_dir().unwrap())
        .process_group(0);
    for (name, value) in plain.get_envs() {
        command.env(name, value.unwrap_or_default());
    }
    let output = command.stdin(std::process::Stdio::null()).output().unwrap();
    Said {
        stdout: output.stdout,
        stderr: output.stderr,
        code: output.status.code().unwrap_or(-1),
        peak_bytes: 0,
    }
}

fn code_repository(n: usize) -> (Repo, Cli) {
    let repo = Repo::new(Vec::new());
    for n in 0..n {
        repo.write(
            &format!("d{}/f{n}.ts", n % 7),
            format!(
                "import {{ f{0} }} from '../d{1}/f{0}'\nexport function f{n}() {{ f{0}() }}\n",
                (n + 1) % 100,
                (n + 1) % 100 % 7
            ),
        );
    }
    let cli = Cli::new(repo.path());
    (repo, cli)
}

/// Whatever the limit did: no half answer, no panic, and without it everything is right.
fn is_survived(cli: &Cli, limits: &[&str], may_be_killed: bool) {
    let mut n_failed = 0;
    for limit in limits {
        for args in [
            &["refresh", "--json"][..],
            &["search", "f1", "--json"],
            &["stats", "--json"],
        ] {
            let said = under(cli, limit, args);
            let err = String::from_utf8_lossy(&said.stderr).into_owned();
            if said.code == 0 {
                serde_json::from_slice::<Value>(&said.stdout).unwrap();
            } else {
                n_failed += 1;
                let is_error = said.code == 1 && said.stdout.is_empty();
                assert!(
                    is_error || may_be_killed,
                    "{limit} {args:?}: {} {err}",
                    said.code
                );
            }
            if !may_be_killed {
                assert!(!err.contains("panicked"), "{limit} {args:?}: {err}");
            }
        }
    }
    assert!(n_failed > 0, "no limit was felt");
    let built = call(cli, &["refresh"]);
    assert_eq!(built["status"], "ready", "{built}");
    assert_eq!(call(cli, &["search", "f1"])["freshness"], "fresh");
    assert_eq!(call(cli, &["doctor"])["integrityOk"], true);
}

#[test]
fn few_descriptors_are_survived() {
    let (_repo, cli) = code_repository(100);
    is_survived(
        &cli,
        &[
            "ulimit -n 6",
            "ulimit -n 9",
            "ulimit -n 12",
            "ulimit -n 16",
            "ulimit -n 24",
        ],
        false,
    );
}

#[test]
fn little_memory_is_survived() {
    let (_repo, cli) = code_repository(100);
    // Rust ends a process that gets no memory: what it had committed stands.
    is_survived(
        &cli,
        &[
            "ulimit -v 30000",
            "ulimit -v 40000",
            "ulimit -v 60000",
            "ulimit -v 120000",
        ],
        true,
    );
}

#[test]
fn a_limit_on_the_size_of_files_is_an_error_and_the_last_index_answers() {
    let (repo, cli) = code_repository(100);
    call(&cli, &["refresh"]);
    let before = call(&cli, &["search", "f1", "--limit", "50"]);
    for n in 0..60 {
        repo.write(
            &format!("new/n{n}.ts"),
            "export function fresh() { return 1 }\n".repeat(800),
        );
    }
    // As a full disk, but for this process alone: writing beyond 100 KiB fails.
    let said = under(&cli, "trap '' XFSZ; ulimit -f 100", &["refresh", "--json"]);
    let err = String::from_utf8_lossy(&said.stderr);
    assert_eq!(said.code, 1, "{err}");
    assert!(!err.contains("panicked"), "{err}");
    let asked = under(
        &cli,
        "trap '' XFSZ; ulimit -f 100",
        &["search", "f1", "--limit", "50", "--json"],
    );
    let answer: Value =
        serde_json::from_slice(&asked.stdout).unwrap_or_else(|_| panic!("{asked:?}"));
    assert_ne!(answer["freshness"], "fresh", "{answer}");
    assert_eq!(
        answer["results"][0]["handle"], before["results"][0]["handle"],
        "{answer}"
    );
    let after = call(&cli, &["refresh"]);
    assert_eq!(
        (&after["status"], &after["totalFiles"]),
        (&json!("ready"), &json!(160))
    );
    assert_eq!(call(&cli, &["search", "fresh"])["freshness"], "fresh");
}

#[test]
fn large_files_take_memory_by_their_bytes_and_not_by_their_number() {
    let repo = Repo::new(Vec::new());
    let n_files = super::corpus::scaled(12, 60);
    for n in 0..n_files {
        let code = format!(
            "export class K{n}alpha {{ alpha(beta: number, gamma: string[]) {{ return this.delta(beta, gamma.map((it) => it.length)) }} }}\n"
        );
        let text: String = (0..)
            .map(|i| code.replace("alpha", &format!("alpha{i}")))
            .take(super::corpus::scaled(600_000, 1_700_000) / code.len())
            .collect();
        repo.write(&format!("f{n}.ts"), text);
    }
    let cli = Cli::new(repo.path());
    let said = run(&cli, &["refresh", "--json"], Duration::from_mins(5));
    let built: Value = serde_json::from_slice(&said.stdout).unwrap();
    assert_eq!(built["totalFiles"], json!(n_files));
    assert!(said.peak_bytes < 300 << 20, "{} MiB", said.peak_bytes >> 20);
}
