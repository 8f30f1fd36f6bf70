#include "train/shards.h"

#include <stdlib.h>
#include <string.h>

#include "base/group.h"
#include "base/team.h"
#include "corpus/batch.h"
#include "tensor/product.h"

enum {
  MAX_SHARDS = 1024,      /* each shard has its own dropout stream and gradient */
  LONGEST_RANGE = 1 << 16 /* longer ranges are divided, so that threads can share them */
};

/* A subtree of the sum. All its shards belong to one process. */
struct subtree {
  struct range shards;
  size_t rank;     /* rank of the process */
  size_t exchange; /* index among the process's subtrees, which are exchanged in this order */
};

/* Memory for the sum of a subtree. The sum of a left child uses its parent's memory. */
struct shard_sum {
  real *block;
  struct parameters views;
};

/* A worker: one thread computes its subtree, while other threads compute the subtrees of other
 * workers. */
struct worker {
  struct range shards;
  struct shard_sum *sums; /* indexed by depth */
  size_t sum_count;
  struct batch batch; /* the sentences of a shard */
  struct workspace workspace;
  struct background_task
      *awaiting; /* background task that waits for the output layer; NULL = none */
  elman_status status;
  elman_error error;
};

/* A contiguous range of a block, with its position in a packed gradient. */
struct packed_range {
  size_t offset, count;
  size_t packed;
};

/* Gradient elements that are added and exchanged together. They are the ranges of the optimizer
 * and, in each embedding, the rows of the batch's words. Only elements in the range `within` of a
 * block are included. */
struct reduction {
  struct range within;
  struct packed_range *ranges; /* large enough for every row of the embeddings */
  size_t range_count, numbers;
  real *packed; /* packed sum of a subtree */
  real *slices; /* this process's slices of the sums of all subtrees */
};

struct shard_result {
  struct losses losses;
  uint64_t status;
};

struct shards {
  const elman_group *group; /* NULL = a single process */
  const struct optimizer *optimizer;
  size_t count;             /* N: number of shards */
  struct subtree *subtrees; /* the subtrees of all processes, in the order of their shards */
  size_t subtree_count, exchanges;
  size_t own_first, own_count; /* range of this process's subtrees */
  /* The workers divide the subtree `current`, which belongs to this process. Their number is a
   * power of two and at least the number of threads. If the subtree has fewer shards than threads,
   * there is one worker, and threads share its matrix products. sums[0] of the first worker is the
   * optimizer's gradient. */
  struct range current;
  struct worker *workers; /* (max_workers) */
  size_t worker_count, max_workers;
  struct shard_result *results; /* (N) */
  /* Reductions of the output layer, which is packed in place, and of everything else. `output` has
   * no elements if all parts are reduced together. */
  struct reduction output, rest;
  size_t *counts;              /* (P): number of bytes that each process contributes to a gather */
  elman_bytes *send, *receive; /* (P) */
  struct background_task
      *background_task; /* background task that reduces the output layer; NULL = none */
  size_t exchange;      /* exchange that the background task runs */
  elman_status reduced; /* result of the background task */
  elman_error error;
};

static struct range left_of(struct range shards) {
  return (struct range){shards.first, shards.count / 2};
}

static struct range right_of(struct range shards) {
  const size_t half = shards.count / 2;
  return (struct range){shards.first + half, shards.count - half};
}

/* ---- ranges of a gradient ---- */

static struct range common(struct range a, struct range b) {
  const size_t a_end = a.first + a.count, b_end = b.first + b.count;
  const size_t first = a.first > b.first ? a.first : b.first, end = a_end < b_end ? a_end : b_end;
  return (struct range){first, end > first ? end - first : 0};
}

/* Return the range of a block that contains an embedding's row. */
static struct range row_range(const struct optimizer *optimizer, const struct deferred_table *table,
                              size_t row) {
  const size_t start = (size_t)(table->table.gradients - optimizer->blocks.gradients);
  return (struct range){start + row * table->columns, table->columns};
}

