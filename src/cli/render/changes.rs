//! The changes of a branch and their breakage: as text for a terminal, as a comment for a pull request, as annotations of a hosted
//! workflow, and as SARIF for code scanning.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::markdown::escape;
use super::text::{plural, put};
use super::{AnswerText, RenderedText, Rest, footer, said};
use crate::cli::screen::{CARE, FAINT, PLACE, STRONG, Screen, visible};
use crate::model::path::parent;
use crate::model::shell_word;
use crate::model::uri::encode_path;
use crate::tools::changes::ChangesOutput;
use crate::tools::changes::collisions::CollisionOutput;
use crate::tools::changes::entries::{BrokenOutput, ChangeOutput, FromOutput};

/// Rows of a table or list in a comment; the rest is counted.
const MAX_ROWS: usize = 30;

/// The forms of the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cli) enum ChangesFormat {
    /// For a terminal.
    Text,
    /// A comment for a pull request.
    Markdown,
    /// Annotations of a GitHub workflow.
    Github,
    /// SARIF 2.1.0.
    Sarif,
}

impl AnswerText for ChangesOutput {
    fn render(&self, screen: &Screen) -> RenderedText {
        changes(self, screen).into()
    }

    fn formatted(&self, format: ChangesFormat, screen: &Screen) -> Option<String> {
        Some(match format {
            ChangesFormat::Text => changes(self, screen),
            ChangesFormat::Markdown => markdown(self),
            ChangesFormat::Github => github(self),
            ChangesFormat::Sarif => format!("{:#}\n", sarif(&self.broken, self.collisions())),
        })
    }

    fn is_broken(&self) -> bool {
        self.broken_total > 0
    }
}

impl ChangesOutput {
    fn collisions(&self) -> &[CollisionOutput] {
        self.collisions.as_deref().unwrap_or_default()
    }
}

/// Returns the answer for a terminal: the finding, broken uses, collisions, changes by file, tests.
fn changes(answer: &ChangesOutput, screen: &Screen) -> String {
    let mut text = String::new();
    let head = if answer.head.is_work_tree {
        "work tree".into()
    } else {
        visible(&answer.head.name)
    };
    let base = visible(&answer.base.name);
    let sides = screen.paint(FAINT, &format!("{base} → {head}"));
    put!(text, "{sides}\n");
    let mut summary = said(&answer.summary);
    if answer.freshness_fields.freshness != "fresh" {
        summary = screen.paint(CARE, &summary);
    }
    put!(text, "{summary}\n");
    let heading = |text: &mut String, words: &str, style: bool| {
        let style = if style { CARE } else { STRONG };
        put!(text, "\n{}\n", screen.paint(style, words));
    };
    let lists = [
        (&answer.broken, "Broken uses"),
        (&answer.unresolved_at, "Unresolved uses"),
    ];
    for (uses, title) in lists {
        if !uses.is_empty() {
            heading(&mut text, title, true);
        }
        let mut said_before = String::new();
        for one in uses {
            let at = screen.paint(PLACE, &visible(&place(one)));
            put!(text, "  {at}  {}\n", visible(&one.text));
            // Once for all uses of one definition that follow each other.
            let reason = visible(&reason(one)).into_owned();
            if reason != said_before {
                put!(text, "      {}\n", screen.paint(FAINT, &reason));
                said_before = reason;
            }
        }
    }
    if !answer.collisions().is_empty() {
        heading(&mut text, "Collisions", true);
    }
    for one in answer.collisions() {
        put!(
            text,
            "  {}  {}  {}\n",
            screen.paint(PLACE, &visible(&definition(&one.path, &one.symbol))),
            visible(&format!("{} with {}", one.kind, one.with)),
            screen.paint(FAINT, &said(&one.detail))
        );
    }
    let mut last = "";
    for one in &answer.changes {
        if last.is_empty() {
            heading(&mut text, "Changes", false);
        }
        if one.path != last {
            last = &one.path;
            put!(text, "  {}\n", screen.paint(PLACE, &visible(last)));
        }
        put!(
            text,
            "    {:9} {}  {}\n",
            one.change,
            screen.paint(STRONG, &visible(&one.symbol)),
            screen.paint(FAINT, &visible(&about(one)))
        );
    }
    if !answer.tests.is_empty() {
        heading(&mut text, "Tests that reach it", false);
    }
    for one in &answer.tests {
        let steps = match (one.hops, one.provenance) {
            (0, _) => "changed".to_owned(),
            (n, "path-heuristic") => {
                format!("perhaps: {} from a changed file", plural(n.into(), "step"))
            }
            (n, _) => plural(n.into(), "step"),
        };
        let (path, steps) = (
            screen.paint(PLACE, &visible(&one.path)),
            screen.paint(FAINT, &steps),
        );
        put!(text, "  {path}  {steps}\n");
    }
    let rest = Rest {
        is_cut: answer.truncated,
        option: "--budget N",
        cursor: answer.next_cursor.as_deref(),
        ..Rest::default()
    };
    text + &footer(rest, screen)
}

