/* A table: source tokens across, target tokens down. */
#include <string.h>

#include "inspect/format.h"

/* printf follows the program's locale, a table must not: whatever stands for the point becomes one.
 */
static void write_weight(FILE *stream, real weight) {
  char digits[64];
  snprintf(digits, sizeof digits, "%.6f", (double)weight);
  const size_t whole = strspn(digits, "0123456789");
  const char *fraction = digits + whole + strcspn(digits + whole, "0123456789");
  fprintf(stream, "%.*s.%s", (int)whole, digits, fraction);
}

enum status format_write_tsv(FILE *stream, const struct translation *translation,
                             const struct text_style *style, struct error *error) {
  (void)style;
  (void)error;
  const size_t S = translation->source_count;
  for (size_t s = 0; s < S; s++) {
    fputc('\t', stream);
    write_visible(stream, translation->source_tokens[s]);
  }
  fputc('\n', stream);
  for (size_t t = 0; t < translation->target_count; t++) {
    write_visible(stream, translation->target_tokens[t]);
    for (size_t s = 0; s < S; s++) {
      fputc('\t', stream);
      write_weight(stream, translation->attention[t * S + s]);
    }
    fputc('\n', stream);
  }
  return STATUS_OK;
}
