/* A picture of training runs: panels one below another, one for each key of the logs. All panels
 * have the same horizontal axis, and their plots begin and end at the same places. */
#include "elman/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "inspect/escape.h"
#include "inspect/run_log.h"

enum {
  PLOT_WIDTH = 640,
  PLOT_HEIGHT = 220,
  PLOT_RIGHT = 36, /* half of the last label of the horizontal axis */
  MOST_PANELS = 16,
  MOST_TICKS = 16,
  MOST_POINTS = 500, /* of a curve; a longer curve is drawn as means of its parts */
  DOT_POINTS = 60,   /* a curve of validations with more points has no dots */
  TICK_DIGITS = 6,
  KEY_LINE = 30, /* length of a line in the legend */
  NAME_WIDTH = 48,
  TITLE_WIDTH = 4096
};

/* Colors of Okabe and Ito that color-blind readers can distinguish on white. Further runs have the
 * same colors and another line style. */
static const char *const COLORS[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                     "#B58900", "#56B4E9", "#000000"};
static const char *const DASHES[] = {"none", "7 3", "2 2", "9 3 2 3"};

enum { COLOR_COUNT = sizeof COLORS / sizeof *COLORS, DASH_COUNT = sizeof DASHES / sizeof *DASHES };

elman_plot_options elman_plot_options_default(void) {
  return (elman_plot_options){.x_axis = "update"};
}

/* ---- axes ---- */

/* An axis from `low` to `high`; low < high. Both are positive if the axis is logarithmic. */
struct plot_axis {
  double low, high;
  bool is_log, any;
};

struct plot_ticks {
  double values[MOST_TICKS];
  size_t count;
};

static void axis_widen(struct plot_axis *axis, double value) {
  if (!axis->any || value < axis->low) axis->low = value;
  if (!axis->any || value > axis->high) axis->high = value;
  axis->any = true;
}

/* Leave room at both ends: this share of the range, or more if all values are about equal. Leave no
 * room below 0 if no value is negative. */
static void axis_pad(struct plot_axis *axis, double share) {
  const bool has_floor = axis->low >= 0;
  const double low = axis->is_log ? log(axis->low) : axis->low;
  const double high = axis->is_log ? log(axis->high) : axis->high;
  const double size = fmax(fabs(low), fabs(high));
  const bool is_flat = high - low <= fmax(1e-9 * size, 1 / FARTHEST);
  const double room = is_flat ? (axis->is_log ? 0.5 : fmax(0.1 * size, 0.1)) : share * (high - low);
  axis->low = axis->is_log ? exp(low - room) : low - room;
  axis->high = axis->is_log ? exp(high + room) : high + room;
  if (has_floor && axis->low < 0) axis->low = 0;
}

/* Return the place of a value: 0 at the low end, 1 at the high end. */
static double axis_place(const struct plot_axis *axis, double value) {
  return axis->is_log ? log(value / axis->low) / log(axis->high / axis->low)
                      : (value - axis->low) / (axis->high - axis->low);
}

static void tick_add(struct plot_ticks *ticks, const struct plot_axis *axis, double value) {
  if (value < axis->low || value > axis->high || ticks->count == MOST_TICKS) return;
  ticks->values[ticks->count++] = value;
}

/* Add the powers of ten, `stride` decades apart; with `fine`, also 2 and 5 times the powers. */
static void ticks_of_decades(struct plot_ticks *ticks, const struct plot_axis *axis, int stride,
                             bool fine) {
  const int low = (int)floor(log10(axis->low)), high = (int)ceil(log10(axis->high));
  for (int decade = low; decade <= high; decade++) {
    if (decade % stride != 0) continue;
    const double power = pow(10, decade);
    tick_add(ticks, axis, power);
    if (fine) tick_add(ticks, axis, 2 * power);
    if (fine) tick_add(ticks, axis, 5 * power);
  }
}

/* Add about `wanted` round values at equal distances. */
static void ticks_of_range(struct plot_ticks *ticks, const struct plot_axis *axis, int wanted) {
  const double rough = (axis->high - axis->low) / wanted, power = pow(10, floor(log10(rough)));
  const double share = rough / power;
  const double step = power * (share <= 1 ? 1 : share <= 2 ? 2 : share <= 5 ? 5 : 10);
  /* Multiples of the step: a sum of steps would write 0.30000000000000004. */
  for (double i = ceil(axis->low / step); i * step <= axis->high && ticks->count < MOST_TICKS; i++)
    tick_add(ticks, axis, i * step + 0.0); /* -0 becomes 0 */
}

