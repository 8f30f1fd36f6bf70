/* Inside the network: one pair's numbers, gradient norms through time, and the gradient check. */

const CHECK_SAMPLES = 4;      // number of elements that are checked in each tensor

/* `found` is what the figures show: {of, last, epoch, at, source, forced, free, own, trace, check}, where `last` is the
 * last update of the network; `watched` is the sentence that was filled in. */
const insideState = { step: null, found: null, watched: "" };

function insidePair() {
  return { source: byId("inside-source").value.trim(), target: byId("inside-target").value.trim() };
}

/* Fill in the watched pair when another is watched. Figures of another network, epoch or pair disappear. */
function drawInsideState() {
  const { found } = insideState, { of, place } = networkOnShow();
  const { source, target } = insidePair();
  const isOld = found !== null && (found.of !== of || found.epoch !== place.epoch || found.source !== source || found.target !== target);
  if (isOld) insideState.found = null;
  byId("inside").hidden = insideState.found === null;
  byId("inside-empty").hidden = of !== null;
  byId("inside-empty").textContent = t("translate.first");
  byId("inside-go").disabled = byId("check").disabled = of === null || !state.ready;
  if (usesGiven()) fillInsideAsTranslated();
  else if (insideState.watched !== state.watched) fillInside(state.watched);
  /* The pairs may have been loaded after the sentence. */
  const wanted = byId("inside-target");
  if (wanted.value === "" && document.activeElement !== wanted) wanted.value = referenceOf(byId("inside-source").value.trim());
}

function fillInside(source) {
  insideState.watched = state.watched;
  byId("inside-source").value = source;
  byId("inside-target").value = referenceOf(source);
  insideState.found = null;
  byId("inside").hidden = true;
}

/* Fill in what the model inside the page has translated, until the user types something else. */
function fillInsideAsTranslated() {
  const shown = shownTranslation();
  if (shown === null && byId("inside-source").value === "") fillInside(state.watched);
  if (shown === null || insideState.watched === shown.text) return;
  fillInside(shown.source);
  insideState.watched = byId("inside-target").value = shown.text;
}

/* Return how the page names the network of the figures. */
const whoseFigures = ({ place, at }) => (place.slot === "main" ? t("epoch.n", { n: at }) : t("model.inside"));

/* Write the figures, also after a change of the language. */
function redrawInside() {
  const { found } = insideState;
  fillSteps(found === null ? [] : found.forced.targetTokens);
  if (found === null) return;
  byId("inside").hidden = false;
  const title = [t("inside.losses"), whoseFigures(found), ...(found.place.slot === "main" && hasOtherPairs() ? [t("other.pairs")] : [])].join(" · ");
  byId("inside-title").textContent = title;
  drawLosses(found);
  drawHidden(found.trace);
  drawNorms(found.trace);
  drawCheck(found.check);
}

/* Return whether both sets of figures show the same network and pair. A gradient check then holds for both. */
const isSameInside = (one, other) => one !== null && ["of", "last", "epoch", "source", "target"].every((name) => one[name] === other[name]);

const lookInside = newestOnly(async () => {
  const { source, target } = insidePair();
  const { of, place: where, epoch: at } = networkOnShow(), { epoch } = where;
  if (of === null || source === "") return;
  if (target === "") {
    tell("inside", () => t("inside.target"), { bad: true });
    return;
  }
  try {
    const [forced] = await engine.call("translate", { ...where, text: source, options: { reference: target } });
    const [free] = await engine.call("translate", { ...where, text: source, options: { splitSentences: "off" } });
    const own = [];
    for (let step = 0; step < Math.min(forced.targetIds.length, 60); step++)
      own.push((await engine.call("alternatives", { ...where, text: source, ids: forced.targetIds.slice(0, step), position: step, count: 1 }))[0]);
    if (insideState.step >= forced.targetTokens.length) insideState.step = null;
    const trace = await engine.call("trace", { ...where, source, target, step: insideState.step });
    untell("inside");
    const found = { of, last: of.last, place: where, epoch, at, source, target, forced, free, own, trace, check: null };
    if (isSameInside(insideState.found, found)) found.check = insideState.found.check;
    insideState.found = found;
    redrawInside();
    drawInsideState();
  } catch (error) {
    insideState.found = null;
    drawInsideState();
    if (error.code !== "stopped") tell("inside", () => wordsOf(error), { bad: true });
  }
});

/* Compute without being asked when the view is opened, unless it would take much memory or a lesson shows what to do. */
function lookInsideAtOnce() {
  const { source, target } = insidePair(), { info } = networkOnShow();
  if (insideState.found === null && info !== null && info.parameters <= MOST_PARAMETERS && state.ready && state.busy === null && state.run.status !== "running" &&
    lesson.at === null && lesson.trying === null && source !== "" && target !== "") lookInside().catch(reportError);
}

