#include "base/file.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

#include "base/file_kind.h"
#include "elman/file.h"

const char *errno_text(int number, char *buffer, size_t size) {
#ifdef __GLIBC__
  return strerror_r(number, buffer, size);
#else
  return strerror_r(number, buffer, size) == 0 ? buffer : "unknown error";
#endif
}

/* ---- decompressing gzip ---- */

/* Input that starts with the two magic bytes of gzip is decompressed; other input is copied. As in
 * gzip, several consecutive members form one input, and zero bytes after the last one are
 * padding. */
struct elman_decompressor {
  z_stream stream;
  enum {
    INPUT_UNKNOWN, /* the bytes so far may start gzip data */
    INPUT_PLAIN,
    INPUT_GZIP,    /* within a member */
    INPUT_BETWEEN, /* after a member */
    INPUT_PADDING, /* zero bytes after the last member */
  } state;
  size_t matched; /* magic bytes of a member read so far; 0 within a member */
};

static const char MAGIC[] = {'\x1F', '\x8B'}, TRAILING_DATA[] = "data that is not gzip follows";

enum { WINDOW = 15 + 16 }; /* the largest window; only the gzip format is accepted */

static elman_status damaged(elman_error *error, const char *problem) {
  return fail(error, ELMAN_BAD_DATA, NULL, "damaged gzip data: %s; check the file with 'gzip -t'",
              problem);
}

static elman_status begin_member(elman_decompressor *decompressor, elman_error *error) {
  z_stream *stream = &decompressor->stream;
  const int result =
      decompressor->state == INPUT_BETWEEN ? inflateReset(stream) : inflateInit2(stream, WINDOW);
  if (result != Z_OK) return fail_no_memory(error);
  decompressor->state = INPUT_GZIP;
  decompressor->matched = 0;
  Bytef none; /* zlib writes nothing here, because the magic bytes alone produce no output */
  stream->next_in = (Bytef *)(uintptr_t)MAGIC;
  stream->avail_in = sizeof MAGIC;
  stream->next_out = &none;
  stream->avail_out = 0;
  const int begun = inflate(stream, Z_NO_FLUSH);
  return begun == Z_OK || begun == Z_BUF_ERROR ? ELMAN_OK : fail_no_memory(error);
}

/* Skip zero bytes, which may fill the last block of a tape or disk. */
static elman_status skip_padding(struct text *input, elman_error *error) {
  while (input->length > 0 && input->bytes[0] == '\0') text_drop(input, 1);
  return input->length == 0 ? ELMAN_OK : damaged(error, TRAILING_DATA);
}

/* Check whether a gzip member starts here. If the input is not gzip-compressed, copy the bytes that
 * matched the magic to the output. */
static elman_status find_member(elman_decompressor *decompressor, struct text *input, char *into,
                                size_t *filled, elman_error *error) {
  if (decompressor->state == INPUT_BETWEEN && decompressor->matched == 0 && input->length > 0 &&
      input->bytes[0] == '\0')
    decompressor->state = INPUT_PADDING;
  if (decompressor->state == INPUT_PADDING) return skip_padding(input, error);
  while (decompressor->matched < sizeof MAGIC && input->length > 0 &&
         input->bytes[0] == MAGIC[decompressor->matched]) {
    decompressor->matched++;
    text_drop(input, 1);
  }
  if (decompressor->matched == sizeof MAGIC) return begin_member(decompressor, error);
  if (input->length == 0) return ELMAN_OK;
  if (decompressor->state == INPUT_BETWEEN) return damaged(error, TRAILING_DATA);
  memcpy(into, MAGIC, decompressor->matched);
  *filled = decompressor->matched;
  decompressor->matched = 0;
  decompressor->state = INPUT_PLAIN;
  return ELMAN_OK;
}

static elman_status inflate_member(elman_decompressor *decompressor, struct text *input, char *into,
                                   size_t room, size_t *filled, elman_error *error) {
  z_stream *stream = &decompressor->stream;
  const uInt size = input->length < UINT_MAX ? (uInt)input->length : UINT_MAX;
  const uInt space = room - *filled < UINT_MAX ? (uInt)(room - *filled) : UINT_MAX;
  stream->next_in = (Bytef *)(uintptr_t)input->bytes;
  stream->avail_in = size;
  stream->next_out = (Bytef *)into + *filled;
  stream->avail_out = space;
  const int result = inflate(stream, Z_NO_FLUSH);
  text_drop(input, size - stream->avail_in);
  *filled += space - stream->avail_out;
  if (result == Z_STREAM_END) decompressor->state = INPUT_BETWEEN;
  if (result == Z_OK || result == Z_BUF_ERROR || result == Z_STREAM_END) return ELMAN_OK;
  if (result == Z_MEM_ERROR) return fail_no_memory(error);
  return damaged(error, stream->msg == NULL ? "it cannot be decompressed" : stream->msg);
}

