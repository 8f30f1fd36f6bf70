#include "attention/attention_matrices.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "attention/attention_job.h"
#include "console/json_output.h"
#include "console/messages.h"
#include "console/output.h"
#include "options/option_files.h"

/* ---- options ---- */

static const char *const normalizations[] = {"softmax", "sum"};

const char *matrices_normalization(size_t index) {
  return index < sizeof normalizations / sizeof *normalizations ? normalizations[index] : NULL;
}

struct matrices_options matrices_options_default(void) {
  struct matrices_options options = {.normalize = normalizations[0],
                                     .attention = elman_attention_options_default()};
  options.attention.key_length = 0;
  return options;
}

/* Check that --weights is given if the mechanism has parameters, and only then. */
static int check_weights(const struct matrices_options *options, const struct usage *usage) {
  elman_tensor weight;
  const bool has_weights = elman_attention_parameter(&weight, options->attention.mechanism, 1, 0);
  if (!has_weights && options->weights != NULL)
    return report_usage(usage->command,
                        "--weights: %s attention has no parameters; remove the option",
                        options->attention.mechanism);
  if (!has_weights || options->weights != NULL) return EX_OK;
  char names[256] = "";
  size_t used = 0;
  for (size_t i = 0; elman_attention_parameter(&weight, options->attention.mechanism, 1, i); i++)
    used +=
        (size_t)snprintf(names + used, sizeof names - used, i == 0 ? "%s" : ", %s", weight.name);
  return report_usage(usage->command, "--attention %s needs --weights FILE with %s",
                      options->attention.mechanism, names);
}

/* ---- input ---- */

struct matrices {
  elman_matrix *files[3]; /* NULL if an earlier file is used in its place */
  const elman_matrix *queries, *keys, *values;
  elman_tensor *weights;
  size_t weight_count;
};

static int check_fit(const struct matrices *m, char **names) {
  if (m->keys->columns != m->queries->columns) {
    report(input_name(names[1]), "has %zu column%s, but the queries have %zu", m->keys->columns,
           plural(m->keys->columns), m->queries->columns);
    return EX_DATAERR;
  }
  if (m->values->rows != m->keys->rows) {
    report(input_name(names[2]), "has %zu row%s, but there %s %zu key%s", m->values->rows,
           plural(m->values->rows), m->keys->rows == 1 ? "is" : "are", m->keys->rows,
           plural(m->keys->rows));
    return EX_DATAERR;
  }
  return EX_OK;
}

static int read_matrices(struct matrices *m, const struct matrices_options *options,
                         const struct operands *operands) {
  elman_error error;
  size_t standard = 0;
  for (size_t i = 0; i < operands->count; i++) standard += is_standard(operands->words[i]);
  if (standard > 1) return report_usage("attention", "standard input ('-') can be read only once");
  for (size_t i = 0; i < operands->count; i++)
    if (elman_matrix_read(&m->files[i], operands->words[i], &error) != ELMAN_OK)
      return report_error(&error);
  const bool one = operands->count == 1;
  m->queries = m->files[0];
  m->keys = one ? m->files[0] : m->files[1];
  m->values = one ? m->files[0] : m->files[2];
  const int code = one ? EX_OK : check_fit(m, operands->words);
  if (code != EX_OK || options->weights == NULL) return code;
  const elman_status status =
      elman_attention_parameters_load(&m->weights, &m->weight_count, options->weights,
                                      options->attention.mechanism, m->queries->columns, &error);
  return status == ELMAN_OK ? EX_OK : report_error(&error);
}

static elman_status attend(elman_attention_output **attended, const struct matrices *m,
                           const struct matrices_options *options, elman_error *error) {
  const elman_attention_input input = {.query_count = m->queries->rows,
                                       .key_count = m->keys->rows,
                                       .width = m->queries->columns,
                                       .value_width = m->values->columns,
                                       .queries = m->queries->values,
                                       .keys = m->keys->values,
                                       .values = m->values->values,
                                       .parameters = m->weights,
                                       .parameter_count = m->weight_count};
  elman_attention_options inner = options->attention;
  inner.divide_by_sum = strcmp(options->normalize, "sum") == 0;
  if (options->scale) inner.scale = 1 / sqrt((double)(input.width / inner.heads));
  if (inner.key_length == 0) inner.key_length = elman_attention_options_default().key_length;
  return elman_attention_forward(attended, &input, &inner, error);
}

/* ---- for people ---- */

