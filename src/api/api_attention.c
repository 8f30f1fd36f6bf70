#include "api/call.h"
#include "base/file.h"
#include "inspect/format.h"

const char *elman_format_name(size_t index) {
  const struct format *format = format_at(index);
  return format == NULL ? NULL : format->name;
}

const char *elman_format_of_path(const char *path) {
  const struct format *format = format_of_path(path);
  return format == NULL ? NULL : format->name;
}

static enum status write_attention(FILE *stream, const elman_translation *outer,
                                   const char *format_name, const elman_text_style *style,
                                   struct error *error) {
  const struct format *format = format_named(format_name);
  if (format == NULL)
    return fail(error, STATUS_INVALID_ARGUMENT, NULL, "there is no format \"%s\"", format_name);
  const struct translation view = {.text = outer->text,
                                   .log_probability = outer->log_probability,
                                   .score = outer->score,
                                   .source_count = outer->source_count,
                                   .target_count = outer->target_count,
                                   .source_tokens = outer->source_tokens,
                                   .source_known = outer->source_known,
                                   .target_tokens = outer->target_tokens,
                                   .attention = outer->attention};
  const struct text_style inner = {.color = style != NULL && style->color};
  return format->write(stream, &view, &inner, error);
}

elman_status elman_attention_write(FILE *stream, const elman_translation *translation,
                                   const char *format, const elman_text_style *style,
                                   elman_error *error) {
  struct error problem = {0};
  return give(error, write_attention(stream, translation, format, style, &problem), &problem);
}

elman_status elman_attention_save(const char *path, const elman_translation *translation,
                                  const char *format, elman_error *error) {
  struct error problem = {0};
  struct safe_file file;
  enum status status = safe_file_open(&file, path, &problem);
  if (status == STATUS_OK) {
    status = write_attention(file.stream, translation, format, NULL, &problem);
    if (status == STATUS_OK)
      status = safe_file_commit(&file, &problem);
    else
      safe_file_abandon(&file);
  }
  return give(error, status, &problem);
}
