/* Keeping things: settings and pairs of the last visit, the learned model, model files, and links. */

/* All pages from files share one storage in some browsers, so a page with a model inside has a name of its own. */
const PACKED = byId("model").textContent.trim();
const STORE = PACKED === "" ? "elman-playground" : `elman-playground-${hashOf(PACKED)}`;
const MOST_STORED_TEXT = 2 ** 20;         // characters of own pairs
const MOST_STORED_MODEL = 12 * 2 ** 20;   // bytes
const MOST_MODEL_FILE = 512 * 2 ** 20;    // bytes
const MOST_LINKED_TEXT = 4000;            // characters of own pairs in a link

/* ---- Settings of the last visit. A browser may refuse to store, for example for a page from a file. ---- */

function stored() {
  try {
    return JSON.parse(localStorage.getItem(STORE)) || {};
  } catch {
    return {};
  }
}

let storeTimer = null;

function storeSoon() {
  clearTimeout(storeTimer);
  storeTimer = setTimeout(storeNow, 500);
}

/* Nothing is stored before the last visit is back, and after the user has had everything deleted. */
let storing = false;

/* Store what the user has chosen, not what a lesson has. Return whether the browser allows it. */
function storeNow() {
  if (!storing) return false;
  const { settings, epochs, hold, set, lines, watched } = lesson.before ?? { ...state, ...pairs };
  const large = set === "own" && lines.reduce((sum, line) => sum + line.length + 1, 0) > MOST_STORED_TEXT;
  if (large) keepLargePairs(lines);
  const kept = {
    language: state.language, view: state.view, settings, epochs, hold,
    set, pairs: large ? null : set === "own" ? lines.join("\n") : "", sentence: watched,
    text: asked.text, beam: asked.beam, theme: byId("theme").value, scale: byId("scale").value, numbers: byId("numbers").checked,
  };
  try {
    localStorage.setItem(STORE, JSON.stringify(kept));
    return true;
  } catch {
    return false; // The settings apply to this visit only.
  }
}

/* ---- The learned model and large sets of pairs, in the database of the browser ---- */

function database() {
  return new Promise((give, refuse) => {
    const request = indexedDB.open(STORE, 1);
    request.onupgradeneeded = () => request.result.createObjectStore("model");
    request.onsuccess = () => give(request.result);
    request.onerror = () => refuse(request.error);
  });
}

async function inStore(mode, task) {
  const opened = await database();
  try {
    return await new Promise((give, refuse) => {
      const transaction = opened.transaction("model", mode);
      const request = task(transaction.objectStore("model"));
      transaction.oncomplete = () => give(request.result);
      transaction.onerror = transaction.onabort = () => refuse(transaction.error);
    });
  } finally {
    opened.close();
  }
}

let largeVersion = -1;

function keepLargePairs(lines) {
  if (largeVersion === pairs.version) return;
  largeVersion = pairs.version;
  inStore("readwrite", (store) => store.put(lines.join("\n"), "pairs")).catch(() => {});
}

/* Bring back the large set of pairs of the last visit. */
async function restoreLargePairs() {
  if (stored().set !== "own" || stored().pairs !== null) return;
  const text = await inStore("readonly", (store) => store.get("pairs")).catch(() => undefined);
  if (typeof text !== "string") return;
  Object.assign(pairs, { set: "own", lines: text.split("\n"), given: null });
  const { sentence } = stored();
  pairsChanged();
  if (typeof sentence === "string") watch(sentence);
}

let keptAt = -Infinity;

/* The bytes of the last kept model; they also restore the network if the worker must start again. */
let keptModel = null;

/* Keep the model, unless it was kept less than the time ago. */
const keepModelSoon = newestOnly(async (milliseconds) => {
  if (!hasModel() || state.run.epoch === 0 || performance.now() - keptAt < milliseconds) return;
  keptAt = performance.now();
  try {
    const bytes = await engine.call("save", { slot: "main" });
    const { epoch, best, ends, validations, seconds, right, signature: made } = state.run;
    keptModel = { bytes, run: { epoch, best, ends: ends.slice(-2000), validations: validations.slice(-500), seconds, right, signature: made }, info: state.info };
    if (bytes.length > MOST_STORED_MODEL || !storing || lesson.before !== null) return;
    await inStore("readwrite", (store) => store.put(keptModel, "main"));
  } catch {
    /* The model is kept for this visit only. */
  }
});

function dropKeptModel() {
  keptModel = null;
  inStore("readwrite", (store) => store.delete("main")).catch(() => {});
}

