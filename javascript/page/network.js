/* The network as a drawing that moves: words in boxes, states as squares of units, attention as ribbons as wide as their
 * weights. Time runs along a row of words, in their writing direction; data flow across, from source to target. If the
 * columns were too narrow, time runs downward. steps.js plays a translation in it. */

const NODE = 30;            // side of a state
const BOX = 28;             // height of a word
const WORD = 15;            // font size
const NARROW = 58;          // minimum distance of columns; if it is smaller, time runs downward
const WIDE = 136;           // most
const ROW = 40;             // minimum distance of rows if time runs downward
const UPRIGHT = 760;        // maximum width if time runs downward
const MOST_RIBBONS = 2500;    // maximum number of ribbons; more could not be read
const EASE = 0.22;          // share of the way to the new values that each frame covers
const STILL = 0.004;        // smaller differences of weights are not visible

const wantsCalm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/* ---- What is shown ---- */

/* Return the view of a translation for the drawing. `numbers` are those of Model.attend(), or null; they are dropped if
 * they belong to other tokens. Old numbers give only the states. */
function networkOf(translation, numbers = null, head = null, isOld = false) {
  const { sourceTokens: sources, targetTokens: targets, attention, headAttention } = translation;
  const weights = head === null ? attention : headAttention[head];
  const isSame = numbers !== null && sources.every((token, s) => numbers.sourceTokens[s] === token) &&
    targets.every((token, t) => numbers.targetTokens[t] === token) && numbers.sourceTokens.length === sources.length;
  const heads = headAttention ? headAttention.length : 1, of = head ?? (heads === 1 ? 0 : null);
  return {
    translation, sources, targets, weights, known: translation.sourceKnown, sentinel: translation.sentinel ?? null,
    sourceText: translation.source, targetText: translation.text, ended: translation.ended,
    probabilities: translation.logProbabilities.map(Math.exp),
    keys: isSame ? numbers.keys : null, queries: isSame ? numbers.queries : null, contexts: isSame ? contextsOf(numbers, weights, heads) : null,
    scores: isSame && !isOld && of !== null ? numbers.scores[of] : null, own: isSame && !isOld && of !== null ? numbers.weights[of] : null,
  };
}

/* Return the contexts. If the user changed weights, compute the contexts by (8), because those of the network do not
 * apply. */
function contextsOf({ keys, contexts, weights: own }, weights, heads) {
  const isOwn = heads > 1 || weights.every((row, t) => row.every((weight, s) => Math.abs(weight - own[0][t][s]) < 1e-3));
  if (isOwn) return contexts;
  return weights.map((row) => keys[0].map((_, i) => row.reduce((sum, weight, s) => sum + weight * keys[s][i], 0)));
}

/* ---- Geometry ---- */

/* Return a path through points with round corners. */
function roundedPath(points, radius = 9) {
  const toward = ([x, y], [u, v], most) => {
    const length = Math.hypot(u - x, v - y) || 1, share = Math.min(most, length / 2) / length;
    return [x + (u - x) * share, y + (v - y) * share];
  };
  const inner = points.slice(1, -1).map((corner, at) => {
    const [from, to] = [toward(corner, points[at], radius), toward(corner, points[at + 2], radius)];
    return `L${from.map(tenth)}Q${corner.map(tenth)} ${to.map(tenth)}`;
  });
  return `M${points[0].map(tenth)}${inner.join("")}L${points.at(-1).map(tenth)}`;
}

const tenth = (value) => Math.round(10 * value) / 10;

/* Return the layout for a width. `along` is a place in time, `across` one between source and target;
 * to(along, across) is [x, y]. Column 0 of the target has <s> and the first state. */
