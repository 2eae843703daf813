// The pages of `codelens view` in a real browser, started here with an empty profile and without a network.
//
//   node view_test.mjs --binary PATH --modules DIR [--pictures DIR] [--files N]
//
// DIR holds node_modules with playwright-core; pictures of what was looked at go where --pictures says.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";

const { values: args } = parseArgs({
  options: {
    binary: { type: "string" }, modules: { type: "string" }, pictures: { type: "string" },
    files: { type: "string", default: "5000" }, chromium: { type: "string", default: "/usr/bin/chromium" },
  },
});
const { chromium } = createRequire(join(resolve(args.modules), "x.js"))("playwright-core");
const work = realpathSync(mkdtempSync(join(tmpdir(), "codelens-view-")));
const binary = resolve(args.binary);
const environment = { PATH: process.env.PATH, HOME: work, CODELENS_HOME: join(work, "data"), GIT_CONFIG_NOSYSTEM: "1" };

function run(program, words, cwd) {
  return execFileSync(program, words, { cwd, env: environment, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"], maxBuffer: 1 << 28 });
}
function repository(name, files) {
  const root = join(work, name);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const git = (...words) => run("git", ["-c", "user.name=Ada", "-c", "user.email=ada@example.invalid", "-c", "init.defaultBranch=main", ...words], root);
  git("init", "--quiet");
  git("add", "--all");
  git("commit", "--quiet", "--message", "one");
  return { root, git };
}
const HOSTILE = ["<img src=x onerror=alert(1)>.ts", "a\"b'c&d.ts", "<script>alert(2)<", "{{script}}.ts", "javascript:alert(3).ts"];
function small() {
  const files = {
    "src/core/queue.ts": "export function queueJob(n: number) { return n; }\nexport class Box { open() { return queueJob(1); } }\n",
    "src/core/flush.ts": "import { queueJob } from './queue';\nexport function flush() { return queueJob(2); }\n",
    "src/app.ts": "import { flush } from './core/flush';\nimport { queueJob } from './core/queue';\nexport const go = () => flush() + queueJob(3);\n",
    "src/server.js": "const express = require('express');\nconst app = express();\nfunction show(req, res) { res.end(); }\napp.get('/users/:id', show);\n",
    "src/client.ts": "export const load = (id: string) => fetch(`/users/${id}`);\n",
    "test/queue.spec.ts": "import { queueJob } from '../src/core/queue';\nqueueJob(4);\n",
  };
  for (const name of HOSTILE) files["odd/" + (name.endsWith(".ts") ? name : name + "/script>.ts")] = `import { queueJob } from '${name.endsWith(".ts") ? "" : "../"}../src/core/queue';\n`
    + "export class A { '<b>bold</b>'() { return queueJob(5); } }\n";
  return files;
}
function large(n) {
  const files = {};
  for (let at = 0; at < n; at++) {
    const place = (k) => `p${k % 20}/d${k % 7}/f${k}.ts`;
    const to = [(at * 7 + 3) % n, (at * 13 + 5) % n, at >> 1].filter((k) => k !== at);
    files[place(at)] = to.map((k, i) => `import { f${k} as g${i} } from '../../${place(k).replace(/\.ts$/, "")}';\n`).join("")
      + `export function f${at}() { return ${to.map((_, i) => `g${i}()`).join(" + ") || 1}; }\nexport interface I${at} { x: number }\n`;
  }
  return files;
}

const browser = await chromium.launch({
  executablePath: args.chromium,
  args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});
const faults = [];
async function open(file, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  page.on("dialog", async (dialog) => { faults.push("a dialog: " + dialog.message()); await dialog.dismiss(); });
  page.on("pageerror", (error) => faults.push("an error: " + error.message));
  page.on("console", (line) => { if (line.type() === "error") faults.push("on the console: " + line.text()); });
  page.on("request", (request) => { if (!request.url().startsWith("file:")) faults.push("asked for " + request.url()); });
  await page.goto(pathToFileURL(file).href);
  await page.waitForSelector("#rows .row");
  return page;
}
async function picture(page, name) {
  if (!args.pictures) return;
  mkdirSync(args.pictures, { recursive: true });
  await page.screenshot({ path: join(args.pictures, name + ".png") });
}
const said = (page, id) => page.locator(id).innerText();

try {
  const { root, git } = repository("small", small());
  const before = run("git", ["status", "--porcelain", "--ignored"], root);
  const made = JSON.parse(run(binary, ["view", "--json"], root));
  assert.ok(made.file.startsWith(join(work, "data")), "the page lies in the data directory");
  git("switch", "--quiet", "--create", "fix");
  run(binary, ["refresh"], root);
  run(binary, ["view", "--output", join(work, "small.html")], root);
  assert.equal(run("git", ["status", "--porcelain", "--ignored"], root), before, "nothing is written in the work tree");

  let page = await open(join(work, "small.html"));
  await picture(page, "map-light");
  // All that is in the repository is text.
  await page.keyboard.press("e");
  const rows = await said(page, "#rows");
  for (const name of HOSTILE) assert.ok(rows.includes(name), name);
  assert.equal(await page.locator("#graph img, #graph script, #graph b").count(), 0);
  // By keyboard: search, take the first, look at what uses it.
  await page.keyboard.press("/");
  await page.keyboard.type("queue.ts");
  await page.keyboard.press("Enter");
  let details = await said(page, "#details");
  assert.match(details, /queue\.ts/);
  const users = () => said(page, "#details").then((text) => Number(/Used by \((\d+)\)/.exec(text)[1]));
  assert.equal(await users(), 3 + HOSTILE.length, "flush, app, the test and the odd ones");
  assert.match(details, /Box\.open/);
  await picture(page, "map-selected");
  const link = await page.locator("#details a").first().getAttribute("href");
  assert.equal(link, `vscode://file${root}/src/core/queue.ts:1`);
  // Filters.
  await page.getByLabel("test files").uncheck();
  assert.equal(await users(), 2 + HOSTILE.length);
  await page.getByLabel("calls").uncheck();
  await page.getByLabel("imports").uncheck();
  assert.equal(await users(), 0);
  await page.getByLabel("imports").check();
  assert.equal(await users(), 2 + HOSTILE.length);
  await page.getByLabel("resolved").uncheck();
  assert.equal(await users(), 0);
  // Everything of what is odd can be selected, and its link is one path.
  await page.getByLabel("resolved").check();
  await page.getByLabel("test files").check();
  // A request and the handler of its route: each provenance of the data has a filter.
  await page.getByLabel("calls").check();
  await page.keyboard.press("/");
  await page.keyboard.type("server.js");
  await page.keyboard.press("Enter");
  assert.equal(await users(), 1, "the client");
  await page.getByLabel("bridge").uncheck();
  assert.equal(await users(), 0);
  await page.getByLabel("bridge").check();
  await page.getByLabel("calls").uncheck();
  await page.locator("#tree").focus();
  await page.keyboard.press("Escape");
  await page.keyboard.press("e");
  const n = await page.locator("#rows .row").count();
  for (let at = 0; at < n; at++) {
    await page.keyboard.press("ArrowDown");
    const href = (await page.locator("#details a").count()) ? await page.locator("#details a").first().getAttribute("href") : "vscode://file/";
    assert.ok(href.startsWith("vscode://file/") && !/[<>"']|javascript:/.test(href.slice(9).replace(/'/g, "")), href);
  }
  assert.equal(await page.locator("#details img, #details script, #details b").count(), 0);
  // Collapse, expand, into a directory and out.
  await page.keyboard.press("c");
  const closed = await page.locator("#rows .row").count();
  assert.equal(closed, 3, "odd, src, test");
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowRight");
  assert.ok((await page.locator("#rows .row").count()) > closed);
  await page.keyboard.press("Enter");
  assert.equal(await page.locator("#crumbs button").count(), 2);
  await page.keyboard.press("Backspace");
  assert.equal(await page.locator("#crumbs button").count(), 1);
  // The indexes of both branches.
  await page.keyboard.press("i");
  const indexes = await said(page, "#indexes");
  assert.match(indexes, /\bmain\b/);
  assert.match(indexes, /\bfix\b[\s\S]*checked out|checked out[\s\S]*\bfix\b/);
  await picture(page, "indexes");
  await page.context().close();

  page = await open(join(work, "small.html"), { colorScheme: "dark" });
  const back = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  assert.equal(back, "rgb(20, 23, 28)");
  await page.keyboard.press("t");
  assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), "rgb(255, 255, 255)");
  await page.context().close();

  run(binary, ["view", "--symbol", "queueJob", "--output", join(work, "impact.html"), "--editor", "zed"], root);
  page = await open(join(work, "impact.html"), { colorScheme: "dark" });
  assert.match(await said(page, "#rows"), /changed[\s\S]*queue\.ts/);
  await page.keyboard.press("/");
  await page.keyboard.type("flush");
  await page.keyboard.press("Enter");
  assert.match(await said(page, "#details"), /Uses \(1\)/);
  assert.match(await page.locator("#details a").first().getAttribute("href"), /^zed:\/\/file.*flush\.ts:\d+$/);
  await picture(page, "impact-dark");
  await page.context().close();

  const big = repository("large", large(Number(args.files)));
  run(binary, ["view", "--output", join(work, "large.html")], big.root);
  let begun = performance.now();
  page = await open(join(work, "large.html"), { colorScheme: "dark" });
  await page.waitForFunction(() => document.querySelector("#count").textContent.includes("relations"));
  const loaded = performance.now() - begun;
  await page.keyboard.press("e");
  await page.keyboard.press("/");
  begun = performance.now();
  await page.keyboard.type("f123.ts");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => /f123\.ts/.test(document.querySelector("#details h3").textContent));
  const searched = performance.now() - begun;
  begun = performance.now();
  for (let at = 0; at < 10; at++) await page.keyboard.press("ArrowDown");
  const moved = (performance.now() - begun) / 10;
  await page.keyboard.press("Escape");
  await page.keyboard.press("c");
  await page.keyboard.press("ArrowDown");
  await picture(page, "large-dark");
  console.log(`${args.files} files: shown in ${loaded.toFixed(0)} ms, found in ${searched.toFixed(0)} ms, a step ${moved.toFixed(0)} ms`);
  assert.ok(loaded < 15_000 && searched < 8_000 && moved < 800, "it is quick enough to be used");
  assert.deepEqual(faults, []);
  console.log("the pages do what they say, by mouse and keyboard, in light and dark, and ask for nothing");
} finally {
  await browser.close();
  if (existsSync(work)) rmSync(work, { recursive: true, force: true });
}
