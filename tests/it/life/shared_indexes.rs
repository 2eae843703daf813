//! Indexes that are shared over a store: only seeds, uploaded once, and nothing of a store is believed unchecked.

use std::fs::File;
use std::io::Write as _;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant, SystemTime};

use serde_json::{Value, json};

use super::bundle::{BundleParts, HARMFUL, PROJECT};
use crate::support::{Cli, Fixture, Repo, walk};

/// A repository, and the directory that its indexes are shared over.
pub(super) struct Team {
    pub(super) repo: Repo,
    pub(super) store: PathBuf,
}

impl Team {
    pub(super) fn new() -> Self {
        let repo = Fixture::parse(PROJECT).build();
        let store = repo.dir.path().join("store");
        std::fs::create_dir(&store).unwrap();
        Self { repo, store }
    }

    /// Returns another machine: a clone at a path of its own, with its own settings and data directory.
    pub(super) fn machine(&self, name: &str) -> Cli {
        let cli = self.machine_without_remote(name);
        let url = format!("file://{}", self.store.display());
        cli.json(&["remote", "add", "team", &url]);
        cli
    }

    pub(super) fn machine_without_remote(&self, name: &str) -> Cli {
        let clone = self.clone_of(name);
        let from = self.repo.path();
        let (from, to) = (from.to_str().unwrap(), clone.to_str().unwrap());
        self.repo.git(&["clone", "--quiet", from, to]);
        Cli::new(clone)
    }

    pub(super) fn clone_of(&self, name: &str) -> PathBuf {
        self.repo.dir.path().join(name).join("checkout")
    }

    /// Returns the objects of the store: manifests and parts.
    pub(super) fn objects(&self) -> (Vec<PathBuf>, Vec<PathBuf>) {
        if !self.store.exists() {
            return (Vec::new(), Vec::new());
        }
        let is_manifest = |path: &PathBuf| path.extension().is_some_and(|it| it == "json");
        let mut objects = walk(&self.store);
        objects.sort();
        objects.into_iter().partition(is_manifest)
    }

    /// Puts a bundle in the place of the only one, with a manifest that names it.
    fn replace(&self, bundle: &[u8]) {
        let (manifests, parts) = self.objects();
        let [manifest] = manifests.as_slice() else {
            panic!("{manifests:?}");
        };
        let mut value: Value = serde_json::from_slice(&std::fs::read(manifest).unwrap()).unwrap();
        let digest = blake3::hash(bundle).to_hex().to_string();
        let database = BundleParts::of(bundle).database.len();
        value["bytes"] = bundle.len().into();
        value["databaseBytes"] = database.into();
        value["digest"] = hex(&bundle[bundle.len() - 32..]).into();
        value["parts"] = json!([{"digest": digest, "bytes": bundle.len()}]);
        std::fs::write(parts[0].with_file_name(digest), bundle).unwrap();
        std::fs::write(manifest, serde_json::to_vec(&value).unwrap()).unwrap();
    }

    /// Returns the only bundle of the store.
    fn bundle(&self) -> Vec<u8> {
        let parts = self.objects().1;
        assert_eq!(parts.len(), 1, "{parts:?}");
        std::fs::read(&parts[0]).unwrap()
    }
}

fn hex(bytes: &[u8]) -> String {
    blake3::Hash::from_slice(bytes)
        .unwrap()
        .to_hex()
        .to_string()
}

/// Returns an answer without the fields that each index has of its own.
fn steady(cli: &Cli, args: &[&str]) -> Value {
    let mut value = cli.json(args);
    for key in ["indexId", "generation", "nextCursor"] {
        value.as_object_mut().unwrap().remove(key);
    }
    value
}

