//! Changes between two states, each case a repository in `fixtures/changes` whose name is a sentence. Lines that begin with
//! `//= ` say what is found between the commit `base` and the work tree: a kind of change with file and name (`< from`), a
//! broken use (`broken path:line change name +further lines`; `unknown` where it may be none), a collision with the branch after `with`.

use std::path::Path;

use serde_json::{Value, json};

use crate::cli_and_mcp::Session;
use crate::support::{Cli, Fixture, Repo};

fn word(value: &Value) -> &str {
    value.as_str().filter(|it| !it.is_empty()).unwrap_or("-")
}

/// Returns the answer in the words of the fixtures.
fn found(answer: &Value) -> Vec<String> {
    let list = |key: &str| answer[key].as_array().cloned().unwrap_or_default();
    let mut all = Vec::new();
    for one in list("changes") {
        let from = &one["from"];
        let is_elsewhere = !from["evidence"].is_null();
        let from = match (word(&from["path"]), word(&from["symbol"])) {
            _ if !is_elsewhere => String::new(),
            ("-", name) => format!(" < {name}"),
            (path, _) => format!(" < {path}"),
        };
        let (change, path, symbol) = (&one["change"], &one["path"], &one["symbol"]);
        all.push(format!(
            "{} {} {}{from}",
            word(change),
            word(path),
            word(symbol)
        ));
    }
    let broken = list("broken").into_iter().map(|one| ("broken", one));
    let unknown = list("unresolvedAt").into_iter();
    for (word_of_list, one) in broken.chain(unknown.map(|one| ("unknown", one))) {
        let also: Vec<String> = one["also"]
            .as_array()
            .into_iter()
            .flatten()
            .map(ToString::to_string)
            .collect();
        let also = match also.as_slice() {
            [] => String::new(),
            lines => format!(" +{}", lines.join(",")),
        };
        all.push(format!(
            "{word_of_list} {}:{} {} {}{also}",
            word(&one["path"]),
            one["line"],
            word(&one["uses"]["change"]),
            word(&one["uses"]["symbol"])
        ));
    }
    for one in list("collisions") {
        all.push(format!(
            "collision {} {} {} {} {}",
            word(&one["kind"]),
            word(&one["path"]),
            word(&one["symbol"]),
            word(&one["ours"]),
            word(&one["theirs"])
        ));
    }
    for key in ["unresolved", "outlined", "notAnalysed", "unread"] {
        if let Some(n) = answer[key].as_u64() {
            all.push(format!("{key} {n}"));
        }
    }
    all.extend(not_looked_at(answer));
    all
}

/// Returns the counts of changes whose uses were not looked at, as the summary says them, in the words of the fixtures.
fn not_looked_at(answer: &Value) -> Vec<String> {
    let summary = word(&answer["summary"]);
    let mut all = Vec::new();
    // The text before the number, that behind it, and the word.
    for (before, behind, said) in [
        (
            "Calls were not compared with ",
            " changed parameter list",
            "unchecked",
        ),
        (
            "Calls were compared with ",
            " changed parameter list",
            "counted",
        ),
        (
            "Uses of fields were not looked for, which ",
            " changed type",
            "fields",
        ),
        (
            "Uses of members were not looked for, which ",
            " changed type",
            "embedding",
        ),
        (
            "Uses through a base were not looked for, which ",
            " changed type",
            "bases",
        ),
        ("Values were not compared with ", " type", "values"),
        (
            "Assignments were not compared with ",
            " member",
            "assignments",
        ),
        ("not known hold the word of ", " definition", "unfollowed"),
    ] {
        if let Some((_, rest)) = summary.split_once(before)
            && let Some((n, _)) = rest.split_once(behind)
        {
            assert_eq!(answer["complete"], false, "{answer}");
            all.push(format!("{said} {n}"));
        }
    }
    if let Some((before, _)) = summary.split_once(" left out of a usual build") {
        assert_eq!(answer["complete"], false, "{answer}");
        let n = before.rsplit(' ').nth(2).unwrap_or("-");
        all.push(format!("leftout {n}"));
    }
    if let Some((before, _)) = summary.split_once(" may be called by the language") {
        assert_eq!(answer["complete"], false, "{answer}");
        let n = before.rsplit(' ').nth(2).unwrap_or("-");
        all.push(format!("outside {n}"));
    }
    if let Some((before, _)) = summary.split_once(" may be used through an interface") {
        assert_eq!(answer["complete"], false, "{answer}");
        let n = before.rsplit(' ').nth(2).unwrap_or("-");
        all.push(format!("interfaces {n}"));
    }
    all
}

