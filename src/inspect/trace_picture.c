#include "elman/gradients.h"

#include <math.h>
#include <string.h>

#include "inspect/escape.h"
#include "inspect/format.h"

/* ---- captions, as XML text ---- */

/* Write a caption such as "gradients of the loss 3.01, the mean over 4 target tokens". */
static void write_loss(FILE *stream, const elman_gradient_trace *trace) {
  fprintf(stream, "gradients of the loss %s", fixed_text(trace->loss, 3).text);
  if (trace->target_step == 0) {
    fprintf(stream, ", the mean over %zu target token%s", trace->target_count,
            trace->target_count == 1 ? "" : "s");
    return;
  }
  fprintf(stream, " of target token %zu, ", trace->target_step);
  write_xml(stream, trace->target_tokens[trace->target_step - 1], SVG_LABEL);
}

/* Write a caption such as "encoder, layer 0, read backward, 3 units". */
static void write_layer_name(FILE *stream, const elman_traced_layer *layer) {
  fprintf(stream, "%s, layer %zu%s, %zu unit%s",
          layer->side == ELMAN_SOURCE ? "encoder" : "decoder", layer->layer,
          layer->reverse ? ", read backward" : "", layer->units, plural_ending(layer->units));
}

/* Return the labels of the steps: the token that the encoder reads, or the token that the decoder
 * predicts. */
static const char *const *labels_of(const elman_gradient_trace *trace,
                                    const elman_traced_layer *layer) {
  return layer->side == ELMAN_SOURCE ? trace->source_tokens : trace->target_tokens;
}

static const bool *known_of(const elman_gradient_trace *trace, const elman_traced_layer *layer) {
  return layer->side == ELMAN_SOURCE ? trace->source_known : trace->target_known;
}

/* ---- the picture ---- */

/* The picture has one panel for each layer and direction, one below another. All panels have the
 * same logarithmic scale, on which a constant factor per step is a straight line. */

enum {
  PLOT = 160,  /* height of the plot of norms */
  SHARE = 40,  /* height of a fraction of 100 % */
  TICKS = 8,   /* maximum number of ticks of the norms */
  TICK = 5,    /* columns of "1e-12" */
  SAMPLE = 40, /* width of a line in the legend */
  WORDS = 70   /* columns of the longest text above the panels */
};

/* A logarithmic scale from 10^low to 10^high; low < high. */
struct trace_scale {
  int low, high;
};

/* Positions common to all panels. */
struct trace_layout {
  struct trace_scale scale;
  size_t left; /* position of the first step */
  size_t width;
};

/* Positions of one panel, in pixels below its start. */
struct trace_panel {
  const elman_traced_layer *layer;
  size_t across; /* width of the widest label */
  bool rotated;
  size_t plot, share, labels, end;
};

/* ---- sizes ---- */

/* Return whether the norm is positive, so that it has a logarithm. */
static bool is_drawn(double norm) {
  return norm > 0 && isfinite(norm);
}

static void widen(struct trace_scale *scale, const double *norms, size_t count, bool *any) {
  for (size_t t = 0; t < count; t++) {
    if (!is_drawn(norms[t])) continue;
    const int low = (int)floor(log10(norms[t])), high = (int)ceil(log10(norms[t]));
    if (!*any || low < scale->low) scale->low = low;
    if (!*any || high > scale->high) scale->high = high;
    *any = true;
  }
}

static struct trace_scale scale_of(const elman_gradient_trace *trace) {
  struct trace_scale scale = {-1, 0};
  bool any = false;
  for (size_t i = 0; i < trace->layer_count; i++) {
    const elman_traced_layer *layer = &trace->layers[i];
    widen(&scale, layer->states, layer->steps, &any);
    widen(&scale, layer->inputs, layer->steps, &any);
  }
  if (scale.low == scale.high) scale.low--;
  return scale;
}

