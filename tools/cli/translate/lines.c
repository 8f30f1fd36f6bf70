#include "translate/lines.h"

#include <string.h>
#include <sysexits.h>
#include <unistd.h>

#include "console/json_output.h"
#include "console/messages.h"
#include "translate/batches.h"

/* ---- output per sentence ---- */

/* Destination of the translations. */
struct lines {
  const struct translate_lines *job;
  FILE *stream;
  const elman_model *model;
  size_t texts; /* number of TEXT arguments */
  struct unknown_words unknown;
  struct warnings warnings;
};

static void write_json(const struct lines *lines, const elman_translation *best) {
  enum { TARGET = ELMAN_JSON_TEXT | ELMAN_JSON_SCORES | ELMAN_JSON_TARGET_TOKENS };
  struct json json = {.stream = lines->stream};
  const bool n_best = lines->job->n_best;
  json_print(&json, "{");
  json_translation(&json, best, TARGET | ELMAN_JSON_SOURCE_TOKENS);
  json_warning(&json, lines->model, best);
  if (n_best) json_print(&json, "translations [");
  for (const elman_translation *one = best; n_best && one != NULL; one = one->next) {
    json_print(&json, "{");
    json_translation(&json, one, TARGET);
    json_print(&json, "}");
  }
  json_print(&json, n_best ? "]}\n" : "}\n");
}

/* Write a text as a part of a line: a space in place of line breaks. */
static void write_in_line(FILE *stream, const char *text) {
  char part[256];
  while (*text != '\0') {
    size_t length = strcspn(text, "\r\n");
    if (length >= sizeof part) {
      length = sizeof part - 1;
      while (((unsigned char)text[length] & 0xC0) == 0x80) length--; /* whole characters */
    }
    memcpy(part, text, length);
    part[length] = '\0';
    print_data(stream, part);
    text += length;
    const size_t breaks = strspn(text, "\r\n");
    if (breaks > 0) putc(' ', stream);
    text += breaks;
  }
}

/* Write the n-best list in the format of Moses, which numbers sentences from 0. Numbers have a
 * decimal point, because the program never sets the locale for numbers. */
static void write_moses(FILE *stream, const elman_translation *best, size_t number) {
  for (const elman_translation *one = best; one != NULL; one = one->next) {
    fprintf(stream, "%zu ||| ", number - 1);
    write_in_line(stream, one->text);
    fprintf(stream, " ||| logprob= %.6g ||| %.6g\n", one->log_probability, one->score);
  }
}

/* Print the warnings of TEXT arguments at once, and count those of lines. */
static void add_warning(struct lines *lines, const elman_translation *best, size_t number) {
  if (lines->texts == 0) {
    warnings_add(&lines->warnings, lines->model, best, number);
    return;
  }
  struct warnings own = {0};
  warnings_add(&own, lines->model, best, number);
  warnings_note(&own, lines->texts > 1 ? "TEXT" : NULL);
}

/* Write one line per sentence, even for a sentence that could not be translated. */
static int write_line(void *context, const struct translated *translated) {
  struct lines *lines = context;
  const struct translate_lines *job = lines->job;
  const elman_translation *best = translated->translation;
  FILE *stream = lines->stream;
  if (best != NULL) unknown_words_add(&lines->unknown, best);
  if (job->json && best != NULL) {
    write_json(lines, best);
  } else if (job->n_best && !job->json) {
    write_moses(stream, best, translated->sentence->number);
  } else {
    /* Write no tag for an empty translation: a pair with an empty side would be useless. */
    if (job->tag != NULL && best != NULL && best->text[0] != '\0') fprintf(stream, "%s ", job->tag);
    print_data(stream, best != NULL ? best->text : job->json ? "null" : "");
    putc('\n', stream);
  }
  if (best != NULL) add_warning(lines, best, translated->sentence->number);
  return EX_OK;
}

/* ---- all sentences ---- */

static int run(const struct translate_lines *job, const elman_model *model,
               struct sentence_input *sentences, const char *output_path) {
  struct output output;
  int code = output_open(&output, output_path);
  if (code != EX_OK) return code;
  /* Catch signals: a signal must not leave the temporary file behind. */
  if (output.file != NULL) interrupt_catch_first();
  if (sentences->texts.count == 0 && isatty(sentences->lines.file))
    note("one sentence per line; Ctrl-D ends the input");
  struct lines lines = {
      .job = job, .stream = output.stream, .model = model, .texts = sentences->texts.count};
  const struct batch_job batches = {model, &job->options, write_line, &lines};
  code = batches_run(&batches, sentences, &output);
  unknown_words_note(&lines.unknown, model);
  warnings_note(&lines.warnings, "line");
  return output_finish(&output, code, sentences_usable(sentences, code));
}

int translate_lines(struct translate_lines *job, struct models *models,
                    struct sentence_input *sentences, const char *output_path) {
  /* Scores are not printed. Greedy search is faster without scores, but cannot warn of an
   * improbable translation. This warning matters for TEXT, not for files. */
  job->options.without_attention = true;
  job->options.without_scores = !job->n_best && !job->json && sentences->texts.count == 0;
  int code = models_open(models, &job->options);
  if (code == EX_OK) code = run(job, models->open[0], sentences, output_path);
  models_close(models);
  return code;
}
