//! The score of one chunk, from its signals and its place.
//!
//! The weights come from studies of ranking signals on commit localisation and symbol lookup in public repositories;
//! where they found no difference between strengths, the rounder number stands.

use std::collections::{HashMap, HashSet};

use super::channel::ChannelHits;
use super::channel_scores::ChannelScores;
use super::explain::{Factor, ScoreBreakdown, Signal};
use super::query::{FEW_WORDS, Query, is_path};
use super::{ContentType, Filters, is_prose};
use crate::model::path_class::PathClass;
use crate::model::{ChunkId, ChunkKind, FileId, FileMark, FileRole, MarkWord, RepoPath};
use crate::roles::Roles;
use crate::store::{ChunkBrief, Read, token};

/// The whole query equals the symbol name.
const WHOLE: f64 = 2.5;
/// The symbol name is a fuzzy match of a query word that no symbol has.
const FUZZY: f64 = 1.5;
/// The query, or a quoted phrase of it, occurs literally in the text.
const PHRASE: f64 = 1.0;
/// Added when a quoted phrase occurs literally.
const QUOTED: f64 = 1.0;
/// A query word equals the symbol name, in a query of at most `FEW_WORDS` words.
const NAME_AMONG_FEW: f64 = 0.5;
/// A query word equals the symbol name, in a query of more than `FEW_WORDS` words.
const NAME_AMONG_MANY: f64 = 0.05;
/// A query word of a longer query is an identifier that names this definition and no other.
const IDENTIFIER: f64 = 0.6;
/// The definition's name is made of the words and nothing else.
const PARTS: f64 = 1.5;
/// The share of the question's words that a chunk holds; a question for a name has no more than that.
const COVERAGE: f64 = 0.2;
/// A path in the question is the file's.
const PATH: f64 = 1.0;
/// All words of a file's name are in the question, and they are several.
const FILE_NAME: f64 = 0.15;
/// Score for a file whose name equals the receiver of a qualified name that no symbol has (`app.close`, no such method
/// yet → file `app`): as for its path.
const OWNER: f64 = PATH;
/// Tests, examples, fixtures: a question that does not name them is about the code.
const TEST_FACTOR: f64 = 0.2;
/// Documents, data, configuration.
const OTHER_THAN_CODE_FACTOR: f64 = 0.4;
/// Generated and declaration files.
const GENERATED_FACTOR: f64 = 0.5;
/// Files that a person put behind others.
const IGNORED_FACTOR: f64 = 0.2;
/// Code between definitions: lists of imports name much and define nothing.
const GAP_FACTOR: f64 = 0.7;
/// Members of types and types: the code is elsewhere. A question of a name or two may be after one.
const DECLARATION_FACTOR: f64 = 0.7;
/// Exported definitions, before others.
const EXPORTED_FACTOR: f64 = 1.05;

/// A chunk on its way to be a hit.
pub(super) struct Scored {
    pub row: ChunkId,
    pub chunk: ChunkBrief,
    pub score: f64,
    /// The tier, which goes before the score: the number of literals that it holds, and 1 unless it is generated data.
    pub tier: u32,
    pub breakdown: ScoreBreakdown,
}

impl Scored {
    pub(super) fn add(&mut self, signal: Signal, score: f64) {
        self.score += score;
        self.breakdown.add(signal, score);
    }
}

/// How chunks are weighed for one question.
pub(super) struct Scorer<'a> {
    query: &'a Query,
    roles: Roles<'a>,
    stems: HashSet<&'a str>,
    owners: &'a [String],
    marks: &'a [FileMark],
    /// The score of each file's path, by the file's row.
    of_path: HashMap<FileId, f64>,
    coverage: f64,
    asks_prose: bool,
    /// Scores of one word's name, and of a name that is written like an identifier.
    name: f64,
    identifier: f64,
    /// Whether the question is a name or two rather than a sentence.
    pub is_look_up: bool,
}

impl<'a> Scorer<'a> {
    pub(super) fn new(
        read: &'a Read<'a>,
        query: &'a Query,
        filters: &Filters,
        found: &'a ChannelHits,
        marks: &'a [FileMark],
    ) -> Self {
        let n_words = query.content_words().len();
        let is_short = n_words <= FEW_WORDS;
        let is_whole = found.chunks.values().any(|strength| strength.whole > 0.0);
        let is_look_up = is_whole || n_words < FEW_WORDS;
        Self {
            query,
            roles: Roles::new(read),
            stems: query.stems(),
            owners: &found.owners,
            marks,
            of_path: HashMap::new(),
            coverage: if is_look_up { 0.0 } else { COVERAGE },
            asks_prose: query.requested.prose || filters.content_type == Some(ContentType::Prose),
            name: if is_short {
                NAME_AMONG_FEW
            } else {
                NAME_AMONG_MANY
            },
            identifier: if is_short { 0.0 } else { IDENTIFIER },
            is_look_up,
        }
    }

    pub(super) fn score(
        &mut self,
        row: ChunkId,
        chunk: ChunkBrief,
        strength: &ChannelScores,
    ) -> Scored {
        let mut breakdown = ScoreBreakdown::default();
        for (signal, score) in [
            (Signal::Text, strength.text),
            (Signal::Text, self.coverage * strength.coverage),
            (Signal::ExactName, WHOLE * strength.whole),
            (Signal::FuzzyName, FUZZY * strength.fuzzy),
            (Signal::Phrase, PHRASE * strength.phrase),
            (Signal::Name, self.name * strength.name),
            (Signal::Name, self.identifier * strength.identifier),
            (Signal::Parts, PARTS * strength.parts),
        ] {
            breakdown.add(signal, score);
        }
        if strength.phrase >= 1.0 {
            // Quoted words are meant as they stand, wherever that is.
            breakdown.add(Signal::Phrase, QUOTED);
        } else {
            self.judge(&chunk, &mut breakdown);
        }
        // Of the factors, those of the whole file alone scale the path's score.
        let worth = self.worth_of_path(&chunk) * breakdown.of_file();
        let is_written = u32::from(!self.is_generated_data(&chunk));
        let mut scored = Scored {
            row,
            tier: strength.n_literals + is_written,
            score: breakdown.score(),
            breakdown,
            chunk,
        };
        scored.add(Signal::Path, worth);
        scored
    }

