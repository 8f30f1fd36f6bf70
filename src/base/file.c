#include "base/file.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- unpacking gzip ---- */

static const char MAGIC[] = {'\x1F', '\x8B'};

enum { WINDOW = 15 + 16 }; /* the largest, with gzip's head and sums and nothing else */

static elman_status damaged(elman_error *error, const char *problem) {
  return fail(error, ELMAN_BAD_DATA, NULL,
              "is packed by gzip and damaged: %s; 'gzip -t' looks for damage, too", problem);
}

static elman_status begin_member(struct decompressor *decompressor, elman_error *error) {
  z_stream *stream = &decompressor->stream;
  const int result =
      decompressor->state == INPUT_BETWEEN ? inflateReset(stream) : inflateInit2(stream, WINDOW);
  if (result != Z_OK) return fail_no_memory(error);
  decompressor->state = INPUT_PACKED;
  decompressor->matched = 0;
  Bytef none; /* is what the first bytes alone give */
  stream->next_in = (Bytef *)(uintptr_t)MAGIC;
  stream->avail_in = sizeof MAGIC;
  stream->next_out = &none;
  stream->avail_out = 0;
  const int begun = inflate(stream, Z_NO_FLUSH);
  return begun == Z_OK || begun == Z_BUF_ERROR ? ELMAN_OK : fail_no_memory(error);
}

/* Blocks of a tape or a disk end with them. */
static elman_status skip_padding(struct text *input, elman_error *error) {
  while (input->length > 0 && input->bytes[0] == '\0') text_drop(input, 1);
  return input->length == 0 ? ELMAN_OK : damaged(error, "something else follows");
}

/* Looks whether a member begins. If the input turns out to be plain, the bytes read as its
 * beginning go to the output. */
static elman_status find_member(struct decompressor *decompressor, struct text *input, char *into,
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
  if (decompressor->state == INPUT_BETWEEN) return damaged(error, "something else follows");
  memcpy(into, MAGIC, decompressor->matched);
  *filled = decompressor->matched;
  decompressor->matched = 0;
  decompressor->state = INPUT_PLAIN;
  return ELMAN_OK;
}

static elman_status inflate_member(struct decompressor *decompressor, struct text *input,
                                   char *into, size_t room, size_t *filled, elman_error *error) {
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
  return damaged(error, stream->msg == NULL ? "it cannot be unpacked" : stream->msg);
}

static size_t copy(struct text *input, char *into, size_t room) {
  const size_t size = input->length < room ? input->length : room;
  memcpy(into, input->bytes, size);
  text_drop(input, size);
  return size;
}

elman_status unpack(struct decompressor *decompressor, struct text *input, char *into, size_t room,
                    size_t *filled, elman_error *error) {
  elman_status status = ELMAN_OK;
  *filled = 0;
  do {
    if (decompressor->state != INPUT_PLAIN && decompressor->state != INPUT_PACKED)
      status = find_member(decompressor, input, into, filled, error);
    if (status == ELMAN_OK && decompressor->state == INPUT_PACKED)
      status = inflate_member(decompressor, input, into, room, filled, error);
    if (decompressor->state == INPUT_PLAIN) *filled += copy(input, into + *filled, room - *filled);
  } while (status == ELMAN_OK && input->length > 0 && *filled < room);
  return status;
}

elman_status decompress_end(const struct decompressor *decompressor, elman_error *error) {
  if (decompressor->state != INPUT_PACKED && decompressor->matched == 0) return ELMAN_OK;
  return damaged(error, "it ends too early");
}

void decompress_free(struct decompressor *decompressor) {
  if (decompressor->state != INPUT_UNKNOWN && decompressor->state != INPUT_PLAIN)
    (void)inflateEnd(&decompressor->stream);
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
  return fail(error, ELMAN_NO_INPUT, path, "cannot look at the file: %s", REASON(errno, reason));
}

bool is_named(int descriptor, const char *name) {
  struct stat open, named;
  return fstat(descriptor, &open) == 0 && lstat(name, &named) == 0 && open.st_dev == named.st_dev &&
         open.st_ino == named.st_ino;
}

/* Another chunk; 0 bytes at the end and after an error. An interrupted read is repeated. */
static size_t read_chunk(char *chunk, FILE *stream) {
  size_t got;
  do {
    clearerr(stream);
    got = fread(chunk, 1, READ_CHUNK, stream);
  } while (got == 0 && ferror(stream) && errno == EINTR);
  return got;
}

/* ---- binary files ---- */

enum { FIRST_BLOCK = 1 << 16 };

/* Whether a file whose first block has a NUL near its start is no text at all: fewer than half of
 * the lines in the block are; of a program up to a third. Otherwise a line with a NUL is a bad line
 * like any other. */
