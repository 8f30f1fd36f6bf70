/* Test: text. */
/* Reading files with one sentence per line. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "folder.h"
#include "owned.h"

#include "corpus/pairs.h"
#include "elman/metric.h"

TestSuite(lines, .init = enter_folder, .fini = leave_folder);

/* `expected` contains the lines, each followed by "|". */
static void assert_lines(const char *content, const char *expected) {
  elman_lines *lines;
  owned_by(buffer_free) struct buffer shown = {0};
  put("lines", content);
  succeeds(elman_lines_read(&lines, "lines", &why));
  for (size_t i = 0; i < elman_lines_count(lines); i++) {
    buffer_append_text(&shown, text_of(elman_lines_get(lines)[i]));
    buffer_append(&shown, "|", 1);
  }
  elman_lines_free(lines);
  cr_assert_str_eq(shown.bytes, expected);
}

Test(lines, every_line_is_kept) {
  assert_lines("a\nb\n", "a|b|");
  assert_lines("a\nb", "a|b|");
  assert_lines("\n\na\n\n", "||a||");
  assert_lines("a\r\n\r\nb\r\r\nc\r", "a||b|c|");
  assert_lines("\xEF\xBB\xBF"
               "a\n\xEF\xBB\xBF",
               "a||");
  assert_lines("a b\t我\u2028c\n", "a b\t我\u2028c|");
}

static void assert_bad(const char *content, size_t length, const char *message) {
  elman_lines *lines;
  put_bytes("lines", content, length);
  cr_assert_eq(elman_lines_read(&lines, "lines", &why), ELMAN_BAD_DATA);
  char shown[2048];
  snprintf(shown, sizeof shown, "%s %s", why.where, why.message);
  cr_assert_str_eq(shown, message);
}

Test(lines, bad_files_are_reported) {
  assert_bad("", 0, "lines is empty; expected one sentence per line");
  assert_bad("\xEF\xBB\xBF", 3, "lines is empty; expected one sentence per line");
  assert_bad("a\nb\xC3\n", 5, "lines:2 is not valid UTF-8 at byte 2 of the line");
  assert_bad("a\n\nxy\0z", 7, "lines:3 contains NUL at byte 3 of the line");
  assert_bad(
      "a\nb\rc\n", 6,
      "lines:2 contains a carriage return (CR) at byte 2 of the line; if lines end there, convert "
      "the file: tr '\\r' '\\n'");
  assert_bad("a\rb\r", 4,
             "lines has lines that end with CR alone, as on old Macs; convert it: tr '\\r' '\\n'");
  assert_bad("\xC3\x01\r\xFF\x02\r\xFE\x03\r", 9,
             "lines:1 is not valid UTF-8 at byte 1 of the line");
  elman_lines *lines;
  cr_assert_eq(elman_lines_read(&lines, "/nowhere/at/all", NULL), ELMAN_NO_INPUT);
}
