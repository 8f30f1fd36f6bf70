/** The module and the command agree: with the same model, their results are equal up to rounding; in portable
 * arithmetic, they train models with equal bytes. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";

import { Elman, command, folder, toyPairs, train, TOY } from "./common.mjs";

const elman = await Elman.load();
const choices = (name) => elman.hyperparameters.find((row) => row.name === name).choices;

/* A value passes through at most 16 steps, and each adds sums of at most 512 terms. The bound is the sum of the unit
 * roundoffs. Outputs of double precision are printed with 9 digits. */
const FLOAT_BOUND = 16 * 512 * 2 ** -24, PRINTED_BOUND = 1e-8;

function isClose(found, expected, bound, what) {
  const difference = Math.abs(found - expected);
  assert.ok(difference <= bound * Math.max(1, Math.abs(expected)), `${what}: ${found}, the command: ${expected}`);
}

function areClose(found, expected, bound, what) {
  assert.equal(found.length, expected.length, what);
  found.forEach((value, i) =>
    Array.isArray(value) ? areClose(value, expected[i], bound, `${what}[${i}]`) : isClose(value, expected[i], bound, `${what}[${i}]`));
}

const SMALL = ["--hidden-size", "32", "--embedding-size", "32"];
const variants = [
  ...choices("cell").map((name) => [`cell ${name}`, "--cell", name, "--attention", "scaled"]),
  ...choices("attention").map((name) => [`attention ${name}`, "--attention", name]),
  ["two layers", "--layers", "2", "--residual", "--bidirectional", "--cell", "gru"],
  ["input feeding", "--input-feeding", "--attentional-layer", "--tie-embeddings"],
  ["layer norm", "--layer-norm", "--encoder-self-attention", "2", "--decoder-self-attention", "2"],
  ["subwords", "--subwords", "20", "--source-tokens", "chars", "--target-tokens", "bpe"],
];

for (const [name, ...options] of variants) {
  test(`${name}: translations, attention, trace and gradients`, () => {
    const file = `${folder}/${name.replace(/ /g, "-")}.safetensors`;
    command("train", "-q", "-t", "1", ...SMALL, ...options, "--epochs", "60", "-o", file, "data/toy.zh-en.tsv");
    const model = elman.loadModel(readFileSync(file));
    for (const [source] of toyPairs.slice(0, 3)) {
      const expected = JSON.parse(command("attention", "-q", "-m", file, "--beam", "3", "--format", "json", "--units", "tokens",
        source).trim().split("\n").at(-1));
      const [found] = model.translate(source, { beam: 3 });
      assert.equal(found.text, expected.text);
      assert.deepEqual(found.targetTokens, expected.target_tokens);
      isClose(found.logProbability, expected.log_probability, FLOAT_BOUND, "log probability");
      areClose(found.headAttention.length > 1 ? found.headAttention : found.attention,
        found.headAttention.length > 1 ? expected.head_attention : expected.attention, FLOAT_BOUND, "attention");
    }
    const [source, target] = toyPairs[0];
    const trace = JSON.parse(command("trace", "-m", file, "--json", source, target)), own = model.trace(source, target);
    areClose(own.losses, trace.losses, PRINTED_BOUND, "losses");
    own.layers.forEach((layer, i) => areClose(layer.states, trace.layers[i].states, PRINTED_BOUND, "gradient norms"));
    if (!options.includes("--encoder-self-attention")) {
      const [forced] = model.translate(source, { reference: target }), attended = model.attend(source, target);
      areClose(attended.weights, forced.headAttention, FLOAT_BOUND, "weights of attend()");
      assert.deepEqual([attended.sourceTokens, attended.targetTokens], [forced.sourceTokens, forced.targetTokens]);
    }
    const check = JSON.parse(command("gradcheck", "-m", file, "--json", "--samples", "5", source, target));
    const report = model.gradientCheck(source, target, { samples: 5 });
    assert.equal(report.failed, false);
    const norms = (tensors) => tensors.filter((each) => each.verdict !== "tied").map((each) => each.analytic);
    areClose(norms(report.tensors), norms(check.tensors), PRINTED_BOUND, "gradients");
    model.free();
  });
}

/* Products of eight bits are exact, so only other functions round, such as tanh: with portable arithmetic, they are equal,
 * too. The command prints nine digits of each number. */
