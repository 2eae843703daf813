//! Includes of C and C++: from the text behind `#include` to a file of the index.
//!
//! Quotes lead to the directory of the includer first. Then come the include directories that build files name literally,
//! the usual ones (`include/`, `src/`) upwards, and last the one file whose path ends with the text. No build file is run.

mod affected;
mod build_files;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

pub(super) use affected::AffectedImports;

use super::paths::{join, parent, upwards};
use super::{ModuleResolver, Resolution, SourceFiles};
use crate::ir::{FileFacts, ImportKind};
use crate::model::RepoPath;
use crate::model::hash::HashMap;
use crate::model::path::file_name;

/// Bytes of a specifier beyond which there is nothing to find.
const MAX_SPECIFIER_BYTES: usize = 512;

/// Include directories of one repository that are kept.
const MAX_DIRECTORIES: usize = 4_000;

/// Directories with headers by custom.
const USUAL: [&str; 3] = ["include", "inc", "src"];

const EXTENSIONS: [&str; 14] = [
    "c", "h", "cc", "cpp", "cxx", "c++", "hpp", "hh", "hxx", "h++", "inl", "ipp", "tpp", "inc",
];

/// Returns whether the file at `path` is written in C or C++.
pub(super) fn is_source(path: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, extension)| {
        let is_known = |it: &&str| it.eq_ignore_ascii_case(extension);
        EXTENSIONS.iter().any(is_known) && extension != "inc"
    })
}

/// Returns the units of the names with external linkage that a file declares or defines.
pub(super) fn units(facts: &FileFacts) -> Vec<(String, u8)> {
    facts
        .units
        .iter()
        .map(|unit| (format!("c:{unit}"), 0))
        .collect()
}

/// Finds included files.
pub(super) struct CResolver {
    files: Arc<dyn SourceFiles>,
    /// Include directories that build files name, by the directory of the build file.
    directories: BTreeMap<String, Vec<String>>,
    /// All files by their names, once asked.
    by_name: OnceLock<HashMap<String, Vec<String>>>,
}

impl CResolver {
    /// Reads the include directories of the build files.
    pub(super) fn new(files: Arc<dyn SourceFiles>) -> Self {
        let mut directories: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let mut n_known = 0;
        for path in files.configs() {
            if !build_files::is_build_file(file_name(&path)) {
                continue;
            }
            let Some(bytes) = files.read_config(&path) else {
                continue;
            };
            let from = parent(&path).to_owned();
            let text = String::from_utf8_lossy(&bytes).into_owned();
            for one in text.lines() {
                let Some(directory) = build_files::directory(&from, one) else {
                    continue;
                };
                let known = directories.entry(from.clone()).or_default();
                if !known.contains(&directory)
                    && n_known < MAX_DIRECTORIES
                    && files.is_dir(&directory)
                {
                    known.push(directory);
                    n_known += 1;
                }
            }
        }
        Self {
            files,
            directories,
            by_name: OnceLock::new(),
        }
    }

    fn file_at(&self, directory: &str, relative: &str) -> Option<String> {
        let path = join(directory, relative)?;
        self.files.is_file(&path).then_some(path)
    }

    /// The file in an include directory: of the build files around the includer, the nearest first, then of others.
    fn in_directories(&self, from: &str, relative: &str) -> Option<String> {
        for around in upwards(parent(from)) {
            let known = self.directories.get(around).into_iter().flatten();
            let mut found = known.filter_map(|it| self.file_at(it, relative));
            if let Some(found) = found.next() {
                return Some(found);
            }
            for usual in USUAL {
                let directory = join(around, usual)?;
                if let Some(found) = self.file_at(&directory, relative) {
                    return Some(found);
                }
            }
            if relative.contains('/')
                && let Some(found) = self.file_at(around, relative)
            {
                return Some(found);
            }
        }
        None
    }

