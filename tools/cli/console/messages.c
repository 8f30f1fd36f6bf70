#include "console/messages.h"

#include <stdarg.h>
#include <string.h>
#include <sysexits.h>

#include "console/interrupt.h"
#include "console/visible.h"

bool messages_quiet;

static struct {
  bool holds;
  char last[MESSAGE_SIZE];
} held;

static void hold(const char *where, const char *line) {
  const bool placed = where != NULL && where[0] != '\0';
  const int length = snprintf(held.last, sizeof held.last, "%s%s%s", placed ? where : "",
                              placed ? ": " : "", line);
  if (length < 0) held.last[0] = '\0'; /* one that is too long is cut */
}

static void print_line(const char *start, const char *where, const char *format,
                       va_list arguments) {
  char line[MESSAGE_SIZE];
  vsnprintf(line, sizeof line, format, arguments);
  if (held.holds) {
    hold(where, line);
    return;
  }
  fputs(start, stderr);
  if (where != NULL && where[0] != '\0') {
    print_visible(stderr, where);
    fputs(": ", stderr);
  }
  print_visible(stderr, line);
  putc('\n', stderr);
}

void report(const char *where, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  print_line("elman: ", where, format, arguments);
  va_end(arguments);
}

int report_usage(const char *command, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  print_line("elman: ", command, format, arguments);
  va_end(arguments);
  tell("'elman help %s' explains the command", command);
  return EX_USAGE;
}

bool notes_shown(void) {
  return !messages_quiet && !held.holds;
}

void note(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  if (notes_shown()) print_line("", NULL, format, arguments);
  va_end(arguments);
}

void tell(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  if (!held.holds) print_line("", NULL, format, arguments);
  va_end(arguments);
}

void messages_hold(void) {
  held.holds = true;
  held.last[0] = '\0';
}

void messages_release(void) {
  held.holds = false;
}

const char *messages_held(void) {
  return held.last;
}

int exit_code_of(elman_status status) {
  switch (status) {
  case ELMAN_OK:
    return EX_OK;
  case ELMAN_INVALID_ARGUMENT:
    return EX_USAGE;
  case ELMAN_BAD_DATA:
    return EX_DATAERR;
  case ELMAN_NO_INPUT:
    return EX_NOINPUT;
  case ELMAN_NO_MEMORY:
    return EX_OSERR;
  case ELMAN_CANNOT_CREATE:
    return EX_CANTCREAT;
  case ELMAN_IO:
    return EX_IOERR;
  case ELMAN_INTERRUPTED:
    return 128 + interrupt_signal();
  }
  return EX_SOFTWARE;
}

int report_error(const elman_error *error) {
  report(error->where, "%s", error->message);
  return exit_code_of(error->code);
}

int report_no_memory(void) {
  report(NULL, "out of memory");
  return EX_OSERR;
}

const char *plural(uint64_t count) {
  return count == 1 ? "" : "s";
}
