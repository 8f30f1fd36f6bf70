/* Measure the kernels of src/ one by one: bench_kernels THREADS ROUNDS DIVISOR
 *
 * The sizes of vocabularies and layers are divided by DIVISOR; only DIVISOR 1 gives useful figures.
 *
 * Print, for each kernel, the seconds per call in every round, and the work per call, so that work
 * / seconds is a rate in the given unit. A round takes some milliseconds. */
#include <cblas.h>
#include <stdint.h>
#include <string.h>

#include "attention/attention.h"
#include "base/team.h"
#include "bench.h"
#include "fma_peak.h"
#include "rnn/rnn.h"
#include "tensor/blas.h"
#include "tensor/blas_kernels.h"
#include "tensor/cross_entropy.h"
#include "tensor/elementary.h"
#include "tensor/linear.h"
#include "tensor/product.h"
#include "tensor/quantized.h"
#include "train/adam.h"
#include "train/norm.h"

enum { BATCH = 64, SOURCE = 10, TARGET = 11, TOKENS = BATCH * TARGET };

static struct size {
  size_t vocabulary, hidden;
} sizes[] = {{6000, 256}, {6000, 512}, {20000, 512}};

/* ---- timing ---- */

typedef void kernel_function(void *context);

static struct {
  size_t rounds;
  int threads;
  const char *separator;
} bench = {.separator = "\n"};

/* Call the kernel for LEAST seconds; return the seconds per call. */
static double one_round(kernel_function *run, void *context) {
  const double least = 0.005, start = bench_seconds();
  double now;
  size_t calls = 0;
  do {
    run(context);
    calls++;
    now = bench_seconds();
  } while (now - start < least);
  return (now - start) / (double)calls;
}

static void measure(const char *name, double work, const char *unit, int threads,
                    kernel_function *run, void *context) {
  enum { MAX_ROUNDS = 1000 };
  double seconds[MAX_ROUNDS];
  const size_t rounds = bench.rounds < MAX_ROUNDS ? bench.rounds : MAX_ROUNDS;
  struct team *team;
  if (team_create(&team, (size_t)threads, NULL) != ELMAN_OK) bench_fail("out of memory");
  (void)team_use(team);
  run(context);
  for (size_t i = 0; i < rounds; i++) seconds[i] = one_round(run, context);
  (void)team_use(NULL);
  team_free(team);
  printf("%s{\"name\": \"%s, %d thread%s\", \"work\": %.0f, \"unit\": \"%s\", ", bench.separator,
         name, threads, threads > 1 ? "s" : "", work, unit);
  bench_print_seconds(seconds, rounds);
  printf("}");
  bench.separator = ",\n";
}

/* Measure with one thread, and with all threads. */
static void measure_threads(const char *name, double work, const char *unit, kernel_function *run,
                            void *context) {
  measure(name, work, unit, 1, run, context);
  if (bench.threads > 1) measure(name, work, unit, bench.threads, run, context);
}

static real *numbers(size_t n) {
  real *values = bench_allocate(n, sizeof *values);
  for (size_t i = 0; i < n; i++) values[i] = (real)(i * 7919 % 1009) / 1009 - (real)0.5;
  return values;
}

static uint32_t *random_ids(size_t n, size_t vocabulary) {
  uint32_t *ids = bench_allocate(n, sizeof *ids);
  for (size_t i = 0; i < n; i++) ids[i] = (uint32_t)(i * 2654435761U % vocabulary);
  return ids;
}

/* ---- products ---- */

enum { PEAK_STEPS = 10000 };

static void run_peak(void *context) {
  volatile float *sum = context;
  *sum = fma_peak_run(PEAK_STEPS);
}

static void measure_peak(void) {
  volatile float sum = 0;
  measure("peak of fused multiply-add", fma_peak_work(PEAK_STEPS), "GFLOP/s", 1, run_peak,
          (void *)&sum);
}

static void run_own(void *context) {
  const struct product *p = context;
  product_alone(*p);
}

static void run_matrix_product(void *context) {
  const struct product *p = context;
  matrix_product(*p);
}

struct packed_run {
  struct product p;
  struct packed b;
};

static void run_packed(void *context) {
  const struct packed_run *run = context;
  packed_product_then(run->p, &run->b, NULL, NULL);
}

static CBLAS_TRANSPOSE blas_transpose(enum transpose transpose) {
  return transpose == TRANSPOSED ? CblasTrans : CblasNoTrans;
}

static void run_openblas(void *context) {
  const struct product *p = context;
  cblas_sgemm(CblasRowMajor, blas_transpose(p->a.transpose), blas_transpose(p->b.transpose),
              (int)p->m, (int)p->n, (int)p->k, 1, p->a.data, (int)p->a.ld, p->b.data, (int)p->b.ld,
              0, p->c, (int)p->n);
}

