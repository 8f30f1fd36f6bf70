#include "json_output.h"

#include <math.h>
#include <string.h>

#include "visible.h"

void write_json_string(FILE *stream, const char *text) {
  size_t size;
  putc('"', stream);
  for (size_t left = strlen(text); left > 0; left -= size, text += size) {
    const long control = control_at(text, left, &size);
    if (control >= 0) {
      fprintf(stream, "\\u%04lx", (unsigned long)control);
      continue;
    }
    if (*text == '"' || *text == '\\') putc('\\', stream);
    putc(*text, stream);
    size = 1;
  }
  putc('"', stream);
}

void write_json_number(FILE *stream, double number) {
  if (isfinite(number))
    fprintf(stream, "%.9g", number);
  else
    fputs("null", stream);
}
