#include "attention/trace_text.h"

#include <math.h>
#include <string.h>

#include "console/messages.h"

enum { BAR_DECADES = 5, MARKS_A_DECADE = 4, BAR = BAR_DECADES * MARKS_A_DECADE };

static double largest_gradient(const elman_gradient_trace *trace) {
  double largest = 0;
  for (size_t i = 0; i < trace->layer_count; i++) {
    for (size_t t = 0; t < trace->layers[i].steps; t++)
      largest = fmax(largest, trace->layers[i].states[t]);
  }
  return largest;
}

/* Draw a bar on a logarithmic scale, on which exponential decay is a straight line. */
static void write_bar(FILE *stream, double value, double largest) {
  const double length = value > 0 ? BAR + MARKS_A_DECADE * log10(value / largest) : 0;
  const int marks = length > 0 ? (int)lround(length) : 0;
  putc('|', stream);
  for (int i = 0; i < BAR; i++) putc(i < marks ? '#' : ' ', stream);
  putc('|', stream);
}

/* Write the values at the two ends of the bar. */
static void write_scale(FILE *stream, double largest) {
  char least[16], most[16];
  snprintf(least, sizeof least, "%.1e", largest * pow(10, -BAR_DECADES));
  snprintf(most, sizeof most, "%.1e", largest);
  fprintf(stream, "|%s log%*s|", least, BAR - (int)strlen(least) - (int)strlen(" log"), most);
}

static void write_token(FILE *stream, const char *token, bool known) {
  print_visible(stream, token);
  if (!known) fputs(" (unknown)", stream);
}

/* Write the input token of the time step. For the decoder, also write its target token and loss. */
static void write_words(FILE *stream, const elman_gradient_trace *trace,
                        const elman_traced_layer *layer, size_t t) {
  if (layer->side == ELMAN_SOURCE) {
    write_token(stream, trace->source_tokens[t], trace->source_known[t]);
    return;
  }
  if (t == 0)
    fputs("<s>", stream);
  else
    write_token(stream, trace->target_tokens[t - 1], trace->target_known[t - 1]);
  fputs(" -> ", stream);
  write_token(stream, trace->target_tokens[t], trace->target_known[t]);
  fprintf(stream, ", loss %.3g", trace->losses[t]);
}

static void write_layer(FILE *stream, const elman_gradient_trace *trace,
                        const elman_traced_layer *layer, double largest) {
  fprintf(stream, "\n%s, layer %zu%s, %zu unit%s\n",
          layer->side == ELMAN_SOURCE ? "encoder" : "decoder", layer->layer,
          layer->reverse ? ", read backward" : "", layer->units, plural(layer->units));
  fprintf(stream, "%4s  %9s  %9s  %9s  ", "step", "state", "pre-tanh", "saturated");
  write_scale(stream, largest);
  fputs("  bar: state\n", stream);
  for (size_t t = 0; t < layer->steps; t++) {
    fprintf(stream, "%4zu  %9.2e  %9.2e  %7.1f %%  ", t + 1, layer->states[t], layer->inputs[t],
            100 * layer->saturated[t]);
    write_bar(stream, layer->states[t], largest);
    fputs("  ", stream);
    write_words(stream, trace, layer, t);
    putc('\n', stream);
  }
}

void trace_write_text(FILE *stream, const elman_gradient_trace *trace, size_t step) {
  if (step == 0) {
    fprintf(stream, "gradients of the loss %.6g, the mean over %zu target token%s\n", trace->loss,
            trace->target_count, plural(trace->target_count));
  } else {
    fprintf(stream, "gradients of the loss %.6g of target token %zu, ", trace->loss, step);
    write_token(stream, trace->target_tokens[step - 1], trace->target_known[step - 1]);
    putc('\n', stream);
  }
  for (size_t i = 0; i < trace->layer_count; i++)
    write_layer(stream, trace, &trace->layers[i], largest_gradient(trace));
}
