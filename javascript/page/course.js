/* The lessons. A step has a text and may ask a question with choices. `act` computes the answer with the real page and returns
 * measures. From these, `answer` makes {right, text, rows}: `right` is the choice that they confirm (null: none), `text` quotes them,
 * and `rows` are the bars [name, value, text]. `expected` is the choice that theory predicts, and `reason` explains it.
 * `point` is the figure to look at. Texts are [English, Chinese]. */

const COPY = [..."abcdefgh"].map((letter) => `go\t${letter} . . . . . . . . . . ${letter}`);
const SMALL = { hiddenSize: 64, embeddingSize: 64, learningRate: 0.003 };
const YESTERDAY = { set: "daily", settings: { ...SMALL, attention: "scaled" }, sentence: "她 昨天 没 吃 这 个 苹果" };
const COPYING = { hiddenSize: 32, embeddingSize: 16, batchSize: 8, learningRate: 0.005 };
const LAST_LETTER = 11;      // place of the letter to remember in a target of COPY
const RATES = [0.0003, 0.003, 0.03, 0.1, 1];

const percent = (share) => `${figure(100 * share, share > 0 && share < 0.01 ? 2 : 0)}\u00a0%`;
const givenPairs = () => pairsOf(givenLines());

/* ---- Setting the page up ---- */

/* Set the page up for a lesson or an experiment. Its end brings back what the user had: pairs, settings and network. */
async function setUp({ set, lines = null, given = null, settings, epochs, sentence, hold = set === "toy" || (lines !== null && given === null) ? 0 : -1 }) {
  await here(pauseAll());
  if (lesson.before === null) {
    const { settings: own, watched } = state;
    lesson.before = { ...snapshotOfPairs(), settings: { ...own }, watched, beam: asked.beam, figure: state.figure, network: hasModel() ? await here(networkNow()) : null };
    chooseFigure("map"); // the texts describe the heat map
  }
  if (lines === null) {
    await here(choosePairs(set, true));
  } else {
    Object.assign(pairs, { set: "own", lines: [...lines], given: given === null ? null : `${given.join("\n")}\n`, page: 0, lesson: true });
    pairsChanged();
  }
  Object.assign(state, { settings: { ...settings }, epochs, hold });
  watch(sentence ?? sidesOf(pairs.lines[0])[0]);
  drawSettings();
  drawPairs();
  drawShort();
  state.now = signature();
}

async function setUpAndLearn(what) {
  await setUp(what);
  showView("learn");
  await here(createMain());
  await here(startOrPause());
  await learnedMain();
}

async function setUpComparison(what, contrast, sides = CONTRASTS[contrast]) {
  await setUp(what);
  compared.sentence = state.watched;
  showView("compare");
  chooseContrast(contrast);
  SIDES.forEach((name, at) => { compared[name].settings = { ...sides[at] }; });
  for (const name of SIDES) drawCompareSettings(name);
  compared.signature = "";
  await here(compareStartOrPause());
}

async function lookInsideAt(epoch, source) {
  showView("inside");
  showEpoch(epoch);
  fillInside(source);
  insideState.step = null;
  await here(lookInside());
}

/* ---- 1. Where attention looks ---- */

/* Watch the sentence with the largest weight that a target word gives to a wrong source word. */
async function measureToy() {
  const found = await translationsOf(pairsOf(pairs.lines));
  const readings = found.flatMap(({ source, free }) => readingsOf(free).map((one) => ({ ...one, sentence: source })));
  const worst = largest(readings.filter(({ agrees }) => !agrees), ({ weight }) => weight);
  if (worst !== null) watch(worst.sentence);
  drawShort();
  return { exact: exactOf(found), of: found.length, agree: readings.filter(({ agrees }) => agrees).length, words: readings.length, worst };
}

const LATE_WORDS = ["昨天", "明天", "今晚", "每天"];

/* Watch a correct translation of a sentence that was not learned, in which a time word moves to the end. */
async function measureDaily() {
  const found = await translationsOf(givenPairs());
  const readings = found.flatMap(({ free }) => readingsOf(free));
  const moved = ({ free }) => largest(readingsOf(free).filter(({ source, agrees, word }) => agrees && LATE_WORDS.includes(source) &&
    free.sourceTokens.indexOf(source) < 2 && free.targetTokens.indexOf(word) >= free.targetTokens.length - 3), ({ weight }) => weight);
  const best = largest(found.filter((one) => one.free.text === one.target && moved(one) !== null), (one) => moved(one).weight);
  if (best !== null) watch(best.source);
  drawShort();
  return { share: exactOf(found) / found.length, agree: readings.filter(({ agrees }) => agrees).length / readings.length, of: found.length,
    moved: best === null ? null : { ...moved(best), sentence: best.source } };
}

/* Find the first epoch from which on the moved word gives its counterpart the largest weight, and show it. */
async function measureSince() {
  const { moved } = lesson.found[1], reference = referenceOf(moved?.sentence ?? state.watched), weights = [];
  for (const epoch of [...state.run.kept].sort((a, b) => a - b)) {
    const [forced] = await here(engine.call("translate", { slot: "main", epoch, text: state.watched, options: { reference } }));
    const row = moved === null ? -1 : forced.targetTokens.indexOf(moved.word), column = moved === null ? -1 : forced.sourceTokens.indexOf(moved.source);
    if (row >= 0 && column >= 0) weights.push({ epoch, weight: forced.attention[row][column], leads: Math.max(...forced.attention[row]) === forced.attention[row][column] });
  }
  const from = weights.findLastIndex(({ leads }) => !leads) + 1, since = weights[from] ?? null;
  showView("learn");
  if (since !== null) showEpoch(since.epoch);
  return { moved, since, before: weights[from - 1] ?? null };
}

/* ---- 2. Without attention ---- */

const REVERSING = { settings: { attention: "scaled", hiddenSize: 48, embeddingSize: 32, learningRate: 0.003, batchSize: 16 }, epochs: 12 };

/* Return words of 2 to 10 letters to learn, and others to test with. */
function wordsToReverse() {
  const dice = diceOf(2), words = new Set();
  while (words.size < 1600) words.add(Array.from({ length: 2 + dice(9) }, () => "abcdefgh"[dice(8)]).join(" "));
  return [[...words].slice(0, 1500), [...words].slice(1500)];
}