#[test]
fn another_machine_reads_only_the_difference() {
    let team = Team::new();
    let (there, here) = (team.machine("there"), team.machine("here"));
    let nothing = here.json(&["pull"]);
    assert_eq!(
        (&nothing["status"], &nothing["commit"]),
        (&"nothing".into(), &Value::Null)
    );
    let pushed = there.json(&["push"]);
    assert_eq!(pushed["status"], "uploaded");
    assert_eq!(pushed["commit"], team.repo.git(&["rev-parse", "main"]));
    assert_eq!(pushed["uploadedBytes"], pushed["bytes"]);
    let again = there.json(&["push"]);
    assert_eq!(
        (&again["status"], &again["uploadedBytes"]),
        (&"present".into(), &0.into())
    );
    let (manifests, parts) = team.objects();
    assert_eq!((manifests.len(), parts.len()), (1, 1));

    // On another branch, at another path: one file of it differs.
    team.repo
        .git_at(&team.clone_of("here"), &["checkout", "--quiet", "feature"]);
    let pulled = here.json(&["pull"]);
    assert_eq!(
        (&pulled["status"], &pulled["differingFiles"]),
        (&"taken".into(), &1.into())
    );
    let now = here.json(&["current"]);
    assert_eq!(
        (&now["status"], &now["seedFrom"]),
        (&"missing".into(), &pulled["indexId"])
    );
    let done = here.json(&["refresh"]);
    assert_eq!(
        (&done["indexedFiles"], &done["seededFrom"]),
        (&1.into(), &pulled["indexId"])
    );
    assert_eq!(here.json(&["pull"])["status"], "present");
    team.repo
        .git_at(&team.clone_of("there"), &["checkout", "--quiet", "feature"]);
    for args in [
        &["search", "open store", "-n", "20"][..],
        &["impact", "Store.open"],
        &["map", "--all"],
    ] {
        assert_eq!(steady(&here, args), steady(&there, args), "{args:?}");
    }
    assert_eq!(here.json(&["push"])["status"], "uploaded");
    assert_eq!(team.objects().0.len(), 2);
    // Nothing is left of what was on its way.
    for cli in [&here, &there] {
        let left: Vec<_> = walk(&cli.home())
            .into_iter()
            .filter(|it| it.to_string_lossy().contains("transfer-"))
            .collect();
        assert!(left.is_empty(), "{left:?}");
        let doctor = cli.json(&["doctor"]);
        let checks = doctor["checks"].as_array().unwrap();
        assert!(checks.iter().all(|check| check["ok"] != false), "{doctor}");
    }
}

/// Returns whether the bundle of the store, or its manifest, holds a word.
fn is_shared(team: &Team, word: &str) -> bool {
    let parts = BundleParts::of(&team.bundle());
    let has = |bytes: &[u8]| bytes.windows(word.len()).any(|it| it == word.as_bytes());
    has(&parts.database) || has(&parts.manifest)
}

#[test]
fn edits_that_a_bit_hides_from_git_are_not_shared() {
    for bit in ["--assume-unchanged", "--skip-worktree"] {
        let team = Team::new();
        let there = team.machine("there");
        let clone = team.clone_of("there");
        team.repo
            .git_at(&clone, &["update-index", bit, "src/app.ts"]);
        std::fs::write(clone.join("src/app.ts"), "export function qzxvkj() {}\n").unwrap();
        let found = there.json(&["search", "qzxvkj"]);
        assert_eq!(found["results"][0]["path"], "src/app.ts");
        assert_eq!(there.json(&["push"])["status"], "uploaded");
        assert!(!is_shared(&team, "qzxvkj"), "{bit}");
        let bundle = team.store.join("bundle");
        there.json(&["bundle", "export", bundle.to_str().unwrap()]);
        let parts = BundleParts::of(&std::fs::read(bundle).unwrap());
        assert!(
            !parts.database.windows(6).any(|it| it == b"qzxvkj"),
            "{bit}"
        );
    }
}

#[test]
fn what_a_filter_decrypts_is_not_shared() {
    let team = Team::new();
    let there = team.machine("there");
    let clone = team.clone_of("there");
    let git = |args: &[&str]| drop(team.repo.git_at(&clone, args));
    git(&["config", "filter.crypt.clean", "tr a-z n-za-m"]);
    git(&["config", "filter.crypt.smudge", "tr a-z n-za-m"]);
    std::fs::write(clone.join(".gitattributes"), "*.conf filter=crypt\n").unwrap();
    std::fs::write(clone.join("team.conf"), "plain qzxvkj text\n").unwrap();
    git(&["add", "."]);
    git(&["commit", "--quiet", "-m", "settings"]);
    assert!(
        !there.json(&["search", "qzxvkj"])["results"]
            .as_array()
            .unwrap()
            .is_empty()
    );
    assert_eq!(there.json(&["push"])["status"], "uploaded");
    assert!(!is_shared(&team, "qzxvkj") && is_shared(&team, "dmkixw"));
}

#[test]
fn a_part_that_was_cut_off_is_no_uploaded_part() {
    let team = Team::new();
    let there = team.machine("there");
    there.json(&["push"]);
    let (manifests, parts) = team.objects();
    std::fs::remove_file(&manifests[0]).unwrap();
    let whole = std::fs::read(&parts[0]).unwrap();
    std::fs::write(&parts[0], &whole[..100]).unwrap();
    let failed = there.run(&["push"]);
    assert_ne!(failed.code, 0);
    assert!(
        failed.stderr.contains("another length"),
        "{}",
        failed.stderr
    );
    assert!(team.objects().0.is_empty(), "no manifest names it");
}

