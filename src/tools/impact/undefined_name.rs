//! The answer to a name that no definition has: its last change, the files that still import it, the places of the
//! word, and definitions with a similar name.

use std::collections::{BTreeMap, HashSet};

use schemars::JsonSchema;
use serde::Serialize;

use super::change_set;
use super::fields::FieldsOfC;
use super::sites::{LineOutput, add_lines, line};
use super::summary::{are, count, doubt, in_unfollowed, unread};
use super::{ImpactOutput, ImpactQuestion, ImpactTarget};
use crate::error::Result;
use crate::model::{RepoPath, shell_word};
use crate::tools::analysed::AnalysedOutput;
use crate::tools::answer::{MAX_LIST_BYTES, is_zero};
use crate::tools::named_object::near_names;
use crate::tools::places::{target, uses};
use crate::uses::{
    ChangeKind, NameOccurrence, NameOccurrences, OccurrenceMeaning, RemovedDefinition, Uses,
};
use crate::workspace::{
    Analysis, SymbolRow, View, cut_argument, language, language_of, last_name, normal_form,
};

/// Places that are shown.
pub(super) const MAX_PLACES: usize = 10;

/// The words that stand before the name of a definition, in languages that are read as text alone.
const DEFINING_WORDS: &[&str] = &[
    "class",
    "const",
    "def",
    "defmodule",
    "defp",
    "enum",
    "fn",
    "fun",
    "func",
    "function",
    "impl",
    "interface",
    "let",
    "macro_rules!",
    "mod",
    "module",
    "object",
    "package",
    "protocol",
    "record",
    "struct",
    "table",
    "trait",
    "type",
    "typedef",
    "union",
    "val",
    "var",
    "view",
];

/// Bytes of files that are read for the places of a name: a common word is in thousands of files.
const MAX_BYTES: usize = 256 << 10;

/// Names that are offered.
const MAX_NEAR: usize = 5;

/// The places of a name that no definition has, or one whose uses are not known.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MentionsOutput {
    /// Occurrences of the word in the indexed files.
    pub(crate) total: u64,
    pub(crate) files: u64,
    /// Imports of the name from files that do not have it, and uses of these imports.
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) dangling: u64,
    /// The likeliest places first: imports that dangle, uses, strings, comments, documents.
    pub(crate) places: Vec<NamePlaceOutput>,
}

/// A place of the name.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct NamePlaceOutput {
    #[serde(flatten)]
    pub(crate) line: LineOutput,
    /// field, dangling, use, external, definition, string, comment or text.
    pub(crate) role: &'static str,
}

