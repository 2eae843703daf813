//! Places of a script that are worth a second look: twelve rules, by the syntax tree. Signals, no findings: a rule knows nothing of where a
//! value comes from.

use std::collections::HashSet;
use std::ops::ControlFlow;

use tree_sitter::Node;

use super::component;
use super::lang::ecmascript::kinds::Grammar;
use super::lang::tree_walk::each_node;
use super::language::{self, FileShape};
use super::parse::{Parsed, parse};
use crate::model::{Budget, RepoPath};

/// Nodes of one file that are looked at.
const MAX_NODES: usize = 500_000;

/// Functions of `child_process` that take a command line.
const SHELL: [&str; 2] = ["exec", "execSync"];

/// Methods that take a statement of SQL.
const QUERIES: [&str; 6] = [
    "query",
    "execute",
    "raw",
    "$queryRawUnsafe",
    "$executeRawUnsafe",
    "unsafe",
];

/// Words that statements of SQL begin with.
const STATEMENTS: [&str; 8] = [
    "select", "insert", "update", "delete", "drop", "alter", "create", "with",
];

/// Parts of names of values that nobody may guess.
const SECRETS: [&str; 10] = [
    "token", "secret", "password", "passwd", "session", "nonce", "otp", "csrf", "apikey", "salt",
];

/// Parts of a request that its sender chooses.
const REQUEST_PARTS: [&str; 4] = ["params", "query", "body", "headers"];

/// A place that is worth a second look.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CodeSignal {
    /// Its line, from 1.
    pub line: u32,
    /// The rule: `eval`, `shell`, `inner_html`, `dangerous_html`, `v_html`, `tls_off`, `weak_hash`, `jwt_none`, `sql`, `weak_random`,
    /// `open_cors` or `request_path`.
    pub kind: &'static str,
}

/// Returns the signals of a script or component, by line; none for other files. `eval(code)` → `eval`, ``db.query(`… ${id}`)`` → `sql`.
/// Costs the parsing of the file.
pub fn signals(path: &RepoPath, source: &str, budget: &Budget) -> Vec<CodeSignal> {
    let mut found = Vec::new();
    let scripts = match language::by_path(path).shape {
        FileShape::Script(dialect) => vec![(dialect, source.to_owned())],
        FileShape::Component(framework) => {
            for (at, line) in source.lines().enumerate() {
                if line.contains(" v-html=") || line.contains("{@html ") {
                    found.push(signal("v_html", at));
                }
            }
            let scripts = component::scripts(framework, source).into_iter();
            scripts.map(|(dialect, text, _)| (dialect, text)).collect()
        }
        _ => return Vec::new(),
    };
    for (dialect, text) in scripts {
        if let Parsed::Tree(tree) = parse(&Grammar::of(dialect).language, &text, budget) {
            let mut finder = SignalFinder::new(&text);
            finder.walk(tree.root_node());
            found.append(&mut finder.found);
        }
    }
    found.sort();
    found.dedup();
    found
}

fn signal(kind: &'static str, row: usize) -> CodeSignal {
    CodeSignal {
        line: u32::try_from(row + 1).unwrap_or(u32::MAX),
        kind,
    }
}

struct SignalFinder<'a> {
    source: &'a str,
    /// Names that stand for `child_process`, and for its functions that take a command line.
    shells: HashSet<&'a str>,
    shell_functions: HashSet<&'a str>,
    found: Vec<CodeSignal>,
}

impl<'a> SignalFinder<'a> {
    fn new(source: &'a str) -> Self {
        Self {
            source,
            shells: HashSet::new(),
            shell_functions: HashSet::new(),
            found: Vec::new(),
        }
    }

