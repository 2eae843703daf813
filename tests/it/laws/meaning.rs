//! Search by meaning: never of two models, and never in the way of an answer.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::{Cli, FakeModel, Fixture, Manner, Repo};

const SHOP: &str = "\
//- /src/store.ts
export function openStore(path: string): string { return path + '.db' }

export function closeStore(): number { return 1 }
//- /src/timer.ts
/** Sleep until the next try, longer each time. */
export function backoff(tries: number): number { return tries * 2 }
//- /src/cart.ts
export function addToCart(item: string): string { return item }
//- commit one
";

/// A question in other words than the code's: the fake model takes `throttle` and `pause` for `sleep`.
const OTHER_WORDS: &str = "throttle pause requests politely";

/// A repository with a model that counts.
fn shop() -> (Repo, Cli, FakeModel) {
    let repo = Fixture::parse(SHOP).build();
    let server = FakeModel::start();
    let mut cli = Cli::new(repo.path());
    cli.set("CODELENS_EMBED_PROVIDER", "http");
    cli.set("CODELENS_EMBED_MODEL", "small");
    cli.set("CODELENS_EMBED_URL", server.embeddings());
    cli.set("CODELENS_EMBED_WEIGHT", "1");
    (repo, cli, server)
}

/// An answer without its parts that differ from call to call, and without `ranking`.
fn order(answer: &Value) -> Value {
    let mut answer = answer.clone();
    for field in ["ranking", "generation", "nextCursor", "proof"] {
        answer.as_object_mut().unwrap().remove(field);
    }
    answer
}

fn without_model(cli: &mut Cli) -> Value {
    cli.set("CODELENS_EMBED_PROVIDER", "off");
    let answer = cli.json(&["search", OTHER_WORDS]);
    cli.set("CODELENS_EMBED_PROVIDER", "http");
    assert!(answer["ranking"].is_null(), "{answer}");
    order(&answer)
}

#[test]
fn meaning_finds_code_in_other_words_once_every_chunk_has_a_vector() {
    let (repo, mut cli, _server) = shop();
    let plain = without_model(&mut cli);
    let early = cli.json(&["search", OTHER_WORDS]);
    assert_eq!(early["ranking"]["vector"]["state"], "partial", "{early}");
    assert_eq!(early["ranking"]["vector"]["have"], 0);
    assert_eq!(order(&early), plain);
    let shown = cli.run(&["search", OTHER_WORDS]).stdout;
    assert!(
        shown.contains("chunks have a vector, so meaning does not count yet"),
        "{shown}"
    );
    cli.json(&["embed", "build"]);
    let found = cli.json(&["search", OTHER_WORDS]);
    assert_eq!(
        found["ranking"]["vector"],
        json!({"state": "whole"}),
        "{found}"
    );
    assert_eq!(found["results"][0]["path"], "src/timer.ts", "{found}");
    assert_eq!(found["results"][0]["why"], "vector");
    for args in [
        &["explore", OTHER_WORDS][..],
        &["explore", OTHER_WORDS, "--include", "source"],
    ] {
        let explored = cli.json(args);
        assert_eq!(
            explored["ranking"]["vector"]["state"], "whole",
            "{explored}"
        );
        assert!(explored.to_string().contains("backoff"), "{explored}");
    }
    // Filters go before the nearest are chosen.
    let elsewhere = cli.json(&["search", OTHER_WORDS, "--path", "src/cart.ts"]);
    let results = elsewhere["results"].as_array().unwrap();
    assert!(
        results.iter().all(|hit| hit["path"] == "src/cart.ts"),
        "{elsewhere}"
    );
    // A name is looked up as without.
    let named = cli.json(&["search", "openStore"]);
    assert_eq!(
        named["results"][0]["why"], "fts,symbol,exact,path",
        "{named}"
    );
    // One new chunk, and the channel is off until it has its vector.
    repo.write("src/late.ts", "export const late = 1\n");
    let partial = cli.json(&["search", OTHER_WORDS]);
    let vector = &partial["ranking"]["vector"];
    let (have, of) = (
        vector["have"].as_u64().unwrap(),
        vector["of"].as_u64().unwrap(),
    );
    assert_eq!(
        (vector["state"].as_str(), have + 1),
        (Some("partial"), of),
        "{partial}"
    );
    assert_eq!(order(&partial)["results"], plain["results"]);
}

