/* Learning: the settings, the buttons, the loss curve and the attention of one sentence. */

const MAIN_SETTINGS = ["attention", "cell", "hidden_size", "embedding_size", "learning_rate", "seed"];
/* Without an effect in the page: there are no links for guided alignment. */
const HIDDEN_SETTINGS = ["guide_weight"];
const MOST_EPOCHS = 10000;

let curve = null, learnMap = null, previous = null;

/* ---- Settings ---- */

const hyperparameter = (name) => state.hyperparameters.find((one) => one.name === name);

const labelOf = (one) => (state.language === "zh" && one.name in LABELS ? LABELS[one.name] : capital(one.label));
const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

function valueOf(name) {
  const one = hyperparameter(name);
  return name in state.settings ? state.settings[name] : one && one.default;
}

/* Return the value if it is valid for the hyperparameter, otherwise undefined. */
function validValue(one, value) {
  if (one.type === "flag") return typeof value === "boolean" ? value : { true: true, false: false }[value];
  if (one.type === "choice") return one.choices.includes(value) ? value : undefined;
  const number = typeof value === "string" && value.trim() === "" ? NaN : Number(value);
  if (!Number.isFinite(number)) return undefined;
  if (one.type === "seed") return Number.isSafeInteger(number) && number >= 0 ? number : undefined;
  if (one.type === "size" && !Number.isInteger(number)) return undefined;
  return number >= one.minimum && number <= one.maximum ? number : undefined;
}

function setSetting(name, value) {
  if (value === hyperparameter(name).default) delete state.settings[name];
  else state.settings[name] = value;
  settingsChanged();
}

function control(one, id) {
  const value = valueOf(one.name);
  if (one.type === "choice") {
    const made = element("select", { id }, ...one.choices.map((choice) => new Option(choice, choice)));
    made.value = value;
    return made;
  }
  if (one.type === "flag") {
    const made = element("input", { id, type: "checkbox" });
    made.checked = value;
    return made;
  }
  return element("input", { id, type: "number", value, step: one.type === "real" ? "any" : "1", inputmode: one.type === "real" ? "decimal" : "numeric" });
}

function settingRow(one) {
  const id = `setting-${one.name}`;
  const made = control(one, id);
  const note = element("p", { class: "fault", id: `${id}-note`, hidden: "" });
  made.setAttribute("aria-describedby", `${id}-note`);
  made.addEventListener("change", () => {
    const value = one.type === "flag" ? made.checked : validValue(one, made.value);
    note.hidden = value !== undefined;
    made.toggleAttribute("aria-invalid", value === undefined);
    if (value !== undefined) setSetting(one.name, value);
    else note.textContent = t("error.range", { least: short(one.minimum), most: one.type === "seed" ? "2⁵³ − 1" : short(one.maximum) });
  });
  const label = element("label", { for: id, title: state.language === "en" ? one.help : `--${one.option}` }, labelOf(one));
  return element("div", { class: one.type === "flag" ? "setting flag" : "setting" }, label, made, note);
}

function epochsRow() {
  const made = element("input", { id: "setting-epochs", type: "number", min: 1, max: MOST_EPOCHS, step: 1, value: state.epochs, inputmode: "numeric" });
  const note = element("p", { class: "fault", hidden: "" });
  made.addEventListener("change", () => {
    const value = Number(made.value);
    const good = Number.isInteger(value) && value >= 1 && value <= MOST_EPOCHS;
    note.hidden = good;
    if (!good) note.textContent = t("error.range", { least: "1", most: String(MOST_EPOCHS) });
    if (!good) return;
    state.epochs = value;
    settingsChanged();
  });
  return element("div", { class: "setting" }, element("label", { for: "setting-epochs" }, t("epochs")), made, note);
}

function drawSettings() {
  const form = byId("settings");
  form.hidden = state.hyperparameters.length === 0;
  if (form.hidden) return;
  const open = form.querySelector("details") !== null && form.querySelector("details").open;
  const focused = document.activeElement ? document.activeElement.id : "";
  const main = MAIN_SETTINGS.map(hyperparameter).filter(Boolean);
  const rest = state.hyperparameters.filter(({ name }) => !MAIN_SETTINGS.includes(name) && !HIDDEN_SETTINGS.includes(name));
  const groups = [...new Set(rest.map(({ group }) => group))];
  const more = element("details", { class: "more" }, element("summary", {}, t("settings.more")),
    ...groups.map((group) => element("fieldset", {}, element("legend", {}, state.language === "zh" && group in GROUPS ? GROUPS[group] : group),
      ...rest.filter((one) => one.group === group).map(settingRow))));
  more.open = open;
  const reset = element("button", { type: "button", class: "link" }, t("settings.default"));
  reset.addEventListener("click", () => {
    state.settings = {};
    drawSettings();
    settingsChanged();
  });
  form.replaceChildren(element("h2", {}, t("settings")), ...main.slice(0, 5).map(settingRow), epochsRow(), ...main.slice(5).map(settingRow), more, reset);
  if (focused.startsWith("setting-") && byId(focused) !== null) byId(focused).focus();
}

