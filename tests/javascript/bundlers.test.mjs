/** The example of the package's README in programs that Vite, esbuild and webpack make of it, and in a page without a
 * bundler. The programs run in Node and in headless Chromium. Without network. `tools/setup wasm` installs the bundlers.
 * Exit code 77 (skipped): a bundler or Chromium is missing. */
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { copyFileSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { extname, join, resolve } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";

import { example, installed, snippets } from "./installed.mjs";

const tools = resolve(process.env.ELMAN_BUNDLERS ?? "build/bundlers");
const chromium = ["chromium", "chromium-headless-shell", "chromium-browser"].find((name) => {
  try { return execFileSync("sh", ["-c", `command -v ${name}`]); } catch { return false; }
});
const [major, minor] = process.versions.node.split(".").map(Number);
const lacking = !existsSync(`${tools}/node_modules`) ? "the bundlers are missing: run tools/setup wasm"
  : chromium === undefined ? "Chromium is missing: run tools/setup all"
  : major < 20 || (major === 20 && minor < 19) ? `Vite 7 needs Node 20.19 or newer, not ${process.versions.node}` : "";
if (lacking !== "") {
  console.log(`skipped: ${lacking}`);
  process.exit(77);
}

/** Import a package of the tools. */
const tool = (name) => import(pathToFileURL(createRequire(`${tools}/package.json`).resolve(name)));

const folder = mkdtempSync(join(tmpdir(), "elman-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const EXPECTED = /^He is drinking tea /;

function runInNode(file) {
  assert.match(execFileSync("node", [file], { cwd: tmpdir(), encoding: "utf8" }), EXPECTED);
}

/* The page sends its output, or its first problem, as a request to the server of the test. */
const PAGE = (start) => `<!doctype html><meta charset="utf-8"><script>
  const tell = (...words) => fetch("/told", { method: "POST", body: words.join(" ") });
  console.log = tell;
  addEventListener("error", (event) => tell("error:", event.message), true);
  addEventListener("unhandledrejection", (event) => tell("rejected:", event.reason?.code, event.reason?.message));
</script>${start}`;

/** Serve pages with `answer(path)`, which returns a file or null. Open the page, and return its report. */
async function told(answer) {
  const TYPES = { ".html": "text/html", ".js": "text/javascript", ".mjs": "text/javascript", ".wasm": "application/wasm" };
  let settle;
  const result = new Promise((found, failed) => (settle = { found, failed }));
  const server = createServer(async (request, response) => {
    if (request.url === "/told") {
      let body = "";
      for await (const part of request) body += part;
      settle.found(body);
      return response.end();
    }
    const path = new URL(request.url, "http://localhost").pathname;
    await answer(path, request, (file) => {
      const known = file !== null && existsSync(file);
      response.writeHead(known ? 200 : 404, { "content-type": TYPES[extname(file ?? "")] ?? "text/plain" });
      response.end(known ? readFileSync(file) : "");
    }, response);
  });
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  const profile = mkdtempSync(`${folder}/chromium-`);
  const browser = spawn(chromium, ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
    "--disable-background-networking", `--user-data-dir=${profile}`, "--remote-debugging-port=0",
    `http://127.0.0.1:${server.address().port}/`], { stdio: "ignore", env: { ...process.env, HOME: profile } });
  browser.on("exit", (code) => settle.failed(new Error(`Chromium ended with code ${code}`)));
  const patience = setTimeout(() => settle.failed(new Error("the page printed nothing in 120 seconds")), 120_000);
  try {
    return await result;
  } finally {
    clearTimeout(patience);
    browser.removeAllListeners("exit");
    const gone = new Promise((exit) => browser.on("exit", exit));
    browser.kill();
    await gone;
    server.closeAllConnections();
    server.close();
  }
}

/** Run the page of a folder. */
async function runInBrowser(site) {
  const printed = await told((path, _, send) => send(join(site, path === "/" ? "index.html" : path)));
  assert.match(printed, EXPECTED);
}

const template = installed(folder);

function project(html) {
  const user = mkdtempSync(`${folder}/project-`);
  cpSync(template, user, { recursive: true });
  writeFileSync(`${user}/main.js`, example);
  writeFileSync(`${user}/index.html`, PAGE(html));
  return user;
}

test("a page without a bundler", async () => {
  const user = project('<script type="importmap">{"imports": {"elman": "/node_modules/elman/elman.mjs"}}</script>' +
    '<script type="module" src="/main.js"></script>');
  await runInBrowser(user);
});

test("esbuild", async () => {
  const { build } = await tool("esbuild");
  for (const platform of ["browser", "node"]) {
    const user = project('<script type="module" src="/dist/main.js"></script>');
    const { warnings } = await build({ entryPoints: [`${user}/main.js`], bundle: true, format: "esm", minify: true, platform,
      outfile: `${user}/dist/main.js`, logLevel: "silent" });
    assert.deepEqual(warnings, []);
    const run = () => (platform === "node" ? runInNode(`${user}/dist/main.js`) : runInBrowser(user));
    /* esbuild copies no files; without the import of the module, the message states what to do. */
    await assert.rejects(async () => run(), /cannot load .*\/dist\/elman\.wasm.*(serve elman.wasm of the package there|no such file)/s);
    copyFileSync(`${user}/node_modules/elman/elman.wasm`, `${user}/dist/elman.wasm`);
    await run();
  }
});

test("esbuild puts the module into the bundle", async () => {
  const { build } = await tool("esbuild"), [, importing] = snippets;
  for (const platform of ["browser", "node"]) {
    const user = project('<script type="module" src="/dist/main.js"></script>');
    const [, program] = /Elman\.load\(\);\n([^]*)$/.exec(example);
    writeFileSync(`${user}/main.js`, importing + program);
    await build({ entryPoints: [`${user}/main.js`], bundle: true, format: "esm", platform, target: "es2022",
      loader: { ".wasm": "binary" }, outfile: `${user}/dist/main.js`, logLevel: "silent" });
    rmSync(`${user}/node_modules`, { recursive: true });
    if (platform === "node") runInNode(`${user}/dist/main.js`);
    else await runInBrowser(user);
  }
});

test("messages name types that a minifier has renamed", async () => {
  const { build } = await tool("esbuild"), user = project(""), outfile = `${user}/dist/wrong.js`;
  writeFileSync(`${user}/wrong.js`, 'import { Elman } from "elman";\nconst elman = await Elman.load("node_modules/elman/elman.wasm");\n' +
    "try { elman.createModel(1); } catch (problem) { console.log(problem.message); }\n");
  await build({ entryPoints: [`${user}/wrong.js`], bundle: true, format: "esm", minify: true, platform: "node", outfile, logLevel: "silent" });
  assert.match(execFileSync("node", [outfile], { cwd: user, encoding: "utf8" }), /^pairs must be an object of type Pairs of the same module, not 1$/m);
});

test("webpack", async () => {
  const { default: webpack } = await tool("webpack");
  for (const target of ["web", "node"]) {
    const user = project('<script type="module" src="/dist/main.js"></script>');
    const stats = await new Promise((done, failed) => webpack({ mode: "production", target, context: user, entry: "./main.js",
      output: { path: `${user}/dist`, filename: target === "node" ? "main.mjs" : "main.js", module: target === "node" },
      experiments: { outputModule: target === "node" }, performance: { hints: false } },
    (problem, found) => (problem ? failed(problem) : done(found))));
    assert.deepEqual(stats.toJson({ all: false, errors: true, warnings: true }), { errors: [], warnings: [] });
    if (target === "node") runInNode(`${user}/dist/main.mjs`);
    else await runInBrowser(user);
  }
});

test("Vite builds", async () => {
  const { build } = await tool("vite");
  const user = project('<script type="module" src="/main.js"></script>');
  await build({ root: user, configFile: false, logLevel: "error" });
  await runInBrowser(`${user}/dist`);
});

test("Vite serves during development", async () => {
  const { createServer: createVite } = await tool("vite");
  const user = project('<script type="module" src="/main.js"></script>');
  const vite = await createVite({ root: user, configFile: false, logLevel: "error", appType: "spa",
    server: { middlewareMode: true, hmr: false, ws: false } });
  try {
    /* The client of Vite, which its own page contains, needs a WebSocket. */
    const printed = await told((path, request, send, response) =>
      path === "/" ? send(`${user}/index.html`) : vite.middlewares(request, response, () => send(null)));
    assert.match(printed, EXPECTED);
  } finally {
    await vite.close();
  }
});
