/* An HTML page: one JSON record per line between the head and the tail that the build makes from
 * inspect/page. The page parses a record when it is shown. */
#include "inspect/format.h"
#include "inspect/page/page.h"

static void begin_html(elman_attention_writer *writing) {
  fwrite(page_head, 1, page_head_size, writing->stream);
}

static void write_html(elman_attention_writer *writing, const elman_translation *translation) {
  write_json_record(writing, translation);
  fputc('\n', writing->stream);
}

static void end_html(elman_attention_writer *writing) {
  fwrite(page_tail, 1, page_tail_size, writing->stream);
}

const struct format format_html = {"html", ".html", .begin = begin_html, .write = write_html,
                                   .end = end_html};
