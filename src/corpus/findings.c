#include "corpus/findings.h"

#include <stdlib.h>
#include <string.h>

elman_status findings_create(struct findings **findings, size_t parts, size_t examples_wanted,
                             elman_error *error) {
  struct findings *created = calloc(1, sizeof *created);
  bool failed = created == NULL || (created->parts = calloc(parts, sizeof *created->parts)) == NULL;
  for (size_t i = 0; !failed && i < parts; i++) {
    created->parts[i].shared = calloc(i + 1, sizeof *created->parts[i].shared);
    failed = created->parts[i].shared == NULL;
    created->part_count++;
  }
  if (failed) {
    findings_free(created);
    return fail_no_memory(error);
  }
  created->examples_wanted = examples_wanted;
  *findings = created;
  return ELMAN_OK;
}

void findings_free(struct findings *findings) {
  if (findings == NULL) return;
  for (size_t i = 0; i < findings->part_count; i++) {
    free(findings->parts[i].name);
    free(findings->parts[i].shared);
  }
  for (size_t i = 0; i < findings->example_count; i++) {
    free(findings->examples[i].source);
    free(findings->examples[i].target);
  }
  free(findings->examples);
  free(findings->parts);
  free(findings);
}

bool findings_clean(const struct findings *findings) {
  for (size_t i = 0; i < findings->part_count; i++) {
    const struct part_findings *part = &findings->parts[i];
    if (part->leaking > 0 || part->counts[ELMAN_FINDING_NOT_UTF8] > 0 ||
        part->counts[ELMAN_FINDING_LACKS_COLUMN] > 0 || part->counts[ELMAN_FINDING_EMPTY] > 0)
      return false;
  }
  return true;
}

elman_status findings_example(struct findings *findings, struct example example,
                              const struct pair *pair, elman_error *error) {
  size_t *kept = &findings->parts[example.at.part].examples[example.finding];
  if (*kept >= findings->examples_wanted) return ELMAN_OK;
  const elman_status status =
      array_grow(&findings->examples, &findings->example_capacity, findings->example_count + 1,
                 sizeof *findings->examples, error);
  if (status != ELMAN_OK) return status;
  if (pair != NULL) {
    example.source = strndup(pair->source.bytes, pair->source.length);
    example.target = strndup(pair->target.bytes, pair->target.length);
    if (example.source == NULL || example.target == NULL) {
      free(example.source);
      free(example.target);
      return fail_no_memory(error);
    }
  }
  findings->examples[findings->example_count++] = example;
  ++*kept;
  return ELMAN_OK;
}

elman_status findings_add(struct findings *findings, struct example example,
                          const struct pair *pair, elman_error *error) {
  findings->parts[example.at.part].counts[example.finding]++;
  return findings_example(findings, example, pair, error);
}
