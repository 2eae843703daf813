//! Text of a repository is data: it steers no terminal and hides nothing from a reader.

use std::process::Stdio;

use super::calls::call;
use super::corpus;
use crate::support::{Cli, Repo};

/// Returns the first character that a terminal would obey, or that a reader would not see.
fn harmful(text: &str) -> Option<char> {
    text.chars().find(|c| {
        (c.is_control() && !matches!(c, '\n' | '\t'))
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}' | '\u{e0000}'..='\u{e0fff}')
    })
}

const TEXT: &str = "/** alpha \u{1b}]0;owned\u{7} \u{202e}reversed\u{2069} \u{200b} */\nexport function alpha(\u{9b}31m: '\u{1b}[2J', \u{202e}b\u{2066}: 1) { return '\u{8}\u{8}\u{7f}' }\n\
                    export class A { '\u{1b}[31m'() { alpha() } \"\u{202e}m\"() {} }\n";

fn hostile() -> (Repo, Cli) {
    let mut repo = Repo::new(Vec::new());
    repo.then("//- /a.ts\nexport {}\n//- commit \u{1b}[31mred\u{202e}\n");
    repo.write("a.ts", TEXT);
    repo.write(
        "b.ts",
        "import { alpha } from './a'\nexport function beta() { alpha('\u{1b}[1m') }\n",
    );
    repo.write("doc.md", "# alpha \u{1b}[5m\u{202e}\n\ntext\u{200b}\n");
    corpus::write_names(&repo.path().join("names"));
    repo.git(&["checkout", "--quiet", "-b", "br\u{202e}anch"]);
    let cli = Cli::new(repo.path());
    cli.json(&["refresh"]);
    (repo, cli)
}

const COMMANDS: &[&[&str]] = &[
    &["current"],
    &["search", "alpha", "--snippet", "full"],
    &["search", "red"],
    &["search", "\u{1b}[31m\u{202e} alpha"],
    &["explore", "alpha", "--snippet", "full"],
    &["map"],
    &["map", "--all", "--limit", "200"],
    &["map", "nothing\u{1b}[31m"],
    &["expand", "b.ts"],
    &["expand", "nothing\u{1b}[31m\u{202e}"],
    &["impact", "alpha"],
    &["impact", "\u{1b}[31mnothing"],
    &["impact", "--changes"],
    &["related", "a.ts"],
    &["search", "alpha", "--json"],
    &["map", "a.ts", "--all", "--json"],
    &["stats"],
    &["doctor"],
    &["refresh"],
    &[
        "save",
        "n",
        "--path",
        "a.ts",
        "--path",
        "names/esc\u{1b}[31m.ts",
    ],
    &["load", "n"],
    &["load", "\u{1b}[31m"],
    &["prune", "--dry-run"],
    &["list"],
    &["context", "list"],
];

#[test]
fn no_terminal_is_steered() {
    let (_repo, cli) = hostile();
    // `script` gives the command a terminal; without it a pipe has to do.
    let has_terminal = std::process::Command::new("script")
        .arg("--version")
        .output()
        .is_ok();
    for args in COMMANDS {
        let quoted: Vec<String> = args.iter().map(|arg| format!("'{arg}'")).collect();
        // The exact text of a file may go to a pipe as it is, never to a terminal.
        let mut texts = vec![];
        let is_json = args.contains(&"--json");
        if args[0] != "expand" && !is_json {
            let ran = cli.run(args);
            texts.push(ran.stdout + &ran.stderr);
        }
        if has_terminal {
            let line = format!(
                "{} --color never {}",
                env!("CARGO_BIN_EXE_codelens"),
                quoted.join(" ")
            );
            let mut command = cli.command(args);
            let (home, at) = (cli.home(), command.get_current_dir().unwrap().to_owned());
            command = std::process::Command::new("script");
            command.args(["--quiet", "--return", "--command", &line, "/dev/null"]);
            command
                .env("CODELENS_HOME", home)
                .env("TERM", "dumb")
                .current_dir(at)
                .stdin(Stdio::null());
            let output = command.output().unwrap();
            texts.push(String::from_utf8_lossy(&output.stdout).replace("\r\n", "\n"));
        }
        for text in texts {
            assert_eq!(harmful(&text), None, "{args:?}: {text:?}");
        }
    }
}

#[test]
fn previews_and_signatures_show_what_hides() {
    let (_repo, cli) = hostile();
    for args in [
        &["search", "alpha", "--snippet", "full"][..],
        &["search", "alpha", "--snippet", "headline"],
        &["explore", "alpha", "--snippet", "full"],
        &["map", "a.ts", "--all"],
        &["impact", "alpha"],
    ] {
        let answer = call(&cli, args);
        let mut texts = Vec::new();
        collect(&answer, &mut texts);
        assert!(args[0] == "impact" || !texts.is_empty(), "{answer}");
        for text in texts {
            assert_eq!(harmful(&text), None, "{args:?}: {text:?}");
        }
    }
}

/// Every preview and signature of an answer.
fn collect(value: &serde_json::Value, out: &mut Vec<String>) {
    match value {
        serde_json::Value::Object(fields) => {
            for (key, value) in fields {
                if let ("preview" | "signature", Some(text)) = (key.as_str(), value.as_str()) {
                    out.push(text.to_owned());
                }
                collect(value, out);
            }
        }
        serde_json::Value::Array(items) => items.iter().for_each(|item| collect(item, out)),
        _ => {}
    }
}

#[test]
fn exact_text_says_that_something_in_it_hides() {
    let (_repo, cli) = hostile();
    let answer = call(&cli, &["expand", "a.ts"]);
    assert_eq!(answer["content"], TEXT);
    let n = TEXT
        .chars()
        .filter(|c| harmful(&c.to_string()).is_some())
        .count();
    assert_eq!(answer["hiddenCharacters"], n, "{answer}");
    assert_eq!(
        call(&cli, &["expand", "names/Case.ts"])["hiddenCharacters"],
        serde_json::Value::Null
    );
}
