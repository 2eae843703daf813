//! The answer to a question as text: prose, then the excerpts that it cites.

use serde::Serialize;

use super::said;
use super::text::{plural, put};
use crate::cli::screen::{FAINT, PLACE, STRONG, Screen, visible, visible_lines};
use crate::tools::hits::ConfidenceOutput;
use crate::tools::ranking::RankingOutput;

/// A question with its excerpts, and prose where the user configured a model.
#[derive(Debug, Serialize)]
pub(in crate::cli) struct CitedAnswer {
    pub(in crate::cli) question: String,
    pub(in crate::cli) excerpts: Vec<ExcerptOutput>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(in crate::cli) brief: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::cli) confidence: Option<ConfidenceOutput>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(in crate::cli) missing: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::cli) ranking: Option<RankingOutput>,
    pub(in crate::cli) freshness: &'static str,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(in crate::cli) note: String,
    /// `none` where no model is configured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::cli) model: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::cli) answer: Option<ProseOutput>,
    /// Why the model wrote nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::cli) fault: Option<String>,
}

/// Source that may be cited by its number.
#[derive(Debug, Serialize)]
pub(in crate::cli) struct ExcerptOutput {
    pub(in crate::cli) number: usize,
    pub(in crate::cli) path: String,
    pub(in crate::cli) lines: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::cli) symbol: Option<String>,
    pub(in crate::cli) handle: String,
    pub(in crate::cli) text: String,
}

/// The sentences of a model, and how many were left out.
#[derive(Debug, Serialize)]
pub(in crate::cli) struct ProseOutput {
    pub(in crate::cli) sentences: Vec<String>,
    pub(in crate::cli) dropped: u64,
}

/// Returns prose where there is some, facts, and numbered excerpts.
pub(in crate::cli) fn answer(cited: &CitedAnswer, screen: &Screen) -> String {
    let mut text = String::new();
    for sentence in cited.answer.iter().flat_map(|prose| &prose.sentences) {
        put!(text, "{}\n", visible(sentence));
    }
    let remark = match (&cited.fault, &cited.answer) {
        (Some(fault), _) => fault.clone(),
        (None, None) => {
            "no model configured ([answer] in codelens.toml): the excerpts are the answer"
                .to_owned()
        }
        (None, Some(prose)) if prose.dropped == 0 => String::new(),
        (None, Some(prose)) => {
            let dropped = plural(prose.dropped, "sentence");
            format!("{dropped} left out: without a citation of an excerpt below")
        }
    };
    let lines = std::iter::once(&remark)
        .chain(&cited.brief)
        .chain([&cited.note]);
    for line in lines.filter(|line| !line.is_empty()) {
        put!(text, "{}\n", screen.paint(FAINT, &said(line)));
    }
    for excerpt in &cited.excerpts {
        let (number, lines) = (excerpt.number, &excerpt.lines);
        let place = format!("[{number}] {}:{lines}", visible(&excerpt.path));
        let mut heading = screen.paint(PLACE, &place);
        if let Some(symbol) = &excerpt.symbol {
            put!(heading, " {}", screen.paint(STRONG, &visible(symbol)));
        }
        put!(text, "\n{heading}\n");
        for line in visible_lines(&excerpt.text).lines() {
            put!(text, "    {line}\n");
        }
    }
    text
}