#[test]
fn nothing_uncommitted_is_pushed() {
    let team = Team::new();
    let there = team.machine("there");
    let clone = team.clone_of("there");
    std::fs::write(
        clone.join("src/app.ts"),
        "export function qzxvkj() { /* qzxvkj */ }\n",
    )
    .unwrap();
    std::fs::write(clone.join("src/new.ts"), "export class Qqzxvkj {}\n").unwrap();
    assert_eq!(
        there.json(&["search", "qzxvkj"])["results"][0]["path"],
        "src/app.ts"
    );
    let pushed = there.json(&["push"]);
    assert_eq!(
        (&pushed["status"], &pushed["files"]),
        (&"uploaded".into(), &4.into())
    );
    let parts = BundleParts::of(&team.bundle());
    let place = team.repo.dir.path().to_str().unwrap().to_owned();
    for word in ["qzxvkj", place.as_str()] {
        let has = |bytes: &[u8]| bytes.windows(word.len()).any(|it| it == word.as_bytes());
        assert!(!has(&parts.database) && !has(&parts.manifest), "{word}");
    }
    // A commit that is not checked out, and one that is not there.
    let pushed = there.json(&["push", "--ref", "origin/feature"]);
    assert_eq!(pushed["commit"], team.repo.git(&["rev-parse", "feature"]));
    let said = there.fails(&["push", "--ref", "nowhere"], 1);
    assert!(
        said.contains("`nowhere` is the name of no commit"),
        "{said}"
    );
    // Nothing is written in the repository either.
    let inside = format!("file://{}/.git/store", clone.display());
    there.json(&["remote", "add", "inside", &inside]);
    let said = there.fails(&["push", "--remote", "inside"], 1);
    assert!(said.contains("inside the repository"), "{said}");
    let said = there.fails(&["push"], 1);
    assert!(said.contains("several remotes"), "{said}");
    let said = there.fails(&["pull", "--remote", "other"], 1);
    assert!(
        said.contains("no remote `other`") && said.contains("inside, team"),
        "{said}"
    );
}

#[test]
fn ten_pushes_at_once_lose_nothing() {
    let team = Team::new();
    let machines: Vec<Cli> = (0..10).map(|n| team.machine(&format!("m{n}"))).collect();
    let running: Vec<_> = machines
        .iter()
        .enumerate()
        .map(|(n, cli)| {
            let commit = if n % 2 == 0 {
                "origin/main"
            } else {
                "origin/feature"
            };
            let mut command = cli.command(&["push", "--ref", commit, "--json"]);
            command
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap()
        })
        .collect();
    let mut n_uploaded = 0;
    for child in running {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{output:?}");
        let value: Value = serde_json::from_slice(&output.stdout).unwrap();
        n_uploaded += u32::from(value["status"] == "uploaded");
    }
    assert_eq!(n_uploaded, 2, "each commit by one of them");
    assert_eq!(team.objects().0.len(), 2);
    let here = team.machine("here");
    for commit in ["origin/main", "origin/feature"] {
        let pulled = here.json(&["pull", "--ref", commit, "--verify"]);
        assert_eq!(
            (&pulled["differingFiles"], &pulled["verifiedFiles"]),
            (&0.into(), &4.into())
        );
    }
}

#[test]
fn a_missing_index_starts_from_a_remote_if_the_user_said_so() {
    let team = Team::new();
    team.machine("there").json(&["push"]);
    let indexes = |cli: &Cli| cli.json(&["stats"])["totalIndexes"].clone();
    let mut never = team.machine("never");
    never.json(&["search", "open store"]);
    assert_eq!(indexes(&never), 1, "nothing is taken unasked");
    let mut auto = team.machine("auto");
    auto.set("CODELENS_REMOTE_PULL", "auto");
    let answer = steady(&auto, &["search", "open store"]);
    assert_eq!(answer, steady(&never, &["search", "open store"]));
    assert_eq!(indexes(&auto), 2, "one is of the remote");
    let mut builds = team.machine("builds");
    builds.set("CODELENS_REMOTE_PULL", "auto");
    let done = builds.json(&["refresh"]);
    assert_eq!(
        (&done["indexedFiles"], &done["note"]),
        (&0.into(), &Value::Null),
        "{done}"
    );
    // A store without the repository's indexes is not worth a word.
    std::fs::remove_dir_all(&team.store).unwrap();
    let mut empty = team.machine("empty");
    empty.set("CODELENS_REMOTE_PULL", "auto");
    std::fs::create_dir(&team.store).unwrap();
    assert_eq!(empty.json(&["refresh"])["note"], Value::Null);
    never.set("CODELENS_REMOTE_PULL", "sometimes");
    assert!(never.fails(&["current"], 1).contains("one of auto, never"));
}

