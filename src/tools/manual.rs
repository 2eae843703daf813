//! TOOLS.md, made from the tools themselves so that it can't say anything else.
//!
//! Does not know anything that a [`super::ToolSpec`] does not say.

use std::fmt::Write as _;

use serde_json::{Map, Value};

use super::input_errors::type_name;
use super::{TOOLS, ToolSpec};
use crate::graph::edge_confidence::table;
use crate::model::{Provenance, SkipReason, UnknownReason};
use crate::search::answer_confidence::{Figures, SearchCorpus, table as confidence_table};

const HEAD: &str = "# Tools

Generated from the code; a test keeps it true. Every tool is one function with one input and one output type: over MCP it is
`cl_NAME`, on the command line `codelens NAME`, and `--json` prints exactly the value that MCP returns. Commands lack `highlight`, and take one repository.

Input is JSON in camelCase. An unknown field or a wrong type is `invalid_argument`, with the accepted fields or an example; a number out of range
is clamped to it (`cl_prune` refuses one below 0, which would remove more than was meant). Every tool that reads also takes `budgetMs`, which the tables below leave out: how long the index may be brought up to date for the question, in milliseconds. `repo` is taken by every tool: the path of the repository, where it is not the one that was given at the
start (`--repo`), the client's root, or the working directory.

`cl_search`, `cl_explore`, `cl_map`, `cl_expand`, `cl_impact`, `cl_related`, `cl_current` and `cl_refresh` take `ref` (`--ref`): one branch, tag, remote-tracking branch or
commit (`main`, `v1.2`, `origin/main`, `e2bede96`, `HEAD~3`), which is asked in place of the work tree, without a checkout. The answer says `ref`, and `headSha` for what it names in this call. (`cl_load` takes `ref`, too, for the commit whose records are asked for.) A name of
nothing, of several commits (`a..b`) or of another object is `invalid_argument`, and so is `ref` with `changes`. In a bare repository `ref` is `HEAD` unless it is given.

A path is relative to the root of the repository, or absolute and inside it; on the command line it may also be relative to the working directory, which
goes first. `name()` is read as `name`, `\"5\"` as 5, `\"true\"` as true. Other names of fields are taken: `q`, `pattern` for `query`; `file`, `file_path`, `filePath`,
`hint_path`, `hintPath` for `path`; `id`, `symbol_id`, `chunk_id` for `handle`; `max_results`, `maxResults`, `topK` for `limit`; snake_case of every field.

`line` counts from 1 and is in the entry's own `path`: in an entry of a caller or another use it is the line of the (first) use,
in an entry of a definition (target, candidate, callee, neighbour that is used) the line of its name. `lines`, `startLine` and `endLine` are inclusive.

## Reading a result

In the shapes below `field?` may be absent, and `[…]` is a list whose entries are not spelled out. **`defaults` holds the values that most entries share: an entry without `confidence`, `provenance`, `edgeType`,
`direction` or `why` has the value in `defaults`** (one of `affectedTests` without `confidence`: `testConfidence`). `confidence: null` means not measured. An entry without `hops` is one step away.

- `cl_impact`: `totalCallers` counts the callers within `depth` steps (2). `callers` lists the direct ones, with `depth` given all of them; `indirect` counts the others (callers of callers).
  `hops`: steps from the target. `via`: the definition through which a caller reaches it. `also`: lines of further uses in the same caller. `count`: uses, where their lines are not listed.
- `completeness` of `cl_impact`: `resolvedSites` are uses that are bound to the target itself, `unresolvedSites` uses of its name that may mean it, `unresolvedVia` such uses of the callers' names, `skippedFiles` files that are left
  out or read in part (`skippedByReason` but `masked`), `unsearchedFiles` files with the name that only `sites` reads.
