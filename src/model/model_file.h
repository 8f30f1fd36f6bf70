/* The model file: one safetensors file with weights named as the PyTorch module would save them,
 * and configuration and vocabularies in its metadata. docs/model-file.md has the format. */
#ifndef ELMAN_MODEL_MODEL_FILE_H
#define ELMAN_MODEL_MODEL_FILE_H

#include "elman/model.h"
#include "model/model.h"
#include "model/safetensors.h"

elman_status model_save(const struct model *model, const char *path, elman_error *error) CHECKED;

/* The same, with the permissions of the file `like`, if that is there. */
elman_status model_save_like(const struct model *model, const char *path, const char *like,
                             elman_error *error) CHECKED;

/* Refuses vocabularies that would not fit in a file, before anything is learnt. */
elman_status model_check_header(const struct model *model, elman_error *error) CHECKED;

/* Anything missing, altered or superfluous is ELMAN_BAD_DATA. */
elman_status model_load(struct model **model, const char *path, elman_error *error) CHECKED;

/* Reads the header alone. A file without a history has the history of a model that was not trained.
 */
elman_status model_read_history(elman_history *history, const char *path,
                                elman_error *error) CHECKED;

/* Returns `status`. Where that is ELMAN_BAD_DATA and a newer version wrote the file, adds this to
 * the message. */
elman_status name_newer_version(elman_status status, const struct safetensors *file,
                                elman_error *error) CHECKED;

#endif