/* The message follows the deletion, because a browser may cancel a deletion when the page is left. */
async function forgetEverything() {
  storing = false;
  keptModel = null;
  try {
    localStorage.removeItem(STORE);
  } catch {
    /* Nothing is stored. */
  }
  await inStore("readwrite", (store) => store.clear()).catch(() => {});
  tell("forget", () => t("forgotten"));
}

async function modelOfLastVisit() {
  try {
    return (await inStore("readonly", (store) => store.get("main"))) || null;
  } catch {
    return null;
  }
}

async function restoreModel(kept) {
  const { info } = await engine.call("open", { slot: "main", bytes: kept.bytes, epoch: kept.run.epoch, watched: state.watched });
  replaceNetwork(info, Object.assign(newRun(), kept.run, { status: "loaded", epochs: kept.run.epoch }));
  keptModel = kept;
  showWatched();
}

/* ---- Model files ---- */

async function saveModel() {
  const shown = shownEpoch();
  const bytes = await engine.call("save", { slot: "main", epoch: state.epoch });
  offer(new Blob([bytes], { type: "application/octet-stream" }), "elman.safetensors");
  tell("model", () => t("model.saved", { n: shown, size: sizeOf(bytes.length) }));
}

/* Open a model. The settings of the page become those of the model. */
async function openModel(bytes, name, quiet = false) {
  const earlier = await keepsake(0);
  const { info, watched } = await engine.call("open", { slot: "main", bytes, watched: state.watched });
  state.settings = {};
  for (const [key, value] of Object.entries(info.settings)) {
    const one = hyperparameter(key);
    const valid = one && validValue(one, value);
    /* A model has no "auto" left; a new network finds its own tokenization, and its number of heads. */
    const automatic = one && ((one.default === "auto" && !/bpe/.test(value)) || (key === "attention_heads" && info.settings.attention !== "multihead"));
    if (valid !== undefined && valid !== null && valid !== one.default && !automatic) state.settings[key] = valid;
  }
  const epoch = info.history ? info.history.epochs : 0;
  state.now = signature();
  replaceNetwork(info, Object.assign(newRun(), { status: "loaded", epoch, epochs: epoch, signature: state.now, watched }));
  offerEarlier(earlier);
  takeSearch(info);
  drawSettings();
  drawRun();
  drawTranslateSoon();
  untell("learn");
  tell("model", () => t("model.opened", { name, parameters: info.parameters.toLocaleString("en"), source: info.sourceVocabulary, target: info.targetVocabulary }));
  await checkFit(state.run, quiet);
}

/* Warn if the model lacks words of the pairs. If it lacks many, learning begins again rather than going on. */
async function checkFit(run, quiet) {
  let words = 0, lacking = 0;
  for (const [text, reference] of pairs.lines.filter((line) => !isBlank(line)).slice(0, 20).map(sidesOf)) {
    const [found] = await engine.call("translate", { slot: "main", text, options: { reference } }).catch(() => []);
    if (found === undefined || state.run !== run) continue;
    words += found.sourceKnown.length + found.targetIds.length - 1;
    lacking += found.sourceKnown.filter((one) => !one).length + found.targetIds.filter((id) => id === UNKNOWN).length;
  }
  if (lacking === 0 || state.run !== run) return;
  if (!quiet) tell("fit", () => t("model.unfit", { n: lacking, of: words }), { bad: true });
  if (lacking > words / 10) run.signature = "";
  drawRun();
}

async function takeModelFile(file) {
  if (file.size > MOST_MODEL_FILE) {
    tell("model", () => t("error.model.large", { size: sizeOf(file.size), most: sizeOf(MOST_MODEL_FILE) }), { bad: true });
    return;
  }
  try {
    await openModel(new Uint8Array(await file.arrayBuffer()), file.name);
  } catch (error) {
    if (error.code !== "stopped") tell("model", () => t("error.model", { name: file.name, problem: wordsOf(error) }), { bad: true });
  }
}

/* ---- Links ---- */

function placeNow() {
  const place = new URLSearchParams();
  place.set("view", state.view);
  place.set("lang", state.language);
  if (pairs.set !== "own") place.set("set", pairs.set);
  else if (pairs.lines.join("\n").length <= MOST_LINKED_TEXT) place.set("pairs", pairs.lines.filter((line) => !isBlank(line)).join("\n"));
  place.set("epochs", state.epochs);
  place.set("hold", state.hold);
  if (state.watched !== "") place.set("sentence", state.watched);
  if (asked.text !== "") place.set("text", asked.text);
  place.set("beam", asked.beam);
  for (const [name, value] of Object.entries(state.settings)) place.set(name, value);
  return place;
}

