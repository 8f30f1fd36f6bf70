/* Token mode `bpe`: words to units of a vocabulary that lacks nothing.
 *
 * The words are those of tokens_split in this mode; merges split them into parts, and a part is a
 * token, with a mark where the rule for spaces needs one. What the vocabulary lacks becomes, as far
 * as it must, smaller: the parts that the part was merged from; at last a character, which the
 * vocabulary holds without a mark, behind a token that is a mark alone where it needs one; at the
 * very last the bytes of the character, "<0xE4>" and so on. So text never becomes <unk>.
 *
 * Neighbouring byte units within a sentence are characters of one word. A literal mark in text is
 * either a unit with a mark of its own in front, or bytes: a mark alone is never text. Nor is
 * "<0xE4>", since "<" is a word for itself. */
#ifndef ELMAN_VOCAB_SUBWORD_TOKENS_H
#define ELMAN_VOCAB_SUBWORD_TOKENS_H

#include "vocab/bpe.h"
#include "vocab/vocabulary.h"

/* Appends what the vocabulary of these words must hold: marks alone, bytes, and the characters that
 * are seen at least `min_count` times. */
elman_status subwords_closure(struct tokens *tokens, const struct word_table *words,
                              uint64_t min_count, elman_error *error) CHECKED;

/* Whether text can never become <unk>. */
bool subwords_are_closed(const struct vocabulary *vocabulary);

/* What a word is split by. */
struct subwords {
  const struct merges *merges;
  const struct vocabulary *vocabulary; /* NULL = units are not looked for, as while counting */
};

/* Scratch memory of one thread. Start from all zero. */
struct subwords_scratch {
  struct bpe_split split;
  struct subwords_span *spans; /* a stack of what is still to be split */
  size_t span_count, span_capacity;
};

/* Replaces `out` by the units of `words`, a list of tokens_split in mode `bpe`. `dropout` may be
 * NULL. */
elman_status subwords_split(struct tokens *out, const struct tokens *words,
                            struct subwords subwords, struct subwords_scratch *scratch,
                            struct bpe_dropout *dropout, elman_error *error) CHECKED;
void subwords_scratch_free(struct subwords_scratch *scratch);

#endif
