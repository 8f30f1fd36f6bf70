#include "attention/attention_job.h"

#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "console/json_output.h"
#include "console/messages.h"
#include "translate/batches.h"

/* ---- files of attention matrices ---- */

/* Return the entry at `index` of a list: first the library's formats, then the drawn formats. */
static const char *listed(size_t index, const char *(*own)(size_t index),
                          const char *(*drawn)(size_t index)) {
  size_t count = 0;
  while (own(count) != NULL) count++;
  return index < count ? own(index) : drawn(index - count);
}

static const char *format_choice(size_t index) {
  return listed(index, elman_format_name, drawn_format_name);
}

static const char *format_suffix(size_t index) {
  return listed(index, elman_format_suffix, drawn_format_suffix);
}

const struct formats attention_formats = {format_choice, format_suffix};

const char *units_choice(size_t index) {
  return elman_alignment_units_name((elman_alignment_units)index);
}

int units_check(const char *what, elman_alignment_units units, const struct models *models) {
  const elman_model_info info = elman_model_get_info(models->open[0]);
  if (units != ELMAN_UNITS_SUBWORDS || info.source_tokens == ELMAN_TOKENS_BPE ||
      info.target_tokens == ELMAN_TOKENS_BPE)
    return EX_OK;
  report(
      models->paths.words[0],
      "has no subwords: its token modes are %s (source) and %s (target); use %s words or %s tokens",
      elman_token_mode_name(info.source_tokens), elman_token_mode_name(info.target_tokens), what,
      what);
  return EX_USAGE;
}

/* Write `best` and the hypotheses after it; `place` is the place of `best`. */
static elman_status hypotheses_write(elman_attention_writer *writer, const elman_translation *best,
                                     elman_attention_place place, elman_error *error) {
  elman_status status = ELMAN_OK;
  for (const elman_translation *one = best; one != NULL && status == ELMAN_OK; one = one->next) {
    status = elman_attention_writer_add(writer, one, place, error);
    place.hypothesis++;
  }
  return status;
}

int hypotheses_save(const char *path, const elman_translation *best, const char *format,
                    const elman_text_style *style) {
  struct output output;
  elman_error error;
  elman_attention_writer *writer = NULL;
  int code = output_open_as(&output, path, format);
  if (code != EX_OK) return code;
  elman_status status =
      elman_attention_writer_create(&writer, output.stream, format_written(format), style, &error);
  if (status == ELMAN_OK)
    status = hypotheses_write(writer, best, (elman_attention_place){1, 1, NULL}, &error);
  if (status == ELMAN_OK) status = elman_attention_writer_finish(writer, &error);
  elman_attention_writer_free(writer);
  if (status != ELMAN_OK) code = report_error(&error);
  return output_finish(&output, code, status == ELMAN_OK);
}

/* ---- effect of overrides ---- */

void override_effect_add(struct override_effect *effect, const elman_translate_options *options,
                         const elman_translation *changed, const elman_translation *plain) {
  elman_override_reach_add(&effect->reach, options, changed);
  effect->compared++;
  effect->same += strcmp(plain->text, changed->text) == 0;
  effect->log_probability += changed->log_probability - plain->log_probability;
}

int override_effect_note(const struct override_effect *effect,
                         const elman_translate_options *options, const char *where) {
  elman_error error;
  if (elman_override_reach_check(&effect->reach, options, &error) != ELMAN_OK) {
    report(where, "%s", error.message);
    return EX_USAGE;
  }
  note("with unmodified attention, %zu of %zu translation%s %s the same; the override changes the "
       "log-probability by %+.3f per sentence",
       effect->same, effect->compared, plural(effect->compared),
       effect->compared == 1 ? "is" : "are", effect->log_probability / (double)effect->compared);
  return EX_OK;
}

/* ---- the job: sentence by sentence ---- */

/* Destination of the translations: the writer or the summary. */
struct sink {
  const struct attention_job *job;
  struct sentence_input *sentences;
  const char *model; /* name of the current model in a sequence */
  FILE *stream;
  char *held; /* output that is held back; see hold_back */
  size_t held_size;
  elman_attention_writer *writer;
  elman_attention_summary *summary;
  size_t records; /* number of translations and refused sentences written */
  struct override_effect effect;
  struct unknown_words unknown;
  bool unread; /* a model of the sequence, or the input for it, could not be read */
};

