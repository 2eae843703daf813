//! Failures are found again in other words, and unrelated questions find none.

use crate::search::recall::RecallQuery;
use crate::store::{Home, RecordKind, RecordStore, SavedRecord};

const MESSAGES: [&str; 40] = [
    "TypeError: Cannot read properties of undefined (reading '%n') at %p:%l:%l",
    "ModuleNotFoundError: No module named '%n' in %p, line %l",
    "thread 'main' panicked at %p:%l: index out of bounds: the len is %l but the index is %l",
    "error[E0502]: cannot borrow `%n` as mutable because it is also borrowed as immutable --> %p:%l:%l",
    "java.lang.NullPointerException: Cannot invoke \"%n\" because the return value is null (%p:%l)",
    "Segmentation fault (core dumped) at address %x in %p",
    "ECONNREFUSED: connect failed to upstream proxy on port %l",
    "fatal: unable to access remote: SSL certificate problem: self signed certificate in chain",
    "panic: runtime error: invalid memory address or nil pointer dereference goroutine %l [running] %p:%l",
    "ImportError: attempted relative import with no known parent package (%p)",
    "TimeoutError: Navigation timeout of %l ms exceeded while waiting for selector `%n`",
    "SyntaxError: Unexpected token '%n' in JSON at position %l",
    "AssertionError: expected %l snapshots to match but the rendered tree differs in %p",
    "UnicodeDecodeError: codec can't decode byte %x in position %l: invalid continuation byte",
    "deadlock detected: process %l waits for ShareLock on transaction %l",
    "Out of memory: Killed process %l (node) total-vm %lkB",
    "undefined reference to `%n` collect2: linker exited with status %l",
    "CORS policy: no Access-Control-Allow-Origin header is present on the requested resource '%n'",
    "ERR_REQUIRE_ESM: require() of ES Module %p not supported, use dynamic import",
    "duplicate key value violates unique constraint \"%n\" detail: key already exists",
    "Permission denied: EACCES mkdir %p while installing dependencies",
    "goroutine leak: channel send blocked for %l minutes in %p",
    "hydration failed because the initial markup does not match server rendered output %p",
    "maximum recursion depth exceeded while calling a Python object %p line %l",
    "checksum mismatch for package '%n': downloaded digest %x differs from lockfile",
    "warning treated as error: unused variable '%n' declared in %p:%l",
    "The migration failed: column \"%n\" contains null values and can't be made required",
    "429 Too Many Requests: rate limit reached, retry after %l seconds",
    "ValueError: operands could not be broadcast together with shapes (%l,%l) (%l,%l)",
    "error TS2345: Argument of type '%n' is not assignable to parameter of type '%n'. %p(%l,%l)",
    "socket hang up: ECONNRESET by peer after %l bytes",
    "Gradle build daemon disappeared unexpectedly, it may have crashed (pid %l)",
    "The bundle exceeds the asset size budget: %lkB over the recommended limit %p",
    "stack overflow detected in worker thread %l while parsing nested expressions",
    "disk quota exceeded: no space left on device writing %p",
    "InvalidCharacterError: string to be decoded contains characters outside Latin1 '%n'",
    "lock file is out of date: run install with frozen option removed",
    "Promise rejected but never handled: unhandledRejection in event listener '%n'",
    "ClassCastException: class %n cannot be cast to class %n in unnamed loader",
    "dates shift by one day because the timezone offset of midnight is applied twice %p:%l",
];

const SITUATIONS: [&str; 25] = [
    "while uploading an avatar",
    "when the nightly import runs",
    "during checkout with a voucher",
    "after the cache was warmed",
    "in the preview deployment",
    "as soon as two tabs are open",
    "when the search index rebuilds",
    "on the first login of a tenant",
    "while exporting invoices to spreadsheets",
    "in the mobile keyboard handler",
    "when webhooks arrive twice",
    "after upgrading the compiler",
    "while rendering the calendar month",
    "when the printer queue drains",
    "in the password reset mail",
    "while streaming video chapters",
    "when translating plural forms",
    "on machines without a graphics card",
    "while merging customer accounts",
    "when the feature toggle flips",
    "in the onboarding wizard",
    "while resizing huge photographs",
    "when the map tiles load",
    "during the ledger reconciliation",
    "while syncing contacts offline",
];

