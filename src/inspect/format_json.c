/* One JSON object per line (JSON Lines). */
#include "elman/json.h"
#include "inspect/escape.h"
#include "inspect/format.h"
#include "inspect/summary.h"

/* ---- values ---- */

static void write_key(struct json_writer *json, const char *key) {
  fprintf(json->stream, "%s\"%s\":", json->comma ? "," : "", key);
  json->comma = true;
}

static void write_text(struct json_writer *json, const char *key, const char *text) {
  write_key(json, key);
  write_json_text(json->stream, text, json->in_script);
}

static void write_number(struct json_writer *json, const char *key, double number) {
  write_key(json, key);
  write_json_number(json->stream, number, json->digits);
}

static void write_flag(struct json_writer *json, const char *key, bool flag) {
  write_key(json, key);
  fputs(flag ? "true" : "false", json->stream);
}

/* ---- lists ---- */

/* Write item i of a list. */
typedef void item_writer(const struct json_writer *json, const void *items, size_t i);

static void write_items(const struct json_writer *json, item_writer *write_item, const void *items,
                        size_t count) {
  fputc('[', json->stream);
  for (size_t i = 0; i < count; i++) {
    if (i > 0) fputc(',', json->stream);
    write_item(json, items, i);
  }
  fputc(']', json->stream);
}

/* Write a list; nothing if the translation does not have its items. */
static void write_list(struct json_writer *json, const char *key, item_writer *write_item,
                       const void *items, size_t count) {
  if (items == NULL && count > 0) return;
  write_key(json, key);
  write_items(json, write_item, items, count);
}

static void write_token(const struct json_writer *json, const void *items, size_t i) {
  write_json_text(json->stream, ((const char *const *)items)[i], json->in_script);
}

static void write_id(const struct json_writer *json, const void *items, size_t i) {
  fprintf(json->stream, "%u", (unsigned)((const uint32_t *)items)[i]);
}

static void write_size(const struct json_writer *json, const void *items, size_t i) {
  fprintf(json->stream, "%zu", ((const size_t *)items)[i]);
}

static void write_known(const struct json_writer *json, const void *items, size_t i) {
  fputs(((const bool *)items)[i] ? "true" : "false", json->stream);
}

static void write_double(const struct json_writer *json, const void *items, size_t i) {
  write_json_number(json->stream, ((const double *)items)[i], json->digits);
}

static void write_float(const struct json_writer *json, const void *items, size_t i) {
  write_json_number(json->stream, (double)((const float *)items)[i], json->digits);
}

struct token_spans {
  const size_t *starts, *ends;
};

static void write_span(const struct json_writer *json, const void *items, size_t i) {
  const struct token_spans *spans = items;
  fprintf(json->stream, "[%zu,%zu]", spans->starts[i], spans->ends[i]);
}

static void write_entropy(const struct json_writer *json, const void *items, size_t t) {
  const elman_translation *translation = items;
  const size_t S = translation->source_count;
  write_json_number(json->stream, row_entropy(translation->attention + t * S, S), json->digits);
}

static void write_coverage(const struct json_writer *json, const void *items, size_t s) {
  const elman_translation *translation = items;
  write_json_number(
      json->stream,
      column_sum(translation->attention, translation->target_count, translation->source_count, s),
      json->digits);
}

/* Matrices (rows,columns), one after the other. */
struct matrices {
  const float *values;
  size_t rows, columns;
};

static void write_row(const struct json_writer *json, const void *items, size_t i) {
  const struct matrices *matrix = items;
  write_items(json, write_float, matrix->values + i * matrix->columns, matrix->columns);
}

static void write_matrix(const struct json_writer *json, const void *items, size_t i) {
  struct matrices matrix = *(const struct matrices *)items;
  matrix.values += i * matrix.rows * matrix.columns;
  write_items(json, write_row, &matrix, matrix.rows);
}

static void write_one_matrix(struct json_writer *json, const char *key, const float *values,
                             size_t rows, size_t columns) {
  const struct matrices matrix = {values, rows, columns};
  write_list(json, key, write_row, &matrix, rows);
}

static void write_heads(struct json_writer *json, const char *key, const float *values,
                        size_t heads, size_t rows, size_t columns) {
  const struct matrices matrices = {values, rows, columns};
  write_list(json, key, write_matrix, &matrices, heads);
}

/* ---- translations ---- */

static void write_source(struct json_writer *json, const elman_translation *translation,
                         unsigned parts) {
  const size_t S = translation->source_count;
  const struct token_spans spans = {translation->source_starts, translation->source_ends};
  if ((parts & ELMAN_JSON_SOURCE_TOKENS) != 0) {
    write_list(json, "source_tokens", write_token, translation->source_tokens, S);
    write_list(json, "source_ids", write_id, translation->source_ids, S);
    write_list(json, "source_known", write_known, translation->source_known, S);
  }
  if ((parts & ELMAN_JSON_SOURCE_SPANS) != 0)
    write_list(json, "source_spans", write_span, &spans, S);
}

