/* Sentences of text to their translations as text, with what attention saw: a batch at a time. */
#ifndef ELMAN_TRANSLATE_TRANSLATOR_H
#define ELMAN_TRANSLATE_TRANSLATOR_H

#include "translate/rendering.h"
#include "translate/search.h"
#include "translate/self_weights.h"
#include "translate/translator_item.h"

elman_translate_options translate_options_default(void); /* greedy search */

/* Scratch for one batch after the other, and the parts of the last one. */
struct translator {
  const struct model *model;   /* borrowed */
  const struct screen *screen; /* as in search_run; borrowed */
  struct search search;
  struct self_weights self; /* of the translation that was given out last */
  struct translator_item *items;
  struct search_request *requests;
  struct renderings renderings; /* of the item that was rendered last, one a hypothesis */
  size_t count, item_capacity, request_capacity;
  size_t heads;               /* matrices of attention weights */
  struct attention_cuts cuts; /* of the source into segments */
  bool has_sentinel, replace_unknown, forced, self_attention;
};

/* Allocates nothing yet. */
void translator_create(struct translator *translator, const struct model *model,
                       const struct screen *screen);
void translator_free(struct translator *translator);

/* Translates `count` sentences, of which all have references, which the decoder is forced to give,
 * or none. What came out stays in the translator until the next call. A sentence with invalid
 * UTF-8, one that is too long in bytes or tokens, and one whose numbers overflow have
 * ELMAN_BAD_DATA in their item, which fails no other. */
elman_status translator_run(struct translator *translator, const elman_sentence *sentences,
                            size_t count, const elman_translate_options *options,
                            elman_error *error) CHECKED;

/* How many hypotheses were found for item i; none if it has no tokens. */
size_t translator_hypotheses(const struct translator *translator, size_t i);

/* Makes `renderings` of item i, whose status is ELMAN_OK: its hypotheses, or an empty one. */
elman_status translator_render(struct translator *translator, size_t i, size_t count,
                               elman_error *error) CHECKED;

/* The best translation of item i, whose status is ELMAN_OK, as text alone, until the next call. */
elman_status translator_text(struct text *text, struct translator *translator, size_t i,
                             elman_error *error) CHECKED;

#endif
