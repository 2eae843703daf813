//! Uses in templates of components: callers, lines, and the sum of all mentions.

use serde_json::{Value, json};

use crate::cli_and_mcp::Session;
use crate::support::{Cli, Fixture, Repo};

const SHOP: &str = "\
//- /src/cart.ts
export function add(item: string) {}
export const vFocus = {}
export function total() { return 1 }
//- /src/BuyButton.vue
<template><button><slot /></button></template>
//- /src/Cart.vue
<script setup lang=\"ts\">
import { add, total } from './cart'
import BuyButton from './BuyButton.vue'
const items = ['a']
function toggle() {}
</script>
<!-- total of the cart -->
<template>
  <p :title=\"total\" @click=\"toggle\">{{ total() }} total</p>
  <li v-for=\"total in items\" @click=\"add(total)\">{{ total }}</li>
  <buy-button @click=\"toggle(); add('a')\">
    <BuyButton v-if=\"total( \" total=\"total\" />
  </buy-button>
</template>
//- /src/Old.vue
<template><p @click=\"load\">{{ total }}</p><buy-button /></template>
<script>
import BuyButton from './BuyButton.vue'
import { total } from './cart'
export default {
  components: { BuyButton },
  methods: { load() { this.again() }, again() {} },
}
</script>
//- commit base
";

const NUXT: &str = "\
//- /nuxt.config.ts
export default defineNuxtConfig({})
//- /app/components/nav/NavFooter.vue
<template><p>{{ user.name }} {{ useTitle() }}</p></template>
//- /app/components/nav/Link.vue
<template><a /></template>
//- /app/components/NavLink.vue
<template><a /></template>
//- /app/composables/title.ts
export function useTitle() { return 'a' }
export const user = { name: 'b' }
//- /app/app.vue
<script setup>
const { user } = outside()
</script>
<template><NavFooter /><NavLink /><LazyNavFooter :a=\"user.name\" /></template>
//- commit base
";

