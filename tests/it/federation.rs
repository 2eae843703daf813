//! One question to several repositories: `repo: "all"`.

use serde_json::{Value, json};

use crate::cli_and_mcp::Session;
use crate::support::{Cli, Fixture, Repo};

/// A server of three repositories.
struct Three {
    repos: Vec<Repo>,
    session: Session,
    id: u64,
}

/// Makes a repository of each fixture, and a server of all of them.
fn served(texts: &[&str]) -> (Vec<Repo>, Session) {
    let repos: Vec<Repo> = texts.iter().map(|it| Fixture::parse(it).build()).collect();
    let cli = Cli::new(repos[0].path());
    let mut command = cli.command(&["serve"]);
    for repo in &repos {
        command.arg("--root").arg(repo.path());
    }
    (repos, Session::of(command))
}

impl Three {
    fn new() -> Self {
        let texts = [
            "//- /src/price.ts\nexport function price(order: Order) { return order.total }\nexport function discount() {}\n//- commit one\n",
            "//- /lib/price.py\ndef price(order):\n    return order\n\ndef invoice(price):\n    pass\n//- commit one\n",
            "//- /a.ts\nexport const nothing = 1\n//- commit one\n",
        ];
        let (repos, session) = served(&texts);
        Self {
            session,
            repos,
            id: 0,
        }
    }

    fn ask(&mut self, tool: &str, arguments: &Value) -> Value {
        self.id += 1;
        let asked = json!({"name": tool, "arguments": arguments});
        self.session.ask(self.id, "tools/call", &asked)["result"]["structuredContent"].clone()
    }

    /// The names that the server gave to the repositories, in order.
    fn names(&mut self) -> Vec<String> {
        let all = self.ask("cl_current", &json!({"repo": "all"}));
        let repos = all["repos"].as_array().unwrap();
        let names = repos
            .iter()
            .map(|it| it["repo"].as_str().unwrap().to_owned());
        names.collect()
    }
}

/// A server in the first of two repositories that the user's file puts together, with a third one that is nowhere.
struct Together {
    repos: Vec<Repo>,
    cli: Cli,
    dir: tempfile::TempDir,
}

impl Together {
    fn new(more: &str) -> Self {
        let repos: Vec<Repo> = [
            "//- /src/price.ts\nexport function price(order: Order) { return order.total }\n//- commit one\n",
            "//- /lib/price.py\ndef price(order):\n    return order\n\ndef invoice(price):\n    pass\n//- commit one\n",
        ]
        .iter()
        .map(|it| Fixture::parse(it).build())
        .collect();
        let dir = tempfile::tempdir().unwrap();
        let link = |name: &str| dir.path().join(name);
        for (repo, name) in repos.iter().zip(["core", "api"]) {
            std::fs::rename(repo.path(), link(name)).unwrap();
        }
        let file = dir.path().join("codelens.toml");
        let list = ["core", "api", "nowhere"].map(|name| format!("\"{}\"", link(name).display()));
        let text = format!(
            "{more}[[workspace]]\nname = \"shop\"\nrepos = [{}]\n",
            list.join(", ")
        );
        std::fs::write(&file, text).unwrap();
        let mut cli = Cli::new(link("core"));
        cli.set("CODELENS_CONFIG", file.to_str().unwrap());
        Self { repos, cli, dir }
    }

    fn at(&self, name: &str) -> std::path::PathBuf {
        self.dir.path().join(name)
    }

    fn serve(&self, arguments: &[&str]) -> Session {
        Session::of(self.cli.command(&[&["serve"], arguments].concat()))
    }
}

fn ask(session: &mut Session, tool: &str, arguments: &Value) -> Value {
    let asked = json!({"name": tool, "arguments": arguments});
    session.ask(1, "tools/call", &asked)["result"]["structuredContent"].clone()
}

fn names_of(merged: &Value) -> Vec<&str> {
    let repos = merged["repos"].as_array().unwrap().iter();
    repos.map(|it| it["repo"].as_str().unwrap()).collect()
}