static void add_range(struct reduction *reduction, struct range range) {
  struct range left = common(range, reduction->within);
  while (left.count > 0) {
    const size_t some = left.count < LONGEST_RANGE ? left.count : LONGEST_RANGE;
    reduction->ranges[reduction->range_count++] =
        (struct packed_range){left.first, some, reduction->numbers};
    reduction->numbers += some;
    left.first += some;
    left.count -= some;
  }
}

/* List the ranges that the batch of the last optimizer_begin uses. The list is the same in every
 * process. */
static void list_ranges(struct reduction *reduction, const struct optimizer *optimizer) {
  reduction->range_count = reduction->numbers = 0;
  for (size_t i = 0; i < optimizer->range_count; i++) add_range(reduction, optimizer->ranges[i]);
  for (size_t i = 0; i < optimizer->table_count; i++) {
    const struct deferred_table *table = &optimizer->tables[i];
    for (size_t k = 0; k < table->count; k++)
      add_range(reduction, row_range(optimizer, table, table->list[k]));
  }
}

struct move {
  const struct packed_range *ranges;
  real *to, *from;
};

static void share(const struct reduction *reduction, team_job *job, real *to, real *from) {
  const struct move move = {reduction->ranges, to, from};
  share_out(reduction->range_count, (double)WORK_OF_NUMBER * (double)reduction->numbers, job,
            &move);
}

static void add_one(const void *context, size_t i) {
  const struct move *move = context;
  const struct packed_range range = move->ranges[i];
  real *restrict to = move->to + range.offset, *restrict from = move->from + range.offset;
  for (size_t k = 0; k < range.count; k++) to[k] += from[k];
  memset(from, 0, range.count * sizeof *from);
}

/* Add the gradient `from` to `to`. Set `from` to 0 for the next gradient. */
static void add_gradient(const struct reduction *reduction, real *to, real *from) {
  share(reduction, add_one, to, from);
}

static void pack_one(const void *context, size_t i) {
  const struct move *move = context;
  const struct packed_range range = move->ranges[i];
  real *from = move->from + range.offset;
  memcpy(move->to + range.packed, from, range.count * sizeof *from);
  memset(from, 0, range.count * sizeof *from);
}

/* Pack the gradient `from`, and set it to 0. */
static void pack_gradient(const struct reduction *reduction, real *from) {
  share(reduction, pack_one, reduction->packed, from);
}

static void unpack_one(const void *context, size_t i) {
  const struct move *move = context;
  const struct packed_range range = move->ranges[i];
  memcpy(move->to + range.offset, move->from + range.packed, range.count * sizeof *move->to);
}

static void unpack_gradient(const struct reduction *reduction, real *to) {
  share(reduction, unpack_one, to, reduction->packed);
}

/* ---- one shard ---- */

static elman_status compute_shard(const struct gradient_job *job, struct losses *losses,
                                  const struct shard *shard, elman_error *error) {
  if (job->function != NULL) return job->function(job->context, losses, shard, error);
  const elman_train_options *options = job->options;
  const struct model *model = job->model;
  const size_t linked = job->batch->guide.tokens;
  const struct random_stream stream = dropout_stream(options->seed, job->update, shard->number);
  const struct regularization regularization = {
      .dropouts = {{options->dropout, stream}, {options->attention_dropout, stream}},
      .label_smoothing = options->label_smoothing,
      .r_drop = options->r_drop,
      .guide = linked == 0 ? 0 : options->guide_weight / (double)linked};
  const struct network_pass pass = {
      .weights = &model->weights,
      .batch = shard->batch,
      .regularization = &regularization,
      .workspace = shard->workspace,
      .mean_of = job->batch->tokens,
      .precision = precision_that_gains(model->weights.numerics->arithmetic, options->precision),
      .output_done = shard->output_done};
  const elman_status status =
      workspace_fit(shard->workspace, &model->weights, shard->batch, WITH_GRADIENTS, error);
  if (status != ELMAN_OK) return status;
  losses->cross_entropy = network_gradient(shard->gradients, &pass);
  losses->guide = network_guide_loss(&pass);
  return ELMAN_OK;
}

/* ---- the sum of a subtree by the threads of a process ---- */

/* Return the number of gradients that a subtree needs at once. The left child's sum must be kept
 * while the right child's sum is computed. */
static size_t depth_of(size_t shards) {
  return shards <= 1 ? 1 : 1 + depth_of(shards - shards / 2);
}

