/* Translation while one types: attention, alternatives, changed weights and the beam. */

const MOST_TYPED = 2000;      // characters
const ALTERNATIVES = 8;
const SHOWN_HYPOTHESES = 10;
const FIRST_BEAM = 5;
const BEAM = { type: "size", minimum: 1, maximum: 64 };
const UNKNOWN = 0, END = 2;   // ids of a token that is not in the vocabulary, and of </s>

const asked = {
  text: "", beam: FIRST_BEAM, cleared: false, split: true, prefix: null, overrides: new Map(), head: null, sentence: 0, results: [], at: 0, position: null, cell: null,
};
let weightMap = null, weightFigure = null;

const shownTranslation = () => asked.results[asked.at] || null;

function translateOptions() {
  return {
    beam: asked.beam, nBest: Math.min(asked.beam, SHOWN_HYPOTHESES),
    ...(searchOfTranslator().lengthPenalty === undefined ? {} : { lengthPenalty: searchOfTranslator().lengthPenalty }),
    ...(asked.split ? {} : { splitSentences: "off" }),
    ...(asked.prefix === null ? {} : { prefix: asked.prefix }),
    ...(asked.overrides.size === 0 ? {} : {
      overrides: [...asked.overrides].map(([place, weight]) => {
        const [row, column] = place.split(",").map(Number);
        return { kind: "cell", row, column, weight };
      }),
    }),
  };
}

/* Mark the translation on show if it belongs to an earlier text. */
function markStale() {
  const shown = shownTranslation(), stale = shown !== null && shown.source !== asked.text;
  byId("translation").classList.toggle("stale", stale);
  byId("translation").setAttribute("aria-busy", String(stale));
}

/* Remove the translation, because the present text has none. */
function clearTranslation() {
  asked.results = [];
  drawTranslation();
}

/* ---- A service that does not answer is asked again. ---- */

const RETRY_FIRST = 1000, RETRY_MOST = 15000;   // milliseconds
const WAITING = 3000;                           // milliseconds without an answer until the page says so
const retrying = { timer: null, delay: RETRY_FIRST };

function retryLater() {
  clearTimeout(retrying.timer);
  retrying.timer = setTimeout(() => { if (state.view === "translate") translateNow(); }, retrying.delay);
  retrying.delay = Math.min(RETRY_MOST, 2 * retrying.delay);
}

function answered() {
  clearTimeout(retrying.timer);
  retrying.delay = RETRY_FIRST;
  untell("translate");
}

/* While a service is silent, an earlier translation must not stay below a new text. */
const sayThatItWaits = () => setTimeout(() => {
  if (shownTranslation()?.source !== asked.text) clearTranslation();
  tell("translate", () => t("served.waits"));
}, WAITING);

/* A local model whose search takes longer than QUICK_SEARCH shows the greedy translation first. The whole search follows at
 * once or, if it takes longer than SLOW_SEARCH, when typing pauses. Only its translation is announced to screen readers, and
 * figures do not show a translation that it replaces at once. */
const QUICK_SEARCH = 4, SLOW_SEARCH = 60, PAUSE_OF_TYPING = 200;    // milliseconds
const searching = { timer: null, pace: null, of: null, isWhole: false, continues: false, announced: "" };

const isSearched = (text) => shownTranslation()?.source === text && searching.isWhole;

/* Return the milliseconds that the search is expected to take, or 0 if no greedy search precedes it. The pace is the time of
 * the last search for each letter. A service gets one request. */
function costOfSearch() {
  if (searching.of !== translator.chosen) Object.assign(searching, { of: translator.chosen, pace: null });
  if (chosenService() !== null || asked.beam === 1 || asked.prefix !== null || asked.overrides.size > 0 || shownTranslation()?.source === asked.text) return 0;
  return searching.pace === null ? SLOW_SEARCH : searching.pace * asked.text.length;
}

