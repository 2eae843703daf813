//! The binary as its users run it: one process for each call, or a server; with a data directory and no setting of the user.
//!
//! Unlike `support::Cli`, the data directory may be anywhere, and another program may start the binary.

use std::cell::RefCell;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::checks::Checks;
use crate::support::{Ran, Session, walk};

/// Arguments that the command line takes without a name.
const POSITIONAL: &[(&str, &str)] = &[
    ("cl_search", "query"),
    ("cl_map", "path"),
    ("cl_related", "path"),
    ("cl_expand", "path"),
    ("cl_impact", "symbol"),
    ("cl_load", "name"),
];

/// An answer, with the times of its question and of its arrival.
pub(crate) struct Reply {
    pub(crate) value: Value,
    pub(crate) begun: Instant,
    pub(crate) ended: Instant,
}

impl Reply {
    pub(crate) fn is_error(&self) -> bool {
        self.value.get("error").is_some()
    }

    /// Returns the code of an error, `""` of an answer.
    pub(crate) fn code(&self) -> &str {
        self.value["error"]["code"].as_str().unwrap_or_default()
    }

    /// Returns how current the answer says that it is; `""` if it is an error or of the disk.
    pub(crate) fn freshness(&self) -> &str {
        self.value["freshness"].as_str().unwrap_or_default()
    }
}

/// A caller of tools.
pub(crate) trait Client {
    fn call(&self, tool: &str, arguments: &Value) -> Reply;
}

/// The binary at a work tree.
#[derive(Clone)]
pub(crate) struct Product {
    repo: PathBuf,
    home: PathBuf,
    before: Vec<String>,
    settings: Vec<(String, String)>,
}

impl Product {
    pub(crate) fn new(repo: &Path, home: &Path) -> Self {
        Self {
            repo: repo.to_owned(),
            home: home.to_owned(),
            before: Vec::new(),
            settings: Vec::new(),
        }
    }

    /// Lets answers take a minute, so that none is incomplete for want of time.
    pub(crate) fn patient(self) -> Self {
        self.set("CODELENS_BUDGET_MS", &60_000)
    }

    /// Has another program start the binary, by a command line that ends with it.
    pub(crate) fn behind(mut self, line: &str) -> Self {
        self.before = line.split(' ').map(str::to_owned).collect();
        self
    }

    /// Sets a variable of the environment.
    pub(crate) fn set(mut self, name: &str, value: &impl ToString) -> Self {
        self.settings.push((name.to_owned(), value.to_string()));
        self
    }

