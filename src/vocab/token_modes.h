/* The modes of splitting text. A mode is a row here and a value of elman_token_mode. */
#ifndef ELMAN_VOCAB_TOKEN_MODES_H
#define ELMAN_VOCAB_TOKEN_MODES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "elman/tokens.h"

/* Spaces that say nothing in a mode, and that few people type: see text_drop_spaces. */
enum idle_spaces { NO_SPACES, SPACES_BETWEEN_HAN, SPACES_BESIDE_HAN };

struct token_mode {
  const char *name;
  /* The end of the token that starts at byte `start` of a piece without spaces. NULL for `auto`. */
  size_t (*token_end)(struct text piece, size_t start);
  /* Whether a space is expected between two tokens. It sees them without marks, so that splitting
   * and joining cannot disagree. */
  bool (*space_expected)(struct text left, struct text right);
  enum idle_spaces idle_spaces;
  bool segments_han; /* see segment_unspaced */
  bool has_subwords; /* see subwords_split; a token may be a byte, or a mark alone */
};

/* Of an elman_token_mode; NULL if there is no such mode. */
const struct token_mode *token_mode_row(size_t mode);

/* Two neighbours of which at least one is a word of the other language, put where a word is
 * unknown.
 */
struct meeting {
  struct text left, right; /* without marks */
  bool left_foreign, right_foreign;
  bool foreign_characters; /* the other language is split into single characters */
};

/* Whether a space parts them: as the mode expects, but Han and kana stand apart from the words of a
 * text with spaces, and two foreign words are not joined to one. */
bool space_beside_foreign(elman_token_mode mode, const struct meeting *meeting);

#endif
