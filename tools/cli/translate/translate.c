/* elman translate */
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

#include "commands.h"
#include "console/messages.h"
#include "console/output.h"
#include "group/group.h"
#include "input/search_options.h"
#include "input/sentences.h"
#include "options/command_line.h"
#include "translate/lines.h"

int translate_command(int argc, char **argv) {
  struct translate_lines job = {.options = elman_translate_options_default()};
  struct models models = {0};
  const char *input = NULL, *output = NULL;
  const struct option options[] = {
      MODELS_OPTION(models),
      INPUT_OPTION(input),
      OUTPUT_OPTION(output, "translations"),
      SEARCH_OPTIONS(job.options),
      {"sample", 0, NULL, "draw each token at random, by its probability",
       .flag = &job.options.sample},
      {"temperature", 0, "X", "of --sample: below 1 likely tokens become likelier",
       .real = &job.options.temperature, .lowest = 0.01, .highest = 100},
      {"top-k", 0, "K", "of --sample: draw from the K likeliest tokens; 0 = all",
       .count = &job.options.top_k, .most = ELMAN_MOST_TOP_K},
      SEED_OPTION(job.options.sample_seed, "of --sample"),
      {"tag", 0, "TEXT", "put TEXT and a space in front of each translation", .text = &job.tag},
      THREADS_OPTION(job.options.threads),
      TIMEOUT_OPTION,
      {"json", 0, NULL, "a JSON object a line, with probability and tokens", .flag = &job.json},
      QUIET_OPTION("print errors only"),
      {0}};
  const struct rule rules[] = {
      {"input", "TEXT", "give either TEXT or --input"},
      {"temperature top-k seed", "!sample", "--%s needs --sample"},
      {"sample", "beam n-best length-penalty length-norm coverage-penalty",
       "--sample draws one translation and chooses among none; leave "
       "the options of the beam and its scores out"},
      {"tag", "json n-best", "--tag goes with plain lines, not with --json or --n-best"},
      {0}};
  const struct usage usage = {
      "translate",
      "[options] [TEXT...]",
      "Translates each TEXT, or each line of the input. One sentence in, one line out; with\n"
      "--n-best a line for each translation: number ||| text ||| logprob= X ||| score.",
      options,
      rules,
      .reads_operands = false};
  struct operands operands;
  int code;
  if (!options_parse(&usage, argc, argv, &operands, &code)) return code;
  code = group_check_timeout(&usage, &operands);
  if (code == EX_OK)
    code = search_options_complete(&job.options, &usage, &operands,
                                   job.json || option_given(&usage, &operands, "n-best"));
  if (code == EX_OK && job.tag != NULL &&
      (job.tag[0] == '\0' || strpbrk(job.tag, "\t\r\n") != NULL))
    code = report_usage(usage.command, "--tag: it is empty, or has a tab or a line end");
  if (code == EX_OK && job.tag != NULL && !elman_is_text(job.tag, strlen(job.tag)))
    code = report_usage(usage.command, "--tag: it is not valid UTF-8 text");
  if (code != EX_OK) return code;
  job.options.threads = group_threads(job.options.threads);
  job.n_best = option_given(&usage, &operands, "n-best");
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