/* List the subtrees at one level, deep enough that every thread gets one. A subtree of one shard is
 * not divided further. */
static void list_workers(struct shards *s, struct range shards, size_t level) {
  if (level == 0 || shards.count == 1) {
    s->workers[s->worker_count++].shards = shards;
    return;
  }
  list_workers(s, left_of(shards), level - 1);
  list_workers(s, right_of(shards), level - 1);
}

static void assign_workers(struct shards *s, struct range shards) {
  const size_t threads = team_size();
  size_t level = 0;
  while (shards.count >= threads && (size_t)1 << level < threads) level++;
  s->current = shards;
  s->worker_count = 0;
  list_workers(s, shards, level);
}

static void signal_output(void *context) {
  struct worker *worker = context;
  if (worker->awaiting != NULL) background_task_signal(worker->awaiting);
  worker->awaiting = NULL;
}

/* Return whether these shards include the worker's last shard. */
static bool ends_worker(const struct worker *worker, struct range shards) {
  return shards.first + shards.count == worker->shards.first + worker->shards.count;
}

static elman_status run_shard(const struct shards *s, const struct gradient_job *job,
                              struct worker *worker, size_t number,
                              const struct parameters *gradients) {
  struct shard_result *result = &s->results[number];
  const size_t copies = job->batch->copies, pairs = job->batch->source.batch / copies;
  const size_t first = group_first(pairs, number, s->count);
  const size_t count = group_first(pairs, number + 1, s->count) - first;
  const bool last = ends_worker(worker, (struct range){number, 1});
  const struct shard shard = {number, &worker->batch, &worker->workspace, gradients,
                              last ? (struct notice){signal_output, worker} : (struct notice){0}};
  elman_status status = ELMAN_OK;
  result->losses = (struct losses){0};
  if (count > 0)
    status =
        batch_slice(&worker->batch, job->batch, first * copies, count * copies, &worker->error);
  if (count > 0 && status == ELMAN_OK)
    status = compute_shard(job, &result->losses, &shard, &worker->error);
  result->status = status;
  return status;
}

/* Compute G(a, b) in the gradient block of this depth. If the worker's last shard is included, omit
 * the output layer, which sum_output adds later. */
static elman_status sum_shards(const struct shards *s, const struct gradient_job *job,
                               struct worker *worker, struct range shards, size_t depth) {
  struct shard_sum *sum = &worker->sums[depth];
  if (shards.count == 1) return run_shard(s, job, worker, shards.first, &sum->views);
  elman_status status = sum_shards(s, job, worker, left_of(shards), depth);
  if (status == ELMAN_OK) status = sum_shards(s, job, worker, right_of(shards), depth + 1);
  if (status != ELMAN_OK) return status;
  add_gradient(&s->rest, sum[0].block, sum[1].block);
  if (!ends_worker(worker, shards)) add_gradient(&s->output, sum[0].block, sum[1].block);
  return ELMAN_OK;
}

struct shard_work {
  const struct shards *shards;
  const struct gradient_job *job;
};

static void run_worker(const void *context, size_t k) {
  const struct shard_work *work = context;
  const struct shards *s = work->shards;
  struct worker *worker = &s->workers[k];
  worker->status = sum_shards(s, work->job, worker, worker->shards, 0);
  signal_output(worker); /* needed if no shard signaled its output layer */
}

/* Compute G(a, b) for `shards`. Store it in the gradient of *worker, which computed the first of
 * them, and return that gradient. Set *worker to the first worker after these shards. */
static real *sum_workers(const struct shards *s, const struct reduction *reduction,
                         struct range shards, size_t *worker) {
  const struct worker *next = &s->workers[*worker];
  if (next->shards.count == shards.count) {
    ++*worker;
    return next->sums[0].block;
  }
  real *left = sum_workers(s, reduction, left_of(shards), worker);
  add_gradient(reduction, left, sum_workers(s, reduction, right_of(shards), worker));
  return left;
}

