#include "sentences.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <unistd.h>

#include "interrupt.h"
#include "messages.h"

enum { REPORTED_SHOWN = 5 };

static const char BYTE_ORDER_MARK[] = "\xef\xbb\xbf";

int sentences_open(struct sentences *sentences, const char *command, const char *path,
                   const struct operands *texts, size_t max_line) {
  *sentences = (struct sentences){.texts = *texts, .file = -1, .max_line = max_line};
  if (texts->count > 0 && path != NULL) return report_usage(command, "give either TEXT or --input");
  if (texts->count > 0) return EX_OK;

  char buffer[128];
  const bool is_stdin = path == NULL || strcmp(path, "-") == 0;
  sentences->name = is_stdin ? "standard input" : path;
  sentences->file = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
  if (sentences->file < 0) {
    report(path, "cannot open the file: %s", reason(errno, buffer, sizeof buffer));
    return EX_NOINPUT;
  }
  struct stat info;
  if (fstat(sentences->file, &info) == 0 && S_ISDIR(info.st_mode)) {
    report(sentences->name, "is a directory; name a file");
    sentences_close(sentences);
    return EX_NOINPUT;
  }
  return EX_OK;
}

static bool next_text(struct sentences *sentences, struct sentence *sentence) {
  if (sentences->number == sentences->texts.count) return false;
  sentence->text = sentences->texts.words[sentences->number++];
  sentence->length = strlen(sentence->text);
  sentence->number = sentences->number;
  return true;
}

/* ---- reading ahead ---- */

static bool is_open(const struct sentences *sentences) {
  return !sentences->ended && sentences->problem == 0;
}

static bool make_room(struct sentences *sentences) {
  enum { PIECE = 1 << 16 };
  if (sentences->capacity - sentences->end >= PIECE) return true;
  const size_t kept = sentences->end - sentences->start;
  if (sentences->start > 0) memmove(sentences->bytes, sentences->bytes + sentences->start, kept);
  sentences->searched -= sentences->start;
  sentences->start = 0;
  sentences->end = kept;
  if (sentences->capacity - kept >= PIECE) return true;
  if (kept > SIZE_MAX / 4) return false;
  const size_t capacity = kept + kept / 2 + 2 * (size_t)PIECE;
  char *grown = realloc(sentences->bytes, capacity);
  if (grown == NULL) return false;
  sentences->bytes = grown;
  sentences->capacity = capacity;
  return true;
}

/* Reads what is there, or waits for something. */
static void read_more(struct sentences *sentences) {
  if (!make_room(sentences)) {
    sentences->problem = ENOMEM;
    return;
  }
  const ssize_t got = read(sentences->file, sentences->bytes + sentences->end,
                           sentences->capacity - sentences->end);
  if (got > 0)
    sentences->end += (size_t)got;
  else if (got == 0)
    sentences->ended = true;
  else if (errno != EINTR) /* then the caller looks for a signal */
    sentences->problem = errno;
}

/* Of a line whose end is not in sight, what is more than a longest line with byte order mark and
 * CR, and one byte that tells. */
static void drop_excess(struct sentences *sentences) {
  const size_t enough = sentences->max_line + strlen(BYTE_ORDER_MARK) + 1 + 1;
  if (sentences->end - sentences->start > enough)
    sentences->searched = sentences->end = sentences->start + enough;
}

/* The end of the first line that is not yet given out, or NULL. */
static const char *find_line_end(struct sentences *sentences) {
  if (sentences->searched < sentences->start) sentences->searched = sentences->start;
  if (sentences->searched == sentences->end) return NULL;
  const char *found =
      memchr(sentences->bytes + sentences->searched, '\n', sentences->end - sentences->searched);
  sentences->searched = found == NULL ? sentences->end : (size_t)(found - sentences->bytes);
  if (found == NULL) drop_excess(sentences);
  return found;
}

