/* The pairs: an editable table, built-in sets, files and pasted text. */

const TOY = [
  ["我 爱 学习", "I love studying"], ["他 在 喝 茶", "He is drinking tea"], ["她 是 我 的 老师", "She is my teacher"],
  ["我们 去 学校", "We go to school"], ["今天 天气 很 好", "The weather is nice today"],
].map((sides) => sides.join("\t"));
/* The first run: few enough pairs for a dozen epochs in some seconds, but too many to memorize, so that the network
 * must align words. The five listed sentences have links that cross. */
const FIRST = {
  set: "first", count: 450, epochs: 12,
  settings: { attention: "scaled", hiddenSize: 64, embeddingSize: 64, batchSize: 8, learningRate: 0.003 },
  listed: [
    ["她 昨天 没 吃 这 个 苹果", "She did not eat this apple yesterday"], ["他 的 书 你 看 过 吗", "Have you read his book"],
    ["我们 每天 在 家 看 书", "We read books at home every day"], ["这 个 苹果 你 不 喜欢", "You do not like this apple"],
    ["明天 我们 在 家 喝 茶", "We will drink tea at home tomorrow"],
  ].map((sides) => sides.join("\t")),
};
const ROWS = 20;                  // rows in a page of the table
const SHORT = 6;                  // number of pairs listed beside the curve
const MOST_TEXT = 4 * 2 ** 20;    // maximum characters or bytes of pairs
const MOST_LINES = 50000;

/* Lines have a tab between source and target. `given` are pairs for validation that belong to the set; `lesson` is true
 * for the pairs of a lesson; when they are replaced, they are not offered again. `more` is the number of faults that
 * are not listed. */
const pairs = { set: "toy", lines: [...TOY], given: null, page: 0, faults: new Map(), more: 0, count: TOY.length, version: 0, lesson: false };
let dailyText = null;

const SETS = [FIRST.set, "daily", "toy", ...Object.keys(MADE_SETS), "own"];

/* The built-in set that a link names and that is chosen when the module has started, or null. */
const wantedSet = () => ((pairs.wanted ?? "toy") === "toy" ? null : pairs.wanted);

const sidesOf = (line) => {
  const at = line.indexOf("\t");
  if (at < 0) return [line, ""];
  const end = line.indexOf("\t", at + 1);
  return [line.slice(0, at), end < 0 ? line.slice(at + 1) : line.slice(at + 1, end)];
};
const isBlank = (line) => line.trim() === "";

/* Return the numbers of the lines that are learned, or those held out for validation. */
function chosenLines(held) {
  const each = state.hold > 0 ? state.hold : 0;
  const chosen = [];
  let number = 0;
  pairs.lines.forEach((line, at) => {
    if (isBlank(line)) return;
    number++;
    if ((each > 0 && number % each === 0) === held) chosen.push(at);
  });
  return chosen;
}

/* Return the texts to learn and to validate with; the second is null without validation. */
function textsOfPairs() {
  const joined = (lines) => lines.map((at) => `${pairs.lines[at]}\n`).join("");
  const held = chosenLines(true);
  if (state.hold === -1 && pairs.given !== null) return { text: joined(chosenLines(false)), dev: pairs.given };
  return { text: joined(chosenLines(false)), dev: held.length > 0 ? joined(held) : null };
}

/* ---- Changing the set ---- */

function snapshotOfPairs() {
  const { set, lines, given, page, lesson: ofLesson } = pairs;
  return { set, lines: [...lines], given, page, lesson: ofLesson, hold: state.hold, epochs: state.epochs };
}

function bringBack({ set, lines, given, page, lesson: ofLesson, hold, epochs }) {
  Object.assign(pairs, { set, lines, given, page, lesson: ofLesson });
  Object.assign(state, { hold, epochs });
  pairsChanged();
}

/* Report that pairs were changed, and offer to restore the earlier ones. If the user changed the
 * set since, restoring offers these changes again. */
function offerPairs(before, words) {
  const { version } = pairs;
  const go = () => {
    const now = pairs.version === version ? null : snapshotOfPairs();
    bringBack(before);
    if (now !== null) offerPairs(now, () => t("pairs.replaced"));
  };
  tell("pairs", words, { action: { label: "undo", go } });
}

/* Call after any change of the set: draw, check and store. */
function pairsChanged() {
  pairs.version++;
  pairs.page = Math.min(pairs.page, Math.max(0, Math.ceil(pairs.lines.length / ROWS) - 1));
  const sources = pairs.lines.slice(0, 2000).map((line) => sidesOf(line)[0].trim()).filter(Boolean);
  if (!sources.includes(state.watched) && referenceOf(state.watched) === "") watch(sources[0] || "");
  drawPairs();
  drawShort();
  drawSettings();
  checkSoon();
  settingsChanged();
}

