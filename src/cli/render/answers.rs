//! The forms of the answers that have several, or texts of several kinds.

use super::drawing::{self, GraphLanguage};
use super::graph::{self, ambiguous};
use super::{AnswerText, RenderedText, code, files, header, hits, lines, pack};
use crate::cli::screen::Screen;
use crate::error::{Error, Result};
use crate::tools::expand::ExpandOutput;
use crate::tools::explore::ExploreOutput;
use crate::tools::impact::ImpactOutput;
use crate::tools::map::MapOutput;
use crate::tools::related::RelatedOutput;
use crate::tools::search::SearchOutput;

impl AnswerText for SearchOutput {
    fn render(&self, screen: &Screen) -> RenderedText {
        let mut page = match &self.lines {
            Some(totals) => lines::lines(self, totals, screen),
            None => hits::search(self, screen).into(),
        };
        page.data
            .insert_str(0, &header(&self.freshness_fields, screen));
        page
    }
}

impl AnswerText for ExploreOutput {
    fn render(&self, screen: &Screen) -> RenderedText {
        let text = match &self.parts {
            Some(parts) => pack::pack(self, parts, screen),
            None => hits::explore(self, screen),
        };
        (header(&self.freshness_fields, screen) + &text).into()
    }

    fn markdown(&self) -> Option<String> {
        let parts = self.parts.as_ref()?;
        Some(pack::markdown(self, parts))
    }
}

impl AnswerText for MapOutput {
    fn render(&self, screen: &Screen) -> RenderedText {
        let text = match self.view {
            Some(view) => files::list(self, view, screen),
            None => code::map(self, screen),
        };
        (header(&self.freshness_fields, screen) + &text).into()
    }
}

/// Source can be piped as it is. A person also sees which lines these are, and everybody is told on standard error when there
/// are more.
impl AnswerText for ExpandOutput {
    fn render(&self, screen: &Screen) -> RenderedText {
        match (&self.candidates, &self.lines) {
            (Some(candidates), _) => code::candidates(candidates, screen).into(),
            (None, Some(lines)) => code::source(lines, screen),
            (None, None) => RenderedText::default(),
        }
    }

    fn exact(&self) -> Option<(String, &str)> {
        let lines = self.lines.as_ref()?;
        Some((code::place(lines), &lines.content))
    }
}

impl AnswerText for ImpactOutput {
    fn render(&self, screen: &Screen) -> RenderedText {
        graph::impact(self, screen).into()
    }

    fn drawing(&self, _: &str, language: GraphLanguage) -> Option<Result<String>> {
        Some(match &self.candidates {
            Some(candidates) => Err(ambiguous(&self.summary, candidates, "pass --path with")),
            None if self.is_unknown_name() => Err(Error::invalid(
                self.summary.trim_end_matches('.'),
                "without a drawing the command shows similar names",
            )),
            None => Ok(drawing::of_impact(self, language)),
        })
    }
}

impl AnswerText for RelatedOutput {
    fn render(&self, screen: &Screen) -> RenderedText {
        (header(&self.freshness_fields, screen) + &graph::related(self, screen)).into()
    }

    fn drawing(&self, asked: &str, language: GraphLanguage) -> Option<Result<String>> {
        Some(match self.candidates.as_slice() {
            [] => Ok(drawing::of_related(self, asked, language)),
            candidates => {
                let note = &self.freshness_fields.note;
                Err(ambiguous(note, candidates, "pass --path with"))
            }
        })
    }
}
