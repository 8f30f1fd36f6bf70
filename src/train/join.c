#include "train/join.h"

#include <stdlib.h>
#include <string.h>

#include "base/group.h"
#include "tensor/blas.h"
#include "train/checkpoint.h"

/* ---- the same work ---- */

static json_t *describe(const struct trainer *trainer, const elman_train_options *options,
                        uint64_t corpus_hash) {
  const struct blas_kernels kernels = blas_kernels_in_use();
  json_t *json =
      checkpoint_describe(trainer, options, ELMAN_SCOPE_TRAINING | ELMAN_SCOPE_END, corpus_hash);
  int result = json_object_set_new(json, "version", json_string(ELMAN_VERSION));
  result |= json_object_set_new(json, "compiler", json_string(__VERSION__));
  result |= json_object_set_new(json, "instructions", json_string(compiled_instructions()));
  result |= json_object_set_new(json, "OpenBLAS", json_string(kernels.config));
  result |= json_object_set_new(json, "kernels of OpenBLAS", json_string(kernels.family));
  result |= json_object_set_new(json, "epochs", json_integer((json_int_t)options->epochs));
  if (result == 0) return json;
  json_decref(json);
  return NULL;
}

/* The text of process 0 in all. */
static elman_status spread_text(char **text, const elman_group *group, elman_error *error) {
  uint64_t length = group_rank(group) == 0 ? strlen(*text) + 1 : 0;
  elman_status status = group_broadcast(group, &length, sizeof length, error);
  if (status != ELMAN_OK) return status;
  if (group_rank(group) != 0) {
    free(*text);
    *text = malloc(length);
  }
  status = group_agree(group, *text == NULL ? fail_no_memory(error) : ELMAN_OK, error);
  return status == ELMAN_OK ? group_broadcast(group, *text, length, error) : status;
}

static elman_status compare(const json_t *here, const json_t *there, elman_error *error) {
  const char *key;
  json_t *value;
  json_object_foreach((json_t *)here, key, value) {
    if (json_equal(value, json_object_get(there, key))) continue;
    char *is = write_json(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(9));
    char *other = write_json(json_object_get(there, key), JSON_ENCODE_ANY | JSON_REAL_PRECISION(9));
    const elman_status status =
        is == NULL || other == NULL
            ? fail_no_memory(error)
            : fail(error, ELMAN_INVALID_ARGUMENT, NULL,
                   "%s: %s here and %s in process 0; processes that train together need the same "
                   "program, files and options",
                   key, is, other);
    free(is);
    free(other);
    return status;
  }
  return ELMAN_OK;
}

elman_status join_compare(const struct trainer *trainer, const elman_train_options *options,
                          uint64_t corpus_hash, elman_error *error) {
  const elman_group *group = options->group;
  json_t *here = describe(trainer, options, corpus_hash), *there = NULL;
  char *text = here == NULL ? NULL : write_json(here, JSON_COMPACT);
  elman_status status = text == NULL ? fail_no_memory(error) : ELMAN_OK;
  status = group_agree(group, status, error);
  if (status == ELMAN_OK) status = spread_text(&text, group, error);
  if (status == ELMAN_OK) {
    status = read_json(&there, text_of(text), error);
    if (status == ELMAN_OK) status = compare(here, there, error);
    status = group_agree(group, status, error);
  }
  free(text);
  json_decref(here);
  json_decref(there);
  return status;
}

/* ---- the same start ---- */

elman_status join_spread(struct trainer *trainer, const elman_group *group, elman_error *error) {
  real *const blocks[] = {trainer->model->block, trainer->m, trainer->v, trainer->average,
                          trainer->best};
  const size_t bytes = trainer->model->table.block * sizeof(real);
  elman_status status = group_broadcast(group, &trainer->state, sizeof trainer->state, error);
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks && status == ELMAN_OK; i++)
    if (blocks[i] != NULL) status = group_broadcast(group, blocks[i], bytes, error);
  return status;
}