async function choosePairs(set, quiet = false) {
  if (set === "own") return;
  const isFirst = set === FIRST.set;
  if ((isFirst || set === "daily") && dailyText === null)
    dailyText = await unpackedText("daily");
  const undo = pairs.set === "own" && !pairs.lesson && !quiet ? snapshotOfPairs() : null;
  pairs.lesson = false;
  pairs.page = 0;
  pairs.set = set;
  if (set === "toy") {
    Object.assign(pairs, { lines: [...TOY], given: null });
  } else if (isFirst || set === "daily") {
    const [learned, held] = dailyText.split("\n\n"), lines = learned.trim().split("\n");
    Object.assign(pairs, isFirst ? { lines: lines.slice(0, FIRST.count), given: null } : { lines, given: `${held.trim()}\n` });
    if (isFirst && !FIRST.listed.some(isWatched)) watch(sidesOf(FIRST.listed[0])[0]);
  } else {
    Object.assign(pairs, madeSet(set));
  }
  Object.assign(state, { hold: holdOfSet(), epochs: epochsOfSet() });
  pairsChanged();
  if (undo !== null) offerPairs(undo, () => t("pairs.replaced"));
}

/* Return a function that says why a text is no set of pairs, or null. */
function problemOfText(text, lines, name) {
  if (text.length > MOST_TEXT) return () => t("error.large", { size: sizeOf(text.length), most: sizeOf(MOST_TEXT) });
  if (lines.length > MOST_LINES) return () => t("error.lines", { most: MOST_LINES });
  if (lines.length === 0) return () => t("error.nothing");
  const hasPair = lines.some((line) => sidesOf(line).every((side) => !isBlank(side)));
  return hasPair || name === "" ? null : () => t("error.none", { name, looks: t(looksOf(lines)) });
}

/* Take pasted or read text as pairs: in place of a built-in set, or after the user's own pairs. A file without a pair
 * changes nothing. */
function takeText(text, { name = "", encoding = "utf-8", at = null } = {}) {
  untellFaults();
  const undo = snapshotOfPairs();
  const lines = text.length > MOST_TEXT ? [] : text.replace(/^\ufeff/, "").split(/\r\n|\n|\r/);
  while (lines.length > 0 && isBlank(lines.at(-1))) lines.pop();
  const problem = problemOfText(text, lines, name);
  if (problem !== null) {
    tell("pairs", problem, { bad: true });
    return;
  }
  const replace = name !== "" || pairs.set !== "own";
  if (replace) {
    Object.assign(pairs, { lines, given: null, page: 0, lesson: false });
    Object.assign(state, { hold: lines.length >= 200 ? 10 : 0, epochs: epochsOfSet("own") });
  } else {
    const place = at === null ? pairs.lines.length : at;
    const empty = at !== null && isBlank(pairs.lines[at]) ? 1 : 0;
    pairs.lines = [...pairs.lines.slice(0, place), ...lines, ...pairs.lines.slice(place + empty)];
    pairs.page = Math.floor(place / ROWS);
  }
  pairs.set = "own";
  pairsChanged();
  const key = name === "" ? "pairs.pasted" : encoding === "utf-8" ? "pairs.read" : "pairs.read.as";
  offerPairs(undo, () => t(key, { n: lines.length, name, encoding: encoding.toUpperCase() }));
}

/* Learning should take seconds rather than minutes at first. */
const epochsFor = (count) => (count <= 50 ? 80 : count <= 500 ? 40 : count <= 5000 ? 15 : 5);
const epochsOfSet = (set = pairs.set) => MADE_SETS[set]?.epochs ?? { first: FIRST.epochs, toy: 80, daily: 15 }[set] ?? epochsFor(pairs.lines.length);
/* Return how many pairs to hold out; -1 for a set that has sentences for validation of its own. */
const holdOfSet = (set = pairs.set) => ([FIRST.set, "toy", "own"].includes(set) ? 0 : -1);

const sizeOf = (bytes) => (bytes >= 2 ** 20 ? `${(bytes / 2 ** 20).toFixed(bytes >= 10 * 2 ** 20 ? 0 : 1)} MB`
  : `${Math.max(1, Math.round(bytes / 1024))} KB`);

