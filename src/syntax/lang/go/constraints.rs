//! Build constraints in a file: `//go:build windows && !cgo`.

use crate::model::build_constraint::evaluate;

/// Lines at the head of a file that are looked through for a constraint.
const MAX_LINES: usize = 400;

/// Bytes of a constraint beyond which there is none.
const MAX_BYTES: usize = 1_000;

/// Returns the constraint of a file.
pub(super) fn constraint(source: &str) -> Option<&str> {
    for line in source.lines().take(MAX_LINES) {
        let line = line.trim();
        if let Some(constraint) = line.strip_prefix("//go:build ") {
            return Some(constraint.trim()).filter(|it| !it.is_empty() && it.len() <= MAX_BYTES);
        }
        if line.starts_with("package ") {
            break;
        }
    }
    None
}

/// Returns whether a build for Linux on amd64, without tags and cgo, leaves out a file with a constraint.
pub(super) fn leaves_out(constraint: &str) -> bool {
    evaluate(constraint, &|tag| Some(is_set(tag))) == Some(false)
}

fn is_set(tag: &str) -> bool {
    matches!(tag, "linux" | "amd64" | "unix" | "gc")
        || tag
            .strip_prefix("go1.")
            .is_some_and(|minor| minor.parse::<u32>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::{constraint, leaves_out};

    fn is_left_out(source: &str) -> bool {
        constraint(source).is_some_and(leaves_out)
    }

    #[test]
    fn constraints_are_read_for_linux_on_amd64_without_tags() {
        for (constraint, left_out) in [
            ("linux", false),
            ("windows", true),
            ("!windows", false),
            ("ignore", true),
            ("unix && (arm64 || !cgo)", false),
            ("go1.21 && integration", true),
            ("darwin || linux", false),
            ("((", false),
            ("", false),
            ("é", false),
        ] {
            let source = format!("// x\n\n//go:build {constraint}\n\npackage a\n");
            assert_eq!(is_left_out(&source), left_out, "{constraint}");
        }
        assert!(!is_left_out("package a\n//go:build ignore\n"));
        assert!(!is_left_out(&format!("//go:build {}", "(".repeat(100))));
    }
}
