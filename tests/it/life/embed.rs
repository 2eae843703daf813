//! Vectors: made once for all branches, never of two models, and only where the user configured one.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::{Cli, FakeModel, Fixture, Manner, Repo};

const SHOP: &str = "\
//- /src/store.ts
export function openStore(path: string): string { return path + '.db' }

export function closeStore(): number { return 1 }
//- /src/timer.ts
/** Sleeps until the next try. */
export function backoff(tries: number): number { return tries * 2 }
//- /README.md
# Shop

Sells things.
//- commit one
";

/// A repository with a model behind a server, which nothing was sent to yet.
fn shop() -> (Repo, Cli, FakeModel) {
    let repo = Fixture::parse(SHOP).build();
    let server = FakeModel::start();
    let mut cli = Cli::new(repo.path());
    cli.set("CODELENS_EMBED_PROVIDER", "http");
    cli.set("CODELENS_EMBED_MODEL", "small");
    cli.set("CODELENS_EMBED_URL", server.embeddings());
    (repo, cli, server)
}

fn counts(value: &Value) -> (u64, u64) {
    (
        value["have"].as_u64().unwrap(),
        value["of"].as_u64().unwrap(),
    )
}

fn last_run(cli: &Cli) -> Value {
    cli.json(&["runs"])["runs"][0].clone()
}

#[test]
fn a_build_embeds_each_text_once() {
    let (_repo, cli, server) = shop();
    let before = cli.json(&["embed", "status"]);
    assert_eq!(
        (before["state"].as_str(), counts(&before).0),
        (Some("partial"), 0)
    );
    server.take_texts();
    let built = cli.json(&["embed", "build"]);
    let (have, of) = counts(&built);
    assert!(have == of && of >= 4, "{built}");
    assert_eq!(built["embedded"], of);
    let run = last_run(&cli);
    assert_eq!(
        (&run["kind"], &run["status"]),
        (&"embed".into(), &"done".into())
    );
    assert_eq!((&run["files"], run.get("nextStep")), (&of.into(), None));
    let texts = server.take_texts();
    assert!(
        texts
            .iter()
            .any(|it| it.starts_with("backoff\n") && it.contains("Sleeps")),
        "{texts:?}"
    );
    let again = cli.json(&["embed", "build"]);
    assert_eq!(
        (again["embedded"].as_u64(), counts(&again)),
        (Some(0), (of, of))
    );
    assert_eq!(
        server.take_texts(),
        ["vector"],
        "only which model it is was asked"
    );
    let status = cli.json(&["embed", "status"]);
    assert_eq!(status["state"], "whole");
    assert_eq!(status["stored"][0]["current"], true);
    assert_eq!(status["address"], server.embeddings());
    let shown = cli.run(&["embed", "status"]).stdout;
    assert!(shown.contains("texts go to http://127.0.0.1"), "{shown}");
    let gone = cli.json(&["embed", "clear"]);
    assert_eq!(gone["removedVectors"], of);
    assert_eq!(cli.json(&["embed", "clear"])["removedVectors"], 0);
    assert_eq!(counts(&cli.json(&["embed", "status"])).0, 0);
}

#[test]
fn a_branch_embeds_the_chunks_alone_that_are_new_to_the_family() {
    let (mut repo, cli, server) = shop();
    let (_, of) = counts(&cli.json(&["embed", "build"]));
    server.take_texts();
    repo.git(&["switch", "--quiet", "--create", "feature"]);
    repo.then("//- /src/cart.ts\nexport function addToCart(item: string): string { return item }\n//- commit cart\n");
    let built = cli.json(&["embed", "build"]);
    assert_eq!(built["embedded"], 1, "{built}");
    assert_eq!(counts(&built), (of + 1, of + 1));
    let sent: Vec<String> = server
        .take_texts()
        .into_iter()
        .filter(|it| it != "vector")
        .collect();
    assert!(sent.len() == 1 && sent[0].contains("addToCart"), "{sent:?}");
    repo.git(&["switch", "--quiet", "main"]);
    assert_eq!(cli.json(&["embed", "build"])["embedded"], 0);
    // A linked work tree of the branch has them as well.
    let place = tempfile::tempdir().unwrap();
    let tree = place.path().join("tree");
    repo.git(&[
        "worktree",
        "add",
        "--quiet",
        tree.to_str().unwrap(),
        "feature",
    ]);
    let mut cli = cli;
    cli.go(&tree);
    let built = cli.json(&["embed", "build"]);
    assert_eq!(
        (built["embedded"].as_u64(), counts(&built)),
        (Some(0), (of + 1, of + 1))
    );
}

