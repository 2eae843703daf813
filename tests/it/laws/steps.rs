//! Random steps of a person who works in a repository.
//!
//! Refuses to know what an index is: it writes files and runs git.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::support::Repo;

/// A small generator, so that a failing run can be repeated from its seed (xorshift64*, Vigna 2016).
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// Returns a number below `n`.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let drawn = self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33;
        usize::try_from(drawn).unwrap() % n
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }
}

/// Does one step and returns what it was. A git command that fails (nothing to commit, a conflict) is a
/// step like any other: the work tree is what it is afterwards.
pub(crate) fn step(repo: &Repo, dice: &mut Dice, n: usize) -> String {
    let files = files(&repo.path());
    let branch = format!("b{}", dice.below(4));
    match dice.below(26) {
        0..=3 => edit(repo, dice, &files, n),
        4 => edit_keeping_stat(repo, dice, &files),
        5 | 6 => add(repo, dice, n),
        7 => act(dice, &files, "delete", |file| {
            drop(std::fs::remove_file(file));
        }),
        8 => {
            let to = repo.path().join(format!("src/moved{n}.ts"));
            act(dice, &files, "rename", |file| {
                drop(std::fs::rename(file, &to));
            })
        }
        9 => {
            let (a, b) = (repo.path().join("src"), repo.path().join("lib"));
            let (from, to) = if a.is_dir() { (a, b) } else { (b, a) };
            let done = std::fs::rename(from, to).is_ok();
            format!("move a directory: {done}")
        }
        10 => {
            let rules = ["*.md\n", "src/f1.ts\n", "", "lib/\n!lib/f2.ts\n", "f*.ts\n"];
            repo.write(".gitignore", dice.pick(&rules));
            "edit .gitignore".to_owned()
        }
        11 => {
            let rules = ["*.js\n", "", "src/\n", "/package.json\n"];
            repo.write(".codelensignore", dice.pick(&rules));
            "edit .codelensignore".to_owned()
        }
        12 => {
            let rules = [
                "*.ts linguist-generated\n",
                "",
                "src/** linguist-generated=true\n",
            ];
            repo.write(".gitattributes", dice.pick(&rules));
            "edit .gitattributes".to_owned()
        }
        13 => {
            let paths = ["./src/*", "./lib/*"];
            let text = format!(
                "{{\"compilerOptions\":{{\"baseUrl\":\".\",\"paths\":{{\"@/*\":[\"{}\"]}}}}}}",
                dice.pick(&paths)
            );
            repo.write("tsconfig.json", text);
            "edit tsconfig.json".to_owned()
        }
        14 => git(repo, &["add", "-A"]),
        15 | 16 => commit(repo, &["commit", "-qam", "work"]),
        17 => commit(repo, &["commit", "-q", "--amend", "-am", "again"]),
        18 => git(repo, &["checkout", "-q", "-f", &branch]),
        19 => git(repo, &["checkout", "-q", "-B", &branch]),
        20 => git(repo, &["reset", "-q", "--hard", "HEAD~1"]),
        21 => {
            let how = *dice.pick(&["--soft", "--mixed"]);
            git(repo, &["reset", "-q", how, "HEAD~1"])
        }
        22 => {
            let how: [&[&str]; 2] = [&["stash", "-q", "-u"], &["stash", "pop", "-q"]];
            git(repo, how[dice.below(2)])
        }
        23 => git(repo, &["merge", "-q", "--no-edit", "-X", "theirs", &branch]),
        24 => git(repo, &["checkout", "-q", "--detach", "HEAD~1"]),
        _ => git(repo, &["rebase", "-q", "-X", "theirs", &branch]),
    }
}

fn edit(repo: &Repo, dice: &mut Dice, files: &[PathBuf], n: usize) -> String {
    let Some(file) = (!files.is_empty()).then(|| dice.pick(files)) else {
        return add(repo, dice, n);
    };
    std::fs::write(file, source(dice, n)).unwrap();
    format!("edit {}", file.display())
}

fn edit_keeping_stat(repo: &Repo, dice: &mut Dice, files: &[PathBuf]) -> String {
    let Some(file) = (!files.is_empty()).then(|| dice.pick(files)) else {
        return "nothing to edit".to_owned();
    };
    let (Ok(text), Ok(meta)) = (std::fs::read(file), std::fs::metadata(file)) else {
        return "unreadable".to_owned();
    };
    let swapped: Vec<u8> = text
        .iter()
        .map(|byte| match byte {
            b'1'..=b'8' => byte + 1,
            b'9' => b'1',
            other => *other,
        })
        .collect();
    std::fs::write(file, swapped).unwrap();
    let open = std::fs::File::options().write(true).open(file).unwrap();
    open.set_modified(meta.modified().unwrap()).unwrap();
    drop(open);
    format!(
        "edit {} in {} keeping size and time",
        file.display(),
        repo.path().display()
    )
}

fn add(repo: &Repo, dice: &mut Dice, n: usize) -> String {
    let dirs = ["src", "lib", "docs", "src/deep/er"];
    let names = [
        "f1.ts", "f2.ts", "F1.ts", "index.ts", "g.js", "note.md", "c.vue",
    ];
    let path = format!("{}/{}", dice.pick(&dirs), dice.pick(&names));
    if repo.path().join(&path).is_dir() {
        return "taken".to_owned();
    }
    repo.write(&path, source(dice, n));
    format!("write {path}")
}

fn source(dice: &mut Dice, n: usize) -> String {
    let imports = [
        "./f1",
        "../lib/f2",
        "@/f1",
        "./deep/er",
        "fs",
        "./g.js",
        ".",
    ];
    let mut text = format!(
        "import {{ a{n} }} from \"{}\";\nexport * from \"{}\";\n",
        dice.pick(&imports),
        dice.pick(&imports)
    );
    for _ in 0..dice.below(4) {
        let k = dice.below(40);
        let _ = write!(
            text,
            "/** Does {k}. */\nexport function work{k}(x: number) {{ return a{n}(x + {k}) }}\nclass C{k} {{ m{k}() {{}} }}\n"
        );
    }
    text
}

fn act(dice: &mut Dice, files: &[PathBuf], what: &str, on: impl Fn(&Path)) -> String {
    if files.is_empty() {
        return format!("nothing to {what}");
    }
    let file = dice.pick(files);
    on(file);
    format!("{what} {}", file.display())
}

fn commit(repo: &Repo, args: &[&str]) -> String {
    git(repo, &["add", "-A"]);
    git(repo, args)
}

fn git(repo: &Repo, args: &[&str]) -> String {
    let done = repo.try_git(args);
    // What a conflict stopped is given up in every second case; else it stays for the next steps.
    if !done && args.join(" ").len().is_multiple_of(2) {
        for what in ["rebase", "merge"] {
            repo.try_git(&[what, "--abort"]);
        }
    }
    format!("git {} -> {done}", args.join(" "))
}

/// The files of the work tree, sorted, without git's own.
fn files(root: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut left = vec![root.to_owned()];
    while let Some(dir) = left.pop() {
        for entry in std::fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                if path.file_name().is_some_and(|name| name != ".git") {
                    left.push(path);
                }
            } else {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}