static size_t copy(struct text *input, char *into, size_t room) {
  const size_t size = input->length < room ? input->length : room;
  memcpy(into, input->bytes, size);
  text_drop(input, size);
  return size;
}

/* Decompress bytes from the front of `input` into `into`. Write at most `room` bytes, which must be
 * positive, and set *filled to the number written. If *filled < room, the whole input has been
 * consumed. */
static elman_status decompress(elman_decompressor *decompressor, struct text *input, char *into,
                               size_t room, size_t *filled, elman_error *error) {
  elman_status status = ELMAN_OK;
  *filled = 0;
  do {
    if (decompressor->state != INPUT_PLAIN && decompressor->state != INPUT_GZIP)
      status = find_member(decompressor, input, into, filled, error);
    if (status == ELMAN_OK && decompressor->state == INPUT_GZIP)
      status = inflate_member(decompressor, input, into, room, filled, error);
    if (decompressor->state == INPUT_PLAIN) *filled += copy(input, into + *filled, room - *filled);
  } while (status == ELMAN_OK && input->length > 0 && *filled < room);
  return status;
}

elman_status elman_decompress_end(const elman_decompressor *decompressor, elman_error *error) {
  if (decompressor->state != INPUT_GZIP && decompressor->matched == 0) return ELMAN_OK;
  return damaged(error, "it ends too early");
}

/* Free the memory to which the struct points. */
static void decompress_free(elman_decompressor *decompressor) {
  if (decompressor->state != INPUT_UNKNOWN && decompressor->state != INPUT_PLAIN)
    (void)inflateEnd(&decompressor->stream);
}

elman_status elman_decompressor_create(elman_decompressor **decompressor, elman_error *error) {
  *decompressor = calloc(1, sizeof **decompressor);
  return *decompressor == NULL ? fail_no_memory(error) : ELMAN_OK;
}

void elman_decompressor_free(elman_decompressor *decompressor) {
  if (decompressor == NULL) return;
  decompress_free(decompressor);
  free(decompressor);
}

elman_status elman_decompress(elman_decompressor *decompressor, const char **input, size_t *size,
                              char *into, size_t *room, elman_error *error) {
  struct text left = {*input, *size};
  size_t filled;
  const elman_status status = decompress(decompressor, &left, into, *room, &filled, error);
  *input = left.bytes;
  *size = left.length;
  *room = filled;
  return status;
}

/* ---- names ---- */

enum { READ_CHUNK = 1 << 20 };

const char *file_name(const char *path) {
  return strcmp(path, "-") == 0 ? "standard input" : path;
}

elman_status file_exists(bool *exists, const char *path, elman_error *error) {
  char reason[128];
  struct stat info;
  *exists = stat(path, &info) == 0;
  if (*exists || errno == ENOENT) return ELMAN_OK;
  return fail(error, ELMAN_NO_INPUT, path, "cannot access the file: %s", REASON(errno, reason));
}

bool is_named(int descriptor, const char *name) {
  struct stat open, named;
  return fstat(descriptor, &open) == 0 && lstat(name, &named) == 0 && open.st_dev == named.st_dev &&
         open.st_ino == named.st_ino;
}

/* Read the next chunk. Return 0 at the end and after an error. Repeat a read that a signal
 * interrupted. */
static size_t read_chunk(char *chunk, FILE *stream) {
  size_t got;
  do {
    clearerr(stream);
    got = fread(chunk, 1, READ_CHUNK, stream);
  } while (got == 0 && ferror(stream) && errno == EINTR);
  return got;
}

/* ---- reading ---- */

struct reading {
  struct buffer *into;
  elman_decompressor decompressor;
  size_t limit;                     /* maximum total size in bytes */
  const struct text_limits *limits; /* NULL = not text */
  file_check *check;
  bool checked;   /* the start was checked */
  bool has_lines; /* the limit of lines applies */
  size_t searched, line_start, lines;
};

static const char *check_is_text(bool *has_lines, struct text start) {
  *has_lines = true;
  return file_is_not_text(start, true);
}

static elman_status check_start(struct reading *reading, bool ended, elman_error *error) {
  const struct text start = buffer_text(reading->into);
  if (reading->checked || (start.length < FILE_START && !ended)) return ELMAN_OK;
  reading->checked = true;
  const char *problem = reading->check(&reading->has_lines, start);
  return problem == NULL ? ELMAN_OK : fail(error, ELMAN_BAD_DATA, NULL, "%s", problem);
}

