/* The attention of all translations of a sentence. */
#ifndef ELMAN_CLI_HYPOTHESES_H
#define ELMAN_CLI_HYPOTHESES_H

#include "elman.h"

/* `best` and those behind it, as sentence number `sentence`, from 1. */
ELMAN_CHECKED elman_status hypotheses_write(elman_attention_writer *writer,
                                            const elman_translation *best, size_t sentence,
                                            elman_error *error);

/* All of them into a file, which is replaced at once. */
ELMAN_CHECKED elman_status hypotheses_save(const char *path, const elman_translation *best,
                                           const char *format, elman_error *error);

#endif
