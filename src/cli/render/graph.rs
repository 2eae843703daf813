//! The neighbours of a file, and the reach of a change, as trees.

use super::text::{count, plural, put};
use super::tree::{StyledLine, TreeNode, draw};
use super::{Rest, footer, said};
use crate::cli::screen::{CARE, FAINT, PLACE, STRONG, Screen, visible, visible_lines};
use crate::error::Error;
use crate::tools::analysed::AnalysedOutput;
use crate::tools::hits::{NearDefaults, NearOutput};
use crate::tools::impact::change_set::ChangeSetOutput;
use crate::tools::impact::sites::OtherMentionsOutput;
use crate::tools::impact::{ImpactOutput, ImpactTarget};
use crate::tools::places::{CalleeOutput, CallerOutput, Defaults, FilePlacesOutput, TargetOutput};
use crate::tools::related::{EdgeDefaultsOutput, NeighbourOutput, RelatedOutput};
use crate::tools::related_paths::ChainsOutput;

/// Returns the error for a name that means several definitions, of which none can be drawn.
pub(super) fn ambiguous(sentence: &str, candidates: &[TargetOutput], next: &str) -> Error {
    let places = candidates
        .iter()
        .map(|found| format!("{}:{}", found.path, found.line));
    let places: Vec<String> = places.collect();
    Error::invalid(sentence, format!("{next} one of {}", places.join(", ")))
}

/// A place of a graph, with the values that its entry in the answer leaves out; a text is empty where there is none.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Entry<'a> {
    pub(super) path: &'a str,
    pub(super) symbol: &'a str,
    pub(super) kind: &'a str,
    test: &'a str,
    /// 0 where there is none.
    pub(super) line: u32,
    text: &'a str,
    also: &'a [u32],
    count: u32,
    pub(super) hops: u32,
    pub(super) via: &'a str,
    pub(super) provenance: &'a str,
    basis: &'a str,
    role: &'a str,
    pub(super) edge_type: &'a str,
    pub(super) direction: &'a str,
    stale: bool,
}

impl<'a> Entry<'a> {
    pub(super) fn target(target: &'a TargetOutput) -> Self {
        Self {
            path: &target.path,
            symbol: &target.symbol,
            kind: target.kind,
            line: target.line,
            ..Self::default()
        }
    }

    pub(super) fn near(near: &'a NearOutput, defaults: Option<&NearDefaults>) -> Self {
        let usual = |of: fn(&NearDefaults) -> &'static str| defaults.map_or("", of);
        Self {
            path: &near.path,
            edge_type: near.edge_type.unwrap_or_else(|| usual(|it| it.edge_type)),
            direction: near.direction.unwrap_or_else(|| usual(|it| it.direction)),
            hops: near.hops.unwrap_or(1),
            stale: near.stale,
            ..Self::default()
        }
    }

    fn neighbour(near: &'a NeighbourOutput, defaults: Option<&EdgeDefaultsOutput>) -> Self {
        let usual = |of: fn(&EdgeDefaultsOutput) -> &'static str| defaults.map_or("", of);
        Self {
            path: &near.path,
            symbol: near.symbol.as_deref().unwrap_or_default(),
            test: near.test.as_deref().unwrap_or_default(),
            line: near.line.unwrap_or_default(),
            edge_type: near.edge_type.unwrap_or_else(|| usual(|it| it.edge_type)),
            direction: near.direction.unwrap_or_else(|| usual(|it| it.direction)),
            hops: near.hops.unwrap_or(1),
            provenance: near.provenance.unwrap_or_else(|| usual(|it| it.provenance)),
            basis: near.basis.unwrap_or_default(),
            role: near.role.unwrap_or_default(),
            via: near.via.as_deref().unwrap_or_default(),
            stale: near.stale,
            ..Self::default()
        }
    }

