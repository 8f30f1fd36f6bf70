/* Test: text. */
/* Reading sentence pairs: formats, bad lines and errors. */
#include <criterion/criterion.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "folder.h"
#include "owned_values.h"

#include "corpus/pairs.h"

TestSuite(tsv, .init = enter_folder, .fini = leave_folder);
TestSuite(moses, .init = enter_folder, .fini = leave_folder);

/* Collect "file:line: problem" lines. */
static void note_skipped(void *context, const char *file, size_t line, elman_finding fault,
                         const char *problem) {
  (void)fault;
  char note[512];
  snprintf(note, sizeof note, "%s:%zu: %s\n", file, line, problem);
  buffer_append_text(context, text_of(note));
}

static struct buffer notes;
static const char *const one_file[] = {"a.tsv"};

static elman_pairs_options tsv_options(void) {
  return (elman_pairs_options){.files = one_file,
                               .file_count = 1,
                               .source_column = 1,
                               .target_column = 2,
                               .skipped = note_skipped,
                               .context = &notes};
}

static elman_pairs_options moses_options(void) {
  return (elman_pairs_options){
      .source_file = "zh", .target_file = "en", .skipped = note_skipped, .context = &notes};
}

/* `expected` contains "source=target" or "source=target=alignment", separated by "|". */
static void assert_pairs(elman_pairs_options options, const char *expected, size_t skipped,
                         const char *expected_notes) {
  owned_pairs *pairs;
  buffer_clear(&notes);
  cr_assert_eq(elman_pairs_read(&pairs, &options, &why), ELMAN_OK, "%s: %s", why.where,
               why.message);
  owned_by(buffer_free) struct buffer shown = {0};
  for (size_t i = 0; i < elman_pairs_count(pairs); i++) {
    const struct pair pair = pairs_get(pairs, i);
    if (i > 0) buffer_append(&shown, "|", 1);
    buffer_append_text(&shown, pair.source);
    buffer_append(&shown, "=", 1);
    buffer_append_text(&shown, pair.target);
    if (pair.alignment.length > 0) buffer_append(&shown, "=", 1);
    buffer_append_text(&shown, pair.alignment);
  }
  cr_assert_str_eq(shown.bytes, expected);
  cr_assert_eq(elman_pairs_skipped(pairs), skipped);
  cr_assert(text_equal(buffer_text(&notes), text_of(expected_notes)), "%s", notes.bytes);
  buffer_free(&notes);
}

static void assert_error(elman_pairs_options options, elman_status status, const char *where,
                         const char *part_of_message) {
  elman_pairs *pairs;
  cr_assert_eq(elman_pairs_read(&pairs, &options, &why), status, "%s: %s", why.where, why.message);
  cr_assert_eq(why.code, status);
  cr_assert_null(pairs);
  cr_assert_str_eq(why.where, where);
  cr_assert_not_null(strstr(why.message, part_of_message), "%s", why.message);
  buffer_free(&notes);
}

#define LACKS_COLUMN "has 1 column; column 2 is required (columns are separated by tabs)\n"

/* Contents of a file, its pairs, the number of skipped lines, and what is noted about them. */
Test(tsv, lines_become_pairs) {
  static const struct {
    const char *content, *pairs;
    size_t skipped;
    const char *notes;
  } cases[] = {
      {"我爱你。\tI love you.\n他\tHe\n", "我爱你。=I love you.|他=He", 0, ""},
      {"\xEF\xBB\xBF我\tI\r\n你\tyou\r\n他\the", "我=I|你=you|他=he", 0, ""},
      {"我\tI\n\r\n\n", "我=I", 0, ""},
      {"我\tI\tCC-BY\t\n你\tyou\n他\the\t\xE6\x88\x91\n", "我=I|你=you|他=he", 0, ""},
      /* several carriage returns at the end are a line ending */
      {"我\tI\ra\n你\tyou\r\r\n他\the\n", "你=you|他=he", 1,
       "a.tsv:1: contains a carriage return (CR) at byte 6 of the line; if lines end there, "
       "convert the file: tr '\\r' '\\n'\n"},
      {"\u200B\tI\n你\tyou\n他\t\uFEFF \u00AD\n", "你=you", 2,
       "a.tsv:1: has an empty source side\na.tsv:3: has an empty target side\n"},
      {"我\tI\nno tab\n\n你\xFF\tyou\n\tempty\nempty\t \u3000\n他\the\n \nx\n", "我=I|他=he", 7,
       "a.tsv:2: " LACKS_COLUMN "a.tsv:3: is empty\n"
       "a.tsv:4: is not valid UTF-8 at byte 4 of the line\n"
       "a.tsv:5: has an empty source side\n"
       "a.tsv:6: has an empty target side\n"
       "a.tsv:8: " LACKS_COLUMN "a.tsv:9: " LACKS_COLUMN}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    put("a.tsv", cases[i].content);
    assert_pairs(tsv_options(), cases[i].pairs, cases[i].skipped, cases[i].notes);
  }
}

