#include <stdlib.h>
#include <string.h>

#include "api/call.h"
#include "corpus/alignment.h"
#include "corpus/check.h"
#include "corpus/doubts.h"
#include "corpus/split.h"

/* ---- pairs ---- */

elman_pairs_options elman_pairs_options_default(void) {
  return (elman_pairs_options){.source_column = 1,
                               .target_column = 2,
                               .max_bytes = ELMAN_DEFAULT_MAX_LINE,
                               .max_unpacked = ELMAN_DEFAULT_MAX_UNPACKED};
}

elman_status elman_pairs_read(elman_pairs **pairs, const elman_pairs_options *options,
                              elman_error *error) {
  const elman_pairs_options defaults = elman_pairs_options_default();
  if (options == NULL) options = &defaults;
  struct pairs *read = NULL;
  const elman_status status = pairs_read(&read, options, error);
  *pairs = (elman_pairs *)read;
  return status;
}

void elman_alignment_reverse(char *alignment) {
  alignment_reverse(alignment, strlen(alignment));
}

void elman_pairs_free(elman_pairs *pairs) {
  pairs_free(inner_pairs(pairs));
}

size_t elman_pairs_count(const elman_pairs *pairs) {
  return pairs_count(inner_pairs_const(pairs));
}

size_t elman_pairs_skipped(const elman_pairs *pairs) {
  return pairs_skipped_count(inner_pairs_const(pairs));
}

const char *elman_pairs_line(const elman_pairs *pairs, size_t index, size_t *length) {
  const struct text line = pairs_line(inner_pairs_const(pairs), index);
  if (length != NULL) *length = line.length;
  return line.bytes;
}

/* ---- the split ---- */

const char *elman_part_name(elman_part part) {
  static const char *const names[] = {"train", "dev", "test"};
  return (unsigned)part < ELMAN_PARTS ? names[part] : NULL;
}

elman_split_options elman_split_options_default(void) {
  return (elman_split_options){.dev = {.share = 0.05}, .test = {.share = 0.05}, .seed = 1};
}

elman_status elman_split_create(elman_split **split, const elman_pairs *pairs,
                                const elman_split_options *options, elman_error *error) {
  const elman_split_options defaults = elman_split_options_default();
  if (options == NULL) options = &defaults;
  elman_split *made = malloc(sizeof *made);
  const elman_status status = made == NULL
                                  ? fail_no_memory(error)
                                  : split_create(made, inner_pairs_const(pairs), options, error);
  if (status != ELMAN_OK) {
    free(made);
    made = NULL;
  }
  *split = made;
  return status;
}

void elman_split_free(elman_split *split) {
  if (split == NULL) return;
  split_free(split);
  free(split);
}

elman_part elman_split_part(const elman_split *split, size_t index) {
  return split->parts[index];
}

elman_split_info elman_split_get_info(const elman_split *split) {
  return split->info;
}

/* ---- the check ---- */

/* Convert the public handle, which is the internal struct under another name. */
static const struct findings *inner(const elman_check *check) {
  return (const struct findings *)check;
}

const char *elman_finding_name(elman_finding finding) {
  const struct finding_row *row = finding_row(finding);
  return row == NULL ? NULL : row->name;
}

const char *elman_finding_description(elman_finding finding) {
  const struct finding_row *row = finding_row(finding);
  return row == NULL ? NULL : row->description;
}

const char *elman_finding_advice(elman_finding finding) {
  const struct finding_row *row = finding_row(finding);
  return row == NULL ? NULL : row->advice;
}

elman_finding_kind elman_finding_get_kind(elman_finding finding) {
  return finding_row(finding)->kind;
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
  const elman_check_options defaults = elman_check_options_default();
  if (options == NULL) options = &defaults;
  struct findings *findings = NULL;
  const elman_status status = check_corpus(&findings, options, error);
  *check = (elman_check *)findings;
  return status;
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
                            .source_tokens = found->tokens[ELMAN_SOURCE],
                            .target_tokens = found->tokens[ELMAN_TARGET],
                            .unknown_source = found->unknown[ELMAN_SOURCE],
                            .unknown_target = found->unknown[ELMAN_TARGET]};
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
  return (elman_check_tokens){.source_tokens = findings->modes[ELMAN_SOURCE],
                              .target_tokens = findings->modes[ELMAN_TARGET],
                              .source_vocabulary = findings->vocabulary[ELMAN_SOURCE],
                              .target_vocabulary = findings->vocabulary[ELMAN_TARGET],
                              .source_script = script_name(findings->scripts[ELMAN_SOURCE]),
                              .target_script = script_name(findings->scripts[ELMAN_TARGET])};
}

bool elman_check_get_example(elman_check_example *example, const elman_check *check, size_t index) {
  if (index >= inner(check)->example_count) return false;
  const struct example *found = &inner(check)->examples[index];
  *example = (elman_check_example){.finding = found->finding,
                                   .part = found->at.part,
                                   .line = found->at.line,
                                   .other_part = found->other.part,
                                   .other_line = found->other.line,
                                   .source = found->source,
                                   .target = found->target,
                                   .problem = found->problem,
                                   .source_length = found->source_size,
                                   .target_length = found->target_size};
  return true;
}

elman_status elman_pairs_doubts(const elman_pairs *pairs, const elman_pairs *training,
                                elman_doubt_function *doubt, void *context, elman_error *error) {
  return doubts_find(inner_pairs_const(pairs),
                     inner_pairs_const(training == NULL ? pairs : training), doubt, context, error);
}
