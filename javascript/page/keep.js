/* Keeping things: settings, pairs and network of the last visit, model files, and links. */

/* All pages from files share one storage in some browsers, so a page with a model inside stores its data under another
 * name. */
const PACKED = byId("model").textContent.trim();
const STORE = PACKED === "" ? "elman-playground" : `elman-playground-${hashOf(PACKED)}`;
const MOST_STORED_TEXT = 2 ** 18;         // characters of own pairs in the local storage, which has 5 MB for all slots
const MOST_STORED_MODEL = 12 * 2 ** 20;   // bytes
const MOST_MODEL_FILE = 512 * 2 ** 20;    // bytes
const MOST_LINKED_TEXT = 4000;            // characters of own pairs in a link
const MOST_SLOTS = 6;
const DATABASE_SILENCE = 10000;           // milliseconds without an answer after which the page does not use its database
const KEEP_EVERY = 1000;                  // minimum milliseconds between two times that a learning network is kept
const KEEP_SHARE = 0.05;                  // maximum share of the time that keeping may take

/* ---- Slots. Each tab keeps its things in a slot of its own, so that no tab overwrites what another has changed. A slot
 * is an entry of the local storage, and entries of the database whose keys begin with its name. A new tab continues
 * the slot that was changed last: the last visit. If the tab of that slot is still open, this tab finds before it
 * writes that its slot has changed, and takes a new one. ---- */

const VISIT = Math.random().toString(36).slice(2);
const slot = { name: "", text: null, choices: "", at: 0, offered: 0 };

/* Return the slots that are not damaged, the one that was changed last first. A browser may refuse, for example for a page
 * from a file. */
function slotsInStore() {
  const names = attempt(() => Object.keys(localStorage).filter((one) => one.startsWith(`${STORE}/`)), []);
  return names.map((name) => ({ name, text: localStorage.getItem(name), record: attempt(() => JSON.parse(localStorage.getItem(name))) }))
    .filter(({ record }) => record !== null && typeof record === "object")
    .sort((one, other) => (other.record.at ?? 0) - (one.record.at ?? 0));
}

/* Without the storage of the session, a reload continues the slot that was changed last. */
function enterSlot(name) {
  Object.assign(slot, { name, text: null });
  Object.assign(keeping, { largeVersion: -1, at: -Infinity });
  attempt(() => sessionStorage.setItem(STORE, name));
}

/* Choose the slot of this tab: after a reload the same slot as before, otherwise the one that was changed last. */
function chooseSlot() {
  const own = attempt(() => sessionStorage.getItem(STORE));
  const slots = slotsInStore(), found = slots.find(({ name }) => name === own) ?? slots[0];
  enterSlot(found?.name ?? `${STORE}/${VISIT}`);
  if (found !== undefined) Object.assign(slot, { text: found.text, at: found.record.at ?? 0, offered: found.record.offered ?? 0 });
}

/* Take a new slot if another tab has written to the slot of this tab. */
function ownSlot() {
  const text = localStorage.getItem(slot.name);
  if (text !== null && text !== slot.text) enterSlot(`${STORE}/${VISIT}-${Date.now()}`);
}

/* ---- Settings and pairs ---- */

const stored = () => attempt(() => JSON.parse(localStorage.getItem(slot.name))) || {};

let storeTimer = null;

function storeSoon() {
  clearTimeout(storeTimer);
  storeTimer = setTimeout(() => { storeNow(); writePlace(); }, 200);
}

/* Nothing is stored before the last visit is restored, or after the user has deleted everything. */
let storing = false;

/* Return what the user has chosen: the fields of a link. */
const choicesOf = ({ settings, epochs, hold, set, lines, watched }) => ({
  view: state.view, lang: state.language, translator: GIVEN === "" || chosenService() !== null ? "" : translator.chosen, set, pairs: set === "own" ? lines.join("\n") : "", epochs, hold,
  sentence: watched, text: asked.text, beam: asked.beam, split: asked.split ? "" : "off", settings,
});