static struct plot_ticks ticks_of(const struct plot_axis *axis, int wanted) {
  struct plot_ticks ticks = {.count = 0};
  if (axis->is_log) {
    const double decades = log10(axis->high / axis->low);
    if (decades > 1)
      ticks_of_decades(&ticks, axis, decades > wanted ? (int)ceil(decades / wanted) : 1,
                       decades < 3);
  }
  if (ticks.count < 2) {
    ticks.count = 0;
    ticks_of_range(&ticks, axis, wanted);
  }
  return ticks;
}

/* ---- curves and panels ---- */

struct plot_curve {
  struct points points;
  size_t run;
  enum run_event event;
};

struct plot_panel {
  const char *key;
  struct plot_curve *curves; /* (runs, RUN_EVENTS) */
  struct plot_axis up;
  struct plot_ticks ticks;
  size_t drawn; /* number of curves with points */
};

struct plot {
  const elman_run_log *const *logs;
  size_t runs;
  const elman_plot_options *options;
  struct plot_panel panels[MOST_PANELS];
  size_t panel_count;
  struct plot_axis across;
  struct plot_ticks ticks;
  bool has[RUN_EVENTS]; /* whether any curve of the event is drawn */
  size_t left;          /* position of the plots */
  char **labels;        /* (runs) */
};

static void panel_free(struct plot_panel *panel, size_t runs) {
  for (size_t c = 0; panel->curves != NULL && c < runs * RUN_EVENTS; c++)
    free(panel->curves[c].points.points);
  free(panel->curves);
  *panel = (struct plot_panel){0};
}

static void plot_free(struct plot *plot) {
  for (size_t p = 0; p < MOST_PANELS; p++) panel_free(&plot->panels[p], plot->runs);
  for (size_t r = 0; plot->labels != NULL && r < plot->runs; r++) free(plot->labels[r]);
  free(plot->labels);
}

/* Omit points that have no place on a logarithmic axis. */
static void points_keep_positive(struct points *points, const elman_plot_options *options) {
  size_t kept = 0;
  for (size_t i = 0; i < points->count; i++) {
    const struct point point = points->points[i];
    if ((options->log_x && point.x < 1 / FARTHEST) || (options->log_y && point.y < 1 / FARTHEST))
      continue;
    points->points[kept++] = point;
  }
  points->count = kept;
}

static struct point mean_point(const struct point *points, size_t count) {
  struct point sum = {0, 0};
  for (size_t i = 0; i < count; i++) {
    sum.x += points[i].x / (double)count;
    sum.y += points[i].y / (double)count;
  }
  return sum;
}

/* Replace neighbors at the same place by their mean, and a long curve by means of its parts. */
static void points_thin(struct points *points) {
  struct point *list = points->points;
  size_t kept = 0;
  for (size_t i = 0, end; i < points->count; i = end) {
    for (end = i + 1; end < points->count && list[end].x == list[i].x;) end++;
    const struct point mean = {list[i].x, mean_point(list + i, end - i).y};
    list[kept++] = mean;
  }
  const size_t size = (kept + MOST_POINTS - 1) / MOST_POINTS, count = kept;
  if (size > 1) {
    kept = 0;
    for (size_t i = 0; i < count; i += size)
      list[kept++] = mean_point(list + i, count - i < size ? count - i : size);
  }
  points->count = kept;
}

static elman_status panel_fill(struct plot *plot, struct plot_panel *panel, elman_error *error) {
  panel->curves = calloc(plot->runs * RUN_EVENTS, sizeof *panel->curves);
  if (panel->curves == NULL) return fail_no_memory(error);
  panel->up.is_log = plot->options->log_y;
  for (size_t c = 0; c < plot->runs * RUN_EVENTS; c++) {
    struct plot_curve *curve = &panel->curves[c];
    curve->run = c / RUN_EVENTS;
    curve->event = (enum run_event)(c % RUN_EVENTS);
    const elman_status status = run_log_curve(&curve->points, plot->logs[curve->run], curve->event,
                                              panel->key, plot->options->x_axis, error);
    if (status != ELMAN_OK) return status;
    points_keep_positive(&curve->points, plot->options);
    points_thin(&curve->points);
    for (size_t i = 0; i < curve->points.count; i++) {
      axis_widen(&plot->across, curve->points.points[i].x);
      axis_widen(&panel->up, curve->points.points[i].y);
    }
    if (curve->points.count == 0) continue;
    panel->drawn++;
    plot->has[curve->event] = true;
  }
  return ELMAN_OK;
}

