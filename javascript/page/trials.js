/* Networks that a lesson trains and that no view shows, and the measures that lessons quote. */

const TRIAL = "trial";
let trial = null; // {run, failed}

const pauseFor = (milliseconds) => new Promise((go) => { setTimeout(go, milliseconds); });

/* The error that ends an act of a lesson early: reportError() is silent about it. */
const leftLesson = () => new Refusal({ message: "stopped", code: "stopped", where: "" });

/* Resolve as the promise does. Refuse if the lesson has moved on meanwhile. */
async function here(promise) {
  const { turn } = lesson, value = await promise;
  if (lesson.turn !== turn) throw leftLesson();
  return value;
}

/* Resolve when the condition is true. Refuse if the act was left: the lesson moved on, or `still` is false. */
async function untilTrue(condition, still = () => true) {
  const { turn } = lesson;
  while (!condition()) {
    if (lesson.turn !== turn || !still()) throw leftLesson();
    await pauseFor(50);
  }
}

const learnedMain = () => {
  const { run } = state;
  return untilTrue(() => run.status === "finished", () => state.run === run);
};
const learnedBoth = () => {
  const runs = SIDES.map((name) => compared[name].run);
  return untilTrue(compareFinished, () => SIDES.every((name, at) => compared[name].run === runs[at]));
};

/* Train a network on the pairs of the page, with more settings, and return its run. The network stays in the slot TRIAL. */
async function tryNetwork(settings, epochs = state.epochs, texts = {}) {
  trial = { run: newRun(), failed: null };
  const values = { ...learnArguments(TRIAL, { ...state.settings, ...settings }), epochs, watched: "", ...texts };
  await here(engine.call("create", values));
  await here(engine.call("run", values));
  const { run } = trial;
  await untilTrue(() => run.status === "finished" || trial?.failed, () => trial?.run === run);
  if (trial.failed) throw trial.failed;
  return run;
}

function trialProgress(event) {
  if (trial === null) return;
  addProgress(trial.run, event);
  if (lesson.busy) write(byId("lesson-hint"), t("epoch.of", { epoch: event.epoch, epochs: event.epochs }));
}

async function dropTrial() {
  trial = null;
  await engine.call("drop", { slot: TRIAL });
}

/* Return the translations of pairs [source, target] by a network: {source, target, free, forced}, where `forced` has the
 * target as its translation. */
async function translationsOf(list, { slot = "main", beam = 1, forced: isForced = false } = {}) {
  const found = [];
  for (const [source, target] of list) {
    const [free] = await here(engine.call("translate", { slot, text: source, options: { beam, splitSentences: "off" } }));
    const [forced] = isForced ? await here(engine.call("translate", { slot, text: source, options: { reference: target } })) : [];
    if (free !== undefined) found.push({ source, target, free, forced });
  }
  return found;
}

const pairsOf = (lines) => lines.map((line) => sidesOf(line).map((side) => side.trim())).filter(([source, target]) => source !== "" && target !== "");
const exactOf = (found) => found.filter(({ free, target }) => free.text === target).length;

/* Return how many words must be changed, added or removed to make one list of the other (Levenshtein). */
function distanceOf(one, other) {
  let row = other.map((_, at) => at + 1);
  row.unshift(0);
  one.forEach((word, i) => {
    const next = [i + 1];
    other.forEach((with_, j) => next.push(Math.min(next[j] + 1, row[j + 1] + 1, row[j] + (word === with_ ? 0 : 1))));
    row = next;
  });
  return row.at(-1);
}

const wordsIn = (text) => text.split(" ").filter(Boolean);
const largest = (list, measure) => list.reduce((best, one) => (best === null || measure(one) > measure(best) ? one : best), null);
