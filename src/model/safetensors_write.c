#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/xxh64.h"
#include "model/checksum.h"
#include "model/safetensors.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "numbers are stored as they lie in memory");

enum { ALIGNMENT = 8, CHUNK = 4096 };

int safetensors_set_json(json_t *metadata, const char *key, json_t *value) {
  char *text = write_json(value, JSON_COMPACT | JSON_SORT_KEYS);
  json_decref(value);
  const int result = json_object_set_new(metadata, key, json_string(text));
  free(text);
  return result;
}

static size_t tensor_size(const struct tensor_source *tensor) {
  size_t size = 1;
  for (int d = 0; d < tensor->dimensions; d++) size *= tensor->shape[d];
  return size;
}

/* The numbers as the file holds them, piece by piece: to the stream, or into the sum. */
static void put_values(FILE *stream, struct xxh64 *sum, const struct tensor_source *tensor) {
  float chunk[CHUNK];
  const size_t count = tensor_size(tensor);
  for (size_t done = 0; done < count; done += CHUNK) {
    const size_t n = count - done < CHUNK ? count - done : CHUNK;
    for (size_t i = 0; i < n; i++) chunk[i] = (float)tensor->values[done + i];
    if (sum != NULL)
      xxh64_add(sum, chunk, n * sizeof *chunk);
    else
      fwrite(chunk, sizeof *chunk, n, stream);
  }
}

/* Nobody could read the file. */
static elman_status check_finite(const struct tensor_source *tensors, size_t count,
                                 elman_error *error) {
  for (size_t i = 0; i < count; i++) {
    const size_t size = tensor_size(&tensors[i]);
    for (size_t k = 0; k < size; k++) {
      if (!isfinite((float)tensors[i].values[k]))
        return fail(error, ELMAN_INVALID_ARGUMENT, NULL,
                    "%s holds a number that is not finite, and is not written; train with a lower "
                    "learning rate",
                    tensors[i].name);
    }
  }
  return ELMAN_OK;
}

static elman_status set_checksum(json_t *metadata, const struct tensor_source *tensors,
                                 size_t count, elman_error *error) {
  char checksum[CHECKSUM_SIZE];
  struct digested_tensor *digested = calloc(count + 1, sizeof *digested);
  if (digested == NULL) return fail_no_memory(error);
  for (size_t i = 0; i < count; i++) {
    struct xxh64 sum;
    xxh64_start(&sum);
    put_values(NULL, &sum, &tensors[i]);
    digested[i] = (struct digested_tensor){tensors[i].name, "F32", tensors[i].shape,
                                           tensors[i].dimensions, xxh64_value(&sum)};
  }
  elman_status status = checksum_make(checksum, metadata, digested, count, error);
  free(digested);
  if (status == ELMAN_OK && json_object_set_new(metadata, CHECKSUM_KEY, json_string(checksum)) != 0)
    status = fail_no_memory(error);
  return status;
}

/* The whole header as text, or NULL when memory ran out. */
static char *compose_header(json_t *metadata, const struct tensor_source *tensors, size_t count) {
  json_t *header = json_object();
  int result = json_object_set(header, SAFETENSORS_METADATA, metadata);
  json_int_t at = 0;
  for (size_t i = 0; i < count; i++) {
    const struct tensor_source *tensor = &tensors[i];
    json_t *shape = json_array();
    for (int d = 0; d < tensor->dimensions; d++)
      result |= json_array_append_new(shape, json_integer((json_int_t)tensor->shape[d]));
    const json_int_t end = at + (json_int_t)(tensor_size(tensor) * sizeof(float));
    result |= json_object_set_new(
        header, tensor->name,
        json_pack("{s:s, s:o, s:[I,I]}", "dtype", "F32", "shape", shape, "data_offsets", at, end));
    at = end;
  }
  char *text = result == 0 ? write_json(header, JSON_COMPACT) : NULL;
  json_decref(header);
  return text;
}

elman_status safetensors_write(FILE *stream, json_t *metadata, const struct tensor_source *tensors,
                               size_t count, elman_error *error) {
  elman_status status = check_finite(tensors, count, error);
  if (status == ELMAN_OK) status = set_checksum(metadata, tensors, count, error);
  if (status != ELMAN_OK) return status;
  char *text = compose_header(metadata, tensors, count);
  if (text == NULL) return fail_no_memory(error);
  const size_t length = strlen(text);
  const size_t padding = (ALIGNMENT - length % ALIGNMENT) % ALIGNMENT;
  const uint64_t total = length + padding;
  if (total > SAFETENSORS_MAX_HEADER) {
    free(text);
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL,
                "the vocabularies are too large for a safetensors header (100 MB); limit them");
  }
  fwrite(&total, sizeof total, 1, stream);
  fwrite(text, 1, length, stream);
  fprintf(stream, "%*s", (int)padding, "");
  free(text);
  for (size_t i = 0; i < count; i++) put_values(stream, NULL, &tensors[i]);
  return ELMAN_OK;
}
