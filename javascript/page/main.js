/* The page as a whole: views, language, dropped files, start. */

const VIEWS = ["learn", "pairs", "translate", "inside", "compare", "lessons"];

function showView(view, focus = false) {
  state.view = view;
  for (const name of VIEWS) {
    const tab = byId(`tab-${name}`), chosen = name === view;
    tab.setAttribute("aria-selected", String(chosen));
    tab.tabIndex = chosen ? 0 : -1;
    byId(`view-${name}`).hidden = !chosen;
    if (chosen && focus) tab.focus();
    if (chosen) tab.scrollIntoView({ block: "nearest", inline: "nearest" });
  }
  if (view === "translate") {
    drawExamples();
    if (asked.text === "" && state.watched !== "" && translator.chosen === "own") asked.text = state.watched;
    asked.cleared = false;
    byId("text").value = asked.text;
    byId("beam").value = asked.beam;
    byId("split").checked = asked.split;
    drawTranslation();
    translateNow();
  }
  if (view === "inside") {
    drawInsideState();
    lookInsideAtOnce();
  }
  if (view === "compare") {
    drawCompareChoices();
    drawCompare();
  }
  if (view === "lessons") drawLessons();
  if (view === "learn") drawRun();
  writePlace();
  storeSoon();
}

function moveTab(event) {
  const at = VIEWS.findIndex((name) => event.target.id === `tab-${name}`);
  const next = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: VIEWS.length - 1 }[event.key];
  if (at < 0 || next === undefined) return;
  event.preventDefault();
  showView(VIEWS[(next + VIEWS.length) % VIEWS.length], true);
}

/* ---- Language and colors ---- */

/* Write all texts of the page in its language. */
function applyLanguage() {
  document.documentElement.lang = state.language;
  byId("language").value = state.language;
  document.title = `elman ${t("playground")}`;
  for (const node of document.querySelectorAll("[data-t]")) node.textContent = t(node.dataset.t);
  for (const node of document.querySelectorAll("[data-t-label]")) node.setAttribute("aria-label", t(node.dataset.tLabel));
  for (const node of document.querySelectorAll("[data-t-title]")) node.title = t(node.dataset.tTitle);
  byId("glosses").checked = glossesAreShown();
  byId("about").textContent = t(isServed() ? "about.served" : "about", { version: state.version });
}

function drawAll() {
  applyLanguage();
  for (const line of byId("messages").children) line.draw();
  redrawInside();
  drawPairs();
  drawShort();
  drawSettings();
  for (const name of SIDES) {
    drawCompareSettings(name);
    if (compared[name].run.watched === null) compared[name].map.empty(t("map.empty"));
  }
  drawWatched(state.run.watched);
  drawTranslators();
  drawRun();
  drawLesson();
  byId("weight").dataset.place = "";
  drawWeightPanel();
  checkSoon();
  showView(state.view);
}

function applyTheme() {
  document.documentElement.dataset.theme = byId("theme").value;
  redrawFigures();
}

function redrawFigures() {
  for (const { network } of [learnFigure, weightFigure]) network.draw();
  for (const map of [learnMap, weightMap, ...SIDES.map((name) => compared[name].map)])
    if (map.view !== null) {
      for (const cell of map.table.querySelectorAll("td.weight")) cell.weight = null;
      map.show(map.view);
    }
  curve.draw();
  compareCurve.draw();
  if (insideState.found !== null) redrawInside();
}

/* ---- Dropped files ---- */

function takeFile(file) {
  if (/\.safetensors$/i.test(file.name)) {
    if (state.ready) takeModelFile(file);
  } else {
    takePairsFile(file).then(() => showView("pairs")).catch(reportError);
  }
}

function listenToDrops() {
  const hasFiles = ({ dataTransfer }) => dataTransfer !== null && [...dataTransfer.types].includes("Files");
  document.addEventListener("dragover", (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    byId("drop").hidden = false;
  });
  document.addEventListener("dragleave", ({ relatedTarget }) => { if (relatedTarget === null) byId("drop").hidden = true; });
  document.addEventListener("drop", (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    byId("drop").hidden = true;
    const [file] = event.dataTransfer.files;
    if (file !== undefined) takeFile(file);
  });
}

/* ---- Start ---- */

/* A module with one instruction of 128-bit SIMD. */
const SIMD = [0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11];

/* Return the name of a feature that the browser lacks, or null. */
function missing() {
  if (typeof WebAssembly !== "object" || !WebAssembly.validate(new Uint8Array(SIMD))) return "WebAssembly SIMD";
  if (typeof Worker !== "function") return "Web Worker";
  if (typeof DecompressionStream !== "function") return "DecompressionStream";
  return null;
}

const failToStart = ({ message }) => tell("engine", () => t("error.start", { problem: message }), { bad: true });

/* The memory of the module cannot be trusted after a trap: start the worker again with the last kept model. The
 * user may also restart it if it takes long. */
let restarts = 0;

async function startAgain(stopped = false) {
  if (state.restarting) return;
  state.restarting = true;
  const kept = keptModel;
  state.ready = false;
  engine.stop();
  translator.given = null;
  replaceNetwork(null, newRun());
  for (const name of SIDES) compared[name].run = newRun();
  if (!stopped && ++restarts > 5) {
    failToStart({ message: "" });
    return;
  }
  try {
    await engine.start();
    try {
      if (kept !== null) await restoreModel(kept);
    } finally {
      state.ready = true;
    }
    openGiven();
    tell("engine", () => t(`${stopped ? "busy.stopped" : "error.restarted"}${kept === null ? "" : ".kept"}`), { bad: !stopped });
  } catch (error) {
    failToStart(error);
  }
  state.restarting = false;
  watchWorker();
  drawRun();
  drawCompareButtons();
}

