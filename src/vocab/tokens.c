#include "vocab/tokens.h"

#include <stdlib.h>
#include <string.h>

#include "vocab/characters.h"

/* ---- modes: space ---- */

static size_t piece_end(struct text piece, size_t start) {
  (void)start;
  return piece.length;
}

static bool always(struct text left, struct text right) {
  (void)left, (void)right;
  return true;
}

/* ---- modes: words ---- */

/* Return whether a cluster belongs to a word. A cluster that starts with a lone mark belongs to a
 * word; otherwise the words of scripts that utf8proc does not fully support would be split. */
static bool is_word_cluster(int first) {
  return is_word_character(first) && !is_han(first);
}

static size_t word_end(struct text piece, size_t start) {
  int first;
  size_t end = cluster_end(piece, start, &first);
  bool word = is_word_cluster(first);
  while (word && end < piece.length) {
    const size_t next_end = cluster_end(piece, end, &first);
    word = is_word_cluster(first);
    if (word) end = next_end;
  }
  return end;
}

/* Return the last code point that is not a combining mark or joiner; 0 for empty text. */
static int last_base(struct text text) {
  size_t end = text.length;
  int codepoint = 0;
  while (end > 0) {
    size_t at = end - 1;
    while (at > 0 && continues_character(text.bytes[at])) at--;
    end = at;
    codepoint = character_at(text, &at);
    if (!extends_previous(codepoint)) break;
  }
  return codepoint;
}

static int first_character(struct text text) {
  size_t at = 0;
  return text.length == 0 ? 0 : character_at(text, &at);
}

static bool between_words(struct text left, struct text right) {
  return !(character_attachment(last_base(left)) & ATTACH_RIGHT) &&
         !(character_attachment(first_character(right)) & ATTACH_LEFT);
}

/* ---- modes: bpe ---- */

/* Kinds of words: punctuation and symbols; letters written without spaces between words; other
 * letters and numbers. */
enum word_kind { SIGN, UNSPACED_WORD, WORD };

static enum word_kind kind_of_word(int first) {
  if (!is_word_character(first)) return SIGN;
  return is_unspaced(first) ? UNSPACED_WORD : WORD;
}

/* Return the same end as in mode `words`, with one exception: a run of unspaced letters is one
 * word, which merges split. */
static size_t run_of_words_end(struct text piece, size_t start) {
  int first;
  size_t end = cluster_end(piece, start, &first);
  const enum word_kind kind = kind_of_word(first);
  while (kind != SIGN && end < piece.length) {
    const size_t next_end = cluster_end(piece, end, &first);
    if (kind_of_word(first) != kind) break;
    end = next_end;
  }
  return end;
}

/* ---- modes: chars ---- */

static size_t character_end(struct text piece, size_t start) {
  int first;
  return cluster_end(piece, start, &first);
}

static bool never(struct text left, struct text right) {
  (void)left, (void)right;
  return false;
}

/* ---- the table of modes ---- */

static const struct token_mode modes[] = {
    [ELMAN_TOKENS_SPACE] = {"space", piece_end, always, .segments = true},
    [ELMAN_TOKENS_WORDS] = {"words", word_end, between_words, .ignored_spaces = SPACES_BETWEEN_HAN},
    [ELMAN_TOKENS_CHARS] = {"chars", character_end, never, .ignored_spaces = SPACES_BESIDE_HAN},
    [ELMAN_TOKENS_AUTO] = {.name = "auto"},
    [ELMAN_TOKENS_BPE] = {"bpe", run_of_words_end, between_words, SPACES_BETWEEN_HAN,
                          .has_subwords = true},
    [ELMAN_TOKENS_AUTO_BPE] = {.name = "auto-bpe"},
};

const struct token_mode *token_mode_row(size_t mode) {
  return mode < sizeof modes / sizeof *modes ? &modes[mode] : NULL;
}

const char *elman_token_mode_name(size_t mode) {
  const struct token_mode *row = token_mode_row(mode);
  return row == NULL ? NULL : row->name;
}

bool token_mode_is_automatic(elman_token_mode mode) {
  return mode == ELMAN_TOKENS_AUTO || mode == ELMAN_TOKENS_AUTO_BPE;
}

const char *elman_normalization_name(size_t normalization) {
  static const char *const names[] = {[ELMAN_NFC] = "nfc",
                                      [ELMAN_NFKC] = "nfkc",
                                      [ELMAN_NO_NORMALIZATION] = "none",
                                      [ELMAN_NORMALIZATION_AUTO] = "auto",
                                      [ELMAN_NORMALIZATION_AUTO_LOWER] = "auto-lower",
                                      [ELMAN_NFKC_WIDE] = "nfkc-wide",
                                      [ELMAN_NFKC_LOWER] = "nfkc-lower"};
  return normalization < sizeof names / sizeof *names ? names[normalization] : NULL;
}

/* ---- one token ---- */

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

