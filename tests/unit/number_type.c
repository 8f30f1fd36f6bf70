/* Test: text. */
/* The conversion of numbers, against the definition of the formats. */
#include "model/number_type.h"
#include "elman/model.h"

#include <math.h>
#include <string.h>

#include "check.h"

/* ---- the formats as defined: sign, exponent, fraction ---- */

struct format {
  enum number_type type;
  int fraction; /* bits */
  int exponent; /* bits */
};

static const struct format formats[] = {{NUMBER_BF16, 7, 8}, {NUMBER_F16, 10, 5}};
enum { FORMATS = 2, NUMBERS = 1 << 16 };

/* Return the value of a number without sign; infinity and NaN for the largest exponent. */
static double defined_value(const struct format *format, unsigned bits) {
  const unsigned ones = 1u << format->fraction, exponent = bits >> format->fraction;
  const int bias = (1 << (format->exponent - 1)) - 1;
  const double fraction = (double)(bits % ones) / ones;
  if (exponent == (1u << format->exponent) - 1) return bits % ones == 0 ? INFINITY : NAN;
  return exponent == 0 ? ldexp(fraction, 1 - bias) : ldexp(1 + fraction, (int)exponent - bias);
}

static float to_float(enum number_type type, uint16_t number) {
  float value;
  numbers_to_floats(&value, type, &number, 1);
  return value;
}

static unsigned from_float(enum number_type type, float value) {
  uint16_t number;
  numbers_from_floats(&number, type, &value, 1);
  return number;
}

Test(number_type, every_number_has_its_value_and_survives) {
  for (int f = 0; f < FORMATS; f++) {
    for (unsigned bits = 0; bits < NUMBERS; bits++) {
      const double defined = defined_value(&formats[f], bits % (NUMBERS / 2));
      const float value = to_float(formats[f].type, (uint16_t)bits);
      cr_assert_eq(signbit(value) != 0, bits >= NUMBERS / 2, "%04x", bits);
      if (isnan(defined)) {
        cr_assert(isnan(value), "%04x", bits);
        continue;
      }
      cr_assert_eq((double)fabsf(value), defined, "%04x: %g instead of %g", bits, (double)value,
                   defined);
      cr_assert_eq(from_float(formats[f].type, value), bits, "%04x", bits);
    }
  }
}

/* Between two neighbors, a float becomes the nearer one. In the middle it becomes the even one. */
Test(number_type, floats_are_rounded_to_nearest_even) {
  for (int f = 0; f < FORMATS; f++) {
    const enum number_type type = formats[f].type;
    const unsigned infinity = ((1u << formats[f].exponent) - 1) << formats[f].fraction;
    for (unsigned bits = 0; bits + 1 < infinity; bits++) {
      const double low = defined_value(&formats[f], bits);
      const double middle = (low + defined_value(&formats[f], bits + 1)) / 2;
      const float between = (float)middle;
      if ((double)between != middle) continue; /* the smallest bfloat16 numbers */
      const unsigned even = bits % 2 == 0 ? bits : bits + 1;
      cr_assert_eq(from_float(type, between), even, "%04x", bits);
      cr_assert_eq(from_float(type, -between), even | 0x8000, "%04x", bits);
      cr_assert_eq(from_float(type, nextafterf(between, 0)), bits, "%04x", bits);
      cr_assert_eq(from_float(type, nextafterf(between, INFINITY)), bits + 1, "%04x", bits);
    }
  }
}

Test(number_type, too_large_values_become_infinite) {
  cr_assert_eq(from_float(NUMBER_F16, 65519.0F), 0x7BFF);
  cr_assert_eq(from_float(NUMBER_F16, 65520.0F), 0x7C00);
  cr_assert_eq(from_float(NUMBER_F16, -1e30F), 0xFC00);
  cr_assert_eq(from_float(NUMBER_BF16, 3.4e38F), 0x7F80);
  cr_assert_eq(from_float(NUMBER_BF16, 3.38e38F), 0x7F7E);
}

Test(number_type, names_and_sizes) {
  static const struct {
    const char *name;
    enum number_type type;
    size_t size;
  } known[] = {{"F32", NUMBER_F32, 4},   {"BF16", NUMBER_BF16, 2}, {"F16", NUMBER_F16, 2},
               {"F64", NUMBER_F64, 8},   {"I64", NUMBER_OTHER, 8}, {"I32", NUMBER_OTHER, 4},
               {"I16", NUMBER_OTHER, 2}, {"I8", NUMBER_I8, 1},     {"U64", NUMBER_OTHER, 8},
               {"U32", NUMBER_OTHER, 4}, {"U16", NUMBER_OTHER, 2}, {"U8", NUMBER_OTHER, 1},
               {"BOOL", NUMBER_OTHER, 1}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    enum number_type type;
    cr_assert_eq(number_type_find(&type, known[i].name), known[i].size);
    cr_assert_eq(type, known[i].type);
    if (type == NUMBER_OTHER) continue;
    cr_assert_str_eq(number_type_name(type), known[i].name);
    cr_assert_eq(number_type_size(type), known[i].size);
  }
  enum number_type type;
  cr_assert_eq(number_type_find(&type, "F8"), 0);
  cr_assert_str_eq(elman_number_type_name(NUMBER_F32), "float32");
  cr_assert_str_eq(elman_number_type_name(NUMBER_BF16), "bfloat16");
  cr_assert_str_eq(elman_number_type_name(NUMBER_F16), "float16");
  cr_assert_str_eq(elman_number_type_name(NUMBER_I8), "int8");
  for (size_t i = NUMBER_F64; i <= NUMBER_OTHER + 20; i++)
    cr_assert_null(elman_number_type_name(i));
}