#[test]
fn vectors_of_a_part_count_where_the_user_wants_it() {
    let (repo, mut cli, _server) = shop();
    cli.json(&["embed", "build"]);
    let whole = cli.json(&["search", OTHER_WORDS]);
    repo.write("src/late.ts", "export const late = 1\n");
    let off = cli.json(&["search", OTHER_WORDS]);
    assert!(off["ranking"]["vector"]["counts"].is_null(), "{off}");
    assert_eq!(order(&off)["results"], without_model(&mut cli)["results"]);
    cli.set("CODELENS_PARTIAL_VECTORS", "on");
    let partial = cli.json(&["search", OTHER_WORDS]);
    let vector = &partial["ranking"]["vector"];
    let (have, of) = (
        &off["ranking"]["vector"]["have"],
        &off["ranking"]["vector"]["of"],
    );
    assert_eq!(
        vector,
        &json!({"state": "partial", "have": have, "of": of, "counts": true})
    );
    assert_eq!(order(&partial)["results"], order(&whole)["results"]);
    let shown = cli.run(&["search", OTHER_WORDS]).stdout;
    assert!(
        shown.contains("so meaning counts for those alone"),
        "{shown}"
    );
    // Without any vector there is nothing to count.
    cli.json(&["embed", "clear"]);
    let none = cli.json(&["search", OTHER_WORDS]);
    assert_eq!(
        none["ranking"]["vector"],
        json!({"state": "partial", "have": 0, "of": of})
    );
    // A repository cannot set it.
    cli.set("CODELENS_PARTIAL_VECTORS", "");
    cli.json(&["embed", "build"]);
    repo.write("src/later.ts", "export const later = 1\n");
    repo.write(".codelens.toml", "search.partial_vectors = true\n");
    let own = cli.json(&["search", OTHER_WORDS]);
    assert_eq!(own["ranking"]["vector"]["state"], "partial", "{own}");
    assert!(own["ranking"]["vector"]["counts"].is_null(), "{own}");
}

#[test]
fn with_a_weight_of_zero_meaning_is_only_explained() {
    let (_repo, mut cli, server) = shop();
    cli.json(&["embed", "build"]);
    let plain = without_model(&mut cli);
    cli.set("CODELENS_EMBED_WEIGHT", "0");
    server.take_requests();
    let found = cli.json(&["search", OTHER_WORDS]);
    assert_eq!(
        found["ranking"]["vector"],
        json!({"state": "off", "why": "weight"})
    );
    assert_eq!((order(&found), server.take_requests()), (plain, 0));
    let question = "sleep store cart throttle";
    let explained = cli.json(&["search", question, "--explain"]);
    let results = explained["results"].as_array().unwrap();
    let signals = results
        .iter()
        .flat_map(|hit| hit["explain"]["signals"].as_array().unwrap());
    let vector: Vec<&Value> = signals.filter(|it| it["name"] == "vector").collect();
    assert!(
        !vector.is_empty() && vector.iter().all(|it| it["adds"] == 0.0),
        "{explained}"
    );
    let bare = cli.json(&["search", question]);
    let paths = |answer: &Value| -> Vec<Value> {
        let results = answer["results"].as_array().unwrap();
        results.iter().map(|hit| hit["path"].clone()).collect()
    };
    assert_eq!(paths(&explained), paths(&bare));
}