/// Returns the place of a definition before the change, as far as it is another one: `src/a.ts#open`, `open`.
fn before(from: &FromOutput) -> Option<String> {
    let parts = [&from.path, &from.symbol].into_iter().flatten();
    let parts: Vec<&str> = parts.map(String::as_str).collect();
    (!parts.is_empty()).then(|| parts.join("#"))
}

/// Returns the details of a change in a line: kind, place before, how many definitions and files use it.
fn about(one: &ChangeOutput) -> String {
    let mut parts = vec![one.kind.to_owned()];
    if one.exported {
        parts.push("exported".to_owned());
    }
    let from = one.from.as_ref();
    parts.extend(from.and_then(before).map(|it| format!("from {it}")));
    if from.is_some_and(|from| from.exported == Some(true)) {
        parts.push("no longer exported".to_owned());
    }
    let callers = one.callers.filter(|n| *n > 0);
    parts.extend(callers.map(|n| plural(n, "user")));
    parts.join(", ")
}

/// Returns why a use is broken.
fn reason(one: &BrokenOutput) -> String {
    let uses = &one.uses;
    let name = definition(&uses.path, &uses.symbol);
    let mut said = match (uses.change, &uses.now) {
        ("signature", Some(now)) if now.starts_with("is ") || now.starts_with("can't ") => {
            format!("{name} {now}")
        }
        ("signature", Some(now)) if now.contains(" and may pass ") => {
            format!("{name} takes fewer: this call {now}")
        }
        ("signature", now) => {
            let now = now.as_deref().unwrap_or_default();
            format!("{name} requires more: this call {now}")
        }
        ("unexported", _) => format!("{name} is not offered here any more"),
        (change, None) => format!("{name} was {change}"),
        ("removed", Some(now)) => format!("{name} is {now}"),
        (change, Some(now)) => {
            let in_file = now
                .strip_prefix(&uses.path)
                .and_then(|it| it.strip_prefix('#'));
            format!("{name} was {change} to {}", in_file.unwrap_or(now))
        }
    };
    if !one.also.is_empty() {
        let lines: Vec<String> = one.also.iter().map(ToString::to_string).collect();
        put!(said, "; used in line {}", lines.join(", "));
    }
    said
}

/// Returns `path#symbol`, or the path alone.
fn definition(path: &str, symbol: &str) -> String {
    match symbol {
        "" => path.to_owned(),
        symbol => format!("{path}#{symbol}"),
    }
}

fn place(one: &BrokenOutput) -> String {
    format!("{}:{}", one.path, one.line)
}

/// Returns the comment for a pull request.
fn markdown(answer: &ChangesOutput) -> String {
    let mut text = format!("### CodeLens\n\n{}\n", escape(&answer.summary));
    let doubtful = &answer.unresolved_at;
    let lists = [
        (&answer.broken, "Broken uses", answer.broken_total),
        (doubtful, "Unresolved uses", doubtful.len() as u64),
    ];
    for (uses, title, total) in lists {
        if uses.is_empty() {
            continue;
        }
        put!(
            text,
            "\n**{title}**\n\n| place | uses | why |\n|---|---|---|\n"
        );
        text.extend(uses.iter().take(MAX_ROWS).map(broken_row));
        text += &rest(total, uses.len());
    }
    let collisions = answer.collisions();
    if !collisions.is_empty() {
        text += "\n**Collisions**\n\n| definition | with | kind | detail |\n|---|---|---|---|\n";
        for one in collisions.iter().take(MAX_ROWS) {
            put!(
                text,
                "| `{}` | {} | {} | {} |\n",
                code(&definition(&one.path, &one.symbol)),
                span(&one.with),
                one.kind,
                escape(&one.detail)
            );
        }
        let total = answer.collisions_total.unwrap_or_default();
        text += &rest(total, collisions.len());
    }
    let is_public = |one: &&ChangeOutput| {
        let was_exported = one
            .from
            .as_ref()
            .is_some_and(|it| it.exported == Some(true));
        (one.exported || was_exported) && one.change != "body"
    };
    let public: Vec<&ChangeOutput> = answer.changes.iter().filter(is_public).collect();
    if !public.is_empty() {
        text += "\n**Exported definitions that changed**\n\n| definition | change | users |\n|---|---|---|\n";
        for one in public.iter().take(MAX_ROWS) {
            let before = one.from.as_ref().and_then(before);
            let before = before.map_or(String::new(), |it| format!(" from {}", span(&it)));
            let name = code(&definition(&one.path, &one.symbol));
            let callers = one.callers.unwrap_or_default();
            put!(text, "| `{name}` | {}{before} | {callers} |\n", one.change);
        }
        text += &rest(public.len() as u64, public.len());
    }
    if !answer.tests.is_empty() {
        text += "\n**Tests to run**\n\n";
        for one in answer.tests.iter().take(MAX_ROWS) {
            put!(text, "- {}\n", span(&one.path));
        }
        text += &rest(answer.tests_total, answer.tests.len());
    }
    if !answer.complete {
        put!(text, "\n<sub>{}</sub>\n", escape(&incomplete(answer)));
    }
    text
}