function placesOf({ sources, targets, sourceText, targetText }, width, widthOf) {
  const S = sources.length, T = targets.length, upright = width / Math.max(S, T + 1) < NARROW;
  const flip = (text) => !upright && directionOf(text) === "rtl";
  const flips = { source: flip(sourceText), target: flip(targetText) };
  const widest = (tokens) => Math.max(...tokens.map((token) => widthOf(visible(token)))) * (WORD / SIZE) + 20;
  let across, high, spread;
  if (upright) {
    const used = Math.min(width, UPRIGHT), left = (width - used) / 2, most = Math.max(S, T + 1);
    const [from, to] = [widest(sources), Math.max(widest(targets), widest(["</s>"]))].map((wide) => Math.min(wide, 0.3 * used));
    const e = left + from + 26 + NODE / 2, d = left + used - to - 20 - NODE / 2;
    across = { word: left + from / 2 + 1, rail: left + from + 12, e, c: d - NODE, d, out: left + used - to / 2 - 1 };
    high = 26 + ROW * most;
    const place = (at, count) => 26 + (ROW * most) / 2 + (at - (count - 1) / 2) * Math.min(2 * ROW, (ROW * most) / count);
    spread = { source: (s) => place(s, S), target: (j) => place(j, T + 1), rooms: { source: sources.map(() => from - 2), target: ["", ...targets].map(() => to - 2) } };
  } else {
    const field = Math.min(170, Math.max(112, 0.13 * width)), e = BOX + 28 + NODE / 2, c = e + NODE + field;
    across = { word: BOX / 2 + 1, rail: BOX + 13, e, c, d: c + NODE, out: c + 1.5 * NODE + 22 + BOX / 2 };
    high = across.out + BOX / 2 + 1;
    const pitch = [Math.min(WIDE, width / S), Math.min(WIDE, (width - 30) / (T + 1))];
    const place = (at, count, step, flipped) => width / 2 + (flipped ? -1 : 1) * (at - (count - 1) / 2) * step;
    const source = (s) => place(s, S, pitch[0], flips.source), target = (j) => place(j, T + 1, pitch[1], flips.target);
    spread = { source, target, rooms: { source: roomsOf(sources, source, pitch[0] - 8), target: roomsOf(["<s>", ...targets], target, pitch[1] - 8) } };
  }
  /* A word that is wider than its column may use the space that its neighbors leave free. */
  function roomsOf(tokens, along, each) {
    const needs = tokens.map((token) => Math.max(BOX, widthOf(visible(token)) * (WORD / SIZE) + 18)), rooms = needs.map((need) => Math.min(need, each));
    needs.forEach((need, at) => {
      if (need > each) rooms[at] = Math.max(each, Math.min(need, 2 * each, ...[at - 1, at + 1].filter((next) => next in rooms).map((next) => 2 * each - rooms[next]), 2 * along(at), 2 * (width - along(at))));
    });
    return rooms.map((room) => Math.max(room, each));
  }
  const to = (along, at) => (upright ? [at, along] : [along, high - at]);
  return { S, T, upright, flips, across, width, high, to, ...spread };
}

/* Return the paths of the arrows. */
function arrowsOf(places) {
  const { S, T, upright, flips, across, width, to, source, target } = places, half = NODE / 2;
  const ahead = { source: flips.source ? -1 : 1, target: flips.target ? -1 : 1 };
  const straight = (...points) => `M${points.map(([along, at]) => to(along, at).map(tenth)).join("L")}`;
  const edge = { word: across.word + (upright ? places.rooms.source[0] / 2 : BOX / 2), out: across.out - (upright ? places.rooms.target[0] / 2 : BOX / 2) };
  const found = new Map();
  for (let s = 0; s < S; s++) {
    found.set(`in${s}`, straight([source(s), edge.word], [source(s), across.e - half - 2]));
    if (s > 0) found.set(`ee${s}`, straight([source(s - 1) + ahead.source * half, across.e], [source(s) - ahead.source * (half + 2), across.e]));
  }
  const [from, end] = [source(S - 1) + ahead.source * half, target(0) - ahead.target * (half + 2)];
  const ends = [source(0), source(S - 1), target(0)];
  const side = ahead.target > 0 ? Math.max(7, Math.min(...ends) - 44) : Math.min(width - 7, Math.max(...ends) + 44), turn = from + ahead.source * 11;
  const rail = ahead.source === ahead.target ? [[turn, across.e], [turn, across.rail], [side, across.rail]] : [[side, across.e]];
  found.set("b", roundedPath([[from, across.e], ...rail, [side, across.d], [end, across.d]].map((point) => to(...point))));
  for (let j = 1; j <= T; j++) {
    found.set(`dd${j}`, straight([target(j - 1) + ahead.target * half, across.d], [target(j) - ahead.target * (half + 2), across.d]));
    found.set(`out${j}`, straight([target(j), across.d + half], [target(j), edge.out - 2]));
    const [start, stop] = [target(j - 1) + ahead.target * 9, target(j) - ahead.target * 9], gap = edge.out - across.d - half;
    found.set(`y${j}`, `M${to(start, edge.out).map(tenth)}C${[to(start, edge.out - 0.9 * gap), to(stop, across.d + half + 0.9 * gap), to(stop, across.d + half + 2)]
      .map((point) => point.map(tenth)).join(" ")}`);
  }
  return found;
}

/* Return the ribbons of the weights. They lie side by side at the context, where their widths add up to that of the
 * square, and at the state. */
