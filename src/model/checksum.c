#include "model/checksum.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

static int by_key(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int by_name(const void *a, const void *b) {
  return strcmp(((const struct digested_tensor *)a)->name,
                ((const struct digested_tensor *)b)->name);
}

/* Add a line "metadata KEY DIGEST" for each entry. */
static elman_status add_metadata(struct buffer *lines, const json_t *metadata, elman_error *error) {
  const size_t size = json_object_size(metadata);
  const char **keys = calloc(size + 1, sizeof *keys);
  const char *key;
  json_t *value;
  size_t count = 0;
  if (keys == NULL) return fail_no_memory(error);
  json_object_foreach((json_t *)metadata, key, value) {
    if (strcmp(key, CHECKSUM_KEY) != 0) keys[count++] = key;
  }
  qsort(keys, count, sizeof *keys, by_key);
  for (size_t i = 0; i < count; i++) {
    value = json_object_get(metadata, keys[i]);
    const struct text text = {json_string_value(value), json_string_length(value)};
    buffer_print(lines, "metadata %s %016" PRIx64 "\n", keys[i], text_hash(text));
  }
  free(keys);
  return ELMAN_OK;
}

/* Add the line "tensor NAME TYPE [ROWS,COLUMNS] DIGEST". */
static void add_tensor(struct buffer *lines, const struct digested_tensor *tensor) {
  buffer_print(lines, "tensor %s %s [", tensor->name, tensor->type);
  for (int d = 0; d < tensor->dimensions; d++)
    buffer_print(lines, d == 0 ? "%zu" : ",%zu", tensor->shape[d]);
  buffer_print(lines, "] %016" PRIx64 "\n", tensor->digest);
}

elman_status checksum_make(char checksum[CHECKSUM_SIZE], const json_t *metadata,
                           struct digested_tensor *tensors, size_t count, elman_error *error) {
  struct buffer lines = {0};
  elman_status status = add_metadata(&lines, metadata, error);
  if (count > 0) qsort(tensors, count, sizeof *tensors, by_name);
  for (size_t i = 0; i < count; i++) add_tensor(&lines, &tensors[i]);
  if (status == ELMAN_OK && lines.failed) status = fail_no_memory(error);
  if (status == ELMAN_OK)
    snprintf(checksum, CHECKSUM_SIZE, "xxh64:%016" PRIx64, text_hash(buffer_text(&lines)));
  buffer_free(&lines);
  return status;
}
