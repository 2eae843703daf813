//! The door to the resolver library: the file of a path, by the rules of Node and TypeScript.
//!
//! Knows extensions, directories and their entry files. It never sees the disk.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use oxc_resolver::{FileMetadata, FileSystem, ResolveError, ResolveOptions, ResolverGeneric};
use serde_json::{Map, Value};

use super::files::SourceFiles;
use super::json;
use crate::model::RepoPath;

/// Fields of `package.json` that name the entry of a directory, the one that is nearest to the
/// source first.
pub(super) const ENTRY_FIELDS: [&str; 5] = ["source", "types", "typings", "module", "main"];

/// Extensions that may be left out, the preferred first.
const EXTENSIONS: [&str; 15] = [
    ".ts", ".tsx", ".js", ".jsx", ".d.ts", ".mts", ".mjs", ".d.mts", ".cts", ".cjs", ".d.cts",
    ".json", ".vue", ".svelte", ".astro",
];

/// The source extensions that a written extension may mean, the preferred first: `./a.js` may be `a.ts`.
const WRITTEN: [(&str, &[&str]); 6] = [
    (".js", &[".ts", ".tsx", ".js", ".jsx", ".d.ts"]),
    (".jsx", &[".tsx", ".ts", ".jsx", ".js", ".d.ts"]),
    (".mjs", &[".mts", ".mjs", ".d.mts"]),
    (".cjs", &[".cts", ".cjs", ".d.cts"]),
    (".ts", &[".ts", ".tsx", ".js", ".jsx", ".d.ts"]),
    (".tsx", &[".tsx", ".ts", ".jsx", ".js", ".d.ts"]),
];

/// Declarations and the code that is preferred to them where it stands beside.
const DECLARED: [(&str, &str); 3] = [(".d.ts", ".js"), (".d.mts", ".mjs"), (".d.cts", ".cjs")];

/// Bytes and parts of a path beyond which there is nothing to find: the library recurses into parts.
const MAX_PATH: (usize, usize) = (4096, 256);

/// Finds files by paths that leave things out.
pub(super) struct Probe {
    library: ResolverGeneric<ProbeFiles>,
    files: Arc<dyn SourceFiles>,
}

impl Probe {
    pub(super) fn new(files: Arc<dyn SourceFiles>) -> Self {
        let texts = |list: &[&str]| list.iter().map(ToString::to_string).collect::<Vec<_>>();
        let options = ResolveOptions {
            extensions: texts(&EXTENSIONS),
            extension_alias: WRITTEN
                .iter()
                .map(|(written, real)| ((*written).to_owned(), texts(real)))
                .collect(),
            main_fields: texts(&ENTRY_FIELDS),
            main_files: texts(&["index"]),
            exports_fields: Vec::new(),
            imports_fields: Vec::new(),
            // Links are not followed: the target of a link has its own path in the index.
            symlinks: false,
            ..ResolveOptions::default()
        };
        let view = ProbeFiles(Some(Arc::clone(&files)));
        Self {
            library: ResolverGeneric::new_with_file_system(view, options),
            files,
        }
    }

    /// Returns the file that `path` stands for: itself, with another extension, with one added, or the
    /// entry of that directory. A path that ends in `/` means the directory alone.
    pub(super) fn find(&self, path: &str) -> Option<RepoPath> {
        if path.contains(['\0', '?']) || !is_bounded(path) {
            return None;
        }
        let found = self.library.resolve("/", &format!("./{path}")).ok()?;
        // A path at the root itself may come with two slashes.
        let found = found.path().to_str()?.trim_start_matches('/');
        // A `#` may have been read as the fragment of an address; the file is what counts.
        self.exact(found)
    }

    /// Returns the file of exactly that path, or the code that a declaration there describes.
    pub(super) fn exact(&self, path: &str) -> Option<RepoPath> {
        if !self.files.is_file(path) {
            return None;
        }
        let code = DECLARED.iter().find_map(|(declaration, code)| {
            let code = format!("{}{code}", path.strip_suffix(declaration)?);
            self.files.is_file(&code).then_some(code)
        });
        RepoPath::new(code.as_deref().unwrap_or(path))
    }

    /// Returns whether `path` is a directory of the index.
    pub(super) fn is_dir(&self, path: &str) -> bool {
        self.files.is_dir(path)
    }
}

fn is_bounded(path: &str) -> bool {
    path.len() <= MAX_PATH.0 && path.matches('/').count() <= MAX_PATH.1
}

/// The index as a file system whose root is the repository.
struct ProbeFiles(Option<Arc<dyn SourceFiles>>);

impl ProbeFiles {
    fn files(&self, path: &Path) -> io::Result<(&dyn SourceFiles, String)> {
        let relative = path.strip_prefix("/").ok().and_then(Path::to_str);
        match (&self.0, relative) {
            (Some(files), Some(relative)) => Ok((files.as_ref(), relative.to_owned())),
            _ => Err(io::ErrorKind::NotFound.into()),
        }
    }
}

impl FileSystem for ProbeFiles {
    fn new() -> Self {
        Self(None)
    }

    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let (files, path) = self.files(path)?;
        let bytes = files.read_config(&path).ok_or(io::ErrorKind::NotFound)?;
        // The library fails on a manifest that it can't read, and everything around it would be
        // lost: it gets the entry fields alone, and those only where they are fit to use.
        let manifest = json::object(&bytes).unwrap_or_default();
        let fields: Map<String, Value> = ENTRY_FIELDS
            .iter()
            .filter_map(|field| Some(((*field).to_owned(), manifest.get(*field)?.clone())))
            .filter(|(_, value)| {
                let text = value.as_str().unwrap_or_default();
                !text.is_empty() && is_bounded(text)
            })
            .collect();
        serde_json::to_vec(&Value::Object(fields)).map_err(io::Error::from)
    }

    fn read_to_string(&self, path: &Path) -> io::Result<String> {
        String::from_utf8(self.read(path)?).map_err(|_| io::ErrorKind::InvalidData.into())
    }

    fn metadata(&self, path: &Path) -> io::Result<FileMetadata> {
        let (files, path) = self.files(path)?;
        if files.is_file(&path) {
            Ok(FileMetadata::new(true, false, false))
        } else if path.is_empty() || files.is_dir(&path) {
            Ok(FileMetadata::new(false, true, false))
        } else {
            Err(io::ErrorKind::NotFound.into())
        }
    }

    fn symlink_metadata(&self, path: &Path) -> io::Result<FileMetadata> {
        self.metadata(path)
    }

    fn read_link(&self, _path: &Path) -> Result<PathBuf, ResolveError> {
        Err(io::Error::from(io::ErrorKind::InvalidInput).into())
    }

    fn canonicalize(&self, path: &Path) -> io::Result<PathBuf> {
        Ok(path.to_owned())
    }
}