/* The address of the page stays as it is: after a change it would bring the old pairs back. */
async function copyLink() {
  const place = placeNow(), address = `${location.href.split("#")[0]}#${place}`;
  if (pairs.set === "own" && !place.has("pairs")) {
    tell("link", () => t("link.long"));
    return;
  }
  const local = location.protocol === "file:" ? "link.local" : "link.copied";
  await navigator.clipboard.writeText(address).then(() => tell("link", () => t(local)), () => tell("link", () => t("link.address", { address })));
}

/* Take over what a link, a handed-out page or the last visit says. The names of hyperparameters are known only after
 * the module has started; until then their values wait here. */
let wantedSettings = {};

function takePlace(place) {
  const number = (name, least, most) => {
    const value = Number(place[name]);
    return place[name] !== undefined && place[name] !== "" && Number.isInteger(value) && value >= least && value <= most ? value : undefined;
  };
  if (place.lang in { en: 1, zh: 1 }) state.language = place.lang;
  if (VIEWS.includes(place.view)) state.view = place.view;
  if (typeof place.pairs === "string" && place.pairs.trim() !== "") {
    Object.assign(pairs, { set: "own", lines: place.pairs.split("\n"), given: null, wanted: null });
    Object.assign(state, { epochs: epochsOfSet(), hold: 0 });
  } else if (place.set === "daily" || place.set === "toy") {
    Object.assign(pairs, { set: "toy", lines: [...TOY], given: null, wanted: place.set, wantedEpochs: false });
    Object.assign(state, { epochs: epochsOfSet(place.set), hold: 0 });
  }
  /* A built-in set has its own numbers of epochs and of validation sentences, unless others are given. */
  if (place.epochs !== undefined) pairs.wantedEpochs = true;
  state.epochs = number("epochs", 1, MOST_EPOCHS) ?? state.epochs;
  state.hold = number("hold", -1, 1000) ?? state.hold;
  if (typeof place.sentence === "string") state.watched = place.sentence.slice(0, MOST_TYPED);
  if (typeof place.text === "string") asked.text = place.text.slice(0, MOST_TYPED);
  asked.beam = number("beam", 1, 64) ?? asked.beam;
  wantedSettings = { ...wantedSettings, ...place.settings };
  const known = ["lang", "view", "pairs", "set", "epochs", "hold", "sentence", "text", "beam", "settings"];
  for (const [name, value] of Object.entries(place)) if (!known.includes(name)) wantedSettings[name] = value;
}

function applyWantedSettings() {
  const refused = [];
  for (const [name, value] of Object.entries(wantedSettings)) {
    const one = hyperparameter(name);
    const valid = one && validValue(one, value);
    if (one === undefined || valid === undefined) refused.push(`${name}=${value}`);
    else if (valid !== one.default) state.settings[name] = valid;
  }
  if (refused.length > 0) tell("link", () => t("error.link", { list: refused.slice(0, 5).join(", ") }), { bad: true });
}

const STORED_CHOICES = ["theme", "scale"];

function restoreVisit() {
  const last = stored();
  state.language = (navigator.language || "en").toLowerCase().startsWith("zh") ? "zh" : "en";
  const { language, settings, set, pairs: own, ...rest } = last;
  const { theme, scale, numbers, ...place } = rest;
  takePlace({ ...place, lang: language, set, ...(set === "own" && typeof own === "string" ? { pairs: own } : {}), settings: settings || {} });
  for (const id of STORED_CHOICES)
    if ([...byId(id).options].some(({ value }) => value === last[id])) byId(id).value = last[id];
  byId("numbers").checked = numbers === true;
}

/* Return what a handed-out page presets. */
function readPreset() {
  const text = byId("preset").textContent.trim();
  try {
    return text === "" ? {} : JSON.parse(text);
  } catch (error) {
    tell("preset", () => t("error.preset", { problem: error.message }), { bad: true });
    return {};
  }
}

function listenToKeeping() {
  byId("model-save").addEventListener("click", listenedAction(saveModel));
  byId("model-open").addEventListener("click", () => byId("model-file").click());
  byId("model-file").addEventListener("change", ({ target }) => {
    if (target.files.length > 0 && state.ready) takeModelFile(target.files[0]);
    target.value = "";
  });
  byId("link").addEventListener("click", copyLink);
  byId("forget").addEventListener("click", forgetEverything);
}
