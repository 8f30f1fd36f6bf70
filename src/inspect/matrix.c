/* Matrices from files: NumPy's .npy, or plain text.
 *
 * The input is untrusted: sizes in a file are checked against the file before memory is allocated,
 * and all numbers must be finite. */
#include "elman/matrix.h"

#include <locale.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/file_kind.h"

/* ---- memory ---- */

/* Allocate uninitialized memory for the numbers. */
static elman_status matrix_allocate(elman_matrix *matrix, size_t rows, size_t columns,
                                    const char *where, elman_error *error) {
  size_t bytes;
  *matrix = (elman_matrix){0};
  if (rows == 0 || columns == 0)
    return fail(error, ELMAN_BAD_DATA, where,
                "contains no numbers: it has %zu row%s and %zu column%s", rows, plural_ending(rows),
                columns, plural_ending(columns));
  if (__builtin_mul_overflow(rows, columns, &bytes) ||
      __builtin_mul_overflow(bytes, sizeof(float), &bytes))
    return fail(error, ELMAN_BAD_DATA, where, "a matrix of %zu row%s and %zu column%s is too large",
                rows, plural_ending(rows), columns, plural_ending(columns));
  float *values = malloc(bytes);
  if (values == NULL) return fail_no_memory(error);
  *matrix = (elman_matrix){rows, columns, values};
  return ELMAN_OK;
}

void elman_matrix_free(elman_matrix *matrix) {
  if (matrix == NULL) return;
  free(matrix->values);
  free(matrix);
}

/* ---- NumPy ---- */

/* The .npy format: magic, version, length of the header, the header (a Python dict), the numbers.
 * https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html */

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "numbers are stored as they lie in memory");

enum { MAGIC = 6, VERSION = 2, ALIGNMENT = 64, MAX_SIZES = 8 };

static const char MAGIC_BYTES[MAGIC] = {'\x93', 'N', 'U', 'M', 'P', 'Y'};

struct npy_header {
  struct text type;
  bool fortran_order;
  size_t sizes[MAX_SIZES];
  size_t dimensions;
  bool has_type, has_order, has_shape;
};

static void skip_blanks(struct text *rest) {
  while (rest->length > 0 && memchr(" \t\n", rest->bytes[0], 3) != NULL) text_drop(rest, 1);
}

/* Skip `word` if it comes next; return whether it does. */
static bool accept(struct text *rest, const char *word) {
  skip_blanks(rest);
  const size_t length = strlen(word);
  if (rest->length < length || memcmp(rest->bytes, word, length) != 0) return false;
  text_drop(rest, length);
  return true;
}

/* Read a string without escapes. */
static bool accept_string(struct text *rest, struct text *string) {
  skip_blanks(rest);
  if (rest->length == 0 || (rest->bytes[0] != '\'' && rest->bytes[0] != '"')) return false;
  const char *end = memchr(rest->bytes + 1, rest->bytes[0], rest->length - 1);
  if (end == NULL) return false;
  *string = (struct text){rest->bytes + 1, (size_t)(end - rest->bytes) - 1};
  if (memchr(string->bytes, '\\', string->length) != NULL) return false;
  text_drop(rest, string->length + 2);
  return true;
}

static bool accept_size(struct text *rest, size_t *size) {
  skip_blanks(rest);
  const char *begin = rest->bytes;
  *size = 0;
  for (; rest->length > 0 && rest->bytes[0] >= '0' && rest->bytes[0] <= '9'; text_drop(rest, 1)) {
    const size_t digit = (size_t)(rest->bytes[0] - '0');
    if (__builtin_mul_overflow(*size, (size_t)10, size) ||
        __builtin_add_overflow(*size, digit, size))
      return false;
  }
  return rest->bytes > begin;
}

