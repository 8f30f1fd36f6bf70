/* Pairs in pieces, which the team shares out: some at a time, and what comes of them is put
 * together in their order, so that it does not depend on how many threads there are. */
#ifndef ELMAN_CORPUS_PIECES_H
#define ELMAN_CORPUS_PIECES_H

#include "base/status.h"

enum { PAIRS_A_PIECE = 4096, PIECES_AT_ONCE = 32 };

/* Does pairs [first, first + count) in the place of this number, below PIECES_AT_ONCE; in threads,
 * each with a place of its own. */
typedef elman_status piece_function(void *context, size_t place, size_t first, size_t count,
                                    elman_error *error);
/* Takes what was done in a place; in the order of the pieces. */
typedef elman_status piece_collector(void *context, size_t place, elman_error *error);

/* All of `pairs` pairs. Gives the error of the first piece that has one. */
elman_status pieces_run(size_t pairs, piece_function *run, piece_collector *collect, void *context,
                        elman_error *error) CHECKED;

/* What so many pairs are worth to a team (base/team.h). */
double pieces_work(size_t pairs);

#endif
