//! No record lies: after any git steps, a record that says `holds` is about text that is equal, line for line but for white space at
//! their ends, and every verdict is the one that the full texts give.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use codelens::model::{FreshnessState, Handle, RepoPath};
use codelens::workspace::{
    Author, ItemToSave, JudgedRecord, RecallRequest, RecordKind, RecordToSave, Workspace,
};

use super::git_steps::{GROUNDS, ground};
use super::steps::step;
use super::{Bench, number, on_each_core};
use crate::support::{Dice, Repo};

/// Random steps in an ordinary run; `CODELENS_MEMORY_STEPS` asks for more, `CODELENS_MEMORY_SEED` for another walk.
const STEPS: usize = 75;

/// Steps after which a new repository is begun.
const STEPS_A_REPOSITORY: usize = 25;

/// Records of a repository.
const RECORDS: usize = 200;

/// The full texts of a record's items when it was saved: of each its path, its lines where it is not the whole file, and the lines' text.
type Texts = Vec<(String, Option<(u32, u32)>, Vec<u8>)>;

/// Counts of verdicts and of moved items, so that a run that met none of them is known.
#[derive(Default)]
struct Seen([AtomicUsize; 4]);

#[test]
fn memory_never_lies() {
    let seed = number("CODELENS_MEMORY_SEED", 3);
    let steps = number("CODELENS_MEMORY_STEPS", STEPS);
    let seen = Seen::default();
    on_each_core(steps.div_ceil(STEPS_A_REPOSITORY), |round| {
        walk(seed + round, &seen);
    });
    let [holds, check, stale, moved] = seen.0.map(AtomicUsize::into_inner);
    println!("{steps} steps: {holds} holds ({moved} items moved), {check} check, {stale} stale");
    assert!(holds > 400 && check > 20 && stale > 400 && moved > 50);
}

fn walk(seed: usize, seen: &Seen) {
    let mut dice = Dice::new(seed as u64);
    let kind = GROUNDS[seed % GROUNDS.len()];
    let repo = ground(kind);
    for n in 0..6 {
        let body: String = (0..8).fold(String::new(), |body, at| {
            body + &format!(
                "/** Number {at}. */\nexport function part{n}x{at}(one: number) {{\n  const more = one + {at};\n  log('{n}', more);\n  return more * {n};\n}}\n"
            )
        });
        repo.write(&format!("src/part{n}.ts"), body);
    }
    repo.git(&["add", "--all"]);
    repo.git(&["commit", "--quiet", "--message", "parts"]);
    let bench = Bench::new(60_000);
    let workspace = bench.at(&repo.path());
    let mut texts: BTreeMap<String, Texts> = BTreeMap::new();
    let mut done = Vec::new();
    for n in 0..STEPS_A_REPOSITORY {
        // Half of the records are made at first, the others on the way.
        while texts.len() < RECORDS / 2 + RECORDS * n / STEPS_A_REPOSITORY / 2 {
            let (uid, saved) = save(&workspace, &repo, &mut dice);
            texts.insert(uid, saved);
        }
        done.push(step(&repo, &mut dice, n));
        if dice.below(3) == 0 {
            done.push(edit_a_part(&repo, &mut dice, n));
        }
        let tail = done[done.len().saturating_sub(6)..].join("\n  ");
        let when = format!("{kind}, seed {seed}, step {n}, after\n  {tail}\n");
        compare(&workspace, &repo, &texts, seen, &when);
    }
    assert!(
        texts.len() >= RECORDS - RECORDS / STEPS_A_REPOSITORY,
        "{}",
        texts.len()
    );
}

