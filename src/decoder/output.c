#include "decoder/output.h"

#include "base/portable_math.h"
#include "base/team.h"
#include "tensor/blas.h"
#include "tensor/elementary.h"
#include "tensor/few_rows.h"
#include "tensor/linear.h"
#include "tensor/softmax.h"

static size_t divide_up(size_t a, size_t b) {
  return (a + b - 1) / b;
}

/* ---- features to logits to losses ---- */

void output_logits(real *logits, const real *features, size_t rows,
                   const struct decoder_parameters *weights) {
  const size_t V = weights->sizes.vocabulary, F = weights->sizes.features;
  /* o_t = W_o [d_t ; c_t] + b_o                                                      (9) */
  linear_forward(logits, features,
                 (struct linear){.weight = weights->out_weight,
                                 .bias = weights->out_bias,
                                 .in = F,
                                 .out = V,
                                 .numerics = weights->numerics},
                 rows);
}

size_t output_block(size_t tokens, size_t copies) {
  enum { MAX_ROWS = 384 };
  const size_t blocks = divide_up(tokens, MAX_ROWS);
  return blocks <= 1 ? tokens : divide_up(divide_up(tokens, blocks), copies) * copies;
}

void output_losses(const struct output_pass *pass) {
  const size_t V = pass->weights->sizes.vocabulary, F = pass->weights->sizes.features;
  for (size_t first = 0; first < pass->tokens; first += pass->block) {
    const size_t left = pass->tokens - first, rows = left < pass->block ? left : pass->block;
    output_logits(pass->logits, pass->features + first * F, rows, pass->weights);
    cross_entropy_forward(pass->losses + first, pass->logits, pass->labels + first, pass->smoothing,
                          rows, V);
  }
}

/* ---- logits, losses and gradients in tiles ---- */

/* Return tiles whose logits fit in the second-level cache. Tiles have at least MIN_WIDTH columns,
 * because narrower products would be slow. */
struct output_tiles output_tiles_of(size_t rows, struct decoder_sizes sizes) {
  enum { TILE_NUMBERS = 320 << 10, MIN_WIDTH = 128, UNIT = 16, GROUPS = 4 };
  const size_t V = sizes.vocabulary, F = sizes.features;
  const struct output_tiles one = {V, 1, 1};
  if (!is_worth_sharing((double)(rows * F) * (double)V)) return one;
  const size_t max_groups = V / MIN_WIDTH < GROUPS ? V / MIN_WIDTH : (size_t)GROUPS;
  if (max_groups <= 1) return one;
  const size_t wanted =
      divide_up(divide_up(V, divide_up(TILE_NUMBERS, rows)), max_groups) * max_groups;
  const size_t even = divide_up(divide_up(V, wanted), UNIT) * UNIT;
  const size_t width = even < MIN_WIDTH ? (size_t)MIN_WIDTH : even;
  const size_t count = divide_up(V, width), each = divide_up(count, max_groups);
  return (struct output_tiles){width, count, divide_up(count, each)};
}

void output_allocate(struct output_scratch *scratch, struct arena *arena, size_t rows,
                     size_t copies, struct decoder_sizes sizes) {
  scratch->tiles = output_tiles_of(rows, sizes);
  scratch->parts = arena_allocate(arena, sizeof *scratch->parts, scratch->tiles.count, rows, 1);
  scratch->differences =
      copies == 1 ? NULL : arena_reals(arena, rows / copies, sizes.vocabulary, 1);
  scratch->features = arena_reals(arena, scratch->tiles.groups - 1, rows, sizes.features);
}

/* A block of rows of a batch, and the tile of columns that is being computed. */
struct block {
  struct cross_entropy_task loss; /* computes the losses of n rows */
  const struct output_pass *pass;
  const real *features; /* (n,F) */
  real *dfeatures;      /* (n,F) */
  const struct output_scratch *scratch;
  const struct decoder_parameters *gradients;
  size_t F;
};

struct tile {
  size_t first, width; /* range of columns */
  real *logits;        /* (n,width) */
  real *differences;   /* with R-Drop (n / 2,width); else NULL */
  struct softmax_part *part;
};

static struct tile tile_of(const struct block *block, size_t k) {
  const size_t V = block->loss.v, n = block->loss.n, width = block->scratch->tiles.width;
  const size_t first = k * width, left = V - first;
  real *differences = block->scratch->differences;
  return (struct tile){first, left < width ? left : width, block->pass->logits + n * first,
                       differences == NULL ? NULL : differences + n / 2 * first,
                       block->scratch->parts + k * n};
}

/* Compute a matrix product. With a single tile, use all threads for the product; with several
 * tiles, use one thread for each product. */
static void multiply(const struct block *block, struct product p) {
  if (block->scratch->tiles.count == 1)
    matrix_product(p);
  else
    matrix_product_alone(p);
}

