/* Splitting text into records of fields, with quotation marks (RFC 4180) or without. */
#ifndef ELMAN_CORPUS_RECORDS_H
#define ELMAN_CORPUS_RECORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "base/text.h"

struct record_field {
  struct text text; /* without quotation marks around it; doubled marks inside are still doubled */
  bool quoted;
  bool doubled; /* contains doubled quotation marks */
};

/* State of splitting a text into records. The caller checks the size of lines. Without `quotes`, a
 * line is a record and quotation marks are ordinary characters. */
struct record_reader {
  struct text rest;
  const char *separator;
  bool quotes;
  size_t number; /* lines read */
  size_t start;  /* line where the record starts, from 1 */
  struct record_field *fields;
  size_t count, capacity;
  elman_error *error;
};

/* Free the fields. */
void records_free(struct record_reader *reader);

/* Read the next record that is not a blank line. *found is false at the end. If *problem is not
 * NULL, the record is bad, and reading continues in the next line. */
elman_status records_next(bool *found, const char **problem, struct record_reader *reader) CHECKED;

/* Return the text of a field. Replace doubled quotation marks by single ones, in place, so that the
 * record cannot be read again. */
struct text record_unquote(const struct record_field *field);

#endif
