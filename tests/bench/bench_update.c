/* Times updates through the public API:
 * bench_update PAIRS.tsv HIDDEN BATCH UPDATES THREADS SHARDS [NAME=VALUE...]
 *
 * Trains a model with E = H = HIDDEN, and hyperparameters as they are named in files, on pairs
 * whose words are separated by spaces. Prints the seconds of each update but the first, whose time
 * would hold the setting up; those of the whole training; the vocabularies; and the most memory
 * held. UPDATES 0 is one epoch; otherwise training goes on over the pairs until there are so many.
 * THREADS 0 is one a core. */
#include <stdint.h>
#include <string.h>

#include "bench_training.h"

struct times {
  double *seconds; /* (most) */
  size_t count, most;
  bool epoch; /* one epoch, however many updates that is */
  double last;
};

static bool note(void *context, const elman_train_report *report) {
  struct times *times = context;
  const double now = bench_seconds();
  if (times->seconds == NULL) {
    times->most = report->updates;
    times->seconds = bench_allocate(times->most, sizeof *times->seconds);
  }
  if (times->last > 0) times->seconds[times->count++] = now - times->last;
  times->last = now;
  return times->epoch || times->count + 1 < times->most;
}

/* A flag is 0 or 1. */
static void set(elman_model_options *shape, char *setting) {
  char *value = strchr(setting, '=');
  if (value == NULL) bench_fail("a setting is NAME=VALUE");
  *value++ = '\0';
  const elman_hyperparameter *row = elman_hyperparameter_find(setting);
  if (row == NULL || (row->scope != ELMAN_SCOPE_MODEL && row->scope != ELMAN_SCOPE_START))
    bench_fail("a setting is no hyperparameter of a model");
  void *const field = (char *)shape + row->offset;
  if (row->value == ELMAN_VALUE_NAME)
    *(const char **)field = value;
  else if (row->value == ELMAN_VALUE_FLAG)
    *(bool *)field = bench_size(value) == 1;
  else if (row->value == ELMAN_VALUE_SIZE)
    *(size_t *)field = bench_size(value);
  else
    bench_fail("a setting is of another kind than can be given here");
}

int main(int argc, char **argv) {
  if (argc < 7)
    bench_fail("usage: bench_update PAIRS.tsv HIDDEN BATCH UPDATES THREADS SHARDS [NAME=VALUE...]");
  const size_t updates = bench_size(argv[4]);
  elman_model_options shape = bench_shape(argv[2]);
  for (int i = 7; i < argc; i++) set(&shape, argv[i]);
  struct bench_training training = bench_training(argv[1], &shape);
  elman_error error = {0};

  struct times times = {.most = updates, .epoch = updates == 0};
  if (updates > 0) times.seconds = bench_allocate(updates, sizeof *times.seconds);
  elman_train_options options = elman_train_options_default();
  options.batch_size = bench_size(argv[3]);
  options.epochs = updates > 0 ? 1000000 : 1;
  options.max_length = 0;
  options.threads = bench_size(argv[5]);
  options.shards = bench_size(argv[6]);
  options.report = note;
  options.context = &times;
  const double start = bench_seconds();
  bench_check(elman_train(training.model, training.pairs, &options, &error), &error);
  const double whole = bench_seconds() - start;

  const elman_model_info info = elman_model_get_info(training.model);
  printf("{\"source_vocabulary\": %zu, \"target_vocabulary\": %zu, \"whole\": %.9f, "
         "\"peak_kib\": %ld, ",
         info.source_vocabulary, info.target_vocabulary, whole, bench_peak_kib());
  bench_print_seconds(times.seconds, times.count);
  printf("}\n");
  bench_training_free(&training);
  free(times.seconds);
  return 0;
}
