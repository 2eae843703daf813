//! Relative specifiers: extensions, directories, queries.

use super::{check, check_files, files};
use crate::ir::ImportKind;

#[test]
fn an_extension_may_be_left_out_or_stand_for_another() {
    check(
        "//- src/a.ts src/b.tsx src/c.mts src/d.cts src/e.js src/f.jsx src/data.json src/both.ts src/both.js
         //- src/view.service.ts src/chart.js/index.ts src/g.js.ts src/[id].ts",
        "src/x.ts ./a        src/a.ts
         src/x.ts ./a.js     src/a.ts
         src/x.ts ./a.ts     src/a.ts
         src/x.ts ./b        src/b.tsx
         src/x.ts ./b.js     src/b.tsx
         src/x.ts ./b.jsx    src/b.tsx
         src/x.ts ./c.mjs    src/c.mts
         src/x.ts ./c        src/c.mts
         src/x.ts ./d.cjs    src/d.cts
         src/x.ts ./e        src/e.js
         src/x.ts ./f.js     src/f.jsx
         src/x.ts ./data     src/data.json
         src/x.ts ./data.json src/data.json
         src/x.ts ./both.js  src/both.ts
         src/x.ts ./view.service src/view.service.ts
         src/x.ts ./chart.js src/chart.js/index.ts
         src/x.ts ./g.js     src/g.js.ts
         src/x.ts ./[id]     src/[id].ts
         src/x.ts ./c.js     missing
         src/x.ts ./nothing  missing",
    );
}

#[test]
fn code_is_preferred_to_the_declaration_beside_it() {
    check(
        "//- a.js a.d.ts b.d.ts c.mjs c.d.mts d.ts d.d.ts e/index.d.ts e/index.js",
        "x.ts ./a      a.js
         x.ts ./a.js   a.js
         x.ts ./a.d.ts a.js
         x.ts ./b      b.d.ts
         x.ts ./b.js   b.d.ts
         x.ts ./b.d    b.d.ts
         x.ts ./c.mjs  c.mjs
         x.ts ./d      d.ts
         x.ts ./e      e/index.js",
    );
}

#[test]
fn a_directory_stands_for_its_entry() {
    check(
        "//- a/index.ts a.ts a/b/index.jsx main/start.js main/index.js empty/x.ts index.js
         //- /main/package.json
         {\"main\": \"start\"}
         //- /gone/package.json
         {\"main\": \"dist/gone.js\"}
         //- gone/index.js
         //- /built/package.json
         {\"main\": \"./dist/start.js\"}
         //- built/src/start.ts",
        "a/x.ts  .       a/index.ts
         a/x.ts  ./      a/index.ts
         a/x.ts  ..      index.js
         a/x.ts  ../     index.js
         a/b/x.ts ..     a/index.ts
         a/b/x.ts ../../a/ a/index.ts
         x.ts    ./a     a.ts
         x.ts    ./a/    a/index.ts
         x.ts    ./a/.   a/index.ts
         x.ts    ./a/b   a/b/index.jsx
         x.ts    ./main  main/start.js
         x.ts    ./gone  gone/index.js
         x.ts    ./built built/src/start.ts
         x.ts    ./empty missing
         x.ts    .       index.js",
    );
}

#[test]
fn nothing_is_found_outside_the_repository() {
    check(
        "//- a.ts src/a.ts",
        "src/x.ts ../a          a.ts
         src/x.ts ../../a       missing
         src/x.ts ../../../src/a missing
         src/x.ts /a            external
         src/x.ts /src/a.ts     external
         src/x.ts /etc/passwd   external
         src/x.ts file:///a.ts  external",
    );
}

#[test]
fn components_and_assets_are_files_too() {
    check(
        "//- a/App.vue a/Page.svelte a/x.css a/logo.svg a/Comp.vue a/Comp.vue.ts a/odd#name.ts",
        "a/x.ts ./App.vue      a/App.vue
         a/x.ts ./App          a/App.vue
         a/x.ts ./Page.svelte  a/Page.svelte
         a/x.ts ./x.css        a/x.css
         a/x.ts ./Comp.vue     a/Comp.vue
         a/x.ts ./logo.svg?url a/logo.svg
         a/x.ts ./logo.svg?a=b?c a/logo.svg
         a/x.ts ./App.vue?raw#top a/App.vue
         a/x.ts ./x            missing
         a/x.ts ./odd#name     a/odd#name.ts",
    );
}

#[test]
fn a_reference_path_is_always_relative() {
    let repository = "//- types/env.d.ts src/globals.d.ts src/x.ts
         //- /package.json
         {\"name\": \"globals.d.ts\"}";
    let expected = "src/x.ts ../types/env.d.ts types/env.d.ts
         src/x.ts globals.d.ts src/globals.d.ts
         src/x.ts other.d.ts missing";
    check_files(files(repository), ImportKind::TripleSlash, expected);
}

#[test]
fn every_other_kind_is_resolved_alike() {
    let kinds = ImportKind::ALL
        .iter()
        .filter(|kind| **kind != ImportKind::TripleSlash);
    for kind in kinds {
        let repository = "//- a/b.ts lib/c.ts
             //- /lib/package.json
             {\"name\": \"c\", \"exports\": {\"require\": \"./c.cjs\", \"import\": \"./c.ts\"}}";
        check_files(
            files(repository),
            *kind,
            "a/x.ts ./b.js a/b.ts \n a/x.ts c lib/c.ts",
        );
    }
}
