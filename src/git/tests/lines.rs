//! Changed lines against `git diff -U0`.

use std::fmt::Write as _;

use super::{Fixture, Repo};
use crate::model::RepoPath;

#[test]
fn changed_lines_are_those_of_git() {
    let fixture = Fixture::new();
    let path = RepoPath::new("a.txt").unwrap();
    let numbered = |skip: &[usize], change: &[usize]| -> String {
        let mut text = String::new();
        for n in (1..=30).filter(|n| !skip.contains(n)) {
            let mark = if change.contains(&n) { "!" } else { "" };
            writeln!(text, "line {n}{mark}").unwrap();
        }
        text
    };
    let write = |text: String| std::fs::write(fixture.root.join("a.txt"), text).unwrap();
    write(numbered(&[], &[]));
    fixture.git(&["add", "."]);
    fixture.git(&["commit", "-q", "-m", "base"]);
    for (skip, change) in [
        (&[][..], &[][..]),
        (&[], &[1]),
        (&[], &[4, 5, 6, 20]),
        (&[10, 11], &[]),
        (&[1, 30], &[15]),
    ] {
        write(numbered(skip, change));
        let diff = fixture.git(&["diff", "-U0", "HEAD", "--", "a.txt"]);
        let wanted: Vec<(u32, u32)> = diff
            .lines()
            .filter_map(|line| {
                let after = line
                    .strip_prefix("@@ ")?
                    .split(' ')
                    .nth(1)?
                    .strip_prefix('+')?;
                let (start, n) = after.split_once(',').unwrap_or((after, "1"));
                let (start, n): (u32, u32) = (start.parse().unwrap(), n.parse().unwrap());
                Some(if n == 0 {
                    (start + 1, start)
                } else {
                    (start, start + n - 1)
                })
            })
            .collect();
        let repo = Repo::discover(&fixture.root).unwrap();
        assert_eq!(
            repo.changed_lines(&path, 1 << 20),
            Some(wanted),
            "{skip:?} {change:?}"
        );
        // Other line ends are no change.
        let text = numbered(skip, change).replace('\n', "\r\n");
        let before = repo.changed_lines(&path, 1 << 20);
        write(text);
        assert_eq!(repo.changed_lines(&path, 1 << 20), before);
    }
    let repo = Repo::discover(&fixture.root).unwrap();
    assert_eq!(repo.changed_lines(&path, 10), None, "too large");
    let other = RepoPath::new("b.txt").unwrap();
    std::fs::write(fixture.root.join("b.txt"), "new\n").unwrap();
    assert_eq!(repo.changed_lines(&other, 1 << 20), None, "not in HEAD");
}