Test(tsv, columns) {
  put("a.tsv", "1\tI\t我\t0-0\n2\tyou\t你\t\n3\the\n");
  elman_pairs_options options = tsv_options();
  options.source_column = 3;
  options.target_column = 2;
  assert_pairs(options, "我=I|你=you", 1,
               "a.tsv:3: has 2 columns; column 3 is required (columns are separated by tabs)\n");
  options.alignment_column = 4;
  assert_pairs(options, "我=I=0-0|你=you", 1,
               "a.tsv:3: has 2 columns; column 4 is required (columns are separated by tabs)\n");
  options.alignment_column = 0;
  options.source_column = 2;
  assert_pairs(options, "I=I|you=you|he=he", 0, "");
}

/* Alignments that refer to missing words or are malformed are rejected; an empty alignment is none.
 */
Test(tsv, alignments_are_checked_on_request) {
  put("a.tsv", "我 爱\tI love\t0-0 1-1\nb\tyou\t1-0\n他\the\tnote\n她\tshe\t\n我爱\tI\t0-0\n");
  elman_pairs_options options = tsv_options();
  options.alignment_column = 3;
  assert_pairs(options, "我 爱=I love=0-0 1-1|b=you=1-0|他=he=note|她=she|我爱=I=0-0", 0, "");
  options.check_alignments = true;
  assert_pairs(options, "我 爱=I love=0-0 1-1|她=she|我爱=I=0-0", 2,
               "a.tsv:2: alignment 1-0 is out of range: i-j counts from 0, and "
               "the sides have 1 and 1 words\n"
               "a.tsv:3: \"note\" is not an alignment of the form i-j; check the column or file\n");
  options.strict = true;
  assert_error(options, ELMAN_BAD_DATA, "a.tsv:2", "is out of range");
}

/* Links of a Han line count words if at least half of such lines have a space; otherwise they count
 * tokens, whose number is not known yet. The number of pairs without a space does not matter. */
Test(tsv, the_corpus_determines_what_links_count) {
  elman_pairs_options options = tsv_options();
  options.alignment_column = 3;
  options.check_alignments = true;
  put("a.tsv",
      "中华人民共和国 成立\tfounded PRC\t0-1 1-0\n谢谢\tthanks\t1-0\n我 爱\tI love\t1-1\n");
  assert_pairs(options, "中华人民共和国 成立=founded PRC=0-1 1-0|我 爱=I love=1-1", 1,
               "a.tsv:2: alignment 1-0 is out of range: i-j counts from 0, and "
               "the sides have 1 and 1 words\n");
  put("a.tsv", "我爱茶\tI love tea\t2-2\n谢谢\tthanks\t1-0\n他 说\the said\t3-1\n"
               "我们学习\twe study\t3-2\n");
  assert_pairs(options, "我爱茶=I love tea=2-2|谢谢=thanks=1-0|他 说=he said=3-1", 1,
               "a.tsv:4: alignment 3-2 is out of range\n");
}

