//! Interfaces of Go's standard library that others embed or implement, and structs of it that others embed, with their methods.

/// Types of the standard library: the path of the package, the name, and its methods, or for one without parameters the interface
/// that it embeds. A name without its package is of the same one, or predeclared.
const STANDARD: &[(&str, &str, &[&str])] = &[
    (
        "context",
        "Context",
        &[
            "Deadline() (deadline time.Time, ok bool)",
            "Done() <-chan struct{}",
            "Err() error",
            "Value(key any) any",
        ],
    ),
    ("database/sql", "Scanner", &["Scan(src any) error"]),
    ("database/sql/driver", "Valuer", &["Value() (Value, error)"]),
    (
        "encoding",
        "BinaryMarshaler",
        &["MarshalBinary() (data []byte, err error)"],
    ),
    (
        "encoding",
        "BinaryUnmarshaler",
        &["UnmarshalBinary(data []byte) error"],
    ),
    (
        "encoding",
        "TextMarshaler",
        &["MarshalText() (text []byte, err error)"],
    ),
    (
        "encoding",
        "TextUnmarshaler",
        &["UnmarshalText(text []byte) error"],
    ),
    (
        "encoding/json",
        "Marshaler",
        &["MarshalJSON() ([]byte, error)"],
    ),
    (
        "encoding/json",
        "Unmarshaler",
        &["UnmarshalJSON([]byte) error"],
    ),
    ("flag", "Value", &["String() string", "Set(string) error"]),
    ("fmt", "Formatter", &["Format(f State, verb rune)"]),
    ("fmt", "GoStringer", &["GoString() string"]),
    ("fmt", "Stringer", &["String() string"]),
    (
        "hash",
        "Hash",
        &[
            "io.Writer",
            "Sum(b []byte) []byte",
            "Reset()",
            "Size() int",
            "BlockSize() int",
        ],
    ),
    ("io", "ByteReader", &["ReadByte() (byte, error)"]),
    (
        "io",
        "ByteScanner",
        &["io.ByteReader", "UnreadByte() error"],
    ),
    ("io", "ByteWriter", &["WriteByte(c byte) error"]),
    ("io", "Closer", &["Close() error"]),
    ("io", "ReadCloser", &["io.Reader", "io.Closer"]),
    (
        "io",
        "ReadSeekCloser",
        &["io.Reader", "io.Seeker", "io.Closer"],
    ),
    ("io", "ReadSeeker", &["io.Reader", "io.Seeker"]),
    (
        "io",
        "ReadWriteCloser",
        &["io.Reader", "io.Writer", "io.Closer"],
    ),
    (
        "io",
        "ReadWriteSeeker",
        &["io.Reader", "io.Writer", "io.Seeker"],
    ),
    ("io", "ReadWriter", &["io.Reader", "io.Writer"]),
    ("io", "Reader", &["Read(p []byte) (n int, err error)"]),
    (
        "io",
        "ReaderAt",
        &["ReadAt(p []byte, off int64) (n int, err error)"],
    ),
    (
        "io",
        "ReaderFrom",
        &["ReadFrom(r Reader) (n int64, err error)"],
    ),
    (
        "io",
        "RuneReader",
        &["ReadRune() (r rune, size int, err error)"],
    ),
    (
        "io",
        "Seeker",
        &["Seek(offset int64, whence int) (int64, error)"],
    ),
    (
        "io",
        "StringWriter",
        &["WriteString(s string) (n int, err error)"],
    ),
    ("io", "WriteCloser", &["io.Writer", "io.Closer"]),
    ("io", "WriteSeeker", &["io.Writer", "io.Seeker"]),
    ("io", "Writer", &["Write(p []byte) (n int, err error)"]),
    (
        "io",
        "WriterAt",
        &["WriteAt(p []byte, off int64) (n int, err error)"],
    ),
    (
        "io",
        "WriterTo",
        &["WriteTo(w Writer) (n int64, err error)"],
    ),
    (
        "io/fs",
        "DirEntry",
        &[
            "Name() string",
            "IsDir() bool",
            "Type() FileMode",
            "Info() (FileInfo, error)",
        ],
    ),
    ("io/fs", "FS", &["Open(name string) (File, error)"]),
    (
        "io/fs",
        "File",
        &["Stat() (FileInfo, error)", "io.Reader", "io.Closer"],
    ),
    (
        "io/fs",
        "FileInfo",
        &[
            "Name() string",
            "Size() int64",
            "Mode() FileMode",
            "ModTime() time.Time",
            "IsDir() bool",
            "Sys() any",
        ],
    ),
    (
        "log/slog",
        "Handler",
        &[
            "Enabled(context.Context, Level) bool",
            "Handle(context.Context, Record) error",
            "WithAttrs(attrs []Attr) Handler",
            "WithGroup(name string) Handler",
        ],
    ),
    ("net", "Addr", &["Network() string", "String() string"]),
    (
        "net",
        "Conn",
        &[
            "io.Reader",
            "io.Writer",
            "io.Closer",
            "LocalAddr() Addr",
            "RemoteAddr() Addr",
            "SetDeadline(t time.Time) error",
            "SetReadDeadline(t time.Time) error",
            "SetWriteDeadline(t time.Time) error",
        ],
    ),
    (
        "net",
        "Listener",
        &["Accept() (Conn, error)", "io.Closer", "Addr() Addr"],
    ),
    ("net/http", "Flusher", &["Flush()"]),
    (
        "net/http",
        "Handler",
        &["ServeHTTP(ResponseWriter, *Request)"],
    ),
    (
        "net/http",
        "ResponseWriter",
        &[
            "Header() Header",
            "io.Writer",
            "WriteHeader(statusCode int)",
        ],
    ),
    (
        "net/http",
        "RoundTripper",
        &["RoundTrip(*Request) (*Response, error)"],
    ),
    (
        "os",
        "File",
        &[
            "Chdir() error",
            "Chmod(mode FileMode) error",
            "Chown(uid, gid int) error",
            "Fd() uintptr",
            "Name() string",
            "ReadDir(n int) ([]DirEntry, error)",
            "Readdir(n int) ([]FileInfo, error)",
            "Readdirnames(n int) (names []string, err error)",
            "SetDeadline(t time.Time) error",
            "SetReadDeadline(t time.Time) error",
            "SetWriteDeadline(t time.Time) error",
            "Stat() (FileInfo, error)",
            "Sync() error",
            "SyscallConn() (syscall.RawConn, error)",
            "Truncate(size int64) error",
            "io.Closer",
            "io.Reader",
            "io.ReaderAt",
            "io.ReaderFrom",
            "io.Seeker",
            "io.StringWriter",
            "io.Writer",
            "io.WriterAt",
            "io.WriterTo",
        ],
    ),
    (
        "sort",
        "Interface",
        &["Len() int", "Less(i, j int) bool", "Swap(i, j int)"],
    ),
    ("sync", "Locker", &["Lock()", "Unlock()"]),
    ("sync", "Mutex", &["Lock()", "TryLock() bool", "Unlock()"]),
    ("sync", "Once", &["Do(f func())"]),
    (
        "sync",
        "RWMutex",
        &[
            "Lock()",
            "RLock()",
            "RLocker() Locker",
            "RUnlock()",
            "TryLock() bool",
            "TryRLock() bool",
            "Unlock()",
        ],
    ),
    (
        "sync",
        "WaitGroup",
        &["Add(delta int)", "Done()", "Go(f func())", "Wait()"],
    ),
    ("", "error", &["Error() string"]),
    ("", "any", &[]),
    ("", "comparable", &[]),
];