/* o_t = W_o [d_t ; c_t] + b_o                                                  (9), (10) */
static void forward_tile(const void *context, size_t k) {
  const struct block *block = context;
  const struct tile tile = tile_of(block, k);
  const struct decoder_parameters *w = block->pass->weights;
  const size_t n = block->loss.n, F = block->F;
  bias_forward(tile.logits, w->out_bias + tile.first, n, tile.width);
  multiply(block,
           (struct product){tile.logits, tile.width, 1, 1, not_transposed(block->features, F),
                            transposed(w->out_weight + tile.first * F, F), n, tile.width, F,
                            w->numerics});
  cross_entropy_part(tile.part, tile.logits, tile.differences, block->loss, tile.first, tile.width);
}

/* dfeatures (n,F) = beta dfeatures + contribution of the tile */
static void backward_tile(const struct block *block, size_t k, real *dfeatures, real beta) {
  const struct tile tile = tile_of(block, k);
  const size_t n = block->loss.n, F = block->F, at = tile.first * F;
  cross_entropy_gradient(tile.logits, tile.differences, tile.part, block->loss, tile.first,
                         tile.width); /* (12), (99) */
  /* dW_o += Σ do_t [d_t ; c_t]ᵀ, db_o += Σ do_t                                     (13) */
  bias_backward(block->gradients->out_bias + tile.first, tile.logits, tile.width, n, tile.width);
  multiply(block,
           (struct product){block->gradients->out_weight + at, F, 1, 1,
                            transposed(tile.logits, tile.width), not_transposed(block->features, F),
                            tile.width, F, n, block->pass->weights->numerics});
  /* [dd_t ; dc_t] = W_oᵀ do_t                                                        (14) */
  multiply(block, (struct product){dfeatures, F, beta, 1, not_transposed(tile.logits, tile.width),
                                   not_transposed(block->pass->weights->out_weight + at, F), n, F,
                                   tile.width, block->pass->weights->numerics});
}

static void backward_group(const void *context, size_t group) {
  const struct block *block = context;
  const struct output_tiles tiles = block->scratch->tiles;
  const size_t each = divide_up(tiles.count, tiles.groups), size = block->loss.n * block->F;
  real *sum = group == 0 ? block->dfeatures : block->scratch->features + (group - 1) * size;
  for (size_t k = group * each; k < tiles.count && k < (group + 1) * each; k++)
    backward_tile(block, k, sum, k == group * each ? 0 : 1);
}

/* Sum one row of the features' gradient over all groups. */
static void add_groups(const void *context, size_t i) {
  const struct block *block = context;
  const size_t groups = block->scratch->tiles.groups, size = block->loss.n * block->F;
  real *row = block->dfeatures + i * block->F;
  const real *other = block->scratch->features + i * block->F;
  for (size_t g = 1; g < groups; g++, other += size)
    for (size_t j = 0; j < block->F; j++) row[j] += other[j];
}

void output_gradient(const struct decoder_parameters *gradients, real *dfeatures,
                     const struct output_scratch *scratch, const struct output_pass *pass) {
  const size_t F = pass->weights->sizes.features;
  const struct output_tiles tiles = scratch->tiles;
  for (size_t first = 0; first < pass->tokens; first += pass->block) {
    const size_t left = pass->tokens - first, rows = left < pass->block ? left : pass->block;
    const struct block block = {.loss = {pass->labels + first, rows,
                                         pass->weights->sizes.vocabulary, pass->smoothing,
                                         1 / (real)pass->mean_of, (real)(pass->r_drop / 2)},
                                .pass = pass,
                                .features = pass->features + first * F,
                                .dfeatures = dfeatures + first * F,
                                .scratch = scratch,
                                .gradients = gradients,
                                .F = F};
    team_run(forward_tile, &block, tiles.count);
    cross_entropy_join(pass->losses + first, scratch->parts, tiles.count, block.loss);
    team_run(backward_group, &block, tiles.groups);
    const double added = (double)(tiles.groups - 1) * (double)(rows * F);
    if (added > 0) share_out(rows, WORK_OF_NUMBER * added, add_groups, &block);
  }
}

/* ---- logits, maxima and sums, for search ---- */

void output_scores_allocate(struct output_scores *scores, struct arena *arena, size_t rows,
                            struct decoder_sizes sizes) {
  scores->V = sizes.vocabulary;
  scores->blocks = divide_up(sizes.vocabulary, SCORES_BLOCK);
  scores->largest = arena_reals(arena, rows, scores->blocks, 1);
  scores->sums = arena_allocate(arena, sizeof(double), rows, scores->blocks, 1);
  scores->log_sums = arena_allocate(arena, sizeof(double), rows, 1, 1);
  eight_bit_features_allocate(&scores->features, arena, rows, sizes.features);
}

struct score_job {
  const struct output_scores *scores;
  const real *features;
  const struct decoder_parameters *weights;
  size_t rows, F;
  size_t blocks; /* number of blocks per tile */
};

/* Return the number of blocks in a tile. A general matrix product copies all features once per
 * tile. Therefore use a single tile for many rows. Many rows belong to several sentences, which the
 * threads share. A product in eight bits copies nothing. */