/// Changes, moves or removes one of the functions that most records are about.
fn edit_a_part(repo: &Repo, dice: &mut Dice, n: usize) -> String {
    let path = format!("src/part{}.ts", dice.below(6));
    let file = repo.path().join(&path);
    let Ok(text) = std::fs::read_to_string(&file) else {
        return format!("{path} is not there");
    };
    let at = dice.below(8);
    let blocks: Vec<&str> = text.split_inclusive("}\n").collect();
    let chosen = blocks.get(at).copied().unwrap_or_default();
    let (what, now) = match dice.below(6) {
        0 => ("a line above", format!("// {n}\n{text}")),
        1 => ("white space at ends", text.replace(";\n", ";  \n")),
        2 => ("indentation", text.replacen("  return", "    return", 1)),
        3 => ("a removal", text.replacen(chosen, "", 1)),
        4 => {
            let to = repo.path().join(format!("src/part{}.ts", dice.below(6)));
            let other = std::fs::read_to_string(&to).unwrap_or_default();
            drop(std::fs::write(to, format!("{other}{chosen}")));
            ("a move to another file", text.replacen(chosen, "", 1))
        }
        _ => {
            let edited = chosen.replace("more *", "more +");
            ("an edit", text.replacen(chosen, &edited, 1))
        }
    };
    drop(std::fs::write(file, now));
    format!("{what} in {path}")
}

/// Saves a record about random code; returns its identifier and the full texts of its items.
fn save(workspace: &Arc<Workspace>, repo: &Repo, dice: &mut Dice) -> (String, Texts) {
    let known: Vec<(RepoPath, Vec<Handle>)> = workspace
        .query(&Arc::default(), |view| {
            let files = view.read.files_under("")?;
            let mut known = Vec::new();
            for file in files.iter() {
                if let Some(row) = view.read.file(file.path.as_str())? {
                    let symbols = view.read.symbols_of(row.id)?;
                    let handles = symbols.into_iter().map(|it| it.handle).collect();
                    known.push((file.path.clone(), handles));
                }
            }
            Ok(known)
        })
        .unwrap();
    for _ in 0..100 {
        let items: Vec<ItemToSave> = (0..=dice.below(3))
            .map(|_| {
                let (path, handles) = dice.pick(&known);
                if handles.is_empty() || dice.below(8) == 0 {
                    ItemToSave::File(path.clone())
                } else {
                    ItemToSave::Code(*dice.pick(handles))
                }
            })
            .collect();
        let wanted = RecordToSave {
            kind: RecordKind::Note,
            name: None,
            notes: Some("a remark"),
            items: &items,
            fixes: None,
            test: None,
            document: None,
            pinned: false,
            author: Author::default(),
        };
        // Files that are links or too large are no items.
        let Ok(saved) = workspace.save_record(&wanted, &Arc::default()) else {
            continue;
        };
        let uid = saved.record.uid;
        let request = RecallRequest {
            name: Some(&uid),
            limit: 1,
            ..RecallRequest::default()
        };
        let judged = workspace.recall(&request, &Arc::default()).unwrap();
        let judged = &judged.records[0];
        assert_eq!(judged.verdict.as_str(), "holds", "{judged:?}");
        let texts = judged.items.iter().map(|item| {
            let path = item.found.path.to_string();
            let text = text_at(&repo.path(), &path, item.found.lines);
            (path, item.found.lines, text.expect("it is there"))
        });
        return (uid.clone(), texts.collect());
    }
    panic!("nothing could be saved");
}

/// Returns the bytes of a file, or some lines of it without white space at their ends.
fn text_at(root: &Path, path: &str, lines: Option<(u32, u32)>) -> Option<Vec<u8>> {
    let bytes = std::fs::read(root.join(path)).ok()?;
    let Some((from, to)) = lines else {
        return Some(bytes);
    };
    let text = String::from_utf8_lossy(&bytes);
    let all: Vec<&str> = text.lines().map(str::trim_end).collect();
    let cut = all.get(from as usize - 1..to as usize)?;
    Some(cut.join("\n").into_bytes())
}

