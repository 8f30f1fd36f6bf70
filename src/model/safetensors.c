#include "model/safetensors.h"

#include <errno.h>
#include <fcntl.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/file_kind.h"
#include "base/xxh64.h"
#include "elman/model.h"
#include "model/checksum.h"
#include "tensor/eight_bits.h"

/* ---- reading the header ---- */

#define SAFETENSORS_METADATA "__metadata__"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "elements are stored in the byte order of memory");

enum { LENGTH_BYTES = 8, ALIGNMENT = 8, CHUNK = 4096, PIECE = 1 << 14 };

/* The type whose elements are read without conversion. */
static const enum number_type REAL_TYPE = sizeof(real) == sizeof(float) ? NUMBER_F32 : NUMBER_F64;

/* Number of elements that are checked at a time, few enough to stay in the second-level cache. */
static const size_t CACHED = (size_t)1 << 16;

static elman_status bad(const struct safetensors *file, elman_error *error, const char *problem) {
  return fail(error, ELMAN_BAD_DATA, file->path, "not a valid safetensors file: %s", problem);
}

static bool read_size(const json_t *value, uint64_t *size) {
  if (!json_is_integer(value) || json_integer_value(value) < 0) return false;
  *size = (uint64_t)json_integer_value(value);
  return true;
}

static elman_status parse_tensor(struct safetensors *file, const char *name, const json_t *entry,
                                 elman_error *error) {
  struct stored_tensor *tensor = &file->tensors[file->count++];
  *tensor = (struct stored_tensor){.name = name};
  const json_t *shape = json_object_get(entry, "shape");
  const json_t *offsets = json_object_get(entry, "data_offsets");
  const json_t *type = json_object_get(entry, "dtype");
  if (!json_is_object(entry) || json_object_size(entry) != 3 || !json_is_array(shape) ||
      !json_is_array(offsets) || json_array_size(offsets) != 2 || !json_is_string(type))
    return bad(file, error, "an entry lacks dtype, shape or data_offsets");
  if (json_array_size(shape) > MAX_DIMENSIONS)
    return bad(file, error, "a tensor has more than four dimensions");

  tensor->type_name = json_string_value(type);
  uint64_t bytes = number_type_find(&tensor->type, tensor->type_name);
  if (bytes == 0) return bad(file, error, "a tensor has an unknown dtype");
  for (size_t i = 0; i < json_array_size(shape); i++) {
    uint64_t length;
    if (!read_size(json_array_get(shape, i), &length) || length > SIZE_MAX ||
        __builtin_mul_overflow(bytes, length, &bytes))
      return bad(file, error, "a shape is impossible");
    tensor->shape[i] = (size_t)length;
  }
  tensor->dimensions = (int)json_array_size(shape);
  if (!read_size(json_array_get(offsets, 0), &tensor->begin) ||
      !read_size(json_array_get(offsets, 1), &tensor->end) || tensor->end < tensor->begin ||
      tensor->end - tensor->begin != bytes)
    return bad(file, error, "a tensor's shape and data_offsets disagree");
  return ELMAN_OK;
}

static int by_offset(const void *a, const void *b) {
  const struct stored_tensor *left = a, *right = b;
  if (left->begin != right->begin) return left->begin < right->begin ? -1 : 1;
  return left->end < right->end ? -1 : left->end > right->end;
}

static elman_status check_offsets(struct safetensors *file, uint64_t data_size,
                                  elman_error *error) {
  qsort(file->tensors, file->count, sizeof *file->tensors, by_offset);
  uint64_t at = 0;
  for (size_t i = 0; i < file->count; i++) {
    if (file->tensors[i].begin != at) return bad(file, error, "its tensors overlap or leave a gap");
    at = file->tensors[i].end;
  }
  if (at == data_size) return ELMAN_OK;
  return bad(file, error,
             at < data_size ? "there is data after the last tensor" : "it is truncated");
}

