//! A repository whose every answer is known: the symbols, callers and imports of each state of its work tree.
//!
//! Every file is made from a number and a version, so that the right answers follow from the state alone. A `World` is one
//! work tree with the times in which it was in each state. Knows git, nothing of the product.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Instant, SystemTime};

use crate::support::{Dice, Repo, walk};

pub(crate) const FOLDER: &str = "known";
/// Files that import nothing, never move and never go: those of the first numbers.
pub(crate) const N_ROOTS: usize = 8;
/// The head of a state whose commit is still being made.
pub(crate) const UNKNOWN_HEAD: &str = "?";

/// A definition: its name, its first and its last line.
pub(crate) type Symbol = (String, usize, usize);

/// One version of one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct File {
    pub(crate) number: usize,
    pub(crate) version: usize,
    pub(crate) is_empty: bool,
}

impl File {
    fn new(number: usize, version: usize) -> Self {
        Self {
            number,
            version,
            is_empty: false,
        }
    }

    /// Returns the root that it imports and calls.
    pub(crate) fn target(&self) -> Option<usize> {
        (self.number >= N_ROOTS && !self.is_empty)
            .then_some((self.version * 7 + self.number) % N_ROOTS)
    }

    /// Returns the name that this version alone defines.
    pub(crate) fn mark(&self) -> String {
        format!("mark{:03}v{:06}", self.number, self.version)
    }

    pub(crate) fn base(&self) -> String {
        format!("base{:03}", self.number)
    }

    fn n_padding(&self) -> usize {
        self.version % 3
    }

    pub(crate) fn text(&self) -> String {
        if self.is_empty {
            return String::new();
        }
        let (import, value) = match self.target() {
            None => ("// nothing is imported".to_owned(), self.number.to_string()),
            Some(root) => (
                format!(
                    "import {{ base{root:03} }} from \"../d{}/f{root:03}\";",
                    root % 5
                ),
                format!("base{root:03}() + 1"),
            ),
        };
        let (base, mark, number) = (self.base(), self.mark(), self.number);
        let padding = "// padding\n".repeat(self.n_padding());
        format!(
            "{padding}{import}\nexport function {base}(): number {{\n  return {number};\n}}\n\
             export function {mark}(): number {{\n  return {value};\n}}\n"
        )
    }

    pub(crate) fn symbols(&self) -> Vec<Symbol> {
        if self.is_empty {
            return Vec::new();
        }
        let first = self.n_padding() + 2;
        vec![
            (self.base(), first, first + 2),
            (self.mark(), first + 3, first + 5),
        ]
    }

    fn call_line(&self) -> usize {
        self.n_padding() + 6
    }
}

/// Returns the path of a file.
pub(crate) fn place(number: usize, is_moved: bool) -> String {
    let folder = if is_moved {
        "moved".to_owned()
    } else {
        format!("d{}", number % 5)
    };
    format!("{FOLDER}/{folder}/f{number:03}.ts")
}

/// The files of a work tree by their paths.
pub(crate) type Files = BTreeMap<String, File>;

/// The files on the disk, and the branch and commit that are checked out.
#[derive(Clone, Debug)]
pub(crate) struct State {
    pub(crate) files: Arc<Files>,
    pub(crate) branch: String,
    pub(crate) head: String,
}

impl State {
    fn of(files: Arc<Files>, branch: &str, head: &str) -> Self {
        let (branch, head) = (branch.to_owned(), head.to_owned());
        Self {
            files,
            branch,
            head,
        }
    }

    fn importing(&self, root: usize) -> impl Iterator<Item = (&String, &File)> {
        self.files
            .iter()
            .filter(move |(_, file)| file.target() == Some(root))
    }

    /// Returns path, symbol and line of each call of a root.
    pub(crate) fn callers(&self, root: usize) -> BTreeSet<String> {
        let call =
            |(path, file): (&String, &File)| format!("{path} {} {}", file.mark(), file.call_line());
        self.importing(root).map(call).collect()
    }

    /// Returns the paths that import a root.
    pub(crate) fn importers(&self, root: usize) -> BTreeSet<String> {
        self.importing(root).map(|(path, _)| path.clone()).collect()
    }

