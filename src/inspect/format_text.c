/* A heat map for the terminal: a row a target token, a column a source token, aligned by display
 * width, since a Han character fills two columns. */
#include "inspect/escape.h"
#include "inspect/format.h"
#include "inspect/panels.h"

enum { MIN_CELL = 3, GAP = 1 };

static void spaces(FILE *stream, size_t count) {
  for (size_t i = 0; i < count; i++) fputc(' ', stream);
}

static size_t widest(const char *const *tokens, size_t count) {
  size_t width = 0;
  for (size_t i = 0; i < count; i++) {
    const size_t one = visible_width(tokens[i]);
    if (one > width) width = one;
  }
  return width;
}

static size_t cell_width(const char *token) {
  const size_t width = visible_width(token);
  return width > MIN_CELL ? width : MIN_CELL;
}

static void write_shaded(FILE *stream, real weight, size_t width) {
  static const char *const shades[] = {"·", "░", "▒", "▓", "█"};
  const size_t count = sizeof shades / sizeof *shades;
  size_t level = (size_t)(weight * (real)count);
  if (level >= count) level = count - 1;
  for (size_t i = 0; i < width; i++) fputs(shades[level], stream);
}

/* 232 .. 255 are the 24 grey steps of the 256 colours. */
static void write_colored(FILE *stream, real weight, size_t width) {
  int step = (int)(weight * 24);
  if (step > 23) step = 23;
  fprintf(stream, "\033[48;5;%dm", 232 + step);
  spaces(stream, width);
  fputs("\033[0m", stream);
}

static void write_map(FILE *stream, const struct translation *translation, const real *weights,
                      bool color) {
  const size_t S = translation->source_count;
  const size_t label = widest(translation->target_tokens, translation->target_count);
  spaces(stream, label);
  for (size_t s = 0; s < S; s++) {
    const char *token = translation->source_tokens[s];
    spaces(stream, GAP);
    write_visible(stream, token);
    if (s + 1 < S) spaces(stream, cell_width(token) - visible_width(token));
  }
  fputc('\n', stream);
  for (size_t t = 0; t < translation->target_count; t++) {
    const char *token = translation->target_tokens[t];
    spaces(stream, label - visible_width(token));
    write_visible(stream, token);
    for (size_t s = 0; s < S; s++) {
      spaces(stream, GAP);
      (color ? write_colored : write_shaded)(stream, weights[t * S + s],
                                             cell_width(translation->source_tokens[s]));
    }
    fputc('\n', stream);
  }
}

enum status format_write_text(struct writing *writing, const struct record *record,
                              struct error *error) {
  (void)error;
  FILE *stream = writing->stream;
  if (writing->count > 0) fputc('\n', stream);
  for (size_t i = 0; i < panel_count(record->translation); i++) {
    write_panel_heading(stream, record->translation, i);
    write_map(stream, record->translation, panel_weights(record->translation, i),
              writing->style.color);
  }
  return STATUS_OK;
}
