/* For a class: the link as a QR code, copied pictures, large type, and a worksheet to print. */

/* ---- The QR code. The library qrcode-generator is packed in the page and runs in a worker of its own when it is first needed. ---- */

let qrWorker = null;

async function startQr() {
  const code = await unpackedText("qr");
  const answer = `onmessage = ({ data }) => {
    const made = qrcode(0, "M"), rows = [];
    try {
      made.addData(data);
      made.make();
      for (let row = 0; row < made.getModuleCount(); row++) rows.push(Array.from({ length: made.getModuleCount() }, (_, at) => made.isDark(row, at)));
      postMessage(rows);
    } catch {
      postMessage(null);
    }
  };`;
  return new Worker(URL.createObjectURL(new Blob([code, answer], { type: "text/javascript" })));
}

/* Return the rows of a QR code, true where it is dark; null if the text is too long. */
async function qrOf(text) {
  qrWorker ??= startQr();
  const worker = await qrWorker;
  return new Promise((give) => {
    worker.onmessage = ({ data }) => give(data);
    worker.postMessage(text);
  });
}

const QUIET = 4;   // light modules around the code, which scanners require

/* Return the code as SVG, dark on white in every color scheme. */
function pictureOfQr(rows, label) {
  const size = rows.length + 2 * QUIET, dark = rows.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x + QUIET},${y + QUIET}h1v1h-1z`] : [])));
  return drawn("svg", { width: 8 * size, height: 8 * size, viewBox: `0 0 ${size} ${size}`, role: "img", "aria-label": label, "shape-rendering": "crispEdges" },
    drawn("rect", { width: size, height: size, fill: "#fff" }), drawn("path", { d: dark.join(""), fill: "#000" }));
}

/* A page from a file has no address that other devices can open; the user may type the one where the page is published. */
const isPublished = () => /^https?:/.test(location.protocol);

function addressToShare() {
  const base = byId("share-address").value.trim();
  return base === "" ? "" : `${base.split("#")[0]}#${placeToShare()}`;
}

const hasLongPairs = () => (placeToShare().get("pairs") ?? "").length > MOST_LINKED_TEXT;

const drawQr = newestOnly(async () => {
  const address = addressToShare(), isWeb = /^https?:\/\/[^\s/]/.test(address), rows = isWeb && !hasLongPairs() ? await qrOf(address) : null;
  byId("share-code").replaceChildren(...(rows === null ? [] : [pictureOfQr(rows, t("share.code"))]));
  write(byId("share-note"), t(!isWeb ? "share.file" : rows === null ? "share.long" : "share.hint"));
  byId("share-link").textContent = isWeb ? address : "";
  for (const id of ["share-copy", "share-svg"]) byId(id).disabled = rows === null;
});

function openShare() {
  if (byId("share-address").value === "" && isPublished()) byId("share-address").value = location.href.split("#")[0];
  byId("menu").open = false;
  byId("share").showModal();
  drawQr();
}

/* ---- Copied pictures ---- */

/* Copy a picture as PNG. */
async function copyPicture(svg) {
  const blob = new Blob([new XMLSerializer().serializeToString(svg)], { type: "image/svg+xml" });
  try {
    await navigator.clipboard.write([new ClipboardItem({ "image/png": pngOf(blob) })]);
    tell("export", () => t("copied"));
  } catch {
    tell("export", () => t("copied.not"), { bad: true });
  }
}

/* Copy what a function gives: {name, svg}, or null while the figure is empty. */
async function copyFigure(give) {
  const made = give();
  if (made === null) tell("export", () => t("save.empty"));
  else await copyPicture(made.svg);
}

/* ---- Large type ---- */

/* Figures have their own sizes of letters: they grow by the same factor. */
const typeScale = () => (byId("large").checked ? 1.4 : 1);
const enlarged = (svg) => filled(svg, Object.fromEntries(["width", "height"].map((side) => [side, typeScale() * Number(svg.getAttribute(side))])), []);

function applyType() {
  document.documentElement.classList.toggle("large", byId("large").checked);
  redrawFigures();
  redrawInside();
}

/* ---- The worksheet ---- */

const SHEET_SCORES = [2, 1, 0];   // scores in the exercise on softmax
const ALIGNED = ["今天 天气 很 好", "The weather is nice today"];

const ruled = (lines) => Array.from({ length: lines }, () => element("p", { class: "ruled" }));

function exerciseOfStep({ text, question, choices }, number) {
  return element("li", { value: number }, element("p", {}, inLanguage(text)), element("p", { class: "question" }, inLanguage(question)),
    element("p", { class: "boxes" }, ...choices.map((choice) => element("span", {}, `☐ ${inLanguage(choice)}`))),
    element("p", {}, t("sheet.measured")), ...ruled(2));
}

