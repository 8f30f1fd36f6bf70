/* elman attention */
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

#include "attention/attention_job.h"
#include "attention/attention_matrices.h"
#include "commands.h"
#include "console/messages.h"
#include "console/output.h"
#include "console/terminal.h"
#include "input/model_input.h"
#include "input/pairs_input.h"
#include "input/search_options.h"
#include "input/sentences.h"
#include "options/command_line.h"
#include "options/option_files.h"

struct command_line {
  struct attention_job job;
  struct matrices_options matrices; /* options for --matrices, which are used in place of a job */
  struct sentence_input input;
  struct models models;
  const char *input_path, *output, *columns;
  unsigned rule, units; /* values of enums in job.style */
  bool summary, each;
  struct model_series series;
  struct overrides overrides;
};

static const char *rule_choice(size_t index) {
  return elman_alignment_rule_name((elman_alignment_rule)index);
}

/* ---- rules and checks ---- */

#define FOR_MATRICES "attention heads attention-window weights scale causal key-length normalize"
#define FOR_SENTENCES                                                                              \
  "* model input numbers title reference references override alignment threshold units summary "   \
  "alignments columns json each-model quiet"

static const struct rule rules[] = {
    {FOR_SENTENCES, "matrices", "--%s and --matrices cannot be combined"},
    {FOR_MATRICES, "!matrices", "--%s needs --matrices"},
    {"reference", "!1", "--reference needs exactly one TEXT"},
    {"reference", "references", "--reference and --references cannot be combined"},
    {"summary", "format", "--summary writes no matrices; remove --format"},
    {"summary", "numbers", "--summary writes no matrices; remove --numbers"},
    {"summary", "title", "--summary writes no matrices; remove --title"},
    {"json", "!summary", "--json needs --summary; use --format json for matrices"},
    {"alignments", "!summary", "--alignments needs --summary"},
    {"alignments", "TEXT", "--alignments needs --input instead of TEXT"},
    {"columns", "!alignments", "--columns needs --alignments"},
    {"reference references", "alignments",
     "--alignments reads the references from the input; remove --%s"},
    {"each-model", "summary", "--each-model and --summary cannot be combined"},
    {"each-model", "override", "--each-model and --override cannot be combined"},
    {"replace-unknown", "summary", "--replace-unknown and --summary cannot be combined"},
    {"input", "TEXT", "TEXT and --input cannot be combined"},
    {0}};

static int check_links(const struct usage *usage, const struct operands *operands,
                       const struct command_line *line) {
  const bool has_links =
      line->summary ? line->input.alignment_column > 0 : strcmp(line->job.format, "pharaoh") == 0;
  const bool has_threshold = option_given(usage, operands, "threshold");
  if (!has_links && (has_threshold || option_given(usage, operands, "alignment")))
    return report_usage(usage->command,
                        "--alignment and --threshold need --format pharaoh or --alignments");
  if (has_threshold && line->job.style.alignment != ELMAN_ALIGNMENT_THRESHOLD)
    return report_usage(usage->command, "--threshold needs --alignment threshold");
  return EX_OK;
}

static int choose_format(struct attention_job *job, const char *output, const struct usage *usage) {
  int code = format_choose(&job->format, &attention_formats, output);
  if (code != EX_OK) return code;
  if (job->format == NULL) job->format = elman_format_name(0);
  code = format_check_terminal(usage->command, job->format, output);
  if (code != EX_OK) return code;
  if (job->style.numbers && strcmp(job->format, "text") != 0)
    return report_usage(usage->command, "--numbers needs --format text, not %s", job->format);
  if (job->style.title != NULL && strcmp(format_written(job->format), "svg") != 0)
    return report_usage(usage->command, "--title needs --format svg, png or pdf, not %s",
                        job->format);
  if (job->options.n_best > 1 && strcmp(job->format, "npy") == 0)
    return report_usage(usage->command,
                        "--n-best: npy cannot store sentence numbers; use --format json");
  return EX_OK;
}

