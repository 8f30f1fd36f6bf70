#include "corpus/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "vocab/tokens.h"

struct reading {
  struct findings *findings;
  size_t part;
  elman_status status; /* of what the callback could not hand on */
  elman_error *error;
};

static void note_bad_line(void *context, const char *file, size_t line, elman_finding fault,
                          const char *problem) {
  struct reading *reading = context;
  (void)file;
  if (reading->status != ELMAN_OK) return;
  struct example example = {.finding = fault, .at = {reading->part, line}};
  snprintf(example.problem, sizeof example.problem, "%s", problem);
  reading->status = findings_add(reading->findings, example, NULL, reading->error);
}

static const char *name_of(const elman_pairs_options *part) {
  const char *name = part->file_count > 0 ? part->files[0] : part->source_file;
  return name == NULL ? "" : file_name(name);
}

static elman_status read_part(struct pairs **pairs, struct findings *findings, size_t part,
                              const elman_check_options *options, elman_error *error) {
  struct reading reading = {findings, part, ELMAN_OK, error};
  elman_pairs_options how = options->parts[part];
  how.skipped = note_bad_line;
  how.context = &reading;
  how.strict = false;
  how.whole_lines = true;
  findings->parts[part].name = strdup(name_of(&how));
  if (findings->parts[part].name == NULL) return fail_no_memory(error);
  const elman_status status = pairs_read(pairs, &how, error);
  if (status != ELMAN_OK) return status;
  findings->parts[part].pairs = pairs_count(*pairs);
  return reading.status;
}

static elman_status check_mode(elman_token_mode mode, elman_error *error) {
  if (mode == ELMAN_TOKENS_BPE)
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL,
                "a corpus is checked in words or characters: the merges of bpe are learnt in "
                "training");
  if (token_mode_name(mode) == NULL)
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "there is no token mode %d", (int)mode);
  return ELMAN_OK;
}

static elman_status check_options(const elman_check_options *options, elman_error *error) {
  if (options->part_count == 0)
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "there is no part to check");
  for (size_t i = 0; i < options->part_count; i++)
    if (options->parts[i].file_count + (options->parts[i].source_file != NULL) != 1)
      return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "a part is one file, or one file a side");
  for (size_t i = 0; i < options->part_count; i++)
    if (options->parts[i].alignment_column > 0 || options->parts[i].alignment_file != NULL)
      return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "word alignments are not checked");
  if (options->max_length == 0 || !(options->max_ratio > 1))
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL,
                "the longest line must have 1 token or more, and the ratio must be above 1");
  const elman_status status = check_mode(options->source_tokens, error);
  return status == ELMAN_OK ? check_mode(options->target_tokens, error) : status;
}

elman_status check_corpus(struct findings **findings, const elman_check_options *options,
                          elman_error *error) {
  *findings = NULL;
  struct findings *found;
  elman_status status = check_options(options, error);
  if (status == ELMAN_OK)
    status = findings_create(&found, options->part_count, options->examples, error);
  if (status != ELMAN_OK) return status;

  struct pairs **parts = calloc(options->part_count, sizeof *parts);
  if (parts == NULL) status = fail_no_memory(error);
  for (size_t i = 0; status == ELMAN_OK && i < options->part_count; i++)
    status = read_part(&parts[i], found, i, options, error);
  if (status == ELMAN_OK) status = check_repeats(found, parts, error);
  if (status == ELMAN_OK) status = check_lines(found, parts, options->max_ratio, error);
  if (status == ELMAN_OK) status = check_tokens(found, parts, options, error);

  for (size_t i = 0; parts != NULL && i < options->part_count; i++) pairs_free(parts[i]);
  free(parts);
  if (status == ELMAN_OK)
    *findings = found;
  else
    findings_free(found);
  return status;
}
