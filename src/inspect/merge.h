/* A matrix of attention between groups of tokens, as words are. */
#ifndef ELMAN_INSPECT_MERGE_H
#define ELMAN_INSPECT_MERGE_H

#include "vocab/units.h"

/* Which groups a row or a column belongs to. */
struct grouping {
  size_t count, groups;
  const struct word_range *of; /* (count); NULL = each is a group by itself */
};

/* merged (rows.groups, columns.groups): the weights of a group's columns are added, those of a
 * group's rows averaged. A column of several groups is shared out equally among them; a row of
 * several is a row of each. So where each column is in a group, the sum of a row is the mean of the
 * sums of its rows. A group without a row has 0. `matrix` is (rows.count, columns.count). */
void merge_matrix(double *merged, const float *matrix, const struct grouping *rows,
                  const struct grouping *columns);

#endif
