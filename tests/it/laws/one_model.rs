//! Vectors of one model: after a change of models no vector of another one is read, of equal length or not.

use std::path::Path;
use std::sync::Arc;

use codelens::config::{EmbedProvider, EmbedSettings, ModelServer, ModelSettings};
use codelens::model::QuantizedVector;
use codelens::store::{Home, NewVector, VectorModel, VectorStore};
use serde_json::{Value, json};

use super::{Bench, asked, meaning, number};
use crate::support::{Dice, FakeModel, Fixture, Manner, Repo};

const SHOP: &str = "\
//- /src/store.ts
export function openStore(path: string): string { return path + '.db' }

export function closeStore(): number { return 1 }
//- /src/timer.ts
/** sleep until the next try */
export function backoff(tries: number): number { return tries * 2 }
//- /src/cart.ts
export function addToCart(item: string): string { return item }
//- commit one
//- branch feature
//- /src/server.ts
export function closeServer(): string { return 'pause' }
//- commit two
//- checkout main
";

const QUESTIONS: [&str; 3] = [
    "throttle pause requests politely",
    "open store items and carts",
    "pause server tries longer",
];

/// How many models take turns.
const N_MODELS: usize = 3;

/// Numbers that tell models on the disk apart.
const SALTS: [f32; N_MODELS] = [0.0, 0.25, 0.5];

fn settings(provider: EmbedProvider, url: String, model: &str) -> ModelSettings {
    ModelSettings {
        embed: EmbedSettings {
            provider,
            server: ModelServer {
                url,
                model: model.to_owned(),
                timeout_ms: 20_000,
                ..ModelServer::default()
            },
            batch: 8,
            concurrency: 2,
            weight: 1_000,
            ..EmbedSettings::default()
        },
        ..ModelSettings::default()
    }
}

fn build(bench: &Bench, place: &Path) {
    let spaces = bench.beside();
    let place = spaces.open(None, &[place.to_owned()]).unwrap();
    place
        .build_vectors(None, &Arc::default(), &|_, _| ())
        .unwrap();
}

fn search(bench: &Bench, place: &Path, query: &str) -> Value {
    asked(&bench.beside(), place, "cl_search", json!({"query": query})).unwrap()
}

/// Returns the vectors of a data directory.
fn vectors(bench: &Bench, place: &Path) -> VectorStore {
    let spaces = bench.beside();
    let repo = spaces
        .open(None, &[place.to_owned()])
        .unwrap()
        .repo()
        .unwrap();
    let clone_family = repo.clone_family().unwrap_or_else(|| repo.repo_id());
    let home = Home::at(&spaces.config().home, &[]).unwrap();
    VectorStore::open_existing(&home, &clone_family).expect("vectors were made")
}

/// Returns the stored model with that vector of the probe.
fn model_of(store: &VectorStore, probe: &[f32]) -> Option<VectorModel> {
    let mut models = store.models().unwrap().into_iter();
    models.find(|model| model.probe == probe)
}

/// Takes the sense out of every vector of a model, with none of another length: whoever reads one finds other places.
fn spoil(store: &mut VectorStore, model: &VectorModel) {
    let digests = store.digests(model.id).unwrap().into_iter();
    let spoiled: Vec<NewVector> = digests
        .map(|digest| {
            let mut components = vec![0.0; model.probe.len()];
            let at = usize::try_from(digest.rem_euclid(7919)).unwrap() % components.len();
            components[at] = 1.0;
            let vector = QuantizedVector::of(&components).unwrap();
            NewVector { digest, vector }
        })
        .collect();
    store.write(model.id, &spoiled).unwrap();
}

fn step(dice: &mut Dice, repo: &Repo) {
    match dice.below(8) {
        0..=2 => {
            let text = format!("export function pause{}() {{}}\n", dice.below(5));
            repo.write(&format!("src/extra{}.ts", dice.below(2)), text);
        }
        3 => {
            repo.git(&["stash", "--quiet", "--include-untracked"]);
            repo.git(&["switch", "--quiet", *dice.pick(&["main", "feature"])]);
        }
        _ => {}
    }
}

