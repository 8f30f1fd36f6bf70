/* Heat maps as tables and as pictures. A view is what a map shows: `sources` and `targets` are tokens of `sourceText`
 * and `targetText`, `weights` has a row for each target. `figures` are columns after the weights. */

/* ---- Views ---- */

/* Complete a view: entropies and coverage if they are missing, and the figures. The page translates the names of
 * figures with nameOfFigure(). `bar` is the value whose bar fills the cell. */
function completed({ sentinel = null, segments = null, ...view }) {
  const { sources, weights, segmentEnds } = view;
  const entropy = view.entropy ?? weights.map(entropyOf), coverage = view.coverage ?? coverageOf(weights, sources.length);
  const figures = [];
  if (sentinel !== null) figures.push({ name: "no token", values: sentinel, bar: 1 });
  for (const g of segments === null ? [] : segmentEnds.keys())
    figures.push({ name: `tokens ${g > 0 ? segmentEnds[g - 1] + 1 : 1}\u2013${segmentEnds[g]}`, values: segments.map((row) => row[g]), bar: 1 });
  figures.push({ name: "entropy", values: entropy, bar: Math.log(sources.length) });
  return { ...view, sentinel, entropy, coverage, figures };
}

/* Return the three largest weights of a row (s < 0) or a column (t < 0) as text. */
function strongest({ sources, targets, weights }, { t, s }, digits, separator) {
  const list = s < 0 ? weights[t].map((weight, at) => [weight, sources[at]]) : weights.map((row, at) => [row[s], targets[at]]);
  return list.sort((one, other) => other[0] - one[0]).slice(0, 3)
    .map(([weight, token]) => `${isolated(token)} ${figure(weight, digits)}`).join(separator);
}

/* ---- Tables ---- */

function fillFigure(cell, value, bar) {
  cell.textContent = figure(value, 2);
  cell.style.setProperty("--share", `${bar > 0 ? Math.min(100, (100 * value) / bar) : 0}%`);
}

/* Return a table of the view with the figures. `word(side, at, token, language)` returns the nodes of a header. */
function tableOfView(view, figures, word, attributes, caption) {
  const cells = () => [...view.sources.map(() => element("td", { class: "weight" })), ...figures.map(() => element("td", { class: "figure" }))];
  const table = element("table", attributes, element("caption", {}, element("span", {}, caption)),
    element("thead", {}, element("tr", {}, element("td", {}), ...view.sources.map(() => element("th", { scope: "col" })),
      ...figures.map(({ name }) => element("th", { scope: "col", class: "figure" }, nameOfFigure(name))))),
    element("tbody", {}, ...view.targets.map(() => element("tr", {}, element("th", { scope: "row" }), ...cells()))));
  fillTable(table, view, figures, word);
  return table;
}

/* Fill a table, or change it in place for another view of the same size. */
function fillTable(table, view, figures, word) {
  const source = languageOf(view.sourceText), target = languageOf(view.targetText);
  const fillHead = (head, side, at, token, language) => {
    if (head.token === token) return;
    head.token = token;
    head.replaceChildren(...word(side, at, token, language));
  };
  view.sources.forEach((token, s) => {
    const head = table.tHead.rows[0].cells[s + 1];
    fillHead(head, "source", s, token, source);
    head.classList.toggle("unknown", view.known !== null && !view.known[s]);
  });
  view.targets.forEach((token, t) => {
    const [head, ...cells] = table.tBodies[0].rows[t].cells;
    fillHead(head, "target", t, token, target);
    view.weights[t].forEach((weight, s) => {
      if (cells[s].weight === weight) return;
      cells[s].textContent = figure(weight, 2);
      shade(cells[s], weight);
    });
    figures.forEach(({ values, bar }, at) => fillFigure(cells[view.sources.length + at], values[t], bar));
  });
  table.classList.toggle("numbers", byId("numbers").checked);
}

/* Return the place of a cell or header of a map as {t, s}, or null. Column -1 has the targets, row -1 the sources. */
function placeInMap(node) {
  const cell = node.closest("table.map :is(td.weight, th:not(.figure))");
  return cell && { t: cell.closest("tbody") === null ? -1 : cell.parentNode.sectionRowIndex, s: cell.cellIndex - 1 };
}

/* Highlight the row and the column of a place, or nothing (null). */
function lightTable(table, place) {
  for (const cell of table.querySelectorAll(".on")) cell.classList.remove("on");
  table.classList.toggle("lit", place !== null);
  if (place === null) return;
  const rows = [...table.tBodies[0].rows];
  const row = place.t < 0 ? [] : rows[place.t].querySelectorAll("td.weight");
  const column = place.s < 0 ? [] : rows.map(({ cells }) => cells[place.s + 1]);
  for (const cell of [...row, ...column]) cell.classList.add("on");
}

