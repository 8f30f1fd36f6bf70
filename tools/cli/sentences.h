/* The sentences that a command works on: the words of the command line, or the lines of a file. */
#ifndef ELMAN_CLI_SENTENCES_H
#define ELMAN_CLI_SENTENCES_H

#include <stdbool.h>
#include <stdio.h>

#include "elman.h"
#include "options.h"

struct sentences {
  struct operands texts; /* used if stream is NULL */
  FILE *stream;
  const char *name; /* of the file, for messages */
  size_t number;    /* of the sentence, from 1 */
  char *line;       /* the stream's current line */
  size_t capacity;
};

struct sentence {
  const char *text; /* valid until the next one is read */
  size_t length;
};

/* `path` is NULL where -i was not given. Gives an exit code, after a message if that is not 0. */
int sentences_open(struct sentences *sentences, const char *command, const char *path,
                   const struct operands *texts);

/* False at the end and, with *code set after a message, when reading fails or a signal came. */
bool sentences_next(struct sentences *sentences, struct sentence *sentence, int *code);

/* Reports what is wrong with the current sentence; gives the exit code. */
int sentences_report(const struct sentences *sentences, const elman_error *error);

void sentences_close(struct sentences *sentences);

#endif
