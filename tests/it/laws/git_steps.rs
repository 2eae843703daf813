//! Random steps of a person who works with git.
//!
//! Files and git alone: no index is asked.

use crate::support::Dice;
use crate::support::{Fixture, Repo};

/// Kinds of repositories that the walks begin in.
pub(crate) const GROUNDS: [&str; 5] = ["plain", "sha256", "shallow", "submodule", "plain"];

/// Returns a repository of a kind, with a few branches and linked work trees to come.
pub(crate) fn ground(kind: &str) -> Repo {
    let base = "//- /src/f1.ts\nexport const a1 = 1;\n//- /package.json\n{\"name\":\"walk\"}\n//- commit base\n\
                //- /lib/f2.ts\nimport { a1 } from '../src/f1'\nexport function two() { return a1 }\n//- commit more\n//- git branch b0\n";
    let repo = if kind == "sha256" {
        let repo = Repo::new(Vec::new());
        std::fs::remove_dir_all(repo.path().join(".git")).unwrap();
        repo.git(&["init", "--quiet", "--object-format=sha256"]);
        let mut repo = repo;
        repo.then(base);
        repo
    } else {
        Fixture::parse(base).build()
    };
    match kind {
        "shallow" => {
            let from = format!("file://{}", repo.path().display());
            let clone = repo.dir.path().join("shallow");
            let to = clone.to_string_lossy().into_owned();
            repo.git(&[
                "clone",
                "--quiet",
                "--depth",
                "1",
                "--no-single-branch",
                &from,
                &to,
            ]);
            std::fs::remove_dir_all(repo.path()).unwrap();
            std::fs::rename(clone, repo.path()).unwrap();
        }
        "submodule" => {
            let source = repo.dir.path().join("source");
            let to = source.to_string_lossy().into_owned();
            repo.git(&["clone", "--quiet", ".", &to]);
            repo.git(&["submodule", "--quiet", "add", &to, "vendor/sub"]);
            repo.git(&["commit", "--quiet", "--message", "submodule"]);
        }
        _ => {}
    }
    repo.git(&["config", "filter.shout.clean", "tr a-z A-Z"]);
    repo.git(&["config", "filter.shout.smudge", "tr A-Z a-z"]);
    repo
}

/// Does one step with git and returns its description.
pub(crate) fn step(repo: &Repo, dice: &mut Dice, n: usize) -> String {
    let branch = format!("b{}", dice.below(4));
    let other = format!("b{}", dice.below(4));
    let file = *dice.pick(&["src/f1.ts", "lib/f2.ts", "package.json", "src/index.ts"]);
    match dice.below(34) {
        0 => git(repo, &["add", "-A"]),
        1..=3 => commit(repo, &["commit", "-qam", "work"]),
        4 => commit(repo, &["commit", "-q", "--amend", "-am", "again"]),
        5 => git(repo, &["checkout", "-q", "-f", &branch]),
        6 => git(repo, &["checkout", "-q", "-B", &branch]),
        7 => git(repo, &["switch", "-q", "-c", &format!("n{n}")]),
        8 => git(repo, &["reset", "-q", "--hard", "HEAD~1"]),
        9 => {
            let how = *dice.pick(&["--soft", "--mixed"]);
            git(repo, &["reset", "-q", how, "HEAD~1"])
        }
        10 => git(repo, &["stash", "-q", "-u"]),
        11 => git(repo, &["stash", "pop", "-q"]),
        12 => git(repo, &["merge", "-q", "--no-edit", "-X", "theirs", &branch]),
        13 => git(repo, &["merge", "-q", "--no-edit", &branch]),
        14 => git(repo, &["checkout", "-q", "--detach", "HEAD~1"]),
        15 => git(repo, &["rebase", "-q", "-X", "theirs", &branch]),
        // Stops where there is a conflict, and stays stopped until some later step.
        16 => git(repo, &["rebase", "-q", &branch]),
        17 => git(repo, &["rebase", "--abort"]),
        18 => git(repo, &["cherry-pick", &branch]),
        19 => git(repo, &["clean", "-fdq"]),
        20 => git(repo, &["branch", "-M", &branch, &other]),
        21 => git(repo, &["branch", "-D", &branch]),
        22 => git(repo, &["checkout", "-q", "--orphan", &format!("o{n}")]),
        23 => bisect(repo, dice),
        24 | 25 => worktree(repo, dice, n),
        26 => submodule(repo, dice),
        27 => {
            let dir = *dice.pick(&["src", "lib"]);
            git(repo, &["sparse-checkout", "set", dir])
        }
        28 => git(repo, &["sparse-checkout", "disable"]),
        29 => {
            let bit = *dice.pick(&["--skip-worktree", "--no-skip-worktree"]);
            git(repo, &["update-index", bit, file])
        }
        30 => {
            let bit = *dice.pick(&["--assume-unchanged", "--no-assume-unchanged"]);
            git(repo, &["update-index", bit, file])
        }
        31 => git(repo, &["gc", "-q", "--prune=now"]),
        32 => git(repo, &["repack", "-adq"]),
        _ => git(repo, &["rm", "-q", "--cached", file]),
    }
}

/// Switches to some branch, by one command, whatever is not committed.
pub(crate) fn switch(repo: &Repo, dice: &mut Dice) -> String {
    git(
        repo,
        &["checkout", "-q", "-f", &format!("b{}", dice.below(4))],
    )
}

fn bisect(repo: &Repo, dice: &mut Dice) -> String {
    let how: [&[&str]; 4] = [
        &["bisect", "start", "HEAD", "HEAD~2"],
        &["bisect", "good"],
        &["bisect", "bad"],
        &["bisect", "reset"],
    ];
    git(repo, how[dice.below(how.len())])
}

/// The folder of the linked work tree that a number stands for.
pub(crate) fn linked(repo: &Repo, n: usize) -> std::path::PathBuf {
    repo.dir.path().join(format!("linked{}", n % 2))
}

fn worktree(repo: &Repo, dice: &mut Dice, n: usize) -> String {
    let place = linked(repo, n).to_string_lossy().into_owned();
    let other = linked(repo, n + 1).to_string_lossy().into_owned();
    match dice.below(5) {
        0 | 1 => git(repo, &["worktree", "add", "-q", "--detach", &place]),
        2 => git(repo, &["worktree", "move", &place, &other]),
        3 => git(repo, &["worktree", "lock", &place]),
        _ => git(repo, &["worktree", "remove", "-f", "-f", &place]),
    }
}

fn submodule(repo: &Repo, dice: &mut Dice) -> String {
    if !repo.path().join("vendor/sub/.git").exists() {
        return git(repo, &["submodule", "--quiet", "update", "--init"]);
    }
    let to = *dice.pick(&["HEAD~1", "origin/HEAD"]);
    git(
        repo,
        &["-C", "vendor/sub", "checkout", "-q", "--detach", to],
    )
}

fn commit(repo: &Repo, args: &[&str]) -> String {
    git(repo, &["add", "-A"]);
    git(repo, args)
}

fn git(repo: &Repo, args: &[&str]) -> String {
    let done = repo.try_git(args);
    // What a conflict stopped is given up in every second case; else it stays for the next steps.
    if !done && args.join(" ").len().is_multiple_of(2) {
        for what in ["rebase", "merge", "cherry-pick"] {
            repo.try_git(&[what, "--abort"]);
        }
    }
    format!("git {} -> {done}", args.join(" "))
}