/* ---- Pictures, as SVG ---- */

/* The build replaces the name by the sizes that the SVG of the command has. */
const PICTURE = {
@PICTURE@};
const { SVG_LINE: LINE, SVG_GAP: GAP, SVG_FONT: SIZE, SVG_COLUMN: COLUMN } = PICTURE;
const CELL = { width: PICTURE.SVG_CELL, height: PICTURE.SVG_CELL_HEIGHT };

const drawn = (name, attributes, ...children) =>
  filled(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);

/* Return the values of colors of the style sheet. */
function colorsOfPage(names) {
  const probe = element("span", { hidden: "" });
  document.body.append(probe);
  const found = Object.fromEntries(names.map((name) => {
    probe.style.color = `var(--${name})`;
    return [name, getComputedStyle(probe).color];
  }));
  probe.remove();
  return found;
}

/* Return the colors and the font of the page; paper is the background of cards and pictures. */
const styleOfPage = () => ({ ...colorsOfPage(["paper", "ink"]), font: getComputedStyle(document.body).fontFamily });

function widthIn(font) {
  const context = document.createElement("canvas").getContext("2d");
  context.font = `${SIZE}px ${font}`;
  return (text) => context.measureText(text).width;
}

function drawCell(root, x, y, width, weight, text) {
  const [fill, ink] = colorsOf(weight);
  root.append(drawn("rect", { x, y, width, height: CELL.height - 1, fill }));
  if (text !== "") root.append(drawn("text", { x: x + (width + 1) / 2, y: y + 17, fill: ink, "text-anchor": "middle" }, text));
}

/* Draw a map at x. Return its right and bottom edges. visible() replaces the characters that XML forbids. */
function drawMap(root, { view, caption }, x, { font, ink }) {
  const width = widthIn(font), widest = (texts) => Math.max(0, ...texts.map(width));
  const sources = view.sources.map(visible), targets = view.targets.map(visible), names = view.figures.map(({ name }) => nameOfFigure(name));
  const left = x + widest([...targets, nameOfFigure("coverage")]) + GAP;
  /* Labels that are too wide for a column slope, as in the SVG of the command. */
  const turned = widest(sources) > CELL.width, slope = turned ? 0.75 * widest(sources) : 0;
  const top = LINE + GAP + LINE + slope;
  const column = widest(["0.00", ...names]) + 2 * GAP;
  const text = (place, anchor, words) => root.append(drawn("text", { ...place, fill: ink, "text-anchor": anchor }, words));
  const middle = (s) => left + (s + 0.5) * CELL.width, base = (t) => top + t * CELL.height + 17;
  text({ x, y: LINE, "font-weight": "bold" }, "start", caption);
  sources.forEach((token, s) => {
    const unknown = view.known !== null && !view.known[s] ? { "text-decoration": "underline dotted" } : {};
    if (turned) text({ transform: `translate(${middle(s) + 4},${top - GAP})rotate(-45)`, ...unknown }, "start", token);
    else text({ x: middle(s), y: top - GAP, ...unknown }, "middle", token);
  });
  const bottom = top + targets.length * CELL.height, right = left + sources.length * CELL.width;
  const numbers = byId("numbers").checked;
  view.weights.forEach((row, t) => {
    text({ x: left - GAP, y: base(t) }, "end", targets[t]);
    row.forEach((weight, s) =>
      drawCell(root, left + s * CELL.width, top + t * CELL.height, CELL.width - 1, weight, numbers ? figure(weight, 2) : ""));
  });
  view.figures.forEach(({ values }, at) => {
    const end = right + (at + 1) * column - GAP;
    text({ x: end, y: top - GAP }, "end", names[at]);
    values.forEach((value, t) => text({ x: end, y: base(t) }, "end", figure(value, 2)));
  });
  text({ x: left - GAP, y: base(targets.length) }, "end", nameOfFigure("coverage"));
  view.coverage.forEach((value, s) => text({ x: middle(s), y: base(targets.length) }, "middle", figure(value, 2)));
  return { right: Math.max(right + Math.max(slope, view.figures.length * column), x + 1.1 * width(caption)), bottom: bottom + LINE };
}

/* ---- The color scale ---- */

