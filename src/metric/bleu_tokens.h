/* The tokenisers of BLEU, which are part of its definition: sacreBLEU's, byte for byte. */
#ifndef ELMAN_METRIC_BLEU_TOKENS_H
#define ELMAN_METRIC_BLEU_TOKENS_H

#include "vocab/tokens.h"

/*   13a   mteval-v13a, for European languages: entities, punctuation apart, numbers whole
 *   zh    each Chinese character and full-width sign apart, the rest as in 13a without entities
 *   char  each character
 *   none  at white space */
enum bleu_tokenizer { BLEU_13A, BLEU_ZH, BLEU_CHAR, BLEU_NONE };

/* Of a bleu_tokenizer: "13a", "zh", "char", "none"; NULL for anything else. */
const char *bleu_tokenizer_name(size_t tokenizer);

/* Scratch of tokenising. Start from all zero. */
struct bleu_passes {
  struct buffer before, after; /* each pass reads the one, writes the other */
};
void bleu_passes_free(struct bleu_passes *passes);

/* Replaces what was in `tokens`. `line` is valid UTF-8 and lies elsewhere. */
elman_status bleu_tokenize(struct tokens *tokens, struct bleu_passes *passes, struct text line,
                           enum bleu_tokenizer tokenizer, elman_error *error) CHECKED;

/* White space for Python: Unicode's and the four ASCII separators U+001C to U+001F. */
bool is_python_space(int codepoint);

#endif
