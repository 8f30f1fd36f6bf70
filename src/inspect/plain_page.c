#include "inspect/plain_page.h"

#include "inspect/escape.h"

enum { WHOLE = 1 << 26 }; /* columns: as good as uncut */

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
