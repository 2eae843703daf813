//! The examples of `docs/ci.md` for build servers, run as they stand: three jobs on two branches, each in
//! a directory of its own.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{Fixture, Repo};

/// Returns a project of twelve files on `main`, with a branch that differs in one.
fn project() -> Repo {
    use std::fmt::Write as _;
    let mut text = String::new();
    for n in 0..12 {
        let _ = write!(
            text,
            "//- /src/m{n}.ts\nexport function session{n}() {{ return {n} }}\n"
        );
    }
    text += "//- commit one\n//- branch feature\n//- /src/m3.ts\nexport function other() {}\n//- commit two\n//- checkout main\n";
    Fixture::parse(&text).build()
}

/// Returns the block of YAML in `docs/ci.md` that begins with a comment.
fn example(name: &str) -> String {
    let guide = include_str!("../../../docs/ci.md");
    let begin = format!("```yaml\n# {name}\n");
    let (_, rest) = guide
        .split_once(&begin)
        .expect("docs/ci.md has the example");
    rest.split_once("```").unwrap().0.to_owned()
}

/// A job: a clone in a new directory, with a home of its own.
struct Job {
    dir: tempfile::TempDir,
    variables: BTreeMap<String, String>,
}

impl Job {
    fn new(repo: &Repo, branch: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let target = dir.path().join("checkout");
        let from = repo.path();
        repo.git(&[
            "clone",
            "--quiet",
            "-b",
            branch,
            from.to_str().unwrap(),
            target.to_str().unwrap(),
        ]);
        let mut variables = BTreeMap::new();
        variables.insert("GITHUB_REF_NAME".to_owned(), branch.to_owned());
        variables.insert(
            "GITHUB_OUTPUT".to_owned(),
            dir.path().join("output").display().to_string(),
        );
        variables.insert(
            "HOME".to_owned(),
            dir.path().join("home").display().to_string(),
        );
        std::fs::create_dir(dir.path().join("home")).unwrap();
        Self { dir, variables }
    }

    fn checkout(&self) -> PathBuf {
        self.dir.path().join("checkout")
    }

    /// Runs a line of the example and returns its output.
    fn run(&self, line: &str) -> String {
        let binary = Path::new(env!("CARGO_BIN_EXE_codelens")).parent().unwrap();
        let path = format!("{}:{}", binary.display(), std::env::var("PATH").unwrap());
        let ran = Command::new("bash")
            .args(["-e", "-c", line])
            .current_dir(self.checkout())
            .env_clear()
            .env("PATH", path)
            .envs(&self.variables)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&ran.stderr).into_owned();
        assert!(ran.status.success(), "{line}: {said}");
        String::from_utf8(ran.stdout).unwrap()
    }
}

/// Copies a folder with everything in it.
fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// Returns the number of files that a refresh said it read into the index.
fn indexed(said: &str) -> u64 {
    let (_, rest) = said
        .split_once("indexed ")
        .unwrap_or_else(|| panic!("{said}"));
    rest.split(' ').next().unwrap().parse().unwrap()
}

/// Returns how many indexes a data directory holds.
fn n_indexes(home: &Path) -> usize {
    let repos = std::fs::read_dir(home.join("repos")).unwrap();
    repos
        .flat_map(|repo| std::fs::read_dir(repo.unwrap().path()).unwrap())
        .filter(|entry| {
            entry
                .as_ref()
                .unwrap()
                .path()
                .extension()
                .is_some_and(|end| end == "db")
        })
        .filter(|entry| {
            entry
                .as_ref()
                .unwrap()
                .file_name()
                .to_string_lossy()
                .starts_with("idx_")
        })
        .count()
}

#[test]
fn a_job_on_github_reads_only_what_differs() {
    let mut repo = project();
    let caches = tempfile::tempdir().unwrap();
    let example = example(".github/workflows/codelens.yml");
    let mut counts = Vec::new();
    for branch in ["main", "feature", "main"] {
        let job = Job::new(&repo, branch);
        let home = Path::new(&job.variables["HOME"]).join(".local/share/codelens");
        let mut key = String::new();
        let names = example
            .lines()
            .filter_map(|line| line.trim().trim_start_matches("- ").split_once(": "));
        let mut seen_cache = false;
        for (name, line) in names {
            match name {
                "run" => {
                    let said = job.run(line);
                    if line.contains("refresh") {
                        counts.push(indexed(&said));
                        assert!(said.contains(" of CPU\n"), "{said}");
                    } else if line.contains("search") {
                        assert!(said.contains("session"), "{said}");
                    }
                }
                "uses" if line.starts_with("actions/cache@") => {
                    seen_cache = true;
                    let output = std::fs::read_to_string(&job.variables["GITHUB_OUTPUT"]).unwrap();
                    let (first, rest) = output.split_once('\n').unwrap();
                    key = first.strip_prefix("key=").unwrap().to_owned();
                    let rest = rest.strip_prefix("restore-keys<<END\n").unwrap();
                    let wanted = rest.strip_suffix("END\n").unwrap();
                    restore(caches.path(), &key, wanted, &home);
                }
                _ => {}
            }
        }
        assert!(
            seen_cache && n_indexes(&home) <= 2,
            "{branch}: {} indexes",
            n_indexes(&home)
        );
        copy(&home, &caches.path().join(&key));
        if branch == "feature" {
            repo.then(
                "//- /src/m7.ts\nexport function session7() { return 77 }\n//- commit three\n",
            );
        }
    }
    assert_eq!(counts, [12, 1, 1]);
}

