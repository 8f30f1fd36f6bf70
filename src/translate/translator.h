/* One sentence of text to its translation as text, with what attention saw. */
#ifndef ELMAN_TRANSLATE_TRANSLATOR_H
#define ELMAN_TRANSLATE_TRANSLATOR_H

#include "inspect/translation.h"
#include "translate/search.h"

/* Time and memory grow with the square of a sentence's length; beyond this it is refused. */
enum { MAX_SENTENCE_TOKENS = 5000 };

/* Scratch for one translation after the other, and the parts of the last one. */
struct translator {
  const struct model *model; /* borrowed */
  struct search search;
  struct hypothesis hypothesis;
  struct encoding source, reference;
  struct buffer text; /* the translation */
};

/* Allocates nothing yet. */
void translator_create(struct translator *translator, const struct model *model);
void translator_free(struct translator *translator);

/* Translates `source`; what came out stays in the translator until the next call. With `reference`
 * (bytes not NULL) the decoder is forced to give that. `limit` is the largest number of target
 * tokens; 0 = 2 S + 10. Invalid UTF-8 and a sentence that is too long are STATUS_BAD_DATA. A
 * sentence without tokens gives an empty hypothesis and empty text. */
enum status translator_run(struct translator *translator, struct text source, struct text reference,
                           size_t limit, struct error *error) CHECKED;

/* A translation that owns its memory. */
struct kept_translation {
  struct translation view;
  struct arena arena;
};

/* Copies the last translation. */
enum status translator_keep(struct kept_translation *kept, const struct translator *translator,
                            struct error *error) CHECKED;

#endif