/* Return what determines a network: another signature means that it must begin again. */
function signature() {
  const names = Object.keys(state.settings).sort();
  return JSON.stringify([names.map((name) => [name, state.settings[name]]), state.epochs, hashOfPairs()]);
}

const lastHash = { of: "", hash: "" };

function hashOfPairs() {
  const of = `${pairs.version} ${state.hold}`;
  if (lastHash.of !== of) {
    const { text, dev } = textsOfPairs();
    Object.assign(lastHash, { of, hash: `${hashOf(text)} ${dev === null ? 0 : hashOf(dev)}` });
  }
  return lastHash.hash;
}

/* A quick hash of a text (FNV-1a over UTF-16 units). */
function hashOf(text) {
  let hash = 2166136261;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 16777619);
  return (hash >>> 0) + text.length * 4294967296;
}

const settingsChanged = eachFrame(() => {
  state.now = signature();
  drawButtons();
  storeSoon();
});

/* ---- Buttons and state ---- */

const hasModel = () => state.run !== null && state.run.status !== "none";
const isChanged = () => hasModel() && state.run.signature !== state.now && state.run.status !== "running";

function drawButtons() {
  const { status } = state.run;
  const label = { none: "start", running: "pause", paused: "continue", finished: "continue", loaded: "continue" }[status];
  byId("start").textContent = t(isChanged() ? "start.again" : label);
  byId("start").disabled = byId("step").disabled = !state.ready;
  byId("reset").disabled = !state.ready || status === "none";
  byId("change-note").hidden = !isChanged();
  byId("change-note").textContent = t("changed");
  byId("model-save").disabled = !hasModel();
  byId("past").disabled = state.run.kept.length < 2;
}

function learnArguments(slot, settings = state.settings) {
  return {
    slot, ...textsOfPairs(), settings, epochs: state.epochs, watched: state.watched, slow: false,
    calm: matchMedia("(prefers-reduced-motion: reduce)").matches,
  };
}

/* A refused setting or a lack of memory leaves the earlier network as it is. */
async function createMain() {
  const keepSake = hasModel() && state.run.epoch > 0 ? { bytes: await engine.call("save", { slot: "main" }), run: state.run, info: state.info } : null;
  const { info } = await engine.call("create", learnArguments("main"));
  Object.assign(state, { info, epoch: null, run: Object.assign(newRun(), { status: "paused", signature: state.now }) });
  early.length = 0;
  if (keepSake !== null && keepSake.run.seconds > 20) {
    previous = keepSake;
    tell("previous", t("previous"), { action: { label: t("previous.back"), go: () => bringModelBack().catch(reportError) } });
  }
  untell("learn");
  drawTranslateSoon();
}

async function bringModelBack() {
  const { bytes, run, info } = previous;
  await engine.call("open", { slot: "main", bytes, epoch: run.epoch, watched: state.watched });
  Object.assign(state, { run: Object.assign(run, { status: "loaded", kept: [] }), info, epoch: null });
  drawRun();
  drawTranslateSoon();
}

async function startOrPause() {
  if (state.run.status === "running") {
    await engine.call("pause", { slot: "main" });
    return;
  }
  if (!hasModel() || isChanged()) await createMain();
  state.run.status = "running";
  state.epoch = null;
  drawButtons();
  await engine.call("run", { ...learnArguments("main"), slow: byId("slow").checked });
}

async function oneUpdate() {
  if (!hasModel() || isChanged()) await createMain();
  state.epoch = null;
  await engine.call("step", learnArguments("main"));
}

async function resetMain() {
  const was = state.run;
  if (was.epoch > 0 && was.seconds > 20) {
    previous = { bytes: await engine.call("save", { slot: "main" }), run: was, info: state.info };
    tell("previous", t("previous"), { action: { label: t("previous.back"), go: () => bringModelBack().catch(reportError) } });
  }
  await engine.call("drop", { slot: "main" });
  Object.assign(state, { run: newRun(), info: null, epoch: null });
  dropKeptModel();
  drawRun();
  drawTranslateSoon();
}

