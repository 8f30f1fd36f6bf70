/* Test: threads. */
/* Synthetic gradients of shards are summed by several processes. The bytes do not depend on the
 * number of processes, and the output layer is sent while the rest is computed. */
#include "check.h"
#include "config_of.h"
#include "lettered_model.h"
#include "moment.h"
#include "owned_values.h"
#include "processes.h"
#include "threads.h"

#include <string.h>

#include "train/trainer.h"

enum { PAIRS = 24, WORDS = 6, MOST = 5, NOBODY = 1000 };

static struct model *make_model(bool tied) {
  struct model_config config = config_of(0, 0, 5, 5);
  config.attentional_layer = config.tie_embeddings = tied;
  return lettered_model(config, WORDS, WORDS);
}

/* Some words occur in no pair, so that rows of the embeddings are skipped. */
static void fill_side(struct sentences *side, uint32_t first) {
  side->count = PAIRS;
  side->starts = calloc(PAIRS + 1, sizeof *side->starts);
  side->ids = calloc(PAIRS, sizeof *side->ids);
  for (size_t i = 0; i < PAIRS; i++) {
    side->starts[i + 1] = i + 1;
    side->ids[i] = first + (uint32_t)(i % (WORDS / 2));
  }
}

/* ---- one update ---- */

struct update {
  size_t shards, pairs, threads;
  bool tied, single_thread;
  bool waits; /* a shard continues only after its process has begun to send */
  size_t fails,
      before; /* number of the shard that fails when its output layer is finished; or before that */
  /* results */
  real *gradients[MOST]; /* the gradients after the update */
  elman_status status[MOST];
  elman_error error[MOST];
  struct losses losses[MOST];
  size_t block;
};

/* One process during the update. */
struct walker {
  struct update *update;
  const elman_group *group;
  struct model *model;
  pthread_t thread;
  atomic_size_t sent; /* exchanges begun by another thread */
  size_t waited;      /* number of shards */
};

static elman_status exchange(void *context, const elman_bytes *send, const elman_bytes *receive,
                             elman_error *error) {
  struct walker *walker = context;
  if (!pthread_equal(walker->thread, pthread_self())) atomic_fetch_add(&walker->sent, 1);
  return walker->group->exchange(walker->group->context, send, receive, error);
}

/* Add values whose sum depends on the order of addition. */
static void add_made(real *gradients, const struct shard *shard, size_t first, size_t count) {
  const struct random_stream stream = {3, 97, (uint32_t)shard->number};
  for (size_t i = first; i < first + count; i++) gradients[i] += (real)random_normal(stream, i);
}

static void add_rows(real *table, size_t columns, const struct shard *shard,
                     const struct sequence *side) {
  for (size_t i = 0; i < side->batch; i++) add_made(table, shard, side->ids[i] * columns, columns);
}

static elman_status learn(void *context, struct losses *losses, const struct shard *shard,
                          elman_error *error) {
  struct walker *walker = context;
  const struct update *update = walker->update;
  const struct parameter_table *table = &walker->model->table;
  const struct model_config *config = &walker->model->config;
  const size_t E = config->embedding_size;
  real *block = shard->gradients->encoder.embedding; /* the first tensor of a block */
  const size_t output = (size_t)(shard->gradients->decoder.out_weight - block);
  const size_t decoder = (size_t)(shard->gradients->decoder.embedding - block);
  const size_t matrices = config->source_vocabulary * E;
  if (shard->number == update->before) return fail(error, ELMAN_IO, NULL, "before");
  add_made(block, shard, output, table->block - output);
  if (shard->output_done.call != NULL) {
    shard->output_done.call(shard->output_done.context);
    if (update->waits) {
      cr_assert(comes_to(&walker->sent, 1), "the output layer is not sent before the shard ends");
      walker->waited++;
    }
  }
  if (shard->number == update->fails) return fail(error, ELMAN_IO, NULL, "after");
  add_made(block, shard, matrices, decoder - matrices);
  const size_t behind = decoder + config->target_vocabulary * E;
  if (!update->tied) add_made(block, shard, behind, output - behind);
  add_rows(block, E, shard, &shard->batch->source);
  if (!update->tied) add_rows(shard->gradients->decoder.embedding, E, shard, &shard->batch->target);
  losses->cross_entropy = 1 + (double)shard->number;
  losses->guide = 1 / (3 + (double)shard->number);
  return ELMAN_OK;
}