    fn caller(caller: &'a CallerOutput, defaults: Option<&Defaults>) -> Self {
        Self {
            path: &caller.path,
            symbol: caller.symbol.as_deref().unwrap_or_default(),
            test: caller.test.as_deref().unwrap_or_default(),
            line: caller.line,
            text: caller.text.as_deref().unwrap_or_default(),
            also: &caller.also,
            count: caller.count.unwrap_or_default(),
            hops: caller.hops.unwrap_or(1),
            via: caller.via.as_deref().unwrap_or_default(),
            provenance: known(caller.known_by.provenance, defaults),
            stale: caller.stale,
            ..Self::default()
        }
    }

    fn callee(callee: &'a CalleeOutput, defaults: Option<&Defaults>) -> Self {
        Self {
            path: &callee.path,
            symbol: &callee.symbol,
            line: callee.line,
            hops: 1,
            provenance: known(callee.known_by.provenance, defaults),
            stale: callee.stale,
            ..Self::default()
        }
    }

    fn file(file: &'a FilePlacesOutput, defaults: Option<&Defaults>) -> Self {
        Self {
            path: &file.path,
            hops: file.hops.unwrap_or(1),
            provenance: known(file.known_by.provenance, defaults),
            basis: file.basis.unwrap_or_default(),
            role: file.role.unwrap_or_default(),
            stale: file.stale,
            ..Self::default()
        }
    }

    /// Returns the name that a definition goes by in `via`: `src/a.ts#Store.open`; the path of a file.
    pub(super) fn key(&self) -> String {
        match self.symbol {
            "" => self.path.to_owned(),
            symbol => format!("{}#{symbol}", self.path),
        }
    }

    /// Returns `path:line`, or the path where there is no line.
    pub(super) fn place(&self) -> String {
        match self.line {
            0 => self.path.to_owned(),
            line => format!("{}:{line}", self.path),
        }
    }

    /// Returns the lines of a caller that uses a definition several times, or how often it does.
    fn more_lines(&self) -> String {
        let lines: Vec<String> = self.also.iter().map(ToString::to_string).collect();
        match (lines.is_empty(), self.count) {
            (false, _) => format!("also {}", lines.join(", ")),
            (true, 0) => String::new(),
            (true, n) => format!("{n} uses"),
        }
    }

    /// Returns the line of a tree, at `place`.
    fn leaf(&self, place: &str) -> TreeNode {
        let provenance = match (self.basis, self.provenance) {
            ("mention", _) => "names it",
            ("barrel", _) => "through a barrel",
            (_, "resolved") => "",
            (_, other) => other,
        };
        let test = if self.symbol.is_empty() {
            self.test
        } else {
            ""
        };
        TreeNode {
            line: StyledLine::default()
                .with(PLACE, &visible(place))
                .with(STRONG, &visible(self.symbol))
                .with(STRONG, &visible(test))
                .with(FAINT, &visible(self.text))
                .with(FAINT, &self.more_lines())
                .with(FAINT, self.role)
                .with(FAINT, provenance)
                .with(CARE, if self.stale { "stale" } else { "" }),
            below: Vec::new(),
        }
    }
}

fn known<'a>(own: Option<&'static str>, defaults: Option<&Defaults>) -> &'a str {
    own.or(defaults.map(|it| it.provenance)).unwrap_or_default()
}

/// The lists of an impact as entries.
pub(super) struct ImpactEntries<'a> {
    pub(super) targets: Vec<Entry<'a>>,
    pub(super) callers: Vec<Entry<'a>>,
    pub(super) callees: Vec<Entry<'a>>,
    pub(super) files: Vec<Entry<'a>>,
    pub(super) tests: Vec<Entry<'a>>,
    pub(super) examples: Vec<Entry<'a>>,
}