/* Read a shape: "(3, 4)", "(3,)", "()". */
static bool accept_shape(struct text *rest, struct npy_header *header) {
  header->dimensions = 0;
  if (!accept(rest, "(")) return false;
  while (!accept(rest, ")")) {
    if (header->dimensions == MAX_SIZES) return false;
    if (!accept_size(rest, &header->sizes[header->dimensions++])) return false;
    if (accept(rest, ",")) continue;
    return accept(rest, ")");
  }
  return true;
}

static bool accept_entry(struct text *rest, struct npy_header *header) {
  struct text key;
  if (!accept_string(rest, &key) || !accept(rest, ":")) return false;
  if (text_equal(key, text_of("descr"))) {
    if (header->has_type) return false;
    return header->has_type = accept_string(rest, &header->type);
  }
  if (text_equal(key, text_of("fortran_order"))) {
    if (header->has_order) return false;
    header->fortran_order = accept(rest, "True");
    return header->has_order = header->fortran_order || accept(rest, "False");
  }
  if (!text_equal(key, text_of("shape")) || header->has_shape) return false;
  return header->has_shape = accept_shape(rest, header);
}

/* Read all three entries, each once, in any order, with nothing after them. */
static bool parse_header(struct npy_header *header, struct text rest) {
  *header = (struct npy_header){0};
  if (!accept(&rest, "{")) return false;
  while (!accept(&rest, "}")) {
    if (!accept_entry(&rest, header)) return false;
    if (accept(&rest, ",")) continue;
    if (!accept(&rest, "}")) return false;
    break;
  }
  skip_blanks(&rest);
  return rest.length == 0 && header->has_type && header->has_order && header->has_shape;
}

static elman_status npy_bad(const char *where, elman_error *error, const char *problem) {
  return fail(error, ELMAN_BAD_DATA, where, "not a valid .npy file: %s", problem);
}

/* Split the file into header and numbers. */
static elman_status npy_split(struct text *header, struct text *numbers, struct text bytes,
                              const char *where, elman_error *error) {
  uint32_t length = 0; /* little-endian, so version 1 stores the two low bytes */
  if (bytes.length < MAGIC + VERSION + sizeof length)
    return npy_bad(where, error, "it is truncated");
  const int version = bytes.bytes[MAGIC];
  if (version < 1 || version > 3) return npy_bad(where, error, "its version is not 1, 2 or 3");
  const size_t width = version == 1 ? sizeof(uint16_t) : sizeof length;
  memcpy(&length, bytes.bytes + MAGIC + VERSION, width);
  text_drop(&bytes, MAGIC + VERSION + width);
  if (length > bytes.length) return npy_bad(where, error, "its header is longer than the file");
  *header = (struct text){bytes.bytes, length};
  text_drop(&bytes, length);
  *numbers = bytes;
  return ELMAN_OK;
}

static elman_status check_header(const struct npy_header *header, size_t *width, const char *where,
                                 elman_error *error) {
  if (text_equal(header->type, text_of("<f4")))
    *width = sizeof(float);
  else if (text_equal(header->type, text_of("<f8")))
    *width = sizeof(double);
  else
    return fail(error, ELMAN_BAD_DATA, where,
                "contains numbers of type \"%.*s\", not \"<f4\" or \"<f8\"; save it as "
                "array.astype(\"<f4\")",
                (int)(header->type.length < 20 ? header->type.length : 20), header->type.bytes);
  if (header->dimensions != 2)
    return fail(error, ELMAN_BAD_DATA, where,
                "has %zu dimension%s; a matrix must have 2, rows and columns", header->dimensions,
                plural_ending(header->dimensions));
  return ELMAN_OK;
}

static float number_at(const char *numbers, size_t index, size_t width) {
  float single;
  double twice;
  if (width == sizeof single) {
    memcpy(&single, numbers + index * width, width);
    return single;
  }
  memcpy(&twice, numbers + index * width, width);
  return (float)twice;
}

