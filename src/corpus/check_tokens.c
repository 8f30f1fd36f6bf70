#include "corpus/check.h"
#include "corpus/vocabulary_pair.h"

struct look {
  struct findings *findings;
  struct vocabulary_pair vocabularies;
  struct encoding encoding; /* scratch memory */
  size_t max_length;
};

/* The tokens of one side, counted; *length becomes their number, or 0 where nobody needs it. */
static elman_status count_side(struct look *look, size_t *length, size_t part, elman_side side,
                               struct text text, elman_error *error) {
  *length = 0;
  /* Three bytes are 18 characters at most, in NFKC (U+FDFA), and what the first part lacks is not
   * asked. */
  if (part == 0 && text.length <= look->max_length / 6) return ELMAN_OK;
  const struct vocabulary_pair *found = &look->vocabularies;
  const struct codec codec = vocabulary_pair_codec(found, side);
  const elman_status status = encode(&look->encoding, &codec, text, error);
  if (status != ELMAN_OK) return status;
  *length = look->encoding.tokens.count;
  if (part == 0) return ELMAN_OK;
  struct part_findings *sums = &look->findings->parts[part];
  sums->tokens[side] += *length;
  for (size_t i = 0; i < *length; i++)
    if (look->encoding.ids[i] == TOKEN_UNKNOWN) sums->unknown[side]++;
  return ELMAN_OK;
}

static elman_status look_at_part(struct look *look, const struct pairs *pairs, size_t part,
                                 elman_error *error) {
  elman_status status = ELMAN_OK;
  for (size_t i = 0; status == ELMAN_OK && i < pairs_count(pairs); i++) {
    const struct pair pair = pairs_get(pairs, i);
    struct example example = {.finding = ELMAN_FINDING_TOO_LONG,
                              .at = {part, pairs_line_number(pairs, i)}};
    status = count_side(look, &example.source_size, part, ELMAN_SOURCE, pair.source, error);
    if (status == ELMAN_OK)
      status = count_side(look, &example.target_size, part, ELMAN_TARGET, pair.target, error);
    if (status == ELMAN_OK &&
        (example.source_size > look->max_length || example.target_size > look->max_length))
      status = findings_add(look->findings, example, &pair, error);
  }
  return status;
}

static size_t words_of(const struct vocabulary *vocabulary) {
  return vocabulary_size(vocabulary) - vocabulary_specials(vocabulary);
}

static void copy_first_part(struct findings *findings, const struct vocabulary_pair *vocabularies) {
  findings->modes[ELMAN_SOURCE] = vocabularies->source_mode;
  findings->modes[ELMAN_TARGET] = vocabularies->target_mode;
  findings->vocabulary[ELMAN_SOURCE] = words_of(vocabularies->source);
  findings->vocabulary[ELMAN_TARGET] = words_of(vocabularies->target);
  findings->parts[0].tokens[ELMAN_SOURCE] = (size_t)vocabulary_total(vocabularies->source);
  findings->parts[0].tokens[ELMAN_TARGET] = (size_t)vocabulary_total(vocabularies->target);
}

elman_status check_tokens(struct findings *findings, struct pairs *const *parts,
                          const elman_check_options *options, elman_error *error) {
  struct look look = {.findings = findings, .max_length = options->max_length};
  const struct vocabulary_options how = {.source_mode = options->source_tokens,
                                         .target_mode = options->target_tokens,
                                         .normalization = ELMAN_NFKC, /* as in training */
                                         .min_count = 1};
  elman_status status = corpus_vocabularies(&look.vocabularies, parts[0], &how, error);
  if (status != ELMAN_OK) return status;
  copy_first_part(findings, &look.vocabularies);
  for (size_t part = 0; status == ELMAN_OK && part < findings->part_count; part++)
    status = look_at_part(&look, parts[part], part, error);
  encoding_free(&look.encoding);
  vocabulary_pair_free(&look.vocabularies);
  return status;
}
