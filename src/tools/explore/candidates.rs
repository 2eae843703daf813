//! The definitions that may go into a pack, in the order in which they do: those that were found, then their surroundings
//! the best of them by bound edges. The list does not depend on the budget.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use serde::{Serialize, Serializer};

use super::pack_item::{PackItem, has_members};
use super::source::SourceReader;
use super::{ExploreInput, Include};
use crate::error::Result;
use crate::graph::impact::{self, walk};
use crate::model::sanitize::one_line;
use crate::model::{Direction, EdgeKind, Provenance, RepoPath, SymbolId, SymbolKind};
use crate::search::{Hit, Query};
use crate::tools::number::clamp;
use crate::tools::places::{LocatedSymbol, places, uses};
use crate::workspace::{EdgeRow, SymbolRow};

/// Hits that are looked at.
const MAX_HITS: usize = 200;

/// A hit with less than this share of the best score is cut off …
pub(super) const CUTOFF: f64 = 0.3;

/// … but for the first ones.
const MIN_HITS: usize = 2;

/// A hit with less than this share of the best score says less than the surroundings of the best ones, and goes behind them
/// where they are asked for.
const STRONG: f64 = 0.5;

/// The chance that a declaration (a type, a property) is wanted, times that of code of the same rank.
const DECLARATION: f64 = 0.5;

/// Bytes of a part besides its text.
const PART_BYTES: f64 = 280.0;

/// Hits whose surroundings are looked at.
const N_ROOTS: usize = 3;

/// Definitions around one hit or target: beside it, called, named, using it, testing it.
const MAX_CALLEES: usize = 6;
const MAX_IMPORTS: usize = 6;
const MAX_CALLERS: usize = 4;
const MAX_TESTS: usize = 3;
const MAX_NEIGHBOURS: usize = 16;

/// Definitions around one hit or target that are looked at in one role.
const MAX_AROUND: usize = 12;

/// A definition around others is found in the place of those inside it up to this length.
const MAX_MERGED_LINES: u32 = 60;

/// A class beside a hit goes by its header where it is longer.
const MAX_FRAME_LINES: u32 = 60;

/// Words that are named as the reason for a hit.
const MAX_WORDS: usize = 2;

/// Further definitions that are named and not listed as parts.
const MAX_CUT: usize = 50;

/// The role of a part in a pack, in the order of filling.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum PackRole {
    /// It answers the question.
    Hit,
    /// It was asked for.
    Target,
    /// The header of the class, interface or object that a hit is a member of.
    Container,
    /// A hit calls it.
    Callee,
    /// It stands beside a hit.
    Neighbour,
    /// It uses a hit.
    Caller,
    /// A test uses a hit there.
    Test,
    /// A hit names it and does not call it.
    Import,
}

impl PackRole {
    /// Returns the word of the wire.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Hit => "hit",
            Self::Target => "target",
            Self::Container => "container",
            Self::Callee => "callee",
            Self::Neighbour => "neighbour",
            Self::Caller => "caller",
            Self::Test => "test",
            Self::Import => "import",
        }
    }

    /// Whether it stands for something that was found or asked for, and not for its surroundings.
    pub(super) fn is_found(self) -> bool {
        matches!(self, Self::Hit | Self::Target)
    }
}

/// The reason that a definition is no part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OmissionReason {
    /// It does not fit.
    Budget,
    /// It has less than three tenths of the best hit's score.
    Cutoff,
    /// `limit`, `maxFiles`, or the number of definitions around one.
    Limit,
    /// Its lines are in a part.
    Duplicate,
}

impl OmissionReason {
    /// Returns the word of the wire.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Budget => "budget",
            Self::Cutoff => "cutoff",
            Self::Limit => "limit",
            Self::Duplicate => "duplicate",
        }
    }
}

impl Serialize for PackRole {
    fn serialize<S: Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
        to.serialize_str(self.word())
    }
}

impl Serialize for OmissionReason {
    fn serialize<S: Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
        to.serialize_str(self.word())
    }
}