#[test]
fn a_bad_model_costs_no_answer_and_changes_no_order() {
    let (_repo, mut cli, server) = shop();
    cli.json(&["embed", "build"]);
    let plain = without_model(&mut cli);
    let nan = b"{\"data\":[{\"embedding\":[NaN]},{\"embedding\":[NaN]}]}".to_vec();
    for (manner, why) in [
        (Manner::Slowly(Duration::from_secs(4)), "timeout"),
        (Manner::Status(429), "busy"),
        (Manner::Status(500), "failed"),
        (Manner::Bytes(Arc::new(vec![b' '; 10 << 20])), "failed"),
        (Manner::Bytes(Arc::new(nan)), "failed"),
        (Manner::one_vector_short(), "failed"),
        (Manner::two_of_one_text(), "failed"),
        (Manner::one_vector_longer(), "failed"),
    ] {
        server.answer(manner.clone());
        let begun = Instant::now();
        let found = cli.json(&["search", OTHER_WORDS]);
        assert!(
            begun.elapsed() < Duration::from_secs(3),
            "{:?}",
            begun.elapsed()
        );
        let vector = json!({"state": "off", "why": why});
        assert_eq!(found["ranking"]["vector"], vector, "{manner:?}");
        assert_eq!(order(&found), plain, "{manner:?}");
    }
    cli.set("CODELENS_EMBED_URL", "http://models.example.com/x");
    let found = cli.json(&["search", OTHER_WORDS]);
    assert_eq!(found["ranking"]["vector"]["why"], "settings");
    assert_eq!(order(&found), plain);
}

#[test]
fn a_model_of_equal_length_is_another_model() {
    let (_repo, mut cli, server) = shop();
    cli.json(&["embed", "build"]);
    let plain = without_model(&mut cli);
    let first = cli.json(&["search", OTHER_WORDS]);
    assert_eq!(first["ranking"]["vector"]["state"], "whole");
    // The same name and length, other vectors.
    server.answer(Manner::Well { model: 2 });
    let other = cli.json(&["search", OTHER_WORDS]);
    assert_eq!(other["ranking"]["vector"]["state"], "partial", "{other}");
    assert_eq!(
        other["ranking"]["vector"]["have"], 0,
        "no vector of the first one is read"
    );
    assert_eq!(order(&other), plain);
    cli.json(&["embed", "build"]);
    let both = cli.json(&["search", OTHER_WORDS]);
    assert_eq!(both["ranking"]["vector"]["state"], "whole");
    assert_eq!(both["results"][0]["path"], "src/timer.ts", "{both}");
    server.answer(Manner::Well { model: 1 });
    assert_eq!(order(&cli.json(&["search", OTHER_WORDS])), order(&first));
}

/// Writes a static model that knows a few words; `salt` makes another one of equal length.
pub(super) fn static_model(directory: &std::path::Path, salt: f32) {
    let words = [
        "open", "close", "store", "sleep", "pause", "throttle", "cart", "item", "add", "server",
        "tries",
    ];
    // Words of one meaning have one row.
    let rows = [0, 1, 2, 3, 3, 3, 4, 5, 6, 7, 7];
    let mut vocabulary = serde_json::Map::new();
    for (at, word) in words.iter().enumerate() {
        vocabulary.insert((*word).to_owned(), at.into());
    }
    let tokenizer = json!({
        "version": "1.0", "truncation": null, "padding": null, "added_tokens": [],
        "normalizer": null, "pre_tokenizer": {"type": "Whitespace"}, "post_processor": null, "decoder": null,
        "model": {"type": "WordLevel", "vocab": vocabulary, "unk_token": "tries"},
    });
    std::fs::write(directory.join("tokenizer.json"), tokenizer.to_string()).unwrap();
    let mut bytes = Vec::new();
    for row in rows {
        for at in 0..8 {
            let component: f32 = if at == row { 1.0 } else { salt };
            bytes.extend(component.to_le_bytes());
        }
    }
    let header = format!(
        r#"{{"embeddings":{{"dtype":"F32","shape":[{},8],"data_offsets":[0,{}]}}}}"#,
        rows.len(),
        bytes.len()
    );
    let mut file = (header.len() as u64).to_le_bytes().to_vec();
    file.extend(header.as_bytes());
    file.extend(bytes);
    std::fs::write(directory.join("model.safetensors"), file).unwrap();
}

