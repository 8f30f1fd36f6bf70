/* Matrices in files: .npy as NumPy writes it, text, and invalid files. */
#include "folder.h"

#include <stdint.h>

#include "elman.h"
#include "owned_public.h"

TestSuite(api_matrix, .init = enter_folder, .fini = leave_folder);

static const char NAME[] = "matrix";

static void expect(const char *what, size_t rows, size_t columns, const float *values) {
  owned_matrix *matrix;
  cr_assert_eq(elman_matrix_read(&matrix, NAME, &why), ELMAN_OK, "%s: %s: %s", what, why.where,
               why.message);
  cr_assert_eq(matrix->rows, rows, "%s", what);
  cr_assert_eq(matrix->columns, columns, "%s", what);
  for (size_t i = 0; i < rows * columns; i++)
    cr_assert_eq(matrix->values[i], values[i], "%s", what);
}

static void refuse(const char *what, const char *where, const char *words) {
  elman_matrix *matrix = (elman_matrix *)&why;
  cr_assert_eq(elman_matrix_read(&matrix, NAME, &why), ELMAN_BAD_DATA, "%s", what);
  cr_assert_null(matrix);
  cr_assert_str_eq(why.where, where, "%s", what);
  cr_assert_not_null(strstr(why.message, words), "%s: \"%s\" lacks \"%s\"", what, why.message,
                     words);
}

/* ---- text ---- */

static void put_text(const char *text) {
  put_bytes(NAME, text, strlen(text));
}

Test(api_matrix, text) {
  static const float values[] = {1, -2.5F, 0.003F, 4, 5, 6};
  static const char *const same[] = {"1 -2.5 3e-3\n4 5 6\n",
                                     "1 -2.5 3e-3\n4 5 6",
                                     "1,-2.5,3e-3\n4,5,6\n",
                                     "1, -2.5 , .003\r\n+4,5.,6\r\n",
                                     "\t1\t-2.5\t0.003 \n\n4\t5\t6\n",
                                     "\xEF\xBB\xBF 1 -2.5 3E-3\n4 5 6",
                                     "# a comment\n1 -2.5 3e-3 # more\n  # and\n4 5 6\n"};
  for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
    put_text(same[i]);
    expect(same[i], 2, 3, values);
  }
}

Test(api_matrix, invalid_text_is_rejected) {
  static const struct {
    const char *text, *where, *words;
  } wrong[] = {{"", "matrix", "contains no numbers: it has 0 rows and 0 columns"},
               {"\n \n# 1 2\n", "matrix", "contains no numbers"},
               {"1 2\n3\n", "matrix:2", "has 1 number, but the first row has 2"},
               {"1 2\n\n3 4 5\n", "matrix:3", "has 3 numbers"},
               {"1 two\n", "matrix:1", "not a row of numbers"},
               {"1,,2\n", "matrix:1", "not a row of numbers"},
               {",1\n", "matrix:1", "not a row of numbers"},
               {"1,2,\n", "matrix:1", "ends with a comma"},
               {"1;2\n", "matrix:1", "not a row of numbers"},
               {"1-2\n", "matrix:1", "not a number"},
               {"1e\n", "matrix:1", "not a number"},
               {"nan 1\n", "matrix:1", "not a row of numbers"},
               {"inf\n", "matrix:1", "not a row of numbers"},
               {"0x10\n", "matrix:1", "not a row of numbers"},
               {"1 2\n1e99 2\n", "matrix:2", "too large"},
               {"1 1e999\n", "matrix:1", "too large"},
               {"1 2\r3 4\n", "matrix:1", "not a row of numbers"},
               {"1 2\r3 4\r", "matrix", "has lines that end with CR alone"},
               {"PK\x03\x04 zipped\n", "matrix", "is a zip file"}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    put_text(wrong[i].text);
    refuse(wrong[i].text, wrong[i].where, wrong[i].words);
  }
  put_bytes(NAME, "1 \0 2", 5);
  refuse("NUL", "matrix", "is a binary file, not UTF-8 text");
  put_bytes(NAME, "1 2\n1 \0 2\n3 4\n5 6", 17);
  refuse("a line with NUL", "matrix:2", "not a row of numbers");
  char digits[300];
  memset(digits, '1', sizeof digits);
  put_bytes(NAME, digits, sizeof digits);
  refuse("digits", "matrix:1", "more than 127 digits");
  put_bytes(NAME, digits, 128);
  refuse("128 digits", "matrix:1", "more than 127 digits");
  memset(digits, '0', 126); /* 0 ... 01 */
  put_bytes(NAME, digits, 127);
  expect("127 digits", 1, 1, (const float[]){1});
}

