#include <math.h>

#include "api/call.h"
#include "base/group.h"
#include "corpus/corpus.h"
#include "model/ensemble.h"
#include "model/hyperparameters.h"
#include "train/checkpoint.h"
#include "train/loop.h"
#include "train/snapshots.h"

/* ---- processes ---- */

elman_status elman_group_broadcast(const elman_group *group, void *bytes, size_t count,
                                   elman_error *error) {
  return group_broadcast(group, bytes, count, error);
}

elman_status elman_group_gather(const elman_group *group, void *bytes, const size_t *counts,
                                elman_error *error) {
  return group_gather(group, bytes, counts, error);
}

elman_status elman_group_agree(const elman_group *group, elman_status status, elman_error *error) {
  return group_agree(group, status, error);
}

elman_status elman_group_same_model(const elman_group *group, const elman_model *model,
                                    const elman_translate_options *options, elman_error *error) {
  const elman_translate_options defaults = translate_options_default();
  return same_model(group, inner_model_const(model), options == NULL ? &defaults : options, error);
}

/* ---- training ---- */

elman_train_options elman_train_options_default(void) {
  return (elman_train_options){ELMAN_TRAIN_HYPERPARAMETERS(FIELD_DEFAULT).epochs =
                                   ELMAN_EPOCHS_AUTO};
}

elman_status elman_checkpoint_get_state(elman_checkpoint_state *checkpoint, const char *path,
                                        elman_error *error) {
  return checkpoint_get_state(checkpoint, path, error);
}

bool elman_snapshot_update(uint64_t *update, const char *name, const char *model) {
  return snapshot_parse_name(update, name, model);
}

elman_status elman_snapshots_find(elman_history *longest, size_t *count, const char *output,
                                  elman_error *error) {
  return snapshots_find(longest, count, output, error);
}

/* Encode all pairs. If `done` is not NULL, it is the same pairs, whose text is freed during
 * encoding. */
static elman_status encode_all(struct corpus *corpus, const struct model *model,
                               const struct pairs *pairs, elman_pairs *done,
                               const elman_train_options *options, elman_error *error) {
  const struct codec source = model_source_codec(model), target = model_target_codec(model);
  const struct encoding_options encoding = {.max_length = options->max_length,
                                            .guided = options->guide_weight > 0,
                                            .consumed = inner_pairs(done)};
  elman_status status = corpus_encode(corpus, pairs, &source, &target, &encoding, error);
  if (status == ELMAN_OK && encoding.guided && corpus_unguided(corpus) == corpus->target.count)
    status = fail(error, ELMAN_BAD_DATA, NULL,
                  "no pair has a word alignment to guide attention; specify the alignments "
                  "(--guide) or train without guided alignment");
  elman_pairs_free(done);
  return status;
}

static elman_status train(struct model *model, const struct pairs *pairs, elman_pairs *done,
                          const elman_train_options *options, elman_error *error) {
  struct corpus corpus = {0};
  elman_status status = encode_all(&corpus, model, pairs, done, options, error);
  status = group_agree(options->group, status, error);
  if (status == ELMAN_OK) {
    status = trainer_run(model, &corpus, options, error);
    model->trainings++;
    model->search = (elman_search){0}; /* chosen for the parameters before training */
  }
  corpus_free(&corpus);
  return status;
}

/* Estimate the work that threads can share: encoding the text, or the largest matrix product of an
 * update (with shards: six such products). The number of target tokens per batch is a guess. */
static double shared_work(const struct model *model, const struct pairs *pairs,
                          const elman_train_options *options) {
  enum { TYPICAL_LENGTH = 8, PRODUCTS = 6 };
  const struct model_config *config = &model->config;
  const double count = (double)pairs_count(pairs);
  const double batch_size = options->batch_tokens > 0
                                ? (double)options->batch_tokens / TYPICAL_LENGTH
                                : (double)options->batch_size;
  const double rows = TYPICAL_LENGTH * fmin(batch_size, count);
  const double H = (double)config->hidden_size, V = (double)config->target_vocabulary;
  const double product = rows * H * fmax(2 * V, fmax(H, (double)config->embedding_size));
  return fmax(options->shards > 1 ? PRODUCTS * product : product, pieces_work(pairs_count(pairs)));
}

static elman_status check_and_train(elman_model *model, const elman_pairs *pairs, elman_pairs *done,
                                    const elman_train_options *options, elman_error *error) {
  const elman_train_options defaults = elman_train_options_default();
  elman_error own;
  struct surroundings before;
  if (options == NULL) options = &defaults;
  if (error == NULL) error = &own;
  elman_status status = trainer_check_options(options, error);
  if (status == ELMAN_OK)
    status = enter(&before, options->threads,
                   shared_work(inner_model(model), inner_pairs_const(pairs), options), error);
  const bool entered = status == ELMAN_OK;
  status = group_agree(options->group, status, error);
  if (status == ELMAN_OK)
    status = train(inner_model(model), inner_pairs_const(pairs), done, options, error);
  else
    elman_pairs_free(done);
  if (entered) leave(before);
  return status;
}

elman_status elman_train(elman_model *model, const elman_pairs *pairs,
                         const elman_train_options *options, elman_error *error) {
  return check_and_train(model, pairs, NULL, options, error);
}

elman_status elman_train_and_free_pairs(elman_model *model, elman_pairs **pairs,
                                        const elman_train_options *options, elman_error *error) {
  elman_pairs *const owned = *pairs;
  *pairs = NULL;
  return check_and_train(model, owned, owned, options, error);
}
