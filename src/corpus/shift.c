#include "corpus/shift.h"

#include <stdlib.h>
#include <string.h>

#include "base/portable_math.h"
#include "corpus/side_words.h"
#include "vocab/characters.h"

/* The longest shift in lines; the number of distances between a source and its target. */
enum { LONGEST_SHIFT = 3, DISTANCES = 2 * LONGEST_SHIFT + 1 };

/* ---- properties of a text ---- */

enum { WORDS_KEPT = 6 };

/* Properties of a text that the shift check compares. */
struct outline {
  uint64_t hash;    /* of the text */
  float log_length; /* logarithm of the length in characters */
  uint32_t digits;  /* hash of the numbers in any order; 0 = none */
  uint32_t
      words[WORDS_KEPT]; /* hashes of words that may stay the same in a translation; 0 = none */
  bool question, exclamation, quotation;
};

/* Return the value of a decimal digit of any script; -1 for another character. */
static int digit_value(int codepoint) {
  if (codepoint < 0x80) return codepoint >= '0' && codepoint <= '9' ? codepoint - '0' : -1;
  if (utf8proc_category(codepoint) != UTF8PROC_CATEGORY_ND) return -1;
  /* In the blocks of scripts of India the digits start at 6. In other blocks they start at 0. */
  const int nibble = codepoint & 0xF;
  return codepoint >= 0x900 && codepoint < 0xE00 ? nibble - 6 : nibble;
}

static void note_character(struct outline *outline, int codepoint) {
  switch (codepoint) {
  case '?':
  case 0x37E:  /* Greek */
  case 0x55E:  /* Armenian */
  case 0x61F:  /* Arabic */
  case 0x1367: /* Ethiopic */
  case 0xFF1F:
    outline->question = true;
    break;
  case '!':
  case 0x55C:
  case 0xFF01:
    outline->exclamation = true;
    break;
  default:
    if (codepoint != '\'' && codepoint != 0x2019 && codepoint != '?')
      outline->quotation = outline->quotation || is_one_of("\"«»“”„「」『』", codepoint);
  }
}

/* Keep words that may be equal on both sides, such as names and loanwords: those with a capital
 * letter, and those of at least five bytes. */
static void note_words(struct outline *outline, struct text text) {
  enum { LONG_WORD = 5 };
  uint64_t hash;
  size_t start = 0, end, kept = 0;
  while (kept < WORDS_KEPT && (end = side_word_next(&hash, text, &start)) > 0) {
    const char first = text.bytes[start];
    if ((first >= 'A' && first <= 'Z' && end - start > 1) || end - start >= LONG_WORD)
      outline->words[kept++] = (uint32_t)(hash ^ hash >> 32) | 1;
    start = end;
  }
}

static struct outline outline_of(struct text text) {
  static const double SHORT = 3; /* added to lengths, because short texts vary more */
  struct outline outline = {.hash = text_hash(text)};
  size_t characters = 0;
  uint64_t number = HASH_START;
  bool in_number = false;
  for (size_t at = 0; at < text.length;) {
    const int codepoint = character_at(text, &at), digit = digit_value(codepoint);
    characters += !is_white_space(codepoint);
    if (digit >= 0) {
      const char value = (char)digit;
      number = hash_bytes(number, &value, 1);
      in_number = true;
    } else if (in_number) {
      outline.digits += (uint32_t)(number ^ number >> 32) | 1;
      number = HASH_START;
      in_number = false;
    }
    if (digit < 0) note_character(&outline, codepoint);
  }
  if (in_number) outline.digits += (uint32_t)(number ^ number >> 32) | 1;
  note_words(&outline, text);
  outline.log_length = (float)portable_log((double)characters + SHORT);
  return outline;
}

/* ---- how a source and a target fit ---- */

enum { QUESTION, EXCLAMATION, QUOTATION, NUMBERS, WORDS, RELATIONS };
enum { STATES = 4 };

struct shift_lines {
  struct outline *sides[2]; /* (count) */
  size_t count;
  double log_ratio; /* mean of target length minus source length, as logarithms */
};

static int relation(int kind, const struct outline *source, const struct outline *target) {
  switch (kind) {
  case QUESTION:
    return 2 * source->question + target->question;
  case EXCLAMATION:
    return 2 * source->exclamation + target->exclamation;
  case QUOTATION:
    return 2 * source->quotation + target->quotation;
  case NUMBERS:
    if (source->digits == target->digits) return source->digits != 0;
    return source->digits != 0 && target->digits != 0 ? 3 : 2;
  default:
    break;
  }
  int common = 0;
  for (int i = 0; i < WORDS_KEPT && source->words[i] != 0; i++)
    for (int j = 0; j < WORDS_KEPT && target->words[j] != 0; j++)
      common += source->words[i] == target->words[j];
  return common > 2 ? 2 : common;
}

