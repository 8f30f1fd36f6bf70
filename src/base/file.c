#include "base/file.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/unpack.h"

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

/* ---- what is no text ---- */

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

/* The kind of file that a binary one is: those that people take for text most often. */
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
  struct unpacker unpacker;
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
  const bool packed = reading->unpacker.state != INPUT_PLAIN;
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
    status = unpack(&reading->unpacker, &input, piece, ROOM, &filled, error);
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
  if (status == ELMAN_OK) status = unpack_end(&reading->unpacker, error);
  if (status == ELMAN_OK && reading->limits != NULL) status = look(reading, true, error);
  unpack_free(&reading->unpacker);
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