const translateNow = newestOnly(async (whole = false) => {
  clearTimeout(retrying.timer);
  clearTimeout(searching.timer);
  markStale();
  if (!canTranslate() || asked.text.trim() === "") {
    answered();
    clearTranslation();
    return;
  }
  const { text } = asked, model = translator.chosen, waiting = chosenService() === null ? null : sayThatItWaits();
  const isOld = () => text !== asked.text || model !== translator.chosen;
  try {
    const cost = whole ? 0 : costOfSearch(), isQuick = cost > QUICK_SEARCH, continues = isQuick && cost <= SLOW_SEARCH, begun = performance.now();
    const results = await translateWith(text, { ...translateOptions(), ...(isQuick ? { beam: 1, nBest: 1 } : {}) });
    if (!isQuick) searching.pace = (performance.now() - begun) / text.length;
    if (isOld()) return;
    if (continues) translateNow(true);
    else if (isQuick) searching.timer = setTimeout(() => translateNow(true), PAUSE_OF_TYPING);
    /* The translation that the user chose from the beam stays: the one with the longest common beginning. */
    const before = asked.at > 0 && shownTranslation()?.source === text ? shownTranslation().targetIds : [];
    const common = ({ targetIds }) => [...targetIds, -1].findIndex((id, place) => id !== before[place]);
    const at = results.reduce((best, one, place) => (common(one) > common(results[best]) ? place : best), 0);
    Object.assign(asked, { results, at });
    Object.assign(searching, { isWhole: !isQuick, continues });
    answered();
    drawTranslation();
  } catch (error) {
    if (error.code === "stopped" || isOld()) return;
    clearTranslation();
    tell("translate", () => wordsOf(error), { bad: true });
    if (error.retry) retryLater();
  } finally {
    clearTimeout(waiting);
  }
});

/* Use the search that the model stores, if it stores one. */
function takeSearch({ search }) {
  asked.beam = validValue(BEAM, search?.beam) ?? asked.beam;
  byId("beam").value = asked.beam;
}

/* Only the visible view is drawn; showView() draws what was left out. */
const drawTranslateSoon = eachFrame(() => {
  if (state.view === "translate") translateNow();
  if (state.view === "inside") drawInsideState();
});

function setText(text) {
  Object.assign(asked, { text, cleared: text === "", prefix: null, position: null, cell: null });
  asked.overrides.clear();
  if (byId("text").value !== text) byId("text").value = text;
  storeSoon();
  markStale();
  translateNow();
}

/* Take what the user has typed or pasted; say so if it is too long. */
function typed(text) {
  if (text.length > MOST_TYPED) tell("text", () => t("text.long", { n: text.length.toLocaleString("en"), most: MOST_TYPED.toLocaleString("en") }));
  else untell("text");
  setText(text.slice(0, MOST_TYPED));
}

/* ---- The translation as a line of tokens ---- */

function drawTranslation() {
  const translation = shownTranslation();
  markStale();
  byId("translation").hidden = translation === null;
  byId("reading").hidden = true;
  byId("translate-empty").hidden = canTranslate();
  write(byId("translate-empty"), t(!state.ready || translator.chosen === "given" ? "busy.loading" : "translate.first"));
  if (translation === null) return;
  drawReading(translation);
  drawOutput(translation);
  drawChanges();
  drawFigures();
}

/* The figures follow when the browser has shown the translation. */
const drawFigures = eachFrame(() => {
  const translation = shownTranslation();
  if (translation === null || searching.continues) return;
  drawWeights(translation);
  drawTree();
  showAlternatives();
}, true);

/* Make characters visible that are not, except line breaks. */
const visibleLines = (text) => text.split("\n").map(visible).join("\n");

