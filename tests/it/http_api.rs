//! The tools over plain HTTP: the same values as `--json` and MCP, statuses, entity tags, the description.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};

use serde_json::{Value, json};

use crate::support::{Cli, Fixture, Repo};

const TOKEN: &str = "0123456789abcdef0123456789abcdef";

/// A server over HTTP of one repository, which ends with it.
pub(crate) struct Server {
    child: Child,
    address: String,
    name: String,
    repo: Repo,
}

pub(crate) struct Answer {
    status: u16,
    tag: Option<String>,
    pub(crate) body: Value,
}

impl Server {
    fn start() -> (Self, Cli) {
        let repo = Fixture::parse(
            "//- /src/price.ts\nexport function price(order: Order) { return order.total }\n\
             export function total() { return price(1) }\n//- commit one\n",
        )
        .build();
        let cli = Cli::new(repo.path());
        (Self::of(repo, &cli), cli)
    }

    /// Serves a repository from the data directory of `cli`.
    pub(crate) fn of(repo: Repo, cli: &Cli) -> Self {
        let mut command = cli.command(&["serve", "--http", "127.0.0.1:0", "--json"]);
        command
            .env("CODELENS_HTTP_TOKEN", TOKEN)
            .stdin(Stdio::null())
            .stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        let stdout = child.stdout.take().unwrap();
        BufReader::new(stdout).read_line(&mut line).unwrap();
        let told: Value = serde_json::from_str(&line).unwrap();
        let url = told["url"].as_str().unwrap();
        let address = url.trim_start_matches("http://").trim_end_matches("/mcp");
        Self {
            child,
            address: address.to_owned(),
            name: told["repositories"][0].as_str().unwrap().to_owned(),
            repo,
        }
    }

    /// Asks a tool, by its name without `cl_`: with the input as a body, and where that has neither lists nor objects, as a query.
    pub(crate) fn asked(&self, tool: &str, input: &Value) -> Vec<Value> {
        let place = format!("{}/{tool}", self.name);
        let mut answers = vec![self.post(&place, input).body];
        let fields = input.as_object().unwrap();
        if fields.values().all(|it| !it.is_array() && !it.is_object()) {
            let pairs = fields.iter().map(|(name, value)| {
                let value = value
                    .as_str()
                    .map_or_else(|| value.to_string(), str::to_owned);
                format!("{name}={}", value.replace(' ', "%20"))
            });
            let query: Vec<String> = pairs.collect();
            answers.push(self.get(&format!("{place}?{}", query.join("&"))).body);
        }
        answers
    }

    /// Sends one request. `headers` are lines that end with a line break.
    fn send(&self, method: &str, path: &str, headers: &str, body: &str) -> Answer {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let request = format!(
            "{method} /api/v1/{path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n{headers}Content-Length: {}\r\n\r\n{body}",
            self.address,
            body.len()
        );
        stream.write_all(request.as_bytes()).unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        let tag = head.lines().find_map(|line| {
            let (name, value) = line.split_once(": ")?;
            name.eq_ignore_ascii_case("etag").then(|| value.to_owned())
        });
        Answer {
            status: head.split(' ').nth(1).unwrap().parse().unwrap(),
            tag,
            body: serde_json::from_str(body).unwrap_or(Value::Null),
        }
    }

    fn get(&self, path: &str) -> Answer {
        self.send("GET", path, &owner(), "")
    }

