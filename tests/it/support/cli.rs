//! The built binary on a command line, with a data directory of its own.
//!
//! Answers are JSON, not the types of the library.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// The binary, a folder to run it in and the data directory it writes to.
pub(crate) struct Cli {
    at: PathBuf,
    home: TempDir,
    settings: Vec<(&'static str, String)>,
}

/// The output and status of one run.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    /// The exit code; -1 if a signal ended the process.
    pub(crate) code: i32,
}

impl Cli {
    /// Returns the binary with a new, empty data directory, to run in a folder.
    pub(crate) fn new(at: impl Into<PathBuf>) -> Self {
        let home = tempfile::Builder::new()
            .prefix("codelens-home-")
            .tempdir()
            .unwrap();
        Self {
            at: at.into(),
            home,
            settings: Vec::new(),
        }
    }

    /// Goes to another folder; the data directory stays.
    pub(crate) fn go(&mut self, at: impl Into<PathBuf>) -> &mut Self {
        self.at = at.into();
        self
    }

    /// Sets a variable of the environment for the runs that follow.
    pub(crate) fn set(&mut self, name: &'static str, value: impl Into<String>) -> &mut Self {
        self.settings.push((name, value.into()));
        self
    }

    /// Returns the data directory; it exists once a run has made it.
    pub(crate) fn home(&self) -> PathBuf {
        self.home.path().join("data")
    }

    /// Returns the files of the data directory that belong to an index.
    pub(crate) fn index_files(&self) -> Vec<PathBuf> {
        if !self.home().exists() {
            return Vec::new();
        }
        let mut files = walk(&self.home());
        files.retain(|path| {
            let name = path.file_name().unwrap().to_string_lossy();
            // The lock of an index may outlive a try to write it.
            name.starts_with("idx_") && !name.ends_with(".write")
        });
        files
    }

    /// Returns a command that is ready to run, for tests that need its streams.
    pub(crate) fn command<S: AsRef<OsStr>>(&self, args: &[S]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_codelens"));
        command
            .args(args)
            .current_dir(&self.at)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.home.path())
            .env("CODELENS_HOME", self.home())
            .envs(self.settings.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null());
        command
    }

    /// Runs a command to its end.
    pub(crate) fn run(&self, args: &[&str]) -> Ran {
        let output = self.command(args).output().unwrap();
        let text = |bytes| String::from_utf8(bytes).expect("the binary writes UTF-8");
        Ran {
            stdout: text(output.stdout),
            stderr: text(output.stderr),
            code: output.status.code().unwrap_or(-1),
        }
    }

    /// Runs a tool with `--json` and returns its answer. Panics with all that was said if it fails.
    pub(crate) fn json(&self, args: &[&str]) -> Value {
        let ran = self.run(&[args, &["--json"]].concat());
        assert_eq!(ran.code, 0, "codelens {}: {ran:?}", args.join(" "));
        serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {ran:?}"))
    }

    /// Returns the handle of the definition of a name.
    pub(crate) fn handle(&self, name: &str) -> String {
        let found = self.json(&["map", "--name", name]);
        let mut symbols = found["symbols"].as_array().unwrap().iter();
        let symbol = symbols.find(|symbol| symbol["name"] == name);
        let symbol = symbol.unwrap_or_else(|| panic!("{name}: {found}"));
        symbol["handle"].as_str().unwrap().to_owned()
    }

    /// Runs a tool that must fail and returns its stderr, after checking that stdout holds
    /// no data and that the exit code is `code`.
    pub(crate) fn fails(&self, args: &[&str], code: i32) -> String {
        let ran = self.run(args);
        assert_eq!(ran.code, code, "codelens {}: {ran:?}", args.join(" "));
        assert_eq!(ran.stdout, "", "an error goes to stderr alone");
        ran.stderr
    }
}

/// Returns every file at any depth below a directory.
pub(crate) fn walk(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(walk(&path));
        } else {
            found.push(path);
        }
    }
    found
}