async function takePairsFile(file) {
  untellFaults();
  const refuse = (key, values) => tell("pairs", () => t(key, { name: file.name, ...values }), { bad: true });
  const bytes = new Uint8Array(await file.slice(0, MOST_TEXT + 1).arrayBuffer()), kind = kindOfFile(bytes);
  if (isModelFile(bytes)) {
    await takeModelFile(file);
    return;
  }
  if (kind !== null) {
    refuse("error.kind", { kind });
    return;
  }
  if (file.size > MOST_TEXT) {
    refuse("error.large", { size: sizeOf(file.size), most: sizeOf(MOST_TEXT) });
    return;
  }
  const { text, encoding } = decodedFile(bytes);
  if (text !== null) {
    const lines = await pairsOfTable(text, file.name, encoding);
    if (lines !== null) takeText(lines, { name: file.name, encoding });
    return;
  }
  const read = new TextDecoder(encoding).decode(bytes);
  refuse("error.encoding", { encoding: encoding.toUpperCase(), line: read.slice(0, read.indexOf("\ufffd")).split("\n").length });
}

/* ---- Checking ---- */

let checkTimer = null;

function checkSoon() {
  clearTimeout(checkTimer);
  checkTimer = setTimeout(check, pairs.lines.length > 1000 ? 400 : 150);
}

const check = newestOnly(async () => {
  if (!state.ready) return;
  const { version } = pairs;
  const sent = pairs.lines.map((_, at) => at).filter((at) => !isBlank(pairs.lines[at]));
  try {
    const text = sent.map((at) => `${pairs.lines[at]}\n`).join("");
    const report = text === "" ? { count: 0, skipped: [], faults: 0 } : await engine.call("check", { text });
    if (version !== pairs.version) return;
    pairs.count = report.count;
    const words = (fault, problem) => (`fault.${fault}` in TEXTS ? t(`fault.${fault}`) : problem || fault);
    pairs.faults = new Map(report.skipped.map(({ line, fault, problem }) => [sent[line - 1], words(fault, problem)]));
    pairs.more = report.faults - report.skipped.length;
    untell("check");
  } catch (error) {
    if (error.code !== "stopped") tell("check", () => wordsOf(error), { bad: true });
  }
  markFaults();
});

/* ---- Drawing ---- */

function rowOf(at) {
  const [source, target] = sidesOf(pairs.lines[at]);
  const side = (name, value) => {
    const input = element("input", {
      type: "text", value, lang: languageOf(value), dir: "auto", autocomplete: "off", spellcheck: "false",
      "aria-label": t("pairs.side", { side: t(name), n: at + 1 }), "data-side": name, "data-at": at,
    });
    return element("td", {}, input);
  };
  const remove = element("button", { type: "button", class: "close", "data-remove": at, "aria-label": t("pairs.remove.n", { n: at + 1 }) }, "×");
  return element("tr", { "data-at": at },
    element("th", { scope: "row" }, String(at + 1)), side("source", source), side("target", target), element("td", {}, remove));
}

function drawPairs() {
  const from = pairs.page * ROWS, to = Math.min(pairs.lines.length, from + ROWS);
  byId("pairs-rows").replaceChildren(...Array.from({ length: to - from }, (_, row) => rowOf(from + row)));
  byId("pager").hidden = pairs.lines.length <= ROWS;
  byId("page-back").disabled = pairs.page === 0;
  byId("page-next").disabled = to >= pairs.lines.length;
  byId("page-place").textContent = t("pairs.place", { from: from + 1, to, n: pairs.lines.length });
  drawSetChoice();
  drawHold();
  drawGiven();
  markFaults();
}

function drawSetChoice() {
  for (const id of ["pairs-choice", "pairs-set"]) {
    byId(id).replaceChildren(...SETS.filter((set) => set !== "own" || pairs.set === "own").map((set) => new Option(t(`pairs.${set}`), set)));
    byId(id).value = pairs.set;
  }
}

function drawHold() {
  byId("hold").querySelector('[value="-1"]')?.remove();
  if (pairs.given !== null)
    byId("hold").append(new Option(t("pairs.hold.given", { n: givenLines().length }), "-1"));
  byId("hold").value = String(state.hold);
}

