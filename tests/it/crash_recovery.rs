//! Recovery after a process was killed, from damaged files, and while git is at work.

use std::path::{Path, PathBuf};

use codelens::git::Repo as GitRepo;
use codelens::model::{Budget, FreshnessState, RepoPath, UnknownReason};
use codelens::reconcile;
use codelens::store::{Home, Index, Pointer, RepoHome};
use serde_json::json;

use crate::support::{Cli, Fixture, Repo};

fn shop() -> (Repo, Cli) {
    let repo = Fixture::load("shop").build();
    let cli = Cli::new(repo.path());
    cli.json(&["refresh"]);
    (repo, cli)
}

/// Returns the part of the data directory that belongs to the repository, and the current build.
fn current(repo: &Repo, cli: &Cli) -> (RepoHome, Pointer) {
    let git = GitRepo::discover(&repo.path()).unwrap();
    let home = Home::at(&cli.home(), &[]).unwrap().repo(&git.repo_id());
    let index_id = cli.json(&["current"])["indexId"].clone();
    let pointer = home.pointer(index_id.as_str().unwrap()).unwrap();
    (home, pointer)
}

fn builds(home: &RepoHome) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(home.dir()).unwrap();
    let mut found: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    found.retain(|path| path.extension().is_some_and(|end| end == "db"));
    found
}

#[test]
fn a_killed_call_that_owes_links_leaves_nothing_fresh() {
    let (repo, cli) = shop();
    let (home, pointer) = current(&repo, &cli);
    let git = GitRepo::discover(&repo.path()).unwrap();
    let mut index = Index::open(&home, pointer).unwrap();
    let budget = Budget::unlimited(std::sync::Arc::default());
    let say = |index: &Index| {
        let found = reconcile::detect(&git, index, &budget).unwrap();
        reconcile::inspect(&git, found, &budget, UnknownReason::Busy)
            .freshness
            .state
    };
    assert_eq!(say(&index), FreshnessState::Fresh);
    let mut writer = index.writer().unwrap();
    writer.set_meta("link_queue_is_stale", "1").unwrap();
    writer.commit(false).unwrap();
    assert_eq!(say(&index), FreshnessState::Unknown(UnknownReason::Busy));
    reconcile::reconcile(&git, &mut index, &budget, &|_, _| ()).unwrap();
    assert_eq!(say(&index), FreshnessState::Fresh);
}

#[test]
fn a_first_build_binds_each_file_once() {
    let (repo, cli) = shop();
    let (home, pointer) = current(&repo, &cli);
    let git = GitRepo::discover(&repo.path()).unwrap();
    let mut index = Index::create(
        &home,
        Pointer {
            build: "cccccccccccc".to_owned(),
            ..pointer
        },
    )
    .unwrap();
    let budget = Budget::unlimited(std::sync::Arc::default());
    let detection = reconcile::detect(&git, &index, &budget).unwrap();
    // A watch proves the rows, so that nothing is repaired by a second look.
    let first =
        reconcile::repair_watched(&git, &mut index, detection, &budget, &|_, _| (), &|| true);
    assert!(first.unwrap().n_indexed > 0);
    let second = reconcile::detect(&git, &index, &budget).unwrap();
    assert_eq!((second.n_queued, second.link_queue_is_stale), (0, false));
}

#[test]
fn a_file_that_moved_from_a_directory_still_to_be_listed_into_a_listed_one_is_found() {
    let (repo, cli) = shop();
    let (home, pointer) = current(&repo, &cli);
    let git = GitRepo::discover(&repo.path()).unwrap();
    let mut index = Index::open(&home, pointer).unwrap();
    let budget = Budget::unlimited(std::sync::Arc::default());
    let mut scan = git.scan(&budget).unwrap();
    let old = scan.files.pop().unwrap().path;
    let new = RepoPath::new("a-first-directory/moved.ts").unwrap();
    std::fs::create_dir(repo.path().join("a-first-directory")).unwrap();
    std::fs::rename(
        repo.path().join(old.as_str()),
        repo.path().join(new.as_str()),
    )
    .unwrap();
    // Seen in neither place: what the walk found when the directory of the new one was listed first.
    let detection = reconcile::detect_by(&git, &index, || Ok(scan)).unwrap();
    assert_eq!(detection.plan.remove, std::slice::from_ref(&old));
    let outcome = reconcile::repair(&git, &mut index, detection, &budget, &|_, _| ()).unwrap();
    assert_eq!(outcome.freshness.state, FreshnessState::Fresh);
    let read = index.read().unwrap();
    assert!(read.file(old.as_str()).unwrap().is_none());
    assert!(read.file(new.as_str()).unwrap().is_some());
}

#[test]
fn builds_that_killed_processes_left_go_and_open_ones_stay() {
    let (repo, cli) = shop();
    let (home, pointer) = current(&repo, &cli);
    let other = |build: &str| Pointer {
        build: build.to_owned(),
        ..pointer.clone()
    };
    drop(Index::create(&home, other("aaaaaaaaaaaa")).unwrap());
    let open = Index::create(&home, other("bbbbbbbbbbbb")).unwrap();
    assert_eq!(builds(&home).len(), 3);
    cli.json(&["refresh"]);
    assert_eq!(builds(&home).len(), 2);
    drop(open);
    cli.json(&["refresh", "--force"]);
    assert_eq!(builds(&home).len(), 1);
}

