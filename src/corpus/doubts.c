#include "elman/check.h"

#include <stdlib.h>

#include "corpus/findings.h"
#include "corpus/shift.h"

/* Pairs that are checked: a sample, and for shifts a few runs of consecutive pairs. */
enum { SAMPLE = 2000, RUNS = 4, RUN = 1000 };

struct doubts {
  size_t checked[FINDINGS]; /* number of checked pairs */
  size_t counts[FINDINGS];  /* checked pairs that have the finding */
  size_t first[FINDINGS];   /* index of the first pair with the finding */
};

static void note_pair(struct doubts *doubts, elman_finding finding, size_t index, bool found) {
  doubts->checked[finding]++;
  if (found && doubts->counts[finding]++ == 0) doubts->first[finding] = index;
}

static elman_status check_sample(struct doubts *doubts, const elman_pairs *pairs,
                                 const elman_pairs *training, elman_error *error) {
  static const double UNUSED_RATIO = 2; /* not used: unusual lengths do not ruin a model */
  struct typical typical = {0};
  elman_status status = typical_find(&typical, training, SAMPLE, error);
  const size_t stride = elman_pairs_count(pairs) / SAMPLE + 1;
  for (size_t i = 0; status == ELMAN_OK && i < elman_pairs_count(pairs); i += stride) {
    const struct pair pair = pairs_get(pairs, i);
    struct line_properties line;
    line_measure(&line, &pair, &typical, UNUSED_RATIO);
    for (elman_finding finding = 0; finding < FINDINGS; finding++) {
      const struct finding_row *row = finding_row(finding);
      if (row->holds != NULL && row->ruins_from > 0)
        note_pair(doubts, finding, i, row->holds(&line));
    }
  }
  typical_free(&typical);
  return status;
}

/* A shift lasts until the end of a file, or until a line is missing on the other side. Therefore
 * check runs that end at a quarter, a half, ... of the pairs. */
static elman_status check_runs(struct doubts *doubts, const elman_pairs *pairs,
                               elman_error *error) {
  const size_t count = elman_pairs_count(pairs);
  const size_t runs = count > RUNS * RUN ? RUNS : 1;
  const size_t length = runs == 1 ? count : RUN;
  elman_status status = ELMAN_OK;
  for (size_t run = 1; status == ELMAN_OK && run <= runs; run++) {
    const size_t first = count / runs * run - length;
    signed char *lines_on;
    status = shifts_find(&lines_on, pairs, first, length, error);
    for (size_t i = 0; status == ELMAN_OK && i < length; i++)
      note_pair(doubts, ELMAN_FINDING_SHIFTED, first + i, lines_on[i] != 0);
    free(lines_on);
  }
  return status;
}

elman_status elman_pairs_doubts(const elman_pairs *pairs, const elman_pairs *training,
                                elman_doubt_function *doubt, void *context, elman_error *error) {
  if (training == NULL) training = pairs;
  struct doubts doubts = {0};
  elman_status status = check_sample(&doubts, pairs, training, error);
  if (status == ELMAN_OK) status = check_runs(&doubts, pairs, error);
  for (elman_finding finding = 0; status == ELMAN_OK && finding < FINDINGS; finding++) {
    if (doubts.counts[finding] == 0) continue;
    const double share = (double)doubts.counts[finding] / (double)doubts.checked[finding];
    if (share < finding_row(finding)->ruins_from) continue;
    char place[512];
    pairs_place(place, sizeof place, pairs, doubts.first[finding]);
    doubt(context, finding, share, place);
  }
  return status;
}
