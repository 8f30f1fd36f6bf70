/* elman corpus convert */
#include <stdlib.h>
#include <sysexits.h>

#include "commands.h"
#include "console/messages.h"
#include "console/output.h"
#include "elman.h"
#include "input/pairs_input.h"
#include "options/command_line.h"
#include "options/option.h"

enum { LINES_BETWEEN_LOOKS = 4096 };

struct convert_job {
  elman_import_options options;
  const char *source, *target; /* two files in place of FILE */
  unsigned header;
  const char *output;
  size_t pairs, skipped;
};

/* A file that is being converted. */
struct conversion {
  const char *name; /* for messages */
  elman_import_info info;
  bool described;
  size_t skipped;
};

static void print_side(FILE *stream, const elman_import_info *info, int side) {
  const char *name = info->names[side];
  fprintf(stream, side == 0 ? "; source: " : ", target: ");
  if (info->columns[side] == 0)
    fputs(name, stream);
  else if (name[0] == '\0')
    fprintf(stream, "column %zu", info->columns[side]);
  else
    fprintf(stream, "column %zu (%s)", info->columns[side], name);
}

static bool sides_are_known(const elman_import_info *info) {
  return info->columns[0] > 0 || info->names[0][0] != '\0';
}

/* Print once what was recognized, so that a wrong guess is seen. */
static void describe(struct conversion *conversion) {
  const elman_import_info *info = &conversion->info;
  char *text = NULL;
  size_t length;
  if (conversion->described || info->format == NULL) return;
  FILE *stream = open_memstream(&text, &length);
  if (stream == NULL) return;
  fprintf(stream, "format %s", info->format);
  if (info->separator != NULL) fprintf(stream, ", separator %s", info->separator);
  if (info->has_header) fputs(", with a header", stream);
  for (int side = 0; side < 2 && sides_are_known(info); side++) print_side(stream, info, side);
  if (info->others[0] != '\0')
    fprintf(stream, "; other languages, for --languages: %s", info->others);
  if (fclose(stream) == 0) note("%s: %s", conversion->name, text);
  free(text);
  conversion->described = true;
}

static void note_skipped(void *context, const char *file, size_t line, elman_finding fault,
                         const char *problem) {
  struct conversion *conversion = context;
  if (sides_are_known(&conversion->info)) describe(conversion);
  pairs_note_skipped(&conversion->skipped, file, line, fault, problem);
}

/* Write the lines. Stop at a signal or at the first write error. */
static int write_lines(struct output *output, const elman_pairs *pairs) {
  for (size_t i = 0; i < elman_pairs_count(pairs); i++) {
    size_t length;
    const char *line = elman_pairs_line(pairs, i, &length);
    if (fwrite(line, 1, length, output->stream) < length || putc('\n', output->stream) == EOF) {
      output_flush(output);
      return EX_OK; /* output_finish reports it */
    }
    if (i % LINES_BETWEEN_LOOKS == 0 && interrupt_signal() != 0) return 128 + interrupt_signal();
  }
  return EX_OK;
}

static int convert_file(struct convert_job *job, struct output *output, const char *file) {
  struct conversion conversion = {.name = input_name(file)};
  elman_pairs *pairs;
  elman_error error;
  job->options.file = file;
  job->options.context = &conversion;
  const elman_status status = elman_pairs_import(&pairs, &conversion.info, &job->options, &error);
  describe(&conversion);
  pairs_note_more_skipped(conversion.skipped);
  if (status != ELMAN_OK) return report_error(&error);
  job->pairs += elman_pairs_count(pairs);
  job->skipped += elman_pairs_skipped(pairs);
  const int code = write_lines(output, pairs);
  elman_pairs_free(pairs);
  return code;
}

static int run(struct convert_job *job, const char *command, const struct operands *operands) {
  const struct pairs_input input = {.source = job->source, .target = job->target};
  struct output output;
  job->options.skipped = note_skipped;
  job->options.header = (elman_import_header)job->header;
  job->options.target_file = job->target;
  int code = pairs_input_check_standard(&input, NULL, command, operands);
  if (code != EX_OK) return code;
  interrupt_catch_first();
  code = output_open(&output, job->output);
  if (code != EX_OK) return code;
  if (job->source != NULL) code = convert_file(job, &output, job->source);
  for (size_t i = 0; i < operands->count && code == EX_OK; i++)
    code = convert_file(job, &output, operands->words[i]);
  if (code == EX_OK && job->skipped > 0)
    note("%zu pair%s; %zu record%s skipped", job->pairs, plural(job->pairs), job->skipped,
         plural(job->skipped));
  else if (code == EX_OK)
    note("%zu pair%s", job->pairs, plural(job->pairs));
  return output_finish(&output, code, code == EX_OK);
}

int corpus_convert_command(int argc, char **argv) {
  struct convert_job job = {.options = elman_import_options_default()};
  elman_import_options *import = &job.options;
  const struct option options[] = {
      {"from", 0, "FORMAT", "format of the files", "from name and content", .also = "format",
       .group = "Input", .text = &import->format, .choice = elman_import_format_name},
      {"columns", 0, "A,B",
       "source and target: column numbers, names in the header, or keys of JSON objects",
       "from the names, or 1,2", .group = "Input", .text = &import->columns},
      {"languages", 0, "A,B",
       "languages of source and target: codes in TMX, names in the header, or keys",
       "the first two in TMX", .group = "Input", .text = &import->languages},
      {"separator", 0, "NAME", "separator of the columns of CSV", "from content", .group = "Input",
       .text = &import->separator, .choice = elman_import_separator_name},
      {"header", 0, "WHEN", "whether the first record names the columns", .group = "Input",
       .index = &job.header, .choice = elman_import_header_name},
      {"source", 0, "FILE", "source sentences, one per line, in place of FILE",
       .also = "source-file", .group = "Input", .text = &job.source, .use = FILE_IS_READ},
      {"target", 0, "FILE", "target sentences, one per line; needs --source", .also = "target-file",
       .group = "Input", .text = &job.target, .use = FILE_IS_READ},
      {"strict", 0, NULL, "error on a bad record instead of skipping it", .group = "Input",
       .flag = &import->strict},
      PAIRS_LIMITS_OPTIONS(*import),
      OUTPUT_OPTIONS(job.output, "sentence pairs"),
      QUIET_OPTION("no messages except errors"),
      {0}};
  const struct rule rules[] = {
      {"source", "!target", "--source needs --target"},
      {"target", "!source", "--target needs --source"},
      {"source", "FILE", "FILE and --source cannot be combined"},
      {"from columns languages separator header", "source",
       "--%s applies to FILE, not to --source and --target"},
      {"columns", "languages", "--columns and --languages cannot be combined"},
      {"!source", "!FILE", "no FILE given; name a file, or '-' for standard input"},
      {0}};
  const struct usage usage = {
      "corpus convert",
      "[options] FILE...",
      "Converts files of other programs to sentence pairs: CSV and TSV of spreadsheets, TMX,\n"
      "JSON, exports of tatoeba.org, columns separated by |||, and two files with one\n"
      "sentence per line. The output has source, tab and target on each line, and then the\n"
      "further columns of the file.",
      options,
      rules,
      .reads_operands = true};
  struct operands operands;
  int code;
  if (!options_parse(&usage, argc, argv, &operands, &code)) return code;
  return run(&job, usage.command, &operands);
}