/// How deep interfaces of the table embed others.
const MAX_DEPTH: usize = 4;

/// Returns the methods of a type of the standard library, each as it is declared behind the path of its package; `None` of one that
/// the table lacks. The path of a predeclared type is empty.
pub(super) fn methods(package: &str, name: &str) -> Option<Vec<(&'static str, &'static str)>> {
    let mut all = Vec::new();
    add_methods(package, name, 0, &mut all)?;
    Some(all)
}

fn add_methods(
    package: &str,
    name: &str,
    depth: usize,
    all: &mut Vec<(&'static str, &'static str)>,
) -> Option<()> {
    let (package, name) = defined_name(package, name);
    let known = STANDARD.iter();
    let (package, _, methods) = known.clone().find(|it| (it.0, it.1) == (package, name))?;
    for method in *methods {
        match method.split_once('.') {
            Some((other, embedded)) if !method.contains('(') && depth < MAX_DEPTH => {
                add_methods(other, embedded, depth + 1, all)?;
            }
            _ => all.push((*package, *method)),
        }
    }
    Some(())
}

/// Returns the package and the name by which a type is defined: `io/fs` of `os.FileMode`.
pub(super) fn defined_name<'a>(package: &'a str, name: &'a str) -> (&'a str, &'a str) {
    match (package, name) {
        ("os", "FileInfo" | "FileMode" | "DirEntry" | "PathError") => ("io/fs", name),
        ("", "byte") => ("", "uint8"),
        ("", "rune") => ("", "int32"),
        _ => (package, name),
    }
}

/// Returns the path of a package that the table names by its last part: `net/http` of `http`.
pub(super) fn package_path(name: &str) -> &str {
    STANDARD
        .iter()
        .map(|it| it.0)
        .find(|path| path.rsplit('/').next() == Some(name))
        .unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::{STANDARD, methods, package_path};

    #[test]
    fn interfaces_have_the_methods_of_those_that_they_embed() {
        for (package, name, own) in STANDARD {
            let all = methods(package, name).unwrap_or_else(|| panic!("{package}.{name}"));
            assert!(all.len() >= own.len(), "{package}.{name}");
            assert!(all.iter().all(|it| it.1.contains('(')), "{package}.{name}");
        }
        let file = methods("io/fs", "File").unwrap();
        let names: Vec<&str> = file
            .iter()
            .filter_map(|it| it.1.split('(').next())
            .collect();
        assert_eq!(names, ["Stat", "Read", "Close"]);
        assert_eq!(methods("os", "FileInfo"), methods("io/fs", "FileInfo"));
        assert_eq!(methods("os", "Process"), None);
        assert_eq!(methods("", ""), None);
        assert_eq!(package_path("http"), "net/http");
        assert_eq!(package_path("time"), "time");
    }
}