#[test]
fn a_switch_to_a_branch_a_hundred_files_away_embeds_their_new_chunks_alone() {
    let module = |n: usize, own: &str| {
        format!(
            "//- /src/m{n}.ts\nexport function open{n}() {{ return {own}; }}\n\nexport function close{n}() {{ return {n}; }}\n"
        )
    };
    let mut text: String = (0..120).map(|n| module(n, "before")).collect();
    text += "//- commit one\n";
    let mut repo = Fixture::parse(&text).build();
    let server = FakeModel::start();
    let mut cli = Cli::new(repo.path());
    cli.set("CODELENS_EMBED_PROVIDER", "http");
    cli.set("CODELENS_EMBED_MODEL", "small");
    cli.set("CODELENS_EMBED_URL", server.embeddings());
    let built = cli.json(&["embed", "build"]);
    assert_eq!(counts(&built), (240, 240), "{built}");
    repo.git(&["switch", "--quiet", "--create", "feature"]);
    let mut text: String = (0..100).map(|n| module(n, "behind")).collect();
    text += "//- commit two\n";
    repo.then(&text);
    server.take_texts();
    let built = cli.json(&["embed", "build"]);
    assert_eq!(
        (built["embedded"].as_u64(), counts(&built)),
        (Some(100), (240, 240))
    );
    let sent = server.take_texts();
    let n_sent = sent.iter().filter(|text| *text != "vector").count();
    assert!(
        n_sent == 100 && sent.iter().all(|text| !text.contains("close")),
        "{sent:?}"
    );
}

#[test]
fn equal_lengths_of_another_model_are_never_mixed() {
    let (_repo, cli, server) = shop();
    let (_, of) = counts(&cli.json(&["embed", "build"]));
    server.answer(Manner::Well { model: 2 });
    let status = cli.json(&["embed", "status"]);
    assert_eq!(counts(&status), (0, of), "{status}");
    assert_eq!(status["stored"][0]["current"], false);
    let built = cli.json(&["embed", "build"]);
    assert_eq!(built["embedded"], of, "all of them again: {built}");
    let status = cli.json(&["embed", "status"]);
    let stored = status["stored"].as_array().unwrap();
    assert_eq!(stored.len(), 2, "{status}");
    assert!(
        stored.iter().all(|model| model["vectors"] == of),
        "{status}"
    );
    // Back again: those of the first one are still there.
    server.answer(Manner::Well { model: 1 });
    assert_eq!(cli.json(&["embed", "build"])["embedded"], 0);
}

