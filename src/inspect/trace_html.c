/* The picture on a page for a browser, and its numbers in tables. The page has no script, and may
 * have none. */
#include "inspect/escape.h"
#include "inspect/trace_picture.h"

enum { WHOLE = 4096 }; /* columns: as good as uncut */

static void write_sentence(FILE *stream, const char *name, const char *const *tokens,
                           size_t count) {
  fprintf(stream, "<dt>%s</dt><dd><bdi>", name);
  for (size_t i = 0; i < count; i++) {
    if (i > 0) fputc(' ', stream);
    write_xml(stream, tokens[i], WHOLE);
  }
  fputs("</bdi></dd>\n", stream);
}

static void write_row(FILE *stream, const elman_gradient_trace *trace,
                      const elman_traced_layer *layer, size_t t) {
  fprintf(stream, "<tr><td>%zu</td><th scope=\"row\"><bdi>", t + 1);
  write_xml(stream, trace_labels(trace, layer)[t], WHOLE);
  fputs(trace_known(trace, layer)[t] ? "</bdi></th><td>"
                                     : "</bdi> (not in the vocabulary)</th><td>",
        stream);
  write_scientific(stream, layer->states[t], 2);
  fputs("</td><td>", stream);
  write_scientific(stream, layer->inputs[t], 2);
  fputs("</td><td>", stream);
  write_fixed(stream, 100 * layer->saturated[t], 1);
  fputs(" %</td>", stream);
  if (layer->side == ELMAN_TARGET) {
    fputs("<td>", stream);
    write_fixed(stream, trace->losses[t], 3);
    fputs("</td>", stream);
  }
  fputs("</tr>\n", stream);
}

static void write_table(FILE *stream, const elman_gradient_trace *trace,
                        const elman_traced_layer *layer) {
  fputs("<div role=\"region\" tabindex=\"0\" aria-label=\"Numbers: ", stream);
  trace_write_layer_name(stream, layer);
  fputs("\"><table>\n<caption>", stream);
  trace_write_layer_name(stream, layer);
  fprintf(stream,
          "</caption>\n<thead><tr><th scope=\"col\">step</th><th scope=\"col\">token</th>"
          "<th scope=\"col\">state</th><th scope=\"col\">before the nonlinearities</th>"
          "<th scope=\"col\">saturated</th>%s</tr></thead>\n<tbody>\n",
          layer->side == ELMAN_TARGET ? "<th scope=\"col\">loss</th>" : "");
  for (size_t t = 0; t < layer->steps; t++) write_row(stream, trace, layer, t);
  fputs("</tbody></table></div>\n", stream);
}

void trace_write_html(FILE *stream, const elman_gradient_trace *trace) {
  plain_page_begin(stream, "How far back learning reaches");
  fputs("<p>", stream);
  trace_write_loss(stream, trace);
  fputs("</p>\n<dl>\n", stream);
  write_sentence(stream, "Source", trace->source_tokens, trace->source_count);
  write_sentence(stream, "Target", trace->target_tokens, trace->target_count);
  fputs("</dl>\n<div role=\"region\" tabindex=\"0\" aria-label=\"Picture\">\n", stream);
  trace_write_picture(stream, trace);
  fputs("</div>\n", stream);
  for (size_t i = 0; i < trace->layer_count; i++) write_table(stream, trace, &trace->layers[i]);
  plain_page_end(stream);
}
