#include "vocab/characters.h"
#include "vocab/tokens.h"

/* Han, or a sign or kana beside it. */
static bool are_unspaced(int left, int right) {
  return is_unspaced(left) && is_unspaced(right) && (is_han(left) || is_han(right));
}

void script_count(struct script_counts *counts, struct text text) {
  int previous = 0, before_previous = 0;
  size_t at = 0;
  while (at < text.length) {
    const int codepoint = character_at(text, &at);
    if (are_unspaced(previous, codepoint))
      counts->han_adjacent++;
    else if (previous == ' ' && are_unspaced(before_previous, codepoint))
      counts->han_separated++;
    counts->characters += !is_white_space(codepoint);
    if (is_han(codepoint)) {
      counts->letters++;
      counts->han++;
    } else if (is_word_character(codepoint) && !is_combining_mark(codepoint)) {
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

/* A fifth of all pairs is a quarter of the others. */
static bool is_segmented(const struct script_counts *line) {
  return line->han_separated > 0 && line->han_separated >= (line->han_adjacent + 3) / 4;
}

elman_token_mode script_line_mode(const struct script_counts *line) {
  if (!script_is_han(line)) return ELMAN_TOKENS_WORDS;
  return is_segmented(line) ? ELMAN_TOKENS_SPACE : ELMAN_TOKENS_CHARS;
}

void script_sample_add(struct script_sample *sample, const struct script_counts *line) {
  enum { TELLING_PAIRS = 3 }; /* without a space: few words have four characters */
  if (line->letters == 0) return;
  sample->lines++;
  sample->wide += line->han + line->kana > line->letters / 2;
  if (!script_is_han(line)) return;
  sample->han++;
  if (is_segmented(line))
    sample->spaced++;
  else if (line->han_adjacent >= TELLING_PAIRS)
    sample->unspaced++;
}

elman_token_mode script_token_mode(const struct script_sample *sample) {
  if (sample->han <= sample->lines / 2) return ELMAN_TOKENS_WORDS;
  return sample->spaced > 0 && sample->unspaced <= sample->spaced / 9 ? ELMAN_TOKENS_SPACE
                                                                      : ELMAN_TOKENS_CHARS;
}

elman_normalization script_normalization(const struct script_sample *sample,
                                         elman_normalization asked) {
  return asked == ELMAN_NFKC && sample->wide > sample->lines / 2 ? ELMAN_NFKC_WIDE : asked;
}
