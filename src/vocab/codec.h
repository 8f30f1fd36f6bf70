/* Text to ids and back for one side of a model. */
#ifndef ELMAN_VOCAB_CODEC_H
#define ELMAN_VOCAB_CODEC_H

#include "vocab/bpe.h"
#include "vocab/vocabulary.h"

/* Segments Chinese that was typed without spaces into the words of a segmented vocabulary, by
 * maximum likelihood under that vocabulary's own unigram counts (Viterbi over the characters).
 *
 * For a vocabulary in mode `space`: tokens that it holds stay as they are; in every other token
 * each run of Han characters is cut into the likeliest sequence of words, and what lies between
 * the runs becomes a token of its own. Neighbouring characters that no word covers stay together
 * as one unknown token. Cost of an unknown character: more than that of any word.
 * `out` is replaced; it must not be `in`. */
elman_status segment_unspaced(struct tokens *out, const struct tokens *in,
                              const struct vocabulary *vocabulary, elman_error *error) CHECKED;

struct codec {
  elman_token_mode mode; /* never ELMAN_TOKENS_AUTO */
  elman_normalization normalization;
  const struct vocabulary *vocabulary;
  const struct merges *merges; /* of mode `bpe`; may be NULL while they are still to be learnt */
};

/* Replaces the contents of `into` by `text` as the codec sees it: normalised, and
 * without spaces that say nothing in its mode, unless the vocabulary was learnt with them (files of
 * version 0.1). The vocabulary may be NULL while it is still to be counted. */
elman_status codec_text(struct buffer *into, const struct codec *codec, struct text text,
                        elman_error *error) CHECKED;

/* Scratch memory of one thread's encoding by one codec, and its result. Start from all zero. */
struct encoding {
  struct buffer normalized;
  struct tokens split;
  struct tokens tokens; /* the tokens, one an id */
  uint32_t *ids;        /* tokens.count of them */
  size_t capacity;
  struct subwords_scratch subwords;
};

/* Normalises and splits: without the ids, for which the vocabulary is needed. */
elman_status encode_tokens(struct encoding *encoding, const struct codec *codec, struct text text,
                           elman_error *error) CHECKED;

/* Normalises, splits, segments (mode `space` only), splits words (mode `bpe` only) and looks up.
 * `text` must be valid UTF-8. */
elman_status encode(struct encoding *encoding, const struct codec *codec, struct text text,
                    elman_error *error) CHECKED;
/* Time and memory of attention grow with the square of a sentence's length. */
enum { MAX_SENTENCE_TOKENS = 5000 };

/* `encode` for any text: ELMAN_BAD_DATA if it is not valid UTF-8 or has too many tokens. */
elman_status encode_checked(struct encoding *encoding, const struct codec *codec, struct text text,
                            elman_error *error) CHECKED;

/* Splits once more, in mode `bpe`, what encode() made ids of, with dropout. Once its memory has
 * grown nothing is allocated. */
elman_status encode_again(struct encoding *encoding, const struct codec *codec, const uint32_t *ids,
                          size_t count, struct bpe_dropout *dropout, elman_error *error) CHECKED;
void encoding_free(struct encoding *encoding);

/* Appends the text of `count` ids to `into`. Specials other than <unk> are left out. */
elman_status decode(struct buffer *into, const struct codec *codec, const uint32_t *ids,
                    size_t count, elman_error *error) CHECKED;

#endif
