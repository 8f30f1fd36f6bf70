/* elman average */
#include <string.h>
#include <sys/stat.h>
#include <sysexits.h>

#include "commands.h"
#include "console/messages.h"
#include "console/output.h"
#include "elman.h"
#include "options/command_line.h"

static int average(char *const *paths, size_t count, const char *output) {
  elman_error error;
  elman_model *model;
  if (elman_model_average(&model, (const char *const *)paths, count, &error) != ELMAN_OK)
    return report_error(&error);
  const elman_status status = elman_model_save(model, output, &error);
  elman_model_free(model);
  if (status != ELMAN_OK) return report_error(&error);
  note("wrote %s, the mean of %zu model%s", output, count, plural(count));
  return EX_OK;
}

int average_command(int argc, char **argv) {
  const char *output = NULL;
  const struct option options[] = {
      {"output", 'o', "FILE", "model file to write", .text = &output, .use = FILE_IS_WRITTEN},
      FORCE_OPTION(FORCE_HELP),
      QUIET_OPTION("no messages except errors"),
      {0}};
  const struct rule rules[] = {{"", "!MODEL", "no MODEL given; name the models to average"},
                               {"", "!output", "no output file given; name it with -o FILE"},
                               {0}};
  const struct usage usage = {
      "average",
      "[options] -o FILE MODEL...",
      "Writes a model whose parameters are the mean of those of several models. The models\n"
      "must have the same configuration and vocabularies, and come from one training run or\n"
      "continue from the same model (train --init-from).",
      options,
      rules,
      .reads_operands = true};
  struct operands operands;
  int code;
  if (!options_parse(&usage, argc, argv, &operands, &code)) return code;
  if (strcmp(output, "-") == 0)
    return report_usage(usage.command,
                        "--output: a model cannot be written to standard output; name a file");
  struct stat first;
  code = output_check_room(output, stat(operands.words[0], &first) == 0 ? (uint64_t)first.st_size
                                                                        : (uint64_t)0);
  elman_lock *lock = NULL;
  if (code == EX_OK) code = output_claim(&lock, output);
  if (code == EX_OK) code = average(operands.words, operands.count, output);
  elman_lock_release(lock);
  return code;
}
