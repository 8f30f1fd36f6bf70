/* Learning: the settings, the buttons, the loss curve and the attention of one sentence. */

const MAIN_SETTINGS = ["attention", "cell", "hiddenSize", "embeddingSize", "learningRate", "seed"];
/* Settings without an effect in the page: its pairs have no links for guided alignment, and languages are for the
 * service. */
const HIDDEN_SETTINGS = ["guideWeight", "sourceLanguage", "targetLanguage"];
const MOST_EPOCHS = 10000;

const PATIENCE = 5000;    // milliseconds without a message of the worker until the page says that it needs long
const PACE = 330;         // minimum time of an epoch in the first run, in milliseconds, so that the user sees its steps
let curve = null, learnMap = null, learnFigure = null;

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
  if (one.type === "language") return typeof value === "string" ? value : undefined;
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

const rangeOf = (one) => t("error.range", { least: short(one.minimum), most: one.type === "seed" ? "2⁵³ − 1" : short(one.maximum) });

/* Return a control for a hyperparameter, and a note for its faults. `set` takes a valid value. */
function control(one, id, value, set) {
  const isFlag = one.type === "flag", isReal = one.type === "real";
  const made = one.type === "choice" ? element("select", { id }, ...one.choices.map((choice) => new Option(choice, choice)))
    : element("input", isFlag ? { id, type: "checkbox" }
      : { id, type: "number", step: isReal ? "any" : "1", inputmode: isReal ? "decimal" : "numeric" });
  made[isFlag ? "checked" : "value"] = value;
  const note = element("span", { class: "fault", id: `${id}-note`, hidden: "" });
  made.setAttribute("aria-describedby", note.id);
  made.addEventListener("change", () => {
    const now = isFlag ? made.checked : validValue(one, made.value);
    markField(made, note, now === undefined ? rangeOf(one) : null);
    if (now !== undefined) set(now);
  });
  return [made, note];
}

function settingRow(one, value = valueOf(one.name), set = (now) => setSetting(one.name, now)) {
  const id = `setting-${one.name}`;
  const label = element("label", { for: id, title: state.language === "en" ? one.help : `--${one.option}` }, labelOf(one));
  return element("div", { class: one.type === "flag" ? "setting flag" : "setting" }, label, ...control(one, id, value, set));
}

function epochsRow() {
  const one = { name: "epochs", type: "size", minimum: 1, maximum: MOST_EPOCHS, label: t("epochs"), option: "epochs", help: "" };
  return settingRow(one, state.epochs, (epochs) => {
    state.epochs = epochs;
    settingsChanged();
  });
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
      ...rest.filter((one) => one.group === group).map((one) => settingRow(one)))));
  more.open = open;
  const reset = button("link", () => {
    Object.assign(state, { settings: pairs.set === FIRST.set ? { ...FIRST.settings } : {}, epochs: epochsOfSet() });
    drawSettings();
    settingsChanged();
  }, [t("settings.default")]);
  form.replaceChildren(element("h2", {}, t("settings")), ...main.slice(0, 5).map((one) => settingRow(one)), epochsRow(),
    ...main.slice(5).map((one) => settingRow(one)), more, reset);
  if (focused.startsWith("setting-") && byId(focused) !== null) byId(focused).focus();
}

/* Return what determines a network: if it changes, the next run begins with a new network. */
function signature() {
  const names = Object.keys(state.settings).sort();
  return JSON.stringify([names.map((name) => [name, state.settings[name]]), hashOfPairs()]);
}

/* Return whether the network has learned other pairs than those that are chosen now. */
const hasOtherPairs = () => hasModel() && !state.run.signature.endsWith(`${JSON.stringify(hashOfPairs())}]`);

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

/* Return the name of the measure by which a validation chooses. */
const measureOf = ({ measure }) => ({ bleu: "BLEU", chrf: "chrF" }[measure] ?? t("loss").toLowerCase());

const settingsChanged = eachFrame(() => {
  state.now = signature();
  drawRun();
  storeSoon();
});

/* ---- Buttons and state ---- */

const hasModel = () => state.run !== null && state.run.status !== "none";
/* The number of epochs is part of a run that has begun, and may change after its end. */
const isChanged = () => hasModel() && state.run.status !== "running" &&
  (state.run.signature !== state.now || (state.run.status === "paused" && state.run.wanted !== state.epochs));

