/* Measure updates through the public API:
 * bench_update PAIRS.tsv HIDDEN BATCH UPDATES THREADS SHARDS [NAME=VALUE...]
 *
 * Train a model with E = H = HIDDEN and the given hyperparameters of model and training, such as
 * cell=gru, on pairs whose words are separated by spaces. Print the seconds of each update
 * except the first, which includes the initialization; the seconds of the whole run; the vocabulary
 * sizes; and the peak memory. UPDATES 0 is one epoch; otherwise training repeats the pairs for
 * UPDATES updates. THREADS 0 is one per core. */
#include <stdint.h>
#include <string.h>

#include "bench_training.h"

struct times {
  double *seconds; /* (most) */
  size_t count, most;
  bool epoch; /* train for one epoch, with any number of updates */
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

static void set(elman_model_options *shape, elman_train_options *options, char *setting) {
  elman_error error = {0};
  char *value = strchr(setting, '=');
  if (value == NULL) bench_fail("a setting must have the form NAME=VALUE");
  *value++ = '\0';
  const elman_option *row = elman_option_find(ELMAN_SCOPES_MODEL | ELMAN_SCOPES_TRAIN, setting);
  if (row == NULL) bench_fail("NAME of a setting is not a hyperparameter");
  const bool of_model = row->scope == ELMAN_SCOPE_MODEL || row->scope == ELMAN_SCOPE_START;
  bench_check(elman_option_set(row, of_model ? (void *)shape : (void *)options, value,
                               ELMAN_FORM_WORD, ELMAN_NAMES_FIELD, &error),
              &error);
}

int main(int argc, char **argv) {
  if (argc < 7)
    bench_fail("usage: bench_update PAIRS.tsv HIDDEN BATCH UPDATES THREADS SHARDS [NAME=VALUE...]");
  const size_t updates = bench_size(argv[4]);
  elman_model_options shape = bench_shape(argv[2]);
  elman_train_options options = elman_train_options_default();
  for (int i = 7; i < argc; i++) set(&shape, &options, argv[i]);
  struct bench_training training = bench_training(argv[1], &shape);
  elman_error error = {0};

  struct times times = {.most = updates, .epoch = updates == 0};
  if (updates > 0) times.seconds = bench_allocate(updates, sizeof *times.seconds);
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