function reportError(error) {
  if (error.code === "stopped") return;
  tell("learn", wordsOf(error), { bad: true });
  if (state.run.status === "running" && error.code !== "broken") state.run.status = hasModel() ? "paused" : "none";
  drawButtons();
}

const listenedAction = (task) => () => {
  if (state.ready) task().catch(reportError);
};

/* ---- Progress ---- */

/* Attention of the watched sentence at earlier epochs is computed when the slider asks for it. */
const early = [];

const drawRun = eachFrame(() => {
  drawButtons();
  if (state.view === "learn") {
    drawStatus();
    drawCurve();
    drawPast();
    if (state.epoch === null) drawWatched(state.run.watched);
  }
  if (state.view === "translate" && state.run.status !== "running") drawTranslateSoon();
});

function onProgress(event) {
  const main = event.slot === "main";
  if (!main) {
    compareProgress(event);
    return;
  }
  const before = state.run.status;
  const now = performance.now();
  if (before === "running" && state.lastProgress) state.run.seconds += (now - state.lastProgress) / 1000;
  state.lastProgress = now;
  addProgress(state.run, event);
  if (!event.started && !event.finished && event.epoch === 0 && event.last === null) state.run.status = "paused";
  if (state.run.status !== "running") {
    state.lastProgress = 0;
    if (event.last !== null) {
      announce(statusText());
      keepModelSoon(0);
    }
  } else {
    keepModelSoon(8000);
  }
  drawRun();
  lessonProgress();
}

function onFailed({ slot, error }) {
  if (slot === "main") {
    state.run.status = "paused";
    reportError(error);
  } else {
    compareFailed(slot, error);
  }
}

function statusText() {
  const { status, epoch, epochs, last, right } = state.run;
  if (!state.ready) return t("loading");
  if (status === "none") return t("ready");
  if (status === "loaded") return t("loaded", { n: epoch });
  const parts = [t("epoch.of", { epoch, epochs: Math.max(epochs, epoch, last === null ? state.epochs : 0) })];
  if (last !== null) parts.push(t("loss.is", { loss: figure(last.loss, 3) }));
  if (right !== null) parts.push(t("right", { n: right.exact, of: right.of }));
  const best = status === "finished" ? state.run.validations.findLast((one) => one.best) : undefined;
  if (best !== undefined) parts.push(t("best", { n: best.epoch, share: figure(100 * best.exactMatch, 0) }));
  return parts.join(" · ");
}

function drawStatus() {
  write(byId("status"), statusText());
  const { last, speed, validations, memory } = state.run;
  const validation = validations.at(-1);
  const facts = [
    last !== null && ["facts.updates", last.updatesSoFar],
    validation && ["facts.dev", `${figure(validation.loss, 3)} · ${t("facts.exact", { share: figure(100 * validation.exactMatch, 0) })} · BLEU ${figure(validation.bleu, 1)}`],
    speed !== null && ["facts.speed", Math.round(speed).toLocaleString("en")],
    last !== null && ["facts.norm", brief(last.gradientNorm)],
    state.info !== null && ["facts.parameters", state.info.parameters.toLocaleString("en")],
    memory > 0 && ["facts.memory", sizeOf(memory)],
  ].filter(Boolean);
  byId("facts").replaceChildren(...facts.map(([key, value]) =>
    element("div", {}, element("dt", {}, t(key)), element("dd", {}, String(value)))));
}

function seriesOf(run, ink = "accent", name = t("loss.train"), dev = t("loss.dev"), devInk = "second") {
  const single = run.points.length <= run.ends.length + 1;
  return [
    { name: "", points: single ? [] : run.points, ink, faint: true },
    { name, points: run.ends.length > 0 ? (single ? run.ends : run.ends) : run.points, ink },
    { name: run.validations.length > 0 ? dev : "", points: run.validations.map((one) => [one.epoch, one.loss]), ink: devInk, dashed: true },
  ];
}

function drawCurve() {
  const { run } = state;
  const series = seriesOf(run);
  const first = run.ends[0], last = run.ends.at(-1);
  curve.show({
    series, across: Math.max(run.epochs, hasModel() ? 0 : state.epochs), marker: state.epoch,
    label: last === undefined ? t("curve.empty") : t("curve.label", { epochs: last[0], from: figure(first[1], 2), to: figure(last[1], 2) }),
  });
  byId("curve-legend").replaceChildren(...legendOf(series.filter(({ points }) => points.length > 0)));
  if (document.querySelector("#card-curve details").open) drawCurveTable();
}

