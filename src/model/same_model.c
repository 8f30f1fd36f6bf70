#include "model/same_model.h"

#include <string.h>

#include "base/table.h"
#include "base/xxh64.h"
#include "model/ensemble.h"
#include "model/hyperparameters.h"
#include "tensor/blas.h"

static void add_text(struct xxh64 *sum, struct text text) {
  xxh64_add(sum, &text.length, sizeof text.length);
  xxh64_add(sum, text.bytes, text.length);
}

static void add_vocabulary(struct xxh64 *sum, const struct vocabulary *vocabulary) {
  for (size_t id = 0; id < vocabulary_size(vocabulary); id++)
    add_text(sum, vocabulary_token(vocabulary, id));
}

static void add_options(struct xxh64 *sum, const elman_translate_options *options) {
  const double reals[] = {options->max_ratio, options->length_penalty, options->coverage_penalty,
                          options->temperature};
  const uint64_t numbers[] = {
      options->max_bytes,      options->max_length,     options->beam,
      options->n_best,         options->without_scores, options->replace_unknown,
      options->override_count, options->override_seed,  options->sample,
      options->top_k,          options->sample_seed,    options->length_norm,
      options->self_attention};
  xxh64_add(sum, reals, sizeof reals);
  xxh64_add(sum, numbers, sizeof numbers);
  for (size_t i = 0; i < options->override_count; i++) {
    const elman_override *cell = &options->overrides[i];
    const uint64_t where[] = {cell->kind, cell->row, cell->column};
    xxh64_add(sum, where, sizeof where);
    xxh64_add(sum, &cell->weight, sizeof cell->weight);
  }
}

static void add_program(struct xxh64 *sum) {
  const struct blas_kernels kernels = blas_kernels_in_use();
  add_text(sum, text_of(ELMAN_VERSION));
  add_text(sum, text_of(__VERSION__));
  add_text(sum, text_of(kernels.config));
  add_text(sum, text_of(kernels.family));
  add_text(sum, text_of(compiled_instructions()));
}

/* The shape is in the rows of the table; what else the configuration says (how to look, how to
 * split) in fields that are numbers. */
static void add_model(struct xxh64 *sum, const struct model *model) {
  const elman_hyperparameter *row = NULL;
  while ((row = hyperparameter_next(row, ELMAN_SCOPE_MODEL)) != NULL) {
    const void *field = (const char *)&model->config + row->offset;
    if (row->choice != NULL)
      add_text(sum, text_of(hyperparameter_choice(row, &model->config)));
    else if (row->value == ELMAN_VALUE_FLAG)
      xxh64_add(sum, field, sizeof(bool));
    else
      xxh64_add(sum, field, sizeof(size_t));
  }
  add_text(sum, text_of(normalization_name(model->config.source_normalization)));
  add_text(sum, text_of(normalization_name(model->config.target_normalization)));
  add_vocabulary(sum, model->source_vocabulary);
  add_vocabulary(sum, model->target_vocabulary);
  for (int s = 0; s < 2; s++) {
    const uint64_t merges =
        model->merges[s] == NULL ? 0 : merges_hash(HASH_START, model->merges[s]);
    xxh64_add(sum, &merges, sizeof merges);
  }
  xxh64_add(sum, model->block, model->table.block * sizeof *model->block);
}

static uint64_t work_sum(const struct model *model, const elman_translate_options *options) {
  struct xxh64 sum;
  xxh64_start(&sum);
  add_program(&sum);
  for (size_t m = 0; m < ensemble_size(options); m++)
    add_model(&sum, ensemble_member(model, options, m));
  add_options(&sum, options);
  return xxh64_value(&sum);
}

elman_status same_model(const elman_group *group, const struct model *model,
                        const elman_translate_options *options, elman_error *error) {
  if (group_size(group) == 1) return ELMAN_OK;
  return group_same(
      group, work_sum(model, options),
      "the model, the program, its kernels or the options are not those of process 0; "
      "give all processes the same",
      error);
}