/* The epoch of the parameters that the network has, and of those that the figures show. */
const modelEpoch = (run = state.run) => run.best ?? run.epoch;
const shownEpoch = () => state.epoch ?? modelEpoch();

function drawButtons() {
  const { status } = state.run;
  const label = { none: "start", running: "pause", paused: "continue", finished: "more", loaded: "more" }[status];
  byId("start").textContent = t(isChanged() ? "start.again" : label, { n: state.epochs });
  byId("start").disabled = byId("step").disabled = !state.ready || state.busy !== null;
  byId("reset").disabled = !state.ready || status === "none" || state.busy !== null;
  byId("status").setAttribute("aria-busy", String((state.busy ?? "loading") !== "loading" || (status === "running" && state.run.last === null)));
  byId("change-note").hidden = !isChanged();
  byId("change-note").textContent = t("changed");
  byId("pairs-learn").disabled = byId("start").disabled;
  byId("model-save").disabled = !hasModel();
  byId("learn-given").hidden = translator.given === null || status !== "none" || state.busy !== null;
}

/* Return whether all settings are valid; otherwise lead to the first that is not. */
function settingsAreValid(place = "#settings") {
  const wrong = document.querySelector(`${place} [aria-invalid]`);
  if (wrong === null) return true;
  const more = wrong.closest("details");
  if (more !== null) more.open = true;
  wrong.focus();
  announce(t("invalid"));
  return false;
}

/* Report that the worker needs long, and offer to stop it, if it sends no message for a while. */
let patience = null;

function watchWorker() {
  clearTimeout(patience);
  untell("busy");
  if (state.busy !== null || compared.busy || state.run.status === "running")
    patience = setTimeout(() => tell("busy", () => t("busy.long"), { action: { label: "busy.stop", go: () => startAgain(true) } }), PATIENCE);
}

/* Let the buttons wait while the worker does a task. */
async function busily(what, task) {
  state.busy = what;
  drawRun();
  watchWorker();
  try {
    return await task();
  } finally {
    state.busy = null;
    watchWorker();
    drawRun();
  }
}

/* Call this function for every network that replaces another. It drops what was chosen or computed for the earlier one. */
function replaceNetwork(info, run) {
  Object.assign(state, { info, run, epoch: null });
  Object.assign(asked, { prefix: null, position: null, cell: null });
  asked.overrides.clear();
  dropSketch();
  networkWasReplaced(info !== null);
}

/* Return the data that restore the network; null if it has learned for fewer seconds. */
async function keepsake(seconds) {
  const { run } = state;
  return !hasModel() || run.epoch === 0 || run.seconds < seconds ? null : networkNow();
}

function offerEarlier(earlier) {
  if (earlier !== null && lesson.before === null)
    tell("previous", () => t("previous"), { action: { label: "previous.back", go: () => bringModelBack(earlier).catch(reportError) } });
}

function learnArguments(slot, settings = state.settings) {
  return {
    slot, ...textsOfPairs(), settings, epochs: state.epochs, watched: state.watched, slow: false,
    calm: matchMedia("(prefers-reduced-motion: reduce)").matches,
  };
}

/* The data that the worker reports for the figures of this view: states and scores of the watched
 * sentence if they are `drawn`, and the translations of the list. */
const watching = () => ({
  drawn: state.figure === "network", listed: listedLines().map((line) => sidesOf(line)[0].trim()), pace: pairs.set === FIRST.set && lesson.before === null ? PACE : 0,
});

/* A refused setting or a lack of memory leaves the earlier network as it is. */
async function createMain() {
  await busily("creating", async () => {
    const earlier = await keepsake(20);
    const wanted = state.now;
    const { info } = await engine.call("create", { ...learnArguments("main"), ...watching() });
    replaceNetwork(info, Object.assign(newRun(), { status: "paused", signature: wanted }));
    offerEarlier(earlier);
  });
  for (const key of ["learn", "fit"]) untell(key);
  drawTranslateSoon();
}

async function bringModelBack(kept) {
  await bringBackNetwork(kept);
  drawRun();
  drawTranslateSoon();
}

