#include "input/unknown_words.h"

#include <stdio.h>
#include <string.h>

#include "console/messages.h"

static void cut_to_fit(char name[UNKNOWN_SIZE], const char *token, size_t length) {
  if (length >= UNKNOWN_SIZE) {
    length = UNKNOWN_SIZE - 1;
    while (length > 0 && ((unsigned char)token[length] & 0xc0) == 0x80) length--;
  }
  memcpy(name, token, length);
  name[length] = '\0';
}

static void add_name(struct unknown_words *words, const char *token, size_t length) {
  if (words->named == UNKNOWN_NAMED) return;
  char *name = words->names[words->named];
  cut_to_fit(name, token, length);
  for (size_t i = 0; i < words->named; i++)
    if (strcmp(words->names[i], name) == 0) return;
  words->named++;
}

void unknown_words_add(struct unknown_words *words, const elman_translation *translation) {
  words->tokens += translation->source_count;
  for (size_t s = 0; s < translation->source_count; s++) {
    if (translation->source_known[s]) continue;
    words->unknown++;
    /* As it was typed, which normalising may have changed. */
    const size_t start = translation->source_starts[s];
    add_name(words, translation->source + start, translation->source_ends[s] - start);
  }
}

void unknown_words_add_target(struct unknown_words *words, const elman_translation *translation) {
  const size_t count = translation->target_count - (translation->ended ? 1 : 0); /* no </s> */
  words->tokens += count;
  for (size_t t = 0; t < count; t++) {
    const char *token = translation->target_tokens[t];
    if (translation->target_ids[t] != 0) continue;
    words->unknown++;
    add_name(words, token, strlen(token));
  }
}

void unknown_words_merge(struct unknown_words *words, const struct unknown_words *later) {
  words->tokens += later->tokens;
  words->unknown += later->unknown;
  for (size_t i = 0; i < later->named; i++)
    add_name(words, later->names[i], strlen(later->names[i]));
}

void unknown_words_note(const struct unknown_words *words, const elman_model *model,
                        elman_side side) {
  const elman_model_info info = elman_model_get_info(model);
  const bool target = side == ELMAN_TARGET;
  const elman_token_mode mode = target ? info.target_tokens : info.source_tokens;
  char list[UNKNOWN_NAMED * (UNKNOWN_SIZE + 2)];
  size_t used = 0;
  if (words->unknown == 0) return;
  for (size_t i = 0; i < words->named; i++)
    used +=
        (size_t)snprintf(list + used, sizeof list - used, i == 0 ? "%s" : ", %s", words->names[i]);
  note("not in the %s: %s%s (%zu of %zu %s%s)", target ? "target vocabulary" : "vocabulary", list,
       words->named == UNKNOWN_NAMED ? ", ..." : "", words->unknown, words->tokens,
       mode == ELMAN_TOKENS_CHARS ? "character" : "word", plural(words->tokens));
}
