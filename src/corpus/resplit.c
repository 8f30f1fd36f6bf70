#include "corpus/resplit.h"

#include <stdlib.h>

static elman_status make_room(struct resplit *resplit, size_t count, elman_error *error) {
  if (count > resplit->room) {
    resplit->room = 0;
    corpus_free(&resplit->pairs);
    free(resplit->indices);
    resplit->indices = reallocarray(NULL, count, sizeof *resplit->indices);
    if (resplit->indices == NULL) return fail_no_memory(error);
    for (size_t i = 0; i < count; i++) resplit->indices[i] = i;
    const elman_status status = corpus_create(&resplit->pairs, count, error);
    if (status != ELMAN_OK) return status;
    resplit->room = count;
  }
  resplit->pairs.source.count = resplit->pairs.target.count = 0;
  return ELMAN_OK;
}

/* Random numbers are numbered by pair and side, so that no two sentences share one. */
static elman_status add_side(struct resplit *resplit, const struct corpus *corpus, size_t index,
                             elman_side side, size_t epoch, size_t longest, elman_error *error) {
  const struct codec *codec = &resplit->codecs[side];
  const struct sentences *from = side == ELMAN_SOURCE ? &corpus->source : &corpus->target;
  struct sentences *to = side == ELMAN_SOURCE ? &resplit->pairs.source : &resplit->pairs.target;
  const uint32_t *ids = from->ids + from->starts[index];
  const size_t length = sentences_length(from, index);
  struct encoding *again = &resplit->encodings[side];
  struct bpe_dropout dropout = {.share = resplit->share,
                                .stream = {resplit->seed, RANDOM_SUBWORDS, (uint32_t)epoch},
                                .next = (2 * (uint64_t)index + side) << 32};
  if (codec->merges == NULL) return sentences_add(to, ids, length, error);
  const elman_status status = encode_again(again, codec, ids, length, &dropout, error);
  if (status != ELMAN_OK) return status;
  return again->tokens.count > longest ? sentences_add(to, ids, length, error)
                                       : sentences_add(to, again->ids, again->tokens.count, error);
}

/* Tokens of a side, </s> not included, in a batch of `count` pairs. */
static size_t longest_side(const struct resplit *resplit, size_t count, elman_side side) {
  size_t longest = resplit->max_length > 0 ? resplit->max_length : SIZE_MAX;
  if (resplit->batch_tokens > 0) {
    const size_t padded = resplit->batch_tokens / count - (side == ELMAN_TARGET);
    if (padded < longest) longest = padded;
  }
  return longest;
}

elman_status resplit_pairs(struct resplit *resplit, const struct corpus *corpus,
                           const size_t *indices, size_t count, size_t epoch, elman_error *error) {
  elman_status status = make_room(resplit, count, error);
  resplit->pairs.source_words = corpus->source_words;
  for (size_t i = 0; status == ELMAN_OK && i < count; i++) {
    for (int side = 0; status == ELMAN_OK && side < 2; side++)
      status = add_side(resplit, corpus, indices[i], (elman_side)side, epoch,
                        longest_side(resplit, count, (elman_side)side), error);
  }
  return status;
}

void resplit_free(struct resplit *resplit) {
  for (size_t side = 0; side < 2; side++) encoding_free(&resplit->encodings[side]);
  corpus_free(&resplit->pairs);
  free(resplit->indices);
  *resplit = (struct resplit){0};
}