impl<'a> ImpactEntries<'a> {
    pub(super) fn of(answer: &'a ImpactOutput) -> Self {
        let defaults = answer.defaults.as_ref();
        let files = |files: &'a [FilePlacesOutput]| {
            files.iter().map(|it| Entry::file(it, defaults)).collect()
        };
        let callers = answer.callers.iter();
        let callees = answer.callees.iter();
        Self {
            targets: match &answer.target {
                ImpactTarget::Known(target) => vec![Entry::target(target)],
                ImpactTarget::Unknown | ImpactTarget::Absent => {
                    answer.targets.iter().flatten().map(Entry::target).collect()
                }
            },
            callers: callers.map(|it| Entry::caller(it, defaults)).collect(),
            callees: callees.map(|it| Entry::callee(it, defaults)).collect(),
            files: files(&answer.affected_files),
            tests: files(&answer.affected_tests),
            examples: files(&answer.affected_examples),
        }
    }
}

/// Returns the reach of a change: definitions that are gone, callers by distance and file, unbound uses, tests apart,
/// then the definitions it uses.
pub(super) fn impact(answer: &ImpactOutput, screen: &Screen) -> String {
    let entries = ImpactEntries::of(answer);
    let summary = said(&answer.summary);
    let is_first = answer.freshness_fields.freshness != "fresh";
    let mut text = String::new();
    if is_first && !summary.is_empty() {
        put!(text, "{}\n\n", screen.paint(CARE, &summary));
    }
    for target in &entries.targets {
        text += &definition(target, screen);
    }
    if !is_first && !summary.is_empty() {
        let gap = if text.is_empty() { "" } else { "\n" };
        put!(text, "{gap}{summary}\n");
    }
    for (found, heading) in [
        (&answer.candidates, ""),
        (&answer.did_you_mean, "Did you mean\n"),
    ] {
        let found = found.as_deref().unwrap_or_default();
        if !found.is_empty() {
            put!(text, "\n{heading}");
        }
        for one in found {
            text += &candidate(one, screen);
        }
    }
    if let Some(changes) = &answer.change_set {
        text += &removed(changes, screen);
    }
    if let Some(mentions) = &answer.mentions {
        let places = mentions.places.iter();
        let places =
            places.map(|it| SourceLine::new(&it.line.path, it.line.line, &it.line.text, it.role));
        section(&mut text, "Places of the name", &lines(places), screen);
    }
    if let ImpactTarget::Known(target) = &answer.target
        && let Some(source) = target.text.as_deref().filter(|it| !it.is_empty())
    {
        put!(text, "\n{}\n", visible_lines(source));
    }
    // Every line is more than the callers.
    let has_sites = answer.sites.is_some();
    if !has_sites {
        text += &callers(answer, &entries, screen);
    }
    let sites = answer.sites.iter().flatten();
    let sites = sites.map(|it| SourceLine {
        provenance: known(it.provenance, answer.defaults.as_ref()),
        ..SourceLine::new(&it.path, it.line, &it.text, it.used)
    });
    section(&mut text, "Every use", &lines(sites), screen);
    let unresolved = answer.unresolved.iter();
    let unresolved = unresolved.map(|it| SourceLine::new(&it.path, it.line, &it.text, ""));
    section(
        &mut text,
        "May be uses (type unknown)",
        &lines(unresolved),
        screen,
    );
    if !has_sites {
        text += &exposure(answer, screen);
        section(&mut text, "It uses", &by_file(&entries.callees), screen);
    }
    if let Some(others) = &answer.other_mentions {
        text += &other_mentions(others, screen);
    }
    if let Some(risk) = &answer.risk {
        text += &super::risk::risk(risk, screen);
    }
    let note = said(&answer.confidence_note);
    if !note.is_empty() {
        put!(text, "\n{}\n", screen.paint(CARE, &note));
    }
    text += &analysed(answer.analysed.as_ref(), &answer.summary, screen);
    let rest = Rest {
        // The other lists are not shown beside the sites.
        is_cut: if has_sites {
            answer.are_sites_cut
        } else {
            answer.truncated
        },
        cursor: answer.next_cursor.as_deref(),
        ..Rest::default()
    };
    text + &footer(rest, screen)
}

