#include "console/messages.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <time.h>
#include <unistd.h>

/* ---- text from other sources ---- */

static const char ISOLATE[] = "\u2068", END_ISOLATE[] = "\u2069";

/* Return the length of `text` before its first right-to-left letter. */
static size_t length_before_right_to_left(const char *text, size_t length) {
  size_t i = 0;
  while (i < length && elman_right_to_left(text + i, length - i) == 0) i++;
  return i;
}

static void print_isolated(FILE *stream, const char *text, size_t length) {
  const bool isolated = length_before_right_to_left(text, length) < length;
  if (isolated) fputs(ISOLATE, stream);
  print_visible_bytes(stream, text, length);
  if (isolated) fputs(END_ISOLATE, stream);
}

void print_visible(FILE *stream, const char *text) {
  print_isolated(stream, text, strlen(text));
}

void print_visible_lines(FILE *stream, const char *text) {
  for (;;) {
    const size_t length = strcspn(text, "\n");
    print_isolated(stream, text, length);
    if (text[length] == '\0') return;
    putc('\n', stream);
    text += length + 1;
  }
}

/* Print a message. Isolate each right-to-left part in it. */
static void print_message(FILE *stream, const char *text) {
  for (size_t length = strlen(text); length > 0;) {
    const size_t before = length_before_right_to_left(text, length);
    const size_t isolated = elman_right_to_left(text + before, length - before);
    print_visible_bytes(stream, text, before);
    if (isolated > 0) {
      fputs(ISOLATE, stream);
      print_visible_bytes(stream, text + before, isolated);
      fputs(END_ISOLATE, stream);
    }
    text += before + isolated;
    length -= before + isolated;
  }
}

void print_visible_bytes(FILE *stream, const char *text, size_t length) {
  uint32_t code;
  for (size_t i = 0, size; i < length; i += size) {
    size = elman_unsafe_character(&code, text + i, length - i);
    if (size > 0) {
      fprintf(stream, "\\u{%" PRIX32 "}", code);
    } else {
      putc((unsigned char)text[i], stream);
      size = 1;
    }
  }
}

void print_data(FILE *stream, const char *text) {
  const int write_error = errno;         /* errno of an earlier write, which isatty may overwrite */
  const int descriptor = fileno(stream); /* -1 for a stream without a file */
  const bool is_terminal = descriptor >= 0 && isatty(descriptor);
  errno = write_error;
  if (!is_terminal) {
    fputs(text, stream);
    return;
  }
  for (;;) {
    const size_t length = strcspn(text, "\n");
    print_visible_bytes(stream, text, length);
    if (text[length] == '\0') return;
    putc('\n', stream);
    text += length + 1;
  }
}

/* ---- signals ---- */

double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static volatile sig_atomic_t signal_seen;

static const int stop_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGXCPU};

enum { STOP_SIGNALS = sizeof stop_signals / sizeof stop_signals[0] };

static void note_signal(int number) {
  signal_seen = number;
}

/* Count signals within this number of seconds as one: timeout(1) sends its signal to the program
 * and to its process group at once. */
static const double REPETITION = 0.5;

/* Record the first signal; let a repeated one end the program. The stop signals are blocked while
 * this function runs. Ignore a repeated SIGXCPU: the system sends it every second until the hard
 * limit kills the process. */
static void note_first_signal(int number) {
  static double first;
  const double second = now();
  if (signal_seen == 0) {
    signal_seen = number;
    first = second;
  } else if (number != SIGXCPU && second - first >= REPETITION) {
    signal(number, SIG_DFL);
    raise(number);
  }
}

/* Install a handler without SA_RESTART, so that a signal interrupts a read() that waits for
 * input. */
static void catch_signal(int number, void (*handler)(int)) {
  struct sigaction action = {.sa_handler = handler}, old;
  sigemptyset(&action.sa_mask);
  for (size_t i = 0; i < STOP_SIGNALS; i++) sigaddset(&action.sa_mask, stop_signals[i]);
  if (sigaction(number, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
    sigaction(number, &action, NULL);
}

void interrupt_catch_first(void) {
  for (size_t i = 0; i < STOP_SIGNALS; i++) catch_signal(stop_signals[i], note_first_signal);
}

void interrupt_catch_sigint(void) {
  catch_signal(SIGINT, note_signal);
}

int interrupt_signal(void) {
  return signal_seen;
}

void interrupt_clear(void) {
  signal_seen = 0;
}

static volatile sig_atomic_t request_seen;

static void note_request(int number) {
  (void)number;
  request_seen = 1;
}

void interrupt_catch_request(void) {
  struct sigaction action = {.sa_handler = note_request, .sa_flags = SA_RESTART};
  sigemptyset(&action.sa_mask);
  sigaction(SIGUSR1, &action, NULL);
}

bool interrupt_take_request(void) {
  const bool seen = request_seen != 0;
  request_seen = 0;
  return seen;
}

/* ---- messages ---- */

bool messages_quiet;

static struct {
  bool holds;
  char last[MESSAGE_SIZE];
} held;

static void hold(const char *where, const char *line) {
  const bool placed = where != NULL && where[0] != '\0';
  const int length = snprintf(held.last, sizeof held.last, "%s%s%s", placed ? where : "",
                              placed ? ": " : "", line);
  if (length < 0) held.last[0] = '\0'; /* an encoding error; a text that is too long is truncated */
}

static void (*redirected)(const char *line, size_t size);

void messages_redirect(void (*receive)(const char *line, size_t size)) {
  redirected = receive;
}

static void write_line(FILE *stream, const char *start, const char *where, const char *line) {
  fputs(start, stream);
  if (where != NULL && where[0] != '\0') {
    print_message(stream, where);
    fputs(": ", stream);
  }
  print_message(stream, line);
  putc('\n', stream);
}

/* Without memory, write the line to standard error. fclose reports no failed allocation. */
static void redirect_line(const char *start, const char *where, const char *line) {
  char *text = NULL;
  size_t size = 0;
  FILE *stream = open_memstream(&text, &size);
  if (stream != NULL) {
    write_line(stream, start, where, line);
    (void)fclose(stream);
  }
  if (text != NULL && size > 0)
    redirected(text, size);
  else
    write_line(stderr, start, where, line);
  free(text);
}

static void print_line(const char *start, const char *where, const char *format,
                       va_list arguments) {
  char line[MESSAGE_SIZE];
  vsnprintf(line, sizeof line, format, arguments);
  if (held.holds)
    hold(where, line);
  else if (redirected != NULL)
    redirect_line(start, where, line);
  else
    write_line(stderr, start, where, line);
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
  print_info("'elman help %s' explains the command", command);
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

void print_info(const char *format, ...) {
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

const char *message_of_library(char text[MESSAGE_SIZE], const char *message) {
  return elman_option_write_message(text, MESSAGE_SIZE, message, ELMAN_NAMES_OPTION);
}

int report_error(const elman_error *error) {
  char message[MESSAGE_SIZE];
  report(error->where, "%s", message_of_library(message, error->message));
  return exit_code_of(error->code);
}

int report_no_memory(void) {
  report(NULL, "out of memory");
  return EX_OSERR;
}

const char *plural(uint64_t count) {
  return count == 1 ? "" : "s";
}
