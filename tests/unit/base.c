/* Test: text. */
/* Arena, buffer, UTF-8 validation, error values and a checksum. */
#include <criterion/criterion.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "owned.h"

#include "base/arena.h"
#include "base/status.h"
#include "base/table.h"
#include "base/text.h"
#include "base/xxh64.h"

Test(arena, measuring_predicts_allocated_size) {
  struct arena measured = {0};
  cr_assert_null(arena_allocate(&measured, 4, 3, 5, 1));
  cr_assert_null(arena_allocate(&measured, 8, 1, 1, 1));
  cr_assert_not(measured.failed);
  cr_assert_geq(measured.used, 60 + 8);

  struct arena arena = {0};
  cr_assert_eq(arena_reserve(&arena, &measured, NULL), ELMAN_OK);
  unsigned char *first = arena_allocate(&arena, 4, 3, 5, 1);
  unsigned char *second = arena_allocate(&arena, 8, 1, 1, 1);
  cr_assert_not_null(first);
  cr_assert_not_null(second);
  cr_assert_eq((uintptr_t)first % ARENA_ALIGNMENT, 0);
  cr_assert_eq((uintptr_t)second % ARENA_ALIGNMENT, 0);
  cr_assert_geq(second - first, 60);
  memset(first, 1, 60);
  memset(second, 2, 8);
  cr_assert_eq(first[59], 1);
  cr_assert_null(arena_allocate(&arena, 64, 1000, 1, 1)); /* full */
  cr_assert(arena.failed);

  cr_assert_eq(arena_reserve(&arena, &measured, NULL), ELMAN_OK);
  cr_assert_not(arena.failed);
  cr_assert_eq(arena_allocate(&arena, 4, 3, 5, 1), first);
  cr_assert_null(arena_allocate(&arena, 64, 1000, 1, 1));
  cr_assert_null(
      arena_allocate(&arena, 8, 1, 1, 1)); /* would fit, but an arena that failed stays failed */
  arena_free(&arena);
  cr_assert_null(arena.base);
}

/* Blocks are multiples of the alignment, with no gap except a sanitizer's redzone. */
Test(arena, blocks_leave_no_gaps) {
  struct arena none = {0}, one = {0}, full = {0}, more = {0};
  (void)arena_allocate(&none, 1, 0, 1, 1);
  (void)arena_allocate(&one, 1, 1, 1, 1);
  (void)arena_allocate(&full, 1, ARENA_ALIGNMENT, 1, 1);
  (void)arena_allocate(&more, 1, ARENA_ALIGNMENT + 1, 1, 1);
  cr_assert_eq(one.used, none.used + ARENA_ALIGNMENT);
  cr_assert_eq(full.used, one.used);
  cr_assert_eq(more.used, one.used + ARENA_ALIGNMENT);
}

Test(arena, large_enough_block_is_reused) {
  struct arena small = {0}, large = {0}, arena = {0};
  arena_allocate(&small, 1, 100, 1, 1);
  arena_allocate(&large, 1, 100000, 1, 1);
  cr_assert_eq(arena_reserve(&arena, &large, NULL), ELMAN_OK);
  const unsigned char *const base = arena.base;
  cr_assert_eq(arena_reserve(&arena, &small, NULL), ELMAN_OK);
  cr_assert_eq(arena.base, base);
  cr_assert_eq(arena.size, large.used);
  arena_free(&arena);
}

Test(arena, overflowing_sizes_fail) {
  struct arena measured = {0}, arena = {0};
  cr_assert_null(arena_allocate(&measured, 8, SIZE_MAX / 4, 3, 5));
  cr_assert(measured.failed);
  cr_assert_eq(arena_reserve(&arena, &measured, &why), ELMAN_NO_MEMORY);
  cr_assert_eq(why.code, ELMAN_NO_MEMORY);
  struct arena sum = {0};
  arena_allocate(&sum, 1, SIZE_MAX / 2 - 4096, 1, 1);
  cr_assert_not(sum.failed);
  arena_allocate(&sum, 1, SIZE_MAX / 2 - 4096, 1, 1);
  cr_assert(sum.failed);
}

Test(buffer, appends_and_stays_terminated) {
  struct buffer buffer = {0};
  cr_assert_eq(buffer_text(&buffer).length, 0);
  cr_assert_not_null(buffer_text(&buffer).bytes);
  for (int i = 0; i < 10000; i++) {
    buffer_append(&buffer, "abc", 3);
    cr_assert_eq(buffer.bytes[buffer.length], '\0');
  }
  cr_assert_eq(buffer.length, 30000);
  cr_assert_eq(memcmp(buffer.bytes + 29997, "abc", 4), 0);
  buffer_clear(&buffer);
  cr_assert_eq(buffer.length, 0);
  cr_assert_str_eq(buffer.bytes, "");
  buffer_append_text(&buffer, text_of("x"));
  cr_assert_str_eq(buffer.bytes, "x");
  buffer_free(&buffer);
  cr_assert_null(buffer.bytes);
}

