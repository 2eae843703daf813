//! Stores that are damaged or hostile: nothing of them is waited for, read or believed without end, and one bad index hides no good one.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant, SystemTime};

use serde_json::Value;

use super::shared_indexes::{Team, server};
use crate::support::Cli;

/// Commits a change of a document on a machine. Returns the commit.
fn commit(team: &Team, machine: &str, text: &str) -> String {
    let clone = team.clone_of(machine);
    std::fs::write(clone.join("docs/guide.md"), text).unwrap();
    team.repo
        .git_at(&clone, &["commit", "--quiet", "-am", text]);
    team.repo.git_at(&clone, &["rev-parse", "HEAD"])
}

/// Returns a machine whose clone has the commits of `there`.
fn with_commits_of(team: &Team, there: &str, name: &str) -> Cli {
    let cli = team.machine(name);
    let from = team.clone_of(there);
    let pull = ["pull", "--quiet", from.to_str().unwrap(), "HEAD"];
    team.repo.git_at(&team.clone_of(name), &pull);
    cli
}

fn manifest_of(team: &Team, commit: &str) -> PathBuf {
    let mut manifests = team.objects().0.into_iter();
    let is_its = |path: &PathBuf| path.file_stem().is_some_and(|it| it == commit);
    manifests.find(is_its).expect("the commit was pushed")
}

/// Takes a part of a commit's index out of the store. Returns where it was.
fn lose_a_part(team: &Team, commit: &str) -> PathBuf {
    let manifest = std::fs::read(manifest_of(team, commit)).unwrap();
    let manifest: Value = serde_json::from_slice(&manifest).unwrap();
    let digest = manifest["parts"][0]["digest"].as_str().unwrap();
    let mut parts = team.objects().1.into_iter();
    let part = parts.find(|path| path.ends_with(digest)).unwrap();
    std::fs::remove_file(&part).unwrap();
    part
}

fn passed_over(pulled: &Value) -> Vec<(&str, &str)> {
    let list = pulled["passedOver"].as_array().unwrap().iter();
    list.map(|it| {
        (
            it["commit"].as_str().unwrap(),
            it["reason"].as_str().unwrap(),
        )
    })
    .collect()
}

#[test]
fn an_index_that_cannot_be_used_hides_none_further_off() {
    let team = Team::new();
    let mut there = team.machine("there");
    let keys = there.json(&["remote", "key"]);
    let text = |key: &str| keys[key].as_str().unwrap().to_owned();
    there.set("CODELENS_SIGNING_KEY", text("privateKey"));
    let signed = there.json(&["push"])["commit"].clone();
    there.set("CODELENS_SIGNING_KEY", "");
    let unsigned = commit(&team, "there", "second");
    there.json(&["push"]);
    let garbled = commit(&team, "there", "third");
    there.json(&["push"]);
    std::fs::write(manifest_of(&team, &garbled), "{}").unwrap();
    let long = commit(&team, "there", "fourth");
    there.json(&["push"]);
    std::fs::write(manifest_of(&team, &long), " ".repeat(300_000)).unwrap();
    // Asked for one that is there itself, and for one behind it.
    for (name, behind) in [("here", false), ("behind", true)] {
        if behind {
            commit(&team, "there", "fifth");
        }
        let mut here = with_commits_of(&team, "there", name);
        here.set("CODELENS_REMOTE_TRUSTED_KEYS", text("publicKey"));
        let pulled = here.json(&["pull"]);
        assert_eq!(
            (&pulled["status"], &pulled["commit"]),
            (&"taken".into(), &signed)
        );
        let mut passed = passed_over(&pulled);
        passed.sort_unstable();
        let mut wanted = [
            (unsigned.as_str(), "not signed"),
            (garbled.as_str(), "manifest"),
            (long.as_str(), "longer than it may be"),
        ];
        wanted.sort_unstable();
        assert_eq!(passed.len(), wanted.len(), "{pulled}");
        for ((commit, reason), (wanted, part)) in passed.iter().zip(wanted) {
            assert_eq!(*commit, wanted);
            assert!(reason.contains(part), "{reason}");
        }
        let shown = here.run(&["pull", "--verify"]).stdout;
        assert!(shown.contains("passed over"), "{shown}");
    }
    // A question takes the same one.
    let mut asking = with_commits_of(&team, "there", "asking");
    asking
        .set("CODELENS_REMOTE_TRUSTED_KEYS", text("publicKey"))
        .set("CODELENS_REMOTE_PULL", "auto");
    let answer = asking.json(&["search", "open store"]);
    assert_eq!(answer["note"], Value::Null, "{answer}");
    assert_eq!(asking.json(&["stats"])["totalIndexes"], 2);
}

