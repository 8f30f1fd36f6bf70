/* elman evaluate */
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "commands.h"
#include "console/json_output.h"
#include "console/messages.h"
#include "console/output.h"
#include "console/terminal.h"
#include "elman.h"
#include "group/group.h"
#include "input/model_input.h"
#include "input/pairs_input.h"
#include "input/search_options.h"
#include "options/command_line.h"

enum { LABELS = 20 };

/* ---- scores of text against text ---- */

static bool has_ter(const elman_metric_scores *scores) {
  return scores->ter_signature[0] != '\0';
}

static void write_metrics(struct json *json, const elman_metric_scores *scores) {
  char lengths[80];
  snprintf(lengths, sizeof lengths, " (%zu word%s, reference %zu)", scores->hypothesis_length,
           plural(scores->hypothesis_length), scores->reference_length);
  const struct figure figures[] = {{"bleu", "BLEU", .real = &scores->bleu, .decimals = 2},
                                   {"bleu_precisions", "BLEU precisions",
                                    .list = scores->precisions, .listed = 4, .decimals = 1},
                                   {"brevity_penalty", "brevity penalty",
                                    .real = &scores->brevity_penalty, .decimals = 3,
                                    .unit = lengths},
                                   {"hypothesis_length", .count = &scores->hypothesis_length},
                                   {"reference_length", .count = &scores->reference_length},
                                   {"chrf", "chrF2", .real = &scores->chrf, .decimals = 2},
                                   {0}};
  const struct figure ter[] = {{"ter", "TER", .real = &scores->ter, .decimals = 2}, {0}};
  figures_write(json, figures);
  if (has_ter(scores)) figures_write(json, ter);
}

/* Write how the metrics were computed, and close the object. */
static void write_signatures(struct json *json, const elman_metric_scores *scores) {
  const struct figure figures[] = {
      {"bleu_signature", "BLEU signature", .text = scores->bleu_signature},
      {"chrf_signature", "chrF2 signature", .text = scores->chrf_signature},
      {0}};
  const struct figure ter[] = {{"ter_signature", "TER signature", .text = scores->ter_signature},
                               {0}};
  figures_write(json, figures);
  if (has_ter(scores)) figures_write(json, ter);
  json_print(json, "}\n");
}

/* ---- scores of sentences ---- */

/* A table of tab-separated values, a row per sentence and output. */
struct sentence_table {
  const char *path; /* NULL = none */
  struct output output;
  const char *system; /* name of the output, for the next rows */
  bool ter;
};

static int table_open(struct sentence_table *table, const elman_metric_options *options) {
  if (table->path == NULL) return EX_OK;
  table->ter = options->ter;
  const int code = output_open(&table->output, table->path);
  if (code != EX_OK) return code;
  fprintf(table->output.stream, "sentence\tsystem\tbleu\tchrf%s\ttranslation\treference\n",
          table->ter ? "\tter" : "");
  return EX_OK;
}

/* Write a text as a field: a tab within it would separate fields. */
static void write_field(FILE *stream, const char *text) {
  putc('\t', stream);
  if (elman_table_is_formula(text)) putc('\'', stream);
  for (; *text != '\0'; text++) putc(*text == '\t' ? ' ' : *text, stream);
}

static void table_add(struct sentence_table *table, const elman_evaluated *sentence) {
  FILE *stream = table->output.stream;
  fprintf(stream, "%zu", sentence->number + 1);
  write_field(stream, table->system);
  fprintf(stream, "\t%.2f\t%.2f", sentence->scores.bleu, sentence->scores.chrf);
  if (table->ter) fprintf(stream, "\t%.2f", sentence->scores.ter);
  write_field(stream, sentence->translation);
  write_field(stream, sentence->reference);
  putc('\n', stream);
}

static int table_close(struct sentence_table *table, int code) {
  return table->path == NULL ? code : output_finish(&table->output, code, code == EX_OK);
}

/* ---- files against files, without a model ---- */

struct file_evaluation {
  struct option_list hypotheses, references;
  const elman_metric_options *options;
  struct sentence_table *table;
  bool json;
};

enum { MAX_FILES = ELMAN_MAX_SYSTEMS + MAX_LISTED };

/* Scores of each hypothesis and, if there are several, their comparison. */
struct file_scores {
  elman_compared compared[ELMAN_MAX_SYSTEMS];
  elman_p_values *p_values; /* (hypotheses, hypotheses) */
};

