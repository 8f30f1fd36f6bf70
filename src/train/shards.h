/* An update in shards: synchronous data parallelism, with a reduce-scatter and an all-gather whose
 * order of additions is fixed. A batch is cut into N parts, the shards; each has a gradient of its
 * own, and the gradients are added up in a binary tree over the shards' numbers,
 *
 *   sum(a, b) = sum(a, m) + sum(m, b),   m = a + floor((b - a) / 2),   sum(a, a + 1): shard a
 *
 * so that no bit depends on who computed which. Process r of P has the shards from floor(N r / P)
 * up to floor(N (r + 1) / P). Its parts are the largest subtrees within; their sums are all that it
 * tells the others: a gradient is cut into P slices, process j gets slice j of every part,
 * completes the tree for it, and hands the slice round.
 *
 * The gradient of the output layer is whole long before the rest, and mostly larger. It goes its
 * own way: while a process computes the rest of its last shard, a thread tells the others. */
#ifndef ELMAN_TRAIN_SHARDS_H
#define ELMAN_TRAIN_SHARDS_H

#include "elman/group.h"
#include "train/shard_branches.h"

/* What is told of a gradient at once. */
struct shard_portion {
  struct gradient_pieces pieces;
  real *packed; /* a part's sum */
  real *slices; /* this process's slice of every part */
};

struct shards {
  const elman_group *group; /* NULL = alone */
  size_t count;             /* N */
  struct shard_part *parts; /* of all processes, in the order of their shards */
  size_t part_count, rounds;
  size_t own_first, own_count;    /* of this process */
  struct shard_branches branches; /* of the own part in work */
  struct shard_result *results;   /* (N) */
  size_t *counts;                 /* (P): what each process gives to a gather */
  elman_bytes *send, *receive;    /* (P) */
  /* The output layer, which is packed where it stands, and has no pieces if all goes together; and
   * all else. */
  struct shard_portion output, rest;
  struct errand *errand; /* tells the output layer */
  size_t round;          /* of that */
  elman_status told;     /* how it went */
  elman_error error;
};

/* The exchanges need no memory after this: a process whose shard fails goes on with them.
 * ELMAN_INVALID_ARGUMENT if there are more processes than
 * shards. */
elman_status shards_create(struct shards *shards, const elman_group *group, size_t count,
                           const struct model *model, const struct optimizer *optimizer,
                           elman_error *error) CHECKED;
void shards_free(struct shards *shards);

/* The whole batch as the only shard of one process: its gradient needs no sum. */
struct shard shards_whole(struct shards *shards, const struct batch *batch);

/* A batch's gradient goes to that of the optimizer, in every process, and the sums of its losses to
 * *losses. After optimizer_begin. An error of one process becomes that of all. */
elman_status shards_gradient(struct shards *shards, struct losses *losses,
                             const struct optimizer *optimizer, const struct batch *batch,
                             shard_function *function, void *context, elman_error *error) CHECKED;

#endif
