/** The npm package: `npm pack`, an installation without network in a clean folder, and the example of its README. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { test } from "node:test";

import { folder, packageFolder } from "./common.mjs";

test("a clean folder installs and uses the package", () => {
  const npm = (...options) => execFileSync("npm", [...options, "--offline", "--no-audit", "--no-fund", "--loglevel=error"],
    { cwd: folder, encoding: "utf8", env: { ...process.env, npm_config_cache: `${folder}/cache` } });
  const name = npm("pack", resolve(packageFolder)).trim().split("\n").at(-1);
  mkdirSync(`${folder}/user`);
  writeFileSync(`${folder}/user/package.json`, '{"type": "module"}');
  npm("install", `./${name}`, "--prefix", `${folder}/user`);
  const example = /```js\n([^`]*)```/.exec(readFileSync(`${packageFolder}/README.md`, "utf8"))[1];
  writeFileSync(`${folder}/user/example.js`, example);
  const printed = execFileSync("node", ["example.js"], { cwd: `${folder}/user`, encoding: "utf8" });
  assert.match(printed, /^He is drinking tea \[/);
  const installed = `${folder}/user/node_modules/elman`;
  for (const library of ["utf8proc", "jansson", "zlib", "wasi-libc", "compiler-rt"])
    assert.ok(readFileSync(`${installed}/licenses/${library}`).length > 0);
});
