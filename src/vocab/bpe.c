#include "vocab/bpe.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "vocab/characters.h"
#include "vocab/tokens.h"

/* ---- merge operations ---- */

static bool is_pair(const void *items, size_t index, const void *key) {
  const struct merge *merge = (const struct merge *)items + index, *wanted = key;
  return merge->left == wanted->left && merge->right == wanted->right;
}

/* Return the rank of the merge of two symbols, TABLE_NONE if there is none. Either symbol may be
 * TABLE_NONE. */
static uint32_t merges_rank(const struct merges *merges, uint32_t left, uint32_t right) {
  if (left == TABLE_NONE || right == TABLE_NONE) return TABLE_NONE;
  const struct merge key = {left, right, 0};
  return table_find(&merges->pairs, symbols_hash(left, right), is_pair, merges->items, &key);
}

elman_status merges_intern(uint32_t *symbol, struct merges *merges, struct text text,
                           elman_error *error) {
  struct word *word;
  const elman_status status = word_add(&word, &merges->symbols, text, error);
  if (status == ELMAN_OK) *symbol = (uint32_t)(word - merges->symbols.words);
  return status;
}

/* Set *symbol to the symbol of the concatenation of two strings. Copy the strings first, because
 * adding a symbol may move symbols in memory. */
static elman_status intern_both(uint32_t *symbol, struct merges *merges, struct text left,
                                struct text right, elman_error *error) {
  struct buffer both = {0};
  buffer_append_text(&both, left);
  buffer_append_text(&both, right);
  const elman_status status = both.failed
                                  ? fail_no_memory(error)
                                  : merges_intern(symbol, merges, buffer_text(&both), error);
  buffer_free(&both);
  return status;
}

elman_status merges_add(struct merges *merges, struct text left, struct text right,
                        elman_error *error) {
  struct merge merge;
  if (merges->count == MAX_MERGES)
    return fail(error, ELMAN_BAD_DATA, NULL, "more than %d merge operations are not supported",
                MAX_MERGES);
  elman_status status = merges_intern(&merge.left, merges, left, error);
  if (status == ELMAN_OK) status = merges_intern(&merge.right, merges, right, error);
  if (status == ELMAN_OK) status = intern_both(&merge.result, merges, left, right, error);
  if (status == ELMAN_OK)
    status = array_grow(&merges->items, &merges->capacity, merges->count + 1, sizeof *merges->items,
                        error);
  if (status == ELMAN_OK && merges_rank(merges, merge.left, merge.right) == TABLE_NONE)
    status = table_add(&merges->pairs, symbols_hash(merge.left, merge.right), merges->count, error);
  if (status != ELMAN_OK) return status;
  struct word *result = &merges->symbols.words[merge.result];
  if (result->count == 0) result->count = merges->count + 1;
  merges->items[merges->count++] = merge;
  return ELMAN_OK;
}

elman_status merges_copy(struct merges *to, const struct merges *from, elman_error *error) {
  elman_status status = ELMAN_OK;
  for (size_t rank = 0; status == ELMAN_OK && rank < from->count; rank++)
    status = merges_add(to, merges_text(from, from->items[rank].left),
                        merges_text(from, from->items[rank].right), error);
  return status;
}

void merges_clear(struct merges *merges) {
  word_table_free(&merges->symbols);
  table_free(&merges->pairs);
  free(merges->items);
  *merges = (struct merges){0};
}

void merges_free(struct merges *merges) {
  if (merges == NULL) return;
  merges_clear(merges);
  free(merges);
}

/* Return the symbol of a character at the end of a word (`ends`) or elsewhere; TABLE_NONE if no
 * merge contains it. */
static uint32_t merges_symbol(const struct merges *merges, struct text character, bool ends) {
  enum { LONGEST = 4 }; /* maximum bytes of a character */
  char bytes[LONGEST + sizeof END_OF_WORD];
  if (!ends) return word_find(&merges->symbols, character);
  if (character.length > LONGEST) return TABLE_NONE;
  memcpy(bytes, character.bytes, character.length);
  memcpy(bytes + character.length, END_OF_WORD, sizeof END_OF_WORD);
  return word_find(&merges->symbols,
                   (struct text){bytes, character.length + sizeof END_OF_WORD - 1});
}