static int list_series(struct command_line *line, const struct usage *usage,
                       const struct operands *operands) {
  struct option_list *paths = &line->models.paths;
  const char *format = line->job.format;
  if (strcmp(format, "json") != 0 && strcmp(format, "html") != 0)
    return report_usage(usage->command, "--each-model needs --format json or html, not %s", format);
  if (operands->count == 0 && is_standard(line->input_path))
    return report_usage(usage->command,
                        "--each-model reads the sentences once per model and cannot use standard "
                        "input; name a file with --input, or give TEXT");
  if (is_standard(line->input.references_path) && line->input.references_path != NULL)
    return report_usage(usage->command, "--each-model reads --references once per model and cannot "
                                        "use standard input; name a file");
  int code = model_series_list(&line->series, paths);
  for (size_t i = 0; code == EX_OK && i < line->series.count; i++)
    code = options_check_files(
        usage, operands, &(struct extra_file){FILE_IS_READ, "each-model", line->series.paths[i]},
        1);
  if (code != EX_OK || line->series.count > 1) return code;
  return report_usage(usage->command,
                      "--each-model needs several models: name them with --model, or train with "
                      "--keep-last, which writes snapshots next to '%s'",
                      paths->words[0]);
}

static int parse_columns(struct command_line *line, const struct usage *usage) {
  struct sentence_input *input = &line->input;
  if (input->alignment_column == 0) return EX_OK;
  const int code =
      columns_parse(&input->source_column, &input->target_column, line->columns, usage->command);
  if (code != EX_OK || (input->alignment_column != input->source_column &&
                        input->alignment_column != input->target_column))
    return code;
  return report_usage(
      usage->command,
      "--alignments: column %zu contains sentences (--columns %s); name another column",
      input->alignment_column, line->columns);
}

/* Complete the options that depend on others, and check all options. */
static int check_options(struct command_line *line, const struct usage *usage,
                         const struct operands *operands) {
  struct attention_job *job = &line->job;
  job->style.alignment = (elman_alignment_rule)line->rule;
  job->style.numbered = option_given(usage, operands, "n-best");
  const char *references = line->input.references_path;
  const bool reads_references = references != NULL && is_standard(references);
  const bool reads_texts = operands->count == 0 && is_standard(line->input_path);
  int code = check_standard_input(usage->command, false, reads_references && reads_texts);
  if (code == EX_OK) code = parse_columns(line, usage);
  if (code == EX_OK && !line->summary) code = choose_format(job, line->output, usage);
  const bool shows_scores = !line->summary && code == EX_OK && strcmp(job->format, "json") == 0;
  const struct option_place place = {usage->command, "--"};
  if (code == EX_OK) code = overrides_parse(&line->overrides, &job->options, &place);
  if (code == EX_OK)
    code = search_options_complete(&job->options, &job->given, usage, operands, shows_scores);
  if (code == EX_OK && (line->input.reference != NULL || line->input.references_path != NULL ||
                        line->input.alignment_column > 0))
    code = search_options_unused(&job->options, &job->given);
  line->models.given = job->given;
  if (code == EX_OK && line->each) code = list_series(line, usage, operands);
  job->style.units = (elman_alignment_units)line->units;
  /* Adapt the units to the overrides, except for pharaoh and --summary, which show no matrix. */
  if (code == EX_OK && !line->summary && strcmp(job->format, "pharaoh") != 0)
    code = overrides_choose_units(&job->style.units, &job->options, &place);
  if (code != EX_OK) return code;
  if (is_standard(line->output)) {
    job->style.color = terminal_has_color(STDOUT_FILENO);
    job->style.width = terminal_width(STDOUT_FILENO);
  }
  return check_links(usage, operands, line);
}

static int run(struct command_line *line, const struct operands *operands) {
  line->input.max_line = line->job.options.max_bytes;
  if (line->each) {
    line->job.sequence =
        (struct model_sequence){line->series.paths, line->series.count, line->input_path, operands};
    line->job.options.self_attention = true;
    return attention_job_run(&line->job, NULL, &line->input, line->output);
  }
  int code = sentences_open(&line->input, line->input_path, operands);
  if (code != EX_OK) return code;
  code = models_open(&line->models, &line->job.options);
  if (code == EX_OK) code = units_check("--units", line->job.style.units, &line->models);
  const char *format = line->job.format;
  /* These formats show self-attention, which needs one model without overrides. */
  line->job.options.self_attention =
      format != NULL && (strcmp(format, "json") == 0 || strcmp(format, "html") == 0) &&
      line->job.options.ensemble_count + line->job.options.override_count == 0;
  if (code == EX_OK)
    code = attention_job_run(&line->job, line->models.open[0], &line->input, line->output);
  models_close(&line->models);
  sentences_close(&line->input);
  return code;
}

