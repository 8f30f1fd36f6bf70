#include <stdlib.h>

#include "api/call.h"
#include "corpus/check.h"

_Static_assert((int)ELMAN_FINDING_NOT_UTF8 == (int)FINDING_NOT_UTF8, "findings agree");
_Static_assert((int)ELMAN_FINDING_DUPLICATE == (int)FINDING_DUPLICATE, "findings agree");
_Static_assert((int)ELMAN_FINDING_SWAPPED == (int)FINDING_SWAPPED, "findings agree");
_Static_assert((int)ELMAN_FINDING_SAME_PAIR == (int)FINDING_SAME_PAIR, "findings agree");
_Static_assert((int)ELMAN_FINDING_LIKE_PAIR == (int)FINDING_LIKE_PAIR, "findings agree");
_Static_assert((int)ELMAN_FINDING_LIKE_TARGET == (int)FINDING_LIKE_TARGET, "findings agree");
_Static_assert((int)ELMAN_FINDING_LIKE_TARGET + 1 == (int)FINDINGS, "findings agree");

/* The public handle is the internal struct under another name. */
static const struct findings *inner(const elman_check *check) {
  return (const struct findings *)check;
}

const char *elman_finding_name(elman_finding finding) {
  return finding_name((enum finding)finding);
}

elman_check_options elman_check_options_default(void) {
  return (elman_check_options){.source_tokens = ELMAN_TOKENS_AUTO,
                               .target_tokens = ELMAN_TOKENS_AUTO,
                               .max_length = 200,
                               .max_ratio = 3,
                               .examples = 3};
}

elman_status elman_check_create(elman_check **check, const elman_check_options *options,
                                elman_error *error) {
  struct error problem = {0};
  *check = NULL;
  struct pairs_options *parts = calloc(options->part_count + 1, sizeof *parts);
  if (parts == NULL) return give(error, fail_no_memory(&problem), &problem);
  for (size_t i = 0; i < options->part_count; i++)
    parts[i] = inner_pairs_options(&options->parts[i]);
  const struct check_options how = {
      .parts = parts,
      .part_count = options->part_count,
      .modes = {(enum token_mode)options->source_tokens, (enum token_mode)options->target_tokens},
      .max_length = options->max_length,
      .max_ratio = options->max_ratio,
      .examples = options->examples};
  struct findings *findings = NULL;
  const enum status status = check_corpus(&findings, &how, &problem);
  *check = (elman_check *)findings;
  free(parts);
  return give(error, status, &problem);
}

void elman_check_free(elman_check *check) {
  findings_free((struct findings *)check);
}

bool elman_check_clean(const elman_check *check) {
  return findings_clean(inner(check));
}

elman_check_part elman_check_get_part(const elman_check *check, size_t part) {
  const struct part_findings *found = &inner(check)->parts[part];
  return (elman_check_part){.name = found->name,
                            .pairs = found->pairs,
                            .leaking = found->leaking,
                            .source_tokens = found->tokens[SIDE_SOURCE],
                            .target_tokens = found->tokens[SIDE_TARGET],
                            .unknown_source = found->unknown[SIDE_SOURCE],
                            .unknown_target = found->unknown[SIDE_TARGET]};
}

size_t elman_check_count(const elman_check *check, elman_finding finding, size_t part) {
  return inner(check)->parts[part].counts[finding];
}

size_t elman_check_shared(const elman_check *check, elman_finding leak, size_t part,
                          size_t earlier) {
  return inner(check)->parts[part].shared[earlier][(size_t)leak - FIRST_LEAK];
}

elman_check_tokens elman_check_get_tokens(const elman_check *check) {
  const struct findings *findings = inner(check);
  return (elman_check_tokens){.source_tokens = (elman_token_mode)findings->modes[SIDE_SOURCE],
                              .target_tokens = (elman_token_mode)findings->modes[SIDE_TARGET],
                              .source_vocabulary = findings->vocabulary[SIDE_SOURCE],
                              .target_vocabulary = findings->vocabulary[SIDE_TARGET]};
}

bool elman_check_get_example(elman_check_example *example, const elman_check *check, size_t index) {
  if (index >= inner(check)->example_count) return false;
  const struct example *kept = &inner(check)->examples[index];
  *example = (elman_check_example){.finding = (elman_finding)kept->finding,
                                   .part = kept->at.part,
                                   .line = kept->at.line,
                                   .other_part = kept->other.part,
                                   .other_line = kept->other.line,
                                   .source = kept->source,
                                   .target = kept->target,
                                   .problem = kept->problem,
                                   .source_length = kept->source_size,
                                   .target_length = kept->target_size};
  return true;
}
