//! Saved records beyond one work tree: of other clones, at other commits, as resources, in counts, and out of a damaged file.

use serde_json::{Value, json};

use crate::cli_and_mcp::Session;
use crate::support::{Cli, Fixture, Repo, walk};

const BASE: &str = "\
//- /src/queue.ts
export function queueJob(job: string) {
  const place = jobs.indexOf(job);
  jobs.splice(place, 0, job);
  return flush(place);
}
export function flush(place: number) {
  const taken = jobs.slice(place);
  for (const job of taken) console.log(job);
  return taken.length;
}
const jobs: string[] = [];
//- commit base
";

fn note(cli: &Cli, symbol: &str, text: &str) -> String {
    let handle = cli.handle(symbol);
    let saved = cli.json(&["note", "add", "--handle", &handle, text]);
    saved["id"].as_str().unwrap().to_owned()
}

fn clone_of(repo: &Repo, name: &str) -> std::path::PathBuf {
    let to = repo.dir.path().join(name);
    let from = repo.path();
    repo.git(&[
        "clone",
        "--quiet",
        from.to_str().unwrap(),
        to.to_str().unwrap(),
    ]);
    to
}

#[test]
fn records_of_other_clones_are_offered_and_stay_theirs() {
    let repo = Fixture::parse(BASE).build();
    let (one, two) = (clone_of(&repo, "one"), clone_of(&repo, "two"));
    let mut cli = Cli::new(&one);
    let kept = note(&cli, "queueJob", "The place is minus one for a new job.");
    let gone = note(&cli, "flush", "The rest is taken out.");
    let failure = cli.json(&[
        "note",
        "add",
        "--kind",
        "failure",
        "RangeError: too many jobs at once",
    ]);
    cli.go(&two);
    let path = two.join("src/queue.ts");
    let text = std::fs::read_to_string(&path).unwrap();
    let from = text.find("export function flush").unwrap();
    std::fs::write(&path, &text[..from]).unwrap();
    let listed = |found: &Value| -> Vec<(String, String)> {
        let results = found["results"].as_array().unwrap().iter();
        let text = |it: &Value| it.as_str().unwrap_or("here").to_owned();
        results
            .map(|it| (text(&it["id"]), text(&it["from"])))
            .collect()
    };
    // By place and by words; what does not hold here is not offered.
    let about = cli.json(&["load", "--about", "src/queue.ts"]);
    assert_eq!(
        listed(&about),
        [(kept.clone(), "one".to_owned())],
        "{about}"
    );
    assert_eq!(
        (&about["total"], &about["results"][0]["verdict"]),
        (&json!(0), &json!("holds"))
    );
    let found = cli.json(&["load", "--query", "RangeError: too many jobs"]);
    assert_eq!(found["results"][0]["id"], failure["id"], "{found}");
    assert_eq!(found["results"][0]["from"], "one");
    let named = cli.json(&["load", &gone]);
    assert_eq!(named["results"][0]["verdict"], "stale", "{named}");
    // Nothing of them is said unasked, and nothing is here.
    assert!(cli.json(&["explore", "queueJob"])["notes"].is_null());
    assert_eq!(cli.json(&["note", "list"])["records"], json!([]));
    assert!(cli.json(&["stats"])["memory"].is_null());
    assert_eq!(cli.json(&["load", "--kind", "note"])["results"], json!([]));
    assert!(
        cli.fails(&["load", "mem_0000000000000000"], 1)
            .contains("nothing is saved")
    );
    assert!(
        cli.fails(&["load", "login"], 1)
            .contains("nothing is saved")
    );
    // Own records come first, and what was imported from there is not offered again.
    let own = note(&cli, "queueJob", "Jobs are kept in order.");
    let about = cli.json(&["load", "--about", "src/queue.ts"]);
    let wanted = [
        (own.clone(), "here".to_owned()),
        (kept.clone(), "one".to_owned()),
    ];
    assert_eq!(listed(&about), wanted);
    assert_eq!(
        listed(&cli.json(&["load", "--about", "src/queue.ts", "-n", "1"])),
        wanted[..1]
    );
    assert!(
        cli.run(&["load", "--about", "src/queue.ts"])
            .stdout
            .contains("from the clone one")
    );
    cli.go(&one);
    let export = cli.run(&["note", "export", &kept]).stdout;
    let file = repo.dir.path().join("records.json");
    std::fs::write(&file, export).unwrap();
    cli.go(&two);
    cli.json(&["note", "import", file.to_str().unwrap()]);
    let about = cli.json(&["load", "--about", "src/queue.ts"]);
    let wanted = [(own, "here".to_owned()), (kept.clone(), "here".to_owned())];
    assert_eq!(listed(&about), wanted, "{about}");
    // An imported record is offered to nobody; a memory that can't be read offers nothing.
    let three = clone_of(&repo, "three");
    cli.go(&three);
    let about = cli.json(&["load", "--about", "src/queue.ts", "-n", "50"]);
    let from: Vec<String> = listed(&about).into_iter().map(|it| it.1).collect();
    assert_eq!(from.iter().filter(|it| *it == "two").count(), 1, "{about}");
    for path in walk(&cli.home()) {
        if path.ends_with("contexts.db") {
            std::fs::write(path, [3; 9_000]).unwrap();
        }
    }
    assert_eq!(
        cli.json(&["load", "--about", "src/queue.ts"])["results"],
        json!([])
    );
}

