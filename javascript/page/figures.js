/* Figures: heat maps that change in place, charts as SVG, saved pictures. */

/* ---- Heat maps ---- */

/* Above this number of cells a table would be slow to redraw while a network learns. */
const MOST_CELLS = 3600;
/* Width in pixels: longer words slope above narrow columns. */
const MOST_UPRIGHT = 26;
/* With more columns, a map omits its words, so that it needs no scrolling. */
const MOST_READABLE = 60;

/* The names of figures, in the language of the page. */
const nameOfFigure = (name) => t(name === "no token" ? "sentinel" : name);

/* Return the view of a translation for a heat map: the mean of the heads, or one head. */
const mapOf = (translation, head = null) => completed({
  sourceText: translation.source, targetText: translation.text,
  sources: translation.sourceTokens, targets: translation.targetTokens, known: translation.sourceKnown,
  weights: head === null ? translation.attention : translation.headAttention[head], sentinel: translation.sentinel,
});

/* Return the figures that tables show; pictures show all figures. */
const figuresInTable = ({ figures }) => figures.filter(({ name }) => name === "no token");

const wordInMap = (side, at, token, language) => [isolate(token, language), ...glossOf(token)];

let maps = 0;

/* A heat map in an element: a grid with one stop of the Tab key, whose cells the arrow keys reach. Column -1 is the
 * word of a row, row -1 the word of a column. `pick(t, s, event)` is called for a click or the Enter key. */
class HeatMap {
  constructor(holder, { caption, pick = null, drag = null, adjust = null }) {
    Object.assign(this, { holder, caption, pick, drag, adjust, view: null, table: null, at: null, lit: null, marked: new Set() });
    this.name = `heat-map-${++maps}`;
    this.readout = element("p", { class: "readout", id: `${this.name}-readout`, "aria-live": "polite" });
    this.scroll = element("div", { class: "scroll" });
    this.legend = element("p", { class: "faint", "aria-hidden": "true", hidden: "" });
    holder.replaceChildren(this.scroll, this.readout, this.legend);
    const fitSoon = eachFrame(() => { if (this.table !== null && this.scroll.clientWidth !== this.room) this.fit(); });
    new ResizeObserver(fitSoon).observe(this.scroll);
    this.scroll.addEventListener("pointerover", (event) => this.light(placeInMap(event.target)));
    this.scroll.addEventListener("pointerleave", () => this.light(this.at));
    this.scroll.addEventListener("pointerdown", (event) => this.press(event));
    this.scroll.addEventListener("click", (event) => this.choose(placeInMap(event.target), event));
    this.scroll.addEventListener("keydown", (event) => this.key(event));
    this.scroll.addEventListener("focusin", () => this.light(this.at || { t: 0, s: 0 }));
    this.scroll.addEventListener("focusout", () => { this.at = null; this.light(null); });
  }

  empty(text) {
    this.view = this.table = null;
    this.legend.hidden = true;
    this.scroll.replaceChildren(element("p", { class: "empty" }, text));
    this.readout.textContent = "";
  }

  /* Show a view of mapOf(). A table of the same size is changed in place. */
  show(view) {
    const S = view.sources.length, T = view.targets.length, figures = figuresInTable(view);
    if (S * T === 0 || S * T > MOST_CELLS) {
      this.empty(S * T === 0 ? t("map.none") : t("map.large", { n: S * T, most: MOST_CELLS }));
      return;
    }
    const shape = JSON.stringify([S, T, figures.length, state.language, glossesAreShown()]), isNew = this.table === null || this.shape !== shape;
    Object.assign(this, { view, shape });
    if (isNew) this.build(S > 12 ? "map tall" : S <= 6 && T <= 8 ? "map roomy" : "map");
    else fillTable(this.table, view, figures, wordInMap);
    this.fillLegend();
    [...this.table.tBodies[0].rows].forEach((row, at) => {
      for (let s = 0; s < S; s++) row.cells[s + 1].classList.toggle("changed", this.marked.has(`${at},${s}`));
    });
    this.slope();
    if (isNew) this.fit();
    if (this.at !== null && (this.at.t >= T || this.at.s >= S)) this.at = null;
    this.light(this.lit);
  }