static struct trace_panel trace_panel_of(const elman_gradient_trace *trace,
                                         const elman_traced_layer *layer) {
  struct trace_panel panel = {.layer = layer};
  panel.across = SVG_COLUMN * widest_token(labels_of(trace, layer), layer->steps, SVG_LABEL);
  panel.rotated = panel.across > SVG_CELL;
  panel.plot = 2 * SVG_LINE;
  panel.share = panel.plot + PLOT + SVG_LINE + SVG_GAP;
  panel.labels = panel.share + SHARE + SVG_LINE;
  panel.end = panel.labels + (panel.rotated ? svg_slope(panel.across) : 0) + SVG_LINE + SVG_MARGIN;
  return panel;
}

static struct trace_layout trace_layout_of(const elman_gradient_trace *trace) {
  struct trace_layout layout = {.scale = scale_of(trace),
                                .left = SVG_MARGIN + SVG_LINE + TICK * SVG_COLUMN + SVG_GAP};
  size_t steps = 0;
  for (size_t i = 0; i < trace->layer_count; i++) {
    const struct trace_panel panel = trace_panel_of(trace, &trace->layers[i]);
    const size_t slope = panel.rotated ? svg_slope(panel.across) : 0;
    if (SVG_MARGIN + slope > layout.left) layout.left = SVG_MARGIN + slope;
    if (panel.layer->steps > steps) steps = panel.layer->steps;
  }
  const size_t width = layout.left + steps * SVG_CELL + SVG_MARGIN;
  const size_t words = 2 * SVG_MARGIN + WORDS * SVG_COLUMN;
  layout.width = width > words ? width : words;
  return layout;
}

/* Return the x coordinate of the center of a step. */
static size_t place_of(const struct trace_layout *layout, size_t t) {
  return layout->left + t * SVG_CELL + SVG_CELL / 2;
}

/* Return the distance of a norm below the top of the plot. */
static double height_of(struct trace_scale scale, double norm) {
  return PLOT * (scale.high - log10(norm)) / (scale.high - scale.low);
}

/* ---- the axes ---- */

static void write_tick(FILE *stream, const struct trace_layout *layout, size_t y,
                       const char *name) {
  fprintf(stream, "<text x=\"%zu\" y=\"%zu\" text-anchor=\"end\">%s</text>\n",
          layout->left - SVG_GAP, y + 4, name);
}

static void write_line(FILE *stream, const char *class, const struct trace_layout *layout,
                       size_t steps, size_t y) {
  fprintf(stream, "<path class=\"%s\" d=\"M%zu %zuh%zu\"/>\n", class, layout->left, y,
          steps * SVG_CELL);
}

static void write_axes(FILE *stream, const struct trace_layout *layout,
                       const struct trace_panel *panel, size_t top) {
  const struct trace_scale scale = layout->scale;
  const size_t steps = panel->layer->steps, decades = (size_t)(scale.high - scale.low);
  const size_t stride = (decades + TICKS - 1) / TICKS;
  for (size_t decade = 0; decade <= decades; decade += stride) {
    char name[16];
    const size_t y = top + panel->plot + PLOT * decade / decades;
    snprintf(name, sizeof name, "1e%d", scale.high - (int)decade);
    write_tick(stream, layout, y, name);
    write_line(stream, "grid", layout, steps, y);
  }
  write_line(stream, "axis", layout, steps, top + panel->plot + PLOT);
  write_line(stream, "grid", layout, steps, top + panel->share);
  write_line(stream, "axis", layout, steps, top + panel->share + SHARE);
  write_tick(stream, layout, top + panel->share, "100 %");
  write_tick(stream, layout, top + panel->share + SHARE, "0 %");
  fprintf(stream,
          "<text transform=\"translate(%d,%zu)rotate(-90)\" text-anchor=\"middle\">gradient norm, "
          "log scale</text>\n",
          SVG_MARGIN + SVG_LINE / 2, top + panel->plot + PLOT / 2);
  fprintf(stream, "<text x=\"%zu\" y=\"%zu\">%s</text>\n", layout->left,
          top + panel->share - SVG_GAP, "saturated");
  fprintf(stream, "<text x=\"%zu\" y=\"%zu\">%s</text>\n", layout->left,
          top + panel->end - SVG_MARGIN,
          panel->layer->side == ELMAN_SOURCE ? "step: source token" : "step: target token");
}