/// Answers a question about a name that no definition has.
pub(super) fn answer(
    view: &View<'_>,
    asked: &ImpactQuestion<'_>,
    name: &str,
    output: &mut ImpactOutput,
) -> Result<()> {
    output.target = ImpactTarget::Unknown;
    let word = last_name(name);
    let removed = change_set::removed_definitions(view, asked)?;
    let near = near_names(view, name, asked.path)?;
    output.did_you_mean =
        (!near.is_empty()).then(|| near.iter().take(MAX_NEAR).map(target).collect());
    output.analysed = AnalysedOutput::of(view, "")?.filter(AnalysedOutput::is_telling);
    let shown = cut_argument(name);
    if !removed.is_empty() {
        output.change_set = Some(change_set::output(
            view,
            (asked.from, &[]),
            &removed,
            MAX_LIST_BYTES / 2,
        )?);
        output.summary = removed.iter().map(became).collect::<Vec<_>>().join(" ");
        output.completeness.unresolved_sites = change_set::n_unresolved(&removed);
        let unresolved = removed.iter().flat_map(|one| &one.unresolved_at);
        return add_lines(
            &uses(view),
            unresolved.map(|(path, line)| (path, *line)),
            output,
        );
    }
    let occurrences = uses(view).occurrences_within(&word, &[], MAX_BYTES)?;
    let fields = FieldsOfC::of(view, name, &occurrences.all)?;
    let mut all: Vec<&NameOccurrence> = occurrences.all.iter().collect();
    all.sort_by_cached_key(|it| {
        let rank = fields.rank(it).unwrap_or(likelihood(it, &word));
        (rank, it.path.clone(), it.line)
    });
    let mut files: BTreeMap<&str, u64> = BTreeMap::new();
    for occurrence in &occurrences.all {
        *files.entry(occurrence.path.as_str()).or_default() += 1;
    }
    let n_dangling = all
        .iter()
        .filter(|it| it.meaning == OccurrenceMeaning::Dangling)
        .count() as u64;
    let is_partial = view.freshness.as_str() != "fresh";
    let mut said = opening(view, asked.path, &shown)?;
    if asked.path.is_some() && near.iter().any(|it| it.name == word) {
        said.push("Other files define it (`didYouMean`).".to_owned());
    }
    if n_dangling > 0 {
        let places = match n_dangling {
            1 => "1 place imports or uses it".to_owned(),
            n => format!("{n} places import or use it"),
        };
        said.push(format!(
            "{places} from a file of the repository that has no such name."
        ));
    }
    if let Some(text) = fields.told() {
        said.push(text);
        output.did_you_mean = None;
        let uses = occurrences.all.iter().filter(|it| fields.may_be_used(it));
        output.completeness.unresolved_sites = uses.count() as u64;
    }
    let word = cut_argument(&word);
    said.push(match occurrences.all.len() {
        0 if is_partial => {
            format!("The word `{word}` does not occur in the files that are read so far.")
        }
        0 if occurrences.n_unsearched > 0 => {
            format!("The word `{word}` was not found in the files that were read.")
        }
        0 => nowhere(&word, view.n_without_text()?),
        n if occurrences.n_unsearched > 0 => in_read_files(&word, n, &occurrences),
        n => format!(
            "The word `{word}` occurs {} in {}.",
            times(n),
            count(files.len() as u64, "file")
        ),
    });
    if occurrences.n_unsearched > 0 {
        said.push(how_to_read_all(&word, &occurrences));
    }
    if let Some(analysed) = output
        .analysed
        .as_ref()
        .filter(|_| !occurrences.all.is_empty())
    {
        said.push(analysed.note().to_owned());
    }
    output.summary = said.join(" ");
    if !occurrences.all.is_empty() {
        output.mentions = Some(MentionsOutput {
            total: occurrences.all.len() as u64,
            files: files.len() as u64,
            dangling: n_dangling,
            places: fields.places(&all),
        });
    }
    Ok(())
}

/// Says before an answer about copies of a definition that the changes took the definition itself away.
pub(super) fn add_removed(
    view: &View<'_>,
    asked: &ImpactQuestion<'_>,
    output: &mut ImpactOutput,
) -> Result<()> {
    let removed = change_set::removed_definitions(view, asked)?;
    if removed.is_empty() {
        return Ok(());
    }
    let said = removed.iter().map(became).collect::<Vec<_>>().join(" ");
    output.summary = format!("{said} {}", output.summary);
    let changes = change_set::output(view, (asked.from, &[]), &removed, MAX_LIST_BYTES / 4)?;
    output.change_set = Some(changes);
    Ok(())
}

/// Says that no definition has a name, and where that is known.
fn opening(view: &View<'_>, path: Option<&RepoPath>, shown: &str) -> Result<Vec<String>> {
    let place = path.map_or(String::new(), |path| format!(" in `{path}`"));
    let mut said = Vec::new();
    if let Some(path) = path
        && view
            .read
            .files_under(path.as_str())?
            .iter()
            .next()
            .is_none()
        && !view.read.has_file(path.as_str())?
    {
        said.push(format!("There is no indexed file or directory `{path}`."));
    }
    said.push(if view.freshness.as_str() == "fresh" {
        format!("No definition is named `{shown}`{place}.")
    } else {
        format!("No definition named `{shown}` is found yet{place}.")
    });
    Ok(said)
}

