//! Which indexes go, which stay, and the bytes that the file system gets back.

use std::path::Path;

use serde_json::{Value, json};

use crate::cli_and_mcp::Session;
use crate::support::{Cli, Fixture, Repo, walk};

pub(super) const BASE: &str = "\
//- /a.ts
export function a() {}
//- commit one
//- branch feature
//- /b.ts
export function b() {}
//- commit two
//- checkout main
";

/// Returns a repository on `main` with an indexed branch `feature`, and a command line whose data
/// directory is looked after only when asked.
pub(super) fn two_branches() -> (Repo, Cli) {
    let mut repo = Fixture::parse(BASE).build();
    let cli = quiet(&repo);
    repo.then("//- checkout feature\n");
    cli.json(&["refresh"]);
    repo.then("//- checkout main\n");
    cli.json(&["refresh"]);
    (repo, cli)
}

pub(super) fn quiet(repo: &Repo) -> Cli {
    let mut cli = Cli::new(repo.path());
    cli.set("CODELENS_HOUSEKEEPING", "off");
    cli
}

/// Returns the branches that have an index, sorted; `-` for a detached head.
pub(super) fn branches(cli: &Cli) -> Vec<String> {
    let stats = cli.json(&["stats"]);
    let indexes = stats["indexes"].as_array().unwrap().iter();
    let mut names: Vec<String> = indexes
        .map(|index| index["branch"].as_str().unwrap_or("-").to_owned())
        .collect();
    names.sort();
    names
}

pub(super) fn reasons(pruned: &Value) -> Vec<(String, String)> {
    let deleted = pruned["deletedIndexes"].as_array().unwrap().iter();
    let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
    let mut found: Vec<_> = deleted
        .map(|index| (text(&index["branch"]), text(&index["reason"])))
        .collect();
    found.sort();
    found
}

/// Returns the allocated bytes of every file below a folder.
fn room(dir: &Path) -> u64 {
    use std::os::unix::fs::MetadataExt as _;
    let entries = std::fs::read_dir(dir).unwrap();
    entries
        .map(|entry| {
            let entry = entry.unwrap();
            let meta = entry.metadata().unwrap();
            if meta.is_dir() {
                room(&entry.path())
            } else {
                meta.blocks() * 512
            }
        })
        .sum()
}

/// Dates `HEAD`'s log of today: the commits of a fixture are of long ago.
pub(super) fn date_log(repo: &Repo) {
    let path = repo.path().join(".git/logs/HEAD");
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let now = now.unwrap().as_secs();
    let dated: Vec<String> = std::fs::read_to_string(&path)
        .unwrap()
        .lines()
        .map(|line| {
            let (who, rest) = line.split_once("> ").unwrap();
            let (_, what) = rest.split_once(' ').unwrap();
            format!("{who}> {now} {what}\n")
        })
        .collect();
    std::fs::write(path, dated.concat()).unwrap();
}

pub(super) fn pairs(wanted: &[(&str, &str)]) -> Vec<(String, String)> {
    wanted
        .iter()
        .map(|(a, b)| ((*a).to_owned(), (*b).to_owned()))
        .collect()
}

#[test]
fn a_deleted_branch_takes_its_index_along() {
    let (repo, cli) = two_branches();
    assert_eq!(cli.json(&["prune"])["total"], 0, "both branches live");
    repo.git(&["branch", "--quiet", "-D", "feature"]);
    let planned = cli.json(&["prune", "--dry-run"]);
    assert_eq!(reasons(&planned), pairs(&[("feature", "gone")]));
    assert_eq!(
        branches(&cli),
        ["feature", "main"],
        "a dry run removes nothing"
    );
    let before = room(&cli.home());
    let pruned = cli.json(&["prune"]);
    assert_eq!(pruned["deletedIndexes"], planned["deletedIndexes"]);
    assert_eq!(
        pruned["bytesFreed"],
        before - room(&cli.home()),
        "to the byte"
    );
    assert_eq!(branches(&cli), ["main"]);
    assert_eq!(cli.json(&["current"])["status"], "ready");
}

#[test]
fn a_branch_known_to_a_remote_is_alive() {
    let (repo, cli) = two_branches();
    let tip = repo.git(&["rev-parse", "feature"]);
    repo.git(&["update-ref", "refs/remotes/origin/feature", tip.trim()]);
    repo.git(&["branch", "--quiet", "-D", "feature"]);
    assert_eq!(cli.json(&["prune"])["total"], 0);
    repo.git(&["update-ref", "-d", "refs/remotes/origin/feature"]);
    assert_eq!(cli.json(&["prune"])["total"], 1);
}

