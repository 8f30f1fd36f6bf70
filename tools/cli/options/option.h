/* Rows of option tables, the usage of a command, and the options that were given. */
#ifndef ELMAN_CLI_OPTION_H
#define ELMAN_CLI_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "console/messages.h"
#include "console/output.h"
#include "elman.h"

/* ---- decimal numbers, without the other forms that strtod accepts ---- */

/* Parse a whole number without sign. Return false for any other text, or if the number is too
 * large. */
bool parse_whole_number(const char *text, uint64_t *number);

/* Parse the number at the start of `text`: digits with at most one decimal point. Return the text
 * after it; NULL if there is no number. */
const char *parse_decimal(double *number, const char *text);

/* Parse a position, counted from 1, at the start of `text`. Return the text after it. Return NULL
 * if there is no position or `text` is NULL. */
const char *parse_position(size_t *position, const char *text);

/* ---- suggestions ---- */

/* Format the end of a message about the unknown name `typed`: what was probably meant, why nothing
 * corresponds to it, or "". Return `words`. */
const char *suggestion_words(char words[MESSAGE_SIZE], const elman_suggestion *suggestion,
                             const char *typed, const char *dashes);

/* ---- rows of a table ---- */

enum { MAX_LISTED = 64 };

/* A table has fewer than MAX_OPTIONS rows; a command adds at most MAX_COMMON common rows. */
enum { MAX_OPTIONS = 128, MAX_COMMON = 3 };

/* Values of an option that may be given several times, in the order given. */
struct option_list {
  const char *words[MAX_LISTED];
  size_t count;
};

/* Uses of the file that the value of an option names. options_check_files refuses an output that is
 * also an input, and one that would replace a file without --force. */
enum option_use {
  FILE_IS_NONE, /* the value names no file */
  FILE_IS_READ,
  FILE_IS_START, /* read at the start of the run; the output model may overwrite it */
  FILE_IS_WRITTEN,
  FILE_IS_MODEL,  /* written as the model of a training run, which decides what it may replace */
  FILE_IS_LOG,    /* written as the log of a training run, which decides what it may replace */
  FILE_IS_PREFIX, /* not written itself; the files whose names `beside` derives are written */
};

/* A row of an option table. Exactly one of the pointers to a value is set. It selects the kind of
 * option and the place where its value is stored. The value before parsing is the default, which
 * help shows. */
struct option {
  const char *name;          /* name without dashes; NULL ends the table */
  char letter;               /* one-letter name; 0 = none */
  const char *argument;      /* name of the value in help; NULL for a flag */
  const char *help;          /* begins with a lower-case letter; no full stop at the end */
  const char *default_words; /* describes the default if the value does not explain itself; a list
                                that is not given gets this text as its only value */
  const char *also;          /* a second name without dashes; NULL = none */
  const elman_option *row;   /* row of the library's table; NULL = an option of the command alone */
  const char *group;         /* heading in help, one of option_group; NULL = the last group */
  bool *flag;
  const char **text;
  unsigned *index;                     /* index of the chosen word in `choice`, for an enum */
  const char *(*choice)(size_t index); /* allowed words, for `index` and `text`; NULL = any */
  /* defaults that a choice sets for other options: each is "name=value" or a flag; spaces separate
   * them */
  const char *(*settings)(size_t index);
  elman_language *language;
  size_t *count;            /* value from `least` to `most` */
  uint64_t *seed;           /* any 64-bit number */
  struct option_list *list; /* may be given `most` times, but at most MAX_LISTED times */
  double *real;             /* value from `lowest` to `highest` */
  size_t least, most;
  double lowest, highest;
  enum option_use use;
  const char *const *beside; /* suffixes of other files that are written; NULL ends the list; '#' at
                                the end of a suffix matches digits; a NULL pointer = none */
};

/* Wraps a row, so that a macro can expand to several rows. */
#define OPTION(...)                                                                                \
  { __VA_ARGS__ }

/* Rows that several commands use; `variable` stores the value. */
#define INPUT_OPTION(variable)                                                                     \
  OPTION("input", 'i', "FILE", "sentences, one per line", "standard input", .text = &(variable),   \
         .group = "Input", .use = FILE_IS_READ)
#define FORCE_OPTION(help)                                                                         \
  OPTION("force", 'f', NULL, help, .flag = &output_force, .group = "Output")
#define OUTPUT_OPTIONS(variable, what)                                                             \
  OPTION("output", 'o', "FILE", "output file for " what, "standard output", .text = &(variable),   \
         .group = "Output", .use = FILE_IS_WRITTEN),                                               \
      FORCE_OPTION(FORCE_HELP)
#define FORCE_HELP "overwrite an existing file"
#define SEED_OPTION(variable, heading, help)                                                       \
  OPTION("seed", 0, "N", help, .seed = &(variable), .group = heading)
