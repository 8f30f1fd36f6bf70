/* The optimizer: the norm of the gradient, clipping, Adam or Muon, and the moving average, for all
 * weights. Muon updates the matrices that map vectors of the network (`hidden` of their
 * parameters); Adam updates everything else.
 *
 * The matrices of the network receive every update immediately, range by range. An embedding
 * receives its updates row by row, when a row is needed. A tied embedding, which is also the output
 * layer, has a gradient in every row and is treated as a matrix.
 *
 * A batch contains few words of a vocabulary; the rows of all other words have gradient 0. Adam
 * moves these rows as well, because their moments decay. Updating whole tables would take half of
 * Adam's time or more. But no result depends on a row until its word occurs in a batch again.
 * Therefore the updates of a row are deferred until then. They are applied one after another while
 * the row stays in the first-level cache:
 *
 *   update          1   2     3   4   5
 *   words in batch  a   b     c   c   a
 *   row a gets      1                 2 3 4 with g = 0, then 5 with its gradient
 *   row b gets          1 2           and still lacks 3 4 5
 *
 * For this purpose the constants of every update (struct update_step) are recorded. Each row
 * receives the same operations in the same order as without deferral, so the results are
 * bit-identical. A row whose moments are 0, for example the row of a word that was in no batch,
 * does not move. Such a row is not written, and its moments and gradients use no memory. Learning
 * rates must be finite and ε must not be 0. */
#ifndef ELMAN_TRAIN_OPTIMIZER_H
#define ELMAN_TRAIN_OPTIMIZER_H

#include "model/model.h"
#include "train/adam.h"
#include "train/muon.h"

/* Arrays with the same layout: element i of each array belongs to the same weight. */
struct weight_blocks {
  real *weights, *gradients, *m, *v;
  real *average; /* NULL = no moving average */
};

/* The constants of one update. */
struct update_step {
  struct adam_step adam;
  struct muon_step muon;
  real average_share; /* fraction of the weights that enters the moving average */
};

/* A record of the updates since all rows were last up to date. */
enum { MAX_DEFERRED_UPDATES = 512 };
struct update_record {
  struct update_step steps[MAX_DEFERRED_UPDATES];
  size_t count;
};

/* An embedding. Its gradients are 0 except in the listed rows. */
struct deferred_table {
  struct weight_blocks table; /* each array: (rows,columns) */
  size_t rows, columns;
  uint32_t *done; /* (rows): number of recorded updates applied to the row */
  bool *listed;   /* (rows): whether the row is in the list */
  uint32_t *list; /* (rows): rows of the batch, each once, in order of first occurrence */
  double
      *squares; /* (rows): sum of squares of each listed row's gradient, by position in the list */
  size_t count; /* number of rows in the list */
};

/* Optimizers, in the order of their names in model/options.c. */
enum optimizer_kind { OPTIMIZER_ADAM, OPTIMIZER_MUON };

struct optimizer_options {
  enum optimizer_kind kind;
  bool average; /* whether there is a moving average */
};

struct optimizer {
  struct weight_blocks
      blocks;             /* blocks laid out like the model's block; the weights are borrowed */
  struct range ranges[3]; /* everything except the following tables */
  size_t range_count;
  struct range adam[MAX_PARAMETERS]; /* the parts of the ranges that Adam updates */
  size_t adam_count;
  struct muon muon;                /* updates the other parts */
  struct deferred_table tables[2]; /* embeddings of the source words and of the target words */
  size_t table_count;
  struct update_record record;
};

/* Return the fraction of the weights that enters the moving average after update `update`, counted
 * from 1. It is larger at first, so that the initial weights soon have little influence. Polyak and
 * Juditsky, "Acceleration of stochastic approximation by averaging", SIAM 1992; docs/training.md,
 * section 3. */
real average_share(double decay, uint64_t update);

/* Set gradients and moments to 0. Set the moving average, if there is one, to the weights. */
elman_status optimizer_create(struct optimizer *optimizer, const struct model *model,
                              struct optimizer_options options, elman_error *error) CHECKED;
void optimizer_free(struct optimizer *optimizer);

/* List the rows of this batch's words and bring them up to date. The caller must do this before it
 * looks up these rows and adds the batch's gradients. */
void optimizer_begin(struct optimizer *optimizer, const struct batch *batch);

/* Return the Euclidean norm of the batch's gradients. */
double optimizer_norm(struct optimizer *optimizer);

/* Apply the batch's gradients, or discard them if they are unusable. Both functions end the batch
 * and set the gradients to 0. */
void optimizer_update(struct optimizer *optimizer, const struct update_step *step);
void optimizer_skip(struct optimizer *optimizer);

/* Apply all deferred updates of weights, moments and average. This function must not be called
 * between optimizer_begin and the end of the batch. */
void optimizer_flush(struct optimizer *optimizer);

#endif
