#include "console/line_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <unistd.h>

#include "console/messages.h"
#include "console/output.h"

static const char BYTE_ORDER_MARK[] = "\xef\xbb\xbf";

enum { PIECE = 1 << 16, START = 1 << 16 }; /* START: bytes that show the kind of a file */

int line_reader_open(struct line_reader *lines, const char *path, size_t max_line) {
  const bool is_stdin = is_standard(path);
  *lines = (struct line_reader){.name = input_name(path), .max_line = max_line};
  lines->file = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
  if (lines->file < 0) {
    report(path, "cannot open the file: %m");
    return EX_NOINPUT;
  }
  struct stat info = {0};
  if (fstat(lines->file, &info) == 0 && S_ISDIR(info.st_mode)) {
    report(lines->name, "is a directory; name a file");
    line_reader_close(lines);
    return EX_NOINPUT;
  }
  lines->is_regular = S_ISREG(info.st_mode);
  elman_error error;
  lines->piece = malloc(PIECE);
  const elman_status status = elman_decompressor_create(&lines->decompressor, &error);
  if (lines->piece != NULL && status == ELMAN_OK) return EX_OK;
  line_reader_close(lines);
  return report_no_memory();
}

void line_reader_close(struct line_reader *lines) {
  elman_decompressor_free(lines->decompressor);
  free(lines->piece);
  free(lines->bytes);
  lines->decompressor = NULL;
  lines->piece = lines->bytes = NULL;
  if (lines->file > STDIN_FILENO) close(lines->file);
}

/* ---- reading ahead ---- */

static bool is_open(const struct line_reader *lines) {
  return !lines->ended && lines->problem == 0 && lines->bad == ELMAN_OK;
}

/* Return whether more text is available without reading from the file. */
static bool has_input(const struct line_reader *lines) {
  return lines->has_more || lines->input_size > 0;
}

static bool make_room(struct line_reader *lines) {
  if (lines->capacity - lines->end >= PIECE) return true;
  const size_t kept = lines->end - lines->start;
  if (lines->start > 0) memmove(lines->bytes, lines->bytes + lines->start, kept);
  lines->searched -= lines->start;
  lines->start = 0;
  lines->end = kept;
  if (lines->capacity - kept >= PIECE) return true;
  if (kept > SIZE_MAX / 4) return false;
  const size_t capacity = kept + kept / 2 + 2 * (size_t)PIECE;
  char *grown = realloc(lines->bytes, capacity);
  if (grown == NULL) return false;
  lines->bytes = grown;
  lines->capacity = capacity;
  return true;
}

/* Read the next piece; wait if none has arrived. */
static void read_piece(struct line_reader *lines) {
  const ssize_t got = read(lines->file, lines->piece, PIECE);
  if (got > 0) {
    lines->input = lines->piece;
    lines->input_size = (size_t)got;
  } else if (got == 0) {
    lines->ended = true;
    lines->bad = elman_decompress_end(lines->decompressor, &lines->error);
  } else if (errno != EINTR) { /* on EINTR, the caller checks for a signal */
    lines->problem = errno;
  }
}

static void read_more(struct line_reader *lines) {
  if (!make_room(lines)) {
    lines->problem = ENOMEM;
    return;
  }
  if (!has_input(lines)) read_piece(lines);
  const size_t room = lines->capacity - lines->end;
  size_t filled = room;
  if (!has_input(lines)) return;
  lines->bad = elman_decompress(lines->decompressor, &lines->input, &lines->input_size,
                                lines->bytes + lines->end, &filled, &lines->error);
  lines->end += filled;
  lines->has_more = filled == room;
}

/* Drop the rest of a line that is too long. Keep as many bytes as the longest valid line has with
 * byte order mark and CR, plus one byte that shows the excess. */
static void drop_excess(struct line_reader *lines) {
  const size_t enough = lines->max_line + strlen(BYTE_ORDER_MARK) + 1 + 1;
  if (lines->end - lines->start > enough) lines->searched = lines->end = lines->start + enough;
}

