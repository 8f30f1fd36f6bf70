#include "vocab/vocabulary.h"

#include <stdlib.h>
#include <string.h>

#include "vocab/characters.h"

/* ---- word table ---- */

static bool is_word(const void *table, size_t index, const void *text) {
  return text_equal(word_text(table, index), *(const struct text *)text);
}

static uint32_t find(const struct word_table *table, struct text text, uint64_t hash) {
  return table_find(&table->index, hash, is_word, table, &text);
}

uint32_t word_find(const struct word_table *table, struct text text) {
  return find(table, text, text_hash(text));
}

elman_status word_add(struct word **word, struct word_table *table, struct text text,
                      elman_error *error) {
  const uint64_t hash = text_hash(text);
  const uint32_t found = find(table, text, hash);
  if (found != TABLE_NONE) {
    *word = &table->words[found];
    return ELMAN_OK;
  }
  elman_status status =
      array_grow(&table->words, &table->capacity, table->count + 1, sizeof *table->words, error);
  if (status != ELMAN_OK) return status;
  const size_t start = table->bytes.length;
  buffer_append_text(&table->bytes, text);
  buffer_append(&table->bytes, "", 1);
  if (table->bytes.failed) return fail_no_memory(error);
  status = table_add(&table->index, hash, table->count, error);
  if (status != ELMAN_OK) return status;
  *word = &table->words[table->count++];
  **word = (struct word){.start = start, .length = text.length};
  return ELMAN_OK;
}

void word_table_free(struct word_table *table) {
  buffer_free(&table->bytes);
  free(table->words);
  table_free(&table->index);
  *table = (struct word_table){0};
}

/* ---- vocabulary ---- */

struct token_counter {
  struct word_table table;
  struct word_table kept;
};

struct vocabulary {
  struct word_table table; /* its index is the id */
  size_t specials;
  double total;
  size_t longest_unspaced;
  double of_script[SCRIPTS]; /* sum of the counts of the tokens of each script */
};

static const char *const special_names[] = {"<unk>", "<s>", "</s>"};

enum { SPECIAL_NAMES = sizeof special_names / sizeof special_names[0] };

static bool is_special(struct text token) {
  for (int i = 0; i < SPECIAL_NAMES; i++)
    if (text_equal(token, text_of(special_names[i]))) return true;
  return false;
}

elman_status token_counter_create(struct token_counter **counter, elman_error *error) {
  *counter = calloc(1, sizeof **counter);
  return *counter == NULL ? fail_no_memory(error) : ELMAN_OK;
}

elman_status token_counter_add(struct token_counter *counter, const struct tokens *tokens,
                               elman_error *error) {
  for (size_t i = 0; i < tokens->count; i++) {
    const struct text token = tokens_get(tokens, i);
    if (token.length == 0 || is_special(token)) continue;
    struct word *word;
    const elman_status status = word_add(&word, &counter->table, token, error);
    if (status != ELMAN_OK) return status;
    word->count++;
  }
  return ELMAN_OK;
}

elman_status token_counter_keep(struct token_counter *counter, const struct tokens *tokens,
                                elman_error *error) {
  elman_status status = ELMAN_OK;
  for (size_t i = 0; status == ELMAN_OK && i < tokens->count; i++) {
    struct word *word;
    status = word_add(&word, &counter->table, tokens_get(tokens, i), error);
    if (status == ELMAN_OK) status = word_add(&word, &counter->kept, tokens_get(tokens, i), error);
  }
  return status;
}

elman_status token_counter_merge(struct token_counter *counter, const struct token_counter *from,
                                 elman_error *error) {
  for (size_t i = 0; i < from->table.count; i++) {
    struct word *word;
    const elman_status status = word_add(&word, &counter->table, word_text(&from->table, i), error);
    if (status != ELMAN_OK) return status;
    word->count += from->table.words[i].count;
  }
  return ELMAN_OK;
}

