//! The tools without the protocol: `POST /api/v1/core/search` with the input as its body, and the output as the answer.
//!
//! Knows routes, query parameters, statuses and entity tags. The values are those of `--json` and of MCP.

use std::sync::Arc;
use std::time::Instant;

use hyper::body::Bytes;
use hyper::header::{self, HeaderValue};
use hyper::http::request::Parts;
use hyper::{Method, Response, StatusCode};
use serde_json::{Map, Value, json};

use super::gate::API;
use super::{Body, MAX_SESSIONS, answer, failure};
use crate::error::{Code, Error, Result};
use crate::mcp::call::CallRunner;
use crate::mcp::{Asked, Caller, Shared, uri};
use crate::tools::chunks::CHUNKS;
use crate::tools::{Call, ToolSpec, runs};
use crate::workspace::cut_argument;

/// The name of a client that is known by no other.
const CLIENT: &str = "http";

/// The header by which a client groups its calls in the history; no session has to be opened.
const SESSION_ID: &str = "x-session-id";

/// The most bytes of its value.
const MAX_SESSION_BYTES: usize = 64;

/// The routes, and the tools that they lead to.
pub(super) struct PlainRoutes {
    shared: Arc<Shared>,
}

/// The address of a request below `/api/v1/`.
enum Route<'a> {
    Health,
    Tools,
    Repositories,
    Description,
    /// Builds and imports of indexes.
    Runs,
    /// The last calls, of a repository or of all.
    History {
        repo: Option<String>,
    },
    /// A tool without `cl_`, of a repository or of `all`.
    Tool {
        repo: String,
        tool: &'a ToolSpec,
    },
}

/// Whether a request asks for the health of the server, which anybody may who reaches it.
pub(super) fn is_health(head: &Parts) -> bool {
    head.method == Method::GET && head.uri.path() == format!("{API}health")
}

/// The health of the server for one who shows no token: that it runs, and its version.
pub(super) fn health_of_a_stranger() -> Response<Body> {
    json_answer(&status())
}

fn status() -> Value {
    json!({"status": "ok", "version": env!("CARGO_PKG_VERSION")})
}

impl PlainRoutes {
    pub(super) fn new(shared: Arc<Shared>) -> Self {
        Self { shared }
    }

    /// Answers a request whose token was checked. `n_sessions` are those of the protocol that are open.
    pub(super) async fn answer(
        &self,
        head: &Parts,
        body: &Bytes,
        n_sessions: usize,
    ) -> Response<Body> {
        let route = match self.route(head.uri.path()) {
            Ok(route) => route,
            Err(error) => return refused(&error),
        };
        let is_read = head.method == Method::GET;
        let may_read = match &route {
            Route::Tool { tool, .. } => tool.read_only,
            _ => true,
        };
        let may_post = matches!(route, Route::Tool { .. });
        if !(is_read && may_read || head.method == Method::POST && may_post) {
            return wrong_method(may_read, may_post);
        }
        let outcome = match route {
            Route::Tools => Ok(json!({"tools": self.shared.definitions()})),
            Route::Description => Ok(self.description()),
            Route::History { repo } => Ok(self.shared.history.told(None, repo.as_deref())),
            Route::Repositories => self.current().await,
            Route::Runs => match runs_asked(head) {
                Ok((id, limit)) => {
                    self.run("runs", move |call| runs::value(call.workspaces, id, limit))
                        .await
                }
                Err(error) => Err(error),
            },
            Route::Health => self.current().await.map(|all| health(&all, n_sessions)),
            Route::Tool { repo, tool } => match input(head, body, &repo) {
                Ok(input) => self.call_noted(session(head), tool, input).await,
                Err(error) => Err(error),
            },
        };
        match outcome {
            Ok(value) if is_read => with_tag(head, &value),
            Ok(value) => json_answer(&value),
            Err(error) => refused(&error),
        }
    }

    /// The tools that are served, and what is asked here alone.
    fn tools(&self) -> impl Iterator<Item = &ToolSpec> {
        self.shared.tools.iter().chain([&CHUNKS])
    }