fn compare(
    workspace: &Arc<Workspace>,
    repo: &Repo,
    texts: &BTreeMap<String, Texts>,
    seen: &Seen,
    when: &str,
) {
    for uid in texts.keys().step_by(7) {
        judge_one(workspace, repo, uid, &texts[uid], when);
    }
    let request = RecallRequest {
        kind: Some(RecordKind::Note),
        limit: RECORDS,
        ..RecallRequest::default()
    };
    let all = workspace.recall(&request, &Arc::default()).unwrap();
    assert_eq!(all.freshness.state, FreshnessState::Fresh, "{when}");
    let mut n_listed = 0;
    for judged in &all.records {
        let texts = &texts[&judged.record.uid];
        check(repo, judged, texts, when);
        n_listed += 1;
        let states = judged.items.iter().map(|item| item.found.state.as_str());
        let n_moved = states.filter(|state| *state == "moved").count();
        match judged.verdict.as_str() {
            "holds" => {
                seen.0[0].fetch_add(1, Ordering::Relaxed);
                seen.0[3].fetch_add(n_moved, Ordering::Relaxed);
            }
            "check" => drop(seen.0[1].fetch_add(1, Ordering::Relaxed)),
            other => assert_eq!(other, "stale", "{when}"),
        }
    }
    // The stale ones are left out as long as others are there.
    seen.0[2].fetch_add(texts.len() - n_listed, Ordering::Relaxed);
}

/// Asks for a record by name, which gives stale ones too.
fn judge_one(workspace: &Arc<Workspace>, repo: &Repo, uid: &str, texts: &Texts, when: &str) {
    let request = RecallRequest {
        name: Some(uid),
        limit: 1,
        ..RecallRequest::default()
    };
    let judged = workspace.recall(&request, &Arc::default()).unwrap();
    assert_eq!(judged.freshness.state, FreshnessState::Fresh, "{when}");
    check(repo, &judged.records[0], texts, when);
}

/// Compares the state of each item with the full texts, and the verdict with the states.
fn check(repo: &Repo, judged: &JudgedRecord, texts: &Texts, when: &str) {
    let root = repo.path();
    let mut n_changed = 0;
    let mut n_missing = 0;
    for (item, (path, lines, then)) in judged.items.iter().zip(texts) {
        let told = || format!("{when}{path}:{lines:?}, now {:?}", item.found);
        let now = text_at(&root, item.found.path.as_str(), item.found.lines);
        let is_in_place = item.found.path.as_str() == path && item.found.lines == *lines;
        match item.found.state.as_str() {
            "same" => assert!(is_in_place && now.as_ref() == Some(then), "{}", told()),
            "moved" => assert!(!is_in_place && now.as_ref() == Some(then), "{}", told()),
            "changed" => {
                n_changed += 1;
                assert!(now.is_some() && now.as_ref() != Some(then), "{}", told());
            }
            "missing" => {
                n_missing += 1;
                // A file in its place is there; long enough lines in their file are found wherever they stand.
                let there = std::fs::read(root.join(path)).ok();
                let is_plain = |it: &Vec<u8>| !it.contains(&0) && std::str::from_utf8(it).is_ok();
                let there = there.filter(is_plain).filter(|_| is_regular(&root, path));
                if lines.is_none() {
                    assert!(there.is_none(), "{}", told());
                } else {
                    let now = there.map(|it| trimmed(&String::from_utf8_lossy(&it)));
                    let then = String::from_utf8_lossy(then);
                    let is_found = now.is_some_and(|now| now.contains(&format!("\n{then}\n")));
                    assert!(!is_found || n_telling(&then) < 3, "{}", told());
                }
            }
            other => panic!("{other}: {}", told()),
        }
    }
    let n_items = judged.items.len();
    assert_eq!(n_items, texts.len());
    let wanted = if n_missing > 0 || n_changed > 1 && 2 * n_changed > n_items {
        "stale"
    } else if n_changed > 0 {
        "check"
    } else {
        "holds"
    };
    assert_eq!(judged.verdict.as_str(), wanted, "{when}{judged:?}");
}

fn trimmed(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    format!("\n{}\n", lines.join("\n"))
}

/// Returns how many different lines are not empty.
fn n_telling(text: &str) -> usize {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.collect::<std::collections::BTreeSet<_>>().len()
}

/// Whether a path leads to a regular file through no link.
fn is_regular(root: &Path, path: &str) -> bool {
    let mut at = root.to_owned();
    path.split('/').all(|part| {
        at.push(part);
        std::fs::symlink_metadata(&at).is_ok_and(|meta| !meta.is_symlink())
    })
}
