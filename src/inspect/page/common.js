"use strict";
/* The parts of the attention page that the playground shares: text, measures and colors of attention weights. */

const byId = (id) => document.getElementById(id);

/* ---- Text ---- */

/* Control characters, noncharacters, and characters that are invisible or change the writing direction;
 * not joiners, which emoji use. */
const UNSEEN = /(?![\u200C\u200D])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}]/gu;
const spelled = (character) => `\\u{${character.codePointAt(0).toString(16).toUpperCase()}}`;

function visible(text) {
  return text.replace(UNSEEN, spelled);
}

/* Isolate the direction of a text without an element, by the characters FSI and PDI. */
function isolated(text) {
  return `\u2068${visible(text)}\u2069`;
}

function filled(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
}

const element = (name, attributes, ...children) => filled(document.createElement(name), attributes, children);

/* Return a button with a listener. `kind` is its class or "". */
function button(kind, go, content = [], attributes = {}) {
  const made = element("button", { type: "button", ...(kind === "" ? {} : { class: kind }), ...attributes }, ...content);
  made.addEventListener("click", go);
  return made;
}

/* Return the result of the task, or `otherwise` if it fails. */
function attempt(task, otherwise = null) {
  try {
    return task();
  } catch {
    return otherwise;
  }
}

/* Return the text as nodes; invisible characters are spelled out and marked. */
function nodesOf(text) {
  const nodes = [];
  let at = 0;
  for (const match of text.matchAll(UNSEEN)) {
    nodes.push(text.slice(at, match.index), element("span", { class: "control" }, spelled(match[0])));
    at = match.index + match[0].length;
  }
  return [...nodes, text.slice(at)];
}

/* The most frequent language of a script, for speech output and fonts only. */
const SCRIPTS = [
  [/[\p{Script=Hiragana}\p{Script=Katakana}]/u, "ja"],
  [/\p{Script=Hangul}/u, "ko"],
  [/\p{Script=Han}/u, "zh"],
  [/\p{Script=Arabic}/u, "ar"],
  [/\p{Script=Hebrew}/u, "he"],
  [/\p{Script=Cyrillic}/u, "ru"],
  [/\p{Script=Greek}/u, "el"],
  [/\p{Script=Devanagari}/u, "hi"],
  [/\p{Script=Thai}/u, "th"],
  [/\p{Script=Latin}/u, "en"],
];

function languageOf(text) {
  const found = SCRIPTS.find(([script]) => script.test(text));
  return found ? found[1] : "";
}

/* Return the direction of a text, which is that of its first letter. It is for an element whose parts are isolated,
 * because dir="auto" ignores isolated text. */
function directionOf(text) {
  const first = /\p{L}/u.exec(text);
  return first && /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u.test(first[0])
    ? "rtl" : "ltr";
}

function isolate(text, lang = languageOf(text)) {
  return element("bdi", { lang }, ...nodesOf(text));
}

/* Return a dash if the value is not finite, such as the logarithm of 0. A value that rounds to 0 has no sign. */
function figure(value, digits) {
  return Number.isFinite(value) ? value.toFixed(digits).replace(/^-(?=.*[1-9])/, "\u2212").replace("-", "") : "\u2013";
}

/* Convert spans in bytes of UTF-8 to spans in the string. */
function spansOf(text, spans) {
  const positions = []; // of the character of each byte
  let at = 0;
  for (const character of text) {
    const code = character.codePointAt(0);
    const size = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (let i = 0; i < size; i++) positions.push(at);
    at += character.length;
  }
  positions.push(at);
  return spans.map((span) => span.map((byte) => positions[byte]));
}

/* ---- Measures ---- */

function sumOf(values) {
  return values.reduce((sum, value) => sum + value, 0);
}

/* Return the entropy of the weights divided by their sum, as in the records: with local attention or a
 * sentinel, weights sum to less than 1. */
function entropyOf(row) {
  const total = sumOf(row);
  const shares = row.filter((weight) => weight > 0).map((weight) => weight / total);
  return Math.max(0, -sumOf(shares.map((share) => share * Math.log(share))));
}

function coverageOf(weights, source) {
  return weights.reduce((sums, row) => sums.map((sum, s) => sum + row[s]), Array(source).fill(0));
}

/* ---- Colors ---- */

/* The build replaces the name by the list that the SVG of the command uses. */
const COLORS = [
@COLORS@];

/* Return a channel of the color of a share between 0 and 1. */
function channelAt(share, channel) {
  const place = share * (COLORS.length / 3 - 1);
  const low = Math.min(Math.floor(place), COLORS.length / 3 - 2), at = 3 * low + channel;
  return Math.round(COLORS[at] + (place - low) * (COLORS[at + 3] - COLORS[at]));
}

/* Return the color of a weight, and the color of text on it. */
function colorsOf(weight) {
  const limited = Math.min(Math.max(weight, 0), 1), share = byId("scale").value === "root" ? Math.sqrt(limited) : limited;
  const color = [0, 1, 2].map((channel) => channelAt(share, channel));
  /* At this share of the scale black and white have equal contrast, above 4.5. */
  return [`rgb(${color})`, share > 0.525 ? "#000" : "#fff"];
}

/* Color an element like a cell of the weight, which is stored in it. */
function shade(target, weight) {
  const [color, ink] = colorsOf(weight);
  target.weight = weight;
  target.classList.add("shaded");
  target.style.setProperty("--shade", color);
  target.style.setProperty("--on-shade", ink);
}