/* Check the text that was read since the last call against the limits. */
static elman_status check_text(struct reading *reading, elman_error *error) {
  static const char other_file[] = "name another file";
  const struct text_limits *limits = reading->limits;
  const struct buffer *into = reading->into;
  const bool compressed = reading->decompressor.state != INPUT_PLAIN;
  if (limits->unpacked > 0 && compressed && into->length > limits->unpacked)
    return fail(error, ELMAN_BAD_DATA, NULL, "has more than %zu byte%s after decompression; %s",
                limits->unpacked, plural_ending(limits->unpacked),
                limits->fixed ? other_file : "`max_unpacked` sets the limit");
  while (reading->has_lines && reading->searched < into->length) {
    const char *at = into->bytes + reading->searched;
    const char *end = memchr(at, '\n', into->length - reading->searched);
    reading->searched = end == NULL ? into->length : (size_t)(end - into->bytes);
    if (limits->line > 0 && reading->searched - reading->line_start > limits->line)
      return fail(error, ELMAN_BAD_DATA, NULL, "line %zu has more than %zu byte%s; %s",
                  reading->lines + 1, limits->line, plural_ending(limits->line),
                  limits->fixed ? other_file : "`max_bytes` sets the limit");
    if (end == NULL) break;
    reading->line_start = ++reading->searched;
    reading->lines++;
  }
  return ELMAN_OK;
}

/* Decompress and append a piece of the file. */
static elman_status append(struct reading *reading, struct text input, elman_error *error) {
  enum { ROOM = 1 << 16 };
  char piece[ROOM];
  size_t filled = ROOM;
  elman_status status = ELMAN_OK;
  while (status == ELMAN_OK && (input.length > 0 || filled == ROOM)) {
    status = decompress(&reading->decompressor, &input, piece, ROOM, &filled, error);
    if (status == ELMAN_OK && filled > reading->limit - reading->into->length)
      status = fail(error, ELMAN_BAD_DATA, NULL, "is larger than %zu bytes", reading->limit);
    if (status == ELMAN_OK) buffer_append(reading->into, piece, filled);
    if (status == ELMAN_OK && reading->into->failed) status = fail_no_memory(error);
    if (status == ELMAN_OK && reading->limits != NULL) status = check_start(reading, false, error);
    if (status == ELMAN_OK && reading->limits != NULL) status = check_text(reading, error);
  }
  return status;
}

static elman_status read_all(struct reading *reading, FILE *stream, elman_error *error) {
  char reason[128];
  char *chunk = malloc(READ_CHUNK);
  size_t got;
  elman_status status = chunk == NULL ? fail_no_memory(error) : ELMAN_OK;
  while (status == ELMAN_OK && (got = read_chunk(chunk, stream)) > 0)
    status = append(reading, (struct text){chunk, got}, error);
  if (status == ELMAN_OK && ferror(stream))
    status = fail(error, ELMAN_IO, NULL, "cannot read the file: %s", REASON(errno, reason));
  if (status == ELMAN_OK) status = elman_decompress_end(&reading->decompressor, error);
  if (status == ELMAN_OK && reading->limits != NULL) status = check_start(reading, true, error);
  if (status == ELMAN_OK && reading->limits != NULL) status = check_text(reading, error);
  decompress_free(&reading->decompressor);
  free(chunk);
  return status;
}

static elman_status read_file(struct reading *reading, const char *path, elman_error *error) {
  char reason[128];
  const bool is_stdin = strcmp(path, "-") == 0;
  const char *name = file_name(path);
  FILE *stream = is_stdin ? stdin : fopen(path, "rb");
  if (stream == NULL)
    return fail(error, ELMAN_NO_INPUT, name, "cannot open the file: %s", REASON(errno, reason));

  struct stat info;
  elman_status status = ELMAN_OK;
  if (fstat(fileno(stream), &info) == 0 && S_ISDIR(info.st_mode)) {
    status = fail(error, ELMAN_NO_INPUT, name, "is a directory; name a file");
  } else {
    elman_error problem;
    status = read_all(reading, stream, &problem);
    if (status == ELMAN_NO_MEMORY)
      status = fail_again(error, &problem);
    else if (status != ELMAN_OK)
      status = fail(error, status, name, "%s", problem.message);
  }
  if (!is_stdin) fclose(stream);
  return status;
}

elman_status file_read(struct buffer *into, const char *path, size_t limit, elman_error *error) {
  struct reading reading = {.into = into, .limit = limit};
  return read_file(&reading, path, error);
}

elman_status file_read_checked(struct buffer *into, const char *path,
                               const struct text_limits *limits, file_check *check,
                               elman_error *error) {
  struct reading reading = {.into = into, .limit = SIZE_MAX / 4, .limits = limits, .check = check};
  return read_file(&reading, path, error);
}

elman_status file_read_text(struct buffer *into, const char *path, const struct text_limits *limits,
                            elman_error *error) {
  return file_read_checked(into, path, limits, check_is_text, error);
}