- `external` of `cl_related`: packages that the file imports and another repository of the group offers (`specifier`, `repo`, `path?`), a hint by the name; no edge crosses repositories ([repositories](docs/repositories.md)).
- `otherMentions` (with `sites`) counts the occurrences of the name that are no uses of the target: `definitions` of this name (its own too), `otherTargets` (uses of another definition), `external` (of something outside the
  repository), `comments`, `strings`, `prose` (in files whose uses are not known).
- `why` of a search result, joined by commas: `fts` (words of the text), `symbol` (a name, also nearly), `exact` (exactly the name), `path`, `history` (past commits), `vector` (a model); of lines `literal` or `regex`.
  `literal`: how often it holds the quoted text, flag, name or message as it stands. `collapsed`: further hits in that file.

## Freshness

`cl_search`, `cl_explore`, `cl_related`, `cl_impact`, `cl_map`, `cl_changes` (and `cl_load`, and `cl_expand` by a handle or a name) first find out what changed since the index was made, bring it up within a budget of 500 ms
(`budgetMs`, `--budget-ms`, `CODELENS_BUDGET_MS`), and then answer from one generation of one index. An index that is missing, and of which none was complete that it could start from, is waited for up to
10 s (`CODELENS_FIRST_BUILD_MS`; `budgetMs` and `--budget-ms` replace it), with progress notifications; at a terminal it is built to its end, and Ctrl-C
answers from the files that were read so far.

- `freshness`: `fresh` (proved: the index equals the work tree), `partial` (files are pending), `unknown` (the proof could not
  be finished: `freshnessReason` says why).
- `proof`: `commit` where the answer is about a commit, whose files never change; `watch` (a server on Linux): every file was compared less than a minute ago, and
  each file that the kernel has reported as changed since was compared in this call; without it every file on the disk was compared in this call.
- `pendingFiles` of `totalFiles` differ from the index and were not read yet; `stale: true` marks each result whose file is among them.
- `note`, and the `summary` of `cl_impact`, begin with the state of an index that is not complete (`The index is 46 % built: …`): what is missing then may
  be in a file that is not read yet. These fields come first then. Of a complete index `note` says what an empty list was looked for in.
- `indexId` is the identity of the rows that were read, `generation` their revision.

A server works off what is left after the answer; a command does not. `generation`, `nextCursor` and `proof` of query tools and times, durations, counts
of work and sizes of the others may differ between two answers for the same tree; all else is byte for byte the same while `fresh`.

## Size

A reply has at most 44,000 bytes of text. A list that is longer is cut and says `truncated`; where `nextCursor` is given it goes on from there.

## Packs

`cl_explore` with `include`, or with `targets`, answers with a pack: `parts` with whole definitions within `budget` tokens (4 bytes each; the whole answer is counted:
`tokens` is that of the `text` of its parts and `overhead`). Useful sizes: 1000 for a look, 4000 for one task, 12000 with `relatedDepth` 2 for a wide one.

- `include`: `source` (texts, the header of the class around a hit, the definitions beside the best three hits), `callers`, `callees`, `tests`, `imports` (definitions that are
  named and not called). They are those of bound edges, with their `provenance`, around the best three hits or all targets; at most 4 callers, 6 callees, 3 tests and 6 imports of each.
- Order of filling: hits and targets, containers, callees, neighbours, callers, tests, imports, then hits with less than half of the best hit's score. A definition goes in where it fits; one
  that is longer than a third of the budget (the first hit: two thirds; a lone one: all of it) or than the rest by its comment and signature, with `truncated`. What stands around takes at
  most half. Hits with less than 0.3 of the best score stay out (`cutoff`), but for the first two.
- `text` is the exact `lines` of the file on the disk; absent with `stale` where the file is not as it was indexed. No line is in a pack twice.
- `omitted` lists what did not go in, best first, up to 50 and as far as the budget goes; `omittedTotal` counts all. `parts` and `omitted` together do not depend on `budget`.
- `because` is the handle or the words of the question that brought a part.
- `brief`: up to six sentences whose names and numbers are all in other fields of the same answer.
- `cards`: one for each target, with its place and counts as `cl_impact` has them (`callers`: direct callers). A target that is ambiguous or not there makes its own card an `error` with
  `candidates`; the call succeeds. `path:line` and `path#name` name definitions too.

