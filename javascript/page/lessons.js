/* Running lessons: a question, a prediction, and the answer that the page measures. course.js has their contents. */

/* `found` has the measures of each step, `chosen` the predictions. `before` is what the lesson replaced: {…snapshotOfPairs(), settings,
 * watched, beam, network}. A change of `turn` ends what a step still computes. `trying` is the name of an experiment. */
const lesson = { at: null, step: 0, found: [], chosen: [], before: null, turn: 0, busy: false, trying: null, done: new Set(), acting: null };

const inLanguage = ([english, chinese]) => (state.language === "zh" ? chinese : english);
const stepNow = () => LESSONS[lesson.at].steps[lesson.step];

/* ---- Showing ---- */

function drawLessons() {
  byId("lessons").replaceChildren(...LESSONS.map(({ name, title, lead, steps }, at) => element("li", {}, button("lesson-card", () => openLesson(at),
    [element("b", {}, `${at + 1}. ${inLanguage(title)}`), element("span", {}, inLanguage(lead)),
      element("span", { class: "card-foot" }, t("lesson.size", { n: steps.length }), ...(lesson.done.has(name) ? [element("span", { class: "mark good" }, `✓ ${t("lesson.done")}`)] : []))],
    { "aria-current": String(lesson.at === at) }))));
  drawExperiments();
}

/* Open a lesson at a step. A link or the Back button may lead to a step whose earlier ones have not run. */
function openLesson(at, step = 0) {
  lesson.turn++;
  Object.assign(lesson, { at, step, found: [], chosen: [], trying: null, busy: false });
  for (const key of ["experiment", "welcome"]) untell(key);
  drawLesson();
  writePlace();
  byId("lesson-act").focus();
  byId("lesson").scrollIntoView({ block: "nearest" });
}

/* Return the first step before the present one that has not run, or -1. */
const lackingStep = () => LESSONS[lesson.at].steps.findIndex(({ act }, at) => at < lesson.step && act && lesson.found[at] === undefined);

function choicesOfStep({ question, choices }, right) {
  const chosen = lesson.chosen[lesson.step], isOver = lesson.found[lesson.step] !== undefined;
  const rows = choices.map((choice, at) => {
    const input = element("input", { type: "radio", name: "prediction", value: at, ...(chosen === at ? { checked: "" } : {}), ...(isOver || lesson.busy ? { disabled: "" } : {}) });
    input.addEventListener("change", () => {
      lesson.chosen[lesson.step] = at;
      drawLessonButtons();
    });
    const mark = !isOver || right === null ? "" : at === right ? "✓" : at === chosen ? "✗" : "";
    return element("label", { class: isOver && at === right ? "choice right" : "choice" }, input, " ", inLanguage(choice), element("b", {}, mark));
  });
  return element("fieldset", { class: "choices" }, element("legend", { class: "question" }, inLanguage(question)), ...rows);
}

/* Return a text, rows and the reason of an answer as elements. */
function answerOf(step, { right, text, rows = [] }) {
  const chosen = lesson.chosen[lesson.step];
  const verdict = chosen === undefined || right === null ? [] : [element("b", {}, t(chosen === right ? "lesson.right" : "lesson.wrong")), afterSentence()];
  return [element("p", {}, ...verdict, inLanguage(text)),
    ...(rows.length === 0 ? [] : [element("table", { class: "plain measures" }, element("tbody", {}, ...rows.map(([name, share, value]) => {
      const bar = element("td", { class: "bar" }, value);
      bar.style.setProperty("--share", `${Math.min(100, 100 * share)}%`);
      return element("tr", {}, element("th", { scope: "row" }, Array.isArray(name) ? inLanguage(name) : name), bar);
    })))]),
    element("p", {}, inLanguage(step.reason))];
}

function drawLesson() {
  byId("lesson").hidden = lesson.at === null;
  pointAt(null);
  if (lesson.at === null) return;
  const { title, steps } = LESSONS[lesson.at], step = stepNow(), found = lesson.found[lesson.step];
  const answer = found === undefined ? null : step.answer(found);
  byId("lesson-title").textContent = inLanguage(title);
  byId("lesson-place").textContent = t("lesson.place", { n: lesson.step + 1, of: steps.length });
  byId("lesson-text").replaceChildren(element("p", {}, inLanguage(step.text)), choicesOfStep(step, answer?.right ?? null));
  byId("lesson-answer").replaceChildren(...(answer === null ? [] : answerOf(step, answer)));
  byId("lesson").classList.toggle("over", answer !== null);
  drawLessonButtons();
  if (found !== undefined) pointAt(step.point);
}