const reversed = (word) => word.split(" ").reverse().join(" ");
const byAttention = (word) => `${word}\t${reversed(word)}`;
/* All information about the word passes through the state after "|", since the source is always the same. */
const byState = (word) => `go\t${word} | ${reversed(word)}`;

/* Return the share of correct words of each length, in groups. */
async function sharesByLength(isRight) {
  const groups = [[2, 3], [4, 5], [6, 7], [8, 10]].map(([from, to]) => ({ name: `${from}–${to}`, right: 0, of: 0, from, to }));
  for (const word of wordsToReverse()[1]) {
    const group = groups.find(({ to }) => wordsIn(word).length <= to);
    group.of++;
    if (await here(isRight(word))) group.right++;
  }
  return groups.map(({ name, right, of }) => ({ name, share: right / of }));
}

async function measureReversing() {
  const [learned, tested] = wordsToReverse();
  await setUpAndLearn({ lines: learned.map(byAttention), given: tested.map(byAttention).slice(0, 20), ...REVERSING, sentence: "a b c d e f" });
  const places = [];
  let shown = null;
  const shares = await sharesByLength(async (word) => {
    const [{ free }] = await translationsOf([[word, ""]]), isRight = free.text === reversed(word), last = free.sourceTokens.length - 1;
    places.push(...free.attention.slice(0, last + 1).map((row, at) => ({ at, last, reads: row.indexOf(Math.max(...row)) })));
    if (isRight && last === 7) shown ??= word;
    return isRight;
  });
  if (shown !== null) watch(shown);
  const share = (isNear) => places.filter(isNear).length / places.length;
  return { shares, mirrored: share(({ at, last, reads }) => Math.abs(last - at - reads) <= 1), straight: share(({ at, reads }) => Math.abs(at - reads) <= 1),
    later: share(({ at, last, reads }) => reads === last - at + 1) };
}

async function measureWithoutAttention() {
  const [learned, tested] = wordsToReverse();
  await setUpAndLearn({ lines: learned.map(byState), given: tested.map(byState).slice(0, 20), ...REVERSING, sentence: "go" });
  const without = await sharesByLength(async (word) => {
    const reference = sidesOf(byState(word))[1];
    const [forced] = await here(engine.call("translate", { slot: "main", text: "go", options: { reference } }));
    const prefix = forced.targetIds.slice(0, forced.targetTokens.indexOf("|") + 1);
    const [free] = await here(engine.call("translate", { slot: "main", text: "go", options: { prefix, beam: 1, splitSentences: "off" } }));
    return free.text === reference;
  });
  return { without, with: lesson.found[0].shares };
}

/* ---- 3. How far memory reaches ---- */

/* Return the norms of the gradient of the last letter at the decoder states, from the first letter to the last. */
async function normsOfMemory(slot) {
  const trace = await here(engine.call("trace", { slot, epoch: null, source: "go", target: sidesOf(COPY[0])[1], step: LAST_LETTER }));
  const { states } = trace.layers.find(({ side }) => side !== "source");
  return { first: states[0], last: states[LAST_LETTER], share: states[0] / states[LAST_LETTER] };
}

/* Look inside an untrained network that copies a letter over ten dots. */
async function showMemory(cell) {
  await setUp({ lines: COPY, settings: { ...COPYING, cell }, epochs: 1, sentence: "go" });
  await here(createMain());
  showView("inside");
  fillInside("go");
  insideState.step = LAST_LETTER;
  await here(lookInside());
  return normsOfMemory("main");
}

const MEMORY_CELLS = ["elman", "relu", "gru", "lstm"];

async function measureCells() {
  const shares = {};
  for (const cell of MEMORY_CELLS) shares[cell] = (await showMemory(cell)).share;
  const best = largest(MEMORY_CELLS.slice(1), (cell) => shares[cell]);
  await showMemory(best);
  return { shares, best };
}

/* Return the mean probability of the last letter when everything before it is given. */
async function lastLetterOf(slot) {
  let sum = 0;
  for (const line of COPY) {
    const [forced] = await here(engine.call("translate", { slot, text: "go", options: { reference: sidesOf(line)[1] } }));
    sum += Math.exp(forced.logProbabilities[LAST_LETTER]);
  }
  return sum / COPY.length;
}

async function measureLearnedCells() {
  await setUpComparison({ lines: COPY, settings: COPYING, epochs: 1000, sentence: "go" }, "memory");
  await learnedBoth();
  const letter = { elman: await lastLetterOf("a"), relu: await lastLetterOf("b") };
  const loss = { elman: lossOf(compared.a.run), relu: lossOf(compared.b.run) };
  for (const cell of ["gru", "lstm"]) {
    await tryNetwork({ cell });
    letter[cell] = await lastLetterOf(TRIAL);
  }
  await dropTrial();
  return { letter, loss };
}

/* ---- 4. Errors that teacher forcing hides ---- */

/* Return the places at which the choice is wrong although the correct words before it are given. */
async function wrongChoices({ source, forced }) {
  const wrong = [];
  for (const [at, value] of forced.logProbabilities.entries()) {
    if (value > Math.log(0.5)) continue;
    const [choice] = await here(engine.call("alternatives", { slot: "main", epoch: null, text: source, ids: forced.targetIds.slice(0, at), position: at, count: 1 }));
    if (choice.id !== forced.targetIds[at]) wrong.push({ at, choice: choice.token, wanted: forced.targetTokens[at] });
  }
  return wrong;
}

async function measureForcing() {
  const found = await translationsOf(givenPairs(), { forced: true });
  for (const one of found) one.wrong = await wrongChoices(one);
  const choices = sumOf(found.map(({ forced }) => forced.targetTokens.length));
  /* The example has the fewest wrong choices with help and, among such sentences, the most wrong words without. */
  for (const one of found) one.misled = distanceOf(one.free.targetTokens, one.forced.targetTokens) - one.wrong.length;
  const fitting = found.filter(({ wrong, misled }) => wrong.length > 0 && misled > 0);
  const example = largest(fitting, ({ wrong, misled }) => misled - 100 * wrong.length);
  return { words: 1 - sumOf(found.map(({ wrong }) => wrong.length)) / choices, sentences: exactOf(found) / found.length, of: found.length, fitting: fitting.length,
    example: example === null ? null : { source: example.source, target: example.target, text: example.free.text, wrong: example.wrong, errors: example.misled + example.wrong.length, of: example.forced.targetTokens.length } };
}