const SVELTE: &str = "\
//- /svelte.config.js
export default { kit: { adapter: adapter() } }
//- /src/lib/stores.js
export const count = writable(0)
export function fade() {}
//- /src/lib/Row.svelte
<p><slot /></p>
//- /src/routes/Page.svelte
<script>
import { count, fade } from '$lib/stores'
import Row from '$lib/Row.svelte'
$count = 1
</script>
{#if $count > 1}<Row transition:fade>{count}</Row>{/if}
{#each [1] as count}{count}{/each}
//- commit base
";

fn open(fixture: &str) -> (Repo, Cli) {
    let repo = Fixture::parse(fixture).build();
    let cli = Cli::new(repo.path());
    cli.json(&["refresh"]);
    (repo, cli)
}

/// Returns `path:line use` of each site.
fn sites(answer: &Value) -> Vec<String> {
    let all = answer["sites"].as_array().unwrap().iter();
    all.map(|it| {
        let usual = |key: &str| answer["defaults"][key].as_str().unwrap_or_default();
        let text = |key: &str| it[key].as_str().unwrap_or_else(|| usual(key)).to_owned();
        format!("{}:{} {}", text("path"), it["line"], text("use"))
    })
    .collect()
}

fn sites_of(cli: &Cli, name: &str, path: &str) -> Vec<String> {
    sites(&cli.json(&["impact", name, "--path", path, "--sites"]))
}

fn callers_of(cli: &Cli, name: &str, path: &str) -> Vec<String> {
    let answer = cli.json(&["impact", name, "--path", path]);
    let all = answer["callers"].as_array().unwrap().iter();
    all.map(|it| format!("{}:{}", it["path"].as_str().unwrap(), it["line"]))
        .collect()
}

#[test]
fn a_template_of_vue_calls_what_its_script_binds() {
    let (_repo, cli) = open(SHOP);
    let sites = |name, path| sites_of(&cli, name, path);
    assert_eq!(
        sites("toggle", "src/Cart.vue"),
        ["src/Cart.vue:9 template", "src/Cart.vue:11 template"]
    );
    assert_eq!(
        callers_of(&cli, "toggle", "src/Cart.vue"),
        ["src/Cart.vue:9"]
    );
    assert_eq!(
        sites("add", "src/cart.ts"),
        [
            "src/Cart.vue:2 import",
            "src/Cart.vue:10 template",
            "src/Cart.vue:11 template"
        ]
    );
    assert_eq!(
        sites("default", "src/BuyButton.vue"),
        [
            "src/Cart.vue:11 template",
            "src/Cart.vue:12 template",
            "src/Cart.vue:13 template",
            "src/Old.vue:1 template",
            "src/Old.vue:6 reference",
        ]
    );
    // The names of options are those of the template.
    assert_eq!(sites("load", "src/Old.vue"), ["src/Old.vue:1 template"]);
    assert_eq!(sites("again", "src/Old.vue"), ["src/Old.vue:7 call"]);
}

#[test]
fn mentions_in_components_add_up() {
    let (_repo, cli) = open(SHOP);
    let answer = cli.json(&["impact", "total", "--path", "src/cart.ts", "--sites"]);
    assert_eq!(
        sites(&answer),
        [
            "src/Cart.vue:2 import",
            "src/Cart.vue:9 template",
            "src/Cart.vue:9 template",
            "src/Old.vue:4 import"
        ]
    );
    let other = answer["otherMentions"].as_object().unwrap();
    // A name that the options do not give to the template, and an expression that can't be read.
    assert_eq!(answer["unresolvedTotal"], 2);
    assert_eq!(
        (&other["comments"], &other["strings"]),
        (&1.into(), &2.into())
    );
    let n = answer["sitesTotal"].as_u64().unwrap()
        + answer["unresolvedTotal"].as_u64().unwrap()
        + other.values().filter_map(Value::as_u64).sum::<u64>();
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let words = SHOP.split(|c| !is_word(c));
    assert_eq!(n, words.filter(|word| *word == "total").count() as u64);
}

#[test]
fn nuxt_imports_by_itself() {
    let (repo, cli) = open(NUXT);
    assert_eq!(
        sites_of(&cli, "default", "app/components/nav/NavFooter.vue"),
        ["app/app.vue:4 template", "app/app.vue:4 template"]
    );
    let title = "app/composables/title.ts";
    let footer = "app/components/nav/NavFooter.vue:1 template";
    assert_eq!(sites_of(&cli, "useTitle", title), [footer]);
    // A file's own name hides it.
    assert_eq!(sites_of(&cli, "user", title), [footer]);
    // Two files could be meant.
    assert!(sites_of(&cli, "default", "app/components/NavLink.vue").is_empty());
    // What is added or gone afterwards counts at once.
    std::fs::remove_file(repo.path().join("app/components/nav/Link.vue")).unwrap();
    repo.write(
        "app/composables/other.ts",
        "export function useTitle() {}\n",
    );
    cli.json(&["refresh"]);
    assert_eq!(
        sites_of(&cli, "default", "app/components/NavLink.vue"),
        ["app/app.vue:4 template"]
    );
    assert!(sites_of(&cli, "useTitle", title).is_empty());
    repo.write(
        "app/composables/other.ts",
        "export function useOther() {}\n",
    );
    cli.json(&["refresh"]);
    assert_eq!(sites_of(&cli, "useTitle", title), [footer]);
}

#[test]
fn a_template_of_svelte_calls_what_its_script_binds() {
    let (_repo, cli) = open(SVELTE);
    assert_eq!(
        sites_of(&cli, "count", "src/lib/stores.js"),
        [
            "src/routes/Page.svelte:2 import",
            "src/routes/Page.svelte:4 reference",
            "src/routes/Page.svelte:6 template",
            "src/routes/Page.svelte:6 template",
        ]
    );
    assert_eq!(
        sites_of(&cli, "fade", "src/lib/stores.js"),
        [
            "src/routes/Page.svelte:2 import",
            "src/routes/Page.svelte:6 template"
        ]
    );
    assert_eq!(
        callers_of(&cli, "default", "src/lib/Row.svelte"),
        ["src/routes/Page.svelte:6"]
    );
}

#[test]
fn templates_that_hold_the_name_of_a_definition_are_told() {
    let (repo, cli) = open(
        "\
//- /app/models.py
class Channel:
    def is_editable(self):
        return True
    def kept(self):
        return self
//- /app/Pet.java
class Pet { int getBirthDate() { return 1; } }
//- /templates/list.html
{% if channel.is_editable %}x{% endif %}
//- /templates/mail.txt.jinja2
{{ channel.is_editable }} {{ channel.keptalive }}
//- /templates/pet.html
<p th:text=\"${pet.birthDate}\"></p>
//- commit base
",
    );
    let summary = |args: &[&str]| cli.json(args)["summary"].as_str().unwrap().to_owned();
    let said = summary(&["impact", "Channel.is_editable"]);
    assert!(
        said.starts_with("No uses found in code.")
            && said.contains(
                "The word is in 2 files whose uses of code are not known (templates/list.html)"
            ),
        "{said}"
    );
    let said = summary(&["impact", "getBirthDate"]);
    assert!(
        said.contains("1 file whose uses of code are not known (templates/pet.html)"),
        "{said}"
    );
    let said = summary(&["impact", "Channel.kept"]);
    assert!(!said.contains("not known"), "{said}");
    let text = repo.read("app/models.py");
    repo.write("app/models.py", text.replace("is_editable", "can_edit"));
    let said = summary(&["impact", "--changes"]);
    assert!(
        said.contains("no use is left in code that is followed. The word is in 2 files"),
        "{said}"
    );
    let said = summary(&["changes"]);
    assert!(
        said.contains(
            "Files whose uses of code are not known hold the word of 1 definition that is gone (templates/list.html)."
        ),
        "{said}"
    );
}

#[test]
fn a_server_sees_what_becomes_of_files_that_are_left_out() {
    let (repo, cli) = open(
        "//- /src/a.ts\nexport function lonely() {}\nexport function kept() {}\n//- commit base\n",
    );
    // Too large for the index.
    let large = "export const item = 1\n".repeat(120_000);
    let mut session = Session::of(cli.command(&["serve"]));
    let mut at = 0;
    let mut named_in = |name: &str| {
        at += 1;
        let params = json!({"name": "cl_impact", "arguments": {"symbol": name}});
        let answer = session.ask(at, "tools/call", &params);
        let found = &answer["result"]["structuredContent"];
        assert_eq!(found["freshness"], "fresh", "{found}");
        let summary = found["summary"].as_str().unwrap();
        summary.contains("(src/large.ts)")
    };
    assert!(!named_in("lonely"));
    repo.write("src/large.ts", &large);
    // Once it is read, and once by what is kept of it.
    assert!(!named_in("lonely") && !named_in("kept"));
    repo.write("src/large.ts", format!("{large}lonely()\n"));
    assert!(named_in("lonely") && !named_in("kept"));
    // As many bytes as before.
    repo.write("src/large.ts", format!("{large}kept();;\n"));
    assert!(!named_in("lonely") && named_in("kept"));
    std::fs::remove_file(repo.path().join("src/large.ts")).unwrap();
    assert!(!named_in("lonely") && !named_in("kept"));
}

#[test]
fn code_of_another_language_that_holds_the_name_is_told() {
    let (repo, cli) = open(
        "\
//- /log/Segment.java
package log;
public class Segment { public int cut() { return 1; } public int kept() { return 2; } }
//- /log/Cleaner.java
package log;
class Cleaner { int run(Segment segment) { return segment.cut() + segment.kept(); } }
//- /log/Local.scala
package log
class Local { def run(segment: Segment) = segment.cut() }
//- /tools/cut.rb
def run(file) = file.cut
//- commit base
",
    );
    let summary = |args: &[&str]| cli.json(args)["summary"].as_str().unwrap().to_owned();
    let said = summary(&["impact", "Segment.cut"]);
    assert!(
        said.starts_with("1 direct caller")
            && said.contains(
                "The word is in 1 file whose uses of code are not known (log/Local.scala)"
            ),
        "{said}"
    );
    let said = summary(&["impact", "Segment.kept"]);
    assert!(!said.contains("not known"), "{said}");
    for file in ["log/Segment.java", "log/Cleaner.java"] {
        repo.write(file, repo.read(file).replace("cut", "cutOff"));
    }
    let changes = cli.json(&["changes"]);
    assert_eq!(changes["complete"], false, "{changes}");
    let said = changes["summary"].as_str().unwrap();
    assert!(said.contains("(log/Local.scala)"), "{said}");
}

#[test]
fn tags_that_no_file_binds_may_be_a_component_of_their_name() {
    let (_repo, cli) = open(
        "\
//- /theme/components/BooleanDisplay.vue
<script setup>
const props = defineProps({ value: Boolean })
</script>
<template><b>{{ value }}</b></template>
//- /demo/One.vue
<template><BooleanDisplay :value=\"true\" /></template>
//- /demo/Two.vue
<template><boolean-display /></template>
//- /demo/Three.vue
<template><BooleanView /></template>
//- commit base
",
    );
    let path = "theme/components/BooleanDisplay.vue";
    for answer in [
        cli.json(&["impact", "--path", path]),
        cli.json(&["impact", "BooleanDisplay"]),
        cli.json(&["impact", "BooleanDisplay", "--sites"]),
    ] {
        let summary = answer["summary"].as_str().unwrap();
        assert!(summary.starts_with("Unknown: 2 uses of"), "{answer}");
        let lines = answer["unresolved"].as_array().unwrap().iter();
        let paths: Vec<&str> = lines.map(|it| it["path"].as_str().unwrap()).collect();
        assert_eq!(paths, ["demo/One.vue", "demo/Two.vue"], "{answer}");
    }
}

#[test]
fn a_variable_of_a_component_is_named_in_no_other_file() {
    let (_repo, cli) = open(
        "\
//- /demo.vue
<script setup>
const isLocked = lock()
</script>
<template><p /></template>
//- /other.ts
export const state = make()
export function other() { return state.isLocked({ isLocked: true }) }
//- commit base
",
    );
    for args in [
        &["impact", "isLocked", "--path", "demo.vue"][..],
        &["impact", "isLocked", "--path", "demo.vue", "--sites"],
    ] {
        let answer = cli.json(args);
        assert!(answer["unresolved"].is_null(), "{answer}");
        assert_eq!(answer["completeness"]["unresolvedSites"], 0, "{answer}");
    }
}

const COPIED: &str = "\
//- /src/debounce.ts
export function useDebounceFn(run: () => void) { return run }
//- /src/app.ts
import { useDebounceFn } from './debounce'
useDebounceFn(() => {})
//- /test/__snapshots__/index.snapshot.d.ts
export declare function useDebounceFn(run: () => void): () => void
//- /test/__snapshots__/other.snapshot.d.ts
export declare function useDebounceFn(run: () => void): () => void
//- commit base
";

#[test]
fn a_definition_comes_before_its_copies_in_snapshots() {
    let repo = Fixture::parse(COPIED).build();
    let cli = Cli::new(repo.path());
    let answer = cli.json(&["impact", "useDebounceFn"]);
    assert_eq!(answer["target"]["path"], "src/debounce.ts", "{answer}");
    assert_eq!(answer["totalCallers"], 1, "{answer}");
    let text = repo.read("src/debounce.ts");
    repo.write(
        "src/debounce.ts",
        text.replace("useDebounceFn", "useDebounce"),
    );
    let answer = cli.json(&["impact", "useDebounceFn"]);
    let summary = answer["summary"].as_str().unwrap();
    assert!(
        summary.contains("was renamed to `useDebounce` (src/debounce.ts:1)")
            && summary.contains("2 definitions have this name"),
        "{summary}"
    );
}

#[test]
fn a_line_of_a_file_names_the_definition_around_it() {
    let repo = Fixture::parse(COPIED).build();
    let cli = Cli::new(repo.path());
    let by_name = cli.json(&["impact", "useDebounceFn"]);
    let at_line = cli.json(&["impact", "src/debounce.ts:1"]);
    assert_eq!(by_name["target"], at_line["target"], "{at_line}");
    let said = cli.fails(&["impact", "src/debounce.ts:900"], 1);
    assert!(said.contains("no definition is around line 900"), "{said}");
    let said = cli.fails(&["impact", "test/__snapshots__"], 1);
    assert!(said.contains("it is a directory"), "{said}");
}
