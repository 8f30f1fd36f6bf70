/* Deferred Adam: an embedding whose rows get their updates when somebody looks.
 *
 * A batch holds few of a vocabulary's words; the rows of all others have the gradient 0. Adam moves
 * them all the same, since their moments only fade, and passing over whole tables would be half of
 * its work or more. Nobody sees such a row, however, until its word comes up again. So a row
 * waits, and is then given the updates that it missed, one after another, while it stays in the
 * first cache:
 *
 *   update          1   2     3   4   5
 *   its batch has   a   b     c   c   a
 *   row a gets      1                 2 3 4 with g = 0, then 5 with its gradient
 *   row b gets          1 2           and is owed 3 4 5
 *
 * What an update does to all weights alike (struct adam_step) is recorded for that. The operations
 * and their order are those of a pass over everything, so every bit is the same. A row whose
 * moments are 0, as of a word that never came up, does not move; it is neither written nor, in the
 * moments and gradients, given memory.
 *
 * All gradients of the table are 0 but between deferred_begin and what ends the batch, when those
 * of its rows may be anything. Steps must be finite and their ε not 0. */
#ifndef ELMAN_TRAIN_DEFERRED_H
#define ELMAN_TRAIN_DEFERRED_H

#include "base/sequence.h"
#include "train/adam.h"

/* Numbers that belong to the same weights. */
struct weight_blocks {
  real *weights, *gradients, *m, *v;
  real *average; /* NULL = none is kept */
};

/* One update, with what the moving average takes from it. */
struct update_step {
  struct adam_step adam;
  real average_share;
};

/* The updates since all rows had all of theirs. */
enum { MAX_DEFERRED_UPDATES = 512 };
struct update_record {
  struct update_step steps[MAX_DEFERRED_UPDATES];
  size_t count;
};

struct deferred_table {
  struct weight_blocks table; /* each (rows,columns) */
  size_t rows, columns;
  uint32_t *done;  /* (rows): how many of the recorded updates a row has had */
  bool *listed;    /* (rows): whether it is in the list */
  uint32_t *list;  /* (rows): those of the batch, each once, as they first come up */
  double *squares; /* (rows): by place in the list */
  size_t count;    /* rows in the list */
};

elman_status deferred_create(struct deferred_table *deferred, struct weight_blocks table,
                             size_t rows, size_t columns, elman_error *error) CHECKED;
void deferred_free(struct deferred_table *deferred);

/* Lists the rows of these words and brings them up to the record. */
void deferred_begin(struct deferred_table *deferred, const struct sequence *words,
                    const struct update_record *record);

/* The squared norm of the listed rows' gradients. */
double deferred_sum_of_squares(struct deferred_table *deferred);

/* Gives the listed rows the last update of the record, the first that they have not had; or none.
 * Either sets their gradients back to 0 and empties the list. */
void deferred_update(struct deferred_table *deferred, const struct update_record *record);
void deferred_skip(struct deferred_table *deferred);

/* Brings all rows up to the record, which may then be emptied. */
void deferred_settle(struct deferred_table *deferred, const struct update_record *record);

#endif