/// A definition that may go into a pack.
#[derive(Clone, Debug)]
pub(super) struct PackCandidate {
    pub(super) item: PackItem,
    pub(super) role: PackRole,
    /// How likely it is wanted, compared with the others of its role.
    pub(super) value: f64,
    /// The order of filling within a role, the heaviest first: the value for the room that it takes.
    weight: f64,
    /// Of a hit, its share of the best score.
    share: f64,
    /// Whether it goes behind all others.
    is_weak: bool,
    /// The share of the question that it covers.
    pub(super) score: Option<f64>,
    /// The handle or the words that brought it.
    pub(super) because: String,
    pub(super) provenance: Option<Provenance>,
    /// The line of the first use, in a part that uses what brought it.
    pub(super) line: Option<u32>,
    /// The title of a test.
    pub(super) test: Option<String>,
    /// Names of members, of a header.
    pub(super) members: Vec<String>,
    /// Set where it stays out whatever the budget.
    pub(super) excluded: Option<OmissionReason>,
    /// Whether its item was reduced to the comment and the signature.
    pub(super) is_signature: bool,
}

/// The candidates of a pack.
pub(super) struct Candidates {
    pub(super) list: Vec<PackCandidate>,
    /// Definitions that were found again inside another candidate.
    pub(super) n_duplicates: u64,
}

impl PackCandidate {
    /// Whether it is a long definition that was found, around another candidate that is no header.
    fn is_around_others(&self, other: &Self) -> bool {
        self.role.is_found()
            && self.item.n_lines() > MAX_MERGED_LINES
            && self.item.contains(&other.item)
            && self.item.lines != other.item.lines
            && other.role != PackRole::Container
    }
}

impl Candidates {
    fn new() -> Self {
        Self {
            list: Vec::new(),
            n_duplicates: 0,
        }
    }

    /// Adds a candidate unless one before it has some of its lines. Definitions within a long one that was found are candidates
    /// of their own: which of them fit depends on the budget.
    fn add(&mut self, candidate: PackCandidate) {
        let is_known = |known: &PackCandidate| {
            known.item.overlaps(&candidate.item)
                && !(candidate.is_around_others(known) || known.is_around_others(&candidate))
        };
        if self.list.iter().any(is_known) {
            self.n_duplicates += 1;
        } else {
            self.list.push(candidate);
        }
    }

    /// Puts the candidates in the order of filling.
    fn sort(&mut self) {
        self.list.sort_by(|a, b| {
            let place = |it: &PackCandidate| (it.item.path.clone(), it.item.lines);
            (a.is_weak.cmp(&b.is_weak))
                .then(a.role.cmp(&b.role))
                .then(b.weight.total_cmp(&a.weight))
                .then_with(|| place(a).cmp(&place(b)))
        });
    }
}

/// Returns the candidates of a question, whose hits are ranked.
pub(super) fn of_hits(
    source: &SourceReader<'_>,
    input: &ExploreInput,
    query: &Query,
    ranked: &[Hit],
) -> Result<Candidates> {
    let mut found = hits(source, query, ranked)?;
    weigh(source, input, &mut found.list)?;
    let mut candidates = Candidates::new();
    candidates.n_duplicates = found.n_duplicates;
    exclude(input, &mut found.list);
    let mut best: Vec<&PackCandidate> = found.list.iter().collect();
    best.retain(|it| it.excluded.is_none() && !it.is_weak);
    best.sort_by(|a, b| b.value.total_cmp(&a.value));
    let roots: Vec<PackRoot> = best
        .into_iter()
        .filter_map(|hit| hit.item.symbol.clone())
        .filter(|symbol| symbol.kind != SymbolKind::Heading)
        .take(N_ROOTS)
        .zip([1.0, 0.5, 0.25])
        .map(|(symbol, value)| PackRoot { symbol, value })
        .collect();
    // What a good hit calls is that before it is a poor hit of its own.
    let (strong, rest): (Vec<PackCandidate>, Vec<PackCandidate>) = found
        .list
        .into_iter()
        .partition(|hit| hit.excluded.is_none() && !hit.is_weak);
    for hit in strong {
        candidates.add(hit);
    }
    surroundings(source, input, &roots, &mut candidates)?;
    let (weak, excluded): (Vec<PackCandidate>, Vec<PackCandidate>) =
        rest.into_iter().partition(|hit| hit.excluded.is_none());
    for hit in weak.into_iter().chain(excluded) {
        candidates.add(hit);
    }
    candidates.sort();
    Ok(candidates)
}

