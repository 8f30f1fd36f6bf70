#include "base/text.h"

#include <locale.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

#include "base/xxh64.h"

struct text text_of(const char *string) {
  return (struct text){string, strlen(string)};
}

bool text_equal(struct text a, struct text b) {
  return a.length == b.length && (a.length == 0 || memcmp(a.bytes, b.bytes, a.length) == 0);
}

uint64_t text_hash(struct text text) {
  return xxh64_of(text.bytes, text.length);
}

struct text text_beginning(struct text text, size_t most) {
  if (text.length <= most) return text;
  while (most > 0 && ((unsigned char)text.bytes[most] & 0xC0) == 0x80) most--;
  return (struct text){text.bytes, most};
}

bool choice_parse(size_t *index, const char *(*choice)(size_t index), const char *word) {
  for (*index = 0; choice(*index) != NULL; ++*index)
    if (strcmp(choice(*index), word) == 0) return true;
  return false;
}

const char *real_parse(double *number, const char *digits) {
  char *end;
  const locale_t locale = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
  if (locale == (locale_t)0) return NULL;
  *number = strtod_l(digits, &end, locale);
  freelocale(locale);
  return end;
}

void text_drop(struct text *rest, size_t count) {
  rest->bytes += count;
  rest->length -= count;
}

struct text text_cut(struct text *rest, char end) {
  const struct text all = *rest;
  if (all.length == 0) return all;
  const char *found = memchr(all.bytes, end, all.length);
  const size_t length = found == NULL ? all.length : (size_t)(found - all.bytes);
  text_drop(rest, length + (found != NULL));
  return (struct text){all.bytes, length};
}

size_t text_valid_prefix(struct text text) {
  size_t at = 0;
  while (at < text.length) {
    const unsigned char byte = (unsigned char)text.bytes[at];
    if (byte < 0x80) {
      if (byte == 0) return at;
      at++;
      continue;
    }
    /* utf8proc reads at most four bytes; the cast below cannot overflow. */
    const size_t left = text.length - at < 4 ? text.length - at : 4;
    utf8proc_int32_t codepoint;
    const utf8proc_ssize_t step = utf8proc_iterate((const utf8proc_uint8_t *)text.bytes + at,
                                                   (utf8proc_ssize_t)left, &codepoint);
    if (step < 1) return at;
    at += (size_t)step;
  }
  return at;
}

void buffer_append(struct buffer *buffer, const char *bytes, size_t length) {
  if (buffer->failed) return;
  if (length >= SIZE_MAX / 4 - buffer->length) {
    buffer->failed = true;
    return;
  }
  const size_t need = buffer->length + length + 1;
  if (need > buffer->capacity) {
    const size_t capacity = need < 64 ? 64 : need + need / 2;
    char *grown = realloc(buffer->bytes, capacity);
    if (grown == NULL) {
      buffer->failed = true;
      return;
    }
    buffer->bytes = grown;
    buffer->capacity = capacity;
  }
  if (length > 0) memcpy(buffer->bytes + buffer->length, bytes, length);
  buffer->length += length;
  buffer->bytes[buffer->length] = '\0';
}

void buffer_append_text(struct buffer *buffer, struct text text) {
  buffer_append(buffer, text.bytes, text.length);
}

size_t character_read(int *codepoint, struct text text) {
  utf8proc_int32_t read = -1;
  /* utf8proc reads at most four bytes; the cast below cannot overflow. */
  const size_t most = text.length < 4 ? text.length : 4;
  const utf8proc_ssize_t step =
      utf8proc_iterate((const utf8proc_uint8_t *)text.bytes, (utf8proc_ssize_t)most, &read);
  *codepoint = read;
  return step > 0 ? (size_t)step : 0;
}

/* Bidirectional controls are format characters (Cf). The joiner inside an emoji is a format
 * character, too, but a safe one. The last two code points of each plane are noncharacters, which
 * XML forbids. */
