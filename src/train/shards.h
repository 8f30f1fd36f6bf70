/* The gradient of a batch in shards: synchronous data parallelism, with a reduce-scatter and an
 * all-gather whose order of additions is fixed.
 *
 * A gradient has two kinds of parts. A shard is one of its N summands, from the sentences of the
 * batch that it has; a slice is the range of its numbers that one process adds up. Shards are added
 * in a binary tree over their numbers,
 *
 *   sum(a, b) = sum(a, m) + sum(m, b),   m = a + floor((b - a) / 2),   sum(a, a + 1): shard a
 *
 * so that no bit depends on which thread or process computes what. Process r of P has the shards
 * from floor(N r / P) up to floor(N (r + 1) / P), and in them the largest subtrees that it has
 * whole. Its threads compute smaller subtrees of one of these at the same time. Processes exchange
 * only sums of whole subtrees: process j gets slice j of each, completes the tree for its slice,
 * and sends the result to all.
 *
 * The gradient of the output layer is complete long before the rest, and mostly larger. Its
 * additions and exchanges are a background task, while the process computes the rest of its last
 * shard. */
#ifndef ELMAN_TRAIN_SHARDS_H
#define ELMAN_TRAIN_SHARDS_H

#include "elman/group.h"
#include "elman/train.h"
#include "model/network.h"
#include "train/optimizer.h"

/* A shard whose gradient is computed. */
struct shard {
  size_t number;
  const struct batch *batch; /* its sentences */
  struct workspace *workspace;
  const struct parameters *gradients; /* to which its own are added */
  struct notice output_learnt;
};

/* Several threads call it at the same time, with a workspace each. */
typedef elman_status shard_function(void *context, struct losses *losses, const struct shard *shard,
                                    elman_error *error);

/* The gradient of an update. */
struct gradient_job {
  const struct model *model;
  const elman_train_options *options;
  const struct batch *batch;
  uint64_t update; /* done before, which decides the dropout */
  /* Computes the gradients of shards instead of the network, for tests; else NULL. */
  shard_function *function;
  void *context;
};

struct shards;

/* The sums go to the gradients of `optimizer`, which is borrowed, as is the group (NULL = one
 * process). ELMAN_INVALID_ARGUMENT if there are more processes than shards. */
elman_status shards_create(struct shards **shards, const elman_group *group, size_t count,
                           const struct model *model, const struct optimizer *optimizer,
                           elman_error *error) CHECKED;
void shards_free(struct shards *shards);

/* Adds up the gradient of the mean losses in every process, and the sums of the losses in *losses.
 * After optimizer_begin. An error of one process becomes that of all. */
elman_status shards_gradient(struct shards *shards, struct losses *losses,
                             const struct gradient_job *job, elman_error *error) CHECKED;

#endif
