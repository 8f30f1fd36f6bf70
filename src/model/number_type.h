/* Types of numbers in a safetensors file, and their conversion. */
#ifndef ELMAN_MODEL_NUMBER_TYPE_H
#define ELMAN_MODEL_NUMBER_TYPE_H

#include <stddef.h>
#include <stdint.h>

/* The first types are those of elman_number_type, in its order; a model file may contain these. */
enum number_type { NUMBER_F32, NUMBER_BF16, NUMBER_F16, NUMBER_I8, NUMBER_F64, NUMBER_OTHER };

/* Return the size in bytes of a type by its name in a file, and set *type. Return 0 for an unknown
 * name. */
size_t number_type_find(enum number_type *type, const char *name);

/* Return the name in a file, such as "BF16", or the size. The type must not be NUMBER_OTHER. */
const char *number_type_name(enum number_type type);
size_t number_type_size(enum number_type type);

/* Convert `count` floats to F32, BF16 or F16, rounded to nearest, ties to even. A value beyond the
 * range of the type becomes infinite. */
void numbers_from_floats(void *numbers, enum number_type type, const float *values, size_t count);

/* Convert numbers of type F32, BF16 or F16 to floats, exactly. */
void numbers_to_floats(float *values, enum number_type type, const void *numbers, size_t count);

#endif
