//! Roles of files: tests by the configuration of their runner, examples apart, tests that only name a definition.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::laws::Bench;
use crate::support::{Cli, Fixture, Repo};

/// Two runners, one of which names no files; code about tests among the sources; an example; tests by name alone.
const SHOP: &str = "\
//- /package.json
{ \"name\": \"shop\", \"scripts\": { \"test\": \"vitest run && mocha --require x test/\" } }
//- /vitest.config.ts
import { defineConfig } from 'vitest/config'
export default defineConfig({ test: { include: ['src/**/*.check.ts'] } })
//- /src/cart.ts
export function total(items: number[]) { return items.length }
export class Cart { showTotal() { return 1 } }
//- /src/cart.check.ts
import { total } from './cart'
describe('cart', () => {
  it('adds up', () => { total([]) })
})
//- /src/test/report.ts
import { total } from '../cart'
export function report() { return total([1]) }
//- /test/buy.js
const { total } = require('../src/cart')
describe('buy', function () { total([]) })
//- /test/support/helper.js
const { total } = require('../../src/cart')
exports.help = () => total([])
//- /examples/basic/index.ts
import { total } from '../../src/cart'
total([1, 2])
//- /src/show-total.check.ts
it('is seen', page => { expect(page).toBe(1) })
//- /src/banner.ts
export const bannerText = 'sale'
//- /src/banner-text.check.ts
it('is shown', page => { expect(page).toBe(2) })
//- /src/prose.check.ts
it('is named', page => { page.showTotal() })
//- commit base
";

fn shop() -> (Repo, Cli) {
    let repo = Fixture::parse(SHOP).build();
    let cli = Cli::new(repo.path());
    (repo, cli)
}

fn paths(list: &Value) -> Vec<&str> {
    let list = list.as_array().map_or(&[][..], Vec::as_slice);
    list.iter().map(|it| it["path"].as_str().unwrap()).collect()
}

/// Returns the tests of a list, without the files that help them.
fn tests(list: &Value) -> Vec<&str> {
    let list = list.as_array().map_or(&[][..], Vec::as_slice);
    let all = list.iter().filter(|it| it["role"] != "test support");
    all.map(|it| it["path"].as_str().unwrap()).collect()
}

#[test]
fn tests_are_those_that_a_runner_is_told_to_run() {
    let (_repo, cli) = shop();
    cli.run(&["refresh"]);
    let impact = cli.json(&["impact", "total"]);
    assert_eq!(
        tests(&impact["affectedTests"]),
        ["src/cart.check.ts", "test/buy.js"]
    );
    // Code in a directory named `test` is code; a file that helps tests comes behind them and says so.
    assert_eq!(paths(&impact["affectedFiles"]), ["src/test/report.ts"]);
    assert_eq!(impact["affectedFiles"][0].get("role"), None);
    let helper = json!({"path": "test/support/helper.js", "role": "test support"});
    assert_eq!(impact["affectedTests"][2], helper);
    assert_eq!(
        paths(&impact["affectedExamples"]),
        ["examples/basic/index.ts"]
    );
    // Whoever asks for a depth gets every file by its role.
    let deep = cli.json(&["impact", "total", "--depth", "1"]);
    assert_eq!(
        paths(&deep["affectedFiles"]),
        ["src/test/report.ts", "examples/basic/index.ts"]
    );
    assert_eq!(deep["affectedFiles"][1]["role"], "example");
    let summary = impact["summary"].as_str().unwrap();
    assert!(
        summary.contains("1 file, 2 test files, 1 test support file and 1 example file"),
        "{summary}"
    );
    let tests = cli.json(&["related", "src/cart.ts", "--types", "tests", "--depth", "1"]);
    assert_eq!(
        paths(&tests["results"]),
        ["src/cart.check.ts", "test/buy.js"]
    );
}

#[test]
fn a_caller_in_a_test_is_shown_by_its_title() {
    let (_repo, cli) = shop();
    let impact = cli.json(&["impact", "total"]);
    let callers = impact["callers"].as_array().unwrap();
    let of = |path: &str| callers.iter().find(|it| it["path"] == path).unwrap();
    let test = of("src/cart.check.ts");
    assert_eq!(
        (&test["test"], test.get("symbol")),
        (&json!("cart > adds up"), None)
    );
    let example = of("examples/basic/index.ts");
    assert_eq!(
        (&example["symbol"], example.get("test")),
        (&json!("(module)"), None)
    );
}

#[test]
fn tests_that_only_name_a_definition_are_listed_as_such() {
    let (_repo, cli) = shop();
    let impact = cli.json(&["impact", "Cart.showTotal"]);
    assert_eq!(
        tests(&impact["affectedTests"]),
        ["src/show-total.check.ts", "src/prose.check.ts"]
    );
    for test in impact["affectedTests"].as_array().unwrap() {
        assert_eq!(
            (&test["basis"], &test["provenance"]),
            (&json!("mention"), &json!("name"))
        );
        assert!(test["confidence"].as_f64().unwrap() < 0.9, "{test}");
    }
    assert_eq!(impact["mentioningTests"], 2);
    // A file that no test is bound to has those that name what it exports.
    let tests = cli.json(&["related", "src/banner.ts", "--types", "tests"]);
    assert_eq!(paths(&tests["results"]), ["src/banner-text.check.ts"]);
    assert_eq!(tests["results"][0]["basis"], "mention");
}

#[test]
fn a_change_of_the_configuration_changes_roles_and_reads_one_file() {
    let repo = Fixture::parse(SHOP).build();
    let bench = Bench::new(60_000);
    bench.refreshed(&repo.path());
    let config = "export default { test: { include: ['src/**/report.ts'] } }\n";
    repo.write("vitest.config.ts", config);
    let (n_read, after) = bench.refreshed(&repo.path());
    assert_eq!(n_read, 1);
    let other = Bench::new(60_000);
    assert_eq!(other.refreshed(&repo.path()).1, after);
    let cli = Cli::new(repo.path());
    let impact = cli.json(&["impact", "total"]);
    // The framework's globals in use do not count where its configuration leaves the file out.
    assert_eq!(
        tests(&impact["affectedTests"]),
        ["src/test/report.ts", "test/buy.js"]
    );
}

/// Prints the role of each script and Python file of a repository: `CODELENS_ROLES_OF=… cargo test --test it roles:: --
/// --ignored --nocapture`.
#[test]
#[ignore = "asks about a repository that is given by its path"]
fn roles_of_a_repository() {
    let Ok(place) = std::env::var("CODELENS_ROLES_OF") else {
        return;
    };
    let place = PathBuf::from(place);
    let bench = Bench::new(600_000);
    bench.refreshed(&place);
    let workspace = bench.at(&place);
    let shown = workspace.query(&std::sync::Arc::default(), |view| {
        let files = view.read.all_files()?;
        let roles = files
            .iter()
            .map(|file| format!("{:?}\t{}", view.roles.of(&file.path), file.path));
        Ok(roles.collect::<Vec<_>>())
    });
    for line in shown.unwrap() {
        println!("ROLE\t{line}");
    }
}

/// A crate with tests among its code, in another file of it, and as a target of their own.
const CRATE: &str = "\
//- /Cargo.toml
[workspace]
members = [\"crates/*\"]
//- /crates/store/Cargo.toml
[package]
name = \"store\"
//- /crates/store/src/lib.rs
pub mod db;
pub mod query;
//- /crates/store/src/db.rs
use std::fmt;
pub fn open_store(path: &str) -> usize { path.len() }
pub fn close_store(n: usize) -> usize { n + open_store(\"a\") }
pub fn unused() {}
pub struct Store;
impl fmt::Display for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { Ok(()) }
}
#[cfg(test)]
mod tests {
    use super::*;
    fn prepared() -> usize { close_store(1) }
    #[test]
    fn opens() {
        assert_eq!(open_store(\"b\"), 1);
    }
    #[tokio::test]
    async fn closes() { assert_eq!(prepared(), 2) }
}
//- /crates/store/src/query.rs
use crate::db::open_store;
pub fn find() -> usize { 1 }
#[cfg(test)]
mod checks {
    use super::*;
    #[rstest]
    fn finds_in_an_open_store() { open_store(\"c\"); }
}
//- /crates/store/tests/whole.rs
#[test]
fn opens_from_outside() { store::db::open_store(\"d\"); }
//- commit base
";

#[test]
fn tests_among_code_are_tests() {
    let repo = Fixture::parse(CRATE).build();
    let cli = Cli::new(repo.path());
    let impact = cli.json(&["impact", "open_store"]);
    let tests = impact["affectedTests"].as_array().unwrap();
    let told: Vec<Value> = tests
        .iter()
        .map(|it| json!([it["path"], it["cases"], it["run"]]))
        .collect();
    assert_eq!(
        told,
        [
            json!([
                "crates/store/src/db.rs",
                [{"title": "tests > opens", "line": 14}],
                "cargo test -p store --lib db::tests::opens"
            ]),
            json!([
                "crates/store/src/query.rs",
                [{"title": "checks > finds_in_an_open_store", "line": 7}],
                "cargo test -p store --lib query::checks::finds_in_an_open_store"
            ]),
            json!([
                "crates/store/tests/whole.rs",
                [{"title": "opens_from_outside", "line": 2}],
                "cargo test -p store --test whole opens_from_outside"
            ]),
        ]
    );
    assert_eq!(paths(&impact["affectedFiles"]), ["crates/store/src/db.rs"]);
    let callers = impact["callers"].as_array().unwrap();
    let titled: Vec<(&str, &Value)> = callers
        .iter()
        .map(|it| (it["symbol"].as_str().unwrap(), &it["test"]))
        .collect();
    assert_eq!(
        titled,
        [
            ("close_store", &Value::Null),
            ("tests.opens", &json!("tests > opens")),
            (
                "checks.finds_in_an_open_store",
                &json!("checks > finds_in_an_open_store")
            ),
            ("opens_from_outside", &Value::Null),
        ]
    );
    let without = cli.json(&["impact", "open_store", "--include-tests", "false"]);
    assert_eq!(without["totalCallers"], 1, "{without}");
    // A helper beside the tests is no code that a change affects; the test behind it is reached.
    let impact = cli.json(&["impact", "close_store"]);
    assert_eq!(paths(&impact["affectedFiles"]), [""; 0]);
    assert_eq!(tests_with_hops(&impact), [("crates/store/src/db.rs", 2)]);
    assert_eq!(
        impact["affectedTests"][0]["run"], "cargo test -p store --lib db",
        "{impact}"
    );
    let listed = cli.json(&["tests", "--symbol", "close_store"]);
    assert_eq!(paths(&listed["tests"]), ["crates/store/src/db.rs"]);
    let related = cli.json(&[
        "related",
        "crates/store/src/db.rs",
        "--types",
        "tests",
        "--depth",
        "1",
    ]);
    let related = paths(&related["results"]);
    assert!(
        related.contains(&"crates/store/src/db.rs")
            && related.contains(&"crates/store/src/query.rs"),
        "{related:?}"
    );
    // A change is reached by them too.
    repo.write("crates/store/src/query.rs", "pub fn find() -> usize { 1 }\n#[cfg(test)]\nmod checks { #[test] fn finds() { super::find(); } }\n");
    let changes = cli.json(&["changes", "--include", "tests"]);
    assert_eq!(
        paths(&changes["tests"]),
        ["crates/store/src/query.rs"],
        "{changes}"
    );
    assert_eq!(
        changes["tests"][0]["run"],
        "cargo test -p store --lib query"
    );
    let listed = cli.run(&["tests", "--run-format", "cargo"]);
    assert_eq!(listed.stdout, "-p store --lib query\n");
}

fn tests_with_hops(impact: &Value) -> Vec<(&str, u64)> {
    let tests = impact["affectedTests"].as_array().unwrap();
    let hops = |it: &Value| it["hops"].as_u64().unwrap_or(1);
    tests
        .iter()
        .map(|it| (it["path"].as_str().unwrap(), hops(it)))
        .collect()
}

#[test]
fn callers_that_no_line_shows_are_said() {
    let repo = Fixture::parse(CRATE).build();
    repo.write(
        "web/app.py",
        "from flask import app\n@app.route('/')\ndef index(): pass\nclass Rows:\n    def __len__(self): return 1\n    @property\n    def lonely(self): return 2\n",
    );
    repo.write("web/test_app.py", "import app\ndef test_index(): pass\n");
    let cli = Cli::new(repo.path());
    for (name, wanted) in [
        ("tests.opens", "it is a test, which the test runner calls"),
        ("test_index", "it is a test, which the test runner calls"),
        (
            "index",
            "it is marked with `@app.route('/')`: what that registers may call it",
        ),
        ("Rows.__len__", "it is a special method, which Python calls"),
        (
            "Store.fmt",
            "it may be called through `Display`, which is not defined here",
        ),
    ] {
        let summary = &cli.json(&["impact", name])["summary"];
        let start = format!("No uses found in code, but {wanted}");
        assert!(
            summary.as_str().unwrap().starts_with(&start),
            "{name}: {summary}"
        );
    }
    for name in ["unused", "Rows.lonely"] {
        let summary = &cli.json(&["impact", name])["summary"];
        let start = "No uses found in code. (";
        assert!(
            summary.as_str().unwrap().starts_with(start),
            "{name}: {summary}"
        );
    }
}

#[test]
fn a_file_with_tests_is_a_test_wherever_it_stands() {
    let files = "\
//- /src/Shop.cs
namespace Acme;
public static class Shop { public static int Sell() => 1; }
//- /src/Acme.Tests/Documentation/Samples/Selling.cs
using Acme;
public class Selling { [Fact] public void Sells() { Shop.Sell(); } }
//- /samples/Plain.cs
using Acme;
public class Plain { public void Sells() { Shop.Sell(); } }
//- /src/Checks/Selling.cs
using Acme;
using NUnit.Framework;
public class Checked { [Test] public void Sells() { Shop.Sell(); } }
//- /Cargo.toml
[package]
name = \"shop\"
//- /src/lib.rs
pub fn sell() -> u32 { 1 }
//- /examples/shop.rs
fn main() { shop::sell(); }
#[test]
fn sells() { shop::sell(); }
//- /jar/Shop.java
package jar;
public class Shop { public static void sell() {} }
//- /samples/java/jar/SellingCheck.java
package jar;
import org.junit.jupiter.api.Test;
class SellingCheck { @Test void sells() { Shop.sell(); } }
//- commit all
";
    let repo = Fixture::parse(files).build();
    let cli = Cli::new(repo.path());
    cli.run(&["refresh"]);
    let impact = cli.json(&["impact", "Shop.Sell", "--path", "src/Shop.cs"]);
    let of_csharp = [
        "src/Acme.Tests/Documentation/Samples/Selling.cs",
        "src/Checks/Selling.cs",
    ];
    assert_eq!(tests(&impact["affectedTests"]), of_csharp, "{impact}");
    assert_eq!(paths(&impact["affectedExamples"]), ["samples/Plain.cs"]);
    let impact = cli.json(&["impact", "Shop.sell", "--path", "jar/Shop.java"]);
    let of_java = ["samples/java/jar/SellingCheck.java"];
    assert_eq!(tests(&impact["affectedTests"]), of_java, "{impact}");
    let impact = cli.json(&["impact", "sell", "--path", "src/lib.rs"]);
    assert_eq!(
        tests(&impact["affectedTests"]),
        ["examples/shop.rs"],
        "{impact}"
    );
}