/* Return how far the difference of the lengths is from the usual difference. Limit the result,
 * because a few lines have very unequal lengths. */
static double unlikeness(const struct shift_lines *lines, const struct outline *source,
                         const struct outline *target) {
  static const double MOST = 1.5;
  const double difference =
      (double)target->log_length - (double)source->log_length - lines->log_ratio;
  return difference > MOST ? MOST : difference < -MOST ? -MOST : difference;
}

/* Sums over the pairs of lines whose distance is a given number of lines. */
struct statistics {
  double pairs;
  double states[RELATIONS][STATES]; /* number of pairs in each state */
  double squares;                   /* sum of the squared unlikeness */
};

/* Add the lines whose target is `lines_on` lines after the source. */
static void add_statistics(struct statistics *sums, const struct shift_lines *lines, int lines_on) {
  const ptrdiff_t count = (ptrdiff_t)lines->count;
  for (ptrdiff_t i = 0; i < count; i++) {
    if (i + lines_on < 0 || i + lines_on >= count) continue;
    const struct outline *source = &lines->sides[0][i], *target = &lines->sides[1][i + lines_on];
    const double unlike = unlikeness(lines, source, target);
    sums->squares += unlike * unlike;
    sums->pairs++;
    for (int kind = 0; kind < RELATIONS; kind++)
      sums->states[kind][relation(kind, source, target)]++;
  }
}

/* Logarithms of the likelihood ratios between translations and neighboring lines. */
struct weights {
  double states[RELATIONS][STATES];
  double constant, squared; /* coefficients of the unlikeness of the lengths */
  double information;       /* mean weight of translations, which measures how well they can be
                               distinguished */
};

static struct weights weights_of(const struct statistics *linked, const struct statistics *others) {
  static const double PRIOR = 20; /* pairs added to both statistics, in the same proportions */
  struct weights weights = {0};
  for (int kind = 0; kind < RELATIONS; kind++) {
    for (int state = 0; state < STATES; state++) {
      const double a = linked->states[kind][state], b = others->states[kind][state];
      const double both = PRIOR * (a + b + 1) / (linked->pairs + others->pairs + STATES);
      const double p = (a + both) / (linked->pairs + PRIOR);
      const double q = (b + both) / (others->pairs + PRIOR);
      weights.states[kind][state] = portable_log(p / q);
      weights.information += p * weights.states[kind][state];
    }
  }
  static const double LEAST = 0.01;
  const double of_linked = linked->squares / linked->pairs + LEAST;
  const double of_others = others->squares / others->pairs + LEAST;
  if (of_linked >= of_others) return weights;
  weights.constant = portable_log(of_others / of_linked) / 2;
  weights.squared = (1 / of_linked - 1 / of_others) / 2;
  weights.information += weights.constant - weights.squared * linked->squares / linked->pairs;
  return weights;
}

/* Return the logarithm of the likelihood ratio that the target translates the source. */
static double fit(const struct weights *weights, const struct shift_lines *lines, size_t source,
                  size_t target) {
  const struct outline *from = &lines->sides[0][source], *to = &lines->sides[1][target];
  const double unlike = unlikeness(lines, from, to);
  double sum = weights->constant - weights->squared * unlike * unlike;
  for (int kind = 0; kind < RELATIONS; kind++)
    sum += weights->states[kind][relation(kind, from, to)];
  return sum;
}

/* Estimate the weights with the distance at which translations are easiest to distinguish. This
 * distance is 0 unless most of the corpus is shifted. Compare translations with lines nearby,
 * because a corpus may be sorted by length. */
static struct weights estimate_weights(const struct shift_lines *lines) {
  enum { NEARBY = LONGEST_SHIFT + 2 };
  struct statistics others = {0};
  struct weights best = {0};
  add_statistics(&others, lines, NEARBY);
  add_statistics(&others, lines, -NEARBY);
  for (int lines_on = -LONGEST_SHIFT; lines_on <= LONGEST_SHIFT; lines_on++) {
    struct statistics linked = {0};
    add_statistics(&linked, lines, lines_on);
    const struct weights weights = weights_of(&linked, &others);
    if (weights.information > best.information) best = weights;
  }
  return best;
}