#[test]
fn a_record_is_judged_at_the_commit_that_is_asked_for() {
    let mut repo = Fixture::parse(BASE).build();
    let cli = Cli::new(repo.path());
    let id = note(&cli, "queueJob", "The place.");
    repo.then("//- branch other\n");
    let text = repo
        .read("src/queue.ts")
        .replace("splice(place, 0", "splice(place, 1");
    repo.write("src/queue.ts", text);
    repo.then(
        "//- commit changed\n//- remove /src/queue.ts\n//- commit removed\n//- checkout main\n",
    );
    let verdict = |reference: &str| {
        let found = cli.json(&["load", &id, "--ref", reference]);
        assert_eq!(found["freshness"], "fresh", "{found}");
        found["results"][0]["verdict"].as_str().unwrap().to_owned()
    };
    assert_eq!(
        (verdict("main").as_str(), verdict("other~1").as_str()),
        ("holds", "check")
    );
    assert_eq!(verdict("other"), "stale");
    let found = cli.json(&["load", &id, "--ref", "other~1"]);
    let signals = found["results"][0]["signals"].to_string();
    assert!(signals.contains("recorded 1 commit ago"), "{found}");
    // So do the counts and titles in other answers.
    let explored = |reference: &str| {
        let targets = [
            "explore",
            "--targets",
            "queueJob",
            "--include",
            "notes",
            "--ref",
            reference,
        ];
        cli.json(&targets)["notes"][0]["verdict"].clone()
    };
    assert_eq!(
        (explored("main"), explored("other~1")),
        (json!("holds"), json!("check"))
    );
    assert!(
        cli.fails(&["load", &id, "--ref", "nothing"], 1)
            .contains("no branch, tag or commit")
    );
    // A bare repository is asked at its HEAD.
    let bare = repo.dir.path().join("bare.git");
    repo.git(&["clone", "--quiet", "--bare", ".", bare.to_str().unwrap()]);
    let mut cli = Cli::new(bare);
    cli.set("CODELENS_FIRST_BUILD_MS", "60000");
    assert_eq!(cli.json(&["load", "--kind", "note"])["results"], json!([]));
}