/* Return an error about a key that has no curve. The message names the keys of the first log. */
static elman_status fail_key(const struct plot *plot, const char *key, elman_error *error) {
  struct buffer list = {0};
  const char *name;
  for (size_t i = 0; (name = run_log_key(plot->logs[0], i)) != NULL; i++)
    buffer_print(&list, "%s%s", i == 0 ? "" : ", ", name);
  const bool is_log = plot->options->log_y || plot->options->log_x;
  const elman_status status =
      list.failed ? fail_no_memory(error)
                  : fail(error, ELMAN_INVALID_ARGUMENT, run_log_path(plot->logs[0]),
                         "%s \"%s\" over \"%s\"; its keys are %s",
                         is_log ? "has no positive numbers" : "has no numbers", key,
                         plot->options->x_axis, list.length > 0 ? list.bytes : "none");
  buffer_free(&list);
  return status;
}

/* Fill a panel for each key. A panel without curves is an error if the caller chose its key. */
static elman_status panels_fill(struct plot *plot, elman_error *error) {
  static const char *const usual[] = {"loss", "bleu"};
  const bool is_given = plot->options->panel_count > 0;
  const char *const *keys = is_given ? plot->options->panels : usual;
  const size_t count = is_given ? plot->options->panel_count : sizeof usual / sizeof *usual;
  if (count > MOST_PANELS)
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "%zu keys are too many; name up to %d", count,
                MOST_PANELS);
  for (size_t k = 0; k < count; k++) {
    struct plot_panel *panel = &plot->panels[plot->panel_count];
    panel->key = keys[k];
    const elman_status status = panel_fill(plot, panel, error);
    if (status != ELMAN_OK) return status;
    if (panel->drawn > 0) {
      plot->panel_count++;
    } else if (is_given) {
      return fail_key(plot, keys[k], error);
    } else {
      panel_free(panel, plot->runs);
    }
  }
  return plot->panel_count > 0 ? ELMAN_OK : fail_key(plot, usual[0], error);
}

/* A log that adds nothing to the picture was probably named by mistake. */
static elman_status check_runs(const struct plot *plot, elman_error *error) {
  for (size_t r = 0; r < plot->runs; r++) {
    size_t points = 0;
    for (size_t p = 0; p < plot->panel_count; p++)
      for (size_t e = 0; e < RUN_EVENTS; e++)
        points += plot->panels[p].curves[r * RUN_EVENTS + e].points.count;
    if (points == 0)
      return fail(error, ELMAN_BAD_DATA, run_log_path(plot->logs[r]),
                  "has no numbers for any panel; leave this log out, or name other panels");
  }
  return ELMAN_OK;
}

/* ---- labels ---- */

/* Return the name of a file without folder and suffixes. */
static char *stem_of(const char *path) {
  const char *slash = strrchr(path, '/'), *name = slash == NULL ? path : slash + 1;
  size_t length = strlen(name);
  static const char *const suffixes[] = {".gz", ".jsonl", ".json", ".csv", ".log"};
  for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
    const size_t size = strlen(suffixes[i]);
    if (length > size && memcmp(name + length - size, suffixes[i], size) == 0) length -= size;
  }
  return strndup(name, length);
}

/* Label the runs: with the labels of the caller, else with the names of files, or with their paths
 * if two names are equal. */
static elman_status labels_make(struct plot *plot, elman_error *error) {
  bool is_unique = true;
  plot->labels = calloc(plot->runs, sizeof *plot->labels);
  if (plot->labels == NULL) return fail_no_memory(error);
  for (size_t r = 0; r < plot->runs; r++) {
    plot->labels[r] = plot->options->labels != NULL ? strdup(plot->options->labels[r])
                                                    : stem_of(run_log_path(plot->logs[r]));
    if (plot->labels[r] == NULL) return fail_no_memory(error);
    for (size_t other = 0; other < r; other++)
      is_unique = is_unique && strcmp(plot->labels[other], plot->labels[r]) != 0;
  }
  for (size_t r = 0; !is_unique && plot->options->labels == NULL && r < plot->runs; r++) {
    free(plot->labels[r]);
    plot->labels[r] = strdup(run_log_path(plot->logs[r]));
    if (plot->labels[r] == NULL) return fail_no_memory(error);
  }
  return ELMAN_OK;
}