#[test]
fn an_index_that_lost_parts_is_passed_over_and_mended_by_a_push() {
    let team = Team::new();
    let there = team.machine("there");
    let first = there.json(&["push"])["commit"].clone();
    let second = commit(&team, "there", "second");
    there.json(&["push"]);
    lose_a_part(&team, &second);
    let here = with_commits_of(&team, "there", "here");
    let pulled = here.json(&["pull"]);
    assert_eq!(
        (&pulled["status"], &pulled["commit"]),
        (&"taken".into(), &first)
    );
    let passed = passed_over(&pulled);
    assert_eq!((passed.len(), passed[0].0), (1, second.as_str()));
    assert!(passed[0].1.contains("is not there"), "{passed:?}");
    let mended = there.json(&["push"]);
    assert_eq!(
        (&mended["status"], &mended["mended"]),
        (&"uploaded".into(), &true.into())
    );
    let again = there.json(&["push"]);
    assert_eq!(
        (&again["status"], &again["mended"]),
        (&"present".into(), &false.into())
    );
    let pulled = here.json(&["pull", "--verify"]);
    assert_eq!(
        (&pulled["commit"], passed_over(&pulled).len()),
        (&second.into(), 0)
    );
    // The only one of a store, and nothing to fall back to.
    let only = Team::new();
    only.machine("there").json(&["push"]);
    let commit = only.repo.git(&["rev-parse", "main"]);
    lose_a_part(&only, &commit);
    let said = only.machine("here").fails(&["pull"], 1);
    assert!(
        said.contains("is not there") && said.contains("codelens push"),
        "{said}"
    );
}

fn age(path: &Path) {
    let old = SystemTime::now() - Duration::from_hours(24 * 40);
    let file = std::fs::File::options().write(true).open(path).unwrap();
    file.set_modified(old).unwrap();
}

#[test]
fn garbage_collection_names_what_it_cannot_read_and_removes_what_lost_parts() {
    let team = Team::new();
    let there = team.machine("there");
    there.json(&["push"]);
    let second = commit(&team, "there", "second");
    there.json(&["push"]);
    let third = commit(&team, "there", "third");
    there.json(&["push"]);
    let orphan = team.objects().1[0].with_file_name("0".repeat(64));
    std::fs::write(&orphan, "x").unwrap();
    age(&orphan);
    let good = std::fs::read(manifest_of(&team, &third)).unwrap();
    for bad in ["", "{\"format\":1", &" ".repeat(300_000)] {
        std::fs::write(manifest_of(&team, &third), bad).unwrap();
        let done = there.json(&["remote", "gc"]);
        let unreadable = done["unreadableManifests"].as_array().unwrap();
        assert_eq!(unreadable.len(), 1, "{done}");
        let name = unreadable[0]["name"].as_str().unwrap();
        assert!(name.ends_with(&format!("{third}.json")), "{name}");
        assert_eq!(done["removedParts"], 0, "{done}");
        assert!(orphan.exists());
        let said = there.run(&["remote", "gc"]).stdout;
        assert!(
            said.contains("not readable") && said.contains(&third),
            "{said}"
        );
    }
    // One that is old goes all the same.
    age(&manifest_of(&team, &second));
    assert_eq!(there.json(&["remote", "gc"])["removedIndexes"], 1);
    std::fs::write(manifest_of(&team, &third), good).unwrap();
    let lost = lose_a_part(&team, &third);
    let dry = there.json(&["remote", "gc", "--dry-run"]);
    assert_eq!(
        (&dry["incompleteIndexes"], &dry["keptIndexes"]),
        (&1.into(), &1.into())
    );
    let done = there.json(&["remote", "gc"]);
    assert_eq!(
        (&done["removedIndexes"], &done["incompleteIndexes"]),
        (&1.into(), &1.into()),
        "{done}"
    );
    assert!(!orphan.exists());
    assert_eq!(there.json(&["push"])["status"], "uploaded");
    assert!(lost.exists() || team.objects().1.len() > 1);
    let here = with_commits_of(&team, "there", "here");
    assert_eq!(here.json(&["pull", "--verify"])["commit"], third);
}

/// Reads the head of a request: method and path.
fn request(stream: &mut TcpStream) -> (String, String) {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).is_ok_and(|n| n == 1) {
        head.push(byte[0]);
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    let mut words = head.split(' ').map(str::to_owned);
    let method = words.next().unwrap_or_default();
    (method, words.next().unwrap_or_default())
}

fn not_found(mut stream: TcpStream) {
    drop(
        stream
            .write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"),
    );
}

/// Sends bytes until the client has enough. Returns how many it took.
fn send_without_end(stream: &mut TcpStream, head: &str, bytes: &[u8]) -> usize {
    let mut n = 0;
    if stream.write_all(head.as_bytes()).is_err() {
        return 0;
    }
    while n < 1 << 30 && stream.write_all(bytes).is_ok() {
        n += bytes.len();
    }
    n
}

