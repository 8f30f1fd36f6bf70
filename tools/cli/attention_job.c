#include "attention_job.h"

#include <stdbool.h>
#include <string.h>
#include <sysexits.h>

#include "attention_measures.h"
#include "hypotheses.h"
#include "interrupt.h"
#include "messages.h"
#include "output.h"
#include "unknown_words.h"

/* What the overrides did. */
struct effect {
  size_t compared, same;             /* sentences; those whose best translation did not change */
  double log_probability;            /* gained, in all */
  size_t most_targets, most_sources; /* words of a matrix */
  bool reached[ELMAN_MOST_OVERRIDES];
};

/* Where the translations go: one of the two. */
struct sink {
  elman_attention_writer *writer;
  elman_attention_summary *summary;
  struct effect effect;
  struct unknown_words unknown, unknown_target;
};

static elman_status sink_open(struct sink *sink, const struct attention_job *job, FILE *stream,
                              elman_error *error) {
  *sink = (struct sink){0};
  if (job->format != NULL)
    return elman_attention_writer_create(&sink->writer, stream, job->format, &job->style, error);
  return elman_attention_summary_create(&sink->summary, &job->style, error);
}

static void sink_close(struct sink *sink) {
  elman_attention_writer_free(sink->writer);
  elman_attention_summary_free(sink->summary);
}

static elman_status sink_add(struct sink *sink, const elman_translation *best,
                             const struct attention_item *item, elman_error *error) {
  if (sink->writer != NULL)
    return hypotheses_write(sink->writer, best, item->sentence.number, error);
  elman_status status = ELMAN_OK;
  for (const elman_translation *one = best; one != NULL && status == ELMAN_OK; one = one->next)
    status = elman_attention_summary_add(sink->summary, one, item->alignment, error);
  return status;
}

static int sink_finish(struct sink *sink, const struct attention_job *job,
                       const struct attention_input *input, FILE *stream) {
  elman_error error;
  if (sink->writer != NULL)
    return elman_attention_writer_finish(sink->writer, &error) == ELMAN_OK ? EX_OK
                                                                           : report_error(&error);
  const elman_attention_measures measures = elman_attention_summary_get(sink->summary);
  write_measures(stream, &measures, input->alignment_column > 0, job->json);
  return EX_OK;
}

/* ---- overrides ---- */

/* A cell is in no matrix, or in one; the other overrides fit every sentence. */
static void measure_reach(struct effect *effect, const elman_translate_options *options,
                          const elman_translation *best) {
  for (const elman_translation *one = best; one != NULL; one = one->next) {
    const size_t T = one->target_count, S = one->source_count;
    if (T > effect->most_targets) effect->most_targets = T;
    if (S > effect->most_sources) effect->most_sources = S;
    for (size_t i = 0; i < options->override_count; i++) {
      const elman_override *override = &options->overrides[i];
      if (override->kind != ELMAN_OVERRIDE_CELL || (override->row < T && override->column < S))
        effect->reached[i] = true;
    }
  }
}

static int check_reach(const struct effect *effect, const elman_translate_options *options) {
  for (size_t i = 0; i < options->override_count; i++) {
    const elman_override *override = &options->overrides[i];
    if (effect->reached[i]) continue;
    report("--override",
           "no matrix has target word %zu and source word %zu: there are at most %zu target words, "
           "</s> included, and %zu source words",
           override->row + 1, override->column + 1, effect->most_targets, effect->most_sources);
    return EX_USAGE;
  }
  return EX_OK;
}

static void note_effect(const struct effect *effect) {
  note(
      "with the attention as it is, %zu of %zu translations are the same; the override changes the "
      "log-probability of a sentence by %+.3f",
      effect->same, effect->compared, effect->log_probability / (double)effect->compared);
}

/* Counts whether the translation is the one that the attention as it is gives. */
static elman_status compare(struct effect *effect, elman_translator *translator,
                            const struct attention_item *item, const elman_translation *changed,
                            elman_translate_options options, elman_error *error) {
  elman_translation *plain;
  options.override_count = 0;
  const elman_status status = elman_translate(&plain, translator, item->sentence.text,
                                              item->sentence.length, &options, error);
  if (status != ELMAN_OK) return status;
  effect->compared++;
  effect->same += strcmp(plain->text, changed->text) == 0;
  effect->log_probability += changed->log_probability - plain->log_probability;
  elman_translation_free(plain);
  return ELMAN_OK;
}

/* ---- sentence by sentence ---- */

static int add_one(const struct attention_job *job, elman_translator *translator,
                   struct attention_input *input, const struct attention_item *item,
                   struct sink *sink) {
  elman_error error;
  elman_translation *translation = NULL;
  elman_translate_options options = job->options;
  options.reference = item->reference;
  elman_status status = elman_translate(&translation, translator, item->sentence.text,
                                        item->sentence.length, &options, &error);
  if (status == ELMAN_OK) {
    unknown_words_add(&sink->unknown, translation);
    if (translation->forced) unknown_words_add_target(&sink->unknown_target, translation);
    status = sink_add(sink, translation, item, &error);
  }
  if (status == ELMAN_OK && options.override_count > 0) {
    measure_reach(&sink->effect, &options, translation);
    status = compare(&sink->effect, translator, item, translation, options, &error);
  }
  elman_translation_free(translation);
  return status == ELMAN_OK ? EX_OK
                            : sentences_report(&input->sentences, item->sentence.number, &error);
}

/* Whether what was made is worth having: a line that cannot be translated leaves the others so, but
 * references that stand beside the wrong sentences do not. */
static bool is_worth_having(const struct attention_input *input, int code) {
  return code == EX_OK || (code == EX_DATAERR && !input->mismatch);
}

static int add_all(const struct attention_job *job, elman_translator *translator,
                   struct attention_input *input, struct sink *sink, struct output *output) {
  struct attention_item item;
  int code = EX_OK;
  while (output->problem == 0 && attention_input_next(input, &item, &code)) {
    const int result = add_one(job, translator, input, &item, sink);
    output_flush(output);
    if (result != EX_OK) code = result;
    if (result != EX_OK && result != EX_DATAERR) break;
  }
  if (!is_worth_having(input, code)) return code;
  if (sink->effect.compared > 0) {
    const int reached = check_reach(&sink->effect, &job->options);
    if (reached != EX_OK) return reached;
    note_effect(&sink->effect);
  }
  const int result = sink_finish(sink, job, input, output->stream);
  /* Not every format has a place for a mark. */
  unknown_words_note(&sink->unknown, "vocabulary");
  unknown_words_note(&sink->unknown_target, "target vocabulary");
  return result == EX_OK ? code : result;
}

static int run(const struct attention_job *job, elman_translator *translator,
               struct attention_input *input, const char *path) {
  elman_error error;
  struct output output;
  struct sink sink;
  int code = output_open(&output, path);
  if (code != EX_OK) return code;
  /* A signal must not leave the temporary file behind. */
  if (output.file != NULL) interrupt_catch_first();
  if (sink_open(&sink, job, output.stream, &error) == ELMAN_OK)
    code = add_all(job, translator, input, &sink, &output);
  else
    code = report_error(&error);
  sink_close(&sink);
  if (is_worth_having(input, code)) return output_close(&output, code);
  output_abandon(&output);
  return code;
}

int attention_job_run(const struct attention_job *job, const elman_model *model,
                      struct attention_input *input, const char *path) {
  elman_error error;
  elman_translator *translator;
  if (elman_translator_create(&translator, model, &error) != ELMAN_OK) return report_error(&error);
  const int code = run(job, translator, input, path);
  elman_translator_free(translator);
  return code;
}
