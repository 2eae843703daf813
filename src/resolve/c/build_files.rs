//! Include directories that build files name literally: `-I../include` in a Makefile, `include_directories(include)`.
//!
//! Reads literals and refuses to evaluate: a path with a variable that is not the directory of the project is left out.

use crate::resolve::paths::join;

/// Bytes of a build file that are read.
const MAX_BYTES: usize = 4 << 20;

/// Include directories of one build file that are kept.
const MAX_DIRECTORIES: usize = 400;

/// Returns whether a file of that name may name include directories.
pub(super) fn is_build_file(name: &str) -> bool {
    matches!(
        name,
        "CMakeLists.txt"
            | "Makefile"
            | "makefile"
            | "GNUmakefile"
            | "Makefile.am"
            | "Makefile.in"
            | "meson.build"
            | "configure.ac"
            | "compile_commands.json"
            | "compile_flags.txt"
            | "BUILD.bazel"
            | "BUILD"
    )
}

/// Returns the include directories of a build file, as they are written, each once in their order.
pub(super) fn directories(name: &str, text: &str) -> Vec<String> {
    let text = &text[..text.floor_char_boundary(MAX_BYTES.min(text.len()))];
    let mut found = Vec::new();
    match name {
        "CMakeLists.txt" => cmake(text, &mut found),
        "meson.build" => quoted_in(text, "include_directories(", &mut found),
        "BUILD" | "BUILD.bazel" => {
            quoted_in(text, "includes = [", &mut found);
            quoted_in(text, "strip_include_prefix = ", &mut found);
        }
        _ => flags(text, &mut found),
    }
    let mut all: Vec<String> = Vec::new();
    for one in found {
        let one = one.trim().trim_matches(['"', '\'']).to_owned();
        let is_kept = !one.is_empty() && one.len() < 300 && !one.contains(['\n', '\\']);
        if is_kept && !all.contains(&one) && all.len() < MAX_DIRECTORIES {
            all.push(one);
        }
    }
    all
}

/// Returns the directory that is meant, seen from that of the build file: `deps/lua/src` for `../deps/lua/src` in `src`.
pub(super) fn directory(from: &str, written: &str) -> Option<String> {
    let mut text = written;
    let mut base = from;
    if let Some(rest) = text.strip_prefix("$<BUILD_INTERFACE:") {
        text = rest.trim_end_matches('>');
    }
    for (open, close) in [("${", '}'), ("$(", ')')] {
        if let Some(rest) = text.strip_prefix(open) {
            let (name, rest) = rest.split_once(close)?;
            let name = name.to_ascii_lowercase();
            let is_own = matches!(
                name.as_str(),
                "cmake_current_source_dir"
                    | "cmake_current_list_dir"
                    | "srcdir"
                    | "curdir"
                    | "project_source_dir"
                    | "cmake_source_dir"
                    | "top_srcdir"
                    | "abs_top_srcdir"
                    | "abs_srcdir"
                    | "root"
                    | "topdir"
            ) || name.ends_with("_source_dir");
            if !is_own {
                return None;
            }
            if matches!(
                name.as_str(),
                "cmake_source_dir" | "top_srcdir" | "abs_top_srcdir" | "topdir"
            ) {
                base = "";
            }
            text = rest.trim_start_matches('/');
        }
    }
    if text.starts_with('/') || text.contains(['$', '<', '*', '@', '`']) {
        return None;
    }
    join(base, text)
}

/// `-I dir`, `-Idir`, `-isystem dir`
fn flags(text: &str, found: &mut Vec<String>) {
    let mut words = text
        .split(|c: char| c.is_whitespace() || matches!(c, '"' | ',' | '\''))
        .filter(|it| !it.is_empty());
    while let Some(word) = words.next() {
        if let Some(directory) = word.strip_prefix("-I") {
            let directory = if directory.is_empty() {
                words.next().unwrap_or_default()
            } else {
                directory
            };
            found.push(directory.to_owned());
        } else if word == "-isystem" || word == "-iquote" {
            found.extend(words.next().map(str::to_owned));
        }
    }
}

fn cmake(text: &str, found: &mut Vec<String>) {
    for command in ["include_directories(", "target_include_directories("] {
        let mut rest = text;
        while let Some(at) = rest.find(command) {
            let is_whole = rest[..at].ends_with(|c: char| c.is_whitespace() || c == ')') || at == 0;
            rest = &rest[at + command.len()..];
            if !is_whole {
                continue;
            }
            let end = rest.find(')').unwrap_or(rest.len());
            // Generator expressions and variables have brackets of their own, never parentheses.
            let words = rest[..end].split(|c: char| c.is_whitespace() || matches!(c, '"' | ';'));
            let words = words.filter(|it| {
                !it.is_empty()
                    && !matches!(
                        *it,
                        "PUBLIC" | "PRIVATE" | "INTERFACE" | "SYSTEM" | "BEFORE" | "AFTER"
                    )
            });
            let skipped = usize::from(command.starts_with("target"));
            found.extend(words.skip(skipped).map(str::to_owned));
        }
    }
}

/// The strings right behind a word, up to the closing bracket.
fn quoted_in(text: &str, word: &str, found: &mut Vec<String>) {
    let mut rest = text;
    while let Some(at) = rest.find(word) {
        rest = &rest[at + word.len()..];
        let end = rest.find([')', ']', '\n']).unwrap_or(rest.len());
        let parts = rest[..end].split(['"', '\'']);
        found.extend(parts.skip(1).step_by(2).map(str::to_owned));
    }
}
