#include "corpus/corpus.h"

#include <stdlib.h>
#include <string.h>

/* Enough lines to tell how a corpus is written. */
enum { SCRIPT_SAMPLE = 10000 };

enum status sentences_create(struct sentences *sentences, size_t most, struct error *error) {
  *sentences = (struct sentences){0};
  size_t entries;
  if (__builtin_add_overflow(most, 1, &entries)) return fail_no_memory(error);
  sentences->starts = reallocarray(NULL, entries, sizeof *sentences->starts);
  if (sentences->starts == NULL) return fail_no_memory(error);
  sentences->starts[0] = 0;
  return STATUS_OK;
}

enum status sentences_add(struct sentences *sentences, size_t *capacity,
                          const struct encoding *encoding, struct error *error) {
  const size_t length = encoding->tokens.count;
  const size_t start = sentences->starts[sentences->count];
  size_t end;
  if (__builtin_add_overflow(start, length, &end)) return fail_no_memory(error);
  void *memory = sentences->ids;
  const enum status status = array_grow(&memory, capacity, end, sizeof *sentences->ids, error);
  sentences->ids = memory;
  if (status != STATUS_OK) return status;
  if (length > 0) memcpy(sentences->ids + start, encoding->ids, length * sizeof *encoding->ids);
  sentences->starts[++sentences->count] = end;
  if (length > sentences->longest) sentences->longest = length;
  return STATUS_OK;
}

enum status corpus_encode(struct corpus *corpus, const struct pairs *pairs,
                          const struct codec *source, const struct codec *target, size_t max_length,
                          struct error *error) {
  *corpus = (struct corpus){0};
  struct encoding from = {0}, to = {0};
  size_t source_capacity = 0, target_capacity = 0;
  enum status status = sentences_create(&corpus->source, pairs_count(pairs), error);
  if (status == STATUS_OK) status = sentences_create(&corpus->target, pairs_count(pairs), error);

  for (size_t i = 0; status == STATUS_OK && i < pairs_count(pairs); i++) {
    const struct pair pair = pairs_get(pairs, i);
    status = encode(&from, source, pair.source, error);
    if (status == STATUS_OK) status = encode(&to, target, pair.target, error);
    if (status != STATUS_OK) break;
    if (max_length > 0 && (from.tokens.count > max_length || to.tokens.count > max_length)) {
      corpus->too_long++;
      continue;
    }
    status = sentences_add(&corpus->source, &source_capacity, &from, error);
    if (status == STATUS_OK) status = sentences_add(&corpus->target, &target_capacity, &to, error);
  }
  encoding_free(&from);
  encoding_free(&to);
  if (status != STATUS_OK) corpus_free(corpus);
  return status;
}

void corpus_free(struct corpus *corpus) {
  if (corpus == NULL) return;
  free(corpus->source.ids);
  free(corpus->source.starts);
  free(corpus->target.ids);
  free(corpus->target.starts);
  *corpus = (struct corpus){0};
}

static struct text text_on(const struct pairs *pairs, size_t index, enum side side) {
  const struct pair pair = pairs_get(pairs, index);
  return side == SIDE_SOURCE ? pair.source : pair.target;
}

/* Looks at lines spread over the whole corpus, whose files may be written differently. */
static enum status find_mode(enum token_mode *mode, const struct pairs *pairs, enum side side,
                             struct error *error) {
  struct script_counts counts = {0};
  struct buffer normalized = {0};
  enum status status = STATUS_OK;
  const size_t stride = pairs_count(pairs) / SCRIPT_SAMPLE + 1;
  for (size_t i = 0; status == STATUS_OK && i < pairs_count(pairs); i += stride) {
    status = text_normalize(&normalized, text_on(pairs, i, side), error);
    if (status == STATUS_OK) script_count(&counts, buffer_text(&normalized));
  }
  buffer_free(&normalized);
  if (status == STATUS_OK) *mode = script_token_mode(&counts);
  return status;
}

static enum status count_tokens(struct token_counter *counter, const struct pairs *pairs,
                                enum side side, enum token_mode mode, struct error *error) {
  const struct codec codec = {.mode = mode};
  struct buffer normalized = {0};
  struct tokens tokens = {0};
  enum status status = STATUS_OK;
  for (size_t i = 0; status == STATUS_OK && i < pairs_count(pairs); i++) {
    status = codec_text(&normalized, &codec, text_on(pairs, i, side), error);
    if (status == STATUS_OK) status = tokens_split(&tokens, buffer_text(&normalized), mode, error);
    if (status == STATUS_OK) status = token_counter_add(counter, &tokens, error);
  }
  buffer_free(&normalized);
  tokens_free(&tokens);
  return status;
}

static enum status build_side(struct vocabulary **vocabulary, enum token_mode *mode,
                              const struct pairs *pairs, enum side side,
                              const struct vocabulary_options *options, struct error *error) {
  enum status status = STATUS_OK;
  if (*mode == TOKENS_AUTO) status = find_mode(mode, pairs, side, error);
  if (status != STATUS_OK) return status;
  struct token_counter *counter;
  status = token_counter_create(&counter, error);
  if (status != STATUS_OK) return status;
  status = count_tokens(counter, pairs, side, *mode, error);
  if (status == STATUS_OK)
    status = vocabulary_from_counts(vocabulary, counter, side, options->min_count,
                                    options->max_words, error);
  token_counter_free(counter);
  return status;
}

enum status corpus_vocabularies(struct vocabulary_pair *out, const struct pairs *pairs,
                                const struct vocabulary_options *options, struct error *error) {
  struct vocabulary_pair built = {.source_mode = options->source_mode,
                                  .target_mode = options->target_mode};
  *out = (struct vocabulary_pair){0};
  enum status status =
      build_side(&built.source, &built.source_mode, pairs, SIDE_SOURCE, options, error);
  if (status == STATUS_OK)
    status = build_side(&built.target, &built.target_mode, pairs, SIDE_TARGET, options, error);
  if (status == STATUS_OK) {
    *out = built;
  } else {
    vocabulary_free(built.source);
    vocabulary_free(built.target);
  }
  return status;
}