    fn post(&self, path: &str, input: &Value) -> Answer {
        self.send("POST", path, &owner(), &input.to_string())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

fn owner() -> String {
    format!("Authorization: Bearer {TOKEN}\r\n")
}

/// An answer without the way in which it was proved, which a server and a command do not share.
fn without_proof(mut value: Value) -> Value {
    if let Some(fields) = value.as_object_mut() {
        fields.shift_remove("proof");
    }
    value
}

#[test]
fn plain_requests_give_the_values_of_the_command_line() {
    let (server, cli) = Server::start();
    for (tool, input, line) in [
        (
            "search",
            json!({"query": "price", "limit": 2}),
            &["search", "price", "-n", "2"] as &[_],
        ),
        ("map", json!({"path": "src"}), &["map", "src"]),
        ("impact", json!({"symbol": "price"}), &["impact", "price"]),
        (
            "related",
            json!({"path": "src/price.ts"}),
            &["related", "src/price.ts"],
        ),
    ] {
        let path = format!("{}/{tool}", server.name);
        let answer = server.post(&path, &input);
        assert_eq!(answer.status, 200, "{}", answer.body);
        assert_eq!(
            without_proof(answer.body),
            without_proof(cli.json(line)),
            "{tool}"
        );
    }
    let posted = server.post(
        &format!("{}/search", server.name),
        &json!({"query": "the price", "limit": 1}),
    );
    let got = server.get(&format!("{}/search?query=the+price&limit=1", server.name));
    assert_eq!(without_proof(got.body), without_proof(posted.body));
}

#[test]
fn a_tag_stands_for_an_answer_that_was_proved_again() {
    let (server, _cli) = Server::start();
    let path = format!("{}/map?path=src", server.name);
    let tag = server.get(&path).tag.unwrap();
    let known = format!("{}If-None-Match: {tag}\r\n", owner());
    let same = server.send("GET", &path, &known, "");
    assert_eq!((same.status, same.body), (304, Value::Null));
    std::fs::write(
        server.repo.path().join("src/price.ts"),
        "export function other() {}\n",
    )
    .unwrap();
    let changed = server.send("GET", &path, &known, "");
    assert_eq!(changed.status, 200);
    assert_ne!(changed.tag.unwrap(), tag);
}

#[test]
fn refusals_have_a_status_and_a_next_step() {
    let (server, _cli) = Server::start();
    let name = &server.name;
    for (answer, status, code) in [
        (
            server.post(&format!("{name}/search"), &json!([1])),
            400,
            "invalid_argument",
        ),
        (
            server.post(&format!("{name}/search"), &json!({"query": 1})),
            400,
            "invalid_argument",
        ),
        (
            server.post(
                &format!("{name}/search"),
                &json!({"query": "x", "repo": "y"}),
            ),
            400,
            "invalid_argument",
        ),
        (
            server.send("POST", &format!("{name}/search"), &owner(), "{"),
            400,
            "invalid_argument",
        ),
        (
            server.post(
                &format!("{name}/search"),
                &json!({"query": "price", "cursor": "x"}),
            ),
            400,
            "bad_cursor",
        ),
        (
            server.post("nowhere/search", &json!({"query": "x"})),
            403,
            "outside_repo",
        ),
        (
            server.post(&format!("{name}/nothing"), &json!({})),
            404,
            "path_not_found",
        ),
        (
            server.post(&format!("{name}/expand"), &json!({"path": "none.ts"})),
            404,
            "path_not_found",
        ),
        (server.get(&format!("{name}/save")), 405, "invalid_argument"),
        (
            server.send("DELETE", &format!("{name}/search"), &owner(), ""),
            405,
            "invalid_argument",
        ),
        (
            server.get(&format!("{name}/search?query=%ff")),
            400,
            "invalid_argument",
        ),
    ] {
        assert_eq!(answer.status, status, "{}", answer.body);
        assert_eq!(answer.body["error"]["code"], code);
        assert!(answer.body["error"]["hint"].is_string());
    }
    for path in ["repos", "tools", "openapi.json"] {
        let answer = server.send("GET", path, "", "");
        assert_eq!(answer.status, 401, "{path}");
        assert_eq!(answer.body["error"]["code"], "refused", "{path}");
        let hint = answer.body["error"]["hint"].as_str().unwrap();
        assert!(hint.contains("Bearer TOKEN"), "{hint}");
    }
}

#[test]
fn health_tells_strangers_little() {
    let (server, _cli) = Server::start();
    let stranger = server.send("GET", "health", "", "");
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(stranger.body, json!({"status": "ok", "version": version}));
    let health = server.get("health");
    assert_eq!(health.body["repos"][0]["name"], server.name.as_str());
    assert!(health.body["maxSessions"].is_number());
    let all = server.get("repos");
    assert_eq!(all.body["repos"][0]["repo"], server.name.as_str());
}

#[test]
fn the_description_lists_each_tool_and_every_reference_leads_somewhere() {
    let (server, _cli) = Server::start();
    let described = server.get("openapi.json").body;
    let tools = server.get("tools").body;
    for tool in tools["tools"].as_array().unwrap() {
        let name = tool["name"].as_str().unwrap().trim_start_matches("cl_");
        let post = &described["paths"][format!("/api/v1/{{repo}}/{name}")]["post"];
        let schema = &post["requestBody"]["content"]["application/json"]["schema"];
        assert_eq!(schema["type"], "object", "{name}");
        assert!(schema["properties"]["repo"].is_null(), "{name}");
    }
    let text = described.to_string();
    let mut n_references = 0;
    for rest in text.split("\"$ref\":\"#").skip(1) {
        let pointer = rest.split('"').next().unwrap();
        assert!(described.pointer(pointer).is_some(), "{pointer}");
        n_references += 1;
    }
    assert!(n_references > 0);
}

#[test]
fn a_file_is_listed_in_pieces() {
    let (server, cli) = Server::start();
    let path = format!("{}/chunks?path=src/price.ts", server.name);
    let found = server.get(&format!("{path}&size=50&overlap=10")).body;
    let line = ["chunks", "src/price.ts", "--size", "50", "--overlap", "10"];
    assert_eq!(found, cli.json(&line));
    assert_eq!(found["chunks"][1]["start"], 40);
    assert!(server.get(&path).body["chunks"][0]["handle"].is_string());
    let wrong = server.get(&format!("{path}&size=much"));
    assert_eq!(wrong.body["error"]["code"], "invalid_argument");
    assert!(server.get("openapi.json").body["paths"]["/api/v1/{repo}/chunks"].is_object());
    let definitions = server.get("tools").body.to_string();
    assert!(!definitions.contains("cl_chunks"));
}

#[test]
fn the_history_lists_calls_by_session_without_texts() {
    let (server, _cli) = Server::start();
    let path = format!("{}/search", server.name);
    let mine = format!("{}X-Session-Id: mine\r\n", owner());
    let input = json!({"query": "price"}).to_string();
    assert_eq!(server.send("POST", &path, &mine, &input).status, 200);
    assert_eq!(server.post(&path, &json!({"query": 1})).status, 400);
    let history = server.get("history").body;
    let calls = history["calls"].as_array().unwrap();
    assert_eq!(calls.len(), 2);
    assert_eq!(calls[0]["error"], "invalid_argument");
    assert_eq!(calls[1]["session"], "mine");
    assert_eq!(calls[1]["freshness"], "fresh");
    assert_eq!(calls[1]["input"]["query"], "price");
    assert!(!history.to_string().contains("order.total"), "{history}");
    let of_repo = server.get(&format!("{}/history", server.name)).body;
    assert_eq!(of_repo["calls"].as_array().unwrap().len(), 2);
    assert_eq!(server.get("none/history").body["calls"], json!([]));
}

#[test]
fn runs_are_told_of_the_served_repositories() {
    let (server, cli) = Server::start();
    let token = format!("Authorization: Bearer {TOKEN}\r\n");
    let get = |path: &str| server.send("GET", path, &token, "");
    assert_eq!(get("runs").body, json!({"runs": []}));
    cli.json(&["refresh"]);
    cli.json(&["refresh", "--force"]);
    let all = get("runs");
    assert_eq!((all.status, &all.body), (200, &cli.json(&["runs"])));
    let id = all.body["runs"][1]["id"].clone();
    assert_eq!(
        get(&format!("runs?id={id}")).body["runs"],
        json!([all.body["runs"][1]])
    );
    assert_eq!(
        get("runs?limit=1").body["runs"].as_array().unwrap().len(),
        1
    );
    for query in [
        "id=0",
        "id=x",
        "id=999",
        "limit=",
        "limit=-1",
        "limit=1&limit=2",
        "page=2",
    ] {
        let refused = get(&format!("runs?{query}"));
        assert_eq!(
            (refused.status, &refused.body["error"]["code"]),
            (400, &"invalid_argument".into()),
            "{query}"
        );
    }
    assert_eq!(server.send("GET", "runs", "", "").status, 401);
    assert_eq!(server.send("POST", "runs", &token, "{}").status, 405);
    // A run of a repository that is not served is not there.
    let other = Fixture::parse("//- /a.ts\nexport const a = 1\n//- commit one\n").build();
    let mut elsewhere = cli.command(&["refresh"]);
    elsewhere.current_dir(other.path());
    assert!(elsewhere.stdout(Stdio::null()).status().unwrap().success());
    assert_eq!(get("runs").body, all.body);
    assert_eq!(cli.json(&["runs"])["runs"].as_array().unwrap().len(), 3);
}
