/* Messages on standard error, exit codes from sysexits.h, text from other sources, and signals. */
#ifndef ELMAN_CLI_MESSAGES_H
#define ELMAN_CLI_MESSAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "elman.h"

/* ---- printing of text from other sources ---- */

/* Print the characters of elman_unsafe_character as \u{hex}, because they control a terminal or
 * change the writing direction. */
void print_visible_bytes(FILE *stream, const char *text, size_t length);

/* Print text in a report for people as print_visible_bytes does. Isolate text with right-to-left
 * letters (U+2068, U+2069), so that it does not change the order of its surroundings. */
void print_visible(FILE *stream, const char *text);

/* Print text as print_visible does, but keep line feeds. */
void print_visible_lines(FILE *stream, const char *text);

/* Print data. On a terminal, do as print_visible_bytes does, but keep line feeds; in files and
 * pipes, write the bytes unchanged. Change errno only if the write fails, so that output_flush can
 * report the reason. */
void print_data(FILE *stream, const char *text);

/* ---- stop signals, which are recorded and checked by the main loop ---- */

/* Record the first SIGINT, SIGTERM, SIGHUP or SIGXCPU. Let a second SIGINT, SIGTERM or SIGHUP end
 * the program if it comes at least half a second later. Do not catch a signal that the parent
 * process ignored. */
void interrupt_catch_first(void);

/* Record every SIGINT, so that the REPL can handle Ctrl-C. */
void interrupt_catch_sigint(void);

/* Return the number of the recorded signal, or 0. */
int interrupt_signal(void);
void interrupt_clear(void);

/* Record SIGUSR1, which then does not end the program. interrupt_take_request returns whether it
 * has come since the last call. */
void interrupt_catch_request(void);
bool interrupt_take_request(void);

/* Return the time in seconds on a monotonic clock. */
double now(void);

/* ---- messages ---- */

/* Size of the longest message. A longer one is truncated, for example one that contains a word of
 * ten megabytes. */
enum { MESSAGE_SIZE = 2048 };

/* Print "elman: where: message"; `where` may be NULL or empty. %m prints the text of errno. */
void report(const char *where, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Write a message of the library with the names of the command's options. Return `text`. */
const char *message_of_library(char text[MESSAGE_SIZE], const char *message);

/* Report the error and return its exit code. */
int report_error(const elman_error *error);

/* Return the exit code for a status; print nothing. */
int exit_code_of(elman_status status);

/* Report an invalid command line, point to the command's help, and return EX_USAGE. */
int report_usage(const char *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Set by --quiet; note() then prints nothing. */
extern bool messages_quiet;

/* Print a line of information, without "elman:" before it. */
void note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Return whether notes are printed. */
bool notes_shown(void);

/* Print a line of information even with --quiet, because it belongs to an error or was
 * requested. */
void print_info(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Pass each line of a message, of `size` bytes with its end, to a function in place of standard
 * error; NULL = standard error. */
void messages_redirect(void (*receive)(const char *line, size_t size));

/* Print no messages until messages_release(), and keep the last error. */
void messages_hold(void);
void messages_release(void);

/* Return the kept error as "where: message", or an empty string if there is none. */
const char *messages_held(void);

/* Return "" for 1 and "s" otherwise, as in "%zu pair%s". */
const char *plural(uint64_t count);

/* Report that memory ran out and return EX_OSERR. */
int report_no_memory(void);

#endif
