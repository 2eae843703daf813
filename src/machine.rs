//! The operating system's figures for this process and a disk, and its services for a whole process.
//!
//! A figure that the system does not give is `None`.

use std::path::Path;
use std::time::Duration;

/// Returns the CPU time that this process took so far, all of its threads together; `None` where the system
/// does not tell.
pub fn cpu_time() -> Option<Duration> {
    #[cfg(unix)]
    {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
        let seconds = u64::try_from(time.tv_sec).ok()?;
        Some(Duration::new(seconds, u32::try_from(time.tv_nsec).ok()?))
    }
    #[cfg(not(unix))]
    None
}

/// How much memory a process holds, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    /// All that is in memory, the pages of the program among them.
    pub resident: u64,
    /// Anonymous memory, which no file backs: `RssAnon` of Linux.
    pub anonymous: u64,
}

/// Returns how much memory this process holds; `None` where the system does not tell (anywhere but on Linux).
pub fn memory() -> Option<Memory> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let bytes = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
        Some(kib * 1024)
    };
    Some(Memory {
        resident: bytes("VmRSS:")?,
        anonymous: bytes("RssAnon:")?,
    })
}

/// Gives memory that is free in the allocator's pages back to the system, as far as this thread may.
#[expect(unsafe_code, reason = "the library offers no safe way")]
pub fn release_free_memory() {
    // SAFETY: takes no pointer, and touches nothing but what nobody uses.
    unsafe { libmimalloc_sys::mi_collect(true) }
}

/// Lets go of what lies in memory of this program's file, its code and its constants: it stays in the system's cache, and what is used again
/// comes back from there, some microseconds for each 64 KiB. Returns the size in bytes, in memory or not; 0 where nothing was done,
/// as anywhere but on Linux.
///
/// A server that rests holds some 20 MB that were used once, in its beginning.
pub fn release_program() -> usize {
    #[cfg(target_os = "linux")]
    {
        let maps = std::fs::read_to_string("/proc/self/smaps").unwrap_or_default();
        let own = std::fs::read_link("/proc/self/exe").unwrap_or_default();
        let ranges = unwritten_ranges(&maps, &own).into_iter();
        ranges
            .map(|(start, end)| drop_pages(start, end - start))
            .sum()
    }
    #[cfg(not(target_os = "linux"))]
    0
}

/// Returns the bounds of the mappings of a file that can't be written to and never were, from `/proc/self/smaps`: a line
/// `5500-7f00 r-xp 00000000 08:01 42  /usr/bin/codelens` each, with lines `Anonymous:  0 kB` and `Swap:  0 kB` below. The pointers of a program
/// are written when it is loaded, and can't be from then on: their pages are no longer those of the file.
#[cfg(target_os = "linux")]
fn unwritten_ranges(maps: &str, file: &Path) -> Vec<(usize, usize)> {
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    let mut is_own = false;
    for line in maps.lines() {
        let written = line.strip_prefix("Anonymous:");
        if let Some(size) = written.or_else(|| line.strip_prefix("Swap:")) {
            if is_own && size.trim() != "0 kB" {
                ranges.pop();
                is_own = false;
            }
        } else if line
            .starts_with(|first: char| first.is_ascii_digit() || first.is_ascii_lowercase())
        {
            let range = readable_range(line, file);
            is_own = range.is_some();
            ranges.extend(range);
        }
    }
    ranges
}

/// Returns the bounds of a mapping, where it is one of `file` that is only read or run.
#[cfg(target_os = "linux")]
fn readable_range(line: &str, file: &Path) -> Option<(usize, usize)> {
    let (place, rest) = line.split_once(' ')?;
    let (access, rest) = rest.split_once(' ')?;
    let (start, end) = place.split_once('-')?;
    let is_own = rest.ends_with(file.to_str().filter(|path| path.starts_with('/'))?);
    let bound = |text: &str| usize::from_str_radix(text, 16).ok();
    let (start, end) = (bound(start)?, bound(end)?);
    (is_own && matches!(access, "r-xp" | "r--p") && start < end).then_some((start, end))
}

#[cfg(target_os = "linux")]
#[expect(
    unsafe_code,
    reason = "the library offers no safe way: other mappings would lose what was written to them"
)]
fn drop_pages(start: usize, n_bytes: usize) -> usize {
    use rustix::mm::{Advice, madvise};
    let start = std::ptr::with_exposed_provenance_mut(start);
    // SAFETY: the mapping is private and its pages are those of the file, which is what they are read from again. What runs meanwhile waits
    // for them.
    match unsafe { madvise(start, n_bytes, Advice::LinuxDontNeed) } {
        Ok(()) => n_bytes,
        Err(error) => {
            tracing::debug!(%error, "the program stays in memory");
            0
        }
    }
}

