/* Figures: heat maps as tables that change in place, and charts as SVG. */

/* ---- Heat maps ---- */

/* Above this number of cells a table would be slow to redraw while a network learns. */
const MOST_CELLS = 3600;

/* picture.js asks for the columns of segments, which the playground does not show. */
const segmentNames = () => [];

/* The names of figures in a picture, in the language of the page. */
const nameOfFigure = (name) => t({ "no token": "sentinel", entropy: "entropy", coverage: "coverage" }[name]);

/* Return what a heat map shows of a translation: all heads or one. */
function mapOf(translation, head = null) {
  const weights = head === null ? translation.attention : translation.headAttention[head];
  const { sentinel = null } = translation;
  return {
    sourceText: translation.source, targetText: translation.text,
    sources: translation.sourceTokens, targets: translation.targetTokens,
    known: translation.sourceKnown, weights, sentinel, segments: null,
    entropy: weights.map(entropyOf), coverage: coverageOf(weights, translation.sourceTokens.length),
  };
}

let maps = 0;

/* A heat map in an element: a grid with one stop of the Tab key, whose cells the arrow keys reach. Column -1 is the
 * word of a row, row -1 the word of a column. `pick(t, s, event)` is called for a click or the Enter key. */
class HeatMap {
  constructor(holder, { caption, pick = null, drag = null, adjust = null }) {
    Object.assign(this, { holder, caption, pick, drag, adjust, view: null, at: null, lit: null, marked: new Set() });
    this.name = `heat-map-${++maps}`;
    this.readout = element("p", { class: "readout", id: `${this.name}-readout`, "aria-live": "polite" });
    this.scroll = element("div", { class: "scroll" });
    this.legend = element("p", { class: "weights-legend", "aria-hidden": "true", hidden: "" });
    holder.replaceChildren(this.scroll, this.readout, this.legend);
    this.scroll.addEventListener("pointerover", (event) => this.light(this.placeOf(event.target)));
    this.scroll.addEventListener("pointerleave", () => this.light(this.at));
    this.scroll.addEventListener("pointerdown", (event) => this.press(event));
    this.scroll.addEventListener("click", (event) => this.choose(this.placeOf(event.target), event));
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
    if (view.sources.length * view.targets.length > MOST_CELLS) {
      this.empty(t("map.large", { n: view.sources.length * view.targets.length, most: MOST_CELLS }));
      return;
    }
    const same = this.view !== null && this.view.sources.length === view.sources.length &&
      this.view.targets.length === view.targets.length && (this.view.sentinel === null) === (view.sentinel === null) && this.language === state.language;
    Object.assign(this, { view, language: state.language });
    if (!same) this.build();
    this.fill();
    if (!same) this.table.classList.toggle("small", this.table.offsetWidth > this.scroll.clientWidth);
    if (this.at !== null && (this.at.t >= view.targets.length || this.at.s >= view.sources.length)) this.at = null;
    this.light(this.lit === null ? null : this.lit);
  }

  build() {
    const { sources, targets, sentinel } = this.view;
    const id = (t, s) => `${this.name}-${t}-${s}`;
    const word = (t, s, scope) => element("th", { scope, id: id(t, s), role: scope === "col" ? "columnheader" : "rowheader" });
    const head = element("tr", {}, element("td", {}), ...sources.map((_, s) => word(-1, s, "col")));
    if (sentinel !== null) head.append(element("th", { scope: "col", class: "figure" }, t("sentinel")));
    const rows = targets.map((_, row) => {
      const made = element("tr", {}, word(row, -1, "row"));
      for (let s = 0; s < sources.length; s++)
        made.append(element("td", { class: "weight shaded", id: id(row, s), role: "gridcell" }));
      if (sentinel !== null) made.append(element("td", { class: "figure", role: "gridcell" }));
      return made;
    });
    this.table = element("table", {
      class: sources.length > 12 ? "map tall" : sources.length <= 6 && targets.length <= 8 ? "map roomy" : "map", role: "grid", tabindex: 0,
      "aria-describedby": `${this.name}-readout`,
    }, element("caption", { class: "unseen" }, this.caption()), element("thead", {}, head), element("tbody", {}, ...rows));
    this.table.classList.toggle("drag", this.drag !== null);
    this.scroll.replaceChildren(this.table);
  }

