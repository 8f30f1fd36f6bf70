/* The sentences that a command works on: the words of the command line, or the lines of a file. */
#ifndef ELMAN_CLI_SENTENCES_H
#define ELMAN_CLI_SENTENCES_H

#include <stdbool.h>

#include "console/line_reader.h"
#include "elman.h"
#include "options/command_line.h"

/* Options are set before the sentences are opened. */
struct sentences {
  const char *reference;               /* forced on the only sentence, or NULL */
  const char *references_path;         /* line n is forced on sentence n; or NULL */
  size_t source_column, target_column; /* of lines that are pairs; 0 = lines are sentences */
  size_t alignment_column; /* of pairs: i counts words of the source or the target, whose
                              column comes first; 0 = none */
  size_t max_line;         /* bytes; a longer one is given as max_line + 1, for which
                              elman_translate has an error */

  struct operands texts; /* used if there is no file */
  struct line_reader lines;
  elman_lines *references;
  size_t number;         /* of the last sentence, from 1 */
  const char *alignment; /* of it; lies in its text. NULL = none */
  size_t reported;       /* sentences with bad data */
  bool told_tab;
  bool mismatch; /* there are not as many references as sentences */
};

/* `path` is NULL where -i was not given. Gives an exit code, after a message if that is not 0. */
int sentences_open(struct sentences *sentences, const char *path, const struct operands *texts);

/* The text is to be freed by sentence_free; the reference may lie in it. False at the end. *code is
 * set, after a message, when a line is left out, reading fails, a signal came, or there are too few
 * or too many references. */
bool sentences_next(struct sentences *sentences, elman_sentence *sentence, int *code);
void sentence_free(elman_sentence *sentence);

/* Whether the next sentence, or the end, is there without waiting for whoever writes it. */
bool sentences_ready(struct sentences *sentences);

/* Reports what is wrong with a sentence; gives the exit code. Of many with bad data the first are
 * reported, and the others counted by sentences_close. */
int sentences_report(struct sentences *sentences, size_t number, const elman_error *error);

/* Whether output up to the exit code `code` is worth having: a line that cannot be translated
 * leaves the others so, but references that stand beside the wrong sentences do not. */
bool sentences_usable(const struct sentences *sentences, int code);

void sentences_close(struct sentences *sentences);

#endif
