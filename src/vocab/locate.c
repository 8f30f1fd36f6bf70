#include "vocab/locate.h"

#include <string.h>

#include "vocab/characters.h"

/* ---- tokens in a text as it was given ---- */

/* The tokens' surfaces, one behind the other, are the normalised text without its spaces. */
struct cursor {
  struct places places;
  const struct tokens *tokens;
  size_t token; /* the one that the next byte belongs to */
  size_t used;  /* bytes of its surface that were seen */
};

static struct text surface_at(const struct tokens *tokens, size_t index) {
  return token_surface(tokens_get(tokens, index));
}

static size_t smaller(size_t a, size_t b) {
  return a < b ? a : b;
}

/* Bytes [start, end) of the text were normalised to `length` bytes, which the next tokens share.
 * `same`: they did not change, so that a boundary inside them has a place. */
static void consume(struct cursor *cursor, size_t start, size_t end, size_t length, bool same) {
  for (size_t done = 0; done < length && cursor->token < cursor->tokens->count;) {
    const size_t i = cursor->token, size = surface_at(cursor->tokens, i).length;
    const size_t taken = smaller(length - done, size - cursor->used);
    if (cursor->used == 0) cursor->places.starts[i] = same ? start + done : start;
    cursor->used += taken;
    done += taken;
    cursor->places.ends[i] = same ? start + done : end;
    if (cursor->used < size) return;
    cursor->token++;
    cursor->used = 0;
  }
}

static size_t white_space_end(struct text text, size_t start) {
  size_t end = start;
  for (size_t next = start; next < text.length; end = next)
    if (!is_white_space(character_at(text, &next))) break;
  return end;
}

static size_t word_end(struct text text, size_t start) {
  size_t end = start;
  for (size_t next = start; next < text.length; end = next)
    if (is_white_space(character_at(text, &next))) break;
  return end;
}

/* NFC never composes or reorders across the border of a grapheme cluster, so that a word's clusters
 * may be normalised one by one. */
static enum status consume_word(struct cursor *cursor, struct text text, size_t start, size_t end,
                                struct buffer *normalized, struct error *error) {
  const struct text upto = {text.bytes, end};
  for (size_t next; start < end; start = next) {
    int first;
    next = cluster_end(upto, start, &first);
    const struct text cluster = {text.bytes + start, next - start};
    const enum status status = text_normalize(normalized, cluster, error);
    if (status != STATUS_OK) return status;
    consume(cursor, start, next, normalized->length, text_equal(cluster, buffer_text(normalized)));
  }
  return STATUS_OK;
}

enum status locate_tokens(struct places places, const struct tokens *tokens, struct text text,
                          struct error *error) {
  struct cursor cursor = {.places = places, .tokens = tokens};
  struct buffer normalized = {0};
  enum status status = STATUS_OK;
  for (size_t at = white_space_end(text, 0); at < text.length && status == STATUS_OK;) {
    const size_t end = word_end(text, at);
    status = consume_word(&cursor, text, at, end, &normalized, error);
    at = white_space_end(text, end);
  }
  /* None is left, unless these are not the tokens of this text. */
  for (size_t i = cursor.token + (cursor.used > 0); i < tokens->count; i++)
    places.starts[i] = places.ends[i] = text.length;
  buffer_free(&normalized);
  return status;
}

/* ---- tokens in what they were joined to ---- */

static bool stands_at(struct text text, size_t at, struct text surface) {
  return surface.length <= text.length - at &&
         memcmp(text.bytes + at, surface.bytes, surface.length) == 0;
}

void locate_joined(struct places places, const struct tokens *tokens, size_t count,
                   struct text joined) {
  size_t at = 0;
  for (size_t i = 0; i < tokens->count; i++) {
    struct text surface = {"", 0};
    if (i < count)
      surface = surface_at(tokens, i);
    else
      at = joined.length;
    if (!stands_at(joined, at, surface)) at++; /* the space between them */
    places.starts[i] = smaller(at, joined.length);
    places.ends[i] = smaller(at + surface.length, joined.length);
    at = places.ends[i];
  }
}

/* ---- words ---- */

size_t count_words(struct text text) {
  size_t count = 0;
  for (size_t at = white_space_end(text, 0); at < text.length; count++)
    at = white_space_end(text, word_end(text, at));
  return count;
}

void locate_words(size_t *words, const size_t *starts, const size_t *ends, size_t count,
                  struct text text) {
  size_t token = 0;
  size_t at = white_space_end(text, 0);
  for (size_t word = 0; at < text.length; word++) {
    const size_t end = word_end(text, at);
    for (; token < count && starts[token] < end; token++)
      words[token] = ends[token] > at ? word : NO_WORD;
    at = white_space_end(text, end);
  }
  for (; token < count; token++) words[token] = NO_WORD;
}
