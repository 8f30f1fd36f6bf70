/* Compare the C code with PyTorch's own modules; tests/reference/README.md describes how the
 * goldens were made. */
#include "check.h"

#include <string.h>

#include "model/model_file.h"
#include "model/safetensors.h"
#include "tensor/blas_kernels.h"
#include "train/trainer.h"

#ifdef ELMAN_DOUBLE
static const double TOLERANCE = 1e-10, MUON_TOLERANCE = 1e-9;
#else
/* In float the Gram matrix of Muon determines singular values below 0.001 to few digits. */
static const double TOLERANCE = 1e-4, MUON_TOLERANCE = 1e-2;
#endif

enum { MAX_PATH = 512 };

struct golden {
  struct safetensors file;
  char path[MAX_PATH]; /* `file` borrows it */
  struct model *model;
  struct corpus corpus;
  struct batch batch;
};

static const char *path_of(char path[MAX_PATH], const char *what, const char *attention) {
  snprintf(path, MAX_PATH, "%s/reference/%s-%s.safetensors", getenv("TEST_DATA"), what, attention);
  return path;
}

static size_t tensor_size(const struct stored_tensor *tensor) {
  size_t size = 1;
  for (int d = 0; d < tensor->dimensions; d++) size *= tensor->shape[d];
  return size;
}

/* Return all values of a golden tensor and their number. */
static real *golden_values(const struct golden *golden, const char *name, size_t *size) {
  const struct stored_tensor *tensor = safetensors_find(&golden->file, name);
  cr_assert_not_null(tensor, "%s is missing", name);
  *size = tensor_size(tensor);
  real *values = reals(*size);
  cr_assert_eq(safetensors_read(values, &golden->file, tensor, NULL), ELMAN_OK);
  return values;
}

static double golden_number(const struct golden *golden, const char *name) {
  size_t size;
  owned real *values = golden_values(golden, name, &size);
  const double number = (double)values[0];
  cr_assert_eq(size, 1);
  return number;
}

static void load_side(const struct golden *golden, struct sentences *side, const char *ids_name,
                      const char *lengths_name) {
  size_t count, total;
  owned real *lengths = golden_values(golden, lengths_name, &count);
  owned real *ids = golden_values(golden, ids_name, &total);
  side->count = count;
  side->starts = calloc(count + 1, sizeof *side->starts);
  side->ids = calloc(total, sizeof *side->ids);
  for (size_t i = 0; i < count; i++) side->starts[i + 1] = side->starts[i] + (size_t)lengths[i];
  for (size_t i = 0; i < total; i++) side->ids[i] = (uint32_t)ids[i];
  cr_assert_eq(side->starts[count], total);
}

static void open_golden(struct golden *golden, const char *attention) {
  char model_path[MAX_PATH];
  *golden = (struct golden){0};
  blas_set_up();
  cr_assert_eq(model_load(&golden->model, path_of(model_path, "model", attention), NULL), ELMAN_OK);
  succeeds(safetensors_open(&golden->file, path_of(golden->path, "golden", attention), &why));
  load_side(golden, &golden->corpus.source, "source_ids", "source_lengths");
  load_side(golden, &golden->corpus.target, "target_ids", "target_lengths");
  golden->corpus.source_words = golden->model->source_vocabulary;
  const size_t indices[] = {0, 1, 2, 3};
  cr_assert_eq(golden->corpus.source.count, sizeof indices / sizeof *indices);
  succeeds(batch_fill(&golden->batch, &golden->corpus, indices, golden->corpus.source.count, &why));
}

static void close_golden(struct golden *golden) {
  model_free(golden->model);
  safetensors_close(&golden->file);
  batch_free(&golden->batch);
  corpus_free(&golden->corpus);
}

