/* Files of attention matrices: their formats, and all translations of a sentence. */
#ifndef ELMAN_CLI_ATTENTION_FILES_H
#define ELMAN_CLI_ATTENTION_FILES_H

#include "console/output.h"
#include "elman.h"
#include "input/model_input.h"

/* Those of the library, and PNG, which is converted from a picture of the library's. */
extern const struct formats attention_formats;

/* What the library writes for one of them. */
const char *attention_format_written(const char *format);

/* Whether these units are there to be shown: subwords need a model that has such. `what` asks
 * for them. Gives an exit code, after a message if that is not 0. */
int units_check(const char *what, elman_alignment_units units, const struct models *models);

/* `best`, whose place is given, and those behind it. */
ELMAN_CHECKED elman_status hypotheses_write(elman_attention_writer *writer,
                                            const elman_translation *best,
                                            elman_attention_place place, elman_error *error);

/* All of them into a file, which is replaced at once. Gives an exit code, after a message if that
 * is not 0. */
int hypotheses_save(const char *path, const elman_translation *best, const char *format,
                    const elman_text_style *style);

#endif
