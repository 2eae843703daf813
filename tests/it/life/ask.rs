//! `codelens ask`: excerpts without a model, and no sentence that cites none of them.

use std::sync::Arc;
use std::time::Duration;

use crate::support::{Cli, FakeModel, Fixture, Manner, Repo};

const SHOP: &str = "\
//- /src/store.ts
/** Opens the store of a shop. */
export function openStore(path: string): string { return path + '.db' }
//- /src/keys.ts
export const key = 'ghp_0123456789abcdefghijABCDEFGHIJ012345' // of the store
//- commit one
";

/// A shop, and a server whose model writes answers about it.
fn shop_with_writer() -> (Repo, Cli, FakeModel) {
    let repo = Fixture::parse(SHOP).build();
    let server = FakeModel::start();
    let mut cli = Cli::new(repo.path());
    cli.set("CODELENS_ANSWER_PROVIDER", "http");
    cli.set("CODELENS_ANSWER_MODEL", "writer");
    cli.set("CODELENS_ANSWER_URL", server.chat());
    (repo, cli, server)
}

#[test]
fn without_a_model_the_excerpts_are_the_answer() {
    let repo = Fixture::parse(SHOP).build();
    let cli = Cli::new(repo.path());
    let value = cli.json(&["ask", "how is the store opened"]);
    assert_eq!(value["model"], "none");
    assert!(value["answer"].is_null(), "{value}");
    let first = &value["excerpts"][0];
    assert_eq!(
        (first["number"].as_u64(), first["path"].as_str()),
        (Some(1), Some("src/store.ts"))
    );
    let shown = cli.run(&["ask", "how is the store opened"]);
    assert_eq!(shown.code, 0);
    assert!(shown.stdout.contains("no model configured"), "{shown:?}");
    assert!(
        shown.stdout.contains("[1] src/store.ts:1-2 openStore"),
        "{shown:?}"
    );
    let nothing = cli.run(&["ask", "zebra"]);
    assert_eq!(nothing.code, 0, "{nothing:?}");
    assert!(cli.fails(&["ask", ""], 1).contains("empty"));
    assert_eq!(cli.run(&["ask"]).code, 2);
    assert_eq!(cli.run(&["ask", "store", "--budget", "soon"]).code, 2);
    assert_eq!(cli.run(&["ask", "store", "--budget", "99999999"]).code, 2);
    let huge = "store ".repeat(20_000);
    assert_eq!(cli.run(&["ask", &huge]).code, 0);
}

#[test]
fn sentences_without_a_true_citation_are_gone_and_counted() {
    let (_repo, cli, server) = shop_with_writer();
    let value = cli.json(&["ask", "how is the store opened"]);
    let sentences = value["answer"]["sentences"].as_array().unwrap();
    assert_eq!(sentences.len(), 1, "{value}");
    assert_eq!(sentences[0], "The store is opened by openStore [1].");
    assert_eq!(value["answer"]["dropped"], 2);
    let sent = server.take_texts().join("\n");
    assert!(
        sent.contains("[1] src/store.ts:") && sent.contains("how is the store opened"),
        "{sent}"
    );
    assert!(!sent.contains("ghp_0123"), "a key is masked: {sent}");
    let shown = cli.run(&["ask", "how is the store opened"]).stdout;
    assert!(
        shown.starts_with("The store is opened by openStore [1].\n2 sentences left out"),
        "{shown}"
    );
    // Nothing is asked about nothing.
    server.take_requests();
    let nothing = cli.json(&["ask", "zebra"]);
    assert_eq!(
        (
            nothing["answer"]["sentences"].as_array().unwrap().len(),
            server.take_requests()
        ),
        (0, 0)
    );
}

#[test]
fn a_model_that_fails_leaves_the_excerpts() {
    let (_repo, mut cli, server) = shop_with_writer();
    cli.set("CODELENS_ANSWER_TIMEOUT_MS", "200");
    for (manner, part) in [
        (Manner::Slowly(Duration::from_secs(3)), "in time"),
        (Manner::Status(429), "busy"),
        (Manner::Bytes(Arc::new(b"{}".to_vec())), "no message"),
        (Manner::Bytes(Arc::new(vec![b' '; 10 << 20])), "longer"),
    ] {
        server.answer(manner);
        let value = cli.json(&["ask", "how is the store opened"]);
        assert!(value["fault"].as_str().unwrap().contains(part), "{value}");
        assert_eq!(value["excerpts"][0]["path"], "src/store.ts");
    }
    cli.set("CODELENS_ANSWER_URL", "https://models.example.com/x");
    let value = cli.json(&["ask", "how is the store opened"]);
    assert!(
        value["fault"].as_str().unwrap().contains("allow_remote"),
        "{value}"
    );
}