/* Input files: first the hypotheses, then the references. */
struct inputs {
  elman_lines *files[MAX_FILES];
  const char *names[MAX_FILES];
  const char *const *lines[MAX_FILES];
  size_t count;
  size_t hypotheses;
  size_t sentences;
};

static void inputs_close(struct inputs *inputs) {
  for (size_t i = 0; i < inputs->count; i++) elman_lines_free(inputs->files[i]);
}

static int inputs_add(struct inputs *inputs, const char *path) {
  elman_error error;
  const size_t i = inputs->count;
  if (elman_lines_read(&inputs->files[i], path, &error) != ELMAN_OK) return report_error(&error);
  inputs->names[i] = input_name(path);
  inputs->lines[i] = elman_lines_get(inputs->files[i]);
  inputs->count++;
  const size_t lines = elman_lines_count(inputs->files[i]);
  if (i == 0) inputs->sentences = lines;
  if (lines == inputs->sentences) return EX_OK;
  report(inputs->names[0],
         "has %zu line%s, but %s has %zu; line n of one file must belong to line n of the other",
         inputs->sentences, plural(inputs->sentences), inputs->names[i], lines);
  return EX_DATAERR;
}

static int inputs_read(struct inputs *inputs, const struct file_evaluation *evaluation) {
  int code = EX_OK;
  *inputs = (struct inputs){.hypotheses = evaluation->hypotheses.count};
  for (size_t i = 0; i < evaluation->hypotheses.count && code == EX_OK; i++)
    code = inputs_add(inputs, evaluation->hypotheses.words[i]);
  for (size_t i = 0; i < evaluation->references.count && code == EX_OK; i++)
    code = inputs_add(inputs, evaluation->references.words[i]);
  return code;
}

static size_t count_standard_input(const struct option_list *list) {
  size_t count = 0;
  for (size_t i = 0; i < list->count; i++) count += strcmp(list->words[i], "-") == 0;
  return count;
}

static int check(const struct file_evaluation *evaluation, const char *command) {
  const size_t standard =
      count_standard_input(&evaluation->hypotheses) + count_standard_input(&evaluation->references);
  return check_standard_input(command, standard > 0, standard > 1);
}

static void note_short_references(const elman_metric_scores *scores, size_t count) {
  if (2 * scores->short_references > count)
    note("%zu of %zu reference%s %s fewer than 4 words; BLEU counts sequences of 1 to 4 words, so "
         "compare by chrF2",
         scores->short_references, count, plural(count),
         scores->short_references == 1 ? "has" : "have");
}

/* Report text without spaces, because TER counts each of its sentences as one word. */
static void note_ter(const elman_metric_scores *scores) {
  if (has_ter(scores) && (strstr(scores->bleu_signature, "|tok:zh|") != NULL ||
                          strstr(scores->bleu_signature, "|tok:char|") != NULL))
    note("TER counts words between spaces, and this text has few spaces; compare by chrF2");
}

/* Return the part of `inputs` that contains the references. */
static const char *const *const *references_of(const struct inputs *inputs) {
  return inputs->lines + inputs->hypotheses;
}

/* Report equal hypotheses, which are probably a mistake. Their p-values are 1. */
static void note_equal_files(const struct inputs *inputs) {
  for (size_t a = 0; a < inputs->hypotheses; a++)
    for (size_t b = a + 1; b < inputs->hypotheses; b++) {
      size_t same = 0;
      while (same < inputs->sentences &&
             strcmp(inputs->lines[a][same], inputs->lines[b][same]) == 0)
        same++;
      if (same == inputs->sentences)
        note("hypotheses %zu and %zu are equal, so their p-values are 1", a + 1, b + 1);
    }
}

/* Score one hypothesis, or compare several. */
static int score_files(struct file_scores *found, const struct inputs *inputs,
                       const elman_metric_options *options) {
  elman_error error;
  const size_t sets = inputs->count - inputs->hypotheses, systems = inputs->hypotheses;
  if (systems > 1) {
    found->p_values = calloc(systems * systems, sizeof *found->p_values);
    if (found->p_values == NULL) return report_no_memory();
  }
  const elman_status status =
      systems == 1
          ? elman_metrics(&found->compared[0].scores, inputs->lines[0], references_of(inputs), sets,
                          inputs->sentences, options, &error)
          : elman_metrics_compare(found->compared, found->p_values, inputs->lines, systems,
                                  references_of(inputs), sets, inputs->sentences, options, &error);
  if (status != ELMAN_OK) return report_error(&error);
  note_short_references(&found->compared[0].scores, inputs->sentences);
  note_ter(&found->compared[0].scores);
  note_equal_files(inputs);
  return EX_OK;
}