/* ---- 5. Choices that a beam sees ---- */

async function measureBeam() {
  await setUpAndLearn({ ...YESTERDAY, epochs: 3 });
  const list = givenPairs(), greedy = await translationsOf(list), beam = await translationsOf(list, { beam: 5 });
  const both = greedy.map((one, at) => ({ ...one, best: beam[at].free })).filter(({ free, best }) => free.text !== best.text);
  const example = largest(both, ({ free, best, target }) => best.score - free.score + (best.text === target ? 10 : 0));
  if (example !== null) {
    asked.beam = 5;
    byId("beam").value = 5;
    setText(example.source);
    showView("translate");
    await untilTrue(() => isSearched(example.source));
  }
  return { of: list.length, differ: both.length, higher: both.filter(({ free, best }) => best.score > free.score).length,
    greedy: exactOf(greedy), beam: exactOf(beam), example };
}

/* Find the word whose most probable alternative changes most of the rest. */
async function measureChoice() {
  const source = lesson.found[0].example?.source ?? state.watched;
  setText(source);
  showView("translate");
  await untilTrue(() => isSearched(source));
  const { targetIds, targetTokens } = shownTranslation(), tried = [];
  for (let at = 0; at < targetIds.length - 1; at++) {
    const choices = await here(engine.call("alternatives", { slot: "main", epoch: null, text: source, ids: targetIds.slice(0, at), position: at, count: 3 }));
    const other = choices.find(({ id }) => id !== targetIds[at] && id !== END);
    if (other === undefined) continue;
    const [free] = await here(engine.call("translate", { slot: "main", text: source, options: { prefix: [...targetIds.slice(0, at), other.id], beam: asked.beam, splitSentences: "off" } }));
    tried.push({ at, word: targetTokens[at], other: other.token, probability: other.probability, text: free.text, changed: distanceOf(free.targetTokens.slice(at + 1), targetTokens.slice(at + 1)) });
  }
  const most = largest(tried, ({ changed }) => changed);
  if (most !== null) {
    asked.position = null;
    pickToken(most.at);
  }
  return { most, words: targetTokens.length };
}

/* ---- 6. Overfitting ---- */

const FEW = 40, MORE = 400;
/* The rate lets the validation loss rise so far that the curve shows it, and the page keeps the epoch where it is lowest. */
const MEMORIZING = { settings: { attention: "scaled", hiddenSize: 128, embeddingSize: 128, learningRate: 0.01, validateBy: "loss" }, epochs: 40 };

const lowestValidation = (run) => run.validations.reduce((best, one) => (one.loss < best.loss ? one : best));

async function dailyLines() {
  await here(choosePairs("daily", true));
  return { lines: [...pairs.lines], given: givenLines().slice(0, 60) };
}

async function measureOverfitting() {
  await setUp(YESTERDAY);
  const { lines, given } = await dailyLines();
  await setUpAndLearn({ lines: lines.slice(0, FEW), given, ...MEMORIZING });
  const { run } = state, low = lowestValidation(run), last = run.validations.at(-1);
  return { train: run.ends.at(-1)[1], low: low.loss, at: low.epoch, last: last.loss, exact: last.exactMatch, epochs: run.ends.length };
}

async function measureRemedies() {
  await setUp(YESTERDAY);
  const { lines, given } = await dailyLines();
  await setUp({ lines: lines.slice(0, FEW), given, ...MEMORIZING });
  const many = { text: lines.slice(0, MORE).map((line) => `${line}\n`).join("") };
  const few = lesson.found[0].low, found = {};
  found.size = lowestValidation(await tryNetwork({ hiddenSize: 192, embeddingSize: 192 }, 20)).loss;
  found.dropout = lowestValidation(await tryNetwork({ dropout: 0.3 })).loss;
  found.pairs = lowestValidation(await tryNetwork({}, 8, many)).loss;
  await dropTrial();
  return { few, ...found };
}

/* ---- 7. A learning rate that is too high ---- */

const RATING = { settings: { attention: "scaled", hiddenSize: 32, embeddingSize: 32 }, epochs: 8 };

async function measureHighRate() {
  await setUp(YESTERDAY);
  const { lines } = await dailyLines();
  await setUpComparison({ lines: lines.slice(0, 300), ...RATING }, "rate", [{ learningRate: 0.003 }, { learningRate: 1 }]);
  await learnedBoth();
  const [good, high] = SIDES.map((name) => compared[name].run.ends.map(([, loss]) => loss));
  return { from: Math.log(compared.a.info.targetVocabulary), good, high };
}

async function measureRates() {
  const { lines } = await setUp(YESTERDAY).then(dailyLines), losses = [];
  await setUp({ lines: lines.slice(0, 300), ...RATING });
  for (const learningRate of RATES) losses.push({ rate: learningRate, ends: (await tryNetwork({ learningRate })).ends.map(([, loss]) => loss) });
  await dropTrial();
  return losses;
}

/* ---- 8. Why scaling matters ---- */

async function measureScaling(size) {
  await setUpComparison({ ...YESTERDAY, settings: { ...SMALL, hiddenSize: size }, epochs: 6 }, "scale");
  await learnedBoth();
  return Object.fromEntries(["dot", "scaled"].map((name, at) => {
    const { run } = compared[SIDES[at]], chosen = run.validations.findLast((one) => one.epoch === run.best) ?? run.validations.at(-1);
    return [name, { share: chosen.exactMatch, entropy: sumOf(run.watched.attention.map(entropyOf)) / Math.max(1, run.watched.attention.length) }];
  }));
}

/* ---- The texts ---- */