static void write_target(struct json_writer *json, const elman_translation *translation,
                         unsigned parts) {
  const size_t T = translation->target_count;
  const struct token_spans spans = {translation->target_starts, translation->target_ends};
  if ((parts & ELMAN_JSON_TARGET_TOKENS) != 0) {
    write_list(json, "target_tokens", write_token, translation->target_tokens, T);
    write_list(json, "target_ids", write_id, translation->target_ids, T);
  }
  if ((parts & ELMAN_JSON_TARGET_SPANS) != 0)
    write_list(json, "target_spans", write_span, &spans, T);
  if ((parts & ELMAN_JSON_TEXT) != 0) {
    write_flag(json, "ended", translation->ended);
    write_flag(json, "forced", translation->forced);
  }
  if ((parts & ELMAN_JSON_SCORES) != 0) {
    write_number(json, "log_probability", translation->log_probability);
    write_number(json, "score", translation->score);
    write_list(json, "log_probabilities", write_double, translation->log_probabilities, T);
  }
}

static void write_attention(struct json_writer *json, const elman_translation *translation,
                            unsigned parts) {
  const size_t S = translation->source_count, T = translation->target_count;
  if ((parts & ELMAN_JSON_MEASURES) != 0) {
    write_list(json, "entropy", write_entropy, translation, T);
    write_list(json, "coverage", write_coverage, translation, S);
  }
  if ((parts & ELMAN_JSON_ATTENTION) != 0)
    write_one_matrix(json, "attention", translation->attention, T, S);
  if ((parts & ELMAN_JSON_HEAD_ATTENTION) != 0)
    write_heads(json, "head_attention", translation->head_attention, translation->heads, T, S);
  if ((parts & ELMAN_JSON_ATTENTION) != 0) {
    const size_t G = translation->segment_count;
    if (translation->sentinel != NULL)
      write_list(json, "sentinel", write_float, translation->sentinel, T);
    if (translation->segments != NULL) {
      write_list(json, "segment_ends", write_size, translation->segment_ends, G);
      write_one_matrix(json, "segments", translation->segments, T, G);
    }
  }
  if ((parts & ELMAN_JSON_SELF_ATTENTION) == 0) return;
  if (translation->source_self_attention != NULL)
    write_heads(json, "source_self_attention", translation->source_self_attention,
                translation->source_self_heads, S, S);
  if (translation->target_self_attention != NULL)
    write_heads(json, "target_self_attention", translation->target_self_attention,
                translation->target_self_heads, T, T);
}

void write_json_translation(struct json_writer *json, const elman_translation *translation,
                            unsigned parts) {
  if ((parts & ELMAN_JSON_SOURCE) != 0) write_text(json, "source", translation->source);
  if ((parts & ELMAN_JSON_TEXT) != 0) write_text(json, "text", translation->text);
  write_source(json, translation, parts);
  write_target(json, translation, parts);
  write_attention(json, translation, parts);
}

/* ---- records ---- */

void write_json_record(const elman_attention_writer *writing,
                       const elman_translation *translation) {
  enum { DIGITS = 9 };
  FILE *stream = writing->stream;
  const elman_attention_place place = writing->place;
  struct json_writer json = {stream, DIGITS, .comma = true, .in_script = true};
  const unsigned heads = translation->heads > 1 ? ELMAN_JSON_HEAD_ATTENTION : 0;
  fprintf(stream, "{\"sentence\":%zu,\"hypothesis\":%zu", place.sentence, place.hypothesis);
  if (place.model != NULL) write_text(&json, "model", place.model);
  write_json_translation(
      &json, translation,
      heads | ELMAN_JSON_SOURCE | ELMAN_JSON_TEXT | ELMAN_JSON_SCORES | ELMAN_JSON_SOURCE_TOKENS |
          ELMAN_JSON_TARGET_TOKENS | ELMAN_JSON_SOURCE_SPANS | ELMAN_JSON_TARGET_SPANS |
          ELMAN_JSON_ATTENTION | ELMAN_JSON_SELF_ATTENTION | ELMAN_JSON_MEASURES);
  if (writing->source_words) write_text(&json, "source_units", "words");
  if (writing->target_words) write_text(&json, "target_units", "words");
  if (writing->refusal != NULL) write_text(&json, "error", writing->refusal);
  fputc('}', stream);
}

static void write_translation(elman_attention_writer *writing,
                              const elman_translation *translation) {
  write_json_record(writing, translation);
  fputc('\n', writing->stream);
}

const struct format format_json = {"json", ".json", .write = write_translation};