/// Returns the fixture's repository and its expectations.
fn parsed(text: &str) -> (Repo, Vec<String>) {
    let (said, steps): (Vec<&str>, Vec<&str>) = text
        .split_inclusive('\n')
        .partition(|line| line.starts_with("//= "));
    let said = said.iter().map(|line| line[4..].trim().to_owned());
    (Fixture::parse(&steps.concat()).build(), said.collect())
}

#[test]
fn files_that_are_not_read_are_named_where_they_hold_the_name() {
    let text = "//- /Store.cs\nclass Store { public void Open() {} public void Shut() {} }\n\
         //- /store.ts\nexport function load() { return 1 }\n";
    let repo = Fixture::parse(text).build();
    let wide = "class User { void Run(Store it) { it.Open(); } }".encode_utf16();
    let wide: Vec<u8> = [0xff, 0xfe]
        .into_iter()
        .chain(wide.flat_map(u16::to_le_bytes))
        .collect();
    repo.write("User.cs", wide);
    repo.write("user.ts", "// \0\nload()\n");
    repo.git(&["add", "-A"]);
    repo.git(&["commit", "-qm", "x"]);
    let cli = Cli::new(repo.path());
    let found = cli.json(&["impact", "Store.Open"]);
    let summary = word(&found["summary"]);
    assert!(summary.contains("(User.cs)"), "{summary}");
    let found = cli.json(&["impact", "Store.Shut"]);
    let summary = word(&found["summary"]);
    assert!(!summary.contains("User.cs"), "{summary}");
    repo.write("store.ts", "export function read() { return 1 }\n");
    let found = cli.json(&["changes"]);
    assert_eq!(found["complete"], false, "{found}");
    assert!(word(&found["summary"]).contains("(user.ts)"), "{found}");
}

#[test]
fn tests_that_reach_a_broken_use_are_listed() {
    let text = "//- /src/shape.ts\nexport function area() { return 1 }\n\
         //- /src/sum.ts\nimport { area } from './shape'\nexport function total() { return area() }\n\
         //- /test/sum.spec.ts\nimport { total } from '../src/sum'\nit('adds up', () => { total() })\n\
         //- commit base\n\
         //- /src/shape.ts\nexport function surface() { return 1 }\n";
    let repo = Fixture::parse(text).build();
    let cli = Cli::new(repo.path());
    let answer = cli.json(&["changes", repo.commit("base")]);
    assert_eq!(answer["brokenTotal"], 1, "{answer}");
    assert_eq!(answer["tests"][0]["path"], "test/sum.spec.ts", "{answer}");
    assert_eq!(
        cli.run(&["tests", repo.commit("base")]).stdout,
        "test/sum.spec.ts\n"
    );
}

#[test]
fn comments_alone_reach_no_test() {
    let file = |path: &str, comment: &str, code: &str| format!("//- {path}\n{comment}\n{code}\n");
    let state = |word: &str| {
        [
            file(
                "/src/a.ts",
                &format!("// {word}"),
                "export function open() { return 1 }",
            ),
            file(
                "/src/a.spec.ts",
                &format!("// {word}"),
                "import { open } from './a'\nit('opens', () => { open() })",
            ),
            file("/app/b.py", &format!("# {word}"), "def close(): return 1"),
            file(
                "/app/test_b.py",
                "",
                "from app.b import close\ndef test_close(): close()",
            ),
            file("/go.mod", "", "module a"),
            file(
                "/c.go",
                &format!("// Package c is {word}."),
                "package c\n\nfunc Put() {}",
            ),
            file(
                "/c_test.go",
                "",
                "package c\n\nimport \"testing\"\n\nfunc TestPut(t *testing.T) { Put() }",
            ),
        ]
        .concat()
    };
    let text = format!("{}//- commit base\n{}", state("old"), state("new"));
    let repo = Fixture::parse(&text).build();
    let cli = Cli::new(repo.path());
    let answer = cli.json(&["changes", repo.commit("base")]);
    assert_eq!(answer["filesTotal"], 4, "{answer}");
    assert_eq!(answer["testsTotal"], Value::Null, "{answer}");
    // The counter-example: a statement beside the comment runs.
    std::fs::write(
        repo.path().join("src/a.ts"),
        "// new\nconsole.log(1)\nexport function open() { return 1 }\n",
    )
    .unwrap();
    let answer = cli.json(&["changes", repo.commit("base")]);
    assert_eq!(answer["testsTotal"], 1, "{answer}");
    assert_eq!(answer["tests"][0]["path"], "src/a.spec.ts", "{answer}");
}

