//! `ref`: questions about a commit that is not checked out.

use serde_json::{Value, json};

use crate::cli_and_mcp::Session;
use crate::support::{Cli, Fixture, Repo};

/// Removes what tells which index an answer came from.
fn said(mut answer: Value) -> Value {
    let fields = answer.as_object_mut().unwrap();
    for of_the_index in [
        "indexId",
        "generation",
        "nextCursor",
        "ref",
        "headSha",
        "proof",
    ] {
        fields.remove(of_the_index);
    }
    answer
}

const QUESTIONS: &[&[&str]] = &[
    &["search", "price", "-n", "20", "--related"],
    &[
        "search",
        "cart total discount",
        "-n",
        "20",
        "--snippet",
        "full",
        "--explain",
    ],
    &["explore", "place an order", "--related-depth", "2"],
    &["map", "--all"],
    &["map", "packages/catalog/src/money.ts"],
    &["impact", "addMoney", "--depth", "3"],
    &["impact", "--path", "packages/catalog/src/product-store.ts"],
    &["related", "packages/catalog/src/index.ts", "--depth", "3"],
    &[
        "expand",
        "packages/catalog/src/money.ts",
        "--start-line",
        "3",
        "--end-line",
        "9",
    ],
];

#[test]
fn commit_equals_checkout_in_every_answer() {
    let repo = Fixture::load("shop").build();
    let elsewhere = Cli::new(repo.path());
    for commit in ["v1.0.0", "feature/discounts", "v1.1.0"] {
        let dir = repo.dir.path().join(commit.replace('/', "-"));
        repo.git(&[
            "worktree",
            "add",
            "-q",
            "--detach",
            &dir.to_string_lossy(),
            commit,
        ]);
        let there = Cli::new(&dir);
        for question in QUESTIONS {
            let at = [question, &["--ref", commit][..]].concat();
            let (found, wanted) = (elsewhere.json(&at), there.json(question));
            assert_eq!(found["ref"], commit);
            let sha = repo.git(&["rev-parse", &format!("{commit}^{{commit}}")]);
            assert_eq!(found["headSha"], sha.trim());
            if question[0] != "expand" {
                assert_eq!(found["freshness"], "fresh", "{found}");
                assert_eq!(found["proof"], "commit", "{found}");
            }
            assert_eq!(said(found), said(wanted), "{commit}: {question:?}");
        }
    }
}

fn two_branches() -> Repo {
    let mut repo = Fixture::parse(
        "//- /src/store.ts\nexport function openStore() { return 1; }\n\
         //- /src/main.ts\nimport { openStore } from './store';\nopenStore();\n//- commit base\n\
         //- git tag -a -m x v1\n//- branch feature\n\
         //- /src/store.ts\n// moved down\n\nexport function openStore() { return 2; }\nexport function closeStore() {}\n\
         //- commit second\n//- checkout main\n",
    )
    .build();
    repo.then("//- /src/other.ts\nexport const other = 1;\n//- commit other\n");
    repo
}

#[test]
fn the_index_of_a_clean_checkout_is_used_as_it_is() {
    let repo = two_branches();
    let cli = Cli::new(repo.path());
    let own = cli.json(&["refresh"])["indexId"].clone();
    let asked = cli.json(&["search", "openStore", "--ref", "main"]);
    assert_eq!(asked["indexId"], own);
    assert_eq!(
        (&asked["proof"], &asked["freshness"]),
        (&json!("commit"), &json!("fresh"))
    );
    assert_eq!(cli.json(&["stats"])["totalIndexes"], 1);
    // An edit makes it another thing than the commit; what is asked stays the commit.
    repo.write("src/store.ts", "export function edited() {}\n");
    assert_eq!(
        cli.json(&["search", "edited"])["results"][0]["symbol"],
        "edited"
    );
    let asked = cli.json(&["search", "openStore", "--ref", "main"]);
    assert_ne!(asked["indexId"], own);
    assert_eq!(asked["results"][0]["symbol"], "openStore");
    let preview = asked["results"][0]["preview"].as_str().unwrap();
    assert!(preview.contains("return 1"), "{preview}");
    assert_eq!(cli.json(&["search", "edited", "--ref", "main"])["count"], 0);
    let text = cli.json(&["expand", "src/store.ts", "--ref", "main"]);
    assert_eq!(
        text["content"],
        "export function openStore() { return 1; }\n"
    );
}

