//! Repositories whose git directory is broken, lies, or asks for something to be run.

use std::path::Path;
use std::process::Command;

use serde_json::json;

use super::calls::{OUTSIDE, call, every_tool, outside};
use crate::support::{Cli, Repo};

fn small() -> Repo {
    let mut repo = Repo::new(Vec::new());
    repo.then(
        "//- /a.ts\nexport function alpha() { return 1 }\n//- /b.ts\nimport { alpha } from './a'\nalpha()\n//- commit one\n\
         //- /a.ts\nexport function alpha() { return 2 }\n//- commit two\n//- /b.ts\nalpha()\n",
    );
    repo
}

fn config(repo: &Repo, text: &str) {
    let path = repo.path().join(".git/config");
    let before = std::fs::read_to_string(&path).unwrap();
    std::fs::write(path, before + text).unwrap();
}

/// Calls every tool; whatever `.git` is, they end.
fn ends(repo: &Repo) -> Cli {
    let cli = Cli::new(repo.path());
    every_tool(&cli, &["a.ts", "b.ts"]);
    cli
}

#[test]
fn nothing_that_a_repository_configures_is_run() {
    let repo = small();
    let ran = repo.dir.path().join("ran");
    let script = repo.dir.path().join("script");
    std::fs::write(
        &script,
        format!("#!/bin/sh\necho \"$0 $*\" >> '{}'\ncat\n", ran.display()),
    )
    .unwrap();
    Command::new("chmod")
        .arg("+x")
        .arg(&script)
        .status()
        .unwrap();
    let script = script.display();
    let hooks = repo.dir.path().join("hooks");
    std::fs::create_dir(&hooks).unwrap();
    for hook in [
        "post-index-change",
        "post-checkout",
        "fsmonitor-watchman",
        "reference-transaction",
        "pre-auto-gc",
    ] {
        std::fs::copy(repo.dir.path().join("script"), hooks.join(hook)).unwrap();
        std::fs::copy(
            repo.dir.path().join("script"),
            repo.path().join(".git/hooks").join(hook),
        )
        .unwrap();
    }
    config(
        &repo,
        &format!(
            "[core]\n\tfsmonitor = {script}\n\thooksPath = {}\n\tpager = {script}\n\teditor = {script}\n\tsshCommand = {script}\n\
             \taskPass = {script}\n\tgitProxy = {script}\n\talternateRefsCommand = {script}\n\
             [filter \"x\"]\n\tclean = {script}\n\tsmudge = {script}\n\tprocess = {script}\n\trequired\n\
             [diff]\n\texternal = {script}\n[diff \"x\"]\n\ttextconv = {script}\n\tcommand = {script}\n\
             [merge \"x\"]\n\tdriver = {script}\n[credential]\n\thelper = !{script}\n[gpg]\n\tprogram = {script}\n\
             [remote \"origin\"]\n\turl = ext::{script}\n\tuploadpack = {script}\n\tpromisor = true\n\
             [extensions]\n\tpartialClone = origin\n[uploadpack]\n\tpackObjectsHook = {script}\n[alias]\n\tstatus = !{script}\n",
            hooks.display(),
        ),
    );
    repo.write(".gitattributes", "* filter=x diff=x merge=x\n");
    repo.write("a.ts", "export function alpha() { return 3 }\n");
    let cli = ends(&repo);
    assert_eq!(call(&cli, &["search", "alpha"])["freshness"], "fresh");
    assert!(!ran.exists(), "{}", std::fs::read_to_string(&ran).unwrap());
}

