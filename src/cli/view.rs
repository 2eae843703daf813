//! `codelens view`: a page that draws the relations of a repository's files, or the reach of a change.

use std::collections::HashMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use serde_json::json;

use super::progress::ProgressLine;
use super::render::{changes_graph, impact_graph};
use super::run::{author, listen_for_interrupts, named_repo, without_repo};
use super::screen::{PLACE, Screen};
use super::{flags, output};
use crate::error::{Code, Error, Result};
use crate::model::{Provenance, RepoPath};
use crate::tools::changes::Changes;
use crate::tools::impact::{Impact, ImpactTarget};
use crate::tools::index_state::{Current, Refresh, Stats};
use crate::tools::{Call, call_one};
use crate::view::{Mode, PageData, ViewEdge, ViewNode, editor, html};
use crate::workspace::{Patience, View, Workspace, Workspaces, outside};

const ABOUT: &str = "\
Writes one page of HTML that needs no network: the files of the repository and what binds them, to expand, search, filter and open in an editor; or, \
with --symbol, --changes or --base, what a change reaches. It also lists the indexes of all branches. The index is brought up first.

The page goes to the data directory unless --output says otherwise; nothing is written in the work tree unasked.";

/// How many definitions of a file are listed.
const MAX_SYMBOLS: usize = 60;

/// Changed definitions whose reach is drawn.
const MAX_REACHING: usize = 60;

/// Returns the command.
pub(super) fn command() -> Command {
    Command::new("view")
        .about("Write a page that draws the repository, or the places that a change affects")
        .long_about(ABOUT)
        .arg(
            Arg::new("path")
                .value_name("PATH")
                .help("Only files below this directory; with --symbol the file that defines it"),
        )
        .arg(
            Arg::new("symbol")
                .long("symbol")
                .value_name("NAME")
                .conflicts_with("changes")
                .help("Draw the places that a change of this definition affects"),
        )
        .arg(
            Arg::new("changes")
                .long("changes")
                .action(ArgAction::SetTrue)
                .help("Draw the places that the uncommitted changes affect"),
        )
        .arg(
            Arg::new("base")
                .long("base")
                .value_name("REF")
                .conflicts_with_all(["changes", "symbol"])
                .help("Draw the definitions that changed since a branch, tag or commit, and the places that they reach"),
        )
        .arg(
            Arg::new("depth")
                .long("depth")
                .value_name("N")
                .value_parser(value_parser!(u64).range(1..=5))
                .default_value("3")
                .help("Steps at most, with --symbol, --changes or --base"),
        )
        .arg(
            Arg::new("output")
                .long("output")
                .short('o')
                .value_name("FILE")
                .value_parser(value_parser!(PathBuf))
                .help("File to write; - for standard output"),
        )
        .arg(
            Arg::new("editor")
                .long("editor")
                .value_name("NAME")
                .default_value("vscode")
                .help("Editor that links open: vscode, cursor, windsurf, zed, idea, none, or a template like `my://open?f={path}&l={line}`"),
        )
        .after_help(
            "Examples:\n  codelens view\n  codelens view packages/core --output core.html\n  codelens view --symbol queueJob --depth 2\n  codelens view --changes --editor zed\n  codelens view --base main...",
        )
}

