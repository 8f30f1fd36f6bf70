/* elman attention */
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

#include "attention_files.h"
#include "attention_job.h"
#include "attention_matrices.h"
#include "commands.h"
#include "messages.h"
#include "model_input.h"
#include "options.h"
#include "output.h"
#include "override_options.h"
#include "pairs_input.h"
#include "search_options.h"
#include "sentences.h"
#include "terminal.h"

struct command_line {
  struct attention_job job;
  struct sentences input;
  const char *model, *input_path, *output;
  const char *rule, *units;
  bool summary;
  struct overrides overrides;
};

static const char *rule_choice(size_t index) {
  return elman_alignment_rule_name((elman_alignment_rule)index);
}

static const char *units_choice(size_t index) {
  return elman_alignment_units_name((elman_alignment_units)index);
}

/* `name` is one of the choices. */
static size_t index_of(const char *name, const char *(*choice)(size_t index)) {
  size_t index = 0;
  while (strcmp(choice(index), name) != 0) index++;
  return index;
}

static bool is_standard(const char *path) {
  return path == NULL || strcmp(path, "-") == 0;
}

/* ---- what goes together ---- */

static int check_references(const struct usage *usage, const struct operands *operands,
                            const struct command_line *line) {
  const struct sentences *input = &line->input;
  const bool one = input->reference != NULL, file = input->references_path != NULL;
  if (one && operands->count != 1)
    return report_usage(usage->command, "--reference needs exactly one TEXT");
  if (one && file) return report_usage(usage->command, "give either --reference or --references");
  if ((one || file || input->alignment_column > 0) && option_given(usage, operands, "n-best"))
    return report_usage(usage->command, "--%s forces one translation; leave out --n-best",
                        one    ? "reference"
                        : file ? "references"
                               : "alignments");
  if (file && is_standard(input->references_path) && operands->count == 0 &&
      is_standard(line->input_path))
    return report_usage(usage->command, "standard input ('-') can be read once only");
  return EX_OK;
}

static int check_summary(const struct usage *usage, const struct operands *operands,
                         const struct command_line *line) {
  const bool aligned = line->input.alignment_column > 0;
  if (line->summary && line->job.format != NULL)
    return report_usage(usage->command, "--format is for matrices; --summary writes none");
  if (!line->summary && line->job.json)
    return report_usage(usage->command,
                        "--json goes with --summary; for matrices take --format json");
  if (!line->summary && aligned)
    return report_usage(usage->command, "--alignments goes with --summary");
  if (aligned && operands->count > 0)
    return report_usage(usage->command, "--alignments is for lines of --input, not for TEXT");
  if (aligned && (line->input.reference != NULL || line->input.references_path != NULL))
    return report_usage(usage->command, "--alignments takes the references from column 2");
  return EX_OK;
}

static int check_rule(const struct usage *usage, const struct operands *operands,
                      const struct command_line *line) {
  const bool has_links =
      line->summary ? line->input.alignment_column > 0 : strcmp(line->job.format, "pharaoh") == 0;
  const bool has_threshold = option_given(usage, operands, "threshold");
  if (!has_links && (has_threshold || option_given(usage, operands, "alignment") ||
                     option_given(usage, operands, "units")))
    return report_usage(
        usage->command,
        "--alignment, --threshold and --units are for --format pharaoh and --alignments");
  if (has_threshold && line->job.style.alignment != ELMAN_ALIGNMENT_THRESHOLD)
    return report_usage(usage->command, "--threshold goes with --alignment threshold");
  return EX_OK;
}

static int check_output(const struct usage *usage, const struct command_line *line) {
  const char *output = line->output;
  if (output_is(output, line->model) || output_is(output, line->input_path) ||
      output_is(output, line->input.references_path))
    return report_usage(usage->command, "--output: '%s' is read; name another file", output);
  return EX_OK;
}

/* Chooses what was left open. */
static int settle(struct command_line *line, const struct usage *usage,
                  const struct operands *operands) {
  struct attention_job *job = &line->job;
  const bool to_stdout = is_standard(line->output);
  int code = check_references(usage, operands, line);
  if (code == EX_OK) code = check_summary(usage, operands, line);
  if (code == EX_OK) code = check_output(usage, line);
  if (code == EX_OK) code = search_options_settle(&job->options, usage, operands);
  if (code == EX_OK) code = overrides_settle(&line->overrides, usage);
  if (code != EX_OK) return code;
  job->options.overrides = line->overrides.list;
  job->options.override_count = line->overrides.words.count;
  job->style.alignment = (elman_alignment_rule)index_of(line->rule, rule_choice);
  job->style.units = (elman_alignment_units)index_of(line->units, units_choice);
  job->style.color = to_stdout && terminal_has_color(STDOUT_FILENO);
  job->style.width = to_stdout ? terminal_width(STDOUT_FILENO) : 0;
  if (!line->summary) {
    code = format_settle(&job->format, line->output);
    if (code != EX_OK) return code;
    if (job->format == NULL) job->format = elman_format_name(0);
    if (strcmp(job->format, "npy") == 0 && to_stdout && isatty(STDOUT_FILENO))
      return report_usage(usage->command, "npy is not text for a terminal; name a file by -o FILE");
  }
  if (job->style.numbers && (line->summary || strcmp(job->format, "text") != 0))
    return report_usage(usage->command, "--numbers is for --format text");
  return check_rule(usage, operands, line);
}

