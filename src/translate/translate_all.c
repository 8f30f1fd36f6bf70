#include "translate/translate_all.h"

#include <stdlib.h>

#include "translate/length_batches.h"

enum { BATCH_SIZE = 64 };

/* What the threads share. */
struct shared {
  struct outcome *outcomes;
  const struct model *model;
  const struct screen *screen;
  const struct text *sources;
  const struct translate_options *options;
  struct length_batches batches;
  elman_status status;
  elman_error error;
};

static elman_status run_batch(struct shared *shared, struct translator *translator,
                              const size_t *numbers, size_t count, elman_error *error) {
  struct text sources[BATCH_SIZE];
  for (size_t i = 0; i < count; i++) sources[i] = shared->sources[numbers[i]];
  elman_status status =
      translator_run(translator, sources, count, (struct text){NULL, 0}, shared->options, error);
  for (size_t i = 0; i < count && status == ELMAN_OK; i++) {
    struct outcome *outcome = &shared->outcomes[numbers[i]];
    outcome->status = translator->items[i].status;
    outcome->error = translator->items[i].error;
    if (outcome->status == ELMAN_OK) status = translator_keep(&outcome->kept, translator, i, error);
  }
  return status;
}

static bool has_failed(struct shared *shared) {
  bool failed;
#pragma omp critical(elman_translate_all)
  failed = shared->status != ELMAN_OK;
  return failed;
}

static void run_batches(struct shared *shared) {
  const struct length_batches *batches = &shared->batches;
#pragma omp parallel if (batches->count > 1)
  {
    struct translator translator;
    translator_create(&translator, shared->model, shared->screen);
#pragma omp for schedule(dynamic)
    for (size_t i = 0; i < batches->count; i++) {
      elman_error error = {0};
      const size_t start = batches->starts[i];
      if (has_failed(shared)) continue;
      const elman_status status = run_batch(shared, &translator, batches->order + start,
                                            batches->starts[i + 1] - start, &error);
#pragma omp critical(elman_translate_all)
      if (status != ELMAN_OK && shared->status == ELMAN_OK) {
        shared->status = status;
        shared->error = error;
      }
    }
    translator_free(&translator);
  }
}

elman_status translate_all(struct outcome *outcomes, const struct model *model,
                           const struct screen *screen, const struct text *sources, size_t count,
                           const struct translate_options *options, elman_error *error) {
  struct shared shared = {.outcomes = outcomes,
                          .model = model,
                          .screen = screen,
                          .sources = sources,
                          .options = options};
  size_t *lengths = calloc(count + 1, sizeof *lengths);
  if (lengths == NULL) return fail_no_memory(error);
  for (size_t i = 0; i < count; i++) lengths[i] = sources[i].length;
  const elman_status status = length_batches_create(&shared.batches, lengths, count, BATCH_SIZE,
                                                    options->beam.width, error);
  free(lengths);
  if (status != ELMAN_OK) return status;
  run_batches(&shared);
  length_batches_free(&shared.batches);
  if (shared.status == ELMAN_OK) return ELMAN_OK;
  for (size_t i = 0; i < count; i++) {
    arena_free(&outcomes[i].kept.arena);
    outcomes[i] = (struct outcome){0};
  }
  return fail_again(error, &shared.error);
}
