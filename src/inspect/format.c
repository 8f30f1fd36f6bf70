#include "inspect/format.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/safe_file.h"
#include "inspect/escape.h"
#include "inspect/shown.h"

/* ---- the panels of a translation ---- */

/* The columns of a panel: the source tokens, NO_TOKEN if there is a sentinel, and segments, named
 * "tokens 1-5" and so on. No token contains a space. */
#define NO_TOKEN "no token"

size_t panel_count(const elman_translation *translation) {
  return translation->heads > 1 ? translation->heads + 1 : 1;
}

static bool is_average(const elman_translation *translation, size_t index) {
  return index + 1 == panel_count(translation);
}

const float *panel_weights(const elman_translation *translation, size_t index) {
  if (is_average(translation, index)) return translation->attention;
  return translation->head_attention +
         index * translation->target_count * translation->source_count;
}

size_t panel_columns(const elman_translation *translation) {
  return translation->source_count + (translation->sentinel != NULL) + translation->segment_count;
}

/* Return the segment of a column after the tokens and the sentinel. */
static size_t segment_of(const elman_translation *translation, size_t column) {
  return column - translation->source_count - (translation->sentinel != NULL);
}

const char *column_name(struct column_buffer *buffer, const elman_translation *translation,
                        size_t column) {
  const size_t S = translation->source_count, *ends = translation->segment_ends;
  if (column < S) return translation->source_tokens[column];
  if (column == S && translation->sentinel != NULL) return NO_TOKEN;
  const size_t segment = segment_of(translation, column);
  const size_t first = segment > 0 ? ends[segment - 1] + 1 : 1;
  snprintf(buffer->text, sizeof buffer->text, "tokens %zu-%zu", first, ends[segment]);
  return buffer->text;
}

bool column_known(const elman_translation *translation, size_t column) {
  return column >= translation->source_count || translation->source_known[column];
}

double column_weight(const elman_translation *translation, const float *weights, size_t t,
                     size_t column) {
  const size_t S = translation->source_count, G = translation->segment_count;
  if (column < S) return (double)weights[t * S + column];
  if (column == S && translation->sentinel != NULL) return (double)translation->sentinel[t];
  return (double)translation->segments[t * G + segment_of(translation, column)];
}

void write_panel_name(FILE *stream, const elman_translation *translation, size_t index) {
  if (translation->heads <= 1) return;
  if (is_average(translation, index))
    fputs("average", stream);
  else
    fprintf(stream, "head %zu", index + 1);
}

void write_panels(elman_attention_writer *writing, const elman_translation *translation,
                  panel_writer *write_panel) {
  if (writing->count > 0) fputc('\n', writing->stream);
  if (writing->style.numbered)
    fprintf(writing->stream, "%zu.%zu\n", writing->place.sentence, writing->place.hypothesis);
  for (size_t i = 0; i < panel_count(translation); i++) {
    write_panel_name(writing->stream, translation, i);
    if (translation->heads > 1) fputc('\n', writing->stream);
    write_panel(writing, translation, panel_weights(translation, i));
  }
}

size_t widest_token(const char *const *tokens, size_t count, size_t most) {
  size_t width = 0;
  for (size_t i = 0; i < count; i++) {
    const size_t one = visible_width(tokens[i]);
    if (one > width) width = one;
  }
  return width < most ? width : most;
}

size_t widest_column(const elman_translation *translation, size_t most) {
  size_t width = 0;
  for (size_t column = 0; column < panel_columns(translation); column++) {
    struct column_buffer buffer;
    const char *const name = column_name(&buffer, translation, column);
    const size_t one = widest_token(&name, 1, most);
    if (one > width) width = one;
  }
  return width;
}

bool has_unknown(const elman_translation *translation) {
  for (size_t s = 0; s < translation->source_count; s++)
    if (!translation->source_known[s]) return true;
  return false;
}

/* ---- formats and their writer ---- */

#define DECLARE_FORMAT(name) extern const struct format format_##name;

FORMATS(DECLARE_FORMAT)

#define ADDRESS(name) &format_##name,

