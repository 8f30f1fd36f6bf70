/* Processes that work as one: each runs the same calls on the same arguments, and they share the
 * work out among themselves. How bytes travel is the program's affair (`elman` uses MPI, a test a
 * few threads); what they mean, and every sum, is the library's. */
#ifndef ELMAN_GROUP_H
#define ELMAN_GROUP_H

#include "elman/translate.h"

ELMAN_BEGIN

/* What one process sends to another, or where it goes. */
typedef struct elman_bytes {
  void *data; /* may be NULL if count is 0 */
  size_t count;
} elman_bytes;

/* The processes that work as one, as the caller's means of sending connects them. */
typedef struct elman_group {
  size_t rank, size; /* this process, below size, and how many there are: 1,024 at most */
  /* Sends send[r] to process r and fills receive[r] with what it sends, for every r below size,
   * this process among them; both sides know how many bytes that is. All processes call it in the
   * same order. After an error, which ends the work, it is not called again. Training calls it from
   * a thread of the library, too, to send what is ready while it computes the rest; never are two
   * calls under way at once. */
  elman_status (*exchange)(void *context, const elman_bytes *send, const elman_bytes *receive,
                           elman_error *error);
  void *context;
  bool single_thread; /* exchange takes no other than the one that called the library: nothing is
                         sent while something is computed */
} elman_group;

/* Collective operations for a program's own use, with `group` NULL for one that is alone. All of
 * them make these calls, in the same order.
 *
 * The first hands `count` bytes of process 0 to all. With the second, process r has filled
 * counts[r] bytes of `bytes`, behind those of the processes before it, and then all have all. To
 * the third each brings how its own work went; all leave with the same: ELMAN_OK, or what went
 * wrong in the first process where something did, whose number the message has. */
ELMAN_CHECKED elman_status elman_group_broadcast(const elman_group *group, void *bytes,
                                                 size_t count, elman_error *error);
ELMAN_CHECKED elman_status elman_group_gather(const elman_group *group, void *bytes,
                                              const size_t *counts, elman_error *error);
ELMAN_CHECKED elman_status elman_group_agree(const elman_group *group, elman_status status,
                                             elman_error *error);

/* ELMAN_INVALID_ARGUMENT in all, if the model of one, its program, its kernels or the `options`
 * (NULL = the defaults) are not those of process 0: what they translate together would depend on
 * who does what. elman_evaluate looks at that itself, and elman_train at all that it is given. */
ELMAN_CHECKED elman_status elman_group_same_model(const elman_group *group,
                                                  const elman_model *model,
                                                  const elman_translate_options *options,
                                                  elman_error *error);

ELMAN_END

#endif
