/* Segments Chinese that was typed without spaces into the words of a segmented vocabulary, by
 * maximum likelihood under that vocabulary's own unigram counts (Viterbi over the characters). */
#ifndef ELMAN_VOCAB_SEGMENT_H
#define ELMAN_VOCAB_SEGMENT_H

#include "vocab/vocabulary.h"

/* For a vocabulary in mode `space`: tokens that it holds stay as they are; in every other token
 * each run of Han characters is cut into the likeliest sequence of words, and what lies between
 * the runs becomes a token of its own. Neighbouring characters that no word covers stay together
 * as one unknown token. Cost of an unknown character: more than that of any word.
 * `out` is replaced; it must not be `in`. */
elman_status segment_unspaced(struct tokens *out, const struct tokens *in,
                              const struct vocabulary *vocabulary, elman_error *error) CHECKED;

#endif