    fn route(&self, path: &str) -> Result<Route<'_>> {
        let rest = path.strip_prefix(API).unwrap_or_default();
        match rest {
            "health" => return Ok(Route::Health),
            "tools" => return Ok(Route::Tools),
            "repos" => return Ok(Route::Repositories),
            "openapi.json" => return Ok(Route::Description),
            "runs" => return Ok(Route::Runs),
            "history" => return Ok(Route::History { repo: None }),
            _ => {}
        }
        if let Some(repo) = rest.strip_suffix("/history").and_then(uri::decode) {
            let repo = Some(repo);
            return Ok(Route::History { repo });
        }
        let tool = rest.split_once('/').and_then(|(repo, name)| {
            let mut tools = self.tools();
            let tool = tools.find(|tool| tool.command_name() == name)?;
            Some((repo, tool))
        });
        let (repo, tool) = tool.ok_or_else(|| {
            let names: Vec<_> = self.tools().map(ToolSpec::command_name).collect();
            Error::new(
                Code::PathNotFound,
                "nothing is at this address",
                format!(
                    "ask for {API}health, tools, repos, runs, history, openapi.json, or REPOSITORY/TOOL with one of {}",
                    names.join(", ")
                ),
            )
        })?;
        let repo = uri::decode(repo).filter(|repo| !repo.is_empty());
        let repo = repo.ok_or_else(|| {
            Error::invalid(
                "the address names no repository",
                format!("{API}repos lists the names; `all` is each of them"),
            )
        })?;
        Ok(Route::Tool { repo, tool })
    }

    async fn current(&self) -> Result<Value> {
        let tool = crate::tools::by_name("cl_current").expect("it is one of the tools");
        self.call(tool, json!({"repo": "all"})).await
    }

    async fn call_noted(&self, session: &str, tool: &ToolSpec, input: Value) -> Result<Value> {
        let asked = Asked::of(tool, &input);
        let begun = Instant::now();
        let outcome = self.call(tool, input).await;
        let caller = Caller {
            session,
            client: Some(CLIENT),
        };
        self.shared.note(&caller, asked, &outcome, begun.elapsed());
        outcome
    }

    async fn call(&self, tool: &ToolSpec, input: Value) -> Result<Value> {
        let work = tool.call;
        self.run(tool.name, move |call| work(input, call)).await
    }

    async fn run(
        &self,
        name: &'static str,
        work: impl FnOnce(&Call<'_>) -> Result<Value> + Send + 'static,
    ) -> Result<Value> {
        let runner = CallRunner {
            name,
            places: Vec::new(),
            shared: Arc::clone(&self.shared),
            client: Some(CLIENT.to_owned()),
        };
        runner.finish(None, work).await
    }

    /// The routes as `OpenAPI` 3.1, <https://spec.openapis.org/oas/v3.1.0>, made of the schemas of the tools.
    fn description(&self) -> Value {
        let repo = json!({
            "name": "repo", "in": "path", "required": true, "schema": {"type": "string"},
            "description": "The name of a served repository, or all",
        });
        let error = json!({
            "description": "What failed, and the next step",
            "content": {"application/json": {"schema": {
                "type": "object", "required": ["error"], "properties": {"error": {
                    "type": "object", "required": ["code", "message", "hint"],
                    "properties": {"code": {"type": "string"}, "message": {"type": "string"}, "hint": {"type": "string"}},
                }},
            }}},
        });
        let responses = |output: Value| {
            json!({
                "200": {"description": "The answer", "content": {"application/json": {"schema": output}}},
                "default": error,
            })
        };
        let mut paths = Map::new();
        for (name, about) in [
            ("health", "Whether the server runs, and its repositories"),
            ("tools", "The tools with the schemas of input and output"),
            (
                "repos",
                "The repositories with branch, commit and state of their indexes",
            ),
            ("openapi.json", "This description"),
            (
                "runs",
                "Builds, pulls and imports of indexes with what came of them; `limit`, or `id` for one",
            ),
            (
                "history",
                "The last calls, without any text of their answers",
            ),
        ] {
            let get = json!({"summary": about, "operationId": format!("get_{}", name.replace('.', "_")),
                "responses": responses(json!({"type": "object"}))});
            paths.insert(format!("{API}{name}"), json!({"get": get}));
        }
        let mut schemas = Map::new();
        for tool in self.tools() {
            let mut output = Value::Object((tool.output_schema)());
            move_definitions(&mut output, tool.name, &mut schemas);
            let mut input = Value::Object((tool.input_schema)());
            if let Some(Value::Object(fields)) = input.get_mut("properties") {
                // The address names it.
                fields.shift_remove("repo");
            }
            let post = json!({
                "operationId": tool.name,
                "summary": tool.title,
                "description": tool.about,
                "parameters": [repo],
                "requestBody": {"content": {"application/json": {"schema": input}}},
                "responses": responses(output),
            });
            let path = format!("{API}{{repo}}/{}", tool.command_name());
            paths.insert(path, json!({"post": post}));
        }
        json!({
            "openapi": "3.1.0",
            "info": {"title": "CodeLens", "version": env!("CARGO_PKG_VERSION")},
            "security": [{"token": []}],
            "components": {
                "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
                "schemas": schemas,
            },
            "paths": paths,
        })
    }
}

