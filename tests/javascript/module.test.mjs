/** The JavaScript package alone: learning, translating, files, wrong input. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { DAILY, Elman, TOY, command, folder, packageFolder, refuses, toyPairs, train } from "./common.mjs";

const elman = await Elman.load();

function learnToy(settings = {}, options = {}) {
  const pairs = elman.readPairs(TOY), model = elman.createModel(pairs, settings);
  const found = train(model, pairs, { settings, ...options });
  pairs.free();
  return { model, ...found };
}

test("describes version and hyperparameters", () => {
  assert.equal(elman.version, JSON.parse(readFileSync(`${packageFolder}/package.json`, "utf8")).version);
  const size = elman.hyperparameters.find((row) => row.name === "hiddenSize");
  assert.deepEqual([size.type, size.scope, size.option, size.default], ["size", "model", "hidden-size", 128]);
  assert.ok(elman.hyperparameters.find((row) => row.name === "attention").choices.includes("scaled"));
});

test("learns the toy and translates it", () => {
  const { model, reports } = learnToy();
  for (const [source, target] of toyPairs) assert.equal(model.translate(source)[0].text, target);
  assert.ok(reports.at(-1).loss < 0.01 && reports[0].loss > 2);
  assert.equal(model.info.history.updates, reports.length);
  model.free();
});

test("translates between updates without changing what is learned", () => {
  const pairs = elman.readPairs(TOY), settings = { dropout: 0.1 };
  const files = [false, true].map((looks) => {
    const model = elman.createModel(pairs, settings), training = model.train(pairs, { settings, epochs: 20 });
    while (!training.finished) {
      training.advance(1);
      if (looks) model.translate(toyPairs[0][0], { beam: 3 });
    }
    training.finish();
    return model.save();
  });
  assert.deepEqual(files[0], files[1]);
});

test("a saved model translates the same after loading", () => {
  const { model } = learnToy({ cell: "gru", attention: "additive" }, { epochs: 60 });
  const loaded = elman.loadModel(model.save());
  assert.deepEqual(loaded.save(), model.save());
  for (const [source] of toyPairs) assert.deepEqual(loaded.translate(source), model.translate(source));
});

test("translations have tokens, positions, attention and probabilities", () => {
  const { model } = learnToy({ sourceTokens: "chars" });
  const source = "他𠮷在喝茶", [best] = model.translate(source);
  assert.equal(best.source, source);
  const words = best.sourceSpans.map(([start, end]) => source.slice(start, end));
  assert.deepEqual(words, ["他", "𠮷", "在", "喝", "茶"]); // 𠮷 has two UTF-16 units
  assert.deepEqual(best.sourceKnown, [true, false, true, true, true]);
  assert.equal(best.attention.length, best.targetTokens.length);
  for (const row of best.attention) assert.ok(Math.abs(row.reduce((a, b) => a + b) - 1) < 1e-5);
  const sum = best.logProbabilities.reduce((a, b) => a + b);
  assert.ok(Math.abs(sum - best.logProbability) < 1e-9);
});

test("searches: n-best, alternatives, prefix, reference, override, sample", () => {
  const { model } = learnToy({}, { epochs: 60 }), [source, target] = toyPairs[1];
  const list = model.translate(source, { beam: 5, nBest: 5 });
  assert.equal(list.length, 5);
  for (let i = 1; i < 5; i++) assert.ok(list[i].score <= list[i - 1].score);
  const [best] = model.translate(source);
  const choices = model.alternatives(source, best.targetIds, 1, 4);
  assert.equal(choices.length, 4);
  assert.equal(choices[0].id, best.targetIds[1]);
  assert.ok(Math.abs(choices[0].probability - Math.exp(best.logProbabilities[1])) < 1e-5);
  const prefix = [best.targetIds[0], choices[1].id], [other] = model.translate(source, { prefix });
  assert.deepEqual(other.targetIds.slice(0, 2), prefix);
  const [forced] = model.translate(source, { reference: target });
  assert.ok(forced.forced && forced.text === target);
  const overrides = [{ kind: "cell", row: 1, column: 0, weight: 0.75 }];
  assert.ok(Math.abs(model.translate(source, { overrides })[0].attention[1][0] - 0.75) < 1e-6);
  const draw = (seed) => model.translate(source, { sample: true, temperature: 2, seed })[0].text;
  assert.equal(draw(7), draw(7));
  assert.ok(new Set([1, 2, 3, 4, 5, 6, 7, 8].map(draw)).size > 1);
});

test("texts are split into sentences, and translations that are probably wrong have a warning", () => {
  const { model } = learnToy(), sources = toyPairs.slice(0, 2).map(([source]) => `${source}。`), text = `𠮷😀 ${sources.join(" ")}`;
  const [best] = model.translate(text), parts = [`𠮷😀 ${sources[0]}`, sources[1]].map((source) => model.translate(source)[0]);
  assert.equal(best.text, parts.map((one) => one.text).join(" "));
  assert.deepEqual(best.sentences.map(({ sourceSpan }) => text.slice(...sourceSpan)), parts.map(({ source }) => source));
  assert.deepEqual(best.sentences.map(({ textSpan }) => best.text.slice(...textSpan)), parts.map((one) => one.text));
  best.sentences.forEach(({ sourceTokens: [, sources], targetTokens: [first, end] }, k) => {
    assert.deepEqual(best.targetIds.slice(first, end), parts[k].targetIds);
    for (const row of best.attention.slice(first, end)) assert.ok(row.every((weight, s) => k === 0 ? s < sources || weight === 0 : s >= best.sentences[0].sourceTokens[1] || weight === 0));
  });
  assert.equal(parts[0].sentences, undefined);
  assert.notEqual(model.translate(text, { splitSentences: "off" })[0].text, best.text);
  for (let count = 1; count < best.targetIds.length; count++)
    assert.equal(model.translate(text, { prefix: best.targetIds.slice(0, count) })[0].text, best.text);
  const list = model.translate(text, { nBest: 4 });
  assert.equal(new Set(list.map((one) => one.text)).size, 4);
  for (let i = 1; i < 4; i++) assert.ok(list[i].score <= list[i - 1].score && list[i].warning === undefined);
  const place = { overrides: [{ kind: "position", column: 0 }] };
  assert.equal(model.translate(text, place)[0].sentences, undefined);
  refuses("invalid argument", /an override of a position or cell/, () => model.translate(text, { ...place, splitSentences: "on" }));
  assert.equal(model.translate(toyPairs[0][0])[0].warning, undefined);
  const { kind, message } = model.translate("How are you?")[0].warning;
  assert.ok(kind === "script" && message.includes("mostly in Latin script"));
  model.free();
});

test("validates on dev pairs and keeps the best model", () => {
  const pairs = elman.readPairs(TOY), model = elman.createModel(pairs);
  const { validations } = train(model, pairs, { dev: pairs, epochs: 30 });
  assert.equal(validations.length, 30);
  assert.ok(validations.at(-1).loss < validations[0].loss);
  const scores = model.evaluate(pairs, { beam: 2 });
  assert.equal(scores.sentences, 5);
  assert.ok(scores.perplexity >= 1);
});

test("run() reports updates, stops, and gives other tasks time", async () => {
  const pairs = elman.readPairs(DAILY), model = elman.createModel(pairs), training = model.train(pairs, { epochs: 1 });
  let ticks = 0, updates = 0;
  const timer = setInterval(() => ticks++, 1);
  await training.run(() => ++updates < 40);
  clearInterval(timer);
  assert.equal(updates, 40);
  assert.ok(ticks > 0 && training.finished);
  assert.equal(model.info.history.updates, 40);
});

test("gradient check and trace", () => {
  const { model } = learnToy({ cell: "lstm" }, { epochs: 20 }), [source, target] = toyPairs[0];
  const report = model.gradientCheck(source, target, { samples: 5 });
  assert.ok(report.passed && !report.failed && report.tensors.length > 10);
  const trace = model.trace(source, target, 2);
  assert.equal(trace.losses.length, trace.targetTokens.length);
  assert.equal(trace.layers[0].states.length, trace.sourceTokens.length);
  for (const { states, units, hidden } of trace.layers) {
    assert.deepEqual(hidden.map((row) => row.length), states.map(() => units));
    assert.ok(hidden.flat().every((h) => Math.abs(h) <= 1) && hidden.flat().some((h) => h !== 0));
  }
});

test("attention in numbers: the equations (6), (7) and (8)", () => {
  const { model } = learnToy({ attention: "scaled", hiddenSize: 16, embeddingSize: 8 }, { epochs: 20 }), [source, target] = toyPairs[0];
  const { keys, queries, scores: [scores], weights: [weights], contexts } = model.attend(source, target);
  const dot = (one, other) => one.reduce((sum, value, i) => sum + value * other[i], 0), near = (a, b) => assert.ok(Math.abs(a - b) < 1e-5, `${a} ${b}`);
  queries.forEach((query, t) => {
    keys.forEach((key, s) => near(scores[t][s], dot(query, key) / 4));
    const sum = scores[t].reduce((total, score) => total + Math.exp(score), 0);
    scores[t].forEach((score, s) => near(weights[t][s], Math.exp(score) / sum));
    contexts[t].forEach((value, i) => near(value, keys.reduce((total, key, s) => total + weights[t][s] * key[i], 0)));
  });
  const { model: other } = learnToy({ encoderSelfAttention: 1 }, { epochs: 1 });
  refuses("invalid argument", /self-attention/, () => other.attend(source, target));
});

test("settings of validation are taken with dev pairs, and refused without", () => {
  const pairs = elman.readPairs(TOY);
  for (const settings of [{ validateBy: "loss" }, { patience: 3 }, { validateEvery: 1 }, { bleuTokens: "none" }, { schedule: "plateau" }]) {
    const model = elman.createModel(pairs);
    refuses("invalid argument", / needs dev$/, () => model.train(pairs, { settings }));
    const { validations } = train(model, pairs, { settings, dev: pairs, epochs: 3 });
    if (settings.validateBy) assert.ok(validations.every(({ measure }) => measure === "loss"));
    model.free();
  }
});

test("attend() follows parameters of attention that training changes", async () => {
  const pairs = elman.readPairs(TOY), model = elman.createModel(pairs, { attention: "additive" }), [[source, target]] = toyPairs;
  const isNew = () => {
    const [forced] = model.translate(source, { reference: target }), { weights: [weights] } = model.attend(source, target);
    weights.forEach((row, t) => row.forEach((weight, s) => assert.ok(Math.abs(weight - forced.attention[t][s]) < 1e-5)));
    return weights;
  };
  const before = isNew();
  assert.deepEqual(isNew(), before);
  await model.train(pairs, { epochs: 20 }).run();
  assert.notDeepEqual(isNew(), before);
});

test("wrong pairs are refused with their lines", () => {
  const pairs = elman.readPairs("一\tone\nno tab\n二\t\n三\tthree\n");
  assert.deepEqual([pairs.report.count, pairs.report.skipped.map((each) => each.line)], [2, [2, 3]]);
  assert.ok(pairs.report.skipped.every((each) => each.fault && each.problem));
  refuses("bad data", /usable/, () => elman.readPairs(""));
  refuses("bad data", /usable|UTF-8/, () => elman.readPairs(new Uint8Array([0xe4, 0xb8, 9, 65, 10])));
});

test("a preset gives the parameters of the command's model, and notes what it changes", () => {
  const settings = { preset: "quick", hiddenSize: 8, embeddingSize: 8, bidirectional: false, arithmetic: "portable" };
  const pairs = elman.readPairs(TOY), model = elman.createModel(pairs, settings);
  const training = model.train(pairs, { settings, epochs: 2 });
  while (!training.finished) training.advance(50);
  training.finish();
  writeFileSync(join(folder, "toy.tsv"), TOY);
  command("train", "--quiet", "--preset", "quick", "--hidden-size", "8", "--embedding-size", "8", "--no-bidirectional", "--arithmetic",
    "portable", "--epochs", "2", "--output", join(folder, "quick"), join(folder, "toy.tsv"));
  const theirs = elman.loadModel(readFileSync(join(folder, "quick")));
  assert.deepEqual(model.info.settings, theirs.info.settings);
  assert.equal(model.translate("我 爱 学习")[0].text, theirs.translate("我 爱 学习")[0].text);
  assert.match(training.notes.join(), /^preset quick is made for 2454 updates, and this run has about 2; this run uses learning rate /);
  const words = { ...settings, sourceTokens: "words", targetTokens: "words" };
  assert.deepEqual(elman.createModel(pairs, words).notes, ["preset quick: without bpe, subwords does not apply"]);
  assert.deepEqual(elman.createModel(pairs).notes, []);
  refuses("invalid argument", /^preset must be one of plain, quick, .*, not 'smalls'$/, () => elman.createModel(pairs, { preset: "smalls" }));
});

test("messages name the options as they are written here", () => {
  const pairs = elman.readPairs(TOY), model = elman.createModel(pairs, { hiddenSize: 8 });
  const train = (settings, dev) => () => model.train(pairs, { settings, ...(dev ? { dev: pairs } : {}) });
  refuses("invalid argument", /raise the limit \(batchTokens\) or skip long pairs \(maxLength\)$/, train({ batchTokens: 3 }));
  refuses("bad data", /raise the maximum length \(maxLength\)/, train({ maxLength: 1 }));
  refuses("invalid argument", /^subwordDropout cannot be combined with guideWeight$/, train({ subwordDropout: 0.1, guideWeight: 0.3 }));
  refuses("invalid argument", /^patience 2 needs dev$/, train({ patience: 2 }));
  train({ patience: 2 }, true)().free();
  assert.equal(elman.readPairs("a\tb\n" + "a ".repeat(1 << 24) + "\tb\n").report.count, 2);
  refuses("bad data", /the first, pairs:1, has 1 column.* on each line$/, () => elman.readPairs("one column\n"));
  for (const option of ["preset", "learningRate", "hiddenSize"])
    refuses("invalid argument", new RegExp(`^unknown option '${option}'; it is one of the settings$`), () => model.train(pairs, { [option]: 1 }));
});

test("sizes that do not fit in memory are refused", () => {
  const pairs = elman.readPairs(TOY), model = elman.createModel(pairs);
  refuses("no memory", /memory/, () => elman.createModel(pairs, { hiddenSize: 16384, embeddingSize: 16384, layers: 8 }));
  model.translate("我"); // still works
});

test("a training resumes from its checkpoint as if it had never stopped", () => {
  for (const settings of [{ dropout: 0.1 }, { cell: "gru", average: 0.9, batchSize: 2 }]) {
    for (const dev of [false, true]) {
      const pairs = elman.readPairs(TOY), whole = elman.createModel(pairs, settings);
      const options = { settings, epochs: 12, ...(dev ? { dev: pairs } : {}) };
      const training = whole.train(pairs, options);
      training.advance(5);
      const checkpoint = training.checkpoint(), bytes = whole.save(), rest = [];
      while (!training.finished) rest.push(...training.advance(1).reports);
      training.finish();
      /* A run may resume with a new model, or with the model that was saved with the checkpoint. */
      for (const model of [elman.createModel(pairs, settings), elman.loadModel(bytes)]) {
        const again = model.train(pairs, { ...options, checkpoint }), reports = [];
        while (!again.finished) reports.push(...again.advance(1).reports);
        again.finish();
        assert.deepEqual(reports, rest);
        assert.deepEqual(model.save(), whole.save());
      }
      refuses("invalid argument", /another run/, () => elman.loadModel(whole.save()).train(pairs, { ...options, checkpoint }));
      refuses("invalid argument", /another run/, () =>
        elman.createModel(pairs, settings).train(pairs, { ...options, settings: { ...settings, batchSize: 3 }, checkpoint }));
      refuses("bad data", /safetensors/, () => elman.createModel(pairs, settings).train(pairs, { ...options, checkpoint: bytes.subarray(5) }));
      refuses("invalid argument", /has ended/, () => training.checkpoint());
    }
  }
});

