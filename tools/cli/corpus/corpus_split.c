/* elman corpus split */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sysexits.h>

#include "commands.h"
#include "console/messages.h"
#include "console/output.h"
#include "elman.h"
#include "input/pairs_input.h"
#include "options/command_line.h"
#include "options/option.h"

enum { LINES_BETWEEN_LOOKS = 4096 };

struct split_job {
  struct pairs_input input;
  elman_split_options options;
  const char *prefix;
  char *paths[ELMAN_PARTS];
};

/* ---- sizes and names ---- */

static int parse_size(elman_part_size *size, const char *command, const char *option,
                      const char *text) {
  double percent;
  uint64_t pairs;
  const char *rest = parse_decimal(&percent, text);
  *size = (elman_part_size){0};
  if (rest != NULL && strcmp(rest, "%") == 0 && percent < 100) {
    size->share = percent / 100;
    return EX_OK;
  }
  if (parse_whole_number(text, &pairs) && pairs <= SIZE_MAX / 2) {
    size->pairs = (size_t)pairs;
    return EX_OK;
  }
  return report_usage(
      command, "--%s: '%s' is neither a number of pairs nor a percentage from 0%% to below 100%%",
      option, text);
}

/* Name the parts "PREFIX.train.tsv", or "DIRECTORY/train.tsv" for a prefix that ends in a slash. */
static bool name_files(struct split_job *job) {
  const size_t length = strlen(job->prefix);
  const char *dot = job->prefix[length - 1] == '/' ? "" : ".";
  for (elman_part part = 0; part < ELMAN_PARTS; part++)
    if (asprintf(&job->paths[part], "%s%s%s.tsv", job->prefix, dot, elman_part_name(part)) < 0) {
      job->paths[part] = NULL;
      return false;
    }
  return true;
}

/* ---- writing ---- */

static bool is_written(const elman_split_info *info, elman_part part) {
  return info->pairs[part] > 0;
}

/* Write the lines. Stop at a signal or at the first write error. The output stores the error. */
static void write_lines(struct output *outputs, const elman_pairs *pairs,
                        const elman_split *split) {
  for (size_t i = 0; i < elman_pairs_count(pairs); i++) {
    size_t length;
    const char *line = elman_pairs_line(pairs, i, &length);
    struct output *output = &outputs[elman_split_part(split, i)];
    if (fwrite(line, 1, length, output->stream) < length || putc('\n', output->stream) == EOF) {
      output_flush(output);
      return;
    }
    if (i % LINES_BETWEEN_LOOKS == 0 && interrupt_signal() != 0) return;
  }
}

/* Move the files to their paths. If one cannot be moved, print which files have been replaced. */
static int commit_parts(struct output *outputs, const elman_split_info *info) {
  int code = EX_OK;
  elman_part failed = ELMAN_PART_TRAIN;
  for (elman_part part = 0; part < ELMAN_PARTS; part++) {
    if (!is_written(info, part)) continue;
    if (code != EX_OK) {
      output_abandon(&outputs[part]);
      continue;
    }
    code = output_close(&outputs[part], EX_OK);
    if (code != EX_OK) failed = part;
  }
  for (elman_part part = 0; part < ELMAN_PARTS && code != EX_OK; part++)
    if (is_written(info, part) && part != failed)
      report(outputs[part].path, part < failed ? "is a part of this split, but another part could "
                                                 "not be written; do not use it with older parts"
                                               : "was not written");
  return code;
}

static int write_parts(const struct split_job *job, const elman_pairs *pairs,
                       const elman_split *split) {
  const elman_split_info info = elman_split_get_info(split);
  struct output outputs[ELMAN_PARTS] = {0};
  int code = EX_OK;
  interrupt_catch_first();
  for (elman_part part = 0; part < ELMAN_PARTS && code == EX_OK; part++)
    if (is_written(&info, part)) code = output_open(&outputs[part], job->paths[part]);
  if (code == EX_OK) write_lines(outputs, pairs, split);
  if (code == EX_OK && interrupt_signal() != 0) code = 128 + interrupt_signal();
  for (elman_part part = 0; part < ELMAN_PARTS && code == EX_OK; part++)
    if (is_written(&info, part)) code = output_store(&outputs[part]);
  if (code == EX_OK) return commit_parts(outputs, &info);
  for (elman_part part = 0; part < ELMAN_PARTS; part++)
    if (outputs[part].file != NULL) output_abandon(&outputs[part]);
  return code;
}