  fill() {
    const { sources, targets, weights, known, sentinel } = this.view;
    const languages = { source: languageOf(this.view.sourceText), target: languageOf(this.view.targetText) };
    const name = (node, text, lang) => {
      if (node.dataset.text === text && node.firstChild) return;
      node.dataset.text = text;
      node.replaceChildren(isolate(text, lang));
    };
    const head = this.table.tHead.rows[0], rows = this.table.tBodies[0].rows;
    sources.forEach((token, s) => {
      name(head.cells[s + 1], token, languages.source);
      head.cells[s + 1].classList.toggle("unknown", known !== null && !known[s]);
    });
    targets.forEach((token, row) => {
      const { cells } = rows[row];
      name(cells[0], token, languages.target);
      weights[row].forEach((weight, s) => {
        const cell = cells[s + 1], text = figure(weight, 2);
        if (cell.textContent !== text) cell.textContent = text;
        if (cell.weight !== weight) shadeCell(cell, weight);
        cell.classList.toggle("changed", this.marked.has(`${row},${s}`));
      });
      if (sentinel !== null) cells[sources.length + 1].textContent = figure(sentinel[row], 2);
    });
    this.table.classList.toggle("numbers", byId("numbers").checked);
    this.legend.hidden = false;
    if (this.legend.dataset.scale === byId("scale").value) return;
    this.legend.dataset.scale = byId("scale").value;
    this.legend.replaceChildren(...[0, 0.1, 0.25, 0.5, 0.75, 1].map((weight) => {
      const swatch = element("span", { class: "shaded" }, String(weight));
      shadeCell(swatch, weight);
      return swatch;
    }));
  }

  cell(place) {
    if (!this.table || place === null) return null;
    const row = place.t < 0 ? this.table.tHead.rows[0] : this.table.tBodies[0].rows[place.t];
    return (row && row.cells[place.s + 1]) || null;
  }

  placeOf(node) {
    const cell = node.closest("td.weight, th");
    if (cell === null || !this.table || !cell.id) return null;
    const [t, s] = cell.id.slice(this.name.length + 1).match(/^(-?\d+)-(-?\d+)$/).slice(1).map(Number);
    return { t, s };
  }

  /* Show what a place means, and dim the rest. */
  light(place) {
    this.lit = place;
    if (!this.table) return;
    for (const old of this.table.querySelectorAll(".on, .cursor")) old.classList.remove("on", "cursor");
    this.table.classList.toggle("lit", place !== null);
    write(this.readout, place === null ? "" : this.words(place));
    if (place === null) {
      this.table.removeAttribute("aria-activedescendant");
      return;
    }
    const cell = this.cell(place);
    if (cell === null) return;
    this.table.setAttribute("aria-activedescendant", cell.id);
    cell.classList.add("cursor");
    for (let s = place.s < 0 ? 0 : place.s; s <= (place.s < 0 ? this.view.sources.length - 1 : place.s); s++)
      for (let row = place.t < 0 ? 0 : place.t; row <= (place.t < 0 ? this.view.targets.length - 1 : place.t); row++) {
        const other = this.cell({ t: row, s });
        if (other !== null) other.classList.add("on");
      }
  }