/* Format a number with four decimals. Use an exponent if four decimals would show nothing. Return
 * the length of the text. */
static int print_number(char *into, size_t size, float value) {
  const float magnitude = fabsf(value);
  if (magnitude == 0) value = 0; /* remove the sign of a zero */
  if (magnitude < 0.00005F && magnitude > 0) return snprintf(into, size, "%.1e", (double)value);
  if (isfinite(value) && magnitude >= 1e6F) return snprintf(into, size, "%.4e", (double)value);
  return snprintf(into, size, "%.4f", (double)value);
}

static void write_table(FILE *stream, const float *values, size_t rows, size_t columns) {
  char digits[64];
  int width = 0;
  for (size_t i = 0; i < rows * columns; i++) {
    const int length = print_number(digits, sizeof digits, values[i]);
    if (length > width) width = length;
  }
  for (size_t i = 0; i < rows; i++) {
    for (size_t j = 0; j < columns; j++) {
      print_number(digits, sizeof digits, values[i * columns + j]);
      fprintf(stream, "%s%*s", j == 0 ? "" : "  ", width, digits);
    }
    putc('\n', stream);
  }
}

static void write_heads(FILE *stream, const char *name, const float *values,
                        const elman_attention_output *a) {
  const size_t size = a->query_count * a->key_count;
  for (size_t n = 0; n < a->heads; n++) {
    fputs(name, stream);
    if (a->heads > 1) fprintf(stream, ", head %zu", n + 1);
    putc('\n', stream);
    write_table(stream, values + n * size, a->query_count, a->key_count);
    putc('\n', stream);
  }
}

static void write_text(FILE *stream, const elman_attention_output *a) {
  const struct {
    const char *name;
    const float *values;
    size_t columns;
  } tables[] = {{"sentinel\n", a->sentinel, 1},
                {"segments\n", a->segments, a->segment_count},
                {"context\n", a->context, a->value_width}};
  const char *after = "";
  write_heads(stream, "scores", a->scores, a);
  write_heads(stream, "weights", a->weights, a);
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
    if (tables[i].values == NULL) continue;
    fprintf(stream, "%s%s", after, tables[i].name);
    write_table(stream, tables[i].values, a->query_count, tables[i].columns);
    after = "\n";
  }
}

/* ---- for programs ---- */

static void write_json_rows(struct json *json, const float *values, size_t rows, size_t columns) {
  for (size_t i = 0; i < rows; i++) {
    json_print(json, "[");
    for (size_t j = 0; j < columns; j++) json_number(json, NULL, (double)values[i * columns + j]);
    json_print(json, "]");
  }
}

static void write_json_heads(struct json *json, const float *values,
                             const elman_attention_output *a) {
  const size_t size = a->query_count * a->key_count;
  for (size_t n = 0; n < a->heads; n++) {
    json_print(json, "[");
    write_json_rows(json, values + n * size, a->query_count, a->key_count);
    json_print(json, "]");
  }
}

static void write_json(FILE *stream, const elman_attention_output *a) {
  struct json json = {.stream = stream};
  json_print(&json, "{scores [");
  write_json_heads(&json, a->scores, a);
  json_print(&json, "] weights [");
  write_json_heads(&json, a->weights, a);
  if (a->sentinel != NULL) {
    json_print(&json, "] sentinel [");
    for (size_t t = 0; t < a->query_count; t++) json_number(&json, NULL, (double)a->sentinel[t]);
  }
  if (a->segments != NULL) {
    json_print(&json, "] segments [");
    write_json_rows(&json, a->segments, a->query_count, a->segment_count);
  }
  json_print(&json, "] context [");
  write_json_rows(&json, a->context, a->query_count, a->value_width);
  json_print(&json, "]}\n");
}

enum { NPY_FILES = 3 };
static const char *const NPY_NAMES[NPY_FILES] = {"scores", "weights", "context"};

/* Return PREFIX.name.npy for the output PREFIX or PREFIX.npy. The caller frees the text. Return
 * NULL if memory ran out. */
static char *npy_path(const char *output, const char *name) {
  size_t length = strlen(output);
  if (length > 4 && strcmp(output + length - 4, ".npy") == 0) length -= 4;
  char *path;
  return asprintf(&path, "%.*s.%s.npy", (int)length, output, name) < 0 ? NULL : path;
}