/// Returns the callers by distance and file, then tests and examples.
fn callers(answer: &ImpactOutput, entries: &ImpactEntries<'_>, screen: &Screen) -> String {
    let mut text = String::new();
    let is_in = |files: &[Entry<'_>], path: &str| files.iter().any(|file| file.path == path);
    // A file may hold tests among its code: then the place says whether it is in one.
    let is_test = |place: &&Entry<'_>| {
        is_in(&entries.tests, place.path)
            && (!place.test.is_empty() || !is_in(&entries.files, place.path))
    };
    let is_example = |place: &&Entry<'_>| is_in(&entries.examples, place.path);
    let mut callers = entries.callers.clone();
    let has_source = matches!(&answer.target, ImpactTarget::Known(target)
        if target.text.as_ref().is_some_and(|it| !it.is_empty()));
    if !has_source {
        // Lines of source are shown where more than the first was asked for.
        for caller in &mut callers {
            caller.text = "";
        }
    }
    let furthest = callers.iter().map(|caller| caller.hops).max();
    for hops in 1..=furthest.unwrap_or_default() {
        let there = callers
            .iter()
            .filter(|it| it.hops == hops && !is_test(it) && !is_example(it));
        section(&mut text, &away(hops), &by_file(there), screen);
    }
    let further = entries.files.iter();
    let further = further.filter(|file| !is_in(&callers, file.path));
    let (near, far): (Vec<Entry<'_>>, Vec<Entry<'_>>) = further.partition(|file| file.hops < 2);
    if answer.truncated {
        // The list of callers was cut.
        section(
            &mut text,
            "More files with direct callers",
            &by_file(&near),
            screen,
        );
    }
    if answer.indirect > 0 {
        let heading = format!(
            "Further files ({})",
            plural(answer.indirect, "indirect caller")
        );
        section(&mut text, &heading, &by_file(&far), screen);
    }
    let there: Vec<Entry<'_>> = callers.iter().filter(is_test).copied().collect();
    let mut nodes = by_file(&there);
    let named = entries
        .tests
        .iter()
        .filter(|test| !is_in(&there, test.path));
    nodes.extend(named.map(|test| test.leaf(&test.place())));
    let naming = entries.tests.iter().filter(|test| test.basis == "mention");
    let more = answer
        .mentioning_tests
        .saturating_sub(naming.count() as u64);
    if more > 0 {
        nodes.push(plain(&format!("{} more name it", count(more))));
    }
    section(&mut text, "Tests", &nodes, screen);
    let used: Vec<Entry<'_>> = callers.iter().filter(is_example).copied().collect();
    let mut nodes = by_file(&used);
    let beyond = entries.examples.iter().filter(|it| !is_in(&used, it.path));
    nodes.extend(beyond.map(|example| example.leaf(&example.place())));
    section(&mut text, "Examples", &nodes, screen);
    text
}

/// Returns how often the name stands for something else, where every line was asked for: `Other mentions, not listed:
/// 11 in strings, 3 in comments`.
fn other_mentions(others: &OtherMentionsOutput, screen: &Screen) -> String {
    let OtherMentionsOutput {
        definitions,
        other_targets,
        external,
        comments,
        strings,
        prose,
    } = *others;
    let mut counts = [
        (comments, "in comments"),
        (definitions, "in definitions"),
        (external, "meaning something outside the repository"),
        (other_targets, "of another definition of this name"),
        (prose, "in documents and other text"),
        (strings, "in strings"),
    ];
    counts.sort_by_key(|(n, _)| std::cmp::Reverse(*n));
    let counts: Vec<String> = counts
        .into_iter()
        .filter(|(n, _)| *n > 0)
        .map(|(n, place)| format!("{} {place}", count(n)))
        .collect();
    if counts.is_empty() {
        return String::new();
    }
    let line = format!("Other mentions, not listed: {}", counts.join(", "));
    format!("\n{}\n", screen.paint(FAINT, &line))
}