    fn of(&self, node: Node<'_>) -> &'a str {
        self.source.get(node.byte_range()).unwrap_or_default()
    }

    fn field(&self, node: Node<'_>, name: &str) -> &'a str {
        node.child_by_field_name(name).map_or("", |it| self.of(it))
    }

    fn walk(&mut self, root: Node<'_>) {
        let mut n_seen = 0;
        each_node(root, |node| {
            if !node.is_named() {
                return ControlFlow::Continue(false);
            }
            n_seen += 1;
            if n_seen > MAX_NODES {
                return ControlFlow::Break(());
            }
            if let Some(kind) = self.judge(node) {
                self.found.push(signal(kind, node.start_position().row));
            }
            ControlFlow::Continue(true)
        });
    }

    fn judge(&mut self, node: Node<'_>) -> Option<&'static str> {
        match node.kind() {
            "import_statement" | "variable_declarator" => {
                self.note_shells(node);
                None
            }
            "call_expression" => self.call(node),
            "new_expression" => (self.field(node, "constructor") == "Function"
                && !arguments(node).is_empty())
            .then_some("eval"),
            "assignment_expression" => self.assignment(node),
            "pair" => self.pair(node),
            "jsx_attribute" => {
                let name = node.named_child(0).map_or("", |it| self.of(it));
                (name == "dangerouslySetInnerHTML").then_some("dangerous_html")
            }
            _ => None,
        }
    }

    /// Notes the names that `import … from 'child_process'` or `const … = require('child_process')` gives.
    fn note_shells(&mut self, node: Node<'_>) {
        let (from, names) = if node.kind() == "import_statement" {
            (self.field(node, "source"), node.named_child(0))
        } else {
            let value = self.field(node, "value");
            let from = value
                .strip_prefix("require(")
                .and_then(|it| it.strip_suffix(')'));
            (from.unwrap_or_default(), node.child_by_field_name("name"))
        };
        let from = from.trim_matches(['\'', '"', '`']);
        let is_shell = from.strip_prefix("node:").unwrap_or(from) == "child_process";
        let (true, Some(names)) = (is_shell, names) else {
            return;
        };
        let text = self.of(names);
        if let (Some(start), Some(end)) = (text.find('{'), text.rfind('}')) {
            for part in text[start + 1..end].split(',') {
                let words: Vec<&str> = part
                    .split([' ', ':', '\n', '\t'])
                    .filter(|it| !it.is_empty())
                    .collect();
                if let (Some(first), Some(last)) = (words.first(), words.last())
                    && SHELL.contains(first)
                {
                    self.shell_functions.insert(last);
                }
            }
        } else if let Some(name) = text.split(' ').next_back() {
            self.shells.insert(name);
        }
    }

    fn call(&self, node: Node<'_>) -> Option<&'static str> {
        let callee = node.child_by_field_name("function")?;
        let name = self.of(callee);
        let all = arguments(node);
        let first = all.first().copied();
        let is_computed = first.is_some_and(|it| !is_literal(it));
        if callee.kind() == "identifier" {
            if name == "eval" && is_computed {
                return Some("eval");
            }
            if self.shell_functions.contains(name) && is_computed {
                return Some("shell");
            }
            if name == "cors" && all.is_empty() {
                return Some("open_cors");
            }
        }
        let (object, method) = match callee.kind() {
            "member_expression" => (self.field(callee, "object"), self.field(callee, "property")),
            "identifier" => ("", name),
            _ => return None,
        };
        let is_random = (object, method) == ("Math", "random") && self.is_for_secret(node);
        let texts = || {
            all.iter()
                .map(|it| self.of(*it).trim_matches(['\'', '"', '`']))
        };
        let is_of_path = matches!(object, "path" | "Path" | "");
        match method {
            "exec" | "execSync" if self.shells.contains(object) && is_computed => Some("shell"),
            "insertAdjacentHTML" if all.get(1).is_some_and(|it| !is_literal(*it)) => {
                Some("inner_html")
            }
            "createHash"
                if texts().next().is_some_and(is_weak_hash) && self.is_about_password(node) =>
            {
                Some("weak_hash")
            }
            method
                if QUERIES.contains(&method)
                    && !object.is_empty()
                    && first.is_some_and(|it| self.is_built_sql(it)) =>
            {
                Some("sql")
            }
            "random" if is_random => Some("weak_random"),
            "setHeader" | "header" | "set" | "append" if self.opens_cors(&all) => Some("open_cors"),
            "join" | "resolve"
                if is_of_path
                    && (all.len() > 1 || !object.is_empty())
                    && all.iter().any(|it| self.is_of_request(*it)) =>
            {
                Some("request_path")
            }
            _ => None,
        }
    }

    fn assignment(&self, node: Node<'_>) -> Option<&'static str> {
        let (left, right) = (
            node.child_by_field_name("left")?,
            node.child_by_field_name("right")?,
        );
        let name = match left.kind() {
            "member_expression" => self.field(left, "property"),
            "subscript_expression" => self.field(left, "index").trim_matches(['\'', '"']),
            _ => return None,
        };
        let value = self.of(right).trim_matches(['\'', '"']);
        match name {
            "innerHTML" | "outerHTML" if !is_literal(right) => Some("inner_html"),
            "NODE_TLS_REJECT_UNAUTHORIZED" if value == "0" => Some("tls_off"),
            "rejectUnauthorized" if value == "false" => Some("tls_off"),
            _ => None,
        }
    }

    fn pair(&self, node: Node<'_>) -> Option<&'static str> {
        let key = self.field(node, "key").trim_matches(['\'', '"']);
        let value = node.child_by_field_name("value")?;
        let text = self.of(value).trim_matches(['\'', '"']);
        match key {
            "rejectUnauthorized" if text == "false" => Some("tls_off"),
            "NODE_TLS_REJECT_UNAUTHORIZED" if text == "0" => Some("tls_off"),
            "alg" | "algorithm" if text.eq_ignore_ascii_case("none") => Some("jwt_none"),
            "algorithms" if value.kind() == "array" => {
                let mut cursor = value.walk();
                let mut names = value.named_children(&mut cursor);
                let is_none = |it: Node<'_>| {
                    self.of(it)
                        .trim_matches(['\'', '"'])
                        .eq_ignore_ascii_case("none")
                };
                names.any(is_none).then_some("jwt_none")
            }
            "dangerouslySetInnerHTML" => Some("dangerous_html"),
            "Access-Control-Allow-Origin" if text == "*" => Some("open_cors"),
            "origin" if matches!(text, "*" | "true") && self.is_in_cors(node) => Some("open_cors"),
            _ => None,
        }
    }

    /// Whether the value goes to a name that says that nobody may guess it: `const token = …`, `sessionId: …`, `function makeNonce() { … }`.
    fn is_for_secret(&self, node: Node<'_>) -> bool {
        self.names_around(node).any(|name| {
            let name: String = name.chars().filter(|it| it.is_alphanumeric()).collect();
            let name = name.to_ascii_lowercase();
            SECRETS.iter().any(|secret| name.contains(secret))
        })
    }

    fn is_about_password(&self, node: Node<'_>) -> bool {
        let is_password = |text: &str| {
            let text = text.to_ascii_lowercase();
            text.contains("passw") || text.contains("pwd")
        };
        let mut at = Some(node);
        while let Some(part) =
            at.filter(|it| !it.kind().ends_with("statement") && !it.kind().ends_with("declaration"))
        {
            if part.kind() == "call_expression" && is_password(self.of(part)) {
                return true;
            }
            at = part.parent();
        }
        self.names_around(node).any(is_password)
    }

    /// Returns the names that hold a value: of the variable, member or property it goes to, and of the function around it; not of
    /// those around that.
    fn names_around<'t>(&self, node: Node<'t>) -> impl Iterator<Item = &'a str> {
        let mut at = Some(node);
        let mut names = Vec::new();
        while let Some(part) = at {
            let name = match part.kind() {
                "variable_declarator"
                | "function_declaration"
                | "method_definition"
                | "public_field_definition" => self.field(part, "name"),
                "assignment_expression" => self.field(part, "left"),
                "pair" => self.field(part, "key"),
                _ => "",
            };
            if !name.is_empty() {
                names.push(name);
            }
            let is_named_function = part
                .child_by_field_name(if part.kind() == "assignment_expression" {
                    "right"
                } else {
                    "value"
                })
                .is_some_and(|value| {
                    matches!(value.kind(), "arrow_function" | "function_expression")
                });
            if matches!(part.kind(), "function_declaration" | "method_definition")
                || is_named_function
            {
                break;
            }
            at = part.parent();
        }
        names.into_iter()
    }

    /// Whether a statement of SQL is put together from a text and a value.
    fn is_built_sql(&self, node: Node<'_>) -> bool {
        let is_built = match node.kind() {
            "template_string" => {
                let mut cursor = node.walk();
                node.named_children(&mut cursor)
                    .any(|it| it.kind() == "template_substitution")
            }
            "binary_expression" => self.field(node, "operator") == "+" && !is_literal(node),
            _ => false,
        };
        let text = self
            .of(node)
            .trim_start_matches(['\'', '"', '`', ' ', '\n', '\t', '(']);
        let word = text
            .split(|c: char| !c.is_ascii_alphabetic())
            .next()
            .unwrap_or_default();
        is_built && STATEMENTS.iter().any(|it| it.eq_ignore_ascii_case(word))
    }

    fn opens_cors(&self, all: &[Node<'_>]) -> bool {
        let [name, value, ..] = all else { return false };
        let text = |node: Node<'_>| self.of(node).trim_matches(['\'', '"', '`']);
        text(*name).eq_ignore_ascii_case("access-control-allow-origin") && text(*value) == "*"
    }

    /// Whether the property is of an object that `cors(…)` is called with, or of a property `cors`.
    fn is_in_cors(&self, pair: Node<'_>) -> bool {
        let Some(around) = pair.parent().and_then(|object| object.parent()) else {
            return false;
        };
        match around.kind() {
            "arguments" => around
                .parent()
                .is_some_and(|call| self.field(call, "function").ends_with("cors")),
            "pair" => self.field(around, "key") == "cors",
            _ => false,
        }
    }

    /// Whether an argument is a part of a request, at any depth: `req.params.name`.
    fn is_of_request(&self, node: Node<'_>) -> bool {
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            if node.kind() == "member_expression" {
                let object = self.field(node, "object");
                let is_request = matches!(
                    object,
                    "req" | "request" | "ctx.request" | "this.request" | "ctx"
                );
                if is_request && REQUEST_PARTS.contains(&self.field(node, "property")) {
                    return true;
                }
            }
            let mut cursor = node.walk();
            open.extend(node.named_children(&mut cursor));
        }
        false
    }
}

fn arguments(node: Node<'_>) -> Vec<Node<'_>> {
    let Some(list) = node.child_by_field_name("arguments") else {
        return Vec::new();
    };
    let mut cursor = list.walk();
    list.named_children(&mut cursor)
        .filter(|it| it.kind() != "comment")
        .collect()
}

/// Whether a value is written out: a text, or texts that are put together.
fn is_literal(node: Node<'_>) -> bool {
    let mut cursor = node.walk();
    match node.kind() {
        "string" | "number" | "null" | "undefined" | "true" | "false" => true,
        "template_string" => node
            .named_children(&mut cursor)
            .all(|it| it.kind() != "template_substitution"),
        "binary_expression" | "parenthesized_expression" | "array" => {
            node.named_children(&mut cursor).all(is_literal)
        }
        _ => false,
    }
}

fn is_weak_hash(name: &str) -> bool {
    matches!(name.to_ascii_lowercase().as_str(), "md5" | "sha1" | "md4")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::signals;
    use crate::model::{Budget, RepoPath};

    fn kinds(path: &str, source: &str) -> Vec<&'static str> {
        let budget = Budget::unlimited(Arc::default());
        let found = signals(&RepoPath::new(path).unwrap(), source, &budget);
        found.into_iter().map(|it| it.kind).collect()
    }

    /// A rule with code that it names, and code like it that it leaves; `v_html` is tried in components.
    const PAIRS: [(&str, &[&str], &[&str]); 11] = [
        (
            "eval",
            &["eval(code)", "new Function('a', body)"],
            &[
                "eval('1 + 1')",
                "evaluate(code)",
                "new Functions(a)",
                "a.eval(code)",
            ],
        ),
        (
            "shell",
            &[
                "import { exec } from 'child_process'; exec(`ls ${dir}`)",
                "import { exec as run } from 'node:child_process'; run(command)",
                "const cp = require('child_process'); cp.execSync('ls ' + dir)",
                "import * as cp from 'child_process'; cp.exec(line)",
            ],
            &[
                "import { exec } from 'child_process'; exec('ls')",
                "pattern.exec(text)",
                "import { execFile } from 'child_process'; execFile(name, args)",
            ],
        ),
        (
            "inner_html",
            &[
                "node.innerHTML = text",
                "node.insertAdjacentHTML('beforeend', html)",
            ],
            &[
                "node.innerHTML = ''",
                "node.textContent = text",
                "if (node.innerHTML === text) {}",
            ],
        ),
        (
            "dangerous_html",
            &[
                "const a = <p dangerouslySetInnerHTML={{ __html: text }} />",
                "h('p', { dangerouslySetInnerHTML: x })",
            ],
            &["const a = <p title={text} />"],
        ),
        (
            "tls_off",
            &[
                "https.request({ rejectUnauthorized: false })",
                "process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'",
                "process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = 0",
            ],
            &[
                "https.request({ rejectUnauthorized: true })",
                "f({ rejectUnauthorized })",
            ],
        ),
        (
            "weak_hash",
            &[
                "const passwordHash = createHash('md5').update(x).digest('hex')",
                "function f() { return crypto.createHash('sha1').update(password).digest('hex') }",
            ],
            &[
                "const etag = createHash('md5').update(body).digest('hex')",
                "const passwordHash = createHash('sha512')",
            ],
        ),
        (
            "jwt_none",
            &[
                "sign(a, b, { algorithm: 'none' })",
                "verify(a, b, { algorithms: ['HS256', 'none'] })",
            ],
            &[
                "sign(a, b, { algorithm: 'HS256' })",
                "style({ display: 'none' })",
            ],
        ),
        (
            "sql",
            &[
                "db.query(`SELECT * FROM a WHERE id = ${id}`)",
                "db.execute('delete from a where id = ' + id)",
            ],
            &[
                "db.query('SELECT * FROM a WHERE id = ?', [id])",
                "db.query(`select 1`)",
                "client.query(`user:${id}`)",
            ],
        ),
        (
            "weak_random",
            &[
                "const token = Math.random().toString(36)",
                "function makeNonce() { return Math.random() }",
                "const makeToken = () => Math.random()",
                "const tokens = names.map(() => Math.random())",
            ],
            &[
                "const x = Math.random()",
                "const token = randomBytes(8)",
                "function Session() { const pick = () => { const share = Math.random() } }",
            ],
        ),
        (
            "open_cors",
            &[
                "res.setHeader('Access-Control-Allow-Origin', '*')",
                "app.use(cors())",
                "app.use(cors({ origin: '*' }))",
                "const s = { cors: { origin: true } }",
                "const h = { 'Access-Control-Allow-Origin': '*' }",
            ],
            &[
                "res.setHeader('Access-Control-Allow-Origin', site)",
                "app.use(cors({ origin: 'https://a.org' }))",
                "place({ origin: true })",
            ],
        ),
        (
            "request_path",
            &[
                "path.join(root, req.params.name)",
                "resolve(root, String(req.query.file))",
                "path.resolve(root + '/files/' + req.body.name)",
            ],
            &[
                "path.join(root, name)",
                "items.join(req.query.sep)",
                "path.join(root, req.url)",
                "resolve(req.body)",
            ],
        ),
    ];

    #[test]
    fn each_rule_names_its_code_and_leaves_what_is_like_it() {
        for (kind, named, left) in PAIRS {
            for code in named {
                assert_eq!(kinds("a.tsx", code), [kind], "{code}");
            }
            for code in left {
                assert!(kinds("a.tsx", code).is_empty(), "{kind}: {code}");
            }
        }
    }

    #[test]
    fn components_are_read_with_their_templates() {
        let vue = "<template>\n  <p v-html=\"text\" />\n  <p v-text=\"text\" />\n</template>\n<script setup lang=\"ts\">\neval(code)\n</script>\n";
        let budget = Budget::unlimited(Arc::default());
        let found = signals(&RepoPath::new("a.vue").unwrap(), vue, &budget);
        let found: Vec<_> = found.iter().map(|it| (it.line, it.kind)).collect();
        assert_eq!(found, [(2, "v_html"), (6, "eval")]);
    }

    #[test]
    fn other_files_and_broken_code_have_none() {
        assert!(kinds("a.py", "eval(code)").is_empty());
        assert!(kinds("a.ts", "").is_empty());
        assert!(kinds("a.ts", "// eval(code)\nconst a = 'eval(code)'").is_empty());
        let deep = "(".repeat(20_000);
        assert!(kinds("a.ts", &deep).is_empty());
    }
}
