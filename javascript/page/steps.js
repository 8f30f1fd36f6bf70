/* A translation step by step in the drawing of network.js, and the numbers of its parts in the equations of docs/bptt.md. */

const SHOWN_UNITS = 4;        // number of elements of a vector that are shown
const SHOWN_TERMS = 4;        // number of terms of a sum that are shown
const CANDIDATES = 5;         // number of words whose probabilities are shown
const MOST_PLAYED = 30000;    // maximum duration of a played translation, in milliseconds
/* Milliseconds of a step by the kind of its part. */
const DURATION = { x: 350, e: 600, b: 600, y: 450, d: 600, u: 900, a: 900, c: 900, w: 900 };

/* ---- The order of the steps, from 1: words enter the encoder, the decoder takes its last state over, and six steps give a
 * word. `y` and so on are functions of the place of the word; -1 is the start <s>. ---- */

function ordersOf(S) {
  const each = Object.keys(DURATION).length - 3, first = 2 * S + 2;
  const at = (place) => (t) => first + each * t + place;
  return { x: (s) => 2 * s + 1, e: (s) => 2 * s + 2, b: 2 * S + 1, y: at(0), d: at(1), u: at(2), a: at(3), c: at(4), w: at(5) };
}

const stepsOf = ({ sources, targets }) => ordersOf(sources.length).w(targets.length - 1);

/* Return the part of a step. Kinds u and a without s mean all scores and all weights of a word. */
function partOfStep({ sources }, order) {
  const S = sources.length, orders = ordersOf(S);
  if (order <= 2 * S) return { kind: order % 2 === 1 ? "x" : "e", s: Math.floor((order - 1) / 2) };
  if (order === orders.b) return { kind: "b" };
  const kinds = ["y", "d", "u", "a", "c", "w"], rest = order - orders.y(0);
  return { kind: kinds[rest % kinds.length], t: Math.floor(rest / kinds.length) };
}

/* ---- Words and numbers ---- */

/* Return a formula as nodes; _x and _{xy} are below the line. */
function formula(text) {
  const nodes = text.split(/(_\{[^}]*\}|_[^\s{}])/).filter(Boolean).map((part) =>
    (part[0] === "_" && part.length > 1 ? element("sub", {}, part.replace(/[_{}]/g, "")) : part));
  return element("span", { class: "formula" }, ...nodes);
}

const vectorOf = (values) => `(${values.slice(0, SHOWN_UNITS).map((value) => figure(value, 2)).join(", ")}${values.length > SHOWN_UNITS ? ", …" : ""})`;
const lengthOf = (values) => Math.sqrt(sumOf(values.map((value) => value * value)));
const between = (one, other) => one.map((value, i) => value - (other?.[i] ?? 0));

/* Return the name of a part, also for speech. */
function nameOfPart(view, { kind, s, t: at }) {
  const { sources, targets, weights, probabilities } = view;
  if (kind === "b" || at === -1) return t(kind === "y" ? "part.y" : "part.b", { word: "<s>", n: 1 });
  const before = at > 0 ? targets[at - 1] : "<s>", n = (s ?? at) + 1;
  if (kind === "a" && s !== undefined) return t("map.cell", { target: isolated(targets[at]), source: isolated(sources[s]), weight: figure(weights[at][s], 3) });
  return t(`part.${kind}`, { n, word: isolated(kind === "x" || kind === "e" ? sources[s] : kind === "y" || kind === "d" ? before : targets[at]),
    p: kind === "w" ? figure(probabilities[at], 3) : "" });
}

/* The equation of a state by the cell, [number, right side]; x, e and h stand for input, state and earlier state. */
const CELLS = {
  elman: ["2", "tanh(W_{ih} x + b_{ih} + W_{hh} h + b_{hh})"], relu: ["29", "max(0, W_{ih} x + b_{ih} + W_{hh} h + b_{hh})"],
  gru: ["30", "(1 − u) ⊙ n + u ⊙ h"], lstm: ["32", "o ⊙ tanh(c)"],
};
/* The equations of scores and of weights by the mechanism. */
const SCORES = {
  dot: ["6", "d · e"], scaled: ["6", "d · e / √H"], general: ["45", "W_q d · e"], additive: ["46", "ω · tanh(W_q d + b + W_k e)"],
  projected: ["49", "q · k / √H"], multihead: ["49", "q · k / √(H/K)"], local: ["45", "W_q d · e"], adaptive: ["45", "W_q d · e"],
  sentinel: ["46", "ω · tanh(W_q d + b + W_k e)"], hierarchical: ["45", "W_q d · e"],
};
const WEIGHTS = { local: "53", adaptive: "59", sentinel: "63", hierarchical: "69" };

