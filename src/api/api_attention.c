#include <stdlib.h>

#include "api/api_attention.h"
#include "api/call.h"
#include "base/safe_file.h"
#include "inspect/format.h"

const char *elman_format_name(size_t index) {
  const struct format *format = format_at(index);
  return format == NULL ? NULL : format->name;
}

const char *elman_format_suffix(size_t index) {
  const struct format *format = format_at(index);
  return format == NULL ? NULL : format->suffix;
}

const char *elman_format_of_path(const char *path) {
  const struct format *format = format_of_path(path);
  return format == NULL ? NULL : format->name;
}

const char *elman_alignment_rule_name(elman_alignment_rule rule) {
  return alignment_kind_name(rule);
}

const char *elman_alignment_units_name(elman_alignment_units units) {
  return alignment_units_name(units);
}

struct translation inner_translation(const elman_translation *outer) {
  return (struct translation){.text = outer->text,
                              .source = outer->source,
                              .log_probability = outer->log_probability,
                              .score = outer->score,
                              .source_count = outer->source_count,
                              .target_count = outer->target_count,
                              .heads = outer->heads,
                              .source_tokens = outer->source_tokens,
                              .source_ids = outer->source_ids,
                              .source_known = outer->source_known,
                              .source_starts = outer->source_starts,
                              .source_ends = outer->source_ends,
                              .target_tokens = outer->target_tokens,
                              .target_ids = outer->target_ids,
                              .target_starts = outer->target_starts,
                              .target_ends = outer->target_ends,
                              .ended = outer->ended,
                              .forced = outer->forced,
                              .attention = outer->attention,
                              .head_attention = outer->head_attention};
}

elman_status inner_rule(struct alignment_rule *inner, const elman_text_style *style,
                        elman_error *error) {
  static const elman_text_style plain = {0};
  if (style == NULL) style = &plain;
  const elman_alignment_rule kind = style->alignment;
  const elman_alignment_units units = style->units;
  const double threshold = style->threshold;
  if (alignment_kind_name(kind) == NULL)
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "there is no alignment rule %d", (int)kind);
  if (alignment_units_name(units) == NULL)
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "there are no alignment units %d", (int)units);
  if (!(threshold >= 0 && threshold <= 1))
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "the threshold must lie from 0 to 1");
  *inner =
      (struct alignment_rule){kind, threshold > 0 ? threshold : ELMAN_DEFAULT_THRESHOLD, units};
  return ELMAN_OK;
}

/* ---- writing ---- */

struct elman_attention_writer {
  struct writing inner;
};

static elman_status start(struct writing *writing, FILE *stream, const char *format_name,
                          const elman_text_style *style, elman_error *error) {
  const struct format *format = format_named(format_name);
  struct text_style inner = {0};
  *writing = (struct writing){0};
  if (format == NULL)
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "there is no format \"%s\"", format_name);
  const elman_status status = inner_rule(&inner.rule, style, error);
  if (status != ELMAN_OK) return status;
  if (style != NULL) {
    inner.color = style->color;
    inner.numbers = style->numbers;
    inner.width = style->width;
  }
  return writing_start(writing, stream, format, &inner, error);
}

static elman_status add(struct writing *writing, const elman_translation *translation,
                        elman_attention_place place, elman_error *error) {
  const struct translation inner = inner_translation(translation);
  const struct record record = {&inner, place.sentence, place.hypothesis};
  return writing_add(writing, &record, error);
}

elman_status elman_attention_writer_create(elman_attention_writer **writer, FILE *stream,
                                           const char *format, const elman_text_style *style,
                                           elman_error *error) {
  *writer = NULL;
  elman_attention_writer *created = malloc(sizeof *created);
  if (created == NULL) return fail_no_memory(error);
  const elman_status status = start(&created->inner, stream, format, style, error);
  if (status == ELMAN_OK)
    *writer = created;
  else
    elman_attention_writer_free(created);
  return status;
}

elman_status elman_attention_writer_add(elman_attention_writer *writer,
                                        const elman_translation *translation,
                                        elman_attention_place place, elman_error *error) {
  return add(&writer->inner, translation, place, error);
}

elman_status elman_attention_writer_finish(elman_attention_writer *writer, elman_error *error) {
  return writing_finish(&writer->inner, error);
}

void elman_attention_writer_free(elman_attention_writer *writer) {
  if (writer == NULL) return;
  writing_free(&writer->inner);
  free(writer);
}

static elman_status write_alone(FILE *stream, const elman_translation *translation,
                                const char *format, const elman_text_style *style,
                                elman_error *error) {
  struct writing writing;
  elman_status status = start(&writing, stream, format, style, error);
  if (status == ELMAN_OK) status = add(&writing, translation, (elman_attention_place){1, 1}, error);
  if (status == ELMAN_OK) status = writing_finish(&writing, error);
  writing_free(&writing);
  return status;
}

elman_status elman_attention_write(FILE *stream, const elman_translation *translation,
                                   const char *format, const elman_text_style *style,
                                   elman_error *error) {
  return write_alone(stream, translation, format, style, error);
}

elman_status elman_attention_save(const char *path, const elman_translation *translation,
                                  const char *format, elman_error *error) {
  struct safe_file file;
  elman_status status = safe_file_open(&file, path, NULL, error);
  if (status != ELMAN_OK) return status;
  status = write_alone(file.stream, translation, format, NULL, error);
  return safe_file_end(&file, status, error);
}
