/* Search: target ids for one encoded sentence. */
#ifndef ELMAN_TRANSLATE_SEARCH_H
#define ELMAN_TRANSLATE_SEARCH_H

#include "model/model.h"
#include "model/network.h"

/* What the decoder chose, step by step. Start from all zero; memory is reused. */
struct hypothesis {
  uint32_t *ids;   /* (T); the last is TOKEN_END if the decoder ended by itself */
  real *attention; /* (T,S) */
  size_t count;    /* T */
  size_t ids_capacity, attention_capacity;
  double log_probability;
};
void hypothesis_free(struct hypothesis *hypothesis);

/* Scratch of one search. Start from all zero. */
struct search {
  struct arena arena;
  struct encoder_cache encoder;
  struct decoder_cache decoder;
};
void search_free(struct search *search);

/* Greedy search: at each step the likeliest token, <s> excepted. Ends with </s> or after `limit`
 * tokens. With `forced` (`forced_count` ids and then </s>) it takes these instead of choosing, and
 * `limit` does not count. `ids` holds `count` source ids, at least one. Weights so large that the
 * numbers overflow are STATUS_BAD_DATA. */
struct search_request {
  const uint32_t *ids;
  size_t count;
  size_t limit;
  const uint32_t *forced; /* NULL = choose */
  size_t forced_count;
};
enum status search_greedy(struct hypothesis *hypothesis, struct search *search,
                          const struct model *model, const struct search_request *request,
                          struct error *error) CHECKED;

#endif