#[test]
fn a_git_file_that_leads_nowhere_or_to_itself_is_an_error() {
    let repo = Repo::new(Vec::new());
    repo.write("a.ts", "export function alpha() {}\n");
    let dot_git = repo.path().join(".git");
    std::fs::remove_dir_all(&dot_git).unwrap();
    for text in [
        "gitdir: /nowhere/at/all",
        "gitdir: .git",
        "gitdir: .",
        "gitdir: ../repo/.git",
        "gitdir: /dev/zero",
        "gitdir:",
        "",
        "\0\0\0",
        "gitdir: a\nb\nc",
    ] {
        std::fs::write(&dot_git, text).unwrap();
        let cli = ends(&repo);
        assert!(
            call(&cli, &["search", "alpha"])["error"]["code"].is_string(),
            "{text:?}"
        );
    }
    std::fs::write(&dot_git, "gitdir: ".to_owned() + &"x/".repeat(1 << 20)).unwrap();
    ends(&repo);
    std::fs::remove_file(&dot_git).unwrap();
    for target in [".git", "other", "/dev/zero", "/"] {
        std::os::unix::fs::symlink(target, &dot_git).unwrap();
        ends(&repo);
        std::fs::remove_file(&dot_git).unwrap();
    }
    Command::new("mkfifo").arg(&dot_git).status().unwrap();
    ends(&repo);
}

