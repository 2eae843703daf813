#!/usr/bin/env node
// Starts the binary of this platform, which comes in a package of its own.
"use strict";
const { spawn } = require("node:child_process");
const path = require("node:path");

// The names of the packages, by what Node says of the machine.
function candidates(platform, arch, isMusl) {
  const base = `@codelens/${platform}-${arch}`;
  if (platform !== "linux") return [base];
  // A static binary runs everywhere; the other one needs the system's library.
  return isMusl ? [`${base}-musl`] : [`${base}-gnu`, `${base}-musl`];
}

function isMusl() {
  if (process.platform !== "linux") return false;
  const header = process.report && process.report.getReport().header;
  return !(header && header.glibcVersionRuntime);
}

function binary() {
  const names = candidates(process.platform, process.arch, isMusl());
  const file = process.platform === "win32" ? "codelens.exe" : "codelens";
  for (const name of names) {
    try {
      return path.join(path.dirname(require.resolve(`${name}/package.json`)), "bin", file);
    } catch {
      // The next one may be there.
    }
  }
  console.error(`error: there is no binary for ${process.platform} ${process.arch} (looked for ${names.join(", ")})`);
  console.error("hint: install without --no-optional, or build it: cargo install --locked --path .");
  process.exit(1);
}

// What `npx` downloads may be gone tomorrow: a client is set up to call `npx` again, not the file in its cache.
function words(given, environment) {
  const isSetUp = given[0] === "install" && !given.some((word) => word.startsWith("--command"));
  const isPassing = environment.npm_command === "exec";
  if (!isSetUp || !isPassing) return given;
  return [...given, "--command", "npx", "--command=-y", "--command", "codelens"];
}

if (require.main === module) {
  const child = spawn(binary(), words(process.argv.slice(2), process.env), { stdio: "inherit" });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.on("error", (error) => { console.error(`error: ${error.message}`); process.exit(1); });
  child.on("exit", (code, signal) => process.exit(code === null ? 128 + (signal === "SIGINT" ? 2 : 15) : code));
}
module.exports = { candidates, words };
