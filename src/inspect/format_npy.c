/* NumPy's .npy: (T,S) or, with several heads, (heads,T,S). */
#include "inspect/format.h"
#include "inspect/matrix.h"

static void write_translation(elman_attention_writer *writing,
                              const elman_translation *translation) {
  const size_t sizes[] = {translation->heads, translation->target_count, translation->source_count};
  if (translation->heads > 1)
    matrix_write_npy(writing->stream, translation->head_attention, sizes, 3);
  else
    matrix_write_npy(writing->stream, translation->attention, sizes + 1, 2);
}

const struct format format_npy = {"npy", ".npy", .write = write_translation};
