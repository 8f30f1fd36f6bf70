/* The address of the page: view, lesson and choices. With it, the Back button and bookmarks restore
 * the page. It does not contain typed text, because browsers keep addresses and may send them to
 * other devices; links that the user copies contain it. */

/* Fields of an address that take effect without loading the page again. */
const PLACES = ["view", "lesson", "step", "try", "lang"];

/* Whether neither a link nor a last visit determines the content of the page: it then offers the
 * first lesson. */
let isFirstVisit = false;

/* The place that a link opens as soon as the page is ready: {lesson, step, try}. */
let opening = {};

/* Return the fields of the address; include typed text if `whole`. A lesson and an experiment bring their own pairs and
 * settings. */
function addressNow(whole = false) {
  const { language: lang, view } = state;
  if (lesson.at !== null) return { lesson: lesson.at + 1, ...(lesson.step > 0 ? { step: lesson.step + 1 } : {}), lang };
  if (lesson.trying !== null) return { try: lesson.trying, ...(view === EXPERIMENTS[lesson.trying].view ? {} : { view }), lang };
  const place = Object.fromEntries(placeNow());
  const isUsual = {
    epochs: Number(place.epochs) === epochsOfSet(), hold: Number(place.hold) === holdOfSet(), beam: place.beam === "5",
    sentence: place.sentence === sidesOf(pairs.lines[0] ?? "")[0].trim(),
  };
  for (const [name, usual] of Object.entries(isUsual)) if (usual) delete place[name];
  if (!whole) for (const name of pairs.set === "own" ? ["set", "pairs", "sentence", "text"] : ["text"]) delete place[name];
  return place;
}

/* Write the address. A new view, lesson or step is a new entry of the history; other changes replace the entry. A browser may
 * refuse, for example too many changes in a short time. */
function writePlace() {
  if (!storing) return;
  const { view } = state, { at, step, trying } = lesson;
  const key = at === null ? `${trying} ${view}` : `lesson ${at} ${step}`, entry = { key, view, at, step, trying };
  const address = `${location.href.split("#")[0]}#${new URLSearchParams(addressNow())}`, known = history.state?.key;
  if (address === location.href && known === key && history.state.view === view) return;
  attempt(() => history[known === undefined || known === key || replaces ? "replaceState" : "pushState"](entry, "", address));
}

/* Return the fields of a link that the user copies. */
const placeToShare = () => new URLSearchParams(addressNow(true));

/* Remove all choices from the address. */
const clearAddress = () => attempt(() => history.replaceState(null, "", location.href.split("#")[0]));

/* Whether an address replaces the present entry of the history: true while the page opens, and while it returns to an
 * entry. */
let replaces = true;

/* Show the place of an entry of the history. Settings stay as they are. */
function returnTo({ view = state.view, at = null, step = 0, trying = null }) {
  replaces = true;
  if (at === null && trying === null && (lesson.at !== null || lesson.trying !== null)) closeLesson().catch(reportError);
  if (at !== null && at !== lesson.at) openLesson(at, step);
  else if (at !== null && step !== lesson.step) goToStep(step);
  if (trying !== null && trying !== lesson.trying) tryExperiment(trying).catch(reportError);
  if (VIEWS.includes(view) && view !== state.view) showView(view);
  writePlace();
  replaces = false;
}

/* Record the place that a link opens; return false if there is no such lesson, step or experiment. */
function takeOpening({ lesson: number, step = 1, try: trying }) {
  const whole = (value, most) => validValue({ type: "size", minimum: 1, maximum: most }, value);
  if (trying !== undefined) {
    if (!(trying in EXPERIMENTS)) return false;
    opening = { trying };
    return true;
  }
  const at = whole(number, LESSONS.length);
  if (at === undefined || whole(step, LESSONS[at - 1].steps.length) === undefined) return false;
  opening = { at: at - 1, step: Number(step) - 1 };
  return true;
}

/* Open the recorded place. */
function openWanted() {
  const { at = null, step, trying } = opening;
  opening = {};
  if (at !== null) openLesson(at, step);
  else if (trying !== undefined) tryExperiment(trying).catch(reportError);
  else if (isFirstVisit) tell("welcome", () => t("welcome"), { action: { label: "welcome.go", go: () => openLesson(0) } });
  replaces = false;
}

function onTypedAddress() {
  const place = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
  const isPlace = Object.keys(place).length > 0 && Object.keys(place).every((name) => PLACES.includes(name));
  const names = place.lesson !== undefined || place.try !== undefined;
  if (!isPlace || !state.ready || (names && !takeOpening(place))) {
    location.reload();
    return;
  }
  if (place.lang in { en: 1, zh: 1 } && place.lang !== state.language) {
    state.language = place.lang;
    drawAll();
  }
  if (names) openWanted();
  else returnTo({ view: place.view });
}

function listenToAddress() {
  window.addEventListener("popstate", ({ state: entry }) => {
    if (entry?.key === undefined) onTypedAddress();
    else returnTo(entry);
  });
}
