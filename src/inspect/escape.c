#include "inspect/escape.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <utf8proc.h>

#include "base/text.h"

/* The code point at `at` and its length in bytes; what is not UTF-8 is read as U+FFFF. */
static size_t next_codepoint(const char *at, utf8proc_int32_t *codepoint) {
  const utf8proc_ssize_t step = utf8proc_iterate((const utf8proc_uint8_t *)at, -1, codepoint);
  if (step > 0) return (size_t)step;
  *codepoint = 0xFFFF;
  return 1;
}

/* The columns of one code point as write_visible writes it. */
static size_t width_of(utf8proc_int32_t codepoint) {
  return character_is_unsafe(codepoint) ? (size_t)snprintf(NULL, 0, "\\u{%X}", (unsigned)codepoint)
                                        : (size_t)utf8proc_charwidth(codepoint);
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

size_t visible_width(const char *text) {
  utf8proc_int32_t codepoint;
  size_t width = 0;
  while (*text != '\0') {
    text += next_codepoint(text, &codepoint);
    width += width_of(codepoint);
  }
  return width;
}

void write_cell(FILE *stream, const char *text) {
  /* The full-width signs start formulas too where such are typed. */
  static const char *const starts[] = {"=", "+", "-", "@", "\"", "＝", "＋", "－", "＠"};
  for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
    if (strncmp(text, starts[i], strlen(starts[i])) == 0) fputc('\'', stream);
  write_visible(stream, text);
}

static const char *xml_entity(utf8proc_int32_t codepoint) {
  static const char *const entities['>' + 1] = {
      ['&'] = "&amp;", ['<'] = "&lt;", ['>'] = "&gt;", ['"'] = "&quot;", ['\''] = "&#39;"};
  return codepoint <= '>' ? entities[codepoint] : NULL;
}

void write_xml(FILE *stream, const char *text, size_t width) {
  utf8proc_int32_t codepoint;
  size_t used = 0;
  for (size_t step, taken = 0; *text != '\0'; text += step, taken += step) {
    step = next_codepoint(text, &codepoint);
    used += width_of(codepoint);
    /* Marks fill no column; a token of a million of them is cut all the same. */
    if (used > width || taken > 16 * width) {
      fputs("…", stream);
      return;
    }
    const char *entity = xml_entity(codepoint);
    if (entity != NULL)
      fputs(entity, stream);
    else
      write_codepoint(stream, text, step, codepoint);
  }
}

static void write_json_escape(FILE *stream, utf8proc_int32_t codepoint) {
  const unsigned code = (unsigned)codepoint;
  if (code < 0x10000)
    fprintf(stream, "\\u%04x", code);
  else
    fprintf(stream, "\\u%04x\\u%04x", 0xD800 + ((code - 0x10000) >> 10), 0xDC00 + (code & 0x3FF));
}

void write_json_text(FILE *stream, const char *text) {
  utf8proc_int32_t codepoint;
  fputc('"', stream);
  for (size_t step; *text != '\0'; text += step) {
    step = next_codepoint(text, &codepoint);
    if (codepoint == '"' || codepoint == '\\')
      fprintf(stream, "\\%c", (char)codepoint);
    else if (character_is_unsafe(codepoint) || codepoint == '<' || codepoint == '>' ||
             codepoint == '&')
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