static elman_status check_metadata(struct safetensors *file, elman_error *error) {
  const json_t *metadata = json_object_get(file->header, SAFETENSORS_METADATA);
  const char *key;
  json_t *value;
  if (metadata == NULL) return ELMAN_OK;
  if (!json_is_object(metadata)) return bad(file, error, "__metadata__ is not an object");
  json_object_foreach((json_t *)metadata, key, value) {
    if (!json_is_string(value)) return bad(file, error, "__metadata__ contains more than strings");
  }
  file->metadata = metadata;
  return ELMAN_OK;
}

static elman_status parse_header(struct safetensors *file, const char *text, size_t length,
                                 uint64_t data_size, elman_error *error) {
  elman_error problem;
  if (length == 0 || text[0] != '{') return bad(file, error, "its header is not a JSON object");
  const elman_status parsed = read_json(&file->header, (struct text){text, length}, &problem);
  if (parsed == ELMAN_NO_MEMORY) return fail_no_memory(error);
  if (parsed != ELMAN_OK)
    return fail(error, parsed, file->path, "not a valid safetensors file: header, %s",
                problem.message);
  const size_t entries = json_object_size(file->header);
  file->tensors = calloc(entries > 0 ? entries : 1, sizeof *file->tensors);
  if (file->tensors == NULL) return fail_no_memory(error);
  elman_status status = check_metadata(file, error);
  const char *name;
  json_t *entry;
  json_object_foreach(file->header, name, entry) {
    if (status == ELMAN_OK && strcmp(name, SAFETENSORS_METADATA) != 0)
      status = parse_tensor(file, name, entry, error);
  }
  return status == ELMAN_OK ? check_offsets(file, data_size, error) : status;
}

/* Read these bytes. Return false if the file ends early, for example because another process
 * truncates it. */
