/* What `elman attention` translates, and what each translation is forced to be. */
#ifndef ELMAN_CLI_ATTENTION_INPUT_H
#define ELMAN_CLI_ATTENTION_INPUT_H

#include <stdbool.h>

#include "elman.h"
#include "sentences.h"

struct attention_input {
  struct sentences sentences;
  const char *reference;       /* of the only sentence, or NULL */
  elman_lines *references;     /* line n is that of sentence n; or NULL */
  const char *references_path; /* or NULL */
  size_t alignment_column;     /* lines are source, target and this column, from 3; 0 = sentences */
  bool mismatch;               /* there are not as many references as sentences */
  char *line;                  /* the columns, each with a NUL behind it */
};

struct attention_item {
  struct sentence sentence;
  const char *reference; /* NULL = none */
  const char *alignment; /* NULL = none */
};

/* Which sentences, as in sentences_open; what they are forced to be is set before. Gives an exit
 * code, after a message if that is not 0. */
int attention_input_open(struct attention_input *input, const char *command, const char *path,
                         const struct operands *texts, size_t max_line);

/* False at the end. *code is set, after a message, when a line is left out, reading fails, a signal
 * came, or there are too few or too many references. The item is valid until the next call. */
bool attention_input_next(struct attention_input *input, struct attention_item *item, int *code);

void attention_input_close(struct attention_input *input);

#endif