/* The network of a view: where the worker has it, and its info, which is null at a service. */
const networkOfLearn = () => (sketchOnShow() === null ? { place: { slot: "main", epoch: state.epoch }, info: state.info }
  : { place: { slot: SLOT_OF_SKETCH }, info: sketch.info });
const networkOfTranslate = () => ({ place: networkOnShow().place, info: chosenService() !== null ? null : networkOnShow().info });
const infoOfView = () => (state.view === "translate" ? networkOfTranslate() : networkOfLearn()).info;
const shownInfo = () => infoOfView()?.settings ?? null;

function stateLines(side, n, values, before) {
  const info = shownInfo(), cell = info?.cell ?? "elman", isSource = side === "e", input = isSource ? "x" : "y", prime = isSource ? "" : "′";
  const [number, right] = CELLS[cell];
  const own = info?.layerNorm ? "41" : info?.inputFeeding && !isSource ? "44" : cell === "elman" && !isSource ? "5" : number;
  const written = right.replace(/W_\{(\w+)\}/g, `W${prime}_{$1}`).replace(/b_\{(\w+)\}/g, `b${prime}_{$1}`).replace(/\bx\b/, `${input}_{${n}}`).replace(/\bh$|\bh(?= )/, `${side}_{${n - 1}}`);
  const lines = [[own, `${side}_{${n}} = ${written}`]];
  if (values) lines.push(["", `${side}_{${n}} = ${vectorOf(values)}`], ["", t("step.change", { formula: `‖${side}_{${n}} − ${side}_{${n - 1}}‖`, value: figure(lengthOf(between(values, before)), 2) })]);
  return lines;
}

function scoreLine(view, at, s) {
  const info = shownInfo(), [number, right] = SCORES[info?.attention] ?? ["6", "d · e"], n = `${at + 1},${s + 1}`;
  const written = right.replace(/\bd\b/, `d_{${at + 1}}`).replace(/\be\b/, `e_{${s + 1}}`).replace(/\bq\b/, `q_{${at + 1}}`).replace(/\bk\b(?! e)/, `k_{${s + 1}}`);
  const score = view.scores?.[at]?.[s];
  let steps = "";
  if (score != null && info.attention === "scaled")
    steps = ` = ${figure(score * Math.sqrt(info.hiddenSize), 2)} / ${figure(Math.sqrt(info.hiddenSize), 2)}`;
  return [number, `u_{${n}} = ${written}${steps}${score == null ? "" : ` = ${figure(score, 2)}`}`];
}

function weightLine(view, at, s) {
  const info = shownInfo(), number = WEIGHTS[info?.attention] ?? "7", n = `${at + 1},${s + 1}`, weight = figure(view.weights[at][s], 2), row = view.scores?.[at];
  if (view.own && Math.abs(view.own[at][s] - view.weights[at][s]) > 1e-3) return ["", t("step.changed", { formula: `a_{${n}} = ${weight}` })];
  if (number !== "7" || !row || row.includes(null)) return [number, `a_{${n}} = ${weight}`];
  const most = Math.max(...row), powers = row.map((score) => Math.exp(score - most));
  return [number, `a_{${n}} = exp(${figure(row[s], 2)} − ${figure(most, 2)}) / ${figure(sumOf(powers), 2)} = ${figure(powers[s], 2)} / ${figure(sumOf(powers), 2)} = ${weight}`];
}

/* Return a sum of the largest terms. A row of several heads shows their mean, which is no factor of their values. */
function contextLine(view, at) {
  const kind = shownInfo()?.attention, c = `c_{${at + 1}}`, value = kind === "projected" ? "v" : "e";
  if (kind === "multihead") return ["49", `${c} = W_m [${c}¹ ; …] + b_m`];
  const order = view.weights[at].map((weight, s) => [weight, s]).sort((one, other) => other[0] - one[0]);
  const terms = order.slice(0, SHOWN_TERMS).map(([weight, s]) => `${figure(weight, 2)} ${value}_{${s + 1}}`), isCut = order.length > SHOWN_TERMS || kind === "sentinel";
  return [{ sentinel: "64", projected: "49" }[kind] ?? "8", `${c} = ${terms.join(" + ")}${isCut ? " + …" : ""}`];
}

