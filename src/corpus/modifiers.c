#include "corpus/modifiers.h"

#include <string.h>

#include "vocab/characters.h"
#include "vocab/marks.h"
#include "vocab/scripts.h"

/* ---- final marks, joining ---- */

bool drop_final_marks(struct buffer *text) {
  const struct marks_range marks = final_marks(buffer_text(text));
  if (marks.start == marks.end) return false;
  memmove(text->bytes + marks.start, text->bytes + marks.end, text->length - marks.end);
  buffer_cut(text, text->length - (marks.end - marks.start));
  return true;
}

static int last_character(struct text text) {
  size_t at = text.length;
  if (at == 0) return 0;
  do at--;
  while (at > 0 && continues_character(text.bytes[at]));
  return character_at(text, &at);
}

void append_space_before(struct buffer *text, struct text next, elman_token_mode mode) {
  size_t at = 0;
  if (text->length == 0 || next.length == 0) return;
  if (mode == ELMAN_TOKENS_SPACE ||
      !(is_unspaced(last_character(buffer_text(text))) || is_unspaced(character_at(next, &at))))
    buffer_append(text, " ", 1);
}

/* ---- case ---- */

static bool has_case(enum script script) {
  return script == SCRIPT_LATIN || script == SCRIPT_GREEK || script == SCRIPT_CYRILLIC ||
         script == SCRIPT_ARMENIAN;
}

static bool is_cased_letter(int codepoint) {
  return has_case(script_of(codepoint)) && is_word_character(codepoint);
}

static bool is_digit(int codepoint) {
  return codepoint >= '0' && codepoint <= '9';
}

struct text next_word(struct text text, size_t *at, bool digits) {
  bool (*const is_kind)(int codepoint) = digits ? is_digit : is_cased_letter;
  const size_t start = run_end(text, *at, is_kind, false);
  *at = run_end(text, start, is_kind, true);
  return (struct text){text.bytes + start, *at - start};
}

bool contains_word(struct text text, struct text word, bool digits) {
  for (size_t at = 0; at < text.length;)
    if (text_equal(next_word(text, &at, digits), word)) return true;
  return false;
}

/* Greek capitals are written without the accent. */
static int upper(int codepoint) {
  static const int greek[][2] = {{0x390, 0x3AA}, {0x3AC, 0x391}, {0x3AD, 0x395},
                                 {0x3AE, 0x397}, {0x3AF, 0x399}, {0x3B0, 0x3AB},
                                 {0x3CC, 0x39F}, {0x3CD, 0x3A5}, {0x3CE, 0x3A9}};
  for (size_t i = 0; i < sizeof greek / sizeof *greek; i++)
    if (greek[i][0] == codepoint) return greek[i][1];
  return has_case(script_of(codepoint)) ? utf8proc_toupper(codepoint) : codepoint;
}

static void append_upper(struct buffer *into, struct text text) {
  enum { SHARP_S = 0xDF };
  for (size_t at = 0; at < text.length;) {
    const int codepoint = character_at(text, &at);
    if (codepoint == SHARP_S)
      buffer_append(into, "SS", 2);
    else
      buffer_append_character(into, upper(codepoint));
  }
}

/* A word follows white space and opening marks; "don't" and "10th" are one word. */
static void append_title(struct buffer *into, struct text text) {
  bool begins = true;
  for (size_t at = 0; at < text.length;) {
    const int codepoint = character_at(text, &at);
    const bool cased = has_case(script_of(codepoint));
    buffer_append_character(into, begins && cased ? utf8proc_totitle(codepoint) : codepoint);
    begins = is_white_space(codepoint) || (begins && !is_word_character(codepoint));
  }
}

static void append_case(struct buffer *into, struct text text, enum letter_case letter_case) {
  if (letter_case == UPPER_CASE)
    append_upper(into, text);
  else
    append_title(into, text);
}

/* Replace `into` by `text`, and change the words that `other` also contains. */
static void change_common_words(struct buffer *into, struct text text, struct text other,
                                enum letter_case letter_case) {
  size_t done = 0;
  buffer_clear(into);
  for (size_t at = 0; at < text.length;) {
    const struct text word = next_word(text, &at, false);
    if (word.length < 2 || !contains_word(other, word, false)) continue;
    const size_t start = (size_t)(word.bytes - text.bytes);
    buffer_append(into, text.bytes + done, start - done);
    append_case(into, word, letter_case);
    done = at;
  }
  buffer_append(into, text.bytes + done, text.length - done);
}

bool change_case(struct buffer texts[2], enum letter_case letter_case, struct buffer *scratch) {
  struct letter_counts letters = {{0}};
  struct buffer changed = {0};
  letters_count(&letters, buffer_text(&texts[0]));
  const bool whole = has_case(letters_script(&letters));
  for (int side = 0; side < 2; side++) {
    struct buffer *into = side == 0 ? &changed : scratch;
    const struct text text = buffer_text(&texts[side]);
    buffer_clear(into);
    if (whole)
      append_case(into, text, letter_case);
    else
      change_common_words(into, text, buffer_text(&texts[1 - side]), letter_case);
  }
  const bool changes = !text_equal(buffer_text(&changed), buffer_text(&texts[0]));
  buffer_replace(&texts[0], &changed);
  buffer_replace(&texts[1], scratch);
  buffer_free(&changed);
  return changes;
}

