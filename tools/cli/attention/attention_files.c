#include "attention/attention_files.h"

#include <string.h>
#include <sysexits.h>

#include "console/messages.h"
#include "console/output.h"

static const char *format_choice(size_t index) {
  if (index > 0 && elman_format_name(index - 1) == NULL) return NULL;
  return elman_format_name(index) != NULL ? elman_format_name(index) : PNG;
}

static const char *format_suffix(size_t index) {
  if (index > 0 && elman_format_suffix(index - 1) == NULL) return NULL;
  return elman_format_suffix(index) != NULL ? elman_format_suffix(index) : PNG_SUFFIX;
}

const struct formats attention_formats = {format_choice, format_suffix};

const char *attention_format_written(const char *format) {
  return strcmp(format, PNG) == 0 ? "svg" : format;
}

int units_check(const char *what, elman_alignment_units units, const struct models *models) {
  const elman_model_info info = elman_model_get_info(models->open[0]);
  if (units != ELMAN_UNITS_SUBWORDS || info.source_tokens == ELMAN_TOKENS_BPE ||
      info.target_tokens == ELMAN_TOKENS_BPE)
    return EX_OK;
  report(models->paths.words[0],
         "has no subwords: its sides are split by %s and %s; take %s words or %s tokens",
         elman_token_mode_name(info.source_tokens), elman_token_mode_name(info.target_tokens), what,
         what);
  return EX_USAGE;
}

elman_status hypotheses_write(elman_attention_writer *writer, const elman_translation *best,
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
  elman_status status = elman_attention_writer_create(
      &writer, output.stream, attention_format_written(format), style, &error);
  if (status == ELMAN_OK)
    status = hypotheses_write(writer, best, (elman_attention_place){1, 1, NULL}, &error);
  if (status == ELMAN_OK) status = elman_attention_writer_finish(writer, &error);
  elman_attention_writer_free(writer);
  if (status == ELMAN_OK) return output_close(&output, EX_OK);
  code = report_error(&error);
  output_abandon(&output);
  return code;
}