/// Returns the candidates of targets; `items` are theirs, each with the target that brought it.
pub(super) fn of_items(
    source: &SourceReader<'_>,
    input: &ExploreInput,
    items: Vec<(PackItem, String)>,
    roots: &[SymbolRow],
) -> Result<Candidates> {
    let mut candidates = Candidates::new();
    let n_units = items.len();
    for (at, (item, because)) in items.into_iter().enumerate() {
        #[allow(clippy::cast_precision_loss, reason = "some hundred items")]
        let weight = (n_units - at) as f64;
        candidates.add(PackCandidate {
            item,
            role: PackRole::Target,
            value: weight,
            weight,
            share: 1.0,
            is_weak: false,
            score: None,
            because,
            provenance: None,
            line: None,
            test: None,
            members: Vec::new(),
            excluded: None,
            is_signature: false,
        });
    }
    let mut roots: Vec<PackRoot> = roots
        .iter()
        .map(|symbol| PackRoot {
            symbol: symbol.clone(),
            value: 1.0,
        })
        .collect();
    // Equals go by path and line: the order of the targets stays.
    for (at, root) in roots.iter_mut().enumerate() {
        #[allow(clippy::cast_precision_loss, reason = "at most 20 targets")]
        let behind = at as f64;
        root.value -= behind / 100.0;
    }
    surroundings(source, input, &roots, &mut candidates)?;
    candidates.sort();
    Ok(candidates)
}

/// A definition whose surroundings are looked at.
struct PackRoot {
    symbol: SymbolRow,
    value: f64,
}

/// Returns a candidate for each definition that was hit, the best first: overlapping ones are merged.
fn hits(source: &SourceReader<'_>, query: &Query, ranked: &[Hit]) -> Result<Candidates> {
    let mut found: Vec<PackCandidate> = Vec::new();
    let mut n_duplicates = 0;
    for hit in ranked.iter().take(MAX_HITS) {
        let item = PackItem::of_chunk(source, &hit.chunk)?;
        if found
            .iter()
            .any(|known| known.item.lines == item.lines && known.item.path == item.path)
        {
            n_duplicates += 1;
            continue;
        }
        let words = query.held(hit);
        let because = if words.is_empty() {
            hit.reasons.to_string()
        } else {
            words[..words.len().min(MAX_WORDS)].join(" ")
        };
        found.push(PackCandidate {
            item,
            role: PackRole::Hit,
            value: hit.sort_key,
            weight: 0.0,
            share: hit.share,
            is_weak: false,
            score: Some(hit.coverage),
            because,
            provenance: None,
            line: None,
            test: None,
            members: Vec::new(),
            excluded: None,
            is_signature: false,
        });
    }
    let list = merged(found, &mut n_duplicates);
    Ok(Candidates { list, n_duplicates })
}

/// Merges hits inside of others: a short definition stands for those inside it. Around a long one they stay.
fn merged(mut found: Vec<PackCandidate>, n_duplicates: &mut u64) -> Vec<PackCandidate> {
    let items: Vec<PackItem> = found.iter().map(|it| it.item.clone()).collect();
    let mut is_inside = vec![false; found.len()];
    for (outer, item) in items.iter().enumerate() {
        let inner: Vec<usize> = (0..items.len())
            .filter(|at| *at != outer && item.contains(&items[*at]))
            .collect();
        if inner.is_empty() {
            continue;
        }
        if item.n_lines() > MAX_MERGED_LINES {
            continue;
        }
        for at in inner {
            is_inside[at] = true;
            let (value, share, score) = (found[at].value, found[at].share, found[at].score);
            let whole = &mut found[outer];
            whole.value = whole.value.max(value);
            whole.share = whole.share.max(share);
            if score > whole.score {
                whole.score = score;
            }
        }
    }
    let mut at = 0;
    found.retain(|_| {
        at += 1;
        !is_inside[at - 1]
    });
    *n_duplicates += is_inside.iter().filter(|it| **it).count() as u64;
    found.sort_by(|a, b| b.value.total_cmp(&a.value));
    found
}