static int add_sentences(struct sentence_table *table, const struct inputs *inputs,
                         const elman_metric_options *options) {
  elman_error error;
  const size_t sets = inputs->count - inputs->hypotheses, count = inputs->sentences;
  if (table->path == NULL) return EX_OK;
  elman_sentence_metrics *scores = calloc(count, sizeof *scores);
  elman_status status = ELMAN_OK;
  if (scores == NULL) return report_no_memory();
  for (size_t o = 0; o < inputs->hypotheses && status == ELMAN_OK; o++) {
    status = elman_metrics_sentences(scores, inputs->lines[o], references_of(inputs), sets, count,
                                     options, &error);
    table->system = inputs->names[o];
    for (size_t i = 0; i < count && status == ELMAN_OK; i++)
      table_add(table,
                &(elman_evaluated){i, inputs->lines[o][i], references_of(inputs)[0][i], scores[i]});
  }
  free(scores);
  return status == ELMAN_OK ? EX_OK : report_error(&error);
}

static void write_estimate(struct json *json, const char *name, const char *label,
                           const elman_estimate *estimate) {
  char mean[32], interval[32], resampled[32], around[32];
  snprintf(mean, sizeof mean, "%s_mean", name);
  snprintf(interval, sizeof interval, "%s_interval", name);
  snprintf(resampled, sizeof resampled, "%s resampled", label);
  snprintf(around, sizeof around, " ± %.2f", estimate->interval);
  const struct figure figures[] = {
      {mean, resampled, .real = &estimate->mean, .decimals = 2, .unit = around},
      {interval, .real = &estimate->interval},
      {0}};
  figures_write(json, figures);
}

/* Write the scores of hypothesis `i`, and compare it with the first. */
static void write_hypothesis(struct json *json, const struct inputs *inputs,
                             const struct file_scores *found, size_t i) {
  const elman_compared *compared = &found->compared[i];
  const elman_p_values *against_first = &found->p_values[i];
  const bool ter = has_ter(&compared->scores);
  const size_t number = i + 1;
  const struct figure name[] = {
      {"number", .count = &number}, {NULL, "hypothesis", .text = inputs->names[i]}, {0}};
  const struct figure p_values[] = {
      {"bleu_p_value", "BLEU p-value", .real = &against_first->bleu, .decimals = 4},
      {"chrf_p_value", "chrF2 p-value", .real = &against_first->chrf, .decimals = 4},
      {0}};
  const struct figure ter_p_value[] = {
      {"ter_p_value", "TER p-value", .real = &against_first->ter, .decimals = 4}, {0}};
  people_print(json, "\n");
  json_print(json, "{");
  figures_write(json, name);
  write_metrics(json, &compared->scores);
  write_estimate(json, "bleu", "BLEU", &compared->bleu);
  write_estimate(json, "chrf", "chrF2", &compared->chrf);
  if (ter) write_estimate(json, "ter", "TER", &compared->ter);
  if (i > 0) figures_write(json, p_values);
  if (i > 0 && ter) figures_write(json, ter_p_value);
  json_print(json, "}");
}

/* Write the p-values of all pairs of hypotheses for one metric, at `offset` in elman_p_values, into
 * the open array, and close it. */
static void write_matrix(struct json *json, const struct file_scores *found, size_t systems,
                         const char *label, size_t offset) {
  double row[ELMAN_MAX_SYSTEMS];
  people_print(json, "\n%-*s", LABELS, label);
  for (size_t b = 0; b < systems; b++) people_print(json, " %7zu", b + 1);
  people_print(json, "\n");
  for (size_t a = 0; a < systems; a++) {
    people_print(json, "%-*zu", LABELS, a + 1);
    for (size_t b = 0; b < systems; b++) {
      memcpy(&row[b], (const char *)&found->p_values[a * systems + b] + offset, sizeof *row);
      if (a == b)
        people_print(json, " %7s", "-");
      else
        people_print(json, " %7.4f", row[b]);
    }
    people_print(json, "\n");
    json_print(json, "[");
    for (size_t b = 0; b < systems; b++) json_print(json, "%g", row[b]);
    json_print(json, "]");
  }
  json_print(json, "]");
}

