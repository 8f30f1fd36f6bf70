/* Sentences that are translated together. */
#ifndef ELMAN_CLI_WINDOW_H
#define ELMAN_CLI_WINDOW_H

#include <stdbool.h>

#include "elman.h"

enum { WINDOW = 256 };

/* Start from all zero. What comes of sentence i is translations[i] or, where that is NULL, why. */
struct window {
  elman_sentence sentences[WINDOW];
  size_t numbers[WINDOW]; /* among all, from 1 */
  elman_translation *translations[WINDOW];
  elman_error errors[WINDOW];
  size_t count;
  size_t bytes, cells; /* of the sentences; what their matrices may grow with */
};

/* A copy of bytes, with a NUL behind it; NULL, after a message, when memory ran out. */
char *copy_bytes(const char *bytes, size_t length);

/* Copies the texts; `reference` may be NULL. Gives an exit code, after a message if that is not 0.
 */
int window_add(struct window *window, const char *text, size_t length, const char *reference,
               size_t number);

/* Whether another sentence may join. */
bool window_has_room(const struct window *window);

/* False, with *code set after a message, when there is no use in going on. */
bool window_translate(struct window *window, elman_translator *translator,
                      const elman_translate_options *options, int *code);

/* Empties it; it may be filled again. */
void window_clear(struct window *window);

#endif
