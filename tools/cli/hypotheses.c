#include "hypotheses.h"

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
                             elman_error *error) {
  elman_file *file;
  FILE *stream;
  elman_attention_writer *writer;
  elman_status status = elman_file_create(&file, path, &stream, error);
  if (status != ELMAN_OK) return status;
  status = elman_attention_writer_create(&writer, stream, format, NULL, error);
  if (status == ELMAN_OK) status = hypotheses_write(writer, best, 1, error);
  if (status == ELMAN_OK) status = elman_attention_writer_finish(writer, error);
  elman_attention_writer_free(writer);
  if (status == ELMAN_OK) return elman_file_commit(file, error);
  elman_file_discard(file);
  return status;
}
