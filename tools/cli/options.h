/* Options as a table: one row gives an option's name, value, range and help. */
#ifndef ELMAN_CLI_OPTIONS_H
#define ELMAN_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MOST_LISTED = 64 };

/* The values of an option that may be given several times, in their order. */
struct option_list {
  const char *words[MOST_LISTED];
  size_t count;
};

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
  unsigned *index;                     /* of one of the words of `choice`, as an enum keeps it */
  const char *(*choice)(size_t index); /* the words that `text` may be, too; NULL = any */
  size_t *count;                       /* least to most */
  uint64_t *seed;                      /* any number of 64 bits */
  struct option_list *list;            /* may be given `most` times, MOST_LISTED at most */
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
  uint64_t given; /* bit i: row i of the option table was on the command line */
};

/* Options and operands may be mixed; after "--" all is operands. False when there is nothing left
 * to do, with *code the exit code: help was asked for, or the command line is wrong. */
bool options_parse(const struct usage *usage, int argc, char **argv, struct operands *operands,
                   int *code);

/* Whether the command line had the option of that name, which is in the table. */
bool option_given(const struct usage *usage, const struct operands *operands, const char *name);

/* A whole number without sign or spaces; false if it is none or does not fit. */
bool parse_whole_number(const char *text, uint64_t *number);

#endif