    /// Returns this state with another file at a path, or with none.
    fn with(&self, path: &str, file: Option<File>) -> Self {
        let mut state = self.clone();
        let files = Arc::make_mut(&mut state.files);
        match file {
            Some(file) => drop(files.insert(path.to_owned(), file)),
            None => drop(files.remove(path)),
        }
        state
    }
}

/// A state, from when it may have been reached to when the step after it may have been through.
#[derive(Clone)]
pub(crate) struct Era {
    pub(crate) state: State,
    since: Instant,
    until: Option<Instant>,
    pub(crate) by_git: bool,
}

impl Era {
    /// Returns a state that begins now.
    fn new(state: State, by_git: bool) -> Self {
        let (since, until) = (Instant::now(), None);
        Self {
            state,
            since,
            until,
            by_git,
        }
    }
}

/// How a file is written.
#[derive(Clone, Copy)]
pub(crate) enum Manner {
    /// By a rename.
    Replace,
    InPlace,
    /// In place, with its times kept.
    Quietly,
}

/// A work tree that is changed step by step; every step is written down before and after it is done.
pub(crate) struct World {
    repo: Arc<Repo>,
    pub(crate) path: PathBuf,
    eras: Mutex<Vec<Era>>,
    /// The files of each commit, and the commit before it.
    commits: Mutex<BTreeMap<String, (Arc<Files>, String)>>,
    /// The last version that was given to a file.
    versions: Arc<AtomicUsize>,
    dice: Mutex<Dice>,
}

impl World {
    /// Makes a repository with branches `main`, `side1`, … that differ in `n_differ` files, main checked out.
    pub(crate) fn new(seed: usize, n_files: usize, n_branches: usize, n_differ: usize) -> Self {
        let repo = Repo::new(Vec::new());
        repo.git(&["config", "gc.auto", "0"]);
        repo.write("tsconfig.json", "{}\n");
        let state = State::of(Arc::default(), "main", "");
        let world = Self::at(repo.path(), Arc::new(repo), seed, state);
        for number in 0..n_files {
            if number < N_ROOTS || world.chance(90) {
                let file = File::new(number, world.next());
                world.write(&place(number, false), file, Manner::Replace);
            }
        }
        world.commit(false);
        for at in 1..n_branches {
            let branch = format!("side{at}");
            world.git(&["switch", "--quiet", "--create", &branch]);
            world.eras.lock().unwrap().last_mut().unwrap().state.branch = branch;
            world.renew(n_differ);
            world.delete();
            world.rename();
            world.commit(false);
        }
        world.switch("main");
        world.check();
        world
    }

    /// Adds a linked work tree on a branch of its own, beside this one.
    pub(crate) fn add_worktree(&self, name: &str, seed: usize) -> Self {
        let path = self.root().join(name);
        let branch = format!("tree-{name}");
        let text = path.to_str().unwrap();
        self.git(&["worktree", "add", "--quiet", "-b", &branch, text, "main"]);
        let head = self.git(&["rev-parse", "main"]);
        let commits = self.commits.lock().unwrap().clone();
        let state = State::of(Arc::clone(&commits[&head].0), &branch, &head);
        let tree = Self {
            commits: Mutex::new(commits),
            versions: Arc::clone(&self.versions),
            ..Self::at(path, Arc::clone(&self.repo), seed, state)
        };
        tree.check();
        tree
    }

    fn at(path: PathBuf, repo: Arc<Repo>, seed: usize, state: State) -> Self {
        Self {
            repo,
            path,
            eras: Mutex::new(vec![Era::new(state, false)]),
            commits: Mutex::default(),
            versions: Arc::default(),
            dice: Mutex::new(Dice::new(seed as u64)),
        }
    }

    /// Returns the folder that holds the work tree and goes with the world.
    pub(crate) fn root(&self) -> &Path {
        self.repo.dir.path()
    }

    pub(crate) fn git(&self, args: &[&str]) -> String {
        self.repo.git_at(&self.path, args)
    }