#[test]
fn bad_answers_end_a_build_with_their_reason_and_store_nothing() {
    let (_repo, mut cli, server) = shop();
    let huge = Arc::new(vec![b' '; 30 << 20]);
    for (manner, part) in [
        (Manner::Status(400), "status 400"),
        (Manner::Status(401), "refuses the key"),
        (Manner::Bytes(huge), "longer than it may be"),
        (
            Manner::Bytes(Arc::new(b"{\"data\":[{\"embedding\":[NaN]}]}".to_vec())),
            "no list of vectors",
        ),
        (Manner::one_vector_short(), "another number"),
        (Manner::one_vector_longer(), "one length"),
        (Manner::two_of_one_text(), "one text"),
    ] {
        server.answer(manner.clone());
        let said = cli.fails(&["embed", "build"], 1);
        assert!(said.contains(part), "{manner:?}: {said}");
        let status = cli.json(&["embed", "status"]);
        assert!(status["fault"].as_str().unwrap().contains(part), "{status}");
        let run = last_run(&cli);
        assert_eq!(
            (&run["kind"], &run["status"]),
            (&"embed".into(), &"failed".into())
        );
        let next = run["nextStep"].as_str().unwrap();
        assert!(next.starts_with("codelens embed build --repo "), "{run}");
    }
    cli.set("CODELENS_EMBED_TIMEOUT_MS", "200");
    server.answer(Manner::Slowly(Duration::from_secs(3)));
    let begun = Instant::now();
    let said = cli.fails(&["embed", "build"], 1);
    assert!(said.contains("in time"), "{said}");
    assert!(
        begun.elapsed() < Duration::from_secs(3),
        "{:?}",
        begun.elapsed()
    );
    server.answer(Manner::Well { model: 1 });
    let status = cli.json(&["embed", "status"]);
    assert_eq!(counts(&status).0, 0, "{status}");
}

#[test]
fn settings_that_cannot_be_used_are_told_and_stop_no_search() {
    let repo = Fixture::parse(SHOP).build();
    let mut cli = Cli::new(repo.path());
    let said = cli.fails(&["embed", "build"], 1);
    assert!(said.contains("[embed]"), "{said}");
    assert_eq!(cli.json(&["embed", "status"])["provider"], "off");
    cli.set("CODELENS_EMBED_PROVIDER", "http");
    for (model, url, key, part) in [
        ("none", "http://127.0.0.1:9/x", "none", "`model`"),
        ("small", "none", "none", "`url` is not set"),
        (
            "small",
            "https://models.example.com/x",
            "none",
            "allow_remote",
        ),
        ("small", "http://models.example.com/x", "none", "https"),
        (
            "small",
            "http://127.0.0.1:9/x?key=hunter2",
            "none",
            "key_env",
        ),
        (
            "small",
            "http://127.0.0.1:9/x",
            "NO_SUCH_VARIABLE",
            "not set",
        ),
        ("small", "http://127.0.0.1:9/x", "none", "nobody answers"),
    ] {
        cli.set("CODELENS_EMBED_MODEL", model);
        cli.set("CODELENS_EMBED_URL", url);
        cli.set("CODELENS_EMBED_KEY_ENV", key);
        let said = cli.fails(&["embed", "build"], 1);
        assert!(
            said.contains(part) && !said.contains("hunter2"),
            "{url}: {said}"
        );
        let status = cli.run(&["embed", "status"]);
        assert!(
            status.code == 0 && !status.stdout.contains("hunter2"),
            "{status:?}"
        );
        assert_eq!(cli.json(&["search", "openStore"])["freshness"], "fresh");
    }
    // Nothing of this can come from the repository.
    repo.write(
        ".codelens.toml",
        "[embed]\nprovider = \"http\"\nurl = \"http://127.0.0.1:9/x\"\n",
    );
    let cli = Cli::new(repo.path());
    assert_eq!(cli.json(&["embed", "status"])["provider"], "off");
    let settings = cli.run(&["config", "show"]);
    assert!(settings.stdout.contains("embed"), "{settings:?}");
}

