/* Five short lessons. Each step has a text, may do something with the real page, and points at the figure that
 * answers its question. The texts are [English, Chinese]. */

const COPY = [..."abcdefgh"].map((letter) => `go\t${letter} . . . . . . . . . . ${letter}`);
const SMALL = { hiddenSize: 64, embeddingSize: 64, learningRate: 0.003 };
const YESTERDAY = { set: "daily", settings: { ...SMALL, attention: "scaled" }, sentence: "她 昨天 没 吃 这 个 苹果" };
const COPYING = { hiddenSize: 32, embeddingSize: 16, batchSize: 8, learningRate: 0.005 };

async function pauseAll() {
  if (state.run.status === "running") await engine.call("pause", { slot: "main" });
  for (const slot of SIDES)
    if (compared[slot].run.status === "running") await engine.call("pause", { slot });
}

/* Set the page up for a lesson. Its end brings back what the user had: pairs, settings and network. */
async function setUp({ set, lines = null, settings, epochs, sentence, hold = set === "daily" ? -1 : 0 }) {
  await pauseAll();
  if (lesson.before === null) {
    const { settings: own, watched } = state;
    lesson.before = { ...snapshotOfPairs(), settings: { ...own }, watched, beam: asked.beam, figure: state.figure, network: await keepsake(0) };
    chooseFigure("map"); // the texts describe it
    tell("lesson", () => t("lesson.returns"));
  }
  if (lines === null) {
    await choosePairs(set, true);
  } else {
    Object.assign(pairs, { set: "own", lines: [...lines], given: null, page: 0, lesson: true });
    pairsChanged();
  }
  Object.assign(state, { settings: { ...settings }, epochs, hold });
  watch(sentence);
  drawSettings();
  drawPairs();
  drawShort();
  state.now = signature();
}

async function setUpAndStart(what) {
  await setUp(what);
  showView("learn");
  await createMain();
  await startOrPause();
}

async function setUpComparison(what, contrast) {
  await setUp(what);
  compared.sentence = what.sentence;
  showView("compare");
  chooseContrast(contrast);
  compared.signature = "";
  await compareStartOrPause();
}

/* Look inside an untrained network that copies a letter over ten dots. */
async function setUpMemory(cell) {
  await setUp({ set: "own", lines: COPY, settings: { ...COPYING, cell }, epochs: 1, sentence: "go" });
  await createMain();
  showView("inside");
  fillInside("go");
  insideState.step = 11;
  await lookInside();
}

async function lookInsideAt(epoch, source) {
  showView("inside");
  showEpoch(epoch);
  fillInside(source);
  insideState.step = null;
  await lookInside();
}

