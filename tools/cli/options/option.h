/* Rows of option tables, a command's table, and the options that were given. */
#ifndef ELMAN_CLI_OPTION_H
#define ELMAN_CLI_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "console/messages.h"

/* ---- decimal numbers, without spaces or other forms that strtod accepts ---- */

/* Parse a whole number without sign. Return false if the text is anything else or the number is too
 * large. */
bool parse_whole_number(const char *text, uint64_t *number);

/* Parse a number at the start of `text`: digits with at most one point. Return the text after it,
 * or NULL. */
const char *parse_decimal(double *number, const char *text);

/* ---- suggestions ---- */

/* The valid word that is most similar to an unknown one. Start from all zero. */
struct suggestion {
  const char *best; /* NULL until a candidate is similar enough */
  size_t distance;
};

void suggestion_offer(struct suggestion *suggestion, const char *typed, const char *candidate);

/* ---- rows of a table ---- */

enum { MAX_LISTED = 64 };

/* A table of options has fewer than MAX_OPTIONS rows. */
enum { MAX_OPTIONS = 128, MAX_COMMON = 3 };

/* The values of an option that may be given several times, in order. */
struct option_list {
  const char *words[MAX_LISTED];
  size_t count;
};

/* How the command uses the file that a value names. options_check_files uses it to keep outputs off
 * inputs. */
enum option_use {
  FILE_IS_NONE, /* the value names no file */
  FILE_IS_READ,
  FILE_IS_START, /* read at the start; may be overwritten by the output model */
  FILE_IS_WRITTEN,
  FILE_IS_MODEL,  /* written */
  FILE_IS_PREFIX, /* only the names derived with `beside` are written */
};

/* A row of an option table. Exactly one of the pointers is set; it selects the kind of option and
 * stores its value. The value before parsing is the default, which help shows. */
struct option {
  const char *name;          /* without dashes; NULL ends the table */
  char letter;               /* 0 = none */
  const char *argument;      /* name of the value in help; NULL for a flag */
  const char *help;          /* starts with a lower-case letter, no full stop */
  const char *default_words; /* text for the default if the value does not explain itself; a list
                                gets it as its only value if the option is not given */
  const char *group;         /* heading in help, one of option_group; NULL = the last */
  bool *flag;
  const char **text;
  unsigned *index;                     /* index into the words of `choice`, for an enum */
  const char *(*choice)(size_t index); /* the allowed words, also for `text`; NULL = any */
  /* defaults that a choice sets for other options: "name=value" or a flag, spaces between */
  const char *(*settings)(size_t index);
  size_t *count;            /* from `least` to `most` */
  uint64_t *seed;           /* any 64-bit number */
  struct option_list *list; /* at most `most` times, and at most MAX_LISTED */
  double *real;             /* from `lowest` to `highest` */
  size_t least, most;
  double lowest, highest;
  enum option_use use;
  const char *const *beside; /* suffixes of files that are written as well; '#' at the end matches
                                digits; ends with NULL; NULL = none */
};

/* A row in a macro that expands to several rows. */
#define OPTION(...)                                                                                \
  { __VA_ARGS__ }

/* Rows used by several commands; `variable` stores the value. */
#define INPUT_OPTION(variable)                                                                     \
  OPTION("input", 'i', "FILE", "sentences, one per line", "standard input", .text = &(variable),   \
         .group = "Input", .use = FILE_IS_READ)
#define OUTPUT_OPTION(variable, what)                                                              \
  OPTION("output", 'o', "FILE", "output file for " what, "standard output", .text = &(variable),   \
         .group = "Output", .use = FILE_IS_WRITTEN)
#define SEED_OPTION(variable, heading, help)                                                       \
  OPTION("seed", 0, "N", help, .seed = &(variable), .group = heading)
#define THREADS_OPTION(variable)                                                                   \
  OPTION("threads", 't', "N", "number of processor cores to use", "all", .count = &(variable),     \
         .least = 1, .most = 1024)
#define JSON_OPTION(variable)                                                                      \
  OPTION("json", 0, NULL, "one JSON object as output", .flag = &(variable), .group = "Output")
