/** elman.d.ts: TypeScript accepts right programs, and refuses programs that the module would refuse: misspelled names, values of
 * another type. `tools/setup wasm` installs TypeScript. Exit code 77 (skipped): it is missing. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { test } from "node:test";

import { Elman, folder, packageFolder } from "./common.mjs";

const tools = resolve(process.env.ELMAN_BUNDLERS ?? "build/bundlers");
if (!existsSync(`${tools}/node_modules/typescript`)) {
  console.log("skipped: TypeScript is missing: run tools/setup wasm");
  process.exit(77);
}
const ts = createRequire(`${tools}/package.json`)("typescript");

const START = `import { Elman, ElmanError, Model, Pairs, Training, type Settings, type TranslateOptions } from "elman";
declare const elman: Elman, pairs: Pairs, model: Model, training: Training, bytes: Uint8Array;
`;

const parsed = new Map(); // files of TypeScript, which are large

/** Return the lines of the program, from 1, that TypeScript refuses. The types themselves must be right. */
function refusedLines(program, options = {}) {
  const name = `${folder}/program.mts`, types = resolve(packageFolder, "elman.d.ts");
  const settings = { strict: true, noEmit: true, target: ts.ScriptTarget.ESNext, module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext, lib: ["lib.es2022.d.ts", "lib.dom.d.ts"], types: [],
    paths: { elman: [types], "elman/elman.wasm": [resolve(packageFolder, "wasm.d.ts")] }, ...options };
  const host = ts.createCompilerHost(settings), text = START + program;
  const { readFile, fileExists, getSourceFile } = host;
  host.fileExists = (file) => file === name || fileExists(file);
  host.readFile = (file) => (file === name ? text : readFile(file));
  host.getSourceFile = (file, ...more) => {
    if (file === name) return ts.createSourceFile(file, text, ts.ScriptTarget.ESNext);
    if (!/\/typescript\/lib\//.test(file)) return getSourceFile(file, ...more);
    if (!parsed.has(file)) parsed.set(file, getSourceFile(file, ...more));
    return parsed.get(file);
  };
  const found = ts.getPreEmitDiagnostics(ts.createProgram([name], settings, host));
  const strange = found.filter(({ file }) => file?.fileName !== name).map(({ messageText, file }) =>
    `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, " ")}`);
  assert.deepEqual(strange, []);
  const own = found.map(({ file, start }) => file.getLineAndCharacterOfPosition(start).line - START.split("\n").length + 2);
  return [...new Set(own)].sort((a, b) => a - b);
}

const RIGHT = `
import wasm from "elman/elman.wasm";
const loaded: Elman = await Elman.load(), imported: Elman = await Elman.load(wasm);
await Elman.load("elman.wasm"); await Elman.load(new URL("file:///elman.wasm")); await Elman.load(bytes); await Elman.load(fetch("elman.wasm"));
const settings: Settings = { attention: "scaled", hiddenSize: 64, cell: "gru", bidirectional: true, sourceLanguage: "zh-Hans" };
{
  using own = loaded.readPairs("a\\tb\\n");
  using fresh = loaded.createModel(own, settings);
  using learning = fresh.train(own, { settings, epochs: 3, dev: own, checkpoint: bytes });
  await learning.run((report) => report.loss > 0.1, { signal: AbortSignal.timeout(1000) });
  const { validations, finished } = learning.advance(3, 20);
  if (!finished && validations[0]?.measure === "chrf") learning.finish();
}
const model1: Model = elman.loadModel(bytes), model2: Model = elman.loadModel(bytes.buffer);
const model3: Model = await elman.loadModel(new Blob([])), model4: Model = await elman.loadModel(new File([], "name"));
const model5: Model = await elman.loadModel(await fetch("model")), model6: Model = await elman.loadModel(fetch("model"));
declare const any: Blob | Uint8Array;
const model7: Model = await elman.loadModel(any), pairs7: Pairs = await elman.readPairs(any);
const pairs2: Pairs = await elman.readPairs(new Blob([])), pairs3: Pairs = elman.readPairs(bytes);
const [best] = model.translate("text", { beam: 5, nBest: 2, prefix: [1], overrides: [{ kind: "cell", row: 0, column: 1, weight: 0.5 }] as const });
const weight: number = best!.attention[0]![1]!, kind: "script" | "variants" | "unknown" | "number" | "improbable" | undefined = best!.warning?.kind;
const lists = await model.translateAll(["a", "b"] as const, { beam: 2, signal: new AbortController().signal });
const text: string = lists[0]![0]!.text;
const size: number = model.info.settings.hiddenSize, key: keyof Settings = elman.hyperparameters[0]!.name;
try { model.save(); } catch (problem) { if (problem instanceof ElmanError && problem.code === "no input") console.log(problem.where, problem.result?.skipped); }
const options: TranslateOptions = { sample: true, temperature: 0.5, topK: 5, seed: 7 };
`;

test("right programs are accepted, with the usual settings of compilers", () => {
  assert.deepEqual(refusedLines(RIGHT), []);
  assert.deepEqual(refusedLines(RIGHT, { module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler,
    exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, isolatedModules: true, verbatimModuleSyntax: true }), []);
});

const WRONG = `model.translate("text", { beams: 5 });
model.translate("text", { beam: "5" });
model.translate("text", { lengthNorm: "wu2" });
model.translate("text", { overrides: [{ kind: "cell", row: 0 }] });
model.translate("text", { overrides: [{ kind: "shuffles" }] });
model.translate("text", { signal: AbortSignal.timeout(5) });
model.translate(null);
model.translate(["text"]);
model.translate();
model.translateAll("text");
model.translateAll(["text"], { signal: 5 });
model.evaluate(pairs, { reference: "text" });
model.evaluate("pairs");
model.evaluate(model);
model.train(pairs, { epoch: 3 });
model.train(pairs, { epochs: "3" });
model.train(pairs, { hiddenSize: 64 });
model.train(pairs, { settings: { hidden: 64 } });
model.train(pairs, { checkpoint: new Blob([]) });
model.gradientCheck("a", "b", { sample: 3 });
model.alternatives("text", ["id"], 0, 1);
training.run(undefined, { sginal: AbortSignal.timeout(5) });
training.run({ signal: AbortSignal.timeout(5) });
training.run((report) => report.losses > 1);
training.advance();
elman.createModel(model);
elman.createModel({ report: pairs.report, free() {} });
elman.createModel(pairs, { attention: "dots" });
elman.loadModel("model.safetensors");
elman.loadModel();
const notWaitedFor: Model = elman.loadModel(new Blob([]));
elman.readPairs(5);
elman.version = "2";
Elman.load(5);
new Elman();
new Model();
new Pairs();
class Own extends Model {}
const score: string = model.translate("text")[0]!.score;
model.translate("text")[0]!.log_probability;
import { Handle } from "elman";`;

test("wrong programs are refused, line by line", () => {
  const lines = WRONG.split("\n");
  assert.deepEqual(refusedLines(WRONG), lines.map((_, i) => i + 1));
});

test("every setting of the table has its name and its type", async () => {
  const { hyperparameters } = await Elman.load(), lines = [], right = [];
  const wrongOf = { size: ['"5"', "true"], seed: ['"5"', "true"], real: ['"0.5"', "true"], flag: ["1", '"yes"'], choice: ['"xyzzy"', "1"], language: ["5", "true"] };
  for (const { name, type, default: usual } of hyperparameters) {
    right.push(`elman.createModel(pairs, { ${name}: ${JSON.stringify(usual)} });`);
    for (const wrong of [...wrongOf[type], "null"]) lines.push(`elman.createModel(pairs, { ${name}: ${wrong} });`);
    lines.push(`elman.createModel(pairs, { ${name}${name.at(-1)}: ${JSON.stringify(usual)} });`);
  }
  assert.ok(right.length > 50);
  assert.deepEqual(refusedLines(right.join("\n")), []);
  assert.deepEqual(refusedLines(lines.join("\n")), lines.map((_, i) => i + 1));
});
