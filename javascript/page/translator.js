/* The translator of the view Translate: the network of the view Learn ("own"), the model inside the page ("given"), or a
 * model of the service ("service:NAME"). The view Look inside shows the same network, unless it is on a service. */

const OF_SERVICE = "service:";
const SLOT_OF_GIVEN = "given";      // slot of the worker

/* The model of a handed-out page, or else the one that the build has put in. */
const GIVEN = PACKED === "" ? byId("starter").textContent.trim() : PACKED;

/* `given` is the info of the model inside the page, once it is open. `wanted` is what a link or the last visit names;
 * `linked`: a link names pairs or settings, which are for a network of one's own. `beams` are the beam sizes by choice. */
const translator = { chosen: "own", given: null, opening: false, wanted: "", linked: false, beams: {}, examples: {}, shownExamples: { of: "", from: 0 } };

const chosenService = () => (translator.chosen.startsWith(OF_SERVICE) ? translator.chosen.slice(OF_SERVICE.length) : null);
const usesGiven = () => translator.chosen === "given" && translator.given !== null;

/* Whether a network or a model can translate. */
const canTranslate = () => chosenService() !== null || usesGiven() || (translator.chosen === "own" && hasModel());

/* Return the network that the page can look into: where the worker has it, its info and its epoch. `of` differs for every network. */
const networkOnShow = () => (usesGiven() ? { of: translator.given, place: { slot: SLOT_OF_GIVEN, epoch: null }, info: translator.given, epoch: translator.given.history?.epochs ?? 0 }
  : { of: hasModel() ? state.run : null, place: { slot: "main", epoch: state.epoch }, info: state.info, epoch: hasModel() ? shownEpoch() : 0 });

/* ---- Translating ---- */

async function translateWith(text, options) {
  const service = chosenService();
  return service === null ? engine.call("translate", { ...networkOnShow().place, text, options }) : translateByService(service, text, options);
}

/* Return the most probable tokens after the first tokens of the translation of a sentence. */
async function alternativesWith(text, ids, position, count) {
  const service = chosenService();
  return service === null ? engine.call("alternatives", { ...networkOnShow().place, text, ids, position, count })
    : alternativesByService(service, text, ids, position, count);
}

/* Return the search that the chosen model states: {beam, lengthPenalty}, or {}. */
function searchOfTranslator() {
  const service = served.models.find(({ name }) => name === chosenService());
  return (service === undefined ? networkOnShow().info?.search : { beam: service.beam }) ?? {};
}

/* ---- Choosing ---- */

function chooseTranslator(name) {
  if (name !== translator.chosen) {
    if (state.ready) translator.beams[translator.chosen] = asked.beam;
    translator.chosen = name;
    Object.assign(asked, { prefix: null, position: null, cell: null, beam: translator.beams[name] ?? validValue(BEAM, searchOfTranslator().beam) ?? FIRST_BEAM });
    asked.overrides.clear();
    clearTranslation(); // it shows the translation of the other model
  }
  drawTranslators();
  drawTranslateSoon();
  storeSoon();
}

/* The network that was made or opened last translates; if it no longer exists, another one. */
function networkWasReplaced(isThere) {
  if (isThere) chooseTranslator("own");
  else if (translator.chosen === "own" && GIVEN !== "") chooseTranslator("given");
}

/* Open the model inside the page. The rest of the page does not wait for it. */
async function openGiven() {
  if (GIVEN === "") return;
  Object.assign(translator, { given: null, opening: true });
  drawTranslators();
  try {
    translator.given = (await engine.call("open", { slot: SLOT_OF_GIVEN, packed: GIVEN })).info;
    if (translator.chosen === "given") asked.beam = translator.beams.given ?? validValue(BEAM, searchOfTranslator().beam) ?? asked.beam;
  } catch (error) {
    if (error.code === "stopped") return;
    tell("model", () => t("error.model", { name: t("model.inside"), problem: wordsOf(error) }), { bad: true });
    if (translator.chosen === "given") chooseTranslator("own");
  } finally {
    translator.opening = false;
  }
  drawTranslators();
  drawRun();
  if (["translate", "inside"].includes(state.view)) showView(state.view);
}