static void write_comparison(struct json *json, const struct inputs *inputs,
                             const struct file_scores *found, const elman_metric_options *options) {
  const size_t systems = inputs->hypotheses;
  const struct figure figures[] = {
      {"resamples", .count = &options->resamples}, {"seed", .number = &options->seed}, {0}};
  json_print(json, "hypotheses [");
  for (size_t i = 0; i < systems; i++) write_hypothesis(json, inputs, found, i);
  json_print(json, "]");
  if (systems > 2) {
    json_print(json, "bleu_p_values [");
    write_matrix(json, found, systems, "p-values of BLEU", offsetof(elman_p_values, bleu));
    json_print(json, "chrf_p_values [");
    write_matrix(json, found, systems, "p-values of chrF2", offsetof(elman_p_values, chrf));
    if (options->ter) {
      json_print(json, "ter_p_values [");
      write_matrix(json, found, systems, "p-values of TER", offsetof(elman_p_values, ter));
    }
  }
  people_print(json, "\n");
  figures_write(json, figures);
}

static void write_file_scores(struct json *json, const struct inputs *inputs,
                              const struct file_scores *found,
                              const elman_metric_options *options) {
  const struct figure figures[] = {{"sentences", "sentences", .count = &inputs->sentences}, {0}};
  json_print(json, "{");
  figures_write(json, figures);
  if (inputs->hypotheses > 1)
    write_comparison(json, inputs, found, options);
  else
    write_metrics(json, &found->compared[0].scores);
  write_signatures(json, &found->compared[0].scores);
}

/* Read the files, compute the scores and write them. At least one hypothesis is needed. Return the
 * exit code. */
static int evaluate_files(const struct file_evaluation *evaluation, const char *command) {
  struct inputs inputs;
  struct file_scores found = {.p_values = NULL};
  int code = check(evaluation, command);
  if (code != EX_OK) return code;
  code = table_open(evaluation->table, evaluation->options);
  if (code != EX_OK) return code;
  code = inputs_read(&inputs, evaluation);
  if (code == EX_OK) code = score_files(&found, &inputs, evaluation->options);
  if (code == EX_OK) code = add_sentences(evaluation->table, &inputs, evaluation->options);
  code = table_close(evaluation->table, code);
  if (code == EX_OK) {
    struct json json = {.stream = stdout, .labels = evaluation->json ? 0 : LABELS};
    write_file_scores(&json, &inputs, &found, evaluation->options);
    code = output_end(EX_OK);
  }
  free(found.p_values);
  inputs_close(&inputs);
  return code;
}

/* ---- a model ---- */

static void write_scores(FILE *stream, const elman_scores *scores, bool aligned, bool as_json) {
  const struct figure figures[] = {
      {"sentences", "sentences", .count = &scores->sentences},
      {"tokens", "target tokens", .count = &scores->tokens},
      {"loss", "loss", .real = &scores->loss, .decimals = 4},
      {"perplexity", "perplexity", .real = &scores->perplexity, .decimals = 4},
      {"exact_match", "exact match", .share = &scores->exact_match},
      {"unknown_source", "unknown source words", .count = &scores->unknown_source},
      {"unknown_target", "unknown target words", .count = &scores->unknown_target},
      {0}};
  const struct figure alignment[] = {
      {"aligned_words", "aligned words", .count = &scores->aligned_words},
      {"alignment_agreement", "alignment agreement", .share = &scores->alignment_agreement},
      {0}};
  struct json json = {.stream = stream, .labels = as_json ? 0 : LABELS};
  json_print(&json, "{");
  figures_write(&json, figures);
  if (aligned) figures_write(&json, alignment);
  write_metrics(&json, &scores->metrics);
  write_signatures(&json, &scores->metrics);
}

/* Report skipped pairs and unknown words. Report unknown words only if more than half of the tokens
 * are unknown, because text in the model's target language has fewer unknown tokens. */
static void note_skipped_pairs(const elman_scores *scores) {
  if (scores->left_out > 0)
    note("%zu pair%s skipped: a side has more than 5,000 tokens", scores->left_out,
         plural(scores->left_out));
  if (scores->unknown_target > scores->tokens / 2)
    note("%zu of %zu target token%s %s not in the model's vocabulary; check the model (--model) "
         "and the order of the columns (--columns)",
         scores->unknown_target, scores->tokens, plural(scores->tokens),
         scores->unknown_target == 1 ? "is" : "are");
}

