/* Conversion between text and ids for one side of a model. */
#ifndef ELMAN_VOCAB_CODEC_H
#define ELMAN_VOCAB_CODEC_H

#include "vocab/bpe.h"
#include "vocab/vocabulary.h"

/* Segment text that was typed without spaces into the words of a segmented vocabulary. The
 * segmentation has the maximum likelihood under the unigram counts of that vocabulary (Viterbi over
 * the characters).
 *
 * The vocabulary must have mode `space`. Do not change tokens that it contains. In any other token,
 * divide each run of unspaced letters into the most likely sequence of words. The text between the
 * runs becomes separate tokens. Adjacent characters that no word covers remain together as one
 * unknown token. An unknown character costs more than any word. Replace the contents of `out`,
 * which must not be `in`. */
elman_status segment_unspaced(struct tokens *out, const struct tokens *in,
                              const struct vocabulary *vocabulary, elman_error *error) CHECKED;

struct codec {
  elman_token_mode mode; /* never automatic */
  elman_normalization normalization;
  const struct vocabulary *vocabulary;
  const struct merges *merges; /* for mode `bpe`; NULL until merges are learned */
};

/* Replace the contents of `into` by the text that the codec splits. This text is normalized, and
 * spaces that are insignificant in the mode of the codec are removed. */
elman_status codec_text(struct buffer *into, const struct codec *codec, struct text text,
                        elman_error *error) CHECKED;

/* Scratch memory for one thread and one codec, and the result. The caller initializes the struct to
 * zero. */
struct encoding {
  struct buffer normalized;
  struct tokens split;
  struct tokens tokens; /* one token per id */
  uint32_t *ids;        /* (count) */
  size_t count;         /* tokens.count, unless encode_copies made it smaller */
  size_t capacity;
  struct subwords_scratch subwords;
};

/* Normalize and split, but look up no ids. This works without a vocabulary. */
elman_status encode_tokens(struct encoding *encoding, const struct codec *codec, struct text text,
                           elman_error *error) CHECKED;

/* Normalize the text, split it into tokens, and look up their ids. Mode `space` also segments
 * runs of unspaced letters, and mode `bpe` also splits words. `text` must be valid UTF-8. */
elman_status encode(struct encoding *encoding, const struct codec *codec, struct text text,
                    elman_error *error) CHECKED;

/* A character of text that stands for a word which is copied from the other side. It is private to
 * the program. */
#define COPIED_WORD "\xEE\x80\x80" /* U+E000 */

/* Like encode, but let COPIED_WORD be one <unk> in all modes. */
elman_status encode_copies(struct encoding *encoding, const struct codec *codec, struct text text,
                           elman_error *error) CHECKED;

/* Maximum tokens of a sentence: time and memory of attention grow with the square of the length. */
enum { MAX_SENTENCE_TOKENS = 5000 };

/* Like encode, for any text: return ELMAN_BAD_DATA if it is not valid UTF-8 or has more than `most`
 * tokens. If `most` is 0 or above MAX_SENTENCE_TOKENS, that maximum is the limit. The text after
 * the first token beyond the limit is not split. */
elman_status encode_checked(struct encoding *encoding, const struct codec *codec, struct text text,
                            size_t most, elman_error *error) CHECKED;

/* Split the text of `ids` again, with dropout. encode() or encode_copies() must have returned these
 * ids in mode `bpe`. Once the memory has grown, this allocates nothing. */
elman_status encode_again(struct encoding *encoding, const struct codec *codec, const uint32_t *ids,
                          size_t count, struct bpe_dropout *dropout, elman_error *error) CHECKED;
void encoding_free(struct encoding *encoding);

/* Append the text of `count` ids to `into`, without specials other than <unk>. */
elman_status decode(struct buffer *into, const struct codec *codec, const uint32_t *ids,
                    size_t count, elman_error *error) CHECKED;

#endif