/// Writes the page.
pub(super) fn run(matches: &ArgMatches, cwd: Option<&PathBuf>) -> ExitCode {
    let asked = matches
        .get_one::<String>("editor")
        .map_or("", String::as_str);
    let template = editor(asked);
    if template.is_none() && asked != "none" {
        let error = Error::invalid(
            "no editor is known by this name, and it is no template for a link",
            "pass --editor vscode, cursor, windsurf, zed, idea, none, or a link with {path} and {line}",
        );
        return output::failure(&error, flags::is_json(matches));
    }
    let is_stdout = matches
        .get_one::<PathBuf>("output")
        .is_some_and(|file| file.as_os_str() == "-");
    let mut printed = String::new();
    let code = without_repo(matches, |workspaces| {
        let places: Vec<PathBuf> = named_repo(matches, cwd)
            .or_else(|| cwd.cloned())
            .into_iter()
            .collect();
        let interrupt = Arc::new(AtomicBool::new(false));
        listen_for_interrupts(&interrupt);
        let meter = ProgressLine::new(
            "indexing",
            "files",
            Duration::ZERO,
            flags::verbosity(matches) > 0,
        );
        let call = Call {
            workspaces,
            places: &places,
            cwd: cwd.map(PathBuf::as_path),
            interrupt,
            progress: &|progress| meter.show(progress),
            patience: Patience::Configured,
            author: author(),
            revision: None,
        };
        call_one::<Refresh>(json!({}), &call)?;
        meter.clear();
        let page = page(matches, &call, template.clone())?;
        let text = html(&page);
        let (n_nodes, n_edges) = (page.nodes.len(), page.edges.len());
        if is_stdout {
            printed = text;
            return Ok((json!({"nodes": n_nodes, "edges": n_edges}), String::new()));
        }
        let file = write(matches, workspaces, cwd, &page, &text)?;
        let shown = file.display().to_string();
        let value = json!({"file": shown, "nodes": n_nodes, "edges": n_edges, "bytes": text.len()});
        let screen = Screen::of_stdout();
        Ok((
            value,
            format!(
                "{}\nopen it in a browser: {}\n",
                screen.linked_to(Path::new("")).paint(PLACE, &shown),
                opener(&shown)
            ),
        ))
    });
    if printed.is_empty() {
        code
    } else {
        output::exact(&printed)
    }
}

fn page(matches: &ArgMatches, call: &Call<'_>, editor: Option<String>) -> Result<PageData> {
    let text = |id: &str| matches.get_one::<String>(id).map(String::as_str);
    let workspace = call.workspaces.open(None, call.places)?;
    let current = call_one::<Current>(json!({}), call)?.output;
    let stats = call_one::<Stats>(json!({}), call)?.output;
    let root = workspace.work_dir();
    let name = root.file_name().map_or_else(
        || "repository".to_owned(),
        |name| name.to_string_lossy().into_owned(),
    );
    let branch = current.branch.as_deref().unwrap_or("detached");
    let head: String = current
        .head_sha
        .map_or(String::new(), |head| head.chars().take(10).collect());
    let depth = matches.get_one::<u64>("depth");
    let (mode, title, nodes, edges, freshness, note) = if let Some(base) = text("base") {
        let changed = changes(base, text("path"), depth, call)?;
        let title = format!("changes since {base}");
        (
            Mode::Impact,
            title,
            changed.nodes,
            changed.edges,
            changed.freshness,
            changed.note,
        )
    } else if text("symbol").is_some() || matches.get_flag("changes") {
        let mut input = json!({"depth": depth, "limit": 500});
        if let Some(symbol) = text("symbol") {
            input["symbol"] = symbol.into();
            input["path"] = text("path").into();
        } else {
            input["changes"] = true.into();
        }
        if input["path"].is_null() {
            input
                .as_object_mut()
                .expect("it is an object")
                .remove("path");
        }
        let answer = call_one::<Impact>(input, call)?.output;
        if text("symbol").is_some() && !matches!(answer.target, ImpactTarget::Known(_)) {
            return Err(Error::invalid(
                answer.summary,
                "pass the whole name of one definition (`Store.open`), with --path where several files have it",
            ));
        }
        let (nodes, edges) = impact_graph(&answer)?;
        let title = text("symbol").map_or_else(|| "uncommitted changes".to_owned(), str::to_owned);
        let note = [answer.summary, answer.confidence_note].join(". ");
        let freshness = answer.freshness_fields.freshness.to_owned();
        (Mode::Impact, title, nodes, edges, freshness, note)
    } else {
        let asked = text("path").filter(|path| !path.is_empty()).unwrap_or(".");
        let below = workspace
            .relative_path(asked, call.cwd, None)
            .ok_or_else(|| outside(asked))?;
        let below = match below.as_str() {
            "." | "./" => String::new(),
            path => RepoPath::normalise(path)
                .ok_or_else(|| outside(asked))?
                .to_string(),
        };
        let (nodes, edges, freshness) = call.query(&workspace, &below, |view| map(view, &below))?;
        if nodes.is_empty() {
            return Err(nothing_to_draw(&workspace, &below, call));
        }
        let title = if below.is_empty() {
            name.clone()
        } else {
            format!("{name}/{below}")
        };
        (
            Mode::Map,
            title,
            nodes,
            edges,
            freshness,
            "Each box is a file or a directory; its size follows the number of definitions."
                .to_owned(),
        )
    };
    Ok(PageData {
        mode,
        title,
        repository: name,
        state: [branch, &head, &freshness]
            .into_iter()
            .filter(|part| !part.is_empty())
            .collect::<Vec<_>>()
            .join(" · "),
        note,
        root: root.display().to_string(),
        editor,
        nodes,
        edges,
        provenances: Provenance::ALL.iter().map(|it| it.as_str()).collect(),
        indexes: json!(stats.indexes),
    })
}