#define THREADS_OPTION(variable)                                                                   \
  OPTION("threads", 't', "N", "number of processor cores to use", "all", .count = &(variable),     \
         .least = 1, .most = 1024)
#define JSON_OPTION(variable)                                                                      \
  OPTION("json", 0, NULL, "one JSON object as output", .flag = &(variable), .group = "Output")
#define QUIET_OPTION(help) OPTION("quiet", 'q', NULL, help, .flag = &messages_quiet)

/* Return the row with this name; NULL if there is none. option_row_n compares the first `length`
 * bytes of `name`. */
const struct option *option_row(const struct option *options, const char *name);
const struct option *option_row_n(const struct option *options, const char *name, size_t length);

/* Append a row to a table whose unused elements are zero. Keep the last element zero. */
void option_append(struct option table[MAX_OPTIONS], const struct option *option);

/* Offer all rows, by name and by field, as replacements for the unknown `name`. */
void options_offer(elman_suggestion *suggestion, const struct option *options, const char *name);

/* Place of an option, for messages. `where` is a command, another place, or NULL. `dashes` is the
 * text before option names there, for example "--" for a command. */
struct option_place {
  const char *where, *dashes;
};

/* Report what is wrong at `place`; return the exit code. */
int option_refuse(const struct option_place *place, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Return the row with this name. If there is none, print a message with a suggestion and return
 * NULL. */
const struct option *option_find(const struct option *options, const char *name,
                                 const struct option_place *place);

/* Parse the value of an option and store it. For a flag, accept "yes", "on", "true", "no", "off",
 * "false", and NULL, which means "on". Return an exit code; print a message if it is not 0. Keep
 * the old value after an error. */
int option_set(const struct option *option, const char *value, const struct option_place *place);

/* Format the allowed words of the option, separated by commas. */
void option_print_choices(char *into, size_t size, const struct option *option);

enum { VALUE_SIZE = 64 };

/* Print or format the value as option_set reads it. Do not use these functions for lists; do not
 * use option_format_value for texts without choices. Return `text`. */
void option_print_value(FILE *stream, const struct option *option);
const char *option_format_value(char text[VALUE_SIZE], const struct option *option);

/* ---- options of a command ---- */

/* Options that exclude or need each other. The command line is invalid if both conditions hold.
 *
 * A condition lists names separated by spaces. It holds if one of them is given. After '!', it
 * holds if none is given. After '+', it holds if one is given on the command line itself; options
 * from an option file do not count, because such a file may list all options. A name in capitals
 * stands for operands; a digit stands for that number of operands; '*' stands for every option of
 * the library's table. An empty condition always holds.
 *
 * A flag counts as given if it is on, even if a preset switched it on. A count of 0, which disables
 * something, does not count as given. */
struct rule {
  const char *one, *other;
  const char
      *message; /* NULL ends the table; %s prints the option that fulfills the first condition */
};

struct usage {
  const char *command;
  const char *operands; /* as help shows them, for example "[options] PAIRS..." */
  const char *description;
  const struct option *options;
  const struct rule *rules; /* checked in this order; NULL = none */
  bool reads_operands;      /* each operand is the name of a file that the command reads */
};

struct operands {
  char **words; /* operands in the order given */
  size_t count;
  bool given[MAX_OPTIONS]; /* given[i]: row i of the option table was given on the command line or
                              in an option file */
  bool typed[MAX_OPTIONS]; /* typed[i]: row i was given on the command line itself */
};

/* Name of the option that names an option file. Every command has it, unless the command's table
 * has a row of this name. */
#define CONFIG_OPTION "config"

bool usage_has_config(const struct usage *usage);

/* Set `rows` to the options that a command has in addition to its table. */
void options_common(struct option rows[MAX_COMMON], const struct usage *usage);

enum { MAX_ROWS = MAX_OPTIONS + MAX_COMMON };

/* Rows of a command, from its table and the common rows, in the order of help. */
struct option_rows {
  struct option common[MAX_COMMON];
  const struct option *list[MAX_ROWS]; /* rows of the command's table or of `common` */
  size_t count;
  bool grouped; /* rows are in the order of option_group; otherwise, in the order of the table */
};

/* List the rows of a command. Group them if there are more than 13. */
void options_list(struct option_rows *rows, const struct usage *usage);

/* Return the heading of a group in the order of help, or NULL past the last group. */
const char *option_group(size_t index);

/* Return the index of the group of a row. A row that names no group belongs to the last group. */
size_t option_group_of(const struct option *option);

/* Return whether the option `name`, which must be a row of the command's table, was given. */
bool option_given(const struct usage *usage, const struct operands *operands, const char *name);

#endif
