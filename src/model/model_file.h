/* The model file: a safetensors file in which weights have PyTorch's names. Its metadata contains
 * the configuration and the vocabularies. docs/model-file.md describes the format. */
#ifndef ELMAN_MODEL_MODEL_FILE_H
#define ELMAN_MODEL_MODEL_FILE_H

#include "elman/model.h"
#include "model/model.h"
#include "model/safetensors.h"

elman_status model_save(const struct model *model, const char *path, elman_error *error) CHECKED;

/* Save the model with numbers of this type. */
elman_status model_save_as(const struct model *model, const char *path, elman_number_type type,
                           elman_error *error) CHECKED;

/* Write the model to a stream, whose error flag the caller checks. */
elman_status model_write(FILE *stream, const struct model *model, elman_number_type type,
                         elman_error *error) CHECKED;

/* Save a snapshot: a model that contains a hash of its file name. If the file `like` exists, use
 * its permissions. */
elman_status model_save_snapshot(const struct model *model, const char *path, const char *like,
                                 elman_error *error) CHECKED;

/* Return about the number of bytes of the model's file with float32. */
uint64_t model_file_size(const struct model *model);

/* Refuse vocabularies that are too large for a file's header. The caller should do this before
 * training begins. */
elman_status model_check_header(const struct model *model, elman_error *error) CHECKED;

/* Load a model. Return ELMAN_BAD_DATA if contents are missing, altered or superfluous. */
elman_status model_load(struct model **model, const char *path, elman_error *error) CHECKED;

/* Load a model from the bytes of its file. */
elman_status model_read(struct model **model, const void *bytes, size_t size,
                        elman_error *error) CHECKED;

/* Do as elman_model_read_history does, and set *own to whether the file is a snapshot that was
 * written under its present name. A copy under another name, like any other model, belongs to the
 * user. */
elman_status model_read_snapshot(bool *own, elman_history *history, const char *path,
                                 elman_error *error) CHECKED;

/* Add the number of the format and the version of the program to the metadata of a model or a
 * checkpoint. Return nonzero when memory runs out. */
int format_set(json_t *metadata);

/* Return ELMAN_BAD_DATA for a file of another format. */
elman_status format_check(const struct safetensors *file, elman_error *error) CHECKED;

#endif