#[test]
fn records_are_resources_and_are_counted() {
    let repo = Fixture::parse(BASE).build();
    let cli = Cli::new(repo.path());
    cli.json(&["refresh"]);
    assert!(cli.json(&["stats"])["memory"].is_null());
    let id = note(&cli, "queueJob", "The place.");
    note(&cli, "flush", "The rest.");
    cli.json(&["save", "queue", "--path", "src/queue.ts", "--notes", "x"]);
    let stats = cli.json(&["stats"]);
    assert_eq!(
        stats["memory"],
        json!({"records": {"context": 1, "note": 2}})
    );
    assert!(cli.run(&["stats"]).stdout.contains("1 context, 2 notes"));
    let mut session = Session::of(cli.command(&["serve"]));
    let templates = session.ask(1, "resources/templates/list", &json!({}))["result"].clone();
    let uris: Vec<_> = templates["resourceTemplates"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["uriTemplate"].clone())
        .collect();
    assert_eq!(
        uris,
        [
            json!("codelens://context/{name}"),
            json!("codelens://note/{id}")
        ]
    );
    let mut read = |uri: String| session.ask(2, "resources/read", &json!({"uri": uri}));
    let answer = read(format!("codelens://note/{id}"));
    let text = answer["result"]["contents"][0]["text"].as_str().unwrap();
    let value: Value = serde_json::from_str(text).unwrap();
    assert_eq!(
        (
            &value["results"][0]["text"],
            &value["results"][0]["verdict"]
        ),
        (&json!("The place."), &json!("holds"))
    );
    for wrong in ["mem_0123456789abcdef", "queue", "", "mem_", "mem_../../x"] {
        let answer = read(format!("codelens://note/{wrong}"));
        assert!(answer["error"]["code"].is_i64(), "{wrong}: {answer}");
    }
    let argument = json!({"ref": {"type": "ref/resource", "uri": "codelens://note/{id}"}, "argument": {"name": "id", "value": &id[..6]}});
    let completed =
        session.ask(3, "completion/complete", &argument)["result"]["completion"]["values"].clone();
    assert!(
        completed.as_array().unwrap().contains(&json!(id)),
        "{completed}"
    );
    // Lists name no record: titles are told where they are asked for.
    let list = session.ask(4, "resources/list", &json!({}))["result"].to_string();
    assert!(!list.contains("The place") && !list.contains(&id), "{list}");
}

#[test]
fn what_can_be_read_of_a_damaged_memory_is_exported() {
    let repo = Fixture::parse(BASE).build();
    let cli = Cli::new(repo.path());
    let handle = cli.handle("queueJob");
    let long = "words that fill a page of the file ".repeat(100);
    let ids: Vec<String> = (0..60)
        .map(|n| {
            let saved = cli.json(&[
                "note",
                "add",
                "--handle",
                &handle,
                &format!("note {n} {long}"),
            ]);
            saved["id"].as_str().unwrap().to_owned()
        })
        .collect();
    let file = walk(&cli.home())
        .into_iter()
        .find(|path| path.ends_with("contexts.db"))
        .unwrap();
    let mut bytes = std::fs::read(&file).unwrap();
    // A stretch in the middle.
    let (middle, page) = (bytes.len() / 2 / 4_096, 4_096);
    bytes[middle * page..(middle + 10) * page].fill(0xAB);
    std::fs::write(&file, &bytes).unwrap();
    let said = cli.fails(&["load", "--kind", "note"], 1);
    assert!(said.contains("the saved records are damaged"), "{said}");
    // The index is another file: it is not built again for that.
    assert_eq!(cli.json(&["search", "queueJob"])["freshness"], "fresh");
    let saved = cli.json(&["note", "add", "--handle", &handle, "begun anew"]);
    let told = saved["note"].as_str().expect("a save meets the damage");
    assert!(
        told.contains("could be read") && told.contains("codelens doctor"),
        "{told}"
    );
    let doctor = cli.run(&["doctor", "--json"]);
    let doctor: Value = serde_json::from_str(&doctor.stdout).unwrap();
    let check = doctor["checks"]
        .as_array()
        .unwrap()
        .iter()
        .find(|it| it["name"] == "memory")
        .unwrap();
    let detail = check["detail"].as_str().unwrap();
    assert_eq!(check["ok"], false, "{check}");
    let export = detail.rsplit(' ').next().unwrap();
    let imported = cli.json(&["note", "import", export]);
    let n = imported["imported"].as_array().unwrap().len();
    assert!(n >= 20 && n < ids.len(), "{n} of {}", ids.len());
    let listed = cli.json(&["note", "list"])["records"]
        .as_array()
        .unwrap()
        .len();
    assert_eq!(listed, n + 1);
    std::fs::remove_file(export).unwrap();
    assert_eq!(cli.run(&["doctor"]).code, 0);
}
