//! Repositories of other users.

use super::Fixture;

#[test]
fn a_repository_of_another_user_is_read_with_reduced_trust() {
    let f = Fixture::new();
    f.write("a", "1")
        .write(".gitignore", "*.log\n")
        .commit_all();
    let excludes = f.beside("excludes");
    std::fs::write(&excludes, "b\n").unwrap();
    f.git(&["config", "core.excludesFile", excludes.to_str().unwrap()]);
    f.write("b", "1").write("c.log", "1");
    assert_eq!(f.found(), [".gitignore", "a"]);
    let chowned = std::os::unix::fs::lchown(f.root.join(".git"), Some(12_345), Some(12_345))
        .and_then(|()| std::os::unix::fs::lchown(&f.root, Some(12_345), Some(12_345)));
    if chowned.is_err() {
        // Only root can give files away; for others the rest has nothing to show.
        return;
    }
    // The other user's configuration is no longer believed; the rest is read as ever.
    assert_eq!(f.found(), [".gitignore", "a", "b"]);
    assert_eq!(f.dirty(), ["b"]);
    assert_eq!(f.repo().snapshot().unwrap().branch.name(), Some("main"));
}
