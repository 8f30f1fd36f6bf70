/* Two networks side by side on the same pairs and seed. */

/* The comparisons: for each network, the settings that it changes. */
const CONTRASTS = {
  scale: [{ attention: "dot" }, { attention: "scaled" }],
  cell: [{ cell: "elman" }, { cell: "gru" }],
  memory: [{ cell: "elman" }, { cell: "relu" }],
  score: [{ attention: "dot" }, { attention: "additive" }],
  size: [{ hiddenSize: 16, embeddingSize: 16 }, { hiddenSize: 128, embeddingSize: 128 }],
  rate: [{ learningRate: 0.001 }, { learningRate: 0.01 }],
};
const COMPARED = ["attention", "cell", "hiddenSize", "learningRate"];
const SIDES = ["a", "b"];

const compared = { a: null, b: null, what: "scale", sentence: "", signature: "", busy: false };
let compareCurve = null;

function chooseContrast(what) {
  compared.what = what;
  byId("compare-what").value = what;
  SIDES.forEach((name, at) => { compared[name].settings = { ...CONTRASTS[what][at] }; });
  for (const name of SIDES) drawCompareSettings(name);
  drawCompare();
}

/* A side has the settings of the view "Learn", except those that it overrides. */
const settingsOfSide = (side) => Object.fromEntries(Object.entries({ ...state.settings, ...side.settings })
  .filter(([name, value]) => hyperparameter(name) && hyperparameter(name).default !== value));

/* A network is named after the settings in which it differs from the other one. A network that exists is named by the
 * values with which it was created. */
function nameOfSide(side) {
  const value = (one, name) => (one.run.values ?? valuesOfSide(one))[name];
  const differing = COMPARED.filter((name) => value(side, name) !== value(compared[side.name === "a" ? "b" : "a"], name));
  return differing.length === 0 ? side.name.toUpperCase()
    : differing.map((name) => (typeof value(side, name) === "number" ? `${labelOf(hyperparameter(name))} ${value(side, name)}` : value(side, name))).join(", ");
}

const valueOfSide = (side, name) => (name in side.settings ? side.settings[name] : valueOf(name));
const valuesOfSide = (side) => Object.fromEntries(COMPARED.map((name) => [name, valueOfSide(side, name)]));

function drawSideNames() {
  for (const name of SIDES) write(byId(`compare-${name}-title`), `${name.toUpperCase()}: ${nameOfSide(compared[name])}`);
}

function buildSide(name) {
  const holder = byId(`compare-${name}`);
  holder.replaceChildren(element("div", { class: "card-head" }, element("h2", { id: `compare-${name}-title` })),
    element("div", { class: "row settings-row", id: `compare-${name}-settings` }), element("p", { class: "faint", id: `compare-${name}-facts` }),
    element("p", { class: "watched", id: `compare-${name}-text` }), element("div", { class: "map-holder", id: `compare-${name}-map` }));
  compared[name].map = new HeatMap(byId(`compare-${name}-map`), { caption: () => `${t("map.caption")}: ${nameOfSide(compared[name])}` });
  compared[name].map.empty(t("map.empty"));
}

function drawCompareSettings(name) {
  if (state.hyperparameters.length === 0) return;
  const side = compared[name];
  byId(`compare-${name}-settings`).replaceChildren(...COMPARED.map(hyperparameter).filter(Boolean).map((one) => {
    const id = `compare-${name}-${one.name}`;
    return element("label", { for: id }, element("span", {}, labelOf(one)), ...control(one, id, valueOfSide(side, one.name), (value) => {
      side.settings[one.name] = value;
      drawSideNames();
      drawCompare();
    }));
  }));
  drawSideNames();
}

function drawCompareChoices() {
  byId("compare-what").replaceChildren(...Object.keys(CONTRASTS).map((key) => new Option(t(`compare.${key}`), key)));
  byId("compare-what").value = compared.what;
  const sources = [...new Set([...pairs.lines.slice(0, 100), ...givenLines(), `${state.watched}\t`].map((line) => sidesOf(line)[0].trim()).filter(Boolean))];
  if (!sources.includes(compared.sentence)) compared.sentence = sources.includes(state.watched) ? state.watched : sources[0] || "";
  byId("compare-sentence").replaceChildren(...sources.map((source) => new Option(visible(source), source)));
  byId("compare-sentence").value = compared.sentence;
}

/* ---- Learning ---- */

const compareRunning = () => SIDES.some((name) => compared[name].run.status === "running");
const compareSignature = () => JSON.stringify([state.now, state.epochs, ...SIDES.map((name) => settingsOfSide(compared[name]))]);
const compareExists = () => SIDES.every((name) => compared[name].run.status !== "none");
const compareStarted = () => compareExists() && compared.signature === compareSignature();
const compareFinished = () => SIDES.every((name) => compared[name].run.status === "finished");

function drawCompareButtons() {
  const label = compareRunning() ? "pause" : !compareExists() ? "start" : !compareStarted() || compareFinished() ? "start.again" : "continue";
  byId("compare-start").textContent = t(label);
  byId("compare-start").disabled = !state.ready || compared.busy;
  byId("compare-status").setAttribute("aria-busy", String(compared.busy));
  byId("compare-reset").disabled = SIDES.every((name) => compared[name].run.status === "none");
}

