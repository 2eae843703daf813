//! Compiler options and aliases.

use super::check;

#[test]
fn paths_and_base_url_lead_to_files() {
    check(
        "//- /tsconfig.json
         { // paths are relative to baseUrl
           \"compilerOptions\": { \"baseUrl\": \"./src\", \"paths\": {
             \"@/*\": [\"gen/*\", \"./*\"], \"@/special\": [\"other.ts\"], \"lib\": [\"../lib\"], \"*.local\": [\"local/*\"], },
         } }
         //- src/a.ts src/gen/b.ts src/b.ts src/other.ts src/special.ts src/local/z.ts src/util/index.ts lib/index.ts",
        "src/x.ts @/a       src/a.ts
         src/x.ts @/a.js    src/a.ts
         src/x.ts @/b       src/gen/b.ts
         src/x.ts @/special src/other.ts
         src/x.ts lib       lib/index.ts
         src/x.ts z.local   src/local/z.ts
         src/x.ts util      src/util/index.ts
         src/x.ts util/     src/util/index.ts
         src/x.ts @/util?raw src/util/index.ts
         src/x.ts a         src/a.ts
         src/x.ts @/none    missing
         src/x.ts none      external
         src/x.ts node:fs   external",
    );
}

#[test]
fn the_nearest_configuration_is_asked_first_and_those_around_it_after() {
    check(
        "//- /tsconfig.json
         {\"compilerOptions\": {\"paths\": {\"~/*\": [\"./shared/*\"], \"root\": [\"./shared/r\"]}}}
         //- /app/tsconfig.json
         {\"compilerOptions\": {\"paths\": {\"~/*\": [\"./src/*\"]}}}
         //- /app/tsconfig.spec.json
         {\"compilerOptions\": {\"paths\": {\"~/*\": [\"./spec/*\"]}}}
         //- /js/jsconfig.json
         {\"compilerOptions\": {\"baseUrl\": \".\"}}
         //- shared/a.ts shared/b.ts shared/r.ts app/src/a.ts app/spec/a.ts app/spec/c.ts js/d.js",
        "app/x.ts ~/a   app/src/a.ts
         app/x.ts ~/b   shared/b.ts
         app/x.ts ~/c   app/spec/c.ts
         app/x.ts root  shared/r.ts
         x.ts     ~/a   shared/a.ts
         js/e/x.js d    js/d.js
         js/e/x.js ~/a  shared/a.ts
         x.ts     d     external",
    );
}

#[test]
fn options_are_inherited() {
    check(
        "//- /base.tsconfig.json
         {}
         //- /config/tsconfig.base.json
         {\"compilerOptions\": {\"baseUrl\": \"../base\", \"paths\": {\"p/*\": [\"./*\"]}}}
         //- /config/tsconfig.paths.json
         {\"compilerOptions\": {\"paths\": {\"q/*\": [\"../q/*\"], \"own/*\": [\"${configDir}/own/*\"]}}}
         //- /a/tsconfig.json
         {\"extends\": \"../config/tsconfig.base\"}
         //- /b/tsconfig.json
         {\"extends\": [\"../config/tsconfig.base.json\", \"../config/tsconfig.paths.json\"]}
         //- /c/tsconfig.json
         {\"extends\": \"../config/tsconfig.paths.json\", \"compilerOptions\": {\"paths\": {\"r\": [\"./r\"]}}}
         //- /d/tsconfig.json
         {\"extends\": \"@org/shared/base\"}
         //- /e/tsconfig.json
         {\"extends\": \"../config/tsconfig.paths.json\"}
         //- /packages/typescript-config/package.json
         {\"name\": \"@org/shared\"}
         //- /packages/typescript-config/base.json
         {\"compilerOptions\": {\"paths\": {\"s/*\": [\"../../q/*\"]}}}
         //- base/f.ts q/g.ts c/r.ts e/own/h.ts",
        "a/x.ts p/f  base/f.ts
         a/x.ts f    base/f.ts
         b/x.ts q/g  q/g.ts
         b/x.ts f    base/f.ts
         b/x.ts p/f  external
         c/x.ts r    c/r.ts
         c/x.ts q/g  external
         d/x.ts s/g  q/g.ts
         e/x.ts q/g  q/g.ts
         e/x.ts own/h e/own/h.ts",
    );
}

#[test]
fn a_missing_parent_costs_nothing_else() {
    check(
        "//- /tsconfig.json
         {\"extends\": \"@tsconfig/node20/tsconfig.json\", \"compilerOptions\": {\"paths\": {\"@/*\": [\"./src/*\"]}}}
         //- /b/tsconfig.json
         {\"extends\": [\"./none\", 7, \"../../../outside\", \"/abs.json\"]}
         //- src/a.ts b/c.ts",
        "src/x.ts ./a  src/a.ts
         src/x.ts @/a  src/a.ts
         b/x.ts   ./c  b/c.ts
         b/x.ts   @/a  src/a.ts",
    );
}

#[test]
fn circles_of_parents_end() {
    check(
        "//- /tsconfig.json
         {\"extends\": \"./tsconfig.b.json\", \"compilerOptions\": {\"paths\": {\"a\": [\"./a\"]}}, \"references\": [{\"path\": \"./b\"}, {\"path\": \".\"}]}
         //- /tsconfig.b.json
         {\"extends\": [\"./tsconfig.json\", \"./tsconfig.b.json\"], \"compilerOptions\": {\"baseUrl\": \"lib\"}}
         //- /b/tsconfig.json
         {\"extends\": \"../tsconfig.json\", \"references\": [{\"path\": \"..\"}]}
         //- lib/a.ts lib/b.ts",
        "x.ts   a   lib/a.ts
         x.ts   b   lib/b.ts
         b/x.ts a   lib/a.ts
         b/x.ts ./a missing",
    );
}

#[test]
fn a_configuration_that_is_referred_to_holds_for_what_it_includes() {
    check(
        "//- /tsconfig.json
         {\"files\": [], \"references\": [{\"path\": \"./config/tsconfig.app.json\"}, {\"path\": \"./other\"}]}
         //- /config/tsconfig.app.json
         {\"include\": [\"../src/**/*.ts\"], \"compilerOptions\": {\"paths\": {\"@/*\": [\"../src/*\"]}}}
         //- /other/tsconfig.json
         {\"compilerOptions\": {\"paths\": {\"%/*\": [\"../src/*\"]}}}
         //- src/a.ts",
        "src/b/x.ts @/a src/a.ts
         lib/x.ts   @/a external
         src/x.ts   %/a external
         other/x.ts %/a src/a.ts",
    );
}

#[test]
fn root_dirs_count_as_one() {
    check(
        "//- /tsconfig.json
         {\"compilerOptions\": {\"rootDirs\": [\"src\", \"generated/src\"]}}
         //- src/a/x.ts generated/src/a/y.ts generated/src/z/index.ts",
        "src/a/x.ts ./y    generated/src/a/y.ts
         src/a/x.ts ../z   generated/src/z/index.ts
         generated/src/a/y.ts ./x src/a/x.ts
         other/x.ts ./y    missing",
    );
}

#[test]
fn literal_aliases_of_vite_are_the_last_to_be_asked() {
    check(
        "//- /web/vite.config.ts
         export default defineConfig({ resolve: { alias: { '@': resolve(__dirname, 'src'), '#': './hash', '$': calc() } } })
         //- /web/tsconfig.json
         {\"compilerOptions\": {\"paths\": {\"@/a\": [\"./types/a\"]}}}
         //- web/src/a.ts web/src/b.vue web/types/a.ts web/hash/c.ts",
        "web/src/x.ts @/a web/types/a.ts
         web/src/x.ts @/b web/src/b.vue
         web/src/x.ts #/c web/hash/c.ts
         web/src/x.ts @/c missing
         web/src/x.ts $/a external
         x.ts         @/b external",
    );
}
