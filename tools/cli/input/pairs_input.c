#include "input/pairs_input.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "console/messages.h"
#include "console/output.h"
#include "group/group.h"
#include "options/option.h"

enum { SKIPPED_SHOWN = 5 };

void pairs_note_skipped(void *context, const char *file, size_t line, elman_finding fault,
                        const char *problem) {
  (void)fault;
  size_t *skipped = context;
  if ((*skipped)++ < SKIPPED_SHOWN) note("%s:%zu: skipped: %s", file, line, problem);
}

void pairs_note_more_skipped(size_t skipped) {
  if (skipped > SKIPPED_SHOWN) note("and %zu more", skipped - SKIPPED_SHOWN);
}

int columns_parse(size_t *source, size_t *target, const char *columns, const char *command) {
  const char *rest = parse_position(source, columns);
  if (rest != NULL && *rest == ',' && (rest = parse_position(target, rest + 1)) != NULL &&
      *rest == '\0' && *source <= MAX_COLUMNS && *target <= MAX_COLUMNS)
    return EX_OK;
  return report_usage(command,
                      "--columns: '%s' is not two column numbers from 1 to %d, such as 2,1",
                      columns, MAX_COLUMNS);
}

int pairs_input_options(elman_pairs_options *options, const struct pairs_input *input,
                        const char *command, const struct operands *operands) {
  const int code = pairs_input_check_standard(input, NULL, command, operands);
  if (code != EX_OK) return code;
  *options = elman_pairs_options_default();
  options->files = (const char *const *)operands->words;
  options->file_count = operands->count;
  options->source_file = input->source;
  options->target_file = input->target;
  options->alignment_column = input->alignment_column;
  options->alignment_file = input->alignment_file;
  options->check_alignments = input->check_alignments;
  options->strict = input->strict;
  if (input->max_bytes > 0) options->max_bytes = input->max_bytes;
  if (input->max_unpacked > 0) options->max_unpacked = input->max_unpacked;
  options->whole_lines = input->whole_lines;
  return columns_parse(&options->source_column, &options->target_column, input->columns, command);
}

/* Report a file that is named twice. */
static void note_repeated(const struct operands *operands) {
  for (size_t i = 1; i < operands->count; i++) {
    const char *path = operands->words[i];
    size_t j = 0;
    while (j < i && !output_is(path, operands->words[j])) j++;
    if (j == i) continue;
    if (strcmp(path, operands->words[j]) == 0)
      note("%s is given twice, so its pairs count twice", path);
    else
      note("%s is the same file as %s, so its pairs count twice", path, operands->words[j]);
    return;
  }
}

int pairs_input_read(elman_pairs **pairs, const struct pairs_input *input, const char *command,
                     const struct operands *operands) {
  elman_pairs_options options;
  const int code = pairs_input_options(&options, input, command, operands);
  if (code != EX_OK) return code;
  note_repeated(operands);
  size_t skipped = 0;
  options.skipped = pairs_note_skipped;
  options.context = &skipped;

  elman_error error;
  const elman_status status = elman_pairs_read(pairs, &options, &error);
  pairs_note_more_skipped(skipped);
  if (status != ELMAN_OK) return report_error(&error);
  const size_t count = elman_pairs_count(*pairs), skipped_lines = elman_pairs_skipped(*pairs);
  if (skipped_lines == 0)
    note("%zu pair%s", count, plural(count));
  else
    note("%zu pair%s; %zu line%s skipped", count, plural(count), skipped_lines,
         plural(skipped_lines));
  return EX_OK;
}

char *pairs_input_name(const struct pairs_input *input, const struct operands *operands) {
  char *name = NULL;
  size_t length;
  FILE *stream = open_memstream(&name, &length);
  if (stream == NULL) return NULL;
  if (input->source != NULL) fprintf(stream, "%s and %s", input->source, input->target);
  for (size_t i = 0; i < operands->count; i++)
    fprintf(stream, "%s%s", i == 0 ? "" : ", ", operands->words[i]);
  if (fclose(stream) == 0) return name;
  free(name);
  return NULL;
}

int check_standard_input(const char *command, bool read, bool twice) {
  if (twice) return report_usage(command, "standard input ('-') can be read only once");
  if (read && group_joined() != NULL)
    return report_usage(
        command,
        "standard input ('-') reaches only one process; name a file that all processes can read");
  return EX_OK;
}

int pairs_input_check_standard(const struct pairs_input *input, const char *dev,
                               const char *command, const struct operands *operands) {
  const char *others[] = {input->source, input->target, input->alignment_file, dev};
  size_t found = 0;
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    found += others[i] != NULL && is_standard(others[i]);
  for (size_t i = 0; i < operands->count; i++) found += is_standard(operands->words[i]);
  return check_standard_input(command, found > 0, found > 1);
}

bool pairs_input_includes(const struct pairs_input *input, const struct operands *operands,
                          const char *path) {
  bool found = output_is(path, input->source) || output_is(path, input->target) ||
               output_is(path, input->alignment_file);
  for (size_t i = 0; i < operands->count; i++) found = found || output_is(path, operands->words[i]);
  return found;
}