#[test]
fn directories_in_the_place_of_files_are_no_hindrance() {
    let (repo, cli) = shop();
    let blocked = |path: &Path| {
        drop(std::fs::remove_file(path));
        std::fs::create_dir_all(path.join("inside")).unwrap();
        let answer = cli.json(&["map"]);
        assert_eq!(answer["freshness"], "fresh", "{}", path.display());
    };
    for suffix in ["db", "db-wal", "db-shm", "open"] {
        let (home, pointer) = current(&repo, &cli);
        let name = format!("{}.{}.{suffix}", pointer.index_id, pointer.build);
        blocked(&home.dir().join(name));
    }
    let (home, pointer) = current(&repo, &cli);
    blocked(&home.write_lock(&pointer.index_id));
    repo.write("src/new-file.ts", "export const plum = 1\n");
    assert_eq!(cli.json(&["search", "plum"])["freshness"], "fresh");
}

#[test]
fn while_git_writes_a_new_head_is_answered_for_without_writing() {
    let (repo, cli) = shop();
    repo.write("src/new-file.ts", "export const plum = 1\n");
    repo.git(&["add", "--all"]);
    repo.git(&["commit", "--quiet", "--message", "plum"]);
    let home = {
        let git = GitRepo::discover(&repo.path()).unwrap();
        Home::at(&cli.home(), &[]).unwrap().repo(&git.repo_id())
    };
    let lock = repo.path().join(".git/index.lock");
    std::fs::write(&lock, "").unwrap();
    let answer = cli.json(&["map"]);
    assert_eq!(answer["freshness"], "unknown");
    assert_eq!(answer["freshnessReason"], "moved");
    assert_eq!(answer["pendingFiles"], json!(1));
    assert_ne!(answer["indexId"], json!(home.pointers()[0].index_id));
    assert_eq!((home.pointers().len(), builds(&home).len()), (1, 1));
    std::fs::remove_file(&lock).unwrap();
    let after = cli.json(&["search", "plum"]);
    assert_eq!(after["freshness"], "fresh");
    assert_eq!(after["indexId"], answer["indexId"]);
}

#[test]
fn while_git_writes_a_repository_without_an_index_is_answered_for() {
    let repo = Fixture::load("shop").build();
    let cli = Cli::new(repo.path());
    let lock = repo.path().join(".git/index.lock");
    std::fs::write(&lock, "").unwrap();
    let answer = cli.json(&["map"]);
    assert_eq!(answer["freshness"], "unknown");
    assert_eq!(answer["freshnessReason"], "moved");
    assert!(answer["pendingFiles"].as_u64().unwrap() > 3, "{answer}");
    assert_eq!(answer["files"], json!([]));
    std::fs::remove_file(&lock).unwrap();
    assert_eq!(cli.json(&["map"])["freshness"], "fresh");
}

#[test]
fn what_is_not_proved_is_compared_file_by_file() {
    let (repo, cli) = shop();
    let path = cli.json(&["map"])["files"][0]["path"].clone();
    let path = path.as_str().unwrap();
    let text = std::fs::read_to_string(repo.path().join(path)).unwrap();
    repo.write(path, format!("{text}\nexport const plum = 1\n"));
    let staleness = |budget: &str| {
        let answer = cli.json(&["map", path, "--budget-ms", budget]);
        let file = &answer["files"][0];
        (answer["freshness"].clone(), file["stale"].clone())
    };
    // Without any time nothing is looked at but what is shown.
    assert_eq!(staleness("0"), (json!("unknown"), json!(true)));
    assert_eq!(staleness("60000").0, "fresh");
}

#[test]
fn a_file_that_git_is_replacing_is_there() {
    let (repo, cli) = shop();
    let path = cli.json(&["map"])["files"][0]["path"].clone();
    let path = path.as_str().unwrap();
    let (file, lock) = (repo.path().join(path), repo.path().join(".git/index.lock"));
    let text = std::fs::read_to_string(&file).unwrap();
    for command in ["map", "related", "expand"] {
        // As git does: it takes the lock, takes the file away, writes it anew, gives the lock up.
        std::fs::write(&lock, "").unwrap();
        std::fs::remove_file(&file).unwrap();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(std::time::Duration::from_millis(300));
                std::fs::write(&file, &text).unwrap();
                std::fs::remove_file(&lock).unwrap();
            });
            cli.json(&[command, path, "--budget-ms", "60000"]);
        });
    }
    // Between the two, it is there and empty.
    std::fs::write(&lock, "").unwrap();
    std::fs::write(&file, "").unwrap();
    let answer = std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(std::time::Duration::from_millis(300));
            std::fs::write(&file, &text).unwrap();
            std::fs::remove_file(&lock).unwrap();
        });
        cli.json(&["expand", path, "--budget-ms", "60000"])
    });
    assert_ne!(answer["content"], "");
    // A lock that nobody gives up is not waited for without end.
    std::fs::write(&lock, "").unwrap();
    std::fs::remove_file(&file).unwrap();
    for command in ["map", "expand"] {
        let said = cli.fails(&[command, path], 1);
        assert!(said.contains("there is no file or directory"), "{said}");
    }
}