/* In i-j, i refers to the first column and j to the second, whichever is the source. */
Test(tsv, alignments_follow_swapped_columns) {
  put("a.tsv", "我 爱 你\tI love\t0-0 2-1\n你 好\tHello\t1-0\n");
  put("a.links", "0-1 2-0\n\n");
  elman_pairs_options options = tsv_options();
  options.check_alignments = true;
  options.alignment_column = 3;
  assert_pairs(options, "我 爱 你=I love=0-0 2-1|你 好=Hello=1-0", 0, "");
  options.source_column = 2;
  options.target_column = 1;
  assert_pairs(options, "I love=我 爱 你=0-0 1-2|Hello=你 好=0-1", 0, "");
  options.check_alignments = false;
  assert_pairs(options, "I love=我 爱 你=0-0 1-2|Hello=你 好=0-1", 0, "");
  options.alignment_column = 0;
  options.alignment_file = "a.links";
  assert_pairs(options, "I love=我 爱 你=1-0 0-2|Hello=你 好", 0, "");
}

/* A few alignments that do not fit are skipped. If most do not fit, they belong to another text,
 * which is an error. */
Test(tsv, most_alignments_must_fit) {
  elman_pairs_options options = tsv_options();
  options.check_alignments = true;
  options.alignment_column = 3;
  put("a.tsv", "a b\tx\t1-0\nc d\ty\t1-0\ne\tz\t1-0\nf\tz\t9-9\n");
  assert_pairs(options, "a b=x=1-0|c d=y=1-0", 2,
               "a.tsv:3: alignment 1-0 is out of range: i-j counts from 0, and "
               "the sides have 1 and 1 words\n"
               "a.tsv:4: alignment 9-9 is out of range: i-j counts from 0, and "
               "the sides have 1 and 1 words\n");
  put("a.tsv", "a b\tx\t1-0\nc d\ty\t0-1\ne f\tz\t0-1\n");
  assert_error(options, ELMAN_BAD_DATA, "a.tsv:2",
               "2 of 3 alignments do not match their lines: i-j must link word i of column 1 to "
               "word j of column 2, counted from 0");
  options.source_column = 2;
  options.target_column = 1;
  assert_error(options, ELMAN_BAD_DATA, "a.tsv:2", "i-j must link word i of column 1");
  put("a.tsv", "a\tx\t1-0\n");
  assert_error(options, ELMAN_BAD_DATA, "a.tsv:1", "1 of 1 alignment does not match its line: ");
}

/* Line n of the alignment file belongs to line n of the pairs, also if either file has bad
 * lines. */
Test(tsv, alignments_are_read_from_a_file) {
  put("a.tsv", "我 爱\tI love\nno tab\n你\tyou\n他\the\n\n");
  put("a.links", "0-0 1-1\nanything\n\n\xFF\n");
  elman_pairs_options options = tsv_options();
  options.alignment_file = "a.links";
  options.check_alignments = true;
  assert_pairs(options, "我 爱=I love=0-0 1-1|你=you", 2,
               "a.tsv:2: " LACKS_COLUMN "a.links:4: is not valid UTF-8 at byte 1 of the line\n");
  put("a.links", "0-0\n\n0-0\n");
  assert_error(options, ELMAN_BAD_DATA, "a.links", "has 3 lines, but a.tsv has 4");
  put("a.links", "0-0\n\n0-0\n0-0\n0-0\n");
  assert_error(options, ELMAN_BAD_DATA, "a.links", "has 5 lines, but a.tsv has 4");
  put("a.links", "0-0\n\n0-0\n0-0\n\n\n");
  assert_pairs(options, "我 爱=I love=0-0|你=you=0-0|他=he=0-0", 1, "a.tsv:2: " LACKS_COLUMN);
  options.alignment_file = "nowhere";
  assert_error(options, ELMAN_NO_INPUT, "nowhere", "");
  options.alignment_column = 3;
  assert_error(options, ELMAN_INVALID_ARGUMENT, "", "cannot be combined with an alignment column");
  options.alignment_column = 0;
  const char *two[] = {"a.tsv", "a.tsv"};
  options.files = two;
  options.file_count = 2;
  assert_error(options, ELMAN_INVALID_ARGUMENT, "", "one file of pairs");
}