/* Write the name of a key: "learning rate" for "learning_rate". */
static void write_key(FILE *stream, const char *key) {
  static const struct { const char *key, *name; } names[] = {{"bleu", "BLEU"}, {"chrf", "chrF2"}};
  char plain[NAME_WIDTH];
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(key, names[i].key) == 0) key = names[i].name;
  snprintf(plain, sizeof plain, "%s", key);
  for (char *c = plain; *c != '\0'; c++) *c = *c == '_' ? ' ' : *c;
  write_xml(stream, plain, NAME_WIDTH);
}

/* ---- drawing ---- */

/* Write the style of a curve: its color identifies the run. If there is only one run, the color
 * identifies the event. */
static void write_style(FILE *stream, const struct plot *plot, size_t run, enum run_event event) {
  const size_t color = plot->runs > 1 ? run : event == RUN_VALIDATION;
  fprintf(stream, "stroke=\"%s\" stroke-dasharray=\"%s\"%s", COLORS[color % COLOR_COUNT],
          DASHES[color / COLOR_COUNT % DASH_COUNT],
          event == RUN_UPDATE && plot->has[RUN_VALIDATION]
              ? " stroke-width=\"1\" stroke-opacity=\"0.6\""
              : " stroke-width=\"2\"");
}

static void write_place(FILE *stream, const struct plot *plot, const struct plot_panel *panel,
                        size_t top, struct point point) {
  const double x = (double)plot->left + PLOT_WIDTH * axis_place(&plot->across, point.x);
  const double y = (double)(top + PLOT_HEIGHT) - PLOT_HEIGHT * axis_place(&panel->up, point.y);
  fprintf(stream, "%s %s", fixed_text(x, 1).text, fixed_text(y, 1).text);
}

static void write_plot_curve(FILE *stream, const struct plot *plot, const struct plot_panel *panel,
                             const struct plot_curve *curve, size_t top) {
  const struct points *points = &curve->points;
  if (points->count == 0) return;
  const bool has_dots =
      points->count == 1 || (curve->event == RUN_VALIDATION && points->count <= DOT_POINTS);
  fputs("<path class=\"curve\" ", stream);
  write_style(stream, plot, curve->run, curve->event);
  if (has_dots)
    fputs(" marker-start=\"url(#dot)\" marker-mid=\"url(#dot)\" marker-end=\"url(#dot)\"", stream);
  fputs(" d=\"", stream);
  for (size_t i = 0; i < points->count; i++) {
    fputs(i == 0 ? "M" : "L", stream);
    write_place(stream, plot, panel, top, points->points[i]);
  }
  fputs("\"/>\n", stream);
}

static void write_plot_axes(FILE *stream, const struct plot *plot, const struct plot_panel *panel,
                            size_t top) {
  const size_t bottom = top + PLOT_HEIGHT;
  for (size_t i = 0; i < panel->ticks.count; i++) {
    const double value = panel->ticks.values[i];
    const struct number_text y =
        fixed_text((double)bottom - PLOT_HEIGHT * axis_place(&panel->up, value), 1);
    fprintf(stream, "<path class=\"grid\" d=\"M%zu %sh%d\"/>", plot->left, y.text, PLOT_WIDTH);
    fprintf(stream, "<text x=\"%zu\" y=\"%s\" dy=\"4.5\" text-anchor=\"end\">%s</text>\n",
            plot->left - SVG_GAP, y.text, short_text(value, TICK_DIGITS).text);
  }
  for (size_t i = 0; i < plot->ticks.count; i++) {
    const double value = plot->ticks.values[i];
    const struct number_text x =
        fixed_text((double)plot->left + PLOT_WIDTH * axis_place(&plot->across, value), 1);
    fprintf(stream, "<path class=\"grid\" d=\"M%s %zuv%d\"/>", x.text, top, PLOT_HEIGHT);
    fprintf(stream, "<text x=\"%s\" y=\"%zu\" text-anchor=\"middle\">%s</text>\n", x.text,
            bottom + SVG_LINE - SVG_GAP, short_text(value, TICK_DIGITS).text);
  }
  fprintf(stream, "<path class=\"axis\" d=\"M%zu %zuv%dh%d\"/>\n", plot->left, top, PLOT_HEIGHT,
          PLOT_WIDTH);
  fprintf(stream, "<text transform=\"translate(%d,%zu)rotate(-90)\" text-anchor=\"middle\">",
          SVG_MARGIN + SVG_LINE / 2, top + PLOT_HEIGHT / 2);
  write_key(stream, panel->key);
  fputs("</text>\n", stream);
}