/* Return the first merge that produces this symbol, or NULL. */
static const struct merge *merges_origin(const struct merges *merges, uint32_t symbol) {
  if (symbol == TABLE_NONE) return NULL;
  const uint64_t number = merges->symbols.words[symbol].count;
  return number == 0 ? NULL : &merges->items[number - 1];
}

/* ---- lines ---- */

elman_status merges_add_line(struct merges *merges, struct text line, elman_error *error) {
  struct text right = line;
  const struct text left = text_cut(&right, ' ');
  if (left.length == 0 || right.length == 0 || memchr(right.bytes, ' ', right.length) != NULL)
    return fail(error, ELMAN_BAD_DATA, NULL,
                "is not a merge operation: expected two parts separated by one space");
  if (text_valid_prefix(line) < line.length)
    return fail(error, ELMAN_BAD_DATA, NULL, "is not valid UTF-8 text");
  return merges_add(merges, left, right, error);
}

void merges_append_line(struct buffer *into, const struct merges *merges, size_t rank) {
  const struct merge *merge = &merges->items[rank];
  buffer_append_text(into, merges_text(merges, merge->left));
  buffer_append(into, " ", 1);
  buffer_append_text(into, merges_text(merges, merge->right));
}

uint64_t merges_hash(uint64_t hash, const struct merges *merges) {
  for (size_t rank = 0; rank < merges->count; rank++) {
    const struct text sides[] = {merges_text(merges, merges->items[rank].left),
                                 merges_text(merges, merges->items[rank].right)};
    for (size_t i = 0; i < 2; i++) hash = hash_bytes(hash, sides[i].bytes, sides[i].length + 1);
  }
  return hash;
}

/* ---- splitting words ---- */

/* A symbol of the word, initially one character. `gone` is set when it is merged into its left
 * neighbor. */
struct bpe_node {
  size_t end; /* byte after the end of the symbol */
  uint32_t symbol;
  uint32_t next, previous; /* NO_NODE at the end or start of the word */
  bool gone;
};

#define NO_NODE UINT32_MAX

/* A possible merge. `node` is its left symbol. The candidate is outdated once either symbol has
 * been merged: the merged symbol is longer and therefore differs. */
struct bpe_candidate {
  uint32_t rank, node;
};

/* ---- splitting a word: queues ---- */

static bool comes_before(struct bpe_candidate a, struct bpe_candidate b) {
  return a.rank != b.rank ? a.rank < b.rank : a.node < b.node;
}

static elman_status append(struct bpe_queue *list, struct bpe_candidate candidate,
                           elman_error *error) {
  const elman_status status =
      array_grow(&list->items, &list->capacity, list->count + 1, sizeof *list->items, error);
  if (status == ELMAN_OK) list->items[list->count++] = candidate;
  return status;
}

static elman_status push(struct bpe_queue *heap, struct bpe_candidate candidate,
                         elman_error *error) {
  const elman_status status = append(heap, candidate, error);
  if (status != ELMAN_OK) return status;
  size_t at = heap->count - 1;
  for (size_t above; at > 0 && comes_before(candidate, heap->items[above = (at - 1) / 2]);
       at = above)
    heap->items[at] = heap->items[above];
  heap->items[at] = candidate;
  return ELMAN_OK;
}

static struct bpe_candidate pop(struct bpe_queue *heap) {
  const struct bpe_candidate first = heap->items[0], last = heap->items[--heap->count];
  size_t at = 0;
  for (size_t below; (below = 2 * at + 1) < heap->count; at = below) {
    if (below + 1 < heap->count && comes_before(heap->items[below + 1], heap->items[below]))
      below++;
    if (!comes_before(heap->items[below], last)) break;
    heap->items[at] = heap->items[below];
  }
  heap->items[at] = last;
  return first;
}

/* ---- splitting a word: steps ---- */

struct bpe_work {
  struct bpe_split *split;
  const struct merges *merges;
  struct bpe_dropout *dropout;
  elman_error *error;
};