static void write_labels(FILE *stream, const elman_gradient_trace *trace,
                         const struct trace_layout *layout, const struct trace_panel *panel,
                         size_t top) {
  const elman_traced_layer *layer = panel->layer;
  for (size_t t = 0; t < layer->steps; t++)
    svg_label(stream, labels_of(trace, layer)[t], known_of(trace, layer)[t], true,
              place_of(layout, t), top + panel->labels - SVG_GAP, panel->rotated);
}

/* ---- the marks ---- */

/* Draw a line through all norms that have a logarithm; interrupt it at other norms. */
static void write_curve(FILE *stream, const char *class, const struct trace_layout *layout,
                        const double *norms, size_t steps, size_t top) {
  bool drawn = false;
  fprintf(stream, "<path class=\"%s\" d=\"", class);
  for (size_t t = 0; t < steps; t++) {
    if (is_drawn(norms[t]))
      fprintf(stream, "%s%zu %s", drawn ? "L" : "M", place_of(layout, t),
              fixed_text((double)top + height_of(layout->scale, norms[t]), 1).text);
    drawn = is_drawn(norms[t]);
  }
  fputs("\"/>\n", stream);
}

static void write_dot(FILE *stream, const char *class, const struct trace_layout *layout,
                      double norm, size_t t, size_t top) {
  if (!is_drawn(norm)) return;
  fprintf(stream, "<circle class=\"%s\" r=\"3\" cx=\"%zu\" cy=\"%s\"/>", class, place_of(layout, t),
          fixed_text((double)top + height_of(layout->scale, norm), 1).text);
}

static void write_step_words(FILE *stream, const elman_gradient_trace *trace,
                             const elman_traced_layer *layer, size_t t) {
  fprintf(stream, "step %zu, ", t + 1);
  write_xml(stream, labels_of(trace, layer)[t], SVG_LABEL);
  fprintf(stream, ": state %s, pre-activation %s, saturated %s %%",
          scientific_text(layer->states[t], 2).text, scientific_text(layer->inputs[t], 2).text,
          fixed_text(100 * layer->saturated[t], 1).text);
}

/* Draw the marks of a step as one element, which has one tooltip. */
static void write_step(FILE *stream, const elman_gradient_trace *trace,
                       const struct trace_layout *layout, const struct trace_panel *panel, size_t t,
                       size_t top) {
  const elman_traced_layer *layer = panel->layer;
  const double share = layer->saturated[t] * SHARE;
  const size_t left = layout->left + t * SVG_CELL;
  fputs("<g><title>", stream);
  write_step_words(stream, trace, layer, t);
  fprintf(stream,
          "</title><rect class=\"step\" x=\"%zu\" y=\"%zu\" width=\"%d\" height=\"%zu\"/>"
          "<rect class=\"saturated\" x=\"%zu\" width=\"%d\" y=\"%s\" height=\"%s\"/>",
          left, top + panel->plot, SVG_CELL, panel->share + SHARE - panel->plot, left + SVG_GAP,
          SVG_CELL - 2 * SVG_GAP, fixed_text((double)(top + panel->share + SHARE) - share, 1).text,
          fixed_text(share, 1).text);
  write_dot(stream, "input", layout, layer->inputs[t], t, top + panel->plot);
  write_dot(stream, "state", layout, layer->states[t], t, top + panel->plot);
  fputs("</g>\n", stream);
}

static void write_description(FILE *stream, const elman_gradient_trace *trace,
                              const elman_traced_layer *layer) {
  fprintf(
      stream,
      "The norm of the gradient at each of %zu step%s, on a logarithmic scale, and the proportion "
      "of saturated units. First ",
      layer->steps, plural_ending(layer->steps));
  write_step_words(stream, trace, layer, 0);
  fputs("; last ", stream);
  write_step_words(stream, trace, layer, layer->steps - 1);
  fputs(".", stream);
}

