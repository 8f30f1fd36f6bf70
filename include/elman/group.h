/* Groups of processes that share one task. Every process makes the same calls with the same
 * arguments, and the library divides the work. The program supplies the transport of bytes (`elman`
 * uses MPI); the library computes all sums itself. */
#ifndef ELMAN_GROUP_H
#define ELMAN_GROUP_H

#include "elman/translate.h"

ELMAN_BEGIN

/* A send or receive buffer. */
typedef struct elman_bytes {
  void *data; /* may be NULL if count is 0 */
  size_t count;
} elman_bytes;

/* A group of processes, connected by a function of the caller. */
typedef struct elman_group {
  size_t rank, size; /* number of this process, below size; number of processes, at most 1,024 */
  /* Send send[r] to process r and receive receive[r] from it, for every r below size, including
   * this process. The sizes that sender and receiver pass must be equal. All processes call the
   * function in the same order. An error ends the task, and the function is not called again.
   * Training may call it from a thread of the library while other threads compute; two calls never
   * overlap. */
  elman_status (*exchange)(void *context, const elman_bytes *send, const elman_bytes *receive,
                           elman_error *error);
  void *context;
  bool single_thread; /* call exchange only from the thread that called the library; communication
                         then does not overlap with computation */
} elman_group;

/* Collective operations for programs. All processes call them in the same order; a NULL `group` is
 * a group of one process.
 *
 * Broadcast copies `count` bytes from process 0 to all. */
ELMAN_CHECKED elman_status elman_group_broadcast(const elman_group *group, void *bytes,
                                                 size_t count, elman_error *error);
/* Gather the bytes of all processes on every process. On entry, process r has filled counts[r]
 * bytes of `bytes`, after the bytes of processes 0 to r - 1. */
ELMAN_CHECKED elman_status elman_group_gather(const elman_group *group, void *bytes,
                                              const size_t *counts, elman_error *error);
/* Agree on one status. If every process passes ELMAN_OK, return ELMAN_OK. Otherwise all processes
 * return the error of the first process that failed, and the message contains its rank. */
ELMAN_CHECKED elman_status elman_group_agree(const elman_group *group, elman_status status,
                                             elman_error *error);

/* Check that all processes have the same model, program version, kernels and `options` (NULL = the
 * defaults) as process 0. If not, all processes return ELMAN_INVALID_ARGUMENT, because results
 * would depend on the division of work. elman_evaluate and elman_train make this check
 * themselves. */
ELMAN_CHECKED elman_status elman_group_same_model(const elman_group *group,
                                                  const elman_model *model,
                                                  const elman_translate_options *options,
                                                  elman_error *error);

ELMAN_END

#endif
