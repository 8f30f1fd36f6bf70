/* Input as it comes, which gzip may have packed: what begins with gzip's two bytes is unpacked, and
 * all else stays as it is. Several members, one behind the other, are one input, and zero bytes
 * behind the last are padding, as for gzip. */
#ifndef ELMAN_BASE_UNPACK_H
#define ELMAN_BASE_UNPACK_H

#include <zlib.h>

#include "base/status.h"
#include "base/text.h"

/* Starts from all zero. */
struct unpacker {
  z_stream stream;
  enum {
    INPUT_UNKNOWN, /* as long as it may be one of gzip's */
    INPUT_PLAIN,
    INPUT_PACKED,  /* within a member */
    INPUT_BETWEEN, /* behind one */
    INPUT_PADDING, /* zero bytes behind the last */
  } state;
  size_t matched; /* bytes of a member's beginning that were taken; 0 within one */
};

/* Takes bytes off the front of `input` and gives *filled others, at most `room`, which is not 0.
 * Once *filled is less, all of the input is taken and all that it gives is given. */
elman_status unpack(struct unpacker *unpacker, struct text *input, char *into, size_t room,
                    size_t *filled, elman_error *error) CHECKED;

/* No input is left: ELMAN_BAD_DATA in the midst of a member. */
elman_status unpack_end(const struct unpacker *unpacker, elman_error *error) CHECKED;

void unpack_free(struct unpacker *unpacker);

#endif
