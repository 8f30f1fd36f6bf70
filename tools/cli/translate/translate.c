/* elman translate */
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

#include "commands.h"
#include "console/messages.h"
#include "console/output.h"
#include "group/launcher.h"
#include "input/search_options.h"
#include "input/sentences.h"
#include "options/command_line.h"
#include "translate/lines.h"

static const struct rule rules[] = {
    {"input", "TEXT", "TEXT and --input cannot be combined"},
    {"tag", "json n-best", "--tag cannot be combined with --json or --n-best"},
    {0}};

static int check_tag(const char *tag, const struct usage *usage) {
  if (tag == NULL) return EX_OK;
  if (tag[0] == '\0' || strpbrk(tag, "\t\r\n") != NULL)
    return report_usage(usage->command,
                        "--tag: TEXT must not be empty or contain a tab or a line break");
  if (!elman_is_text(tag, strlen(tag)))
    return report_usage(usage->command, "--tag: TEXT is not valid UTF-8");
  return EX_OK;
}

static int run(struct translate_lines *job, struct models *models, const char *input,
               const struct operands *operands, const char *output) {
  struct sentence_input sentences = {.have_parts = true, .max_line = job->options.max_bytes};
  int code = sentences_open(&sentences, input, operands);
  if (code != EX_OK) return code;
  code = translate_lines(job, models, &sentences, output);
  sentences_close(&sentences);
  return code;
}

int translate_command(int argc, char **argv) {
  struct translate_lines job = {.options = elman_translate_options_default()};
  struct models models = {0};
  const char *input = NULL, *output = NULL;
  struct option options[MAX_OPTIONS] = {
      MODELS_OPTION(models),
      INPUT_OPTION(input),
      OUTPUT_OPTIONS(output, "translations"),
      MAX_BYTES_OPTION(job.options),
      {"tag", 0, "TEXT", "prefix of each translation, followed by a space", .group = "Output",
       .text = &job.tag},
      {"json", 0, NULL, "one JSON object per line, with probability and tokens", .group = "Output",
       .flag = &job.json},
      QUIET_OPTION("no messages except errors")};
  library_options(options,
                  SEARCH_SCOPES | ELMAN_SCOPE_TEXT | ELMAN_SCOPE_SAMPLING | ELMAN_SCOPE_SEED,
                  &job.options);
  search_seed_describe(options, "random seed of sampling");
  const struct usage usage = {
      "translate",
      "[options] [TEXT...]",
      "Translates each TEXT, or each line of the input. With --n-best, writes one line per\n"
      "translation: number ||| text ||| logprob= X ||| score.",
      options,
      rules,
      .reads_operands = false};
  struct operands operands;
  int code;
  if (!options_parse(&usage, argc, argv, &operands, &code)) return code;
  code = launcher_refuse("translate runs as one process",
                         "divide the input (split -n l/4) and translate each part by itself");
  if (code == EX_OK)
    code = search_options_complete(&job.options, &models.given, &usage, &operands,
                                   job.json || option_given(&usage, &operands, "n-best"));
  if (code == EX_OK) code = check_tag(job.tag, &usage);
  if (code != EX_OK) return code;
  job.n_best = option_given(&usage, &operands, "n-best");
  return run(&job, &models, input, &operands, output);
}