/* Create a network if there is none for the settings, and call the method of the worker. */
async function learnWith(method, more) {
  if (state.run.status !== "running" && !settingsAreValid()) return;
  untellFaults();
  if (!hasModel() || isChanged()) await createMain();
  if (state.run.status !== "paused" || state.run.wanted === undefined) state.run.wanted = state.epochs;
  if (method === "run") state.run.status = "running";
  state.epoch = null;
  drawRun();
  watchWorker();
  await engine.call(method, { ...learnArguments("main"), ...watching(), ...more });
}

async function startOrPause() {
  if (state.run.status === "running") await busily("pausing", () => engine.call("pause", { slot: "main" }));
  else await learnWith("run", { slow: byId("slow").checked });
}

async function resetMain() {
  offerEarlier(await keepsake(20));
  await engine.call("drop", { slot: "main" });
  replaceNetwork(null, newRun());
  dropKeptModel();
  drawRun();
  drawTranslateSoon();
}

function reportError(error) {
  if (error.code === "stopped") return;
  tell("learn", () => wordsOf(error), { bad: true });
  if (state.run.status === "running" && error.code !== "broken") state.run.status = hasModel() ? "paused" : "none";
  drawButtons();
}

const listenedAction = (task) => () => {
  if (state.ready) task().catch(reportError);
};

/* ---- Progress ---- */

const drawRun = eachFrame(() => {
  drawButtons();
  if (state.view === "learn") {
    drawStatus();
    drawCurve();
    drawPast();
    if (state.epoch === null) {
      drawWatched(state.run.watched, state.run.numbers);
      drawListed();
    }
    if (!hasModel()) makeSketch().catch(reportError);
  }
  if (state.view === "translate" && state.run.status !== "running") drawTranslateSoon();
});

function onProgress(event) {
  if (event.slot !== "main") {
    (event.slot === TRIAL ? trialProgress : compareProgress)(event);
    return;
  }
  const before = state.run.status;
  const now = performance.now();
  if (before === "running" && state.lastProgress) state.run.seconds += (now - state.lastProgress) / 1000;
  state.lastProgress = now;
  addProgress(state.run, event);
  watchWorker();
  if (state.epoch !== null && !state.run.kept.includes(state.epoch)) showEpoch(nearestEpoch(state.epoch));
  if (state.run.status !== "running") {
    state.lastProgress = 0;
    if (event.last !== null) {
      announce(statusText());
      keepModelSoon(0);
    }
  } else {
    keepModelSoon(KEEP_EVERY);
  }
  drawRun();
}

function onFailed({ slot, error }) {
  if (slot === TRIAL) {
    if (trial !== null) trial.failed = error;
    return;
  }
  const isMain = slot === "main";
  (isMain ? state : compared[slot]).run.status = "paused";
  (isMain ? reportError : compareError)(error);
}

function statusText() {
  const { status, epoch, epochs, last, right } = state.run;
  if (!state.ready) return t("busy.loading");
  if (state.busy !== null) return t(`busy.${state.busy}`);
  if (status === "none") return t("ready");
  if (status === "loaded") return [t("loaded", { n: epoch }), hasOtherPairs() && t("other.pairs")].filter(Boolean).join(" · ");
  if (status === "running" && last === null) return t("running");
  const parts = [t("epoch.of", { epoch, epochs: Math.max(epochs, epoch, last === null ? state.epochs : 0) })];
  if (last !== null) parts.push(t("loss.is", { loss: figure(last.loss, 3) }));
  if (hasOtherPairs()) return [...parts, t("other.pairs")].join(" · ");
  if (right !== null) parts.push(t("right", { n: right.exact, of: right.of }));
  const best = state.run.validations.findLast((one) => one.epoch === state.run.best);
  if (best !== undefined) parts.push(t("best", { n: best.epoch, by: measureOf(best), share: figure(100 * best.exactMatch, 0) }));
  return parts.join(" · ");
}

function drawStatus() {
  write(byId("status"), statusText());
  const { last, speed, validations, memory } = state.run;
  const validation = validations.at(-1);
  const facts = [
    last !== null && ["facts.updates", last.updatesSoFar],
    validation && ["facts.dev", `${t("epoch.n", { n: validation.epoch })}: ${figure(validation.loss, 3)} · ${t("facts.exact", { share: figure(100 * validation.exactMatch, 0) })} · ${validation.measure === "chrf" ? "chrF" : "BLEU"} ${figure(validation[validation.measure === "chrf" ? "chrf" : "bleu"], 1)}`],
    speed !== null && ["facts.speed", Math.round(speed).toLocaleString("en")],
    last !== null && ["facts.norm", brief(last.gradientNorm)],
    state.info !== null && ["facts.parameters", state.info.parameters.toLocaleString("en")],
    memory > 0 && ["facts.memory", sizeOf(memory)],
  ].filter(Boolean);
  byId("facts").replaceChildren(...facts.map(([key, value]) =>
    element("div", `${key}.title` in TEXTS ? { title: t(`${key}.title`) } : {}, element("dt", {}, t(key)), element("dd", {}, String(value)))));
}