/// Gives each hit, the best first, its value and its place in the order of filling.
///
/// The value falls with the rank of the file, the square root of the rank within the file and the fourth root of the rank
/// among all hits: about the chance that a commit that the question describes changes the definition (logistic regression over the
/// open questions of the search bench; flat around these powers). Of two of the same value the shorter one comes first: it leaves
/// room for others. The best one stays first whatever its size.
fn weigh(
    source: &SourceReader<'_>,
    input: &ExploreInput,
    found: &mut [PackCandidate],
) -> Result<()> {
    let has_surroundings = input.include.iter().any(|it| *it != Include::Source);
    let mut files: HashMap<RepoPath, (f64, f64)> = HashMap::new();
    let (mut rank, mut n_files) = (0.0, 0.0);
    for hit in found.iter_mut() {
        rank += 1.0;
        let (file, in_file) = files.entry(hit.item.path.clone()).or_insert_with(|| {
            n_files += 1.0;
            (n_files, 0.0)
        });
        *in_file += 1.0;
        hit.value = 1.0 / (*file * in_file.sqrt() * f64::sqrt(rank).sqrt());
        let kind = hit.item.symbol.as_ref().map(|symbol| symbol.kind);
        if kind.is_some_and(SymbolKind::is_declaration) {
            hit.value *= DECLARATION;
        }
        hit.is_weak = has_surroundings && rank > 1.0 && hit.share < STRONG;
    }
    // A long definition is wanted as much as the best one inside it.
    let values: Vec<f64> = found.iter().map(|hit| hit.value).collect();
    for at in 0..found.len() {
        let inner = (0..values.len()).filter(|other| found[at].is_around_others(&found[*other]));
        let best = inner.map(|other| values[other]).fold(values[at], f64::max);
        found[at].value = best;
    }
    for hit in found.iter_mut() {
        let text = source.text(&hit.item.path)?;
        let (first, last) = hit.item.lines;
        let n_bytes = text.map_or(0, |text| text.lines(first, last).len());
        #[expect(clippy::cast_precision_loss, reason = "a file has no 2^52 bytes")]
        let size = PART_BYTES + n_bytes as f64;
        hit.weight = hit.value / size.sqrt();
    }
    if let Some(first) = found.first_mut() {
        first.value = f64::INFINITY;
        first.weight = f64::INFINITY;
    }
    Ok(())
}

/// Says which hits stay out: those far below the best one, and those beyond the bounds that the caller sets.
fn exclude(input: &ExploreInput, found: &mut Vec<PackCandidate>) {
    let limit = clamp(input.limit, 50, 1..=50);
    let max_files = clamp(input.max_files, usize::MAX, 1..=usize::MAX);
    let max_of_a_file = clamp(input.max_results_per_file, usize::MAX, 1..=usize::MAX);
    let mut files = HashSet::new();
    let mut n_in: HashMap<RepoPath, usize> = HashMap::new();
    let mut n_kept = 0;
    for (at, hit) in found.iter_mut().enumerate() {
        let path = &hit.item.path;
        let of_file = n_in.get(path).copied().unwrap_or(0);
        let is_beyond = n_kept >= limit
            || of_file >= max_of_a_file
            || (!files.contains(path) && files.len() >= max_files);
        if at >= MIN_HITS && hit.share < CUTOFF {
            hit.excluded = Some(OmissionReason::Cutoff);
        } else if is_beyond {
            hit.excluded = Some(OmissionReason::Limit);
        } else {
            n_kept += 1;
            files.insert(path.clone());
            *n_in.entry(path.clone()).or_default() += 1;
        }
    }
    let mut n_out = 0;
    found.retain(|hit| {
        n_out += usize::from(hit.excluded.is_some());
        hit.excluded.is_none() || n_out <= MAX_CUT
    });
}

