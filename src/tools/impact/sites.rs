//! The lines of one definition in an answer: where it is used, imported, re-exported, and where its name may mean it.

use std::collections::HashSet;

use schemars::JsonSchema;
use serde::Serialize;

use super::{DEFAULT_LIST_BYTES, ImpactInput, ImpactOutput};
use crate::error::Result;
use crate::model::path::parent;
use crate::model::sanitize::one_line;
use crate::model::{Provenance, RepoPath, SymbolKind};
use crate::tools::analysed::is_outlined;
use crate::tools::answer::{Cursor, MAX_LIST_BYTES, truncate_to_bytes};
use crate::tools::number::clamp;
use crate::tools::places::Defaults;
use crate::uses::{Exposure, NameOccurrence, NameOccurrences, OccurrenceMeaning, UseKind, Uses};
use crate::workspace::{SymbolRow, View};

/// Uses that could not be bound that are listed unasked.
const MAX_UNRESOLVED: usize = 10;

/// Bytes of files that hold the name which are read for a definition without uses: some 0.1 s.
const MAX_DOUBT_BYTES: usize = 512 << 10;

/// A line of a file.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(crate) struct LineOutput {
    pub(crate) path: String,
    pub(crate) line: u32,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) text: String,
}

/// A line that uses the definition.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SiteOutput {
    pub(crate) path: String,
    pub(crate) line: u32,
    pub(crate) text: String,
    /// call, new, type, extends, implements, import, reexport, template, decorator or reference.
    #[serde(rename = "use")]
    pub(crate) used: &'static str,
    /// The definition around the line.
    #[serde(rename = "in", skip_serializing_if = "Option::is_none")]
    pub(crate) within: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) provenance: Option<&'static str>,
    /// Used under another name: the line does not hold its own.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) alias: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) stale: bool,
}

/// The places of the name that are no use of the definition. With `sitesTotal` (aliases apart) and `unresolvedTotal` they
/// add up to all occurrences of the name as a word in the indexed files.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OtherMentionsOutput {
    /// The names of definitions, its own among them, parameters, variables and properties.
    pub(crate) definitions: u64,
    /// Uses of something else of this name.
    pub(crate) other_targets: u64,
    /// Uses of something outside the repository.
    pub(crate) external: u64,
    #[schemars(with = "serde_json::Value")]
    pub(crate) comments: u64,
    #[schemars(with = "serde_json::Value")]
    pub(crate) strings: u64,
    /// In files whose uses are not known.
    pub(crate) prose: u64,
}

/// Adds the lines of the definition that `targets` declare, as far as they are asked for.
pub(super) fn add(
    view: &View<'_>,
    uses: &Uses<'_>,
    input: &ImpactInput,
    targets: &[SymbolRow],
    output: &mut ImpactOutput,
) -> Result<()> {
    let first = &targets[0];
    let exposure = uses.exposure(targets)?;
    let used_in: HashSet<&str> = output.callers.iter().map(|it| it.path.as_str()).collect();
    let passes_on = |path: &RepoPath| exposure.reexporters.iter().any(|it| it.0 == *path);
    let is_new =
        |path: &RepoPath| input.sites || !used_in.contains(path.as_str()) && !passes_on(path);
    let importers = exposure.importers.iter().map(|(path, _)| path);
    let mut imported_by: Vec<String> = importers
        .filter(|path| is_new(path))
        .map(ToString::to_string)
        .collect();
    let n_importers = imported_by.len();
    output.completeness.n_importers = n_importers as u64;
    truncate_to_bytes(&mut imported_by, DEFAULT_LIST_BYTES / 6);
    output.truncated |= imported_by.len() < n_importers;
    output.imported_by = imported_by;
    let mut reexported_by: Vec<String> = exposure
        .reexporters
        .iter()
        .map(|(path, line)| format!("{path}:{line}"))
        .collect();
    truncate_to_bytes(&mut reexported_by, DEFAULT_LIST_BYTES / 8);
    output.truncated |= reexported_by.len() < exposure.reexporters.len();
    output.reexported_by = reexported_by;
    output.exported_from.clone_from(&exposure.packages);
    output.truncated |= exposure.is_cut;
    if input.sites {
        add_sites(view, uses, input, targets, output)?;
    } else {
        add_unbound(view, uses, targets, &exposure, output)?;
    }
    add_pasting_macros(uses, first, output)
}

