#include "inspect/escape.h"

#include <math.h>
#include <stdint.h>
#include <string.h>
#include <utf8proc.h>

#include "base/text.h"
#include "elman/json.h"

/* ---- text of JSON, XML and tables ---- */

/* Read the code point at `at` and return its length in bytes; invalid UTF-8 is read as U+FFFF. */
static size_t next_codepoint(const char *at, utf8proc_int32_t *codepoint) {
  const utf8proc_ssize_t step = utf8proc_iterate((const utf8proc_uint8_t *)at, -1, codepoint);
  if (step > 0) return (size_t)step;
  *codepoint = 0xFFFF;
  return 1;
}

/* Return the number of columns of a code point in write_visible, as terminals count them. They give
 * spacing marks, such as the vowels of Devanagari, a column; the vowel and the final of a
 * decomposed Hangul syllable share the columns of its initial. */
static size_t width_of(utf8proc_int32_t codepoint) {
  if (character_is_unsafe(codepoint))
    return (size_t)snprintf(NULL, 0, "\\u{%X}", (unsigned)codepoint);
  const utf8proc_property_t *property = utf8proc_get_property(codepoint);
  if (property->category == UTF8PROC_CATEGORY_MC) return 1;
  if (property->boundclass == UTF8PROC_BOUNDCLASS_V ||
      property->boundclass == UTF8PROC_BOUNDCLASS_T)
    return 0;
  return (size_t)utf8proc_charwidth(codepoint);
}

/* Return the number of columns of the grapheme cluster at *text, and advance *text to its end. The
 * characters of an emoji, such as the persons of a family, share two columns. */
static size_t cluster_width(const char **text) {
  enum { EMOJI_STYLE = 0xFE0F, EMOJI_WIDTH = 2 };
  utf8proc_int32_t codepoint, next, state = 0;
  size_t width = 0;
  bool pictures = false, styled = false, unsafe = false;
  do {
    *text += next_codepoint(*text, &codepoint);
    width += width_of(codepoint);
    pictures = pictures || utf8proc_get_property(codepoint)->boundclass ==
                               UTF8PROC_BOUNDCLASS_EXTENDED_PICTOGRAPHIC;
    styled = styled || codepoint == EMOJI_STYLE;
    unsafe = unsafe || character_is_unsafe(codepoint);
    (void)next_codepoint(*text, &next);
  } while (**text != '\0' && !utf8proc_grapheme_break_stateful(codepoint, next, &state));
  if (unsafe || (!pictures && !styled)) return width;
  return width > EMOJI_WIDTH || styled ? EMOJI_WIDTH : width;
}

static void write_codepoint(FILE *stream, const char *bytes, size_t step,
                            utf8proc_int32_t codepoint) {
  if (character_is_unsafe(codepoint))
    fprintf(stream, "\\u{%X}", (unsigned)codepoint);
  else
    fwrite(bytes, 1, step, stream);
}

void write_visible(FILE *stream, const char *text) {
  utf8proc_int32_t codepoint;
  for (size_t step; *text != '\0'; text += step) {
    step = next_codepoint(text, &codepoint);
    write_codepoint(stream, text, step, codepoint);
  }
}

struct isolation isolation_of(const char *text) {
  for (size_t length = strlen(text); length > 0; text++, length--)
    if (right_to_left_run((struct text){text, length}) > 0)
      return (struct isolation){"\u2068", "\u2069"};
  return (struct isolation){"", ""};
}

void write_isolated(FILE *stream, const char *text) {
  const struct isolation isolation = isolation_of(text);
  fputs(isolation.begin, stream);
  write_visible(stream, text);
  fputs(isolation.end, stream);
}

size_t visible_width(const char *text) {
  size_t width = 0;
  while (*text != '\0') width += cluster_width(&text);
  return width;
}

bool starts_formula(const char *text) {
  /* Characters that start a formula. Spreadsheets also accept their full-width forms. */
  static const char *const starts[] = {"=", "+", "-", "@", "\"", "＝", "＋", "－", "＠"};
  for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
    if (strncmp(text, starts[i], strlen(starts[i])) == 0) return true;
  return false;
}