/// A kind of damage, and the function that does it to a file.
type Way = (&'static str, fn(&Path));

#[test]
fn damaged_and_missing_objects_cost_history_at_most() {
    let files = |repo: &Repo| {
        let listed = Command::new("find")
            .arg(repo.path().join(".git/objects"))
            .args(["-type", "f"])
            .output()
            .unwrap();
        let text = String::from_utf8(listed.stdout).unwrap();
        text.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let ways: &[Way] = &[
        ("cut", |path| {
            std::fs::write(path, &std::fs::read(path).unwrap()[..3]).unwrap();
        }),
        ("empty", |path| std::fs::write(path, "").unwrap()),
        ("other bytes", |path| {
            std::fs::write(path, [0x78, 0x9c, 0xff, 0, 1, 2, 3]).unwrap();
        }),
        ("gone", |path| std::fs::remove_file(path).unwrap()),
        ("a pipe", |path| {
            std::fs::remove_file(path).unwrap();
            Command::new("mkfifo").arg(path).status().unwrap();
        }),
    ];
    for (way, damage) in ways {
        let repo = small();
        for file in files(&repo) {
            let path = Path::new(&file);
            Command::new("chmod").arg("u+w").arg(path).status().unwrap();
            damage(path);
        }
        let cli = ends(&repo);
        let found = call(&cli, &["search", "alpha"]);
        // The files are on the disk: they are found, or the error says what is wrong with git's data.
        let is_found = found["results"]
            .as_array()
            .is_some_and(|results| !results.is_empty());
        assert!(
            is_found || found["error"]["code"] == "git",
            "{way}: {found}"
        );
    }
}

#[test]
fn alternates_grafts_and_replaced_objects_end() {
    let repo = small();
    let info = repo.path().join(".git/objects/info");
    std::fs::create_dir_all(&info).unwrap();
    for text in [
        "../objects\n",
        "/nowhere\n",
        "/dev\n/\n",
        ".\n..\n../../objects\n",
        "\"quoted\\777\n\0\n",
        "/dev/zero\n",
    ] {
        std::fs::write(info.join("alternates"), text).unwrap();
        ends(&repo);
    }
    std::fs::remove_file(info.join("alternates")).unwrap();
    let (one, two) = (repo.commit("one").to_owned(), repo.commit("two").to_owned());
    // A history that goes in a circle.
    std::fs::create_dir_all(repo.path().join(".git/info")).unwrap();
    std::fs::write(
        repo.path().join(".git/info/grafts"),
        format!("{one} {two}\n{two} {one}\n"),
    )
    .unwrap();
    let replace = repo.path().join(".git/refs/replace");
    std::fs::create_dir_all(&replace).unwrap();
    std::fs::write(replace.join(&one), format!("{two}\n")).unwrap();
    std::fs::write(replace.join(&two), format!("{one}\n")).unwrap();
    let cli = ends(&repo);
    let found = call(&cli, &["search", "alpha"]);
    assert_eq!(found["freshness"], "fresh", "{found}");
}

#[test]
fn special_files_in_the_place_of_git_s_own_do_not_hang() {
    for name in [
        "HEAD",
        "index",
        "config",
        "packed-refs",
        "info/exclude",
        "refs/heads/main",
        "shallow",
        "commondir",
        "config.worktree",
    ] {
        for make in ["pipe", "zero", "loop", "directory"] {
            let repo = small();
            let path = repo.path().join(".git").join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            drop(std::fs::remove_file(&path));
            match make {
                "pipe" => drop(Command::new("mkfifo").arg(&path).status().unwrap()),
                "zero" => std::os::unix::fs::symlink("/dev/zero", &path).unwrap(),
                "loop" => std::os::unix::fs::symlink(path.file_name().unwrap(), &path).unwrap(),
                _ => std::fs::create_dir_all(&path).unwrap(),
            }
            let cli = Cli::new(repo.path());
            call(&cli, &["search", "alpha"]);
            call(&cli, &["current"]);
        }
    }
}

#[test]
fn a_configuration_makes_no_work_tree_of_another_directory() {
    let repo = small();
    let outside = outside(&repo);
    for worktree in [
        outside.display().to_string(),
        "../../outside".into(),
        "../..".into(),
        "/".into(),
    ] {
        repo.git(&["config", "core.worktree", &worktree]);
        let cli = ends(&repo);
        let found = call(&cli, &["search", OUTSIDE]);
        assert!(
            found["error"]["code"].is_string() || found["count"] == 0,
            "{worktree}: {found}"
        );
        assert!(
            found["results"].as_array().is_none_or(Vec::is_empty),
            "{worktree}: {found}"
        );
    }
    repo.git(&["config", "core.worktree", ".."]);
    let cli = ends(&repo);
    assert_eq!(call(&cli, &["search", "alpha"])["freshness"], "fresh");
}

#[test]
fn a_configuration_that_takes_in_others_ends() {
    for include in [
        "/dev/zero",
        "config",
        "../../pipe",
        "/proc/self/mem",
        "~/../..",
        "/",
    ] {
        let repo = small();
        Command::new("mkfifo")
            .arg(repo.dir.path().join("pipe"))
            .status()
            .unwrap();
        config(
            &repo,
            &format!(
                "[include]\n\tpath = {include}\n[includeIf \"gitdir:/\"]\n\tpath = {include}\n"
            ),
        );
        let cli = Cli::new(repo.path());
        call(&cli, &["search", "alpha"]);
        call(&cli, &["current"]);
    }
    let repo = small();
    config(
        &repo,
        "[core]\n\texcludesFile = /dev/zero\n\tattributesFile = /dev/zero\n\tabbrev = -1\n\tbigFileThreshold = 99999999999999999999\n",
    );
    ends(&repo);
}

#[test]
fn a_repository_without_commits_or_without_a_work_tree_is_answered_for() {
    let repo = Repo::new(Vec::new());
    let cli = Cli::new(repo.path());
    let built = every_tool(&cli, &["a.ts"]);
    assert_eq!(built["totalFiles"], json!(0), "{built}");
    let bare = repo.dir.path().join("bare.git");
    repo.git(&["init", "--quiet", "--bare", bare.to_str().unwrap()]);
    let cli = Cli::new(&bare);
    every_tool(&cli, &["HEAD"]);
    let nothing = call(&cli, &["search", "alpha"]);
    assert_eq!(nothing["count"], 0, "{nothing}");
}

#[test]
fn a_git_directory_with_another_name_inside_the_work_tree_stays_closed() {
    let repo = Repo::new(Vec::new());
    let path = repo.path();
    std::fs::remove_dir_all(path.join(".git")).unwrap();
    std::fs::create_dir(path.join("kept")).unwrap();
    repo.git(&[
        "init",
        "--quiet",
        "--separate-git-dir",
        path.join("kept/here").to_str().unwrap(),
    ]);
    repo.write("a.ts", "export function alpha() {}\n");
    std::fs::write(path.join("kept/here/description"), OUTSIDE).unwrap();
    std::os::unix::fs::symlink("kept/here", path.join("link")).unwrap();
    let cli = Cli::new(&path);
    let built = every_tool(&cli, &["a.ts"]);
    assert_eq!(built["totalFiles"], 1, "{built}");
    for inside in [
        "kept/here/description",
        "kept/here/config",
        "link/description",
        "kept/./here//HEAD",
    ] {
        let answer = call(&cli, &["expand", inside]);
        assert_eq!(
            answer["error"]["code"], "outside_repo",
            "{inside}: {answer}"
        );
    }
}