const LESSONS = [
  {
    title: ["Where attention looks", "注意力看向哪里"],
    lead: ["Weights show where the decoder reads. Are they a dictionary?", "权重表明解码器读取哪些源词。它们是一部词典吗？"],
    steps: [
      {
        text: ["Five sentence pairs are learned in about a second. While the network learns, the map shows for each English word (row) how much the decoder reads each Chinese word (column).",
          "五个句对大约一秒就能学会。学习时，热力图显示：生成每个英文词（行）时，解码器从每个中文词（列）读取多少。"],
        question: ["Will each English word look at the Chinese word with the same meaning?", "每个英文词会看向意思相同的中文词吗？"],
        act: [["Learn five pairs", "学习五个句对"], () => setUpAndStart({ set: "toy", settings: {}, epochs: 80, sentence: "我 爱 学习" })],
        point: "#card-map",
      },
      {
        text: ["All five translations are right, but the map is no dictionary: “love” may look at 学习. The network has seen each sentence 80 times and remembers it, so it need not look at the right word.",
          "五个译文全对，热力图却不是词典：love 可能看向 学习。网络把每个句子看了 80 遍，已经记住，不必看对词。"],
        question: ["Will the map change if the network learns from 1,800 sentences instead of five?", "如果从 1,800 句而不是五句中学，热力图会变吗？"],
        act: [["Learn 1,800 pairs", "学习 1,800 个句对"], () => setUpAndStart({ ...YESTERDAY, epochs: 10 })],
        point: "#card-map",
      },
      {
        text: ["Now each word looks at its counterpart, even “yesterday”, which moved to the end. Nobody gave the network this alignment; the loss alone produced it. Move the slider to see at which epoch it appeared.",
          "现在每个词都看向对应的词，移到句末的 yesterday 也一样。没有人给过网络对齐，它只由损失产生。拖动滑块，看看对齐在第几轮出现。"],
        point: ".past",
      },
    ],
  },
  {
    title: ["Why scaling matters", "为什么要缩放"],
    lead: ["One division by √H helps a network to generalize.", "除以 √H 有助于网络推广到新句子。"],
    steps: [
      {
        text: ["A score is the inner product of two states with H = 64 elements. “dot” uses it unchanged; “scaled” divides it by √64 = 8. Everything else is equal, even the initial parameters.",
          "得分是两个状态（各有 H = 64 个元素）的内积。dot 直接使用，scaled 除以 √64 = 8。其余完全相同，初始参数也一样。"],
        question: ["Which network translates more of the 200 sentences that it has never seen?", "200 个没见过的句子，哪个网络译对得多？"],
        act: [["Let both learn", "让两个网络学习"], () => setUpComparison({ ...YESTERDAY, settings: SMALL, epochs: 10 }, "scale")],
        point: ".pair.even",
      },
      {
        text: ["Large scores push softmax to weights of 0 and 1: the entropy of “dot” is small. There its gradient is nearly zero, so a first wrong choice is hard to correct. “scaled” keeps the weights soft, so more of its translations of unseen sentences are right.",
          "得分大，softmax 的权重就逼近 0 和 1：dot 的熵很小。那里梯度近于零，最初选错就难以改正。scaled 的权重较软，没见过的句子译对得更多。"],
        question: ["Would the difference be larger with H = 128? Set Hidden size to 128 on both sides and start again.", "H = 128 时差别会更大吗？把两边的隐藏状态维数都改为 128，重新开始。"],
        point: ".pair.even",
      },
      {
        text: ["It is smaller: a larger network translates more of the unseen sentences with either score. Scaling helps most where a network has little to spare.",
          "差别变小了：网络大一些，两种得分译对的没见过的句子都更多。网络小的时候，缩放的帮助最大。"],
        point: ".pair.even",
      },
    ],
  },
  {
    title: ["How far memory reaches", "记忆能到多远"],
    lead: ["A gradient that vanishes cannot teach the first step.", "梯度消失，就教不了最初的几步。"],
    steps: [
      {
        text: ["The target is a letter, ten dots, and the same letter. Attention cannot help, since every source is “go”. The last letter is known only from the first, eleven steps earlier.",
          "目标是一个字母、十个点，再重复这个字母。所有源文都是 go，注意力帮不上忙。要知道最后的字母，只能靠十一步之前的第一个。"],
        question: ["How much of the last letter’s gradient arrives at the first step of an Elman cell?", "最后一个字母的梯度，有多少能传到 Elman 单元的第一步？"],
        act: [["Show the gradient", "显示梯度"], () => setUpMemory("elman")],
        point: "#card-norms",
      },
      {
        text: ["Each step back multiplies the norm by about one half. On the logarithmic scale the decoder’s bars fall in a straight line, to less than a thousandth.",
          "每往回一步，范数大约减半。在对数刻度上，解码器的柱子沿直线下降，最后不到千分之一。"],
        question: ["A ReLU cell starts with the identity as its recurrent matrix. Does its gradient arrive?", "ReLU 单元的循环矩阵最初是单位矩阵。它的梯度能传到吗？"],
        act: [["Show it for ReLU", "改用 ReLU"], () => setUpMemory("relu")],
        point: "#card-norms",
      },
      {
        text: ["The bars hardly fall. Now let both cells learn.", "柱子几乎不下降。现在让两种单元学习。"],
        question: ["Which cell learns the last letter?", "哪种单元学得会最后一个字母？"],
        act: [["Let both learn", "让两种单元学习"], () => setUpComparison({ set: "own", lines: COPY, settings: COPYING, epochs: 300, sentence: "go" }, "memory")],
        point: "#view-compare figure",
      },
      {
        text: ["Neither can know the first letter from “go”, so guessing it costs log 8 ≈ 2.1 of 13 tokens: a mean of 0.16 is the best possible. “relu” reaches it. “elman” stays above, since it must guess the last letter too. All sources are equal, so 1 of 8 is the most that can be correct.",
          "只看 go 谁也不知道第一个字母：13 个词元里有一个要猜，代价 log 8 ≈ 2.1，平均 0.16 已是最好。relu 能达到；elman 还得猜最后的字母，所以停在更高处。源文都相同，所以 8 句最多只能译对 1 句。"],
        point: "#view-compare figure",
      },
    ],
  },
  {
    title: ["Errors that teacher forcing hides", "教师强制掩盖的错误"],
    lead: ["A small loss on given words is not a good translation.", "给定前词时损失小，不等于译得好。"],
    steps: [
      {
        text: ["In training, the decoder receives the correct previous word at each step. In translation it receives its own. Let a network learn briefly and look at one pair.",
          "训练时，解码器每一步都得到正确的前一个词；翻译时，得到的却是自己的输出。先让网络学一小会儿，再看一个句对。"],
        question: ["If most words are right given the words before them, is the translation right as well?", "给定前面的词，多数词都对，译文就对吗？"],
        act: [["Learn briefly", "学一小会儿"], () => setUpAndStart({ ...YESTERDAY, epochs: 3 })],
        point: "#card-curve",
      },
      {
        text: ["The table shows each step with the correct words before it: the word it wanted, its probability, and the network’s own choice. Below it stands the translation without help.",
          "表中每一步都给定了正确的前词：应生成的词、它的概率、网络自己的选择。表下是没有帮助时的译文。"],
        question: ["Find the first wrong choice. How do the words after it differ with and without help?", "找到第一个选错的词。有帮助和没帮助时，后面的词有什么不同？"],
        act: [["Look inside", "看看内部"], async () => lookInsideAt(null, await hardSentence())],
        point: "#card-losses",
      },
      {
        text: ["With help, one error costs one word. Without help the wrong word becomes the next input, and it can mislead the words after it. The loss never measures this, so always translate before you judge a network by its loss.",
          "有帮助时，一个错误只错一个词。没有帮助时，错词成了下一步的输入，可能带偏后面的词。损失量不到这一点，所以评判网络之前，先让它翻译。"],
        point: "#card-losses",
      },
    ],
  },
  {
    title: ["Choices that a beam sees", "束搜索看到的选择"],
    lead: ["The most probable word at each step need not give the best sentence.", "每步都取最可能的词，不一定得到最好的句子。"],
    steps: [
      {
        text: ["Greedy search takes the most probable word at each step. A beam of 5 keeps the five best beginnings. The tree shows what is left at the end; shared beginnings are drawn once.",
          "贪心搜索每步取最可能的词。束宽为 5 时，同时保留五个最好的开头。树中是最后留下的译文，相同的开头只画一次。"],
        question: ["Where do the five translations part?", "五个译文在哪里分开？"],
        act: [["Learn briefly and translate", "学一小会儿再翻译"], async () => {
          await setUpAndStart({ ...YESTERDAY, epochs: 3 });
          lesson.then = async () => {
            asked.beam = 5;
            setText(await splitSentence());
            showView("translate");
            await until(() => shownTranslation() !== null && shownTranslation().source === asked.text);
            pointAt("#card-beam");
          };
        }],
        point: "#card-beam",
      },
      {
        text: ["Each box has a word and its probability. The score of a line is the sum of the logarithms, divided by the length. One improbable word can be outweighed by certain words after it.",
          "每个格子里是一个词和它的概率。一行的得分是各对数之和除以长度。一个不太可能的词，可以由后面很确定的词补回来。"],
        question: ["Note line No. 1. Set the beam size to 1: is it the same translation? Which score is higher?", "记下第 1 名，再把束宽改成 1：译文一样吗？哪个得分高？"],
        point: "#beam",
      },
      {
        text: ["You can overrule the search: select a word of the translation and choose another one. The network translates the rest after your word.",
          "你也可以推翻搜索的决定：点译文里的一个词，选另一个。网络会接着你的词译完。"],
        question: ["Which word can you change so that the whole rest of the sentence changes?", "改动哪个词，会让后面整句都变？"],
        point: "#card-alternatives",
      },
    ],
  },
];

