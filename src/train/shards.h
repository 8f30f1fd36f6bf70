/* The gradient of a batch in shards: synchronous data parallelism by a reduce-scatter and an
 * all-gather with a fixed order of additions.
 *
 * A shard is one of the N summands of the gradient, computed from its part of the batch's
 * sentences. A slice is the range of gradient elements that one process adds. Shards are added in a
 * binary tree over their indices:
 *
 *   G(a, b) = G(a, m) + G(m, b),   m = a + floor((b - a) / 2),   G(a, a + 1): shard a
 *
 * The tree is fixed, so no bit depends on which thread or process computes which part. Process r of
 * P owns the shards from floor(N r / P) up to floor(N (r + 1) / P), and the largest subtrees that
 * consist of these shards. It computes its subtrees one after another. Its threads work in parallel
 * on smaller subtrees of the current one. Processes exchange only sums of whole subtrees. Process j
 * receives slice j of each sum, completes the tree for its slice, and sends the result to all.
 *
 * The gradient of the output layer is complete long before the rest of the gradient, and is usually
 * larger than the rest. A background task adds and exchanges it while the process computes the rest
 * of its last shard. */
#ifndef ELMAN_TRAIN_SHARDS_H
#define ELMAN_TRAIN_SHARDS_H

#include "elman/group.h"
#include "elman/train.h"
#include "model/network.h"
#include "train/optimizer.h"

/* A shard whose gradient is to be computed. */
struct shard {
  size_t number;
  const struct batch *batch; /* its sentences */
  struct workspace *workspace;
  const struct parameters *gradients; /* the shard's gradient is added to these */
  struct notice output_done;
};

/* Compute the gradient of a shard. Several threads call the function at the same time, each with
 * its own workspace. */
typedef elman_status shard_function(void *context, struct losses *losses, const struct shard *shard,
                                    elman_error *error);

/* The gradient computation of one update. */
struct gradient_job {
  const struct model *model;
  const elman_train_options *options;
  const struct batch *batch;
  uint64_t update; /* number of finished updates; determines the dropout masks */
  /* NULL, or a function that computes the gradients of shards in place of the network, for
   * tests. */
  shard_function *function;
  void *context;
};

struct shards;

/* Create the shards. Sums go to the gradients of `optimizer`. The optimizer and the group (NULL =
 * one process) are borrowed. Return ELMAN_INVALID_ARGUMENT for more processes than shards. */
elman_status shards_create(struct shards **shards, const elman_group *group, size_t count,
                           const struct model *model, const struct optimizer *optimizer,
                           elman_error *error) CHECKED;
void shards_free(struct shards *shards);

/* Compute the gradient of the mean losses in every process, and set *losses to the sums of the
 * losses. The caller must first call optimizer_begin. If a process has an error, all processes
 * return this error. */
elman_status shards_gradient(struct shards *shards, struct losses *losses,
                             const struct gradient_job *job, elman_error *error) CHECKED;

#endif