/* The mean loss of an epoch is drawn at the middle of the epoch. */
const pointsOf = (run) => (run.ends.length > 0 ? run.ends.map(([epoch, loss]) => [epoch - 0.5, loss]) : run.points);

function seriesOf(run, ink = "accent", name = t("loss.train"), dev = t("loss.dev"), devInk = "second") {
  const single = run.points.length <= run.ends.length + 1;
  return [
    { name: t("loss.update"), points: single ? [] : run.points, ink, faint: true },
    { name, points: pointsOf(run), ink },
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
  byId("card-curve").querySelector(".export").hidden = curve.isEmpty();
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
  byId("curve-table").replaceChildren(plainTable(heads, rows));
}

/* ---- The watched sentence ---- */

function watch(text) {
  state.watched = text;
  if (!state.ready) return;
  engine.call("change", { slot: "main", watched: text, ...watching() }).catch(reportError);
  if (hasModel()) showWatched();
  else drawRun();
}

const showWatched = newestOnly(async () => {
  if (!hasModel() || state.watched === "") return;
  try {
    const [translation] = await engine.call("translate", { slot: "main", epoch: state.epoch, text: state.watched, options: {} });
    const numbers = translation === undefined ? null : await numbersOf(translation, networkOfLearn());
    if (state.epoch === null) Object.assign(state.run, { watched: translation, numbers });
    drawWatched(translation, numbers);
  } catch (error) {
    drawWatched(null);
    reportError(error);
  }
});

/* Only the figure in view is drawn. */
function drawWatched(translation, numbers = state.run.numbers) {
  if (translation === null || translation === undefined) {
    const sketched = sketchOnShow();
    if (sketched !== null) {
      drawSketch(sketched);
      return;
    }
    byId("watched").replaceChildren(isolate(state.watched), ...glossesOf(state.watched));
    learnMap.empty(t(state.ready ? "map.empty" : "busy.loading"));
    learnFigure.say(t(state.ready ? "network.empty" : "busy.loading"));
    byId("map-epoch").textContent = "";
    return;
  }
  const reference = referenceOf(translation.source);
  const right = reference !== "" && translation.text === reference;
  const mark = reference === "" ? [] : [element("span", { class: right ? "mark good" : "mark" }, right ? `✓ ${t("is.right")}` : t("reference.is", { text: isolated(reference) }))];
  byId("watched").replaceChildren(isolate(translation.source), " → ", isolate(translation.text || "∅"), " ", ...mark, ...glossesOf(translation.source));
  if (state.figure === "map") learnMap.show(mapOf(translation));
  else learnFigure.show(beginningOf(networkOf(translation, numbers, null, state.run.status === "running" && state.run.isOld), reference));
  byId("map-epoch").textContent = t("epoch.n", { n: shownEpoch() }) + (hasOtherPairs() ? ` · ${t("other.pairs")}` : "");
}

/* A network that has hardly learned repeats words up to the limit: cut what is longer than any useful translation. */
function beginningOf(view, reference) {
  const most = Math.max(12, view.sources.length + 5, 4 + 2 * reference.split(" ").length);
  if (view.targets.length <= most || view.ended) return view;
  const cut = (list) => list && list.slice(0, most);
  return { ...view, targets: cut(view.targets), weights: cut(view.weights), probabilities: cut(view.probabilities), queries: cut(view.queries),
    contexts: cut(view.contexts), scores: cut(view.scores), own: cut(view.own) };
}

/* The value of the slider is an epoch. */
function drawPast() {
  const { kept, epoch, status } = state.run, slider = byId("past"), most = Math.max(epoch, kept.at(-1) ?? 0);
  slider.max = most;
  slider.disabled = kept.length < 2;
  if (document.activeElement !== slider || state.epoch === null) slider.value = shownEpoch();
  slider.setAttribute("aria-valuetext", t("epoch.n", { n: shownEpoch() }));
  write(byId("past-at"), hasModel() ? `${shownEpoch()} / ${most}` : "");
  byId("past-newest").hidden = state.epoch === null;
  write(byId("past-newest"), t(state.run.best === null ? "past.newest" : "past.kept"));
  drawFilm(slider.disabled || status === "running");
  byId("past-note").hidden = !slider.disabled || epoch === 0;
  write(byId("past-note"), t(status === "loaded" || state.run.restored ? "past.loaded" : "past.large"));
}

/* Show an earlier epoch in all figures; null shows the present network. */
function showEpoch(epoch) {
  state.epoch = epoch === modelEpoch() ? null : epoch;
  drawPast();
  drawCurve();
  if (state.epoch === null && state.run.watched !== null && state.run.watched.source === state.watched) drawWatched(state.run.watched);
  else showWatched();
  showListed();
  drawTranslateSoon();
}

/* ---- What to try next ---- */

/* Before learning: what the figure shows. After the first run: the same network with five pairs only, which it memorizes. */
function hintOfLearning() {
  if (sketchOnShow() !== null) return hintOfSketch(sketch);
  const { run } = state, isDone = run.status === "finished" && state.epoch === null && lesson.before === null && !isChanged();
  if (isDone && pairs.set === FIRST.set)
    return element("p", {}, t("first.done"), " ", button("", () => memorize().catch(reportError), [t("first.memorize")], { id: "memorize" }));
  if (isDone && pairs.set === "toy" && run.right?.exact === run.right?.of) return element("p", {}, t("first.memorized"));
  return null;
}

async function memorize() {
  await choosePairs("toy");
  state.now = signature();
  await learnWith("run", { slow: byId("slow").checked });
}

/* Translate the list with the network of the epoch that the page shows. */
const showListed = newestOnly(async () => {
  if (!hasModel()) return;
  const { run, epoch } = state, texts = watching().listed;
  const list = await engine.call("list", { slot: "main", epoch, texts }).catch(() => []);
  if (run !== state.run || epoch !== state.epoch) return;
  if (epoch === null) run.listed = list;
  drawListed(list);
});

/* Return the epoch nearest to a value of which there is a model. */
const nearestEpoch = (value) => [modelEpoch(), ...state.run.kept]
  .reduce((best, one) => (Math.abs(one - value) < Math.abs(best - value) ? one : best));

/* An arrow key moves to the next epoch of which there is a model. */
function moveSlider(event) {
  const change = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 }[event.key];
  if (change === undefined) return;
  event.preventDefault();
  const next = [modelEpoch(), ...state.run.kept].filter((one) => change * (one - shownEpoch()) > 0);
  if (next.length === 0) return;
  showEpoch(change * Math.min(...next.map((one) => change * one)));
  event.target.value = shownEpoch();
}

