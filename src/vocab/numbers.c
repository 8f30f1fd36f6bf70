#include "vocab/numbers.h"

#include <string.h>
#include <strings.h>

#include "vocab/characters.h"

/* ---- digits ---- */

/* The digits of a number. Digits after the first MOST_DIGITS are ignored. */
enum { MOST_DIGITS = 40 };

struct digits {
  char of[MOST_DIGITS];
  size_t count;
};

static void add_digit(struct digits *digits, char digit) {
  if (digits->count < MOST_DIGITS) digits->of[digits->count++] = digit;
}

/* Return the digits of a part of a text. */
static struct digits digits_in(struct text text, size_t start, size_t end) {
  struct digits digits = {.count = 0};
  while (start < end) {
    const int value = decimal_value(character_at(text, &start));
    if (value >= 0) add_digit(&digits, (char)('0' + value));
  }
  return digits;
}

static struct digits without_zeros(const struct digits *digits) {
  struct digits result = {.count = 0};
  for (size_t i = 0; i < digits->count; i++)
    if (digits->of[i] != '0') add_digit(&result, digits->of[i]);
  return result;
}

/* Return the digits without the zeros at both ends. */
static struct text significant(const struct digits *digits) {
  size_t start = 0, end = digits->count;
  while (start < end && digits->of[start] == '0') start++;
  while (end > start && digits->of[end - 1] == '0') end--;
  return (struct text){digits->of + start, end - start};
}

/* Return whether a translation must have the number. */
static bool is_required(const struct digits *digits) {
  return digits->count >= 3 && significant(digits).length > 1;
}

/* ---- numbers in digits ---- */

enum { MOST_PARTS = 8 };

/* A number in digits, and its parts between separators: 1,234.56 has three. A date such as
 * 31.12.1999 also reads as such a number. */
struct written_number {
  struct {
    size_t start, end;
    bool grouped; /* the part has the three digits after a thousands separator */
  } parts[MOST_PARTS];
  size_t count;
};

static bool is_digit(int codepoint) {
  return decimal_value(codepoint) >= 0;
}

static bool is_thousands_separator(int codepoint) {
  return is_one_of(",，٬'’ \u00A0\u2009\u202F", codepoint);
}

static bool is_point(int codepoint) {
  return is_one_of(".．٫", codepoint);
}

/* If another part follows the last part of the number, which ends at `at`, add this other part and
 * return true. Return false if no part follows. */
static bool read_part(struct written_number *number, struct text text, size_t at) {
  if (number->count == MOST_PARTS || at >= text.length) return false;
  size_t start = at;
  const int separator = character_at(text, &start);
  const size_t end = run_end(text, start, is_digit, true);
  const size_t previous = number->count - 1;
  const bool grouped =
      is_thousands_separator(separator) && digits_in(text, start, end).count == 3 &&
      digits_in(text, number->parts[previous].start, number->parts[previous].end).count <= 3;
  if (end == start || !(grouped || is_point(separator) || separator == ',')) return false;
  number->parts[number->count].start = start;
  number->parts[number->count].end = end;
  number->parts[number->count++].grouped = grouped;
  return true;
}

/* Read the next number at or after *at, and advance *at to its end. Return false if there is none.
 */
static bool next_number(struct written_number *number, struct text text, size_t *at) {
  const size_t start = run_end(text, *at, is_digit, false);
  *at = run_end(text, start, is_digit, true);
  number->parts[0].start = start;
  number->parts[0].end = *at;
  number->parts[0].grouped = false;
  number->count = 1;
  while (read_part(number, text, *at)) *at = number->parts[number->count - 1].end;
  return start < text.length;
}

/* Return the digits of parts `first` to `last`. */
static struct digits digits_of_parts(const struct written_number *number, struct text text,
                                     size_t first, size_t last) {
  return digits_in(text, number->parts[first].start, number->parts[last].end);
}

/* Return whether adjacent parts of a number in the text have the wanted significant digits. If only
 * two digits are wanted, the parts must have exactly two. */
static bool has_in_digits(struct text text, const struct digits *wanted) {
  struct written_number number;
  for (size_t at = 0; next_number(&number, text, &at);)
    for (size_t first = 0; first < number.count; first++)
      for (size_t last = first; last < number.count; last++) {
        const struct digits found = digits_of_parts(&number, text, first, last);
        if (text_equal(significant(&found), significant(wanted)) &&
            (wanted->count > 2 || found.count == wanted->count))
          return true;
      }
  return false;
}

/* ---- numbers in words ---- */

/* A word of a number: its digits, or the power of ten that it stands for. */
struct numeral {
  const char *word, *digits;
  unsigned power;
};

static const struct numeral numerals[] = {
    {"〇", "", 0},          {"零", "", 0},         {"一", "1", 0},        {"二", "2", 0},
    {"两", "2", 0},         {"兩", "2", 0},        {"三", "3", 0},        {"四", "4", 0},
    {"五", "5", 0},         {"六", "6", 0},        {"七", "7", 0},        {"八", "8", 0},
    {"九", "9", 0},         {"十", "", 1},         {"百", "", 2},         {"千", "", 3},
    {"万", "", 4},          {"萬", "", 4},         {"亿", "", 8},         {"億", "", 8},
    {"one", "1", 0},        {"two", "2", 0},       {"three", "3", 0},     {"four", "4", 0},
    {"five", "5", 0},       {"six", "6", 0},       {"seven", "7", 0},     {"eight", "8", 0},
    {"nine", "9", 0},       {"ten", "1", 0},       {"eleven", "11", 0},   {"twelve", "12", 0},
    {"thirteen", "13", 0},  {"fourteen", "14", 0}, {"fifteen", "15", 0},  {"sixteen", "16", 0},
    {"seventeen", "17", 0}, {"eighteen", "18", 0}, {"nineteen", "19", 0}, {"twenty", "2", 0},
    {"thirty", "3", 0},     {"forty", "4", 0},     {"fifty", "5", 0},     {"sixty", "6", 0},
    {"seventy", "7", 0},    {"eighty", "8", 0},    {"ninety", "9", 0},    {"hundred", "", 2},
    {"thousand", "", 3},    {"million", "", 6},    {"billion", "", 9},    {"trillion", "", 12}};