/// Adds the surroundings of the roots, as far as the caller includes them.
fn surroundings(
    source: &SourceReader<'_>,
    input: &ExploreInput,
    roots: &[PackRoot],
    candidates: &mut Candidates,
) -> Result<()> {
    if input.includes(Include::Source) {
        for root in roots {
            container(source, root, candidates)?;
        }
    }
    if input.includes(Include::Callees) || input.includes(Include::Imports) {
        for root in roots {
            used(source, input, root, candidates)?;
        }
    }
    if input.includes(Include::Source) {
        for root in roots {
            neighbours(source, root, candidates)?;
        }
    }
    if input.includes(Include::Callers) || input.includes(Include::Tests) {
        for root in roots {
            users(source, input, root, candidates)?;
        }
    }
    Ok(())
}

fn container(
    source: &SourceReader<'_>,
    root: &PackRoot,
    candidates: &mut Candidates,
) -> Result<()> {
    let symbols = source.symbols(&root.symbol.path)?;
    let Some(parent) = root.symbol.parent.and_then(|at| symbols.get(at as usize)) else {
        return Ok(());
    };
    if !has_members(parent, &symbols) {
        return Ok(());
    }
    if let Some((item, members)) = PackItem::header(source, parent)? {
        candidates.add(PackCandidate {
            item,
            members,
            ..around(root, PackRole::Container)
        });
    }
    Ok(())
}

/// Adds the definitions that a root, with those inside it, calls and names: in the order of their first use.
fn used(
    source: &SourceReader<'_>,
    input: &ExploreInput,
    root: &PackRoot,
    candidates: &mut Candidates,
) -> Result<()> {
    let view = source.view;
    let own = inside(source, &root.symbol)?;
    let mut edges: Vec<EdgeRow> = Vec::new();
    for id in &own {
        edges.extend(view.read.edges_out_of(*id)?);
    }
    edges.retain(|edge| !own.contains(&edge.dst));
    edges.sort_by_key(|edge| (edge.kind != EdgeKind::Calls, edge.line, edge.dst));
    let mut seen = HashSet::new();
    for (include, role, max) in [
        (Include::Callees, PackRole::Callee, MAX_CALLEES),
        (Include::Imports, PackRole::Import, MAX_IMPORTS),
    ] {
        let is_call = role == PackRole::Callee;
        let mut n = 0;
        for edge in edges
            .iter()
            .filter(|it| (it.kind == EdgeKind::Calls) == is_call)
        {
            if n >= MAX_AROUND || !seen.insert(edge.dst) || !input.includes(include) {
                continue;
            }
            let Some(symbol) = view.read.symbol_by_id(edge.dst)? else {
                continue;
            };
            if view.is_gone(&symbol.path) {
                continue;
            }
            n += 1;
            candidates.add(PackCandidate {
                item: short(source, &symbol)?,
                provenance: Some(edge.provenance),
                excluded: (n > max).then_some(OmissionReason::Limit),
                ..around(root, role)
            });
        }
    }
    Ok(())
}

/// Adds the definitions around a root among its siblings, the nearest first.
fn neighbours(
    source: &SourceReader<'_>,
    root: &PackRoot,
    candidates: &mut Candidates,
) -> Result<()> {
    let symbols = source.symbols(&root.symbol.path)?;
    let siblings: Vec<&SymbolRow> = symbols
        .iter()
        .filter(|it| it.parent == root.symbol.parent && it.kind != SymbolKind::Heading)
        .collect();
    let Some(at) = siblings.iter().position(|it| it.id == root.symbol.id) else {
        return Ok(());
    };
    let mut near: Vec<(usize, &SymbolRow)> = siblings
        .iter()
        .enumerate()
        .map(|(place, sibling)| (place.abs_diff(at), *sibling))
        .filter(|(distance, _)| *distance > 0)
        .collect();
    near.sort_by_key(|(distance, _)| *distance);
    for (distance, sibling) in near.into_iter().take(MAX_NEIGHBOURS) {
        #[expect(clippy::cast_precision_loss, reason = "a file has no 2^52 definitions")]
        let value = root.value / distance as f64;
        candidates.add(PackCandidate {
            item: short(source, sibling)?,
            value,
            weight: value,
            ..around(root, PackRole::Neighbour)
        });
    }
    Ok(())
}