async function compareStartOrPause() {
  if (compareRunning()) {
    for (const slot of SIDES) await engine.call("pause", { slot });
    return;
  }
  if (!settingsAreValid("#view-compare")) return;
  if (!compareStarted() || compareFinished()) {
    const wanted = compareSignature();
    compared.busy = true;
    drawCompare();
    watchWorker();
    try {
      for (const slot of SIDES) {
        const side = compared[slot], values = valuesOfSide(side);
        const { info } = await engine.call("create", { ...learnArguments(slot, settingsOfSide(side)), watched: compared.sentence });
        Object.assign(side, { info, run: Object.assign(newRun(), { values, status: "paused" }) });
        clearSide(slot);
      }
    } finally {
      compared.busy = false;
      watchWorker();
      drawCompare();
    }
    compared.signature = wanted;
  }
  untell("compare");
  for (const slot of SIDES) {
    if (compared[slot].run.status === "finished") continue;
    compared[slot].run.status = "running";
    await engine.call("run", learnArguments(slot, settingsOfSide(compared[slot])));
  }
  drawCompare();
}

function clearSide(name) {
  compared[name].map.empty(t("map.empty"));
  for (const part of ["facts", "text"]) byId(`compare-${name}-${part}`).replaceChildren();
}

async function compareReset() {
  for (const slot of SIDES) {
    await engine.call("drop", { slot });
    compared[slot].run = newRun();
    clearSide(slot);
  }
  drawCompare();
}

function compareProgress(event) {
  addProgress(compared[event.slot].run, event);
  drawCompare();
}

function compareError(error) {
  if (error.code === "stopped") return;
  tell("compare", () => wordsOf(error), { bad: true });
  for (const name of SIDES) if (compared[name].run.status === "running" && error.code === "broken") compared[name].run.status = "none";
  drawCompareButtons();
}

/* ---- Drawing ---- */

/* The loss of the epoch whose parameters the network has. */
const lossOf = (run) => run.ends.find(([epoch]) => epoch === run.best)?.[1] ?? run.last.loss;

const drawCompare = eachFrame(() => {
  if (state.view !== "compare") return;
  drawCompareButtons();
  const series = SIDES.flatMap((name, at) => {
    const { run } = compared[name];
    const ink = at === 0 ? "accent" : "second";
    return [{ name: nameOfSide(compared[name]), points: pointsOf(run), ink, dashed: at === 1 }];
  });
  compareCurve.show({ series, across: Math.max(state.epochs, ...SIDES.map((name) => compared[name].run.epochs)), label: t("compare.curve") });
  document.querySelector('[data-export="compare-curve"]').hidden = compareCurve.isEmpty();
  byId("compare-legend").replaceChildren(...legendOf(series));
  const words = [];
  drawSideNames();
  for (const name of SIDES) {
    const side = compared[name], { run } = side;
    const translation = run.watched;
    if (translation === null) continue;
    byId(`compare-${name}-text`).replaceChildren(isolate(translation.text || "∅"));
    side.map.show(mapOf(translation));
    const mean = sumOf(translation.attention.map(entropyOf)) / Math.max(1, translation.attention.length);
    const facts = [t("epoch.n", { n: modelEpoch(run) }), run.last && t("loss.is", { loss: figure(lossOf(run), 3) }),
      run.right && t("right", { n: run.right.exact, of: run.right.of }),
      run.validations.length > 0 && t("unseen.is", { share: figure(100 * (run.validations.findLast((one) => one.epoch === run.best) ?? run.validations.at(-1)).exactMatch, 0) }), t("entropy.is", { entropy: figure(mean, 2), most: figure(Math.log(translation.sourceTokens.length), 2) }),
      run.speed && t("speed.is", { n: Math.round(run.speed).toLocaleString("en") })].filter(Boolean);
    byId(`compare-${name}-facts`).textContent = facts.join(" · ");
    words.push(`${nameOfSide(side)}: ${run.last ? t("loss.is", { loss: figure(lossOf(run), 3) }) : ""}`);
  }
  if (compareExists() && !compareStarted()) words.push(t("changed"));
  write(byId("compare-status"), compared.busy ? t("busy.creating") : compareRunning() ? t("running") : words.join(" · "));
});

function listenToComparison() {
  for (const name of SIDES) {
    compared[name] = { name, settings: {}, run: newRun(), map: null, info: null };
    buildSide(name);
  }
  compareCurve = new Chart(byId("compare-curve"));
  const act = (task) => () => { if (state.ready) task().catch(compareError); };
  byId("compare-start").addEventListener("click", act(compareStartOrPause));
  byId("compare-reset").addEventListener("click", act(compareReset));
  byId("compare-what").addEventListener("change", ({ target }) => chooseContrast(target.value));
  byId("compare-sentence").addEventListener("change", ({ target }) => {
    compared.sentence = target.value;
    for (const slot of SIDES) {
      engine.call("change", { slot, watched: target.value }).catch(compareError);
      if (compared[slot].run.status === "none") continue;
      compared[slot].run.watched = null;
      engine.call("translate", { slot, text: target.value, options: { splitSentences: "off" } }).then(([translation]) => {
        compared[slot].run.watched = translation;
        drawCompare();
      }).catch(compareError);
    }
  });
}
