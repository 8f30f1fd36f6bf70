/* Options as a table: one row gives an option's name, value, range and help. */
#ifndef ELMAN_CLI_OPTIONS_H
#define ELMAN_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "messages.h"

/* A table of options has fewer than MOST_OPTIONS rows. */
enum { MOST_LISTED = 64, MOST_OPTIONS = 128, MOST_COMMON = 3 };

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
  unsigned *index;                       /* of one of the words of `choice`, as an enum keeps it */
  const char *(*choice)(size_t index);   /* the words that `text` may be, too; NULL = any */
  const char *(*settings)(size_t index); /* what each choice makes the default of other options:
                                            "name=value" or the name of a flag, spaces between */
  size_t *count;                         /* least to most */
  uint64_t *seed;                        /* any number of 64 bits */
  struct option_list *list;              /* may be given `most` times, MOST_LISTED at most */
  double *real;                          /* lowest to highest */
  size_t least, most;
  double lowest, highest;
};

/* A row of a macro that stands for several. */
#define OPTION(...)                                                                                \
  { __VA_ARGS__ }

/* Rows that several commands have; `variable` is what the value goes to. */
#define INPUT_OPTION(variable)                                                                     \
  OPTION("input", 'i', "FILE", "sentences, one a line", "standard input", .text = &(variable))
#define OUTPUT_OPTION(variable, what)                                                              \
  OPTION("output", 'o', "FILE", "where the " what " go", "standard output", .text = &(variable))
#define SEED_OPTION(variable, help) OPTION("seed", 0, "N", help, .seed = &(variable))
#define THREADS_OPTION(variable)                                                                   \
  OPTION("threads", 't', "N", "processor cores to use", "all", .count = &(variable), .least = 1,   \
         .most = 1024)
#define JSON_OPTION(variable) OPTION("json", 0, NULL, "print one JSON object", .flag = &(variable))
#define QUIET_OPTION(help) OPTION("quiet", 'q', NULL, help, .flag = &messages_quiet)

/* A command line is wrong if both conditions of a rule hold. Each names options, a space between,
 * of which one is there or, behind a '!', none is, or, behind a '+', one stands on the command line
 * itself, and not in a file of options, which may be a list of all there are. A capital stands for
 * operands, a digit for so many of them; nothing always holds. There is a flag that is on, also by
 * a preset, a number unless it is a 0 that switches something off, and whatever else was given. */
struct rule {
  const char *one, *other;
  const char *message; /* NULL ends the table; may have a %s for what fulfils the first condition */
};

struct usage {
  const char *command;
  const char *operands; /* as in "[options] PAIRS..." */
  const char *description;
  const struct option *options;
  const struct rule *rules; /* in the order in which they are told of; NULL = none */
};

struct operands {
  char **words; /* in the order given */
  size_t count;
  bool given[MOST_OPTIONS]; /* i: row i of the option table was on the command line, or in the file
                               of options that it names */
  bool typed[MOST_OPTIONS]; /* likewise, on the command line */
};

/* Options and operands may be mixed; after "--" all is operands. --config FILE, which every command
 * has whose table has no such row, reads options from a file (config_file.h); what stands on the
 * command line replaces what stands there. False when there is nothing left to do, with *code the
 * exit code: help was asked for, or command line or file are wrong. */
bool options_parse(const struct usage *usage, int argc, char **argv, struct operands *operands,
                   int *code);

/* What --help does from here on with the table in place of printing it, until it is NULL again;
 * preset[i]: the default of row i is that of a preset. It gives an exit code. */
void options_help_by(int (*show)(const struct usage *usage, const bool preset[MOST_OPTIONS]));

/* The rows that a command has beside those of its table, as it ends. */
void options_common(struct option rows[MOST_COMMON], const struct usage *usage);

/* Whether the option of that name, which is in the table, was given. */
bool option_given(const struct usage *usage, const struct operands *operands, const char *name);

/* Where an option is given, for messages: a command by its name with "--" in front of options, or
 * any other place, which may be NULL, with what stands in front of names there. */
struct option_place {
  const char *where, *dashes;
};

/* Reports what is wrong there and gives the exit code. */
int option_refuse(const struct option_place *place, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The row of that name; NULL, after a message with what may be meant, if the table has none. */
const struct option *option_find(const struct option *options, const char *name,
                                 const struct option_place *place);

/* Gives it a value as text; of a flag that is "yes", "no" or NULL. Gives an exit code, after a
 * message if that is not 0; the old value then stays. */
int option_set(const struct option *option, const char *value, const struct option_place *place);

/* The value as people read it; `text` is not for texts and lists, and has what a limit that is not
 * set stands for. */
void option_print_value(FILE *stream, const struct option *option);
void option_format_value(char *text, size_t size, const struct option *option);

/* Gives an option the value of another one of its kind, which is no list. */
void option_copy(const struct option *to, const struct option *from);

/* A whole number without sign or spaces; false if it is none or does not fit. */
bool parse_whole_number(const char *text, uint64_t *number);

/* A number at the start of `text`, of digits with at most one point; gives what follows, or NULL.
 */
const char *take_decimal(double *number, const char *text);

#endif