static size_t tile_blocks(size_t rows, size_t blocks, bool in_eight_bits) {
  enum { MANY_ROWS = 64, TILES = 8 };
  if (rows <= FEW_ROWS || in_eight_bits) return 1;
  return rows > MANY_ROWS ? blocks : divide_up(blocks, TILES);
}

/* o_t = W_o [d_t ; c_t], for `width` tokens beginning with `first`; in eight bits, with the bias
 * (9) */
static void multiply_rows(const struct score_job *job, size_t first, size_t width) {
  const size_t V = job->scores->V, F = job->F;
  const real *weight = job->weights->out_weight + first * F;
  real *logits = job->scores->logits + first;
  const struct numerics *numerics = numerics_required(job->weights->numerics);
  if (numerics->eight_bits != NULL)
    eight_bit_product_alone(
        (struct eight_bit_results){.rows = logits, .ld = V, .bias = job->weights->out_bias + first},
        job->scores->features, eight_bits_find(numerics->eight_bits, weight, width), job->rows);
  else if (job->rows <= FEW_ROWS && numerics->arithmetic == ARITHMETIC_FAST)
    few_rows_kernel_at(0)->run((struct few_rows){logits, V, .add = false}, job->features, weight,
                               job->rows, F, width);
  else
    matrix_product_alone((struct product){logits, V, 0, 1, not_transposed(job->features, F),
                                          transposed(weight, F), job->rows, width, F,
                                          numerics_in_float32(numerics)});
}

/* Return 0, or NaN if a number is infinite or NaN. */
static double sum_of_differences(const real *row, size_t n) {
  real lanes[MANY_LANES] = {0};
  size_t i = 0;
  for (; i + MANY_LANES <= n; i += MANY_LANES)
    for (size_t l = 0; l < MANY_LANES; l++) lanes[l] += row[i + l] - row[i + l];
  for (; i < n; i++) lanes[0] += row[i] - row[i];
  for (size_t half = MANY_LANES / 2; half > 0; half /= 2)
    for (size_t l = 0; l < half; l++) lanes[l] += lanes[l + half];
  return (double)lanes[0];
}

/* Add the bias, unless it is already added: o_t += b_o. Compute the block's maximum and its
 * Σ exp. */
static void score_block(const struct score_job *job, size_t row, size_t block) {
  const struct output_scores *scores = job->scores;
  const size_t V = scores->V, first = block * SCORES_BLOCK, to = row * scores->blocks + block;
  const size_t n = V - first < SCORES_BLOCK ? V - first : SCORES_BLOCK;
  const real *bias = job->weights->out_bias + first;
  real *logits = scores->logits + row * V + first;
  if (job->weights->numerics->eight_bits == NULL)
    for (size_t v = 0; v < n; v++) logits[v] += bias[v];
  scores->largest[to] = maximum(logits, n);
  scores->sums[to] = scores->without_sums
                         ? sum_of_differences(logits, n)
                         : sum_of_some_exponentials(logits, scores->largest[to], n);
}

static void score_tile(const void *context, size_t tile) {
  const struct score_job *job = context;
  const size_t V = job->scores->V, start = tile * job->blocks, rest = job->scores->blocks - start;
  const size_t end = start + (rest < job->blocks ? rest : job->blocks);
  const size_t first = start * SCORES_BLOCK;
  multiply_rows(job, first, (end * SCORES_BLOCK < V ? end * SCORES_BLOCK : V) - first);
  for (size_t row = 0; row < job->rows; row++)
    for (size_t block = start; block < end; block++) score_block(job, row, block);
}

/* Compute log Σ exp of a row from all its blocks, whose sums are relative to their own maxima
 * (10) */
static void join_blocks(const void *context, size_t row) {
  const struct output_scores *scores = ((const struct score_job *)context)->scores;
  const size_t blocks = scores->blocks;
  const real *largest = scores->largest + row * blocks, peak = maximum(largest, blocks);
  const double *sums = scores->sums + row * blocks;
  double sum = 0;
  for (size_t i = 0; i < blocks; i++)
    sum += scores->without_sums ? sums[i] : sums[i] * (double)exp_real(largest[i] - peak);
  scores->log_sums[row] = (double)peak + (scores->without_sums ? sum : portable_log(sum));
}

void output_scores_fill(const struct output_scores *scores, const real *features, size_t rows,
                        const struct decoder_parameters *weights) {
  const struct eight_bits *set = numerics_required(weights->numerics)->eight_bits;
  const size_t F = weights->sizes.features;
  const struct score_job job = {scores, features, weights,
                                rows,   F,        tile_blocks(rows, scores->blocks, set != NULL)};
  if (set != NULL) eight_bit_features_fill(scores->features, set->kernel, features, F, rows);
  const size_t tiles = divide_up(scores->blocks, job.blocks);
  const double weight = (double)(scores->V * job.F); /* the weights are read once for all rows */
  share_out(tiles, weight * (double)(WORK_OF_SMALL_PRODUCTS + rows), score_tile, &job);
  share_out(rows, WORK_OF_FUNCTION * (double)(rows * scores->blocks), join_blocks, &job);
}
