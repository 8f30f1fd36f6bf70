/* Pictures of gradient norms at every time step. */
#ifndef ELMAN_INSPECT_TRACE_PICTURE_H
#define ELMAN_INSPECT_TRACE_PICTURE_H

#include <stdio.h>

#include "base/status.h"
#include "elman/gradients.h"

/* Write the picture; `format` is "svg" or "html". */
elman_status trace_draw(FILE *stream, const elman_gradient_trace *trace, const char *format,
                        elman_error *error) CHECKED;

#endif
