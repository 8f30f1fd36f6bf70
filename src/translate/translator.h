/* Sentences of text to their translations as text, with what attention saw: a batch at a time. */
#ifndef ELMAN_TRANSLATE_TRANSLATOR_H
#define ELMAN_TRANSLATE_TRANSLATOR_H

#include "translate/search.h"
#include "translate/self_weights.h"

/* Time and memory grow with the square of a sentence's length; beyond this it is refused. */
enum { MAX_SENTENCE_TOKENS = 5000 };

/* `encode` for any text: ELMAN_BAD_DATA if it is not valid UTF-8 or has too many tokens. */
elman_status encode_checked(struct encoding *encoding, const struct codec *codec, struct text text,
                            elman_error *error) CHECKED;

elman_translate_options translate_options_default(void); /* greedy search */

/* One sentence of a batch. */
struct translator_item {
  struct text given; /* borrowed from the caller of translator_run */
  struct encoding source, reference;
  size_t request; /* its number among the search's requests; SIZE_MAX = none */
  elman_status status;
  elman_error error;
};

/* A hypothesis as text. */
struct rendering {
  uint32_t *ids;        /* (T), what the decoder said */
  struct tokens tokens; /* (T), with "</s>" at the end if it ended by itself */
  struct buffer text;
  size_t id_capacity;
  bool ended;
};

/* Scratch for one batch after the other, and the parts of the last one. */
struct translator {
  const struct model *model;   /* borrowed */
  const struct screen *screen; /* as in search_run; borrowed */
  struct search search;
  struct self_weights self; /* of the translation that was given out last */
  struct translator_item *items;
  struct search_request *requests;
  struct rendering *renderings; /* of the item that was given out last, one a hypothesis */
  size_t count, item_capacity, request_capacity, rendering_capacity;
  size_t heads;               /* matrices of attention weights */
  struct attention_cuts cuts; /* of the source into segments */
  bool has_sentinel, replace_unknown, forced, self_attention;
};

/* Of `model`, which must not change meanwhile, for greedy search by it alone; NULL for a wider beam
 * and for an ensemble. */
elman_status model_screen_create(struct screen **screen, const struct model *model,
                                 const elman_translate_options *options,
                                 elman_error *error) CHECKED;
void model_screen_free(struct screen *screen);

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

/* The best translation of item i, whose status is ELMAN_OK, as text alone, until the next call. */
elman_status translator_text(struct text *text, struct translator *translator, size_t i,
                             elman_error *error) CHECKED;

/* The translations of item i, whose status is ELMAN_OK, the best first, in memory of their own; an
 * empty one if it has no tokens. The sentence must still be there. */
elman_status translator_take(elman_translation **translation, struct translator *translator,
                             size_t i, elman_error *error) CHECKED;
void translation_free(elman_translation *translation);

#endif