Test(moses, alignments_are_read_from_a_file) {
  put("zh", "我 爱\n\n你\n");
  put("en", "I love\nx\nyou\n");
  put("links", "0-1 1-0\n7-7\n0-0");
  elman_pairs_options options = moses_options();
  options.alignment_file = "links";
  options.check_alignments = true;
  assert_pairs(options, "我 爱=I love=0-1 1-0|你=you=0-0", 1, "zh:2: is empty\n");
  options.source_column = 2; /* valid for TSV only */
  options.target_column = 1;
  assert_pairs(options, "我 爱=I love=0-1 1-0|你=you=0-0", 1, "zh:2: is empty\n");
  put("links", "2-0\n\n0-1");
  assert_error(options, ELMAN_BAD_DATA, "links:1", "i-j must link word i of the source");
}

Test(tsv, skipped_callback_is_optional) {
  put("a.tsv", "我\tI\nno tab\n");
  elman_pairs_options options = tsv_options();
  options.skipped = NULL;
  assert_pairs(options, "我=I", 1, "");
}

Test(tsv, line_numbers_count_skipped_lines) {
  static const char *const names[] = {"a.tsv", "b.tsv"};
  static const char *const places[] = {"a.tsv:1", "a.tsv:3", "a.tsv:4", "b.tsv:2"};
  put("a.tsv", "我\tI\nbad\n你\tyou\n他\the\n");
  put("b.tsv", "bad\n她\tshe\n");
  elman_pairs_options options = tsv_options();
  options.files = names;
  options.file_count = 2;
  owned_pairs *pairs;
  cr_assert_eq(elman_pairs_read(&pairs, &options, NULL), ELMAN_OK);
  cr_assert_eq(elman_pairs_count(pairs), sizeof places / sizeof *places);
  for (size_t i = 0; i < elman_pairs_count(pairs); i++) {
    char place[32];
    pairs_place(place, sizeof place, pairs, i);
    cr_assert_str_eq(place, places[i]);
  }
  cr_assert_eq(pairs_line_number(pairs, 3), 2);
  buffer_free(&notes);
}

/* Lines larger than a block of text (corpus/pairs.c), and shorter lines before and after. */
Test(tsv, long_lines) {
  enum { LONG = 3 << 20 };
  owned_by(buffer_free) struct buffer content = {0}, expected = {0};
  buffer_print(&content, "我\tI\n你\t");
  buffer_print(&expected, "我=I|你=");
  for (size_t i = 0; i < LONG; i++) {
    buffer_append(&content, "x", 1);
    buffer_append(&expected, "x", 1);
  }
  buffer_print(&content, "\n他\the\n");
  buffer_print(&expected, "|他=he");
  put_bytes("a.tsv", content.bytes, content.length);
  assert_pairs(tsv_options(), expected.bytes, 0, "");
}

/* Return whether the page of this address is in memory. */
static bool is_resident(const char *address) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  unsigned char resident = 0;
  void *start = (void *)((uintptr_t)address / page * page);
  return mincore(start, 1, &resident) == 0 && (resident & 1) != 0;
}

Test(tsv, text_is_released_from_the_front) {
  enum { PAIRS = 1000, WIDTH = 5000 };
  owned_by(buffer_free) struct buffer content = {0};
  for (size_t i = 0; i < PAIRS; i++) {
    for (size_t j = 0; j < WIDTH; j++) buffer_append(&content, "x", 1);
    buffer_print(&content, "\ty\n");
  }
  put_bytes("a.tsv", content.bytes, content.length);
  const elman_pairs_options options = tsv_options();
  owned_pairs *pairs = NULL;
  cr_assert_eq(elman_pairs_read(&pairs, &options, NULL), ELMAN_OK);
  const char *early = pairs_get(pairs, 10).source.bytes;
  const char *late = pairs_get(pairs, PAIRS - 10).source.bytes;
  cr_assert(is_resident(early) && is_resident(late));
  pairs_release(pairs, PAIRS / 2);
  cr_assert(!is_resident(early) && is_resident(late));
  for (size_t i = PAIRS / 2; i < PAIRS; i++) cr_assert_eq(pairs_get(pairs, i).source.length, WIDTH);
  pairs_release(pairs, PAIRS);
  cr_assert_not(is_resident(late));
}