/// Returns the definitions that implement an interface, and the ways in which a definition leaves its file.
fn exposure(answer: &ImpactOutput, screen: &Screen) -> String {
    let mut text = String::new();
    for (places, heading) in [
        (&answer.implemented_by, "Implemented by"),
        (&answer.reexported_by, "Re-exported by"),
        (&answer.imported_by, "Imported by"),
    ] {
        let nodes: Vec<TreeNode> = places.iter().map(|place| plain(place)).collect();
        section(&mut text, heading, &nodes, screen);
    }
    if !answer.exported_from.is_empty() {
        let packages = answer.exported_from.join(", ");
        let heading = format!("Exported from {}", visible(&packages));
        let heading = screen.paint(STRONG, &heading);
        put!(text, "\n{heading}\n");
    }
    text
}

/// Returns the definitions that the uncommitted changes took away, with the uses that still name them.
fn removed(changes: &ChangeSetOutput, screen: &Screen) -> String {
    let mut text = String::new();
    for one in &changes.removed {
        let now = one.now.as_ref().map_or(String::new(), |now| {
            format!(" → {} ({}:{})", now.symbol, now.path, now.line)
        });
        let heading = format!(
            "{} {} {}:{}{now}: still named at {}{}",
            one.change,
            one.symbol,
            one.path,
            one.line,
            plural(one.total, "place"),
            match (one.doubtful, &one.unfollowed_file) {
                (0, None) => String::new(),
                (0, Some(file)) => format!(
                    " in code that is followed; the word is in {} ({file}) whose uses are not known",
                    plural(one.unfollowed, "file")
                ),
                (n, _) => format!(" ({} unresolved)", count(n)),
            }
        );
        let uses = one.still_named_at.iter();
        let mut nodes = lines(uses.map(|it| SourceLine::new(&it.path, it.line, &it.text, it.used)));
        let more = one.total.saturating_sub(one.still_named_at.len() as u64);
        if more > 0 {
            nodes.push(plain(&format!("{} more", count(more))));
        }
        let heading = screen.paint(CARE, &visible(&heading));
        put!(text, "\n{heading}\n{}", draw(&nodes, screen));
    }
    text
}

/// Returns the sentence about files that are read as text alone, unless the summary has it.
pub(super) fn analysed(
    analysed: Option<&AnalysedOutput>,
    summary: &str,
    screen: &Screen,
) -> String {
    match analysed {
        Some(analysed) if !analysed.note.is_empty() && !summary.contains(&analysed.note) => {
            format!("\n{}\n", screen.paint(FAINT, &said(&analysed.note)))
        }
        _ => String::new(),
    }
}

/// A line of a file with its kind, which may be empty.
struct SourceLine<'a> {
    path: &'a str,
    line: u32,
    text: &'a str,
    kind: &'a str,
    provenance: &'a str,
}

impl<'a> SourceLine<'a> {
    fn new(path: &'a str, line: u32, text: &'a str, kind: &'a str) -> Self {
        Self {
            path,
            line,
            text,
            kind,
            provenance: "",
        }
    }
}

impl SourceLine<'_> {
    /// Returns how the line is known to use the definition, where it names another one: `dispatch`.
    fn standing_in(&self) -> &str {
        match self.provenance {
            "resolved" | "member" => "",
            other => other,
        }
    }
}

/// Returns a branch for each file with its lines and their texts.
fn lines<'a>(places: impl Iterator<Item = SourceLine<'a>>) -> Vec<TreeNode> {
    let mut files: Vec<(&str, TreeNode)> = Vec::new();
    for place in places {
        let SourceLine { path, line, .. } = place;
        let text = |at: &str| TreeNode {
            line: StyledLine::default()
                .with(PLACE, at)
                .with(STRONG, &visible(place.text))
                .with(FAINT, place.kind)
                .with(FAINT, place.standing_in()),
            below: Vec::new(),
        };
        match files.last_mut().filter(|(known, _)| *known == path) {
            Some((_, file)) => file.below.push(text(&format!(":{line}"))),
            None => files.push((path, text(&format!("{}:{line}", visible(path))))),
        }
    }
    files.into_iter().map(|(_, file)| file).collect()
}