/* ---- .npy ---- */

struct npy {
  char bytes[1024];
  size_t length;
};

static void append(struct npy *npy, const void *bytes, size_t length) {
  cr_assert_leq(npy->length + length, sizeof npy->bytes);
  memcpy(npy->bytes + npy->length, bytes, length);
  npy->length += length;
}

static struct npy npy_of(int version, const char *header, const void *numbers, size_t size) {
  struct npy npy = {.length = 0};
  const char start[] = {'\x93', 'N', 'U', 'M', 'P', 'Y', (char)version, 0};
  const uint16_t small = (uint16_t)strlen(header);
  const uint32_t large = (uint32_t)strlen(header);
  append(&npy, start, sizeof start);
  if (version == 1)
    append(&npy, &small, sizeof small);
  else
    append(&npy, &large, sizeof large);
  append(&npy, header, strlen(header));
  if (size > 0) append(&npy, numbers, size);
  return npy;
}

static void put_npy(int version, const char *header, const void *numbers, size_t size) {
  const struct npy npy = npy_of(version, header, numbers, size);
  put_bytes(NAME, npy.bytes, npy.length);
}

static const float six[] = {1, 2, 3, 4, 5, 6};
static const char GOOD[] = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }   \n";

Test(api_matrix, npy) {
  static const float transposed[] = {1, 4, 2, 5, 3, 6};
  static const double twice[] = {1, 2, 3, 4, 5, 6};
  for (int version = 1; version <= 3; version++) {
    put_npy(version, GOOD, six, sizeof six);
    expect("float32", 2, 3, six);
  }
  put_npy(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }\n", twice, sizeof twice);
  expect("float64", 2, 3, six);
  put_npy(1, "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }\n", transposed,
          sizeof transposed);
  expect("Fortran order", 2, 3, six);
  put_npy(1, "{\"shape\":(2,3),\"fortran_order\":False,\"descr\":\"<f4\"}", six, sizeof six);
  expect("another order of keys", 2, 3, six);
}

Test(api_matrix, invalid_npy_headers_are_rejected) {
  static const char *const wrong[] = {
      "",
      "{",
      "{}",
      "{'descr': '<f4'",
      "{'descr': '<f4', 'fortran_order': False, }",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), 'more': 1}",
      "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)}",
      "{'descr': '<f4', 'fortran_order': Maybe, 'shape': (2, 3)}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (2, -3)}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (2 3)}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999999, 3)}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1)}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)} more",
      "{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (2, 3)}",
      "{'descr': '<f4, 'fortran_order': False, 'shape': (2, 3)}"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    put_npy(1, wrong[i], six, sizeof six);
    refuse(wrong[i], NAME, "header is malformed");
  }
}

Test(api_matrix, unsupported_npy_types_are_rejected) {
  static const char *const types[] = {"<i8", ">f4", "<f2", "|b1", "|O", ""};
  char header[128];
  for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
    snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': (2, 3)}",
             types[i]);
    put_npy(1, header, six, sizeof six);
    refuse(types[i], NAME, "save it as array.astype");
  }
  put_npy(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (6,)}", six, sizeof six);
  refuse("vector", NAME, "has 1 dimension;");
  put_npy(1, "{'descr': '<f4', 'fortran_order': False, 'shape': ()}", six, 4);
  refuse("number", NAME, "has 0 dimensions");
  put_npy(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2, 3)}", six, sizeof six);
  refuse("three", NAME, "has 3 dimensions");
  put_npy(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (0, 3)}", NULL, 0);
  refuse("empty", NAME, "contains no numbers: it has 0 rows and 3 columns");
  put_npy(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 0)}", NULL, 0);
  refuse("empty", NAME, "contains no numbers: it has 1 row and 0 columns");
  put_npy(4, GOOD, six, sizeof six);
  refuse("version", NAME, "version");
  put_npy(0, GOOD, six, sizeof six);
  refuse("version", NAME, "version");
}