/// Adds the macros whose calls may make the name of the definition: which names these are is not known.
fn add_pasting_macros(uses: &Uses<'_>, first: &SymbolRow, output: &mut ImpactOutput) -> Result<()> {
    let places = uses.pasting_macros(first)?;
    if places.is_empty() {
        return Ok(());
    }
    let n_more = places.len() as u64;
    output.completeness.unresolved_sites += n_more;
    output.unresolved_total = Some(output.unresolved_total.unwrap_or_default() + n_more);
    add_lines(uses, places.iter().map(|it| (&it.path, it.line)), output)
}

/// Adds unresolved uses to those that are shown, as far as these go.
pub(super) fn add_lines<'p>(
    uses: &Uses<'_>,
    places: impl Iterator<Item = (&'p RepoPath, u32)>,
    output: &mut ImpactOutput,
) -> Result<()> {
    let n_left = MAX_UNRESOLVED.saturating_sub(output.unresolved.len());
    for (path, line) in places.take(n_left) {
        output.unresolved.push(LineOutput {
            path: path.to_string(),
            line,
            text: uses.line(path, line)?,
        });
    }
    Ok(())
}

/// Adds the uses of the name that lead to no definition.
fn add_unbound(
    view: &View<'_>,
    uses: &Uses<'_>,
    targets: &[SymbolRow],
    exposure: &Exposure,
    output: &mut ImpactOutput,
) -> Result<()> {
    let first = &targets[0];
    let named = targets.iter().filter(|it| it.name == first.name);
    let mut places = uses.unbound_places(&named.collect::<Vec<_>>())?;
    if places.is_empty() && output.callers.is_empty() && !is_outlined(&first.path) {
        return add_doubts(view, uses, targets, output);
    }
    output.completeness.unsearched_files = uses.n_unexplained_files(targets, exposure)?;
    let total = places.iter().map(|place| u64::from(place.count)).sum();
    output.completeness.unresolved_sites = total;
    output.unresolved_total = Some(total).filter(|total| *total > 0);
    let near = Nearness::of(view, first)?;
    places.sort_by_cached_key(|place| {
        (
            near.of_path(&place.path),
            place.is_member() != near.is_member,
            place.path.clone(),
            place.line,
        )
    });
    add_lines(uses, places.iter().map(|it| (&it.path, it.line)), output)
}

/// Adds the unresolved uses of the names that a file defines, where no use of these is known.
pub(super) fn add_unbound_of_file(
    view: &View<'_>,
    uses: &Uses<'_>,
    targets: &[SymbolRow],
    output: &mut ImpactOutput,
) -> Result<()> {
    let mut places = uses.unbound_places_of_file(targets)?;
    let total = places.iter().map(|place| u64::from(place.count)).sum();
    output.completeness.unresolved_sites = total;
    output.unresolved_total = Some(total).filter(|total| *total > 0);
    let near = Nearness::of(view, &targets[0])?;
    places.sort_by_cached_key(|place| (near.of_path(&place.path), place.path.clone(), place.line));
    places.dedup_by(|one, other| (&one.path, one.line) == (&other.path, other.line));
    add_lines(uses, places.iter().map(|it| (&it.path, it.line)), output)
}

/// Adds the places that may be uses of a definition that has none by the index: code that could not be read, or names that
/// linking does not follow, are found by reading the files that hold the word.
fn add_doubts(
    view: &View<'_>,
    uses: &Uses<'_>,
    targets: &[SymbolRow],
    output: &mut ImpactOutput,
) -> Result<()> {
    let first = &targets[0];
    let occurrences = uses.occurrences_of(targets, MAX_DOUBT_BYTES)?;
    output.completeness.unsearched_files = occurrences.n_unsearched;
    output.completeness.external = external_members(first, &occurrences);
    let is_doubtful = |it: &&NameOccurrence| {
        matches!(
            it.meaning,
            OccurrenceMeaning::Unbound | OccurrenceMeaning::Dangling
        )
    };
    let doubts: Vec<&NameOccurrence> = occurrences.all.iter().filter(is_doubtful).collect();
    add_unresolved(view, first, doubts, (0, MAX_UNRESOLVED), output)?;
    Ok(())
}

/// Returns how many uses of the name of a member are taken for something outside the repository, with the place of the first; `None` for
/// what is reached by imports, which tell.
fn external_members(first: &SymbolRow, occurrences: &NameOccurrences) -> Option<(u64, String)> {
    let is_external = |it: &&NameOccurrence| it.meaning == OccurrenceMeaning::External;
    let mut external = occurrences.all.iter().filter(is_external);
    let is_member = matches!(
        first.kind,
        SymbolKind::Method | SymbolKind::Field | SymbolKind::Property
    );
    let one = is_member.then(|| external.next())??;
    let n = 1 + external.count() as u64;
    Some((n, format!("{}:{}", one.path, one.line)))
}