/* Choose at the start: the translator that the last visit or a link names, if it exists. */
function chooseFirstTranslator() {
  const { wanted, linked } = translator, own = wanted === "" ? hasModel() || linked : wanted === "own" && (hasModel() || linked);
  if (asked.beamWanted) translator.beams[GIVEN === "" || own ? "own" : "given"] = asked.beam;
  translator.chosen = GIVEN === "" || own ? "own" : "given";
}

/* Let the network of the view Learn continue from the model inside the page. */
async function learnFromGiven() {
  await openModel(await engine.call("bytes", { packed: GIVEN }), t("model.inside"), true);
}

/* ---- Drawing ---- */

/* Return the name of a language in that of the page. */
const nameOfLanguage = (tag) => attempt(() => new Intl.DisplayNames([state.language], { type: "language" }).of(tag), tag);

/* Return the tags of the languages that the model inside the page states, or those in the name of its file; otherwise []. */
function tagsOfGiven() {
  const { sourceLanguage = "", targetLanguage = "" } = translator.given?.settings ?? {};
  const tags = sourceLanguage !== "" && targetLanguage !== "" ? [sourceLanguage, targetLanguage]
    : PACKED === "" ? byId("starter").dataset.languages.split("-") : [];
  return tags.length === 2 ? tags : [];
}

function languagesOfGiven() {
  const [source, target] = tagsOfGiven();
  return target === undefined ? null : { source: nameOfLanguage(source), target: nameOfLanguage(target) };
}

/* Return the tag of the language that a choice translates from; "" if the page does not know it. */
function sourceOf(choice) {
  if (choice === "given") return tagsOfGiven()[0] ?? "";
  if (choice !== "own") return served.models.find(({ name }) => `${OF_SERVICE}${name}` === choice)?.source ?? "";
  if (!hasModel()) return "";
  return state.info.settings.sourceLanguage || (hasOtherPairs() ? "" : languageOf(state.watched));
}

/* Return another choice, with its name, that translates from the language of the text, or null. */
function choiceFor(text) {
  const language = languageOf(text), isFor = ({ value }) => value !== translator.chosen && sourceOf(value).split("-")[0] === language;
  return language === "" ? null : [...byId("translator").options].find(isFor) ?? null;
}

function drawTranslators() {
  const languages = languagesOfGiven();
  const choices = [
    ...(GIVEN === "" ? [] : [["given", languages === null ? t("translator.given") : t("translator.languages", languages)]]),
    ["own", t("translator.own")],
    ...served.models.map(({ name, source, target }) => [`${OF_SERVICE}${name}`, `${name} (${source} → ${target})`]),
  ];
  byId("translator").replaceChildren(...choices.map(([value, name]) => new Option(name, value)));
  byId("translator").value = translator.chosen;
  byId("translator-choice").hidden = choices.length < 2;
  byId("beam").value = asked.beam;
  byId("lead").hidden = !usesGiven();
  const source = sourceOf(translator.chosen);
  byId("text").placeholder = translator.chosen === "own" ? t("translate.placeholder.words") : source === "" ? t("translate.placeholder")
    : t("translate.placeholder.language", { source: nameOfLanguage(source) });
  write(byId("lead-text"), languages === null ? t("lead") : t("lead.languages", languages));
}

/* ---- Examples ---- */

/* Sentences by language for models whose pairs the page does not have. The page offers only those without unknown words. */
const SENTENCES = {
  zh: ["她昨天没吃这个苹果。", "我们昨天去看电影了。", "他比我高。", "我不知道他住在哪里。", "你明天想做什么？", "外面在下雨。", "今天天气很好。", "我想学习英语。",
    "我每天早上喝咖啡。", "你会说中文吗？", "我的哥哥在学校工作。", "请打开窗户。", "我没有时间。", "他们已经回家了。", "她唱歌唱得很好。", "你为什么不来？", "火车站在哪里？",
    "我听不懂你说的话。", "这本书很有意思。", "我可以问你一个问题吗？", "他忘了关门。", "明天我会去北京。", "我弟弟喜欢踢足球。", "我 爱 学习", "她 是 我 的 老师", "今天 天气 很 好"],
  en: ["She did not eat the apple yesterday.", "What do you want to do tomorrow?", "I like to read books.", "They have gone home.", "The weather is nice today."],
  de: ["Was willst du morgen machen?", "Ich lese gern.", "Das Wetter ist heute schön."],
  fr: ["Je voudrais un café.", "Il fait beau aujourd’hui."],
  es: ["¿Qué quieres hacer mañana?", "Me gusta leer libros."],
};
const EXAMPLES = 5;