/* Store the choices of the user, not those of a lesson. Return whether the browser allows it. */
function storeNow() {
  if (!storing) return false;
  const chosen = choicesOf(lesson.before ?? { ...state, ...pairs }), large = chosen.pairs.length > MOST_STORED_TEXT;
  const kept = { ...chosen, pairs: large ? null : chosen.pairs,
    theme: byId("theme").value, scale: byId("scale").value, numbers: byId("numbers").checked, log: byId("log").checked,
    figure: state.figure, glosses: state.glosses, large: byId("large").checked, done: [...lesson.done] };
  try {
    ownSlot();
    const choices = JSON.stringify([kept, large ? pairs.version : 0, slot.offered]);
    /* Data that another tab has deleted stay deleted until something changes. */
    if (choices === slot.choices && slot.text !== null) return localStorage.getItem(slot.name) !== null;
    if (choices !== slot.choices) slot.at = Date.now();
    const text = JSON.stringify({ ...kept, visit: VISIT, at: slot.at, offered: slot.offered });
    localStorage.setItem(slot.name, text);
    Object.assign(slot, { text, choices });
    if (large) keepLargePairs(chosen.pairs);
    return true;
  } catch {
    return false; // The browser stores nothing, so the settings apply to this visit only.
  }
}

/* Offer what another tab has kept, if its pairs differ, until the user takes or refuses it. */
async function offerOtherSlot() {
  const others = slotsInStore().filter(({ name }) => name !== slot.name);
  for (const { name } of others.slice(MOST_SLOTS)) await dropSlot(name);
  const own = pairs.set === "own" ? pairs.lines.join("\n") : "";
  for (const { name, record } of others.slice(0, MOST_SLOTS)) {
    const text = record.set !== "own" ? "" : record.pairs ?? (await inStore("readonly", (store) => store.get(`${name} pairs`)).catch(() => ""));
    if (typeof text !== "string" || text.trim() === "" || text === own || record.at <= slot.offered) continue;
    const closed = () => {
      slot.offered = record.at;
      storeNow();
    };
    tell("tabs", () => t("tabs.other", { n: text.split("\n").length }), { action: { label: "tabs.open", go: () => openSlot(name) }, closed });
    return;
  }
}

/* Continue the slot in this tab. The present slot is kept and offered. */
async function openSlot(name) {
  storeNow();
  await keepModelSoon(0);
  storing = false;
  enterSlot(name);
  clearAddress(); // otherwise the page would restore the choices of the present slot
  location.reload();
}

/* ---- The network and large sets of pairs, in the database of the browser ---- */

