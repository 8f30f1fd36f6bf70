#include "json_output.h"

#include <math.h>

void write_json_string(FILE *stream, const char *text) {
  putc('"', stream);
  for (const char *byte = text; *byte != '\0'; byte++) {
    if (*byte == '"' || *byte == '\\')
      fprintf(stream, "\\%c", *byte);
    else if ((unsigned char)*byte < 0x20)
      fprintf(stream, "\\u%04x", (unsigned)(unsigned char)*byte);
    else
      putc(*byte, stream);
  }
  putc('"', stream);
}

void write_json_number(FILE *stream, double number) {
  if (isfinite(number))
    fprintf(stream, "%.9g", number);
  else
    fputs("null", stream);
}