function fillSteps(tokens) {
  byId("inside-step").replaceChildren(new Option(t("inside.step.all"), ""),
    ...tokens.map((token, at) => new Option(`${at + 1}: ${visible(token)}`, at)));
  byId("inside-step").value = insideState.step === null ? "" : String(insideState.step);
}

/* ---- One pair in numbers, with the equations of docs/bptt.md ---- */

function drawLosses({ forced, free, own }) {
  const lang = languageOf(forced.text);
  const { targetTokens, logProbabilities, attention, sourceTokens } = forced;
  const most = Math.max(0.1, ...logProbabilities.map((value) => -value).filter(Number.isFinite));
  const rows = targetTokens.map((token, at) => {
    const strongest = attention[at].indexOf(Math.max(...attention[at]));
    const given = at === 0 ? "<s>" : targetTokens[at - 1];
    const loss = -logProbabilities[at];
    const bar = element("td", { class: "bar figure" }, figure(loss, 3));
    bar.style.setProperty("--share", `${Math.min(100, (100 * loss) / most)}%`);
    const choice = own[at];
    const same = choice && choice.token === token;
    return element("tr", {}, element("th", { scope: "row", class: "figure" }, String(at + 1)),
      element("td", {}, isolate(given, lang)),
      element("td", {}, attention[at].length === 0 ? "" : isolate(sourceTokens[strongest], languageOf(forced.source)),
        element("span", { class: "figure" }, attention[at].length === 0 ? "" : figure(attention[at][strongest], 2))),
      element("td", {}, isolate(token, lang)), element("td", { class: "figure" }, figure(Math.exp(logProbabilities[at]), 3)), bar,
      element("td", { class: same ? "" : "differs" }, choice ? isolate(choice.token, lang) : "", choice ? element("span", { class: "figure" }, chance(choice.probability)) : ""));
  });
  const unknown = targetTokens.filter((_, at) => forced.targetIds[at] === UNKNOWN);
  const mean = -forced.logProbability / Math.max(1, targetTokens.length);
  const heads = [["inside.given", "(4)"], ["inside.looks", "(7)"], ["inside.wanted", ""], ["inside.p", "(10)"], ["inside.loss", "(11)"], ["inside.own", ""]]
    .map(([key, equation]) => [t(key), " ", element("span", { class: "equation" }, equation)]);
  byId("losses").replaceChildren(plainTable(["t", ...heads], rows, element("tfoot", {}, element("tr", {},
    element("th", { scope: "row", colspan: 5 }, t("inside.mean")), element("td", { class: "figure" }, figure(mean, 3)), element("td", {})))),
    ...(unknown.length > 0 ? [element("p", { class: "note" }, t("inside.unknown", { list: unknown.map(isolated).join(", ") }))] : []),
    element("p", { class: "free" }, t("inside.free"), " ", element("b", { id: "inside-free" }, isolate(free.text)),
      " ", element("span", { class: free.text === forced.text ? "mark good" : "mark" }, free.text === forced.text ? `✓ ${t("is.right")}` : t("inside.differs"))));
}

/* ---- Hidden states ---- */

/* Return a canvas with one column per token and one row per unit, in the colors of the network. It is drawn pixel by pixel, because a
 * large layer has too many values for elements. */
function canvasOf({ tokens, layer, title }) {
  const columns = tokens.length, rows = layer.units, tall = Math.max(1, Math.min(6, Math.round(192 / rows)));
  const canvas = element("canvas", { width: columns, height: rows, role: "img", "aria-label": title });
  const drawing = canvas.getContext("2d"), image = drawing.createImageData(columns, rows), colors = unitColors();
  layer.hidden.forEach((values, column) => values.forEach((value, row) => {
    image.data.set([...(Number.isFinite(value) ? colors(value) : [0, 0, 0]), 255], 4 * (row * columns + column));
  }));
  drawing.putImageData(image, 0, 0);
  canvas.style.setProperty("--tall", `${tall * rows}px`);
  canvas.addEventListener("pointermove", ({ offsetX, offsetY }) => {
    const at = Math.min(columns - 1, Math.max(0, Math.floor((offsetX / canvas.clientWidth) * columns)));
    const unit = Math.min(rows - 1, Math.max(0, Math.floor((offsetY / canvas.clientHeight) * rows)));
    byId("hidden-value").textContent = t("inside.hidden.value", { unit: unit + 1, token: visible(tokens[at]), value: figure(layer.hidden[at][unit], 3) });
  });
  canvas.addEventListener("pointerleave", () => { byId("hidden-value").textContent = "\u00a0"; });
  return canvas;
}

function drawHidden(trace) {
  byId("hidden").className = "layers";
  byId("hidden").replaceChildren(...trace.layers.map((layer) => {
    /* A decoder step reads the token before the one that it predicts. */
    const tokens = layer.side === "source" ? trace.sourceTokens : ["<s>", ...trace.targetTokens.slice(0, -1)];
    const title = t("inside.hidden.title", { layer: layerName(layer) });
    return element("div", { class: "layer" }, element("h3", {}, layerName(layer)),
      element("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": title },
        element("div", { class: "states" }, canvasOf({ tokens, layer, title }),
          element("div", { class: "under" }, ...tokens.map((token) => element("span", {}, isolate(visible(token))))))));
  }));
}

