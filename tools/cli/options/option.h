/* Options as rows of tables, a command's table, and what it was given. */
#ifndef ELMAN_CLI_OPTION_H
#define ELMAN_CLI_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "console/messages.h"

/* ---- numbers as people type them: decimal, without spaces and without what strtod also reads ----
 */

/* A whole number without sign; false if it is none or does not fit. */
bool parse_whole_number(const char *text, uint64_t *number);

/* A number at the start of `text`, of digits with at most one point; gives what follows, or NULL.
 */
const char *parse_decimal(double *number, const char *text);

/* ---- suggestions ---- */

/* The nearest of the words that would have been valid. Start from all zero. */
struct suggestion {
  const char *best; /* NULL while nothing offered is near enough */
  size_t distance;
};

void suggestion_offer(struct suggestion *suggestion, const char *typed, const char *candidate);

/* ---- rows of a table ---- */

enum { MAX_LISTED = 64 };

/* A table of options has fewer than MAX_OPTIONS rows. */
enum { MAX_OPTIONS = 128, MAX_COMMON = 3 };

/* The values of an option that may be given several times, in their order. */
struct option_list {
  const char *words[MAX_LISTED];
  size_t count;
};

/* How the command uses the file that a value names. A row of one file of each kind is enough
 * for options_check_files to keep outputs off inputs. */
enum option_use {
  FILE_IS_NONE, /* the value names no file */
  FILE_IS_READ,
  FILE_IS_START, /* read at the start; the model that is written may replace it */
  FILE_IS_WRITTEN,
  FILE_IS_MODEL,  /* written */
  FILE_IS_PREFIX, /* only the names that `beside` makes of it are written */
};

/* Exactly one of the pointers says which kind of option it is and where its value goes. What stands
 * there before parsing is the default, which help shows. */
struct option {
  const char *name;          /* without dashes; NULL ends the table */
  char letter;               /* 0 = none */
  const char *argument;      /* how help calls the value; NULL for a flag */
  const char *help;          /* starts small, no full stop */
  const char *default_words; /* shown as the default, for a value that does not explain itself; a
                                list that is not given gets it as its only value */
  const char *group;         /* heading in help, one of option_group; NULL = the last */
  bool *flag;
  const char **text;
  unsigned *index;                       /* of one of the words of `choice`, as an enum keeps it */
  const char *(*choice)(size_t index);   /* the words that `text` may be, too; NULL = any */
  const char *(*settings)(size_t index); /* what each choice makes the default of other options:
                                            "name=value" or the name of a flag, spaces between */
  size_t *count;                         /* least to most */
  uint64_t *seed;                        /* any number of 64 bits */
  struct option_list *list;              /* may be given `most` times, MAX_LISTED at most */
  double *real;                          /* lowest to highest */
  size_t least, most;
  double lowest, highest;
  enum option_use use;
  const char *const *beside; /* suffixes of further files that are written; '#' at the end stands
                                for any digits; NULL = none, and at the end */
};

/* A row of a macro that stands for several. */
#define OPTION(...)                                                                                \
  { __VA_ARGS__ }

/* Rows that several commands have; `variable` is what the value goes to. */
#define INPUT_OPTION(variable)                                                                     \
  OPTION("input", 'i', "FILE", "sentences, one a line", "standard input", .text = &(variable),     \
         .group = "Input", .use = FILE_IS_READ)
#define OUTPUT_OPTION(variable, what)                                                              \
  OPTION("output", 'o', "FILE", "where the " what " go", "standard output", .text = &(variable),   \
         .group = "Output", .use = FILE_IS_WRITTEN)
#define SEED_OPTION(variable, heading, help)                                                       \
  OPTION("seed", 0, "N", help, .seed = &(variable), .group = heading)
#define THREADS_OPTION(variable)                                                                   \
  OPTION("threads", 't', "N", "processor cores to use", "all", .count = &(variable), .least = 1,   \
         .most = 1024)
#define JSON_OPTION(variable)                                                                      \
  OPTION("json", 0, NULL, "print one JSON object", .flag = &(variable), .group = "Output")
#define QUIET_OPTION(help) OPTION("quiet", 'q', NULL, help, .flag = &messages_quiet)

/* The row of that name, or of its first `length` bytes; NULL = none. */
const struct option *option_row(const struct option *options, const char *name);
const struct option *option_row_n(const struct option *options, const char *name, size_t length);

/* Adds a row after those that a zeroed table has. One zero row is left. */
void option_append(struct option table[MAX_OPTIONS], const struct option *option);

/* Offers the name of every row for `name`, which is none. */
void options_offer(struct suggestion *suggestion, const struct option *options, const char *name);

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

/* Gives it a value as text; of a flag that is "yes", "on", "no", "off" or NULL, which switches it
 * on. Gives an exit code, after a message if that is not 0; the old value then stays. */
int option_set(const struct option *option, const char *value, const struct option_place *place);

/* The words that it may be, with commas between. */
void option_print_choices(char *into, size_t size, const struct option *option);

/* The value as people read it; `text` is not for texts and lists, and has what a limit that is not
 * set stands for. */
void option_print_value(FILE *stream, const struct option *option);
void option_format_value(char *text, size_t size, const struct option *option);

/* Gives an option the value of another one of its kind, which is no list. */
void option_copy(const struct option *to, const struct option *from);

/* ---- what a command has, and was given ---- */

/* A command line is wrong if both conditions of a rule hold. Each names options, a space between,
 * of which one is there or, after a '!', none is, or, after a '+', one stands on the command line
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
  const struct rule *rules; /* in the order in which they are reported; NULL = none */
  bool reads_operands;      /* each names a file that is read */
};

struct operands {
  char **words; /* in the order given */
  size_t count;
  bool given[MAX_OPTIONS]; /* i: row i of the option table was on the command line, or in the file
                               of options that it names */
  bool typed[MAX_OPTIONS]; /* the same for the command line itself */
};

/* The option of every command whose table has none of that name: a file of options. */
#define CONFIG_OPTION "config"

bool usage_has_config(const struct usage *usage);

/* The rows that a command has beside those of its table, as it ends. */
void options_common(struct option rows[MAX_COMMON], const struct usage *usage);

enum { MAX_ROWS = MAX_OPTIONS + MAX_COMMON };

/* All rows of a command in the order of help. */
struct option_rows {
  struct option common[MAX_COMMON];
  const struct option *list[MAX_ROWS]; /* of the command's table or of `common` */
  size_t count;
  bool grouped; /* by option_group; a command with few options has no groups */
};

void options_list(struct option_rows *rows, const struct usage *usage);

/* The headings of groups in the order of help, from index 0 up; NULL past the last. */
const char *option_group(size_t index);

/* The index of the group of a row. */
size_t option_group_of(const struct option *option);

/* Whether the option of that name, which is in the table, was given. */
bool option_given(const struct usage *usage, const struct operands *operands, const char *name);

#endif