#[test]
fn a_model_on_the_disk_is_always_whole_and_the_same() {
    let models = tempfile::tempdir().unwrap();
    let (repo, mut cli, server) = shop();
    static_model(models.path(), 0.0);
    cli.set("CODELENS_EMBED_PROVIDER", "local");
    cli.set("CODELENS_EMBED_MODEL", models.path().to_str().unwrap());
    let found = cli.json(&["search", OTHER_WORDS]);
    assert_eq!(found["ranking"]["vector"]["state"], "whole", "{found}");
    assert_eq!(found["results"][0]["path"], "src/timer.ts", "{found}");
    assert_eq!(server.take_requests(), 0);
    repo.write(
        "src/late.ts",
        "export function lateSleep() { return 'sleep' }\n",
    );
    let edited = cli.json(&["search", OTHER_WORDS]);
    assert_eq!(edited["ranking"]["vector"]["state"], "whole", "{edited}");
    assert!(edited.to_string().contains("late.ts"), "{edited}");
    // Vectors that were made on the way are those of a build from nothing.
    cli.json(&["embed", "clear"]);
    let again = cli.json(&["search", OTHER_WORDS]);
    assert_eq!(order(&again), order(&edited));
    let status = cli.json(&["embed", "status"]);
    assert_eq!(
        (status["state"].as_str(), status["address"].as_str()),
        (Some("whole"), None)
    );
    // Another model in the same place, of equal length.
    static_model(models.path(), 0.5);
    assert_eq!(cli.json(&["embed", "status"])["have"], 0);
    let other = cli.json(&["search", OTHER_WORDS]);
    assert_eq!(other["ranking"]["vector"]["state"], "whole");
    assert_eq!(
        cli.json(&["embed", "status"])["stored"]
            .as_array()
            .unwrap()
            .len(),
        2
    );
    // An invalid one.
    std::fs::remove_file(models.path().join("tokenizer.json")).unwrap();
    let gone = cli.json(&["search", OTHER_WORDS]);
    assert_eq!(
        gone["ranking"]["vector"],
        json!({"state": "off", "why": "settings"})
    );
    assert!(cli.fails(&["embed", "build"], 1).contains("tokenizer.json"));
}

/// A repository with a definition that the question names, others that hold its words, and one that holds it as it stands.
const QUEUES: &str = "\
//- /src/a.ts
export function queueJob(job: string) { return job }
//- /src/b.ts
export function other(job: string) { const queue = job; return queue }
//- /src/c.ts
export function third() { return 'the queue of a job' }
//- /src/d.ts
export function fourth(queue: string, job: string) { return queue + job }
//- commit one
";

fn places(answer: &Value) -> Vec<String> {
    let results = answer["results"].as_array().unwrap();
    let place = |hit: &Value| format!("{}:{}", hit["path"].as_str().unwrap(), hit["lines"]);
    results.iter().map(place).collect()
}

