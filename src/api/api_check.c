#include "api/call.h"
#include "corpus/check.h"

/* The public handle is the internal struct under another name. */
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
                              .target_vocabulary = findings->vocabulary[ELMAN_TARGET]};
}

bool elman_check_get_example(elman_check_example *example, const elman_check *check, size_t index) {
  if (index >= inner(check)->example_count) return false;
  const struct example *kept = &inner(check)->examples[index];
  *example = (elman_check_example){.finding = kept->finding,
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
