//! Which repository, which of its work trees, and which family of clones this is.
//!
//! A family is a hint: a wrong one costs time, never truth.

use std::path::{Path, PathBuf};

use gix::bstr::ByteSlice;

use crate::model::COMMIT_SOURCE;

use super::Repo;

/// How many commits are walked in search of the first one. About 0.5 s at worst, without a commit graph.
const MAX_WALK: usize = 50_000;

impl Repo {
    /// Returns the identity of the repository on this machine: 32 hexadecimal digits of the BLAKE3 hash
    /// of its canonical common directory. All of its work trees share it.
    pub fn repo_id(&self) -> String {
        digest(&[self.common_dir.as_os_str().as_encoded_bytes()])
    }

    /// Returns which work tree of the repository this is: `main`, or `worktrees/<name>`; [`COMMIT_SOURCE`] where a commit
    /// is asked.
    pub fn worktree_id(&self) -> String {
        if self.source.is_commit() {
            return COMMIT_SOURCE.to_owned();
        }
        match self.git_dir.strip_prefix(&self.common_dir) {
            Ok(rest) if rest.starts_with("worktrees") => rest.to_string_lossy().into_owned(),
            _ => "main".into(),
        }
    }

    /// Returns every directory that belongs to the repository: its git directories and its work trees, as
    /// far as they can be found.
    pub fn directories(&self) -> Vec<PathBuf> {
        let mut places = vec![
            self.work_dir.clone(),
            self.common_dir.clone(),
            self.git_dir.clone(),
        ];
        if self
            .common_dir
            .file_name()
            .is_some_and(|name| name == ".git")
        {
            places.extend(self.common_dir.parent().map(Path::to_owned));
        }
        let linked = self.inner.worktrees().unwrap_or_default();
        let bases = linked.iter().filter_map(|tree| tree.base().ok());
        places.extend(bases.filter_map(|base| base.canonicalize().ok()));
        places
    }

    /// Returns the family of clones: 32 hexadecimal digits over the normalised address of the remote (the only one, or
    /// `origin`), else over the first commit along first parents; `None` where there is neither, or history is cut off
    /// or too long.
    pub fn clone_family(&self) -> Option<String> {
        self.remote_family().or_else(|| self.root_family())
    }

    fn remote_family(&self) -> Option<String> {
        let remote = self
            .inner
            .find_default_remote(gix::remote::Direction::Fetch)?
            .ok()?;
        let url = remote.url(gix::remote::Direction::Fetch)?;
        let address = normalise(url, &self.work_dir)?;
        Some(digest(&[b"remote", &address]))
    }

    fn root_family(&self) -> Option<String> {
        if self.inner.is_shallow().unwrap_or(true) {
            return None;
        }
        let head = self.head_commit().ok()??.id;
        let walk = self.inner.rev_walk([head]).first_parent_only().all().ok()?;
        let mut root = None;
        for (n, step) in walk.enumerate() {
            if n >= MAX_WALK {
                return None;
            }
            root = Some(step.ok()?.id);
        }
        Some(digest(&[b"root", root?.to_hex().to_string().as_bytes()]))
    }
}

/// Returns one spelling for all that lead to the same place: no scheme, user, password or usual port, no
/// `.git` and no slash at the end, the host in lower case. A local path is canonical.
fn normalise(url: &gix::Url, work_dir: &Path) -> Option<Vec<u8>> {
    let Some(host) = url.host() else {
        let path = work_dir.join(gix::path::from_bstr(url.path.as_bstr()).ok()?);
        let path = path.canonicalize().unwrap_or(path);
        let bytes = path.as_os_str().as_encoded_bytes();
        return Some([b"file:".as_slice(), trim(bytes)].concat());
    };
    let host = host.to_ascii_lowercase();
    let usual = match url.scheme {
        gix::url::Scheme::Ssh => Some(22),
        gix::url::Scheme::Http => Some(80),
        gix::url::Scheme::Https => Some(443),
        gix::url::Scheme::Git => Some(9418),
        _ => None,
    };
    let address = match url.port.filter(|port| Some(*port) != usual) {
        Some(port) => format!("{host}:{port}"),
        None => host,
    };
    let path = trim(&url.path);
    let path = path.trim_start_with(|c| c == '/');
    Some([address.as_bytes(), b"/", path].concat())
}

fn trim(path: &[u8]) -> &[u8] {
    let path = path.trim_end_with(|c| c == '/');
    let path = path.strip_suffix(b".git").unwrap_or(path);
    path.trim_end_with(|c| c == '/')
}

fn digest(parts: &[&[u8]]) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(part);
        if parts.len() > 1 {
            hasher.update(&[0]);
        }
    }
    hasher.finalize().to_hex()[..32].to_owned()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::normalise;

    fn address(url: &str) -> String {
        let url = gix::url::parse(url).unwrap();
        String::from_utf8(normalise(&url, Path::new("/nowhere/here")).unwrap()).unwrap()
    }

    #[test]
    fn all_spellings_of_a_remote_are_one_address() {
        for url in [
            "git@github.com:vuejs/core.git",
            "git@github.com:/vuejs/core",
            "ssh://git@github.com/vuejs/core.git",
            "ssh://git@github.com:22/vuejs/core",
            "https://github.com/vuejs/core.git/",
            "https://user:token@GitHub.com:443/vuejs/core",
            "http://github.com/vuejs/core",
            "git://github.com/vuejs/core.git",
        ] {
            assert_eq!(address(url), "github.com/vuejs/core", "{url}");
        }
    }

    #[test]
    fn different_places_are_different_addresses() {
        assert_eq!(address("ssh://git@host:2222/a/b"), "host:2222/a/b");
        assert_eq!(address("https://host/A/b"), "host/A/b");
        assert_eq!(address("/srv/git/x.git/"), "file:/srv/git/x");
        assert_eq!(address("file:///srv/git/x"), "file:/srv/git/x");
        assert_eq!(address("../x.git"), "file:/nowhere/here/../x");
    }
}
