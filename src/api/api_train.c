#include <math.h>
#include <stdlib.h>

#include "api/call.h"
#include "base/group.h"
#include "corpus/corpus.h"
#include "model/ensemble.h"
#include "model/options.h"
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
  return (elman_train_options){ELMAN_TRAIN_OPTIONS(FIELD_DEFAULT).epochs = ELMAN_EPOCHS_AUTO};
}

elman_status elman_train_options_check(const elman_train_options *options, elman_error *error) {
  return trainer_check_options(options, error);
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

struct elman_training {
  struct model *model;         /* borrowed */
  elman_train_options options; /* their pointers are borrowed */
  struct corpus corpus;        /* owned, as all following fields */
  struct run *run;
  struct kept_team team;
  size_t changes; /* value of model->changes after the last call */
};

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

/* Record that the parameters have changed. The search of the model was chosen for other
 * parameters. */
static void mark_trained(elman_training *training) {
  training->changes = ++training->model->changes;
  training->model->search = (elman_search){0};
}

static elman_status begin(elman_training *training, const struct pairs *pairs, elman_pairs *done,
                          elman_error *error) {
  const elman_train_options *options = &training->options;
  struct model *model = training->model;
  elman_status status = encode_all(&training->corpus, model, pairs, done, options, error);
  status = group_agree(options->group, status, error);
  if (status != ELMAN_OK) return status;
  status = run_create(&training->run, model, &training->corpus, options, error);
  mark_trained(training);
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

static elman_status allocate(elman_training **training, struct model *model,
                             const elman_train_options *options, elman_error *error) {
  *training = malloc(sizeof **training);
  if (*training == NULL) return fail_no_memory(error);
  **training = (elman_training){.model = model, .options = *options};
  return ELMAN_OK;
}

/* Create a training. If `done` is not NULL, it is the same pairs, which this function frees, also
 * after an error. */
static elman_status create(elman_training **created, elman_model *model, const elman_pairs *pairs,
                           elman_pairs *done, const elman_train_options *options,
                           elman_error *error) {
  const elman_train_options defaults = elman_train_options_default();
  elman_training *training = NULL;
  struct surroundings before;
  if (options == NULL) options = &defaults;
  const double work = shared_work(inner_model(model), inner_pairs_const(pairs), options);
  elman_status status = trainer_check_options(options, error);
  if (status == ELMAN_OK && options->dev == NULL && options->dev_name != NULL)
    status = fail(error, ELMAN_INVALID_ARGUMENT, NULL, "dev_name needs dev pairs");
  if (status == ELMAN_OK) status = allocate(&training, inner_model(model), options, error);
  if (status == ELMAN_OK)
    status = enter_with(&before, &training->team, options->threads, work, error);
  const bool entered = status == ELMAN_OK;
  status = group_agree(options->group, status, error);
  if (status == ELMAN_OK)
    status = begin(training, inner_pairs_const(pairs), done, error);
  else
    elman_pairs_free(done);
  if (entered) leave(before);
  if (status != ELMAN_OK) {
    elman_training_free(training);
    training = NULL;
  }
  *created = training;
  return status;
}

elman_status elman_training_create(elman_training **training, elman_model *model,
                                   const elman_pairs *pairs, const elman_train_options *options,
                                   elman_error *error) {
  elman_error own;
  return create(training, model, pairs, NULL, options, error == NULL ? &own : error);
}

void elman_training_free(elman_training *training) {
  if (training == NULL) return;
  run_free(training->run);
  corpus_free(&training->corpus);
  team_free(training->team.team);
  free(training);
}

static elman_status check_model(const elman_training *training, elman_error *error) {
  if (training->model->changes == training->changes) return ELMAN_OK;
  return fail(error, ELMAN_INVALID_ARGUMENT, NULL,
              "another training has changed the model; free this training");
}

elman_status elman_training_advance(elman_training *training, size_t updates, bool *finished,
                                    elman_error *error) {
  elman_error own;
  struct surroundings before;
  *finished = false;
  if (error == NULL) error = &own;
  if (updates == 0)
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL,
                "the number of updates must be at least 1, not 0");
  elman_status status = check_model(training, error);
  if (status != ELMAN_OK) return status;
  enter_again(&before, &training->team);
  status = run_advance(training->run, updates, finished, error);
  mark_trained(training);
  leave(before);
  return status;
}

elman_status elman_training_save(elman_training *training, elman_error *error) {
  elman_error own;
  struct surroundings before;
  if (error == NULL) error = &own;
  elman_status status = check_model(training, error);
  if (status != ELMAN_OK) return status;
  enter_again(&before, &training->team);
  status = run_save(training->run, error);
  mark_trained(training);
  leave(before);
  return status;
}

elman_status elman_training_finish(elman_training *training, elman_error *error) {
  elman_error own;
  struct surroundings before;
  if (error == NULL) error = &own;
  elman_status status = check_model(training, error);
  if (status != ELMAN_OK) return status;
  enter_again(&before, &training->team);
  status = run_finish(training->run, error);
  mark_trained(training);
  leave(before);
  return status;
}

/* Train until the last update. Finish also after a stop or an error. */
static elman_status train(elman_model *model, const elman_pairs *pairs, elman_pairs *done,
                          const elman_train_options *options, elman_error *error) {
  elman_training *training;
  elman_error own, problem;
  bool finished;
  if (error == NULL) error = &own;
  elman_status status = create(&training, model, pairs, done, options, error);
  if (status != ELMAN_OK) return status;
  do {
    status = elman_training_advance(training, SIZE_MAX, &finished, error);
  } while (status == ELMAN_OK && !finished);
  const elman_status end = elman_training_finish(training, &problem);
  if (end != ELMAN_OK && (status == ELMAN_OK || status == ELMAN_INTERRUPTED))
    status = fail_again(error, &problem);
  elman_training_free(training);
  return status;
}

elman_status elman_train(elman_model *model, const elman_pairs *pairs,
                         const elman_train_options *options, elman_error *error) {
  return train(model, pairs, NULL, options, error);
}

elman_status elman_train_and_free_pairs(elman_model *model, elman_pairs **pairs,
                                        const elman_train_options *options, elman_error *error) {
  elman_pairs *const owned = *pairs;
  *pairs = NULL;
  return train(model, owned, owned, options, error);
}
