//! The changes of a branch and their breakage: as text for a terminal, as a comment for a pull request, as annotations of a hosted
//! workflow, and as SARIF for code scanning.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::text::{Fields, add, plural};
use super::{footer, is_fresh};
use crate::cli::screen::{CARE, FAINT, PLACE, STRONG, Screen, visible};

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

/// Returns the answer in one of the forms.
pub(in crate::cli) fn formatted(value: &Value, format: ChangesFormat, screen: &Screen) -> String {
    match format {
        ChangesFormat::Text => changes(value, screen),
        ChangesFormat::Markdown => markdown(value),
        ChangesFormat::Github => github(value),
        ChangesFormat::Sarif => format!("{:#}\n", sarif(value)),
    }
}

/// Returns the answer for a terminal: the finding, broken uses, collisions, changes by file, tests.
pub(super) fn changes(value: &Value, screen: &Screen) -> String {
    let mut text = String::new();
    let state = |key: &str| visible(value[key].text("name")).into_owned();
    let sides = format!("{} → {}", state("base"), state("head"));
    add(&mut text, format_args!("{}\n", screen.paint(FAINT, &sides)));
    let summary = visible(value.text("summary"));
    let summary = if is_fresh(value) {
        summary.into_owned()
    } else {
        screen.paint(CARE, &summary)
    };
    add(&mut text, format_args!("{summary}\n"));
    let heading = |text: &mut String, words: &str, style: bool| {
        let style = if style { CARE } else { STRONG };
        add(text, format_args!("\n{}\n", screen.paint(style, words)));
    };
    let lists = [
        ("broken", "Broken uses"),
        ("unresolvedAt", "Uses of unknown meaning"),
    ];
    for (key, title) in lists {
        let uses = value.items(key);
        if !uses.is_empty() {
            heading(&mut text, title, true);
        }
        for one in uses {
            add(
                &mut text,
                format_args!(
                    "  {}  {}\n      {}\n",
                    screen.paint(PLACE, &place(one)),
                    visible(one.text("text")),
                    screen.paint(FAINT, &visible(&reason(one)))
                ),
            );
        }
    }
    let collisions = value.items("collisions");
    if !collisions.is_empty() {
        heading(&mut text, "Collisions", true);
    }
    for one in collisions {
        add(
            &mut text,
            format_args!(
                "  {}  {}  {}\n",
                screen.paint(PLACE, &visible(&definition(one))),
                visible(&format!("{} with {}", one.text("kind"), one.text("with"))),
                screen.paint(FAINT, &visible(one.text("detail")))
            ),
        );
    }
    let mut last = "";
    for one in value.items("changes") {
        if last.is_empty() {
            heading(&mut text, "Changes", false);
        }
        if one.text("path") != last {
            last = one.text("path");
            add(
                &mut text,
                format_args!("  {}\n", screen.paint(PLACE, &visible(last))),
            );
        }
        add(
            &mut text,
            format_args!(
                "    {:9} {}  {}\n",
                one.text("change"),
                screen.paint(STRONG, &visible(one.text("symbol"))),
                screen.paint(FAINT, &visible(&about(one)))
            ),
        );
    }
    let tests = value.items("tests");
    if !tests.is_empty() {
        heading(&mut text, "Tests that reach it", false);
    }
    for one in tests {
        let steps = match (one.number("hops"), one.text("provenance")) {
            (0, _) => "changed".to_owned(),
            (n, "path-heuristic") => {
                format!("perhaps: {} from a changed file", plural(n, "step"))
            }
            (n, _) => plural(n, "step"),
        };
        add(
            &mut text,
            format_args!(
                "  {}  {}\n",
                screen.paint(PLACE, &visible(one.text("path"))),
                screen.paint(FAINT, &steps)
            ),
        );
    }
    text + &footer(value, screen)
}

/// Returns the details of a change in a line: kind, place before, places that use it.
fn about(one: &Value) -> String {
    let mut parts = vec![one.text("kind").to_owned()];
    if one["exported"] == true {
        parts.push("exported".to_owned());
    }
    let from = &one["from"];
    let before = [from.text("path"), from.text("symbol")];
    let before: Vec<&str> = before.into_iter().filter(|it| !it.is_empty()).collect();
    if !before.is_empty() {
        parts.push(format!("from {}", before.join("#")));
    }
    if from["exported"] == true {
        parts.push("no longer exported".to_owned());
    }
    if let Some(n) = one["callers"].as_u64().filter(|n| *n > 0) {
        parts.push(plural(n, "use"));
    }
    parts.join(", ")
}