#[test]
fn every_list_goes_on_over_pages() {
    use std::fmt::Write as _;
    let mut text = String::from("//- /src/a.ts\n");
    for n in 0..40 {
        writeln!(text, "export function open{n}() {{ return {n} }}").unwrap();
    }
    for n in 0..40 {
        write!(
            text,
            "//- /src/use{n}.test.ts\nimport {{ open{n} }} from './a'\nit('opens {n}', () => {{ open{n}() }})\n"
        )
        .unwrap();
    }
    text += "//- commit base\n//- remove /src/a.ts\n";
    let repo = Fixture::parse(&text).build();
    let cli = Cli::new(repo.path());
    let base = repo.commit("base").to_owned();
    let lists = ["broken", "changes", "tests"];
    let mut seen = lists.map(|_| Vec::new());
    let mut cursor: Option<String> = None;
    for _ in 0..60 {
        let mut args = vec!["changes", &base, "--budget", "500"];
        args.extend(cursor.iter().flat_map(|it| ["--cursor", it.as_str()]));
        let page = cli.json(&args);
        for (at, list) in lists.iter().enumerate() {
            let entries = page[list].as_array().cloned().unwrap_or_default();
            seen[at].extend(entries.iter().map(Value::to_string));
            assert_eq!(page[format!("{list}Total")], 40, "{list}: {page}");
        }
        cursor = page["nextCursor"].as_str().map(str::to_owned);
        assert_eq!(
            page["truncated"].as_bool().unwrap_or(false),
            cursor.is_some()
        );
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!(cursor, None);
    for (list, mut seen) in lists.into_iter().zip(seen) {
        assert_eq!(seen.len(), 40, "{list}");
        seen.sort();
        seen.dedup();
        assert_eq!(seen.len(), 40, "{list}");
    }
}

#[test]
fn what_a_rule_leaves_out_is_not_removed() {
    let text = "//- /src/a.ts\nexport function open() { return 1 }\n//- /src/b.ts\nimport { open } from './a'\nopen()\n//- commit base\n\
         //- /src/a.ts\nexport function open() { return 2 }\n//- /.codelensignore\nsrc/a.ts\n";
    let repo = Fixture::parse(text).build();
    let cli = Cli::new(repo.path());
    for args in [&["impact", "open"][..], &["impact", "--changes"]] {
        let answer = cli.json(args);
        let summary = answer["summary"].as_str().unwrap();
        assert!(!summary.contains("removed"), "{summary}");
    }
}

#[cfg(unix)]
#[test]
fn files_are_listed_as_git_lists_them() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    let text = "//- /src/a.ts\nexport const a = 1\n//- /src/b.ts\nexport const b = 1\n//- commit base\n\
         //- /src/c.ts\nexport const c = 1\n//- commit head\n";
    let repo = Fixture::parse(text).build();
    let cli = Cli::new(repo.path());
    let base = repo.commit("base").to_owned();
    // As it was in `base`: git sees no difference there.
    std::fs::remove_file(repo.path().join("src/c.ts")).unwrap();
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(repo.path().join("src/a.ts"), mode).unwrap();
    repo.write("src/b.ts", "export const b = 1\r\n");
    symlink("src/a.ts", repo.path().join("link.ts")).unwrap();
    let listed = |args: &[&str]| -> Vec<String> {
        let answer = cli.json(args);
        assert_eq!(answer["changesTotal"], 0, "{answer}");
        let files = answer["files"].as_array().unwrap().iter();
        files
            .map(|it| format!("{} {}", word(&it["status"]), word(&it["path"])))
            .collect()
    };
    let wanted = ["added link.ts", "modified src/a.ts", "modified src/b.ts"];
    assert_eq!(listed(&["changes", &base]), wanted);
    repo.git(&["add", "--all"]);
    repo.git(&["commit", "--quiet", "--message", "modes"]);
    assert_eq!(listed(&["changes", &base, "--head", "HEAD"]), wanted);
}