static void measure_product(const char *what, enum transpose left, enum transpose right, size_t m,
                            size_t n, size_t k) {
  real *a = numbers(m * k), *b = numbers(k * n);
  struct product p = {.c = numbers(m * n),
                      .ldc = n,
                      .alpha = 1,
                      .a = {a, left == NOT_TRANSPOSED ? k : m, left},
                      .b = {b, right == NOT_TRANSPOSED ? n : k, right},
                      .m = m,
                      .n = n,
                      .k = k,
                      .numerics = numerics_of(ARITHMETIC_FAST, ELMAN_PRECISION_FLOAT32)};
  const double work = 2 * (double)m * (double)n * (double)k;
  char name[128];
  snprintf(name, sizeof name, "%s %zu × %zu × %zu, OpenBLAS", what, m, n, k);
  measure(name, work, "GFLOP/s", 1, run_openblas, &p);
  snprintf(name, sizeof name, "%s %zu × %zu × %zu, matrix_product", what, m, n, k);
  measure_threads(name, work, "GFLOP/s", run_matrix_product, &p);
  snprintf(name, sizeof name, "%s %zu × %zu × %zu, own kernel", what, m, n, k);
  measure(name, work, "GFLOP/s", 1, run_own, &p);
  const size_t size = left == NOT_TRANSPOSED ? packed_size(ARITHMETIC_FAST, 1, n, k) : 0;
  if (size > 0) {
    real *panels = bench_allocate(size, sizeof *panels);
    struct packed_run packed = {p, pack(panels, p.b, 1, n, k, p.numerics)};
    snprintf(name, sizeof name, "%s %zu × %zu × %zu, packed", what, m, n, k);
    measure_threads(name, work, "GFLOP/s", run_packed, &packed);
    free(panels);
  }
  free(a);
  free(b);
  free(p.c);
}

static void measure_output_layer(struct size size) {
  const size_t V = size.vocabulary, F = 2 * size.hidden;
  measure_product("logits", NOT_TRANSPOSED, TRANSPOSED, TOKENS, V, F);
  measure_product("dfeatures", NOT_TRANSPOSED, NOT_TRANSPOSED, TOKENS, F, V);
  measure_product("dW of the output layer", TRANSPOSED, NOT_TRANSPOSED, V, F, TOKENS);
}

static void measure_recurrence(size_t H) {
  measure_product("recurrent step", NOT_TRANSPOSED, TRANSPOSED, BATCH, H, H);
  measure_product("few rows", NOT_TRANSPOSED, TRANSPOSED, 5, 6000, 2 * H);
  measure_product("one row", NOT_TRANSPOSED, TRANSPOSED, 1, 6000, 2 * H);
  measure_product("recurrent step back", NOT_TRANSPOSED, NOT_TRANSPOSED, BATCH, H, H);
}

/* ---- eight bits ---- */

/* The sums of BATCH rows of features (BATCH, 4 groups) for all blocks of weights. */
struct eight_bit_sums {
  const struct quantized_kernel *kernel;
  uint8_t *features;
  int8_t *weights; /* (blocks, 64 outputs, 4 groups) */
  size_t blocks, groups;
};

static void run_eight_bits(void *context) {
  const struct eight_bit_sums *s = context;
  int32_t sums[QUANTIZED_ROWS * QUANTIZED_BLOCK];
  for (size_t block = 0; block < s->blocks; block++) {
    for (size_t r = 0; r < BATCH; r += s->kernel->rows) {
      const size_t rows = BATCH - r < s->kernel->rows ? BATCH - r : s->kernel->rows;
      s->kernel->product(sums, s->features + r * 4 * s->groups, rows,
                         s->weights + block * QUANTIZED_BLOCK * 4 * s->groups, s->groups);
    }
  }
}

static void measure_eight_bits(size_t in, size_t out) {
  const size_t groups = quantized_groups(in), blocks = out / QUANTIZED_BLOCK;
  struct eight_bit_sums s = {quantized_kernel_at(0), bench_allocate(BATCH, 4 * groups),
                             bench_allocate(blocks * QUANTIZED_BLOCK, 4 * groups), blocks, groups};
  char name[128];
  snprintf(name, sizeof name, "eight bits, %zu to %zu, %s", in, out, s.kernel->name);
  memset(s.features, 3, BATCH * 4 * groups);
  memset(s.weights, 5, blocks * QUANTIZED_BLOCK * 4 * groups);
  measure(name, (double)(blocks * QUANTIZED_BLOCK * in) * BATCH, "G multiplications/s", 1,
          run_eight_bits, &s);
  free(s.features);
  free(s.weights);
}