/// Adds the lines of places that may be uses, the likeliest first: at most `limit` behind the `n_before` that pages before have shown. Returns how many
/// lines are shown then; `None` where there are no more.
fn add_unresolved(
    view: &View<'_>,
    first: &SymbolRow,
    mut unresolved: Vec<&NameOccurrence>,
    (n_before, limit): (usize, usize),
    output: &mut ImpactOutput,
) -> Result<Option<usize>> {
    let total = unresolved.len() as u64;
    output.completeness.unresolved_sites = total;
    output.unresolved_total = Some(total).filter(|total| *total > 0);
    let near = Nearness::of(view, first)?;
    unresolved.sort_by_cached_key(|it| (near.of_path(&it.path), it.path.clone(), it.line));
    // A line that names it twice is one.
    unresolved.dedup_by(|one, other| place(one) == place(other));
    let n_lines = unresolved.len();
    let rest = unresolved.iter().skip(n_before);
    let mut lines: Vec<LineOutput> = rest.take(limit).map(|it| line(it)).collect();
    truncate_to_bytes(&mut lines, MAX_LIST_BYTES / 4);
    let n_shown = n_before.saturating_add(lines.len()).min(n_lines);
    output.unresolved = lines;
    Ok(Some(n_shown).filter(|shown| *shown < n_lines))
}

/// Adds every line, page by page, and the counts of everything else.
fn add_sites(
    view: &View<'_>,
    uses: &Uses<'_>,
    input: &ImpactInput,
    targets: &[SymbolRow],
    output: &mut ImpactOutput,
) -> Result<()> {
    let first = &targets[0];
    let limit = clamp(input.limit, 200, 1..=500);
    let asked = format!(
        "sites {} {}",
        first.handle,
        input.include_tests.unwrap_or(true)
    );
    let after = match &input.cursor {
        Some(text) => Some(Cursor::decode(text, &asked, view.index_id)?),
        None => None,
    };
    let occurrences = uses.occurrences_of(targets, usize::MAX)?;
    let mut other = OtherMentionsOutput::default();
    let mut unresolved: Vec<&NameOccurrence> = Vec::new();
    let mut sites: Vec<&NameOccurrence> = Vec::new();
    let mut n_aliases = 0;
    for occurrence in &occurrences.all {
        match occurrence.meaning {
            OccurrenceMeaning::Use(..)
            | OccurrenceMeaning::Import
            | OccurrenceMeaning::ReExport => {
                n_aliases += u64::from(occurrence.is_alias);
                sites.push(occurrence);
            }
            OccurrenceMeaning::Unbound | OccurrenceMeaning::Dangling => unresolved.push(occurrence),
            OccurrenceMeaning::OwnDefinition | OccurrenceMeaning::OtherDefinition => {
                other.definitions += 1;
            }
            OccurrenceMeaning::OtherTarget => other.other_targets += 1,
            OccurrenceMeaning::External => other.external += 1,
            OccurrenceMeaning::Comment => other.comments += 1,
            OccurrenceMeaning::Text => other.strings += 1,
            OccurrenceMeaning::Prose => other.prose += 1,
        }
    }
    output.sites_total = Some(sites.len() as u64 - n_aliases);
    output.completeness.skipped_files += occurrences.n_unsearched;
    output.completeness.external = external_members(first, &occurrences);
    output.other_mentions = Some(other);
    let n_unresolved = unresolved.len();
    // The cursor holds how many lines of unresolved uses were shown, beside the last line of a use.
    let n_before = after.as_ref().map_or(0, |last| last.score as usize);
    let more_unresolved = add_unresolved(view, first, unresolved, (n_before, limit), output)?;
    output.unresolved_total = Some(n_unresolved as u64);
    output.are_sites_cut |= more_unresolved.is_some();
    let is_behind = |occurrence: &&&NameOccurrence| {
        let last = after.as_ref().map(|last| (last.path.as_str(), last.line));
        last.is_none_or(|last| (occurrence.path.as_str(), occurrence.line) > last)
    };
    let rest: Vec<&NameOccurrence> = sites.iter().filter(is_behind).copied().collect();
    let page = &rest[..rest.len().min(limit)];
    let known = page.iter().map(|occurrence| use_of(occurrence).1);
    let defaults = output.defaults.take();
    let is_set = defaults.is_some();
    let defaults = defaults.unwrap_or_else(|| Defaults::of_edges(first.path.as_str(), known));
    let sites = page.iter().map(|it| site(view, it, &defaults));
    let mut shown: Vec<SiteOutput> = sites.collect();
    output.defaults = Some(defaults).filter(|_| is_set || !shown.is_empty());
    truncate_to_bytes(&mut shown, MAX_LIST_BYTES / 2);
    // A page ends with a line, so that the next one begins with another.
    while shown.len() < rest.len()
        && shown.len() > 1
        && place(rest[shown.len() - 1]) == place(rest[shown.len()])
    {
        shown.pop();
    }
    let has_more = shown.len() < rest.len();
    output.are_sites_cut |= has_more;
    if has_more || more_unresolved.is_some() {
        let last = shown.len().checked_sub(1).map(|at| place(rest[at]));
        let before = after.as_ref().map(|last| (last.path.clone(), last.line));
        let (path, line) = last
            .map(|(path, line)| (path.to_string(), line))
            .or(before)
            .unwrap_or_default();
        let cursor = Cursor {
            score: u32::try_from(more_unresolved.unwrap_or(usize::MAX)).unwrap_or(u32::MAX),
            path,
            line,
        };
        output.next_cursor = Some(cursor.encode(&asked, view.index_id));
    }
    output.truncated |= output.are_sites_cut;
    output.sites = Some(shown);
    Ok(())
}