/* The line is replaced only if it differs, since a button that is replaced while it is pressed loses the click. */
function drawOutput(translation) {
  const { text, targetTokens, targetSpans, logProbabilities } = translation;
  const shares = Array.from(logProbabilities, (one) => figure(Math.exp(one), 3));
  const key = JSON.stringify([state.language, text, translation.targetIds, shares, asked.prefix, asked.position, shownEpoch(),
    translation.warning]);
  if (searching.isWhole && searching.announced !== key) {
    searching.announced = key;
    announce(visibleLines(text));
  }
  if (byId("output").dataset.key === key) return;
  byId("output").dataset.key = key;
  const lang = languageOf(text);
  const parts = [];
  let from = 0;
  targetTokens.forEach((token, at) => {
    const end = at === targetTokens.length - 1 && translation.ended;
    const [start, stop] = end ? [text.length, text.length] : targetSpans[at];
    if (!end) parts.push(visibleLines(text.slice(from, start)));
    const forced = asked.prefix !== null && at < asked.prefix.length;
    const button = element("button", {
      type: "button", class: forced ? "token fixed" : "token", "data-at": at, "aria-pressed": String(asked.position === at),
      title: t("token.title", { p: shares[at] }), "aria-label": t("token.label", { token: end ? "</s>" : visible(token), p: figure(Math.exp(logProbabilities[at]), 2) }),
    }, end ? element("bdi", { class: "end", dir: "ltr" }, "</s>") : isolate(text.slice(start, stop) || token, lang));
    button.style.setProperty("--share", `${100 * shares[at]}%`);
    parts.push(button);
    from = Math.max(from, stop);
  });
  parts.push(visibleLines(text.slice(from)));
  const focused = document.activeElement?.closest("#output [data-at]")?.dataset.at;
  byId("output").dir = directionOf(text);
  byId("output").replaceChildren(...parts);
  byId("output").querySelector(`[data-at="${focused}"]`)?.focus();
  const facts = [confidenceOf(translation)];
  if (translator.chosen === "own") facts.push(t("epoch.n", { n: shownEpoch() }));
  if (translation.sentences) facts.push(t("sentences.n", { n: translation.sentences.length }));
  if (!(translation.sentences ?? [translation]).every(({ ended }) => ended)) facts.push(t("truncated"));
  byId("output-facts").textContent = facts.join(" · ");
  byId("output-facts").title = t("facts.title", { p: figure(translation.logProbability, 3) });
  byId("warning").hidden = !translation.warning;
  const warning = element("span", {}, ...(translation.warning ? warningOf(translation) : []));
  if (byId("warning").textContent !== warning.textContent) byId("warning").replaceChildren(warning);
}

/* ---- Weights ---- */

function drawWeights(translation) {
  const { headAttention } = translation;
  const heads = headAttention ? headAttention.length : 1;
  byId("heads-choice").hidden = heads < 2;
  if (heads > 1 && byId("head").options.length !== heads + 1)
    byId("head").replaceChildren(new Option(t("head.mean"), ""), ...headAttention.map((_, at) => new Option(at + 1, at)));
  if (asked.head !== null && asked.head >= heads) asked.head = null;
  const { sentences } = translation;
  byId("sentence-choice").hidden = !sentences;
  asked.sentence = Math.min(asked.sentence, (sentences?.length ?? 1) - 1);
  byId("sentence").replaceChildren(...(sentences ?? []).map((_, at) => new Option(at + 1, at)));
  byId("sentence").value = asked.sentence;
  weightMap.marked = new Set(asked.overrides.keys());
  if (state.figure === "map") weightMap.show(mapOf(translation, asked.head));
  else drawNetwork(translation);
  drawWeightPanel();
}

const LATE = 120;             // milliseconds until the network is drawn without its states
const LARGE = 500000;         // number of parameters; in a larger network the states are computed only when the user pauses
const PAUSE = 250;            // milliseconds

