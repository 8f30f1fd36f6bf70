#include "train/checkpoint_json.h"

elman_status checkpoint_bad(const struct safetensors *file, elman_error *error, const char *problem,
                            const char *what) {
  return fail(error, ELMAN_BAD_DATA, file->path,
              "not a usable checkpoint: %s %s; remove it to start anew", what, problem);
}

elman_status checkpoint_json(json_t **value, const struct safetensors *file, const char *key,
                             elman_error *error) {
  const char *text = safetensors_metadata(file, key);
  *value = NULL;
  if (text == NULL) return checkpoint_bad(file, error, "is missing", key);
  const elman_status status = read_json(value, text_of(text), error);
  if (status == ELMAN_BAD_DATA || (status == ELMAN_OK && !json_is_object(*value)))
    return checkpoint_bad(file, error, "is not a JSON object", key);
  return status;
}
