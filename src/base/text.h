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
uint64_t text_hash(struct text text); /* XXH64 */

/* Set *index to the position of `word` among the choices, which end in NULL. Return false if it
 * is not among them. */
bool choice_parse(size_t *index, const char *(*choice)(size_t index), const char *word);

/* Set *number to the number at the start of `digits`. The decimal point is '.' in every locale.
 * Return the first byte after the number, or NULL if memory ran out. */
const char *real_parse(double *number, const char *digits);

/* Return the beginning of a text: as many whole characters as fit in `most` bytes. */
struct text text_beginning(struct text text, size_t most);

/* Remove `count` bytes from the front. */
void text_drop(struct text *rest, size_t count);

/* Remove the bytes up to and including the first `end` from the front of `rest`; remove all bytes
 * if there is no `end`. Return the removed bytes without `end`. */
struct text text_cut(struct text *rest, char end);

/* Return the index of the first byte that is NUL or not valid UTF-8; text.length if all are
 * valid. */
size_t text_valid_prefix(struct text text);

/* Read the first character of `text`. Return its length in bytes, or 0 if it is not a valid
 * character. */
size_t character_read(int *codepoint, struct text text);

/* Return whether a character can control a terminal, is invisible, or changes the writing
 * direction. These are controls, format characters, line and paragraph separators, and
 * noncharacters. Joiners are safe because emoji use them. Text shown to people must contain unsafe
 * characters as \u{hex}. UNSEEN in the attention page implements the same rule. */
bool character_is_unsafe(int codepoint);

/* Return the length of the right-to-left text at the start of `text`. This text ends with the last
 * right-to-left letter before a left-to-right letter or the end of the line. Return 0 if the text
 * starts with anything but a right-to-left letter. */
size_t right_to_left_run(struct text text);

/* A growing array of bytes, always followed by a NUL. The caller initializes the struct to zero. If
 * memory is exhausted, `failed` stays set and further appends do nothing, so one check at the end
 * is enough. */
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
/* Truncate to `length` bytes, which must not exceed the current length. */
void buffer_cut(struct buffer *buffer, size_t length);
/* Move the contents of `by` to `buffer`; `by` gets the memory of `buffer`. A buffer that has failed
 * remains failed. */
void buffer_replace(struct buffer *buffer, struct buffer *by);
void buffer_free(struct buffer *buffer);
struct text buffer_text(const struct buffer *buffer); /* valid until the next append */

/* Make a growing array large enough for `count` elements. `array` is the address of the pointer to
 * the array, whose elements may have any type. Update that pointer and *capacity. */
elman_status array_grow(void *array, size_t *capacity, size_t count, size_t element,
                        elman_error *error) CHECKED;
/* Like array_grow, but set new elements to zero. */
elman_status array_grow_zeroed(void *array, size_t *capacity, size_t count, size_t element,
                               elman_error *error) CHECKED;

#endif
