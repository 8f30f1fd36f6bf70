#include "elman/table.h"

#include <stdbool.h>
#include <string.h>

#include "base/status.h"
#include "inspect/escape.h"

/* ---- tsv ---- */

static const char DIGITS[] = "0123456789";

/* Return whether the text is a number such as "-12.5e-7", which spreadsheets do not interpret as a
 * formula although it starts with a sign. */
static bool is_number(const char *text) {
  text += *text == '-';
  const size_t whole = strspn(text, DIGITS);
  text += whole;
  if (*text == '.') text += 1 + strspn(text + 1, DIGITS);
  if (whole > 0 && *text == 'e') {
    text += 1 + (text[1] == '-' || text[1] == '+');
    const size_t power = strspn(text, DIGITS);
    if (power == 0) return false;
    text += power;
  }
  return whole > 0 && *text == '\0';
}

bool elman_table_is_formula(const char *text) {
  return !is_number(text) && starts_formula(text);
}

static void table_tsv(FILE *stream, const elman_table *table) {
  const size_t columns = table->column_count;
  for (size_t i = 0; i < columns; i++) {
    write_cell(stream, table->columns[i]);
    putc(i + 1 < columns ? '\t' : '\n', stream);
  }
  for (size_t i = 0; i < table->row_count * columns; i++) {
    if (elman_table_is_formula(table->cells[i])) putc('\'', stream);
    write_visible(stream, table->cells[i]);
    putc((i + 1) % columns != 0 ? '\t' : '\n', stream);
  }
}

/* ---- html ---- */

static void table_html(FILE *stream, const elman_table *table) {
  const size_t columns = table->column_count;
  plain_page_begin(stream, table->title);
  fputs("<div role=\"region\" tabindex=\"0\" aria-label=\"Table\"><table class=\"text\">\n"
        "<thead><tr>",
        stream);
  for (size_t i = 0; i < columns; i++) {
    fputs("<th scope=\"col\">", stream);
    plain_page_text(stream, table->columns[i]);
    fputs("</th>", stream);
  }
  fputs("</tr></thead>\n<tbody>\n", stream);
  for (size_t i = 0; i < table->row_count * columns; i++) {
    fputs(i % columns == 0 ? "<tr><td>" : "<td>", stream);
    plain_page_text(stream, table->cells[i]);
    fputs((i + 1) % columns == 0 ? "</td></tr>\n" : "</td>", stream);
  }
  fputs("</tbody></table></div>\n", stream);
  plain_page_end(stream);
}

/* ---- both ---- */

static const struct {
  const char *name;
  void (*write)(FILE *stream, const elman_table *table);
} formats[] = {{"tsv", table_tsv}, {"html", table_html}};

enum { FORMATS = sizeof formats / sizeof *formats };

const char *elman_table_format_name(size_t index) {
  return index < FORMATS ? formats[index].name : NULL;
}

elman_status elman_table_write(FILE *stream, const elman_table *table, const char *format,
                               elman_error *error) {
  for (size_t i = 0; i < FORMATS; i++) {
    if (strcmp(formats[i].name, format) != 0) continue;
    formats[i].write(stream, table);
    return ELMAN_OK;
  }
  return fail(error, ELMAN_INVALID_ARGUMENT, NULL,
              "unknown table format \"%.100s\"; use tsv or html", format);
}
