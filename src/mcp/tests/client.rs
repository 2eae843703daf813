//! A client that speaks line by line, and tools made to be driven by it.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};
use tokio::io::{
    AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf,
};
use tokio::task::JoinHandle;

use crate::config::Config;
use crate::error::{Error, Result};
use crate::mcp::ending::Lifetime;
use crate::mcp::roots::ClientRoots;
use crate::mcp::session::Session;
use crate::mcp::{Server, Shared, stdio};
use crate::tools::{Call, Progress, ToolSpec};
use crate::workspace::Workspaces;

pub(super) const fn tool(
    name: &'static str,
    call: fn(Value, &Call<'_>) -> Result<Value>,
) -> ToolSpec {
    ToolSpec {
        name,
        title: "A title",
        about: "What it is for.",
        examples: "",
        read_only: true,
        destructive: false,
        idempotent: true,
        input_schema: object,
        output_schema: object,
        command: || unreachable!("no command line here"),
        input_of: |_| Ok(Value::Null),
        call,
    }
}

pub(super) fn object() -> Map<String, Value> {
    Map::from_iter([("type".to_owned(), json!("object"))])
}

pub(super) static TEST_TOOLS: &[ToolSpec] = &[
    tool("echo", |input, call| {
        Ok(json!({"input": input, "places": call.places}))
    }),
    tool("fail", |_, _| {
        Err(Error::invalid("query is empty", "pass words"))
    }),
    tool("panic", |_, _| panic!("secret words")),
    tool("wait", |_, call| {
        let begun = Instant::now();
        while !call.interrupt.load(Ordering::Relaxed) {
            if begun.elapsed() > Duration::from_secs(20) {
                return Ok(json!({}));
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        WAS_INTERRUPTED.store(true, Ordering::Relaxed);
        Err(Error::cancelled())
    }),
    tool("deaf", |_, _| {
        std::thread::sleep(Duration::from_millis(1_200));
        Ok(json!({}))
    }),
    tool("count", |_, call| {
        for done in 0..=250 {
            (call.progress)(Progress { done, total: 250 });
            std::thread::sleep(Duration::from_millis(1));
        }
        Ok(json!({"done": true}))
    }),
];

pub(super) static WAS_INTERRUPTED: AtomicBool = AtomicBool::new(false);

pub(super) struct Client {
    pub(super) output: WriteHalf<DuplexStream>,
    input: Lines<BufReader<ReadHalf<DuplexStream>>>,
    pub(super) session: JoinHandle<()>,
    /// Messages that were read besides the last answer.
    pub(super) others: Vec<Value>,
}

impl Client {
    pub(super) fn connect(repo: Option<&str>) -> Self {
        Self::connect_to(repo, Arc::default(), ClientRoots::default())
    }

    /// Connects to a server for a session that another one may have begun.
    pub(super) fn connect_to(repo: Option<&str>, state: Arc<Session>, roots: ClientRoots) -> Self {
        let workspaces = Workspaces::new(Config::at(PathBuf::from("/nonexistent")));
        let shared = Shared::new(TEST_TOOLS.to_vec(), workspaces, Lifetime::default());
        let mut server = Server::new(
            Arc::new(shared),
            repo.map(PathBuf::from),
            Some(PathBuf::from("/cwd")),
        );
        server.roots = roots;
        let (mine, theirs) = tokio::io::duplex(1 << 16);
        let (their_input, their_output) = tokio::io::split(theirs);
        let session = tokio::spawn(stdio::session(
            server,
            state,
            their_input,
            their_output,
            std::future::pending(),
        ));
        let (input, output) = tokio::io::split(mine);
        Self {
            output,
            input: BufReader::new(input).lines(),
            session,
            others: Vec::new(),
        }
    }

    pub(super) async fn initialized(repo: Option<&str>, capabilities: Value) -> Self {
        let mut client = Self::connect(repo);
        let hello = client.initialize("2025-06-18", capabilities).await;
        assert_eq!(hello["result"]["protocolVersion"], "2025-06-18");
        client
            .say(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))
            .await;
        client
    }

    pub(super) async fn initialize(&mut self, version: &str, capabilities: Value) -> Value {
        self.ask(
            0,
            "initialize",
            json!({"protocolVersion": version, "capabilities": capabilities,
                   "clientInfo": {"name": "test", "version": "1"}}),
        )
        .await
    }

    pub(super) async fn line(&mut self, line: &str) {
        self.output.write_all(line.as_bytes()).await.unwrap();
        self.output.write_all(b"\n").await.unwrap();
    }

    pub(super) async fn say(&mut self, message: &Value) {
        self.line(&message.to_string()).await;
    }

    pub(super) async fn read(&mut self) -> Value {
        let line = tokio::time::timeout(Duration::from_secs(10), self.input.next_line());
        let line = line.await.expect("the server answers in time").unwrap();
        serde_json::from_str(&line.expect("the server is there")).unwrap()
    }

    pub(super) async fn ask(&mut self, id: u64, method: &str, params: Value) -> Value {
        self.say(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))
            .await;
        self.answer(id).await
    }

    pub(super) async fn answer(&mut self, id: u64) -> Value {
        loop {
            let message = self.read().await;
            if message["id"] == id && message.get("method").is_none() {
                return message;
            }
            self.others.push(message);
        }
    }

    pub(super) async fn call(&mut self, id: u64, name: &str) -> Value {
        self.ask(id, "tools/call", json!({"name": name, "arguments": {}}))
            .await
    }
}
