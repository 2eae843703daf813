//! A server over standard input and output, with one client that asks one thing at a time.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// A running server.
pub(crate) struct Session {
    pub(crate) child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Session {
    /// Starts a server and speaks `initialize` to it; its stderr is thrown away.
    pub(crate) fn of(mut server: Command) -> Self {
        server.stderr(Stdio::null());
        Self::greeted(server)
    }

    /// Starts a server and speaks `initialize` to it.
    pub(crate) fn greeted(server: Command) -> Self {
        let mut session = Self::silent(server);
        let client = json!({"name": "test", "version": "1"});
        let hello =
            json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client});
        session.ask(0, "initialize", &hello);
        session.line(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        session
    }

    /// Starts a server and says nothing.
    pub(crate) fn silent(mut server: Command) -> Self {
        let mut child = server
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        Self {
            input: child.stdin.take(),
            output: BufReader::new(child.stdout.take().unwrap()),
            child,
        }
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Says something without an end.
    pub(crate) fn write(&mut self, text: &str) {
        let input = self.input.as_mut().unwrap();
        input.write_all(text.as_bytes()).unwrap();
        input.flush().unwrap();
    }

    pub(crate) fn line(&mut self, line: &str) {
        writeln!(self.input.as_mut().unwrap(), "{line}").unwrap();
    }

    pub(crate) fn read(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|_| panic!("not the protocol: {line:?}"))
    }

    pub(crate) fn ask(&mut self, id: u64, method: &str, params: &Value) -> Value {
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.line(&request.to_string());
        loop {
            let message = self.read();
            if message["id"] == id {
                return message;
            }
        }
    }

    /// Closes the input and returns how long the process took to end, what it still said, and its
    /// exit code.
    pub(crate) fn close(mut self) -> (Duration, String, Option<i32>) {
        let begun = Instant::now();
        drop(self.input.take());
        let mut rest = String::new();
        self.output.read_to_string(&mut rest).unwrap();
        let code = self.child.wait().unwrap().code();
        (begun.elapsed(), rest, code)
    }

    /// Closes the input and returns how long the process took to end and its exit code; kills it after `most`.
    pub(crate) fn close_within(&mut self, most: Duration) -> (Duration, Option<i32>) {
        let begun = Instant::now();
        drop(self.input.take());
        while begun.elapsed() < most {
            if let Some(status) = self.child.try_wait().unwrap() {
                return (begun.elapsed(), status.code());
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        self.child.kill().unwrap();
        (begun.elapsed(), self.child.wait().unwrap().code())
    }
}
