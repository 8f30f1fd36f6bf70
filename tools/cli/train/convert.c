/* elman convert */
#include <string.h>
#include <sys/stat.h>
#include <sysexits.h>

#include "commands.h"
#include "console/messages.h"
#include "console/output.h"
#include "elman.h"
#include "input/model_input.h"
#include "options/command_line.h"

static int convert(const char *path, const char *output, elman_number_type type) {
  elman_model *model;
  elman_error error;
  struct stat info;
  const int code = model_open(&model, path);
  if (code != EX_OK) return code;
  const size_t parameters = elman_model_get_info(model).parameters;
  const elman_status status = elman_model_save_as(model, output, type, &error);
  elman_model_free(model);
  if (status != ELMAN_OK) return report_error(&error);
  const size_t bytes = stat(output, &info) == 0 ? (size_t)info.st_size : 0;
  note("wrote %s, %zu parameters as %s, %zu bytes", output, parameters,
       elman_number_type_name(type), bytes);
  return EX_OK;
}

int convert_command(int argc, char **argv) {
  const char *model = DEFAULT_MODEL, *output = NULL;
  unsigned type = ELMAN_BFLOAT16;
  const struct option options[] = {
      MODEL_OPTION(model),
      {"output", 'o', "FILE", "model file to write", .text = &output, .use = FILE_IS_WRITTEN},
      FORCE_OPTION(FORCE_HELP),
      {"dtype", 0, "TYPE", "type of the numbers", .index = &type, .choice = elman_number_type_name},
      QUIET_OPTION("no messages except errors"),
      {0}};
  const struct rule rules[] = {{"FILE", "", "unexpected '%s'; name the model with -m FILE"},
                               {"", "!output", "no output file given; name it with -o FILE"},
                               {0}};
  const struct usage usage = {
      "convert",
      "[options] -o FILE",
      "Writes a copy of a model with numbers of another type. The file is about half as large\n"
      "with bfloat16 or float16, and about a quarter as large with int8. All commands that read\n"
      "models accept it. For an int8 file, translation uses --precision int8 by default.",
      options,
      rules,
      .reads_operands = false};
  struct operands operands;
  int code;
  if (!options_parse(&usage, argc, argv, &operands, &code)) return code;
  if (strcmp(output, "-") == 0)
    return report_usage(usage.command,
                        "--output: a model cannot be written to standard output; name a file");
  code = output_check(output);
  elman_lock *lock = NULL;
  if (code == EX_OK) code = output_claim(&lock, output);
  if (code == EX_OK) code = convert(model, output, (elman_number_type)type);
  elman_lock_release(lock);
  return code;
}
