/* One update of all weights: the norm of the gradient, clipping, Adam, the moving average.
 *
 * A block is walked in ranges. Those of the network's matrices get every update at once, the
 * embeddings in between row by row (train/deferred.h); one that is also the output layer has a
 * gradient in every row and counts as a matrix. */
#ifndef ELMAN_TRAIN_OPTIMIZER_H
#define ELMAN_TRAIN_OPTIMIZER_H

#include "model/model.h"
#include "train/deferred.h"

struct optimizer {
  struct weight_blocks blocks; /* borrowed */
  struct range ranges[3];      /* all but the tables below */
  size_t range_count;
  struct deferred_table tables[2]; /* of the source's words, of the target's */
  size_t table_count;
  struct update_record record;
};

/* The blocks are laid out as the model's; weights and moments are at rest or as an optimizer left
 * them after optimizer_settle; the gradients are 0. */
elman_status optimizer_create(struct optimizer *optimizer, const struct model *model,
                              struct weight_blocks blocks, elman_error *error) CHECKED;
void optimizer_free(struct optimizer *optimizer);

/* Before this batch's words are looked up and its gradients added. */
void optimizer_begin(struct optimizer *optimizer, const struct batch *batch);

/* The Euclidean norm of the batch's gradients. */
double optimizer_norm(struct optimizer *optimizer);

/* The update with the batch's gradients; or not, when they are unusable. Either ends the batch, and
 * the gradients are 0 again. */
void optimizer_update(struct optimizer *optimizer, struct update_step step);
void optimizer_skip(struct optimizer *optimizer);

/* Until then, rows of embeddings that no batch looked up may be behind, in weights, moments and
 * average. Not between optimizer_begin and the end of the batch. */
void optimizer_settle(struct optimizer *optimizer);

#endif
