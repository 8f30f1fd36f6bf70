#include "vocab/subword_tokens.h"

#include <stdio.h>
#include <stdlib.h>

#include "vocab/characters.h"
#include "vocab/token_modes.h"

/* ---- what a vocabulary must hold ---- */

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

/* ---- splitting ---- */

/* A part of a word. */
struct subwords_span {
  struct text text;
  uint32_t symbol; /* or TABLE_NONE */
  bool spaced;     /* a space stands before it */
};

/* How far a text was split. */
struct output {
  struct tokens *tokens;
  struct subwords subwords;
  struct subwords_scratch *scratch;
  bool (*space_expected)(struct text left, struct text right);
  struct text previous; /* a part, or of bytes a character */
  bool after_bytes;
  elman_error *error;
};

static elman_status push(struct output *output, struct subwords_span span) {
  struct subwords_scratch *scratch = output->scratch;
  const elman_status status =
      array_grow(&scratch->spans, &scratch->span_capacity, scratch->span_count + 1,
                 sizeof *scratch->spans, output->error);
  if (status == ELMAN_OK) scratch->spans[scratch->span_count++] = span;
  return status;
}

static bool is_known(const struct output *output, struct text token) {
  return output->subwords.vocabulary == NULL ||
         vocabulary_find(output->subwords.vocabulary, token) != TOKEN_UNKNOWN;
}

/* No space stands before the first token of a text, and none is missed there. */
static bool is_spaced(const struct output *output, const struct subwords_span *span,
                      bool expected) {
  return output->previous.length == 0 ? expected : span->spaced;
}

/* The part as one token, if there is one. */
static elman_status add_unit(struct output *output, bool *added, const struct subwords_span *span) {
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

static elman_status add_character(struct output *output, const struct subwords_span *span) {
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

/* Pushes what the part was merged from, or its first character and the rest: the left one on top.
 * False of a single character. A merge that someone made up may not fit the text. */
static elman_status divide(struct output *output, bool *divided, const struct subwords_span *span) {
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
  const elman_status status = push(output, right);
  return status == ELMAN_OK ? push(output, left) : status;
}

static elman_status add_part(struct output *output, const struct subwords_span *part) {
  struct subwords_scratch *scratch = output->scratch;
  scratch->span_count = 0;
  elman_status status = push(output, *part);
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

static elman_status add_word(struct output *output, struct text word, bool spaced,
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
  struct output output = {.tokens = out,
                          .subwords = subwords,
                          .scratch = scratch,
                          .space_expected = token_mode_row(ELMAN_TOKENS_BPE)->space_expected,
                          .previous = {"", 0},
                          .error = error};
  struct text previous = {"", 0}; /* word */
  elman_status status = ELMAN_OK;
  tokens_clear(out);
  for (size_t i = 0; status == ELMAN_OK && i < words->count; i++) {
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
