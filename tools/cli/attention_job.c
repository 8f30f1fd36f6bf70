#include "attention_job.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "attention_measures.h"
#include "hypotheses.h"
#include "interrupt.h"
#include "messages.h"
#include "output.h"
#include "unknown_words.h"
#include "window.h"

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

static elman_status sink_add(struct sink *sink, const elman_translation *best, size_t number,
                             const char *alignment, elman_error *error) {
  if (sink->writer != NULL) return hypotheses_write(sink->writer, best, number, error);
  elman_status status = ELMAN_OK;
  for (const elman_translation *one = best; one != NULL && status == ELMAN_OK; one = one->next)
    status = elman_attention_summary_add(sink->summary, one, alignment, error);
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
    report(
        "--override",
        "no matrix has target word %zu and source word %zu: there are at most %zu target word%s, "
        "</s> included, and %zu source word%s",
        override->row + 1, override->column + 1, effect->most_targets, plural(effect->most_targets),
        effect->most_sources, plural(effect->most_sources));
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
static void compare(struct effect *effect, const elman_translation *changed,
                    const elman_translation *plain) {
  effect->compared++;
  effect->same += strcmp(plain->text, changed->text) == 0;
  effect->log_probability += changed->log_probability - plain->log_probability;
}

/* ---- sentences that are translated together ---- */

struct group {
  struct window window;
  char *alignments[WINDOW];         /* NULL = none */
  elman_translation *plain[WINDOW]; /* without overrides; NULL where there are none */
};

static void group_clear(struct group *group) {
  for (size_t i = 0; i < group->window.count; i++) {
    free(group->alignments[i]);
    elman_translation_free(group->plain[i]);
    group->alignments[i] = NULL;
    group->plain[i] = NULL;
  }
  window_clear(&group->window);
}

/* Waits for one sentence and takes those that have come by then. False when there is nothing more
 * to read, with *code as in attention_input_next. */
static bool group_fill(struct group *group, struct attention_input *input, int *code) {
  struct attention_item item;
  do {
    if (!attention_input_next(input, &item, code)) return false;
    const size_t i = group->window.count;
    int added = window_add(&group->window, item.sentence.text, item.sentence.length, item.reference,
                           item.sentence.number);
    if (added == EX_OK && item.alignment != NULL) {
      group->alignments[i] = copy_bytes(item.alignment, strlen(item.alignment));
      if (group->alignments[i] == NULL) added = EX_OSERR;
    }
    if (added != EX_OK) *code = added;
    if (added != EX_OK) return false;
  } while (window_has_room(&group->window) && sentences_ready(&input->sentences));
  return true;
}

static bool group_translate(struct group *group, const struct attention_job *job,
                            elman_translator *translator, int *code) {
  struct window *window = &group->window;
  elman_translate_options options = job->options;
  elman_error error;
  if (!window_translate(window, translator, &options, code)) return false;
  if (options.override_count == 0) return true;
  options.override_count = 0;
  const elman_status status = elman_translate_batch(
      group->plain, NULL, translator, window->sentences, window->count, &options, &error);
  if (status != ELMAN_OK && status != ELMAN_BAD_DATA) *code = report_error(&error);
  return status == ELMAN_OK || status == ELMAN_BAD_DATA;
}

static int add_one(const struct attention_job *job, const struct group *group, size_t i,
                   struct attention_input *input, struct sink *sink) {
  const struct window *window = &group->window;
  const elman_translation *translation = window->translations[i];
  elman_error error = window->errors[i];
  elman_status status = error.code;
  if (status == ELMAN_OK) {
    unknown_words_add(&sink->unknown, translation);
    if (translation->forced) unknown_words_add_target(&sink->unknown_target, translation);
    status = sink_add(sink, translation, window->numbers[i], group->alignments[i], &error);
  }
  if (status != ELMAN_OK) return sentences_report(&input->sentences, window->numbers[i], &error);
  if (group->plain[i] == NULL) return EX_OK;
  measure_reach(&sink->effect, &job->options, translation);
  compare(&sink->effect, translation, group->plain[i]);
  return EX_OK;
}

/* False when there is no use in going on. */
static bool add_group(const struct attention_job *job, const struct group *group,
                      struct attention_input *input, struct sink *sink, int *code) {
  for (size_t i = 0; i < group->window.count; i++) {
    const int result = add_one(job, group, i, input, sink);
    if (result != EX_OK) *code = result;
    if (result != EX_OK && result != EX_DATAERR) return false;
  }
  return true;
}

/* Whether what was made is worth having: a line that cannot be translated leaves the others so, but
 * references that stand beside the wrong sentences do not. */
static bool is_worth_having(const struct attention_input *input, int code) {
  return code == EX_OK || (code == EX_DATAERR && !input->mismatch);
}

static int add_all(const struct attention_job *job, elman_translator *translator,
                   struct attention_input *input, struct sink *sink, struct output *output) {
  int code = EX_OK, stopped = EX_OK;
  struct group *group = calloc(1, sizeof *group);
  if (group == NULL) return report_no_memory();
  for (bool more = true; more;) {
    more = group_fill(group, input, &stopped);
    if (group->window.count > 0 &&
        !(group_translate(group, job, translator, &code) &&
          add_group(job, group, input, sink, &code) && output_flush(output)))
      more = false;
    group_clear(group);
  }
  free(group);
  if (stopped != EX_OK && is_worth_having(input, code)) code = stopped;
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
