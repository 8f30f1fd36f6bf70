/* Messages on standard error, and the exit codes of sysexits.h. */
#ifndef ELMAN_CLI_MESSAGES_H
#define ELMAN_CLI_MESSAGES_H

#include <stddef.h>
#include <stdio.h>

#include "elman.h"

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
