#include "train/shards.h"

#include <stdlib.h>
#include <string.h>

#include "base/group.h"

/* ---- who has what ---- */

static size_t first_of(const struct shards *s, size_t rank) {
  return group_first(s->count, rank, group_size(s->group));
}

static size_t owner_of(const struct shards *s, size_t shard) {
  size_t rank = 0;
  while (first_of(s, rank + 1) <= shard) rank++;
  return rank;
}

static void list_parts(struct shards *s, struct range shards) {
  const size_t rank = owner_of(s, shards.first);
  if (owner_of(s, shards.first + shards.count - 1) != rank) {
    list_parts(s, left_of(shards));
    list_parts(s, right_of(shards));
    return;
  }
  const struct shard_part *before = s->part_count == 0 ? NULL : &s->parts[s->part_count - 1];
  const size_t round = before != NULL && before->rank == rank ? before->round + 1 : 0;
  if (rank == group_rank(s->group) && s->own_count++ == 0) s->own_first = s->part_count;
  s->parts[s->part_count++] = (struct shard_part){shards, rank, round};
  if (round >= s->rounds) s->rounds = round + 1;
}

static elman_status create_slices(const struct shards *s, struct shard_portion *portion,
                                  size_t numbers, elman_error *error) {
  const size_t slice = numbers / group_size(s->group) + 1;
  if (slice > SIZE_MAX / sizeof(real) / s->part_count) return fail_no_memory(error);
  portion->slices = malloc(slice * s->part_count * sizeof *portion->slices);
  return portion->slices == NULL ? fail_no_memory(error) : ELMAN_OK;
}

/* The output layer ends a block. Tied to an embedding, it is whole no sooner than all else. */
static size_t output_start(const struct model *model) {
  if (model->config.tie_embeddings) return model->table.block;
  return (size_t)(model->weights.decoder.out_weight - model->block);
}

/* Pages that no batch touches cost address space only. */
static elman_status create_portions(struct shards *s, const struct model *model,
                                    const struct optimizer *optimizer, elman_error *error) {
  const bool alone = group_size(s->group) == 1;
  const size_t all = model->table.block, start = alone ? all : output_start(model);
  elman_status status =
      gradient_pieces_create(&s->rest.pieces, optimizer, (struct range){0, start}, error);
  if (status == ELMAN_OK)
    status = gradient_pieces_create(&s->output.pieces, optimizer,
                                    (struct range){start, all - start}, error);
  if (status != ELMAN_OK || alone) return status;
  s->output.packed = optimizer->blocks.gradients + start;
  s->rest.packed = malloc(start * sizeof *s->rest.packed);
  if (s->rest.packed == NULL) return fail_no_memory(error);
  status = create_slices(s, &s->rest, start, error);
  if (status == ELMAN_OK) status = create_slices(s, &s->output, all - start, error);
  if (status == ELMAN_OK) status = errand_create(&s->errand, error);
  return status;
}

elman_status shards_create(struct shards *shards, const elman_group *group, size_t count,
                           const struct model *model, const struct optimizer *optimizer,
                           elman_error *error) {
  const size_t P = group_size(group);
  *shards = (struct shards){.group = group, .count = count};
  if (count > MOST_SHARDS)
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "%zu shards: at most %d", count, MOST_SHARDS);
  if (P > count)
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL,
                "a batch in %zu shard%s is work for so many processes at most, and there are %zu; "
                "start fewer, or use more shards (--shards), which make another model",
                count, count == 1 ? "" : "s", P);
  shards->parts = calloc(count, sizeof *shards->parts);
  shards->results = calloc(count, sizeof *shards->results);
  shards->counts = calloc(P, sizeof *shards->counts);
  shards->send = calloc(P, sizeof *shards->send);
  shards->receive = calloc(P, sizeof *shards->receive);
  elman_status status = ELMAN_OK;
  if (shards->parts == NULL || shards->results == NULL || shards->counts == NULL ||
      shards->send == NULL || shards->receive == NULL)
    status = fail_no_memory(error);
  if (status == ELMAN_OK) list_parts(shards, (struct range){0, count});
  if (status == ELMAN_OK)
    status = shard_branches_create(&shards->branches, shards->parts + shards->own_first,
                                   shards->own_count, model, optimizer->blocks.gradients, error);
  if (status == ELMAN_OK && count > 1) status = create_portions(shards, model, optimizer, error);
  if (status != ELMAN_OK) shards_free(shards);
  return status;
}

