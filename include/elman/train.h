/* Training. */
#ifndef ELMAN_TRAIN_H
#define ELMAN_TRAIN_H

#include "elman/group.h"
#include "elman/model.h"

ELMAN_BEGIN

/* Where training stands after an update. */
typedef struct elman_train_report {
  size_t epoch, epochs;    /* from 1 */
  size_t update, updates;  /* within the epoch, from 1 */
  uint64_t updates_so_far; /* since the start, those left out included */
  size_t tokens;           /* target tokens seen in this epoch, </s> included */
  size_t left_out;         /* pairs that are not trained on, since a side is too long */
  double unknown_source;   /* share of the source's tokens that the vocabulary lacks, 0 to 1: the
                              model learns them as one unknown word */
  double unknown_target;
  double loss;        /* mean cross-entropy per target token over this epoch so far; not a
                         number while all its updates were left out */
  double update_loss; /* of this update alone */
  double guide_loss;  /* likewise, mean cross-entropy between guide and attention per linked target
                         token; 0 where there is none */
  size_t linked;      /* those tokens of this update; 0 without a guide */
  size_t unguided;    /* pairs without any link; all of them without a guide */
  double gradient_norm; /* before clipping */
  double learning_rate;
  size_t skipped; /* updates left out so far, since their loss was not finite */
} elman_train_report;

/* What a validation found. */
typedef struct elman_validation {
  size_t epoch;       /* the current one, from 1 */
  uint64_t update;    /* updates since the start */
  double loss;        /* mean cross-entropy per target token, without label smoothing */
  double perplexity;  /* exp(loss) */
  double exact_match; /* of greedy translations, 0 to 1 */
  double bleu, chrf;  /* likewise, 0 to 100 */
  bool best;          /* better than all before, by the measure of the options */
} elman_validation;

/* Called after every update, and after every validation. Both return false to stop: training ends
 * with ELMAN_INTERRUPTED, and the model keeps what it has learnt. */
typedef bool elman_train_function(void *context, const elman_train_report *report);
typedef bool elman_validation_function(void *context, const elman_validation *validation);

/* Called after every attempt to write the checkpoint: `problem` says why that failed; NULL = it is
 * written. Training goes on in any case, and tries again when the next checkpoint is due. */
typedef void elman_checkpoint_function(void *context, const elman_error *problem);

/* Called once training begins, with how many models of other trainings were there; then for every
 * model that is kept, with its update. `problem` says what could not be written or removed; NULL =
 * all is well. Training goes on in any case. */
typedef struct elman_snapshot {
  uint64_t update; /* 0 = training begins, or goes on */
  size_t removed;  /* where it begins: those of others, which are gone */
  size_t others;   /* where it goes on: those of others, which stay, whatever keep_last is */
  size_t own;      /* those of this training, which are there now */
  const elman_error *problem;
} elman_snapshot;
typedef void elman_snapshot_function(void *context, const elman_snapshot *snapshot);

/* A number of epochs that leaves the choice to the library. */
#define ELMAN_EPOCHS_AUTO SIZE_MAX

/* A guide_weight that leads attention without taking much from the translation. */
#define ELMAN_DEFAULT_GUIDE_WEIGHT 0.3