static void write_plot_panel(FILE *stream, const struct plot *plot, const struct plot_panel *panel,
                             size_t top) {
  fputs("<g role=\"img\">\n<title>", stream);
  write_key(stream, panel->key);
  fprintf(stream, "</title>\n<desc>%zu curve%s from %s to %s, over ", panel->drawn,
          plural_ending(panel->drawn), short_text(panel->up.low, 3).text,
          short_text(panel->up.high, 3).text);
  write_key(stream, plot->options->x_axis);
  fputs("</desc>\n", stream);
  write_plot_axes(stream, plot, panel, top);
  /* Curves of validations lie above the others. */
  for (size_t event = 0; event < RUN_EVENTS; event++)
    for (size_t c = event; c < plot->runs * RUN_EVENTS; c += RUN_EVENTS)
      write_plot_curve(stream, plot, panel, &panel->curves[c], top);
  fputs("</g>\n", stream);
}

/* ---- the legend ---- */

struct legend_place {
  size_t x, y;
};

/* Write an entry of the legend, on the next line if it does not fit. If `is_gray`, the curve is
 * gray, and `run` is not used. */
static void legend_write(FILE *stream, const struct plot *plot, struct legend_place *place,
                         const char *name, size_t run, enum run_event event, bool is_gray) {
  const size_t columns = visible_width(name) < NAME_WIDTH ? visible_width(name) : NAME_WIDTH;
  const size_t width = KEY_LINE + SVG_GAP + columns * SVG_COLUMN + SVG_LINE;
  if (place->x > plot->left && place->x + width > plot->left + PLOT_WIDTH + PLOT_RIGHT) {
    place->x = plot->left;
    place->y += SVG_LINE;
  }
  fputs("<path class=\"curve\" ", stream);
  if (is_gray)
    fprintf(stream, "stroke=\"#555555\" stroke-width=\"%d\"", event == RUN_VALIDATION ? 2 : 1);
  else
    write_style(stream, plot, run, event);
  if (event == RUN_VALIDATION && (is_gray || plot->runs == 1))
    fputs(" marker-mid=\"url(#dot)\"", stream);
  fprintf(stream, " d=\"M%zu %zuh%dh%d\"/><text x=\"%zu\" y=\"%zu\">", place->x, place->y - 4,
          KEY_LINE / 2, KEY_LINE / 2, place->x + KEY_LINE + SVG_GAP, place->y);
  write_xml(stream, name, NAME_WIDTH);
  fputs("</text>\n", stream);
  place->x += width;
}

/* Write the legend below `top`. Return the position below it. */
static size_t write_legend(FILE *stream, const struct plot *plot, size_t top) {
  static const char *const events[RUN_EVENTS] = {"training", "validation"};
  struct legend_place place = {plot->left, top + SVG_LINE};
  const bool has_runs = plot->runs > 1 || plot->options->labels != NULL;
  const bool has_events = plot->runs == 1 || (plot->has[RUN_UPDATE] && plot->has[RUN_VALIDATION]);
  for (size_t r = 0; has_runs && r < plot->runs; r++)
    legend_write(stream, plot, &place, plot->labels[r], r,
                 plot->has[RUN_VALIDATION] ? RUN_VALIDATION : RUN_UPDATE, false);
  for (size_t e = 0; has_events && e < RUN_EVENTS; e++)
    if (plot->has[e])
      legend_write(stream, plot, &place, events[e], 0, (enum run_event)e, plot->runs > 1);
  return place.y + SVG_LINE;
}

/* ---- the document ---- */

/* Return the width of the widest label of the vertical axes. */
static size_t widest_tick(const struct plot *plot) {
  size_t widest = 0;
  for (size_t p = 0; p < plot->panel_count; p++)
    for (size_t i = 0; i < plot->panels[p].ticks.count; i++) {
      const size_t width = strlen(short_text(plot->panels[p].ticks.values[i], TICK_DIGITS).text);
      if (width > widest) widest = width;
    }
  return widest * SVG_COLUMN;
}