#[test]
fn names_that_a_file_passes_on_are_counted_beside_definitions() {
    let text = "//- /src/a.ts\nexport const a = 1\nexport const b = 1\n//- /src/index.ts\nexport { a } from './a'\n//- commit base\n\
         //- /src/index.ts\nexport { b } from './a'\n";
    let repo = Fixture::parse(text).build();
    let answer = Cli::new(repo.path()).json(&["changes", repo.commit("base")]);
    assert_eq!(answer["changesTotal"], 2, "{answer}");
    let said = word(&answer["summary"]);
    assert!(
        said.starts_with("1 file and 0 definitions changed, 1 re-export added and 1 removed."),
        "{said}"
    );
}

#[test]
fn tests_behind_many_steps_are_not_said_to_be_none() {
    use std::fmt::Write as _;
    let mut text = String::from("//- /src/a.ts\nexport function f0() { return 1 }\n");
    for n in 1..9 {
        writeln!(text, "export function f{n}() {{ return f{}() }}", n - 1).unwrap();
    }
    text += "//- /src/a.test.ts\nimport { f8 } from './a'\nit('runs', () => { f8() })\n\
             //- /src/app.ts\nexport const app = make()\nfunction make() { return 1 }\n\
             //- /src/app.test.ts\nimport { app } from './app'\nit('has an app', () => { expect(app).toBe(1) })\n\
             //- commit base\n";
    let repo = Fixture::parse(&text).build();
    let cli = Cli::new(repo.path());
    for (symbol, is_complete) in [("f0", false), ("f3", false), ("f4", true), ("make", false)] {
        let answer = cli.json(&["tests", "--symbol", symbol]);
        assert_eq!(answer["complete"], is_complete, "{symbol}: {answer}");
    }
    repo.write(
        "src/a.ts",
        repo.read("src/a.ts").replace("return 1", "return 2"),
    );
    let answer = cli.json(&["changes", repo.commit("base")]);
    let summary = answer["summary"].as_str().unwrap();
    assert!(summary.contains("what changed within 5 steps"), "{summary}");
}

#[test]
fn nothing_is_extracted_where_both_states_are_indexed() {
    let text = "//- /src/price.ts\nexport function price() { return 1 }\n//- commit base\n\
         //- /src/price.ts\nexport function price(tax: number) { return tax }\n//- commit head\n";
    let repo = Fixture::parse(text).build();
    let cli = Cli::new(repo.path());
    let base = repo.commit("base").to_owned();
    cli.json(&["refresh"]);
    let n_extracted = || {
        let run = cli.run(&["changes", &base, "-vv"]);
        let line = run.stderr.lines().find(|line| line.contains("n_extracted"));
        line.unwrap_or_else(|| panic!("{}", run.stderr)).to_owned()
    };
    let line = n_extracted();
    assert!(line.contains("n_files=1 n_extracted=1"), "{line}");
    cli.json(&["refresh", "--ref", &base]);
    let line = n_extracted();
    assert!(line.contains("n_files=1 n_extracted=0"), "{line}");
}

#[test]
fn minified_code_has_no_definitions_that_come_or_go() {
    let bundle = "function a(b){return b}var c=a(1);".repeat(600);
    let text = format!(
        "//- /src/price.ts\nexport function price() {{ return 1 }}\n//- /dist/out.js\n{bundle}\n//- commit base\n"
    );
    let repo = Fixture::parse(&text).build();
    let cli = Cli::new(repo.path());
    let base = repo.commit("base").to_owned();
    let grown = "function a(b){return b}function d(){return 2};".repeat(600);
    for bundle in [Some(grown), None] {
        match bundle {
            Some(bundle) => repo.write("dist/out.js", &bundle),
            None => std::fs::remove_file(repo.path().join("dist/out.js")).unwrap(),
        }
        let answer = cli.json(&["changes", &base]);
        assert_eq!(found(&answer), ["notAnalysed 1"], "{answer}");
        assert_eq!(answer["complete"], true, "{answer}");
        let answer = cli.json(&["impact", "--changes"]);
        assert_eq!(answer["changeSet"]["removed"], json!([]), "{answer}");
        assert_eq!(answer["changeSet"]["filesTotal"], 1, "{answer}");
    }
    repo.git(&["checkout", "--quiet", "--", "."]);
    let row = "1,".repeat(20_000);
    repo.write("src/price.ts", format!("export const rows = [{row}]\n"));
    let answer = cli.json(&["changes", &base]);
    assert_eq!(found(&answer), ["notAnalysed 1"], "{answer}");
    assert_eq!(
        answer["complete"], false,
        "what it had may be used: {answer}"
    );
    let said = word(&answer["summary"]);
    assert!(
        said.contains("Not compared: 1 changed file of code"),
        "{said}"
    );
}