/* Draw the network of the translation, or of one of its sentences, with its states if the worker has them soon. */
async function drawNetwork(translation) {
  const { head, sentence } = asked, alone = aloneOf(translation, sentence);
  const isOld = () => shownTranslation() !== translation || asked.head !== head || asked.sentence !== sentence;
  const show = (numbers) => { if (!isOld()) weightFigure.show(networkOf(alone, numbers, head), weightMap.marked); };
  const late = setTimeout(show, LATE, null);
  if (!numbersKnown.has(alone) && networkOfTranslate().info?.parameters > LARGE) await new Promise((go) => { setTimeout(go, PAUSE); });
  if (!isOld()) show(await numbersOf(alone, networkOfTranslate()));
  clearTimeout(late);
}

/* The sentences of each text as translations. They are made only once, so that their numbers are not computed again. */
const alone = new WeakMap();

function aloneOf(translation, number) {
  if (!translation.sentences) return translation;
  if (!alone.has(translation)) alone.set(translation, translation.sentences.map((_, at) => sentenceAlone(translation, at)));
  return alone.get(translation)[number];
}

/* Change the weight of a cell; the others of its row are scaled. */
function override(row, column, weight) {
  if (shownTranslation()?.sentences) return; // a place belongs to one sentence
  asked.overrides.set(`${row},${column}`, Math.round(weight * 100) / 100);
  asked.cell = { row, column };
  drawWeightPanel();
  translateNow();
}

function drawWeightPanel() {
  const panel = byId("weight"), translation = shownTranslation();
  const { cell } = asked;
  if (translation === null || cell === null || cell.row >= translation.targetTokens.length || cell.column >= translation.sourceTokens.length) {
    panel.replaceChildren(element("p", { class: "hint" }, t(state.figure === "map" ? "weight.hint" : "weight.hint.network")));
    return;
  }
  if (translation.sentences) {
    panel.replaceChildren(element("p", { class: "hint" }, t("weight.sentences")));
    return;
  }
  const place = `${cell.row},${cell.column}`;
  const weight = asked.overrides.has(place) ? asked.overrides.get(place) : mapOf(translation, asked.head).weights[cell.row][cell.column];
  const words = t("weight.of", {
    target: isolated(translation.targetTokens[cell.row]), source: isolated(translation.sourceTokens[cell.column]), weight: figure(weight, 2) });
  let slider = panel.querySelector("input");
  if (slider === null || panel.dataset.place !== place) {
    slider = element("input", { type: "range", min: 0, max: 1, step: 0.01, id: "weight-slider" });
    slider.addEventListener("input", () => override(cell.row, cell.column, Number(slider.value)));
    const remove = button("link", () => {
      asked.overrides.delete(place);
      slider.focus();
      translateNow();
    }, [t("weight.restore")]);
    panel.dataset.place = place;
    panel.replaceChildren(element("label", { for: "weight-slider" }), slider, remove, element("p", { class: "hint" }));
  }
  write(panel.querySelector("p"), byId("heads-choice").hidden ? "" : t("weight.heads"));
  panel.querySelector("label").textContent = words;
  if (document.activeElement !== slider) slider.value = weight;
  panel.querySelector("button").hidden = !asked.overrides.has(place);
}

function adjustWeight(key, row, column) {
  const translation = shownTranslation();
  const change = { "+": 0.1, "=": 0.1, "-": -0.1, _: -0.1 }[key];
  if (key === "Delete" || key === "Backspace") {
    asked.overrides.delete(`${row},${column}`);
    translateNow();
    return true;
  }
  if (change === undefined || translation === null) return false;
  override(row, column, Math.min(1, Math.max(0, weightMap.view.weights[row][column] + change)));
  return true;
}

