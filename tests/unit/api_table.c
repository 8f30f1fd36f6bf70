/* Tables of text written to files. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elman.h"
#include "owned.h"

static char *written(const elman_table *table, const char *format) {
  char *text = NULL;
  size_t length;
  FILE *stream = open_memstream(&text, &length);
  cr_assert_eq(elman_table_write(stream, table, format, NULL), ELMAN_OK);
  cr_assert_eq(fclose(stream), 0);
  return text;
}

static const char *const columns[] = {"source", "=target"};

Test(api_table, tsv_escapes_unsafe_cells) {
  static const char *const cells[] = {"我 爱", "I love", "=1+2", "a\tb\n", "-1",      "-1.25e-07",
                                      "-1-2",  "-",      "-.5",  "2e",     "-1e+300", ""};
  const elman_table table = {"a", columns, 2, cells, 6};
  owned char *text = written(&table, "tsv");
  cr_assert_str_eq(text, "source\t'=target\n"
                         "我 爱\tI love\n"
                         "'=1+2\ta\\u{9}b\\u{A}\n"
                         "-1\t-1.25e-07\n"
                         "'-1-2\t'-\n"
                         "'-.5\t2e\n"
                         "-1e+300\t\n");
}

Test(api_table, html_escapes_markup) {
  static const char *const cells[] = {"<script>", "\"&\x01", "好", "good"};
  const elman_table table = {"a < b", columns, 2, cells, 2};
  owned char *text = written(&table, "html");
  cr_assert_null(strstr(text, "<script"));
  cr_assert_not_null(strstr(text, "default-src 'none'"));
  cr_assert_not_null(strstr(text, "<title>a &lt; b</title>"));
  cr_assert_not_null(strstr(text, "<tr><td><bdi>&lt;script&gt;</bdi></td>"
                                  "<td><bdi>&quot;&amp;\\u{1}</bdi></td></tr>\n"
                                  "<tr><td><bdi>好</bdi></td><td><bdi>good</bdi></td></tr>\n"));
}

Test(api_table, formats_are_found_by_name) {
  const elman_table table = {"a", columns, 2, NULL, 0};
  for (size_t i = 0; elman_table_format_name(i) != NULL; i++)
    free(written(&table, elman_table_format_name(i)));
  cr_assert_null(elman_table_format_name(2));
  cr_assert_eq(elman_table_write(stdout, &table, "gif", &why), ELMAN_INVALID_ARGUMENT);
  cr_assert_str_eq(why.message, "unknown table format \"gif\"; use tsv or html");
}

static void encode(char *bytes, int code) {
  const int lead = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  static const unsigned char leads[] = {0, 0xC0, 0xE0, 0xF0};
  for (int i = lead; i > 0; i--, code >>= 6) bytes[i] = (char)(0x80 | (code & 0x3F));
  bytes[0] = (char)(leads[lead] | code);
  bytes[lead + 1] = '\0';
}

/* Over all code points, elman_unsafe_character finds exactly the characters that the writers
 * escape. */
Test(api_table, unsafe_characters_are_exactly_the_escaped) {
  enum { STEP = 0x1000 };
  static char cells[STEP][8];
  static const char *rows[STEP];
  static const char *const column[] = {"c"};
  for (int first = 0; first <= 0x10FFFF; first += STEP) {
    owned char *text = NULL;
    size_t length;
    for (int i = 0; i < STEP; i++) {
      const int code = first + i;
      const bool is_character = code > 0 && (code < 0xD800 || code > 0xDFFF);
      cells[i][0] = 'x';
      encode(cells[i] + 1, is_character ? code : 'x');
      rows[i] = cells[i];
    }
    const elman_table table = {"t", column, 1, rows, STEP};
    FILE *stream = open_memstream(&text, &length);
    cr_assert_eq(elman_table_write(stream, &table, "tsv", &why), ELMAN_OK);
    fclose(stream);
    const char *at = strchr(text, '\n') + 1;
    for (int i = 0; i < STEP; i++) {
      uint32_t found = 0;
      const size_t size = strlen(cells[i] + 1), line = strcspn(at, "\n");
      const bool is_same = line == strlen(cells[i]) && strncmp(at, cells[i], line) == 0;
      const size_t unsafe = elman_unsafe_character(&found, cells[i] + 1, size);
      cr_assert_eq(unsafe, is_same ? 0 : size, "U+%04X", (unsigned)(first + i));
      cr_assert(is_same || found == (uint32_t)(first + i));
      at += line + 1;
    }
  }
  uint32_t code;
  static const char *const safe[] = {"a", "\u200d", "\u200c", "学", "\x9b", "\xe2\x80"};
  for (size_t i = 0; i < sizeof safe / sizeof *safe; i++)
    cr_assert_eq(elman_unsafe_character(&code, safe[i], strlen(safe[i])), 0);
  cr_assert_eq(elman_unsafe_character(&code, "\u200bx", 4), 3);
  cr_assert_eq(elman_unsafe_character(&code, "\u200b", 2), 0); /* truncated */
  cr_assert_eq(elman_unsafe_character(&code, "", 1), 1);       /* NUL */
  cr_assert_eq(elman_unsafe_character(&code, "", 0), 0);
}

Test(api_table, right_to_left_text_ends_with_a_letter) {
  static const struct {
    const char *text, *run;
  } cases[] = {{"שלום, עולם! (-1)", "שלום, עולם"},
               {"ב-New York", "ב"},
               {"לי 3 ספרים.", "לי 3 ספרים"},
               {"אָ.", "אָ"}, /* the letter keeps its vowel */
               {"كتاب ٣\nعلي", "كتاب"},
               {" שלום", ""},
               {"abc", ""},
               {"3", ""},
               {"\x9cש", ""},
               {"\u200fabc", ""}, /* a mark, which is shown as \\u{200F} */
               {"", ""}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    cr_assert_eq(elman_right_to_left(cases[i].text, strlen(cases[i].text)), strlen(cases[i].run),
                 "%s", cases[i].text);
  cr_assert_eq(elman_right_to_left("ש\0ש", 5), 5);
  cr_assert_eq(elman_right_to_left("שש", 3), 2); /* truncated */
}