#[test]
fn a_file_in_conflict_is_not_compared_as_if_one_side_were_chosen() {
    let mut repo = Fixture::parse(
        "//- /shop.ts\nexport function open(path: string) { return path }\n\
         //- /app.ts\nimport { open } from './shop'\nopen('a')\n//- commit base\n//- branch other\n\
         //- /shop.ts\nexport function openAll(path: string) { return path }\n//- commit theirs\n//- checkout main\n\
         //- /shop.ts\nexport function openOne(path: string) { return path }\n//- commit ours\n",
    )
    .build();
    let _ = repo.try_git(&["merge", "--quiet", "other"]);
    let cli = Cli::new(repo.path());
    let answer = cli.json(&["changes"]);
    assert_eq!(answer["complete"], false, "{answer}");
    assert_eq!(answer["syntaxErrors"], json!(["shop.ts"]), "{answer}");
    repo.then("//- /shop.ts\nexport function open(path: string) { return path }\n");
    let answer = cli.json(&["changes"]);
    assert!(answer.get("syntaxErrors").is_none(), "{answer}");
}

#[test]
fn each_fixture_of_changes_is_told_as_it_says() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/changes");
    let mut faults = Vec::new();
    let mut n_fixtures = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let (repo, said) = parsed(&std::fs::read_to_string(&path).unwrap());
        let cli = Cli::new(repo.path());
        let base = repo.commit("base").to_owned();
        let mut args = vec!["changes", &base, "--budget", "20000"];
        let with = said.iter().find_map(|line| line.strip_prefix("with "));
        args.extend(with.iter().flat_map(|name| ["--with", name]));
        let answer = cli.json(&args);
        // The facts of a base that is indexed are those that its files give.
        cli.json(&["refresh", "--ref", &base]);
        let name = path.file_stem().unwrap().to_string_lossy();
        if cli.json(&args) != answer {
            faults.push(format!("{name}\n  differs where the base is indexed"));
        }
        let mut wanted: Vec<String> = said
            .iter()
            .filter(|line| !line.starts_with("with "))
            .cloned()
            .collect();
        let mut found = found(&answer);
        if with.is_some() {
            // The other lists have fixtures of their own.
            found.retain(|line| line.starts_with("collision"));
        }
        found.sort();
        wanted.sort();
        n_fixtures += 1;
        let missing: Vec<_> = wanted.iter().filter(|it| !found.contains(it)).collect();
        let more: Vec<_> = found.iter().filter(|it| !wanted.contains(it)).collect();
        if found != wanted {
            faults.push(format!("{name}\n  missing {missing:#?}\n  more {more:#?}"));
        }
    }
    assert!(n_fixtures > 10);
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Returns a repository with a branch `feature` that adds a file.
fn branch_with_a_file() -> Repo {
    let text = "//- /src/a.ts\nexport const a = 1;\n//- /docs/a.md\nwords\n//- commit base\n//- branch feature\n\
                //- /src/b.ts\nexport function b(x: number) { return x }\n//- commit two\n";
    Fixture::parse(text).build()
}

#[test]
fn a_branch_is_compared_with_the_default_branch_whatever_its_name() {
    for (name, is_default) in [("trunk", true), ("develop", true), ("work", false)] {
        let repo = branch_with_a_file();
        repo.git(&["checkout", "--quiet", "feature"]);
        repo.git(&["branch", "--move", "main", name]);
        let cli = Cli::new(repo.path());
        if is_default {
            let value = cli.json(&["changes"]);
            assert_eq!(
                value["base"]["name"],
                format!("merge base with {name}"),
                "{value}"
            );
            assert_eq!(value["changes"][0]["symbol"], "b", "{value}");
        } else {
            let said = cli.fails(&["changes"], 1);
            assert!(
                said.contains("no `main`, `master`, `trunk` or `develop`"),
                "{said}"
            );
        }
    }
}