/* ---- the shifts ---- */

/* Return whether lines `at` and `other` have an equal side. Such lines fit in both places. */
static bool repeats(const struct shift_lines *lines, size_t at, size_t other) {
  return lines->sides[0][at].hash == lines->sides[0][other].hash ||
         lines->sides[1][at].hash == lines->sides[1][other].hash;
}

/* Set `scores` to how well the source of line `at` fits the target of each distance. */
static void score_line(double scores[DISTANCES], const struct weights *weights,
                       const struct shift_lines *lines, size_t at) {
  static const double DRIFT = 0.05; /* subtracted from scores: noise must not add up to a shift */
  static const double MOST = 3;     /* limit: a few strange lines must not look like a shift */
  const double here = fit(weights, lines, at, at);
  for (int distance = 0; distance < DISTANCES; distance++) {
    const ptrdiff_t other = (ptrdiff_t)at + distance - LONGEST_SHIFT;
    const bool exists = other >= 0 && other < (ptrdiff_t)lines->count;
    scores[distance] = here;
    if (exists && !repeats(lines, at, (size_t)other))
      scores[distance] = fit(weights, lines, at, (size_t)other);
    if (scores[distance] > here + MOST) scores[distance] = here + MOST;
    if (distance != LONGEST_SHIFT) scores[distance] -= DRIFT;
  }
}

/* Find the sequence of distances with the highest sum of scores (Viterbi). A change to a distance
 * other than 0 costs the evidence that a shift needs. `before` is scratch memory. */
static void find_path(signed char *lines_on, unsigned char (*before)[DISTANCES],
                      const struct weights *weights, const struct shift_lines *lines) {
  static const double EVIDENCE = 25;
  double sums[DISTANCES], scores[DISTANCES];
  for (int to = 0; to < DISTANCES; to++) sums[to] = to == LONGEST_SHIFT ? 0 : -EVIDENCE;
  for (size_t i = 0; i < lines->count; i++) {
    int best = 0;
    for (int from = 1; from < DISTANCES; from++)
      if (sums[from] > sums[best]) best = from;
    const double highest = sums[best];
    score_line(scores, weights, lines, i);
    for (int to = 0; to < DISTANCES; to++) {
      const double changed = to == LONGEST_SHIFT ? highest : highest - EVIDENCE;
      before[i][to] = (unsigned char)(changed > sums[to] ? best : to);
      sums[to] = (changed > sums[to] ? changed : sums[to]) + scores[to];
    }
  }
  int at = LONGEST_SHIFT;
  for (int to = 0; to < DISTANCES; to++)
    if (sums[to] > sums[at]) at = to;
  for (size_t i = lines->count; i-- > 0;) {
    lines_on[i] = (signed char)(at - LONGEST_SHIFT);
    at = before[i][at];
  }
}

static elman_status outline_lines(struct shift_lines *lines, const elman_pairs *pairs, size_t first,
                                  elman_error *error) {
  double sum = 0;
  for (int side = 0; side < 2; side++) {
    lines->sides[side] = calloc(lines->count, sizeof *lines->sides[side]);
    if (lines->sides[side] == NULL) return fail_no_memory(error);
  }
  for (size_t i = 0; i < lines->count; i++) {
    const struct pair pair = pairs_get(pairs, first + i);
    lines->sides[0][i] = outline_of(pair.source);
    lines->sides[1][i] = outline_of(pair.target);
    sum += (double)lines->sides[1][i].log_length - (double)lines->sides[0][i].log_length;
  }
  lines->log_ratio = sum / (double)lines->count;
  return ELMAN_OK;
}

elman_status shifts_find(signed char **lines_on, const elman_pairs *pairs, size_t first,
                         size_t count, elman_error *error) {
  struct shift_lines lines = {.count = count};
  elman_status status = outline_lines(&lines, pairs, first, error);
  unsigned char(*before)[DISTANCES] = calloc(lines.count, sizeof *before);
  *lines_on = calloc(lines.count, sizeof **lines_on);
  if (status == ELMAN_OK && (before == NULL || *lines_on == NULL)) status = fail_no_memory(error);
  if (status == ELMAN_OK && lines.count > DISTANCES) {
    const struct weights weights = estimate_weights(&lines);
    find_path(*lines_on, before, &weights, &lines);
  }
  if (status != ELMAN_OK) {
    free(*lines_on);
    *lines_on = NULL;
  }
  free(before);
  free(lines.sides[0]);
  free(lines.sides[1]);
  return status;
}