void write_cell(FILE *stream, const char *text) {
  if (starts_formula(text)) fputc('\'', stream);
  write_visible(stream, text);
}

static const char *xml_entity(utf8proc_int32_t codepoint) {
  static const char *const entities['>' + 1] = {
      ['&'] = "&amp;", ['<'] = "&lt;", ['>'] = "&gt;", ['"'] = "&quot;", ['\''] = "&#39;"};
  return codepoint <= '>' ? entities[codepoint] : NULL;
}

void write_xml(FILE *stream, const char *text, size_t width) {
  utf8proc_int32_t codepoint;
  const char *const start = text;
  size_t used = 0;
  while (*text != '\0') {
    const char *end = text;
    used += cluster_width(&end);
    /* Limit the number of bytes as well, because combining marks fill no column. */
    if (used > width || (size_t)(end - start) > 16 * width) {
      fputs("…", stream);
      return;
    }
    for (size_t step; text < end; text += step) {
      step = next_codepoint(text, &codepoint);
      const char *entity = xml_entity(codepoint);
      if (entity != NULL)
        fputs(entity, stream);
      else
        write_codepoint(stream, text, step, codepoint);
    }
  }
}

static void write_json_escape(FILE *stream, utf8proc_int32_t codepoint) {
  const unsigned code = (unsigned)codepoint;
  if (code < 0x10000)
    fprintf(stream, "\\u%04x", code);
  else
    fprintf(stream, "\\u%04x\\u%04x", 0xD800 + ((code - 0x10000) >> 10), 0xDC00 + (code & 0x3FF));
}

void write_json_text(FILE *stream, const char *text, bool in_script) {
  utf8proc_int32_t codepoint;
  fputc('"', stream);
  for (size_t step; *text != '\0'; text += step) {
    step = next_codepoint(text, &codepoint);
    if (codepoint == '"' || codepoint == '\\')
      fprintf(stream, "\\%c", (char)codepoint);
    else if (character_is_unsafe(codepoint) ||
             (in_script && (codepoint == '<' || codepoint == '>' || codepoint == '&')))
      write_json_escape(stream, codepoint);
    else
      fwrite(text, 1, step, stream);
  }
  fputc('"', stream);
}

void write_plain_token(FILE *stream, const char *token) {
  utf8proc_int32_t codepoint;
  if (*token == '\0') fputs("<>", stream);
  const bool separates = strstr(token, "|||") != NULL;
  for (size_t step; *token != '\0'; token += step) {
    step = next_codepoint(token, &codepoint);
    const bool space = utf8proc_category(codepoint) == UTF8PROC_CATEGORY_ZS;
    if (character_is_unsafe(codepoint) || space || (separates && codepoint == '|'))
      fprintf(stream, "<U+%04X>", (unsigned)codepoint);
    else
      fwrite(token, 1, step, stream);
  }
}

/* ---- numbers ---- */

static struct number_text number_text_of(const char *format, int digits, double value) {
  static const char plain[] = "0123456789+-einfa";
  struct number_text number;
  snprintf(number.text, sizeof number.text, format, digits, value);
  /* Replace the decimal point of the locale, which may have several bytes. */
  char *point = number.text + strspn(number.text, plain);
  if (*point == '\0') return number;
  const char *rest = point + strcspn(point, plain);
  *point = '.';
  memmove(point + 1, rest, strlen(rest) + 1);
  return number;
}

struct number_text fixed_text(double value, int decimals) {
  return number_text_of("%.*f", decimals, value);
}

struct number_text scientific_text(double value, int decimals) {
  return number_text_of("%.*e", decimals, value);
}

struct number_text short_text(double value, int digits) {
  return number_text_of("%.*g", digits, value);
}

void write_json_number(FILE *stream, double value, int digits) {
  fputs(isfinite(value) ? short_text(value, digits).text : "null", stream);
}

/* ---- pieces of SVG ---- */

size_t svg_slope(size_t width) {
  return width * 3 / 4;
}

void svg_declaration(FILE *stream) {
  fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", stream);
}

