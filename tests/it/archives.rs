//! Archives that are asked like repositories, and those that are refused.

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::cli_and_mcp::Session;
use crate::support::{Cli, Fixture, walk};

/// A place for archives, and a command line beside it.
struct Place {
    dir: tempfile::TempDir,
    cli: Cli,
}

impl Place {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("in")).unwrap();
        let cli = Cli::new(dir.path().join("in"));
        Self { dir, cli }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.dir.path().join("in").join(name)
    }

    fn zip(&self, name: &str, entries: &[(&str, &str)]) -> PathBuf {
        let path = self.file(name);
        let mut zip = ZipWriter::new(File::create(&path).unwrap());
        for (name, text) in entries {
            zip.start_file(*name, SimpleFileOptions::default()).unwrap();
            zip.write_all(text.as_bytes()).unwrap();
        }
        zip.finish().unwrap();
        path
    }

    fn tar_gz(&self, name: &str, fill: impl FnOnce(&mut tar::Builder<&mut Vec<u8>>)) -> PathBuf {
        let mut bytes = Vec::new();
        let mut tar = tar::Builder::new(&mut bytes);
        fill(&mut tar);
        tar.finish().unwrap();
        drop(tar);
        let path = self.file(name);
        let file = File::create(&path).unwrap();
        let mut gz = flate2::write::GzEncoder::new(file, flate2::Compression::default());
        gz.write_all(&bytes).unwrap();
        gz.finish().unwrap();
        path
    }

    fn add(&self, file: &Path, more: &[&str]) -> Value {
        let file = file.display().to_string();
        self.cli.json(&[&["archive", "add", &file], more].concat())
    }

    /// Adds an archive that is refused, and returns the message.
    fn refuses(&self, file: &Path) -> String {
        let file = file.display().to_string();
        let message = self
            .cli
            .fails(&["archive", "add", &file, "--name", "bad"], 1);
        let list = self.cli.json(&["archive", "list"]);
        assert_eq!(list, json!({"archives": []}), "{message}");
        message
    }
}

fn header(size: usize, kind: tar::EntryType) -> tar::Header {
    let mut header = tar::Header::new_gnu();
    header.set_size(size as u64);
    header.set_entry_type(kind);
    header.set_mode(0o644);
    header.set_mtime(1_700_000_000);
    header
}

/// Writes an entry under a name that the library would not write.
fn raw(tar: &mut tar::Builder<&mut Vec<u8>>, name: &str, text: &str) {
    let mut header = header(text.len(), tar::EntryType::Regular);
    header.as_gnu_mut().unwrap().name[..name.len()].copy_from_slice(name.as_bytes());
    header.set_cksum();
    tar.append(&header, text.as_bytes()).unwrap();
}

const OPEN: &str = "export function open(path: string) { return path }\n";

const MAIN: &str = "import { open } from './open'\nopen('a')\n";

#[test]
fn versions_of_an_archive_are_commits_that_every_tool_answers_from() {
    let at = Place::new();
    let first = at.zip("drop.zip", &[("src/open.ts", OPEN), ("src/main.ts", MAIN)]);
    let added = at.add(&first, &[]);
    assert_eq!(added["repo"], "archive:drop", "{added}");
    assert_eq!(added["files"], 2, "{added}");
    assert_eq!(at.add(&first, &[])["cacheStatus"], "hit");

    let callers = at.cli.run(&["impact", "open", "--repo", "archive:drop"]);
    assert!(callers.stdout.contains("src/main.ts"), "{}", callers.stdout);

    let renamed = OPEN.replace("open(", "openFile(");
    let second = at.zip(
        "drop.zip",
        &[("src/open.ts", &renamed), ("src/main.ts", MAIN)],
    );
    assert_eq!(at.add(&second, &[])["versions"], 2);
    let changes = at.cli.json(&[
        "changes",
        "HEAD~1",
        "--head",
        "HEAD",
        "--repo",
        "archive:drop",
    ]);
    assert_eq!(changes["brokenTotal"], 1, "{changes}");

    let list = at.cli.json(&["archive", "list"]);
    assert_eq!(list["archives"][0]["versions"], 2, "{list}");
    let current = at.cli.json(&["current", "--repo", "archive:drop"]);
    assert_eq!(current["archive"], "drop", "{current}");
    at.cli.json(&["archive", "remove", "drop"]);
    let gone = at.cli.fails(&["map", "--repo", "archive:drop"], 1);
    assert!(gone.contains("there is no archive `"), "{gone}");
}

