/* Test: text. */
/* Input that may be gzip-compressed, read in pieces of any size. */
#include "owned.h"

#include "base/text.h"
#include "elman/file.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { MOST = 1 << 16 };

/* Append a gzip member with this many bytes of text. */
static void pack(struct buffer *into, const char *text, size_t length) {
  static unsigned char packed[MOST];
  z_stream stream = {0};
  cr_assert_eq(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  stream.next_in = (unsigned char *)(uintptr_t)text;
  stream.avail_in = (unsigned)length;
  stream.next_out = packed;
  stream.avail_out = MOST;
  cr_assert_eq(deflate(&stream, Z_FINISH), Z_STREAM_END);
  buffer_append(into, (char *)packed, MOST - stream.avail_out);
  deflateEnd(&stream);
}

/* Decompress in pieces of `piece` bytes into `room` bytes at a time. */
static elman_status decompress_all(struct buffer *into, struct text input, size_t piece,
                                   size_t room, elman_error *error) {
  elman_decompressor *decompressor;
  elman_status status = elman_decompressor_create(&decompressor, error);
  owned char *place = malloc(room);
  while (input.length > 0 && status == ELMAN_OK) {
    struct text part = {input.bytes, input.length < piece ? input.length : piece};
    size_t filled = room;
    text_drop(&input, part.length);
    while (status == ELMAN_OK && (part.length > 0 || filled == room)) {
      filled = room;
      status = elman_decompress(decompressor, &part.bytes, &part.length, place, &filled, error);
      if (status == ELMAN_OK) buffer_append(into, place, filled);
    }
  }
  if (status == ELMAN_OK) status = elman_decompress_end(decompressor, error);
  elman_decompressor_free(decompressor);
  return status;
}

static const size_t sizes[] = {1, 2, 3, 17, 1000, MOST};
enum { SIZES = sizeof sizes / sizeof *sizes };

static void assert_gives(struct text input, struct text expected) {
  for (size_t i = 0; i < SIZES; i++) {
    for (size_t j = 0; j < SIZES; j++) {
      owned_by(buffer_free) struct buffer got = {0};
      buffer_append(&got, "", 0);
      succeeds(decompress_all(&got, input, sizes[i], sizes[j], &why));
      cr_assert_eq(got.length, expected.length);
      cr_assert_arr_eq(got.bytes, expected.bytes, expected.length);
    }
  }
}

static void assert_fails(struct text input, const char *problem) {
  for (size_t i = 0; i < SIZES; i++) {
    for (size_t j = 0; j < SIZES; j++) {
      owned_by(buffer_free) struct buffer got = {0};
      fails(decompress_all(&got, input, sizes[i], sizes[j], &why), ELMAN_BAD_DATA, problem);
    }
  }
}

Test(unpack, uncompressed_input_is_unchanged) {
  static const char *const texts[] = {"",         "a",   "a\nb\n", "\x1F", "\x1F\x1F\x8B",
                                      "\x1F\x8A", "\x8B"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    if (strcmp(texts[i], "\x1F") != 0) assert_gives(text_of(texts[i]), text_of(texts[i]));
}

Test(unpack, consecutive_members_are_joined) {
  owned_by(buffer_free) struct buffer packed = {0}, text = {0};
  for (int i = 0; i < 3000; i++) buffer_print(&text, "line %d\n", i * i);
  pack(&packed, text.bytes, text.length);
  assert_gives(buffer_text(&packed), buffer_text(&text));
  pack(&packed, "", 0);
  pack(&packed, "more", 4);
  buffer_append(&text, "more", 4);
  assert_gives(buffer_text(&packed), buffer_text(&text));
}

Test(unpack, zeros_after_last_member_are_padding) {
  static const char zeros[1000];
  owned_by(buffer_free) struct buffer packed = {0};
  pack(&packed, "text\n", 5);
  for (size_t count = 1; count <= sizeof zeros; count += 333) {
    buffer_append(&packed, zeros, count);
    assert_gives(buffer_text(&packed), text_of("text\n"));
  }
  buffer_append(&packed, "\x1F", 1);
  assert_fails(buffer_text(&packed), "data that is not gzip follows");
}

/* Truncated data is never accepted as complete, wherever it ends. */
Test(unpack, every_truncation_is_detected) {
  owned_by(buffer_free) struct buffer packed = {0};
  pack(&packed, "a line\nand one\n", 15);
  const size_t first = packed.length;
  pack(&packed, "more", 4);
  for (size_t size = 1; size < packed.length; size++)
    if (size != first) assert_fails((struct text){packed.bytes, size}, "it ends too early");
}

Test(unpack, damage_is_detected) {
  owned_by(buffer_free) struct buffer packed = {0};
  pack(&packed, "a line\nand one\n", 15);
  packed.bytes[packed.length - 6] ^= 1;
  assert_fails(buffer_text(&packed), "incorrect data check");
  packed.bytes[packed.length - 6] ^= 1;
  packed.bytes[2] = 7;
  assert_fails(buffer_text(&packed), "unknown compression method");
  packed.bytes[2] = 8;
  buffer_append(&packed, "a", 1);
  assert_fails(buffer_text(&packed), "data that is not gzip follows");
}
