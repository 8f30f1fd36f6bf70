/* The page contains one JSON record per line. The list needs only the first members of a record, so a
 * record is parsed completely when it is shown. Its texts become text nodes, never markup. */

/* ---- Records ---- */

const STRING = /"[^"\\]*(?:\\.[^"\\]*)*"/.source;
const START = new RegExp(
  `^\\{"sentence": ?(\\d+), ?"hypothesis": ?(\\d+), ?(?:"model": ?(${STRING}), ?)?"source": ?(${STRING}), ?"text": ?(${STRING})[,}]`,
);

function glance(line) {
  const start = START.exec(line);
  if (start === null) return JSON.parse(line);
  const [, sentence, hypothesis, model, source, text] = start;
  return {
    sentence: Number(sentence),
    hypothesis: Number(hypothesis),
    model: model === undefined ? undefined : JSON.parse(model),
    source: JSON.parse(source),
    text: JSON.parse(text),
  };
}

/* Return the sentences in file order, each with the lines of its hypotheses by model. */
function readSentences(lines) {
  const sentences = new Map();
  const models = new Set();
  for (const line of lines) {
    const { sentence: number, hypothesis, model = "", source, text } = glance(line);
    if (!sentences.has(number)) sentences.set(number, { number, source, byModel: new Map() });
    const { byModel } = sentences.get(number);
    if (!byModel.has(model)) byModel.set(model, []);
    byModel.get(model).push({ number: hypothesis, text, line });
    models.add(model);
  }
  return { sentences: [...sentences.values()], models: [...models] };
}

/* Return the hypotheses of the selected model; if it has none for this sentence, those of the last model. */
function hypothesesOf(sentence) {
  return sentence.byModel.get(state.models[state.model]) || lastOf(sentence);
}

/* Return the hypotheses of the last model, which is the most recent one of a training run. */
const lastOf = ({ byModel }) => [...byModel.values()].at(-1);

/* The matrices of a record: attention of the decoder, or self-attention of a side, whose rows and columns
 * are the same words. */
const PARTS = {
  attention: { label: "attention" },
  source: { label: "encoder self-attention", key: "source_self_attention", tokens: "source_tokens", text: "source" },
  target: { label: "decoder self-attention", key: "target_self_attention", tokens: "target_tokens", text: "text" },
};

/* Return the matrices of the heads; none if there is only one head. */
function headsOf(record, part) {
  const heads = part === "attention" ? record.head_attention : record[PARTS[part].key];
  return heads && heads.length > 1 ? heads : [];
}

function meanOf(matrices) {
  return matrices[0].map((row, t) =>
    row.map((_, s) => sumOf(matrices.map((matrix) => matrix[t][s])) / matrices.length));
}

function whichHead(count, head) {
  if (count < 2) return "";
  return head === null ? `, mean of ${count} heads` : `, head ${head + 1} of ${count}`;
}

/* Return the matrix of a record to show: the mean of the heads, or one head. */
function viewOf(record, part, head) {
  if (part === "attention")
    return completed({
      record, part, sourceText: record.source, targetText: record.text,
      which: whichHead(record.head_attention ? record.head_attention.length : 1, head),
      sources: record.source_tokens, targets: record.target_tokens, known: record.source_known,
      sentinel: record.sentinel, segments: record.segments, segmentEnds: record.segment_ends,
      ...(head === null ? { weights: record.attention, entropy: record.entropy, coverage: record.coverage }
        : { weights: record.head_attention[head] }),
    });
  const { key, tokens, text } = PARTS[part], matrices = record[key];
  return completed({
    record, part, sourceText: record[text], targetText: record[text], which: whichHead(matrices.length, head),
    sources: record[tokens], targets: record[tokens], known: part === "source" ? record.source_known : null,
    weights: head === null ? meanOf(matrices) : matrices[head],
  });
}

/* Criteria for sorting sentences, in descending order. */
const MEASURES = {
  entropy: ({ entropy }) => sumOf(entropy) / Math.max(1, entropy.length),
  loss: ({ log_probability: sum, target_tokens: tokens }) =>
    (Number.isFinite(sum) ? -sum / Math.max(1, tokens.length) : -Infinity),
};

/* Return a measure of the best translation. Records are long, so measures are computed once, on demand. */
function measureOf(sentence, name) {
  sentence.measures ??= {};
  if (!(name in sentence.measures)) {
    const record = JSON.parse(lastOf(sentence)[0].line);
    for (const [key, measure] of Object.entries(MEASURES)) sentence.measures[key] = measure(record);
  }
  return sentence.measures[name];
}

/* ---- The selected sentence ---- */

const state = {
  sentences: [],
  models: [],      // their names
  model: 0,        // index of the selected one
  links: [],       // their entries in the list
  order: [],       // indices of the sentences in list order
  found: [],       // search results, in that order
  index: 0,        // of the sentence
  hypothesis: 0,   // its index in the sentence
  record: null,
  view: null,
  kept: null,      // the view kept for comparison, and the name of its sentence
  pinned: null,    // what stays highlighted, see litBy()
};

function wordButton(side, at, token, lang) {
  return element("button", {
    type: "button", "data-side": side, "data-at": at, tabindex: at === 0 ? 0 : -1,
    "aria-pressed": "false", "aria-describedby": "readout",
  }, isolate(token, lang));
}

/* This page exists in one language, so it does not translate the names of figures. */
const nameOfFigure = (name) => name;

/* Return the nodes of a header. Words of comparison tables are not reachable by keys. */
const wordIn = (view) => (side, at, token, lang) => [
  view === state.view ? wordButton(side, at, token, lang) : isolate(token, lang),
  ...(side === "source" && view.known && !view.known[at] ? [element("span", { class: "unseen" }, " (not in the vocabulary)")] : []),
];

function coverageRow({ coverage, figures }) {
  const row = element("tr", {}, element("th", { scope: "row", class: "figure" }, "coverage"),
    ...coverage.map(() => element("td", { class: "figure" })), ...figures.map(() => element("td", {})));
  coverage.forEach((value, s) => fillFigure(row.cells[s + 1], value, Math.max(1, ...coverage)));
  return row;
}

/* With more columns than this, headers are vertical. */
const WIDE = 16;

/* The view of each table. */
const shownIn = new WeakMap();

function tableOf(view, caption) {
  const table = tableOfView(view, view.figures, wordIn(view), { class: "map" }, caption);
  table.append(element("tfoot", {}, coverageRow(view)));
  if (view === state.view) table.id = "heat-map";
  table.classList.toggle("own", view.record === state.record && view.part === state.view.part);
  table.classList.toggle("tall", view.sources.length > WIDE);
  shownIn.set(table, view);
  return table;
}

/* Return the text with each token in an element of its own, so that it can be highlighted. */
function lineOf(text, spans, side) {
  const whole = element("bdi", { lang: languageOf(text) });
  let at = 0;
  spansOf(text, spans).forEach(([start, end], index) => {
    if (start < at || start === end) return; // such as </s>
    whole.append(...nodesOf(text.slice(at, start)),
      element("span", { "data-side": side, "data-at": index }, ...nodesOf(text.slice(start, end))));
    at = end;
  });
  whole.append(...nodesOf(text.slice(at)));
  return whole;
}

function factsOf(record) {
  if (record.error !== undefined) return `no translation: ${record.error}`;
  const facts = [
    `log-probability ${figure(record.log_probability, 3)}`,
    `score ${figure(record.score, 3)}`,
  ];
  if (record.forced) facts.push("forced decoding");
  if (!record.ended) facts.push("truncated before </s>");
  return facts.join(" \u00B7 ");
}

function fillChoice(id, labels, chosen) {
  byId(id).replaceChildren(...labels.map((label, index) => new Option(label, index)));
  byId(id).value = chosen;
  byId(`${id}-choice`).hidden = labels.length < 2;
}

const mapNodes = () => [...document.querySelectorAll("table.map")];

function captionOf(view) {
  if (view.part === "attention")
    return `Attention weights${view.which}: one row per target word, one column per source word`;
  const { label } = PARTS[view.part];
  return `${label[0].toUpperCase()}${label.slice(1)}${view.which}: one row per word, one column ` +
    `per word it attends to`;
}

/* Draw the kept map, and the maps of the single heads if they are to be shown. */
function drawBeside() {
  const { kept } = state, heads = byId("heads").checked ? headsOf(state.record, chosenPart()) : [];
  byId("beside").replaceChildren(
    ...(kept === null ? [] : [tableOf(kept.view,
      `${kept.name}, ${PARTS[kept.view.part].label}${kept.view.which}: ` +
      `${isolated(kept.view.record.source)} \u2192 ${isolated(kept.view.record.text)}`)]),
    ...heads.map((_, head) => tableOf(viewOf(state.record, chosenPart(), head), `Head ${head + 1}`)));
  byId("beside").hidden = byId("beside").children.length === 0;
  byId("maps").classList.toggle("pair", !byId("beside").hidden);
}

/* Redraw tables, legend and readout after a change of sentence, hypothesis, head or scale. */
function drawTable() {
  const head = Number(byId("head").value); // 0: the mean of all
  state.view = viewOf(state.record, chosenPart(), head === 0 ? null : head - 1);
  state.pinned = null;
  byId("scroll").replaceChildren(tableOf(state.view, captionOf(state.view)));
  drawBeside();
  drawLegend();
  applySize();
  light(null);
}

/* Lines and gaps do not shrink below a pixel, so the first guess is too wide; further guesses are closer. */
const FIT_GUESSES = 5;

/* `room`: a width in pixels; by default that of the parent element. */
function fitTo(table, room) {
  table.style.removeProperty("zoom");
  const width = room ?? table.parentNode.clientWidth;
  let zoom = 1;
  for (let guess = 0; guess < FIT_GUESSES; guess++) {
    const now = table.getBoundingClientRect().width;
    if (now <= width) break;
    zoom *= width / now;
    table.style.zoom = zoom;
  }
}

function applySize() {
  const size = byId("size").value;
  for (const table of mapNodes()) {
    if (size === "fit") fitTo(table);
    else if (size === "1") table.style.removeProperty("zoom");
    else table.style.zoom = size;
  }
}

const chosenPart = () => byId("part").value || "attention";

function fillParts(record) {
  const there = Object.keys(PARTS).filter((part) => part === "attention" || record[PARTS[part].key]);
  const old = chosenPart();
  byId("part").replaceChildren(...there.map((part) => new Option(PARTS[part].label, part)));
  byId("part").value = there.includes(old) ? old : "attention";
  byId("part-choice").hidden = there.length < 2;
}

/* Keep the selected head if the number of heads is unchanged. */
function fillHeads(record) {
  const heads = headsOf(record, chosenPart());
  const before = byId("head").options.length - 1;
  const chosen = before === heads.length ? byId("head").value : 0;
  fillChoice("head", ["mean of all", ...heads.map((_, h) => `head ${h + 1}`)], chosen);
  byId("heads-choice").hidden = heads.length === 0;
}

function changePart() {
  fillHeads(state.record);
  drawTable();
}

function keep() {
  const title = byId("title").textContent;
  const name = state.models.length < 2 ? title : `${title}, ${isolated(state.models[state.model])}`;
  state.kept = state.kept === null ? { view: state.view, name } : null;
  byId("keep").setAttribute("aria-pressed", String(state.kept !== null));
  drawTable();
}

function drawLegend() {
  byId("legend").replaceChildren(scaleOfWeights());
  if (state.view.known && state.view.known.includes(false))
    byId("legend").append(
      element("span", { class: "unknown" }, element("bdi", {}, "not in the vocabulary")));
}

/* Return the pixels of a character in the font of the page. */
function pixelsOf(character) {
  const canvas = element("canvas", { width: 40, height: 40 });
  const context = canvas.getContext("2d", { willReadFrequently: true });
  context.font = `24px ${getComputedStyle(byId("source")).fontFamily}`;
  context.fillText(character, 4, 30);
  return context.getImageData(0, 0, 40, 40).data;
}

/* Characters missing in all fonts are drawn as the same box. */
function lacksHan() {
  const one = pixelsOf("\u6211"), other = pixelsOf("\u7231");
  return one.every((value, i) => value === other[i]);
}

function drawSentence() {
  const sentence = state.sentences[state.index];
  const hypotheses = hypothesesOf(sentence);
  state.hypothesis = Math.min(state.hypothesis, hypotheses.length - 1);
  const hypothesis = hypotheses[state.hypothesis];
  const record = JSON.parse(hypothesis.line);
  const name = `Sentence ${sentence.number} of ${state.sentences.at(-1).number}`;
  state.record = record;
  byId("title").textContent = name;
  document.title = `${name} \u2013 attention`;
  byId("source").replaceChildren(lineOf(record.source, record.source_spans, "source"));
  byId("translation").replaceChildren(lineOf(record.text, record.target_spans, "target"));
  byId("facts").textContent = factsOf(record);
  byId("fonts").hidden = !/\p{Script=Han}/u.test(record.source + record.text) || !lacksHan();
  fillChoice("hypothesis", hypotheses.map((one) => `${one.number}: ${isolated(one.text)}`),
    state.hypothesis);
  fillParts(record);
  fillHeads(record);
  drawTable();
  byId("announcement").textContent =
    `${name}. ${isolated(record.source)}. ${isolated(record.text)}.`;
}

/* ---- Highlighting words and the words they are linked to ---- */

/* With self-attention, words of the text are not highlighted: both sides of the table are the same text. */
function wordsOf(side) {
  const where = state.view.part === "attention" ? "#main" : "#heat-map";
  return [...document.querySelectorAll(`${where} [data-side="${side}"]`)];
}

/* A link is strong from this weight, unless another has more than twice its weight. */
const STRONG = 0.1;

function lightPartners(side, weights) {
  const most = Math.max(...weights);
  for (const word of wordsOf(side)) {
    const weight = weights[word.dataset.at];
    shade(word, weight);
    word.classList.toggle("strong", weight >= STRONG && weight >= most / 2);
  }
}

function readoutOf(lit) {
  if (lit === null)
    return matchMedia("(pointer: coarse)").matches ? "Tap a word to see its strongest links."
      : "Point at a word, or select it with the keys, to see its strongest links.";
  const { t, s, view } = lit;
  const { sources, targets, weights, sentinel, entropy, coverage } = view;
  if (t >= 0 && s >= 0) return `${isolated(targets[t])} \u2192 ${isolated(sources[s])}: ${figure(weights[t][s], 4)}`;
  const list = strongest(view, lit, 3, ", ");
  if (t < 0) return `${isolated(sources[s])} is attended to by: ${list}. Coverage ${figure(coverage[s], 3)}.`;
  return `${isolated(targets[t])} attends to: ${list}. ` +
    (sentinel === null ? "" : `No token: ${figure(sentinel[t], 3)}. `) + `Entropy ${figure(entropy[t], 3)}.`;
}

/* Highlight a target word, a source word, the cell of both, or nothing (null). */
function light(lit) {
  for (const word of document.querySelectorAll("#main [data-side]")) {
    word.classList.remove("shaded", "strong", "chosen");
    if (word.matches("button")) word.setAttribute("aria-pressed", "false");
  }
  byId("readout").textContent = readoutOf(lit);
  for (const map of document.querySelectorAll("table.own")) lightTable(map, lit);
  if (lit === null) return;
  const { t, s, view: { weights } } = lit;
  if (s < 0) lightPartners("source", weights[t]);
  if (t < 0) lightPartners("target", weights.map((row) => row[s]));
  for (const word of [...wordsOf("source"), ...wordsOf("target")]) {
    if (Number(word.dataset.at) !== (word.dataset.side === "source" ? s : t)) continue;
    word.classList.add("chosen");
    if (state.pinned === lit && word.matches("button")) word.setAttribute("aria-pressed", "true");
  }
}

function pin(lit) {
  const same = state.pinned !== null && lit !== null && state.pinned.s === lit.s && state.pinned.t === lit.t;
  state.pinned = same ? null : lit;
  light(state.pinned);
}

/* Return the word or cell of an event as {t, s, view}; -1 stands for a whole column or row. The table of a single head
 * has weights of its own. */
function litBy(node) {
  const word = node.closest("[data-side]"), cell = node.closest("table.own td.weight");
  if (word === null) return cell && { ...placeInMap(cell), view: shownIn.get(cell.closest("table")) };
  if (word.closest("#texts") !== null && state.view.part !== "attention") return null;
  const at = Number(word.dataset.at);
  return { view: state.view, ...(word.dataset.side === "source" ? { t: -1, s: at } : { t: at, s: -1 }) };
}

/* Tab reaches one word of a row or column; arrow keys move to the others. */
function moveWord(button, key) {
  const words = [...document.querySelectorAll(`#heat-map button[data-side="${button.dataset.side}"]`)];
  const at = Number(button.dataset.at);
  const back = button.dataset.side === "source" ? "ArrowLeft" : "ArrowUp";
  const forth = button.dataset.side === "source" ? "ArrowRight" : "ArrowDown";
  const places = { [back]: at - 1, [forth]: at + 1, Home: 0, End: words.length - 1 };
  if (!(key in places)) return false;
  const next = words[places[key]] || button;
  for (const word of words) word.tabIndex = word === next ? 0 : -1;
  next.focus();
  return true;
}

/* ---- Choosing sentences ---- */

/* The fragment of the address, #sentence or #sentence.hypothesis, selects what is shown. */
function placeOf(index, hypothesis) {
  const { number } = state.sentences[index];
  if (hypothesis === 0) return `#${number}`;
  return `#${number}.${hypothesesOf(state.sentences[index])[hypothesis].number}`;
}

function go(index, hypothesis = 0) {
  const place = placeOf(index, hypothesis);
  if (location.hash === place) show();
  else location.replace(place);
}

function readPlace() {
  const match = /^#(\d+)(?:\.(\d+))?$/.exec(location.hash);
  if (match === null) return;
  const index = state.sentences.findIndex(({ number }) => number === Number(match[1]));
  if (index < 0) return;
  const wanted = Number(match[2] || 0);
  state.index = index;
  state.hypothesis =
    Math.max(0, hypothesesOf(state.sentences[index]).findIndex(({ number }) => number === wanted));
}

function show() {
  const inTable = byId("scroll").contains(document.activeElement) &&
    document.activeElement.dataset.side;
  const inList = byId("list").contains(document.activeElement);
  readPlace();
  drawSentence();
  markInList(inList);
  if (inTable) document.querySelector(`#heat-map button[data-side="${inTable}"]`).focus();
}

function markInList(withFocus) {
  byId("list").querySelector("[aria-current]")?.removeAttribute("aria-current");
  const link = state.links[state.index];
  for (const other of byId("list").querySelectorAll('[tabindex="0"]')) other.tabIndex = -1;
  link.setAttribute("aria-current", "true");
  /* Tab needs a visible stop. */
  const stop = link.parentNode.hidden && state.found.length > 0 ? state.links[state.found[0]] : link;
  stop.tabIndex = 0;
  if (withFocus) link.focus();
  scrollInList(link);
  byId("previous").disabled = neighbor(-1) === undefined;
  byId("next").disabled = neighbor(1) === undefined;
}

/* Scroll the list only: scrollIntoView would also scroll the page where the list is above the sentence. */
function scrollInList(link) {
  if (link.parentNode.hidden) return;
  const list = link.closest("nav");
  const box = link.getBoundingClientRect();
  const view = list.getBoundingClientRect();
  if (box.top < view.top) list.scrollTop += box.top - view.top;
  if (box.bottom > view.bottom) list.scrollTop += box.bottom - view.bottom;
}

/* Return the next search result in a direction, or undefined. */
function neighbor(step) {
  const place = state.sentences[state.index].rank;
  return step > 0 ? state.found.find((index) => state.sentences[index].rank > place)
    : state.found.findLast((index) => state.sentences[index].rank < place);
}

function move(step) {
  const index = neighbor(step);
  if (index !== undefined) go(index);
}

function listEntry(sentence, index) {
  const { source } = sentence;
  const [first] = lastOf(sentence);
  const link = element("a", { href: placeOf(index, 0), tabindex: -1 },
    source.trim() === "" ? element("bdi", { class: "none", lang: "en" }, "no text") : isolate(source),
    isolate(first.text),
    element("span", { class: "measure" }));
  state.links.push(link);
  return element("li", {}, link);
}

/* Ignore case, and the difference between composed and decomposed letters. */
const folded = (text) => text.normalize("NFC").toLowerCase();

function search() {
  const wanted = folded(byId("search").value);
  state.found = state.order.filter((index) => state.sentences[index].folded.includes(wanted));
  const hits = new Set(state.found);
  state.links.forEach((link, index) => { link.parentNode.hidden = !hits.has(index); });
  const all = state.sentences.length;
  byId("count").textContent = wanted === "" ? `${all} ${all === 1 ? "sentence" : "sentences"}`
    : `${state.found.length} of ${all}`;
  markInList(false);
}

/* Sort in file order or by a measure; equal sentences stay in file order. */
function sortList() {
  const name = byId("order").value;
  const value = (index) => measureOf(state.sentences[index], name);
  state.order = state.sentences.map((_, index) => index);
  if (name in MEASURES) state.order.sort((one, other) => value(other) - value(one) || one - other);
  state.order.forEach((index, rank) => { state.sentences[index].rank = rank; });
  state.links.forEach((link, index) => {
    const figures = link.querySelector(".measure");
    figures.textContent = name in MEASURES ? `${name} ${figure(value(index), 2)}` : "";
  });
  byId("list").append(...state.order.map((index) => state.links[index].parentNode));
}

function emptySearch() {
  if (byId("search").value === "") return;
  byId("search").value = "";
  search();
}

function fillList() {
  byId("list").append(...state.sentences.map(listEntry));
  for (const sentence of state.sentences)
    sentence.folded = folded([sentence.source,
      ...[...sentence.byModel.values()].flat().map(({ text }) => text)].join("\n"));
}

/* ---- Showing models in succession ---- */

/* Time for which each model is shown, in milliseconds. */
const BEAT = 700;
let beat = null;

function showModel(at) {
  state.model = at;
  byId("model").value = at;
  byId("model").setAttribute("aria-valuetext", state.models[at]);
  byId("model-name").textContent = `${isolated(state.models[at])} (${at + 1} of ${state.models.length})`;
  drawSentence();
}

function stopPlaying() {
  clearInterval(beat);
  beat = null;
  byId("play").textContent = "Play";
}

/* Start again if the last model is shown; stop at the last. */
function play() {
  if (beat !== null) {
    stopPlaying();
    return;
  }
  const last = state.models.length - 1;
  byId("play").textContent = "Stop";
  showModel(state.model === last ? 0 : state.model + 1);
  beat = setInterval(() => {
    if (state.model < last) showModel(state.model + 1);
    if (state.model === last) stopPlaying();
  }, BEAT);
}

function listenToModels() {
  if (state.models.length < 2) return;
  byId("models").hidden = false;
  byId("model").max = state.models.length - 1;
  byId("model").addEventListener("input", (event) => {
    stopPlaying();
    showModel(Number(event.target.value));
  });
  byId("play").addEventListener("click", play);
  showModel(state.model);
}

/* ---- Keys and events ---- */

const LETTERS = {
  j: () => move(1),
  k: () => move(-1),
  n: () => byId("numbers").click(),
  b: keep,
  f: () => {
    byId("size").value = byId("size").value === "fit" ? "1" : "fit";
    applySize();
    storeSettings();
  },
  s: () => {
    byId("scale").selectedIndex = 1 - byId("scale").selectedIndex;
    drawTable();
    storeSettings();
  },
  "/": () => byId("search").select(),
  "?": () => byId("help").showModal(),
};
const ARROWS = { ArrowRight: 1, ArrowLeft: -1 };
const LIST_ARROWS = { ArrowDown: 1, ArrowUp: -1 };

/* Return whether the page has handled the key. */
function press(key, where) {
  const word = where.closest("#heat-map button");
  if (word !== null && moveWord(word, key)) return true;
  if (key === "Escape") {
    if (state.pinned === null) emptySearch();
    pin(null);
    return false;
  }
  if (where.closest("#list") !== null && key in LIST_ARROWS) {
    move(LIST_ARROWS[key]);
    return true;
  }
  /* In the table and its scroll area, arrow keys move within it. */
  if (key in ARROWS && where.closest("#scroll") === null) {
    move(ARROWS[key]);
    return true;
  }
  if (!Object.hasOwn(LETTERS, key) || !byId("letters").checked) return false;
  LETTERS[key]();
  return true;
}

function pressInSearch(event) {
  if (event.key === "Enter" && state.found.length > 0) {
    state.links[state.found[0]].focus();
    go(state.found[0]);
  } else if (event.key === "Escape") {
    emptySearch();
    state.links[state.index].focus();
  } else {
    return;
  }
  event.preventDefault();
}

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (byId("help").open || event.target.matches("select, input:not([type=checkbox])")) return;
  if (press(event.key, event.target)) event.preventDefault();
}

function listenToWords() {
  const main = byId("main");
  const over = (event) => {
    const lit = litBy(event.target);
    if (lit !== null) light(lit);
  };
  const away = () => light(state.pinned);
  main.addEventListener("mouseover", over);
  main.addEventListener("focusin", over);
  for (const id of ["scroll", "source", "translation"]) byId(id).addEventListener("mouseleave", away);
  main.addEventListener("focusout", away);
  main.addEventListener("click", (event) => {
    const lit = litBy(event.target);
    if (lit !== null && event.target.closest("td") === null) pin(lit);
  });
}

/* For printing, wide tables are reduced to this width in pixels (A4 with wide margins). */
const PAPER_WIDTH = 640;

/* ---- Settings, stored in the browser if permitted ---- */

const SETTINGS = ["scale", "numbers", "theme", "size", "order", "heads", "letters"];
const STORE = "elman-attention";

/* Storage may be refused, for a page from a file or by the browser's settings. */
const stored = () => attempt(() => JSON.parse(localStorage.getItem(STORE))) || {};

function storeSettings() {
  const settings = {};
  for (const id of SETTINGS)
    settings[id] = byId(id).type === "checkbox" ? byId(id).checked : byId(id).value;
  attempt(() => localStorage.setItem(STORE, JSON.stringify(settings)));
}

/* The stored settings may be invalid or belong to another version. */
function restoreSettings() {
  const settings = stored();
  for (const id of SETTINGS) {
    const control = byId(id), value = settings[id];
    if (control.type === "checkbox") control.checked = typeof value === "boolean" ? value : control.checked;
    else if ([...control.options].some((option) => option.value === value)) control.value = value;
  }
  applyTheme();
}

const applyTheme = () => { document.documentElement.dataset.theme = byId("theme").value; };

/* ---- Narrow screens ---- */

/* On narrow screens the map comes first. The elements are moved, so that the keys reach them in visual order. */
function arrange({ matches: narrow }) {
  const columns = document.querySelector(".columns"), header = document.querySelector("header");
  const list = document.querySelector("nav");
  const words = [byId("texts"), byId("facts"), byId("choices")];
  const focused = document.activeElement;
  if (narrow) {
    columns.after(header);
    header.after(list);
    byId("legend").after(...words);
  } else {
    columns.before(header);
    columns.prepend(list);
    byId("readout").before(...words);
  }
  focused.focus();
}

/* ---- Events of controls ---- */

function listenToSettings() {
  const changes = {
    scale: drawTable, size: applySize, heads: drawTable, theme: applyTheme,
    numbers: () => mapNodes().forEach((map) => map.classList.toggle("numbers", byId("numbers").checked)),
    order: () => { sortList(); search(); },
    letters: () => {},
  };
  for (const id of SETTINGS)
    byId(id).addEventListener("change", () => {
      changes[id]();
      storeSettings();
    });
}

/* Save the visible maps, from left to right. */
function saveAs(kind) {
  const views = mapNodes().map((map) => ({ view: shownIn.get(map), caption: map.caption.textContent }));
  savePicture(pictureOf(views), kind, `attention-${location.hash.slice(1) || "1"}`);
}

function listen() {
  document.addEventListener("keydown", onKey);
  window.addEventListener("hashchange", show);
  window.addEventListener("resize", applySize);
  window.addEventListener("beforeprint", () => mapNodes().forEach((map) => fitTo(map, PAPER_WIDTH)));
  window.addEventListener("afterprint", applySize);
  byId("search").addEventListener("input", search);
  byId("search").addEventListener("keydown", pressInSearch);
  byId("previous").addEventListener("click", () => move(-1));
  byId("next").addEventListener("click", () => move(1));
  byId("keep").addEventListener("click", keep);
  byId("part").addEventListener("change", changePart);
  byId("save-svg").addEventListener("click", () => saveAs("svg"));
  byId("save-png").addEventListener("click", () => saveAs("png"));
  byId("head").addEventListener("change", drawTable);
  byId("hypothesis").addEventListener("change", (event) => go(state.index, Number(event.target.value)));
  byId("help-open").addEventListener("click", () => byId("help").showModal());
  listenToWords();
  listenToSettings();
  const narrow = matchMedia("(max-width: 44rem)");
  narrow.addEventListener("change", arrange);
  if (narrow.matches) arrange(narrow);
}

function start() {
  const records = byId("records");
  Object.assign(state,
    readSentences(records.textContent.split("\n").filter((one) => one.trim() !== "")));
  state.model = state.models.length - 1;
  records.remove();
  if (state.sentences.length === 0) {
    byId("message").textContent = "There are no sentences in this file.";
    byId("message").hidden = false;
    return;
  }
  byId("main").hidden = false;
  fillList();
  restoreSettings();
  sortList();
  readPlace();
  search();
  listen();
  show();
  listenToModels();
}

start();
