/* Messages on standard error, exit codes of sysexits.h, text from elsewhere, and signals. */
#ifndef ELMAN_CLI_MESSAGES_H
#define ELMAN_CLI_MESSAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "elman.h"

/* ---- text from elsewhere: whatever would control a terminal, or turn the writing direction,
 * becomes visible ---- */

/* The characters of elman_unsafe_character as \u{hex}: for messages and reports, which people read,
 * wherever they go. */
void print_visible(FILE *stream, const char *text);
void print_visible_bytes(FILE *stream, const char *text, size_t length);

/* The same on a terminal; into files and pipes the bytes as they are: for data. Leaves errno as it
 * was but for a failing write: output_flush reports it. */
void print_data(FILE *stream, const char *text);

/* The same, where what is written into the stream ends on a terminal or not. */
void print_data_for(FILE *stream, const char *text, bool terminal);

/* Leaves errno as it was. */
bool stream_is_terminal(FILE *stream);

/* ---- signals that ask the program to stop, noted for the main loop to find ---- */

/* The first SIGINT, SIGTERM, SIGHUP or SIGXCPU is noted; one of the former three that comes half a
 * second later or more has its default action, which ends the program. A signal that the parent had
 * ignored stays ignored. */
void interrupt_catch_first(void);

/* Every SIGINT is noted: Ctrl-C in the REPL. */
void interrupt_catch_sigint(void);

/* The number of the signal that came, or 0. */
int interrupt_signal(void);
void interrupt_clear(void);

/* Seconds on a clock that never jumps. */
double now(void);

/* ---- messages ---- */

/* Longer messages, as about a word of ten megabytes, are cut. */
enum { MESSAGE_SIZE = 2048 };

/* "elman: where: message"; `where` may be NULL or empty. %m is the reason that errno has. */
void report(const char *where, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Reports and returns the exit code. */
int report_error(const elman_error *error);

/* The exit code alone. */
int exit_code_of(elman_status status);

/* A wrong command line: adds where to read more, and returns EX_USAGE. */
int report_usage(const char *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* --quiet: without notes. */
extern bool messages_quiet;

/* A line of information, without "elman:". */
void note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Whether notes are printed. */
bool notes_shown(void);

/* The same, but --quiet does not leave it out: it belongs to an error, or was asked for. */
void tell(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* From here on nothing is printed, and the last error is kept, until it is released. */
void messages_hold(void);
void messages_release(void);

/* "where: message" of that error, or empty. */
const char *messages_held(void);

/* "s", but for one: "%zu pair%s". */
const char *plural(uint64_t count);

/* Says that there is no memory left, and returns EX_OSERR. */
int report_no_memory(void);

#endif