/* Return the end of the next line; NULL if it has not been read yet. */
static const char *find_line_end(struct line_reader *lines) {
  if (lines->searched < lines->start) lines->searched = lines->start;
  if (lines->searched == lines->end) return NULL;
  const char *found = memchr(lines->bytes + lines->searched, '\n', lines->end - lines->searched);
  lines->searched = found == NULL ? lines->end : (size_t)(found - lines->bytes);
  if (found == NULL) drop_excess(lines);
  return found;
}

bool line_reader_ready(struct line_reader *lines) {
  while (find_line_end(lines) == NULL && is_open(lines)) {
    struct pollfd file = {.fd = lines->file, .events = POLLIN};
    if (interrupt_signal() != 0) return false;
    if (!has_input(lines) && poll(&file, 1, 0) <= 0) return false;
    read_more(lines);
  }
  return true;
}

/* ---- the kind of the file ---- */

/* Check the start of the file before its first line is returned. Read a regular file further for
 * this check. Do not wait for more of a pipe, because its writer may wait for an answer. */
static void check_start(struct line_reader *lines) {
  while (lines->is_regular && is_open(lines) && lines->end - lines->start < START &&
         interrupt_signal() == 0)
    read_more(lines);
  const bool no_line_end = find_line_end(lines) == NULL;
  const size_t size = lines->end - lines->start;
  const bool complete = size >= START || (lines->ended && (lines->is_regular || no_line_end));
  const elman_status status =
      elman_file_check_text(lines->bytes + lines->start, size, complete, &lines->error);
  if (status == ELMAN_OK) return;
  lines->bad = status;
  lines->searched = lines->end = lines->start;
}

/* ---- lines ---- */

static bool stop_reading(const struct line_reader *lines, int *code) {
  char message[MESSAGE_SIZE];
  if (interrupt_signal() != 0) {
    *code = 128 + interrupt_signal();
  } else if (lines->problem == ENOMEM) {
    *code = report_no_memory();
  } else if (lines->problem != 0) {
    errno = lines->problem;
    report(lines->name, "cannot read: %m");
    *code = EX_IOERR;
  } else if (lines->bad == ELMAN_BAD_DATA) {
    report(lines->name, "%s", message_of_library(message, lines->error.message));
    *code = EX_DATAERR;
  } else if (lines->bad != ELMAN_OK) {
    *code = report_error(&lines->error);
  }
  return false;
}

/* Remove CR at the end, and a byte order mark at the start. Joined files have such marks in any
 * line. */
static void trim(struct line *line) {
  const size_t mark = strlen(BYTE_ORDER_MARK);
  while (line->length > 0 && line->text[line->length - 1] == '\r') line->length--;
  if (line->length < mark || memcmp(line->text, BYTE_ORDER_MARK, mark) != 0) return;
  line->text += mark;
  line->length -= mark;
}

bool line_reader_next(struct line_reader *lines, struct line *line, int *code) {
  const char *line_end = find_line_end(lines);
  while (line_end == NULL && is_open(lines) && interrupt_signal() == 0) {
    read_more(lines);
    line_end = find_line_end(lines);
  }
  if (lines->number == 0 && lines->end > lines->start) {
    check_start(lines);
    line_end = find_line_end(lines);
  }
  const size_t left = lines->end - lines->start;
  if (interrupt_signal() != 0 ||
      (line_end == NULL && (lines->problem != 0 || lines->bad != ELMAN_OK || left == 0)))
    return stop_reading(lines, code);
  line->text = lines->bytes + lines->start;
  line->length = line_end == NULL ? left : (size_t)(line_end - line->text);
  lines->start += line->length + (line_end != NULL);
  lines->number++;
  trim(line);
  if (!lines->noted_return && memchr(line->text, '\r', line->length) != NULL) {
    note("%s:%zu: contains a carriage return (CR) within the line; if lines end there, convert "
         "the file: tr '\\r' '\\n'",
         lines->name, lines->number);
    lines->noted_return = true;
  }
  if (line->length > lines->max_line) line->length = lines->max_line + 1;
  return true;
}
