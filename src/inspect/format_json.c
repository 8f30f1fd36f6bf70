/* Translations and gradient norms as JSON. The format has one object per line (JSON Lines). */
#include <stddef.h>
#include <string.h>

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

enum kind { TEXT, FLAG, SIZE, ID, FLOAT, DOUBLE };

static const size_t kind_sizes[] = {
    [TEXT] = sizeof(char *), [FLAG] = sizeof(bool),   [SIZE] = sizeof(size_t),
    [ID] = sizeof(uint32_t), [FLOAT] = sizeof(float), [DOUBLE] = sizeof(double)};

static void write_value(const struct json_writer *json, enum kind kind, const void *value) {
  FILE *stream = json->stream;
  if (kind == TEXT)
    write_json_text(stream, *(const char *const *)value, json->in_script);
  else if (kind == FLAG)
    fputs(*(const bool *)value ? "true" : "false", stream);
  else if (kind == SIZE)
    fprintf(stream, "%zu", *(const size_t *)value);
  else if (kind == ID)
    fprintf(stream, "%u", (unsigned)*(const uint32_t *)value);
  else
    write_json_number(stream,
                      kind == FLOAT ? (double)*(const float *)value : *(const double *)value,
                      json->digits);
}

enum { DIMENSIONS = 3 };

/* Write a value, or a row-major array. */
static void write_array(const struct json_writer *json, enum kind kind, const char *values,
                        const size_t *sizes, size_t dimensions) {
  size_t step = kind_sizes[kind];
  if (dimensions == 0) {
    write_value(json, kind, values);
    return;
  }
  for (size_t i = 1; i < dimensions; i++) step *= sizes[i];
  fputc('[', json->stream);
  for (size_t i = 0; i < *sizes; i++) {
    if (i > 0) fputc(',', json->stream);
    write_array(json, kind, values + i * step, sizes + 1, dimensions - 1);
  }
  fputc(']', json->stream);
}

/* ---- members ---- */

/* A member: a field of a struct, which is a value or points to an array. */
struct member {
  unsigned part; /* written if its bit is wanted */
  enum kind kind;
  const char *key;
  size_t offset;
  size_t sizes[DIMENSIONS]; /* offsets of the fields with the sizes of the array; 0 = no more */
  bool optional;            /* absent if the field is NULL */
};

