/* Sentences as numbers that can be compared: exactly, or but for case, width, punctuation and white
 * space. */
#ifndef ELMAN_CORPUS_KEY_H
#define ELMAN_CORPUS_KEY_H

#include <stdint.h>

#include "base/status.h"
#include "base/text.h"

/* Replaces the contents of `into` by what is left of `text` after NFKD (which tells the same texts
 * apart as NFKC), case folding, and dropping punctuation, white space and control characters. Of a
 * text that has nothing else the punctuation stays. `text` must be valid UTF-8. */
elman_status key_of(struct buffer *into, struct text text, elman_error *error) CHECKED;

/* 64 bits. Among a million different sentences two are taken for the same with a chance of one to
 * thirty-seven million. */
uint64_t key_hash(struct text text);

/* The hash of a pair from those of its sides. */
uint64_t key_hash_pair(uint64_t source, uint64_t target);

#endif
