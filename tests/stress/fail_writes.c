/* Makes a write below some directories fail, in a program that is started with LD_PRELOAD.
 *
 *   FAIL_BELOW   the directories, separated by colons
 *   FAIL_AT      which write fails, counted from 1; 0: none
 *   FAIL_ERRNO   with what error
 *   FAIL_ON      1: and so do all writes after it; of the first one that writes bytes, half of them arrive
 *   FAIL_WHILE   only while this file exists: what is written meanwhile fails whatever its number is
 *   FAIL_LOG     a line for each write is added to this file: what it was, and where
 *
 * A write is whatever a full disk, a quota, a fault of the device or a lack of permission can refuse: opening to write,
 * making a directory, writing, cutting, waiting for the disk, renaming and linking. What is removed is never refused.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static const char *below, *only_while;
static long at, is_on, error_number;
static int log_file = -1;
static atomic_long n_writes;

static long number(const char *name) {
    const char *value = getenv(name);
    return value ? atol(value) : 0;
}

__attribute__((constructor)) static void begin(void) {
    below = getenv("FAIL_BELOW");
    only_while = getenv("FAIL_WHILE");
    at = number("FAIL_AT");
    is_on = number("FAIL_ON");
    error_number = number("FAIL_ERRNO");
    const char *path = getenv("FAIL_LOG");
    if (path)
        log_file = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

static int is_below(const char *path) {
    for (const char *dir = below; dir && *dir;) {
        const char *end = strchrnul(dir, ':');
        size_t n = (size_t)(end - dir);
        if (!strncmp(path, dir, n) && (path[n] == '/' || !path[n]))
            return 1;
        dir = *end ? end + 1 : end;
    }
    return 0;
}

/* Whether the write fails: 1 for the first that does, 2 for one after it. */
static int fails(const char *what, const char *path) {
    if (!below || !is_below(path))
        return 0;
    long n = atomic_fetch_add(&n_writes, 1) + 1;
    if (log_file >= 0) {
        char line[4200];
        int size = snprintf(line, sizeof line, "%s %s\n", what, path);
        if (size > 0)
            (void)!syscall(SYS_write, log_file, line, (size_t)size);
    }
    if (only_while) {
        struct stat found;
        return syscall(SYS_newfstatat, AT_FDCWD, only_while, &found, 0) == 0 ? 2 : 0;
    }
    return at && n == at ? 1 : at && n > at && is_on ? 2 : 0;
}

static int fails_at(const char *what, int file) {
    char name[64], path[4096];
    snprintf(name, sizeof name, "/proc/self/fd/%d", file);
    ssize_t n = readlink(name, path, sizeof path - 1);
    if (n <= 0)
        return 0;
    path[n] = 0;
    return fails(what, path);
}

/* What is there can be opened on a full disk. */
static int fails_to_open(const char *path, int flags) {
    struct stat found;
    int is_there = syscall(SYS_newfstatat, AT_FDCWD, path, &found, 0) == 0 && !(flags & O_TRUNC);
    int how = fails(is_there ? "open" : "create", path);
    return is_there && (error_number == ENOSPC || error_number == EDQUOT) ? 0 : how;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define REFUSE return errno = (int)error_number, -1

#define OPEN(name)                                                                                                     \
    int name(const char *path, int flags, ...) {                                                                       \
        va_list rest;                                                                                                  \
        va_start(rest, flags);                                                                                         \
        mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;                                                      \
        va_end(rest);                                                                                                  \
        if ((flags & (O_WRONLY | O_RDWR | O_CREAT)) && fails_to_open(path, flags))                                     \
            REFUSE;                                                                                                    \
        return REAL(name)(path, flags, mode);                                                                          \
    }
OPEN(open)
OPEN(open64)

ssize_t write(int file, const void *bytes, size_t n) {
    int how = fails_at("write", file);
    if (how == 2 || (how && !(is_on && n > 1)))
        REFUSE;
    return REAL(write)(file, bytes, how ? n / 2 : n);
}

#define PWRITE(name, offset)                                                                                           \
    ssize_t name(int file, const void *bytes, size_t n, offset place) {                                                \
        int how = fails_at("pwrite", file);                                                                            \
        if (how == 2 || (how && !(is_on && n > 1)))                                                                    \
            REFUSE;                                                                                                    \
        return REAL(name)(file, bytes, how ? n / 2 : n, place);                                                        \
    }
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

ssize_t writev(int file, const struct iovec *parts, int n) {
    if (fails_at("writev", file))
        REFUSE;
    return REAL(writev)(file, parts, n);
}

#define ON_FILE(name)                                                                                                  \
    int name(int file) {                                                                                               \
        if (fails_at(#name, file))                                                                                     \
            REFUSE;                                                                                                    \
        return REAL(name)(file);                                                                                       \
    }
ON_FILE(fsync)
ON_FILE(fdatasync)

#define CUT(name, offset)                                                                                              \
    int name(int file, offset size) {                                                                                  \
        if (fails_at("ftruncate", file))                                                                               \
            REFUSE;                                                                                                    \
        return REAL(name)(file, size);                                                                                 \
    }
CUT(ftruncate, off_t)
CUT(ftruncate64, off64_t)

int mkdir(const char *path, mode_t mode) {
    if (fails("mkdir", path))
        REFUSE;
    return REAL(mkdir)(path, mode);
}

int rename(const char *from, const char *to) {
    if (fails("rename", to))
        REFUSE;
    return REAL(rename)(from, to);
}

int link(const char *from, const char *to) {
    if (fails("link", to))
        REFUSE;
    return REAL(link)(from, to);
}

int linkat(int from_dir, const char *from, int to_dir, const char *to, int flags) {
    if (fails("link", to))
        REFUSE;
    return REAL(linkat)(from_dir, from, to_dir, to, flags);
}
