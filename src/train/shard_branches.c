#include "train/shard_branches.h"

#include <stdlib.h>

#include "base/group.h"
#include "base/team.h"

/* ---- memory ---- */

/* How many gradients a subtree needs at once: a right child is summed while the left one waits. */
static size_t depth_of(size_t shards) {
  return shards <= 1 ? 1 : 1 + depth_of(shards - shards / 2);
}

static elman_status create_sums(struct shard_branch *branch, size_t depth, real *gradients,
                                const struct model *model, elman_error *error) {
  branch->sums = calloc(depth, sizeof *branch->sums);
  if (branch->sums == NULL) return fail_no_memory(error);
  for (; branch->sum_count < depth; branch->sum_count++) {
    struct shard_sum *sum = &branch->sums[branch->sum_count];
    if (branch->sum_count == 0 && gradients != NULL) {
      sum->block = gradients;
    } else {
      const elman_status status = parameter_block_create(&sum->block, &model->table, error);
      if (status != ELMAN_OK) return status;
    }
    parameters_bind(&sum->views, sum->block, &model->config);
  }
  return ELMAN_OK;
}

/* Subtrees at one level, so many that every thread has one; the deepest that are listed are single
 * shards. */
static void list_branches(struct shard_branches *branches, struct range shards, size_t level) {
  if (level == 0 || shards.count == 1) {
    branches->all[branches->count++].shards = shards;
    return;
  }
  list_branches(branches, left_of(shards), level - 1);
  list_branches(branches, right_of(shards), level - 1);
}

void shard_branches_cut(struct shard_branches *branches, struct range part) {
  const size_t threads = team_size();
  size_t level = 0;
  while (part.count >= threads && (size_t)1 << level < threads) level++;
  branches->count = 0;
  list_branches(branches, part, level);
}

elman_status shard_branches_create(struct shard_branches *branches, const struct shard_part *parts,
                                   size_t count, const struct model *model, real *gradients,
                                   elman_error *error) {
  size_t depths[MOST_SHARDS] = {0}, shards = 1;
  for (size_t i = 0; i < count; i++)
    if (parts[i].shards.count > shards) shards = parts[i].shards.count;
  *branches = (struct shard_branches){.all = calloc(shards, sizeof *branches->all)};
  if (branches->all == NULL) return fail_no_memory(error);
  for (size_t i = 0; i < count; i++) {
    shard_branches_cut(branches, parts[i].shards);
    for (size_t k = 0; k < branches->count; k++) {
      const size_t depth = depth_of(branches->all[k].shards.count);
      if (depth > depths[k]) depths[k] = depth;
    }
    if (branches->count > branches->most) branches->most = branches->count;
  }
  elman_status status = ELMAN_OK;
  for (size_t k = 0; k < branches->most && status == ELMAN_OK; k++)
    status = create_sums(&branches->all[k], depths[k], k == 0 ? gradients : NULL, model, error);
  return status;
}

/* But for the first `borrowed` gradients. */
static void branch_free(struct shard_branch *branch, size_t borrowed) {
  for (size_t i = borrowed; i < branch->sum_count; i++) parameter_block_free(branch->sums[i].block);
  free(branch->sums);
  batch_free(&branch->batch);
  workspace_free(&branch->workspace);
}

void shard_branches_free(struct shard_branches *branches) {
  for (size_t k = 0; k < branches->most; k++) branch_free(&branches->all[k], k == 0 ? 1 : 0);
  free(branches->all);
}

/* ---- the sum of a part ---- */

static void bring_output(void *context) {
  struct shard_branch *branch = context;
  if (branch->awaiting != NULL) errand_bring(branch->awaiting);
  branch->awaiting = NULL;
}

/* The last shard of the branch ends this subtree. */
static bool ends_branch(const struct shard_branch *branch, struct range shards) {
  return shards.first + shards.count == branch->shards.first + branch->shards.count;
}

