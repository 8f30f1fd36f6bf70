/* A heat map for the terminal: rows are target tokens, columns are source tokens. Columns are
 * aligned by display width, because a Han character fills two terminal columns. Columns that do not
 * fit are continued below. */
#include <stdint.h>

#include "inspect/escape.h"
#include "inspect/format.h"

enum { MIN_CELL = 3, NUMBER = 4, GAP = 1 };
static const char UNKNOWN[] = "*";

static void spaces(FILE *stream, size_t count) {
  for (size_t i = 0; i < count; i++) fputc(' ', stream);
}

/* ---- shades ---- */

/* Lower bounds of the weights of each shade. Only very small weights look empty. */
static const struct shade {
  double least;
  const char *bound, *mark;
} shades[] = {
    {0, "0", "·"}, {0.1, "0.1", "░"}, {0.3, "0.3", "▒"}, {0.5, "0.5", "▓"}, {0.7, "0.7", "█"},
};
enum { SHADES = sizeof shades / sizeof *shades };

/* Return the color of a shade. Blue is visible on light and dark backgrounds; the marks mix it with
 * the background color of the terminal. PLAIN resets the color. */
static const char *color_of(size_t shade) {
  return shade == 0 ? "\033[2m" : "\033[38;5;33m";
}
static const char PLAIN[] = "\033[0m";

static void write_weight(FILE *stream, double weight, size_t width, elman_text_style style) {
  size_t shade = SHADES - 1;
  while (shade > 0 && !(weight >= shades[shade].least)) shade--;
  if (style.numbers) spaces(stream, width - NUMBER);
  if (style.color) fputs(color_of(shade), stream);
  if (style.numbers)
    fputs(fixed_text(weight, 2).text, stream);
  else
    for (size_t i = 0; i < width; i++) fputs(shades[shade].mark, stream);
  if (style.color) fputs(PLAIN, stream);
}

/* ---- one matrix ---- */

struct map {
  const elman_translation *translation;
  const float *weights; /* (T,S) */
  elman_text_style style;
  size_t label; /* width of the widest target token, in columns */
};

static size_t head_width(const struct map *map, size_t s) {
  struct column_buffer buffer;
  return visible_width(column_name(&buffer, map->translation, s)) +
         !column_known(map->translation, s);
}

static size_t cell_width(const struct map *map, size_t s) {
  const size_t width = head_width(map, s), least = map->style.numbers ? NUMBER : MIN_CELL;
  return width > least ? width : least;
}

/* Return the end of the columns that fit beside the labels, starting at `first`; at least one
 * column. */
static size_t end_of_part(const struct map *map, size_t first) {
  const size_t columns = panel_columns(map->translation);
  size_t used = map->label;
  for (size_t s = first; s < columns; s++) {
    used += GAP + cell_width(map, s);
    if (map->style.width > 0 && used > map->style.width && s > first) return s;
  }
  return columns;
}

static void write_text_head(FILE *stream, const struct map *map, size_t first, size_t end) {
  spaces(stream, map->label);
  for (size_t s = first; s < end; s++) {
    spaces(stream, GAP);
    struct column_buffer buffer;
    write_isolated(stream, column_name(&buffer, map->translation, s));
    if (!column_known(map->translation, s)) fputs(UNKNOWN, stream);
    if (s + 1 < end) spaces(stream, cell_width(map, s) - head_width(map, s));
  }
  fputc('\n', stream);
}

static void write_text_part(FILE *stream, const struct map *map, size_t first, size_t end) {
  write_text_head(stream, map, first, end);
  for (size_t t = 0; t < map->translation->target_count; t++) {
    const char *token = map->translation->target_tokens[t];
    spaces(stream, map->label - visible_width(token));
    write_isolated(stream, token);
    for (size_t s = first; s < end; s++) {
      spaces(stream, GAP);
      write_weight(stream, column_weight(map->translation, map->weights, t, s), cell_width(map, s),
                   map->style);
    }
    fputc('\n', stream);
  }
}

static void write_text_map(elman_attention_writer *writing, const elman_translation *translation,
                           const float *weights) {
  FILE *stream = writing->stream;
  const size_t S = translation->source_count, columns = panel_columns(translation);
  const struct map map = {
      translation, weights, writing->style,
      widest_token(translation->target_tokens, translation->target_count, SIZE_MAX)};
  size_t first = 0, end = end_of_part(&map, 0);
  const bool folded = end < columns;
  do {
    if (folded && first < S)
      fprintf(stream, "source %s %zu to %zu of %zu\n", writing->source_words ? "words" : "tokens",
              first + 1, end < S ? end : S, S);
    write_text_part(stream, &map, first, end);
    first = end;
    end = end_of_part(&map, first);
  } while (first < columns);
}

static void write_text(elman_attention_writer *writing, const elman_translation *translation) {
  write_panels(writing, translation, write_text_map);
  if (translation->source_count > 0 && translation->target_count > 0) writing->drawn = true;
  if (has_unknown(translation)) writing->unknown = true;
}

/* ---- legend ---- */

static void end_text(elman_attention_writer *writing) {
  FILE *stream = writing->stream;
  if (writing->drawn && !writing->style.numbers) {
    const bool color = writing->style.color;
    fputs("weight: ", stream);
    for (size_t i = 0; i < SHADES; i++)
      fprintf(stream, "%s %s%s%s ", shades[i].bound, color ? color_of(i) : "", shades[i].mark,
              color ? PLAIN : "");
    fputs("1\n", stream);
  }
  if (writing->unknown) fprintf(stream, "%s not in the vocabulary\n", UNKNOWN);
}

const struct format format_text = {"text", ".txt", .write = write_text, .end = end_text};