/* Report what was changed, and offer to undo it. */
function drawChanges() {
  const parts = [];
  if (asked.prefix !== null) parts.push(t("changes.prefix", { n: asked.prefix.length }));
  if (asked.overrides.size > 0) parts.push(t("changes.weights", { n: asked.overrides.size }));
  const words = parts.join(" "), isOld = byId("changes").dataset.words === words;
  byId("changes").hidden = parts.length === 0;
  byId("changes").dataset.words = words;
  if (parts.length === 0 || isOld) return; // a button that is replaced while it is pressed loses the click
  const restore = button("", () => {
    asked.prefix = null;
    asked.overrides.clear();
    translateNow();
    byId("text").focus();
  }, [t("changes.restore")], { id: "restore" });
  byId("changes").replaceChildren(element("span", {}, words), restore);
}

/* ---- Alternatives ---- */

function pickPlace(row, column) {
  if (row >= 0 && column >= 0) {
    asked.cell = { row, column };
    drawWeightPanel();
  } else if (row >= 0) {
    pickToken(row);
  }
}

/* A click on a part of the network. */
function pickPart({ kind, s, t: at }) {
  const [row, column] = shownTranslation()?.sentences?.[asked.sentence] ? [shownTranslation().sentences[asked.sentence].targetTokens[0], shownTranslation().sentences[asked.sentence].sourceTokens[0]] : [0, 0];
  if (kind === "a") pickPlace(row + at, column + s);
  if (kind === "w") pickToken(row + at);
}

function pickToken(at) {
  asked.position = asked.position === at ? null : at;
  for (const button of byId("output").querySelectorAll(".token"))
    button.setAttribute("aria-pressed", String(Number(button.dataset.at) === asked.position));
  showAlternatives();
}

/* Return the ids of the sentences before target token `first`; each ends with </s>. */
function prefixBefore({ sentences = [], targetIds }, first) {
  return sentences.filter(({ targetTokens: [, end] }) => end <= first)
    .flatMap(({ targetTokens, ended }) => [...targetIds.slice(...targetTokens), ...(ended ? [] : [END])]);
}

const showAlternatives = newestOnly(async () => {
  const translation = shownTranslation();
  const holder = byId("alternatives");
  const { position } = asked;
  if (translation === null || position === null || position >= translation.targetTokens.length) {
    byId("alternatives-title").textContent = t("alternatives");
    holder.replaceChildren(element("p", { class: "hint" }, t("alternatives.hint")));
    return;
  }
  const ids = translation.targetIds.slice(0, position);
  const sentence = translation.sentences?.find(({ targetTokens: [, end] }) => position < end);
  const [first] = sentence?.targetTokens ?? [0];
  let list;
  try {
    list = await alternativesWith(sentence ? translation.source.slice(...sentence.sourceSpan) : translation.source,
      ids.slice(first), position - first, ALTERNATIVES);
  } catch (error) {
    holder.replaceChildren(element("p", { class: "note bad" }, wordsOf(error)));
    if (error.retry) retryLater();
    return;
  }
  if (shownTranslation() !== translation || asked.position !== position) return;
  const inside = holder.contains(document.activeElement);
  const before = translation.targetTokens.slice(first, position).join(" ");
  byId("alternatives-title").textContent = before === "" ? t("alternatives.start") : t("alternatives.after", { words: isolated(before) });
  holder.replaceChildren(element("ol", { class: "alternatives" }, ...list.map(({ token, id, probability }) => {
    const choose = () => {
      asked.prefix = [...prefixBefore(translation, first), ...ids.slice(first), id];
      translateNow();
    };
    const one = button("", choose, [isolate(token), element("span", { class: "figure" }, figure(probability, 3))],
      { "aria-pressed": String(id === translation.targetIds[position]) });
    one.style.setProperty("--share", `${100 * probability}%`);
    return element("li", {}, one);
  })), ...(asked.overrides.size > 0 ? [element("p", { class: "hint" }, t("alternatives.unchanged"))] : []));
  if (inside) keepFocus(holder.querySelector('[aria-pressed="true"]'));
});

/* ---- The beam ---- */