/// A generator of the same numbers each time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % n
    }

    /// Fills in a message: paths, lines, names, addresses.
    fn message(&mut self, form: &str) -> String {
        let mut text = String::new();
        let mut rest = form;
        while let Some(at) = rest.find('%') {
            text += &rest[..at];
            let n = self.below(9_000);
            let put = match &rest[at + 1..at + 2] {
                "p" => format!("src/{}/file{n}.ts", ["api", "ui", "core", "jobs"][n % 4]),
                "l" => n.to_string(),
                "x" => format!("0x{:x}", n * 7_919 + 65_536),
                _ => format!("{}{n}", ["user", "order", "token", "node"][n % 4]),
            };
            text.push_str(&put);
            rest = &rest[at + 2..];
        }
        text + rest
    }
}

fn reworded(numbers: &mut Numbers, form: &str, situation: &str) -> String {
    let message = numbers.message(form);
    let mut words: Vec<&str> = message.split(' ').chain(situation.split(' ')).collect();
    // Up to a fifth of the words is not said again.
    for _ in 0..words.len() / 5 {
        let at = numbers.below(words.len());
        words.remove(at);
    }
    let begin = ["I get ", "Again: ", "Why is there ", ""][numbers.below(4)];
    format!("{begin}{}", words.join(" "))
}

#[test]
fn a_failure_is_found_again_in_other_words() {
    let dir = tempfile::tempdir().unwrap();
    let home = Home::at(dir.path(), &[]).unwrap().repo("r");
    home.create(std::path::Path::new("/x/.git"), None).unwrap();
    let mut store = RecordStore::open(&home).unwrap();
    let mut numbers = Numbers(7);
    let mut failures = Vec::new();
    let mut new = Vec::new();
    for form in MESSAGES {
        for situation in SITUATIONS {
            let text = format!(
                "{}\n{situation}. Tried to restart it, and to clear the cache.",
                numbers.message(form)
            );
            let record = SavedRecord {
                title: text.lines().next().unwrap().to_owned(),
                text: Some(text),
                ..SavedRecord::new(RecordKind::Failure, 1)
            };
            new.push((record, Vec::new(), None));
            failures.push((form, situation));
        }
    }
    let ids = store.save_imported(&new).unwrap().unwrap();
    assert_eq!(ids.len(), 1_000);
    let mut n_found = 0;
    let mut missed = Vec::new();
    let n_asked = 300;
    for _ in 0..n_asked {
        let at = numbers.below(failures.len());
        let (form, situation) = failures[at];
        let question = reworded(&mut numbers, form, situation);
        let query = RecallQuery::parse(&question);
        let (found, _) = query.recall(1_000, 3, |word| store.holding(word)).unwrap();
        if found.iter().any(|it| it.id == ids[at]) {
            n_found += 1;
        } else {
            missed.push(question);
        }
    }
    println!("{n_found} of {n_asked} among the first three");
    assert!(
        n_found * 100 >= n_asked * 95,
        "{n_found} of {n_asked}: {:#?}",
        &missed[..missed.len().min(10)]
    );
    for unrelated in [
        "how does the scheduler flush its jobs",
        "where are routes registered",
        "rename the colour variables of the theme",
        "which function computes the median of a histogram",
        "add a flag that prints the version",
        "explain the inheritance of shapes and circles",
        "document the public interface of the parser combinators",
        "is there a helper that pads strings to the left",
        "what decides the order of middleware",
        "find the definition of the quaternion product",
    ] {
        let query = RecallQuery::parse(unrelated);
        let (found, total) = query.recall(1_000, 3, |word| store.holding(word)).unwrap();
        assert_eq!((found.len(), total), (0, 0), "{unrelated}: {found:?}");
    }
}
