/* Tables of text as files. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elman.h"

static char *written(const elman_table *table, const char *format) {
  char *text = NULL;
  size_t length;
  FILE *stream = open_memstream(&text, &length);
  cr_assert_eq(elman_table_write(stream, table, format, NULL), ELMAN_OK);
  cr_assert_eq(fclose(stream), 0);
  return text;
}

static const char *const columns[] = {"source", "=target"};

Test(api_table, lines_for_a_spreadsheet) {
  static const char *const cells[] = {"我 爱", "I love", "=1+2", "a\tb\n", "-1",      "-1.25e-07",
                                      "-1-2",  "-",      "-.5",  "2e",     "-1e+300", ""};
  const elman_table table = {"a", columns, 2, cells, 6};
  char *text = written(&table, "tsv");
  cr_assert_str_eq(text, "source\t'=target\n"
                         "我 爱\tI love\n"
                         "'=1+2\ta\\u{9}b\\u{A}\n"
                         "-1\t-1.25e-07\n"
                         "'-1-2\t'-\n"
                         "'-.5\t2e\n"
                         "-1e+300\t\n");
  free(text);
}

Test(api_table, a_page_without_a_script) {
  static const char *const cells[] = {"<script>", "\"&\x01", "好", "good"};
  const elman_table table = {"a < b", columns, 2, cells, 2};
  char *text = written(&table, "html");
  cr_assert_null(strstr(text, "<script"));
  cr_assert_not_null(strstr(text, "default-src 'none'"));
  cr_assert_not_null(strstr(text, "<title>a &lt; b</title>"));
  cr_assert_not_null(strstr(text, "<tr><td><bdi>&lt;script&gt;</bdi></td>"
                                  "<td><bdi>&quot;&amp;\\u{1}</bdi></td></tr>\n"
                                  "<tr><td><bdi>好</bdi></td><td><bdi>good</bdi></td></tr>\n"));
  free(text);
}

Test(api_table, formats_by_name) {
  elman_error error;
  const elman_table table = {"a", columns, 2, NULL, 0};
  for (size_t i = 0; elman_table_format_name(i) != NULL; i++)
    free(written(&table, elman_table_format_name(i)));
  cr_assert_null(elman_table_format_name(2));
  cr_assert_eq(elman_table_write(stdout, &table, "gif", &error), ELMAN_INVALID_ARGUMENT);
  cr_assert_str_eq(error.message, "there is no format \"gif\" of tables");
}
