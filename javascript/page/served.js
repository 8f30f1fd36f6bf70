/* The models of the service that sent the page (`elman serve`). The service marks the page; a page from a file has no
 * mark and connects to nothing. */

const SERVICE = "v1/";
const served = { models: [], maxBeam: 1, token: "" };

const isServed = () => document.querySelector('meta[name="elman-service"]') !== null;

const SILENCE = 60000;                        // milliseconds until a request fails
const BUSY = [429, 502, 503, 504];            // after these statuses the same request may succeed later

/* Send a request to the service; ask for the token if it needs one. */
async function askService(path, body) {
  const gone = () => new Refusal({ message: t("served.gone"), code: "service", where: "", retry: true });
  for (;;) {
    let response, answer;
    try {
      response = await fetch(SERVICE + path, {
        method: body === undefined ? "GET" : "POST", signal: AbortSignal.timeout(SILENCE),
        headers: { ...(body === undefined ? {} : { "Content-Type": "application/json" }),
                   ...(served.token === "" ? {} : { Authorization: `Bearer ${served.token}` }) },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      answer = await response.json();
    } catch {
      throw gone(); // the service does not answer, or a proxy answers in HTML
    }
    if (response.ok) return answer;
    const token = response.status === 401 ? window.prompt(t("served.token")) : null;
    if (!token) throw new Refusal({ message: answer.error, code: "service", where: "", retry: BUSY.includes(response.status) });
    served.token = token.trim();
  }
}

const sentenceOf = (source, text, one) => ({
  sourceSpan: spansOf(source, [one.source_span])[0], textSpan: spansOf(text, [one.text_span])[0],
  sourceTokens: one.source_tokens, targetTokens: one.target_tokens, ended: one.ended, logProbability: one.log_probability, score: one.score,
});

/* Return the hypotheses of a result in the form that the worker returns. */
function fromService(text, result) {
  if (result.error !== undefined) throw new Refusal({ message: result.error, code: "service", where: "" });
  return result.translations.map((one, rank) => ({
    source: text, text: one.text, ended: one.ended, forced: one.forced,
    sourceTokens: result.source_tokens, sourceIds: result.source_ids, sourceKnown: result.source_known,
    sourceSpans: spansOf(text, result.source_spans),
    targetTokens: one.target_tokens, targetIds: one.target_ids, targetSpans: spansOf(one.text, one.target_spans),
    logProbability: one.log_probability, score: one.score, logProbabilities: one.log_probabilities,
    attention: one.attention, headAttention: one.head_attention, sentinel: one.sentinel,
    ...(one.sentences === undefined ? {} : { sentences: one.sentences.map((sentence) => sentenceOf(text, one.text, sentence)) }),
    ...(rank > 0 || result.warning === undefined ? {} : { warning: result.warning }),
  }));
}

const everything = ["scores", "tokens", "spans", "attention", "head_attention"];

async function translateByService(model, text, { beam, nBest, splitSentences, prefix, overrides }) {
  const { results } = await askService("translations", {
    model, texts: [text], beam, n_best: nBest, include: everything,
    ...(splitSentences === undefined ? {} : { split_sentences: splitSentences }),
    ...(prefix === undefined ? {} : { prefixes: [prefix] }), ...(overrides === undefined ? {} : { overrides }),
  });
  return fromService(text, results[0]);
}

/* A beam search that adds one token finds the alternatives. */
async function alternativesByService(model, text, ids, position, count) {
  const beam = Math.min(count, served.maxBeam);
  const { results } = await askService("translations", {
    model, texts: [text], prefixes: [ids], beam, n_best: beam, equal_texts: beam > 1, max_length: 1,
    split_sentences: "off", include: everything });
  return fromService(text, results[0]).filter(({ targetTokens }) => position < targetTokens.length).map((one) => ({
    token: one.targetTokens[position], id: one.targetIds[position], probability: Math.exp(one.logProbabilities[position]) }));
}

/* Return the sentences of a list that have no unknown words for a model of the service. */
async function knownToService(model, texts) {
  const { results } = await askService("translations", { model, texts, include: ["tokens"] });
  return texts.filter((_, at) => results[at].warning === undefined && results[at].source_known?.every(Boolean));
}

/* Offer the models of the service, and choose the first unless the page has a network. */
async function findService() {
  if (!isServed()) return;
  let found;
  try {
    found = await askService("models");
  } catch (error) {
    if (error.retry) setTimeout(() => findService().catch(() => {}), RETRY_MOST);
    throw error;
  }
  untell("served");
  const { models, max_beam: maxBeam } = found;
  Object.assign(served, { models, maxBeam });
  drawTranslators();
  if (hasModel() || models.length === 0) return;
  chooseTranslator(`${OF_SERVICE}${models[0].name}`);
  showView("translate");
}