pub(super) fn plain(text: &str) -> TreeNode {
    TreeNode {
        line: StyledLine::default().with(PLACE, &visible(text)),
        below: Vec::new(),
    }
}

/// Returns the neighbours of an answer as entries.
pub(super) fn neighbour_entries(answer: &RelatedOutput) -> Vec<Entry<'_>> {
    let defaults = answer.defaults.as_ref();
    let results = answer.results.iter();
    results.map(|it| Entry::neighbour(it, defaults)).collect()
}

/// Returns the neighbours of a file or definition: a tree for each kind of edge.
pub(super) fn related(answer: &RelatedOutput, screen: &Screen) -> String {
    let results = neighbour_entries(answer);
    let fields = &answer.freshness_fields;
    let mut text = String::new();
    if results.is_empty() && !fields.note.is_empty() && fields.freshness == "fresh" {
        text += &screen.paint(FAINT, &said(&fields.note));
        text.push('\n');
    }
    for one in &answer.candidates {
        text += &candidate(one, screen);
    }
    let is_backwards = |it: &ChainsOutput| it.direction == Some("in") && !it.paths.is_empty();
    if answer.chains.as_ref().is_some_and(is_backwards) {
        text += &screen.paint(FAINT, "No chain leads there; these lead from there:");
        text.push_str("\n\n");
    }
    for path in answer.chains.iter().flat_map(|chains| &chains.paths) {
        for step in path {
            let place = match step.line {
                Some(line) => format!("{}:{line}", step.path),
                None => step.path.clone(),
            };
            let symbol = step.symbol.as_deref().unwrap_or_default();
            let line = format!("{place} {symbol} {}", step.edge_type.unwrap_or_default());
            text += &visible(line.trim_end());
            text.push('\n');
        }
        text.push('\n');
    }
    let mut kinds: Vec<(&str, &str)> = results
        .iter()
        .map(|result| (result.edge_type, result.direction))
        .collect();
    kinds.sort_unstable();
    kinds.dedup();
    for kind in kinds {
        let of_kind: Vec<Entry<'_>> = results
            .iter()
            .filter(|result| (result.edge_type, result.direction) == kind)
            .copied()
            .collect();
        section(&mut text, heading(kind), &chains(&of_kind), screen);
    }
    for one in &answer.external {
        let path = one
            .path
            .as_deref()
            .map_or_else(String::new, |path| format!(" {path}"));
        let line = format!(
            "{}: also the repository {}{path}, by its name",
            one.specifier, one.repo
        );
        put!(text, "\n{}\n", screen.paint(FAINT, &visible(&line)));
    }
    text += &analysed(answer.analysed.as_ref(), "", screen);
    let rest = Rest {
        is_cut: answer.truncated,
        total: answer.total,
        cursor: answer.next_cursor.as_deref(),
        ..Rest::default()
    };
    text.trim_start_matches('\n').to_owned() + &footer(rest, screen)
}

/// Returns how far something is, in words.
pub(super) fn away(hops: u32) -> String {
    match hops {
        1 => "Callers".to_owned(),
        _ => format!("Indirect callers ({hops} steps)"),
    }
}

fn heading<'a>(kind: (&'a str, &str)) -> &'a str {
    match kind {
        ("calls", "in") => "Called by",
        ("references", "out") => "Refers to",
        ("references", _) => "Referred to by",
        ("imported_by", _) | ("imports", "in") => "Imported by",
        ("tests", "out") => "Tests of",
        ("tests", _) => "Tests",
        ("belongs_to", _) => "Belongs to",
        ("imports", _) => "Imports",
        ("calls", _) => "Calls",
        ("defines", _) => "Defines",
        ("exports", _) => "Exports",
        (other, _) => other,
    }
}