/* Mark the wrong lines where they stand, and list them above the table. */
function markFaults() {
  for (const row of byId("pairs-rows").rows) {
    const at = Number(row.dataset.at), problem = pairs.faults.get(at);
    row.querySelector(".fault")?.remove();
    row.classList.toggle("wrong", problem !== undefined);
    for (const input of row.querySelectorAll("input")) {
      setOrRemove(input, "aria-invalid", problem && "true");
      setOrRemove(input, "aria-describedby", problem && `fault-${at}`);
    }
    if (problem !== undefined)
      row.cells[2].append(element("p", { class: "fault", id: `fault-${at}` }, visible(problem)));
  }
  const wrong = [...pairs.faults.keys()];
  byId("faults").replaceChildren();
  if (wrong.length > 0) {
    const links = wrong.slice(0, 8).map((at) => button("link", () => showLine(at), [t("pairs.line.n", { n: at + 1 })]));
    const more = wrong.length + pairs.more - links.length;
    byId("faults").append(element("p", { class: "note bad" }, t("pairs.wrong", { n: wrong.length + pairs.more }), " ", ...links,
      more > 0 ? t("pairs.wrong.more", { n: more }) : ""));
  }
  const held = state.hold === -1 && pairs.given ? givenLines().length : chosenLines(true).length;
  byId("pairs-count").textContent = t("pairs.count", { n: pairs.count }) + (held > 0 ? t("pairs.count.held", { n: held }) : "");
}

function showLine(at) {
  pairs.page = Math.floor(at / ROWS);
  drawPairs();
  const input = byId("pairs-rows").querySelector(`input[data-at="${at}"]`);
  input.focus();
  input.scrollIntoView({ block: "nearest" });
}

const isWatched = (line) => sidesOf(line)[0].trim() === state.watched;

/* Return the listed pairs: those of the first run or else the first ones of the set, and the watched one. */
function listedLines() {
  const shown = pairs.set === FIRST.set ? [...FIRST.listed] : [];
  if (shown.length === 0) for (let at = 0; at < pairs.lines.length && shown.length < SHORT; at++)
    if (sidesOf(pairs.lines[at])[0].trim() !== "") shown.push(pairs.lines[at]);
  if (!shown.some(isWatched)) {
    const watched = pairs.lines.find(isWatched) ?? givenLines().find(isWatched);
    if (watched !== undefined) shown[Math.min(shown.length, SHORT - 1)] = watched;
  }
  return shown;
}

/* The list: each sentence with its translation by the network, or its reference while there is no network. */
function drawShort() {
  const shown = listedLines(), watched = shown.findIndex(isWatched);
  byId("pairs-short").replaceChildren(...shown.map((line, at) => {
    const source = sidesOf(line)[0].trim();
    const choose = () => {
      watch(source);
      drawShort();
    };
    return element("li", {}, button("", choose, [isolate(sidesOf(line)[0]), ...glossesOf(sidesOf(line)[0], true), isolate(sidesOf(line)[1])],
      { "aria-pressed": String(at === watched), title: visible(sidesOf(line)[1]) }));
  }));
  drawListed();
  byId("pairs-edit").textContent = pairs.lines.length > shown.length ? t("pairs.edit.all", { n: pairs.lines.length.toLocaleString("en") }) : t("pairs.edit");
}

/* Write the translations of the list, which may be those of an earlier epoch. */
function drawListed(list = state.run?.listed ?? []) {
  const found = new Map(list), lines = listedLines();
  [...byId("pairs-short").children].forEach(({ firstChild: place }, at) => {
    if (lines[at] === undefined) return;
    const [source, target] = sidesOf(lines[at]).map((side) => side.trim()), text = found.get(source), second = place.lastElementChild;
    const isRight = text !== undefined && text === target;
    if (second.text !== (text ?? target)) {
      second.text = text ?? target;
      second.replaceWith(Object.assign(isolate(second.text || "∅"), { text: second.text }));
    }
    place.classList.toggle("translated", text !== undefined);
    place.classList.toggle("right", isRight);
    setOrRemove(place, "aria-description", isRight ? t("is.right") : text === undefined ? null : t("reference.is", { text: isolated(target) }));
  });
}

/* The sentences for validation that belong to the set. */
const givenLines = () => (pairs.given === null ? [] : pairs.given.trim().split("\n"));

/* Return the reference of the sentence, or "". */
function referenceOf(source) {
  const of = (lines) => lines.find((one) => sidesOf(one)[0].trim() === source);
  const line = of(pairs.lines) ?? of(givenLines());
  return line === undefined ? "" : sidesOf(line)[1].trim();
}

