/* A picture: heat maps one below another, each with a caption. The head contains the total size, so
 * the other parts are stored until the end. */
#include "inspect/escape.h"
#include "inspect/format.h"

enum { LEGEND_TEXT = 17, WHOLE_TITLE = 4096 };

/* Positions in one heat map. */
struct map_layout {
  size_t left; /* position of the cells */
  size_t top;  /* position of the cells, below the start of the map */
  size_t width, height;
  bool rotated; /* rotated source labels, so that long ones do not overlap */
};

/* Return the width of the widest token, in pixels. */
static size_t widest(const char *const *tokens, size_t count) {
  return SVG_COLUMN * widest_token(tokens, count, SVG_LABEL);
}

static struct map_layout map_layout_of(const elman_translation *translation) {
  const size_t across = SVG_COLUMN * widest_column(translation, SVG_LABEL);
  struct map_layout layout = {
      .left = SVG_MARGIN + widest(translation->target_tokens, translation->target_count) + SVG_GAP,
      .rotated = across > SVG_CELL};
  const size_t slope = layout.rotated ? svg_slope(across) : 0;
  /* If there are several panels, their names occupy a line above the labels. */
  layout.top = SVG_LINE + slope + (translation->heads > 1 ? SVG_LINE : 0);
  layout.width = layout.left + panel_columns(translation) * SVG_CELL + slope + SVG_MARGIN;
  layout.height = layout.top + translation->target_count * SVG_CELL_HEIGHT + SVG_MARGIN;
  return layout;
}

/* ---- colors ---- */

static void write_color(FILE *stream, double weight) {
  static const unsigned char stops[] = {
#include "inspect/page/colors.inc"
  };
  enum { CHANNELS = 3, LAST = sizeof stops / CHANNELS - 1 };
  const double place = (weight > 0 ? weight < 1 ? weight : 1 : 0) * LAST;
  const int stop = place < LAST ? (int)place : LAST - 1;
  const double share = place - stop;
  const unsigned char *low = stops + CHANNELS * stop, *high = low + CHANNELS;
  fputc('#', stream);
  for (int i = 0; i < CHANNELS; i++)
    fprintf(stream, "%02X", (unsigned)((1 - share) * low[i] + share * high[i] + 0.5));
}

/* ---- one heat map ---- */

static void write_source_labels(FILE *stream, const elman_translation *translation,
                                struct map_layout layout, size_t y) {
  for (size_t s = 0; s < panel_columns(translation); s++) {
    struct column_buffer buffer;
    svg_label(stream, column_name(&buffer, translation, s), column_known(translation, s), false,
              layout.left + s * SVG_CELL + SVG_CELL / 2, y + layout.top - SVG_GAP, layout.rotated);
  }
}

/* Write text beside an arrow, isolated so that right-to-left text does not reverse the arrow. */
static void write_side(FILE *stream, const char *text, size_t width) {
  const struct isolation isolation = isolation_of(text);
  fputs(isolation.begin, stream);
  write_xml(stream, text, width);
  fputs(isolation.end, stream);
}

static void write_cells(FILE *stream, const elman_translation *translation, const float *weights,
                        struct map_layout layout, size_t t, size_t y) {
  for (size_t s = 0; s < panel_columns(translation); s++) {
    struct column_buffer buffer;
    const double weight = column_weight(translation, weights, t, s);
    fprintf(stream, "<rect x=\"%zu\" y=\"%zu\" width=\"%d\" height=\"%d\" fill=\"",
            layout.left + s * SVG_CELL, y, SVG_CELL - 1, SVG_CELL_HEIGHT - 1);
    write_color(stream, weight);
    fputs("\"><title>", stream);
    write_side(stream, translation->target_tokens[t], SVG_LABEL);
    fputs(" ← ", stream);
    write_side(stream, column_name(&buffer, translation, s), SVG_LABEL);
    fprintf(stream, ": %s</title></rect>\n", fixed_text(weight, 3).text);
  }
}

