/* The sentences that a command works on: the words of the command line, or the lines of a file. */
#ifndef ELMAN_CLI_SENTENCES_H
#define ELMAN_CLI_SENTENCES_H

#include <stdbool.h>
#include <stdio.h>

#include "elman.h"
#include "options.h"

struct sentences {
  struct operands texts; /* used if there is no file */
  int file;              /* descriptor; -1 = none */
  const char *name;      /* of the file, for messages */
  size_t number;         /* of the last sentence, from 1 */
  char *bytes;           /* what was read: start up to end is not yet given out */
  size_t start, end, capacity;
  size_t max_line; /* bytes; of a longer line only so much is kept that it is known as one */
  size_t searched; /* no line ends before this */
  size_t reported; /* sentences with bad data */
  bool told_tab;
  int problem; /* errno of a read that failed, or 0 */
  bool ended;  /* nothing more can be read */
};

struct sentence {
  const char *text; /* valid until the next one is read or asked for */
  size_t length;
  size_t number; /* from 1 */
};

/* `path` is NULL where -i was not given. A line of more than `max_line` bytes is given as its first
 * `max_line` + 1, for which elman_translate has an error. Gives an exit code, after a message if
 * that is not 0. */
int sentences_open(struct sentences *sentences, const char *command, const char *path,
                   const struct operands *texts, size_t max_line);

/* False at the end and, with *code set after a message, when reading fails or a signal came. */
bool sentences_next(struct sentences *sentences, struct sentence *sentence, int *code);

/* Whether the next sentence, or the end, is there without waiting for whoever writes it. */
bool sentences_ready(struct sentences *sentences);

/* Reports what is wrong with a sentence; gives the exit code. Of many with bad data the first are
 * reported, and the others counted by sentences_close. */
int sentences_report(struct sentences *sentences, size_t number, const elman_error *error);

/* Hints at what was hardly meant: a TEXT that is the name of a file, and, once, a line that is a
 * sentence with tabs in it. */
void sentences_hint_files(const struct sentences *sentences);
void sentences_hint_tab(struct sentences *sentences, struct sentence sentence);

void sentences_close(struct sentences *sentences);

#endif