#[test]
fn a_handle_of_one_branch_is_asked_on_another() {
    let repo = two_branches();
    let cli = Cli::new(repo.path());
    let handle = |of: &Value| of["results"][0]["handle"].as_str().unwrap().to_owned();
    let here = handle(&cli.json(&["search", "openStore"]));
    let there = cli.json(&["expand", "--handle", &here, "--ref", "feature"]);
    assert_eq!(there["startLine"], 3);
    assert!(there["content"].as_str().unwrap().contains("return 2"));
    let new = handle(&cli.json(&["search", "closeStore", "--ref", "feature"]));
    let refused = cli.fails(&["expand", "--handle", &new], 1);
    assert!(refused.contains("handle"), "{refused}");
    let old = cli.json(&["expand", "--handle", &here, "--ref", "v1"]);
    assert_eq!(old["startLine"], 1);
    let impact = cli.json(&["impact", "openStore", "--ref", "HEAD~1"]);
    assert_eq!(
        impact["affectedFiles"][0]["path"], "src/main.ts",
        "{impact}"
    );
}

#[test]
fn what_is_no_name_of_one_commit_is_refused() {
    let repo = two_branches();
    repo.git(&["tag", "blob", "HEAD:src/main.ts"]);
    repo.git(&["update-ref", "refs/remotes/origin/feature-login", "HEAD"]);
    let cli = Cli::new(repo.path());
    let before = cli.json(&["stats"])["totalIndexes"].clone();
    for (name, part) in [
        ("", "the name of the commit is empty"),
        ("  ", "no name of a commit"),
        ("-q", "no name of a commit"),
        ("--all", "no name of a commit"),
        ("main..feature", "names several commits"),
        ("main...feature", "names several commits"),
        ("^main", "names several commits"),
        ("HEAD^!", "names several commits"),
        ("HEAD^@", "names several commits"),
        (":/base", "a search or a path"),
        ("HEAD^{/base}", "a search or a path"),
        ("HEAD:src/main.ts", "a search or a path"),
        ("blob", "no commit"),
        (
            "HEAD~99999999999999999999",
            "no branch, tag or commit is named",
        ),
        ("HEAD~9", "no branch, tag or commit is named"),
        (
            "refs/heads/../../config",
            "is a search or a path, and no name",
        ),
        ("nothing-like-it", "no branch, tag or commit is named"),
        ("mian", "did you mean `main`"),
        ("feature-logn", "did you mean `origin/feature-login`"),
        ("ma\u{1}in", "no name of a commit"),
        (&"x".repeat(100_000), "no name of a commit"),
    ] {
        let option = format!("--ref={name}");
        for command in [&["search", "x"][..], &["current"], &["refresh"], &["map"]] {
            let told = cli.fails(&[command, &[option.as_str()][..]].concat(), 1);
            assert!(told.contains(part), "{name:?}: {told}");
            assert!(told.len() < 1_500, "{name:?}: {told}");
        }
    }
    let told = cli.fails(&["impact", "--changes", "--ref", "main"], 1);
    assert!(told.contains("exclude one another"), "{told}");
    assert_eq!(cli.json(&["stats"])["totalIndexes"], before);
    let mut session = Session::of(cli.command(&["serve"]));
    for (at, wrong) in [json!(5), json!(["main"]), json!({}), json!(true)]
        .iter()
        .enumerate()
    {
        let params = json!({"name": "cl_search", "arguments": {"query": "x", "ref": wrong}});
        let answer = session.ask(at as u64 + 1, "tools/call", &params);
        let text = answer["result"]["content"][0]["text"].as_str().unwrap();
        assert!(text.contains("invalid_argument"), "{wrong}: {text}");
    }
    let params = json!({"name": "cl_stats", "arguments": {"ref": "main"}});
    let answer = session.ask(9, "tools/call", &params);
    assert!(
        answer.to_string().contains("unknown field `ref`"),
        "{answer}"
    );
}

