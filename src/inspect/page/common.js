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

function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
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

function isolate(text, lang) {
  return element("bdi", { lang }, ...nodesOf(text));
}

/* Return a dash if the value is not finite, such as the logarithm of 0. A value that rounds to 0 has no sign. */
function figure(value, digits) {
  return Number.isFinite(value) ? value.toFixed(digits).replace(/^-(?=.*[1-9])/, "\u2212").replace("-", "") : "\u2013";
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

const VIRIDIS = [
  [68, 1, 84], [71, 45, 123], [59, 82, 139], [44, 114, 142], [33, 145, 140],
  [40, 174, 128], [94, 201, 98], [173, 220, 48], [253, 231, 37],
];

function luminance(color) {
  const linear = color.map((channel) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
}

function viridis(share) {
  const place = Math.min(Math.max(share, 0), 1) * (VIRIDIS.length - 1);
  const low = Math.min(Math.floor(place), VIRIDIS.length - 2);
  return VIRIDIS[low].map((from, i) =>
    Math.round(from + (place - low) * (VIRIDIS[low + 1][i] - from)));
}

/* Return the color of a weight, and the color of text on it. */
function colorsOf(weight) {
  const color = viridis(byId("scale").value === "root" ? Math.sqrt(weight) : weight);
  /* At this luminance black and white have equal contrast, above 4.5. */
  return [`rgb(${color})`, luminance(color) > 0.179 ? "#000" : "#fff"];
}

function shade(target, weight) {
  const [color, ink] = colorsOf(weight);
  target.classList.add("shaded");
  target.style.setProperty("--shade", color);
  target.style.setProperty("--on-shade", ink);
}
