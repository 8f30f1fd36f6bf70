#include "base/group.h"

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

/* The arrays in this file have a fixed size. Allocation could fail in one process, and the other
 * processes would then wait for it forever. */
static elman_status check_size(const elman_group *group, elman_error *error) {
  if (group->size <= GROUP_MOST) return ELMAN_OK;
  return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "%zu processes were started; the limit is %d",
              group->size, GROUP_MOST);
}

elman_status elman_group_gather(const elman_group *group, void *bytes, const size_t *counts,
                                elman_error *error) {
  const size_t P = group_size(group);
  if (P == 1) return ELMAN_OK;
  const elman_status status = check_size(group, error);
  if (status != ELMAN_OK) return status;
  elman_bytes send[GROUP_MOST], receive[GROUP_MOST];
  char *at = bytes;
  for (size_t r = 0; r < P; at += counts[r++]) receive[r] = (elman_bytes){at, counts[r]};
  for (size_t r = 0; r < P; r++) send[r] = receive[group->rank];
  /* Do not send a process its own part. */
  send[group->rank].count = receive[group->rank].count = 0;
  return group->exchange(group->context, send, receive, error);
}

elman_status elman_group_broadcast(const elman_group *group, void *bytes, size_t count,
                                   elman_error *error) {
  const size_t counts[GROUP_MOST] = {count};
  return elman_group_gather(group, bytes, counts, error);
}

/* Gather an array with one element of `size` bytes per process. */
static elman_status gather_each(const elman_group *group, void *each, size_t size,
                                elman_error *error) {
  size_t counts[GROUP_MOST];
  for (size_t r = 0; r < GROUP_MOST; r++) counts[r] = size;
  return elman_group_gather(group, each, counts, error);
}

/* Send the error of process `from`, which failed with `status`, to all. */
static elman_status share_error(const elman_group *group, size_t from, elman_status status,
                                elman_error *error) {
  size_t counts[GROUP_MOST] = {0};
  elman_error kept;
  (void)fail(&kept, status, NULL, "its work failed");
  if (from == group->rank && error != NULL) kept = *error;
  kept.code = status;
  counts[from] = sizeof kept;
  const elman_status handed = elman_group_gather(group, &kept, counts, error);
  if (handed != ELMAN_OK) return handed;
  if (from == 0) return fail_again(error, &kept);
  return fail(error, status, kept.where, "process %zu: %s", from, kept.message);
}

elman_status elman_group_agree(const elman_group *group, elman_status status, elman_error *error) {
  const size_t P = group_size(group);
  if (P == 1) return status;
  elman_status all[GROUP_MOST];
  elman_status kept = check_size(group, error);
  if (kept != ELMAN_OK) return kept;
  all[group->rank] = status;
  kept = gather_each(group, all, sizeof *all, error);
  if (kept != ELMAN_OK) return kept;
  for (size_t r = 0; r < P; r++)
    if (all[r] != ELMAN_OK) return share_error(group, r, all[r], error);
  return ELMAN_OK;
}

elman_status group_same(const elman_group *group, uint64_t number, const char *problem,
                        elman_error *error) {
  uint64_t first = number;
  elman_status status = elman_group_broadcast(group, &first, sizeof first, error);
  if (status != ELMAN_OK) return status;
  if (first != number) status = fail(error, ELMAN_INVALID_ARGUMENT, NULL, "%s", problem);
  return elman_group_agree(group, status, error);
}

elman_status group_collect(const elman_group *group, elman_status status, struct buffer *bytes,
                           elman_error *error) {
  const size_t P = group_size(group);
  if (status == ELMAN_OK && bytes->failed) status = fail_no_memory(error);
  status = elman_group_agree(group, status, error);
  if (status != ELMAN_OK || P == 1) return status;
  size_t counts[GROUP_MOST], before = 0, total = 0;
  const size_t own = bytes->length;
  counts[group->rank] = own;
  status = gather_each(group, counts, sizeof *counts, error);
  if (status != ELMAN_OK) return status;
  for (size_t r = 0; r < P; r++) {
    if (r < group->rank) before += counts[r];
    total += counts[r];
  }
  status = array_grow(&bytes->bytes, &bytes->capacity, total + 1, 1, error);
  status = elman_group_agree(group, status, error);
  if (status != ELMAN_OK) return status;
  memmove(bytes->bytes + before, bytes->bytes, own);
  bytes->length = total;
  bytes->bytes[total] = '\0';
  return elman_group_gather(group, bytes->bytes, counts, error);
}
