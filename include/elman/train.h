/* Training. */
#ifndef ELMAN_TRAIN_H
#define ELMAN_TRAIN_H

#include "elman/group.h"
#include "elman/model.h"

ELMAN_BEGIN

/* Progress after an update. */
typedef struct elman_train_report {
  size_t epoch, epochs;    /* from 1 */
  size_t update, updates;  /* within the epoch, from 1 */
  uint64_t updates_so_far; /* since the start, skipped updates included */
  size_t tokens;           /* target tokens of this epoch so far, </s> included */
  size_t pairs;            /* pairs of an epoch */
  size_t left_out;         /* pairs that are skipped because a side is too long */
  size_t unaligned;        /* pairs that are skipped because their alignment has a token number that
                              does not exist; elman_pairs_read finds other bad alignments */
  const elman_error *first_unaligned; /* the first of them; NULL if there are none */
  double unknown_source; /* fraction of source tokens outside the vocabulary, 0 to 1; all of them
                            are trained as one unknown word */
  double unknown_target;
  double marked_source; /* fraction of sources that end with a mark, such as a full stop, 0 to 1 */
  unsigned idle; /* options of the group "Augmentation" that changed no pair of this epoch although
                    twenty changed pairs were expected: bit i stands for row i of the group in
                    elman/options.h */
  double loss;   /* mean cross-entropy per target token of this epoch so far, without the divergence
                    of R-Drop; NaN as long as all updates were skipped */
  double update_loss;   /* loss of this update */
  double guide_loss;    /* guide loss of this update: mean cross-entropy between alignment and
                           attention per linked target token; 0 without guided alignment */
  size_t linked;        /* linked target tokens of this update; 0 without guided alignment */
  size_t unguided;      /* pairs without links; all pairs without guided alignment */
  double gradient_norm; /* before clipping */
  double learning_rate;
  size_t skipped; /* skipped updates so far: their loss was not finite */
} elman_train_report;

/* Results of a validation. */
typedef struct elman_validation {
  size_t epoch;               /* current epoch, from 1 */
  uint64_t update;            /* updates since the start */
  double loss;                /* mean cross-entropy per target token, without label smoothing */
  double perplexity;          /* exp(loss) */
  double exact_match;         /* fraction of greedy translations that equal the reference, 0 to 1 */
  double bleu, chrf;          /* scores of greedy translations, 0 to 100 */
  const char *bleu_signature; /* settings of this BLEU; valid during the call */
  const char *measure;        /* the metric that selects the best model: "bleu", "chrf" or "loss" */
  bool best;                  /* better than all previous validations, by this metric */
} elman_validation;

/* Called after every update and after every validation. Return false to stop: training ends with
 * ELMAN_INTERRUPTED, and the model keeps what it has learned. */
typedef bool elman_train_function(void *context, const elman_train_report *report);
typedef bool elman_validation_function(void *context, const elman_validation *validation);

/* Called after every update. Return whether to write the checkpoint now. */
typedef bool elman_checkpoint_wanted_function(void *context);

/* Called after every attempt to write the checkpoint and, for `save_best`, the best model.
 * `problem` is the reason of a failure; NULL = success. Training continues in both cases and tries
 * again when the next checkpoint is due. */
typedef void elman_checkpoint_function(void *context, const elman_error *problem);

/* State of the snapshots, reported at the start of training and after each snapshot. `problem` is
 * the reason why a file could not be written or deleted; NULL = success. Training continues in both
 * cases. */
typedef struct elman_snapshot {
  uint64_t update; /* update at which the snapshot was written; 0 = training starts or resumes */
  size_t removed;  /* when a new run starts: number of deleted snapshots of earlier runs */
  size_t others; /* when a run resumes: number of snapshots of other runs, which keep_last does not
                    delete */
  size_t own;    /* number of existing snapshots of this run */
  const elman_error *problem;
} elman_snapshot;
typedef void elman_snapshot_function(void *context, const elman_snapshot *snapshot);

/* Value of `epochs` that lets the library choose the number of epochs. */
#define ELMAN_EPOCHS_AUTO SIZE_MAX

/* Value of guide_weight that guides attention with little effect on the translation. */
#define ELMAN_DEFAULT_GUIDE_WEIGHT 0.3

