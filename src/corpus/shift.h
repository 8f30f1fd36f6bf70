/* Shifted sides: parts of a corpus in which a line is missing on one side, so that each target
 * translates the source of a neighboring line. */
#ifndef ELMAN_CORPUS_SHIFT_H
#define ELMAN_CORPUS_SHIFT_H

#include <stddef.h>

#include "corpus/pairs.h"

/* Find how many lines each of the pairs [first, first + count) is shifted. Set (*lines_on)[i] to n
 * if the source of pair first + i has its translation in pair first + i + n instead of its own
 * pair; set it to 0 for a pair that is not shifted. n is at most 3 lines up or down. The caller
 * frees *lines_on, which is NULL after an error.
 *
 * Compare how well neighboring lines fit: their lengths, digits, question and exclamation marks,
 * quotation marks, and common words. The weight of each property is estimated from the corpus, as
 * the logarithm of a likelihood ratio. A shift begins only if the ratio of all its lines is above
 * e^25. In a corpus without shift, the probability that one begins is about the number of lines
 * times e^-25. */
elman_status shifts_find(signed char **lines_on, const elman_pairs *pairs, size_t first,
                         size_t count, elman_error *error) CHECKED;

#endif