struct text token_shown(struct text token) {
  const struct text surface = token_surface(token);
  return surface.length > 0 ? surface : token;
}

static int digit(char byte) {
  const char *digits = "0123456789ABCDEF", *found = memchr(digits, byte, 16);
  return found == NULL ? -1 : (int)(found - digits);
}

int token_byte(struct text token) {
  if (token.length != 6 || memcmp(token.bytes, "<0x", 3) != 0 || token.bytes[5] != '>') return -1;
  const int high = digit(token.bytes[3]), low = digit(token.bytes[4]);
  return high < 0 || low < 0 ? -1 : 16 * high + low;
}

bool tokens_exceed(const struct tokens *tokens) {
  return tokens->most > 0 && tokens->count > tokens->most;
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
  /* Split at spaces before looking for clusters: a space and a following combining mark form a
   * cluster in Unicode, but tokens must not contain spaces. */
  for (struct text rest = text; rest.length > 0 && !tokens_exceed(tokens);) {
    const struct text piece = text_cut(&rest, ' ');
    size_t end;
    for (size_t at = 0; at < piece.length && !tokens_exceed(tokens); at = end) {
      end = how->token_end(piece, at);
      const struct text surface = {piece.bytes + at, end - at};
      const bool expected = how->space_expected(previous, surface);
      /* The first token of a text is treated as the rule expects, so that it needs no mark. */
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

/* Return the number of byte tokens, starting at `index`, that form one character. Store the bytes
 * in `character`. Return 0 if the tokens form no character. */
static size_t byte_character(char character[4], const struct tokens *tokens, size_t index) {
  size_t count = 0;
  for (; count < 4 && index + count < tokens->count; count++) {
    const int byte = token_byte(tokens_get(tokens, index + count));
    if (byte < 0) break;
    character[count] = (char)byte;
  }
  utf8proc_int32_t codepoint;
  const utf8proc_ssize_t length =
      utf8proc_iterate((const utf8proc_uint8_t *)character, (utf8proc_ssize_t)count, &codepoint);
  return length < 1 || codepoint == 0 || is_white_space(codepoint) ? 0 : (size_t)length;
}

void tokens_surface(struct surface *surface, const struct tokens *tokens, size_t index,
                    elman_token_mode mode) {
  static const char replacement[] = "\xEF\xBF\xBD"; /* U+FFFD */
  const struct text token = tokens_get(tokens, index);
  surface->text = token_surface(token);
  surface->next = index + 1;
  surface->is_bytes = token_mode_row(mode)->has_subwords && token_byte(token) >= 0;
  if (!surface->is_bytes) return;
  size_t length = byte_character(surface->character, tokens, index);
  if (length > 0) surface->next = index + length;
  if (length == 0) {
    length = sizeof replacement - 1;
    memcpy(surface->character, replacement, length);
  }
  surface->text = (struct text){surface->character, length};
}

/* In mode `bpe`, a mark alone applies to the next token that has no mark. */
elman_status tokens_join(struct buffer *into, const struct tokens *tokens, elman_token_mode mode,
                         elman_error *error) {
  const struct token_mode *how = token_mode_row(mode);
  struct surface surfaces[2] = {{.text = {"", 0}}, {.text = {"", 0}}}, *previous = surfaces;
  struct text alone = {"", 0};
  bool first = true;
  for (size_t i = 0; i < tokens->count;) {
    const struct text token = tokens_get(tokens, i);
    struct surface *surface = previous == surfaces ? surfaces + 1 : surfaces;
    tokens_surface(surface, tokens, i, mode);
    i = surface->next;
    if (how->has_subwords && surface->text.length == 0) {
      alone = token;
      continue;
    }
    const bool within = surface->is_bytes && previous->is_bytes;
    const struct text mark = token_has_mark(token) ? token : alone;
    const bool spaced = mark.length > 0
                            ? token_is_spaced(mark)
                            : !within && how->space_expected(previous->text, surface->text);
    if (spaced && !first) buffer_append(into, " ", 1);
    buffer_append_text(into, surface->text);
    previous = surface;
    alone.length = 0;
    first = false;
  }
  return into->failed ? fail_no_memory(error) : ELMAN_OK;
}

/* ---- untranslated words ---- */

bool space_beside_foreign(elman_token_mode mode, const struct foreign_neighbors *neighbors) {
  const int left = last_base(neighbors->left), right = first_character(neighbors->right);
  const bool expected = modes[mode].space_expected(neighbors->left, neighbors->right);
  if (expected || !is_word_character(left) || !is_word_character(right)) return expected;
  if (is_unspaced(left) && is_unspaced(right)) return false;
  const bool mixed = is_unspaced(left) != is_unspaced(right);
  if (neighbors->left_foreign && neighbors->right_foreign)
    return mixed || !neighbors->foreign_characters;
  return mixed && mode != ELMAN_TOKENS_CHARS && is_unspaced(neighbors->left_foreign ? left : right);
}