struct token_counts token_counter_counts(const struct token_counter *counter) {
  struct token_counts counts = {.distinct = counter->table.count};
  for (size_t i = 0; i < counter->table.count; i++) {
    counts.tokens += (size_t)counter->table.words[i].count;
    counts.once += counter->table.words[i].count == 1;
  }
  return counts;
}

void token_counter_free(struct token_counter *counter) {
  if (counter == NULL) return;
  word_table_free(&counter->table);
  word_table_free(&counter->kept);
  free(counter);
}

/* Return the length in characters if the word consists of unspaced letters, else 0. */
static size_t unspaced_length(struct text word) {
  size_t characters = 0;
  for (size_t at = 0; at < word.length; characters++)
    if (!is_unspaced_letter(character_at(word, &at))) return 0;
  return characters;
}

/* Return `status`. After an error free the vocabulary first. */
static elman_status built(struct vocabulary **vocabulary, elman_status status) {
  if (status == ELMAN_OK) return ELMAN_OK;
  vocabulary_free(*vocabulary);
  *vocabulary = NULL;
  return status;
}

/* Create a vocabulary that contains only the specials. vocabulary_find must not return a
 * special. */
static elman_status create(struct vocabulary **vocabulary, elman_side side, elman_error *error) {
  *vocabulary = calloc(1, sizeof **vocabulary);
  if (*vocabulary == NULL) return fail_no_memory(error);
  (*vocabulary)->specials = side == ELMAN_SOURCE ? TOKEN_UNKNOWN + 1 : TOKEN_END + 1;
  elman_status status = ELMAN_OK;
  for (size_t i = 0; status == ELMAN_OK && i < (*vocabulary)->specials; i++) {
    struct word *word;
    status = word_add(&word, &(*vocabulary)->table, text_of(special_names[i]), error);
  }
  return built(vocabulary, status);
}

static elman_status add_counted(struct vocabulary *vocabulary, struct text token, uint64_t count,
                                elman_error *error) {
  struct word *word;
  const elman_status status = word_add(&word, &vocabulary->table, token, error);
  if (status != ELMAN_OK) return status;
  word->count = count;
  vocabulary->total += (double)count;
  const size_t length = unspaced_length(token);
  if (length > vocabulary->longest_unspaced) vocabulary->longest_unspaced = length;
  struct letter_counts letters = {{0}};
  if (token_byte(token) < 0) letters_count(&letters, token);
  if (letters_found(&letters)) vocabulary->of_script[letters_script(&letters)] += 1 + (double)count;
  return ELMAN_OK;
}

struct candidate {
  struct text word;
  uint64_t count;
  bool kept;
};

static int compare_candidates(const void *a, const void *b) {
  const struct candidate *x = a, *y = b;
  if (x->count != y->count) return x->count > y->count ? -1 : 1;
  const size_t common = x->word.length < y->word.length ? x->word.length : y->word.length;
  const int order = memcmp(x->word.bytes, y->word.bytes, common);
  if (order != 0) return order;
  return (x->word.length > y->word.length) - (x->word.length < y->word.length);
}

elman_status vocabulary_from_counts(struct vocabulary **vocabulary,
                                    const struct token_counter *counter, elman_side side,
                                    uint64_t min_count, size_t max_words, elman_error *error) {
  *vocabulary = NULL;
  const struct word_table *table = &counter->table;
  /* Allocate one more element, because the size must not be 0. */
  struct candidate *candidates = reallocarray(NULL, table->count + 1, sizeof *candidates);
  if (candidates == NULL) return fail_no_memory(error);
  size_t count = 0, words = 0;
  for (size_t i = 0; i < table->count; i++) {
    const struct text word = word_text(table, i);
    const bool kept = word_find(&counter->kept, word) != TABLE_NONE;
    if (kept || table->words[i].count >= min_count)
      candidates[count++] = (struct candidate){word, table->words[i].count, kept};
  }
  qsort(candidates, count, sizeof *candidates, compare_candidates);

  elman_status status = create(vocabulary, side, error);
  for (size_t i = 0; status == ELMAN_OK && i < count; i++) {
    const bool fits = max_words == 0 || words < max_words;
    words++;
    if (fits || candidates[i].kept)
      status = add_counted(*vocabulary, candidates[i].word, candidates[i].count, error);
  }
  free(candidates);
  return built(vocabulary, status);
}