static elman_status fill_nodes(struct bpe_work *work, size_t *count, struct text word) {
  struct bpe_split *split = work->split;
  *count = 0;
  for (size_t at = 0; at < word.length; ++*count) {
    if (*count == NO_NODE)
      return fail(work->error, ELMAN_BAD_DATA, NULL, "a word has more than %u characters", NO_NODE);
    const elman_status status = array_grow(&split->nodes, &split->node_capacity, *count + 1,
                                           sizeof *split->nodes, work->error);
    if (status != ELMAN_OK) return status;
    const size_t start = at;
    character_at(word, &at);
    const struct text character = {word.bytes + start, at - start};
    const bool ends = at == word.length;
    split->nodes[*count] =
        (struct bpe_node){.end = at,
                          .symbol = merges_symbol(work->merges, character, ends),
                          .next = ends ? NO_NODE : (uint32_t)*count + 1,
                          .previous = *count == 0 ? NO_NODE : (uint32_t)*count - 1};
  }
  return ELMAN_OK;
}

/* If a merge starts at the node, add it to the queue `list`. */
static elman_status offer(struct bpe_work *work, struct bpe_queue *list, uint32_t node) {
  const struct bpe_node *nodes = work->split->nodes;
  if (node == NO_NODE || nodes[node].next == NO_NODE) return ELMAN_OK;
  const uint32_t rank =
      merges_rank(work->merges, nodes[node].symbol, nodes[nodes[node].next].symbol);
  if (rank == TABLE_NONE) return ELMAN_OK;
  const struct bpe_candidate candidate = {rank, node};
  return list == &work->split->queue ? push(list, candidate, work->error)
                                     : append(list, candidate, work->error);
}

static bool is_current(const struct bpe_work *work, struct bpe_candidate candidate) {
  const struct bpe_node *node = &work->split->nodes[candidate.node];
  const struct merge *merge = &work->merges->items[candidate.rank];
  return !node->gone && node->symbol == merge->left && node->next != NO_NODE &&
         work->split->nodes[node->next].symbol == merge->right;
}

static bool is_dropped(struct bpe_dropout *dropout) {
  uint32_t words[4];
  if (dropout == NULL) return false;
  const uint64_t decision = dropout->next++;
  random_words(words, dropout->stream, decision / 4);
  return (double)words[decision % 4] < dropout->share * 0x1p32;
}

/* Remove the candidates of the lowest rank from the queue, from left to right. Move those that
 * dropout omits in this step to `later` and all others to `now`. */
static elman_status choose(struct bpe_work *work) {
  struct bpe_split *split = work->split;
  split->now.count = split->later.count = 0;
  while (split->queue.count > 0) {
    if (split->now.count > 0 && split->queue.items[0].rank != split->now.items[0].rank) break;
    const struct bpe_candidate candidate = pop(&split->queue);
    if (!is_current(work, candidate)) continue;
    struct bpe_queue *to = is_dropped(work->dropout) ? &split->later : &split->now;
    const elman_status status = append(to, candidate, work->error);
    if (status != ELMAN_OK) return status;
  }
  return ELMAN_OK;
}

/* Apply the merges in `now`. If two overlap ("aa" in "aaa"), apply the left one. */
static elman_status merge_chosen(struct bpe_work *work) {
  struct bpe_split *split = work->split;
  elman_status status = ELMAN_OK;
  for (size_t i = 0; status == ELMAN_OK && i < split->now.count; i++) {
    if (!is_current(work, split->now.items[i])) continue;
    const uint32_t left = split->now.items[i].node, right = split->nodes[left].next;
    struct bpe_node *node = &split->nodes[left], *gone = &split->nodes[right];
    node->symbol = work->merges->items[split->now.items[i].rank].result;
    node->end = gone->end;
    node->next = gone->next;
    gone->gone = true;
    if (node->next != NO_NODE) split->nodes[node->next].previous = left;
    status = offer(work, &split->later, node->previous);
    if (status == ELMAN_OK) status = offer(work, &split->later, left);
  }
  /* Add the new candidates now, because they must not be merged in the same step. */
  for (size_t i = 0; status == ELMAN_OK && i < split->later.count; i++)
    status = push(&split->queue, split->later.items[i], work->error);
  return status;
}

