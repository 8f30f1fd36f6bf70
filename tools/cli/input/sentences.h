/* The sentences that a command processes: words of the command line, or lines of a file. */
#ifndef ELMAN_CLI_SENTENCES_H
#define ELMAN_CLI_SENTENCES_H

#include <stdbool.h>

#include "console/line_reader.h"
#include "elman.h"
#include "options/command_line.h"

/* The options are set before sentences_open. */
struct sentences {
  const char *reference;               /* forced on the only sentence, or NULL */
  const char *references_path;         /* file whose line n is forced on sentence n, or NULL */
  size_t source_column, target_column; /* for lines that are pairs; 0 = each line is a sentence */
  size_t alignment_column; /* for pairs: i of a link i-j counts words of the side whose column comes
                              first; 0 = none */
  size_t max_line; /* bytes; a longer line is truncated to max_line + 1, which elman_translate
                      refuses */

  struct operands texts; /* used instead of a file */
  struct line_reader lines;
  elman_lines *references;
  size_t number;         /* of the last sentence, from 1 */
  const char *alignment; /* of the last sentence, within its text; NULL = none */
  size_t reported;       /* sentences with bad data */
  bool noted_tab;
  bool mismatch; /* the numbers of references and sentences differ */
};

/* Open the input; `path` is NULL without -i. Return an exit code; print a message if it is not 0.
 */
int sentences_open(struct sentences *sentences, const char *path, const struct operands *texts);

/* Get the next sentence. Free its text with sentence_free; the reference may be part of it. Return
 * false at the end. Set *code, after a message, if a line is skipped, reading fails, a signal came,
 * or the number of references is wrong. */
bool sentences_next(struct sentences *sentences, elman_sentence *sentence, int *code);
void sentence_free(elman_sentence *sentence);

/* Return whether the next sentence, or the end, can be read without waiting. */
bool sentences_ready(struct sentences *sentences);

/* Report what is wrong with a sentence and return the exit code. Only the first sentences with bad
 * data are reported; sentences_close prints the number of the others. */
int sentences_report(struct sentences *sentences, size_t number, const elman_error *error);

/* Return whether output with exit code `code` is usable. A line that cannot be translated does not
 * affect the other lines, but references of the wrong sentences do. */
bool sentences_usable(const struct sentences *sentences, int code);

void sentences_close(struct sentences *sentences);

#endif
