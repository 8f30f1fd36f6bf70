/* The words of a command line as options and operands. */
#ifndef ELMAN_CLI_ARGUMENTS_H
#define ELMAN_CLI_ARGUMENTS_H

#include "options/usage.h"

/* An option or an operand of the command line. */
struct argument {
  char *word;                  /* where it stands */
  char *name;                  /* of an option, behind its dashes; NULL = an operand */
  size_t length;               /* of that name */
  const struct option *option; /* NULL = there is none of that name */
  const char *value;           /* NULL = none */
  bool negated;                /* a flag's name with "no-" in front */
};

/* Goes through a command line and changes nothing: which word is an option and which the value of
 * the one before is found out here alone. */
struct arguments {
  const struct usage *usage;
  const struct option *common; /* rows beside those of the table */
  char **argv;
  int next, argc;
  char *letters; /* that are left of a word as "-qt"; NULL = none */
  bool only_operands;
};

/* False at the end. */
bool arguments_next(struct arguments *arguments, struct argument *argument);

/* The first of that option. */
bool arguments_find(const struct arguments *start, const char *name, struct argument *argument);

/* What an option says, or NULL: for those that others depend on. */
const char *arguments_value(const struct arguments *start, const char *name);

#endif
