/* What one process learns of a batch at once: a subtree over the shards' numbers (train/shards.h),
 * which is cut into branches for threads. */
#ifndef ELMAN_TRAIN_SHARD_BRANCHES_H
#define ELMAN_TRAIN_SHARD_BRANCHES_H

#include "base/team.h"
#include "corpus/batch.h"
#include "model/model.h"
#include "model/network.h"
#include "train/gradient_pieces.h"

/* N is at most this: a shard has a dropout stream and a gradient of its own. */
enum { MOST_SHARDS = 1024 };

static inline struct range left_of(struct range shards) {
  return (struct range){shards.first, shards.count / 2};
}

static inline struct range right_of(struct range shards) {
  const size_t half = shards.count / 2;
  return (struct range){shards.first + half, shards.count - half};
}

/* A subtree that one process has whole. */
struct shard_part {
  struct range shards;
  size_t rank;  /* whose it is */
  size_t round; /* how many parts it has before this one */
};

/* A shard that is learnt. */
struct shard {
  size_t number;
  const struct batch *batch;
  struct workspace *workspace;
  const struct parameters *gradients; /* to which its own are added */
  struct notice output_learnt;
};

/* Several threads call it at once, with a workspace each. */
typedef elman_status shard_function(void *context, struct losses *losses, const struct shard *shard,
                                    elman_error *error);

/* How a shard went. */
struct shard_result {
  struct losses losses;
  uint64_t status;
};

/* A gradient; that of a left child stays in its parent's. */
struct shard_sum {
  real *block;
  struct parameters views;
};

/* A subtree that is learnt by itself, while threads learn others. */
struct shard_branch {
  struct range shards;
  struct shard_sum *sums; /* by depth */
  size_t sum_count;
  struct batch batch; /* of a shard */
  struct workspace workspace;
  struct errand *awaiting; /* its output layer; NULL = nobody does, or no longer */
  elman_status status;
  elman_error error;
};

/* A power of two, as many as there are threads or more, if the part has so many shards; else one,
 * in which threads share out products. The first sum of the first is the trainer's gradient. */
struct shard_branches {
  struct shard_branch *all; /* (most) */
  size_t count, most;       /* of the part in work, and of any */
};

/* With memory for each of these parts of the process. `gradients` is the trainer's. */
elman_status shard_branches_create(struct shard_branches *branches, const struct shard_part *parts,
                                   size_t count, const struct model *model, real *gradients,
                                   elman_error *error) CHECKED;
void shard_branches_free(struct shard_branches *branches);

/* A part comes into work. */
void shard_branches_cut(struct shard_branches *branches, struct range part);

/* A batch on its way. */
struct shard_work {
  const struct batch *batch;
  size_t count; /* N */
  shard_function *function;
  void *context;
  struct shard_result *results;         /* (N) */
  const struct gradient_pieces *rest;   /* what is added up at once, */
  const struct gradient_pieces *output; /* and the output layer, when it is whole */
};

/* The sum of the part in work in the trainer's gradient, but for the output layer. */
elman_status shard_branches_sum(struct shard_branches *branches, const struct shard_work *work,
                                elman_error *error) CHECKED;

/* That of the output layer, when all branches have that of their last shards. */
void shard_branches_sum_output(const struct shard_branches *branches,
                               const struct gradient_pieces *output);

#endif