bool sentences_ready(struct sentences *sentences) {
  if (sentences->file < 0) return true;
  while (find_line_end(sentences) == NULL && is_open(sentences)) {
    struct pollfd file = {.fd = sentences->file, .events = POLLIN};
    if (interrupt_signal() != 0 || poll(&file, 1, 0) <= 0) return false;
    read_more(sentences);
  }
  return true;
}

/* ---- lines ---- */

static bool stop_reading(const struct sentences *sentences, int *code) {
  char buffer[128];
  if (interrupt_signal() != 0) {
    *code = 128 + interrupt_signal();
  } else if (sentences->problem == ENOMEM) {
    *code = report_no_memory();
  } else if (sentences->problem != 0) {
    report(sentences->name, "cannot read: %s", reason(sentences->problem, buffer, sizeof buffer));
    *code = EX_IOERR;
  }
  return false;
}

static struct sentence without_byte_order_mark(struct sentence sentence) {
  const size_t mark = strlen(BYTE_ORDER_MARK);
  if (sentence.length < mark || memcmp(sentence.text, BYTE_ORDER_MARK, mark) != 0) return sentence;
  sentence.text += mark;
  sentence.length -= mark;
  return sentence;
}

bool sentences_next(struct sentences *sentences, struct sentence *sentence, int *code) {
  if (sentences->file < 0) return next_text(sentences, sentence);
  const char *line_end = find_line_end(sentences);
  while (line_end == NULL && is_open(sentences) && interrupt_signal() == 0) {
    read_more(sentences);
    line_end = find_line_end(sentences);
  }
  const size_t left = sentences->end - sentences->start;
  if (interrupt_signal() != 0 || (line_end == NULL && (sentences->problem != 0 || left == 0)))
    return stop_reading(sentences, code);
  sentence->text = sentences->bytes + sentences->start;
  sentence->length = line_end == NULL ? left : (size_t)(line_end - sentence->text);
  sentence->number = ++sentences->number;
  sentences->start += sentence->length + (line_end != NULL);
  if (sentence->length > 0 && sentence->text[sentence->length - 1] == '\r') sentence->length--;
  if (sentence->number == 1) *sentence = without_byte_order_mark(*sentence);
  if (sentence->length > sentences->max_line) sentence->length = sentences->max_line + 1;
  return true;
}

int sentences_report(struct sentences *sentences, size_t number, const elman_error *error) {
  elman_error placed = *error;
  if (error->code == ELMAN_BAD_DATA && sentences->reported++ >= REPORTED_SHOWN)
    return exit_code_of(error->code);
  if (sentences->file >= 0)
    snprintf(placed.where, sizeof placed.where, "%s:%zu", sentences->name, number);
  else
    snprintf(placed.where, sizeof placed.where, "TEXT %zu", number);
  return report_error(&placed);
}

void sentences_hint_files(const struct sentences *sentences) {
  struct stat info;
  for (size_t i = 0; i < sentences->texts.count; i++) {
    const char *text = sentences->texts.words[i];
    if (stat(text, &info) == 0 && S_ISREG(info.st_mode))
      note("'%s' is taken as a sentence, and is the name of a file; did you mean -i %s?", text,
           text);
  }
}

void sentences_hint_tab(struct sentences *sentences, struct sentence sentence) {
  if (sentences->file < 0 || sentences->told_tab || sentence.length == 0 ||
      memchr(sentence.text, '\t', sentence.length) == NULL)
    return;
  sentences->told_tab = true;
  note("%s:%zu: has a tab; the whole line is taken as a sentence, all its columns", sentences->name,
       sentence.number);
}

void sentences_close(struct sentences *sentences) {
  if (sentences->reported > REPORTED_SHOWN)
    report(sentences->name, "and %zu more line%s with bad data",
           sentences->reported - REPORTED_SHOWN, plural(sentences->reported - REPORTED_SHOWN));
  free(sentences->bytes);
  if (sentences->file > STDIN_FILENO) close(sentences->file);
  *sentences = (struct sentences){.file = -1};
}
