/* Sentences that a command processes: operands on the command line, or lines of a file. */
#ifndef ELMAN_CLI_SENTENCES_H
#define ELMAN_CLI_SENTENCES_H

#include <stdbool.h>

#include "console/line_reader.h"
#include "elman.h"
#include "options/command_line.h"

/* Sentences and their source. The caller sets the options before sentences_open. */
struct sentence_input {
  const char *reference;       /* reference for forced decoding of the only sentence, or NULL */
  const char *references_path; /* file of references for forced decoding, one line per sentence;
                                  NULL = none */
  size_t source_column,
      target_column;       /* columns of a line that is a pair; 0 = each line is a sentence */
  size_t alignment_column; /* column of the alignment of a pair; 0 = none. In a link i-j, i counts
                              words of the side whose column comes first */
  bool have_parts;         /* a TEXT on the command line may have several sentences */
  size_t max_line; /* limit in bytes, 0 = none; a longer line is truncated to max_line + 1 bytes,
                      which elman_translate refuses */

  struct operands texts; /* sentences that replace a file */
  struct line_reader lines;
  elman_lines *references;
  size_t number;         /* number of the last sentence, from 1 */
  const char *alignment; /* alignment of the last sentence, within its text; NULL = none */
  size_t reported;       /* number of sentences with bad data */
  bool noted_tab;
  bool incomplete; /* the input ended with an error, or the numbers of references and sentences
                      differ */
};

/* Open the input. `path` is NULL if -i is not given. Return an exit code; print a message if it is
 * not 0. */
int sentences_open(struct sentence_input *sentences, const char *path,
                   const struct operands *texts);

/* Get the next sentence. The caller frees its text with sentence_free; the reference may be part of
 * this text. Return false at the end. Set *code if a line is skipped, a read fails, a signal came,
 * or the number of references is wrong. Report these cases, except the signal. */
bool sentences_next(struct sentence_input *sentences, elman_sentence *sentence, int *code);
void sentence_free(elman_sentence *sentence);

/* Return whether the next sentence, or the end of the input, can be read without waiting. */
bool sentences_ready(struct sentence_input *sentences);

/* Report an error in a sentence and return the exit code. Only the first sentences with bad data
 * are reported. sentences_close prints the number of the others. */
int sentences_report(struct sentence_input *sentences, size_t number, const elman_error *error);

/* Return whether the output is usable after exit code `code`. A line that cannot be translated does
 * not affect other lines. References that belong to other sentences make the output useless. */
bool sentences_usable(const struct sentence_input *sentences, int code);

void sentences_close(struct sentence_input *sentences);

#endif