## Scores

`score` (0 to 1) is the share of the question that a result covers, each word counted by how rare it is here. It is one scale for all answers. Measured on
two repositories (vuejs/core, express), with as many questions that have no answer there as questions that have one, the file of the first result was right in 11 %
of the answers with a score below 0.2, 24 % below 0.4, 42 % below 0.6, 68 % below 1 and 78 % at 1; on two others (flask, trpc; 120 questions) 10, 15, 30 and 59 %, and
6 scores of 1 are too few to tell. It does not order the results: `explain` tells what does.
`missing` lists the words of the question that no result holds.

## Handles

`chk_…` (a chunk), `sym_…` (a symbol), `rel:<path>` (a file). The same code keeps its handle when lines above it move, in another branch and on
another machine; an edited symbol keeps it as long as its qualified name and file stay.

## Changes

The lists of `cl_changes`:

| list | an entry | fields |
|---|---|---|
| `changes` | a definition that differs | `handle?`, `path`, `symbol`, `kind` (`reexport` for a name that a file passes on), `change` (added, removed, moved, renamed, signature, body), `exported`, `from?` (as it was: `path?`, `symbol?`, `line?`, `signature?`, `exported?`, `evidence?`), `line`, `signature?`, `callers?`, `tests?`, `source?` |
| `broken` | a use of what is gone, or a call that no longer fits; an import is one entry, and uses that come through a re-export which is listed itself are none | `path`, `line`, `text`, `symbol?`, `uses` (the definition: `path`, `symbol`, `change`, `now?`), `provenance`, `also?` (further lines that an import leaves without a meaning) |
| `unresolvedAt` | one of the `unresolved` uses, which meant a member that is gone where a base from outside the repository may have one of the name | as `broken` |
| `collisions` | a place where both branches disagree | `with`, `kind` (uses_changed, same_symbol, both_added, file_only), `path`, `symbol?`, `ours`, `theirs`, `detail` |
| `tests` | a test file that reaches the changes | `path`, `hops` (0: changed itself), `confidence`, `provenance`, `cases?` |
| `files` | a file that differs | `path`, `from?`, `status`, `added?`, `deleted?` |

`base` is taken as it is; `main...` stands for where the head left `main`. Calls with too few or too many arguments are looked for in TypeScript and Python, those that make an object of a class among them.

An empty `broken` means that there is none only where `complete` is true. It is false, among other cases, where

- a use in reach was not bound (`unresolved`),
- a parameter list changed and calls are not compared with it (one of several overloads is gone, a language other than TypeScript and Python, a decorator that may change it) or by the number of arguments alone
  (another type, in Python another name): `summary` counts these,
- a changed file of code that is not compared (generated, minified, left out) may have lost definitions,
- a file is not read as its name is not UTF-8: `summary` says how many.

`risk` of `cl_impact` with `risk`: `{files:[{path, commits, commits90, churn, fixes:{count, last?, subjects}, owners?, coChange?:[{path, together, of}], lastChange?:{sha, date, subject}}],
filesTotal, missingCoChange?:[{path, with, together, of}], testGaps:[{symbol, path, line, state}], testGapsUnchecked?, reviewers?:[{name, basis, share?}], blast:{files, tests, packages?},
signals?:[{kind, path, line, text}], history:{commits, from?, complete, pending?}}`, of at most 20 files. Cards of `cl_explore` have `owners:[{name, share?, commits?, last?, from?}]`, `history:{commits, commits90, fixes, last?:{sha, date, subject},
coChange?}` and `metrics:{lines, dependents?, dependencies?, exported, commits?, commits90?, fixes?, churn?, cluster?}` by `include`. These are counts over the commits that `history` names (docs/history.md says how they are counted): no score, and none of them says that a change is safe.

