/* Hard alignments as Pharaoh, Moses and fast_align write them: a line a translation, "i-j" for
 * source word i and target word j, counted from 0. */
#include "inspect/format.h"
#include "inspect/hard_alignment.h"

static elman_status write_translation(elman_attention_writer *writing,
                                      const elman_translation *translation, elman_error *error) {
  struct word_matrix words;
  const elman_status status = word_matrix_create(&words, translation, writing->style.units, error);
  if (status != ELMAN_OK) return status;
  const char *space = "";
  for (size_t s = 0; s < words.source_count; s++) {
    for (size_t t = 0; t < words.target_count; t++) {
      if (!words_linked(&words, &writing->style, s, t)) continue;
      fprintf(writing->stream, "%s%zu-%zu", space, s, t);
      space = " ";
    }
  }
  fputc('\n', writing->stream);
  word_matrix_free(&words);
  return ELMAN_OK;
}

const struct format format_pharaoh = {"pharaoh", ".pharaoh", .write = write_translation};
