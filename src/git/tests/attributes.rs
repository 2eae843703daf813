//! Generated files by attribute, against `git check-attr` in mind.

use std::os::unix::fs::symlink;

use super::{Fixture, path};

fn generated(f: &Fixture, names: &[&str]) -> Vec<bool> {
    let mut attributes = f.repo().attributes(&f.scan()).unwrap();
    let answers: Vec<bool> = names
        .iter()
        .map(|name| attributes.is_generated(&path(name)))
        .collect();
    for (name, answer) in names.iter().zip(&answers) {
        let said = f.git(&["check-attr", "linguist-generated", "--", name]);
        let by_git = said.trim_end().ends_with(": set") || said.trim_end().ends_with(": true");
        assert_eq!(*answer, by_git, "{said}");
    }
    answers
}

#[test]
fn the_nearest_rule_wins_and_uncommitted_ones_count() {
    let f = Fixture::new();
    f.write(
        ".gitattributes",
        "*.gen.ts linguist-generated\nd/** linguist-generated=true\n",
    )
    .write(
        "d/sub/.gitattributes",
        "hand.ts -linguist-generated\nx !linguist-generated\n",
    )
    .write(".git/info/attributes", "override.ts linguist-generated\n");
    for name in [
        "a.gen.ts",
        "a.ts",
        "d/b.ts",
        "d/sub/hand.ts",
        "d/sub/x",
        "override.ts",
    ] {
        f.write(name, "1");
    }
    let names = [
        "a.gen.ts",
        "a.ts",
        "d/b.ts",
        "d/sub/hand.ts",
        "d/sub/x",
        "override.ts",
    ];
    let expected = [true, false, true, false, false, true];
    assert_eq!(generated(&f, &names), expected);
    f.commit_all();
    f.write(".gitattributes", "a.ts linguist-generated=false\n");
    assert_eq!(
        generated(&f, &names),
        [false, false, false, false, false, true]
    );
}

#[test]
fn macros_of_the_root_are_expanded() {
    let f = Fixture::new();
    f.write(
        ".gitattributes",
        "[attr]made linguist-generated -diff\n*.m made\n",
    )
    .write(
        "d/.gitattributes",
        "[attr]bad linguist-generated\n*.n made\n*.o bad\n",
    )
    .write("a.m", "1")
    .write("d/a.n", "1")
    .write("d/a.o", "1");
    assert_eq!(
        generated(&f, &["a.m", "d/a.n", "d/a.o"]),
        [true, true, false]
    );
}

#[test]
fn ignored_rules_count_and_linked_ones_do_not() {
    let f = Fixture::new();
    f.write("d/.gitattributes", "* linguist-generated\n")
        .write("d/a", "1");
    f.write(".gitignore", "d/.gitattributes\n")
        .write("rules", "* linguist-generated\n");
    f.write("e/a", "1");
    symlink("../rules", f.root.join("e/.gitattributes")).unwrap();
    assert_eq!(generated(&f, &["d/a", "e/a"]), [true, false]);
}

#[test]
fn the_digest_changes_with_every_rule_and_with_nothing_else() {
    let f = Fixture::new();
    f.write("a", "1").write(".gitattributes", "a text\n");
    let digest = || f.repo().attributes(&f.scan()).unwrap().digest();
    let first = digest();
    f.write("a", "2").write("b", "1");
    assert_eq!(digest(), first);
    f.write("d/.gitattributes", "b text\n");
    let second = digest();
    assert_ne!(second, first);
    f.write(".git/info/attributes", "c text\n");
    assert_ne!(digest(), second);
}
