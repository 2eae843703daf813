//! TOOLS.md says what the code says; set `CODELENS_UPDATE=1` to write it anew.

use codelens::tools::{TOOLS, manual};

#[test]
fn the_manual_is_that_of_the_code() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/TOOLS.md");
    let wanted = manual::manual();
    if std::env::var_os("CODELENS_UPDATE").is_some() {
        std::fs::write(path, &wanted).unwrap();
    }
    let found = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        found == wanted,
        "TOOLS.md is not what the code says: run this test with CODELENS_UPDATE=1"
    );
}

#[test]
fn the_output_schemas_of_all_tools_are_short() {
    let mut outputs = 0;
    for tool in TOOLS {
        outputs += serde_json::Value::Object((tool.output_schema)())
            .to_string()
            .len();
    }
    assert!(
        outputs / 4 < 6_000,
        "{} tokens of output schemas",
        outputs / 4
    );
}

#[test]
fn output_schemas_carry_no_descriptions() {
    for tool in TOOLS {
        let schema = serde_json::Value::Object((tool.output_schema)()).to_string();
        assert!(!schema.contains("\"description\":\""), "{}", tool.name);
    }
}

#[test]
fn schemas_of_fields_are_objects() {
    for tool in TOOLS {
        for schema in [(tool.input_schema)(), (tool.output_schema)()] {
            let Some(serde_json::Value::Object(fields)) = schema.get("properties") else {
                continue;
            };
            for (name, field) in fields {
                assert!(field.is_object(), "{}: `{name}` is {field}", tool.name);
            }
        }
    }
}
