//! Vectors of commits that were never checked out, by a model behind a server.

use std::time::Duration;

use serde_json::{Value, json};

use crate::cli_and_mcp::Session;
use crate::support::{Cli, FakeModel, Fixture, Repo};

const TWO: &str = "\
//- /src/store.ts
export function openStore(path: string): string { return path + '.db' }

export function closeStore(): number { return 1 }
//- /src/cart.ts
export function addToCart(item: string): string { return item }
//- commit one
//- branch feature
//- /src/timer.ts
/** Sleep until the next try, longer each time. */
export function backoff(tries: number): number { return tries * 2 }
//- commit two
//- checkout main
";

/// In other words than the code's.
const QUESTION: &str = "throttle pause requests politely";

/// A repository with a branch that is never checked out again, and a model behind a server that counts.
fn two() -> (Repo, Cli, FakeModel) {
    let repo = Fixture::parse(TWO).build();
    let server = FakeModel::start();
    let cli = with_model(&repo, &server);
    (repo, cli, server)
}

fn with_model(repo: &Repo, server: &FakeModel) -> Cli {
    let mut cli = Cli::new(repo.path());
    cli.set("CODELENS_EMBED_PROVIDER", "http");
    cli.set("CODELENS_EMBED_MODEL", "small");
    cli.set("CODELENS_EMBED_URL", server.embeddings());
    cli.set("CODELENS_EMBED_WEIGHT", "1");
    cli
}

fn have_of(value: &Value) -> (u64, u64) {
    let count = |name: &str| value[name].as_u64().unwrap_or_else(|| panic!("{value}"));
    (count("have"), count("of"))
}

#[test]
fn a_commit_gets_its_vectors_by_its_name() {
    let (repo, mut cli, server) = two();
    let (_, n_main) = have_of(&cli.json(&["embed", "build"]));
    cli.set("CODELENS_EMBED_PROVIDER", "off");
    let plain = cli.json(&["search", QUESTION, "--ref", "feature"]);
    cli.set("CODELENS_EMBED_PROVIDER", "http");
    // Texts that `main` has too need no vector of their own.
    let early = cli.json(&["search", QUESTION, "--ref", "feature"]);
    let (have, of) = have_of(&early["ranking"]["vector"]);
    assert_eq!(
        (early["ranking"]["vector"]["state"].as_str(), have),
        (Some("partial"), n_main)
    );
    assert!(of > have);
    assert_eq!(early["results"], plain["results"]);
    let shown = cli.run(&["search", QUESTION, "--ref", "feature"]).stdout;
    assert!(
        shown.contains("`codelens embed build --ref feature` makes the others"),
        "{shown}"
    );
    let status = cli.json(&["embed", "status", "--ref", "feature"]);
    assert_eq!(
        (have_of(&status), &status["ref"]),
        ((have, of), &json!("feature"))
    );
    // The command that it names makes them.
    server.take_texts();
    let built = cli.json(&["embed", "build", "--ref", "feature"]);
    assert_eq!(
        (built["embedded"].as_u64(), have_of(&built)),
        (Some(of - have), (of, of))
    );
    let sha = repo.git(&["rev-parse", "feature"]);
    assert_eq!(built["headSha"], sha.trim());
    let sent = server.take_texts();
    assert!(
        sent.iter().all(|text| !text.contains("openStore")),
        "{sent:?}"
    );
    let found = cli.json(&["search", QUESTION, "--ref", "feature"]);
    assert_eq!(found["ranking"]["vector"], json!({"state": "whole"}));
    assert_eq!(
        (&found["results"][0]["path"], &found["results"][0]["why"]),
        (&json!("src/timer.ts"), &json!("vector"))
    );
    // The work tree is asked as before, and nothing of the branch is in its answer.
    let own = cli.json(&["search", QUESTION]);
    assert_eq!(own["ranking"]["vector"], json!({"state": "whole"}));
    assert!(!own["results"].to_string().contains("timer.ts"), "{own}");
    assert_eq!(repo.git(&["branch", "--show-current"]).trim(), "main");
    let said = cli.fails(&["embed", "build", "--ref", "nowhere"], 1);
    assert!(said.contains("`nowhere`"), "{said}");
}

#[test]
fn a_bare_repository_gets_vectors_of_its_head() {
    let (repo, _, server) = two();
    let bare = repo.dir.path().join("bare.git");
    repo.git(&["clone", "--quiet", "--bare", ".", bare.to_str().unwrap()]);
    let mut cli = with_model(&repo, &server);
    cli.go(&bare);
    let early = cli.json(&["search", "pause store"]);
    assert_eq!(early["ranking"]["vector"]["state"], "partial", "{early}");
    let built = cli.json(&["embed", "build"]);
    let (have, of) = have_of(&built);
    assert!(have == of && of > 0, "{built}");
    assert_eq!(
        cli.json(&["search", "pause store"])["ranking"]["vector"],
        json!({"state": "whole"})
    );
    let found = cli.json(&["embed", "build", "--ref", "feature"]);
    assert_eq!(
        have_of(&found),
        (of + found["embedded"].as_u64().unwrap(), have_of(&found).1)
    );
    let asked = cli.json(&["search", QUESTION, "--ref", "feature"]);
    assert_eq!(asked["results"][0]["path"], "src/timer.ts", "{asked}");
}

#[test]
fn a_server_makes_the_vectors_of_a_commit_after_the_answer() {
    let (_repo, cli, _server) = two();
    let mut session = Session::of(cli.command(&["serve"]));
    let ask = |session: &mut Session, id: u64| {
        let arguments = json!({"query": QUESTION, "ref": "feature"});
        let params = json!({"name": "cl_search", "arguments": arguments});
        session.ask(id, "tools/call", &params)["result"]["structuredContent"].clone()
    };
    let first = ask(&mut session, 1);
    assert_eq!(first["ranking"]["vector"]["state"], "partial", "{first}");
    let mut last = first;
    for id in 2..200 {
        last = ask(&mut session, id);
        if last["ranking"]["vector"]["state"] == "whole" {
            break;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(
        last["ranking"]["vector"],
        json!({"state": "whole"}),
        "{last}"
    );
    assert_eq!(last["results"][0]["path"], "src/timer.ts", "{last}");
    session.close();
}
