/* Which source word belongs to which target word, read off the attention. */
#ifndef ELMAN_INSPECT_HARD_ALIGNMENT_H
#define ELMAN_INSPECT_HARD_ALIGNMENT_H

#include "elman/attention.h"
#include "inspect/word_matrix.h"

/* As the public functions that are named so. */
const char *alignment_rule_name(elman_alignment_rule rule);
const char *alignment_units_name(elman_alignment_units units);

/* Checks what the style, NULL for all zero, says about links, and puts the default threshold where
 * it has none. */
elman_status text_style_settle(elman_text_style *settled, const elman_text_style *style,
                               elman_error *error) CHECKED;

/* By a settled style. Weights of 0 are never links. */
bool words_linked(const struct word_matrix *matrix, const elman_text_style *style, size_t source,
                  size_t target);

#endif
