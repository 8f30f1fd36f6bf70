/* Measure updates of one machine of a cluster, with a network that is simulated by sleeping:
 *
 *   bench_node PAIRS.tsv HIDDEN BATCH UPDATES THREADS SHARDS NODES MBITS
 *
 * The other machines are assumed to have equal results: the bytes sent to them return after LATENCY
 * and the time that MBITS megabits per second take, in both directions at once. Copying the bytes
 * stands for the processor time of network operations.
 *
 * Every second update sends nothing while it computes. Print the seconds of UPDATES updates of each
 * kind; the seconds of network time in an update; and the seconds from the start of the first
 * exchange to that of the first one after computing. With a fast network, the last figure is the
 * time of computing that overlaps with sending. MBITS 0: the network takes no time. */
#include <pthread.h>
#include <string.h>

#include "bench_training.h"

static const double LATENCY = 50e-6;

struct network {
  elman_group group;
  double bytes_a_second;
  pthread_t computes; /* the thread that called the library */
  double exchanging;  /* seconds in this update */
  double begun;       /* start of the first exchange by another thread; 0 = none yet */
  double behind;      /* seconds of computing after `begun` */
};

enum { KINDS = 2 };

struct times {
  double *seconds[KINDS]; /* (most): with sending while it computes, and without */
  double *exchanging, *behind;
  size_t count, most;
  double last;
  struct network *network;
};

static double larger(double a, double b) {
  return a > b ? a : b;
}

static void sleep_until(double time) {
  const double left = time - bench_seconds();
  if (left <= 0) return;
  const time_t seconds = (time_t)left;
  nanosleep(&(struct timespec){seconds, (long)(1e9 * (left - (double)seconds))}, NULL);
}

static elman_status exchange(void *context, const elman_bytes *send, const elman_bytes *receive,
                             elman_error *error) {
  struct network *network = context;
  const bool meanwhile = !pthread_equal(pthread_self(), network->computes);
  const double start = bench_seconds();
  double sent = 0, received = 0;
  (void)error;
  if (meanwhile && network->begun == 0) network->begun = start;
  if (!meanwhile && network->begun > 0) {
    network->behind = start - network->begun;
    network->begun = 0;
  }
  for (size_t r = 0; r < network->group.size; r++) {
    const size_t count = send[r].count < receive[r].count ? send[r].count : receive[r].count;
    if (count > 0) memcpy(receive[r].data, send[r].data, count);
    if (r == network->group.rank) continue;
    sent += (double)send[r].count;
    received += (double)receive[r].count;
  }
  if (network->bytes_a_second == 0) return ELMAN_OK;
  const double takes = LATENCY + larger(sent, received) / network->bytes_a_second;
  network->exchanging += takes;
  sleep_until(start + takes);
  return ELMAN_OK;
}

static bool note(void *context, const elman_train_report *report) {
  struct times *times = context;
  struct network *network = times->network;
  const double now = bench_seconds();
  (void)report;
  if (times->last > 0) {
    const size_t i = times->count++ / KINDS;
    times->seconds[network->group.single_thread][i] = now - times->last;
    times->exchanging[i] = network->exchanging;
    times->behind[i] = network->behind;
    network->group.single_thread = !network->group.single_thread;
  }
  network->exchanging = 0;
  times->last = now;
  return times->count < KINDS * times->most;
}

int main(int argc, char **argv) {
  if (argc != 9)
    bench_fail("usage: bench_node PAIRS.tsv HIDDEN BATCH UPDATES THREADS SHARDS NODES MBITS");
  const elman_model_options shape = bench_shape(argv[2]);
  struct bench_training training = bench_training(argv[1], &shape);
  elman_error error = {0};

  struct network network = {.bytes_a_second = 1e6 / 8 * (double)bench_size(argv[8]),
                            .computes = pthread_self()};
  network.group = (elman_group){
      .rank = 0, .size = bench_size(argv[7]), .exchange = exchange, .context = &network};
  struct times times = {.most = bench_size(argv[4]), .network = &network};
  double **const lists[] = {&times.seconds[0], &times.seconds[1], &times.exchanging, &times.behind};
  static const char *const names[] = {"meanwhile", "apart", "exchanging", "behind"};
  for (size_t i = 0; i < 4; i++) *lists[i] = bench_allocate(times.most, sizeof **lists[i]);
  elman_train_options options = elman_train_options_default();
  options.batch_size = bench_size(argv[3]);
  options.epochs = 1000000;
  options.max_length = 0;
  options.threads = bench_size(argv[5]);
  options.shards = bench_size(argv[6]);
  options.report = note;
  options.context = &times;
  options.group = &network.group;
  bench_check(elman_train(training.model, training.pairs, &options, &error), &error);

  printf("{");
  for (size_t i = 0; i < 4; i++) {
    printf("%s", i > 0 ? ", " : "");
    bench_print_list(names[i], *lists[i], times.most);
    free(*lists[i]);
  }
  printf("}\n");
  bench_training_free(&training);
  return 0;
}
