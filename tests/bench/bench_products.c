/* Measure the matrix products of one update of the default model alone:
 *
 *   bench_products V H BATCH SOURCE_STEPS TARGET_STEPS THREADS ROUNDS
 *
 * Shapes, transpositions and number of products are those of forward and backward pass, with
 * OpenBLAS on one thread. If THREADS is above one, each thread runs all products on its own
 * matrices at the same time, and the time of a round is divided by THREADS. The result is the rate
 * of THREADS cores without waiting. Also print the multiplications and additions of an update, and
 * the rate of a large square product. */
#include <cblas.h>
#include <pthread.h>
#include <stdbool.h>

#include "bench.h"

struct product {
  size_t m, n, k, count;
  CBLAS_TRANSPOSE left, right;
};

struct list {
  struct product products[32];
  size_t count;
};

/* Add y (n,out) = x Wᵀ, dx = dy W and dW = dyᵀ x for `rows` rows, `times` times. */
static void add_linear(struct list *list, size_t rows, size_t in, size_t out, size_t times) {
  struct product *next = list->products + list->count;
  next[0] = (struct product){rows, out, in, times, CblasNoTrans, CblasTrans};
  next[1] = (struct product){rows, in, out, times, CblasNoTrans, CblasNoTrans};
  next[2] = (struct product){out, in, rows * times, 1, CblasTrans, CblasNoTrans};
  list->count += 3;
}

/* Add both products of a sentence's attention, T × S × H, and those of their backward passes. */
static void add_attention(struct list *list, size_t S, size_t T, size_t H, size_t batch) {
  struct product *next = list->products + list->count;
  next[0] = (struct product){T, S, H, 2 * batch, CblasNoTrans, CblasTrans};   /* u; da */
  next[1] = (struct product){T, H, S, 2 * batch, CblasNoTrans, CblasNoTrans}; /* c; dd */
  next[2] = (struct product){S, H, T, 2 * batch, CblasTrans, CblasNoTrans};   /* de, twice */
  list->count += 3;
}

static struct list update_of(size_t V, size_t H, size_t batch, size_t S, size_t T) {
  struct list list = {.count = 0};
  add_linear(&list, S * batch, H, H, 1); /* W_ih of the encoder */
  add_linear(&list, batch, H, H, S);     /* W_hh */
  add_linear(&list, T * batch, H, H, 1); /* of the decoder */
  add_linear(&list, batch, H, H, T);
  add_attention(&list, S, T, H, batch);
  add_linear(&list, T * batch, 2 * H, V, 1); /* the output layer */
  return list;
}

static double operations(const struct list *list) {
  double sum = 0;
  for (size_t i = 0; i < list->count; i++) {
    const struct product *p = list->products + i;
    sum += 2 * (double)p->m * (double)p->n * (double)p->k * (double)p->count;
  }
  return sum;
}

struct operands {
  float *a, *b, *c;
};

static float *numbers(size_t n) {
  float *values = bench_allocate(n, sizeof *values);
  for (size_t i = 0; i < n; i++) values[i] = (float)(i % 1009) / 1009 - 0.5F;
  return values;
}

static struct operands operands_for(const struct list *list) {
  size_t a = 0, b = 0, c = 0;
  for (size_t i = 0; i < list->count; i++) {
    const struct product *p = list->products + i;
    if (p->m * p->k > a) a = p->m * p->k;
    if (p->k * p->n > b) b = p->k * p->n;
    if (p->m * p->n > c) c = p->m * p->n;
  }
  return (struct operands){numbers(a), numbers(b), numbers(c)};
}

static void run(const struct list *list, struct operands x) {
  for (size_t i = 0; i < list->count; i++) {
    const struct product *p = list->products + i;
    const int lda = (int)(p->left == CblasNoTrans ? p->k : p->m);
    const int ldb = (int)(p->right == CblasNoTrans ? p->n : p->k);
    for (size_t j = 0; j < p->count; j++) {
      /* For one row, BLAS has a faster function: a matrix times a vector. */
      if (p->m == 1) {
        const bool turned = p->right == CblasTrans;
        cblas_sgemv(CblasRowMajor, turned ? CblasNoTrans : CblasTrans, (int)(turned ? p->n : p->k),
                    (int)(turned ? p->k : p->n), 1, x.b, ldb, x.a, 1, 0, x.c, 1);
        continue;
      }
      cblas_sgemm(CblasRowMajor, p->left, p->right, (int)p->m, (int)p->n, (int)p->k, 1, x.a, lda,
                  x.b, ldb, 0, x.c, (int)p->n);
    }
  }
}

/* Shared by the threads, which start each round together. */
struct measurement {
  double *seconds;
  size_t rounds;
  const struct list *list;
  size_t threads;
  pthread_barrier_t barrier;
};

static void *run_rounds(void *context) {
  struct measurement *all = context;
  const struct operands x = operands_for(all->list);
  run(all->list, x);
  for (size_t i = 0; i < all->rounds; i++) {
    pthread_barrier_wait(&all->barrier);
    const double start = bench_seconds();
    run(all->list, x);
    if (pthread_barrier_wait(&all->barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
      all->seconds[i] = (bench_seconds() - start) / (double)all->threads;
  }
  free(x.a);
  free(x.b);
  free(x.c);
  return NULL;
}

/* Measure the seconds of one list at the rate of `threads` cores. */
static void measure(double *seconds, size_t rounds, const struct list *list, size_t threads) {
  struct measurement all = {seconds, rounds, list, threads, {{0}}};
  pthread_t *ids = bench_allocate(threads, sizeof *ids);
  pthread_barrier_init(&all.barrier, NULL, (unsigned)threads);
  for (size_t i = 1; i < threads; i++) {
    if (pthread_create(&ids[i], NULL, run_rounds, &all) != 0) bench_fail("no more threads");
  }
  (void)run_rounds(&all);
  for (size_t i = 1; i < threads; i++) pthread_join(ids[i], NULL);
  pthread_barrier_destroy(&all.barrier);
  free(ids);
}

int main(int argc, char **argv) {
  enum { MAX_ROUNDS = 1000, SQUARE = 1536 };
  if (argc != 8)
    bench_fail("usage: bench_products V H BATCH SOURCE_STEPS TARGET_STEPS THREADS ROUNDS");
  const size_t threads = bench_size(argv[6]);
  const size_t rounds = bench_size(argv[7]);
  if (threads < 1 || rounds < 1 || rounds > MAX_ROUNDS)
    bench_fail("THREADS must be at least 1, ROUNDS from 1 to 1000");
  openblas_set_num_threads(1);
  const struct list update =
      update_of(bench_size(argv[1]), bench_size(argv[2]), bench_size(argv[3]), bench_size(argv[4]),
                bench_size(argv[5]));
  const struct list square = {{{SQUARE, SQUARE, SQUARE, 1, CblasNoTrans, CblasNoTrans}}, 1};
  double seconds[MAX_ROUNDS], squares[3], best;
  measure(seconds, rounds, &update, threads);
  measure(squares, 3, &square, threads);
  best = squares[0];
  for (size_t i = 1; i < 3; i++) best = squares[i] < best ? squares[i] : best;
  printf("{\"kernels\": \"%s\", \"operations\": %.0f, \"square_gflops\": %.1f, ",
         openblas_get_corename(), operations(&update), operations(&square) / best * 1e-9);
  bench_print_seconds(seconds, rounds);
  printf("}\n");
  return 0;
}