#[test]
fn inputs_that_name_no_state_are_refused() {
    let repo = branch_with_a_file();
    let cli = Cli::new(repo.path());
    let long = "x".repeat(100_000);
    let many = vec!["main"; 21].join(",");
    for (args, part) in [
        (&["nope"][..], "error: `BASE`: no branch, tag or commit"),
        (&["mian"], "did you mean `main`"),
        (&[""], "error: `BASE`: the name of the commit is empty"),
        (
            &["main..feature"],
            "error: `BASE`: `main..feature` names several commits",
        ),
        (&[&long], "error: `BASE`"),
        (&["main", "--head", "nope"], "error: `--head`:"),
        (&["main", "--head="], "error: `--head`:"),
        (&["main", "--head", &long], "error: `--head`:"),
        (&["main", "--with", "featuer"], "error: `--with`: no branch"),
        (&["main", "--with="], "error: `--with`:"),
        (&["main", "--with", &long], "error: `--with`:"),
        (&["main", "--with", &many], "at most 20"),
        (&["main", "--path", "../b"], "not a path inside"),
        (
            &["main", "--path", "src/c.ts"],
            "no file or directory `src/c.ts`",
        ),
        (&["main", "--path", &long], "no file or directory"),
        (
            &["main", "--cursor", "x"],
            "the cursor belongs to another query",
        ),
        (
            &["main", "--cursor", &long],
            "the cursor belongs to another query",
        ),
    ] {
        let told = cli.fails(&[&["changes"], args].concat(), 1);
        assert!(
            told.contains(part) && told.len() < 1_500,
            "{args:?}: {told}"
        );
    }
    for args in [
        &["nope"][..],
        &["--symbol", "nope"],
        &["--symbol="],
        &["--symbol", &long],
    ] {
        let told = cli.fails(&[&["tests"], args].concat(), 1);
        assert!(told.len() < 1_500, "{args:?}: {told}");
    }
    // A directory in which nothing differs is none that is missing.
    let answer = cli.json(&["changes", "main", "--path", "docs"]);
    assert_eq!(
        (&answer["filesTotal"], &answer["complete"]),
        (&json!(0), &json!(true))
    );
    for bound in [
        "--limit=0",
        "--limit=-1",
        "--budget=0",
        "--limit=9223372036854775807",
    ] {
        let answer = cli.json(&["changes", "main", bound]);
        assert_eq!(answer["changes"][0]["symbol"], "b", "{bound}: {answer}");
    }
}

#[test]
fn inputs_of_another_type_are_refused() {
    let repo = branch_with_a_file();
    let mut session = Session::of(Cli::new(repo.path()).command(&["serve"]));
    let mut at = 0;
    let mut ask = |arguments: &Value| {
        at += 1;
        let params = json!({"name": "cl_changes", "arguments": arguments});
        session.ask(at, "tools/call", &params)["result"]["content"][0]["text"].to_string()
    };
    for wrong in [
        json!({"base": 5}),
        json!({"base": ["main"]}),
        json!({"head": {}}),
        json!({"with": 5}),
        json!({"with": [5]}),
        json!({"path": {}}),
        json!({"path": [1]}),
        json!({"include": ["nope"]}),
        json!({"include": 1}),
        json!({"budget": "many"}),
        json!({"budget": 1.5}),
        json!({"limit": []}),
        json!({"cursor": 1}),
        json!({"ref": "main"}),
    ] {
        let told = ask(&wrong);
        let field = wrong.as_object().unwrap().keys().next().unwrap();
        assert!(told.contains("invalid_argument"), "{wrong}: {told}");
        assert!(told.contains(field.as_str()), "{wrong}: {told}");
    }
    assert!(ask(&json!({"base": "main", "with": [], "path": [], "include": []})).contains("added"));
    // Some clients fill in every field.
    let nulls = json!({"base": "main", "head": null, "with": null, "path": null, "include": null, "budget": null, "limit": null, "cursor": null});
    assert!(ask(&nulls).contains("added"));
}

