/* Training with teacher forcing: single updates, and the loop over epochs. */
#ifndef ELMAN_TRAIN_TRAINER_H
#define ELMAN_TRAIN_TRAINER_H

#include <stdbool.h>
#include <stdint.h>

#include "model/model.h"
#include "model/network.h"
#include "train/adam.h"

struct trainer_report {
  size_t epoch, epochs;   /* from 1 */
  size_t update, updates; /* within the epoch, from 1 */
  size_t tokens;          /* target tokens seen in this epoch */
  double loss;            /* mean per token over this epoch so far */
  double update_loss;
  double gradient_norm; /* before clipping */
};

typedef bool trainer_report_function(void *context, const struct trainer_report *report);

struct trainer_options {
  size_t epochs;
  size_t batch_size; /* sentences */
  struct adam_options adam;
  double clip_norm; /* 0 = off */
  double dropout;   /* probability */
  double label_smoothing;
  uint64_t seed;                   /* of the order of the pairs */
  trainer_report_function *report; /* after each update; false stops; may be NULL */
  void *context;
};

/* All that changes from update to update. */
struct trainer {
  struct model *model;        /* borrowed */
  real *gradients, *m, *v;    /* blocks laid out like the model's */
  struct parameters dweights; /* views into `gradients` */
  struct workspace workspace;
  uint64_t update; /* done so far */
};

enum status trainer_create(struct trainer *trainer, struct model *model,
                           struct error *error) CHECKED;
void trainer_free(struct trainer *trainer);

/* Forward, backward, clipping and one Adam update. The batch's mean loss before the update goes to
 * *loss, the gradient's norm to *norm. A loss that is not finite is STATUS_INVALID_ARGUMENT, and
 * the weights stay as they were. */
enum status trainer_step(struct trainer *trainer, const struct batch *batch,
                         const struct trainer_options *options, double *loss, double *norm,
                         struct error *error) CHECKED;

/* At least 10 epochs, and as many as give 400 updates. */
size_t trainer_default_epochs(size_t pairs, size_t batch_size);

/* STATUS_INTERRUPTED when the report function stopped it. */
enum status trainer_run(struct model *model, const struct corpus *corpus,
                        const struct trainer_options *options, struct error *error) CHECKED;

#endif
