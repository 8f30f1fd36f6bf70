#include "vocab/characters.h"

#include <string.h>

#include "vocab/scripts.h"

bool in_ranges(const struct codepoint_range *ranges, size_t count, int codepoint) {
  for (size_t i = 0; i < count; i++) {
    if (codepoint < ranges[i].first) return false;
    if (codepoint <= ranges[i].last) return true;
  }
  return false;
}

bool is_han(int codepoint) {
  return codepoint >= 0x2E80 && script_of(codepoint) == SCRIPT_HAN;
}

bool is_white_space(int codepoint) {
  if (codepoint < 0x80) return codepoint == ' ' || (codepoint >= '\t' && codepoint <= '\r');
  if (codepoint == 0x85) return true;
  const utf8proc_category_t category = utf8proc_category(codepoint);
  return category == UTF8PROC_CATEGORY_ZS || category == UTF8PROC_CATEGORY_ZL ||
         category == UTF8PROC_CATEGORY_ZP;
}

/* Return whether the category of the character is M*: combining marks, variation selectors. */
static bool is_combining_mark(int codepoint) {
  if (codepoint < 0x300) return false;
  const utf8proc_category_t category = utf8proc_category(codepoint);
  return category == UTF8PROC_CATEGORY_MN || category == UTF8PROC_CATEGORY_MC ||
         category == UTF8PROC_CATEGORY_ME;
}

bool extends_previous(int codepoint) {
  return codepoint == 0x200D || is_combining_mark(codepoint);
}

static bool is_decimal(int codepoint) {
  return utf8proc_category(codepoint) == UTF8PROC_CATEGORY_ND;
}

int decimal_value(int codepoint) {
  if (codepoint < 0x80) return codepoint >= '0' && codepoint <= '9' ? codepoint - '0' : -1;
  if (!is_decimal(codepoint)) return -1;
  /* Unicode has decimal digits in sets of ten, in order from 0. Only the sets of mathematical
   * digits are adjacent to each other. */
  int first = codepoint;
  while (is_decimal(first - 1)) first--;
  return (codepoint - first) % 10;
}

bool is_word_character(int codepoint) {
  if (codepoint < 0x80)
    return (codepoint >= '0' && codepoint <= '9') || (codepoint >= 'A' && codepoint <= 'Z') ||
           (codepoint >= 'a' && codepoint <= 'z');
  const utf8proc_category_t category = utf8proc_category(codepoint);
  /* utf8proc numbers the categories of letters, marks and numbers consecutively. */
  return category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_NO;
}

bool is_unspaced(int codepoint) {
  static const struct codepoint_range unspaced[] = {
      {0x3001, 0x3003}, {0x3008, 0x3011}, {0x3014, 0x301F}, {0x3041, 0x30FF},
      {0x31F0, 0x31FF}, {0xFE30, 0xFE4F}, {0xFF01, 0xFF0F}, {0xFF1A, 0xFF20},
      {0xFF3B, 0xFF40}, {0xFF5B, 0xFF9F}, {0xFFE0, 0xFFE6},
  };
  return is_han(codepoint) || (codepoint >= 0x3001 && IN_RANGES(unspaced, codepoint));
}

bool is_unspaced_letter(int codepoint) {
  return codepoint >= 0xE00 && script_is_unspaced(script_of(codepoint)) &&
         (is_han(codepoint) || is_word_character(codepoint));
}

size_t run_end(struct text text, size_t start, bool (*is_kind)(int codepoint), bool wanted) {
  size_t end = start;
  for (size_t next = start; next < text.length; end = next)
    if (is_kind(character_at(text, &next)) != wanted) break;
  return end;
}

bool is_one_of(const char *characters, int codepoint) {
  char bytes[5] = {0};
  utf8proc_encode_char(codepoint, (utf8proc_uint8_t *)bytes);
  return codepoint != 0 && strstr(characters, bytes) != NULL;
}

enum attachment character_attachment(int codepoint) {
  if (is_word_character(codepoint)) return is_unspaced(codepoint) ? ATTACH_BOTH : ATTACH_NONE;
  if (is_one_of(".,!?;:%)]}°»”…‰", codepoint)) return ATTACH_LEFT;
  if (is_one_of("([{$#¡£¥«¿‘“€", codepoint)) return ATTACH_RIGHT;
  if (is_one_of("'-/_·‐‑–—’", codepoint)) return ATTACH_BOTH;
  return is_unspaced(codepoint) ? ATTACH_BOTH : ATTACH_NONE;
}

