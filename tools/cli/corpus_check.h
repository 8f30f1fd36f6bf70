/* The two forms of what `elman corpus check` has found. */
#ifndef ELMAN_CLI_CORPUS_CHECK_H
#define ELMAN_CLI_CORPUS_CHECK_H

#include <stdio.h>

#include "elman.h"

/* For programs. */
void write_check_json(FILE *stream, const elman_check *check, size_t part_count);

/* The number of lines that are no pairs. */
size_t check_bad_lines(const elman_check *check, size_t part);

#endif
