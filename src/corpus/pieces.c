#include "corpus/pieces.h"

#include "base/team.h"

struct round {
  piece_function *run;
  void *context;
  size_t first, end; /* of its pairs */
  elman_status *statuses;
  elman_error *errors;
};

static size_t smaller(size_t a, size_t b) {
  return a < b ? a : b;
}

static void run_piece(const void *context, size_t place) {
  const struct round *round = context;
  const size_t first = round->first + place * PAIRS_A_PIECE;
  round->statuses[place] =
      round->run(round->context, place, first, smaller(PAIRS_A_PIECE, round->end - first),
                 &round->errors[place]);
}

elman_status pieces_run(size_t pairs, piece_function *run, piece_collector *collect, void *context,
                        elman_error *error) {
  elman_status statuses[PIECES_AT_ONCE];
  elman_error errors[PIECES_AT_ONCE];
  const size_t at_once = (size_t)PIECES_AT_ONCE * PAIRS_A_PIECE;
  for (size_t first = 0; first < pairs; first += at_once) {
    const struct round round = {run,      context, first, first + smaller(at_once, pairs - first),
                                statuses, errors};
    const size_t count = (round.end - first + PAIRS_A_PIECE - 1) / PAIRS_A_PIECE;
    team_run(run_piece, &round, count);
    for (size_t place = 0; place < count; place++) {
      if (statuses[place] != ELMAN_OK) return fail_again(error, &errors[place]);
      const elman_status status = collect(context, place, error);
      if (status != ELMAN_OK) return status;
    }
  }
  return ELMAN_OK;
}

double pieces_work(size_t pairs) {
  const double of_pair = 1 << 18; /* some 4 microseconds */
  return pairs <= PAIRS_A_PIECE ? 0 : of_pair * (double)pairs;
}