    /// Returns a command that is ready to run and says nothing.
    pub(crate) fn command(&self, words: &[impl AsRef<str>]) -> Command {
        let binary = std::env::var("CODELENS_BINARY");
        let binary = binary.unwrap_or_else(|_| env!("CARGO_BIN_EXE_codelens").to_owned());
        let mut line: Vec<&str> = self.before.iter().map(String::as_str).collect();
        line.push(&binary);
        line.extend(words.iter().map(AsRef::as_ref));
        let mut command = Command::new(line[0]);
        command
            .args(&line[1..])
            .current_dir(&self.repo)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", &self.home)
            .env("CODELENS_HOME", &self.home)
            .envs(self.settings.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command
    }

    /// Runs a command line to its end.
    pub(crate) fn run(&self, words: &[impl AsRef<str>]) -> Ran {
        let mut command = self.command(words);
        let output = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .output()
            .unwrap();
        Ran {
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
            code: output.status.code().unwrap_or(-1),
        }
    }

    /// Runs a command line that must not fail.
    pub(crate) fn must(&self, words: &[impl AsRef<str>]) {
        let ran = self.run(words);
        assert_eq!(ran.code, 0, "{ran:?}");
    }

    /// Checks that `doctor` finds the index whole.
    pub(crate) fn is_whole(&self, checks: &Checks, when: &str) {
        let value = self.call("cl_doctor", &json!({})).value;
        let is_whole = value["integrityOk"] == true;
        checks.that(format!("{when}: the index is whole"), is_whole, &value);
    }

    /// Checks that a refresh makes the index ready.
    pub(crate) fn is_ready(&self, checks: &Checks, when: &str, arguments: &Value) {
        let value = self.call("cl_refresh", arguments).value;
        let is_ready = value["status"] == "ready";
        checks.that(format!("{when}: a refresh"), is_ready, &value);
    }

    /// Starts a server that writes its stderr to `log`.
    pub(crate) fn serve(&self, log: &Path) -> Server {
        let log = File::options().append(true).create(true).open(log).unwrap();
        let mut command = self.command(&["serve"]);
        command.stderr(log);
        Server {
            session: RefCell::new((Session::greeted(command), 0)),
        }
    }
}

impl Client for Product {
    fn call(&self, tool: &str, arguments: &Value) -> Reply {
        let mut words = vec![tool.trim_start_matches("cl_").to_owned()];
        let given = arguments.as_object().unwrap().iter();
        for (key, value) in given.filter(|(_, value)| **value != false) {
            let text = match value {
                Value::String(text) => text.clone(),
                Value::Array(list) => {
                    let list: Vec<_> = list.iter().map(|it| it.as_str().unwrap()).collect();
                    list.join(",")
                }
                other => other.to_string(),
            };
            if !POSITIONAL.contains(&(tool, key.as_str())) {
                words.push(format!("--{key}"));
            }
            if *value != Value::Bool(true) {
                words.push(text);
            }
        }
        words.push("--json".to_owned());
        let begun = Instant::now();
        let ran = self.run(&words);
        let ended = Instant::now();
        // `doctor` leaves with 1 where a check failed, and prints its answer all the same.
        let said = Some(ran.stdout.trim()).filter(|said| !said.is_empty());
        let text = said
            .or(ran.stderr.trim().lines().last())
            .unwrap_or_default();
        let value = serde_json::from_str(text).unwrap_or_else(
            |_| json!({"error": {"code": format!("exit {}", ran.code), "message": ran.stderr}}),
        );
        Reply {
            value,
            begun,
            ended,
        }
    }
}

/// A server with one client; it ends with this.
pub(crate) struct Server {
    /// The session, and the number of its last request.
    session: RefCell<(Session, u64)>,
}

impl Server {
    pub(crate) fn id(&self) -> u32 {
        self.session.borrow().0.id()
    }

    /// Sends a call whose answer nobody waits for.
    pub(crate) fn begin(&self, tool: &str) {
        let params = json!({"name": tool, "arguments": {}});
        let request =
            json!({"jsonrpc": "2.0", "id": "begun", "method": "tools/call", "params": params});
        self.session.borrow_mut().0.line(&request.to_string());
    }

    /// Closes the input and returns how long the process took to end, and its exit code.
    pub(crate) fn close(&self) -> (Duration, Option<i32>) {
        self.session
            .borrow_mut()
            .0
            .close_within(Duration::from_secs(20))
    }
}

impl Client for Server {
    fn call(&self, tool: &str, arguments: &Value) -> Reply {
        let (session, n_sent) = &mut *self.session.borrow_mut();
        *n_sent += 1;
        let params = json!({"name": tool, "arguments": arguments});
        let begun = Instant::now();
        let mut message = session.ask(*n_sent, "tools/call", &params);
        let ended = Instant::now();
        let value = match message.get("error") {
            Some(error) => json!({"error": {"code": "protocol", "message": error}}),
            None => message["result"]["structuredContent"].take(),
        };
        Reply {
            value,
            begun,
            ended,
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.close();
    }
}

/// Copies a folder with the times and the owners of its files.
pub(crate) fn copy_folder(from: &Path, to: &Path) {
    let copied = Command::new("cp").arg("-a").args([from, to]).status();
    assert!(copied.unwrap().success());
}

/// Returns the builds of an index.
pub(crate) fn builds(home: &Path, index_id: &str) -> Vec<PathBuf> {
    let mut files = walk(&home.join("repos"));
    files.retain(|path| {
        let name = path.file_name().unwrap().to_str().unwrap();
        name.starts_with(index_id) && path.extension().is_some_and(|end| end == "db")
    });
    files
}

/// Returns the number of indexes and the number of their builds for each repository of a data directory.
pub(crate) fn pointers_and_builds(home: &Path) -> Vec<(usize, usize)> {
    let names = |folder: PathBuf| -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect()
    };
    let counts = names(home.join("repos")).into_iter().map(|repo| {
        let names = names(home.join("repos").join(repo));
        let indexes = names.iter().filter(|name| name.starts_with("idx_"));
        let count = |end: &str| indexes.clone().filter(|name| name.ends_with(end)).count();
        (count(".json"), count(".db"))
    });
    counts.collect()
}