/* Add up the current subtree in the optimizer's gradient, without the output layer. */
static elman_status sum_subtree(struct shards *s, const struct gradient_job *job,
                                elman_error *error) {
  const struct shard_work work = {s, job};
  if (s->worker_count == 1)
    run_worker(&work, 0);
  else
    team_run(run_worker, &work, s->worker_count);
  for (size_t k = 0; k < s->worker_count; k++)
    if (s->workers[k].status != ELMAN_OK) return fail_again(error, &s->workers[k].error);
  size_t worker = 0;
  sum_workers(s, &s->rest, s->current, &worker);
  return ELMAN_OK;
}

/* Add the gradients of the output layer, once all workers have computed it for their last
 * shards. */
static void sum_output(const struct shards *s) {
  for (size_t k = 0; k < s->worker_count; k++) {
    const struct worker *worker = &s->workers[k];
    for (size_t depth = depth_of(worker->shards.count) - 1; depth > 0; depth--)
      add_gradient(&s->output, worker->sums[depth - 1].block, worker->sums[depth].block);
  }
  size_t worker = 0;
  if (s->worker_count > 0) sum_workers(s, &s->output, s->current, &worker);
}

/* ---- the sum of all subtrees by processes ---- */

static struct range slice_of(const struct shards *s, const struct reduction *reduction,
                             size_t rank) {
  const size_t P = s->group->size, numbers = reduction->numbers;
  const size_t first = group_first(numbers, rank, P);
  return (struct range){first, group_first(numbers, rank + 1, P) - first};
}

/* Return this process's slice of a subtree's sum. The slice of the last subtree that this process
 * owns stays in the packed gradient. */
static real *subtree_slice(const struct shards *s, const struct reduction *reduction,
                           size_t subtree) {
  const struct subtree *of = &s->subtrees[subtree];
  const struct range own = slice_of(s, reduction, s->group->rank);
  const bool stays = of->rank == s->group->rank && of->exchange + 1 == s->exchanges;
  return stays ? reduction->packed + own.first : reduction->slices + subtree * own.count;
}

/* Exchange subtree sums. Send each other process its slice of the sum of this process's subtree.
 * Receive from each other process this process's slice of the sum of that process's subtree. */
static elman_status exchange_slices(struct shards *s, const struct reduction *reduction,
                                    size_t exchange, elman_error *error) {
  const size_t P = s->group->size, rank = s->group->rank, own = slice_of(s, reduction, rank).count;
  memset(s->send, 0, P * sizeof *s->send);
  memset(s->receive, 0, P * sizeof *s->receive);
  for (size_t i = 0; i < s->subtree_count; i++) {
    const struct subtree *subtree = &s->subtrees[i];
    if (subtree->exchange != exchange) continue;
    s->receive[subtree->rank] = (elman_bytes){subtree_slice(s, reduction, i), own * sizeof(real)};
    for (size_t j = 0; j < P && subtree->rank == rank; j++) {
      const struct range slice = slice_of(s, reduction, j);
      s->send[j] = (elman_bytes){reduction->packed + slice.first, slice.count * sizeof(real)};
    }
  }
  if (s->send[rank].data == s->receive[rank].data) s->send[rank].count = s->receive[rank].count = 0;
  return s->group->exchange(s->group->context, s->send, s->receive, error);
}

/* Add up G(a, b) in the slice of *subtree, the subtree of the first of these shards, and return
 * this process's slice of the sum. Set *subtree to the first subtree after these shards. */
static real *sum_slices(const struct shards *s, const struct reduction *reduction,
                        struct range shards, size_t *subtree) {
  const size_t n = slice_of(s, reduction, s->group->rank).count;
  if (s->subtrees[*subtree].shards.count == shards.count)
    return subtree_slice(s, reduction, (*subtree)++);
  real *left = sum_slices(s, reduction, left_of(shards), subtree);
  const real *right = sum_slices(s, reduction, right_of(shards), subtree);
  for (size_t i = 0; i < n; i++) left[i] += right[i];
  return left;
}

/* Complete the sum of this process's slice. Then gather the slices of all processes in every
 * process. */
