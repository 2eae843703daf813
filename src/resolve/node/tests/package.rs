//! Packages of the workspace by name, and their maps.

use super::check;

#[test]
fn a_package_is_found_by_its_name_from_anywhere() {
    check(
        "//- /packages/core/package.json
         {\"name\": \"@org/core\", \"main\": \"dist/index.js\"}
         //- /packages/util/package.json
         {\"name\": \"util-x\", \"main\": \"lib/main.js\"}
         //- /packages/bare/package.json
         {\"name\": \"bare\"}
         //- /packages/sub/package.json
         {\"name\": \"sub\"}
         //- packages/core/src/index.ts packages/core/src/deep/thing.ts packages/core/style.css
         //- packages/util/lib/main.js packages/bare/src/main.tsx packages/sub/lib/a.js packages/sub/src/common/index.ts",
        "apps/x.ts @org/core            packages/core/src/index.ts
         apps/x.ts @org/core/           packages/core/src/index.ts
         apps/x.ts @org/core/deep/thing packages/core/src/deep/thing.ts
         apps/x.ts @org/core/dist/deep/thing.js packages/core/src/deep/thing.ts
         apps/x.ts @org/core/src/deep/thing packages/core/src/deep/thing.ts
         apps/x.ts @org/core/style.css  packages/core/style.css
         apps/x.ts @org/core/nothing    missing
         apps/x.ts @org/core/package.json packages/core/package.json
         packages/core/src/x.ts @org/core packages/core/src/index.ts
         apps/x.ts util-x               packages/util/lib/main.js
         apps/x.ts bare                 packages/bare/src/main.tsx
         apps/x.ts sub/lib/a            packages/sub/lib/a.js
         apps/x.ts sub/lib/common       packages/sub/src/common/index.ts
         apps/x.ts @org/other           external
         apps/x.ts @org                 external
         apps/x.ts react                external",
    );
}

#[test]
fn exports_are_asked_by_condition_and_pattern() {
    check(
        "//- /p/package.json
         {\"name\": \"p\", \"main\": \"./wrong.js\", \"exports\": {
           \".\": {\"default\": \"./wrong.js\", \"import\": {\"types\": \"./dist/main.d.ts\", \"default\": \"./dist/main.js\"}},
           \"./list\": [\"./none.js\", {\"node\": \"./src/list.ts\"}],
           \"./custom\": {\"default\": \"./bin/custom.js\", \"@p/source\": \"./sources/custom.ts\"},
           \"./f/*\": \"./src/features/*.ts\",
           \"./f/*.js\": \"./src/scripts/*.ts\",
           \"./f/internal/*\": null,
           \"./old/\": \"./src/old/\",
           \"./twice/*\": \"./src/*/*.ts\"
         }}
         //- /q/package.json
         {\"name\": \"q\", \"exports\": \"./entry.js\"}
         //- /r/package.json
         {\"name\": \"r\", \"exports\": {\"types\": \"./dist/r.d.ts\", \"source\": \"./src/r.ts\"}}
         //- p/wrong.js p/src/main.ts p/src/list.ts p/sources/custom.ts p/src/features/a.ts p/src/features/internal/b.ts p/src/scripts/c.ts
         //- p/src/old/d.ts p/src/e/e.ts q/entry.js q/deep.js r/src/r.ts r/dist/r.d.ts",
        "x.ts p              p/src/main.ts
         x.ts p/list         p/src/list.ts
         x.ts p/custom       p/sources/custom.ts
         x.ts p/f/a          p/src/features/a.ts
         x.ts p/f/c.js       p/src/scripts/c.ts
         x.ts p/f/internal/b missing
         x.ts p/old/d.js     p/src/old/d.ts
         x.ts p/twice/e      p/src/e/e.ts
         x.ts q              q/entry.js
         x.ts r              r/src/r.ts",
    );
}

#[test]
fn output_leads_back_to_its_source() {
    check(
        "//- /a/package.json
         {\"name\": \"a\", \"exports\": {\".\": \"./dist/types/index.d.ts\", \"./types\": \"./dist/types/index.d.ts\",
           \"./cli\": \"./build/esm/cli.mjs\", \"./src\": \"./dist/src/x.js\", \"./css\": \"./dist/a.css\", \"./w\": \"./w.mjs\"}}
         //- a/src/index.ts a/src/types/index.ts a/src/cli.ts a/src/x.ts a/src/a.css a/src/w.ts
         //- /b/package.json
         {\"name\": \"b\", \"main\": \"./out/js/main.js\"}
         //- /b/tsconfig.json
         {\"compilerOptions\": {\"outDir\": \"out/js\", \"rootDir\": \"code\"}}
         //- b/code/main.ts b/src/index.ts
         //- /c/package.json
         {\"name\": \"c\", \"types\": \"lib/c.d.ts\", \"main\": \"index.js\"}
         //- c/c.ts c/index.js",
        "x.ts a       a/src/index.ts
         x.ts a/types a/src/types/index.ts
         x.ts a/cli   a/src/cli.ts
         x.ts a/src   a/src/x.ts
         x.ts a/css   a/src/a.css
         x.ts a/w     a/src/w.ts
         x.ts b       b/code/main.ts
         x.ts c       c/c.ts",
    );
}

#[test]
fn entry_fields_are_asked_in_turn() {
    check(
        "//- /a/package.json
         {\"name\": \"a\", \"main\": \"m.js\", \"module\": \"e.js\", \"types\": \"t.d.ts\", \"source\": \"s.ts\"}
         //- /b/package.json
         {\"name\": \"b\", \"main\": \"m.js\", \"module\": \"e.js\"}
         //- /c/package.json
         {\"name\": \"c\", \"main\": \".\", \"source\": 7, \"types\": \"\"}
         //- /d/package.json
         {\"name\": \"d\", \"main\": \"lib\"}
         //- a/m.js a/e.js a/t.d.ts a/s.ts b/m.js b/e.js c/index.js d/lib/index.js",
        "x.ts a a/s.ts
         x.ts b b/e.js
         x.ts c c/index.js
         x.ts d d/lib/index.js",
    );
}

#[test]
fn a_name_with_a_hash_is_looked_up_in_the_manifests_around() {
    check(
        "//- /package.json
         {\"imports\": {\"#root\": \"./root.js\"}}
         //- /p/package.json
         {\"name\": \"p\", \"imports\": {\"#a\": \"./src/a.js\", \"#lib/*\": {\"default\": \"./dist/lib/*.js\"},
           \"#dep\": \"q\", \"#loop\": \"#loop\", \"#out\": \"../../x.js\"}}
         //- /q/package.json
         {\"name\": \"q\"}
         //- root.ts p/src/a.ts p/src/lib/b.ts q/index.ts",
        "p/src/x.ts #a     p/src/a.ts
         p/src/x.ts #lib/b p/src/lib/b.ts
         p/src/x.ts #dep   q/index.ts
         p/src/x.ts #root  root.ts
         p/src/x.ts #loop  missing
         p/src/x.ts #out   missing
         p/src/x.ts #none  missing
         q/x.ts     #a     missing",
    );
}

#[test]
fn of_several_packages_with_one_name_the_real_one_is_meant() {
    check(
        "//- /a/fixtures/package.json
         {\"name\": \"lib\"}
         //- /packages/deep/lib/package.json
         {\"name\": \"lib\"}
         //- /examples/only/package.json
         {\"name\": \"only\"}
         //- /node_modules/dep/package.json
         {\"name\": \"dep\", \"main\": \"main.js\"}
         //- a/fixtures/index.ts packages/deep/lib/index.ts examples/only/index.ts node_modules/dep/main.js x/node_modules/one/index.js",
        "x.ts   lib  packages/deep/lib/index.ts
         x.ts   only examples/only/index.ts
         x.ts   dep  node_modules/dep/main.js
         x/y.ts one  x/node_modules/one/index.js
         x.ts   one  external",
    );
}