#[test]
fn the_best_results_are_put_in_the_order_of_a_model() {
    let repo = Fixture::parse(QUEUES).build();
    let server = FakeModel::start();
    let mut cli = Cli::new(repo.path());
    let plain = cli.json(&["search", "queue job", "-n", "4"]);
    let names = cli.json(&["search", "queueJob", "-n", "4"]);
    let quoted = cli.json(&["search", "\"queue of a job\" fourth", "-n", "4"]);
    assert!(
        plain["ranking"].is_null() && places(&plain).len() >= 3,
        "{plain}"
    );
    cli.set("CODELENS_RERANK_PROVIDER", "http");
    cli.set("CODELENS_RERANK_MODEL", "order");
    cli.set("CODELENS_RERANK_URL", server.rerank());
    cli.set("CODELENS_RERANK_MAX_CHARS", "40");
    let found = cli.json(&["search", "queue job", "-n", "4"]);
    assert_eq!(found["ranking"], json!({"rerank": "used"}), "{found}");
    let mut before = places(&plain);
    let texts = server.take_texts();
    assert!(
        texts
            .iter()
            .all(|text| text.len() <= 40 + "src/a.ts\n".len()),
        "{texts:?}"
    );
    // Definitions of exactly that name stay, the others are turned round.
    let is_exact = |hit: &Value| hit["why"].as_str().unwrap().contains("exact");
    let exact: Vec<usize> = (0..before.len())
        .filter(|at| is_exact(&plain["results"][*at]))
        .collect();
    assert!(exact.len() < before.len() - 1, "{plain}");
    let after = places(&found);
    for at in &exact {
        assert_eq!(after[*at], before[*at], "an exact name never moves down");
    }
    assert_ne!(after, before);
    let mut sorted = after.clone();
    sorted.sort();
    before.sort();
    assert_eq!(sorted, before);
    // What a name leads to stays first, and so does what holds a quoted text.
    let named = cli.json(&["search", "queueJob", "-n", "4"]);
    assert_eq!(places(&named)[0], places(&names)[0], "{named}");
    let literal = cli.json(&["search", "\"queue of a job\" fourth", "-n", "4"]);
    assert_eq!(places(&literal)[0], places(&quoted)[0], "{literal}");
    // Pages continue one another.
    let mut paged = Vec::new();
    let mut cursor: Option<String> = None;
    for _ in 0..10 {
        let mut args = vec!["search", "queue job", "-n", "1"];
        if let Some(cursor) = &cursor {
            args.extend(["--cursor", cursor]);
        }
        let page = cli.json(&args);
        paged.extend(places(&page));
        cursor = page["nextCursor"].as_str().map(str::to_owned);
        if cursor.is_none() {
            break;
        }
    }
    let whole = cli.json(&["search", "queue job", "-n", "20"]);
    assert_eq!(paged, places(&whole));
}

#[test]
fn a_model_that_fails_leaves_the_order_of_the_search() {
    let repo = Fixture::parse(QUEUES).build();
    let server = FakeModel::start();
    let mut cli = Cli::new(repo.path());
    let plain = order(&cli.json(&["search", "queue job"]));
    cli.set("CODELENS_RERANK_PROVIDER", "http");
    cli.set("CODELENS_RERANK_MODEL", "order");
    cli.set("CODELENS_RERANK_URL", server.rerank());
    let fewer = |mut answer: Value| {
        answer["results"].as_array_mut().unwrap().pop();
        answer
    };
    let doubled = |mut answer: Value| {
        answer["results"][1]["index"] = answer["results"][0]["index"].clone();
        answer
    };
    for (manner, why) in [
        (Manner::Slowly(Duration::from_secs(4)), "timeout"),
        (Manner::Status(429), "failed"),
        (Manner::Bytes(Arc::new(vec![b' '; 10 << 20])), "failed"),
        (
            Manner::Bytes(Arc::new(
                b"{\"results\":[{\"index\":0,\"relevance_score\":NaN}]}".to_vec(),
            )),
            "failed",
        ),
        (Manner::Changed(fewer), "failed"),
        (Manner::Changed(doubled), "failed"),
    ] {
        server.answer(manner.clone());
        let begun = Instant::now();
        let found = cli.json(&["search", "queue job"]);
        assert!(
            begun.elapsed() < Duration::from_secs(3),
            "{:?}",
            begun.elapsed()
        );
        assert_eq!(found["ranking"], json!({"rerank": why}), "{manner:?}");
        assert_eq!(order(&found), plain, "{manner:?}");
    }
    cli.set("CODELENS_RERANK_URL", "https://models.example.com/x");
    assert_eq!(order(&cli.json(&["search", "queue job"])), plain);
}