static elman_status gather_slices(struct shards *s, const struct reduction *reduction,
                                  elman_error *error) {
  const struct range own = slice_of(s, reduction, s->group->rank);
  size_t subtree = 0;
  const real *sum = sum_slices(s, reduction, (struct range){0, s->count}, &subtree);
  real *place = reduction->packed + own.first;
  if (sum != place) memcpy(place, sum, own.count * sizeof *sum);
  for (size_t r = 0; r < s->group->size; r++)
    s->counts[r] = slice_of(s, reduction, r).count * sizeof *sum;
  return elman_group_gather(s->group, reduction->packed, s->counts, error);
}

/* Reduce the output layer in the background task. While it runs, no other thread of this process
 * uses the group. */
static void reduce_output(void *context) {
  struct shards *s = context;
  const bool last = s->exchange + 1 == s->exchanges;
  sum_output(s);
  s->reduced = exchange_slices(s, &s->output, s->exchange, &s->error);
  if (s->reduced == ELMAN_OK && last) s->reduced = gather_slices(s, &s->output, &s->error);
  if (!last) memset(s->output.packed, 0, s->output.numbers * sizeof(real));
}

static void begin_output(struct shards *s, size_t exchange) {
  const bool apart = s->output.numbers > 0;
  for (size_t k = 0; k < s->worker_count; k++)
    s->workers[k].awaiting = apart ? s->background_task : NULL;
  s->exchange = exchange;
  s->reduced = ELMAN_OK;
  if (apart)
    background_task_start(s->background_task, s->worker_count, s->group->single_thread,
                          reduce_output, s);
}

/* Exchange the sum of the current subtree. A process without a subtree in this exchange only
 * receives. */
static elman_status exchange_subtree(struct shards *s, size_t exchange, elman_error *error) {
  if (s->output.numbers > 0) background_task_finish(s->background_task);
  if (s->reduced != ELMAN_OK) return fail_again(error, &s->error);
  if (exchange < s->own_count) pack_gradient(&s->rest, s->optimizer->blocks.gradients);
  return exchange_slices(s, &s->rest, exchange, error);
}

static size_t first_of(const struct shards *s, size_t rank) {
  return group_first(s->count, rank, group_size(s->group));
}

/* Gather the losses of all processes in every process. If a shard of any process failed, return the
 * error of that process. */
static elman_status gather_results(struct shards *s, elman_status own, elman_error *error) {
  for (size_t r = 0; r < group_size(s->group); r++)
    s->counts[r] = (first_of(s, r + 1) - first_of(s, r)) * sizeof *s->results;
  const elman_status status = elman_group_gather(s->group, s->results, s->counts, error);
  if (status != ELMAN_OK) return status;
  bool failed = false;
  for (size_t i = 0; i < s->count; i++) failed = failed || s->results[i].status != ELMAN_OK;
  return failed ? elman_group_agree(s->group, own, error) : ELMAN_OK;
}

/* Compute and exchange all sums. After its own error, a process still sends the data that the
 * others expect, until all processes have the error. */
static elman_status sum_all(struct shards *s, const struct gradient_job *job, elman_error *error) {
  const bool alone = group_size(s->group) == 1;
  elman_status own = ELMAN_OK;
  for (size_t exchange = 0; exchange < s->exchanges; exchange++) {
    const bool computes = exchange < s->own_count && own == ELMAN_OK;
    s->worker_count = 0;
    if (computes) assign_workers(s, s->subtrees[s->own_first + exchange].shards);
    begin_output(s, exchange);
    if (computes) own = sum_subtree(s, job, error);
    elman_error broken;
    if (!alone && exchange_subtree(s, exchange, &broken) != ELMAN_OK)
      return fail_again(error, &broken);
  }
  elman_status status = gather_results(s, own, error);
  if (status != ELMAN_OK || alone) return status;
  status = gather_slices(s, &s->rest, error);
  if (status == ELMAN_OK) unpack_gradient(&s->rest, s->optimizer->blocks.gradients);
  return status;
}

elman_status shards_gradient(struct shards *s, struct losses *losses,
                             const struct gradient_job *job, elman_error *error) {
  *losses = (struct losses){0};
  if (s->count == 1) {
    struct worker *worker = &s->workers[0];
    const struct shard whole = {0, job->batch, &worker->workspace, &worker->sums[0].views, {0}};
    return compute_shard(job, losses, &whole, error);
  }
  list_ranges(&s->rest, s->optimizer);
  list_ranges(&s->output, s->optimizer);
  const elman_status status = sum_all(s, job, error);
  for (size_t i = 0; i < s->count && status == ELMAN_OK; i++) {
    losses->cross_entropy += s->results[i].losses.cross_entropy;
    losses->guide += s->results[i].losses.guide;
  }
  return status;
}

