#include <limits.h>
#include <math.h>
#include <string.h>

#include "api/call.h"
#include "attention/kinds.h"
#include "corpus/corpus.h"
#include "model/config.h"
#include "model/ensemble.h"
#include "model/model_file.h"
#include "model/number_type.h"
#include "rnn/cell.h"
#include "tensor/bfloat16.h"
#include "tensor/blas_kernels.h"
#include "tensor/product.h"
#include "tensor/quantized.h"

/* ---- hyperparameters ---- */

/* ---- the machine ---- */

static const char *processor_instructions(void) {
#if defined(__x86_64__)
  static const char *const names[] = {[VECTOR_SSE] = "SSE",
                                      [VECTOR_AVX] = "AVX",
                                      [VECTOR_AVX2] = "AVX2 with FMA",
                                      [VECTOR_AVX512] = "AVX-512"};
  return names[vector_level_here()];
#else
  return compiled_instructions();
#endif
}

elman_machine elman_machine_get(void) {
  const struct blas_kernels kernels = blas_kernels_in_use();
  const struct product_kernel *own = product_kernel_in_use(ARITHMETIC_FAST);
  const struct pair_kernel *pairs = pair_kernel_in_use(ARITHMETIC_FAST);
  return (elman_machine){.blas = kernels.config,
                         .kernels = kernels.family,
                         .original_kernels = kernels.original_family,
                         .choice = kernels.choice,
                         .processor = processor_instructions(),
                         .compiled = compiled_instructions(),
                         .products = own->instructions == NULL ? own->name : own->instructions,
                         .bfloat16 = pairs == NULL ? "none" : pairs->instructions,
                         .screen = quantized_kernel_at(0)->name,
                         .threads = processors_usable()};
}

elman_status elman_machine_check(elman_error *error) {
  return product_kernel_check(error);
}

/* ---- the model ---- */

size_t elman_unsafe_character(uint32_t *codepoint, const char *text, size_t length) {
  int character;
  const size_t size = character_read(&character, (struct text){text, length});
  *codepoint = (uint32_t)character;
  return size > 0 && character_is_unsafe(character) ? size : 0;
}

size_t elman_right_to_left(const char *text, size_t length) {
  return right_to_left_run((struct text){text, length});
}

elman_model_options elman_model_options_default(void) {
  return (elman_model_options){ELMAN_MODEL_OPTIONS(FIELD_DEFAULT)};
}

enum { DEFAULT_MERGES = 8000 };

/* Replace the token mode `auto` of a side by BPE if the options request subwords for this side. If
 * the subwords are joint, replace `auto-bpe` by BPE, too. */
static elman_status choose_subwords(elman_model_options *options, elman_error *error) {
  const bool both = options->subwords > 0 || options->joint_subwords;
  const char *problem = NULL;
  if (options->source_tokens == ELMAN_TOKENS_AUTO && (both || options->source_subwords > 0))
    options->source_tokens = ELMAN_TOKENS_BPE;
  if (options->target_tokens == ELMAN_TOKENS_AUTO && both)
    options->target_tokens = ELMAN_TOKENS_BPE;
  if (options->joint_subwords && options->source_tokens == ELMAN_TOKENS_AUTO_BPE)
    options->source_tokens = ELMAN_TOKENS_BPE;
  if (options->joint_subwords && options->target_tokens == ELMAN_TOKENS_AUTO_BPE)
    options->target_tokens = ELMAN_TOKENS_BPE;
  const bool is_bpe[] = {options->source_tokens == ELMAN_TOKENS_BPE,
                         options->target_tokens == ELMAN_TOKENS_BPE};
  const bool source = is_bpe[0] || options->source_tokens == ELMAN_TOKENS_AUTO_BPE;
  const bool target = is_bpe[1] || options->target_tokens == ELMAN_TOKENS_AUTO_BPE;
  if (options->subwords > 0 && !source && !target)
    problem = "merge operations (`subwords`) need BPE on at least one side";
  if (options->source_subwords > 0 && !source)
    problem = "merge operations of the source (`source_subwords`) need BPE on the source side";
  if (options->joint_subwords && (!is_bpe[0] || !is_bpe[1]))
    problem = "joint merge operations (`joint_subwords`) need the token mode bpe on both sides";
  if (options->joint_subwords && options->source_subwords > 0)
    problem =
        "joint merge operations (`joint_subwords`) and a number for the source (`source_subwords`) "
        "cannot be combined";
  if (options->subwords == 0 && (source || target)) options->subwords = DEFAULT_MERGES;
  return problem == NULL ? ELMAN_OK : fail(error, ELMAN_INVALID_ARGUMENT, NULL, "%s", problem);
}

/* Count the words of the pairs. If there are few pairs, use one thread without setting up a team,
 * because counting needs no BLAS. */