  build(kind) {
    const attributes = { class: kind, role: "grid", tabindex: 0, "aria-describedby": `${this.name}-readout` };
    this.table = tableOfView(this.view, figuresInTable(this.view), wordInMap, attributes, this.caption());
    this.table.caption.className = "unseen";
    this.table.classList.toggle("drag", this.drag !== null);
    this.scroll.replaceChildren(this.table);
  }

  /* Make the table smaller if it is too wide; with very many columns, so small that only colors are left. */
  fit() {
    const { table } = this, room = this.scroll.clientWidth, isWide = () => table.offsetWidth + this.overhang() > room;
    this.room = room;
    table.classList.remove("small", "dense", "bare");
    table.style.removeProperty("--column");
    table.classList.toggle("small", isWide());
    if (!table.classList.contains("small") || room === 0) return;
    const heads = Math.max(...[...table.tBodies[0].rows].map((row) => row.cells[0].offsetWidth)), columns = this.view.sources.length;
    const isDense = columns > MOST_READABLE && isWide();
    table.classList.toggle("dense", isDense);
    if (isDense) table.classList.remove("sloping");
    table.style.setProperty("--column", `${Math.max(isDense ? 2 : 21, Math.min(54, Math.floor((room - heads - this.overhang() - 8) / columns) - (isDense ? 0 : 1)))}px`);
    table.classList.toggle("bare", isWide()); // without glosses, which may be wider than their columns
    /* Words that are wider than their columns take from the others. */
    const column = parseFloat(table.style.getPropertyValue("--column")), over = table.offsetWidth + this.overhang() - room;
    const flexible = [...table.tHead.rows[0].cells].slice(1).filter(({ offsetWidth }) => offsetWidth <= column + 1).length;
    if (over > 0 && !isDense && flexible > 0) table.style.setProperty("--column", `${Math.max(21, column - Math.ceil(over / flexible))}px`);
  }

  /* Long words above narrow columns slope. The head is as high as the longest of them. */
  slope() {
    const { table, view } = this, words = JSON.stringify(view.sources);
    if (this.sloping === table && table.words === words) return;
    Object.assign(this, { sloping: table });
    table.words = words;
    const longest = Math.max(0, ...[...table.querySelectorAll(".tall thead th bdi:not(:lang(zh), :lang(ja), :lang(ko))")].map((word) => word.scrollWidth));
    table.slope = Math.ceil(0.72 * longest) + 14;
    table.style.setProperty("--slope", `${table.slope}px`);
    table.classList.toggle("sloping", longest > MOST_UPRIGHT && !table.classList.contains("dense"));
  }

  /* Return how far the words of the last columns reach beyond the table. */
  overhang() {
    return this.table.classList.contains("sloping") ? this.table.slope : 0;
  }

  fillLegend() {
    this.legend.hidden = false;
    const shown = `${byId("scale").value} ${state.language}`;
    if (this.legend.dataset.shown === shown) return;
    this.legend.dataset.shown = shown;
    this.legend.replaceChildren(scaleOfWeights());
  }

  /* Return the cell or header of a place, or null. */
  cell({ t: at, s }) {
    const row = at < 0 ? this.table.tHead.rows[0] : this.table.tBodies[0].rows[at];
    return row?.cells[s + 1] ?? null;
  }

