/* The network before it learns: the view Learn shows it with the watched pair, so that a first visit sees what will change. */

const SLOT_OF_SKETCH = "sketch";
const SKETCHED_SIZE = 512;      // largest state or embedding; a larger network is made only when the user starts training
const SKETCHED_TEXT = 300000;   // maximum characters of pairs
/* `of` identifies the network and the sentence of the sketch, as sketchWanted() does. The translation is null if there
 * is none to show. */
const sketch = { of: "", info: null, translation: null, numbers: null };

const sketchWanted = () => JSON.stringify([state.now, state.watched]);

/* Return the sketch if the page has no network and the sketch is that of the settings, pairs and sentence. */
const sketchOnShow = () => (!hasModel() && sketch.translation !== null && sketch.of === sketchWanted() ? sketch : null);

function dropSketch() {
  if (sketch.of !== "") engine.call("drop", { slot: SLOT_OF_SKETCH }).catch(() => {});
  Object.assign(sketch, { of: "", info: null, translation: null, numbers: null });
}

/* Make the sketch. If the settings or pairs allow no network, there is nothing to show, and the button Start gives the
 * reason. */
const makeSketch = newestOnly(async () => {
  const of = sketchWanted(), text = state.watched, reference = referenceOf(text), values = learnArguments(SLOT_OF_SKETCH);
  const isLarge = ["hiddenSize", "embeddingSize"].some((name) => valueOf(name) > SKETCHED_SIZE) || values.text.length > SKETCHED_TEXT;
  if (hasModel() || !state.ready || state.busy !== null || lesson.busy || sketch.of === of) return;
  Object.assign(sketch, { of, info: null, translation: null, numbers: null });
  if (isLarge || text === "") return;
  try {
    const { info } = await engine.call("create", { ...values, watched: "" });
    const [translation = null] = await engine.call("translate", { slot: SLOT_OF_SKETCH, text, options: reference === "" ? { splitSentences: "off" } : { reference } });
    const numbers = translation === null ? null : await numbersOf(translation, { place: { slot: SLOT_OF_SKETCH }, info });
    if (sketch.of === of) Object.assign(sketch, { info, translation, numbers });
  } catch {
    return;
  }
  if (hasModel()) dropSketch();
  else drawRun();
});

function drawSketch({ translation, numbers }) {
  const reference = referenceOf(translation.source);
  byId("watched").replaceChildren(isolate(translation.source), " → ", isolate(translation.text), ...glossesOf(translation.source));
  learnMap.show(mapOf(translation));
  learnFigure.show(beginningOf(networkOf(translation, numbers), reference));
  byId("map-epoch").textContent = t("sketch");
}

/* Return what stands below the sketch. */
function hintOfSketch({ translation }) {
  const words = translation.logProbabilities.map(Math.exp);
  return element("p", {}, t(referenceOf(translation.source) === "" ? "sketch.hint.free" : "sketch.hint", { p: figure((100 * sumOf(words)) / words.length, 1) }));
}