void shards_free(struct shards *shards) {
  errand_free(shards->errand);
  shard_branches_free(&shards->branches);
  free(shards->parts);
  free(shards->results);
  free(shards->counts);
  free(shards->send);
  free(shards->receive);
  free(shards->rest.packed);
  free(shards->rest.slices);
  free(shards->output.slices);
  gradient_pieces_free(&shards->rest.pieces);
  gradient_pieces_free(&shards->output.pieces);
  *shards = (struct shards){0};
}

struct shard shards_whole(struct shards *shards, const struct batch *batch) {
  struct shard_branch *branch = &shards->branches.all[0];
  return (struct shard){0, batch, &branch->workspace, &branch->sums[0].views, {0}};
}

/* ---- the sum of all ---- */

static real *gradient_of(const struct shards *s) {
  return s->branches.all[0].sums[0].block;
}

static struct range slice_of(const struct shards *s, const struct shard_portion *portion,
                             size_t rank) {
  const size_t P = s->group->size, numbers = portion->pieces.numbers;
  const size_t first = group_first(numbers, rank, P);
  return (struct range){first, group_first(numbers, rank + 1, P) - first};
}

/* This process's slice of a part. Its own part of the last round stays where it is packed. */
static real *part_slice(const struct shards *s, const struct shard_portion *portion, size_t part) {
  const struct range own = slice_of(s, portion, s->group->rank);
  const bool stays = s->parts[part].rank == s->group->rank && s->parts[part].round + 1 == s->rounds;
  return stays ? portion->packed + own.first : portion->slices + part * own.count;
}

/* Of the parts of this round, each process sends every other its slice. */
static elman_status exchange_parts(struct shards *s, const struct shard_portion *portion,
                                   size_t round, elman_error *error) {
  const size_t P = s->group->size, rank = s->group->rank, own = slice_of(s, portion, rank).count;
  memset(s->send, 0, P * sizeof *s->send);
  memset(s->receive, 0, P * sizeof *s->receive);
  for (size_t i = 0; i < s->part_count; i++) {
    const struct shard_part *part = &s->parts[i];
    if (part->round != round) continue;
    s->receive[part->rank] = (elman_bytes){part_slice(s, portion, i), own * sizeof(real)};
    for (size_t j = 0; j < P && part->rank == rank; j++) {
      const struct range slice = slice_of(s, portion, j);
      s->send[j] = (elman_bytes){portion->packed + slice.first, slice.count * sizeof(real)};
    }
  }
  if (s->send[rank].data == s->receive[rank].data) s->send[rank].count = s->receive[rank].count = 0;
  return s->group->exchange(s->group->context, s->send, s->receive, error);
}

/* sum(a, b) of this process's slice, in the place of its first part; *part goes on to the next. */
static real *sum_slices(const struct shards *s, const struct shard_portion *portion,
                        struct range shards, size_t *part) {
  const size_t n = slice_of(s, portion, s->group->rank).count;
  if (s->parts[*part].shards.count == shards.count) return part_slice(s, portion, (*part)++);
  real *left = sum_slices(s, portion, left_of(shards), part);
  const real *right = sum_slices(s, portion, right_of(shards), part);
  for (size_t i = 0; i < n; i++) left[i] += right[i];
  return left;
}

static elman_status hand_slices_round(struct shards *s, const struct shard_portion *portion,
                                      elman_error *error) {
  const struct range own = slice_of(s, portion, s->group->rank);
  size_t part = 0;
  const real *sum = sum_slices(s, portion, (struct range){0, s->count}, &part);
  real *place = portion->packed + own.first;
  if (sum != place) memcpy(place, sum, own.count * sizeof *sum);
  for (size_t r = 0; r < s->group->size; r++)
    s->counts[r] = slice_of(s, portion, r).count * sizeof *sum;
  return group_gather(s->group, portion->packed, s->counts, error);
}

