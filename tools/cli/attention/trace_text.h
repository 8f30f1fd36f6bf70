/* Gradient norms as text, for `elman trace` and for :trace in the REPL. */
#ifndef ELMAN_CLI_TRACE_TEXT_H
#define ELMAN_CLI_TRACE_TEXT_H

#include <stdio.h>

#include "elman.h"

/* Write the norms; `step` has the meaning that elman_trace gives it. */
void trace_write_text(FILE *stream, const elman_gradient_trace *trace, size_t step);

#endif