#[test]
fn an_archive_with_other_bytes_than_it_was_taken_in_with_is_named() {
    let at = Place::new();
    let file = at.zip("drop.zip", &[("src/open.ts", OPEN)]);
    at.add(&file, &[]);
    let library = || {
        let ran = at.cli.run(&["doctor", "--repo", "archive:drop", "--json"]);
        let doctor: Value = serde_json::from_str(&ran.stdout).unwrap();
        let mut checks = doctor["checks"].as_array().unwrap().iter();
        checks.find(|it| it["name"] == "archives").unwrap().clone()
    };
    let sound = library();
    assert_eq!(sound["detail"], "1, all readable", "{sound}");

    let objects = at.cli.home().join("archives/drop.git/objects");
    let mut loose = Vec::new();
    for directory in std::fs::read_dir(objects).unwrap().flatten() {
        let entries = std::fs::read_dir(directory.path()).unwrap().flatten();
        loose.extend(entries.map(|it| it.path()));
    }
    // The commit stays: what it names is gone.
    let head = at.cli.json(&["archive", "list"])["archives"][0]["headSha"].clone();
    let head = head.as_str().unwrap();
    let is_commit = |path: &Path| path.ends_with(&head[2..]);
    for path in loose.iter().filter(|path| !is_commit(path)) {
        std::fs::remove_file(path).unwrap();
    }
    let damaged = library();
    assert_eq!(damaged["ok"], false, "{damaged}");
    assert!(damaged["detail"].as_str().unwrap().contains("`drop`"));
}

#[test]
fn a_server_answers_from_an_archive() {
    let at = Place::new();
    at.add(
        &at.zip("drop.zip", &[("src/open.ts", OPEN), ("src/main.ts", MAIN)]),
        &[],
    );
    let repo = Fixture::parse("//- /a.ts\nexport const a = 1\n//- commit one\n").build();
    let mut cli = Cli::new(repo.path());
    cli.set("CODELENS_HOME", at.cli.home().display().to_string());
    let mut session = Session::of(cli.command(&["serve"]));
    let asked =
        json!({"name": "cl_impact", "arguments": {"symbol": "open", "repo": "archive:drop"}});
    let answer = session.ask(2, "tools/call", &asked);
    assert!(answer.to_string().contains("src/main.ts"), "{answer}");
    let asked = json!({"name": "cl_map", "arguments": {"repo": "archive:other"}});
    let answer = session.ask(3, "tools/call", &asked);
    assert!(answer.to_string().contains("path_not_found"), "{answer}");
}

#[test]
fn the_directory_around_all_files_is_left_out_on_request() {
    let at = Place::new();
    let file = at.tar_gz("lib-1.0.tar.gz", |tar| {
        for (name, text) in [("lib-1.0/src/open.ts", OPEN), ("lib-1.0/README", "")] {
            let mut header = header(text.len(), tar::EntryType::Regular);
            tar.append_data(&mut header, name, text.as_bytes()).unwrap();
        }
    });
    let files = |name: &str| {
        let repo = format!("archive:{name}");
        at.cli
            .run(&["map", "--view", "files", "--repo", &repo])
            .stdout
    };
    for (name, strip, has) in [
        ("whole", &[][..], "lib-1.0/src/open.ts"),
        ("auto", &["--strip", "auto"], "src/open.ts"),
        ("one", &["--strip", "1"], "src/open.ts"),
    ] {
        at.add(&file, &[&["--name", name], strip].concat());
        let found = files(name);
        assert!(found.contains(has), "{name}: {found}");
        assert_eq!(
            found.contains("lib-1.0"),
            name == "whole",
            "{name}: {found}"
        );
    }
    let flat = at.zip("flat.zip", &[("a.ts", OPEN), ("b/c.ts", OPEN)]);
    let flat = flat.display().to_string();
    let message = at.cli.fails(&["archive", "add", &flat, "--strip", "1"], 1);
    assert!(message.contains("--strip auto"), "{message}");
}

