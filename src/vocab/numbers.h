/* Numbers of a text, and whether its translation has them. */
#ifndef ELMAN_VOCAB_NUMBERS_H
#define ELMAN_VOCAB_NUMBERS_H

#include "base/text.h"

/* Return the first number of the source that the translation lacks, as the source writes it; an
 * empty text if there is none.
 *
 * Only numbers of three digits or more count, except a single digit with zeros (300, 5000), which
 * is often written as a word. Numbers are compared by their significant digits, so that the
 * translation may group them (12,500), or write them with 万, million or the like (1.25万). It may
 * also write them in Chinese or English words, or as the last two digits of a year ('85, 85年). */
struct text number_missing(struct text source, struct text translation);

#endif
