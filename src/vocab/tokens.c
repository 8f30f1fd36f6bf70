#include "vocab/tokens.h"

#include <stdlib.h>
#include <string.h>

#include "vocab/token_modes.h"

enum { MARK_LENGTH = sizeof MARK_JOINED - 1 };
_Static_assert(sizeof MARK_JOINED == sizeof MARK_SPACED, "marks have one length");

static bool begins_with(struct text text, const char *mark) {
  return text.length >= MARK_LENGTH && memcmp(text.bytes, mark, MARK_LENGTH) == 0;
}

bool token_has_mark(struct text token) {
  return begins_with(token, MARK_JOINED) || begins_with(token, MARK_SPACED);
}

bool token_is_spaced(struct text token) {
  return begins_with(token, MARK_SPACED);
}

struct text token_surface(struct text token) {
  if (!token_has_mark(token)) return token;
  return (struct text){token.bytes + MARK_LENGTH, token.length - MARK_LENGTH};
}

struct text tokens_get(const struct tokens *tokens, size_t index) {
  const size_t start = tokens->starts[index];
  return (struct text){tokens->bytes.bytes + start, tokens->starts[index + 1] - start};
}

elman_status tokens_add_marked(struct tokens *tokens, const char *mark, struct text surface,
                               elman_error *error) {
  const elman_status status = array_grow(&tokens->starts, &tokens->capacity, tokens->count + 2,
                                         sizeof *tokens->starts, error);
  if (status != ELMAN_OK) return status;

  const size_t start = tokens->bytes.length;
  buffer_append_text(&tokens->bytes, text_of(mark));
  buffer_append_text(&tokens->bytes, surface);
  if (tokens->bytes.failed) {
    tokens->bytes.length = start;
    return fail_no_memory(error);
  }
  tokens->starts[tokens->count] = start;
  tokens->starts[++tokens->count] = tokens->bytes.length;
  return ELMAN_OK;
}

elman_status tokens_add(struct tokens *tokens, struct text token, elman_error *error) {
  return tokens_add_marked(tokens, "", token, error);
}

void tokens_clear(struct tokens *tokens) {
  buffer_clear(&tokens->bytes);
  tokens->count = 0;
}

void tokens_free(struct tokens *tokens) {
  buffer_free(&tokens->bytes);
  free(tokens->starts);
  *tokens = (struct tokens){0};
}

elman_status tokens_split(struct tokens *tokens, struct text text, elman_token_mode mode,
                          elman_error *error) {
  const struct token_mode *how = token_mode_row(mode);
  tokens_clear(tokens);
  struct text previous = {"", 0};
  /* Spaces are looked for before clusters are: a space and the combining mark behind it are one
   * cluster in Unicode's eyes, but no token holds a space. */
  for (struct text rest = text; rest.length > 0;) {
    const struct text piece = text_cut(&rest, ' ');
    size_t end;
    for (size_t at = 0; at < piece.length; at = end) {
      end = how->token_end(piece, at);
      const struct text surface = {piece.bytes + at, end - at};
      const bool expected = how->space_expected(previous, surface);
      /* No space stands before the first token, and none is missed there. */
      const bool spaced = piece.bytes == text.bytes && at == 0 ? expected : at == 0;
      const bool marked = spaced != expected || token_has_mark(surface);
      const char *mark = !marked ? "" : spaced ? MARK_SPACED : MARK_JOINED;
      const elman_status status = tokens_add_marked(tokens, mark, surface, error);
      if (status != ELMAN_OK) return status;
      previous = surface;
    }
  }
  return ELMAN_OK;
}

elman_status tokens_join(struct buffer *into, const struct tokens *tokens, elman_token_mode mode,
                         elman_error *error) {
  const struct token_mode *how = token_mode_row(mode);
  struct text previous = {"", 0};
  for (size_t i = 0; i < tokens->count; i++) {
    const struct text token = tokens_get(tokens, i);
    const struct text surface = token_surface(token);
    const bool spaced =
        token_has_mark(token) ? token_is_spaced(token) : how->space_expected(previous, surface);
    if (spaced && i > 0) buffer_append(into, " ", 1);
    buffer_append_text(into, surface);
    previous = surface;
  }
  return into->failed ? fail_no_memory(error) : ELMAN_OK;
}