/// Makes sure that a store's object is refused, and that the question is answered from an index that is built here.
fn is_refused(team: &Team, what: &str, part: &str) {
    let mut here = Cli::new(team.clone_of("here"));
    let url = format!("file://{}", team.store.display());
    here.json(&["remote", "add", "team", &url]);
    let said = here.fails(&["pull"], 1);
    assert!(said.contains(part), "{what}: {said}");
    assert_eq!(here.index_files(), Vec::<PathBuf>::new(), "{what}");
    here.set("CODELENS_REMOTE_PULL", "auto");
    let answer = here.json(&["search", "open store"]);
    assert_eq!(
        (&answer["freshness"], &answer["results"][0]["path"]),
        (&"fresh".into(), &"src/store.ts".into()),
        "{what}"
    );
    let note = answer["note"].as_str().unwrap_or_default();
    assert!(
        note.contains("No index came from a remote, so it is built here"),
        "{what}: {answer}"
    );
    assert_eq!(here.json(&["stats"])["totalIndexes"], 1, "{what}");
}

#[test]
fn an_object_that_was_altered_is_refused_whole() {
    let team = Team::new();
    team.machine("there").json(&["push"]);
    team.machine("here");
    let (manifests, parts) = team.objects();
    let (manifest, part) = (&manifests[0], &parts[0]);
    let good = (
        std::fs::read(manifest).unwrap(),
        std::fs::read(part).unwrap(),
    );
    let restore = || {
        std::fs::write(manifest, &good.0).unwrap();
        std::fs::write(part, &good.1).unwrap();
    };
    let mut flipped = good.1.clone();
    let at = flipped.len() / 2;
    flipped[at] ^= 1;
    for (what, bytes, said) in [
        (
            "a part that is cut off",
            &good.1[..100],
            "not what its name says",
        ),
        ("an empty part", &[], "not what its name says"),
        (
            "a part with a bit changed",
            &flipped,
            "not what its name says",
        ),
        (
            "a longer part",
            &[&good.1[..], b"x"].concat(),
            "longer than it may be",
        ),
    ] {
        std::fs::write(part, bytes).unwrap();
        is_refused(&team, what, said);
        restore();
    }
    std::fs::remove_file(part).unwrap();
    is_refused(
        &team,
        "a part that is not there",
        "a part that its manifest names is not there",
    );
    restore();
    let text = String::from_utf8(good.0.clone()).unwrap();
    let commit = team.repo.git(&["rev-parse", "main"]);
    for (what, bytes, said) in [
        (
            "a manifest that is cut off",
            &text[..text.len() / 2],
            "says nothing",
        ),
        ("a page of a proxy", "<html>sign in</html>", "says nothing"),
        (
            "a manifest of another commit",
            &text.replace(&commit, &"f".repeat(40)),
            "another commit",
        ),
        (
            "a manifest with a path",
            &text.replace("\"digest\":\"", "\"digest\":\"../../../"),
            "cannot be",
        ),
        (
            "a manifest of another format",
            &text.replace("\"format\":1", "\"format\":9"),
            "format 9",
        ),
        (
            "a manifest that is long",
            &" ".repeat(300_000),
            "longer than it may be",
        ),
    ] {
        std::fs::write(manifest, bytes).unwrap();
        is_refused(&team, what, said);
        restore();
    }
    // A bundle of another commit under this one's name.
    let mut other = BundleParts::of(&good.1);
    other.header["commit"] = "e".repeat(40).into();
    team.replace(&other.pack(&[]));
    is_refused(
        &team,
        "a bundle of another commit",
        "another than its manifest says",
    );
}