static int run(struct command_line *line, const char *command, const struct operands *operands) {
  elman_model *model;
  line->input.max_line = line->job.options.max_bytes;
  int code = sentences_open(&line->input, command, line->input_path, operands);
  if (code != EX_OK) return code;
  code = model_open(&model, line->model);
  if (code == EX_OK) {
    code = attention_job_run(&line->job, model, &line->input, line->output);
    elman_model_free(model);
  }
  sentences_close(&line->input);
  return code;
}

int attention_command(int argc, char **argv) {
  struct command_line line = {
      .job = {.options = elman_translate_options_default(),
              .style = {.threshold = ELMAN_DEFAULT_THRESHOLD}},
      .model = DEFAULT_MODEL,
      .rule = elman_alignment_rule_name(ELMAN_ALIGNMENT_ARGMAX),
      .units = elman_alignment_units_name(ELMAN_UNITS_AUTO),
  };
  struct matrices_options matrices = matrices_options_default();
  const struct option options[] = {
      MODEL_OPTION(line.model),
      {"input", 'i', "FILE", "sentences, one a line", "standard input", .text = &line.input_path},
      {"output", 'o', "FILE", "where the matrices go", "standard output", .text = &line.output},
      {"format", 0, "FORMAT", "how they are written", "by the suffix of --output, or text",
       .text = &line.job.format, .choice = elman_format_name},
      {"numbers", 0, NULL, "text: weights as numbers, not as shades",
       .flag = &line.job.style.numbers},
      {"reference", 0, "TEXT", "force this translation; for one sentence",
       .text = &line.input.reference},
      {"references", 0, "FILE", "force line n as the translation of sentence n",
       .text = &line.input.references_path},
      SEARCH_OPTIONS(line.job.options),
      OVERRIDE_OPTION(line.overrides),
      {"seed", 0, "N", "chooses where --override shuffle puts the weights",
       .seed = &line.job.options.override_seed},
      {"alignment", 0, "RULE", "which words pharaoh links", .text = &line.rule,
       .choice = rule_choice},
      {"threshold", 0, "X", "smallest weight that --alignment threshold takes",
       .real = &line.job.style.threshold, .lowest = 0.0001, .highest = 1},
      {"units", 0, "UNITS", "what is linked; auto: words, and tokens of Chinese without spaces",
       .text = &line.units, .choice = units_choice},
      {"summary", 0, NULL, "measure the attention over all sentences instead of showing it",
       .flag = &line.summary},
      {"alignments", 0, "N",
       "with --summary: lines are source, target and, in column N, word alignments", "none",
       .count = &line.input.alignment_column, .least = 3, .most = MOST_COLUMNS},
      {"json", 0, NULL, "with --summary: print one JSON object", .flag = &line.job.json},
      {"matrices", 0, NULL,
       "take files of numbers in place of sentences; with it:", .flag = &matrices.wanted},
      {"attention", 0, "KIND", "mechanism", .text = &matrices.attention.mechanism,
       .choice = elman_attention_name},
      {"heads", 0, "N", "heads, which divide the columns", .count = &matrices.attention.heads,
       .least = 1, .most = 64},
      {"attention-window", 0, "N", "keys that local attention sees to each side of its centre",
       .count = &matrices.attention.window, .least = 1, .most = 1000},
      {"weights", 0, "FILE", "learned weights of the mechanism: safetensors, as a model is",
       .text = &matrices.weights},
      {"scale", 0, NULL, "divide products by the root of the columns of a head",
       .flag = &matrices.scale},
      {"causal", 0, NULL, "query t sees keys 1 to t only", .flag = &matrices.attention.causal},
      {"key-length", 0, "N", "keys after the Nth are padding, which no query sees", "all keys",
       .count = &matrices.attention.key_length, .least = 1, .most = 1000000000},
      {"normalize", 0, "NAME", "how scores become weights", .text = &matrices.normalize,
       .choice = matrices_normalization},
      {0}};
  const struct usage usage = {
      "attention", "[options] [TEXT...]",
      "Translates each TEXT, or each line of the input, and shows how much each target\n"
      "word attended to each source word: a matrix for each translation.\n\n"
      "elman attention --matrices [options] QUERIES KEYS VALUES\n\n"
      "Attention on matrices of numbers, without a model: prints scores, weights and\n"
      "context. The files are .npy, or text with a row a line; one file is all three.",
      options};
  struct operands operands;
  int code;
  if (!options_parse(&usage, argc, argv, &operands, &code)) return code;
  code = matrices_options_check(&matrices, &usage, &operands);
  if (code != EX_OK) return code;
  if (matrices.wanted)
    return attention_matrices(&matrices, &usage, &operands, line.job.format, line.output);
  code = settle(&line, &usage, &operands);
  return code == EX_OK ? run(&line, usage.command, &operands) : code;
}