#[test]
fn vectors_of_text_that_no_index_holds_are_pruned() {
    let (mut repo, mut cli, _server) = shop();
    cli.set("CODELENS_HOUSEKEEPING", "off");
    let (_, of) = counts(&cli.json(&["embed", "build"]));
    repo.git(&["switch", "--quiet", "--create", "feature"]);
    repo.then("//- /src/cart.ts\nexport function addToCart(item: string): string { return item }\n//- commit cart\n");
    cli.json(&["embed", "build"]);
    repo.git(&["switch", "--quiet", "main"]);
    // Both indexes are there, so every vector is held.
    let status = cli.json(&["embed", "status"]);
    assert_eq!(status["unused"], 0, "{status}");
    let pruned = cli.json(&["prune"]);
    assert!(pruned["deletedVectors"].is_null(), "{pruned}");
    // An edit leaves the vector of the text before it behind, a deleted branch those of its own texts.
    repo.write(
        "src/store.ts",
        "export function openStore(): number { return 7 }\n",
    );
    cli.json(&["embed", "build"]);
    let edited = cli.json(&["embed", "status"])["unused"].as_u64().unwrap();
    assert_eq!(
        edited, 0,
        "the index of the branch holds the text before the edit"
    );
    repo.git(&["branch", "--quiet", "-D", "feature"]);
    let used = |cli: &Cli| {
        let stats = cli.json(&["stats"]);
        let indexes = stats["indexes"].as_array().unwrap();
        let times = indexes.iter().map(|index| index["lastUsedAt"].clone());
        times.collect::<Vec<_>>()
    };
    let before = used(&cli);
    let planned = cli.json(&["prune", "--dry-run"]);
    assert_eq!(
        used(&cli)[1..],
        before[1..],
        "to look is no use of an index"
    );
    let n = planned["deletedVectors"].as_u64().unwrap();
    assert!(n >= 2, "{planned}");
    assert_eq!(
        cli.json(&["embed", "status"])["unused"],
        0,
        "a dry run removes nothing"
    );
    let pruned = cli.run(&["prune"]).stdout;
    let said = format!("removed 1 index and {n} vectors of text that no index holds");
    assert!(pruned.contains(&said), "{pruned}");
    let status = cli.json(&["embed", "status"]);
    assert_eq!(status["unused"], 0);
    let (have, now) = counts(&status);
    assert_eq!(
        (have, status["stored"][0]["vectors"].as_u64()),
        (now, Some(now)),
        "{status}"
    );
    assert!(now < of + 1);
    repo.write("src/store.ts", "export function again() { return 8 }\n");
    cli.json(&["refresh"]);
    let said = cli.run(&["embed", "status"]).stdout;
    assert!(
        said.contains("that no index holds any more; `codelens prune` removes them"),
        "{said}"
    );
    // The hourly look takes them along.
    std::fs::remove_file(cli.home().join("housekeeping")).unwrap();
    cli.set("CODELENS_HOUSEKEEPING", "on");
    cli.json(&["refresh"]);
    assert_eq!(cli.json(&["embed", "status"])["unused"], 0);
}

#[test]
fn vectors_stay_where_an_index_cannot_be_read() {
    let (repo, mut cli, _server) = shop();
    cli.set("CODELENS_HOUSEKEEPING", "off");
    cli.json(&["embed", "build"]);
    repo.git(&["switch", "--quiet", "--create", "feature"]);
    repo.write("src/store.ts", "export function other() { return 7 }\n");
    cli.json(&["refresh"]);
    let files = cli.index_files();
    let databases = files
        .iter()
        .filter(|path| path.extension().is_some_and(|it| it == "db"));
    let main = databases.min_by_key(|path| std::fs::metadata(path).unwrap().modified().unwrap());
    std::fs::write(main.unwrap(), vec![7; 9_000]).unwrap();
    let pruned = cli.json(&["prune"]);
    assert!(pruned["deletedVectors"].is_null(), "{pruned}");
    assert!(cli.json(&["embed", "status"])["unused"].is_null());
}

/// Returns the finding of a check of `doctor`, and whether it passed; `None` where it is not made.
fn check(cli: &Cli, name: &str) -> Option<(String, bool)> {
    let ran = cli.run(&["doctor", "--json"]);
    let value: Value = serde_json::from_str(&ran.stdout).unwrap();
    let checks = value["checks"].as_array().unwrap();
    let found = checks.iter().find(|check| check["name"] == name)?;
    let detail = found["detail"].as_str().unwrap().to_owned();
    Some((detail, found["ok"] == true))
}

