/* NumPy's .npy, version 1.0: magic, header, then float32 in C order: (T,S) or,
 * with several heads, (heads,T,S).
 * https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html */
#include <stdint.h>
#include <string.h>

#include "inspect/format.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "numbers are stored as they lie in memory");

enum { PREFIX = 10, ALIGNMENT = 64 };

static void describe(char *header, size_t size, const struct translation *translation) {
  char heads[32] = "";
  if (translation->heads > 1) snprintf(heads, sizeof heads, "%zu, ", translation->heads);
  snprintf(header, size, "{'descr': '<f4', 'fortran_order': False, 'shape': (%s%zu, %zu), }", heads,
           translation->target_count, translation->source_count);
}

elman_status format_write_npy(struct writing *writing, const struct record *record,
                              elman_error *error) {
  (void)error;
  FILE *stream = writing->stream;
  const struct translation *translation = record->translation;
  const bool several = translation->heads > 1;
  const real *weights = several ? translation->head_attention : translation->attention;
  const size_t count =
      (several ? translation->heads : 1) * translation->target_count * translation->source_count;
  char header[192];
  describe(header, sizeof header, translation);
  /* The header ends in a newline, and the numbers begin at a multiple of 64. */
  const size_t used = PREFIX + strlen(header) + 1;
  const size_t total = (used + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  const uint16_t size = (uint16_t)(total - PREFIX);
  fwrite("\x93NUMPY\x01\x00", 1, 8, stream);
  fwrite(&size, sizeof size, 1, stream);
  fprintf(stream, "%s%*s\n", header, (int)(total - used), "");
  for (size_t i = 0; i < count; i++) {
    const float value = (float)weights[i];
    fwrite(&value, sizeof value, 1, stream);
  }
  return ELMAN_OK;
}