Test(tsv, strict_mode_rejects_bad_lines) {
  elman_pairs_options options = tsv_options();
  options.strict = true;
  put("a.tsv", "我\tI\n你\tyou\n\n");
  assert_pairs(options, "我=I|你=you", 0, "");
  static const char *const cases[][2] = {{"我\tI\nno tab\n你\n", "has 1 column"},
                                         {"我\tI\n\xC0\x80\tx\n", "UTF-8"},
                                         {"我\tI\n\n\n你\tyou\n", "is empty"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    put("a.tsv", cases[i][0]);
    assert_error(options, ELMAN_BAD_DATA, "a.tsv:2", cases[i][1]);
  }
}

Test(tsv, several_files) {
  static const char *const two[] = {"a.tsv", "b.tsv"};
  elman_pairs_options options = tsv_options();
  options.files = two;
  options.file_count = 2;
  put("a.tsv", "我\tI\nbad\n");
  put("b.tsv", "\xEF\xBB\xBF你\tyou\nbad\n");
  assert_pairs(options, "我=I|你=you", 2, "a.tsv:2: " LACKS_COLUMN "b.tsv:2: " LACKS_COLUMN);
  put("b.tsv", "");
  assert_pairs(options, "我=I", 1, "a.tsv:2: " LACKS_COLUMN);
  put("a.tsv", "");
  assert_error(options, ELMAN_BAD_DATA, "", "source, tab and target");
}

Test(tsv, no_usable_pair_is_an_error) {
  static const char *const cases[][2] = {
      {"", "source, tab and target"},
      {"\xEF\xBB\xBF\n", "no usable sentence pair: the file is empty; expected UTF-8"},
      {"我\tI\r你\tyou\r", "has lines that end with CR alone"},
      {"one\ntwo\n", "; 2 lines skipped; the first, a.tsv:1, has 1 column; column 2 is required"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    put("a.tsv", cases[i][0]);
    assert_error(tsv_options(), ELMAN_BAD_DATA, "a.tsv", cases[i][1]);
  }
}

#define CONVERT "; to convert the file: elman corpus convert"

Test(tsv, other_separators_are_named) {
  static const char *const lines[][2] = {
      {"Привет ||| Hello", "; this line seems to use |||" CONVERT},
      {"Привет\\tHello", "; this line seems to use a backslash and t"},
      {"{\"ru\": \"Привет\", \"en\": \"Hello\"}", "; this line seems to use JSON" CONVERT},
      {"Привет      Hello", "; this line seems to use spaces"},
      {"Привет;Hello", "; this line seems to use semicolons" CONVERT},
      {"\"Привет, мир\",\"Hello, world\"", "; this line seems to use commas" CONVERT},
      {"Привет, это 1,5 или 2;3; да", ""},
      {"x", ""}};
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
    char content[100], expected[200];
    snprintf(content, sizeof content, "да\tyes\n%s\n", lines[i][0]);
    put("a.tsv", content);
    snprintf(expected, sizeof expected,
             "a.tsv:2: has 1 column; column 2 is required (columns are separated by tabs)%s\n",
             lines[i][1]);
    assert_pairs(tsv_options(), "да=yes", 1, expected);
  }
}

Test(tsv, other_kinds_of_files_are_recognized) {
  static const struct {
    const char *bytes;
    size_t length;
    const char *problem;
  } kinds[] = {
#define KIND(bytes, problem) {bytes, sizeof bytes - 1, problem}
      KIND("\xFF\xFE\x11\x62\t\0I\0\n\0",
           "is UTF-16 text; save it as UTF-8, or convert it: iconv -f UTF-16 -t UTF-8"),
      KIND("\xFE\xFF\0I\0\t", "is UTF-16 text; "),
      KIND("I\0\t\0\x11\x62\n\0", "is UTF-16 text without a byte order mark; save it as UTF-8, or "
                                  "convert it: iconv -f UTF-16LE -t UTF-8"),
      KIND("\0I\0\t\x62\x11\0\n", "iconv -f UTF-16BE -t UTF-8"),
      KIND("\xFF\xFE\0\0I\0\0\0", "is UTF-32 text; "),
      KIND("\xFD\x37zXZ\0\0\4", "is compressed by xz; decompress it: xz -d"),
      KIND("BZh91AY&SY\1\2", "is compressed by bzip2; decompress it: bzip2 -d"),
      KIND("\x28\xB5\x2F\xFD\0", "is compressed by zstd; decompress it: zstd -d"),
      KIND("PK\3\4\x14\0", "is a zip file, perhaps of a word processor or spreadsheet; extract"),
      KIND("PK\3\4\n\0\0\0\0\0a.tsv\0\0\n我\tI\n你\tyou\n他\the\n", "is a zip file"), /* stored */
      KIND("%PDF-1.7\n1 0 obj\n我\tI\n", "is a PDF document; "),
      KIND("version https://git-lfs.github.com/spec/v1\noid sha256:0\n",
           "is a Git LFS pointer in place of the file; fetch the file: git lfs pull"),
      KIND("\xEF\xBB\xBF\n <!DOCTYPE html>\n我\tI\n", "is a web page (HTML); "),
      KIND("<HTML lang=en>\n我\tI\n", "is a web page (HTML); "),
      KIND("<?xml version='1.0'?>\n我\tI\n", "is an XML file; "),
      KIND("\x60\1\0\0\0\0\0\0{\"__metadata__\":{}}", "is a safetensors file, such as a model"),
      KIND("\x93NUMPY\1\0", "is a NumPy array"),
      KIND("\x80\2}q\0.", "is a Python pickle"),
      KIND("PK\0", "is a binary file, not UTF-8 text"),
#undef KIND
  };
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    put_bytes("a.tsv", kinds[i].bytes, kinds[i].length);
    assert_error(tsv_options(), ELMAN_BAD_DATA, "a.tsv", kinds[i].problem);
  }
}

