#include "vocab/codec.h"

#include <assert.h>
#include <stdlib.h>

#include "vocab/segment.h"
#include "vocab/token_modes.h"

elman_status codec_text(struct buffer *into, const struct codec *codec, struct text text,
                        elman_error *error) {
  const elman_status status = text_normalize(into, text, codec->normalization, error);
  /* Mode `bpe` is younger than the version that learnt those spaces. */
  const bool spaced =
      codec->vocabulary != NULL && codec->merges == NULL && vocabulary_is_spaced(codec->vocabulary);
  if (status == ELMAN_OK && !spaced) text_drop_spaces(into, codec->mode);
  return status;
}

elman_status encode_tokens(struct encoding *encoding, const struct codec *codec, struct text text,
                           elman_error *error) {
  elman_status status = codec_text(&encoding->normalized, codec, text, error);
  if (status != ELMAN_OK) return status;

  const bool segments = token_mode_row(codec->mode)->segments_han && codec->vocabulary != NULL;
  const bool divides = codec->merges != NULL;
  status = tokens_split(segments || divides ? &encoding->split : &encoding->tokens,
                        buffer_text(&encoding->normalized), codec->mode, error);
  if (status == ELMAN_OK && segments)
    status = segment_unspaced(&encoding->tokens, &encoding->split, codec->vocabulary, error);
  if (status == ELMAN_OK && divides)
    status = subwords_split(&encoding->tokens, &encoding->split,
                            (struct subwords){codec->merges, codec->vocabulary},
                            &encoding->subwords, NULL, error);
  return status;
}

static elman_status look_up(struct encoding *encoding, const struct vocabulary *vocabulary,
                            elman_error *error) {
  const elman_status status = array_grow(&encoding->ids, &encoding->capacity,
                                         encoding->tokens.count, sizeof *encoding->ids, error);
  if (status != ELMAN_OK) return status;
  for (size_t i = 0; i < encoding->tokens.count; i++)
    encoding->ids[i] = vocabulary_find(vocabulary, tokens_get(&encoding->tokens, i));
  return ELMAN_OK;
}

elman_status encode(struct encoding *encoding, const struct codec *codec, struct text text,
                    elman_error *error) {
  const elman_status status = encode_tokens(encoding, codec, text, error);
  return status == ELMAN_OK ? look_up(encoding, codec->vocabulary, error) : status;
}

elman_status encode_checked(struct encoding *encoding, const struct codec *codec, struct text text,
                            elman_error *error) {
  encoding->tokens.count = 0;
  const size_t good = text_valid_prefix(text);
  if (good < text.length)
    return fail(error, ELMAN_BAD_DATA, NULL, "byte %zu is %s", good + 1,
                text.bytes[good] == '\0'
                    ? "NUL, which is no text"
                    : "not valid UTF-8 text; iconv converts text in another encoding");
  const elman_status status = encode(encoding, codec, text, error);
  if (status == ELMAN_OK && encoding->tokens.count > MAX_SENTENCE_TOKENS)
    return fail(error, ELMAN_BAD_DATA, NULL,
                "the sentence has %zu tokens, more than the %d that can be translated; split it",
                encoding->tokens.count, MAX_SENTENCE_TOKENS);
  return status;
}

elman_status encode_again(struct encoding *encoding, const struct codec *codec, const uint32_t *ids,
                          size_t count, struct bpe_dropout *dropout, elman_error *error) {
  elman_status status = ELMAN_OK;
  tokens_clear(&encoding->tokens);
  for (size_t i = 0; status == ELMAN_OK && i < count; i++)
    status = tokens_add(&encoding->tokens, vocabulary_token(codec->vocabulary, ids[i]), error);
  buffer_clear(&encoding->normalized);
  if (status == ELMAN_OK)
    status = tokens_join(&encoding->normalized, &encoding->tokens, codec->mode, error);
  if (status == ELMAN_OK)
    status = tokens_split(&encoding->split, buffer_text(&encoding->normalized), codec->mode, error);
  if (status == ELMAN_OK)
    status = subwords_split(&encoding->tokens, &encoding->split,
                            (struct subwords){codec->merges, codec->vocabulary},
                            &encoding->subwords, dropout, error);
  return status == ELMAN_OK ? look_up(encoding, codec->vocabulary, error) : status;
}

void encoding_free(struct encoding *encoding) {
  buffer_free(&encoding->normalized);
  tokens_free(&encoding->split);
  tokens_free(&encoding->tokens);
  subwords_scratch_free(&encoding->subwords);
  free(encoding->ids);
  *encoding = (struct encoding){0};
}

elman_status decode(struct buffer *into, const struct codec *codec, const uint32_t *ids,
                    size_t count, elman_error *error) {
  const size_t specials = vocabulary_specials(codec->vocabulary);
  struct tokens tokens = {0};
  elman_status status = ELMAN_OK;
  for (size_t i = 0; status == ELMAN_OK && i < count; i++) {
    assert(ids[i] < vocabulary_size(codec->vocabulary));
    if (ids[i] == TOKEN_UNKNOWN || ids[i] >= specials)
      status = tokens_add(&tokens, vocabulary_token(codec->vocabulary, ids[i]), error);
  }
  if (status == ELMAN_OK) status = tokens_join(into, &tokens, codec->mode, error);
  tokens_free(&tokens);
  return status;
}
