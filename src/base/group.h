/* Collective operations of a group of processes. They use only the exchange function of the group.
 * A NULL group has one process. All processes must call these functions in the same order. */
#ifndef ELMAN_BASE_GROUP_H
#define ELMAN_BASE_GROUP_H

#include <stdint.h>

#include "base/status.h"
#include "base/text.h"
#include "elman/group.h"

enum { GROUP_MOST = 1024 }; /* maximum group size; more processes are ELMAN_INVALID_ARGUMENT */

size_t group_size(const elman_group *group);
size_t group_rank(const elman_group *group);

/* Return the first item of one process. With r = `rank` and P = `size`, the process works on items
 * [count r / P, count (r + 1) / P). */
size_t group_first(size_t count, size_t rank, size_t size);

/* Agree on a status, then concatenate the bytes of all processes on every process, in the order of
 * their ranks. A process needs to know only the length of its own part. */
elman_status group_collect(const elman_group *group, elman_status status, struct buffer *bytes,
                           elman_error *error) CHECKED;

/* Fail on all processes with ELMAN_INVALID_ARGUMENT and the message `problem` if `number` differs
 * between processes. Callers pass a number that identifies the arguments of the job. */
elman_status group_same(const elman_group *group, uint64_t number, const char *problem,
                        elman_error *error) CHECKED;

#endif
