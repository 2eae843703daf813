//! For equal input, MCP and `--json` give the same value.

use serde_json::{Value, json};

use crate::cli_and_mcp::Session;
use crate::support::{Cli, Fixture};

/// Returns a value without the fields in which two answers for one tree may differ.
fn steady(mut value: Value) -> Value {
    if let Some(object) = value.as_object_mut() {
        object.remove("generation");
        object.remove("proof");
        object.remove("nextCursor");
    }
    value
}

#[test]
fn faces_agree() {
    let repo = Fixture::load("shop").build();
    let cli = Cli::new(repo.path());
    cli.json(&["refresh"]);
    let mut session = Session::of(cli.command(&["serve"]));
    let money = "packages/catalog/src/money.ts";
    for (at, (args, input)) in [
        (
            &["search", "price", "--related"][..],
            json!({"query": "price", "related": true}),
        ),
        (
            &["explore", "place an order", "--max-files", "3", "--related-depth", "2", "--snippet", "full"],
            json!({"query": "place an order", "maxFiles": 3, "relatedDepth": 2, "snippet": "full"}),
        ),
        (&["related", money], json!({"path": money})),
        (
            &["related", money, "--types", "imported_by,tests", "--depth", "1", "--direction", "in"],
            json!({"path": money, "types": ["imported_by", "tests"], "depth": 1, "direction": "in"}),
        ),
        (&["impact", "addMoney"], json!({"symbol": "addMoney"})),
        (&["impact", "--changes"], json!({"changes": true})),
        (
            &["impact", "add", "--depth", "3", "--include-tests", "false"],
            json!({"symbol": "add", "depth": 3, "includeTests": false}),
        ),
        (&["map", money], json!({"path": money})),
    ]
    .into_iter()
    .enumerate()
    {
        let printed = cli.json(args);
        let params = json!({"name": format!("cl_{}", args[0]), "arguments": input});
        let called = session.ask(at as u64 + 1, "tools/call", &params);
        let result = &called["result"];
        let text: Value =
            serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
        assert_eq!(result["structuredContent"], text, "{args:?}");
        assert_eq!(printed["freshness"], "fresh", "{args:?}");
        assert_eq!(steady(text), steady(printed), "{args:?}");
    }
    assert_eq!(session.close().2, Some(0));
}