static void write_panel(FILE *stream, const elman_gradient_trace *trace,
                        const struct trace_layout *layout, const struct trace_panel *panel,
                        size_t top) {
  const elman_traced_layer *layer = panel->layer;
  fputs("<g role=\"img\">\n<title>", stream);
  write_layer_name(stream, layer);
  fputs("</title>\n<desc>", stream);
  write_description(stream, trace, layer);
  fprintf(stream, "</desc>\n<text class=\"caption\" x=\"%d\" y=\"%zu\">", SVG_MARGIN,
          top + SVG_LINE - SVG_GAP);
  write_layer_name(stream, layer);
  fputs("</text>\n", stream);
  write_axes(stream, layout, panel, top);
  write_labels(stream, trace, layout, panel, top);
  write_curve(stream, "input", layout, layer->inputs, layer->steps, top + panel->plot);
  write_curve(stream, "state", layout, layer->states, layer->steps, top + panel->plot);
  for (size_t t = 0; t < layer->steps; t++) write_step(stream, trace, layout, panel, t, top);
  fputs("</g>\n", stream);
}

/* ---- the document ---- */

static size_t write_sample(FILE *stream, const char *class, const char *name, size_t x, size_t y) {
  fprintf(stream,
          "<path class=\"%s\" d=\"M%zu %zuh%d\"/><circle class=\"%s\" r=\"3\" cx=\"%zu\" "
          "cy=\"%zu\"/>\n<text x=\"%zu\" y=\"%zu\">%s</text>\n",
          class, x, y - 4, SAMPLE, class, x + SAMPLE / 2, y - 4, x + SAMPLE + SVG_GAP, y, name);
  return x + SAMPLE + SVG_GAP + SVG_COLUMN * widest_token(&name, 1, WORDS) + SVG_LINE;
}

/* Write the head. Return its height. */
static size_t trace_head(FILE *stream, const elman_gradient_trace *trace) {
  const size_t y = 2 * SVG_LINE;
  fprintf(stream, "<text class=\"caption\" x=\"%d\" y=\"%d\">", SVG_MARGIN, SVG_LINE);
  write_loss(stream, trace);
  fputs("</text>\n", stream);
  const size_t x = write_sample(stream, "state", "state", SVG_MARGIN, y);
  write_sample(stream, "input", "pre-activation", x, y);
  return y + SVG_LINE;
}

/* Write the svg element, used by both formats. Only a page follows dark mode. */
static void write_picture(FILE *stream, const elman_gradient_trace *trace, bool in_page) {
  const struct trace_layout layout = trace_layout_of(trace);
  size_t height = 3 * SVG_LINE;
  for (size_t i = 0; i < trace->layer_count; i++)
    height += trace_panel_of(trace, &trace->layers[i]).end;
  svg_begin(stream, layout.width, height, "How far gradients propagate back",
            "path { fill: none; stroke-width: 2 }\n"
            ".axis { stroke: #767676; stroke-width: 1 }\n"
            ".grid { stroke: #DDDDDD; stroke-width: 1 }\n"
            ".step { fill: none; pointer-events: all }\n"
            "path.state { stroke: #0B5CAD } circle.state { fill: #0B5CAD }\n"
            "path.input { stroke: #A04A00; stroke-dasharray: 5 3 }\n"
            "circle.input { fill: #FFFFFF; stroke: #A04A00; stroke-width: 2 }\n"
            ".saturated { fill: #6A737D }\n",
            !in_page
                ? NULL
                : " .axis { stroke: #8C8C8C } .grid { stroke: #3A3A3A }"
                  " path.state { stroke: #7DB8F5 } circle.state { fill: #7DB8F5 }"
                  " path.input { stroke: #F0A860 } circle.input { fill: #161616; stroke: #F0A860 }"
                  " .saturated { fill: #A9B0BA }");
  size_t top = trace_head(stream, trace);
  for (size_t i = 0; i < trace->layer_count; i++) {
    const struct trace_panel panel = trace_panel_of(trace, &trace->layers[i]);
    write_panel(stream, trace, &layout, &panel, top);
    top += panel.end;
  }
  fputs("</svg>\n", stream);
}