test("eight bits: the file of the command has the same results, bit for bit", () => {
  const [file, eight] = ["portable", "eight"].map((name) => `${folder}/${name}.safetensors`);
  command("train", "-q", "-t", "1", "--preset", "plain", "--cell", "gru", "--attention", "additive", "--hidden-size", "70", "--arithmetic",
    "portable", "--epochs", "30", "-f", "-o", file, "data/toy.zh-en.tsv");
  command("convert", "-q", "-m", file, "--dtype", "int8", "-o", eight);
  const whole = elman.loadModel(readFileSync(file)), model = elman.loadModel(readFileSync(eight));
  assert.equal(model.info.translatePrecision, "int8");
  assert.equal(whole.info.translatePrecision, "float32");
  for (const [source] of toyPairs.slice(0, 8)) {
    const expected = JSON.parse(command("attention", "-q", "-m", eight, "--beam", "3", "--format", "json", "--units", "tokens",
      source).trim().split("\n").at(-1));
    const [found] = model.translate(source, { beam: 3 });
    const printed = JSON.parse(JSON.stringify([found.text, found.logProbability, found.attention],
      (_, value) => typeof value === "number" ? Number(value.toPrecision(9)) : value));
    assert.deepEqual(printed, [expected.text, expected.log_probability, expected.attention]);
    assert.deepEqual(found, whole.translate(source, { beam: 3, precision: "int8" })[0]);
    assert.notEqual(found.logProbability, model.translate(source, { beam: 3, precision: "float32" })[0].logProbability);
    const first = model.alternatives(source, [], 0, 3)[0], [greedy] = model.translate(source);
    assert.equal(first.token, greedy.targetTokens[0]);
    isClose(Math.log(first.probability), greedy.logProbabilities[0], PRINTED_BOUND, "the alternatives are of this precision");
  }
  model.free();
  whole.free();
});

test("a model trained in the module translates the same with the command", () => {
  const pairs = elman.readPairs(TOY), model = elman.createModel(pairs, { attention: "scaled" });
  train(model, pairs, { epochs: 100 });
  writeFileSync(`${folder}/module.safetensors`, model.save());
  for (const [source] of toyPairs)
    assert.equal(command("translate", "-q", "-m", `${folder}/module.safetensors`, source).trim(), model.translate(source)[0].text);
});

test("fast arithmetic: the losses of the first updates agree to rounding", () => {
  const log = `${folder}/log.jsonl`, file = `${folder}/fast.safetensors`;
  command("train", "-q", "-t", "1", ...SMALL, "--epochs", "5", "--log", log, "-o", file, "data/toy.zh-en.tsv");
  const expected = readFileSync(log, "utf8").trim().split("\n").map((line) => JSON.parse(line))
    .filter((event) => event.event === "epoch" || event.event === "update");
  const settings = { hiddenSize: 32, embeddingSize: 32 }, pairs = elman.readPairs(TOY);
  const { reports } = train(elman.createModel(pairs, settings), pairs, { settings, epochs: 5 });
  const last = expected.at(-1);
  isClose(reports.at(-1).loss, last.epoch_loss ?? last.loss, FLOAT_BOUND, "loss of the last epoch");
});

for (const [name, settings, ...options] of [
  ["Elman cell", {}],
  ["GRU with R-Drop", { cell: "gru", dropout: 0.2, rDrop: 3, attention: "additive", average: 0.9, labelSmoothing: 0.1 }, "--cell", "gru",
    "--dropout", "0.2", "--r-drop", "3", "--attention", "additive", "--average", "0.9", "--label-smoothing", "0.1"],
  ["subwords", { sourceTokens: "chars", targetTokens: "bpe", subwords: 20, subwordDropout: 0.1 }, "--source-tokens", "chars",
    "--target-tokens", "bpe", "--subwords", "20", "--subword-dropout", "0.1"],
  ["augmentation", { sourceTokens: "chars", targetTokens: "bpe", subwords: 20, merge: 0.4, copyNoise: 0.4, typos: 0.5, dropMarks: 0.1 },
    "--source-tokens", "chars", "--target-tokens", "bpe", "--subwords", "20", "--merge", "0.4", "--copy-noise", "0.4", "--typos", "0.5",
    "--drop-marks", "0.1"],
  ["bfloat16", { precision: "bfloat16", cell: "lstm" }, "--precision", "bfloat16", "--cell", "lstm"],
]) {
  test(`portable arithmetic, ${name}: the model has the same bytes`, () => {
    const file = `${folder}/portable.safetensors`;
    command("train", "-q", ...SMALL, "--arithmetic", "portable", ...options, "--epochs", "10", "-o", file, "data/toy.zh-en.tsv");
    const all = { hiddenSize: 32, embeddingSize: 32, arithmetic: "portable", sourceLanguage: "zh", targetLanguage: "en", ...settings };
    const pairs = elman.readPairs(TOY);
    const model = elman.createModel(pairs, all);
    train(model, pairs, { settings: all, epochs: 10 });
    assert.deepEqual(Buffer.from(model.save()), readFileSync(file));
  });
}