/// Moves the definitions of a schema, `#/$defs/target`, among those of the whole description:
/// `#/components/schemas/cl_impact.target`.
fn move_definitions(schema: &mut Value, name: &str, all: &mut Map<String, Value>) {
    point_at_components(schema, name);
    let own = schema
        .as_object_mut()
        .and_then(|it| it.shift_remove("$defs"));
    if let Some(Value::Object(own)) = own {
        for (key, definition) in own {
            all.insert(format!("{name}.{key}"), definition);
        }
    }
}

fn point_at_components(value: &mut Value, name: &str) {
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                let own = value.as_str().and_then(|it| it.strip_prefix("#/$defs/"));
                if let ("$ref", Some(own)) = (key.as_str(), own) {
                    *value = Value::from(format!("#/components/schemas/{name}.{own}"));
                } else {
                    point_at_components(value, name);
                }
            }
        }
        Value::Array(list) => list.iter_mut().for_each(|it| point_at_components(it, name)),
        _ => {}
    }
}

fn health(all: &Value, n_sessions: usize) -> Value {
    let repos = all["repos"].as_array().into_iter().flatten().map(|one| {
        let mut told = Map::new();
        told.insert("name".to_owned(), one["repo"].clone());
        for field in ["status", "pendingFiles", "error"] {
            if let Some(value) = one.get(field) {
                told.insert(field.to_owned(), value.clone());
            }
        }
        Value::Object(told)
    });
    let mut health = status();
    health["repos"] = repos.collect();
    health["sessions"] = Value::from(n_sessions);
    health["maxSessions"] = Value::from(MAX_SESSIONS);
    health
}

/// The number of a run and how many are wanted, of a request for runs.
fn runs_asked(head: &Parts) -> Result<(Option<i64>, usize)> {
    let mut asked = (None, runs::DEFAULT_RUNS);
    for (name, value) in parameters(head.uri.query().unwrap_or_default())? {
        let wrong = || {
            Error::invalid(
                format!("parameter `{}` is none that runs have", cut_argument(&name)),
                "pass `limit` (1 to 1,000) or `id` (the number of a run)",
            )
        };
        let number = value.as_str().and_then(|text| text.parse::<u32>().ok());
        let number = number.filter(|n| *n > 0).ok_or_else(wrong)?;
        match name.as_str() {
            "id" => asked.0 = Some(i64::from(number)),
            "limit" => asked.1 = usize::try_from(number).unwrap_or(runs::MAX_RUNS),
            _ => return Err(wrong()),
        }
    }
    Ok(asked)
}

/// The session that a request names, else that of all that name none.
fn session(head: &Parts) -> &str {
    let named = head.headers.get(SESSION_ID).and_then(|id| id.to_str().ok());
    let is_fit = |id: &&str| !id.is_empty() && id.len() <= MAX_SESSION_BYTES;
    named.filter(is_fit).unwrap_or(CLIENT)
}

