#include "attention_files.h"

#include <sysexits.h>

#include "messages.h"

const struct formats attention_formats = {elman_format_name, elman_format_suffix};

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
                              size_t sentence, elman_error *error) {
  elman_attention_place place = {.sentence = sentence, .hypothesis = 1};
  elman_status status = ELMAN_OK;
  for (const elman_translation *one = best; one != NULL && status == ELMAN_OK; one = one->next) {
    status = elman_attention_writer_add(writer, one, place, error);
    place.hypothesis++;
  }
  return status;
}

elman_status hypotheses_save(const char *path, const elman_translation *best, const char *format,
                             const elman_text_style *style, elman_error *error) {
  elman_file *file;
  FILE *stream;
  elman_attention_writer *writer;
  elman_status status = elman_file_create(&file, path, &stream, error);
  if (status != ELMAN_OK) return status;
  status = elman_attention_writer_create(&writer, stream, format, style, error);
  if (status == ELMAN_OK) status = hypotheses_write(writer, best, 1, error);
  if (status == ELMAN_OK) status = elman_attention_writer_finish(writer, error);
  elman_attention_writer_free(writer);
  if (status == ELMAN_OK) return elman_file_commit(file, error);
  elman_file_discard(file);
  return status;
}
