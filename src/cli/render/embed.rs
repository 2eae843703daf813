//! Vectors as text: their state, and the outcome of a build.

use super::text::{bytes, plural};
use crate::cli::screen::visible;
use crate::config::EmbedProvider;
use crate::workspace::VectorStatus;

/// Returns the result of a removal.
pub(in crate::cli) fn vectors_removed(n_vectors: u64, n_bytes: u64) -> String {
    let removed = plural(n_vectors, "vector");
    format!("removed {removed} ({})\n", bytes(n_bytes))
}

/// Returns the result of a build: how many texts it embedded, and how many chunks of how many have a vector now. `reference` names the
/// commit that was asked about.
pub(in crate::cli) fn vectors_built(
    n_embedded: u64,
    counts: (u64, u64),
    reference: Option<&str>,
) -> String {
    let embedded = plural(n_embedded, "text");
    format!("embedded {embedded}; {}\n", state(Some(counts), reference))
}

fn state(counts: Option<(u64, u64)>, reference: Option<&str>) -> String {
    match counts {
        Some((have, of)) if have == of => format!("all {of} chunks have a vector"),
        counts => {
            let (have, of) = counts.unwrap_or_default();
            let build = embed_build(reference);
            format!("{have} of {of} chunks have a vector; `{build}` goes on")
        }
    }
}

/// Returns the command that makes vectors: of the work tree, or of a commit.
pub(super) fn embed_build(reference: Option<&str>) -> String {
    let reference = reference.map(|name| format!(" --ref {}", visible(name)));
    format!("codelens embed build{}", reference.unwrap_or_default())
}

/// Returns the model, where texts go, and the vectors that are there. `reference` names the commit that was asked about.
pub(in crate::cli) fn vector_status(status: &VectorStatus, reference: Option<&str>) -> String {
    let provider = match status.provider {
        EmbedProvider::Off => None,
        EmbedProvider::Local => Some("local"),
        EmbedProvider::Http => Some("http"),
    };
    let mut lines = Vec::new();
    if let Some(provider) = provider {
        let address = status.address.as_deref();
        let place = address.map_or(String::new(), |it| format!(", texts go to {}", visible(it)));
        let model = visible(&status.model);
        lines.push(format!("model    {model} ({provider}{place})"));
        lines.push(match &status.fault {
            Some(fault) => format!("fault    {}", visible(fault)),
            None => format!("state    {}", state(status.counts, reference)),
        });
        let counts = match status.weight {
            0 => "meaning does not count",
            _ => "meaning counts",
        };
        let weight = f64::from(status.weight) / 1_000.0;
        lines.push(format!(
            "weight   {weight} (embed.weight): {counts} in the order of results"
        ));
    } else {
        lines.push(
            "no model is set ([embed] in codelens.toml): search uses words, names, paths and past commits"
                .to_owned(),
        );
    }
    for (model, n_vectors, is_current) in &status.stored {
        let n = plural(*n_vectors, "vector");
        let now = if *is_current { ", in use" } else { "" };
        lines.push(format!("stored   {n} of {}{now}", visible(model)));
    }
    if let Some(n) = status.n_unused.filter(|n| *n > 0) {
        let unused = plural(n, "vector");
        lines.push(format!(
            "unused   {unused} of text that no index holds any more; `codelens prune` removes them"
        ));
    }
    if status.bytes > 0 {
        lines.push(format!("size     {}", bytes(status.bytes)));
    }
    lines.join("\n") + "\n"
}
