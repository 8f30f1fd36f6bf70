#include "decoder/output_scores.h"

#include <math.h>

#include "base/team.h"
#include "tensor/blas.h"
#include "tensor/few_rows.h"
#include "tensor/softmax.h"

static size_t divide_up(size_t a, size_t b) {
  return (a + b - 1) / b;
}

void output_scores_take(struct output_scores *scores, struct arena *arena, size_t rows,
                        struct decoder_sizes sizes) {
  scores->V = sizes.vocabulary;
  scores->blocks = divide_up(sizes.vocabulary, SCORES_BLOCK);
  scores->largest = arena_reals(arena, rows, scores->blocks, 1);
  scores->sums = arena_allocate(arena, sizeof(double), rows, scores->blocks, 1);
  scores->log_sums = arena_allocate(arena, sizeof(double), rows, 1, 1);
}

struct job {
  const struct output_scores *scores;
  const real *features;
  const struct decoder_parameters *weights;
  size_t rows, F;
  size_t blocks; /* of a tile */
};

/* Blocks of a tile. A general product copies all features once for every tile, so that with many
 * rows, those of several sentences, which threads share out by themselves, there is one tile only.
 */
static size_t tile_blocks(size_t rows, size_t blocks) {
  enum { MANY_ROWS = 64, TILES = 8 };
  if (rows <= FEW_ROWS) return 1;
  return rows > MANY_ROWS ? blocks : divide_up(blocks, TILES);
}

/* o_t = W_o [d_t ; c_t], for `width` tokens from `first` on                            (9) */
static void multiply(const struct job *job, size_t first, size_t width) {
  const size_t V = job->scores->V, F = job->F;
  const real *weight = job->weights->out_weight + first * F;
  real *logits = job->scores->logits + first;
  if (job->rows <= FEW_ROWS)
    few_rows_kernel_at(0)->run((struct few_rows){logits, V, .add = false}, job->features, weight,
                               job->rows, F, width);
  else
    matrix_product_alone((struct product){logits, V, 0, 1, as_it_is(job->features, F),
                                          transposed(weight, F), job->rows, width, F});
}

/* o_t += b_o, and what the comparison needs */
static void score_block(const struct job *job, size_t row, size_t block) {
  const struct output_scores *scores = job->scores;
  const size_t V = scores->V, at = block * SCORES_BLOCK, to = row * scores->blocks + block;
  const size_t n = V - at < SCORES_BLOCK ? V - at : SCORES_BLOCK;
  const real *bias = job->weights->out_bias + at;
  real *logits = scores->logits + row * V + at;
  for (size_t v = 0; v < n; v++) logits[v] += bias[v];
  scores->largest[to] = maximum(logits, n);
  scores->sums[to] = sum_of_exponentials(logits, scores->largest[to], n);
}

static void score_tile(const void *context, size_t tile) {
  const struct job *job = context;
  const size_t V = job->scores->V, start = tile * job->blocks, rest = job->scores->blocks - start;
  const size_t end = start + (rest < job->blocks ? rest : job->blocks);
  const size_t first = start * SCORES_BLOCK;
  multiply(job, first, (end * SCORES_BLOCK < V ? end * SCORES_BLOCK : V) - first);
  for (size_t row = 0; row < job->rows; row++)
    for (size_t block = start; block < end; block++) score_block(job, row, block);
}

/* log Σ exp over all blocks, each of whose sums is relative to its own maximum      (10) */
static double join(const real *largest, const double *sums, size_t blocks) {
  const double most = (double)maximum(largest, blocks);
  double sum = 0;
  for (size_t i = 0; i < blocks; i++) sum += sums[i] * exp((double)largest[i] - most);
  return most + log(sum);
}

void output_scores_fill(const struct output_scores *scores, const real *features, size_t rows,
                        const struct decoder_parameters *weights, struct decoder_sizes sizes) {
  const struct job job = {scores,
                          features,
                          weights,
                          rows,
                          decoder_feature_size(sizes),
                          tile_blocks(rows, scores->blocks)};
  const size_t tiles = divide_up(scores->blocks, job.blocks);
  const double weight = (double)(scores->V * job.F); /* read once for all rows */
  share_out(tiles, weight * (double)(WORK_OF_SMALL_PRODUCTS + rows), score_tile, &job);
  for (size_t r = 0; r < rows; r++)
    scores->log_sums[r] = join(scores->largest + r * scores->blocks,
                               scores->sums + r * scores->blocks, scores->blocks);
}