static void walk(const elman_group *group, void *context) {
  struct update *update = context;
  const size_t rank = group == NULL ? 0 : group->rank;
  struct walker walker = {.update = update,
                          .group = group,
                          .model = make_model(update->tied),
                          .thread = pthread_self()};
  elman_group own = {0};
  if (group != NULL)
    own = (elman_group){group->rank, group->size, exchange, &walker, update->single_thread};
  const elman_train_options options = {.shards = update->shards,
                                       .group = group == NULL ? NULL : &own};
  owned_by(corpus_free) struct corpus corpus = {0};
  owned_by(batch_free) struct batch batch = {0};
  owned_by(trainer_free) struct trainer trainer;
  size_t indices[PAIRS];
  for (size_t i = 0; i < PAIRS; i++) indices[i] = i;
  fill_side(&corpus.source, 1);
  fill_side(&corpus.target, 3);
  cr_assert_eq(batch_fill(&batch, &corpus, indices, update->pairs, NULL), ELMAN_OK);
  use_threads(update->threads);
  cr_assert_eq(trainer_create(&trainer, walker.model, &options, NULL), ELMAN_OK);
  optimizer_begin(&trainer.optimizer, &batch);
  const struct gradient_job job = {.batch = &batch, .function = learn, .context = &walker};
  update->status[rank] =
      shards_gradient(trainer.shards, &update->losses[rank], &job, &update->error[rank]);
  const size_t block = walker.model->table.block;
  if (rank == 0) update->block = block;
  update->gradients[rank] = reals(block);
  memcpy(update->gradients[rank], trainer.optimizer.blocks.gradients, block * sizeof(real));
  cr_assert_eq(walker.waited > 0, update->waits);
  if (update->single_thread || update->tied) cr_assert_eq(atomic_load(&walker.sent), 0);
  use_threads(1);
  model_free(walker.model);
}

static struct update update_of(size_t shards) {
  return (struct update){
      .shards = shards, .pairs = PAIRS, .threads = 1, .fails = NOBODY, .before = NOBODY};
}

static struct update run(struct update update, size_t processes) {
  if (processes == 0)
    walk(NULL, &update);
  else
    run_processes(processes, walk, &update);
  return update;
}

static void forget(struct update *update) {
  for (size_t r = 0; r < MOST; r++) free(update->gradients[r]);
}

static void check_equal(const struct update *update, size_t processes, const struct update *alone) {
  for (size_t r = 0; r < processes; r++) {
    cr_assert_eq(update->status[r], ELMAN_OK, "%s", update->error[r].message);
    cr_assert_eq(update->losses[r].cross_entropy, alone->losses[0].cross_entropy);
    cr_assert_eq(update->losses[r].guide, alone->losses[0].guide);
    cr_assert_eq(memcmp(update->gradients[r], alone->gradients[0], alone->block * sizeof(real)), 0,
                 "%zu shards, process %zu of %zu", update->shards, r, processes);
  }
}

static void check_any_number(struct update update) {
  struct update alone = update;
  alone.threads = 1;
  alone.waits = false;
  alone = run(alone, 0);
  for (size_t P = 1; P <= MOST && P <= update.shards; P++) {
    struct update together = run(update, P);
    check_equal(&together, P, &alone);
    forget(&together);
  }
  forget(&alone);
}

/* ---- sums ---- */

