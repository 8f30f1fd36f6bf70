#include "train/join.h"

#include <stdlib.h>
#include <string.h>

#include "base/group.h"
#include "tensor/blas.h"

/* ---- the same work ---- */

/* The program comes first: another one may know other options. */
static json_t *describe(const struct trainer *trainer, const elman_train_options *options,
                        struct corpus_hashes hashes) {
  const struct blas_kernels kernels = blas_kernels_in_use();
  json_t *work =
      training_describe(trainer, options, ELMAN_SCOPE_TRAINING | ELMAN_SCOPE_END, hashes);
  json_t *json = json_object();
  int result = json_object_set_new(json, "version", json_string(ELMAN_VERSION));
  result |= json_object_set_new(json, "compiler", json_string(__VERSION__));
  result |= json_object_set_new(json, "instructions", json_string(compiled_instructions()));
  result |= json_object_set_new(json, "OpenBLAS", json_string(kernels.config));
  result |= json_object_set_new(json, "kernels of OpenBLAS", json_string(kernels.family));
  result |= json_object_set_new(json, "epochs", json_integer((json_int_t)options->epochs));
  if (work == NULL) result = -1;
  if (result == 0) result = json_object_update(json, work);
  json_decref(work);
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

static elman_status differs(const char *key, const json_t *here, const json_t *there,
                            elman_error *error) {
  const size_t flags = JSON_ENCODE_ANY | JSON_REAL_PRECISION(9);
  char *is = write_json(here, flags);
  char *other = there == NULL ? strdup("unknown") : write_json(there, flags);
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

static elman_status compare(const json_t *here, const json_t *there, elman_error *error) {
  const char *key;
  json_t *value;
  json_object_foreach((json_t *)here, key, value) {
    const json_t *other = json_object_get(there, key);
    if (!json_equal(value, other)) return differs(key, value, other, error);
  }
  return ELMAN_OK;
}

elman_status join_compare(const struct trainer *trainer, const elman_train_options *options,
                          struct corpus_hashes hashes, elman_error *error) {
  const elman_group *group = options->group;
  json_t *here = describe(trainer, options, hashes), *there = NULL;
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
  if (status == ELMAN_OK)
    status = group_broadcast(group, &trainer->start, sizeof trainer->start, error);
  if (status == ELMAN_OK) trainer->model->past.history = trainer->start.history;
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks && status == ELMAN_OK; i++)
    if (blocks[i] != NULL) status = group_broadcast(group, blocks[i], bytes, error);
  return status;
}