fn broken_row(one: &BrokenOutput) -> String {
    format!(
        "| {} | {} | {} |\n",
        span(&place(one)),
        span(&one.text),
        escape(&reason(one))
    )
}

/// Returns why the list of broken uses may lack some.
fn incomplete(answer: &ChangesOutput) -> String {
    let mut reasons = Vec::new();
    if answer.unresolved > 0 {
        let uses = plural(answer.unresolved, "use");
        reasons.push(format!("{uses} not resolved"));
    }
    if !answer.pending.is_empty() {
        let files = plural(answer.pending.len() as u64, "changed file");
        reasons.push(format!("{files} not indexed yet"));
    }
    if reasons.is_empty() {
        reasons.push("not everything was looked at".to_owned());
    }
    format!(
        "The list of broken uses may lack some: {}.",
        reasons.join(", ")
    )
}

fn rest(total: u64, n_listed: usize) -> String {
    let n_shown = n_listed.min(MAX_ROWS) as u64;
    match total.saturating_sub(n_shown) {
        0 => String::new(),
        n => format!("\n…and {n} more.\n"),
    }
}

/// Returns text as it stands between backticks in a table.
fn code(text: &str) -> String {
    visible(text).replace('`', "'").replace('|', "\\|")
}

fn span(text: &str) -> String {
    format!("`{}`", code(text))
}

/// Returns annotations of a workflow: an error for each broken use, a warning for each collision.
fn github(answer: &ChangesOutput) -> String {
    let mut text: String = answer.broken.iter().map(broken_annotation).collect();
    for one in answer.collisions() {
        let title = format!("Collision with {}", one.with);
        let message = format!("{}: {}", definition(&one.path, &one.symbol), one.detail);
        let level = match one.kind {
            "file_only" => "notice",
            _ => "warning",
        };
        text += &annotation(level, &one.path, None, &title, &message);
    }
    text + &format!("::notice title=CodeLens::{}\n", data(&answer.summary))
}

fn broken_annotation(one: &BrokenOutput) -> String {
    annotation(
        "error",
        &one.path,
        Some(one.line),
        "Broken use",
        &reason(one),
    )
}

fn annotation(level: &str, path: &str, line: Option<u32>, title: &str, message: &str) -> String {
    let line = line.map_or(String::new(), |line| format!(",line={line}"));
    format!(
        "::{level} file={}{line},title={}::{}\n",
        property(path),
        property(title),
        data(message)
    )
}

fn data(text: &str) -> String {
    visible(text)
        .replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

/// Returns the log of code scanning.
fn sarif(broken: &[BrokenOutput], collisions: &[CollisionOutput]) -> Value {
    let rule = |id: &str, name: &str, text: &str, level: &str| {
        json!({
            "id": id,
            "name": name,
            "shortDescription": {"text": text},
            "defaultConfiguration": {"level": level},
        })
    };
    let result = |rule: &str, level: &str, message: String, path: &str, line: u32| {
        let mut location = json!({
            "artifactLocation": {"uri": encode_path(path), "uriBaseId": "%SRCROOT%"},
        });
        if line > 0 {
            location["region"] = json!({"startLine": line});
        }
        json!({
            "ruleId": rule,
            "level": level,
            "message": {"text": message},
            "locations": [{"physicalLocation": location}],
        })
    };
    let mut results = Vec::new();
    for one in broken {
        let message = reason(one);
        results.push(result("broken-use", "error", message, &one.path, one.line));
    }
    for one in collisions.iter().filter(|one| one.kind != "file_only") {
        let name = definition(&one.path, &one.symbol);
        let message = format!("{name} ({}): {}", one.with, one.detail);
        results.push(result("collision", "warning", message, &one.path, 0));
    }
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "CodeLens",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": [
                    rule("broken-use", "BrokenUse", "A use of a definition that the change took away, or with which it no longer agrees.", "error"),
                    rule("collision", "Collision", "A change that meets one of another branch, which git may merge without a conflict.", "warning"),
                ],
            }},
            "columnKind": "utf16CodeUnits",
            "results": results,
        }],
    })
}

