/* Test: text. */
/* Gold alignments in Pharaoh format. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "corpus/alignment.h"

/* Read the links of `line`; return the text that remains. */
static size_t read(struct word_link *links, size_t most, struct text *rest, const char *line) {
  size_t count = 0;
  *rest = text_of(line);
  while (count < most && alignment_next(&links[count], rest)) count++;
  return count;
}

Test(alignment, links_are_zero_based_pairs) {
  struct word_link links[8];
  struct text rest;
  cr_assert_eq(read(links, 8, &rest, " 0-0 3-12  45-6 1000000-999999 "), 4);
  static const size_t expected[][2] = {{0, 0}, {3, 12}, {45, 6}, {1000000, 999999}};
  for (size_t i = 0; i < 4; i++) {
    cr_assert_eq(links[i].source, expected[i][0]);
    cr_assert_eq(links[i].target, expected[i][1]);
  }
  cr_assert_eq(rest.length, 0, "all of it is read");
  cr_assert_eq(read(links, 8, &rest, ""), 0);
  cr_assert_eq(read(links, 8, &rest, "  "), 0);
  cr_assert_eq(rest.length, 0);
}

Test(alignment, invalid_links_are_left_over) {
  static const char *const wrong[] = {"1",    "1-",  "-1",        "1-2x",      "1:2",  "1 -2",
                                      "1--2", "a-b", "1000001-0", "0-1000001", "+1-2", "1-2,3-4"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    char line[64];
    struct word_link links[8];
    struct text rest;
    snprintf(line, sizeof line, "7-8 %s 1-1", wrong[i]);
    cr_assert_eq(read(links, 8, &rest, line), 1, "%s", line);
    cr_assert(text_equal(rest, text_of(line + 4)), "%.*s", (int)rest.length, rest.bytes);
  }
}

Test(alignment, reversed_alignment_keeps_its_length) {
  static const char *const lines[][2] = {{"0-0 3-12  45-6 ", "0-0 12-3  6-45 "},
                                         {" 0001-2", " 2-0001"},
                                         {"1-23 note 4-5", "23-1 note 4-5"},
                                         {"note", "note"},
                                         {"", ""}};
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
    char line[32];
    snprintf(line, sizeof line, "%s", lines[i][0]);
    elman_alignment_reverse(line);
    cr_assert_str_eq(line, lines[i][1]);
  }
}