#[test]
fn an_index_of_a_store_that_could_do_harm_is_refused_whole() {
    let team = Team::new();
    team.machine("there").json(&["push"]);
    team.machine("here");
    let good = team.bundle();
    for (sql, part) in HARMFUL {
        let mut parts = BundleParts::of(&good);
        parts.run(&format!("PRAGMA foreign_keys = OFF; {sql}"));
        team.replace(&parts.pack(&[]));
        is_refused(&team, sql, part);
    }
    for (what, set, part) in [
        (
            "another layout",
            ("layout", json!("other")),
            "says other things",
        ),
        ("another schema", ("schemaVersion", json!(1)), "schema 1"),
    ] {
        team.replace(&BundleParts::of(&good).pack(&[set]));
        is_refused(&team, what, part);
    }
    team.replace(&good);
    let here = Cli::new(team.clone_of("here"));
    here.json(&[
        "remote",
        "add",
        "team",
        &format!("file://{}", team.store.display()),
    ]);
    assert_eq!(here.json(&["pull"])["status"], "taken");
}

/// Answers each connection to a port of this machine with `serve`, until the process ends.
pub(super) fn server(serve: impl Fn(TcpStream) + Send + Sync + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/x", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            serve(stream);
        }
    });
    url
}

#[test]
fn a_store_that_fails_costs_its_deadline_at_most() {
    let team = Team::new();
    let refusing = {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        format!("http://{}/x", listener.local_addr().unwrap())
    };
    let kept = std::sync::Mutex::new(Vec::new());
    let hanging = server(move |stream| kept.lock().unwrap().push(stream));
    let dripping = server(|mut stream| {
        std::thread::spawn(move || {
            drop(std::io::Read::read(&mut stream, &mut [0; 4096]));
            let head = b"HTTP/1.1 200 OK\r\nContent-Length: 9000\r\n\r\n";
            drop(stream.write_all(head));
            while stream.write_all(b"x").is_ok() {
                std::thread::sleep(Duration::from_millis(50));
            }
        });
    });
    let babbling = server(|mut stream| drop(stream.write_all(b"hello\r\n\r\n")));
    let forbidding = server(|mut stream| {
        let answer = b"HTTP/1.1 403 Forbidden\r\nContent-Length: 44\r\nConnection: close\r\n\r\n<Code>AccessDenied</Code><K>AKIAHUNTER2</K>\n";
        let mut head = [0; 4096];
        drop(std::io::Read::read(&mut stream, &mut head));
        drop(stream.write_all(answer));
    });
    for (what, url, part) in [
        ("refusing", refusing, "nobody answers"),
        ("hanging", hanging, "did not answer in time"),
        ("dripping", dripping, "did not answer in time"),
        ("babbling", babbling, "remote `slow`"),
        ("forbidding", forbidding, "refuses the credentials"),
    ] {
        let mut here = team.machine_without_remote(what);
        here.json(&["remote", "add", "slow", &url]);
        here.set("CODELENS_REMOTE_PULL", "auto")
            .set("CODELENS_REMOTE_TIMEOUT_MS", "400");
        let begun = Instant::now();
        let ran = here.run(&["search", "open store", "--json"]);
        let took = begun.elapsed();
        let answer: Value = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!(answer["freshness"], "fresh", "{what}: {answer}");
        let note = answer["note"].as_str().unwrap_or_default();
        assert!(note.contains(part), "{what}: {answer}");
        assert!(took < Duration::from_secs(10), "{what}: {took:?}");
        let all = ran.stdout + &ran.stderr;
        assert!(!all.contains("HUNTER2"), "{what}: {all}");
    }
}

#[test]
fn no_store_is_asked_without_need() {
    let team = Team::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let url = format!("http://{}/x", listener.local_addr().unwrap());
    let was_asked = || listener.accept().is_ok();
    let mut here = team.machine_without_remote("here");
    here.json(&["remote", "add", "team", &url]);
    here.json(&["search", "open store"]);
    here.json(&["refresh"]);
    assert!(!was_asked(), "remote.pull is never unless it is set");
    // With an index to start from, a store is not asked for another one.
    here.set("CODELENS_REMOTE_PULL", "auto");
    team.repo
        .git_at(&team.clone_of("here"), &["checkout", "--quiet", "feature"]);
    here.json(&["search", "open store"]);
    here.json(&["search", "open store", "--ref", "origin/main"]);
    here.json(&["remote", "list"]);
    assert!(!was_asked());
}