/* Resolve when the condition is true, or after five seconds. */
async function until(condition) {
  for (let tries = 0; tries < 100 && !condition(); tries++)
    await new Promise((go) => { setTimeout(go, 50); });
}

const inLanguage = ([english, chinese]) => (state.language === "zh" ? chinese : english);

/* Return a validation sentence that the network translates wrongly although most words are right when given. */
async function hardSentence() {
  for (const line of (pairs.given || "").split("\n").slice(0, 40)) {
    const [source, target] = sidesOf(line);
    const [free] = await engine.call("translate", { slot: "main", text: source, options: {} });
    if (free === undefined || free.text === target) continue;
    const [forced] = await engine.call("translate", { slot: "main", text: source, options: { reference: target } });
    const shares = forced.logProbabilities.filter((value) => value > Math.log(0.5)).length / forced.logProbabilities.length;
    if (shares > 0.6 && shares < 1 && free.targetTokens.length > 4) return source;
  }
  return state.watched;
}

/* Return a validation sentence whose greedy translation differs from the best of a beam of 5. */
async function splitSentence() {
  for (const line of (pairs.given || "").split("\n").slice(0, 80)) {
    const [source] = sidesOf(line);
    if (source === "") continue;
    const [greedy] = await engine.call("translate", { slot: "main", text: source, options: { beam: 1, splitSentences: "off" } });
    const [best] = await engine.call("translate", { slot: "main", text: source, options: { beam: 5, splitSentences: "off" } });
    if (greedy && best && greedy.text !== best.text) return source;
  }
  return state.watched;
}