/* Some browsers never answer, for example right after they have started. */
function database() {
  return new Promise((give, refuse) => {
    const request = indexedDB.open(STORE, 1);
    setTimeout(refuse, DATABASE_SILENCE, new Error("the database does not answer"));
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

const keeping = { largeVersion: -1, at: -Infinity, cost: 0 };

function keepLargePairs(text) {
  if (keeping.largeVersion === pairs.version) return;
  keeping.largeVersion = pairs.version;
  inStore("readwrite", (store) => store.put(text, `${slot.name} pairs`)).catch(() => {});
}

/* Return whether the last visit had pairs that are too many for the local storage. */
const hasLargePairs = () => stored().set === "own" && stored().pairs === null;

/* Bring back the large set of pairs of the last visit. */
async function restoreLargePairs() {
  if (!hasLargePairs()) return;
  const text = await inStore("readonly", (store) => store.get(`${slot.name} pairs`)).catch(() => undefined);
  if (typeof text !== "string") return;
  Object.assign(pairs, { set: "own", lines: text.split("\n"), given: null });
  const { sentence } = stored();
  pairsChanged();
  if (typeof sentence === "string") watch(sentence);
}

async function dropSlot(name) {
  localStorage.removeItem(name);
  for (const part of ["main", "pairs"]) await inStore("readwrite", (store) => store.delete(`${name} ${part}`)).catch(() => {});
}

/* The last kept network; it also restores the network if the worker must start again. */
let keptModel = null;

/* Return the data that restore the network: its parameters and, unless its run has ended, the state
 * of the training. The worker reports what it has learned before it answers, so `run` belongs to the same update. */
async function networkNow() {
  const kept = await engine.call("state", { slot: "main" });
  const { points, ends, validations, epoch, epochs, best, last, seconds, right, wanted, signature: made } = state.run;
  return { ...kept, info: state.info, run: {
    epoch, epochs, best, last, points, ends: ends.slice(-2000), validations: validations.slice(-500), seconds, right, wanted, signature: made } };
}

/* Keep the network, unless it was kept less than `milliseconds` ago, or keeping takes too large a share of the time. */
const keepModelSoon = newestOnly(async (milliseconds) => {
  const wait = milliseconds === 0 ? 0 : Math.max(milliseconds, keeping.cost / KEEP_SHARE);
  if (!hasModel() || (state.run.epoch === 0 && state.run.last === null) || performance.now() - keeping.at < wait) return;
  const begun = performance.now();
  keeping.at = begun;
  try {
    keptModel = await networkNow();
    if (keptModel.bytes.length > MOST_STORED_MODEL || lesson.before !== null || !storeNow()) return;
    await inStore("readwrite", (store) => store.put(keptModel, `${slot.name} main`));
  } catch {
    /* The browser stores nothing, so the network is kept for this visit only. */
  } finally {
    keeping.cost = performance.now() - begun;
  }
});

/* A page that is hidden may be closed without notice. */
function keepNow() {
  storeNow();
  keepModelSoon(0).catch(() => {});
}

function dropKeptModel() {
  keptModel = null;
  inStore("readwrite", (store) => store.delete(`${slot.name} main`)).catch(() => {});
}

/* The message follows the deletion, because a browser may cancel a deletion when the page is left. */
async function forgetEverything() {
  storing = false;
  clearAddress();
  keptModel = null;
  for (const { name } of slotsInStore()) localStorage.removeItem(name);
  await inStore("readwrite", (store) => store.clear()).catch(() => {});
  tell("forget", () => t("forgotten"));
}

const modelOfLastVisit = async () => (await inStore("readonly", (store) => store.get(`${slot.name} main`)).catch(() => null)) ?? null;

/* Bring a kept network back. A training that had not ended is paused, and continues as if it had not been left. */
async function bringBackNetwork(kept) {
  const { info, problem } = await engine.call("open", { slot: "main", ...kept, epoch: kept.run.epoch, last: kept.run.last, watched: state.watched });
  const resumed = kept.learn !== null && problem === null;
  replaceNetwork(info, Object.assign(newRun(), kept.run, resumed ? { status: "paused" } : { status: "loaded", epochs: kept.run.epoch }, { restored: true }));
  if (problem !== null) tell("fit", () => t("error.resume", { problem: wordsOf(problem) }), { bad: true });
  showWatched();
}

async function restoreModel(kept) {
  await bringBackNetwork(kept);
  keptModel = kept;
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
    const automatic = one && ((["sourceTokens", "targetTokens"].includes(key) && !/bpe/.test(value)) || (key === "attentionHeads" && info.settings.attention !== "multihead"));
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

/* Warn if the model translates from another language than the pairs do, or lacks words of them. If so, or if it lacks
 * many, the next run begins with a new network instead of continuing. */
async function checkFit(run, quiet) {
  const source = state.info.settings.sourceLanguage ?? "", written = languageOf(state.watched);
  let words = 0, lacking = 0;
  if (source !== "" && written !== "" && source.split("-")[0] !== written) {
    if (!quiet) tell("fit", () => t("model.language", { source: nameOfLanguage(source) }), { bad: true });
    run.signature = "";
    drawRun();
    return;
  }
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
  untellFaults();
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
  const { settings, ...choices } = choicesOf({ ...state, ...pairs });
  return new URLSearchParams(Object.entries({ ...choices, ...settings }).filter(([, value]) => value !== ""));
}

/* Return the place that fields of a link or of a handed-out page name. Other fields are hyperparameters. */
function placeOf({ view, lang, translator: translates, set, pairs: lines, epochs, hold, sentence, text, beam, split, lesson: number, step, try: trying, settings, ...others }) {
  return { view, lang, translator: translates, set, pairs: lines, epochs, hold, sentence, text, beam, split, lesson: number, step, try: trying, settings: { ...settings, ...others } };
}

async function copyLink() {
  const place = placeToShare(), address = `${location.href.split("#")[0]}#${place}`;
  if (place.get("pairs")?.length > MOST_LINKED_TEXT) {
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
  const number = (value, minimum, maximum) => validValue({ type: "size", minimum, maximum }, value);
  if (place.lang in { en: 1, zh: 1 }) state.language = place.lang;
  if (VIEWS.includes(place.view)) state.view = place.view;
  if (["own", "given"].includes(place.translator)) translator.wanted = place.translator;
  if (typeof place.pairs === "string" && place.pairs.trim() !== "") {
    Object.assign(pairs, { set: "own", lines: place.pairs.split("\n"), given: null, wanted: null });
    Object.assign(state, { epochs: epochsOfSet(), hold: 0 });
    wantedSettings = {};
  } else if (SETS.includes(place.set) && place.set !== "own") {
    wantedSettings = {}; // a link that names a set states all settings
    const isFirst = place.set === FIRST.set;
    Object.assign(pairs, { set: isFirst ? FIRST.set : "toy", lines: isFirst ? [...FIRST.listed] : [...TOY], given: null, wanted: place.set, wantedEpochs: false });
    Object.assign(state, { epochs: epochsOfSet(place.set), hold: holdOfSet(place.set) });
  }
  /* A built-in set has its own numbers of epochs and of validation sentences, unless others are given. */
  if (place.epochs !== undefined || place.hold !== undefined) pairs.wantedEpochs = true;
  state.epochs = number(place.epochs, 1, MOST_EPOCHS) ?? state.epochs;
  state.hold = number(place.hold, -1, 1000) ?? state.hold;
  if (typeof place.sentence === "string") state.watched = place.sentence.slice(0, MOST_TYPED);
  if (typeof place.text === "string") asked.text = place.text.slice(0, MOST_TYPED);
  asked.beam = validValue(BEAM, place.beam) ?? asked.beam;
  asked.beamWanted = asked.beamWanted || place.beam !== undefined;
  asked.split = place.split !== "off";
  if ((place.lesson !== undefined || place.try !== undefined) && !takeOpening(place))
    wantedSettings = { ...wantedSettings, lesson: place.lesson ?? place.try };
  wantedSettings = { ...wantedSettings, ...place.settings };
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

/* Return whether there was a last visit. */
function restoreVisit() {
  chooseSlot();
  const last = stored();
  isFirstVisit = slot.text === null && location.hash.length <= 1 && byId("preset").textContent.trim() === "";
  state.language = (navigator.language || "en").toLowerCase().startsWith("zh") ? "zh" : "en";
  takePlace(last);
  for (const id of STORED_CHOICES)
    if ([...byId(id).options].some(({ value }) => value === last[id])) byId(id).value = last[id];
  for (const id of ["numbers", "log", "large"]) byId(id).checked = last[id] === true;
  chooseFigure(last.figure === "map" ? "map" : "network");
  state.glosses = typeof last.glosses === "boolean" ? last.glosses : null;
  lesson.done = new Set(Array.isArray(last.done) ? last.done : []);
  return slot.text !== null;
}

/* Return what a handed-out page presets. */
function readPreset() {
  try {
    return placeOf(JSON.parse(byId("preset").textContent.trim() || "{}"));
  } catch (error) {
    tell("preset", () => t("error.preset", { problem: error.message }), { bad: true });
    return placeOf({});
  }
}

function listenToKeeping() {
  /* If another tab took over the slot, keep everything in a new one, also the network. */
  window.addEventListener("storage", ({ key }) => { if (key === slot.name && storing) keepNow(); });
  byId("model-save").addEventListener("click", listenedAction(saveModel));
  byId("model-open").addEventListener("click", () => byId("model-file").click());
  byId("model-file").addEventListener("change", ({ target }) => {
    if (target.files.length > 0 && state.ready) takeModelFile(target.files[0]);
    target.value = "";
  });
  byId("link").addEventListener("click", copyLink);
  byId("forget").addEventListener("click", forgetEverything);
}
