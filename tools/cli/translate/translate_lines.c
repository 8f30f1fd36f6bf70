#include "translate/translate_lines.h"

#include <sysexits.h>
#include <unistd.h>

#include "console/json_output.h"
#include "console/messages.h"
#include "group/group.h"
#include "input/unknown_words.h"
#include "translate/batches.h"
#include "translate/batches_together.h"

static void write_json(FILE *stream, const elman_translation *best, bool n_best) {
  struct json json = {.stream = stream};
  json_print(&json, "{translation %s log_probability %g", best->text, best->log_probability);
  json_texts(&json, "source_tokens", best->source_tokens, best->source_count);
  json_texts(&json, "target_tokens", best->target_tokens, best->target_count);
  if (n_best) json_print(&json, "n_best [");
  for (const elman_translation *one = best; n_best && one != NULL; one = one->next) {
    json_print(&json, "{translation %s log_probability %g score %g", one->text,
               one->log_probability, one->score);
    json_texts(&json, "target_tokens", one->target_tokens, one->target_count);
    json_print(&json, "}");
  }
  json_print(&json, n_best ? "]}\n" : "}\n");
}

/* Lines as Moses writes them, counted from 0; the program never changes the decimal point. */
static void write_moses(const struct line_sink *sink, const elman_translation *best,
                        size_t number) {
  FILE *stream = sink->stream;
  for (const elman_translation *one = best; one != NULL; one = one->next) {
    fprintf(stream, "%zu ||| ", number - 1);
    print_data_for(stream, one->text, sink->terminal);
    fprintf(stream, " ||| logprob= %.6g ||| %.6g\n", one->log_probability, one->score);
  }
}

struct lines {
  const struct translate_lines *job;
  struct line_sink sink;
};

/* A line for each sentence, also for one that could not be translated. */
static int write_line(void *context, const struct translated *translated) {
  struct lines *lines = context;
  const struct translate_lines *job = lines->job;
  const elman_translation *best = translated->translation;
  FILE *stream = lines->sink.stream;
  if (best != NULL) unknown_words_add(&lines->sink.unknown, best);
  if (job->json && best != NULL) {
    write_json(stream, best, job->n_best);
  } else if (job->n_best && !job->json) {
    write_moses(&lines->sink, best, translated->sentence->number);
  } else {
    /* No tag where there is no sentence: an empty side makes no pair. */
    if (job->tag != NULL && best != NULL && best->text[0] != '\0') fprintf(stream, "%s ", job->tag);
    print_data_for(stream,
                   best != NULL ? best->text
                   : job->json  ? "null"
                                : "",
                   lines->sink.terminal);
    putc('\n', stream);
  }
  return EX_OK;
}

static int translate_all(const struct translate_lines *job, const elman_model *model,
                         struct sentences *sentences, struct output *output) {
  struct lines lines = {job, {output->stream, stream_is_terminal(output->stream), {0}}};
  const struct batch_job batches = {model, &job->options, write_line, &lines};
  const int code = group_joined() == NULL
                       ? batches_run(&batches, sentences, output)
                       : batches_run_together(&batches, &lines.sink, sentences, output);
  unknown_words_note(&lines.sink.unknown, model, ELMAN_SOURCE);
  if (sentences_usable(sentences, code)) return output_close(output, code);
  output_abandon(output);
  return code;
}

static int run(const struct translate_lines *job, const elman_model *model,
               struct sentences *sentences, const char *output_path) {
  struct output output;
  const int code = output_open(&output, output_path);
  if (code != EX_OK) return code;
  /* A signal must not leave the temporary file behind; nor may a process that it ends leave the
   * leader waiting, who could not look at it. */
  if (output.file != NULL || !group_leads()) interrupt_catch_first();
  if (sentences->texts.count == 0 && isatty(sentences->lines.file))
    note("a sentence a line; Ctrl-D ends");
  return translate_all(job, model, sentences, &output);
}

int translate_lines(struct translate_lines *job, struct models *models, struct sentences *sentences,
                    const char *output_path) {
  job->options.without_scores = !job->n_best && !job->json; /* nobody will see them */
  int code = models_open(models, &job->options);
  if (code == EX_OK) code = run(job, models->open[0], sentences, output_path);
  models_close(models);
  return code;
}