Test(buffer, failure_sticks) {
  owned_by(buffer_free) struct buffer buffer = {0};
  buffer_append(&buffer, "a", 1);
  buffer_append(&buffer, "b", SIZE_MAX / 2);
  cr_assert(buffer.failed);
  buffer_append(&buffer, "c", 1);
  cr_assert_str_eq(buffer.bytes, "a");
  buffer_clear(&buffer);
  cr_assert_not(buffer.failed);
}

Test(array, grows) {
  owned void *array = NULL;
  size_t capacity = 0;
  cr_assert_eq(array_grow(&array, &capacity, 10, sizeof(int), NULL), ELMAN_OK);
  cr_assert_geq(capacity, 10);
  ((int *)array)[9] = 7;
  const size_t before = capacity;
  cr_assert_eq(array_grow(&array, &capacity, before, sizeof(int), NULL), ELMAN_OK);
  cr_assert_eq(capacity, before);
  cr_assert_eq(array_grow(&array, &capacity, before + 1, sizeof(int), NULL), ELMAN_OK);
  cr_assert_gt(capacity, before);
  cr_assert_eq(((int *)array)[9], 7);
  const size_t kept = capacity;
  cr_assert_eq(array_grow(&array, &capacity, SIZE_MAX / 2, sizeof(int), NULL), ELMAN_NO_MEMORY);
  cr_assert_eq(array_grow(&array, &capacity, SIZE_MAX, 1, NULL), ELMAN_NO_MEMORY);
  cr_assert_eq(capacity, kept);
}

Test(text, text_is_cut_at_separators) {
  struct text rest = text_of("a||bc"), empty = {NULL, 0};
  cr_assert(text_equal(text_cut(&rest, '|'), text_of("a")));
  cr_assert(text_equal(text_cut(&rest, '|'), text_of("")));
  cr_assert(text_equal(text_cut(&rest, '|'), text_of("bc")));
  cr_assert_eq(rest.length, 0);
  cr_assert_eq(text_cut(&rest, '|').length, 0);
  cr_assert_eq(text_cut(&empty, '|').length, 0);
}

Test(array, grown_zeroed) {
  owned unsigned char *array = NULL;
  size_t capacity = 0;
  cr_assert_eq(array_grow_zeroed(&array, &capacity, 0, 1, NULL), ELMAN_OK);
  for (size_t count = 1; count < 300; count = capacity + 1) {
    cr_assert_eq(array_grow_zeroed(&array, &capacity, count, 1, NULL), ELMAN_OK);
    for (size_t i = 0; i < capacity; i++) cr_assert_eq(array[i], i + 1 < count ? 1 : 0);
    for (size_t i = 0; i < capacity; i++) array[i] = 1;
  }
}

static bool is_number(const void *numbers, size_t item, const void *wanted) {
  return ((const unsigned *)numbers)[item] == *(const unsigned *)wanted;
}

Test(table, finds_added_items) {
  enum { NUMBERS = 1000 };
  unsigned numbers[NUMBERS];
  struct table table = {0};
  for (unsigned i = 0; i < NUMBERS; i++) numbers[i] = 7 * i;
  for (uint64_t spread = 0; spread < 3; spread++) { /* 0: all items have the same hash */
    const size_t count = spread == 0 ? 50 : NUMBERS;
    const unsigned absent = 3;
    if (spread == 2)
      cr_assert_eq(table_reset(&table, NUMBERS, NULL), ELMAN_OK);
    else
      table_free(&table);
    for (unsigned i = 0; i < count; i++) {
      const uint64_t hash = spread * numbers[i];
      cr_assert_eq(table_find(&table, hash, is_number, numbers, &numbers[i]), TABLE_NONE);
      cr_assert_eq(table_add(&table, hash, i, NULL), ELMAN_OK);
    }
    cr_assert_eq(table.count, count);
    for (unsigned i = 0; i < count; i++)
      cr_assert_eq(table_find(&table, spread * numbers[i], is_number, numbers, &numbers[i]), i);
    cr_assert_eq(table_find(&table, spread * absent, is_number, numbers, &absent), TABLE_NONE);
  }
  cr_assert_eq(table_reset(&table, SIZE_MAX, NULL), ELMAN_BAD_DATA);
  table_free(&table);
}

static size_t valid_prefix(const char *bytes, size_t length) {
  return text_valid_prefix((struct text){bytes, length});
}

Test(text, equality) {
  cr_assert(text_equal(text_of("ab"), (struct text){"abc", 2}));
  cr_assert_not(text_equal(text_of("ab"), text_of("abc")));
  cr_assert_not(text_equal(text_of("ab"), text_of("ac")));
  cr_assert(text_equal((struct text){NULL, 0}, text_of("")));
}

