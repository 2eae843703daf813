//! Whether a path lies on a file system that others change without a sign.
//!
//! Linux alone says so in a file; elsewhere nothing is known, and the watch is tried.

use std::path::{Path, PathBuf};

/// Types of file systems whose changes on another machine raise no event here.
const NETWORK: [&str; 12] = [
    "nfs",
    "nfs4",
    "cifs",
    "smb3",
    "smbfs",
    "9p",
    "afs",
    "ceph",
    "glusterfs",
    "lustre",
    "vboxsf",
    "virtiofs",
];

/// Returns the type of the file system at `path` where it is one of those.
pub fn network_type(path: &Path) -> Option<String> {
    let mounts = std::fs::read_to_string("/proc/self/mounts").ok()?;
    let path = path.canonicalize().ok()?;
    type_of(&mounts, &path).filter(|kind| {
        NETWORK.contains(&kind.as_str()) || kind.starts_with("fuse.") && kind != "fuse.overlayfs"
    })
}

/// Returns the type of the nearest mount around a path. Lines are `device place type …`, with `\040` for a
/// blank.
fn type_of(mounts: &str, path: &Path) -> Option<String> {
    let mut best: Option<(PathBuf, &str)> = None;
    for line in mounts.lines() {
        let mut fields = line.split(' ');
        let (Some(_), Some(place), Some(kind)) = (fields.next(), fields.next(), fields.next())
        else {
            continue;
        };
        let place = PathBuf::from(place.replace("\\040", " "));
        // A later mount of the same place lies over the earlier one.
        let is_nearer = best
            .as_ref()
            .is_none_or(|(known, _)| place.components().count() >= known.components().count());
        if path.starts_with(&place) && is_nearer {
            best = Some((place, kind));
        }
    }
    best.map(|(_, kind)| kind.to_owned())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::type_of;

    #[test]
    fn the_nearest_mount_counts() {
        let mounts = "/dev/a / ext4 rw 0 0\nhost:/x /mnt/far\\040away nfs4 rw 0 0\n/dev/b /mnt ext4 rw 0 0\n";
        let of = |path| type_of(mounts, Path::new(path)).unwrap();
        assert_eq!(of("/mnt/far away/repo"), "nfs4");
        assert_eq!(of("/mnt/far"), "ext4");
        assert_eq!(of("/home"), "ext4");
        assert!(type_of("", Path::new("/")).is_none());
    }
}
