//! Reach: the work tree and nothing else, also while it changes; and who can reach the indexes.

use std::os::unix::fs::{MetadataExt as _, symlink};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use codelens::git::Repo as GitRepo;
use codelens::model::{Budget, RepoPath};

use super::calls::{OUTSIDE, Stop, call};
use crate::support::{Cli, Repo};

/// A repository with a directory that somebody swaps for a link to a directory outside, again and again.
struct Swapped {
    repo: Repo,
}

impl Swapped {
    fn new() -> Self {
        let repo = Repo::new(Vec::new());
        let outside = repo.dir.path().join("outside");
        std::fs::create_dir_all(outside.join("e")).unwrap();
        for name in ["a.ts", "e/a.ts", "only-outside.ts", ".gitignore"] {
            std::fs::write(outside.join(name), format!("export const {OUTSIDE} = 1\n")).unwrap();
        }
        repo.write("d/a.ts", "export const inside = 1\n");
        repo.write("d/e/a.ts", "export const inside = 2\n");
        symlink(&outside, repo.path().join("link")).unwrap();
        Self { repo }
    }

    /// Does the work while the swapping goes on.
    fn during(&self, work: impl FnOnce(&Path)) {
        let root = self.repo.path();
        let stop = AtomicBool::new(false);
        let path = |name: &str| root.join(name);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    std::fs::rename(path("d"), path("real")).unwrap();
                    std::fs::rename(path("link"), path("d")).unwrap();
                    std::fs::rename(path("d"), path("link")).unwrap();
                    std::fs::rename(path("real"), path("d")).unwrap();
                }
            });
            let _stop = Stop(&stop);
            work(&root);
        });
    }
}

#[test]
fn a_directory_swapped_for_a_link_while_it_is_read_leads_nowhere() {
    let swapped = Swapped::new();
    swapped.during(|root| {
        let repo = GitRepo::discover(root).unwrap();
        let (mut n_read, mut n_refused) = (0, 0);
        for n in 0..20_000 {
            let path = RepoPath::new(["d/a.ts", "d/e/a.ts", "d/only-outside.ts"][n % 3]).unwrap();
            let found = match n % 2 {
                0 => Ok(path),
                _ => repo.source().resolve(&path),
            };
            match found.and_then(|path| repo.source().read(&path, 1 << 20)) {
                Ok(file) => {
                    let text = String::from_utf8(file.bytes).unwrap();
                    assert!(text.contains("inside = "), "{text}");
                    n_read += 1;
                }
                Err(_) => n_refused += 1,
            }
        }
        assert!(n_read > 0 && n_refused > 0, "{n_read} {n_refused}");
    });
}

#[test]
fn a_scan_of_a_tree_that_is_swapped_brings_nothing_from_outside() {
    let swapped = Swapped::new();
    let cli = Cli::new(swapped.repo.path());
    swapped.during(|root| {
        let repo = GitRepo::discover(root).unwrap();
        let budget = Budget::unlimited(std::sync::Arc::default());
        for _ in 0..2_000 {
            // Not even a name.
            let scan = repo.scan(&budget).unwrap();
            let mut paths = scan.files.iter().map(|file| file.path.as_str());
            assert!(paths.all(|path| !path.contains("only-outside")));
        }
        for _ in 0..5 {
            call(&cli, &["search", OUTSIDE, "--snippet", "full"]);
            call(&cli, &["search", "inside"]);
            call(&cli, &["expand", "d/a.ts"]);
        }
    });
    call(&cli, &["refresh"]);
    let found = call(&cli, &["search", OUTSIDE]);
    assert_eq!(
        (&found["count"], &found["freshness"]),
        (&0.into(), &"fresh".into()),
        "{found}"
    );
    let map = call(&cli, &["map", "--all"]).to_string();
    assert!(
        map.contains("d/e/a.ts") && !map.contains("only-outside"),
        "{map}"
    );
}

/// Runs a command under a mask of modes.
fn under_mask(cli: &Cli, mask: &str, args: &[&str]) {
    let script = format!(
        "umask {mask}; exec '{}' \"$@\"",
        env!("CARGO_BIN_EXE_codelens")
    );
    let output = std::process::Command::new("sh")
        .args(["-c", &script, "sh"])
        .args(args)
        .current_dir(cli.command(args).get_current_dir().unwrap())
        .env("CODELENS_HOME", cli.home())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "umask {mask}, {args:?}: {said}");
}

/// Returns the directories, this one and all below it, that others than their user may look into. A file in one that
/// nobody else may enter is out of reach, whatever its own mode is.
fn open_folders(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let mut found: Vec<_> = paths
        .filter(|path| path.is_dir() && !path.is_symlink())
        .flat_map(|path| open_folders(&path))
        .collect();
    if folder.metadata().unwrap().mode() & 0o077 != 0 {
        found.insert(0, folder.to_owned());
    }
    found
}

/// Everything that writes in the data directory, and in the end a bundle in `file`.
fn everything(cli: &Cli, mask: &str, file: &Path) {
    let file = file.to_str().unwrap();
    for args in [
        &["refresh"][..],
        &["save", "n", "--path", "a.ts"],
        &["search", "alpha"],
        &["bundle", "export", file],
        &["bundle", "import", file],
        &["bundle", "import", "--verify", file],
        &["refresh", "--force"],
        &["prune"],
        &["search", "alpha"],
    ] {
        under_mask(cli, mask, args);
    }
}

#[test]
fn nobody_else_can_read_what_is_indexed() {
    // The most generous mask that a person may have set, and the meanest.
    for mask in ["000", "022", "077"] {
        let mut repo = Repo::new(Vec::new());
        repo.then("//- /a.ts\nexport function alpha() {}\n//- commit one\n");
        let cli = Cli::new(repo.path());
        let bundle = repo.dir.path().join("made.bundle");
        everything(&cli, mask, &bundle);
        let found = open_folders(&cli.home());
        assert!(found.is_empty(), "umask {mask}: {found:?}");
        let n_folders = std::fs::read_dir(cli.home().join("repos")).unwrap().count();
        assert!(n_folders > 0, "umask {mask}");
    }
}

#[test]
fn a_data_directory_that_others_may_enter_holds_nothing_that_they_can_read() {
    use std::os::unix::fs::PermissionsExt as _;
    let mut repo = Repo::new(Vec::new());
    repo.then("//- /a.ts\nexport function alpha() {}\n//- commit one\n");
    let cli = Cli::new(repo.path());
    let home = cli.home();
    // Made by somebody before, for a group to read, as `mkdir` does with the usual mask.
    std::fs::create_dir_all(home.join("repos")).unwrap();
    for folder in [&home, &home.join("repos")] {
        std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    everything(&cli, "000", &repo.dir.path().join("made.bundle"));
    // Those two are the user's own choice, and say nothing but which repositories there are.
    assert_eq!(open_folders(&home), [home.clone(), home.join("repos")]);
    let entries = std::fs::read_dir(&home).unwrap().map(Result::unwrap);
    let is_open =
        |entry: &std::fs::DirEntry| entry.metadata().unwrap().permissions().mode() & 0o077 != 0;
    let names: Vec<_> = entries
        .filter(is_open)
        .map(|entry| entry.file_name())
        .filter(|name| name != "repos" && name != "housekeeping")
        .collect();
    assert!(names.is_empty(), "{names:?}");
}
