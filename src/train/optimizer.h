/* One update of all weights: the norm of the gradient, clipping, Adam, the moving average.
 *
 * A block is walked in ranges. Those of the network's matrices get every update at once. An
 * embedding gets its updates row by row, when a row is needed; one that is also the output layer
 * has a gradient in every row and counts as a matrix.
 *
 * A batch holds few of a vocabulary's words; the rows of all others have the gradient 0. Adam moves
 * them all the same, since their moments only decay, and passing over whole tables would be half of
 * its work or more. But no result depends on such a row until its word is in a batch again. So its
 * updates are deferred, and then done one after another, while the row stays in the first cache:
 *
 *   update          1   2     3   4   5
 *   its batch has   a   b     c   c   a
 *   row a gets      1                 2 3 4 with g = 0, then 5 with its gradient
 *   row b gets          1 2           and still lacks 3 4 5
 *
 * The constants of every update (struct update_step) are recorded for that. The operations and
 * their order are those of a pass over everything, so every bit is the same. A row whose moments
 * are 0, as of a word that was in no batch, does not move; it is neither written nor, in the
 * moments and gradients, given memory. Steps must be finite and their ε not 0. */
#ifndef ELMAN_TRAIN_OPTIMIZER_H
#define ELMAN_TRAIN_OPTIMIZER_H

#include "model/model.h"
#include "train/adam.h"

/* Numbers that belong to the same weights. */
struct weight_blocks {
  real *weights, *gradients, *m, *v;
  real *average; /* NULL = none is kept */
};

/* The constants of one update. */
struct update_step {
  struct adam_step adam;
  real average_share; /* of the weights in the moving average */
};

/* The updates since all rows had all of theirs. */
enum { MAX_DEFERRED_UPDATES = 512 };
struct update_record {
  struct update_step steps[MAX_DEFERRED_UPDATES];
  size_t count;
};

/* An embedding. Its gradients are 0 except in the listed rows. */
struct deferred_table {
  struct weight_blocks table; /* each (rows,columns) */
  size_t rows, columns;
  uint32_t *done;  /* (rows): how many of the recorded updates a row has had */
  bool *listed;    /* (rows): whether it is in the list */
  uint32_t *list;  /* (rows): those of the batch, each once, as they first come up */
  double *squares; /* (rows): by place in the list */
  size_t count;    /* rows in the list */
};

struct optimizer {
  struct weight_blocks blocks; /* laid out as the model's, whose weights are borrowed */
  struct range ranges[3];      /* all but the tables below */
  size_t range_count;
  struct deferred_table tables[2]; /* of the source's words, of the target's */
  size_t table_count;
  struct update_record record;
};

/* The share of the weights in the moving average after update `update`, which counts from 1. The
 * first shares are larger, so that the initial weights soon have little part in it. Polyak and
 * Juditsky, "Acceleration of stochastic approximation by averaging", SIAM 1992; docs/training.md,
 * section 3. */
real average_share(double decay, uint64_t update);

/* Gradients and moments are 0; the average, if there is one, begins as the weights. */
elman_status optimizer_create(struct optimizer *optimizer, const struct model *model, bool average,
                              elman_error *error) CHECKED;
void optimizer_free(struct optimizer *optimizer);

/* Lists the rows of this batch's words and brings them up to date, before they are looked up and
 * the batch's gradients added. */
void optimizer_begin(struct optimizer *optimizer, const struct batch *batch);

/* The Euclidean norm of the batch's gradients. */
double optimizer_norm(struct optimizer *optimizer);

/* The update with the batch's gradients; or not, when they are unusable. Either ends the batch, and
 * the gradients are 0 again. */
void optimizer_update(struct optimizer *optimizer, const struct update_step *step);
void optimizer_skip(struct optimizer *optimizer);

/* Does all deferred updates of weights, moments and average. Not between optimizer_begin and the
 * end of the batch. */
void optimizer_flush(struct optimizer *optimizer);

#endif
