/* The start of a first visit, unless a link or a last visit determines it. */

/* Return whether a link or a handed-out page names pairs or settings, and so asks the user to train a network. */
const isForLearning = ({ set, pairs: lines, epochs, hold, sentence, settings }) =>
  [set, lines, epochs, hold, sentence].some((value) => value !== undefined) || Object.keys(settings).length > 0;

/* Take over the first run, the last visit, what the page presets, and then the link. */
function takeFirstPlaces() {
  takePlace(FIRST);
  const last = restoreVisit();
  if (hasLargePairs()) pairs.wanted = undefined;
  const places = [readPreset(), placeOf(Object.fromEntries(new URLSearchParams(location.hash.slice(1))))];
  translator.linked = places.some(isForLearning);
  if (!last && !translator.linked && GIVEN !== "") state.view = "translate";
  translator.chosen = GIVEN !== "" && !translator.linked && translator.wanted !== "own" ? "given" : "own";
  for (const place of places) {
    /* The settings of a link replace all earlier ones, except those of the first run. */
    if (isForLearning(place)) wantedSettings = pairs.wanted === FIRST.set ? { ...FIRST.settings } : {};
    takePlace(place);
  }
}
