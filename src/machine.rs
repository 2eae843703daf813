//! What the operating system says of this process and of a disk.
//!
//! Refuses to know what the figures are for. Where the system does not say, nothing is said.

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

/// Returns whether this user may write what is at `path`; where the system does not tell, it may.
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
        assert!(super::free_bytes(Path::new("/tmp/not/there")).unwrap() > 0);
        assert!(super::is_writable(&std::env::temp_dir()));
        assert!(!super::is_writable(Path::new("/not/there")));
    }
}
