//! Every tool, called as a hostile repository would meet it: within a time, without a panic, and without a word from
//! outside the work tree.
//!
//! Answers have to come; their values are not compared.

use std::io::Read as _;
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::corpus::is_full;
use crate::support::{Cli, Repo};

/// How much time of a processor a call may take. One of these takes some hundredths of a second.
pub(super) const LIMIT: Duration = Duration::from_secs(5);

/// How many times that it may take by the clock, on a machine that does other things too. A call that hangs takes for ever.
const PATIENCE: u32 = 12;

/// The mark in everything outside the work tree that a call must not show.
pub(super) const OUTSIDE: &str = "canaryoutside";

/// Makes a directory beside a work tree, with a file in it that no call may show.
pub(super) fn outside(repo: &Repo) -> PathBuf {
    let outside = repo.dir.path().join("outside");
    std::fs::create_dir(&outside).unwrap();
    let text = format!("export const {OUTSIDE} = 1\n");
    std::fs::write(outside.join("secret.ts"), text).unwrap();
    outside
}

/// The output of a call.
#[derive(Debug)]
pub(super) struct Said {
    pub(super) stdout: Vec<u8>,
    pub(super) stderr: Vec<u8>,
    /// The exit code; -1 if a signal ended it.
    pub(super) code: i32,
    /// The most memory that it had at once, in bytes; 0 where the system does not tell.
    pub(super) peak_bytes: u64,
}

/// Runs a command, for at most `limit` of a processor's time. In full size it prints the calls that took long.
#[expect(
    clippy::print_stdout,
    reason = "the run in full is made for its figures"
)]
pub(super) fn run(cli: &Cli, args: &[&str], limit: Duration) -> Said {
    let mut child = cli
        .command(args)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let begun = Instant::now();
    let drain = |stream: Option<Box<dyn std::io::Read + Send>>| {
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            stream.unwrap().read_to_end(&mut bytes).unwrap();
            bytes
        })
    };
    let stdout = drain(child.stdout.take().map(|it| Box::new(it) as _));
    let stderr = drain(child.stderr.take().map(|it| Box::new(it) as _));
    let (mut peak_bytes, mut took) = (0, Duration::ZERO);
    let status = loop {
        peak_bytes = peak_bytes.max(peak(&child));
        took = took.max(cpu(&child));
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if took > limit || begun.elapsed() > limit * PATIENCE {
            child.kill().unwrap();
            child.wait().unwrap();
            panic!("codelens {args:?} took more than {limit:?}");
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    if is_full() && took > LIMIT / 10 {
        println!("{args:?}: {took:?} of a processor");
    }
    Said {
        stdout: stdout.join().unwrap(),
        stderr: stderr.join().unwrap(),
        code: status.code().unwrap_or(-1),
        peak_bytes,
    }
}

/// Returns the processor time of a process; zero where the system does not tell.
fn cpu(child: &Child) -> Duration {
    let text = std::fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap_or_default();
    let fields = text.rsplit(") ").next().unwrap_or_default();
    let ticks = fields.split(' ').skip(11).take(2);
    let ticks: u64 = ticks.filter_map(|field| field.parse::<u64>().ok()).sum();
    Duration::from_millis(ticks * 10)
}

/// Sets a flag when it goes, by a panic too: another thread waits for it.
pub(super) struct Stop<'a>(pub(super) &'a AtomicBool);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn peak(child: &Child) -> u64 {
    let path = format!("/proc/{}/status", child.id());
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|line| line.trim().strip_suffix(" kB"));
    kib.and_then(|kib| kib.parse::<u64>().ok()).unwrap_or(0) << 10
}

/// Runs a command and checks the rules for all of them: it ended by itself, and said nothing that no call may say.
/// Returns its answer, an error's too.
pub(super) fn call(cli: &Cli, args: &[&str]) -> Value {
    let said = run(cli, &[&["--json"], args].concat(), LIMIT);
    let (out, err) = (
        String::from_utf8(said.stdout).unwrap(),
        String::from_utf8(said.stderr).unwrap(),
    );
    assert!(
        matches!(said.code, 0..=2),
        "{args:?} ended with {}: {err}",
        said.code
    );
    // What was asked for is echoed.
    let is_asked = args.iter().any(|arg| arg.contains(OUTSIDE));
    for text in [&out, &err] {
        assert!(
            is_asked || !text.contains(OUTSIDE),
            "{args:?} shows what is outside: {text}"
        );
        assert!(!text.contains("panicked"), "{args:?}: {text}");
    }
    let text = if said.code == 0 { &out } else { &err };
    let value = serde_json::from_str::<Value>(text).unwrap_or(Value::Null);
    assert_ne!(value["error"]["code"], "internal", "{args:?}: {text}");
    for shown in [&value["results"], &value["files"]] {
        assert!(!shown.to_string().contains(OUTSIDE), "{args:?}: {shown}");
    }
    value
}

/// Calls every tool about the repository as a whole, and about each path. Returns the answer of `cl_refresh`.
pub(super) fn every_tool(cli: &Cli, paths: &[&str]) -> Value {
    // The build may take longer than a call.
    let built = run(cli, &["refresh"], Duration::from_mins(2));
    let said = String::from_utf8_lossy(&built.stderr);
    assert!(!said.contains("panicked"), "{said}");
    for args in [
        &["current"][..],
        &["stats"],
        &["doctor"],
        &["search", "canaryoutside"],
        &[
            "search",
            "alpha",
            "--snippet",
            "full",
            "--limit",
            "50",
            "--related",
        ],
        &["explore", "alpha beta"],
        &["explore", "x", "--related-depth", "3"],
        &["map"],
        &["map", "--all", "--limit", "200"],
        &["impact", "alpha"],
        &["impact", "--changes"],
        &["prune", "--dry-run"],
        &["drop", "--branch", "nothing"],
        &["load", "hostile"],
    ] {
        call(cli, args);
    }
    for path in paths {
        let handle = format!("rel:{path}");
        let equals = |flag: &str| format!("--{flag}={path}");
        call(cli, &["map", "--", path]);
        call(cli, &["expand", "--", path]);
        call(cli, &["expand", &format!("--handle={handle}")]);
        call(cli, &["related", "--", path]);
        call(cli, &["impact", &equals("path")]);
        call(cli, &["search", "alpha", &equals("path")]);
        call(cli, &["save", "hostile", &equals("path")]);
        call(cli, &["load", "hostile"]);
    }
    call(cli, &["refresh"])
}
