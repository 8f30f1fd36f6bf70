/** The npm package: `npm pack`, an installation without network in a clean folder, and the example of its README. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";

import { folder } from "./common.mjs";
import { example, installed } from "./installed.mjs";

test("a clean folder installs and uses the package", () => {
  const user = installed(folder);
  writeFileSync(`${user}/example.js`, example);
  const printed = execFileSync("node", ["example.js"], { cwd: user, encoding: "utf8" });
  assert.match(printed, /^He is drinking tea \[/);
  for (const library of ["utf8proc", "jansson", "zlib", "wasi-libc", "compiler-rt"])
    assert.ok(readFileSync(`${user}/node_modules/elman/licenses/${library}`).length > 0);
});

test("the wasm has an address of its own, and other files of the package have none", () => {
  const user = installed(folder);
  const address = (name) => execFileSync("node", ["--input-type=module", "--eval", `console.log(import.meta.resolve("${name}"))`],
    { cwd: user, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  assert.match(address("elman/elman.wasm"), /node_modules\/elman\/elman\.wasm$/);
  assert.match(address("elman"), /node_modules\/elman\/node\.mjs$/);
  assert.throws(() => address("elman/wasi.mjs"));
});
