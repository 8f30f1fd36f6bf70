#include "inspect/format.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "inspect/shown.h"
#include "inspect/word_matrix.h"

#define ADDRESS(name) &format_##name,
static const struct format *const formats[] = {FORMATS(ADDRESS)};

const struct format *format_at(size_t index) {
  return index < sizeof formats / sizeof *formats ? formats[index] : NULL;
}

const struct format *format_named(const char *name) {
  const struct format *format;
  for (size_t i = 0; (format = format_at(i)) != NULL; i++)
    if (strcmp(format->name, name) == 0) break;
  return format;
}

const struct format *format_of_path(const char *path) {
  const struct format *format;
  for (size_t i = 0; (format = format_at(i)) != NULL; i++) {
    const size_t length = strlen(path), suffix = strlen(format->suffix);
    if (length > suffix && strcmp(path + length - suffix, format->suffix) == 0) break;
  }
  return format;
}

static elman_status written(const elman_attention_writer *writing, elman_error *error) {
  return writing->failed ? fail_no_memory(error) : ELMAN_OK;
}

elman_status writing_start(elman_attention_writer *writing, FILE *stream,
                           const struct format *format, const elman_text_style *style,
                           elman_error *error) {
  *writing = (elman_attention_writer){.format = format, .stream = stream};
  const elman_status status = text_style_settle(&writing->style, style, error);
  if (status != ELMAN_OK) return status;
  if (format->begin != NULL) format->begin(writing);
  return written(writing, error);
}

/* A format that finds the words itself needs the tokens. */
static elman_alignment_units units_of(const elman_attention_writer *writing) {
  const elman_alignment_units units = writing->style.units;
  return writing->format->counts_words && units != ELMAN_UNITS_SUBWORDS ? ELMAN_UNITS_TOKENS
                                                                        : units;
}

elman_status writing_add(elman_attention_writer *writing, const elman_translation *translation,
                         elman_attention_place place, elman_error *error) {
  struct shown shown;
  const elman_status status = shown_create(&shown, translation, units_of(writing), error);
  if (status != ELMAN_OK) return status;
  writing->place = place;
  writing->source_words = shown.source_words;
  writing->target_words = shown.target_words;
  writing->format->write(writing, &shown.view);
  writing->count++;
  shown_free(&shown);
  return written(writing, error);
}

elman_status writing_add_refused(elman_attention_writer *writing, elman_attention_place place,
                                 const elman_error *reason, elman_error *error) {
  const elman_translation none = {
      .source = "", .text = "", .heads = 1, .log_probability = NAN, .score = NAN};
  writing->place = place;
  writing->source_words = writing->target_words = false;
  char refusal[sizeof reason->where + sizeof reason->message + 2];
  snprintf(refusal, sizeof refusal, "%s%s%s", reason->where, reason->where[0] != '\0' ? ": " : "",
           reason->message);
  writing->refusal = refusal;
  writing->format->write(writing, &none);
  writing->refusal = NULL;
  writing->count++;
  return written(writing, error);
}

elman_status writing_finish(elman_attention_writer *writing, elman_error *error) {
  if (writing->format->end != NULL) writing->format->end(writing);
  return written(writing, error);
}

void writing_free(elman_attention_writer *writing) {
  if (writing->held != NULL) fclose(writing->held);
  free(writing->held_bytes);
  *writing = (elman_attention_writer){0};
}