/* Every truncated file is rejected, and every file with trailing bytes. */
Test(api_matrix, truncated_npy_is_rejected) {
  const struct npy whole = npy_of(1, GOOD, six, sizeof six);
  for (size_t length = 6; length < whole.length; length++) {
    put_bytes(NAME, whole.bytes, length);
    refuse("cut", NAME, "");
  }
  put_npy(1, GOOD, (const float[]){1, 2, 3, 4, 5, 6, 7}, 28);
  refuse("long", NAME, "unexpected data after its numbers");
  put_bytes(NAME, "\x93NUMPY\x02\x00\xFF\xFF\xFF\xFF{", 13);
  refuse("header", NAME, "longer than the file");
}

Test(api_matrix, impossible_npy_sizes_are_rejected) {
  static const char *const shapes[] = {"(4294967296, 4294967296)", "(9223372036854775808, 2)",
                                       "(1000000000, 1000000000)", "(18446744073709551615, 1)"};
  char header[160];
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
    snprintf(header, sizeof header, "{'descr': '<f8', 'fortran_order': False, 'shape': %s}",
             shapes[i]);
    put_npy(1, header, six, sizeof six);
    refuse(shapes[i], NAME, "shorter than its shape");
  }
}

Test(api_matrix, non_finite_npy_is_rejected) {
  static const double large[] = {1, 1e300};
  put_npy(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2)}", large, sizeof large);
  refuse("large", NAME, "row 1, column 2 is not finite");
  static const float nan[] = {1, 0.0F / 0.0F};
  put_npy(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1)}", nan, sizeof nan);
  refuse("nan", NAME, "row 2, column 1 is not finite");
}

Test(api_matrix, written_npy_can_be_read) {
  FILE *file = fopen(NAME, "wb");
  cr_assert_not_null(file);
  elman_npy_write(file, six, (const size_t[]){3, 2}, 2);
  cr_assert_eq(fclose(file), 0);
  expect("round trip", 3, 2, six);
  size_t length;
  char *bytes = get_bytes(NAME, &length);
  cr_assert_eq(length % 64, sizeof six);
  free(bytes);
  file = fopen(NAME, "wb");
  elman_npy_write(file, six, (const size_t[]){6}, 1);
  cr_assert_eq(fclose(file), 0);
  bytes = get_bytes(NAME, &length);
  cr_assert_not_null(strstr(bytes + 10, "'shape': (6,), }"));
  free(bytes);
}

Test(api_matrix, missing_file_is_reported) {
  elman_matrix *matrix;
  cr_assert_eq(elman_matrix_read(&matrix, "none", &why), ELMAN_NO_INPUT);
  cr_assert_eq(elman_matrix_read(&matrix, ".", &why), ELMAN_NO_INPUT);
  elman_matrix_free(NULL);
}

/* ---- weights ---- */

Test(api_matrix, weights_file) {
  static const char header[] =
      "{\"decoder.attention.query.weight\":{\"dtype\":\"F32\",\"shape\":[2,2],"
      "\"data_offsets\":[0,16]}}";
  const uint64_t length = sizeof header - 1;
  struct npy file = {.length = 0};
  append(&file, &length, sizeof length);
  append(&file, header, length);
  append(&file, six, 16);
  put_bytes(NAME, file.bytes, file.length);
  elman_tensor *weights;
  size_t count;
  succeeds(elman_attention_parameters_load(&weights, &count, NAME, "general", 2, &why));
  cr_assert_eq(count, 1);
  cr_assert_str_eq(weights[0].name, "query.weight");
  cr_assert_eq(weights[0].rows, 2);
  cr_assert_arr_eq(weights[0].values, six, 16);
  elman_attention_parameters_free(weights);
  cr_assert_eq(elman_attention_parameters_load(&weights, &count, NAME, "general", 3, &why),
               ELMAN_BAD_DATA);
  cr_assert_null(weights);
  cr_assert_not_null(strstr(why.message, "3 rows and 3 columns"));
  fails(elman_attention_parameters_load(&weights, &count, NAME, "additive", 2, &why),
        ELMAN_BAD_DATA, "query.bias");
  cr_assert_eq(elman_attention_parameters_load(&weights, &count, NAME, "generic", 2, &why),
               ELMAN_INVALID_ARGUMENT);
  cr_assert_eq(
      elman_attention_parameters_load(&weights, &count, NAME, "general", SIZE_MAX / 2, &why),
      ELMAN_INVALID_ARGUMENT);
  cr_assert_eq(elman_attention_parameters_load(&weights, &count, "none", "general", 2, &why),
               ELMAN_NO_INPUT);
}
