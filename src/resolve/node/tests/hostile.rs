//! Configuration that is broken or means harm, and names that nobody should write.

use std::fmt::Write;
use std::sync::Arc;

use proptest::prelude::*;

use super::{Resolver, TextFiles, check, check_files, files};
use crate::ir::ImportKind;
use crate::model::RepoPath;

#[test]
fn unreadable_configuration_is_as_good_as_none() {
    let broken = [
        "",
        "{",
        "null",
        "[]",
        "7",
        "\"x\"",
        "{\"name\": {}, \"main\": [], \"exports\": 7, \"imports\": []}",
        "{\"compilerOptions\": [], \"extends\": {}, \"references\": {}, \"include\": 1}",
        "{\"compilerOptions\": {\"paths\": {\"@/*\": 7, \"*\": [null], \"**\": [\"x\"]}, \"baseUrl\": {}, \"rootDirs\": \"\"}}",
        "{\"compilerOptions\": {\"paths\": {\"__proto__\": {\"constructor\": []}, \"@/*\": [\"../../../*\", \"/etc/*\"]}, \"baseUrl\": \"../..\"}}",
        "{\"name\": \"p\", \"main\": \"../../../etc/passwd\", \"exports\": {\".\": \"../../x\", \"./a\": \"/etc/passwd\"}}",
        "{\"name\": \"../p\", \"exports\": {\"\": \"\", \".\": \"\", \"./\": \".\", \"__proto__\": \"./a.ts\"}}",
    ];
    for text in broken {
        let mut repository = files("//- p/a.ts p/b/index.ts b.ts");
        for path in [
            "package.json",
            "p/package.json",
            "p/b/package.json",
            "tsconfig.json",
            "p/tsconfig.json",
        ] {
            repository.insert(path.to_owned(), text.as_bytes().to_vec());
        }
        let expected = "p/x.ts ./a p/a.ts
             p/x.ts ./b   p/b/index.ts
             p/x.ts ../b  b.ts
             p/x.ts react external";
        check_files(repository, ImportKind::Static, expected);
    }
    let mut repository = files("//- p/a.ts q/a.ts");
    let endless = format!("{{\"main\": \"{}\"}}", "a/".repeat(100_000));
    repository.insert("q/package.json".to_owned(), endless.into_bytes());
    repository.insert("p/package.json".to_owned(), vec![0xff, 0, 0x80]);
    repository.insert("p/tsconfig.json".to_owned(), b"{\"a\":".repeat(200_000));
    check_files(
        repository,
        ImportKind::Static,
        "p/x.ts ./a p/a.ts \n p/x.ts ../q missing",
    );
}

#[test]
fn names_that_every_object_has_are_names_like_any_other() {
    check(
        "//- /a/package.json
         {\"name\": \"constructor\", \"exports\": {\"./__proto__\": \"./a.ts\"}}
         //- a/a.ts a/index.ts __proto__.ts",
        "x.ts constructor           a/index.ts
         x.ts constructor/__proto__ a/a.ts
         x.ts __proto__             external
         x.ts ./__proto__           __proto__.ts
         x.ts toString              external
         x.ts hasOwnProperty/x      external",
    );
}

#[test]
fn gigantic_maps_and_deep_conditions_end() {
    let mut map = String::from("{\"name\": \"big\", \"exports\": {");
    for at in 0..5_000 {
        let _ = write!(map, "\"./k{at}/*\": \"./src/*.ts\", ");
    }
    let deep = format!(
        "{}\"./src/a.ts\"{}",
        "{\"default\": ".repeat(100),
        "}".repeat(100)
    );
    let _ = write!(map, "\"./deep\": {deep}}}}}");
    let mut repository = files("//- p/src/a.ts");
    repository.insert("p/package.json".to_owned(), map.into_bytes());
    let parents = (0..80)
        .map(|at| format!("\"./tsconfig.{at}.json\""))
        .collect::<Vec<_>>();
    let all = format!("{{\"extends\": [{}]}}", parents.join(","));
    for at in 0..200 {
        repository.insert(format!("tsconfig.{at}.json"), all.clone().into_bytes());
    }
    let expected = "x.ts big/k4999/a p/src/a.ts
         x.ts big/deep p/src/a.ts
         x.ts big/none missing";
    check_files(repository, ImportKind::Static, expected);
}

#[test]
fn odd_specifiers_are_answered() {
    let repository = TextFiles(files("//- a.ts src/b.ts"));
    let resolver = Resolver::new(Arc::new(repository));
    let from = RepoPath::new("src/x.ts").unwrap();
    let long = format!("./{}", "a/".repeat(100_000));
    let odd = [
        "",
        "?",
        "#",
        "\0",
        "./\0",
        "./\0#",
        ".\\b",
        "./%2e%2e/a",
        "@",
        "@/",
        "//",
        "///a",
        "./?",
        "./#",
        "http://a/b",
        "data:text/javascript,1",
        "node:fs",
        "virtual:x",
        "./b/",
        "./b.ts/",
        "./ü",
        "...",
        ".../a",
        &long,
    ];
    for specifier in odd {
        let found = resolver.resolve(&from, specifier, ImportKind::Static);
        assert!(
            !matches!(found, super::Resolution::File(_)),
            "{specifier:.40} {found:?}"
        );
    }
}

#[test]
fn threads_that_share_a_resolver_agree() {
    let repository = TextFiles(files(
        "//- /p/package.json
         {\"name\": \"p\", \"main\": \"dist/a.js\"}
         //- p/src/a.ts p/src/b/index.ts",
    ));
    let resolver = Resolver::new(Arc::new(repository));
    let from = RepoPath::new("p/src/x.ts").unwrap();
    let names = ["p", "./b", "./a.js", "./none", "react", "p/b"];
    let ask = || names.map(|name| resolver.resolve(&from, name, ImportKind::Static));
    let answers = std::thread::scope(|scope| {
        let threads = [0; 4].map(|_| scope.spawn(ask));
        threads.map(|thread| thread.join().unwrap())
    });
    for answer in &answers {
        assert_eq!(*answer, ask());
    }
}

proptest! {
    #[test]
    fn any_answer_is_a_file_of_the_index(
        specifier in "[./@#a-c*?]{0,12}",
        text in "[{}\\[\\]\":,./*@#a-c]{0,60}",
    ) {
        let mut repository = files("//- a.ts a/b.ts a/c/index.ts c/a.vue src/a.ts");
        for path in ["package.json", "a/package.json", "tsconfig.json", "a/tsconfig.json", "vite.config.ts"] {
            repository.insert(path.to_owned(), text.clone().into_bytes());
        }
        let known = repository.clone();
        let resolver = Resolver::new(Arc::new(TextFiles(repository)));
        for kind in [ImportKind::Static, ImportKind::TripleSlash] {
            let found = resolver.resolve(&RepoPath::new("a/x.ts").unwrap(), &specifier, kind);
            if let super::Resolution::File(path) = found {
                prop_assert!(known.contains_key(path.as_str()), "{path}");
            }
        }
    }
}