/// Returns the places of the name of a definition whose uses are not known, those in files of its language first.
pub(super) fn of_outlined(
    uses: &Uses<'_>,
    targets: &[SymbolRow],
) -> Result<Option<MentionsOutput>> {
    let first = &targets[0];
    let occurrences = uses.occurrences(&first.name, targets)?;
    let is_other = |it: &&NameOccurrence| it.meaning != OccurrenceMeaning::OwnDefinition;
    let mut all: Vec<&NameOccurrence> = occurrences.all.iter().filter(is_other).collect();
    let language = language_of(&first.path).id;
    all.sort_by_cached_key(|it| {
        (
            language_of(&it.path).id != language,
            likelihood(it, &first.name),
            it.path.clone(),
            it.line,
        )
    });
    let files: HashSet<&RepoPath> = all.iter().map(|it| &it.path).collect();
    Ok((!all.is_empty()).then(|| MentionsOutput {
        total: all.len() as u64,
        files: files.len() as u64,
        dangling: 0,
        places: place_outputs(&all, MAX_PLACES),
    }))
}

/// Returns how many files hold the name of a definition in languages whose calls are not followed, but for those that
/// [`Uses::unfollowed_naming`] counts: code that may call a definition of another language.
pub(super) fn n_other_code(view: &View<'_>, target: &SymbolRow) -> Result<u64> {
    let files = view.read.files_with_word(&normal_form(&target.name))?;
    let languages = files.iter().filter_map(|file| language(&file.language));
    let family = language_of(&target.path).family();
    let unfollowed = languages.filter(|it| {
        let is_counted = family.is_some_and(|family| it.calls_unfollowed(family));
        it.is_code && it.analysis() != Analysis::Full && !is_counted
    });
    Ok(unfollowed.count() as u64)
}

impl MentionsOutput {
    /// Returns how many places there are, and in how many files.
    pub(super) fn counts(&self) -> (u64, u64) {
        (self.total, self.files)
    }
}

/// Says in how many of the files that may hold a word it was looked for: those of the index hold it in any case.
fn in_read_files(word: &str, n_places: usize, occurrences: &NameOccurrences) -> String {
    let n_read = occurrences.n_files.saturating_sub(occurrences.n_unsearched);
    let were = if n_read == 1 { "was" } else { "were" };
    format!(
        "The word `{word}` is in up to {}; {n_read} of them {were} read: {}.",
        count(occurrences.n_files, "file"),
        count(n_places as u64, "place"),
    )
}

/// Names the command that reads the files which were not read for a word.
fn how_to_read_all(word: &str, occurrences: &NameOccurrences) -> String {
    let unread = match occurrences.all.len() {
        0 => unread(occurrences.n_unsearched, "word") + ": ",
        _ => String::new(),
    };
    let word = shell_word(word);
    format!(
        "{unread}`codelens grep {word} --match literal` (`match: literal` of cl_search) lists every line."
    )
}

/// Says that a word was not found, and how many files it may be in all the same.
fn nowhere(word: &str, n_without_text: u64) -> String {
    let left_out = match n_without_text {
        0 => return format!("The word `{word}` occurs in no indexed file."),
        1 => "1 file holds".to_owned(),
        n => format!("{n} files hold"),
    };
    format!(
        "The word `{word}` occurs in no text that is indexed; {left_out} text that is not (secrets, lock files, generated or large files: `cl_stats` counts them)."
    )
}

/// Returns the first places, each line once.
pub(super) fn place_outputs(all: &[&NameOccurrence], limit: usize) -> Vec<NamePlaceOutput> {
    let mut lines = HashSet::new();
    let unseen = all.iter().filter(|it| lines.insert((&it.path, it.line)));
    unseen.take(limit).map(|it| place_output(it)).collect()
}

