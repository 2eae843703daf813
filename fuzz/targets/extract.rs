//! Any bytes as a file of any language: the first byte says which.
#![no_main]

use codelens::model::RepoPath;
use codelens::reconcile::prepare;
use codelens::{model::handles, syntax};
use codelens_fuzz::{check, unlimited};
use libfuzzer_sys::fuzz_target;

const PATHS: &[&str] = &[
    "a.ts", "a.tsx", "a.js", "a.jsx", "a.mts", "a.d.ts", "a.vue", "a.svelte", "a.md", "a.rst", "a.adoc", "a.json", "package.json",
    "tsconfig.json", "a.py", "a.css", "vite.config.ts", "a.go", "a.java", "go.mod", "a.rs",
    "Cargo.toml", "a.c", "a.h", "a.cc", "CMakeLists.txt",
];

fuzz_target!(|data: &[u8]| {
    let Some((first, bytes)) = data.split_first() else {
        return;
    };
    let path = RepoPath::new(PATHS[usize::from(*first) % PATHS.len()]).expect("a path");
    // What a file with these bytes becomes, reasons to skip it included.
    prepare::of_bytes(&path, bytes.to_vec(), false, &unlimited()).expect("nothing ends the budget");
    // And what is in it if nothing is skipped.
    let text = prepare::decode(bytes);
    let language = syntax::by_path(&path);
    let found = syntax::extract(language, &text, true, &unlimited()).expect("nothing ends the budget");
    check(&found, &text);
    let handles = handles::symbol_handles(&path, &found.facts.symbols);
    handles::chunk_handles(&path, &handles, &found.chunks, &text);
    if first & 0x80 != 0 {
        let again = syntax::extract(language, &text, true, &unlimited());
        assert!(again == Some(found), "the same bytes say the same twice");
    }
});
