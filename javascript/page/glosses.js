/* Pinyin and English for the words of the built-in Chinese pairs, so that nobody needs Chinese to read an alignment. */

/* Word, pinyin, then the English words that can stand for it; "_" joins words. The first is the gloss, in parentheses
 * after "·". */
const GLOSS_TEXT = `我 wǒ I me my
你 nǐ you your
他 tā he him his
她 tā she her
我们 wǒmen we us our
他们 tāmen they them their
的 de ’s of
是 shì is be am are was were
了 le ·done
过 guo ·ever ever
吗 ma ·question
不 bù not
没 méi not
很 hěn very
在 zài at in
有 yǒu have has had there
一 yī one a an
两 liǎng two
三 sān three
个 gè ·piece
本 běn ·volume
封 fēng ·letter
杯 bēi cup cups glass glasses
只 zhī ·animal
这 zhè this
那 nà that
今天 jīntiān today
昨天 zuótiān yesterday
明天 míngtiān tomorrow
今晚 jīnwǎn tonight
每天 měitiān every_day every day
天气 tiānqì weather
爱 ài love loves
好 hǎo nice good
喜欢 xǐhuan like likes liked
想 xiǎng want wants wanted
认识 rènshi know knows knew
看 kàn read see look reads reading reads sees saw watching watch
写 xiě write writes wrote written writing
喝 hē drink drinks drank drunk drinking
吃 chī eat eats ate eaten eating
买 mǎi buy buys bought buying
去 qù go goes went gone going
学习 xuéxí study studies studied studying
老师 lǎoshī teacher teachers
学生 xuéshēng student students
朋友 péngyou friend friends
妈妈 māma mother mom
猫 māo cat cats
书 shū book books
信 xìn letter letters
苹果 píngguǒ apple apples
面包 miànbāo bread
牛奶 niúnǎi milk
咖啡 kāfēi coffee
茶 chá tea
中文 Zhōngwén Chinese
英文 Yīngwén English
家 jiā home
学校 xuéxiào school
图书馆 túshūguǎn library
商店 shāngdiàn shop store
公园 gōngyuán park
大 dà big large
小 xiǎo small little
新 xīn new
旧 jiù old
高兴 gāoxìng happy glad
忙 máng busy
累 lèi tired`;

const GLOSSES = new Map(GLOSS_TEXT.split("\n").map((line) => {
  const [word, pinyin, ...english] = line.split(" ");
  return [word, { pinyin, english: english[0].replace(/^·(.*)/, "($1)").replace("_", " "), words: new Set(english.map((one) => one.toLowerCase())) }];
}));

/* Whether glosses are on show: the user's choice, otherwise in every language but Chinese. */
const glossesAreShown = () => state.glosses ?? state.language !== "zh";

/* Return pinyin and English of a word as an element, in a list: empty without a gloss. */
function glossOf(word) {
  const gloss = glossesAreShown() ? GLOSSES.get(word) : undefined;
  return gloss === undefined ? [] : [element("span", { class: "gloss" }, element("span", { lang: "zh-Latn" }, gloss.pinyin), element("span", { lang: "en" }, gloss.english))];
}

/* Return the glosses of a sentence whose words are separated by spaces, or an empty list if it has none: pinyin, and English unless
 * `brief`. */
function glossesOf(sentence, brief = false) {
  const glosses = glossesAreShown() ? sentence.trim().split(/\s+/).map((word) => GLOSSES.get(word)) : [];
  if (!glosses.some(Boolean)) return [];
  const row = (key, lang) => element("span", { lang }, glosses.map((one) => one?.[key] ?? "–").join(" "));
  return [element("span", { class: "gloss line" }, row("pinyin", "zh-Latn"), ...(brief ? [] : [" · ", row("english", "en")]))];
}

/* ---- Agreement of attention with the glosses ---- */

/* Return for each target word with a counterpart in the source: {word, source, weight, agrees}, where source is the word with the
 * largest weight. */
function readingsOf({ sourceTokens, targetTokens, attention }) {
  const isCounterpart = (source, target) => GLOSSES.get(source)?.words.has(target.toLowerCase()) ?? false;
  return targetTokens.flatMap((word, t) => {
    if (!sourceTokens.some((source) => isCounterpart(source, word))) return [];
    const weight = Math.max(...attention[t]), source = sourceTokens[attention[t].indexOf(weight)];
    return [{ word, source, weight, agrees: isCounterpart(source, word) }];
  });
}
