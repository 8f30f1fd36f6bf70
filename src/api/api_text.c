#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "api/call.h"
#include "base/json.h"
#include "vocab/bpe.h"
#include "vocab/bpe_learn.h"
#include "vocab/locate.h"

/* ---- text to ids and back ---- */

/* The public part comes first, so a pointer to the public part also points to the whole. */
struct coded {
  elman_encoding shown;
  struct encoding encoding;
  struct buffer text;
  struct buffer names; /* names of the tokens */
  const char **tokens;
  bool *joined;
};

static struct codec codec_of(const struct model *model, elman_side side) {
  return side == ELMAN_SOURCE ? model_source_codec(model) : model_target_codec(model);
}

static void coded_free(struct coded *coded) {
  if (coded == NULL) return;
  encoding_free(&coded->encoding);
  buffer_free(&coded->text);
  buffer_free(&coded->names);
  free(coded->tokens);
  free(coded->joined);
  free(coded);
}

/* Pass `coded` to the caller, or free it on failure. */
static elman_status finish(elman_encoding **out, struct coded *coded, elman_status status,
                           elman_error *error) {
  if (status == ELMAN_OK) {
    buffer_append(&coded->text, "", 0); /* adds a NUL */
    if (coded->text.failed) status = fail_no_memory(error);
  }
  if (status != ELMAN_OK) {
    coded_free(coded);
    return status;
  }
  coded->shown.text = coded->text.bytes;
  coded->shown.ids = coded->encoding.ids;
  *out = &coded->shown;
  return ELMAN_OK;
}

static elman_status find_joined(bool *joined, const struct tokens *tokens,
                                const struct codec *codec, struct text text, elman_error *error) {
  size_t *places = calloc(2 * tokens->count + 1, sizeof *places);
  if (places == NULL) return fail_no_memory(error);
  const struct spans spans = {places, places + tokens->count};
  const elman_status status =
      locate_tokens(spans, tokens, text, codec->mode, codec->normalization, error);
  for (size_t i = 1; status == ELMAN_OK && i < tokens->count; i++)
    joined[i] = spans.starts[i] <= spans.ends[i - 1];
  free(places);
  return status;
}

static elman_status show_tokens(struct coded *coded, const struct codec *codec,
                                elman_error *error) {
  const struct tokens *tokens = &coded->encoding.tokens;
  coded->tokens = calloc(tokens->count + 1, sizeof *coded->tokens);
  coded->joined = calloc(tokens->count + 1, sizeof *coded->joined);
  for (size_t i = 0; i < tokens->count; i++) {
    buffer_append_text(&coded->names, token_shown(tokens_get(tokens, i)));
    buffer_append(&coded->names, "", 1);
  }
  if (coded->tokens == NULL || coded->joined == NULL || coded->names.failed)
    return fail_no_memory(error);
  const char *at = coded->names.bytes;
  for (size_t i = 0; i < tokens->count; i++, at += strlen(at) + 1) coded->tokens[i] = at;
  coded->shown.tokens = coded->tokens;
  coded->shown.joined = coded->joined;
  return find_joined(coded->joined, tokens, codec, buffer_text(&coded->encoding.normalized), error);
}

elman_status elman_encode(elman_encoding **out, const elman_model *model, elman_side side,
                          const char *text, size_t length, elman_error *error) {
  const struct codec codec = codec_of(inner_model_const(model), side);
  *out = NULL;
  struct coded *coded = calloc(1, sizeof *coded);
  if (coded == NULL) return fail_no_memory(error);
  elman_status status =
      encode_checked(&coded->encoding, &codec, (struct text){text, length}, 0, error);
  if (status == ELMAN_OK) status = show_tokens(coded, &codec, error);
  buffer_append_text(&coded->text, buffer_text(&coded->encoding.normalized));
  coded->shown.count = coded->encoding.tokens.count;
  return finish(out, coded, status, error);
}

static elman_status copy_ids(struct encoding *encoding, const struct codec *codec,
                             const uint32_t *ids, size_t count, elman_error *error) {
  const size_t size = vocabulary_size(codec->vocabulary);
  for (size_t i = 0; i < count; i++) {
    if (ids[i] >= size)
      return fail(error, ELMAN_INVALID_ARGUMENT, NULL,
                  "id %" PRIu32 " of token %zu is not below the vocabulary size, %zu", ids[i],
                  i + 1, size);
  }
  const elman_status status =
      array_grow(&encoding->ids, &encoding->capacity, count, sizeof *encoding->ids, error);
  if (status == ELMAN_OK && count > 0) memcpy(encoding->ids, ids, count * sizeof *ids);
  return status;
}

elman_status elman_decode(elman_encoding **out, const elman_model *model, elman_side side,
                          const uint32_t *ids, size_t count, elman_error *error) {
  const struct codec codec = codec_of(inner_model_const(model), side);
  *out = NULL;
  struct coded *coded = calloc(1, sizeof *coded);
  if (coded == NULL) return fail_no_memory(error);
  elman_status status = copy_ids(&coded->encoding, &codec, ids, count, error);
  if (status == ELMAN_OK) status = decode(&coded->text, &codec, ids, count, error);
  coded->shown.count = count;
  return finish(out, coded, status, error);
}

bool elman_is_text(const char *bytes, size_t length) {
  return text_valid_prefix((struct text){bytes, length}) == length;
}