static void compare(const struct golden *golden, const char *prefix, const char *name,
                    const real *values, double tolerance) {
  char full[128];
  size_t size;
  snprintf(full, sizeof full, "%s%s", prefix, name);
  owned real *expected = golden_values(golden, full, &size);
  for (size_t i = 0; i < size; i++)
    cr_assert(fabs((double)values[i] - (double)expected[i]) <= tolerance,
              "%s, number %zu: %.12g, but PyTorch has %.12g", full, i, (double)values[i],
              (double)expected[i]);
}

static void compare_block(const struct golden *golden, const char *prefix, const real *block,
                          double tolerance) {
  const struct parameter_table *table = &golden->model->table;
  for (size_t i = 0; i < table->count; i++) {
    /* PyTorch counts tied weights once as well. */
    if (!table->rows[i].alias)
      compare(golden, prefix, table->rows[i].name, block + table->rows[i].offset, tolerance);
  }
}

static void check_forward_and_gradients(const char *attention) {
  struct golden golden;
  open_golden(&golden, attention);
  const struct model *model = golden.model;
  const struct regularization plain = {0};
  owned_by(workspace_free) struct workspace workspace = {.block = 0};
  real *gradients;
  struct parameters views;
  cr_assert_eq(parameter_block_create(&gradients, &model->table, NULL), ELMAN_OK);
  parameters_bind(&views, gradients, &model->config);
  succeeds(
      workspace_fit(&workspace, &model->weights, &golden.batch, WITH_GRADIENTS_AND_LOGITS, &why));
  const struct network_pass pass = {.weights = &model->weights,
                                    .batch = &golden.batch,
                                    .regularization = &plain,
                                    .workspace = &workspace};
  const double sum = network_forward(&pass);
  cr_assert_float_eq(sum / (double)golden.batch.tokens, golden_number(&golden, "loss"), TOLERANCE);
  compare(&golden, "", "logits", workspace.decoder.logits, TOLERANCE);
  compare(&golden, "", "attention", workspace.decoder.attention.weights, TOLERANCE);
  (void)network_gradient(&views, &pass);
  compare_block(&golden, "gradient.", gradients, TOLERANCE);
  parameter_block_free(gradients);
  close_golden(&golden);
}

/* Use the links of the pairs as guides of the golden's batch. */
static void add_guides(struct golden *golden, const struct golden *guided) {
  size_t pairs, count, same;
  owned real *counts = golden_values(guided, "link_counts", &pairs);
  owned real *targets = golden_values(guided, "link_targets", &count);
  owned real *sources = golden_values(guided, "link_sources", &same);
  struct token_links *links = &golden->corpus.links;
  cr_assert_eq(pairs, golden->corpus.source.count);
  cr_assert_eq(count, same);
  cr_assert_eq(corpus_create_guides(&golden->corpus, pairs, NULL), ELMAN_OK);
  succeeds(array_grow(&links->items, &links->capacity, count, sizeof *links->items, &why));
  for (size_t i = 0; i < count; i++)
    links->items[i] = (struct token_link){(uint32_t)targets[i], (uint32_t)sources[i]};
  for (size_t i = 0; i < pairs; i++) links->starts[i + 1] = links->starts[i] + (size_t)counts[i];
  const size_t indices[] = {0, 1, 2, 3};
  cr_assert_eq(batch_fill(&golden->batch, &golden->corpus, indices, pairs, NULL), ELMAN_OK);
}

static void check_guided(const char *attention) {
  struct golden golden, guided = {.path = ""};
  open_golden(&golden, attention);
  succeeds(safetensors_open(&guided.file, path_of(guided.path, "guided", attention), &why));
  guided.model = golden.model;
  add_guides(&golden, &guided);
  const struct model *model = golden.model;
  const double M = (double)golden.batch.guide.tokens;
  const struct regularization regularization = {.guide =
                                                    golden_number(&guided, "guide_weight") / M};
  owned_by(workspace_free) struct workspace workspace = {.block = 0};
  real *gradients;
  struct parameters views;
  cr_assert_eq(parameter_block_create(&gradients, &model->table, NULL), ELMAN_OK);
  parameters_bind(&views, gradients, &model->config);
  succeeds(workspace_fit(&workspace, &model->weights, &golden.batch, WITH_GRADIENTS, &why));
  const struct network_pass pass = {.weights = &model->weights,
                                    .batch = &golden.batch,
                                    .regularization = &regularization,
                                    .workspace = &workspace};
  (void)network_gradient(&views, &pass);
  cr_assert_float_eq(network_guide_loss(&pass) / M, golden_number(&guided, "guide_loss"),
                     TOLERANCE);
  compare_block(&guided, "gradient.", gradients, TOLERANCE);
  parameter_block_free(gradients);
  safetensors_close(&guided.file);
  close_golden(&golden);
}