async function startEngine() {
  const lacking = missing();
  try {
    if (lacking !== null) throw new Error(t("error.browser", { lacking }));
    Object.assign(state, await engine.start());
  } catch (error) {
    failToStart(error);
    byId("status").textContent = t("error.browser.short");
    return;
  }
  applyWantedSettings();
  if (wantedSet() !== null) {
    const { watched, epochs, hold } = state;
    await choosePairs(wantedSet());
    if (pairs.wantedEpochs) Object.assign(state, { epochs, hold });
    if (pairs.wantedSentence) watch(watched);
  }
  if (pairs.wanted === undefined) {
    await restoreLargePairs();
    if (pairs.set === FIRST.set) await choosePairs(FIRST.set); // the browser has lost the large set that was stored
  }
  storing = true;
  storeNow();
  state.now = signature();
  drawSettings();
  chooseContrast(compared.what);
  await firstModel();
  chooseFirstTranslator();
  storeNow(); // this tab now owns its slot
  await offerOtherSlot();
  /* The buttons wait for the pairs and the model: a network that began earlier would be replaced by them. */
  state.ready = true;
  await findService().catch((error) => tell("served", () => wordsOf(error), { bad: true }));
  drawAll();
  openGiven();
  openWanted();
}

/* Bring back the network of the last visit. */
async function firstModel() {
  try {
    const kept = await modelOfLastVisit();
    if (kept === null) return;
    await restoreModel(kept);
    tell("model", () => t("model.last", { n: modelEpoch() }));
  } catch (error) {
    tell("model", () => t("error.model", { name: t("model.kept"), problem: wordsOf(error) }), { bad: true });
  } finally {
    state.busy = null;
  }
}

async function showLicenses({ target }) {
  const text = target.querySelector("pre");
  if (text.textContent === "") text.textContent = await unpackedText("license-text");
}

function listen() {
  listenToPairs();
  listenToLearning();
  listenToFigures();
  listenToTranslation();
  listenToTranslators();
  listenToInside();
  listenToComparison();
  listenToLessons();
  listenToKeeping();
  listenToAddress();
  listenToClass();
  listenToDrops();
  byId("licenses").addEventListener("toggle", () => showLicenses().catch(reportError));
  for (const name of VIEWS) byId(`tab-${name}`).addEventListener("click", () => showView(name));
  byId("tabs").addEventListener("keydown", moveTab);
  byId("language").addEventListener("change", ({ target }) => {
    state.language = target.value;
    drawAll();
    storeSoon();
  });
  byId("theme").addEventListener("change", () => { applyTheme(); storeSoon(); });
  for (const id of ["scale", "numbers", "log"])
    byId(id).addEventListener("change", () => { redrawFigures(); storeSoon(); });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redrawFigures);
  document.addEventListener("click", ({ target }) => {
    if (byId("menu").open && target.closest("#menu") === null) byId("menu").open = false;
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && byId("menu").open) {
      byId("menu").open = false;
      byId("menu").querySelector("summary").focus();
    }
  });
  byId("menu").addEventListener("focusout", ({ relatedTarget }) => {
    if (relatedTarget !== null && !byId("menu").contains(relatedTarget)) byId("menu").open = false;
  });
  window.addEventListener("pagehide", keepNow);
  document.addEventListener("visibilitychange", () => { if (document.hidden) keepNow(); });
  window.addEventListener("beforeunload", warnBeforeLeaving);
  engine.on("progress", onProgress);
  engine.on("failed", onFailed);
  engine.on("broken", () => startAgain());
  const lossPicture = (chart) => () => (chart.isEmpty() ? null : { name: "loss", svg: chart.picture(t("loss")) });
  const mapPicture = (map) => () => map.view && { name: "attention", svg: inLight(() => pictureOf([{
    view: map.view, caption: `${t("attention")}, ${t("epoch.n", { n: shownEpoch() })}: ${visible(map.view.sourceText)} → ${visible(map.view.targetText)}` }])) };
  const figurePicture = (map, figure) => () => (state.figure === "map" ? mapPicture(map)() : figure().view && {
    name: "network", svg: figure().network.picture(`${t("epoch.n", { n: shownEpoch() })}: ${visible(figure().view.sourceText)} → ${visible(figure().view.targetText)}`) });
  fillExports({ curve: lossPicture(curve), "compare-curve": lossPicture(compareCurve), norms: normsPicture, 
    map: figurePicture(learnMap, () => learnFigure), weights: figurePicture(weightMap, () => weightFigure) });
}

function start() {
  state.run = newRun();
  takeFirstPlaces();
  pairs.wantedSentence = state.watched !== "";
  if (!pairs.lines.some((line) => sidesOf(line)[0].trim() === state.watched) && wantedSet() === null) state.watched = sidesOf(pairs.lines[0])[0].trim();
  applyLanguage();
  /* Wait, so that the browser draws the frame of the page first. */
  setTimeout(() => {
    listen();
    applyType();
    applyTheme();
    startEngine().catch(failToStart);
    setTimeout(drawAll, 0);
  }, 0);
}

start();
