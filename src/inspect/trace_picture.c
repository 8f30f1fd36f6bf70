#include "inspect/trace_picture.h"

#include <string.h>

#include "inspect/escape.h"

elman_status trace_draw(FILE *stream, const elman_gradient_trace *trace, const char *format,
                        elman_error *error) {
  if (strcmp(format, "svg") == 0)
    trace_write_svg(stream, trace);
  else if (strcmp(format, "html") == 0)
    trace_write_html(stream, trace);
  else
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "there is no format \"%s\"", format);
  return ELMAN_OK;
}

void trace_write_loss(FILE *stream, const elman_gradient_trace *trace) {
  fputs("gradients of the loss ", stream);
  write_fixed(stream, trace->loss, 3);
  if (trace->target_step == 0) {
    fprintf(stream, ", the mean over %zu target token%s", trace->target_count,
            trace->target_count == 1 ? "" : "s");
    return;
  }
  fprintf(stream, " of target token %zu, ", trace->target_step);
  write_xml(stream, trace->target_tokens[trace->target_step - 1], SVG_LABEL);
}

void trace_write_layer_name(FILE *stream, const elman_traced_layer *layer) {
  fprintf(stream, "%s, layer %zu%s, %zu units", layer->side == ELMAN_SOURCE ? "encoder" : "decoder",
          layer->layer, layer->reverse ? ", read backward" : "", layer->units);
}

const char *const *trace_labels(const elman_gradient_trace *trace,
                                const elman_traced_layer *layer) {
  return layer->side == ELMAN_SOURCE ? trace->source_tokens : trace->target_tokens;
}

const bool *trace_known(const elman_gradient_trace *trace, const elman_traced_layer *layer) {
  return layer->side == ELMAN_SOURCE ? trace->source_known : trace->target_known;
}