static elman_status copy_numbers(elman_matrix *matrix, const char *numbers, size_t width,
                                 bool fortran_order, const char *where, elman_error *error) {
  const size_t R = matrix->rows, C = matrix->columns;
  for (size_t i = 0; i < R; i++) {
    for (size_t j = 0; j < C; j++) {
      const float value = number_at(numbers, fortran_order ? j * R + i : i * C + j, width);
      if (!isfinite(value))
        return fail(error, ELMAN_BAD_DATA, where, "the number in row %zu, column %zu is not finite",
                    i + 1, j + 1);
      matrix->values[i * C + j] = value;
    }
  }
  return ELMAN_OK;
}

/* Read versions 1 to 3 with little-endian float32 or float64 in two dimensions, in C or Fortran
 * order. */
static elman_status read_npy(elman_matrix *matrix, struct text bytes, const char *where,
                             elman_error *error) {
  struct text text = {0}, numbers = {0};
  struct npy_header header;
  size_t width = 0, size;
  elman_status status = npy_split(&text, &numbers, bytes, where, error);
  if (status != ELMAN_OK) return status;
  if (!parse_header(&header, text)) return npy_bad(where, error, "its header is malformed");
  status = check_header(&header, &width, where, error);
  if (status != ELMAN_OK) return status;
  if (__builtin_mul_overflow(header.sizes[0], header.sizes[1], &size) ||
      __builtin_mul_overflow(size, width, &size) || size > numbers.length)
    return npy_bad(where, error, "it is shorter than its shape requires");
  if (size < numbers.length) return npy_bad(where, error, "unexpected data after its numbers");
  status = matrix_allocate(matrix, header.sizes[0], header.sizes[1], where, error);
  if (status != ELMAN_OK) return status;
  return copy_numbers(matrix, numbers.bytes, width, header.fortran_order, where, error);
}

