/* Notes on a translation that may be wrong: words that are missing from the vocabulary, and how sure the network is. */

/* Lower ends of the mean probability of a token. With them, translations of everyday.zh-en.safetensors share 0.85, 0.7, 0.65 and
 * less of their words with the reference. Label smoothing keeps the probabilities of a good model below 0.9. */
const CONFIDENCES = [["sure", 0.68], ["fair", 0.55], ["unsure", 0.4], ["guess", 0]];

const meanProbability = ({ logProbability, targetTokens }) => Math.exp(logProbability / Math.max(1, targetTokens.length));
const isSure = (translation) => meanProbability(translation) >= CONFIDENCES[0][1];

function confidenceOf(translation) {
  const { sourceKnown } = translation, mean = meanProbability(translation);
  const at = CONFIDENCES.findIndex(([, least]) => !(mean < least)), isUnknown = sourceKnown.includes(false);
  const [name] = CONFIDENCES[isUnknown ? Math.max(at, 2) : at];
  return t("confidence", { words: t(`confidence.${name}`), p: figure(100 * mean, 0) });
}

/* If the text has unknown words, show it as the network reads it, with these words in red. */
function drawReading({ source, sourceSpans, sourceKnown }) {
  const unknown = sourceSpans.filter((_, s) => !sourceKnown[s]);
  byId("reading").hidden = unknown.length === 0;
  if (unknown.length === 0) return;
  const line = element("bdi", { lang: languageOf(source), class: "reading" });
  let at = 0;
  for (const [start, end] of unknown.filter(([from, to]) => to > from)) {
    if (start < at) continue;
    line.append(visibleLines(source.slice(at, start)), element("mark", {}, ...nodesOf(source.slice(start, end))));
    at = end;
  }
  line.append(visibleLines(source.slice(at)));
  byId("reading").replaceChildren(line, element("span", {}, t("unknown")));
}

/* Return the warning of a translation as nodes. For a text in another language, they state what the user can do in this
 * page. */
function warningOf({ source, warning: { kind, message } }) {
  const tag = sourceOf(translator.chosen), other = choiceFor(source);
  if (kind !== "script" || tag === "") return [t(`warning.${kind}`, { message })];
  return [t("warning.language", { source: nameOfLanguage(tag) }), afterSentence(), other === null ? t("warning.language.do", { source: nameOfLanguage(tag) })
    : button("", () => { chooseTranslator(other.value); showView("translate"); }, [t("warning.language.choose", { name: visible(other.textContent) })])];
}

/* Ask before the user leaves a page that trains: training would stop, and a comparison would be
 * lost. */
function warnBeforeLeaving(event) {
  if (state.leaving !== true && (state.run.status === "running" || compareRunning())) event.preventDefault();
}