/* ---- splitting ---- */

static void describe(const struct split_job *job, const elman_split *split) {
  const elman_split_info info = elman_split_get_info(split);
  struct stat old;
  note("%zu group%s of pairs, and no two groups share a sentence; the largest group has %zu pair%s",
       info.groups, plural(info.groups), info.largest, plural(info.largest));
  for (elman_part part = 0; part < ELMAN_PARTS; part++) {
    if (is_written(&info, part))
      note("%s: %zu pair%s", job->paths[part], info.pairs[part], plural(info.pairs[part]));
    else if (lstat(job->paths[part], &old) == 0)
      note("%s belongs to an earlier split; do not use it with these parts", job->paths[part]);
    if (part != ELMAN_PART_TRAIN && info.pairs[part] < info.wanted[part])
      note("%s has %zu pair%s; %zu were requested, but the remaining groups are too large",
           elman_part_name(part), info.pairs[part], plural(info.pairs[part]), info.wanted[part]);
  }
}

static int run(struct split_job *job, const char *command, const struct operands *operands) {
  if (job->prefix[0] == '\0')
    return report_usage(command, "no output prefix given; name it with -o PREFIX");
  if (strcmp(job->prefix, "-") == 0)
    return report_usage(command,
                        "--output: the parts cannot be written to standard output; name a PREFIX");
  int code = name_files(job) ? EX_OK : report_no_memory();
  elman_pairs *pairs = NULL;
  if (code == EX_OK) code = pairs_input_read(&pairs, &job->input, command, operands);
  elman_error error;
  elman_split *split = NULL;
  if (code == EX_OK && elman_split_create(&split, pairs, &job->options, &error) != ELMAN_OK)
    code = report_error(&error);
  if (code == EX_OK) code = write_parts(job, pairs, split);
  if (code == EX_OK) describe(job, split);
  elman_split_free(split);
  elman_pairs_free(pairs);
  for (elman_part part = 0; part < ELMAN_PARTS; part++) free(job->paths[part]);
  return code;
}

int corpus_split_command(int argc, char **argv) {
  struct split_job job = {.input = {.columns = DEFAULT_COLUMNS, .whole_lines = true},
                          .options = elman_split_options_default()};
  const char *dev = "5%", *test = "5%";
  static const char *const parts[] = {".train.tsv", ".dev.tsv", ".test.tsv", NULL};
  const struct option options[] = {
      {"output", 'o', "PREFIX",
       "prefix of the files: PREFIX.train.tsv, PREFIX.dev.tsv, PREFIX.test.tsv",
       .text = &job.prefix, .use = FILE_IS_PREFIX, .beside = parts},
      {"dev", 0, "SIZE", "number of dev pairs, or a percentage such as 2.5%; 0 = none",
       .text = &dev},
      {"test", 0, "SIZE", "number of test pairs, or a percentage; 0 = none", .text = &test},
      SEED_OPTION(job.options.seed, NULL, "random seed"),
      PAIRS_COLUMNS_OPTION(job.input),
      PAIRS_STRICT_OPTION(job.input),
      PAIRS_LIMITS_OPTIONS(job.input),
      FORCE_OPTION("overwrite existing files"),
      QUIET_OPTION("no messages except errors"),
      {0}};
  const struct rule rules[] = {{"", "!output", "no output prefix given; name it with -o PREFIX"},
                               {"", "!PAIRS", NO_PAIRS},
                               {0}};
  const struct usage usage = {
      "corpus split",
      "[options] -o PREFIX PAIRS...",
      "Splits pairs into train, dev and test sets. Pairs with the same source or the same\n"
      "target, apart from case, width, punctuation and spaces, go to the same set. Lines keep\n"
      "all their columns. A PREFIX that ends in '/' is a directory for train.tsv, dev.tsv and\n"
      "test.tsv.",
      options,
      rules,
      .reads_operands = true};
  struct operands operands;
  int code;
  if (!options_parse(&usage, argc, argv, &operands, &code)) return code;
  code = parse_size(&job.options.dev, usage.command, "dev", dev);
  if (code == EX_OK) code = parse_size(&job.options.test, usage.command, "test", test);
  return code == EX_OK ? run(&job, usage.command, &operands) : code;
}
