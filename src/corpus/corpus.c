#include "corpus/corpus.h"

#include <stdlib.h>
#include <string.h>

/* Enough lines to tell how a corpus is written. */
enum { SCRIPT_SAMPLE = 10000 };

elman_status corpus_create(struct corpus *corpus, size_t most, elman_error *error) {
  size_t entries;
  *corpus = (struct corpus){0};
  if (__builtin_add_overflow(most, 1, &entries)) return fail_no_memory(error);
  corpus->source.starts = calloc(entries, sizeof *corpus->source.starts);
  corpus->target.starts = calloc(entries, sizeof *corpus->target.starts);
  return corpus->source.starts == NULL || corpus->target.starts == NULL ? fail_no_memory(error)
                                                                        : ELMAN_OK;
}

static elman_status sentences_add(struct sentences *sentences, const struct encoding *encoding,
                                  elman_error *error) {
  const size_t length = encoding->tokens.count;
  const size_t start = sentences->starts[sentences->count];
  size_t end;
  if (__builtin_add_overflow(start, length, &end)) return fail_no_memory(error);
  const elman_status status =
      array_grow(&sentences->ids, &sentences->capacity, end, sizeof *sentences->ids, error);
  if (status != ELMAN_OK) return status;
  if (length > 0) memcpy(sentences->ids + start, encoding->ids, length * sizeof *encoding->ids);
  sentences->starts[++sentences->count] = end;
  if (length > sentences->longest) sentences->longest = length;
  return ELMAN_OK;
}

size_t sentences_unknown(const struct sentences *sentences) {
  size_t unknown = 0;
  for (size_t i = 0; i < sentences->starts[sentences->count]; i++)
    unknown += sentences->ids[i] == TOKEN_UNKNOWN;
  return unknown;
}

elman_status corpus_add(struct corpus *corpus, const struct encoding *source,
                        const struct encoding *target, elman_error *error) {
  const elman_status status = sentences_add(&corpus->source, source, error);
  return status == ELMAN_OK ? sentences_add(&corpus->target, target, error) : status;
}