/// Restores as a cache step does: the exact name, else the newest that begins with one of the others.
fn restore(caches: &Path, key: &str, wanted: &str, home: &Path) {
    let mut names: Vec<(std::time::SystemTime, String)> = std::fs::read_dir(caches)
        .unwrap()
        .map(|entry| {
            let entry = entry.unwrap();
            let time = entry.metadata().unwrap().modified().unwrap();
            (time, entry.file_name().into_string().unwrap())
        })
        .collect();
    names.sort();
    let found = std::iter::once(key)
        .chain(wanted.lines())
        .find_map(|prefix| {
            names
                .iter()
                .rev()
                .find(|(_, name)| name.starts_with(prefix))
        });
    if let Some((_, name)) = found {
        copy(&caches.join(name), home);
    }
}

#[test]
fn a_job_on_gitlab_reads_only_what_differs() {
    let mut repo = project();
    let caches = tempfile::tempdir().unwrap();
    let example = example(".gitlab-ci.yml");
    let mut counts = Vec::new();
    for branch in ["main", "feature", "main"] {
        let mut job = Job::new(&repo, branch);
        let home = job.dir.path().join("data");
        assert!(example.contains("CODELENS_HOME: /tmp/codelens"));
        job.variables
            .insert("CODELENS_HOME".to_owned(), home.display().to_string());
        let kept = job.checkout().join("codelens.tar");
        for name in [branch, "main"] {
            let cached = caches.path().join(format!("codelens-{name}"));
            if cached.exists() && !kept.exists() {
                std::fs::copy(cached, &kept).unwrap();
            }
        }
        let (_, script) = example.split_once("script:\n").unwrap();
        for line in script.lines() {
            let said = job.run(line.trim().strip_prefix("- ").unwrap());
            if line.contains("refresh") {
                counts.push(indexed(&said));
            }
        }
        assert!(n_indexes(&home) <= 2);
        std::fs::copy(&kept, caches.path().join(format!("codelens-{branch}"))).unwrap();
        if branch == "feature" {
            repo.then(
                "//- /src/m7.ts\nexport function session7() { return 77 }\n//- commit three\n",
            );
        }
    }
    assert_eq!(counts, [12, 1, 1]);
}

#[test]
fn jobs_with_a_store_read_only_what_differs() {
    for name in [
        ".github/workflows/codelens-store.yml",
        ".gitlab-ci.yml with a store",
    ] {
        let mut repo = project();
        let store = tempfile::tempdir().unwrap();
        let example = example(name);
        let mut counts = Vec::new();
        for branch in ["main", "feature", "main", "feature"] {
            let mut job = Job::new(&repo, branch);
            let mut set = |name: &str, value: String| {
                job.variables.insert(name.to_owned(), value);
            };
            set(
                "CODELENS_STORE",
                format!("file://{}", store.path().display()),
            );
            let mut said = String::new();
            let lines = example
                .lines()
                .map(|line| line.trim().trim_start_matches("- "));
            for line in lines.map(|line| line.trim_start_matches("run: ")) {
                if line.starts_with("codelens ") {
                    let now = job.run(line);
                    if line.ends_with("refresh") {
                        counts.push(indexed(&now));
                    }
                    said += &now;
                }
            }
            assert!(said.contains("session") && said.contains("team"), "{said}");
            if counts.len() == 2 {
                repo.then(
                    "//- checkout feature\n//- /src/m7.ts\nexport function session7() { return 77 }\n//- commit three\n//- checkout main\n",
                );
            }
        }
        // The first one builds all, the third one finds its own, and the others read a file.
        assert_eq!(counts, [12, 1, 0, 1], "{name}");
    }
}

#[test]
fn a_cache_that_is_of_no_use_is_set_aside() {
    let repo = project();
    let first = Job::new(&repo, "main");
    first.run("codelens refresh");
    // What is checked out in another clone would be kept: a build server's next machine has none.
    std::fs::remove_dir_all(first.checkout()).unwrap();
    let home = Path::new(&first.variables["HOME"]).join(".local/share/codelens");
    for (what, spoil) in [
        (
            "an older layout",
            (|text: &str| text.replace("\"schemaVersion\":", "\"schemaVersion\":1,\"x\":"))
                as fn(&str) -> String,
        ),
        ("no pointers", |_| String::new()),
        ("noise", |_| "\u{0}\u{1}".to_owned()),
    ] {
        let job = Job::new(&repo, "feature");
        let restored = Path::new(&job.variables["HOME"]).join(".local/share/codelens");
        copy(&home, &restored);
        for entry in std::fs::read_dir(restored.join("repos")).unwrap() {
            for file in std::fs::read_dir(entry.unwrap().path()).unwrap() {
                let path = file.unwrap().path();
                let name = path.file_name().unwrap().to_string_lossy().into_owned();
                if name.starts_with("idx_") && path.extension().is_some_and(|end| end == "json") {
                    let text = std::fs::read_to_string(&path).unwrap();
                    std::fs::write(&path, spoil(&text)).unwrap();
                }
            }
        }
        let said = job.run("codelens refresh");
        assert_eq!(indexed(&said), 12, "{what}");
        assert!(job.run("codelens search other").contains("m3.ts"), "{what}");
        job.run("codelens prune --ci");
        assert_eq!(n_indexes(&restored), 1, "{what}");
    }
}