/* ---- one sentence: a matrix times a vector ---- */

struct single {
  real *y, *x, *weight;
  size_t in, out;
};

static void run_single(void *context) {
  const struct single *s = context;
  linear_forward(s->y, s->x,
                 (struct linear){.weight = s->weight,
                                 .in = s->in,
                                 .out = s->out,
                                 .numerics = numerics_of(ARITHMETIC_FAST, ELMAN_PRECISION_FLOAT32)},
                 1);
}

static void measure_single(size_t in, size_t out) {
  struct single s = {numbers(out), numbers(in), numbers(in * out), in, out};
  char name[128];
  snprintf(name, sizeof name, "one row, %zu to %zu", in, out);
  measure_threads(name, (double)(in * out * sizeof(real)), "GB/s", run_single, &s);
  free(s.y);
  free(s.x);
  free(s.weight);
}

/* ---- element by element ---- */

struct elements {
  real *y, *x;
  size_t n;
};

static void run_exp(void *context) {
  const struct elements *e = context;
  for (size_t i = 0; i < e->n; i++) e->y[i] = exp_real(e->x[i]);
}

static void run_tanh(void *context) {
  const struct elements *e = context;
  for (size_t i = 0; i < e->n; i++) e->y[i] = tanh_real(e->x[i]);
}

static void measure_elementary(void) {
  enum { COUNT = 4096 }; /* stay in the first cache */
  struct elements e = {numbers(COUNT), numbers(COUNT), COUNT};
  measure("exp", COUNT, "G numbers/s", 1, run_exp, &e);
  measure("tanh", COUNT, "G numbers/s", 1, run_tanh, &e);
  free(e.y);
  free(e.x);
}

/* ---- loss ---- */

enum { TILE_ROWS = 352, TILE_COLUMNS = 752 };

struct loss {
  real *logits;
  uint32_t *targets;
};

/* Repeated calls use their own result as logits, which does not change the time. */
static void run_loss(void *context) {
  const struct loss *l = context;
  const struct cross_entropy_task task = {l->targets, TILE_ROWS,           TILE_COLUMNS,
                                          0,          (real)1 / TILE_ROWS, 0};
  struct softmax_part part[TILE_ROWS];
  double losses[TILE_ROWS];
  cross_entropy_part(part, l->logits, NULL, task, 0, TILE_COLUMNS);
  cross_entropy_join(losses, part, 1, task);
  cross_entropy_gradient(l->logits, NULL, part, task, 0, TILE_COLUMNS);
}

static void measure_loss(void) {
  struct loss l = {numbers((size_t)TILE_ROWS * TILE_COLUMNS), random_ids(TILE_ROWS, TILE_COLUMNS)};
  measure("a tile of logits: softmax, cross-entropy and its gradient",
          (double)TILE_ROWS * TILE_COLUMNS, "G numbers/s", 1, run_loss, &l);
  free(l.logits);
  free(l.targets);
}

/* ---- optimizer ---- */

struct adam {
  real *weights, *m, *v, *gradients;
  size_t n;
  uint64_t update;
};

/* The first call sets the gradients to 0, which does not change the time. */
static void run_adam(void *context) {
  struct adam *a = context;
  const struct adam_step step = adam_step_of(adam_options_default(), 0.001, ++a->update);
  adam_update(a->weights, a->m, a->v, a->gradients, a->n, &step);
}

static void run_norm(void *context) {
  const struct adam *a = context;
  volatile double norm = sum_of_squares(a->gradients, a->n);
  (void)norm;
}

static void measure_adam(struct size size) {
  const size_t n = size.vocabulary * size.hidden * 4;
  struct adam a = {
      numbers(n), bench_allocate(n, sizeof(real)), bench_allocate(n, sizeof(real)), numbers(n), n,
      0};
  char name[128];
  snprintf(name, sizeof name, "Adam, %zu weights", n);
  measure_threads(name, (double)n, "G numbers/s", run_adam, &a);
  snprintf(name, sizeof name, "norm, %zu gradients", n);
  measure_threads(name, (double)n, "G numbers/s", run_norm, &a);
  free(a.weights);
  free(a.m);
  free(a.v);
  free(a.gradients);
}

/* ---- embedding ---- */

struct embedding {
  real *dtable, *dx;
  uint32_t *ids;
  struct embedding_pass pass;
};

static void run_embedding(void *context) {
  const struct embedding *e = context;
  embedding_backward(e->dtable, e->dx, &e->pass, (struct range){0, SOURCE});
}

