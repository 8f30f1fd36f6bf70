/* Sentences as numbers: the same, or the same but for case, width, punctuation and white space. */
#ifndef ELMAN_CORPUS_KEY_H
#define ELMAN_CORPUS_KEY_H

#include <stdint.h>

#include "base/table.h"
#include "base/text.h"

/* Replaces the contents of `into` by what is left of `text` after NFKD (which distinguishes the
 * same texts as NFKC), case folding, and dropping punctuation, white space and control characters.
 * Of a text that has nothing else the punctuation stays. `text` must be valid UTF-8. */
elman_status key_of(struct buffer *into, struct text text, elman_error *error) CHECKED;

/* The hash of a pair from those of its sides. Of 64 bits: among a million different ones two are
 * treated as the same with a chance of one to thirty-seven million. */
uint64_t key_hash_pair(uint64_t source, uint64_t target);

/* *first is the position that was added first with the hash of `position` in `keys`: itself if
 * there is none, and then it is added. */
elman_status key_first(size_t *first, struct table *table, const uint64_t *keys, size_t position,
                       elman_error *error) CHECKED;

#endif