struct evaluation {
  struct models models;
  elman_evaluate_options options;
  struct sentence_table table;
  struct progress progress;
  bool json;
};

static bool on_progress(void *context, size_t done, size_t total) {
  struct progress *progress = &((struct evaluation *)context)->progress;
  if (progress_due(progress)) progress_draw(progress, "%zu of %zu sentences", done, total);
  return true;
}

static void on_sentence(void *context, const elman_evaluated *sentence) {
  table_add(&((struct evaluation *)context)->table, sentence);
}

static int score(struct evaluation *evaluation, const elman_model *model, const elman_pairs *pairs,
                 bool aligned) {
  elman_scores scores;
  elman_error error;
  struct sentence_table *table = &evaluation->table;
  if (!group_leads()) table->path = NULL;
  int code = table_open(table, &evaluation->options.metric);
  if (code != EX_OK) return code;
  table->system = evaluation->models.paths.words[0];
  evaluation->progress = progress_start();
  evaluation->options.progress = on_progress;
  evaluation->options.sentence = table->path == NULL ? NULL : on_sentence;
  evaluation->options.context = evaluation;
  const elman_status status = elman_evaluate(&scores, model, pairs, &evaluation->options, &error);
  progress_erase(&evaluation->progress);
  code = table_close(table, status == ELMAN_OK ? EX_OK : report_error(&error));
  if (code != EX_OK) return code;
  note_skipped_pairs(&scores);
  note_short_references(&scores.metrics, scores.sentences);
  note_ter(&scores.metrics);
  write_scores(stdout, &scores, aligned, evaluation->json);
  return output_end(EX_OK);
}

static int evaluate_model(struct evaluation *evaluation, const struct pairs_input *input,
                          const char *command, const struct operands *operands) {
  elman_pairs *pairs = NULL;
  int code = pairs_input_check_standard(input, NULL, command, operands);
  if (code != EX_OK) return code;
  evaluation->options.group = group_joined();
  evaluation->options.threads = group_threads(evaluation->options.threads);
  code = models_open(&evaluation->models, &evaluation->options.translate);
  if (code == EX_OK) code = pairs_input_read(&pairs, input, command, operands);
  if (code == EX_OK)
    code = score(evaluation, evaluation->models.open[0], pairs, input->alignment_column != 0);
  models_close(&evaluation->models);
  elman_pairs_free(pairs);
  return code;
}

/* ---- the command ---- */

/* Refuse combinations: some options apply to a model, others to files of existing translations. */
static const struct rule rules[] = {
    {"model source target columns strict max-bytes max-unpacked alignments batch-size * "
     "override threads",
     "hypothesis", "--%s cannot be combined with --hypothesis, which names finished translations"},
    {"hypothesis", "PAIRS", "PAIRS and --hypothesis cannot be combined"},
    {"hypothesis", "!reference", "--hypothesis needs --reference"},
    {"reference", "!hypothesis", "--reference needs --hypothesis"},
    TWO_FILES_RULES,
    {"alignments", "source", "--alignments applies to PAIRS, not to --source and --target"},
    {"!source hypothesis", "!PAIRS", NO_PAIRS},
    {"force", "!sentence-scores", "--force needs --sentence-scores"},
    {0}};

/* Refuse the options of a comparison, because fewer than two hypotheses are given. */
static int check_comparison(const struct usage *usage, const struct operands *operands,
                            const elman_translate_options *search) {
  if (option_given(usage, operands, "resamples"))
    return report_usage(usage->command,
                        "--resamples needs two files to compare; give --hypothesis twice");
  if (option_given(usage, operands, "seed") && !overrides_shuffle(search))
    return report_usage(
        usage->command,
        "--seed needs --override shuffle, or two files to compare (--hypothesis twice)");
  return EX_OK;
}

static int evaluate(const struct usage *usage, const struct operands *operands,
                    struct evaluation *evaluation, struct file_evaluation *files,
                    const struct pairs_input *input) {
  const int code = files->hypotheses.count < 2
                       ? check_comparison(usage, operands, &evaluation->options.translate)
                       : EX_OK;
  if (code != EX_OK) return code;
  if (evaluation->table.path != NULL && is_standard(evaluation->table.path))
    return report_usage(usage->command, "--sentence-scores: standard output contains the scores of "
                                        "all sentences; name a file");
  if (files->hypotheses.count == 0)
    return evaluate_model(evaluation, input, usage->command, operands);
  files->options = &evaluation->options.metric;
  files->table = &evaluation->table;
  files->json = evaluation->json;
  return evaluate_files(files, usage->command);
}