static elman_status read_parts(struct bpe_work *work) {
  struct bpe_split *split = work->split;
  split->count = 0;
  for (uint32_t node = 0; node != NO_NODE; node = split->nodes[node].next) {
    const elman_status status = array_grow(&split->parts, &split->capacity, split->count + 1,
                                           sizeof *split->parts, work->error);
    if (status != ELMAN_OK) return status;
    split->parts[split->count++] =
        (struct bpe_part){split->nodes[node].end, split->nodes[node].symbol};
  }
  return ELMAN_OK;
}

static elman_status split_word(struct bpe_split *split, struct text word,
                               struct bpe_dropout *dropout, elman_error *error) {
  struct bpe_work work = {split, split->merges, dropout, error};
  size_t count;
  split->queue.count = 0;
  elman_status status = fill_nodes(&work, &count, word);
  for (size_t i = 0; status == ELMAN_OK && i + 1 < count; i++)
    status = offer(&work, &split->queue, (uint32_t)i);
  while (status == ELMAN_OK && split->queue.count > 0) {
    status = choose(&work);
    if (status != ELMAN_OK || split->now.count == 0)
      break; /* dropout omitted all remaining
                merges */
    status = merge_chosen(&work);
  }
  return status == ELMAN_OK ? read_parts(&work) : status;
}

/* ---- splitting a word: cache ---- */

enum { SLOTS = 2048, LONGEST_CACHED = 32, MAX_PARTS = 8 };

/* A cache of split words, because few words make up most of a text. The hash of a word selects its
 * slot; a new word replaces the word in its slot. */
struct bpe_cache {
  struct cached_word {
    char word[LONGEST_CACHED];
    size_t length; /* 0 = free */
    struct bpe_part parts[MAX_PARTS];
    size_t count;
  } slots[SLOTS];
};

static elman_status load_cached(struct bpe_split *split, const struct cached_word *slot,
                                elman_error *error) {
  const elman_status status =
      array_grow(&split->parts, &split->capacity, slot->count, sizeof *split->parts, error);
  if (status != ELMAN_OK) return status;
  memcpy(split->parts, slot->parts, slot->count * sizeof *split->parts);
  split->count = slot->count;
  return ELMAN_OK;
}

static void store_cached(struct cached_word *slot, const struct bpe_split *split,
                         struct text word) {
  if (split->count > MAX_PARTS) return;
  memcpy(slot->word, word.bytes, word.length);
  slot->length = word.length;
  memcpy(slot->parts, split->parts, split->count * sizeof *split->parts);
  slot->count = split->count;
}

elman_status bpe_split(struct bpe_split *split, const struct merges *merges, struct text word,
                       struct bpe_dropout *dropout, elman_error *error) {
  assert(word.length > 0 && (split->merges == NULL || split->merges == merges));
  split->merges = merges;
  if (dropout != NULL || word.length > LONGEST_CACHED)
    return split_word(split, word, dropout, error);
  if (split->cache == NULL) split->cache = calloc(1, sizeof *split->cache);
  if (split->cache == NULL) return fail_no_memory(error);
  struct cached_word *slot =
      &split->cache->slots[hash_bytes(HASH_START, word.bytes, word.length) % SLOTS];
  if (slot->length == word.length && memcmp(slot->word, word.bytes, word.length) == 0)
    return load_cached(split, slot, error);
  const elman_status status = split_word(split, word, NULL, error);
  if (status == ELMAN_OK) store_cached(slot, split, word);
  return status;
}

void bpe_split_free(struct bpe_split *split) {
  free(split->cache);
  free(split->parts);
  free(split->nodes);
  free(split->queue.items);
  free(split->now.items);
  free(split->later.items);
  *split = (struct bpe_split){0};
}

/* ---- tokens: the smallest units ---- */

enum { BYTES = 256, BYTE_NAME = 8 };

static struct text byte_name(char name[BYTE_NAME], unsigned char byte) {
  snprintf(name, BYTE_NAME, "<0x%02X>", byte);
  return text_of(name);
}