function examplesOfPairs() {
  const sources = [...new Set(pairs.lines.slice(0, 400).map((line) => sidesOf(line)[0].trim()).filter(Boolean))];
  const step = Math.max(1, Math.floor(sources.length / EXAMPLES));
  return Array.from({ length: step }, (_, from) => sources.filter((_one, at) => at % step === from).slice(0, EXAMPLES)).flat();
}

/* Return the sentences of the source language of the chosen model without unknown words; of these, only those that it
 * translates with high probability, if there are any. Without `all`, only as many as are shown at first. */
async function fittingSentences(all) {
  const service = chosenService(), language = sourceOf(translator.chosen).split("-")[0];
  const texts = language === "" ? Object.values(SENTENCES).flat() : SENTENCES[language] ?? [];
  if (texts.length === 0) return [];
  if (service !== null) return knownToService(service, texts);
  const { place } = networkOnShow(), { beam = FIRST_BEAM, lengthPenalty } = searchOfTranslator(), known = [], sure = [];
  for (const text of texts) {
    const [one] = await engine.call("translate", { ...place, text, options: { beam, lengthPenalty } }).catch(() => []);
    if (one === undefined || one.warning || !one.ended || !one.sourceKnown.every(Boolean)) continue;
    known.push(text);
    if (isSure(one)) sure.push(text);
    if (sure.length === EXAMPLES && !all) break;
  }
  return sure.length > 0 ? sure : known;
}

/* Offer examples that fit, and begin with the first if nothing was typed. For a network that has learned the pairs of the
 * page, they are sources of these pairs. */
const drawExamples = newestOnly(async (more = false) => {
  const { chosen, examples } = translator;
  const run = chosen === "own" ? state.run : null, isOther = chosen !== "own" || hasOtherPairs();
  if (isOther && canTranslate() && (examples[chosen]?.run !== run || (more && !examples[chosen].all)))
    examples[chosen] = { run, all: more || chosenService() !== null, list: await fittingSentences(more).catch(() => []) };
  if (chosen !== translator.chosen || state.view !== "translate") return;
  const fitting = isOther ? examples[chosen]?.list ?? [] : [];
  const found = chosen === "own" && fitting.length === 0 ? examplesOfPairs() : fitting;
  if (translator.shownExamples.of !== chosen) translator.shownExamples = { of: chosen, from: 0 };
  else if (more) translator.shownExamples.from += EXAMPLES;
  if (translator.shownExamples.from >= found.length) translator.shownExamples.from = 0;
  const hasMore = found.length > EXAMPLES || (found.length === EXAMPLES && examples[chosen]?.all === false);
  const { from } = translator.shownExamples, isFocused = document.activeElement?.id === "examples-more";
  byId("text-examples").replaceChildren(...found.slice(from, from + EXAMPLES).map((source) => button("chip", () => setText(source), [isolate(source)])),
    ...(!hasMore ? [] : [button("link", () => drawExamples(true).catch(reportError), [t("examples.more")], { id: "examples-more" })]));
  if (isFocused) byId("examples-more")?.focus();
  const first = chosen === "own" && fitting.length === 0 ? state.watched : found[0] ?? "";
  if (asked.text === "" && !asked.cleared && canTranslate() && first !== "") setText(first);
});

function listenToTranslators() {
  byId("translator").addEventListener("change", ({ target }) => {
    chooseTranslator(target.value);
    if (state.view === "translate") showView("translate");
  });
  byId("lead-train").addEventListener("click", () => showView("learn", true));
  byId("learn-given").addEventListener("click", listenedAction(learnFromGiven));
}
