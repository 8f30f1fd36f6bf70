#include "translate_lines.h"

#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "json_output.h"
#include "messages.h"
#include "unknown_words.h"
#include "visible.h"
#include "window.h"

static void write_json(FILE *stream, const elman_translation *best, bool n_best) {
  struct json json = {.stream = stream};
  json_open(&json, NULL, "{");
  json_text(&json, "translation", best->text);
  json_number(&json, "log_probability", best->log_probability);
  json_texts(&json, "source_tokens", best->source_tokens, best->source_count);
  json_texts(&json, "target_tokens", best->target_tokens, best->target_count);
  if (n_best) json_open(&json, "n_best", "[");
  for (const elman_translation *one = best; n_best && one != NULL; one = one->next) {
    json_open(&json, NULL, "{");
    json_text(&json, "translation", one->text);
    json_number(&json, "log_probability", one->log_probability);
    json_number(&json, "score", one->score);
    json_texts(&json, "target_tokens", one->target_tokens, one->target_count);
    json_close(&json, "}");
  }
  if (n_best) json_close(&json, "]");
  json_close(&json, "}\n");
}

/* Lines as Moses writes them, counted from 0; the program never changes the decimal point. */
static void write_moses(FILE *stream, const elman_translation *best, size_t number) {
  for (const elman_translation *one = best; one != NULL; one = one->next) {
    fprintf(stream, "%zu ||| ", number - 1);
    print_data(stream, one->text);
    fprintf(stream, " ||| logprob= %.6g ||| %.6g\n", one->log_probability, one->score);
  }
}

/* `translation` is NULL for a sentence that is not valid text. */
static void write_line(FILE *stream, const struct translate_lines *job, size_t number,
                       const elman_translation *translation) {
  if (job->json && translation != NULL) {
    write_json(stream, translation, job->n_best);
  } else if (job->n_best && !job->json) {
    write_moses(stream, translation, number);
  } else {
    print_data(stream, translation != NULL ? translation->text : job->json ? "null" : "");
    putc('\n', stream);
  }
}

/* ---- sentences that are translated together ---- */

/* Waits for one sentence and takes those that have come by then: nobody's answer waits for what
 * is not yet written. False when there is nothing more to read, with *code as in sentences_next. */
static bool window_fill(struct window *window, struct sentences *sentences, bool quiet, int *code) {
  struct sentence sentence;
  do {
    if (!sentences_next(sentences, &sentence, code)) return false;
    if (!quiet) sentences_hint_tab(sentences, sentence);
    const int added = window_add(window, sentence.text, sentence.length, NULL, sentence.number);
    if (added != EX_OK) *code = added;
    if (added != EX_OK) return false;
  } while (window_has_room(window) && sentences_ready(sentences));
  return true;
}

static bool window_write(const struct window *window, const struct translate_lines *job,
                         struct sentences *sentences, struct unknown_words *unknown,
                         struct output *output, int *code) {
  for (size_t i = 0; i < window->count; i++) {
    if (window->translations[i] == NULL)
      *code = sentences_report(sentences, window->numbers[i], &window->errors[i]);
    write_line(output->stream, job, window->numbers[i], window->translations[i]);
    if (window->translations[i] != NULL) unknown_words_add(unknown, window->translations[i]);
  }
  return output_flush(output);
}

static int translate_all(const struct translate_lines *job, elman_translator *translator,
                         struct sentences *sentences, struct output *output) {
  struct unknown_words unknown = {0};
  struct window *window = calloc(1, sizeof *window);
  if (window == NULL) return report_no_memory();
  int code = EX_OK, stopped = EX_OK;
  for (bool more = true; more;) {
    more = window_fill(window, sentences, job->quiet, &stopped);
    if (window->count > 0 && !(window_translate(window, translator, &job->options, &code) &&
                               window_write(window, job, sentences, &unknown, output, &code)))
      more = false;
    window_clear(window);
  }
  free(window);
  if (!job->quiet) unknown_words_note(&unknown, "vocabulary");
  return stopped != EX_OK ? stopped : code;
}

int translate_lines(const struct translate_lines *job, struct sentences *sentences,
                    struct output *output) {
  elman_error error;
  elman_translator *translator;
  if (elman_translator_create(&translator, job->model, &error) != ELMAN_OK) {
    output_abandon(output);
    return report_error(&error);
  }
  const int code = translate_all(job, translator, sentences, output);
  elman_translator_free(translator);
  /* Lines that could not be translated leave the others worth having. */
  if (code == EX_OK || code == EX_DATAERR) return output_close(output, code);
  output_abandon(output);
  return code;
}