  /* Show what a place means, and dim the rest. */
  light(place) {
    this.lit = place;
    if (this.table === null) return;
    for (const old of this.table.querySelectorAll(".cursor")) old.classList.remove("cursor");
    this.table.removeAttribute("aria-activedescendant");
    const isThere = place !== null && place.t < this.view.targets.length && place.s < this.view.sources.length;
    lightTable(this.table, isThere ? place : null);
    write(this.readout, isThere ? this.words(place) : this.table.classList.contains("dense") ? t("map.dense") : "");
    if (!isThere) return;
    const cell = this.cell(place);
    cell.id ||= `${this.name}-${place.t}-${place.s}`;
    cell.classList.add("cursor");
    this.table.setAttribute("aria-activedescendant", cell.id);
  }

  words(place) {
    const { t: row, s } = place, { sources, targets, weights } = this.view;
    if (row >= 0 && s >= 0)
      return t("map.cell", { target: isolated(targets[row]), source: isolated(sources[s]), weight: figure(weights[row][s], 3) });
    return t(row >= 0 ? "map.row" : "map.column", {
      word: isolated(row >= 0 ? targets[row] : sources[s]), list: strongest(this.view, place, 2, " · ") });
  }

  choose(place, event) {
    if (place === null) return;
    this.at = place;
    this.light(place);
    if (this.pick !== null) this.pick(place.t, place.s, event);
  }

  /* Let the pointer change a weight: upward makes it larger. */
  press(event) {
    const place = placeInMap(event.target);
    if (this.drag === null || place === null || place.t < 0 || place.s < 0 || event.pointerType === "touch") return;
    event.preventDefault();
    this.at = place;
    this.table.focus();
    const from = event.clientY, start = this.view.weights[place.t][place.s];
    let moved = false;
    const move = (next) => {
      if (!moved && Math.abs(next.clientY - from) < 4) return;
      moved = true;
      this.drag(place.t, place.s, Math.min(1, Math.max(0, start + (from - next.clientY) / 120)));
    };
    const stop = () => {
      document.removeEventListener("pointermove", move);
      document.removeEventListener("pointerup", stop);
    };
    document.addEventListener("pointermove", move);
    document.addEventListener("pointerup", stop);
  }

  key(event) {
    if (!this.view) return;
    const { sources, targets } = this.view;
    const now = this.at || this.lit || { t: 0, s: 0 };
    const moves = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
    let next = null;
    if (event.key in moves) {
      next = { t: now.t + moves[event.key][0], s: now.s + moves[event.key][1] };
      next.t = Math.min(targets.length - 1, Math.max(-1, next.t));
      next.s = Math.min(sources.length - 1, Math.max(-1, next.s));
      if (next.t < 0 && next.s < 0) next = now;
    } else if (event.key === "Home") {
      next = { t: now.t, s: now.t < 0 ? 0 : -1 };
    } else if (event.key === "End") {
      next = { t: now.t, s: sources.length - 1 };
    } else if (event.key === "Enter" || event.key === " ") {
      this.choose(now, event);
    } else if (this.adjust === null || now.t < 0 || now.s < 0 || !this.adjust(event.key, now.t, now.s)) {
      return;
    }
    event.preventDefault();
    if (next === null) return;
    this.at = next;
    this.light(next);
    this.cell(next)?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }
}

/* ---- Charts ---- */

const INKS = ["ink", "faint", "line", "paper", "accent", "second"];
const known = { scheme: "", inks: null };

/* Return the colors of the page. They become attributes, since a saved picture has no style sheet. Reading them makes
 * the browser compute styles, so they are kept until the color scheme changes. */
function inks() {
  const scheme = `${byId("theme").value} ${matchMedia("(prefers-color-scheme: dark)").matches}`;
  if (known.scheme === scheme) return known.inks;
  known.inks = colorsOfPage(INKS);
  known.scheme = scheme;
  return known.inks;
}

/* Return round numbers between 0 and the value. */
function ticks(most, count) {
  if (!(most > 0)) return [0];
  const raw = most / count, power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((one) => one >= raw * 0.999);
  return Array.from({ length: Math.floor(most / step + 1e-9) + 1 }, (_, at) => at * step);
}