/// Lets models take turns under one name, over random edits and switches; `become_model` makes the next one answer. The vectors of those that had
/// their turn are spoiled, and each answer is held against that of a data directory that never saw another model.
fn walk(models: &dyn Fn() -> ModelSettings, become_model: &dyn Fn(usize)) {
    let steps = number("CODELENS_MODEL_STEPS", 25);
    let repo = Fixture::parse(SHOP).build();
    let place = repo.path();
    let bench = Bench::with_models(models());
    let alone: Vec<Bench> = (0..N_MODELS)
        .map(|_| Bench::with_models(models()))
        .collect();
    let probes: Vec<Vec<f32>> = (0..N_MODELS)
        .map(|n| {
            become_model(n);
            build(&alone[n], &place);
            vectors(&alone[n], &place).models().unwrap()[0]
                .probe
                .clone()
        })
        .collect();
    let mut dice = Dice::new(number("CODELENS_MODEL_SEED", 9) as u64);
    let (mut current, mut n_whole, mut n_beside) = (0, 0, 0);
    become_model(current);
    build(&bench, &place);
    for at in 0..steps {
        step(&mut dice, &repo);
        let next = dice.below(2 * N_MODELS);
        if next < N_MODELS && next != current {
            let mut store = vectors(&bench, &place);
            if let Some(model) = model_of(&store, &probes[current]) {
                spoil(&mut store, &model);
            }
            // A model whose turn comes again begins anew.
            if let Some(model) = model_of(&store, &probes[next]) {
                store.clear(Some(model.id)).unwrap();
            }
            current = next;
            become_model(current);
        }
        if dice.below(2) == 0 {
            build(&bench, &place);
        }
        let query = *dice.pick(&QUESTIONS);
        let found = search(&bench, &place, query);
        let store = vectors(&bench, &place);
        let others = store.models().unwrap().into_iter();
        let others = others.filter(|model| model.probe != probes[current]);
        n_beside += others.map(|model| model.n_vectors).sum::<u64>();
        let vector = &found["ranking"]["vector"];
        if vector["state"] == "whole" {
            n_whole += 1;
            build(&alone[current], &place);
            let wanted = search(&alone[current], &place, query);
            assert_eq!(wanted["ranking"], found["ranking"], "{wanted}");
            assert_eq!(
                found["results"], wanted["results"],
                "step {at}, model {current}: {query}"
            );
        } else {
            // Vectors of other models do not make it any less partial.
            let most = model_of(&store, &probes[current]).map_or(0, |model| model.n_vectors);
            assert_eq!(vector["state"], "partial", "{found}");
            let have = vector["have"].as_u64().unwrap();
            assert!(
                have <= most && have < vector["of"].as_u64().unwrap(),
                "step {at}: {vector}, {most}"
            );
        }
    }
    assert!(n_whole * 3 > steps, "{n_whole} of {steps}");
    assert!(n_beside > steps as u64, "{n_beside}");
}

#[test]
fn vectors_one_model() {
    let server = FakeModel::start();
    let models = || settings(EmbedProvider::Http, server.embeddings(), "small");
    walk(&models, &|n| {
        server.answer(Manner::Well {
            model: n as u64 + 1,
        });
    });
}

#[test]
fn vectors_one_model_on_the_disk() {
    let directory = tempfile::tempdir().unwrap();
    meaning::static_model(directory.path(), 0.0);
    let path = directory.path().to_str().unwrap().to_owned();
    let models = || settings(EmbedProvider::Local, String::new(), &path);
    walk(&models, &|n| {
        meaning::static_model(directory.path(), SALTS[n]);
    });
}

#[test]
fn a_server_notices_that_another_model_answers() {
    let repo = Fixture::parse(SHOP).build();
    let model = FakeModel::start();
    let bench = Bench::with_models(settings(EmbedProvider::Http, model.embeddings(), "small"));
    build(&bench, &repo.path());
    let server = bench.server();
    let ask =
        |query: &str| asked(&server, &repo.path(), "cl_search", json!({"query": query})).unwrap();
    let first = ask(QUESTIONS[0]);
    assert_eq!(first["ranking"]["vector"]["state"], "whole");
    model.take_texts();
    ask(QUESTIONS[0]);
    assert!(model.take_texts().is_empty(), "it is known");
    model.answer(Manner::Well { model: 2 });
    let other = ask(QUESTIONS[1]);
    assert_ne!(
        other["ranking"]["vector"],
        json!({"state": "whole"}),
        "{other}"
    );
    // The answer to another question told it, so the vector of the first one is void.
    model.take_texts();
    ask(QUESTIONS[0]);
    assert!(model.take_texts().contains(&QUESTIONS[0].to_owned()));
}