Test(shards, processes_and_threads_do_not_change_sums) {
  for (size_t N = 2; N <= 9; N++) {
    for (size_t threads = 1; threads <= 3; threads++) {
      struct update update = update_of(N);
      update.threads = threads;
      check_any_number(update);
      update.single_thread = true;
      check_any_number(update);
    }
  }
}

Test(shards, processes_do_not_change_tied_sums) {
  for (size_t N = 2; N <= 7; N++) {
    struct update update = update_of(N);
    update.tied = true;
    check_any_number(update);
  }
}

/* Most shards contain no sentence. */
Test(shards, processes_do_not_change_small_batches) {
  struct update update = update_of(7);
  update.pairs = 3;
  check_any_number(update);
}

/* ---- overlap of computing and sending ---- */

/* Return the loss of the first update over this many copies of a pair, one copy per shard. */
static double loss_of_copies(size_t copies, double dropout, double attention_dropout) {
  static const uint32_t source[] = {1, 2, 3, 1, 2, 3}, target[] = {3, 4, 5, 3, 4, 5};
  size_t starts[] = {0, 3, 6};
  const size_t indices[] = {0, 1};
  const struct corpus corpus = {
      .source = {.ids = (uint32_t *)source, .starts = starts, .count = 2},
      .target = {.ids = (uint32_t *)target, .starts = starts, .count = 2}};
  const elman_train_options options = {.shards = copies,
                                       .seed = 1,
                                       .learning_rate = 0.1,
                                       .dropout = dropout,
                                       .attention_dropout = attention_dropout};
  owned_model *model = make_model(false);
  owned_by(batch_free) struct batch batch = {0};
  owned_by(trainer_free) struct trainer trainer;
  struct update_result result;
  cr_assert_eq(batch_fill(&batch, &corpus, indices, copies, NULL), ELMAN_OK);
  cr_assert_eq(trainer_create(&trainer, model, &options, NULL), ELMAN_OK);
  cr_assert_eq(trainer_step(&result, &trainer, &batch, 0, NULL), ELMAN_OK);
  trainer_flush(&trainer);
  return result.losses.cross_entropy;
}

/* Copies of a pair in different shards drop different units. */
Test(shards, each_shard_has_its_own_dropout_mask) {
  cr_assert_float_eq(loss_of_copies(1, 0, 0), loss_of_copies(2, 0, 0), CLOSE);
  cr_assert_gt(fabs(loss_of_copies(1, 0.5, 0) - loss_of_copies(2, 0.5, 0)), 1e-4);
  cr_assert_gt(fabs(loss_of_copies(1, 0, 0.5) - loss_of_copies(2, 0, 0.5)), 1e-4);
}

Test(shards, output_layer_is_sent_before_the_shard_ends) {
  for (size_t P = 2; P <= MOST; P++) {
    struct update update = update_of(P + 3), alone = run(update, 0);
    update.waits = true;
    struct update together = run(update, P);
    check_equal(&together, P, &alone);
    forget(&together);
    forget(&alone);
  }
}

/* ---- errors ---- */

static void check_failure(struct update update, size_t P, const char *message) {
  struct update together = run(update, P);
  for (size_t r = 0; r < P; r++) {
    cr_assert_eq(together.status[r], ELMAN_IO);
    cr_assert_not_null(strstr(together.error[r].message, message), "%s", together.error[r].message);
  }
  forget(&together);
}

Test(shards, failed_shard_ends_all_processes) {
  for (size_t P = 1; P <= MOST; P++) {
    for (size_t threads = 1; threads <= 2; threads++) {
      for (size_t shard = 0; shard < 6; shard++) {
        struct update update = update_of(6);
        update.threads = threads;
        update.fails = shard;
        check_failure(update, P, "after");
        update.fails = NOBODY;
        update.before = shard;
        check_failure(update, P, "before");
      }
    }
  }
}
