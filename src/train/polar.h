/* Polar factors of matrices, up to the accuracy that Muon needs: docs/training.md, (84) and (85).
 *
 * With the singular value decomposition X = U S Vᵀ, the polar factor is U Vᵀ. Five polynomials of
 * Polar Express (Amsel, Persson, Musco and Gower, 2025) bring all singular values near 1. They act
 * on the Gram matrix of the shorter side r, so that every product but the first and the last is
 * r × r, with a symmetric result.
 *
 * The products are divided into bands of rows whose sizes depend only on the matrix, and all
 * matrices share one job of the team. The bits of a result depend neither on the number of threads
 * nor on the other matrices. */
#ifndef ELMAN_TRAIN_POLAR_H
#define ELMAN_TRAIN_POLAR_H

#include "tensor/operand.h"

/* A matrix x (rows,columns) with a Frobenius norm of less than 1, and a matrix of the same shape
 * from which size · polar(x) is subtracted. Both are borrowed. */
struct polar_matrix {
  const real *x;
  real *to;
  size_t rows, columns;
  real size;
};

struct polar;

/* Allocate the memory for these matrices, which are borrowed. x, to and size may change between
 * calls of polar_subtract. */
elman_status polar_create(struct polar **polar, const struct polar_matrix *matrices, size_t count,
                          enum arithmetic arithmetic, elman_error *error) CHECKED;
void polar_free(struct polar *polar);

/* Subtract size · polar(x) from `to`, for every matrix. */
void polar_subtract(struct polar *polar);

#endif