static const struct format *const formats[] = {FORMATS(ADDRESS)};

static const struct format *format_at(size_t index) {
  return index < sizeof formats / sizeof *formats ? formats[index] : NULL;
}

static const struct format *format_named(const char *name) {
  const struct format *format;
  for (size_t i = 0; (format = format_at(i)) != NULL; i++)
    if (strcmp(format->name, name) == 0) break;
  return format;
}

const char *elman_format_name(size_t index) {
  const struct format *format = format_at(index);
  return format == NULL ? NULL : format->name;
}

const char *elman_format_suffix(size_t index) {
  const struct format *format = format_at(index);
  return format == NULL ? NULL : format->suffix;
}

const char *elman_format_of_path(const char *path) {
  const struct format *format;
  for (size_t i = 0; (format = format_at(i)) != NULL; i++) {
    const size_t length = strlen(path), suffix = strlen(format->suffix);
    if (length > suffix && strcmp(path + length - suffix, format->suffix) == 0) return format->name;
  }
  return NULL;
}

static elman_status written(const elman_attention_writer *writing, elman_error *error) {
  return writing->failed ? fail_no_memory(error) : ELMAN_OK;
}

elman_status elman_attention_writer_create(elman_attention_writer **writer, FILE *stream,
                                           const char *format, const elman_text_style *style,
                                           elman_error *error) {
  const struct format *found = format_named(format);
  *writer = NULL;
  if (found == NULL)
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "unknown format \"%s\"", format);
  elman_attention_writer *created = calloc(1, sizeof *created);
  if (created == NULL) return fail_no_memory(error);
  created->format = found;
  created->stream = stream;
  elman_status status = text_style_complete(&created->style, style, error);
  if (status == ELMAN_OK && found->begin != NULL) found->begin(created);
  if (status == ELMAN_OK) status = written(created, error);
  if (status == ELMAN_OK)
    *writer = created;
  else
    elman_attention_writer_free(created);
  return status;
}

elman_status elman_attention_writer_add(elman_attention_writer *writing,
                                        const elman_translation *translation,
                                        elman_attention_place place, elman_error *error) {
  struct shown shown;
  elman_alignment_units units = writing->style.units;
  if (writing->format->counts_words && units != ELMAN_UNITS_SUBWORDS) units = ELMAN_UNITS_TOKENS;
  const elman_status status = shown_create(&shown, translation, units, error);
  if (status != ELMAN_OK) return status;
  writing->place = place;
  writing->source_words = shown.source_words;
  writing->target_words = shown.target_words;
  writing->format->write(writing, &shown.view);
  writing->count++;
  shown_free(&shown);
  return written(writing, error);
}

elman_status elman_attention_writer_add_refused(elman_attention_writer *writing,
                                                elman_attention_place place,
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

elman_status elman_attention_writer_finish(elman_attention_writer *writing, elman_error *error) {
  if (writing->format->end != NULL) writing->format->end(writing);
  return written(writing, error);
}

void elman_attention_writer_free(elman_attention_writer *writer) {
  if (writer == NULL) return;
  if (writer->held != NULL) fclose(writer->held);
  free(writer->held_bytes);
  free(writer);
}

elman_status elman_attention_write(FILE *stream, const elman_translation *translation,
                                   const char *format, const elman_text_style *style,
                                   elman_error *error) {
  elman_attention_writer *writer;
  elman_status status = elman_attention_writer_create(&writer, stream, format, style, error);
  if (status == ELMAN_OK)
    status =
        elman_attention_writer_add(writer, translation, (elman_attention_place){1, 1, NULL}, error);
  if (status == ELMAN_OK) status = elman_attention_writer_finish(writer, error);
  elman_attention_writer_free(writer);
  return status;
}

elman_status elman_attention_save(const char *path, const elman_translation *translation,
                                  const char *format, const elman_text_style *style,
                                  elman_error *error) {
  elman_file file;
  elman_status status = safe_file_open(&file, path, NULL, error);
  if (status != ELMAN_OK) return status;
  status = elman_attention_write(file.stream, translation, format, style, error);
  return safe_file_end(&file, status, error);
}