function exerciseOfAlignment() {
  const [source, target] = ALIGNED;
  const words = (text, isSource) => element("p", { class: "words" }, ...text.split(" ").map((word) => element("span", {}, isolate(word), ...(isSource ? glossOf(word) : []))));
  return [element("h2", {}, t("sheet.align")), element("p", {}, t("sheet.align.do")), words(source, true), element("div", { class: "gap" }), words(target, false)];
}

const exerciseOfSoftmax = () => [element("h2", {}, t("sheet.softmax")), element("p", {}, t("sheet.softmax.do", { scores: SHEET_SCORES.join(", ") })), ...ruled(3)];

const alignmentInWords = () => {
  const [source, target] = ALIGNED.map((text) => text.split(" "));
  return target.map((word) => [word, source.find((one) => GLOSSES.get(one)?.words.has(word.toLowerCase()))]).filter(([, found]) => found).map(([word, found]) => `${word} – ${found}`).join(", ");
};

function softmaxInNumbers() {
  const powers = SHEET_SCORES.map((score) => Math.exp(score)), sum = sumOf(powers), weights = powers.map((one) => one / sum);
  return t("sheet.softmax.answer", { powers: powers.map((one) => figure(one, 2)).join(" + "), sum: figure(sum, 2), weights: weights.map((one) => figure(one, 2)).join(", "),
    small: SHEET_SCORES.map((score) => figure(Math.exp(score / 4) / sumOf(SHEET_SCORES.map((one) => Math.exp(one / 4))), 2)).join(", ") });
}

/* Answers quote what this page has measured, if the lesson has run in it. */
function answersOf(lessons) {
  return [element("h2", { class: "new-page" }, t("sheet.answers")), ...lessons.flatMap((at) => [
    element("h3", {}, `${at + 1}. ${inLanguage(LESSONS[at].title)}`),
    element("ol", {}, ...LESSONS[at].steps.map((step, number) => {
      const found = lesson.at === at ? lesson.found[number] : undefined, answer = found === undefined ? null : step.answer(found), right = answer?.right ?? step.expected;
      return element("li", {}, element("b", {}, inLanguage(step.choices[right])), ". ", ...(answer === null ? [] : [inLanguage(answer.text), " ",
        ...(answer.rows ?? []).map(([name, , value]) => `${Array.isArray(name) ? inLanguage(name) : name}: ${value}. `)]), inLanguage(step.reason));
    })),
  ]), element("h3", {}, t("sheet.align")), element("p", {}, alignmentInWords()), element("h3", {}, t("sheet.softmax")), element("p", {}, softmaxInNumbers())];
}

function drawSheet() {
  const wanted = byId("sheet-lesson").value, lessons = wanted === "" ? [...LESSONS.keys()] : [Number(wanted)];
  byId("sheet-paper").replaceChildren(element("h1", {}, t("sheet.title")), element("p", { class: "names" }, t("sheet.name"), element("span", {}), t("sheet.date"), element("span", {})),
    ...lessons.flatMap((at) => [element("h2", {}, t("lesson.head", { n: at + 1, title: inLanguage(LESSONS[at].title) })), element("p", { class: "hint" }, `${inLanguage(LESSONS[at].lead)} ${t("sheet.where", { n: at + 1 })}`),
      element("ol", {}, ...LESSONS[at].steps.map((step, number) => exerciseOfStep(step, number + 1)))]),
    ...exerciseOfAlignment(), ...exerciseOfSoftmax(), ...(byId("sheet-answers").checked ? answersOf(lessons) : []));
}

function openSheet() {
  byId("menu").open = false;
  byId("sheet-lesson").replaceChildren(new Option(t("sheet.all"), ""), ...LESSONS.map(({ title }, at) => new Option(`${at + 1}. ${inLanguage(title)}`, at)));
  byId("sheet-lesson").value = lesson.at === null ? "0" : String(lesson.at);
  drawSheet();
  byId("sheet").showModal();
}

/* ---- Events ---- */

function listenToClass() {
  byId("share-open").addEventListener("click", openShare);
  byId("share-address").addEventListener("input", drawQr);
  byId("share-copy").addEventListener("click", () => copyPicture(byId("share-code").firstChild.cloneNode(true)));
  byId("share-svg").addEventListener("click", () => savePicture(byId("share-code").firstChild.cloneNode(true), "svg", "elman-link"));
  byId("sheet-open").addEventListener("click", openSheet);
  for (const id of ["sheet-lesson", "sheet-answers"]) byId(id).addEventListener("change", drawSheet);
  byId("sheet-print").addEventListener("click", () => window.print());
  for (const node of document.querySelectorAll("dialog .close")) node.addEventListener("click", () => node.closest("dialog").close());
  byId("large").addEventListener("change", () => { applyType(); storeSoon(); });
  byId("glosses").addEventListener("change", ({ target }) => {
    state.glosses = target.checked;
    drawAll();
  });
}