/* A tar file stores text after a header of 512 bytes, in which most bytes are NUL. */
Test(tsv, tar_files_are_recognized) {
  static char bytes[512 + 6000];
  strcpy(bytes, "pairs.tsv");
  strcpy(bytes + 257, "ustar");
  for (size_t i = 512; i < sizeof bytes; i += 6) memcpy(bytes + i, "我\tI\n", 6);
  put_bytes("a.tsv", bytes, sizeof bytes);
  assert_error(tsv_options(), ELMAN_BAD_DATA, "a.tsv", "is a tar archive; extract its files");
}

Test(tsv, chinese_utf16_without_a_mark_is_recognized) {
  char bytes[400];
  size_t length = 0;
  for (int line = 0; line < 8; line++) { /* 我爱你们吃苹果 and LF */
    static const char text[] = "\x11\x62\x31\x72\x60\x4F\xEC\x4E\x03\x54\xF9\x82\x9C\x67\n";
    memcpy(bytes + length, text, sizeof text);
    length += sizeof text;
  }
  put_bytes("a.tsv", bytes, length);
  assert_error(tsv_options(), ELMAN_BAD_DATA, "a.tsv", "iconv -f UTF-16LE -t UTF-8");
}

/* These files start like the signature of another kind, but are text. */
Test(tsv, text_that_resembles_other_kinds_is_read) {
  static const char *const texts[] = {"BZh9",
                                      "<htmlx>",
                                      "<",
                                      "%PDF",
                                      "PK",
                                      "<html> begins a page.",
                                      "<!DOCTYPE html>",
                                      "<?xml version='1.0'?> is first.",
                                      "%PDF- is the start of PDF.",
                                      "{\\rtf is RTF."};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    char content[80], expected[80];
    snprintf(content, sizeof content, "%s\ta\nyou\tb\n", texts[i]);
    snprintf(expected, sizeof expected, "%s=a|you=b", texts[i]);
    put("a.tsv", content);
    assert_pairs(tsv_options(), expected, 0, "");
  }
  put("a.tsv", "<html lang='en'>\n<p>\ta\n");
  assert_error(tsv_options(), ELMAN_BAD_DATA, "a.tsv", "is a web page");
  put("a.tsv", "<?xml version='1.0'?> <tmx>\ta\n");
  assert_error(tsv_options(), ELMAN_BAD_DATA, "a.tsv", "is an XML file");
}