/* Return the numbers of a part: lines of [equation, formula]. */
function linesOfPart(view, { kind, s, t: at }) {
  const { translation, keys, queries, contexts } = view, info = shownInfo(), n = (s ?? at ?? 0) + 1, every = Array.from(view.sources, (_, place) => place);
  const short = (list) => (list.length > 8 ? [...list.slice(0, 8), "…"] : list).join(", ");
  switch (kind) {
  case "x":
    return [["1", `x_{${n}} = E_{src}[${translation.sourceIds?.[s] ?? "…"}]`]];
  case "e":
    return info?.bidirectional ? [["34", `e_{${n}} = ${keys ? vectorOf(keys[s]) : "[→ ; ←]"}`]] : stateLines("e", n, keys?.[s], keys?.[s - 1]);
  case "b":
    return [info?.bidirectional ? ["35", "d_0 = tanh(W_b e_{final} + b_b)"] : ["5", `d_0 = e_{${view.sources.length}}`]];
  case "y":
    return [["4", `y_{${at < 0 ? 1 : n}} = E_{tgt}[${at > 0 ? translation.targetIds[at - 1] : 1}]`]];
  case "d":
    return at < 0 ? linesOfPart(view, { kind: "b" }) : stateLines("d", n, queries?.[at], queries?.[at - 1] ?? keys?.at(-1));
  case "u":
    return [[scoreLine(view, at, 0)[0], `u_{${n}} = (${short(every.map((place) => figure(view.scores?.[at]?.[place], 2)))})`], scoreLine(view, at, 0)];
  case "a":
    if (s !== undefined) return [scoreLine(view, at, s), weightLine(view, at, s)];
    return [[WEIGHTS[info?.attention] ?? "7", `a_{${n}} = softmax(u_{${n}}) = (${short(every.map((place) => figure(view.weights[at][place], 2)))})`], weightLine(view, at, view.weights[at].indexOf(Math.max(...view.weights[at])))];
  case "c":
    return [contextLine(view, at), ...(contexts ? [["", `c_{${n}} = ${vectorOf(contexts[at])}`]] : [])];
  default:
    return [info?.attentionalLayer ? ["43", `o_{${n}} = W_o tanh(W_a [d_{${n}} ; c_{${n}}] + b_a) + b_o`] : ["9", `o_{${n}} = W_o [d_{${n}} ; c_{${n}}] + b_o`],
      ["10", `log p_{${n}}(${isolated(view.targets[at])}) = ${figure(translation.logProbabilities[at], 3)},  p_{${n}} = ${figure(view.probabilities[at], 3)}`]];
  }
}

/* ---- The figure: drawing, player, numbers ---- */

const ICONS = {
  first: "M3,3h2v10h-2zM13,3v10l-7,-5z", back: "M12,3v10l-8,-5z", play: "M4,2.5v11l9,-5.5z", pause: "M4,3h3v10h-3zM9,3h3v10h-3z", ahead: "M4,3v10l8,-5z",
};

class NetworkFigure {
  /* `pick(part)` is called for a click; `candidates(view, at)` resolves to the most probable words at a place; `hint()` returns
   * what stands below while nothing is pointed at, or null. */
  constructor(holder, { pick = () => {}, candidates, hint = () => null }) {
    Object.assign(this, { candidates, hint, order: null, playing: false, share: 1, then: 0, part: null, key: "" });
    const stage = element("div", {});
    const icon = (name) => drawn("svg", { viewBox: "0 0 16 16", width: 16, height: 16, "aria-hidden": "true" }, drawn("path", { d: ICONS[name] }));
    const press = (name, go) => button("icon", go, [icon(name)], { "data-t-label": `step.${name}` });
    this.icons = { play: icon("play"), pause: icon("pause") };
    this.run = button("icon primary", () => this.startOrPause(), [this.icons.play]);
    this.slider = element("input", { type: "range", min: 0, max: 1, step: 1, "data-t-label": "step.slider" });
    this.buttons = [press("first", () => this.go(0)), press("back", () => this.go(this.place() - 1)), this.run, press("ahead", () => this.go(this.place() + 1))];
    this.bar = element("div", { class: "player", role: "group", "data-t-label": "step.play.all" }, ...this.buttons, this.slider);
    this.numbers = element("div", { class: "numbers", "aria-live": "polite" });
    holder.replaceChildren(stage, this.bar, this.numbers);
    this.network = new Network(stage, { pick, point: (part) => this.tell(part) });
    this.slider.addEventListener("input", () => this.go(Number(this.slider.value)));
    this.drawBar();
  }