`changeSet.removed` of `cl_impact` with `changes` or `base`: `[{symbol, path, kind, line, change, now?:{symbol, path, line}, stillNamedAt:[{path, line, text, use, doubtful?}], total, doubtful?, unresolved?, unfollowed?, unfollowedFile?}]`; `line` is that of the commit,
`change` is removed, renamed, moved or unexported, `stillNamedAt` has the uses that mean nothing now, `total` says how many there are. `doubtful` marks and counts those that may mean a
member of a base from outside the repository; `unresolved` counts further uses of the name whose meaning is not known.

## Errors

A failed call has `isError` and `{\"error\":{\"code\",\"message\",\"hint\"}}`; `hint` is the next step. Codes: `not_a_repo`, `index_missing`, `index_busy`, `invalid_argument`, `bad_cursor`,
`unknown_handle`, `path_not_found`, `outside_repo`, `not_indexed`, `refused`, `newer_schema`, `cancelled`, `git`, `io`, `internal`. On the command line the error goes to stderr, and the command ends with an exit code:

| exit code | meaning |
|---|---|
| 0 | done |
| 1 | an error, a failed check of `codelens doctor`, or a failed test of `codelens verify` |
| 2 | a command line that is not understood |
| 3 | a use is broken (`codelens changes --exit-code`) |
| 130 | interrupted with Ctrl-C |

";

/// Texts for inputs of `cl_changes` whose own are short, since the definitions of tools count in every session.
const CHANGES_INPUTS: [(&str, &str); 6] = [
    ("head", "Default: the work tree."),
    (
        "with",
        "Branches or work trees whose changes may collide with these.",
    ),
    ("path", "Only changes of these files or directories."),
    ("include", "Parts of the answer. Default: all but source."),
    ("budget", "Tokens at most (default 3000)."),
    ("limit", "Entries of each list at most (default 200)."),
];

/// Returns TOOLS.md.
pub fn manual() -> String {
    let mut out = String::from(HEAD);
    let reasons: Vec<String> = UnknownReason::ALL
        .iter()
        .map(|reason| format!("`{}`: {}", reason.as_str(), reason.sentence()))
        .collect();
    let skips: Vec<String> = SkipReason::ALL
        .iter()
        .map(|reason| format!("`{}`", reason.as_str()))
        .collect();
    let _ = writeln!(out, "Values of `freshnessReason`: {}.", reasons.join("; "));
    let _ = writeln!(
        out,
        "\nKeys of `skippedByReason`: {}. Each file that is left out or reduced is counted under one of them. `totalFiles`, `fileCount` and `counts.files` count these files, too; `searchedFiles` does not count those that are left out.",
        skips.join(", ")
    );
    confidences(&mut out);
    search_confidence(&mut out);
    for tool in TOOLS {
        section(tool, &mut out);
    }
    out
}