/// Returns why a use is broken.
#[expect(
    clippy::format_push_string,
    reason = "the text is short, and reads in order"
)]
fn reason(one: &Value) -> String {
    let uses = &one["uses"];
    let name = definition(uses);
    let now = uses.text("now");
    let mut said = match uses.text("change") {
        "signature" => format!("{name} requires more: this call {now}"),
        "unexported" => format!("{name} is not offered here any more"),
        change if now.is_empty() => format!("{name} was {change}"),
        change => format!("{name} was {change} to {now}"),
    };
    let also = one.items("also");
    if !also.is_empty() {
        let lines: Vec<String> = also.iter().map(ToString::to_string).collect();
        said += &format!("; used in line {}", lines.join(", "));
    }
    said
}

/// Returns `path#symbol`, or the path alone.
fn definition(one: &Value) -> String {
    match one.text("symbol") {
        "" => one.text("path").to_owned(),
        symbol => format!("{}#{symbol}", one.text("path")),
    }
}

fn place(one: &Value) -> String {
    format!("{}:{}", visible(one.text("path")), one.number("line"))
}

/// Returns the comment for a pull request.
#[expect(
    clippy::format_push_string,
    reason = "the text is short, and reads in order"
)]
fn markdown(value: &Value) -> String {
    let mut text = format!("### CodeLens\n\n{}\n", escaped(value.text("summary")));
    let broken = value.items("broken");
    let doubtful = value.items("unresolvedAt");
    let lists = [
        (broken, "Broken uses", value.number("brokenTotal")),
        (doubtful, "Uses of unknown meaning", doubtful.len() as u64),
    ];
    for (uses, title, total) in lists {
        if uses.is_empty() {
            continue;
        }
        text += &format!("\n**{title}**\n\n| place | uses | why |\n|---|---|---|\n");
        for one in uses.iter().take(MAX_ROWS) {
            let row = format!(
                "| `{}` | {} | {} |\n",
                code(&place(one)),
                span(one.text("text")),
                escaped(&reason(one))
            );
            text += &row;
        }
        text += &rest(total, uses.len());
    }
    let collisions = value.items("collisions");
    if !collisions.is_empty() {
        text += "\n**Collisions**\n\n| definition | with | kind | detail |\n|---|---|---|---|\n";
        for one in collisions.iter().take(MAX_ROWS) {
            let row = format!(
                "| `{}` | {} | {} | {} |\n",
                code(&definition(one)),
                span(one.text("with")),
                one.text("kind"),
                escaped(one.text("detail"))
            );
            text += &row;
        }
        text += &rest(value.number("collisionsTotal"), collisions.len());
    }
    let is_public = |one: &&Value| {
        let was_exported = one["from"]["exported"] == true;
        (one["exported"] == true || was_exported) && one.text("change") != "body"
    };
    let public: Vec<&Value> = value.items("changes").iter().filter(is_public).collect();
    if !public.is_empty() {
        text += "\n**Exported definitions that changed**\n\n| definition | change | uses |\n|---|---|---|\n";
        for one in public.iter().take(MAX_ROWS) {
            let from = &one["from"];
            let before = match (from.text("path"), from.text("symbol")) {
                ("", "") => String::new(),
                ("", symbol) => format!(" from `{}`", code(symbol)),
                (path, "") => format!(" from `{}`", code(path)),
                (path, symbol) => format!(" from `{}`", code(&format!("{path}#{symbol}"))),
            };
            let row = format!(
                "| `{}` | {}{before} | {} |\n",
                code(&definition(one)),
                one.text("change"),
                one.number("callers")
            );
            text += &row;
        }
        text += &rest(public.len() as u64, public.len());
    }
    let tests = value.items("tests");
    if !tests.is_empty() {
        text += "\n**Tests to run**\n\n";
        for one in tests.iter().take(MAX_ROWS) {
            text += &format!("- `{}`\n", code(one.text("path")));
        }
        text += &rest(value.number("testsTotal"), tests.len());
    }
    if value["complete"] != true {
        text += &format!("\n<sub>{}</sub>\n", escaped(&incomplete(value)));
    }
    text
}