    /// Finds a file whose path ends with the text; of several the nearest to the includer, [`Resolution::Missing`] where two are as near.
    fn by_end(&self, from: &str, relative: &str) -> Option<Resolution> {
        let clean = join("", relative.trim_start_matches("../"))?;
        let end = format!("/{clean}");
        let all = self.by_name.get_or_init(|| {
            let mut all: HashMap<String, Vec<String>> = HashMap::default();
            for path in self.files.paths() {
                let extension = path.rsplit_once('.').map(|(_, extension)| extension);
                if is_source(&path) || matches!(extension, Some("inc" | "def")) {
                    all.entry(file_name(&path).to_owned())
                        .or_default()
                        .push(path);
                }
            }
            for paths in all.values_mut() {
                paths.sort();
            }
            all
        });
        let named = all.get(file_name(&clean))?;
        let fits = named
            .iter()
            .filter(|path| **path == clean || path.ends_with(&end));
        let shared = |path: &str| {
            let both = parent(path).split('/').zip(parent(from).split('/'));
            let mut n_shared = 0;
            for (one, other) in both {
                if one != other {
                    break;
                }
                n_shared += 1;
            }
            n_shared
        };
        let best = fits.clone().map(|path| shared(path)).max()?;
        let mut nearest = fits.filter(|path| shared(path) == best);
        match (nearest.next(), nearest.next()) {
            (Some(one), None) => RepoPath::new(one).map(Resolution::File),
            // One of them is meant, in each build another one.
            _ => Some(Resolution::Missing),
        }
    }
}

impl ModuleResolver for CResolver {
    fn is_config(path: &RepoPath) -> bool {
        build_files::is_build_file(path.file_name())
    }

    fn relevant_bytes<'a>(path: &RepoPath, bytes: &'a [u8]) -> Cow<'a, [u8]> {
        let text = String::from_utf8_lossy(bytes);
        let kept = build_files::directories(path.file_name(), &text).join("\n");
        Cow::Owned(kept.into_bytes())
    }

    fn resolve(&self, from: &RepoPath, specifier: &str, _: ImportKind) -> Resolution {
        let is_angle = specifier.starts_with('<');
        let relative = specifier.trim_start_matches('<').trim_end_matches('>');
        if relative.len() > MAX_SPECIFIER_BYTES || relative.starts_with('/') || relative.is_empty()
        {
            return Resolution::External;
        }
        let path = from.as_str();
        let own = || self.file_at(parent(path), relative);
        let found = if is_angle { None } else { own() };
        let found = found.or_else(|| self.in_directories(path, relative));
        let is_system = is_angle
            && (!relative.contains('/') || relative.starts_with("sys/"))
            && is_standard(relative);
        let found = found.as_deref().and_then(RepoPath::new);
        let found = found.map(Resolution::File);
        let by_end = || (!is_system).then(|| self.by_end(path, relative)).flatten();
        match found.or_else(by_end) {
            Some(found) => found,
            None if is_angle || is_standard(relative) => Resolution::External,
            None => Resolution::Missing,
        }
    }
}

/// Whether a header is one of the standard libraries, or of POSIX: then no file of that name elsewhere is meant.
fn is_standard(header: &str) -> bool {
    if let Some(rest) = header.strip_prefix("sys/") {
        return !rest.contains('/');
    }
    !header.contains('.') || STANDARD.contains(&header)
}

const STANDARD: &[&str] = &[
    "aio.h",
    "alloca.h",
    "arpa/inet.h",
    "assert.h",
    "byteswap.h",
    "complex.h",
    "cpio.h",
    "ctype.h",
    "dirent.h",
    "dlfcn.h",
    "endian.h",
    "errno.h",
    "execinfo.h",
    "fcntl.h",
    "features.h",
    "fenv.h",
    "float.h",
    "fnmatch.h",
    "ftw.h",
    "getopt.h",
    "glob.h",
    "grp.h",
    "iconv.h",
    "ifaddrs.h",
    "inttypes.h",
    "io.h",
    "iso646.h",
    "langinfo.h",
    "libgen.h",
    "limits.h",
    "locale.h",
    "malloc.h",
    "math.h",
    "memory.h",
    "netdb.h",
    "poll.h",
    "pthread.h",
    "pwd.h",
    "regex.h",
    "sched.h",
    "search.h",
    "semaphore.h",
    "setjmp.h",
    "signal.h",
    "spawn.h",
    "stdalign.h",
    "stdarg.h",
    "stdatomic.h",
    "stdbool.h",
    "stddef.h",
    "stdint.h",
    "stdio.h",
    "stdlib.h",
    "stdnoreturn.h",
    "string.h",
    "strings.h",
    "syslog.h",
    "tgmath.h",
    "threads.h",
    "time.h",
    "uchar.h",
    "ucontext.h",
    "unistd.h",
    "utime.h",
    "wchar.h",
    "wctype.h",
    "windows.h",
    "winsock2.h",
    "ws2tcpip.h",
    "wordexp.h",
    "termios.h",
    "xmmintrin.h",
    "emmintrin.h",
    "immintrin.h",
];
