//! Vectors as text: their state, and the outcome of a build.

use serde_json::Value;

use super::text::{Fields, bytes, plural};
use crate::cli::screen::visible;

/// Returns the state of vectors, or the result of a build or a removal.
pub(in crate::cli) fn embed(value: &Value) -> String {
    if value["removedVectors"].is_number() {
        let removed = plural(value.number("removedVectors"), "vector");
        let freed = bytes(value.number("removedBytes"));
        return format!("removed {removed} ({freed})\n");
    }
    let (have, of) = (value.number("have"), value.number("of"));
    let counts = match value.text("state") {
        "whole" => format!("all {of} pieces of code have a vector"),
        _ => format!("{have} of {of} pieces of code have a vector; `codelens embed build` goes on"),
    };
    if value["embedded"].is_number() {
        let n_embedded = value.number("embedded");
        return format!("embedded {}; {counts}\n", plural(n_embedded, "text"));
    }
    let provider = value.text("provider");
    let mut lines = Vec::new();
    if provider == "off" {
        lines.push(
            "search goes by words alone: no model is set ([embed] in codelens.toml, docs/models.md)"
                .to_owned(),
        );
    } else {
        let model = visible(value.text("model"));
        let place = match value.text("address") {
            "" => String::new(),
            address => format!(", texts go to {}", visible(address)),
        };
        lines.push(format!("model    {model} ({provider}{place})"));
        if let Some(fault) = value["fault"].as_str() {
            lines.push(format!("fault    {}", visible(fault)));
        } else {
            lines.push(format!("state    {counts}"));
        }
        let weight = value["weight"].as_f64().unwrap_or_default();
        let counts = if weight > 0.0 {
            "meaning counts"
        } else {
            "meaning does not count"
        };
        let weight = format!("weight   {weight} (embed.weight): {counts} in the order of results");
        lines.push(weight);
    }
    for stored in value.items("stored") {
        let model = visible(stored.text("model"));
        let n = plural(stored.number("vectors"), "vector");
        let is_current = stored.is_true("current");
        let now = if is_current { ", in use" } else { "" };
        lines.push(format!("stored   {n} of {model}{now}"));
    }
    if value.number("bytes") > 0 {
        lines.push(format!("size     {}", bytes(value.number("bytes"))));
    }
    lines.join("\n") + "\n"
}