    pub(crate) fn state(&self) -> State {
        self.eras.lock().unwrap().last().unwrap().state.clone()
    }

    /// Returns all states up to now.
    pub(crate) fn eras(&self) -> Vec<Era> {
        self.eras.lock().unwrap().clone()
    }

    /// Returns every state that may have been there between two times, each with its number, in order.
    pub(crate) fn eras_in(&self, begun: Instant, ended: Instant) -> Vec<(usize, Era)> {
        let eras = self.eras.lock().unwrap();
        let late = eras.iter().enumerate().rev();
        let mut found: Vec<_> = late
            .take_while(|(_, era)| era.until.is_none_or(|until| until >= begun))
            .filter(|(_, era)| era.since <= ended)
            .map(|(at, era)| (at, era.clone()))
            .collect();
        found.reverse();
        found
    }

    /// Does an act that leads from the present state through `states` to the last of them; it returns the new head if it makes one.
    fn step(&self, states: Vec<State>, by_git: bool, act: impl FnOnce() -> Option<String>) {
        let states = states.into_iter().map(|state| Era::new(state, by_git));
        let last_before = self.eras.lock().unwrap().len() - 1;
        self.eras.lock().unwrap().extend(states);
        let head = act();
        let ended = Instant::now();
        let mut eras = self.eras.lock().unwrap();
        let last = eras.len() - 1;
        for era in &mut eras[last_before..last] {
            era.until = Some(ended);
        }
        if let Some(head) = head {
            eras[last].state.head = head;
        }
    }

    fn next(&self) -> usize {
        self.versions.fetch_add(1, Ordering::Relaxed) + 1
    }

    fn chance(&self, percent: usize) -> bool {
        self.dice.lock().unwrap().chance(percent)
    }

    pub(crate) fn write(&self, path: &str, file: File, manner: Manner) {
        let target = self.path.join(path);
        let before = fs::metadata(&target).ok();
        let mut states = Vec::new();
        if !matches!(manner, Manner::Replace) && before.is_some() {
            let is_empty = true;
            let emptied = File { is_empty, ..file };
            states.push(self.state().with(path, Some(emptied)));
        }
        let text = file.text();
        states.push(self.state().with(path, Some(file)));
        self.step(states, false, || {
            fs::create_dir_all(target.parent().unwrap()).unwrap();
            if matches!(manner, Manner::Replace) {
                let draft = self.path.with_extension("draft");
                fs::write(&draft, text).unwrap();
                fs::rename(draft, &target).unwrap();
                return None;
            }
            let now = SystemTime::UNIX_EPOCH.elapsed().unwrap().as_secs();
            fs::write(&target, text).unwrap();
            // Git compares whole seconds: within the one of the change before this, it sees none.
            let kept = before.filter(|before| before.ctime().cast_unsigned() < now);
            if let (Some(before), Manner::Quietly) = (kept, manner) {
                let written = fs::File::open(&target).unwrap();
                written.set_modified(before.modified().unwrap()).unwrap();
            }
            None
        });
    }

    /// Writes new versions of some files.
    fn renew_each(&self, n: usize, manner: impl Fn() -> Manner) {
        let files = self.state().files;
        let paths = self.dice.lock().unwrap().sample(files.keys(), n);
        for path in paths {
            self.write(path, File::new(files[path].number, self.next()), manner());
        }
    }

    /// Writes new versions of `n` files.
    pub(crate) fn renew(&self, n: usize) {
        self.renew_each(n, || Manner::Replace);
    }

    /// Writes new versions of `n` files in place, with their times kept.
    pub(crate) fn renew_quietly(&self, n: usize) {
        self.renew_each(n, || Manner::Quietly);
    }

    /// Writes new versions of up to four files, each in any manner.
    pub(crate) fn edit(&self) {
        let n = 1 + self.below(4);
        let manners = [Manner::Replace, Manner::InPlace, Manner::Quietly];
        self.renew_each(n, || manners[self.below(3)]);
    }

    fn below(&self, n: usize) -> usize {
        self.dice.lock().unwrap().below(n)
    }