/* ---- memory ---- */

/* All memory is allocated here. The exchanges must not allocate, because a process whose shard
 * fails must still complete them. */

static size_t owner_of(const struct shards *s, size_t shard) {
  size_t rank = 0;
  while (first_of(s, rank + 1) <= shard) rank++;
  return rank;
}

static void list_subtrees(struct shards *s, struct range shards) {
  const size_t rank = owner_of(s, shards.first);
  if (owner_of(s, shards.first + shards.count - 1) != rank) {
    list_subtrees(s, left_of(shards));
    list_subtrees(s, right_of(shards));
    return;
  }
  const struct subtree *before = s->subtree_count == 0 ? NULL : &s->subtrees[s->subtree_count - 1];
  const size_t exchange = before != NULL && before->rank == rank ? before->exchange + 1 : 0;
  if (rank == group_rank(s->group) && s->own_count++ == 0) s->own_first = s->subtree_count;
  s->subtrees[s->subtree_count++] = (struct subtree){shards, rank, exchange};
  if (exchange >= s->exchanges) s->exchanges = exchange + 1;
}

/* Create the sums of a worker. `gradients` is the first block; NULL = the worker allocates it. */
static elman_status create_sums(struct worker *worker, size_t depth, real *gradients,
                                const struct model *model, elman_error *error) {
  worker->sums = calloc(depth, sizeof *worker->sums);
  if (worker->sums == NULL) return fail_no_memory(error);
  for (; worker->sum_count < depth; worker->sum_count++) {
    struct shard_sum *sum = &worker->sums[worker->sum_count];
    if (worker->sum_count == 0 && gradients != NULL) {
      sum->block = gradients;
    } else {
      const elman_status status = parameter_block_create(&sum->block, &model->table, error);
      if (status != ELMAN_OK) return status;
    }
    parameters_bind(&sum->views, sum->block, &model->config);
  }
  return ELMAN_OK;
}

/* Create the workers, with enough memory for each subtree of this process. */
static elman_status create_workers(struct shards *s, const struct model *model,
                                   elman_error *error) {
  const struct subtree *own = s->subtrees + s->own_first;
  size_t depths[MAX_SHARDS] = {0}, shards = 1;
  for (size_t i = 0; i < s->own_count; i++)
    if (own[i].shards.count > shards) shards = own[i].shards.count;
  s->workers = calloc(shards, sizeof *s->workers);
  if (s->workers == NULL) return fail_no_memory(error);
  for (size_t i = 0; i < s->own_count; i++) {
    assign_workers(s, own[i].shards);
    for (size_t k = 0; k < s->worker_count; k++) {
      const size_t depth = depth_of(s->workers[k].shards.count);
      if (depth > depths[k]) depths[k] = depth;
    }
    if (s->worker_count > s->max_workers) s->max_workers = s->worker_count;
  }
  elman_status status = ELMAN_OK;
  for (size_t k = 0; k < s->max_workers && status == ELMAN_OK; k++)
    status = create_sums(&s->workers[k], depths[k], k == 0 ? s->optimizer->blocks.gradients : NULL,
                         model, error);
  return status;
}

/* Return the number of ranges into which list_ranges divides this range. */
static size_t range_count(struct range range, struct range within) {
  const size_t numbers = common(range, within).count;
  return numbers / LONGEST_RANGE + (numbers % LONGEST_RANGE != 0);
}

