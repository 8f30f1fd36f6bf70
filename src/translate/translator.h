/* Translation of text with attention, one batch at a time. */
#ifndef ELMAN_TRANSLATE_TRANSLATOR_H
#define ELMAN_TRANSLATE_TRANSLATOR_H

#include "model/network.h"
#include "translate/search.h"
#include "vocab/locate.h"

/* A sentence of a batch. The caller initializes the struct with zeros; memory is reused. */
struct translator_item {
  const elman_sentence *given; /* borrowed from the caller of translator_run */
  struct encoding source, reference;
  struct spans spans; /* of the source tokens in the text; only with replace_unknown */
  size_t *firsts;     /* (S): see copied_firsts() */
  size_t starts_capacity, ends_capacity, firsts_capacity;
  struct search_request request; /* has no ids if the sentence has no tokens */
  const struct beam *beam;       /* result of the request; NULL if there is no request */
  bool repeats;              /* the result has equal texts, so `others` replaces all but the best */
  const struct beam *others; /* the next best translations; NULL unless `repeats` */
  uint64_t best_key;         /* hash of the best text; used only with others */
  elman_status status;
  elman_error error;
};

/* A hypothesis as text. The caller initializes the struct with zeros; memory is reused. */
struct rendering {
  uint32_t *ids; /* (T): output of the decoder */
  struct tokens
      tokens; /* (T): includes a final "</s>" unless the length limit ended the hypothesis */
  struct buffer text;   /* the joined tokens, or the reference as given */
  struct buffer copied; /* a source word in place of an unknown word */
  size_t *copied_from; /* (T): for an unknown word, the first token of the source word copied in its
                          place */
  size_t *left;        /* (S): as firsts of the item, without words that have been copied */
  size_t id_capacity, copied_from_capacity, left_capacity;
  bool ended;
  uint64_t key; /* hash of the text, while an n-best list is compared */
};

/* Self-attention weights of a finished translation, computed by a pass through the network with
 * forced decoding. The search itself stores only the weights of the current step. The caller
 * initializes the struct with zeros; memory is reused. */
struct self_weights {
  struct batch batch;
  struct workspace workspace;
};
void self_weights_free(struct self_weights *self);

/* Run the pass with S >= 1 source tokens and the target tokens `words`, which do not include
 * </s>. */
elman_status self_weights_run(struct self_weights *self, const struct model *model,
                              const uint32_t *source, size_t S, const uint32_t *target,
                              size_t words, elman_error *error) CHECKED;

/* Copy each head's weights of the first `count` tokens into `into` (K,count,count). A row of the
 * decoder belongs to the step that outputs the token. The side must have self-attention. */
void self_weights_copy(float *into, const struct self_weights *self, elman_side side, size_t K,
                       size_t count);

/* Scratch memory for batches, and the results of the last one. */
struct translator {
  const struct model *model;   /* borrowed */
  const struct screen *screen; /* borrowed; NULL = none; see search_run */
  elman_translate_options
      options; /* options of the last run; ensemble and overrides are borrowed */
  struct search search;
  struct search others;     /* search for hypotheses with different texts, for n-best lists */
  struct rendering scratch; /* memory for rendering a hypothesis of the search `others` */
  struct self_weights self; /* self-attention weights of the last translation created */
  struct translator_item *items;
  const struct search_request **requests; /* requests of the items that have one */
  struct rendering *renderings; /* renderings of the item rendered last, one per hypothesis */
  size_t item_capacity, request_capacity, rendering_capacity;
};

/* Initialize the translator without allocating memory. */
void translator_create(struct translator *translator, const struct model *model,
                       const struct screen *screen);
void translator_free(struct translator *translator);

/* Translate `count` sentences. Either all sentences have references, whose decoding is forced, or
 * none has one. The results stay valid until the next call; the caller must keep the sentences
 * valid until then. For invalid UTF-8, too many bytes or tokens, or overflow, set the status of the
 * sentence's item to ELMAN_BAD_DATA; other sentences do not fail. */
elman_status translator_run(struct translator *translator, const elman_sentence *const *sentences,
                            size_t count, const elman_translate_options *options,
                            elman_error *error) CHECKED;

/* Get the best translation of item i as text, which is valid until the next call. The status of the
 * item must be ELMAN_OK. */
elman_status translator_text(struct text *text, struct translator *translator, size_t i,
                             elman_error *error) CHECKED;

/* The best translation and all memory to which it points, including this struct. */
struct owned_translation {
  elman_translation view; /* first, so that a pointer to it also points to the whole struct */
  struct arena arena;
};

/* Create the translations of item i, the best first, with their attention and in their own memory.
 * The status of the item must be ELMAN_OK. If the item has no tokens, create one empty
 * translation. */
elman_status translation_create(elman_translation **translation, struct translator *translator,
                                size_t i, elman_error *error) CHECKED;

#endif