static int accept_sentence(void *context, const struct translated *translated) {
  struct sink *sink = context;
  const elman_sentence *sentence = translated->sentence;
  const elman_translation *best = translated->translation;
  const elman_attention_place place = {sentence->number, 1, sink->model};
  elman_error error;
  elman_status status = ELMAN_OK;
  sink->records++;
  if (best == NULL) {
    /* Write a refused sentence as an empty sentence, so that it keeps its place in the output. */
    if (sink->writer != NULL)
      status = elman_attention_writer_add_refused(sink->writer, place, translated->error, &error);
    return status == ELMAN_OK ? EX_OK : report_error(&error);
  }
  unknown_words_add(&sink->unknown, best);
  if (sink->writer != NULL) status = hypotheses_write(sink->writer, best, place, &error);
  for (const elman_translation *one = sink->summary == NULL ? NULL : best;
       one != NULL && status == ELMAN_OK; one = one->next)
    status = elman_attention_summary_add(sink->summary, one, translated->alignment, &error);
  if (status != ELMAN_OK) return sentences_report(sink->sentences, sentence->number, &error);
  if (translated->plain != NULL)
    override_effect_add(&sink->effect, &sink->job->options, best, translated->plain);
  return EX_OK;
}

/* ---- the job: output ---- */

/* Names of the units of one side: tokens, words, or both. */
struct unit {
  const char *count, *end, *others; /* labels in output for people */
  const char *json;                 /* value in JSON; NULL = tokens, the default */
};

static struct unit unit_of(bool words, bool mixed) {
  if (mixed) return (struct unit){"units", "</s> on last unit", "others on last unit", "mixed"};
  if (words) return (struct unit){"words", "</s> on last word", "others on last word", "words"};
  return (struct unit){"tokens", "</s> on last token", "others on last token", NULL};
}

/* Write the measures. If `aligned` is true, also write the comparison with the gold alignments. */
static void write_measures(FILE *stream, const elman_attention_measures *m, bool aligned,
                           bool as_json) {
  const struct unit source = unit_of(m->source_words, m->source_mixed);
  const struct unit target = unit_of(m->target_words, m->target_mixed);
  char source_label[32], target_label[32];
  snprintf(source_label, sizeof source_label, "source %s", source.count);
  snprintf(target_label, sizeof target_label, "target %s", target.count);
  const struct figure sums[] = {
      {"translations", "translations", .count = &m->translations},
      {"empty", "  empty", .count = &m->empty, .quiet_zero = true},
      {"source_tokens", source_label, .count = &m->source_tokens},
      {"target_tokens", target_label, .count = &m->target_tokens},
      {"entropy", "entropy", .real = &m->entropy, .decimals = 4, .unit = " nats"},
      {"entropy_share", "  of the maximum", .share = &m->entropy_share},
      {"sentinel", "sentinel", .share = &m->sentinel, .quiet_zero = true},
      {"covered", "covered", .share = &m->covered},
      {"coverage_distance", "coverage distance", .real = &m->coverage_distance, .decimals = 4},
      {"end_on_last", source.end, .share = &m->end_on_last},
      {"words_on_last", source.others, .share = &m->words_on_last},
      {"diagonality", "diagonality", .real = &m->diagonality, .decimals = 4},
      {0}};
  const struct figure alignment[] = {
      {"aligned", "aligned translations", .count = &m->aligned},
      {"links", "links found", .count = &m->links},
      {"gold_links", "gold links", .count = &m->gold_links},
      {"shared_links", "shared links", .count = &m->shared_links},
      {"alignment_error_rate", "alignment error rate", .share = &m->alignment_error_rate},
      {0}};
  struct json json = {.stream = stream, .labels = as_json ? 0 : 20};
  json_print(&json, "{");
  if (source.json != NULL) json_print(&json, "source_units %s", source.json);
  if (target.json != NULL) json_print(&json, "target_units %s", target.json);
  figures_write(&json, sums);
  if (aligned) figures_write(&json, alignment);
  json_print(&json, "}\n");
}

/* Hold back output to a stream if an override may name a cell outside every matrix. That error must
 * not follow half of the output. Do not hold back a file, which is moved to its path only at the
 * end. */
static bool hold_back(struct sink *sink, const struct output *output) {
  bool has_cells = false;
  for (size_t i = 0; i < sink->job->options.override_count; i++)
    if (sink->job->options.overrides[i].kind == ELMAN_OVERRIDE_CELL) has_cells = true;
  sink->stream = output->stream;
  if (has_cells && output->file == NULL)
    sink->stream = open_memstream(&sink->held, &sink->held_size);
  return sink->stream != NULL;
}

