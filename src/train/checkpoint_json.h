/* The metadata of a checkpoint: JSON objects. */
#ifndef ELMAN_TRAIN_CHECKPOINT_JSON_H
#define ELMAN_TRAIN_CHECKPOINT_JSON_H

#include "base/json.h"
#include "model/safetensors.h"

#define KEY_OPTIONS "elman.options"
#define KEY_NAMES "elman.names"
#define KEY_STATE "elman.state"
#define KEY_START "elman.start"

/* ELMAN_BAD_DATA: what of the file has which problem. */
elman_status checkpoint_bad(const struct safetensors *file, elman_error *error, const char *problem,
                            const char *what) CHECKED;

/* The object under this key; anything else is ELMAN_BAD_DATA. */
elman_status checkpoint_json(json_t **value, const struct safetensors *file, const char *key,
                             elman_error *error) CHECKED;

#endif