/* ---- Showing ---- */

/* `before` is what the lesson replaced: {…snapshotOfPairs(), settings, watched, beam, network}. */
const lesson = { at: null, step: 0, then: null, before: null };

function drawLessons() {
  byId("lessons").replaceChildren(...LESSONS.map(({ title, lead }, at) => element("li", {}, button("lesson-card", () => openLesson(at),
    [element("b", {}, inLanguage(title)), element("span", {}, inLanguage(lead))], { "aria-current": String(lesson.at === at) }))));
}

function openLesson(at) {
  Object.assign(lesson, { at, step: 0, then: null });
  drawLesson();
  byId("lesson-act").focus();
  byId("lesson").scrollIntoView({ block: "nearest" });
}

function drawLesson() {
  byId("lesson").hidden = lesson.at === null;
  pointAt(null);
  if (lesson.at === null) return;
  const { title, steps } = LESSONS[lesson.at];
  const step = steps[lesson.step];
  byId("lesson-title").textContent = inLanguage(title);
  byId("lesson-place").textContent = t("lesson.place", { n: lesson.step + 1, of: steps.length });
  byId("lesson-text").replaceChildren(element("p", {}, inLanguage(step.text)),
    ...(step.question ? [element("p", { class: "question" }, inLanguage(step.question))] : []));
  byId("lesson-act").hidden = !step.act;
  if (step.act) byId("lesson-act").textContent = inLanguage(step.act[0]);
  byId("lesson-back").disabled = lesson.step === 0;
  byId("lesson-next").textContent = t(lesson.step === steps.length - 1 ? "lesson.end" : "next");
  if (!step.act) pointAt(step.point);
}

/* Outline a figure and bring it into view. */
function pointAt(selector) {
  for (const old of document.querySelectorAll(".pointed")) old.classList.remove("pointed");
  const found = selector === null ? null : document.querySelector(selector);
  if (found === null) return;
  found.classList.add("pointed");
  found.scrollIntoView({ block: "nearest", behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
}

function moveLesson(change) {
  const { steps } = LESSONS[lesson.at];
  const next = lesson.step + change;
  if (next >= steps.length) {
    showView("lessons", true);
    closeLesson().catch(reportError);
    return;
  }
  Object.assign(lesson, { step: next, then: null });
  drawLesson();
}

/* End the lesson. Changes that the user made to its pairs are offered. */
async function closeLesson() {
  const { before } = lesson;
  Object.assign(lesson, { at: null, then: null });
  drawLesson();
  keepFocus();
  if (before === null) return;
  await pauseAll();
  const edited = pairs.set === "own" && !pairs.lesson ? snapshotOfPairs() : null;
  lesson.before = null;
  untell("lesson");
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
  }
}

async function actLesson() {
  const step = LESSONS[lesson.at].steps[lesson.step];
  byId("lesson-act").disabled = true;
  try {
    await step.act[1]();
    pointAt(step.point);
  } finally {
    byId("lesson-act").disabled = false;
    keepFocus(byId("lesson-act"));
  }
}

/* What a lesson does when its network has learned. */
function lessonProgress() {
  if (lesson.then === null || state.run.status !== "finished") return;
  const { then } = lesson;
  lesson.then = null;
  then().catch(reportError);
}

function listenToLessons() {
  byId("lesson-close").addEventListener("click", () => closeLesson().catch(reportError));
  byId("lesson-back").addEventListener("click", () => moveLesson(-1));
  byId("lesson-next").addEventListener("click", () => moveLesson(1));
  byId("lesson-act").addEventListener("click", () => { if (state.ready && state.busy === null) actLesson().catch(reportError); });
}