/* ---- Gradient norms ---- */

function layerName({ side, layer, reverse }) {
  return `${t(side === "source" ? "encoder" : "decoder")}, ${t("layer", { n: layer + 1 })}${reverse ? `, ${t("backward")}` : ""}`;
}

function normsOf(trace, layer, room) {
  const tokens = layer.side === "source" ? trace.sourceTokens : trace.targetTokens;
  const rows = [{ values: layer.states, ink: "accent" }, { values: layer.inputs, ink: "second" }];
  return barsOf({ tokens, rows, title: layerName(layer), room });
}

const normKeys = () => [{ name: t("inside.states"), ink: "accent" }, { name: t("inside.inputs"), ink: "second" }];

function normsPicture() {
  const { found } = insideState;
  if (found === null) return null;
  const title = `${t("inside.norms")}, ${whoseFigures(found)}: ${visible(found.source)} → ${visible(found.target)}`;
  return { name: "gradients", svg: inLight(() => framed(title, normKeys(),
    found.trace.layers.map((layer) => ({ title: layerName(layer), svg: normsOf(found.trace, layer) })))) };
}

function drawNorms(trace) {
  const layers = trace.layers.map((layer) => {
    const title = layerName(layer);
    const low = Math.min(...layer.states.filter((value) => value > 0)), high = Math.max(...layer.states);
    const saturated = Math.max(0, ...layer.saturated.filter(Number.isFinite));
    return element("div", { class: "layer" }, element("h3", {}, title),
      element("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": title }, enlarged(normsOf(trace, layer, byId("norms").clientWidth / typeScale()))),
      element("p", { class: "hint" }, layer.states.length > 1 && Number.isFinite(low) && low > 0 ? t("inside.ratio", { ratio: brief(high / low) }) : "",
        saturated > 0 ? `${afterSentence()}${t("inside.saturated", { share: figure(saturated <= 1 ? 100 * saturated : (100 * saturated) / layer.units, 0) })}` : ""));
  });
  byId("norms").replaceChildren(element("p", { class: "legend" }, ...legendOf(normKeys())), element("div", { class: "layers" }, ...layers));
}

/* ---- The gradient check ---- */

function drawCheck(check) {
  byId("check-table").replaceChildren();
  write(byId("check-result"), check === null ? "" : check.words());
  if (check === null || !check.tensors) return;
  const heads = ["inside.tensor", "inside.shape", "inside.checked", "inside.analytic", "inside.numerical", "inside.error"];
  byId("check-table").replaceChildren(plainTable(heads.map((key) => t(key)), check.tensors.map((one) =>
    element("tr", {}, element("th", { scope: "row" }, one.name),
      ...[`${one.rows} × ${one.columns}`, String(one.checked), one.analytic.toExponential(5), one.numerical.toExponential(5), one.error.toExponential(1)]
        .map((text) => element("td", { class: "figure" }, text))))));
}

async function checkGradient() {
  const { source, target } = insidePair(), { found } = insideState, { at: n, place } = found;
  const show = (check) => {
    found.check = check;
    if (!isSameInside(insideState.found, found)) return;
    insideState.found.check = check;
    drawCheck(check);
  };
  byId("check").disabled = true;
  show({ words: () => t("inside.check.busy") });
  try {
    const result = await engine.call("check_gradient", { ...place, source, target, samples: CHECK_SAMPLES });
    const worst = Math.max(0, ...result.tensors.map(({ error }) => error).filter(Number.isFinite));
    show({ tensors: result.tensors, words: () => `${place.slot === "main" ? `${capital(t("epoch.n", { n }))}. ` : ""}${t(result.failed ? "inside.check.bad" : "inside.check.good", {
      n: result.tensors.reduce((sum, { checked }) => sum + checked, 0), tensors: result.tensors.length, error: worst.toExponential(1) })}` });
  } catch (error) {
    if (error.code !== "stopped") show({ words: () => wordsOf(error) });
  }
  byId("check").disabled = networkOnShow().of === null;
  keepFocus(byId("check"));
}

function listenToInside() {
  byId("inside-go").addEventListener("click", lookInside);
  for (const id of ["inside-source", "inside-target"]) {
    byId(id).addEventListener("keydown", (event) => {
      if (event.key === "Enter" && !event.isComposing) lookInside();
    });
    byId(id).addEventListener("input", drawInsideState);
  }
  byId("inside-source").addEventListener("change", ({ target }) => {
    const reference = referenceOf(target.value.trim());
    if (reference !== "") byId("inside-target").value = reference;
    drawInsideState();
  });
  byId("inside-step").addEventListener("change", ({ target }) => {
    insideState.step = target.value === "" ? null : Number(target.value);
    lookInside();
  });
  byId("check").addEventListener("click", checkGradient);
}