const LESSONS = [
  {
    name: "look",
    title: ["Where attention looks", "注意力看向哪里"],
    lead: ["Weights show where the decoder reads. Are they a dictionary?", "权重表明解码器读取哪些源词。这是一部词典吗？"],
    steps: [
      {
        text: ["Five sentence pairs are learned in about a second. While the network learns, the map shows for each English word (row) how much the decoder reads each Chinese word (column).",
          "五个句对大约一秒就能学会。学习时，热力图显示：生成每个英文词（行）时，解码器从每个中文词（列）读取多少。"],
        question: ["How many English words will read most from the Chinese word with the same meaning?", "有多少英文词主要看向意思相同的中文词？"],
        choices: [["all of them", "全部"], ["more than half", "一半以上"], ["half or fewer", "一半或更少"]],
        expected: 2,
        act: [["Learn five pairs", "学习五个句对"], async () => {
          await setUpAndLearn({ set: "toy", settings: { attention: "dot" }, epochs: 80, sentence: "我 爱 学习" });
          return measureToy();
        }],
        answer: ({ exact, of, agree, words, worst }) => ({
          right: agree === words ? 0 : agree > words / 2 ? 1 : 2,
          text: [`${exact} of ${of} translations are correct, but only ${agree} of ${words} words read most from their counterpart. ${worst === null ? "No word of these sentences shows it." : `In this sentence “${worst.word}” reads ${worst.source} most, with weight ${figure(worst.weight, 2)}.`}`,
            `${of} 个译文中 ${exact} 个正确，但 ${words} 个词中只有 ${agree} 个主要看向对应的词。${worst === null ? "这些句子里没有这样的词。" : `这句里 ${worst.word} 主要看向 ${worst.source}，权重 ${figure(worst.weight, 2)}。`}`],
        }),
        reason: ["The network has seen each sentence 80 times and remembers it. It need not read the right word, so the map is not a dictionary.",
          "网络把每个句子看了 80 遍，已经记住，不必看对应的词，所以热力图不是词典。"],
        point: "#card-map",
      },
      {
        text: ["Now the network learns from 1,800 sentences instead of five, and is tested with 200 sentences that it has never seen.",
          "现在网络从 1,800 句而不是五句中学习，再用 200 句没见过的句子检验。"],
        question: ["How does the map change?", "热力图会怎样变？"],
        choices: [["most words read their counterpart", "多数词看向对应的词"], ["it stays as mixed as before", "和先前一样杂乱"], ["every word reads all words equally", "每个词均匀地看所有的词"]],
        expected: 0,
        act: [["Learn 1,800 pairs", "学习 1,800 个句对"], async () => {
          await setUpAndLearn({ ...YESTERDAY, epochs: 7 });
          return measureDaily();
        }],
        answer: ({ share, agree, of, moved }) => ({
          right: agree > 0.75 ? 0 : 1,
          text: [`${percent(share)} of the ${of} unseen sentences are translated exactly, and ${percent(agree)} of their words read their counterpart most. ${moved === null ? "No correct translation among them moves a time word to its end." : `In this one “${moved.word}” moved to the end and still reads ${moved.source}: ${figure(moved.weight, 2)}.`}`,
            `${of} 句没见过的句子中 ${percent(share)} 完全译对，${percent(agree)} 的词主要看向对应的词。${moved === null ? "译对的句子里，没有时间词移到句末。" : `这句里移到句末的 ${moved.word} 仍然看向 ${moved.source}：${figure(moved.weight, 2)}。`}`],
        }),
        reason: ["1,800 sentences are too many to remember. The words must be translated one by one, and nobody gave the network this alignment: the loss alone produced it.",
          "1,800 句太多，难以记住，只能逐词翻译。没有人提供词对齐，词对齐全由损失产生。"],
        point: "#card-map",
      },
      {
        text: ["The slider below the map shows the same sentence at earlier epochs.", "热力图下面的滑块可以显示同一个句子在较早轮次的样子。"],
        question: ["After how many epochs does the moved word begin to read its counterpart?", "移到句末的词从第几轮起看向对应的词？"],
        choices: [["one", "第一轮"], ["two to four", "第二至四轮"], ["five or more", "第五轮或以后"]],
        expected: 1,
        act: [["Go through the epochs", "逐轮查看"], measureSince],
        answer: ({ moved, since, before }) => (since === null ? { right: null, text: ["The word reads its counterpart in none of the kept epochs.", "保留的各轮中，这个词都没有看向对应的词。"] } : {
          right: since.epoch <= 1 ? 0 : since.epoch <= 4 ? 1 : 2,
          text: [`From epoch ${since.epoch} on, “${moved.word}” reads ${moved.source} most: ${figure(since.weight, 2)}${before === null ? "" : `, after ${figure(before.weight, 2)} one epoch earlier`}. Move the slider to see it.`,
            `从第 ${since.epoch} 轮起，${moved.word} 主要看向 ${moved.source}：${figure(since.weight, 2)}${before === null ? "" : `，前一轮为 ${figure(before.weight, 2)}`}。拖动滑块看看。`],
        }),
        reason: ["The alignment appears early and suddenly, long before the loss is small: reading the right word is what lets the loss fall.",
          "对齐出现得早而突然，远在损失变小之前：看对了词，损失才能下降。"],
        point: ".past",
      },
    ],
  },
  {
    name: "without",
    title: ["Why attention exists", "为什么要有注意力"],
    lead: ["Without attention, a sentence must fit into one vector. Long sentences do not.", "没有注意力，整句就得装进一个向量。长句装不下。"],
    steps: [
      {
        text: ["The task: write 2 to 10 letters in reverse order. The network learns 1,500 such words, and 100 others test it.",
          "任务：把 2 到 10 个字母倒过来写。网络学 1,500 个这样的词，再用另外 100 个检验。"],
        question: ["What will the map of the attention look like?", "注意力的热力图会是什么样？"],
        choices: [["a diagonal from top left", "从左上起的对角线"], ["a diagonal from top right", "从右上起的对角线"], ["no pattern", "没有规律"]],
        expected: 1,
        act: [["Learn with attention", "用注意力学习"], measureReversing],
        answer: ({ shares, mirrored, straight, later }) => ({
          right: mirrored > 0.75 ? 1 : straight > 0.75 ? 0 : 2,
          text: [`For ${percent(mirrored)} of all letters, the largest weight is at the mirrored place or beside it; for ${percent(later)}, it is at the state one letter later, which still holds the letter. Proportion of correct words by number of letters:`,
            `${percent(mirrored)} 的字母主要看向镜像位置或其相邻位置；${percent(later)} 的字母主要看向后一个字母的状态，其中还保留着这个字母。各种长度的词写对的比例：`],
          rows: shares.map(({ name, share }) => [name, share, percent(share)]),
        }),
        reason: ["The first letter to write is the last one read, so source and target run in opposite directions.", "最先要写的字母是最后读的，所以位置正好相反。"],
        point: "#card-map",
      },
      {
        text: ["Now attention is of no use: the source is always “go”. The same network first reads the letters and “|” as a part of its own text, then writes them in reverse. All it can know of them is one state of 48 numbers.",
          "现在注意力没有用：源文总是 go。同样的网络先把字母和 | 当作自己的译文读一遍，再倒过来写。它所知道的全在一个有 48 个数的状态里。"],
        question: ["Up to how many letters does it write most words correctly?", "多少个字母以内，多数还能写对？"],
        choices: [["10, as before", "10 个，和先前一样"], ["about 5", "大约 5 个"], ["3 or fewer", "3 个或更少"]],
        expected: 2,
        act: [["Learn without attention", "不用注意力学习"], measureWithoutAttention],
        answer: ({ without, with: before }) => {
          const most = without.filter(({ share }) => share > 0.5).length;
          return {
            right: most === 4 ? 0 : most < 2 ? 2 : most === 2 ? 1 : null,
            text: ["Correct words by number of letters, without and with attention:", "各长度写对的比例，没有注意力与有注意力："],
            rows: without.map(({ name, share }, at) => [name, share, `${percent(share)} · ${percent(before[at].share)}`]),
          };
        },
        reason: ["In the same time, this network learned to pass only few letters through one vector. With attention, the decoder reads all states again, so the length hardly matters. This is why attention was invented.",
          "学同样长的时间，这个网络只学会用一个向量传递很少的字母。有了注意力，解码器能重新读取所有状态，长度就几乎没有影响。注意力正是为此发明的。"],
        point: "#card-curve",
      },
    ],
  },
  {
    name: "memory",
    title: ["How far memory reaches", "能记住多远"],
    lead: ["A gradient that vanishes cannot teach the first step. Four cells compared.", "梯度一旦消失，最初的几步就学不到东西。比较四种单元。"],
    steps: [
      {
        text: ["The target is a letter, ten dots, and the same letter. Attention cannot help, since every source is “go”. The last letter is known only from the first, eleven steps earlier.",
          "目标是一个字母、十个点，再重复这个字母。所有源文都是 go，注意力帮不上忙。最后的字母只能由十一步之前的第一个得知。"],
        question: ["How much of the last letter’s gradient arrives at the first step of an untrained Elman cell?", "在未经训练的 Elman 单元里，最后一个字母的梯度有多少能传到第一步？"],
        choices: [["more than half", "一半以上"], ["about a tenth", "大约十分之一"], ["less than a hundredth", "不到百分之一"]],
        expected: 2,
        act: [["Show the gradient", "显示梯度"], () => showMemory("elman")],
        answer: ({ first, last, share }) => ({
          right: share > 0.5 ? 0 : share > 0.01 ? 1 : 2,
          text: [`The norm is ${brief(last)} at the last letter and ${brief(first)} at the first: ${percent(share)}. Each step back multiplies it by about ${figure(share ** (1 / LAST_LETTER), 2)}, so the bars fall in a straight line on the logarithmic scale.`,
            `范数在最后的字母处为 ${brief(last)}，在第一个字母处为 ${brief(first)}：${percent(share)}。每往回一步大约乘以 ${figure(share ** (1 / LAST_LETTER), 2)}，所以在对数刻度上柱子沿直线下降。`],
        }),
        reason: ["Each step back multiplies by the recurrent matrix and by the slope of tanh, which is at most 1. A product of many factors below 1 vanishes.",
          "每往回一步都要乘以循环矩阵和 tanh 的斜率，斜率至多为 1。许多小于 1 的因子相乘，梯度就消失了。"],
        point: "#card-norms",
      },
      {
        text: ["Other cells were made for this problem: ReLU begins with the identity as its recurrent matrix; GRU and LSTM have gates.",
          "另外几种单元就是为此设计的：ReLU 的循环矩阵最初是单位矩阵，GRU 和 LSTM 有门。"],
        question: ["In which untrained cell does most of the gradient arrive?", "未经训练时，哪种单元传到的梯度最多？"],
        choices: [["ReLU", "ReLU"], ["GRU", "GRU"], ["LSTM", "LSTM"]],
        expected: 0,
        act: [["Measure four cells", "测量四种单元"], measureCells],
        answer: ({ shares, best }) => ({
          right: MEMORY_CELLS.indexOf(best) - 1,
          text: ["Share of the gradient that arrives at the first step:", "传到第一步的梯度所占的比例："],
          rows: MEMORY_CELLS.map((cell) => [cell, shares[cell], percent(shares[cell])]),
        }),
        reason: ["The identity passes a gradient on unchanged. The gates of GRU and LSTM are half open at first, so each step loses about half; training can open them.",
          "单位矩阵原样传递梯度。GRU 和 LSTM 的门最初半开，每一步大约损失一半，学习之后才会打开。"],
        point: "#card-norms",
      },
      {
        text: ["Now all four learn for 1,000 epochs. A cell that guesses the last letter gives it a probability of 1/8.", "现在四种单元都学 1,000 轮。只靠猜，最后一个字母的概率是 1/8。"],
        question: ["Which cells learn the last letter?", "哪些单元学得会最后一个字母？"],
        choices: [["only ReLU", "只有 ReLU"], ["all but Elman", "除 Elman 以外都会"], ["all four", "四种都会"]],
        expected: 1,
        act: [["Let all four learn", "让四种单元学习"], measureLearnedCells],
        answer: ({ letter, loss }) => {
          const learned = MEMORY_CELLS.filter((cell) => letter[cell] > 0.5);
          return {
            right: learned.length === 4 ? 2 : learned.join() === "relu" ? 0 : learned.join() === "relu,gru,lstm" ? 1 : null,
            text: [`Mean probability of the last letter (the curves show elman and relu, with losses of ${figure(loss.elman, 2)} and ${figure(loss.relu, 2)}):`,
              `最后一个字母的平均概率（曲线是 elman 和 relu，损失为 ${figure(loss.elman, 2)} 和 ${figure(loss.relu, 2)}）：`],
            rows: MEMORY_CELLS.map((cell) => [cell, letter[cell], figure(letter[cell], 2)]),
          };
        },
        reason: ["No cell can know the first letter from “go”, so guessing it costs log 8 ≈ 2.1. Divided among 13 tokens, this gives 0.16, the lowest possible mean loss. Elman ends above it: hardly any gradient leads it from the last letter to the first.",
          "只看 go，哪种单元都不知道第一个字母：13 个词元里有一个要猜，代价 log 8 ≈ 2.1，平均损失 0.16 已是最好。Elman 的损失更高：最后一个字母的梯度几乎传不到第一个。"],
        point: "#view-compare figure",
      },
    ],
  },
  {
    name: "forcing",
    title: ["Errors that teacher forcing hides", "教师强制掩盖的错误"],
    lead: ["A small loss on given words is not a good translation.", "给定前面的词时损失小，不等于译得好。"],
    steps: [
      {
        text: ["In training, the decoder receives the correct previous word at each step. In translation it receives its own. Let a network learn briefly; 200 unseen sentences test it both ways.",
          "训练时，解码器每一步都得到正确的前一个词；翻译时，得到的却是自己的输出。让网络学一小会儿，再用 200 句没见过的句子按两种方式检验。"],
        question: ["If nine of ten words are right when the words before them are given, how many sentences are right without help?", "如果给定前词时十个词对九个，自行翻译时多少句子全对？"],
        choices: [["about nine of ten", "大约十分之九"], ["far fewer", "少得多"]],
        expected: 1,
        act: [["Learn briefly", "学一小会儿"], async () => {
          await setUpAndLearn({ ...YESTERDAY, epochs: 3 });
          return measureForcing();
        }],
        answer: ({ words, sentences, of }) => ({
          right: sentences > words - 0.1 ? 0 : 1,
          text: [`Proportion that is right in ${of} unseen sentences:`, `${of} 句没见过的句子中做对的比例：`],
          rows: [[["words, with help", "单词，给定前词"], words], [["sentences, without", "整句，自行翻译"], sentences]].map(([name, share]) => [name, share, percent(share)]),
        }),
        reason: ["One wrong word makes a sentence wrong, and it becomes the next input, where it can mislead the words after it.", "一个错词就使整句出错，而且它成了下一步的输入，可能带偏后面的词。"],
        point: "#card-curve",
      },
      {
        text: ["The page now looks for the sentence in which one choice is wrong with help and does the most harm without help. The table shows the choice of each step after the correct words; below it is the translation without help.",
          "现在本页找一个句子：给定前词时只选错一个词，自行翻译时错得最多。表中每一步都给定正确的前词，表下是自行翻译的译文。"],
        question: ["How many words are wrong without help?", "自行翻译时错几个词？"],
        choices: [["one", "一个"], ["two", "两个"], ["three or more", "三个或更多"]],
        expected: 2,
        act: [["Look inside", "看看内部"], async () => {
          const { example, fitting, of } = lesson.found[0];
          if (example !== null) await lookInsideAt(null, example.source);
          return { example, fitting, of };
        }],
        answer: ({ example, fitting, of }) => (example === null
          ? { right: null, text: [`In none of the ${of} sentences did a wrong word mislead others. Another seed may give an example.`, `${of} 句中，没有一句的错词带偏别的词。换一个种子也许会有。`] }
          : {
            right: Math.min(3, example.errors) - 1,
            text: [`With help, ${example.wrong.length} of ${example.of} choices ${example.wrong.length === 1 ? "is" : "are"} wrong: “${example.wrong[0].choice}” instead of “${example.wrong[0].wanted}”. Without help, ${example.errors === 1 ? "1 word differs" : `${example.errors} words differ`} from the reference: “${example.text}”. In ${fitting} of ${of} sentences a wrong word misleads others.`,
              `给定前词时，${example.of} 个选择错 ${example.wrong.length} 个：应为 ${example.wrong[0].wanted}，却选了 ${example.wrong[0].choice}。自行翻译时有 ${example.errors} 个词与参考不同：${example.text}。${of} 句中有 ${fitting} 句的错词带偏了别的词。`],
          }),
        reason: ["With help, one error costs one word. Without help, it misleads the words after it. The loss never measures this, so always translate before you judge a network by its loss.",
          "给定前词时，一个错误只错一个词；自行翻译时，它会带偏后面的词。损失反映不出这一点，所以评判网络之前，先让它翻译。"],
        point: "#card-losses",
      },
    ],
  },
  {
    name: "beam",
    title: ["Choices that a beam sees", "束搜索看到的选择"],
    lead: ["The most probable word at each step need not give the best sentence.", "每步都取最可能的词，不一定得到最好的句子。"],
    steps: [
      {
        text: ["Greedy search takes the most probable word at each step. A beam of 5 keeps the five best beginnings. A network that has learned briefly translates 200 unseen sentences both ways.",
          "贪心搜索每步取最可能的词；束宽为 5 时，保留五个最好的开头。网络学一小会儿，再用两种方式翻译 200 句没见过的句子。"],
        question: ["In how many of the 200 sentences do the two translations differ?", "200 句中，两种译文有多少句不同？"],
        choices: [["in none", "没有"], ["in fewer than half", "不到一半"], ["in more than half", "一半以上"]],
        expected: 1,
        act: [["Learn briefly and translate", "学一小会儿再翻译"], measureBeam],
        answer: ({ of, differ, higher, greedy, beam, example }) => ({
          right: differ === 0 ? 0 : differ < of / 2 ? 1 : 2,
          text: [`${differ} of ${of} differ; in ${higher} of them the beam’s score is higher. Exact: ${greedy} greedily, ${beam} with the beam. ${example === null ? "" : `Here greedy search wrote “${example.free.text}” (score ${figure(example.free.score, 2)}), the beam “${example.best.text}” (${figure(example.best.score, 2)}).`}`,
            `${of} 句中 ${differ} 句不同，其中 ${higher} 句束搜索得分更高。完全匹配：贪心 ${greedy} 句，束搜索 ${beam} 句。${example === null ? "" : `这句贪心得到 ${example.free.text}（得分 ${figure(example.free.score, 2)}），束搜索得到 ${example.best.text}（${figure(example.best.score, 2)}）。`}`],
        }),
        reason: ["A less probable word can be followed by words that are certain. Greedy search never sees this; the beam does. A higher score is not always a better translation.",
          "一个不太可能的词，后面的词却可能很确定。贪心搜索看不到，束搜索看得到。但得分更高，译文不一定更好。"],
        point: "#card-beam",
      },
      {
        text: ["Each box of the tree has a word and its probability. The score of a line is the sum of the logarithms divided by the length. You can overrule the search: select a word and choose another one.",
          "树中每个格子里是一个词和它的概率。一行的得分是各个概率的对数之和除以长度。你也可以推翻搜索的决定：点一个词，选另一个。"],
        question: ["Replace one word by another probable one. Can most of the rest of the sentence change?", "把一个词换成另一个可能的词，后面大半句会变吗？"],
        choices: [["no, only that word", "不会，只变那一个词"], ["yes, several words after it", "会，后面几个词都变"]],
        expected: 1,
        act: [["Try each word", "逐词试一试"], measureChoice],
        answer: ({ most }) => (most === null ? { right: null, text: ["This translation has no other choices.", "这个译文没有别的选择。"] } : {
          right: most.changed > 1 ? 1 : 0,
          text: [`“${most.other}” instead of “${most.word}” (probability ${figure(most.probability, 2)}) changes ${most.changed === 1 ? "1 word" : `${most.changed} words`} after it: “${most.text}”. The word is selected below; choose the other one yourself.`,
            `把 ${most.word} 换成 ${most.other}（概率 ${figure(most.probability, 2)}），后面有 ${most.changed} 个词改变：${most.text}。下面已选中这个词，请你自己换一换。`],
        }),
        reason: ["Each word is an input of the next step, so one choice can turn the whole rest of the sentence.", "每个词都是下一步的输入，所以一个选择可以改变后面的整句。"],
        point: "#card-alternatives",
      },
    ],
  },
  {
    name: "overfitting",
    title: ["Learning by heart", "死记硬背"],
    lead: ["A network that knows its sentences perfectly may know nothing else.", "网络把学过的句子背得烂熟，别的却可能什么都不会。"],
    steps: [
      {
        text: [`A network with 128 units learns ${FEW} sentences for 40 epochs. After each epoch, 60 sentences that it never learns validate it.`,
          `128 个单元的网络用 ${FEW} 句学 40 轮。每轮之后用另外 60 句不学的句子验证。`],
        question: ["The training loss falls to nearly 0. What does the validation loss do?", "训练损失降到接近 0。验证损失会怎样？"],
        choices: [["it falls as well", "也一直下降"], ["it falls, then it rises", "先降后升"], ["it rises from the start", "一开始就上升"]],
        expected: 1,
        act: [[`Learn ${FEW} pairs`, `学习 ${FEW} 个句对`], measureOverfitting],
        answer: ({ train, low, at, last, exact, epochs }) => ({
          right: at === 1 ? 2 : at >= epochs - 2 ? 0 : 1,
          text: [`The training loss ends at ${figure(train, 3)}. The validation loss was lowest after epoch ${at}, ${figure(low, 2)}, and the page keeps that epoch. It ends at ${figure(last, 2)}, with ${percent(exact)} of the unseen sentences right.`,
            `训练损失最后为 ${figure(train, 3)}。验证损失在第 ${at} 轮最低，为 ${figure(low, 2)}，本页保留的就是这一轮；最后为 ${figure(last, 2)}，没见过的句子译对 ${percent(exact)}。`],
        }),
        reason: ["From the lowest point on, the network learns its sentences by heart: it becomes more certain of wrong guesses about other sentences. This is overfitting; training should stop there.",
          "过了最低点，网络只是在背句子，对别的句子却猜错得越来越肯定。这就是过拟合，应当在最低点停止训练。"],
        point: "#card-curve",
      },
      {
        text: ["Three remedies: a larger network, dropout of 0.3 (units are left out at random while learning), or ten times as many pairs.",
          "三种办法：更大的网络；dropout 0.3（学习时随机去掉一些单元）；十倍的句对。"],
        question: ["Which one lowers the validation loss most?", "哪一种使验证损失降得最多？"],
        choices: [["the larger network", "更大的网络"], ["dropout", "dropout"], ["more pairs", "更多的句对"]],
        expected: 2,
        act: [["Try all three", "三种都试"], measureRemedies],
        answer: (found) => {
          const names = ["size", "dropout", "pairs"], worst = Math.max(found.few, ...names.map((name) => found[name]));
          return {
            right: names.indexOf(largest(names, (name) => -found[name])),
            text: [`Lowest validation loss, after ${figure(found.few, 2)} with ${FEW} pairs:`, `最低的验证损失（${FEW} 个句对时为 ${figure(found.few, 2)}）：`],
            rows: [[["192 units", "192 个单元"], found.size], [["dropout 0.3", "dropout 0.3"], found.dropout], [[`${MORE} pairs`, `${MORE} 个句对`], found.pairs]]
              .map(([name, loss]) => [name, loss / worst, figure(loss, 2)]),
          };
        },
        reason: ["More pairs are more knowledge; the other remedies only use the same knowledge in another way.", "更多的句对就是更多的知识，其他办法只是换一种方式使用同样的知识。"],
        point: "#card-curve",
      },
    ],
  },
  {
    name: "rate",
    title: ["A learning rate that is too high", "过高的学习率"],
    lead: ["Larger steps are faster, until they leave the valley.", "步子大就快，直到跨出山谷。"],
    steps: [
      {
        text: ["The learning rate is the size of a step against the gradient. Two equal networks learn 300 pairs for 8 epochs: one with 0.003, one with 1.", "学习率就是沿梯度反方向走一步的大小。两个相同的网络用 300 个句对学 8 轮：一个学习率为 0.003，一个为 1。"],
        question: ["What does the rate of 1 do?", "学习率为 1 时会怎样？"],
        choices: [["it learns faster", "学得更快"], ["it ends at the same loss", "最后损失相同"], ["its loss ends above that of guessing", "最后的损失比乱猜还高"]],
        expected: 2,
        act: [["Let both learn", "让两个网络学习"], measureHighRate],
        answer: ({ from, good, high }) => ({
          right: high.at(-1) > from ? 2 : high.at(-1) < good.at(-1) ? 0 : null,
          text: [`Guessing costs ${figure(from, 2)}, the logarithm of the vocabulary. With 0.003 the loss ends at ${figure(good.at(-1), 2)}; with 1 at ${figure(high.at(-1), 2)}, and its largest was ${figure(Math.max(...high), 2)}.`,
            `乱猜的损失是词表大小的对数，即 ${figure(from, 2)}。学习率 0.003 最后为 ${figure(good.at(-1), 2)}；学习率 1 最后为 ${figure(high.at(-1), 2)}，最高时 ${figure(Math.max(...high), 2)}。`],
        }),
        reason: ["A gradient is the slope at one point only. A step that is too long lands far away, where the loss is higher, and the next one too: the network becomes sure of wrong words.",
          "梯度只是一个点上的斜率。步子太长，就落到损失更高的远处，下一步也一样：网络对错词变得十分肯定。"],
        point: "#view-compare figure",
      },
      {
        text: ["Between too low and too high there is a good rate. Five networks learn the same pairs with five rates.", "在太低和太高之间有合适的学习率。五个网络用五种学习率学同样的句对。"],
        question: ["Which rate has the lowest loss after 8 epochs?", "8 轮之后，哪种学习率损失最低？"],
        choices: RATES.map((rate) => [String(rate), String(rate)]),
        expected: 2,
        act: [["Try five rates", "试五种学习率"], measureRates],
        answer: (losses) => {
          const best = largest(losses, ({ ends }) => -ends.at(-1)), { from } = lesson.found[0];
          return {
            right: RATES.indexOf(best.rate),
            text: [`The best rate is ${best.rate}. Loss after ${best.ends.length} epochs; a full bar is that of guessing or more:`, `最好的学习率是 ${best.rate}。${best.ends.length} 轮之后的损失，条满表示不低于乱猜：`],
            rows: losses.map(({ rate, ends }) => [String(rate), ends.at(-1) / from, figure(ends.at(-1), 2)]),
          };
        },
        reason: ["A small rate has not arrived yet; a high one cannot settle. In practice one takes the highest rate that still settles, and lowers it toward the end.", "学习率低，还没有走到；学习率高，停不下来。实践中取还能稳住的最高值，并在后期降低。"],
        point: "#view-compare figure",
      },
    ],
  },
  {
    name: "scaling",
    title: ["Why scaling matters", "为什么要缩放"],
    lead: ["One division by √H helps a network to generalize.", "除以 √H 有助于网络推广到新句子。"],
    steps: [
      {
        text: ["A score is the inner product of two states with H = 64 elements. “dot” uses it unchanged; “scaled” divides it by √64 = 8. Everything else is equal, even the initial parameters.",
          "得分是两个状态（各有 H = 64 个元素）的内积。dot 直接使用，scaled 除以 √64 = 8。其余完全相同，初始参数也一样。"],
        question: ["Which network translates more of the 200 sentences that it has never seen?", "200 个没见过的句子，哪个网络译对的多？"],
        choices: [["dot", "dot"], ["scaled", "scaled"], ["both the same", "一样多"]],
        expected: 1,
        act: [["Let both learn", "让两个网络学习"], () => measureScaling(64)],
        answer: ({ dot, scaled }) => ({
          right: Math.abs(dot.share - scaled.share) < 0.01 ? 2 : dot.share > scaled.share ? 0 : 1,
          text: [`dot: ${percent(dot.share)} right; scaled: ${percent(scaled.share)}. The mean entropy of the weights in this sentence is ${figure(dot.entropy, 2)} and ${figure(scaled.entropy, 2)}.`,
            `dot 译对 ${percent(dot.share)}，scaled 译对 ${percent(scaled.share)}。这句中权重的平均熵为 ${figure(dot.entropy, 2)} 和 ${figure(scaled.entropy, 2)}。`],
        }),
        reason: ["Large scores push softmax to weights of 0 and 1. There its gradient is nearly zero, so a first wrong choice is hard to correct. “scaled” keeps the weights soft.",
          "得分大，softmax 的权重就逼近 0 和 1。那里梯度近于零，最初选错就难以改正。scaled 的权重较平缓。"],
        point: ".pair.even",
      },
      {
        text: ["The same again, but with H = 32: each score is a sum of half as many products.", "再来一次，但 H = 32：每个得分只含一半的乘积项。"],
        question: ["Is the difference between “dot” and “scaled” larger now?", "dot 与 scaled 的差别变大了吗？"],
        choices: [["larger", "变大"], ["smaller", "变小"]],
        expected: 1,
        act: [["Let both learn with H = 32", "用 H = 32 学习"], () => measureScaling(32)],
        answer: ({ dot, scaled }) => {
          const [before, now] = [lesson.found[0], { dot, scaled }].map((one) => one.scaled.share - one.dot.share);
          return {
            right: now > before ? 0 : 1,
            text: [`dot: ${percent(dot.share)}; scaled: ${percent(scaled.share)}. The difference was ${figure(100 * before, 1)} points and is ${figure(100 * now, 1)} now.`,
              `dot ${percent(dot.share)}，scaled ${percent(scaled.share)}。差别原来是 ${figure(100 * before, 1)} 个百分点，现在是 ${figure(100 * now, 1)}。`],
          };
        },
        reason: ["Unscaled scores grow about as √H. Where H is small they are small already, and dividing them changes little; the larger H is, the more scaling matters.", "未缩放的得分大约按 √H 增长。H 小，得分本来就小，缩放影响不大；H 越大，缩放越重要。"],
        point: ".pair.even",
      },
    ],
  },
];