/* The lower end of a logarithmic axis: a power of ten below the values, at most six below the highest. */
function lowestOf(values, highest) {
  const least = Math.min(highest / 2, ...values.filter((value) => value > 0));
  return 10 ** Math.floor(Math.log10(Math.max(least, highest / 1e6)) + 1e-9);
}

/* Return round numbers on a logarithmic axis: powers of ten, and numbers between them if there are few. */
function ticksOfLog(lowest, highest) {
  const decades = Math.log10(highest / lowest), found = [];
  for (let power = lowest; power <= highest; power *= 10)
    for (const factor of decades > 3 ? [1] : [1, 2, 5]) if (factor * power <= highest) found.push(Number((factor * power).toPrecision(6)));
  return found;
}

const short = (value) => String(Number(value.toPrecision(6)));

/* A chart in an element. It is redrawn at most once in a frame. */
class Chart {
  constructor(holder, { mark = null } = {}) {
    Object.assign(this, { holder, mark, data: null });
    this.draw = eachFrame(() => this.drawNow());
    new ResizeObserver(() => this.draw()).observe(holder);
    holder.addEventListener("click", (event) => this.click(event));
  }

  /* The series: {name, points: [[x, y]], ink, faint, dashed}. The marker is a value of x. */
  show(data) {
    this.data = data;
    this.draw();
  }

  click(event) {
    if (this.mark === null || !this.map) return;
    const box = this.holder.getBoundingClientRect();
    this.mark(this.map.back((event.clientX - box.left) / typeScale()));
  }

  isEmpty() {
    return this.data === null || this.data.series.every(({ points }) => points.length === 0);
  }

  drawNow() {
    const width = Math.round(this.holder.clientWidth), height = Math.round(this.holder.clientHeight);
    if (this.data === null || width < 60 || height < 60) return;
    const scale = typeScale(), svg = this.build(width / scale, height / scale);
    this.holder.replaceChildren(filled(svg, { width, height }, []));
  }

  /* Return the chart with a title and a legend, in light colors. */
  picture(title) {
    return inLight(() => framed(title, this.data.series.filter(({ points }) => points.length > 0), [{ title: "", svg: this.build(640, 360) }]));
  }

  build(width, height) {
    const { data } = this;
    const ink = inks();
    const { series, across, label, marker = null } = data;
    const shown = series.filter(({ points }) => points.length > 0);
    const values = shown.flatMap(({ points }) => points).filter(([, y]) => Number.isFinite(y));
    const farthest = Math.max(1, across, ...values.map(([x]) => x));
    const highest = (values.length === 0 ? 4 : Math.max(1e-9, ...values.map(([, y]) => y))) * 1.05;
    const isLog = byId("log").checked, lowest = isLog ? lowestOf(values.map(([, y]) => y), highest) : 0;
    const left = isLog ? 48 : 38, right = width - 8, top = 20, bottom = height - 36;
    const x = (value) => left + ((right - left) * value) / farthest;
    const share = (value) => (isLog ? Math.log(Math.max(value, lowest) / lowest) / Math.log(highest / lowest) : value / highest);
    const y = (value) => bottom - (bottom - top) * share(Math.min(value, highest));
    this.map = { back: (pixel) => ((pixel - left) / (right - left)) * farthest };
    const root = drawn("svg", {
      width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label,
      "font-family": "system-ui, sans-serif", "font-size": 11,
    });
    const text = (place, anchor, words) => root.append(drawn("text", {
      x: place[0], y: place[1], fill: ink.faint, "text-anchor": anchor }, words));
    for (const value of isLog ? ticksOfLog(lowest, highest) : ticks(highest, 4)) {
      root.append(drawn("line", { x1: left, x2: right, y1: y(value), y2: y(value), stroke: ink.line, "stroke-width": value === lowest ? 1 : 0.5 }));
      text([left - 5, y(value) + 4], "end", short(value));
    }
    text([4, 11], "start", t(isLog ? "loss.log.axis" : "loss"));
    text([(left + right) / 2, height - 5], "middle", t("epoch"));
    for (const value of ticks(farthest, 5)) text([x(value), height - 21], value === 0 ? "start" : x(value) > right - 12 ? "end" : "middle", short(value));
    if (marker !== null)
      root.append(drawn("line", { x1: x(marker), x2: x(marker), y1: top, y2: bottom, stroke: ink.ink, "stroke-width": 1, "stroke-dasharray": "2 3" }));
    for (const one of shown) {
      const finite = one.points.filter(([, value]) => Number.isFinite(value));
      const each = Math.max(1, Math.ceil(finite.length / 500));
      const points = finite.filter((_, at) => at % each === 0 || at === finite.length - 1);
      const line = points.map(([a, b]) => `${x(a).toFixed(1)},${y(b).toFixed(1)}`).join(" ");
      root.append(drawn("polyline", {
        points: line, fill: "none", stroke: ink[one.ink], "stroke-width": one.faint ? 1 : 2,
        "stroke-opacity": one.faint ? 0.35 : 1, "stroke-linejoin": "round",
        ...(one.dashed ? { "stroke-dasharray": "5 3" } : {}),
      }));
      if (points.length === 1)
        root.append(drawn("circle", { cx: x(points[0][0]), cy: y(points[0][1]), r: 2.5, fill: ink[one.ink] }));
    }
    return root;
  }
}