#[test]
fn digits_that_several_commits_begin_with_are_refused() {
    let repo = Fixture::parse("//- /a.ts\nexport const a = 1;\n//- commit base\n").build();
    let mut seen = std::collections::BTreeMap::new();
    // The first two commits of four equal digits: of 65,536 beginnings that takes some three hundred.
    let pair = (0..5_000).find_map(|n| {
        let tree = "HEAD^{tree}";
        let commit = repo.git(&["commit-tree", tree, "-m", &n.to_string()]);
        let commit = commit.trim().to_owned();
        let digits = commit[..4].to_owned();
        seen.insert(digits, commit.clone())
            .map(|other| (other, commit))
    });
    let (one, _) = pair.unwrap();
    let cli = Cli::new(repo.path());
    let told = cli.fails(&["map", "--ref", &one[..4]], 1);
    assert!(told.contains("several objects"), "{told}");
    assert_eq!(cli.json(&["map", "--ref", &one[..12]])["fileCount"], 1);
}

#[test]
fn a_bare_repository_is_asked_about_its_head() {
    let repo = two_branches();
    let bare = repo.dir.path().join("mirror.git");
    repo.git(&["clone", "-q", "--mirror", ".", &bare.to_string_lossy()]);
    let cli = Cli::new(&bare);
    let current = cli.json(&["current"]);
    assert_eq!(current["bare"], true, "{current}");
    assert_eq!(current["branch"], "main");
    assert_eq!(current["status"], "missing");
    let found = cli.json(&["search", "other"]);
    assert_eq!(found["results"][0]["path"], "src/other.ts", "{found}");
    assert_eq!(
        (&found["ref"], &found["freshness"]),
        (&json!("HEAD"), &json!("fresh"))
    );
    assert_eq!(cli.json(&["current"])["status"], "ready");
    let there = cli.json(&["search", "closeStore", "--ref", "feature"]);
    assert_eq!(there["results"][0]["line"], 4, "{there}");
    let text = cli.json(&["expand", "src/main.ts"]);
    assert!(text["content"].as_str().unwrap().contains("openStore()"));
    cli.json(&["related", "src/main.ts"]);
    cli.json(&["impact", "openStore"]);
    cli.json(&["doctor"]);
    cli.json(&["stats"]);
    cli.json(&["prune", "--dry-run"]);
    assert!(cli.fails(&["impact", "--changes"], 1).contains("bare"));
    // A push moves HEAD: the next answer is about the new commit.
    repo.write("src/other.ts", "export const replaced = 1;\n");
    repo.git(&["commit", "-qam", "replaced"]);
    repo.git(&["push", "-q", &bare.to_string_lossy(), "main"]);
    assert_eq!(cli.json(&["search", "replaced"])["count"], 1);
    assert_eq!(
        cli.json(&["stats"])["totalIndexes"],
        3,
        "two of HEAD, one of a branch"
    );
}

/// Takes the bytes of a file of a commit out of the object store.
fn lose(repo: &Repo, name: &str) {
    let id = repo.git(&["rev-parse", name]);
    let (dir, rest) = id.trim().split_at(2);
    let path = repo.path().join(".git/objects").join(dir).join(rest);
    std::fs::remove_file(path).unwrap();
}

#[test]
fn bytes_that_are_not_in_the_clone_make_an_answer_partial() {
    let repo = two_branches();
    lose(&repo, "feature:src/store.ts");
    let cli = Cli::new(repo.path());
    for _ in 0..2 {
        let found = cli.json(&["search", "openStore", "--ref", "feature"]);
        assert_eq!(found["freshness"], "partial", "{found}");
        assert_eq!(found["pendingFiles"], 1, "{found}");
        let note = found["note"].as_str().unwrap();
        assert!(note.contains("not in this clone"), "{note}");
        // The other file is read, and says what it can.
        assert_eq!(found["results"][0]["path"], "src/main.ts", "{found}");
    }
    let told = cli.fails(&["map", "src/store.ts", "--ref", "feature"], 1);
    assert!(told.contains("git fetch --refetch"), "{told}");
    let told = cli.fails(&["expand", "src/store.ts", "--ref", "feature"], 1);
    assert!(told.contains("git fetch --refetch"), "{told}");
    let told = cli.run(&["refresh", "--ref", "feature"]).stdout;
    assert!(told.contains("brings the missing blobs"), "{told}");
    let done = cli.json(&["refresh", "--ref", "feature"]);
    assert_eq!(done["status"], "partial", "{done}");
    assert_eq!(done["skippedByReason"]["missingBlob"], 1, "{done}");
    // Another call has fetched them meanwhile.
    repo.git(&["checkout", "-q", "--detach", "HEAD"]);
    repo.write(
        "again.ts",
        "// moved down\n\nexport function openStore() { return 2; }\nexport function closeStore() {}\n",
    );
    repo.git(&["hash-object", "-w", "again.ts"]);
    std::fs::remove_file(repo.path().join("again.ts")).unwrap();
    let found = cli.json(&["search", "closeStore", "--ref", "feature"]);
    assert_eq!(found["freshness"], "fresh", "{found}");
    assert_eq!(found["results"][0]["path"], "src/store.ts");
}