/// The graph of a branch's changes, with what is said of it.
struct ChangedGraph {
    nodes: Vec<ViewNode>,
    edges: Vec<ViewEdge>,
    freshness: String,
    note: String,
}

/// Returns the definitions that changed since `base`, and the places that the first of them reach.
fn changes(
    base: &str,
    path: Option<&str>,
    depth: Option<&u64>,
    call: &Call<'_>,
) -> Result<ChangedGraph> {
    let mut input =
        json!({"base": base, "include": ["body", "callers"], "limit": 500, "budget": 20_000});
    if let Some(path) = path {
        input["path"] = json!([path]);
    }
    let changes = call_one::<Changes>(input, call)?.output;
    let mut impacts = Vec::new();
    let mut n_left = 0;
    for change in &changes.changes {
        let is_there = change.change != "removed" && change.callers != Some(0);
        let Some(handle) = change.handle.as_ref().filter(|_| is_there) else {
            continue;
        };
        if impacts.len() == MAX_REACHING {
            n_left += 1;
            continue;
        }
        let input = json!({"handle": handle, "depth": depth, "limit": 500});
        match call_one::<Impact>(input, call) {
            Ok(impact) => impacts.push((handle.clone(), impact.output)),
            // Its file changed since.
            Err(error) if error.code == Code::UnknownHandle => {}
            Err(error) => return Err(error),
        }
    }
    let (nodes, edges) = changes_graph(&changes, &impacts)?;
    let mut notes = vec![changes.summary];
    if n_left > 0 {
        notes.push(format!(
            "Of {n_left} more definitions the reach is not drawn: pass a directory to see theirs."
        ));
    }
    if changes.truncated {
        notes.push("Not all changes are drawn: pass a directory to see the others.".to_owned());
    }
    Ok(ChangedGraph {
        nodes,
        edges,
        freshness: changes.freshness_fields.freshness.to_owned(),
        note: notes.join(" "),
    })
}

/// Returns the error for a directory without a file that could be drawn.
fn nothing_to_draw(workspace: &Arc<Workspace>, below: &str, call: &Call<'_>) -> Error {
    let is_absent = workspace.query(&call.interrupt, |view| {
        let is_there = view.read.files_under(below)?.iter().next().is_some();
        let path = RepoPath::new(below).filter(|_| !is_there);
        Ok(path.map(|path| view.why_absent(&path)))
    });
    match is_absent {
        Ok(Some(error)) => error,
        _ => Error::new(
            Code::NotIndexed,
            "no file here has definitions that CodeLens can read",
            "`codelens search` and `codelens explore` find text in files of every language",
        ),
    }
}

