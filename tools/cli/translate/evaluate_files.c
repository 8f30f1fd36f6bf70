#include "translate/evaluate_files.h"

#include <inttypes.h>
#include <string.h>
#include <sysexits.h>

#include "console/messages.h"
#include "console/output.h"
#include "input/pairs_input.h"

/* ---- reading ---- */

enum { MOST_FILES = MOST_HYPOTHESES + MOST_LISTED };

/* Hypotheses first, then references. */
struct inputs {
  elman_lines *files[MOST_FILES];
  const char *names[MOST_FILES];
  const char *const *lines[MOST_FILES];
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
  inputs->names[i] = strcmp(path, "-") == 0 ? "standard input" : path;
  inputs->lines[i] = elman_lines_get(inputs->files[i]);
  inputs->count++;
  const size_t lines = elman_lines_count(inputs->files[i]);
  if (i == 0) inputs->sentences = lines;
  if (lines == inputs->sentences) return EX_OK;
  report(inputs->names[0],
         "has %zu line%s but %s has %zu; line n of one must belong to line n of the other",
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

/* ---- scoring ---- */

/* With one hypothesis, scores[0] is all that is filled. */
static int score(elman_comparison *found, const struct inputs *inputs,
                 const elman_metric_options *options) {
  elman_error error;
  const char *const *const *references = inputs->lines + inputs->hypotheses;
  const size_t sets = inputs->count - inputs->hypotheses;
  const elman_status status = inputs->hypotheses == 1
                                  ? elman_metrics(&found->scores[0], inputs->lines[0], references,
                                                  sets, inputs->sentences, options, &error)
                                  : elman_metrics_compare(found, inputs->lines, references, sets,
                                                          inputs->sentences, options, &error);
  return status == ELMAN_OK ? EX_OK : report_error(&error);
}

/* ---- writing ---- */

void write_metrics(struct json *json, bool as_json, const elman_metric_scores *scores) {
  const double *precisions = scores->precisions;
  if (!as_json) {
    fprintf(json->stream,
            "BLEU                 %.2f\n"
            "BLEU precisions      %.1f / %.1f / %.1f / %.1f\n"
            "brevity penalty      %.3f (%zu words, reference %zu)\n"
            "chrF2                %.2f\n",
            scores->bleu, precisions[0], precisions[1], precisions[2], precisions[3],
            scores->brevity_penalty, scores->hypothesis_length, scores->reference_length,
            scores->chrf);
    return;
  }
  json_number(json, "bleu", scores->bleu);
  json_numbers(json, "bleu_precisions", precisions, 4);
  json_print(json, "brevity_penalty %g hypothesis_length %zu reference_length %zu chrf %g",
             scores->brevity_penalty, scores->hypothesis_length, scores->reference_length,
             scores->chrf);
}

void write_signatures(struct json *json, bool as_json, const elman_metric_scores *scores) {
  if (as_json)
    json_print(json, "bleu_signature %s chrf_signature %s}\n", scores->bleu_signature,
               scores->chrf_signature);
  else
    fprintf(json->stream, "BLEU signature       %s\nchrF2 signature      %s\n",
            scores->bleu_signature, scores->chrf_signature);
}

/* One of the two that are compared. */
static void write_hypothesis(struct json *json, bool as_json, const struct inputs *inputs,
                             const elman_comparison *found, size_t i) {
  const elman_estimate bleu = found->bleu[i], chrf = found->chrf[i];
  if (as_json) {
    json_print(json, "{number %zu", i + 1);
    write_metrics(json, as_json, &found->scores[i]);
    json_print(json, "bleu_mean %g bleu_interval %g chrf_mean %g chrf_interval %g}", bleu.mean,
               bleu.interval, chrf.mean, chrf.interval);
    return;
  }
  fputs("\nhypothesis           ", json->stream);
  print_visible(json->stream, inputs->names[i]);
  putc('\n', json->stream);
  write_metrics(json, as_json, &found->scores[i]);
  fprintf(json->stream, "BLEU resampled       %.2f ± %.2f\nchrF2 resampled      %.2f ± %.2f\n",
          bleu.mean, bleu.interval, chrf.mean, chrf.interval);
}

static void write_scores(struct json *json, bool as_json, const struct inputs *inputs,
                         const elman_comparison *found, const elman_metric_options *options) {
  const bool compared = inputs->hypotheses > 1;
  if (as_json)
    json_print(json, "{sentences %zu", inputs->sentences);
  else
    fprintf(json->stream, "sentences            %zu\n", inputs->sentences);
  if (!compared) write_metrics(json, as_json, &found->scores[0]);
  if (compared && as_json) json_print(json, "hypotheses [");
  for (size_t i = 0; compared && i < inputs->hypotheses; i++)
    write_hypothesis(json, as_json, inputs, found, i);
  if (compared && as_json)
    json_print(json, "] bleu_p_value %g chrf_p_value %g resamples %zu seed %" PRIu64,
               found->bleu_p_value, found->chrf_p_value, options->resamples, options->seed);
  else if (compared)
    fprintf(json->stream, "\nBLEU p-value         %.4f\nchrF2 p-value        %.4f\n",
            found->bleu_p_value, found->chrf_p_value);
  write_signatures(json, as_json, &found->scores[0]);
}

int evaluate_files(const struct file_evaluation *evaluation, const char *command) {
  struct inputs inputs;
  elman_comparison found;
  int code = check(evaluation, command);
  if (code != EX_OK) return code;
  code = inputs_read(&inputs, evaluation);
  if (code == EX_OK) code = score(&found, &inputs, &evaluation->options);
  if (code == EX_OK) {
    struct json json = {.stream = stdout};
    write_scores(&json, evaluation->json, &inputs, &found, &evaluation->options);
    code = output_end(EX_OK);
  }
  inputs_close(&inputs);
  return code;
}