static bool is_binary(struct text block) {
  enum { PROBE = 8192 };
  size_t filled = 0, good = 0;
  if (memchr(block.bytes, '\0', block.length < PROBE ? block.length : PROBE) == NULL) return false;
  while (block.length > 0) {
    const struct text line = text_cut(&block, '\n');
    filled += line.length > 0;
    good += line.length > 0 && text_valid_prefix(line) == line.length;
  }
  return 2 * good < filled;
}

/* The kind of file that a binary one is: those that people most often mistake for text. */
static const char *what_it_is(struct text binary) {
  static const struct {
    const char *begins, *is;
  } kinds[] = {
      {"\xFF\xFE", "is UTF-16 text; save it as UTF-8, or convert it: iconv -f UTF-16 -t UTF-8"},
      {"\xFE\xFF", "is UTF-16 text; save it as UTF-8, or convert it: iconv -f UTF-16 -t UTF-8"},
      {"\xFD"
       "7zXZ",
       "is compressed by xz; unpack it first, or pack it by gzip"},
      {"BZh", "is compressed by bzip2; unpack it first, or pack it by gzip"},
      {"\x28\xB5\x2F\xFD", "is compressed by zstd; unpack it first, or pack it by gzip"},
      {"PK\3\4",
       "is a zip file, as those of word processors and spreadsheets are; save it as UTF-8 "
       "text"},
  };
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    const size_t length = strlen(kinds[i].begins);
    if (binary.length >= length && memcmp(binary.bytes, kinds[i].begins, length) == 0)
      return kinds[i].is;
  }
  return "is a binary file, not UTF-8 text";
}

/* ---- reading ---- */

struct reading {
  struct buffer *into;
  struct decompressor decompressor;
  size_t limit;                     /* bytes in all */
  const struct text_limits *limits; /* NULL = not of text */
  bool looked;                      /* at the first block */
  size_t searched, line_start, lines;
};

static elman_status look(struct reading *reading, bool ended, elman_error *error) {
  const struct text all = buffer_text(reading->into);
  const struct text block = {all.bytes, all.length < FIRST_BLOCK ? all.length : FIRST_BLOCK};
  if (reading->looked || (all.length < FIRST_BLOCK && !ended)) return ELMAN_OK;
  reading->looked = true;
  if (block.length == 0 || !is_binary(block)) return ELMAN_OK;
  return fail(error, ELMAN_BAD_DATA, NULL, "%s", what_it_is(block));
}

/* Looks at what was read last. */
static elman_status check_text(struct reading *reading, elman_error *error) {
  const struct text_limits *limits = reading->limits;
  const struct buffer *into = reading->into;
  const bool packed = reading->decompressor.state != INPUT_PLAIN;
  if (limits->unpacked > 0 && packed && into->length > limits->unpacked)
    return fail(error, ELMAN_BAD_DATA, NULL,
                "is packed, and has more than %zu bytes when unpacked; --max-unpacked allows more",
                limits->unpacked);
  while (reading->searched < into->length) {
    const char *at = into->bytes + reading->searched;
    const char *end = memchr(at, '\n', into->length - reading->searched);
    reading->searched = end == NULL ? into->length : (size_t)(end - into->bytes);
    if (limits->line > 0 && reading->searched - reading->line_start > limits->line)
      return fail(error, ELMAN_BAD_DATA, NULL,
                  "line %zu has more than %zu bytes; --max-line allows more", reading->lines + 1,
                  limits->line);
    if (end == NULL) break;
    reading->line_start = ++reading->searched;
    reading->lines++;
  }
  return ELMAN_OK;
}

/* Appends what a piece of the file gives, unpacked. */
static elman_status append(struct reading *reading, struct text input, elman_error *error) {
  enum { ROOM = 1 << 16 };
  char piece[ROOM];
  size_t filled = ROOM;
  elman_status status = ELMAN_OK;
  while (status == ELMAN_OK && (input.length > 0 || filled == ROOM)) {
    status = unpack(&reading->decompressor, &input, piece, ROOM, &filled, error);
    if (status == ELMAN_OK && filled > reading->limit - reading->into->length)
      status = fail(error, ELMAN_BAD_DATA, NULL, "is larger than %zu bytes", reading->limit);
    if (status == ELMAN_OK) buffer_append(reading->into, piece, filled);
    if (status == ELMAN_OK && reading->into->failed) status = fail_no_memory(error);
    if (status == ELMAN_OK && reading->limits != NULL) status = look(reading, false, error);
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
  if (status == ELMAN_OK) status = decompress_end(&reading->decompressor, error);
  if (status == ELMAN_OK && reading->limits != NULL) status = look(reading, true, error);
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

elman_status file_read_text(struct buffer *into, const char *path, const struct text_limits *limits,
                            elman_error *error) {
  struct reading reading = {.into = into, .limit = SIZE_MAX / 4, .limits = limits};
  return read_file(&reading, path, error);
}
