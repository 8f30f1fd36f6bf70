/* Text to the ids of a model's tokens and back, for programs that compute with them themselves. */
#ifndef ELMAN_CODEC_H
#define ELMAN_CODEC_H

#include "elman/model.h"

ELMAN_BEGIN

/* Read only; owned by the caller, freed whole. */
typedef struct elman_encoding {
  const char *text;          /* ends with a NUL */
  size_t count;              /* tokens */
  const uint32_t *ids;       /* (count): see elman_model_get_token */
  const char *const *tokens; /* (count): also those that are unknown; NULL of elman_decode */
  const bool *joined;        /* (count): no space of `text` is before the token; NULL likewise */
} elman_encoding;

/* Splits `length` bytes of text as the model does; `text` of the result is the text as it was
 * split: normalised. A token that the vocabulary lacks has id 0. Text that is not valid UTF-8, or
 * has more than 5,000 tokens, is ELMAN_BAD_DATA. */
ELMAN_CHECKED elman_status elman_encode(elman_encoding **encoding, const elman_model *model,
                                        elman_side side, const char *text, size_t length,
                                        elman_error *error);

/* Makes the text of `count` ids; <s> and </s> are left out. An id that the vocabulary lacks is
 * ELMAN_INVALID_ARGUMENT. */
ELMAN_CHECKED elman_status elman_decode(elman_encoding **encoding, const elman_model *model,
                                        elman_side side, const uint32_t *ids, size_t count,
                                        elman_error *error);

ELMAN_API void elman_encoding_free(elman_encoding *coded);

/* Whether `length` bytes are UTF-8 text without a NUL. */
ELMAN_API bool elman_is_text(const char *bytes, size_t length);

ELMAN_END

#endif
