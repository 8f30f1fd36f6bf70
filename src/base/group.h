/* Collective operations of a group of processes, all on its one exchange. NULL is a group of one.
 * Every function here is called by all of them, in the same order. */
#ifndef ELMAN_BASE_GROUP_H
#define ELMAN_BASE_GROUP_H

#include <stdint.h>

#include "base/status.h"
#include "base/text.h"
#include "elman/group.h"

enum { GROUP_MOST = 1024 }; /* processes; more are ELMAN_INVALID_ARGUMENT */

size_t group_size(const elman_group *group);
size_t group_rank(const elman_group *group);

/* Of `count` things in their order, process r of P has [count r / P, count (r + 1) / P). */
size_t group_first(size_t count, size_t rank, size_t size);

/* The `bytes` of process 0 go to all. */
elman_status group_broadcast(const elman_group *group, void *bytes, size_t count,
                             elman_error *error) CHECKED;

/* Process r has filled counts[r] bytes of `bytes`, after those of the processes before it; then
 * all have all. */
elman_status group_gather(const elman_group *group, void *bytes, const size_t *counts,
                          elman_error *error) CHECKED;

/* Each comes with how its part of the work went; all leave with the same: ELMAN_OK, or what went
 * wrong in the first process where something did, its number in the message. */
elman_status group_agree(const elman_group *group, elman_status status, elman_error *error) CHECKED;

/* Agrees, and then each comes with bytes of which it alone knows how many; all leave with those of
 * process 0, those of process 1, and so on. */
elman_status group_collect(const elman_group *group, elman_status status, struct buffer *bytes,
                           elman_error *error) CHECKED;

/* Each has a number that stands for what it works on; ELMAN_INVALID_ARGUMENT with the sentence
 * `problem` in all where one is not that of process 0. */
elman_status group_same(const elman_group *group, uint64_t number, const char *problem,
                        elman_error *error) CHECKED;

#endif