Test(text, utf8) {
  cr_assert_eq(valid_prefix("", 0), 0);
  cr_assert_eq(valid_prefix("a我é👩", 10), 10);
  cr_assert_eq(valid_prefix("\xF4\x8F\xBF\xBF", 4), 4); /* U+10FFFF */
  cr_assert_eq(valid_prefix("ab\0c", 4), 2);
  cr_assert_eq(valid_prefix("a\x80", 2), 1);                /* lone continuation byte */
  cr_assert_eq(valid_prefix("a\xE6\x88", 3), 1);            /* truncated at the end */
  cr_assert_eq(valid_prefix("我\xE6\x88x", 6), 3);          /* truncated within the text */
  cr_assert_eq(valid_prefix("\xC0\x80", 2), 0);             /* overlong NUL */
  cr_assert_eq(valid_prefix("\xC1\xBF", 2), 0);             /* overlong */
  cr_assert_eq(valid_prefix("\xE0\x80\xAF", 3), 0);         /* overlong */
  cr_assert_eq(valid_prefix("\xF0\x80\x80\xAF", 4), 0);     /* overlong */
  cr_assert_eq(valid_prefix("\xED\xA0\x80", 3), 0);         /* surrogate */
  cr_assert_eq(valid_prefix("\xF4\x90\x80\x80", 4), 0);     /* above U+10FFFF */
  cr_assert_eq(valid_prefix("\xF8\x88\x80\x80\x80", 5), 0); /* five bytes */
  cr_assert_eq(valid_prefix("\xFF", 1), 0);
}

Test(status, fail_fills_error_and_returns_status) {
  cr_assert_eq(fail(&why, ELMAN_IO, "file:3", "got %d", 7), ELMAN_IO);
  cr_assert_eq(why.code, ELMAN_IO);
  cr_assert_str_eq(why.message, "got 7");
  cr_assert_str_eq(why.where, "file:3");
  cr_assert_eq(fail(&why, ELMAN_BAD_DATA, NULL, "x"), ELMAN_BAD_DATA);
  cr_assert_str_eq(why.where, "");
  cr_assert_eq(fail(NULL, ELMAN_BAD_DATA, "a", "b"), ELMAN_BAD_DATA);
  /* The name of a file may be any bytes; only a cut character is removed. */
  (void)fail(&why, ELMAN_NO_INPUT, "\xE6\x88", "x");
  cr_assert_str_eq(why.where, "\xE6\x88");
  cr_assert_eq(fail_no_memory(&why), ELMAN_NO_MEMORY);
  cr_assert_eq(why.code, ELMAN_NO_MEMORY);
}

Test(status, long_text_is_cut_between_characters) {
  /* Try three lengths of prefix, so that the cut falls once on each byte of the three-byte
   * character. */
  for (int lead = 0; lead < 3; lead++) {
    char text[1024] = "";
    memset(text, 'x', (size_t)lead);
    while (strlen(text) < 900) strcat(text, "我");
    cr_assert_eq(fail(&why, ELMAN_IO, text, "%s", text), ELMAN_IO);
    cr_assert_eq(text_valid_prefix(text_of(why.message)), strlen(why.message));
    cr_assert_eq(text_valid_prefix(text_of(why.where)), strlen(why.where));
    cr_assert_gt(strlen(why.message), sizeof why.message - 5);
  }
}

/* The values that xxHash publishes: of three words, of a sentence longer than a stripe, and of the
 * first bytes of a sequence. */
Test(xxh64, matches_published_values) {
  static const char sentence[] = "Nobody inspects the spammish repetition";
  static const struct {
    size_t size;
    uint64_t value;
  } known[] = {{1, UINT64_C(0x4FCE394CC88952D8)},
               {14, UINT64_C(0xCFFA8DB881BC3A3D)},
               {101, UINT64_C(0x0EAB543384F878AD)}};
  unsigned char series[101];
  uint32_t state = UINT32_C(2654435761);
  for (size_t i = 0; i < sizeof series; i++) {
    series[i] = (unsigned char)(state >> 24);
    state *= state;
  }
  cr_assert_eq(xxh64_of("", 0), UINT64_C(0xEF46DB3751D8E999));
  cr_assert_eq(xxh64_of("a", 1), UINT64_C(0xD24EC4F1A98C6E5B));
  cr_assert_eq(xxh64_of("abc", 3), UINT64_C(0x44BC2CF5AD770999));
  cr_assert_eq(xxh64_of(sentence, strlen(sentence)), UINT64_C(0xFBCEA83C8A378BF1));
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    cr_assert_eq(xxh64_of(series, known[i].size), known[i].value, "%zu bytes", known[i].size);
}

Test(xxh64, pieces_hash_like_the_whole) {
  unsigned char bytes[200];
  for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (unsigned char)(i * i + 7 * i);
  for (size_t piece = 1; piece <= sizeof bytes; piece++) {
    struct xxh64 sum;
    xxh64_start(&sum);
    for (size_t at = 0; at < sizeof bytes; at += piece) {
      const size_t left = sizeof bytes - at;
      cr_assert_eq(xxh64_value(&sum), xxh64_of(bytes, at),
                   "reading the value does not end the sum");
      xxh64_add(&sum, bytes + at, piece < left ? piece : left);
    }
    cr_assert_eq(xxh64_value(&sum), xxh64_of(bytes, sizeof bytes), "pieces of %zu", piece);
  }
}