function ribbonsOf(places, weights) {
  const { S, across, upright, flips, to, source, target } = places, made = [];
  const start = across.e + NODE / 2, stop = across.c - NODE / 2, middle = (start + stop) / 2;
  const ordered = (count, flipped) => Array.from({ length: count }, (_, at) => (flipped ? count - 1 - at : at));
  const sums = coverageOf(weights, S), room = sums.map((sum) => Math.min(1, sum)), used = sums.map(() => 0);
  const rows = weights.map(() => []);
  for (const t of ordered(weights.length, !upright && flips.target))
    for (let s = 0; s < S; s++) {
      const share = sums[s] > 0 ? (weights[t][s] * room[s]) / sums[s] : 0;
      rows[t][s] = source(s) + NODE * (used[s] + share / 2 - room[s] / 2);
      used[s] += share;
    }
  weights.forEach((row, t) => {
    let at = target(t + 1) - NODE / 2;
    for (const s of ordered(S, !upright && flips.source)) {
      const wide = NODE * row[s];
      const points = [to(rows[t][s], start), to(rows[t][s], middle), to(at + wide / 2, middle), to(at + wide / 2, stop)].map((point) => point.map(tenth));
      made.push({ t, s, weight: row[s], wide, path: `M${points[0]}C${points.slice(1).join(" ")}` });
      at += wide;
    }
  });
  return made;
}

/* ---- Drawing ---- */

/* The styles that a picture needs. */
const STYLES = ["fill", "stroke", "stroke-width", "stroke-dasharray", "opacity", "stroke-opacity", "font-size", "paint-order", "stroke-linejoin"];

let networks = 0;

