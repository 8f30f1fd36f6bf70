#include "corpus/records.h"

#include <stdlib.h>
#include <string.h>

/* A quotation mark that stands alone must not make one record of many lines. */
enum { MOST_LINES = 100 };

void records_free(struct record_reader *reader) {
  free(reader->fields);
}

static elman_status add_record_field(struct record_reader *reader, struct record_field field) {
  const elman_status status = array_grow(&reader->fields, &reader->capacity, reader->count + 1,
                                         sizeof *reader->fields, reader->error);
  if (status == ELMAN_OK) reader->fields[reader->count++] = field;
  return status;
}

static elman_status split_line(struct record_reader *reader, struct text line) {
  const size_t width = strlen(reader->separator);
  elman_status status = ELMAN_OK;
  for (bool more = true; more && status == ELMAN_OK;) {
    const char *at =
        line.length == 0 ? NULL : memmem(line.bytes, line.length, reader->separator, width);
    more = at != NULL;
    const struct text field = {line.bytes, more ? (size_t)(at - line.bytes) : line.length};
    status = add_record_field(reader, (struct record_field){.text = field});
    if (more) text_drop(&line, field.length + width);
  }
  return status;
}

/* Read a field in quotation marks. On entry `rest` starts after the first mark. On return `rest`
 * starts after the last mark. Return the problem, or NULL. */
static const char *read_quoted(struct record_field *field, struct text *rest, size_t *lines) {
  const char *at = rest->bytes, *end = rest->bytes + rest->length;
  *field = (struct record_field){.quoted = true};
  for (; at < end; at++) {
    *lines += *at == '\n';
    if (*lines > MOST_LINES) break;
    if (*at != '"') continue;
    if (at + 1 == end || at[1] != '"') {
      field->text = (struct text){rest->bytes, (size_t)(at - rest->bytes)};
      text_drop(rest, field->text.length + 1);
      return NULL;
    }
    field->doubled = true;
    at++;
  }
  return at == end ? "its quotation mark is never closed"
                   : "its quotation mark is not closed within 100 lines";
}

/* Read a record with quotation marks from the front of `rest`. */
static elman_status split_quoted(struct record_reader *reader, struct text *rest, size_t *lines,
                                 const char **problem) {
  const size_t width = strlen(reader->separator);
  for (bool more = true; more;) {
    struct record_field field = {0};
    size_t spaces = 0;
    while (spaces < rest->length && rest->bytes[spaces] == ' ') spaces++;
    if (spaces < rest->length && rest->bytes[spaces] == '"') {
      text_drop(rest, spaces + 1);
      *problem = read_quoted(&field, rest, lines);
      if (*problem != NULL) return ELMAN_OK;
      while (rest->length > 0 && (rest->bytes[0] == ' ' || rest->bytes[0] == '\r'))
        text_drop(rest, 1);
    } else {
      size_t length = 0;
      while (length < rest->length && rest->bytes[length] != '\n' &&
             !(rest->length - length >= width &&
               memcmp(rest->bytes + length, reader->separator, width) == 0))
        length++;
      field.text = (struct text){rest->bytes, length};
      text_drop(rest, length);
    }
    const elman_status status = add_record_field(reader, field);
    if (status != ELMAN_OK) return status;
    more = rest->length >= width && memcmp(rest->bytes, reader->separator, width) == 0;
    if (more)
      text_drop(rest, width);
    else if (rest->length > 0 && rest->bytes[0] == '\n')
      text_drop(rest, 1);
    else if (rest->length > 0)
      *problem = "has text between a closing quotation mark and the separator";
    if (*problem != NULL) return ELMAN_OK;
  }
  return ELMAN_OK;
}

elman_status records_next(bool *found, const char **problem, struct record_reader *reader) {
  struct text line = {0}, before;
  *found = false;
  *problem = NULL;
  reader->count = 0;
  do {
    if (reader->rest.length == 0) return ELMAN_OK;
    before = reader->rest;
    line = text_cut(&reader->rest, '\n');
    reader->number++;
    while (line.length > 0 && line.bytes[line.length - 1] == '\r') line.length--;
  } while (line.length == 0);
  *found = true;
  reader->start = reader->number;
  if (!reader->quotes || memchr(line.bytes, '"', line.length) == NULL) {
    if (memchr(line.bytes, '\r', line.length) != NULL)
      *problem = "contains a carriage return (CR) within the line; if lines end there, convert the "
                 "file: tr '\\r' '\\n'";
    return split_line(reader, line);
  }
  size_t lines = 0;
  const elman_status status = split_quoted(reader, &before, &lines, problem);
  if (status == ELMAN_OK && *problem == NULL) {
    reader->rest = before;
    reader->number += lines;
  }
  return status;
}

struct text record_unquote(const struct record_field *field) {
  struct text text = field->text;
  if (!field->doubled) return text;
  char *bytes = (char *)(uintptr_t)text.bytes; /* the memory belongs to the content of the file */
  size_t length = 0;
  for (size_t i = 0; i < text.length; i++) {
    bytes[length++] = bytes[i];
    i += bytes[i] == '"' && i + 1 < text.length && bytes[i + 1] == '"';
  }
  text.length = length;
  return text;
}
