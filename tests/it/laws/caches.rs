//! Caches of a server: no answer shows that there are any.

use std::path::Path;
use std::time::Duration;

use codelens::config::{EmbedProvider, EmbedSettings, ModelServer, ModelSettings, RerankSettings};
use codelens::workspace::Workspaces;
use serde_json::{Value, json};

use super::{Bench, asked, number};
use crate::support::{Dice, FakeModel, Fixture, Repo};

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
//- branch feature
//- /src/order.ts
export function placeOrder(cart: string[]): number { return cart.length }
//- commit two
//- checkout main
";

const QUESTIONS: [&str; 6] = [
    "throttle pause requests politely",
    "wait before opening stores again",
    "pause carts of customers longer",
    "openStore",
    "place an order of a cart",
    "pause extra",
];

/// How often an answer that rests on other vectors than the one beside it is asked for again.
const TRIES: usize = 400;

/// A model that turns text into vectors, and one that puts results in order.
fn models(server: &FakeModel) -> ModelSettings {
    let at = |url: String| ModelServer {
        url,
        model: "small".to_owned(),
        timeout_ms: 20_000,
        ..ModelServer::default()
    };
    ModelSettings {
        embed: EmbedSettings {
            provider: EmbedProvider::Http,
            server: at(server.embeddings()),
            batch: 8,
            concurrency: 2,
            weight: 1_000,
            ..EmbedSettings::default()
        },
        rerank: RerankSettings {
            is_on: true,
            server: at(server.rerank()),
            top: 4,
            max_chars: 200,
        },
        ..ModelSettings::default()
    }
}

/// Returns an answer without the fields that differ from call to call.
fn compared(spaces: &Workspaces, place: &Path, tool: &str, input: &Value) -> Value {
    let mut answer = asked(spaces, place, tool, input.clone())
        .unwrap_or_else(|error| json!({"error": error.to_string()}));
    let fields = answer.as_object_mut().unwrap();
    for volatile in ["generation", "nextCursor", "proof"] {
        fields.remove(volatile);
    }
    if input["ref"].is_string() {
        // A commit has an index of its own, or is read from that of a clean checkout of it.
        fields.remove("indexId");
    }
    answer
}

/// Takes a step that may change an answer.
fn step(dice: &mut Dice, repo: &Repo, bench: &Bench) {
    let file = format!("src/extra{}.ts", dice.below(3));
    match dice.below(12) {
        0..=3 => {
            let n = dice.below(5);
            repo.write(
                &file,
                format!("export function pause{n}() {{ return {n} }}\n"),
            );
        }
        4 => drop(std::fs::remove_file(repo.path().join(file))),
        5 => {
            let branch = *dice.pick(&["main", "feature"]);
            repo.git(&["stash", "--quiet", "--include-untracked"]);
            repo.git(&["switch", "--quiet", branch]);
        }
        6 => {
            repo.git(&["add", "--all"]);
            repo.git(&["commit", "--quiet", "--allow-empty", "--message", "step"]);
        }
        7 => {
            let plain = bench.beside();
            let place = plain.open(None, &[repo.path()]).unwrap();
            place
                .build_vectors(None, &std::sync::Arc::default(), &|_, _| ())
                .unwrap();
        }
        8 => {
            let plain = bench.beside();
            let place = plain.open(None, &[repo.path()]).unwrap();
            place
                .prune(codelens::workspace::PruneOptions::default())
                .unwrap();
        }
        _ => {}
    }
}

/// Random edits, switches, commits, builds of vectors and questions: a server that keeps question vectors, tables of vectors, orders of results,
/// file rows and indexes answers each as a process that keeps nothing.
#[test]
fn cache_is_invisible() {
    let steps = number("CODELENS_CACHE_STEPS", 60);
    let repo = Fixture::parse(SHOP).build();
    let model = FakeModel::start();
    let bench = Bench::with_models(models(&model));
    let server = bench.server();
    let mut dice = Dice::new(number("CODELENS_CACHE_SEED", 41) as u64);
    let (mut n_whole, mut n_spared) = (0, 0);
    for at in 0..steps {
        step(&mut dice, &repo, &bench);
        let query = *dice.pick(&QUESTIONS);
        let (tool, mut input) = match dice.below(4) {
            0 => ("cl_explore", json!({"query": query})),
            1 => ("cl_search", json!({"query": query, "limit": 2})),
            _ => ("cl_search", json!({"query": query})),
        };
        if dice.below(6) == 0 {
            input["ref"] = json!(*dice.pick(&["main", "feature"]));
        }
        // The server makes vectors after an answer, so two answers may rest on different ones: `ranking` tells.
        for left in (0..TRIES).rev() {
            let served = compared(&server, &repo.path(), tool, &input);
            let plain = compared(&bench.beside(), &repo.path(), tool, &input);
            if served == plain {
                let is_whole = served["ranking"]["vector"]["state"] == "whole";
                n_whole += usize::from(is_whole);
                if is_whole {
                    model.take_requests();
                    assert_eq!(
                        compared(&server, &repo.path(), tool, &input),
                        served,
                        "step {at}: {input}"
                    );
                    n_spared += usize::from(model.take_requests() == 0);
                }
                break;
            }
            assert!(
                served["ranking"] != plain["ranking"] && left > 0,
                "step {at}: {tool} {input}\n a server: {served}\n a command: {plain}"
            );
            std::thread::sleep(Duration::from_millis(10));
        }
    }
    assert!(
        n_whole * 4 > steps,
        "meaning counted in {n_whole} of {steps} answers"
    );
    assert!(
        n_spared * 2 > n_whole,
        "caches served {n_spared} of {n_whole} answers"
    );
}
