/* Arrays of JSON. */
#include <math.h>

#include "glue.h"

json_t *strings(const char *const *values, size_t count) {
  json_t *list = json_array();
  for (size_t i = 0; i < count; i++) json_array_append_new(list, json_string(values[i]));
  return list;
}

json_t *ids(const uint32_t *values, size_t count) {
  json_t *list = json_array();
  for (size_t i = 0; i < count; i++)
    json_array_append_new(list, json_integer((json_int_t)values[i]));
  return list;
}

json_t *sizes(const size_t *values, size_t count) {
  json_t *list = json_array();
  for (size_t i = 0; i < count; i++)
    json_array_append_new(list, json_integer((json_int_t)values[i]));
  return list;
}

json_t *flags(const bool *values, size_t count) {
  json_t *list = json_array();
  for (size_t i = 0; i < count; i++) json_array_append_new(list, json_boolean(values[i]));
  return list;
}

json_t *number_json(double value) {
  return isfinite(value) ? json_real(value) : json_null();
}

json_t *doubles(const double *values, size_t count) {
  json_t *list = json_array();
  for (size_t i = 0; i < count; i++) json_array_append_new(list, number_json(values[i]));
  return list;
}

json_t *double_matrix(const double *values, size_t rows, size_t columns) {
  json_t *list = json_array();
  for (size_t i = 0; i < rows; i++)
    json_array_append_new(list, doubles(values + i * columns, columns));
  return list;
}

json_t *floats(const float *values, size_t count) {
  json_t *list = json_array();
  for (size_t i = 0; i < count; i++) json_array_append_new(list, number_json((double)values[i]));
  return list;
}

json_t *matrix(const float *values, size_t rows, size_t columns) {
  json_t *list = json_array();
  for (size_t i = 0; i < rows; i++)
    json_array_append_new(list, floats(values + i * columns, columns));
  return list;
}

json_t *matrices(const float *values, size_t count, size_t rows, size_t columns) {
  json_t *list = json_array();
  for (size_t i = 0; i < count; i++)
    json_array_append_new(list, matrix(values + i * rows * columns, rows, columns));
  return list;
}