static void write_svg_map(FILE *stream, const elman_translation *translation, size_t panel,
                          struct map_layout layout, size_t y) {
  fprintf(stream, "<g>\n<text x=\"%d\" y=\"%zu\">", SVG_MARGIN, y + SVG_LINE - SVG_GAP);
  write_panel_name(stream, translation, panel);
  fputs("</text>\n", stream);
  write_source_labels(stream, translation, layout, y);
  for (size_t t = 0; t < translation->target_count; t++) {
    const size_t top = y + layout.top + t * SVG_CELL_HEIGHT;
    fprintf(stream, "<text x=\"%zu\" y=\"%zu\" text-anchor=\"end\">", layout.left - SVG_GAP,
            top + SVG_CELL_HEIGHT - 8);
    write_xml(stream, translation->target_tokens[t], SVG_LABEL);
    fputs("</text>\n", stream);
    write_cells(stream, translation, panel_weights(translation, panel), layout, t, top);
  }
  fputs("</g>\n", stream);
}

/* ---- a translation ---- */

static const char ARROW[] = " → ";
static const char NO_TRANSLATION[] = "no translation: ";

static void write_sentences(FILE *stream, const elman_attention_writer *writing,
                            const elman_translation *translation) {
  if (writing->refusal != NULL) {
    fputs(NO_TRANSLATION, stream);
    write_xml(stream, writing->refusal, SVG_CAPTION);
    return;
  }
  write_side(stream, translation->source, SVG_CAPTION / 2);
  fputs(ARROW, stream);
  write_side(stream, translation->text, SVG_CAPTION / 2);
}

/* Return the width of the title in columns. */
static size_t title_columns(const elman_attention_writer *writing,
                            const elman_translation *translation) {
  const elman_attention_place place = writing->place;
  const size_t most = SVG_CAPTION / 2 + 1; /* with a column for the "…" */
  const size_t number = (size_t)snprintf(NULL, 0, "%zu.%zu: ", place.sentence, place.hypothesis);
  if (writing->style.title != NULL) return visible_width(writing->style.title);
  if (writing->refusal != NULL) {
    const size_t reason = visible_width(writing->refusal);
    return number + sizeof NO_TRANSLATION + (reason < SVG_CAPTION ? reason : SVG_CAPTION + 1);
  }
  const size_t source = visible_width(translation->source);
  const size_t text = visible_width(translation->text);
  return number + (source < most ? source : most) + (text < most ? text : most) + sizeof ARROW - 1;
}

/* Write the title above the heat maps of a translation, unless it is empty. */
static void write_title(elman_attention_writer *writing, const elman_translation *translation) {
  const char *title = writing->style.title;
  FILE *stream = writing->held;
  if (title != NULL && *title == '\0') return;
  fprintf(stream, "<text class=\"caption\" x=\"%d\" y=\"%zu\">", SVG_MARGIN,
          writing->height + SVG_LINE);
  if (title == NULL) {
    fprintf(stream, "%zu.%zu: ", writing->place.sentence, writing->place.hypothesis);
    write_sentences(stream, writing, translation);
  } else {
    write_xml(stream, title, WHOLE_TITLE);
  }
  fputs("</text>\n", stream);
  writing->height += SVG_LINE + SVG_GAP;
  const size_t width = 2 * SVG_MARGIN + SVG_COLUMN * title_columns(writing, translation);
  if (width > writing->width) writing->width = width;
}