static elman_status count_words(struct vocabulary_pair *vocabularies, const elman_pairs *pairs,
                                const struct vocabulary_options *options, size_t threads,
                                elman_error *error) {
  const double work = pieces_work(elman_pairs_count(pairs));
  struct surroundings before;
  if (!is_worth_sharing(work)) return corpus_vocabularies(vocabularies, pairs, options, error);
  elman_status status = enter(&before, threads, work, error);
  if (status != ELMAN_OK) return status;
  status = corpus_vocabularies(vocabularies, pairs, options, error);
  leave(before);
  return status;
}

/* Complete and check the options. Set *config to the configuration without the vocabulary sizes,
 * which are not known yet; model_create checks the sizes. */
static elman_status configure(struct model_config *config, elman_model_options *from,
                              elman_error *error) {
  elman_status status = choose_subwords(from, error);
  if (status == ELMAN_OK)
    status = elman_options_check(ELMAN_SCOPE_START, from, NULL, ELMAN_NAMES_FIELD, error);
  if (status != ELMAN_OK) return status;
  *config = (struct model_config){ELMAN_MODEL_OPTIONS(FIELD_COPY).source_vocabulary = 1,
                                  .target_vocabulary = 1};
  model_config_complete(config);
  return model_config_check(config, error);
}

elman_status elman_model_options_check(const elman_model_options *options, elman_error *error) {
  elman_model_options resolved = *options;
  struct model_config config;
  return configure(&config, &resolved, error);
}

static elman_status create_model(struct model **model, const elman_pairs *pairs,
                                 const elman_model_options *options,
                                 const elman_train_options *training, elman_error *error) {
  elman_model_options resolved = *options, *from = &resolved;
  struct model_config config;
  elman_status status = elman_options_check(ELMAN_SCOPE_TRAINING | ELMAN_SCOPE_END, training, NULL,
                                            ELMAN_NAMES_FIELD, error);
  if (status == ELMAN_OK) status = configure(&config, from, error);
  if (status != ELMAN_OK) return status;
  const elman_train_settings settings = train_settings_of(training);
  const struct vocabulary_options vocabulary = {
      .source_mode = from->source_tokens,
      .target_mode = from->target_tokens,
      .normalization = from->normalization,
      .min_count = from->min_count,
      .max_words = from->max_vocabulary,
      .max_length = training->max_length,
      .merges = {from->source_subwords > 0 ? from->source_subwords : from->subwords,
                 from->subwords},
      .copies = teaches_copying(&settings),
      .joint_merges = from->joint_subwords};
  struct vocabulary_pair vocabularies = {0};
  status = count_words(&vocabularies, pairs, &vocabulary, training->threads, error);
  if (status == ELMAN_OK) status = model_create(model, vocabularies, config, error);
  if (status == ELMAN_OK) status = model_check_header(*model, error);
  if (status != ELMAN_OK) return status;
  (*model)->past.training = settings;
  return parameters_initialize((*model)->block, &(*model)->table,
                               from->orthogonal ? INITIAL_ORTHOGONAL : INITIAL_PYTORCH,
                               training->seed, error);
}

elman_status elman_model_create(elman_model **model, const elman_pairs *pairs,
                                const elman_model_options *options,
                                const elman_train_options *training, elman_error *error) {
  const elman_model_options defaults = elman_model_options_default();
  const elman_train_options train_defaults = elman_train_options_default();
  struct model *created = NULL;
  if (options == NULL) options = &defaults;
  if (training == NULL) training = &train_defaults;
  const elman_status status = create_model(&created, pairs, options, training, error);
  if (status != ELMAN_OK) {
    model_free(created);
    created = NULL;
  }
  *model = (elman_model *)created;
  return status;
}

elman_status elman_model_load(elman_model **model, const char *path, elman_error *error) {
  struct model *loaded = NULL;
  blas_set_up(); /* called first, so that threads of BLAS do not occupy the other cores */
  const elman_status status = model_load(&loaded, path, error);
  *model = (elman_model *)loaded;
  return status;
}

elman_status elman_model_read(elman_model **model, const void *bytes, size_t size,
                              elman_error *error) {
  struct model *loaded = NULL;
  blas_set_up(); /* called first, as in elman_model_load */
  const elman_status status = model_read(&loaded, bytes, size, error);
  *model = (elman_model *)loaded;
  return status;
}

elman_status elman_model_average(elman_model **average, const char *const *paths, size_t count,
                                 elman_error *error) {
  struct model *mean = NULL;
  blas_set_up(); /* called first, as in elman_model_load */
  const elman_status status = model_average(&mean, paths, count, error);
  *average = (elman_model *)mean;
  return status;
}

elman_status elman_model_save(const elman_model *model, const char *path, elman_error *error) {
  return model_save(inner_model_const(model), path, error);
}

static elman_status check_number_type(elman_number_type type, elman_error *error) {
  if (elman_number_type_name(type) != NULL) return ELMAN_OK;
  return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "the number type %u is not a value of the enum",
              (unsigned)type);
}

