//! Questions that other tools answer, line by line: each is asked here and its answer has the field that stands for it.
//!
//! A row that has no answer yet is `Pending`, with the room that will bring it. A pending row that starts to work fails, so that the
//! table stays true.

#![expect(clippy::too_many_lines, reason = "each table stands as one")]

use serde_json::{Value, json};

use crate::cli_and_mcp::Session;
use crate::support::{Cli, Fixture};

const SHOP: &str = "\
//- /package.json
{\"name\": \"shop\", \"scripts\": {\"test\": \"vitest\"}, \"devDependencies\": {\"vitest\": \"1\"}}
//- /vitest.config.ts
export default { test: { include: ['test/**/*.spec.ts'] } };
//- /README.md
# Shop

Prices are in cents.
//- /src/price.ts
/** A price in cents. */
export interface Price {
  cents: number;
}

/** Adds up prices. */
export function total(prices: Price[], shipping: number): number {
  const sum = add(prices);
  return sum + shipping;
}

function add(prices: Price[]): number {
  // Adds each price.
  return prices.reduce((sum, price) => sum + price.cents, 0);
}

export class Cart {
  private prices: Price[] = [];

  total(): number {
    return total(this.prices, 5);
  }
}
//- /src/order.ts
import { total, type Price } from './price';

export function order(prices: Price[]): string {
  return 'total ' + total(prices, 0);
}
//- /src/legacy.py
def total_of(prices):
    return sum(prices)
//- /test/price.spec.ts
import { total } from '../src/price';

describe('price', () => {
  it('adds up', () => {
    expect(total([], 1)).toBe(1);
  });
});
//- commit base
";

/// A line of another tool's reference, and how it is answered here.
struct Row {
    /// The fields or the command as that tool names them.
    seed: &'static str,
    how: How,
}

enum How {
    /// A call of a tool, and pointers to fields that its answer has.
    Call(&'static str, Value, &'static [&'static str]),
    /// A command that ends well and prints this.
    Command(&'static [&'static str], &'static str),
    /// A call that is refused, with a hint.
    Refused(&'static str, Value),
    /// Nothing has to be asked: the reason.
    Given(&'static str),
    /// A call that is not answered yet, and the field that it will have.
    Pending(&'static str, Value, &'static str),
}

use How::{Call, Command, Given, Pending, Refused};

fn row(seed: &'static str, how: How) -> Row {
    Row { seed, how }
}

fn codewell() -> Vec<Row> {
    let pack = json!({"query": "total price", "include": ["source", "callees", "imports"], "budget": 2000});
    vec![
        row(
            "trace: query, matches{path, name, qualified_name, kind, line_start, source_excerpt}",
            Call(
                "cl_impact",
                json!({"symbol": "Cart.total", "depth": 1, "sourceLines": 3}),
                &[
                    "/target/handle",
                    "/target/path",
                    "/target/symbol",
                    "/target/kind",
                    "/target/line",
                    "/target/signature",
                    "/target/text",
                ],
            ),
        ),
        row(
            "trace: incoming_calls{path, caller, line}",
            Call(
                "cl_impact",
                json!({"handle": "@total", "depth": 1, "sourceLines": 3}),
                &[
                    "/callers/0/symbol",
                    "/callers/0/path",
                    "/callers/0/line",
                    "/callers/0/text",
                ],
            ),
        ),
        row(
            "trace: outgoing_calls{path, callee, line}",
            Call(
                "cl_impact",
                json!({"symbol": "order", "depth": 1}),
                &["/callees/0/path", "/callees/0/symbol", "/callees/0/line"],
            ),
        ),
        row("codewell trace NAME", Command(&["trace", "order"], "order")),
        row(
            "context: token_budget, token_estimate",
            Call(
                "cl_explore",
                pack.clone(),
                &["/budget", "/tokens", "/overhead"],
            ),
        ),
        row(
            "context: selected_files{score, snippet, symbols, selection_reasons}",
            Call(
                "cl_explore",
                pack.clone(),
                &[
                    "/parts/0/score",
                    "/parts/0/text",
                    "/parts/0/symbol",
                    "/parts/0/because",
                    "/parts/0/role",
                    "/parts/0/tokens",
                ],
            ),
        ),
        row(
            "context: *_omitted, metadata_truncated",
            Call("cl_explore", pack.clone(), &["/omitted", "/omittedTotal"]),
        ),
        row(
            "context: selection_explanation, agent_brief",
            Call("cl_explore", pack.clone(), &["/brief/0"]),
        ),
        row(
            "context: sha256",
            Call(
                "cl_search",
                json!({"query": "total", "explain": true}),
                &["/results/0/explain/contentId"],
            ),
        ),
        row(
            "symbol_neighborhoods: summary, caller_definitions, callee_definitions",
            Call(
                "cl_explore",
                json!({"targets": ["order"], "include": ["callers", "callees", "tests"]}),
                &[
                    "/cards/0/symbol",
                    "/cards/0/counts/callers",
                    "/cards/0/callees/0",
                ],
            ),
        ),
        row(
            "diagnostics: query_terms, lexical_candidates with scores, penalties, reasons",
            Call(
                "cl_search",
                json!({"query": "total price", "explain": true}),
                &[
                    "/results/0/explain/weight",
                    "/results/0/explain/signals/0/rank",
                    "/results/0/explain/signals/0/adds",
                    "/results/0/explain/factors",
                ],
            ),
        ),
        row(
            "search: query, limit; path, score, snippet, symbols",
            Call(
                "cl_search",
                json!({"query": "adds up prices", "limit": 2}),
                &[
                    "/results/0/path",
                    "/results/0/score",
                    "/results/0/preview",
                    "/results/0/symbol",
                ],
            ),
        ),
        row(
            "related_revisions, attached_documents",
            Call(
                "cl_explore",
                json!({"query": "total", "include": ["notes", "documents"]}),
                &["/documents"],
            ),
        ),
        row(
            "search_revision_memory",
            Call(
                "cl_load",
                json!({"query": "total is wrong"}),
                &["/results", "/total"],
            ),
        ),
        row(
            "record_failure, record_revision",
            Call(
                "cl_save",
                json!({"kind": "failure", "notes": "total is wrong"}),
                &["/id", "/verification"],
            ),
        ),
        row(
            "/api/ingest-history",
            Call(
                "cl_stats",
                json!({"usage": true}),
                &[
                    "/lastRun/id",
                    "/lastRun/kind",
                    "/lastRun/source",
                    "/lastRun/status",
                    "/lastRun/startedMs",
                    "/lastRun/finishedMs",
                ],
            ),
        ),
    ]
}

fn contextweaver() -> Vec<Row> {
    vec![
        row(
            "codebase-retrieval: information_request, technical_terms",
            Call(
                "cl_search",
                json!({"query": "prices \"total\" of Cart"}),
                &["/results/0/path"],
            ),
        ),
        row(
            "codebase-retrieval: mode, max_total_chars, max_files, max_segments_per_file",
            Call(
                "cl_explore",
                json!({"query": "total price", "include": ["source"], "budget": 1000, "maxFiles": 2, "maxResultsPerFile": 1}),
                &["/parts/0/text", "/omitted"],
            ),
        ),
        row(
            "include_globs, exclude_globs",
            Call(
                "cl_search",
                json!({"query": "total", "path": ["src/**", "!**/*.py"]}),
                &["/results/0/path"],
            ),
        ),
        row(
            "a glob that matches nothing",
            Refused("cl_search", json!({"query": "total", "path": ["lib/**"]})),
        ),
        row(
            "language",
            Call(
                "cl_search",
                json!({"query": "total", "language": "python"}),
                &["/results/0/path"],
            ),
        ),
        row(
            "a language that is not there",
            Refused("cl_search", json!({"query": "total", "language": "cobol"})),
        ),
        row(
            "return_debug",
            Call(
                "cl_search",
                json!({"query": "total", "explain": true}),
                &["/results/0/explain/signals/0/name"],
            ),
        ),
        row(
            "low_confidence_behavior",
            Command(
                &[
                    "search",
                    "quantum flux of total",
                    "--low-confidence",
                    "top1",
                ],
                "total",
            ),
        ),
        row(
            "confidence",
            Call(
                "cl_search",
                json!({"query": "total"}),
                &[
                    "/confidence/level",
                    "/confidence/value",
                    "/confidence/basis",
                ],
            ),
        ),
        row(
            "output_format json",
            Command(&["search", "order", "--json"], "\"results\""),
        ),
        row(
            "output_format markdown",
            Command(&["explore", "order", "--markdown"], "# order"),
        ),
        row(
            "list-files: path, language, size",
            Call(
                "cl_map",
                json!({"view": "files"}),
                &[
                    "/files/0/path",
                    "/files/0/language",
                    "/files/0/bytes",
                    "/files/0/lines",
                    "/total",
                ],
            ),
        ),
        row("list-files", Command(&["list-files"], "src/price.ts")),
        row(
            "find-references: every place",
            Call(
                "cl_impact",
                json!({"symbol": "order", "sites": true}),
                &[
                    "/sites",
                    "/sitesTotal",
                    "/otherMentions/comments",
                    "/unresolvedTotal",
                ],
            ),
        ),
        row(
            "find-references",
            Command(&["references", "order"], "order"),
        ),
        row(
            "get-symbol-definition: symbol, hint_path",
            Call(
                "cl_expand",
                json!({"symbol": "total", "hint_path": "src/order.ts"}),
                &["/candidates"],
            ),
        ),
        row(
            "get-symbol-definition",
            Command(&["definition", "order"], "export function order"),
        ),
        row(
            "list-symbols",
            Call(
                "cl_map",
                json!({"kind": ["function"], "name": "tot"}),
                &["/symbols/0/name", "/total"],
            ),
        ),
        row(
            "index, index --force",
            Command(&["refresh", "--help"], "refresh"),
        ),
        row("watch", Command(&["watch", "--help"], "--interval-ms")),
        row("search", Command(&["search", "order"], "order")),
        row("mcp", Command(&["serve", "--help"], "--tools")),
        row("init", Command(&["install", "--help"], "--tools")),
        row(
            "CW_SEARCH_*, fusion",
            Command(&["config", "show"], "search.fusion"),
        ),
        row(
            "watch --debounce",
            Command(&["config", "show"], "watch.debounce_ms"),
        ),
        row("languages", Call("cl_stats", json!({}), &["/languages"])),
        row(
            "advisory lock, one transaction",
            Given("tests of crash_recovery"),
        ),
        row(
            "stats: queries, cache hit rate",
            Call(
                "cl_stats",
                json!({"usage": true}),
                &["/usage/calls/cl_search", "/usage/cacheHits", "/usage/p95Ms"],
            ),
        ),
        row(
            "EMBEDDINGS_*, embed clear",
            Pending("cl_stats", json!({}), "/vectors"),
        ),
        row(
            "RERANK_*",
            Pending("cl_search", json!({"query": "total"}), "/ranking"),
        ),
    ]
}

fn coderlm() -> Vec<Row> {
    vec![
        row(
            "init, status",
            Call("cl_current", json!({}), &["/repo", "/branch", "/status"]),
        ),
        row(
            "chunk_indices(file, size, overlap): file, total_bytes, chunk_size, overlap, chunks{index, start, end}",
            Command(
                &[
                    "chunks",
                    "src/price.ts",
                    "--size",
                    "40",
                    "--overlap",
                    "8",
                    "--json",
                ],
                "\"end\":40",
            ),
        ),
        row(
            "structure(depth): tree, file_count, language_breakdown",
            Call(
                "cl_map",
                json!({"view": "tree", "depth": 2}),
                &[
                    "/tree/0/path",
                    "/tree/0/files",
                    "/fileCount",
                    "/languages/0/language",
                    "/languages/0/files",
                ],
            ),
        ),
        row("structure", Command(&["tree"], "src")),
        row(
            "symbols(kind, file, limit): name, kind, file, line_range, signature",
            Call(
                "cl_map",
                json!({"kind": ["function"], "path": "src/price.ts", "limit": 5}),
                &[
                    "/symbols/0/name",
                    "/symbols/0/kind",
                    "/symbols/0/path",
                    "/symbols/0/startLine",
                    "/symbols/0/endLine",
                    "/symbols/0/signature",
                ],
            ),
        ),
        row(
            "symbols: parent",
            Call(
                "cl_map",
                json!({"kind": ["method"]}),
                &["/symbols/0/parent"],
            ),
        ),
        row(
            "symbols: kinds of other tools",
            Call(
                "cl_map",
                json!({"kind": ["struct", "trait"]}),
                &["/symbols/0/name"],
            ),
        ),
        row(
            "search(q, limit)",
            Call(
                "cl_map",
                json!({"name": "tot", "limit": 2}),
                &["/symbols/0/name"],
            ),
        ),
        row(
            "impl(symbol, file): source",
            Call(
                "cl_expand",
                json!({"symbol": "order", "path": "src/order.ts"}),
                &["/content", "/startLine", "/endLine"],
            ),
        ),
        row(
            "callers: file, line, text",
            Call(
                "cl_impact",
                json!({"symbol": "Price"}),
                &["/callers/0/path", "/callers/0/line", "/callers/0/text"],
            ),
        ),
        row(
            "tests: name, file, line",
            Call(
                "cl_impact",
                json!({"handle": "@total"}),
                &[
                    "/affectedTests/0/path",
                    "/affectedTests/0/cases/0/title",
                    "/affectedTests/0/cases/0/line",
                ],
            ),
        ),
        row("tests", Command(&["tests", "--symbol", "order"], "")),
        row(
            "variables: name, function",
            Call(
                "cl_map",
                json!({"path": "@order"}),
                &["/symbols/0/name", "/symbols/0/kind"],
            ),
        ),
        row(
            "peek(start, end)",
            Call(
                "cl_expand",
                json!({"path": "src/price.ts", "startLine": 1, "endLine": 2}),
                &["/content", "/startLine"],
            ),
        ),
        row(
            "grep: pattern, max_matches, context_lines, scope, file",
            Call(
                "cl_search",
                json!({"query": "sum \\+", "match": "regex", "scope": "code", "contextLines": 1, "limit": 1, "path": ["src"]}),
                &[
                    "/total",
                    "/complete",
                    "/results/0/path",
                    "/results/0/lines",
                    "/results/0/preview",
                    "/results/0/before",
                    "/results/0/after",
                    "/searchedFiles",
                ],
            ),
        ),
        row(
            "grep: a file that matches nothing",
            Refused(
                "cl_search",
                json!({"query": "sum", "match": "literal", "path": ["none.ts"]}),
            ),
        ),
        row("grep", Command(&["grep", "sum \\+"], "src/price.ts")),
        row(
            "save-annotations, load-annotations",
            Command(&["context", "--help"], "export"),
        ),
        row(
            "define-file, define-symbol, redefine",
            Call(
                "cl_save",
                json!({"kind": "note", "items": [{"path": "src/price.ts"}], "notes": "sums"}),
                &["/id", "/kind"],
            ),
        ),
        row(
            "mark(documentation, ignore, test, config, generated, custom)",
            Call(
                "cl_save",
                json!({"kind": "mark", "items": [{"path": "src/price.ts"}], "notes": "config"}),
                &["/id", "/kind"],
            ),
        ),
        row(
            "sessions, 410",
            Given("nothing is created, so nothing ends"),
        ),
    ]
}

fn repowise() -> Vec<Row> {
    vec![
        row(
            "search_codebase: query, limit; page_id, title, snippet, relevance_score, confidence_score",
            Call(
                "cl_search",
                json!({"query": "prices", "limit": 3}),
                &[
                    "/results/0/handle",
                    "/results/0/path",
                    "/results/0/preview",
                    "/results/0/score",
                    "/confidence/value",
                ],
            ),
        ),
        row(
            "page_type",
            Call(
                "cl_search",
                json!({"query": "prices", "contentType": "prose"}),
                &["/results/0/path"],
            ),
        ),
        row(
            "8 s timeout, full-text fallback",
            Call(
                "cl_search",
                json!({"query": "prices", "budgetMs": 5000}),
                &["/freshness"],
            ),
        ),
        row(
            "fetch three times, filter, minimum",
            Call(
                "cl_search",
                json!({"query": "prices zebra"}),
                &["/missing/0"],
            ),
        ),
        row(
            "get_answer of low confidence, then search",
            Call(
                "cl_explore",
                json!({"query": "prices zebra"}),
                &["/confidence/level", "/missing/0"],
            ),
        ),
        row(
            "get_context: targets, include source, callers, callees",
            Call(
                "cl_explore",
                json!({"targets": ["order", "src/price.ts", "nowhere"], "include": ["source", "callers", "callees", "tests"]}),
                &[
                    "/cards/0/signature",
                    "/cards/1/path",
                    "/cards/2/error",
                    "/parts/0/text",
                ],
            ),
        ),
        row(
            "get_risk: dependents, tests",
            Call(
                "cl_impact",
                json!({"path": "src/price.ts"}),
                &[
                    "/affectedFiles/0/path",
                    "/affectedTests/0/path",
                    "/totalCallers",
                ],
            ),
        ),
        row(
            "get_dependency_path",
            Call(
                "cl_related",
                json!({"path": "src/order.ts", "to": "src/price.ts"}),
                &["/reachable", "/paths/0/0/path"],
            ),
        ),
        row(
            "get_overview",
            Call(
                "cl_explore",
                json!({"targets": ["."]}),
                &["/cards/0/counts/files"],
            ),
        ),
        row(
            "repo=\"all\", repos_failed",
            Call(
                "cl_search",
                json!({"query": "prices", "repo": "all"}),
                &["/repos/0/freshness", "/results/0/repo"],
            ),
        ),
        row(
            "freshness boost",
            Pending(
                "cl_search",
                json!({"query": "prices", "explain": true}),
                "/results/0/explain/recency",
            ),
        ),
        row(
            "get_context: ownership, metrics, community",
            Call(
                "cl_explore",
                json!({"targets": ["order"], "include": ["owners", "metrics"]}),
                &[
                    "/cards/0/owners",
                    "/cards/0/metrics/commits",
                    "/history/complete",
                ],
            ),
        ),
        row(
            "get_risk: hotspot, co-change, reviewers, test gaps, signals",
            Call(
                "cl_impact",
                json!({"symbol": "order", "risk": true}),
                &[
                    "/risk/files/0/commits",
                    "/risk/files/0/churn",
                    "/risk/files/0/fixes/count",
                    "/risk/files/0/coChange/0/together",
                    "/risk/reviewers/0/name",
                    "/risk/testGaps/0/state",
                    "/risk/blast/files",
                    "/risk/history/complete",
                ],
            ),
        ),
    ]
}

/// Asks for a row; returns what is wrong with its answer.
fn fault(session: &mut Session, cli: &Cli, row: &Row, id: u64) -> Option<String> {
    let mut call = |tool: &str, arguments: &Value| -> (bool, Value) {
        let asked = json!({"name": tool, "arguments": with_handles(cli, arguments)});
        let answer = session.ask(id, "tools/call", &asked);
        let result = answer["result"].clone();
        let failed = result["isError"] == true || !answer["error"].is_null();
        (failed, result["structuredContent"].clone())
    };
    match &row.how {
        Call(tool, arguments, fields) => {
            let (failed, value) = call(tool, arguments);
            if failed {
                return Some(format!("failed: {value}"));
            }
            let missing = fields.iter().find(|field| value.pointer(field).is_none());
            missing.map(|field| format!("{field} is not in {value}"))
        }
        Command(arguments, printed) => {
            let ran = cli.run(arguments);
            let is_right = ran.code == 0 && ran.stdout.contains(printed);
            (!is_right).then(|| format!("{ran:?}"))
        }
        Refused(tool, arguments) => {
            let (failed, value) = call(tool, arguments);
            let has_hint = value["error"]["hint"].is_string();
            (!failed || !has_hint).then(|| format!("not refused: {value}"))
        }
        Given(reason) => reason.is_empty().then(|| "no reason is given".to_owned()),
        Pending(tool, arguments, field) => {
            let (failed, value) = call(tool, arguments);
            let is_there = !failed && value.pointer(field).is_some();
            is_there.then(|| format!("is answered now: take `Pending` away: {field}"))
        }
    }
}

/// Replaces `@name` by the handle of a definition in `src/`.
fn with_handles(cli: &Cli, arguments: &Value) -> Value {
    let mut arguments = arguments.clone();
    for value in arguments.as_object_mut().unwrap().values_mut() {
        if let Some(name) = value.as_str().and_then(|text| text.strip_prefix('@')) {
            let found = cli.json(&["map", "--name", name, "--kind", "function", "src"]);
            let mut symbols = found["symbols"].as_array().unwrap().iter();
            let is_it = |it: &&Value| it["name"] == name;
            *value = symbols.find(is_it).unwrap()["handle"].clone();
        }
    }
    arguments
        .as_object_mut()
        .unwrap()
        .retain(|_, value| !value.is_null());
    arguments
}

fn hold(name: &str, rows: &[Row]) {
    let repo = Fixture::parse(SHOP).build();
    let cli = Cli::new(repo.path());
    cli.json(&["refresh"]);
    let mut session = Session::of(cli.command(&["serve"]));
    let mut faults = Vec::new();
    for (row, n) in rows.iter().zip(1..) {
        if let Some(fault) = fault(&mut session, &cli, row, n) {
            faults.push(format!("{name}: {}\n  {fault}", row.seed));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn codewell_has_an_answer_for_each_line() {
    hold("codewell", &codewell());
}

#[test]
fn contextweaver_has_an_answer_for_each_line() {
    hold("ContextWeaver", &contextweaver());
}

#[test]
fn coderlm_has_an_answer_for_each_line() {
    hold("CoderLM", &coderlm());
}

#[test]
fn repowise_has_an_answer_for_each_line() {
    hold("repowise", &repowise());
}
