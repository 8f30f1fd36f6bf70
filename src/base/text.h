/* UTF-8 text: views that own nothing, a growing buffer, validation. */
#ifndef ELMAN_BASE_TEXT_H
#define ELMAN_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* A view of bytes that are owned elsewhere; not NUL-terminated. */
struct text {
  const char *bytes;
  size_t length;
};

struct text text_of(const char *string); /* string is NUL-terminated */
bool text_equal(struct text a, struct text b);
uint64_t text_hash(struct text text); /* its XXH64 */

/* The index of a word among choices, which end in NULL; false if it is none of them. */
bool choice_parse(size_t *index, const char *(*choice)(size_t index), const char *word);

/* Takes `count` bytes off the front. */
void text_drop(struct text *rest, size_t count);

/* Takes the bytes up to `end` off the front of `rest`, and `end` too; all if it is not there. */
struct text text_cut(struct text *rest, char end);

/* The index of the first byte that is NUL or not valid UTF-8; text.length if there is none. */
size_t text_valid_prefix(struct text text);

/* The character that `text` begins with; gives its bytes, 0 if there is none in valid UTF-8. */
size_t character_read(int *codepoint, struct text text);

/* Whether a character can steer a terminal, is invisible, or turns the writing direction: controls,
 * format characters, line and paragraph separators, and what is no character. Joiners are not: they
 * make emoji. Whatever shows text to people writes these as \u{hex}; the page's UNSEEN is the same
 * rule. */
bool character_is_unsafe(int codepoint);

/* A growing array of bytes, always followed by a NUL. Start from all zero. When memory runs out
 * `failed` sticks, further appends do nothing, and one check at the end is enough. */
struct buffer {
  char *bytes;
  size_t length;
  size_t capacity;
  bool failed;
};

void buffer_append(struct buffer *buffer, const char *bytes, size_t length);
void buffer_append_text(struct buffer *buffer, struct text text);
void buffer_append_character(struct buffer *buffer, int codepoint);
void buffer_print(struct buffer *buffer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void buffer_clear(struct buffer *buffer); /* keeps the memory */
/* Keeps the first `length` bytes, of as many at least. */
void buffer_cut(struct buffer *buffer, size_t length);
void buffer_free(struct buffer *buffer);
struct text buffer_text(const struct buffer *buffer); /* valid until the next append */

/* Makes room for `count` elements in a growing array. `array` is the address of the pointer to it,
 * of whatever type; the pointer and *capacity follow. */
elman_status array_grow(void *array, size_t *capacity, size_t count, size_t element,
                        elman_error *error) CHECKED;
/* The same; what is new is zero. */
elman_status array_grow_zeroed(void *array, size_t *capacity, size_t count, size_t element,
                               elman_error *error) CHECKED;

#endif
