//! Golden queries: what is found for them, and where, in a file that a change of ranking shows as a
//! difference. `CODELENS_UPDATE=1` writes it anew.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::support::{Cli, Fixture};

/// The fixtures that have queries.
const FIXTURES: [&str; 3] = ["shop", "ledger", "kiosk"];

/// How far down an answer is looked at.
const DEPTH: usize = 10;

/// A question and what answers it.
struct Golden {
    query: String,
    path: String,
    symbol: Option<String>,
}

#[test]
fn golden_queries_find_what_they_found() {
    let mut found = String::new();
    let mut all = Vec::new();
    for name in FIXTURES {
        let repo = Fixture::load(name).build();
        let cli = Cli::new(repo.path());
        let mut ranks = Vec::new();
        let _ = writeln!(found, "{name}");
        for golden in read(name) {
            let rank = golden.rank(&cli);
            let place = rank.map_or("-".to_owned(), |rank| rank.to_string());
            let _ = writeln!(found, "  {place:>2}  {}", golden.query);
            ranks.push(rank);
        }
        let _ = writeln!(found, "  {}", statistics(&ranks));
        all.extend(ranks);
    }
    let _ = writeln!(found, "all\n  {}", statistics(&all));
    let path = directory().join("statistics.txt");
    if std::env::var_os("CODELENS_UPDATE").is_some() {
        std::fs::write(&path, &found).unwrap();
    }
    let wanted = std::fs::read_to_string(&path).unwrap_or_default();
    let changed: Vec<&str> = found
        .lines()
        .filter(|line| !wanted.lines().any(|known| known == *line))
        .collect();
    assert!(
        found == wanted,
        "the ranking has changed; if it is for the better, run this test with CODELENS_UPDATE=1:\n{}",
        changed.join("\n")
    );
}

#[test]
fn what_is_there_twice_is_put_forward_once() {
    let cookie = "export function serialize(name, value) {\n  // a value is escaped before it is sent in a cookie\n  \
                  return name + '=' + encodeURIComponent(value)\n}\n";
    let repo = Fixture::parse(&format!(
        "//- /lib/cookie.js\n{cookie}//- /port/cookie.js\n{cookie}//- /lib/session.js\n\
         export function end(session) {{\n  // the cookie of a session is sent empty\n  return session.id\n}}\n//- commit base\n"
    ))
    .build();
    let cli = Cli::new(repo.path());
    let question = "where is the value of a cookie escaped before it is sent";
    let answer = cli.json(&["search", question, "--explain"]);
    let found = |path: &str| {
        let hits = answer["results"].as_array().unwrap();
        hits.iter().find(|hit| hit["path"] == path).unwrap()
    };
    let (one, copy) = (found("lib/cookie.js"), found("port/cookie.js"));
    assert_eq!(one["explain"]["weight"], 1.0);
    assert!(copy["explain"]["weight"].as_f64().unwrap() < 0.6, "{copy}");
    assert!(copy.to_string().contains("\"copy\""), "{copy}");
    assert!(!one.to_string().contains("\"copy\""), "{one}");
}

#[test]
fn a_file_is_put_forward_by_what_it_is_named() {
    let repo = Fixture::parse(
        "//- /lib/gateway.js\nexport function listen(port) {\n  // a request is read from the port\n  return port\n}\n\
         //- /lib/server.js\nexport class Gateway {\n  open(port) {\n    // each request waits for the port\n    return port\n  }\n}\n\
         //- /lib/cookie-jar.js\nexport function keep(cookie) {\n  // a cookie is sent again with the request\n  return cookie\n}\n\
         //- commit base\n",
    )
    .build();
    let cli = Cli::new(repo.path());
    let has_path = |question: &str, path: &str| {
        let answer = cli.json(&["search", question, "--explain"]);
        let hits = answer["results"].as_array().unwrap();
        let hit = hits.iter().find(|hit| hit["path"] == path).unwrap();
        hit.to_string().contains("\"path\",\"rank\"")
    };
    // Nothing is called `gateway.text` yet: whoever wants it means the gateway. `Gateway.open` is there.
    assert!(has_path(
        "let gateway.text read each request as text",
        "lib/gateway.js"
    ));
    assert!(!has_path(
        "let gateway.open read each request as text",
        "lib/gateway.js"
    ));
    // All words of a name of several, not some.
    assert!(has_path(
        "a cookie leaves the jar when a request is sent",
        "lib/cookie-jar.js"
    ));
    assert!(!has_path(
        "a cookie is kept when a request is sent",
        "lib/cookie-jar.js"
    ));
}

