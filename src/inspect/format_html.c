/* A page for a browser: a record of JSON a line, between the head and the tail that the build made
 * of inspect/page. The page reads a record when it shows it. */
#include "inspect/format.h"
#include "inspect/page/page.h"

static elman_status write_start(elman_attention_writer *writing, elman_error *error) {
  (void)error;
  fwrite(page_head, 1, page_head_size, writing->stream);
  return ELMAN_OK;
}

static elman_status write_translation(elman_attention_writer *writing,
                                      const elman_translation *translation, elman_error *error) {
  (void)error;
  write_json_record(writing->stream, translation, writing->place);
  fputc('\n', writing->stream);
  return ELMAN_OK;
}

static elman_status write_end(elman_attention_writer *writing, elman_error *error) {
  (void)error;
  fwrite(page_tail, 1, page_tail_size, writing->stream);
  return ELMAN_OK;
}

const struct format format_html = {"html", ".html", .begin = write_start,
                                   .write = write_translation, .end = write_end};