static elman_status create_reduction(struct reduction *reduction, const struct shards *s,
                                     struct range within, elman_error *error) {
  const struct optimizer *optimizer = s->optimizer;
  size_t count = 0;
  for (size_t i = 0; i < optimizer->range_count; i++)
    count += range_count(optimizer->ranges[i], within);
  for (size_t i = 0; i < optimizer->table_count; i++) {
    const struct deferred_table *table = &optimizer->tables[i];
    count += table->rows * range_count(row_range(optimizer, table, 0), within);
  }
  *reduction =
      (struct reduction){.within = within, .ranges = calloc(count + 1, sizeof *reduction->ranges)};
  if (reduction->ranges == NULL) return fail_no_memory(error);
  if (group_size(s->group) == 1) return ELMAN_OK;
  const size_t slice = within.count / group_size(s->group) + 1;
  if (slice > SIZE_MAX / sizeof(real) / s->subtree_count) return fail_no_memory(error);
  reduction->slices = malloc(slice * s->subtree_count * sizeof *reduction->slices);
  return reduction->slices == NULL ? fail_no_memory(error) : ELMAN_OK;
}

/* Return the start of the output layer, which is the last part of a block. If the layer is tied to
 * an embedding, return the end of the block, because its gradient is complete only when all others
 * are. */
static size_t output_start(const struct model *model) {
  if (model->config.tie_embeddings) return model->table.block;
  return (size_t)(model->weights.decoder.out_weight - model->block);
}

/* Create both reductions. Pages that no batch touches use only address space. */
static elman_status create_reductions(struct shards *s, const struct model *model,
                                      elman_error *error) {
  const bool alone = group_size(s->group) == 1;
  const size_t all = model->table.block, start = alone ? all : output_start(model);
  elman_status status = create_reduction(&s->rest, s, (struct range){0, start}, error);
  if (status == ELMAN_OK)
    status = create_reduction(&s->output, s, (struct range){start, all - start}, error);
  if (status != ELMAN_OK || alone) return status;
  s->output.packed = s->optimizer->blocks.gradients + start;
  s->rest.packed = malloc(start * sizeof *s->rest.packed);
  if (s->rest.packed == NULL) return fail_no_memory(error);
  return background_task_create(&s->background_task, error);
}

static elman_status create(struct shards *s, const struct model *model, elman_error *error) {
  const size_t P = group_size(s->group);
  if (s->count > MAX_SHARDS)
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "%zu shards exceed the maximum of %d",
                s->count, MAX_SHARDS);
  if (P > s->count)
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL,
                "%zu processes need at least as many shards, but there are %zu; start fewer "
                "processes, or raise the number of shards (`shards`), which changes the model",
                P, s->count);
  s->subtrees = calloc(s->count, sizeof *s->subtrees);
  s->results = calloc(s->count, sizeof *s->results);
  s->counts = calloc(P, sizeof *s->counts);
  s->send = calloc(P, sizeof *s->send);
  s->receive = calloc(P, sizeof *s->receive);
  if (s->subtrees == NULL || s->results == NULL || s->counts == NULL || s->send == NULL ||
      s->receive == NULL)
    return fail_no_memory(error);
  list_subtrees(s, (struct range){0, s->count});
  elman_status status = create_workers(s, model, error);
  if (status == ELMAN_OK && s->count > 1) status = create_reductions(s, model, error);
  return status;
}

elman_status shards_create(struct shards **shards, const elman_group *group, size_t count,
                           const struct model *model, const struct optimizer *optimizer,
                           elman_error *error) {
  struct shards *s = *shards = calloc(1, sizeof *s);
  if (s == NULL) return fail_no_memory(error);
  s->group = group;
  s->count = count;
  s->optimizer = optimizer;
  const elman_status status = create(s, model, error);
  if (status == ELMAN_OK) return ELMAN_OK;
  shards_free(s);
  *shards = NULL;
  return status;
}

void shards_free(struct shards *s) {
  if (s == NULL) return;
  background_task_free(s->background_task);
  for (size_t k = 0; k < s->max_workers; k++) {
    struct worker *worker = &s->workers[k];
    for (size_t i = 0; i < worker->sum_count; i++)
      if (k + i > 0)
        parameter_block_free(worker->sums[i].block); /* the first block belongs to the optimizer */
    free(worker->sums);
    batch_free(&worker->batch);
    workspace_free(&worker->workspace);
  }
  free(s->workers);
  free(s->subtrees);
  free(s->results);
  free(s->counts);
  free(s->send);
  free(s->receive);
  free(s->rest.packed);
  free(s->rest.ranges);
  free(s->rest.slices);
  free(s->output.ranges);
  free(s->output.slices);
  free(s);
}