/* ---- the command ---- */

static void list_options(struct option table[MAX_OPTIONS], struct command_line *line) {
  const struct option rows[] = {
      MODELS_OPTION(line->models),
      {"each-model", 0, NULL,
       "attention of each model and its snapshots; needs --format json or html", .group = "Input",
       .flag = &line->each},
      INPUT_OPTION(line->input_path),
      OUTPUT_OPTIONS(line->output, "matrices"),
      {"format", 0, "FORMAT", "output format", "by the suffix of --output, or text",
       .group = "Output", .text = &line->job.format, .choice = attention_formats.name},
      {"numbers", 0, NULL, "weights as numbers instead of shades (text format)", .group = "Output",
       .flag = &line->job.style.numbers},
      {"title", 0, "TEXT", "text above each heat map (svg, png, pdf); '' for none",
       "number, sentence and translation", .group = "Output", .text = &line->job.style.title},
      {"reference", 0, "TEXT", "translation of the only sentence, for forced decoding",
       .group = "Input", .text = &line->input.reference},
      {"references", 0, "FILE", "translations of all sentences, one per line, for forced decoding",
       .group = "Input", .text = &line->input.references_path, .use = FILE_IS_READ},
      MAX_BYTES_OPTION(line->job.options),
      OVERRIDE_OPTION(line->overrides),
      {"alignment", 0, "RULE", "rule that selects alignment links; for pharaoh and --alignments",
       .group = "Output", .index = &line->rule, .choice = rule_choice},
      {"threshold", 0, "X", "minimum attention weight of a link, with --alignment threshold",
       .group = "Output", .real = &line->job.style.threshold, .lowest = 0.0001, .highest = 1},
      {"units", 0, "UNITS",
       "units of rows, columns and links; auto: tokens on a side of Chinese without spaces; on "
       "other sides, words for links, and words for rows and columns with bpe, else tokens",
       .group = "Output", .index = &line->units, .choice = units_choice},
      {"summary", 0, NULL, "statistics of the attention over all sentences instead of matrices",
       .group = "Summary", .flag = &line->summary},
      {"alignments", 0, "N", "column of reference word alignments in the input; needs --summary",
       "none", .group = "Summary", .count = &line->input.alignment_column, .least = 1,
       .most = MAX_COLUMNS},
      {"columns", 0, "A,B", "source and target columns of the input; needs --alignments",
       .group = "Summary", .text = &line->columns},
      {"json", 0, NULL, "one JSON object as output; needs --summary", .group = "Summary",
       .flag = &line->job.json},
      QUIET_OPTION("no messages except errors"),
      MATRICES_OPTIONS(line->matrices)};
  memcpy(table, rows, sizeof rows);
  library_options(table, SEARCH_SCOPES | ELMAN_SCOPE_SEED, &line->job.options);
  search_seed_describe(table, "random seed of --override shuffle");
}

int attention_command(int argc, char **argv) {
  struct command_line line = {
      .job = {.options = elman_translate_options_default(),
              .style = {.threshold = ELMAN_DEFAULT_THRESHOLD}},
      .matrices = matrices_options_default(),
      .rule = ELMAN_ALIGNMENT_ARGMAX,
      .units = ELMAN_UNITS_AUTO,
      .columns = DEFAULT_COLUMNS,
  };
  struct option options[MAX_OPTIONS] = {{0}};
  list_options(options, &line);
  const struct usage usage = {
      "attention",
      "[options] [TEXT...]",
      "Translates each TEXT, or each line of the input, and writes the attention weights of\n"
      "each translation: a row per target token, a column per source token.\n\n"
      "elman attention --matrices [options] QUERIES KEYS VALUES\n\n"
      "Computes attention on matrices, without a model, and prints scores, weights and\n"
      "context. The files are .npy, or text with one row per line. A single file serves as\n"
      "queries, keys and values.",
      options,
      rules,
      .reads_operands = false};
  struct operands operands;
  int code;
  if (!options_parse(&usage, argc, argv, &operands, &code)) return code;
  if (line.matrices.wanted)
    return attention_matrices(&line.matrices, &usage, &operands, line.job.format, line.output);
  code = check_options(&line, &usage, &operands);
  if (code == EX_OK) code = run(&line, &operands);
  model_series_free(&line.series);
  return code;
}
