//! Commands of `package.json` that run tests: `mocha test/ test/acceptance/`.

use super::config::{default_suite, mocha_specs, named_files};
use super::runner::{Runner, RunnerEvidence, Suite};

/// Commands that are read of one manifest.
const MAX_COMMANDS: usize = 200;

/// Words of one command.
const MAX_WORDS: usize = 200;

/// Options whose value is the next word.
const WITH_VALUE: &[&str] = &[
    "-c",
    "-g",
    "-j",
    "-n",
    "-O",
    "-R",
    "-r",
    "-s",
    "-t",
    "-u",
    "--config",
    "--extension",
    "--file",
    "--grep",
    "--ignore",
    "--exclude",
    "--import",
    "--jobs",
    "--loader",
    "--experimental-loader",
    "--node-option",
    "--package",
    "--project",
    "--reporter",
    "--reporter-option",
    "--reporter-options",
    "--require",
    "--retries",
    "--root",
    "--dir",
    "--rootDir",
    "--slow",
    "--test-concurrency",
    "--test-reporter",
    "--test-reporter-destination",
    "--test-name-pattern",
    "--test-timeout",
    "--timeout",
    "--ui",
    "--conditions",
    "-C",
    "--env-file",
    "--browser",
    "--workers",
    "--shard",
    "--outputFile",
    "--coverage-directory",
    "--maxWorkers",
    "--environment",
    "--pool",
];

/// A command line, cut into words.
struct Command {
    /// Options with their values: of `--a=b` and `--a b`.
    options: Vec<(String, Option<String>)>,
    /// All other words.
    words: Vec<String>,
}

/// Returns the suites that the commands of a manifest in the directory `home` run.
pub(super) fn suites<'a>(home: &str, scripts: impl Iterator<Item = &'a str>) -> Vec<Suite> {
    let mut found: Vec<Suite> = Vec::new();
    for script in scripts.take(MAX_COMMANDS) {
        for words in commands(script) {
            if let Some(suite) = suite(home, &words)
                && !found.contains(&suite)
            {
                found.push(suite);
            }
        }
    }
    found
}

fn suite(home: &str, words: &[String]) -> Option<Suite> {
    let (at, runner) = words.iter().enumerate().find_map(|(at, word)| {
        let name = word.rsplit('/').next().unwrap_or(word);
        let runner = match name {
            "vitest" | "vitest.mjs" => Runner::Vitest,
            "jest" | "jest.js" => Runner::Jest,
            "playwright" if words.get(at + 1).is_some_and(|it| it == "test") => Runner::Playwright,
            "mocha" | "_mocha" | "mocha.js" => Runner::Mocha,
            "ava" => Runner::Ava,
            "tap" => Runner::Tap,
            "node" if words[at..].iter().any(|it| it == "--test") => Runner::Node,
            _ => return None,
        };
        Some((at, runner))
    })?;
    // `npm run jest` is another script of this name.
    if at > 0 && matches!(words[at - 1].as_str(), "run" | "echo" | "install" | "add") {
        return None;
    }
    let command = Command::read(&words[at + 1..]);
    let directory = |options: &[&str]| {
        let text = command.option(options)?;
        let text = text.trim_start_matches("./").trim_end_matches('/');
        (!text.starts_with(['/', '.'])).then(|| match home {
            "" => text.to_owned(),
            home => format!("{home}/{text}"),
        })
    };
    match runner {
        Runner::Vitest | Runner::Jest | Runner::Playwright => {
            if command.option(&["-c", "--config"]).is_some() {
                return None;
            }
            let root = directory(&["--root", "--dir", "--rootDir"]);
            let root = root.unwrap_or_else(|| home.to_owned());
            Some(default_suite(runner, RunnerEvidence::Script, home, &root))
        }
        Runner::Mocha => Some(mocha_specs(
            home,
            &command.words,
            &command.all(&["--extension"]),
            command.has("--recursive"),
            &command.all(&["--ignore", "--exclude"]),
        )),
        _ if command.words.is_empty() => {
            Some(default_suite(runner, RunnerEvidence::Script, home, home))
        }
        _ => Some(named_files(runner, home, &command.words)),
    }
}

impl Command {
    fn read(words: &[String]) -> Self {
        let mut command = Self {
            options: Vec::new(),
            words: Vec::new(),
        };
        let mut words = words.iter().peekable();
        while let Some(word) = words.next() {
            if let Some((name, value)) = word.split_once('=').filter(|_| word.starts_with('-')) {
                command
                    .options
                    .push((name.to_owned(), Some(value.to_owned())));
            } else if WITH_VALUE.contains(&word.as_str()) {
                command.options.push((word.clone(), words.next().cloned()));
            } else if word.starts_with('-') {
                command.options.push((word.clone(), None));
            } else {
                command.words.push(word.clone());
            }
        }
        command
    }

    fn option(&self, names: &[&str]) -> Option<&str> {
        let mut found = self
            .options
            .iter()
            .filter(|(name, _)| names.contains(&name.as_str()));
        found.find_map(|(_, value)| value.as_deref())
    }

    fn has(&self, name: &str) -> bool {
        self.options.iter().any(|(known, _)| known == name)
    }

    /// Returns the values of options; of several behind commas each.
    fn all(&self, names: &[&str]) -> Vec<String> {
        let found = self
            .options
            .iter()
            .filter(|(name, _)| names.contains(&name.as_str()));
        let values = found.filter_map(|(_, value)| value.as_deref());
        values
            .flat_map(|value| value.split(','))
            .map(str::to_owned)
            .collect()
    }
}

/// Cuts a line of a shell into its commands, and those into words.
fn commands(line: &str) -> Vec<Vec<String>> {
    let mut all: Vec<Vec<String>> = vec![Vec::new()];
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut n_words = 0;
    let mut end = |word: &mut Option<String>, all: &mut Vec<Vec<String>>| {
        if let (Some(word), Some(last)) = (word.take(), all.last_mut())
            && n_words < MAX_WORDS
        {
            n_words += 1;
            last.push(word);
        }
    };
    for c in line.chars() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '"' | '\'') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, '\\') => {}
            (None, ';' | '&' | '|') => {
                end(&mut word, &mut all);
                all.push(Vec::new());
            }
            (None, c) if c.is_whitespace() => end(&mut word, &mut all),
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    end(&mut word, &mut all);
    all.retain(|words| !words.is_empty());
    all
}
