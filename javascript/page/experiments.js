/* A gallery of experiments: one click sets pairs, settings and view, and begins. `point` is the figure to look at. `thumb` draws the small picture: "map" has the place
 * that each row reads, "curves" has lines of values, "bars" has heights; all between 0 and 1. Texts are [English, Chinese]. */

const FALLING = [0.95, 0.6, 0.38, 0.25, 0.17, 0.12, 0.09, 0.07];

const EXPERIMENTS = {
  french: {
    title: ["French adjectives", "法语的形容词"], lead: ["Colors follow the noun: watch the weights cross.", "法语的颜色词在名词之后：看权重怎样交叉。"],
    view: "learn", thumb: { map: [0, 1, 2, 4, 3] },
    go: () => beginLearning({ set: "french", settings: YESTERDAY.settings, epochs: 8, sentence: "je vois la petite maison blanche" }),
  },
  numbers: {
    title: ["Numbers in words", "数字读法"], lead: ["4 2 7 → four hundred and twenty seven. The place of each digit matters, and so do zeros.", "4 2 7 → four hundred and twenty seven，数字的位置和零都有影响。"],
    view: "learn", thumb: { map: [0, 0, 0, 1, 2] },
    go: () => beginLearning({ set: "numbers", settings: YESTERDAY.settings, epochs: 16, sentence: "3 0 7 2" }),
  },
  dates: {
    title: ["Dates", "日期"], lead: ["Day, month and year change places. Does anything read the day of the week?", "日、月、年互换位置。有哪个词看星期几吗？"],
    view: "learn", thumb: { map: [3, 2, 1] },
    go: () => beginLearning({ set: "dates", settings: YESTERDAY.settings, epochs: 8, sentence: "Monday 4 June 2018" }),
  },
  letters: {
    title: ["Letters reversed", "字母倒写"], lead: ["The map becomes a diagonal that falls from the right.", "热力图变成从右上到左下的对角线。"],
    view: "learn", thumb: { map: [4, 3, 2, 1, 0] },
    go: () => beginLearning({ set: "letters", settings: YESTERDAY.settings, epochs: 12 }),
  },
  overfitting: {
    title: ["Learning by heart", "死记硬背"], lead: ["40 pairs, 128 units: the validation loss rises again.", "40 个句对、128 个单元：验证损失又升上去。"],
    view: "learn", point: "#card-curve", thumb: { curves: [FALLING, [0.95, 0.7, 0.6, 0.57, 0.6, 0.64, 0.68, 0.72]] },
    go: async () => {
      await setUp(YESTERDAY);
      const { lines, given } = await dailyLines();
      await beginLearning({ lines: lines.slice(0, FEW), given, ...MEMORIZING });
    },
  },
  gradient: {
    title: ["The vanishing gradient", "梯度消失"], lead: ["An Elman cell over eleven steps: the bars fall to less than a thousandth.", "Elman 单元往回十一步：柱子降到不足千分之一。"],
    view: "inside", point: "#card-norms", thumb: { bars: [0.1, 0.18, 0.27, 0.36, 0.45, 0.54, 0.63, 0.72, 0.82, 0.95] },
    go: () => showMemory("elman"),
  },
  rate: {
    title: ["A learning rate that is too high", "学习率过高"], lead: ["Two equal networks: one has a learning rate of 0.003, one of 1.", "两个相同的网络，学习率一个为 0.003，一个为 1。"],
    view: "compare", thumb: { curves: [FALLING, [0.5, 0.9, 0.97, 0.88, 0.93, 0.84, 0.9, 0.86]] },
    go: async () => {
      await setUp(YESTERDAY);
      const { lines } = await dailyLines();
      await setUpComparison({ lines: lines.slice(0, 300), ...RATING }, "rate", [{ learningRate: 0.003 }, { learningRate: 1 }]);
    },
  },
  attention: {
    title: ["No attention", "没有注意力"], lead: ["The letters must fit into one state. Look inside: which are right after the “|”?", "所有字母必须装进一个状态。看看内部：| 之后哪些是对的？"],
    view: "learn", thumb: { curves: [[0.95, 0.8, 0.72, 0.68, 0.65, 0.63, 0.62, 0.61]] },
    go: async () => {
      await setUpAndLearn({ lines: wordsToReverse()[0].map(byState), ...REVERSING, sentence: "go" });
      await lookInsideAt(null, "go");
    },
  },
  cells: {
    title: ["Elman and GRU", "Elman 与 GRU"], lead: ["The same pairs, seed and size; only the cell differs.", "句对、种子和大小都相同，只有单元不同。"],
    view: "compare", thumb: { curves: [FALLING, [0.95, 0.5, 0.27, 0.15, 0.08, 0.05, 0.04, 0.03]] },
    go: () => setUpComparison({ ...YESTERDAY, epochs: 5 }, "cell"),
  },
};

/* Set the page up and begin to learn, without waiting for the end. */
async function beginLearning(what) {
  await setUp(what);
  showView("learn");
  await here(createMain());
  await here(startOrPause());
}

/* ---- The small pictures ---- */

const THUMB = { width: 96, height: 60 };

function thumbOf({ map, curves, bars }) {
  const { width, height } = THUMB, root = drawn("svg", { ...THUMB, viewBox: `0 0 ${width} ${height}`, class: "thumb", "aria-hidden": "true" });
  const rect = (x, y, w, h, kind) => root.append(drawn("rect", { x, y, width: w, height: h, class: kind }));
  if (map !== undefined) {
    const columns = Math.max(...map) + 1, w = width / columns, h = height / map.length;
    map.forEach((reads, row) => {
      for (let column = 0; column < columns; column++) rect(column * w + 1, row * h + 1, w - 2, h - 2, column === reads ? "high" : "low");
    });
  }
  if (bars !== undefined) bars.forEach((tall, at) => rect((at * width) / bars.length + 1, height * (1 - tall), width / bars.length - 2, height * tall, "bar"));
  (curves ?? []).forEach((values, at) => root.append(drawn("polyline", {
    points: values.map((value, x) => `${(x * (width - 6)) / (values.length - 1) + 3},${height * (1 - value)}`).join(" "), class: at === 0 ? "line" : "line second" })));
  return root;
}

function drawExperiments() {
  byId("experiment-end").hidden = lesson.trying === null;
  byId("experiments").replaceChildren(...Object.entries(EXPERIMENTS).map(([name, { title, lead, thumb }]) => element("li", {},
    button("lesson-card experiment", () => tryExperiment(name).catch(reportError), [thumbOf(thumb), element("b", {}, inLanguage(title)), element("span", {}, inLanguage(lead))], { "data-try": name }))));
}

/* Run an experiment. The user's own pairs, settings and network return at its end. */
async function tryExperiment(name) {
  if (!state.ready || state.busy !== null) return;
  lesson.turn++;
  Object.assign(lesson, { at: null, trying: name, busy: false, found: [] });
  drawLesson();
  tell("experiment", () => t("experiment.is", { title: inLanguage(EXPERIMENTS[name].title) }), {
    action: { label: "experiment.end", go: () => closeLesson().catch(reportError) } });
  showView(EXPERIMENTS[name].view);
  await actAlone(EXPERIMENTS[name].go);
  if (lesson.trying === name && EXPERIMENTS[name].point) pointAt(EXPERIMENTS[name].point);
}