void svg_begin(FILE *stream, size_t width, size_t height, const char *title, const char *style,
               const char *dark_style) {
  fprintf(stream,
          "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%zu\" height=\"%zu\" "
          "viewBox=\"0 0 %zu %zu\">\n<title>%s</title>\n",
          width, height, width, height, title);
  fprintf(stream,
          "<style>\n"
          "text { font: 13px \"Noto Sans\", \"Noto Sans CJK SC\", \"Microsoft YaHei\", "
          "\"PingFang SC\", sans-serif; fill: #1A1A1A; unicode-bidi: isolate }\n"
          ".caption { font-weight: bold }\n"
          ".unknown { text-decoration: underline; text-decoration-style: dotted }\n"
          ".page { fill: #FFFFFF }\n"
          "%s",
          style);
  if (dark_style != NULL)
    fprintf(
        stream,
        "@media (prefers-color-scheme: dark) { text { fill: #E6E6E6 } .page { fill: #161616 }%s "
        "}\n",
        dark_style);
  fputs("</style>\n<rect class=\"page\" width=\"100%\" height=\"100%\"/>\n", stream);
}

void svg_label(FILE *stream, const char *text, bool known, bool ends, size_t x, size_t y,
               bool rotated) {
  fputs(known ? "<text" : "<text class=\"unknown\"", stream);
  if (rotated)
    fprintf(stream, " transform=\"translate(%zu,%zu)rotate(-45)\"%s>", x + 4, ends ? y - 4 : y,
            ends ? " text-anchor=\"end\"" : "");
  else
    fprintf(stream, " x=\"%zu\" y=\"%zu\" text-anchor=\"middle\">", x, y);
  if (!known) fputs("<title>not in the vocabulary</title>", stream);
  write_xml(stream, text, SVG_LABEL);
  fputs("</text>\n", stream);
}

/* ---- a page without scripts ---- */

enum { WHOLE = 1 << 26 }; /* columns: practically unlimited */

void plain_page_begin(FILE *stream, const char *title) {
  fputs("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
        "'unsafe-inline'; base-uri 'none'; form-action 'none'\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<title>",
        stream);
  write_xml(stream, title, WHOLE);
  fputs("</title>\n"
        "<style>\n"
        ":root { color-scheme: light dark }\n"
        "body { margin: 1rem; font: 1rem/1.5 system-ui, \"DejaVu Sans\", \"Noto Sans CJK SC\", "
        "\"PingFang SC\", \"Microsoft YaHei\", sans-serif; color: #1A1A1A; background: #FFFFFF }\n"
        "[tabindex] { overflow-x: auto; margin: 1rem 0 }\n"
        "svg { max-width: 100%; height: auto }\n"
        "dt { font-weight: bold }\n"
        "dd { margin: 0; overflow-wrap: anywhere }\n"
        "caption { text-align: left; font-weight: bold }\n"
        "th, td { padding: 0 0.6rem; text-align: right; white-space: nowrap; "
        "font-variant-numeric: tabular-nums }\n"
        "thead th { white-space: normal; vertical-align: bottom }\n"
        ".text th, .text td { text-align: start; white-space: normal; overflow-wrap: anywhere; "
        "vertical-align: top }\n"
        "@media (max-width: 44rem) { th, td { padding: 0 0.25rem; font-size: 0.85rem } }\n"
        "@media (prefers-color-scheme: dark) { body { color: #E6E6E6; background: #161616 } }\n"
        "</style>\n</head>\n<body>\n<h1>",
        stream);
  write_xml(stream, title, WHOLE);
  fputs("</h1>\n", stream);
}

void plain_page_end(FILE *stream) {
  fputs("</body>\n</html>\n", stream);
}

void plain_page_text(FILE *stream, const char *text) {
  fputs("<bdi>", stream);
  write_xml(stream, text, WHOLE);
  fputs("</bdi>", stream);
}

void elman_write_json_text(FILE *stream, const char *text) {
  write_json_text(stream, text, false);
}

void elman_write_json_number(FILE *stream, double number, int digits) {
  write_json_number(stream, number, digits);
}
