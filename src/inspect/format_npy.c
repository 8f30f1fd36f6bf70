/* NumPy's .npy, version 1.0: magic, header, then float32 in C order.
 * https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html */
#include <stdint.h>
#include <string.h>

#include "inspect/format.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "numbers are stored as they lie in memory");

enum { PREFIX = 10, ALIGNMENT = 64 };

enum status format_write_npy(FILE *stream, const struct translation *translation,
                             const struct text_style *style, struct error *error) {
  (void)style;
  (void)error;
  const size_t S = translation->source_count, T = translation->target_count;
  char header[128];
  const int length =
      snprintf(header, sizeof header,
               "{'descr': '<f4', 'fortran_order': False, 'shape': (%zu, %zu), }", T, S);
  /* The header ends in a newline, and the numbers begin at a multiple of 64. */
  const size_t used = PREFIX + (size_t)length + 1;
  const size_t total = (used + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  const uint16_t size = (uint16_t)(total - PREFIX);
  fwrite("\x93NUMPY\x01\x00", 1, 8, stream);
  fwrite(&size, sizeof size, 1, stream);
  fprintf(stream, "%s%*s\n", header, (int)(total - used), "");
  for (size_t i = 0; i < T * S; i++) {
    const float value = (float)translation->attention[i];
    fwrite(&value, sizeof value, 1, stream);
  }
  return STATUS_OK;
}