/* elman/hyperparameters.h says what the fields are that change the result. */
typedef struct elman_train_options {
  ELMAN_TRAIN_HYPERPARAMETERS(ELMAN_FIELD)
  size_t epochs;  /* default ELMAN_EPOCHS_AUTO: at least 10 and as many as give 400 updates */
  size_t threads; /* 0 (default) = one a core; the result does not depend on it */

  /* Processes that train one model; NULL (default) = this one alone. There are at most as many as
   * `shards`, and the model does not depend on their number. All get it; only process 0 writes the
   * checkpoint and calls the functions below. */
  const elman_group *group;

  const elman_pairs *dev; /* pairs to validate on; the best model is kept. NULL (default) = none */
  const char *pairs_name; /* what a message calls the pairs where a checkpoint belongs to others,
                             such as the names of their files; NULL (default) = nothing */
  const char *dev_name;   /* likewise the dev pairs */
  const char *guide_name; /* likewise the alignments that guide attention */
  const char *checkpoint; /* file to which training is saved when it ends, also after its last
                             epoch, so that it can be made longer; NULL (default) = none. One that
                             is there is replaced then, if not before. For one training at a time:
                             see elman_lock_acquire */
  const char *output;     /* where the model will go: a checkpoint has the permissions of the file
                             there. NULL (default) = those of any new file */
  size_t keep_last;       /* models that stay beside `output`, those of the last validations, or
                             of the last epochs without dev pairs: that of update 400 is the file
                             `output`.update400, older ones are removed; 0 (default) = none */
  double save_every;      /* and every so many seconds; 0 (default) = only when it ends */
  bool resume; /* go on from the checkpoint, if it is there: the final model is the same, byte
                  for byte, as that of a run that never stopped. ELMAN_INVALID_ARGUMENT when
                  corpus, model or options differ */

  elman_train_function *report;                  /* may be NULL */
  elman_validation_function *validated;          /* may be NULL */
  elman_checkpoint_function *checkpoint_written; /* NULL (default) = a checkpoint that cannot be
                                  written ends training, with its error */
  elman_snapshot_function *snapshot_written;     /* likewise for models that are kept */
  void *context;
} elman_train_options;

ELMAN_API elman_train_options elman_train_options_default(void);

/* What the file of a checkpoint holds. */
typedef enum elman_checkpoint_state {
  ELMAN_CHECKPOINT_NONE,
  ELMAN_CHECKPOINT_UNFINISHED,
  ELMAN_CHECKPOINT_FINISHED /* its training came to its end: little is lost if it is replaced */
} elman_checkpoint_state;

/* Looks into the checkpoint at `path`. One that is there and cannot be read is an error. */
ELMAN_CHECKED elman_status elman_checkpoint_get_state(elman_checkpoint_state *state,
                                                      const char *path, elman_error *error);

/* The models that trainings with `keep_last` left beside `output`: *count of them, and in *longest
 * what that one has learnt that took the most work. A new training with `keep_last` removes them. A
 * file of such a name that is no model is none of them, and stays.
 */
ELMAN_CHECKED elman_status elman_snapshots_find(elman_history *longest, size_t *count,
                                                const char *output, elman_error *error);

/* Whether `name` is that of a model that a training with `keep_last` left beside one of the name
 * `model`, both without their folder: model.update400. Gives the update. */
ELMAN_API bool elman_snapshot_update(uint64_t *update, const char *name, const char *model);

/* Trains with teacher forcing, back-propagation through time and Adam. An update whose loss is not
 * finite is left out; ten in a row are an error, ELMAN_INVALID_ARGUMENT. `options` may be NULL for
 * the defaults.
 *
 * An error once training has begun loses nothing: as after a stop, the model is the best one by the
 * dev pairs or, without them, the last one, its history tells what it has learnt, and the
 * checkpoint is written. After ten updates that were not finite neither checkpoint nor last model
 * is of use: only a best one is kept, and without one the history stays as it was.
 *
 * With a guide_weight λ above 0, attention is guided (Chen et al., AMTA 2016) by the word
 * alignments that the pairs were read with (elman/pairs.h): λ times the mean over all linked target
 * tokens of the cross-entropy between their attention, the average of the heads, and the uniform
 * distribution over the source tokens that they are linked with. A link of two words is one of all
 * their tokens; tokens without a link, and </s>, are not guided. Alignments count words as white
 * space separates them, and in Han without spaces tokens, as attention is exported. ELMAN_BAD_DATA,
 * with file and line, where one is none or names a word that is not there, and where no pair has
 * any. Without a guide_weight alignments are not looked at. */
ELMAN_CHECKED elman_status elman_train(elman_model *model, const elman_pairs *pairs,
                                       const elman_train_options *options, elman_error *error);

/* The same, but frees the pairs, which are not those of `options->dev`, once they are encoded, or
 * after an error, and sets *pairs to NULL: their text and its places take more memory than their
 * tokens do. */
ELMAN_CHECKED elman_status elman_train_and_free_pairs(elman_model *model, elman_pairs **pairs,
                                                      const elman_train_options *options,
                                                      elman_error *error);

ELMAN_END

#endif