pub(super) fn section(text: &mut String, heading: &str, nodes: &[TreeNode], screen: &Screen) {
    if !nodes.is_empty() {
        let heading = screen.paint(STRONG, &visible(heading));
        put!(text, "\n{heading}\n{}", draw(nodes, screen));
    }
}

fn definition(target: &Entry<'_>, screen: &Screen) -> String {
    let line = format!(
        "{}  {}  {}",
        screen.paint(PLACE, &visible(&target.place())),
        screen.paint(STRONG, &visible(target.symbol)),
        screen.paint(FAINT, target.kind),
    );
    line.trim_end().to_owned() + "\n"
}

/// Returns a definition that may be meant, with the handle that means it.
fn candidate(target: &TargetOutput, screen: &Screen) -> String {
    let line = definition(&Entry::target(target), screen);
    let handle = screen.paint(FAINT, &visible(&target.handle));
    format!("{}  {handle}\n", line.trim_end())
}

/// Returns a branch for each file: its first place, and below it the others by their lines.
fn by_file<'e, 'a: 'e>(places: impl IntoIterator<Item = &'e Entry<'a>>) -> Vec<TreeNode> {
    let mut files: Vec<(&str, TreeNode)> = Vec::new();
    for entry in places {
        match files.iter_mut().find(|(known, _)| *known == entry.path) {
            Some((_, file)) => file.below.push(entry.leaf(&format!(":{}", entry.line))),
            None => files.push((entry.path, entry.leaf(&entry.place()))),
        }
    }
    files.into_iter().map(|(_, file)| file).collect()
}

/// Returns trees of chains; a neighbour whose way is not shown stands by itself.
fn chains(results: &[Entry<'_>]) -> Vec<TreeNode> {
    let is_shown = |via: &str, hops: u32| {
        let is_of = |result: &Entry<'_>| !via.is_empty() && result.key() == via;
        results.iter().any(|it| is_of(it) && it.hops < hops)
    };
    results
        .iter()
        .filter(|result| !is_shown(result.via, result.hops))
        .map(|result| chain(result, results))
        .collect()
}

fn chain(result: &Entry<'_>, results: &[Entry<'_>]) -> TreeNode {
    let mut node = result.leaf(&result.place());
    if result.via.is_empty() {
        node.line = node.line.with(FAINT, &far(result.hops));
    }
    let follows = |next: &&Entry<'_>| {
        let is_next = !next.via.is_empty() && next.via == result.key();
        // Chains grow by each step, so that they end.
        is_next && next.hops == result.hops + 1
    };
    node.below = results
        .iter()
        .filter(follows)
        .map(|next| chain(next, results))
        .collect();
    node
}

/// Returns the neighbours of explored files, by the file they are neighbours of.
pub(super) fn neighbours(related: &[(&str, Entry<'_>)], screen: &Screen) -> String {
    let mut sources: Vec<(&str, TreeNode)> = Vec::new();
    for (source, near) in related {
        let node = TreeNode {
            line: StyledLine::default()
                .with(FAINT, heading((near.edge_type, near.direction)))
                .with(PLACE, &visible(near.path))
                .with(FAINT, &far(near.hops))
                .with(CARE, if near.stale { "stale" } else { "" }),
            below: Vec::new(),
        };
        if let Some((_, known)) = sources.iter_mut().find(|(known, _)| known == source) {
            known.below.push(node);
        } else {
            let mut file = plain(source);
            file.below.push(node);
            sources.push((source, file));
        }
    }
    let mut text = String::new();
    let nodes: Vec<TreeNode> = sources.into_iter().map(|(_, node)| node).collect();
    section(&mut text, "Related files", &nodes, screen);
    text
}

fn far(hops: u32) -> String {
    if hops > 1 {
        format!("{hops} steps away")
    } else {
        String::new()
    }
}
