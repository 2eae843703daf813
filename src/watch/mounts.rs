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

/// Returns the places below `root` where a single file is mounted, as containers do it with files of the host.
#[cfg(target_os = "linux")]
pub(super) fn mounted_files(root: &Path) -> Vec<PathBuf> {
    let mounts = std::fs::read("/proc/self/mountinfo").unwrap_or_default();
    let places = places_below(&mounts, root).into_iter();
    let is_file = |place: &PathBuf| place.symlink_metadata().map_or(true, |meta| !meta.is_dir());
    places.filter(is_file).collect()
}

/// Returns the places of mounts below `root`. Lines are `id parent device root place …`, with `\\040` for a blank.
#[cfg(target_os = "linux")]
fn places_below(mounts: &[u8], root: &Path) -> Vec<PathBuf> {
    use std::os::unix::ffi::OsStringExt as _;
    let lines = mounts.split(|byte| *byte == b'\n');
    let fields = lines.filter_map(|line| line.split(|byte| *byte == b' ').nth(4));
    let places = fields.map(|field| PathBuf::from(std::ffi::OsString::from_vec(unescaped(field))));
    places
        .filter(|place| place != root && place.starts_with(root))
        .collect()
}

/// Replaces `\\` and three octal digits by the byte that they stand for.
#[cfg(target_os = "linux")]
fn unescaped(field: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(field.len());
    let mut rest = field;
    while let Some((first, after)) = rest.split_first() {
        let digits = after.first_chunk::<3>().filter(|_| *first == b'\\');
        let code = digits.and_then(|digits| {
            let digits = std::str::from_utf8(digits).ok()?;
            u8::from_str_radix(digits, 8).ok()
        });
        bytes.push(code.unwrap_or(*first));
        rest = if code.is_some() { &after[3..] } else { after };
    }
    bytes
}

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

    #[cfg(target_os = "linux")]
    #[test]
    fn places_of_mounts_below_the_root_are_read_with_their_blanks() {
        let mounts = b"22 1 8:1 / / rw - ext4 /dev/a rw\n23 22 8:1 / /w/a\\040b\\134 rw - ext4 /dev/a rw\nbroken\n\n\
            24 22 8:1 / /w rw - ext4 x\n25 22 8:1 / /wide/c rw - ext4 x\n26 22 8:1 / /w/\\9 rw - ext4 x\n";
        let places = super::places_below(mounts, Path::new("/w"));
        assert_eq!(places, [Path::new("/w/a b\\"), Path::new("/w/\\9")]);
    }
}
