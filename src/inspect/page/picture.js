"use strict";
/* Heat maps as a picture: a list of rectangles and texts, which is written as SVG or drawn on a canvas. */

const CELL = { width: 34, height: 24 };
const GAP = 6;
const LINE = 22;
const SIZE = 13;

/* ---- Contents ---- */

/* Return the colors and the font of the page. */
function styleOfPage() {
  const { backgroundColor, color, fontFamily } = getComputedStyle(document.body);
  return { paper: backgroundColor, ink: color, font: fontFamily };
}

function widthIn(font) {
  const context = document.createElement("canvas").getContext("2d");
  context.font = `${SIZE}px ${font}`;
  return (text) => context.measureText(text).width;
}

/* Return the columns after the tokens: a name and a number for each row. */
function figuresOf(view) {
  const figures = [];
  if (view.sentinel !== null) figures.push({ name: nameOfFigure("no token"), values: view.sentinel });
  segmentNames(view).forEach((name, g) =>
    figures.push({ name, values: view.segments.map((row) => row[g]) }));
  return [...figures, { name: nameOfFigure("entropy"), values: view.entropy }];
}

/* Append the items of a map at x. Return its right and bottom edges. */
function drawMap(items, { view, caption }, x, style) {
  const width = widthIn(style.font);
  const widest = (texts) => Math.max(0, ...texts.map(width));
  const sources = view.sources.map(visible), targets = view.targets.map(visible);
  const figures = figuresOf(view);
  const left = x + widest([...targets, nameOfFigure("coverage")]) + GAP;
  const turned = widest(sources) > CELL.width;
  const top = 2 * LINE + (turned ? widest(sources) : LINE);
  const column = widest(["0.00", ...figures.map(({ name }) => name)]) + 2 * GAP;
  const text = (more) => items.push({ kind: "text", fill: style.ink, anchor: "start", ...more });
  text({ x, y: LINE, text: caption });
  sources.forEach((token, s) => {
    const middle = left + (s + 0.5) * CELL.width;
    text(turned ? { x: middle + 4, y: top - GAP, text: token, turn: -90 }
      : { x: middle, y: top - GAP, text: token, anchor: "middle" });
  });
  view.weights.forEach((row, t) => {
    const y = top + t * CELL.height;
    text({ x: left - GAP, y: y + 17, text: targets[t], anchor: "end" });
    row.forEach((weight, s) => {
      const [fill, ink] = colorsOf(weight);
      const cell = { x: left + s * CELL.width, y };
      items.push({ kind: "rect", ...cell, width: CELL.width - 1, height: CELL.height - 1, fill });
      if (byId("numbers").checked)
        text({ x: cell.x + CELL.width / 2, y: y + 17, text: figure(weight, 2), anchor: "middle", fill: ink });
    });
  });
  const right = left + sources.length * CELL.width;
  figures.forEach(({ name, values }, at) => {
    const end = right + (at + 1) * column - GAP;
    text({ x: end, y: top - GAP, text: name, anchor: "end" });
    values.forEach((value, t) =>
      text({ x: end, y: top + t * CELL.height + 17, text: figure(value, 2), anchor: "end" }));
  });
  const bottom = top + targets.length * CELL.height;
  text({ x: left - GAP, y: bottom + 17, text: nameOfFigure("coverage"), anchor: "end" });
  view.coverage.forEach((value, s) => text({
    x: left + (s + 0.5) * CELL.width, y: bottom + 17, text: figure(value, 2), anchor: "middle" }));
  return { right: Math.max(right + figures.length * column, x + width(caption)), bottom: bottom + LINE };
}

function drawScale(items, x, y, style) {
  [0, 0.1, 0.25, 0.5, 0.75, 1].forEach((weight, step) => {
    const [fill, ink] = colorsOf(weight);
    const cell = { x: x + step * (CELL.width + 8), y };
    items.push({ kind: "rect", ...cell, width: CELL.width + 7, height: CELL.height - 1, fill },
      { kind: "text", x: cell.x + (CELL.width + 7) / 2, y: y + 17, text: String(weight), fill: ink, anchor: "middle" });
  });
}

/* Return the picture of maps, each { view, caption }, side by side. */
function pictureOf(maps) {
  const style = styleOfPage(), items = [];
  let x = 2 * GAP, bottom = 0;
  for (const map of maps) {
    const end = drawMap(items, map, x, style);
    x = end.right + LINE;
    bottom = Math.max(bottom, end.bottom);
  }
  drawScale(items, 2 * GAP, bottom + GAP, style);
  const width = Math.ceil(Math.max(x, 6 * (CELL.width + 8) + 4 * GAP)), height = Math.ceil(bottom + 2 * LINE);
  return { ...style, width, height, items, title: maps.map(({ caption }) => caption).join("; ") };
}

/* ---- Formats ---- */

/* visible() has replaced the characters that XML forbids. */
function svgOf(picture) {
  const space = "http://www.w3.org/2000/svg";
  const make = (name, attributes, ...children) => {
    const made = document.createElementNS(space, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  };
  const { width, height, paper, font, items, title } = picture;
  const root = make("svg", {
    width, height, viewBox: `0 0 ${width} ${height}`, role: "img",
    "font-family": font, "font-size": SIZE,
  }, make("title", {}, title), make("rect", { width, height, fill: paper }));
  for (const { kind, text, anchor, turn, x, y, ...rest } of items)
    root.append(kind === "rect" ? make("rect", { x, y, ...rest })
      : make("text", {
        ...(turn ? { transform: `translate(${x},${y})rotate(${turn})` } : { x, y }),
        "text-anchor": anchor, ...rest,
      }, text));
  return new Blob([new XMLSerializer().serializeToString(root)], { type: "image/svg+xml" });
}

/* Two canvas pixels per CSS pixel, as in `elman attention --format png`. */
const ZOOM = 2;

/* Resolves to null if the browser does not support a canvas of this size. */
function pngOf({ width, height, paper, font, items }) {
  const canvas = document.createElement("canvas");
  canvas.width = ZOOM * width;
  canvas.height = ZOOM * height;
  const context = canvas.getContext("2d");
  context.scale(ZOOM, ZOOM);
  context.fillStyle = paper;
  context.fillRect(0, 0, width, height);
  context.font = `${SIZE}px ${font}`;
  for (const item of items) {
    context.fillStyle = item.fill;
    if (item.kind === "rect") {
      context.fillRect(item.x, item.y, item.width, item.height);
      continue;
    }
    context.save();
    context.translate(item.x, item.y);
    context.rotate(((item.turn || 0) * Math.PI) / 180);
    context.textAlign = { start: "left", middle: "center", end: "right" }[item.anchor];
    context.fillText(item.text, 0, 0);
    context.restore();
  }
  return new Promise((give) => { canvas.toBlob(give, "image/png"); });
}

async function savePicture(maps, kind, name) {
  const picture = pictureOf(maps);
  const blob = kind === "svg" ? svgOf(picture) : await pngOf(picture);
  if (blob === null) {
    byId("announcement").textContent = "The picture is too large for this browser; save it as SVG.";
    return;
  }
  const address = URL.createObjectURL(blob);
  const link = element("a", { href: address, download: `${name}.${kind}` });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60000);
}