  words({ t: row, s }) {
    const { sources, targets, weights } = this.view;
    if (row >= targets.length || s >= sources.length) return "";
    if (row >= 0 && s >= 0)
      return t("map.cell", { target: isolated(targets[row]), source: isolated(sources[s]), weight: figure(weights[row][s], 3) });
    const list = row >= 0 ? weights[row].map((weight, at) => [weight, sources[at]])
      : weights.map((line, at) => [line[s], targets[at]]);
    list.sort((one, other) => other[0] - one[0]);
    const parts = list.slice(0, 3).map(([weight, token]) => `${isolated(token)} ${figure(weight, 2)}`).join(" · ");
    return row >= 0 ? t("map.row", { word: isolated(targets[row]), list: parts })
      : t("map.column", { word: isolated(sources[s]), list: parts });
  }

  choose(place, event) {
    if (place === null) return;
    this.at = place;
    this.light(place);
    if (this.pick !== null) this.pick(place.t, place.s, event);
  }

  /* Let the pointer change a weight: upward makes it larger. */
  press(event) {
    const place = this.placeOf(event.target);
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
    const cell = this.cell(next);
    if (cell !== null) cell.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

}

function shadeCell(cell, weight) {
  const [color, ink] = colorsOf(weight);
  cell.weight = weight;
  cell.style.setProperty("--shade", color);
  cell.style.setProperty("--on-shade", ink);
}

/* ---- Charts ---- */

const SPACE = "http://www.w3.org/2000/svg";

function drawn(name, attributes, ...children) {
  const made = document.createElementNS(SPACE, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

const INKS = ["ink", "faint", "line", "paper", "accent", "second"];
const known = { scheme: "", inks: null };

/* Return the colors of the page. They become attributes, since a saved picture has no style sheet. Reading them makes
 * the browser compute styles, so they are kept until the color scheme changes. */
function inks() {
  const scheme = `${byId("theme").value} ${matchMedia("(prefers-color-scheme: dark)").matches}`;
  if (known.scheme === scheme) return known.inks;
  const probe = element("span", { hidden: "" });
  document.body.append(probe);
  known.inks = Object.fromEntries(INKS.map((name) => {
    probe.style.color = `var(--${name})`;
    return [name, getComputedStyle(probe).color];
  }));
  known.scheme = scheme;
  probe.remove();
  return known.inks;
}

/* Return round numbers between 0 and the value. */
function ticks(most, count) {
  if (!(most > 0)) return [0];
  const raw = most / count, power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((one) => one >= raw * 0.999);
  return Array.from({ length: Math.floor(most / step + 1e-9) + 1 }, (_, at) => at * step);
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
    this.mark(this.map.back(event.clientX - box.left));
  }

  isEmpty() {
    return this.data === null || this.data.series.every(({ points }) => points.length === 0);
  }

  drawNow() {
    const width = Math.round(this.holder.clientWidth), height = Math.round(this.holder.clientHeight);
    if (this.data !== null && width >= 60 && height >= 60) this.holder.replaceChildren(this.build(width, height));
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
    const left = 38, right = width - 8, top = 20, bottom = height - 36;
    const x = (value) => left + ((right - left) * value) / farthest;
    const y = (value) => bottom - ((bottom - top) * Math.min(value, highest)) / highest;
    this.map = { back: (pixel) => ((pixel - left) / (right - left)) * farthest };
    const root = drawn("svg", {
      width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label,
      "font-family": "system-ui, sans-serif", "font-size": 11,
    });
    const text = (place, anchor, words) => root.append(drawn("text", {
      x: place[0], y: place[1], fill: ink.faint, "text-anchor": anchor }, words));
    for (const value of ticks(highest, 4)) {
      root.append(drawn("line", { x1: left, x2: right, y1: y(value), y2: y(value), stroke: ink.line, "stroke-width": value === 0 ? 1 : 0.5 }));
      text([left - 5, y(value) + 4], "end", short(value));
    }
    text([4, 11], "start", t("loss"));
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

/* Return bars of values by token on a logarithmic scale, as SVG. */
function barsOf({ tokens, rows, title }) {
  const ink = inks();
  const column = Math.max(34, ...tokens.map((token) => 9 + 7.5 * [...token].reduce((sum, one) => sum + (one > "\u2e80" ? 1.8 : 1), 0)));
  const high = 90, left = 6, width = left + tokens.length * column + 6, height = high + 40;
  const logs = rows.flatMap(({ values }) => values.filter((value) => value > 0 && Number.isFinite(value)).map(Math.log10));
  const top = Math.max(-30, ...logs), span = Math.max(2, top - Math.min(top, ...logs)) * 1.15;
  const tallness = (value) => (value > 0 && Number.isFinite(value) ? Math.max(2, high * (1 - (top - Math.log10(value)) / span)) : 0);
  const root = drawn("svg", {
    width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": title,
    "font-family": styleOfPage().font, "font-size": 12,
  }, drawn("title", {}, title));
  const each = (column - 8) / rows.length;
  tokens.forEach((token, at) => {
    rows.forEach(({ values, ink: name }, row) => {
      const tall = tallness(values[at]);
      root.append(drawn("rect", {
        x: left + at * column + 4 + row * each, y: 16 + high - tall, width: Math.max(1, each - 1), height: tall, fill: ink[name],
      }));
    });
    root.append(drawn("text", { x: left + (at + 0.5) * column, y: high + 33, "text-anchor": "middle", fill: ink.ink }, visible(token)));
    const value = rows[0].values[at];
    root.append(drawn("text", {
      x: left + (at + 0.5) * column, y: 11 + high - tallness(value), "text-anchor": "middle", fill: ink.faint, "font-size": 10,
    }, Number.isFinite(value) ? brief(value) : "–"));
  });
  root.append(drawn("line", { x1: left, x2: width - 6, y1: 16 + high + 0.5, y2: 16 + high + 0.5, stroke: ink.line }));
  return root;
}

/* Return a number in few characters. */
function brief(value) {
  if (value === 0) return "0";
  const size = Math.abs(value);
  return size >= 0.01 && size < 1000 ? value.toPrecision(2).replace(/^-/, "\u2212")
    : value.toExponential(0).replace("e-", "e\u2212").replace("e+", "e");
}

/* ---- Saving pictures ---- */

function offer(blob, name) {
  const address = URL.createObjectURL(blob);
  element("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60000);
}

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
  const size = { width: Math.ceil(width), height: Math.ceil(y + 8) };
  for (const [key, value] of Object.entries({ ...size, viewBox: `0 0 ${size.width} ${size.height}` })) root.setAttribute(key, value);
  root.prepend(drawn("title", {}, title), drawn("rect", { ...size, fill: ink.paper }));
  return root;
}

async function pngBlob(svg) {
  const address = URL.createObjectURL(svg);
  try {
    const picture = new Image();
    picture.src = address;
    await picture.decode();
    const canvas = element("canvas", { width: ZOOM * picture.width, height: ZOOM * picture.height });
    canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
    return await new Promise((give) => { canvas.toBlob(give, "image/png"); });
  } finally {
    URL.revokeObjectURL(address);
  }
}

/* Save what a function gives: {name, svg} or {name, maps}, or null while the figure is empty. */
async function saveFigure(give, kind) {
  const made = give();
  if (made === null) {
    tell("export", () => t("save.empty"));
    return;
  }
  untell("export");
  if (made.maps) {
    await inLight(() => savePicture(made.maps, kind, made.name));
    return;
  }
  const svg = new Blob([new XMLSerializer().serializeToString(made.svg)], { type: "image/svg+xml" });
  offer(kind === "svg" ? svg : await pngBlob(svg), `${made.name}.${kind}`);
}

/* Fill the places for the two buttons that save a figure. */
function fillExports(figures) {
  for (const holder of document.querySelectorAll("[data-export]"))
    for (const kind of ["svg", "png"]) {
      const button = element("button", { type: "button", class: "link" }, kind.toUpperCase());
      button.dataset.tLabel = `save.${kind}`;
      button.addEventListener("click", () => saveFigure(figures[holder.dataset.export], kind).catch(reportError));
      holder.append(button);
    }
}
