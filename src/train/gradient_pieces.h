/* The numbers that one batch's gradient has: the ranges of the optimizer whole, and of each
 * embedding table the rows of the batch's words. They are cut into pieces, which lie one after the
 * other where a gradient is packed. Or only those of them that lie in
 * one range of a block. */
#ifndef ELMAN_TRAIN_GRADIENT_PIECES_H
#define ELMAN_TRAIN_GRADIENT_PIECES_H

#include "train/optimizer.h"

struct gradient_piece {
  size_t offset; /* in a block */
  size_t count;
  size_t packed; /* where it begins in a packed gradient */
};

struct gradient_pieces {
  struct gradient_piece *all; /* with room for every row of the tables */
  size_t count;
  size_t numbers; /* in a packed gradient */
  struct range within;
};

elman_status gradient_pieces_create(struct gradient_pieces *pieces,
                                    const struct optimizer *optimizer, struct range within,
                                    elman_error *error) CHECKED;
void gradient_pieces_free(struct gradient_pieces *pieces);

/* Those of the batch for which optimizer_begin was called last: the same in every process. */
void gradient_pieces_list(struct gradient_pieces *pieces, const struct optimizer *optimizer);

/* Each leaves `from` 0 where it has pieces, as a gradient begins. */
void gradient_pieces_add(const struct gradient_pieces *pieces, real *to, real *from);
void gradient_pieces_pack(const struct gradient_pieces *pieces, real *packed, real *from);

void gradient_pieces_unpack(const struct gradient_pieces *pieces, real *block, const real *packed);

#endif
