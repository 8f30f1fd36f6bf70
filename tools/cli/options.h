/* Options as a table: one row gives an option's name, value, range and help. */
#ifndef ELMAN_CLI_OPTIONS_H
#define ELMAN_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Exactly one of the pointers says which kind of option it is and where its value goes. What stands
 * there before parsing is the default, which help shows. */
struct option {
  const char *name;          /* without dashes; NULL ends the table */
  char letter;               /* 0 = none */
  const char *argument;      /* how help calls the value; NULL for a flag */
  const char *help;          /* starts small, no full stop */
  const char *default_words; /* shown as the default, for a value that does not explain itself */
  bool *flag;
  const char **text;
  const char *(*choice)(size_t index); /* the words that `text` may be; NULL = any */
  size_t *count;                       /* least to most */
  uint64_t *seed;                      /* any number of 64 bits */
  double *real;                        /* lowest to highest */
  size_t least, most;
  double lowest, highest;
};

struct usage {
  const char *command;
  const char *operands; /* as in "[options] PAIRS..." */
  const char *description;
  const struct option *options;
};

struct operands {
  char **words; /* in the order given */
  size_t count;
};

/* Options and operands may be mixed; after "--" all is operands. False when there is nothing left
 * to do, with *code the exit code: help was asked for, or the command line is wrong. */
bool options_parse(const struct usage *usage, int argc, char **argv, struct operands *operands,
                   int *code);

/* A whole number without sign or spaces; false if it is none or does not fit. */
bool parse_whole_number(const char *text, uint64_t *number);

#endif
