//! Every use of a definition, line by line, and the uses that its removal leaves behind.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::support::{Cli, Fixture, Repo};

const SHOP: &str = "\
//- /package.json
{ \"name\": \"shop\", \"exports\": { \".\": \"./dist/index.js\" } }
//- /src/cart.ts
/** Adds to the cart; `total` is not called. */
export function total(items: number[]) {
  return items.length
}
export interface Priced { price: number }
export class Cart { add(one: Priced) { return total([one.price]) } }
//- /src/index.ts
export * from './cart'
//- /src/named.ts
export { total as sum } from './cart'
//- /src/app.ts
import { total, Cart, type Priced } from './cart'
import { sum } from './named'
class Fruit implements Priced { price = 1 }
class Basket extends Cart {}
// total is mentioned
export function run(total2: number, other: any) {
  const text = 'total'
  total([1]); total([2])
  sum([3])
  new Cart()
  other.total()
  return [total, text, new Basket(), new Fruit()]
}
//- /src/local.ts
export function local(total: number) { return total }
//- /README.md
The total of a cart.
//- commit base
";

fn shop() -> (Repo, Cli) {
    let repo = Fixture::parse(SHOP).build();
    let cli = Cli::new(repo.path());
    cli.json(&["refresh"]);
    (repo, cli)
}

/// Returns `path:line use` of each site, an alias marked.
fn sites(answer: &Value) -> Vec<String> {
    let site = |it: &Value| {
        let alias = if it["alias"] == true { " alias" } else { "" };
        let usual = |key: &str| answer["defaults"][key].as_str().unwrap_or_default();
        let text = |key: &str| it[key].as_str().unwrap_or_else(|| usual(key)).to_owned();
        format!("{}:{} {}{alias}", text("path"), it["line"], text("use"))
    };
    answer["sites"]
        .as_array()
        .unwrap()
        .iter()
        .map(site)
        .collect()
}

#[test]
fn mentions_add_up() {
    let (_repo, cli) = shop();
    let answer = cli.json(&["impact", "total", "--path", "src/cart.ts", "--sites"]);
    assert_eq!(
        sites(&answer),
        [
            "src/app.ts:1 import",
            "src/app.ts:8 call",
            "src/app.ts:8 call",
            "src/app.ts:9 call alias",
            "src/app.ts:12 reference",
            "src/cart.ts:6 call",
            "src/named.ts:1 reexport",
        ]
    );
    assert_eq!(answer["unresolved"][0]["text"], "other.total()");
    assert_eq!(
        answer["reexportedBy"],
        json!(["src/index.ts:1", "src/named.ts:1"])
    );
    assert_eq!(answer["importedBy"], json!(["src/app.ts"]));
    assert_eq!(answer["exportedFrom"], json!(["shop"]));
    let other = answer["otherMentions"].as_object().unwrap();
    let counts: BTreeMap<&str, u64> = other
        .iter()
        .map(|(key, n)| (key.as_str(), n.as_u64().unwrap()))
        .collect();
    let expected = [
        ("comments", 2),
        ("definitions", 2),
        ("external", 0),
        ("otherTargets", 1),
        ("prose", 1),
        ("strings", 1),
    ];
    assert_eq!(counts, BTreeMap::from(expected));
    let n = answer["sitesTotal"].as_u64().unwrap()
        + answer["unresolvedTotal"].as_u64().unwrap()
        + counts.values().sum::<u64>();
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let occurrences = SHOP
        .split(|c| !is_word(c))
        .filter(|word| *word == "total")
        .count();
    assert_eq!(n, occurrences as u64);
}

#[test]
fn kinds_of_uses_are_told_apart() {
    let (_repo, cli) = shop();
    let of = |name: &str| sites(&cli.json(&["impact", name, "--sites"]));
    assert_eq!(
        of("Priced"),
        [
            "src/app.ts:1 import",
            "src/app.ts:3 implements",
            "src/cart.ts:6 type"
        ]
    );
    assert_eq!(
        of("Cart"),
        [
            "src/app.ts:1 import",
            "src/app.ts:4 extends",
            "src/app.ts:10 new"
        ]
    );
}

#[test]
fn sites_come_page_by_page() {
    let (_repo, cli) = shop();
    let whole = sites(&cli.json(&["impact", "total", "--path", "src/cart.ts", "--sites"]));
    let mut seen = Vec::new();
    let mut cursor = String::new();
    for _ in 0..whole.len() {
        let mut args = vec![
            "impact",
            "total",
            "--path",
            "src/cart.ts",
            "--sites",
            "-n",
            "2",
        ];
        if !cursor.is_empty() {
            args.extend(["--cursor", &cursor]);
        }
        let page = cli.json(&args);
        seen.extend(sites(&page));
        match page["nextCursor"].as_str() {
            Some(next) => cursor = next.to_owned(),
            None => break,
        }
    }
    assert_eq!(seen, whole);
    let said = cli.fails(&["impact", "Cart", "--sites", "--cursor", &cursor], 1);
    assert!(said.contains("another query"), "{said}");
}

#[test]
fn uses_of_unknown_meaning_come_page_by_page() {
    let mut text =
        String::from("//- /src/a.ts\nexport class Cart { total() { return 1 } }\n//- /src/b.ts\n");
    for n in 0..5 {
        writeln!(
            text,
            "export function f{n}(a, b) {{ return a.total() + b.total() }}"
        )
        .unwrap();
    }
    let repo = Fixture::parse(&format!("{text}//- commit all\n")).build();
    let cli = Cli::new(repo.path());
    let mut lines = Vec::new();
    let mut cursor = String::new();
    for _ in 0..9 {
        let mut args = vec!["impact", "Cart.total", "--sites", "-n", "2"];
        if !cursor.is_empty() {
            args.extend(["--cursor", &cursor]);
        }
        let page = cli.json(&args);
        assert_eq!(page["unresolvedTotal"], 10, "{page}");
        let shown = page["unresolved"].as_array().cloned().unwrap_or_default();
        lines.extend(shown.iter().map(|it| it["line"].as_u64().unwrap()));
        match page["nextCursor"].as_str() {
            Some(next) => cursor = next.to_owned(),
            None => break,
        }
    }
    assert_eq!(lines, [1, 2, 3, 4, 5]);
}

/// Returns the one removed definition: what became of it, where it is now, and the lines that still name it.
fn removed(answer: &Value) -> (String, String, Vec<String>) {
    let all = answer["changeSet"]["removed"].as_array().unwrap();
    assert_eq!(all.len(), 1, "{answer}");
    let one = &all[0];
    let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
    let now = format!(
        "{} {}",
        text(&one["now"]["path"]),
        text(&one["now"]["symbol"])
    );
    let uses = one["stillNamedAt"].as_array().unwrap().iter();
    let uses = uses.map(|it| format!("{}:{} {}", text(&it["path"]), it["line"], text(&it["use"])));
    (text(&one["change"]), now, uses.collect())
}

const USES_OF_TOTAL: [&str; 7] = [
    "src/app.ts:1 import",
    "src/app.ts:2 import",
    "src/app.ts:8 call",
    "src/app.ts:9 call",
    "src/app.ts:12 reference",
    "src/cart.ts:6 call",
    "src/named.ts:1 import",
];

#[test]
fn uses_of_a_renamed_definition_dangle() {
    let (repo, cli) = shop();
    let text = repo.read("src/cart.ts");
    repo.write(
        "src/cart.ts",
        text.replace("function total(", "function count("),
    );
    let answer = cli.json(&["impact", "--changes"]);
    let (change, now, uses) = removed(&answer);
    assert_eq!(
        (change.as_str(), now.as_str()),
        ("renamed", "src/cart.ts count")
    );
    assert_eq!(uses, USES_OF_TOTAL);
    let summary = answer["summary"].as_str().unwrap();
    assert!(
        summary.starts_with("1 definition is gone (removed, renamed or moved): 7 uses are left"),
        "{summary}"
    );
    // Asked for by its old name, it says what became of it.
    let answer = cli.json(&["impact", "total"]);
    assert_eq!(answer["target"], json!(null));
    let summary = answer["summary"].as_str().unwrap();
    assert!(
        summary.contains("was renamed to `count` (src/cart.ts:2)")
            && summary.contains("7 places in 3 files still name it"),
        "{summary}"
    );
    assert_eq!(removed(&answer).2, USES_OF_TOTAL);
}

#[test]
fn uses_of_a_deleted_file_dangle() {
    let (repo, cli) = shop();
    std::fs::remove_file(repo.path().join("src/cart.ts")).unwrap();
    let answer = cli.json(&["impact", "--changes"]);
    let all = answer["changeSet"]["removed"].as_array().unwrap();
    let of = |name: &str| {
        let one = all.iter().find(|it| it["symbol"] == name).unwrap();
        one["total"].as_u64().unwrap()
    };
    assert_eq!(
        (of("total"), of("Cart"), of("Priced")),
        (6, 3, 2),
        "{answer}"
    );
}

#[test]
fn a_moved_definition_is_found_where_it_is() {
    let (repo, cli) = shop();
    let text = repo.read("src/cart.ts");
    let from = text.find("export function").unwrap();
    let to = text.find("export interface").unwrap();
    repo.write("src/sum.ts", &text[from..to]);
    repo.write(
        "src/cart.ts",
        format!(
            "import {{ total }} from './sum'\n{}{}",
            &text[..from],
            &text[to..]
        ),
    );
    let (change, now, uses) = removed(&cli.json(&["impact", "--changes"]));
    assert_eq!(
        (change.as_str(), now.as_str()),
        ("moved", "src/sum.ts total")
    );
    assert_eq!(uses, [&USES_OF_TOTAL[..5], &USES_OF_TOTAL[6..]].concat());
    // Who passes it on again mends all that go through it.
    let text = repo.read("src/cart.ts");
    repo.write(
        "src/cart.ts",
        format!("export {{ total }} from './sum'\n{text}"),
    );
    let (_, _, uses) = removed(&cli.json(&["impact", "--changes"]));
    assert_eq!(uses, [""; 0]);
}

#[test]
fn a_definition_that_is_not_exported_any_more_breaks_others_alone() {
    let (repo, cli) = shop();
    let text = repo.read("src/cart.ts");
    repo.write(
        "src/cart.ts",
        text.replace("export function total", "function total"),
    );
    let (change, _, uses) = removed(&cli.json(&["impact", "--changes"]));
    assert_eq!(change, "unexported");
    assert_eq!(uses, [&USES_OF_TOTAL[..5], &USES_OF_TOTAL[6..]].concat());
}

#[test]
fn an_import_of_a_name_that_its_module_lacks_is_told() {
    let (repo, cli) = shop();
    repo.write("src/late.ts", "import { gone } from './cart'\ngone(1)\n");
    repo.git(&["add", "-A"]);
    repo.git(&["commit", "-qm", "late"]);
    cli.json(&["refresh"]);
    let answer = cli.json(&["impact", "gone"]);
    assert_eq!(answer["mentions"]["dangling"], 2);
    assert_eq!(answer["mentions"]["places"][0]["role"], "dangling");
    let summary = answer["summary"].as_str().unwrap();
    assert!(
        summary.contains("2 places import or use it from a file"),
        "{summary}"
    );
}

const POLYGLOT: &str = "\
//- /src/main.jl
fn main() void { launch(); }
fn launch() void {}
//- /lib/app.jl
const launch = 1;
//- /web/page.ts
export const page = 1
//- /docs/guide.md
# Launch
//- commit base
";

#[test]
fn files_without_definitions_say_so() {
    let repo = Fixture::parse(POLYGLOT).build();
    let cli = Cli::new(repo.path());
    let note = "Files in julia (1) are searched as text only: their definitions and calls are not known; use cl_search.";
    let answer = cli.json(&["map", "lib"]);
    assert_eq!(answer["analysed"]["note"], note);
    assert_eq!(answer["analysed"]["text"], 1);
    let answer = cli.json(&["map", "lib/app.jl"]);
    assert_eq!(answer["analysed"]["languages"], json!({"julia": 1}));
    let answer = cli.json(&["related", "lib/app.jl"]);
    assert_eq!(answer["analysed"]["note"], note);
    let answer = cli.json(&["impact", "--path", "lib/app.jl"]);
    assert_eq!(answer["analysed"]["note"], note);
    let answer = cli.json(&["impact", "launch"]);
    assert_eq!(answer["mentions"]["total"], 3);
    let summary = answer["summary"].as_str().unwrap();
    assert!(
        summary.contains("occurs 3 times in 2 files") && summary.contains("julia (2)"),
        "{summary}"
    );
    // What looks like the definition comes first.
    let places = &answer["mentions"]["places"];
    assert_eq!(
        (&places[0]["path"], &places[0]["line"]),
        (&json!("lib/app.jl"), &json!(1))
    );
    assert_eq!(
        (&places[1]["path"], &places[1]["line"]),
        (&json!("src/main.jl"), &json!(2))
    );
    // Where all code is analysed nothing is said of it.
    assert!(cli.json(&["map", "web"])["analysed"].is_null());
    // A document has no outline either.
    let answer = cli.json(&["map", "docs/guide.md"]);
    assert_eq!(answer["analysed"]["languages"], json!({"markdown": 1}));
}

const OUTLINED: &str = "\
//- /lib/store.rb
require_relative 'base'

# Keeps records.
class Store
  def open_all(path)
  end
end
//- /lib/base.rb
module Base
end
//- /bin/run.rb
# open_all is used here, of a page.
Store.new.open_all('x')
//- /test/store_test.rb
Store.new.open_all('y')
//- /web/page.ts
export const page = 1
//- commit base
";

#[test]
fn outlined_definitions_are_never_said_to_have_no_callers() {
    let repo = Fixture::parse(OUTLINED).build();
    let cli = Cli::new(repo.path());
    let note = "Files in ruby (4) are outlined only: callers are not followed; use cl_search.";
    let answer = cli.json(&["map", "lib/store.rb"]);
    assert_eq!(answer["analysed"]["outline"], 1);
    let symbols = answer["files"][0]["symbols"].as_array().unwrap();
    assert_eq!(symbols[0]["name"], "Store");
    let answer = cli.json(&["expand", "--symbol", "Store.open_all"]);
    let text = answer.to_string();
    assert!(text.contains("def open_all(path)"), "{text}");
    let answer = cli.json(&["impact", "open_all"]);
    assert_eq!(
        answer["summary"].as_str().unwrap().split(" (").next(),
        Some(
            "Outline only: callers are not followed in files of this language. The word occurs at 3 other places in 2 files"
        )
    );
    assert_eq!(answer["mentions"]["total"], 3);
    assert_eq!(answer["totalCallers"], 0);
    assert_eq!(answer["analysed"]["note"], note);
    let places = &answer["mentions"]["places"];
    assert_eq!(places[0]["text"], "Store.new.open_all('x')");
    let said = answer["confidenceNote"].as_str().unwrap();
    assert!(said.contains("not proved"), "{said}");
    assert_eq!(answer["affectedTests"][0]["path"], "test/store_test.rb");
    // Code in a language that is outlined may use what is not.
    let answer = cli.json(&["impact", "page"]);
    let said = answer["summary"].as_str().unwrap();
    assert!(
        said.contains("occurs in 1 file of languages whose calls are not followed"),
        "{said}"
    );
    let answer = cli.json(&["impact", "open_all", "--sites"]);
    let other = &answer["otherMentions"];
    assert_eq!(
        (&other["definitions"], &other["comments"], &other["prose"]),
        (&json!(1), &json!(1), &json!(2))
    );
    let answer = cli.json(&["related", "lib/store.rb"]);
    assert_eq!(answer["results"][0]["path"], "lib/base.rb");
    let answer = cli.json(&["explore", "--targets", "Store"]);
    let card = &answer["cards"][0];
    assert_eq!(card["symbol"], "Store");
    assert!(card["counts"]["callers"].is_null(), "{card}");
    let brief = answer["brief"].to_string();
    assert!(brief.contains("outlined only"), "{brief}");
}

#[test]
fn an_outline_keeps_to_its_budget() {
    let mut many = String::new();
    for n in 0..60 {
        writeln!(many, "//- /src/m{n:02}.ts").unwrap();
        for k in 0..20 {
            writeln!(
                many,
                "export function name{n}x{k}(first: string, second: number): void {{}}"
            )
            .unwrap();
        }
    }
    let files = format!(
        "{many}//- /test/a.test.ts\nimport {{ name0x0 }} from '../src/m00'\nit('x', () => name0x0('', 1))\nexport const help = 1\n//- /package.json\n{{\"devDependencies\": {{\"vitest\": \"1\"}}}}\n//- commit base\n"
    );
    let repo = Fixture::parse(&files).build();
    let cli = Cli::new(repo.path());
    cli.json(&["refresh"]);
    let size = |args: &[&str]| cli.run(&[args, &["--json"]].concat()).stdout.len();
    assert!(size(&["map"]) < 7_000 && size(&["map", "--budget", "500"]) < 2_000);
    let answer = cli.json(&["map"]);
    assert_eq!(answer["truncated"], true);
    assert_eq!(answer["directories"][0]["path"], "src");
    assert_eq!(answer["files"][0]["path"], "src/m00.ts");
    assert_eq!(answer["omitted"]["testFiles"], 1);
    let shown = answer["files"].as_array().unwrap().len() as u64;
    assert_eq!(
        answer["fileCount"].as_u64().unwrap() - shown,
        answer["omitted"]["files"].as_u64().unwrap()
    );
    // Names come before signatures.
    assert!(answer["files"][0]["symbols"][0]["signature"].is_null());
    let answer = cli.json(&["map", "src/m00.ts"]);
    assert!(answer["files"][0]["symbols"][0]["signature"].is_string());
    assert!(answer["files"][0]["symbols"][0]["handle"].is_string());
    assert!(answer["omitted"].is_null());
    for bad in ["--budget=0", "--budget=-5", "--budget=99999999999"] {
        assert!(cli.json(&["map", bad])["files"].is_array(), "{bad}");
    }
    assert_eq!(cli.run(&["map", "--budget", "many"]).code, 2);
}

const BOARD: &str = "\
//- /board.component.ts
import { Component } from '@angular/core'
import { CardComponent } from './card'
@Component({ selector: 'my-board', imports: [CardComponent], templateUrl: './board.html' })
export class BoardComponent {
  cards = [1]
  open(card: number) { return card }
}
//- /card.ts
import { Component } from '@angular/core'
@Component({ selector: 'my-card', template: '<b (click)=\"flip()\">flip</b>' })
export class CardComponent { flip() {} }
//- /board.html
<!-- open -->
<p>open</p>
@for (card of cards; track card) {
  <my-card (click)=\"open(card)\"></my-card>
  {{ open(card) }}
}
//- /other.html
<p>{{ open(1) }}</p>
//- commit base
";

#[test]
fn a_template_of_angular_is_linked_again_when_its_class_changes() {
    let repo = Fixture::parse(BOARD).build();
    let cli = Cli::new(repo.path());
    cli.json(&["refresh"]);
    let open = |cli: &Cli| sites(&cli.json(&["impact", "BoardComponent.open", "--sites"]));
    let all = ["board.html:4 template", "board.html:5 template"];
    assert_eq!(open(&cli), all);
    assert_eq!(
        sites(&cli.json(&["impact", "CardComponent.flip", "--sites"])),
        ["card.ts:2 template"]
    );
    let card = sites(&cli.json(&["impact", "CardComponent", "--sites"]));
    assert!(
        card.contains(&"board.html:4 template alias".to_owned()),
        "{card:?}"
    );

    // The class takes another template, then this one again.
    let component = repo.read("board.component.ts");
    repo.write(
        "board.component.ts",
        component.replace("./board.html", "./other.html"),
    );
    cli.json(&["refresh"]);
    assert_eq!(open(&cli), ["other.html:1 template"]);
    repo.write("board.component.ts", &component);
    cli.json(&["refresh"]);
    assert_eq!(open(&cli), all);

    // The template goes and comes.
    let markup = repo.read("board.html");
    std::fs::remove_file(repo.path().join("board.html")).unwrap();
    cli.json(&["refresh"]);
    assert!(open(&cli).is_empty());
    repo.write("board.html", &markup);
    cli.json(&["refresh"]);
    assert_eq!(open(&cli), all);
}

#[test]
fn requests_are_among_every_use_of_the_handler_that_answers_them() {
    let mut repo = Repo::new(Vec::new());
    repo.then(
        "\
//- /api.js
const express = require('express')
const app = express()
function show(req, res) { res.json(req.params.id) }
app.get('/users/:id', show)
//- /client.ts
export async function load(id: string) {
  const one = await fetch(`/users/${id}`)
  return fetch(`/users/${id}`)
}
//- commit base
",
    );
    let cli = Cli::new(repo.path());
    let answer = cli.json(&["impact", "show", "--sites"]);
    let sites = answer["sites"].as_array().unwrap().iter();
    let sites: Vec<_> = sites
        .map(|it| {
            let provenance = it["provenance"].as_str().unwrap_or_default();
            let place = (it["path"].as_str().unwrap(), it["line"].as_u64().unwrap());
            (place, provenance, it["in"].as_str().unwrap_or_default())
        })
        .collect();
    let bridged = |line| (("client.ts", line), "bridge", "load");
    assert_eq!(
        sites,
        [(("api.js", 4), "", ""), bridged(2), bridged(3)],
        "{answer:#}"
    );
}

#[test]
fn what_no_local_can_be_is_no_other_definition() {
    let repo = Fixture::parse(
        "//- /src/config.c\nint set_string(int a) { return a; }\n#define CONFIG(x) { x, set_string, \"set_string\" }\nstruct bits { int fill : FILL; };\nint set_local(int set_string) { return set_string; }\n\
         //- /src/bits.h\n#define FILL 4\n\
         //- /src/table.c\n#include \"table.def\"\n\
         //- /src/table.def\nint (*table[])(void) = { answer };\n\
         //- /src/answer.c\nint answer(void) { return 1; }\n\
         //- /Cargo.toml\n[package]\nname = \"a\"\n\
         //- /src/lib.rs\npub trait Sink {}\npub fn run<S: Sink>(s: S) {}\npub fn go<S>(s: S) where S: Sink {}\n\
         //- /a.csproj\n<Project Sdk=\"Microsoft.NET.Sdk\"/>\n\
         //- /A.cs\nnamespace N { class MarkAttribute : System.Attribute {} class Made { public Made(int a) {} }\n\
         class B { void F<[Mark] T>() { new Made(1); } } }\n\
         //- commit base\n",
    )
    .build();
    let cli = Cli::new(repo.path());
    let sites = |name: &str| cli.json(&["impact", name, "--sites"]);
    // What a macro means is known where it is called.
    let said = sites("set_string");
    assert_eq!(said["unresolved"][0]["line"], 2, "{said}");
    assert_eq!(said["otherMentions"]["strings"], 1, "{said}");
    let summary = said["summary"].as_str().unwrap();
    assert!(summary.contains("Unknown"), "{summary}");
    let said = sites("FILL");
    assert_eq!(said["unresolved"][0]["line"], 3, "{said}");
    assert_eq!(sites("answer")["unresolved"][0]["path"], "src/table.def");
    let said = sites("Sink");
    let lines: Vec<_> = said["sites"].as_array().unwrap().iter().collect();
    assert_eq!(
        (&lines[0]["line"], &lines[1]["line"]),
        (&json!(2), &json!(3))
    );
    let said = sites("MarkAttribute");
    assert_eq!(said["sites"][0]["line"], 2, "{said}");
    let said = cli.json(&["impact", "Made.Made"]);
    let summary = said["summary"].as_str().unwrap();
    assert!(summary.contains("ask for the class"), "{summary}");
}

#[test]
fn names_among_the_tokens_of_a_rust_macro_are_uses() {
    let repo = Fixture::parse(
        "//- /Cargo.toml\n[package]\nname = \"a\"\n\
         //- /src/lib.rs\n#[macro_use]\nmod macros;\nmod helpers;\npub fn base() -> u8 { 1 }\npub fn key() {}\npub fn made() {}\n\
         macro_rules! cases { ($($name:ident: $f:ident for $text:expr),*) => {}; (fn $name:ident) => {} }\n\
         cases! { key: base for \"a\" }\ncases! { fn made }\n\
         fn other(base: u8) { cases! { one: base for \"b\" } }\n\
         fn waits() { select! { Some(x) = run.next() => { base(); } else => {} } }\n\
         //- /src/macros.rs\nmacro_rules! run { ($with:expr) => { helper($with) } }\n\
         //- /src/helpers.rs\nfn helper(a: u8) -> u8 { a }\npub fn go() -> u8 { run!(1) }\n\
         //- commit base\n",
    )
    .build();
    let cli = Cli::new(repo.path());
    let said = cli.json(&["impact", "base", "--sites"]);
    assert_eq!(
        sites(&said),
        ["src/lib.rs:8 reference", "src/lib.rs:11 call"]
    );
    for name in ["key", "made"] {
        let said = cli.json(&["impact", name, "--sites"]);
        assert_eq!(sites(&said), Vec::<String>::new(), "{name}: {said:#}");
    }
    // The rule has the scopes of each call around.
    let said = cli.json(&["impact", "helper"]);
    assert_eq!(said["unresolved"][0]["path"], "src/macros.rs", "{said:#}");
    assert_eq!(said["completeness"]["unresolvedSites"], 1, "{said:#}");
}

#[test]
fn names_that_a_function_declares_are_no_members() {
    let repo = Fixture::parse(
        "//- /go.mod\nmodule example.com/a\n\
         //- /a.go\npackage main\ntype Issuer struct{ issuer string; limit int }\nfunc main() {\n\tvar issuer Issuer\n\tconst limit = 1\n\tuse(issuer, limit)\n}\nfunc use(a Issuer, b int) {}\n\
         //- /b/b.go\npackage main\nfunc other() {}\n\
         //- /Store.java\nclass Store implements AutoCloseable {\n  void stats() {}\n  void left() {}\n  public void close() {}\n}\n\
         class User {\n  void read(Object left) throws Exception {\n    try (Store stats = new Store()) { System.out.println(stats); }\n    if (left instanceof Store stats) { System.out.println(stats); }\n  }\n}\n\
         //- commit base\n",
    )
    .build();
    let cli = Cli::new(repo.path());
    for (name, n_sites) in [
        ("Issuer.issuer", 0),
        ("Issuer.limit", 0),
        ("a.go#main", 0),
        ("Store.stats", 0),
    ] {
        let said = cli.json(&["impact", name, "--sites"]);
        assert!(
            said["unresolved"].is_null() || said["unresolved"].as_array().unwrap().is_empty(),
            "{said:#}"
        );
        let sites = said["sites"].as_array().map_or(0, Vec::len);
        assert_eq!(sites, n_sites, "{said:#}");
    }
}

#[test]
fn an_argument_that_names_a_parameter_is_no_attribute() {
    let files = "\
//- /models.py
class Base:
    def __init__(self, size, label=None):
        self.size = size
class Child(Base):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
class Model:
    size = 0
    def __init__(self, **kwargs):
        for name, value in kwargs.items():
            setattr(self, name, value)
//- /use.py
from models import Base, Child, Model
Base(size=1)
Child(size=2)
Model(size=3)
";
    let repo = Fixture::parse(&format!("{files}//- commit all\n")).build();
    let cli = Cli::new(repo.path());
    for name in ["Base.size", "Model.size"] {
        let said = cli.json(&["impact", name]);
        let lines = said["unresolved"].as_array().unwrap().iter();
        let lines: Vec<String> = lines
            .map(|it| format!("{}:{}", it["path"].as_str().unwrap(), it["line"]))
            .collect();
        // A constructor that takes any name, and hands it to no other, may set the attribute.
        assert_eq!(lines, ["use.py:4"], "{name}: {said}");
    }
}

/// Returns how many places of a name in a repository are uses, of unknown meaning, names of definitions, and of other things.
fn counts(repo: &str, name: &str) -> [u64; 5] {
    let repo = Fixture::parse(repo).build();
    let cli = Cli::new(repo.path());
    cli.json(&["refresh"]);
    let answer = cli.json(&["impact", name, "--sites"]);
    let mentions = &answer["otherMentions"];
    [
        &answer["sitesTotal"],
        &answer["unresolvedTotal"],
        &mentions["definitions"],
        &mentions["otherTargets"],
        &mentions["external"],
    ]
    .map(|it| it.as_u64().unwrap_or_default())
}

#[test]
fn fields_of_structs_without_names_are_other_names() {
    let repo = "\
//- /go.mod
module example.com/a
//- /a.go
package a
type Row struct{ size int }
func one(row Row) int { return row.size }
func all() int {
	for _, it := range []struct{ name string; size int }{{name: \"a\", size: 1}} {
		return it.size
	}
	var found struct{ Row struct{ size int } }
	return found.Row.size
}
//- commit base
";
    assert_eq!(counts(repo, "Row.size"), [1, 0, 3, 3, 0]);
}

#[test]
fn heads_in_branches_that_are_not_read_are_definitions() {
    let repo = "\
//- /src/Processor.cs
class Processor {
#if SPAN
  public void Process(int it)
#else
  public void Process(string it)
#endif
  { Run(); }
  void Run() { Process(1); }
}
//- commit base
";
    assert_eq!(counts(repo, "Processor.Process"), [1, 0, 2, 0, 0]);
}

#[test]
fn no_method_of_rust_is_imported() {
    let repo = "\
//- /Cargo.toml
[package]
name = \"shop\"
//- /src/lib.rs
use crate::pager::{self, Mode};
pub struct Row;
impl Row { pub fn pager(&self) {} }
fn run(row: &Row) { row.pager() }
//- commit base
";
    assert_eq!(counts(repo, "Row.pager"), [1, 0, 1, 1, 0]);
}

#[test]
fn a_star_import_of_python_re_exports() {
    let repo = Fixture::parse(
        "//- /pkg/__init__.py\nfrom .db import *\n\
         //- /pkg/db.py\ndef open(): ...\ndef _close(): ...\n\
         //- /other.py\nfrom pkg.db import *\n\
         //- commit base\n",
    )
    .build();
    let cli = Cli::new(repo.path());
    let said = cli.json(&["impact", "open"]);
    assert_eq!(said["reexportedBy"], json!(["pkg/__init__.py:1"]), "{said}");
    let said = cli.json(&["impact", "_close"]);
    assert!(
        said["reexportedBy"].as_array().is_none_or(Vec::is_empty),
        "{said}"
    );
}

#[test]
fn names_that_are_no_identifiers_are_found_in_quotes_and_markup() {
    let repo = Fixture::parse(
        "//- /slots.ts\nexport interface Slots { 'item-label': number; other: 2 }\n\
         //- /use.ts\nimport { Slots } from './slots'\nexport const label = (slots: Slots) => slots['item-label']\nexport const longer = 'big-item-label'\n\
         //- /Item.vue\n<template>\n  <slot name=\"item-label\" />\n  <Box><template #item-label>a</template></Box>\n</template>\n\
         //- commit base\n",
    )
    .build();
    let cli = Cli::new(repo.path());
    let said = cli.json(&["impact", "item-label"]);
    let lines = said["unresolved"].as_array().unwrap().iter();
    let lines: Vec<String> = lines
        .map(|it| format!("{}:{}", it["path"].as_str().unwrap(), it["line"]))
        .collect();
    assert_eq!(lines, ["use.ts:2", "Item.vue:2", "Item.vue:3"], "{said}");
    let summary = said["summary"].as_str().unwrap();
    assert!(summary.starts_with("Unknown: 3 uses"), "{said}");
}

#[test]
fn files_with_another_form_of_a_word_hold_no_name() {
    let repo = Fixture::parse(
        "//- /a.ts\nexport function setting() {}\nsetting()\n\
         //- /b.ts\n// settings are set\nexport const b = 1\n\
         //- /c.ts\n// see setting\nexport const c = 1\n\
         //- commit base\n",
    )
    .build();
    let cli = Cli::new(repo.path());
    let said = cli.json(&["impact", "setting"]);
    assert_eq!(said["completeness"]["unsearchedFiles"], 1, "{said}");
}

#[test]
fn names_in_types_of_comments_are_lines_of_their_own() {
    let repo = Fixture::parse(
        "//- /types.d.ts\nexport interface Route { id: string }\n\
         //- /main.js\n/**\n * A Route of { Route }.\n * @param {{ Route: import('./types.js').Route }} a\n * @template Route\n */\nexport function find(a) {}\n\
         /** @returns {import('./types.js').Route} */\nexport function other() {}\n\
         //- commit base\n",
    )
    .build();
    let cli = Cli::new(repo.path());
    let said = cli.json(&["impact", "Route", "--sites"]);
    assert_eq!(sites(&said), ["main.js:3 type", "main.js:7 type"], "{said}");
    assert_eq!(said["otherMentions"]["comments"], 2, "{said}");
    assert_eq!(said["unresolvedTotal"], 0, "{said}");
}

#[test]
fn uses_of_a_package_that_is_declared_here_are_not_known() {
    let repo = Fixture::parse(
        "//- /odd.d.ts\ndeclare module 'odd' { export interface Thing { a: number } }\n\
         //- /more.d.ts\ndeclare module 'odd' { export interface More { a: number } }\n\
         //- /use.ts\nimport { Thing } from 'odd'\nexport function f(x: Thing) {}\n\
         //- /other.ts\nimport { Thing } from 'other'\nexport function g(x: Thing) {}\n\
         //- commit base\n",
    )
    .build();
    let cli = Cli::new(repo.path());
    let said = cli.json(&["impact", "Thing", "--sites"]);
    assert_eq!(said["unresolvedTotal"], 2, "{said}");
    assert_eq!(said["otherMentions"]["external"], 2, "{said}");
}