#[test]
fn doctor_asks_each_model_once_and_tells_its_vectors() {
    let repo = Fixture::parse(SHOP).build();
    let server = FakeModel::start();
    let mut cli = Cli::new(repo.path());
    cli.set("CODELENS_EMBED_URL", server.embeddings());
    cli.set("CODELENS_EMBED_MODEL", "small");
    cli.set("CODELENS_RERANK_URL", server.rerank());
    cli.set("CODELENS_RERANK_MODEL", "order");
    cli.set("CODELENS_RERANK_TIMEOUT_MS", "5000");
    cli.json(&["refresh"]);
    for name in ["embed", "vectors", "rerank"] {
        assert_eq!(check(&cli, name), None);
    }
    assert!(cli.json(&["stats"])["vectors"].is_null());
    assert_eq!(server.take_requests(), 0);
    cli.set("CODELENS_EMBED_PROVIDER", "http");
    cli.set("CODELENS_RERANK_PROVIDER", "http");
    let (said, ok) = check(&cli, "embed").unwrap();
    assert!(
        ok && said.contains("of 64 components; identity ") && said.contains("127.0.0.1"),
        "{said}"
    );
    assert_eq!(server.take_requests(), 2);
    assert!(check(&cli, "vectors").unwrap().0.contains("none yet"));
    // The server puts the last one first.
    let (order, ok) = check(&cli, "rerank").unwrap();
    assert!(
        ok && order.contains("answers, but put a text before"),
        "{order}"
    );
    let built = counts(&cli.json(&["embed", "build"]));
    server.take_requests();
    let stats = cli.json(&["stats"]);
    let vectors = &stats["vectors"];
    assert_eq!(
        (vectors["model"].as_str(), counts(vectors)),
        (Some("small"), built)
    );
    assert!(vectors["bytes"].as_u64().unwrap() > 0);
    assert_eq!(server.take_requests(), 0, "counts are of what is stored");
    let shown = cli.run(&["stats"]).stdout;
    assert!(shown.contains("chunks, by small"), "{shown}");
    let (said, ok) = check(&cli, "vectors").unwrap();
    assert!(ok && said == format!("{} of small", built.1), "{said}");
    // Another model under the same name is another identity.
    server.answer(Manner::Well { model: 2 });
    assert_ne!(check(&cli, "embed").unwrap().0, check_of(&cli, &server, 1));
    server.answer(Manner::Well { model: 2 });
    let (said, ok) = check(&cli, "vectors").unwrap();
    assert!(
        ok && said.starts_with(&format!("0 of small; {} of other models", built.1)),
        "{said}"
    );
    for manner in [Manner::Status(500), Manner::Bytes(Arc::new(b"{}".to_vec()))] {
        server.answer(manner);
        assert!(!check(&cli, "embed").unwrap().1);
        assert!(!check(&cli, "rerank").unwrap().1);
        let (said, ok) = check(&cli, "vectors").unwrap();
        assert!(ok && said.contains("not known now"), "{said}");
    }
    // A damaged file of vectors.
    let file = std::fs::read_dir(cli.home().join("vectors"))
        .unwrap()
        .next();
    std::fs::write(file.unwrap().unwrap().path(), vec![7; 9_000]).unwrap();
    let (said, ok) = check(&cli, "vectors").unwrap();
    assert!(!ok && said.contains("cannot be read"), "{said}");
    server.answer(Manner::Well { model: 1 });
    cli.json(&["embed", "build"]);
    assert!(check(&cli, "vectors").unwrap().1);
    // Without a model kept vectors are told, and nothing is sent.
    cli.set("CODELENS_EMBED_PROVIDER", "off");
    server.take_requests();
    assert!(
        check(&cli, "vectors")
            .unwrap()
            .0
            .contains("no model is set")
    );
    assert!(check(&cli, "embed").is_none());
    assert_eq!(
        server.take_requests(),
        2,
        "the order of results was checked twice"
    );
}

/// Returns the finding of `embed` while a model of this number answers.
fn check_of(cli: &Cli, server: &FakeModel, model: u64) -> String {
    server.answer(Manner::Well { model });
    check(cli, "embed").unwrap().0
}