  get view() {
    return this.network.view;
  }

  say(text) {
    this.stop();
    this.network.say(text);
    this.drawBar();
  }

  /* Show a view. A played translation continues if its words are the same. */
  show(view, marked = new Set()) {
    const words = ({ sources, targets }) => JSON.stringify([sources, targets]);
    if (this.view !== null && this.order !== null && words(view) !== words(this.view)) this.stop();
    this.network.marked = marked;
    if (this.network.lit !== null || this.order !== null) this.key = ""; // so that the changed numbers are written
    this.network.show(view);
    this.drawBar();
  }

  /* ---- The player ---- */

  steps() {
    return this.view === null ? 0 : stepsOf(this.view);
  }

  place() {
    return this.order ?? this.steps();
  }

  stop() {
    Object.assign(this, { order: null, playing: false });
    this.network.play(null);
  }

  /* Show the state after a step; after the last, everything. */
  go(order) {
    if (this.view === null) return;
    this.playing = false;
    this.set(Math.max(0, Math.min(order, this.steps())), 1);
  }

  set(order, share) {
    const isEnd = order >= this.steps() && share >= 1;
    Object.assign(this, { order: isEnd ? null : order, share });
    this.network.play(isEnd ? null : { at: order, share });
    this.drawBar();
    this.tell(this.network.lit);
  }

  startOrPause() {
    if (this.view === null) return;
    this.playing = !this.playing;
    if (this.playing) {
      if (this.order === null) this.set(1, 0);
      this.then = performance.now();
      this.tick();
    }
    this.drawBar();
  }

  duration(order) {
    const { sources, targets } = this.view, { x, e, b, ...rest } = DURATION;
    const all = sources.length * (x + e) + b + targets.length * sumOf(Object.values(rest));
    return Math.min(1, MOST_PLAYED / all) * DURATION[partOfStep(this.view, order).kind];
  }

  tick() {
    requestAnimationFrame(() => {
      if (!this.playing || this.view === null) return;
      const now = performance.now(), share = this.share + (now - this.then) / this.duration(Math.max(1, this.order));
      this.then = now;
      if (share < 1) this.set(this.order, share);
      else if (this.order >= this.steps()) {
        this.playing = false;
        this.set(this.order, 1);
      } else this.set(this.order + 1, 0);
      if (this.playing) this.tick();
    });
  }

  drawBar() {
    const most = this.steps(), place = this.place(), none = most === 0;
    const label = this.playing ? "step.pause" : "step.play";
    if (this.run.dataset.tLabel !== label) {
      this.run.dataset.tLabel = label;
      this.run.replaceChildren(this.playing ? this.icons.pause : this.icons.play);
    }
    for (const one of [...this.buttons, this.slider]) {
      one.disabled = none;
      one.setAttribute("aria-label", t(one.dataset.tLabel));
      if (one !== this.slider) one.title = t(one.dataset.tLabel);
    }
    this.slider.max = Math.max(1, most);
    this.slider.value = none ? 0 : place;
    this.slider.setAttribute("aria-valuetext", none ? "" : this.order === null ? t("step.all") : this.order === 0 ? t("step.none") : nameOfPart(this.view, partOfStep(this.view, place)));
    this.numbers.setAttribute("aria-live", this.playing ? "off" : "polite");
  }

  /* ---- The numbers ---- */

  /* Write the numbers of a part, or of the step at which the player is. */
  tell(part) {
    const { view } = this;
    const shown = part ?? (view !== null && this.order > 0 ? partOfStep(view, this.order) : null);
    const key = view === null ? "" : JSON.stringify([state.language, shown, this.order, shown === null && this.hint()?.textContent]);
    if (this.key === key && key !== "") return;
    this.key = key;
    if (view === null || shown === null) {
      const hint = this.hint() ?? element("p", { class: "hint" }, t("network.hint"));
      this.numbers.replaceChildren(...(view === null ? [] : [hint, legendOfNetwork()]));
      return;
    }
    const isStep = part === null;
    const title = [isStep ? t("step.of", { n: this.order, of: this.steps() }) : "", nameOfPart(view, shown)].filter(Boolean).join(" · ");
    const lines = linesOfPart(view, shown).map(([number, text]) =>
      element("li", {}, element("span", { class: "equation" }, number === "" ? "" : `(${number})`), formula(text)));
    this.numbers.replaceChildren(element("p", { class: "part" }, title), element("ol", {}, ...lines));
    if (isStep && `step.text.${shown.kind}` in TEXTS) this.numbers.firstChild.after(element("p", { class: "hint" }, t(`step.text.${shown.kind}`)));
    if (shown.kind === "w" && this.candidates) this.listCandidates(view, shown.t, key);
  }

