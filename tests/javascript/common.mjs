/** Shared by the tests of the JavaScript package. ELMAN_PACKAGE is the folder of the package, ELMAN the command. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

export const packageFolder = process.env.ELMAN_PACKAGE ?? "build/wasm/package";
export const { Elman, ElmanError } = await import(pathToFileURL(join(packageFolder, "node.mjs")));

export const TOY = readFileSync("data/toy.zh-en.tsv", "utf8");
export const DAILY = readFileSync("data/daily.train.zh-en.tsv", "utf8");
export const toyPairs = TOY.trim().split("\n").map((line) => line.split("\t"));

export const folder = mkdtempSync(join(tmpdir(), "elman-"));
process.on("exit", () => execFileSync("rm", ["-rf", folder]));

/** Run the command in the temporary folder and return its standard output. */
export function command(...options) {
  return execFileSync(process.env.ELMAN ?? "build/release/elman", options, {
    encoding: "utf8", maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "inherit"] });
}

/** Train to the end and return the reports. */
export function train(model, pairs, options) {
  const training = model.train(pairs, options), reports = [], validations = [];
  while (!training.finished) {
    const step = training.advance(50);
    reports.push(...step.reports);
    validations.push(...step.validations);
  }
  training.finish();
  training.free();
  return { reports, validations };
}

/** Expect an ElmanError with this code whose message matches. */
export function refuses(code, message, call) {
  assert.throws(call, (error) => {
    assert.ok(error instanceof ElmanError, `no ElmanError: ${error}`);
    assert.equal(error.code, code);
    assert.match(error.message, message);
    return true;
  });
}
