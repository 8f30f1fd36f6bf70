#include <stdlib.h>
#include <string.h>

#include "api/call.h"
#include "attention/kinds.h"
#include "model/safetensors.h"

bool elman_attention_weight(elman_tensor *weight, const char *mechanism, size_t width,
                            size_t index) {
  enum attention_kind kind;
  struct attention_parameters parameters = {0};
  struct attention_part part;
  if (!attention_parse(&kind, mechanism) ||
      !attention_part_at(&part, &parameters, kind, width, index))
    return false;
  *weight = (elman_tensor){.name = part.name, .rows = part.rows, .columns = part.columns};
  return true;
}

static const struct stored_tensor *find(const struct safetensors *file, const char *name) {
  char in_model[64];
  const struct stored_tensor *tensor = safetensors_find(file, name);
  if (tensor != NULL) return tensor;
  snprintf(in_model, sizeof in_model, "decoder.attention.%s", name);
  return safetensors_find(file, in_model);
}

static elman_status read_weight(elman_tensor *weight, const struct attention_part *part, size_t H,
                                const struct safetensors *file, elman_error *error) {
  const struct stored_tensor *tensor = find(file, part->name);
  *weight = (elman_tensor){part->name, part->rows, part->columns, weight->values};
  if (tensor == NULL)
    return fail(error, ELMAN_BAD_DATA, file->path,
                "has no tensor \"%s\" or \"decoder.attention.%s\"", part->name, part->name);
  if (!safetensors_has_shape(tensor, part->dimensions, weight->rows, weight->columns))
    return fail(error, ELMAN_BAD_DATA, file->path,
                "%s does not fit queries of %zu numbers: it must have %zu rows and %zu columns",
                tensor->name, H, weight->rows, weight->columns);
  return safetensors_read(weight->values, file, tensor, error);
}

/* One block: the tensors, then the numbers of all of them. */
static elman_status take(elman_tensor **weights, size_t *count, enum attention_kind kind, size_t H,
                         elman_error *error) {
  struct attention_parameters parameters = {0};
  struct attention_part part;
  size_t numbers = 0, square, bytes;
  if (__builtin_mul_overflow(H, H, &square))
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "a width of %zu is impossible", H);
  *count = 0;
  for (; attention_part_at(&part, &parameters, kind, H, *count); ++*count)
    if (__builtin_add_overflow(numbers, attention_part_size(&part), &numbers))
      return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "a width of %zu is impossible", H);
  const size_t head = (*count + 1) * sizeof **weights;
  if (__builtin_mul_overflow(numbers, sizeof(real), &bytes) ||
      __builtin_add_overflow(bytes, head, &bytes))
    return fail_no_memory(error);
  *weights = calloc(1, bytes);
  if (*weights == NULL) return fail_no_memory(error);
  real *values = (real *)(void *)((char *)*weights + head);
  for (size_t i = 0; attention_part_at(&part, &parameters, kind, H, i); i++) {
    (*weights)[i].values = values;
    values += attention_part_size(&part);
  }
  return ELMAN_OK;
}

static elman_status load(elman_tensor **weights, size_t *count, const char *path,
                         const char *mechanism, size_t H, elman_error *error) {
  enum attention_kind kind;
  if (!attention_parse(&kind, mechanism))
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "there is no attention \"%s\"", mechanism);
  struct safetensors file;
  elman_status status = safetensors_open(&file, path, error);
  if (status != ELMAN_OK) return status;
  status = take(weights, count, kind, H, error);
  struct attention_parameters parameters = {0};
  struct attention_part part;
  for (size_t i = 0; status == ELMAN_OK && attention_part_at(&part, &parameters, kind, H, i); i++)
    status = read_weight(&(*weights)[i], &part, H, &file, error);
  if (status == ELMAN_OK) status = safetensors_verify(&file, error);
  safetensors_close(&file);
  return status;
}

elman_status elman_attention_weights_load(elman_tensor **weights, size_t *count, const char *path,
                                          const char *mechanism, size_t width, elman_error *error) {
  *weights = NULL;
  const elman_status status = load(weights, count, path, mechanism, width, error);
  if (status != ELMAN_OK) {
    free(*weights);
    *weights = NULL;
    *count = 0;
  }
  return status;
}

void elman_attention_weights_free(elman_tensor *weights) {
  free(weights);
}
