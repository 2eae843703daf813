//! Links to places in files: which terminals show them (OSC 8), and their targets.

use std::path::Path;

use crate::model::uri::file_uri;

/// Returns whether a terminal is known to show links, by its environment. `FORCE_HYPERLINK` decides where it is set.
pub(super) fn are_shown(variable: impl Fn(&str) -> Option<String>) -> bool {
    if let Some(forced) = variable("FORCE_HYPERLINK") {
        return forced != "0";
    }
    let term = variable("TERM").unwrap_or_default();
    // A program in between may swallow them.
    if variable("CI").is_some()
        || variable("TMUX").is_some()
        || term.starts_with("screen")
        || term == "dumb"
    {
        return false;
    }
    let programs = [
        "iTerm.app",
        "WezTerm",
        "vscode",
        "ghostty",
        "Hyper",
        "Tabby",
        "rio",
        "zed",
    ];
    let is_known =
        variable("TERM_PROGRAM").is_some_and(|program| programs.contains(&program.as_str()));
    let terms = [
        "xterm-kitty",
        "alacritty",
        "foot",
        "foot-extra",
        "contour",
        "xterm-ghostty",
    ];
    let has_vte = variable("VTE_VERSION")
        .and_then(|version| version.parse().ok())
        .is_some_and(|version: u32| version >= 5_000);
    let signs = [
        "WT_SESSION",
        "KONSOLE_VERSION",
        "KITTY_WINDOW_ID",
        "DOMTERM",
    ];
    is_known
        || has_vte
        || terms.contains(&term.as_str())
        || signs.iter().any(|sign| variable(sign).is_some())
}

/// Returns the target of a place (`path` or `path:line`); `None` if there is no such file.
pub(super) fn target(root: &Path, place: &str) -> Option<String> {
    let numbered = place
        .rsplit_once(':')
        .filter(|(_, line)| line.parse::<u32>().is_ok());
    let path = numbered.map_or(place, |(path, _)| path);
    let file = root.join(path);
    (!path.is_empty() && file.is_absolute() && file.exists()).then(|| file_uri(&file))
}

/// Returns the link: the text, and the place it leads to.
pub(super) fn link(uri: &str, text: &str) -> String {
    format!("\u{1b}]8;;{uri}\u{1b}\\{text}\u{1b}]8;;\u{1b}\\")
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{are_shown, target};
    use crate::model::uri::file_uri;

    fn supports(variables: &[(&str, &str)]) -> bool {
        are_shown(|name| {
            variables
                .iter()
                .find(|(known, _)| *known == name)
                .map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn links_are_for_terminals_that_show_them() {
        assert!(supports(&[("TERM", "xterm-kitty")]));
        assert!(supports(&[
            ("TERM", "xterm-256color"),
            ("VTE_VERSION", "7006")
        ]));
        assert!(supports(&[("TERM_PROGRAM", "WezTerm")]));
        assert!(supports(&[("TERM", "dumb"), ("FORCE_HYPERLINK", "1")]));
        assert!(!supports(&[]) && !supports(&[("TERM", "xterm-256color")]));
        assert!(!supports(&[("TERM", "xterm-kitty"), ("TMUX", "/tmp/x")]));
        assert!(!supports(&[("TERM_PROGRAM", "vscode"), ("CI", "true")]));
        assert!(!supports(&[
            ("TERM_PROGRAM", "vscode"),
            ("FORCE_HYPERLINK", "0")
        ]));
    }

    #[test]
    fn a_place_leads_to_its_file_and_to_nothing_else() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let found = target(root, "src/main.rs:12").unwrap();
        assert!(
            found.starts_with("file:///") && found.ends_with("/src/main.rs"),
            "{found}"
        );
        assert_eq!(target(root, ":12"), None);
        assert_eq!(target(root, "src/mai…"), None);
        assert_eq!(
            file_uri(Path::new("/a b/\u{1b}ü;x")),
            "file:///a%20b/%1B%C3%BC%3Bx"
        );
        assert_eq!(file_uri(Path::new(r"C:\a\b")), "file:///C:/a/b");
    }
}