static elman_status add_characters(struct tokens *tokens, const struct word_table *words,
                                   uint64_t min_count, elman_error *error) {
  struct word_table characters = {0};
  elman_status status = ELMAN_OK;
  for (size_t w = 0; status == ELMAN_OK && w < words->count; w++) {
    const struct text word = word_text(words, w);
    for (size_t at = 0, start; status == ELMAN_OK && at < word.length;) {
      struct word *character;
      start = at;
      character_at(word, &at);
      status =
          word_add(&character, &characters, (struct text){word.bytes + start, at - start}, error);
      if (status == ELMAN_OK) character->count += words->words[w].count;
    }
  }
  for (size_t i = 0; status == ELMAN_OK && i < characters.count; i++)
    if (characters.words[i].count >= min_count && !token_has_mark(word_text(&characters, i)))
      status = tokens_add(tokens, word_text(&characters, i), error);
  word_table_free(&characters);
  return status;
}

elman_status subwords_closure(struct tokens *tokens, const struct word_table *words,
                              uint64_t min_count, elman_error *error) {
  char name[BYTE_NAME];
  elman_status status = tokens_add(tokens, text_of(MARK_JOINED), error);
  if (status == ELMAN_OK) status = tokens_add(tokens, text_of(MARK_SPACED), error);
  for (int byte = 0; status == ELMAN_OK && byte < BYTES; byte++)
    status = tokens_add(tokens, byte_name(name, (unsigned char)byte), error);
  return status == ELMAN_OK ? add_characters(tokens, words, min_count, error) : status;
}

bool subwords_are_closed(const struct vocabulary *vocabulary) {
  char name[BYTE_NAME];
  bool closed = vocabulary_find(vocabulary, text_of(MARK_JOINED)) != TOKEN_UNKNOWN &&
                vocabulary_find(vocabulary, text_of(MARK_SPACED)) != TOKEN_UNKNOWN;
  for (int byte = 0; closed && byte < BYTES; byte++)
    closed = vocabulary_find(vocabulary, byte_name(name, (unsigned char)byte)) != TOKEN_UNKNOWN;
  return closed;
}

/* ---- tokens: splitting ---- */

/* A part of a word. */
struct subwords_span {
  struct text text;
  uint32_t symbol; /* number of the symbol in the merges, or TABLE_NONE */
  bool spaced;     /* preceded by a space */
};

/* The state of subwords_split. */
struct bpe_output {
  struct tokens *tokens;
  struct subwords subwords;
  struct subwords_scratch *scratch;
  bool (*space_expected)(struct text left, struct text right);
  struct text previous; /* last part written, or last character if written as bytes */
  bool after_bytes;
  elman_error *error;
};

static elman_status push_span(struct bpe_output *output, struct subwords_span span) {
  struct subwords_scratch *scratch = output->scratch;
  const elman_status status =
      array_grow(&scratch->spans, &scratch->span_capacity, scratch->span_count + 1,
                 sizeof *scratch->spans, output->error);
  if (status == ELMAN_OK) scratch->spans[scratch->span_count++] = span;
  return status;
}

static bool is_known(const struct bpe_output *output, struct text token) {
  return output->subwords.vocabulary == NULL ||
         vocabulary_find(output->subwords.vocabulary, token) != TOKEN_UNKNOWN;
}

/* Return whether the span follows a space. For the first token of a text, return `expected`, so
 * that the token needs no mark. */
static bool is_spaced(const struct bpe_output *output, const struct subwords_span *span,
                      bool expected) {
  return output->previous.length == 0 ? expected : span->spaced;
}

/* Add the part as one token if the vocabulary contains it. */
static elman_status add_unit(struct bpe_output *output, bool *added,
                             const struct subwords_span *span) {
  struct tokens *tokens = output->tokens;
  const bool expected = output->space_expected(output->previous, span->text);
  const bool spaced = is_spaced(output, span, expected);
  const bool marked = spaced != expected || token_has_mark(span->text);
  const char *mark = !marked ? "" : spaced ? MARK_SPACED : MARK_JOINED;
  const elman_status status = tokens_add_marked(tokens, mark, span->text, output->error);
  if (status != ELMAN_OK) return status;
  *added = is_known(output, tokens_get(tokens, tokens->count - 1));
  if (*added)
    output->after_bytes = false;
  else
    buffer_cut(&tokens->bytes, tokens->starts[--tokens->count]);
  return ELMAN_OK;
}

