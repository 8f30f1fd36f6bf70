#include <string.h>

#include "vocab/characters.h"
#include "vocab/tokens.h"

static const char *const mode_names[] = {
    [TOKENS_SPACE] = "space",
    [TOKENS_WORDS] = "words",
    [TOKENS_CHARS] = "chars",
    [TOKENS_AUTO] = "auto",
};

enum { MODE_COUNT = sizeof mode_names / sizeof mode_names[0] };

const char *token_mode_name(enum token_mode mode) {
  return (unsigned)mode < MODE_COUNT ? mode_names[mode] : NULL;
}

bool token_mode_parse(enum token_mode *mode, const char *name) {
  for (int i = 0; i < MODE_COUNT; i++) {
    if (strcmp(name, mode_names[i]) == 0) {
      *mode = (enum token_mode)i;
      return true;
    }
  }
  return false;
}

void script_count(struct script_counts *counts, struct text text) {
  int previous = 0, before_previous = 0;
  size_t at = 0;
  while (at < text.length) {
    const int codepoint = character_at(text, &at);
    if (is_han(codepoint)) {
      counts->letters++;
      counts->han++;
      if (is_han(previous))
        counts->han_adjacent++;
      else if (previous == ' ' && is_han(before_previous))
        counts->han_separated++;
    } else if (is_word_character(codepoint) && !is_combining_mark(codepoint)) {
      counts->letters++;
    }
    before_previous = previous;
    previous = codepoint;
  }
}

enum token_mode script_token_mode(const struct script_counts *counts) {
  if (counts->han <= counts->letters / 2) return TOKENS_WORDS;
  /* A fifth of all pairs is a quarter of the others. */
  const bool segmented =
      counts->han_separated > 0 && counts->han_separated >= (counts->han_adjacent + 3) / 4;
  return segmented ? TOKENS_SPACE : TOKENS_CHARS;
}