/* The limit counts the bytes of a line, including a final CR. */
Test(tsv, line_length_is_limited) {
  elman_pairs_options options = tsv_options();
  put("a.tsv", "abc\td\r\nabcd\te\nx\ty");
  options.max_bytes = 6;
  assert_pairs(options, "abc=d|abcd=e|x=y", 0, "");
  options.max_bytes = 5;
  assert_error(options, ELMAN_BAD_DATA, "a.tsv",
               "line 1 has more than 5 bytes; `max_bytes` sets the limit");
  put("a.tsv", "abc\td\nx\ty\nabcd\te");
  assert_error(options, ELMAN_BAD_DATA, "a.tsv",
               "line 3 has more than 5 bytes; `max_bytes` sets the limit");
  options.max_unpacked = 1; /* the file is not compressed */
  put("a.tsv", "abc\td\n");
  assert_pairs(options, "abc=d", 0, "");
}

/* In that encoding \xCE\xD2 is 我. */
Test(tsv, another_encoding_is_rejected) {
  put("a.tsv", "\xCE\xD2\tI\n");
  assert_error(tsv_options(), ELMAN_BAD_DATA, "a.tsv", "iconv -f GB18030 -t UTF-8");
  put("a.tsv", "one\n");
  elman_pairs *pairs;
  const elman_pairs_options options = tsv_options();
  cr_assert_eq(elman_pairs_read(&pairs, &options, &why), ELMAN_BAD_DATA);
  cr_assert_null(strstr(why.message, "iconv"), "it is UTF-8: %s", why.message);
}

static void assert_binary(const char *bytes, size_t length) {
  elman_pairs *pairs;
  const elman_pairs_options options = tsv_options();
  put_bytes("a.tsv", bytes, length);
  cr_assert_eq(elman_pairs_read(&pairs, &options, NULL), ELMAN_BAD_DATA);
  cr_assert_eq(notes.length, 0, "reported once, not for every line");
  assert_error(options, ELMAN_BAD_DATA, "a.tsv", "is a binary file");
}

/* An executable in which every third line is text, and data like compressed or encrypted files: all
 * bytes equally frequent, with an accidental line of text. */
Test(tsv, binary_files_with_text_are_rejected) {
  enum { SIZE = 100000 };
  static char bytes[SIZE];
  uint32_t state = 1;
  for (size_t i = 0; i < SIZE; i++) {
    state = state * 1664525 + 1013904223;
    bytes[i] = (char)(state >> 24);
  }
  assert_binary("\x7F"
                "ELF\2\1\1\0\nread\twrite\n\xFF\0\xCE\n",
                24);
  assert_binary(bytes, SIZE);
}

/* A NUL in the first line and a NUL after ten thousand lines are treated alike. */
Test(tsv, nul_makes_a_bad_line) {
  static const char good[] = "我\tI\n", bad[] = "a\0b\tc\n";
  enum { GOOD = sizeof good - 1, BAD = sizeof bad - 1, MANY = 10000 };
  static char bytes[MANY * GOOD + 2 * BAD];
  for (int late = 0; late <= 1; late++) {
    const size_t before = late ? MANY - 1 : 0;
    char *at = bytes;
    for (size_t i = 0; i <= MANY; i++) {
      const bool is_bad = i == before;
      memcpy(at, is_bad ? bad : good, is_bad ? BAD : GOOD);
      at += is_bad ? BAD : GOOD;
    }
    put_bytes("a.tsv", bytes, (size_t)(at - bytes));
    char expected[128], where[32];
    snprintf(where, sizeof where, "a.tsv:%zu", before + 1);
    snprintf(expected, sizeof expected, "%s: contains NUL at byte 2 of the line\n", where);
    owned_pairs *pairs;
    buffer_clear(&notes);
    elman_pairs_options options = tsv_options();
    cr_assert_eq(elman_pairs_read(&pairs, &options, NULL), ELMAN_OK);
    cr_assert_eq(elman_pairs_count(pairs), MANY);
    cr_assert_eq(elman_pairs_skipped(pairs), 1);
    cr_assert_str_eq(notes.bytes, expected);
    options.strict = true;
    assert_error(options, ELMAN_BAD_DATA, where, "contains NUL at byte 2");
  }
}