function drawLessonButtons() {
  const step = stepNow(), { steps } = LESSONS[lesson.at], isOver = lesson.found[lesson.step] !== undefined, lacks = lackingStep() >= 0;
  const act = byId("lesson-act"), next = byId("lesson-next"), isLast = lesson.step === steps.length - 1;
  act.style.minWidth = lesson.busy ? `${act.offsetWidth}px` : ""; // the buttons beside it stay
  write(act, lesson.busy ? t("lesson.busy") : lacks ? t("lesson.catch") : inLanguage(step.act[0]));
  act.disabled = lesson.busy || (!lacks && !isOver && lesson.chosen[lesson.step] === undefined);
  act.setAttribute("aria-busy", String(lesson.busy));
  act.classList.toggle("primary", !isOver);
  next.classList.toggle("primary", isOver);
  byId("lesson-back").disabled = lesson.step === 0;
  next.disabled = !isOver || lesson.busy;
  write(next, t(isLast ? "lesson.end" : "next"));
  write(byId("lesson-hint"), lesson.busy || isOver ? "" : t(lacks ? "lesson.hint.catch" : lesson.chosen[lesson.step] === undefined ? "lesson.hint.choose" : "lesson.hint.act"));
}

/* Outline a figure and bring it into view. */
function pointAt(selector) {
  for (const old of document.querySelectorAll(".pointed")) {
    old.classList.remove("pointed");
    old.style.scrollMarginTop = "";
  }
  const found = selector === null ? null : document.querySelector(selector);
  if (found === null) return;
  found.classList.add("pointed");
  found.style.scrollMarginTop = `${byId("lesson").offsetHeight + 12}px`; // the panel covers the top of the view
  found.scrollIntoView({ block: "nearest", behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
}

/* ---- Moving ---- */

function goToStep(step) {
  lesson.turn++;
  Object.assign(lesson, { step, busy: false });
  drawLesson();
  writePlace();
}

function moveLesson(change) {
  const { steps, name } = LESSONS[lesson.at], next = lesson.step + change;
  if (next < steps.length) {
    goToStep(next);
    byId("lesson-text").scrollIntoView({ block: "nearest" });
    return;
  }
  lesson.done.add(name);
  showView("lessons", true);
  closeLesson().catch(reportError);
}

/* End the lesson or experiment. If the user changed its pairs, offer to restore them. */
async function closeLesson() {
  lesson.turn++;
  Object.assign(lesson, { at: null, trying: null, busy: false });
  untell("experiment");
  if (state.view === "lessons") drawLessons();
  drawLesson();
  keepFocus();
  writePlace();
  await lesson.acting;
  if (lesson.before === null) return;
  const { before } = lesson;
  await pauseAll();
  if (before.network === null && hasModel()) {
    await engine.call("drop", { slot: "main" });
    replaceNetwork(null, newRun());
  }
  const edited = pairs.set === "own" && !pairs.lesson ? snapshotOfPairs() : null;
  lesson.before = null;
  bringBack(before);
  state.settings = before.settings;
  asked.beam = before.beam;
  chooseFigure(before.figure);
  byId("beam").value = before.beam;
  watch(before.watched);
  drawSettings();
  state.now = signature();
  if (edited !== null) offerPairs(edited, () => t("pairs.replaced"));
  if (before.network !== null) {
    await bringModelBack(before.network);
    keepModelSoon(0);
  } else {
    drawRun();
    drawTranslateSoon();
  }
}

async function pauseAll() {
  if (state.run.status === "running") await engine.call("pause", { slot: "main" });
  for (const slot of SIDES)
    if (compared[slot].run.status === "running") await engine.call("pause", { slot });
  if (trial !== null) await dropTrial();
}

/* Run a task after the previous one has ended; a change of `turn` makes that one end. `acting` never fails. */
async function actAlone(task) {
  await here(lesson.acting);
  const acting = task();
  lesson.acting = acting.then(() => {}, () => {});
  return acting;
}

/* Run the step, or the earlier ones that a link has left out. */
async function actLesson() {
  const { steps } = LESSONS[lesson.at], lacks = lackingStep() >= 0, turn = ++lesson.turn;
  lesson.busy = true;
  drawLesson();
  try {
    const wanted = lacks ? [...steps.keys()].filter((at) => at < lesson.step && lesson.found[at] === undefined) : [lesson.step];
    for (const at of wanted) {
      lesson.found[at] = await here(actAlone(steps[at].act[1]));
    }
  } finally {
    if (lesson.turn === turn) {
      lesson.busy = false;
      drawLesson();
      byId("lesson-answer").scrollIntoView({ block: "nearest" });
      keepFocus(byId(byId("lesson-next").disabled ? "lesson-act" : "lesson-next"));
    }
  }
}

function listenToLessons() {
  byId("lesson-close").addEventListener("click", () => closeLesson().catch(reportError));
  byId("experiment-end").addEventListener("click", () => closeLesson().catch(reportError));
  byId("lesson-back").addEventListener("click", () => moveLesson(-1));
  byId("lesson-next").addEventListener("click", () => moveLesson(1));
  byId("lesson-act").addEventListener("click", () => { if (state.ready && state.busy === null) actLesson().catch(reportError); });
}