function drawCurveTable() {
  const { ends, validations } = state.run;
  const dev = new Map(validations.map((one) => [one.epoch, one.loss]));
  const shown = ends.slice(-200);
  const rows = shown.map(([epoch, loss]) => element("tr", {}, element("th", { scope: "row" }, String(epoch)),
    element("td", {}, figure(loss, 4)), ...(dev.size > 0 ? [element("td", {}, dev.has(epoch) ? figure(dev.get(epoch), 4) : "")] : [])));
  const heads = [t("epoch"), t("loss.train"), ...(dev.size > 0 ? [t("loss.dev")] : [])];
  byId("curve-table").replaceChildren(element("table", { class: "plain" },
    element("thead", {}, element("tr", {}, ...heads.map((text) => element("th", { scope: "col" }, text)))), element("tbody", {}, ...rows)));
}

/* ---- The watched sentence ---- */

function watch(text) {
  state.watched = text;
  if (!state.ready) return;
  engine.call("watch", { slot: "main", text }).catch(reportError);
  if (hasModel()) showWatched();
  else drawWatched(null);
}

const showWatched = newestOnly(async () => {
  if (!hasModel() || state.watched === "") return;
  try {
    const [translation] = await engine.call("translate", { slot: "main", epoch: state.epoch, text: state.watched, options: {} });
    if (state.epoch === null) state.run.watched = translation;
    drawWatched(translation);
  } catch (error) {
    reportError(error);
  }
});

function drawWatched(translation) {
  if (translation === null || translation === undefined) {
    byId("watched").replaceChildren(isolate(state.watched, languageOf(state.watched)));
    learnMap.empty(state.ready ? t("map.empty") : t("loading"));
    byId("map-epoch").textContent = "";
    return;
  }
  const reference = referenceOf(translation.source);
  const right = reference !== "" && translation.text === reference;
  const mark = reference === "" ? [] : [element("span", { class: right ? "mark good" : "mark" }, right ? `✓ ${t("is.right")}` : t("reference.is", { text: isolated(reference) }))];
  byId("watched").replaceChildren(isolate(translation.source, languageOf(translation.source)), " → ",
    isolate(translation.text === "" ? "∅" : translation.text, languageOf(translation.text)), " ", ...mark);
  if (translation.targetTokens.length === 0 || translation.sourceTokens.length === 0) learnMap.empty(t("map.none"));
  else learnMap.show(mapOf(translation));
  const epoch = state.epoch === null ? state.run.epoch : state.epoch;
  byId("map-epoch").textContent = t("epoch.n", { n: epoch });
}

function drawPast() {
  const { kept } = state.run;
  const slider = byId("past");
  slider.max = Math.max(0, kept.length - 1);
  const at = state.epoch === null ? kept.length - 1 : kept.indexOf(state.epoch);
  if (document.activeElement !== slider || state.epoch === null) slider.value = Math.max(0, at);
  slider.setAttribute("aria-valuetext", t("epoch.n", { n: state.epoch === null ? state.run.epoch : state.epoch }));
  byId("past-newest").hidden = state.epoch === null;
}

/* Show an earlier epoch everywhere, or the newest for null. */
function showEpoch(epoch) {
  const { kept } = state.run;
  state.epoch = epoch === null || epoch === kept.at(-1) ? null : epoch;
  drawPast();
  drawCurve();
  if (state.epoch === null && state.run.watched !== null && state.run.watched.source === state.watched) drawWatched(state.run.watched);
  else showWatched();
  drawTranslateSoon();
}

/* The epoch of which there is a model that is nearest to a place in the curve. */
function nearestEpoch(value) {
  const { kept } = state.run;
  if (kept.length < 2) return;
  showEpoch(kept.reduce((best, one) => (Math.abs(one - value) < Math.abs(best - value) ? one : best)));
}

function listenToLearning() {
  curve = new Chart(byId("curve"), { mark: nearestEpoch });
  learnMap = new HeatMap(byId("map"), { caption: () => t("map.caption") });
  byId("start").addEventListener("click", listenedAction(startOrPause));
  byId("step").addEventListener("click", listenedAction(oneUpdate));
  byId("reset").addEventListener("click", listenedAction(resetMain));
  byId("slow").addEventListener("change", ({ target }) => {
    if (state.ready) engine.call("slow", { slot: "main", slow: target.checked }).catch(reportError);
  });
  byId("settings").addEventListener("submit", (event) => event.preventDefault());
  byId("past").addEventListener("input", ({ target }) => showEpoch(state.run.kept[Number(target.value)]));
  byId("past-newest").addEventListener("click", () => showEpoch(null));
  document.querySelector("#card-curve details").addEventListener("toggle", drawCurve);
}
