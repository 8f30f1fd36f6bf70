/* Files of attention matrices: the format that a name asks for, and all translations of a sentence.
 */
#ifndef ELMAN_CLI_ATTENTION_FILES_H
#define ELMAN_CLI_ATTENTION_FILES_H

#include "elman.h"
#include "model_input.h"

/* Says that the suffix of `path` names no format, and which do. Gives the exit code. */
int report_suffix(const char *path);

/* Chooses *format where it is NULL; it stays so where `path` is standard output (NULL or "-") or
 * has no suffix. Gives an exit code, after a message if that is not 0. */
int format_settle(const char **format, const char *path);

/* Whether these units are there to be shown: subwords need a model that has such. `what` asks
 * for them. Gives an exit code, after a message if that is not 0. */
int units_check(const char *what, elman_alignment_units units, const struct models *models);

/* `best` and those behind it, as sentence number `sentence`, from 1. */
ELMAN_CHECKED elman_status hypotheses_write(elman_attention_writer *writer,
                                            const elman_translation *best, size_t sentence,
                                            elman_error *error);

/* All of them into a file, which is replaced at once. */
ELMAN_CHECKED elman_status hypotheses_save(const char *path, const elman_translation *best,
                                           const char *format, const elman_text_style *style,
                                           elman_error *error);

#endif
