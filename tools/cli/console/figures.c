#include "console/figures.h"

const char *real_text(char *into, size_t size, double real, int decimals) {
  snprintf(into, size, real < 1e6 ? "%.*f" : "%.*e", decimals, real);
  return into;
}

static bool is_zero(const struct figure *figure) {
  if (figure->count != NULL) return *figure->count == 0;
  return (figure->share != NULL ? *figure->share : *figure->real) == 0;
}

static void write_text(FILE *stream, const struct figure *figure) {
  char real[32];
  if (figure->quiet_zero && is_zero(figure)) return;
  fprintf(stream, "%-20s ", figure->label);
  if (figure->count != NULL)
    fprintf(stream, "%zu\n", *figure->count);
  else if (figure->share != NULL)
    fprintf(stream, "%.2f %%\n", 100 * *figure->share);
  else
    fprintf(stream, "%s%s\n", real_text(real, sizeof real, *figure->real, figure->decimals),
            figure->unit == NULL ? "" : figure->unit);
}

void figures_write(struct json *json, bool as_json, const struct figure *figures) {
  for (const struct figure *figure = figures; figure->key != NULL; figure++) {
    if (!as_json)
      write_text(json->stream, figure);
    else if (figure->count != NULL)
      json_count(json, figure->key, *figure->count);
    else
      json_number(json, figure->key, figure->share != NULL ? *figure->share : *figure->real);
  }
}