#[test]
fn of_the_commits_that_a_branch_left_the_latest_stay() {
    let mut repo = Fixture::parse(BASE).build();
    let cli = quiet(&repo);
    for n in 0..5 {
        repo.then(&format!(
            "//- /a.ts\nexport function a{n}() {{}}\n//- commit c{n}\n"
        ));
        cli.json(&["refresh"]);
    }
    date_log(&repo);
    let pruned = cli.json(&["prune"]);
    assert_eq!(
        reasons(&pruned),
        pairs(&[("main", "superseded"), ("main", "superseded")])
    );
    let kept = cli.json(&["stats"]);
    let heads: Vec<&str> = kept["indexes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|index| index["headSha"].as_str().unwrap())
        .collect();
    assert_eq!(heads.len(), 3);
    // Which of the others is third depends on which one the last was copied from.
    assert!(heads.contains(&repo.commit("c4")) && heads.contains(&repo.commit("c3")));
    // What no log leads back to goes, too.
    repo.git(&["reflog", "expire", "--expire=now", "--all"]);
    assert_eq!(cli.json(&["prune"])["total"], 2);
}

#[test]
fn a_removed_work_tree_takes_its_indexes_along_and_a_missing_one_does_not() {
    let (repo, mut cli) = two_branches();
    let linked = repo.dir.path().join("linked");
    repo.git(&[
        "worktree",
        "add",
        "--quiet",
        linked.to_str().unwrap(),
        "feature",
    ]);
    cli.go(&linked).json(&["refresh"]);
    cli.go(repo.path());
    assert_eq!(
        cli.json(&["prune"])["total"],
        0,
        "what is checked out elsewhere is active"
    );
    let aside = repo.dir.path().join("aside");
    std::fs::rename(&linked, &aside).unwrap();
    assert_eq!(
        cli.json(&["prune"])["total"],
        0,
        "a path that is missing is no evidence"
    );
    std::fs::rename(&aside, &linked).unwrap();
    repo.git(&["worktree", "remove", "--force", linked.to_str().unwrap()]);
    assert_eq!(
        reasons(&cli.json(&["prune"])),
        pairs(&[("feature", "gone")])
    );
    assert_eq!(branches(&cli), ["feature", "main"]);
}

#[test]
fn a_deleted_repository_takes_all_along_but_what_was_saved() {
    let (gone, mut cli) = two_branches();
    cli.json(&["save", "work", "--path", "a.ts"]);
    let other = Fixture::parse(BASE).build();
    cli.go(other.path()).json(&["refresh"]);
    let path = gone.path();
    let hidden = gone.dir.path().join("hidden");
    std::fs::rename(&path, &hidden).unwrap();
    let planned = cli.json(&["prune", "--dry-run"]);
    assert_eq!(
        reasons(&planned),
        pairs(&[("feature", "gone"), ("main", "gone")])
    );
    // A record of another device is a disk that is not there now.
    let records = records(&cli.home());
    let record = records.iter().find(|record| {
        std::fs::read_to_string(record)
            .unwrap()
            .contains(path.to_str().unwrap())
    });
    let text = std::fs::read_to_string(record.unwrap()).unwrap();
    let mut value: Value = serde_json::from_str(&text).unwrap();
    value["device"] = 1.into();
    std::fs::write(record.unwrap(), value.to_string()).unwrap();
    assert_eq!(
        cli.json(&["prune"])["total"],
        0,
        "an unmounted disk is no deleted repository"
    );
    std::fs::write(record.unwrap(), &text).unwrap();
    assert_eq!(cli.json(&["prune"])["total"], 2);
    std::fs::rename(&hidden, &path).unwrap();
    cli.go(&path);
    assert_eq!(cli.json(&["load", "work"])["items"][0]["state"], "same");
}

fn records(home: &Path) -> Vec<std::path::PathBuf> {
    let repos = std::fs::read_dir(home.join("repos")).unwrap();
    repos
        .map(|repo| repo.unwrap().path().join("repo.json"))
        .collect()
}

#[test]
fn the_quota_takes_what_was_used_longest_ago_and_never_what_is_active_or_pinned() {
    let (mut repo, cli) = two_branches();
    repo.then("//- branch third\n//- /c.ts\nexport function c() {}\n//- commit three\n");
    cli.json(&["save", "kept", "--path", "c.ts", "--pinned"]);
    repo.then("//- checkout main\n");
    cli.json(&["refresh"]);
    let pruned = cli.json(&["prune", "--max-bytes", "0"]);
    assert_eq!(reasons(&pruned), pairs(&[("feature", "quota")]));
    assert_eq!(branches(&cli), ["main", "third"]);
    let stats = cli.json(&["stats"]);
    for index in stats["indexes"].as_array().unwrap() {
        assert_eq!(index["pinned"], index["branch"] == "third", "{index}");
    }
    cli.json(&["context", "rm", "kept"]);
    assert_eq!(
        reasons(&cli.json(&["prune", "--max-bytes", "0"])),
        pairs(&[("third", "quota")])
    );
}

#[test]
fn the_unused_go_after_their_time() {
    let (_repo, cli) = two_branches();
    assert_eq!(cli.json(&["prune", "--older-than-days", "1"])["total"], 0);
    unused_for(&cli, 20);
    assert_eq!(
        reasons(&cli.json(&["prune"])),
        pairs(&[("feature", "unused")])
    );
}

/// Makes all indexes look as if they were last used so many days ago.
fn unused_for(cli: &Cli, days: u64) {
    for path in walk(&cli.home()) {
        if path.extension().is_some_and(|end| end == "open") {
            let old = std::time::SystemTime::now() - std::time::Duration::from_hours(24 * days);
            std::fs::File::options()
                .write(true)
                .open(&path)
                .unwrap()
                .set_modified(old)
                .unwrap();
        }
    }
}

/// The commits that have an index which was made for them, not for a checkout; sorted.
fn commits(cli: &Cli) -> Vec<String> {
    let stats = cli.json(&["stats"]);
    let indexes = stats["indexes"].as_array().unwrap().iter();
    let mut found: Vec<String> = indexes
        .filter(|index| index["worktree"] == "commit")
        .map(|index| index["headSha"].as_str().unwrap().to_owned())
        .collect();
    found.sort();
    found
}

/// Three branches of two commits each, `main` checked out.
fn three_branches() -> Repo {
    Fixture::parse(
        "//- /a.ts\nexport function a() {}\n//- commit one\n\
         //- git branch release\n//- git branch topic\n//- /a.ts\nexport function b() {}\n//- commit two\n\
         //- git checkout -q release\n//- /a.ts\nexport function c() {}\n//- commit three\n\
         //- git checkout -q topic\n//- /a.ts\nexport function d() {}\n//- commit four\n//- git checkout -q main\n",
    )
    .build()
}

#[test]
fn indexes_of_commits_go_earlier_unless_a_branch_points_to_them() {
    let repo = three_branches();
    let cli = quiet(&repo);
    cli.json(&["refresh"]);
    for name in ["main~1", "release", "topic"] {
        cli.json(&["map", "--ref", name]);
    }
    let sha = |name: &str| repo.git(&["rev-parse", name]).trim().to_owned();
    let mut all = vec![sha("main~1"), sha("release"), sha("topic")];
    all.sort();
    assert_eq!(commits(&cli), all);
    let listed = cli.json(&["list"]);
    assert_eq!(listed["repositories"][0]["commitIndexes"], 3, "{listed}");
    unused_for(&cli, 2);
    assert_eq!(cli.json(&["prune"])["total"], 0);
    unused_for(&cli, 4);
    assert_eq!(reasons(&cli.json(&["prune"])), pairs(&[("-", "unused")]));
    let mut tips = vec![sha("release"), sha("topic")];
    tips.sort();
    assert_eq!(commits(&cli), tips);
    repo.git(&["branch", "-D", "topic"]);
    assert_eq!(reasons(&cli.json(&["prune"])), pairs(&[("-", "unused")]));
    unused_for(&cli, 20);
    let gone = cli.json(&["prune"]);
    assert_eq!(reasons(&gone), pairs(&[("-", "unused")]));
    assert!(commits(&cli).is_empty());
    let id = cli.json(&["refresh", "--ref", "main~1"])["indexId"].clone();
    let dropped = cli.json(&["drop", "--index-id", id.as_str().unwrap()]);
    assert_eq!(dropped["deleted"], true);
    assert!(commits(&cli).is_empty());
}

#[test]
fn a_job_of_a_pull_request_keeps_its_base_and_head() {
    let repo = three_branches();
    let sha = |name: &str| repo.git(&["rev-parse", name]).trim().to_owned();
    for (variables, kept) in [
        (&[][..], vec!["main"]),
        (&[("GITHUB_BASE_REF", "release")], vec!["main", "release"]),
        (
            &[("GITHUB_BASE_REF", "release"), ("GITHUB_HEAD_REF", "topic")],
            vec!["main", "release", "topic"],
        ),
        (
            &[("CI_MERGE_REQUEST_TARGET_BRANCH_NAME", "topic")],
            vec!["main", "topic"],
        ),
        (&[("GITHUB_BASE_REF", "no-such-branch")], vec!["main"]),
        (&[("GITHUB_BASE_REF", "")], vec!["main"]),
    ] {
        let mut cli = quiet(&repo);
        repo.git(&["checkout", "-q", "--detach", "main~1"]);
        cli.json(&["refresh"]);
        for name in ["main", "release", "topic"] {
            cli.json(&["map", "--ref", name]);
        }
        for (name, value) in variables {
            cli.set(name, *value);
        }
        cli.json(&["prune", "--ci"]);
        let mut kept: Vec<String> = kept.into_iter().map(sha).collect();
        kept.sort();
        assert_eq!(commits(&cli), kept, "{variables:?}");
    }
}

#[test]
fn an_index_is_dropped_unless_it_is_needed() {
    let (mut repo, cli) = two_branches();
    let code = |args: &[&str]| {
        let said = cli.fails(&[args, &["--json"]].concat(), 1);
        let error: Value = serde_json::from_str(&said).unwrap();
        error["error"]["code"].as_str().unwrap().to_owned()
    };
    assert_eq!(code(&["drop", "--branch", "main"]), "refused");
    assert_eq!(code(&["drop", "--branch", "none"]), "index_missing");
    assert_eq!(code(&["drop"]), "invalid_argument");
    let before = room(&cli.home());
    let dropped = cli.json(&["drop", "--branch", "feature"]);
    assert_eq!(dropped["bytesFreed"], before - room(&cli.home()));
    assert_eq!(branches(&cli), ["main"]);
    repo.then("//- checkout feature\n");
    cli.json(&["save", "kept", "--path", "b.ts", "--pinned"]);
    repo.then("//- checkout main\n");
    assert_eq!(code(&["drop", "--branch", "feature"]), "refused", "pinned");
}

#[test]
fn the_index_of_a_commit_is_dropped_by_its_name() {
    let (repo, cli) = two_branches();
    let commit = repo.git(&["commit-tree", "feature^{tree}", "-m", "released"]);
    repo.git(&["tag", "v1.0", commit.trim()]);
    let told = |args: &[&str]| cli.fails(&[&["drop"], args].concat(), 1);
    for (args, part) in [
        (
            &["--ref", "v1.0"][..],
            "no index was made of `v1.0` with `--ref`",
        ),
        (&["--ref", "v1.1"], "did you mean `v1.0`"),
        (&["--ref", ""], "the name of the commit is empty"),
        (&["--ref", "-q"], "no name of a commit"),
        (&["--ref", "main..v1.0"], "several commits"),
        (&["--ref", &"x".repeat(100_000)], "no name of a commit"),
        (&["--index-id", ""], "there is no index ``"),
        (
            &["--index-id", &"x".repeat(100_000)],
            "there is no index `xxx",
        ),
    ] {
        let said = told(args);
        assert!(
            said.contains(part) && said.len() < 1_500,
            "{args:?}: {said}"
        );
    }
    cli.json(&["map", "--ref", "v1.0"]);
    let before = branches(&cli).len();
    cli.json(&["drop", "--ref", "v1.0"]);
    assert_eq!(branches(&cli).len(), before - 1);
    assert!(branches(&cli).contains(&"feature".to_owned()));
    assert!(told(&["--ref", "v1.0"]).contains("no index was made"));
    let mut session = Session::of(cli.command(&["serve"]));
    for (at, wrong) in [
        json!({}),
        json!({"ref": 5}),
        json!({"ref": ["main"]}),
        json!({"branch": "main", "ref": "main"}),
        json!({"indexId": 7}),
    ]
    .iter()
    .enumerate()
    {
        let params = json!({"name": "cl_drop", "arguments": wrong});
        let answer = session.ask(at as u64 + 1, "tools/call", &params);
        assert!(
            answer.to_string().contains("invalid_argument"),
            "{wrong}: {answer}"
        );
    }
}

#[test]
fn what_a_server_has_open_stays() {
    let (repo, cli) = two_branches();
    let mark = walk(&cli.home())
        .into_iter()
        .filter(|path| path.extension().is_some_and(|end| end == "open"));
    let held: Vec<std::fs::File> = mark
        .map(|path| {
            let file = std::fs::File::open(path).unwrap();
            file.lock_shared().unwrap();
            file
        })
        .collect();
    repo.git(&["branch", "--quiet", "-D", "feature"]);
    let pruned = cli.json(&["prune"]);
    assert_eq!(
        (&pruned["total"], &pruned["skipped"]),
        (&0.into(), &1.into())
    );
    let said = cli.fails(&["drop", "--branch", "feature"], 1);
    assert!(said.contains("in use"), "{said}");
    drop(held);
    assert_eq!(cli.json(&["prune"])["total"], 1);
}

#[test]
fn what_is_not_ours_is_left_alone() {
    let (_repo, cli) = two_branches();
    let strange = cli.home().join("repos").join("notes.txt");
    std::fs::write(&strange, "mine").unwrap();
    cli.json(&["prune", "--max-bytes", "0", "--older-than-days", "0"]);
    assert_eq!(std::fs::read_to_string(&strange).unwrap(), "mine");
}
