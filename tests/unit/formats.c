/* Test: text. */
/* The formats of attention matrices, compared byte by byte: their names, and tables. */
#include <stdint.h>

#include "formats.h"
#include "inspect/escape.h"

/* ---- available formats ---- */

Test(formats, names_and_suffixes) {
  static const char *const names[] = {"text", "json", "tsv",     "npy",
                                      "svg",  "html", "pharaoh", "softalignments"};
  enum { NAMES = sizeof names / sizeof *names };
  for (size_t i = 0; i < NAMES; i++) {
    cr_assert_str_eq(elman_format_name(i), names[i]);
  }
  cr_assert_null(elman_format_name(NAMES));
  cr_assert_null(elman_format_name(SIZE_MAX));
  elman_attention_writer *writer;
  fails(elman_attention_writer_create(&writer, stdout, "gif", NULL, &why), ELMAN_INVALID_ARGUMENT,
        "unknown format \"gif\"");
  fails(elman_attention_writer_create(&writer, stdout, "", NULL, &why), ELMAN_INVALID_ARGUMENT,
        "unknown format \"\"");
  cr_assert_str_eq(elman_format_of_path("a.txt"), "text");
  cr_assert_str_eq(elman_format_of_path("a/b.tar.json"), "json");
  cr_assert_str_eq(elman_format_of_path("x.tsv"), "tsv");
  cr_assert_str_eq(elman_format_of_path("x.npy"), "npy");
  cr_assert_str_eq(elman_format_of_path("x.svg"), "svg");
  cr_assert_str_eq(elman_format_of_path("x.html"), "html");
  cr_assert_str_eq(elman_format_of_path("x.pharaoh"), "pharaoh");
  cr_assert_str_eq(elman_format_of_path("x.ali"), "softalignments");
  static const char *const none[] = {"", ".npy", "npy", "a.npy.gz", "a.NPY", "a.npy/"};
  for (size_t i = 0; i < sizeof none / sizeof *none; i++)
    cr_assert_null(elman_format_of_path(none[i]), "%s", none[i]);
}

/* ---- tsv ---- */

Test(formats, tsv) {
  expect("tsv", example(), false,
         "\t我\t喜欢 (unknown)\ttea\n"
         "I\t1.000000\t0.000000\t0.000000\n"
         "like\t0.250000\t0.500000\t0.250000\n"
         "茶\t0.000000\t0.100000\t0.900000\n"
         "</s>\t0.400000\t0.400000\t0.200000\n");
}

Test(formats, tsv_of_several_translations) {
  expect("tsv", with_heads(), false,
         "head 1\n"
         "\t我\t喜欢 (unknown)\ttea\n"
         "I\t1.000000\t0.000000\t0.000000\n"
         "like\t0.000000\t1.000000\t0.000000\n"
         "head 2\n"
         "\t我\t喜欢 (unknown)\ttea\n"
         "I\t0.000000\t0.000000\t1.000000\n"
         "like\t0.000000\t1.000000\t0.000000\n"
         "average\n"
         "\t我\t喜欢 (unknown)\ttea\n"
         "I\t0.500000\t0.000000\t0.500000\n"
         "like\t0.000000\t1.000000\t0.000000\n");
  elman_translation one = example();
  one.target_count = 1;
  expect_twice("tsv", one,
               "\t我\t喜欢 (unknown)\ttea\nI\t1.000000\t0.000000\t0.000000\n\n"
               "\t我\t喜欢 (unknown)\ttea\nI\t1.000000\t0.000000\t0.000000\n");
}

/* Cells that a spreadsheet would evaluate, or read up to the next quotation mark. */
Test(formats, tsv_cells_are_text) {
  static const char *const pairs[][2] = {{"=1+1", "'=1+1"},
                                         {"+1", "'+1"},
                                         {"-", "'-"},
                                         {"@SUM(1)", "'@SUM(1)"},
                                         {"\"open", "'\"open"},
                                         {"＝1", "'＝1"},
                                         {"＠", "'＠"},
                                         {"a=b", "a=b"},
                                         {"'", "'"},
                                         {"\t=1", "\\u{9}=1"},
                                         {"", ""}};
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    owned char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    write_cell(stream, pairs[i][0]);
    fclose(stream);
    cr_assert_str_eq(text, pairs[i][1]);
  }
}

/* An abandoned writer leaks nothing. */
Test(formats, abandoned_writing_leaks_nothing) {
  const elman_translation translation = example();
  elman_attention_writer *writing;
  FILE *stream = fopen("/dev/null", "w");
  succeeds(elman_attention_writer_create(&writing, stream, "svg", NULL, &why));
  succeeds(
      elman_attention_writer_add(writing, &translation, (elman_attention_place){1, 1, NULL}, &why));
  elman_attention_writer_free(writing);
  fclose(stream);
}