elman_status corpus_encode(struct corpus *corpus, const struct pairs *pairs,
                           const struct codec *source, const struct codec *target,
                           size_t max_length, elman_error *error) {
  struct encoding from = {0}, to = {0};
  elman_status status = corpus_create(corpus, pairs_count(pairs), error);
  for (size_t i = 0; status == ELMAN_OK && i < pairs_count(pairs); i++) {
    const struct pair pair = pairs_get(pairs, i);
    status = encode(&from, source, pair.source, error);
    if (status == ELMAN_OK) status = encode(&to, target, pair.target, error);
    if (status != ELMAN_OK) break;
    if (max_length > 0 && (from.tokens.count > max_length || to.tokens.count > max_length))
      corpus->too_long++;
    else
      status = corpus_add(corpus, &from, &to, error);
  }
  encoding_free(&from);
  encoding_free(&to);
  if (status != ELMAN_OK) corpus_free(corpus);
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

/* ---- vocabularies ---- */

struct side_count {
  struct codec codec; /* its vocabulary is what shall come of it */
  struct script_sample sample;
  struct token_counter *counter;
  struct buffer normalized;
  struct tokens tokens;
};

struct counting {
  struct side_count sides[2];
  const struct pairs *pairs;
  size_t max_length;
};

static struct text text_on(const struct pairs *pairs, size_t index, elman_side side) {
  const struct pair pair = pairs_get(pairs, index);
  return side == ELMAN_SOURCE ? pair.source : pair.target;
}

/* Splits a line; *too_long becomes true, or stays. */
static elman_status split_line(struct side_count *side, bool *too_long, size_t max_length,
                               elman_token_mode mode, elman_error *error) {
  const struct text text = buffer_text(&side->normalized);
  const elman_status status = tokens_split(&side->tokens, text, mode, error);
  *too_long = *too_long || (max_length > 0 && side->tokens.count > max_length);
  return status;
}

/* A pair counts unless a side of it is too long as that side itself would be split. */
static elman_status sample_pair(struct counting *counting, size_t index, elman_error *error) {
  struct script_counts counts[2] = {{0}, {0}};
  bool too_long = false;
  for (int s = 0; s < 2; s++) {
    struct side_count *side = &counting->sides[s];
    const struct text text = text_on(counting->pairs, index, (elman_side)s);
    /* As it was written: NFKC would hide the full-width signs. */
    elman_status status = text_normalize(&side->normalized, text, ELMAN_NFC, error);
    if (status != ELMAN_OK) return status;
    script_count(&counts[s], buffer_text(&side->normalized));
    const elman_token_mode mode =
        side->codec.mode == ELMAN_TOKENS_AUTO ? script_line_mode(&counts[s]) : side->codec.mode;
    /* A token has a byte at least. */
    if (side->normalized.length > counting->max_length)
      status = split_line(side, &too_long, counting->max_length, mode, error);
    if (status != ELMAN_OK) return status;
  }
  for (int s = 0; s < 2 && !too_long; s++)
    script_sample_add(&counting->sides[s].sample, &counts[s]);
  return ELMAN_OK;
}

/* Looks at lines spread over the whole corpus, whose files may be written differently. */
static elman_status find_modes(struct counting *counting, elman_error *error) {
  elman_status status = ELMAN_OK;
  const size_t count = pairs_count(counting->pairs), stride = count / SCRIPT_SAMPLE + 1;
  for (size_t i = 0; status == ELMAN_OK && i < count; i += stride)
    status = sample_pair(counting, i, error);
  for (int s = 0; s < 2; s++) {
    struct side_count *side = &counting->sides[s];
    struct codec *codec = &side->codec;
    if (codec->mode == ELMAN_TOKENS_AUTO) codec->mode = script_token_mode(&side->sample);
    codec->normalization = script_normalization(&side->sample, codec->normalization);
  }
  return status;
}

static elman_status count_pair(struct counting *counting, size_t index, elman_error *error) {
  elman_status status = ELMAN_OK;
  bool too_long = false;
  for (int s = 0; s < 2 && status == ELMAN_OK; s++) {
    struct side_count *side = &counting->sides[s];
    const struct text text = text_on(counting->pairs, index, (elman_side)s);
    status = codec_text(&side->normalized, &side->codec, text, error);
    if (status == ELMAN_OK)
      status = split_line(side, &too_long, counting->max_length, side->codec.mode, error);
  }
  for (int s = 0; s < 2 && status == ELMAN_OK && !too_long; s++)
    status = token_counter_add(counting->sides[s].counter, &counting->sides[s].tokens, error);
  return status;
}

static elman_status count_pairs(struct counting *counting, elman_error *error) {
  elman_status status = ELMAN_OK;
  for (int s = 0; s < 2 && status == ELMAN_OK; s++)
    status = token_counter_create(&counting->sides[s].counter, error);
  for (size_t i = 0; status == ELMAN_OK && i < pairs_count(counting->pairs); i++)
    status = count_pair(counting, i, error);
  return status;
}

static elman_status build(struct vocabulary_pair *built, struct counting *counting,
                          const struct vocabulary_options *options, elman_error *error) {
  struct vocabulary **vocabularies[] = {&built->source, &built->target};
  elman_status status = find_modes(counting, error);
  if (status == ELMAN_OK) status = count_pairs(counting, error);
  for (int s = 0; s < 2 && status == ELMAN_OK; s++) {
    status = vocabulary_from_counts(vocabularies[s], counting->sides[s].counter, (elman_side)s,
                                    options->min_count, options->max_words, error);
    built->sample[s] = counting->sides[s].sample;
  }
  built->source_mode = counting->sides[ELMAN_SOURCE].codec.mode;
  built->target_mode = counting->sides[ELMAN_TARGET].codec.mode;
  built->source_normalization = counting->sides[ELMAN_SOURCE].codec.normalization;
  built->target_normalization = counting->sides[ELMAN_TARGET].codec.normalization;
  return status;
}

elman_status corpus_vocabularies(struct vocabulary_pair *out, const struct pairs *pairs,
                                 const struct vocabulary_options *options, elman_error *error) {
  struct vocabulary_pair built = {0};
  const elman_normalization form = options->normalization;
  struct counting counting = {.sides = {{.codec = {options->source_mode, form, NULL}},
                                        {.codec = {options->target_mode, form, NULL}}},
                              .pairs = pairs,
                              .max_length = options->max_length};
  *out = (struct vocabulary_pair){0};
  const elman_status status = build(&built, &counting, options, error);
  for (int s = 0; s < 2; s++) {
    token_counter_free(counting.sides[s].counter);
    buffer_free(&counting.sides[s].normalized);
    tokens_free(&counting.sides[s].tokens);
  }
  if (status == ELMAN_OK) {
    *out = built;
  } else {
    vocabulary_free(built.source);
    vocabulary_free(built.target);
  }
  return status;
}