static void measure_embedding(struct size size, const size_t *lengths) {
  const size_t rows = SOURCE * BATCH, H = size.hidden;
  struct embedding e = {numbers(size.vocabulary * H),
                        numbers(rows * H),
                        random_ids(rows, size.vocabulary),
                        {.lengths = lengths, .batch = BATCH, .size = H, .row = H}};
  e.pass.ids = e.ids;
  char name[128];
  snprintf(name, sizeof name, "V %zu, H %zu: embedding back", size.vocabulary, H);
  measure_threads(name, (double)(rows * H), "G numbers/s", run_embedding, &e);
  free(e.dtable);
  free(e.dx);
  free(e.ids);
}

/* ---- attention ---- */

struct attention {
  struct attention_shape shape;
  size_t size;
  struct attention_arrays cache, scratch;
  real *queries, *keys, *dqueries, *dkeys, *dcontext;
};

static struct attention_parameters no_weights;

static struct attention_pass pass_of(const struct attention *a) {
  return (struct attention_pass){
      .layer = {.config = {.kind = ATTENTION_DOT, .size = a->size, .heads = 1},
                .weights = &no_weights},
      .shape = a->shape,
      .cache = a->cache,
      .queries = a->queries,
      .keys = a->keys,
      .values = a->keys};
}

static void run_attention(void *context) {
  const struct attention *a = context;
  const struct attention_pass pass = pass_of(a);
  attention_forward(&pass, (struct range){0, a->shape.queries});
}

static void run_attention_back(void *context) {
  const struct attention *a = context;
  const struct attention_pass pass = pass_of(a);
  const struct attention_gradients d = {a->dqueries, a->dkeys,   a->dkeys,
                                        &no_weights, a->scratch, a->dcontext};
  attention_backward(&d, &pass, (struct range){0, a->shape.queries});
}

static void measure_attention(size_t H, const size_t *source, const size_t *target) {
  no_weights.numerics = numerics_of(ARITHMETIC_FAST, ELMAN_PRECISION_FLOAT32);
  struct attention a = {
      .shape = {.queries = TARGET,
                .keys = SOURCE,
                .batch = BATCH,
                .query_lengths = target,
                .key_lengths = source},
      .size = H,
      .cache = {.context = numbers(TOKENS * H), .weights = numbers(TOKENS * SOURCE)},
      .scratch = {.weights = numbers(TOKENS * SOURCE)},
      .queries = numbers(TOKENS * H),
      .keys = numbers(SOURCE * BATCH * H),
      .dqueries = numbers(TOKENS * H),
      .dkeys = numbers(SOURCE * BATCH * H),
      .dcontext = numbers(TOKENS * H)};
  const double work = 4.0 * TOKENS * SOURCE * (double)H;
  char name[128];
  snprintf(name, sizeof name, "H %zu: attention", H);
  measure_threads(name, work, "GFLOP/s", run_attention, &a);
  snprintf(name, sizeof name, "H %zu: attention back", H);
  measure_threads(name, 2 * work, "GFLOP/s", run_attention_back, &a);
  real *const all[] = {a.cache.context, a.cache.weights, a.scratch.weights, a.queries,
                       a.keys,          a.dqueries,      a.dkeys,           a.dcontext};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
}

int main(int argc, char **argv) {
  if (argc != 4) bench_fail("usage: bench_kernels THREADS ROUNDS DIVISOR");
  bench.threads = (int)bench_size(argv[1]);
  bench.rounds = bench_size(argv[2]);
  if (bench.threads < 1 || bench.rounds < 1) bench_fail("THREADS and ROUNDS are at least 1");
  const size_t divisor = bench_size(argv[3]);
  if (divisor < 1 || divisor > 64) bench_fail("DIVISOR is 1 to 64");
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    sizes[i].vocabulary /= divisor;
    sizes[i].hidden /= divisor;
  }
  blas_set_up();
  const unsigned state = denormals_to_zero();

  size_t source[BATCH], target[BATCH];
  for (size_t b = 0; b < BATCH; b++) {
    source[b] = SOURCE;
    target[b] = TARGET;
  }
  printf("{\"kernels\": [");
  measure_peak();
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) measure_output_layer(sizes[i]);
  measure_recurrence(256 / divisor);
  measure_recurrence(512 / divisor);
  measure_single(128 / divisor, 128 / divisor);
  measure_single(512 / divisor, 6000 / divisor);
  measure_single(1024 / divisor, 20000 / divisor);
  measure_eight_bits(512 / divisor, 6000 / divisor);
  measure_elementary();
  measure_loss();
  measure_adam(sizes[0]);
  measure_embedding(sizes[0], source);
  measure_embedding(sizes[2], source);
  measure_attention(256 / divisor, source, target);
  measure_attention(512 / divisor, source, target);
  printf("\n]}\n");
  denormals_restore(state);
  return 0;
}
