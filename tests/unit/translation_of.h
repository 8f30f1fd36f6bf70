/* A translation made of texts, tokens and weights, without a model. */
#ifndef ELMAN_TESTS_TRANSLATION_OF_H
#define ELMAN_TESTS_TRANSLATION_OF_H

#include "elman/translate.h"

/* The text of a side and its tokens, each with its range of bytes. */
struct side_text {
  const char *text;
  size_t count;
  const char *const *tokens;
  const size_t *starts, *ends;
};

/* Return a translation with one head that ended; `known` may be NULL, if it is not read. */
static inline elman_translation translation_of(struct side_text source, const bool *known,
                                               struct side_text target, const float *weights) {
  return (elman_translation){.text = target.text,
                             .source = source.text,
                             .source_count = source.count,
                             .target_count = target.count,
                             .heads = 1,
                             .source_tokens = source.tokens,
                             .source_known = known,
                             .source_starts = source.starts,
                             .source_ends = source.ends,
                             .target_tokens = target.tokens,
                             .target_starts = target.starts,
                             .target_ends = target.ends,
                             .ended = true,
                             .attention = weights,
                             .head_attention = weights};
}

#endif
