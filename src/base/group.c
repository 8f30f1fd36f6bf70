#include "base/group.h"

#include <stdlib.h>
#include <string.h>

size_t group_size(const elman_group *group) {
  return group == NULL ? 1 : group->size;
}

size_t group_rank(const elman_group *group) {
  return group == NULL ? 0 : group->rank;
}

size_t group_first(size_t count, size_t rank, size_t size) {
  return count / size * rank + count % size * rank / size;
}

elman_status group_gather(const elman_group *group, void *bytes, const size_t *counts,
                          elman_error *error) {
  const size_t P = group_size(group);
  if (P == 1) return ELMAN_OK;
  elman_bytes *send = calloc(P, sizeof *send), *receive = calloc(P, sizeof *receive);
  elman_status status = ELMAN_OK;
  if (send == NULL || receive == NULL) status = fail_no_memory(error);
  char *at = bytes;
  for (size_t r = 0; r < P && status == ELMAN_OK; at += counts[r++])
    receive[r] = (elman_bytes){at, counts[r]};
  for (size_t r = 0; r < P && status == ELMAN_OK; r++) send[r] = receive[group->rank];
  /* Its own part is where it belongs. */
  if (status == ELMAN_OK) send[group->rank].count = receive[group->rank].count = 0;
  if (status == ELMAN_OK) status = group->exchange(group->context, send, receive, error);
  free(send);
  free(receive);
  return status;
}

elman_status group_broadcast(const elman_group *group, void *bytes, size_t count,
                             elman_error *error) {
  const size_t P = group_size(group);
  if (P == 1) return ELMAN_OK;
  size_t *counts = calloc(P, sizeof *counts);
  if (counts == NULL) return fail_no_memory(error);
  counts[0] = count;
  const elman_status status = group_gather(group, bytes, counts, error);
  free(counts);
  return status;
}

/* The first process in whose place there is anything but ELMAN_OK, or P. */
static size_t first_failure(const elman_status *all, size_t P) {
  size_t r = 0;
  while (r < P && all[r] == ELMAN_OK) r++;
  return r;
}

/* The error of one process goes to all. */
static elman_status hand_round(const elman_group *group, size_t from, elman_error *error) {
  const size_t P = group->size;
  size_t *counts = calloc(P, sizeof *counts);
  if (counts == NULL) return fail_no_memory(error);
  counts[from] = sizeof *error;
  elman_error told = *error;
  const elman_status status = group_gather(group, &told, counts, error);
  free(counts);
  if (status != ELMAN_OK) return status;
  if (from == 0) return fail_again(error, &told);
  fail(error, told.code, told.where, "process %zu: %s", from, told.message);
  return told.code;
}

elman_status group_agree(const elman_group *group, elman_status status, elman_error *error) {
  const size_t P = group_size(group);
  if (P == 1) return status;
  elman_status *all = calloc(P, sizeof *all);
  size_t *counts = calloc(P, sizeof *counts);
  elman_status result = ELMAN_OK;
  if (all == NULL || counts == NULL) result = fail_no_memory(error);
  for (size_t r = 0; r < P && result == ELMAN_OK; r++) counts[r] = sizeof *all;
  if (result == ELMAN_OK) all[group->rank] = status;
  if (result == ELMAN_OK) result = group_gather(group, all, counts, error);
  const size_t from = result == ELMAN_OK ? first_failure(all, P) : P;
  free(all);
  free(counts);
  return from < P ? hand_round(group, from, error) : result;
}
