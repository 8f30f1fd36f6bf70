/* One JSON object a line (JSON Lines). */
#include "inspect/escape.h"
#include "inspect/format.h"
#include "inspect/measures.h"
#include "inspect/number.h"

static void write_key(FILE *stream, const char *key) {
  fprintf(stream, ",\"%s\":", key);
}

static void comma(FILE *stream, size_t index) {
  if (index > 0) fputc(',', stream);
}

static void write_text(FILE *stream, const char *key, const char *text) {
  write_key(stream, key);
  write_json_text(stream, text);
}

static void write_real(FILE *stream, const char *key, double value) {
  write_key(stream, key);
  write_json_real(stream, value);
}

static void write_flag(FILE *stream, const char *key, bool value) {
  write_key(stream, key);
  fputs(value ? "true" : "false", stream);
}

static void write_tokens(FILE *stream, const char *key, const char *const *tokens, size_t count) {
  write_key(stream, key);
  fputc('[', stream);
  for (size_t i = 0; i < count; i++) {
    comma(stream, i);
    write_json_text(stream, tokens[i]);
  }
  fputc(']', stream);
}

static void write_source(FILE *stream, const struct translation *translation) {
  const size_t S = translation->source_count;
  write_tokens(stream, "source_tokens", translation->source_tokens, S);
  write_key(stream, "source_known");
  for (size_t s = 0; s < S; s++)
    fprintf(stream, "%s%s", s == 0 ? "[" : ",", translation->source_known[s] ? "true" : "false");
  fputs(S == 0 ? "[]" : "]", stream);
  write_key(stream, "source_offsets");
  for (size_t s = 0; s < S; s++)
    fprintf(stream, "%s[%zu,%zu]", s == 0 ? "[" : ",", translation->source_starts[s],
            translation->source_ends[s]);
  fputs(S == 0 ? "[]" : "]", stream);
}

static void write_matrix(FILE *stream, const real *values, size_t rows, size_t columns) {
  fputc('[', stream);
  for (size_t i = 0; i < rows; i++) {
    comma(stream, i);
    fputc('[', stream);
    for (size_t j = 0; j < columns; j++) {
      comma(stream, j);
      write_json_real(stream, (double)values[i * columns + j]);
    }
    fputc(']', stream);
  }
  fputc(']', stream);
}

static void write_measures(FILE *stream, const struct translation *translation) {
  const size_t S = translation->source_count, T = translation->target_count;
  write_key(stream, "entropy");
  fputc('[', stream);
  for (size_t t = 0; t < T; t++) {
    comma(stream, t);
    write_json_real(stream, row_entropy(translation->attention + t * S, S));
  }
  fputc(']', stream);
  write_key(stream, "coverage");
  fputc('[', stream);
  for (size_t s = 0; s < S; s++) {
    comma(stream, s);
    write_json_real(stream, column_sum(translation->attention, T, S, s));
  }
  fputc(']', stream);
}

static void write_weights(FILE *stream, const struct translation *translation) {
  const size_t S = translation->source_count, T = translation->target_count;
  write_key(stream, "attention");
  write_matrix(stream, translation->attention, T, S);
  if (translation->heads <= 1) return;
  write_key(stream, "heads");
  fputc('[', stream);
  for (size_t h = 0; h < translation->heads; h++) {
    comma(stream, h);
    write_matrix(stream, translation->head_attention + h * T * S, T, S);
  }
  fputc(']', stream);
}

void write_json_record(FILE *stream, const struct record *record) {
  const struct translation *translation = record->translation;
  fprintf(stream, "{\"sentence\":%zu,\"hypothesis\":%zu", record->sentence, record->hypothesis);
  write_text(stream, "source", translation->source);
  write_text(stream, "translation", translation->text);
  write_source(stream, translation);
  write_tokens(stream, "target_tokens", translation->target_tokens, translation->target_count);
  write_flag(stream, "ended", translation->ended);
  write_flag(stream, "forced", translation->forced);
  write_real(stream, "log_probability", translation->log_probability);
  write_real(stream, "score", translation->score);
  write_measures(stream, translation);
  write_weights(stream, translation);
  fputc('}', stream);
}

static elman_status write_translation(struct writing *writing, const struct record *record,
                                      elman_error *error) {
  (void)error;
  write_json_record(writing->stream, record);
  fputc('\n', writing->stream);
  return ELMAN_OK;
}

const struct format format_json = {"json", ".json", .write = write_translation};
