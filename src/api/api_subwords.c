#include "elman/subwords.h"

#include <stdlib.h>

#include "api/call.h"
#include "vocab/bpe.h"
#include "vocab/bpe_learn.h"

struct elman_subwords {
  struct word_table words;
  struct merges merges;
  struct bpe_split split; /* scratch memory */
  struct buffer text;     /* what was given out last */
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

/* Words as other merges split them. */
static void forget_splits(elman_subwords *subwords) {
  bpe_split_free(&subwords->split);
}

elman_status elman_subwords_learn(elman_subwords *subwords, size_t merges, elman_error *error) {
  if (subwords->merges.count > 0)
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "there are merges already");
  if (merges > MOST_MERGES)
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "more than %d merges are not learnt",
                MOST_MERGES);
  forget_splits(subwords);
  return bpe_learn(&subwords->merges, &subwords->words, merges, error);
}

elman_status elman_subwords_add_merge(elman_subwords *subwords, const char *line, size_t length,
                                      elman_error *error) {
  forget_splits(subwords);
  return merges_add_line(&subwords->merges, (struct text){line, length}, error);
}

elman_status elman_subwords_add_model(elman_subwords *subwords, const elman_model *model,
                                      elman_side side, elman_error *error) {
  const struct merges *merges = inner_model_const(model)->merges[side];
  if (merges == NULL)
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "the model's %s is not split by bpe",
                side == ELMAN_SOURCE ? "source" : "target");
  forget_splits(subwords);
  return merges_copy(&subwords->merges, merges, error);
}

size_t elman_subwords_merges(const elman_subwords *subwords) {
  return subwords->merges.count;
}

static elman_status give(const char **text, elman_subwords *subwords, elman_error *error) {
  buffer_append(&subwords->text, "", 0); /* there is a NUL in any case */
  *text = subwords->text.bytes;
  return subwords->text.failed ? fail_no_memory(error) : ELMAN_OK;
}

elman_status elman_subwords_get_merge(const char **line, elman_subwords *subwords, size_t index,
                                      elman_error *error) {
  buffer_clear(&subwords->text);
  merges_append_line(&subwords->text, &subwords->merges, index);
  return give(line, subwords, error);
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
    /* A space at either end has no word on one side. */
    if (word.length == 0 && first) buffer_append(&subwords->text, " ", 1);
    if (word.length == 0) continue;
    if (!first) buffer_append(&subwords->text, " ", 1);
    first = false;
    status = apply_to_word(subwords, word, error);
  }
  for (size_t end = length; !first && end > 0 && line[end - 1] == ' '; end--)
    buffer_append(&subwords->text, " ", 1);
  return status == ELMAN_OK ? give(split, subwords, error) : status;
}