#[test]
fn repositories_that_the_user_puts_together_are_asked_together() {
    let together = Together::new("");
    let mut session = together.serve(&[]);
    let all = ask(
        &mut session,
        "cl_search",
        &json!({"query": "price", "repo": "all"}),
    );
    assert_eq!(names_of(&all), ["core", "api", "nowhere"], "{all}");
    assert!(all["repos"][2]["error"]["hint"].is_string(), "{all}");
    let results = all["results"].as_array().unwrap();
    for name in ["core", "api"] {
        assert!(results.iter().any(|it| it["repo"] == name), "{all}");
    }
    let found = ask(
        &mut session,
        "cl_map",
        &json!({"name": "invoice", "repo": ["core", "api"]}),
    );
    let handle = found["symbols"][0]["handle"].as_str().unwrap().to_owned();
    assert!(handle.starts_with("api/sym_"), "{found}");
    let text = ask(&mut session, "cl_expand", &json!({"handle": handle}));
    assert!(
        text["content"].as_str().unwrap().contains("def invoice"),
        "{text}"
    );
    let one = ask(
        &mut session,
        "cl_search",
        &json!({"query": "invoice", "repo": "api"}),
    );
    assert_eq!(one["results"][0]["path"], "lib/price.py", "{one}");
    // Any other repository may be asked about by its path, and a call that names none is about its own.
    let own = ask(&mut session, "cl_current", &json!({}));
    let core = together.at("core").canonicalize().unwrap();
    assert_eq!(own["repo"], core.to_str().unwrap());
    let by_path = json!({"repo": together.at("api").to_str().unwrap()});
    assert_eq!(ask(&mut session, "cl_current", &by_path)["inGitRepo"], true);
    session.close();
    // Outside of the group `all` is the repository of the call.
    let alone = Fixture::parse("//- /a.ts\nexport const price = 1\n//- commit one\n").build();
    let mut elsewhere = Session::of({
        let mut command = together.cli.command(&["serve"]);
        command.current_dir(alone.path());
        command
    });
    let all = ask(&mut elsewhere, "cl_current", &json!({"repo": "all"}));
    assert_eq!(all["repos"].as_array().unwrap().len(), 1, "{all}");
    assert!(!together.repos.is_empty());
}

