/* Pictures of how far back learning reaches. */
#ifndef ELMAN_INSPECT_TRACE_PICTURE_H
#define ELMAN_INSPECT_TRACE_PICTURE_H

#include <stdio.h>

#include "base/status.h"
#include "elman/gradients.h"

/* `format`: "svg" or "html". */
elman_status trace_draw(FILE *stream, const elman_gradient_trace *trace, const char *format,
                        elman_error *error) CHECKED;

/* ---- a format each ---- */

void trace_write_svg(FILE *stream, const elman_gradient_trace *trace);
void trace_write_html(FILE *stream, const elman_gradient_trace *trace);
/* The element that both are made of. */
void trace_write_picture(FILE *stream, const elman_gradient_trace *trace);

/* ---- words for what is shown, as text of XML ---- */

/* "gradients of the loss 3.01, the mean over 4 target tokens" */
void trace_write_loss(FILE *stream, const elman_gradient_trace *trace);
/* "encoder, layer 0, read backward, 3 units" */
void trace_write_layer_name(FILE *stream, const elman_traced_layer *layer);

/* What the steps of a layer stand for: a token that it reads or, in the decoder, shall say. */
const char *const *trace_labels(const elman_gradient_trace *trace, const elman_traced_layer *layer);
const bool *trace_known(const elman_gradient_trace *trace, const elman_traced_layer *layer);

#endif
