#include "inspect/format.h"

#include <string.h>
#include <utf8proc.h>

static const struct format formats[] = {
    {"text", ".txt", format_write_text},
    {"json", ".json", format_write_json},
    {"tsv", ".tsv", format_write_tsv},
    {"npy", ".npy", format_write_npy},
};

const struct format *format_at(size_t index) {
  return index < sizeof formats / sizeof *formats ? &formats[index] : NULL;
}

const struct format *format_named(const char *name) {
  for (size_t i = 0; format_at(i) != NULL; i++) {
    if (strcmp(formats[i].name, name) == 0) return &formats[i];
  }
  return NULL;
}

const struct format *format_of_path(const char *path) {
  const size_t length = strlen(path);
  for (size_t i = 0; format_at(i) != NULL; i++) {
    const size_t suffix = strlen(formats[i].suffix);
    if (length > suffix && strcmp(path + length - suffix, formats[i].suffix) == 0)
      return &formats[i];
  }
  return NULL;
}

/* Bidirectional controls are format characters (Cf), but so is the joiner inside an emoji. */
static bool is_harmless(utf8proc_int32_t codepoint) {
  const utf8proc_category_t category = utf8proc_category(codepoint);
  if (codepoint == 0x200C || codepoint == 0x200D) return true;
  return category != UTF8PROC_CATEGORY_CC && category != UTF8PROC_CATEGORY_CF &&
         category != UTF8PROC_CATEGORY_ZL && category != UTF8PROC_CATEGORY_ZP;
}

static size_t next_codepoint(const char *at, utf8proc_int32_t *codepoint) {
  return (size_t)utf8proc_iterate((const utf8proc_uint8_t *)at, -1, codepoint);
}

void write_visible(FILE *stream, const char *token) {
  utf8proc_int32_t codepoint;
  for (size_t step; *token != '\0'; token += step) {
    step = next_codepoint(token, &codepoint);
    if (is_harmless(codepoint))
      fwrite(token, 1, step, stream);
    else
      fprintf(stream, "\\u{%X}", (unsigned)codepoint);
  }
}

size_t visible_width(const char *token) {
  utf8proc_int32_t codepoint;
  size_t width = 0;
  for (; *token != '\0'; token += next_codepoint(token, &codepoint)) {
    next_codepoint(token, &codepoint);
    width += is_harmless(codepoint) ? (size_t)utf8proc_charwidth(codepoint)
                                    : (size_t)snprintf(NULL, 0, "\\u{%X}", (unsigned)codepoint);
  }
  return width;
}
