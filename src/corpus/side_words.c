#include "corpus/side_words.h"

#include <stdlib.h>

#include "base/portable_math.h"
#include "vocab/characters.h"
#include "vocab/scripts.h"

void side_words_free(struct side_words *words) {
  table_free(&words->table);
  free(words->words);
  *words = (struct side_words){0};
}

static bool is_own_word(int codepoint) {
  return codepoint >= 0xE00 && script_is_unspaced(script_of(codepoint));
}

static uint64_t hash_folded(struct text text, size_t start, size_t end) {
  uint64_t hash = HASH_START;
  for (size_t i = start; i < end; i++) {
    char byte = text.bytes[i];
    if (byte >= 'A' && byte <= 'Z') byte = (char)(byte - 'A' + 'a');
    hash = hash_bytes(hash, &byte, 1);
  }
  return hash;
}

size_t side_word_next(uint64_t *hash, struct text text, size_t *start) {
  size_t begin = *start, end;
  int codepoint = 0;
  for (;; begin = end) {
    if (begin >= text.length) return 0;
    end = begin;
    codepoint = character_at(text, &end);
    if (is_word_character(codepoint)) break;
  }
  while (!is_own_word(codepoint) && end < text.length) {
    size_t next = end;
    const int following = character_at(text, &next);
    if (!is_word_character(following) || is_own_word(following)) break;
    end = next;
  }
  *start = begin;
  *hash = hash_folded(text, begin, end);
  return end;
}

static bool is_word(const void *items, size_t item, const void *key) {
  return ((const struct side_word *)items)[item].hash == *(const uint64_t *)key;
}

static const struct side_word *find_word(const struct side_words *words, uint64_t hash) {
  const uint32_t found = table_find(&words->table, hash, is_word, words->words, &hash);
  return found == TABLE_NONE ? NULL : &words->words[found];
}

static elman_status add_word(struct side_words *words, uint64_t hash, int side,
                             elman_error *error) {
  uint32_t found = table_find(&words->table, hash, is_word, words->words, &hash);
  if (found == TABLE_NONE) {
    elman_status status =
        array_grow(&words->words, &words->capacity, words->count + 1, sizeof *words->words, error);
    if (status == ELMAN_OK) status = table_add(&words->table, hash, words->count, error);
    if (status != ELMAN_OK) return status;
    found = (uint32_t)words->count;
    words->words[words->count++] = (struct side_word){.hash = hash};
  }
  words->words[found].counts[side]++;
  words->totals[side]++;
  return ELMAN_OK;
}

elman_status side_words_add(struct side_words *words, const struct text sides[2],
                            elman_error *error) {
  elman_status status = ELMAN_OK;
  for (int side = 0; side < 2; side++) {
    uint64_t hash;
    size_t start = 0, end;
    while (status == ELMAN_OK && (end = side_word_next(&hash, sides[side], &start)) > 0) {
      status = add_word(words, hash, side, error);
      start = end;
    }
  }
  return status;
}

void side_words_flip(struct side_words *words, const struct text sides[2]) {
  for (int side = 0; side < 2; side++) {
    uint64_t hash;
    size_t start = 0, end;
    while ((end = side_word_next(&hash, sides[side], &start)) > 0) {
      struct side_word *word = &words->words[find_word(words, hash) - words->words];
      word->counts[side]--;
      word->counts[1 - side]++;
      words->totals[side]--;
      words->totals[1 - side]++;
      start = end;
    }
  }
}

bool side_words_are_separate(const struct side_words *words) {
  static const double NEARLY_ALL = 0.9;
  enum { FREQUENT = 5 };
  double all = 0, one_sided = 0;
  for (size_t i = 0; i < words->count; i++) {
    const uint32_t a = words->words[i].counts[0], b = words->words[i].counts[1];
    if (a + b < FREQUENT) continue;
    all += a + b;
    one_sided += a > b ? a : b;
  }
  return one_sided >= NEARLY_ALL * all;
}

/* ---- judging a pair ---- */

enum { MOST_WORDS = 64 }; /* per side; the first words of a long text suffice */

struct pair_words {
  uint64_t hashes[2][MOST_WORDS];
  size_t counts[2];
};

static void list_words(struct pair_words *list, const struct text sides[2]) {
  for (int side = 0; side < 2; side++) {
    size_t start = 0, end, count = 0;
    while (count < MOST_WORDS &&
           (end = side_word_next(&list->hashes[side][count], sides[side], &start)) > 0) {
      start = end;
      count++;
    }
    list->counts[side] = count;
  }
}

/* Return the number of occurrences of a word on a side of the corpus, without those in the pair. */
static double count_elsewhere(const struct side_word *word, const struct pair_words *pair,
                              int side) {
  uint32_t own = 0;
  for (size_t i = 0; i < pair->counts[side]; i++) own += pair->hashes[side][i] == word->hash;
  return word->counts[side] > own ? (double)(word->counts[side] - own) : 0;
}

static double evidence_of(const struct side_words *words, const struct pair_words *pair,
                          uint64_t hash) {
  static const double UNSEEN = 0.5; /* added to both counts */
  const struct side_word *word = find_word(words, hash);
  if (word == NULL) return 0;
  const double in_source = count_elsewhere(word, pair, 0) + UNSEEN;
  const double in_target = count_elsewhere(word, pair, 1) + UNSEEN;
  return portable_log(in_source / in_target * (double)words->totals[1] / (double)words->totals[0]);
}

void side_words_judge(struct language_evidence evidence[2], const struct side_words *words,
                      const struct text sides[2]) {
  struct pair_words pair;
  list_words(&pair, sides);
  for (int side = 0; side < 2; side++) {
    evidence[side] = (struct language_evidence){.words = pair.counts[side]};
    for (size_t i = 0; words->count > 0 && i < pair.counts[side]; i++)
      evidence[side].for_source += evidence_of(words, &pair, pair.hashes[side][i]);
  }
}