static elman_status add_listed(struct vocabulary *vocabulary, const struct tokens *tokens,
                               const uint64_t *counts, elman_error *error) {
  for (size_t id = 0; id < tokens->count; id++) {
    const struct text token = tokens_get(tokens, id);
    if (id < vocabulary->specials) {
      if (!text_equal(token, text_of(special_names[id])))
        return fail(error, ELMAN_BAD_DATA, NULL, "token %zu of the vocabulary must be %s", id,
                    special_names[id]);
      continue;
    }
    const char *problem = token.length == 0                         ? "is empty"
                          : text_valid_prefix(token) < token.length ? "is not valid UTF-8"
                          : is_special(token)                       ? "must not be a special token"
                                                                    : NULL;
    if (problem == NULL) {
      const elman_status status = add_counted(vocabulary, token, counts[id], error);
      if (status != ELMAN_OK) return status;
      if (vocabulary->table.count != id + 1) problem = "is a duplicate";
    }
    if (problem != NULL)
      return fail(error, ELMAN_BAD_DATA, NULL, "token %zu of the vocabulary %s", id, problem);
  }
  return ELMAN_OK;
}

elman_status vocabulary_from_list(struct vocabulary **vocabulary, const struct tokens *tokens,
                                  const uint64_t *counts, elman_side side, elman_error *error) {
  elman_status status = create(vocabulary, side, error);
  if (status != ELMAN_OK) return status;
  const size_t specials = (*vocabulary)->specials;
  status = tokens->count < specials
               ? fail(error, ELMAN_BAD_DATA, NULL,
                      "the vocabulary has %zu token%s; at least %zu are required", tokens->count,
                      plural_ending(tokens->count), specials)
               : add_listed(*vocabulary, tokens, counts, error);
  return built(vocabulary, status);
}

void vocabulary_free(struct vocabulary *vocabulary) {
  if (vocabulary == NULL) return;
  word_table_free(&vocabulary->table);
  free(vocabulary);
}

size_t vocabulary_size(const struct vocabulary *vocabulary) {
  return vocabulary->table.count;
}

size_t vocabulary_specials(const struct vocabulary *vocabulary) {
  return vocabulary->specials;
}

struct text vocabulary_token(const struct vocabulary *vocabulary, size_t id) {
  return word_text(&vocabulary->table, id);
}

uint64_t vocabulary_count(const struct vocabulary *vocabulary, size_t id) {
  return vocabulary->table.words[id].count;
}

double vocabulary_total(const struct vocabulary *vocabulary) {
  return vocabulary->total;
}

size_t vocabulary_longest_unspaced(const struct vocabulary *vocabulary) {
  return vocabulary->longest_unspaced;
}

enum script vocabulary_script(const struct vocabulary *vocabulary) {
  enum { VOTES = 1 << 20 };
  struct script_votes votes = {{0}};
  double sum = 0;
  for (int script = 0; script < SCRIPTS; script++) sum += vocabulary->of_script[script];
  for (int script = 0; script < SCRIPTS && sum > 0; script++)
    votes.of[script] = (uint32_t)(VOTES * (vocabulary->of_script[script] / sum));
  return script_elected(&votes);
}

uint32_t vocabulary_find(const struct vocabulary *vocabulary, struct text token) {
  const uint32_t id = word_find(&vocabulary->table, token);
  return id == TABLE_NONE || id < vocabulary->specials ? TOKEN_UNKNOWN : id;
}
