//! Which tools a server offers.

use serde_json::json;

use crate::cli_and_mcp::Session;
use crate::support::{Cli, Fixture};

/// Returns the names of the tools that a server lists.
fn served(cli: &Cli, args: &[&str]) -> Vec<String> {
    let mut session = Session::of(cli.command(&[&["serve"], args].concat()));
    let listed = session.ask(1, "tools/list", &json!({}));
    let tools = listed["result"]["tools"].as_array().unwrap();
    let names = tools
        .iter()
        .map(|tool| tool["name"].as_str().unwrap().to_owned());
    names.collect()
}

#[test]
fn a_server_offers_the_tools_that_are_chosen() {
    let repo = Fixture::parse("//- /a.ts\nexport const a = 1;\n//- commit one\n").build();
    let mut cli = Cli::new(repo.path());
    let find = ["cl_explore", "cl_search", "cl_expand"];
    assert_eq!(served(&cli, &["--tools", "find"]), find);
    assert!(served(&cli, &[]).len() >= 14);
    assert_eq!(served(&cli, &["--tools", "find,serch"]), find);
    let said = cli.run(&["serve", "--tools", "find,serch"]).stderr;
    assert!(said.contains("`serch` is no tool"), "{said}");
    cli.set("CODELENS_TOOLS", "lean");
    let lean = served(&cli, &[]);
    assert_eq!(lean.len(), 7, "{lean:?}");
    assert!(!served(&cli, &["--tools=lean,read"]).contains(&"cl_save".to_owned()));
    assert!(served(&cli, &["--tools", "-drop"]).contains(&"cl_prune".to_owned()));
    let shown = cli.run(&["config", "show"]).stdout;
    assert!(shown.contains("tools") && shown.contains("lean"), "{shown}");
}

#[test]
fn a_tool_that_is_not_offered_is_unknown_to_agents_and_stays_a_command() {
    let repo = Fixture::parse("//- /a.ts\nexport const a = 1;\n//- commit one\n").build();
    let mut cli = Cli::new(repo.path());
    cli.set("CODELENS_TOOLS", "find");
    let mut session = Session::of(cli.command(&["serve"]));
    let refused = session.ask(1, "tools/call", &json!({"name": "cl_map", "arguments": {}}));
    let message = refused["error"]["message"].as_str().unwrap_or_default();
    assert!(
        message.contains("the tools are cl_explore, cl_search, cl_expand"),
        "{refused}"
    );
    assert_eq!(cli.json(&["map"])["fileCount"], 1);
    let said = cli.fails(&["install", "--print", "--tools", "serch"], 1);
    assert!(said.contains("`serch` is no tool"), "{said}");
    let printed = cli.run(&["install", "--print", "--tools", "lean"]).stdout;
    assert!(printed.contains("--tools=lean"), "{printed}");
    let said = cli.fails(&["serve", "--tools", &"x".repeat(1_001)], 1);
    assert!(said.contains("at most 1,000 bytes"), "{said}");
}
