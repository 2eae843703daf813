//! The cost of a server when nobody asks, and how it ends.
//!
//! After some questions and a rest it must not wake up at all and hold little memory, and it must end soon after its input
//! closes, also while it refreshes. Times are printed, and only those with a wide margin are checked. Reads /proc.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

use serde_json::{Value, json};

use crate::checks::{Checks, setting};
use crate::known_repo::World;
use crate::product::{Client, Product, copy_folder};

const MAX_RESIDENT_KB: u64 = 25 * 1024;

/// Returns the number on each line of a table of /proc that begins with a name.
fn numbers(path: &Path) -> BTreeMap<String, u64> {
    let table = fs::read_to_string(path).unwrap();
    let line = |line: &str| {
        let (name, rest) = line.split_once(':')?;
        let number = rest.split_whitespace().next()?.parse().ok()?;
        Some((name.to_owned(), number))
    };
    table.lines().filter_map(line).collect()
}

/// Returns how often each thread was given a processor. Exact where clock ticks are a matter of chance: a thread that
/// runs for some microseconds may have a whole tick booked on it.
fn runs(id: u32) -> BTreeMap<PathBuf, u64> {
    let threads = fs::read_dir(format!("/proc/{id}/task")).unwrap();
    let switches = threads.map(|thread| {
        let path = thread.unwrap().path();
        let numbers = numbers(&path.join("status"));
        (
            path,
            numbers["voluntary_ctxt_switches"] + numbers["nonvoluntary_ctxt_switches"],
        )
    });
    switches.collect()
}

/// Returns questions about a repository that has a manifest.
fn questions() -> Vec<(&'static str, Value)> {
    vec![
        ("cl_search", json!({"query": "create renderer"})),
        ("cl_search", json!({"query": "README"})),
        ("cl_map", json!({"limit": 50})),
        ("cl_related", json!({"path": "package.json"})),
        ("cl_impact", json!({"path": "package.json"})),
        ("cl_current", json!({})),
        ("cl_stats", json!({})),
    ]
}

/// Asks a server, then nothing.
fn rest(checks: &Checks, product: &Product, log: &Path, questions: &[(&str, Value)]) {
    product.must(&["refresh"]);
    let server = product.serve(log);
    for (tool, arguments) in questions {
        let reply = server.call(tool, arguments);
        checks.that(
            format!("{tool} is answered"),
            !reply.is_error(),
            &reply.value,
        );
    }
    // Within fifteen seconds of the last question a server ends its threads and gives memory back, then it sleeps.
    sleep(Duration::from_secs(setting("REST", 20) as u64));
    let before = runs(server.id());
    sleep(Duration::from_secs(5));
    let after = runs(server.id());
    let what = "runs of each thread, five idle seconds later";
    checks.that(what, after == before, (&before, &after));
    let memory = numbers(Path::new(&format!("/proc/{}/status", server.id())));
    let resident = memory["VmRSS"];
    eprintln!(
        "idle: {resident} KiB resident, {} KiB of its own",
        memory["RssAnon"]
    );
    checks.that("under 25 MB resident", resident < MAX_RESIDENT_KB, resident);
    let (took, code) = server.close();
    eprintln!("ends {took:.0?} after its input closed");
    checks.that(
        "it ends soon",
        took < Duration::from_secs(3) && code == Some(0),
        (took, code),
    );
}

/// Uses a copy of the repository `CODELENS_STRESS_REPO`, else one of known files.
#[test]
#[ignore = "slow"]
fn an_idle_server_sleeps_and_ends_at_once() {
    let checks = Checks::new("idle", 1);
    let world = World::new(checks.seed, 400, 1, 0);
    let root = world.root();
    let repo = if let Ok(repo) = std::env::var("CODELENS_STRESS_REPO") {
        copy_folder(Path::new(&repo), &root.join("copy"));
        root.join("copy")
    } else {
        let readme = "# Files to create a renderer of\n";
        fs::write(world.path.join("README.md"), readme).unwrap();
        fs::write(world.path.join("package.json"), r#"{"name": "known"}"#).unwrap();
        world.commit(false);
        world.path.clone()
    };
    let log = root.join("log");
    let twice = [questions(), questions()].concat();
    rest(
        &checks,
        &Product::new(&repo, &root.join("data")),
        &log,
        &twice,
    );
    eprintln!("after a rebuild by the server itself:");
    let rebuild = [
        twice,
        vec![("cl_refresh", json!({"force": true}))],
        questions(),
    ]
    .concat();
    rest(
        &checks,
        &Product::new(&repo, &root.join("data2")),
        &log,
        &rebuild,
    );
    for (n, delay_ms) in [50, 500, 2000].into_iter().enumerate() {
        let product = Product::new(&repo, &root.join(format!("busy{n}")));
        let server = product.serve(&log);
        server.begin("cl_refresh");
        sleep(Duration::from_millis(delay_ms));
        let (took, _) = server.close();
        eprintln!("ends {took:.0?} after its input closed, {delay_ms} ms into a refresh");
        checks.that(
            "it ends soon, also during a refresh",
            took < Duration::from_secs(3),
            took,
        );
        product.is_whole(&checks, "after a refresh that was left");
    }
    checks.end();
}