Test(tsv, unreadable_files_are_reported) {
  assert_error(tsv_options(), ELMAN_NO_INPUT, "a.tsv", "No such file");
  static const char *const directory[] = {"/"};
  elman_pairs_options options = tsv_options();
  options.files = directory;
  assert_error(options, ELMAN_NO_INPUT, "/", "directory");
}

Test(tsv, standard_input) {
  put("a.tsv", "我\tI\nbad\n");
  cr_assert_not_null(freopen("a.tsv", "rb", stdin));
  static const char *const dash[] = {"-"};
  elman_pairs_options options = tsv_options();
  options.files = dash;
  assert_pairs(options, "我=I", 1, "standard input:2: " LACKS_COLUMN);
}

Test(tsv, invalid_options_are_rejected) {
  elman_pairs_options options = tsv_options();
  options.source_column = 0;
  assert_error(options, ELMAN_INVALID_ARGUMENT, "", "column numbers start at 1");
  options = tsv_options();
  options.file_count = 0;
  assert_error(options, ELMAN_INVALID_ARGUMENT, "", "no file");
  options = moses_options();
  options.target_file = NULL;
  assert_error(options, ELMAN_INVALID_ARGUMENT, "",
               "a source file and a target file must be given together");
  elman_pairs_free(NULL);
}

Test(moses, lines) {
  put("zh", "我 爱 你\r\n他\ttab");
  put("en", "\xEF\xBB\xBFI love you\nhe\n");
  assert_pairs(moses_options(), "我 爱 你=I love you|他\ttab=he", 0, "");
}

Test(moses, whole_lines) {
  put("a.tsv", "他\the\tx\n");
  put("zh", "我 爱 你\n你\n");
  put("en", "I love you\nyou\n");
  elman_pairs_options options = moses_options();
  options.whole_lines = true;
  assert_pairs(options, "我 爱 你=I love you|你=you", 0, "");
  options.files = one_file;
  options.file_count = 1;
  options.source_column = 1;
  options.target_column = 2;
  assert_pairs(options, "他=he|我 爱 你=I love you|你=you", 0, "");
  owned_pairs *pairs;
  cr_assert_eq(elman_pairs_read(&pairs, &options, NULL), ELMAN_OK);
  cr_assert_str_eq(elman_pairs_line(pairs, 0, NULL), "他\the\tx");
  cr_assert_str_eq(elman_pairs_line(pairs, 2, NULL), "你");
}

Test(moses, bad_lines) {
  put("zh", "我\n\n\n \n你\xFF\n他\n");
  put("en", "I\n\nx\ny\nyou\n\xFE\n");
  assert_pairs(moses_options(), "我=I", 5,
               "zh:2: is empty\n"
               "zh:3: is empty\n"
               "zh:4: is empty\n"
               "zh:5: is not valid UTF-8 at byte 4 of the line\n"
               "en:6: is not valid UTF-8 at byte 1 of the line\n");
  put("en", "I\n\nx\ny\nyou\n \n");
  elman_pairs_options options = moses_options();
  options.strict = true;
  assert_error(options, ELMAN_BAD_DATA, "zh:2", "is empty");
}

Test(moses, different_lengths) {
  put("zh", "我\n你\n他\n");
  put("en", "I\nyou\n");
  assert_error(moses_options(), ELMAN_BAD_DATA, "zh", "has 3 lines, but en has 2");
  put("zh", "我\n");
  assert_error(moses_options(), ELMAN_BAD_DATA, "zh", "has 1 line, but en has 2");
  put("zh", "");
  put("en", "");
  assert_error(moses_options(), ELMAN_BAD_DATA, "zh", "no usable sentence pair");
}