    /// Adds a file whose number is below `n_all` and free, if one is.
    pub(crate) fn add(&self, n_all: usize) {
        let state = self.state();
        let present: BTreeSet<usize> = state.files.values().map(|file| file.number).collect();
        let absent: Vec<usize> = (N_ROOTS..n_all)
            .filter(|number| !present.contains(number))
            .collect();
        if !absent.is_empty() {
            let number = absent[self.below(absent.len())];
            let path = place(number, self.chance(30));
            self.write(&path, File::new(number, self.next()), Manner::Replace);
        }
    }

    /// Returns any file that is no root.
    fn any_file(&self) -> Option<(String, File)> {
        let files = self.state().files;
        let leaves = files.iter().filter(|(_, file)| file.number >= N_ROOTS);
        let chosen = self.dice.lock().unwrap().sample(leaves, 1);
        chosen.first().map(|(path, file)| ((*path).clone(), **file))
    }

    pub(crate) fn delete(&self) {
        if let Some((path, _)) = self.any_file() {
            self.step(vec![self.state().with(&path, None)], false, || {
                fs::remove_file(self.path.join(&path)).unwrap();
                None
            });
        }
    }

    pub(crate) fn rename(&self) {
        if let Some((path, file)) = self.any_file() {
            let to = place(file.number, !path.contains("/moved/"));
            let target = self.path.join(&to);
            fs::create_dir_all(target.parent().unwrap()).unwrap();
            let state = self.state().with(&path, None).with(&to, Some(file));
            self.step(vec![state], false, || {
                fs::rename(self.path.join(&path), target).unwrap();
                None
            });
        }
    }

    pub(crate) fn commit(&self, amend: bool) {
        self.git(&["add", "--all"]);
        let before = self.state();
        let making = State::of(before.files.clone(), &before.branch, UNKNOWN_HEAD);
        self.step(vec![making], true, || {
            let commit = ["commit", "--quiet", "--allow-empty", "--message", "step"];
            let more: &[&str] = if amend { &["--amend"] } else { &[] };
            self.git(&[&commit, more].concat());
            Some(self.git(&["rev-parse", "HEAD"]))
        });
        let mut commits = self.commits.lock().unwrap();
        let parent = match commits.get(&before.head) {
            Some((_, parent)) if amend => parent.clone(),
            _ => before.head,
        };
        commits.insert(self.state().head, (before.files, parent));
    }

    /// Runs a git command that leads to a known commit, whatever is dirty.
    fn go(&self, head: &str, branch: &str, command: &[&str]) {
        self.git(&["add", "--all"]);
        let files = Arc::clone(&self.commits.lock().unwrap()[head].0);
        let state = State::of(files, branch, head);
        self.step(vec![state], true, || {
            self.git(command);
            None
        });
    }

    pub(crate) fn switch(&self, branch: &str) {
        let head = self.git(&["rev-parse", branch]);
        self.go(&head, branch, &["checkout", "--quiet", "--force", branch]);
    }

    /// Throws away the newest commit.
    pub(crate) fn back(&self) {
        let state = self.state();
        let parent = self.commits.lock().unwrap()[&state.head].1.clone();
        if !parent.is_empty() {
            let reset = ["reset", "--quiet", "--hard", &parent];
            self.go(&parent, &state.branch, &reset);
        }
    }

    /// Makes sure that the last state that was written down is the one that is there.
    pub(crate) fn check(&self) {
        let state = self.state();
        let texts = |(path, file): (&String, &File)| (path.clone(), file.text());
        let told: BTreeMap<String, String> = state.files.iter().map(texts).collect();
        let paths = walk(&self.path.join(FOLDER)).into_iter();
        let read = |path: PathBuf| {
            let name = path.strip_prefix(&self.path).unwrap();
            (
                name.to_str().unwrap().to_owned(),
                fs::read_to_string(&path).unwrap(),
            )
        };
        let seen: BTreeMap<String, String> = paths.map(read).collect();
        assert_eq!(seen, told, "the test lost track of {}", self.path.display());
        assert_eq!(state.head, self.git(&["rev-parse", "HEAD"]));
    }
}
