#include "vocab/token_modes.h"

#include "vocab/characters.h"
#include "vocab/tokens.h"

/* ---- space ---- */

static size_t piece_end(struct text piece, size_t start) {
  (void)start;
  return piece.length;
}

static bool always(struct text left, struct text right) {
  (void)left, (void)right;
  return true;
}

/* ---- words ---- */

/* A cluster that starts with a lone mark counts as a word: scripts that utf8proc does not yet know
 * in full are then not torn apart. */
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

/* The last code point that is not a mark or a joiner on top of another one; 0 of empty text. */
static int last_base(struct text text) {
  size_t end = text.length;
  int codepoint = 0;
  while (end > 0) {
    size_t at = end - 1;
    while (at > 0 && continues_character(text.bytes[at])) at--;
    end = at;
    codepoint = character_at(text, &at);
    if (!stands_on_another(codepoint)) break;
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

/* ---- bpe ---- */

/* Letters that are written without spaces between words; the others, and numbers; signs. */
enum word_kind { SIGN, UNSPACED_WORD, WORD };

static enum word_kind kind_of_word(int first) {
  if (!is_word_character(first)) return SIGN;
  return is_unspaced(first) ? UNSPACED_WORD : WORD;
}

/* As in `words`, but what is written without spaces is one word: merges find the words in it. */
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

/* ---- chars ---- */

static size_t character_end(struct text piece, size_t start) {
  int first;
  return cluster_end(piece, start, &first);
}

static bool never(struct text left, struct text right) {
  (void)left, (void)right;
  return false;
}

/* ---- the table ---- */

static const struct token_mode modes[] = {
    [ELMAN_TOKENS_SPACE] = {"space", piece_end, always, .segments_han = true},
    [ELMAN_TOKENS_WORDS] = {"words", word_end, between_words, .idle_spaces = SPACES_BETWEEN_HAN},
    [ELMAN_TOKENS_CHARS] = {"chars", character_end, never, .idle_spaces = SPACES_BESIDE_HAN},
    [ELMAN_TOKENS_AUTO] = {.name = "auto"},
    [ELMAN_TOKENS_BPE] = {"bpe", run_of_words_end, between_words, SPACES_BETWEEN_HAN,
                          .has_subwords = true},
};

const struct token_mode *token_mode_row(size_t mode) {
  return mode < sizeof modes / sizeof *modes ? &modes[mode] : NULL;
}

const char *token_mode_name(size_t mode) {
  const struct token_mode *row = token_mode_row(mode);
  return row == NULL ? NULL : row->name;
}

/* ---- words of the other language ---- */

bool space_beside_foreign(elman_token_mode mode, const struct meeting *meeting) {
  const int left = last_base(meeting->left), right = first_character(meeting->right);
  const bool expected = modes[mode].space_expected(meeting->left, meeting->right);
  if (expected || !is_word_character(left) || !is_word_character(right)) return expected;
  if (is_unspaced(left) && is_unspaced(right)) return false;
  const bool mixed = is_unspaced(left) != is_unspaced(right);
  if (meeting->left_foreign && meeting->right_foreign) return mixed || !meeting->foreign_characters;
  return mixed && mode != ELMAN_TOKENS_CHARS && is_unspaced(meeting->left_foreign ? left : right);
}
