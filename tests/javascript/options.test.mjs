/** Every argument and option of the package takes effect or is refused by name: unknown names, types, ranges, and options
 * that have no effect beside others. Every failure is an ElmanError. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

import { Elman, ElmanError, TOY, packageFolder, refuses, toyPairs, train } from "./common.mjs";

const elman = await Elman.load(), pairs = elman.readPairs(TOY), [source, target] = toyPairs[0];
const model = elman.createModel(pairs, { encoderSelfAttention: 1 });
train(model, pairs, { epochs: 40 });
const types = readFileSync(`${packageFolder}/elman.d.ts`, "utf8");

/** Return the keys of an interface of elman.d.ts with their types; those of its bases included. */
function keysOf(name) {
  const [, base, body] = new RegExp(`export interface ${name} (?:extends (\\w+) )?\\{\n([^]*?)\n\\}`).exec(types);
  const plain = body.replace(/\/\*[^]*?\*\//g, "").replace(/\/\/.*/g, "");
  const own = [...plain.matchAll(/(\w+)\?: ([^;]+?)(?=;|\n *\w+\?:|\s*$)/g)].map(([, key, type]) => [key, type.replace(/\s+/g, " ").trim()]);
  return new Map([...(base ? keysOf(base) : []), ...own]);
}

/* The arguments of each method: its interface, and a call with options. */
const METHODS = {
  TranslateOptions: (options) => model.translate(source, options),
  SearchOptions: (options) => model.evaluate(pairs, options),
  TrainOptions: (options) => model.train(pairs, options).free(),
  Settings: (settings) => model.train(pairs, { settings }).free(),
};

for (const [name, call] of Object.entries(METHODS)) {
  test(`${name}: the module reads every documented key and checks its type`, () => {
    const keys = keysOf(name);
    assert.ok(keys.size > 3, [...keys.keys()].join());
    for (const key of keys.keys()) {
      for (const wrong of [...(key === "settings" ? [] : [{}]), () => 1, Symbol("s"), NaN, null, /^reference$|Language$/.test(key) ? 5 : ""])
        refuses("invalid argument", new RegExp(`\\b${key}\\b must be `), () => call({ [key]: wrong }));
      const misspelled = `${key.slice(0, -1)}${key.at(-1)}${key.at(-1)}`;
      refuses("invalid argument", new RegExp(`unknown option '${misspelled}'; did you mean '${key}'`), () => call({ [misspelled]: 1 }));
      call({ [key]: undefined });
    }
    for (const wrong of [null, 5, "beam", true, [], () => 1, new Map([["beam", 5]]), new Set(), new Date(0), /x/, new ArrayBuffer(4)]) refuses("invalid argument", /must be an object/, () => call(wrong));
    refuses("invalid argument", /unknown/, () => call({ constructor: 1 }));
  });
}

/** Return the cases of tests/options/cases.py: options, and the message of the library for them. */
const casesOf = (scopes, more = {}) => JSON.parse(execFileSync("python3",
  ["tests/options/cases.py", JSON.stringify({ scopes, naming: "camel", ...more })], { encoding: "utf8", maxBuffer: 1 << 26 }));
const SEARCH = ["SEARCH", "SCORE", "SEED", "PRECISION"], OF_ONE = ["LIST", "SAMPLING", "WEIGHTS", "TEXT"];

/* The rows of elman/options.h that each method reads, and its own keys. */
const ROWS = {
  translate: [casesOf([...SEARCH, ...OF_ONE], { others: ["overrides", "reference", "prefix"] }), (options) => model.translate(source, options)],
  evaluate: [casesOf(SEARCH, { others: ["overrides"], facts: [] }), (options) => model.evaluate(pairs, options)],
  createModel: [casesOf(["MODEL", "START", "TRAINING", "END"]), (settings) => elman.createModel(pairs, settings)],
};
for (const [name, [cases, call]] of Object.entries(ROWS)) {
  test(`${name}: wrong values, misspelled names and broken rules have the message of the library`, () => {
    assert.ok(cases.length > 50);
    for (const [options, message] of cases)
      assert.throws(() => call(options), (error) => {
        assert.equal(error.code, "invalid argument");
        assert.ok([message, `${message}; it is one of the settings`].includes(error.message), `${error.message}: ${JSON.stringify(options)}`);
        return true;
      });
  });
}

test("the options of elman.d.ts are the rows", () => {
  const names = (interfaces) => interfaces.flatMap((name) => [...keysOf(name).keys()]);
  const rows = elman.hyperparameters.map(({ name }) => name);
  assert.deepEqual(names(["Settings"]), rows);
  for (const key of names(["TranslateOptions"])) refuses("invalid argument", new RegExp(`^${key} must be`), () => model.translate(source, { [key]: NaN }));
});

test("names are suggested however they are written", () => {
  for (const [typed, key] of [["n_best", "nBest"], ["nbest", "nBest"], ["beem", "beam"], ["length_norm", "lengthNorm"], ["topk", "topK"], ["nBestt", "nBest"], ["NBest", "nBest"], ["numBeams", "beam"]])
    refuses("invalid argument", new RegExp(`unknown option '${typed}'; did you mean '${key}'`), () => model.translate(source, { [typed]: 2 }));
  for (const [typed, key] of [["hidden_size", "hiddenSize"], ["lr", "learningRate"], ["hidden", "hiddenSize"]])
    refuses("invalid argument", new RegExp(`unknown option '${typed}'; did you mean '${key}'`), () => elman.createModel(pairs, { [typed]: 2 }));
  refuses("invalid argument", /unknown option 'xyzzy'$/, () => model.translate(source, { xyzzy: 1 }));
  refuses("invalid argument", /unknown option 'epoch'; did you mean 'epochs'/, () => model.train(pairs, { epoch: 3 }));
});

test("numbers are whole and in range, wherever they are", () => {
  for (const value of [-1e18, 1e18, 1e300, 2n, Infinity, -0.1, () => 1])
    assert.throws(() => model.translate(source, { beam: value }), { message: `beam must be a whole number from 1 to 1024, not ${typeof value === "bigint" ? "2n" : typeof value === "function" ? "a function" : value}` });
  refuses("invalid argument", /beam must be a whole number from 1 to 1024, not an object/, () => model.translate(source, { beam: { "": "2" } }));
  for (const id of [-1, 5.7, 1e20, "x", NaN, null, {}])
    refuses("invalid argument", /prefix\[1\] must be a whole number from 0/, () => model.translate(source, { prefix: [4, id] }));
  refuses("invalid argument", /./, () => model.translate(source, { prefix: [99999] })); // no such token
  for (const prefix of ["I", 4, { 0: 4 }, new DataView(new ArrayBuffer(4))])
    refuses("invalid argument", /prefix must be an array/, () => model.translate(source, { prefix }));
  refuses("invalid argument", /targetIds\[0\]|prefix\[0\]/, () => model.alternatives(source, ["x"], 1, 3));
  refuses("invalid argument", /position 3 is beyond the 2 targetIds/, () => model.alternatives(source, [4, 5], 3, 3));
  refuses("invalid argument", /count must be a whole number from 1 to 1024, not 0/, () => model.alternatives(source, [], 0, 0));
  refuses("invalid argument", /step must be a whole number/, () => model.trace(source, target, 1.5));
  refuses("invalid argument", /samples must be a whole number/, () => model.gradientCheck(source, target, { samples: -1 }));
  for (const epochs of [-1, 1.5, 1e20, "3"]) refuses("invalid argument", /epochs must be a whole number from 0/, () => model.train(pairs, { epochs }));
  refuses("invalid argument", /dropout must be a number from 0 to 0.999999, not 1/, () => model.train(pairs, { settings: { dropout: 1 } }));
  const training = model.train(pairs, { epochs: 1 });
  for (const limit of [0, -1, 1.5, "x", undefined]) refuses("invalid argument", /limit (must be a whole number|is missing)/, () => training.advance(limit));
  for (const milliseconds of [-1, NaN, "x"]) refuses("invalid argument", /milliseconds must be a number/, () => training.advance(1, milliseconds));
  training.free();
});

/* tests/serve/interface has the other messages of the library. */
test("overrides name their fields", () => {
  const wrong = {
    "overrides\\[0\\]: an override must be an object": 5,
    "overrides\\[0\\]: kind must be one of uniform, shuffle, position, cell, not 'uniformx'; did you mean 'uniform'": { kind: "uniformx" },
    "overrides\\[0\\]: unknown option 'columnx'; did you mean 'column'": { kind: "position", columnx: 1 },
    "overrides\\[0\\]: weight must be a number from 0 to 1, not 'NaN'": { kind: "cell", row: 0, column: 0, weight: NaN },
    "overrides\\[0\\]: row must be a whole number": { kind: "cell", row: -1, column: 0, weight: 1 },
  };
  for (const [message, one] of Object.entries(wrong)) refuses("invalid argument", new RegExp(message), () => model.translate(source, { overrides: [one] }));
  refuses("invalid argument", /overrides must be an array, not a string/, () => model.translate(source, { overrides: "uniform" }));
  refuses("invalid argument", /at most 64/, () => model.translate(source, { overrides: Array(65).fill({ kind: "uniform" }) }));
});

test("options without an effect beside others are refused", () => {
  const without = {
    "beam has no effect: a reference is given": { reference: target, beam: 2 },
    "sample has no effect: a reference is given": { reference: target, sample: true },
    "prefix has no effect: a reference is given": { reference: target, prefix: [4] },
  };
  for (const [message, options] of Object.entries(without)) refuses("invalid argument", new RegExp(message), () => model.translate(source, options));
  const scores = [1, 2].map((lengthPenalty) => model.translate(source, { reference: target, lengthPenalty })[0].score);
  assert.notEqual(scores[0], scores[1]);
  refuses("invalid argument", /unknown option 'reference'/, () => model.evaluate(pairs, { reference: "x" }));
  refuses("invalid argument", /hiddenSize of the model is 128; training cannot change it to 64/, () => model.train(pairs, { settings: { hiddenSize: 64 } }));
  model.train(pairs, { settings: { hiddenSize: 128, sourceTokens: "auto", attentionHeads: 0 } }).free();
});

test("every option of a search has an effect", () => {
  const scores = (options) => JSON.stringify(model.translate("我 是 我 的 茶", options).map(({ score, text, targetIds, attention }) => [score, text, targetIds, attention]));
  const beam = scores({ beam: 4, nBest: 4 });
  assert.equal(scores({ nBest: 4 }), beam); // the beam follows
  for (const options of [{ lengthPenalty: 0 }, { lengthNorm: "wu" }, { coveragePenalty: 5 }, { maxLength: 2 }, { maxRatio: 0.3 },
    { overrides: [{ kind: "uniform" }] }, { prefix: [7] }, { prefix: new Uint32Array([7]) }])
    assert.notEqual(scores({ beam: 4, nBest: 4, ...options }), beam, JSON.stringify(options));
  const parts = elman.createModel(pairs, { targetTokens: "bpe", subwords: 10 });
  train(parts, pairs, { epochs: 5 });
  const texts = (options) => parts.translate("我 是 我 的 茶", { nBest: 300, maxLength: 3, ...options }).map(({ text }) => text);
  const different = texts({}), all = texts({ equalTexts: true });
  assert.equal(new Set(different).size, different.length);
  assert.ok(new Set(all).size < all.length);
  const [unknown] = model.translate(source, { prefix: [0] }), [replaced] = model.translate(source, { prefix: [0], replaceUnknown: true });
  assert.ok(unknown.text.includes("<unk>") && !replaced.text.includes("<unk>"), replaced.text);
  const shuffled = (seed) => JSON.stringify(model.translate("我 是 我 的 茶", { overrides: [{ kind: "shuffle" }], seed })[0].attention);
  assert.ok(new Set([1, 2, 3, 4].map(shuffled)).size > 1);
  const [plain] = model.translate(source), [both] = model.translate(source, { selfAttention: true });
  assert.deepEqual([plain.sourceSelfAttention, plain.targetSelfAttention, both.targetSelfAttention], Array(3).fill(undefined));
  const S = both.sourceTokens.length;
  assert.deepEqual(both.sourceSelfAttention.map((head) => head.map((row) => row.length)), [Array(S).fill(S)]);
});

test("texts are strings that the library can read", () => {
  for (const wrong of [5, null, NaN, {}, [], () => 1, true, 1n])
    for (const [name, call] of [["text", () => model.translate(wrong)], ["text", () => model.alternatives(wrong, [], 0, 1)],
      ["source", () => model.trace(wrong, target)], ["target", () => model.trace(source, wrong)], ["source", () => model.attend(wrong, target)], ["target", () => model.gradientCheck(source, wrong)]])
      refuses("invalid argument", new RegExp(`${name} must be a string, not `), call);
  refuses("invalid argument", /text is missing/, () => model.translate());
  refuses("invalid argument", /NUL/, () => model.translate("a\u0000b"));
  refuses("invalid argument", /^text has half of a surrogate pair at position 1$/, () => model.translate("a\ud800"));
  refuses("invalid argument", /^the text has half of a surrogate pair at position 2$/, () => elman.readPairs("a\t\ud800"));
  const circular = {};
  circular.prefix = circular;
  refuses("invalid argument", /no plain value/, () => model.translate(source, circular));
});

test("objects whose properties JSON would not write are refused", () => {
  const hidden = { inherited: Object.create({ beam: 5, epochs: 1 }), "of a class": new (class Options { get beam() { return 5; } })(),
    "not enumerable": Object.defineProperty({}, "beam", { value: 5 }), "with a symbol": { [Symbol("beam")]: 5 } };
  for (const [what, options] of Object.entries(hidden))
    for (const call of [(one) => model.translate(source, one), (one) => model.evaluate(pairs, one), (one) => model.train(pairs, one), (one) => elman.createModel(pairs, one)])
      assert.throws(() => call(options), (error) => error instanceof ElmanError && /must be an object, not an object (of type Options|with inherited or hidden properties)/.test(error.message), what);
  refuses("invalid argument", /must be an object, not an object with inherited/, () => model.train(pairs, Object.create({ dev: pairs })));
  for (const wrong of [new Date(0), new URL("http://localhost"), { toJSON: () => "text" }]) refuses("invalid argument", /text must be a string, not an object/, () => model.translate(wrong));
  refuses("invalid argument", /beam must be a whole number from 1 to 1024, not 2n/, () => model.translate(source, { beam: 2n }));
  for (const thrown of [undefined, null, 5, new Error("mine")]) {
    refuses("invalid argument", /no plain value/, () => model.translate(source, { get beam() { throw thrown; } }));
    refuses("invalid argument", /no plain value/, () => model.train(pairs, { get dev() { throw thrown; } }));
  }
  for (const one of [Object.freeze({ beam: 2 }), Object.assign(Object.create(null), { beam: 2 }), new Proxy({ beam: 2 }, {})])
    assert.deepEqual(model.translate(source, one), model.translate(source, { beam: 2 }));
});

test("a message that ends within a character is an error", () => {
  for (const letter of ["é", "我", "😀"])
    for (let count = 30; count < 140; count++) {
      const word = "x".repeat(count % 4) + letter.repeat(count);
      refuses("invalid argument", /^unknown option '/, () => model.translate(source, { [word]: 1 }));
      refuses("invalid argument", /^unknown option '/, () => elman.createModel(pairs, { [word]: 1 }));
      refuses("invalid argument", /lengthNorm must be /, () => model.translate(source, { lengthNorm: word }));
    }
});

test("objects are of the right type, of this module, and not freed", async () => {
  const other = await Elman.load(), foreign = other.readPairs(TOY), freed = elman.readPairs(TOY);
  freed.free();
  for (const call of [(one) => elman.createModel(one), (one) => model.train(one), (one) => model.evaluate(one), (one) => model.train(pairs, { dev: one })]) {
    for (const wrong of [TOY, 1, null, {}, model, foreign]) refuses("invalid argument", /(pairs|dev) must be an object of type Pairs/, () => call(wrong));
    refuses("invalid argument", /Pairs was freed/, () => call(freed));
  }
  refuses("invalid argument", /pairs must be/, () => elman.createModel());
  const training = model.train(pairs, { epochs: 1 });
  await assert.rejects(training.run(5), (error) => error instanceof ElmanError && /onUpdate must be a function/.test(error.message));
  training.free();
});

test("bytes may be in any buffer or view, at any place", () => {
  const bytes = model.save(), padded = new Uint8Array(bytes.length + 24);
  padded.set(bytes, 8);
  const whole = bytes.slice().buffer, shared = new SharedArrayBuffer(bytes.length);
  new Uint8Array(shared).set(bytes);
  for (const one of [bytes, whole, shared, new DataView(whole), new Int8Array(whole), padded.subarray(8, 8 + bytes.length),
    Buffer.from(padded.buffer, 8, bytes.length), new DataView(padded.buffer, 8, bytes.length)]) {
    const loaded = elman.loadModel(one);
    assert.deepEqual(loaded.save(), bytes);
    loaded.free();
  }
  const gone = bytes.slice();
  structuredClone(gone.buffer, { transfer: [gone.buffer] });
  for (const one of [gone, gone.buffer]) refuses("invalid argument", /the model cannot be read/, () => elman.loadModel(one));
  const text = new TextEncoder().encode(`__${TOY}`);
  assert.equal(elman.readPairs(new DataView(text.buffer, 2)).report.count, 5);
  assert.equal(elman.readPairs(text.slice(2).buffer).report.count, 5);
  for (const wrong of [undefined, null, 5, "text", {}, [1, 2]]) {
    refuses("invalid argument", /the model must be an ArrayBuffer, a typed array, a DataView, a Blob, a File or a Response, not /, () => elman.loadModel(wrong));
    if (typeof wrong !== "string") refuses("invalid argument", /the pairs must be a string, an ArrayBuffer/, () => elman.readPairs(wrong));
  }
});

/** Expect that a promise is rejected with an ElmanError. */
const rejects = (code, message, promise, cause = undefined) => assert.rejects(promise, (error) => {
  assert.ok(error instanceof ElmanError, String(error));
  assert.equal(error.code, code);
  assert.match(error.message, message);
  if (cause !== undefined) assert.equal(error.cause, cause);
  return true;
});

test("a Blob, a File, a Response and a promise of one are waited for", async () => {
  const bytes = model.save(), pending = (content, name) => [new Blob([content]), new File([content], name), new Response(content),
    Promise.resolve(new Response(content)), Promise.resolve(content), new Response(new Blob([content]))];
  for (const one of pending(bytes, "model.safetensors")) {
    const promise = elman.loadModel(one);
    assert.ok(promise instanceof Promise);
    const loaded = await promise;
    assert.deepEqual(loaded.save(), bytes);
    loaded.free();
  }
  for (const one of pending(new TextEncoder().encode(TOY), "pairs.tsv")) assert.equal((await elman.readPairs(one)).report.count, 5);
  const wasm = readFileSync(join(packageFolder, "elman.wasm"));
  for (const one of pending(wasm, "elman.wasm")) assert.equal((await Elman.load(one)).version, elman.version);

  const used = new Response(bytes), problem = new Error("no network");
  await used.arrayBuffer();
  await rejects("no input", /the model cannot be read: .*(unusable|already)/, elman.loadModel(used));
  await rejects("no input", /the model cannot be read: .*ECONNREFUSED|bad port/, elman.loadModel(fetch("http://127.0.0.1:1/")));
  refuses("invalid argument", /not a string; pass the result of fetch\(\) or readFile\(\)$/, () => elman.loadModel("model.safetensors"));
  refuses("invalid argument", /not an object of type URL; pass the result of/, () => elman.loadModel(new URL("file:///model.safetensors")));
  refuses("invalid argument", /^save takes no argument, not a string; it returns the bytes of a file$/, () => model.save("model.safetensors"));
  for (const make of [() => new Elman(), () => new model.constructor(), () => new pairs.constructor()]) refuses("invalid argument", /Elman\.load\(\)/, make);
  await rejects("no input", /the model cannot be read: no network/, elman.loadModel(Promise.reject(problem)), problem);
  for (const load of [(one) => elman.loadModel(one), (one) => elman.readPairs(one), (one) => Elman.load(one)])
    await rejects("no input", /cannot be read: the server answers 404 Not Found/, load(new Response("no such page", { status: 404, statusText: "Not Found" })));
  await rejects("bad data", /./, elman.loadModel(new Blob([bytes.subarray(5)])));
  await rejects("invalid argument", /the model must be .*, not a string/, elman.loadModel(Promise.resolve("text")));
  await rejects("invalid argument", /the model must be .*, not a string/, elman.loadModel({ arrayBuffer: () => "text" }));
  await rejects("bad data", /usable/, elman.readPairs(new Blob(["no tab"])));
});

test("a signal stops a training, which can go on", async () => {
  const whole = elman.createModel(pairs), undisturbed = whole.train(pairs, { epochs: 20 });
  await undisturbed.run();
  undisturbed.free();
  const stopped = elman.createModel(pairs), training = stopped.train(pairs, { epochs: 20 });
  const controller = new AbortController(), reason = new Error("enough");
  let updates = 0;
  await rejects("interrupted", /the training was aborted: enough/, training.run(() => { if (++updates === 7) controller.abort(reason); }, { signal: controller.signal }), reason);
  assert.deepEqual([updates, training.finished, training.last.updatesSoFar], [7, false, 7]);
  await rejects("interrupted", /aborted/, training.run(undefined, { signal: AbortSignal.abort() }));
  assert.equal(training.last.updatesSoFar, 7);
  await training.run(undefined, { signal: new AbortController().signal });
  training.free();
  assert.deepEqual(stopped.save(), whole.save());

  /* A signal that other tasks set, and one that a timer sets. */
  const own = new AbortController();
  for (const begin of [() => AbortSignal.timeout(60), () => (setTimeout(() => own.abort(), 60), own.signal)]) {
    const long = elman.createModel(pairs).train(pairs, { epochs: 1_000_000 });
    await rejects("interrupted", /the training was aborted/, long.run(undefined, { signal: begin() }));
    assert.ok(long.last.updatesSoFar > 0 && !long.finished);
    long.free();
  }
  const other = model.train(pairs, { epochs: 1 });
  for (const wrong of [null, 5, {}, "signal", new AbortController()]) await rejects("invalid argument", /signal must be an AbortSignal, not /, other.run(undefined, { signal: wrong }));
  for (const wrong of [null, 5, AbortSignal.abort()]) await rejects("invalid argument", /options must be an object, not /, other.run(undefined, wrong));
  await rejects("invalid argument", /unknown option 'sginal'; did you mean 'signal'/, other.run(undefined, { sginal: 5 }));
  other.free();
});

test("many texts give other tasks time, and a signal stops them", async () => {
  const texts = toyPairs.map(([text]) => text), options = { beam: 3, nBest: 2 };
  assert.deepEqual(await model.translateAll(texts, options), texts.map((text) => model.translate(text, options)));
  assert.deepEqual(await model.translateAll([]), []);
  let ticks = 0;
  const timer = setInterval(() => ticks++, 1), controller = new AbortController(), reason = new Error("closed");
  await model.translateAll(Array(300).fill(texts[0]), { beam: 20 });
  clearInterval(timer);
  assert.ok(ticks > 0);
  setTimeout(() => controller.abort(reason), 30);
  await rejects("interrupted", /the translation was aborted: closed/, model.translateAll(Array(1_000_000).fill(texts[0]), { signal: controller.signal }), reason);
  await rejects("invalid argument", /unknown option 'beem'; did you mean 'beam'/, model.translateAll(texts, { beem: 3 }));
  await rejects("invalid argument", /text must be a string, not 5/, model.translateAll([5]));
  for (const wrong of [undefined, null, "text", 5]) await rejects("invalid argument", /texts must be an array, not /, model.translateAll(wrong));
  await rejects("invalid argument", /signal must be an AbortSignal/, model.translateAll(texts, { signal: 1 }));
});

test("Symbol.dispose frees, in the order of `using`", () => {
  assert.equal(typeof Symbol.dispose, "symbol");
  const own = elman.readPairs(TOY), learner = elman.createModel(own), training = learner.train(own, { dev: own, epochs: 1 });
  for (const one of [training, learner, own]) one[Symbol.dispose]();
  for (const call of [() => training.advance(1), () => learner.save(), () => elman.createModel(own)]) refuses("invalid argument", /was freed/, call);
  learner[Symbol.dispose]();
});

test("a module that cannot be loaded is an ElmanError", async () => {
  const fails = (source, code, message) => assert.rejects(Elman.load(source), (error) => {
    assert.ok(error instanceof ElmanError, String(error));
    assert.equal(error.code, code);
    assert.match(error.message, message);
    return true;
  });
  await fails("missing.wasm", "no input", /cannot load missing.wasm: /);
  await fails(new URL("file:///missing.wasm"), "no input", /cannot load /);
  await fails("https://localhost:1/elman.wasm", "no input", /cannot load /);
  await fails(new Uint8Array(8), "bad data", /is not the module/);
  await fails(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]), "bad data", /is not the module/); // a module without functions
  for (const wrong of [5, null, {}, () => 1]) await fails(wrong, "invalid argument", /wasm must be /);
  /* A name is relative to the working folder, not to the module. */
  const file = join(packageFolder, "elman.wasm"), bytes = readFileSync(file);
  for (const source of [file, resolve(file), pathToFileURL(resolve(file)), bytes, bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length), new WebAssembly.Module(bytes)])
    assert.equal((await Elman.load(source)).version, elman.version);
});