  async listCandidates(view, at, key) {
    const list = await this.candidates(view, at).catch(() => []);
    if (this.key !== key || list.length === 0) return;
    this.numbers.querySelector(".candidates")?.remove();
    this.numbers.append(element("ul", { class: "candidates" }, ...list.map(({ token, probability }) => {
      const line = element("li", { class: token === view.targets[at] ? "chosen" : "" }, isolate(token), element("span", { class: "figure" }, figure(probability, 3)));
      line.style.setProperty("--share", `${100 * probability}%`);
      return line;
    })));
  }
}

function legendOfNetwork() {
  const swatch = (kind, text) => element("span", {}, element("i", { class: kind }), text);
  return element("p", { class: "network-legend" }, swatch("less", t("network.less")), swatch("more", t("network.more")), swatch("band", t("network.ribbon")));
}

/* ---- The figures of the page ---- */

/* Show the network or the heat map in the views that have both. */
function chooseFigure(name) {
  state.figure = name;
  for (const one of document.querySelectorAll("[data-shows]")) one.hidden = one.dataset.shows !== name;
  for (const one of document.querySelectorAll("[data-figure]")) one.setAttribute("aria-pressed", String(one.dataset.figure === name));
  drawFigures();
}

function listenToFigures() {
  for (const one of document.querySelectorAll("[data-figure]"))
    one.addEventListener("click", () => {
      chooseFigure(one.dataset.figure);
      watch(state.watched);
      drawAll();
      storeSoon();
    });
}

const MOST_PARAMETERS = 6e6;    // maximum size: computing the numbers of a larger model would take much memory
const numbersKnown = new WeakMap();
const numbersLast = { key: "", numbers: null };

const attendOf = ({ slot }, { parameters }) => (slot === SLOT_OF_GIVEN && parameters > LARGE ? attendAside : (argument) => engine.call("attend", argument));

/* Return the numbers of a translation of a network; null where there are none. */
async function numbersOf(translation, { place, info }) {
  if (info === null || info.parameters > MOST_PARAMETERS || translation.sentences || translation.text === "") return null;
  if (!numbersKnown.has(translation)) {
    /* If a search finds the same translation with the same probabilities again, the network is the same, and so are the
     * numbers. */
    const { source, text, logProbabilities } = translation, key = JSON.stringify([place, source, text, logProbabilities.map((value) => value.toPrecision(4))]);
    if (numbersLast.key !== key) Object.assign(numbersLast, { key, numbers: attendOf(place, info)({ ...place, source, target: text }).catch(() => null) });
    numbersKnown.set(translation, await numbersLast.numbers);
  }
  return numbersKnown.get(translation);
}

/* Return one sentence of a translated text as a translation. */
function sentenceAlone(translation, number) {
  const one = translation.sentences?.[number];
  if (one === undefined) return translation;
  const [from, to] = one.sourceTokens, [start, end] = one.targetTokens;
  const part = (matrix) => matrix.slice(start, end).map((row) => row.slice(from, to));
  const span = ([first, last], text) => text.slice(first, last);
  return {
    ...translation, sentences: null, source: span(one.sourceSpan, translation.source), text: span(one.textSpan, translation.text), ended: one.ended,
    sourceTokens: translation.sourceTokens.slice(from, to), targetTokens: translation.targetTokens.slice(start, end), sourceIds: translation.sourceIds?.slice(from, to),
    targetIds: translation.targetIds.slice(start, end), sourceKnown: translation.sourceKnown.slice(from, to), sentinel: translation.sentinel?.slice(start, end),
    logProbabilities: translation.logProbabilities.slice(start, end), attention: part(translation.attention), headAttention: translation.headAttention?.map(part),
  };
}

const candidatesOfLearn = ({ translation }, at) => engine.call("alternatives", { ...networkOfLearn().place, text: translation.source, ids: translation.targetIds.slice(0, at), position: at, count: CANDIDATES });
const candidatesOf = ({ translation }, at) => alternativesWith(translation.source, translation.targetIds.slice(0, at), at, CANDIDATES);