void elman_clean_text(char *text) {
  for (size_t left = strlen(text), valid; left > 0; left -= valid + 1, text += valid + 1) {
    valid = text_valid_prefix((struct text){text, left});
    if (valid == left) return;
    text[valid] = '?';
  }
}

void elman_encoding_free(elman_encoding *coded) {
  coded_free((struct coded *)coded);
}

/* ---- subwords ---- */

struct elman_subwords {
  struct word_table words;
  struct merges merges;
  struct bpe_split split; /* temporary memory */
  struct buffer text;     /* the text returned last */
};

elman_status elman_subwords_create(elman_subwords **subwords, elman_error *error) {
  *subwords = calloc(1, sizeof **subwords);
  return *subwords == NULL ? fail_no_memory(error) : ELMAN_OK;
}

void elman_subwords_free(elman_subwords *subwords) {
  if (subwords == NULL) return;
  word_table_free(&subwords->words);
  merges_clear(&subwords->merges);
  bpe_split_free(&subwords->split);
  buffer_free(&subwords->text);
  free(subwords);
}

static elman_status check_text(struct text text, elman_error *error) {
  const size_t good = text_valid_prefix(text);
  if (good == text.length) return ELMAN_OK;
  return fail(error, ELMAN_BAD_DATA, NULL, "byte %zu is not valid UTF-8 text", good + 1);
}

elman_status elman_subwords_count_line(elman_subwords *subwords, const char *line, size_t length,
                                       elman_error *error) {
  struct text rest = {line, length};
  elman_status status = check_text(rest, error);
  while (status == ELMAN_OK && rest.length > 0) {
    const struct text text = text_cut(&rest, ' ');
    struct word *word;
    if (text.length == 0) continue;
    status = word_add(&word, &subwords->words, text, error);
    if (status == ELMAN_OK) word->count++;
  }
  return status;
}

/* Delete the cached splits, which are invalid after a change of the merge operations. */
static void clear_splits(elman_subwords *subwords) {
  bpe_split_free(&subwords->split);
}

elman_status elman_subwords_learn(elman_subwords *subwords, size_t merges, elman_error *error) {
  if (subwords->merges.count > 0)
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "merge operations are already present");
  if (merges > MAX_MERGES)
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL,
                "at most %d merge operations can be learned, not %zu", MAX_MERGES, merges);
  clear_splits(subwords);
  return bpe_learn(&subwords->merges, &subwords->words, merges, error);
}

elman_status elman_subwords_add_merge(elman_subwords *subwords, const char *line, size_t length,
                                      elman_error *error) {
  clear_splits(subwords);
  return merges_add_line(&subwords->merges, (struct text){line, length}, error);
}

elman_status elman_subwords_add_model(elman_subwords *subwords, const elman_model *model,
                                      elman_side side, elman_error *error) {
  const struct merges *merges = inner_model_const(model)->merges[side];
  if (merges == NULL)
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "the model's %s side does not use BPE",
                side == ELMAN_SOURCE ? "source" : "target");
  clear_splits(subwords);
  return merges_copy(&subwords->merges, merges, error);
}

size_t elman_subwords_merges(const elman_subwords *subwords) {
  return subwords->merges.count;
}

static elman_status give_lines(const char **text, elman_subwords *subwords, elman_error *error) {
  buffer_append(&subwords->text, "", 0); /* adds a NUL */
  *text = subwords->text.bytes;
  return subwords->text.failed ? fail_no_memory(error) : ELMAN_OK;
}

elman_status elman_subwords_get_merge(const char **line, elman_subwords *subwords, size_t index,
                                      elman_error *error) {
  buffer_clear(&subwords->text);
  merges_append_line(&subwords->text, &subwords->merges, index);
  return give_lines(line, subwords, error);
}

static elman_status apply_to_word(elman_subwords *subwords, struct text word, elman_error *error) {
  const struct bpe_split *split = &subwords->split;
  const elman_status status = bpe_split(&subwords->split, &subwords->merges, word, NULL, error);
  for (size_t i = 0, start = 0; status == ELMAN_OK && i < split->count; i++) {
    if (i > 0) buffer_append_text(&subwords->text, text_of("@@ "));
    buffer_append(&subwords->text, word.bytes + start, split->parts[i].end - start);
    start = split->parts[i].end;
  }
  return status;
}

elman_status elman_subwords_apply(const char **split, elman_subwords *subwords, const char *line,
                                  size_t length, elman_error *error) {
  struct text rest = {line, length};
  elman_status status = check_text(rest, error);
  bool first = true;
  buffer_clear(&subwords->text);
  while (status == ELMAN_OK && rest.length > 0) {
    const struct text word = text_cut(&rest, ' ');
    /* Keep a space at either end of the line. */
    if (word.length == 0 && first) buffer_append(&subwords->text, " ", 1);
    if (word.length == 0) continue;
    if (!first) buffer_append(&subwords->text, " ", 1);
    first = false;
    status = apply_to_word(subwords, word, error);
  }
  for (size_t end = length; !first && end > 0 && line[end - 1] == ' '; end--)
    buffer_append(&subwords->text, " ", 1);
  return status == ELMAN_OK ? give_lines(split, subwords, error) : status;
}

/* ---- names ---- */

/* ---- JSON ---- */

elman_status elman_json_read(json_t **value, const char *text, size_t length, elman_error *error) {
  return read_json(value, (struct text){text, length}, error);
}