/* List the sentences for validation, if the set has some, so that the user can choose one to watch. */
function drawGiven() {
  const lines = givenLines();
  byId("given").hidden = lines.length === 0;
  write(byId("given-title"), t("pairs.given", { n: lines.length }));
  if (byId("given").hidden || !byId("given").open) return;
  byId("given-list").replaceChildren(...lines.map((line) => {
    const choose = () => {
      watch(sidesOf(line)[0].trim());
      drawShort();
      showView("learn", true);
    };
    return element("li", {}, button("link", choose, sidesOf(line).flatMap((side) => [isolate(side), " "])));
  }));
}

/* ---- Events ---- */

function editSide(input) {
  const at = Number(input.dataset.at);
  const sides = sidesOf(pairs.lines[at]);
  sides[input.dataset.side === "source" ? 0 : 1] = input.value.replace(/[\t\r\n]/g, " ");
  const watchedHere = sidesOf(pairs.lines[at])[0].trim() === state.watched;
  pairs.lines[at] = sides.join("\t");
  Object.assign(pairs, { set: "own", lesson: false });
  pairs.given = state.hold === -1 ? pairs.given : null;
  pairs.version++;
  if (watchedHere) watch(sides[0].trim());
  drawSetChoice();
  drawShort();
  checkSoon();
  settingsChanged();
}

function addPair() {
  pairs.lines.push("\t");
  Object.assign(pairs, { set: "own", lesson: false, version: pairs.version + 1 });
  pairs.page = Math.floor((pairs.lines.length - 1) / ROWS);
  drawPairs();
  byId("pairs-rows").querySelector("tr:last-child input").focus();
}

function removePair(at) {
  const before = snapshotOfPairs(), [line] = pairs.lines.splice(at, 1);
  Object.assign(pairs, { set: "own", lesson: false });
  pairsChanged();
  const { version } = pairs;
  const go = () => {
    if (pairs.version === version) {
      bringBack(before);
      return;
    }
    pairs.lines.splice(at, 0, line);
    pairsChanged();
  };
  tell("pairs", () => t("pairs.removed", { n: at + 1 }), { action: { label: "undo", go } });
  const next = byId("pairs-rows").querySelector(`[data-remove="${Math.min(at, pairs.lines.length - 1)}"]`);
  (next || byId("pairs-add")).focus();
}

/* Text with tabs or several lines is taken as pairs. A text that is too large is refused everywhere. */
function onPaste(event) {
  const text = event.clipboardData?.getData("text/plain") ?? "";
  const isPairs = state.view === "pairs" && /[\t\n]/.test(text.trim());
  if (!isPairs && text.length <= MOST_TEXT) return;
  event.preventDefault();
  const input = event.target.closest("#pairs-rows input"), at = input === null ? null : Number(input.dataset.at);
  pairsOfTable(text, t("import.pasted"), "utf-8").then((lines) => { if (lines !== null) takeText(lines, { at }); }).catch(reportError);
}

function listenToPairs() {
  for (const id of ["pairs-choice", "pairs-set"])
    byId(id).addEventListener("change", (event) => choosePairs(event.target.value).catch(reportError));
  byId("pairs-rows").addEventListener("input", (event) => editSide(event.target));
  byId("pairs-rows").addEventListener("click", (event) => {
    const { remove } = event.target.dataset;
    if (remove !== undefined) removePair(Number(remove));
  });
  byId("pairs-rows").addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.isComposing) return;
    const inputs = [...byId("pairs-rows").querySelectorAll("input")];
    const next = inputs[inputs.indexOf(event.target) + 1];
    if (next) next.focus();
    else addPair();
  });
  byId("pairs-add").addEventListener("click", addPair);
  byId("pairs-open").addEventListener("click", () => byId("pairs-file").click());
  byId("pairs-file").addEventListener("change", ({ target }) => {
    if (target.files.length > 0) takePairsFile(target.files[0]).catch(reportError);
    target.value = "";
  });
  byId("pairs-save").addEventListener("click", () => {
    const text = pairs.lines.filter((line) => !isBlank(line)).map((line) => `${line}\n`).join("");
    offer(new Blob([text], { type: "text/tab-separated-values" }), "pairs.tsv");
  });
  byId("given").addEventListener("toggle", drawGiven);
  byId("given-save").addEventListener("click", () => offer(new Blob([pairs.given], { type: "text/tab-separated-values" }), "validation.tsv"));
  byId("hold").addEventListener("change", ({ target }) => {
    state.hold = Number(target.value);
    pairsChanged();
  });
  byId("page-back").addEventListener("click", () => { pairs.page--; drawPairs(); });
  byId("page-next").addEventListener("click", () => { pairs.page++; drawPairs(); });
  byId("pairs-edit").addEventListener("click", () => showView("pairs"));
  document.addEventListener("paste", onPaste);
}