static elman_status learn_shard(const struct shard_work *work, struct shard_branch *branch,
                                size_t number, const struct parameters *gradients) {
  struct shard_result *result = &work->results[number];
  const size_t pairs = work->batch->source.batch, first = group_first(pairs, number, work->count);
  const size_t count = group_first(pairs, number + 1, work->count) - first;
  const bool last = ends_branch(branch, (struct range){number, 1});
  const struct shard shard = {number, &branch->batch, &branch->workspace, gradients,
                              last ? (struct notice){bring_output, branch} : (struct notice){0}};
  elman_status status = ELMAN_OK;
  result->losses = (struct losses){0};
  if (count > 0) status = batch_slice(&branch->batch, work->batch, first, count, &branch->error);
  if (count > 0 && status == ELMAN_OK)
    status = work->function(work->context, &result->losses, &shard, &branch->error);
  result->status = status;
  return status;
}

/* sum(a, b) in the gradient of this depth; but for the output layer, which close_branch adds up,
 * where the branch's last shard takes part. */
static elman_status sum_shards(const struct shard_work *work, struct shard_branch *branch,
                               struct range shards, size_t depth) {
  struct shard_sum *sum = &branch->sums[depth];
  if (shards.count == 1) return learn_shard(work, branch, shards.first, &sum->views);
  elman_status status = sum_shards(work, branch, left_of(shards), depth);
  if (status == ELMAN_OK) status = sum_shards(work, branch, right_of(shards), depth + 1);
  if (status != ELMAN_OK) return status;
  gradient_pieces_add(work->rest, sum[0].block, sum[1].block);
  if (!ends_branch(branch, shards)) gradient_pieces_add(work->output, sum[0].block, sum[1].block);
  return ELMAN_OK;
}

static void close_branch(const struct shard_branch *branch, const struct gradient_pieces *output) {
  for (size_t depth = depth_of(branch->shards.count) - 1; depth > 0; depth--)
    gradient_pieces_add(output, branch->sums[depth - 1].block, branch->sums[depth].block);
}

struct run {
  const struct shard_work *work;
  struct shard_branches *branches;
};

static void run_branch(const void *context, size_t k) {
  const struct run *run = context;
  struct shard_branch *branch = &run->branches->all[k];
  branch->status = sum_shards(run->work, branch, branch->shards, 0);
  bring_output(branch); /* if no shard did */
}

/* sum(a, b) in the gradient of its first branch, whose number *branch goes on to the next. */
static real *join_branches(const struct shard_branches *branches,
                           const struct gradient_pieces *pieces, struct range shards,
                           size_t *branch) {
  const struct shard_branch *next = &branches->all[*branch];
  if (next->shards.count == shards.count) {
    ++*branch;
    return next->sums[0].block;
  }
  real *left = join_branches(branches, pieces, left_of(shards), branch);
  gradient_pieces_add(pieces, left, join_branches(branches, pieces, right_of(shards), branch));
  return left;
}

static struct range part_in_work(const struct shard_branches *branches) {
  const struct range first = branches->all[0].shards;
  const struct range last = branches->all[branches->count - 1].shards;
  return (struct range){first.first, last.first + last.count - first.first};
}

elman_status shard_branches_sum(struct shard_branches *branches, const struct shard_work *work,
                                elman_error *error) {
  const struct run run = {work, branches};
  if (branches->count == 1)
    run_branch(&run, 0);
  else
    team_run(run_branch, &run, branches->count);
  for (size_t k = 0; k < branches->count; k++)
    if (branches->all[k].status != ELMAN_OK) return fail_again(error, &branches->all[k].error);
  size_t branch = 0;
  join_branches(branches, work->rest, part_in_work(branches), &branch);
  return ELMAN_OK;
}

void shard_branches_sum_output(const struct shard_branches *branches,
                               const struct gradient_pieces *output) {
  for (size_t k = 0; k < branches->count; k++) close_branch(&branches->all[k], output);
  size_t branch = 0;
  if (branches->count > 0) join_branches(branches, output, part_in_work(branches), &branch);
}