elman_status elman_model_save_as(const elman_model *model, const char *path, elman_number_type type,
                                 elman_error *error) {
  const elman_status status = check_number_type(type, error);
  return status == ELMAN_OK ? model_save_as(inner_model_const(model), path, type, error) : status;
}

elman_status elman_model_write(FILE *stream, const elman_model *model, elman_number_type type,
                               elman_error *error) {
  const elman_status status = check_number_type(type, error);
  return status == ELMAN_OK ? model_write(stream, inner_model_const(model), type, error) : status;
}

void elman_model_free(elman_model *model) {
  model_free(inner_model(model));
}

static elman_side_counts counts_of(const struct model *model, elman_side side) {
  const struct script_sample *sample = &model->sample[side];
  const struct token_counts *counts = &model->counts[side];
  return (elman_side_counts){sample->spaced, sample->unspaced, counts->tokens, counts->distinct,
                             counts->once};
}

static const char *script_of_side(const struct model *model, elman_side side) {
  return script_name(vocabulary_script(side == ELMAN_SOURCE ? model->source_vocabulary
                                                            : model->target_vocabulary));
}

static size_t merges_of(const struct model *model, elman_side side) {
  return model->merges[side] == NULL ? 0 : model->merges[side]->count;
}

elman_model_info elman_model_get_info(const elman_model *handle) {
  const struct model *model = inner_model_const(handle);
  const struct model_config *from = &model->config;
  elman_model_info info = {ELMAN_MODEL_OPTIONS(FIELD_COPY).training = model->past.training,
                           .history = model->past.history,
                           .version = model->version,
                           .search = model->search,
                           .translate_precision = model_precision(model),
                           .writes_unknown = model_writes_unknown(model),
                           .source_vocabulary = from->source_vocabulary,
                           .target_vocabulary = from->target_vocabulary,
                           .source_merges = merges_of(model, ELMAN_SOURCE),
                           .target_merges = merges_of(model, ELMAN_TARGET),
                           .source_normalization = from->source_normalization,
                           .target_normalization = from->target_normalization,
                           .source_script = script_of_side(model, ELMAN_SOURCE),
                           .target_script = script_of_side(model, ELMAN_TARGET),
                           .source_counts = counts_of(model, ELMAN_SOURCE),
                           .target_counts = counts_of(model, ELMAN_TARGET),
                           .tensors = model->table.count};
  for (size_t i = 0; i < model->table.count; i++)
    if (!model->table.rows[i].alias) info.parameters += parameter_size(&model->table.rows[i]);
  return info;
}

elman_status elman_model_set_search(elman_model *model, elman_search search, elman_error *error) {
  const elman_status status = search_check(search, error);
  if (status == ELMAN_OK) inner_model(model)->search = search;
  return status;
}

elman_tensor_info elman_model_get_tensor(const elman_model *handle, size_t index) {
  const struct model *model = inner_model_const(handle);
  const struct parameter *row = &model->table.rows[index];
  const real *values = model->block + row->offset;
  const size_t size = parameter_size(row);
  elman_tensor_info info = {.name = row->name,
                            .rows = row->rows,
                            .columns = row->columns,
                            .dimensions = row->dimensions,
                            .type = (elman_number_type)row->stored,
                            .minimum = (double)values[0],
                            .maximum = (double)values[0]};
  double sum = 0, squares = 0;
  for (size_t i = 0; i < size; i++) {
    const double value = (double)values[i];
    if (value < info.minimum) info.minimum = value;
    if (value > info.maximum) info.maximum = value;
    sum += value;
  }
  info.mean = sum / (double)size;
  for (size_t i = 0; i < size; i++) {
    const double difference = (double)values[i] - info.mean;
    squares += difference * difference;
  }
  info.deviation = sqrt(squares / (double)size);
  return info;
}

static const struct vocabulary *vocabulary_of(const elman_model *handle, elman_side side) {
  const struct model *model = inner_model_const(handle);
  return side == ELMAN_SOURCE ? model->source_vocabulary : model->target_vocabulary;
}

const char *elman_model_get_token(const elman_model *model, elman_side side, size_t id,
                                  size_t *length, uint64_t *count) {
  const struct vocabulary *vocabulary = vocabulary_of(model, side);
  const struct text surface = token_shown(vocabulary_token(vocabulary, id));
  if (length != NULL) *length = surface.length;
  if (count != NULL) *count = vocabulary_count(vocabulary, id);
  return surface.bytes;
}

elman_boundary elman_model_get_boundary(const elman_model *model, elman_side side, size_t id) {
  const struct text token = vocabulary_token(vocabulary_of(model, side), id);
  if (!token_has_mark(token)) return ELMAN_BOUNDARY_DEFAULT;
  return token_is_spaced(token) ? ELMAN_BOUNDARY_SPACE : ELMAN_BOUNDARY_NONE;
}