static void check_updates(const char *attention) {
  struct golden golden;
  open_golden(&golden, attention);
  owned_by(trainer_free) struct trainer trainer;
  elman_train_options options = {.shards = 1,
                                 .learning_rate = golden_number(&golden, "learning_rate"),
                                 .clip_norm = golden_number(&golden, "clip_norm")};
  cr_assert_eq(trainer_create(&trainer, golden.model, &options, NULL), ELMAN_OK);
  struct update_result result;
  for (int update = 1; update <= 25; update++) {
    cr_assert_eq(trainer_step(&result, &trainer, &golden.batch, 0, NULL), ELMAN_OK);
    if (update == 1 || update == 25) trainer_flush(&trainer);
    if (update == 1) compare_block(&golden, "after1.", golden.model->block, TOLERANCE);
  }
  compare_block(&golden, "after25.", golden.model->block, TOLERANCE);
  close_golden(&golden);
}

static void check_muon(const char *attention) {
  struct golden golden, muon = {.path = ""};
  open_golden(&golden, attention);
  succeeds(safetensors_open(&muon.file, path_of(muon.path, "muon", attention), &why));
  muon.model = golden.model;
  owned_by(trainer_free) struct trainer trainer;
  elman_train_options options = {.shards = 1,
                                 .optimizer = "muon",
                                 .learning_rate = golden_number(&golden, "learning_rate"),
                                 .clip_norm = golden_number(&golden, "clip_norm")};
  cr_assert_eq(trainer_create(&trainer, golden.model, &options, NULL), ELMAN_OK);
  struct update_result result;
  for (int update = 1; update <= 10; update++)
    cr_assert_eq(trainer_step(&result, &trainer, &golden.batch, 0, NULL), ELMAN_OK);
  trainer_flush(&trainer);
  compare_block(&muon, "after10.", golden.model->block, MUON_TOLERANCE);
  safetensors_close(&muon.file);
  close_golden(&golden);
}

/* Each golden is another kind of network; see VARIANTS in tests/reference/make-goldens. */
#define GOLDEN(name)                                                                               \
  Test(goldens, name##_forward_and_gradients) {                                                    \
    check_forward_and_gradients(#name);                                                            \
  }                                                                                                \
  Test(goldens, name##_guided) {                                                                   \
    check_guided(#name);                                                                           \
  }                                                                                                \
  Test(goldens, name##_updates) {                                                                  \
    check_updates(#name);                                                                          \
  }                                                                                                \
  Test(goldens, name##_muon) {                                                                     \
    check_muon(#name);                                                                             \
  }

GOLDEN(dot)
GOLDEN(scaled)
GOLDEN(general)
GOLDEN(additive)
GOLDEN(feeding)
GOLDEN(tied)
GOLDEN(projected)
GOLDEN(multihead)
GOLDEN(local)
GOLDEN(adaptive)
GOLDEN(sentinel)
GOLDEN(hierarchical)
GOLDEN(clauses)
GOLDEN(self)
GOLDEN(selffeeding)
GOLDEN(selfplain)
GOLDEN(relu)
GOLDEN(gru)
GOLDEN(grufeeding)
GOLDEN(lstm)
GOLDEN(lstmfeeding)
GOLDEN(norm)
GOLDEN(normrelu)
GOLDEN(normgru)
GOLDEN(normlstm)
GOLDEN(residual)
GOLDEN(residualfeeding)