/* Options of training; elman/options.h describes the rows. */
typedef struct elman_train_options {
  ELMAN_TRAIN_OPTIONS(ELMAN_FIELD)
  uint64_t reserved_rows[16];
  size_t epochs;  /* default ELMAN_EPOCHS_AUTO: at least 10 epochs and at least 400 updates */
  size_t threads; /* 0 (default) = one per core; results do not depend on it */

  /* Processes that train one model; NULL (default) = this process alone. There are at most `shards`
   * processes, and the model does not depend on their number. Every process receives the model;
   * only process 0 writes the checkpoint and calls the functions below. */
  const elman_group *group;

  const elman_pairs *dev; /* pairs for validation; the best model is kept. NULL (default) = none */
  const char *pairs_name; /* name of the pairs, such as their file names, printed if a checkpoint
                             belongs to other pairs; NULL (default) = none */
  const char *dev_name;   /* name of the dev pairs; printed like pairs_name */
  const char *guide_name; /* name of the alignments; printed like pairs_name */
  const char
      *checkpoint;    /* file to which the state is saved when training ends, also after the last
                         epoch, so that training can be extended; NULL (default) = none. An existing
                         file is replaced. Only one run may use it: see elman_lock_acquire */
  const char *output; /* path to which the caller will save the model. Training fails at once if
                         there is no room for this file and the checkpoint. The checkpoint gets the
                         permissions of this file, and snapshots get its name. NULL (default) =
                         none */
  size_t keep_last;   /* number of snapshots to keep beside `output`: models of the last validations
                         or, without dev pairs, of the last epochs. The model of update 400 is
                         `output`.update400; older snapshots are deleted; 0 (default) = none */
  double save_every;  /* seconds between periodic checkpoints; 0 (default) = none. The checkpoint is
                         also written at the end, for save_best and for checkpoint_wanted */
  bool save_best;     /* write the checkpoint, and then the best model to `output`, soon after a
                         validation has found a new best: at once, unless writing would take more than
                         about a twentieth of the time. Default false */
  bool resume; /* resume from the checkpoint, if it exists. The final model is byte-identical to
                  that of an uninterrupted run. ELMAN_INVALID_ARGUMENT if corpus, model or options
                  differ */

  elman_train_function *report;                        /* may be NULL */
  elman_validation_function *validated;                /* may be NULL */
  elman_checkpoint_wanted_function *checkpoint_wanted; /* may be NULL */
  elman_checkpoint_function *checkpoint_written; /* NULL (default) = a checkpoint that cannot be
                                                    written ends training with its error */
  elman_snapshot_function *snapshot_written; /* NULL (default) = a snapshot that cannot be written
                                                ends training with its error */
  void *context;
  uint64_t reserved[8];
} elman_train_options;

ELMAN_API elman_train_options elman_train_options_default(void);

/* Check the options as far as this is possible without pairs. If `dev` is NULL, a `dev_name` stands
 * for dev pairs that the program has not read yet. */
ELMAN_CHECKED elman_status elman_train_options_check(const elman_train_options *options,
                                                     elman_error *error);

/* State of the training run that wrote a checkpoint. */
typedef enum elman_checkpoint_state {
  ELMAN_CHECKPOINT_NONE,
  ELMAN_CHECKPOINT_UNFINISHED,
  ELMAN_CHECKPOINT_FINISHED /* the run is complete: replacing the checkpoint loses little */
} elman_checkpoint_state;

/* Get the state of the checkpoint at `path`. A file that exists and cannot be read is an error. */
ELMAN_CHECKED elman_status elman_checkpoint_get_state(elman_checkpoint_state *state,
                                                      const char *path, elman_error *error);

/* Set the options of scope ELMAN_SCOPE_TRAINING to those of the run that wrote the checkpoint at
 * `path`. Other fields stay unchanged. After an error all fields are unchanged. */
ELMAN_CHECKED elman_status elman_checkpoint_get_options(elman_train_options *options,
                                                        const char *path, elman_error *error);

/* Set *count to the number of snapshots that earlier runs with `keep_last` left beside `output`.
 * Set *longest to the longest history among these snapshots. A new run with `keep_last` deletes
 * them. A snapshot contains a hash of its file name: other models with such a name, and renamed
 * copies of snapshots, are neither counted nor deleted. */
ELMAN_CHECKED elman_status elman_snapshots_find(elman_history *longest, size_t *count,
                                                const char *output, elman_error *error);

/* Return whether `name` is the name of a snapshot of `model`, such as model.update400; both are
 * file names without folders. Set *update to the update of the snapshot. */
ELMAN_API bool elman_snapshot_update(uint64_t *update, const char *name, const char *model);