#[test]
fn old_indexes_go_and_those_of_branches_stay() {
    let team = Team::new();
    let there = team.machine("there");
    there.json(&["push"]);
    let clone = team.clone_of("there");
    let commit = |text: &str| {
        std::fs::write(clone.join("docs/guide.md"), text).unwrap();
        team.repo
            .git_at(&clone, &["commit", "--quiet", "-am", text]);
        there.json(&["push"]);
    };
    commit("second");
    commit("third");
    let old = SystemTime::now() - Duration::from_hours(24 * 40);
    let age = |path: &Path| {
        File::options()
            .write(true)
            .open(path)
            .unwrap()
            .set_modified(old)
            .unwrap();
    };
    let (manifests, parts) = team.objects();
    assert_eq!((manifests.len(), parts.len()), (3, 3));
    let done = there.json(&["remote", "gc"]);
    assert_eq!(
        (&done["removedIndexes"], &done["removedParts"]),
        (&0.into(), &0.into())
    );
    manifests.iter().chain(&parts).for_each(|path| age(path));
    let dry = there.json(&["remote", "gc", "--dry-run"]);
    // `main` here and `origin/main` are tips; the commit between them is none.
    assert_eq!(
        (
            &dry["removedIndexes"],
            &dry["keptIndexes"],
            &dry["removedParts"]
        ),
        (&1.into(), &2.into(), &1.into())
    );
    assert_eq!(team.objects().0.len(), 3);
    let done = there.json(&["remote", "gc", "team", "--older-than", "14"]);
    assert_eq!(
        (&done["removedIndexes"], &done["removedParts"]),
        (&1.into(), &1.into())
    );
    let (manifests, parts) = team.objects();
    assert_eq!((manifests.len(), parts.len()), (2, 2));
    // A part whose manifest is not there yet waits for a day.
    let orphan = parts[0].with_file_name("0".repeat(64));
    std::fs::write(&orphan, "x").unwrap();
    assert_eq!(there.json(&["remote", "gc"])["removedParts"], 0);
    age(&orphan);
    assert_eq!(there.json(&["remote", "gc"])["removedParts"], 1);
    assert_eq!(there.json(&["pull", "--verify"])["verifiedFiles"], 4);
    let said = there.fails(&["remote", "gc", "--older-than", "soon"], 2);
    assert!(said.contains("older-than"), "{said}");
}

#[test]
fn an_index_is_taken_from_those_who_are_trusted_alone() {
    let team = Team::new();
    let (mut there, mut here) = (team.machine("there"), team.machine("here"));
    let [ours, theirs] = [0; 2].map(|_| there.json(&["remote", "key"]));
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    assert_ne!(ours, theirs);
    here.set("CODELENS_REMOTE_TRUSTED_KEYS", text(&ours["publicKey"]));
    let store = team.store.clone();
    let pushed_with = |there: &mut Cli, key: String| {
        std::fs::remove_dir_all(&store).unwrap();
        there.set("CODELENS_SIGNING_KEY", key);
        there.json(&["push"]);
    };
    let unsigned = "not signed by a key of remote.trusted_keys";
    there.json(&["push"]);
    assert!(here.fails(&["pull"], 1).contains(unsigned));
    pushed_with(&mut there, text(&theirs["privateKey"]));
    assert!(here.fails(&["pull"], 1).contains(unsigned));
    assert_eq!(here.index_files(), Vec::<PathBuf>::new());
    pushed_with(&mut there, text(&ours["privateKey"]));
    assert_eq!(here.json(&["pull"])["status"], "taken");
    // Whoever trusts all takes a signed one too.
    assert_eq!(team.machine("other").json(&["pull"])["status"], "taken");
    // A question is answered without those that are not trusted.
    pushed_with(&mut there, text(&theirs["privateKey"]));
    let mut asking = Cli::new(team.clone_of("here"));
    asking.json(&[
        "remote",
        "add",
        "team",
        &format!("file://{}", team.store.display()),
    ]);
    asking
        .set("CODELENS_REMOTE_PULL", "auto")
        .set("CODELENS_REMOTE_TRUSTED_KEYS", text(&ours["publicKey"]));
    let answer = asking.json(&["search", "open store"]);
    let note = answer["note"].as_str().unwrap_or_default();
    assert!(
        answer["freshness"] == "fresh" && note.contains(unsigned),
        "{answer}"
    );
    for key in ["hunter2", &"z".repeat(64), "é"] {
        there.set("CODELENS_SIGNING_KEY", key);
        let said = there.fails(&["push", "--ref", "origin/feature"], 1);
        assert!(
            said.contains("CODELENS_SIGNING_KEY is no key") && !said.contains(key),
            "{said}"
        );
        here.set("CODELENS_REMOTE_TRUSTED_KEYS", key);
        let said = here.fails(&["pull", "--verify"], 1);
        assert!(said.contains("an invalid key"), "{said}");
    }
}
