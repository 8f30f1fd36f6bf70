#include "sentences.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <unistd.h>

#include "interrupt.h"
#include "messages.h"

static const char BYTE_ORDER_MARK[] = "\xef\xbb\xbf";

int sentences_open(struct sentences *sentences, const char *command, const char *path,
                   const struct operands *texts) {
  *sentences = (struct sentences){.texts = *texts};
  if (texts->count > 0 && path != NULL) return report_usage(command, "give either TEXT or --input");
  if (texts->count > 0) return EX_OK;

  char buffer[128];
  const bool is_stdin = path == NULL || strcmp(path, "-") == 0;
  sentences->name = is_stdin ? "standard input" : path;
  sentences->stream = is_stdin ? stdin : fopen(path, "r");
  if (sentences->stream == NULL) {
    report(path, "cannot open the file: %s", reason(errno, buffer, sizeof buffer));
    return EX_NOINPUT;
  }
  struct stat info;
  if (fstat(fileno(sentences->stream), &info) == 0 && S_ISDIR(info.st_mode)) {
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
  return true;
}

static bool stop_reading(const struct sentences *sentences, int error_number, int *code) {
  char buffer[128];
  if (interrupt_signal() != 0) {
    *code = 128 + interrupt_signal();
  } else if (error_number == ENOMEM) {
    report(NULL, "out of memory");
    *code = EX_OSERR;
  } else if (ferror(sentences->stream)) {
    report(sentences->name, "cannot read: %s", reason(error_number, buffer, sizeof buffer));
    *code = EX_IOERR;
  }
  return false;
}

bool sentences_next(struct sentences *sentences, struct sentence *sentence, int *code) {
  if (sentences->stream == NULL) return next_text(sentences, sentence);
  errno = 0;
  const ssize_t length = getline(&sentences->line, &sentences->capacity, sentences->stream);
  if (length < 0 || interrupt_signal() != 0) return stop_reading(sentences, errno, code);
  sentence->text = sentences->line;
  sentence->length = (size_t)length;
  if (sentence->length > 0 && sentence->text[sentence->length - 1] == '\n') sentence->length--;
  if (sentence->length > 0 && sentence->text[sentence->length - 1] == '\r') sentence->length--;
  const size_t mark = strlen(BYTE_ORDER_MARK);
  if (sentences->number++ == 0 && sentence->length >= mark &&
      memcmp(sentence->text, BYTE_ORDER_MARK, mark) == 0) {
    sentence->text += mark;
    sentence->length -= mark;
  }
  return true;
}

int sentences_report(const struct sentences *sentences, const elman_error *error) {
  elman_error placed = *error;
  if (sentences->stream != NULL)
    snprintf(placed.where, sizeof placed.where, "%s:%zu", sentences->name, sentences->number);
  else
    snprintf(placed.where, sizeof placed.where, "TEXT %zu", sentences->number);
  return report_error(&placed);
}

void sentences_close(struct sentences *sentences) {
  free(sentences->line);
  if (sentences->stream != NULL && sentences->stream != stdin) fclose(sentences->stream);
  *sentences = (struct sentences){0};
}