/* Train with teacher forcing, back-propagation through time, and Adam or Muon. An update whose loss
 * is not finite is skipped. Return ELMAN_INVALID_ARGUMENT after ten consecutive skipped updates,
 * and if values overflow in a validation. `options` may be NULL for the defaults.
 *
 * An error during training loses nothing. The model is then the best one on the dev pairs or,
 * without dev pairs, the last one, as after a stop. Its history is up to date, and the checkpoint
 * is written. After ten updates whose loss is not finite, the checkpoint and the last model are
 * useless: only the best model is kept. If there is no best model, the history is unchanged.
 *
 * A guide_weight λ above 0 enables guided alignment (Chen et al., AMTA 2016) with the word
 * alignments of the pairs (elman/pairs.h). It adds λ times the guide loss to the loss. The guide
 * loss is the mean, over all linked target tokens, of a cross-entropy between two distributions:
 * the uniform distribution over the linked source tokens, and the attention averaged over the
 * heads. A link of two words links all their tokens; tokens without a link, and </s>, are not
 * guided. Alignments count words separated by white space; in Chinese text without spaces they
 * count tokens. Exports of attention use the same units. Return ELMAN_BAD_DATA, with file and line,
 * if an alignment is malformed or out of range, and if no pair has links. Without a guide_weight
 * alignments are ignored. */
ELMAN_CHECKED elman_status elman_train(elman_model *model, const elman_pairs *pairs,
                                       const elman_train_options *options, elman_error *error);

/* Train like elman_train, but free the pairs as soon as they are encoded, or after an error, and
 * set *pairs to NULL. The text of the pairs takes more memory than their tokens. The pairs must not
 * be options->dev. */
ELMAN_CHECKED elman_status elman_train_and_free_pairs(elman_model *model, elman_pairs **pairs,
                                                      const elman_train_options *options,
                                                      elman_error *error);

/* A training run that the caller advances. Between two calls of these functions a program can do
 * other work: translate or evaluate with the half-trained model, save it, or draw. The final model,
 * the checkpoints and the snapshots are byte-identical to those of elman_train. */
typedef struct elman_training elman_training;

/* Begin to train like elman_train, or resume from the checkpoint. The pairs are encoded in this
 * call and may then be freed. The options are copied. The model, options->group, options->dev, the
 * strings and the context are borrowed until elman_training_free. Until then do not free the model,
 * and do not train it by other functions. */
ELMAN_CHECKED elman_status elman_training_create(elman_training **training, elman_model *model,
                                                 const elman_pairs *pairs,
                                                 const elman_train_options *options,
                                                 elman_error *error);

/* Do at most `updates` updates, at least 1, and the validations, snapshots and checkpoints that are
 * due. Skipped updates count. Afterwards the model has the parameters and the history of the last
 * update, and no stored search (elman_model_set_search). Set *finished to true if no update
 * remains, otherwise to false. If no update remains, a further call does nothing. Each call brings
 * the parameters of all words up to date; with a large vocabulary, many calls of one update take
 * longer than one call of many updates.
 *
 * If a callback stops training, return ELMAN_INTERRUPTED. The next call continues. After any other
 * error of training only elman_training_finish and elman_training_free are useful; this function
 * then returns ELMAN_INVALID_ARGUMENT and changes nothing. It also returns ELMAN_INVALID_ARGUMENT,
 * and changes nothing, after elman_training_finish, for 0 updates, and if another training run has
 * changed the model.
 *
 * All processes of a group make the same calls with the same numbers of updates. */
ELMAN_CHECKED elman_status elman_training_advance(elman_training *training, size_t updates,
                                                  bool *finished, elman_error *error);

/* Write the checkpoint now, between two calls of elman_training_advance; the run continues. Another
 * run can resume from it, also with a model that was saved at this moment and loaded later. Return
 * ELMAN_INVALID_ARGUMENT without a checkpoint in the options, after elman_training_finish, and
 * after an error of training. Only process 0 writes. */
ELMAN_CHECKED elman_status elman_training_save(elman_training *training, elman_error *error);

/* End the run as elman_train does, after the last update or before, and also after an error: the
 * model gets the result of the run, and the checkpoint is written. After an error, "An error during
 * training loses nothing" applies (elman_train). If updates remain, the result and the checkpoint
 * are those of a run that a callback stopped, and another run can resume from the checkpoint.
 * Return only errors of this call, such as a checkpoint that cannot be written. A second call
 * returns ELMAN_INVALID_ARGUMENT and changes nothing. */
ELMAN_CHECKED elman_status elman_training_finish(elman_training *training, elman_error *error);

/* Free the training before its model. Without elman_training_finish, the model keeps the parameters
 * and the history of the last update; the best model so far and the moving average are lost, and
 * no checkpoint is written. */
ELMAN_API void elman_training_free(elman_training *training);

ELMAN_END

#endif