/// Adds the definitions and the tests that use a root directly, the best known first.
fn users(
    source: &SourceReader<'_>,
    input: &ExploreInput,
    root: &PackRoot,
    candidates: &mut Candidates,
) -> Result<()> {
    let view = source.view;
    let reached = walk(
        view.read,
        &impact::WalkStart::of([root.symbol.id]),
        Direction::In,
        1,
        view.budget,
        &mut impact::no_dispatch,
    )?;
    let mut placed = places(view, &reached.places)?;
    placed.retain(|place| !view.is_gone(&place.path));
    placed.sort_by_key(|place| Reverse(place.reached.count));
    placed.sort_by_key(|place| (place.role(view), place.reached.provenance));
    for (include, role, max) in [
        (Include::Callers, PackRole::Caller, MAX_CALLERS),
        (Include::Tests, PackRole::Test, MAX_TESTS),
    ] {
        if !input.includes(include) {
            continue;
        }
        let mut n = 0;
        let is_test = role == PackRole::Test;
        let of_role = placed
            .iter()
            .filter(|place| place.role(view).is_of_tests() == is_test);
        for place in of_role.take(MAX_AROUND) {
            let Some((item, test)) = around_use(source, place, is_test)? else {
                continue;
            };
            n += 1;
            candidates.add(PackCandidate {
                item,
                provenance: Some(place.reached.provenance),
                line: Some(place.reached.line),
                test,
                excluded: (n > max).then_some(OmissionReason::Limit),
                ..around(root, role)
            });
        }
    }
    Ok(())
}

/// Returns the code around a use: of a test its block with its title, else the definition, else the chunk.
fn around_use(
    source: &SourceReader<'_>,
    place: &LocatedSymbol,
    is_test: bool,
) -> Result<Option<(PackItem, Option<String>)>> {
    let view = source.view;
    let line = place.reached.line;
    let chunk = || -> Result<Option<PackItem>> {
        let row = view.read.chunk_at(place.path.as_str(), line)?;
        let chunk = row.map(|row| view.read.chunk(row)).transpose()?.flatten();
        chunk
            .map(|chunk| PackItem::of_chunk(source, &chunk))
            .transpose()
    };
    if is_test
        && let Some((title, first, last)) = uses(view).test_block(&place.path, line)?
        && let Some(item) = chunk()?
    {
        let item = PackItem {
            lines: (first, last),
            head: None,
            symbol: None,
            is_cut: false,
            ..item
        };
        return Ok(Some((item, Some(one_line(&title).into_owned()))));
    }
    let item = match &place.symbol {
        Some(symbol) => Some(short(source, symbol)?),
        None => chunk()?,
    };
    Ok(item.map(|item| (item, None)))
}

/// Returns a definition as it stands around another: a long class by its comment and signature.
fn short(source: &SourceReader<'_>, symbol: &SymbolRow) -> Result<PackItem> {
    let mut item = PackItem::of_symbol(source, symbol)?;
    if item.n_lines() > MAX_FRAME_LINES && has_members(symbol, &source.symbols(&symbol.path)?) {
        item.reduce();
    }
    Ok(item)
}

/// Returns a definition and those inside it, by their rows.
fn inside(source: &SourceReader<'_>, symbol: &SymbolRow) -> Result<Vec<SymbolId>> {
    let symbols = source.symbols(&symbol.path)?;
    let inner = symbols.iter().filter(|it| symbol.span.contains(&it.span));
    Ok(inner.map(|it| it.id).collect())
}

/// Returns a candidate that a root brings; its item is still that of the root.
fn around(root: &PackRoot, role: PackRole) -> PackCandidate {
    PackCandidate {
        item: PackItem {
            path: root.symbol.path.clone(),
            lines: (0, 0),
            head: None,
            handle: root.symbol.handle,
            symbol: None,
            is_cut: false,
        },
        role,
        value: root.value,
        weight: root.value,
        share: 1.0,
        is_weak: false,
        score: None,
        because: root.symbol.handle.to_string(),
        provenance: None,
        line: None,
        test: None,
        members: Vec::new(),
        excluded: None,
        is_signature: false,
    }
}
