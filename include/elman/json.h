/* Translations as JSON, and the reader of JSON. Attention files, `translate --json`, the service
 * and JavaScript have the same keys, which are the names of the fields of elman_translation. */
#ifndef ELMAN_JSON_H
#define ELMAN_JSON_H

#include "elman/gradients.h"
#include "elman/translate.h"

ELMAN_BEGIN

/* Parts of a translation. A key is absent if the translation has no such values. */
typedef enum elman_json_part {
  ELMAN_JSON_SOURCE = 1,         /* source */
  ELMAN_JSON_TEXT = 2,           /* text, ended, forced; sentences of a text that was split */
  ELMAN_JSON_SCORES = 4,         /* log_probability, score, log_probabilities */
  ELMAN_JSON_SOURCE_TOKENS = 8,  /* source_tokens, source_ids, source_known */
  ELMAN_JSON_TARGET_TOKENS = 16, /* target_tokens, target_ids */
  ELMAN_JSON_SOURCE_SPANS = 32,  /* source_spans: [start, end] of each token in bytes of the text */
  ELMAN_JSON_TARGET_SPANS = 64,  /* target_spans */
  ELMAN_JSON_ATTENTION = 128,    /* attention, sentinel, segment_ends, segments */
  ELMAN_JSON_HEAD_ATTENTION = 256,
  ELMAN_JSON_SELF_ATTENTION = 512, /* source_self_attention, target_self_attention */
  ELMAN_JSON_MEASURES = 1024 /* entropy of each target token's weights in nats; coverage of each
                                source token, which is the sum of its weights */
} elman_json_part;

/* Write the members of a JSON object without its braces, so that the caller can add others. `parts`
 * are bits of elman_json_part. A number has `digits` significant digits: 9 preserve a float, 17 a
 * double. A number that is not finite is null. A write error sets the error flag of the stream. */
ELMAN_API void elman_translation_write_json(FILE *stream, const elman_translation *translation,
                                            unsigned parts, int digits);

/* Write the members of `trace` to `stream`, with `digits` as above. `hidden` adds the hidden states
 * of each layer. */
ELMAN_API void elman_trace_write_json(FILE *stream, const elman_gradient_trace *trace, bool hidden,
                                      int digits);

/* Write `text` to `stream` as a JSON string with its quotes. The characters of
 * elman_unsafe_character are escaped. */
ELMAN_API void elman_write_json_text(FILE *stream, const char *text);

/* Write `number` to `stream` with up to `digits` significant digits and, in every locale, with a
 * decimal point; null if it is not finite. */
ELMAN_API void elman_write_json_number(FILE *stream, double number, int digits);

/* A value of the library Jansson. Its function json_decref releases the value. */
typedef struct json_t json_t;

/* Parse the value that fills the `length` bytes at `text`; white space around it is allowed. Set
 * *value to NULL after an error.
 *
 * Jansson's own parser ignores failed allocations within a token, and its result then lacks bytes
 * of the text. This function returns ELMAN_NO_MEMORY in that case. It returns ELMAN_BAD_DATA for
 * malformed text, duplicate keys, the character NUL, a number that is out of range or longer than
 * 255 characters, and more than 100 levels of nesting; the message contains the byte and the
 * problem. A whole number beyond 64 bits becomes a real number. */
ELMAN_CHECKED elman_status elman_json_read(json_t **value, const char *text, size_t length,
                                           elman_error *error);

/* Read overrides from `list`, an array of objects such as {"kind": "cell", "row": 0, "column": 2,
 * "weight": 0.5}, {"kind": "position", "column": 2} or {"kind": "uniform"}. Set *count. `overrides`
 * has room for ELMAN_MAX_OVERRIDES. Return ELMAN_INVALID_ARGUMENT for anything else; the message
 * names the element and its fault. */
ELMAN_CHECKED elman_status elman_overrides_read(elman_override *overrides, size_t *count,
                                                const json_t *list, elman_error *error);

ELMAN_END

#endif