void elman_npy_write(FILE *stream, const float *values, const size_t *sizes, size_t dimensions) {
  enum { PREFIX = MAGIC + VERSION + sizeof(uint16_t) };
  char header[ALIGNMENT * 4];
  size_t count = 1;
  int length =
      snprintf(header, sizeof header, "{'descr': '<f4', 'fortran_order': False, 'shape': (");
  for (size_t i = 0; i < dimensions; i++) {
    count *= sizes[i];
    length += snprintf(header + length, sizeof header - (size_t)length, i == 0 ? "%zu" : ", %zu",
                       sizes[i]);
  }
  length += snprintf(header + length, sizeof header - (size_t)length, "%s), }",
                     dimensions == 1 ? "," : "");
  /* The header ends with a line feed, and the numbers start at a multiple of 64. */
  const size_t used = PREFIX + (size_t)length + 1;
  const size_t total = (used + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  const uint16_t size = (uint16_t)(total - PREFIX);
  fwrite(MAGIC_BYTES, 1, MAGIC, stream);
  fwrite("\x01\x00", 1, VERSION, stream);
  fwrite(&size, sizeof size, 1, stream);
  fprintf(stream, "%s%*s\n", header, (int)(total - used), "");
  if (count > 0) fwrite(values, sizeof *values, count, stream); /* values may be NULL */
}

/* ---- text: one row per line, numbers separated by white space or single commas, # comments
 * ---- */

static const char BLANKS[] = " \t\v\f";

/* The line being read; `at` is before a number or at the end. */
struct matrix_line {
  const char *file;
  size_t number; /* from 1 */
  const char *at, *end;
};

static void skip_text_blanks(struct matrix_line *line) {
  while (line->at < line->end && strchr(BLANKS, *line->at) != NULL && *line->at != '\0') line->at++;
}

static elman_status wrong(const struct matrix_line *line, elman_error *error, const char *problem) {
  char where[512];
  snprintf(where, sizeof where, "%.480s:%zu", line->file, line->number);
  return fail(error, ELMAN_BAD_DATA, where, "%s", problem);
}

/* Read a number and the separator after it. */
static elman_status read_number(float *value, struct matrix_line *line, locale_t locale,
                                elman_error *error) {
  char digits[128];
  size_t length = 0;
  while (line->at + length < line->end && line->at[length] != '\0' &&
         strchr("0123456789+-.eE", line->at[length]) != NULL)
    length++;
  if (length == 0)
    return wrong(line, error, "is not a row of numbers separated by white space or commas");
  if (length >= sizeof digits) return wrong(line, error, "has a number of more than 127 digits");
  memcpy(digits, line->at, length);
  digits[length] = '\0';
  char *end;
  /* The locale of the program may have another decimal point. */
  *value = (float)strtod_l(digits, &end, locale);
  if (*end != '\0') return wrong(line, error, "has a word that is not a number");
  if (!isfinite(*value)) return wrong(line, error, "has a number that is too large");
  line->at += length;
  const char *behind = line->at;
  skip_text_blanks(line);
  if (line->at == line->end) return ELMAN_OK;
  if (*line->at == ',') {
    line->at++;
    skip_text_blanks(line);
    if (line->at == line->end) return wrong(line, error, "ends with a comma");
  } else if (line->at == behind) {
    return wrong(line, error, "is not a row of numbers separated by white space or commas");
  }
  return ELMAN_OK;
}

/* Advance to the next line with numbers; the result excludes its comment and line end. Return false
 * if there is no such line. */
static bool next_line(struct matrix_line *line, struct text *rest) {
  while (rest->length > 0) {
    struct text whole = text_cut(rest, '\n');
    while (whole.length > 0 && whole.bytes[whole.length - 1] == '\r') whole.length--;
    const struct text numbers = text_cut(&whole, '#');
    line->number++;
    line->at = numbers.bytes;
    line->end = numbers.bytes + numbers.length;
    skip_text_blanks(line);
    if (line->at < line->end) return true;
  }
  return false;
}

struct numbers {
  float *values;
  size_t count, capacity;
};

static elman_status read_row(struct numbers *numbers, struct matrix_line *line, locale_t locale,
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
  struct matrix_line line = {.file = where};
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
               plural_ending(width), columns);
      return wrong(&line, error, problem);
    }
  }
  const elman_status status = matrix_allocate(matrix, rows, columns, where, error);
  if (status == ELMAN_OK) memcpy(matrix->values, numbers->values, numbers->count * sizeof(float));
  return status;
}

static elman_status read_text(elman_matrix *matrix, struct text bytes, const char *where,
                              elman_error *error) {
  struct numbers numbers = {0};
  const char *problem = file_is_not_text(bytes, true);
  if (problem != NULL) return fail(error, ELMAN_BAD_DATA, where, "%s", problem);
  locale_t locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  if (locale == (locale_t)0) return fail_no_memory(error);
  if (bytes.length >= 3 && memcmp(bytes.bytes, "\xEF\xBB\xBF", 3) == 0) text_drop(&bytes, 3);
  const elman_status status = read_rows(matrix, &numbers, bytes, where, locale, error);
  freelocale(locale);
  free(numbers.values);
  return status;
}

/* ---- both formats ---- */

static const size_t MAX_FILE = (size_t)1 << 30;

elman_status elman_matrix_read(elman_matrix **matrix, const char *path, elman_error *error) {
  struct buffer file = {0};
  *matrix = calloc(1, sizeof **matrix);
  if (*matrix == NULL) return fail_no_memory(error);
  elman_status status = file_read(&file, path, MAX_FILE, error);
  if (status == ELMAN_OK) {
    const struct text bytes = buffer_text(&file);
    const bool is_npy = bytes.length >= MAGIC && memcmp(bytes.bytes, MAGIC_BYTES, MAGIC) == 0;
    status = (is_npy ? read_npy : read_text)(*matrix, bytes, file_name(path), error);
  }
  buffer_free(&file);
  if (status != ELMAN_OK) {
    elman_matrix_free(*matrix);
    *matrix = NULL;
  }
  return status;
}
