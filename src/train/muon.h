/* Muon for the matrices of the network: Jordan et al., "Muon: an optimizer for hidden layers in
 * neural networks", 2024; docs/training.md, section 9. The optimizer (train/optimizer.h) updates
 * all other parameters with Adam.
 *
 * The moment receives every gradient, but a matrix moves only at every second update, twice as far,
 * because its direction costs many products. */
#ifndef ELMAN_TRAIN_MUON_H
#define ELMAN_TRAIN_MUON_H

#include <stdint.h>

#include "train/polar.h"

/* The constants of one update. */
struct muon_step {
  real scale;  /* factor of the gradients; less than 1 when they are clipped */
  bool moves;  /* whether this update moves the matrices */
  double size; /* the root mean square by which a full matrix of equal singular values moves */
};

/* Return the constants of update number `update`, counted from 1. The scale is 1. */
struct muon_step muon_step_of(double learning_rate, uint64_t update);

/* A matrix (rows,columns), its gradient and its moment. All are borrowed. */
struct muon_matrix {
  real *weights, *gradients, *m;
  size_t rows, columns;
};

struct muon {
  struct muon_matrix *matrices;
  struct polar_matrix *directions; /* u of each matrix, which replaces its gradient */
  size_t count;
  struct polar *polar;
};

/* Create the optimizer of these matrices, whose moments must be 0. The list is copied. */
elman_status muon_create(struct muon *muon, const struct muon_matrix *matrices, size_t count,
                         enum arithmetic arithmetic, elman_error *error) CHECKED;
void muon_free(struct muon *muon);

/* Update all matrices and their moments. Set the gradients to 0 for the next sum. */
void muon_update(struct muon *muon, const struct muon_step *step);

#endif
