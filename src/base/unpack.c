#include "base/unpack.h"

#include <limits.h>
#include <stdint.h>
#include <string.h>

static const char MAGIC[] = {'\x1F', '\x8B'};

enum { WINDOW = 15 + 16 }; /* the largest, with gzip's head and sums and nothing else */

static elman_status damaged(elman_error *error, const char *problem) {
  return fail(error, ELMAN_BAD_DATA, NULL,
              "is packed by gzip and damaged: %s; 'gzip -t' looks for damage, too", problem);
}

static elman_status begin_member(struct unpacker *unpacker, elman_error *error) {
  z_stream *stream = &unpacker->stream;
  const int result =
      unpacker->state == INPUT_BETWEEN ? inflateReset(stream) : inflateInit2(stream, WINDOW);
  if (result != Z_OK) return fail_no_memory(error);
  unpacker->state = INPUT_PACKED;
  unpacker->matched = 0;
  Bytef none; /* is what the first bytes alone give */
  stream->next_in = (Bytef *)(uintptr_t)MAGIC;
  stream->avail_in = sizeof MAGIC;
  stream->next_out = &none;
  stream->avail_out = 0;
  const int begun = inflate(stream, Z_NO_FLUSH);
  return begun == Z_OK || begun == Z_BUF_ERROR ? ELMAN_OK : fail_no_memory(error);
}

/* Blocks of a tape or a disk end with them. */
static elman_status skip_padding(struct text *input, elman_error *error) {
  while (input->length > 0 && input->bytes[0] == '\0') text_drop(input, 1);
  return input->length == 0 ? ELMAN_OK : damaged(error, "something else follows");
}

/* Looks whether a member begins. What turns out to be plain gets back what was read as its
 * beginning. */
static elman_status find_member(struct unpacker *unpacker, struct text *input, char *into,
                                size_t *filled, elman_error *error) {
  if (unpacker->state == INPUT_BETWEEN && unpacker->matched == 0 && input->length > 0 &&
      input->bytes[0] == '\0')
    unpacker->state = INPUT_PADDING;
  if (unpacker->state == INPUT_PADDING) return skip_padding(input, error);
  while (unpacker->matched < sizeof MAGIC && input->length > 0 &&
         input->bytes[0] == MAGIC[unpacker->matched]) {
    unpacker->matched++;
    text_drop(input, 1);
  }
  if (unpacker->matched == sizeof MAGIC) return begin_member(unpacker, error);
  if (input->length == 0) return ELMAN_OK;
  if (unpacker->state == INPUT_BETWEEN) return damaged(error, "something else follows");
  memcpy(into, MAGIC, unpacker->matched);
  *filled = unpacker->matched;
  unpacker->matched = 0;
  unpacker->state = INPUT_PLAIN;
  return ELMAN_OK;
}

static elman_status inflate_member(struct unpacker *unpacker, struct text *input, char *into,
                                   size_t room, size_t *filled, elman_error *error) {
  z_stream *stream = &unpacker->stream;
  const uInt size = input->length < UINT_MAX ? (uInt)input->length : UINT_MAX;
  const uInt space = room - *filled < UINT_MAX ? (uInt)(room - *filled) : UINT_MAX;
  stream->next_in = (Bytef *)(uintptr_t)input->bytes;
  stream->avail_in = size;
  stream->next_out = (Bytef *)into + *filled;
  stream->avail_out = space;
  const int result = inflate(stream, Z_NO_FLUSH);
  text_drop(input, size - stream->avail_in);
  *filled += space - stream->avail_out;
  if (result == Z_STREAM_END) unpacker->state = INPUT_BETWEEN;
  if (result == Z_OK || result == Z_BUF_ERROR || result == Z_STREAM_END) return ELMAN_OK;
  if (result == Z_MEM_ERROR) return fail_no_memory(error);
  return damaged(error, stream->msg == NULL ? "it cannot be unpacked" : stream->msg);
}

static size_t copy(struct text *input, char *into, size_t room) {
  const size_t size = input->length < room ? input->length : room;
  memcpy(into, input->bytes, size);
  text_drop(input, size);
  return size;
}

elman_status unpack(struct unpacker *unpacker, struct text *input, char *into, size_t room,
                    size_t *filled, elman_error *error) {
  elman_status status = ELMAN_OK;
  *filled = 0;
  do {
    if (unpacker->state != INPUT_PLAIN && unpacker->state != INPUT_PACKED)
      status = find_member(unpacker, input, into, filled, error);
    if (status == ELMAN_OK && unpacker->state == INPUT_PACKED)
      status = inflate_member(unpacker, input, into, room, filled, error);
    if (unpacker->state == INPUT_PLAIN) *filled += copy(input, into + *filled, room - *filled);
  } while (status == ELMAN_OK && input->length > 0 && *filled < room);
  return status;
}

elman_status unpack_end(const struct unpacker *unpacker, elman_error *error) {
  if (unpacker->state != INPUT_PACKED && unpacker->matched == 0) return ELMAN_OK;
  return damaged(error, "it ends too early");
}

void unpack_free(struct unpacker *unpacker) {
  if (unpacker->state != INPUT_UNKNOWN && unpacker->state != INPUT_PLAIN)
    (void)inflateEnd(&unpacker->stream);
}