class Network {
  /* `pick(part)` is called for a click or the Enter key, `point(part)` for the part that is pointed at or has the focus;
   * both with null for none. A part is {kind, s, t}: word x, state e, bridge b, input y, state d, context c, ribbon a, word w. */
  constructor(holder, { pick = () => {}, point = () => {} } = {}) {
    this.name = `network-${++networks}`;
    Object.assign(this, { holder, pick, point, view: null, places: null, shown: null, moment: null, at: null, lit: null, marked: new Set(), frame: 0, parts: new Map() });
    this.canvas = element("canvas", { "aria-hidden": "true" });
    this.layers = Object.fromEntries(["arrows", "ribbons", "nodes", "tags", "pulses"].map((name) => [name, drawn("g", { class: name })]));
    const head = drawn("marker", { id: `${this.name}-head`, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto-start-reverse" },
      drawn("path", { d: "M0,0.5L8,4L0,7.5z", class: "head" }));
    this.svg = drawn("svg", { role: "application", tabindex: 0 }, drawn("defs", {}, head), ...Object.values(this.layers));
    this.empty = element("p", { class: "empty" });
    this.stage = element("div", { class: "network", hidden: "" }, this.canvas, this.svg);
    holder.replaceChildren(this.empty, this.stage);
    this.draw = eachFrame(() => this.drawNow());
    new ResizeObserver(() => { if (this.view !== null && this.stage.clientWidth !== this.places?.width) this.lay(); }).observe(this.stage);
    const partAt = ({ target }) => target.closest?.("[data-part]")?.place ?? null;
    this.svg.addEventListener("pointerover", (event) => this.light(partAt(event)));
    this.svg.addEventListener("pointerleave", () => this.light(this.at));
    this.svg.addEventListener("click", (event) => this.choose(partAt(event)));
    this.svg.addEventListener("keydown", (event) => this.key(event));
    this.svg.addEventListener("focus", () => { if (this.lit === null) this.move(this.at ?? { kind: "w", t: 0 }); });
    this.svg.addEventListener("blur", () => { this.at = null; this.light(null); });
  }

  isEmpty() {
    return this.view === null;
  }

  say(text) {
    this.view = this.places = this.at = this.lit = this.moment = null;
    this.stage.hidden = true;
    this.empty.hidden = false;
    write(this.empty, text);
  }

  /* Show a view of networkOf(). Weights and states move from what is shown to the new ones. */
  show(view) {
    const S = view.sources.length, T = view.targets.length;
    if (S * T === 0 || S * T > MOST_RIBBONS) {
      this.say(S * T === 0 ? t("map.none") : t("map.large", { n: S * T, most: MOST_RIBBONS }));
      return;
    }
    const isNew = this.view === null;
    this.view = view;
    this.empty.hidden = true;
    this.stage.hidden = false;
    if (isNew) this.shown = null;
    this.lay();
    this.light(this.lit);
  }

  /* Lay the view out for the width of the page. */
  lay() {
    const { view } = this, width = Math.round(this.stage.clientWidth);
    if (width < 120) return; // the drawing is hidden; when it is shown, lay() is called again
    this.widthOf ??= widthIn(styleOfPage().font);
    const words = JSON.stringify([width, view.sources, view.targets, view.known]);
    if (this.words !== words || this.places === null) {
      this.words = words;
      this.places = placesOf(view, width, this.widthOf);
      this.build();
    }
    setOrRemove(this.svg, "aria-label", t("network.label", { source: isolated(view.sourceText), target: isolated(view.targetText) }));
    this.draw();
  }

  /* Return the element of a name in a layer, made once. */
  part(layer, name, tag, attributes, part = null) {
    let found = this.parts.get(name);
    if (found === undefined) {
      found = drawn(tag, {});
      found.values = {};
      this.parts.set(name, found);
      this.layers[layer].append(found);
    }
    found.used = true;
    for (const [key, value] of Object.entries(attributes)) {
      if (found.values[key] === value) continue;
      found.values[key] = value;
      setOrRemove(found, key, value);
    }
    if (part !== null && found.place === undefined) {
      found.place = part;
      found.setAttribute("data-part", partName(part));
    }
    return found;
  }

  /* Make what depends on words and width: arrows, boxes, frames. */
  build() {
    const { view, places } = this, { S, T, across, upright, to, source, target } = places;
    for (const one of this.parts.values()) one.used = false;
    const { width, high } = places, size = { width, height: high, viewBox: `0 0 ${width} ${high}` };
    filled(this.svg, size, []);
    for (const [name, d] of arrowsOf(places))
      this.part("arrows", `arrow-${name}`, "path", { d, class: name === "b" || name[0] === "y" ? "arrow faint" : "arrow", "marker-end": `url(#${this.name}-head)` });
    const node = (kind, at, along, place) => {
      const [x, y] = to(along, place);
      this.part("nodes", `${kind}${at}`, "rect", { x: tenth(x - NODE / 2), y: tenth(y - NODE / 2), width: NODE, height: NODE, rx: 3, class: `state ${kind}` },
        { kind, ...(kind === "e" ? { s: at } : { t: at }) });
    };
    const word = (kind, at, token, along, place, room, lang, known = true) => {
      const text = visible(token);
      let wide = this.widthOf(text) * (WORD / SIZE), font = WORD, short = text;
      if (wide + 14 > room) {
        font = Math.max(11, (WORD * (room - 12)) / wide);
        wide = (wide * font) / WORD;
        for (let left = [...text].length; wide + 10 > room && left > 1; left--) {
          short = `${[...text].slice(0, left - 1).join("")}…`;
          wide = this.widthOf(short) * (font / SIZE);
        }
      }
      const box = Math.max(BOX, Math.min(room, wide + 18)), slack = upright ? (room - box) / 2 : 0, [x, y] = to(along, place + (kind === "x" ? slack : -slack)), part = kind === "x" ? { kind, s: at } : { kind, t: at };
      const group = this.part("nodes", `${kind}${at}`, "g", { class: `word ${kind}${known ? "" : " unknown"}` }, part);
      if (group.firstChild === null) {
        group.append(drawn("rect", { rx: 6 }), ...(kind === "w" ? [drawn("rect", { class: "share", height: 3 })] : []), drawn("text", { "text-anchor": "middle" }));
      }
      filled(group.firstChild, { x: tenth(x - box / 2), y: tenth(y - BOX / 2), width: tenth(box), height: BOX }, []);
      if (kind === "w") Object.assign(group, { bar: [x - box / 2 + 3, y + BOX / 2 - 4, box - 6] });
      filled(group.lastChild, { x: tenth(x), y: tenth(y + 5), "font-size": tenth(font), direction: directionOf(token), lang }, []);
      write(group.lastChild, short);
    };
    const languages = [languageOf(view.sourceText), languageOf(view.targetText)];
    for (let s = 0; s < S; s++) {
      word("x", s, view.sources[s], source(s), across.word, places.rooms.source[s], languages[0], view.known?.[s] ?? true);
      node("e", s, source(s), across.e);
    }
    node("d", -1, target(0), across.d);
    word("y", -1, "<s>", target(0), across.out, places.rooms.target[0], "en");
    for (let at = 0; at < T; at++) {
      node("c", at, target(at + 1), across.c);
      node("d", at, target(at + 1), across.d);
      word("w", at, view.targets[at], target(at + 1), across.out, places.rooms.target[at + 1], languages[1]);
    }
    for (const [name, one] of this.parts)
      if (!one.used && one.place?.kind !== "a") this.drop(name, one);
    if (upright !== this.stage.classList.contains("upright")) this.stage.classList.toggle("upright", upright);
    this.canvas.style.width = `${width}px`;
    this.canvas.style.height = `${high}px`;
  }

  drop(name, one) {
    one.remove();
    this.parts.delete(name);
  }

  /* ---- Frames ---- */

  /* Move the drawn values toward those of the view, and draw them. With reduced motion, or before the first layout,
   * draw the values of the view at once. */
  drawNow() {
    if (this.view === null || this.places === null) return;
    const { view } = this, before = this.shown, jump = before === null || wantsCalm() || document.hidden;
    let most = 0;
    const eased = (now, goal) => {
      most = Math.max(most, Math.abs(goal - now));
      return now + (goal - now) * EASE;
    };
    const rows = (goal, now, empty) => goal && goal.map((row, at) => (now?.[at]?.length === row.length
      ? row.map((value, i) => (Number.isFinite(value) && Number.isFinite(now[at][i]) ? eased(now[at][i], value) : value)) : empty === null ? row : row.map(() => { most = 1; return empty; })));
    this.shown = jump ? { ...view } : {
      weights: rows(view.weights, before.weights, 0), keys: rows(view.keys, before.keys, null), queries: rows(view.queries, before.queries, null),
      contexts: rows(view.contexts, before.contexts, null), probabilities: rows([view.probabilities], [before.probabilities.slice(0, view.probabilities.length)], null)[0],
    };
    if (most < STILL) this.shown = { ...view };
    this.paint();
    if (most >= STILL) this.draw();
  }

  paint() {
    this.paintRibbons();
    this.paintStates();
    this.paintWords();
    this.paintMoment();
  }

  /* Return how much of a part is visible at the present moment of a played translation, from 0 to 1. */
  presence(order) {
    if (this.moment === null) return 1;
    const { at, share } = this.moment;
    return order < at ? 1 : order > at ? 0 : share;
  }

  paintRibbons() {
    const { moment, places } = this, { S } = places, orders = ordersOf(S);
    const ease = (share) => share * share * (3 - 2 * share);
    const weights = moment === null ? this.shown.weights
      : this.shown.weights.map((row, t) => row.map((weight) => weight * ease(this.presence(orders.a(t)))));
    for (const { t: row, s, weight, wide, path } of ribbonsOf(places, weights)) {
      const name = `a${row},${s}`;
      const scored = moment !== null && moment.at === orders.u(row), isThere = wide >= 0.35 || scored;
      const old = this.parts.get(name);
      if (!isThere) {
        if (old !== undefined) this.drop(name, old);
        continue;
      }
      const group = this.part("ribbons", name, "g", { class: "ribbon" }, { kind: "a", t: row, s });
      group.classList.toggle("changed", this.marked.has(`${row},${s}`));
      group.classList.toggle("past", moment !== null && (moment.at < orders.y(row) || moment.at > orders.w(row)));
      group.classList.toggle("scored", scored);
      if (group.firstChild === null) group.append(drawn("path", { class: "hit" }), drawn("path", { class: "line" }));
      if (group.path !== path) {
        group.path = path;
        for (const one of group.children) one.setAttribute("d", path);
      }
      const thick = scored ? 1.2 : tenth(wide);
      if (group.thick !== thick) {
        group.thick = thick;
        group.lastChild.setAttribute("stroke-width", Math.max(0.6, thick));
        group.lastChild.setAttribute("stroke-opacity", Math.round(100 * (0.14 + 0.62 * Math.sqrt(weight))) / 100);
        group.firstChild.setAttribute("stroke-width", Math.max(8, thick));
      }
    }
    for (const [name, one] of this.parts) {
      if (one.place?.kind === "a" && (one.place.t >= places.T || one.place.s >= S)) this.drop(name, one);
    }
  }

  /* Draw the states: each unit is a cell of a square, from -1 to 1 in two colors. */
  paintStates() {
    const { places, shown, canvas } = this, { S, T, across, width, high, to, source, target } = places;
    const zoom = Math.min(2, devicePixelRatio || 1), drawing = canvas.getContext("2d");
    if (canvas.width !== Math.round(width * zoom) || canvas.height !== Math.round(high * zoom)) Object.assign(canvas, { width: Math.round(width * zoom), height: Math.round(high * zoom) });
    drawing.setTransform(zoom, 0, 0, zoom, 0, 0);
    drawing.clearRect(0, 0, width, high);
    drawing.imageSmoothingEnabled = false;
    if (!shown.keys) return;
    const square = (values, along, place, presence, before = null) => {
      if (presence <= 0 || !values) return;
      const mixed = presence < 1 && before !== null ? values.map((value, i) => before[i] + (value - before[i]) * presence) : values;
      const [x, y] = to(along, place), tile = tileOf(mixed);
      drawing.globalAlpha = before === null ? presence : 1;
      drawing.drawImage(tile, x - NODE / 2, y - NODE / 2, NODE, NODE);
      drawing.globalAlpha = 1;
    };
    const orders = ordersOf(S), zero = shown.keys[0].map(() => 0);
    for (let s = 0; s < S; s++) square(shown.keys[s], source(s), across.e, this.presence(orders.e(s)), shown.keys[s - 1] ?? zero);
    const first = shown.keys[S - 1];
    if (startsFromCopy()) square(first, target(0), across.d, this.presence(orders.b));
    for (let at = 0; at < T; at++) {
      square(shown.queries[at], target(at + 1), across.d, this.presence(orders.d(at)), shown.queries[at - 1] ?? first);
      square(shown.contexts[at], target(at + 1), across.c, this.presence(orders.c(at)));
    }
  }

  paintWords() {
    this.shown.probabilities.forEach((probability, at) => {
      const group = this.parts.get(`w${at}`), bar = group?.children[1];
      if (bar === undefined) return;
      const [x, y, room] = group.bar;
      filled(bar, { x: tenth(x), y: tenth(y), width: tenth(room * Math.max(0, Math.min(1, probability))) }, []);
    });
  }

  /* Mark the parts that a played translation has not reached, and the present one. */
  paintMoment() {
    const { moment, places } = this, orders = ordersOf(places.S);
    this.stage.classList.toggle("playing", moment !== null);
    const mark = (name, order, now = order) => {
      const one = this.parts.get(name);
      if (one === undefined) return;
      one.classList.toggle("later", moment !== null && order > moment.at);
      one.classList.toggle("now", moment !== null && now === moment.at);
    };
    for (let s = 0; s < places.S; s++) {
      mark(`x${s}`, orders.x(s));
      mark(`arrow-in${s}`, orders.x(s));
      mark(`e${s}`, orders.e(s));
      mark(`arrow-ee${s}`, orders.e(s));
    }
    for (const name of ["d-1", "y-1", "arrow-b"]) mark(name, orders.b);
    for (let at = 0; at < places.T; at++) {
      mark(`arrow-y${at + 1}`, orders.y(at));
      mark(`d${at}`, orders.d(at));
      mark(`arrow-dd${at + 1}`, orders.d(at));
      mark(`c${at}`, orders.c(at));
      mark(`w${at}`, orders.w(at));
      mark(`arrow-out${at + 1}`, orders.w(at));
    }
    this.paintTags(orders);
    this.paintPulses(orders);
  }

  /* Write scores and weights beside the states while they are computed. */
  paintTags(orders) {
    const { moment, view, places } = this, { S, across, to, source } = places;
    const kind = moment === null ? null : Array.from({ length: places.T }, (_, at) => at).map((at) =>
      (moment.at === orders.u(at) ? ["scores", at] : moment.at === orders.a(at) ? ["weights", at] : null)).find(Boolean) ?? null;
    for (let s = 0; s < S; s++) {
      const name = `tag${s}`, value = kind === null ? null : view[kind[0]]?.[kind[1]]?.[s] ?? null;
      if (value === null) {
        const old = this.parts.get(name);
        if (old !== undefined) this.drop(name, old);
        continue;
      }
      const [x, y] = to(source(s), across.e + NODE / 2 + (places.upright ? 6 : 13));
      const tag = this.part("tags", name, "text", { x: tenth(x), y: tenth(y + (places.upright ? 4 : 0)), "text-anchor": places.upright ? "start" : "middle", class: "tag" });
      write(tag, figure(value, 2));
    }
  }

  /* Let points run along the arrows by which data flow at the moment. */
  paintPulses(orders) {
    const { moment, places, view } = this, flows = [];
    if (moment !== null && moment.share < 1 && !wantsCalm()) {
      const arrow = (name, order) => { if (order === moment.at) flows.push([this.parts.get(`arrow-${name}`), 1]); };
      for (let s = 0; s < places.S; s++) {
        arrow(`in${s}`, orders.x(s));
        arrow(`ee${s}`, orders.e(s));
      }
      arrow("b", orders.b);
      for (let at = 0; at < places.T; at++) {
        arrow(`y${at + 1}`, orders.y(at));
        arrow(`dd${at + 1}`, orders.d(at));
        arrow(`out${at + 1}`, orders.w(at));
        if (orders.c(at) === moment.at || orders.u(at) === moment.at)
          view.weights[at].forEach((weight, s) => flows.push([this.parts.get(`a${at},${s}`)?.lastChild, orders.u(at) === moment.at ? 0.6 : Math.sqrt(weight), orders.u(at) === moment.at]));
      }
    }
    this.layers.pulses.replaceChildren(...flows.filter(([path]) => path !== undefined).map(([path, share, back]) => {
      const { x, y } = path.getPointAtLength(path.getTotalLength() * (back ? 1 - moment.share : moment.share));
      return drawn("circle", { cx: tenth(x), cy: tenth(y), r: tenth(2 + 3.5 * share), class: "pulse" });
    }));
  }

  /* Show a moment {at, share} of a played translation, or everything (null). */
  play(moment) {
    this.moment = moment;
    if (this.view !== null && this.places !== null && this.shown !== null) this.paint();
  }

  /* ---- Pointing and keys ---- */

  /* Highlight a part and what belongs to it. */
  light(part) {
    const isThere = part !== null && this.view !== null && (part.t ?? -1) < this.view.targets.length && (part.s ?? -1) < this.view.sources.length;
    this.lit = isThere ? part : null;
    const { lit } = this;
    this.stage.classList.toggle("lit", lit !== null && "acwxe".includes(lit.kind) && !(lit.kind === "w" && lit.t < 0));
    for (const one of this.parts.values()) {
      const own = one.place;
      if (own === undefined) continue;
      const isSelf = lit !== null && partName(own) === partName(lit);
      const joins = lit !== null && own.kind === "a" && (lit.kind === "a" ? own.t === lit.t && own.s === lit.s : "cwd".includes(lit.kind) ? own.t === lit.t : own.s === lit.s);
      one.classList.toggle("on", isSelf || joins || (lit?.kind === "a" && ((own.kind === "e" && own.s === lit.s) || (own.kind === "c" && own.t === lit.t))));
      one.classList.toggle("cursor", isSelf && this.at !== null);
      if (isSelf) {
        one.id ||= `${this.name}-${partName(own)}`;
        filled(one, { role: "img", "aria-label": nameOfPart(this.view, own) }, []);
      }
    }
    setOrRemove(this.svg, "aria-activedescendant", lit === null ? null : this.parts.get(partName(lit))?.id);
    this.point(lit);
  }

  move(part) {
    this.at = part;
    this.light(part);
    const box = this.parts.get(partName(part));
    box?.scrollIntoView?.({ block: "nearest", inline: "nearest" });
  }

  /* After a click, keep the numbers of the part, even if the pointer or the finger leaves it. */
  choose(part) {
    this.at = part;
    this.light(part);
    if (part !== null) this.pick(part);
  }

  /* Up and down follow the data, left and right follow time; in a right-to-left row, left and right are interchanged. */
  key(event) {
    if (this.view === null) return;
    const now = this.at ?? this.lit ?? { kind: "w", t: 0 }, { upright } = this.places;
    const turned = { ArrowUp: "ArrowLeft", ArrowDown: "ArrowRight", ArrowLeft: "ArrowDown", ArrowRight: "ArrowUp" };
    const key = upright ? turned[event.key] ?? event.key : event.key;
    const move = { ArrowUp: "up", ArrowDown: "down", ArrowLeft: "back", ArrowRight: "ahead", Home: "first", End: "last" }[key];
    if (move !== undefined) this.move(this.neighbor(now, move));
    else if (event.key === "Enter" || event.key === " ") this.choose(now);
    else return;
    event.preventDefault();
  }

  neighbor(part, move) {
    const { S, T, flips } = this.places, weights = this.view.weights;
    const { kind, t: at = 0, s = 0 } = part, inSource = kind === "x" || kind === "e" || kind === "a";
    const largest = (values) => values.indexOf(Math.max(...values));
    const up = { x: () => ({ kind: "e", s }), e: () => ({ kind: "a", s, t: largest(weights.map((row) => row[s])) }), a: () => ({ kind: "c", t: at }),
      c: () => ({ kind: "d", t: at }), d: () => (at < 0 ? { kind: "y", t: -1 } : { kind: "w", t: at }), w: () => part, y: () => part };
    const down = { x: () => part, e: () => ({ kind: "x", s }), a: () => ({ kind: "e", s }), c: () => ({ kind: "a", t: at, s: largest(weights[at]) }),
      d: () => (at < 0 ? { kind: "e", s: S - 1 } : { kind: "c", t: at }), w: () => ({ kind: "d", t: at }), y: () => ({ kind: "d", t: -1 }) };
    if (move === "up") return up[kind]();
    if (move === "down") return down[kind]();
    const step = { back: -1, ahead: 1 }[move] * ((inSource ? flips.source : flips.target) ? -1 : 1);
    const place = (now, least, most) => (move === "first" ? least : move === "last" ? most : Math.min(most, Math.max(least, now + step)));
    if (inSource) return { ...part, s: place(s, 0, S - 1) };
    const next = place(at, kind === "c" ? 0 : -1, T - 1);
    return { kind: next < 0 && kind === "w" ? "y" : next >= 0 && kind === "y" ? "w" : kind, t: next };
  }

  /* ---- Pictures ---- */

  /* Return the drawing without its states as SVG with the colors of the page, since a picture has no style sheet. */
  styled() {
    const copy = this.svg.cloneNode(true), from = [...this.svg.querySelectorAll("*")], to = [...copy.querySelectorAll("*")];
    from.forEach((one, at) => {
      if (one.tagName === "g") return;
      const style = getComputedStyle(one);
      for (const name of STYLES) to[at].setAttribute(name, style.getPropertyValue(name));
    });
    for (const one of to) for (const name of ["class", "data-part", "role", "aria-label"]) one.removeAttribute(name);
    for (const one of copy.querySelectorAll('path[stroke="rgba(0, 0, 0, 0)"]')) one.remove();
    copy.setAttribute("font-family", styleOfPage().font);
    return copy;
  }

  /* Return the drawing as SVG with its states, in light mode. */
  picture(title) {
    return inLight(() => {
      const root = drawn("svg", { "font-family": styleOfPage().font }), { width, high } = this.places, margin = 14;
      const copy = this.styled(), squares = drawn("g", { transform: `translate(${margin},${margin + 28})` }, ...this.squares());
      root.append(drawn("text", { x: margin, y: 22, "font-size": SIZE, "font-weight": 600, fill: inks().ink }, title), squares,
        drawn("g", { transform: `translate(${margin},${margin + 28})` }, ...copy.childNodes));
      return onPaper(root, Math.ceil(width + 2 * margin), Math.ceil(high + 2 * margin + 28), title, inks().paper);
    });
  }

  /* Return the squares of all states as rectangles. */
  squares() {
    const { shown, places } = this, { S, T, across, to, source, target } = places, made = [];
    if (!shown.keys) return made;
    const square = (values, along, place) => {
      const [x, y] = to(along, place), columns = columnsOf(values.length), rows = Math.ceil(values.length / columns), colors = unitColors();
      values.forEach((value, i) => made.push(drawn("rect", {
        x: tenth(x - NODE / 2 + (NODE * (i % columns)) / columns), y: tenth(y - NODE / 2 + (NODE * Math.floor(i / columns)) / rows),
        width: tenth(NODE / columns + 0.05), height: tenth(NODE / rows + 0.05), fill: `rgb(${colors(value)})` })));
    };
    for (let s = 0; s < S; s++) square(shown.keys[s], source(s), across.e);
    if (startsFromCopy()) square(shown.keys[S - 1], target(0), across.d);
    for (let at = 0; at < T; at++) {
      square(shown.queries[at], target(at + 1), across.d);
      square(shown.contexts[at], target(at + 1), across.c);
    }
    return made;
  }
}

/* Whether the first decoder state is a copy of the last encoder state. */
const startsFromCopy = () => infoOfView()?.settings.bidirectional !== true;

const partName = ({ kind, s, t: at }) => (kind === "a" ? `a${at},${s}` : `${kind}${s ?? at ?? ""}`);

/* ---- The colors of units ---- */

const columnsOf = (units) => Math.ceil(Math.sqrt(units));

/* Return a function that gives the color of a value between -1 and 1. */
function unitColors() {
  const ink = inks(), read = (color) => color.match(/[\d.]+/g).slice(0, 3).map(Number);
  const [none, less, more] = [ink.paper, ink.accent, ink.second].map(read);
  return (value) => {
    const share = Math.min(1, Math.abs(value)), end = value < 0 ? less : more;
    return none.map((channel, i) => Math.round(channel + share * (end[i] - channel)));
  };
}

const SHADES = 128;         // number of colors for each sign
const tile = { canvas: null, shades: null, scheme: "" };

/* Return the values as the pixels of a square. The next call draws over it. */
function tileOf(values) {
  const columns = columnsOf(values.length), rows = Math.ceil(values.length / columns);
  tile.canvas ??= document.createElement("canvas");
  if (tile.canvas.width !== columns || tile.canvas.height !== rows) Object.assign(tile.canvas, { width: columns, height: rows });
  inks();
  if (tile.scheme !== known.scheme) {
    const colors = unitColors();
    const shades = Array.from({ length: 2 * SHADES + 1 }, (_, at) => colors(at / SHADES - 1));
    Object.assign(tile, { scheme: known.scheme, shades: shades.map(([red, green, blue]) => (255 << 24) | (blue << 16) | (green << 8) | red) });
  }
  const drawing = tile.canvas.getContext("2d"), image = drawing.createImageData(columns, rows), pixels = new Int32Array(image.data.buffer);
  values.forEach((value, i) => { pixels[i] = tile.shades[Math.round(SHADES * (1 + Math.max(-1, Math.min(1, value))))] ?? 255 << 24; });
  drawing.putImageData(image, 0, 0);
  return tile.canvas;
}