#[test]
fn a_server_may_be_limited_to_a_group() {
    let together = Together::new("");
    let said = together.cli.fails(&["serve", "--workspace", "shop"], 1);
    assert!(said.contains("there is no file or directory"), "{said}");
    std::fs::create_dir(together.at("nowhere")).unwrap();
    let said = together.cli.fails(&["serve", "--workspace", "shop"], 1);
    assert!(
        said.contains("not_a_repo") || said.contains("git work tree"),
        "{said}"
    );
    for name in ["", "shops", &"x".repeat(5_000)] {
        let said = together.cli.fails(&["serve", "--workspace", name], 1);
        assert!(
            said.contains("no [[workspace]]") && said.contains("shop"),
            "{said}"
        );
    }
    let file = together.at("codelens.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    let nowhere = format!(", {:?}", together.at("nowhere"));
    std::fs::write(&file, text.replace(&nowhere, "")).unwrap();
    let mut session = together.serve(&["--workspace", "shop"]);
    let all = ask(&mut session, "cl_current", &json!({"repo": "all"}));
    assert_eq!(names_of(&all), ["core", "api"]);
    let refused = ask(&mut session, "cl_current", &json!({"repo": "/"}));
    assert_eq!(refused["error"]["code"], "outside_repo", "{refused}");
    let shown = together.cli.run(&["config", "show"]).stdout;
    assert!(shown.contains("workspace shop: "), "{shown}");
    let told = together.cli.json(&["config", "show"]);
    assert_eq!(told["workspaces"][0]["name"], "shop");
    std::fs::write(&file, "[[workspace]]\nname = \"x\"\n").unwrap();
    let said = together.cli.fails(&["config", "show"], 1);
    assert!(
        said.contains("[[workspace]]") && said.contains("no `repos`"),
        "{said}"
    );
}

#[test]
fn answers_are_merged_by_rank_where_the_user_wants_that() {
    let by_rank = Together::new("[search]\nfederation = \"rrf\"\n");
    let mut session = by_rank.serve(&[]);
    let asked = json!({"query": "price", "repo": ["core", "api"], "limit": 50});
    let all = ask(&mut session, "cl_search", &asked);
    let results = all["results"].as_array().unwrap();
    let repos: Vec<&str> = results
        .iter()
        .map(|it| it["repo"].as_str().unwrap())
        .collect();
    // The first of each, then the second of each.
    assert_eq!(repos[..2], ["core", "api"], "{all}");
    let paths = |list: &[Value]| -> Vec<String> { list.iter().map(Value::to_string).collect() };
    let mut paged = Vec::new();
    let mut asked = json!({"query": "price", "repo": ["core", "api"], "limit": 1});
    for _ in 0..=results.len() {
        let page = ask(&mut session, "cl_search", &asked);
        paged.extend(page["results"].as_array().unwrap().iter().cloned());
        match page["nextCursor"].as_str() {
            Some(cursor) => asked["cursor"] = json!(cursor),
            None => break,
        }
    }
    assert_eq!(paths(&paged), paths(results), "pages go on by rank");
    let wrong = Together::new("[search]\nfederation = \"best\"\n");
    assert!(
        wrong
            .cli
            .fails(&["current"], 1)
            .contains("one of confidence, rrf")
    );
}

#[test]
fn an_import_of_another_repository_s_package_is_named() {
    let texts = [
        "//- /src/shop.ts\nimport { price } from '@shop/price'\nimport fs from 'fs'\nexport const sum = price(fs)\n//- commit one\n",
        "//- /package.json\n{\"name\": \"@shop/price\", \"main\": \"src/index.ts\"}\n//- /src/index.ts\nexport function price(it: unknown) { return 1 }\n//- commit one\n",
    ];
    let (_repos, mut session) = served(&texts);
    let all = ask(&mut session, "cl_current", &json!({"repo": "all"}));
    let name = |at: usize| all["repos"][at]["repo"].clone();
    let input = json!({"repo": name(0), "path": "src/shop.ts"});
    let before = ask(&mut session, "cl_related", &input);
    assert!(
        before.get("external").is_none(),
        "no index there yet: {before}"
    );
    ask(&mut session, "cl_refresh", &json!({"repo": name(1)}));
    let related = ask(&mut session, "cl_related", &input);
    let hint = json!({"specifier": "@shop/price", "repo": name(1), "path": "src/index.ts", "provenance": "name"});
    assert_eq!(related["external"], json!([hint]), "{related}");
    let of_other = json!({"repo": name(1), "path": "src/index.ts"});
    let related = ask(&mut session, "cl_related", &of_other);
    assert!(related.get("external").is_none(), "{related}");
}

fn without(mut value: Value, fields: &[&str]) -> Value {
    for field in fields {
        value.as_object_mut().unwrap().shift_remove(*field);
    }
    value
}

#[test]
fn federation_equals_singles() {
    let mut three = Three::new();
    let names = three.names();
    assert_eq!(names.len(), 3);
    for (tool, list, input) in [
        (
            "cl_search",
            "results",
            json!({"query": "price", "limit": 20}),
        ),
        ("cl_explore", "files", json!({"query": "price"})),
        ("cl_map", "symbols", json!({"name": "price"})),
    ] {
        let mut all = input.clone();
        all["repo"] = json!("all");
        let merged = three.ask(tool, &all);
        assert_eq!(merged["freshness"], "fresh", "{merged}");
        let entries = merged["repos"].as_array().unwrap().clone();
        assert_eq!(entries.len(), 3, "{merged}");
        for (name, entry) in names.iter().zip(&entries) {
            let mut one = input.clone();
            one["repo"] = json!(name);
            let alone = three.ask(tool, &one);
            assert_eq!(entry["indexId"], alone["indexId"]);
            let results = merged[list].as_array().unwrap().iter();
            let ours: Vec<String> = results
                .filter(|it| it["repo"] == name.as_str())
                .map(|it| without(it.clone(), &["repo"]).to_string())
                .map(|text| text.replace(&format!("{name}/"), ""))
                .collect();
            let theirs: Vec<String> = alone[list]
                .as_array()
                .into_iter()
                .flatten()
                .map(Value::to_string)
                .collect();
            assert_eq!(ours, theirs, "{tool} {name}");
        }
        assert!(merged[list].as_array().unwrap().len() > 1, "{merged}");
    }
}

#[test]
fn pages_give_each_result_once() {
    let mut three = Three::new();
    let asked = json!({"query": "price", "repo": "all", "limit": 50});
    let all = three.ask("cl_search", &asked)["results"]
        .as_array()
        .unwrap()
        .clone();
    let mut paged = Vec::new();
    let mut asked = json!({"query": "price", "repo": "all", "limit": 1});
    for _ in 0..=all.len() {
        let page = three.ask("cl_search", &asked);
        paged.extend(page["results"].as_array().unwrap().iter().cloned());
        match page["nextCursor"].as_str() {
            Some(cursor) => asked["cursor"] = json!(cursor),
            None => break,
        }
    }
    let handles = |list: &[Value]| -> Vec<String> {
        list.iter()
            .map(|it| it["handle"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(handles(&paged), handles(&all));
    let spelt = json!({"q": "price", "repo": "all", "max_results": "1"});
    assert_eq!(three.ask("cl_search", &spelt)["count"], 1);
    asked["query"] = json!("other");
    assert_eq!(
        three.ask("cl_search", &asked)["error"]["code"],
        "bad_cursor"
    );
}

#[test]
fn a_handle_brings_its_repository() {
    let mut three = Three::new();
    let name = three.names()[1].clone();
    let found = three.ask("cl_map", &json!({"name": "invoice", "repo": "all"}));
    let handle = found["symbols"][0]["handle"].as_str().unwrap().to_owned();
    assert!(handle.starts_with(&format!("{name}/sym_")), "{found}");
    let text = three.ask("cl_expand", &json!({"handle": handle}));
    assert!(
        text["content"].as_str().unwrap().contains("def invoice"),
        "{text}"
    );
    let impact = three.ask("cl_impact", &json!({"handle": handle}));
    assert_eq!(impact["target"]["handle"], handle.as_str());
    let other = three.names()[0].clone();
    let refused = three.ask("cl_expand", &json!({"handle": handle, "repo": other}));
    assert_eq!(refused["error"]["code"], "invalid_argument");
}

#[test]
fn a_repository_that_is_gone_is_told_and_the_others_answer() {
    let mut three = Three::new();
    let names = three.names();
    std::fs::rename(
        three.repos[1].path(),
        three.repos[1].path().with_extension("gone"),
    )
    .unwrap();
    let merged = three.ask("cl_search", &json!({"query": "price", "repo": "all"}));
    let entry = &merged["repos"][1];
    assert_eq!(entry["repo"], names[1].as_str());
    assert!(
        entry["error"]["code"].is_string() && entry["error"]["hint"].is_string(),
        "{entry}"
    );
    assert!(
        merged["note"].as_str().unwrap().contains(&names[1]),
        "{merged}"
    );
    assert_eq!(merged["results"][0]["repo"], names[0].as_str());
}

#[test]
fn lists_of_repositories_are_checked() {
    let mut three = Three::new();
    let many: Vec<String> = (0..17).map(|n| format!("r{n}")).collect();
    for (tool, input) in [
        ("cl_search", json!({"query": "x", "repo": []})),
        ("cl_search", json!({"query": "x", "repo": [1]})),
        ("cl_search", json!({"query": "x", "repo": many})),
        ("cl_search", json!({"query": "", "repo": "all"})),
        ("cl_impact", json!({"symbol": "price", "repo": "all"})),
        ("cl_explore", json!({"targets": ["price"], "repo": "all"})),
    ] {
        let refused = three.ask(tool, &input);
        assert_eq!(
            refused["error"]["code"], "invalid_argument",
            "{tool} {input} {refused}"
        );
        assert!(refused["error"]["hint"].is_string());
    }
    let unknown = three.ask("cl_search", &json!({"query": "price", "repo": ["nowhere"]}));
    assert_eq!(unknown["freshness"], "unknown", "{unknown}");
    assert!(unknown["repos"][0]["error"]["hint"].is_string());
}
