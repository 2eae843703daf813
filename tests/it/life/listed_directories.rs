//! Directories that a command remembers for the next one: no answer differs, whatever happened in between.

use std::path::PathBuf;

use crate::support::{Cli, Fixture, Repo, walk};

fn wide() -> Repo {
    let repo = Fixture::parse("//- /a.ts\nexport function a() {}\n//- commit one\n").build();
    for n in 0..300 {
        repo.write(&format!("d{n}/f.ts"), format!("export const c{n} = {n};\n"));
    }
    repo
}

fn listed(cli: &Cli) -> Option<PathBuf> {
    let mut files = walk(&cli.home()).into_iter();
    files.find(|path| {
        path.file_name()
            .is_some_and(|name| name.to_string_lossy().starts_with("listed-"))
    })
}

/// The files that are indexed, of an answer that has to be fresh.
fn files(cli: &Cli) -> u64 {
    let found = cli.json(&["stats"]);
    assert_eq!(found["backlog"], 0);
    found["counts"]["files"].as_u64().unwrap()
}

fn asked(cli: &Cli) -> u64 {
    let found = cli.json(&["search", "c7"]);
    assert_eq!(found["freshness"], "fresh");
    files(cli)
}

#[test]
fn commands_find_every_change_behind_remembered_directories() {
    let repo = wide();
    let cli = Cli::new(repo.path());
    // What changed within the clock's tick is not remembered.
    std::thread::sleep(std::time::Duration::from_millis(2_200));
    assert_eq!(asked(&cli), 301);
    let Some(file) = listed(&cli) else {
        // The file system need not tell when an entry comes, or boots can't be told apart.
        return;
    };
    let written = file.metadata().unwrap().modified().unwrap();
    repo.write("d5/new.ts", "export const fresh = 1;\n");
    repo.write("d300/f.ts", "export const c300 = 1;\n");
    std::fs::remove_file(repo.path().join("d6/f.ts")).unwrap();
    assert_eq!(asked(&cli), 302);
    let found = cli.json(&["search", "fresh"]);
    assert_eq!(found["results"][0]["path"], "d5/new.ts");
    assert_eq!(
        file.metadata().unwrap().modified().unwrap(),
        written,
        "few directories are not worth it"
    );
    repo.write(".gitignore", "d1*/\n");
    assert_eq!(asked(&cli), 303 - 111);
    std::fs::remove_file(repo.path().join(".gitignore")).unwrap();
    assert_eq!(asked(&cli), 302);
    // Damage is no reason to believe.
    std::fs::write(&file, "no directories").unwrap();
    std::fs::rename(repo.path().join("d20"), repo.path().join("e20")).unwrap();
    assert_eq!(asked(&cli), 302);
    let found = cli.json(&["search", "c20"]);
    assert_eq!(found["results"][0]["path"], "e20/f.ts");
}