/// The input of a tool: the body of a `POST`, the query parameters of a `GET`, with the repository of the address.
fn input(head: &Parts, body: &Bytes, repo: &str) -> Result<Value> {
    let mut input = if head.method == Method::GET {
        parameters(head.uri.query().unwrap_or_default())?
    } else if body.trim_ascii().is_empty() {
        Map::new()
    } else {
        match serde_json::from_slice(body) {
            Ok(Value::Object(fields)) => fields,
            Ok(_) => {
                return Err(Error::invalid(
                    "the body is JSON, but no object",
                    "send the input of the tool as an object, for example {\"query\": \"session\"}",
                ));
            }
            Err(error) => {
                return Err(Error::invalid(
                    format!("the body is no JSON: {error}"),
                    "send the input of the tool as an object, for example {\"query\": \"session\"}",
                ));
            }
        }
    };
    if input.contains_key("repo") {
        return Err(Error::invalid(
            "field `repo`: the address names the repository",
            "leave the field out",
        ));
    }
    input.insert("repo".to_owned(), Value::from(repo));
    Ok(Value::Object(input))
}

/// Reads `a=1&b=x&b=y` as `{"a": "1", "b": ["x", "y"]}`; the tool reads numbers and switches that are written as text.
fn parameters(query: &str) -> Result<Map<String, Value>> {
    let mut fields = Map::new();
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, "true"));
        let decoded = |text: &str| uri::decode(&text.replace('+', " "));
        let (Some(name), Some(value)) = (decoded(name), decoded(value)) else {
            return Err(Error::invalid(
                "a query parameter is no text of UTF-8",
                "write each byte of it as %XX",
            ));
        };
        match fields.get_mut(&name) {
            None => {
                fields.insert(name, Value::from(value));
            }
            Some(Value::Array(list)) => list.push(Value::from(value)),
            Some(first) => *first = json!([first.take(), value]),
        }
    }
    Ok(fields)
}

/// An answer to a `GET`, with a tag where this call proved that the index equals the files: a client that has the same
/// answer gets 304 in its place.
fn with_tag(head: &Parts, value: &Value) -> Response<Body> {
    let mut answer = json_answer(value);
    if value["freshness"] != "fresh" {
        return answer;
    }
    let mut tagged = value.clone();
    if let Value::Object(fields) = &mut tagged {
        // How it was proved changes no answer.
        fields.shift_remove("proof");
    }
    let hash = blake3::hash(tagged.to_string().as_bytes()).to_hex();
    let tag = format!("\"{}\"", &hash[..32]);
    let known = head.headers.get(header::IF_NONE_MATCH);
    let known = known.and_then(|known| known.to_str().ok()).unwrap_or("");
    let mut known = known
        .split(',')
        .map(|it| it.trim().trim_start_matches("W/"));
    if known.any(|it| it == tag || it == "*") {
        answer = super::answer(StatusCode::NOT_MODIFIED, "application/json", Vec::new());
    }
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        answer.headers_mut().insert(header::ETAG, tag);
    }
    answer
}

fn refused(error: &Error) -> Response<Body> {
    let status = match error.code {
        Code::InvalidArgument | Code::BadCursor => 400,
        Code::OutsideRepo | Code::Refused => 403,
        Code::PathNotFound | Code::UnknownHandle | Code::NotARepo | Code::IndexMissing => 404,
        Code::NewerSchema => 409,
        Code::NotIndexed => 422,
        Code::IndexBusy => 423,
        Code::Cancelled => 499,
        Code::Git | Code::Io | Code::Internal => 500,
    };
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    failure(status, error)
}

fn wrong_method(may_read: bool, may_post: bool) -> Response<Body> {
    let allowed = match (may_read, may_post) {
        (true, true) => "GET, POST",
        (false, true) => "POST",
        _ => "GET",
    };
    let error = Error::invalid(
        "this address does not take this method",
        format!("use {allowed}"),
    );
    let mut answer = failure(StatusCode::METHOD_NOT_ALLOWED, &error);
    let allowed = HeaderValue::from_static(allowed);
    answer.headers_mut().insert(header::ALLOW, allowed);
    answer
}

fn json_answer(value: &Value) -> Response<Body> {
    let body = serde_json::to_vec(value).expect("a value is plain data");
    answer(StatusCode::OK, "application/json", body)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::parameters;

    #[test]
    fn parameters_are_an_input() {
        let read = |query| Value::Object(parameters(query).unwrap());
        assert_eq!(
            read("query=a+b%20c&limit=5&related&path=x&path=y"),
            json!({"query": "a b c", "limit": "5", "related": "true", "path": ["x", "y"]})
        );
        assert_eq!(read(""), json!({}));
        assert!(parameters("a=%ff").is_err());
    }
}
