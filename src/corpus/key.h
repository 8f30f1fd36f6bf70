/* Hashes of sentences. They find equal sentences, and sentences that differ only in case, width,
 * punctuation and white space. */
#ifndef ELMAN_CORPUS_KEY_H
#define ELMAN_CORPUS_KEY_H

#include <stdint.h>

#include "base/table.h"
#include "base/text.h"

/* Replace the contents of `into` by `text` after NFKD and case folding, without punctuation, white
 * space and control characters. NFKD distinguishes the same texts as NFKC. Punctuation is kept if
 * nothing else is left. `text` must be valid UTF-8. */
elman_status key_of(struct buffer *into, struct text text, elman_error *error) CHECKED;

/* Return the hash of a pair from the hashes of its sides. With 64 bits, the probability that any
 * two of a million different pairs collide is 1 in 37 million. */
uint64_t key_hash_pair(uint64_t source, uint64_t target);

/* Set *first to the first position that was added with the hash keys[position]. If there is none,
 * add `position` and set *first to `position`. */
elman_status key_first(size_t *first, struct table *table, const uint64_t *keys, size_t position,
                       elman_error *error) CHECKED;

#endif