static bool read_bytes(void *into, const struct safetensors *file, uint64_t start, size_t size) {
  if (file->data != NULL) {
    if (start > file->size || size > file->size - start) return false;
    if (size > 0) memcpy(into, file->data + start, size);
    return true;
  }
  for (size_t done = 0; done < size;) {
    const ssize_t got =
        pread(file->descriptor, (char *)into + done, size - done, (off_t)(start + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    done += (size_t)got;
  }
  return true;
}

/* Return whether these bytes are UTF-8 text. A character at the end may be incomplete. */
static bool is_utf8(struct text start) {
  return text_valid_prefix(start) + 4 > start.length;
}

/* Refuse a file of `size` bytes whose header cannot have `length` bytes. State what the file is. */
static elman_status refuse_start(const struct safetensors *file, uint64_t size, uint64_t length,
                                 elman_error *error) {
  char bytes[PIECE];
  const struct text start = {bytes, size < PIECE ? (size_t)size : PIECE};
  if (size == 0) return bad(file, error, "it is empty");
  if (!read_bytes(bytes, file, 0, start.length))
    return fail(error, ELMAN_IO, file->path, "cannot read the file; check the file and its disk");
  const bool has_header = start.length > LENGTH_BYTES && bytes[LENGTH_BYTES] == '{';
  if (has_header && length <= SAFETENSORS_MAX_HEADER)
    return fail(error, ELMAN_BAD_DATA, file->path,
                "not a valid safetensors file: it is truncated to %" PRIu64
                " bytes, but its header has %" PRIu64 "; use another copy",
                size, length);
  const char *kind = has_header ? NULL : file_kind(start);
  if (kind != NULL)
    return fail(error, ELMAN_BAD_DATA, file->path, "not a valid safetensors file: it %s", kind);
  if (size < LENGTH_BYTES) return bad(file, error, "it is shorter than 8 bytes");
  if (is_utf8(start)) return bad(file, error, "it is a text file, for example of sentence pairs");
  return bad(file, error, "the length of its header is impossible");
}

static elman_status find_size(struct safetensors *file, elman_error *error) {
  struct stat info;
  char reason[128];
  if (fstat(file->descriptor, &info) != 0)
    return fail(error, ELMAN_NO_INPUT, file->path, "cannot access the file: %s",
                REASON(errno, reason));
  if (S_ISDIR(info.st_mode))
    return fail(error, ELMAN_NO_INPUT, file->path, "is a directory; name a file");
  if (!S_ISREG(info.st_mode)) /* the reader must be able to seek */
    return fail(error, ELMAN_NO_INPUT, file->path,
                "is a pipe or a device; save its contents in a regular file and name that file");
  file->size = (uint64_t)info.st_size;
  return ELMAN_OK;
}

static elman_status read_header(struct safetensors *file, elman_error *error) {
  const uint64_t size = file->size;
  unsigned char prefix[LENGTH_BYTES];
  if (size < LENGTH_BYTES) return refuse_start(file, size, 0, error);
  if (!read_bytes(prefix, file, 0, LENGTH_BYTES))
    return fail(error, ELMAN_IO, file->path,
                "cannot read all of the header; check the file and its disk");
  uint64_t length;
  memcpy(&length, prefix, sizeof length);
  if (length > SAFETENSORS_MAX_HEADER || length > size - LENGTH_BYTES)
    return refuse_start(file, size, length, error);

  char *text = malloc(length > 0 ? (size_t)length : 1);
  if (text == NULL) return fail_no_memory(error);
  elman_status status = ELMAN_OK;
  if (!read_bytes(text, file, LENGTH_BYTES, (size_t)length))
    status = fail(error, ELMAN_IO, file->path,
                  "cannot read all of the header; check the file and its disk");
  file->data_start = LENGTH_BYTES + length;
  if (status == ELMAN_OK)
    status = parse_header(file, text, (size_t)length, size - file->data_start, error);
  free(text);
  return status;
}

elman_status safetensors_open(struct safetensors *file, const char *path, elman_error *error) {
  /* Open without blocking, in case the name is a pipe. */
  *file = (struct safetensors){.path = path,
                               .descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (file->descriptor < 0) {
    char reason[128];
    return fail(error, ELMAN_NO_INPUT, path, "cannot open the file: %s", REASON(errno, reason));
  }
  elman_status status = find_size(file, error);
  if (status == ELMAN_OK) status = read_header(file, error);
  if (status != ELMAN_OK) safetensors_close(file);
  return status;
}

elman_status safetensors_open_bytes(struct safetensors *file, const void *bytes, size_t size,
                                    elman_error *error) {
  *file = (struct safetensors){.descriptor = -1, .data = bytes, .size = size};
  const elman_status status = read_header(file, error);
  if (status != ELMAN_OK) safetensors_close(file);
  return status;
}

void safetensors_close(struct safetensors *file) {
  if (file->descriptor >= 0) close(file->descriptor);
  json_decref(file->header);
  free(file->tensors);
  *file = (struct safetensors){.descriptor = -1};
}

/* ---- the checksum ---- */

/* Read bytes, and add them to the sum while they are still in the cache. */
static bool read_summed(void *into, const struct safetensors *file, uint64_t start, size_t size,
                        struct xxh64 *sum) {
  if (!read_bytes(into, file, start, size)) return false;
  xxh64_add(sum, into, size);
  return true;
}

static void store_digest(const struct safetensors *file, const struct stored_tensor *tensor,
                         const struct xxh64 *sum) {
  struct stored_tensor *stored = &file->tensors[tensor - file->tensors];
  stored->digest = xxh64_value(sum);
  stored->is_digested = true;
}

/* Compute the digest of a tensor that has not been read. */
static elman_status digest_unread(const struct safetensors *file,
                                  const struct stored_tensor *tensor, elman_error *error) {
  char piece[PIECE];
  struct xxh64 sum;
  xxh64_start(&sum);
  for (uint64_t at = tensor->begin; at < tensor->end; at += PIECE) {
    const size_t size = tensor->end - at < PIECE ? (size_t)(tensor->end - at) : PIECE;
    if (!read_summed(piece, file, file->data_start + at, size, &sum))
      return fail(error, ELMAN_IO, file->path, "cannot read all of %s; check the file and its disk",
                  tensor->name);
  }
  store_digest(file, tensor, &sum);
  return ELMAN_OK;
}

static elman_status digest_file(char checksum[CHECKSUM_SIZE], const struct safetensors *file,
                                elman_error *error) {
  struct digested_tensor *tensors = calloc(file->count + 1, sizeof *tensors);
  elman_status status = tensors == NULL ? fail_no_memory(error) : ELMAN_OK;
  for (size_t i = 0; status == ELMAN_OK && i < file->count; i++) {
    const struct stored_tensor *tensor = &file->tensors[i];
    if (!tensor->is_digested) status = digest_unread(file, tensor, error);
    tensors[i] = (struct digested_tensor){tensor->name, tensor->type_name, tensor->shape,
                                          tensor->dimensions, tensor->digest};
  }
  if (status == ELMAN_OK)
    status = checksum_make(checksum, file->metadata, tensors, file->count, error);
  free(tensors);
  return status;
}

elman_status safetensors_verify(const struct safetensors *file, elman_error *error) {
  const char *expected = safetensors_metadata(file, CHECKSUM_KEY);
  char found[CHECKSUM_SIZE];
  if (expected == NULL) return ELMAN_OK;
  const elman_status status = digest_file(found, file, error);
  if (status != ELMAN_OK || strcmp(found, expected) == 0) return status;
  return fail(error, ELMAN_BAD_DATA, file->path,
              "is damaged or was altered after it was written: its checksum does not match; use "
              "another copy (after an intended change, remove " CHECKSUM_KEY ")");
}

const struct stored_tensor *safetensors_find(const struct safetensors *file, const char *name) {
  for (size_t i = 0; i < file->count; i++) {
    if (strcmp(file->tensors[i].name, name) == 0) return &file->tensors[i];
  }
  return NULL;
}

const char *safetensors_metadata(const struct safetensors *file, const char *key) {
  return file->metadata == NULL ? NULL : json_string_value(json_object_get(file->metadata, key));
}

bool safetensors_has_shape(const struct stored_tensor *tensor, int dimensions, size_t rows,
                           size_t columns) {
  return tensor->dimensions == dimensions && tensor->shape[0] == rows &&
         (dimensions == 1 || tensor->shape[1] == columns);
}

/* Return whether all values are finite. Do not exit early, so that the loop can be vectorized. */
static bool all_finite(const real *values, size_t count) {
  unsigned others = 0;
  for (size_t i = 0; i < count; i++) others |= isfinite(values[i]) ? 0u : 1u;
  return others == 0;
}

/* Read elements and convert them to `real`. Their type in the file differs from that of `real`. */
static bool read_converted(real *values, const struct safetensors *file,
                           const struct stored_tensor *tensor, uint64_t start, size_t count,
                           struct xxh64 *sum) {
  double chunk[CHUNK]; /* large enough for every type */
  float singles[CHUNK];
  const size_t width = number_type_size(tensor->type);
  for (size_t done = 0; done < count; done += CHUNK) {
    const size_t n = count - done < CHUNK ? count - done : CHUNK;
    if (!read_summed(chunk, file, start + done * width, n * width, sum)) return false;
    if (tensor->type != NUMBER_F64) numbers_to_floats(singles, tensor->type, chunk, n);
    for (size_t i = 0; i < n; i++)
      values[done + i] = tensor->type == NUMBER_F64 ? (real)chunk[i] : (real)singles[i];
  }
  return true;
}

/* ---- levels and scales ---- */

static const struct stored_tensor *find_scales(const struct safetensors *file,
                                               const struct stored_tensor *tensor) {
  const size_t length = strlen(tensor->name);
  for (size_t i = 0; i < file->count; i++) {
    const char *name = file->tensors[i].name;
    if (strncmp(name, tensor->name, length) == 0 && strcmp(name + length, SAFETENSORS_SCALE) == 0)
      return &file->tensors[i];
  }
  return NULL;
}

elman_status safetensors_check_scales(const struct safetensors *file,
                                      const struct stored_tensor *tensor, elman_error *error) {
  const struct stored_tensor *scales = find_scales(file, tensor);
  if (scales != NULL && scales->type == NUMBER_F32 && tensor->dimensions == 2 &&
      safetensors_has_shape(scales, 2, tensor->shape[0], 1))
    return ELMAN_OK;
  return fail(error, ELMAN_BAD_DATA, file->path,
              "%s has type I8, so %s" SAFETENSORS_SCALE
              " must be an F32 tensor with one scale for each row of the matrix; use another copy "
              "or another model",
              tensor->name, tensor->name);
}

static elman_status read_values(real *values, const struct safetensors *file,
                                const struct stored_tensor *tensor, elman_error *error) {
  const size_t width = number_type_size(tensor->type);
  const size_t count = (size_t)((tensor->end - tensor->begin) / width);
  struct xxh64 sum;
  xxh64_start(&sum);
  for (size_t done = 0; done < count; done += CACHED) {
    const size_t n = count - done < CACHED ? count - done : CACHED;
    const uint64_t start = file->data_start + tensor->begin + done * width;
    const bool complete = tensor->type == REAL_TYPE
                              ? read_summed(values + done, file, start, n * width, &sum)
                              : read_converted(values + done, file, tensor, start, n, &sum);
    if (!complete)
      return fail(error, ELMAN_IO, file->path, "cannot read all of %s; check the file and its disk",
                  tensor->name);
    if (!all_finite(values + done, n))
      return fail(error, ELMAN_BAD_DATA, file->path,
                  "%s contains a value that is not finite; use another copy or another model",
                  tensor->name);
  }
  store_digest(file, tensor, &sum);
  return ELMAN_OK;
}

/* Require scales whose product with every level is finite. */
static elman_status read_scales(real *scales, const struct safetensors *file,
                                const struct stored_tensor *tensor, elman_error *error) {
  const real largest = (real)(FLT_MAX / QUANTIZED_LEVELS);
  const elman_status status = read_values(scales, file, find_scales(file, tensor), error);
  for (size_t r = 0; status == ELMAN_OK && r < tensor->shape[0]; r++) {
    if (scales[r] < 0 || scales[r] > largest)
      return fail(error, ELMAN_BAD_DATA, file->path,
                  "%s has the scale %g, which is %s; use another copy or another model",
                  tensor->name, (double)scales[r], scales[r] < 0 ? "negative" : "too large");
  }
  return status;
}

/* Multiply levels by their scale. Return whether they are in range. */
static bool apply_scale(real *values, const int8_t *levels, size_t count, float scale) {
  unsigned low = 0;
  for (size_t i = 0; i < count; i++) {
    low |= levels[i] < -QUANTIZED_LEVELS ? 1u : 0u;
    values[i] = (real)(scale * (float)levels[i]);
  }
  return low == 0;
}

/* Read levels from element `at` on, and multiply them by the scales of their rows. */
static elman_status read_levels(real *values, const real *scales, const struct safetensors *file,
                                const struct stored_tensor *tensor, size_t at, size_t count,
                                struct xxh64 *sum, elman_error *error) {
  int8_t levels[PIECE];
  const size_t columns = tensor->shape[1];
  if (!read_summed(levels, file, file->data_start + tensor->begin + at, count, sum))
    return fail(error, ELMAN_IO, file->path, "cannot read all of %s; check the file and its disk",
                tensor->name);
  for (size_t done = 0, n; done < count; done += n) {
    const size_t row = (at + done) / columns, left = columns - (at + done) % columns;
    n = count - done < left ? count - done : left;
    if (!apply_scale(values + at + done, levels + done, n, (float)scales[row]))
      return fail(error, ELMAN_BAD_DATA, file->path,
                  "%s contains the level -128; levels are -127 to 127; use another copy or another "
                  "model",
                  tensor->name);
  }
  return ELMAN_OK;
}

static elman_status read_scaled(real *values, const struct safetensors *file,
                                const struct stored_tensor *tensor, elman_error *error) {
  elman_status status = safetensors_check_scales(file, tensor, error);
  if (status != ELMAN_OK) return status;
  const size_t count = (size_t)(tensor->end - tensor->begin);
  real *scales = malloc((tensor->shape[0] + 1) * sizeof *scales);
  struct xxh64 sum;
  xxh64_start(&sum);
  status = scales == NULL ? fail_no_memory(error) : read_scales(scales, file, tensor, error);
  for (size_t at = 0; status == ELMAN_OK && at < count; at += PIECE)
    status = read_levels(values, scales, file, tensor, at, count - at < PIECE ? count - at : PIECE,
                         &sum, error);
  if (status == ELMAN_OK) store_digest(file, tensor, &sum);
  free(scales);
  return status;
}

elman_status safetensors_read(real *values, const struct safetensors *file,
                              const struct stored_tensor *tensor, elman_error *error) {
  if (tensor->type == NUMBER_I8) return read_scaled(values, file, tensor, error);
  if (tensor->type != NUMBER_OTHER) return read_values(values, file, tensor, error);
  return fail(error, ELMAN_BAD_DATA, file->path, "%s must be stored as F32, BF16, F16, F64 or I8",
              tensor->name);
}

/* ---- writing ---- */

int safetensors_set_json(json_t *metadata, const char *key, json_t *value) {
  char *text = write_json(value, JSON_COMPACT | JSON_SORT_KEYS);
  json_decref(value);
  const int result = json_object_set_new(metadata, key, json_string(text));
  free(text);
  return result;
}

static size_t tensor_size(const struct tensor_source *tensor) {
  size_t size = 1;
  for (int d = 0; d < tensor->dimensions; d++) size *= tensor->shape[d];
  return size;
}

/* The destination of a tensor's bytes: a stream, or a sum if the stream is NULL. */
struct destination {
  FILE *stream;
  struct xxh64 *sum;
};

static void put_bytes(struct destination to, const void *bytes, size_t size) {
  if (to.stream == NULL)
    xxh64_add(to.sum, bytes, size);
  else
    fwrite(bytes, 1, size, to.stream);
}

static void put_levels(struct destination to, const struct tensor_source *tensor) {
  int8_t levels[CHUNK];
  const size_t columns = tensor->shape[1];
  for (size_t r = 0; r < tensor->shape[0]; r++) {
    for (size_t done = 0; done < columns; done += CHUNK) {
      const size_t n = columns - done < CHUNK ? columns - done : CHUNK;
      eight_bits_levels(levels, tensor->values + r * columns + done, n, (float)tensor->scales[r]);
      put_bytes(to, levels, n);
    }
  }
}

/* Convert the elements to the file's type piece by piece. */
static void put_values(struct destination to, const struct tensor_source *tensor) {
  float singles[CHUNK], chunk[CHUNK];
  const size_t count = tensor_size(tensor), width = number_type_size(tensor->type);
  for (size_t done = 0; done < count && tensor->type != NUMBER_I8; done += CHUNK) {
    const size_t n = count - done < CHUNK ? count - done : CHUNK;
    for (size_t i = 0; i < n; i++) singles[i] = (float)tensor->values[done + i];
    numbers_from_floats(chunk, tensor->type, singles, n);
    put_bytes(to, chunk, n * width);
  }
  if (tensor->type == NUMBER_I8) put_levels(to, tensor);
}

/* Return an element as the file represents it. Eight bits represent every finite row: its scale
 * times 127 is finite. */
static float stored_value(const struct tensor_source *tensor, size_t k) {
  const float value = (float)tensor->values[k];
  float stored;
  uint32_t number;
  if (tensor->type == NUMBER_I8) return value;
  numbers_from_floats(&number, tensor->type, &value, 1);
  numbers_to_floats(&stored, tensor->type, &number, 1);
  return stored;
}

/* Refuse values that are not finite: a file with such values could not be read. */
static elman_status check_finite(const struct tensor_source *tensor, elman_error *error) {
  const size_t size = tensor_size(tensor);
  for (size_t k = 0; k < size; k++) {
    if (!isfinite((float)tensor->values[k]))
      return fail(error, ELMAN_INVALID_ARGUMENT, NULL,
                  "%s contains a value that is not finite, so nothing is written; train with a "
                  "lower learning rate",
                  tensor->name);
    if (!isfinite(stored_value(tensor, k)))
      return fail(error, ELMAN_INVALID_ARGUMENT, NULL,
                  "%s contains %g, which is too large for %s, so nothing is written; choose "
                  "another type",
                  tensor->name, (double)tensor->values[k], elman_number_type_name(tensor->type));
  }
  return ELMAN_OK;
}

static elman_status set_checksum(json_t *metadata, const struct tensor_source *tensors,
                                 size_t count, elman_error *error) {
  char checksum[CHECKSUM_SIZE];
  struct digested_tensor *digested = calloc(count + 1, sizeof *digested);
  if (digested == NULL) return fail_no_memory(error);
  for (size_t i = 0; i < count; i++) {
    struct xxh64 sum;
    xxh64_start(&sum);
    put_values((struct destination){.sum = &sum}, &tensors[i]);
    digested[i] =
        (struct digested_tensor){tensors[i].name, number_type_name(tensors[i].type),
                                 tensors[i].shape, tensors[i].dimensions, xxh64_value(&sum)};
  }
  elman_status status = checksum_make(checksum, metadata, digested, count, error);
  free(digested);
  if (status == ELMAN_OK && json_object_set_new(metadata, CHECKSUM_KEY, json_string(checksum)) != 0)
    status = fail_no_memory(error);
  return status;
}

/* Return the whole header as text; NULL when memory runs out. */
static char *compose_header(json_t *metadata, const struct tensor_source *tensors, size_t count) {
  json_t *header = json_object();
  int result = json_object_set(header, SAFETENSORS_METADATA, metadata);
  json_int_t at = 0;
  for (size_t i = 0; i < count; i++) {
    const struct tensor_source *tensor = &tensors[i];
    json_t *shape = json_array();
    for (int d = 0; d < tensor->dimensions; d++)
      result |= json_array_append_new(shape, json_integer((json_int_t)tensor->shape[d]));
    const json_int_t end = at + (json_int_t)(tensor_size(tensor) * number_type_size(tensor->type));
    result |= json_object_set_new(header, tensor->name,
                                  json_pack("{s:s, s:o, s:[I,I]}", "dtype",
                                            number_type_name(tensor->type), "shape", shape,
                                            "data_offsets", at, end));
    at = end;
  }
  char *text = result == 0 ? write_json(header, JSON_COMPACT) : NULL;
  json_decref(header);
  return text;
}

elman_status safetensors_write(FILE *stream, json_t *metadata, const struct tensor_source *tensors,
                               size_t count, elman_error *error) {
  elman_status status = ELMAN_OK;
  for (size_t i = 0; status == ELMAN_OK && i < count; i++)
    status = check_finite(&tensors[i], error);
  if (status == ELMAN_OK) status = set_checksum(metadata, tensors, count, error);
  if (status != ELMAN_OK) return status;
  char *text = compose_header(metadata, tensors, count);
  if (text == NULL) return fail_no_memory(error);
  const size_t length = strlen(text);
  const size_t padding = (ALIGNMENT - length % ALIGNMENT) % ALIGNMENT;
  const uint64_t total = length + padding;
  if (total > SAFETENSORS_MAX_HEADER) {
    free(text);
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL,
                "the vocabularies are too large for a safetensors header (100 MB); limit them");
  }
  fwrite(&total, sizeof total, 1, stream);
  fwrite(text, 1, length, stream);
  fprintf(stream, "%*s", (int)padding, "");
  free(text);
  for (size_t i = 0; i < count; i++)
    put_values((struct destination){.stream = stream}, &tensors[i]);
  return ELMAN_OK;
}