fn place(occurrence: &NameOccurrence) -> (&RepoPath, u32) {
    (&occurrence.path, occurrence.line)
}

/// Returns a place as a line.
pub(super) fn line(occurrence: &NameOccurrence) -> LineOutput {
    LineOutput {
        path: occurrence.path.to_string(),
        line: occurrence.line,
        text: one_line(&occurrence.text).into_owned(),
    }
}

/// Returns how a line uses the definition, in a word, and how that is known.
fn use_of(occurrence: &NameOccurrence) -> (&'static str, Provenance) {
    match occurrence.meaning {
        OccurrenceMeaning::Import => ("import", Provenance::Resolved),
        OccurrenceMeaning::ReExport => ("reexport", Provenance::Resolved),
        OccurrenceMeaning::Use(kind, provenance) => (word(kind), provenance),
        _ => ("reference", Provenance::Resolved),
    }
}

fn site(view: &View<'_>, occurrence: &NameOccurrence, defaults: &Defaults) -> SiteOutput {
    let (used, provenance) = use_of(occurrence);
    SiteOutput {
        path: occurrence.path.to_string(),
        line: occurrence.line,
        text: one_line(&occurrence.text).into_owned(),
        used,
        within: occurrence.within.clone(),
        provenance: defaults.provenance_besides(provenance),
        alias: occurrence.is_alias,
        stale: view.is_stale(occurrence.path.as_str()),
    }
}

/// Returns the word for a kind of use on the wire.
pub(super) fn word(kind: UseKind) -> &'static str {
    match kind {
        UseKind::Call => "call",
        UseKind::New => "new",
        UseKind::Type => "type",
        UseKind::Extends => "extends",
        UseKind::Implements => "implements",
        UseKind::Decorator => "decorator",
        UseKind::Template => "template",
        UseKind::Reference => "reference",
    }
}

/// How likely an unbound use of a name is one of a definition: by where it stands.
struct Nearness {
    own: RepoPath,
    importers: HashSet<RepoPath>,
    is_member: bool,
}

impl Nearness {
    fn of(view: &View<'_>, target: &SymbolRow) -> Result<Self> {
        let importers = view.read.importers_of(target.path.as_str())?;
        Ok(Self {
            own: target.path.clone(),
            importers: importers.into_iter().collect(),
            is_member: target.parent.is_some(),
        })
    }

    /// 0 for its own file, 1 for one that imports that, 2 for its directory, 3 for its package's, 4 elsewhere.
    fn of_path(&self, path: &RepoPath) -> u8 {
        let top = |path: &RepoPath| {
            let mut parts = path.as_str().splitn(3, '/');
            (
                parts.next().map(str::to_owned),
                parts.next().map(str::to_owned),
            )
        };
        if *path == self.own {
            0
        } else if self.importers.contains(path) {
            1
        } else if parent(path.as_str()) == parent(self.own.as_str()) {
            2
        } else if top(path) == top(&self.own) {
            3
        } else {
            4
        }
    }
}