/* ---- typing errors ---- */

enum { SHORTEST_WORD = 3, WORDS_PER_TYPO = 8 };

/* Return whether words of the script consist of letters that are typed one by one, each with a key
 * of its own. */
static bool is_typed(enum script script) {
  return has_case(script) || script == SCRIPT_GEORGIAN || script == SCRIPT_HEBREW ||
         script == SCRIPT_ARABIC;
}

static bool is_typed_letter(int codepoint) {
  const utf8proc_category_t category = utf8proc_category(codepoint);
  return category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_LO &&
         is_typed(script_of(codepoint));
}

/* Return the next run of letters at or after byte *at and its number of letters. */
static struct text next_typed(size_t *letters, struct text text, size_t *at) {
  const size_t start = run_end(text, *at, is_typed_letter, false);
  *letters = 0;
  for (*at = start; *at < text.length; ++*letters) {
    size_t next = *at;
    if (!is_typed_letter(character_at(text, &next))) break;
    *at = next;
  }
  return (struct text){text.bytes + start, *at - start};
}

/* Count the words that are long enough, and their letters. */
static size_t count_typed(size_t *letters, struct text text) {
  size_t words = 0, found;
  *letters = 0;
  for (size_t at = 0; at < text.length;) {
    (void)next_typed(&found, text, &at);
    if (found < SHORTEST_WORD) continue;
    *letters += found;
    words++;
  }
  return words;
}

/* Return the neighbor of a letter on the keyboard, to the right or to the left; the letter itself
 * if the table lacks it. */
static int neighbor(int codepoint, bool right) {
  static const char *const rows[] = {"qwertyuiop",   "asdfghjkl",   "zxcvbnm",
                                     "йцукенгшщзхъ", "фывапролджэ", "ячсмитьбю",
                                     "ςερτυθιοπ",    "ασδφγηξκλ",   "ζχψωβνμ"};
  const int lower = utf8proc_tolower(codepoint);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const struct text row = text_of(rows[i]);
    int before = 0;
    for (size_t at = 0; at < row.length;) {
      const int key = character_at(row, &at);
      if (key == lower) {
        const int after = at < row.length ? character_at(row, &at) : 0;
        const int found = (right && after != 0) || before == 0 ? after : before;
        return lower == codepoint ? found : utf8proc_toupper(found);
      }
      before = key;
    }
  }
  return codepoint;
}

/* Append a word with a typing error at letter `place` of `letters`. */
static void append_typo(struct buffer *into, struct text word, size_t letters, size_t place,
                        struct draws *draws) {
  enum typo { SWAP, DROP, DOUBLE, NEIGHBOR, TYPOS };
  enum typo typo = (enum typo)draw_below(draws, TYPOS);
  const bool right = draw_below(draws, 2) == 1;
  size_t letter = 0;
  if (typo == SWAP && place + 1 == letters) place--;
  for (size_t at = 0; at < word.length; letter++) {
    const int codepoint = character_at(word, &at);
    if (letter != place) {
      buffer_append_character(into, codepoint);
      continue;
    }
    if (typo == NEIGHBOR) buffer_append_character(into, neighbor(codepoint, right));
    if (typo == SWAP) {
      buffer_append_character(into, character_at(word, &at));
      letter++;
    }
    if (typo == SWAP || typo == DOUBLE) buffer_append_character(into, codepoint);
    if (typo == DOUBLE) buffer_append_character(into, codepoint);
  }
}

/* Replace `into` by the text with a typing error at letter `place` of the words that are long
 * enough. */
static void type_badly(struct buffer *into, struct text text, size_t place, struct draws *draws) {
  size_t letters;
  buffer_clear(into);
  for (size_t at = 0; at < text.length;) {
    const size_t before = at;
    const struct text word = next_typed(&letters, text, &at);
    buffer_append(into, text.bytes + before, (size_t)(word.bytes - text.bytes) - before);
    const bool here = letters >= SHORTEST_WORD && place < letters;
    if (here)
      append_typo(into, word, letters, place, draws);
    else
      buffer_append_text(into, word);
    if (here) {
      buffer_append(into, text.bytes + at, text.length - at);
      return;
    }
    if (letters >= SHORTEST_WORD) place -= letters;
  }
}

bool add_typos(struct buffer *text, struct draws *draws, struct buffer *scratch) {
  size_t letters;
  struct letter_counts scripts = {{0}};
  letters_count(&scripts, buffer_text(text));
  if (!is_typed(letters_script(&scripts))) return false;
  const size_t words = count_typed(&letters, buffer_text(text));
  const size_t typos = words == 0 ? 0 : 1 + words / WORDS_PER_TYPO;
  for (size_t i = 0; i < typos; i++) {
    (void)count_typed(&letters, buffer_text(text));
    if (letters == 0) break;
    type_badly(scratch, buffer_text(text), draw_below(draws, letters), draws);
    buffer_replace(text, scratch);
  }
  return typos > 0;
}