/* The errand: as long as it lasts, nobody else of this process uses the group. */
static void tell_output(void *context) {
  struct shards *s = context;
  const bool last = s->round + 1 == s->rounds;
  shard_branches_sum_output(&s->branches, &s->output.pieces);
  s->told = exchange_parts(s, &s->output, s->round, &s->error);
  if (s->told == ELMAN_OK && last) s->told = hand_slices_round(s, &s->output, &s->error);
  if (!last) memset(s->output.packed, 0, s->output.pieces.numbers * sizeof(real));
}

static void begin_output(struct shards *s, size_t round) {
  const bool apart = s->output.pieces.numbers > 0;
  for (size_t k = 0; k < s->branches.count; k++)
    s->branches.all[k].awaiting = apart ? s->errand : NULL;
  s->round = round;
  s->told = ELMAN_OK;
  if (apart) errand_begin(s->errand, s->branches.count, s->group->single_thread, tell_output, s);
}

/* The others get the part in work, if this process has one in this round. */
static elman_status tell_part(struct shards *s, size_t round, elman_error *error) {
  if (s->output.pieces.numbers > 0) errand_end(s->errand);
  if (s->told != ELMAN_OK) return fail_again(error, &s->error);
  if (round < s->own_count) gradient_pieces_pack(&s->rest.pieces, s->rest.packed, gradient_of(s));
  return exchange_parts(s, &s->rest, round, error);
}

/* All losses in all processes; or, if a shard of any could not be learnt, that process's error. */
static elman_status gather_results(struct shards *s, elman_status own, elman_error *error) {
  for (size_t r = 0; r < group_size(s->group); r++)
    s->counts[r] = (first_of(s, r + 1) - first_of(s, r)) * sizeof *s->results;
  const elman_status status = group_gather(s->group, s->results, s->counts, error);
  if (status != ELMAN_OK) return status;
  bool failed = false;
  for (size_t i = 0; i < s->count; i++) failed = failed || s->results[i].status != ELMAN_OK;
  return failed ? group_agree(s->group, own, error) : ELMAN_OK;
}

/* After an error of its own a process goes on telling the others what they wait for, until all know
 * of it. */
static elman_status sum_parts(struct shards *s, const struct shard_work *work, elman_error *error) {
  const bool alone = group_size(s->group) == 1;
  elman_status own = ELMAN_OK;
  for (size_t round = 0; round < s->rounds; round++) {
    const bool learns = round < s->own_count && own == ELMAN_OK;
    s->branches.count = 0;
    if (learns) shard_branches_cut(&s->branches, s->parts[s->own_first + round].shards);
    begin_output(s, round);
    if (learns) own = shard_branches_sum(&s->branches, work, error);
    elman_error broken;
    if (!alone && tell_part(s, round, &broken) != ELMAN_OK) return fail_again(error, &broken);
  }
  elman_status status = gather_results(s, own, error);
  if (status != ELMAN_OK || alone) return status;
  status = hand_slices_round(s, &s->rest, error);
  if (status == ELMAN_OK) gradient_pieces_unpack(&s->rest.pieces, gradient_of(s), s->rest.packed);
  return status;
}

elman_status shards_gradient(struct shards *shards, struct losses *losses,
                             const struct optimizer *optimizer, const struct batch *batch,
                             shard_function *function, void *context, elman_error *error) {
  const struct shard_work work = {.batch = batch,
                                  .count = shards->count,
                                  .function = function,
                                  .context = context,
                                  .results = shards->results,
                                  .rest = &shards->rest.pieces,
                                  .output = &shards->output.pieces};
  gradient_pieces_list(&shards->rest.pieces, optimizer);
  gradient_pieces_list(&shards->output.pieces, optimizer);
  const elman_status status = sum_parts(shards, &work, error);
  *losses = (struct losses){0};
  for (size_t i = 0; i < shards->count && status == ELMAN_OK; i++) {
    losses->cross_entropy += shards->results[i].losses.cross_entropy;
    losses->guide += shards->results[i].losses.guide;
  }
  return status;
}
