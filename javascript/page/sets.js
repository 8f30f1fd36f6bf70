/* Sets of pairs that code makes: for people who read no Chinese, and for lessons. A set is the same in every visit. */

/* Return a function that gives the next integer below its argument (mulberry32). */
function diceOf(seed) {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296) * below);
  };
}

const oneOf = (list, dice) => list[dice(list.length)];
const wordRows = (text) => text.split("; ").map((row) => row.split(" "));

/* ---- French and English: colors follow the noun, "ne … pas" surrounds the verb, "maintenant" moves to the end. ---- */

const FRENCH_SUBJECTS = wordRows("je I; tu you; il he; elle she; nous we; vous you; ils they");
/* The forms in the order of the subjects, then the English verb. */
const FRENCH_VERBS = wordRows("vois vois voit voit voyons voyez voient see; veux veux veut veut voulons voulez veulent want; vends vends vend vend vendons vendez vendent sell; prends prends prend prend prenons prenez prennent take; lave laves lave lave lavons lavez lavent wash");
const FRENCH_NOUNS = [wordRows("chat cat; chien dog; livre book; vélo bike; chapeau hat; bateau boat"), wordRows("maison house; voiture car; fleur flower; table table; robe dress; pomme apple")];
const FRENCH_COLORS = wordRows("noir noire black; blanc blanche white; vert verte green; rouge rouge red; jaune jaune yellow");
const FRENCH_ARTICLES = wordRows("le la the; un une a; ce cette this");

function frenchPair(dice) {
  const who = dice(FRENCH_SUBJECTS.length), verb = oneOf(FRENCH_VERBS, dice), gender = dice(2);
  const noun = oneOf(FRENCH_NOUNS[gender], dice), color = oneOf(FRENCH_COLORS, dice), article = oneOf(FRENCH_ARTICLES, dice);
  const [now, not, small, colored] = [dice(4) === 0, dice(3) === 0, dice(3) === 0, dice(4) > 0];
  const third = who === 2 || who === 3, [subject, english] = FRENCH_SUBJECTS[who];
  const action = not ? ["does not", "do not"][third ? 0 : 1] : "", ending = third && !not ? (verb[7] === "wash" ? "es" : "s") : "";
  const join = (...words) => words.filter(Boolean).join(" ");
  return [
    join(now && "maintenant", subject, not && "ne", verb[who], not && "pas", article[gender], small && ["petit", "petite"][gender], noun[0], colored && color[gender]),
    join(english, action, verb[7] + ending, article[2], small && "small", colored && color[2], noun[1], now && "now")];
}

/* ---- Numbers in words ---- */

const ONES = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split(" ");
const TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split(" ");

function numberInWords(number) {
  if (number < 20) return ONES[number];
  if (number < 100) return TENS[Math.floor(number / 10) - 2] + (number % 10 > 0 ? ` ${ONES[number % 10]}` : "");
  const [unit, name] = number < 1000 ? [100, "hundred"] : [1000, "thousand"], rest = number % unit;
  return `${numberInWords(Math.floor(number / unit))} ${name}${rest === 0 ? "" : `${rest < 100 ? " and" : ""} ${numberInWords(rest)}`}`;
}

function numberPair(dice) {
  const number = 1 + dice(10 ** (1 + dice(4)) - 1);
  return [[...String(number)].join(" "), numberInWords(number)];
}

/* ---- Dates: every part moves, and the day of the week has no counterpart. ---- */

const MONTHS = "January February March April May June July August September October November December".split(" ");
const WEEKDAYS = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday".split(" ");

function datePair(dice) {
  const day = new Date(Date.UTC(2000 + dice(40), dice(12), 1 + dice(28)));
  const [year, month, date] = [day.getUTCFullYear(), MONTHS[day.getUTCMonth()], day.getUTCDate()];
  const spelled = dice(2) === 0 ? `${date} ${month} ${year}` : `${month} ${date} , ${year}`;
  const two = (number) => String(number).padStart(2, "0");
  return [dice(2) === 0 ? `${WEEKDAYS[day.getUTCDay()]} ${spelled}` : spelled, `${year} ${two(day.getUTCMonth() + 1)} ${two(date)}`];
}

/* ---- Letters in reverse order ---- */

function letterPair(dice) {
  const letters = Array.from({ length: 3 + dice(5) }, () => "abcdefgh"[dice(8)]);
  return [letters.join(" "), [...letters].reverse().join(" ")];
}

/* ---- The sets ---- */

/* `learned` and `held` are numbers of pairs. */
const MADE_SETS = {
  french: { pair: frenchPair, learned: 900, held: 100, epochs: 20 },
  numbers: { pair: numberPair, learned: 900, held: 100, epochs: 20 },
  dates: { pair: datePair, learned: 900, held: 100, epochs: 20 },
  letters: { pair: letterPair, learned: 1500, held: 100, epochs: 20 },
};

/* Return {lines, given} of a set; no source occurs twice. */
function madeSet(name) {
  const { pair, learned, held } = MADE_SETS[name], dice = diceOf(1), found = new Map();
  while (found.size < learned + held) {
    const [source, target] = pair(dice);
    found.set(source, target);
  }
  const lines = [...found].map((sides) => sides.join("\t"));
  return { lines: lines.slice(0, learned), given: `${lines.slice(learned).join("\n")}\n` };
}
