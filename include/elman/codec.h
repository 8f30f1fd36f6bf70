/* Conversion between text and the token ids of a model, for programs that compute with ids. */
#ifndef ELMAN_CODEC_H
#define ELMAN_CODEC_H

#include "elman/model.h"

ELMAN_BEGIN

/* A read-only result. The caller owns it and frees it as a whole. */
typedef struct elman_encoding {
  const char *text;          /* ends with a NUL */
  size_t count;              /* number of tokens */
  const uint32_t *ids;       /* (count): see elman_model_get_token */
  const char *const *tokens; /* (count): text of each token, unknown ones included; NULL from
                                elman_decode */
  const bool *joined; /* (count): whether no space precedes the token; NULL from elman_decode */
} elman_encoding;

/* Tokenize `length` bytes of text in the same way as the model. The `text` of the result is the
 * normalized text. An unknown token has id 0. Return ELMAN_BAD_DATA for text that is not valid
 * UTF-8 or has more than 5,000 tokens. */
ELMAN_CHECKED elman_status elman_encode(elman_encoding **encoding, const elman_model *model,
                                        elman_side side, const char *text, size_t length,
                                        elman_error *error);

/* Convert `count` ids to text without <s> and </s>. Return ELMAN_INVALID_ARGUMENT for an id outside
 * the vocabulary. */
ELMAN_CHECKED elman_status elman_decode(elman_encoding **encoding, const elman_model *model,
                                        elman_side side, const uint32_t *ids, size_t count,
                                        elman_error *error);

ELMAN_API void elman_encoding_free(elman_encoding *encoding);

/* Return whether `length` bytes are UTF-8 text without a NUL. */
ELMAN_API bool elman_is_text(const char *bytes, size_t length);

/* Replace each byte that is not a part of UTF-8 text by '?'. Messages can end within a character,
 * or contain the names of files, which need not be text. */
ELMAN_API void elman_clean_text(char *text);

ELMAN_END

#endif