fn place_output(occurrence: &NameOccurrence) -> NamePlaceOutput {
    NamePlaceOutput {
        line: line(occurrence),
        role: match occurrence.meaning {
            OccurrenceMeaning::Dangling => "dangling",
            OccurrenceMeaning::External => "external",
            OccurrenceMeaning::OwnDefinition | OccurrenceMeaning::OtherDefinition => "definition",
            OccurrenceMeaning::Comment => "comment",
            OccurrenceMeaning::Text => "string",
            OccurrenceMeaning::Prose => "text",
            _ => "use",
        },
    }
}

/// Returns the rank of a place, the likeliest first.
fn likelihood(occurrence: &NameOccurrence, word: &str) -> u8 {
    match occurrence.meaning {
        OccurrenceMeaning::Dangling => 0,
        OccurrenceMeaning::Unbound
        | OccurrenceMeaning::Use(..)
        | OccurrenceMeaning::Import
        | OccurrenceMeaning::ReExport => 1,
        OccurrenceMeaning::Prose
            if occurrence.is_in_code && looks_like_definition(&occurrence.text, word) =>
        {
            1
        }
        OccurrenceMeaning::OtherTarget => 2,
        OccurrenceMeaning::OwnDefinition | OccurrenceMeaning::OtherDefinition => 3,
        OccurrenceMeaning::Prose if occurrence.is_in_code => 4,
        OccurrenceMeaning::Text => 5,
        OccurrenceMeaning::Prose => 6,
        OccurrenceMeaning::External => 7,
        OccurrenceMeaning::Comment => 8,
    }
}

/// Whether a line of a language that is read as text alone looks as if it defined `word`: `class Flask(App):`,
/// `pub fn open(`, `func (s *Server) Open(`.
fn looks_like_definition(line: &str, word: &str) -> bool {
    let Some((before, _)) = line.split_once(word) else {
        return false;
    };
    let before = before.trim_end();
    // The receiver of a Go method stands between the keyword and the name.
    let before = match before.rsplit_once("func (") {
        Some((_, receiver)) if receiver.ends_with(')') => "func",
        _ => before,
    };
    let last = before.rsplit(char::is_whitespace).next();
    last.is_some_and(|last| DEFINING_WORDS.contains(&last))
}

/// Names the change of a definition, and how many places still name it.
fn became(one: &RemovedDefinition) -> String {
    let now = one
        .now
        .as_ref()
        .map(|(path, symbol, line)| format!("`{symbol}` ({path}:{line})"));
    let fate = match (one.change, now) {
        (ChangeKind::Renamed, Some(now)) => format!("was renamed to {now}"),
        (ChangeKind::Moved, Some(now)) => format!("was moved: now {now}"),
        (ChangeKind::Unexported, _) => "is not exported any more".to_owned(),
        _ => "was removed".to_owned(),
    };
    let files: std::collections::BTreeSet<&str> =
        one.uses.iter().map(|it| it.path.as_str()).collect();
    let doubt = doubt(one.uses.len() as u64, one.n_doubtful());
    let unresolved = |noun: &str| match one.n_unresolved {
        0 => String::new(),
        n => format!("; {} of this name {} unresolved", count(n, noun), are(n)),
    };
    let uses = match one.uses.len() {
        0 if one.n_unresolved > 0 => {
            format!("No use of it is left that is proved{}.", unresolved("use"))
        }
        0 => match in_unfollowed("The word", &one.unfollowed) {
            Some(files) => format!("No use of it is left in code that is followed. {files}"),
            None => "No use of it is left that could be found.".to_owned(),
        },
        1 => format!("1 place still names it{doubt}{}.", unresolved("more use")),
        n => format!(
            "{n} places in {} still name it{doubt}{}.",
            count(files.len() as u64, "file"),
            unresolved("more use")
        ),
    };
    format!(
        "`{}` ({}) {fate} by the uncommitted changes. {uses}",
        one.qualified_name, one.path
    )
}

fn times(n: usize) -> String {
    if n == 1 {
        "once".to_owned()
    } else {
        format!("{n} times")
    }
}
