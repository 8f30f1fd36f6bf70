#include "inspect/svg.h"

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
          "%s"
          "@media (prefers-color-scheme: dark) { text { fill: #E6E6E6 } .page { fill: #161616 }%s "
          "}\n"
          "</style>\n"
          "<rect class=\"page\" width=\"100%%\" height=\"100%%\"/>\n",
          style, dark_style);
}