/// Returns the files below a directory that define something or have relations, and these relations.
fn map(view: &View<'_>, below: &str) -> Result<(Vec<ViewNode>, Vec<ViewEdge>, String)> {
    let relations = view.read.file_relations()?;
    let mut bound = std::collections::HashSet::new();
    for relation in &relations {
        bound.extend([relation.from, relation.to]);
    }
    let mut nodes = Vec::new();
    let mut places = HashMap::new();
    for file in view.read.files_under(below)?.iter() {
        let symbols = view.read.symbols_of(file.id)?;
        if symbols.is_empty() && !bound.contains(&file.id) {
            continue;
        }
        places.insert(file.id, nodes.len());
        let listed = symbols
            .iter()
            .filter(|symbol| symbol.exported || symbol.parent.is_none());
        nodes.push(ViewNode {
            path: file.path.to_string(),
            weight: symbols.len() as u64,
            test: !view.roles.is_code(&file.path),
            symbols: listed
                .take(MAX_SYMBOLS)
                .map(|symbol| {
                    (
                        symbol.qualified_name.clone(),
                        symbol.kind.as_str(),
                        symbol.span.start_line,
                    )
                })
                .collect(),
            ..ViewNode::default()
        });
    }
    let edges = relations.iter().filter_map(|relation| {
        let (from, to) = (places.get(&relation.from)?, places.get(&relation.to)?);
        let (kind, provenance) = (
            relation.kind.as_str().to_owned(),
            relation.provenance.as_str().to_owned(),
        );
        Some(ViewEdge(
            *from,
            *to,
            kind,
            provenance,
            relation.n_uses,
            relation.line,
        ))
    });
    let edges = edges.collect();
    Ok((nodes, edges, view.freshness.as_str().to_owned()))
}

/// Writes the page where it is wanted, else where it replaces the last one of its repository.
fn write(
    matches: &ArgMatches,
    workspaces: &Workspaces,
    cwd: Option<&PathBuf>,
    page: &PageData,
    text: &str,
) -> Result<PathBuf> {
    let failed = |error: std::io::Error| {
        Error::new(
            Code::Io,
            format!("the page can't be written: {error}"),
            "pass another place with --output",
        )
        .because(error)
    };
    if let Some(file) = matches.get_one::<PathBuf>("output") {
        let file = cwd.map_or_else(|| file.clone(), |cwd| cwd.join(file));
        std::fs::write(&file, text).map_err(failed)?;
        return Ok(file);
    }
    let directory = workspaces.config().home.join("views");
    let digest = blake3::hash(format!("{}\0{:?}", page.root, page.mode).as_bytes()).to_hex();
    let plain = |c: char| {
        if c.is_ascii_alphanumeric() || "._-".contains(c) {
            c
        } else {
            '_'
        }
    };
    let name: String = page.repository.chars().take(60).map(plain).collect();
    let file = directory.join(format!("{name}-{}.html", &digest[..8]));
    private(&directory, &file, text).map_err(failed)?;
    Ok(file)
}

/// Returns the command that opens a file in the browser of this system.
fn opener(file: &str) -> String {
    let program = if cfg!(target_os = "macos") {
        "open"
    } else if cfg!(windows) {
        "start \"\""
    } else {
        "xdg-open"
    };
    format!("{program} '{}'", file.replace('\'', "'\\''"))
}

/// Writes a file by way of a draft, in a directory that only its owner may enter (0700).
fn private(directory: &Path, file: &Path, text: &str) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(directory)?;
    let temporary = file.with_extension(format!("{}.tmp", std::process::id()));
    std::fs::File::create(&temporary)?.write_all(text.as_bytes())?;
    std::fs::rename(&temporary, file)
}

#[cfg(test)]
mod tests {
    use super::command;

    #[test]
    fn the_command_is_consistent() {
        command().debug_assert();
    }
}
