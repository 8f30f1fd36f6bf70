#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "inspect/matrix.h"

static const char BLANKS[] = " \t\r\v\f";

/* A line that is being read; `at` is always in front of a number or at the end. */
struct line {
  const char *file;
  size_t number; /* from 1 */
  const char *at, *end;
};

static void skip_blanks(struct line *line) {
  while (line->at < line->end && strchr(BLANKS, *line->at) != NULL && *line->at != '\0') line->at++;
}

static elman_status wrong(const struct line *line, elman_error *error, const char *problem) {
  char where[512];
  snprintf(where, sizeof where, "%.480s:%zu", line->file, line->number);
  return fail(error, ELMAN_BAD_DATA, where, "%s", problem);
}

/* A number and what parts it from the next one. */
static elman_status read_number(float *value, struct line *line, locale_t locale,
                                elman_error *error) {
  char digits[128];
  size_t length = 0;
  while (line->at + length < line->end && line->at[length] != '\0' &&
         strchr("0123456789+-.eE", line->at[length]) != NULL)
    length++;
  if (length == 0)
    return wrong(line, error, "is not a row of numbers apart by white space or commas");
  if (length >= sizeof digits) return wrong(line, error, "has a number of more than 127 digits");
  memcpy(digits, line->at, length);
  digits[length] = '\0';
  char *end;
  /* The program's locale may have another decimal point. */
  *value = (float)strtod_l(digits, &end, locale);
  if (*end != '\0') return wrong(line, error, "has a word that is not a number");
  if (!isfinite(*value)) return wrong(line, error, "has a number that is too large");
  line->at += length;
  const char *behind = line->at;
  skip_blanks(line);
  if (line->at == line->end) return ELMAN_OK;
  if (*line->at == ',') {
    line->at++;
    skip_blanks(line);
    if (line->at == line->end) return wrong(line, error, "ends with a comma");
  } else if (line->at == behind) {
    return wrong(line, error, "is not a row of numbers apart by white space or commas");
  }
  return ELMAN_OK;
}

/* The next line that holds numbers, without comment and line end; false after the last. */
static bool next_line(struct line *line, struct text *rest) {
  while (rest->length > 0) {
    struct text whole = text_cut(rest, '\n');
    const struct text numbers = text_cut(&whole, '#');
    line->number++;
    line->at = numbers.bytes;
    line->end = numbers.bytes + numbers.length;
    skip_blanks(line);
    if (line->at < line->end) return true;
  }
  return false;
}

struct numbers {
  float *values;
  size_t count, capacity;
};

static elman_status read_row(struct numbers *numbers, struct line *line, locale_t locale,
                             elman_error *error) {
  while (line->at < line->end) {
    elman_status status = array_grow(&numbers->values, &numbers->capacity, numbers->count + 1,
                                     sizeof *numbers->values, error);
    if (status == ELMAN_OK)
      status = read_number(&numbers->values[numbers->count++], line, locale, error);
    if (status != ELMAN_OK) return status;
  }
  return ELMAN_OK;
}

static elman_status read_rows(elman_matrix *matrix, struct numbers *numbers, struct text rest,
                              const char *where, locale_t locale, elman_error *error) {
  struct line line = {.file = where};
  size_t rows = 0, columns = 0;
  while (next_line(&line, &rest)) {
    const size_t before = numbers->count;
    const elman_status status = read_row(numbers, &line, locale, error);
    if (status != ELMAN_OK) return status;
    const size_t width = numbers->count - before;
    if (rows++ == 0) columns = width;
    if (width != columns) {
      char problem[128];
      snprintf(problem, sizeof problem, "has %zu number%s, but the first row has %zu", width,
               plural(width), columns);
      return wrong(&line, error, problem);
    }
  }
  const elman_status status = matrix_take(matrix, rows, columns, where, error);
  if (status == ELMAN_OK) memcpy(matrix->values, numbers->values, numbers->count * sizeof(float));
  return status;
}

elman_status matrix_read_text(elman_matrix *matrix, struct text bytes, const char *where,
                              elman_error *error) {
  struct numbers numbers = {0};
  locale_t locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  if (locale == (locale_t)0) return fail_no_memory(error);
  if (bytes.length >= 3 && memcmp(bytes.bytes, "\xEF\xBB\xBF", 3) == 0) text_drop(&bytes, 3);
  const elman_status status = read_rows(matrix, &numbers, bytes, where, locale, error);
  freelocale(locale);
  free(numbers.values);
  return status;
}
