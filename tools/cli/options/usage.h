/* What a command takes, and what it was given. */
#ifndef ELMAN_CLI_USAGE_H
#define ELMAN_CLI_USAGE_H

#include "options/option.h"

/* A table of options has fewer than MOST_OPTIONS rows. */
enum { MOST_OPTIONS = 128, MOST_COMMON = 3 };

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
  bool reads_operands;      /* each names a file that is read */
};

struct operands {
  char **words; /* in the order given */
  size_t count;
  bool given[MOST_OPTIONS]; /* i: row i of the option table was on the command line, or in the file
                               of options that it names */
  bool typed[MOST_OPTIONS]; /* likewise, on the command line */
};

/* The option of every command whose table has none of that name: a file of options. */
#define CONFIG_OPTION "config"
bool usage_has_config(const struct usage *usage);

/* The rows that a command has beside those of its table, as it ends. */
void options_common(struct option rows[MOST_COMMON], const struct usage *usage);

/* Whether the option of that name, which is in the table, was given. */
bool option_given(const struct usage *usage, const struct operands *operands, const char *name);

#endif