/// Waits until there is something to read, or the other end is closed.
#[cfg(unix)]
pub fn wait_readable(file: &std::fs::File) {
    use rustix::event::{PollFd, PollFlags, poll};
    let mut watched = [PollFd::new(file, PollFlags::IN)];
    while matches!(poll(&mut watched, None), Err(rustix::io::Errno::INTR)) {}
}

/// Replaces this process (`execve`) by the same program, with the same arguments, environment, standard input and
/// output, and `variable` set: all memory goes back, all threads end, all other files are closed. Returns only
/// where that can't be done.
#[cfg(unix)]
#[expect(clippy::disallowed_methods, reason = "no other program: itself")]
pub fn reexec(variable: &str, value: &str) -> std::io::Error {
    use std::os::unix::process::CommandExt as _;
    // A program that was deleted since, as by an update, is still to be had there.
    let own = Path::new("/proc/self/exe");
    let found = std::env::current_exe().ok().filter(|path| path.is_file());
    let program = found.as_deref().unwrap_or(own);
    let mut arguments = std::env::args_os();
    let name = arguments.next().unwrap_or_else(|| program.into());
    std::process::Command::new(program)
        .arg0(name)
        .args(arguments)
        .env(variable, value)
        .exec()
}

/// Returns how many bytes this user may still write to the file system that holds `path`, which need not
/// exist yet; `None` where the system does not tell.
pub fn free_bytes(path: &Path) -> Option<u64> {
    #[cfg(unix)]
    {
        let existing = path.ancestors().find(|part| part.exists())?;
        let found = rustix::fs::statvfs(existing).ok()?;
        Some(found.f_bavail.saturating_mul(found.f_frsize))
    }
    #[cfg(not(unix))]
    {
        let _ = path;
        None
    }
}

/// Creates a file that nobody else may read; one that is there is an error.
///
/// # Errors
/// Those of the system.
pub fn create_private(path: &Path) -> std::io::Result<std::fs::File> {
    let mut options = std::fs::File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Returns whether this user may write at `path`; `true` where the system does not tell.
pub fn is_writable(path: &Path) -> bool {
    #[cfg(unix)]
    {
        rustix::fs::access(path, rustix::fs::Access::WRITE_OK).is_ok()
    }
    #[cfg(not(unix))]
    {
        let _ = path;
        true
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::path::Path;

    #[test]
    fn the_system_tells() {
        let before = super::cpu_time().unwrap();
        let mut n = 0_u64;
        while super::cpu_time().unwrap() == before {
            n += 1;
        }
        assert!(n < u64::MAX);
        let memory = super::memory();
        assert!(
            memory.is_none_or(
                |memory| 1 << 16 < memory.anonymous && memory.anonymous < memory.resident
            )
        );
        assert!(super::free_bytes(Path::new("/tmp/not/there")).unwrap() > 0);
        assert!(super::is_writable(&std::env::temp_dir()));
        assert!(!super::is_writable(Path::new("/not/there")));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_program_goes_on_without_its_pages_in_memory() {
        assert!(super::release_program() > 0);
        assert!(super::cpu_time().is_some());
        let own = Path::new("/usr/bin/codelens");
        let mapping = |access: &str, file: &str, anonymous: u32, swap: u32| {
            format!(
                "5500-7f00 {access} 00000000 08:01 42   {file}\nSize:   10 kB\nAnonymous:   {anonymous} kB\n\
                 Swap:   {swap} kB\nSwapPss:   0 kB\nVmFlags: rd mr\n"
            )
        };
        let range = [(0x5500, 0x7f00)];
        for access in ["r-xp", "r--p"] {
            let maps = mapping(access, "/usr/bin/codelens", 0, 0);
            assert_eq!(super::unwritten_ranges(&maps, own), range, "{maps}");
            let others = mapping("r--p", "/usr/bin/codelens", 4, 0) + &maps;
            assert_eq!(super::unwritten_ranges(&others, own), range, "{others}");
        }
        for other in [
            mapping("r--p", "/usr/bin/codelens", 4, 0),
            mapping("r-xp", "/usr/bin/codelens", 0, 4),
            mapping("rw-p", "/usr/bin/codelens", 0, 0),
            mapping("r-xp", "/usr/lib/libc.so.6", 0, 0),
            mapping("r-xp", "", 0, 0),
            mapping("r-xp", "/usr/bin/codelens", 0, 0).replace("5500-7f00", "7f00-5500"),
            String::new(),
        ] {
            assert_eq!(super::unwritten_ranges(&other, own), [], "{other}");
        }
    }
}