fn search_confidence(out: &mut String) {
    out.push_str(
        "\n## Confidence of a search\n\n`confidence` of `cl_search` and `cl_explore` is about the place, never about what the code does. `value` is the measured share of \
         answers of the same class that hold the wanted file among the first result, the first 5 or the first 20, whichever the answer has. The class goes by the first result: \
         the question is its name, or the share of the question that it covers (`score`). `level` is `high` from .9 on, `low` where questions that have no answer in the repository \
         (those of another one) are answered in this class at least as often (then `missing` and the results themselves tell more), else `medium`. `basis` says what the first result shares with the question: its `name`, `words`, its `history` alone, or `none`. `value` is of questions that have an answer; classes that do not differ by more than chance have one figure. Held out: \
         repositories whose figures are in no answer. Written by `scripts/search_confidence.py`.\n\n\
         | class | score from | `value` | questions | first | 5 | 20 | questions without an answer | held out | first | 5 | 20 |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    let share = |it: Option<f64>| it.map_or_else(|| "–".to_owned(), |it| format!("{it:.2}"));
    let figures = |of: &Figures| {
        let shares = [of.first, of.five, of.twenty].map(share);
        format!("{} | {}", of.samples, shares.join(" | "))
    };
    let table = confidence_table();
    for class in &table.classes {
        let _ = writeln!(
            out,
            "| `{}` | {:.2} | {} | {} | {} | {} |",
            class.class,
            class.from,
            class.values.map(|it| format!("{it:.2}")).join(", "),
            figures(&class.own),
            class.foreign,
            figures(&class.held_out)
        );
    }
    let names = |corpora: &[SearchCorpus]| {
        let names = corpora.iter();
        let names = names.map(|it| format!("{} at {}", it.name, &it.commit[..12]));
        names.collect::<Vec<_>>().join(", ")
    };
    let _ = writeln!(
        out,
        "\nMeasured {}: {}; held out: {}.",
        table.date,
        names(&table.corpora),
        names(&table.held_out)
    );
}

fn confidences(out: &mut String) {
    out.push_str(
        "\n## Confidence\n\n`provenance` says how an edge is known. The classes `test`, `test-barrel` and `test-mention` are no values of it: \
         an entry of a test takes its class from `basis` (absent: `graph`, class `test`; `path`: class `path-heuristic`; `cl_changes` has no `basis` and writes each `confidence`). `confidence` is the measured precision of that class in the language: \
         the share of answers that the language's compiler or type checker agrees with, for C# those that a reader of drawn call \
         sites agrees with. A chain is as strong as its weakest edge. Written by `scripts/confidence.py` and `scripts/judged_sites.py`.\n\n| class | an edge or test of this class is | what was judged |",
    );
    for language in table().keys() {
        let _ = write!(out, " {language} | of |");
    }
    out.push_str("\n|---|---|---|");
    out.push_str(&"---|---|".repeat(table().len()));
    out.push('\n');
    let edges = Provenance::ALL.iter().map(|it| (it.as_str(), meaning(*it)));
    let tests = [
        (
            "test",
            "a test that uses or imports it, directly or through others (`basis` graph)",
        ),
        (
            "test-barrel",
            "a test that only imports a file which passes many others on (`basis` barrel)",
        ),
        (
            "test-mention",
            "a test that names it, without a bound use (`basis` mention)",
        ),
    ];
    for (name, meaning) in edges.chain(tests) {
        let judged = table().values().find_map(|it| it.classes.get(name));
        let judged = judged.map_or("", |it| it.judged.as_str());
        let _ = write!(out, "| `{name}` | {meaning} | {judged} |");
        for measured in table().values() {
            let class = measured.classes.get(name);
            let precision = class
                .and_then(|it| it.precision)
                .map_or_else(|| "not judged".to_owned(), |it| format!("{it:.3}"));
            let samples = class.map_or(0, |it| it.samples);
            let _ = write!(out, " {precision} | {samples} |");
        }
        out.push('\n');
    }
    out.push_str(
        "\n`not judged`: in the measured repositories of the language no answer of the class could be compared, so `confidence` is `null`: not known, neither good nor bad.\n",
    );
    for (language, measured) in table() {
        let corpora = measured.corpora.iter();
        let corpora: Vec<String> = corpora
            .map(|corpus| format!("{} at {}", corpus.name, &corpus.commit[..12]))
            .collect();
        let (date, corpora) = (&measured.date, corpora.join(", "));
        let _ = writeln!(out, "\nMeasured on {date}, {language}: {corpora}.");
    }
}

fn meaning(provenance: Provenance) -> &'static str {
    match provenance {
        Provenance::Resolved => "bound through scopes, imports and re-exports to one definition",
        Provenance::Member => "a member bound through a receiver whose type is evident",
        Provenance::Dispatch => {
            "a use of the member that it overrides or implements, of one that overrides or implements it, of a value that wraps it, or of a union one of whose types has it"
        }
        Provenance::Overload => "one of several overloads; the arguments do not decide",
        Provenance::Alternative => {
            "a use of the definition that stands for it in a build for another platform or in another branch"
        }
        Provenance::Bridge => {
            "a request and the handler of its route, or a declaration and the function of another language that it stands for: both sides write the same name"
        }
        Provenance::Name => "a test that only names it; its confidence is that of `test-mention`",
        Provenance::PathHeuristic => {
            "a test file by its name; in `cl_changes` also one that uses other exports of a changed file, as `test-barrel`"
        }
    }
}

