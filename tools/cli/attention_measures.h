/* Measures of attention over a corpus, for people and for programs. */
#ifndef ELMAN_CLI_ATTENTION_MEASURES_H
#define ELMAN_CLI_ATTENTION_MEASURES_H

#include <stdbool.h>
#include <stdio.h>

#include "elman.h"

/* `aligned`: with the comparison with gold alignments. */
void write_measures(FILE *stream, const elman_attention_measures *measures, bool aligned,
                    bool as_json);

#endif