#[test]
fn a_word_that_is_written_like_a_name_is_one() {
    let repo = Fixture::parse(
        "//- /lib/page.js\nexport class Page {\n  $root() {\n    return this.top\n  }\n}\n\
         //- /lib/tree.js\nexport function root(leaf) {\n  // up to where a leaf has no parent and is shown\n  return leaf\n}\n\
         //- /lib/ending.js\nexport function shown() {\n  return false\n}\n\
         //- commit base\n",
    )
    .build();
    let cli = Cli::new(repo.path());
    let name_adds = |question: &str, path: &str| {
        let answer = cli.json(&["search", question, "--explain"]);
        let hits = answer["results"].as_array().unwrap();
        let hit = hits.iter().find(|hit| hit["path"] == path).unwrap();
        let signals = hit["explain"]["signals"].as_array().unwrap();
        let name = signals.iter().find(|signal| signal["name"] == "name");
        name.map_or(0.0, |signal| signal["adds"].as_f64().unwrap())
    };
    // With its sign it is another name.
    let (signed, plain) = (
        "a parent leaf without $root is shown",
        "a parent leaf without root is shown",
    );
    assert!(name_adds(signed, "lib/page.js") > 0.2);
    assert!(name_adds(signed, "lib/tree.js") < 0.1);
    assert!(name_adds(plain, "lib/page.js") < 0.1);
    for set_off in ["`shown`", "shown()"] {
        let question = format!("a parent leaf without root is {set_off}");
        assert!(name_adds(&question, "lib/ending.js") > 0.2, "{set_off}");
    }
    assert!(name_adds(plain, "lib/ending.js") < 0.1);
}

impl Golden {
    /// Returns the place of the answer among the hits, from 1.
    fn rank(&self, cli: &Cli) -> Option<usize> {
        let limit = DEPTH.to_string();
        let answer = cli.json(&["search", &self.query, "-n", &limit, "--snippet", "none"]);
        let hits = answer["results"].as_array().unwrap();
        let place = hits.iter().position(|hit| {
            let is_symbol = |symbol: &String| hit["symbol"].as_str() == Some(symbol);
            hit["path"].as_str() == Some(&self.path) && self.symbol.iter().all(is_symbol)
        });
        place.map(|place| place + 1)
    }
}

fn read(name: &str) -> Vec<Golden> {
    let text = std::fs::read_to_string(directory().join(format!("{name}.queries"))).unwrap();
    let lines = text.lines().map(str::trim);
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|line| {
            let (query, target) = line.split_once(" => ").expect("`question => file#symbol`");
            let (path, symbol) = match target.split_once('#') {
                Some((path, symbol)) => (path, Some(symbol.to_owned())),
                None => (target, None),
            };
            Golden {
                query: query.to_owned(),
                path: path.to_owned(),
                symbol,
            }
        })
        .collect()
}

fn statistics(ranks: &[Option<usize>]) -> String {
    #[allow(clippy::cast_precision_loss, reason = "there are few queries")]
    let mean = |of: &dyn Fn(usize) -> f64| {
        ranks.iter().flatten().map(|rank| of(*rank)).sum::<f64>() / ranks.len() as f64
    };
    let recall = |at: usize| mean(&|rank| f64::from(u8::from(rank <= at)));
    #[allow(clippy::cast_precision_loss, reason = "a rank is small")]
    let mrr = mean(&|rank| 1.0 / rank as f64);
    format!(
        "n={} recall@1 {:.3} recall@5 {:.3} recall@10 {:.3} MRR {mrr:.3}",
        ranks.len(),
        recall(1),
        recall(5),
        recall(10)
    )
}

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/ranking")
}