#define OFFSET(field) offsetof(OWNER, field)
#define MEMBER(part, kind, field, ...)                                                             \
  { part, kind, #field, OFFSET(field), __VA_ARGS__ }
#define VALUE(part, kind, field) MEMBER(part, kind, field, {0}, false)
#define ARRAY(part, kind, field, ...) MEMBER(part, kind, field, {__VA_ARGS__}, false)
#define OPTIONAL(part, kind, field, ...) MEMBER(part, kind, field, {__VA_ARGS__}, true)
#define SOURCES OFFSET(source_count)
#define TARGETS OFFSET(target_count)
#define SEGMENTS OFFSET(segment_count)

static void write_member(struct json_writer *json, const struct member *member, const char *base) {
  const char *field = base + member->offset, *values = field;
  size_t sizes[DIMENSIONS] = {0}, dimensions = 0;
  for (; dimensions < DIMENSIONS && member->sizes[dimensions] != 0; dimensions++)
    sizes[dimensions] = *(const size_t *)(const void *)(base + member->sizes[dimensions]);
  if (dimensions > 0) memcpy(&values, field, sizeof values);
  if (values == NULL && (member->optional || sizes[0] > 0)) return;
  write_key(json, member->key);
  write_array(json, member->kind, values, sizes, dimensions);
}

static void write_members(struct json_writer *json, const struct member *members, size_t count,
                          const void *base, unsigned parts) {
  for (size_t i = 0; i < count; i++)
    if ((parts & members[i].part) != 0) write_member(json, &members[i], base);
}
#define WRITE_MEMBERS(json, members, base, parts)                                                  \
  write_members(json, members, sizeof(members) / sizeof *(members), base, parts)

/* ---- translations ---- */

#define OWNER elman_translation
static const struct member of_translation[] = {
    VALUE(ELMAN_JSON_SOURCE, TEXT, source),
    VALUE(ELMAN_JSON_TEXT, TEXT, text),
    ARRAY(ELMAN_JSON_SOURCE_TOKENS, TEXT, source_tokens, SOURCES),
    ARRAY(ELMAN_JSON_SOURCE_TOKENS, ID, source_ids, SOURCES),
    ARRAY(ELMAN_JSON_SOURCE_TOKENS, FLAG, source_known, SOURCES),
    ARRAY(ELMAN_JSON_TARGET_TOKENS, TEXT, target_tokens, TARGETS),
    ARRAY(ELMAN_JSON_TARGET_TOKENS, ID, target_ids, TARGETS),
    VALUE(ELMAN_JSON_TEXT, FLAG, ended),
    VALUE(ELMAN_JSON_TEXT, FLAG, forced),
    VALUE(ELMAN_JSON_SCORES, DOUBLE, log_probability),
    VALUE(ELMAN_JSON_SCORES, DOUBLE, score),
    ARRAY(ELMAN_JSON_SCORES, DOUBLE, log_probabilities, TARGETS),
    ARRAY(ELMAN_JSON_ATTENTION, FLOAT, attention, TARGETS, SOURCES),
    ARRAY(ELMAN_JSON_HEAD_ATTENTION, FLOAT, head_attention, OFFSET(heads), TARGETS, SOURCES),
    OPTIONAL(ELMAN_JSON_ATTENTION, FLOAT, sentinel, TARGETS),
    OPTIONAL(ELMAN_JSON_ATTENTION, SIZE, segment_ends, SEGMENTS),
    OPTIONAL(ELMAN_JSON_ATTENTION, FLOAT, segments, TARGETS, SEGMENTS),
    OPTIONAL(ELMAN_JSON_SELF_ATTENTION, FLOAT, source_self_attention, OFFSET(source_self_heads),
             SOURCES, SOURCES),
    OPTIONAL(ELMAN_JSON_SELF_ATTENTION, FLOAT, target_self_attention, OFFSET(target_self_heads),
             TARGETS, TARGETS)};
#undef OWNER

static void write_spans(struct json_writer *json, const char *key, const size_t *starts,
                        const size_t *ends, size_t count) {
  write_key(json, key);
  fputc('[', json->stream);
  for (size_t i = 0; i < count; i++)
    fprintf(json->stream, "%s[%zu,%zu]", i > 0 ? "," : "", starts[i], ends[i]);
  fputc(']', json->stream);
}

static void write_measures(struct json_writer *json, const elman_translation *translation) {
  const size_t S = translation->source_count, T = translation->target_count;
  write_key(json, "entropy");
  for (size_t t = 0; t < T; t++) {
    fputc(t == 0 ? '[' : ',', json->stream);
    write_json_number(json->stream, row_entropy(translation->attention + t * S, S), json->digits);
  }
  fputs(T == 0 ? "[]" : "]", json->stream);
  write_key(json, "coverage");
  for (size_t s = 0; s < S; s++) {
    fputc(s == 0 ? '[' : ',', json->stream);
    write_json_number(json->stream, column_sum(translation->attention, T, S, s), json->digits);
  }
  fputs(S == 0 ? "[]" : "]", json->stream);
}

#define OWNER elman_translated_sentence
static const struct member of_sentence[] = {VALUE(ELMAN_JSON_TEXT, FLAG, ended),
                                            VALUE(ELMAN_JSON_SCORES, DOUBLE, log_probability),
                                            VALUE(ELMAN_JSON_SCORES, DOUBLE, score)};
#undef OWNER

static void write_pair(struct json_writer *json, const char *key, size_t first, size_t end) {
  write_key(json, key);
  fprintf(json->stream, "[%zu,%zu]", first, end);
}

/* Write the sentences of a text that was split. */
static void write_sentences(struct json_writer *json, const elman_translation *translation,
                            unsigned parts) {
  write_key(json, "sentences");
  for (size_t k = 0; k < translation->sentence_count; k++) {
    const elman_translated_sentence *sentence = &translation->sentences[k];
    fputs(k == 0 ? "[{" : ",{", json->stream);
    json->comma = false;
    write_pair(json, "source_span", sentence->source.start, sentence->source.end);
    write_pair(json, "text_span", sentence->text.start, sentence->text.end);
    write_pair(json, "source_tokens", sentence->first_source,
               sentence->first_source + sentence->source_count);
    write_pair(json, "target_tokens", sentence->first_target,
               sentence->first_target + sentence->target_count);
    WRITE_MEMBERS(json, of_sentence, sentence, parts);
    fputc('}', json->stream);
  }
  fputc(']', json->stream);
  json->comma = true;
}

void write_json_translation(struct json_writer *json, const elman_translation *translation,
                            unsigned parts) {
  WRITE_MEMBERS(json, of_translation, translation, parts);
  if ((parts & ELMAN_JSON_SOURCE_SPANS) != 0)
    write_spans(json, "source_spans", translation->source_starts, translation->source_ends,
                translation->source_count);
  if ((parts & ELMAN_JSON_TARGET_SPANS) != 0)
    write_spans(json, "target_spans", translation->target_starts, translation->target_ends,
                translation->target_count);
  if ((parts & ELMAN_JSON_TEXT) != 0 && translation->sentence_count > 1)
    write_sentences(json, translation, parts);
  if ((parts & ELMAN_JSON_MEASURES) != 0) write_measures(json, translation);
}

/* ---- gradient norms ---- */

enum { NORMS = 1, HIDDEN = 2 };

#define OWNER elman_gradient_trace
static const struct member of_trace[] = {VALUE(NORMS, DOUBLE, loss),
                                         VALUE(NORMS, SIZE, target_step),
                                         ARRAY(NORMS, TEXT, source_tokens, SOURCES),
                                         ARRAY(NORMS, FLAG, source_known, SOURCES),
                                         ARRAY(NORMS, TEXT, target_tokens, TARGETS),
                                         ARRAY(NORMS, FLAG, target_known, TARGETS),
                                         ARRAY(NORMS, DOUBLE, losses, TARGETS)};
#undef OWNER

#define OWNER elman_traced_layer
static const struct member of_layer[] = {
    VALUE(NORMS, SIZE, layer),
    VALUE(NORMS, FLAG, reverse),
    VALUE(NORMS, SIZE, units),
    ARRAY(NORMS, DOUBLE, states, OFFSET(steps)),
    ARRAY(NORMS, DOUBLE, inputs, OFFSET(steps)),
    ARRAY(NORMS, DOUBLE, saturated, OFFSET(steps)),
    ARRAY(HIDDEN, DOUBLE, hidden, OFFSET(steps), OFFSET(units))};
#undef OWNER

void write_json_trace(struct json_writer *json, const elman_gradient_trace *trace, bool hidden) {
  WRITE_MEMBERS(json, of_trace, trace, NORMS);
  write_key(json, "saturated_above");
  write_json_number(json->stream, ELMAN_SATURATED, json->digits);
  write_key(json, "layers");
  for (size_t i = 0; i < trace->layer_count; i++) {
    fputs(i == 0 ? "[{" : ",{", json->stream);
    json->comma = false;
    write_text(json, "side", trace->layers[i].side == ELMAN_SOURCE ? "source" : "target");
    WRITE_MEMBERS(json, of_layer, &trace->layers[i], hidden ? NORMS | HIDDEN : NORMS);
    fputc('}', json->stream);
  }
  fputc(']', json->stream);
}

/* ---- records ---- */

void write_json_record(const elman_attention_writer *writing,
                       const elman_translation *translation) {
  const elman_attention_place place = writing->place;
  const unsigned all = ~0U,
                 others = translation->heads > 1 ? 0 : (unsigned)ELMAN_JSON_HEAD_ATTENTION;
  struct json_writer json = {writing->stream, .digits = 9, .comma = true, .in_script = true};
  fprintf(json.stream, "{\"sentence\":%zu,\"hypothesis\":%zu", place.sentence, place.hypothesis);
  if (place.model != NULL) write_text(&json, "model", place.model);
  write_json_translation(&json, translation, all & ~others);
  if (writing->source_words) write_text(&json, "source_units", "words");
  if (writing->target_words) write_text(&json, "target_units", "words");
  if (writing->refusal != NULL) write_text(&json, "error", writing->refusal);
  fputc('}', json.stream);
}

static void write_translation(elman_attention_writer *writing,
                              const elman_translation *translation) {
  write_json_record(writing, translation);
  fputc('\n', writing->stream);
}

const struct format format_json = {"json", ".json", .write = write_translation};

void elman_translation_write_json(FILE *stream, const elman_translation *translation,
                                  unsigned parts, int digits) {
  struct json_writer json = {stream, digits, .comma = false};
  write_json_translation(&json, translation, parts);
}

void elman_trace_write_json(FILE *stream, const elman_gradient_trace *trace, bool hidden,
                            int digits) {
  struct json_writer json = {stream, digits, .comma = false};
  write_json_trace(&json, trace, hidden);
}