bool character_is_unsafe(int codepoint) {
  const utf8proc_category_t category = utf8proc_category(codepoint);
  if (codepoint == 0x200C || codepoint == 0x200D) return false;
  return category == UTF8PROC_CATEGORY_CC || category == UTF8PROC_CATEGORY_CF ||
         category == UTF8PROC_CATEGORY_ZL || category == UTF8PROC_CATEGORY_ZP ||
         (codepoint & 0xFFFE) == 0xFFFE || (codepoint >= 0xFDD0 && codepoint <= 0xFDEF);
}

/* Return the bidirectional class of a character as shown; an unsafe one is shown as \u{hex}. */
static utf8proc_propval_t direction_of(int codepoint) {
  return character_is_unsafe(codepoint) ? UTF8PROC_BIDI_CLASS_ON
                                        : utf8proc_get_property(codepoint)->bidi_class;
}

size_t right_to_left_run(struct text text) {
  size_t end = 0;
  int codepoint;
  for (size_t at = 0, size; at < text.length; at += size) {
    size = character_read(&codepoint, (struct text){text.bytes + at, text.length - at});
    if (size == 0 || codepoint == '\n') return end;
    const utf8proc_propval_t direction = direction_of(codepoint);
    if (direction == UTF8PROC_BIDI_CLASS_L) return end;
    const bool is_mark = direction == UTF8PROC_BIDI_CLASS_NSM && end == at && at > 0;
    if (is_mark || direction == UTF8PROC_BIDI_CLASS_R || direction == UTF8PROC_BIDI_CLASS_AL)
      end = at + size;
    if (end == 0) return 0;
  }
  return end;
}

void buffer_append_character(struct buffer *buffer, int codepoint) {
  utf8proc_uint8_t bytes[4];
  buffer_append(buffer, (const char *)bytes, (size_t)utf8proc_encode_char(codepoint, bytes));
}

void buffer_print(struct buffer *buffer, const char *format, ...) {
  char *printed;
  va_list arguments;
  va_start(arguments, format);
  const int length = vasprintf(&printed, format, arguments);
  va_end(arguments);
  if (length < 0) {
    buffer->failed = true;
    return;
  }
  buffer_append(buffer, printed, (size_t)length);
  free(printed);
}

void buffer_clear(struct buffer *buffer) {
  buffer->length = 0;
  buffer->failed = false;
  if (buffer->bytes != NULL) buffer->bytes[0] = '\0';
}

void buffer_cut(struct buffer *buffer, size_t length) {
  if (length == buffer->length) return; /* `bytes` may be NULL if the buffer is empty */
  buffer->length = length;
  buffer->bytes[length] = '\0';
}

void buffer_replace(struct buffer *buffer, struct buffer *by) {
  const struct buffer before = *buffer;
  *buffer = *by;
  *by = before;
  buffer->failed = buffer->failed || before.failed;
}

void buffer_free(struct buffer *buffer) {
  free(buffer->bytes);
  *buffer = (struct buffer){0};
}

struct text buffer_text(const struct buffer *buffer) {
  return (struct text){buffer->bytes == NULL ? "" : buffer->bytes, buffer->length};
}

/* Copy the pointer as bytes: access through a `void *` would break the aliasing rules. */
elman_status array_grow(void *array, size_t *capacity, size_t count, size_t element,
                        elman_error *error) {
  if (count <= *capacity) return ELMAN_OK;
  const size_t grown = count + count / 2 + 16;
  size_t bytes;
  if (grown < count || __builtin_mul_overflow(grown, element, &bytes)) return fail_no_memory(error);
  void *memory;
  memcpy(&memory, array, sizeof memory);
  memory = realloc(memory, bytes);
  if (memory == NULL) return fail_no_memory(error);
  memcpy(array, &memory, sizeof memory);
  *capacity = grown;
  return ELMAN_OK;
}

elman_status array_grow_zeroed(void *array, size_t *capacity, size_t count, size_t element,
                               elman_error *error) {
  const size_t before = *capacity;
  const elman_status status = array_grow(array, capacity, count, element, error);
  if (status != ELMAN_OK || *capacity == before) return status;
  unsigned char *memory;
  memcpy(&memory, array, sizeof memory);
  memset(memory + before * element, 0, (*capacity - before) * element);
  return ELMAN_OK;
}