/* Write three files. If one cannot be written, none is moved to its path. */
static int write_npy(const char *prefix, const elman_attention_output *a) {
  const float *const values[NPY_FILES] = {a->scores, a->weights, a->context};
  const size_t by_head[] = {a->heads, a->query_count, a->key_count};
  const size_t context[] = {a->query_count, a->value_width};
  char *paths[NPY_FILES] = {0};
  struct output outputs[NPY_FILES];
  size_t open = 0, closed = 0;
  int code = EX_OK;
  for (; open < NPY_FILES; open++) {
    paths[open] = npy_path(prefix, NPY_NAMES[open]);
    code = paths[open] == NULL ? report_no_memory() : output_open(&outputs[open], paths[open]);
    if (code != EX_OK) break;
    const bool is_context = values[open] == a->context;
    elman_npy_write(outputs[open].stream, values[open], is_context ? context : by_head,
                    is_context ? 2 : 3);
    output_flush(&outputs[open]);
  }
  for (size_t i = 0; i < NPY_FILES && code == EX_OK; i++) code = output_store(&outputs[i]);
  while (closed < NPY_FILES && code == EX_OK) code = output_close(&outputs[closed++], EX_OK);
  for (; closed < open; closed++) output_abandon(&outputs[closed]);
  for (size_t i = 0; i < NPY_FILES; i++) free(paths[i]);
  return code;
}

static int write_result(const char *path, const char *format, const elman_attention_output *a) {
  if (strcmp(format, "npy") == 0) return write_npy(path, a);
  struct output output;
  const int code = output_open(&output, path);
  if (code != EX_OK) return code;
  (strcmp(format, "json") == 0 ? write_json : write_text)(output.stream, a);
  return output_close(&output, EX_OK);
}

/* ---- the command ---- */

/* Formats that the library writes. Those drawn from a picture are excluded, because matrices have
 * no picture. */
static const struct formats library_formats = {elman_format_name, elman_format_suffix};

static int choose_format(const char **format, const char *output, const char *command) {
  const int code = format_choose(format, &library_formats, output);
  if (code != EX_OK) return code;
  if (*format == NULL) *format = "text";
  const bool npy = strcmp(*format, "npy") == 0;
  if (!npy && strcmp(*format, "text") != 0 && strcmp(*format, "json") != 0)
    return report_usage(command, "--matrices writes text, json or npy, not %s", *format);
  if (npy && is_standard(output))
    return report_usage(command, "npy writes three files; name them with -o PREFIX");
  return EX_OK;
}

/* Check the file names. options_parse cannot check them: operands are files only with --matrices,
 * and npy derives several output names. */
static int check_files(const char *format, const char *output, const struct usage *usage,
                       const struct operands *operands) {
  char *paths[NPY_FILES] = {0};
  struct extra_file extra[NPY_FILES + 3];
  size_t count = 0;
  bool no_memory = false;
  for (size_t i = 0; i < operands->count; i++)
    extra[count++] = (struct extra_file){FILE_IS_READ, NULL, operands->words[i]};
  for (size_t i = 0; strcmp(format, "npy") == 0 && i < NPY_FILES; i++) {
    paths[i] = npy_path(output, NPY_NAMES[i]);
    no_memory = no_memory || paths[i] == NULL;
    extra[count++] = (struct extra_file){FILE_IS_WRITTEN, "output", paths[i]};
  }
  const int code =
      no_memory ? report_no_memory() : options_check_files(usage, operands, extra, count);
  for (size_t i = 0; i < NPY_FILES; i++) free(paths[i]);
  return code;
}

int attention_matrices(const struct matrices_options *options, const struct usage *usage,
                       const struct operands *operands, const char *format, const char *output) {
  if (operands->count != 1 && operands->count != 3)
    return report_usage(
        usage->command,
        "--matrices needs three files (queries, keys, values) or one file for all three, not %zu",
        operands->count);
  int code = choose_format(&format, output, usage->command);
  if (code == EX_OK) code = check_files(format, output, usage, operands);
  if (code == EX_OK) code = check_weights(options, usage);
  if (code != EX_OK) return code;

  struct matrices matrices = {0};
  elman_attention_output *attended = NULL;
  elman_error error;
  code = read_matrices(&matrices, options, operands);
  if (code == EX_OK && attend(&attended, &matrices, options, &error) != ELMAN_OK)
    code = report_error(&error);
  if (code == EX_OK) code = write_result(output, format, attended);
  elman_attention_output_free(attended);
  for (size_t i = 0; i < 3; i++) elman_matrix_free(matrices.files[i]);
  elman_attention_parameters_free(matrices.weights);
  return code;
}
