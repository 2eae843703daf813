//! The platforms for which a file of Go is built, by its name and its build constraint.

use crate::ir::FileFacts;
use crate::model::RepoPath;
use crate::model::build_constraint::evaluate;

/// Operating systems, as in names of files and in tags.
pub(super) const SYSTEMS: [&str; 17] = [
    "aix",
    "android",
    "darwin",
    "dragonfly",
    "freebsd",
    "hurd",
    "illumos",
    "ios",
    "js",
    "linux",
    "netbsd",
    "openbsd",
    "plan9",
    "solaris",
    "wasip1",
    "windows",
    "zos",
];

/// Those for which `unix` is set.
const UNIX: [&str; 11] = [
    "aix",
    "android",
    "darwin",
    "dragonfly",
    "freebsd",
    "hurd",
    "illumos",
    "ios",
    "linux",
    "netbsd",
    "openbsd",
];

/// Architectures, as in names of files and in tags.
pub(super) const ARCHITECTURES: [&str; 21] = [
    "386", "amd64", "arm", "armbe", "arm64", "arm64be", "loong64", "mips", "mipsle", "mips64",
    "mips64le", "ppc", "ppc64", "ppc64le", "riscv", "riscv64", "s390", "s390x", "sparc", "sparc64",
    "wasm",
];

/// The operating systems and architectures for which a file may be built, each a bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Platforms {
    systems: u32,
    architectures: u32,
}

impl Platforms {
    /// Returns those of a file, by its name and its build constraint.
    pub fn of(path: &RepoPath, facts: &FileFacts) -> Self {
        Self::by(path, facts.units.get(1).map(String::as_str))
    }

    /// Returns those that the name of a file allows, whatever it holds.
    pub fn of_file_name(path: &RepoPath) -> Self {
        Self::by(path, None)
    }

    fn by(path: &RepoPath, constraint: Option<&str>) -> Self {
        let named = of_file_name(path.file_name());
        let is_built = |holds: Option<bool>| holds != Some(false);
        let set = |all: &[&str], fits: &dyn Fn(&str) -> bool| {
            let all = all.iter().enumerate();
            all.filter(|(_, name)| fits(name))
                .fold(0, |mask, (at, _)| mask | 1 << at)
        };
        Self {
            systems: set(&SYSTEMS, &|system| {
                named.system.is_none_or(|named| has_tag(system, named))
                    && constraint.is_none_or(|text| {
                        is_built(evaluate(text, &|tag| meaning(tag, Some(system), None)))
                    })
            }),
            architectures: set(&ARCHITECTURES, &|one| {
                named.architecture.is_none_or(|named| named == one)
                    && constraint.is_none_or(|text| {
                        is_built(evaluate(text, &|tag| meaning(tag, None, Some(one))))
                    })
            }),
        }
    }

    /// Returns whether there is a platform for which both files are built, as far as their names and constraints tell.
    pub fn meet(self, other: Self) -> bool {
        self.systems & other.systems != 0 && self.architectures & other.architectures != 0
    }
}

/// Whether a tag is set for a system: those of two that one is a kind of are.
fn has_tag(system: &str, tag: &str) -> bool {
    system == tag
        || matches!(
            (system, tag),
            ("android", "linux") | ("ios", "darwin") | ("illumos", "solaris")
        )
}

fn meaning(tag: &str, system: Option<&str>, architecture: Option<&str>) -> Option<bool> {
    if tag == "unix" {
        return system.map(|it| UNIX.contains(&it) || it == "solaris");
    }
    if SYSTEMS.contains(&tag) {
        return system.map(|it| has_tag(it, tag));
    }
    if ARCHITECTURES.contains(&tag) {
        return architecture.map(|it| it == tag);
    }
    None
}

/// The parts of a file's name that are constraints.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct NamedPlatform<'a> {
    pub(super) system: Option<&'a str>,
    pub(super) architecture: Option<&'a str>,
}

/// Reads the platform in the name of a file: `lock_windows.go`, `sum_linux_arm64_test.go`.
pub(super) fn of_file_name(name: &str) -> NamedPlatform<'_> {
    let stem = name.strip_suffix(".go").unwrap_or(name);
    let stem = stem.strip_suffix("_test").unwrap_or(stem);
    let mut found = NamedPlatform::default();
    // What stands before the first `_` is never a constraint.
    let Some((_, rest)) = stem.split_once('_') else {
        return found;
    };
    let mut last = rest.rsplit('_');
    let mut end = last.next();
    if let Some(architecture) = end.filter(|it| ARCHITECTURES.contains(it)) {
        found.architecture = Some(architecture);
        end = last.next();
    }
    found.system = end.filter(|it| SYSTEMS.contains(it));
    found
}

#[cfg(test)]
mod tests {
    use super::Platforms;
    use crate::ir::FileFacts;
    use crate::model::RepoPath;

    #[test]
    fn names_and_constraints_say_what_is_built_together() {
        let meet = |one: (&str, &str), other: (&str, &str)| {
            let file = |(name, constraint): (&str, &str)| {
                let mut units = vec!["a".to_owned()];
                if !constraint.is_empty() {
                    units.push(constraint.to_owned());
                }
                let facts = FileFacts {
                    units,
                    ..FileFacts::default()
                };
                (RepoPath::new(name).unwrap(), facts)
            };
            let (one, other) = (file(one), file(other));
            Platforms::of(&one.0, &one.1).meet(Platforms::of(&other.0, &other.1))
        };
        assert!(meet(("a_windows.go", ""), ("b_windows.go", "")));
        assert!(meet(("a_windows.go", ""), ("b.go", "")));
        assert!(meet(("a_windows.go", ""), ("b.go", "!linux")));
        assert!(meet(("a.go", "windows"), ("b_windows_arm64.go", "")));
        assert!(meet(("a_darwin.go", ""), ("b.go", "unix && cgo")));
        assert!(meet(("a_android.go", ""), ("b_linux.go", "")));
        assert!(!meet(("a_windows.go", ""), ("b_linux.go", "")));
        assert!(!meet(("a_windows.go", ""), ("b.go", "unix")));
        assert!(!meet(("a_arm64.go", ""), ("b_amd64.go", "")));
        assert!(!meet(("a_arm64.go", ""), ("b.go", "!arm64")));
        assert!(meet(("a_test.go", ""), ("b_amd64_test.go", "")));
    }
}