#[test]
fn lists_and_failures_without_end_are_not_read_to_the_end() {
    let team = Team::new();
    let taken = Arc::new(AtomicUsize::new(0));
    let sent = Arc::clone(&taken);
    let piece = "<D:response><D:href>/x/y</D:href></D:response>".repeat(2_000);
    let listing = server(move |mut stream| {
        if request(&mut stream).0 != "PROPFIND" {
            return not_found(stream);
        }
        let head = "HTTP/1.1 207 Multi-Status\r\nConnection: close\r\n\r\n<D:multistatus xmlns:D=\"DAV:\">";
        let n = send_without_end(&mut stream, head, piece.as_bytes());
        sent.fetch_max(n, Ordering::Relaxed);
    });
    let here = team.machine_without_remote("here");
    here.json(&["remote", "add", "team", &listing]);
    // The ancestors are asked for in its place.
    assert_eq!(here.json(&["pull"])["status"], "nothing");
    let n = taken.load(Ordering::Relaxed);
    assert!((1 << 20..300 << 20).contains(&n), "{n}");
    let taken = Arc::new(AtomicUsize::new(0));
    let sent = Arc::clone(&taken);
    let failing = server(move |mut stream| {
        request(&mut stream);
        let head = "HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n<Code>AccessDenied</Code>";
        let n = send_without_end(&mut stream, head, "é".repeat(50_001).as_bytes());
        sent.fetch_max(n, Ordering::Relaxed);
    });
    let here = team.machine_without_remote("failing");
    here.json(&["remote", "add", "team", &failing]);
    let said = here.fails(&["pull"], 1);
    assert!(
        said.contains("refuses the credentials") && said.contains("AccessDenied"),
        "{said}"
    );
    let n = taken.load(Ordering::Relaxed);
    assert!(n < 64 << 20, "{n}");
}

#[test]
fn a_redirect_leads_to_no_other_server_and_no_proxy_to_this_machine() {
    let team = Team::new();
    let other = TcpListener::bind("127.0.0.1:0").unwrap();
    other.set_nonblocking(true).unwrap();
    let elsewhere = format!("http://{}", other.local_addr().unwrap());
    let to = elsewhere.clone();
    let redirecting = server(move |mut stream| {
        request(&mut stream);
        let answer = format!(
            "HTTP/1.1 302 Found\r\nLocation: {to}/x\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        );
        drop(stream.write_all(answer.as_bytes()));
    });
    let mut here = team.machine_without_remote("here");
    here.json(&["remote", "add", "team", &redirecting]);
    here.set("CODELENS_REMOTE_TOKEN", "hunter2");
    let said = here.fails(&["pull"], 1);
    assert!(said.contains("another server"), "{said}");
    assert!(other.accept().is_err(), "the other server was not asked");
    // Within one server a redirect is followed.
    let n_moved = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&n_moved);
    let moving = server(move |mut stream| {
        let (_, path) = request(&mut stream);
        if path.starts_with("/moved") {
            counted.fetch_add(1, Ordering::Relaxed);
            return not_found(stream);
        }
        let answer = format!(
            "HTTP/1.1 307 Moved\r\nLocation: /moved{path}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        );
        drop(stream.write_all(answer.as_bytes()));
    });
    let here = team.machine_without_remote("moved");
    here.json(&["remote", "add", "team", &moving]);
    assert_eq!(here.json(&["pull"])["status"], "nothing");
    assert!(n_moved.load(Ordering::Relaxed) > 0);
    let answering = server(|mut stream| {
        request(&mut stream);
        not_found(stream);
    });
    let mut here = team.machine_without_remote("proxied");
    here.json(&["remote", "add", "team", &answering]);
    for variable in ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"] {
        here.set(variable, &elsewhere);
    }
    assert_eq!(here.json(&["pull"])["status"], "nothing");
    assert!(other.accept().is_err(), "no proxy was asked");
}

#[test]
fn a_list_that_takes_too_long_leaves_time_for_an_index() {
    let team = Team::new();
    team.machine("there").json(&["push"]);
    let store = team.store.clone();
    let dripping = server(move |mut stream| {
        let store = store.clone();
        std::thread::spawn(move || {
            let (method, path) = request(&mut stream);
            if method == "PROPFIND" {
                let head = b"HTTP/1.1 207 Multi-Status\r\nConnection: close\r\n\r\n<D:multistatus>";
                drop(stream.write_all(head));
                while stream.write_all(b" ").is_ok() {
                    std::thread::sleep(Duration::from_millis(50));
                }
                return;
            }
            let Ok(bytes) = std::fs::read(store.join(path.trim_start_matches("/x/"))) else {
                return not_found(stream);
            };
            let head = format!(
                "HTTP/1.1 200 OK\r\nLast-Modified: Tue, 01 Jan 2030 00:00:00 GMT\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
                bytes.len()
            );
            drop(stream.write_all(head.as_bytes()));
            drop(stream.write_all(&bytes));
        });
    });
    let mut here = team.machine_without_remote("here");
    here.json(&["remote", "add", "slow", &dripping]);
    commit(&team, "here", "of this machine alone");
    here.set("CODELENS_REMOTE_PULL", "auto")
        .set("CODELENS_REMOTE_TIMEOUT_MS", "6000")
        .set("CODELENS_FIRST_BUILD_MS", "60000");
    let begun = Instant::now();
    let answer = here.json(&["search", "open store"]);
    assert_eq!(
        (&answer["freshness"], &answer["note"]),
        (&"fresh".into(), &Value::Null),
        "{answer}"
    );
    assert!(
        begun.elapsed() > Duration::from_millis(2_500),
        "half of its time is the list's"
    );
    assert_eq!(
        here.json(&["stats"])["totalIndexes"],
        2,
        "one is of the remote"
    );
}