test("damaged model files are refused, wherever the damage is", () => {
  const { model } = learnToy({ hiddenSize: 8, embeddingSize: 8 }, { epochs: 1 }), bytes = model.save();
  for (const size of [0, 7, 8, 100, bytes.length - 1])
    refuses("bad data", /./, () => elman.loadModel(bytes.subarray(0, size)));
  for (let at = 0; at < bytes.length; at += Math.ceil(bytes.length / 60)) {
    const damaged = bytes.slice();
    damaged[at] ^= 0x41;
    refuses("bad data", /./, () => elman.loadModel(damaged));
  }
  elman.loadModel(bytes).free();
});

test("freed objects are refused; objects in use cannot be freed", () => {
  const pairs = elman.readPairs(TOY), model = elman.createModel(pairs), training = model.train(pairs, { dev: pairs });
  refuses("invalid argument", /free the training first/, () => model.free());
  refuses("invalid argument", /free the training first/, () => pairs.free());
  training.advance(1);
  training.free();
  training.free();
  refuses("invalid argument", /was freed/, () => training.advance(1));
  model.free();
  refuses("invalid argument", /was freed/, () => model.translate("我"));
  pairs.free();
});

test("memory stays flat over 200 epochs and many objects", () => {
  const pairs = elman.readPairs(TOY);
  let before = 0;
  for (let i = 0; i < 30; i++) {
    const model = elman.createModel(pairs, { hiddenSize: 64 });
    train(model, pairs, { epochs: i === 0 ? 200 : 5 });
    model.translate(toyPairs[0][0], { beam: 5, nBest: 5 });
    model.free();
    if (i === 4) before = elman.memory;
  }
  assert.equal(elman.memory, before);
});
