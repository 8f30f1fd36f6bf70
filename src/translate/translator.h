/* Sentences of text to their translations as text, with what attention saw: a batch at a time. */
#ifndef ELMAN_TRANSLATE_TRANSLATOR_H
#define ELMAN_TRANSLATE_TRANSLATOR_H

#include "model/network.h"
#include "translate/search.h"

/* A sentence of a batch. Starts from all zero; memory is reused. */
struct translator_item {
  const elman_sentence *given; /* borrowed from the caller of translator_run */
  struct encoding source, reference;
  struct search_request request; /* without ids where there is nothing to translate */
  const struct beam *beam;       /* what was found for the request; NULL without one */
  elman_status status;
  elman_error error;
};

/* A hypothesis as text. Starts from all zero; memory is reused. */
struct rendering {
  uint32_t *ids;        /* (T), what the decoder said */
  struct tokens tokens; /* (T), with "</s>" at the end if it ended by itself */
  struct buffer text;   /* the tokens joined; of a reference as it was given */
  size_t id_capacity;
  bool ended;
};

/* The attention of tokens to tokens of their own side in a translation that is there: a pass
 * through the network with the translation forced. The search keeps the weights of the running step
 * only. Memory for one translation after the other; starts from all zero. */
struct self_weights {
  struct batch batch;
  struct workspace workspace;
};
void self_weights_free(struct self_weights *self);

/* Of S source tokens, at least one, and `words` target tokens, without </s>. */
elman_status self_weights_run(struct self_weights *self, const struct model *model,
                              const uint32_t *source, size_t S, const uint32_t *target,
                              size_t words, elman_error *error) CHECKED;

/* into (K,count,count): of each head what the first `count` tokens look at; those of the decoder
 * stand for the steps that say them. The side must have self-attention. */
void self_weights_copy(float *into, const struct self_weights *self, elman_side side, size_t K,
                       size_t count);

elman_translate_options translate_options_default(void); /* greedy search */

/* Scratch for one batch after the other, and the parts of the last one. */
struct translator {
  const struct model *model;       /* borrowed */
  const struct screen *screen;     /* as in search_run; borrowed */
  elman_translate_options options; /* of the last batch, whose ensemble and overrides it borrows */
  struct search search;
  struct self_weights self; /* of the translation that was handed out last */
  struct translator_item *items;
  const struct search_request **requests; /* of the items that have one */
  struct rendering *renderings;           /* of the item that was rendered last, one a hypothesis */
  size_t item_capacity, request_capacity, rendering_capacity;
};

/* Allocates nothing yet. */
void translator_create(struct translator *translator, const struct model *model,
                       const struct screen *screen);
void translator_free(struct translator *translator);

/* Translates `count` sentences, of which all have references, which the decoder is forced to give,
 * or none. What came out stays in the translator until the next call, and so must the sentences. A
 * sentence with invalid UTF-8, one that is too long in bytes or tokens, and one whose numbers
 * overflow have ELMAN_BAD_DATA in their item, which fails no other. */
elman_status translator_run(struct translator *translator, const elman_sentence *sentences,
                            size_t count, const elman_translate_options *options,
                            elman_error *error) CHECKED;

/* The best translation of item i, whose status is ELMAN_OK, as text alone, until the next call. */
elman_status translator_text(struct text *text, struct translator *translator, size_t i,
                             elman_error *error) CHECKED;

/* The translations of item i, whose status is ELMAN_OK, the best first, with their attention and in
 * memory of their own; an empty one if it has no tokens. */
elman_status translation_create(elman_translation **translation, struct translator *translator,
                                size_t i, elman_error *error) CHECKED;
void translation_free(elman_translation *translation);

#endif
