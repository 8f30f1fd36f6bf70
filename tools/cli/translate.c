/* elman translate */
#include <sysexits.h>
#include <unistd.h>

#include "commands.h"
#include "group.h"
#include "interrupt.h"
#include "messages.h"
#include "options.h"
#include "output.h"
#include "search_options.h"
#include "sentences.h"
#include "translate_lines.h"

int translate_command(int argc, char **argv) {
  struct translate_lines job = {.options = elman_translate_options_default()};
  struct models models = {0};
  const char *input = NULL, *output = NULL;
  const struct option options[] = {
      MODELS_OPTION(models),
      INPUT_OPTION(input),
      OUTPUT_OPTION(output, "translations"),
      SEARCH_OPTIONS(job.options),
      TIMEOUT_OPTION,
      {"json", 0, NULL, "a JSON object a line, with probability and tokens", .flag = &job.json},
      QUIET_OPTION("print errors only"),
      {0}};
  const struct rule rules[] = {{"input", "TEXT", "give either TEXT or --input"}, {0}};
  const struct usage usage = {
      "translate", "[options] [TEXT...]",
      "Translates each TEXT, or each line of the input. One sentence in, one line out; with\n"
      "--n-best a line for each translation: number ||| text ||| logprob= X ||| score.",
      options, rules};
  struct operands operands;
  int code;
  if (!options_parse(&usage, argc, argv, &operands, &code)) return code;
  code = group_check_timeout(&usage, &operands);
  if (code == EX_OK)
    code = output_check_unread(usage.command, output, models.paths.words, models.paths.count);
  if (code == EX_OK) code = output_check_unread(usage.command, output, &input, 1);
  if (code == EX_OK) code = search_options_settle(&job.options, &usage, &operands);
  if (code != EX_OK) return code;
  job.n_best = option_given(&usage, &operands, "n-best");
  job.options.without_scores = !job.n_best && !job.json; /* nobody will see them */
  struct sentences sentences = {.max_line = job.options.max_bytes};
  if (!group_leads()) { /* the leader hands out what it reads */
    input = output = NULL;
    operands.count = 0;
  }
  code = sentences_open(&sentences, input, &operands);
  if (code != EX_OK) return code;
  code = translate_lines(&job, &models, &sentences, output);
  sentences_close(&sentences);
  return code;
}