/* Return the legend of series as elements; lines and dashes tell them apart without color. */
function legendOf(series) {
  return series.filter(({ name }) => name).map(({ name, ink, dashed, faint }) =>
    element("span", { class: `key ${ink}${dashed ? " dashed" : ""}${faint ? " thin" : ""}` }, name));
}

/* Return bars of values by token on a logarithmic scale, as SVG, in the room if their words let them. Every second number
 * is left out where columns are narrow, but never the largest. */
function barsOf({ tokens, rows, title, room = Infinity }) {
  const ink = inks();
  const words = tokens.map((token) => 7.5 * [...token].reduce((sum, one) => sum + (one > "\u2e80" ? 1.8 : 1), 0));
  const least = Math.max(22, ...words.slice(1).map((word, at) => (word + words[at]) / 2 + 3));
  const column = Math.max(least, Math.min(Math.max(34, 9 + Math.max(...words)), (room - 12) / tokens.length));
  const each = column < 30 ? 2 : 1, peak = rows[0].values.indexOf(Math.max(...rows[0].values.filter(Number.isFinite)));
  const high = 90, left = 6, width = left + tokens.length * column + 6, height = high + 40;
  const logs = rows.flatMap(({ values }) => values.filter((value) => value > 0 && Number.isFinite(value)).map(Math.log10));
  const top = Math.max(-30, ...logs), span = Math.max(2, top - Math.min(top, ...logs)) * 1.15;
  const tallness = (value) => (value > 0 && Number.isFinite(value) ? Math.max(2, high * (1 - (top - Math.log10(value)) / span)) : 0);
  const root = drawn("svg", {
    width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": title,
    "font-family": styleOfPage().font, "font-size": 12,
  }, drawn("title", {}, title));
  const wide = (column - 8) / rows.length;
  tokens.forEach((token, at) => {
    rows.forEach(({ values, ink: name }, row) => {
      const tall = tallness(values[at]);
      root.append(drawn("rect", {
        x: left + at * column + 4 + row * wide, y: 16 + high - tall, width: Math.max(1, wide - 1), height: tall, fill: ink[name],
      }));
    });
    root.append(drawn("text", { x: left + (at + 0.5) * column, y: high + 33, "text-anchor": "middle", fill: ink.ink }, visible(token)));
    const value = rows[0].values[at];
    if ((at - peak) % each === 0) root.append(drawn("text", {
      x: left + (at + 0.5) * column, y: 11 + high - tallness(value), "text-anchor": "middle", fill: ink.faint, "font-size": 10,
    }, Number.isFinite(value) ? brief(value) : "–"));
  });
  root.append(drawn("line", { x1: left, x2: width - 6, y1: 16 + high + 0.5, y2: 16 + high + 0.5, stroke: ink.line }));
  return root;
}