/* Return whether the character is printable ASCII or a common ideograph. Two of these never form a
 * grapheme cluster. */
static bool never_clusters(int codepoint) {
  return (codepoint >= 0x20 && codepoint < 0x7F) || (codepoint >= 0x4E00 && codepoint <= 0x9FFF);
}

size_t cluster_end(struct text text, size_t start, int *first) {
  size_t end = start;
  int previous = *first = character_at(text, &end);
  utf8proc_int32_t state = 0;
  while (end < text.length) {
    size_t next_end = end;
    const int next = character_at(text, &next_end);
    if (never_clusters(previous) && never_clusters(next)) break;
    if (utf8proc_grapheme_break_stateful(previous, next, &state)) break;
    previous = next;
    end = next_end;
  }
  return end;
}

/* ---- script ---- */

/* Return whether the characters are written without a space between them. */
static bool are_unspaced(int left, int right) {
  const bool letters[] = {is_unspaced_letter(left), is_unspaced_letter(right)};
  return (letters[0] || is_unspaced(left)) && (letters[1] || is_unspaced(right)) &&
         (letters[0] || letters[1]);
}

void script_count(struct script_counts *counts, struct text text) {
  int previous = 0, before_previous = 0;
  size_t at = 0;
  letters_count(&counts->scripts, text);
  while (at < text.length) {
    const int codepoint = character_at(text, &at);
    if (is_combining_mark(codepoint)) continue;
    if (is_white_space(previous) && is_white_space(codepoint)) continue;
    if (are_unspaced(previous, codepoint))
      counts->adjacent++;
    else if (is_white_space(previous) && are_unspaced(before_previous, codepoint))
      counts->separated++;
    if (is_han(codepoint)) {
      counts->letters++;
      counts->han++;
    } else if (is_word_character(codepoint)) {
      counts->letters++;
      counts->kana += is_unspaced(codepoint);
    }
    before_previous = previous;
    previous = codepoint;
  }
}

bool script_is_han(const struct script_counts *counts) {
  return counts->han > counts->letters / 2;
}

/* Return whether at least a fifth of all pairs have a space, or an eighth if they are not Han. */
static bool is_segmented(const struct script_counts *line, enum script script) {
  const size_t pairs = script == SCRIPT_HAN ? 5 : 8;
  return line->separated > 0 && line->separated >= (line->adjacent + pairs - 2) / (pairs - 1);
}

elman_token_mode script_line_mode(const struct script_counts *line) {
  const enum script script = letters_script(&line->scripts);
  if (!script_is_unspaced(script)) return ELMAN_TOKENS_WORDS;
  return is_segmented(line, script) ? ELMAN_TOKENS_SPACE : ELMAN_TOKENS_CHARS;
}

void script_sample_add(struct script_sample *sample, const struct script_counts *line) {
  enum { TELLING_PAIRS = 3 }; /* minimum number of pairs without a space; few words have as many */
  if (line->letters == 0) return;
  sample->lines++;
  sample->wide += line->han + line->kana > line->letters / 2;
  script_vote(&sample->votes, &line->scripts);
  const enum script script = letters_script(&line->scripts);
  if (!script_is_unspaced(script)) return;
  if (is_segmented(line, script))
    sample->spaced++;
  else if (line->adjacent >= TELLING_PAIRS)
    sample->unspaced++;
}

enum script script_of_sample(const struct script_sample *sample) {
  return script_elected(&sample->votes);
}

elman_token_mode script_token_mode(const struct script_sample *sample) {
  if (!script_is_unspaced(script_of_sample(sample))) return ELMAN_TOKENS_WORDS;
  return sample->spaced > 0 && sample->unspaced <= sample->spaced / 9 ? ELMAN_TOKENS_SPACE
                                                                      : ELMAN_TOKENS_CHARS;
}

elman_normalization script_normalization(const struct script_sample *sample, bool is_source,
                                         elman_normalization asked) {
  const bool wide = sample->wide > sample->lines / 2;
  if (asked == ELMAN_NORMALIZATION_AUTO_LOWER && is_source && !wide) return ELMAN_NFKC_LOWER;
  if (asked == ELMAN_NORMALIZATION_AUTO || asked == ELMAN_NORMALIZATION_AUTO_LOWER)
    asked = is_source ? ELMAN_NFKC : ELMAN_NFC;
  return asked == ELMAN_NFKC && wide ? ELMAN_NFKC_WIDE : asked;
}