/// The runners whose arguments can be printed.
pub(in crate::cli) const RUNNERS: [&str; 6] = ["jest", "vitest", "pytest", "go", "cargo", "junit"];

/// Returns the endings of the files that a runner takes.
fn endings(runner: &str) -> &'static [&'static str] {
    match runner {
        "go" => &["go"],
        "pytest" => &["py"],
        "junit" => &["java", "kt", "groovy", "scala"],
        _ => &[
            "ts", "tsx", "mts", "cts", "js", "jsx", "mjs", "cjs", "vue", "svelte",
        ],
    }
}

/// Returns the paths of tests, a line each, or (with a runner) its arguments in one line, of the tests in its language. A command stands
/// beside the path of a test where one is known.
#[expect(clippy::format_collect, reason = "reads best as it is")]
pub(in crate::cli) fn tests(listed: &[(&str, Option<&str>)], runner: Option<&str>) -> String {
    let paths: Vec<&str> = listed.iter().map(|it| it.0).collect();
    let Some(runner) = runner else {
        return paths
            .iter()
            .map(|path| format!("{}\n", visible(path)))
            .collect();
    };
    let endings = endings(runner);
    let is_taken = |path: &&str| {
        let ending = path.rsplit_once('.').map(|(_, ending)| ending);
        ending.is_some_and(|ending| endings.contains(&ending))
    };
    let paths: Vec<&str> = paths.into_iter().filter(is_taken).collect();
    let mut arguments: Vec<String> = match runner {
        "go" => paths
            .iter()
            .map(|path| format!("./{}", parent(path)))
            .collect(),
        "cargo" => return cargo_arguments(listed),
        "junit" => paths
            .iter()
            .map(|path| {
                let name = path.rsplit('/').next().unwrap_or(path);
                let name = name.split('.').next().unwrap_or(name);
                shell_word(name)
            })
            .collect(),
        _ => paths.iter().map(|path| shell_word(path)).collect(),
    };
    if runner == "go" {
        for argument in &mut arguments {
            *argument = shell_word(argument);
        }
    }
    arguments.sort_unstable();
    arguments.dedup();
    if arguments.is_empty() {
        return String::new();
    }
    format!("{}\n", arguments.join(" "))
}

/// The parts of commands that become one: `cargo test -p store --lib db`.
#[derive(Default)]
struct CargoSelection {
    packages: BTreeSet<String>,
    targets: BTreeSet<String>,
    filters: BTreeSet<String>,
    /// Whether all tests of some target are to run.
    is_whole: bool,
}

/// Returns the arguments of one `cargo test` that runs the tests: `-p store --lib db query`. Filters are for all targets alike,
/// so that they are named where there is one target of one package; of several, all tests run.
fn cargo_arguments(listed: &[(&str, Option<&str>)]) -> String {
    let mut selection = CargoSelection::default();
    for (path, run) in listed {
        match run.and_then(|run| run.strip_prefix("cargo test -p ")) {
            Some(rest) => selection.add_command(rest),
            None => selection.add_path(path),
        }
    }
    selection.arguments()
}

impl CargoSelection {
    /// Adds the rest of a command: package, target, filter.
    fn add_command(&mut self, rest: &str) {
        let mut words = rest.split(' ');
        self.packages.extend(words.next().map(str::to_owned));
        let target = match words.next() {
            Some("--lib") => "--lib".to_owned(),
            Some(option) => format!("{option} {}", words.next().unwrap_or_default()),
            None => String::new(),
        };
        self.targets.insert(target);
        match words.next() {
            Some(filter) => drop(self.filters.insert(filter.to_owned())),
            None => self.is_whole = true,
        }
    }

