#include "corpus/check.h"
#include "corpus/corpus.h"

struct look {
  struct findings *findings;
  struct vocabulary_pair vocabularies;
  struct encoding encoding; /* scratch memory */
  size_t max_length;
};

/* The tokens of one side, counted; *length becomes their number, or 0 where nobody needs it. */
static enum status count_side(struct look *look, size_t *length, size_t part, enum side side,
                              struct text text, struct error *error) {
  *length = 0;
  /* A token has a byte at least, and what the first part lacks is not asked. */
  if (part == 0 && text.length <= look->max_length) return STATUS_OK;
  const struct vocabulary_pair *found = &look->vocabularies;
  const struct codec codec =
      side == SIDE_SOURCE
          ? (struct codec){found->source_mode, found->source_normalization, found->source}
          : (struct codec){found->target_mode, found->target_normalization, found->target};
  const enum status status = encode(&look->encoding, &codec, text, error);
  if (status != STATUS_OK) return status;
  *length = look->encoding.tokens.count;
  if (part == 0) return STATUS_OK;
  struct part_findings *sums = &look->findings->parts[part];
  sums->tokens[side] += *length;
  for (size_t i = 0; i < *length; i++)
    if (look->encoding.ids[i] == TOKEN_UNKNOWN) sums->unknown[side]++;
  return STATUS_OK;
}

static enum status look_at_part(struct look *look, const struct pairs *pairs, size_t part,
                                struct error *error) {
  enum status status = STATUS_OK;
  for (size_t i = 0; status == STATUS_OK && i < pairs_count(pairs); i++) {
    const struct pair pair = pairs_get(pairs, i);
    struct example example = {.finding = FINDING_TOO_LONG,
                              .at = {part, pairs_line_number(pairs, i)}};
    status = count_side(look, &example.source_size, part, SIDE_SOURCE, pair.source, error);
    if (status == STATUS_OK)
      status = count_side(look, &example.target_size, part, SIDE_TARGET, pair.target, error);
    if (status == STATUS_OK &&
        (example.source_size > look->max_length || example.target_size > look->max_length))
      status = findings_add(look->findings, example, &pair, error);
  }
  return status;
}

static size_t words_of(const struct vocabulary *vocabulary) {
  return vocabulary_size(vocabulary) - vocabulary_specials(vocabulary);
}

static void take_first_part(struct findings *findings, const struct vocabulary_pair *vocabularies) {
  findings->modes[SIDE_SOURCE] = vocabularies->source_mode;
  findings->modes[SIDE_TARGET] = vocabularies->target_mode;
  findings->vocabulary[SIDE_SOURCE] = words_of(vocabularies->source);
  findings->vocabulary[SIDE_TARGET] = words_of(vocabularies->target);
  findings->parts[0].tokens[SIDE_SOURCE] = (size_t)vocabulary_total(vocabularies->source);
  findings->parts[0].tokens[SIDE_TARGET] = (size_t)vocabulary_total(vocabularies->target);
}

enum status check_tokens(struct findings *findings, struct pairs *const *parts,
                         const struct check_options *options, struct error *error) {
  struct look look = {.findings = findings, .max_length = options->max_length};
  const struct vocabulary_options how = {.source_mode = options->modes[SIDE_SOURCE],
                                         .target_mode = options->modes[SIDE_TARGET],
                                         .normalization = NORMALIZE_NFKC, /* as in training */
                                         .min_count = 1};
  enum status status = corpus_vocabularies(&look.vocabularies, parts[0], &how, error);
  if (status != STATUS_OK) return status;
  take_first_part(findings, &look.vocabularies);
  for (size_t part = 0; status == STATUS_OK && part < findings->part_count; part++)
    status = look_at_part(&look, parts[part], part, error);
  encoding_free(&look.encoding);
  vocabulary_free(look.vocabularies.source);
  vocabulary_free(look.vocabularies.target);
  return status;
}