fn section(tool: &ToolSpec, out: &mut String) {
    let _ = writeln!(
        out,
        "\n## {}\n\n{}.\n\n{}\n",
        tool.name, tool.title, tool.about
    );
    let access = match (tool.read_only, tool.destructive) {
        (true, _) if matches!(tool.name, "cl_current" | "cl_doctor") => "Read-only.",
        (true, _) => "Read-only for the repository; may update the index in the data directory.",
        (false, false) => "Writes in the data directory alone.",
        (false, true) => "Deletes in the data directory.",
    };
    let _ = writeln!(out, "{access}\n");
    out.push_str("| input | type | |\n|---|---|---|\n");
    let schema = (tool.input_schema)();
    let required: Vec<&str> = schema
        .get("required")
        .and_then(Value::as_array)
        .map(|names| names.iter().filter_map(Value::as_str).collect())
        .unwrap_or_default();
    for (name, field) in properties(&schema) {
        let must = if required.contains(&name.as_str()) {
            ", required"
        } else {
            ""
        };
        let longer = CHANGES_INPUTS
            .iter()
            .find(|(input, _)| tool.name == "cl_changes" && name == *input);
        let own = field.get("description").and_then(Value::as_str);
        let about = longer.map_or(own, |(_, text)| Some(*text));
        let about = about.unwrap_or_default();
        let _ = writeln!(
            out,
            "| `{name}` | {}{must} | {} |",
            kind(field),
            about.replace('|', "\\|")
        );
    }
    let _ = writeln!(
        out,
        "\nReturns `{}`\n\n```\n{}\n```",
        shape(&Value::Object((tool.output_schema)())),
        tool.examples
    );
}

fn properties(schema: &Map<String, Value>) -> Vec<(String, &Value)> {
    schema
        .get("properties")
        .and_then(Value::as_object)
        .map(|fields| {
            fields
                .iter()
                .map(|(name, field)| (name.clone(), field))
                .collect()
        })
        .unwrap_or_default()
}

/// Returns the type of a field as a cell of a table.
fn kind(field: &Value) -> String {
    let name = type_name(field).replace('|', " \\| ");
    if field["minimum"].is_null() {
        name
    } else {
        name.replace('-', "–")
    }
}

/// Writes a schema as the shape of its value: `{a, b?, c:[{d}]}`.
fn shape(schema: &Value) -> String {
    if let Some(items) = schema.get("items") {
        return match shape(items) {
            inner if inner.is_empty() => "[…]".to_owned(),
            inner => format!("[{inner}]"),
        };
    }
    let Some(object) = schema.as_object() else {
        return String::new();
    };
    let fields = properties(object);
    if fields.is_empty() {
        return String::new();
    }
    let required = object.get("required").and_then(Value::as_array);
    let parts: Vec<String> = fields
        .iter()
        .map(|(name, field)| {
            let is_required =
                required.is_some_and(|names| names.iter().any(|known| known == name.as_str()));
            let mark = if is_required { "" } else { "?" };
            match shape(field) {
                inner if inner.is_empty() => format!("{name}{mark}"),
                inner => format!("{name}{mark}:{inner}"),
            }
        })
        .collect();
    format!("{{{}}}", parts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::{CHANGES_INPUTS, properties};
    use crate::tools::TOOLS;

    #[test]
    fn longer_texts_are_of_inputs_that_exist() {
        let changes = TOOLS.iter().find(|tool| tool.name == "cl_changes");
        let schema = (changes.unwrap().input_schema)();
        let inputs = properties(&schema);
        for (name, _) in CHANGES_INPUTS {
            assert!(inputs.iter().any(|(input, _)| input == name), "{name}");
        }
    }
}
