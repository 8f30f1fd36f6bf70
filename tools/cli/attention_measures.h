/* What attention did over a corpus, for people and for programs. */
#ifndef ELMAN_CLI_ATTENTION_MEASURES_H
#define ELMAN_CLI_ATTENTION_MEASURES_H

#include <stdbool.h>
#include <stdio.h>

#include "elman.h"

/* `aligned`: with what was compared with gold alignments. */
void write_measures_json(FILE *stream, const elman_attention_measures *measures, bool aligned);
void write_measures_text(FILE *stream, const elman_attention_measures *measures, bool aligned);

#endif