static int open_sink(struct sink *sink, const struct output *output) {
  const struct attention_job *job = sink->job;
  elman_error error;
  if (!hold_back(sink, output)) return report_no_memory();
  const elman_status status =
      job->format != NULL
          ? elman_attention_writer_create(&sink->writer, sink->stream, format_written(job->format),
                                          &job->style, &error)
          : elman_attention_summary_create(&sink->summary, &job->style, &error);
  return status == ELMAN_OK ? EX_OK : report_error(&error);
}

static int finish(struct sink *sink) {
  elman_error error;
  if (sink->summary != NULL) {
    const elman_attention_measures measures = elman_attention_summary_get(sink->summary);
    write_measures(sink->stream, &measures, sink->sentences->alignment_column > 0, sink->job->json);
    return EX_OK;
  }
  /* NumPy reads one array per call, so a file with several would seem to have only the first. */
  if (strcmp(sink->job->format, "npy") == 0 && sink->records > 1)
    note("%zu arrays, one per sentence; numpy.load reads the next one each time it is called with "
         "the open file",
         sink->records);
  const elman_status status = elman_attention_writer_finish(sink->writer, &error);
  return status == ELMAN_OK ? EX_OK : report_error(&error);
}

/* Return whether the output is usable. It is usable even if a line is invalid, but not if a model
 * could not be read. */
static bool is_usable(const struct sink *sink, int code) {
  return !sink->unread && sentences_usable(sink->sentences, code);
}

static int run_model(struct sink *sink, size_t turn, struct output *output) {
  const struct model_sequence *sequence = &sink->job->sequence;
  elman_model *model;
  sink->model = sequence->paths[turn];
  sink->unread = true;
  elman_translate_options options = sink->job->options;
  int code = model_open(&model, sink->model);
  if (code != EX_OK) return code;
  code = search_options_adopt(&options, &sink->job->given, model);
  if (code == EX_OK)
    code = sentences_open(sink->sentences, sequence->input_path, sequence->operands);
  if (code == EX_OK) {
    sink->unread = false;
    const struct batch_job batches = {model, &options, accept_sentence, sink};
    code = batches_run(&batches, sink->sentences, output);
    sentences_close(sink->sentences);
  }
  /* Report unknown words, because not every format can mark them. */
  if (turn + 1 == sequence->count) unknown_words_note(&sink->unknown, model);
  elman_model_free(model);
  return code;
}

static int run_sequence(struct sink *sink, struct output *output) {
  const struct sentence_input unopened = *sink->sentences;
  int worst = EX_OK;
  for (size_t i = 0; i < sink->job->sequence.count; i++) {
    *sink->sentences = unopened;
    sink->unknown = (struct unknown_words){0};
    const int code = run_model(sink, i, output);
    if (code != EX_OK) worst = code;
    if (!is_usable(sink, code)) return code;
  }
  const int finished = finish(sink);
  return finished == EX_OK ? worst : finished;
}

static int run(struct sink *sink, const elman_model *model, struct output *output) {
  const struct batch_job batches = {model, &sink->job->options, accept_sentence, sink};
  const int code = batches_run(&batches, sink->sentences, output);
  if (!sentences_usable(sink->sentences, code)) return code;
  if (sink->effect.compared > 0) {
    const int reached = override_effect_note(&sink->effect, &sink->job->options, "--override");
    if (reached != EX_OK) return reached;
  }
  const int finished = finish(sink);
  unknown_words_note(&sink->unknown, model);
  return finished == EX_OK ? code : finished;
}

/* Close the sink. This also works after an error. */
static bool close_sink(struct sink *sink, FILE *stream, bool usable) {
  bool complete = true;
  elman_attention_writer_free(sink->writer);
  elman_attention_summary_free(sink->summary);
  if (sink->stream != NULL && sink->stream != stream) {
    complete = fclose(sink->stream) == 0;
    if (complete && usable) fwrite(sink->held, 1, sink->held_size, stream);
    free(sink->held);
  }
  return complete;
}

int attention_job_run(const struct attention_job *job, const elman_model *model,
                      struct sentence_input *sentences, const char *path) {
  struct output output;
  struct sink sink = {.job = job, .sentences = sentences};
  int code = output_open_as(&output, path, job->format);
  if (code != EX_OK) return code;
  /* Catch signals: a signal must not leave the temporary file behind. */
  if (output.file != NULL) interrupt_catch_first();
  code = open_sink(&sink, &output);
  if (code == EX_OK)
    code = job->sequence.count > 0 ? run_sequence(&sink, &output) : run(&sink, model, &output);
  if (!close_sink(&sink, output.stream, is_usable(&sink, code))) code = report_no_memory();
  return output_finish(&output, code, is_usable(&sink, code));
}