static bool is_ascii_letter(int codepoint) {
  return (codepoint >= 'A' && codepoint <= 'Z') || (codepoint >= 'a' && codepoint <= 'z');
}

/* Return the next word of Latin letters, or the next character, and advance *at to its end. */
static struct text next_word(struct text text, size_t *at) {
  const size_t start = *at;
  *at = run_end(text, start, is_ascii_letter, true);
  if (*at == start) (void)character_at(text, at);
  return (struct text){text.bytes + start, *at - start};
}

static bool is_word(struct text word, const char *other) {
  return strlen(other) == word.length && strncasecmp(word.bytes, other, word.length) == 0;
}

static const struct numeral *find_numeral(struct text word) {
  for (size_t i = 0; i < sizeof numerals / sizeof *numerals; i++)
    if (is_word(word, numerals[i].word)) return &numerals[i];
  return NULL;
}

/* Return whether the word may stand between the words of a number. */
static bool is_connective(struct text word) {
  static const char *const words[] = {" ", "-", "and", "点", "點"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (is_word(word, words[i])) return true;
  return false;
}

/* The part of a number in words, also mixed with digits (1亿5000万), that has been read. */
struct spelled {
  struct digits digits; /* without zeros */
  size_t words;
  bool has_numeral; /* not only digits */
  unsigned power;   /* of the last word; 0 for digits */
};

/* Add a word. Return false if it is not part of a number. */
static bool add_word(struct spelled *number, struct text word) {
  size_t at = 0;
  const int digit = decimal_value(character_at(word, &at));
  const struct numeral *numeral = digit >= 0 ? NULL : find_numeral(word);
  if (digit < 0 && numeral == NULL) return number->words > 0 && is_connective(word);
  const unsigned power = numeral == NULL ? 0 : numeral->power;
  if (digit > 0) add_digit(&number->digits, (char)('0' + digit));
  for (size_t i = 0; numeral != NULL && numeral->digits[i] != '\0'; i++)
    add_digit(&number->digits, numeral->digits[i]);
  /* 百二十 is 一百二十, and "a hundred" is "one hundred". */
  if (power > 0 && (number->words == 0 || power < number->power)) add_digit(&number->digits, '1');
  number->words++;
  number->has_numeral = number->has_numeral || numeral != NULL;
  number->power = power;
  return true;
}

/* Return whether several words of the text are a number with the wanted digits, apart from zeros,
 * which words do not show. */
static bool has_in_words(struct text text, const struct digits *wanted) {
  const struct digits digits = without_zeros(wanted);
  struct spelled number = {.words = 0};
  for (size_t at = 0; at < text.length;) {
    if (add_word(&number, next_word(text, &at)) && at < text.length) continue;
    if (number.has_numeral && number.words > 1 &&
        text_equal(significant(&number.digits), significant(&digits)))
      return true;
    number = (struct spelled){.words = 0};
  }
  return false;
}

/* ---- missing numbers ---- */

static bool has(struct text text, const struct digits *wanted) {
  if (has_in_digits(text, wanted) || has_in_words(text, wanted)) return true;
  if (wanted->count != 4) return false;
  const struct digits year = {.of = {wanted->of[2], wanted->of[3]}, .count = 2};
  return has_in_digits(text, &year) || has_in_words(text, &year);
}

/* Return whether the text has the parts of the number one by one, as in a list: 305，120. */
static bool has_each(struct text text, const struct written_number *number, struct text source,
                     size_t first, size_t last) {
  size_t required = 0;
  for (size_t i = first; i <= last; i++) {
    const struct digits part = digits_of_parts(number, source, i, i);
    if (!is_required(&part)) continue;
    if (!has(text, &part)) return false;
    required++;
  }
  return required > 0;
}

/* Return the first part of the number that the translation lacks. A part includes its groups of
 * thousands. */
static struct text missing_part(const struct written_number *number, struct text source,
                                struct text translation) {
  const struct digits whole = digits_of_parts(number, source, 0, number->count - 1);
  for (size_t first = 0, last; first < number->count; first = last + 1) {
    for (last = first; last + 1 < number->count && number->parts[last + 1].grouped;) last++;
    const struct digits wanted = digits_of_parts(number, source, first, last);
    if (is_required(&wanted) && !has(translation, &wanted) && !has(translation, &whole) &&
        !has_each(translation, number, source, first, last))
      return (struct text){source.bytes + number->parts[first].start,
                           number->parts[last].end - number->parts[first].start};
  }
  return (struct text){0};
}

struct text number_missing(struct text source, struct text translation) {
  struct written_number number;
  for (size_t at = 0; next_number(&number, source, &at);) {
    const struct text missing = missing_part(&number, source, translation);
    if (missing.length > 0) return missing;
  }
  return (struct text){0};
}