static void write_svg(elman_attention_writer *writing, const elman_translation *translation) {
  const struct map_layout layout = map_layout_of(translation);
  const char *const source = writing->source_words ? "word" : "token";
  const char *const target = writing->target_words ? "word" : "token";
  FILE *stream = writing->held;
  fputs("<g role=\"img\">\n<title>", stream);
  write_sentences(stream, writing, translation);
  fprintf(
      stream,
      "</title>\n<desc>Attention weights of %zu target %s%s (rows) for %zu source %s%s (columns); "
      "brighter cells are larger weights.</desc>\n",
      translation->target_count, target, plural_ending(translation->target_count),
      translation->source_count, source, plural_ending(translation->source_count));
  write_title(writing, translation);
  for (size_t i = 0; i < panel_count(translation); i++) {
    write_svg_map(stream, translation, i, layout, writing->height);
    writing->height += layout.height;
  }
  fputs("</g>\n", stream);
  if (layout.width > writing->width) writing->width = layout.width;
  if (has_unknown(translation)) writing->unknown = true;
}

/* ---- the document ---- */

static void begin_svg(elman_attention_writer *writing) {
  writing->width = 2 * SVG_MARGIN + SVG_BAR + (3 + LEGEND_TEXT) * SVG_COLUMN;
  writing->held = open_memstream(&writing->held_bytes, &writing->held_length);
  writing->failed = writing->held == NULL;
}

/* Write the color bar: ticks below it, its name beside it. heat_map.js draws the same bar. */
static void write_scale(FILE *stream, size_t y) {
  enum { STEPS = 8 };
  fputs("<g>\n<defs><linearGradient id=\"scale\">", stream);
  for (int i = 0; i <= STEPS; i++) {
    fprintf(stream, "<stop offset=\"%s\" stop-color=\"", fixed_text((double)i / STEPS, 3).text);
    write_color(stream, (double)i / STEPS);
    fputs("\"/>", stream);
  }
  const size_t left = SVG_MARGIN + SVG_COLUMN; /* half of the label of 0 is left of the bar */
  fprintf(stream,
          "</linearGradient></defs>\n"
          "<rect x=\"%zu\" y=\"%zu\" width=\"%d\" height=\"%d\" fill=\"url(#scale)\"/>\n",
          left, y, SVG_BAR, SVG_BAR_HEIGHT);
  for (int i = 0; i <= SVG_TICKS; i++) {
    const size_t x = left + (size_t)(SVG_BAR * i / SVG_TICKS);
    fprintf(stream,
            "<path d=\"M%zu %zuv%d\" stroke=\"#1A1A1A\"/>"
            "<text x=\"%zu\" y=\"%zu\" text-anchor=\"middle\">%s</text>\n",
            x, y + SVG_BAR_HEIGHT, SVG_TICK, x, y + SVG_BAR_HEIGHT + SVG_TICK + SVG_FONT,
            fixed_text((double)i / SVG_TICKS, i % SVG_TICKS == 0 ? 0
                                              : i % 2 == 0       ? 1
                                                                 : 2)
                .text);
  }
  fprintf(stream, "<text x=\"%zu\" y=\"%zu\">attention weight</text>\n</g>\n",
          left + SVG_BAR + 2 * SVG_COLUMN, y + SVG_BAR_HEIGHT);
}

static void end_svg(elman_attention_writer *writing) {
  FILE *stream = writing->stream;
  const size_t width = writing->width;
  const size_t height = writing->height + (writing->unknown ? 4U : 3U) * SVG_LINE;
  writing->failed = fflush(writing->held) != 0 || ferror(writing->held);
  if (writing->failed) return;
  svg_declaration(stream);
  svg_begin(stream, width, height, "Attention", "", NULL);
  fwrite(writing->held_bytes, 1, writing->held_length, stream);
  write_scale(stream, writing->height + SVG_LINE / 2);
  if (writing->unknown)
    fprintf(stream, "<text class=\"unknown\" x=\"%d\" y=\"%zu\">not in the vocabulary</text>\n",
            SVG_MARGIN, writing->height + 3 * SVG_LINE);
  fputs("</svg>\n", stream);
}

const struct format format_svg = {"svg", ".svg", .begin = begin_svg, .write = write_svg,
                                  .end = end_svg};