static void plot_prepare(struct plot *plot) {
  enum { TICKS_UP = 5, TICKS_ACROSS = 7 };
  axis_pad(&plot->across, 0);
  plot->ticks = ticks_of(&plot->across, TICKS_ACROSS);
  for (size_t p = 0; p < plot->panel_count; p++) {
    axis_pad(&plot->panels[p].up, 0.05);
    plot->panels[p].ticks = ticks_of(&plot->panels[p].up, TICKS_UP);
  }
  plot->left = SVG_MARGIN + SVG_LINE + widest_tick(plot) + SVG_GAP;
}

/* Write the parts of the picture below the head. Return its height. */
static size_t write_plot(FILE *stream, const struct plot *plot) {
  const char *title = plot->options->title;
  size_t top = SVG_GAP;
  if (title != NULL && *title != '\0') {
    fprintf(stream, "<text class=\"caption\" x=\"%zu\" y=\"%zu\">", plot->left, top + SVG_LINE);
    write_xml(stream, title, TITLE_WIDTH);
    fputs("</text>\n", stream);
    top += SVG_LINE;
  }
  top = write_legend(stream, plot, top);
  for (size_t p = 0; p < plot->panel_count; p++) {
    write_plot_panel(stream, plot, &plot->panels[p], top);
    top += PLOT_HEIGHT + 2 * SVG_LINE;
  }
  fprintf(stream, "<text x=\"%zu\" y=\"%zu\" text-anchor=\"middle\">", plot->left + PLOT_WIDTH / 2,
          top - SVG_GAP);
  write_key(stream, plot->options->x_axis);
  fputs("</text>\n", stream);
  return top + SVG_MARGIN;
}

static elman_status write_plot_document(FILE *stream, const struct plot *plot, elman_error *error) {
  char *parts = NULL;
  size_t length = 0;
  const char *title = plot->options->title;
  FILE *held = open_memstream(&parts, &length);
  if (held == NULL) return fail_no_memory(error);
  size_t width = plot->left + PLOT_WIDTH + PLOT_RIGHT;
  if (title != NULL && plot->left + visible_width(title) * SVG_COLUMN + SVG_MARGIN > width)
    width = plot->left + visible_width(title) * SVG_COLUMN + SVG_MARGIN;
  const size_t height = write_plot(held, plot);
  const bool failed = ferror(held) != 0;
  if (fclose(held) != 0 || failed || parts == NULL) {
    free(parts);
    return fail_no_memory(error);
  }
  svg_declaration(stream);
  svg_begin(stream, width, height, "Training curves",
            ".grid { fill: none; stroke: #E3E3E3 }\n"
            ".axis { fill: none; stroke: #555555 }\n"
            ".curve { fill: none; stroke-linejoin: round }\n",
            NULL);
  /* In SVG 1.1 a marker does not take the color of its line, so a dot is a white ring. */
  fputs("<defs><marker id=\"dot\" viewBox=\"-3 -3 6 6\" markerWidth=\"6\" markerHeight=\"6\" "
        "markerUnits=\"userSpaceOnUse\"><circle r=\"2.4\" fill=\"#FFFFFF\" stroke=\"#333333\"/>"
        "</marker></defs>\n",
        stream);
  fwrite(parts, 1, length, stream);
  fputs("</svg>\n", stream);
  free(parts);
  return ELMAN_OK;
}

elman_status elman_plot_draw(FILE *stream, const elman_run_log *const *logs, size_t count,
                             const elman_plot_options *options, elman_error *error) {
  const elman_plot_options usual = elman_plot_options_default();
  struct plot plot = {.logs = logs, .runs = count, .options = options == NULL ? &usual : options};
  if (count == 0) return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "a picture needs a log");
  plot.across.is_log = plot.options->log_x;
  elman_status status = panels_fill(&plot, error);
  if (status == ELMAN_OK) status = check_runs(&plot, error);
  if (status == ELMAN_OK) status = labels_make(&plot, error);
  if (status == ELMAN_OK) {
    plot_prepare(&plot);
    status = write_plot_document(stream, &plot, error);
  }
  plot_free(&plot);
  return status;
}