/* ---- the page ---- */

/* Write the picture as an HTML page without scripts, with its numbers in tables. */

enum { WHOLE = 4096 }; /* columns: practically unlimited */

static void write_sentence(FILE *stream, const char *name, const char *const *tokens,
                           size_t count) {
  fprintf(stream, "<dt>%s</dt><dd><bdi>", name);
  for (size_t i = 0; i < count; i++) {
    if (i > 0) fputc(' ', stream);
    write_xml(stream, tokens[i], WHOLE);
  }
  fputs("</bdi></dd>\n", stream);
}

static void trace_row(FILE *stream, const elman_gradient_trace *trace,
                      const elman_traced_layer *layer, size_t t) {
  fprintf(stream, "<tr><td>%zu</td><th scope=\"row\"><bdi>", t + 1);
  write_xml(stream, labels_of(trace, layer)[t], WHOLE);
  fprintf(stream, "</bdi>%s</th><td>%s</td><td>%s</td><td>%s %%</td>",
          known_of(trace, layer)[t] ? "" : " (not in the vocabulary)",
          scientific_text(layer->states[t], 2).text, scientific_text(layer->inputs[t], 2).text,
          fixed_text(100 * layer->saturated[t], 1).text);
  if (layer->side == ELMAN_TARGET)
    fprintf(stream, "<td>%s</td>", fixed_text(trace->losses[t], 3).text);
  fputs("</tr>\n", stream);
}

static void trace_table(FILE *stream, const elman_gradient_trace *trace,
                        const elman_traced_layer *layer) {
  fputs("<div role=\"region\" tabindex=\"0\" aria-label=\"Numbers: ", stream);
  write_layer_name(stream, layer);
  fputs("\"><table>\n<caption>", stream);
  write_layer_name(stream, layer);
  fprintf(stream,
          "</caption>\n<thead><tr><th scope=\"col\">step</th><th scope=\"col\">token</th>"
          "<th scope=\"col\">state</th><th scope=\"col\">pre-activation</th>"
          "<th scope=\"col\">saturated</th>%s</tr></thead>\n<tbody>\n",
          layer->side == ELMAN_TARGET ? "<th scope=\"col\">loss</th>" : "");
  for (size_t t = 0; t < layer->steps; t++) trace_row(stream, trace, layer, t);
  fputs("</tbody></table></div>\n", stream);
}

static void trace_html(FILE *stream, const elman_gradient_trace *trace) {
  plain_page_begin(stream, "How far gradients propagate back");
  fputs("<p>", stream);
  write_loss(stream, trace);
  fputs("</p>\n<dl>\n", stream);
  write_sentence(stream, "Source", trace->source_tokens, trace->source_count);
  write_sentence(stream, "Target", trace->target_tokens, trace->target_count);
  fputs("</dl>\n<div role=\"region\" tabindex=\"0\" aria-label=\"Picture\">\n", stream);
  write_picture(stream, trace, true);
  fputs("</div>\n", stream);
  for (size_t i = 0; i < trace->layer_count; i++) trace_table(stream, trace, &trace->layers[i]);
  plain_page_end(stream);
}

elman_status elman_trace_draw(FILE *stream, const elman_gradient_trace *trace, const char *format,
                              elman_error *error) {
  if (strcmp(format, "svg") == 0) {
    svg_declaration(stream);
    write_picture(stream, trace, false);
  } else if (strcmp(format, "html") == 0) {
    trace_html(stream, trace);
  } else {
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL,
                "unknown picture format \"%s\"; use svg or html", format);
  }
  return ELMAN_OK;
}
