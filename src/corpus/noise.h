/* Noise that both sides of a pair contain, so that a model learns to copy: numbers, names, codes,
 * placeholders, tags, addresses and symbols. */
#ifndef ELMAN_CORPUS_NOISE_H
#define ELMAN_CORPUS_NOISE_H

#include "base/text.h"
#include "corpus/draws.h"
#include "vocab/codec.h"

enum noise_place {
  NOISE_NOWHERE,
  NOISE_ALONE,  /* instead of the pair */
  NOISE_BEFORE, /* before the text */
  NOISE_WITHIN, /* before the final marks of both sides; at the end if a side has none */
  NOISE_AFTER
};

struct noise {
  enum noise_place place;
  struct buffer texts[2]; /* by side; the target has COPIED_WORD for each word to be copied */
  struct buffer closing;  /* a tag for the end of both texts, or empty */
};

/* Draw a noise. Its buffers are reused. */
void noise_draw(struct noise *noise, struct draws *draws);

/* Replace a number or name that both texts contain by a random one in the source, and by
 * COPIED_WORD in the target. Return whether the texts share a number or name. */
bool noise_replace_shared(struct buffer texts[2], struct draws *draws, struct buffer *scratch);

/* Process every number of two or more characters that both texts contain. Replace it by COPIED_WORD
 * in the target and, with probability 1/2, by a random number of the same form in the source. A
 * number may contain . , : between digits, a $ before them and a % after them. Return whether the
 * texts share such a number. */
bool noise_copy_numbers(struct buffer texts[2], struct draws *draws, struct buffer *scratch);

/* Put the noise of a side into its text. `marked` states that both sides have final marks. */
void noise_insert(struct buffer *text, const struct noise *noise, elman_side side, bool marked,
                  elman_token_mode mode, struct buffer *scratch);

/* Append the tokens from which noise is built on a side: characters of modes `chars` and `bpe`,
 * signs of mode `words`. A vocabulary must contain them. */
elman_status noise_alphabet(struct tokens *tokens, const struct codec *codec,
                            elman_error *error) CHECKED;

#endif
