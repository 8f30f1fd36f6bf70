/* What a first visit begins with, where no link and no last visit says otherwise. */

/* Sentences whose words cross, scaled scores and about four seconds: a map that shows a true alignment. */
const FIRST_RUN = {
  set: "daily", epochs: 12, hold: -1, sentence: "她 昨天 没 吃 这 个 苹果",
  settings: { attention: "scaled", hiddenSize: 64, embeddingSize: 64, learningRate: 0.003 },
};

/* Return whether a link or a handed-out page names pairs or settings: it is for a network of one's own. */
const isForLearning = ({ set, pairs: lines, epochs, hold, sentence, settings }) =>
  [set, lines, epochs, hold, sentence].some((value) => value !== undefined) || Object.keys(settings).length > 0;

/* Take over the last visit, then what the page presets, then the link. */
function takeFirstPlaces() {
  const last = restoreVisit();
  const places = [readPreset(), placeOf(Object.fromEntries(new URLSearchParams(location.hash.slice(1))))];
  translator.linked = places.some(isForLearning);
  if (!last && !translator.linked) takePlace(FIRST_RUN);
  if (!last && !translator.linked && GIVEN !== "") state.view = "translate";
  translator.chosen = GIVEN !== "" && !translator.linked && translator.wanted !== "own" ? "given" : "own";
  for (const place of places) {
    /* The settings of a link replace all earlier ones. */
    if (isForLearning(place)) wantedSettings = {};
    takePlace(place);
  }
}