/* Return a probability; one that would round to 0 is not 0. */
const chance = (value) => (value > 0 && value < 0.005 ? "<0.01" : figure(value, 2));

/* Return a number in few characters. */
function brief(value) {
  if (value === 0) return "0";
  const size = Math.abs(value), digits = value.toPrecision(2);
  return size < 0.01 || size >= 1e6 ? value.toExponential(0).replace("e-", "e\u2212").replace("e+", "e")
    : (size < 99.5 ? digits : Number(digits).toLocaleString("en")).replace(/^-/, "\u2212");
}

/* Return a table; a head is a text or a list of nodes. */
const plainTable = (heads, rows, ...foot) => element("table", { class: "plain" },
  element("thead", {}, element("tr", {}, ...heads.map((head) => element("th", { scope: "col" }, ...[head].flat())))),
  element("tbody", {}, ...rows), ...foot);

/* ---- Saving pictures ---- */

/* Run the task in the colors of light mode: pictures are for paper. */
function inLight(task) {
  const { dataset } = document.documentElement, { theme } = dataset;
  dataset.theme = "light";
  known.scheme = "";
  try {
    return task();
  } finally {
    dataset.theme = theme;
    known.scheme = "";
  }
}

/* Return parts, each {title, svg}, below a title and a legend of keys {name, ink, dashed, faint}. */
function framed(title, keys, parts) {
  const { font } = styleOfPage(), ink = inks(), wide = widthIn(font);
  const root = drawn("svg", { "font-family": font, "font-size": SIZE });
  const text = (x, y, words, more = {}) => root.append(drawn("text", { x, y, fill: ink.ink, ...more }, words));
  text(12, 22, title, { "font-weight": 600 });
  let x = 12, y = 52, width = 36 + 1.1 * wide(title);
  for (const { name, ink: line, dashed, faint } of keys.filter((one) => one.name)) {
    root.append(drawn("line", { x1: x, x2: x + 24, y1: 38, y2: 38, stroke: ink[line], "stroke-width": faint ? 1 : 3, ...(dashed ? { "stroke-dasharray": "5 3" } : {}) }));
    text(x + 30, 42, name);
    x += 48 + wide(name);
  }
  for (const { title: above, svg } of parts) {
    if (above !== "") text(12, y += 20, above);
    svg.setAttribute("x", 12);
    svg.setAttribute("y", y += 6);
    y += Number(svg.getAttribute("height"));
    width = Math.max(width, x, 24 + Number(svg.getAttribute("width")));
    root.append(svg);
  }
  return onPaper(root, Math.ceil(width), Math.ceil(y + 8), title, ink.paper);
}

/* Save what a function gives: {name, svg}, or null while the figure is empty. */
async function saveFigure(give, kind) {
  const made = give();
  if (made === null) {
    tell("export", () => t("save.empty"));
    return;
  }
  untell("export");
  await savePicture(made.svg, kind, made.name);
}

/* Fill the places for the two buttons that save a figure. */
function fillExports(figures) {
  for (const holder of document.querySelectorAll("[data-export]")) {
    for (const kind of ["svg", "png"]) {
      const save = () => saveFigure(figures[holder.dataset.export], kind).catch(reportError);
      holder.append(button("link", save, [kind.toUpperCase()], { "data-t-label": `save.${kind}` }));
    }
    holder.append(button("link", () => copyFigure(figures[holder.dataset.export]).catch(reportError), [], { "data-t": "copy.image" }));
  }
}
