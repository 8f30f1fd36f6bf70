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

elman_status elman_group_same_model(const elman_group *group, const elman_model *model,
                                    const elman_translate_options *options, elman_error *error) {
  const elman_translate_options defaults = elman_translate_options_default();
  return same_model(group, inner_model_const(model), options == NULL ? &defaults : options, error);
}

/* ---- training ---- */

elman_train_options elman_train_options_default(void) {
  return (elman_train_options){ELMAN_TRAIN_OPTIONS(FIELD_DEFAULT).epochs = ELMAN_EPOCHS_AUTO};
}

/* Encode all pairs. `done` is NULL, or the same pairs, whose text this function frees. */
static elman_status encode_all(elman_training *run, const struct model *model,
                               const elman_pairs *pairs, elman_pairs *done, elman_error *error) {
  const struct codec source = model_source_codec(model), target = model_target_codec(model);
  const struct encoding_options encoding = {.max_length = run->options.max_length,
                                            .guided = run->options.guide_weight > 0,
                                            .keeps_texts = run_augments(run),
                                            .consumed = done};
  struct corpus *corpus = &run->encoded;
  elman_status status = corpus_encode(corpus, pairs, &source, &target, &encoding, error);
  if (status == ELMAN_OK && encoding.guided && corpus_unguided(corpus) == corpus->target.count)
    status = fail(error, ELMAN_BAD_DATA, NULL,
                  "no pair has a word alignment to guide attention; specify the alignments "
                  "of the pairs, or train without guided alignment");
  return status;
}

/* Record that the parameters have changed, and clear the search of the model, which was chosen for
 * other parameters. */
static void mark_trained(elman_training *run, struct model *model) {
  run->changes = ++model->changes;
  model->search = (elman_search){0};
}

/* Estimate the work that threads can share: encoding the text, or the largest matrix product of an
 * update (with shards: six such products). The number of target tokens per batch is a guess. */
static double shared_work(const struct model *model, const elman_pairs *pairs,
                          const elman_train_options *options) {
  enum { TYPICAL_LENGTH = 8, PRODUCTS = 6 };
  const struct model_config *config = &model->config;
  const double count = (double)elman_pairs_count(pairs);
  const double batch_size = options->batch_tokens > 0
                                ? (double)options->batch_tokens / TYPICAL_LENGTH
                                : (double)options->batch_size;
  const double copies = options->r_drop > 0 ? 2 : 1;
  const double rows = TYPICAL_LENGTH * copies * fmin(batch_size, count);
  const double H = (double)config->hidden_size, V = (double)config->target_vocabulary;
  const double product = rows * H * fmax(2 * V, fmax(H, (double)config->embedding_size));
  return fmax(options->shards > 1 ? PRODUCTS * product : product,
              pieces_work(elman_pairs_count(pairs)));
}

/* Create a training. `done` is NULL, or the same pairs, which this function frees, also after an
 * error. */
static elman_status create(elman_training **created, struct model *model, const elman_pairs *pairs,
                           elman_pairs *done, const elman_train_options *options,
                           elman_error *error) {
  const elman_train_options defaults = elman_train_options_default();
  const elman_pairs *inner = pairs;
  struct surroundings before;
  if (options == NULL) options = &defaults;
  elman_training *run = NULL;
  elman_status status = elman_train_options_check(options, error);
  if (status == ELMAN_OK && options->dev == NULL && options->dev_name != NULL)
    status = fail(error, ELMAN_INVALID_ARGUMENT, NULL, "`dev_name` needs dev pairs");
  if (status == ELMAN_OK) status = run_create(&run, options, error);
  if (status == ELMAN_OK)
    status = enter(&before, options->threads, shared_work(model, inner, options), error);
  const bool entered = status == ELMAN_OK;
  status = elman_group_agree(options->group, status, error);
  if (status == ELMAN_OK) {
    status = encode_all(run, model, inner, done, error);
    status = elman_group_agree(options->group, status, error);
  }
  elman_pairs_free(done);
  if (status == ELMAN_OK) {
    status = run_begin(run, model, &run->encoded, error);
    mark_trained(run, model);
  }
  if (entered) {
    run->team = keep_team(&before);
    leave(before);
  }
  if (status != ELMAN_OK) {
    elman_training_free(run);
    run = NULL;
  }
  *created = run;
  return status;
}

elman_status elman_training_create(elman_training **training, elman_model *model,
                                   const elman_pairs *pairs, const elman_train_options *options,
                                   elman_error *error) {
  elman_error own;
  return create(training, inner_model(model), pairs, NULL, options, error == NULL ? &own : error);
}

/* Do one step of a run, with its threads. */
enum step { ADVANCE, SAVE, FINISH };
static elman_status do_step(elman_training *run, enum step step, size_t updates,
                            elman_error *error) {
  elman_error own;
  struct surroundings before;
  struct model *model = run->trainer.model;
  if (error == NULL) error = &own;
  if (model->changes != run->changes)
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL,
                "another training run has changed the model, so this run cannot continue");
  enter_again(&before, run->team);
  const elman_status status = step == ADVANCE ? run_advance(run, updates, error)
                              : step == SAVE  ? run_save(run, error)
                                              : run_finish(run, error);
  mark_trained(run, model);
  leave(before);
  return status;
}

elman_status elman_training_advance(elman_training *training, size_t updates, bool *finished,
                                    elman_error *error) {
  *finished = false;
  if (updates == 0)
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL,
                "the number of updates must be at least 1, not 0");
  const elman_status status = do_step(training, ADVANCE, updates, error);
  *finished = training->finished;
  return status;
}

elman_status elman_training_save(elman_training *training, elman_error *error) {
  return do_step(training, SAVE, 0, error);
}

elman_status elman_training_finish(elman_training *training, elman_error *error) {
  return do_step(training, FINISH, 0, error);
}

/* Train until the last update. Finish also after a stop or an error. */
static elman_status train(elman_model *model, const elman_pairs *pairs, elman_pairs *done,
                          const elman_train_options *options, elman_error *error) {
  elman_training *run;
  elman_error own, problem;
  if (error == NULL) error = &own;
  elman_status status = create(&run, inner_model(model), pairs, done, options, error);
  if (status != ELMAN_OK) return status;
  status = do_step(run, ADVANCE, SIZE_MAX, error);
  const elman_status end = do_step(run, FINISH, 0, &problem);
  if (end != ELMAN_OK && (status == ELMAN_OK || status == ELMAN_INTERRUPTED))
    status = fail_again(error, &problem);
  elman_training_free(run);
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