#[test]
fn hostile_archives_are_refused_whole() {
    let at = Place::new();
    let mut archives = Vec::new();
    for (n, name) in [
        "../evil.ts",
        "/tmp/evil.ts",
        "a/../../evil.ts",
        ".git/config",
        "c:/evil.ts",
    ]
    .iter()
    .enumerate()
    {
        let tar = at.tar_gz(&format!("slip{n}.tar.gz"), |tar| raw(tar, name, OPEN));
        archives.push((tar, "a path"));
        archives.push((
            at.zip(&format!("slip{n}.zip"), &[("a.ts", OPEN), (name, OPEN)]),
            "a path",
        ));
    }
    archives.push((
        at.zip("twins.zip", &[("README", "a"), ("readme", "b")]),
        "two entries",
    ));
    archives.push((
        at.zip("both.zip", &[("a", "a"), ("A/b", "b")]),
        "two entries",
    ));
    archives.push((at.zip("empty.zip", &[]), "no file"));
    for (kind, name) in [
        (tar::EntryType::Symlink, "link"),
        (tar::EntryType::Char, "device"),
    ] {
        let tar = at.tar_gz(&format!("{name}.tar.gz"), |tar| {
            let mut header = header(0, kind);
            header.set_link_name("/etc/passwd").unwrap();
            tar.append_data(&mut header, "a.ts", std::io::empty())
                .unwrap();
        });
        archives.push((tar, name));
    }
    let bomb = "\0".repeat(30 << 20);
    archives.push((at.zip("bomb.zip", &[("a.bin", &bomb)]), "200 bytes"));
    archives.push((
        at.tar_gz("bomb.tar.gz", |tar| raw(tar, "a.bin", &bomb)),
        "damaged",
    ));
    let names: Vec<String> = (0..100_001).map(|n| format!("{n}")).collect();
    let many: Vec<(&str, &str)> = names.iter().map(|it| (it.as_str(), "")).collect();
    archives.push((at.zip("many.zip", &many), "100,000 entries"));

    let whole = std::fs::read(at.zip("whole.zip", &[("a.ts", OPEN), ("b.ts", MAIN)])).unwrap();
    let truncated = at.file("truncated.zip");
    std::fs::write(&truncated, &whole[..whole.len() / 2]).unwrap();
    archives.push((truncated, "damaged"));
    // The first bit of the flags in both headers of each file.
    let mut locked = whole.clone();
    for (mark, flags) in [(b"PK\x03\x04", 6), (b"PK\x01\x02", 8)] {
        for start in 0..whole.len() - 4 {
            if &whole[start..start + 4] == mark {
                locked[start + flags] |= 1;
            }
        }
    }
    let encrypted = at.file("encrypted.zip");
    std::fs::write(&encrypted, locked).unwrap();
    archives.push((encrypted, "encrypted"));
    // A byte of a file that is not what its sum says.
    let mut altered = whole;
    altered[40] ^= 0xff;
    let damaged = at.file("altered.zip");
    std::fs::write(&damaged, altered).unwrap();
    archives.push((damaged, "damaged"));
    let text = at.file("text.zip");
    std::fs::write(&text, "no archive").unwrap();
    archives.push((text, "no zip"));

    let before = walk(at.dir.path());
    for (archive, said) in &archives {
        let message = at.refuses(archive);
        let archive = archive.display();
        assert!(message.contains(said), "{archive}: {message}");
    }
    let home = at.cli.home();
    let outside = |paths: Vec<PathBuf>| -> Vec<PathBuf> {
        let all = paths.into_iter();
        all.filter(|it| !it.starts_with(&home)).collect()
    };
    assert_eq!(outside(walk(at.dir.path())), outside(before));
}

#[test]
fn a_run_tells_what_came_of_an_archive_and_how_to_go_on() {
    let at = Place::new();
    let file = at.file("drop.zip");
    std::fs::write(&file, "PK\x03\x04 and no more").unwrap();
    at.cli
        .fails(&["archive", "add", &file.display().to_string()], 1);
    let runs = at.cli.json(&["runs"]);
    let run = &runs["runs"][0];
    assert_eq!(
        (&run["kind"], &run["status"]),
        (&json!("archive"), &json!("failed")),
        "{run}"
    );
    // The same command would fail again.
    assert!(run.get("nextStep").is_none(), "{run}");
    let shown = at.cli.run(&["runs"]).stdout;
    let hint = run["hint"].as_str().unwrap();
    assert!(shown.contains("archive of drop.zip"), "{shown}");
    assert!(shown.contains(&format!("hint: {hint}")), "{shown}");
    at.zip("drop.zip", &[("a.ts", OPEN)]);
    let added = at.cli.run(&["archive", "add", &file.display().to_string()]);
    assert!(added.stdout.contains("added drop"), "{}", added.stdout);
    let runs = at.cli.json(&["runs"]);
    assert_eq!(runs["runs"][0]["status"], "done", "{runs}");
    assert_eq!(runs["runs"][0]["files"], 1, "{runs}");
}

#[test]
fn the_index_of_an_archive_is_that_of_a_clone() {
    let repo = Fixture::load("shop.repo").build();
    let at = Place::new();
    let zip = at.file("shop.zip");
    let zip_name = zip.display().to_string();
    repo.git(&["archive", "--format=zip", "-o", &zip_name, "HEAD"]);
    at.add(&zip, &[]);
    let map = |cli: &Cli, more: &[&str]| {
        let args = [&["map", "--view", "files"][..], more].concat();
        cli.json(&args)["files"].clone()
    };
    let clone = Cli::new(repo.path());
    let of_archive = map(&at.cli, &["--repo", "archive:shop"]);
    assert_eq!(of_archive, map(&clone, &["--ref", "HEAD"]));
}