#[test]
fn links_and_submodules_of_a_commit_are_not_entered() {
    let repo = two_branches();
    let sub = format!("160000,{},vendor", "1".repeat(40));
    repo.git(&["update-index", "--add", "--cacheinfo", &sub]);
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("src/main.ts", repo.path().join("link.ts")).unwrap();
        std::os::unix::fs::symlink("/etc", repo.path().join("etc")).unwrap();
    }
    repo.git(&["add", "link.ts", "etc"]);
    repo.git(&["commit", "-q", "-m", "odd"]);
    repo.git(&["checkout", "-q", "-f", "feature"]);
    let cli = Cli::new(repo.path());
    let done = cli.json(&["refresh", "--ref", "main"]);
    assert_eq!(done["skippedByReason"]["symlink"], 2, "{done}");
    assert_eq!(done["skippedByReason"]["nestedRepository"], 1, "{done}");
    for (path, part) in [
        ("link.ts", "symlink"),
        ("vendor", "a repository of its own: ask there"),
        ("etc/passwd", "no file or directory"),
        (".git/config", "not a path inside"),
        ("src/closed.ts", "no file or directory"),
    ] {
        let told = cli.fails(&["map", path, "--ref", "main"], 1);
        assert!(told.contains(part), "{path}: {told}");
        cli.fails(&["expand", path, "--ref", "main"], 1);
    }
}

/// Stores a tree of one entry and returns its name.
fn tree_of(repo: &Repo, entry: &str) -> String {
    let draft = repo.dir.path().join("tree");
    std::fs::write(&draft, entry).unwrap();
    let made = std::process::Command::new("git")
        .arg("-C")
        .arg(repo.path())
        .args(["mktree", "-z"])
        .stdin(std::fs::File::open(&draft).unwrap())
        .output()
        .unwrap();
    String::from_utf8(made.stdout).unwrap().trim().to_owned()
}

#[test]
fn a_tree_without_end_ends_with_the_budget() {
    let repo = two_branches();
    let blob = repo.git(&["rev-parse", "HEAD:src/main.ts"]);
    let mut tree = tree_of(&repo, &format!("100644 blob {}\ta.ts\0", blob.trim()));
    // Ten to the ninth files in ten objects.
    for _ in 0..9 {
        let entries = (0..10).map(|n| format!("040000 tree {tree}\td{n}\0"));
        tree = tree_of(&repo, &entries.collect::<String>());
    }
    let commit = repo.git(&["commit-tree", &tree, "-m", "bomb"]);
    repo.git(&["branch", "bomb", commit.trim()]);
    let cli = Cli::new(repo.path());
    let found = cli.json(&["search", "x", "--ref", "bomb", "--budget-ms", "300"]);
    assert_eq!(found["freshness"], "unknown", "{found}");
    assert_eq!(found["freshnessReason"], "budget", "{found}");
}

#[test]
fn paths_are_those_of_the_commit_wherever_the_caller_stands() {
    let mut repo = two_branches();
    repo.then("//- checkout feature\n//- /packages/core/src/deep.ts\nexport const deep = 1;\n//- commit deep\n//- checkout main\n");
    std::fs::create_dir_all(repo.path().join("packages/core")).unwrap();
    let cli = Cli::new(repo.path().join("packages/core"));
    let found = cli.json(&["map", "src/deep.ts", "--ref", "feature"]);
    assert_eq!(found["files"][0]["path"], "packages/core/src/deep.ts");
    let found = cli.json(&["map", "src/store.ts", "--ref", "feature"]);
    assert_eq!(found["files"][0]["path"], "src/store.ts");
    let told = cli.fails(&["map", "src/dep.ts", "--ref", "feature"], 1);
    assert!(told.contains("did you mean"), "{told}");
}