function listenToLearning() {
  curve = new Chart(byId("curve"), { mark: (value) => { if (state.run.kept.length > 1) showEpoch(nearestEpoch(value)); } });
  learnMap = new HeatMap(byId("map"), { caption: () => t("map.caption") });
  learnFigure = new NetworkFigure(byId("network"), { candidates: candidatesOfLearn, hint: hintOfLearning });
  listenToFilm();
  byId("start").addEventListener("click", listenedAction(startOrPause));
  byId("step").addEventListener("click", listenedAction(() => learnWith("step")));
  byId("reset").addEventListener("click", listenedAction(resetMain));
  byId("pairs-learn").addEventListener("click", listenedAction(async () => {
    showView("learn", true);
    if (state.run.status !== "running") await learnWith("run", { slow: byId("slow").checked });
  }));
  byId("slow").addEventListener("change", ({ target }) => {
    if (state.ready) engine.call("change", { slot: "main", slow: target.checked }).catch(reportError);
  });
  byId("settings").addEventListener("submit", (event) => event.preventDefault());
  byId("past").addEventListener("input", ({ target }) => showEpoch(nearestEpoch(Number(target.value))));
  byId("past").addEventListener("keydown", moveSlider);
  byId("past-newest").addEventListener("click", () => showEpoch(null));
  document.querySelector("#card-curve details").addEventListener("toggle", drawCurve);
}
