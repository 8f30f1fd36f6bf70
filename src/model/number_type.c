#include "model/number_type.h"

#include <string.h>

#include "elman/model.h"

static const struct {
  const char *name;
  size_t size;
  enum number_type type;
  const char *option; /* name of the elman_number_type */
} types[] = {[NUMBER_F32] = {"F32", 4, NUMBER_F32, "float32"},
             [NUMBER_BF16] = {"BF16", 2, NUMBER_BF16, "bfloat16"},
             [NUMBER_F16] = {"F16", 2, NUMBER_F16, "float16"},
             [NUMBER_I8] = {"I8", 1, NUMBER_I8, "int8"},
             [NUMBER_F64] = {"F64", 8, NUMBER_F64, NULL},
             {"I64", 8, NUMBER_OTHER, NULL},
             {"I32", 4, NUMBER_OTHER, NULL},
             {"I16", 2, NUMBER_OTHER, NULL},
             {"U64", 8, NUMBER_OTHER, NULL},
             {"U32", 4, NUMBER_OTHER, NULL},
             {"U16", 2, NUMBER_OTHER, NULL},
             {"U8", 1, NUMBER_OTHER, NULL},
             {"BOOL", 1, NUMBER_OTHER, NULL}};

size_t number_type_find(enum number_type *type, const char *name) {
  for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
    if (strcmp(types[i].name, name) == 0) {
      *type = types[i].type;
      return types[i].size;
    }
  }
  return 0;
}

const char *number_type_name(enum number_type type) {
  return types[type].name;
}

const char *elman_number_type_name(size_t type) {
  return type < NUMBER_OTHER ? types[type].option : NULL;
}

size_t number_type_size(enum number_type type) {
  return types[type].size;
}

/* ---- conversion ---- */

static uint32_t bits_of(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static float float_of(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/* Drop the last `dropped` bits of a magnitude, rounded to nearest, ties to even. A carry into the
 * exponent yields the next power of two or infinity, as it should. */
static uint32_t round_bits(uint32_t bits, int dropped) {
  const uint32_t half = (uint32_t)1 << (dropped - 1);
  return (bits + half - 1 + (bits >> dropped & 1)) >> dropped;
}

/* bfloat16: the upper half of a float. */
static uint16_t bfloat16_of(float value) {
  return (uint16_t)round_bits(bits_of(value), 16);
}

/* float16 of IEEE 754: 5 bits of exponent with bias 15, 10 bits of fraction. */
enum { F16_INFINITY = 0x7C00, F16_DROPPED = 13, EXPONENT_DIFFERENCE = 112 };

static uint16_t float16_of(float value) {
  static const float OVERFLOW = 65536, SMALLEST_NORMAL = 0x1p-14F, UNIT = 0x1p24F;
  const uint32_t bits = bits_of(value), sign = bits >> 16 & 0x8000, magnitude = bits & 0x7FFFFFFF;
  const float size = float_of(magnitude);
  uint32_t result = F16_INFINITY;
  if (size < SMALLEST_NORMAL) {
    /* A multiple of 2^-24. Adding and subtracting 2^23 rounds to a whole number. */
    const volatile float shifted = size * UNIT + 0x1p23F;
    result = (uint32_t)(shifted - 0x1p23F);
  } else if (size < OVERFLOW) {
    result = round_bits(magnitude, F16_DROPPED) - ((uint32_t)EXPONENT_DIFFERENCE << 10);
  }
  return (uint16_t)(sign | result);
}

static float float_of_float16(uint16_t number) {
  const uint32_t sign = (uint32_t)(number & 0x8000) << 16, magnitude = number & 0x7FFF;
  uint32_t bits = magnitude << F16_DROPPED;
  if (magnitude >= F16_INFINITY) /* infinity or not a number */
    bits |= 0x7F800000;
  else if (magnitude < 0x400) /* zero or subnormal: a multiple of 2^-24 */
    bits = bits_of((float)magnitude * 0x1p-24F);
  else
    bits += (uint32_t)EXPONENT_DIFFERENCE << 23;
  return float_of(sign | bits);
}

/* A buffer may have another type than its numbers, so it is accessed by memcpy. */
static void put_half(void *numbers, size_t i, uint16_t half) {
  memcpy((char *)numbers + i * sizeof half, &half, sizeof half);
}

static uint16_t half_at(const void *numbers, size_t i) {
  uint16_t half;
  memcpy(&half, (const char *)numbers + i * sizeof half, sizeof half);
  return half;
}

void numbers_from_floats(void *numbers, enum number_type type, const float *values, size_t count) {
  if (type == NUMBER_F32) memcpy(numbers, values, count * sizeof *values);
  for (size_t i = 0; type == NUMBER_BF16 && i < count; i++)
    put_half(numbers, i, bfloat16_of(values[i]));
  for (size_t i = 0; type == NUMBER_F16 && i < count; i++)
    put_half(numbers, i, float16_of(values[i]));
}

void numbers_to_floats(float *values, enum number_type type, const void *numbers, size_t count) {
  if (type == NUMBER_F32) memcpy(values, numbers, count * sizeof *values);
  for (size_t i = 0; type == NUMBER_BF16 && i < count; i++)
    values[i] = float_of((uint32_t)half_at(numbers, i) << 16);
  for (size_t i = 0; type == NUMBER_F16 && i < count; i++)
    values[i] = float_of_float16(half_at(numbers, i));
}
