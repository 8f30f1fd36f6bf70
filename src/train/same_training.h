/* What makes a training the same one: a checkpoint tells it, and who goes on from there must agree;
 * so must processes that train together. */
#ifndef ELMAN_TRAIN_SAME_TRAINING_H
#define ELMAN_TRAIN_SAME_TRAINING_H

#include "base/json.h"
#include "model/safetensors.h"
#include "train/trainer.h"

struct corpus_hashes {
  uint64_t ids;   /* of both sides, in order */
  uint64_t guide; /* of the links; 0 = no guides */
};
struct corpus_hashes corpus_hashes_of(const struct corpus *corpus);

/* Corpus, model and the options of these scopes, each by the name that a message gives it; NULL
 * when memory runs out. */
json_t *training_describe(const struct trainer *trainer, const elman_train_options *options,
                          unsigned scopes, struct corpus_hashes hashes);

/* Names of what is compared by its hash; only for messages. NULL when memory runs out. */
json_t *training_names(const elman_train_options *options);
json_t *training_start_to_json(const struct training_start *start);

/* ELMAN_INVALID_ARGUMENT, with what differs, unless corpus, model and options are those that the
 * checkpoint tells of. */
elman_status training_check_options(const struct safetensors *file, const struct trainer *trainer,
                                    const elman_train_options *options, struct corpus_hashes hashes,
                                    elman_error *error) CHECKED;

/* Takes what the training began from, or ELMAN_INVALID_ARGUMENT if the trainer began from something
 * else. A file of an earlier version does not tell, and is taken at the user's word. */
elman_status training_read_start(struct trainer *trainer, const struct safetensors *file,
                                 elman_error *error) CHECKED;

#endif
