//! Checks of models that the user configured, each with one request, and of the vectors that are kept.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::repository::Check;
use crate::config::EmbedProvider;
use crate::embed::ModelIdentity;
use crate::error::Result;
use crate::remote::Deadline;
use crate::store::VectorStore;
use crate::store::vectors as files;
use crate::workspace::Workspace;
use crate::workspace::vectors::model_of;

/// Texts of which the first answers the question.
const QUESTION: &str = "where is a file opened";
const TEXTS: [&str; 2] = ["fn open_file(path)", "fn add(a, b)"];

/// Checks the models of the settings, and the vectors of a repository. Where no model is configured and no vector kept there is nothing to
/// check, and nothing is sent anywhere.
pub fn of_models(workspace: &Workspace, interrupt: &Arc<AtomicBool>) -> Vec<Check> {
    let (embed, identity) = embed(workspace, interrupt).unzip();
    let vectors = vectors(workspace, identity.flatten().as_ref());
    let vectors = vectors.unwrap_or_else(|error| {
        Some(Check::failed(
            "vectors",
            error.message,
            "run `codelens embed build`: a damaged file is moved aside and made anew",
        ))
    });
    let checks = [embed, vectors, rerank(workspace, interrupt)];
    checks.into_iter().flatten().collect()
}

/// Checks the model that turns text into vectors, and returns its identity where it answers; `None` where none is configured.
fn embed(
    workspace: &Workspace,
    interrupt: &Arc<AtomicBool>,
) -> Option<(Check, Option<ModelIdentity>)> {
    let name = "embed";
    let models = &workspace.models;
    if models.settings.embed.provider == EmbedProvider::Off {
        return None;
    }
    let asked = models.embedder().and_then(|embedder| {
        let Some(embedder) = embedder else {
            return Ok(None);
        };
        let place = match embedder.address() {
            Some(address) => format!("at {address}"),
            None => "on the disk".to_owned(),
        };
        let deadline = workspace.model_deadline(interrupt);
        let identity = embedder.embed_one(QUESTION, &deadline)?.model;
        Ok(Some((place, identity)))
    });
    match asked {
        Ok(None) => None,
        Ok(Some((place, identity))) => {
            let detail = format!(
                "{} {place} answers with vectors of {} components; identity {identity}",
                identity.name,
                identity.probe.len()
            );
            Some((Check::passed(name, detail), Some(identity)))
        }
        Err(fault) => {
            let failed = Check::failed(
                name,
                fault.to_string(),
                "check the server and `[embed]` in codelens.toml (`codelens config show`); until then search goes without meaning",
            );
            Some((failed, None))
        }
    }
}

/// Checks the vectors that are kept of a repository: whether they can be read, and those that no answer rests on.
fn vectors(workspace: &Workspace, identity: Option<&ModelIdentity>) -> Result<Option<Check>> {
    let name = "vectors";
    let clone_family = workspace.vectors_name(&workspace.repo()?);
    let is_configured = workspace.models.settings.embed.provider != EmbedProvider::Off;
    let is_there = files::path(&workspace.home, &clone_family).is_file();
    let store = VectorStore::open_existing(&workspace.home, &clone_family);
    let Some(store) = store else {
        let none = "none yet: `codelens embed build` makes them";
        return Ok(match (is_there, is_configured) {
            (true, _) => Some(Check::failed(
                name,
                "the file of vectors cannot be read",
                "run `codelens embed build`: a damaged file is moved aside and made anew",
            )),
            (false, true) => Some(Check::passed(name, none)),
            (false, false) => None,
        });
    };
    let stored = store.models()?;
    let n_all: u64 = stored.iter().map(|model| model.n_vectors).sum();
    if !is_configured {
        let kept = (n_all > 0).then(|| {
            let detail =
                format!("{n_all}, and no model is set: `codelens embed clear` removes them");
            Check::passed(name, detail)
        });
        return Ok(kept);
    }
    let current = identity.and_then(|identity| model_of(&stored, identity));
    let n_current = current.map_or(0, |model| model.n_vectors);
    let mut parts = match identity {
        Some(identity) => vec![format!("{n_current} of {}", identity.name)],
        None => vec![format!("{n_all}; whether of this model is not known now")],
    };
    if identity.is_some() && n_all > n_current {
        parts.push(format!(
            "{} of other models, which no answer rests on (`codelens embed clear` removes all)",
            n_all - n_current
        ));
    }
    match workspace.n_unused(&clone_family, &store)? {
        Some(n) if n > 0 => parts.push(format!(
            "{n} of text that no index holds any more (cl_prune removes them)"
        )),
        _ => {}
    }
    Ok(Some(Check::passed(name, parts.join("; "))))
}

/// Checks the model that puts results in order; `None` where none is configured.
fn rerank(workspace: &Workspace, interrupt: &Arc<AtomicBool>) -> Option<Check> {
    let name = "rerank";
    let models = &workspace.models;
    let asked = models.reranker().and_then(|reranker| {
        let Some(reranker) = reranker else {
            return Ok(None);
        };
        let time = models.settings.rerank.server.timeout();
        let deadline = Deadline::new(Some(time), Arc::clone(interrupt));
        let texts = TEXTS.map(str::to_owned);
        let order = reranker.order(QUESTION, &texts, &deadline)?;
        Ok(Some((reranker.address(), order)))
    });
    match asked {
        Ok(None) => None,
        Ok(Some((address, order))) => {
            let model = &models.settings.rerank.server.model;
            let doubt = match order.first() {
                Some(0) => "",
                _ => ", but put a text before another one that fits the question better",
            };
            Some(Check::passed(
                name,
                format!("{model} at {address} answers{doubt}"),
            ))
        }
        Err(fault) => Some(Check::failed(
            name,
            fault.to_string(),
            "check the server and `[rerank]` in codelens.toml (`timeout_ms` among it); until then the order of results is the search's",
        )),
    }
}
