/* A page for a browser: a record of JSON a line, between the head and the tail that the build made
 * of inspect/page. The page reads a record when it shows it. */
#include "inspect/format.h"
#include "inspect/page/page.h"

elman_status format_begin_html(struct writing *writing, elman_error *error) {
  (void)error;
  fwrite(page_head, 1, page_head_size, writing->stream);
  return ELMAN_OK;
}

elman_status format_write_html(struct writing *writing, const struct record *record,
                               elman_error *error) {
  (void)error;
  write_json_record(writing->stream, record);
  fputc('\n', writing->stream);
  return ELMAN_OK;
}

elman_status format_end_html(struct writing *writing, elman_error *error) {
  (void)error;
  fwrite(page_tail, 1, page_tail_size, writing->stream);
  return ELMAN_OK;
}