static elman_status add_character(struct bpe_output *output, const struct subwords_span *span) {
  const struct text character = span->text;
  const bool whole = is_known(output, character) && !token_has_mark(character);
  const bool within = !whole && output->after_bytes;
  const bool expected = !within && output->space_expected(output->previous, character);
  const bool spaced = is_spaced(output, span, expected);
  elman_status status = ELMAN_OK;
  char name[BYTE_NAME];
  if (spaced != expected)
    status = tokens_add(output->tokens, text_of(spaced ? MARK_SPACED : MARK_JOINED), output->error);
  if (status == ELMAN_OK && whole) status = tokens_add(output->tokens, character, output->error);
  for (size_t i = 0; status == ELMAN_OK && !whole && i < character.length; i++)
    status = tokens_add(output->tokens, byte_name(name, (unsigned char)character.bytes[i]),
                        output->error);
  output->after_bytes = !whole;
  return status;
}

/* Push the two parts whose merge produced this part. If there are none, push its first character
 * and the rest of the part. Push the left part last. Set *divided to false for a single character.
 * Check the lengths, because a merge from a damaged list may not fit the text. */
static elman_status divide(struct bpe_output *output, bool *divided,
                           const struct subwords_span *span) {
  const struct merges *merges = output->subwords.merges;
  const struct merge *merge = merges_origin(merges, span->symbol);
  struct subwords_span left = *span, right = *span;
  left.symbol = right.symbol = TABLE_NONE;
  left.text.length = 0;
  character_at(span->text, &left.text.length);
  if (merge != NULL && merges_text(merges, merge->left).length < span->text.length) {
    left = (struct subwords_span){merges_text(merges, merge->left), merge->left, span->spaced};
    left.text.bytes = span->text.bytes;
    right.symbol = merge->right;
  }
  *divided = left.text.length < span->text.length;
  if (!*divided) return ELMAN_OK;
  text_drop(&right.text, left.text.length);
  right.spaced = false;
  const elman_status status = push_span(output, right);
  return status == ELMAN_OK ? push_span(output, left) : status;
}

static elman_status add_part(struct bpe_output *output, const struct subwords_span *part) {
  struct subwords_scratch *scratch = output->scratch;
  scratch->span_count = 0;
  elman_status status = push_span(output, *part);
  while (status == ELMAN_OK && scratch->span_count > 0) {
    const struct subwords_span span = scratch->spans[--scratch->span_count];
    bool done = false, divided = false;
    status = add_unit(output, &done, &span);
    if (status == ELMAN_OK && !done) status = divide(output, &divided, &span);
    if (status == ELMAN_OK && !done && !divided) status = add_character(output, &span);
    if (!divided) output->previous = span.text;
  }
  return status;
}

static elman_status add_word(struct bpe_output *output, struct text word, bool spaced,
                             struct bpe_dropout *dropout) {
  struct bpe_split *split = &output->scratch->split;
  elman_status status = bpe_split(split, output->subwords.merges, word, dropout, output->error);
  for (size_t i = 0, start = 0; status == ELMAN_OK && i < split->count; i++) {
    const struct bpe_part *part = &split->parts[i];
    const struct subwords_span span = {
        {word.bytes + start, part->end - start}, part->symbol, spaced && start == 0};
    status = add_part(output, &span);
    start = part->end;
  }
  return status;
}

elman_status subwords_split(struct tokens *out, const struct tokens *words,
                            struct subwords subwords, struct subwords_scratch *scratch,
                            struct bpe_dropout *dropout, elman_error *error) {
  struct bpe_output output = {.tokens = out,
                              .subwords = subwords,
                              .scratch = scratch,
                              .space_expected = token_mode_row(ELMAN_TOKENS_BPE)->space_expected,
                              .previous = {"", 0},
                              .error = error};
  struct text previous = {"", 0}; /* the previous word */
  elman_status status = ELMAN_OK;
  tokens_clear(out);
  for (size_t i = 0; status == ELMAN_OK && i < words->count && !tokens_exceed(out); i++) {
    const struct text token = tokens_get(words, i), word = token_surface(token);
    const bool spaced =
        token_has_mark(token) ? token_is_spaced(token) : output.space_expected(previous, word);
    status = add_word(&output, word, spaced, dropout);
    previous = word;
  }
  return status;
}

void subwords_scratch_free(struct subwords_scratch *scratch) {
  bpe_split_free(&scratch->split);
  free(scratch->spans);
  *scratch = (struct subwords_scratch){0};
}
