/* Text to tokens and back.
 *
 * Every mode is lossless: tokens_join(tokens_split(x)) == x for every normalised text x. A mode has
 * a rule that says whether a space is expected between two neighbouring tokens; where the text
 * differs from the rule, the right-hand token carries a mark in front:
 *
 *   MARK_JOINED "￭" (U+FFED)  no space stood here although the rule expects one
 *   MARK_SPACED "▁" (U+2581)  a space stood here although the rule expects none
 *
 * A token whose own text begins with a mark character always carries an explicit mark, so that one
 * leading mark can always be taken off; on the first token of a text it is the one that the rule
 * would expect behind nothing.
 *
 *   space  split at white space; a space is expected between all tokens (so there are never marks,
 *          except on a token that itself begins with a mark character)
 *   words  letters and digits together, punctuation and symbols apart (one grapheme cluster each),
 *          Han characters one by one; a space is expected except: beside a Han character, kana
 *          or full-width punctuation; before closing punctuation (. , ! ? ; : % ) ] } ’ …); after
 *          opening punctuation ( [ { ‘ “ $ # and so on; before and after ' ’ - / and _
 *   chars  one extended grapheme cluster a token; no space is expected
 *
 * In `words` and `chars` text comes here without the spaces that say nothing: text_drop_spaces. */
#ifndef ELMAN_VOCAB_TOKENS_H
#define ELMAN_VOCAB_TOKENS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "base/text.h"
#include "elman/tokens.h"

#define MARK_JOINED "\xEF\xBF\xAD"
#define MARK_SPACED "\xE2\x96\x81"

/* Of an elman_token_mode: "space", "words", "chars", "auto", "bpe"; NULL for anything else. */
const char *token_mode_name(size_t mode);

/* Of an elman_normalization: "nfc", "nfkc", "nfkc-wide"; NULL for anything else. */
const char *normalization_name(size_t normalization);

/* Replaces the contents of `into` by `text` in this form, with every run of Unicode white space one
 * space and none at the ends. `text` must be valid UTF-8. */
elman_status text_normalize(struct buffer *into, struct text text, elman_normalization form,
                            elman_error *error) CHECKED;

/* Drops the spaces from normalised text that say nothing in a mode, and that few people type: in
 * `words` those between two of Han, kana and full-width signs, in `chars` those beside one. A space
 * between Han and Latin stays in `words`, which is what other languages are split into: the word on
 * either side would be written without it. */
void text_drop_spaces(struct buffer *normalized, elman_token_mode mode);

/* Replaces the contents of `into` by `text` in NFKD with its case folded, without characters that
 * nobody sees (soft hyphens, joiners). Texts that differ in case, width or the like become equal.
 * For comparing, not for reading. `text` must be valid UTF-8. */
elman_status text_fold(struct buffer *into, struct text text, elman_error *error) CHECKED;

/* A list of tokens. Their bytes lie in `bytes`; item i is [starts[i], starts[i + 1]). Start from
 * all zero; a list may be reused and then keeps its memory. */
struct tokens {
  struct buffer bytes;
  size_t *starts; /* count + 1 entries once anything was added */
  size_t count;
  size_t capacity;
};

struct text tokens_get(const struct tokens *tokens, size_t index); /* marks included */
elman_status tokens_add(struct tokens *tokens, struct text token, elman_error *error) CHECKED;
/* Adds `mark` (MARK_JOINED, MARK_SPACED or "") and `surface` as one token. */
elman_status tokens_add_marked(struct tokens *tokens, const char *mark, struct text surface,
                               elman_error *error) CHECKED;
void tokens_clear(struct tokens *tokens);
void tokens_free(struct tokens *tokens);

/* Splits `text`, in mode `bpe` to words only (subwords_split splits them), which must be normalised
 * and lie elsewhere than in `tokens`; `mode` is not ELMAN_TOKENS_AUTO. Replaces what was there. */
elman_status tokens_split(struct tokens *tokens, struct text text, elman_token_mode mode,
                          elman_error *error) CHECKED;

/* Appends the text that the tokens came from to `into`. */
elman_status tokens_join(struct buffer *into, const struct tokens *tokens, elman_token_mode mode,
                         elman_error *error) CHECKED;

struct text token_surface(struct text token);
bool token_has_mark(struct text token);
bool token_is_spaced(struct text token); /* its mark is MARK_SPACED */

/* What people are shown of a token: its surface; of a mark alone the mark. */
struct text token_shown(struct text token);

/* In mode `bpe`: the byte that "<0xE4>" and its like stand for; -1 of any other token. */
int token_byte(struct text token);

/* What a token is in text. */
struct surface {
  struct text text; /* without its mark; the bytes of a mark alone are none */
  size_t next;      /* the token behind it: byte units that are a character go together */
  bool is_bytes;
  char character[4]; /* what `text` then is */
};

/* Bytes that are no character of a word together give U+FFFD each. */
void tokens_surface(struct surface *surface, const struct tokens *tokens, size_t index,
                    elman_token_mode mode);

/* Characters of normalised text by script. Start from all zero. */
struct script_counts {
  size_t characters;    /* without white space */
  size_t letters;       /* letters and digits, Han included */
  size_t han;           /* Han characters */
  size_t kana;          /* letters that are kana */
  size_t han_adjacent;  /* pairs of a Han character and another one, a kana or a full-width sign */
  size_t han_separated; /* the same with a space between them */
};
void script_count(struct script_counts *counts, struct text text);
bool script_is_han(const struct script_counts *counts); /* most letters and digits are Han */

/* A sample of lines, from which `auto` is resolved. Each line counts once, so that none outweighs
 * the others: as `words` unless it is mostly Han; as `space` when at least a fifth of its
 * neighbouring Han characters have a space between them (segmented Chinese), else as `chars`. A
 * line too short to tell the latter two apart counts as Han only. Where both are found, `chars`
 * loses least: it takes them alike, whereas an unsegmented sentence is one long word in `space`. So
 * `space` needs nine lines of ten. Start from all zero. */
struct script_sample {
  size_t lines;    /* with letters or digits */
  size_t han;      /* of them, mostly Han */
  size_t wide;     /* of them, mostly Han and kana: written with full-width signs */
  size_t spaced;   /* of these, segmented by spaces */
  size_t unspaced; /* surely not */
};
/* The mode that fits the line with these counts. */
elman_token_mode script_line_mode(const struct script_counts *line);
void script_sample_add(struct script_sample *sample, const struct script_counts *line);
elman_token_mode script_token_mode(const struct script_sample *sample);
/* ELMAN_NFKC becomes ELMAN_NFKC_WIDE where most lines are written with full-width signs. */
elman_normalization script_normalization(const struct script_sample *sample,
                                         elman_normalization asked);

/* Han: the ideographs of all CJK blocks and 々 〇 (no kana). */
bool is_han(int codepoint);

#endif
