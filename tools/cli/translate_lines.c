#include "translate_lines.h"

#include <sysexits.h>

#include "json_output.h"
#include "messages.h"
#include "unknown_words.h"

static void write_tokens(FILE *stream, const char *const *tokens, size_t count) {
  putc('[', stream);
  for (size_t i = 0; i < count; i++) {
    if (i > 0) putc(',', stream);
    write_json_string(stream, tokens[i]);
  }
  putc(']', stream);
}

static void write_json(FILE *stream, const elman_translation *translation) {
  fputs("{\"translation\":", stream);
  write_json_string(stream, translation->text);
  fputs(",\"log_probability\":", stream);
  write_json_number(stream, translation->log_probability);
  fputs(",\"source_tokens\":", stream);
  write_tokens(stream, translation->source_tokens, translation->source_count);
  fputs(",\"target_tokens\":", stream);
  write_tokens(stream, translation->target_tokens, translation->target_count);
  fputs("}\n", stream);
}

/* `translation` is NULL for a sentence that is not valid text. */
static void write_line(FILE *stream, bool json, const elman_translation *translation) {
  if (json && translation != NULL)
    write_json(stream, translation);
  else
    fprintf(stream, "%s\n", translation != NULL ? translation->text : json ? "null" : "");
}

static int translate_all(const struct translate_lines *job, elman_translator *translator,
                         struct sentences *sentences, struct output *output) {
  struct unknown_words unknown = {0};
  struct sentence sentence;
  int code = EX_OK;
  while (sentences_next(sentences, &sentence, &code)) {
    elman_error error;
    elman_translation *translation = NULL;
    const elman_status status = elman_translate(&translation, translator, sentence.text,
                                                sentence.length, &job->options, &error);
    if (status != ELMAN_OK) code = sentences_report(sentences, &error);
    if (status != ELMAN_OK && status != ELMAN_BAD_DATA) break;
    write_line(output->stream, job->json, translation);
    const bool written = output_flush(output);
    if (translation != NULL) unknown_words_add(&unknown, translation);
    elman_translation_free(translation);
    if (!written) break;
  }
  if (!job->quiet) unknown_words_note(&unknown);
  return code;
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