#define QUIET_OPTION(help) OPTION("quiet", 'q', NULL, help, .flag = &messages_quiet)

/* Return the row of that name, or of its first `length` bytes; NULL = none. */
const struct option *option_row(const struct option *options, const char *name);
const struct option *option_row_n(const struct option *options, const char *name, size_t length);

/* Add a row after the rows of the table, whose other elements are zero. The last one stays zero. */
void option_append(struct option table[MAX_OPTIONS], const struct option *option);

/* Offer the name of every row as a replacement for the unknown `name`. */
void options_offer(struct suggestion *suggestion, const struct option *options, const char *name);

/* Place of an option, for messages: a command name with "--" before options, or another place (may
 * be NULL) with the characters before its names. */
struct option_place {
  const char *where, *dashes;
};

/* Report what is wrong there, and return the exit code. */
int option_refuse(const struct option_place *place, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Return the row of that name; NULL, after a message with a suggestion, if there is none. */
const struct option *option_find(const struct option *options, const char *name,
                                 const struct option_place *place);

/* Parse the value of an option. A flag takes "yes", "on", "no", "off" or NULL, which switches it
 * on. Return an exit code; print a message if it is not 0. The old value is kept after an error. */
int option_set(const struct option *option, const char *value, const struct option_place *place);

/* Format the allowed words, separated by commas. */
void option_print_choices(char *into, size_t size, const struct option *option);

/* Print or format the value for people. Not for lists; option_format_value is not for texts either,
 * and shows the default's text for a limit that is not set. */
void option_print_value(FILE *stream, const struct option *option);
void option_format_value(char *text, size_t size, const struct option *option);

/* Copy the value of an option of the same kind. Not for lists. */
void option_copy(const struct option *to, const struct option *from);

/* ---- options of a command ---- */

/* Options that exclude or need each other. The command line is invalid if both conditions hold. A
 * condition lists names separated by spaces. It holds if one of them is given; after '!', if none
 * is; after '+', if one is given on the command line itself, not only in an option file, which may
 * list all options. A name in capitals stands for operands, a digit for that number of operands. An
 * empty condition always holds. A flag counts as given if it is on, even by a preset; a number if
 * it is given and not a 0 that disables something; any other option if it is given. */
struct rule {
  const char *one, *other;
  const char *message; /* NULL ends the table; may have a %s for the option that fulfills the first
                          condition */
};

struct usage {
  const char *command;
  const char *operands; /* for example "[options] PAIRS..." */
  const char *description;
  const struct option *options;
  const struct rule *rules; /* in the order of checking; NULL = none */
  bool reads_operands;      /* each operand names a file that is read */
};

struct operands {
  char **words; /* in the order given */
  size_t count;
  bool given[MAX_OPTIONS]; /* i: row i of the option table was given on the command line or in an
                              option file */
  bool typed[MAX_OPTIONS]; /* i: row i was given on the command line itself */
};

/* The name of the option for an option file, which every command has unless its table has a row of
 * this name. */
#define CONFIG_OPTION "config"

bool usage_has_config(const struct usage *usage);

/* Set the rows that a command has in addition to its table. */
void options_common(struct option rows[MAX_COMMON], const struct usage *usage);

enum { MAX_ROWS = MAX_OPTIONS + MAX_COMMON };

/* The rows of a command, its table and the common rows, in the order of help. */
struct option_rows {
  struct option common[MAX_COMMON];
  const struct option *list[MAX_ROWS]; /* of the command's table or of `common` */
  size_t count;
  bool grouped; /* by option_group; otherwise the order is that of the table */
};

/* Set the rows of a command. They are grouped if there are more than 13. */
void options_list(struct option_rows *rows, const struct usage *usage);

/* Return the heading of a group in the order of help, or NULL past the last group. */
const char *option_group(size_t index);

/* Return the index of the group of a row: the last group if the row names none. */
size_t option_group_of(const struct option *option);

/* Return whether the option of that name, a row of the table, was given. */
bool option_given(const struct usage *usage, const struct operands *operands, const char *name);

#endif