#[test]
fn questions_about_one_pair_do_not_see_each_other() {
    let text = "//- /src/a.ts\nexport function open() { return 1 }\nexport function shut() { return 2 }\n\
                //- /src/use.ts\nimport { open, shut } from './a'\nexport const both = open() + shut()\n\
                //- /test/use.test.ts\nimport { both } from '../src/use'\nit('sums', () => both)\n\
                //- commit base\n//- branch feature\n//- /src/a.ts\nexport function open() { return 3 }\n//- commit two\n";
    let repo = Fixture::parse(text).build();
    let cli = Cli::new(repo.path());
    let mut session = Session::of(cli.command(&["serve"]));
    let questions: [(&[&str], Value); 6] = [
        (&[], json!({})),
        (&["--include", "source"], json!({"include": ["source"]})),
        (&["--path", "src/a.ts"], json!({"path": ["src/a.ts"]})),
        (&["--path", "test"], json!({"path": ["test"]})),
        (&["--limit", "1"], json!({"limit": 1})),
        (&[], json!({})),
    ];
    for (at, (args, more)) in questions.into_iter().enumerate() {
        let args = [&["changes", "main", "--head", "feature"], args].concat();
        let alone = cli.json(&args);
        let mut arguments = json!({"base": "main", "head": "feature"});
        for (key, value) in more.as_object().unwrap() {
            arguments[key] = value.clone();
        }
        let params = json!({"name": "cl_changes", "arguments": arguments});
        let asked = session.ask(at as u64 + 1, "tools/call", &params);
        let asked = &asked["result"]["structuredContent"];
        for key in ["summary", "broken", "changes", "tests", "files", "complete"] {
            assert_eq!(asked[key], alone[key], "{args:?}");
        }
    }
}

#[test]
fn a_branch_is_drawn_with_the_places_that_it_reaches() {
    let text = "//- /src/a.ts\nexport function open(at: string) { return at }\nexport function close() { return 1 }\n\
                //- /src/b.ts\nimport { open, close } from './a'\nexport function run() { return open('x') + close() }\n\
                //- commit base\n//- branch feature\n\
                //- /src/a.ts\nexport function open(at: string, how: number) { return at + how }\n//- commit two\n";
    let repo = Fixture::parse(text).build();
    let cli = Cli::new(repo.path());
    let ran = cli.run(&["view", "--base", "main", "--output", "-"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    for part in [
        "changes since main",
        "\"mode\":\"impact\"",
        "\"group\":\"signature\"",
        "\"group\":\"removed\"",
        "\"group\":\"broken\"",
        "\"name\":\"run\"",
    ] {
        assert!(ran.stdout.contains(part), "{part}");
    }
    let told = cli.fails(&["view", "--base", "mian"], 1);
    assert!(told.contains("did you mean `main`"), "{told}");
    assert!(!cli.fails(&["view", "--base="], 1).is_empty());
    cli.fails(&["view", "--base", "main", "--changes"], 2);
}

#[test]
fn tests_in_languages_that_are_not_followed_are_missed_however_much_changed() {
    for n_methods in [1, 130] {
        let store = |body: u32| {
            let methods = (0..n_methods).map(|n| format!("  int m{n}() {{ return {body}; }}\n"));
            format!("class Store {{\n{}}}\n", methods.collect::<String>())
        };
        let test = "class FlowSpec { fun stores() { Store().m0() } }\n";
        let repo = Fixture::parse(&format!(
            "//- /src/main/java/Store.java\n{}//- /src/test/kotlin/FlowSpec.kt\n{test}//- commit one\n",
            store(1)
        ))
        .build();
        let cli = Cli::new(repo.path());
        repo.write("src/main/java/Store.java", store(2));
        let found = cli.json(&["tests"]);
        let is_listed = found["tests"].to_string().contains("FlowSpec.kt");
        assert!(
            is_listed || found["complete"] == false,
            "{n_methods}: {found}"
        );
        let of_file = cli.json(&["tests", "src/main/java/Store.java"]);
        let is_listed = of_file["tests"].to_string().contains("FlowSpec.kt");
        assert!(
            is_listed || of_file["complete"] == false,
            "{n_methods}: {of_file}"
        );
    }
}