/// Returns why the list of broken uses may lack some.
fn incomplete(value: &Value) -> String {
    let mut reasons = Vec::new();
    match value.number("unresolved") {
        0 => {}
        n => reasons.push(format!("{} of unknown meaning", plural(n, "use"))),
    }
    match value.items("pending").len() as u64 {
        0 => {}
        n => reasons.push(format!("{} not indexed yet", plural(n, "changed file"))),
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

/// Returns text of a repository as Markdown shows it: nothing in it is a mark.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in visible(text).chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            // A name behind it would be called.
            '@' => out.push_str("&#64;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '#' | '!' | '~' => {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
    }
    out
}

/// Returns text as it stands between backticks in a table.
fn code(text: &str) -> String {
    visible(text).replace('`', "'").replace('|', "\\|")
}

fn span(text: &str) -> String {
    format!("`{}`", code(text))
}

/// Returns annotations of a workflow: an error for each broken use, a warning for each collision.
#[expect(
    clippy::format_push_string,
    reason = "the text is short, and reads in order"
)]
fn github(value: &Value) -> String {
    let mut text = String::new();
    let mut say = |level: &str, path: &str, line: u64, title: &str, message: &str| {
        let line = if line == 0 {
            String::new()
        } else {
            format!(",line={line}")
        };
        text += &format!(
            "::{level} file={}{line},title={}::{}\n",
            property(path),
            property(title),
            data(message)
        );
    };
    for one in value.items("broken") {
        say(
            "error",
            one.text("path"),
            one.number("line"),
            "Broken use",
            &reason(one),
        );
    }
    for one in value.items("collisions") {
        let title = format!("Collision with {}", one.text("with"));
        let message = format!("{}: {}", definition(one), one.text("detail"));
        let level = if one.text("kind") == "file_only" {
            "notice"
        } else {
            "warning"
        };
        say(level, one.text("path"), 0, &title, &message);
    }
    text + &format!("::notice title=CodeLens::{}\n", data(value.text("summary")))
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
fn sarif(value: &Value) -> Value {
    let rule = |id: &str, name: &str, text: &str, level: &str| {
        json!({
            "id": id,
            "name": name,
            "shortDescription": {"text": text},
            "defaultConfiguration": {"level": level},
        })
    };
    let result = |rule: &str, level: &str, message: String, path: &str, line: u64| {
        let mut location = json!({
            "artifactLocation": {"uri": uri(path), "uriBaseId": "%SRCROOT%"},
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
    for one in value.items("broken") {
        let message = reason(one);
        results.push(result(
            "broken-use",
            "error",
            message,
            one.text("path"),
            one.number("line"),
        ));
    }
    for one in value.items("collisions") {
        if one.text("kind") == "file_only" {
            continue;
        }
        let message = format!(
            "{} ({}): {}",
            definition(one),
            one.text("with"),
            one.text("detail")
        );
        results.push(result("collision", "warning", message, one.text("path"), 0));
    }
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "CodeLens",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": [
                    rule("broken-use", "BrokenUse", "A use of a definition that the change took away, or that requires more now.", "error"),
                    rule("collision", "Collision", "A change that meets one of another branch, which git may merge without a conflict.", "warning"),
                ],
            }},
            "columnKind": "utf16CodeUnits",
            "results": results,
        }],
    })
}

/// Returns a path as a relative URI.
#[expect(
    clippy::format_push_string,
    reason = "the text is short, and reads in order"
)]
fn uri(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out += &format!("%{byte:02X}");
        }
    }
    out
}

/// The runners whose arguments can be printed.
pub(in crate::cli) const RUNNERS: [&str; 6] = ["jest", "vitest", "pytest", "go", "cargo", "junit"];

/// Returns the paths of tests, a line each, or (with a runner) its arguments in one line. A command stands beside the path of
/// a test where one is known.
#[expect(clippy::format_collect, reason = "reads best as it is")]
pub(in crate::cli) fn tests(listed: &[(&str, Option<&str>)], runner: Option<&str>) -> String {
    let paths: Vec<&str> = listed.iter().map(|it| it.0).collect();
    let Some(runner) = runner else {
        return paths
            .iter()
            .map(|path| format!("{}\n", visible(path)))
            .collect();
    };
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
                super::quoted(name)
            })
            .collect(),
        _ => paths.iter().map(|path| super::quoted(path)).collect(),
    };
    if runner == "go" {
        for argument in &mut arguments {
            *argument = super::quoted(argument);
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
            self.targets
                .insert(format!("--test {}", super::quoted(name)));
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

fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(parent, _)| parent)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{github, markdown, sarif, tests};

    #[test]
    fn text_of_a_repository_is_no_mark_of_a_format() {
        let value = json!({
            "summary": "1 file.",
            "broken": [{"path": "a`|b,c.ts", "line": 3, "text": "f(`x`) | @team ::error::",
                "uses": {"path": "b.ts", "symbol": "f", "change": "removed"}, "provenance": "resolved"}],
            "changes": [], "tests": [], "complete": true,
        });
        let text = markdown(&value);
        assert!(
            text.contains(
                "| `a'\\|b,c.ts:3` | `f('x') \\| @team ::error::` | b.ts\\#f was removed |"
            ),
            "{text}"
        );
        let text = github(&value);
        assert!(
            text.starts_with(
                "::error file=a`|b%2Cc.ts,line=3,title=Broken use::b.ts#f was removed\n"
            ),
            "{text}"
        );
        let log = sarif(&value);
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
