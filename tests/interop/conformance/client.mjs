// A session with the official TypeScript client, over a server that is started or an address.
//
//   node client.mjs TOOLS PACKAGE REVISION ADDRESS            (the token in CODELENS_HTTP_TOKEN)
//   node client.mjs TOOLS PACKAGE REVISION -- COMMAND WORD…
//
// Prints what it saw as one line of JSON; whoever started it judges that.

import { createRequire } from "node:module";

const [tools, library, revision, address, ...line] = process.argv.slice(2);
const require = createRequire(`${tools}/package.json`);
const isFirst = library === "@modelcontextprotocol/sdk";
const load = (name, part) => (isFirst ? require(`${library}/${part}`) : require(`${library}${name}`));
const { Client } = load("", "client/index.js");
const { StreamableHTTPClientTransport } = load("", "client/streamableHttp.js");
const { StdioClientTransport } = load("/stdio", "client/stdio.js");

const headers = { Authorization: `Bearer ${process.env.CODELENS_HTTP_TOKEN}` };
const transport =
  address === "--"
    ? new StdioClientTransport({ command: line[0], args: line.slice(1), env: process.env, stderr: "inherit" })
    : new StreamableHTTPClientTransport(new URL(address), { requestInit: { headers } });

const mode = revision === "2026-07-28" ? { pin: revision } : "legacy";
const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
await client.connect(transport);

const call = async (name, given = {}, options) => {
  const params = { name, arguments: given };
  const result = isFirst ? await client.callTool(params, undefined, options) : await client.callTool(params, options);
  return { isError: Boolean(result.isError), value: result.structuredContent };
};
const refused = async (asking) => {
  try {
    await asking();
    return null;
  } catch (error) {
    return { code: error.code, message: error.message };
  }
};

const seen = { server: client.getServerVersion(), instructions: client.getInstructions()?.length ?? 0 };
seen.capabilities = Object.keys(client.getServerCapabilities()).sort();
seen.tools = (await client.listTools()).tools.map((tool) => tool.name);
const steps = [];
seen.refresh = await call("cl_refresh", { force: true }, { onprogress: (step) => steps.push(step.progress) });
seen.steps = steps.length;
seen.search = await call("cl_search", { query: "placeOrder" });
seen.mistake = await call("cl_search", { query: "" });
seen.unknown = await refused(() => call("cl_nothing"));
seen.resources = (await client.listResources()).resources.map((resource) => resource.uri);
seen.index = JSON.parse((await client.readResource({ uri: "codelens://index" })).contents[0].text);
seen.missing = await refused(() => client.readResource({ uri: "codelens://nothing" }));
seen.prompts = (await client.listPrompts()).prompts.map((prompt) => prompt.name);
const prompt = await client.getPrompt({ name: "impact-before-edit", arguments: { symbol: "addMoney" } });
seen.prompt = prompt.messages[0].content.text;
const ref = { type: "ref/prompt", name: "impact-before-edit" };
seen.completions = (await client.complete({ ref, argument: { name: "symbol", value: "addM" } })).completion.values;

// A call that is given up, and one after it.
const giveUp = new AbortController();
const begun = Date.now();
const given = refused(() => call("cl_refresh", { force: true }, { signal: giveUp.signal }));
giveUp.abort();
seen.givenUp = await given;
seen.givenUpMs = Date.now() - begun;
seen.after = await call("cl_current");

await client.close();
console.log(JSON.stringify(seen));