/* Return how many lines from `at` on begin with the same tokens as that line, up to `place`. */
function linesAlike(results, at, place) {
  const begin = JSON.stringify(results[at].targetIds.slice(0, place + 1));
  let end = at + 1;
  while (end < results.length && results[end].targetIds.length > place && JSON.stringify(results[end].targetIds.slice(0, place + 1)) === begin) end++;
  return end - at;
}

/* One line per hypothesis, the best first. Neighbors share the cells of a common beginning. */
function drawTree() {
  const { results } = asked;
  const lines = results.map(({ targetIds, targetTokens, logProbabilities, score }, at) => {
    const cells = targetTokens.map((token, place) => {
      const isShared = at > 0 && targetIds.slice(0, place + 1).every((id, before) => results[at - 1].targetIds[before] === id);
      if (isShared) return null;
      const probability = Math.exp(logProbabilities[place]);
      const cell = element("td", { rowspan: linesAlike(results, at, place) }, isolate(token), element("span", { class: "figure" }, chance(probability)));
      cell.style.setProperty("--share", `${100 * probability}%`);
      return cell;
    });
    const show = button("link", () => {
      if (asked.results !== results) return; // the list is about to change
      Object.assign(asked, { at, position: null });
      drawTranslation();
    }, [t("beam.rank", { n: at + 1 })], { "aria-pressed": String(at === asked.at) });
    return element("tr", { class: at === asked.at ? "shown" : "" }, element("th", { scope: "row" }, show,
      element("span", { class: "figure" }, t("score.is", { score: figure(score, 3) }))), ...cells.filter((cell) => cell !== null));
  });
  const at = [...byId("tree").querySelectorAll("button")].indexOf(document.activeElement);
  byId("tree").replaceChildren(element("table", { class: "tree" }, element("tbody", {}, ...lines)));
  if (at >= 0) keepFocus(byId("tree").querySelectorAll("button")[Math.min(at, lines.length - 1)]);
}

function listenToTranslation() {
  weightMap = new HeatMap(byId("weights"), {
    caption: () => t("map.caption"), pick: pickPlace, drag: override, adjust: adjustWeight });
  weightFigure = new NetworkFigure(byId("steps"), { pick: pickPart, candidates: candidatesOf });
  byId("text").addEventListener("input", ({ target }) => typed(target.value));
  byId("beam").addEventListener("input", ({ target }) => {
    const beam = validValue(BEAM, target.value);
    markField(target, byId("beam-note"), beam === undefined ? rangeOf(BEAM) : null);
    if (beam === undefined) return;
    asked.beam = beam;
    storeSoon();
    translateNow();
  });
  byId("split").addEventListener("change", ({ target }) => {
    Object.assign(asked, { split: target.checked, prefix: null, position: null, cell: null });
    asked.overrides.clear();
    storeSoon();
    translateNow();
  });
  byId("head").addEventListener("change", ({ target }) => {
    asked.head = target.value === "" ? null : Number(target.value);
    drawWeights(shownTranslation());
  });
  byId("sentence").addEventListener("change", ({ target }) => {
    asked.sentence = Number(target.value);
    drawWeights(shownTranslation());
  });
  byId("output").addEventListener("click", ({ target }) => {
    const token = target.closest(".token");
    if (token !== null) pickToken(Number(token.dataset.at));
  });
  const point = ({ target }) => {
    const token = target.closest(".token");
    if (token === null) return;
    const at = Number(token.dataset.at), from = shownTranslation()?.sentences?.[asked.sentence]?.targetTokens[0] ?? 0;
    weightMap.light({ t: at, s: -1 });
    weightFigure.network.light(at >= from ? { kind: "c", t: at - from } : null);
  };
  const leave = () => {
    weightMap.light(null);
    weightFigure.network.light(null);
  };
  byId("output").addEventListener("pointerover", point);
  byId("output").addEventListener("focusin", point);
  byId("output").addEventListener("pointerleave", leave);
  byId("output").addEventListener("focusout", leave);
}