int evaluate_command(int argc, char **argv) {
  struct pairs_input input = {.columns = DEFAULT_COLUMNS};
  struct evaluation evaluation = {.options = elman_evaluate_options_default()};
  struct file_evaluation files = {0};
  struct overrides overrides = {0};
  struct option options[MAX_OPTIONS] = {
      MODELS_OPTION(evaluation.models),
      PAIRS_OPTIONS(input),
      {"alignments", 0, "N", "column of reference word alignments, to compare with the attention",
       "none", .group = "Attention", .count = &input.alignment_column, .least = 1,
       .most = MAX_COLUMNS},
      {"batch-size", 0, "N", "sentences per batch", .count = &evaluation.options.batch_size,
       .least = 1, .most = 65536},
      PRECISION_OPTION(evaluation.options.translate),
      OVERRIDE_OPTION(overrides),
      {"bleu-tokens", 0, "NAME",
       "tokenization for BLEU; auto: zh for Chinese, char for other scripts without spaces, else "
       "13a; intl separates the punctuation of all scripts",
       "auto", .group = "Scoring", .text = &evaluation.options.metric.bleu_tokens,
       .choice = elman_bleu_tokens_name},
      {"lowercase", 0, NULL, "case-insensitive BLEU", .group = "Scoring",
       .flag = &evaluation.options.metric.lowercase},
      {"chrf-lowercase", 0, NULL, "case-insensitive chrF2", .group = "Scoring",
       .flag = &evaluation.options.metric.chrf_lowercase},
      {"ter", 0, NULL, "translation edit rate (TER)", .group = "Scoring",
       .flag = &evaluation.options.metric.ter},
      {"sentence-scores", 0, "FILE", "table with the scores and texts of each sentence (TSV)",
       .group = "Output", .text = &evaluation.table.path, .use = FILE_IS_WRITTEN},
      FORCE_OPTION(FORCE_HELP),
      {"hypothesis", 0, "FILE", "translations to score without a model; repeat to compare files",
       .group = "Scoring", .list = &files.hypotheses, .most = ELMAN_MAX_SYSTEMS,
       .use = FILE_IS_READ},
      {"reference", 0, "FILE",
       "reference translations for --hypothesis; repeat for more references", .group = "Scoring",
       .list = &files.references, .most = MAX_LISTED, .use = FILE_IS_READ},
      {"resamples", 0, "N", "number of bootstrap samples in a comparison", .group = "Scoring",
       .count = &evaluation.options.metric.resamples, .least = 1, .most = 1000000},
      SEED_OPTION(evaluation.options.metric.seed, "Scoring",
                  "random seed of the bootstrap and of --override shuffle"),
      THREADS_OPTION(evaluation.options.threads),
      TIMEOUT_OPTION,
      JSON_OPTION(evaluation.json),
      QUIET_OPTION("no messages except results and errors")};
  library_options(options, ELMAN_SCOPE_SEARCH | ELMAN_SCOPE_SCORE, &evaluation.options.translate);
  const struct usage usage = {
      "evaluate",
      "[options] PAIRS...",
      "Measures a model on sentence pairs. Prints loss and perplexity per target token (</s>\n"
      "included), BLEU, chrF2, and the fraction of translations that equal the reference;\n"
      "--ter adds TER. BLEU, chrF2 and TER are those of sacreBLEU. With --hypothesis and\n"
      "--reference instead of PAIRS, scores files with one sentence per line. Several\n"
      "hypotheses are compared by paired bootstrap resampling.",
      options,
      rules,
      .reads_operands = true};
  struct operands operands;
  int code;
  if (!options_parse(&usage, argc, argv, &operands, &code)) return code;
  code = group_check_timeout(&usage, &operands);
  if (code == EX_OK)
    code = overrides_parse(&overrides, &evaluation.options.translate,
                           &(struct option_place){usage.command, "--"});
  if (code == EX_OK)
    code = search_options_complete(&evaluation.options.translate, &evaluation.models.given, &usage,
                                   &operands, false);
  if (code != EX_OK) return code;
  if (overrides_shuffle(&evaluation.options.translate))
    evaluation.options.translate.seed = evaluation.options.metric.seed;
  return evaluate(&usage, &operands, &evaluation, &files, &input);
}
