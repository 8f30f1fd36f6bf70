/* One JSON object per line (JSON Lines). */
#include "inspect/escape.h"
#include "inspect/format.h"
#include "inspect/summary.h"

static void write_key(FILE *stream, const char *key) {
  fprintf(stream, ",\"%s\":", key);
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

/* Write item i of a list. */
typedef void item_writer(FILE *stream, const elman_translation *translation, size_t i);

static void write_list(FILE *stream, const char *key, item_writer *write_item,
                       const elman_translation *translation, size_t count) {
  write_key(stream, key);
  for (size_t i = 0; i < count; i++) {
    fputc(i == 0 ? '[' : ',', stream);
    write_item(stream, translation, i);
  }
  fputs(count == 0 ? "[]" : "]", stream);
}

static void source_token(FILE *stream, const elman_translation *translation, size_t s) {
  write_json_text(stream, translation->source_tokens[s]);
}

static void source_known(FILE *stream, const elman_translation *translation, size_t s) {
  fputs(translation->source_known[s] ? "true" : "false", stream);
}

static void segment_end(FILE *stream, const elman_translation *translation, size_t g) {
  fprintf(stream, "%zu", translation->segment_ends[g]);
}

static void source_offsets(FILE *stream, const elman_translation *translation, size_t s) {
  fprintf(stream, "[%zu,%zu]", translation->source_starts[s], translation->source_ends[s]);
}

static void target_token(FILE *stream, const elman_translation *translation, size_t t) {
  write_json_text(stream, translation->target_tokens[t]);
}

static void entropy(FILE *stream, const elman_translation *translation, size_t t) {
  const size_t S = translation->source_count;
  write_json_real(stream, row_entropy(translation->attention + t * S, S));
}

static void coverage(FILE *stream, const elman_translation *translation, size_t s) {
  const size_t S = translation->source_count, T = translation->target_count;
  write_json_real(stream, column_sum(translation->attention, T, S, s));
}

static void sentinel(FILE *stream, const elman_translation *translation, size_t t) {
  write_json_real(stream, (double)translation->sentinel[t]);
}

static void write_matrix(FILE *stream, const float *values, size_t rows, size_t columns) {
  for (size_t i = 0; i < rows; i++) {
    fputs(i == 0 ? "[[" : ",[", stream);
    for (size_t j = 0; j < columns; j++) {
      if (j > 0) fputc(',', stream);
      write_json_real(stream, (double)values[i * columns + j]);
    }
    fputc(']', stream);
  }
  fputs(rows == 0 ? "[]" : "]", stream);
}

static void head(FILE *stream, const elman_translation *translation, size_t h) {
  const size_t S = translation->source_count, T = translation->target_count;
  write_matrix(stream, translation->head_attention + h * T * S, T, S);
}

/* Write `count` matrices (n,n), one per head. */
static void write_matrices(FILE *stream, const char *key, const float *matrices, size_t count,
                           size_t n) {
  write_key(stream, key);
  for (size_t i = 0; i < count; i++) {
    fputc(i == 0 ? '[' : ',', stream);
    write_matrix(stream, matrices + i * n * n, n, n);
  }
  fputc(']', stream);
}

void write_json_record(const elman_attention_writer *writing,
                       const elman_translation *translation) {
  FILE *stream = writing->stream;
  const elman_attention_place place = writing->place;
  const size_t S = translation->source_count, T = translation->target_count;
  fprintf(stream, "{\"sentence\":%zu,\"hypothesis\":%zu", place.sentence, place.hypothesis);
  if (place.model != NULL) write_text(stream, "model", place.model);
  write_text(stream, "source", translation->source);
  write_text(stream, "translation", translation->text);
  write_list(stream, "source_tokens", source_token, translation, S);
  write_list(stream, "source_known", source_known, translation, S);
  write_list(stream, "source_offsets", source_offsets, translation, S);
  write_list(stream, "target_tokens", target_token, translation, T);
  write_flag(stream, "ended", translation->ended);
  write_flag(stream, "forced", translation->forced);
  write_real(stream, "log_probability", translation->log_probability);
  write_real(stream, "score", translation->score);
  write_list(stream, "entropy", entropy, translation, T);
  write_list(stream, "coverage", coverage, translation, S);
  write_key(stream, "attention");
  write_matrix(stream, translation->attention, T, S);
  if (translation->heads > 1) write_list(stream, "heads", head, translation, translation->heads);
  if (translation->sentinel != NULL) write_list(stream, "sentinel", sentinel, translation, T);
  if (translation->segments != NULL) {
    write_list(stream, "segment_ends", segment_end, translation, translation->segment_count);
    write_key(stream, "segments");
    write_matrix(stream, translation->segments, T, translation->segment_count);
  }
  if (translation->source_self_attention != NULL)
    write_matrices(stream, "source_self_attention", translation->source_self_attention,
                   translation->source_self_heads, S);
  if (translation->target_self_attention != NULL)
    write_matrices(stream, "target_self_attention", translation->target_self_attention,
                   translation->target_self_heads, T);
  if (writing->source_words) write_text(stream, "source_units", "words");
  if (writing->target_words) write_text(stream, "target_units", "words");
  if (writing->refusal != NULL) write_text(stream, "error", writing->refusal);
  fputc('}', stream);
}

static void write_translation(elman_attention_writer *writing,
                              const elman_translation *translation) {
  write_json_record(writing, translation);
  fputc('\n', writing->stream);
}

const struct format format_json = {"json", ".json", .write = write_translation};
