/* Messages on standard error, exit codes of sysexits.h, text from other sources, and signals. */
#ifndef ELMAN_CLI_MESSAGES_H
#define ELMAN_CLI_MESSAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "elman.h"

/* ---- text from other sources: characters that control a terminal or change the writing direction
 * are made visible ---- */

/* Print the characters of elman_unsafe_character as \u{hex}. For messages and reports, which people
 * read, wherever they are written. */
void print_visible(FILE *stream, const char *text);
void print_visible_bytes(FILE *stream, const char *text, size_t length);

/* Print data: as print_visible on a terminal, as unchanged bytes into files and pipes. errno
 * changes only if the write fails, so that output_flush can report the reason. */
void print_data(FILE *stream, const char *text);

/* Print data as above; `terminal` says whether the text finally reaches a terminal. */
void print_data_for(FILE *stream, const char *text, bool terminal);

/* Return whether the stream is a terminal. errno does not change. */
bool stream_is_terminal(FILE *stream);

/* ---- signals that stop the program: recorded, and checked by the main loop ---- */

/* Record the first SIGINT, SIGTERM, SIGHUP or SIGXCPU. A second SIGINT, SIGTERM or SIGHUP at least
 * half a second later has its default action, which ends the program. A signal that the parent
 * process ignored stays ignored. */
void interrupt_catch_first(void);

/* Record every SIGINT: Ctrl-C in the REPL. */
void interrupt_catch_sigint(void);

/* Return the number of the recorded signal, or 0. */
int interrupt_signal(void);
void interrupt_clear(void);

/* Return seconds on a monotonic clock. */
double now(void);

/* ---- messages ---- */

/* A longer message, for example about a word of ten megabytes, is truncated. */
enum { MESSAGE_SIZE = 2048 };

/* Print "elman: where: message"; `where` may be NULL or empty. %m is the text of errno. */
void report(const char *where, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Report the error and return its exit code. */
int report_error(const elman_error *error);

/* Return the exit code only. */
int exit_code_of(elman_status status);

/* Report an invalid command line, point to the command's help, and return EX_USAGE. */
int report_usage(const char *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* --quiet: print no notes. */
extern bool messages_quiet;

/* Print a line of information, without "elman:". */
void note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Return whether notes are printed. */
bool notes_shown(void);

/* Print a line as note() does, also with --quiet: it belongs to an error or was requested. */
void print_info(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Keep the last error and print nothing until messages_release(). */
void messages_hold(void);
void messages_release(void);

/* Return "where: message" of that error, or an empty string. */
const char *messages_held(void);

/* Return "" for 1 and "s" otherwise, as in "%zu pair%s". */
const char *plural(uint64_t count);

/* Report that memory ran out and return EX_OSERR. */
int report_no_memory(void);

#endif