    /// Adds a file of tests whose package is not known.
    fn add_path(&mut self, path: &str) {
        let Some(name) = path.strip_suffix(".rs") else {
            return;
        };
        let (before, name) = name.rsplit_once('/').unwrap_or(("", name));
        if before == "tests" || before.ends_with("/tests") {
            self.targets.insert(format!("--test {}", shell_word(name)));
            self.is_whole = true;
        }
    }

    fn arguments(self) -> String {
        let packages = self.packages.iter().map(|name| format!("-p {name}"));
        let mut words: Vec<String> = packages.chain(self.targets.iter().cloned()).collect();
        let is_one_target = self.packages.len() == 1 && self.targets.len() == 1;
        if is_one_target && !self.is_whole {
            // A single filter needs no separator.
            words.extend((self.filters.len() > 1).then(|| "--".to_owned()));
            words.extend(self.filters);
        }
        if words.is_empty() {
            return String::new();
        }
        format!("{}\n", words.join(" "))
    }
}

#[cfg(test)]
mod tests {
    use super::{broken_annotation, broken_row, sarif, tests};
    use crate::tools::changes::entries::{BrokenOutput, UsedOutput};

    #[test]
    fn text_of_a_repository_is_no_mark_of_a_format() {
        let broken = BrokenOutput {
            path: "a`|b,c.ts".to_owned(),
            line: 3,
            text: "f(`x`) | @team ::error::".to_owned(),
            symbol: None,
            uses: UsedOutput {
                path: "b.ts".to_owned(),
                symbol: "f".to_owned(),
                change: "removed",
                now: None,
            },
            provenance: "resolved",
            also: Vec::new(),
        };
        assert_eq!(
            broken_row(&broken),
            "| `a'\\|b,c.ts:3` | `f('x') \\| @team ::error::` | b.ts\\#f was removed |\n"
        );
        assert_eq!(
            broken_annotation(&broken),
            "::error file=a`|b%2Cc.ts,line=3,title=Broken use::b.ts#f was removed\n"
        );
        let log = sarif(&[broken], &[]);
        let place = &log["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "a%60%7Cb%2Cc.ts");
    }

    #[test]
    fn tests_are_arguments_of_a_runner() {
        let of_paths = |paths: &[&str], runner| {
            let listed: Vec<_> = paths.iter().map(|path| (*path, None)).collect();
            tests(&listed, runner)
        };
        let paths = ["src/a b.spec.ts", "src/c.spec.ts"];
        assert_eq!(of_paths(&paths, None), "src/a b.spec.ts\nsrc/c.spec.ts\n");
        assert_eq!(
            of_paths(&paths, Some("vitest")),
            "'src/a b.spec.ts' src/c.spec.ts\n"
        );
        let go = ["x/a_test.go", "x/b_test.go"];
        assert_eq!(of_paths(&go, Some("go")), "./x\n");
        let rust = ["tests/it.rs", "src/lib.rs"];
        assert_eq!(of_paths(&rust, Some("cargo")), "--test it\n");
        let java = ["src/test/java/a/FooTest.java"];
        assert_eq!(of_paths(&java, Some("junit")), "FooTest\n");
        assert_eq!(of_paths(&[], Some("jest")), "");
        // Each runner takes the files of its language.
        let mixed = [paths[1], go[0], rust[0], java[0], "tests/test_a.py"];
        assert_eq!(of_paths(&mixed, Some("jest")), "src/c.spec.ts\n");
        assert_eq!(of_paths(&mixed, Some("pytest")), "tests/test_a.py\n");
        assert_eq!(of_paths(&mixed, Some("go")), "./x\n");
        assert_eq!(of_paths(&mixed, Some("junit")), "FooTest\n");
    }

    #[test]
    fn commands_of_cargo_become_one() {
        let of_commands = |commands: &[&str]| {
            let listed: Vec<_> = commands
                .iter()
                .map(|run| ("src/a.rs", Some(*run)))
                .collect();
            tests(&listed, Some("cargo"))
        };
        let db = "cargo test -p store --lib db";
        let query = "cargo test -p store --lib query::checks";
        assert_eq!(of_commands(&[db]), "-p store --lib db\n");
        assert_eq!(
            of_commands(&[db, query]),
            "-p store --lib -- db query::checks\n"
        );
        // A filter would leave tests of the other target out.
        let it = "cargo test -p store --test it";
        assert_eq!(of_commands(&[db, it]), "-p store --lib --test it\n");
        let net = "cargo test -p net --lib";
        assert_eq!(of_commands(&[db, net]), "-p net -p store --lib\n");
    }
}