    fn worth_of_path(&mut self, chunk: &ChunkBrief) -> f64 {
        if let Some(known) = self.of_path.get(&chunk.file) {
            return *known;
        }
        let path = chunk.path.as_str();
        let mut worth = 0.0;
        if self.query.paths.iter().any(|wanted| is_path(wanted, path)) {
            worth += PATH;
        }
        if !self.is_look_up {
            let name = file_name(path);
            if is_of_words(name, &self.stems) {
                worth += FILE_NAME;
            }
            if self.owners.contains(&token::normal_form(name)) {
                worth += OWNER;
            }
        }
        self.of_path.insert(chunk.file, worth);
        worth
    }

    /// Returns whether a tool writes the file, and it is no code: reports, API descriptions, minified styles.
    fn is_generated_data(&self, chunk: &ChunkBrief) -> bool {
        let class = self.class(chunk);
        let is_wanted = self.query.requested.generated || self.query.requested.data;
        !is_wanted && class.is_data && (class.is_generated || chunk.is_bulky)
    }

    /// Returns the class of a chunk's file: by its path and content, and as a person marked it.
    fn class(&self, chunk: &ChunkBrief) -> PathClass {
        let class = PathClass::of(&chunk.path, is_prose(&chunk.language), chunk.is_generated);
        PathClass {
            is_prose: class.is_prose || self.has_mark(chunk, MarkWord::Documentation),
            is_data: class.is_data || self.has_mark(chunk, MarkWord::Config),
            is_generated: class.is_generated || self.has_mark(chunk, MarkWord::Generated),
        }
    }

    fn has_mark(&self, chunk: &ChunkBrief, word: MarkWord) -> bool {
        let mut marks = self.marks.iter();
        marks.any(|mark| mark.word == word && mark.covers(&chunk.path))
    }

    fn judge(&self, chunk: &ChunkBrief, breakdown: &mut ScoreBreakdown) {
        let class = self.class(chunk);
        let requested = self.query.requested;
        let is_apart = match RepoPath::new(&chunk.path)
            .map_or(FileRole::Code, |path| self.roles.by_path(&path))
        {
            FileRole::Code => false,
            FileRole::Test | FileRole::TestSupport => true,
            // Of documents the factor below tells.
            FileRole::Example => !class.is_prose,
        };
        let is_apart = is_apart || self.has_mark(chunk, MarkWord::Test);
        if is_apart && !requested.tests {
            breakdown.scale(Factor::Test, TEST_FACTOR);
        }
        let is_unwanted_data = class.is_data && !requested.data;
        if !self.asks_prose && (class.is_prose || is_unwanted_data) {
            breakdown.scale(Factor::NotCode, OTHER_THAN_CODE_FACTOR);
        }
        if class.is_generated && !requested.generated {
            breakdown.scale(Factor::Generated, GENERATED_FACTOR);
        }
        if self.has_mark(chunk, MarkWord::Ignore) {
            breakdown.scale(Factor::Ignored, IGNORED_FACTOR);
        }
        if chunk.kind == ChunkKind::Gap {
            breakdown.scale(Factor::BetweenDefinitions, GAP_FACTOR);
        }
        if let Some((kind, exported)) = chunk.symbol {
            if !self.is_look_up && kind.is_declaration() {
                breakdown.scale(Factor::Declaration, DECLARATION_FACTOR);
            }
            if exported {
                breakdown.scale(Factor::Exported, EXPORTED_FACTOR);
            }
        }
    }
}

/// Returns the name of a file without its extensions; the name of its directory where the file is only its entry.
fn file_name(path: &str) -> &str {
    let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
    let name = name.split('.').next().unwrap_or(name);
    let parent = directory.rsplit('/').next().unwrap_or(directory);
    if name == "index" && !parent.is_empty() {
        parent
    } else {
        name
    }
}

/// Returns whether a name is made of several words that are all among `stems`; single letters don't count.
fn is_of_words(name: &str, stems: &HashSet<&str>) -> bool {
    let words = token::words(name);
    let parts = words.iter().flat_map(token::Word::smallest);
    let mut n = 0;
    for part in parts.filter(|part| part.len() > 1) {
        if !stems.contains(token::stem(part)) {
            return false;
        }
        n += 1;
    }
    n > 1
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use crate::store::token::stem;

    use super::{file_name, is_of_words};

    #[test]
    fn a_file_is_named_by_its_words() {
        assert_eq!(file_name("lib/rules/no-unused-vars.js"), "no-unused-vars");
        assert_eq!(file_name("src/KeepAlive.spec.ts"), "KeepAlive");
        assert_eq!(file_name("components/DatePicker/index.tsx"), "DatePicker");
        assert_eq!(file_name("index.js"), "index");
        let words = ["no", "unused", "vars", "keeps", "alive", "model"];
        let stems: HashSet<&str> = words.into_iter().map(stem).collect();
        assert!(is_of_words("no-unused-vars", &stems) && is_of_words("KeepAlive", &stems));
        assert!(!is_of_words("no-undef", &stems));
        // One word may be said of anything.
        assert!(!is_of_words("model", &stems) && !is_of_words("vModel", &stems));
    }
}