const BAR = { width: PICTURE.SVG_BAR, height: PICTURE.SVG_BAR_HEIGHT, tick: PICTURE.SVG_TICK, ticks: PICTURE.SVG_TICKS };
const SCALE_HEIGHT = BAR.height + BAR.tick + SIZE + 4;
let scales = 0;

/* Draw the color bar of weights at a place, as the SVG of the command has it: ticks below it, its name beside it. Return its
 * right edge. The stops have equal distances in color; with the scale "square root", not in weight. */
function drawScale(root, x, y, { font, ink }) {
  const id = `scale-${++scales}`, left = x + COLUMN, steps = COLORS.length / 3 - 1, name = nameOfFigure("attention weight");
  const weightAt = (share) => (byId("scale").value === "root" ? share * share : share);
  const stops = Array.from({ length: steps + 1 }, (_, step) => weightAt(step / steps));
  root.append(drawn("defs", {}, drawn("linearGradient", { id }, ...stops.map((weight) => drawn("stop", { offset: weight, "stop-color": colorsOf(weight)[0] })))),
    drawn("rect", { x: left, y, width: BAR.width, height: BAR.height, fill: `url(#${id})` }));
  for (let i = 0; i <= BAR.ticks; i++) {
    const at = left + (BAR.width * i) / BAR.ticks;
    root.append(drawn("path", { d: `M${at} ${y + BAR.height}v${BAR.tick}`, stroke: ink }),
      drawn("text", { x: at, y: y + BAR.height + BAR.tick + SIZE, fill: ink, "text-anchor": "middle" }, String(i / BAR.ticks)));
  }
  const beside = left + BAR.width + 2 * COLUMN;
  root.append(drawn("text", { x: beside, y: y + BAR.height, fill: ink }, name));
  return beside + widthIn(font)(name);
}

/* Return the color bar for a page. */
function scaleOfWeights() {
  const { font } = styleOfPage(), root = drawn("svg", { class: "scale", role: "img", "aria-label": nameOfFigure("attention weight"), "font-size": SIZE });
  const width = Math.ceil(drawScale(root, 0, 0, { font, ink: "currentColor" })) + 2;
  return filled(root, { width, height: SCALE_HEIGHT, viewBox: `0 0 ${width} ${SCALE_HEIGHT}` }, []);
}

/* Return the picture of maps, each {view, caption}, side by side. */
function pictureOf(maps) {
  const style = styleOfPage(), root = drawn("svg", { role: "img", "font-family": style.font, "font-size": SIZE });
  let x = PICTURE.SVG_MARGIN, bottom = 0;
  for (const map of maps) {
    const end = drawMap(root, map, x, style);
    x = end.right + LINE;
    bottom = Math.max(bottom, end.bottom);
  }
  const right = drawScale(root, PICTURE.SVG_MARGIN, bottom + LINE / 2, style) + PICTURE.SVG_MARGIN;
  const width = Math.ceil(Math.max(x, right)), height = Math.ceil(bottom + LINE / 2 + SCALE_HEIGHT + GAP);
  return onPaper(root, width, height, maps.map(({ caption }) => caption).join("; "), style.paper);
}

/* Give a picture its size, its title and a background. */
function onPaper(root, width, height, title, fill) {
  filled(root, { width, height, viewBox: `0 0 ${width} ${height}` }, []);
  root.prepend(drawn("title", {}, title), drawn("rect", { width, height, fill }));
  return root;
}

/* ---- Saving ---- */

function offer(blob, name) {
  const address = URL.createObjectURL(blob);
  element("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60000);
}

/* Two pixels per CSS pixel, as in `elman attention --format png`. */
const ZOOM = 2;

/* Resolves to null if the browser does not support a canvas of this size. */
async function pngOf(svg) {
  const address = URL.createObjectURL(svg);
  try {
    const picture = new Image();
    picture.src = address;
    await picture.decode();
    const canvas = element("canvas", { width: ZOOM * picture.width, height: ZOOM * picture.height });
    canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
    return await new Promise((give) => { canvas.toBlob(give, "image/png"); });
  } catch {
    return null;
  } finally {
    URL.revokeObjectURL(address);
  }
}

/* Save a picture as a file of the kind "svg" or "png". */
async function savePicture(root, kind, name) {
  const svg = new Blob([new XMLSerializer().serializeToString(root)], { type: "image/svg+xml" });
  const blob = kind === "svg" ? svg : await pngOf(svg);
  if (blob === null) byId("announcement").textContent = "The picture is too large for this browser; save it as SVG.";
  else offer(blob, `${name}.${kind}`);
}
